// src/engine/due.c: events whose time is known beforehand: one calendar for all of them.
//
// Its things are numbers, so that it can lie in the state block: the time events of the model, places for
// delayed firings, then the sources of the run. The times of `every` are from + k·period, never summed. Times
// that differ only as such products are rounded are one instant, and one that is so near to the end is the
// end.
#include "engine/host.h"
#include "num/instant.h"

static void set_due(Island *island, uint32_t thing, double t)
{
    calendar_set(&island->calendar, thing, instant_or_end(t, island->options.t_end));
}

// Of those at `place` of the heap and below it that are due until `limit`, the latest time.
static double latest_until(const Calendar *c, uint32_t place, double limit)
{
    double latest = c->entries[place].t;
    const uint32_t child = 4 * place - 8, end = CALENDAR_ROOT + *c->n;
    for (uint32_t i = child; i < child + 4 && i < end; i++) {
        if (c->entries[i].t > limit) continue;
        const double below = latest_until(c, i, limit);
        if (below > latest) latest = below;
    }
    return latest;
}

double due_next(const Island *island)
{
    const Calendar *c = &island->calendar;
    const double first = calendar_first(c);
    return *c->n < 2 ? first : latest_until(c, CALENDAR_ROOT, instant_reach(first));
}

static bool is_wrong(Island *island, EngineNews news, uint32_t event, double value)
{
    island->services->report(island, news, event, value);
    return false;
}

static double due_time(Island *island, uint32_t event, EngineTime which)
{
    return island->services->time_of(island, event, which);
}

// A time that is drawn: the draws are counted.
static double drawn_time(Island *island, uint32_t event, EngineTime which)
{
    const double value = due_time(island, event, which);
    island->env.v[island->tables->events[event].counter] += island->tables->events[event].n_draws;
    return value;
}

static double first_time(Island *island, uint32_t event, double period)
{
    return island->tables->events[event].has_from ? due_time(island, event, ENGINE_FROM)
                                                  : island->t_begin + period;
}

// ---- Events at random
//
// One happens where the integral of its rate since the last one reaches a number that was drawn: its clock
// has that number and runs down. The rate is a number that only events change. So the instant is known, and
// what changes a rate moves it: only the events whose rates read what a body has assigned are looked at.
// [Gibson & Bruck 2000; Anderson 2007]

typedef struct DueClock { double left, rate, since; } DueClock;    // in v

static DueClock *clock_of(const Island *island, uint32_t event)
{
    return (DueClock *)(void *)(island->env.v + island->tables->events[event].clock);
}

static bool due_renew_one(Island *island, uint32_t event)
{
    DueClock *clock = clock_of(island, event);
    const double t = island->t, left = clock->left - clock->rate * (t - clock->since);
    clock->left = left > 0 ? left : 0;
    clock->since = t;
    if (!event_run_ask(island, event + 1)) return false;
    if (!(clock->rate >= 0 && clock->rate < INFINITY))
        return is_wrong(island, ENGINE_BAD_RATE, event, clock->rate);
    if (clock->rate > 0) set_due(island, event, t + clock->left / clock->rate);
    else calendar_set(&island->calendar, event, INFINITY);
    return true;
}

bool due_renew(Island *island, bool all)
{
    const EngineTables *tables = island->tables;
    bool ok = true;
    for (uint32_t i = tables->first_open; i < tables->n_readers && !all && ok; i++)
        ok = due_renew_one(island, tables->readers[i]);
    for (uint32_t i = tables->n_conditions; i < tables->n_events && all && ok; i++)
        if (tables->events[i].kind == ENGINE_RATE) ok = due_renew_one(island, i);
    return ok;
}

// It happens: the clock stands still until the body has wound it. One at an instant, since it may have
// changed how often the others happen.
static void act_at_random(Island *island, uint32_t event, double t)
{
    DueClock *clock = clock_of(island, event);
    const bool is_alone = island->n_fired == 0;
    calendar_set(&island->calendar, event, is_alone ? INFINITY : nextafter(t, INFINITY));
    if (!is_alone) return;
    clock->rate = 0;
    clock->since = t;
    event_fire(island, event);
}

static bool schedule_event(Island *island, uint32_t i)
{
    const EngineEvent *event = &island->tables->events[i];
    const double start = island->t_begin;
    if (event->kind == ENGINE_AT) {
        const double at = due_time(island, i, ENGINE_TIME);
        if (isnan(at)) return is_wrong(island, ENGINE_BAD_TIME, i, at);
        if (at >= start) set_due(island, i, at);
    } else if (event->kind == ENGINE_EVERY && event->n_draws) {
        const double first = event->has_from ? due_time(island, i, ENGINE_FROM)
                                             : start + drawn_time(island, i, ENGINE_TIME);
        if (!(first >= start)) return is_wrong(island, ENGINE_BAD_TIME, i, first);
        set_due(island, i, first);
    } else if (event->kind == ENGINE_EVERY) {
        const double period = due_time(island, i, ENGINE_TIME), first = first_time(island, i, period);
        if (!(period > 0) || isinf(period)) return is_wrong(island, ENGINE_BAD_TIME, i, period);
        if (!isfinite(first)) return is_wrong(island, ENGINE_BAD_FROM, i, first);
        // the first that is not over
        double k = first >= start ? 0 : ceil((start - first) / period);
        while (k > 0 && first + (k - 1) * period >= start) k--;
        while (first + k * period < start) k++;
        island->every_k[i] = k;
        set_due(island, i, first + k * period);
    }
    return true;
}

