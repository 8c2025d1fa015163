// tests/solve/test_tiers.c: native code takes over runs of every kind, at any moment and with the same bits;
// whatever happens to the compiler, the run goes on.
#include "base/map.h"
#include "lab.h"
#include "code/quantise.h"
#include "island/isles.h"
#include "model/model.h"
#include "orrery/orrery.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Models of every kind

typedef struct Kind {
    const char *name, *text;
    const char *solver;
    double quantum, t_end;
} Kind;

#define SMOOTH                                                                                               \
    "model M\n  var x = 0, y = 0, z = 1, w = 1\n  x' = 1\n  y' = sin(3*x)\n  z' = -50*z + 50*cos(t)\n  w' "  \
    "= z - w*y\nend\n"
#define CHAIN                                                                                                \
    "model M\n  param k = 3\n  var u[12] = 0\n  u[1]' = k*(1 - u[1])\n  for i in 2..12\n    u[i]' = k*(u[i " \
    "- 1] - u[i]) - "                                                                                        \
    "0.1*u[i]^3\n  end\nend\n"
#define SWITCHED                                                                                             \
    "model M\n  var x = 0, v = 1, n = 0\n  discrete d = 1\n  x' = v\n  v' = if x > 0.5 then -2 else 1\n  "   \
    "n' = d*x\n"                                                                                             \
    "  when v < -0.5 then\n    d := -d\n  end\nend\n"
#define QUEUE                                                                                                \
    "record Job\n  born, size\nend\n"                                                                        \
    "atomic Source\n  param mean = 1\n  output event job : Job\n  var n = 0\n  state waiting for "           \
    "exponential(mean)\n"                                                                                    \
    "    after send job(Job(t, 1 + sin(n))) do n := n + 1 -> waiting\nend\n"                                 \
    "atomic Server\n  input event job : Job\n  output event done : Job\n"                                    \
    "  var line = queue(Job), now : Job, times = tally(), length = level(0)\n  start idle\n  state idle\n"   \
    "    on job do now := job -> busy\n  state busy for 0.4*now.size\n"                                      \
    "    on job do push(line, job); set(length, length(line)) -> busy keeping time\n"                        \
    "    after send done(now) do add(times, t - now.born) -> if empty(line) then idle\n"                     \
    "      else do now := pop(line); set(length, length(line)) -> busy\nend\n"
#define ALONE                                                                                                \
    QUEUE "model M\n  source : Source\n  a : Server\n  b : Server\n  source.job -> a.job\n  a.done -> "      \
          "b.job\nend\n"
#define WITH_EQUATIONS                                                                                       \
    QUEUE "model Tank\n  input event done : Job\n  var heat = 0, cooled = 1\n  heat' = cooled - 0.3*heat\n"  \
          "  cooled' = -0.1*cooled*heat\n  on done then\n    heat := heat + done.size\n  end\nend\n"         \
          "model M\n  source : Source\n  a : Server\n  tank : Tank\n  source.job -> a.job\n  a.done -> "     \
          "tank.done\nend\n"
#define ISLANDS                                                                                              \
    "model Rabbits\n  input foxes\n  var n = 10\n  n' = n*(1.5 - foxes)\nend\n"                              \
    "model Foxes\n  input rabbits\n  var n = 5\n  n' = n*(rabbits - 3)\nend\n"                               \
    "model M\n  island rabbits : Rabbits solver qss2 quantum 1e-3\n"                                         \
    "  island foxes : Foxes solver rk4 step 0.001 gradients output every 0.002\n"                            \
    "  rabbits.n -> foxes.rabbits\n  foxes.n -> rabbits.foxes\nend\n"

static const Kind kinds[] = {
    { "qss1", SMOOTH, "qss1", 1e-3, 5 },
    { "qss2", SMOOTH, "qss2", 1e-4, 5 },
    { "qss3", SMOOTH, "qss3", 1e-5, 5 },
    { "liqss1", SMOOTH, "liqss1", 1e-3, 5 },
    { "liqss2", SMOOTH, "liqss2", 1e-4, 5 },
    { "mliqss2", SMOOTH, "mliqss2", 1e-4, 5 },
    { "many states", CHAIN, "liqss2", 1e-4, 5 },
    { "relations", SWITCHED, "qss2", 1e-4, 5 },
    { "atomics", ALONE, NULL, 0, 60 },
    { "atomics and equations", WITH_EQUATIONS, "dopri5", 0, 60 },
    { "atomics and quantised states", WITH_EQUATIONS, "qss2", 1e-4, 60 },
    { "islands", ISLANDS, NULL, 0, 5 },
};
enum { N_KINDS = sizeof kinds / sizeof *kinds, N_LOOKS = 24, FAIL_KINDS = 4 };
// one of each kind of code, for what takes longer
static const int kinds_that_differ[FAIL_KINDS] = { 1, 8, 10, 11 };

