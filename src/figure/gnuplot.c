// src/figure/gnuplot.c: a figure drawn by gnuplot.
//
// gnuplot reads its commands and the numbers, as binary doubles, from a pipe and gives the picture back by
// another; the file is written by us. No shell is involved, and texts are data: put_quoted is the only way by
// which one gets into a command.
#include "base/diag.h"
#include "base/filter.h"
#include "base/os.h"
#include "figure/figure.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 800, HEIGHT = 500, MORE_PANELS = 250, EVENTS_SHOWN = 200, EVENTS_FEW = 20, TICK_BYTES = 44 };
#define MARGIN 0.04    // part of a range that stays free, so that no curve lies on the frame

static const struct Form {
    const char *name, *terminal, *unit, *more;
    double scale;    // of the size in points
} forms[] = {
    { "svg", "svg", "", "dynamic font 'Helvetica,14' background 'white'", 1 },
    { "png", "pngcairo", "", "font 'Helvetica,12'", 1.25 },
    { "pdf", "pdfcairo", "cm", "font 'Helvetica,11'", 0.02 },
};

// Okabe and Ito's colours, which everybody can distinguish; when they are used up, dashes follow.
static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#E69F00", "#56B4E9", "#000000", "#F0E442" };
enum { N_COLOURS = sizeof colours / sizeof *colours };

// ---- Commands

// A text in double quotes, in which all but letters is written as the number of its byte: nothing
// is left that gnuplot could read in another way. (In single quotes it is wrong about two quotes in a row.)
// What is no text (control characters, ill-formed UTF-8) is left out, as gnuplot copies it into SVG as it is;
// so does it with "]]>", which XML forbids. Of a tick the text is a format for its number: there % is
// doubled, and what gnuplot would cut off, perhaps inside of a character, is cut off here.
static void put_quoted(FILE *out, const char *given, bool is_tick)
{
    const Text text = text_from(given);
    fputc('"', out);
    size_t n = 0;
    for (size_t i = 0, end; i < text.n; i = end) {
        end = i;
        const int32_t c = text_utf8_next(text, &end);
        if (c < ' ' || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe) continue;
        n += end - i + (c == '%');
        if (is_tick && n > TICK_BYTES) {
            fputs("\\342\\200\\246", out);    // …
            break;
        }
        if (is_tick && c == '%') fputs("\\045", out);
        if (c == '>' && i >= 2 && memcmp(given + i - 2, "]]", 2) == 0) fputc(' ', out);
        for (size_t k = i; k < end; k++)
            fprintf(out, c < 0x80 && isalpha(c) ? "%c" : "\\%03o", (unsigned char)given[k]);
    }
    fputc('"', out);
}

static void put_text(FILE *out, const char *text) { put_quoted(out, text, false); }

// The texts of a chart that goes down the page stand above it, on gnuplot's second axis.
static void put_axis(FILE *out, char name, const orr_axis *axis, double low, double high, bool is_above)
{
    char label[256];
    fprintf(out, "set %clabel ", name);
    put_text(out, figure_label(axis, label, sizeof label));
    fprintf(out, " noenhanced\nunset logscale %c\n", name);
    if (axis->is_log) {
        fprintf(out, "set logscale %c\n", name);
        low = pow(10, low), high = pow(10, high);
    }
    const char *which = is_above ? "2" : "";
    for (int i = 0; i <= is_above; i++)
        fprintf(out, "set %c%srange [%.17g:%.17g]\n", name, i ? which : "", axis->is_reversed ? high : low,
                axis->is_reversed ? low : high);
    if (axis->n_ticks == 0) return;
    if (is_above) fprintf(out, "unset %ctics\n", name);
    fprintf(out, "set %c%stics nomirror (", name, which);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        if (i) fputc(',', out);
        put_quoted(out, axis->ticks[i].text, true);
        fprintf(out, " %.17g", axis->ticks[i].at);
    }
    fputs(") noenhanced scale 0\n", out);
}

// Small ticks that stand on the axis; the more there are, the paler.
static void put_events(FILE *out, const orr_panel *panel)
{
    const size_t n = panel->n_events;
    if (n > EVENTS_SHOWN) return;
    const char *colour = n <= EVENTS_FEW ? "#D55E00" : n <= 3 * EVENTS_FEW ? "#E69B6B" : "#F2CDB5";
    for (size_t i = 0; i < n; i++)
        fprintf(out, "set arrow from first %.17g, graph 0 to first %.17g, graph 0.02 nohead front "
                "linewidth 1.5 linecolor '%s'\n", panel->events[i], panel->events[i], colour);
}

static void put_arrow(FILE *out, double x, double y, double x_to, double y_to, bool has_head)
{
    fprintf(out, "set arrow from %.17g,%.17g to %.17g,%.17g %s\n", x, y, x_to, y_to,
            has_head ? "size screen 0.008,20 filled" : "nohead");
}

