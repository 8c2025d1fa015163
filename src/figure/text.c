// src/figure/text.c: a figure made of characters, for terminals and logs.
//
//          1 +*                        * x  o v
//            |  *
//          0 |    *
//            +-----------
//            0         10   t [s]
#include "base/text.h"
#include "figure/figure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char marks[] = "*o+x#@%&$=~^abcd", shades[] = " .:-=+*#%@";
enum { LABEL_WIDTH = 11, N_MARKS = sizeof marks - 1, N_SHADES = sizeof shades - 1, POINTS_MAX = 1000000 };

typedef struct Canvas {
    char *cells;    // [height][width]
    int width, height;
    const orr_panel *panel;
    FigureRange range;
} Canvas;

static void mark_cell(Canvas *c, long column, long row, char mark)
{
    if (column < 0 || row < 0 || column >= c->width || row >= c->height) return;
    c->cells[row * c->width + column] = mark;
}

// Where a value falls: 0 … n-1; outside of that it is not seen.
static long place(const orr_axis *axis, double value, double min, double max, int n)
{
    const double at = (figure_scaled(axis, value) - min) / (max - min) * (n - 1);
    return lround(fmin(fmax(at, -1), n));
}

static long column_of(const Canvas *c, double x)
{
    const long column = place(&c->panel->x, x, c->range.x_min, c->range.x_max, c->width);
    return c->panel->x.is_reversed ? c->width - 1 - column : column;
}

static long row_of(const Canvas *c, double y)
{
    const long row = place(&c->panel->y, y, c->range.y_min, c->range.y_max, c->height);
    return c->panel->y.is_reversed ? row : c->height - 1 - row;
}

// A straight line of marks between two cells, both included.
static void draw_line(Canvas *c, long x0, long y0, long x1, long y1, char mark)
{
    const long dx = labs(x1 - x0), dy = labs(y1 - y0), n = dx > dy ? dx : dy;
    for (long i = 0; i <= n; i++) {
        const double part = n ? (double)i / (double)n : 0;
        mark_cell(c, x0 + lround(part * (double)(x1 - x0)), y0 + lround(part * (double)(y1 - y0)), mark);
    }
}

static void draw_path(Canvas *c, const orr_series *s, char mark)
{
    Arena arena = { 0 };
    const FigurePath path = figure_path(s, POINTS_MAX, &arena);
    bool has_last = false;
    long last_column = 0, last_row = 0;
    for (size_t i = 0; i < path.n; i++) {
        const bool is_gap = !isfinite(path.x[i]) || !isfinite(path.y[i]);
        const long column = is_gap ? 0 : column_of(c, path.x[i]), row = is_gap ? 0 : row_of(c, path.y[i]);
        if (!is_gap)
            draw_line(c, has_last ? last_column : column, has_last ? last_row : row, column, row, mark);
        last_column = column, last_row = row;
        has_last = !is_gap;
    }
    arena_free(&arena);
}

// Filled cells between two corners.
static void fill(Canvas *c, double x0, double y0, double x1, double y1, char mark)
{
    for (long column = column_of(c, x0); column <= column_of(c, x1); column++)
        draw_line(c, column, row_of(c, y0), column, row_of(c, y1), mark);
}

static void draw_map(Canvas *c, const orr_series *s)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->z[i])) low = fmin(low, s->z[i]), high = fmax(high, s->z[i]);
    for (size_t i = 0; i < s->n; i++) {
        if (!isfinite(s->z[i])) continue;
        const double part = high > low ? (s->z[i] - low) / (high - low) : 0;
        fill(c, s->x[i] - 0.5 * s->width, s->y[i] - 0.5 * s->height, s->x[i] + 0.5 * s->width,
             s->y[i] + 0.5 * s->height, shades[(int)lround(part * (N_SHADES - 1))]);
    }
}

static void draw_series(Canvas *c, const orr_series *s, char mark)
{
    if (s->kind == ORR_SERIES_LINE || s->kind == ORR_SERIES_STEPS) {
        draw_path(c, s, mark);
        return;
    }
    if (s->kind == ORR_SERIES_MAP) draw_map(c, s);
    for (size_t i = 0; i < s->n; i++) {
        const double x = s->x[i], y = s->y[i];
        if (!isfinite(x) || s->kind == ORR_SERIES_MAP) continue;
        if (s->low && isfinite(s->low[i]) && isfinite(s->high[i])) fill(c, x, s->low[i], x, s->high[i], '|');
        if (s->kind == ORR_SERIES_BARS && isfinite(y))
            fill(c, x - 0.45 * s->width, 0, x + 0.45 * s->width, y, mark);
        if (s->kind == ORR_SERIES_POINTS && isfinite(y)) mark_cell(c, column_of(c, x), row_of(c, y), mark);
    }
}

// ---- Around the canvas

