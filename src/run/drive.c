// src/run/drive.c: what a run does between the engine's steps: the clock, and a
// short way for runs in which nothing ever happens.
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

orr_status drive_fail(orr_run *run) { return engine_stop(&run->island); }

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

bool drive_is_plain(const orr_run *run)
{
    const Island *island = &run->island;
    const orr_model *model = run->model;
    return island->solver->fixed_step && island->solver->steps && model->n_states > 0 &&
           model->n_relations == 0 && model->n_events == 0 && model->ir.layout.n_guesses == 0 &&
           model->n_delays == 0 && !run->watch && !run->inputs && !run->isles && !run->net &&
           !run->choosing && !run->is_exact;
}

bool drive_one(orr_run *run, double t)
{
    Island *island = &run->island;
    const size_t n_states = run->model->n_states, work = n_states + 8;
    const double next = drive_grid(island, island->k + 1);
    if (fabs(t - next) > SOLVER_GRID_SLACK * island->step || island->t != drive_grid(island, island->k))
        return false;
    // whatever else there may be to do is done by the way for all
    if (island->event_waits || due_next(island) < INFINITY || island->fault.kind != FAULT_NONE ||
        t > island->options.t_end || run->t_stop < INFINITY || run->n_since_pulse + work >= PULSE_WORK ||
        cancel_is_set(run->cancel))
        return false;
    const Island before = { .k = island->k, .t = island->t, .t_before = island->t_before,
                            .n_steps = island->n_steps, .n_rates = island->n_rates };
    memcpy(island->x_before, island->x, n_states * sizeof *island->x);
    long done;
    island->solver->steps(island, 1, &done);
    if (done == 1 && island_is_finite(island->x, n_states)) {
        island->k_before = before.k;
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
