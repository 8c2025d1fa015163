// src/engine/host.h: the engine inside the library: programs of the generated code, and methods by a table.
//
// Exported programs have definitions of their own in its place, which call their functions directly.
#pragma once
#include "code/code.h"
#include "engine/engine.h"
#include "orrery/run.h"

struct RunSaved;

enum {
    SOLVER_IMPLICIT = 1,
    SOLVER_MULTISTEP = 2,
    SOLVER_TAKES_NOISE = 8,    // white noise added to rates
    SOLVER_TAKES_LOOPS = 4,    // finds states without a derivative (Blocks.n_implicit)
};

typedef struct Solver {
    union {                 // the same twice: by field, and as users see it
        struct {
            const char *name;          // as written in models and on the command line
            const char *summary;       // one line for `orrery solvers`
            int         order;         // of accuracy; 0: varies
            bool        fixed_step;    // steps on the grid t_start + k·step
            bool        is_quantised;  // has `advance`
        };
        orr_solver_info info;
    };
    unsigned    traits;     // SOLVER_* flags; the driver supplies what the solver lacks
    const struct Tableau *tableau;    // of an explicit Runge-Kutta method; NULL: it is none
    bool       (*init)(Island *island, Arena *arena, orr_diag *diag);     // put memory in the arena
    // One step, looking at no relation. Fixed-step methods go to the next grid point or, if that is nearer,
    // to t_limit; others go no further than t_limit. Sets t, x, t_before and, for fixed steps, k. The driver
    // has put a copy of x into x_before.
    StepResult (*step)(Island *island, double t_limit);
    // optional: up to n whole grid steps at once in generated code, from a grid point; *done counts them
    StepResult (*steps)(Island *island, long n, long *done);
    // optional, instead of all these: go to t_want and no further, through as many steps of its own and
    // changes of modes as there are, or some of them; n_max = 1: to the next instant at which something
    // happens. STEP_RELATION leaves an event where the island stands to the driver. Where it stops changes no
    // step.
    StepResult (*advance)(Island *island, double t_want, long n_max);
    // states or modes jumped: forget the past; fixed-step methods begin a new grid at t
    void       (*restart)(Island *island);
    // dense output in [t_before, t]; changes no step
    void       (*state_at)(Island *island, double t, double *x);
    // of quantised states: the polynomial of a state around *t; its degree, at most 3
    int        (*polynomial)(const Island *island, uint32_t state, double *t, double c[4]);
    void       (*free)(Island *island);    // optional: what is not in the arena
    // with `advance`: when something happens next, if nothing comes from outside; INFINITY: never
    double     (*next)(const Island *island);
    // with `advance`: what others see of a state at t, its value and slope. True if that was renewed at t
    bool       (*quantised)(const Island *island, uint32_t state, double t, double *value, double *slope);
    // optional, of a solver with generated code of its own: what native code would take, in ms; have it made
    // while the run goes on
    double     (*native_ms)(const Island *island);
    void       (*improve)(const Island *island);
    // optional: go through all that is remembered from step to step, for saving and loading (run/save.c).
    // NULL: nobody can read it out, and the solver begins anew where a run is saved
    void       (*pass)(Island *island, struct RunSaved *saved);
    const struct Solver *(*at_work)(const Island *island);    // optional: the one that it has chosen
} Solver;

// An explicit method, whose steps end with an evaluation of the rates.
static inline bool engine_is_pair(const Island *island) { return island->solver->tableau; }

// Run a program of the model as it is now, by whichever compiler.
static inline int engine_call(const Island *island, IrProgramId id, double t, const double *x, double *out)
{
    return code_call(island->code, id, t, x, &island->env, out);
}

// Steps on a grid in generated code, if there is such a loop: how many; -1: there is none.
static inline long engine_loop(Island *island, int id, double t_start, double h, long k, long n,
                               double *scratch)
{
    int why = 0;
    const CodeLoop loop = island->code->loops[id];
    return loop ? loop(t_start, h, k, n, island->x, &island->env, scratch, &why) : -1;
}
