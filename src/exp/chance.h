// src/exp/chance.h: parameters, initial values and inputs that are drawn: `set K ~ normal(2, 0.1)`.
//
// A draw is a function of the seed, the number of the run and the name, so it depends on nothing else that is
// drawn. Draws with correlations are a Gaussian copula: normal numbers with these correlations, of which each
// is brought to its distribution.
#pragma once
#include "exp/kind.h"

typedef struct ChanceDraw {
    double (*quantile)(double u, const double *arguments);
    double arguments[3];
} ChanceDraw;

typedef struct Chance {
    size_t       n;            // 0: nothing is drawn
    const char **names;        // [n]
    const char **streams;      // [n] of random numbers
    ChanceDraw  *draws;        // [n]
    double      *factor;       // [n][n] of the correlations: a lower triangle; NULL: there are none
} Chance;

// Of the words `set NAME~DISTRIBUTION(…)` and `correlation A,B=R`. False after messages.
bool chance_read(Chance *c, const orr_experiment *e, Arena *arena, orr_diag *diag);
// What a run of this number is given: values [n].
void chance_draw(const Chance *c, uint64_t seed, uint64_t run, double *values);
// For n_members runs: values [n_members][n], by random numbers or a design: "random", "latin", "sobol".
void chance_fill(const Chance *c, const char *sampling, uint64_t seed, uint64_t first, size_t n_members,
                 double *values);
