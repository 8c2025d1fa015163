// src/exp/trace.h: names for what the kernel tells.
#pragma once
#include "base/arena.h"
#include "base/file.h"
#include "orrery/devs.h"
#include <stdbool.h>

typedef struct TraceNames {
    const char *component;    // "" is the model itself
    const char *port;         // "" if there is none
} TraceNames;

const char *trace_kind(orr_devs_kind kind);    // "internal"
// Of a component and one of its ports; in the arena or the network's. What is outside of the network are
// equations: their ports are known by full names, "tank.full", of which the model is what stands before the
// last point.
void trace_names(const orr_devs *network, uint32_t component, bool is_input, uint32_t port, Arena *arena,
                 TraceNames *names);
// A line of CSV (t, bag, kind, component, port, value, elapsed, due, messages) or JSON for what happened.
void trace_put(FileOut *file, const orr_devs *network, const orr_devs_trace *what, bool is_json);
