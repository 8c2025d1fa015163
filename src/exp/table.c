// src/exp/table.c: rows in memory, column by column.
//
// A table with a limit holds every stride-th row and, behind them, the latest. When it is full every second
// row is dropped and the stride doubles: whatever the length of the run, its rows stay evenly spread over all
// of it.
#include "exp/table.h"
#include "base/csv.h"
#include "base/map.h"
#include "exp/curve.h"
#include "port/port.h"
#include <stdlib.h>
#include <string.h>

struct orr_table {
    Arena        arena;        // names and units
    const char **names;        // [n_columns]
    const char **units;        // [n_columns], each may be NULL
    bool        *jumps;        // [n_columns] values hold until the next row
    double     **columns;      // [n_columns], each heap [capacity]
    size_t       n_columns, n_rows, capacity;
    size_t       at_most;      // 0: no limit
    size_t       stride;       // rows that come for one that is kept
    size_t       n_seen;
    bool         last_is_extra;    // the last row is only there because it is the latest
    double      *events;       // [n_events] heap: times
    size_t       n_events;
    bool         keeps_curves;
    double       least;        // time that cannot be seen
    Curve       *curves;       // [n_columns] NULL: they are not kept
    TextMap      by_name;      // columns; if curves are kept
    double       t_last;       // of the latest row
};

enum { EVENTS_MAX = 1000 };

orr_table *orr_table_create(size_t at_most)
{
    orr_table *table = calloc(1, sizeof *table);
    if (!table) arena_no_memory(sizeof *table);
    table->at_most = at_most > 1 ? at_most : 0;
    table->stride = 1;
    return table;
}

static void free_columns(orr_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        free(table->columns[i]);
        if (table->curves) curve_free(&table->curves[i]);
    }
    table->curves = NULL;
    table->n_columns = table->n_rows = table->capacity = 0;
}

void orr_table_destroy(orr_table *table)
{
    if (!table) return;
    free_columns(table);
    free(table->events);
    arena_free(&table->arena);
    free(table);
}

