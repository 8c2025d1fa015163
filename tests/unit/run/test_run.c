// tests/unit/run/test_run.c: promises of a run: settings, times, the grid, values, failures.
#include "../../solve/problems.h"
#include "run/run.h"

// x' = 1, so that states tell the time the solver believes in
static int clock_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x, (void)env;
    out[0] = 1;
    return 0;
}
static const Fake problem_clock = {
    .n_states = 1, .states = { "x" }, .start = { 0 }, .rates = clock_rates, .has_loops = true
};

static orr_run *make(const orr_model *model, orr_diag *diag, orr_run_options o, const orr_setting *settings,
                     size_t n)
{
    o.settings = settings;
    o.n_settings = n;
    return orr_run_create(model, &o, diag);
}

static void test_settings_change_parameters_and_initial_values(void **state)
{
    (void)state;
    orr_model *model = fake_model(problem_decay);
    orr_diag *diag = orr_diag_create();
    const orr_setting settings[] = { { "k", 2 }, { "x", 3 } };
    orr_run *run = make(model, diag, options_for("rk4", 1, 0.001), settings, 2);
    assert_non_null(run);
    assert_near(orr_run_value(run, orr_model_find(model, "x")), 3, 0);
    assert_near(orr_run_value(run, orr_model_find(model, "k")), 2, 0);
    assert_near(orr_run_value(run, orr_model_find(model, "x'")), -6, 0);
    assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
    assert_near(orr_run_value(run, orr_model_find(model, "x")), 3 * exp(-2), 1e-9);
    // what was set holds for the next run too
    assert_int_equal(orr_run_restart(run), ORR_STATUS_OK);
    assert_near(orr_run_value(run, orr_model_find(model, "x")), 3, 0);
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    orr_model_destroy(model);
}

static void test_wrong_settings_are_all_named(void **state)
{
    (void)state;
    orr_model *model = fake_model((Fake){ .n_states = 2,
                                          .states = { "level", "v" },
                                          .n_params = 1,
                                          .params = { "gain" },
                                          .rates = oscillator_rates });
    orr_diag *diag = orr_diag_create();
    const orr_setting settings[] = { { "levle", 1 }, { "gain", NAN }, { "level'", 1 }, { "v", INFINITY } };
    assert_null(make(model, diag, options_for("rk4", 1, 0.1), settings, 4));
    assert_int_equal(orr_diag_errors(diag), 4);
    assert_string_equal(orr_diag_get(diag, 0).code, "E406");
    assert_contains(orr_diag_get(diag, 0).hint, "'level'");
    for (size_t i = 1; i < 4; i++) assert_string_equal(orr_diag_get(diag, i).code, "E407");
    orr_diag_destroy(diag);
    orr_model_destroy(model);
}

static void test_wrong_options_are_refused(void **state)
{
    (void)state;
    orr_model *model = fake_model(problem_decay);
    const orr_run_options good = options_for("rk4", 1, 0.1);
    orr_run_options bad[9];
    const char *codes[] = { "E403", "E409", "E409", "E415", "E415", "E410", "E410", "E409", "E408" };
    for (int i = 0; i < 9; i++) bad[i] = good;
    bad[0].solver = "rk5";
    bad[1].step = -1;
    bad[2].step = NAN;
    bad[3].tolerance = -1e-6;
    bad[4].absolute = INFINITY;
    bad[5].t_start = 2;
    bad[6].t_start = NAN;
    bad[7].t_start = 1e20, bad[7].t_end = 2e20;    // the step is lost in rounding
    bad[8].t_end = NAN, bad[8].step = 0;
    for (int i = 0; i < 9; i++) {
        orr_diag *diag = orr_diag_create();
        assert_null(orr_run_create(model, &bad[i], diag));
        assert_int_equal(orr_diag_errors(diag), 1);
        assert_string_equal(orr_diag_get(diag, 0).code, codes[i]);
        orr_diag_destroy(diag);
    }
    orr_model_destroy(model);
}

static void test_solver_names_are_read_kindly(void **state)
{
    (void)state;
    static const char *const names[] = { "Semi-Implicit Euler", "semi_implicit_euler",
                                         "semi implicit euler" };
    for (int i = 0; i < 3; i++) assert_near(end_value(problem_clock, options_for(names[i], 1, 0.25)), 1, 0);
}

