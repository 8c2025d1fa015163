// tests/unit/num/test_distribution.c: the table of distributions draws what the functions of random.h draw
// (which test_random.c compares with theory), and knows which arguments make no sense.
#include "check.h"
#include "num/distribution.h"

static const double fine[][3] = {
    { -2, 5 }, { 3, 0.5 }, { 0.2, 0.8 }, { 2.5 }, { 0.7, 2 }, { -1, 0.5, 4 }, { 3, 0.1 }, { 12 },
    { 1, 0, 3 }, { -3, 0, 7 },
};
static size_t count(int number)
{
    return distributions[number].n_arguments ? (size_t)distributions[number].n_arguments : 3;
}

static double plainly(const char *name, RandomStream *s, const double *a)
{
    if (strcmp(name, "uniform") == 0) return random_uniform(s, a[0], a[1]);
    if (strcmp(name, "normal") == 0) return random_normal(s, a[0], a[1]);
    if (strcmp(name, "lognormal") == 0) return random_lognormal(s, a[0], a[1]);
    if (strcmp(name, "exponential") == 0) return random_exponential(s, a[0]);
    if (strcmp(name, "gamma") == 0) return random_gamma(s, a[0], a[1]);
    if (strcmp(name, "triangular") == 0) return random_triangular(s, a[0], a[1], a[2]);
    if (strcmp(name, "weibull") == 0) return random_weibull(s, a[0], a[1]);
    if (strcmp(name, "poisson") == 0) return random_poisson(s, a[0]);
    if (strcmp(name, "empirical") == 0) return random_empirical(s, a, 3);
    double sums[3] = { a[0], a[1], a[2] };
    assert_true(random_cumulate(sums, 3));
    return (double)random_discrete(s, sums, 3) + 1;
}

static void test_distribution_draws_as_the_functions_do(void **state)
{
    (void)state;
    assert_int_equal(n_distributions, 10);
    for (int i = 0; i < n_distributions; i++) {
        assert_int_equal(distribution_number(distributions[i].name), i);
        RandomStream one = random_stream(3, 1, "one");
        RandomStream other = one;
        for (int k = 0; k < 1000; k++) {
            const double drawn = distribution_draw(i, &one, fine[i], count(i));
            assert_same_bits(drawn, plainly(distributions[i].name, &other, fine[i]));
            if (distributions[i].is_whole) assert_true(drawn == floor(drawn));
        }
        assert_int_equal(one.n_draws, 1000);
        assert_int_equal(distribution_fault(i, fine[i], count(i), NULL), -1);
    }
    assert_int_equal(distribution_number("cauchy"), DISTRIBUTION_NONE);
}

// What draws NaN has a fault, what has a fault draws NaN or is a limit that makes sense.
static void test_distribution_faults_are_what_cannot_be_drawn(void **state)
{
    (void)state;
    static const double tried[] = { -1, 0, 0.5, 2, 3e9, INFINITY, NAN };
    enum { N_TRIED = sizeof tried / sizeof *tried };
    for (int i = 0; i < n_distributions; i++) {
        if (distributions[i].is_data) continue;    // sorted by who made them
        for (int k = 0; k < N_TRIED * N_TRIED * N_TRIED; k++) {
            const double a[3] = { tried[k % N_TRIED], tried[k / N_TRIED % N_TRIED],
                                  tried[k / N_TRIED / N_TRIED] };
            RandomStream s = random_stream(1, 0, "fault");
            const char *must = "";
            const int fault = distribution_fault(i, a, count(i), &must);
            const double drawn = distribution_draw(i, &s, a, count(i));
            assert_int_equal(s.n_draws, 1);
            // a draw that is too large for a number is no fault of the arguments
            if (fault >= 0) assert_true(isnan(drawn) && must);
            else assert_true(isfinite(drawn) || fabs(a[0]) > 1e9 || fabs(a[1]) > 1e9);
        }
    }
    RandomStream s = random_stream(1, 0, "few");
    assert_true(isnan(distribution_draw(distribution_number("normal"), &s, (double[]){ 1 }, 1)));
    assert_true(isnan(distribution_draw(distribution_number("discrete"), &s, NULL, 0)));
    assert_int_equal(s.n_draws, 2);
    const char *must;
    const double falling[] = { 0, 2, 1 };
    assert_int_equal(distribution_fault(distribution_number("triangular"), falling, 3, &must), 2);
    assert_string_equal(must, "must not be less than the one before it");
    assert_int_equal(distribution_fault(distribution_number("discrete"), (double[]){ 0, 0 }, 2, &must), 0);
}

static void test_distribution_texts_name_all_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < n_distributions; i++) {
        const Distribution *d = &distributions[i];
        char text[100] = "";
        for (int k = 0; k < d->n_arguments; k++) {
            strcat(text, k ? ", " : "");
            strcat(text, d->arguments[k].name);
        }
        if (d->n_arguments) assert_string_equal(distribution_takes(i), text);
        else assert_non_null(strstr(distribution_takes(i), d->arguments[0].name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution_draws_as_the_functions_do),
        cmocka_unit_test(test_distribution_faults_are_what_cannot_be_drawn),
        cmocka_unit_test(test_distribution_texts_name_all_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
