// src/source/tables.c: the points of tables, read from files and judged.
//
// A file for one argument has a column for it and one for the value. For two arguments it is a grid: the
// first column has the values of the first argument, the header those of the second; or a list, with a column
// for each of the three, in any order. A header may name units: "speed [km/h]".
#include "source/tables.h"
#include "base/csv.h"
#include "base/number.h"
#include "units/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Ast *ast;
    AstTable *table;
    CsvTable csv;
    Arena work;
    orr_diag *diag;
} Reader;

__attribute__((format(printf, 4, 5))) static bool refuse(orr_diag *diag, const AstTable *table, Place place,
                                                         const char *format, ...)
{
    Arena work = { 0 };
    StrBuf s = { .arena = &work };
    va_list args;
    va_start(args, format);
    str_vaddf(&s, format, args);
    va_end(args);
    diag_report(diag, DIAG_TABLE_BAD, place, table->name, str_finish(&s));
    arena_free(&work);
    return false;
}

// ---- Columns

// "speed [km/h]" → "speed" and "km/h"; NULL if there is no unit.
static const char *split_unit(Arena *arena, const char *header, const char **unit)
{
    *unit = NULL;
    Text text = text_trim(text_from(header));
    const char *open = text.n && text.p[text.n - 1] == ']' ? memchr(text.p, '[', text.n) : NULL;
    if (open) {
        const Text inner = text_trim((Text){ open + 1, (size_t)(text.p + text.n - 1 - (open + 1)) });
        if (inner.n) *unit = text_copy(arena, inner);
        text = text_trim((Text){ text.p, (size_t)(open - text.p) });
    }
    return text_copy(arena, text);
}

static bool find_column(Reader *r, const char *wanted, size_t *column)
{
    const size_t n = r->csv.n_columns;
    const char **names = ARENA_ARRAY(&r->work, const char *, n);
    for (size_t i = 0; i < n; i++) {
        const char *unit;
        names[i] = split_unit(&r->work, r->csv.columns[i].name, &unit);
        if (strcmp(r->csv.columns[i].name, wanted) != 0 && strcmp(names[i], wanted) != 0) continue;
        *column = i;
        return true;
    }
    refuse(r->diag, r->table, r->table->columns_place, "there is no column '%s' in %s", wanted,
           r->table->file);
    const char *closest = text_closest(wanted, names, n);
    if (closest) {
        diag_suggest(r->diag, wanted, closest);
        return false;
    }
    enum { SHOWN = 8 };
    StrBuf all = { .arena = &r->work };
    for (size_t i = 0; i < n && i < SHOWN; i++) str_addf(&all, "%s'%s'", i ? ", " : "", names[i]);
    diag_hint(r->diag, "there are %s%s", str_finish(&all), n > SHOWN ? " and others" : "");
    return false;
}

// The numbers of a column, which must all be there, in the unit of the table.
static double *take_column(Reader *r, size_t column, const char **unit, Place unit_place)
{
    const CsvColumn *header = &r->csv.columns[column];
    const char *given;
    const char *name = split_unit(&r->work, header->name, &given);
    double scale = 1, offset = 0;
    if (given && *unit) {
        double one = 1;
        if (!units_convert(r->ast, given, *unit, false, unit_place, &offset, r->diag)) {
            diag_note(r->diag, r->table->file_place, "column '%s' of the file is in %s", name, given);
            return NULL;
        }
        units_convert(r->ast, given, *unit, false, unit_place, &one, r->diag);
        scale = one - offset;
    } else if (given) {
        *unit = arena_copy_text(r->ast->arena, given, strlen(given));
        r->ast->has_units = true;
    }
    double *values = ARENA_ARRAY(r->ast->arena, double, r->csv.n_rows);
    for (size_t i = 0; i < r->csv.n_rows; i++) {
        const double value = r->csv.values[column][i];
        if (header->is_text || !isfinite(value)) {
            refuse(r->diag, r->table, r->table->file_place, "column '%s' has no number in row %zu of %s",
                   name, i + 1, r->table->file);
            diag_hint(r->diag, "a table has no gaps: remove the row, or put a number there");
            return NULL;
        }
        values[i] = given && (scale != 1 || offset != 0) ? scale * value + offset : value;
    }
    return values;
}

// ---- One argument

