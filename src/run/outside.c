// src/run/outside.c: what others do to a run: they stop it where something arrives, and have it begin anew.
//
// The island may be ahead of the user, in a step that was made before anybody knew that something would
// arrive during it. Such a step is ended where it does: a fixed one is made again, shorter, as for events;
// of others the dense output is as good as the step itself; quantised states never are ahead.
#include "run/run.h"
#include "solve/solver.h"
#include <string.h>

// A fixed step again, from its beginning to t.
static orr_status step_again(orr_run *run, Island *island, double t)
{
    const size_t n = run->model->n_states;
    memcpy(island->x, island->x_before, n * sizeof *island->x);
    island->t = island->t_before;
    island->k = island->k_before;
    island->n_steps--;
    if (t <= island->t) return ORR_STATUS_OK;
    const StepResult result = island->solver->step(island, t);
    if (result == STEP_OK && island_is_finite(island->x, n)) return ORR_STATUS_OK;
    if (result == STEP_OK) island_fault(island, FAULT_VALUE, 0, island->t, island->x);
    fault_report(island);
    return drive_fail(run);
}

static orr_status cut(orr_run *run, Island *island, double t)
{
    orr_status status = ORR_STATUS_OK;
    history_cut(island, t);
    if (island->solver->fixed_step) {
        status = step_again(run, island, t);
    } else {
        domain_state_at(island, t, island->x_event);
        memcpy(island->x, island->x_event, run->model->n_states * sizeof *island->x);
        island->t = t;
        island->jump_waits = true;    // the solver has gone on: whoever makes the next step begins anew
    }
    // what waited there has not happened
    island->event_waits = island->event_is_located = island->choice_waits = false;
    island->t_sample = island->t_sample_before = NAN;
    run->x = island->x;
    island->values_valid = false;
    return status;
}

orr_status run_stop_at(orr_run *run, double t)
{
    Island *island = &run->island;
    const orr_status status = orr_run_advance(run, t);
    if (status != ORR_STATUS_OK || run->is_over || island->t <= t || drive_is_near(island, t)) return status;
    return cut(run, island, t);
}

static orr_status happen(orr_run *run, bool begins_anew)
{
    Island *island = &run->island;
    if (island->is_failed) return ORR_STATUS_FAILED;
    island->event_waits = true;
    island->event_is_located = begins_anew;
    island->values_valid = false;
    orr_status status = event_handle(island);
    if (status == ORR_STATUS_OK && !due_renew(island, true)) status = engine_stop(island);
    run->x = island->x;
    return status == ORR_STATUS_OK && island->terminated ? ORR_STATUS_TERMINATED : status;
}

bool run_reinit(orr_run *run, const RunReinit *what)
{
    if (run->model->flat.n_reinits == 0) return false;
    vec_push(&run->arena, &run->reinits, *what);
    return true;
}

void run_message(orr_run *run, uint32_t port, const void *values)
{
    net_enter(run, run->island.t, port, values);
}

orr_status run_begin_anew(orr_run *run) { return happen(run, true); }
orr_status run_take_over(orr_run *run) { return happen(run, !run->island.solver->fixed_step); }
