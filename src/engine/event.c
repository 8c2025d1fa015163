// src/engine/event.c: what happens at an instant.
//
//     what is due: sources act, time events fire
//     ┌→ modes := truth of the relations, until they agree
//     │  conditions that became true fire; of a when … elsewhen chain the first one
//     └─ bodies run by priority, then in the order of the text; each sees what the ones before it did
//     until nothing fires; then the solver begins anew, if anything changed that it depends on
#include "engine/host.h"

enum {
    SETTLE_ALL = 20,          // rounds of modes that depend on one another, all that differ at once
    SETTLE_MAX = 1000,        // and then one by one
    ITERATIONS_MAX = 1000,    // of bodies that make others fire, at one instant
    BURST_MAX = 1000,         // events inside BURST_SPAN before we call it endless
    BURST_DOUBT = 500,        // … before changes that may be rounding are not believed any more
};
#define BURST_SPAN     1e-9     // of the scale of time
#define EVENT_ROUNDING 1e-11    // of a zero function, beside what it has been
#define EVENT_AHEAD    1e-6     // where it is seen what becomes of a condition, of the scale of time
#define LAST_DIGITS    4e-15    // … where it is not believed any more: real chattering is wider

// ---- Modes

uint32_t event_first_difference(const Island *island)
{
    const double *modes = island_modes(island);
    for (uint32_t i = 0; i < island->tables->n_relations; i++)
        if ((island->relations[2 * i + 1] != 0) != (modes[i] != 0)) return i;
    return 0;
}

// States without a derivative follow what jumped.
static bool settle_loops(Island *island)
{
    return !island->tables->has_implicit || island->services->settle_loops(island) ||
           (engine_stop(island), false);
}

// Where modes go round in circles, a zero function that is nothing but rounding says nothing about its mode:
// it stays what it is. Two diodes in series, without a current, would switch each other for ever.
static bool is_rounding(const Island *island, const double *relations, size_t k, double part)
{
    return fabs(relations[2 * k]) <= part * island->zero_scale[k];
}

bool event_differs(const Island *island, const double *relations, size_t k)
{
    if ((relations[2 * k + 1] != 0) == (island_modes(island)[k] != 0)) return false;
    if (!island->stays[k] && island->n_burst <= BURST_DOUBT) return true;
    return !is_rounding(island, relations, k, LAST_DIGITS);
}

void event_learn_scales(Island *island, const double *relations)
{
    for (size_t k = 0; k < island->tables->n_relations; k++) {
        const double size = fabs(relations[2 * k]);
        if (size > island->zero_scale[k] && isfinite(size)) island->zero_scale[k] = size;
    }
}

// Modes follow their relations, which may depend on modes. At first all at once; if that leads round and
// round, one by one, always the first that differs: where they switch as diodes do, that ends [Murty 1974].
// *changed: a mode that equations read.
bool event_settle(Island *island, size_t iteration, bool *changed)
{
    const EngineServices *services = island->services;
    double *modes = island_modes(island);
    const uint32_t n = island->tables->n_relations;
    *changed = false;
    if (!settle_loops(island)) return false;
    for (int round = 0; n > 0; round++) {
        if (!island_relations(island, island->t, island->x, island->relations))
            return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
        const uint32_t first = event_first_difference(island);
        bool again = false;
        for (uint32_t i = 0; i < n && !(again && round > SETTLE_ALL); i++) {
            const double truth = island->relations[2 * i + 1] != 0;
            if (!event_differs(island, island->relations, i)) continue;
            if (round > SETTLE_ALL && is_rounding(island, island->relations, i, EVENT_ROUNDING)) continue;
            modes[i] = truth;
            again = true;
            *changed |= island->tables->relations[i].in_equation;
            if (services->see_mode && iteration && !services->see_mode(island, i, truth != 0, iteration))
                return false;
        }
        if (round == 0) event_learn_scales(island, island->relations);
        if (!again) break;
        if (!settle_loops(island)) return false;
        if (round == SETTLE_MAX) return engine_fail(island, ENGINE_CONTRADICTION, first, island->t), false;
    }
    return true;
}

// ---- Conditions

bool event_conditions(Island *island, double t, const double *x)
{
    const int failed = engine_call(island, IR_CONDITIONS, t, x, island->conditions);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, t, x);
    return false;
}

