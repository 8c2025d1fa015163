// src/base/guard.h: a call that can be given up from deep inside: there is no memory left, its time is over,
// or its caller does not want it any more.
//
// Public functions that compute much do it inside a guard. Whoever finds that there is no memory (arena.c)
// leaves the guarded call by a jump; so what is not in an arena and must not be left behind (a lock, a thread
// that reads an arena) is registered as a Cleanup while it is there. Limits are looked at whenever an arena
// takes memory from the system, and between the passes of the compiler. A thread has its own guards.
#pragma once
#include "orrery/base.h"
#include <pthread.h>
#include <stdbool.h>

struct Arena;

typedef struct GuardLimits {
    const volatile int *cancel;     // not 0: given up; NULL: never
    double      seconds;            // on the clock; 0: no limit
    size_t      bytes;              // of arenas; 0: no limit
    // if it is given up: what is to be destroyed. Arenas that the call made and that are not freed then, are
    // freed behind it, but for those of `diag`. NULL: what the call has allocated stays
    void      (*undo)(void *self);
    orr_diag   *diag;               // gets the message; NULL: none
} GuardLimits;

// Call work(self). ORR_STATUS_OK; or, if it was given up, ORR_STATUS_NO_MEMORY or ORR_STATUS_FAILED (its time
// was over), with a message, or ORR_STATUS_CANCELLED.
orr_status guard_call(const GuardLimits *limits, void (*work)(void *self), void *self);

// Give up now if a limit is reached.
void guard_look(void);
// There is no memory: give up the innermost call. Returns if there is none.
void guard_no_memory(void);

// What is done if the call is given up before guard_done.
typedef struct Cleanup {
    void          (*call)(void *self);
    void           *self;
    struct Cleanup *outer;
} Cleanup;
void guard_begin(Cleanup *cleanup, void (*call)(void *self), void *self);
void guard_done(Cleanup *cleanup);                                      // the latest one
void guard_lock(Cleanup *cleanup, pthread_mutex_t *lock);               // unlocked if the call is given up
void guard_unlock(Cleanup *cleanup);

// For arena.c: chunks that a guarded call has taken.
typedef struct GuardChunk {
    struct GuardChunk *next, **at;  // at NULL: nobody frees it but its arena
} GuardChunk;
size_t guard_chunk_most(size_t usual);                  // bytes that a chunk may have, but for large arrays
void   guard_take(GuardChunk *chunk);
void   guard_give(GuardChunk *chunk);                   // it is freed, or its arena outlives the call
void   arena_free_chunk(GuardChunk *chunk);             // arena.c
size_t arena_chunk_bytes(const GuardChunk *chunk);
