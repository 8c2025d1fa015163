// src/atomic/saved.c: states of components that come from a file: numbers may be anything, but what memory
// depends on (states, queues, digests) is checked.
#include "atomic/atomic.h"
#include "devs/devs.h"
#include "orrery/statistics.h"
#include <math.h>

bool digest_is_sound(const orr_digest *d)
{
    double sum = 0;
    if (d->n > ORR_DIGEST_MAX || d->n_sorted > d->n) return false;
    for (uint32_t i = 0; i < d->n; i++) {
        if (!isfinite(d->value[i]) || d->weight[i] == 0) return false;
        sum += fabs(d->weight[i]);
    }
    return isfinite(sum);    // else neighbours are never joined
}

static bool container_is_sound(const AtomicAct *act, const char *at, const orr_devs_run *run, uint8_t *taken)
{
    switch (act->kind) {
    case ATOMIC_BEGIN_QUEUE:
        return pool_has_queue(run, taken, (const orr_devs_queue *)(const void *)at, 8 * act->n, act->fault);
    case ATOMIC_BEGIN_TALLY: return digest_is_sound(&((const orr_tally *)(const void *)at)->digest);
    case ATOMIC_BEGIN_LEVEL: return digest_is_sound(&((const orr_level *)(const void *)at)->digest);
    default: return true;
    }
}

static bool state_is_sound(const AtomicKind *kind, const char *state, const orr_devs_run *run, uint8_t *taken)
{
    const int number = *(const int *)(const void *)(state + 8 * ATOMIC_SLOT_STATE);
    if (number < 0 || (uint32_t)number >= kind->n_states) return false;
    for (uint32_t i = 0; i < kind->n_begin; i++) {
        const AtomicAct *act = &kind->begin[i];
        const uint32_t n = act->kind < ATOMIC_BEGIN_QUEUE ? 0 : act->index.n ? act->index.n : 1;
        for (uint32_t k = 0; k < n; k++)
            if (!container_is_sound(act, state + 8 * (act->slot + (size_t)k * act->index.stride), run, taken))
                return false;
    }
    return true;
}

bool atomic_is_sound(const AtomicSet *set, const orr_devs_run *run)
{
    Arena work = { 0 };
    uint8_t *taken = ARENA_ARRAY(&work, uint8_t, pool_words(run));
    bool ok = pool_has_waiting(run, taken);
    for (uint32_t r = 0; r < run->model->n_ranges && ok; r++) {
        const DevsRange *range = &run->model->ranges[r];
        const AtomicKind *kind = NULL;
        for (uint32_t i = 0; i < set->n_kinds; i++)
            if (run->model->types[range->type] == &set->kinds[i].table) kind = &set->kinds[i];
        for (uint32_t i = 0; i < range->n && ok && kind && !kind->is_native; i++)
            ok = state_is_sound(kind, orr_devs_run_state(run, range->component + i), run, taken);
    }
    arena_free(&work);
    return ok;
}
