// tests/solve/test_solvers.c: what every registered solver promises.
#include "problems.h"
#include <string.h>

// Quantised states need the expressions of a model, which a fake does not have: they are tested in
// test_qss.c.
#define FOR_EACH_SOLVER(s) \
    for (size_t solver_i = 0; solver_i < 100; solver_i++) \
        for (const orr_solver_info *s = orr_solver_at(solver_i); s && !s->is_quantised; s = NULL)

static const struct Closed {
    const char *name;
    const Fake *problem;
    double    (*exact)(double t);
    double      t_end;
} closed[] = {
    { "decay", &problem_decay, decay_exact, 2 },
    { "oscillator", &problem_oscillator, cos, 3 },
    { "forced", &problem_forced, forced_exact, 3 },
    { "logistic", &problem_logistic, logistic_exact, 4 },
};
enum { N_CLOSED = sizeof closed / sizeof *closed };

static void test_solvers_are_registered_with_a_summary(void **state)
{
    (void)state;
    size_t n = 0;
    for (const orr_solver_info *s; (s = orr_solver_at(n)); n++) {
        assert_non_null(s->name);
        assert_true(strlen(s->summary) > 10);
    }
    assert_true(n >= 20);
    assert_null(orr_solver_at(n));
}

static void test_solvers_reach_the_closed_solutions(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        for (int i = 0; i < N_CLOSED; i++) {
            const double h = 0.01,
                         off = fabs(end_value(*closed[i].problem,
                                              options_for(s->name, closed[i].t_end, s->fixed_step ? h : 0)) -
                                    closed[i].exact(closed[i].t_end));
            const double bound = s->fixed_step ? pow(h, s->order) * 4 : 2e-6;
            if (!(off <= bound)) print_error("%s on %s: off by %g\n", s->name, closed[i].name, off);
            assert_true(off <= bound);
        }
    }
}

// The tolerance is an order of magnitude statement, but a hundred times finer must be much better.
static void test_adaptive_solvers_follow_their_tolerance(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        if (s->fixed_step) continue;
        double off[2];
        for (int i = 0; i < 2; i++) {
            orr_run_options o = options_for(s->name, 10, 0);
            o.tolerance = i ? 1e-9 : 1e-5;
            o.absolute = o.tolerance * 1e-2;
            off[i] = fabs(end_value(problem_oscillator, o) - cos(10));
        }
        if (!(off[1] < off[0] / 50 && off[1] < 1e-6 && off[0] < 1e-2))
            print_error("%s: %g, then %g\n", s->name, off[0], off[1]);
        assert_true(off[1] < off[0] / 50 && off[1] < 1e-6 && off[0] < 1e-2);
    }
}

// Explicit one-step methods, and the adaptive pair when its step is held: error halves, quarters, …
static double fixed_error(const orr_solver_info *s, double h, double at)
{
    orr_run_options o = options_for(s->name, 5, h);
    if (!s->fixed_step) {
        o.max_step = h;
        o.tolerance = o.absolute = 1;    // any error is accepted, so every step has the greatest length
    }
    Trial trial = trial_begin(problem_forced, o);
    assert_int_equal(orr_run_advance(trial.run, at), ORR_STATUS_OK);
    const double off = trial_value(&trial, "x") - forced_exact(at);
    trial_end(&trial);
    return fabs(off);
}

static void test_fixed_order_methods_converge_with_their_order(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        if (s->order == 0) continue;
        const double h = s->order > 5 ? 0.25 : s->order > 3 ? 0.1 : 0.01;
        // the largest error on the way: at a single time it may pass through zero
        double coarse = 0, fine = 0;
        for (double t = 1; t <= 4; t += 0.5) {
            coarse = fmax(coarse, fixed_error(s, h, t));
            fine = fmax(fine, fixed_error(s, h / 2, t));
        }
        const double order = log2(coarse / fine);
        if (!(fabs(order - s->order) < 0.15)) print_error("%s: order %g, not %d\n", s->name, order, s->order);
        assert_true(fabs(order - s->order) < 0.15);
    }
}

// Between the ends of steps: no order is lost up to the fourth, and one of the eighth.
static void test_dense_output_converges_too(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        if (s->order == 0) continue;
        const double h = s->order > 5 ? 0.25 : s->order > 3 ? 0.1 : 0.01;
        // a third into a step of either grid
        double coarse = 0, fine = 0;
        for (int i = 0; i < 20; i++) {
            coarse = fmax(coarse, fixed_error(s, h, 1 + (i + 1.0 / 3) * h));
            fine = fmax(fine, fixed_error(s, h / 2, 1 + (i + 1.0 / 3) * h / 2));
        }
        const double order = log2(coarse / fine);
        const double least = (s->order == 8 ? 7 : s->order < 4 ? s->order : 4) - 0.3;
        if (!(order > least)) print_error("%s: dense output of order %g\n", s->name, order);
        assert_true(order > least);
    }
}