static void test_fixed_steps_stand_on_the_grid(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_clock, options_for("euler", 1, 0.1));
    for (int k = 1; k <= 10; k++) {
        assert_int_equal(orr_run_step(trial.run, 1), ORR_STATUS_OK);
        // start + k·step, not a sum
        assert_same_bits(orr_run_time(trial.run), k < 10 ? k * 0.1 : 1.0);
    }
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 10);
    assert_int_equal(orr_run_get_facts(trial.run).n_rates, 10);
    trial_end(&trial);
}

static void test_the_last_step_is_shortened_to_the_end(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_clock, options_for("rk4", 1, 0.3));
    assert_int_equal(orr_run_advance(trial.run, 1), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 4);
    assert_near(trial.run->island.t, 1, 0);
    assert_near(trial_value(&trial, "x"), 1, 1e-15);
    // who goes on after the end returns to the grid
    assert_int_equal(orr_run_advance(trial.run, 1.2), ORR_STATUS_OK);
    assert_near(trial.run->island.t, 4 * 0.3, 0);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 5);
    assert_near(trial_value(&trial, "x"), 1.2, 1e-15);
    trial_end(&trial);
}

static void test_times_near_a_grid_point_mean_it(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_oscillator, options_for("rk4", 100, 0.1));
    // 0.1·3 is 0.30000000000000004; the decimal 0.3 lies below it
    assert_int_equal(orr_run_advance(trial.run, 0.3), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 3);
    assert_same_bits(trial_value(&trial, "x"), trial.run->island.x[0]);
    assert_same_bits(orr_run_time(trial.run), 0.3);
    assert_int_equal(orr_run_advance(trial.run, 0.5 + 1e-11), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 5);
    assert_int_equal(orr_run_advance(trial.run, 0.5 + 1e-8), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 6);
    trial_end(&trial);
}

static void test_time_does_not_go_back(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_clock, options_for("rk4", 1, 0.1));
    assert_int_equal(orr_run_advance(trial.run, 0.5), ORR_STATUS_OK);
    assert_int_equal(orr_run_advance(trial.run, 0.4), ORR_STATUS_USAGE);
    assert_int_equal(orr_run_advance(trial.run, NAN), ORR_STATUS_USAGE);
    assert_int_equal(orr_run_advance(trial.run, INFINITY), ORR_STATUS_USAGE);
    assert_int_equal(orr_run_advance(trial.run, 0.5), ORR_STATUS_OK);
    assert_near(trial_value(&trial, "x"), 0.5, 1e-15);
    trial_end(&trial);
}

static void test_without_a_step_a_thousandth_is_taken_and_said(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_clock, options_for("rk4", 10, 0));
    assert_contains(orr_run_get_facts(trial.run).solver_reason, "0.01");
    assert_int_equal(orr_run_advance(trial.run, 10), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 1000);
    trial_end(&trial);
}

// After the event the grid begins there: t_event + k·step.
static void test_the_grid_restarts_at_an_event(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_kink, options_for("euler", 3, 0.3));
    static const double times[] = { 0.3, 0.6, 0.9, 1.0, 1.3, 1.6, 1.9, 2.2, 2.5, 2.8, 3 };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(orr_run_step(trial.run, 3), ORR_STATUS_OK);
        assert_near(orr_run_time(trial.run), times[i], 1e-12);
    }
    trial_end(&trial);
}

static void test_the_event_point_has_the_new_truth_value(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf" };
    for (int i = 0; i < 4; i++) {
        Trial trial = trial_begin(problem_kink, options_for(solvers[i], 3, i < 2 ? 0.3 : 0));
        bool found = false;
        while (!found && orr_run_time(trial.run) < 3) {
            assert_int_equal(orr_run_step(trial.run, 3), ORR_STATUS_OK);
            found = orr_run_get_facts(trial.run).n_events > 0;
        }
        const double x = trial_value(&trial, "x"), t = orr_run_time(trial.run);
        assert_true(x > 1);
        assert_near(x, 1, 4e-16);
        assert_near(t, 1, 1e-14);
        // the right limit is read
        assert_near(trial_value(&trial, "x'"), 0.5, 0);
        trial_end(&trial);
    }
}

// Two relations change in one step: first x > 1, which also moves the second crossing.
static int two_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    const double *modes = fake_modes(env);
    out[0] = modes[1] != 0 ? 10 : modes[0] != 0 ? 2 : 1;
    return 0;
}
static int two_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0] - 1;
    out[1] = x[0] > 1;
    out[2] = x[0] - 1.5;
    out[3] = x[0] > 1.5;
    return 0;
}

