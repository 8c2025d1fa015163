// src/exp/trace_sink.c: messages and transitions to a file, as they happen: CSV or lines of JSON.
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"
#include "base/os.h"
#include "exp/resume.h"
#include "exp/trace.h"
#include "orrery/experiment.h"
#include "orrery/island.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct orr_trace_file {
    FileOut file;
    orr_diag *diag;    // borrowed
    bool is_json, begun;
};

const char *trace_kind(orr_devs_kind kind)
{
    static const char *const names[] = { [ORR_DEVS_INTERNAL] = "internal",
                                         [ORR_DEVS_EXTERNAL] = "external",
                                         [ORR_DEVS_CONFLUENT] = "confluent",
                                         [ORR_DEVS_SENT] = "sent",
                                         [ORR_DEVS_SWITCHED] = "switched",
                                         [ORR_DEVS_COUPLING_SWITCHED] = "coupling switched" };
    return names[kind];
}

void trace_names(const orr_devs *network, uint32_t component, bool is_input, uint32_t port, Arena *arena,
                 TraceNames *names)
{
    const orr_devs_port *p = orr_devs_get_port(network, component, is_input, port);
    *names = (TraceNames){ "", p ? p->name : "" };
    if (component < ORR_DEVS_NONE) {
        const size_t n = orr_devs_name(network, component, NULL, 0);
        char *name = ARENA_ARRAY(arena, char, n + 1);
        orr_devs_name(network, component, name, n + 1);
        names->component = name;
        return;
    }
    // a port of equations is known by its full name; signals are told and heard by the model as a whole
    const char *dot = strrchr(names->port, '.');
    const bool is_message = p && strcmp(p->type, ORR_SIGNAL) != 0 && strcmp(p->type, ORR_PERTURBATION) != 0;
    if (!dot || !is_message) return;
    names->component = arena_copy_text(arena, names->port, (size_t)(dot - names->port));
    names->port = dot + 1;
}

orr_trace_file *orr_trace_file_create(const char *path, orr_diag *diag)
{
    orr_trace_file *trace = calloc(1, sizeof *trace);
    if (!trace) arena_no_memory(sizeof *trace);
    trace->diag = diag;
    const char *suffix = os_path_suffix(path);
    trace->is_json = strcmp(suffix, ".jsonl") == 0 || strcmp(suffix, ".json") == 0;
    if (file_open(&trace->file, path, FILE_IN_PLACE, diag)) return trace;
    free(trace);
    return NULL;
}

static void put_number(FileOut *file, double value)
{
    char text[NUMBER_MAX];
    file_write(file, text, number_format(value, text));
}

static void put_text(FileOut *file, const char *text) { file_write(file, text, strlen(text)); }

// The numbers a message says, with something between them.
static void put_values(FileOut *file, const orr_devs_port *port, const void *bytes, const char *between)
{
    Arena work = { 0 };
    const size_t n = port ? orr_message_numbers(port, bytes, NULL, 0) : 0;
    double *values = ARENA_ARRAY(&work, double, n);
    if (n) orr_message_numbers(port, bytes, values, n);
    for (size_t i = 0; i < n; i++) {
        if (i) put_text(file, between);
        if (*between == ',' && !isfinite(values[i])) put_text(file, "null");    // JSON has no infinity
        else put_number(file, values[i]);
    }
    arena_free(&work);
}

static void put_csv(FileOut *file, const orr_devs_trace *what, const TraceNames *names,
                    const orr_devs_port *port)
{
    put_number(file, what->t);
    file_printf(file, ",%llu,%s,", (unsigned long long)what->bag, trace_kind(what->kind));
    csv_field(file, names->component);
    put_text(file, ",");
    if (what->kind == ORR_DEVS_SENT) {
        csv_field(file, names->port);
        put_text(file, ",");
        put_values(file, port, what->value, " ");
        put_text(file, ",,,\n");
    } else if (what->kind > ORR_DEVS_SENT) {
        file_printf(file, ",%u,,,\n", what->n);
    } else {
        put_text(file, ",,");
        put_number(file, what->elapsed);
        put_text(file, ",");
        put_number(file, what->due);
        file_printf(file, ",%u\n", what->n);
    }
}

static void put_json_text(FileOut *file, const char *text)
{
    put_text(file, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') file_printf(file, "\\%c", *p);
        else if (*p < 0x20) file_printf(file, "\\u%04x", *p);
        else file_write(file, (const char *)p, 1);
    }
    put_text(file, "\"");
}

static void put_json(FileOut *file, const orr_devs_trace *what, const TraceNames *names,
                     const orr_devs_port *port)
{
    put_text(file, "{\"t\":");
    put_number(file, what->t);
    file_printf(file, ",\"bag\":%llu,\"kind\":\"%s\",\"component\":", (unsigned long long)what->bag,
                trace_kind(what->kind));
    put_json_text(file, names->component);
    if (what->kind == ORR_DEVS_SENT) {
        put_text(file, ",\"port\":");
        put_json_text(file, names->port);
        put_text(file, ",\"value\":[");
        put_values(file, port, what->value, ",");
        put_text(file, "]}\n");
    } else if (what->kind > ORR_DEVS_SENT) {
        file_printf(file, ",\"to\":%u}\n", what->n);
    } else {
        put_text(file, ",\"elapsed\":");
        put_number(file, what->elapsed);
        put_text(file, ",\"due\":");
        if (isfinite(what->due)) put_number(file, what->due);
        else put_text(file, "null");
        file_printf(file, ",\"messages\":%u}\n", what->n);
    }
}

static void begin_once(orr_trace_file *trace)
{
    static const char *const columns[] = { "t",     "bag",     "kind", "component", "port",
                                           "value", "elapsed", "due",  "messages" };
    if (!trace->begun && !trace->is_json)
        csv_header(&trace->file, columns, sizeof columns / sizeof *columns);
    if (!trace->begun) file_begin(&trace->file);
    trace->begun = true;
}

static orr_sink_mark mark(void *self) { return resume_mark(&((orr_trace_file *)self)->file); }

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    orr_trace_file *trace = self;
    const orr_sink_goes_on how = resume_go_on(&trace->file, marks, n, trace->diag);
    trace->begun = how == ORR_SINK_GOES_ON;
    return how;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)names, (void)units, (void)n, (void)time_unit;
    begin_once(self);
    return true;
}

static void take(void *self, const orr_devs *network, const orr_devs_trace *what)
{
    orr_trace_file *trace = self;
    begin_once(trace);    // what happens at the start comes before the first row
    Arena work = { 0 };
    const bool is_outside = what->component == ORR_DEVS_OUTSIDE;
    TraceNames names;
    trace_names(network, what->component, is_outside, what->port, &work, &names);
    const orr_devs_port *port = orr_devs_get_port(network, what->component, is_outside, what->port);
    if (trace->is_json) put_json(&trace->file, what, &names, port);
    else put_csv(&trace->file, what, &names, port);
    file_mark(&trace->file);
    arena_free(&work);
}

static bool progress(void *self, double t, double from, double until)
{
    (void)t, (void)from, (void)until;
    file_flush(&((orr_trace_file *)self)->file);
    return true;
}

orr_sink orr_trace_file_sink(orr_trace_file *trace)
{
    return (orr_sink){
        .begin = begin, .trace = take, .progress = progress, .mark = mark, .go_on = go_on, .self = trace
    };
}

bool orr_trace_file_close(orr_trace_file *trace)
{
    if (!trace->file.keeps) begin_once(trace);
    const bool ok = file_close(&trace->file, trace->diag);
    free(trace);
    return ok;
}
