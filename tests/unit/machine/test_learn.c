// tests/unit/machine/test_learn.c: the smallest machines that agree with observations, against all machines
// there are.
#include "machines.h"

enum { N_OBSERVATIONS_MAX = 6, LENGTH_MAX = 8 };

typedef struct Data {
    orr_observation x[N_OBSERVATIONS_MAX];
    uint32_t inputs[N_OBSERVATIONS_MAX][LENGTH_MAX], outputs[N_OBSERVATIONS_MAX][LENGTH_MAX + 1];
    size_t n;
} Data;

static void observe(Data *data, const Machine *hidden, Dice *dice, bool reset)
{
    data->n = 1 + dice_roll(dice, N_OBSERVATIONS_MAX);
    for (size_t e = 0; e < data->n; e++) {
        const size_t n = 1 + dice_roll(dice, LENGTH_MAX);
        for (size_t i = 0; i < n; i++) data->inputs[e][i] = dice_roll(dice, hidden->n_inputs);
        answer(hidden, reset ? 0 : dice_roll(dice, hidden->n_states), (orr_word){ data->inputs[e], n },
               data->outputs[e]);
        data->x[e] = (orr_observation){ data->inputs[e], data->outputs[e], n,
                                        n + (hidden->kind == MACHINE_MOORE), MACHINE_NONE };
        // now and then somebody did not look, or stopped looking
        if (dice_roll(dice, 3) == 0) data->outputs[e][dice_roll(dice, (uint32_t)n)] = MACHINE_NONE;
        if (dice_roll(dice, 4) == 0) data->x[e].n_outputs -= 1;
    }
}

static bool gives(const Machine *m, uint32_t state, const orr_observation *x)
{
    uint32_t outputs[LENGTH_MAX + 1];
    answer(m, state, (orr_word){ x->inputs, x->n_inputs }, outputs);
    for (size_t i = 0; i < x->n_outputs; i++)
        if (x->outputs[i] != MACHINE_NONE && x->outputs[i] != outputs[i]) return false;
    return true;
}

static bool machine_agrees(const Machine *m, const Data *data, bool reset)
{
    for (size_t e = 0; e < data->n; e++) {
        bool any = false;
        for (uint32_t s = 0; s < (reset ? 1 : m->n_states) && !any; s++) any = gives(m, s, &data->x[e]);
        if (!any) return false;
    }
    return true;
}

