// tests/unit/base/test_number.c: promises of number formatting and reading, checked against the C library.
#include "base/number.h"
#include "check.h"
#include <float.h>
#include <stdlib.h>

static uint64_t random_bits(uint64_t *s)    // splitmix64
{
    uint64_t z = *s += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Significant digits, without zeros at either end.
typedef struct Digits { char text[40]; int n; } Digits;

static Digits digits_of(const char *text)
{
    Digits d = { .n = 0 };
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (d.n || *text != '0')) d.text[d.n++] = *text;
    while (d.n && d.text[d.n - 1] == '0') d.n--;
    d.text[d.n] = 0;
    return d;
}

// The fewest digits of %e that read back, which are also the nearest of that length.
static int brute_force_digits(double x, char *out, size_t size)
{
    for (int precision = 0; precision < 17; precision++) {
        snprintf(out, size, "%.*e", precision, x);
        if (strtod(out, NULL) == x) return precision + 1;
    }
    fail_msg("no text of 17 digits reads back");
    return 0;
}

static void check_number(double x)
{
    char text[NUMBER_MAX + 1], reference[64];
    memset(text, '#', sizeof text);
    const size_t n = number_format(x, text);
    assert_true(n <= 24);
    assert_int_equal(text[NUMBER_MAX], '#');    // nothing beyond the scratch room
    text[n] = 0;

    // reads back exactly, by the C library and by us
    assert_same_bits(strtod(text, NULL), x);
    double again;
    assert_int_equal(number_read((Text){ text, n }, &again), NUMBER_OK);
    assert_same_bits(again, x);
    if (x == 0) return;

    // as short as can be, and of the shortest the nearest. %e rounds the exact value, so if its text of that
    // length reads back it is the nearest; where the spacing changes a power of two may have a text of that
    // length only on the other side, so there only the length is compared
    const int shortest = brute_force_digits(x, reference, sizeof reference);
    const Digits ours = digits_of(text), theirs = digits_of(reference);
    assert_true(ours.n <= shortest);
    if (ours.n == shortest) assert_string_equal(ours.text, theirs.text);
    else assert_true(frexp(fabs(x), &(int){ 0 }) == 0.5);
}

static void test_number_text_is_short_near_and_exact_for_random_bits(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int i = 0; i < 200000; i++) {
        const double x = from_bits(random_bits(&s));
        if (isfinite(x)) check_number(x);
    }
}

static void test_number_reads_back_a_million_random_bits(void **state)
{
    (void)state;
    uint64_t s = 6;
    for (int i = 0; i < 1000000; i++) {
        const double x = from_bits(random_bits(&s));
        if (!isfinite(x)) continue;
        char text[NUMBER_MAX];
        number_text(x, text);
        assert_same_bits(strtod(text, NULL), x);
        double again;
        assert_true(number_parse(text_from(text), &again));
        assert_same_bits(again, x);
    }
}

static void test_number_text_is_short_near_and_exact_for_usual_numbers(void **state)
{
    (void)state;
    uint64_t s = 2;
    for (int i = 0; i < 60000; i++) {
        const double u = (double)(random_bits(&s) >> 11) / 9007199254740992.0;
        check_number(u * 100 - 50);
        check_number(i * 0.01);
        check_number((double)(random_bits(&s) % 100000) / 1000);
        check_number((double)(random_bits(&s) >> (i % 64)));
    }
}

static void test_number_text_of_subnormals(void **state)
{
    (void)state;
    uint64_t s = 3;
    for (int i = 0; i < 100000; i++) check_number(from_bits(random_bits(&s) >> (12 + i % 52)));
    for (uint64_t bits = 1; bits < 2000; bits++) check_number(from_bits(bits));
}

