// include/orrery/figure.h: a picture as data.
//
// A figure has panels, one below the other; a panel has two axes and series of numbers. Whoever has something
// to show fills in a figure; printers draw it: gnuplot as SVG, PNG or PDF, and characters on a terminal.
// Nothing in a figure depends on a printer. All its memory belongs to it and is freed with it; texts and
// numbers that are put into it by hand must live as long (orr_figure_text copies one).
#pragma once
#include "orrery/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum orr_series_kind {
    ORR_SERIES_LINE,      // points joined by straight lines; NaN in x or y is a gap, so that what does not
                          // belong together (members of a sweep, two branches) is not joined
    ORR_SERIES_STEPS,     // each value holds until the next x, where the line is vertical; gaps likewise
    ORR_SERIES_POINTS,    // single points; with bars from low to high if these are there
    ORR_SERIES_BAND,      // the area between low and high; gaps likewise
    ORR_SERIES_BARS,      // from 0 to y, `width` wide around x
    ORR_SERIES_MAP,       // numbers as colours: z[i] of the cell around (x[i], y[i])
    ORR_SERIES_ARROWS,    // from (x, y) to (x_to, y_to), each with a text; both the same: back to itself
} orr_series_kind;

typedef struct orr_series {
    orr_series_kind kind;
    const char *name;                // for the legend; NULL: not there
    size_t      n;
    double     *x, *y;               // [n]; of a band y is not used
    double     *low, *high;          // [n] of bands; of points with bars; else NULL
    double     *z;                   // [n] of maps
    double     *x_to, *y_to;         // [n] of arrows
    const char **texts;              // [n] of arrows; each may be NULL
    double      width, height;       // of bars; of the cells of a map
    int         colour;              // a number of a palette, from 0; the same number is the same colour
    bool        is_dashed;
    bool        is_thin;             // one of many of its kind
} orr_series;

typedef struct orr_tick {
    double      at;
    const char *text;
} orr_tick;

typedef struct orr_axis {
    const char *label, *unit;        // NULL: none
    double      low, high;           // its ends; NaN: as the numbers need
    bool        is_log, is_reversed;
    const orr_tick *ticks;           // [n_ticks] texts instead of numbers; n_ticks 0: numbers
    size_t      n_ticks;
    void *reserved[4];
} orr_axis;

typedef struct orr_panel {
    const char  *title;              // NULL: none
    orr_axis     x, y;
    bool         has_equal_scales;   // a unit of x is as long as one of y
    orr_series **series;             // [n_series]
    size_t       n_series;
    size_t       n_left_out;         // series that are too many to be drawn
    const double *events;            // [n_events] instants marked on the x axis
    size_t       n_events;
    const char  *z_label;            // of maps; NULL: none
} orr_panel;

typedef struct orr_figure {
    const char *title;               // NULL: none
    double      width, height;       // points; 0: the printer's choice
    orr_panel **panels;              // [n_panels] from top to bottom
    size_t      n_panels;
    struct orr_figure_memory *memory;
} orr_figure;

ORR_API orr_figure *orr_figure_create(const char *title);              // with no panel; the title is copied
ORR_API void        orr_figure_destroy(orr_figure *figure);            // NULL is allowed
ORR_API orr_panel  *orr_figure_add_panel(orr_figure *figure);          // axes from the data, no labels
// A series of n points, with the arrays that its kind has, to be filled in. The name is copied; its colour is
// the next one.
ORR_API orr_series *orr_figure_add_series(orr_figure *figure, orr_panel *panel, orr_series_kind kind,
                                          const char *name, size_t n);
// Memory of the figure: a copy of a text (NULL stays NULL), room for n numbers, all 0.
ORR_API const char *orr_figure_text(orr_figure *figure, const char *text);
ORR_API double     *orr_figure_numbers(orr_figure *figure, size_t n);
// Texts at places of an axis, copied one by one.
ORR_API void        orr_figure_set_tick(orr_figure *figure, orr_axis *axis, double at, const char *text);

// Draw into memory, by gnuplot: "svg", "png" or "pdf". *bytes is to be freed with free(); a NUL follows them.
// False after a message.
ORR_API bool orr_figure_draw(const orr_figure *figure, const char *form, char **bytes, size_t *n,
                             orr_diag *diag);
// The same into a file; the form follows from how the path ends. It appears under its name only when it is
// whole.
ORR_API bool orr_figure_write(const orr_figure *figure, const char *path, orr_diag *diag);
ORR_API bool orr_figure_is_path(const char *path);                     // it ends in .svg, .png or .pdf
// Draw with characters: a terminal of this width, each panel so many lines high.
ORR_API void orr_figure_print(const orr_figure *figure, FILE *out, int width, int height);

#ifdef __cplusplus
}
#endif
