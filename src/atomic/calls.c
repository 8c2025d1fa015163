// src/atomic/calls.c: what generated code of atomics calls: draws, queues, statistics. Part of the library
// and, as text, of exported programs. It touches nothing but the state it is handed and the queues of the
// kernel; failures are theirs who include it (calls.h).
#include "atomic/calls.h"
#include "devs/devs.h"
#include "num/distribution.h"
#include <math.h>
#include <string.h>

// ---- Chance

double host_draw(const orr_devs_call *call, void *stream, int number, const double *arguments, int n,
                 int what)
{
#if IS_ENGINE
    const double value = distribution_draw(number, stream, arguments, (size_t)n);
#else
    const double value = draw_finite(number, stream, arguments, (size_t)n);
#endif
    if (isnan(value)) host_fault(call, what, value);
    return value;
}

int host_pick(const orr_devs_call *call, void *stream, const double *chances, int n, int what)
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
    if (!ok || !(fabs(sum - 1) <= 1e-9)) host_fault(call, what, sum);
    // the last one with a chance, if rounding has left a gap
    while (found > 0 && chances[found] <= 0) found--;
    return found;
}

// ---- Queues

double host_length(const void *queue) { return ((const orr_devs_queue *)queue)->n; }

void host_queue_begin(void *queue, int n_slots, int is_ranked)
{
    orr_devs_queue_init(queue, 8u * (uint32_t)n_slots, is_ranked);
}

void host_push(const orr_devs_call *call, void *queue, const double *value)
{
    const bool is_first = !call->run->has_failed;
    if (!orr_devs_queue_push(call, queue, value) && is_first) host_queue_is_full(call, queue);
}

void host_insert(const orr_devs_call *call, void *queue, double rank, const double *value, int what)
{
    const bool is_first = !call->run->has_failed;
    if (isnan(rank)) host_fault(call, what, rank);
    else if (!orr_devs_queue_insert(call, queue, rank, value) && is_first) host_queue_is_full(call, queue);
}

void host_pop(const orr_devs_call *call, void *queue, double *value, int what)
{
    if (!orr_devs_queue_pop(call, queue, value)) {
        memset(value, 0, ((const orr_devs_queue *)queue)->size);
        host_fault(call, what, 0);
    }
}

static bool queue_has(const orr_devs_queue *queue, double index, uint32_t *i)
{
    *i = index >= 1 && index <= queue->n ? (uint32_t)index - 1 : 0;
    return index >= 1 && index <= queue->n && index == floor(index);
}

void host_take(const orr_devs_call *call, void *queue, double index, double *value, int what)
{
    uint32_t i;
    if (queue_has(queue, index, &i) && orr_devs_queue_remove(call, queue, i, value)) return;
    memset(value, 0, ((const orr_devs_queue *)queue)->size);
    host_fault(call, what, index);
}

void host_peek(const orr_devs_call *call, const void *queue, double index, double *value, int what)
{
    const uint32_t size = ((const orr_devs_queue *)queue)->size;
    uint32_t i;
    const void *found = queue_has(queue, index, &i) ? orr_devs_queue_at(call, queue, i) : NULL;
    if (found) {
        memcpy(value, found, size);
        return;
    }
    memset(value, 0, size);
    host_fault(call, what, index);
}

double host_peek_one(const orr_devs_call *call, const void *queue, double index, int what)
{
    double value = 0;
    host_peek(call, queue, index, &value, what);
    return value;
}

void host_clear(const orr_devs_call *call, void *queue) { orr_devs_queue_clear(call, queue); }

#if HAS_STATISTICS
// ---- Statistics

void host_level_begin(const orr_devs_call *call, void *level, double value)
{
    orr_level_begin(level, call->t, value);
}

void host_tally_add(void *tally, double value) { orr_tally_add(tally, value); }

void host_level_set(const orr_devs_call *call, void *level, double value)
{
    orr_level_set(level, call->t, value);
}

void host_reset(const orr_devs_call *call, void *statistic, int is_level)
{
    if (is_level) orr_level_reset(statistic, call->t);
    else orr_tally_reset(statistic);
}

double host_statistic(double t, const void *statistic, int how, int is_level, double p)
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

#endif
double host_read(double t, const void *state, AtomicHow how, uint32_t slot, int is_level, double p)
{
    const char *at = (const char *)state + (size_t)slot * 8;
    switch (how) {
    case ATOMIC_READ_STATE: return *(const int *)(const void *)at + 1.0;
    case ATOMIC_READ_SLOT: return *(const double *)(const void *)at;
    case ATOMIC_READ_LENGTH: return host_length(at);
#if HAS_STATISTICS
    default: return host_statistic(t, at, (int)how, is_level, p);
#else
    default: return (void)t, (void)is_level, (void)p, NAN;
#endif
    }
}
