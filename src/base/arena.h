// src/base/arena.h: memory that is freed together.
//
// An arena is a stack of chunks, each larger than the one below. Allocation moves a pointer; freeing
// happens by lifetime, all at once or back to a mark. There is no way to free one object, so an early
// `return false` never leaks.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Arena { struct ArenaChunk *top; } Arena;            // {0} is an empty arena
typedef struct ArenaMark { struct ArenaChunk *chunk; size_t used; } ArenaMark;

// n * size bytes, zeroed, never NULL. Aligned to 16 bytes, from 1 KiB on to 64.
void     *arena_alloc(Arena *arena, size_t n, size_t size);
ArenaMark arena_mark(const Arena *arena);
void      arena_release(Arena *arena, ArenaMark mark);             // forget all that came after the mark
void      arena_free(Arena *arena);                                // back to {0}
void      arena_disown(Arena *arena);    // it outlives the call that is given up, see guard.h

// A larger copy of an array; in place if it was the latest allocation. The new part is zeroed.
void *arena_grow(Arena *arena, void *old, size_t old_n, size_t new_n, size_t size);

char *arena_copy_text(Arena *arena, const char *s, size_t n);      // s[0..n) and a NUL
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

size_t arena_bytes(const Arena *arena);    // bytes taken from the system, for limits and statistics

// Called when the system has no memory left or a size overflows; does not return: the guarded call (guard.h)
// is given up or, outside of any, the program aborts. A weak symbol, so that a program linked with the
// objects (a test, a fuzzer) can put its own in place.
_Noreturn void arena_no_memory(size_t bytes);

// Close what open_memstream opened: its text is there, or there was no memory for it.
static inline void memory_close(FILE *out, char *const *text)
{
    if (fclose(out) != 0 || !*text) arena_no_memory(1);
}

#define ARENA_ARRAY(arena, T, n) ((T *)arena_alloc((arena), (n), sizeof(T)))
#define ARENA_NEW(arena, T)      ((T *)arena_alloc((arena), 1, sizeof(T)))
