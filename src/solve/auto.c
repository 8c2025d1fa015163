// src/solve/auto.c: chooses a method, says which and why, and changes it when the model is stiff.
//
// It starts with dopri5, unless the Jacobian at the start has a diagonal entry so negative that the run lasts
// more than ten thousand of its time constants: an explicit method would need a step for each of them. While
// dopri5 runs it watches for stiffness; then BDF takes over from the state reached, for the rest of the run.
#include "solve/adaptive/dopri5.h"
#include "solve/solver.h"
#include <math.h>

extern const Solver solver_bdf, solver_ida;

#define TIME_CONSTANTS_MANY 1e4
enum {
    LOOK_MAX = 1000,    // states: in larger models the Jacobian is compiled only when it is needed
    FULL_MAX = 2000,    // states of a model whose Jacobian is full, so that BDF would be slower still
};

typedef struct Auto {
    const Solver *now;
    void *memory;    // of that solver
} Auto;

// Call a function of the solver at work: it finds its own memory where it expects it.
#define WITH(island, choice, call)                                                                           \
    do {                                                                                                     \
        (island)->memory = (choice)->memory;                                                                 \
        call;                                                                                                \
        (choice)->memory = (island)->memory;                                                                 \
        (island)->memory = (choice);                                                                         \
    } while (0)

static bool begin(Island *island, Auto *choice, const Solver *solver, Arena *arena, orr_diag *diag)
{
    bool ok;
    choice->now = solver;
    choice->memory = NULL;
    island->method = solver->name;
    WITH(island, choice, ok = solver->init(island, arena, diag));
    return ok;
}

// The most negative diagonal entry of the Jacobian, 0 if none is.
static double strongest_decay(Island *island, Arena *arena)
{
    const Ir *ir = &island->model->ir;
    if (!ir->has_jacobian || island->model->n_states > LOOK_MAX) return 0;
    if (!code_require(&island->model->code, CODE_PART_JACOBIAN, NULL)) return 0;
    const ArenaMark mark = arena_mark(arena);
    double *entries = ARENA_ARRAY(arena, double, ir->n_jacobian), strongest = 0;
    if (island->model->code.programs[IR_JACOBIAN](island->t, island->x, &island->env, entries) == 0)
        for (uint32_t i = 0; i < ir->n_jacobian; i++)
            if (ir->jacobian[i].row == ir->jacobian[i].column) strongest = fmin(strongest, entries[i]);
    arena_release(arena, mark);
    return strongest;
}

// A run that is loaded or saved goes on with what had been chosen, for the same reason.
static bool goes_on_with(const Island *island)
{
    const Solver *with = island->begin_with;
    return island->model->blocks.n_implicit > 0 ? with == &solver_ida
                                                : with == &solver_bdf || with == &solver_dopri5;
}

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    Auto *choice = ARENA_NEW(arena, Auto);
    if (goes_on_with(island)) return begin(island, choice, island->begin_with, arena, diag);
    if (island->model->blocks.n_implicit > 0) {
        island->reason = "loops of equations are left to the solver";
        return begin(island, choice, &solver_ida, arena, diag);
    }
    const double decay = -strongest_decay(island, arena), span = island->options.t_end - island->t;
    if (isfinite(span) && isfinite(decay) && decay * span > TIME_CONSTANTS_MANY) {
        island->reason = arena_printf(island->arena,
                                      "stiff at the start: the run lasts %.3g of its shortest time constants",
                                      decay * span);
        return begin(island, choice, &solver_bdf, arena, diag);
    }
    island->reason = "not stiff at the start";
    return begin(island, choice, &solver_dopri5, arena, diag);
}

static bool suits_bdf(const Island *island)
{
    return model_pattern(island->model) || island->model->n_states <= FULL_MAX;
}

static StepResult step(Island *island, double t_limit)
{
    Auto *choice = island->memory;
    if (choice->now == &solver_dopri5 && dopri5_is_stiff(choice->memory) && suits_bdf(island)) {
        island->reason =
            arena_printf(island->arena, "dopri5 until the model became stiff at t = %.6g", island->t);
        if (!begin(island, choice, &solver_bdf, island->arena, island->diag)) return STEP_FAILED;
    }
    StepResult result;
    WITH(island, choice, result = choice->now->step(island, t_limit));
    return result;
}

static void restart(Island *island)
{
    Auto *choice = island->memory;
    WITH(island, choice, choice->now->restart(island));
}

static void state_at(Island *island, double t, double *x)
{
    Auto *choice = island->memory;
    WITH(island, choice, choice->now->state_at(island, t, x));
}

static void release(Island *island)
{
    Auto *choice = island->memory;
    if (choice->now->free) WITH(island, choice, choice->now->free(island));
}

static void pass(Island *island, RunSaved *saved)
{
    Auto *choice = island->memory;
    WITH(island, choice, choice->now->pass(island, saved));
}

static const Solver *at_work(const Island *island) { return ((const Auto *)island->memory)->now; }

const Solver solver_auto = {
    .name = "auto",
    .summary = "chooses: dopri5, bdf where the model is stiff, ida where loops are large; the default",
    .traits = SOLVER_TAKES_LOOPS,
    .init = init,
    .step = step,
    .restart = restart,
    .state_at = state_at,
    .free = release,
    .pass = pass,
    .at_work = at_work,
};
