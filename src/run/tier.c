// src/run/tier.c: whether a run should have its model compiled by `cc` while it goes on.
//
// Native code saves a part of the time that remains; the compiler takes time of its own, on another processor
// if there is one. So it is started when what it would save is more than what it takes. What remains is told
// by how far the run has come. Where the end is not known, as much is expected to follow as has passed: then
// the compiler never costs much more than waiting for it would have saved.
//
// Equations, quantised states and atomics are texts of their own, and each is judged alone.
#include "base/os.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>

#define FIRST_LOOK_NS 20000000    // short runs never get here
enum { SAMPLES = 16 };            // of calls, one is measured

// What is saved of the time in instant code, measured. Of equations small models save that much, large ones
// more; quantised states compute them only to record values and at events. Of quantised states and atomics a
// part of the time is the engine's.
static double saving(Tier tier, bool is_quantised)
{
    switch (tier) {
    case TIER_PROGRAMS: return is_quantised ? 0.1 : 1.0 / 3;
    case TIER_QUANTISED: return 0.25;
    default: return 0.25;
    }
}

// Of islands, what all that share the model have used.
static double elapsed_ns(const orr_run *run, uint64_t now)
{
    if (!run->is_within) return (double)(now - run->ns_created);
    const double under_way = run->ns_sample_began ? (double)(now - run->ns_sample_began) : 0;
    return (double)atomic_load(&((orr_model *)run->model)->code.ns_in_islands) + under_way;
}

static double remaining_ms(const orr_run *run, double t, double elapsed_ms)
{
    const double done = t - run->island.t_begin, rest = run->island.options.t_end - t;
    return isfinite(rest) && done > 0 ? elapsed_ms * rest / done : elapsed_ms;
}

static bool has(const orr_run *run, Tier tier)
{
    switch (tier) {
    case TIER_PROGRAMS: return !run->is_eventful;
    case TIER_QUANTISED: return run->island.solver->improve != NULL;
    default: return run->net && run->model->atomics.n_kinds > 0;
    }
}

static double native_ms(const orr_run *run, Tier tier)
{
    const Island *island = &run->island;
    switch (tier) {
    case TIER_PROGRAMS: return code_native_ms(&run->model->code);
    case TIER_QUANTISED: return island->solver->native_ms(island);
    default: return atomic_native_ms(&run->model->atomics);
    }
}

static void improve(const orr_run *run, Tier tier)
{
    const Island *island = &run->island;
    switch (tier) {
    case TIER_PROGRAMS: code_improve(&run->model->code); break;
    case TIER_QUANTISED: island->solver->improve(island); break;
    default: atomic_improve(&run->model->atomics);
    }
}

void tier_look(orr_run *run, double t, uint64_t now)
{
    if (now < run->ns_tier || !run->model->code.may_improve) return;
    const double elapsed = elapsed_ns(run, now);
    if (elapsed < FIRST_LOOK_NS) return;
    run->ns_tier = now + FIRST_LOOK_NS;
    const double rest = remaining_ms(run, t, elapsed * 1e-6);
    const bool is_quantised = run->island.solver->is_quantised;
    bool all = true;
    for (Tier tier = 0; tier < TIER_N; tier++) {
        double *ms = &run->native_ms[tier];
        if (*ms == TIER_DONE || !has(run, tier)) continue;
        if (*ms == 0) *ms = native_ms(run, tier);
        if (saving(tier, is_quantised) * rest >= *ms) {
            improve(run, tier);
            *ms = TIER_DONE;
        }
        all = all && *ms == TIER_DONE;
    }
    if (all) run->ns_tier = UINT64_MAX;
}

void tier_begin(orr_run *run)
{
    if (!run->is_within || run->n_advances++ % SAMPLES != 0 || run->ns_tier == UINT64_MAX) return;
    run->ns_sample_began = os_now_ns();
}

void tier_end(orr_run *run)
{
    if (run->ns_sample_began == 0) return;
    const uint64_t ns = os_now_ns() - run->ns_sample_began;
    run->ns_sample_began = 0;
    atomic_fetch_add(&((orr_model *)run->model)->code.ns_in_islands,
                     run->n_advances == 1 ? ns : SAMPLES * ns);
}
