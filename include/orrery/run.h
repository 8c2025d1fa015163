// include/orrery/run.h: advance one simulation of a compiled model.
//
// A run holds all that changes while a model is simulated. Any number of runs may share a model,
// each on its own thread; one run is used by one thread at a time.
#pragma once
#include "orrery/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_run orr_run;

typedef struct orr_run_options {
    const char *solver;          // registered name such as "rk4"; NULL or "auto": chosen and said
    double      t_start;         // in the model's unit of time, as all times here
    double      t_end;           // when the run is expected to end; lets `auto` and first steps choose well. NaN: unknown
    double      step;            // fixed-step solvers keep it, others take it as a first guess; 0: for fixed steps a
                                 // thousandth of the run, and said so
    double      tolerance;       // relative error of a step; 0: 1e-6
    double      absolute;        // absolute error of a step; 0: tolerance·1e-3
    double      max_step;        // of solvers that choose their step; 0: no limit or, if the model has relations, a
                                 // fiftieth of the run, so that none changes twice unseen
    const orr_setting *settings; // [n_settings], borrowed during the call
    size_t      n_settings;
    double      max_seconds;     // on the clock, since the run was created; then it fails, readable. 0: no limit
    const volatile int *cancel;  // looked at now and then: not 0 ends orr_run_advance with ORR_STATUS_CANCELLED. NULL: none
} orr_run_options;
ORR_API orr_run_options orr_run_options_default(void);    // every field at its documented default

// Create a run standing at t_start with initial conditions solved. NULL, with the reason in `diag`,
// if the options do not suit the model or the start has no solution. The model must outlive the run.
// `diag` is kept for later messages and must outlive the run. Free with orr_run_destroy.
ORR_API orr_run *orr_run_create(const orr_model *model, const orr_run_options *options, orr_diag *diag);
ORR_API void     orr_run_destroy(orr_run *run);    // NULL is allowed

// Advance to exactly `t`, handling every event on the way. The solver may have stepped further: values are then
// interpolated, so asking for more points never changes the steps. Only t_end is always the end of a step. For
// fixed-step solvers a time within 1e-9 steps of a grid point t_start + k·step is that point. At an event the values
// are those after it. Assertions of the model are checked at the end of each step; the first violation of each is a
// warning. After a failure the run stays readable, at the last good time.
ORR_API orr_status orr_run_advance(orr_run *run, double t);
// Advance by one step of the solver, never past `t_limit` for fixed-step solvers' last step. For recording every step.
ORR_API orr_status orr_run_step(orr_run *run, double t_limit);

ORR_API double orr_run_time(const orr_run *run);
ORR_API double orr_run_value(orr_run *run, size_t variable);    // any variable of the model, at orr_run_time
// The present values of several variables at once; what recording uses. `variables` as given to orr_model_find.
ORR_API void   orr_run_values(orr_run *run, const size_t *variables, size_t n, double *values);

// After the end: run the terminal region. *again is set if it asks for another run with the parameters as they are
// now, which orr_run_restart begins.
ORR_API orr_status orr_run_finish(orr_run *run, bool *again);
ORR_API orr_status orr_run_restart(orr_run *run);

typedef struct orr_run_facts {
    const char *solver;               // in use now
    const char *solver_reason;        // why `auto` chose it, or NULL
    size_t      n_steps, n_rates, n_rejected, n_events, n_reruns;
    double      simulate_ms;          // since the run was created; from orr_simulate: of the simulation alone
    size_t      n_violations;         // asserts that did not hold at some time
} orr_run_facts;
ORR_API orr_run_facts orr_run_get_facts(const orr_run *run);

// The registered solvers, in order; NULL behind the last.
typedef struct orr_solver_info {
    const char *name, *summary;
    int         order;                // of accuracy; 0: varies
    bool        fixed_step;
} orr_solver_info;
ORR_API const orr_solver_info *orr_solver_at(size_t i);

#ifdef __cplusplus
}
#endif
