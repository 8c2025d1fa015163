// src/num/lu.h: dense linear systems: P·A = L·U with partial pivoting, and how near to singular A is.
//
// Matrices are [n·n], row after row. Nothing is allocated; all arrays are the caller's.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Largest sum of magnitudes in a column. Taken before factoring, it scales the condition number.
double lu_norm(const double *a, size_t n);

// Factor in place: below the diagonal L (its diagonal is 1), on and above it U. pivots[k] is the row swapped
// with row k. False if a column has no pivot other than 0, or is not finite; *column (may be NULL) says
// which. Then `a` is spoilt.
bool lu_factor(double *a, size_t n, size_t *pivots, size_t *column);

void lu_solve(const double *lu, size_t n, const size_t *pivots, double *x);    // A·x = b; b comes in x
void lu_solve_transposed(const double *lu, size_t n, const size_t *pivots, double *x);    // Aᵀ·x = b

// 1/(|A|·|A⁻¹|) in the column-sum norm: 1 is perfect, below 1e-16 nothing is left of the solution. |A⁻¹| is
// estimated from below by at most 5 pairs of solves (Hager 1984, Higham 1988), seldom by a factor of 3 too
// small.
double lu_reciprocal_condition(const double *lu, size_t n, const size_t *pivots, double norm,
                               double *scratch);    // [2·n]
