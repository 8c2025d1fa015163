// src/port/messages.c: messages from the rows of a table.
#include "port/messages.h"
#include <math.h>
#include <string.h>

static bool find_field(MessageFile *f, const PortAddress *address, const char *wanted, bool or_other,
                       MessageField *field)
{
    const CsvIn *csv = &f->csv;
    *field = (MessageField){ .scale = 1, .column = csv_column(csv, wanted) };
    if (field->column == csv->n_columns && or_other && csv->n_columns == 2)
        field->column = 1 - f->time.column;
    if (field->column == csv->n_columns) {
        const bool is_found = port_report_column(csv, address->place, wanted, f->arena, f->diag);
        if (!or_other && !address->column && field != &f->time)
            diag_hint(f->diag,
                      "columns are found by the names of fields; or name them in order: columns \"%s\", …",
                      csv->columns[0].name);
        return is_found;
    }
    field->name = csv->columns[field->column].name;
    return true;
}

// A word where the first row should have a number is an error of that row; what nobody reads may be anything.
static bool check_types(MessageFile *f)
{
    CsvIn *csv = &f->csv;
    bool *is_used = ARENA_ARRAY(f->arena, bool, csv->n_columns);
    is_used[f->time.column] = true;
    for (size_t i = 0; i < f->n; i++) is_used[f->fields[i].column] = true;
    for (size_t i = 0; i < csv->n_columns; i++) {
        if (is_used[i] && csv->columns[i].is_text) {
            csv_report_field(csv, i);
            return false;
        }
        csv->columns[i].is_text = !is_used[i];
    }
    return true;
}

static bool open_file(MessageFile *f, const char *folder, const char *path)
{
    f->is_open = true;    // to be closed, whatever comes
    f->has_begun = false;
    f->t = -INFINITY;
    return csv_open(&f->csv, folder, path, f->arena, f->diag);
}

bool messages_open(MessageFile *f, const PortAddress *address, const char *const *names, size_t n,
                   bool or_other, Arena *arena, orr_diag *diag)
{
    *f = (MessageFile){ .arena = arena, .diag = diag, .n = n };
    if (!open_file(f, address->folder, address->address)) {
        if (address->place.file) diag_note(diag, address->place, "it is asked for here");
        return false;
    }
    CsvIn *csv = &f->csv;
    const char **units = ARENA_ARRAY(arena, const char *, csv->n_columns);
    for (size_t i = 0; i < csv->n_columns; i++) units[i] = port_split_unit(arena, &csv->columns[i]);
    f->fields = ARENA_ARRAY(arena, MessageField, n);
    f->values = ARENA_ARRAY(arena, double, n);
    f->row = ARENA_ARRAY(arena, double, csv->n_columns);
    bool ok = find_field(f, address, address->time ? address->time : csv->columns[0].name, false, &f->time);
    for (size_t i = 0; ok && i < n; i++) ok = find_field(f, address, names[i], or_other, &f->fields[i]);
    if (!ok) return false;
    f->time.unit = units[f->time.column];
    for (size_t i = 0; i < n; i++) f->fields[i].unit = units[f->fields[i].column];
    return check_types(f);
}

bool messages_next(MessageFile *f)
{
    const CsvResult result = csv_next(&f->csv, f->row);
    if (result == CSV_ERROR) return false;
    if (result == CSV_END) {
        f->t = INFINITY;
        return true;
    }
    const double t = f->time.scale * f->row[f->time.column] + f->time.offset;
    if (!isfinite(t)) {
        diag_report(f->diag, DIAG_SAMPLE_TIME, csv_place(&f->csv, f->time.column),
                    isnan(t) ? "missing" : "infinite");
        diag_hint(f->diag, "each row needs a time; delete the row, or fill it in");
        return false;
    }
    if (f->has_begun && t < f->t) {
        diag_report(f->diag, DIAG_SAMPLE_ORDER, csv_place(&f->csv, f->time.column), f->t, t);
        diag_hint(f->diag, "sort the rows by time");
        return false;
    }
    for (size_t i = 0; i < f->n; i++) {
        const MessageField *field = &f->fields[i];
        f->values[i] = field->scale * f->row[field->column] + field->offset;
        if (isfinite(f->values[i])) continue;
        diag_report(f->diag, DIAG_SAMPLE_VALUE, csv_place(&f->csv, field->column), field->name,
                    isnan(f->values[i]) ? "missing" : "infinite");
        diag_hint(f->diag, "fill it in, or delete the row");
        return false;
    }
    f->t = t;
    f->has_begun = true;
    return true;
}

bool messages_rewind(MessageFile *f)
{
    const char *folder = f->csv.folder, *path = f->csv.path;
    const size_t n = f->csv.n_columns;
    csv_close(&f->csv);
    if (!open_file(f, folder, path)) return false;
    for (size_t i = 0; i < f->csv.n_columns; i++) port_split_unit(f->arena, &f->csv.columns[i]);
    if (f->csv.n_columns == n) return check_types(f);
    diag_report(f->diag, DIAG_CSV_FIELDS, csv_place(&f->csv, n), f->csv.n_columns, n);
    return false;
}

void messages_close(MessageFile *f)
{
    if (f->is_open) csv_close(&f->csv);
    f->is_open = false;
}
