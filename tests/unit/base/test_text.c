// tests/unit/base/test_text.c: promises of slices, UTF-8, near misses and the string builder.
#include "base/text.h"
#include "check.h"
#include <stdlib.h>

static void test_text_slices_compare_by_content(void **state)
{
    (void)state;
    const Text a = TEXT("level");
    assert_true(text_is(a, "level"));
    assert_false(text_is(a, "leve"));
    assert_false(text_is(a, "levels"));
    assert_true(text_equal((Text){ 0 }, TEXT("")));
    assert_true(text_starts(a, "lev") && !text_starts(a, "levels"));
    assert_true(text_is(text_trim(TEXT(" \t x y\r\n")), "x y"));
    assert_int_equal(text_trim(TEXT("  ")).n, 0);
}

// Encode as the standard says, independently of the decoder.
static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00u >> n & 0xFFu) | c);
    return n;
}

static void test_text_utf8_reads_every_code_point(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x120000; c++) {
        char bytes[4];
        const size_t n = encode(c, bytes);
        size_t i = 0;
        const bool valid = c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
        const int32_t got = text_utf8_next((Text){ bytes, n }, &i);
        assert_int_equal(got, valid ? (int32_t)c : -1);
        assert_int_equal(i, valid ? n : 1);
        // cut short
        if (n > 1) {
            i = 0;
            assert_int_equal(text_utf8_next((Text){ bytes, n - 1 }, &i), -1);
        }
    }
}

static void test_text_utf8_refuses_ill_formed_bytes(void **state)
{
    (void)state;
    const char *const bad[] = { "\x80", "\xC0\xAF",         "\xC1\x81", "\xE0\x80\xAF", "\xF0\x80\x80\xAF",
                                "\xFF", "\xF5\x80\x80\x80", "\xC3(" };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        size_t i = 0, at = 99;
        assert_int_equal(text_utf8_next(text_from(bad[k]), &i), -1);
        assert_int_equal(i, 1);
        assert_false(text_is_utf8(text_from(bad[k]), &at));
        assert_int_equal(at, 0);
    }
    size_t at;
    assert_true(text_is_utf8(TEXT("Gr\xC3\xB6\xC3\x9F" "e \xE2\x88\x82"), &at));
    assert_false(text_is_utf8(TEXT("abc\xE2\x88"), &at));
    assert_int_equal(at, 3);
}

static void test_text_cells_count_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(text_cells(TEXT("abc")), 3);
    assert_int_equal(text_cells(TEXT("\xC3\xA9")), 1);              // é
    assert_int_equal(text_cells(TEXT("e\xCC\x81")), 1);             // e and a combining accent
    assert_int_equal(text_cells(TEXT("\xE6\xB0\xB4")), 2);          // a wide character
}

static void test_text_distance_counts_edits(void **state)
{
    (void)state;
    const struct { const char *a, *b; size_t d; } cases[] = {
        { "", "", 0 },           { "a", "", 1 },          { "", "abc", 3 },        { "level", "level", 0 },
        { "levle", "level", 1 }, { "kitten", "sitting", 3 }, { "ca", "abc", 3 },    { "flaw", "lawn", 2 },
        { "abcdef", "badcfe", 3 }, { "saturday", "sunday", 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Text a = text_from(cases[i].a), b = text_from(cases[i].b);
        for (size_t limit = 0; limit < 6; limit++) {
            const size_t expected = cases[i].d > limit ? limit + 1 : cases[i].d;
            assert_int_equal(text_distance(a, b, limit), expected);
            assert_int_equal(text_distance(b, a, limit), expected);
        }
    }
}

static void test_text_closest_finds_the_slip_or_nothing(void **state)
{
    (void)state;
    const char *const names[] = { "tau", "level", "Inflow", "temperature", "x", "X" };
    const size_t n = sizeof names / sizeof *names;
    assert_string_equal(text_closest("levle", names, n), "level");
    assert_string_equal(text_closest("LEVEL", names, n), "level");
    assert_string_equal(text_closest("inflow", names, n), "Inflow");
    assert_string_equal(text_closest("temprature", names, n), "temperature");
    assert_string_equal(text_closest("temprrature", names, n), "temperature");
    assert_string_equal(text_closest("taw", names, n), "tau");
    assert_string_equal(text_closest("levels", (const char *const[]){ "lebel", "level", "leveled" }, 3),
                        "level");
    assert_null(text_closest("zebra", names, n));
    assert_null(text_closest("y", names, n));    // one letter is near to every other
    assert_null(text_closest("level", names, 1));
    assert_null(text_closest("", names, n));

    char *longest = malloc(1000001);
    memset(longest, 'a', 1000000);
    longest[1000000] = 0;
    const char *const huge[] = { longest };
    assert_null(text_closest("aaaa", huge, 1));
    free(longest);
}

static void test_str_builds_on_the_heap_and_in_an_arena(void **state)
{
    (void)state;
    Arena arena = { 0 };
    StrBuf builders[] = { { 0 }, { .arena = &arena } };
    for (size_t k = 0; k < 2; k++) {
        StrBuf *s = &builders[k];
        for (int i = 0; i < 1000; i++) {
            str_add(s, "ab");
            str_addf(s, "%d", i % 10);
            str_add_char(s, ';');
            str_add_text(s, text_part(TEXT("xyz"), 1, 2));
        }
        str_addf(s, "%0*d", 3000, 0);
        assert_int_equal(s->n, 8000);
        char *text = str_finish(s);
        assert_int_equal(strlen(text), 8000);
        assert_memory_equal(text, "ab0;yab1;y", 10);
        assert_int_equal(s->n, 0);
        if (k == 0) free(text);
    }
    StrBuf empty = { 0 };
    char *text = str_finish(&empty);
    assert_string_equal(text, "");
    free(text);
    str_add(&empty, "dropped");
    str_free(&empty);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_slices_compare_by_content),
        cmocka_unit_test(test_text_utf8_reads_every_code_point),
        cmocka_unit_test(test_text_utf8_refuses_ill_formed_bytes),
        cmocka_unit_test(test_text_cells_count_what_a_terminal_shows),
        cmocka_unit_test(test_text_distance_counts_edits),
        cmocka_unit_test(test_text_closest_finds_the_slip_or_nothing),
        cmocka_unit_test(test_str_builds_on_the_heap_and_in_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
