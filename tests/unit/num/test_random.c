// tests/unit/num/test_random.c: streams are independent of everything but their names, and every distribution
// is the one it claims to be.
//
// The generator is deterministic, so these tests never fail by chance: each statistic was compared with its
// distribution once and for all. Their levels (1e-3) are such that a wrong formula fails by far.
#include "check.h"
#include "num/random.h"
#include <stdlib.h>

enum { N = 100000 };

// ---- Streams

// The published test vector: key and counter all zero.
static void test_random_words_are_those_of_threefry(void **state)
{
    (void)state;
    RandomStream zero = { 0 };
    assert_same_bits(random_unit(&zero), ((double)(0x09218ebde6c85537u >> 12) + 0.5) * 0x1p-52);
    assert_int_equal(zero.n_draws, 1);
}

static void test_random_draw_n_depends_on_the_key_and_n_alone(void **state)
{
    (void)state;
    RandomStream plain = random_stream(7, 3, "shop.cpu[2]");
    RandomStream mixed = plain;
    RandomStream other = random_stream(7, 3, "shop.cpu[1]");
    for (int i = 0; i < 100; i++) {
        const double expected = random_unit(&plain);
        random_unit(&other);                             // another stream is none of ours
        if (i % 4 == 1) random_gamma(&mixed, 0.3, 1);    // rejects now and then
        else if (i % 4 == 2) random_poisson(&mixed, 100);
        else if (i % 4 == 3) random_normal(&mixed, 0, -1);    // even a refused draw counts
        else assert_same_bits(random_unit(&mixed), expected);
        assert_int_equal(mixed.n_draws, plain.n_draws);
    }
    // a copy goes on as the original does: what a checkpoint needs
    RandomStream copy = plain;
    assert_same_bits(random_unit(&copy), random_unit(&plain));
}

static double correlation(RandomStream a, RandomStream b)
{
    double ab = 0;
    for (int i = 0; i < N; i++) ab += (random_unit(&a) - 0.5) * (random_unit(&b) - 0.5);
    return 12 * ab / N;
}

static void test_random_streams_are_uncorrelated(void **state)
{
    (void)state;
    const RandomStream a = random_stream(1, 0, "a");
    const double limit = 3.3 / sqrt(N);
    assert_near(correlation(a, a), 1, 0.02);
    assert_near(correlation(a, random_stream(1, 0, "b")), 0, limit);
    assert_near(correlation(a, random_stream(1, 1, "a")), 0, limit);
    assert_near(correlation(a, random_stream(2, 0, "a")), 0, limit);
    RandomStream later = a;
    later.n_draws = 1;
    assert_near(correlation(a, later), 0, limit);
}

// The same bits on every machine and with every compiler: uniforms are whole numbers, and these are the
// elementary functions that must not change with the processor.
static void test_random_bits_are_pinned(void **state)
{
    (void)state;
    RandomStream s = random_stream(42, 1, "pin");
    uint64_t sum = 0;
    for (int i = 0; i < 20000; i++) {
        double draw = 0;
        switch (i % 9) {
        case 0: draw = random_normal(&s, 1, 2); break;
        case 1: draw = random_lognormal(&s, 0, 0.5); break;
        case 2: draw = random_exponential(&s, 2); break;
        case 3: draw = random_gamma(&s, 0.7, 1); break;
        case 4: draw = random_gamma(&s, 3.5, 2); break;
        case 5: draw = random_weibull(&s, 1.5, 2); break;
        case 6: draw = random_triangular(&s, 0, 1, 4); break;
        case 7: draw = random_poisson(&s, 3); break;
        default: draw = random_poisson(&s, 55); break;
        }
        uint64_t word;
        memcpy(&word, &draw, sizeof word);
        sum = (sum ^ word) * 0x100000001b3u;
    }
    assert_int_equal(sum, 0xedfb294059db6deau);
}

// ---- Distributions

typedef double (*Draw)(RandomStream *stream, const double *p);
typedef double (*Cdf)(double x, const double *p);

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Kolmogorov–Smirnov, for two seeds; sqrt(n)·D exceeds 1.95 with probability 1e-3.
static void follows(const char *name, Draw draw, Cdf cdf, const double *p)
{
    static double x[N];
    for (uint64_t seed = 1; seed <= 2; seed++) {
        RandomStream s = random_stream(seed, 0, name);
        for (int i = 0; i < N; i++) x[i] = draw(&s, p);
        qsort(x, N, sizeof *x, by_value);
        double worst = 0;
        for (int i = 0; i < N; i++) {
            const double f = cdf(x[i], p);
            worst = fmax(worst, fmax(f - (double)i / N, (double)(i + 1) / N - f));
        }
        if (!(worst * sqrt(N) < 1.95)) print_error("%s: D = %g\n", name, worst);
        assert_true(worst * sqrt(N) < 1.95);
    }
}

