// tests/unit/num/test_indices.c: Ishigami's function, whose indices are known, and lines.
#include "check.h"
#include "num/indices.h"
#include <stdlib.h>

static double ishigami(const double *u)
{
    const double pi = acos(-1), x = pi * (2 * u[0] - 1), y = pi * (2 * u[1] - 1), z = pi * (2 * u[2] - 1);
    return sin(x) + 7 * sin(y) * sin(y) + 0.1 * pow(z, 4) * sin(x);
}

static double line(const double *u) { return 5 + 2 * u[0] - 3 * u[1] + 0.5 * u[2]; }

static void test_indices_of_ishigamis_function(void **state)
{
    (void)state;
    enum { N = 4096, K = 3 };
    const double pi = acos(-1), a = 7, b = 0.1;
    // the variance and its parts, in closed form
    const double first = pow(1 + b * pow(pi, 4) / 5, 2) / 2, second = a * a / 8,
                 both = b * b * pow(pi, 8) * (1.0 / 18 - 1.0 / 50), all = first + second + both;
    const double firsts[] = { first / all, second / all, 0 },
                 totals[] = { (first + both) / all, second / all, both / all };
    double *u = calloc((K + 2) * N * K, sizeof *u), *y = calloc((K + 2) * N, sizeof *y);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Indices found[K];
        indices_sobol_design(u, N, K, seed);
        for (size_t i = 0; i < (K + 2) * N; i++) y[i] = ishigami(u + i * K);
        indices_sobol(y, N, K, seed, found);
        for (size_t i = 0; i < K; i++) {
            assert_near(found[i].first, firsts[i], 4 * found[i].first_error);
            assert_near(found[i].total, totals[i], 4 * found[i].total_error);
            assert_true(found[i].first_error < 0.03 && found[i].total_error < 0.04);
        }
    }
    free(u);
    free(y);
}

static void test_effects_of_a_line_are_its_slopes(void **state)
{
    (void)state;
    enum { N = 10, K = 3 };
    const double slopes[] = { 2, 3, 0.5 };
    double u[N * (K + 1) * K], y[N * (K + 1)], mean[K], deviation[K];
    indices_morris_design(u, N, K, 3);
    for (size_t i = 0; i < N * (K + 1); i++) {
        for (size_t k = 0; k < K; k++) assert_true(u[i * K + k] >= -1e-12 && u[i * K + k] <= 1 + 1e-12);
        y[i] = line(u + i * K);
    }
    indices_morris(u, y, N, K, mean, deviation);
    for (size_t k = 0; k < K; k++) {
        assert_near(mean[k], slopes[k], 1e-12);
        assert_near(deviation[k], 0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices_of_ishigamis_function),
        cmocka_unit_test(test_effects_of_a_line_are_its_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
