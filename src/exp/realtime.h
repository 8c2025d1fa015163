// src/exp/realtime.h: a run that keeps pace with the clock on the wall.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Realtime {
    double   ns_per_unit;    // of the model's time; 0: the run goes as fast as it can
    double   from;           // the model's time at `started`
    uint64_t started;
    size_t   n_instants, n_late;
    double   latest;         // s; the worst delay
    const volatile int *cancel;
} Realtime;

void realtime_start(Realtime *clock, double from);
// The model has been computed up to t: wait until it is that time. False if somebody asked to stop.
bool realtime_await(Realtime *clock, double t);
