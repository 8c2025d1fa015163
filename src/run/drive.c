// src/run/drive.c: steps, events and checks: what happens between two times the user asks for.
//
// Fixed-step methods run in chunks of generated code as long as nothing happens. A chunk that ends in a NaN
// is taken back and repeated step by step, so the failure is reported where it began. A step across which a
// relation changes is made again, shorter, to the very first point at which it has changed; for other methods
// that point is found on the dense output (see look.c). The island then stands at the event, which is
// handled (modes, grid, solver) when the user arrives there or the next step is made: until then what was
// recorded before it still sees the old modes.
#include "base/cancel.h"
#include "base/diag.h"
#include "base/os.h"
#include "run/run.h"
#include "solve/solver.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PULSE_WORK = 20000,    // states advanced between two looks at the clock
};
#define PULSE_NS   100000000    // ten times a second
#define STEPS_MAX  4e15         // grid points that are told apart

// fmin and fmax are calls, and these stand between any two rows that are recorded; there are no NaNs here.
static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

double drive_grid(const Island *island, long k) { return island->t_start + (double)k * island->step; }

// How near a grid point a time means it, in steps: rounding of a large quotient is more than the fixed slack.
static double grid_slack(double steps) { return larger(SOLVER_GRID_SLACK, 4e-16 * fabs(steps)); }

double drive_grid_floor(const Island *island, double t)
{
    const double steps = (t - island->t_start) / island->step;
    return smaller(floor(steps + grid_slack(steps)), STEPS_MAX);
}

bool drive_is_near(const Island *island, double t)
{
    if (!island->solver->fixed_step) return island->t == t;
    // nearly always one of these tells, without a division
    const double gap = fabs(island->t - t);
    if (gap <= island->step * SOLVER_GRID_SLACK) return true;
    if (gap > 0.5 * island->step && island->k < 1000000000000000) return false;
    return gap <= island->step * grid_slack((t - island->t_start) / island->step);
}

bool drive_has_reached(const Island *island, double t) { return island->t >= t || drive_is_near(island, t); }

orr_status drive_fail(orr_run *run)
{
    run->is_failed = true;
    run->values_valid = false;
    return ORR_STATUS_FAILED;
}

// ---- Arriving at the end of a step

orr_status drive_arrive(orr_run *run, Island *island)
{
    // what failed further ahead may still be the reason why steps get shorter and shorter
    if (island->t > island->fault.t) island->fault.kind = FAULT_NONE;
    if (run->history && !history_push(run, island)) {
        island_fault(island, FAULT_VALUE, 0, island->t, island->x);
        fault_report(island);
        return drive_fail(run);
    }
    choose_look(run, island);
    if (run->n_rests && !run->event_waits && surface_look(run, island)) {
        if (!surface_restart(run, island)) return drive_fail(run);
        island->t_before = island->t;
    }
    watch_look(run, island);
    return ORR_STATUS_OK;
}

// Look at the clock now and then, see whether better code pays, and tell whoever wants to know how far we
// are.
orr_status drive_pulse(orr_run *run, double t, size_t n_steps)
{
    run->n_since_pulse += n_steps * (run->model->n_states + 8) + net_work(run);
    if (run->n_since_pulse < PULSE_WORK) return ORR_STATUS_OK;
    run->n_since_pulse = 0;
    const uint64_t now = os_now_ns();
    tier_look(run, t, now);
    if (run->max_seconds > 0 && (double)(now - run->ns_created) * 1e-9 > run->max_seconds) {
        diag_report(run->diag, DIAG_TIME_LIMIT, (Place){ 0 }, run->max_seconds, t);
        diag_hint(run->diag, "what was computed is kept; allow more, or make the run cheaper");
        return drive_fail(run);
    }
    if (!run->pulse || now - run->ns_pulse < PULSE_NS) return ORR_STATUS_OK;
    run->ns_pulse = now;
    return run->pulse(run->pulse_context, t) ? ORR_STATUS_OK : ORR_STATUS_CANCELLED;
}

// ---- Steps

// One step by hand, with all checks.
static orr_status careful_step(orr_run *run, Island *island, double t_limit)
{
    const size_t n = run->model->n_states;
    const double t = island->t;
    memcpy(island->x_before, island->x, n * sizeof *island->x);
    run->k_before = island->k;
    bool ok = island->solver->step(island, t_limit) == STEP_OK;
    if (ok && !island_is_finite(island->x, n)) {
        island_fault(island, FAULT_VALUE, 0, island->t, island->x);
        ok = false;
    }
    if (ok) ok = look_for_event(run, island);
    if (!ok) {
        // the run stays readable at the last good time
        memcpy(island->x, island->x_before, n * sizeof *island->x);
        island->t = island->t_before = t;
        island->k = run->k_before;
        fault_report(island);
        return drive_fail(run);
    }
    return drive_arrive(run, island);
}

