// src/run/due.c: events whose time is known beforehand: one calendar for all of them.
//
// Its things are numbers, so that it can lie in the state block: the sources of a run come last.
#include "run/run.h"
#include <assert.h>
#include <stdint.h>

enum { ALIGNED = 64 };    // bytes, as the calendar asks for

static uint32_t count_inputs(const orr_model *model)
{
    uint32_t n = 0;
    for (size_t i = 0; i < model->flat.vars.n; i++) n += model->flat.vars.items[i].kind == FLAT_INPUT;
    return n;
}

static uint32_t capacity_of(const orr_model *model) { return count_inputs(model) + RUN_SOURCES; }

size_t due_size(const orr_model *model)
{
    return (calendar_bytes(capacity_of(model)) + ALIGNED) / sizeof(double) + 1;
}

void due_init(orr_run *run, double *memory)
{
    const uintptr_t over = (uintptr_t)memory % ALIGNED;
    run->n_due_max = capacity_of(run->model);
    run->due_memory = memory + (over ? ALIGNED - over : 0) / sizeof(double);
    run->calendar = calendar_init(run->due_memory, run->n_due_max);
    run->due = ARENA_ARRAY(&run->arena, uint32_t, run->n_due_max);
    run->first_source = 0;
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
    run->islands[0].env.v[place] = value;
    run->values_valid = false;
}

void due_start(orr_run *run)
{
    run->calendar = calendar_init(run->due_memory, run->n_due_max);
    for (uint32_t i = 0; i < run->sources.n; i++) {
        const RunSource *source = &run->sources.items[i];
        if (source->rewind) run->source_first.items[i] = source->rewind(source->context, run);
        run_schedule(run, i, run->source_first.items[i]);
    }
}

bool due_act(orr_run *run, double t)
{
    while (due_next(run) <= t) {
        const uint32_t n = calendar_due(&run->calendar, run->due);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t i = run->due[k] - run->first_source;
            double next = INFINITY;
            const RunSource *source = &run->sources.items[i];
            if (!source->due(source->context, run, t, &next)) return false;
            assert(next > t);
            run_schedule(run, i, next);
        }
    }
    return true;
}