// Chi-square of counts against probabilities; the statistic is compared with its 0.999 quantile
// (Wilson–Hilferty). Cells that expect fewer than 5 are put together.
static void counts_follow(const char *name, const double *counts, const double *probability, int n)
{
    double statistic = 0, rest_count = 0, rest_expected = 0;
    int cells = 0;
    for (int i = 0; i < n; i++) {
        const double expected = probability[i] * N;
        if (expected < 5) {
            rest_count += counts[i];
            rest_expected += expected;
        } else {
            statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
            cells++;
        }
    }
    if (rest_expected > 1) {
        statistic += (rest_count - rest_expected) * (rest_count - rest_expected) / rest_expected;
        cells++;
    } else assert_true(rest_count <= 8);
    const double k = cells - 1;
    const double root = 1 - 2 / (9 * k) + 3.09 * sqrt(2 / (9 * k));
    if (!(statistic < k * root * root * root)) print_error("%s: chi-square %g, %g\n", name, statistic, k);
    assert_true(statistic < k * root * root * root);
}

static double uniform(RandomStream *s, const double *p) { return random_uniform(s, p[0], p[1]); }
static double uniform_cdf(double x, const double *p) { return (x - p[0]) / (p[1] - p[0]); }
static double normal(RandomStream *s, const double *p) { return random_normal(s, p[0], p[1]); }
static double normal_cdf(double x, const double *p) { return erfc((p[0] - x) / p[1] / sqrt(2)) / 2; }
static double lognormal(RandomStream *s, const double *p) { return random_lognormal(s, p[0], p[1]); }
static double lognormal_cdf(double x, const double *p) { return normal_cdf(log(x), p); }
static double exponential(RandomStream *s, const double *p) { return random_exponential(s, p[0]); }
static double exponential_cdf(double x, const double *p) { return -expm1(-x / p[0]); }
static double weibull(RandomStream *s, const double *p) { return random_weibull(s, p[0], p[1]); }
static double weibull_cdf(double x, const double *p) { return -expm1(-pow(x / p[1], p[0])); }
static double triangular(RandomStream *s, const double *p) { return random_triangular(s, p[0], p[1], p[2]); }
static double triangular_cdf(double x, const double *p)
{
    if (x < p[1]) return (x - p[0]) * (x - p[0]) / (p[2] - p[0]) / (p[1] - p[0]);
    return 1 - (p[2] - x) * (p[2] - x) / (p[2] - p[0]) / (p[2] - p[1]);
}
static double gamma_draw(RandomStream *s, const double *p) { return random_gamma(s, p[0], p[1]); }
// The regularised incomplete gamma function by its series, which converges everywhere.
static double gamma_cdf(double x, const double *p)
{
    const double z = x / p[1];
    double term = exp(p[0] * log(z) - z - lgamma(p[0] + 1));
    double sum = 0;
    for (int i = 1; term > 1e-17 * sum || i < z; i++) {
        sum += term;
        term *= z / (p[0] + i);
    }
    return sum;
}
static const double measured[] = { -3, 0, 0.5, 2, 7 };
static double empirical(RandomStream *s, const double *p)
{
    (void)p;
    return random_empirical(s, measured, 5);
}
static double empirical_cdf(double x, const double *p)
{
    (void)p;
    for (int i = 0; i < 4; i++)
        if (x <= measured[i + 1]) return (i + (x - measured[i]) / (measured[i + 1] - measured[i])) / 4;
    return 1;
}

static void test_random_continuous_distributions_follow_their_functions(void **state)
{
    (void)state;
    follows("uniform", uniform, uniform_cdf, (double[]){ -2, 5 });
    follows("normal", normal, normal_cdf, (double[]){ 3, 0.5 });
    follows("lognormal", lognormal, lognormal_cdf, (double[]){ 0.2, 0.8 });
    follows("exponential", exponential, exponential_cdf, (double[]){ 2.5 });
    follows("weibull 0.7", weibull, weibull_cdf, (double[]){ 0.7, 2 });
    follows("weibull 3", weibull, weibull_cdf, (double[]){ 3, 0.1 });
    follows("triangular", triangular, triangular_cdf, (double[]){ -1, 0.5, 4 });
    follows("triangular, right angle", triangular, triangular_cdf, (double[]){ 0, 3, 3.0001 });
    follows("gamma 0.2", gamma_draw, gamma_cdf, (double[]){ 0.2, 3 });
    follows("gamma 1", gamma_draw, gamma_cdf, (double[]){ 1, 0.5 });
    follows("gamma 4.5", gamma_draw, gamma_cdf, (double[]){ 4.5, 2 });
    follows("gamma 200", gamma_draw, gamma_cdf, (double[]){ 200, 1 });
    follows("empirical", empirical, empirical_cdf, NULL);
}

static void poisson_follows(double mean)
{
    enum { CELLS = 2000 };
    static double counts[CELLS], probability[CELLS];
    memset(counts, 0, sizeof counts);
    RandomStream s = random_stream(5, 0, "poisson");
    for (int i = 0; i < N; i++) {
        const double k = random_poisson(&s, mean);
        assert_true(k >= 0 && k < CELLS && k == floor(k));
        counts[(int)k]++;
    }
    for (int k = 0; k < CELLS; k++) probability[k] = exp(k * log(mean) - mean - lgamma(k + 1.0));
    counts_follow("poisson", counts, probability, CELLS);
}

