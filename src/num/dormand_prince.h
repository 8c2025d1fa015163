// src/num/dormand_prince.h: the Dormand–Prince pair of orders 5 and 4 and its step control, for the solver,
// for the code generated for ensembles and for exported programs, which must agree to the bit.
//
// Exported programs contain this text as it is: it is C99 and calls nothing but what has only one right
// answer.
// [Dormand & Prince 1980; Hairer, Nørsett & Wanner, Solving ODEs I, sections II.4 to II.6]
#pragma once
#include "num/step_math.h"
#include <math.h>
#include <stddef.h>

enum { DP_STAGES = 7, DP_DENSE = 4 };    // the last stage is the first of the next step

static const double dp_c[DP_STAGES] = { 0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1 };
static const double dp_a[DP_STAGES][DP_STAGES - 1] = {
    { 0 },
    { 1.0 / 5 },
    { 3.0 / 40, 9.0 / 40 },
    { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
    { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
    { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 },
    { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 },
};
// fifth minus fourth order
static const double dp_e[DP_STAGES] = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
};

// The controller: a step is divided by error^DP_ERROR_POWER · (error before)^-DP_BETA / DP_SAFETY, within
// limits. It works with logarithms, since a general power costs more than the logarithm and the exponential
// together.
#define DP_SAFETY       0.9
#define DP_BETA         0.04
#define DP_ERROR_POWER  (0.2 - 0.75 * DP_BETA)
#define DP_SHRINK_MOST  0.2
#define DP_GROW_MOST    10.0
#define DP_LOG_LEAST    (-9.210340371976182)    // of 1e-4: what the next step is told of a very good one
#define DP_LAST         1.01     // a step this much too short for the rest is stretched

// The term of fourth order of the dense output.
static const double dp_d[DP_STAGES] = {
    -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0,
};

// (1e-8)^DP_ERROR_POWER/(1e-4)^DP_BETA/DP_SAFETY is less than 1/DP_GROW_MOST
#define DP_TINY_ERROR   1e-8
#define DP_TINY_LOG     (-1000.0)

// Where the rates of a stage are computed: y = x + h Σ a k.
static inline void dp_argument(size_t n, int stage, double h, const double *x, double *const *k, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double sum = dp_a[stage][0] * k[0][i];
        for (int j = 1; j < stage; j++) sum += dp_a[stage][j] * k[j][i];
        y[i] = x[i] + h * sum;
    }
}

// Root mean square of u (or u - w), each measured by what is tolerated at x.
static inline double dp_norm(size_t n, const double *u, const double *w, const double *x, double absolute,
                             double tolerance)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double tolerated = absolute + tolerance * fabs(x[i]);
        const double s = (w ? u[i] - w[i] : u[i]) / tolerated;
        sum += s * s;
    }
    return n ? sqrt(sum / (double)n) : 0;
}

// The estimated error of a step from x to y, measured likewise: up to 1 it is accepted.
static inline double dp_error(size_t n, double h, const double *x, const double *y, double *const *k,
                              double absolute, double tolerance)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double off = 0;
        for (int s = 0; s < DP_STAGES; s++) off += dp_e[s] * k[s][i];
        const double size = fmax(fabs(x[i]), fabs(y[i]));
        off = h * off / (absolute + tolerance * size);
        sum += off * off;
    }
    return n ? sqrt(sum / (double)n) : 0;
}

// Logarithms take as long as a small model: where the step grows as much as it may, they need not be known.
static inline double dp_error_log(double error)
{
    return error < DP_TINY_ERROR ? DP_TINY_LOG : dp_log(error < 1e300 ? error : 1e300);
}

// How long to try after a step of length h was rejected; an error that is not finite says nothing.
static inline double dp_shorter(double h, double error)
{
    if (!isfinite(error)) return h * DP_SHRINK_MOST;
    return h / fmin(1 / DP_SHRINK_MOST, dp_exp(DP_ERROR_POWER * dp_error_log(error)) / DP_SAFETY);
}

// How long the next step is after one of length h was accepted. `log_before`: of the error of the step
// before.
static inline double dp_next(double h, double error, double log_before)
{
    double factor = 0;
    if (!(error < DP_TINY_ERROR))
        factor = dp_exp(DP_ERROR_POWER * dp_error_log(error) - DP_BETA * log_before) / DP_SAFETY;
    return h / fmax(1 / DP_GROW_MOST, fmin(1 / DP_SHRINK_MOST, factor));
}

// The longest first step for rates of size `most`, by what is tolerated.
static inline double dp_first(double most) { return most < 1e290 ? dp_exp(0.2 * dp_log(0.01 / most)) : 0; }

// The step from x0 to x1 as polynomials, and their values at the fraction s of the step.
static inline void dp_make_dense(size_t n, double h, const double *x0, const double *x1, double *const *k,
                                 double *const *dense)
{
    for (size_t i = 0; i < n; i++) {
        const double rise = x1[i] - x0[i];
        const double bend = h * k[0][i] - rise;
        double sum = 0;
        for (int s = 0; s < DP_STAGES; s++) sum += dp_d[s] * k[s][i];
        dense[0][i] = rise;
        dense[1][i] = bend;
        dense[2][i] = rise - h * k[DP_STAGES - 1][i] - bend;
        dense[3][i] = h * sum;
    }
}

static inline void dp_state(size_t n, double s, const double *x0, double *const *dense, double *x)
{
    const double r = 1 - s;
    for (size_t i = 0; i < n; i++)
        x[i] = x0[i] + s * (dense[0][i] + r * (dense[1][i] + s * (dense[2][i] + r * dense[3][i])));
}
