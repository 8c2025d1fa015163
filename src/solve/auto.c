// src/solve/auto.c: chooses a method, says which and why, and changes it when the model is stiff.
//
// It starts with dopri5, unless the Jacobian at the start has a diagonal entry so negative that the run lasts
// more than ten thousand of its time constants: an explicit method would need a step for each of them. While
// dopri5 runs it watches for stiffness; then BDF takes over from the state reached. Now and then the largest
// eigenvalue of the Jacobian is estimated there, by power iteration on the rates. If steps of BDF have been
// so short for a while that dopri5 would be stable with them, dopri5, which then needs fewer, goes on. Each
// return has to be twice as certain as the one before, so a model that alternates costs little.
#include "solve/adaptive/adaptive.h"
#include "solve/solver.h"
#include <math.h>

extern const Solver solver_bdf, solver_ida;

#define TIME_CONSTANTS_MANY 1e4
enum {
    LOOK_MAX = 1000,    // states: in larger models the Jacobian is compiled only when it is needed
    FULL_MAX = 2000,    // states of a model whose Jacobian is full, so that BDF would be slower still
};

#define STABLE 1.0     // step times eigenvalue: dopri5 allows 3.3
#define AHEAD  0.01    // how far rates are compared, in tolerances
enum { LOOK_EVERY = 20, ITERATIONS = 2, CALM_LOOKS = 3 };

typedef struct Auto {
    const Solver *now;
    void *memory;            // of that solver
    void *aside;             // of the other one, if both have been at work
    bool is_due;             // bdf has made a step since then
    int n_steps;             // since the last look
    double h_most;           // the longest of these
    int n_calm, n_needed;    // looks in a row that found nothing stiff; that make it go back
    size_t n_changes;
    bool has_direction;
    double *direction, *x, *rates, *rates_ahead;    // [n_states] of the power iteration; NULL: none so far
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
    choice->n_needed = CALM_LOOKS;
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
    if (code_call(&island->model->code, IR_JACOBIAN, island->t, island->x, &island->env, entries) == 0)
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

// ---- Changing

// The weight of a state: how many tolerances it is.
static double weight(const Island *island, size_t i)
{
    return 1 / (island->absolute[i] + island->options.tolerance * fabs(island->x[i]));
}

static double length_of(const Island *island, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < island->model->n_states; i++)
        sum += x[i] * x[i] * weight(island, i) * weight(island, i);
    return sqrt(sum);
}

// The size of the largest eigenvalue, from below: the direction gets better from look to look. NaN if the
// rates cannot be computed.
static double largest_eigenvalue(Island *island, Auto *choice)
{
    const size_t n = island->model->n_states;
    if (!choice->direction) {
        double **const vectors[] = { &choice->direction, &choice->x, &choice->rates, &choice->rates_ahead };
        for (int k = 0; k < 4; k++) *vectors[k] = ARENA_ARRAY(island->arena, double, n);
    }
    for (size_t i = 0; i < n && !choice->has_direction; i++)
        choice->direction[i] = (i % 2 ? 1 : -1) * (1 + 0.1 * (double)(i % 7)) / weight(island, i);
    choice->has_direction = true;
    double found = 0;
    if (!island_rates_aside(island, island->t, island->x, choice->rates)) return NAN;
    for (int k = 0; k < ITERATIONS; k++) {
        const double length = length_of(island, choice->direction);
        if (!(length > 0)) break;
        for (size_t i = 0; i < n; i++) choice->x[i] = island->x[i] + AHEAD / length * choice->direction[i];
        if (!island_rates_aside(island, island->t, choice->x, choice->rates_ahead)) return NAN;
        for (size_t i = 0; i < n; i++) choice->direction[i] = choice->rates_ahead[i] - choice->rates[i];
        found = fmax(found, length_of(island, choice->direction) / AHEAD);
    }
    for (size_t i = 0; i < n && found == 0; i++) choice->direction[i] = 1 / weight(island, i);
    return found;
}

static bool change(Island *island, Auto *choice, const Solver *solver)
{
    void *memory = choice->memory;
    bool ok = true;
    choice->now = solver;
    choice->memory = choice->aside;
    choice->aside = memory;
    choice->n_steps = choice->n_calm = 0;
    choice->h_most = 0;
    choice->has_direction = false;
    island->method = solver->name;
    if (choice->memory) WITH(island, choice, solver->restart(island));
    else WITH(island, choice, ok = solver->init(island, island->arena, island->diag));
    choice->n_changes++;
    return ok;
}

static bool change_to_bdf(Island *island, Auto *choice)
{
    const bool is_first = choice->n_changes == 0;
    if (!change(island, choice, &solver_bdf)) return false;
    island->reason =
        is_first ? arena_printf(island->arena, "dopri5 until the model became stiff at t = %.6g", island->t)
                 : arena_printf(island->arena, "stiff again at t = %.6g, after %zu changes of method",
                                island->t, choice->n_changes);
    return true;
}

// BDF has made a step. Is dopri5 enough again?
static bool look_back(Island *island, Auto *choice)
{
    choice->h_most = fmax(choice->h_most, island->t - island->t_before);
    if (++choice->n_steps < LOOK_EVERY || island->surface.is_on) return true;
    const double fastest = largest_eigenvalue(island, choice);
    choice->n_calm = fastest * choice->h_most < STABLE ? choice->n_calm + 1 : 0;
    choice->n_steps = 0;
    choice->h_most = 0;
    if (choice->n_calm < choice->n_needed) return true;
    choice->n_needed *= 2;
    if (!change(island, choice, &solver_dopri5)) return false;
    adaptive_be_calm(choice->memory);
    island->reason =
        arena_printf(island->arena, "bdf until the model was no longer stiff at t = %.6g", island->t);
    return true;
}

static bool suits_bdf(const Island *island)
{
    return model_pattern(island->model) || island->model->n_states <= FULL_MAX;
}

static StepResult step(Island *island, double t_limit)
{
    Auto *choice = island->memory;
    if (choice->now == &solver_dopri5 && adaptive_is_stiff(choice->memory) && suits_bdf(island)) {
        if (!change_to_bdf(island, choice)) return STEP_FAILED;
    } else if (choice->now == &solver_bdf && choice->is_due && !look_back(island, choice)) {
        return STEP_FAILED;
    }
    StepResult result;
    WITH(island, choice, result = choice->now->step(island, t_limit));
    choice->is_due = result == STEP_OK && choice->now == &solver_bdf;
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
    for (int k = 0; k < 2; k++) {    // the one at work, and the one aside
        const Solver *other = choice->now == &solver_bdf ? &solver_dopri5 : &solver_bdf;
        const Solver *solver = k == 0 ? choice->now : other;
        void *memory = k == 0 ? choice->memory : choice->aside;
        if (!memory || !solver->free) continue;
        island->memory = memory;
        solver->free(island);
        island->memory = choice;
    }
}

static void pass(Island *island, RunSaved *saved)
{
    Auto *choice = island->memory;
    WITH(island, choice, choice->now->pass(island, saved));
    saved_pass(saved, &choice->n_needed, sizeof choice->n_needed);
    saved_pass(saved, &choice->n_changes, sizeof choice->n_changes);
    if (choice->n_needed < CALM_LOOKS) saved->is_bad = true;
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