// Does each condition depend on one of the differing relations only? Then it has no other values in between.
static bool are_apart(Island *island, size_t n)
{
    const EngineRelation *relations = island->tables->relations;
    bool apart = true;
    size_t marked = 0;
    for (; marked < n && apart; marked++) {
        const EngineRelation *relation = &relations[island->differing[marked]];
        apart = !relation->in_equation && relation->reader != ENGINE_MANY;
        if (!apart || relation->reader == ENGINE_NONE) continue;
        apart = !island->is_marked[relation->reader];
        island->is_marked[relation->reader] = true;
    }
    for (size_t i = 0; i < marked; i++) {
        const uint32_t reader = relations[island->differing[i]].reader;
        if (reader < island->tables->n_events) island->is_marked[reader] = false;
    }
    return apart;
}

// A condition is false: what waits for it and lapses does not happen.
static void event_drop(Island *island, uint32_t event)
{
    due_lapse(island, event);
    if (!island->is_fired[event]) return;
    island->is_fired[event] = island->is_asked[event] = false;
    uint32_t k = 0;
    while (island->fired[k] != event) k++;
    for (island->n_fired--; k < island->n_fired; k++) island->fired[k] = island->fired[k + 1];
}

static void event_drop_all(Island *island)
{
    for (uint32_t i = 0; i < island->tables->n_conditions && island->tables->has_asks; i++)
        if (island->tables->events[i].lapses && island->conditions[i] == 0) event_drop(island, i);
}

bool event_passes(Island *island, double t, const double *x, const double *relations)
{
    const uint32_t n_events = island->tables->n_conditions;
    double *modes = island_modes(island);
    size_t n = 0;
    for (uint32_t k = 0; k < island->tables->n_relations; k++)
        if (event_differs(island, relations, k)) island->differing[n++] = k;
    if (!are_apart(island, n)) return false;
    for (size_t i = 0; i < n; i++) modes[island->differing[i]] = 1 - modes[island->differing[i]];
    bool rises = n_events > 0 && !event_conditions(island, t, x);
    for (uint32_t i = 0; i < n_events && !rises; i++)
        rises = island->conditions[i] != 0 && island->truth_before[i] == 0;
    if (rises)
        for (size_t i = 0; i < n; i++) modes[island->differing[i]] = 1 - modes[island->differing[i]];
    else if (n_events) {
        memcpy(island->truth_before, island->conditions, n_events * sizeof *island->conditions);
        event_drop_all(island);
    }
    return !rises;
}

// Conditions that have become true since the last look fire; of a chain only the first.
static bool fire_conditions(Island *island, bool is_start)
{
    const EngineTables *tables = island->tables;
    if (tables->n_conditions == 0) return true;
    if (!event_conditions(island, island->t, island->x))
        return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
    event_drop_all(island);
    uint32_t chain = ENGINE_NONE;    // one of this chain has fired
    for (uint32_t i = 0; i < tables->n_conditions; i++) {
        const EngineEvent *event = &tables->events[i];
        const bool rises = island->conditions[i] != 0 && island->truth_before[i] == 0;
        island->truth_before[i] = island->conditions[i];
        if (!rises || (is_start && !event->at_start) || event->chain == chain) continue;
        chain = event->chain;
        if (!event->has_after) {
            event_fire(island, i);
        } else if (!due_delay(island, i, island->t)) {
            return engine_stop(island), false;
        }
    }
    return true;
}

void event_fire(Island *island, uint32_t event)
{
    if (island->is_fired[event]) return;
    island->is_fired[event] = true;
    island->fired[island->n_fired++] = event;
}

// ---- Bodies

static double value_now(const Island *island, const EngineAction *action)
{
    return action->state != ENGINE_NONE ? island->x[action->state] : island->env.v[action->place];
}

static bool event_body(Island *island, uint32_t number, size_t iteration)
{
    const EngineServices *services = island->services;
    const EngineEvent *event = &island->tables->events[number];
    const EngineAction *actions = island->tables->actions + event->first_action;
    const uint32_t n = event->n_actions;
    if (services->before_body) services->before_body(island, number);
    for (uint32_t k = 0; k < n; k++) island->left[k] = value_now(island, &actions[k]);
    island->env.event = number;
    const int failed = engine_call(island, IR_EVENT, island->t, island->x, island->x);
    if (failed) {
        island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, island->t, island->x);
        return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const double value = value_now(island, &actions[k]);
        if (!isfinite(value) && !(isinf(value) && actions[k].may_be_infinite))
            return engine_fail(island, ENGINE_BODY_VALUE, event->first_action + k, value), false;
    }
    if (services->see_body && !services->see_body(island, number, iteration)) return false;
    if (event->relation != ENGINE_NONE)    // if it is on the edge now
        island->stays[event->relation] = island_modes(island)[event->relation] != 0;
    for (uint32_t k = 0; k < n; k++)
        if (actions[k].ends && !island->terminated && value_now(island, &actions[k]) != 0)
            island->terminated = actions[k].ends;
    if (services->after_body && !services->after_body(island, number)) return false;
    if (!due_again(island, number)) return engine_stop(island), false;
    return contact_fired(island, number);
}

