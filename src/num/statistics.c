// src/num/statistics.c: tallies and levels: moments by Welford's recurrence, distributions by a digest.
//
// A digest is a t-digest [Dunning & Ertl 2019] that stays exact as long as it can. Values come in at the
// end; when the list is full it is sorted, equal values become one, and only if too many are left are
// neighbours joined. How much a joined value may stand for shrinks towards both ends as sqrt(q (1 - q)), so
// that small and large quantiles stay sharp. A value that stands for itself is a step of the distribution
// function; one that was joined is a point on a straight line to its neighbours.
#include "orrery/statistics.h"
#include <math.h>
#include <string.h>

enum { DIGEST_KEPT = 120 };    // values left after joining, at most
#define DIGEST_WIDTH 0.05      // of the largest piece, see join_near

// ---- Digest

// The later values are put in order among themselves, then merged with the others.
static void sort_tail(orr_digest *d)
{
    double values[ORR_DIGEST_MAX], weights[ORR_DIGEST_MAX];
    for (uint32_t i = d->n_sorted + 1; i < d->n; i++) {
        const double value = d->value[i];
        const double weight = d->weight[i];
        uint32_t k = i;
        for (; k > d->n_sorted && d->value[k - 1] > value; k--) {
            d->value[k] = d->value[k - 1];
            d->weight[k] = d->weight[k - 1];
        }
        d->value[k] = value;
        d->weight[k] = weight;
    }
    uint32_t a = 0;
    uint32_t b = d->n_sorted;
    for (uint32_t i = 0; i < d->n; i++) {
        const uint32_t from = a < d->n_sorted && (b == d->n || d->value[a] <= d->value[b]) ? a++ : b++;
        values[i] = d->value[from];
        weights[i] = d->weight[from];
    }
    if (d->n > 0) {
        memcpy(d->value, values, d->n * sizeof *values);
        memcpy(d->weight, weights, d->n * sizeof *weights);
    }
    d->n_sorted = d->n;
}

// Equal values that stand for themselves become one.
static void join_equal(orr_digest *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const int same = n > 0 && d->value[n - 1] == d->value[i] &&
                         (d->weight[n - 1] > 0) == (d->weight[i] > 0);
        if (same) d->weight[n - 1] += d->weight[i];
        else {
            d->value[n] = d->value[i];
            d->weight[n++] = d->weight[i];
        }
    }
    d->n = d->n_sorted = n;
}

static double total_weight(const orr_digest *d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d->n; i++) sum += fabs(d->weight[i]);
    return sum;
}

// Neighbours become one as long as it stands for no more than a fraction width * sqrt(q (1 - q)) of all.
static void join_near(orr_digest *d, double width)
{
    const double total = total_weight(d);
    double before = 0;    // weight of those that are done
    uint32_t n = 1;
    for (uint32_t i = 1; i < d->n; i++) {
        const double left = fabs(d->weight[n - 1]);
        const double right = fabs(d->weight[i]);
        const double both = left + right;
        const double q = (before + both / 2) / total;
        if (both <= total * width * sqrt(q * (1 - q))) {
            d->value[n - 1] += (d->value[i] - d->value[n - 1]) * (right / both);
            d->weight[n - 1] = -both;
        } else {
            before += left;
            d->value[n] = d->value[i];
            d->weight[n++] = d->weight[i];
        }
    }
    d->n = d->n_sorted = n;
}

static void digest_compress(orr_digest *d)
{
    sort_tail(d);
    join_equal(d);
    for (double width = DIGEST_WIDTH; d->n > DIGEST_KEPT; width *= 1.1) join_near(d, width);
}

static void digest_add(orr_digest *d, double value, double weight)
{
    if (d->n == ORR_DIGEST_MAX) digest_compress(d);
    d->value[d->n] = value;
    d->weight[d->n++] = weight;
}

static void digest_merge(orr_digest *into, const orr_digest *other)
{
    for (uint32_t i = 0; i < other->n; i++) digest_add(into, other->value[i], other->weight[i]);
}

// As it is asked: in order, and small pieces beside joined ones joined with them. Such a piece says that all
// of its neighbour lies on one side of it, which is not so.
static orr_digest digest_asked(const orr_digest *digest)
{
    orr_digest d = *digest;
    sort_tail(&d);
    join_equal(&d);
    const double total = total_weight(&d);
    double before = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < d.n; i++) {
        const double weight = fabs(d.weight[i]);
        const double q = (before + weight / 2) / total;
        before += weight;
        if (n > 0 && d.weight[n - 1] < 0 && weight < total * (DIGEST_WIDTH / 2) * sqrt(q * (1 - q))) {
            const double both = weight - d.weight[n - 1];
            d.value[n - 1] += (d.value[i] - d.value[n - 1]) * (weight / both);
            d.weight[n - 1] = -both;
        } else {
            d.value[n] = d.value[i];
            d.weight[n++] = d.weight[i];
        }
    }
    d.n = d.n_sorted = n;
    return d;
}

