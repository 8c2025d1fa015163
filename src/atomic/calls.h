// src/atomic/calls.h: what generated code of atomics calls, and how what a component shows is read. The text
// of this file and of calls.c is part of exported programs.
#pragma once
#include "orrery/atomic.h"
#include "orrery/statistics.h"

// How a double is found in the state.
typedef enum AtomicHow {
    ATOMIC_READ_STATE,        // the number of the state, from 1
    ATOMIC_READ_SLOT,         // a double
    ATOMIC_READ_LENGTH,       // of a queue
    ATOMIC_READ_COUNT, ATOMIC_READ_MEAN, ATOMIC_READ_DEVIATION, ATOMIC_READ_LOWEST, ATOMIC_READ_HIGHEST,
    ATOMIC_READ_QUANTILE,
    ATOMIC_READ_NOW,          // of a level: its value
} AtomicHow;

// What stands at a slot of a state, at t; p: of a quantile.
double host_read(double t, const void *state, AtomicHow how, uint32_t slot, int is_level, double p);

// What the code calls: a row of struct AtomicHost each (host.h), in which `fault` is the number of what goes
// wrong among the faults of the kind.
double host_draw(const orr_devs_call *call, void *stream, int number, const double *arguments, int n,
                 int fault);
int    host_pick(const orr_devs_call *call, void *stream, const double *chances, int n, int fault);
double host_length(const void *queue);
void   host_queue_begin(void *queue, int n_slots, int is_ranked);
void   host_push(const orr_devs_call *call, void *queue, const double *value);
void   host_insert(const orr_devs_call *call, void *queue, double rank, const double *value, int fault);
void   host_pop(const orr_devs_call *call, void *queue, double *value, int fault);
void   host_take(const orr_devs_call *call, void *queue, double index, double *value, int fault);
void   host_peek(const orr_devs_call *call, const void *queue, double index, double *value, int fault);
double host_peek_one(const orr_devs_call *call, const void *queue, double index, int fault);
void   host_clear(const orr_devs_call *call, void *queue);
void   host_level_begin(const orr_devs_call *call, void *level, double value);
void   host_tally_add(void *tally, double value);
void   host_level_set(const orr_devs_call *call, void *level, double value);
void   host_reset(const orr_devs_call *call, void *statistic, int is_level);
double host_statistic(double t, const void *statistic, int how, int is_level, double p);

// Theirs who include it: the component fails; begin its stream of random numbers; a queue has no more memory,
// which the kernel has reported.
void host_fault(const orr_devs_call *call, int fault, double value);
void host_stream(const orr_devs_call *call, void *stream);
void host_queue_is_full(const orr_devs_call *call, const void *queue);