// Is no renumbering of the states smaller? With a reset, state 0 stays. Up to three states.
static bool is_least_of_its_kind(const Machine *m, bool reset)
{
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                          { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    const uint32_t n = m->n_states, k = m->n_inputs, width = m->kind == MACHINE_MOORE ? 1 : k;
    for (size_t o = 0; o < 6; o++) {
        const uint32_t *to = orders[o];
        bool is_order = !reset || to[0] == 0;
        for (uint32_t s = 0; s < n; s++) is_order &= to[s] < n;
        if (!is_order) continue;
        uint32_t other[24], mine[24], at = 0;
        for (uint32_t s = 0; s < n; s++) {
            for (uint32_t i = 0; i < k; i++) other[to[s] * (k + width) + i] = to[m->next[s * k + i]];
            for (uint32_t i = 0; i < width; i++) other[to[s] * (k + width) + k + i] = m->out[s * width + i];
            for (uint32_t i = 0; i < k; i++) mine[at++] = m->next[s * k + i];
            for (uint32_t i = 0; i < width; i++) mine[at++] = m->out[s * width + i];
        }
        for (uint32_t i = 0; i < at; i++) {
            if (other[i] > mine[i]) break;
            if (other[i] < mine[i]) return false;
        }
    }
    return true;
}

// How many machines with n states agree, by going through all of them.
static size_t count_all(Arena *arena, MachineKind kind, uint32_t n, uint32_t k, const Data *data, bool reset)
{
    Machine *m = draft(arena, kind, n, k, 2);
    size_t count = 0;
    for (;;) {
        if (machine_agrees(m, data, reset) && is_least_of_its_kind(m, reset)) count++;
        size_t at = 0;
        while (at < (size_t)n * k && ++next_of(m)[at] == n) next_of(m)[at++] = 0;
        if (at < (size_t)n * k) continue;
        for (at = 0; at < n_out(m) && ++out_of(m)[at] == 2;) out_of(m)[at++] = 0;
        if (at == n_out(m)) return count;
    }
}

static void check_learned(const orr_learned *r, const Data *data, bool reset)
{
    for (size_t i = 0; i < r->n_kept; i++) {
        assert_int_equal(r->machines[i]->machine->n_states, r->n_states);
        assert_true(machine_agrees(r->machines[i]->machine, data, reset));
        // all different
        for (size_t j = 0; j < i; j++) {
            const uint32_t from = reset ? 0 : MACHINE_NONE;
            orr_comparison c = orr_machine_compare(r->machines[i], from, r->machines[j], from, NULL);
            assert_false(c.are_equivalent);
            orr_comparison_free(&c);
        }
    }
    // the experiment sorts them as it says
    const orr_separation *e = &r->experiment;
    for (uint32_t i = 0; i < e->n_suspects; i++)
        for (uint32_t j = 0; j < i && e->word.n < LENGTH_MAX; j++) {
            uint32_t a[LENGTH_MAX + 1] = { 0 }, b[LENGTH_MAX + 1] = { 0 };
            answer(r->machines[e->suspects[i].machine]->machine, e->suspects[i].state, e->word, a);
            answer(r->machines[e->suspects[j].machine]->machine, e->suspects[j].state, e->word, b);
            assert_int_equal(e->suspects[i].group == e->suspects[j].group, memcmp(a, b, sizeof a) == 0);
        }
}

static void learn_and_count(MachineKind kind, bool reset, uint64_t seed)
{
    Dice dice = { seed };
    int n_unique = 0, n_many = 0;
    for (int round = 0; round < 200; round++) {
        Arena arena = { 0 };
        const uint32_t n_hidden = 1 + dice_roll(&dice, 3), k = kind == MACHINE_MEALY && n_hidden == 3 ? 1 : 2;
        const Machine *hidden = random_machine(&arena, &dice, kind, n_hidden, k, 2);
        Data data;
        observe(&data, hidden, &dice, reset);
        orr_learn_options o = orr_learn_options_default();
        o.is_mealy = kind == MACHINE_MEALY;
        o.reset = reset;
        o.inputs = hidden->inputs;
        o.outputs = hidden->outputs;
        o.n_inputs = k;
        o.n_outputs = 2;
        o.observations = data.x;
        o.n_observations = data.n;
        o.max_machines = 20;
        orr_learned r = orr_machine_learn(&o, NULL);
        assert_int_equal(r.verdict, ORR_ANSWER_YES);
        assert_true(r.n_states <= n_hidden);
        for (uint32_t n = 1; n < r.n_states; n++)
            assert_int_equal(count_all(&arena, kind, n, k, &data, reset), 0);
        assert_true(r.is_count_exact);
        assert_near(r.n_machines, (double)count_all(&arena, kind, r.n_states, k, &data, reset), 0);
        check_learned(&r, &data, reset);
        n_unique += r.n_machines == 1;
        n_many += r.n_machines > 1;
        orr_learned_free(&r);
        arena_free(&arena);
    }
    assert_true(n_unique > 3 && n_many > 10);
}

static void test_learn_agrees_with_going_through_all_machines(void **state)
{
    (void)state;
    learn_and_count(MACHINE_MOORE, true, 1);
    learn_and_count(MACHINE_MOORE, false, 2);
    learn_and_count(MACHINE_MEALY, true, 3);
    learn_and_count(MACHINE_MEALY, false, 4);
}

// Enough words, and the machine is found again: here the suite that identifies it among machines of its size.
typedef struct Suite {
    Arena *arena;
    const Machine *m;
    orr_observation x[5000];
    size_t n;
} Suite;

static bool take(void *context, orr_word word)
{
    Suite *s = context;
    uint32_t *inputs = ARENA_ARRAY(s->arena, uint32_t, word.n),
             *outputs = ARENA_ARRAY(s->arena, uint32_t, word.n + 1);
    if (word.n > 0) memcpy(inputs, word.inputs, word.n * sizeof *inputs);
    answer(s->m, 0, word, outputs);
    assert_true(s->n < 5000);
    s->x[s->n++] = (orr_observation){ inputs, outputs, word.n, word.n + (s->m->kind == MACHINE_MOORE), 0 };
    return true;
}

static void test_learn_finds_a_machine_by_its_suite(void **state)
{
    (void)state;
    Dice dice = { 64 };
    for (int round = 0; round < 20; round++) {
        Arena arena = { 0 };
        Suite suite = { .arena = &arena,
                        .m = random_machine(&arena, &dice, round % 2 ? MACHINE_MEALY : MACHINE_MOORE, 6, 2,
                                            2) };
        orr_machine *x = machine_wrap(suite.m);
        orr_suite s = orr_machine_suite(x, 0, 0, NULL);
        orr_suite_write(&s, take, &suite);
        orr_learn_options o = { .is_mealy = round % 2,
                                .reset = true,
                                .inputs = suite.m->inputs,
                                .outputs = suite.m->outputs,
                                .n_inputs = 2,
                                .n_outputs = 2,
                                .observations = suite.x,
                                .n_observations = suite.n };
        orr_learned r = orr_machine_learn(&o, NULL);
        assert_int_equal(r.n_states, s.n_states);
        assert_near(r.n_machines, 1, 0);
        assert_int_equal(r.experiment.n_suspects, 0);
        orr_comparison c = orr_machine_compare(x, 0, r.machines[0], 0, NULL);
        assert_true(c.are_equivalent);
        orr_comparison_free(&c);
        orr_learned_free(&r);
        orr_suite_free(&s);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
}

static void test_learn_finds_contradictions(void **state)
{
    (void)state;
    const uint32_t inputs[] = { 0, 1, 0 }, a[] = { 0, 1, 0, 1 }, b[] = { 0, 1, 1, 1 };
    const char *const in[] = { "x", "y" }, *const out[] = { "p", "q" };
    const orr_observation x[] = { { inputs, a, 3, 4, MACHINE_NONE },
                                  { inputs + 1, a, 2, 3, MACHINE_NONE },
                                  { inputs, b, 3, 4, MACHINE_NONE } };
    orr_learn_options o = { .reset = true,
                            .inputs = in,
                            .outputs = out,
                            .n_inputs = 2,
                            .n_outputs = 2,
                            .observations = x,
                            .n_observations = 3 };
    orr_learned r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_NO);
    assert_true(r.has_conflict);
    assert_int_equal(r.conflict[0], 0);
    assert_int_equal(r.conflict[1], 2);
    orr_learned_free(&r);
    o.reset = false;    // from different states both can be
    r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_YES);
    orr_learned_free(&r);
}

