// src/num/ilu.h: sparse linear systems, roughly: A ≈ L·U with no entries but those of A.
//
// What elimination would fill in is dropped, so factors cost what the matrix costs. For a matrix with a
// strong diagonal, such as I - h·J, the rough solution is a good preconditioner. Nothing is allocated.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The pattern of a square matrix by compressed columns, rows rising, with the whole diagonal.
typedef struct IluPattern {
    size_t n;
    const int64_t *start;    // [n + 1] borrowed, as `row`
    const int64_t *row;      // [start[n]]
    int64_t *diagonal;       // [n] where that of each column lies: ilu_begin
} IluPattern;

void ilu_begin(IluPattern *p);
// Factor the entries of A in place: below the diagonal L (its diagonal is 1), on and above it U. place: [n]
// scratch, all of it -1 before and after. False if a pivot is 0 or not finite; then `a` is spoilt.
bool ilu_factor(const IluPattern *p, double *a, int64_t *place);
void ilu_solve(const IluPattern *p, const double *lu, double *x);    // L·U·x = b; b comes in x