// ---- Running them

typedef struct Bench {
    Lab      lab;
    uint64_t hash;    // of all that was looked at
} Bench;

static Bench begin(const Kind *kind, orr_code code, double t_end, double max_seconds)
{
    orr_compile_options o = orr_compile_options_default();
    o.model = "M";
    o.code = code;
    Bench b = { .lab = lab_with(kind->text, &o) };
    orr_source_destroy(b.lab.source);    // nothing needs it any more, whenever native code is made
    b.lab.source = NULL;
    orr_run_options r = orr_run_options_default();
    r.solver = kind->solver;
    r.quantum = kind->quantum;
    r.t_end = t_end;
    r.max_seconds = max_seconds;
    lab_start(&b.lab, &r);
    return b;
}

static void end(Bench *b) { lab_close(&b->lab); }

static void look(Bench *b)
{
    for (size_t i = 0; i < orr_model_n_variables(b->lab.model); i++) {
        const double value = orr_run_value(b->lab.run, i);
        b->hash = hash_join(b->hash, hash_bytes(&value, sizeof value));
    }
}

static void go(Bench *b, double t)
{
    const orr_status status = orr_run_advance(b->lab.run, t);
    if (status != ORR_STATUS_OK) orr_diag_print(b->lab.diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
    look(b);
}

static uint64_t finish(Bench *b)
{
    const orr_run_facts facts = orr_run_get_facts(b->lab.run);
    b->hash = hash_join(b->hash, facts.n_steps);
    b->hash = hash_join(b->hash, facts.n_rates);
    b->hash = hash_join(b->hash, facts.n_transitions);
    return b->hash;
}

// What long runs ask for, of all parts of a model.
static void improve(const orr_model *model)
{
    for (int i = 0; i < CODE_N_QUANTISED; i++)
        if (model->code.quantised[i]) code_quantised_improve(&model->code, model->code.quantised[i]);
    atomic_improve(&model->atomics);
    code_improve(&model->code);
    for (uint32_t i = 0; model->isles && i < model->isles->n; i++) improve(model->isles->items[i].model);
}

static bool is_improved(const orr_model *model)
{
    bool all = code_is_improved(&model->code);
    for (int i = 0; i < CODE_N_QUANTISED; i++) {
        const CodeQuantised *quantised = model->code.quantised[i];
        if (quantised) all = all && atomic_load(&((CodeQuantised *)quantised)->better) != NULL;
    }
    if (model->atomics.n_kinds) all = all && atomic_is_improved(&model->atomics);
    for (uint32_t i = 0; model->isles && i < model->isles->n; i++)
        all = all && is_improved(model->isles->items[i].model);
    return all;
}

static void await(const orr_model *model)
{
    for (int i = 0; i < 60000 && !is_improved(model); i++) usleep(1000);
    assert_true(is_improved(model));
}

// The whole trajectory; before look number `at`, native code is asked for and, if `waits`, awaited.
static uint64_t trajectory(const Kind *kind, orr_code code, int at, bool waits)
{
    Bench b = begin(kind, code, kind->t_end, 0);
    for (int k = 0; k <= N_LOOKS; k++) {
        if (k == at) {
            improve(b.lab.model);
            if (waits) await(b.lab.model);
        }
        go(&b, kind->t_end * k / N_LOOKS);
    }
    const uint64_t hash = finish(&b);
    assert_int_equal(orr_diag_count(b.lab.diag), 0);
    end(&b);
    return hash;
}

// ---- A cache and compilers of our own

static char folder[64];

static int open_cache(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/orrery-tiers-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("ORRERY_CACHE", folder, 1);
    return 0;
}

static int close_cache(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    unsetenv("ORRERY_CACHE");
    return 0;
}

static char *path_before;

// The compiler is this script, run in the folder; NULL: there is none.
static void set_compiler(const char *script)
{
    char bin[80], file[96], path[128];
    snprintf(bin, sizeof bin, "%s/bin", folder);
    snprintf(file, sizeof file, "%s/cc", bin);
    assert_int_equal(mkdir(bin, 0777), 0);
    if (script) {
        FILE *f = fopen(file, "w");
        fprintf(f, "#!/bin/sh\necho started >>%s/started\n%s\n", folder, script);
        fclose(f);
        assert_int_equal(chmod(file, 0777), 0);
    }
    snprintf(path, sizeof path, "%s%s", bin, script ? ":/usr/bin:/bin" : "");
    path_before = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
}

static void reset_compiler(void)
{
    char command[256];
    setenv("PATH", path_before, 1);
    free(path_before);
    snprintf(command, sizeof command, "rm -rf '%s/bin' '%s/started' '%s/native'", folder, folder, folder);
    assert_int_equal(system(command), 0);
}

static int n_started(void)
{
    char file[96];
    snprintf(file, sizeof file, "%s/started", folder);
    FILE *f = fopen(file, "r");
    int n = 0;
    for (int c; f && (c = fgetc(f)) != EOF;) n += c == '\n';
    if (f) fclose(f);
    return n;
}

// ---- Promises

static void test_native_code_takes_over_at_any_moment(void **state)
{
    (void)state;
    for (int i = 0; i < N_KINDS; i++) {
        const Kind *kind = &kinds[i];
        const uint64_t instant = trajectory(kind, ORR_CODE_INSTANT, -1, false);
        const uint64_t native = trajectory(kind, ORR_CODE_NATIVE, -1, false);
        if (native != instant) print_error("%s: native code gives other bits\n", kind->name);
        assert_int_equal(native, instant);
        for (int at = 0; at <= N_LOOKS; at += at < 4 ? 1 : 4) {
            const uint64_t mixed = trajectory(kind, ORR_CODE_INSTANT, at, true);
            if (mixed != instant)
                print_error("%s: taken over at look %d it gives other bits\n", kind->name, at);
            assert_int_equal(mixed, instant);
        }
        // at a moment that nobody chose
        for (int at = 0; at < 8; at++)
            assert_int_equal(trajectory(kind, ORR_CODE_INSTANT, at, false), instant);
    }
}

// The memory of instant code, which nobody may need any more.
static void lock_away(const CodeUnit *unit)
{
    if (unit->memory) assert_int_equal(mprotect(unit->memory, unit->size, PROT_NONE), 0);
}

static void lock_instant_code(const orr_model *model)
{
    for (uint32_t i = 0; i < model->code.n_units; i++) lock_away(&model->code.units[i]);
    for (int i = 0; i < CODE_N_QUANTISED; i++)
        if (model->code.quantised[i]) lock_away(&model->code.quantised[i]->unit);
    lock_away(&model->atomics.unit);
    for (uint32_t i = 0; model->isles && i < model->isles->n; i++)
        lock_instant_code(model->isles->items[i].model);
}

// Not only built, but used: whoever called an instant function afterwards would not survive.
static void test_what_took_over_is_in_use(void **state)
{
    (void)state;
    for (int i = 0; i < N_KINDS; i++) {
        const Kind *kind = &kinds[i];
        Bench b = begin(kind, ORR_CODE_INSTANT, kind->t_end, 0);
        go(&b, 0.5 * kind->t_end);
        assert_string_equal(orr_model_get_facts(b.lab.model).code, "instant");
        improve(b.lab.model);
        await(b.lab.model);
        assert_string_equal(orr_model_get_facts(b.lab.model).code, "instant+native");
        lock_instant_code(b.lab.model);
        go(&b, kind->t_end);
        end(&b);
    }
}

// ---- Failures: the run goes on, with the same bits and without a word

static void failing(const char *what, bool must_start)
{
    for (int i = 0; i < FAIL_KINDS; i++) {
        const Kind *kind = &kinds[kinds_that_differ[i]];
        const uint64_t expected = trajectory(kind, ORR_CODE_INSTANT, -1, false);
        const int before = n_started();
        Bench b = begin(kind, ORR_CODE_INSTANT, kind->t_end, 0);
        for (int k = 0; k <= N_LOOKS; k++) {
            if (k == 3) improve(b.lab.model);
            if (k == N_LOOKS / 2)    // it has had its chance
                for (int n = 0; n < 20000 && must_start && n_started() == before; n++) usleep(1000);
            go(&b, kind->t_end * k / N_LOOKS);
        }
        const uint64_t hash = finish(&b);
        if (hash != expected) print_error("%s, %s: other bits\n", what, kind->name);
        assert_int_equal(hash, expected);
        assert_int_equal(orr_diag_count(b.lab.diag), 0);
        if (!must_start) usleep(20000);
        assert_string_equal(orr_model_get_facts(b.lab.model).code, "instant");
        end(&b);
    }
}

static void test_a_run_goes_on_without_a_compiler(void **state)
{
    (void)state;
    set_compiler(NULL);
    failing("no compiler", false);
    reset_compiler();
}

static void test_a_run_goes_on_when_the_compiler_fails_or_dies(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "exit 1", "kill -9 $$", "kill -SEGV $$",
        // an object that is none
        "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo junk >\"$2\"; shift; done; exit 0",
        "exit 0",    // nor anything else
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        set_compiler(scripts[i]);
        failing(scripts[i], true);
        reset_compiler();
    }
}

