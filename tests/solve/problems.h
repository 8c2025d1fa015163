// tests/solve/problems.h: small problems with closed solutions, as fake models.
#pragma once
#include "check.h"
#include "fake_model.h"
#include "orrery/run.h"

// x' = -k x, x(0) = 1
static inline int decay_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t;
    out[0] = -env->v[0] * x[0];
    return 0;
}
static inline int decay_jacobian(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    out[0] = -env->v[0];
    return 0;
}
static const Fake problem_decay = {
    .n_states = 1, .states = { "x" }, .start = { 1 }, .n_params = 1, .params = { "k" }, .defaults = { 1 },
    .rates = decay_rates, .jacobian = decay_jacobian, .has_loops = true,
};
static inline double decay_exact(double t) { return exp(-t); }

// x' = v, v' = -x: (x, v) = (cos t, -sin t)
static inline int oscillator_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[1];
    out[1] = -x[0];
    return 0;
}
static const Fake problem_oscillator = {
    .n_states = 2, .states = { "x", "v" }, .start = { 1, 0 }, .rates = oscillator_rates, .has_loops = true,
};

// x' = sin t - x, x(0) = 1
static inline int forced_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)env;
    out[0] = sin(t) - x[0];
    return 0;
}
static const Fake problem_forced = {
    .n_states = 1, .states = { "x" }, .start = { 1 }, .rates = forced_rates, .has_loops = true,
};
static inline double forced_exact(double t) { return 0.5 * (sin(t) - cos(t)) + 1.5 * exp(-t); }

// x' = x (1 - x), x(0) = 0.1
static inline int logistic_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0] * (1 - x[0]);
    return 0;
}
static const Fake problem_logistic = {
    .n_states = 1, .states = { "x" }, .start = { 0.1 }, .rates = logistic_rates, .has_loops = true,
};
static inline double logistic_exact(double t) { return 1 / (1 + 9 * exp(-t)); }

// x' = if x > 1 then 0.5 else 1, x(0) = 0: a kink at t = 1
static inline int kink_rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x;
    out[0] = fake_modes(env)[0] != 0 ? 0.5 : 1;
    return 0;
}
static inline int kink_relations(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)env;
    out[0] = x[0] - 1;
    out[1] = x[0] > 1;
    return 0;
}
static const Fake problem_kink = {
    .n_states = 1, .states = { "x" }, .start = { 0 }, .rates = kink_rates,
    .n_relations = 1, .relations = kink_relations, .has_loops = true,
};

// A run of a problem; options with NULL solver mean `auto`. Fails the test if it cannot be made.
typedef struct Trial {
    orr_model *model;
    orr_diag  *diag;
    orr_run   *run;
} Trial;

static inline Trial trial_begin(Fake problem, orr_run_options options)
{
    Trial trial = { .model = fake_model(problem), .diag = orr_diag_create() };
    trial.run = orr_run_create(trial.model, &options, trial.diag);
    if (!trial.run) orr_diag_print(trial.diag, stderr, 0);
    assert_non_null(trial.run);
    return trial;
}

static inline void trial_end(Trial *trial)
{
    orr_run_destroy(trial->run);
    orr_diag_destroy(trial->diag);
    orr_model_destroy(trial->model);
}

static inline double trial_value(const Trial *trial, const char *name)
{
    const size_t i = orr_model_find(trial->model, name);
    assert_true(i != (size_t)-1);
    return orr_run_value(trial->run, i);
}

static inline orr_run_options options_for(const char *solver, double t_end, double step)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.step = step;
    o.tolerance = 1e-8;
    o.absolute = 1e-10;
    return o;
}

// x at the end of a run
static inline double end_value(Fake problem, orr_run_options options)
{
    Trial trial = trial_begin(problem, options);
    assert_int_equal(orr_run_advance(trial.run, options.t_end), ORR_STATUS_OK);
    const double x = trial_value(&trial, "x");
    trial_end(&trial);
    return x;
}