static void put_arrows(FILE *out, const orr_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const double x = s->x[i], y = s->y[i], x_to = s->x_to[i], y_to = s->y_to[i];
        const bool is_loop = x == x_to && y == y_to;
        if (is_loop) {    // out and back
            put_arrow(out, x, y - 0.35, x + 0.25, y - 0.35, false);
            put_arrow(out, x + 0.25, y - 0.35, x + 0.25, y, false);
            put_arrow(out, x + 0.25, y, x, y, true);
        } else {
            put_arrow(out, x, y, x_to, y_to, true);
        }
        if (!s->texts[i]) continue;
        fputs("set label ", out);
        put_text(out, s->texts[i]);
        fprintf(out, " at %.17g,%.17g %s offset 0,0.6 front noenhanced font ',12'\n",
                is_loop ? x + 0.3 : 0.5 * (x + x_to), 0.5 * (y + y_to), is_loop ? "left" : "center");
    }
}

// What gnuplot is given of a series: how many numbers for each point, and how they are drawn.
static int choose_style(const orr_series *s, char *style, size_t size)
{
    const char *colour = colours[s->colour % N_COLOURS];
    const int dashes = s->is_dashed ? 2 : 1 + s->colour / N_COLOURS % 5;
    switch (s->kind) {
    case ORR_SERIES_POINTS:
        snprintf(style, size, "%s pointtype 7 pointsize 0.8 linecolor '%s'",
                 s->low ? "using 1:2:3:4 with yerrorbars" : "using 1:2 with points", colour);
        return s->low ? 4 : 2;
    case ORR_SERIES_BAND:
        snprintf(style, size,
                 "using 1:2:3 with filledcurves fillstyle transparent solid 0.25 noborder "
                 "linecolor '%s'",
                 colour);
        return 3;
    case ORR_SERIES_BARS:
        snprintf(style, size, "using 1:2:(%.17g) with boxes fillstyle solid 0.8 linewidth 1 linecolor '%s'",
                 s->width, colour);
        return 2;
    case ORR_SERIES_MAP:
        snprintf(style, size,
                 "using 1:2:(%.17g):(%.17g):3 with boxxyerror fillstyle solid noborder "
                 "linecolor palette",
                 0.5 * s->width, 0.5 * s->height);
        return 3;
    default:
        snprintf(style, size, "using 1:2 with lines linewidth %g dashtype %d linecolor '%s'",
                 s->is_thin ? 1.0 : 2.0, dashes, colour);
        return 2;
    }
}

static void put_numbers(FILE *out, const double *const *columns, int n_columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < n_columns; k++) fwrite(&columns[k][i], sizeof(double), 1, out);
}

static void put_series(FILE *out, const orr_panel *panel, Arena *arena)
{
    FigurePath *paths = ARENA_ARRAY(arena, FigurePath, panel->n_series);
    const char *before = "plot ";
    int *width = ARENA_ARRAY(arena, int, panel->n_series);
    for (size_t i = 0; i < panel->n_series; i++) {
        const orr_series *s = panel->series[i];
        if (s->kind == ORR_SERIES_ARROWS || s->n == 0) continue;
        const bool is_path = s->kind == ORR_SERIES_LINE || s->kind == ORR_SERIES_STEPS;
        paths[i] = is_path ? figure_path(s, FIGURE_POINTS_MAX, arena) : (FigurePath){ s->x, s->y, s->n };
        char style[200];
        width[i] = choose_style(s, style, sizeof style);
        fprintf(out, "%s'-' binary record=%zu format='", before, paths[i].n);
        for (int k = 0; k < width[i]; k++) fputs("%double", out);
        fprintf(out, "' %s ", style);
        if (s->name) fputs("title ", out), put_text(out, s->name);
        else fputs("notitle", out);
        before = ", ";
    }
    fputs(*before == 'p' ? "plot NaN notitle\n" : "\n", out);
    for (size_t i = 0; i < panel->n_series; i++) {
        const orr_series *s = panel->series[i];
        if (!paths[i].n) continue;
        const bool is_band = s->kind == ORR_SERIES_BAND;
        const double *columns[] = { paths[i].x, is_band ? s->low : paths[i].y,
                                    is_band ? s->high
                                    : s->z  ? s->z
                                            : s->low,
                                    s->high };
        put_numbers(out, columns, width[i], paths[i].n);
    }
}

