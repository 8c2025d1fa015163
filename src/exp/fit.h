// src/exp/fit.h: what parameters make a model meet data, and how well the data know them.
//
//     parameters ──ensemble, rows at times of the data→ values ──beside them→ residuals → least squares
//
// A parameter, an initial value or an input is looked for as itself or as its logarithm. Derivatives are
// differences of fourth order, whose members run side by side.
#pragma once
#include "base/arena.h"
#include "num/least_squares.h"
#include "orrery/ensemble.h"

enum { FIT_PARAMETERS_MAX = 64 };
#define FIT_RANK_CUT 1e-7    // below it a singular value is noise of the differences

typedef struct FitParameter {
    const char *name;
    double start;        // NaN: as the model has it
    double low, high;    // infinite where there is no bound
    bool is_log;         // looked for by its logarithm; then it is positive
} FitParameter;

// What was measured of one variable, in the unit of the model.
typedef struct FitSeries {
    const char *variable;
    const double *t, *y;       // [n] not NaN; in any order
    const double *deviation;   // [n]; NULL: not known
    size_t      n;
    size_t      condition;     // under which it was measured, see orr_data; series of one stand together
} FitSeries;

// The series of one condition, which one run gives.
typedef struct FitGroup {
    orr_experiment experiment;         // rows at the times of the data, and nothing else
    size_t         first, n;           // series
    size_t         at;                 // their first point, of all
    size_t        *row_of;             // [points] row of each
    size_t        *column_of;          // [n]; learnt from the first run
    size_t         n_columns;
    bool           has_columns;
} FitGroup;

typedef struct Fit {
    const orr_model *model;
    orr_experiment   experiment;       // of one run, without its times
    const FitParameter *parameters;    // [n]
    size_t           n;
    const FitSeries *series;           // [n_series]
    size_t           n_series, m;      // points of all series
    bool             has_deviations;   // all series have them
    const char      *held;             // a parameter that all runs hold at held_at; NULL: none
    double           held_at;
    orr_ensemble_options how;          // threads, lanes, cancel
    // called now and then; false: stop
    bool           (*goes_on)(void *self, size_t step, double squares);
    void            *self;
    Arena           *arena;
    double           reach;            // of differences, relative: far enough beside the noise of runs
    // found by fit_prepare
    FitGroup        *groups;           // [n_groups]
    size_t           n_groups;
    size_t           n_runs, n_failed;
    char             failure[300];     // of the first run that failed
} Fit;

// One solution.
typedef struct FitFound {
    LeastSquaresResult result;
    double  p[FIT_PARAMETERS_MAX];         // values
    double  error[FIT_PARAMETERS_MAX];     // standard errors; NaN: on a bound, or the data do not know it
    double  low[FIT_PARAMETERS_MAX], high[FIT_PARAMETERS_MAX];    // of the interval of confidence
    double *correlation;                   // [n][n]
    double  deviation;                     // of residuals, estimated, or 1 where deviations are given
    double  sizes[FIT_PARAMETERS_MAX];     // singular values, columns being of length 1
    double *directions;                    // [n][n] of theirs, in units of 1/(length of a column)
    size_t  rank, n_free;                  // of the n_free that are not on their bounds
    bool    is_at_bound[FIT_PARAMETERS_MAX];
} FitFound;

// Groups, and the times of their rows. False after a message.
bool fit_prepare(Fit *fit, orr_diag *diag);
// Values of all points for one set of parameters; false: the run failed.
bool fit_values(Fit *fit, const double *p, double *values);
// The sum of squares at each of n_points points [n_points][n]; infinite where a run fails.
void fit_squares(Fit *fit, const double *points, size_t n_points, double *squares);
// From this start, [n]; its intervals at this confidence.
FitFound fit_search(Fit *fit, const double *start, double confidence);
// How the values of the points change with each parameter as it is looked for, [n][m], at p.
bool fit_derivatives(Fit *fit, const double *p, double *a);

// ---- profile.c: how the sum of squares rises when one parameter is held elsewhere
typedef struct FitProfile {
    double *p, *rise;        // [n] values, ascending, and the rise in units of the variance
    size_t  n;
    double  limit;           // of the rise, where the interval ends
    double  low, high;       // its ends; NaN: open on that side
    bool    has_better;      // a lower sum was met on the way
} FitProfile;
FitProfile fit_profile(Fit *fit, const FitFound *best, size_t which, double confidence);

// ---- identify.c: why something is not known at p
typedef struct FitCause {
    bool is_structural;    // no data of these variables could know it
    const char *known;     // a product of two parameters that they do know, or NULL
} FitCause;
FitCause fit_explain(const Fit *fit, const double *p);
