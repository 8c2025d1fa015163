// src/exp/batch.c: members of an ensemble side by side, in generated loops over vectors.
//
//     x[state][lane], v[parameter or mode][lane]
//
// With a fixed step all are on the same grid, so time is the same for all. With the adaptive method each has a time of
// its own, and when one has reached its end the next member takes its lane. A member whose relation changes, or whose
// numbers leave the finite ones, leaves its lane and is computed alone from its beginning; its lane goes on with a copy
// of a neighbour that nobody looks at.
#include "exp/ensemble.h"
#include "solve/adaptive/dopri5.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1000,     // steps between two looks at what happened
    ATTEMPTS = 8,     // the same for adaptive steps
};

struct Batch {
    orr_run *run;             // for starts and values of single members
    double  *x, *v;           // [n_states][CODE_LANES], [first_var][CODE_LANES]
    double  *scratch;         // like x
    double  *lane;            // [CODE_LANE_VECTORS + n_states][CODE_LANES] times, steps, …, rates: see code.h
    double   moved[CODE_LANES];
    size_t   who[CODE_LANES];    // the member in a lane, counted from the first of the batch
    bool     is_in[CODE_LANES];
    bool     needs_values;    // columns that are neither states nor parameters
};

Batch *batch_create(const Ensemble *e, Arena *arena, orr_diag *diag)
{
    const orr_model *model = e->model;
    orr_run_options options = e->experiment->run;
    options.t_start = e->experiment->from;
    options.t_end = e->experiment->until;
    options.cancel = NULL;
    orr_status status;
    orr_run *run = run_create(model, &options, diag, &status);
    if (!run) return NULL;
    Batch *b = ARENA_NEW(arena, Batch);
    const size_t n_x = (size_t)model->n_states * CODE_LANES, n_v = (size_t)model->ir.layout.first_var * CODE_LANES;
    b->run = run;
    b->x = ARENA_ARRAY(arena, double, n_x);
    b->scratch = ARENA_ARRAY(arena, double, n_x);
    b->v = ARENA_ARRAY(arena, double, n_v);
    b->lane = ARENA_ARRAY(arena, double, n_x + CODE_LANE_VECTORS * CODE_LANES);
    for (size_t i = 0; i < e->n_columns; i++) {
        const IrLayout *layout = &model->ir.layout;
        const size_t variable = e->columns[i];
        b->needs_values |= layout->state_of[variable] == FLAT_NONE && layout->place[variable] >= layout->n_params;
    }
    return b;
}

void batch_destroy(Batch *batch)
{
    if (batch) orr_run_destroy(batch->run);
}

// ---- Lanes

static void set_lane(Batch *b, const orr_model *model, int lane, const double *x, const double *v)
{
    for (uint32_t i = 0; i < model->n_states; i++) b->x[i * CODE_LANES + (uint32_t)lane] = x[i];
    for (uint32_t i = 0; i < model->ir.layout.first_var; i++) b->v[i * CODE_LANES + (uint32_t)lane] = v[i];
}

static void get_lane(const Batch *b, const orr_model *model, int lane, double *x, double *v)
{
    for (uint32_t i = 0; i < model->n_states; i++) x[i] = b->x[i * CODE_LANES + (uint32_t)lane];
    for (uint32_t i = 0; i < model->ir.layout.first_var; i++) v[i] = b->v[i * CODE_LANES + (uint32_t)lane];
}

static void copy_lane(Batch *b, const orr_model *model, int from, int to)
{
    for (uint32_t i = 0; i < model->n_states; i++)
        b->x[i * CODE_LANES + (uint32_t)to] = b->x[i * CODE_LANES + (uint32_t)from];
    for (uint32_t i = 0; i < model->ir.layout.first_var; i++)
        b->v[i * CODE_LANES + (uint32_t)to] = b->v[i * CODE_LANES + (uint32_t)from];
    for (uint32_t i = 0; i < CODE_LANE_VECTORS + model->n_states; i++)
        b->lane[i * CODE_LANES + (uint32_t)to] = b->lane[i * CODE_LANES + (uint32_t)from];
}

// Fill the lanes that nobody is in with copies of one that somebody is in. False if there is none.
static bool fill_empty(Batch *b, const orr_model *model)
{
    int from = 0;
    while (from < CODE_LANES && !b->is_in[from]) from++;
    if (from == CODE_LANES) return false;
    for (int lane = 0; lane < CODE_LANES; lane++)
        if (!b->is_in[lane]) copy_lane(b, model, from, lane);
    return true;
}

// The start of a member into its lane; false if it has none, which it tells when it is alone.
static bool enter_lane(Batch *b, const Ensemble *e, int lane, size_t index)
{
    orr_run *run = b->run;
    const double *values = e->options->values + index * e->options->n_names;
    for (size_t i = 0; i < e->options->n_names; i++) {
        if (!isfinite(values[i])) return false;
        if (e->names[i].param != FLAT_NONE) {
            run->given[e->names[i].param] = 1;
            run->given_value[e->names[i].param] = values[i];
        } else {
            run_give_start(run, e->names[i].state, values[i]);
        }
    }
    chance_number(run, ensemble_number(e, index));
    if (!run_start(run)) return false;
    set_lane(b, e->model, lane, run->islands[0].x, run->islands[0].env.v);
    return true;
}

// ---- Rows

static void put_row(Batch *b, const Ensemble *e, int lane, size_t row, MemberResult *result)
{
    const orr_model *model = e->model;
    const IrLayout *layout = &model->ir.layout;
    Island *island = &b->run->islands[0];
    get_lane(b, model, lane, island->x, island->env.v);
    if (b->needs_values) model->code.programs[IR_VALUES](e->times[row], island->x, &island->env, NULL);
    double *to = result->rows + row * e->n_columns;
    for (size_t i = 0; i < e->n_columns; i++) {
        const uint32_t state = layout->state_of[e->columns[i]];
        to[i] = state != FLAT_NONE ? island->x[state] : island->env.v[layout->place[e->columns[i]]];
    }
    result->times[row] = result->t = e->times[row];
    result->n_rows = row + 1;
}

