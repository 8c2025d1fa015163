// tests/fuzz/fuzz_program.c: the examples and the models of the tests, changed in their structure (tokens
// swapped, lines doubled or removed, numbers made extreme, files cut off, two files spliced), through what
// the program does with a file: formatting, checking, running by every solver, saving and going on,
// experiments of all kinds, ensembles, export. Whatever fails has a message; formatting twice gives the same
// bytes, and the same model; what is saved and loaded goes on as the run that it was.
//
// The input is a file (two bytes), what is done (three) and changes of four bytes each; the files are found
// by ORRERY_SOURCE_DIR. FUZZ_COUNTS prints at the end how far the cases came; FUZZ_KEEPS=FILE writes each
// text there, before it is tried.
#include "orrery/ensemble.h"
#include "orrery/kind.h"
#include "orrery/machine.h"
#include "orrery/orrery.h"
#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A case may take so long on the clock, then it is cancelled; one that does not end then has failed.
enum { TEXT_MAX = 30000, CASE_MILLISECONDS = 150, CPU_SECONDS = 60, MEMORY_GB = 4 };

typedef struct File {
    const char *path;
    char *text;
    size_t n;
} File;

static File *files;
static size_t n_files, n_sound;    // the first ones are models without errors
static jmp_buf no_memory;
static volatile int cancelled;
static size_t n_cases, n_compiled, n_run, n_formatted, n_resumed;

static void cancel(int signal) { (void)signal, cancelled = 1; }
static void print_counts(void)
{
    printf("%zu cases: %zu compiled, %zu run, %zu saved and loaded, %zu formatted\n", n_cases, n_compiled,
           n_run, n_resumed, n_formatted);
}

// More memory than a case may take is no failure of it. What it had is lost.
void orr_no_memory(size_t bytes)
{
    (void)bytes;
    longjmp(no_memory, 1);
}

static void must_be(bool ok, int line, const char *what)
{
    if (ok) return;
    fprintf(stderr, "line %d: not %s\n", line, what);
    abort();
}
#define must(ok) must_be((ok), __LINE__, #ok)

static void read_files(void)
{
    enum { SOUND = 4 };
    static const char *const patterns[] = {
        "examples/*.orr",        "examples/*.csmp",       "examples/lib/*.orr",     "tests/models/*.orr",
        "tests/diagnosis/*.orr", "tests/fuzz/corpus/*/*.orr", "tests/fuzz/corpus/*/*.csmp",
    };
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
        if (k < SOUND) n_sound = n_files;
    }
    must(n_files > 50);
    signal(SIGALRM, cancel);
    if (getenv("FUZZ_COUNTS")) atexit(print_counts);
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

static bool is_language(const char *name) { return strcmp(name + strlen(name) - 4, ".orr") == 0; }

// The flat model of a text, free() it; NULL if there is none.
static char *flat_model(const char *name, const char *text)
{
    char *flat = NULL;
    size_t n;
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse(name, text, strlen(text), diag);
    orr_compile_options o = orr_compile_options_default();
    o.code = ORR_CODE_INSTANT;
    o.cancel = &cancelled;
    o.dump_stage = "flat";
    o.dump_to = open_memstream(&flat, &n);
    must(o.dump_to);
    if (source) orr_model_destroy(orr_model_compile(source, &o, diag));
    fclose(o.dump_to);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return flat;
}

static void check_format(const char *name, const char *text, size_t n, orr_diag *diag)
{
    char *once = orr_format(name, text, n, diag);
    must(once || orr_diag_errors(diag) > 0);
    if (!once) return;
    char *twice = orr_format(name, once, strlen(once), diag);
    must(twice && strcmp(once, twice) == 0);
    char *before = flat_model(name, text), *behind = flat_model(name, once);
    if (!cancelled) must(strcmp(before, behind) == 0), n_formatted++;
    free(before);
    free(behind);
    free(once);
    free(twice);
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

// A run, and what was saved of it, reach the same end.
static void check_saving(orr_run *run, const orr_model *model, const orr_run_options *o, orr_diag *diag)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/orrery-program-%d", (int)getpid());
    orr_run *other = orr_run_save_file(run, path) == ORR_STATUS_OK ? orr_run_create(model, o, diag) : NULL;
    if (other && orr_run_load_file(other, path) == ORR_STATUS_OK) {
        const orr_status first = orr_run_advance(run, o->t_end), second = orr_run_advance(other, o->t_end);
        if (!cancelled) {
            must(first == second);
            n_resumed++;
            for (size_t i = 0; first == ORR_STATUS_OK && i < orr_model_n_variables(model); i++) {
                const double a = orr_run_value(run, i), b = orr_run_value(other, i);
                must(cancelled || same_bits(a, b));    // islands go on while they are read
            }
        }
    }
    orr_run_destroy(other);
    unlink(path);
}

static void run_and_save(const orr_model *model, const orr_experiment *e, orr_diag *diag)
{
    orr_run_options o = e->run;
    o.t_start = e->from;
    o.t_end = e->until;
    if (!(o.step > 0)) o.step = 0.01;
    const size_t before = orr_diag_errors(diag);
    orr_run *run = orr_run_create(model, &o, diag);
    must(run || cancelled || orr_diag_errors(diag) > before);
    if (!run) return;
    const orr_status status = orr_run_advance(run, o.t_start + 0.5 * (o.t_end - o.t_start));
    must(status == ORR_STATUS_OK || status == ORR_STATUS_TERMINATED || cancelled
         || orr_diag_errors(diag) > before);
    if (status == ORR_STATUS_OK) n_run++, check_saving(run, model, &o, diag);
    orr_run_destroy(run);
}

