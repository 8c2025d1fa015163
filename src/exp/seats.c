// src/exp/seats.c: members side by side in models with relations and events.
//
//     seat: run ──plain steps→ lane ──steps made→ run ──a step of its own, an event, a row→ …
//
// Each lane has a run, which does everything that is not a plain step: its start, the steps in which a relation changes or
// something is due, events and rows that lie between two steps. All others are made in the lanes, many at once, from where the run
// stands; the run then goes on from where its lane has come to, as if it had made them itself. When a member has ended the next
// one takes its seat. One that fails is computed alone, from its beginning, so that it tells what it would have told.
#include "exp/batch.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>

enum {
    STEPS_LEAST = 2,     // plain steps that are worth a lane
    CHUNK = 2000,        // steps between two looks at whether all of it is cancelled
};

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
    if (seat->run->is_failed) return false;
    result->times[result->n_rows++] = result->t = orr_run_time(seat->run);
    return true;
}

typedef enum SeatState {
    SEAT_READY,     // for plain steps, n_plain of them
    SEAT_ENDED,     // the member is complete
    SEAT_FAILED,    // or must be computed alone
} SeatState;

// The run goes on until only plain steps are to be made.
static SeatState go_alone(Seat *seat, const Ensemble *e, MemberResult *result)
{
    orr_run *run = seat->run;
    for (;;) {
        const double t = e->times[seat->row];
        seat->n_plain = seat->must_step ? 0 : run_plain_steps(run, t);
        if (seat->n_plain >= STEPS_LEAST) return SEAT_READY;
        const size_t n_events = run->n_events;
        bool is_there = t == orr_run_time(run) && !run->terminated;    // the beginning
        const orr_status status = is_there ? ORR_STATUS_OK : run_toward(run, t, &is_there);
        if (!is_there || run->n_events != n_events) seat->is_loaded = false;
        seat->must_step = false;
        if (status != ORR_STATUS_OK && status != ORR_STATUS_TERMINATED) return SEAT_FAILED;
        if (!is_there) continue;
        if (!put_row(seat, e, result)) return SEAT_FAILED;
        if (++seat->row == e->n_rows || run->terminated) return SEAT_ENDED;
    }
}

// ---- Side by side

static void load(Batch *b, const orr_model *model, uint32_t lane)
{
    Seat *seat = &b->seats[lane];
    const Island *island = &seat->run->islands[0];
    const size_t width = b->width;
    double *to = b->lane + lane;
    seat->k = (double)island->k;
    to[CODE_LANE_LEFT * width] = (double)seat->n_plain;
    to[CODE_LANE_STOP * width] = 0;
    if (seat->is_loaded) return;
    batch_set_lane(b, model, lane, island->x, island->env.v);
    to[CODE_LANE_GRID * width] = island->t_start;
    to[CODE_LANE_K * width] = seat->k;
    for (size_t k = 0; k < model->n_relations; k++) {
        to[(CODE_LANE_RELATIONS + k) * width] = seat->run->sample_before[2 * k];
        to[(CODE_LANE_RELATIONS + model->n_relations + k) * width] = seat->run->samples[0][2 * k];
    }
    seat->is_loaded = true;
}

static void unload(Batch *b, const orr_model *model, uint32_t lane)
{
    Seat *seat = &b->seats[lane];
    const size_t width = b->width;
    const double *from = b->lane + lane, *before = from + CODE_LANE_RELATIONS * width;
    const double n = from[CODE_LANE_K * width] - seat->k;
    seat->must_step = from[CODE_LANE_STOP * width] != 0;
    if (n > 0)
        run_take_steps(seat->run, (long)n, b->x + lane, (const double *const[]){ before, before + model->n_relations * width },
                       width);
}

// All who are ready, until half of them have to be looked at.
static void go_together(Batch *b, const Ensemble *e, uint32_t n_ready)
{
    for (uint32_t lane = 0; lane < b->width; lane++) {
        if (b->seats[lane].n_plain > 0) load(b, e->model, lane);
        else b->lane[CODE_LANE_LEFT * b->width + lane] = 0;
    }
    e->lanes.loops[e->loop](0, e->step, (n_ready + 1) / 2, CHUNK, b->x, b->v, &b->env, b->lane, b->scratch);
    for (uint32_t lane = 0; lane < b->width; lane++)
        if (b->seats[lane].n_plain > 0) unload(b, e->model, lane);
}

// Whoever is to sit in a lane next goes on alone as far as it must. False if nobody is left for it.
static bool fill_seat(Batch *b, const Ensemble *e, uint32_t lane, size_t first, size_t n, size_t *next, MemberResult *results)
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
        stand_up(seat);
    }
}

void seats_run(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results)
{
    size_t next = 0;
    for (;;) {
        uint32_t n_ready = 0;
        for (uint32_t lane = 0; lane < b->width; lane++) {
            b->seats[lane].n_plain = 0;
            n_ready += fill_seat(b, e, lane, first, n, &next, results);
        }
        const bool is_cancelled = e->options->cancel && *e->options->cancel;
        if (n_ready == 0 || is_cancelled) break;
        go_together(b, e, n_ready);
    }
    for (uint32_t lane = 0; lane < b->width; lane++) stand_up(&b->seats[lane]);
}
