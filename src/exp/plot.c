// src/exp/plot.c: find the columns and ranges of a plot.
#include "exp/plot.h"
#include "base/diag.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 12 };    // in a hint

static void report_unknown(const orr_table *table, const char *name, orr_diag *diag)
{
    const size_t n = orr_table_n_columns(table);
    const char **names = calloc(n + 1, sizeof *names);
    if (!names) arena_no_memory(n * sizeof *names);
    StrBuf all = { 0 };
    for (size_t c = 0; c < n; c++) {
        names[c] = orr_table_name(table, c);
        if (c < NAMES_SHOWN) str_addf(&all, "%s%s", c ? ", " : "", names[c]);
    }
    diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, name, "there is no such column");
    const char *closest = text_closest(name, names, n);
    if (closest) diag_hint(diag, "did you mean '%s'?", closest);
    else if (n > 0) diag_hint(diag, "there are %s%s", all.p, n > NAMES_SHOWN ? ", …" : "");
    str_free(&all);
    free(names);
}

static bool find_column(const orr_table *table, const char *name, size_t *column)
{
    for (size_t c = 0; c < orr_table_n_columns(table); c++)
        if (strcmp(orr_table_name(table, c), name) == 0) return *column = c, true;
    return false;
}

static void add_curve(PlotData *data, size_t column, char look)
{
    if (data->n_ys == PLOT_CURVES_MAX) {
        data->n_left_out++;
        return;
    }
    data->looks[data->n_ys] = look;
    data->ys[data->n_ys++] = column;
}

// What holds its value between events is drawn as steps.
static void find_steps(const orr_table *table, PlotData *data)
{
    for (size_t i = 0; data->x == 0 && i < data->n_ys; i++)
        if (data->looks[i] == '-' && orr_table_jumps(table, data->ys[i])) data->looks[i] = 's';
}

// A column, or all elements of an array: u stands for u[1], u[2], …
static bool add_curves(const orr_table *table, const char *name, char look, PlotData *data)
{
    size_t column;
    if (find_column(table, name, &column)) return add_curve(data, column, look), true;
    const size_t length = strlen(name);
    bool found = false;
    for (column = 0; column < orr_table_n_columns(table); column++) {
        const char *element = orr_table_name(table, column);
        if (strncmp(element, name, length) != 0 || element[length] != '[') continue;
        add_curve(data, column, look);
        found = true;
    }
    return found;
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
    bool ok = true;
    if (plot->over && !find_column(table, plot->over, &data->x)) {
        report_unknown(table, plot->over, diag);
        ok = false;
    }
    for (size_t i = 0; i < plot->n_ys; i++) {
        if (add_curves(table, plot->ys[i], plot->looks ? plot->looks[i] : '-', data)) continue;
        report_unknown(table, plot->ys[i], diag);
        ok = false;
    }
    for (size_t c = 1; plot->n_ys == 0 && c < orr_table_n_columns(table); c++) add_curve(data, c, '-');
    if (!ok) return false;
    find_steps(table, data);
    for (size_t row = 0; row < orr_table_n_rows(table); row++) {
        widen(orr_table_column(table, data->x)[row], &data->x_min, &data->x_max);
        for (size_t i = 0; i < data->n_ys; i++)
            widen(orr_table_column(table, data->ys[i])[row], &data->y_min, &data->y_max);
    }
    data->is_empty = data->x_min > data->x_max || data->y_min > data->y_max;
    open_range(&data->x_min, &data->x_max);
    open_range(&data->y_min, &data->y_max);
    return true;
}