bool event_run_ask(Island *island, uint32_t number)
{
    island->env.event = number;
    const int failed = engine_call(island, IR_EVENT, island->t, island->x, island->x);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, island->t, island->x);
    return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
}

bool event_ask(Island *island, uint32_t event)
{
    const uint32_t asks = island->tables->events[event].asks;
    return asks == ENGINE_NONE || event_run_ask(island, asks);
}

// Let the event at `root` of a heap by rank sink to where it belongs.
static void sink_fired(const EngineEvent *events, uint32_t *heap, uint32_t root, uint32_t n)
{
    const uint32_t event = heap[root];
    for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && events[heap[child]].rank < events[heap[child + 1]].rank) child++;
        if (events[event].rank >= events[heap[child]].rank) break;
        heap[root] = heap[child];
    }
    heap[root] = event;
}

// By rank; no two events have the same. Nearly always one or two, but thousands of cells may share an
// instant.
static void sort_fired(Island *island)
{
    const EngineEvent *events = island->tables->events;
    uint32_t *fired = island->fired;
    const uint32_t n = island->n_fired;
    uint32_t in_order = 1;
    while (in_order < n && events[fired[in_order - 1]].rank <= events[fired[in_order]].rank) in_order++;
    if (in_order >= n) return;
    for (uint32_t i = n / 2; i-- > 0;) sink_fired(events, fired, i, n);
    for (uint32_t last = n - 1; last > 0; last--) {
        const uint32_t event = fired[last];
        fired[last] = fired[0];
        fired[0] = event;
        sink_fired(events, fired, 0, last);
    }
}

// The events whose bodies ran last, each once, the latest first.
static void event_remember(Island *island, uint32_t event)
{
    uint32_t k = 0;
    while (k < island->n_recent && island->recent[k] != event) k++;
    if (k == island->n_recent && island->n_recent < EVENT_RECENT) island->n_recent++;
    if (k == EVENT_RECENT) k--;
    for (; k > 0; k--) island->recent[k] = island->recent[k - 1];
    island->recent[0] = event;
}

bool event_run(Island *island, uint32_t event, size_t iteration, bool *affects)
{
    *affects |= island->tables->events[event].affects;
    if (!event_body(island, event, iteration)) return false;
    island->n_bodies++;
    event_remember(island, event);
    return true;
}

// Which body is next: by priority, then luck, then the order of the text.
static bool pick_fired(Island *island, uint32_t *picked)
{
    const EngineTables *tables = island->tables;
    double most = 0, least = 0;    // priority and luck of the one that is first so far
    for (uint32_t i = 0; i < island->n_fired; i++) {
        const EngineEvent *event = &tables->events[island->fired[i]];
        const uint32_t action = event->order == ENGINE_NONE ? 0 : tables->events[event->order].first_action;
        if (event->order != ENGINE_NONE && !event_run_ask(island, event->order)) return false;
        const double priority = event->order == ENGINE_NONE ? event->priority
                                                            : island->env.v[tables->actions[action].place];
        const double luck = event->luck == ENGINE_NONE ? -1 : island->env.v[event->luck];
        if (isnan(priority)) return engine_fail(island, ENGINE_BODY_VALUE, action, priority), false;
        const bool is_equal = priority == most && luck == least;
        if (i > 0 && !(priority > most || (priority == most && luck < least) ||
                       (is_equal && event->rank < tables->events[island->fired[*picked]].rank)))
            continue;
        *picked = i;
        most = priority;
        least = luck;
    }
    return true;
}

static bool fired_lapse(const Island *island)
{
    for (uint32_t i = 0; i < island->n_fired; i++)
        if (island->tables->events[island->fired[i]].lapses) return true;
    return false;
}

