// src/solve/slice/euler.c: explicit Euler on a fixed grid, x(k+1) = x(k) + h f(t, x(k)).
#include "solve/slice/slice.h"

static bool step(Island *island, const double t[3], double h, double *x, double **work)
{
    double *dx = work[0];
    if (!island_rates(island, t[0], x, dx)) return false;
    for (size_t i = 0; i < island->model->n_states; i++) x[i] = x[i] + h * dx[i];
    return true;
}

static const SliceMethod method = {
    .loop = CODE_EULER, .n_stages = 1, .n_vectors = 1, .is_linear = true, .step = step
};

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    return slice_init(island, arena, &method);
}

const Solver solver_euler = {
    .name = "euler",
    .summary = "explicit Euler, fixed step, first order",
    .order = 1,
    .fixed_step = true,
    .init = init,
    .step = slice_step,
    .steps = slice_steps,
    .restart = slice_restart,
    .state_at = slice_state_at,
    .pass = slice_pass,
};
