// tests/unit/lang/test_lex.c: promises of the token stream.
#include "base/text.h"
#include "check.h"
#include "lang/lex.h"
#include <stdlib.h>

// The kinds of a text as words: "NAME EQUALS NUMBER END".
static char *kinds_of(const char *text, size_t *n_errors)
{
    static const char *const names[TOKEN_COUNT] = {
#define T(NAME, WORDS) [TOKEN_##NAME] = #NAME,
        TOKEN_LIST(T)
#undef T
    };
    Lexer lexer;
    lex_init(&lexer, text_from(text), 0, NULL);
    StrBuf s = { 0 };
    for (Token token; (token = lex_next(&lexer)).kind != TOKEN_EOF;)
        str_addf(&s, "%s%s", s.n ? " " : "", names[token.kind]);
    if (n_errors) *n_errors = lexer.n_errors;
    return str_finish(&s);
}

static void check_kinds(const char *text, const char *expected)
{
    size_t n_errors;
    char *found = kinds_of(text, &n_errors);
    assert_string_equal(found, expected);
    assert_int_equal(n_errors, 0);
    free(found);
}

static void test_lex_line_end_is_a_statement_end(void **state)
{
    (void)state;
    check_kinds("", "");
    check_kinds("\n\n# only a comment\n  \n", "");
    check_kinds("a", "NAME END");
    check_kinds("a\n", "NAME END");
    check_kinds("a\n\n\nb # c\n", "NAME END NAME END");
    check_kinds("a;b;;\n;c;", "NAME END NAME END NAME END");
    check_kinds("a\r\nb\r\n", "NAME END NAME END");
    check_kinds("a\rb", "NAME END NAME END");
    check_kinds("\xEF\xBB\xBF" "a", "NAME END");
}

static void test_lex_line_goes_on_after_what_cannot_end_a_statement(void **state)
{
    (void)state;
    static const char *const open[] = { "+",  "-",   "*",  "/",   "^",  "<",    "<=",  ">", ">=",
                                        "==", "!=",  "=",  ":=",  "->", ",",    ":",   "~", ".",
                                        "..", "and", "or", "not", "if", "then", "else" };
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        char text[64];
        snprintf(text, sizeof text, "a %s\n\n # comment\n b", open[i]);
        char *kinds = kinds_of(text, NULL);
        size_t n_ends = 0;
        for (const char *at = kinds; (at = strstr(at, "END")); at++) n_ends++;
        if (n_ends != 1) fail_msg("'%s' ends a line", open[i]);
        free(kinds);
    }
    check_kinds("a\n+ b", "NAME END PLUS NAME END");
    check_kinds("(a\n+ b\n)\nc", "LPAREN NAME PLUS NAME RPAREN END NAME END");
    check_kinds("u[a\n]\nc", "NAME LBRACKET NAME RBRACKET END NAME END");
    check_kinds("(a;b)", "LPAREN NAME END NAME RPAREN END");
    check_kinds("a)\nb", "NAME RPAREN END NAME END");
}

static void test_lex_bracket_touching_is_an_index_else_a_unit(void **state)
{
    (void)state;
    check_kinds("u[3]", "NAME LBRACKET NUMBER RBRACKET END");
    check_kinds("u [m/s^2]", "NAME UNIT END");
    check_kinds("5 [km] [x y]", "NUMBER UNIT UNIT END");
    check_kinds("[m]", "UNIT END");
    check_kinds("a\n[m]", "NAME END UNIT END");
    check_kinds("(\n[m])", "LPAREN UNIT RPAREN END");
    check_kinds("\"a b\"[1]'", "QUOTED LBRACKET NUMBER RBRACKET PRIME END");
}

static void test_lex_numbers_have_digits_on_both_sides_of_the_point(void **state)
{
    (void)state;
    check_kinds("1..2", "NUMBER RANGE NUMBER END");
    check_kinds("1.5..2.5", "NUMBER RANGE NUMBER END");
    check_kinds("1e-3 1E+3 1e3 1.5e3", "NUMBER NUMBER NUMBER NUMBER END");
    check_kinds("1..n-1", "NUMBER RANGE NAME MINUS NUMBER END");
    static const char *const bad[] = { "1.",   "1.x",   "1e",    "1e+",  "2x",   "1.2.3",
                                       "0x1F", "1_000", "1e5e5", "1.e5", "5.5.", "3é" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t n_errors;
        char *kinds = kinds_of(bad[i], &n_errors);
        if (n_errors != 1 || strncmp(kinds, "NUMBER", 6) != 0)
            fail_msg("%s gives %s, %zu errors", bad[i], kinds, n_errors);
        free(kinds);
    }
}

