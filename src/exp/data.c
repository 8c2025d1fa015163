// src/exp/data.c: see data.h.
#include "exp/data.h"
#include "base/text.h"
#include "exp/columns.h"
#include "exp/table.h"
#include "model/model.h"
#include "run/run.h"
#include "units/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Point {
    double t, value, deviation;
    size_t row;
} Point;

// Equal times keep the order of the file.
static int by_time(const void *a, const void *b)
{
    const Point *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->row > y->row) - (x->row < y->row);
}

typedef struct Source {
    const orr_model *model;
    const orr_data  *data;
    const orr_table *table;
    Place            place;
    orr_diag        *diag;
} Source;

static bool find_column(const Source *s, const char *name, size_t *column)
{
    const size_t n = orr_table_n_columns(s->table);
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, n);
    StrBuf all = { .arena = &work };
    for (*column = 0; *column < n; (*column)++) {
        names[*column] = orr_table_name(s->table, *column);
        if (strcmp(names[*column], name) == 0) break;
        str_addf(&all, "%s%s", *column ? ", " : "", names[*column]);
    }
    if (*column == n) {
        diag_report(s->diag, DIAG_DATA_COLUMN, s->place, s->data->path, name);
        const char *closest = text_closest(name, names, n);
        if (closest) diag_suggest(s->diag, name, closest);
        else if (n > 0) diag_hint(s->diag, "there are %.200s", str_finish(&all));
    }
    const bool found = *column < n;
    arena_free(&work);
    return found;
}

// A factor for numbers of a column: to the unit of the model, as differences are. NaN after a message.
static bool convert(const Source *s, const char *from, const char *to, bool is_difference, double *value)
{
    if (!from || !to || strcmp(from, to) == 0 || isnan(*value)) return true;
    return units_convert(&s->model->own_units, from, to, is_difference, s->place, value, s->diag);
}

static bool read_points(const Source *s, size_t columns[3], Point *points, size_t *n)
{
    const orr_data *d = s->data;
    const size_t variable = orr_model_find(s->model, d->variable);
    const char *own = orr_model_variable(s->model, variable).unit;
    const char *unit = d->unit ? d->unit : orr_table_unit(s->table, columns[1]),
               *time_unit = orr_table_unit(s->table, columns[0]),
               *own_deviation = d->column_deviation ? orr_table_unit(s->table, columns[2]) : NULL;
    if (unit && !own) {
        diag_report(s->diag, DIAG_UNIT_NOT_USED, s->place, unit, d->variable);
        unit = NULL;
    }
    *n = 0;
    for (size_t i = 0; i < orr_table_n_rows(s->table); i++) {
        Point p = { orr_table_column(s->table, columns[0])[i], orr_table_column(s->table, columns[1])[i],
                    d->column_deviation ? orr_table_column(s->table, columns[2])[i] : d->deviation, i };
        if (!isfinite(p.t) || !isfinite(p.value)) continue;    // missing
        if (!convert(s, time_unit, orr_model_time_unit(s->model), false, &p.t) ||
            !convert(s, unit, own, false, &p.value) ||
            (d->column_deviation &&
             !convert(s, own_deviation ? own_deviation : unit, own, true, &p.deviation)))
            return false;
        points[(*n)++] = p;
    }
    qsort(points, *n, sizeof *points, by_time);
    return true;
}

static bool check_points(const Source *s, const orr_experiment *e, const Point *points, size_t n)
{
    size_t n_outside = 0;
    for (size_t i = 0; i < n; i++) {
        n_outside += points[i].t < e->from || points[i].t > e->until;
        if (!(points[i].deviation < 0 || (isnan(points[i].deviation) && s->data->column_deviation) ||
              points[i].deviation == 0))
            continue;
        diag_report(s->diag, DIAG_DATA_DEVIATION, s->place, s->data->path, points[i].deviation, points[i].t);
        return false;
    }
    if (n == 0) diag_report(s->diag, DIAG_DATA_NONE, s->place, s->data->path, s->data->column);
    else if (n_outside == n)
        diag_report(s->diag, DIAG_DATA_OUTSIDE, s->place, s->data->path, points[0].t, points[n - 1].t,
                    e->from, e->until);
    else if (n_outside > 0)
        diag_report(s->diag, DIAG_DATA_PARTLY, s->place, n_outside, n, s->data->path);
    return n > n_outside;
}

