// src/engine/slice.c: steps of methods on a grid, from a table (num/tableau.h), and semi-implicit Euler.
//
// Time runs on the grid t_start + k·step. Whole steps run in generated code, many at once; the rest (a
// shorter step to the end of the run or to an event, the search for an event inside a step) is done here from
// the same table in the same order, so that both give the same bits.
//
// Semi-implicit Euler updates the states one by one, and the next see the new value. This is the literal
// reading of the pseudo-code of block-diagram simulators, which go through the integrators in the order of
// their numbers and overwrite each output. For x' = v, v' = -x it keeps the energy bounded.
#include "engine/slice.h"
#include "engine/host.h"
#include "num/hermite.h"

// Grid points are t_start + k·h: summing h would let rounding move the clock.
static double slice_grid(const Island *island, double k) { return island->t_start + k * island->step; }

// A step: where it begins and ends, and how long it is.
typedef struct SliceSpan {
    double t0, t1, h;
    bool   is_whole;    // from one grid point to the next: its times are those of the generated loop
} SliceSpan;

static double slice_stage_time(const Island *island, const SliceSpan *span, double c)
{
    if (c == 0) return span->t0;
    if (c == 1) return span->t1;
    return span->is_whole ? slice_grid(island, (double)island->k + c) : span->t0 + c * span->h;
}

// From x, in place. False if the rates cannot be evaluated on the way.
static bool slice_by_hand(Island *island, Slice *slice, const SliceSpan *span)
{
    const Tableau *m = slice->method;
    const size_t n = island->tables->n_states;
    double *x = island->x, *const *k = slice->k;
    for (size_t i = 0; !m && i < n; i++) {
        if (!island_rates(island, span->t0, x, k[0])) return false;
        x[i] = x[i] + span->h * k[0][i];
    }
    if (!m) return true;
    for (int s = 0; s < m->n_stages; s++) {
        if (s > 0) tableau_argument(m, s, n, span->h, x, k, slice->y);
        const double t = slice_stage_time(island, span, m->rows[s].c);
        if (!island_rates(island, t, s > 0 ? slice->y : x, k[s])) return false;
    }
    tableau_argument(m, m->n_stages, n, span->h, x, k, x);
    return true;
}

// A single step in generated code. False, with the states as before, where it stops or leaves the finite
// numbers: then the step is made by hand, which goes on across relations and knows which evaluation failed.
static bool slice_generated(Island *island, const Slice *slice, double t_start, double h, long k)
{
    const size_t n = island->tables->n_states;
    if (island->surface.is_on) return false;
    const long done = engine_loop(island, slice->loop, t_start, h, k, 1, slice->scratch);
    if (done < 0) return false;
    if (done == 1 && island_is_finite(island->x, n)) {
        island->n_rates += slice->n_stages;
        return true;
    }
    memcpy(island->x, island->x_before, n * sizeof *island->x);
    return false;
}

StepResult slice_step(Island *island, double t_limit)
{
    Slice *slice = island->memory;
    const double k = (double)island->k, t_grid = slice_grid(island, k + 1);
    const double slack = island->is_locating ? 0 : SOLVER_GRID_SLACK * island->step;
    const bool is_shorter = t_limit < t_grid - slack;

    // a whole step has the length of the generated loop, not a difference of times
    SliceSpan span = { slice_grid(island, k), t_grid, island->step,
                       !is_shorter && island->t == slice_grid(island, k) };
    if (!span.is_whole) {
        span.t0 = island->t;
        span.t1 = is_shorter ? t_limit : t_grid;
        span.h = span.t1 - span.t0;
    }
    const bool done = span.is_whole ? slice_generated(island, slice, island->t_start, span.h, island->k)
                                    : slice_generated(island, slice, span.t0, span.h, 0);
    if (!done && !slice_by_hand(island, slice, &span)) return STEP_FAILED;

    island->t_before = island->t;
    island->t = span.t1;
    if (!is_shorter) island->k++;
    island->n_steps++;
    return STEP_OK;
}

StepResult slice_steps(Island *island, long n, long *done)
{
    const Slice *slice = island->memory;
    *done = engine_loop(island, slice->loop, island->t_start, island->step, island->k, n, slice->scratch);
    if (*done < 0) *done = 0;
    island->k += *done;
    island->n_steps += (size_t)*done;
    island->n_rates += (size_t)*done * slice->n_stages;
    if (*done > 0) {
        island->t_before = slice_grid(island, (double)(island->k - 1));
        island->t = slice_grid(island, (double)island->k);
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
static bool slice_slopes(Island *island, Slice *slice)
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
    const size_t n = island->tables->n_states;
    const double h = island->t - island->t_before;
    const double s = (t - island->t_before) / h;
    const double *x0 = island->x_before, *x1 = island->x;
    if (slice->is_linear || !slice_slopes(island, slice)) {
        for (size_t i = 0; i < n; i++) x[i] = x0[i] + s * (x1[i] - x0[i]);
        return;
    }
    hermite_state(s, h, x0, slice->dx_before, x1, slice->dx, n, x);
}