static void test_number_text_at_every_power_of_two_and_ten(void **state)
{
    (void)state;
    for (uint64_t e = 0; e < 2047; e++)
        for (uint64_t k = 0; k < 7; k++)
            if (e > 0 || k > 3) check_number(from_bits((e << 52) + k - 3));
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        uint64_t bits;
        const double x = strtod(text, NULL);
        memcpy(&bits, &x, sizeof bits);
        for (uint64_t k = 0; k < 5; k++) check_number(from_bits(bits + k - (bits > 2 ? 2 : 0)));
    }
}

static void test_number_text_has_the_promised_form(void **state)
{
    (void)state;
    const struct { double x; const char *text; } cases[] = {
        { 0.0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1, "-1" },
        { 10, "10" },
        { 1500, "1500" },
        { 0.1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 123.456, "123.456" },
        { 0.00001, "0.00001" },
        { 0.000012345678901, "0.000012345678901" },
        { 0.0000099, "9.9e-6" },
        { 0.000009999999999999999, "9.999999999999999e-6" },
        { 1e-7, "1e-7" },
        { 12345678901234567.0, "12345678901234568" },
        { 1e16, "10000000000000000" },
        { 1e17, "1e17" },
        { 1.5e300, "1.5e300" },
        { -2.5e-9, "-2.5e-9" },
        { 1e23, "1e23" },
        { 9007199254740991, "9007199254740991" },
        { 9007199254740992, "9007199254740992" },
        { 9007199254740994, "9007199254740994" },
        { 100000000, "100000000" },
        { 99999999, "99999999" },
        { 2251799813685248.5, "2251799813685248.5" },
        { DBL_MAX, "1.7976931348623157e308" },
        { DBL_MIN, "2.2250738585072014e-308" },
        { 5e-324, "5e-324" },
        { INFINITY, "inf" },
        { -INFINITY, "-inf" },
        { NAN, "nan" },
        { -NAN, "nan" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_MAX];
        assert_string_equal(number_text(cases[i].x, text), cases[i].text);
    }
}

static void check_read(const char *text)
{
    double x;
    const double expected = strtod(text, NULL);
    assert_int_equal(number_read(text_from(text), &x), isinf(expected) ? NUMBER_OVERFLOW : NUMBER_OK);
    if (memcmp(&x, &expected, sizeof x) != 0) print_error("reading %.60s\n", text);
    assert_same_bits(x, expected);
}

static void test_number_reads_random_decimals_like_the_c_library(void **state)
{
    (void)state;
    uint64_t s = 4;
    for (int i = 0; i < 300000; i++) {
        char text[128];
        int n = 0;
        const uint64_t shape = random_bits(&s);
        if (shape & 1) text[n++] = shape & 2 ? '-' : '+';
        const int before = (int)(shape >> 2 & 15), after = (int)(shape >> 6 & 31);
        for (int k = 0; k < before; k++) text[n++] = (char)('0' + random_bits(&s) % 10);
        if (after || !before) text[n++] = '.';
        for (int k = 0; k < after + !before; k++) text[n++] = (char)('0' + random_bits(&s) % 10);
        const int range = shape >> 20 & 1 ? 30 : 345;
        if (shape >> 21 & 3)
            n += sprintf(text + n, "%c%d", shape >> 23 & 1 ? 'e' : 'E',
                         (int)(random_bits(&s) % (unsigned)(2 * range)) - range);
        text[n] = 0;
        check_read(text);
    }
}

