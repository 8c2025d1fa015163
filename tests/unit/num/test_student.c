// tests/unit/num/test_student.c: Student's t against printed tables and closed forms.
#include "check.h"
#include "num/random.h"
#include "num/student.h"

static void test_student_quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    // two-sided 95 and 99 %, as printed with four decimals
    static const struct { double n, p975, p995; } table[] = {
        { 1, 12.7062, 63.6567 }, { 2, 4.3027, 9.9248 },  { 5, 2.5706, 4.0321 },   { 10, 2.2281, 3.1693 },
        { 29, 2.0452, 2.7564 },  { 60, 2.0003, 2.6603 }, { 120, 1.9799, 2.6174 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_near(student_quantile(0.975, table[i].n), table[i].p975, 5.1e-5);
        assert_near(student_quantile(0.995, table[i].n), table[i].p995, 5.1e-5);
        assert_near(student_quantile(0.025, table[i].n), -table[i].p975, 5.1e-5);
    }
    assert_true(student_quantile(0.5, 3) == 0);
}

static void test_student_agrees_with_closed_forms(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (double t = -20; t <= 20; t += 0.37) {
        assert_near(student_probability(t, 1), 0.5 + atan(t) / pi, 1e-14);
        assert_near(student_probability(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-14);
        assert_near(student_probability(t, 1e6), erfc(-t / sqrt(2)) / 2, 2e-6);
    }
    for (double p = 0.01; p < 1; p += 0.07) {
        for (double n = 1; n < 1e6; n *= 7) // for large n logarithms of gamma functions cancel
            assert_near(student_probability(student_quantile(p, n), n), p, 1e-13 * (10 + n));
        assert_near(student_quantile(p, 1e8), random_normal_quantile(p), 1e-12);
    }
    // I_x(a, b) for whole a, b is a binomial sum
    assert_near(student_beta(2, 3, 0.4), 0.5248, 1e-14);
    assert_true(student_beta(2, 3, 0) == 0 && student_beta(2, 3, 1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student_quantiles_are_those_of_the_tables),
        cmocka_unit_test(test_student_agrees_with_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
