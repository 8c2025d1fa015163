// apps/cli/results.h: results for the eye: a short table, plots on the terminal and in files.
#pragma once
#include "options.h"

typedef struct PlotRequest {
    orr_plot    *plots;      // [n_plots]; none: everything over time
    size_t       n_plots;
    const char **files;      // [n_files], borrowed from the command line
    size_t       n_files;
    List         texts;      // owned names
} PlotRequest;

// Each --plot is a file (.svg .png .pdf) or what to draw: 'x', 'x, v over t', 'v over x'. What the experiment
// plots is the default. False after a message. Free in either case.
bool results_read_plots(PlotRequest *request, const List *given, const orr_experiment *experiment,
                        orr_diag *diag);
void results_free_plots(PlotRequest *request);

// Draw a figure to a file, on the terminal if path is NULL, and destroy it. False, after a message, if it
// cannot be drawn, or is NULL because it could not be made.
bool results_put(orr_figure *figure, const char *path, orr_diag *diag);

// False, after a message, if something cannot be drawn.
bool results_show(const orr_table *table, const PlotRequest *request, orr_diag *diag);
// Several plots and one file name: the second becomes name-2.svg and so on. `says`: print what was written.
bool results_draw(const orr_table *table, const orr_distribution *all, size_t n_all,
                  const PlotRequest *request, const char *title, bool says, orr_diag *diag);
void results_print_statistics(const orr_distribution *all, size_t n, FILE *out);
// Where something belongs that is written beside a file: out.csv, "statistics" → out-statistics.csv, on the
// heap. NULL if there is no file.
char *results_beside(const char *path, const char *what);
