// src/num/compare.c: see compare.h.
#include "num/compare.h"
#include "num/student.h"
#include <math.h>

// Mean and variance of a - b, or of a alone. [Welford 1962]
static Interval moments(const double *a, const double *b, size_t n, double *variance)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double value = b ? a[i] - b[i] : a[i], away = value - mean;
        mean += away / (double)(i + 1);
        squares += away * (value - mean);
    }
    *variance = n > 1 ? squares / (double)(n - 1) : NAN;
    return (Interval){ mean, NAN };
}

static Interval interval(const double *a, const double *b, size_t n, double p)
{
    double variance;
    Interval x = moments(a, b, n, &variance);
    if (n > 1) x.half = student_quantile(p, (double)n - 1) * sqrt(variance / (double)n);
    return x;
}

Interval compare_mean(const double *y, size_t n, double confidence)
{
    return interval(y, NULL, n, 0.5 + 0.5 * confidence);
}

Interval compare_paired(const double *a, const double *b, size_t n, double confidence)
{
    return interval(a, b, n, 0.5 + 0.5 * confidence);
}

void compare_best(const double *const *y, size_t k, size_t n, double confidence, double sign, double *low,
                  double *high)
{
    // each of k(k-1)/2 differences has an interval on two sides
    const double p = 1 - (1 - confidence) / (double)(k * (k - 1));
    for (size_t i = 0; i < k; i++) {
        low[i] = high[i] = INFINITY;
        for (size_t l = 0; l < k; l++) {
            if (l == i) continue;
            const Interval d = interval(y[i], y[l], n, p);
            low[i] = fmin(low[i], sign * d.mean - d.half);
            high[i] = fmin(high[i], sign * d.mean + d.half);
        }
        // it is either the best or not: the side that says nothing is cut off at 0
        low[i] = fmin(low[i], 0);
        high[i] = fmax(high[i], 0);
    }
    // who is certainly better than all others is the best
    for (size_t i = 0; i < k; i++) {
        bool is_best = true;
        for (size_t l = 0; l < k && is_best; l++) {
            if (l == i) continue;
            const Interval d = interval(y[i], y[l], n, p);
            is_best = sign * d.mean - d.half > 0;
        }
        if (is_best) low[i] = 0;
    }
}

void select_begin(Selection *s, const double *const *y, double confidence)
{
    const double nu = (double)s->n_first - 1;
    const double eta = 0.5 * (pow(2 * (1 - confidence) / (double)(s->k - 1), -2 / nu) - 1);
    s->h2 = 2 * eta * nu;
    for (size_t i = 0; i < s->k; i++) {
        s->is_in[i] = true;
        for (size_t l = 0; l < s->k; l++) moments(y[i], y[l], s->n_first, &s->variances[i * s->k + l]);
    }
    s->n_in = s->k;
}

bool select_look(Selection *s, const double *sums, size_t r)
{
    const double n = (double)r;
    bool leaves[1 << 10] = { false };
    for (size_t i = 0; i < s->k; i++)
        for (size_t l = 0; l < s->k && s->is_in[i]; l++) {
            if (l == i || !s->is_in[l]) continue;
            const double most = s->h2 * s->variances[i * s->k + l] / (s->delta * s->delta),
                         margin = fmax(0, s->delta / (2 * n) * (most - n));
            leaves[i] |= s->sign * sums[i] / n < s->sign * sums[l] / n - margin;
        }
    for (size_t i = 0; i < s->k; i++) {
        if (!leaves[i]) continue;
        s->is_in[i] = false;
        s->n_in--;
    }
    return s->n_in <= 1;
}
