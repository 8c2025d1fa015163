// src/exp/figures.c: figures of rows: which columns a plot means, where its curves have gaps, how they look.
#include "base/diag.h"
#include "base/vec.h"
#include "exp/curve.h"
#include "exp/names.h"
#include "exp/table.h"
#include <math.h>
#include <string.h>

enum {
    NAMES_SHOWN = 12,     // in a hint
    CURVES_MAX = 16,      // of a panel
    MEMBERS_NAMED = 8,    // with more members than this none has a colour of its own
};
#define RATIO_NAMED 20.0   // scales of quantities with the same unit are equal unless one is this much longer
#define RATIO_PLAIN 4.0    // … of quantities without units

// Columns that say which run a row belongs to.
static const char *const families[] = { "member", "replication", "run", "run number" };

typedef struct Maker {
    const orr_table *table;
    orr_diag        *diag;
    Arena            arena;
    size_t           x;               // column
    size_t           curves[CURVES_MAX];    // columns
    size_t           n_curves, n_left_out;
    VEC(size_t)      starts;          // rows at which a member begins
    const char      *family;          // what its members are; NULL: there is one only
    const double    *members;         // [rows] their numbers, or NULL
} Maker;

static size_t find_column(const orr_table *table, const char *name)
{
    size_t c = 0;
    while (c < orr_table_n_columns(table) && strcmp(orr_table_name(table, c), name) != 0) c++;
    return c;
}

static bool report_unknown(const Maker *m, const char *name)
{
    Arena arena = { 0 };
    const size_t n = orr_table_n_columns(m->table);
    const char **names = ARENA_ARRAY(&arena, const char *, n + 1);
    StrBuf all = { .arena = &arena };
    for (size_t c = 0; c < n; c++) {
        names[c] = orr_table_name(m->table, c);
        if (c < NAMES_SHOWN) str_addf(&all, "%s%s", c ? ", " : "", names[c]);
    }
    diag_report(m->diag, DIAG_PLOT_BAD, (Place){ 0 }, name, "there is no such column");
    const char *closest = text_closest(name, names, n);
    if (closest) diag_suggest(m->diag, name, closest);
    else if (n > 0) diag_hint(m->diag, "there are %s%s", all.p, n > NAMES_SHOWN ? ", …" : "");
    arena_free(&arena);
    return false;
}

static void add_curve(Maker *m, size_t column)
{
    if (m->n_curves == CURVES_MAX) m->n_left_out++;
    else m->curves[m->n_curves++] = column;
}

// A column, or all elements of an array: u stands for u[1], u[2], …
static bool add_named(void *context, const char *name)
{
    Maker *m = context;
    const size_t n = orr_table_n_columns(m->table), length = strlen(name);
    size_t column = find_column(m->table, name);
    if (column < n) return add_curve(m, column), true;
    bool found = false;
    for (column = 0; column < n; column++) {
        const char *element = orr_table_name(m->table, column);
        if (strncmp(element, name, length) != 0 || element[length] != '[') continue;
        add_curve(m, column);
        found = true;
    }
    return found || report_unknown(m, name);
}

static bool is_family(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(name, families[i]) == 0) return true;
    return false;
}

static bool choose_curves(Maker *m, const orr_plot *plot)
{
    bool ok = true;
    const size_t n = orr_table_n_columns(m->table);
    m->x = plot->over ? find_column(m->table, plot->over) : 0;
    if (m->x == n) ok = report_unknown(m, plot->over);
    for (size_t i = 0; i < plot->n_ys; i++) ok = names_each(plot->ys[i], add_named, m) && ok;
    for (size_t c = 1; plot->n_ys == 0 && c < n; c++)
        if (!is_family(orr_table_name(m->table, c))) add_curve(m, c);
    return ok;
}

// Where a member begins: time has gone back, or the number of the member is another one.
static void find_members(Maker *m)
{
    const double *t = NULL;
    for (size_t c = 0; c < orr_table_n_columns(m->table); c++) {
        const char *name = orr_table_name(m->table, c);
        if (c == 0 && strcmp(name, "t") == 0) t = orr_table_column(m->table, c);
        if (c == 0 || !is_family(name)) continue;
        m->family = name;
        m->members = orr_table_column(m->table, c);
    }
    for (size_t i = 0; i < orr_table_n_rows(m->table); i++)
        if (i == 0 || (t && t[i] < t[i - 1]) || (m->members && m->members[i] != m->members[i - 1]))
            vec_push(&m->arena, &m->starts, i);
}

// Rows [from, to), with a gap before each member but the first.
static void put_rows(const Maker *m, orr_series *s, size_t column, size_t from, size_t to)
{
    const double *x = orr_table_column(m->table, m->x), *y = orr_table_column(m->table, column);
    size_t next = 0;
    s->n = 0;
    while (next < m->starts.n && m->starts.items[next] <= from) next++;
    for (size_t i = from; i < to; i++, s->n++) {
        if (next < m->starts.n && m->starts.items[next] == i) {
            s->x[s->n] = s->y[s->n] = NAN;
            s->n++;
            next++;
        }
        s->x[s->n] = x[i];
        s->y[s->n] = y[i];
    }
}

