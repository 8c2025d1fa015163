// src/run/due.c: events whose time is known beforehand: one calendar for all of them.
//
// Its things are numbers, so that it can lie in the state block: the time events of the model, places for
// delayed firings, then the sources of the run. The times of `every` are from + k·period, never summed.
#include "base/diag.h"
#include "run/run.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    ALIGNED = 64,          // bytes, as the calendar asks for
    PENDING_MAX = 4096,    // delayed firings that wait at the same time
};

static uint32_t count_inputs(const orr_model *model)
{
    uint32_t n = 0;
    for (size_t i = 0; i < model->flat.vars.n; i++) n += model->flat.vars.items[i].kind == FLAT_INPUT;
    return n;
}

static uint32_t count_pending(const orr_model *model)
{
    for (uint32_t i = 0; i < model->n_events; i++)
        if (model->flat.events.items[i].after != EXPR_NONE) return PENDING_MAX;
    return 0;
}

static uint32_t capacity_of(const orr_model *model)
{
    return model->n_events + count_pending(model) + count_inputs(model) + RUN_SOURCES;
}

size_t due_size(const orr_model *model)
{
    return (calendar_bytes(capacity_of(model)) + ALIGNED) / sizeof(double) + 1 + count_pending(model) +
           model->n_events;
}

void due_init(orr_run *run, double *memory)
{
    const orr_model *model = run->model;
    run->n_pending = count_pending(model);
    run->pending = memory;
    run->every_k = run->pending + run->n_pending;
    memory = run->every_k + model->n_events;
    const uintptr_t over = (uintptr_t)memory % ALIGNED;
    run->n_due_max = capacity_of(model);
    run->due_memory = memory + (over ? ALIGNED - over : 0) / sizeof(double);
    run->calendar = calendar_init(run->due_memory, run->n_due_max);
    run->due = ARENA_ARRAY(&run->arena, uint32_t, run->n_due_max);
    run->first_source = model->n_events + run->n_pending;
}

uint32_t run_add_source(orr_run *run, const RunSource *source, double first)
{
    const uint32_t number = (uint32_t)run->sources.n;
    assert(run->first_source + number < run->n_due_max);
    vec_push(&run->arena, &run->sources, *source);
    vec_push(&run->arena, &run->source_first, first);
    run_schedule(run, number, first);
    return number;
}

void run_schedule(orr_run *run, uint32_t source, double t)
{
    calendar_set(&run->calendar, run->first_source + source, t);
}

void run_set_input(orr_run *run, uint32_t variable, double value)
{
    const uint32_t place = run->model->ir.layout.place[variable];
    assert(place < run->model->n_params);
    run->island.env.v[place] = value;
    run->values_valid = false;
}

// ---- Time events of the model

static bool report_time(orr_run *run, const FlatEvent *event, const char *what, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    diag_report(run->diag, DIAG_SETTING_VALUE, run_place(run->model, run->diag, event->place), what, text,
                "it must be a positive, finite time");
    run->is_incomplete = true;
    return false;
}

// A time that is drawn: the draws are counted.
static double drawn_time(orr_run *run, const FlatEvent *event, Expr e)
{
    const double value = run_parameter(run, e);
    run->island.env.v[run->model->ir.layout.place[event->counter]] += event->n_draws;
    return value;
}

static double first_of(const orr_run *run, const FlatEvent *event)
{
    const double period = run_parameter(run, event->time);
    return event->from == EXPR_NONE ? run->t_start + period : run_parameter(run, event->from);
}

// The time at which `every` fires for the k-th time, from 0.
static double every_time(const orr_run *run, const FlatEvent *event, double k)
{
    return first_of(run, event) + k * run_parameter(run, event->time);
}

