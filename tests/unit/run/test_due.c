// tests/unit/run/test_due.c: sources act exactly at their times, whatever the solver.
#include "../../solve/problems.h"
#include "run/run.h"

// x' = u, with the input u as a parameter
static int driven_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    out[0] = env->v[0];
    return 0;
}
static const Fake problem_driven = {
    .n_states = 1,
    .states = { "x" },
    .n_params = 1,
    .params = { "u" },
    .rates = driven_rates,
    .has_loops = true,
};

typedef struct Steps {
    const double *times, *values;    // [n]
    size_t   n, next;
    double   seen[8];                // when it was called
    uint32_t input;
} Steps;

static bool act(void *context, orr_run *run, double t, double *next)
{
    Steps *s = context;
    s->seen[s->next] = t;
    run_set_input(run, s->input, s->values[s->next++]);
    *next = s->next < s->n ? s->times[s->next] : INFINITY;
    return true;
}

static double rewind_steps(void *context, orr_run *run)
{
    (void)run;
    Steps *s = context;
    s->next = 0;
    return s->times[0];
}

static void run_with(const char *solver, double step)
{
    orr_model *model = fake_model(problem_driven);
    orr_diag *diag = orr_diag_create();
    orr_run_options o = options_for(solver, 10, step);
    orr_run *run = orr_run_create(model, &o, diag);
    assert_non_null(run);
    const double times[] = { 0, 1.2345678901, 2, 3.5, 7.77 }, values[] = { 1, -2, 0.5, 3, -1 };
    Steps s = { times, values, 5, 0, { 0 }, (uint32_t)orr_model_find(model, "u") };
    run_add_source(run, &(RunSource){ act, rewind_steps, &s, "input u" }, times[0]);
    const size_t x = orr_model_find(model, "x");
    double expected = 0;
    for (int round = 0; round < 2; round++) {
        expected = 0;
        for (size_t i = 0; i < 5; i++) {
            const double end = i + 1 < 5 ? times[i + 1] : 10;
            expected += values[i] * (end - times[i]);
            assert_int_equal(orr_run_advance(run, end), ORR_STATUS_OK);
            assert_near(orr_run_value(run, x), expected, 1e-12);
            assert_true(s.seen[i] == times[i]);
        }
        assert_int_equal(orr_run_get_facts(run).n_events, 5 * (size_t)(round + 1));
        if (round == 0) assert_int_equal(orr_run_restart(run), ORR_STATUS_OK);
    }
    // before an event what is recorded still sees the old value
    assert_int_equal(orr_run_restart(run), ORR_STATUS_OK);
    assert_int_equal(orr_run_advance(run, 1.2345), ORR_STATUS_OK);
    assert_near(orr_run_value(run, x), 1.2345, 1e-12);
    assert_near(orr_run_value(run, orr_model_find(model, "u")), 1, 0);
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    orr_model_destroy(model);
}

static void test_sources_act_exactly_at_their_times(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler", "heun", "rk4", "dopri5", "adams", "bdf", "auto" };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) run_with(solvers[i], 0.01);
    run_with("euler", 0.5);
    run_with("rk4", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sources_act_exactly_at_their_times) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