// Steps that can be made at once in generated code: to the last grid point not after t_want or, if that is
// reached, one more.
static long whole_steps(const Island *island, double t_want, double t_limit)
{
    if (island->t != drive_grid(island, island->k)) return 0;
    const double k = (double)island->k;
    const double wanted = larger(1, drive_grid_floor(island, t_want) - k);
    // mostly the limit is far away, and its place on the grid does not matter
    if (t_limit > island->t_start + (k + wanted + 1) * island->step) return (long)wanted;
    return (long)smaller(wanted, drive_grid_floor(island, t_limit) - k);
}

static orr_status fixed_steps(orr_run *run, Island *island, double t_want, double t_limit, long n_max)
{
    long n = island->surface.is_on ? 0 : whole_steps(island, t_want, t_limit);
    if (n > run->chunk) n = run->chunk;
    if (n > n_max) n = n_max;
    if (n <= 0) return careful_step(run, island, t_limit);

    const IrLayout *layout = &run->model->ir.layout;
    const size_t n_states = run->model->n_states;
    const long k = island->k;
    const double t = island->t;
    const size_t n_steps = island->n_steps, n_rates = island->n_rates;
    double *guesses = island->env.v + layout->first_guess;
    memcpy(island->x_before, island->x, n_states * sizeof *island->x);
    if (layout->n_guesses) memcpy(run->guesses_before, guesses, layout->n_guesses * sizeof *guesses);

    long done;
    island->solver->steps(island, n, &done);
    if (island_is_finite(island->x, n_states)) {
        if (done == 0) return careful_step(run, island, t_limit);
        // only after a single step is the state at its beginning known
        if (done > 1) island->t_before = island->t;
        run->k_before = k;
        if (!look_for_event(run, island)) {
            fault_report(island);
            return drive_fail(run);
        }
        const orr_status status = drive_pulse(run, island->t, (size_t)done);
        return status == ORR_STATUS_OK ? drive_arrive(run, island) : status;
    }

    // take the chunk back and look closely
    memcpy(island->x, island->x_before, n_states * sizeof *island->x);
    if (layout->n_guesses) memcpy(guesses, run->guesses_before, layout->n_guesses * sizeof *guesses);
    island->k = k;
    island->t = island->t_before = t;
    island->n_steps = n_steps;
    island->n_rates = n_rates;
    orr_status status = ORR_STATUS_OK;
    for (long i = 0; i < n && status == ORR_STATUS_OK && !run->event_waits; i++)
        status = careful_step(run, island, t_limit);
    return status;
}

void drive_tell_pieces(orr_run *run, Island *island, double t)
{
    const size_t n = run->model->n_states;
    const double h = island->t - t;
    if (!(h > 0)) return;
    Arena work = { 0 };
    double *x = ARENA_ARRAY(&work, double, n), *dx = ARENA_ARRAY(&work, double, n),
           *dx_end = ARENA_ARRAY(&work, double, n);
    island->solver->state_at(island, t, x);
    if (island_rates_aside(island, t, x, dx) && island_rates_aside(island, island->t, island->x, dx_end)) {
        for (uint32_t i = 0; i < n; i++) {
            const double slope = (island->x[i] - x[i]) / h;
            const double c[] = { x[i], dx[i], (3 * slope - 2 * dx[i] - dx_end[i]) / h,
                                 (dx[i] + dx_end[i] - 2 * slope) / (h * h) };
            island->on_piece(island->piece_context, i, t, c, 3);
        }
    }
    arena_free(&work);
}

static orr_status free_step(orr_run *run, Island *island, double t_limit)
{
    bool is_jump = false;
    if (run->jump_waits) island->solver->restart(island);
    const double t_break = run->history ? history_break(run, island->t, &is_jump) : INFINITY;
    if (island->solver->step(island, fmin(t_limit, t_break)) != STEP_OK) return drive_fail(run);
    run->jump_waits = is_jump && island->t == t_break;
    if (!look_for_event(run, island)) {
        fault_report(island);
        return drive_fail(run);
    }
    if (island->on_piece) drive_tell_pieces(run, island, island->t_before);
    const orr_status status = drive_pulse(run, island->t, 1);
    return status == ORR_STATUS_OK ? drive_arrive(run, island) : status;
}

