// src/run/save.c: a run as bytes, for those who keep it as a part of something larger.
//
// Methods with fixed steps remember nothing but where their grid begins, so what is loaded goes on to the
// last bit. Others begin anew where they are saved, in the run that is saved as well as in the one that is
// loaded.
#include "run/run.h"
#include "solve/solver.h"
#include <string.h>

typedef struct Saved {
    double t, t_island, t_before, t_start, step, t_stop;
    int64_t k, k_before;
    uint64_t n_states, n_values, n_events, n_due;    // to recognise bytes by
    uint64_t n_steps, n_rates, n_run_events;
    uint64_t event_waits, event_is_located, jump_waits;
} Saved;

// Not what has a past of its own, reads from outside or rests on a surface.
static bool can_save(const orr_run *run)
{
    const Island *island = &run->islands[0];
    return !run->history && !run->net && !run->isles && !run->is_failed && !run->terminated && !run->watch &&
           !island->surface.is_on && run->n_rests == 0 && !island->solver->advance && !run->choosing;
}

static size_t n_doubles(const orr_run *run)
{
    const orr_model *m = run->model;
    return 2 * (size_t)m->n_states + m->n_values + 2 * (size_t)m->n_events + run->n_pending + run->n_due_max;
}

size_t run_save(orr_run *run, void *bytes)
{
    if (!can_save(run)) return 0;
    const size_t size = sizeof(Saved) + n_doubles(run) * sizeof(double);
    if (!bytes) return size;
    const orr_model *m = run->model;
    Island *island = &run->islands[0];
    if (!island->solver->fixed_step && run_stop_at(run, run->t) == ORR_STATUS_OK) {
        island->solver->restart(island);
        island->t_before = island->t;
    }
    const Saved saved = { .t = run->t,
                          .t_island = island->t,
                          .t_before = island->t_before,
                          .t_start = island->t_start,
                          .step = island->step,
                          .t_stop = run->t_stop,
                          .k = island->k,
                          .k_before = run->k_before,
                          .n_states = m->n_states,
                          .n_values = m->n_values,
                          .n_events = m->n_events,
                          .n_due = run->n_due_max,
                          .n_steps = island->n_steps,
                          .n_rates = island->n_rates,
                          .n_run_events = run->n_events,
                          .event_waits = run->event_waits,
                          .event_is_located = run->event_is_located,
                          .jump_waits = run->jump_waits };
    memcpy(bytes, &saved, sizeof saved);
    double *out = (double *)((char *)bytes + sizeof saved);
    const struct {
        const double *from;
        size_t n;
    } parts[] = {
        { island->x, m->n_states },     { island->x_before, m->n_states },
        { island->env.v, m->n_values }, { run->truth_before, m->n_events },
        { run->every_k, m->n_events },  { run->pending, run->n_pending },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n) memcpy(out, parts[i].from, parts[i].n * sizeof *out);
        out += parts[i].n;
    }
    for (uint32_t i = 0; i < run->n_due_max; i++) *out++ = calendar_time(&run->calendar, i);
    return size;
}

bool run_load(orr_run *run, const void *bytes, size_t n)
{
    const orr_model *m = run->model;
    Island *island = &run->islands[0];
    Saved saved;
    if (!can_save(run) || n != sizeof saved + n_doubles(run) * sizeof(double)) return false;
    memcpy(&saved, bytes, sizeof saved);
    if (saved.n_states != m->n_states || saved.n_values != m->n_values || saved.n_events != m->n_events ||
        saved.n_due != run->n_due_max)
        return false;
    const double *in = (const double *)((const char *)bytes + sizeof saved);
    const struct {
        double *to;
        size_t n;
    } parts[] = {
        { island->x, m->n_states },     { island->x_before, m->n_states },
        { island->env.v, m->n_values }, { run->truth_before, m->n_events },
        { run->every_k, m->n_events },  { run->pending, run->n_pending },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n) memcpy(parts[i].to, in, parts[i].n * sizeof *in);
        in += parts[i].n;
    }
    for (uint32_t i = 0; i < run->n_due_max; i++) calendar_set(&run->calendar, i, *in++);
    island->t = saved.t_island;
    island->solver->restart(island);
    run->t = saved.t;
    run->t_stop = saved.t_stop;
    island->t_before = saved.t_before;
    island->t_start = saved.t_start;
    island->step = saved.step;
    island->k = (long)saved.k;
    run->k_before = (long)saved.k_before;
    island->n_steps = (size_t)saved.n_steps;
    island->n_rates = (size_t)saved.n_rates;
    run->n_events = (size_t)saved.n_run_events;
    run->event_waits = saved.event_waits != 0;
    run->event_is_located = saved.event_is_located != 0;
    run->jump_waits = saved.jump_waits != 0;
    run->t_sample = run->t_sample_before = NAN;
    run->values_valid = false;
    run->x = island->x;
    if (island->t > run->t && !drive_is_near(island, run->t)) {
        island->solver->state_at(island, run->t, run->x_between);
        run->x = run->x_between;
    }
    return true;
}
