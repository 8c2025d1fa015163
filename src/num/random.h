// src/num/random.h: random numbers that depend on names, not on when or where they are drawn.
//
// A stream is a key and a count of draws. The key is (seed, run, name of the stream); draw n of a stream is
// a function of the key and n alone (Threefry4x64 with 20 rounds, a counter-based generator), so neither
// threads nor the order of evaluation nor other components can change it. Every draw, from whatever
// distribution, moves the count by one: changing the distribution or the parameters of one draw leaves all
// later ones as they were, which keeps compared variants of a model in step. A stream holds no pointer:
// saving a run copies it.
//
// All distributions but gamma and Poisson invert their distribution function, so a larger uniform number
// gives a larger draw; those two reject, with attempts on a second axis of the counter. Elementary
// functions are SLEEF's deterministic ones (see expr/math.h): the bits are the same on every machine.
//
// Parameters that make no sense (a negative deviation, a NaN) give NaN, for the caller to report.
// [Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"]
#pragma once
#include "orrery/random.h"
#include <stddef.h>
#include <stdint.h>

typedef orr_random RandomStream;    // 32 bytes without pointers

// The stream called `name`, such as "shop.cpu[2]", before its first draw.
RandomStream random_stream(uint64_t seed, uint64_t run, const char *name);
uint64_t random_name_begun(const char *name);    // of a name whose end is not known yet: what more follows

// In (0, 1): odd multiples of 2^-53, so 1 - u is exact and neither 0 nor 1 occurs.
double random_unit(RandomStream *stream);
double random_uniform(RandomStream *stream, double low, double high);    // low <= high
uint64_t random_below(RandomStream *stream, uint64_t n);                 // 0 … n-1, equally likely; n > 0

double random_normal(RandomStream *stream, double mean, double deviation);    // deviation >= 0
double random_lognormal(RandomStream *stream, double mu, double sigma);       // exp of a normal one
double random_exponential(RandomStream *stream, double mean);                 // mean >= 0
double random_gamma(RandomStream *stream, double shape, double scale);        // shape > 0, scale >= 0
double random_triangular(RandomStream *stream, double low, double mode, double high);
double random_weibull(RandomStream *stream, double shape, double scale);    // shape > 0, scale >= 0

#define RANDOM_POISSON_MAX 1e9    // beyond it the acceptance test would lose its digits
double random_poisson(RandomStream *stream, double mean);    // 0 <= mean <= RANDOM_POISSON_MAX

// Index i with a probability proportional to the i-th weight. `cumulative` [n] holds the sums of the weights
// up to each, see random_cumulate. n > 0 and a positive sum.
size_t random_discrete(RandomStream *stream, const double *cumulative, size_t n);
// The same without sums that are kept, and counted from 1; NaN if nothing can be drawn.
double random_weighted(RandomStream *stream, const double *weights, size_t n);
// Replace weights by their sums. False if one is negative or not finite or all are 0: nothing can be drawn.
int random_cumulate(double *weights, size_t n);

// From measurements `sorted` [n] in ascending order, n > 0: the distribution function runs linearly from one
// measurement to the next, so values between them occur, none outside.
double random_empirical(RandomStream *stream, const double *sorted, size_t n);

// The quantile of the standard normal distribution, to about 1e-16; u in (0, 1).
double random_normal_quantile(double u);
// The quantile function of a distribution of the language by its name, u in (0, 1); NULL if it has none here:
// gamma, Poisson, discrete and measured ones.
typedef double RandomQuantile(double u, const double *arguments);
RandomQuantile *random_quantile(const char *name);
