// src/solve/noise/noise.c: Brownian paths and the grid of the methods for equations with noise.
#include "solve/noise/noise.h"
#include "base/diag.h"
#include <math.h>
#include <string.h>

enum { CELLS_MAX = 1000000 };    // of a path in one step
#define SQRT_3 1.7320508075688772

// ---- Which methods suit

NoiseKind noise_kind(const orr_model *model, uint32_t *state)
{
    const Ir *ir = &model->ir;
    Arena scratch = { 0 };
    uint32_t *source = ARENA_ARRAY(&scratch, uint32_t, model->n_states);    // 1 + the noise of a state
    // 1 + the state that a noise moves
    uint32_t *moved = ARENA_ARRAY(&scratch, uint32_t, model->flat.noises.n);
    NoiseKind kind = NOISE_ADDITIVE;
    bool is_diagonal = true;
    uint32_t culprit = 0;
    for (uint32_t k = 0; k < ir->n_noise; k++) {
        const BlockEntry *entry = &ir->noise[k];
        size_t n;
        const uint32_t *read = expr_variables(&ir->flat->pool, entry->value, &scratch, &n);
        for (size_t i = 0; i < n; i++) {
            if (ir->flat->vars.items[read[i]].kind != FLAT_VARIABLE) continue;
            kind = NOISE_DIAGONAL;
            if (ir->layout.state_of[read[i]] != entry->row) is_diagonal = false, culprit = entry->row;
        }
        const bool is_alone = !source[entry->row] && !moved[entry->column];
        if (!is_alone) is_diagonal = false, culprit = entry->row;
        source[entry->row] = entry->column + 1;
        moved[entry->column] = entry->row + 1;
    }
    arena_free(&scratch);
    if (state) *state = culprit;
    return kind == NOISE_DIAGONAL && !is_diagonal ? NOISE_GENERAL : kind;
}

// ---- Paths

// Increments over [a, b], which may begin and end inside of cells.
static void follow_paths(const Island *island, Noise *noise, double a, double b)
{
    const size_t n = island->model->flat.noises.n;
    const double p = noise->path, root = sqrt(p);
    memset(noise->dw, 0, n * sizeof *noise->dw);
    memset(noise->dz, 0, n * sizeof *noise->dz);
    const double first = floor((a - noise->t_first) / p + SOLVER_GRID_SLACK);
    for (double m = first; noise->t_first + m * p < b - SOLVER_GRID_SLACK * p; m++) {
        const double from = fmax(a, noise->t_first + m * p), to = fmin(b, noise->t_first + (m + 1) * p);
        double part = (to - from) / p;
        const bool is_whole = part > 1 - 4 * SOLVER_GRID_SLACK;
        if (is_whole) part = 1;
        for (size_t k = 0; k < n; k++) {
            RandomStream s = island->noise[k];
            s.n_draws = 2 * (uint64_t)m;
            const double z = random_normal(&s, 0, 1), w = part * root * z;
            if (noise->method->needs_integrals) {
                // the second draw is how far the path bends away from a straight line
                const double bend = is_whole ? random_normal(&s, 0, 1) / SQRT_3 : 0;
                noise->dz[k] += 0.5 * part * p * (w + root * bend) + noise->dw[k] * part * p;
            }
            noise->dw[k] += w;
        }
    }
}

// ---- Life

