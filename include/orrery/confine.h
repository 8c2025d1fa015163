// include/orrery/confine.h: models in a thread that can do nothing to the machine.
#pragma once
#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Do `work`, which opens, compiles and runs models, in a thread that can start no program, make, change or
// remove no file and open no socket, on Linux by seccomp and Landlock; what the library needs of these it
// does outside of that thread. Returns by what: 1 seccomp, 2 Landlock, 3 both; 0: the system has neither, and
// the work was done without. One at a time in a process. Code in the same process shares its memory: this
// stops what comes to a model, not code in C that was written to break out.
ORR_API int orr_confined(void (*work)(void *self), void *self);
// Inside of orr_confined: do this outside, and wait for it. Elsewhere: do it.
ORR_API void orr_unconfined(void (*work)(void *self), void *self);

#ifdef __cplusplus
}
#endif
