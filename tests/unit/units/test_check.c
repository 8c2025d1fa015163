// tests/unit/units/test_check.c: runs tests/units/*.cases: what the units of a model are, or what is wrong with them.
//
// A case is some lines, a line `---`, the lines expected, and an empty line. A line `%% mode` says how the cases
// below it are read:
//
//     body    statements of a model, which is put around them
//     file    a whole file; its last model is checked
//
// A model that is right gives `ok` and the units that were found for what declares none. Messages are shown as
// `code line:column text | hint`, notes with `note` for a code. `#` at the start of a case is a remark.
// ORRERY_UPDATE_CASES=1 writes what is found into the files, for a person to read.
#include "base/diag.h"
#include "base/text.h"
#include "check.h"
#include "lang/parse.h"
#include "units/units.h"
#include <glob.h>
#include <stdlib.h>

static char *read_whole(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    StrBuf s = { 0 };
    size_t n;
    while ((n = fread(str_room(&s, 4096), 1, 4096, in)) > 0) s.n += n;
    fclose(in);
    str_add(&s, "");
    return str_finish(&s);
}

static void add_messages(StrBuf *s, const orr_diag *diag, size_t lines_before)
{
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        str_addf(s, "%s %zu:%zu %s", m.severity == ORR_SEVERITY_NOTE ? "note" : m.code, m.line - lines_before,
                 m.column, m.text);
        if (m.hint) str_addf(s, " | %s", m.hint);
        str_add_char(s, '\n');
    }
}

static char *result_of(bool is_body, Text input)
{
    StrBuf text = { 0 }, result = { 0 };
    if (is_body) str_add(&text, "model M\n");
    str_add_text(&text, input);
    str_add(&text, is_body ? "\nend\n" : "\n");
    orr_diag *diag = orr_diag_create();
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    const uint32_t file = diag_add_source(diag, "case", text.p, text.n);
    Units *units = NULL;
    const bool ok = parse_text(&ast, file, (Text){ text.p, text.n }, diag, NULL)
                    && units_check(&units, &ast, &vec_last(&ast.models), &arena, diag);
    assert_int_equal(ok, orr_diag_errors(diag) == 0);
    if (ok) {
        str_add(&result, units ? "ok" : "no units");
        const char *name, *unit;
        for (size_t i = 0; units_inferred(units, i, &name, &unit); i++)
            str_addf(&result, "%s %s [%s]", i ? "," : ":", name, unit);
        str_add_char(&result, '\n');
    }
    add_messages(&result, diag, is_body ? 1 : 0);
    orr_diag_destroy(diag);
    arena_free(&arena);
    str_free(&text);
    return str_finish(&result);
}

static Text next_line(const char **at)
{
    const char *start = *at, *end = strchr(start, '\n');
    if (!end) end = start + strlen(start);
    *at = *end ? end + 1 : end;
    return (Text){ start, (size_t)(end - start) };
}

static void run_file(const char *path, size_t *n_cases, size_t *n_failed)
{
    char *text = read_whole(path);
    const bool update = getenv("ORRERY_UPDATE_CASES") != NULL;
    StrBuf updated = { 0 };
    bool is_body = true;
    for (const char *at = text; *at;) {
        Text line = next_line(&at);
        if (text_starts(line, "%%")) is_body = text_ends(line, "body");
        if (line.n == 0 || text_starts(line, "%%") || text_starts(line, "# ")) {
            str_add_text(&updated, line);
            str_add_char(&updated, '\n');
            continue;
        }
        const char *start = line.p, *rule = NULL, *end = NULL;
        while (!end) {
            const char *before = at;
            line = next_line(&at);
            if (text_is(line, "---")) rule = before;
            else if (line.n == 0) end = before;
        }
        assert_non_null(rule);
        const Text input = { start, (size_t)(rule - 1 - start) }, wanted = { rule + 4, (size_t)(end - rule - 4) };
        char *found = result_of(is_body, input);
        ++*n_cases;
        str_addf(&updated, "%.*s\n---\n%s\n", (int)input.n, input.p, found);
        if (!update && !text_equal(text_from(found), wanted)) {
            print_error("%s:\n%.*s\n  expected: %.*s  found:    %s", path, (int)input.n, input.p, (int)wanted.n, wanted.p,
                        found);
            ++*n_failed;
        }
        free(found);
    }
    if (update) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fwrite(updated.p, 1, updated.n, out);
        fclose(out);
    }
    str_free(&updated);
    free(text);
}

static void test_units_cases_give_what_they_say(void **state)
{
    (void)state;
    const char *root = getenv("ORRERY_SOURCE_DIR");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/tests/units/*.cases", root ? root : ".");
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    size_t n_cases = 0, n_failed = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) run_file(files.gl_pathv[i], &n_cases, &n_failed);
    globfree(&files);
    printf("%zu cases\n", n_cases);
    assert_true(n_cases >= 40);
    assert_int_equal(n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_cases_give_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