static void test_a_run_goes_on_when_the_cache_cannot_be_written(void **state)
{
    (void)state;
    char native[96];
    snprintf(native, sizeof native, "%s/native", folder);
    set_compiler("exec /usr/bin/cc \"$@\"");
    FILE *f = fopen(native, "w");    // a file where the folder should be: also root cannot write there
    fclose(f);
    failing("a cache that cannot be written", false);
    assert_int_equal(n_started(), 0);
    assert_int_equal(unlink(native), 0);
    reset_compiler();

    // full: the text fits, the object does not
    set_compiler("exec /usr/bin/cc \"$@\"");
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = { 12000, limit.rlim_max };
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    failing("a cache that is full", true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, before);
    reset_compiler();
}

// A model that is no longer wanted waits for no compiler, neither one at work nor one that waits for its
// turn.
static void test_compilers_at_work_are_ended(void **state)
{
    (void)state;
    set_compiler("sleep 1000");
    for (int i = 0; i < FAIL_KINDS; i++) {
        const Kind *kind = &kinds[kinds_that_differ[i]];
        const int before = n_started();
        Bench b = begin(kind, ORR_CODE_INSTANT, kind->t_end, 0);
        go(&b, 0.1 * kind->t_end);
        improve(b.lab.model);
        for (int n = 0; n < 20000 && n_started() == before; n++) usleep(1000);
        go(&b, 0.2 * kind->t_end);
        assert_int_equal(n_started(), before + 1);    // one at a time
        end(&b);                                    // a test that hangs here has failed
    }
    reset_compiler();
}

