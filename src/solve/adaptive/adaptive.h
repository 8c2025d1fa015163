// src/solve/adaptive/adaptive.h: what others need to know of the explicit methods that choose their steps.
#pragma once
#include "solve/solver.h"

extern const Solver solver_dopri5;

// What the next step begins with, for those who make it elsewhere.
typedef struct AdaptiveAhead {
    double        h, log_before;
    bool          was_rejected;    // an attempt that was made elsewhere
    const double *rates;    // [n_states]
} AdaptiveAhead;
AdaptiveAhead adaptive_ahead(const void *memory);
bool        adaptive_has_begun(const void *memory);    // it knows what comes next
// Steps were made elsewhere, with the same bits: go on from there. `rates` every `stride`-th number;
// was_rejected: the last attempt at the next step.
void adaptive_go_on(Island *island, double h, double log_before, bool was_rejected, const double *rates,
                  size_t stride);

// The last steps were as long as stability allows, not as long as the tolerance would: an implicit method
// would do better.
bool adaptive_is_stiff(const void *memory);
void adaptive_be_calm(void *memory);    // that is to be found out anew
