// src/num/random.c: streams of random numbers and what is drawn from them.
#include "num/random.h"
#include <math.h>
#include <Random123/threefry.h>
#include <sleef.h>
#include <stdbool.h>
#include <string.h>

#define EXP   Sleef_cinz_expd1_u10purec
#define LOG   Sleef_cinz_logd1_u10purec
#define POW   Sleef_cinz_powd1_u10purec
#define GAMMA Sleef_cinz_lgammad1_u10purec    // its logarithm

// ---- Streams

// FNV-1a, then the finaliser of SplitMix64: names that differ in one letter have nothing in common.
static uint64_t hash_name(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

RandomStream random_stream(uint64_t seed, uint64_t run, const char *name)
{
    return (RandomStream){ .seed = seed, .run = run, .name = hash_name(name) };
}

// The 256 random bits of one attempt at draw n.
static threefry4x64_ctr_t bits(const RandomStream *stream, uint64_t n, uint64_t attempt)
{
    const threefry4x64_key_t key = { { stream->seed, stream->run, stream->name, 0 } };
    const threefry4x64_ctr_t counter = { { n, attempt, 0, 0 } };
    return threefry4x64_R(20, counter, key);
}

static double unit(uint64_t word) { return ((double)(word >> 12) + 0.5) * 0x1p-52; }

double random_unit(RandomStream *stream) { return unit(bits(stream, stream->n_draws++, 0).v[0]); }

uint64_t random_below(RandomStream *stream, uint64_t n)
{
    // the high half of the product; off from equal by at most n/2^64
    __extension__ typedef unsigned __int128 Wide;
    const uint64_t word = bits(stream, stream->n_draws++, 0).v[0];
    return (uint64_t)(((Wide)word * n) >> 64);
}

// ---- By inversion

double random_uniform(RandomStream *stream, double low, double high)
{
    const double u = random_unit(stream);
    if (!(low <= high)) return NAN;
    // this form never overflows and never leaves [low, high]
    return fmin(fmax(low * (1 - u) + high * u, low), high);
}

// [Wichura 1988, algorithm AS 241, PPND16]
double random_normal_quantile(double u)
{
    static const double centre[2][8] = {
        { 3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
          1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
          3.3430575583588128105e+4, 2.5090809287301226727e+3 },
        { 1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
          2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
          5.2264952788528545610e+3 },
    };
    static const double middle[2][8] = {
        { 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
          3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
          2.27238449892691845833e-2, 7.74545014278341407640e-4 },
        { 1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
          1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
          1.05075007164441684324e-9 },
    };
    static const double tail[2][8] = {
        { 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
          2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
          2.71155556874348757815e-5, 2.01033439929228813265e-7 },
        { 1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
          7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
          2.04426310338993978564e-15 },
    };
    const double q = u - 0.5;
    const double(*poly)[8] = centre;
    double r = 0.180625 - q * q;
    if (fabs(q) > 0.425) {
        const double s = sqrt(-LOG(q < 0 ? u : 1 - u));
        poly = s <= 5 ? middle : tail;
        r = s <= 5 ? s - 1.6 : s - 5;
    }
    double above = poly[0][7];
    double below = poly[1][7];
    for (int i = 6; i >= 0; i--) {
        above = above * r + poly[0][i];
        below = below * r + poly[1][i];
    }
    if (poly == centre) return q * above / below;
    return q < 0 ? -above / below : above / below;
}

double random_normal(RandomStream *stream, double mean, double deviation)
{
    const double z = random_normal_quantile(random_unit(stream));
    return deviation >= 0 ? mean + deviation * z : NAN;
}

double random_lognormal(RandomStream *stream, double mu, double sigma)
{
    return EXP(random_normal(stream, mu, sigma));
}

double random_exponential(RandomStream *stream, double mean)
{
    const double u = random_unit(stream);
    return mean >= 0 ? -mean * LOG(1 - u) : NAN;
}

double random_triangular(RandomStream *stream, double low, double mode, double high)
{
    const double u = random_unit(stream);
    if (!(low <= mode && mode <= high)) return NAN;
    if (low == high) return low;
    const double split = (mode - low) / (high - low);    // how much lies below the mode
    if (u < split) return low + sqrt(u * (high - low) * (mode - low));
    return high - sqrt((1 - u) * (high - low) * (high - mode));
}

double random_weibull(RandomStream *stream, double shape, double scale)
{
    const double u = random_unit(stream);
    return shape > 0 && scale >= 0 ? scale * POW(-LOG(1 - u), 1 / shape) : NAN;
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
    const double at = random_unit(stream) * (double)(n - 1);
    const size_t i = n < 2 ? 0 : (size_t)fmin(at, (double)(n - 2));
    if (n < 2) return sorted[0];
    const double part = at - (double)i;
    return fmin(sorted[i] * (1 - part) + sorted[i + 1] * part, sorted[i + 1]);
}

// ---- By rejection

// [Marsaglia & Tsang 2000]; a shape below 1 is drawn with shape + 1 and multiplied by u^(1/shape).
double random_gamma(RandomStream *stream, double shape, double scale)
{
    const uint64_t n = stream->n_draws++;
    if (!(shape > 0 && scale >= 0) || isinf(shape)) return NAN;
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    const double c = 1 / sqrt(9 * d);
    for (uint64_t attempt = 0;; attempt++) {
        const threefry4x64_ctr_t word = bits(stream, n, attempt);
        const double z = random_normal_quantile(unit(word.v[0]));
        const double u = unit(word.v[1]);
        const double root = 1 + c * z;
        const double v = root * root * root;
        if (root <= 0 || LOG(u) > z * z / 2 + d - d * v + d * LOG(v)) continue;
        return d * v * scale * (shape < 1 ? POW(unit(word.v[2]), 1 / shape) : 1);
    }
}

// By adding up probabilities: at most some forty of them.
static double poisson_few(double u, double mean)
{
    double k = 0;
    double p = EXP(-mean);
    double sum = p;
    while (u > sum && p > 0) {
        k += 1;
        p *= mean / k;
        sum += p;
    }
    return k;
}

// [Hörmann 1993, transformed rejection, algorithm PTRS]
static double poisson_many(const RandomStream *stream, uint64_t n, double mean)
{
    const double log_mean = LOG(mean);
    const double b = 0.931 + 2.53 * sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double log_inverse = LOG(1.1239 + 1.1328 / (b - 3.4));
    const double quick = 0.9277 - 3.6224 / (b - 2);
    for (uint64_t attempt = 0;; attempt++) {
        const threefry4x64_ctr_t word = bits(stream, n, attempt);
        const double u = unit(word.v[0]) - 0.5;
        const double v = unit(word.v[1]);
        const double s = 0.5 - fabs(u);
        const double k = floor((2 * a / s + b) * u + mean + 0.43);
        if (s >= 0.07 && v <= quick) return k;
        if (k < 0 || (s < 0.013 && v > s)) continue;
        if (LOG(v) + log_inverse - LOG(a / (s * s) + b) <= k * log_mean - mean - GAMMA(k + 1)) return k;
    }
}

double random_poisson(RandomStream *stream, double mean)
{
    const uint64_t n = stream->n_draws++;
    if (!(mean >= 0 && mean <= RANDOM_POISSON_MAX)) return NAN;
    return mean < 10 ? poisson_few(unit(bits(stream, n, 0).v[0]), mean) : poisson_many(stream, n, mean);
}