// ---- Whether it pays

static void test_short_runs_start_no_compiler_and_long_ones_do(void **state)
{
    (void)state;
    set_compiler("exit 1");
    for (int i = 0; i < N_KINDS; i++) {
        Bench b = begin(&kinds[i], ORR_CODE_AUTO, 0.1 * kinds[i].t_end, 0);
        go(&b, 0.1 * kinds[i].t_end);
        end(&b);
        assert_int_equal(n_started(), 0);
    }
    for (int i = 0; i < N_KINDS; i++) {
        const int before = n_started();
        Bench b = begin(&kinds[i], ORR_CODE_AUTO, 1e9, 20);
        for (double t = 1; n_started() == before; t += 1) {
            const orr_status status = orr_run_advance(b.lab.run, t);
            if (status != ORR_STATUS_OK) print_error("%s: no compiler was started\n", kinds[i].name);
            assert_int_equal(status, ORR_STATUS_OK);
        }
        end(&b);
    }
    reset_compiler();
}

// ---- One cache for all

static void test_processes_share_the_cache(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s/native'", folder);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < FAIL_KINDS; i++) {
        const Kind *kind = &kinds[kinds_that_differ[i]];
        const uint64_t expected = trajectory(kind, ORR_CODE_INSTANT, -1, false);
        pid_t children[4];
        for (int k = 0; k < 4; k++) {
            children[k] = fork();
            if (children[k] == 0) _exit(trajectory(kind, ORR_CODE_INSTANT, 1 + k, true) == expected ? 0 : 1);
        }
        for (int k = 0; k < 4; k++) {
            int status;
            assert_int_equal(waitpid(children[k], &status, 0), children[k]);
            assert_int_equal(status, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native_code_takes_over_at_any_moment),
        cmocka_unit_test(test_what_took_over_is_in_use),
        cmocka_unit_test(test_a_run_goes_on_without_a_compiler),
        cmocka_unit_test(test_a_run_goes_on_when_the_compiler_fails_or_dies),
        cmocka_unit_test(test_a_run_goes_on_when_the_cache_cannot_be_written),
        cmocka_unit_test(test_compilers_at_work_are_ended),
        cmocka_unit_test(test_short_runs_start_no_compiler_and_long_ones_do),
        cmocka_unit_test(test_processes_share_the_cache),
    };
    return cmocka_run_group_tests(tests, open_cache, close_cache);
}
