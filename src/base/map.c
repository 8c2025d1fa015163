// src/base/map.c: hashing and open addressing.
#include "base/map.h"
#include <assert.h>
#include <string.h>

// ---- Hashes: words are multiplied into 128 bits and folded, which mixes every input bit into every output
// bit. The secrets are digits of pi and e; a fixed seed makes runs repeatable, and nobody gains by attacking
// the simulator on his own machine: it is enough that regular names and numbers do not collide.

#define SECRET_A 0x243f6a8885a308d3u
#define SECRET_B 0x13198a2e03707345u    // odd
#define SECRET_C 0xb7e151628aed2a6bu

static uint64_t fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const unsigned char *p, size_t n)
{
    uint64_t x = 0;
    memcpy(&x, p, n);
    return x;
}

// Up to 8 bytes without a call: the last ones of a text, whose number the compiler does not know.
static uint64_t few(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    if (n >= 4) {    // two words that may overlap
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        return low | (uint64_t)high << (8 * (n - 4));
    }
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) x |= (uint64_t)p[i] << (8 * i);
    return x;
}

uint64_t hash_mix(uint64_t x) { return fold(fold(x ^ SECRET_A, SECRET_C) ^ x, SECRET_B); }

uint64_t hash_join(uint64_t a, uint64_t b)
{
    return fold(a ^ SECRET_A, hash_mix(b) ^ SECRET_C) + (a << 1 | a >> 63);
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = SECRET_A ^ n;
    size_t left = n;
    for (; left > 16; p += 16, left -= 16) h = fold(load(p, 8) ^ SECRET_B, load(p + 8, 8) ^ h);
    // the last 0 to 16 bytes, zero-padded; the length is in the seed already
    const uint64_t a = left < 8 ? few((const char *)p, left) : load(p, 8);
    const uint64_t b = left > 8 ? few((const char *)p + 8, left - 8) : 0;
    return fold(h ^ SECRET_C, fold(a ^ SECRET_B, b ^ h) ^ SECRET_A);
}

// ---- Index

void index_init(Index *index, Arena *arena) { *index = (Index){ .arena = arena }; }

// Multiplied once more, so that even a poor hash of the caller spreads over the slots.
static size_t home(const Index *index, uint32_t hash)
{
    return (size_t)(hash * 0x9E3779B97F4A7C15u >> 32) & (index->capacity - 1);
}

static void place(Index *index, IndexSlot slot)
{
    size_t at = home(index, slot.hash);
    while (index->slots[at].id_plus_1) at = (at + 1) & (index->capacity - 1);
    index->slots[at] = slot;
}

static void enlarge(Index *index)
{
    const IndexSlot *old = index->slots;
    const size_t n_old = index->capacity;
    index->capacity = n_old ? n_old * 2 : 16;
    index->slots = ARENA_ARRAY(index->arena, IndexSlot, index->capacity);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].id_plus_1) place(index, old[i]);
}

IndexProbe index_probe(const Index *index, uint64_t hash)
{
    const uint32_t h = (uint32_t)(hash >> 32);
    return (IndexProbe){ .at = index->capacity ? home(index, h) : 0, .hash = h };
}

bool index_next(const Index *index, IndexProbe *probe, uint32_t *id)
{
    if (!index->capacity) return false;
    for (;;) {
        const IndexSlot slot = index->slots[probe->at];
        if (!slot.id_plus_1) return false;
        probe->at = (probe->at + 1) & (index->capacity - 1);
        if (slot.hash == probe->hash) {
            *id = slot.id_plus_1 - 1;
            return true;
        }
    }
}

void index_add(Index *index, uint64_t hash, uint32_t id)
{
    assert(id != UINT32_MAX);
    if ((index->n + 1) * 4 > index->capacity * 3) enlarge(index);
    place(index, (IndexSlot){ (uint32_t)(hash >> 32), id + 1 });
    index->n++;
}

// ---- Names

void names_init(Names *names, Arena *arena)
{
    *names = (Names){ 0 };
    index_init(&names->index, arena);
}

static uint64_t head_of(Text text)
{
    return text.n >= 8 ? load((const unsigned char *)text.p, 8) : few(text.p, text.n);
}

