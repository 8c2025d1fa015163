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

// What is drawn as histograms, from the columns.
static orr_distribution *count_columns(const orr_table *table, const PlotRequest *request, size_t *n,
                                       orr_diag *diag)
{
    static const double percentiles[] = { 50, 95, 99 };
    orr_distribution *all = calloc(request->n_plots + 1, sizeof *all);
    if (!all) orr_no_memory(request->n_plots * sizeof *all);
    *n = 0;
    for (size_t i = 0; i < request->n_plots; i++) {
        if (!request->plots[i].is_histogram) continue;
        const char *name = request->plots[i].ys[0];
        size_t c = 0;
        while (c < orr_table_n_columns(table) && strcmp(orr_table_name(table, c), name) != 0) c++;
        if (c == orr_table_n_columns(table)) {
            usage_error(diag, "E412", NULL, "cannot plot '%s': there is no such column", name);
            continue;
        }
        orr_distribution *d = &all[(*n)++];
        d->asked = (orr_statistic){
            .name = name, .percentiles = percentiles, .n_percentiles = 3, .n_bins = 20
        };
        d->unit = orr_table_unit(table, c);
        for (size_t k = 0; k < orr_table_n_rows(table); k++)
            orr_tally_add(&d->tally, orr_table_column(table, c)[k]);
    }
    return all;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    List plots = { 0 };
    for (size_t i = 0; i < s->plot.n; i++) list_add(&plots, s->plot.items[i]);
    if (s->output) list_add(&plots, s->output);
    const orr_experiment none = orr_experiment_default();
    PlotRequest request;
    orr_status status = ORR_STATUS_USAGE;
    if (results_read_plots(&request, &plots, &none, diag)) {
        if (s->output && request.n_files == 0) {
            usage_error(diag, "E412", "the name must end in .svg, .png or .pdf", "cannot plot to '%s'",
                        s->output);
        } else {
            orr_table *table = orr_table_read(arguments->items[0], diag);
            status = table ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
            size_t n_counted = 0;
            orr_distribution *counted = table ? count_columns(table, &request, &n_counted, diag) : NULL;
            if (orr_diag_errors(diag) > 0 && table) status = ORR_STATUS_USAGE;
            if (table && orr_table_n_rows(table) == 0) {
                usage_error(diag, "E047", NULL, "'%s' has a header but no rows", arguments->items[0]);
                status = ORR_STATUS_SYSTEM;
            } else if (status == ORR_STATUS_OK && !s->output) {
                if (!results_show(table, &request, diag)) status = ORR_STATUS_USAGE;
                results_print_statistics(counted, n_counted, stdout);
            }
            if (status == ORR_STATUS_OK &&
                !results_draw(table, counted, n_counted, &request, s->title ? s->title : arguments->items[0],
                              true, diag))
                status = ORR_STATUS_SYSTEM;
            free(counted);
            orr_table_destroy(table);
        }
    }
    results_free_plots(&request);
    list_free(&plots);
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
