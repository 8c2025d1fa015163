// src/run/run.h: the mutable half of a simulation.
#pragma once
#include "base/arena.h"
#include "model/model.h"
#include "orrery/run.h"

struct Solver;

// What solvers are told by the experiment.
typedef struct SolverOptions {
    double step, tolerance, absolute, max_step, t_end;    // all positive; max_step and t_end may be INFINITY
} SolverOptions;

// A set of equations that share variables, advanced by one solver of its own.
typedef struct Island {
    const orr_model     *model;     // borrowed
    const struct Solver *solver;    // borrowed; a static table
    void         *memory;           // the solver's own, in the run's arena
    orr_diag     *diag;             // borrowed; where failures are explained
    SolverOptions options;
    double   t_start, step;         // grid of the fixed-step methods, since the last reinitialisation
    double   t;                     // present time, end of the last accepted step
    double  *x;                     // [n_states] continuous states at t, inside the run's state block
    double  *dx;                    // [n_states] derivatives at (t, x); valid only if the solver says so
    double   t_before;              // start of the last accepted step: [t_before, t] can be interpolated
    CodeEnv  env;                   // v lies inside the run's state block
    size_t   n_steps, n_rates, n_rejected;
} Island;

struct orr_run {
    const orr_model *model;         // borrowed; outlives the run
    orr_diag *diag;                 // borrowed
    Arena     arena;                // owns all below
    double   *state;                // [state_size] all that changes: x, v, …: a checkpoint is a copy
    size_t    state_size;
    Island   *islands;              // [n_islands]
    size_t    n_islands;
    double    t;                    // where the user stands; island->t may be ahead
    // … (the driver adds what it needs)
};

// Evaluate the derivatives at (t, x) into dx, count it; false if a loop has no solution there.
bool island_rates(Island *island, double t, const double *x, double *dx);
