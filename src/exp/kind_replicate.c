// src/exp/kind_replicate.c: an experiment again and again with other luck; means and how sure they are.
#include "exp/kind.h"
#include "orrery/replicate.h"
#include <math.h>
#include <string.h>

static const orr_keyword words[] = {
    WORD("at-least", COUNT, "N", "replications before the precision is looked at (default: 10)",
      .low = 2, .high = ORR_REPLICATIONS_MAX, .hint = "from 2 on"),
    WORD("at-most", COUNT, "N", "replications while it is not reached (default: 10000)",
      .low = 2, .high = ORR_REPLICATIONS_MAX, .hint = "from 2 on"),
    WORD("summary", TEXT, "FILE", "write the means and intervals as CSV", .is_private = true),
    WORD("bands", TEXT, "FILE", "write quantiles over time as CSV: columns x.p5, x.p25, …",
      .is_private = true),
};

typedef struct Study {
    const Call *call;
    RowFile     file;
} Study;

static bool take(void *self, size_t index, const char *const *names, const double *values, size_t n)
{
    Study *s = self;
    RowFile *file = &s->file;
    if (!file->out) return true;
    static const char *const own[] = { "replication" };
    if (!file->has_begun && !row_file_begin(file, own, 1, names, n, NULL)) return false;
    file->row[0] = (double)index;
    memcpy(file->row + 1, values, n * sizeof *values);
    if (!file->sink.row(file->sink.self, s->call->experiment->until, file->row, n + 1)) return false;
    // written through now and then, so that what is complete survives whatever happens
    return !file->sink.progress || file->sink.progress(file->sink.self, 0, 0, 1);
}

static bool show_progress(void *self, size_t n_done, const orr_estimate *estimates, size_t n)
{
    const Call *call = ((Study *)self)->call;
    char text[200];
    int used = snprintf(text, sizeof text, "%zu replications", n_done);
    if (n > 0 && n_done > 1)
        snprintf(text + used, sizeof text - (size_t)used, ": %s = %.6g ± %.2g", estimates[0].name,
                 estimates[0].mean, estimates[0].half);
    if (call->how->progress) call->how->progress(call->how->self, NAN, text);
    return true;
}

static void keep_estimates(Call *call, const orr_replications *r)
{
    Sheet sheet = sheet_begin(call, "estimates", r->n_estimates);
    const char **names = sheet_texts(&sheet, "variable");
    static const char *const columns[] = { "n",    "mean",      "half_width", "low",
                                           "high", "deviation", "least",      "most" };
    enum { N = sizeof columns / sizeof *columns };
    double *numbers[N];
    for (size_t k = 0; k < N; k++) numbers[k] = sheet_numbers(&sheet, columns[k], NULL);
    for (size_t i = 0; i < r->n_estimates; i++) {
        const orr_estimate *e = &r->estimates[i];
        const double row[N] = { (double)e->n, e->mean,      e->half,  e->mean - e->half,
                                e->mean + e->half, e->deviation, e->least, e->most };
        names[i] = arena_copy_text(call->arena, e->name, strlen(e->name));
        for (size_t k = 0; k < N; k++) numbers[k][i] = row[k];
    }
    sheet_end(&sheet);
}

static void say_estimates(Call *call, const orr_replications *r)
{
    int width = 8;
    for (size_t i = 0; i < r->n_estimates; i++)
        if ((int)strlen(r->estimates[i].name) > width) width = (int)strlen(r->estimates[i].name);
    say(call, "  %-*s  %13s  %11s  %13s  %13s  %11s\n", width, "", "mean", "±", "from", "to", "deviation");
    for (size_t i = 0; i < r->n_estimates; i++) {
        const orr_estimate *e = &r->estimates[i];
        say(call, "  %-*s  %13.7g  %11.4g  %13.7g  %13.7g  %11.4g%s%s%s%s\n", width, e->name, e->mean,
            e->half, e->mean - e->half, e->mean + e->half, e->deviation, e->unit ? " [" : "",
            e->unit ? e->unit : "", e->unit ? "]" : "", e->is_precise ? "" : "  not precise yet");
    }
}

static void say_all(Call *call, const orr_replications *r, orr_status status, orr_lanes lanes)
{
    const orr_experiment *e = call->experiment;
    say(call, "%s: %zu replication%s%s, seed %llu, intervals of confidence %g\n", call_title(call), r->n_done,
        r->n_done == 1 ? "" : "s", r->n_in_lanes ? ", many at once" : "", (unsigned long long)e->run.seed,
        r->confidence);
    say_estimates(call, r);
    if (status == ORR_STATUS_CANCELLED)
        say(call, "  ended early: the intervals are those of what was complete\n");
    if (e->precision > 0 && !r->is_precise)
        say(call, "  the precision %g was not reached; --at-most N allows more\n", e->precision);
    if (r->n_failed) say(call, "  %zu failed and do not count\n", r->n_failed);
    if (r->one_by_one && lanes == ORR_LANES_ALWAYS) say(call, "  one by one: %s\n", r->one_by_one);
    if (r->n_violated) say(call, "  in %zu a claim does not hold\n", r->n_violated);
}

