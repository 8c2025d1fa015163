// tests/unit/lang/test_cases.c: runs tests/lang/*.cases: what a piece of text means, as it is printed again,
// or which messages it gives.
//
// A case is a line of input, the lines expected, and an empty line. Input of several lines ends with a line
// `---`. A line `%% mode` says how the cases below it are read:
//
//     expr     one expression; printed with as few parentheses as possible
//     body     statements of a model, which is put around them
//     file     a whole file
//     format   a whole file; the result is its layout; an empty line is shown as `.`
//
// Messages are shown as `code line:column text | hint`, notes with `note` for a code. A text that means
// something is also printed, read and printed again, and formatted twice, without a difference. `#` at the
// start of a case is a remark. ORRERY_UPDATE_CASES=1 writes what is found into the files, for a person to
// read.
#include "cases.h"
#include "lang/format.h"
#include "lang/parse.h"

typedef enum Mode { MODE_EXPR, MODE_BODY, MODE_FORMAT, MODE_FILE } Mode;

// ---- Reading a text in each mode; NULL after an error

static char *print_expr(Text text, uint32_t file, orr_diag *diag)
{
    Arena arena = { 0 };
    char *result = NULL;
    const AstExpr *e = parse_expression(&arena, file, text, diag);
    if (e) {
        size_t n;
        FILE *out = open_memstream(&result, &n);
        ast_print_expr(e, out);
        fputc('\n', out);
        fclose(out);
    }
    arena_free(&arena);
    return result;
}

static char *print_file(Text text, uint32_t file, orr_diag *diag)
{
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    char *result = NULL;
    if (parse_text(&ast, file, text, diag, NULL)) {
        size_t n;
        FILE *out = open_memstream(&result, &n);
        ast_print(&ast, out);
        fclose(out);
    }
    arena_free(&arena);
    return result;
}

static char *print_in(Mode mode, Text text, uint32_t file, orr_diag *diag)
{
    return mode == MODE_EXPR ? print_expr(text, file, diag) : print_file(text, file, diag);
}

// The lines between the first and the last, one step of indentation less.
static char *take_body(char *printed)
{
    StrBuf s = { 0 };
    for (char *line = printed, *end; (end = strchr(line, '\n')); line = end + 1) {
        if (line == printed || !strchr(end + 1, '\n')) continue;
        str_add_text(&s, (Text){ line + 2, (size_t)(end - line) - 1 });
    }
    free(printed);
    return str_finish(&s);
}

// ---- What holds for every text that means something

// The next token, or the next comment.
static Token next_of(Lexer *lexer, bool comments)
{
    Token token;
    do token = lex_next(lexer);
    while (comments && token.kind != TOKEN_COMMENT && token.kind != TOKEN_EOF);
    return token;
}

// Comments are compared by themselves: a line end may come before or after one.
static bool same_stream(const char *a, const char *b, bool comments)
{
    Lexer x, y;
    lex_init(&x, text_from(a), 0, NULL);
    lex_init(&y, text_from(b), 0, NULL);
    x.keep_comments = y.keep_comments = comments;
    for (;;) {
        const Token p = next_of(&x, comments), q = next_of(&y, comments);
        if (p.kind != q.kind) return false;
        if (p.kind == TOKEN_EOF) return true;
        if (p.kind != TOKEN_END && !text_equal(text_trim(lex_inner(&x, p)), text_trim(lex_inner(&y, q))))
            return false;
    }
}

static bool same_tokens(const char *a, const char *b)
{
    return same_stream(a, b, false) && same_stream(a, b, true);
}

static void check_layout(const char *text)
{
    StrBuf once = { 0 }, twice = { 0 };
    assert_true(format_text(text_from(text), 0, &once, NULL));
    str_add(&once, "");
    if (!same_tokens(text, once.p)) {
        print_error("the layout changed the tokens of\n%s\ninto\n%s\n", text, once.p);
        fail();
    }
    assert_true(format_text((Text){ once.p, once.n }, 0, &twice, NULL));
    str_add(&twice, "");
    assert_string_equal(once.p, twice.p);
    str_free(&once);
    str_free(&twice);
}

static void check_round_trip(Mode mode, const char *printed)
{
    orr_diag *diag = orr_diag_create();
    char *again = print_in(mode, text_from(printed),
                           diag_add_source(diag, "printed", printed, strlen(printed)), diag);
    if (!again || strcmp(printed, again) != 0) {
        orr_diag_print(diag, stderr, 0);
        print_error("printed\n%sand read again\n%s\n", printed, again ? again : "(errors)");
        fail();
    }
    free(again);
    orr_diag_destroy(diag);
}

// ---- One case

static char *result_of(int number, Text input)
{
    const Mode mode = (Mode)number;
    StrBuf text = { 0 };
    if (mode == MODE_BODY) str_add(&text, "model M\n");
    for (size_t i = 0; i < input.n; i++) {
        const bool alone = (i == 0 || input.p[i - 1] == '\n') && (i + 1 == input.n || input.p[i + 1] == '\n');
        if (mode != MODE_FORMAT || input.p[i] != '.' || !alone) str_add_char(&text, input.p[i]);
    }
    if (mode == MODE_BODY) str_add(&text, "\nend\n");
    str_add(&text, "");

    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "case", text.p, text.n);
    char *result = NULL;
    if (mode == MODE_FORMAT) {
        StrBuf out = { 0 };
        if (format_text((Text){ text.p, text.n }, file, &out, diag)) {
            // an empty line would end the case
            StrBuf shown = { 0 };
            for (size_t i = 0; i < out.n; i++) {
                if (out.p[i] == '\n' && (i == 0 || out.p[i - 1] == '\n')) str_add_char(&shown, '.');
                str_add_char(&shown, out.p[i]);
            }
            result = str_finish(&shown);
            check_layout(text.p);
        }
        str_free(&out);
    } else {
        result = print_in(mode, (Text){ text.p, text.n }, file, diag);
        if (result) {
            check_round_trip(mode, result);
            if (mode != MODE_EXPR) check_layout(text.p);
            if (mode == MODE_BODY) result = take_body(result);
        }
    }
    // messages exactly if it failed
    assert_int_equal(result == NULL, orr_diag_errors(diag) > 0);
    if (!result) result = cases_messages(diag, mode == MODE_BODY ? 1 : 0);
    else if (result[0] == '\0') {
        free(result);
        result = strdup("(nothing)\n");
    }
    orr_diag_destroy(diag);
    str_free(&text);
    return result;
}

static void test_cases_give_what_they_say(void **state)
{
    (void)state;
    static const char *const modes[] = { "expr", "body", "format", "file" };
    Cases cases = { .pattern = "tests/lang/*.cases", .modes = modes, .n_modes = 4, .result_of = result_of };
    cases_run(&cases, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases_give_what_they_say) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
