// src/exp/histogram.c: a distribution for the eye: numbers and bars of characters, or a figure.
//
//     watch.times: 199 values, mean 0.7489, deviation 0.3521, from 0.5 to 3.871
//       50 % are up to 0.6032, 95 % up to 1.497
//       0.5 … 1   |##########################  81.4 %
//       1 … 1.5   |#####                       14.1 %
#include "base/diag.h"
#include "orrery/distribution.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- On a terminal

// An edge that rounding moved off 0 is 0.
static double edge(const orr_bins *b, size_t i)
{
    const double width = (b->high - b->low) / (double)b->n,
                 x = i < b->n ? b->low + (double)i * width : b->high;
    return fabs(x) < 1e-9 * width ? 0 : x;
}

static void print_bar(FILE *out, const char *label, int label_width, int characters, double part, double most,
                      int room)
{
    const int n = most > 0 ? (int)lround(part / most * room) : 0;
    fprintf(out, "    %s%*s |", label, label_width - characters, "");
    for (int i = 0; i < n; i++) fputc('#', out);
    if (n == 0 && part > 0) fputc('.', out);    // there is something
    fprintf(out, "%*s %6.2f %%\n", room - (n > 0 ? n : part > 0), "", 100 * part);
}

static int name_bin(char *label, size_t size, const orr_bins *b, size_t i)
{
    if (b->is_each) return snprintf(label, size, "%.10g", edge(b, i));
    return snprintf(label, size, "%.6g .. %.6g", edge(b, i), edge(b, i + 1));
}

static void print_bins(const orr_distribution *d, FILE *out, int width)
{
    orr_bins *b = malloc(sizeof *b);
    if (!b) arena_no_memory(sizeof *b);
    orr_distribution_bins(d, b);
    const double weight = orr_distribution_weight(d);
    char label[80];
    int label_width = 5;    // "below"
    double most = fmax(b->below, b->above);
    for (size_t i = 0; i < b->n; i++) {
        const int n = name_bin(label, sizeof label, b, i);
        if (n > label_width) label_width = n;
        most = fmax(most, b->weights[i]);
    }
    const int room = width - label_width - 16 > 10 ? width - label_width - 16 : 10;
    for (size_t i = 0; b->n > 0 && weight > 0 && i < b->n + 2; i++) {
        const double part = i == 0 ? b->below : i > b->n ? b->above : b->weights[i - 1];
        int n;
        if (i == 0) n = snprintf(label, sizeof label, "below");
        else if (i > b->n) n = snprintf(label, sizeof label, "above");
        else n = name_bin(label, sizeof label, b, i - 1);
        if (part > 0 || (i > 0 && i <= b->n))
            print_bar(out, label, label_width, n, part / weight, most / weight, room);
    }
    free(b);
}

void orr_distribution_print(const orr_distribution *d, FILE *out, int width)
{
    const double weight = orr_distribution_weight(d);
    fprintf(out, "  %s", d->asked.name);
    if (d->unit) fprintf(out, " [%s]", d->unit);
    if (!(weight > 0)) {
        fputs(": nothing was seen\n", out);
        return;
    }
    if (d->is_level) fprintf(out, ": over %.6g %s", weight, d->time_unit ? d->time_unit : "");
    else fprintf(out, ": %.0f value%s", weight, weight == 1 ? "" : "s");
    fprintf(out, ", mean %.6g", orr_distribution_mean(d));
    if (isfinite(orr_distribution_deviation(d)))
        fprintf(out, ", deviation %.6g", orr_distribution_deviation(d));
    fprintf(out, ", from %.6g to %.6g\n   ", orr_distribution_lowest(d), orr_distribution_highest(d));
    for (size_t i = 0; i < d->asked.n_percentiles; i++)
        fprintf(out, "%s %.10g %% up to %.6g", i ? "," : "", d->asked.percentiles[i],
                orr_distribution_percentile(d, d->asked.percentiles[i]));
    fputc('\n', out);
    if (d->asked.n_bins > 0) print_bins(d, out, width);
}

// ---- As a figure

orr_figure *orr_distribution_figure(const orr_distribution *d, const char *title, orr_diag *diag)
{
    orr_bins *b = malloc(sizeof *b);
    if (!b) arena_no_memory(sizeof *b);
    orr_distribution_bins(d, b);
    const double weight = orr_distribution_weight(d), width = (b->high - b->low) / (double)b->n;
    const double shift = b->is_each ? 0.5 : 0;    // a bar stands above its number
    orr_figure *f = NULL;
    if (b->n > 0 && weight > 0) {
        f = orr_figure_create(title);
        orr_panel *panel = orr_figure_add_panel(f);
        panel->x.label = orr_figure_text(f, d->asked.name);
        panel->x.unit = orr_figure_text(f, d->unit);
        panel->y.label = d->is_level ? "% of the time" : "% of the values";
        orr_series *bars = orr_figure_add_series(f, panel, ORR_SERIES_BARS, NULL, b->n);
        bars->width = width;
        for (size_t i = 0; i < b->n; i++) {
            bars->x[i] = b->low + ((double)i + 0.5) * width - shift;
            bars->y[i] = 100 * b->weights[i] / weight;
        }
    } else {
        diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, d->asked.name, "nothing was seen of it");
    }
    free(b);
    return f;
}
