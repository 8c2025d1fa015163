// src/solve/stiff/krylov.h: the linear systems of BDF by iteration where factors would fill in.
//
// The matrix of a grid in two or three dimensions has few entries, its factors have many, and the more cells
// the more for each. GMRES needs no factors but those of a preconditioner: an incomplete LU decomposition of
// the model's own sparse Jacobian (num/ilu.h), which costs what the matrix costs.
#pragma once
#include "num/ilu.h"
#include "solve/stiff/jacobian.h"

typedef struct Krylov {
    SUNLinearSolver linear;    // GMRES, owned; NULL: not in use
    IluPattern pattern;
    double *values;     // [n_entries] of the Jacobian
    double *factors;    // [n_entries] of the preconditioner
    int64_t *place;     // [n] scratch
} Krylov;

// Would factors of matrices with this pattern fill in so much that iterating is better?
bool krylov_pays(const JacobianPattern *pattern, size_t n);
// Let CVODES solve by GMRES. False if SUNDIALS will not.
bool krylov_init(Krylov *k, void *cvode, const Jacobian *jacobian, N_Vector y, SUNContext context,
                 Arena *arena);
void krylov_free(Krylov *k);
// The preconditioner for I - gamma·J, with a new J unless the last is good enough. 0: done, 1: try a shorter
// step.
int  krylov_set_up(Krylov *k, Jacobian *jacobian, double t, double *x, bool is_good, bool *is_new,
                   double gamma);
void krylov_precondition(const Krylov *k, const double *b, double *x);
