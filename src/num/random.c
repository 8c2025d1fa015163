// src/num/random.c: streams of random numbers and what is drawn from them; part of exported programs, too.
#include "num/random.h"
#include "num/random_math.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- Streams
#include "num/random_words.inc"

uint64_t random_name_begun(const char *name) { return random_name_more(RANDOM_NAME, name); }

RandomStream random_stream(uint64_t seed, uint64_t run, const char *name)
{
    return (RandomStream){ .seed = seed, .run = run, .name = random_name_end(random_name_begun(name)) };
}

double random_unit(RandomStream *stream)
{
    return random_unit_of(random_words(stream, stream->n_draws++, 0).v[0]);
}

uint64_t random_below(RandomStream *stream, uint64_t n)
{
    // the high half of the product; off from equal by at most n/2^64
    __extension__ typedef unsigned __int128 Wide;
    const uint64_t word = random_words(stream, stream->n_draws++, 0).v[0];
    return (uint64_t)(((Wide)word * n) >> 64);
}

// ---- Texts that exported programs share
#include "num/normal_quantile.inc"
#include "num/gamma_draw.inc"
#include "num/poisson_draw.inc"
#include "num/inverse_draw.inc"

// ---- By inversion

double random_uniform(RandomStream *stream, double low, double high)
{
    return uniform_of(random_unit(stream), low, high);
}

double random_normal_quantile(double u) { return normal_quantile(u); }

double random_normal(RandomStream *stream, double mean, double deviation)
{
    return normal_of(random_unit(stream), mean, deviation);
}

double random_lognormal(RandomStream *stream, double mu, double sigma)
{
    return lognormal_of(random_unit(stream), mu, sigma);
}

double random_exponential(RandomStream *stream, double mean)
{
    return exponential_of(random_unit(stream), mean);
}

double random_triangular(RandomStream *stream, double low, double mode, double high)
{
    return triangular_of(random_unit(stream), low, mode, high);
}

double random_weibull(RandomStream *stream, double shape, double scale)
{
    return weibull_of(random_unit(stream), shape, scale);
}

double random_weighted(RandomStream *stream, const double *weights, size_t n)
{
    return discrete_of(random_unit(stream), weights, n);
}

int random_cumulate(double *weights, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(weights[i] >= 0)) return false;
        weights[i] = sum += weights[i];
    }
    return sum > 0 && isfinite(sum);
}

size_t random_discrete(RandomStream *stream, const double *cumulative, size_t n)
{
    const double at = random_unit(stream) * cumulative[n - 1];
    size_t low = 0;
    size_t high = n - 1;
    // first sum beyond `at`: an index of weight 0 has the sum of the one before it and is never chosen
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cumulative[middle] > at) high = middle;
        else low = middle + 1;
    }
    // u so near to 1 that the product is the whole sum
    while (low > 0 && cumulative[low - 1] >= cumulative[n - 1]) low--;
    return low;
}

double random_empirical(RandomStream *stream, const double *sorted, size_t n)
{
    return empirical_of(random_unit(stream), sorted, n);
}

// ---- By rejection

double random_gamma(RandomStream *stream, double shape, double scale)
{
    return gamma_draw(stream, stream->n_draws++, shape, scale);
}

double random_poisson(RandomStream *stream, double mean)
{
    return poisson_draw(stream, stream->n_draws++, mean);
}

// ---- Quantiles

static double quantile_uniform(double u, const double *a) { return uniform_of(u, a[0], a[1]); }
static double quantile_normal(double u, const double *a) { return normal_of(u, a[0], a[1]); }
static double quantile_lognormal(double u, const double *a) { return lognormal_of(u, a[0], a[1]); }
static double quantile_exponential(double u, const double *a) { return exponential_of(u, a[0]); }
static double quantile_triangular(double u, const double *a) { return triangular_of(u, a[0], a[1], a[2]); }
static double quantile_weibull(double u, const double *a) { return weibull_of(u, a[0], a[1]); }

RandomQuantile *random_quantile(const char *name)
{
    static const struct {
        const char     *name;
        RandomQuantile *quantile;
    } known[] = {
        { "uniform", quantile_uniform },         { "normal", quantile_normal },
        { "lognormal", quantile_lognormal },     { "exponential", quantile_exponential },
        { "triangular", quantile_triangular },   { "weibull", quantile_weibull },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].quantile;
    return NULL;
}
