// tests/unit/base/test_diag.c: promises of the diagnostics: what is kept, in which order, and how it is
// drawn.
#include "base/diag.h"
#include "check.h"
#include <stdlib.h>

static const char tank[] = "model Tank\n"
                           "  param tau = 1\n"
                           "  var level = 1\n"
                           "\n"
                           "\n"
                           "\n"
                           "  level' = levle / tau\n"
                           "end\n";

// free() it. Not inlined: gcc 12 would take the buffer of open_memstream for the pointer to it.
__attribute__((noinline)) static char *printed(const orr_diag *diag, int colour)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    orr_diag_print(diag, out, colour);
    fclose(out);
    return text;
}

static Place place_of(uint32_t file, const char *text, const char *part)
{
    const char *p = strstr(text, part);
    assert_non_null(p);
    return (Place){ file, (uint32_t)(p - text), (uint32_t)strlen(part) };
}

static void assert_printed(const orr_diag *diag, const char *expected)
{
    char *text = printed(diag, 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_diag_draws_the_line_the_span_and_the_hint(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "tank.orr", tank, strlen(tank));
    diag_report(diag, DIAG_NAME_UNKNOWN, place_of(file, tank, "levle"), "levle", "Tank");
    diag_hint(diag, "did you mean '%s' (line %d)?", "level", 3);
    assert_printed(diag, "tank.orr:7:12: error E101: nothing called 'levle' is declared in 'Tank'\n"
                         "    7 |   level' = levle / tau\n"
                         "      |            ^~~~~ did you mean 'level' (line 3)?\n");
    diag_note(diag, place_of(file, tank, "level ="), "'level' is declared here");
    assert_printed(diag, "tank.orr:7:12: error E101: nothing called 'levle' is declared in 'Tank'\n"
                         "    7 |   level' = levle / tau\n"
                         "      |            ^~~~~ did you mean 'level' (line 3)?\n"
                         "tank.orr:3:7: note: 'level' is declared here\n"
                         "    3 |   var level = 1\n"
                         "      |       ^~~~~~~\n");
    orr_diag_destroy(diag);
}

static void test_diag_gives_each_message_as_data(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "tank.orr", tank, strlen(tank));
    diag_report(diag, DIAG_NAME_UNUSED, place_of(file, tank, "tau"), "tau");
    diag_report(diag, DIAG_NAME_UNKNOWN, place_of(file, tank, "levle"), "levle", "Tank");
    diag_hint(diag, "next");
    diag_note(diag, (Place){ 0 }, "remark");
    assert_int_equal(orr_diag_errors(diag), 1);
    assert_int_equal(orr_diag_warnings(diag), 1);
    assert_int_equal(orr_diag_count(diag), 3);

    const orr_message warning = orr_diag_get(diag, 0), error = orr_diag_get(diag, 1),
                      note = orr_diag_get(diag, 2);
    assert_int_equal(warning.severity, ORR_SEVERITY_WARNING);
    assert_string_equal(warning.code, "W601");
    assert_null(warning.hint);
    assert_int_equal(error.severity, ORR_SEVERITY_ERROR);
    assert_string_equal(error.file, "tank.orr");
    assert_int_equal(error.line, 7);
    assert_int_equal(error.column, 12);
    assert_int_equal(error.length, 5);
    assert_string_equal(error.hint, "next");
    assert_string_equal(error.source_line, "  level' = levle / tau");
    assert_int_equal(note.severity, ORR_SEVERITY_NOTE);
    assert_string_equal(note.code, "");
    assert_null(note.file);
    assert_int_equal(note.line, 0);

    orr_diag_clear(diag);
    assert_int_equal(orr_diag_count(diag), 0);
    assert_int_equal(orr_diag_errors(diag), 0);
    assert_printed(diag, "");
    orr_diag_destroy(diag);
}

static void test_diag_messages_that_follow_have_places_or_do_without(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "a", "one\ntwo\n", 8);
    for (int i = 0; i < 3; i++) {
        diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 4, 3 }), "x");
        diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 4, 3 }), "x");
        assert_int_equal(orr_diag_count(diag), 1);
        assert_int_equal(orr_diag_get(diag, 0).line, 2);
        assert_string_equal(orr_diag_get(diag, 0).source_line, "two");
        orr_diag_forget(diag);
        assert_int_equal(orr_diag_count(diag), 0);
        assert_int_equal(orr_diag_errors(diag), 0);
    }
    orr_diag_clear(diag);    // the file is not known any more
    for (int i = 0; i < 2; i++) diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 4, 3 }), "x");
    assert_printed(diag, "error E102: 'x' is declared twice\n");
    orr_diag_destroy(diag);
}