static void test_events_are_located_to_rounding(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        // steps that do not hit the kink at t = 1 by themselves
        Trial trial = trial_begin(problem_kink, options_for(s->name, 3, s->fixed_step ? 0.3 : 0));
        assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_OK);
        const double x = trial_value(&trial, "x");
        if (!(fabs(x - 2) < 1e-9)) print_error("%s: x(3) = %.17g\n", s->name, x);
        assert_near(x, 2, 1e-9);
        assert_int_equal(orr_run_get_facts(trial.run).n_events, 1);
        trial_end(&trial);
    }
}

static void test_recording_before_an_event_sees_the_old_modes(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        Trial trial = trial_begin(problem_kink, options_for(s->name, 3, s->fixed_step ? 0.3 : 0));
        const size_t rate = orr_model_find(trial.model, "x'");
        for (int i = 0; i <= 60; i++) {
            const double t = i * 0.05;
            assert_int_equal(orr_run_advance(trial.run, t), ORR_STATUS_OK);
            if (fabs(t - 1) < 1e-6) continue;    // on either side by rounding
            assert_near(trial_value(&trial, "x"), t < 1 ? t : 0.5 + 0.5 * t, 1e-9);
            assert_near(orr_run_value(trial.run, rate), t < 1 ? 1 : 0.5, 0);
        }
        trial_end(&trial);
    }
}

static void test_recording_changes_no_bit(void **state)
{
    (void)state;
    static const double every[] = { 100, 1, 0.5, 0.1, 0.07, 0.003 };
    const Fake *problems[] = { &problem_oscillator, &problem_kink };
    FOR_EACH_SOLVER (s) {
        for (size_t p = 0; p < 2; p++) {
            double first = 0;
            size_t n_steps = 0;
            for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
                Trial trial = trial_begin(*problems[p], options_for(s->name, 10, s->fixed_step ? 0.05 : 0));
                for (long k = 1; (double)k * every[i] < 10; k++) {
                    assert_int_equal(orr_run_advance(trial.run, (double)k * every[i]), ORR_STATUS_OK);
                    trial_value(&trial, "x'");
                }
                assert_int_equal(orr_run_advance(trial.run, 10), ORR_STATUS_OK);
                const double x = trial_value(&trial, "x");
                const size_t steps = orr_run_get_facts(trial.run).n_steps;
                if (i == 0) first = x, n_steps = steps;
                if (memcmp(&first, &x, sizeof x)) print_error("%s, every %g\n", s->name, every[i]);
                assert_same_bits(x, first);
                assert_int_equal(steps, n_steps);
                trial_end(&trial);
            }
        }
    }
}

// Rates that remember, as those with loops do.
static int guessing_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t;
    double *guess = fake_guesses(env);
    out[0] = x[1] + 1e-3 * guess[0];
    out[1] = -x[0];
    guess[0] = x[0];
    return 0;
}

static void test_recording_leaves_the_guesses_of_loops_alone(void **state)
{
    (void)state;
    Fake problem = problem_oscillator;
    problem.rates = guessing_rates;
    problem.n_guesses = 1;
    FOR_EACH_SOLVER (s) {
        const orr_run_options o = options_for(s->name, 2, s->fixed_step ? 0.05 : 0);
        const double first = end_value(problem, o);
        Trial trial = trial_begin(problem, o);
        for (int i = 1; i <= 60; i++) {
            assert_int_equal(orr_run_advance(trial.run, i / 30.0), ORR_STATUS_OK);
            trial_value(&trial, "v'");
        }
        assert_same_bits(trial_value(&trial, "x"), first);
        trial_end(&trial);
    }
}

static void test_step_by_step_gives_the_same_bits(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        const orr_run_options o = options_for(s->name, 3, s->fixed_step ? 0.03 : 0);
        const double whole = end_value(problem_oscillator, o);
        Trial trial = trial_begin(problem_oscillator, o);
        size_t n = 0;
        while (orr_run_time(trial.run) < 3) {
            const double before = orr_run_time(trial.run);
            assert_int_equal(orr_run_step(trial.run, 3), ORR_STATUS_OK);
            assert_true(orr_run_time(trial.run) > before);
            n++;
        }
        assert_same_bits(trial_value(&trial, "x"), whole);
        assert_int_equal(n, orr_run_get_facts(trial.run).n_steps);
        trial_end(&trial);
    }
}

