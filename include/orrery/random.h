// include/orrery/random.h: random numbers that depend on names, not on when or where they are drawn.
//
// A stream is a key (seed, run, name) and a count of draws. Draw n of a stream depends on these alone, so
// neither threads nor the order of evaluation nor other streams change it; every draw, from whatever
// distribution, moves the count by one. A stream holds no pointers and may be part of a state. The bits are
// the same on every machine. Parameters that make no sense (a negative deviation, a NaN) give NaN.
#pragma once
#include "orrery/base.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_random {
    uint64_t seed;       // chosen by the user, for all streams
    uint64_t run;        // replication, member of a sweep, …
    uint64_t name;       // hash of the stream's name
    uint64_t n_draws;    // draws taken; the only part that changes
} orr_random;

ORR_API orr_random orr_random_stream(uint64_t seed, uint64_t run, const char *name);    // at its beginning

ORR_API double   orr_random_unit(orr_random *stream);    // in (0, 1)
ORR_API double   orr_random_uniform(orr_random *stream, double low, double high);
ORR_API uint64_t orr_random_below(orr_random *stream, uint64_t n);    // 0 … n-1, equally likely; n > 0
ORR_API double   orr_random_normal(orr_random *stream, double mean, double deviation);
ORR_API double   orr_random_lognormal(orr_random *stream, double mu, double sigma);    // exp of a normal one
ORR_API double   orr_random_exponential(orr_random *stream, double mean);
ORR_API double   orr_random_gamma(orr_random *stream, double shape, double scale);
ORR_API double   orr_random_triangular(orr_random *stream, double low, double mode, double high);
ORR_API double   orr_random_weibull(orr_random *stream, double shape, double scale);
ORR_API double   orr_random_poisson(orr_random *stream, double mean);    // mean <= 1e9
// Index i with a probability proportional to weight i; `sums` [n] holds the sums of the weights up to each.
ORR_API size_t   orr_random_discrete(orr_random *stream, const double *sums, size_t n);
// From measurements [n] in ascending order: the distribution function is linear from one to the next.
ORR_API double   orr_random_empirical(orr_random *stream, const double *sorted, size_t n);

#ifdef __cplusplus
}
#endif
