// include/orrery/ensemble.h: one model, many members: the same experiment with other parameters or initial
// values.
//
// Members are computed by several threads and, where the method and the model allow it, many at once in
// vector instructions: with euler, heun, rk4, dopri5 and the methods for noise, also with events, asserts,
// tables and arrays; not with delays, loops of equations, islands and components. A member's numbers do not
// depend on that: they have the same bits alone, in any lane and with any number of threads. A member that
// fails leaves the others alone.
#pragma once
#include "orrery/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum orr_lanes {
    ORR_LANES_AUTO,      // when they pay for the compiler they need
    ORR_LANES_NEVER,
    ORR_LANES_ALWAYS     // wherever they are possible
} orr_lanes;

typedef struct orr_ensemble_options {
    const char *const *names;    // [n_names] what differs: parameters, inputs or initial values, by full path
    size_t        n_names;
    const double *values;        // [n_members][n_names]
    size_t        n_members;
    size_t        n_threads;     // 0: as many as there are processors
    orr_lanes     lanes;
    bool          common;        // all members draw the same random numbers; else each has a run number of
                                 // its own
    bool          fast;          // allow fused multiply-add in lanes: last bits differ and depend on the
                                 // machine
    const volatile int *cancel;  // not 0 ends the ensemble; members that are complete are kept. NULL: none;
                                 // written as that of orr_run_options
    void *reserved[8];
} orr_ensemble_options;
ORR_API orr_ensemble_options orr_ensemble_options_default(void);

// One member as it arrives. Everything lives until the call returns.
typedef struct orr_member {
    size_t        index;         // from 0, in the order of `values`
    orr_status    status;
    const char   *failure;       // what went wrong, or NULL
    double        t;             // reached
    size_t        n_rows;        // computed before a failure, if there was one
    const double *times;         // [n_rows]
    const double *rows;          // [n_rows][n_columns]
    const orr_distribution *distributions;    // [n_distributions] of the statistics the experiment asks for
    size_t        n_distributions;
    const double *observed;      // [n_observations of the experiment]; NULL: none
    size_t        n_violations;  // asserts that did not hold at some time, ranges of the frame that were left
    const char   *violation;     // the first of them, or NULL
    void *reserved[4];
} orr_member;

// Somebody who keeps what is computed, as it is computed, and may know part of it: see orrery/store.h.
typedef struct orr_keeper {
    const orr_sink *sink;    // all of a single run goes there too; NULL: nothing
    // An ensemble begins: what is varied and recorded. What was kept earlier of another one is not used.
    bool (*begin)(void *self, const orr_experiment *experiment, const orr_ensemble_options *options,
                  const char *const *columns, const char *const *units, size_t n_columns,
                  const char *time_unit);
    // Was this member kept earlier? By any thread; what it points to is freed with free_member.
    bool (*recall)(void *self, size_t index, orr_member *member);
    void (*free_member)(orr_member *member);
    bool (*member)(void *self, const orr_member *member, bool is_recalled);    // in order; false ends
    void *self;
    void *reserved[4];
} orr_keeper;

// Where members go, one at a time and in their order. A false return ends the ensemble. Any function may be
// NULL.
typedef struct orr_member_sink {
    bool (*begin)(void *self, const char *const *names, const char *const *units, size_t n_columns,
                  const char *time_unit);
    bool (*member)(void *self, const orr_member *member);
    bool (*progress)(void *self, size_t n_done, size_t n_members);
    void *self;
    void *reserved[4];
} orr_member_sink;

typedef struct orr_ensemble_facts {
    size_t n_done, n_failed;     // members
    size_t n_in_lanes;           // of these, computed many at once
    size_t n_threads;
    double simulate_ms;          // on the clock, compilers included
    size_t n_violated;           // members in which an assert or the frame did not hold
    const char *one_by_one;      // why members were not computed many at once, such as "delays"; static.
                                 // NULL: they were, or there was only one
    void *reserved[4];
} orr_ensemble_facts;

// Carry out `experiment` for each member. Rows are those of the experiment: at its interval, or with every =
// 0 only the end. OK also if members failed: they tell. `facts` may be NULL.
ORR_API orr_status orr_ensemble_run(const orr_model *model, const orr_experiment *experiment,
                                    const orr_ensemble_options *options, const orr_member_sink *sink,
                                    orr_ensemble_facts *facts, orr_diag *diag);

#ifdef __cplusplus
}
#endif
