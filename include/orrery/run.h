// include/orrery/run.h: advance one simulation of a compiled model.
//
// A run holds all that changes while a model is simulated. Any number of runs may share a model,
// each on its own thread; one run is used by one thread at a time.
#pragma once
#include "orrery/devs.h"
#include "orrery/model.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_run orr_run;

// What happened at an instant: a variable was assigned by an event, or a relation in an equation changed.
typedef struct orr_event {
    double      t;
    const char *cause;                // "when h <= 0", "every 0.5", "x > 0", "input u"
    size_t      line;                 // where it is written; 0: unknown
    const char *variable;             // assigned; NULL: the cause is a relation, and left and right its truth
    double      left, right;          // values before and after
    size_t      iteration;            // from 1: events that follow from others at the same instant
} orr_event;
// A claim: the variable stays inside while the model holds. Both bounds may be infinite.
typedef struct orr_claim {
    const char *name;
    double      low, high;
    const char *file;       // where it is written; NULL: nowhere
    size_t      line, column;
} orr_claim;

// Where a name that an experiment gives is written.
typedef struct orr_written {
    const char *name;       // found by its address
    orr_place   place;
} orr_written;

// A solver of one island, or of all elements of an array of islands, in place of what the model says.
typedef struct orr_island_solver {
    const char *island;
    const char *solver;
    double      step, tolerance, absolute, max_step, quantum, relative_quantum, least_quantum;    // 0: as the
                                 // model says or, where it says nothing, as those of the run
    void *reserved[2];
} orr_island_solver;

typedef struct orr_run_options {
    const char *solver;          // registered name such as "rk4"; NULL or "auto": chosen and said
    double      t_start;         // in the model's unit of time, as all times here
    double      t_end;           // when it is expected to end, for `auto` and first steps. NaN: unknown
    double      step;            // fixed-step solvers keep it, others take it as a first guess; 0: for fixed
                                 // steps a thousandth of the run, and said so
    double      path;            // of equations with noise: the Brownian paths are drawn in steps of this, a
                                 // whole part of `step`, so that runs with other steps see the same path; 0:
                                 // the same as step
    double      tolerance;       // relative error of a step; 0: 1e-6
    double      absolute;        // absolute error of a step; 0: tolerance·1e-3 times the nominal size of a
                                 // state: declared, or found at the start if that is below 1e-3, else 1
    double      max_step;        // of solvers that choose their step; 0: no limit or, if the model has
                                 // relations, a fiftieth of the run, so that none changes twice unseen
    const orr_setting *settings; // [n_settings], borrowed during the call
    size_t      n_settings;
    double      max_seconds;     // on the clock since it was created; then it fails, readable. 0: no limit
    const orr_input *inputs;     // [n_inputs] what inputs follow; the model was compiled with them. Borrowed;
                                 // files and
    size_t      n_inputs;        // sockets are opened by orr_run_create
    const orr_claim *claims;     // [n_claims] of the frame, borrowed during the call
    size_t      n_claims;
    bool        stop_outside;    // the run ends where a range is left or an assertion broken; else it goes on
    bool        allow_io;        // sockets, networks and files outside of the model's folder may be opened
    bool        live;            // of stdin, sockets and brokers the newest value counts, from the time at
                                 // which it is read, whatever its own; before the first one the default of
                                 // the input
    bool        exact;           // no step goes past the time asked for: orr_run_set needs it
    // Of quantised states: how far a state moves before others are told. R·|x| of `relative`, at least
    // `least_quantum` (0: relative·1e-3) and at most `quantum`, of those that are given. None: `tolerance`
    // and `absolute` stand for relative and least; without these 1e-3, 1e-4 and 1e-5 are the relative quanta
    // of first, second and third order.
    double      quantum, relative_quantum, least_quantum;
    const orr_setting *quanta;   // [n_quanta] of single states, or of all elements of an array; borrowed
                                 // during the call
    size_t      n_quanta;
    // What is drawn at random depends on these two and on the names of those who draw, and on nothing else.
    uint64_t    seed;            // 1 unless given
    uint64_t    number;          // of the run, 0 unless given: replications and members of ensembles count up
                                 // from it
    const char *within;          // the component that this run is, whose name begins those of its streams.
                                 // NULL: it is all
    bool        is_component;    // of an island: what leaves the model by its event outputs waits for that
    double      statistics_from; // here the warm-up ends: statistics of components begin anew. NaN: they go
                                 // on from the start
    const volatile int *cancel;  // looked at now and then: not 0 ends orr_run_advance with
                                 // ORR_STATUS_CANCELLED. NULL: none. Signal handlers may write it, another
                                 // thread by an atomic store (__atomic_store_n)
    // Called at each thing that happens at an event, in order, also while the run is created; NULL: nobody
    // looks. Texts are valid until the next call. False ends orr_run_advance with ORR_STATUS_CANCELLED.
    bool      (*event)(void *context, const orr_event *event);
    void       *event_context;
    // Called at each message and each transition of a component, in order; NULL: nobody looks. `network`
    // knows the names.
    void      (*trace)(void *context, const orr_devs *network, const orr_devs_trace *what);
    void       *trace_context;
    // Where names of settings, of what is recorded and so on are written, for messages; by address. From
    // orr_experiment_get; borrowed during the call. None: messages about them have no place.
    const orr_written *written;
    size_t      n_written;
    const orr_island_solver *islands;    // [n_islands], borrowed for the length of the run
    size_t      n_islands;
    const orr_setting *absolutes;    // [n_absolutes] absolute errors of single states, or of all elements of
    size_t      n_absolutes;         // an array; borrowed during the call
    void *reserved[4];
} orr_run_options;
ORR_API orr_run_options orr_run_options_default(void);    // every field at its documented default

