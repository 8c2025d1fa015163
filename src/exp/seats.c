// src/exp/seats.c: members side by side in models with relations and events.
//
//     seat: run ──plain steps→ lane ──steps made→ run ──a step of its own, an event, a row→ …
//
// Each lane has a run, which does everything that is not a plain step: its start, the steps in which a
// relation changes or something is due, events and rows that lie between two steps. All others are made in
// the lanes, many at once, from where the run stands; the run then goes on from where its lane has come to,
// as if it had made them itself. When a member has ended the next one takes its seat. One that fails is
// computed alone, from its beginning, so that it tells what it would have told.
#include "exp/batch.h"
#include "base/cancel.h"
#include "solve/adaptive/adaptive.h"
#include <math.h>
#include <stdlib.h>

enum {
    STEPS_LEAST = 2,     // plain steps that are worth a lane
    CHUNK = 2000,        // steps between two looks at whether all of it is cancelled
};
#define FREE_LEAST 2.0   // the same of free steps, by the length of the next

void seats_create(Batch *b, Arena *arena)
{
    b->seats = ARENA_ARRAY(arena, Seat, b->width);
    for (uint32_t i = 0; i < b->width; i++) b->seats[i].diag = orr_diag_create();
}

static void stand_up(Seat *seat)
{
    orr_run_destroy(seat->run);
    seat->run = NULL;
}

void seats_destroy(Batch *b)
{
    for (uint32_t i = 0; i < b->width; i++) {
        stand_up(&b->seats[i]);
        orr_diag_destroy(b->seats[i].diag);
    }
}

// False if the member has no start, which it tells when it is alone.
static bool sit_down(Seat *seat, const Ensemble *e, size_t index)
{
    orr_diag *diag = seat->diag;
    orr_diag_clear(diag);
    orr_setting *settings;
    const orr_run_options options = member_options(e, index, &settings);
    orr_status status;
    *seat = (Seat){ .diag = diag, .run = run_create(e->model, &options, diag, &status) };
    free(settings);
    return seat->run != NULL;
}

// ---- By itself

static bool put_row(const Seat *seat, const Ensemble *e, MemberResult *result)
{
    orr_run_values(seat->run, e->columns, e->n_columns, result->rows + result->n_rows * e->n_columns);
    if (seat->run->island.is_failed) return false;
    result->times[result->n_rows++] = result->t = orr_run_time(seat->run);
    return true;
}

typedef enum SeatState {
    SEAT_READY,     // for plain steps
    SEAT_ENDED,     // the member is complete
    SEAT_FAILED,    // or must be computed alone
} SeatState;

// Is it worth a lane?
static bool is_ready(Seat *seat, const Ensemble *e)
{
    const double t = e->times[seat->row];
    if (seat->must_step) return false;
    if (e->kind.family != CODE_LANES_ADAPTIVE) {
        seat->n_plain = run_plain_steps(seat->run, t);
        return seat->n_plain >= STEPS_LEAST;
    }
    const Island *island = &seat->run->island;
    if (!run_is_plain(seat->run, t, &seat->limit) || !adaptive_has_begun(island->memory)) return false;
    return FREE_LEAST * adaptive_ahead(island->memory).h < t - island->t;
}

// The run goes on until only plain steps are to be made.
static SeatState go_alone(Seat *seat, const Ensemble *e, MemberResult *result)
{
    orr_run *run = seat->run;
    for (;;) {
        const double t = e->times[seat->row];
        seat->is_ready = is_ready(seat, e);
        if (seat->is_ready) return SEAT_READY;
        const size_t n_events = run->island.n_handled;
        bool is_there = t == orr_run_time(run) && !run->island.terminated;    // the beginning
        const orr_status status = is_there ? ORR_STATUS_OK : run_toward(run, t, &is_there);
        if (!is_there || run->island.n_handled != n_events) seat->is_loaded = false;
        seat->must_step = false;
        if (status != ORR_STATUS_OK && status != ORR_STATUS_TERMINATED) return SEAT_FAILED;
        if (!is_there) continue;
        if (!put_row(seat, e, result)) return SEAT_FAILED;
        if (++seat->row == e->n_rows || run->island.terminated) return SEAT_ENDED;
    }
}

// ---- Side by side

// Which asserts a member need not stop for any more.
static void load_broken(const Batch *b, const orr_model *model, uint32_t lane, double *to)
{
    for (size_t k = 0; k < model->n_asserts; k++)
        to[k * b->width + lane] = watch_is_broken(b->seats[lane].run, k);
}

static void load(Batch *b, const orr_model *model, uint32_t lane)
{
    Seat *seat = &b->seats[lane];
    const Island *island = &seat->run->island;
    const size_t width = b->width;
    double *to = b->lane + lane;
    seat->before = (double)island->k;
    to[CODE_LANE_LEFT * width] = (double)seat->n_plain;
    to[CODE_LANE_STOP * width] = 0;
    if (seat->is_loaded) return;
    batch_set_lane(b, model, lane, island->x, island->env.v);
    batch_set_noise(b, lane, seat->run);
    to[CODE_LANE_GRID * width] = island->t_start;
    to[CODE_LANE_K * width] = seat->before;
    for (size_t k = 0; k < model->n_relations; k++) {
        to[(CODE_LANE_RELATIONS + k) * width] = seat->run->island.sample_before[2 * k];
        to[(CODE_LANE_RELATIONS + model->n_relations + k) * width] = seat->run->island.samples[0][2 * k];
    }
    load_broken(b, model, lane, b->lane + (CODE_LANE_RELATIONS + 2 * model->n_relations) * width);
    seat->is_loaded = true;
}