// The same one by one, where what fires and in which order may change on the way.
static bool run_one_by_one(Island *island, size_t iteration, bool *affects)
{
    const EngineTables *tables = island->tables;
    const size_t limit = island->n_bodies + ITERATIONS_MAX * (size_t)tables->n_events;
    while (island->n_fired) {
        for (uint32_t i = 0; i < island->n_fired; i++) {
            const uint32_t event = island->fired[i];
            if (!island->is_asked[event] && !event_ask(island, event)) return false;
            island->is_asked[event] = true;
        }
        uint32_t k = 0;
        if (!pick_fired(island, &k)) return false;
        const uint32_t event = island->fired[k];
        island->fired[k] = island->fired[--island->n_fired];
        island->is_fired[event] = island->is_asked[event] = false;
        if (!event_run(island, event, iteration, affects)) return false;
        if (!tables->events[event].settles && !fired_lapse(island)) continue;
        bool changed;
        if (!event_settle(island, iteration, &changed) || !fire_conditions(island, false)) return false;
        *affects |= changed;
        if (island->n_bodies > limit)
            return engine_fail(island, ENGINE_CYCLE, ITERATIONS_MAX, island->t), false;
    }
    return true;
}

bool event_run_fired(Island *island, size_t iteration, bool *affects)
{
    if (island->tables->has_asks) return run_one_by_one(island, iteration, affects);
    sort_fired(island);
    for (uint32_t i = 0; i < island->n_fired; i++) {
        if (!event_run(island, island->fired[i], iteration, affects)) return false;
        island->is_fired[island->fired[i]] = false;
    }
    island->n_fired = 0;
    return true;
}

// What `pre` means from here on.
static bool keep_past(Island *island)
{
    if (!island->tables->has_pre) return true;
    const int failed = engine_call(island, IR_PRES, island->t, island->x, NULL);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, island->t, island->x);
    return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
}

// A body may put its state to where its own condition changes: `when a > b then a := b end`. If the solution
// goes on from there to where the condition is true, it has never been false: the event does not fire again
// and again. If not, it is as false as it seems.
static bool stay_or_not(Island *island, bool *again)
{
    const EngineTables *tables = island->tables;
    const double h = EVENT_AHEAD * surface_scale(island);
    *again = false;
    for (uint32_t i = 0; i < tables->n_conditions; i++) {
        const uint32_t k = tables->events[i].relation;
        if (k == ENGINE_NONE || !island->stays[k]) continue;
        const bool is_edge = island->relations[2 * k + 1] == 0 && island_modes(island)[k] != 0;
        if (!is_edge || !is_rounding(island, island->relations, k, LAST_DIGITS)) {
            island->stays[k] = false;
            continue;
        }
        if (!island_rates_aside(island, island->t, island->x, island->x_event))
            return engine_fail(island, ENGINE_FAULT, 0, island->t), false;
        for (uint32_t s = 0; s < tables->n_states; s++)
            island->x_trial[s] = island->x[s] + h * island->x_event[s];
        const bool known = island_relations(island, island->t + h, island->x_trial, island->relations_here);
        island->stays[k] = known && island->relations_here[2 * k + 1] != 0;
        *again |= !island->stays[k];
        if (!island->stays[k] || island->has_stayed[i]) continue;
        island->has_stayed[i] = true;
        island->services->report(island, ENGINE_STAYS, i, island->t);
    }
    return true;
}

bool event_iterate(Island *island, bool is_start, bool *affects)
{
    const EngineTables *tables = island->tables;
    for (size_t iteration = 1;; iteration++) {
        bool changed;
        if (!event_settle(island, iteration, &changed)) return false;
        *affects |= changed;
        if (!fire_conditions(island, is_start && iteration == 1)) return false;
        if (is_start && tables->initial_flag != ENGINE_NONE) island->env.v[tables->initial_flag] = 0;
        bool changes = false;
        if (island->n_fired == 0 && tables->n_relations && !stay_or_not(island, &changes)) return false;
        if (island->n_fired == 0 && !changes && island->n_contacts) {
            bool turned = false;
            // an impact that left a motion into a surface is followed by another
            const bool again = contact_fire(island);
            if (again && !keep_past(island)) return false;
            if (!again && !contact_settle(island, &turned)) return false;
            *affects |= turned;
            if (!again && !turned) break;
        } else if (island->n_fired == 0 && !changes) {
            break;
        }
        if (iteration > ITERATIONS_MAX)
            return engine_fail(island, ENGINE_CYCLE, ITERATIONS_MAX, island->t), false;
        if (!event_run_fired(island, iteration, affects)) return false;
    }
    // the beginning of the next step
    const size_t n = tables->n_relations;
    look_forget(island);
    if (n) memcpy(island->samples[0], island->relations, 2 * n * sizeof *island->relations);
    island->t_sample = island->t;
    return true;
}

// ---- An instant

static orr_status failed_or(const Island *island, orr_status status)
{
    if (status != ORR_STATUS_OK) return status;
    return island->is_failed ? ORR_STATUS_FAILED : ORR_STATUS_CANCELLED;
}

