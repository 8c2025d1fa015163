// tests/unit/num/test_hermite.c: cubics exactly, ends to the bit, fourth order for the rest.
#include "check.h"
#include "num/hermite.h"

static double cubic(double t) { return 2 - 3 * t + 0.5 * t * t - 0.25 * t * t * t; }
static double cubic_slope(double t) { return -3 + t - 0.75 * t * t; }

static void test_hermite_reproduces_cubics(void **state)
{
    (void)state;
    const double t0 = 0.3, h = 1.7, t1 = t0 + h;
    for (int i = 0; i <= 20; i++) {
        const double s = i / 20.0, t = t0 + s * h;
        assert_near(hermite_value(s, h, cubic(t0), cubic_slope(t0), cubic(t1), cubic_slope(t1)), cubic(t),
                    1e-14);
    }
}

static void test_hermite_meets_both_ends_exactly(void **state)
{
    (void)state;
    const double x0 = 0.1, x1 = 1e10 / 3, dx0 = -7.7, dx1 = 1e5 / 7;
    assert_same_bits(hermite_value(0, 0.3, x0, dx0, x1, dx1), x0);
    assert_same_bits(hermite_value(1, 0.3, x0, dx0, x1, dx1), x1);
}

static double worst_error(double h)
{
    double worst = 0;
    for (int i = 0; i <= 50; i++) {
        const double s = i / 50.0;
        worst = fmax(worst, fabs(hermite_value(s, h, 1, 1, exp(h), exp(h)) - exp(s * h)));
    }
    return worst;
}

static void test_hermite_is_of_fourth_order(void **state)
{
    (void)state;
    assert_near(worst_error(0.1) / worst_error(0.05), 16, 0.8);
    // h^4/384 times the fourth derivative, at the middle
    assert_near_relative(worst_error(0.05), pow(0.05, 4) / 384 * exp(0.025), 0.01);
}

static void test_hermite_takes_a_whole_state(void **state)
{
    (void)state;
    const double x0[] = { 0, 1 }, dx0[] = { 1, 0 }, dx1[] = { 1, -2 };
    double x1[] = { 2, 0 };
    const double first = hermite_value(0.25, 2, 0, 1, 2, 1), second = hermite_value(0.25, 2, 1, 0, 0, -2);
    hermite_state(0.25, 2, x0, dx0, x1, dx1, 2, x1);
    assert_same_bits(x1[0], first);
    assert_same_bits(x1[1], second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hermite_reproduces_cubics),
        cmocka_unit_test(test_hermite_meets_both_ends_exactly),
        cmocka_unit_test(test_hermite_is_of_fourth_order),
        cmocka_unit_test(test_hermite_takes_a_whole_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
