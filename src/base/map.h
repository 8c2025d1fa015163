// src/base/map.h: hash tables in an arena: names to numbers, keys to values, and sets for hash-consing.
//
// All tables number their entries 0, 1, 2, … in order of insertion, so going through one is the same on
// every machine. Underneath each is an Index: open addressing with linear probing over (hash, id) pairs.
// Nothing can be removed.
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

// 64-bit hashes of good quality; the seed is fixed, so the same everywhere.
uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_mix(uint64_t x);
uint64_t hash_join(uint64_t a, uint64_t b);     // order matters

// ---- Index: candidates by hash; the caller compares what the ids stand for. For hash-consing:
//
//     IndexProbe probe = index_probe(&index, hash);
//     for (uint32_t id; index_next(&index, &probe, &id);) if (same(&nodes[id], &wanted)) return id;
//     index_add(&index, hash, new_id);
typedef struct IndexSlot { uint32_t hash, id_plus_1; } IndexSlot;    // 0: free
typedef struct Index {
    Arena     *arena;       // borrowed; owns slots
    IndexSlot *slots;       // [capacity]
    size_t     capacity;    // power of two, or 0
    size_t     n;           // used slots, at most 3/4 of capacity
} Index;
typedef struct IndexProbe { size_t at; uint32_t hash; } IndexProbe;
void       index_init(Index *index, Arena *arena);
IndexProbe index_probe(const Index *index, uint64_t hash);
bool       index_next(const Index *index, IndexProbe *probe, uint32_t *id);    // false: no more candidates
void       index_add(Index *index, uint64_t hash, uint32_t id);

// ---- Names: each different text once, numbered from 0.
typedef struct Names {
    Index  index;
    Text  *texts;       // [n] in the arena, each NUL-terminated
    uint64_t *heads;    // [n] their first 8 bytes, zero-padded: short texts are compared here
    size_t n, capacity;
} Names;
#define NAMES_NONE UINT32_MAX
void        names_init(Names *names, Arena *arena);
uint32_t    names_intern(Names *names, Text text);           // the number of the text, which is copied if new
uint32_t    names_find(const Names *names, Text text);       // NAMES_NONE if absent
const char *names_text(const Names *names, uint32_t id);     // NUL-terminated; as long as the arena

// ---- TextMap: text → uint32_t.
typedef struct TextMap {
    Names     names;       // keys, in order of insertion
    uint32_t *values;      // [names.n]
    size_t    capacity;
} TextMap;
void      text_map_init(TextMap *map, Arena *arena);
// NULL if absent; valid until the next insertion
uint32_t *text_map_find(const TextMap *map, Text key);
// false if present: the old value stays
bool      text_map_put(TextMap *map, Text key, uint32_t value);
static inline size_t text_map_count(const TextMap *map) { return map->names.n; }

// ---- Map: uint64_t → uint32_t.
typedef struct MapEntry { uint64_t key; uint32_t value; } MapEntry;
typedef struct Map {
    Index     index;
    MapEntry *entries;     // [n] in order of insertion
    size_t    n, capacity;
} Map;
void      map_init(Map *map, Arena *arena);
// NULL if absent; valid until the next insertion
uint32_t *map_find(const Map *map, uint64_t key);
// false if present: the old value stays
bool      map_put(Map *map, uint64_t key, uint32_t value);
uint32_t *map_at(Map *map, uint64_t key);                                 // added with value 0 if absent
