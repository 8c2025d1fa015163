// src/num/dormand_prince.h: the numbers of the Dormand–Prince pair of orders 5 and 4 and of its step control, for the
// solver and for the code generated for ensembles, which must agree to the bit.
// [Dormand & Prince 1980; Hairer, Nørsett & Wanner, Solving ODEs I, sections II.4 and II.5]
#pragma once

enum { DP_STAGES = 7 };    // the last is the first of the next step

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

// The controller: a step is divided by error^DP_ERROR_POWER · (error before)^-DP_BETA / DP_SAFETY, within limits. It
// works with logarithms, since a general power costs more than the logarithm and the exponential together.
#define DP_SAFETY       0.9
#define DP_BETA         0.04
#define DP_ERROR_POWER  (0.2 - 0.75 * DP_BETA)
#define DP_SHRINK_MOST  0.2
#define DP_GROW_MOST    10.0
#define DP_LOG_LEAST    (-9.210340371976182)    // of 1e-4: what the next step is told of a very good one
#define DP_LAST         1.01     // a step this much too short for the rest is stretched
