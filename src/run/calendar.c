// src/run/calendar.c: events whose time is known beforehand: one heap for all of them.
//
// Its items are numbers, so that the heap can lie in the state block: the sources of a run come last.
#include "run/run.h"
#include <assert.h>

static uint32_t count_inputs(const orr_model *model)
{
    uint32_t n = 0;
    for (size_t i = 0; i < model->flat.vars.n; i++) n += model->flat.vars.items[i].kind == FLAT_INPUT;
    return n;
}

static uint32_t capacity_of(const orr_model *model) { return count_inputs(model) + RUN_SOURCES; }

size_t calendar_size(const orr_model *model) { return heap_size(capacity_of(model)) / sizeof(double); }

void calendar_init(orr_run *run, double *memory)
{
    run->calendar = heap_init(memory, capacity_of(run->model));
    run->first_source = 0;
}

uint32_t run_add_source(orr_run *run, const RunSource *source, double first)
{
    const uint32_t number = (uint32_t)run->sources.n;
    assert(run->first_source + number < run->calendar->capacity);
    vec_push(&run->arena, &run->sources, *source);
    vec_push(&run->arena, &run->source_first, first);
    run_schedule(run, number, first);
    return number;
}

void run_schedule(orr_run *run, uint32_t source, double t)
{
    if (t < INFINITY) heap_put(run->calendar, run->first_source + source, t);
    else heap_remove(run->calendar, run->first_source + source);
}

void run_set_input(orr_run *run, uint32_t variable, double value)
{
    const uint32_t place = run->model->ir.layout.place[variable];
    assert(place < run->model->n_params);
    run->islands[0].env.v[place] = value;
    run->values_valid = false;
}

void calendar_start(orr_run *run)
{
    heap_init(run->calendar, run->calendar->capacity);
    for (uint32_t i = 0; i < run->sources.n; i++) {
        const RunSource *source = &run->sources.items[i];
        if (source->rewind) run->source_first.items[i] = source->rewind(source->context, run);
        run_schedule(run, i, run->source_first.items[i]);
    }
}

bool calendar_act(orr_run *run, double t)
{
    while (calendar_next(run) <= t) {
        const uint32_t i = heap_pop(run->calendar) - run->first_source;
        double next = INFINITY;
        const RunSource *source = &run->sources.items[i];
        if (!source->due(source->context, run, t, &next)) return false;
        assert(next > t);
        run_schedule(run, i, next);
    }
    return true;
}