static const char *title_of(const Maker *m, size_t column, char *text, size_t size)
{
    const char *unit = orr_table_unit(m->table, column);
    snprintf(text, size, unit ? "%s [%s]" : "%s", orr_table_name(m->table, column), unit);
    return text;
}

// The curve of a column if the run has told it, over time or over another one.
static FigurePath find_curve(Maker *m, size_t column)
{
    const FigurePath y = table_curve(m->table, column, &m->arena);
    if (m->x == 0 || y.n == 0) return y;
    const FigurePath x = table_curve(m->table, m->x, &m->arena);
    if (x.n == 0 || m->starts.n > 1) return (FigurePath){ 0 };
    return curve_phase(&x, &y, &m->arena);
}

// What holds its value between events is drawn as steps.
static void add_series(Maker *m, orr_figure *f, orr_panel *panel, size_t column, const char *name,
                       size_t from, size_t to)
{
    const FigurePath curve = find_curve(m, column);
    const bool holds = curve.n == 0 && m->x == 0 && orr_table_jumps(m->table, column);
    orr_series *s = orr_figure_add_series(f, panel, holds ? ORR_SERIES_STEPS : ORR_SERIES_LINE, name,
                                          curve.n ? curve.n : to - from + m->starts.n);
    if (curve.n) {
        memcpy(s->x, curve.x, curve.n * sizeof *s->x);
        memcpy(s->y, curve.y, curve.n * sizeof *s->y);
    } else {
        put_rows(m, s, column, from, to);
    }
    s->is_thin = m->starts.n > MEMBERS_NAMED;
}

// A curve with a colour and a name for each member, if it is alone and they are few.
static void add_members(Maker *m, orr_figure *f, orr_panel *panel)
{
    for (size_t i = 0; i < m->starts.n; i++) {
        char name[80];
        const size_t from = m->starts.items[i],
                     to = i + 1 < m->starts.n ? m->starts.items[i + 1] : orr_table_n_rows(m->table);
        snprintf(name, sizeof name, "%s %.6g", m->family, m->members[from]);
        add_series(m, f, panel, m->curves[0], name, from, to);
    }
}

static void set_axis(const Maker *m, orr_figure *f, orr_axis *axis, size_t column)
{
    axis->label = orr_figure_text(f, orr_table_name(m->table, column));
    axis->unit = orr_figure_text(f, orr_table_unit(m->table, column));
}

// From the least to the largest; NaN if there is none.
static double span(const double *values, size_t n, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) *low = fmin(*low, values[i]), *high = fmax(*high, values[i]);
    return *high - *low;
}

// Quantities with equal units are drawn to the same scale, unless one would hardly be seen.
static bool has_equal_scales(const Maker *m)
{
    if (m->x == 0 || m->n_curves == 0) return false;
    const char *unit = orr_table_unit(m->table, m->x);
    const size_t n = orr_table_n_rows(m->table);
    double low, high;
    const double across = span(orr_table_column(m->table, m->x), n, &low, &high),
                 most = unit ? RATIO_NAMED : RATIO_PLAIN;
    for (size_t i = 0; i < m->n_curves; i++) {
        const char *other = orr_table_unit(m->table, m->curves[i]);
        const double up = span(orr_table_column(m->table, m->curves[i]), n, &low, &high);
        if ((unit == NULL) != (other == NULL) || (unit && strcmp(unit, other) != 0)) return false;
        if (!(up < most * across && across < most * up)) return false;
    }
    return true;
}

orr_figure *orr_table_figure(const orr_table *table, const orr_plot *plot, const char *title, orr_diag *diag)
{
    Maker m = { .table = table, .diag = diag };
    if (!choose_curves(&m, plot)) return NULL;
    find_members(&m);
    orr_figure *f = orr_figure_create(title);
    orr_panel *panel = orr_figure_add_panel(f);
    set_axis(&m, f, &panel->x, m.x);
    if (m.n_curves == 1) set_axis(&m, f, &panel->y, m.curves[0]);
    panel->has_equal_scales = has_equal_scales(&m);
    panel->n_left_out = m.n_left_out;
    if (m.n_curves == 1 && m.members && m.starts.n > 1 && m.starts.n <= MEMBERS_NAMED)
        add_members(&m, f, panel);
    else
        for (size_t i = 0; i < m.n_curves; i++) {
            char name[256];
            add_series(&m, f, panel, m.curves[i], title_of(&m, m.curves[i], name, sizeof name), 0,
                       orr_table_n_rows(table));
        }
    if (m.x == 0) {
        span(orr_table_column(table, 0), orr_table_n_rows(table), &panel->x.low, &panel->x.high);
        const double *events = orr_table_events(table, &panel->n_events);
        double *copy = orr_figure_numbers(f, panel->n_events);
        if (panel->n_events) memcpy(copy, events, panel->n_events * sizeof *copy);
        panel->events = copy;
    }
    arena_free(&m.arena);
    return f;
}
