// src/engine/domain.c: states stay where the equations can be evaluated, and where they are declared to be.
//
// A method that chooses its steps may end one where a rate has no value (the root of a state that is a little
// below zero), or below zero with a state that is declared positive. Such a step is made again, shorter, from
// where it began. What is declared positive is seen as 0 by the equations wherever a trial value is below,
// and becomes 0 if it is below by no more than its tolerance. If its rate leads it further down from there
// the declaration is false, and the run ends.
#include "engine/host.h"

enum { DOMAIN_TRIES = 40, DOMAIN_BLOCKED = 200 };
#define DOMAIN_NEAR 1e-6    // of the time passed

const double *domain_seen(Island *island, const double *x)
{
    const EngineTables *tables = island->tables;
    bool is_inside = true;
    for (uint32_t i = 0; i < tables->n_positive; i++) is_inside &= !(x[tables->positive[i]] < 0);
    if (is_inside) return x;
    memcpy(island->x_seen, x, tables->n_states * sizeof *x);
    for (uint32_t i = 0; i < tables->n_positive; i++)
        island->x_seen[tables->positive[i]] = fmax(x[tables->positive[i]], 0);
    return island->x_seen;
}

void domain_state_at(Island *island, double t, double *x)
{
    island->solver->state_at(island, t, x);
    const double *seen = domain_seen(island, x);
    if (seen != x) memcpy(x, seen, island->tables->n_states * sizeof *x);
}

// The first state that is declared positive and below 0 by more than its tolerance, or ENGINE_NONE.
static uint32_t domain_first_below(const Island *island)
{
    for (uint32_t i = 0; i < island->tables->n_positive; i++) {
        const uint32_t state = island->tables->positive[i];
        if (island->x[state] < -island->absolute[state]) return state;
    }
    return ENGINE_NONE;
}

bool domain_begins(Island *island)
{
    const uint32_t below = domain_first_below(island);
    if (below == ENGINE_NONE) return true;
    return engine_fail(island, ENGINE_NEGATIVE, below, island->x[below]), false;
}

// Do the equations have values where the step has ended? Explicit pairs have tried already.
static bool domain_exists(Island *island)
{
    if (!island->tables->has_domain || engine_is_pair(island)) return true;
    double *rates = island->x_event;
    if (island_rates_aside(island, island->t, island->x, rates) &&
        island_is_finite(rates, island->tables->n_states))
        return true;
    island_fault(island, FAULT_VALUE, 0, island->t, island->x);
    return false;
}

// What is below 0 by less than its tolerance becomes 0. False, reported: its rate leads it further down.
bool domain_clamp(Island *island)
{
    const EngineTables *tables = island->tables;
    const double left = island->options.t_end - island->t;
    double *rates = island->x_event;
    bool any = false;
    for (uint32_t i = 0; i < tables->n_positive; i++) any |= island->x[tables->positive[i]] < 0;
    if (!any) return true;
    const uint32_t below = domain_first_below(island);
    if (below != ENGINE_NONE) return engine_fail(island, ENGINE_NEGATIVE, below, island->x[below]), false;
    const bool is_known = island_rates_aside(island, island->t, island->x, rates);
    for (uint32_t i = 0; i < tables->n_positive; i++) {
        const uint32_t state = tables->positive[i];
        if (!(island->x[state] < 0)) continue;
        if (is_known && -rates[state] * (isfinite(left) ? left : 1) > island->absolute[state])
            return engine_fail(island, ENGINE_NEGATIVE, state, island->x[state]), false;
        island->x[state] = 0;
    }
    // pairs have their next slopes from where the states are now; others remember a path below 0
    if (!island->solver->fixed_step && !engine_is_pair(island)) island->jump_waits = true;
    return true;
}

// A step was taken back. Where a solution ends ever shorter steps are possible, and never the end of the run.
static bool domain_is_blocked(Island *island)
{
    const double passed = fabs(island->t) + island->t - island->t_begin;
    if (!(fabs(island->t - island->t_blocked) <= DOMAIN_NEAR * passed)) {
        island->n_blocked = 0;
        island->t_blocked = island->t;
    }
    return ++island->n_blocked > DOMAIN_BLOCKED;
}

bool domain_step(Island *island, double t_limit)
{
    const EngineTables *tables = island->tables;
    const bool is_kept = tables->has_domain || tables->n_positive;
    const double t = island->t;
    const size_t size = tables->n_states * sizeof *island->x;
    if (!domain_begins(island)) return false;
    if (is_kept) memcpy(island->x_before, island->x, size);
    for (int tries = 0;; tries++) {
        if (island->solver->step(island, t_limit) != STEP_OK) return engine_stop(island), false;
        const uint32_t below = is_kept ? domain_first_below(island) : ENGINE_NONE;
        const bool is_inside = below == ENGINE_NONE && (!is_kept || domain_exists(island));
        const bool is_known = look_for_event(island);
        // with an event inside the step it ends there
        if (is_known && island->event_waits) return true;
        if (is_known && is_inside) return domain_clamp(island);
        t_limit = t + (island->t - t) / 4;
        if (!is_kept || tries == DOMAIN_TRIES || !(t_limit > t) || domain_is_blocked(island)) {
            const bool is_below = is_known && below != ENGINE_NONE;
            engine_fail(island, is_below ? ENGINE_NEGATIVE : ENGINE_FAULT, is_below ? below : 0,
                        is_below ? island->x[below] : island->t);
            return false;
        }
        island->n_rejected++;
        memcpy(island->x, island->x_before, size);
        island->t = island->t_before = t;
        if (tables->n_guesses)
            memcpy(island->env.v + tables->first_guess, island->guesses_before,
                   tables->n_guesses * sizeof(double));
        look_forget(island);
        island->solver->restart(island);
    }
}