bool noise_init(Island *island, Arena *arena, const NoiseMethod *method, orr_diag *diag)
{
    const orr_model *model = island->model;
    Noise *noise = ARENA_NEW(arena, Noise);
    noise->method = method;
    noise->t_first = island->t_start;
    noise->path = island->options.path > 0 ? island->options.path : island->step;
    const double cells = island->step / noise->path;
    if (!(cells >= 1 - 1e-6) || cells > CELLS_MAX || fabs(cells - round(cells)) > 1e-6 * cells) {
        char text[32];
        snprintf(text, sizeof text, "%g", island->options.path);
        diag_report(diag, DIAG_SETTING_VALUE, (Place){ 0 }, "path", text,
                    "it must be a whole part of the step");
        diag_hint(diag, "the step is %g", island->step);
        return false;
    }
    noise->path = island->step / round(cells);
    noise->work = ARENA_ARRAY(arena, double *, method->n_vectors);
    for (size_t i = 0; i < method->n_vectors; i++)
        noise->work[i] = ARENA_ARRAY(arena, double, model->n_states);
    noise->strengths = ARENA_ARRAY(arena, double *, method->n_strengths);
    for (size_t i = 0; i < method->n_strengths; i++)
        noise->strengths[i] = ARENA_ARRAY(arena, double, model->ir.n_noise);
    noise->dw = ARENA_ARRAY(arena, double, model->flat.noises.n);
    noise->dz = ARENA_ARRAY(arena, double, model->flat.noises.n);
    island->memory = noise;
    return true;
}

bool noise_strengths(Island *island, double t, const double *x, double *g)
{
    const orr_model *model = island->model;
    if (model->ir.n_noise == 0) return true;
    const int failed = code_call(&model->code, IR_NOISE, t, x, &island->env, g);
    if (failed) {
        island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, t, x);
        return false;
    }
    if (island_is_finite(g, model->ir.n_noise)) return true;
    island_fault(island, FAULT_VALUE, 0, t, x);
    return false;
}

void noise_add(const orr_model *model, const double *g, const double *a, double *x)
{
    const Ir *ir = &model->ir;
    for (uint32_t k = 0; k < ir->n_noise; k++) x[ir->noise[k].row] += g[k] * a[ir->noise[k].column];
}

uint64_t noise_cells(const Island *island, double *cell)
{
    const Noise *noise = island->memory;
    *cell = noise->path;
    return (uint64_t)round(island->step / noise->path);
}

// ---- Steps

static double grid(const Island *island, long k) { return island->t_start + (double)k * island->step; }

StepResult noise_step(Island *island, double t_limit)
{
    Noise *noise = island->memory;
    const double t_grid = grid(island, island->k + 1);
    const double slack = island->is_locating ? 0 : SOLVER_GRID_SLACK * island->step;
    const bool is_shorter = t_limit < t_grid - slack;
    const bool is_whole = !is_shorter && island->t == grid(island, island->k);
    const double t_end = is_shorter ? t_limit : t_grid, h = is_whole ? island->step : t_end - island->t;
    follow_paths(island, noise, island->t, t_end);
    if (!noise->method->step(island, noise, island->t, h, island->x)) return STEP_FAILED;
    island->t_before = island->t;
    island->t = t_end;
    if (!is_shorter) island->k++;
    island->n_steps++;
    return STEP_OK;
}

StepResult noise_steps(Island *island, long n, long *done)
{
    *done = 0;
    if (island->model->n_relations > 0) return STEP_RELATION;    // each step is looked at
    while (*done < n) {
        if (noise_step(island, INFINITY) != STEP_OK) return STEP_RELATION;
        ++*done;
    }
    return STEP_OK;
}

// The grid of the paths goes on: a new one would begin in the middle of their cells.
void noise_restart(Island *island)
{
    island->k = (long)floor((island->t - island->t_start) / island->step + SOLVER_GRID_SLACK);
}

void noise_state_at(Island *island, double t, double *x)
{
    const double s = (t - island->t_before) / (island->t - island->t_before);
    for (size_t i = 0; i < island->model->n_states; i++)
        x[i] = island->x_before[i] + s * (island->x[i] - island->x_before[i]);
}

void noise_pass(Island *island, RunSaved *saved)
{
    Noise *noise = island->memory;
    const double path = noise->path;
    saved_pass(saved, &noise->t_first, sizeof noise->t_first);
    saved_pass(saved, &noise->path, sizeof noise->path);
    // the path follows from the settings; its cells are counted in doubles
    if (noise->path != path || !(fabs(island->t - noise->t_first) < 0x1p53 * path)) saved->is_bad = true;
    noise->path = path;
}
