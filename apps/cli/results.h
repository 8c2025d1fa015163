// apps/cli/results.h: results for the eye: texts, short tables, plots on the terminal and in files.
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

// Draw a figure to a file, and destroy it. False, after a message, if it cannot be drawn, or is NULL because
// it could not be made.
bool results_put(orr_figure *figure, const char *path, orr_diag *diag);
// A table and its plots, given as by --plot: to the terminal, or to the file `output`.
orr_status results_plot(const orr_table *table, const List *given, const char *output, const char *title,
                        orr_diag *diag);
// The parts of a result: on the terminal unless `is_silent`, and the pictures that are requested, of several
// the second as name-2.svg and so on. False, after a message, if one was not written.
bool results_show(const orr_result *result, const PlotRequest *request, bool is_silent, orr_diag *diag);
