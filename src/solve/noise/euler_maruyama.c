// src/solve/noise/euler_maruyama.c: x + f h + Σ g ΔW.
#include "solve/noise/noise.h"

static bool step(Island *island, Noise *noise, double t, double h, double *x)
{
    double *f = noise->work[0], *g = noise->strengths[0];
    if (!island_rates(island, t, x, f) || !noise_strengths(island, t, x, g)) return false;
    for (size_t i = 0; i < island->model->n_states; i++) x[i] = x[i] + h * f[i];
    noise_add(island->model, g, noise->dw, x);
    return true;
}

static const NoiseMethod method = { .n_vectors = 1, .n_strengths = 1, .step = step };

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    return noise_init(island, arena, &method, diag);
}

const Solver solver_em = {
    .name = "euler-maruyama",
    .summary = "with noise: Euler-Maruyama, fixed step, strong order 1/2, weak order 1",
    .order = 1,
    .fixed_step = true,
    .traits = SOLVER_TAKES_NOISE,
    .init = init,
    .step = noise_step,
    .steps = noise_steps,
    .restart = noise_restart,
    .state_at = noise_state_at,
    .pass = noise_pass,
};
