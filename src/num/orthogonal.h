// src/num/orthogonal.h: small dense problems by rotations and reflections: QR and singular values.
//
// Matrices are [n][m], column after column: a[j*m + i] is row i of column j. Nothing is allocated.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Make A upper triangular by reflections, m >= n; b [m] is reflected with it (may be NULL). Below the
// diagonal A is 0 in the end, so the first n rows are R.
void orthogonal_reduce(double *a, size_t m, size_t n, double *b);

// A = U·S·Vᵀ by one-sided Jacobi rotations, m >= n: the columns of A become those of U·S, s [n] their
// lengths, the largest first; v [n][n] has the columns of V. Small singular values keep their relative
// accuracy where columns differ in size only.
void orthogonal_values(double *a, size_t m, size_t n, double *s, double *v);
