// src/expr/known.h: a hash table of node numbers that grows page by page.
//
// Extendible hashing: a directory of 2^depth entries leads from the upper bits of a hash to a page; within
// the page the lower bits say where to start probing. A page that fills up is split in two; nothing else
// moves, and no outgrown copy of a large table is left behind in the arena: about 15 bytes for each number,
// however many there are.
#pragma once
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { KNOWN_SLOT_BITS = 9, KNOWN_SLOTS = 1 << KNOWN_SLOT_BITS };

typedef struct KnownSlot { uint32_t hash, id_plus_1; } KnownSlot;    // id_plus_1 0: free
typedef struct KnownPage {
    uint32_t  n;                      // used slots
    uint32_t  depth;                  // bits of the directory that lead here
    KnownSlot slots[KNOWN_SLOTS];
} KnownPage;

typedef struct Known {
    Arena      *arena;        // borrowed; owns the pages
    KnownPage **directory;    // [1 << depth]
    uint32_t    depth;
} Known;

typedef struct KnownProbe { const KnownPage *page; uint32_t hash, at; } KnownProbe;

void known_init(Known *known, Arena *arena);
// Candidates with this hash, one after another; false when there are no more. The caller compares.
KnownProbe known_probe(const Known *known, uint64_t hash);
bool       known_next(KnownProbe *probe, uint32_t *id);
void       known_add(Known *known, uint64_t hash, uint32_t id);
