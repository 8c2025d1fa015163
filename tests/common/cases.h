// tests/common/cases.h: files of cases: what goes in, what must come out, hundreds at a glance.
//
// A case is a line of input, the lines expected, and an empty line. Input of several lines ends with a line
// `---`. A line `%% mode` says how the cases below it are read. `# ` at the start of a case is a remark.
// ORRERY_UPDATE_CASES=1 writes what is found into the files, for a person to read.
#pragma once
#include "base/diag.h"
#include "base/text.h"
#include "check.h"
#include <glob.h>
#include <stdlib.h>

typedef struct Cases {
    const char        *pattern;    // of the files, from the root of the project
    const char *const *modes;      // [n_modes] words after %%; a file starts with the last one
    int                n_modes;
    char *(*result_of)(int mode, Text input);    // what a case gives, every line ended; the caller frees it
    size_t             n, n_failed;
} Cases;

// Messages as `code line:column text | hint`, notes with `note` for a code.
static inline char *cases_messages(const orr_diag *diag, size_t lines_before)
{
    StrBuf s = { 0 };
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        str_addf(&s, "%s %zu:%zu %s", m.severity == ORR_SEVERITY_NOTE ? "note" : m.code,
                 m.line - lines_before, m.column, m.text);
        if (m.hint) str_addf(&s, " | %s", m.hint);
        str_add_char(&s, '\n');
    }
    if (orr_diag_not_shown(diag)) str_addf(&s, "and %zu more\n", orr_diag_not_shown(diag));
    return str_finish(&s);
}

static inline char *cases_read(const char *path)
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

static inline Text cases_next_line(const char **at)
{
    const char *start = *at, *end = strchr(start, '\n');
    if (!end) end = start + strlen(start);
    *at = *end ? end + 1 : end;
    return (Text){ start, (size_t)(end - start) };
}

static inline int cases_mode(const Cases *cases, Text word)
{
    for (int i = 0; i < cases->n_modes; i++)
        if (text_is(word, cases->modes[i])) return i;
    fail_msg("there is no mode %.*s", (int)word.n, word.p);
    return 0;
}

static inline void cases_run_file(Cases *cases, const char *path)
{
    char *text = cases_read(path);
    const bool update = getenv("ORRERY_UPDATE_CASES") != NULL;
    StrBuf updated = { 0 };
    int mode = cases->n_modes - 1;
    size_t line_number = 0;
    for (const char *at = text; *at;) {
        Text line = cases_next_line(&at);
        line_number++;
        if (text_starts(line, "%%")) mode = cases_mode(cases, text_trim(text_part(line, 2, line.n)));
        if (line.n == 0 || text_starts(line, "%%") || text_starts(line, "# ")) {
            str_add_text(&updated, line);
            str_add_char(&updated, '\n');
            continue;
        }

        // a block up to the next empty line; its input is the first line, or all before `---`
        const size_t first = line_number;
        const char *start = line.p, *input_end = line.p + line.n, *expected = at;
        while (*at) {
            const char *before = at;
            line = cases_next_line(&at);
            line_number++;
            if (line.n == 0) {
                at = before;
                line_number--;
                break;
            }
            if (text_is(line, "---")) {
                input_end = before - 1;
                expected = at;
            }
        }
        const Text input = { start, (size_t)(input_end - start) };
        const Text wanted = { expected, at > expected ? (size_t)(at - expected) : 0 };
        char *found = cases->result_of(mode, input);
        cases->n++;
        str_add_text(&updated, (Text){ start, (size_t)(expected - start) });
        if (expected[-1] != '\n') str_add_char(&updated, '\n');
        str_add(&updated, found);
        if (!update && !text_equal(text_from(found), wanted)) {
            print_error("%s:%zu: %.*s\n  expected: %.*s  found:    %s", path, first, (int)input.n, input.p,
                        (int)wanted.n, wanted.p, found);
            cases->n_failed++;
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

// Run all files; fails if a case does, or if there are not even `at_least`.
static inline void cases_run(Cases *cases, size_t at_least)
{
    const char *root = getenv("ORRERY_SOURCE_DIR");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/%s", root ? root : ".", cases->pattern);
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) cases_run_file(cases, files.gl_pathv[i]);
    globfree(&files);
    printf("%zu cases\n", cases->n);
    assert_true(cases->n >= at_least);
    assert_int_equal(cases->n_failed, 0);
}
