// src/num/distribution.c: the table of distributions.
#include "num/distribution.h"
#include <math.h>
#include <string.h>

static double draw_uniform(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_uniform(s, a[0], a[1]);
}
static double draw_normal(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_normal(s, a[0], a[1]);
}
static double draw_lognormal(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_lognormal(s, a[0], a[1]);
}
static double draw_exponential(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_exponential(s, a[0]);
}
static double draw_gamma(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_gamma(s, a[0], a[1]);
}
static double draw_triangular(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_triangular(s, a[0], a[1], a[2]);
}
static double draw_weibull(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_weibull(s, a[0], a[1]);
}
static double draw_poisson(RandomStream *s, const double *a, size_t n)
{
    (void)n;
    return random_poisson(s, a[0]);
}

static double draw_discrete(RandomStream *s, const double *a, size_t n) { return random_weighted(s, a, n); }
static double draw_empirical(RandomStream *s, const double *a, size_t n) { return random_empirical(s, a, n); }

#define PURE true
#define UNIT false
const Distribution distributions[] = {
    { "uniform", "equally likely from low to high",
      { { "low", DISTRIBUTION_ANY, UNIT }, { "high", DISTRIBUTION_NOT_LESS, UNIT } }, 2,
      .draw = draw_uniform },
    { "normal", "the bell curve",
      { { "mean", DISTRIBUTION_ANY, UNIT }, { "deviation", DISTRIBUTION_NOT_NEGATIVE, UNIT } }, 2,
      .draw = draw_normal },
    { "lognormal", "exp of a normal one: mu and sigma are of the logarithm",
      { { "mu", DISTRIBUTION_ANY, PURE }, { "sigma", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 2,
      .is_pure = true, .draw = draw_lognormal },
    { "exponential", "time between independent events",
      { { "mean", DISTRIBUTION_NOT_NEGATIVE, UNIT } }, 1, .draw = draw_exponential },
    { "gamma", "mean shape*scale; of a whole shape the sum of so many exponential ones",
      { { "shape", DISTRIBUTION_POSITIVE, PURE }, { "scale", DISTRIBUTION_NOT_NEGATIVE, UNIT } }, 2,
      .draw = draw_gamma },
    { "triangular", "from low to high, most likely at the mode",
      { { "low", DISTRIBUTION_ANY, UNIT }, { "mode", DISTRIBUTION_NOT_LESS, UNIT },
        { "high", DISTRIBUTION_NOT_LESS, UNIT } }, 3,
      .draw = draw_triangular },
    { "weibull", "time to failure",
      { { "shape", DISTRIBUTION_POSITIVE, PURE }, { "scale", DISTRIBUTION_NOT_NEGATIVE, UNIT } }, 2,
      .draw = draw_weibull },
    { "poisson", "how many independent events happen where `mean` are expected",
      { { "mean", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 1,
      .is_pure = true, .is_whole = true, .draw = draw_poisson },
    { "discrete", "1, 2, … with probabilities proportional to the weights",
      { { "weight", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 0,
      .is_pure = true, .is_whole = true, .draw = draw_discrete },
    { "empirical", "like measurements, and between them",
      { { "samples", DISTRIBUTION_ANY, UNIT } }, 0, .is_data = true, .draw = draw_empirical },
};
const int n_distributions = sizeof distributions / sizeof *distributions;

int distribution_number(const char *name)
{
    for (int i = 0; i < n_distributions; i++)
        if (strcmp(distributions[i].name, name) == 0) return i;
    return DISTRIBUTION_NONE;
}

double distribution_draw(int number, RandomStream *stream, const double *arguments, size_t n)
{
    const Distribution *d = &distributions[number];
    if (d->n_arguments ? n == (size_t)d->n_arguments : n > 0) {
        const double drawn = d->draw(stream, arguments, n);
        if (!isfinite(drawn)) return NAN;
        for (size_t i = 0; i < n && !d->is_data; i++)
            if (!isfinite(arguments[i])) return NAN;
        return drawn;
    }
    stream->n_draws++;
    return NAN;
}

static bool is_fine(DistributionRule rule, double value, double before)
{
    if (!isfinite(value)) return false;
    switch (rule) {
    case DISTRIBUTION_NOT_NEGATIVE: return value >= 0;
    case DISTRIBUTION_POSITIVE: return value > 0;
    case DISTRIBUTION_NOT_LESS: return value >= before;
    default: return true;
    }
}

static const char *rule_text(DistributionRule rule)
{
    switch (rule) {
    case DISTRIBUTION_NOT_NEGATIVE: return "must not be negative";
    case DISTRIBUTION_POSITIVE: return "must be positive";
    case DISTRIBUTION_NOT_LESS: return "must not be less than the one before it";
    default: return "must be a number";
    }
}

int distribution_fault(int number, const double *arguments, size_t n, const char **must)
{
    const Distribution *d = &distributions[number];
    const char *unused;
    if (!must) must = &unused;
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const DistributionRule rule = d->arguments[d->n_arguments ? i : 0].rule;
        if (is_fine(rule, arguments[i], i ? arguments[i - 1] : -INFINITY)) {
            largest = fmax(largest, arguments[i]);
            continue;
        }
        *must = isfinite(arguments[i]) ? rule_text(rule) : "must be a number";
        return (int)i;
    }
    if (d->draw == draw_discrete && largest == 0) {
        *must = "must not be 0 in all places";
        return 0;
    }
    if (d->draw == draw_poisson && arguments[0] > RANDOM_POISSON_MAX) {
        *must = "must be at most 1e9";
        return 0;
    }
    *must = NULL;
    return -1;
}

const char *distribution_takes(int number)
{
    static const char *const takes[] = {
        "low, high", "mean, deviation", "mu, sigma", "mean", "shape, scale", "low, mode, high",
        "shape, scale", "mean", "weight, …", "name of samples",
    };
    return takes[number];
}
