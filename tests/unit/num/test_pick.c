// tests/unit/num/test_pick.c: columns picked to solve for: what was promised of M, rank, weights and
// patience.
#include "check.h"
#include "num/lu.h"
#include "num/pick.h"
#include <stdlib.h>

enum { SIZE_MOST = 12 };

static double any_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53 * 2 - 1;
}

// M = J_D⁻¹·J_free by another road: LU of the dependent columns.
static double largest_m(const Pick *pick, const uint32_t *slots, const double *weights)
{
    const size_t k = pick->n_rows, m = pick->n_columns;
    double d[SIZE_MOST * SIZE_MOST], b[SIZE_MOST];
    size_t dependents[SIZE_MOST], pivots[SIZE_MOST], n = 0;
    for (size_t j = 0; j < m; j++) {
        bool is_free = false;
        for (size_t s = 0; s < m - k; s++) is_free = is_free || slots[s] == j;
        if (!is_free) dependents[n++] = j;
    }
    assert_int_equal(n, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) d[i * k + j] = pick->matrix[i * m + dependents[j]];
    if (!lu_factor(d, k, pivots, NULL)) return INFINITY;
    double largest = 0;
    for (size_t s = 0; s < m - k; s++) {
        for (size_t i = 0; i < k; i++) b[i] = pick->matrix[i * m + slots[s]];
        lu_solve(d, k, pivots, b);
        for (size_t i = 0; i < k; i++) {
            const double w = weights ? weights[dependents[i]] / weights[slots[s]] : 1;
            largest = fmax(largest, fabs(b[i]) * w);
        }
    }
    return largest;
}

static double *scratch_for(const Pick *pick)
{
    return malloc(PICK_SCRATCH(pick->n_rows, pick->n_columns) * sizeof(double));
}

static void test_pick_leaves_nothing_worth_exchanging(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 3000; trial++) {
        const size_t m = 2 + (size_t)trial % (SIZE_MOST - 1), k = 1 + (size_t)(trial / 7) % (m - 1);
        double matrix[SIZE_MOST * SIZE_MOST], weights[SIZE_MOST];
        uint32_t slots[SIZE_MOST];
        for (size_t i = 0; i < k * m; i++) {
            const double x = any_number(&seed);
            matrix[i] = trial % 3 == 0 && fabs(x) < 0.4 ? 0 : x * exp(3 * any_number(&seed));
        }
        for (size_t j = 0; j < m; j++) weights[j] = exp(any_number(&seed));
        for (size_t s = 0; s < m - k; s++) slots[s] = (uint32_t)s;
        const Pick pick = { k, m, matrix, trial % 2 ? weights : NULL };
        double *scratch = scratch_for(&pick);
        if (pick_improve(&pick, slots, 1, scratch, NULL, NULL))
            assert_true(largest_m(&pick, slots, pick.weights) <= 1.0501);
        else assert_int_equal(trial % 3, 0);    // only where entries are zero
        free(scratch);
    }
}

static void test_pick_waits_until_it_is_worth_it(void **state)
{
    (void)state;
    // the circle: of (x, y) = (sin a, cos a) the larger one is computed
    for (int degree = 0; degree < 360; degree++) {
        const double a = degree * 0.017453292519943295, matrix[2] = { sin(a), cos(a) };
        const Pick pick = { 1, 2, matrix, NULL };
        double *scratch = scratch_for(&pick);
        uint32_t slots[1] = { 0 };
        bool changed;
        assert_true(pick_improve(&pick, slots, 3, scratch, &changed, NULL));
        const bool must = fabs(matrix[0]) > 3 * fabs(matrix[1]);
        assert_int_equal(changed, must);
        assert_int_equal(slots[0], must);
        free(scratch);
    }
}

static void test_pick_prefers_by_weight(void **state)
{
    (void)state;
    const double matrix[2] = { 2, 1 }, weights[2] = { 5, 1 };
    const Pick plain = { 1, 2, matrix, NULL }, weighed = { 1, 2, matrix, weights };
    double *scratch = scratch_for(&plain);
    uint32_t slots[1] = { 0 };
    assert_true(pick_improve(&plain, slots, 1, scratch, NULL, NULL));
    assert_int_equal(slots[0], 1);
    assert_true(pick_improve(&weighed, slots, 1, scratch, NULL, NULL));
    assert_int_equal(slots[0], 0);
    free(scratch);
}

static void test_pick_recognises_dependent_rows(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        const size_t m = 6, k = 3;
        double matrix[18];
        for (size_t i = 0; i < 12; i++) matrix[i] = any_number(&seed);
        const double p = any_number(&seed), q = any_number(&seed);
        for (size_t j = 0; j < m; j++) matrix[12 + j] = p * matrix[j] + q * matrix[6 + j];
        const Pick pick = { k, m, matrix, NULL };
        double *scratch = scratch_for(&pick);
        uint32_t slots[3] = { 0, 2, 4 };
        size_t row = 99;
        assert_false(pick_improve(&pick, slots, 1, scratch, NULL, &row));
        assert_true(row < k);
        free(scratch);
    }
}

static void test_pick_keeps_columns_in_their_places(void **state)
{
    (void)state;
    // two circles side by side: only the second one changes
    const double matrix[8] = { 0.1, 1, 0, 0, 0, 0, 1, 0.01 };
    const Pick pick = { 2, 4, matrix, NULL };
    double *scratch = scratch_for(&pick);
    uint32_t slots[2] = { 2, 0 };
    bool changed;
    assert_true(pick_improve(&pick, slots, 2, scratch, &changed, NULL));
    assert_true(changed);
    assert_int_equal(slots[0], 3);
    assert_int_equal(slots[1], 0);
    // what had been singular is repaired as well
    slots[0] = 1;
    slots[1] = 0;
    assert_true(pick_improve(&pick, slots, 2, scratch, &changed, NULL));
    assert_true(changed);
    assert_true((slots[0] == 3 && slots[1] == 0) || (slots[0] == 0 && slots[1] == 3));
    free(scratch);
}

static void test_pick_refuses_what_is_not_finite(void **state)
{
    (void)state;
    const double matrix[2] = { NAN, NAN };
    const Pick pick = { 1, 2, matrix, NULL };
    double *scratch = scratch_for(&pick);
    uint32_t slots[1] = { 0 };
    assert_false(pick_improve(&pick, slots, 1, scratch, NULL, NULL));
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pick_leaves_nothing_worth_exchanging),
        cmocka_unit_test(test_pick_waits_until_it_is_worth_it),
        cmocka_unit_test(test_pick_prefers_by_weight),
        cmocka_unit_test(test_pick_recognises_dependent_rows),
        cmocka_unit_test(test_pick_keeps_columns_in_their_places),
        cmocka_unit_test(test_pick_refuses_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
