// src/run/tier.c: whether a run should have its model compiled by `cc` while it goes on.
//
// Native code saves a part of the time that remains; the compiler takes time of its own, on another processor if
// there is one. So it is started when what it would save is more than what it takes. What remains is told by how far
// the run has come. Where the end is not known, as much is expected to follow as has passed: then the compiler never
// costs much more than waiting for it would have saved.
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>

#define FIRST_LOOK_NS 20000000      // short runs never get here
#define SAVING        (1.0 / 3)     // of the time in instant code; small models save that much, large ones more

static double remaining_ms(const orr_run *run, const Island *island, double elapsed_ms)
{
    const double done = island->t - run->t_start, rest = island->options.t_end - island->t;
    return isfinite(rest) && done > 0 ? elapsed_ms * rest / done : elapsed_ms;
}

void tier_look(orr_run *run, const Island *island, uint64_t now)
{
    if (now < run->ns_tier || !run->model->code.may_improve) return;
    if (island->solver->advance) return;    // it runs none of the programs that would be compiled
    const uint64_t elapsed = now - run->ns_created;
    if (elapsed < FIRST_LOOK_NS) return;
    run->ns_tier = now + FIRST_LOOK_NS;
    if (run->native_ms == 0) run->native_ms = code_native_ms(&run->model->code);
    if (SAVING * remaining_ms(run, island, (double)elapsed * 1e-6) < run->native_ms) return;
    code_improve(&run->model->code);
    run->ns_tier = UINT64_MAX;
}
