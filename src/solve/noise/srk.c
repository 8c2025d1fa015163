// src/solve/noise/srk.c: stochastic Runge–Kutta methods of strong order 3/2, without derivatives.
//
// Where the strength of the noise depends on no state SRA1, else SRI1W1, which needs a noise of its own for
// each state: for noises that move several states the integrals ∫ W_j dW_k would be needed, which nobody can
// draw exactly. The other way to a higher order, Milstein's method by symbolic derivatives, ends at order 1
// and needs the same integrals. [Rößler 2010, "Runge–Kutta methods for the strong approximation of solutions
// of stochastic differential equations"]
#include "base/diag.h"
#include "solve/noise/noise.h"
#include <math.h>
#include <string.h>

// x + h (f1/3 + 2 f2/3) + Σ g(t + h) (I1 - I10/h) + g(t) I10/h;  f2 at 3/4: x + 3/4 h f1 + 3/2 Σ g(t + h)
// I10/h
static bool step_additive(Island *island, Noise *noise, double t, double h, double *x)
{
    const orr_model *model = island->model;
    const size_t n = model->n_states, n_noises = model->flat.noises.n;
    double *f1 = noise->work[0], *f2 = noise->work[1], *y = noise->work[2];
    double *g_end = noise->strengths[0], *g = noise->strengths[1];
    double *w = noise->dw, *z = noise->dz;
    if (!island_rates(island, t, x, f1) || !noise_strengths(island, t, x, g)) return false;
    if (!noise_strengths(island, t + h, x, g_end)) return false;
    for (size_t k = 0; k < n_noises; k++) z[k] *= 1.5 / h;
    for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.75 * h * f1[i];
    noise_add(model, g_end, z, y);
    if (!island_rates(island, t + 0.75 * h, y, f2)) return false;
    for (size_t i = 0; i < n; i++) x[i] = x[i] + h * (f1[i] + 2 * f2[i]) / 3;
    for (size_t k = 0; k < n_noises; k++) z[k] /= 1.5, w[k] -= z[k];
    noise_add(model, g_end, w, x);
    noise_add(model, g, z, x);
    return true;
}

// One noise for each state that has any: everything entry by entry. Four strengths g and two rates f.
static bool step_diagonal(Island *island, Noise *noise, double t, double h, double *x)
{
    const orr_model *model = island->model;
    const BlockEntry *entry = model->ir.noise;
    const size_t n = model->n_states, n_entries = model->ir.n_noise;
    const double root = sqrt(h);
    double *f1 = noise->work[0], *f2 = noise->work[1], *y = noise->work[2];
    double *const *g = noise->strengths;
    if (!island_rates(island, t, x, f1) || !noise_strengths(island, t, x, g[0])) return false;

    for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.75 * h * f1[i];
    for (size_t k = 0; k < n_entries; k++) y[entry[k].row] += 1.5 * g[0][k] * noise->dz[entry[k].column] / h;
    if (!island_rates(island, t + 0.75 * h, y, f2)) return false;

    for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.25 * h * f1[i];
    for (size_t k = 0; k < n_entries; k++) y[entry[k].row] += 0.5 * root * g[0][k];
    if (!noise_strengths(island, t + 0.25 * h, y, g[1])) return false;

    for (size_t i = 0; i < n; i++) y[i] = x[i] + h * f1[i];
    for (size_t k = 0; k < n_entries; k++) y[entry[k].row] -= root * g[0][k];
    if (!noise_strengths(island, t + h, y, g[2])) return false;

    for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.25 * h * f1[i];
    for (size_t k = 0; k < n_entries; k++)
        y[entry[k].row] += root * (-5 * g[0][k] + 3 * g[1][k] + 0.5 * g[2][k]);
    if (!noise_strengths(island, t + 0.25 * h, y, g[3])) return false;

    for (size_t i = 0; i < n; i++) x[i] = x[i] + h * (f1[i] + 2 * f2[i]) / 3;
    for (size_t k = 0; k < n_entries; k++) {
        const double w = noise->dw[entry[k].column], wz = noise->dz[entry[k].column] / h;
        const double ww = (w * w - h) / (2 * root), www = (w * w * w - 3 * h * w) / (6 * h);
        x[entry[k].row] += (-w - ww + 2 * wz - 2 * www) * g[0][k] +
                           (4 * w + 4 * ww - 4 * wz + 5 * www) / 3 * g[1][k] +
                           (2 * w - ww - 2 * wz - 2 * www) / 3 * g[2][k] + www * g[3][k];
    }
    return true;
}

static const NoiseMethod additive = {
    .n_vectors = 3, .n_strengths = 2, .needs_integrals = true, .step = step_additive
};
static const NoiseMethod diagonal = {
    .n_vectors = 3, .n_strengths = 4, .needs_integrals = true, .step = step_diagonal
};

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    uint32_t state;
    const NoiseKind kind = noise_kind(island->model, &state);
    if (kind == NOISE_GENERAL) {
        diag_report(
            diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
            "the strength of a noise depends on other states than the one it moves, or moves several");
        diag_hint(diag, "look at '%s'; euler-maruyama takes any noise",
                  model_variable_name(island->model, model_state_variable(island->model, state)));
        return false;
    }
    return noise_init(island, arena, kind == NOISE_ADDITIVE ? &additive : &diagonal, diag);
}

const Solver solver_srk = {
    .name = "srk",
    .summary = "with noise: stochastic Runge-Kutta, fixed step, strong order 3/2",
    .order = 2,
    .fixed_step = true,
    .traits = SOLVER_TAKES_NOISE,
    .init = init,
    .step = noise_step,
    .steps = noise_steps,
    .restart = noise_restart,
    .state_at = noise_state_at,
    .pass = noise_pass,
};