static void test_diag_sorts_by_file_and_place_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t a = diag_add_source(diag, "a", "one\ntwo\n", 8),
                   b = diag_add_source(diag, "b", "three\n", 6);
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, "last");
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ b, 0, 1 }), "4");
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ a, 4, 1 }), "2");
    diag_report(diag, DIAG_NAME_UNUSED, ((Place){ a, 4, 1 }), "3");
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ a, 0, 1 }), "1");
    diag_hint(diag, "to the latest, not to the last in order");
    const char *const expected[] = { "'1' is declared twice", "'2' is declared twice", "'3' is never used",
                                     "'4' is declared twice", "there is no file 'last'" };
    for (size_t i = 0; i < 5; i++) assert_string_equal(orr_diag_get(diag, i).text, expected[i]);
    assert_non_null(orr_diag_get(diag, 0).hint);
    orr_diag_destroy(diag);
}

static void test_diag_drops_repetitions_and_what_belongs_to_them(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "tank.orr", tank, strlen(tank));
    for (int i = 0; i < 3; i++) {
        diag_report(diag, DIAG_NAME_UNKNOWN, place_of(file, tank, "levle"), "levle", i ? "again" : "Tank");
        diag_hint(diag, "hint %d", i);
        diag_note(diag, (Place){ 0 }, "note %d", i);
    }
    // without a place the text decides
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, "a");
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, "b");
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, "a");
    assert_int_equal(orr_diag_errors(diag), 3);
    assert_int_equal(orr_diag_count(diag), 4);
    assert_string_equal(orr_diag_get(diag, 0).hint, "hint 0");
    assert_string_equal(orr_diag_get(diag, 1).text, "note 0");
    orr_diag_destroy(diag);
}

static void test_diag_keeps_fifty_messages_and_counts_the_others(void **state)
{
    (void)state;
    char text[200];
    memset(text, 'x', sizeof text);
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "f", text, sizeof text);
    for (uint32_t i = 0; i < 120; i++) {
        diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, i, 1 }), "x");
        diag_hint(diag, "%u", i);
    }
    assert_int_equal(orr_diag_count(diag), DIAG_MESSAGES_MAX);
    assert_int_equal(orr_diag_errors(diag), 120);
    assert_int_equal(orr_diag_not_shown(diag), 70);
    assert_string_equal(orr_diag_get(diag, 49).hint, "49");
    char *out = printed(diag, 0);
    assert_contains(out, "too many messages: 70 more not shown\n");
    free(out);
    orr_diag_destroy(diag);
}

static void test_diag_counts_columns_in_characters_and_draws_in_cells(void **state)
{
    (void)state;
    // a tab, a letter of two bytes, one that is two cells wide, then the culprit; CRLF at the end
    const char text[] = "\tgr\xC3\xB6\xE6\xB0\xB4 bad\r\n";
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "f", text, strlen(text));
    diag_report(diag, DIAG_NAME_TWICE, place_of(file, text, "bad"), "bad");
    assert_printed(diag, "f:1:7: error E102: 'bad' is declared twice\n"
                         "    1 |     gr\xC3\xB6\xE6\xB0\xB4 bad\n"
                         "      |           ^~~\n");
    orr_diag_destroy(diag);
}

static void test_diag_marks_the_end_of_a_line_and_of_the_file(void **state)
{
    (void)state;
    const char text[] = "ab\ncd";
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "f", text, strlen(text));
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 1, 4 }), "over the end");    // more than the line has
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 2, 0 }), "line end");
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 5, 0 }), "file end");
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 4000000000u, 4000000000u }), "far out");
    assert_printed(diag, "f:1:2: error E102: 'over the end' is declared twice\n"
                         "    1 | ab\n"
                         "      |  ^\n"
                         "f:1:3: error E102: 'line end' is declared twice\n"
                         "    1 | ab\n"
                         "      |   ^\n"
                         "f:2:3: error E102: 'file end' is declared twice\n"
                         "    2 | cd\n"
                         "      |   ^\n"
                         "f:2:3: error E102: 'far out' is declared twice\n"
                         "    2 | cd\n"
                         "      |   ^\n");
    orr_diag_destroy(diag);

    diag = orr_diag_create();
    const uint32_t empty = diag_add_source(diag, "empty", "", 0);
    diag_report(diag, DIAG_FILE_MISSING, ((Place){ empty, 0, 0 }), "empty");
    assert_printed(diag, "empty:1:1: error E001: there is no file 'empty'\n    1 | \n      | ^\n");
    orr_diag_destroy(diag);
}

