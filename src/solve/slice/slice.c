// src/solve/slice/slice.c: the explicit methods with fixed steps of num/fixed.def, and semi-implicit Euler.
//
// Time runs on the grid t_start + k·step. Whole steps run in generated code, many at once; the rest (a
// shorter step to the end of the run or to an event, the search for an event inside a step) is done here from
// the same table in the same order, so that both give the same bits.
//
// Semi-implicit Euler updates the states one by one, and the next see the new value. This is the literal
// reading of the pseudo-code of block-diagram simulators, which go through the integrators in the order of
// their numbers and overwrite each output. For x' = v, v' = -x it keeps the energy bounded.
#include "base/diag.h"
#include "num/fixed.h"
#include "num/hermite.h"
#include "solve/solver.h"
#include <math.h>
#include <string.h>

// Where there is no rate to be had alone, all are computed for each state: so many can be waited for.
enum { ALL_RATES_MAX = 5000 };

typedef struct Slice {
    const Tableau *method;       // NULL: semi-implicit Euler
    CodeLoopId loop;             // of the generated code
    size_t   n_stages;           // evaluations of the rates in a step
    double  *scratch;            // [CODE_SCRATCH*n_states] of the generated code
    double  *k[TABLEAU_ROWS];    // [n_states] rates of the stages
    double  *y;                  // [n_states] where those of the next one are computed
    double  *dx_before, *dx;     // [n_states] rates at both ends of the last step, for interpolation
    double   t_before, t;        // the step they belong to; NaN: none
} Slice;

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const size_t n = island->model->n_states;
    Slice *slice = ARENA_NEW(arena, Slice);
    slice->method = island->solver->tableau;
    slice->loop = slice->method ? (CodeLoopId)(slice->method - fixed_methods) : CODE_IN_PLACE;
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

// Grid points are t_start + k·h: summing h would let rounding move the clock.
static double grid(const Island *island, double k) { return island->t_start + k * island->step; }

// A step: where it begins and ends, and how long it is.
typedef struct Span {
    double t0, t1, h;
    bool   is_whole;    // from one grid point to the next: its times are those of the generated loop
} Span;

static double stage_time(const Island *island, const Span *span, double c)
{
    if (c == 0) return span->t0;
    if (c == 1) return span->t1;
    return span->is_whole ? grid(island, (double)island->k + c) : span->t0 + c * span->h;
}

// From x, in place. False if the rates cannot be evaluated on the way.
static bool step_by_hand(Island *island, Slice *slice, const Span *span)
{
    const Tableau *m = slice->method;
    const size_t n = island->model->n_states;
    double *x = island->x, *const *k = slice->k;
    for (size_t i = 0; !m && i < n; i++) {
        if (!island_rates(island, span->t0, x, k[0])) return false;
        x[i] = x[i] + span->h * k[0][i];
    }
    if (!m) return true;
    for (int s = 0; s < m->n_stages; s++) {
        if (s > 0) tableau_argument(m, s, n, span->h, x, k, slice->y);
        const double t = stage_time(island, span, m->rows[s].c);
        if (!island_rates(island, t, s > 0 ? slice->y : x, k[s])) return false;
    }
    tableau_argument(m, m->n_stages, n, span->h, x, k, x);
    return true;
}

// A single step in generated code. False, with the states as before, where it stops or leaves the finite
// numbers: then the step is made by hand, which goes on across relations and knows which evaluation failed.
static bool generated_step(Island *island, const Slice *slice, double t_start, double h, long k)
{
    const size_t n = island->model->n_states;
    const CodeLoop loop = island->model->code.loops[slice->loop];
    int why = 0;
    if (!loop || island->surface.is_on) return false;
    if (loop(t_start, h, k, 1, island->x, &island->env, slice->scratch, &why) == 1 &&
        island_is_finite(island->x, n)) {
        island->n_rates += slice->n_stages;
        return true;
    }
    memcpy(island->x, island->x_before, n * sizeof *island->x);
    return false;
}

static StepResult step(Island *island, double t_limit)
{
    Slice *slice = island->memory;
    const double k = (double)island->k, t_grid = grid(island, k + 1);
    const double slack = island->is_locating ? 0 : SOLVER_GRID_SLACK * island->step;
    const bool is_shorter = t_limit < t_grid - slack;

    // a whole step has the length of the generated loop, not a difference of times
    Span span = { grid(island, k), t_grid, island->step, !is_shorter && island->t == grid(island, k) };
    if (!span.is_whole) {
        span.t0 = island->t;
        span.t1 = is_shorter ? t_limit : t_grid;
        span.h = span.t1 - span.t0;
    }
    const bool done = span.is_whole ? generated_step(island, slice, island->t_start, span.h, island->k)
                                    : generated_step(island, slice, span.t0, span.h, 0);
    if (!done && !step_by_hand(island, slice, &span)) return STEP_FAILED;

    island->t_before = island->t;
    island->t = span.t1;
    if (!is_shorter) island->k++;
    island->n_steps++;
    return STEP_OK;
}

static StepResult steps(Island *island, long n, long *done)
{
    const Slice *slice = island->memory;
    const CodeLoop loop = island->model->code.loops[slice->loop];
    int why = 0;
    *done = 0;
    if (!loop) return STEP_RELATION;
    *done = loop(island->t_start, island->step, island->k, n, island->x, &island->env, slice->scratch, &why);
    island->k += *done;
    island->n_steps += (size_t)*done;
    island->n_rates += (size_t)*done * slice->n_stages;
    if (*done > 0) {
        island->t_before = grid(island, (double)(island->k - 1));
        island->t = grid(island, (double)island->k);
    }
    return *done == n ? STEP_OK : STEP_RELATION;
}

static void restart(Island *island)
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

static void state_at(Island *island, double t, double *x)
{
    Slice *slice = island->memory;
    const size_t n = island->model->n_states;
    const double h = island->t - island->t_before;
    const double s = (t - island->t_before) / h;
    const double *x0 = island->x_before, *x1 = island->x;
    if (island->solver->order == 1 || !know_slopes(island, slice)) {
        for (size_t i = 0; i < n; i++) x[i] = x0[i] + s * (x1[i] - x0[i]);
        return;
    }
    hermite_state(s, h, x0, slice->dx_before, x1, slice->dx, n, x);
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
    { __VA_ARGS__, .fixed_step = true, .step = step, .steps = steps, .restart = restart,             \
      .state_at = state_at, .pass = pass }

#define FIXED(symbol, accuracy, text, ...)                                                           \
    const Solver solver_##symbol = SLICE(.name = #symbol, .summary = text, .order = accuracy,        \
                                         .tableau = &fixed_methods[FIXED_##symbol], .init = init);
#include "num/fixed.def"
#undef FIXED

const Solver solver_in_place = SLICE(
    .name = "semi-implicit euler",
    .summary = "Euler that updates the states in place, one by one, fixed step, first order", .order = 1,
    .init = init_in_place);
