// tests/unit/num/test_lu.c: solving, singular matrices and the condition estimate.
#include "check.h"
#include "num/lu.h"
#include <float.h>
#include <stdlib.h>

enum { N_MAX = 40 };

static double random_unit(uint64_t *state)    // in [-1, 1)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-63;
}

static void random_matrix(double *a, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n * n; i++) a[i] = random_unit(seed);
}

static void test_lu_solves_random_systems(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 300; round++) {
        const size_t n = 1 + (size_t)round % N_MAX;
        double a[N_MAX * N_MAX], lu[N_MAX * N_MAX], x[N_MAX], y[N_MAX], b[N_MAX], c[N_MAX];
        size_t pivots[N_MAX];
        random_matrix(a, n, &seed);
        for (size_t i = 0; i < n; i++) b[i] = random_unit(&seed);
        memcpy(lu, a, sizeof a);
        assert_true(lu_factor(lu, n, pivots, NULL));
        memcpy(x, b, sizeof x);
        lu_solve(lu, n, pivots, x);
        memcpy(y, b, sizeof y);
        lu_solve_transposed(lu, n, pivots, y);

        // residuals relative to the sizes of the terms: what partial pivoting promises
        for (size_t i = 0; i < n; i++) {
            double ax = 0, aty = 0, size = fabs(b[i]), size_transposed = fabs(b[i]);
            for (size_t j = 0; j < n; j++) {
                ax += a[i * n + j] * x[j];
                size += fabs(a[i * n + j] * x[j]);
                aty += a[j * n + i] * y[j];
                size_transposed += fabs(a[j * n + i] * y[j]);
            }
            c[i] = ax;
            assert_near(c[i], b[i], 1e-13 * size);
            assert_near(aty, b[i], 1e-13 * size_transposed);
        }
    }
}

static void test_lu_swaps_rows_when_it_must(void **state)
{
    (void)state;
    double a[] = { 0, 2, 0, 0, 0, 3, 4, 0, 0 }, x[] = { 2, 6, 12 };
    size_t pivots[3];
    assert_true(lu_factor(a, 3, pivots, NULL));
    lu_solve(a, 3, pivots, x);
    assert_same_bits(x[0], 3.0);
    assert_same_bits(x[1], 1.0);
    assert_same_bits(x[2], 2.0);
    // without pivoting the small corner would swallow the answer
    double b[] = { 1e-20, 1, 1, 1 }, y[] = { 1, 2 };
    assert_true(lu_factor(b, 2, pivots, NULL));
    lu_solve(b, 2, pivots, y);
    assert_near(y[0], 1, 1e-15);
    assert_near(y[1], 1, 1e-15);
}

static void test_lu_refuses_singular_matrices(void **state)
{
    (void)state;
    size_t pivots[3], column = 99;
    double dependent[] = { 1, 2, 3, 2, 4, 7, 1, 2, 5 };
    assert_false(lu_factor(dependent, 3, pivots, &column));
    assert_int_equal(column, 1);
    double zero[] = { 0 };
    assert_false(lu_factor(zero, 1, pivots, &column));
    assert_int_equal(column, 0);
    double broken[] = { 1, 0, NAN, 1 };
    assert_false(lu_factor(broken, 2, pivots, &column));
    assert_int_equal(column, 0);
    double hidden[] = { 1, NAN, 0, 1 };
    assert_true(lu_factor(hidden, 2, pivots, &column));    // not in a pivot column: the solution is NaN
    double spoilt[] = { 1, 2, 1, INFINITY };
    assert_false(lu_factor(spoilt, 2, pivots, &column));
    assert_int_equal(column, 1);
}

static double reciprocal_condition(const double *a, size_t n)
{
    double lu[N_MAX * N_MAX], scratch[2 * N_MAX];
    size_t pivots[N_MAX];
    memcpy(lu, a, n * n * sizeof *a);
    assert_true(lu_factor(lu, n, pivots, NULL));
    return lu_reciprocal_condition(lu, n, pivots, lu_norm(a, n), scratch);
}

static void test_lu_condition_of_known_matrices(void **state)
{
    (void)state;
    double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    assert_same_bits(reciprocal_condition(identity, 3), 1.0);
    assert_near_relative(reciprocal_condition((double[]){ 5 }, 1), 1.0, 1e-15);
    assert_near_relative(reciprocal_condition((double[]){ 1, 0, 0, 1e-6 }, 2), 1e-6, 1e-12);
    // Hilbert matrices: column-sum condition numbers as published
    const struct {
        size_t n;
        double condition;
    } hilbert[] = { { 3, 748 }, { 4, 28375 }, { 5, 943656 }, { 6, 29070279 } };
    for (size_t k = 0; k < 4; k++) {
        const size_t n = hilbert[k].n;
        double a[36];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) a[i * n + j] = 1.0 / (double)(i + j + 1);
        assert_near_relative(reciprocal_condition(a, n), 1 / hilbert[k].condition, 1e-6);
    }
}

static void test_lu_condition_is_estimated_from_the_right_side(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int far = 0;
    for (int round = 0; round < 400; round++) {
        const size_t n = 2 + (size_t)round % 20;
        double a[N_MAX * N_MAX], lu[N_MAX * N_MAX], inverse[N_MAX * N_MAX] = { 0 };
        size_t pivots[N_MAX];
        random_matrix(a, n, &seed);
        // nearly singular now and then
        if (round % 3 == 0)
            for (size_t j = 0; j < n; j++) a[j] = a[n + j] * (1 + 1e-7 * random_unit(&seed));
        memcpy(lu, a, sizeof a);
        assert_true(lu_factor(lu, n, pivots, NULL));
        for (size_t j = 0; j < n; j++) {
            double x[N_MAX] = { 0 };
            x[j] = 1;
            lu_solve(lu, n, pivots, x);
            for (size_t i = 0; i < n; i++) inverse[i * n + j] = x[i];
        }
        const double exact = 1 / (lu_norm(a, n) * lu_norm(inverse, n)), estimate = reciprocal_condition(a, n);
        assert_true(estimate >= exact * (1 - 1e-9));
        assert_true(estimate <= exact * 10);
        far += estimate > exact * 1.5;
    }
    assert_true(far < 20);
}

static void test_lu_of_nothing(void **state)
{
    (void)state;
    assert_true(lu_factor(NULL, 0, NULL, NULL));
    lu_solve(NULL, 0, NULL, NULL);
    assert_same_bits(lu_reciprocal_condition(NULL, 0, NULL, 0, NULL), 1.0);
    assert_true(isnan(lu_norm((double[]){ 1, NAN, 1, 2 }, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu_solves_random_systems),
        cmocka_unit_test(test_lu_swaps_rows_when_it_must),
        cmocka_unit_test(test_lu_refuses_singular_matrices),
        cmocka_unit_test(test_lu_condition_of_known_matrices),
        cmocka_unit_test(test_lu_condition_is_estimated_from_the_right_side),
        cmocka_unit_test(test_lu_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
