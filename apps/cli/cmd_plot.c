// apps/cli/cmd_plot.c: `orrery plot`: draw the columns of a CSV file.
#include "commands.h"
#include "results.h"
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    List plot;
    const char *output, *title;
} Settings;

static const Option options[] = {
    { "-o", OPTION_TEXT, "FILE", "draw to .svg, .png or .pdf instead of the terminal",
      offsetof(Settings, output) },
    { "--plot", OPTION_LIST, "WHAT",
      "such as 'x, v over t' or 'histogram of x'; default: all over the first column",
      offsetof(Settings, plot) },
    { "--title", OPTION_TEXT, "TEXT", "title of the picture (default: the file name)",
      offsetof(Settings, title) },
};

// What is drawn as a histogram, from a column; false after a message.
static bool count_column(const orr_table *table, const char *name, orr_distribution *d, orr_diag *diag)
{
    static const double percentiles[] = { 50, 95, 99 };
    size_t c = 0;
    while (c < orr_table_n_columns(table) && strcmp(orr_table_name(table, c), name) != 0) c++;
    if (c == orr_table_n_columns(table)) {
        usage_error(diag, "E412", NULL, "cannot plot '%s': there is no such column", name);
        return false;
    }
    d->asked = (orr_statistic){ .name = name, .percentiles = percentiles, .n_percentiles = 3, .n_bins = 20 };
    d->unit = orr_table_unit(table, c);
    for (size_t k = 0; k < orr_table_n_rows(table); k++)
        orr_tally_add(&d->tally, orr_table_column(table, c)[k]);
    return true;
}

// The table, then its plots: parts as those of an experiment.
static orr_status show(const orr_table *table, const PlotRequest *request, const char *title, bool to_file,
                       orr_diag *diag)
{
    static const orr_plot everything = { 0 };
    const size_t n = request->n_plots ? request->n_plots : 1;
    orr_part *parts = calloc(2 * n + 1, sizeof *parts);
    orr_distribution *counted = calloc(n, sizeof *counted);
    if (!parts || !counted) orr_no_memory(n * sizeof *counted);
    bool ok = true;
    parts[0] = (orr_part){ .table = table, .is_file_only = to_file };
    for (size_t i = 0; i < n; i++) {
        const orr_plot *plot = request->n_plots ? &request->plots[i] : &everything;
        orr_part *part = &parts[i + 1];    // of a histogram the numbers are shown, the figure is drawn
        *part = (orr_part){ .picture = i + 1,
                            .is_file_only = to_file || plot->is_histogram || orr_table_n_rows(table) < 2 };
        if (!plot->is_histogram) part->figure = orr_table_figure(table, plot, title, diag);
        else if (count_column(table, plot->ys[0], &counted[i], diag)) {
            part->figure = orr_distribution_figure(&counted[i], title, diag);
            parts[n + 1 + i] = (orr_part){ .distribution = &counted[i], .is_file_only = to_file };
        }
        ok = part->figure && ok;
    }
    const orr_result result = { .parts = parts, .n_parts = 2 * n + 1 };
    orr_status status = ORR_STATUS_USAGE;
    if (ok) status = results_show(&result, request, false, diag) ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
    for (size_t i = 0; i <= n; i++) orr_figure_destroy(parts[i].figure);
    free(parts);
    free(counted);
    return status;
}

orr_status results_plot(const orr_table *table, const List *given, const char *output, const char *title,
                        orr_diag *diag)
{
    List plots = { 0 };
    for (size_t i = 0; i < given->n; i++) list_add(&plots, given->items[i]);
    if (output) list_add(&plots, output);
    const orr_experiment none = orr_experiment_default();
    PlotRequest request;
    orr_status status = ORR_STATUS_USAGE;
    const bool ok = results_read_plots(&request, &plots, &none, diag);
    if (ok && output && request.n_files == 0)
        usage_error(diag, "E412", "the name must end in .svg, .png or .pdf", "cannot plot to '%s'", output);
    else if (ok) status = show(table, &request, title, output != NULL, diag);
    results_free_plots(&request);
    list_free(&plots);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const char *path = arguments->items[0];
    orr_table *table = orr_table_read(path, diag);
    orr_status status = ORR_STATUS_SYSTEM;
    if (table && orr_table_n_rows(table) == 0)
        usage_error(diag, "E047", NULL, "'%s' has a header but no rows", path);
    else if (table) status = results_plot(table, &s->plot, s->output, s->title ? s->title : path, diag);
    orr_table_destroy(table);
    return (int)status;
}

const Command command_plot = {
    .name = "plot", .arguments = "FILE.csv", .summary = "Draw the columns of a CSV file",
    .options = options, .n_options = sizeof options / sizeof *options, .at_least = 1, .at_most = 1,
    .settings_size = sizeof(Settings), .run = run,
    .details = "Examples:\n"
               "  orrery plot results.csv\n"
               "  orrery plot results.csv --plot 'v over x' -o phase.png\n"
               "  orrery plot results.csv --plot 'histogram of x'\n",
};
