// src/num/hermite.h: a step as a cubic: the curve through both ends with the slopes of both ends.
//
// s is the fraction of the step, 0 at its start and 1 at its end; h is its length, x0 and dx0 belong to the
// start. At s = 0 and s = 1 the values are exactly x0 and x1. The error for a smooth solution is of fourth
// order in h.
#pragma once
#include <stddef.h>

// Hairer, Nørsett, Wanner: Solving ODEs I, (6.7) of chapter II.6.
static inline double hermite_value(double s, double h, double x0, double dx0, double x1, double dx1)
{
    const double bend = (1 - 2 * s) * (x1 - x0) + (s - 1) * h * dx0 + s * h * dx1;
    return (1 - s) * x0 + s * x1 + s * (s - 1) * bend;
}

// A whole state: x[n] at s. x may be x0 or x1.
static inline void hermite_state(double s, double h, const double *x0, const double *dx0, const double *x1,
                                 const double *dx1, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = hermite_value(s, h, x0[i], dx0[i], x1[i], dx1[i]);
}
