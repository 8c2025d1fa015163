// src/solve/slice/slice.h: what the fixed-step one-step methods share.
//
// Time runs on the grid t_start + k·step. Whole steps run in generated code, many at once; the rest (a
// shorter step to the end of the run or to an event, the search for an event inside a step) is done here by
// the same formulas in the same order, so that both give the same bits.
#pragma once
#include "solve/solver.h"

typedef struct Slice Slice;

typedef struct SliceMethod {
    CodeLoopId loop;         // of the generated code
    size_t     n_stages;     // evaluations of the rates in a step
    size_t     n_vectors;    // scratch vectors `step` needs
    bool       is_linear;    // dense output: linear between the ends, else cubic Hermite
    // x(t[2]) from x(t[0]), in place; t[1] lies in the middle. False if the rates cannot be evaluated on the
    // way.
    bool (*step)(Island *island, const double t[3], double h, double *x, double **work);
} SliceMethod;

struct Slice {
    const SliceMethod *method;
    double  *scratch;            // [CODE_SCRATCH*n_states] of the generated code
    double **work;               // [n_vectors][n_states]
    double  *dx_before, *dx;     // [n_states] rates at both ends of the last step, for interpolation
    double   t_before, t;        // the step they belong to; NaN: none
};

bool       slice_init(Island *island, Arena *arena, const SliceMethod *method);
StepResult slice_step(Island *island, double t_limit);
StepResult slice_steps(Island *island, long n, long *done);
void       slice_restart(Island *island);
void       slice_state_at(Island *island, double t, double *x);
void       slice_pass(Island *island, RunSaved *saved);
