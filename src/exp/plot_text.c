// src/exp/plot_text.c: a plot made of characters, for terminals and logs.
//
//          1 +*                        * x  o v
//            |  *
//          0 |    *
//            +-----------
//            0         10   t [s]
#include "base/arena.h"
#include "exp/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char marks[] = "*o+x#@%&$=~^abcd";
enum { LABEL_WIDTH = 11 };

typedef struct Canvas {
    char *cells;            // [height][width]
    int   width, height;
} Canvas;

static void mark_cell(Canvas *c, long column, long row, char mark)
{
    if (column < 0 || row < 0 || column >= c->width || row >= c->height) return;
    c->cells[row * c->width + column] = mark;
}

// Where a value falls: 0 … n-1.
static long scale(double value, double min, double max, int n)
{
    return lround((value - min) / (max - min) * (n - 1));
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

static void draw_curve(Canvas *c, const orr_table *table, const PlotData *data, size_t curve)
{
    const double *x = orr_table_column(table, data->x), *y = orr_table_column(table, data->ys[curve]);
    bool has_last = false;
    long last_column = 0, last_row = 0;
    for (size_t i = 0; i < orr_table_n_rows(table); i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            has_last = false;    // a gap
            continue;
        }
        const long column = scale(x[i], data->x_min, data->x_max, c->width);
        const long row = c->height - 1 - scale(y[i], data->y_min, data->y_max, c->height);
        if (!has_last || data->looks[curve] == 'o') last_column = column, last_row = row;
        if (data->looks[curve] == 's') {    // the last value holds until here
            draw_line(c, last_column, last_row, column, last_row, marks[curve]);
            last_column = column;
        }
        draw_line(c, last_column, last_row, column, row, marks[curve]);
        last_column = column, last_row = row;
        has_last = true;
    }
}

static void print_name(const orr_table *table, size_t column, FILE *out)
{
    fputs(orr_table_name(table, column), out);
    if (orr_table_unit(table, column)) fprintf(out, " [%s]", orr_table_unit(table, column));
}

bool orr_plot_text(const orr_table *table, const orr_plot *plot, FILE *out, int width, int height,
                   orr_diag *diag)
{
    PlotData data;
    if (!plot_prepare(table, plot, &data, diag)) return false;
    if (data.n_ys == 0) return true;
    if (width < LABEL_WIDTH + 20) width = LABEL_WIDTH + 20;
    if (height < 4) height = 4;

    Canvas canvas = { .width = width - LABEL_WIDTH - 2, .height = height };
    canvas.cells = malloc((size_t)canvas.width * (size_t)canvas.height);
    if (!canvas.cells) arena_no_memory((size_t)canvas.width * (size_t)canvas.height);
    memset(canvas.cells, ' ', (size_t)canvas.width * (size_t)canvas.height);
    for (size_t i = 0; i < data.n_ys; i++) draw_curve(&canvas, table, &data, i);

    fprintf(out, "%*s", LABEL_WIDTH + 2, "");
    for (size_t i = 0; i < data.n_ys; i++) {
        fprintf(out, "%s%c ", i ? "   " : "", marks[i]);
        print_name(table, data.ys[i], out);
    }
    if (data.n_left_out) fprintf(out, "   (+%zu more)", data.n_left_out);
    fputc('\n', out);
    for (int row = 0; row < height; row++) {
        const bool is_labelled = row == 0 || row == height - 1 || row == height / 2;
        const double y = data.y_max - (data.y_max - data.y_min) * row / (height - 1);
        if (is_labelled)
            fprintf(out, "%*.4g +", LABEL_WIDTH, fabs(y) < 1e-12 * (data.y_max - data.y_min) ? 0 : y);
        else fprintf(out, "%*s |", LABEL_WIDTH, "");
        int n = canvas.width;
        while (n > 0 && canvas.cells[row * canvas.width + n - 1] == ' ') n--;    // no trailing blanks
        fprintf(out, "%.*s\n", n, canvas.cells + (ptrdiff_t)row * canvas.width);
    }
    fprintf(out, "%*s +", LABEL_WIDTH, "");
    memset(canvas.cells, '-', (size_t)canvas.width);
    size_t n_events = 0;
    const double *events = data.x == 0 ? orr_table_events(table, &n_events) : NULL;
    for (size_t i = 0; i < n_events; i++)
        mark_cell(&canvas, scale(events[i], data.x_min, data.x_max, canvas.width), 0, '^');
    fwrite(canvas.cells, 1, (size_t)canvas.width, out);
    fprintf(out, "\n%*s%-*.6g", LABEL_WIDTH + 2, "", canvas.width / 2, data.x_min);
    fprintf(out, "%*.6g\n%*s", canvas.width - canvas.width / 2, data.x_max,
            LABEL_WIDTH + 2 + canvas.width / 2 - 4, "");
    print_name(table, data.x, out);
    fputc('\n', out);
    free(canvas.cells);
    return true;
}
