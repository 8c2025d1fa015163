// src/run/clones.h: vectors and matrices of SUNDIALS, which copies them without looking whether it got a
// copy: out of memory is seen here.
#pragma once
#include "base/arena.h"
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

static inline N_Vector clone_vector(N_Vector v)
{
    N_Vector copy = N_VClone_Serial(v);
    if (!copy) arena_no_memory((size_t)N_VGetLength(v) * sizeof(double));
    return copy;
}

static inline SUNMatrix clone_matrix(SUNMatrix a)
{
    SUNMatrix copy = SUNMatGetID(a) == SUNMATRIX_DENSE ? SUNMatClone_Dense(a) : SUNMatClone_Sparse(a);
    if (!copy) arena_no_memory(sizeof(double));
    return copy;
}

// The same vector or matrix, NULL too.
static inline N_Vector clones_vector(N_Vector v)
{
    if (v) v->ops->nvclone = clone_vector;    // a copy has the same functions
    return v;
}

static inline SUNMatrix clones_matrix(SUNMatrix a)
{
    if (a) a->ops->clone = clone_matrix;
    return a;
}
