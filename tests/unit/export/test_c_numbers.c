// tests/unit/export/test_c_numbers.c: exported programs print numbers as we do.
#include "base/number.h"
#include "check.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the text of exported programs, as it is
#include "export/runtime/number.inc"

static void expect_same(double x)
{
    char *text = NULL, ours[NUMBER_MAX];
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    print_number(x, out);
    fclose(out);
    assert_string_equal(text, number_text(x, ours));
    free(text);
}

static void test_numbers_that_are_special(void **state)
{
    (void)state;
    const double special[] = { 0,
                               -0.0,
                               1,
                               -1,
                               0.1,
                               1e-5,
                               9.999e-6,
                               1e16,
                               1e17,
                               1.2345678901234568e17,
                               99999999999999984.0,
                               NAN,
                               INFINITY,
                               -INFINITY,
                               DBL_MAX,
                               DBL_MIN,
                               5e-324,
                               2.2250738585072011e-308,
                               0.3,
                               1.0 / 3 };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) expect_same(special[i]);
}

// Where the spacing of doubles changes, the shortest text is not the rounded one.
static void test_powers_of_two(void **state)
{
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        expect_same(ldexp(1, e));
        expect_same(nextafter(ldexp(1, e), 0));
        expect_same(nextafter(ldexp(1, e), INFINITY));
    }
}

static void test_numbers_of_all_sizes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = seed ^ seed >> 31;
        double x;
        memcpy(&x, &bits, sizeof x);
        expect_same(x);
        expect_same((double)(int64_t)(bits >> 40) / 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_are_special),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_numbers_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
