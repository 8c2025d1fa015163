// src/port/csv.c: samples from two columns of a table.
#include "port/port.h"
#include <string.h>
#include <unistd.h>

enum { NAMES_SHOWN = 12 };

// The unit of `flow [l/min]`, whose name becomes `flow`; NULL if there is none. In `u[3]` and `u[1,2]` an
// index stands there.
const char *port_split_unit(Arena *arena, CsvColumn *column)
{
    const Text name = text_trim(text_from(column->name));
    const char *open = name.n > 0 && name.p[name.n - 1] == ']' ? memrchr(name.p, '[', name.n) : NULL;
    if (!open || open == name.p) return NULL;
    const size_t n = (size_t)(name.p + name.n - open - 2);
    if (open[-1] != ' ' && strspn(open + 1, "0123456789, ") == n) return NULL;
    const char *unit = text_copy(arena,
                                 text_trim((Text){ open + 1, (size_t)(name.p + name.n - 1 - (open + 1)) }));
    column->name = text_copy(arena, text_trim((Text){ name.p, (size_t)(open - name.p) }));
    return *unit ? unit : NULL;
}

// No column has that name: which is nearest, or which there are.
bool port_report_column(const CsvIn *csv, Place place, const char *wanted, Arena *arena, orr_diag *diag)
{
    const char **names = ARENA_ARRAY(arena, const char *, csv->n_columns);
    StrBuf all = { .arena = arena };
    for (size_t i = 0; i < csv->n_columns; i++) {
        names[i] = csv->columns[i].name;
        if (i < NAMES_SHOWN) str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    diag_report(diag, DIAG_COLUMN_UNKNOWN, place, csv->path, wanted);
    if (!diag_suggest(diag, wanted, text_closest(wanted, names, csv->n_columns)))
        diag_hint(diag, "there are %s%s", str_finish(&all), csv->n_columns > NAMES_SHOWN ? ", …" : "");
    return false;
}

// Which columns are meant.
static bool find_columns(PortIn *in, const PortAddress *address)
{
    const CsvIn *csv = &in->csv;
    in->time = 0;
    if (address->time) in->time = csv_column(csv, address->time);
    if (in->time == csv->n_columns)
        return port_report_column(csv, address->place, address->time, in->arena, in->diag);
    const char *wanted = address->column ? address->column : in->name;
    in->column = csv_column(csv, wanted);
    // of two columns the other one, whatever it is called
    if (!address->column && in->column == csv->n_columns && csv->n_columns == 2) in->column = 1 - in->time;
    return in->column < csv->n_columns ||
           port_report_column(csv, address->place, wanted, in->arena, in->diag);
}

static bool open_table(PortIn *in, const PortAddress *address)
{
    in->title = address->address;
    if (!csv_open(&in->csv, address->folder, address->address, in->arena, in->diag)) {
        if (address->place.file) diag_note(in->diag, address->place, "it is asked for here");
        return false;
    }
    CsvIn *csv = &in->csv;
    const char **units = ARENA_ARRAY(in->arena, const char *, csv->n_columns);
    for (size_t i = 0; i < csv->n_columns; i++) units[i] = port_split_unit(in->arena, &csv->columns[i]);
    if (!find_columns(in, address)) return false;
    in->value_unit = units[in->column];
    in->time_unit = units[in->time];
    in->row = ARENA_ARRAY(in->arena, double, csv->n_columns);
    if (!csv->first_waits) {
        diag_report(in->diag, DIAG_CSV_NO_ROWS, address->place, csv->path);
        return false;
    }
    // a word where the first row should have a number is an error of that row; what nobody reads may be
    // anything
    const size_t used[] = { in->time, in->column };
    for (size_t i = 0; i < 2; i++) {
        if (!csv->columns[used[i]].is_text) continue;
        return csv_report_field(csv, used[i]);
    }
    for (size_t i = 0; i < csv->n_columns; i++) csv->columns[i].is_text = i != in->time && i != in->column;
    return true;
}

static void close_table(PortIn *in) { csv_close(&in->csv); }

bool port_rewind(PortIn *in)
{
    if (in->csv.fd <= STDIN_FILENO || strcmp(in->kind->name, "csv") != 0) return false;
    PortIn again = *in;
    const char *path = in->csv.path;
    CsvColumn *columns = in->csv.columns;
    csv_close(&in->csv);
    if (!csv_open(&again.csv, in->csv.folder, path, in->arena, in->diag)) return false;
    if (again.csv.n_columns <= in->time || again.csv.n_columns <= in->column)
        return csv_close(&again.csv), false;
    for (size_t i = 0; i < again.csv.n_columns; i++)
        again.csv.columns[i].is_text = i != in->time && i != in->column;
    again.csv.columns[in->time].name = columns[in->time].name;
    again.csv.columns[in->column].name = columns[in->column].name;
    again.has_sample = false;
    *in = again;
    return true;
}

const PortKind port_csv = {
    .name = "csv", .form = "FILE", .summary = "a column of a table", .open = open_table, .close = close_table,
};
