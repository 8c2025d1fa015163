// src/solve/stiff/jacobian.h: the Jacobian of the rates for methods that solve implicit equations.
//
// Symbolic if the model has one, else by differences along its pattern, columns that share no row together.
// Small or dense matrices go to dense LU, large sparse ones to KLU.
#pragma once
#include "run/run.h"
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

// The pattern of the Jacobian with the whole diagonal, by compressed columns.
typedef struct JacobianPattern {
    const IrPattern *from;    // borrowed: of the model
    sunindextype *start;      // [n + 1]
    sunindextype *row;        // [n_entries]
    uint32_t     *place;      // [pattern of the model] where each of its entries lies among these
    sunindextype  n_entries;
    uint32_t     *group;      // [n] columns of one group share no row, so one difference serves them all
    uint32_t      n_groups;
} JacobianPattern;

typedef struct Jacobian {
    Island         *island;   // borrowed
    SUNMatrix       matrix;   // owned, as the solver
    SUNLinearSolver linear;
    bool            is_sparse;
    JacobianPattern pattern;  // if sparse
    double         *entries;  // [n_jacobian] of the symbolic Jacobian
    double         *scratch;  // [3n]
    double         *rates, *shifted, *shifted_rates;    // [n] its parts
} Jacobian;

// Everything but matrix and linear solver. False, reported, if the model's Jacobian cannot be compiled.
bool jacobian_plan(Jacobian *j, Island *island, Arena *arena);
// Its value at (t, x): [n·n] column by column or, of a sparse one, the entries of its pattern. False if the
// rates cannot be computed.
bool jacobian_values(Jacobian *j, double t, double *x, double *values);
// Matrix and linear solver for systems like that of `y`, and the plan unless there is one. False, with a
// message unless SUNDIALS failed (*reported tells).
bool jacobian_init(Jacobian *j, Island *island, N_Vector y, SUNContext context, Arena *arena, bool *reported);
void jacobian_free(Jacobian *j);
// Its value at (t, x) into a matrix like j->matrix; of a sparse one the whole diagonal is there. False if the
// rates cannot be computed.
bool jacobian_fill(Jacobian *j, double t, double *x, SUNMatrix matrix);
// Make of it the Jacobian of the residuals F of IDAS, x' - f and those of implicit states: rows that have a
// derivative become cj·I - J, or the identity where `has_rates` is false.
void jacobian_of_residuals(const Jacobian *j, const bool *is_implicit, double cj, bool has_rates,
                           SUNMatrix matrix, size_t n);
