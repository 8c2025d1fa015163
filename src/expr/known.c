// src/expr/known.c: extendible hashing.
#include "expr/known.h"
#include <assert.h>
#include <string.h>

// A page is split at 3/4.
enum { PAGE_FULL = KNOWN_SLOTS / 4 * 3, MAX_DEPTH = 32 - KNOWN_SLOT_BITS };

void known_init(Known *known, Arena *arena)
{
    *known = (Known){ .arena = arena };
    known->directory = ARENA_ARRAY(arena, KnownPage *, 1);
    known->directory[0] = ARENA_NEW(arena, KnownPage);
}

// The directory counts from the lowest bit above those of the slots, so that doubling it repeats it.
static uint32_t entry_of(const Known *known, uint32_t hash)
{
    return hash >> KNOWN_SLOT_BITS & ((1u << known->depth) - 1);
}

static void put(KnownPage *page, KnownSlot slot)
{
    uint32_t at = slot.hash & (KNOWN_SLOTS - 1);
    while (page->slots[at].id_plus_1) at = (at + 1) & (KNOWN_SLOTS - 1);
    page->slots[at] = slot;
    page->n++;
}

static void double_directory(Known *known)
{
    const size_t n = (size_t)1 << known->depth;
    known->directory = arena_grow(known->arena, known->directory, n, 2 * n, sizeof *known->directory);
    memcpy(known->directory + n, known->directory, n * sizeof *known->directory);
    known->depth++;
}

static void split(Known *known, uint32_t hash)
{
    KnownPage *page = known->directory[entry_of(known, hash)];
    assert(page->depth < MAX_DEPTH);    // else hundreds of nodes have the same 32 bits: a bad hash
    if (page->depth == known->depth) double_directory(known);

    // all entries that lead to this page agree in page->depth bits; those with the next bit set get the new
    KnownPage *fresh = ARENA_NEW(known->arena, KnownPage);
    const uint32_t bit = 1u << page->depth;
    const uint32_t first = (entry_of(known, hash) & (bit - 1)) | bit;
    for (uint32_t i = first; i < 1u << known->depth; i += 2 * bit) known->directory[i] = fresh;

    const KnownPage old = *page;
    *page = (KnownPage){ .depth = old.depth + 1 };
    fresh->depth = old.depth + 1;
    for (uint32_t i = 0; i < KNOWN_SLOTS; i++)
        if (old.slots[i].id_plus_1)
            put(old.slots[i].hash >> KNOWN_SLOT_BITS & bit ? fresh : page, old.slots[i]);
}

KnownProbe known_probe(const Known *known, uint64_t hash)
{
    const uint32_t h = (uint32_t)(hash >> 32);
    return (KnownProbe){ known->directory[entry_of(known, h)], h, h & (KNOWN_SLOTS - 1) };
}

bool known_next(KnownProbe *probe, uint32_t *id)
{
    for (;;) {
        const KnownSlot slot = probe->page->slots[probe->at];
        if (!slot.id_plus_1) return false;
        probe->at = (probe->at + 1) & (KNOWN_SLOTS - 1);
        if (slot.hash == probe->hash) {
            *id = slot.id_plus_1 - 1;
            return true;
        }
    }
}

void known_add(Known *known, uint64_t hash, uint32_t id)
{
    const uint32_t h = (uint32_t)(hash >> 32);
    while (known->directory[entry_of(known, h)]->n >= PAGE_FULL) split(known, h);
    put(known->directory[entry_of(known, h)], (KnownSlot){ h, id + 1 });
}
