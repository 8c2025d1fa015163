// src/exp/batch.c: members of an ensemble side by side, in generated loops over vectors.
//
//     x[state][lane], v[parameter or mode][lane]
//
// With a fixed step all are on the same grid, so time is the same for all. With the adaptive method each has
// a time of its own, and when one has reached its end the next member takes its lane. A member whose numbers
// leave the finite ones leaves its lane and is computed alone from its beginning; its lane goes on with a
// copy of a neighbour that nobody looks at. Where there are events, members have seats (seats.c).
#include "exp/batch.h"
#include "base/cancel.h"
#include "solve/adaptive/adaptive.h"
#include "solve/noise/noise.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1000,     // steps between two looks at what happened
    ATTEMPTS = 8,     // the same for adaptive steps
};

Batch *batch_create(const Ensemble *e, Arena *arena, orr_diag *diag)
{
    const orr_model *model = e->model;
    const size_t width = e->lanes.width;
    Batch *b = ARENA_NEW(arena, Batch);
    b->width = e->lanes.width;
    b->x = ARENA_ARRAY(arena, double, model->n_states * width);
    b->v = ARENA_ARRAY(arena, double, model->ir.layout.first_var * width);
    b->lane = ARENA_ARRAY(arena, double,
                          (CODE_LANE_VECTORS + 2 * (size_t)model->n_states + 2 * (size_t)model->n_relations +
                           model->n_asserts) *
                              width);
    b->scratch = ARENA_ARRAY(arena, double, e->lanes.n_scratch);
    b->env = (CodeEnv){ .tables = model->ir.tables.items,
                        .numbers = model->ir.numbers.items,
                        .streams = &b->paths };
    b->names = ARENA_ARRAY(arena, unsigned long long, model->flat.noises.n);
    b->paths.names = b->names;
    b->paths.runs = ARENA_ARRAY(arena, unsigned long long, width);
    if (e->lanes.is_watched) {
        seats_create(b, arena);
        return b;
    }
    orr_run_options options = e->experiment->run;
    options.t_start = e->experiment->from;
    options.t_end = e->experiment->until;
    options.cancel = NULL;
    orr_status status;
    b->run = run_create(model, &options, diag, &status);
    if (!b->run) return NULL;
    for (size_t i = 0; i < e->n_columns; i++) {
        const ModelVariable variable = model_variable(model, e->columns[i]);
        b->needs_values |= variable.state == FLAT_NONE && variable.place >= model->ir.layout.n_params;
    }
    return b;
}

void batch_destroy(Batch *batch)
{
    if (!batch) return;
    if (batch->seats) seats_destroy(batch);
    orr_run_destroy(batch->run);
}

// ---- Lanes

static void put_column(double *to, uint32_t width, uint32_t lane, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i * width + lane] = from[i];
}

static void get_column(const double *from, uint32_t width, uint32_t lane, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i * width + lane];
}

static void copy_column(double *a, uint32_t width, uint32_t from, uint32_t to, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i * width + to] = a[i * width + from];
}

void batch_set_lane(Batch *b, const orr_model *model, uint32_t lane, const double *x, const double *v)
{
    put_column(b->x, b->width, lane, x, model->n_states);
    put_column(b->v, b->width, lane, v, model->ir.layout.first_var);
}

void batch_set_noise(Batch *b, uint32_t lane, const orr_run *run)
{
    const Island *island = &run->island;
    const size_t n = run->model->flat.noises.n;
    for (size_t k = 0; k < n; k++) b->names[k] = island->noise[k].name;
    if (n == 0) return;
    b->paths.seed = island->noise[0].seed;
    b->paths.runs[lane] = island->noise[0].run;
    b->paths.n_cells = noise_cells(island, &b->paths.cell);
}

static void get_lane(const Batch *b, const orr_model *model, uint32_t lane, double *x, double *v)
{
    get_column(b->x, b->width, lane, x, model->n_states);
    get_column(b->v, b->width, lane, v, model->ir.layout.first_var);
}

static void copy_lane(Batch *b, const orr_model *model, uint32_t from, uint32_t to)
{
    copy_column(b->x, b->width, from, to, model->n_states);
    copy_column(b->v, b->width, from, to, model->ir.layout.first_var);
    copy_column(b->lane, b->width, from, to, CODE_LANE_VECTORS + 2 * model->n_states);
}

// Fill the lanes that nobody is in with copies of one that somebody is in. False if there is none.
static bool fill_empty(Batch *b, const orr_model *model)
{
    uint32_t from = 0;
    while (from < b->width && !b->is_in[from]) from++;
    if (from == b->width) return false;
    for (uint32_t lane = 0; lane < b->width; lane++)
        if (!b->is_in[lane]) copy_lane(b, model, from, lane);
    return true;
}

// The start of a member into its lane; false if it has none, which it tells when it is alone.
static bool enter_lane(Batch *b, const Ensemble *e, uint32_t lane, size_t index)
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
    batch_set_lane(b, e->model, lane, run->island.x, run->island.env.v);
    batch_set_noise(b, lane, run);
    return true;
}

// ---- Rows

