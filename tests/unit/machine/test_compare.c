// tests/unit/machine/test_compare.c: equivalence of machines, and what can be reached.
#include "machines.h"

static void test_compare_finds_a_shortest_word(void **state)
{
    (void)state;
    Dice dice = { 2024 };
    int n_equivalent = 0, n_different = 0;
    for (int round = 0; round < 300; round++) {
        Arena arena = { 0 };
        const MachineKind kind = round % 2 ? MACHINE_MEALY : MACHINE_MOORE;
        const uint32_t n = 1 + dice_roll(&dice, 5), k = 1 + dice_roll(&dice, 2);
        Machine *a = random_machine(&arena, &dice, kind, n, k, 2);
        Machine *b = round % 3 ? blow_up(&arena, &dice, a, n + dice_roll(&dice, 5))
                               : random_machine(&arena, &dice, kind, n, k, 2);
        orr_machine *x = machine_wrap(a), *y = machine_wrap(b);
        const uint32_t p = dice_roll(&dice, n), q = dice_roll(&dice, b->n_states);
        orr_comparison c = orr_machine_compare(x, p, y, q, NULL);

        // both in one machine, compared pair by pair
        Machine *both = draft(&arena, kind, n + b->n_states, k, 2);
        for (size_t i = 0; i < (size_t)n * k; i++) next_of(both)[i] = a->next[i];
        for (size_t i = 0; i < (size_t)b->n_states * k; i++)
            next_of(both)[(size_t)n * k + i] = n + b->next[i];
        for (size_t i = 0; i < n_out(both); i++)
            out_of(both)[i] = i < n_out(a) ? a->out[i] : b->out[i - n_out(a)];
        const uint32_t *d = naive_distances(both, &arena), expected = d[p * both->n_states + n + q];
        assert_int_equal(c.are_equivalent, expected == MACHINE_NONE);
        if (!c.are_equivalent) {
            assert_int_equal(c.word.n, expected);
            assert_true(answers_differ(both, p, n + q, c.word));
            assert_int_equal(c.n_outputs, expected + (kind == MACHINE_MOORE));
            // they differ in the last output, and only there
            for (size_t i = 0; i < c.n_outputs; i++)
                assert_int_equal(c.outputs[0][i] == c.outputs[1][i], i + 1 < c.n_outputs);
        }
        n_equivalent += c.are_equivalent;
        n_different += !c.are_equivalent;
        orr_comparison_free(&c);

        // all states: each has an equivalent in the other, or is named
        c = orr_machine_compare(x, MACHINE_NONE, y, MACHINE_NONE, NULL);
        uint32_t n_alone[2] = { 0, 0 };
        for (uint32_t s = 0; s < both->n_states; s++) {
            const bool in_a = s < n;
            bool is_alone = true;
            for (uint32_t t = in_a ? n : 0; t < (in_a ? both->n_states : n); t++)
                is_alone &= d[s * both->n_states + t] != MACHINE_NONE;
            if (!is_alone) continue;
            assert_int_equal(c.alone[!in_a][n_alone[!in_a]++], in_a ? s : s - n);
        }
        assert_int_equal(c.n_alone[0], n_alone[0]);
        assert_int_equal(c.n_alone[1], n_alone[1]);
        assert_int_equal(c.are_equivalent, n_alone[0] + n_alone[1] == 0);
        if (c.has_word) {
            const uint32_t side = c.from[0] == MACHINE_NONE, s = side ? n + c.from[1] : c.from[0];
            for (uint32_t t = side ? 0 : n; t < (side ? n : both->n_states); t++)
                assert_true(answers_differ(both, s, t, c.word));
        }
        orr_comparison_free(&c);
        orr_machine_destroy(x);
        orr_machine_destroy(y);
        arena_free(&arena);
    }
    assert_true(n_equivalent > 20 && n_different > 100);
}

static void test_compare_matches_by_name(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Machine *a = baby(&arena), *b = baby(&arena);
    // the same baby with columns and outputs in another order
    static const char *const inputs[] = { "food", "toy" }, *const outputs[] = { "quiet", "cries" };
    static const uint32_t next[] = { 1, 0, 2, 2, 2, 3, 4, 4, 0, 0 }, out[] = { 1, 0, 1, 0, 0 };
    b->inputs = inputs;
    b->outputs = outputs;
    b->next = next;
    b->out = out;
    orr_machine *x = machine_wrap(a), *y = machine_wrap(b);
    orr_comparison c = orr_machine_compare(x, MACHINE_NONE, y, MACHINE_NONE, NULL);
    assert_true(c.are_equivalent);
    orr_comparison_free(&c);
    // wants to eat against wants to play: a toy tells, by the numbers of each
    c = orr_machine_compare(y, 0, x, 2, NULL);
    assert_false(c.are_equivalent);
    assert_int_equal(c.word.n, 1);
    assert_int_equal(c.outputs[0][0], 1);    // cries
    assert_int_equal(c.outputs[1][0], 0);
    orr_comparison_free(&c);
    orr_machine_destroy(x);
    orr_machine_destroy(y);
    arena_free(&arena);
}

