// src/figure/figure.h: what the printers of figures share.
#pragma once
#include "base/arena.h"
#include "orrery/figure.h"

enum { FIGURE_POINTS_MAX = 20000 };    // of a path: more cannot be seen and make huge files

// A line to be drawn; NaN is a gap.
typedef struct FigurePath {
    double *x, *y;    // [n]
    size_t  n;
} FigurePath;

// Where a panel begins and ends; never empty. Of a logarithmic axis: the logarithms.
typedef struct FigureRange {
    double x_min, x_max, y_min, y_max;
    bool   is_empty;    // it has no finite point
} FigureRange;

// A line or steps as a path of at most about `most` points, in the arena: where there are more, what a
// picture shows of each group stays (its first and last point and its extremes).
FigurePath  figure_path(const orr_series *series, size_t most, Arena *arena);
FigureRange figure_range(const orr_panel *panel);
double      figure_scaled(const orr_axis *axis, double value);    // its logarithm, or the value itself
const char *figure_label(const orr_axis *axis, char *text, size_t size);    // "x [m]", or "x"
