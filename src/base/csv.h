// src/base/csv.h: tables of numbers as CSV, written fast and read with patience.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "orrery/base.h"
#include <stdbool.h>
#include <stdint.h>

// ---- Writing: a header and rows of shortest round-trip numbers; each row is a whole record of the file.
void csv_header(FileOut *f, const char *const *names, size_t n);      // quoted where needed
void csv_field(FileOut *f, const char *text);                          // one, likewise, and no comma
// The same to a text. A field that a spreadsheet would carry out begins with an apostrophe, its guard, which
// goes when names are read.
void csv_add_field(StrBuf *s, const char *text);
Text csv_without_guard(Text field);
void csv_row(FileOut *f, const double *values, size_t n);
// A row as text, without a NUL, for those who write it later: at most csv_row_room(n) bytes. Its end.
char  *csv_row_text(char *text, const double *values, size_t n);
size_t csv_row_room(size_t n);

// ---- Reading, row by row, from a file or a text. Separators , ; tab are recognised, quoted fields may
// contain them and line ends, lines that start with # and empty lines are passed over, a byte order mark and
// CRLF are fine. With ; or tab a decimal comma is understood. An empty field, NA or nan is NaN.
typedef struct CsvColumn {
    const char *name;        // in the arena; from the header, or c1, c2, …
    bool        is_text;     // the first data row has no number here; its values are NaN
} CsvColumn;

typedef struct CsvIn {
    Arena      *arena;       // borrowed
    orr_diag   *diag;        // borrowed
    const char *folder;      // the text of a model names the file, see os_read_file; NULL: the user does
    const char *path;
    CsvColumn  *columns;     // [n_columns]
    size_t      n_columns;
    bool        has_header;
    char        separator;
    size_t      line;        // of the row last read, from 1
    // the window on the file
    int         fd;          // -1: a text
    const char *p;           // [n] what is read and not yet used starts at `at`
    size_t      at, n;
    size_t      next_line;   // line number at `at`
    char       *buffer;      // heap [capacity]; NULL for a text
    size_t      capacity;
    bool        ended;       // nothing follows p[n]
    Text        record;      // the present one
    Text       *fields;      // [fields_capacity] of the present record; scratch for quoted ones in `unquoted`
    size_t      n_fields, fields_capacity;
    StrBuf      unquoted;
    double     *first;       // [n_columns] the first data row, read to learn the types
    size_t      first_line;
    bool        first_waits;
} CsvIn;

typedef enum CsvResult { CSV_ROW, CSV_END, CSV_ERROR } CsvResult;

// Read the header. False, with a message, if it cannot be opened or is no table. Close in either case.
bool csv_open(CsvIn *in, const char *folder, const char *path, Arena *arena, orr_diag *diag);
// text is borrowed
bool csv_open_text(CsvIn *in, Text text, const char *path, Arena *arena, orr_diag *diag);
// row[n_columns]; an error is no end: go on
CsvResult csv_next(CsvIn *in, double *row);
// Where a field of the row last read stands; its column is unknown if it is quoted.
Place     csv_place(CsvIn *in, size_t column);
bool      csv_report_field(CsvIn *in, size_t column);                  // it is no number; always false
size_t    csv_column(const CsvIn *in, const char *name);               // its number, or n_columns
void      csv_close(CsvIn *in);

// A whole table in memory.
typedef struct CsvTable {
    CsvColumn *columns;     // [n_columns]
    double   **values;      // [n_columns][n_rows]
    size_t     n_columns, n_rows;
} CsvTable;
bool csv_read(CsvTable *table, const char *folder, const char *path, Arena *arena, orr_diag *diag);
