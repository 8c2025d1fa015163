// src/atomic/atomic.c: what a set of atomics is asked.
#include "atomic/atomic.h"

AtomicKind *atomic_find(const AtomicSet *set, const char *name)
{
    for (size_t i = 0; set->ast && i < set->ast->atomics.n; i++)
        if (strcmp(set->kinds[i].name, name) == 0) return &set->kinds[i];
    return NULL;
}

static const char *base_name(const AtomicSet *set, AtomicBase base, uint32_t index)
{
    switch (base) {
    case ATOMIC_TRUTH: return "boolean";
    case ATOMIC_NOTHING: return "nothing";
    case ATOMIC_ENUM: return set->ast->enums.items[index].name;
    case ATOMIC_RECORD: return set->ast->records.items[index].name;
    case ATOMIC_TALLY: return "tally";
    case ATOMIC_LEVEL: return "level";
    case ATOMIC_QUEUE: return "queue";
    case ATOMIC_BAD: case ATOMIC_NUMBER: break;
    }
    return "number";
}

const char *atomic_type_name(const AtomicSet *set, AtomicType type)
{
    if (type.base != ATOMIC_QUEUE) return base_name(set, type.base, type.index);
    return arena_printf(set->arena, "queue of %s", base_name(set, type.element, type.index));
}

enum { SLOTS_QUEUE = (sizeof(orr_devs_queue) + 7) / 8 };

uint32_t atomic_type_slots(const AtomicSet *set, AtomicType type)
{
    switch (type.base) {
    case ATOMIC_NOTHING: return 0;
    case ATOMIC_RECORD: return set->ast->records.items[type.index].n_fields;
    case ATOMIC_QUEUE: return SLOTS_QUEUE;
    default: return 1;
    }
}

double atomic_read(const AtomicReadable *readable, const orr_devs_run *run, uint32_t component)
{
    const char *state = orr_devs_run_state(run, component);
    const char *slot = state + (size_t)readable->slot * 8;
    switch (readable->how) {
    case ATOMIC_READ_STATE: return *(const int *)slot + 1.0;
    case ATOMIC_READ_LENGTH: return (double)((const orr_devs_queue *)slot)->n;
    default: return *(const double *)slot;
    }
}
