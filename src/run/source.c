// src/run/source.c: things outside of the model that act at times they know, in the engine's calendar.
#include "run/run.h"
#include <assert.h>

uint32_t run_add_source(orr_run *run, const RunSource *source, double first)
{
    const uint32_t number = (uint32_t)run->sources.n;
    assert(run->island.first_source + number < run->island.n_due_max);
    vec_push(&run->arena, &run->sources, *source);
    vec_push(&run->arena, &run->source_first, first);
    run_schedule(run, number, first);
    return number;
}

void run_schedule(orr_run *run, uint32_t source, double t)
{
    calendar_set(&run->island.calendar, run->island.first_source + source, t);
}

void run_set_input(orr_run *run, uint32_t variable, double value)
{
    const uint32_t place = run->model->ir.layout.place[variable];
    assert(place < run->model->n_params);
    run->island.env.v[place] = value;
    run->island.values_valid = false;
}

void source_rewind(orr_run *run)
{
    for (uint32_t i = 0; i < run->sources.n; i++) {
        const RunSource *source = &run->sources.items[i];
        if (source->rewind) run->source_first.items[i] = source->rewind(source->context, run);
        run_schedule(run, i, run->source_first.items[i]);
    }
}
