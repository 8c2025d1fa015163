// src/run/message.c: what components and islands have to do with an instant: messages, jumps, perturbations.
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <string.h>

// What a message says is kept, and the bodies that wait for it run.
static bool deliver(orr_run *run, Island *island, uint32_t number, const double *values, size_t iteration,
                    bool *affects)
{
    const orr_model *model = run->model;
    const FlatPort *port = &model->flat.ports.items[number];
    *affects |= net_affects(run, number);
    for (uint32_t k = 0; port->first != FLAT_NONE && k < port->n_values; k++) {
        const uint32_t variable = port->first + k;
        double *v = &island->env.v[model->ir.layout.place[variable]];
        const double left = *v;
        *v = port->kind == FLAT_PORT_COUNT ? *v + 1 : values[k];
        if (!isfinite(*v)) {
            diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(model, run->diag, port->place),
                        model->flat.vars.items[variable].name, "not finite in a message", island->t);
            drive_fail(run);
            return false;
        }
        if (run->observe && !event_observe(run, island->t, "message", port->place,
                                     model->flat.vars.items[variable].name, left, *v, iteration))
            return false;
    }
    for (uint32_t k = model->network->first_on[number]; k < model->network->first_on[number + 1]; k++)
        if (!event_run(island, model->network->on[k], iteration, affects)) return false;
    return true;
}

// Islands have told their first values: conditions that hold with them have held before.
static bool hear_first(orr_run *run, Island *island, bool *affects)
{
    bool changed;
    if (!event_settle(island, 0, &changed)) return false;
    *affects |= changed;
    if (run->model->n_events == 0) return true;
    if (!event_conditions(island, island->t, island->x))
        return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
    memcpy(island->truth_before, island->conditions, run->model->n_events * sizeof *island->conditions);
    return true;
}

// Bag after bag, until nothing more happens at this instant.
static bool exchange(orr_run *run, Island *island, bool *affects, orr_status *status)
{
    *status = ORR_STATUS_OK;
    for (size_t round = 1; run->net; round++) {
        bool done;
        size_t n;
        *status = net_bag(run, island->t, &done, &n);
        if (*status == ORR_STATUS_FAILED) drive_fail(run);
        if (*status != ORR_STATUS_OK) return false;
        if (!done) break;
        const bool has_news = run->isles && isles_have_news(run, island, affects);
        if (n == 0 && !has_news) continue;
        if (n > 0 && net_goes_round(run, island->t, round)) return drive_fail(run), false;
        isles_compare(run, island, true);
        if (run->is_starting && has_news && !hear_first(run, island, affects)) return false;
        for (size_t i = 0; i < n; i++) {
            uint32_t port;
            const double *values = net_arrival(run, i, &port);
            if (!deliver(run, island, port, values, round, affects)) return false;
        }
        if (!event_iterate(island, false, affects)) return false;
        isles_compare(run, island, false);
    }
    return true;
}

// The same, until all have heard of what jumped.
static bool exchange_all(orr_run *run, Island *island, bool *affects, orr_status *status)
{
    do {
        if (!exchange(run, island, affects, status)) return false;
    } while (isles_spread(run, island));
    return true;
}

// `reinit` blocks hear of everything that has come, one after the other.
static bool reinit(orr_run *run, Island *island, bool *affects)
{
    const Flat *flat = &run->model->flat;
    bool ok = true;
    for (size_t i = 0; i < run->reinits.n && ok; i++) {
        const RunReinit *what = &run->reinits.items[i];
        const double told[FLAT_N_REINIT] = { [FLAT_REINIT_PERTURBED] = what->is_perturbation,
                                             [FLAT_REINIT_VARIABLE] = (double)what->variable,
                                             [FLAT_REINIT_VALUE] = what->value };
        for (int k = 0; k < FLAT_N_REINIT; k++)
            if (flat->reinit[k] != FLAT_NONE)
                island->env.v[run->model->ir.layout.place[flat->reinit[k]]] = told[k];
        for (uint32_t e = 0; e < run->model->n_events; e++)
            if (flat->events.items[e].kind == FLAT_REINIT) event_fire(island, e);
        ok = event_run_fired(island, 1, affects);
    }
    run->reinits.n = 0;
    return ok;
}

bool message_catch_up(Island *island, orr_status *status)
{
    *status = net_catch_up(island->host, island->t);
    if (*status == ORR_STATUS_FAILED) drive_fail(island->host);
    return *status == ORR_STATUS_OK;
}

bool message_enter(Island *island, bool *affects)
{
    orr_run *run = island->host;
    isles_compare(run, island, true);
    return run->reinits.n == 0 || reinit(run, island, affects);
}

bool message_exchange(Island *island, bool is_start, bool *affects, orr_status *status)
{
    orr_run *run = island->host;
    if (!is_start) {
        isles_compare(run, island, false);
        return exchange_all(run, island, affects, status);
    }
    if (!exchange(run, island, affects, status)) return false;
    if (run->isles) isles_forget(run);    // nothing has jumped: it begins so
    return true;
}

orr_status event_exchange(orr_run *run, Island *island)
{
    bool affects = false;
    orr_status status;
    const size_t n_bodies = island->n_bodies;
    slide_before(island);
    if (!exchange_all(run, island, &affects, &status)) {
        if (status != ORR_STATUS_OK) return status;
        return island->is_failed ? ORR_STATUS_FAILED : ORR_STATUS_CANCELLED;
    }
    if (island->terminated) return ORR_STATUS_TERMINATED;
    return affects || island->n_bodies > n_bodies ? event_end(island, affects) : ORR_STATUS_OK;
}