static void test_random_whole_numbers_follow_their_probabilities(void **state)
{
    (void)state;
    poisson_follows(0.3);
    poisson_follows(9.9);
    poisson_follows(10);    // here the method changes
    poisson_follows(47.5);
    poisson_follows(1000);

    RandomStream s = random_stream(5, 0, "discrete");
    double weights[] = { 0, 1, 4, 0, 0, 2.5, 2.5, 0 };
    double probability[8], counts[8] = { 0 }, even[7], below[7] = { 0 };
    for (int i = 0; i < 8; i++) probability[i] = weights[i] / 10;
    assert_true(random_cumulate(weights, 8));
    for (int i = 0; i < N; i++) counts[random_discrete(&s, weights, 8)]++;
    for (int i = 0; i < 8; i++) assert_true(probability[i] > 0 || counts[i] == 0);
    counts_follow("discrete", counts, probability, 8);

    for (int i = 0; i < 7; i++) even[i] = 1.0 / 7;
    for (int i = 0; i < N; i++) below[random_below(&s, 7)]++;
    counts_follow("below", below, even, 7);
}

static void test_random_discrete_never_takes_a_weight_of_zero(void **state)
{
    (void)state;
    double tiny[] = { 0, 1e-300, 0 };
    assert_true(random_cumulate(tiny, 3));
    RandomStream s = random_stream(1, 0, "tiny");
    for (int i = 0; i < 1000; i++) assert_int_equal(random_discrete(&s, tiny, 3), 1);
    double wrong[] = { 1, -1 }, none[] = { 0, 0 }, nan[] = { 1, NAN }, inf[] = { INFINITY };
    assert_false(random_cumulate(wrong, 2));
    assert_false(random_cumulate(none, 2));
    assert_false(random_cumulate(nan, 2));
    assert_false(random_cumulate(inf, 1));
}

static void test_random_normal_quantile_inverts_the_normal_distribution(void **state)
{
    (void)state;
    // down to the least uniform number; below 0.5 erfc has full relative accuracy
    for (double u = 0x1p-53; u < 0.5; u *= 1.01)
        assert_near_relative(erfc(-random_normal_quantile(u) / sqrt(2)) / 2, u, 1e-13);
    for (double u = 0x1p-40; u < 0.5; u += 0.01)
        assert_near_relative(random_normal_quantile(u), -random_normal_quantile(1 - u),
                             1e-13 + 1e-3 * 0x1p-50 / u);
    assert_near(random_normal_quantile(0.975), 1.959963984540054, 1e-15);
    assert_true(random_normal_quantile(0.5) == 0);
}

static void test_random_refuses_senseless_parameters(void **state)
{
    (void)state;
    RandomStream s = random_stream(1, 0, "wrong");
    assert_true(isnan(random_uniform(&s, 2, 1)));
    assert_true(isnan(random_uniform(&s, NAN, 1)));
    assert_true(isnan(random_normal(&s, 0, -1)));
    assert_true(isnan(random_normal(&s, 0, NAN)));
    assert_true(isnan(random_lognormal(&s, 0, -1)));
    assert_true(isnan(random_exponential(&s, -1)));
    assert_true(isnan(random_gamma(&s, 0, 1)));
    assert_true(isnan(random_gamma(&s, 1, -1)));
    assert_true(isnan(random_gamma(&s, INFINITY, 1)));
    assert_true(isnan(random_gamma(&s, NAN, 1)));
    assert_true(isnan(random_weibull(&s, 0, 1)));
    assert_true(isnan(random_triangular(&s, 0, 2, 1)));
    assert_true(isnan(random_poisson(&s, -1)));
    assert_true(isnan(random_poisson(&s, 2 * RANDOM_POISSON_MAX)));
    assert_int_equal(s.n_draws, 14);
    // limits that make sense
    assert_true(random_uniform(&s, 3, 3) == 3);
    assert_true(random_normal(&s, 3, 0) == 3);
    assert_true(random_exponential(&s, 0) == 0);
    assert_true(random_triangular(&s, 1, 1, 1) == 1);
    assert_true(random_poisson(&s, 0) == 0);
    assert_true(random_empirical(&s, measured, 1) == -3);
    assert_near_relative(random_poisson(&s, RANDOM_POISSON_MAX), RANDOM_POISSON_MAX, 3e-4);
    assert_true(isfinite(random_uniform(&s, -1.7e308, 1.7e308)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_words_are_those_of_threefry),
        cmocka_unit_test(test_random_draw_n_depends_on_the_key_and_n_alone),
        cmocka_unit_test(test_random_streams_are_uncorrelated),
        cmocka_unit_test(test_random_bits_are_pinned),
        cmocka_unit_test(test_random_continuous_distributions_follow_their_functions),
        cmocka_unit_test(test_random_whole_numbers_follow_their_probabilities),
        cmocka_unit_test(test_random_discrete_never_takes_a_weight_of_zero),
        cmocka_unit_test(test_random_normal_quantile_inverts_the_normal_distribution),
        cmocka_unit_test(test_random_refuses_senseless_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