orr_status event_end(Island *island, bool affects)
{
    if (!slide_after_event(island)) slide_exit(island);
    island->values_valid = false;
    if (affects) history_jumped(island);
    if (affects || island->event_is_located) {
        island->t_before = island->t;
        if (!island->services->restart(island)) return engine_stop(island);    // also puts a new grid here
    }
    island->event_is_located = false;
    if (island->services->watch) island->services->watch(island);    // what jumped may break a claim already
    return ORR_STATUS_OK;
}

// Relations that change again and again, with almost no time between. What is scheduled or comes from others
// may do so: it ends by itself, or somebody else counts it.
static bool is_endless(Island *island)
{
    if (island->n_burst == 0 || island->t - island->burst_start > BURST_SPAN * surface_scale(island)) {
        island->burst_start = island->t;
        island->n_burst = 0;
    }
    return ++island->n_burst > BURST_MAX;
}

orr_status event_handle(Island *island)
{
    const EngineServices *services = island->services;
    if (!island->event_waits) return ORR_STATUS_OK;
    island->event_waits = false;
    island->n_handled++;
    const bool is_change = island->event_is_change;
    island->event_is_change = false;
    if (is_change && is_endless(island))
        return engine_fail(island, ENGINE_BURST, island->event_relation, island->t);
    bool acted, affects = false;
    const size_t n_bodies = island->n_bodies;
    const bool ended = island->surface.ends;
    orr_status status = ORR_STATUS_OK;
    slide_before(island);
    contact_begin(island);
    if (ended) slide_exit(island);
    if (island->has_network && !services->catch_up(island, &status)) return failed_or(island, status);
    if (!keep_past(island)) return ORR_STATUS_FAILED;
    if (services->enter && !services->enter(island, &affects)) return failed_or(island, status);
    if (!due_act(island, island->t, &acted))
        return island->is_cancelled ? ORR_STATUS_CANCELLED : engine_stop(island);
    affects |= acted || ended;
    if ((acted || services->enter) && !due_renew(island, false)) return engine_stop(island);
    if (!event_iterate(island, false, &affects)) return failed_or(island, status);
    if (island->has_network && !services->exchange(island, false, &affects, &status))
        return failed_or(island, status);
    if (island->has_network && !due_renew(island, false)) return engine_stop(island);
    if (affects && !acted && !ended && island->n_bodies == n_bodies) slide_enter(island);
    return event_end(island, affects);
}

orr_status event_start(Island *island)
{
    const EngineTables *tables = island->tables;
    const EngineServices *services = island->services;
    orr_status status = ORR_STATUS_OK;
    island->n_fired = island->n_recent = 0;
    island->terminated = NULL;
    if (tables->n_relations) {
        memset(island->stays, 0, tables->n_relations * sizeof *island->stays);
        memset(island->has_stayed, 0, tables->n_events * sizeof *island->has_stayed);
    }
    look_forget(island);
    history_jumped(island);
    surface_start(island);
    if (tables->n_events == 0 && !island->has_network) return ORR_STATUS_OK;
    if (tables->n_events) memset(island->is_fired, 0, tables->n_events * sizeof *island->is_fired);
    if (tables->n_events) memset(island->is_asked, 0, tables->n_events * sizeof *island->is_asked);
    bool acted, affects = false;
    const size_t n_bodies = island->n_bodies;
    if (!keep_past(island)) return ORR_STATUS_FAILED;
    if (tables->n_events && !event_conditions(island, island->t, island->x))
        return engine_fail(island, ENGINE_FAULT, 0, island->t);
    for (uint32_t i = 0; i < tables->n_events; i++)
        island->truth_before[i] = tables->events[i].at_start ? 0 : island->conditions[i];
    if (services->conditions) services->conditions(island);
    if (tables->initial_flag != ENGINE_NONE) island->env.v[tables->initial_flag] = 1;
    if (!due_renew(island, true) || !due_act(island, island->t, &acted)) return engine_stop(island);
    if (!event_iterate(island, true, &affects)) return failed_or(island, status);
    contact_lie(island);
    bool rests = false;
    if (island->n_contacts && !contact_settle(island, &rests)) return failed_or(island, status);
    island->n_handled += acted || island->n_bodies > n_bodies;    // at the start, too, it is an event
    if (island->has_network && !services->exchange(island, true, &affects, &status))
        return failed_or(island, status);
    // a solver of quantised states has computed its rates already
    if (((island->solver->advance && (acted || affects)) || rests) && !services->restart(island))
        return engine_stop(island);
    island->values_valid = false;
    return ORR_STATUS_OK;
}
