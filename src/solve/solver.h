// src/solve/solver.h: what a solver family provides.
#pragma once
#include "run/run.h"

typedef enum StepResult {
    STEP_OK,
    STEP_RELATION,         // stopped before a step across which a relation changes; nothing was committed
    STEP_RETRY_SMALLER,    // did not converge; worth another try with a smaller step
    STEP_FAILED,           // gave up; the reason has been reported
} StepResult;

enum { SOLVER_FIXED_STEP = 1, SOLVER_IMPLICIT = 2, SOLVER_MULTISTEP = 4 };

typedef struct Solver {
    const char *name;       // as written in models and on the command line
    const char *summary;    // one line for `orrery solvers`
    int         order;      // of accuracy; 0: varies
    unsigned    traits;     // SOLVER_* flags; the driver supplies what the solver lacks
    bool       (*init)(Island *island, Arena *arena, orr_diag *diag);     // put memory in the arena
    StepResult (*step)(Island *island, double t_limit);                   // one step; fixed-step methods never past t_limit
    // optional: up to n whole grid steps at once in generated code, not past t_limit; *done counts them
    StepResult (*steps)(Island *island, double t_limit, long n, long *done);
    void       (*restart)(Island *island);                                // states or modes jumped: forget the past
    void       (*state_at)(const Island *island, double t, double *x);    // dense output in [t_before, t]
    void       (*free)(Island *island);                                   // optional: what is not in the arena
} Solver;

const Solver *solver_find(const char *name);    // NULL if unknown
const Solver *solver_at(size_t i);              // in order of registration; NULL behind the last
