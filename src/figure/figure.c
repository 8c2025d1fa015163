// src/figure/figure.c: see orrery/figure.h; and what its printers share.
#include "figure/figure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct orr_figure_memory {
    Arena arena;
};

orr_figure *orr_figure_create(const char *title)
{
    orr_figure *f = calloc(1, sizeof *f);
    if (f) f->memory = calloc(1, sizeof *f->memory);
    if (!f || !f->memory) arena_no_memory(sizeof *f);
    f->title = orr_figure_text(f, title);
    return f;
}

void orr_figure_destroy(orr_figure *f)
{
    if (!f) return;
    arena_free(&f->memory->arena);
    free(f->memory);
    free(f);
}

const char *orr_figure_text(orr_figure *f, const char *text)
{
    return text ? arena_copy_text(&f->memory->arena, text, strlen(text)) : NULL;
}

double *orr_figure_numbers(orr_figure *f, size_t n) { return ARENA_ARRAY(&f->memory->arena, double, n); }

// The capacity is the next power of two, so that no count of it is needed.
static void *grow(orr_figure *f, void *old, size_t n, size_t size)
{
    return n & (n - 1) ? old : arena_grow(&f->memory->arena, old, n, n ? 2 * n : 1, size);
}

orr_panel *orr_figure_add_panel(orr_figure *f)
{
    orr_panel *panel = ARENA_NEW(&f->memory->arena, orr_panel);
    panel->x.low = panel->x.high = panel->y.low = panel->y.high = NAN;
    f->panels = grow(f, f->panels, f->n_panels, sizeof *f->panels);
    return f->panels[f->n_panels++] = panel;
}

orr_series *orr_figure_add_series(orr_figure *f, orr_panel *panel, orr_series_kind kind, const char *name,
                                  size_t n)
{
    orr_series *s = ARENA_NEW(&f->memory->arena, orr_series);
    *s = (orr_series){ .kind = kind,
                       .name = orr_figure_text(f, name),
                       .n = n,
                       .x = orr_figure_numbers(f, n),
                       .y = orr_figure_numbers(f, n),
                       .width = 1,
                       .height = 1 };
    const orr_series *last = panel->n_series ? panel->series[panel->n_series - 1] : NULL;
    s->colour = last ? last->colour + 1 : 0;
    if (kind == ORR_SERIES_BAND) s->low = orr_figure_numbers(f, n), s->high = orr_figure_numbers(f, n);
    if (kind == ORR_SERIES_MAP) s->z = orr_figure_numbers(f, n);
    if (kind == ORR_SERIES_ARROWS) {
        s->x_to = orr_figure_numbers(f, n);
        s->y_to = orr_figure_numbers(f, n);
        s->texts = ARENA_ARRAY(&f->memory->arena, const char *, n);
    }
    panel->series = grow(f, panel->series, panel->n_series, sizeof *panel->series);
    return panel->series[panel->n_series++] = s;
}

void orr_figure_set_tick(orr_figure *f, orr_axis *axis, double at, const char *text)
{
    orr_tick *ticks = grow(f, (void *)axis->ticks, axis->n_ticks, sizeof *ticks);
    ticks[axis->n_ticks++] = (orr_tick){ at, orr_figure_text(f, text) };
    axis->ticks = ticks;
}

// ---- Ranges

double figure_scaled(const orr_axis *axis, double value) { return axis->is_log ? log10(value) : value; }

const char *figure_label(const orr_axis *axis, char *text, size_t size)
{
    snprintf(text, size, axis->unit && *axis->unit ? "%s [%s]" : "%s", axis->label ? axis->label : "",
             axis->unit);
    return text;
}

static void widen(const orr_axis *axis, const double *values, size_t n, double shift, double *min,
                  double *max)
{
    for (size_t i = 0; values && i < n; i++) {
        const double value = figure_scaled(axis, values[i] + shift);
        if (!isfinite(value)) continue;
        *min = fmin(*min, value);
        *max = fmax(*max, value);
    }
}

// What is given counts. A range of no width is opened around its value.
static void open_range(const orr_axis *axis, double *min, double *max)
{
    if (*min > *max) *min = 0, *max = 1;
    if (!isnan(axis->low)) *min = figure_scaled(axis, axis->low);
    if (!isnan(axis->high)) *max = figure_scaled(axis, axis->high);
    if (*max - *min > 0) return;
    const double margin = *min == 0 ? 1 : fabs(*min) * 0.1;
    *min -= margin;
    *max += margin;
}

