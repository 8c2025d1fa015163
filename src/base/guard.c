// src/base/guard.c: where a call that is given up goes back to, and what it leaves behind.
#include "base/guard.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "base/os.h"
#include <setjmp.h>

typedef struct Guard {
    jmp_buf       back;
    struct Guard *outer;
    Cleanup      *cleanups;      // the latest first
    GuardChunk   *chunks;        // taken and not freed, if they are to be freed with the call
    bool          frees;
    const volatile int *cancel;
    uint64_t      ends;          // ns; 0: no limit
    size_t        bytes, most;   // of chunks; most 0: no limit
    orr_status    status;
} Guard;

static _Thread_local Guard *innermost;

static _Noreturn void give_up(Guard *guard, orr_status status)
{
    guard->status = status;
    longjmp(guard->back, 1);
}

void guard_no_memory(void)
{
    if (innermost) give_up(innermost, ORR_STATUS_NO_MEMORY);
}

void guard_look(void)
{
    Guard *guard = innermost;
    if (!guard) return;
    if (cancel_is_set(guard->cancel)) give_up(guard, ORR_STATUS_CANCELLED);
    if (guard->ends && os_now_ns() > guard->ends) give_up(guard, ORR_STATUS_FAILED);
    if (guard->most && guard->bytes > guard->most) give_up(guard, ORR_STATUS_NO_MEMORY);
}

// ---- What is to be undone

void guard_begin(Cleanup *cleanup, void (*call)(void *self), void *self)
{
    *cleanup = (Cleanup){ call, self, innermost ? innermost->cleanups : NULL };
    if (innermost) innermost->cleanups = cleanup;
}

void guard_done(Cleanup *cleanup)
{
    if (innermost) innermost->cleanups = cleanup->outer;
}

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

void guard_lock(Cleanup *cleanup, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    guard_begin(cleanup, unlock, lock);
}

void guard_unlock(Cleanup *cleanup)
{
    guard_done(cleanup);
    unlock(cleanup->self);
}

// ---- Chunks

// With limits to look at, chunks are small, so that they are looked at often enough.
size_t guard_chunk_most(size_t usual)
{
    enum { LOOKED_AT_EVERY = 1 << 19 };
    const Guard *guard = innermost;
    if (!guard || !(guard->cancel || guard->ends || guard->most) || usual < LOOKED_AT_EVERY) return usual;
    return LOOKED_AT_EVERY;
}

static void link_chunk(GuardChunk **list, GuardChunk *chunk)
{
    *chunk = (GuardChunk){ *list, list };
    if (*list) (*list)->at = &chunk->next;
    *list = chunk;
}

void guard_give(GuardChunk *chunk)
{
    if (!chunk->at) return;
    *chunk->at = chunk->next;
    if (chunk->next) chunk->next->at = chunk->at;
    *chunk = (GuardChunk){ 0 };
}

void guard_take(GuardChunk *chunk)
{
    *chunk = (GuardChunk){ 0 };
    Guard *guard = innermost;
    if (!guard) return;
    guard->bytes += arena_chunk_bytes(chunk);
    if (guard->frees) link_chunk(&guard->chunks, chunk);
    // behind it: a chunk that is in its arena and in this list is freed whoever gives up
}

// The call is done: its chunks belong to what it made, and to the call around it.
static void pass_on(Guard *guard)
{
    Guard *outer = guard->outer;
    if (outer) outer->bytes += guard->bytes;
    for (GuardChunk *chunk = guard->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        *chunk = (GuardChunk){ 0 };
        if (outer && outer->frees) link_chunk(&outer->chunks, chunk);
    }
}

// ---- The call

static void report(orr_status status, orr_diag *diag)
{
    if (!diag) return;
    if (status == ORR_STATUS_NO_MEMORY)
        orr_diag_add(diag, "E507", "the model or its run needs more memory than it may take",
                     "allow more (--max-memory MB), or make it smaller");
    if (status == ORR_STATUS_FAILED)
        orr_diag_add(diag, "E513", "the time limit was reached", "allow more (--max-time S)");
}

orr_status guard_call(const GuardLimits *limits, void (*work)(void *self), void *self)
{
    Guard guard = { .outer = innermost, .frees = limits->undo != NULL, .cancel = limits->cancel,
                    .most = limits->bytes };
    if (limits->seconds > 0 && limits->seconds < 1e9)
        guard.ends = os_now_ns() + (uint64_t)(limits->seconds * 1e9);
    // limits of the call around it hold inside, too
    if (guard.outer && guard.outer->ends && (!guard.ends || guard.outer->ends < guard.ends))
        guard.ends = guard.outer->ends;
    if (guard.outer && !guard.cancel) guard.cancel = guard.outer->cancel;
    if (guard.outer && guard.outer->most && !guard.most)
        guard.most = guard.outer->bytes < guard.outer->most ? guard.outer->most - guard.outer->bytes : 1;
    innermost = &guard;
    if (_setjmp(guard.back) == 0) {
        work(self);
        innermost = guard.outer;
        pass_on(&guard);
        return ORR_STATUS_OK;
    }
    innermost = guard.outer;
    while (guard.cleanups) {
        Cleanup *cleanup = guard.cleanups;
        guard.cleanups = cleanup->outer;
        cleanup->call(cleanup->self);
    }
    if (guard.frees) {
        diag_keep(limits->diag);
        limits->undo(self);
        while (guard.chunks) {
            GuardChunk *chunk = guard.chunks;
            guard_give(chunk);
            arena_free_chunk(chunk);
        }
    }
    report(guard.status, limits->diag);
    diag_set_status(limits->diag, guard.status);
    return guard.status;
}
