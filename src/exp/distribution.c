// src/exp/distribution.c: what came out of a statistic: numbers, bins, lines of CSV.
#include "orrery/distribution.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

enum { BINS_USUAL = 20 };

// ---- Numbers

double orr_distribution_weight(const orr_distribution *d)
{
    if (!d->is_level) return (double)d->tally.n;
    return d->level.duration + fmax(d->t - d->level.t, 0);
}

double orr_distribution_mean(const orr_distribution *d)
{
    return d->is_level ? orr_level_mean(&d->level, d->t) : orr_tally_mean(&d->tally);
}

double orr_distribution_deviation(const orr_distribution *d)
{
    return d->is_level ? orr_level_sd(&d->level, d->t) : orr_tally_sd(&d->tally);
}

double orr_distribution_lowest(const orr_distribution *d)
{
    return d->is_level ? orr_level_min(&d->level, d->t) : orr_tally_min(&d->tally);
}

double orr_distribution_highest(const orr_distribution *d)
{
    return d->is_level ? orr_level_max(&d->level, d->t) : orr_tally_max(&d->tally);
}

double orr_distribution_percentile(const orr_distribution *d, double percent)
{
    const double p = percent / 100;
    return d->is_level ? orr_level_quantile(&d->level, d->t, p) : orr_tally_quantile(&d->tally, p);
}

double orr_distribution_below(const orr_distribution *d, double x)
{
    return d->is_level ? orr_level_below(&d->level, d->t, x) : orr_tally_below(&d->tally, x);
}

// What a level holds at its end counts up to there.
static orr_level ended(const orr_distribution *d)
{
    orr_level level = d->level;
    const double value = level.value;
    if (d->t > level.t) {    // another value ends the piece
        orr_level_set(&level, d->t, value + 1);
        level.value = value;
        level.n_changes--;
    }
    return level;
}

void orr_distribution_merge(orr_distribution *into, const orr_distribution *other)
{
    if (!into->is_level) {
        orr_tally_merge(&into->tally, &other->tally);
        return;
    }
    const orr_level more = ended(other);
    into->level = ended(into);
    orr_level_merge(&into->level, &more);
    into->t = into->level.t;
}

// ---- Bins

static bool is_whole(const orr_digest *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->weight[i] < 0 || d->value[i] != floor(d->value[i])) return false;
    return true;
}

// The least of 1, 2, 5, 10, … that is not below x.
static double round_width(double x)
{
    const double power = pow(10, floor(log10(x)));
    static const double steps[] = { 1, 2, 5 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= x * (1 - 1e-9)) return steps[i] * power;
    return 10 * power;
}

// Edges at round numbers, with all values inside; of whole numbers no bin is narrower than 1.
static void fit_bins(const orr_distribution *d, size_t n_most, orr_bins *bins)
{
    const double lowest = orr_distribution_lowest(d), highest = orr_distribution_highest(d);
    const bool whole = is_whole(d->is_level ? &d->level.digest : &d->tally.digest);
    double width = (highest - lowest) / (double)n_most;
    if (!(width > 0)) width = whole || lowest == 0 ? 1 : fabs(lowest) * 0.1;
    if (whole && width < 1) width = 1;
    for (width = round_width(width);; width = round_width(width * 1.5)) {
        bins->low = floor(lowest / width) * width;
        const double n = floor((highest - bins->low) / width) + 1;
        if (n > (double)n_most) continue;
        bins->n = (size_t)n;
        bins->is_each = whole && width == 1;
        bins->high = bins->low + n * width;
        return;
    }
}

void orr_distribution_bins(const orr_distribution *d, orr_bins *bins)
{
    const orr_statistic *asked = &d->asked;
    size_t n = asked->n_bins ? asked->n_bins : BINS_USUAL;
    if (n > ORR_BINS_MAX) n = ORR_BINS_MAX;
    *bins = (orr_bins){ .n = n, .low = asked->low, .high = asked->high };
    const double weight = orr_distribution_weight(d);
    if (!(asked->low < asked->high)) {
        bins->n = 0;
        if (weight > 0) fit_bins(d, n, bins);
    }
    if (bins->n == 0) return;
    if (d->is_level)
        orr_level_histogram(&d->level, d->t, bins->low, bins->high, (uint32_t)bins->n, bins->weights);
    else orr_tally_histogram(&d->tally, bins->low, bins->high, (uint32_t)bins->n, bins->weights);
    bins->below = orr_distribution_below(d, bins->low);
    double inside = 0;
    for (size_t i = 0; i < bins->n; i++) inside += bins->weights[i];
    bins->above = weight - bins->below - inside;
    if (bins->above < 1e-9 * weight) bins->above = 0;    // rounding
}

// ---- CSV

static void put_number(FileOut *file, double value)
{
    char text[NUMBER_MAX];
    file_write(file, text, number_format(value, text));
}

static void put_line(FileOut *file, const orr_distribution *d, const char *what, double from, double to,
                     double value)
{
    csv_field(file, d->asked.name);
    file_printf(file, ",%s,", what);
    if (!isnan(from)) put_number(file, from);
    file_write(file, ",", 1);
    if (!isnan(to)) put_number(file, to);
    file_write(file, ",", 1);
    put_number(file, value);
    file_write(file, "\n", 1);
    file_mark(file);
}

static void put_bins(FileOut *file, const orr_distribution *d)
{
    orr_bins bins;
    orr_distribution_bins(d, &bins);
    if (bins.n == 0) return;
    if (bins.below > 0) put_line(file, d, "below", NAN, bins.low, bins.below);
    const double width = (bins.high - bins.low) / (double)bins.n;
    for (size_t i = 0; i < bins.n; i++) {
        const double to = i + 1 < bins.n ? bins.low + (double)(i + 1) * width : bins.high;
        put_line(file, d, "bin", bins.low + (double)i * width, to, bins.weights[i]);
    }
    if (bins.above > 0) put_line(file, d, "above", bins.high, NAN, bins.above);
}

bool orr_distributions_write(const orr_distribution *all, size_t n, const char *path, orr_diag *diag)
{
    FileOut file;
    if (!file_open(&file, path, FILE_IN_PLACE, diag)) return false;
    static const char *const columns[] = { "statistic", "what", "from", "to", "value" };
    csv_header(&file, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        const orr_distribution *d = &all[i];
        put_line(&file, d, d->is_level ? "duration" : "count", NAN, NAN, orr_distribution_weight(d));
        put_line(&file, d, "mean", NAN, NAN, orr_distribution_mean(d));
        put_line(&file, d, "deviation", NAN, NAN, orr_distribution_deviation(d));
        put_line(&file, d, "lowest", NAN, NAN, orr_distribution_lowest(d));
        put_line(&file, d, "highest", NAN, NAN, orr_distribution_highest(d));
        for (size_t k = 0; k < d->asked.n_percentiles; k++) {
            char what[40];
            snprintf(what, sizeof what, "p%.10g", d->asked.percentiles[k]);
            put_line(&file, d, what, NAN, NAN, orr_distribution_percentile(d, d->asked.percentiles[k]));
        }
        if (d->asked.n_bins > 0) put_bins(&file, d);
    }
    return file_close(&file, diag);
}
