// src/base/arena.c: chunks that double in size, zeroed a little ahead of their use.
//
// A chunk may be memory that another arena gave back: to zero all of it at once would cost time for what is
// never used. Only large ones come zeroed from calloc: these are mostly pages fresh from the system, and an
// array of which little is used need not touch them all.
#include "base/arena.h"
#include "base/guard.h"
#include "orrery/base.h"
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct ArenaChunk {
    struct ArenaChunk *below;
    size_t capacity;    // bytes at data
    size_t used;
    size_t dirty;       // bytes below were in use, bytes from here
    size_t zero_to;     // to here are zero
    GuardChunk guarded; // by the call that took it
    _Alignas(64) unsigned char data[];
} ArenaChunk;

enum {
    FIRST_CHUNK = 4096,
    LARGEST_CHUNK = 1 << 24,
    LARGE_PAGES_FROM = 4 << 20,
    ALIGN = 16,
    ALIGN_LARGE = 64,    // from LARGE bytes on
    LARGE = 1024,
    ZEROED_AHEAD = 2048,
    ZEROED_BY_CALLOC = 1 << 20,
};

__attribute__((weak)) void orr_no_memory(size_t bytes)
{
    fprintf(stderr, "orrery: out of memory (%zu bytes wanted)\n", bytes);
    abort();
}

__attribute__((weak)) _Noreturn void arena_no_memory(size_t bytes)
{
    guard_no_memory();    // does not return if somebody waits for that
    orr_no_memory(bytes);
    abort();
}

// First touching a page costs more than filling it; large ones are touched less often. Refusal is no failure.
static void use_large_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    const uintptr_t first = ((uintptr_t)p + page - 1) / page * page, end = ((uintptr_t)p + n) / page * page;
    if (first < end) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)p, (void)n;
#endif
}

static ArenaChunk *push_chunk(Arena *arena, size_t wanted)
{
    // twice the chunk below, or as large as the one array needs
    size_t capacity = arena->top ? arena->top->capacity : FIRST_CHUNK / 2;
    const size_t most = guard_chunk_most(LARGEST_CHUNK);
    guard_look();
    capacity = capacity >= most / 2 ? most : capacity * 2;
    if (capacity < wanted) capacity = wanted;
    if (capacity > SIZE_MAX / 2) arena_no_memory(wanted);

    // calloc aligns to 16; shift to 64 ourselves and remember the shift in front
    const size_t total = sizeof(ArenaChunk) + capacity;
    const size_t all = total + ALIGN_LARGE + sizeof(void *);
    const bool is_zero = capacity >= ZEROED_BY_CALLOC;
    void *raw = is_zero ? calloc(1, all) : malloc(all);
    if (!raw) arena_no_memory(total);
    if (total >= LARGE_PAGES_FROM) use_large_pages(raw, total);
    const uintptr_t at = ((uintptr_t)raw + sizeof(void *) + ALIGN_LARGE - 1) & ~(uintptr_t)(ALIGN_LARGE - 1);
    memcpy((void *)(at - sizeof(void *)), &raw, sizeof raw);

    ArenaChunk *chunk = (ArenaChunk *)at;
    *chunk = (ArenaChunk){ .below = arena->top, .capacity = capacity, .zero_to = is_zero ? capacity : 0 };
    arena->top = chunk;
    guard_take(&chunk->guarded);
    return chunk;
}

static ArenaChunk *chunk_of(const GuardChunk *guarded)
{
    return (ArenaChunk *)((unsigned char *)guarded - offsetof(ArenaChunk, guarded));
}

size_t arena_chunk_bytes(const GuardChunk *guarded) { return chunk_of(guarded)->capacity; }

void arena_disown(Arena *arena)
{
    for (ArenaChunk *chunk = arena->top; chunk; chunk = chunk->below) guard_give(&chunk->guarded);
}

static void free_chunk(ArenaChunk *chunk)
{
    void *raw;
    guard_give(&chunk->guarded);
    memcpy(&raw, (unsigned char *)chunk - sizeof(void *), sizeof raw);
    free(raw);
}

void arena_free_chunk(GuardChunk *guarded) { free_chunk(chunk_of(guarded)); }