static bool schedule_event(orr_run *run, uint32_t i)
{
    const FlatEvent *event = &run->model->flat.events.items[i];
    if (event->kind == FLAT_AT) {
        const double at = run_parameter(run, event->time);
        if (isnan(at)) return report_time(run, event, "at", at);
        if (at >= run->t_start) calendar_set(&run->calendar, i, at);
    } else if (event->kind == FLAT_EVERY && event->n_draws) {
        const double first = event->from == EXPR_NONE ? run->t_start + drawn_time(run, event, event->time)
                                                      : run_parameter(run, event->from);
        if (!(first >= run->t_start) || isinf(first))
            return chance_report(run) ? false : report_time(run, event, "every", first);
        calendar_set(&run->calendar, i, first);
    } else if (event->kind == FLAT_EVERY) {
        const double period = run_parameter(run, event->time), first = first_of(run, event);
        if (!(period > 0) || isinf(period)) return report_time(run, event, "every", period);
        if (!isfinite(first)) return report_time(run, event, "from", first);
        // the first that is not over
        double k = first >= run->t_start ? 0 : ceil((run->t_start - first) / period);
        while (k > 0 && first + (k - 1) * period >= run->t_start) k--;
        while (first + k * period < run->t_start) k++;
        run->every_k[i] = k;
        calendar_set(&run->calendar, i, first + k * period);
    }
    return true;
}

bool due_start(orr_run *run)
{
    bool ok = true;
    run->calendar = calendar_init(run->due_memory, run->n_due_max);
    for (uint32_t i = 0; i < run->n_pending; i++) run->pending[i] = 0;
    for (uint32_t i = 0; i < run->model->n_events; i++) ok = schedule_event(run, i) && ok;
    for (uint32_t i = 0; i < run->sources.n; i++) {
        const RunSource *source = &run->sources.items[i];
        if (source->rewind) run->source_first.items[i] = source->rewind(source->context, run);
        run_schedule(run, i, run->source_first.items[i]);
    }
    return ok;
}

bool due_delay(orr_run *run, uint32_t event, double t)
{
    const FlatEvent *e = &run->model->flat.events.items[event];
    const double delay = e->n_draws ? drawn_time(run, e, e->after) : run_parameter(run, e->after);
    if (!(delay >= 0) && chance_report(run)) return false;
    if (!(delay >= 0)) return report_time(run, e, "after", delay);
    for (uint32_t i = 0; i < run->n_pending; i++) {
        if (run->pending[i] != 0) continue;
        run->pending[i] = (double)event + 1;
        calendar_set(&run->calendar, run->model->n_events + i, t + delay);
        return true;
    }
    diag_report(run->diag, DIAG_EVENTS_WAIT, run_place(run->model, run->diag, e->place), t,
                (size_t)PENDING_MAX, event_cause(run, event));
    diag_hint(run->diag, "the delay is long compared with the time between two events");
    return false;
}

static bool act_event(orr_run *run, uint32_t i, double t)
{
    const FlatEvent *event = &run->model->flat.events.items[i];
    event_fire(run, i);
    double next = INFINITY;
    if (event->kind == FLAT_EVERY) {
        const double period = event->n_draws ? drawn_time(run, event, event->time) : 0;
        if (!(period >= 0) && !chance_report(run)) report_time(run, event, "every", period);
        if (!(period >= 0)) return false;
        next = event->n_draws ? t + period : every_time(run, event, ++run->every_k[i]);
        if (next <= t) next = nextafter(t, INFINITY);    // a period too short for the clock
    }
    calendar_set(&run->calendar, i, next);
    return true;
}

static bool act_source(orr_run *run, uint32_t i, double t)
{
    double next = INFINITY;
    const RunSource *source = &run->sources.items[i];
    if (!source->due(source->context, run, t, &next)) return false;
    assert(next > t);
    run_schedule(run, i, next);
    return true;
}

bool due_act(orr_run *run, double t, bool *acted)
{
    *acted = false;
    while (due_next(run) <= t) {
        const uint32_t n = calendar_due(&run->calendar, run->due);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t i = run->due[k];
            if (i < run->model->n_events) {
                if (!act_event(run, i, t)) return false;
            } else if (i < run->first_source) {
                const uint32_t place = i - run->model->n_events;
                event_fire(run, (uint32_t)run->pending[place] - 1);
                run->pending[place] = 0;
                calendar_set(&run->calendar, i, INFINITY);
            } else {
                *acted = true;
                if (!act_source(run, i - run->first_source, t)) return false;
            }
        }
    }
    return true;
}
