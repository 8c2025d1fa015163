// src/solve/slice/slice.c: the explicit methods with fixed steps of num/fixed.def, and semi-implicit Euler.
// Their steps are those of engine/slice.c.
#include "base/diag.h"
#include "engine/slice.h"
#include "num/fixed.h"
#include "solve/solver.h"
#include <math.h>

// Where there is no rate to be had alone, all are computed for each state: so many can be waited for.
enum { ALL_RATES_MAX = 5000 };

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const size_t n = island->model->n_states;
    Slice *slice = ARENA_NEW(arena, Slice);
    slice->method = island->solver->tableau;
    slice->loop = slice->method ? (int)(slice->method - fixed_methods) : CODE_IN_PLACE;
    slice->is_linear = island->solver->order == 1;
    slice->n_stages = slice->method ? (size_t)slice->method->n_stages : 1;
    slice->scratch = ARENA_ARRAY(arena, double, CODE_SCRATCH * n);
    for (size_t i = 0; i < slice->n_stages; i++) slice->k[i] = ARENA_ARRAY(arena, double, n);
    slice->y = ARENA_ARRAY(arena, double, n);
    slice->dx_before = ARENA_ARRAY(arena, double, n);
    slice->dx = ARENA_ARRAY(arena, double, n);
    slice->t = slice->t_before = NAN;
    island->memory = slice;
    return true;
}

static bool init_in_place(Island *island, Arena *arena, orr_diag *diag)
{
    const orr_model *model = island->model;
    if (model->flat.arrays.n > 0 && model->n_states > ALL_RATES_MAX) {
        diag_report(diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
                    "each update of a state would compute the rates of whole arrays");
        diag_hint(diag, "compile the model with arrays_from = SIZE_MAX, or take another solver");
        return false;
    }
    return code_require(&model->code, CODE_PART_IN_PLACE, diag) && init(island, arena, diag);
}

static void pass(Island *island, RunSaved *saved)
{
    Slice *slice = island->memory;
    const size_t size = island->model->n_states * sizeof(double);
    saved_pass(saved, &slice->t_before, sizeof slice->t_before);
    saved_pass(saved, &slice->t, sizeof slice->t);
    saved_pass(saved, slice->dx_before, size);
    saved_pass(saved, slice->dx, size);
}

#define SLICE(...)                                                                                   \
    { __VA_ARGS__, .fixed_step = true, .step = slice_step, .steps = slice_steps,                   \
      .restart = slice_restart, .state_at = slice_state_at, .pass = pass }

#define FIXED(symbol, accuracy, text, ...)                                                           \
    const Solver solver_##symbol = SLICE(.name = #symbol, .summary = text, .order = accuracy,        \
                                         .tableau = &fixed_methods[FIXED_##symbol], .init = init);
#include "num/fixed.def"
#undef FIXED

const Solver solver_in_place = SLICE(
    .name = "semi-implicit euler",
    .summary = "Euler that updates the states in place, one by one, fixed step, first order", .order = 1,
    .init = init_in_place);