static void put_rows(Batch *b, const Ensemble *e, size_t n, size_t row, MemberResult *results)
{
    for (size_t i = 0; i < n; i++)
        if (b->is_in[i]) put_row(b, e, (int)i, row, &results[i]);
}

// ---- Steps

static bool lane_is_finite(const Batch *b, const orr_model *model, int lane)
{
    for (uint32_t i = 0; i < model->n_states; i++)
        if (!isfinite(b->x[i * CODE_LANES + (uint32_t)lane])) return false;
    return true;
}

// From grid point k to k_end. False if nobody is in a lane any more.
static bool advance(Batch *b, const Ensemble *e, long k, long k_end)
{
    const orr_model *model = e->model;
    const CodeLaneLoop loop = e->lanes.loops[e->loop];
    while (k < k_end) {
        if (e->options->cancel && *e->options->cancel) return false;
        const long n = k_end - k < CHUNK ? k_end - k : CHUNK;
        const long done = loop(e->experiment->from, e->step, k, n, b->x, b->v, b->scratch, b->moved);
        k += done;
        for (int lane = 0; lane < CODE_LANES; lane++)
            if ((done < n && b->moved[lane] != 0) || !lane_is_finite(b, model, lane)) b->is_in[lane] = false;
        if (!fill_empty(b, model)) return false;
    }
    return true;
}

static void make_room(const Ensemble *e, MemberResult *result)
{
    if (result->capacity >= e->n_rows) return;
    result->times = realloc(result->times, e->n_rows * sizeof *result->times);
    result->rows = realloc(result->rows, (e->n_rows * e->n_columns + 1) * sizeof *result->rows);
    if (!result->times || !result->rows) arena_no_memory(e->n_rows * e->n_columns * sizeof(double));
    result->capacity = e->n_rows;
}

// All on one grid: as many members as there are lanes.
static void run_on_grid(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    for (size_t i = 0; i < n; i++) b->is_in[i] = enter_lane(b, e, (int)i, first + i);
    bool goes_on = fill_empty(b, e->model);
    long k = 0;
    for (size_t row = 0; goes_on && row < e->n_rows; row++) {
        goes_on = advance(b, e, k, e->grid[row]);
        k = e->grid[row];
        if (goes_on) put_rows(b, e, n, row, results);
    }
    for (size_t i = 0; i < n; i++)
        if (!b->is_in[i]) results[i].n_rows = 0;
}

// ---- Adaptive steps

// The start of a member and its first step, which the solver itself makes: it chooses the length.
static bool enter_adaptive(Batch *b, const Ensemble *e, int lane, size_t index)
{
    if (!enter_lane(b, e, lane, index)) return false;
    const double t_end = e->experiment->until;
    Island *island = &b->run->islands[0];
    island->solver->restart(island);
    if (island->t < t_end && island->solver->step(island, t_end) != STEP_OK) return false;
    if (!island_is_finite(island->x, e->model->n_states)) return false;
    set_lane(b, e->model, lane, island->x, island->env.v);
    const Dopri5Ahead ahead = dopri5_ahead(island->memory);
    double *to = b->lane + lane;
    const double numbers[CODE_LANE_VECTORS] = { island->t, ahead.h, ahead.log_before, 0, 0 };
    for (int i = 0; i < CODE_LANE_VECTORS; i++, to += CODE_LANES) *to = numbers[i];
    for (uint32_t i = 0; i < e->model->n_states; i++, to += CODE_LANES) *to = ahead.rates[i];
    return true;
}

static void run_adaptive(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    const SolverOptions *o = &b->run->islands[0].options;
    const double control[] = { o->tolerance, o->absolute, o->max_step }, t_end = e->experiment->until;
    const double *time = b->lane, *odd = b->lane + 4 * CODE_LANES;
    size_t next = 0;
    for (;;) {
        for (int lane = 0; lane < CODE_LANES; lane++) {
            if (b->is_in[lane] && time[lane] >= t_end) put_row(b, e, lane, 0, &results[b->who[lane]]);
            if (b->is_in[lane] && (time[lane] >= t_end || odd[lane] != 0)) b->is_in[lane] = false;
            while (!b->is_in[lane] && next < n) {
                b->who[lane] = next;
                b->is_in[lane] = enter_adaptive(b, e, lane, first + next++);
            }
        }
        if (!fill_empty(b, e->model) || (e->options->cancel && *e->options->cancel)) return;
        e->lanes.dopri5(t_end, control, ATTEMPTS, b->x, b->v, b->lane);
    }
}

void batch_run(Batch *b, Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    memset(b->is_in, 0, sizeof b->is_in);
    for (size_t i = 0; i < n; i++) {
        make_room(e, &results[i]);
        results[i].status = ORR_STATUS_OK;
        results[i].n_rows = 0;
    }
    if (e->is_adaptive) run_adaptive(b, e, first, n, results);
    else run_on_grid(b, e, first, n, results);
    const bool is_cancelled = e->options->cancel && *e->options->cancel;
    for (size_t i = 0; i < n; i++) {
        if (is_cancelled) {
            results[i].status = ORR_STATUS_CANCELLED;
        } else if (results[i].n_rows == e->n_rows) {
            atomic_fetch_add(&e->n_in_lanes, 1);
        } else {
            atomic_fetch_add(&e->n_left, 1);
            member_alone(e, first + i, &results[i]);
        }
    }
}
