// src/num/distribution.c: the table of distributions.
#include "num/distribution.h"
#include <math.h>
#include <string.h>

#define DRAWS_uniform     1
#define DRAWS_normal      1
#define DRAWS_lognormal   1
#define DRAWS_exponential 1
#define DRAWS_gamma       1
#define DRAWS_triangular  1
#define DRAWS_weibull     1
#define DRAWS_poisson     1
#define DRAWS_discrete    1
#define DRAWS_empirical   1
#include "num/distribution_draw.inc"

#define PURE true
#define UNIT false
const Distribution distributions[] = {
    { "uniform", "equally likely from low to high",
      { { "low", DISTRIBUTION_ANY, UNIT }, { "high", DISTRIBUTION_NOT_LESS, UNIT } },
      .n_arguments = 2 },
    { "normal", "the bell curve",
      { { "mean", DISTRIBUTION_ANY, UNIT }, { "deviation", DISTRIBUTION_NOT_NEGATIVE, UNIT } },
      .n_arguments = 2 },
    { "lognormal", "exp of a normal one: mu and sigma are of the logarithm",
      { { "mu", DISTRIBUTION_ANY, PURE }, { "sigma", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 2,
      .is_pure = true },
    { "exponential", "time between independent events",
      { { "mean", DISTRIBUTION_NOT_NEGATIVE, UNIT } },
      .n_arguments = 1 },
    { "gamma", "mean shape*scale; of a whole shape the sum of so many exponential ones",
      { { "shape", DISTRIBUTION_POSITIVE, PURE }, { "scale", DISTRIBUTION_NOT_NEGATIVE, UNIT } },
      .n_arguments = 2 },
    { "triangular", "from low to high, most likely at the mode",
      { { "low", DISTRIBUTION_ANY, UNIT }, { "mode", DISTRIBUTION_NOT_LESS, UNIT },
        { "high", DISTRIBUTION_NOT_LESS, UNIT } },
      .n_arguments = 3 },
    { "weibull", "time to failure",
      { { "shape", DISTRIBUTION_POSITIVE, PURE }, { "scale", DISTRIBUTION_NOT_NEGATIVE, UNIT } },
      .n_arguments = 2 },
    { "poisson", "how many independent events happen where `mean` are expected",
      { { "mean", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 1,
      .is_pure = true, .is_whole = true },
    { "discrete", "1, 2, … with probabilities proportional to the weights",
      { { "weight", DISTRIBUTION_NOT_NEGATIVE, PURE } }, 0,
      .is_pure = true, .is_whole = true },
    { "empirical", "like measurements, and between them",
      { { "samples", DISTRIBUTION_ANY, UNIT } }, 0, .is_data = true },
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
    const bool fits = d->n_arguments ? n == (size_t)d->n_arguments : n > 0;
    if (fits) return draw_finite(number, stream, arguments, n);
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
    if (number == FROM_DISCRETE && largest == 0) {
        *must = "must not be 0 in all places";
        return 0;
    }
    if (number == FROM_POISSON && arguments[0] > RANDOM_POISSON_MAX) {
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