static bool read_one(const orr_model *model, const orr_experiment *e, orr_data *d, Arena *arena,
                     orr_diag *diag)
{
    const Place place = diag_place(diag, d->place);
    if (orr_model_find(model, d->variable) == (size_t)-1)
        return columns_report_unknown(model, d->variable, run_written(&e->run, d->variable, diag), diag);
    if (!d->path) return true;    // the points are there
    orr_table *table = table_read(d->folder, d->path, diag);
    if (!table) return false;
    const Source s = { .model = model, .data = d, .table = table, .place = place, .diag = diag };
    size_t columns[3] = { 0 }, n = 0;
    Arena work = { 0 };
    Point *points = ARENA_ARRAY(&work, Point, orr_table_n_rows(table));
    bool ok = (!d->time || find_column(&s, d->time, &columns[0])) &&
              find_column(&s, d->column, &columns[1]) &&
              (!d->column_deviation || find_column(&s, d->column_deviation, &columns[2]));
    ok = ok && read_points(&s, columns, points, &n) && check_points(&s, e, points, n);
    double *t = ARENA_ARRAY(arena, double, 3 * n);
    for (size_t i = 0; i < n; i++) {
        t[i] = points[i].t;
        t[n + i] = points[i].value;
        t[2 * n + i] = points[i].deviation;
    }
    d->n = ok ? n : 0;
    d->t = t;
    d->values = t + n;
    d->deviations = d->column_deviation || d->deviation > 0 ? t + 2 * n : NULL;
    arena_free(&work);
    orr_table_destroy(table);
    return ok;
}

bool data_read(const orr_model *model, orr_experiment *e, Arena *arena, orr_diag *diag)
{
    orr_data *all = ARENA_ARRAY(arena, orr_data, e->n_data);
    bool ok = true;
    for (size_t i = 0; i < e->n_data; i++) {
        all[i] = e->data[i];
        ok = read_one(model, e, &all[i], arena, diag) && ok;
    }
    e->data = all;
    return ok;
}

static bool draws(const orr_plot *plot, const char *name)
{
    for (size_t i = 0; i < plot->n_ys; i++)
        if (strcmp(plot->ys[i], name) == 0) return true;
    return plot->n_ys == 0;
}

void data_draw(const orr_experiment *e, size_t condition, const orr_plot *plot, const char *title, int colour,
               orr_figure *f)
{
    for (size_t i = 0; i < e->n_data && !plot->over && f->n_panels > 0; i++) {
        const orr_data *d = &e->data[i];
        char name[200];
        bool is_there = false;    // what is followed may be among the data
        for (size_t k = 0; k < i && d->observation; k++)
            is_there |= strcmp(e->data[k].variable, d->variable) == 0;
        if (is_there || d->condition != condition || d->n == 0 || !draws(plot, d->variable)) continue;
        snprintf(name, sizeof name, "%s, %s%s", d->variable, d->path ? d->path : "measured", title);
        orr_series *s = orr_figure_add_series(f, f->panels[0], ORR_SERIES_POINTS, name, d->n);
        memcpy(s->x, d->t, d->n * sizeof *s->x);
        memcpy(s->y, d->values, d->n * sizeof *s->y);
        if (colour >= 0) s->colour = colour;
        if (!d->deviations) continue;
        s->low = orr_figure_numbers(f, d->n);
        s->high = orr_figure_numbers(f, d->n);
        for (size_t k = 0; k < d->n; k++) {
            s->low[k] = d->values[k] - d->deviations[k];
            s->high[k] = d->values[k] + d->deviations[k];
        }
    }
}
