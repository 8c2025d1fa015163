// tests/unit/num/test_rank.c: rows that depend on each other are found, with their factors, and no others.
#include "check.h"
#include "num/rank.h"

static void test_rank_finds_the_fewest_rows(void **state)
{
    (void)state;
    // row 2 = 2·row 0 - 3·row 3 is told by the last of them, row 3; row 1 has no part in it
    double a[] = { 1, 2, 0, 0,
                   0, 1, 1, 5,
                   2, 4, -3, 6,
                   0, 0, 1, -2 };
    double factors[4], scratch[20];
    assert_true(rank_dependent(a, 4, factors, scratch));
    assert_near(factors[1], 0, 0);
    assert_near(factors[0] / factors[2], -2, 1e-12);
    assert_near(factors[3] / factors[2], 3, 1e-12);
    assert_near(fmin(fabs(factors[0]), fabs(factors[2])), 1, 0);    // the smallest is 1
}

static void test_rank_sees_a_row_of_zeros(void **state)
{
    (void)state;
    double a[] = { 1, 2, 0, 0 }, factors[2], scratch[6];
    assert_true(rank_dependent(a, 2, factors, scratch));
    assert_near(factors[0], 0, 0);
    assert_near(factors[1], 1, 0);
}

static void test_rank_leaves_regular_matrices_alone(void **state)
{
    (void)state;
    double a[] = { 0, 1e-9, 1e9, 0 }, factors[2], scratch[6];
    assert_false(rank_dependent(a, 2, factors, scratch));
    double b[] = { 1, 1, 1, 1 + 1e-10 };
    assert_false(rank_dependent(b, 2, factors, scratch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_finds_the_fewest_rows),
        cmocka_unit_test(test_rank_sees_a_row_of_zeros),
        cmocka_unit_test(test_rank_leaves_regular_matrices_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
