// tests/unit/num/test_compare.c: intervals cover and selections are right as often as they say, with common
// random numbers and without. Short here: 400 studies; with ORRERY_LONG 2,000.
#include "check.h"
#include "num/compare.h"
#include "num/random.h"
#include <math.h>
#include <stdlib.h>

enum { SYSTEMS = 5, REPLICATIONS = 15, MOST = 4000 };

static size_t n_studies(void) { return getenv("ORRERY_LONG") ? 2000 : 400; }

// 3 standard errors below 0.95
static double least(size_t n) { return 0.95 - 3 * sqrt(0.95 * 0.05 / (double)n); }

// Normal values around means; part of the variance is common to all systems.
static double draw(size_t study, size_t replication, size_t system, double mean, double common)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    RandomStream own = random_stream(study + 1, replication, names[system]),
                 all = random_stream(study + 1, replication, "all");
    return mean + sqrt(1 - common) * random_normal(&own, 0, 1) + sqrt(common) * random_normal(&all, 0, 1);
}

static void count_covered(double common, double *paired, double *best)
{
    static const double means[SYSTEMS] = { 0, 0.5, 0.4, -1, 0.5 };
    size_t n_paired = 0, n_best = 0;
    for (size_t study = 0; study < n_studies(); study++) {
        double values[SYSTEMS][REPLICATIONS], low[SYSTEMS], high[SYSTEMS];
        const double *y[SYSTEMS];
        for (size_t k = 0; k < SYSTEMS; k++) {
            y[k] = values[k];
            for (size_t r = 0; r < REPLICATIONS; r++) values[k][r] = draw(study, r, k, means[k], common);
        }
        const Interval d = compare_paired(y[1], y[0], REPLICATIONS, 0.95);
        n_paired += fabs(d.mean - 0.5) <= d.half;
        compare_best(y, SYSTEMS, REPLICATIONS, 0.95, 1, low, high);
        bool all = true;
        for (size_t k = 0; k < SYSTEMS; k++) {
            double others = -INFINITY;
            for (size_t l = 0; l < SYSTEMS; l++)
                if (l != k) others = fmax(others, means[l]);
            const double better = means[k] - others;
            all &= low[k] <= better && better <= high[k];
        }
        n_best += all;
    }
    *paired = (double)n_paired / (double)n_studies();
    *best = (double)n_best / (double)n_studies();
}

static void test_intervals_cover(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double paired, best;
        count_covered(i ? 0.7 : 0, &paired, &best);
        assert_true(paired >= least(n_studies()));
        assert_true(paired <= 1 - 0.2 * 0.05);    // not by being far too wide
        assert_true(best >= least(n_studies()));
    }
}

// One is better than all others by delta: the hardest case.
static size_t count_right(double common, double sign)
{
    size_t n_right = 0;
    for (size_t study = 0; study < n_studies(); study++) {
        static double values[SYSTEMS][MOST];
        double variances[SYSTEMS * SYSTEMS], sums[SYSTEMS] = { 0 };
        bool is_in[SYSTEMS], is_done = false;
        const double *y[SYSTEMS];
        Selection s = { .k = SYSTEMS, .n_first = 10, .delta = 0.5, .sign = sign, .variances = variances,
                        .is_in = is_in };
        for (size_t k = 0; k < SYSTEMS; k++) y[k] = values[k];
        for (size_t r = 1; r <= MOST && !is_done; r++) {
            for (size_t k = 0; k < SYSTEMS; k++) {
                values[k][r - 1] = draw(study, r, k, k == 2 ? sign * 0.5 : 0, common);
                sums[k] += values[k][r - 1];
            }
            if (r == s.n_first) select_begin(&s, y, 0.95);
            if (r >= s.n_first) is_done = select_look(&s, sums, r);
        }
        assert_true(is_done);
        n_right += is_in[2];
    }
    return n_right;
}

static void test_selection_is_right(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const size_t n = count_right(i ? 0.7 : 0, i ? -1 : 1);
        assert_true((double)n / (double)n_studies() >= least(n_studies()));
    }
}

// By hand: differences 1, 2, 3 have the mean 2 and the variance 1; t of 2 degrees at 0.975 is 4.302653.
static void test_paired_by_hand(void **state)
{
    (void)state;
    const Interval d = compare_paired((double[]){ 2, 4, 6 }, (double[]){ 1, 2, 3 }, 3, 0.95);
    assert_near(d.mean, 2, 1e-15);
    assert_near(d.half, 4.302652729911275 / sqrt(3), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_intervals_cover),
                                        cmocka_unit_test(test_selection_is_right),
                                        cmocka_unit_test(test_paired_by_hand) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