// Solvers that go through events by themselves.
static orr_status quantised_steps(orr_run *run, Island *island, double t_want, long n_max)
{
    const size_t n_steps = island->n_steps;
    if (run->model->n_asserts || run->choosing) n_max = 1;    // each step is looked at
    const StepResult result = island->solver->advance(island, t_want, n_max);
    if (result == STEP_FAILED) return run->is_cancelled ? ORR_STATUS_CANCELLED : drive_fail(run);
    if (result == STEP_RELATION) {
        if (!island_relations(island, island->t, island->x, run->relations)) {
            fault_report(island);
            return drive_fail(run);
        }
        run->event_waits = true;
        run->event_relation = event_first_difference(run, island);
    }
    const orr_status status = drive_pulse(run, island->t,
                                          1 + (island->n_steps - n_steps) / run->model->n_states);
    return status == ORR_STATUS_OK ? drive_arrive(run, island) : status;
}

bool drive_is_plain(const orr_run *run, const Island *island)
{
    const orr_model *model = run->model;
    return island->solver->fixed_step && island->solver->steps && model->n_states > 0 &&
           model->n_relations == 0 && model->n_events == 0 && model->ir.layout.n_guesses == 0 &&
           !run->watch && !run->history && !run->inputs && !run->isles && !run->net && !run->choosing &&
           !run->is_exact;
}

bool drive_one(orr_run *run, Island *island, double t)
{
    const size_t n_states = run->model->n_states, work = n_states + 8;
    const double next = drive_grid(island, island->k + 1);
    if (fabs(t - next) > SOLVER_GRID_SLACK * island->step || island->t != drive_grid(island, island->k))
        return false;
    // whatever else there may be to do is done by the way for all
    if (run->event_waits || due_next(run) < INFINITY || island->fault.kind != FAULT_NONE ||
        t > island->options.t_end || run->t_stop < INFINITY || run->n_since_pulse + work >= PULSE_WORK ||
        cancel_is_set(run->cancel))
        return false;
    const Island before = { .k = island->k, .t = island->t, .t_before = island->t_before,
                            .n_steps = island->n_steps, .n_rates = island->n_rates };
    memcpy(island->x_before, island->x, n_states * sizeof *island->x);
    long done;
    island->solver->steps(island, 1, &done);
    if (done == 1 && island_is_finite(island->x, n_states)) {
        run->k_before = before.k;
        run->n_since_pulse += work;
        return true;
    }
    memcpy(island->x, island->x_before, n_states * sizeof *island->x);
    island->k = before.k;
    island->t = before.t;
    island->t_before = before.t_before;
    island->n_steps = before.n_steps;
    island->n_rates = before.n_rates;
    return false;
}

orr_status drive(orr_run *run, Island *island, double t_want, double t_limit, long n_max)
{
    if (cancel_is_set(run->cancel)) return ORR_STATUS_CANCELLED;
    choose_switch(run, island);
    if (due_next(run) <= island->t || net_next(run) <= island->t) run->event_waits = true;
    if (run->event_waits) {
        const orr_status status = event_handle(run, island);
        if (status != ORR_STATUS_OK) return status;
        if (run->terminated) return ORR_STATUS_TERMINATED;
    }
    if (run->isles) {
        const orr_status status = isles_tell(run, island);
        if (status != ORR_STATUS_OK) return status;
    }
    const double t_end_of_piece = input_kink(run);
    if (t_end_of_piece < INFINITY && drive_has_reached(island, t_end_of_piece)) {
        if (!input_move(run, island->t)) return run->is_cancelled ? ORR_STATUS_CANCELLED : drive_fail(run);
        // rates are polynomials there: they bend
        if (island->solver->advance) island->solver->restart(island);
    }
    const double t_due = smaller(due_next(run), net_next(run)), t_kink = input_kink(run);
    if (t_due < t_limit) t_limit = t_due;
    if (t_kink < t_limit) t_limit = t_kink;
    orr_status status;
    if (island->solver->advance) status = quantised_steps(run, island, smaller(t_want, t_limit), n_max);
    else if (island->solver->fixed_step) status = fixed_steps(run, island, t_want, t_limit, n_max);
    else status = free_step(run, island, t_limit);
    // on a grid a point this near is meant; the event is where it was scheduled
    const bool is_due = t_due < INFINITY && drive_has_reached(island, t_due);
    if (status == ORR_STATUS_OK && !run->event_waits && is_due) {
        island->t = t_due;
        run->event_waits = true;
    }
    return status;
}
