// tests/fuzz/fuzz_program.c: the examples and the models of the tests, changed in their structure (tokens
// swapped, lines doubled or removed, numbers made extreme, files cut off, two files spliced), through what
// the program does with a file: formatting, checking, running by every solver, saving and going on,
// ensembles, export. Whatever fails has a message; formatting twice gives the same bytes.
//
// The input is where the changes are and what is done, four bytes each; the files are found by
// ORRERY_SOURCE_DIR.
#include "orrery/ensemble.h"
#include "orrery/experiment.h"
#include "orrery/orrery.h"
#include "run/run.h"
#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 30000, CPU_SECONDS = 60, MEMORY_GB = 4 };

typedef struct File {
    const char *path;
    char *text;
    size_t n;
} File;

static File *files;
static size_t n_files;
static jmp_buf no_memory;

// More memory than a case may take is no failure of it. What it had is lost.
void orr_no_memory(size_t bytes)
{
    (void)bytes;
    longjmp(no_memory, 1);
}

static void must(bool ok)
{
    if (!ok) abort();
}

static void read_files(void)
{
    static const char *const patterns[] = { "examples/*.orr", "examples/*.csmp", "tests/models/*.orr" };
    const char *root = getenv("ORRERY_SOURCE_DIR");
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        char pattern[1000];
        snprintf(pattern, sizeof pattern, "%s/%s", root ? root : ".", patterns[k]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        files = realloc(files, (n_files + found.gl_pathc) * sizeof *files);
        must(files);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            FILE *in = fopen(found.gl_pathv[i], "rb");
            File *f = &files[n_files];
            must(in);
            *f = (File){ strdup(found.gl_pathv[i]), malloc(TEXT_MAX), 0 };
            must(f->path && f->text);
            f->n = fread(f->text, 1, TEXT_MAX, in);
            if (f->n < TEXT_MAX) n_files++;    // large ones take long
            fclose(in);
        }
        globfree(&found);
    }
    must(n_files > 50);
#ifndef ORRERY_SANITIZE
    const struct rlimit limit = { (rlim_t)MEMORY_GB << 30, (rlim_t)MEMORY_GB << 30 };
    setrlimit(RLIMIT_DATA, &limit);
#endif
}

// ---- Changes

typedef struct Part {
    size_t at, n;
} Part;

// The token, or the line, around a place.
static Part part_at(const char *text, size_t n, size_t at, bool is_line)
{
    Part p = { at, 1 };
    if (is_line) {
        while (p.at > 0 && text[p.at - 1] != '\n') p.at--;
        p.n = 0;
        while (p.at + p.n < n && text[p.at + p.n] != '\n') p.n++;
        if (p.at + p.n < n) p.n++;
        return p;
    }
#define IN_WORD(c) (isalnum((unsigned char)(c)) || (c) == '_' || (c) == '.')
    if (!IN_WORD(text[at])) return p;
    while (p.at > 0 && IN_WORD(text[p.at - 1])) p.at--;
    p.n = 0;
    while (p.at + p.n < n && IN_WORD(text[p.at + p.n])) p.n++;
    return p;
}

static size_t replace(char *text, size_t n, Part p, const char *by, size_t n_by)
{
    char kept[TEXT_MAX];
    if (n_by > sizeof kept || n - p.n + n_by > 2 * TEXT_MAX) return n;
    memcpy(kept, by, n_by);    // it may stand in the text
    memmove(text + p.at + n_by, text + p.at + p.n, n - p.at - p.n);
    memcpy(text + p.at, kept, n_by);
    return n - p.n + n_by;
}

static size_t change(char *text, size_t n, const uint8_t *how)
{
    static const char *const numbers[] = {
        "0", "-1", "1e308", "1e-308", "1e9", "65536", "3", "inf", "0.1", "-1e-9", "1e16", "2147483648",
    };
    if (n < 2) return n;
    const size_t a = ((size_t)how[1] << 8 | how[2]) % n, b = (a + 1 + 37 * (size_t)how[3]) % n;
    const Part x = part_at(text, n, a, false), y = part_at(text, n, b, false);
    const Part line = part_at(text, n, a, true);
    switch (how[0] % 8) {
    case 0: return replace(text, n, x, text + y.at, y.n);    // a token for another
    case 1: return replace(text, n, (Part){ line.at, 0 }, text + line.at, line.n);      // a line twice
    case 2: return replace(text, n, line, "", 0);
    case 3: case 4: {    // the next number
        size_t at = a;
        while (at < n && !isdigit((unsigned char)text[at])) at++;
        const char *by = numbers[how[3] % (sizeof numbers / sizeof *numbers)];
        return at < n ? replace(text, n, part_at(text, n, at, false), by, strlen(by)) : n;
    }
    case 5: return how[3] % 4 ? n : a;    // cut off
    case 6: {    // lines of another file
        const File *other = &files[how[3] % n_files];
        const Part from = part_at(other->text, other->n, a % other->n, true);
        const size_t more = other->n - from.at < 400 ? other->n - from.at : 400;
        return replace(text, n, (Part){ line.at, 0 }, other->text + from.at, more);
    }
    default: {    // two tokens swapped
        char first[200];
        const Part low = x.at < y.at ? x : y, high = x.at < y.at ? y : x;
        if (low.at + low.n > high.at || low.n > sizeof first) return n;
        memcpy(first, text + low.at, low.n);
        n = replace(text, n, low, text + high.at, high.n);
        return replace(text, n, (Part){ high.at + high.n - low.n, high.n }, first, low.n);
    }
    }
}