static bool is_name(const Names *names, uint32_t id, Text text, uint64_t head)
{
    if (names->heads[id] != head || names->texts[id].n != text.n) return false;
    return text.n <= 8 || memcmp(names->texts[id].p + 8, text.p + 8, text.n - 8) == 0;
}

static uint32_t find_name(const Names *names, Text text, uint64_t hash)
{
    if (names->n == 0) return NAMES_NONE;
    const uint64_t head = head_of(text);
    IndexProbe probe = index_probe(&names->index, hash);
    for (uint32_t id; index_next(&names->index, &probe, &id);)
        if (is_name(names, id, text, head)) return id;
    return NAMES_NONE;
}

uint32_t names_find(const Names *names, Text text)
{
    return find_name(names, text, hash_bytes(text.p, text.n));
}

uint32_t names_intern(Names *names, Text text)
{
    const uint64_t hash = hash_bytes(text.p, text.n);
    const uint32_t known = find_name(names, text, hash);
    if (known != NAMES_NONE) return known;

    Arena *arena = names->index.arena;
    if (names->n == names->capacity) {
        const size_t capacity = names->capacity ? names->capacity * 2 : 16;
        names->texts = arena_grow(arena, names->texts, names->capacity, capacity, sizeof *names->texts);
        names->heads = arena_grow(arena, names->heads, names->capacity, capacity, sizeof *names->heads);
        names->capacity = capacity;
    }
    const uint32_t id = (uint32_t)names->n++;
    names->texts[id] = (Text){ text_copy(arena, text), text.n };
    names->heads[id] = head_of(text);
    index_add(&names->index, hash, id);
    return id;
}

const char *names_text(const Names *names, uint32_t id)
{
    assert(id < names->n);
    return names->texts[id].p;
}

// ---- TextMap

void text_map_init(TextMap *map, Arena *arena)
{
    *map = (TextMap){ 0 };
    names_init(&map->names, arena);
}

uint32_t *text_map_find(const TextMap *map, Text key)
{
    const uint32_t id = names_find(&map->names, key);
    return id == NAMES_NONE ? NULL : &map->values[id];
}

bool text_map_put(TextMap *map, Text key, uint32_t value)
{
    const size_t n_before = map->names.n;
    const uint32_t id = names_intern(&map->names, key);
    if (id < n_before) return false;
    if (map->capacity < map->names.capacity) {
        map->values = arena_grow(map->names.index.arena, map->values, map->capacity, map->names.capacity,
                                 sizeof *map->values);
        map->capacity = map->names.capacity;
    }
    map->values[id] = value;
    return true;
}

// ---- Map

void map_init(Map *map, Arena *arena)
{
    *map = (Map){ 0 };
    index_init(&map->index, arena);
}

static MapEntry *find_entry(const Map *map, uint64_t key, uint64_t hash)
{
    IndexProbe probe = index_probe(&map->index, hash);
    for (uint32_t id; index_next(&map->index, &probe, &id);)
        if (map->entries[id].key == key) return &map->entries[id];
    return NULL;
}

static MapEntry *add_entry(Map *map, uint64_t key, uint64_t hash)
{
    if (map->n == map->capacity) {
        const size_t capacity = map->capacity ? map->capacity * 2 : 16;
        map->entries = arena_grow(map->index.arena, map->entries, map->capacity, capacity,
                                  sizeof *map->entries);
        map->capacity = capacity;
    }
    index_add(&map->index, hash, (uint32_t)map->n);
    MapEntry *entry = &map->entries[map->n++];
    *entry = (MapEntry){ .key = key };
    return entry;
}

uint32_t *map_find(const Map *map, uint64_t key)
{
    MapEntry *entry = find_entry(map, key, hash_mix(key));
    return entry ? &entry->value : NULL;
}

uint32_t *map_at(Map *map, uint64_t key)
{
    const uint64_t hash = hash_mix(key);
    MapEntry *entry = find_entry(map, key, hash);
    return entry ? &entry->value : &add_entry(map, key, hash)->value;
}

bool map_put(Map *map, uint64_t key, uint32_t value)
{
    const uint64_t hash = hash_mix(key);
    if (find_entry(map, key, hash)) return false;
    add_entry(map, key, hash)->value = value;
    return true;
}