static bool take_member(void *self, const orr_member *m) { return (void)self, (void)m, true; }
static bool begin_members(void *self, const char *const *names, const char *const *units, size_t n,
                          const char *time_unit)
{
    return (void)self, (void)names, (void)units, (void)n, (void)time_unit, true;
}

static void run_members(const orr_model *model, orr_experiment *e, orr_diag *diag)
{
    const orr_member_sink sink = { .begin = begin_members, .member = take_member };
    orr_ensemble_options members = orr_ensemble_options_default();
    members.n_members = 3;
    members.n_threads = 1;
    members.cancel = &cancelled;
    e->every = 0.5 * (e->until - e->from);
    orr_ensemble_run(model, e, &members, &sink, NULL, diag);
}

enum { DO_FORMAT, DO_EXPORT, DO_ENSEMBLE, DO_CARRY_OUT, DO_RUN, N_DOINGS = 8 };    // more of them: also runs

static void use_model(const orr_model *model, orr_experiment *e, const uint8_t *how, orr_diag *diag)
{
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    must(nowhere);
    const size_t before = orr_diag_errors(diag);
    orr_model_report(model, nowhere, how[2] % 2, diag);
    switch (how[0] % N_DOINGS) {
    case DO_EXPORT:
        must(orr_model_export(model, e, how[2] % 4 ? "c" : "csmp", nowhere, diag) || cancelled
             || orr_diag_errors(diag) > before);
        break;
    case DO_ENSEMBLE: run_members(model, e, diag); break;
    case DO_CARRY_OUT: {
        const orr_call call = { .cancel = &cancelled };
        orr_result result = orr_carry_out(model, e, &call, diag);
        must(result.status == ORR_STATUS_OK || result.status == ORR_STATUS_NOT_VALIDATED || cancelled
             || orr_diag_errors(diag) > before);
        orr_result_free(&result);
        break;
    }
    default: run_and_save(model, e, diag);
    }
}

static void use_machine(const orr_source *source, orr_diag *diag)
{
    const size_t before = orr_diag_errors(diag);
    orr_machine *m = orr_machine_build(source, NULL, diag);
    must(m || orr_diag_errors(diag) > before);
    if (m)
        for (orr_machine_form form = ORR_MACHINE_TEXT; form <= ORR_MACHINE_JSON; form++)
            free(orr_machine_write(m, form));
    orr_machine_destroy(m);
}

static void try_text(const char *name, const char *text, size_t n, const uint8_t *how)
{
    orr_diag *diag = orr_diag_create();
    if (how[0] % N_DOINGS == DO_FORMAT && is_language(name)) check_format(name, text, n, diag);
    orr_source *source = orr_source_parse(name, text, n, diag);
    must(source || orr_diag_errors(diag) > 0);
    if (source && orr_source_n_machines(source)) use_machine(source, diag);
    const size_t n_experiments = source ? orr_source_n_experiments(source) : 0;
    const char *which = n_experiments ? orr_source_experiment_name(source, how[2] % n_experiments) : NULL;
    orr_experiment e = orr_experiment_default();
    orr_compile_options o = orr_compile_options_default();
    o.code = ORR_CODE_INSTANT;
    o.cancel = &cancelled;
    if (source && orr_experiment_get(source, which, &e, diag)) {
        size_t n_solvers = 0;
        while (orr_solver_at(n_solvers)) n_solvers++;
        if (how[1] % 4) e.run.solver = orr_solver_at(how[1] / 4 % n_solvers)->name;
        // short, so that there can be many: what is long is stopped by its limits
        if (how[2] / 16 % 4) e.until = e.from + (how[2] / 64 ? 1 : 0.01);
        e.run.cancel = &cancelled;
        e.n_sends = 0;
        e.realtime = 0;
        const size_t before = orr_diag_errors(diag);
        orr_model *model = orr_experiment_compile(source, &e, &o, diag);
        must(model || cancelled || orr_diag_errors(diag) > before);
        if (model) n_compiled++, use_model(model, &e, how, diag);
        orr_model_destroy(model);
    }
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void keep_text(const char *name, const char *text, size_t n, const uint8_t *how)
{
    const char *path = getenv("FUZZ_KEEPS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fwrite(text, 1, n, file);
    fclose(file);
    printf("%s: doing %u, solver %u, %u\n", name, how[0] % N_DOINGS, how[1], how[2]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * TEXT_MAX + 1];
    if (!files) read_files();
    if (size < 5) return 0;
    const File *f = &files[((size_t)data[0] << 8 | data[1]) % (data[0] % 4 ? n_sound : n_files)];
    size_t n = f->n;
    memcpy(text, f->text, n);
    for (size_t i = 5; i + 4 <= size; i += 4) n = change(text, n, data + i);
    text[n] = '\0';
    keep_text(f->path, text, n, data + 2);
    n_cases++;
    cancelled = 0;
    const struct itimerval most = { .it_value = { CPU_SECONDS, 0 } }, none = { 0 },
                           case_most = { .it_value = { 0, 1000 * CASE_MILLISECONDS } };
    setitimer(ITIMER_VIRTUAL, &most, NULL);
    setitimer(ITIMER_REAL, &case_most, NULL);
    if (setjmp(no_memory) == 0) try_text(f->path, text, n, data + 2);
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    return 0;
}