static size_t round_up(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

static void *take(Arena *arena, size_t bytes)
{
    const size_t align = bytes >= LARGE ? ALIGN_LARGE : ALIGN;
    ArenaChunk *chunk = arena->top;
    size_t start = chunk ? round_up(chunk->used, align) : 0;
    if (!chunk || start > chunk->capacity || bytes > chunk->capacity - start) {
        chunk = push_chunk(arena, bytes);
        start = 0;
    }
    chunk->used = start + bytes;
    return chunk->data + start;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Zero [start, end) as far as it is not.
static void clean(ArenaChunk *chunk, size_t start, size_t end)
{
    if (start < chunk->dirty) memset(chunk->data + start, 0, smaller(end, chunk->dirty) - start);
    if (end > chunk->zero_to) {
        const size_t to = smaller(round_up(end, ZEROED_AHEAD), chunk->capacity);
        memset(chunk->data + chunk->zero_to, 0, to - chunk->zero_to);
        chunk->zero_to = to;
    }
    if (end > chunk->dirty) chunk->dirty = end;
}

static size_t bytes_of(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 4) arena_no_memory(SIZE_MAX);
    return bytes;
}

void *arena_alloc(Arena *arena, size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    if (bytes == 0) bytes = 1;    // a pointer of its own even for nothing
    unsigned char *p = take(arena, bytes);
    ArenaChunk *chunk = arena->top;
    clean(chunk, (size_t)(p - chunk->data), chunk->used);
    return p;
}

void *arena_grow(Arena *arena, void *old, size_t old_n, size_t new_n, size_t size)
{
    const size_t old_bytes = bytes_of(old_n, size), new_bytes = bytes_of(new_n, size);
    if (!old || old_bytes == 0) return arena_alloc(arena, new_n, size);
    if (new_bytes <= old_bytes) return old;

    // the latest allocation grows where it stands
    ArenaChunk *chunk = arena->top;
    if (chunk && (unsigned char *)old + old_bytes == chunk->data + chunk->used) {
        const size_t start = (size_t)((unsigned char *)old - chunk->data);
        if (new_bytes <= chunk->capacity - start) {
            clean(chunk, chunk->used, start + new_bytes);
            chunk->used = start + new_bytes;
            return old;
        }
    }
    void *p = arena_alloc(arena, new_n, size);
    memcpy(p, old, old_bytes);
    return p;
}

ArenaMark arena_mark(const Arena *arena)
{
    return (ArenaMark){ arena->top, arena->top ? arena->top->used : 0 };
}

void arena_release(Arena *arena, ArenaMark mark)
{
    // The top chunk stays, empty, so that a loop of mark, allocate, release soon stops asking the system.
    ArenaChunk *kept = NULL;
    ArenaChunk *chunk = arena->top;
    while (chunk && chunk != mark.chunk) {
        ArenaChunk *below = chunk->below;
        if (chunk == arena->top && chunk->capacity <= LARGEST_CHUNK) kept = chunk;
        else free_chunk(chunk);
        chunk = below;
    }
    assert(chunk == mark.chunk);    // else the mark belongs to another arena, or was released before
    if (chunk) chunk->used = mark.used;
    if (kept) {
        kept->below = chunk;
        kept->used = 0;
    }
    arena->top = kept ? kept : chunk;
}

void arena_free(Arena *arena)
{
    for (ArenaChunk *chunk = arena->top, *below; chunk; chunk = below) {
        below = chunk->below;
        free_chunk(chunk);
    }
    arena->top = NULL;
}

size_t arena_bytes(const Arena *arena)
{
    size_t sum = 0;
    for (const ArenaChunk *c = arena->top; c; c = c->below) sum += sizeof *c + c->capacity;
    return sum;
}

char *arena_copy_text(Arena *arena, const char *s, size_t n)
{
    char *copy = arena_alloc(arena, bytes_of(n, 1) + 1, 1);
    if (n) memcpy(copy, s, n);
    return copy;
}

char *arena_vprintf(Arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    char small[256];
    const int n = vsnprintf(small, sizeof small, format, args);
    assert(n >= 0);
    char *text;
    if ((size_t)n < sizeof small) {
        text = arena_copy_text(arena, small, (size_t)n);
    } else {
        text = arena_alloc(arena, (size_t)n + 1, 1);
        vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    return text;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