static void put_row(Batch *b, const Ensemble *e, uint32_t lane, size_t row, MemberResult *result)
{
    const orr_model *model = e->model;
    Island *island = &b->run->island;
    get_lane(b, model, lane, island->x, island->env.v);
    if (b->needs_values) code_call(&model->code, IR_VALUES, e->times[row], island->x, &island->env, NULL);
    double *to = result->rows + row * e->n_columns;
    for (size_t i = 0; i < e->n_columns; i++) {
        const ModelVariable variable = model_variable(model, e->columns[i]);
        to[i] = variable.state != FLAT_NONE ? island->x[variable.state] : island->env.v[variable.place];
    }
    result->times[row] = result->t = e->times[row];
    result->n_rows = row + 1;
}

static void put_rows(Batch *b, const Ensemble *e, size_t n, size_t row, MemberResult *results)
{
    for (uint32_t i = 0; i < n; i++)
        if (b->is_in[i]) put_row(b, e, i, row, &results[i]);
}

// ---- Steps

static bool lane_is_finite(const Batch *b, const orr_model *model, uint32_t lane)
{
    for (size_t i = 0; i < model->n_states; i++)
        if (!isfinite(b->x[i * b->width + lane])) return false;
    return true;
}

// From grid point k to k_end. False if nobody is in a lane any more.
static bool advance(Batch *b, const Ensemble *e, long k, long k_end)
{
    const orr_model *model = e->model;
    const CodeLaneLoop loop = e->lanes.loop;
    while (k < k_end) {
        if (cancel_is_set(e->options->cancel)) return false;
        const long n = k_end - k < CHUNK ? k_end - k : CHUNK;
        k += loop(e->experiment->from, e->step, k, n, b->x, b->v, &b->env, b->lane, b->scratch);
        for (uint32_t lane = 0; lane < b->width; lane++)
            if (!lane_is_finite(b, model, lane)) b->is_in[lane] = false;
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
    for (uint32_t i = 0; i < n; i++) b->is_in[i] = enter_lane(b, e, i, first + i);
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
static bool enter_adaptive(Batch *b, const Ensemble *e, uint32_t lane, size_t index)
{
    if (!enter_lane(b, e, lane, index)) return false;
    const double t_end = e->experiment->until;
    Island *island = &b->run->island;
    island->solver->restart(island);
    if (island->t < t_end && island->solver->step(island, t_end) != STEP_OK) return false;
    if (!island_is_finite(island->x, e->model->n_states)) return false;
    batch_set_lane(b, e->model, lane, island->x, island->env.v);
    const AdaptiveAhead ahead = adaptive_ahead(island->memory);
    double *to = b->lane + lane;
    const double numbers[CODE_LANE_VECTORS] = {
        [CODE_LANE_TIME] = island->t, [CODE_LANE_NEXT] = ahead.h, [CODE_LANE_LOG] = ahead.log_before
    };
    for (int i = 0; i < CODE_LANE_VECTORS; i++, to += b->width) *to = numbers[i];
    for (uint32_t i = 0; i < e->model->n_states; i++, to += b->width) *to = ahead.rates[i];
    for (uint32_t i = 0; i < e->model->n_states; i++, to += b->width) *to = island->absolute[i];
    return true;
}

static void run_adaptive(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    const SolverOptions *o = &b->run->island.options;
    const double control[] = { o->tolerance, o->max_step }, t_end = e->experiment->until;
    const double *time = b->lane, *odd = b->lane + CODE_LANE_ODD * (size_t)b->width;
    size_t next = 0;
    for (;;) {
        for (uint32_t lane = 0; lane < b->width; lane++) {
            if (b->is_in[lane] && time[lane] >= t_end) put_row(b, e, lane, 0, &results[b->who[lane]]);
            if (b->is_in[lane] && (time[lane] >= t_end || odd[lane] != 0)) b->is_in[lane] = false;
            while (!b->is_in[lane] && next < n) {
                b->who[lane] = next;
                b->is_in[lane] = enter_adaptive(b, e, lane, first + next++);
            }
        }
        if (!fill_empty(b, e->model) || cancel_is_set(e->options->cancel)) return;
        e->lanes.attempts(t_end, control, ATTEMPTS, b->x, b->v, &b->env, b->lane, b->scratch);
    }
}

void batch_run(Batch *b, Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    memset(b->is_in, 0, sizeof b->is_in);
    for (size_t i = 0; i < n; i++) {
        make_room(e, &results[i]);
        results[i].status = ORR_STATUS_OK;
        results[i].n_rows = results[i].n_violations = 0;
        free(results[i].violation);
        results[i].violation = NULL;
    }
    if (b->seats) seats_run(b, e, first, n, results);
    else if (e->kind.family == CODE_LANES_ADAPTIVE) run_adaptive(b, e, first, n, results);
    else run_on_grid(b, e, first, n, results);
    const bool is_cancelled = cancel_is_set(e->options->cancel);
    for (size_t i = 0; i < n; i++) {
        if (is_cancelled) {
            results[i].status = ORR_STATUS_CANCELLED;
        } else if (results[i].n_rows > 0) {
            atomic_fetch_add(&e->n_in_lanes, 1);
        } else {
            atomic_fetch_add(&e->n_left, 1);
            member_alone(e, first + i, &results[i]);
        }
    }
}