static void keep_stats(Call *call, const orr_replications *r)
{
    stat_count(call, "replications", r->n_done);
    stat_count(call, "failed", r->n_failed);
    stat_count(call, "violated", r->n_violated);
    stat_count(call, "in_lanes", r->n_in_lanes);
    stat_text(call, "one_by_one", r->one_by_one);
    stat_count(call, "threads", r->n_threads);
    stat_ms(call, "simulate_ms", r->simulate_ms);
}

// Quantiles over time, as a sheet.
static void keep_bands(Call *call, const orr_bands *b)
{
    Sheet sheet = sheet_begin(call, "bands", b->n_rows);
    memcpy(sheet_numbers(&sheet, "t", orr_model_time_unit(call->model)), b->times,
           b->n_rows * sizeof *b->times);
    for (size_t c = 0; c < b->n_columns; c++)
        for (size_t l = 0; l < b->n_levels; l++) {
            double *to = sheet_numbers(
                &sheet, arena_printf(call->arena, "%s.p%.0f", b->names[c], 100 * b->levels[l]), b->units[c]);
            for (size_t i = 0; i < b->n_rows; i++) to[i] = b->values[(c * b->n_rows + i) * b->n_levels + l];
        }
    sheet_end(&sheet);
}

// The area in which a part of the replications lies, and the median.
static void draw_column(orr_figure *f, const orr_bands *b, size_t c)
{
    static const char *const names[] = { "5 % to 95 %", "25 % to 75 %" };
    orr_panel *panel = orr_figure_add_panel(f);
    panel->x.label = "t";
    panel->y.label = orr_figure_text(f, b->names[c]);
    panel->y.unit = orr_figure_text(f, b->units[c]);
    const double *values = b->values + c * b->n_rows * b->n_levels;
    for (size_t k = 0; k < 2; k++) {
        orr_series *s = orr_figure_add_series(f, panel, ORR_SERIES_BAND, names[k], b->n_rows);
        s->colour = 0;
        for (size_t i = 0; i < b->n_rows; i++) {
            s->x[i] = b->times[i];
            s->low[i] = values[i * b->n_levels + k];
            s->high[i] = values[i * b->n_levels + b->n_levels - 1 - k];
        }
    }
    orr_series *s = orr_figure_add_series(f, panel, ORR_SERIES_LINE, "median", b->n_rows);
    s->colour = 0;
    for (size_t i = 0; i < b->n_rows; i++) {
        s->x[i] = b->times[i];
        s->y[i] = values[i * b->n_levels + b->n_levels / 2];
    }
}

enum { PANELS_MAX = 4, ROWS_DRAWN = 100 };

static bool has_column(const orr_bands *b, const char *name)
{
    for (size_t c = 0; c < b->n_columns; c++)
        if (strcmp(b->names[c], name) == 0) return true;
    return false;
}

// Is all that is to be drawn there? Messages if not.
static bool check_bands(Call *call, const orr_bands *b)
{
    const orr_experiment *e = call->experiment;
    bool ok = true;
    for (size_t i = 0; i < e->n_plots; i++) {
        for (size_t k = 0; k < e->plots[i].n_ys && !e->plots[i].is_histogram; k++) {
            if (has_column(b, e->plots[i].ys[k])) continue;
            diag_report(call->diag, DIAG_PLOT_BAD, (Place){ 0 }, e->plots[i].ys[k], "it is not recorded");
            ok = false;
        }
    }
    return ok;
}

// Each plot over time, or without any what is recorded.
static void draw_bands(Call *call, const orr_bands *b, bool looks)
{
    const orr_experiment *e = call->experiment;
    size_t n_plots = 0;
    for (size_t i = 0; i < e->n_plots; i++) n_plots += !e->plots[i].is_histogram;
    orr_figure *f = orr_figure_create(orr_model_name(call->model));
    for (size_t c = 0; c < b->n_columns && f->n_panels < PANELS_MAX; c++) {
        bool is_drawn = n_plots == 0;
        for (size_t i = 0; i < e->n_plots; i++)
            for (size_t k = 0; k < e->plots[i].n_ys && !e->plots[i].is_histogram; k++)
                is_drawn |= strcmp(e->plots[i].ys[k], b->names[c]) == 0;
        if (is_drawn) draw_column(f, b, c);
    }
    const bool is_file_only = !looks || e->n_statistics > 0;
    if (f->n_panels)
        part_add(call, (orr_part){ .figure = f, .picture = 1, .is_file_only = is_file_only });
    else orr_figure_destroy(f);
}