static void put_panel(FILE *out, const orr_panel *panel, const char *title)
{
    Arena arena = { 0 };
    const FigureRange r = figure_range(panel);
    const bool is_chart = panel->y.is_reversed;    // time goes down the page
    const double margin_x = MARGIN * (r.x_max - r.x_min), margin_y = MARGIN * (r.y_max - r.y_min);
    size_t n_named = 0;
    bool has_bars = false;
    for (size_t i = 0; i < panel->n_series; i++) {
        n_named += panel->series[i]->name != NULL;
        has_bars |= panel->series[i]->kind == ORR_SERIES_BARS;
    }
    fputs("reset\nset encoding utf8\nset border linecolor '#555555'\nset rmargin 4\n"
          "set key outside top center horizontal noenhanced\nset title ",
          out);
    put_text(out, title ? title : "");
    fprintf(out, " noenhanced\n%s", n_named < 2 ? "unset key\n" : "");
    fputs(is_chart   ? "set grid x2tics linetype 1 dashtype 2 linecolor '#999999'\nunset border\n"
          : has_bars ? "set grid ytics linetype 1 linewidth 0.5 linecolor '#dddddd'\n"
                     : "set grid linetype 1 linewidth 0.5 linecolor '#dddddd'\n",
          out);
    // what is given counts; bars stand on their axis
    const double left = isnan(panel->x.low) && !has_bars ? margin_x : 0,
                 right = isnan(panel->x.high) && !has_bars ? margin_x : 0,
                 below = isnan(panel->y.low) && !(has_bars && r.y_min == 0) ? margin_y : 0,
                 above = isnan(panel->y.high) ? margin_y : 0;
    put_axis(out, 'x', &panel->x, r.x_min - left, r.x_max + right, is_chart);
    put_axis(out, 'y', &panel->y, r.y_min - below, r.y_max + above, false);
    if (panel->has_equal_scales) fputs("set size ratio -1\n", out);
    put_events(out, panel);
    for (size_t i = 0; i < panel->n_series; i++) {
        if (panel->series[i]->kind == ORR_SERIES_ARROWS) put_arrows(out, panel->series[i]);
        if (panel->series[i]->kind != ORR_SERIES_MAP) continue;
        fputs("set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
              "set cblabel ",
              out);
        put_text(out, panel->z_label ? panel->z_label : "");
        fputs(" noenhanced\n", out);
    }
    put_series(out, panel, &arena);
    arena_free(&arena);
}

static void put_figure(FILE *out, const orr_figure *f, const struct Form *form)
{
    const double width = f->width > 0 ? f->width : WIDTH;
    double height = f->height;
    if (!(height > 0)) height = HEIGHT + (f->n_panels > 1 ? (double)(f->n_panels - 1) * MORE_PANELS : 0);
    fprintf(out, "set terminal %s size %g%s,%g%s %s noenhanced\n", form->terminal, width * form->scale,
            form->unit, height * form->scale, form->unit, form->more);
    if (f->n_panels > 1) {
        fprintf(out, "set multiplot layout %zu,1 title ", f->n_panels);
        put_text(out, f->title ? f->title : "");
        fputs(" noenhanced\n", out);
    }
    for (size_t i = 0; i < f->n_panels; i++)
        put_panel(out, f->panels[i], f->n_panels > 1 ? f->panels[i]->title : f->title);
    if (f->n_panels > 1) fputs("unset multiplot\n", out);
}

// ---- Drawing

static const struct Form *find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0) return &forms[i];
    return NULL;
}

static const struct Form *form_of_path(const char *path)
{
    const char *suffix = os_path_suffix(path);
    return *suffix ? find_form(suffix + 1) : NULL;
}

bool orr_figure_is_path(const char *path) { return form_of_path(path) != NULL; }

// What gnuplot is to do, on the heap. NULL, reported, if there is nothing to draw.
static char *make_script(const orr_figure *figure, const struct Form *form, const char *name, size_t *n,
                         orr_diag *diag)
{
    bool is_empty = true;
    for (size_t i = 0; i < figure->n_panels; i++) is_empty &= figure_range(figure->panels[i]).is_empty;
    if (!form || is_empty) {
        diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, name,
                    form ? "there is nothing to draw" : "pictures end in .svg, .png or .pdf");
        return NULL;
    }
    char *script = NULL;
    FILE *out = open_memstream(&script, n);
    if (!out) arena_no_memory(0);
    put_figure(out, figure, form);
    if (fclose(out) != 0) arena_no_memory(*n);
    return script;
}

static const char *const argv[] = { "gnuplot", "-d", NULL };    // -d: no start-up files of the user
static const Filter gnuplot = { argv, "plots in files", "gnuplot-nox" };

bool orr_figure_draw(const orr_figure *figure, const char *form, char **bytes, size_t *n, orr_diag *diag)
{
    size_t n_script;
    char *script = make_script(figure, find_form(form), form, &n_script, diag);
    StrBuf picture = { 0 };
    const bool ok = script && filter_run(&gnuplot, script, n_script, &picture, diag);
    if (!ok) str_free(&picture);
    *bytes = ok ? picture.p : NULL;
    *n = ok ? picture.n : 0;
    free(script);
    return ok;
}

bool orr_figure_write(const orr_figure *figure, const char *path, orr_diag *diag)
{
    size_t n;
    char *script = make_script(figure, form_of_path(path), path, &n, diag);
    const bool ok = script && filter_write(&gnuplot, script, n, path, diag);
    free(script);
    return ok;
}
