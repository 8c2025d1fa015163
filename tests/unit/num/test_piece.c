// tests/unit/num/test_piece.c: polynomials of a step: where they cross a level, their integrals.
#include "check.h"
#include "num/piece.h"
#include <math.h>

// (d - 1)(d - 2)(d - 3)(d - 4)(d - 5)
static const double five[PIECE_TERMS] = { -120, 274, -225, 85, -15, 1 };

static void test_piece_finds_all_crossings_in_order(void **state)
{
    (void)state;
    double at[PIECE_TERMS];
    assert_int_equal(piece_crossings(five, 0, 10, at), 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(at[i] - (i + 1)) < 1e-12);
    assert_int_equal(piece_crossings(five, 0, 3.5, at), 3);
    assert_int_equal(piece_crossings(five, 0, 0.5, at), 0);
    assert_int_equal(piece_crossings(five, -120, 10, at), 0);    // it begins there, and does not come back
    assert_int_equal(piece_crossings(five, -119, 10, at), 1);
}

static void test_piece_that_touches_a_level_does_not_cross_it(void **state)
{
    (void)state;
    double at[PIECE_TERMS];
    const double touches[PIECE_TERMS] = { 1, -2, 1 };               // (d - 1)²
    assert_int_equal(piece_crossings(touches, 0, 4, at), 0);
    const double both[PIECE_TERMS] = { -2, 5, -4, 1 };              // (d - 1)² (d - 2)
    assert_int_equal(piece_crossings(both, 0, 4, at), 1);
    assert_true(fabs(at[0] - 2) < 1e-12);
    const double bends[PIECE_TERMS] = { -1, 3, -3, 1 };             // (d - 1)³ crosses without a slope
    assert_int_equal(piece_crossings(bends, 0, 4, at), 1);
    assert_true(fabs(at[0] - 1) < 1e-5);
    const double level[PIECE_TERMS] = { 3 };
    assert_int_equal(piece_crossings(level, 3, 4, at), 0);
}

static void test_piece_integral_is_exact(void **state)
{
    (void)state;
    const double powers[PIECE_TERMS] = { 1, 2, 3, 4, 5, 6 };        // its integral is d + d² + … + d⁶
    assert_true(piece_integral(powers, 0, 1) == 6);
    assert_true(piece_integral(powers, 1, 2) == 126 - 6);
    assert_true(piece_integral(powers, 2, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_piece_finds_all_crossings_in_order),
        cmocka_unit_test(test_piece_that_touches_a_level_does_not_cross_it),
        cmocka_unit_test(test_piece_integral_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
