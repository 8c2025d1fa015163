// src/exp/plot.h: what drawing with characters and drawing to files share.
#pragma once
#include "orrery/experiment.h"

enum { PLOT_CURVES_MAX = 16 };

// A plot with its columns found and its ranges known.
typedef struct PlotData {
    size_t x;                              // column
    size_t ys[PLOT_CURVES_MAX];            // columns
    char   looks[PLOT_CURVES_MAX];         // - : or o, see orr_plot; s: steps
    size_t n_ys, n_left_out;
    double x_min, x_max, y_min, y_max;     // of the finite values; never equal
    bool   is_empty;                       // no finite point
} PlotData;

// False, with the reason, if a name is not among the columns.
bool plot_prepare(const orr_table *table, const orr_plot *plot, PlotData *data, orr_diag *diag);

// A picture that gnuplot draws, in points: `write` gives its commands and data. The form follows from the
// path; it appears under its name only when it is whole. False after a message.
typedef struct PlotPicture {
    double width, height;
    void (*write)(void *context, FILE *out);
    void  *context;
} PlotPicture;
bool plot_draw(const PlotPicture *picture, const char *path, orr_diag *diag);
void plot_quote(FILE *out, const char *text);    // a text for gnuplot, in quotes
