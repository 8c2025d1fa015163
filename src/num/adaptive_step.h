// src/num/adaptive_step.h: error, step control and dense output of the adaptive methods (num/pairs.c).
//
// The solver, the code generated for ensembles and exported programs must agree to the bit.
//
// Exported programs contain this text as it is: it is C99 and calls nothing but what has only one right
// answer. [Hairer, Nørsett & Wanner, Solving ODEs I, sections II.4 to II.6 and II.10]
#pragma once
#include "num/step_math.h"
#include "num/tableau.h"
#include <math.h>

// The controller: a step is divided by error^error_power·(error before)^-beta/STEP_SAFETY, within limits. It
// works with logarithms, since a general power costs more than the logarithm and the exponential together.
#define STEP_SAFETY     0.9
#define STEP_LOG_LEAST  (-9.210340371976182)    // of 1e-4: what the next step is told of a very good one
#define STEP_LAST       1.01     // a step this much too short for the rest is stretched
// (1e-8)^error_power/(1e-4)^beta/STEP_SAFETY is less than 1/grow_most, of every method
#define STEP_TINY_ERROR 1e-8
#define STEP_TINY_LOG   (-1000.0)
// of methods with two estimates, of orders p and q < p: |p|²/√(|p|² + 0.01·|q|²)
#define STEP_SECOND     0.01

enum { STEP_CUBIC = 3 };    // coefficients of the dense output that every method has

// Root mean square of u (or u - w), each measured by what is tolerated at x.
static inline double step_norm(size_t n, const double *u, const double *w, const double *x,
                               const double *absolute, double tolerance)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double tolerated = absolute[i] + tolerance * fabs(x[i]);
        const double s = (w ? u[i] - w[i] : u[i]) / tolerated;
        sum += s * s;
    }
    return n ? sqrt(sum / (double)n) : 0;
}

// The estimated error of a step from x to y, measured likewise: up to 1 it is accepted.
static inline double step_error(const Tableau *m, size_t n, double h, const double *x, const double *y,
                                double *const *k, const double *absolute, double tolerance)
{
    double sums[TABLEAU_ERRORS] = { 0 };
    for (size_t i = 0; i < n; i++) {
        const double tolerated = absolute[i] + tolerance * fmax(fabs(x[i]), fabs(y[i]));
        for (int e = 0; e < m->n_errors; e++) {
            const double off = h * tableau_sum_one(m->error[e], m->n_stages + 1, k, i) / tolerated;
            sums[e] += off * off;
        }
    }
    if (n == 0) return 0;
    if (m->n_errors == 1) return sqrt(sums[0] / (double)n);
    const double both = sums[0] + STEP_SECOND * sums[1];
    return both == 0 ? 0 : sums[0] / sqrt(both * (double)n);
}

// Logarithms take as long as a small model: where the step grows as much as it may, they need not be known.
static inline double step_error_log(double error)
{
    return error < STEP_TINY_ERROR ? STEP_TINY_LOG : dp_log(error < 1e300 ? error : 1e300);
}

// How long to try after a step of length h was rejected; an error that is not finite says nothing.
static inline double step_shorter(const Tableau *m, double h, double error)
{
    if (!isfinite(error)) return h * m->shrink_most;
    return h / fmin(1 / m->shrink_most, dp_exp(m->error_power * step_error_log(error)) / STEP_SAFETY);
}

// How long the next step is after one of length h was accepted. `log_before`: of the error of the step
// before.
static inline double step_next(const Tableau *m, double h, double error, double log_before)
{
    double factor = 0;
    if (!(error < STEP_TINY_ERROR))
        factor = dp_exp(m->error_power * step_error_log(error) - m->beta * log_before) / STEP_SAFETY;
    return h / fmax(1 / m->grow_most, fmin(1 / m->shrink_most, factor));
}

// The longest first step for rates of size `most`, by what is tolerated.
static inline double step_first(const Tableau *m, double most)
{
    return most < 1e290 ? dp_exp(1.0 / m->order * dp_log(0.01 / most)) : 0;
}

// The step from x0 to x1 as polynomials: how many coefficients of which kind is up to the method, or, without
// the stages that it has for them, a cubic.
static inline void step_make_dense(const Tableau *m, int n_dense, size_t n, double h, const double *x0,
                                   const double *x1, double *const *k, double *const *dense)
{
    for (size_t i = 0; i < n; i++) {
        const double rise = x1[i] - x0[i];
        const double bend = h * k[0][i] - rise;
        dense[0][i] = rise;
        dense[1][i] = bend;
        dense[2][i] = rise - h * k[m->n_stages][i] - bend;
    }
    for (int q = 0; q < n_dense; q++) {
        tableau_sum(0, n, m->dense[q], m->n_stages + 1 + m->n_extra, k, dense[STEP_CUBIC + q]);
        for (size_t i = 0; i < n; i++) dense[STEP_CUBIC + q][i] = h * dense[STEP_CUBIC + q][i];
    }
}

// At the fraction s of the step, with r = 1 - s: x0 + s (d0 + r (d1 + s (d2 + r (d3 + …)))).
static inline void step_state(int n_dense, size_t n, double s, const double *x0, double *const *dense,
                              double *x)
{
    const double r = 1 - s;
    for (size_t i = 0; i < n; i++) {
        double value = dense[STEP_CUBIC + n_dense - 1][i];
        for (int q = STEP_CUBIC + n_dense - 2; q >= 0; q--) value = dense[q][i] + (q % 2 ? s : r) * value;
        x[i] = x0[i] + s * value;
    }
}