static void test_compare_refuses_other_inputs(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Machine *b = baby(&arena);
    static const char *const inputs[] = { "toy", "foods" };
    b->inputs = inputs;
    orr_machine *x = machine_wrap(baby(&arena)), *y = machine_wrap(b);
    orr_diag *diag = orr_diag_create();
    orr_comparison c = orr_machine_compare(x, 0, y, 0, diag);
    assert_int_equal(c.status, ORR_STATUS_MODEL_ERROR);
    assert_string_equal(orr_diag_get(diag, 0).code, "E851");
    assert_contains(orr_diag_get(diag, 0).hint, "foods");
    orr_comparison_free(&c);
    orr_diag_destroy(diag);
    orr_machine_destroy(x);
    orr_machine_destroy(y);
    arena_free(&arena);
}

// A Moore machine against the Mealy machine that answers with the output of the state it goes to.
static void test_compare_takes_moore_with_mealy(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Dice dice = { 5 };
    for (int round = 0; round < 50; round++) {
        Machine *a = random_machine(&arena, &dice, MACHINE_MOORE, 6, 2, 2),
                *b = draft(&arena, MACHINE_MEALY, 6, 2, 2);
        memcpy(next_of(b), a->next, 12 * sizeof *a->next);
        for (size_t i = 0; i < 12; i++) out_of(b)[i] = a->out[a->next[i]];
        orr_machine *x = machine_wrap(a), *y = machine_wrap(b);
        orr_comparison c = orr_machine_compare(x, 3, y, 3, NULL);
        assert_true(c.are_equivalent);
        orr_comparison_free(&c);
        orr_machine_destroy(x);
        orr_machine_destroy(y);
    }
    arena_free(&arena);
}

// ---- reach

static void test_reach_agrees_with_closure(void **state)
{
    (void)state;
    Dice dice = { 31337 };
    for (int round = 0; round < 300; round++) {
        Arena arena = { 0 };
        const uint32_t n = 1 + dice_roll(&dice, 12), k = 1 + dice_roll(&dice, 2);
        Machine *m = random_machine(&arena, &dice, MACHINE_MOORE, n, k, 1);
        if (round % 2)    // loops, so that something is absorbing
            for (uint32_t s = 0; s < n; s++)
                for (uint32_t i = 0; i < k; i++)
                    if (dice_roll(&dice, 2)) next_of(m)[s * k + i] = s;
        // distances by Floyd and Warshall
        uint32_t d[12][12];
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++) d[p][q] = p == q ? 0 : 1000;
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t i = 0; i < k; i++)
                if (m->next[p * k + i] != p) d[p][m->next[p * k + i]] = 1;
        for (uint32_t r = 0; r < n; r++)
            for (uint32_t p = 0; p < n; p++)
                for (uint32_t q = 0; q < n; q++)
                    if (d[p][r] + d[r][q] < d[p][q]) d[p][q] = d[p][r] + d[r][q];

        orr_machine *x = machine_wrap(m);
        const uint32_t from = dice_roll(&dice, n);
        orr_reach r = orr_machine_reach(x, from);
        uint32_t n_unreachable = 0, n_absorbing = 0, n_transient = 0;
        for (uint32_t p = 0; p < n; p++) {
            const bool reached = d[from][p] < 1000;
            assert_int_equal(r.distance[p], reached ? d[from][p] : MACHINE_NONE);
            n_unreachable += !reached;
            if (reached && p != from) {
                assert_int_equal(m->next[r.came_from[p] * k + r.by_input[p]], p);
                assert_int_equal(r.distance[r.came_from[p]] + 1, r.distance[p]);
            }
            bool absorbs = true, transient = false;
            for (uint32_t q = 0; q < n; q++) {
                absorbs &= q == p || d[p][q] >= 1000;
                transient |= d[p][q] < 1000 && d[q][p] >= 1000;
                assert_int_equal(r.component[p] == r.component[q], d[p][q] < 1000 && d[q][p] < 1000);
                if (d[p][q] < 1000) assert_true(r.component[p] <= r.component[q]);
            }
            assert_int_equal(r.is_absorbing[p], absorbs);
            assert_int_equal(r.is_transient[p], transient);
            n_absorbing += absorbs;
            n_transient += transient;
        }
        assert_int_equal(r.n_unreachable, n_unreachable);
        assert_int_equal(r.n_absorbing, n_absorbing);
        assert_int_equal(r.n_transient, n_transient);
        orr_reach_free(&r);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
}

// A way as long as there are states: nothing may be recursive.
static void test_reach_goes_a_long_way(void **state)
{
    (void)state;
    Arena arena = { 0 };
    const uint32_t n = 300000;
    Machine *m = draft(&arena, MACHINE_MOORE, n, 1, 1);
    for (uint32_t s = 0; s < n; s++) next_of(m)[s] = s + 1 < n ? s + 1 : s;
    orr_machine *x = machine_wrap(m);
    orr_reach r = orr_machine_reach(x, 0);
    assert_int_equal(r.distance[n - 1], n - 1);
    assert_int_equal(r.n_components, n);
    assert_int_equal(r.n_absorbing, 1);
    assert_int_equal(r.n_transient, n - 1);
    orr_reach_free(&r);
    orr_machine_destroy(x);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare_finds_a_shortest_word),
        cmocka_unit_test(test_compare_matches_by_name),
        cmocka_unit_test(test_compare_refuses_other_inputs),
        cmocka_unit_test(test_compare_takes_moore_with_mealy),
        cmocka_unit_test(test_reach_agrees_with_closure),
        cmocka_unit_test(test_reach_goes_a_long_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
