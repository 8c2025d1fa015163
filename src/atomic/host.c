// src/atomic/host.c: what generated code of atomics calls: messages, draws, queues, statistics, failures.
#include "atomic/host.h"
#include "devs/devs.h"
#include "num/distribution.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------- failures

// The table of a component is the first part of its kind.
static const AtomicKind *kind_of(const orr_devs_call *call)
{
    const orr_devs_run *run = call->run;
    return (const AtomicKind *)run->model->types[actor_of(run, call->component)->type];
}

static void fault(const orr_devs_call *call, int number, double value)
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

static void begin_stream(const orr_devs_call *call, void *stream)
{
    *(orr_random *)stream = orr_devs_random(call, "");
}

static double draw(const orr_devs_call *call, void *stream, int number, const double *arguments, int n,
                   int what)
{
    const double value = distribution_draw(number, stream, arguments, (size_t)n);
    if (isnan(value)) fault(call, what, value);
    return value;
}

static int pick(const orr_devs_call *call, void *stream, const double *chances, int n, int what)
{
    double sum = 0;
    const double u = random_unit(stream);
    bool ok = true;
    int found = n - 1;
    for (int i = n - 1; i >= 0; i--) ok = ok && chances[i] >= 0;
    for (int i = 0; i < n; i++) {
        sum += chances[i];
        if (u < sum && found == n - 1 && i < n - 1) found = i;
    }
    if (!ok || !(fabs(sum - 1) <= 1e-9)) fault(call, what, sum);
    // the last one with a chance, if rounding has left a gap
    while (found > 0 && chances[found] <= 0) found--;
    return found;
}

// ---------------------------------------------------------------------------------------------- queues

static void queue_begin(void *queue, int n_slots, int is_ranked)
{
    orr_devs_queue_init(queue, 8u * (uint32_t)n_slots, is_ranked);
}

// The kernel knows whose queue has no more memory, but not what it is called.
static void name_queue(const orr_devs_call *call, const void *queue)
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

static void push(const orr_devs_call *call, void *queue, const double *value)
{
    const bool had_failed = ((const orr_devs_run *)call->run)->has_failed;
    if (!orr_devs_queue_push(call, queue, value) && !had_failed) name_queue(call, queue);
}

static void insert(const orr_devs_call *call, void *queue, double rank, const double *value, int what)
{
    const bool had_failed = ((const orr_devs_run *)call->run)->has_failed;
    if (isnan(rank)) fault(call, what, rank);
    else if (!orr_devs_queue_insert(call, queue, rank, value) && !had_failed) name_queue(call, queue);
}

static void pop(const orr_devs_call *call, void *queue, double *value, int what)
{
    if (!orr_devs_queue_pop(call, queue, value)) {
        memset(value, 0, ((const orr_devs_queue *)queue)->size);
        fault(call, what, 0);
    }
}

static bool index_of(const orr_devs_queue *queue, double index, uint32_t *i)
{
    *i = index >= 1 && index <= queue->n ? (uint32_t)index - 1 : 0;
    return index >= 1 && index <= queue->n && index == floor(index);
}

static void take(const orr_devs_call *call, void *queue, double index, double *value, int what)
{
    uint32_t i;
    if (index_of(queue, index, &i) && orr_devs_queue_remove(call, queue, i, value)) return;
    memset(value, 0, ((const orr_devs_queue *)queue)->size);
    fault(call, what, index);
}

static void peek(const orr_devs_call *call, const void *queue, double index, double *value, int what)
{
    const uint32_t size = ((const orr_devs_queue *)queue)->size;
    uint32_t i;
    const void *found = index_of(queue, index, &i) ? orr_devs_queue_at(call, queue, i) : NULL;
    if (found) {
        memcpy(value, found, size);
        return;
    }
    memset(value, 0, size);
    fault(call, what, index);
}

static double peek_one(const orr_devs_call *call, const void *queue, double index, int what)
{
    double value = 0;
    peek(call, queue, index, &value, what);
    return value;
}

static void clear(const orr_devs_call *call, void *queue) { orr_devs_queue_clear(call, queue); }

// ---------------------------------------------------------------------------------------------- statistics

static void level_begin(const orr_devs_call *call, void *level, double value)
{
    orr_level_begin(level, call->t, value);
}

static void tally_add(void *tally, double value) { orr_tally_add(tally, value); }

static void level_set(const orr_devs_call *call, void *level, double value)
{
    orr_level_set(level, call->t, value);
}

static void reset(const orr_devs_call *call, void *statistic, int is_level)
{
    if (is_level) orr_level_reset(statistic, call->t);
    else orr_tally_reset(statistic);
}

static double read_statistic(double t, const void *statistic, int how, int is_level, double p)
{
    const orr_tally *tally = statistic;
    const orr_level *level = statistic;
    switch ((AtomicHow)how) {
    case ATOMIC_READ_COUNT: return is_level ? (double)level->n_changes : (double)tally->n;
    case ATOMIC_READ_MEAN: return is_level ? orr_level_mean(level, t) : orr_tally_mean(tally);
    case ATOMIC_READ_DEVIATION: return is_level ? orr_level_sd(level, t) : orr_tally_sd(tally);
    case ATOMIC_READ_LOWEST: return is_level ? orr_level_min(level, t) : orr_tally_min(tally);
    case ATOMIC_READ_HIGHEST: return is_level ? orr_level_max(level, t) : orr_tally_max(tally);
    case ATOMIC_READ_QUANTILE:
        return is_level ? orr_level_quantile(level, t, p) : orr_tally_quantile(tally, p);
    case ATOMIC_READ_NOW: return level->value;
    default: return NAN;
    }
}

const AtomicHost atomic_host = {
    orr_devs_send, fault, begin_stream, draw,  pick,        queue_begin, push,      insert, pop,
    take,          peek,  peek_one,     clear, level_begin, tally_add,   level_set, reset,  read_statistic,
};

double atomic_read(const AtomicReadable *r, const orr_devs_run *run, uint32_t component)
{
    const char *slot = (const char *)orr_devs_run_state(run, component) + (size_t)r->slot * 8;
    switch (r->how) {
    case ATOMIC_READ_STATE: return *(const int *)slot + 1.0;
    case ATOMIC_READ_SLOT: return *(const double *)slot;
    case ATOMIC_READ_LENGTH: return (double)((const orr_devs_queue *)slot)->n;
    default: return read_statistic(orr_devs_run_time(run), slot, (int)r->how, r->is_level, r->p);
    }
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
