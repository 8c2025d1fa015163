// src/atomic/atomic.c: what a set of atomics is asked.
#include "atomic/atomic.h"
#include "orrery/statistics.h"

AtomicKind *atomic_find(const AtomicSet *set, const char *name)
{
    for (uint32_t i = 0; i < set->n_kinds; i++)
        if (strcmp(set->kinds[i].name, name) == 0) return &set->kinds[i];
    return NULL;
}

const AtomicRecord *atomic_find_record(const AtomicSet *set, const char *name)
{
    for (uint32_t i = 0; i < set->n_records; i++)
        if (strcmp(set->records[i].name, name) == 0) return &set->records[i];
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
    case ATOMIC_BAD:
    case ATOMIC_NUMBER: break;
    }
    return "number";
}

const char *atomic_type_name(const AtomicSet *set, AtomicType type)
{
    if (type.base != ATOMIC_QUEUE) return base_name(set, type.base, type.index);
    return arena_printf(set->arena, "queue of %s", base_name(set, type.element, type.index));
}

#define SLOTS_OF(T) ((uint32_t)(sizeof(T) + 7) / 8)

uint32_t atomic_type_slots(const AtomicSet *set, AtomicType type)
{
    switch (type.base) {
    case ATOMIC_NOTHING: return 0;
    case ATOMIC_RECORD: return set->ast->records.items[type.index].n_fields;
    case ATOMIC_QUEUE: return SLOTS_OF(orr_devs_queue);
    case ATOMIC_TALLY: return SLOTS_OF(orr_tally);
    case ATOMIC_LEVEL: return SLOTS_OF(orr_level);
    default: return 1;
    }
}
