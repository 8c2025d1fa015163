// src/exp/rows_out.c: see rows_out.h.
#include "exp/rows_out.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/os.h"
#include "exp/netcdf.h"
#include <stdlib.h>
#include <string.h>

struct RowsOut {
    orr_csv *csv;    // one of the two
    NetCdf  *nc;
};

static bool is_netcdf(const char *path) { return strcmp(os_path_suffix(path), ".nc") == 0; }

bool rows_know(const char *path, orr_diag *diag)
{
    static const char *const known[] = { "", ".csv", ".txt", ".dat", ".nc" };
    const char *suffix = os_path_suffix(path);
    // devices and pipes are called as they are
    if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(suffix, known[i]) == 0) return true;
    diag_report(diag, DIAG_FORM_UNKNOWN, (Place){ 0 }, path, suffix);
    diag_hint(diag, "results are written as CSV (.csv) or as NetCDF-4 (.nc), which other programs convert");
    return false;
}

RowsOut *rows_open(const char *path, bool has_units, const Provenance *provenance, orr_diag *diag)
{
    RowsOut out = { 0 };
    if (is_netcdf(path)) out.nc = netcdf_create(path, provenance, diag);
    else out.csv = orr_csv_create(path, diag);
    if (!out.csv && !out.nc) return NULL;
    if (out.csv && has_units) csv_put_units(out.csv);
    RowsOut *kept = malloc(sizeof *kept);
    if (!kept) arena_no_memory(sizeof *kept);
    *kept = out;
    return kept;
}

void rows_study(RowsOut *out, size_t n_own)
{
    if (out->nc) netcdf_study(out->nc, n_own);
}

orr_sink rows_sink(RowsOut *out) { return out->nc ? netcdf_sink(out->nc) : orr_csv_sink(out->csv); }

bool rows_close(RowsOut *out)
{
    const bool ok = out->nc ? netcdf_close(out->nc) : orr_csv_close(out->csv);
    free(out);
    return ok;
}

const char *rows_column(Arena *arena, const char *name, const char *unit)
{
    return unit && *unit ? arena_printf(arena, "%s [%s]", name, unit) : name;
}

// ---------------------------------------------------------------------------------------------- sheets

static bool write_csv(const orr_sheet *sheet, const char *path, bool has_units, orr_diag *diag)
{
    Arena work = { 0 };
    FileOut f;
    if (!file_open(&f, path, FILE_REPLACE, diag)) return false;
    for (size_t c = 0; c < sheet->n_columns; c++) {
        if (c > 0) file_text(&f, ",");
        csv_field(&f, rows_column(&work, sheet->columns[c].name, has_units ? sheet->columns[c].unit : NULL));
    }
    file_text(&f, "\n");
    file_mark(&f);
    arena_free(&work);
    for (size_t r = 0; r < sheet->n_rows; r++) {
        for (size_t c = 0; c < sheet->n_columns; c++) {
            const orr_column *column = &sheet->columns[c];
            char text[NUMBER_MAX];
            if (c > 0) file_text(&f, ",");
            if (column->texts) csv_field(&f, column->texts[r]);
            else file_write(&f, text, number_format(column->numbers[r], text));
        }
        file_text(&f, "\n");
        file_mark(&f);
    }
    return file_close(&f, diag);
}

bool rows_sheet(const orr_sheet *sheet, const char *path, bool has_units, const Provenance *provenance,
                orr_diag *diag)
{
    return is_netcdf(path) ? netcdf_sheet(sheet, path, provenance, diag)
                           : write_csv(sheet, path, has_units, diag);
}

bool orr_sheet_write(const orr_sheet *sheet, const char *path, orr_diag *diag)
{
    return rows_sheet(sheet, path, false, &(Provenance){ 0 }, diag);
}
