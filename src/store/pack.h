// src/store/pack.h: numbers and texts as bytes, and bytes compressed; read back as a stranger's.
#pragma once
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

// ---- Writing: bytes on the heap, little-endian.
typedef struct Pack {
    uint8_t *p;
    size_t   n, capacity;
} Pack;
void pack_bytes(Pack *pack, const void *bytes, size_t n);
void pack_u64(Pack *pack, uint64_t value);
void pack_double(Pack *pack, double value);
void pack_text(Pack *pack, const char *text);                            // NULL: none
static inline void pack_doubles(Pack *pack, const double *p, size_t n) { pack_bytes(pack, p, n * sizeof *p); }
void pack_free(Pack *pack);

// Compressed (LZ4) if that saves something; the result is on the heap.
void pack_squeeze(const void *bytes, size_t n, Pack *squeezed);
// NULL if they are not what pack_squeeze wrote, or more than `limit` bytes; else on the heap.
uint8_t *pack_expand(const void *bytes, size_t n, size_t limit, size_t *n_expanded);

// ---- Reading: `ok` becomes false, and all that follows 0, where there is less than is asked for.
typedef struct Unpack {
    const uint8_t *p;
    size_t n, at;
    bool   ok;
} Unpack;
static inline Unpack unpack_from(const void *p, size_t n) { return (Unpack){ p, n, 0, p != NULL }; }
uint64_t unpack_u64(Unpack *u);
double   unpack_double(Unpack *u);
char    *unpack_text(Unpack *u, Arena *arena);                           // NULL: none was written
// A number of things of which each takes `size` bytes or more: not more than there can be.
size_t   unpack_count(Unpack *u, size_t size);
// Copied, since they may stand anywhere; in the arena.
double  *unpack_doubles(Unpack *u, size_t n, Arena *arena);
static inline bool unpack_is_whole(const Unpack *u) { return u->ok && u->at == u->n; }
