// tests/unit/num/test_design.c: designs fill their ranges evenly.
#include "check.h"
#include "num/design.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1024, FACTORS = DESIGN_SOBOL_MAX };

// Is each of the first n points in another of n equal parts, by each factor alone?
static void assert_each_part_once(const double *u, size_t n)
{
    for (size_t k = 0; k < FACTORS; k++) {
        bool seen[N] = { false };
        for (size_t i = 0; i < n; i++) {
            const double v = u[i * FACTORS + k];
            assert_true(v > 0 && v < 1);
            const size_t part = (size_t)(v * (double)n);
            assert_false(seen[part]);
            seen[part] = true;
        }
    }
}

static void test_design_latin_has_each_part_once(void **state)
{
    (void)state;
    static double u[N * FACTORS], other[N * FACTORS];
    design_latin(u, N, FACTORS, 1);
    assert_each_part_once(u, N);
    design_latin(other, N, FACTORS, 1);
    assert_memory_equal(u, other, sizeof u);
    design_latin(other, N, FACTORS, 2);
    assert_memory_not_equal(u, other, sizeof u);
}

static void test_design_sobol_fills_evenly_at_each_power_of_two(void **state)
{
    (void)state;
    static double u[N * FACTORS];
    design_sobol(u, N, FACTORS);
    for (size_t n = 2; n <= N; n *= 2) assert_each_part_once(u, n);
    // the first two dimensions together: 16 x 16 cells hold one of 256 points each
    bool seen[16][16] = { { false } };
    for (size_t i = 0; i < 256; i++) {
        bool *cell = &seen[(size_t)(16 * u[i * FACTORS])][(size_t)(16 * u[i * FACTORS + 1])];
        assert_false(*cell);
        *cell = true;
    }
}

// The mean of a product of the factors is known better than by chance, whose error is about 1/sqrt(N).
static void test_design_sobol_integrates(void **state)
{
    (void)state;
    static double u[N * FACTORS];
    double mean = 0;
    design_sobol(u, N, FACTORS);
    for (size_t i = 0; i < N; i++) {
        double product = 1;
        for (size_t k = 0; k < FACTORS; k++) product *= 1 + 0.5 * (u[i * FACTORS + k] - 0.5);
        mean += product / N;
    }
    assert_true(mean > 1 - 2e-3 && mean < 1 + 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design_latin_has_each_part_once),
        cmocka_unit_test(test_design_sobol_fills_evenly_at_each_power_of_two),
        cmocka_unit_test(test_design_sobol_integrates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
