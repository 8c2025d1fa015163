// tests/unit/num/test_statistics.c: tallies and levels against direct computation on everything observed.
#include "check.h"
#include "num/random.h"
#include "orrery/statistics.h"
#include <stdlib.h>
#include <string.h>

// ---- Direct computation: all observations with their weights, sorted

typedef struct Seen {
    double value, weight;
} Seen;

static int by_value(const void *a, const void *b)
{
    const Seen *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static double all_weight(const Seen *seen, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += seen[i].weight;
    return sum;
}

static double direct_mean(const Seen *seen, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += seen[i].value * seen[i].weight;
    return sum / all_weight(seen, n);
}

static double direct_sd(const Seen *seen, size_t n, double less)
{
    const double mean = direct_mean(seen, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (seen[i].value - mean) * (seen[i].value - mean) * seen[i].weight;
    return sqrt(sum / (all_weight(seen, n) - less));
}

// of a sorted list
static double direct_quantile(const Seen *seen, size_t n, double p)
{
    const double wanted = p * all_weight(seen, n) * (1 - 1e-13);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if ((sum += seen[i].weight) >= wanted && sum > 0) return seen[i].value;
    return seen[n - 1].value;
}

static double direct_below(const Seen *seen, size_t n, double x, int or_equal)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (seen[i].value < x || (or_equal && seen[i].value == x)) sum += seen[i].weight;
    return sum;
}

// How far in rank is x from being the quantile p?
static double rank_error(const Seen *seen, size_t n, double x, double p)
{
    const double total = all_weight(seen, n);
    const double low = direct_below(seen, n, x, 0) / total;
    const double high = direct_below(seen, n, x, 1) / total;
    return p < low ? low - p : p > high ? p - high : 0;
}

static const double fractions[] = { 0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1 };
enum { N_FRACTIONS = sizeof fractions / sizeof *fractions };

static double allowed(double p) { return 0.001 + 0.006 * sqrt(p * (1 - p)); }

// ---- Tally

static void test_tally_is_exact_for_few_different_values(void **state)
{
    (void)state;
    RandomStream s = random_stream(1, 0, "few");
    enum { N = 20000 };
    Seen *seen = malloc(N * sizeof *seen);
    orr_tally tally = { 0 };
    for (size_t i = 0; i < N; i++) {
        seen[i] = (Seen){ floor(random_exponential(&s, 7)) - 3, 1 };
        assert_true(orr_tally_add(&tally, seen[i].value));
    }
    qsort(seen, N, sizeof *seen, by_value);
    assert_int_equal(tally.n, N);
    assert_near(orr_tally_mean(&tally), direct_mean(seen, N), 1e-12);
    assert_near(orr_tally_sd(&tally), direct_sd(seen, N, 1), 1e-11);
    assert_true(orr_tally_min(&tally) == seen[0].value && orr_tally_max(&tally) == seen[N - 1].value);
    for (double p = 0; p <= 1; p += 0.0078125)
        assert_true(orr_tally_quantile(&tally, p) == direct_quantile(seen, N, p));
    for (double x = -5; x < 80; x += 0.5)
        assert_true(orr_tally_below(&tally, x) == direct_below(seen, N, x, 0));
    double counts[10];
    orr_tally_histogram(&tally, -3, 17, 10, counts);
    for (int i = 0; i < 10; i++)
        assert_true(counts[i] == direct_below(seen, N, -1 + 2 * i, 0) - direct_below(seen, N, -3 + 2 * i, 0));
    free(seen);
}

static void test_tally_of_many_values_is_near_in_rank(void **state)
{
    (void)state;
    RandomStream s = random_stream(2, 0, "many");
    enum { N = 50000 };
    Seen *seen = malloc(N * sizeof *seen);
    double worst = 0;
    for (int kind = 0; kind < 5; kind++) {
        orr_tally tally = { 0 };
        for (size_t i = 0; i < N; i++) {
            double x = 0;
            if (kind == 0) x = random_normal(&s, 5, 2);
            if (kind == 1) x = random_lognormal(&s, 0, 2);
            if (kind == 2) x = (double)i;                                                // in order
            if (kind == 3) x = -(double)i;                                               // against it
            if (kind == 4) x = random_unit(&s) < 0.4 ? 0 : random_exponential(&s, 1);    // many do not wait
            seen[i] = (Seen){ x, 1 };
            orr_tally_add(&tally, x);
        }
        qsort(seen, N, sizeof *seen, by_value);
        assert_near(orr_tally_mean(&tally) / direct_mean(seen, N), 1, 1e-11);
        assert_near(orr_tally_sd(&tally) / direct_sd(seen, N, 1), 1, 1e-10);
        for (int k = 0; k < N_FRACTIONS; k++) {
            const double p = fractions[k];
            const double error = rank_error(seen, N, orr_tally_quantile(&tally, p), p);
            worst = fmax(worst, error);
            assert_true(error <= allowed(p));
            const double x = direct_quantile(seen, N, p);
            if (kind != 4) assert_near(orr_tally_below(&tally, x) / N, p, allowed(p) + 2.0 / N);
        }
        assert_true(orr_tally_quantile(&tally, 0) == seen[0].value);
        assert_true(orr_tally_quantile(&tally, 1) == seen[N - 1].value);
        if (kind == 4) assert_true(orr_tally_quantile(&tally, 0.3) == 0);    // the step at 0 stays a step
    }
    assert_true(worst > 0);    // it is an approximation: the bounds above were put to use
    free(seen);
}

static void test_tally_merged_parts_are_the_whole(void **state)
{
    (void)state;
    RandomStream s = random_stream(3, 0, "parts");
    enum { N = 30000, PARTS = 7 };
    Seen *seen = malloc(N * sizeof *seen);
    orr_tally whole = { 0 }, parts[PARTS], merged = { 0 };
    memset(parts, 0, sizeof parts);
    for (size_t i = 0; i < N; i++) {
        seen[i] = (Seen){ random_gamma(&s, 2, 3), 1 };
        orr_tally_add(&whole, seen[i].value);
        orr_tally_add(&parts[random_below(&s, 6)], seen[i].value);    // the last one stays empty
    }
    for (int i = 0; i < PARTS; i++) orr_tally_merge(&merged, &parts[i]);
    qsort(seen, N, sizeof *seen, by_value);
    assert_int_equal(merged.n, N);
    assert_near(orr_tally_mean(&merged), orr_tally_mean(&whole), 1e-11);
    assert_near(orr_tally_sd(&merged), orr_tally_sd(&whole), 1e-11);
    assert_true(merged.min == whole.min && merged.max == whole.max);
    for (int k = 0; k < N_FRACTIONS; k++)
        assert_true(rank_error(seen, N, orr_tally_quantile(&merged, fractions[k]), fractions[k]) <=
                    1.5 * allowed(fractions[k]));

    orr_tally twice = { 0 };
    for (int i = 0; i < 10; i++) orr_tally_add(&twice, i);
    orr_tally_merge(&twice, &twice);
    assert_int_equal(twice.n, 20);
    assert_true(orr_tally_below(&twice, 5) == 10 && orr_tally_quantile(&twice, 0.5) == 4);
    free(seen);
}

static void test_tally_empty_and_after_a_reset_knows_nothing(void **state)
{
    (void)state;
    orr_tally tally = { 0 };
    assert_true(isnan(orr_tally_mean(&tally)) && isnan(orr_tally_sd(&tally)) &&
                isnan(orr_tally_quantile(&tally, 0.5)));
    assert_true(isnan(orr_tally_min(&tally)) && isnan(orr_tally_max(&tally)) &&
                orr_tally_below(&tally, 1) == 0);
    double counts[2] = { 7, 7 };
    orr_tally_histogram(&tally, 0, 1, 2, counts);
    assert_true(counts[0] == 0 && counts[1] == 0);
    assert_false(orr_tally_add(&tally, (double)NAN));
    assert_false(orr_tally_add(&tally, (double)INFINITY));
    assert_int_equal(tally.n, 0);
    orr_tally_add(&tally, 1e9);
    assert_true(orr_tally_mean(&tally) == 1e9 && isnan(orr_tally_sd(&tally)));
    assert_true(isnan(orr_tally_quantile(&tally, 1.5)));
    orr_tally_reset(&tally);
    orr_tally_add(&tally, 2);
    assert_true(orr_tally_max(&tally) == 2 && tally.n == 1 && orr_tally_quantile(&tally, 0.5) == 2);
}

// ---- Level

// A queue length by chance; what it was, and for how long.
static size_t random_level(RandomStream *s, orr_level *level, Seen *seen, size_t n, double *t)
{
    double value = level->value;
    for (size_t i = 0; i < n; i++) {
        const double stay = random_below(s, 5) == 0 ? 0 : random_exponential(s, 2);
        seen[i] = (Seen){ value, (*t + stay) - *t };
        *t += stay;
        value = fmax(0, value + (double)random_below(s, 5) - 2);
        assert_true(i % 2 ? orr_level_set(level, *t, value) : orr_level_add(level, *t, value - level->value));
    }
    return n;
}

static void compare_level(const orr_level *level, double t, Seen *seen, size_t n)
{
    qsort(seen, n, sizeof *seen, by_value);
    const double total = all_weight(seen, n);
    assert_near(orr_level_mean(level, t), direct_mean(seen, n), 1e-11);
    assert_near(orr_level_sd(level, t), direct_sd(seen, n, 0), 1e-10);
    size_t first = 0, last = n - 1;
    while (seen[first].weight == 0) first++;
    while (seen[last].weight == 0) last--;
    assert_true(orr_level_min(level, t) == seen[first].value);
    assert_true(orr_level_max(level, t) == seen[last].value);
    for (double x = -1; x < 70; x += 0.5)
        assert_near(orr_level_below(level, t, x), direct_below(seen, n, x, 0), 1e-10 * total);
    for (double p = 0.005; p < 1; p += 0.01)
        assert_true(orr_level_quantile(level, t, p) == direct_quantile(seen, n, p));
    double times[8];
    orr_level_histogram(level, t, 0, 8, 8, times);
    for (int i = 0; i < 8; i++)
        assert_near(times[i], direct_below(seen, n, i, 1) - direct_below(seen, n, i, 0), 1e-10 * total);
}

static void test_level_agrees_with_the_integral(void **state)
{
    (void)state;
    RandomStream s = random_stream(4, 0, "level");
    enum { N = 5000 };
    Seen *seen = malloc((N + 1) * sizeof *seen);
    double t = 3;
    orr_level level;
    orr_level_begin(&level, t, 4);
    random_level(&s, &level, seen, N, &t);
    // what holds now counts up to the time of asking
    seen[N] = (Seen){ level.value, t + 10 - t };
    compare_level(&level, t + 10, seen, N + 1);
    free(seen);
}

static void test_level_forgets_the_warm_up_but_not_its_value(void **state)
{
    (void)state;
    RandomStream s = random_stream(5, 0, "level");
    enum { N = 500 };
    Seen seen[N + 1];
    double t = 0;
    orr_level level;
    orr_level_begin(&level, t, 60);
    random_level(&s, &level, seen, N, &t);
    t += 5;
    orr_level_reset(&level, t);
    assert_true(orr_level_mean(&level, t) == level.value && orr_level_max(&level, t) == level.value);
    const size_t n = random_level(&s, &level, seen, N, &t);
    compare_level(&level, t, seen, n);
}

static void test_level_merged_parts_are_the_whole(void **state)
{
    (void)state;
    RandomStream s = random_stream(6, 0, "level");
    enum { N = 700 };
    Seen seen[2 * N];
    double t = 0, u = 100;
    orr_level a, b;
    orr_level_begin(&a, t, 1);
    orr_level_begin(&b, u, 9);
    random_level(&s, &a, seen, N, &t);
    random_level(&s, &b, seen + N, N, &u);
    // merged is what was seen up to the last change: the end is made one
    orr_level_set(&a, t, a.value + 1000);
    orr_level_set(&b, u, b.value + 1000);
    orr_level empty;
    orr_level_begin(&empty, 0, 0);
    orr_level_merge(&empty, &a);
    orr_level_merge(&empty, &b);
    compare_level(&empty, 0, seen, 2 * N);
}

static void test_level_refuses_going_back(void **state)
{
    (void)state;
    orr_level level;
    orr_level_begin(&level, 1, 5);
    assert_true(orr_level_set(&level, 2, 7));
    assert_false(orr_level_set(&level, 1.5, 8));
    assert_false(orr_level_set(&level, 3, (double)NAN));
    assert_false(orr_level_set(&level, (double)NAN, 8));
    assert_true(level.value == 7 && orr_level_mean(&level, 3) == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tally_is_exact_for_few_different_values),
        cmocka_unit_test(test_tally_of_many_values_is_near_in_rank),
        cmocka_unit_test(test_tally_merged_parts_are_the_whole),
        cmocka_unit_test(test_tally_empty_and_after_a_reset_knows_nothing),
        cmocka_unit_test(test_level_agrees_with_the_integral),
        cmocka_unit_test(test_level_forgets_the_warm_up_but_not_its_value),
        cmocka_unit_test(test_level_merged_parts_are_the_whole),
        cmocka_unit_test(test_level_refuses_going_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
