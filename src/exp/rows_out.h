// src/exp/rows_out.h: files of results: CSV or, by the suffix of their names, NetCDF-4.
#pragma once
#include "exp/provenance.h"
#include "orrery/kind.h"

typedef struct RowsOut RowsOut;

// Does the suffix mean a form that is known? E460 if not.
bool     rows_know(const char *path, orr_diag *diag);
// NULL after a message. `provenance` lives as long as the file.
RowsOut *rows_open(const char *path, bool has_units, const Provenance *provenance, orr_diag *diag);
void     rows_study(RowsOut *out, size_t n_own);    // before rows begin: their first columns are of a study
orr_sink rows_sink(RowsOut *out);
bool     rows_close(RowsOut *out);                  // false, reported, if something was not written
bool     rows_sheet(const orr_sheet *sheet, const char *path, bool has_units, const Provenance *provenance,
                    orr_diag *diag);

// How a column is called: "x", or "x [m]" if there is a unit.
const char *rows_column(Arena *arena, const char *name, const char *unit);
void        csv_put_units(orr_csv *csv);            // of csv_sink.c: into its header