static bool read_curve(Reader *r)
{
    AstTable *table = r->table;
    size_t columns[2] = { 0, 1 };
    if (table->n_columns) {
        for (int i = 0; i < 2; i++)
            if (!find_column(r, table->columns[i], &columns[i])) return false;
    } else if (r->csv.n_columns != 2) {
        refuse(r->diag, table, table->file_place, "%s has %zu columns", table->file, r->csv.n_columns);
        diag_hint(r->diag, "say which: columns \"of the argument\", \"of the value\"");
        return false;
    }
    table->n_x = (uint32_t)r->csv.n_rows;
    table->x = take_column(r, columns[0], &table->arguments[0].unit, table->arguments[0].unit_place);
    table->z = table->x ? take_column(r, columns[1], &table->unit, table->unit_place) : NULL;
    return table->z != NULL;
}

// ---- Two arguments

// First column and header are the arguments.
static bool read_grid(Reader *r)
{
    AstTable *table = r->table;
    const size_t n_rows = r->csv.n_rows, n = r->csv.n_columns - 1;
    table->n_x = (uint32_t)n_rows;
    table->n_y = (uint32_t)n;
    table->y = ARENA_ARRAY(r->ast->arena, double, n);
    table->z = ARENA_ARRAY(r->ast->arena, double, n_rows *n);
    for (size_t j = 0; j < n; j++) {
        if (number_parse(text_trim(text_from(r->csv.columns[j + 1].name)), &table->y[j])) continue;
        refuse(r->diag, table, table->file_place, "'%s' in the header of %s is not a number",
               r->csv.columns[j + 1].name, table->file);
        diag_hint(
            r->diag,
            "the header has the values of '%s'; of a list of points say: columns \"%s\", \"%s\", \"value\"",
            table->arguments[1].name, table->arguments[0].name, table->arguments[1].name);
        return false;
    }
    table->x = take_column(r, 0, &table->arguments[0].unit, table->arguments[0].unit_place);
    for (size_t j = 0; table->x && j < n; j++) {
        const char *no_unit = NULL;
        const double *values = take_column(r, j + 1, &no_unit, table->unit_place);
        if (!values) return false;
        for (size_t i = 0; i < n_rows; i++) table->z[i * n + j] = values[i];
    }
    return table->x != NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The different values of a column, ascending.
static double *distinct(Reader *r, const double *values, size_t n, uint32_t *n_out)
{
    double *sorted = ARENA_ARRAY(r->ast->arena, double, n);
    if (n) memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[k - 1]) sorted[k++] = sorted[i];
    *n_out = (uint32_t)k;
    return sorted;
}

static size_t place_in(const double *sorted, size_t n, double value)
{
    const double *found = bsearch(&value, sorted, n, sizeof *sorted, compare_numbers);
    return (size_t)(found - sorted);
}

// A list of points, which must be those of a grid.
static bool read_list(Reader *r)
{
    AstTable *table = r->table;
    double *column[3];
    for (int i = 0; i < 3; i++) {
        size_t at;
        AstArgument *argument = i < 2 ? &table->arguments[i] : NULL;
        if (!find_column(r, table->columns[i], &at)) return false;
        column[i] = argument ? take_column(r, at, &argument->unit, argument->unit_place)
                             : take_column(r, at, &table->unit, table->unit_place);
        if (!column[i]) return false;
    }
    const size_t n = r->csv.n_rows;
    table->x = distinct(r, column[0], n, &table->n_x);
    table->y = distinct(r, column[1], n, &table->n_y);
    const size_t n_all = (size_t)table->n_x * table->n_y;
    if (n_all > TABLES_NUMBERS_MAX || n_all > 4 * n + 16) {
        refuse(r->diag, table, table->file_place, "the %zu points of %s are not a grid", n, table->file);
        diag_hint(r->diag, "%u values of '%s' and %u of '%s' make %zu points: every pair is needed",
                  table->n_x, table->arguments[0].name, table->n_y, table->arguments[1].name, n_all);
        return false;
    }
    bool *known = ARENA_ARRAY(&r->work, bool, n_all);
    table->z = ARENA_ARRAY(r->ast->arena, double, n_all);
    for (size_t i = 0; i < n; i++) {
        const size_t at = place_in(table->x, table->n_x, column[0][i]) * table->n_y +
                          place_in(table->y, table->n_y, column[1][i]);
        if (known[at])
            return refuse(r->diag, table, table->file_place, "the point (%.10g, %.10g) is twice in %s",
                          column[0][i], column[1][i], table->file);
        known[at] = true;
        table->z[at] = column[2][i];
    }
    for (size_t at = 0; at < n_all; at++) {
        if (known[at]) continue;
        refuse(r->diag, table, table->file_place, "the point (%.10g, %.10g) is not in %s",
               table->x[at / table->n_y], table->y[at % table->n_y], table->file);
        diag_hint(r->diag, "a table of two arguments is a grid: every pair of their values is needed");
        return false;
    }
    return true;
}

