// tests/unit/num/test_colour.c: columns of one group share no row, and bands need few groups.
#include "check.h"
#include "num/colour.h"

enum { N = 60 };

static void test_a_band_needs_its_width(void **state)
{
    (void)state;
    uint32_t start[N + 1], row[3 * N], group[N], n = 0;
    for (uint32_t c = 0; c < N; c++) {
        start[c] = n;
        for (uint32_t r = c ? c - 1 : 0; r <= c + 1 && r < N; r++) row[n++] = r;
    }
    start[N] = n;
    assert_int_equal(colour_columns(start, row, N, group), 3);
    for (uint32_t c = 0; c + 2 < N; c++) assert_true(group[c] != group[c + 1] && group[c] != group[c + 2]);
}

static void test_full_and_diagonal(void **state)
{
    (void)state;
    uint32_t start[N + 1], row[N * N], group[N];
    for (uint32_t c = 0; c <= N; c++) start[c] = c * N;
    for (uint32_t i = 0; i < N * N; i++) row[i] = i % N;
    assert_int_equal(colour_columns(start, row, N, group), N);
    for (uint32_t c = 0; c <= N; c++) start[c] = c;
    for (uint32_t i = 0; i < N; i++) row[i] = i;
    assert_int_equal(colour_columns(start, row, N, group), 1);
}

static void test_no_two_columns_of_a_group_meet(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 50; round++) {
        uint32_t start[N + 1], row[N * N], group[N], n = 0;
        for (uint32_t c = 0; c < N; c++) {
            start[c] = n;
            for (uint32_t r = 0; r < N; r++) {
                seed = seed * 1664525u + 1013904223u;
                if (seed >> 24 < (uint32_t)round * 2) row[n++] = r;
            }
        }
        start[N] = n;
        const uint32_t n_groups = colour_columns(start, row, N, group);
        for (uint32_t g = 0; g < n_groups; g++) {
            bool taken[N] = { false };
            for (uint32_t c = 0; c < N; c++) {
                for (uint32_t i = start[c]; group[c] == g && i < start[c + 1]; i++) {
                    assert_false(taken[row[i]]);
                    taken[row[i]] = true;
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_band_needs_its_width),
        cmocka_unit_test(test_full_and_diagonal),
        cmocka_unit_test(test_no_two_columns_of_a_group_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
