// src/exp/csv_sink.c: rows to a CSV file, as they come.
#include "base/csv.h"
#include "base/file.h"
#include "orrery/experiment.h"
#include <stdlib.h>

struct orr_csv {
    FileOut   file;
    orr_diag *diag;      // borrowed
};

orr_csv *orr_csv_create(const char *path, orr_diag *diag)
{
    orr_csv *csv = calloc(1, sizeof *csv);
    if (!csv) arena_no_memory(sizeof *csv);
    csv->diag = diag;
    if (file_open(&csv->file, path, FILE_IN_PLACE, diag)) return csv;
    free(csv);
    return NULL;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n, const char *time_unit)
{
    (void)units, (void)time_unit;
    orr_csv *csv = self;
    Arena work = { 0 };
    const char **all = ARENA_ARRAY(&work, const char *, n + 1);
    all[0] = "t";
    for (size_t i = 0; i < n; i++) all[i + 1] = names[i];
    csv_header(&csv->file, all, n + 1);
    arena_free(&work);
    return csv->file.error == 0;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    orr_csv *csv = self;
    csv_time_row(&csv->file, t, values, n);
    return csv->file.error == 0;
}

static bool end(void *self, orr_status status)
{
    (void)status;
    return file_flush(&((orr_csv *)self)->file);
}

orr_sink orr_csv_sink(orr_csv *csv) { return (orr_sink){ .begin = begin, .row = row, .end = end, .self = csv }; }

bool orr_csv_close(orr_csv *csv)
{
    if (!csv) return true;
    const bool ok = file_close(&csv->file, csv->diag);
    free(csv);
    return ok;
}
