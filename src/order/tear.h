// src/order/tear.h: which unknowns of a non-linear loop to iterate on; the others follow in closed form.
//
//     equations:  r r | e e e e      the torn unknowns are guessed, then e gives the inner ones one by one;
//     unknowns:   t t | i i i i      r is what remains: zero if the guess was right
//
// Rule: an equation gives an inner unknown that occurs linearly with a constant coefficient other than 0, if
// the equation is written for it (v = …), or if all its coefficients are constants and this one is not much
// smaller than the others. A division by something that may vanish, or an inverse function with a domain of
// its own, could fail on the way to a solution that exists; and going backwards through equations that damp
// errors makes them grow with every step.
#pragma once
#include "num/incidence.h"
#include <stdbool.h>

typedef struct TearProblem {
    Incidence   rows;           // [n] equations × [n] unknowns, each row ascending; can be matched perfectly
    const bool *is_solvable;    // for each entry of rows.columns: the rule above
    const bool *is_wanted;      // [n] unknowns to be torn first, since a guess is given for them; or NULL
} TearProblem;

typedef struct Tearing {
    uint32_t  n_torn;
    uint32_t *equations;        // [n] first the residuals, ascending, then those of the inner unknowns
    uint32_t *unknowns;         // [n] first the torn ones, ascending, then the inner ones
} Tearing;

// Greedy (finding the fewest is NP-hard): solve what can be solved; if nothing can, tear the unknown that
// occurs in most of the equations left, wanted ones first, then by order. O(entries · log entries).
Tearing tear_choose(const TearProblem *problem, Arena *arena);