// ---- What is done with it

static void check_format(const char *name, const char *text, size_t n, orr_diag *diag)
{
    char *once = orr_format(name, text, n, diag);
    must(once || orr_diag_errors(diag) > 0);
    if (!once) return;
    char *twice = orr_format(name, once, strlen(once), diag);
    must(twice && strcmp(once, twice) == 0);
    free(once);
    free(twice);
}

static void check_saving(orr_run *run, const orr_model *model, const orr_run_options *o, orr_diag *diag)
{
    const size_t size = run_save(run, NULL);
    char *bytes = malloc(size + 1);
    must(bytes);
    orr_run *other = size && run_save(run, bytes) == size ? orr_run_create(model, o, diag) : NULL;
    if (other && run_load(other, bytes, size)) orr_run_advance(other, o->t_end);
    orr_run_destroy(other);
    free(bytes);
}

static bool take_member(void *self, const orr_member *m) { return (void)self, (void)m, true; }
static bool begin_members(void *self, const char *const *names, const char *const *units, size_t n,
                          const char *time_unit)
{
    return (void)self, (void)names, (void)units, (void)n, (void)time_unit, true;
}

static void use_model(const orr_model *model, orr_experiment *e, const uint8_t *how, orr_diag *diag)
{
    size_t n_solvers = 0;
    while (orr_solver_at(n_solvers)) n_solvers++;
    if (how[1] % 4) e->run.solver = orr_solver_at(how[2] % n_solvers)->name;
    e->run.max_seconds = 0.1;
    e->until = e->from + 1;
    e->n_sends = 0;
    e->realtime = 0;
    orr_run_options o = e->run;
    o.t_start = e->from;
    o.t_end = e->until;
    if (!(o.step > 0)) o.step = 0.01;
    const size_t before = orr_diag_errors(diag);
    switch (how[0] % 4) {
    case 0: {
        FILE *nowhere = fopen("/dev/null", "w");
        must(nowhere);
        const bool ok = orr_model_export(model, e, how[3] % 2 ? "c" : "csmp", nowhere, diag);
        must(ok || orr_diag_errors(diag) > before);
        fclose(nowhere);
        break;
    }
    case 1: {
        const orr_member_sink sink = { .begin = begin_members, .member = take_member };
        orr_ensemble_options members = orr_ensemble_options_default();
        members.n_members = 3;
        members.n_threads = 1;
        e->every = 0.5;
        orr_ensemble_run(model, e, &members, &sink, NULL, diag);
        break;
    }
    default: {
        orr_run *run = orr_run_create(model, &o, diag);
        must(run || orr_diag_errors(diag) > before);
        if (!run) break;
        const orr_status status = orr_run_advance(run, o.t_start + 0.5);
        must(status == ORR_STATUS_OK || orr_diag_errors(diag) > before);
        if (status == ORR_STATUS_OK) check_saving(run, model, &o, diag);
        orr_run_destroy(run);
    }
    }
}

static void try_text(const char *name, const char *text, size_t n, const uint8_t *how)
{
    orr_diag *diag = orr_diag_create();
    const size_t length = strlen(name);
    if (how[0] % 8 == 7 && strcmp(name + length - 4, ".orr") == 0) check_format(name, text, n, diag);
    orr_source *source = orr_source_parse(name, text, n, diag);
    must(source || orr_diag_errors(diag) > 0);
    orr_experiment e = orr_experiment_default();
    orr_compile_options o = orr_compile_options_default();
    o.code = ORR_CODE_INSTANT;
    if (source && orr_experiment_get(source, NULL, &e, diag)) {
        o.model = e.model;
        o.settings = e.run.settings;
        o.n_settings = e.run.n_settings;
        o.inputs = e.run.inputs;
        o.n_inputs = e.run.n_inputs;
        orr_model *model = orr_model_compile(source, &o, diag);
        must(model || orr_diag_errors(diag) > 0);
        if (model) use_model(model, &e, how, diag);
        orr_model_destroy(model);
    }
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * TEXT_MAX + 1];
    if (!files) read_files();
    if (size < 5) return 0;
    const File *f = &files[((size_t)data[0] << 8 | data[1]) % n_files];
    size_t n = f->n;
    memcpy(text, f->text, n);
    for (size_t i = 5; i + 4 <= size; i += 4) n = change(text, n, data + i);
    text[n] = '\0';
    // a case that never ends is a failure
    const struct itimerval most = { .it_value = { CPU_SECONDS, 0 } }, none = { 0 };
    setitimer(ITIMER_VIRTUAL, &most, NULL);
    if (setjmp(no_memory) == 0) try_text(f->path, text, n, data + 1);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    return 0;
}
