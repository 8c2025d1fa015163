// src/exp/log_sink.c: what happens in a run to a file, line by line as it happens: events (the event
// microscope), polynomials of solvers, messages and transitions of components.
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"
#include "base/os.h"
#include "exp/resume.h"
#include "exp/trace.h"
#include "orrery/experiment.h"
#include <stdlib.h>
#include <string.h>

struct orr_log {
    orr_log_kind kind;
    FileOut      file;
    orr_diag    *diag;              // borrowed
    bool         is_json, begun;    // begun: it has its header, perhaps from an earlier run
};

orr_log *orr_log_create(orr_log_kind kind, const char *path, orr_diag *diag)
{
    orr_log *log = calloc(1, sizeof *log);
    if (!log) arena_no_memory(sizeof *log);
    *log = (orr_log){ .kind = kind, .diag = diag };
    const char *suffix = os_path_suffix(path);
    log->is_json = kind == ORR_LOG_TRACE && (strcmp(suffix, ".jsonl") == 0 || strcmp(suffix, ".json") == 0);
    if (file_open(&log->file, path, FILE_IN_PLACE, diag)) return log;
    free(log);
    return NULL;
}

// The header, once: what happens at the start comes before the first row.
static FileOut *begin_once(orr_log *log)
{
    static const char *const headers[] = {
        [ORR_LOG_EVENTS] = "t,cause,line,variable,left,right,iteration\n",
        [ORR_LOG_TRACE] = "t,bag,kind,component,port,value,elapsed,due,messages\n",
    };
    if (log->begun) return &log->file;
    log->begun = true;
    if (!log->is_json) file_text(&log->file, headers[log->kind]);
    file_mark(&log->file);
    file_begin(&log->file);
    return &log->file;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)names, (void)units, (void)n, (void)time_unit;
    orr_log *log = self;
    if (log->kind != ORR_LOG_PIECES) begin_once(log);
    else if (!log->begun) file_begin(&log->file);    // its header is as wide as its first piece
    return true;
}

static orr_sink_mark mark(void *self) { return resume_mark(&((orr_log *)self)->file); }

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    orr_log *log = self;
    const orr_sink_goes_on how = resume_go_on(&log->file, marks, n, log->diag);
    log->begun = how == ORR_SINK_GOES_ON;
    return how;
}

static void put_number(FileOut *file, double value)
{
    char text[NUMBER_MAX];
    file_write(file, ",", 1);
    file_write(file, text, number_format(value, text));
}

static void put_time(FileOut *file, double t, const char *name)
{
    char text[NUMBER_MAX];
    file_write(file, text, number_format(t, text));
    file_write(file, ",", 1);
    csv_field(file, name);
}

static bool put_event(void *self, const orr_event *e)
{
    FileOut *file = begin_once(self);
    put_time(file, e->t, e->cause);
    if (e->line) file_printf(file, ",%zu,", e->line);
    else file_write(file, ",,", 2);
    if (e->variable) csv_field(file, e->variable);
    put_number(file, e->left);
    put_number(file, e->right);
    file_printf(file, ",%zu\n", e->iteration);
    file_mark(file);
    return true;
}

static bool put_piece(void *self, const orr_piece *piece)
{
    static const char *const columns[] = { "t", "state", "c0", "c1", "c2", "c3", "c4", "c5" };
    orr_log *log = self;
    FileOut *file = &log->file;
    if (!log->begun) csv_header(file, columns, 2 + (size_t)piece->n_terms);
    log->begun = true;
    put_time(file, piece->t, piece->name);
    for (int k = 0; k < piece->n_terms; k++) put_number(file, piece->c[k]);
    file_write(file, "\n", 1);
    file_mark(file);
    return file->error == 0;
}

static void put_trace(void *self, const orr_devs *network, const orr_devs_trace *what)
{
    FileOut *file = begin_once(self);
    trace_put(file, network, what, ((orr_log *)self)->is_json);
    file_mark(file);
}

static bool progress(void *self, double t, double from, double until)
{
    (void)t, (void)from, (void)until;
    file_flush(&((orr_log *)self)->file);
    return true;
}

orr_sink orr_log_sink(orr_log *log)
{
    return (orr_sink){ .begin = begin,
                       .event = log->kind == ORR_LOG_EVENTS ? put_event : NULL,
                       .piece = log->kind == ORR_LOG_PIECES ? put_piece : NULL,
                       .trace = log->kind == ORR_LOG_TRACE ? put_trace : NULL,
                       .progress = progress, .mark = mark, .go_on = go_on, .self = log };
}

bool orr_log_close(orr_log *log)
{
    if (log->kind == ORR_LOG_TRACE && !log->file.keeps) begin_once(log);
    const bool ok = file_close(&log->file, log->diag);
    free(log);
    return ok;
}
