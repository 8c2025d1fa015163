// src/exp/trace.c: messages and transitions of components as lines: CSV or JSON.
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"
#include "exp/trace.h"
#include "orrery/island.h"
#include <math.h>
#include <string.h>

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

static void put_json(FileOut *file, const orr_devs_trace *what, const TraceNames *names,
                     const orr_devs_port *port)
{
    put_text(file, "{\"t\":");
    put_number(file, what->t);
    file_printf(file, ",\"bag\":%llu,\"kind\":\"%s\",\"component\":", (unsigned long long)what->bag,
                trace_kind(what->kind));
    file_json(file, names->component);
    if (what->kind == ORR_DEVS_SENT) {
        put_text(file, ",\"port\":");
        file_json(file, names->port);
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

void trace_put(FileOut *file, const orr_devs *network, const orr_devs_trace *what, bool is_json)
{
    Arena work = { 0 };
    const bool is_outside = what->component == ORR_DEVS_OUTSIDE;
    TraceNames names;
    trace_names(network, what->component, is_outside, what->port, &work, &names);
    const orr_devs_port *port = orr_devs_get_port(network, what->component, is_outside, what->port);
    if (is_json) put_json(file, what, &names, port);
    else put_csv(file, what, &names, port);
    arena_free(&work);
}