// Create a run standing at t_start with initial conditions solved. NULL, with the reason in `diag`,
// if the options do not suit the model or the start has no solution. The model must outlive the run.
// `diag` is kept for later messages and must outlive the run. Free with orr_run_destroy.
ORR_API orr_run *orr_run_create(const orr_model *model, const orr_run_options *options, orr_diag *diag);
ORR_API void     orr_run_destroy(orr_run *run);    // NULL is allowed

// Advance to exactly `t`, handling every event on the way. The solver may have stepped further: values are
// then interpolated, so asking for more points never changes the steps. Only t_end is always the end of a
// step. For fixed-step solvers a time within 1e-9 steps of a grid point t_start + k·step is that point. At an
// event the values are those after it. Assertions of the model are checked at the end of each step; the first
// violation of each is a warning. After a failure the run stays readable, at the last good time.
ORR_API orr_status orr_run_advance(orr_run *run, double t);
// Advance by one step of the solver, never past `t_limit` for fixed-step solvers' last step. For recording
// every step.
ORR_API orr_status orr_run_step(orr_run *run, double t_limit);

// Give an input (not driven otherwise), a state or a parameter a new value from now on; for host programs
// that close a loop. It is an event: the solver begins anew. Parameters whose defaults follow from it change
// too. USAGE, with a message, if it is none of them, not finite, a parameter that decided something at the
// start (sizes, times of events, lags, what components and islands were given), or the solver is ahead: then
// `exact` was not asked for.
ORR_API orr_status orr_run_set(orr_run *run, size_t variable, double value);

// Has the run ended before its time, at orr_run_time? Advancing does nothing then.
ORR_API bool   orr_run_is_over(const orr_run *run);

// A range that was left or an assertion that was broken: where first, and where the farthest; the i-th, false
// behind the last.
typedef struct orr_left {
    const char *name;            // the variable, or what the assertion says
    double      low, high;       // NaN for an assertion
    double      t, value;        // located, not only where a step ended
    double      worst, t_worst;  // as far as steps ended there
    void *reserved[2];
} orr_left;
ORR_API bool   orr_run_left(const orr_run *run, size_t i, orr_left *left);

// Checkpoints. Write all that changes to a file, whole or not at all; the solver begins anew where the run
// stands, whether the file is used or not. Loaded into a run of the same model, created with the same options
// (t_end may be another), it goes on to the same bits as the one that was saved. USAGE, with a message, if
// the run cannot be saved where it stands or the file is not of such a run; SYSTEM if it cannot be written.
ORR_API orr_status orr_run_save_file(orr_run *run, const char *path);
ORR_API orr_status orr_run_load_file(orr_run *run, const char *path);

ORR_API double orr_run_time(const orr_run *run);
ORR_API double orr_run_value(orr_run *run, size_t variable);    // any variable of the model, at orr_run_time
// The present values of several variables at once; what recording uses. `variables` as given to
// orr_model_find.
ORR_API void   orr_run_values(orr_run *run, const size_t *variables, size_t n, double *values);

// After the end: run the terminal region. *again is set if it asks for another run with the parameters as
// they are now, which orr_run_restart begins.
ORR_API orr_status orr_run_finish(orr_run *run, bool *again);
ORR_API orr_status orr_run_restart(orr_run *run);

typedef struct orr_run_facts {
    const char *solver;               // in use now; NULL: there is nothing but events
    const char *solver_reason;        // why `auto` chose it, or NULL
    size_t      n_steps, n_rates, n_rejected, n_events, n_reruns;
    size_t      n_foreseen;           // events that the ends of a step would not have shown
    double      simulate_ms;          // since the run was created; from orr_simulate: of the simulation alone
    size_t      n_violations;         // asserts that did not hold at some time, ranges that were left
    const char *terminated;           // why the model ended the run, or NULL
    // of components that live by events, if there are any
    size_t      n_instants, n_transitions, n_messages;
    void *reserved[8];
} orr_run_facts;
ORR_API orr_run_facts orr_run_get_facts(const orr_run *run);

// The registered solvers, in order; NULL behind the last.
typedef struct orr_solver_info {
    const char *name, *summary;
    int         order;                // of accuracy; 0: varies
    bool        fixed_step;
    bool        is_quantised;         // steps are taken state by state, as far apart as a quantum
} orr_solver_info;
ORR_API const orr_solver_info *orr_solver_at(size_t i);
// NULL if there is none. Case, '-', '_' and ' ' make no difference.
ORR_API const orr_solver_info *orr_solver_find(const char *name);

#ifdef __cplusplus
}
#endif
