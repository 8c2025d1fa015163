// tests/unit/num/test_step_math.c: the logarithm and the exponential of step control.
#include "check.h"
#include "num/step_math.h"
#include <math.h>

static void test_log_is_good_to_many_digits(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        assert_near(dp_log(x), log(x), 1e-15 * fmax(1, fabs(log(x))));
    assert_true(dp_log(1) == 0);
    assert_near(dp_log(1 + 0x1p-52), 0x1p-52, 1e-20);
}

static void test_exp_is_good_to_many_digits(void **state)
{
    (void)state;
    for (double x = -690; x < 690; x += 0.0137) assert_near(dp_exp(x) / exp(x), 1, 2e-13);
    assert_true(dp_exp(0) == 1);
}

// Whatever the compiler: these bits are part of every adaptive trajectory.
static void test_bits_never_change(void **state)
{
    (void)state;
    assert_true(dp_log(0.3) == -0x1.34378fcbda72p+0);
    assert_true(dp_log(12345.678) == 0x1.2d79559791e31p+3);
    assert_true(dp_exp(-1.7) == 0x1.7622c78a989f6p-3);
    assert_true(dp_exp(0.17) == 0x1.2f702384360b7p+0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_is_good_to_many_digits),
        cmocka_unit_test(test_exp_is_good_to_many_digits),
        cmocka_unit_test(test_bits_never_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
