// src/solve/slice/heun.c: Heun's method, the explicit trapezoidal rule: the mean of the slopes at both ends.
#include "solve/slice/slice.h"

static bool step(Island *island, const double t[3], double h, double *x, double **work)
{
    const size_t n = island->model->n_states;
    double *k1 = work[0], *k2 = work[1], *y = work[2];
    if (!island_rates(island, t[0], x, k1)) return false;
    for (size_t i = 0; i < n; i++) y[i] = x[i] + h * k1[i];
    if (!island_rates(island, t[2], y, k2)) return false;
    for (size_t i = 0; i < n; i++) x[i] = x[i] + 0.5 * h * (k1[i] + k2[i]);
    return true;
}

static const SliceMethod method = { .loop = CODE_HEUN, .n_stages = 2, .n_vectors = 3, .step = step };

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    return slice_init(island, arena, &method);
}

const Solver solver_heun = {
    .name = "heun",
    .summary = "Heun's method, fixed step, second order",
    .order = 2,
    .fixed_step = true,
    .init = init,
    .step = slice_step,
    .steps = slice_steps,
    .restart = slice_restart,
    .state_at = slice_state_at,
    .pass = slice_pass,
};
