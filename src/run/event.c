// src/run/event.c: what happens at an instant: sources act, modes are brought in line, the solver begins anew.
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>

enum {
    SETTLE_MAX = 100,      // rounds of modes that depend on one another
    BURST_MAX = 1000,      // events inside BURST_SPAN before we call it endless
};
#define BURST_SPAN 1e-9    // of the scale of time

// What the k-th relation is called in messages; to be freed.
static char *relation_text(const orr_model *model, size_t k)
{
    return run_expr_text(model, model->flat.relations.items[k].relation);
}

size_t event_first_difference(const orr_run *run, const Island *island)
{
    const double *modes = island_modes(island);
    for (size_t i = 0; i < run->model->n_relations; i++)
        if ((run->relations[2 * i + 1] != 0) != (modes[i] != 0)) return i;
    return 0;
}

static orr_status fail_endless(orr_run *run, double t, size_t relation, const char *hint)
{
    char *text = relation_text(run->model, relation);
    diag_report(run->diag, DIAG_ZENO,
                run_place(run->model, run->diag, run->model->flat.relations.items[relation].place), t, text);
    diag_hint(run->diag, "%s", hint);
    free(text);
    return drive_fail(run);
}

bool event_settle(orr_run *run, Island *island, bool *changed)
{
    double *modes = island_modes(island);
    const size_t n = run->model->n_relations;
    *changed = false;
    for (int round = 0; n > 0; round++) {
        if (!island_relations(island, island->t, island->x, run->relations)) {
            fault_report(island);
            drive_fail(run);
            return false;
        }
        const size_t first = event_first_difference(run, island);
        bool again = false;
        for (size_t i = 0; i < n; i++) {
            const double truth = run->relations[2 * i + 1] != 0;
            if (modes[i] == truth) continue;
            modes[i] = truth;
            again = true;
        }
        if (!again) break;
        *changed = true;
        if (round == SETTLE_MAX) {
            fail_endless(run, island->t, first,
                         "the relation contradicts itself: what it switches makes it false again");
            return false;
        }
    }
    return true;
}

// Against what a time counts as short: the time so far or the whole run, whichever is longer.
static double scale_of_time(const orr_run *run, const Island *island)
{
    const double t_end = island->options.t_end, span = isfinite(t_end) ? t_end - run->t_start : 1;
    return fmax(fmax(fabs(island->t), island->t - run->t_start), span);
}

orr_status event_handle(orr_run *run, Island *island)
{
    if (!run->event_waits) return ORR_STATUS_OK;
    run->event_waits = false;
    run->n_events++;
    if (run->n_burst == 0 || island->t - run->burst_start > BURST_SPAN * scale_of_time(run, island)) {
        run->burst_start = island->t;
        run->n_burst = 0;
    }
    if (++run->n_burst > BURST_MAX)
        return fail_endless(run, island->t, run->event_relation,
                            "a small hysteresis, or a smooth function in its place, ends the chattering");
    if (!due_act(run, island->t)) return run->is_cancelled ? ORR_STATUS_CANCELLED : drive_fail(run);
    bool changed;
    if (!event_settle(run, island, &changed)) return ORR_STATUS_FAILED;
    run->values_valid = false;
    island->t_before = island->t;
    island->solver->restart(island);    // also puts a new grid where the island stands
    watch_look(run, island);    // what jumped may break a claim here already
    return ORR_STATUS_OK;
}