static void test_generated_loops_and_steps_by_hand_agree_to_the_bit(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        if (!s->fixed_step) continue;
        Fake by_hand = problem_forced;
        by_hand.has_loops = false;
        const orr_run_options o = options_for(s->name, 2.995, 0.01);    // the last step is half as long
        assert_same_bits(end_value(problem_forced, o), end_value(by_hand, o));
    }
}

// The undamped oscillator after 100 time units: who gains energy, who loses it, who keeps it.
static double energy_after(const char *solver, double h, double t_end)
{
    Trial trial = trial_begin(problem_oscillator, options_for(solver, t_end, h));
    assert_int_equal(orr_run_advance(trial.run, t_end), ORR_STATUS_OK);
    const double x = trial_value(&trial, "x"), v = trial_value(&trial, "v");
    trial_end(&trial);
    return x * x + v * v;
}

static void test_energy_drift_is_that_of_the_method(void **state)
{
    (void)state;
    // explicit Euler multiplies the squared radius by 1 + h² in each step
    assert_near_relative(energy_after("euler", 0.01, 100), pow(1 + 1e-4, 10000), 1e-9);
    // Heun: by 1 + h⁴/4; RK4: by 1 - h⁶/72 + h⁸/576
    assert_near_relative(energy_after("heun", 0.01, 100), pow(1 + 1e-8 / 4, 10000), 1e-9);
    assert_near_relative(energy_after("rk4", 0.1, 100), pow(1 - 1e-6 / 72 + 1e-8 / 576, 1000), 1e-9);
    // in place: x² + v² ± h x v is kept, so the radius stays near 1 for ever
    assert_near(energy_after("semi-implicit euler", 0.01, 100), 1, 0.011);
    assert_near(energy_after("dopri5", 0, 100), 1, 1e-5);
    assert_near(energy_after("adams", 0, 100), 1, 1e-4);
    assert_near(energy_after("bdf", 0, 100), 1, 1e-3);
}

// x' = -1000 (x - cos t): explicit methods crawl.
static int stiff_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)env;
    out[0] = -1000 * (x[0] - cos(t));
    return 0;
}
static const Fake problem_stiff = {
    .n_states = 1, .states = { "x" }, .start = { 0 }, .rates = stiff_rates, .has_loops = true,
};
static double stiff_exact(double t) { return (1e6 * cos(t) + 1e3 * sin(t)) / (1e6 + 1); }

static void test_auto_changes_to_bdf_when_it_meets_stiffness(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_stiff, options_for("auto", 5, 0));
    assert_string_equal(orr_run_get_facts(trial.run).solver, "dopri5");
    assert_int_equal(orr_run_advance(trial.run, 5), ORR_STATUS_OK);
    const orr_run_facts facts = orr_run_get_facts(trial.run);
    assert_string_equal(facts.solver, "bdf");
    assert_contains(facts.solver_reason, "stiff");
    assert_near(trial_value(&trial, "x"), stiff_exact(5), 1e-6);
    assert_true(facts.n_steps < 1000);
    trial_end(&trial);
}

// Stiff until t = 1 only: x' = -k (x - cos t) - sin t with k from 10⁵ to 1; x = cos t whatever k is.
static int calming_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)env;
    const double k = 1 + 1e5 / (1 + exp(fmin(50 * (t - 1), 500)));
    out[0] = -k * (x[0] - cos(t)) - sin(t);
    return 0;
}
static const Fake problem_calming = {
    .n_states = 1, .states = { "x" }, .start = { 1 }, .rates = calming_rates, .has_loops = true,
};

static void test_auto_goes_back_where_stiffness_is_over(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_calming, options_for("auto", 300, 0));
    assert_int_equal(orr_run_advance(trial.run, 1), ORR_STATUS_OK);
    assert_string_equal(orr_run_get_facts(trial.run).solver, "bdf");
    assert_int_equal(orr_run_advance(trial.run, 300), ORR_STATUS_OK);
    const orr_run_facts facts = orr_run_get_facts(trial.run);
    assert_string_equal(facts.solver, "dopri5");
    assert_contains(facts.solver_reason, "no longer stiff");
    assert_near(trial_value(&trial, "x"), cos(300), 1e-4);
    trial_end(&trial);
}

// A relaxation oscillation is stiff and fast in turns; changing each time would cost more than it saves.
static int relaxing_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)env, (void)t;
    out[0] = x[1];
    out[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
}
static const Fake problem_relaxing = {
    .n_states = 2, .states = { "x", "v" }, .start = { 2, 0 }, .rates = relaxing_rates, .has_loops = true,
};