static void test_diag_cuts_long_lines_around_the_span(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *text = malloc(N + 1);
    for (size_t i = 0; i < N; i++) text[i] = (char)('a' + i % 26);
    text[N] = 0;
    const uint32_t spots[] = { 0, 50, 500000, N - 10 };
    for (size_t k = 0; k < 4; k++) {
        memcpy(text + spots[k], "CULPRIT", 7);
        orr_diag *diag = orr_diag_create();
        const uint32_t file = diag_add_source(diag, "f", text, N);
        diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, spots[k], 7 }), "x");
        char *out = printed(diag, 0);
        assert_true(strlen(out) < 400);
        // the underline stands below the culprit
        const char *line = strstr(out, "    1 | "), *under = strstr(out, "      | ");
        assert_true(line && under);
        assert_int_equal(strstr(line, "CULPRIT") - line, strstr(under, "^~~~~~~") - under);
        assert_null(strstr(under, "^~~~~~~~"));
        free(out);
        orr_diag_destroy(diag);
        for (size_t i = spots[k]; i < spots[k] + 7; i++) text[i] = 'z';
    }
    free(text);
}

static void test_diag_never_sends_control_characters(void **state)
{
    (void)state;
    char text[400];
    size_t n = 0;
    for (int c = 1; c < 256; c++)
        if (c != '\n') text[n++] = (char)c;
    memcpy(text + n, "\xC2\x9B\xE2\x80\xAE\xE2\x81\xA6", 8);    // CSI in UTF-8, direction overrides
    n += 8;
    text[n] = 0;
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "bad\33[31m\nname", text, n);
    diag_report(diag, DIAG_NAME_TWICE, ((Place){ file, 5, 3 }), text);
    diag_hint(diag, "%s", text);
    char *out = printed(diag, 0);
    for (const char *p = out; *p; p++) assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
    assert_null(strchr(out, 0x7F));
    assert_null(strstr(out, "\xC2\x9B"));
    assert_null(strstr(out, "\xE2\x80\xAE"));
    assert_null(strstr(out, "\xE2\x81\xA6"));
    assert_true(text_is_utf8(text_from(out), NULL));
    free(out);
    orr_diag_destroy(diag);
}

static void test_diag_cuts_endless_texts(void **state)
{
    (void)state;
    char *name = malloc(1000001);
    memset(name, 'n', 1000000);
    name[1000000] = 0;
    orr_diag *diag = orr_diag_create();
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, name);
    assert_true(strlen(orr_diag_get(diag, 0).text) < 3000);
    assert_contains(orr_diag_get(diag, 0).text, "nnn...");
    orr_diag_destroy(diag);
    free(name);
}

static void test_diag_locates_every_offset(void **state)
{
    (void)state;
    const char text[] = "ab\n\nc\xC3\xA9" "d\nlast";
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "f", text, strlen(text));
    size_t line = 1, column = 1;
    for (uint32_t i = 0; i <= strlen(text); i++) {
        if (((unsigned char)text[i] & 0xC0) == 0x80) continue;
        size_t l, c;
        diag_locate(diag, (Place){ file, i, 1 }, &l, &c);
        assert_int_equal(l, line);
        assert_int_equal(c, column);
        column++;
        if (text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    assert_int_equal(diag_line(diag, (Place){ 0 }), 0);
    assert_int_equal(diag_line(diag, (Place){ 77, 1, 1 }), 0);
    orr_diag_destroy(diag);
}

static void test_diag_knows_a_source_again(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const uint32_t a = diag_add_source(diag, "a", "text", 4), b = diag_add_source(diag, "a", "texts", 5);
    assert_int_not_equal(a, b);
    assert_int_equal(diag_add_source(diag, "a", "texts", 5), b);
    const uint32_t bare = diag_add_source(diag, "data.csv", NULL, 0);
    assert_int_equal(diag_add_source(diag, "data.csv", NULL, 0), bare);

    // a source without text: the place is line and column
    diag_report(diag, DIAG_CSV_NOT_NUMBER, ((Place){ bare, 17, 0 }), "abc", "x");
    diag_hint(diag, "repair it");
    diag_report(diag, DIAG_CSV_NOT_NUMBER, ((Place){ bare, 18, 4 }), "abc", "x");
    assert_printed(diag, "data.csv:17: error E042: 'abc' in column 'x' is not a number\n      repair it\n"
                         "data.csv:18:4: error E042: 'abc' in column 'x' is not a number\n");
    orr_diag_destroy(diag);
}

static void test_diag_takes_messages_of_a_caller(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    // no formats: taken as they are
    orr_diag_add(diag, "E021", "there is no option '%s'", "a hint with a %d");
    orr_diag_add(diag, "W601", "left out", NULL);
    assert_printed(diag,
                   "error E021: there is no option '%s'\n      a hint with a %d\nwarning W601: left out\n");
    orr_diag_destroy(diag);
}

static void test_diag_without_a_collector_forgets(void **state)
{
    (void)state;
    assert_int_equal(diag_add_source(NULL, "a", "b", 1), 0);
    diag_report(NULL, DIAG_FILE_MISSING, (Place){ 0 }, "a");
    diag_hint(NULL, "x");
    diag_note(NULL, (Place){ 0 }, "x");
    assert_null(diag_path(NULL, 1));
    orr_diag_destroy(NULL);
}

static void test_diag_colours_only_when_asked(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, "a");
    char *plain = printed(diag, 0), *coloured = printed(diag, 1);
    assert_null(strchr(plain, '\33'));
    assert_contains(coloured, "\33[1;31merror E001\33[0m");
    free(plain);
    free(coloured);
    orr_diag_destroy(diag);
}