static void test_learn_keeps_its_limits(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Dice dice = { 321 };
    const Machine *hidden = random_machine(&arena, &dice, MACHINE_MOORE, 30, 2, 2);
    uint32_t inputs[400], outputs[401];
    for (size_t i = 0; i < 400; i++) inputs[i] = dice_roll(&dice, 2);
    answer(hidden, 0, (orr_word){ inputs, 400 }, outputs);
    const orr_observation x = { inputs, outputs, 400, 401, 0 };
    orr_learn_options o = { .reset = true,
                            .inputs = hidden->inputs,
                            .outputs = hidden->outputs,
                            .n_inputs = 2,
                            .n_outputs = 2,
                            .observations = &x,
                            .n_observations = 1,
                            .max_states = 4 };
    orr_learned r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_NO);
    assert_false(r.has_conflict);
    assert_int_equal(r.n_states, 4);
    orr_learned_free(&r);
    o.max_states = 30;
    o.limit = 20000;
    r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_UNKNOWN);
    orr_learned_free(&r);
    const volatile int stop = 1;
    o.cancel = &stop;
    r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.status, ORR_STATUS_CANCELLED);
    orr_learned_free(&r);
    orr_diag *diag = orr_diag_create();
    o.n_observations = 0;
    r = orr_machine_learn(&o, diag);
    assert_int_equal(r.status, ORR_STATUS_USAGE);
    orr_learned_free(&r);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