bool due_start(Island *island)
{
    bool ok = true;
    island->calendar = calendar_init(island->due_memory, island->n_due_max);
    for (uint32_t i = 0; i < island->n_pending; i++) island->pending[i] = 0;
    for (uint32_t i = 0; i < island->tables->n_events; i++) ok = schedule_event(island, i) && ok;
    return ok;
}

// What the ASK of an event has computed, to or from where it is kept with firing number i.
static void keep_asked(Island *island, uint32_t event, uint32_t i, bool is_back)
{
    const EngineTables *tables = island->tables;
    const uint32_t asks = tables->events[event].asks;
    if (asks == ENGINE_NONE) return;
    const EngineAction *actions = tables->actions + tables->events[asks].first_action;
    double *kept = island->asked + (size_t)i * tables->n_asked;
    for (uint32_t k = 0; k < tables->events[asks].n_actions; k++) {
        double *v = island->env.v + actions[k].place;
        if (!actions[k].is_kept) continue;
        if (is_back) *v = *kept++;
        else *kept++ = *v;
    }
}

void due_lapse(Island *island, uint32_t event)
{
    for (uint32_t i = 0; i < island->n_pending; i++) {
        if (island->pending[i] != (double)event + 1) continue;
        island->pending[i] = 0;
        calendar_set(&island->calendar, island->tables->n_events + i, INFINITY);
    }
}

bool due_delay(Island *island, uint32_t event, double t)
{
    if (!event_ask(island, event)) return false;
    const double delay = island->tables->events[event].n_draws ? drawn_time(island, event, ENGINE_AFTER)
                                                               : due_time(island, event, ENGINE_AFTER);
    if (!(delay >= 0)) return is_wrong(island, ENGINE_BAD_AFTER, event, delay);
    for (uint32_t i = 0; i < island->n_pending; i++) {
        if (island->pending[i] != 0) continue;
        island->pending[i] = (double)event + 1;
        keep_asked(island, event, i, false);
        set_due(island, island->tables->n_events + i, t + delay);
        return true;
    }
    return is_wrong(island, ENGINE_TOO_MANY_WAIT, event, t);
}

// A period that is drawn reads what the body has made of the model; so do rates.
bool due_again(Island *island, uint32_t i)
{
    const EngineEvent *event = &island->tables->events[i];
    for (uint32_t k = 0; k < event->n_readers; k++)
        if (!due_renew_one(island, island->tables->readers[event->first_reader + k])) return false;
    if (event->kind != ENGINE_EVERY || !event->n_draws) return true;
    const double period = drawn_time(island, i, ENGINE_TIME), next = island->t + period;
    if (!(period >= 0)) return is_wrong(island, ENGINE_BAD_TIME, i, period);
    calendar_set(&island->calendar, i, next > island->t ? next : nextafter(island->t, INFINITY));
    return true;
}

static void act_event(Island *island, uint32_t i, double t)
{
    const EngineEvent *event = &island->tables->events[i];
    if (event->kind == ENGINE_RATE) {
        act_at_random(island, i, t);
        return;
    }
    event_fire(island, i);
    double next = INFINITY;
    if (event->kind == ENGINE_EVERY && !event->n_draws) {    // else due_again says when
        const double period = due_time(island, i, ENGINE_TIME);
        next = first_time(island, i, period) + ++island->every_k[i] * period;
        if (next <= t) next = nextafter(t, INFINITY);    // a period too short for the clock
    }
    if (instant_or_end(next, island->options.t_end) > t) set_due(island, i, next);
    else calendar_set(&island->calendar, i, next);       // the end has come
}

static void act_delayed(Island *island, uint32_t i, double t)
{
    const uint32_t thing = island->tables->n_events + i, event = (uint32_t)island->pending[i] - 1;
    if (island->is_fired[event]) {    // two firings of one event are two bodies
        calendar_set(&island->calendar, thing, nextafter(t, INFINITY));
        return;
    }
    keep_asked(island, event, i, true);
    event_fire(island, event);
    island->is_asked[event] = true;
    island->pending[i] = 0;
    calendar_set(&island->calendar, thing, INFINITY);
}

bool due_act(Island *island, double t, bool *acted)
{
    const uint32_t n_events = island->tables->n_events;
    *acted = false;
    while (due_next(island) <= t) {
        const uint32_t n = calendar_due(&island->calendar, t, island->due);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t i = island->due[k];
            if (i < n_events) {
                act_event(island, i, t);
            } else if (i < island->first_source) {
                act_delayed(island, i - n_events, t);
            } else {
                double next = INFINITY;
                *acted = true;
                if (!island->services->act(island, i - island->first_source, t, &next)) return false;
                calendar_set(&island->calendar, i, next);
            }
        }
    }
    return true;
}