static void test_several_relations_in_one_step_come_in_order(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf" };
    const Fake problem = { .n_states = 1,
                           .states = { "x" },
                           .start = { 0 },
                           .rates = two_rates,
                           .n_relations = 2,
                           .relations = two_relations,
                           .has_loops = true };
    for (int i = 0; i < 4; i++) {
        Trial trial = trial_begin(problem, options_for(solvers[i], 2, i < 2 ? 2 : 0));
        assert_int_equal(orr_run_advance(trial.run, 2), ORR_STATUS_OK);
        // 1 until t = 1, then twice as fast to 1.5 at t = 1.25, then ten times
        assert_near(trial_value(&trial, "x"), 1.5 + 10 * 0.75, 1e-9);
        assert_int_equal(orr_run_get_facts(trial.run).n_events, 2);
        trial_end(&trial);
    }
}

// A condition that is true only inside a long step: |x - 1| < 0.02 with x' = 1, seen by free steps.
static int blink_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = 0.02 - fabs(x[0] - 1);
    out[1] = out[0] > 0;
    return 0;
}

static void test_free_steps_notice_short_changes(void **state)
{
    (void)state;
    const Fake problem = { .n_states = 1,
                           .states = { "x" },
                           .start = { 0 },
                           .rates = kink_rates,
                           .n_relations = 1,
                           .relations = blink_relations };
    Trial trial = trial_begin(problem, options_for("dopri5", 4, 0));
    assert_int_equal(orr_run_advance(trial.run, 4), ORR_STATUS_OK);
    assert_int_equal(orr_run_get_facts(trial.run).n_events, 2);
    // half speed over a width of 0.04 costs 0.04 of time
    assert_near(trial_value(&trial, "x"), 3.96, 1e-9);
    trial_end(&trial);
}

// t > 1: the event is at the very next number, and the run ends one number later.
static int late_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)x, (void)env;
    out[0] = t - 1;
    out[1] = t > 1;
    return 0;
}

static void test_an_event_may_be_a_rounding_before_the_end(void **state)
{
    (void)state;
    const Fake problem = { .n_states = 1,
                           .states = { "x" },
                           .rates = kink_rates,
                           .n_relations = 1,
                           .relations = late_relations,
                           .has_loops = true };
    const double t_event = nextafter(1, 2), t_end = nextafter(t_event, 2);
    for (size_t i = 0; orr_solver_at(i); i++) {
        const orr_solver_info *s = orr_solver_at(i);
        if (s->is_quantised) continue;    // a fake has no expressions
        Trial trial = trial_begin(problem, options_for(s->name, t_end, s->fixed_step ? 0.1 : 0));
        assert_int_equal(orr_run_advance(trial.run, t_end), ORR_STATUS_OK);
        assert_same_bits(orr_run_time(trial.run), t_end);
        assert_near(trial_value(&trial, "x"), 1, 1e-12);
        if (!s->fixed_step) assert_int_equal(orr_run_get_facts(trial.run).n_events, 1);
        trial_end(&trial);
    }
}

// x' = if x > 0 then -1 else 1 never leaves 0.
static int chatter_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    out[0] = fake_modes(env)[0] != 0 ? -1 : 1;
    return 0;
}
static int chatter_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0];
    out[1] = x[0] > 0;
    return 0;
}

static void test_a_switch_without_hysteresis_slides(void **state)
{
    (void)state;
    Fake problem = { .n_states = 1,
                           .states = { "x" },
                           .start = { 1 },
                           .rates = chatter_rates,
                           .n_relations = 1,
                           .relations = chatter_relations,
                           .has_loops = true };
    for (size_t i = 0; orr_solver_at(i); i++) {
        const orr_solver_info *s = orr_solver_at(i);
        if (s->is_quantised) continue;    // a fake has no expressions
        // from the first crossing on, which may also be the start itself
        for (int at = 1; at >= 0; at--) {
            problem.start[0] = at;
            Trial trial = trial_begin(problem, options_for(s->name, 3, s->fixed_step ? 0.1 : 0));
            assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_OK);
            assert_string_equal(orr_diag_get(trial.diag, 0).code, "W619");
            assert_contains(orr_diag_get(trial.diag, 0).text, "x > 0");
            assert_near(trial_value(&trial, "x"), 0, 1e-12);
            trial_end(&trial);
        }
    }
}

// A relation that its own mode makes false.
static int liar_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    out[0] = fake_modes(env)[0] != 0 ? -1 : 1;
    out[1] = out[0] > 0;
    return 0;
}

