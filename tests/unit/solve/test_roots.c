// tests/unit/solve/test_roots.c: polynomials that leave a band, against small steps.
#include "check.h"
#include "solve/qss/roots.h"

static uint64_t seed = 88172645463325252u;
static double uniform(double lo, double hi)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

// The first time at which |c(d)| >= width, in small steps; INFINITY beyond 20.
static double by_steps(const double c[4], double width, double h)
{
    for (double d = 0; d < 20; d += h)
        if (fabs(c[0] + d * (c[1] + d * (c[2] + d * c[3]))) >= width) return d;
    return INFINITY;
}

static void check_leave(const double c[4], double width, double found)
{
    const double h = 1e-3, expected = by_steps(c, width, h);
    if (isinf(expected)) {
        assert_true(found > 20 - h);
        return;
    }
    // it may leave and come back between two steps, so the closed form may be earlier, never later
    if (!(found <= expected + 1e-9))
        print_error("%g %g %g %g: %g, not %g\n", c[0], c[1], c[2], c[3], found, expected);
    assert_true(found <= expected + 1e-9);
    const double value = c[0] + found * (c[1] + found * (c[2] + found * c[3]));
    assert_true(fabs(fabs(value) - width) < 1e-9 * (1 + fabs(found * found * found)));
}

static void test_roots_of_each_degree_are_the_first(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        const double width = 1;
        double c[4] = { uniform(-0.99, 0.99), uniform(-3, 3), 0, 0 };
        check_leave(c, width, qss_leave1(c[0], c[1], width));
        c[2] = i % 10 ? uniform(-3, 3) : 0;
        check_leave(c, width, qss_leave2(c[0], c[1], c[2], width));
        c[3] = i % 7 ? uniform(-3, 3) : 0;
        check_leave(c, width, roots_leave3(c[0], c[1], c[2], c[3], width));
    }
}

static void test_roots_on_the_border_go_by_direction(void **state)
{
    (void)state;
    assert_near(qss_leave1(1, 1, 1), 0, 0);
    assert_near(qss_leave1(1, -1, 1), 2, 1e-15);
    assert_near(qss_leave2(1, -1, 1, 1), 1, 1e-15);    // in, and back out the same way
    assert_near(qss_leave2(-1, 1, -1, 1), 1, 1e-15);
    assert_near(qss_leave2(1, 1, 0, 1), 0, 0);
    assert_near(qss_leave2(1, 0, 1, 1), 0, 0);
    assert_near(qss_leave2(1, -4, 1, 1), (4 - sqrt(8)) / 2, 1e-14);    // through the other side
    assert_near(qss_leave2(-2, -1, 0.1, 1), 0, 0);                     // outside, and going on
    assert_true(isinf(qss_leave2(0.5, 0, 0, 1)));
    assert_near(roots_leave3(1, -1, 0, 1, 1), 1, 1e-14);
    assert_true(isinf(roots_leave3(0, 0, 0, 0, 1)));
}

static void test_roots_that_fall(void **state)
{
    (void)state;
    assert_near(roots_fall(1, -1, 0), 1, 0);
    assert_true(isinf(roots_fall(1, 1, 0)));
    assert_near(roots_fall(1, 0, -1), 1, 1e-15);
    assert_near(roots_fall(2, -3, 1), 1, 1e-15);
    assert_true(isinf(roots_fall(1, -1, 1)));
    assert_near(roots_fall(0, -1, 0), 0, 0);
    assert_true(isinf(roots_fall(0, 1, 0)));
    // just passed upwards, by rounding still below: the next fall counts
    assert_near(roots_fall(-1e-17, 1, -1), 1, 1e-12);
    // a ball thrown up
    assert_near(roots_fall(0, 9.81, -4.905), 2, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots_of_each_degree_are_the_first),
        cmocka_unit_test(test_roots_on_the_border_go_by_direction),
        cmocka_unit_test(test_roots_that_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
