// src/atomic/host.c: the table of what generated code of atomics calls; failures explained.
#include "atomic/host.h"
#include "devs/devs.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------- failures

// The table of a component is the first part of its kind.
static const AtomicKind *kind_of(const orr_devs_call *call)
{
    const orr_devs_run *run = call->run;
    return (const AtomicKind *)run->model->types[actor_of(run, call->component)->type];
}

void host_fault(const orr_devs_call *call, int number, double value)
{
    const AtomicFault *f = &kind_of(call)->faults.items[number - 1];
    char text[300];
    const int name = (int)strnlen(f->name, 80);
    switch (f->kind) {
    case ATOMIC_FAULT_DURATION:
        if (isnan(value))
            snprintf(text, sizeof text, "how long state '%.*s' lasts is not a number: 0/0, or inf - inf",
                     name, f->name);
        else
            snprintf(text, sizeof text, "state '%.*s' cannot last %.10g: a time is 0 or more", name, f->name,
                     value);
        break;
    case ATOMIC_FAULT_EMPTY:
        snprintf(text, sizeof text, "queue '%.*s' is empty; ask empty(%.*s) before", name, f->name, name,
                 f->name);
        break;
    case ATOMIC_FAULT_INDEX:
        snprintf(text, sizeof text, "'%.*s' has no element %.10g", name, f->name, value);
        break;
    case ATOMIC_FAULT_DRAW:
        snprintf(text, sizeof text, "the arguments of '%.*s' make no sense", name, f->name);
        break;
    case ATOMIC_FAULT_CHANCES:
        snprintf(text, sizeof text,
                 "the probabilities of a choice sum to %.10g, not to 1, or one is negative", value);
        break;
    case ATOMIC_FAULT_RANK:
        snprintf(text, sizeof text, "the rank of an element of '%.*s' is not a number", name, f->name);
        break;
    case ATOMIC_FAULT_LOOP:
        snprintf(text, sizeof text, "the loop over '%.*s' has bounds that make no sense: %.10g turns", name,
                 f->name, value);
        break;
    }
    char reason[900];
    if (f->path && f->line) snprintf(reason, sizeof reason, "%s (%s, line %zu)", text, f->path, f->line);
    else snprintf(reason, sizeof reason, "%s", text);
    orr_devs_fail(call, reason);
}

// ---------------------------------------------------------------------------------------------- chance

void host_stream(const orr_devs_call *call, void *stream)
{
    *(orr_random *)stream = orr_devs_random(call, "");
}

// ---------------------------------------------------------------------------------------------- queues

// The kernel knows whose queue has no more memory, but not what it is called.
void host_queue_is_full(const orr_devs_call *call, const void *queue)
{
    const orr_devs_run *run = call->run;
    const AtomicKind *kind = kind_of(call);
    const char *state = orr_devs_run_state(run, call->component);
    const size_t slot = (size_t)((const char *)queue - state) / 8;
    for (uint32_t i = 0; i < kind->n_readables; i++) {
        const AtomicReadable *r = &kind->readables[i];
        if (r->how != ATOMIC_READ_LENGTH || r->slot != slot) continue;
        if (r->path)
            diag_note(run->diag, (Place){ 0 }, "it is '%s' of %s (%s, line %zu)", r->name, kind->name,
                      r->path, r->line);
        else diag_note(run->diag, (Place){ 0 }, "it is '%s' of %s", r->name, kind->name);
    }
}

const AtomicHost atomic_host = {
    orr_devs_send, host_fault,       host_stream,    host_draw,      host_pick,  host_queue_begin,
    host_push,     host_insert,      host_pop,       host_take,      host_peek,  host_peek_one,
    host_clear,    host_level_begin, host_tally_add, host_level_set, host_reset, host_statistic,
};

double atomic_read(const AtomicReadable *r, const orr_devs_run *run, uint32_t component)
{
    return host_read(orr_devs_run_time(run), orr_devs_run_state(run, component), r->how, r->slot, r->is_level,
                     r->p);
}

const void *atomic_statistic(const AtomicReadable *r, const orr_devs_run *run, uint32_t component)
{
    return (const char *)orr_devs_run_state(run, component) + (size_t)r->slot * 8;
}

void atomic_reset(const AtomicReadable *r, orr_devs_run *run, uint32_t component, double t)
{
    if (r->how != ATOMIC_READ_MEAN) return;    // each statistic shows its mean once
    char *slot = (char *)orr_devs_run_state(run, component) + (size_t)r->slot * 8;
    if (r->is_level) orr_level_reset((orr_level *)slot, t);
    else orr_tally_reset((orr_tally *)slot);
}
