// tests/api/test_limits.c: compiling ends when its caller, its time or its memory says so, and where there is
// no memory a call reports it; afterwards everything can be used as before.
#include "lab.h"
#include "orrery/orrery.h"
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char grid[] = "model Grid\n"
                           "  param n = 20000\n"
                           "  var u[n] = 1\n"
                           "  u[1]' = -u[1]\n"
                           "  for i in 2..n\n"
                           "    u[i]' = u[i-1] - u[i]*sin(u[i])\n"
                           "  end\n"
                           "end\n";

static const char mixed[] = "model Tank\n"
                            "  param tau = 2 [s]\n"
                            "  var level = 1 [m]\n"
                            "  output old = delay(level, 0.5 [s])\n"
                            "  level' = -level/tau\n"
                            "  var a = 1\n"
                            "  var b = 1\n"
                            "  a^3 + b = 2 + level/1 [m]\n"
                            "  a - b^3 = 0\n"
                            "  discrete n = 0\n"
                            "  every 0.25 [s] then n := n + 1 end\n"
                            "  when level < 0.8 [m] then level := 1 [m] end\n"
                            "end\n"
                            "experiment drain of Tank\n"
                            "  until 3\n"
                            "  every 0.5\n"
                            "  record level, a, n\n"
                            "end\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Lab bench_for(const char *text)
{
    Lab lab = { .diag = orr_diag_create() };
    lab.source = orr_source_parse("a.orr", text, strlen(text), lab.diag);
    assert_non_null(lab.source);
    return lab;
}

static void test_compiling_can_be_cancelled(void **state)
{
    (void)state;
    Lab b = bench_for(grid);
    const int cancel = 1;
    orr_compile_options o = orr_compile_options_default();
    o.cancel = &cancel;
    assert_null(orr_model_compile(b.source, &o, b.diag));
    assert_int_equal(orr_diag_status(b.diag), ORR_STATUS_CANCELLED);
    lab_close(&b);
}

static void test_compiling_ends_when_its_time_is_over(void **state)
{
    (void)state;
    Lab b = bench_for(grid);
    orr_compile_options o = orr_compile_options_default();
    o.arrays_from = SIZE_MAX;
    o.max_seconds = 0.02;
    const double start = seconds();
    assert_null(orr_model_compile(b.source, &o, b.diag));
    assert_true(seconds() - start < 2);    // about ten times as long without the limit
    assert_int_equal(orr_diag_status(b.diag), ORR_STATUS_FAILED);
    assert_string_equal(orr_diag_get(b.diag, 0).code, "E513");
    lab_close(&b);
}

// Whatever the limit, compiling ends well or says so; then a model can be compiled as if nothing had been.
static void test_compiling_keeps_to_any_limit_of_memory(void **state)
{
    (void)state;
    size_t n_refused = 0, n_done = 0;
    for (size_t bytes = 4096; bytes < (size_t)1 << 23; bytes += bytes / 6) {
        Lab b = bench_for(mixed);
        orr_compile_options o = orr_compile_options_default();
        o.max_bytes = bytes;
        orr_model *model = orr_model_compile(b.source, &o, b.diag);
        const orr_status status = orr_diag_status(b.diag);
        assert_int_equal(status, model ? ORR_STATUS_OK : ORR_STATUS_NO_MEMORY);
        if (model) n_done++;
        else n_refused++;
        orr_model_destroy(model);
        o.max_bytes = 0;
        model = orr_model_compile(b.source, &o, b.diag);
        assert_non_null(model);
        orr_model_destroy(model);
        lab_close(&b);
    }
    assert_true(n_refused > 10 && n_done > 0);
}

#ifndef ORRERY_SANITIZE    // sanitizers have a malloc of their own

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static size_t until_failure;    // allocations from now on; 0: none fails
static pthread_t tested;        // other threads have enough
static bool is_in_libtcc;       // which ends the process where it has no memory itself: it has enough

