// src/exp/plot.c: find the columns and ranges of a plot.
#include "exp/plot.h"
#include "base/diag.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_column(const orr_table *table, const char *name, size_t *column, orr_diag *diag)
{
    const size_t n = orr_table_n_columns(table);
    for (size_t c = 0; c < n; c++)
        if (strcmp(orr_table_name(table, c), name) == 0) return *column = c, true;
    const char **names = calloc(n + 1, sizeof *names);
    if (!names) arena_no_memory(n * sizeof *names);
    for (size_t c = 0; c < n; c++) names[c] = orr_table_name(table, c);
    diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, name, "it is not recorded");
    const char *closest = text_closest(name, names, n);
    if (closest) diag_hint(diag, "did you mean '%s'?", closest);
    else diag_hint(diag, "record it: --record %s", name);
    free(names);
    return false;
}

static void widen(double value, double *min, double *max)
{
    if (!isfinite(value)) return;
    *min = fmin(*min, value);
    *max = fmax(*max, value);
}

// A range of no width is opened around its value.
static void open_range(double *min, double *max)
{
    if (*min > *max) *min = 0, *max = 1;
    if (*max - *min > 0) return;
    const double margin = *min == 0 ? 1 : fabs(*min) * 0.1;
    *min -= margin;
    *max += margin;
}

bool plot_prepare(const orr_table *table, const orr_plot *plot, PlotData *data, orr_diag *diag)
{
    *data = (PlotData){ .x_min = INFINITY, .x_max = -INFINITY, .y_min = INFINITY, .y_max = -INFINITY };
    bool ok = !plot->over || find_column(table, plot->over, &data->x, diag);
    const size_t n_columns = orr_table_n_columns(table);
    const size_t wanted = plot->n_ys ? plot->n_ys : n_columns > 0 ? n_columns - 1 : 0;
    for (size_t i = 0; i < wanted; i++) {
        size_t column = i + 1;
        if (plot->n_ys && !find_column(table, plot->ys[i], &column, diag)) ok = false;
        else if (data->n_ys < PLOT_CURVES_MAX) data->ys[data->n_ys++] = column;
        else data->n_left_out++;
    }
    if (!ok) return false;
    for (size_t row = 0; row < orr_table_n_rows(table); row++) {
        widen(orr_table_column(table, data->x)[row], &data->x_min, &data->x_max);
        for (size_t i = 0; i < data->n_ys; i++) widen(orr_table_column(table, data->ys[i])[row], &data->y_min, &data->y_max);
    }
    data->is_empty = data->x_min > data->x_max || data->y_min > data->y_max;
    open_range(&data->x_min, &data->x_max);
    open_range(&data->y_min, &data->y_max);
    return true;
}