// ---- The finger game of exercises 5.1 and 11: states are the friend's last two moves, 11 12 21 22

static void finger_game(Machine *m, uint32_t (*reply)(uint32_t before, uint32_t last, uint32_t you))
{
    for (uint32_t before = 0; before < 2; before++)
        for (uint32_t last = 0; last < 2; last++) {
            out_of(m)[2 * before + last] = last;
            for (uint32_t you = 0; you < 2; you++)
                next_of(m)[(2 * before + last) * 2 + you] = 2 * last + reply(before, last, you);
        }
}

// moves are 0 for one finger, 1 for two
static uint32_t repeats_you(uint32_t before, uint32_t last, uint32_t you)
{
    return (void)before, (void)last, you;
}
static uint32_t alternates(uint32_t before, uint32_t last, uint32_t you)
{
    return (void)before, (void)you, 1 - last;
}
static uint32_t adds_up(uint32_t before, uint32_t last, uint32_t you)
{
    return (before + last + you + 3) % 2 == 0;
}

static void test_finger_game(void **state)
{
    (void)state;
    Arena arena = { 0 };
    uint32_t (*const replies[])(uint32_t, uint32_t, uint32_t) = { repeats_you, alternates, adds_up };
    const uint32_t ones[] = { 0, 0, 0, 0 }, twos[] = { 1, 1, 1, 1 }, saw_first[] = { 0, 1, 1, 0, 1 },
                   saw_then[] = { 1, 0, 0, 0, 0 };
    const orr_observation first = { ones, saw_first, 4, 5, MACHINE_NONE },
                          then = { twos, saw_then, 4, 5, MACHINE_NONE };
    Machine *c = draft(&arena, MACHINE_MOORE, 4, 2, 2);
    for (size_t i = 0; i < 3; i++) {
        finger_game(c, replies[i]);
        uint32_t n = 0, from = 0;
        for (uint32_t s = 0; s < 4; s++)
            if (gives(c, s, &first)) from = s, n++;
        assert_int_equal(n, i == 2);              // only c survives the first experiment
        if (i == 2) assert_int_equal(from, 2);    // starting in (2, 1)
    }
    uint32_t n_repairs = 0, cell_repaired = 0;
    for (uint32_t s = 0; s < 4; s++) assert_false(gives(c, s, &then));
    for (uint32_t cell = 0; cell < 8; cell++) {
        const uint32_t old = c->next[cell], last = cell / 2 % 2;
        next_of(c)[cell] = 2 * last + (1 - old % 2);    // the other reply
        bool both[2] = { false, false };
        for (uint32_t s = 0; s < 4; s++) {
            both[0] |= gives(c, s, &first);
            both[1] |= gives(c, s, &then);
        }
        if (both[0] && both[1]) n_repairs++, cell_repaired = cell;
        next_of(c)[cell] = old;
    }
    assert_int_equal(n_repairs, 1);
    assert_int_equal(cell_repaired, 1);    // (1, 1) on 2
    // what the two experiments alone say: a machine of the game's form is among those learned, or a smaller
    // one agrees
    Data data = { .n = 2, .x = { first, then } };
    orr_learn_options o = { .inputs = c->inputs,
                            .outputs = c->outputs,
                            .n_inputs = 2,
                            .n_outputs = 2,
                            .observations = data.x,
                            .n_observations = 2 };
    orr_learned r = orr_machine_learn(&o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_YES);
    assert_true(r.n_states <= 4);
    check_learned(&r, &data, false);
    orr_learned_free(&r);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learn_agrees_with_going_through_all_machines),
        cmocka_unit_test(test_learn_finds_a_machine_by_its_suite),
        cmocka_unit_test(test_learn_finds_contradictions),
        cmocka_unit_test(test_learn_keeps_its_limits),
        cmocka_unit_test(test_finger_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