locale_t __newlocale(int mask, const char *name, locale_t base);
void     __freelocale(locale_t locale);

// The library sets the locale around libtcc.
locale_t newlocale(int mask, const char *name, locale_t base)
{
    is_in_libtcc = true;
    return __newlocale(mask, name, base);
}

void freelocale(locale_t locale)
{
    is_in_libtcc = false;
    __freelocale(locale);
}

static bool fails(void)
{
    return until_failure > 0 && !is_in_libtcc && pthread_equal(pthread_self(), tested) &&
           --until_failure == 0;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }

static jmp_buf outside;    // of what reports a status: a collector

void orr_no_memory(size_t bytes)
{
    (void)bytes;
    longjmp(outside, 1);
}

typedef enum How { DONE, REPORTED, OUTSIDE, CRASHED } How;    // also exit codes

// All from text to results, with the n-th allocation failing.
static How attempt(size_t n)
{
    static orr_diag *diag;
    static orr_source *source;
    static orr_model *model;
    diag = orr_diag_create();
    source = NULL;
    model = NULL;
    volatile How how = OUTSIDE;
    if (setjmp(outside) == 0) {
        tested = pthread_self();
        until_failure = n;
        orr_status status = ORR_STATUS_OK;
        source = orr_source_parse("a.orr", mixed, strlen(mixed), diag);
        orr_experiment e;
        if (source && !orr_experiment_get(source, NULL, &e, diag)) status = ORR_STATUS_USAGE;
        if (source) model = orr_model_compile(source, NULL, diag);
        if (model) {
            orr_outcome outcome = orr_simulate(model, &e, NULL, 0, diag);
            status = outcome.status;
            orr_outcome_free(&outcome);
        } else {
            status = orr_diag_status(diag);
        }
        const bool has_failed = until_failure == 0;
        until_failure = 0;
        how = has_failed && status != ORR_STATUS_OK ? REPORTED : DONE;
        if (how == REPORTED && status == ORR_STATUS_MODEL_ERROR) orr_diag_print(diag, stderr, 0);
        if (status != ORR_STATUS_OK && status != ORR_STATUS_NO_MEMORY && status != ORR_STATUS_SYSTEM)
            abort();
    }
    until_failure = 0;
    if (how != OUTSIDE) orr_model_destroy(model);
    if (how != OUTSIDE) orr_source_destroy(source);
    orr_diag_destroy(diag);
    return how;
}

// In a process of its own, so that one that crashes does not end the sweep.
static How attempt_apart(size_t n)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);    // cmocka has handlers
        signal(SIGABRT, SIG_DFL);
        _exit((int)attempt(n));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) print_error("allocation %zu: signal %d\n", n, WTERMSIG(status));
    return WIFSIGNALED(status) ? CRASHED : (How)WEXITSTATUS(status);
}

static void test_an_allocation_that_fails_is_a_status(void **state)
{
    (void)state;
    size_t n = 1, counts[CRASHED + 1] = { 0 }, done_in_a_row = 0;
    for (; done_in_a_row < 40 && n < 20000; n++) {
        const How how = attempt_apart(n);
        counts[how]++;
        done_in_a_row = how == DONE ? done_in_a_row + 1 : 0;
    }
    print_message("%zu allocations: %zu reported, %zu outside, %zu without effect\n", n,
                  counts[REPORTED], counts[OUTSIDE], counts[DONE]);
    assert_true(counts[REPORTED] > 50);
    assert_int_equal(counts[CRASHED], 0);
    assert_int_equal(attempt(0), DONE);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiling_can_be_cancelled),
        cmocka_unit_test(test_compiling_ends_when_its_time_is_over),
        cmocka_unit_test(test_compiling_keeps_to_any_limit_of_memory),
#ifndef ORRERY_SANITIZE
        cmocka_unit_test(test_an_allocation_that_fails_is_a_status),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
