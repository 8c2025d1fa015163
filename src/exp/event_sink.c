// src/exp/event_sink.c: events to a CSV file, as they happen: the event microscope.
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"
#include "exp/resume.h"
#include "orrery/experiment.h"
#include <stdlib.h>

struct orr_event_csv {
    FileOut file;
    orr_diag *diag;    // borrowed
    bool begun;
};

orr_event_csv *orr_event_csv_create(const char *path, orr_diag *diag)
{
    orr_event_csv *csv = calloc(1, sizeof *csv);
    if (!csv) arena_no_memory(sizeof *csv);
    csv->diag = diag;
    if (file_open(&csv->file, path, FILE_IN_PLACE, diag)) return csv;
    free(csv);
    return NULL;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)names, (void)units, (void)n, (void)time_unit;
    orr_event_csv *csv = self;
    static const char *const columns[] = { "t", "cause", "line", "variable", "left", "right", "iteration" };
    if (!csv->begun) csv_header(&csv->file, columns, sizeof columns / sizeof *columns);
    if (!csv->begun) file_begin(&csv->file);
    csv->begun = true;
    return true;
}

static orr_sink_mark mark(void *self) { return resume_mark(&((orr_event_csv *)self)->file); }

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    orr_event_csv *csv = self;
    const orr_sink_goes_on how = resume_go_on(&csv->file, marks, n, csv->diag);
    csv->begun = how == ORR_SINK_GOES_ON;
    return how;
}

static void put_number(FileOut *file, double value)
{
    char text[NUMBER_MAX];
    file_write(file, text, number_format(value, text));
}

static bool event(void *self, const orr_event *e)
{
    FileOut *file = &((orr_event_csv *)self)->file;
    begin(self, NULL, NULL, 0, NULL);    // events of the start come before it
    put_number(file, e->t);
    file_write(file, ",", 1);
    csv_field(file, e->cause);
    if (e->line) file_printf(file, ",%zu,", e->line);
    else file_write(file, ",,", 2);
    if (e->variable) csv_field(file, e->variable);
    file_write(file, ",", 1);
    put_number(file, e->left);
    file_write(file, ",", 1);
    put_number(file, e->right);
    file_printf(file, ",%zu\n", e->iteration);
    file_mark(file);
    return true;
}

static bool progress(void *self, double t, double from, double until)
{
    (void)t, (void)from, (void)until;
    file_flush(&((orr_event_csv *)self)->file);
    return true;
}

orr_sink orr_event_csv_sink(orr_event_csv *csv)
{
    return (orr_sink){
        .begin = begin, .event = event, .progress = progress, .mark = mark, .go_on = go_on, .self = csv
    };
}

bool orr_event_csv_close(orr_event_csv *csv)
{
    const bool ok = file_close(&csv->file, csv->diag);
    free(csv);
    return ok;
}
