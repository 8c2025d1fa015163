// src/solve/slice/rk4.c: the classical Runge–Kutta method of fourth order.
#include "solve/slice/slice.h"

static bool step(Island *island, const double t[3], double h, double *x, double **work)
{
    const size_t n = island->model->n_states;
    double *k1 = work[0], *k2 = work[1], *k3 = work[2], *k4 = work[3], *y = work[4];
    const double half = 0.5 * h, sixth = h / 6;
    if (!island_rates(island, t[0], x, k1)) return false;
    for (size_t i = 0; i < n; i++) y[i] = x[i] + half * k1[i];
    if (!island_rates(island, t[1], y, k2)) return false;
    for (size_t i = 0; i < n; i++) y[i] = x[i] + half * k2[i];
    if (!island_rates(island, t[1], y, k3)) return false;
    for (size_t i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
    if (!island_rates(island, t[2], y, k4)) return false;
    for (size_t i = 0; i < n; i++) x[i] = x[i] + sixth * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return true;
}

static const SliceMethod method = { .loop = CODE_RK4, .n_stages = 4, .n_vectors = 5, .step = step };

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    return slice_init(island, arena, &method);
}

const Solver solver_rk4 = {
    .name = "rk4",
    .summary = "classical Runge-Kutta, fixed step, fourth order",
    .order = 4,
    .fixed_step = true,
    .init = init,
    .step = slice_step,
    .steps = slice_steps,
    .restart = slice_restart,
    .state_at = slice_state_at,
    .pass = slice_pass,
};