// Of the plots of the experiment histograms are of all replications, and others become bands over time;
// without any, all statistics that have bins are drawn.
static bool choose_plots(Call *call, orr_experiment *e)
{
    VEC(orr_plot) plots = { 0 };
    bool has_curves = false;
    for (size_t i = 0; i < e->n_plots; i++) has_curves |= !e->plots[i].is_histogram && !e->plots[i].over;
    if (e->every == 0 && !isnan(e->until) && call->how->asks_plots && has_curves)
        e->every = (e->until - e->from) / ROWS_DRAWN;
    if (e->every > 0 && (has_curves || e->n_statistics == 0)) return true;
    for (size_t i = 0; i < e->n_plots; i++)
        if (e->plots[i].is_histogram) vec_push(call->arena, &plots, e->plots[i]);
    for (size_t i = 0; plots.n == 0 && i < e->n_statistics && call->how->n_pictures > 0; i++) {
        const orr_plot all = { .ys = &e->statistics[i].name, .n_ys = 1, .is_histogram = true };
        if (e->statistics[i].n_bins > 0) vec_push(call->arena, &plots, all);
    }
    const bool is_wrong = plots.n == 0 && (call->how->n_pictures > 0 || call->how->asks_plots);
    if (is_wrong)
        orr_diag_add(call->diag, "E412",
                     arena_printf(call->arena,
                                  "cannot plot '%s': of replications only histograms of statistics are drawn",
                                  e->n_plots > 0 && e->plots[0].n_ys > 0 ? e->plots[0].ys[0] : "rows"),
                     "such as --plot 'histogram of desk.waits' --plot waits.svg");
    e->plots = plots.items;
    e->n_plots = plots.n;
    return !is_wrong;
}

static orr_status carry_out(Call *call)
{
    orr_experiment e = *call->experiment;
    const orr_experiment *asked = call->experiment;
    call->experiment = &e;
    orr_replicate_options o = orr_replicate_options_default();
    o.lanes = value_lanes(&e);
    o.at_least = value_count(&e, "at-least");
    o.at_most = value_count(&e, "at-most");
    o.n_threads = value_count(&e, "threads");
    o.cancel = call->how->cancel;
    Study study = { .call = call };
    if (!choose_plots(call, &e)) return ORR_STATUS_USAGE;
    if (!row_file_open(&study.file, call)) return ORR_STATUS_SYSTEM;
    o.replication = take;
    o.progress = show_progress;
    o.context = &study;
    orr_replications r = orr_replicate(call->model, &e, &o, call->diag);
    orr_status status = row_file_close(&study.file, r.status);
    if (r.n_done > 0) {
        keep_estimates(call, &r);
        if (r.bands) keep_bands(call, r.bands);
        say_all(call, &r, status, o.lanes);
        verdicts_add(call, r.verdicts, r.n_verdicts);
        if (call->how->output) say(call, "  rows in %s\n", call->how->output);
        const bool is_written = sheet_write(call, "estimates", value_text(&e, "summary")) &&
                                sheet_write(call, "bands", value_text(&e, "bands"));
        if (!is_written && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
        if (r.bands && !check_bands(call, r.bands) && status == ORR_STATUS_OK) status = ORR_STATUS_USAGE;
        if (r.bands) draw_bands(call, r.bands, !call->how->is_quiet && !call->how->output);
    }
    if (r.n_distributions > 0 && !statistics_add(call, r.distributions, r.n_distributions) &&
        status == ORR_STATUS_OK)
        status = ORR_STATUS_SYSTEM;
    keep_stats(call, &r);
    if (status == ORR_STATUS_OK && r.n_failed) status = ORR_STATUS_FAILED;
    orr_replications_free(&r);
    call->experiment = asked;
    return status;
}

const Kind kind_replicate = {
    .kind = {
        .name = "replicate",
        .summary = "repeat an experiment with other random numbers: means with confidence intervals",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .implied_by = "replications precision sampling correlation draw",
        .shared = "set reactions input sampling correlation allow-io until from every record observe solver "
                  "island step path "
                  "tol abs max-step "
                  "quantum seed run replications warm-up precision precise confidence threads lanes "
                  "statistics max-time",
        .output = "FILE",
        .output_help = "write a row for each replication as CSV, or as NetCDF-4 (.nc); - is standard output",
        .details =
            "Each replication is a run with a number of its own, which decides with the seed what is drawn. "
            "Observed are the values of what\n"
            "is recorded at the end and, if rows are recorded, their means "
            "behind the warm-up. Results depend on neither threads nor\n"
            "machine; 'orrery run FILE --once --run I' shows replication I. The experiment may say all this "
            "itself:\n\n"
            "  replications 30\n  warm up 100\n  precision 0.05 of mean(x)\n\n"
            "--set 'K~normal(2, 0.1)' draws a parameter, an initial value or an input anew for each one, "
            "also from uniform,\n"
            "lognormal, exponential, triangular and weibull; --correlation K,M=0.5 makes two of them go "
            "together, --sampling latin\n"
            "or sobol fills their ranges evenly. With rows (--every) pictures show bands of quantiles over "
            "time.\n\n"
            "Example:\n\n"
            "  orrery replicate examples/repair.orr --replications 30 -o each.csv\n",
    },
    .carry_out = carry_out,
};
