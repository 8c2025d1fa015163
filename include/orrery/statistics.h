// include/orrery/statistics.h: what a simulation remembers of many observations, in a fixed number of bytes.
//
//     orr_tally wait = { 0 };                      // of things that are counted: waiting times, sizes
//     orr_tally_add(&wait, 3.5);
//     orr_tally_quantile(&wait, 0.95);
//
//     orr_level length;                            // of what holds for a while: the length of a queue
//     orr_level_begin(&length, t, 0);
//     orr_level_set(&length, t, 4);                // from now on it is 4
//     orr_level_mean(&length, t);                  // weighted by time
//
// Neither holds pointers: they may stand in the state of a component and are copied with it. Two of a kind
// can be merged: the parts of a run, replications. Counts, means, deviations and extremes are exact but for
// rounding. The distribution is kept by up to 160 values with weights (a t-digest): exactly while there are
// no more than about 100 different values, as with lengths of queues; beyond, quantiles are off by a few
// tenths of a percent in rank, and by less towards both ends. What is asked of an empty one is NaN.
#pragma once
#include "orrery/base.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_DIGEST_MAX = 160 };

// A distribution. All of it is private.
typedef struct orr_digest {
    uint32_t n;           // values
    uint32_t n_sorted;    // of them in order; the rest came later
    double value[ORR_DIGEST_MAX];
    double weight[ORR_DIGEST_MAX];    // negative: stands for several values around this one
} orr_digest;

// ---- Things that are counted

typedef struct orr_tally {    // all zero: empty
    uint64_t n;
    double mean, squares;     // squares: the sum of (value - mean)^2
    double min, max;
    orr_digest digest;
} orr_tally;

ORR_API void orr_tally_reset(orr_tally *tally);    // empty: the warm-up is over
// One more value. Those that are not finite are passed over; 0.
ORR_API int orr_tally_add(orr_tally *tally, double value);
ORR_API void orr_tally_merge(orr_tally *into, const orr_tally *other);

ORR_API double orr_tally_mean(const orr_tally *tally);
ORR_API double orr_tally_sd(const orr_tally *tally);     // of the sample: by n - 1; NaN below two
ORR_API double orr_tally_min(const orr_tally *tally);
ORR_API double orr_tally_max(const orr_tally *tally);
// The smallest value that at least the fraction p, 0 to 1, of all does not exceed.
ORR_API double orr_tally_quantile(const orr_tally *tally, double p);
// How many are less than x. A histogram is a row of differences, see below.
ORR_API double orr_tally_below(const orr_tally *tally, double x);
// n bins of equal width from low up to high: bin i counts low + i w <= value < low + (i + 1) w; what lies
// outside is in none. Nothing is counted unless low < high.
ORR_API void orr_tally_histogram(const orr_tally *tally, double low, double high, uint32_t n, double *counts);

// ---- Values that hold for a while

typedef struct orr_level {
    double t, value;          // the value, and since when it is weighted no more
    double duration;          // that was weighted
    double mean, squares;     // squares: the integral of (value - mean)^2
    double min, max;          // of what held for longer than 0
    uint64_t n_changes;
    orr_digest digest;
} orr_level;

ORR_API void orr_level_begin(orr_level *level, double t, double value);
// From t on the value is this one. t must not be before the last time, the value finite; 0 otherwise, and
// nothing changes.
ORR_API int orr_level_set(orr_level *level, double t, double value);
ORR_API int orr_level_add(orr_level *level, double t, double change);    // by this much more
// Forget all up to t; the value goes on: the warm-up is over.
ORR_API void orr_level_reset(orr_level *level, double t);
// Add what another one saw, up to the last time each was set; the value and time stay those of `into`.
ORR_API void orr_level_merge(orr_level *into, const orr_level *other);

// Up to t, at least the last time it was set. A level that has held for no time yet has its present value
// as mean, extremes and quantiles.
ORR_API double orr_level_mean(const orr_level *level, double t);
ORR_API double orr_level_sd(const orr_level *level, double t);
ORR_API double orr_level_min(const orr_level *level, double t);
ORR_API double orr_level_max(const orr_level *level, double t);
// The smallest value that is not exceeded during at least the fraction p of the time.
ORR_API double orr_level_quantile(const orr_level *level, double t, double p);
// For how long it was less than x.
ORR_API double orr_level_below(const orr_level *level, double t, double x);
ORR_API void orr_level_histogram(const orr_level *level, double t, double low, double high, uint32_t n,
                                 double *durations);

#ifdef __cplusplus
}
#endif
