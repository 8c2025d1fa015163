// src/engine/shifted.h: dense linear systems with σM - J, for one real σ and one pair of complex ones.
//
// J is the Jacobian of the rates; M has ones on the diagonal where a state has a derivative and zeros where
// it has none (implicit states). Complex systems are solved as real ones of twice the size.
#pragma once
#include "engine/engine.h"

typedef struct DenseShifted {
    size_t      n;
    const bool *is_implicit;       // [n] borrowed
    double     *values;            // J: [n·n] column by column
    double     *real, *complex;    // [n·n] and [2n·2n] what is factored, row by row
    double     *pair;              // [2n] scratch
    size_t     *pivots, *complex_pivots;    // [n], [2n]
} DenseShifted;

// Factor γM - J and (α + iβ)M - J. False if one is singular.
bool dense_factor(DenseShifted *s, double gamma, double alpha, double beta);
void dense_solve_real(const DenseShifted *s, double *b);                 // b becomes the solution
void dense_solve_complex(const DenseShifted *s, double *re, double *im); // likewise re + i·im

// J at (t, x) by differences; scratch is [3n]. False if the rates cannot be computed.
bool   dense_differences(Island *island, double t, const double *x, double *values, double *scratch);
double dense_shift(const Island *island, size_t i, double x);    // the difference by which a state is shifted
