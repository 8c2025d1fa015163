// src/analyse/analyse.h: the equations of a model as functions of a point, and what is asked of them.
//
//     System       rates f(x) and their derivatives at one instant, of a run that never moves
//     Linear       systems of equations with J or with I/dt - J, dense or sparse
//     newton_*     f(x) = 0 from a starting point
//
// A point is a vector of states. Its relations are brought in line with it before anything is computed there,
// so f is what the model does at x, with a kink where a relation changes. Derivatives hold the relations.
#pragma once
#include "base/arena.h"
#include "orrery/analyse.h"
#include "run/run.h"

enum {
    ANALYSE_EIGEN_MAX = 1000,      // states of which eigenvalues are computed: a few seconds
    ANALYSE_DENSE_MAX = 3000,      // rows of a full matrix
    ANALYSE_STARTS = 20,
};

typedef struct System {
    const orr_model *model;        // borrowed
    orr_diag  *diag;               // borrowed
    Arena     *arena;              // borrowed; the result's
    orr_run   *run;                // ours
    Island    *island;             // of it
    size_t     n;                  // states
    double     t;
    double    *start;              // [n] the initial values
    double    *scale;              // [n] what counts as a large change of each state; positive
    double    *fresh;              // [n_values] the value block as it was at the start
    double    *entries;            // [n_jacobian] of the symbolic Jacobian
    double    *relations;          // [2*n_relations]
    double    *shifted, *low, *high;    // [n] scratch of differences
} System;

// A run at t_start with the initial values solved, asked nothing of its solver. On failure *status says what
// kind, and nothing is left to close.
bool system_open(System *s, const orr_model *model, const orr_run_options *options, Arena *arena,
                 orr_diag *diag, orr_status *status);
// The same at the end of a simulation to t_end.
bool system_open_at(System *s, const orr_model *model, const orr_run_options *options, Arena *arena,
                    orr_diag *diag, orr_status *status);
void system_close(System *s);

void system_forget(System *s);                                       // guesses and modes as at the start
// The rates at x. False if the relations there never settle, a loop has no solution or a rate is not finite.
bool system_rates(System *s, const double *x, double *f);
bool system_rates_held(System *s, const double *x, double *f);       // with the relations as they are
// d f / d x, at a point whose relations are settled. `fine`: where it is not symbolic, take extrapolated
// differences (good to some 11 digits) instead of simple ones.
bool system_jacobian(System *s, const double *x, bool fine, double *j);    // [n*n] row after row

// Parameters and inputs by their place in the value block; what is computed from them follows.
void   system_set(System *s, uint32_t place, double value);
double system_get(const System *s, uint32_t place);
bool   system_input_column(System *s, const double *x, uint32_t place, double *df);    // d f / d parameter
// Every variable at a point, by its number: [orr_model_n_variables]. False if they cannot be computed.
bool   system_values(System *s, const double *x, double *values);
// d outputs / d state or, with place not FLAT_NONE, d outputs / d parameter: one column, [n_outputs].
bool system_output_column(System *s, const double *x, size_t state, uint32_t place, const size_t *outputs,
                          size_t n_outputs, double *column);
bool   system_moves(System *s, const double *x);                     // do the rates at x depend on time?
const char *system_state_name(const System *s, size_t state);

// ---- linear.c

typedef struct Linear {
    const System *system;          // borrowed
    size_t   n;
    bool     is_sparse;
    double  *dense;                // [n*n]; dense: J, then the factors
    double  *factors;              // [n*n]
    size_t  *pivots;               // [n]
    struct Sparse *sparse;
} Linear;

bool linear_init(Linear *l, System *s);        // false, reported, if the matrix would be too large
void linear_free(Linear *l);
bool linear_read(Linear *l, System *s, const double *x);            // J at x; simple differences will do
// What the states contribute to each rate, Σ |J_ij|·(size of state j at x): the size that a rate of 0 is
// measured by.
void linear_weights(const Linear *l, const System *s, const double *x, double *weights);
bool linear_factor(Linear *l, double shift);                        // shift·I - J; false if singular
void linear_solve(Linear *l, double *b);                            // b := (shift·I - J)⁻¹ b

// ---- newton.c

// An equilibrium.
typedef struct Found {
    double *x;                     // [n]
    size_t  n_found;               // starting points that lead to it
    bool    is_isolated;
} Found;

// The best that was seen on the way, for messages.
typedef struct Nearest {
    double *x, *f;                 // [n]
    double  merit;                 // INFINITY: nothing yet
} Nearest;

typedef enum Way { WAY_NONE, WAY_NEWTON, WAY_TIME, WAY_FIT } Way;    // how a zero was found

// From x to a zero of f, which replaces x: by damped Newton, else by following the model in time, else by
// least squares. If none is found x is spoilt.
Way newton_find(System *s, Linear *l, double *x, Nearest *nearest);
// By damped Newton to one that is not known yet.
bool newton_find_other(System *s, Linear *l, double *x, const Found *known, size_t n_known, Nearest *nearest);
double newton_distance(const System *s, const double *x, const double *y);    // largest difference, in scales

// ---- eigen.c

// Eigenvalues of a [n*n], which is spoilt, the largest real part first and of a pair the positive imaginary
// part. False, reported, if LAPACK is missing or gives up.
bool eigen_values(double *a, size_t n, orr_complex *values, orr_diag *diag);

// How eigenvalues lie about the imaginary axis; `rounding` is what counts as on it, relative to the largest.
typedef struct Spectrum {
    size_t n_left, n_right, n_axis;
    bool   is_complex;             // some are
} Spectrum;
Spectrum      eigen_sides(const orr_complex *values, size_t n, double rounding);
orr_stability eigen_stability(const Spectrum *s);
const char   *eigen_verdict(const Spectrum *s, size_t n);
double        eigen_rounding(const System *s);    // what to trust in the Jacobian of a model

// ---- zeros.c

// Zeros and gain of d + c (s - A)⁻¹ b: zeros [n]. False if LAPACK fails.
bool zeros_of(const double *a, const double *b, const double *c, double d, size_t n, orr_complex *zeros,
              size_t *n_zeros, double *gain, orr_diag *diag);

// ---- steady.c

typedef struct FoundList {
    Found *items;                  // [n], in the arena of the system
    size_t n;
    bool   is_bad;                 // the ranges make no sense
} FoundList;
// Distinct equilibria from n_starts points (0: the default). Without any the reason is reported, unless
// `silent`.
FoundList steady_search(System *s, Linear *l, size_t n_starts, const orr_range *ranges, size_t n_ranges,
                        bool silent);
// Can the model be analysed at all? False, reported.
bool analyse_check(const orr_model *model, orr_diag *diag);
// Can this variable be varied as an input? False, reported.
bool analyse_is_input(const orr_model *model, size_t variable, orr_diag *diag);
void analyse_warn_time(System *s, const double *x);
Arena *analyse_memory(void **memory);    // of a result: an arena of its own
void   analyse_free(void *memory);
const size_t *analyse_states(const orr_model *model, Arena *arena);
// Variables that go into tables beside the states: the outputs that are not states. In the arena.
size_t *analyse_outputs(const orr_model *model, Arena *arena, size_t *n);
