// src/solve/stiff/shifted.h: linear systems with σM - J, for one real σ and one pair of complex ones.
//
// J is the Jacobian of the rates; M has ones on the diagonal where a state has a derivative and zeros where
// it has none (implicit states). Dense systems are solved by our own LU, complex ones as real ones of twice
// the size; sparse ones by KLU.
#pragma once
#include "solve/stiff/jacobian.h"
#include <klu.h>

typedef struct Shifted {
    Jacobian      j;               // without matrix and solver of SUNDIALS
    const bool   *is_implicit;     // [n] borrowed
    size_t        n;
    double       *values;          // J: [n·n] column by column, or the entries of its pattern
    double       *real, *complex;  // what is factored, as `values`; complex: [2n·2n], or pairs
    double       *pair;            // [2n] scratch
    size_t       *pivots, *complex_pivots;    // dense
    klu_l_common  common;          // sparse
    klu_l_symbolic *symbolic;
    klu_l_numeric *real_factors, *complex_factors;
} Shifted;

// False, reported, if there is no memory for it. `is_implicit` must outlive it; free with shifted_free.
bool shifted_init(Shifted *s, Island *island, const bool *is_implicit, Arena *arena);
void shifted_free(Shifted *s);
bool shifted_renew(Shifted *s, double t, double *x);    // J at (t, x); false if it does not exist there
// Factor γM - J and (α + iβ)M - J. False if one is singular.
bool shifted_factor(Shifted *s, double gamma, double alpha, double beta);
void shifted_solve_real(Shifted *s, double *b);                  // b becomes the solution
void shifted_solve_complex(Shifted *s, double *re, double *im);  // likewise re + i·im