// ---- Samples

static bool read_samples(Reader *r)
{
    AstTable *table = r->table;
    size_t column = 0;
    if (table->n_columns && !find_column(r, table->columns[0], &column)) return false;
    if (!table->n_columns && r->csv.n_columns != 1) {
        refuse(r->diag, table, table->file_place, "%s has %zu columns", table->file, r->csv.n_columns);
        diag_hint(r->diag, "say which: from \"%s\" column \"%s\"", table->file, r->csv.columns[0].name);
        return false;
    }
    table->z = take_column(r, column, &table->unit, table->unit_place);
    table->n_x = (uint32_t)r->csv.n_rows;
    if (!table->z) return false;
    qsort(table->z, table->n_x, sizeof *table->z, compare_numbers);
    table->x = ARENA_ARRAY(r->ast->arena, double, table->n_x);
    for (uint32_t i = 0; i < table->n_x; i++) table->x[i] = i;
    return true;
}

bool tables_read(Ast *ast, AstTable *table, const char *folder, const char *path, orr_diag *diag)
{
    Reader r = { .ast = ast, .table = table, .diag = diag };
    bool ok = csv_read(&r.csv, folder, path, &r.work, diag);
    if (!ok)
        diag_note(diag, table->file_place, "%s '%s' reads it", table->n_arguments ? "table" : "samples",
                  table->name);
    else if (r.csv.n_rows == 0)
        ok = refuse(diag, table, table->file_place, "there are no rows in %s", table->file);
    else if (table->n_arguments == 0) ok = read_samples(&r);
    else if (table->n_arguments == 1) ok = read_curve(&r);
    else if (table->n_columns) ok = read_list(&r);
    else if (r.csv.n_columns < 2)
        ok = refuse(diag, table, table->file_place, "%s has one column only", table->file);
    else ok = read_grid(&r);
    arena_free(&r.work);
    return ok;
}

// ---- Judging

static bool ascends(const AstTable *table, const double *x, uint32_t n, int argument, orr_diag *diag)
{
    const char *name = table->arguments[argument].name;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (x[i] < x[i + 1]) continue;
        if (x[i] == x[i + 1]) {
            refuse(diag, table, table->place, "%.10g occurs twice among the values of '%s'", x[i], name);
            diag_hint(diag, "one value at each point: remove a row, or write 'hold' for a jump");
        } else {
            refuse(diag, table, table->place, "the values of '%s' must ascend, but %.10g follows %.10g", name,
                   x[i + 1], x[i]);
            diag_hint(diag, "put the points in ascending order of '%s'", name);
        }
        return false;
    }
    return true;
}

bool tables_check(const AstTable *table, orr_diag *diag)
{
    const uint32_t least = table->between == PIECES_HOLD ? 1 : 2;
    const bool is_grid = table->n_arguments == 2;
    if (is_grid && table->between == PIECES_MONOTONE) {
        refuse(diag, table, table->between_place, "'monotone' is for one argument");
        diag_hint(diag, "with two: hold, linear or cubic");
        return false;
    }
    for (uint32_t i = 0; i < table->n_arguments; i++) {
        const uint32_t n = i ? table->n_y : table->n_x;
        if (n >= least) continue;
        refuse(diag, table, table->place, n ? "there is one point only" : "there are no points");
        diag_hint(diag,
                  is_grid ? "at least two values of each argument are needed between which '%s' can be"
                          : "at least two points are needed for '%s'",
                  ast_between_words[table->between]);
        return false;
    }
    const double numbers = is_grid ? 16.0 * (table->n_x + 2.0) * (table->n_y + 2.0)
                                   : 5.0 * (table->n_x + 2.0);
    if (numbers > TABLES_NUMBERS_MAX) {
        refuse(diag, table, table->place, "its %.0f points are too many",
               is_grid ? (double)table->n_x * table->n_y : table->n_x);
        diag_hint(diag, "the limit is about %d", is_grid ? TABLES_NUMBERS_MAX / 16 : TABLES_NUMBERS_MAX / 5);
        return false;
    }
    if (table->n_arguments == 0) return true;
    return ascends(table, table->x, table->n_x, 0, diag) &&
           (!is_grid || ascends(table, table->y, table->n_y, 1, diag));
}