static void test_auto_does_not_change_to_and_fro(void **state)
{
    (void)state;
    size_t steps[2];
    double x[2];
    for (int k = 0; k < 2; k++) {
        Trial trial = trial_begin(problem_relaxing, options_for(k ? "auto" : "bdf", 3000, 0));
        assert_int_equal(orr_run_advance(trial.run, 3000), ORR_STATUS_OK);
        steps[k] = orr_run_get_facts(trial.run).n_steps;
        x[k] = trial_value(&trial, "x");
        trial_end(&trial);
    }
    assert_near(x[1], x[0], 0.01);
    const bool is_close = (double)steps[1] <= 1.5 * (double)steps[0];
    if (!is_close) print_error("bdf: %zu steps, auto: %zu\n", steps[0], steps[1]);
    assert_true(is_close);
}

static int stiff_jacobian(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x, (void)env;
    out[0] = -1000;
    return 0;
}

static void test_auto_sees_stiffness_in_the_jacobian_at_the_start(void **state)
{
    (void)state;
    Fake problem = problem_stiff;
    problem.jacobian = stiff_jacobian;
    Trial trial = trial_begin(problem, options_for(NULL, 50, 0));
    assert_string_equal(orr_run_get_facts(trial.run).solver, "bdf");
    assert_contains(orr_run_get_facts(trial.run).solver_reason, "stiff at the start");
    trial_end(&trial);
    trial = trial_begin(problem_decay, options_for(NULL, 50, 0));
    assert_string_equal(orr_run_get_facts(trial.run).solver, "dopri5");
    trial_end(&trial);
}

static void test_dopri5_warns_of_stiffness(void **state)
{
    (void)state;
    Trial trial = trial_begin(problem_stiff, options_for("dopri5", 5, 0));
    assert_int_equal(orr_run_advance(trial.run, 5), ORR_STATUS_OK);
    assert_int_equal(orr_diag_warnings(trial.diag), 1);
    assert_string_equal(orr_diag_get(trial.diag, 0).code, "W603");
    assert_near(trial_value(&trial, "x"), stiff_exact(5), 1e-6);
    trial_end(&trial);
    trial = trial_begin(problem_oscillator, options_for("dopri5", 100, 0));
    assert_int_equal(orr_run_advance(trial.run, 100), ORR_STATUS_OK);
    assert_int_equal(orr_diag_warnings(trial.diag), 0);
    trial_end(&trial);
}

// A chain of n tanks, tridiagonal: the sparse matrix and the differences along its pattern.
enum { N_CHAIN = 24 };
static int chain_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    for (int i = 0; i < N_CHAIN; i++)
        out[i] = 50 * ((i ? x[i - 1] : 1) - 2 * x[i] + (i + 1 < N_CHAIN ? x[i + 1] : 0));
    return 0;
}
static int chain_jacobian(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x, (void)env;
    for (int c = 0, k = 0; c < N_CHAIN; c++)
        for (int r = c - 1; r <= c + 1; r++)
            if (r >= 0 && r < N_CHAIN) out[k++] = r == c ? -100 : 50;
    return 0;
}

static void test_bdf_gives_the_same_with_any_jacobian(void **state)
{
    (void)state;
    Fake problem = {
        .n_states = N_CHAIN, .states = { "x" }, .rates = chain_rates,
    };
    const orr_run_options o = options_for("bdf", 1, 0);
    const double differences = end_value(problem, o);
    problem.is_sparse = true;
    assert_near(end_value(problem, o), differences, 1e-7);
    problem.jacobian = chain_jacobian;
    assert_near(end_value(problem, o), differences, 1e-7);
    // at rest the levels fall on a straight line
    orr_run_options longer = options_for("bdf", 100, 0);
    assert_near(end_value(problem, longer), (double)N_CHAIN / (N_CHAIN + 1), 1e-7);
    // a wrong Jacobian would still converge, but in many more steps
    size_t n_steps[3], n_rates[3];
    for (int i = 0; i < 3; i++) {
        problem.is_sparse = i > 0;
        problem.jacobian = i == 2 ? chain_jacobian : NULL;
        Trial trial = trial_begin(problem, o);
        assert_int_equal(orr_run_advance(trial.run, 1), ORR_STATUS_OK);
        n_steps[i] = orr_run_get_facts(trial.run).n_steps;
        n_rates[i] = orr_run_get_facts(trial.run).n_rates;
        trial_end(&trial);
    }
    assert_true(n_steps[1] <= n_steps[0] + 3 && n_steps[2] <= n_steps[0] + 3);
    // a difference for each of three groups of columns instead of each of 24; with the exact one none at all
    assert_true(n_rates[1] < n_rates[0] && n_rates[2] < n_rates[1]);
}