FigureRange figure_range(const orr_panel *panel)
{
    FigureRange r = { INFINITY, -INFINITY, INFINITY, -INFINITY, false };
    for (size_t i = 0; i < panel->n_series; i++) {
        const orr_series *s = panel->series[i];
        const bool is_map = s->kind == ORR_SERIES_MAP, is_wide = is_map || s->kind == ORR_SERIES_BARS;
        const double *xs[] = { s->x, s->x_to, is_wide ? s->x : NULL };
        const double *ys[] = { s->kind == ORR_SERIES_BAND ? NULL : s->y, s->y_to, is_map ? s->y : NULL,
                               s->low, s->high };
        const double half = is_wide ? 0.5 * s->width : 0, up = is_map ? 0.5 * s->height : 0;
        for (int k = 0; k < 3; k++) widen(&panel->x, xs[k], s->n, k == 2 ? half : -half, &r.x_min, &r.x_max);
        for (int k = 0; k < 5; k++) widen(&panel->y, ys[k], s->n, k == 2 ? up : -up, &r.y_min, &r.y_max);
        if (s->kind == ORR_SERIES_BARS && !panel->y.is_log) r.y_min = fmin(r.y_min, 0);
    }
    r.is_empty = r.x_min > r.x_max || r.y_min > r.y_max;
    open_range(&panel->x, &r.x_min, &r.x_max);
    open_range(&panel->y, &r.y_min, &r.y_max);
    return r;
}

// ---- Paths

static bool is_gap(const FigurePath *p, size_t i) { return !isfinite(p->x[i]) || !isfinite(p->y[i]); }

static void put(FigurePath *p, double x, double y)
{
    p->x[p->n] = x;
    p->y[p->n++] = y;
}

// Of points [from, to), none of them a gap: the first, the last and those furthest out, in order.
static void put_group(FigurePath *to, const FigurePath *p, size_t from, size_t end)
{
    size_t kept[] = { from, from, from, from, from, end - 1 };
    for (size_t i = from; i < end; i++) {
        if (p->x[i] < p->x[kept[1]]) kept[1] = i;
        if (p->x[i] > p->x[kept[2]]) kept[2] = i;
        if (p->y[i] < p->y[kept[3]]) kept[3] = i;
        if (p->y[i] > p->y[kept[4]]) kept[4] = i;
    }
    for (int i = 1; i < 6; i++)
        for (int k = i; k > 0 && kept[k] < kept[k - 1]; k--) {
            const size_t other = kept[k];
            kept[k] = kept[k - 1];
            kept[k - 1] = other;
        }
    for (int i = 0; i < 6; i++)
        if (i == 0 || kept[i] != kept[i - 1]) put(to, p->x[kept[i]], p->y[kept[i]]);
}

static FigurePath thin(const FigurePath *p, size_t most, Arena *arena)
{
    const size_t group = 6 * p->n / most + 1;
    FigurePath thinner = { ARENA_ARRAY(arena, double, p->n), ARENA_ARRAY(arena, double, p->n), 0 };
    for (size_t i = 0, end; i < p->n; i = end) {
        end = i + 1;
        if (is_gap(p, i)) {
            put(&thinner, NAN, NAN);
            continue;
        }
        while (end < p->n && end < i + group && !is_gap(p, end)) end++;
        put_group(&thinner, p, i, end);
    }
    return thinner;
}

FigurePath figure_path(const orr_series *s, size_t most, Arena *arena)
{
    FigurePath path = { s->x, s->y, s->n };
    if (s->kind == ORR_SERIES_STEPS) {
        path = (FigurePath){ ARENA_ARRAY(arena, double, 2 * s->n), ARENA_ARRAY(arena, double, 2 * s->n), 0 };
        for (size_t i = 0; i < s->n; i++) {
            if (i > 0 && isfinite(s->y[i - 1])) put(&path, s->x[i], s->y[i - 1]);    // it holds until here
            put(&path, s->x[i], s->y[i]);
        }
    }
    return path.n > most ? thin(&path, most, arena) : path;
}
