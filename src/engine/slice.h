// src/engine/slice.h: steps of methods on a grid.
#pragma once
#include "engine/engine.h"
#include "num/tableau.h"

typedef struct Slice {
    const Tableau *method;       // NULL: semi-implicit Euler
    int      loop;               // of the generated code
    size_t   n_stages;           // evaluations of the rates in a step
    bool     is_linear;          // dense output is a straight line
    double  *scratch;            // [CODE_SCRATCH*n_states] of the generated code
    double  *k[TABLEAU_ROWS];    // [n_states] rates of the stages
    double  *y;                  // [n_states] where those of the next one are computed
    double  *dx_before, *dx;     // [n_states] rates at both ends of the last step, for interpolation
    double   t_before, t;        // the step they belong to; NaN: none
} Slice;

// As Solver (engine/host.h) has them; island->memory is a Slice.
StepResult slice_step(Island *island, double t_limit);
StepResult slice_steps(Island *island, long n, long *done);
void       slice_restart(Island *island);
void       slice_state_at(Island *island, double t, double *x);