static void test_lex_names_are_letters_of_any_alphabet(void **state)
{
    (void)state;
    check_kinds("x _x x1 \xCE\xB1 gr\xC3\xB6\xC3\x9F"
                "e \xE6\xB0\xB4 x\xE2\x82\x82",
                "NAME NAME NAME NAME NAME NAME NAME END");
    check_kinds("iff orr nott", "NAME NAME NAME END");
    assert_true(lex_is_name(TEXT("x1")));
    assert_true(lex_is_name(TEXT("\xCE\xB1")));
    assert_true(lex_is_name(TEXT("model")));
    assert_false(lex_is_name(TEXT("")));
    assert_false(lex_is_name(TEXT("1x")));
    assert_false(lex_is_name(TEXT("a b")));
    assert_false(lex_is_name(TEXT("if")));
    assert_false(lex_is_name(TEXT("x\xC2\xB2")));
    assert_false(lex_is_name(TEXT("x\xFF")));
}

static void test_lex_texts_and_units_end_in_their_line(void **state)
{
    (void)state;
    size_t n_errors;
    free(kinds_of("\"a\nb", &n_errors));
    assert_int_equal(n_errors, 1);
    free(kinds_of("5 [a\nb]", &n_errors));
    assert_true(n_errors >= 1);

    Lexer lexer;
    lex_init(&lexer, TEXT("\"two words\"  [ N m ]"), 0, NULL);
    Token token = lex_next(&lexer);
    assert_true(text_is(lex_inner(&lexer, token), "two words"));
    assert_true(text_is(lex_text(&lexer, token), "\"two words\""));
    token = lex_next(&lexer);
    assert_true(text_is(lex_inner(&lexer, token), "N m"));
    assert_true(token.space_before);
}

static void test_lex_quiet_counts_but_does_not_report(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    Lexer lexer;
    lex_init(&lexer, TEXT("@ \x01 \xFF"), diag_add_source(diag, "x", "@ \x01 \xFF", 5), diag);
    lexer.quiet = true;
    while (lex_next(&lexer).kind != TOKEN_EOF) continue;
    assert_int_equal(lexer.n_errors, 3);
    assert_int_equal(orr_diag_errors(diag), 0);
    lexer.at = 0;
    lexer.quiet = false;
    while (lex_next(&lexer).kind != TOKEN_EOF) continue;
    assert_int_equal(orr_diag_errors(diag), 3);
    orr_diag_destroy(diag);
}

// Tokens are in order, inside the text, and all that lies between them is white space, comments or reported.
static void check_cover(Text text)
{
    Lexer lexer;
    lex_init(&lexer, text, 0, NULL);
    lexer.keep_comments = true;
    size_t end = lexer.at, n = 0;
    TokenKind previous = TOKEN_END;
    for (Token token; (token = lex_next(&lexer)).kind != TOKEN_EOF; n++) {
        assert_true(token.offset >= end);
        assert_true((size_t)token.offset + token.length <= text.n);
        assert_false(token.kind == TOKEN_END && previous == TOKEN_END);
        if (token.kind != TOKEN_END) assert_true(token.length > 0);
        if (lexer.n_errors == 0)
            for (size_t i = end; i < token.offset; i++) assert_non_null(memchr(" \t\f\v\r\n;", text.p[i], 7));
        end = (size_t)token.offset + token.length;
        if (token.kind != TOKEN_COMMENT) previous = token.kind;
        assert_true(n <= text.n + 1);
    }
    assert_int_equal(lex_next(&lexer).kind, TOKEN_EOF);
}

static void test_lex_any_bytes_give_tokens_in_order(void **state)
{
    (void)state;
    static const char bytes[] = "abx01 2.e+-*/^<>=!:~'\"()[];,#\n\r\t\\@\xC3\xA9\xFF\x01";
    uint64_t random = 12345;
    char text[200];
    for (int round = 0; round < 20000; round++) {
        size_t n = 0;
        random = random * 6364136223846793005u + 1442695040888963407u;
        const size_t length = (random >> 40) % sizeof text;
        while (n < length) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[n++] = bytes[(random >> 33) % (sizeof bytes - 1)];
        }
        char *exact = malloc(n ? n : 1);    // so that a sanitizer sees a byte read behind it
        memcpy(exact, text, n);
        check_cover((Text){ exact, n });
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lex_line_end_is_a_statement_end),
        cmocka_unit_test(test_lex_line_goes_on_after_what_cannot_end_a_statement),
        cmocka_unit_test(test_lex_bracket_touching_is_an_index_else_a_unit),
        cmocka_unit_test(test_lex_numbers_have_digits_on_both_sides_of_the_point),
        cmocka_unit_test(test_lex_names_are_letters_of_any_alphabet),
        cmocka_unit_test(test_lex_texts_and_units_end_in_their_line),
        cmocka_unit_test(test_lex_quiet_counts_but_does_not_report),
        cmocka_unit_test(test_lex_any_bytes_give_tokens_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
