// tests/fuzz/fuzz_csv.c: any bytes as a table, in memory and in a file: rows or an error, never a crash;
// every error has its message, and what was read is written and read again as the same names and numbers.
#include "base/csv.h"
#include "base/diag.h"
#include "base/number.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

static void write_again(const CsvTable *table, Arena *arena, orr_diag *diag)
{
    StrBuf s = { .arena = arena };
    for (size_t i = 0; i < table->n_columns; i++) {
        if (i) str_add_char(&s, ',');
        csv_add_field(&s, table->columns[i].name);
    }
    str_add_char(&s, '\n');
    double *row = ARENA_ARRAY(arena, double, table->n_columns);
    char *line = ARENA_ARRAY(arena, char, csv_row_room(table->n_columns));
    for (size_t k = 0; k < table->n_rows; k++) {
        for (size_t i = 0; i < table->n_columns; i++) row[i] = table->values[i][k];
        str_add_text(&s, (Text){ line, (size_t)(csv_row_text(line, row, table->n_columns) - line) });
    }
    CsvIn in;
    const bool ok = csv_open_text(&in, (Text){ s.p, s.n }, "again.csv", arena, diag);
    if (ok && in.has_header && in.n_columns == table->n_columns) {
        for (size_t i = 0; i < in.n_columns; i++) {
            must(strcmp(in.columns[i].name, table->columns[i].name) == 0);
            must(csv_column(&in, in.columns[i].name) == i);
        }
        for (size_t k = 0; k < table->n_rows && csv_next(&in, row) == CSV_ROW; k++)
            for (size_t i = 0; i < in.n_columns; i++)
                must(row[i] == table->values[i][k] || row[i] != row[i]);
    }
    csv_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    CsvIn in;
    const bool opened = csv_open_text(&in, (Text){ (const char *)data, size }, "fuzz.csv", &arena, diag);
    if (opened == (orr_diag_errors(diag) > 0)) abort();
    if (opened) {
        double *row = ARENA_ARRAY(&arena, double, in.n_columns);
        CsvResult result;
        while ((result = csv_next(&in, row)) != CSV_END)
            if (result == CSV_ERROR && orr_diag_errors(diag) == 0) abort();
    }
    csv_close(&in);

    orr_diag_clear(diag);
    char path[64];
    const int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CsvTable table;
    const bool ok = csv_read(&table, NULL, path, &arena, diag);
    must(ok == (orr_diag_errors(diag) == 0));
    if (ok) write_again(&table, &arena, diag);
    close(fd);
    orr_diag_destroy(diag);
    arena_free(&arena);
    return 0;
}
