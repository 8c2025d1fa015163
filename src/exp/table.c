// src/exp/table.c: results in memory, all rows or an even selection of them.
#include "base/csv.h"
#include "orrery/experiment.h"
#include <stdlib.h>
#include <string.h>

struct orr_table {
    Arena    arena;          // names, units; columns of a table that was read
    const char **names;      // [n_columns]
    const char **units;      // [n_columns]
    double **columns;        // [n_columns][capacity], heap
    size_t   n_columns, n_rows, capacity;
    bool     owns_columns;
    // selection: row i of the run is kept if i is a multiple of stride
    size_t   at_most, stride, n_seen;
    double  *last;           // [n_columns] the row last seen, in case it was not kept
    bool     last_is_kept;
};

orr_table *orr_table_create(size_t at_most)
{
    orr_table *table = calloc(1, sizeof *table);
    if (!table) arena_no_memory(sizeof *table);
    table->at_most = at_most < 2 ? 0 : at_most;
    table->stride = 1;
    table->owns_columns = true;
    return table;
}

static void drop_rows(orr_table *table)
{
    for (size_t c = 0; table->owns_columns && c < table->n_columns; c++) free(table->columns[c]);
    arena_free(&table->arena);
    table->n_rows = table->capacity = table->n_columns = table->n_seen = 0;
    table->stride = 1;
}

void orr_table_destroy(orr_table *table)
{
    if (!table) return;
    drop_rows(table);
    free(table);
}

// ---------------------------------------------------------------------------------------------- as a sink

static const char *copy(orr_table *table, const char *text) { return text ? text_copy(&table->arena, text_from(text)) : NULL; }

static bool begin(void *self, const char *const *names, const char *const *units, size_t n, const char *time_unit)
{
    orr_table *table = self;
    drop_rows(table);
    table->n_columns = n + 1;
    table->names = ARENA_ARRAY(&table->arena, const char *, n + 1);
    table->units = ARENA_ARRAY(&table->arena, const char *, n + 1);
    table->columns = ARENA_ARRAY(&table->arena, double *, n + 1);
    table->last = ARENA_ARRAY(&table->arena, double, n + 1);
    table->names[0] = "t";
    table->units[0] = copy(table, time_unit);
    for (size_t c = 0; c < n; c++) {
        table->names[c + 1] = copy(table, names[c]);
        table->units[c + 1] = copy(table, units[c]);
    }
    return true;
}

static void append(orr_table *table, const double *row)
{
    if (table->n_rows == table->capacity) {
        table->capacity = table->capacity ? table->capacity * 2 : 1024;
        for (size_t c = 0; c < table->n_columns; c++) {
            table->columns[c] = realloc(table->columns[c], table->capacity * sizeof(double));
            if (!table->columns[c]) arena_no_memory(table->capacity * sizeof(double));
        }
    }
    for (size_t c = 0; c < table->n_columns; c++) table->columns[c][table->n_rows] = row[c];
    table->n_rows++;
}

static void keep_every_second(orr_table *table)
{
    for (size_t c = 0; c < table->n_columns; c++)
        for (size_t i = 0; 2 * i < table->n_rows; i++) table->columns[c][i] = table->columns[c][2 * i];
    table->n_rows = (table->n_rows + 1) / 2;
    table->stride *= 2;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    orr_table *table = self;
    table->last[0] = t;
    memcpy(table->last + 1, values, n * sizeof *values);
    if (table->at_most && table->n_rows >= table->at_most) keep_every_second(table);
    table->last_is_kept = table->n_seen++ % table->stride == 0;
    if (table->last_is_kept) append(table, table->last);
    return true;
}

static bool end(void *self, orr_status status)
{
    (void)status;
    orr_table *table = self;
    if (table->n_seen && !table->last_is_kept) append(table, table->last);
    table->last_is_kept = true;
    return true;
}

orr_sink orr_table_sink(orr_table *table) { return (orr_sink){ .begin = begin, .row = row, .end = end, .self = table }; }

// ---------------------------------------------------------------------------------------------- from a file

orr_table *orr_table_read(const char *path, orr_diag *diag)
{
    orr_table *table = orr_table_create(0);
    CsvTable csv;
    if (!csv_read(&csv, path, &table->arena, diag)) {
        orr_table_destroy(table);
        return NULL;
    }
    table->owns_columns = false;
    table->n_columns = csv.n_columns;
    table->n_rows = csv.n_rows;
    table->columns = csv.values;
    table->names = ARENA_ARRAY(&table->arena, const char *, csv.n_columns);
    table->units = ARENA_ARRAY(&table->arena, const char *, csv.n_columns);
    for (size_t c = 0; c < csv.n_columns; c++) table->names[c] = csv.columns[c].name;
    return table;
}

// ---------------------------------------------------------------------------------------------- questions

size_t orr_table_n_rows(const orr_table *table) { return table->n_rows; }
size_t orr_table_n_columns(const orr_table *table) { return table->n_columns; }
const char *orr_table_name(const orr_table *table, size_t column) { return table->names[column]; }
const char *orr_table_unit(const orr_table *table, size_t column) { return table->units[column]; }
const double *orr_table_column(const orr_table *table, size_t column) { return table->columns[column]; }