static void unload(Batch *b, const orr_model *model, uint32_t lane)
{
    Seat *seat = &b->seats[lane];
    const size_t width = b->width;
    const double *from = b->lane + lane, *before = from + CODE_LANE_RELATIONS * width;
    const double n = from[CODE_LANE_K * width] - seat->before;
    seat->must_step = from[CODE_LANE_STOP * width] != 0;
    if (n > 0)
        run_take_steps(seat->run, (long)n, b->x + lane,
                       (const double *const[]){ before, before + model->n_relations * width }, width);
}

static void load_free(Batch *b, const orr_model *model, uint32_t lane, double row)
{
    Seat *seat = &b->seats[lane];
    const Island *island = &seat->run->island;
    const AdaptiveAhead ahead = adaptive_ahead(island->memory);
    const size_t width = b->width;
    double *to = b->lane + lane;
    batch_set_lane(b, model, lane, island->x, island->env.v);
    seat->before = island->t;
    to[CODE_LANE_TIME * width] = island->t;
    to[CODE_LANE_NEXT * width] = ahead.h;
    to[CODE_LANE_LOG * width] = ahead.log_before;
    to[CODE_LANE_REJECTED * width] = ahead.was_rejected;
    to[CODE_LANE_ODD * width] = 0;
    to[CODE_LANE_LIMIT * width] = seat->limit;
    to[CODE_LANE_ROW * width] = row;
    for (size_t i = 0; i < model->n_states; i++) {
        to[(CODE_LANE_VECTORS + i) * width] = ahead.rates[i];
        to[(CODE_LANE_VECTORS + model->n_states + i) * width] = island->absolute[i];
    }
    for (size_t k = 0; k < model->n_relations; k++)
        to[(CODE_LANE_VECTORS + 2 * model->n_states + k) * width] = seat->run->island.samples[0][2 * k];
    load_broken(b, model, lane,
                b->lane + (CODE_LANE_VECTORS + 2 * model->n_states + model->n_relations) * width);
}

static void unload_free(Batch *b, const orr_model *model, uint32_t lane)
{
    Seat *seat = &b->seats[lane];
    const size_t width = b->width;
    const double *from = b->lane + lane, t = from[CODE_LANE_TIME * width];
    seat->must_step = from[CODE_LANE_ODD * width] != 0;
    if (!(t > seat->before)) return;
    const double *rates = from + CODE_LANE_VECTORS * width;
    run_take_free_steps(seat->run, t, b->x + lane, rates + 2 * model->n_states * width, width);
    adaptive_go_on(&seat->run->island, from[CODE_LANE_NEXT * width], from[CODE_LANE_LOG * width],
                 from[CODE_LANE_REJECTED * width] != 0, rates, width);
}

static void go_on_grids(Batch *b, const Ensemble *e, uint32_t n_least)
{
    for (uint32_t lane = 0; lane < b->width; lane++) {
        if (b->seats[lane].is_ready) load(b, e->model, lane);
        else b->lane[CODE_LANE_LEFT * b->width + lane] = 0;
    }
    e->lanes.loop(0, e->step, n_least, CHUNK, b->x, b->v, &b->env, b->lane, b->scratch);
    for (uint32_t lane = 0; lane < b->width; lane++)
        if (b->seats[lane].is_ready) unload(b, e->model, lane);
}

static void go_free(Batch *b, const Ensemble *e, uint32_t n_least)
{
    const SolverOptions *o = NULL;
    for (uint32_t lane = 0; lane < b->width; lane++) {
        const Seat *seat = &b->seats[lane];
        b->lane[CODE_LANE_ODD * b->width + lane] = 1;
        if (!seat->is_ready) continue;
        load_free(b, e->model, lane, e->times[seat->row]);
        o = &seat->run->island.options;
    }
    const double control[] = { o->tolerance, o->max_step, n_least };
    e->lanes.attempts(0, control, CHUNK, b->x, b->v, &b->env, b->lane, b->scratch);
    for (uint32_t lane = 0; lane < b->width; lane++)
        if (b->seats[lane].is_ready) unload_free(b, e->model, lane);
}

// All who are ready, until half of them have to be looked at.
static void go_together(Batch *b, const Ensemble *e, uint32_t n_ready)
{
    if (e->kind.family == CODE_LANES_ADAPTIVE) go_free(b, e, (n_ready + 1) / 2);
    else go_on_grids(b, e, (n_ready + 1) / 2);
}

// Whoever is to sit in a lane next goes on alone as far as it must. False if nobody is left for it.
static bool fill_seat(Batch *b, const Ensemble *e, uint32_t lane, size_t first, size_t n, size_t *next,
                      MemberResult *results)
{
    Seat *seat = &b->seats[lane];
    for (;;) {
        while (!seat->run) {
            if (*next == n) return false;
            b->who[lane] = (*next)++;
            if (!sit_down(seat, e, first + b->who[lane])) stand_up(seat);
        }
        MemberResult *result = &results[b->who[lane]];
        const SeatState state = go_alone(seat, e, result);
        if (state == SEAT_READY) return true;
        if (state == SEAT_FAILED) result->n_rows = 0;
        else member_note_violations(result, seat->run->n_violations, seat->diag);
        stand_up(seat);
    }
}

void seats_run(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    size_t next = 0;
    for (;;) {
        uint32_t n_ready = 0;
        for (uint32_t lane = 0; lane < b->width; lane++) {
            b->seats[lane].is_ready = false;
            n_ready += fill_seat(b, e, lane, first, n, &next, results);
        }
        const bool is_cancelled = cancel_is_set(e->options->cancel);
        if (n_ready == 0 || is_cancelled) break;
        go_together(b, e, n_ready);
    }
    for (uint32_t lane = 0; lane < b->width; lane++) stand_up(&b->seats[lane]);
}
