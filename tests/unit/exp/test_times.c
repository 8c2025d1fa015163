// tests/unit/exp/test_times.c: rows at times that people would write.
#include "base/number.h"
#include "check.h"
#include "exp/times.h"
#include <stdlib.h>

static const char *text_at(double from, double every, double i)
{
    static char text[NUMBER_MAX];
    const Times times = times_of(from, every);
    return number_text(times_at(&times, i), text);
}

static void test_decimal_steps_give_short_times(void **state)
{
    (void)state;
    assert_string_equal(text_at(0, 0.1, 3), "0.3");
    assert_string_equal(text_at(0, 0.01, 57), "0.57");
    assert_string_equal(text_at(0, 0.07, 3), "0.21");
    assert_string_equal(text_at(0.2, 0.1, 1), "0.3");
    assert_string_equal(text_at(-1, 0.1, 7), "-0.3");
    assert_string_equal(text_at(0, 1e-6, 3), "3e-6");
    assert_string_equal(text_at(1000, 0.001, 1234567), "2234.567");
    assert_string_equal(text_at(0, 2.5e10, 3), "75000000000");
}

static void test_every_time_of_a_decimal_grid_is_the_nearest_double(void **state)
{
    (void)state;
    const Times times = times_of(0, 0.01);
    for (int i = 0; i <= 150000; i++) {
        char decimal[32];
        snprintf(decimal, sizeof decimal, "%d.%02d", i / 100, i % 100);
        assert_same_bits(times_at(&times, i), strtod(decimal, NULL));
    }
}

static void test_parts_of_one_are_divided(void **state)
{
    (void)state;
    const Times thirds = times_of(0, 1.0 / 3);
    assert_same_bits(times_at(&thirds, 3), 1.0);
    assert_same_bits(times_at(&thirds, 7), 7.0 / 3);
    const Times odd = times_of(0, M_PI);
    assert_same_bits(times_at(&odd, 5), 5 * M_PI);
    const Times shifted = times_of(M_E, 0.1);
    assert_near(times_at(&shifted, 3), M_E + 0.3, 1e-15);
}

static void test_times_never_go_back(void **state)
{
    (void)state;
    static const double steps[] = { 0.1, 0.7, 1.0 / 3, 1e-15, 123.456, 1e15, 0.30000000000000004 };
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const Times times = times_of(0.5, steps[k]);
        for (int i = 0; i < 1000; i++) assert_true(times_at(&times, i + 1) >= times_at(&times, i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal_steps_give_short_times),
        cmocka_unit_test(test_every_time_of_a_decimal_grid_is_the_nearest_double),
        cmocka_unit_test(test_parts_of_one_are_divided),
        cmocka_unit_test(test_times_never_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
