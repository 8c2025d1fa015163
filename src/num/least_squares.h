// src/num/least_squares.h: the least sum of squares, within bounds: a trust-region method that is Gauss and
// Newton's near the solution and steps down the slope far from it.
//
//     residuals(p) ──derivatives→ A, scaled by columns and by the way to the bounds ──singular values→ step
//
// Bounds are kept by the affine scaling of Coleman and Li (1996): what nears a bound against the slope takes
// smaller steps, and a step that would cross one is reflected (Branch, Coleman and Li 1999). Without bounds
// it is the method of Levenberg, Marquardt and Moré.
#pragma once
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct LeastSquares {
    size_t n, m;                 // parameters, residuals; n <= m
    const double *low, *high;    // [n] infinite where there is none; low < high
    void *self;
    // r [m] at p. False: it cannot be computed there; smaller steps are tried.
    bool (*residuals)(void *self, const double *p, double *r);
    // How the residuals change: a[j*m + i] is the derivative of residual i by parameter j; r is at p.
    bool (*derivatives)(void *self, const double *p, const double *r, double *a);
    // Called before each step with the sum of squares; false: stop. May be NULL.
    bool (*goes_on)(void *self, size_t step, double squares);
    size_t max_steps;    // 0: 200
    double tolerance;    // relative, of parameters; 0: 1e-10
} LeastSquares;

typedef enum LeastSquaresEnd {
    LEAST_SQUARES_FOUND,
    LEAST_SQUARES_TOO_MANY_STEPS,
    LEAST_SQUARES_STOPPED,     // by goes_on
    LEAST_SQUARES_NO_START,    // nothing can be computed where it starts
} LeastSquaresEnd;

typedef struct LeastSquaresResult {
    LeastSquaresEnd end;
    double squares;    // sum of the squares of r
    double *r;         // [m] at the solution
    double *a;         // [n][m] derivatives there
    double slope;      // largest cosine between r and a column of a that is not at a bound
    size_t n_steps, n_residuals, n_failed;    // how often they were computed, and could not be
} LeastSquaresResult;

// From p, which becomes the solution. It starts inside its bounds: what is on one is moved off it.
LeastSquaresResult least_squares(const LeastSquares *problem, double *p, Arena *arena);

// The inverse of aᵀ·a [n][n], where directions whose singular value, columns being of length 1, is below
// `cut` times the largest count as unknown. Returns how many are known; `values` [n] are those singular
// values, `vectors` [n][n] their directions in units of 1/(length of column), which `lengths` [n] has.
size_t least_squares_inverse(const double *a, size_t m, size_t n, double cut, double *inverse, double *values,
                             double *vectors, double *lengths, Arena *arena);
