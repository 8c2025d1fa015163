// tests/api/test_threads.c: runs of one model on several threads give the bits of one thread; so do models
// compiled at the same time. Meant for ThreadSanitizer too.
#include "check.h"
#include "orrery/orrery.h"
#include <pthread.h>
#include <stdlib.h>

enum { N_THREADS = 4, N_SOLVERS_MAX = 32, N_POINTS = 20 };

// loops of each kind, events, a delay, functions: all that a run keeps for itself
static const char text[] =
    "function soft(x) = x/(1 + abs(x))\n"
    "model Busy\n"
    "  param k = 1, w = 3\n"
    "  var x = 1, v = 0, z = 0, a ~ 1, b ~ 1\n"
    "  x' = v\n"
    "  v' = -k*x - 0.1*late + (if x > 0.5 then 0.2 else -0.1)\n"
    "  late = delay(v, 0.3)\n"
    "  a^3 + a = 2 + sin(w*t)\n"
    "  b = 3 - c + x\n"
    "  c = b/2 + soft(v)\n"
    "  z' = a*b - limit(z, -1, 1)\n"
    "end\n";

static orr_model *compile(orr_diag *diag)
{
    orr_source *source = orr_source_parse("busy.orr", text, sizeof text - 1, diag);
    if (!source) return NULL;
    const orr_compile_options options = orr_compile_options_default();
    orr_model *model = orr_model_compile(source, &options, diag);
    orr_source_destroy(source);
    return model;
}

// What one thread does: for each solver the values of z at N_POINTS times, with a k of its own.
typedef struct Job {
    const orr_model *model;    // NULL: compile one
    double k;
    double z[N_SOLVERS_MAX][N_POINTS];
    bool   ok;
} Job;

static void advance_all(Job *job, const orr_model *model, orr_diag *diag)
{
    const size_t z = orr_model_find(model, "z");
    job->ok = true;
    for (size_t s = 0; orr_solver_at(s); s++) {
        if (orr_solver_at(s)->is_quantised) continue;    // no loops and delays there
        const orr_setting setting = { "k", job->k };
        orr_run_options options = orr_run_options_default();
        options.solver = orr_solver_at(s)->name;
        options.t_end = 5;
        options.step = orr_solver_at(s)->fixed_step ? 0.01 : 0;
        options.settings = &setting;
        options.n_settings = 1;
        orr_run *run = orr_run_create(model, &options, diag);
        for (int i = 0; run && i < N_POINTS; i++) {
            job->ok = orr_run_advance(run, 5.0 * (i + 1) / N_POINTS) == ORR_STATUS_OK && job->ok;
            job->z[s][i] = orr_run_value(run, z);
        }
        job->ok = run && job->ok;
        orr_run_destroy(run);
    }
}

static void *work(void *context)
{
    Job *job = context;
    orr_diag *diag = orr_diag_create();
    orr_model *own = job->model ? NULL : compile(diag);
    if (job->model || own) advance_all(job, job->model ? job->model : own, diag);
    if (!job->ok) orr_diag_print(diag, stderr, 0);
    orr_model_destroy(own);
    orr_diag_destroy(diag);
    return NULL;
}

static void run_threads(Job *jobs)
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], NULL);
}

static void assert_same(const Job *a, const Job *b)
{
    assert_true(a->ok && b->ok);
    for (size_t s = 0; orr_solver_at(s); s++)
        for (int i = 0; i < N_POINTS; i++) {
            if (memcmp(&a->z[s][i], &b->z[s][i], sizeof(double)) != 0)
                print_error("solver %s:\n", orr_solver_at(s)->name);
            assert_same_bits(a->z[s][i], b->z[s][i]);
        }
}

static void test_runs_of_one_model_on_threads_give_the_bits_of_one(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_model *model = compile(diag);
    if (!model) orr_diag_print(diag, stderr, 0);
    assert_non_null(model);
    assert_int_equal(orr_model_get_facts(model).n_loops, 2);

    // the same model; the first two threads do the same, the others something else at the same time
    Job *jobs = calloc(2 * N_THREADS, sizeof *jobs), *alone = jobs + N_THREADS;
    for (int i = 0; i < N_THREADS; i++) jobs[i] = alone[i] = (Job){ .model = model, .k = i < 2 ? 1 : 1 + i };
    run_threads(jobs);
    for (int i = 0; i < N_THREADS; i++) work(&alone[i]);
    for (int i = 0; i < N_THREADS; i++) assert_same(&jobs[i], &alone[i]);
    assert_same(&jobs[0], &jobs[1]);
    // and it can tell a difference
    assert_memory_not_equal(jobs[0].z, jobs[2].z, sizeof jobs[0].z);
    free(jobs);
    orr_model_destroy(model);
    orr_diag_destroy(diag);
}

static void test_models_compiled_at_the_same_time_give_the_bits_of_one(void **state)
{
    (void)state;
    Job *jobs = calloc(N_THREADS + 1, sizeof *jobs), *alone = jobs + N_THREADS;
    for (int i = 0; i <= N_THREADS; i++) jobs[i].k = 1;
    run_threads(jobs);
    work(alone);
    for (int i = 0; i < N_THREADS; i++) assert_same(&jobs[i], alone);
    free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_of_one_model_on_threads_give_the_bits_of_one),
        cmocka_unit_test(test_models_compiled_at_the_same_time_give_the_bits_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