static const char *copy(Arena *arena, const char *text)
{
    return text ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

static void make_columns(orr_table *table, size_t n)
{
    free_columns(table);
    arena_free(&table->arena);
    table->names = ARENA_ARRAY(&table->arena, const char *, n);
    table->units = ARENA_ARRAY(&table->arena, const char *, n);
    table->jumps = ARENA_ARRAY(&table->arena, bool, n);
    table->columns = ARENA_ARRAY(&table->arena, double *, n);
    table->n_columns = n;
    table->stride = 1;
    table->n_seen = 0;
    table->last_is_extra = false;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    orr_table *table = self;
    make_columns(table, n + 1);
    table->names[0] = "t";
    table->units[0] = copy(&table->arena, time_unit);
    for (size_t i = 0; i < n; i++) {
        table->names[i + 1] = copy(&table->arena, names[i]);
        table->units[i + 1] = copy(&table->arena, units ? units[i] : NULL);
    }
    if (!table->keeps_curves) return true;
    table->curves = ARENA_ARRAY(&table->arena, Curve, n + 1);
    text_map_init(&table->by_name, &table->arena);
    for (uint32_t i = 1; i <= n; i++) text_map_put(&table->by_name, text_from(table->names[i]), i);
    return true;
}

static bool piece(void *self, const orr_piece *one)
{
    orr_table *table = self;
    const uint32_t *column = text_map_find(&table->by_name, text_from(one->name));
    if (column) curve_add(&table->curves[*column], one);
    return true;
}

void orr_table_keep_curves(orr_table *table, double least)
{
    table->keeps_curves = true;
    table->least = least;
}

FigurePath table_curve(const orr_table *table, size_t column, Arena *arena)
{
    const FigurePath none = { 0 };
    if (!table->curves || table->curves[column].n_pieces == 0) return none;
    FigurePath path = curve_path(&table->curves[column], table->t_last, arena);
    if (path.n == 0 || table->n_rows == 0) return none;
    // at the end something may have happened that no piece tells any more
    path.x[path.n] = table->t_last;
    path.y[path.n++] = table->columns[column][table->n_rows - 1];
    return path;
}

static void make_room(orr_table *table)
{
    if (table->n_rows < table->capacity) return;
    const size_t capacity = table->capacity ? 2 * table->capacity : 256;
    for (size_t i = 0; i < table->n_columns; i++) {
        double *larger = realloc(table->columns[i], capacity * sizeof *larger);
        if (!larger) arena_no_memory(capacity * sizeof *larger);
        table->columns[i] = larger;
    }
    table->capacity = capacity;
}

static void drop_every_second(orr_table *table)
{
    const size_t kept = (table->n_rows + 1) / 2;
    for (size_t c = 0; c < table->n_columns; c++)
        for (size_t i = 0; i < kept; i++) table->columns[c][i] = table->columns[c][2 * i];
    table->n_rows = kept;
    table->stride *= 2;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    orr_table *table = self;
    for (size_t i = 0; table->curves && table->n_seen > 0 && t < table->t_last && i < table->n_columns; i++)
        curve_break(&table->curves[i], table->t_last);
    table->t_last = t;
    const bool keeps = table->n_seen++ % table->stride == 0;
    if (table->last_is_extra) table->n_rows--;
    // one place is left for the latest row
    if (keeps && table->at_most && table->n_rows + 1 >= table->at_most) {
        drop_every_second(table);
        table->last_is_extra = (table->n_seen - 1) % table->stride != 0;
    } else {
        table->last_is_extra = !keeps;
    }
    make_room(table);
    table->columns[0][table->n_rows] = t;
    for (size_t i = 0; i < n; i++) table->columns[i + 1][table->n_rows] = values[i];
    table->n_rows++;
    return true;
}

static bool event(void *self, const orr_event *e)
{
    orr_table *table = self;
    const bool is_new = table->n_events == 0 || table->events[table->n_events - 1] != e->t;
    if (!is_new || table->n_events == EVENTS_MAX) return true;
    if (!table->events) table->events = malloc(EVENTS_MAX * sizeof *table->events);
    if (!table->events) arena_no_memory(EVENTS_MAX * sizeof *table->events);
    table->events[table->n_events++] = e->t;
    return true;
}

const double *orr_table_events(const orr_table *table, size_t *n)
{
    *n = table->n_events;
    return table->events;
}

static void kinds(void *self, const bool *jumps, size_t n)
{
    orr_table *table = self;
    for (size_t i = 0; i < n && i + 1 < table->n_columns; i++) table->jumps[i + 1] = jumps[i];
}

bool orr_table_jumps(const orr_table *table, size_t column) { return table->jumps[column]; }

orr_sink orr_table_sink(orr_table *table)
{
    return (orr_sink){ .begin = begin,
                       .row = row,
                       .event = event,
                       .piece = table->keeps_curves ? piece : NULL,
                       .piece_least = table->least,
                       .kinds = kinds,
                       .self = table };
}

// The units of `x [m]`, which becomes `x`; but not where another column is called so. The first is the time.
static const char **split_units(CsvTable *csv, Arena *arena)
{
    const char **units = ARENA_ARRAY(arena, const char *, csv->n_columns);
    Names names;
    names_init(&names, arena);
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, csv->n_columns);    // column of each name
    const char **written = ARENA_ARRAY(arena, const char *, csv->n_columns);
    for (uint32_t i = 0; i < csv->n_columns; i++) {
        written[i] = csv->columns[i].name;
        units[i] = port_split_unit(arena, &csv->columns[i]);
        const size_t n = names.n;
        if (i == 0) continue;
        const uint32_t id = names_intern(&names, text_from(csv->columns[i].name));
        if (names.n > n) {
            first[id] = i;
            continue;
        }
        csv->columns[i].name = written[i];
        csv->columns[first[id]].name = written[first[id]];
        units[i] = units[first[id]] = NULL;
    }
    return units;
}

orr_table *orr_table_read(const char *path, orr_diag *diag) { return table_read(NULL, path, diag); }

orr_table *table_read(const char *folder, const char *path, orr_diag *diag)
{
    Arena work = { 0 };
    CsvTable csv = { 0 };
    orr_table *table = NULL;
    if (csv_read(&csv, folder, path, &work, diag)) {
        const char **units = split_units(&csv, &work);
        table = orr_table_create(0);
        make_columns(table, csv.n_columns);
        table->capacity = table->n_rows = csv.n_rows;
        for (size_t i = 0; i < csv.n_columns; i++) {
            table->units[i] = copy(&table->arena, units[i]);
            table->names[i] = copy(&table->arena, csv.columns[i].name);
            table->columns[i] = malloc((csv.n_rows + 1) * sizeof(double));
            if (!table->columns[i]) arena_no_memory(csv.n_rows * sizeof(double));
            memcpy(table->columns[i], csv.values[i], csv.n_rows * sizeof(double));
        }
    }
    arena_free(&work);
    return table;
}

size_t orr_table_n_rows(const orr_table *table) { return table->n_rows; }
size_t orr_table_n_columns(const orr_table *table) { return table->n_columns; }
const char *orr_table_name(const orr_table *table, size_t column) { return table->names[column]; }
const char *orr_table_unit(const orr_table *table, size_t column) { return table->units[column]; }
const double *orr_table_column(const orr_table *table, size_t column) { return table->columns[column]; }
