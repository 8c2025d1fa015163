// src/engine/stuck.h: does a solver that chooses its steps still get anywhere?
//
// CVODES and IDAS only warn when t + h = t, and go on for ever; and near a point where a solution ends they
// may take millions of steps of a few units in the last place of the time.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { STUCK_STILL_MAX = 5, STUCK_SHORT_MAX = 1000 };

typedef struct Stuck {
    int n_still;    // steps in a row that did not move the time
    int n_short;    // … or hardly moved it
} Stuck;

// After a step from `before` to `after`: true once there is no hope.
static inline bool stuck_after(Stuck *stuck, double before, double after)
{
    stuck->n_still = after > before ? 0 : stuck->n_still + 1;
    stuck->n_short = after - before > 256 * DBL_EPSILON * fabs(after) ? 0 : stuck->n_short + 1;
    return stuck->n_still >= STUCK_STILL_MAX || stuck->n_short >= STUCK_SHORT_MAX;
}