static void test_a_relation_that_contradicts_itself_is_named(void **state)
{
    (void)state;
    orr_model *model = fake_model((Fake){ .n_states = 1,
                                          .states = { "x" },
                                          .rates = kink_rates,
                                          .n_relations = 1,
                                          .relations = liar_relations });
    orr_diag *diag = orr_diag_create();
    const orr_run_options o = options_for("rk4", 1, 0.1);
    assert_null(orr_run_create(model, &o, diag));
    assert_string_equal(orr_diag_get(diag, 0).code, "E510");
    orr_diag_destroy(diag);
    orr_model_destroy(model);
}

// x' = 1 but not a number beyond x = 0.5
static int cliff_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0] > 0.505 ? NAN : 1;
    return 0;
}

static void test_a_nan_in_a_chunk_is_found_at_its_step(void **state)
{
    (void)state;
    const Fake problem = { .n_states = 1, .states = { "x" }, .rates = cliff_rates, .has_loops = true };
    Trial trial = trial_begin(problem, options_for("euler", 5, 0.01));
    assert_int_equal(orr_run_advance(trial.run, 5), ORR_STATUS_FAILED);
    assert_int_equal(orr_diag_errors(trial.diag), 1);
    // the last good state is the one at which the rate is not a number any more
    assert_near(orr_run_time(trial.run), 0.51, 1e-12);
    assert_near(trial_value(&trial, "x"), 0.51, 1e-12);
    assert_int_equal(orr_run_get_facts(trial.run).n_steps, 51);
    trial_end(&trial);
}

static int small_assert(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0] < 0.25;
    return 0;
}

static void test_a_broken_assertion_is_a_warning_given_once(void **state)
{
    (void)state;
    Fake problem = problem_clock;
    problem.n_asserts = 1;
    problem.asserts = small_assert;
    Trial trial = trial_begin(problem, options_for("rk4", 1, 0.1));
    assert_int_equal(orr_run_advance(trial.run, 1), ORR_STATUS_OK);
    assert_int_equal(orr_diag_warnings(trial.diag), 1);
    const orr_message message = orr_diag_get(trial.diag, 0);
    assert_string_equal(message.code, "W614");
    assert_contains(message.text, "t = 0.25:");    // found at the end of each step, also inside an advance
    assert_contains(message.text, "as claimed");
    assert_int_equal(orr_run_get_facts(trial.run).n_violations, 1);
    trial_end(&trial);
}

static bool stop_at_once(void *context, double t)
{
    *(double *)context = t;
    return false;
}

static void test_a_pulse_can_stop_a_long_advance(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_clock, options_for("euler", 1e9, 0.001));
    double seen = -1;
    trial.run->pulse = stop_at_once;
    trial.run->pulse_context = &seen;
    assert_int_equal(orr_run_advance(trial.run, 1e9), ORR_STATUS_CANCELLED);
    assert_true(seen > 0 && seen < 1e9);
    assert_near(orr_run_time(trial.run), seen, 0);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_change_parameters_and_initial_values),
        cmocka_unit_test(test_wrong_settings_are_all_named),
        cmocka_unit_test(test_wrong_options_are_refused),
        cmocka_unit_test(test_solver_names_are_read_kindly),
        cmocka_unit_test(test_fixed_steps_stand_on_the_grid),
        cmocka_unit_test(test_the_last_step_is_shortened_to_the_end),
        cmocka_unit_test(test_times_near_a_grid_point_mean_it),
        cmocka_unit_test(test_time_does_not_go_back),
        cmocka_unit_test(test_without_a_step_a_thousandth_is_taken_and_said),
        cmocka_unit_test(test_the_grid_restarts_at_an_event),
        cmocka_unit_test(test_the_event_point_has_the_new_truth_value),
        cmocka_unit_test(test_several_relations_in_one_step_come_in_order),
        cmocka_unit_test(test_free_steps_notice_short_changes),
        cmocka_unit_test(test_an_event_may_be_a_rounding_before_the_end),
        cmocka_unit_test(test_a_switch_without_hysteresis_slides),
        cmocka_unit_test(test_a_relation_that_contradicts_itself_is_named),
        cmocka_unit_test(test_a_nan_in_a_chunk_is_found_at_its_step),
        cmocka_unit_test(test_a_broken_assertion_is_a_warning_given_once),
        cmocka_unit_test(test_a_pulse_can_stop_a_long_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
