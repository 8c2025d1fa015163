// src/engine/drive.c: steps, events and checks: what happens between two times the user asks for.
//
// Fixed-step methods run in chunks of generated code as long as nothing happens. A chunk that ends in a NaN
// is taken back and repeated step by step, so the failure is reported where it began. A step across which a
// relation changes is made again, shorter, to the very first point at which it has changed; for other methods
// that point is found on the dense output (see look.c). The island then stands at the event, which is
// handled (modes, grid, solver) when the user arrives there or the next step is made: until then what was
// recorded before it still sees the old modes.
#include "engine/host.h"
#include "num/instant.h"

#define STEPS_MAX  4e15         // grid points that are told apart

// fmin and fmax are calls, and these stand between any two rows that are recorded; there are no NaNs here.
static inline double drive_min(double a, double b) { return a < b ? a : b; }
static inline double drive_max(double a, double b) { return a > b ? a : b; }

double drive_grid(const Island *island, long k) { return island->t_start + (double)k * island->step; }

// How near a grid point a time means it, in steps: rounding of a large quotient is more than the fixed slack.
static double grid_slack(double steps) { return drive_max(SOLVER_GRID_SLACK, 4e-16 * fabs(steps)); }

double drive_grid_floor(const Island *island, double t)
{
    const double steps = (t - island->t_start) / island->step;
    return drive_min(floor(steps + grid_slack(steps)), STEPS_MAX);
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

// ---- Arriving at the end of a step

orr_status drive_arrive(Island *island)
{
    const EngineServices *services = island->services;
    // what failed further ahead may still be the reason why steps get shorter and shorter
    if (island->t > island->fault.t) island->fault.kind = FAULT_NONE;
    if (island->on_step && !island->solver->advance) island->on_step(island->step_context, island);
    if (!history_push(island)) {
        island_fault(island, FAULT_VALUE, 0, island->t, island->x);
        return engine_fail(island, ENGINE_FAULT, 0, island->t);
    }
    if (!history_lags(island, true)) return engine_stop(island);
    if (services->choose) services->choose(island, false);
    if (island->n_contacts && !island->event_waits) {
        contact_leave(island, false);
        // where a solver goes through events by itself nobody has looked
        if (island->solver->advance && contact_turns(island, island->t, island->x))
            island->event_waits = true;
    }
    if (services->watch) services->watch(island);
    return ORR_STATUS_OK;
}

static orr_status drive_beat(Island *island, size_t n_steps)
{
    if (!island->services->pulse) return ORR_STATUS_OK;
    return island->services->pulse(island, island->t, n_steps);
}

// ---- Steps

// One step by hand, with all checks.
static orr_status careful_step(Island *island, double t_limit)
{
    const size_t n = island->tables->n_states;
    const double t = island->t;
    if (!domain_begins(island)) return ORR_STATUS_FAILED;
    memcpy(island->x_before, island->x, n * sizeof *island->x);
    island->k_before = island->k;
    bool ok = island->solver->step(island, t_limit) == STEP_OK;
    if (ok && !island_is_finite(island->x, n)) {
        island_fault(island, FAULT_VALUE, 0, island->t, island->x);
        ok = false;
    }
    if (ok) ok = look_for_event(island);
    if (ok && island->tables->n_positive && !domain_clamp(island)) return ORR_STATUS_FAILED;
    if (!ok) {
        // the run stays readable at the last good time
        memcpy(island->x, island->x_before, n * sizeof *island->x);
        island->t = island->t_before = t;
        island->k = island->k_before;
        return engine_fail(island, ENGINE_FAULT, 0, island->t);
    }
    return drive_arrive(island);
}

// Steps that can be made at once in generated code: to the last grid point not after t_want or, if that is
// reached, one more.
static long whole_steps(const Island *island, double t_want, double t_limit)
{
    if (island->t != drive_grid(island, island->k)) return 0;
    const double k = (double)island->k;
    const double wanted = drive_max(1, drive_grid_floor(island, t_want) - k);
    // mostly the limit is far away, and its place on the grid does not matter
    if (t_limit > island->t_start + (k + wanted + 1) * island->step) return (long)wanted;
    return (long)drive_min(wanted, drive_grid_floor(island, t_limit) - k);
}

static orr_status fixed_steps(Island *island, double t_want, double t_limit, long n_max)
{
    const bool is_careful = island->surface.is_on || island->n_contacts || island->tables->n_positive;
    long n = is_careful ? 0 : whole_steps(island, t_want, t_limit);
    if (n > island->chunk) n = island->chunk;
    if (n > n_max) n = n_max;
    if (n <= 0) return careful_step(island, t_limit);

    const size_t n_states = island->tables->n_states, n_guesses = island->tables->n_guesses;
    const long k = island->k;
    const double t = island->t;
    const size_t n_steps = island->n_steps, n_rates = island->n_rates;
    double *guesses = island->env.v + island->tables->first_guess;
    memcpy(island->x_before, island->x, n_states * sizeof *island->x);
    if (n_guesses) memcpy(island->guesses_before, guesses, n_guesses * sizeof *guesses);

    long done;
    island->solver->steps(island, n, &done);
    if (island_is_finite(island->x, n_states)) {
        if (done == 0) return careful_step(island, t_limit);
        // only after a single step is the state at its beginning known
        if (done > 1) island->t_before = island->t;
        island->k_before = k;
        if (!look_for_event(island)) return engine_fail(island, ENGINE_FAULT, 0, island->t);
        const orr_status status = drive_beat(island, (size_t)done);
        return status == ORR_STATUS_OK ? drive_arrive(island) : status;
    }

    // take the chunk back and look closely
    memcpy(island->x, island->x_before, n_states * sizeof *island->x);
    if (n_guesses) memcpy(guesses, island->guesses_before, n_guesses * sizeof *guesses);
    island->k = k;
    island->t = island->t_before = t;
    island->n_steps = n_steps;
    island->n_rates = n_rates;
    orr_status status = ORR_STATUS_OK;
    for (long i = 0; i < n && status == ORR_STATUS_OK && !island->event_waits; i++)
        status = careful_step(island, t_limit);
    return status;
}

// t_break: where rates may jump, which is not beyond the limit; or INFINITY.
static orr_status free_step(Island *island, double t_limit, double t_break)
{
    const size_t n_guesses = island->tables->n_guesses;
    island->has_guesses_before = n_guesses > 0;
    if (n_guesses)
        memcpy(island->guesses_before, island->env.v + island->tables->first_guess,
               n_guesses * sizeof *island->guesses_before);
    if (island->jump_waits) island->solver->restart(island);
    island->jump_waits = false;
    if (!domain_step(island, t_limit)) return ORR_STATUS_FAILED;
    island->jump_waits |= island->t == t_break;
    const orr_status status = drive_beat(island, 1);
    return status == ORR_STATUS_OK ? drive_arrive(island) : status;
}

// Solvers that go through events by themselves.
static orr_status quantised_steps(Island *island, double t_want, long n_max)
{
    const size_t n_steps = island->n_steps;
    if (island->is_seen || island->n_contacts) n_max = 1;
    const StepResult result = island->solver->advance(island, t_want, n_max);
    if (result == STEP_FAILED) return island->is_cancelled ? ORR_STATUS_CANCELLED : engine_stop(island);
    if (result == STEP_RELATION) {
        if (!island_relations(island, island->t, island->x, island->relations))
            return engine_fail(island, ENGINE_FAULT, 0, island->t);
        island->event_waits = true;
        island->event_relation = event_first_difference(island);
        island->event_is_change = true;
    }
    const orr_status status = drive_beat(island, 1 + (island->n_steps - n_steps) / island->tables->n_states);
    return status == ORR_STATUS_OK ? drive_arrive(island) : status;
}

// When something happens at the latest that is known: events, sources, messages.
static double next_instant(const Island *island)
{
    const double due = due_next(island);
    return island->has_network ? instant_of(due, island->services->next_message(island)) : due;
}

orr_status drive(Island *island, double t_want, double t_limit, long n_max)
{
    const EngineServices *services = island->services;
    orr_status status;
    if (services->is_cancelled && services->is_cancelled(island)) return ORR_STATUS_CANCELLED;
    if (island->choice_waits) services->choose(island, true);
    if (next_instant(island) <= island->t) island->event_waits = true;
    if (island->event_waits) {
        status = event_handle(island);
        if (status != ORR_STATUS_OK) return status;
        if (island->terminated) return ORR_STATUS_TERMINATED;
    }
    if (island->has_network && services->tell) {
        status = services->tell(island);
        if (status != ORR_STATUS_OK) return status;
    }
    if (island->has_kinks) {
        const double kink = services->kink(island);
        if (kink < INFINITY && drive_has_reached(island, kink)) {
            status = services->pass_kink(island, island->t);
            if (status != ORR_STATUS_OK) return status;
            look_forget_clocks(island);
            // rates are polynomials there: they bend
            if (island->solver->advance) island->solver->restart(island);
        }
        t_limit = drive_min(services->kink(island), t_limit);
    }
    const double t_due = next_instant(island);
    if (t_due < t_limit) t_limit = t_due;
    bool is_jump = false;
    const double t_break = island->tables->n_delays ? history_break(island, &is_jump) : (double)INFINITY;
    if (t_break < t_limit) t_limit = t_break;
    if (island->solver->advance) status = quantised_steps(island, drive_min(t_want, t_limit), n_max);
    else if (island->solver->fixed_step) status = fixed_steps(island, t_want, t_limit, n_max);
    else status = free_step(island, t_limit, is_jump ? t_break : (double)INFINITY);
    // on a grid a point this near is meant; the event is where it was scheduled
    const bool is_due = t_due < INFINITY && drive_has_reached(island, t_due);
    if (status == ORR_STATUS_OK && !island->event_waits && is_due) {
        island->t = t_due;
        island->event_waits = true;
    }
    return status;
}

orr_status drive_events_at(Island *island, double t)
{
    orr_status status = island->event_waits ? event_handle(island) : ORR_STATUS_OK;
    // what is due here, too: the event was a little before, so that on a grid both are one point
    while (status == ORR_STATUS_OK && !island->terminated && due_next(island) <= t) {
        island->t = drive_max(island->t, due_next(island));
        island->event_waits = true;
        status = event_handle(island);
    }
    return status;
}
