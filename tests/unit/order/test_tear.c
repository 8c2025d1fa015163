// tests/unit/order/test_tear.c: promises of tearing.
#include "check.h"
#include "order/tear.h"
#include "dice.h"

// Inner unknowns are solvable in their equations and read only what is known by then.
static void check_tearing(const TearProblem *p, const Tearing *t)
{
    const uint32_t n = p->rows.n_rows;
    bool known[16] = { 0 }, used[16] = { 0 };
    for (uint32_t k = 0; k < t->n_torn; k++) known[t->unknowns[k]] = true;
    for (uint32_t k = 0; k < n; k++) {
        assert_false(used[t->equations[k]]);
        used[t->equations[k]] = true;
        if (k < t->n_torn) continue;
        const uint32_t i = t->equations[k], j = t->unknowns[k];
        assert_false(known[j]);
        known[j] = true;
        bool is_solved = false;
        for (uint32_t e = p->rows.first[i]; e < p->rows.first[i + 1]; e++) {
            assert_true(known[p->rows.columns[e]]);
            is_solved = is_solved || (p->rows.columns[e] == j && p->is_solvable[e]);
        }
        assert_true(is_solved);
    }
    for (uint32_t j = 0; j < n; j++) assert_true(known[j]);
}

static void test_tear_computes_each_inner_unknown_from_known_ones(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint32_t n_inner = 0;
    for (int round = 0; round < 5000; round++) {
        Arena arena = { 0 };
        const uint32_t n = 2 + random_below(&seed, 14), density = 1 + random_below(&seed, 4);
        uint32_t first[17] = { 0 }, columns[256];
        bool solvable[256], wanted[16];
        for (uint32_t i = 0; i < n; i++) {
            first[i + 1] = first[i];
            wanted[i] = random_below(&seed, 4) == 0;
            for (uint32_t j = 0; j < n; j++) {
                if (j != i && random_below(&seed, n) >= density) continue;    // diagonal: can be matched
                solvable[first[i + 1]] = random_below(&seed, 3) != 0;
                columns[first[i + 1]++] = j;
            }
        }
        const TearProblem problem = {
            .rows = { .n_rows = n, .n_columns = n, .first = first, .columns = columns },
            .is_solvable = solvable,
            .is_wanted = wanted
        };
        const Tearing t = tear_choose(&problem, &arena);
        check_tearing(&problem, &t);
        n_inner += n - t.n_torn;
        arena_free(&arena);
    }
    assert_true(n_inner > 10000);
}

// x1 = f(xn), x2 = f(x1), …: one guess is enough, whichever it is.
static void test_tear_breaks_a_ring_once(void **state)
{
    (void)state;
    const uint32_t n = 200000;
    Arena arena = { 0 };
    uint32_t *first = ARENA_ARRAY(&arena, uint32_t, n + 1), *columns = ARENA_ARRAY(&arena, uint32_t, 2 * n);
    bool *solvable = ARENA_ARRAY(&arena, bool, 2 * n), *wanted = ARENA_ARRAY(&arena, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t before = i > 0 ? i - 1 : n - 1;
        columns[2 * i] = before < i ? before : i;
        columns[2 * i + 1] = before < i ? i : before;
        solvable[2 * i] = columns[2 * i] == i;
        solvable[2 * i + 1] = columns[2 * i + 1] == i;
        first[i + 1] = 2 * i + 2;
    }
    wanted[777] = true;
    const TearProblem problem = { .rows = { .n_rows = n, .n_columns = n, .first = first, .columns = columns },
                                  .is_solvable = solvable, .is_wanted = wanted };
    const Tearing t = tear_choose(&problem, &arena);
    assert_int_equal(t.n_torn, 1);
    assert_int_equal(t.unknowns[0], 777);
    arena_free(&arena);
}

// Each of n unknowns depends on one common one: that is torn, though it comes last.
static void test_tear_takes_the_unknown_that_occurs_most(void **state)
{
    (void)state;
    Arena arena = { 0 };
    enum { N = 6 };
    uint32_t first[N + 1] = { 0 }, columns[3 * N];
    bool solvable[3 * N];
    uint32_t k = 0;
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = 0; j < N; j++) {
            if (j != i && j != N - 1 && !(i == N - 1)) continue;
            solvable[k] = j == i && i != N - 1;
            columns[k++] = j;
        }
        first[i + 1] = k;
    }
    const TearProblem problem = { .rows = { .n_rows = N, .n_columns = N, .first = first, .columns = columns },
                                  .is_solvable = solvable };
    const Tearing t = tear_choose(&problem, &arena);
    check_tearing(&problem, &t);
    assert_int_equal(t.n_torn, 1);
    assert_int_equal(t.unknowns[0], N - 1);
    assert_int_equal(t.equations[0], N - 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tear_computes_each_inner_unknown_from_known_ones),
        cmocka_unit_test(test_tear_breaks_a_ring_once),
        cmocka_unit_test(test_tear_takes_the_unknown_that_occurs_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
