// src/store/pack.c: see pack.h. What is compressed begins with a byte that says how, and its length before.
#include "store/pack.h"
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum { RAW = 0, LZ4 = 1, HEAD = 9, RATIO_MOST = 256 };    // LZ4 expands by 255 at most

static uint8_t *room(Pack *pack, size_t n)
{
    if (pack->n + n > pack->capacity) {
        size_t capacity = pack->capacity ? 2 * pack->capacity : 256;
        while (capacity < pack->n + n) capacity *= 2;
        uint8_t *larger = realloc(pack->p, capacity);
        if (!larger) arena_no_memory(capacity);
        pack->p = larger;
        pack->capacity = capacity;
    }
    return pack->p + pack->n;
}

void pack_bytes(Pack *pack, const void *bytes, size_t n)
{
    if (n == 0) return;
    memcpy(room(pack, n), bytes, n);
    pack->n += n;
}

void pack_u64(Pack *pack, uint64_t value) { pack_bytes(pack, &value, sizeof value); }
void pack_double(Pack *pack, double value) { pack_bytes(pack, &value, sizeof value); }

void pack_text(Pack *pack, const char *text)
{
    const size_t n = text ? strlen(text) : 0;
    pack_u64(pack, text ? n + 1 : 0);
    pack_bytes(pack, text, n);
}

void pack_free(Pack *pack)
{
    free(pack->p);
    *pack = (Pack){ 0 };
}

void pack_squeeze(const void *bytes, size_t n, Pack *squeezed)
{
    const uint64_t length = n;
    squeezed->n = 0;
    uint8_t *to = room(squeezed, HEAD + n);
    const int most = n > 64 && n < LZ4_MAX_INPUT_SIZE ? (int)n - 1 : 0;
    const int m = most ? LZ4_compress_default(bytes, (char *)to + HEAD, (int)n, most) : 0;
    to[0] = m > 0 ? LZ4 : RAW;
    memcpy(to + 1, &length, sizeof length);
    if (m <= 0 && n) memcpy(to + HEAD, bytes, n);
    squeezed->n = HEAD + (m > 0 ? (size_t)m : n);
}

uint8_t *pack_expand(const void *bytes, size_t n, size_t limit, size_t *n_expanded)
{
    const uint8_t *from = bytes;
    uint64_t length;
    if (!bytes || n < HEAD) return NULL;
    memcpy(&length, from + 1, sizeof length);
    const size_t rest = n - HEAD;
    if (length > limit || length > INT32_MAX || length > (uint64_t)rest * RATIO_MOST + 64) return NULL;
    if (from[0] != RAW && from[0] != LZ4) return NULL;
    if (from[0] == RAW && length != rest) return NULL;
    uint8_t *to = malloc(length + 1);
    if (!to) arena_no_memory(length);
    if (from[0] == RAW) memcpy(to, from + HEAD, rest);
    else if (rest > INT32_MAX || LZ4_decompress_safe((const char *)from + HEAD, (char *)to, (int)rest,
                                                     (int)length) != (int)length) {
        free(to);
        return NULL;
    }
    to[length] = 0;
    *n_expanded = length;
    return to;
}

static const uint8_t *take(Unpack *u, size_t n)
{
    if (!u->ok || n > u->n - u->at) return u->ok = false, NULL;
    u->at += n;
    return u->p + u->at - n;
}

uint64_t unpack_u64(Unpack *u)
{
    uint64_t value = 0;
    const uint8_t *p = take(u, sizeof value);
    if (p) memcpy(&value, p, sizeof value);
    return value;
}

double unpack_double(Unpack *u)
{
    double value = 0;
    const uint8_t *p = take(u, sizeof value);
    if (p) memcpy(&value, p, sizeof value);
    return value;
}

char *unpack_text(Unpack *u, Arena *arena)
{
    const uint64_t n = unpack_u64(u);
    if (n == 0) return NULL;
    const uint8_t *p = take(u, n - 1);
    if (!p || memchr(p, 0, n - 1)) return u->ok = false, NULL;
    return arena_copy_text(arena, (const char *)p, n - 1);
}

size_t unpack_count(Unpack *u, size_t size)
{
    const uint64_t n = unpack_u64(u);
    if (!u->ok || n > (u->n - u->at) / (size ? size : 1)) return u->ok = false, 0;
    return n;
}

double *unpack_doubles(Unpack *u, size_t n, Arena *arena)
{
    if (!u->ok || n > (u->n - u->at) / sizeof(double)) return u->ok = false, NULL;
    double *numbers = ARENA_ARRAY(arena, double, n);
    const uint8_t *p = take(u, n * sizeof(double));
    if (n) memcpy(numbers, p, n * sizeof(double));
    return numbers;
}
