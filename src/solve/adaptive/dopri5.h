// src/solve/adaptive/dopri5.h: what others want to know of the Dormand–Prince solver.
#pragma once
#include "solve/solver.h"

extern const Solver solver_dopri5;

// What the next step begins with, for those who make it elsewhere.
typedef struct Dopri5Ahead {
    double        h, log_before;
    const double *rates;    // [n_states]
} Dopri5Ahead;
Dopri5Ahead dopri5_ahead(const void *memory);

// The last steps were as long as stability allows, not as long as the tolerance would: an implicit method
// would do better.
bool dopri5_is_stiff(const void *memory);