// The distribution function is walked along its corners: (value, weight below it), from the least value to
// the greatest.
typedef struct Walk {
    const orr_digest *d;
    uint32_t i;      // next value of the digest
    int half;        // the second corner of a step comes next
    double below;    // weight of those before
    double max;      // the last corner
} Walk;

static int next_corner(Walk *w, double *value, double *below)
{
    if (w->i > w->d->n) return 0;
    if (w->i == w->d->n) {
        w->i++;
        *value = w->max;
        *below = w->below;
        return 1;
    }
    const double weight = w->d->weight[w->i];
    *value = w->d->value[w->i];
    if (weight > 0 && !w->half) {
        *below = w->below;
        w->half = 1;
        return 1;
    }
    w->half = 0;
    *below = w->below + (weight > 0 ? weight : -weight / 2);
    w->below += fabs(weight);
    w->i++;
    return 1;
}

static double digest_quantile(const orr_digest *digest, double min, double max, double p)
{
    const orr_digest d = digest_asked(digest);
    const double wanted = fmin(fmax(p, 0), 1) * total_weight(&d);
    Walk walk = { .d = &d, .max = max };
    double last_value = min;
    double last = 0;
    double value, below;
    while (next_corner(&walk, &value, &below)) {
        // rounding of the sum must not lead to the next step
        if (below >= wanted * (1 - 1e-14) && below > 0) {
            if (below == last || value == last_value) return value;
            return last_value + (value - last_value) * fmin((wanted - last) / (below - last), 1);
        }
        last_value = value;
        last = below;
    }
    return max;
}

static double digest_below(const orr_digest *digest, double min, double max, double x)
{
    if (!(x > min)) return 0;
    const orr_digest d = digest_asked(digest);
    if (x > max) return total_weight(&d);
    Walk walk = { .d = &d, .max = max };
    double last_value = min;
    double last = 0;
    double value, below;
    while (next_corner(&walk, &value, &below)) {
        if (value >= x)
            return value == last_value ? below
                                       : last + (below - last) * ((x - last_value) / (value - last_value));
        last_value = value;
        last = below;
    }
    return last;
}

static void digest_histogram(const orr_digest *digest, double min, double max, double low, double high,
                             uint32_t n, double *sums)
{
    const orr_digest d = digest_asked(digest);
    double before = low < high && d.n > 0 ? digest_below(&d, min, max, low) : 0;
    for (uint32_t i = 0; i < n; i++) {
        // the last edge is `high` itself
        const double edge = i + 1 < n ? low + (high - low) * ((double)(i + 1) / (double)n) : high;
        const double upto = low < high && d.n > 0 ? digest_below(&d, min, max, edge) : 0;
        sums[i] = upto - before;
        before = upto;
    }
}

// ---- Tally

void orr_tally_reset(orr_tally *tally) { memset(tally, 0, sizeof *tally); }

int orr_tally_add(orr_tally *tally, double value)
{
    if (!isfinite(value)) return 0;
    if (tally->n == 0 || value < tally->min) tally->min = value;
    if (tally->n == 0 || value > tally->max) tally->max = value;
    const double off = value - tally->mean;
    tally->mean += off / (double)++tally->n;
    tally->squares += off * (value - tally->mean);
    digest_add(&tally->digest, value, 1);
    return 1;
}

// Moments of two groups with these weights, as those of one. [Chan, Golub & LeVeque 1979]
static void merge_moments(double *mean, double *squares, double weight, double other_mean,
                          double other_squares, double other_weight)
{
    const double both = weight + other_weight;
    const double off = other_mean - *mean;
    *mean += off * (other_weight / both);
    *squares += other_squares + off * off * (weight * (other_weight / both));
}

void orr_tally_merge(orr_tally *into, const orr_tally *other)
{
    if (other->n == 0) return;
    if (into->n == 0) {
        *into = *other;
        return;
    }
    const orr_tally copy = *other;    // it may be the same
    merge_moments(&into->mean, &into->squares, (double)into->n, copy.mean, copy.squares, (double)copy.n);
    into->n += copy.n;
    into->min = fmin(into->min, copy.min);
    into->max = fmax(into->max, copy.max);
    digest_merge(&into->digest, &copy.digest);
}

