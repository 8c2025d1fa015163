// apps/cli/cmd_plot.c: `orrery plot`: draw the columns of a CSV file.
#include "commands.h"
#include "results.h"

typedef struct Settings {
    List plot;
    const char *output, *title;
} Settings;

static const Option options[] = {
    { "-o", OPTION_TEXT, "FILE", "draw to .svg, .png or .pdf instead of the terminal", offsetof(Settings, output) },
    { "--plot", OPTION_LIST, "WHAT", "such as 'x, v over t'; default: all over the first column", offsetof(Settings, plot) },
    { "--title", OPTION_TEXT, "TEXT", "title of the picture (default: the file name)", offsetof(Settings, title) },
};

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
            usage_error(diag, "E412", "the name must end in .svg, .png or .pdf", "cannot plot to '%s'", s->output);
        } else {
            orr_table *table = orr_table_read(arguments->items[0], diag);
            status = table ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
            if (table && orr_table_n_rows(table) == 0) {
                usage_error(diag, "E047", NULL, "'%s' has a header but no rows", arguments->items[0]);
                status = ORR_STATUS_SYSTEM;
            } else if (table && !s->output && !results_show(table, &request, stdout, diag)) {
                status = ORR_STATUS_USAGE;
            }
            if (status == ORR_STATUS_OK && !results_draw(table, &request, s->title ? s->title : arguments->items[0], true, diag))
                status = ORR_STATUS_SYSTEM;
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
               "  orrery plot results.csv --plot 'v over x' -o phase.png\n",
};
