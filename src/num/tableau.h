// src/num/tableau.h: explicit Runge–Kutta methods as tables of numbers, and the sums that they are made of.
//
//     stage s    k[s] = f(t + c·h, x + h/divisor·Σ weight[j]·k[j]),    j < s
//     end        x + h/divisor·Σ weight[j]·k[j],    the row behind the last stage
//
// Weights of fixed-step methods are whole numbers, so that a sum rounds as little as possible and a step is
// divided once. Terms of weight 0 are left out and sums go from left to right, wherever a method is carried
// out: in a run, in generated loops, in lanes and in exported programs, which therefore agree to the bit.
//
// Exported programs contain this text as it is: it is C99.
#pragma once
#include <stddef.h>

// Adaptive methods come as pairs: a second formula over the same stages estimates the error of a step. They
// evaluate the rates at the end, too, which are those of the first stage of the next step, and some have
// stages that only their dense output needs; see adaptive_step.h.
enum { TABLEAU_ROWS = 16, TABLEAU_ERRORS = 2, TABLEAU_DENSE = 4 };

typedef struct TableauRow {
    double c, divisor;
    double weight[TABLEAU_ROWS];
} TableauRow;

typedef struct Tableau {
    const char *name;                // of the functions that are generated from it
    int         order, n_stages;     // rows[n_stages] is the end of the step
    TableauRow  rows[TABLEAU_ROWS];
    // of adaptive methods: what is estimated, what lies behind the cubic of the dense output, stages behind
    // the end of the step for that, and the numbers of the step control
    int         n_errors, n_dense, n_extra;
    double      error[TABLEAU_ERRORS][TABLEAU_ROWS], dense[TABLEAU_DENSE][TABLEAU_ROWS];
    double      error_power, beta;           // a step is divided by error^error_power/(error before)^beta
    double      shrink_most, grow_most;
    double      stiff_bound;                 // step times eigenvalue at the border of stability; 0: not known
} Tableau;

// Σ weight·k of one number.
static inline double tableau_sum_one(const double *weight, int n_terms, double *const *k, size_t i)
{
    double sum = weight[0] * k[0][i];
    for (int j = 1; j < n_terms; j++) sum = sum + weight[j] * k[j][i];
    return sum;
}

// Likewise of n numbers, from the place `first` on. Terms without weight are left out: they add nothing but a
// zero. There is at least one.
static inline void tableau_sum(size_t first, size_t n, const double *weight, int n_terms, double *const *k,
                               double *sum)
{
    int j = 0;
    while (weight[j] == 0) j++;
    for (size_t i = 0; i < n; i++) sum[i] = weight[j] * k[j][first + i];
    for (j++; j < n_terms; j++) {
        if (weight[j] == 0) continue;
        const double w = weight[j], *kj = k[j] + first;
        for (size_t i = 0; i < n; i++) sum[i] = sum[i] + w * kj[i];
    }
}

// What a row of the table says: where the rates of a stage are computed, or the end of a step. y may be x.
// Many numbers are computed in blocks, of which compilers make vectors; for a few that would not pay.
enum { TABLEAU_FEW = 8, TABLEAU_BLOCK = 64 };

static inline void tableau_argument(const Tableau *m, int row, size_t n, double h, const double *x,
                                    double *const *k, double *y)
{
    const double part = h / m->rows[row].divisor, *weight = m->rows[row].weight;
    double sum[TABLEAU_BLOCK];
    for (size_t i = 0; i < n && n <= TABLEAU_FEW; i++)
        y[i] = x[i] + part * tableau_sum_one(weight, row, k, i);
    for (size_t first = 0; first < n && n > TABLEAU_FEW; first += TABLEAU_BLOCK) {
        const size_t n_here = n - first < TABLEAU_BLOCK ? n - first : TABLEAU_BLOCK;
        tableau_sum(first, n_here, weight, row, k, sum);
        for (size_t i = 0; i < n_here; i++) y[first + i] = x[first + i] + part * sum[i];
    }
}