static void test_codes_are_sorted_unique_and_explained(void **state)
{
    (void)state;
    const char *before = "", *pattern;
    size_t missing = 0;
    for (size_t i = 0; orr_code_at(i, &pattern); i++) {
        const char *code = orr_code_at(i, NULL);
        assert_int_equal(strlen(code), 4);
        assert_true(code[0] == (code[1] == '6' ? 'W' : 'E'));
        assert_true(before[0] == 0 || strcmp(before + 1, code + 1) < 0);
        before = code;
        assert_true(strlen(pattern) >= 2);

        const char *text = orr_explain(code);
        if (!text) {
            print_error("%s has no explanation in explain_list.h\n", code);
            missing++;
            continue;
        }
        assert_true(text_is_utf8(text_from(text), NULL));
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 100) {
                print_error("%s: a line is longer than 100 columns: %.60s\n", code, line);
                missing++;
            }
    }
    assert_int_equal(missing, 0);
    assert_null(orr_code_at(DIAG_COUNT, NULL));
    assert_ptr_equal(orr_explain("e101"), orr_explain("E101"));
    const char *const unknown[] = { "E999", "", "E1", "E1011", "X101", "101" };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) assert_null(orr_explain(unknown[i]));
    assert_null(orr_explain(NULL));
}

static void test_every_status_has_a_text(void **state)
{
    (void)state;
    for (int s = ORR_STATUS_OK; s <= ORR_STATUS_SYSTEM; s++)
        assert_string_not_equal(orr_status_text((orr_status)s), "unknown status");
    assert_string_equal(orr_status_text((orr_status)99), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diag_draws_the_line_the_span_and_the_hint),
        cmocka_unit_test(test_diag_gives_each_message_as_data),
        cmocka_unit_test(test_diag_messages_that_follow_have_places_or_do_without),
        cmocka_unit_test(test_diag_sorts_by_file_and_place_and_keeps_the_order_of_equals),
        cmocka_unit_test(test_diag_drops_repetitions_and_what_belongs_to_them),
        cmocka_unit_test(test_diag_keeps_fifty_messages_and_counts_the_others),
        cmocka_unit_test(test_diag_counts_columns_in_characters_and_draws_in_cells),
        cmocka_unit_test(test_diag_marks_the_end_of_a_line_and_of_the_file),
        cmocka_unit_test(test_diag_cuts_long_lines_around_the_span),
        cmocka_unit_test(test_diag_never_sends_control_characters),
        cmocka_unit_test(test_diag_cuts_endless_texts),
        cmocka_unit_test(test_diag_locates_every_offset),
        cmocka_unit_test(test_diag_knows_a_source_again),
        cmocka_unit_test(test_diag_takes_messages_of_a_caller),
        cmocka_unit_test(test_diag_without_a_collector_forgets),
        cmocka_unit_test(test_diag_colours_only_when_asked),
        cmocka_unit_test(test_codes_are_sorted_unique_and_explained),
        cmocka_unit_test(test_every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
