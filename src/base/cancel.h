// src/base/cancel.h: has somebody asked for an end?
//
// Callers hand us a `const volatile int *`, which a handler of signals may write, and another thread with an
// atomic store. We read it from several threads, so we read it atomically too.
#pragma once
#include <stdbool.h>

static inline bool cancel_is_set(const volatile int *cancel)    // NULL: never
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}