double orr_tally_mean(const orr_tally *tally) { return tally->n ? tally->mean : (double)NAN; }
double orr_tally_min(const orr_tally *tally) { return tally->n ? tally->min : (double)NAN; }
double orr_tally_max(const orr_tally *tally) { return tally->n ? tally->max : (double)NAN; }
double orr_tally_sd(const orr_tally *tally)
{
    return tally->n > 1 ? sqrt(tally->squares / (double)(tally->n - 1)) : (double)NAN;
}

double orr_tally_quantile(const orr_tally *tally, double p)
{
    if (tally->n == 0 || !(p >= 0 && p <= 1)) return (double)NAN;
    return digest_quantile(&tally->digest, tally->min, tally->max, p);
}

double orr_tally_below(const orr_tally *tally, double x)
{
    return tally->n ? digest_below(&tally->digest, tally->min, tally->max, x) : 0;
}

void orr_tally_histogram(const orr_tally *tally, double low, double high, uint32_t n, double *counts)
{
    digest_histogram(&tally->digest, tally->min, tally->max, low, high, n, counts);
}

// ---- Level

void orr_level_begin(orr_level *level, double t, double value)
{
    memset(level, 0, sizeof *level);
    level->t = t;
    level->value = value;
}

// The value has held up to t.
static void hold(orr_level *level, double t)
{
    const double weight = t - level->t;
    if (!(weight > 0)) return;
    if (level->duration == 0 || level->value < level->min) level->min = level->value;
    if (level->duration == 0 || level->value > level->max) level->max = level->value;
    level->duration += weight;
    const double off = level->value - level->mean;
    level->mean += off * (weight / level->duration);
    level->squares += weight * off * (level->value - level->mean);
    digest_add(&level->digest, level->value, weight);
    level->t = t;
}

int orr_level_set(orr_level *level, double t, double value)
{
    if (!(t >= level->t) || isinf(t) || !isfinite(value)) return 0;
    if (value != level->value) {
        hold(level, t);    // a value that stays goes on as one piece
        level->value = value;
        level->n_changes++;
    }
    return 1;
}

int orr_level_add(orr_level *level, double t, double change)
{
    return orr_level_set(level, t, level->value + change);
}

void orr_level_reset(orr_level *level, double t)
{
    orr_level_begin(level, t > level->t ? t : level->t, level->value);
}

void orr_level_merge(orr_level *into, const orr_level *other)
{
    if (!(other->duration > 0)) return;
    const orr_level copy = *other;    // it may be the same
    if (into->duration > 0) {
        merge_moments(&into->mean, &into->squares, into->duration, copy.mean, copy.squares, copy.duration);
        into->min = fmin(into->min, copy.min);
        into->max = fmax(into->max, copy.max);
    } else {
        into->mean = copy.mean;
        into->squares = copy.squares;
        into->min = copy.min;
        into->max = copy.max;
    }
    into->duration += copy.duration;
    into->n_changes += copy.n_changes;
    digest_merge(&into->digest, &copy.digest);
}

static orr_level held(const orr_level *level, double t)
{
    orr_level copy = *level;
    hold(&copy, t);
    return copy;
}

double orr_level_mean(const orr_level *level, double t)
{
    const double weight = fmax(t - level->t, 0);
    const double duration = level->duration + weight;
    return duration > 0 ? level->mean + (level->value - level->mean) * (weight / duration) : level->value;
}

double orr_level_sd(const orr_level *level, double t)
{
    const orr_level now = held(level, t);
    return now.duration > 0 ? sqrt(now.squares / now.duration) : 0;
}

double orr_level_min(const orr_level *level, double t)
{
    return level->duration > 0 && (!(t > level->t) || level->min < level->value) ? level->min : level->value;
}

double orr_level_max(const orr_level *level, double t)
{
    return level->duration > 0 && (!(t > level->t) || level->max > level->value) ? level->max : level->value;
}

double orr_level_quantile(const orr_level *level, double t, double p)
{
    const orr_level now = held(level, t);
    if (!(p >= 0 && p <= 1)) return (double)NAN;
    return now.duration > 0 ? digest_quantile(&now.digest, now.min, now.max, p) : now.value;
}

double orr_level_below(const orr_level *level, double t, double x)
{
    const orr_level now = held(level, t);
    return now.duration > 0 ? digest_below(&now.digest, now.min, now.max, x) : 0;
}

void orr_level_histogram(const orr_level *level, double t, double low, double high, uint32_t n,
                         double *durations)
{
    const orr_level now = held(level, t);
    digest_histogram(&now.digest, now.min, now.max, low, high, n, durations);
}
