// tests/unit/machine/test_minimise.c: classes of equivalent states, against comparing all pairs; shortest
// words.
#include "machines.h"

static void check_against_naive(const Machine *m, Arena *arena)
{
    Joint joint;
    assert_true(joint_make(&joint, &m, 1, arena, NULL));
    const Classes classes = classes_find(&joint, arena);
    const uint32_t *d = naive_distances(m, arena), n = m->n_states;
    Pairs pairs;
    pairs_init(&pairs, &joint, arena);
    uint32_t n_first = 0;
    for (uint32_t p = 0; p < n; p++) {
        if (classes.of[p] == n_first) n_first++;
        assert_true(classes.of[p] < n_first);    // numbered in the order of first states
        for (uint32_t q = 0; q < n; q++) {
            assert_int_equal(classes.of[p] == classes.of[q], d[p * n + q] == MACHINE_NONE);
            orr_word word;
            const bool differ = pairs_separate(&pairs, p, q, &word, arena);
            assert_int_equal(differ, d[p * n + q] != MACHINE_NONE);
            if (!differ) continue;
            assert_int_equal(word.n, d[p * n + q]);
            assert_true(answers_differ(m, p, q, word));
        }
    }
    assert_int_equal(classes.n, n_first);
}

static void test_minimise_agrees_with_comparing_all_pairs(void **state)
{
    (void)state;
    Dice dice = { 88172645463325252u };
    for (int round = 0; round < 400; round++) {
        Arena arena = { 0 };
        const MachineKind kind = round % 2 ? MACHINE_MEALY : MACHINE_MOORE;
        const uint32_t n = 1 + dice_roll(&dice, 12);
        const Machine *m = random_machine(&arena, &dice, kind, n, 1 + dice_roll(&dice, 3),
                                          1 + dice_roll(&dice, 3));
        if (round % 3 == 0) m = blow_up(&arena, &dice, m, n + dice_roll(&dice, 20));
        check_against_naive(m, &arena);
        arena_free(&arena);
    }
}

// A chain needs as many rounds of refinement as it has states: Hopcroft's part does it. On `i1` back to the
// start.
static Machine *chain(Arena *arena, uint32_t n)
{
    Machine *m = draft(arena, MACHINE_MOORE, n, 2, 2);
    for (uint32_t s = 0; s < n; s++) next_of(m)[2 * s] = s + 1 < n ? s + 1 : s;
    out_of(m)[n - 1] = 1;
    return m;
}

static void test_minimise_agrees_on_chains_and_trees(void **state)
{
    (void)state;
    Dice dice = { 12345 };
    for (uint32_t n = 1; n < 40; n++) {
        Arena arena = { 0 };
        check_against_naive(chain(&arena, n), &arena);
        check_against_naive(blow_up(&arena, &dice, chain(&arena, n), 2 * n + 3), &arena);
        Machine *tree = chain(&arena, n);
        for (uint32_t s = 0; s < n; s++) {
            next_of(tree)[2 * s] = s / 2;
            next_of(tree)[2 * s + 1] = s % 3 ? s : s / 3;
        }
        check_against_naive(tree, &arena);
        arena_free(&arena);
    }
}

static void test_minimise_finds_the_states_of_a_large_machine_again(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Dice dice = { 99 };
    Machine *m = chain(&arena, 20000);
    Joint joint;
    Machine *big = blow_up(&arena, &dice, m, 100000);
    const Machine *list = big;
    assert_true(joint_make(&joint, &list, 1, &arena, NULL));
    assert_int_equal(classes_find(&joint, &arena).n, 20000);
    arena_free(&arena);
}

static void test_minimise_keeps_behaviour_and_names(void **state)
{
    (void)state;
    Dice dice = { 4711 };
    for (int round = 0; round < 100; round++) {
        Arena arena = { 0 };
        Machine *m = random_machine(&arena, &dice, round % 2 ? MACHINE_MEALY : MACHINE_MOORE,
                                    1 + dice_roll(&dice, 6), 2, 2);
        m = blow_up(&arena, &dice, m, m->n_states + dice_roll(&dice, 10));
        m->start = dice_roll(&dice, m->n_states);
        orr_machine *given = machine_wrap(m);
        uint32_t *of = ARENA_ARRAY(&arena, uint32_t, m->n_states);
        orr_machine *small = orr_machine_minimise(given, round % 4 < 2, of, NULL);
        assert_null(machine_verify(&arena, small->machine));
        for (uint32_t s = 0; s < m->n_states; s++) {
            if (of[s] == MACHINE_NONE) continue;
            orr_comparison c = orr_machine_compare(given, s, small, of[s], NULL);
            assert_true(c.are_equivalent);
            orr_comparison_free(&c);
        }
        assert_int_equal(orr_machine_start(small), of[m->start]);
        // and again: nothing is left to merge
        orr_machine *again = orr_machine_minimise(small, false, NULL, NULL);
        assert_int_equal(again->machine->n_states, small->machine->n_states);
        orr_machine_destroy(again);
        orr_machine_destroy(small);
        orr_machine_destroy(given);
        arena_free(&arena);
    }
}

static void test_minimise_leaves_out_what_cannot_be_reached(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Machine *m = chain(&arena, 6);
    next_of(m)[2 * 2] = 1;    // 0 1 2 and back: the rest is never seen
    orr_machine *given = machine_wrap(m);
    orr_machine *all = orr_machine_minimise(given, false, NULL, NULL),
                *some = orr_machine_minimise(given, true, NULL, NULL);
    assert_int_equal(all->machine->n_states,
                     4);    // 0, 1 and 2 only ever answer o0; 3, 4, 5 are on their way
    assert_int_equal(some->machine->n_states, 1);
    orr_machine_destroy(all);
    orr_machine_destroy(some);
    orr_machine_destroy(given);
    arena_free(&arena);
}

static void test_baby_has_no_equivalent_states(void **state)
{
    (void)state;
    Arena arena = { 0 };
    orr_machine *given = machine_wrap(baby(&arena)), *small = orr_machine_minimise(given, false, NULL, NULL);
    assert_int_equal(small->machine->n_states, 5);
    assert_string_equal(small->machine->states[2], "wants to play");
    orr_machine_destroy(small);
    orr_machine_destroy(given);
    arena_free(&arena);
}

static void test_moves_by_chance_are_refused(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Machine *m = draft(&arena, MACHINE_MOORE, 2, 1, 2);
    static const uint32_t first[] = { 0, 2, 2 }, to[] = { 0, 1 };
    static const double p[] = { 0.5, 0.5 };
    next_of(m)[0] = MACHINE_NONE;
    m->branch_first = first;
    m->branch_next = to;
    m->branch_probability = p;
    orr_machine *given = machine_wrap(m);
    orr_diag *diag = orr_diag_create();
    assert_null(orr_machine_minimise(given, false, NULL, diag));
    assert_int_equal(orr_diag_errors(diag), 1);
    assert_string_equal(orr_diag_get(diag, 0).code, "E850");
    orr_diag_destroy(diag);
    orr_machine_destroy(given);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimise_agrees_with_comparing_all_pairs),
        cmocka_unit_test(test_minimise_agrees_on_chains_and_trees),
        cmocka_unit_test(test_minimise_finds_the_states_of_a_large_machine_again),
        cmocka_unit_test(test_minimise_keeps_behaviour_and_names),
        cmocka_unit_test(test_minimise_leaves_out_what_cannot_be_reached),
        cmocka_unit_test(test_baby_has_no_equivalent_states),
        cmocka_unit_test(test_moves_by_chance_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
