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

enum { TABLEAU_ROWS = 16, TABLEAU_DENSE = 4 };

typedef struct TableauRow {
    double c, divisor;
    double weight[TABLEAU_ROWS];
} TableauRow;

typedef struct Tableau {
    const char *name;                // of the functions that are generated from it
    int         order, n_stages;     // rows[n_stages] is the end of the step
    TableauRow  rows[TABLEAU_ROWS];
} Tableau;

// Σ weight·k of n numbers, from the place `first` of each k on. There is at least one weight.
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
static inline void tableau_argument(const Tableau *m, int row, size_t n, double h, const double *x,
                                    double *const *k, double *y)
{
    enum { BLOCK = 64 };
    const double part = h / m->rows[row].divisor;
    double sum[BLOCK];
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t n_here = n - first < BLOCK ? n - first : BLOCK;
        tableau_sum(first, n_here, m->rows[row].weight, row, k, sum);
        for (size_t i = 0; i < n_here; i++) y[first + i] = x[first + i] + part * sum[i];
    }
}
