// tests/fuzz/fuzz_csv.c: any bytes as a table: rows or an error, never a crash; every error has its message.
#include "base/csv.h"
#include "base/diag.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
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
    orr_diag_destroy(diag);
    arena_free(&arena);
    return 0;
}
