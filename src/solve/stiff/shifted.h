// src/solve/stiff/shifted.h: linear systems with σM - J, for one real σ and one pair of complex ones, as
// engine/radau.h wants them: dense ones by engine/shifted.h, sparse ones by KLU.
#pragma once
#include "engine/shifted.h"
#include "solve/stiff/jacobian.h"
#include <klu.h>

typedef struct Shifted {
    Jacobian      j;               // without matrix and solver of SUNDIALS
    DenseShifted  dense;           // of a sparse one `values`, `real` and `complex` are entries of its
                                   // pattern, the last ones in pairs
    klu_l_common  common;          // sparse
    klu_l_symbolic *symbolic;
    klu_l_numeric *real_factors, *complex_factors;
} Shifted;

// False, reported, if there is no memory for it. `is_implicit` must outlive it; free with shifted_free.
bool shifted_init(Shifted *s, Island *island, const bool *is_implicit, Arena *arena);
void shifted_free(Shifted *s);
// As in RadauSystem; the memory is a Shifted.
bool shifted_renew(void *memory, double t, double *x);
bool shifted_factor(void *memory, double gamma, double alpha, double beta);
void shifted_solve_real(void *memory, double *b);
void shifted_solve_complex(void *memory, double *re, double *im);
