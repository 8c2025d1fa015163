// src/solve/solver.h: what a solver family provides.
#pragma once
#include "engine/host.h"
#include "run/run.h"

const Solver *solver_find(const char *name);    // NULL if unknown; case, '-', '_' and ' ' make no difference
const Solver *solver_at(size_t i);              // in order of registration; NULL behind the last
uint32_t      solver_number(const Solver *solver);    // of solver_at; how many there are if it is none of
                                                      // them

// What an option of a solver speaks of.
typedef enum SolverOption {
    SOLVER_OPTION_OTHER,        // step, path: means something to each
    SOLVER_OPTION_EXACTNESS,    // tol, abs, max: of those that choose their steps
    SOLVER_OPTION_QUANTUM,      // quantum, relative, min: of quantised states
} SolverOption;
// An option was written beside the name of this solver: false after an error; a warning (W602) if it changes
// nothing.
bool solver_hears(const Solver *solver, SolverOption kind, const char *name, Place place, orr_diag *diag);

// An option was written for whatever solver there is, and it is this one: no more than a warning.
void solver_warn_unused(const Solver *solver, SolverOption kind, const char *name, Place place,
                        orr_diag *diag);