static void test_cancel_stops_every_solver(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        volatile int cancel = 0;
        orr_run_options o = options_for(s->name, 10, s->fixed_step ? 0.01 : 0);
        o.cancel = &cancel;
        Trial trial = trial_begin(problem_oscillator, o);
        assert_int_equal(orr_run_advance(trial.run, 1), ORR_STATUS_OK);
        cancel = 1;
        assert_int_equal(orr_run_advance(trial.run, 10), ORR_STATUS_CANCELLED);
        assert_true(orr_run_time(trial.run) < 10);
        assert_true(isfinite(trial_value(&trial, "x")));
        cancel = 0;
        assert_int_equal(orr_run_advance(trial.run, 10), ORR_STATUS_OK);
        assert_near(trial_value(&trial, "x"), cos(10), s->order == 1 ? 0.1 : 1e-2);
        trial_end(&trial);
    }
}

static void test_restart_repeats_the_run(void **state)
{
    (void)state;
    FOR_EACH_SOLVER (s) {
        Trial trial = trial_begin(problem_kink, options_for(s->name, 3, s->fixed_step ? 0.07 : 0));
        assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_OK);
        const double first = trial_value(&trial, "x");
        assert_int_equal(orr_run_restart(trial.run), ORR_STATUS_OK);
        assert_near(orr_run_time(trial.run), 0, 0);
        assert_near(trial_value(&trial, "x"), 0, 0);
        assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_OK);
        assert_same_bits(trial_value(&trial, "x"), first);
        trial_end(&trial);
    }
}

// x' = 1 + x²: infinite at pi/2
static int pole_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = 1 + x[0] * x[0];
    return 0;
}

static void test_a_pole_is_reported_and_the_run_stays_readable(void **state)
{
    (void)state;
    const Fake problem = {
        .n_states = 1, .states = { "x" }, .start = { 0 }, .rates = pole_rates, .has_loops = true
    };
    FOR_EACH_SOLVER (s) {
        Trial trial = trial_begin(problem, options_for(s->name, 3, s->fixed_step ? 0.01 : 0));
        assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_FAILED);
        assert_int_equal(orr_diag_errors(trial.diag), 1);
        const orr_message message = orr_diag_get(trial.diag, 0);
        assert_true(message.code[0] == 'E' && message.code[1] == '5');
        assert_non_null(message.hint);
        const double t = orr_run_time(trial.run), x = trial_value(&trial, "x");
        if (!(isfinite(x) && t > 1.5 && t < (s->fixed_step ? 2 : 1.6)))
            print_error("%s: stopped at %g with %g\n", s->name, t, x);
        assert_true(isfinite(x) && t > 1.5 && t < (s->fixed_step ? 2 : 1.6));
        assert_int_equal(orr_run_advance(trial.run, 3), ORR_STATUS_FAILED);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solvers_are_registered_with_a_summary),
        cmocka_unit_test(test_solvers_reach_the_closed_solutions),
        cmocka_unit_test(test_adaptive_solvers_follow_their_tolerance),
        cmocka_unit_test(test_fixed_order_methods_converge_with_their_order),
        cmocka_unit_test(test_dense_output_converges_too),
        cmocka_unit_test(test_events_are_located_to_rounding),
        cmocka_unit_test(test_recording_before_an_event_sees_the_old_modes),
        cmocka_unit_test(test_recording_changes_no_bit),
        cmocka_unit_test(test_recording_leaves_the_guesses_of_loops_alone),
        cmocka_unit_test(test_step_by_step_gives_the_same_bits),
        cmocka_unit_test(test_generated_loops_and_steps_by_hand_agree_to_the_bit),
        cmocka_unit_test(test_energy_drift_is_that_of_the_method),
        cmocka_unit_test(test_auto_changes_to_bdf_when_it_meets_stiffness),
        cmocka_unit_test(test_auto_goes_back_where_stiffness_is_over),
        cmocka_unit_test(test_auto_does_not_change_to_and_fro),
        cmocka_unit_test(test_auto_sees_stiffness_in_the_jacobian_at_the_start),
        cmocka_unit_test(test_dopri5_warns_of_stiffness),
        cmocka_unit_test(test_bdf_gives_the_same_with_any_jacobian),
        cmocka_unit_test(test_cancel_stops_every_solver),
        cmocka_unit_test(test_restart_repeats_the_run),
        cmocka_unit_test(test_a_pole_is_reported_and_the_run_stays_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
