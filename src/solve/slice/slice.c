// src/solve/slice/slice.c: the grid, the calls of generated loops and the dense output of fixed-step methods.
#include "solve/slice/slice.h"
#include "num/hermite.h"
#include <math.h>
#include <string.h>

bool slice_init(Island *island, Arena *arena, const SliceMethod *method)
{
    const size_t n = island->model->n_states;
    Slice *slice = ARENA_NEW(arena, Slice);
    slice->method = method;
    slice->scratch = ARENA_ARRAY(arena, double, CODE_SCRATCH * n);
    slice->work = ARENA_ARRAY(arena, double *, method->n_vectors);
    for (size_t i = 0; i < method->n_vectors; i++) slice->work[i] = ARENA_ARRAY(arena, double, n);
    slice->dx_before = ARENA_ARRAY(arena, double, n);
    slice->dx = ARENA_ARRAY(arena, double, n);
    slice->t = slice->t_before = NAN;
    island->memory = slice;
    return true;
}

// Grid points are t_start + k·h: summing h would let rounding move the clock.
static double grid(const Island *island, double k) { return island->t_start + k * island->step; }

// A single step in generated code. False, with the states as before, where it stops or leaves the finite
// numbers: then the step is made by hand, which goes on across relations and knows which evaluation failed.
static bool generated_step(Island *island, const Slice *slice, double t_start, double h, long k)
{
    const size_t n = island->model->n_states;
    const CodeLoop loop = island->model->code.loops[slice->method->loop];
    int why = 0;
    if (!loop || island->surface.is_on) return false;
    if (loop(t_start, h, k, 1, island->x, &island->env, slice->scratch, &why) == 1 &&
        island_is_finite(island->x, n)) {
        island->n_rates += slice->method->n_stages;
        return true;
    }
    memcpy(island->x, island->x_before, n * sizeof *island->x);
    return false;
}

StepResult slice_step(Island *island, double t_limit)
{
    Slice *slice = island->memory;
    const double k = (double)island->k, t_grid = grid(island, k + 1);
    const double slack = island->is_locating ? 0 : SOLVER_GRID_SLACK * island->step;
    const bool is_shorter = t_limit < t_grid - slack;

    // a whole step has the length and the times of the generated loop, not differences of them
    double h = island->step, t[3] = { grid(island, k), grid(island, k + 0.5), t_grid };
    const bool is_whole = !is_shorter && island->t == t[0];
    if (!is_whole) {
        t[0] = island->t;
        t[2] = is_shorter ? t_limit : t_grid;
        h = t[2] - t[0];
        t[1] = t[0] + 0.5 * h;
    }
    const bool done = is_whole ? generated_step(island, slice, island->t_start, h, island->k)
                               : generated_step(island, slice, t[0], h, 0);
    if (!done && !slice->method->step(island, t, h, island->x, slice->work)) return STEP_FAILED;

    island->t_before = island->t;
    island->t = t[2];
    if (!is_shorter) island->k++;
    island->n_steps++;
    return STEP_OK;
}

StepResult slice_steps(Island *island, long n, long *done)
{
    const Slice *slice = island->memory;
    const CodeLoop loop = island->model->code.loops[slice->method->loop];
    int why = 0;
    *done = 0;
    if (!loop) return STEP_RELATION;
    *done = loop(island->t_start, island->step, island->k, n, island->x, &island->env, slice->scratch, &why);
    island->k += *done;
    island->n_steps += (size_t)*done;
    island->n_rates += (size_t)*done * slice->method->n_stages;
    if (*done > 0) {
        island->t_before = grid(island, (double)(island->k - 1));
        island->t = grid(island, (double)island->k);
    }
    return *done == n ? STEP_OK : STEP_RELATION;
}

void slice_restart(Island *island)
{
    Slice *slice = island->memory;
    island->t_start = island->t;
    island->k = 0;
    slice->t = slice->t_before = NAN;
}

// The rates at both ends, once for each step.
static bool know_slopes(Island *island, Slice *slice)
{
    if (slice->t_before == island->t_before && slice->t == island->t) return true;
    if (!island_rates_aside(island, island->t_before, island->x_before, slice->dx_before)) return false;
    if (!island_rates_aside(island, island->t, island->x, slice->dx)) return false;
    slice->t_before = island->t_before;
    slice->t = island->t;
    return true;
}

void slice_state_at(Island *island, double t, double *x)
{
    Slice *slice = island->memory;
    const size_t n = island->model->n_states;
    const double h = island->t - island->t_before;
    const double s = (t - island->t_before) / h;
    const double *x0 = island->x_before, *x1 = island->x;
    if (slice->method->is_linear || !know_slopes(island, slice)) {
        for (size_t i = 0; i < n; i++) x[i] = x0[i] + s * (x1[i] - x0[i]);
        return;
    }
    hermite_state(s, h, x0, slice->dx_before, x1, slice->dx, n, x);
}

void slice_pass(Island *island, RunSaved *saved)
{
    Slice *slice = island->memory;
    const size_t size = island->model->n_states * sizeof(double);
    saved_pass(saved, &slice->t_before, sizeof slice->t_before);
    saved_pass(saved, &slice->t, sizeof slice->t);
    saved_pass(saved, slice->dx_before, size);
    saved_pass(saved, slice->dx, size);
}
