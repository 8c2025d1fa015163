// src/api/random.c: the public face of random streams.
#include "num/random.h"

orr_random orr_random_stream(uint64_t seed, uint64_t run, const char *name)
{
    return random_stream(seed, run, name);
}

double orr_random_unit(orr_random *s) { return random_unit(s); }
double orr_random_uniform(orr_random *s, double low, double high) { return random_uniform(s, low, high); }
uint64_t orr_random_below(orr_random *s, uint64_t n) { return random_below(s, n); }
double orr_random_normal(orr_random *s, double mean, double deviation)
{
    return random_normal(s, mean, deviation);
}
double orr_random_lognormal(orr_random *s, double mu, double sigma) { return random_lognormal(s, mu, sigma); }
double orr_random_exponential(orr_random *s, double mean) { return random_exponential(s, mean); }
double orr_random_gamma(orr_random *s, double shape, double scale) { return random_gamma(s, shape, scale); }
double orr_random_triangular(orr_random *s, double low, double mode, double high)
{
    return random_triangular(s, low, mode, high);
}
double orr_random_weibull(orr_random *s, double shape, double scale)
{
    return random_weibull(s, shape, scale);
}
double orr_random_poisson(orr_random *s, double mean) { return random_poisson(s, mean); }
size_t orr_random_discrete(orr_random *s, const double *sums, size_t n)
{
    return random_discrete(s, sums, n);
}
double orr_random_empirical(orr_random *s, const double *sorted, size_t n)
{
    return random_empirical(s, sorted, n);
}