// Exactly between two doubles, and a hair above and below: only exact arithmetic gets these right.
static void test_number_reads_midpoints_exactly(void **state)
{
    (void)state;
    uint64_t s = 5;
    for (int i = 0; i < 3000; i++) {
        const uint64_t bits = i < 1000 ? random_bits(&s) >> 12 >> (i % 52) : random_bits(&s) >> 1;
        const double a = from_bits(bits), b = from_bits(bits + 1);
        if (!isfinite(a) || !isfinite(b)) continue;
        // long double holds the midpoint exactly, %.*Le prints all of its digits
        char text[1400];
        const long double middle = ((long double)a + (long double)b) / 2;
        snprintf(text, sizeof text - 8, "%.1100Le", middle);
        check_read(text);

        char *e = strchr(text, 'e'), exponent[16];
        snprintf(exponent, sizeof exponent, "%s", e);
        e[0] = '1';    // a hair above, in the last of 1101 digits
        strcpy(e + 1, exponent);
        check_read(text);
        snprintf(text, sizeof text, "%.25Le", middle);
        check_read(text);
    }
    check_read("9007199254740993");
    check_read("9007199254740993.00000000000000000000000000000000000000001");
    check_read("2.4703282292062327208e-324");
    check_read("2.47032822920623272e-324");
    check_read("1.7976931348623158e308");
    check_read("1.797693134862315807e308");
    check_read("1.797693134862315808e308");
    check_read("2.2250738585072011e-308");
    check_read("6.9294956446009195e15");
}

static void test_number_reads_strange_lengths(void **state)
{
    (void)state;
    enum { N = 2000000 };
    char *text = malloc(N + 64);
    memset(text, '0', N + 64);

    // 0.000…1e2000001 is 1
    memcpy(text, "0.", 2);
    strcpy(text + N, "1e1999999");
    double x;
    assert_int_equal(number_read(text_from(text), &x), NUMBER_OK);
    assert_same_bits(x, 1.0);

    // 1000…e-2000000
    memset(text, '0', N + 64);
    text[0] = '1';
    strcpy(text + N + 1, "e-2000000");
    assert_int_equal(number_read(text_from(text), &x), NUMBER_OK);
    assert_same_bits(x, 1.0);

    // a million nines
    memset(text, '9', 1000000);
    text[0] = '.';
    text[1000000] = 0;
    assert_int_equal(number_read(text_from(text), &x), NUMBER_OK);
    assert_same_bits(x, 1.0);
    free(text);

    check_read("1e99999999999999999999");
    check_read("-1e99999999999999999999");
    check_read("1e-99999999999999999999");
    check_read("0e99999999999999999999");
    check_read("-0.0");
    check_read("000123.5");
    check_read(".5");
    check_read("5.");
}

static void test_number_refuses_what_is_not_quite_a_number(void **state)
{
    (void)state;
    const char *const bad[] = { "",      " 1",   "1 ",  ".",     "+",   "e5",  "1e",   "1e+",
                                "1.2.3", "0x10", "1,5", "1e5.0", "--1", "1f",  "1e 5", "in",
                                "infi",  "nano", "+-1", "1_000", "\t1", "1\n", "-.",   "-.e3" };
    double x;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(number_read(text_from(bad[i]), &x), NUMBER_BAD);
    assert_int_equal(number_read((Text){ "1\0", 2 }, &x), NUMBER_BAD);
    assert_false(number_parse(TEXT("1e400"), &x));
    assert_same_bits(x, INFINITY);
    assert_true(number_parse(TEXT("-Infinity"), &x));
    assert_same_bits(x, -INFINITY);
    assert_true(number_parse(TEXT("NaN"), &x) && isnan(x));
    assert_true(number_parse((Text){ "125", 2 }, &x));    // no look beyond the slice
    assert_same_bits(x, 12.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_text_is_short_near_and_exact_for_random_bits),
        cmocka_unit_test(test_number_reads_back_a_million_random_bits),
        cmocka_unit_test(test_number_text_is_short_near_and_exact_for_usual_numbers),
        cmocka_unit_test(test_number_text_of_subnormals),
        cmocka_unit_test(test_number_text_at_every_power_of_two_and_ten),
        cmocka_unit_test(test_number_text_has_the_promised_form),
        cmocka_unit_test(test_number_reads_random_decimals_like_the_c_library),
        cmocka_unit_test(test_number_reads_midpoints_exactly),
        cmocka_unit_test(test_number_reads_strange_lengths),
        cmocka_unit_test(test_number_refuses_what_is_not_quite_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
