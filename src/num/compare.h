// src/num/compare.h: means of several systems compared with each other, by replications that may share their
// random numbers.
//
// Replication r of system i is y[i][r]. What is said holds whether replication r of two systems is correlated
// or not: differences are taken replication by replication.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Interval {
    double mean, half;    // mean ± half; half NaN: fewer than 2
} Interval;

Interval compare_mean(const double *y, size_t n, double confidence);
Interval compare_paired(const double *a, const double *b, size_t n, double confidence);    // of a - b

// Multiple comparison with the best [Hsu 1984]: for each of k systems an interval low … high of how much its
// mean is better than the best of the others; all k at once with this confidence. From paired differences
// with Bonferroni's inequality, so correlations do no harm [Nelson and Matejcik 1995]. sign 1: large means
// are good, -1: small ones. A system with low = 0 is the best; one with high = 0 is not.
void compare_best(const double *const *y, size_t k, size_t n, double confidence, double sign, double *low,
                  double *high);

// Selection of the best of k systems [Kim and Nelson 2001]: replications are added one by one, and systems
// leave as soon as another is better by far enough. What remains is the best with probability `confidence`
// if it is better than the others by `delta` or more; also with common random numbers.
typedef struct Selection {
    size_t  k, n_first;      // systems; replications before the first look
    double  delta, h2;
    double  sign;            // 1: large means are good, -1: small ones
    double *variances;       // [k][k] of differences, from the first replications; the caller's memory
    bool   *is_in;           // [k] likewise
    size_t  n_in;
} Selection;
void select_begin(Selection *s, const double *const *y, double confidence);    // y [k][n_first]
// Look after r >= n_first replications of all that are in; sums [k] of their values. True: one is left.
bool select_look(Selection *s, const double *sums, size_t r);