static void print_legend(const Canvas *c, FILE *out)
{
    fprintf(out, "%*s", LABEL_WIDTH + 2, "");
    for (size_t i = 0, n = 0; i < c->panel->n_series; i++)
        if (c->panel->series[i]->name)
            fprintf(out, "%s%c %s", n++ ? "   " : "", marks[i % N_MARKS], c->panel->series[i]->name);
    if (c->panel->n_left_out) fprintf(out, "   (+%zu more)", c->panel->n_left_out);
    fputc('\n', out);
}

// The text of the axis beside a row; NULL: none.
static const char *row_label(const Canvas *c, int row, char *text, size_t size)
{
    const orr_axis *axis = &c->panel->y;
    for (size_t i = 0; i < axis->n_ticks; i++)
        if (row_of(c, axis->ticks[i].at) == row) return axis->ticks[i].text;
    if (axis->n_ticks || (row != 0 && row != c->height - 1 && row != c->height / 2)) return NULL;
    const double span = c->range.y_max - c->range.y_min;
    const int from_top = axis->is_reversed ? c->height - 1 - row : row;
    double y = c->range.y_max - span * from_top / (c->height - 1);
    if (fabs(y) < 1e-12 * span) y = 0;
    snprintf(text, size, "%.4g", axis->is_log ? pow(10, y) : y);
    return text;
}

static void print_rows(const Canvas *c, FILE *out)
{
    for (int row = 0; row < c->height; row++) {
        char text[40];
        const char *label = row_label(c, row, text, sizeof text);
        const int blanks = LABEL_WIDTH - (int)text_cells(text_from(label));
        fprintf(out, "%*s%s %c", blanks > 0 ? blanks : 0, "", label ? label : "", label ? '+' : '|');
        int n = c->width;
        while (n > 0 && c->cells[row * c->width + n - 1] == ' ') n--;    // no trailing blanks
        fprintf(out, "%.*s\n", n, c->cells + (ptrdiff_t)row * c->width);
    }
}

static void print_x_axis(Canvas *c, FILE *out)
{
    const orr_axis *axis = &c->panel->x;
    fprintf(out, "%*s +", LABEL_WIDTH, "");
    memset(c->cells, '-', (size_t)c->width);
    for (size_t i = 0; i < c->panel->n_events; i++) mark_cell(c, column_of(c, c->panel->events[i]), 0, '^');
    fwrite(c->cells, 1, (size_t)c->width, out);
    double ends[] = { c->range.x_min, c->range.x_max };
    for (int i = 0; i < 2 && axis->is_log; i++) ends[i] = pow(10, ends[i]);
    fprintf(out, "\n%*s%-*.6g%*.6g\n", LABEL_WIDTH + 2, "", c->width / 2, ends[axis->is_reversed],
            c->width - c->width / 2, ends[!axis->is_reversed]);
    char label[256];
    fprintf(out, "%*s%s\n", LABEL_WIDTH + 2 + c->width / 2 - 4, "", figure_label(axis, label, sizeof label));
}

// ---- Arrows are a list: a line for each.

static const char *tick_text(const orr_axis *axis, double at)
{
    for (size_t i = 0; i < axis->n_ticks; i++)
        if (axis->ticks[i].at == at) return axis->ticks[i].text;
    return "";
}

static bool print_arrows(const orr_panel *panel, FILE *out)
{
    bool found = false;
    for (size_t k = 0; k < panel->n_series; k++) {
        const orr_series *s = panel->series[k];
        for (size_t i = 0; s->kind == ORR_SERIES_ARROWS && i < s->n; i++)
            fprintf(out, "%*s  %s -> %s%s%s\n", LABEL_WIDTH, tick_text(&panel->y, s->y[i]),
                    tick_text(&panel->x, s->x[i]), tick_text(&panel->x, s->x_to[i]), s->texts[i] ? ": " : "",
                    s->texts[i] ? s->texts[i] : "");
        found |= s->kind == ORR_SERIES_ARROWS;
    }
    return found;
}

void orr_figure_print(const orr_figure *figure, FILE *out, int width, int height)
{
    if (width < LABEL_WIDTH + 20) width = LABEL_WIDTH + 20;
    if (height < 4) height = 4;
    for (size_t i = 0; i < figure->n_panels; i++) {
        Canvas c = { .width = width - LABEL_WIDTH - 2, .height = height, .panel = figure->panels[i] };
        if (c.panel->n_series == 0 || print_arrows(c.panel, out)) continue;
        const size_t n = (size_t)c.width * (size_t)c.height;
        c.range = figure_range(c.panel);
        c.cells = malloc(n);
        if (!c.cells) arena_no_memory(n);
        memset(c.cells, ' ', n);
        for (size_t k = 0; k < c.panel->n_series; k++)
            draw_series(&c, c.panel->series[k], marks[k % N_MARKS]);
        if (figure->n_panels > 1 && c.panel->title)
            fprintf(out, "%*s%s\n", LABEL_WIDTH + 2, "", c.panel->title);
        print_legend(&c, out);
        print_rows(&c, out);
        print_x_axis(&c, out);
        free(c.cells);
    }
}
