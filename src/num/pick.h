// src/num/pick.h: which columns of a wide matrix to solve for.
//
// k constraints tie m > k quantities together: J·dz = 0, J [k×m]. Of these, m - k may be chosen freely; the
// others, D, follow: dz_D = -M·dz_free with M = J_D⁻¹·J_free. A good choice makes M small, for M is how
// errors grow on the way. Exchanging the dependent i for the free j multiplies the determinant of J_D by
// M[i][j], so exchanging as long as some |M[i][j]| > 1 leads to a local maximum, where all |M[i][j]| <= 1.
// [Goreinov et al. 2010, "How to find a good submatrix"; Mattsson, Olsson & Elmqvist 2000 for the use made of
// it]
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Pick {
    size_t        n_rows, n_columns;    // k < m
    const double *matrix;               // [k·m] row after row
    const double *weights;              // [m] positive: larger, rather free; NULL: all 1
} Pick;

// Doubles that pick_improve needs.
#define PICK_SCRATCH(n_rows, n_columns)                                                                      \
    ((n_rows) * (n_columns) + (n_rows) +                                                                     \
     ((n_rows) * sizeof(size_t) + (n_columns) * sizeof(bool)) / sizeof(double) + 2)

// Improve `free` [m - k], the columns chosen freely. Nothing is changed unless some weighed |M[i][j]| exceeds
// `patience`, at least 1; then all is exchanged that is worth it. A column that stays keeps its place in
// `free`.
// *changed may be NULL. False if the rows are not independent, to rounding, whatever is chosen; *row (may be
// NULL) is then one that depends on the others.
bool pick_improve(const Pick *pick, uint32_t *free, double patience, double *scratch, bool *changed,
                  size_t *row);
