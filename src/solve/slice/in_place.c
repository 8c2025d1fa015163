// src/solve/slice/in_place.c: semi-implicit Euler: states are updated one by one, the next see the new value.
//
// This is the literal reading of the pseudo-code of block-diagram simulators, which go through the
// integrators in the order of their numbers and overwrite each output. For x' = v, v' = -x it keeps the
// energy bounded.
#include "base/diag.h"
#include "solve/slice/slice.h"

// Where there is no rate to be had alone, all are computed for each state: so many can be waited for.
enum { ALL_RATES_MAX = 5000 };

static bool step(Island *island, const double t[3], double h, double *x, double **work)
{
    double *dx = work[0];
    for (size_t i = 0; i < island->model->n_states; i++) {
        if (!island_rates(island, t[0], x, dx)) return false;
        x[i] = x[i] + h * dx[i];
    }
    return true;
}

static const SliceMethod method = {
    .loop = CODE_IN_PLACE, .n_stages = 1, .n_vectors = 1, .is_linear = true, .step = step
};

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    const orr_model *model = island->model;
    if (model->flat.arrays.n > 0 && model->n_states > ALL_RATES_MAX) {
        diag_report(diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
                    "each update of a state would compute the rates of whole arrays");
        diag_hint(diag, "compile the model with arrays_from = SIZE_MAX, or take another solver");
        return false;
    }
    return code_require(&island->model->code, CODE_PART_IN_PLACE, diag) && slice_init(island, arena, &method);
}

const Solver solver_in_place = {
    .name = "semi-implicit euler",
    .summary = "Euler that updates the states in place, one by one, fixed step, first order",
    .order = 1,
    .fixed_step = true,
    .init = init,
    .step = slice_step,
    .steps = slice_steps,
    .restart = slice_restart,
    .state_at = slice_state_at,
    .pass = slice_pass,
};
