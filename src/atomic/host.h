// src/atomic/host.h: what generated code of atomics calls. The text declares the same structure (cgen.c).
#pragma once
#include "atomic/atomic.h"

typedef struct AtomicHost {
    void   (*send)(const orr_devs_call *call, uint32_t port, const void *value);
    void   (*fault)(const orr_devs_call *call, int fault, double value);
    void   (*stream)(const orr_devs_call *call, void *stream);    // begin it
    double (*draw)(const orr_devs_call *call, void *stream, int number, const double *arguments, int n,
                   int fault);
    int    (*pick)(const orr_devs_call *call, void *stream, const double *chances, int n, int fault);
    void   (*queue_begin)(void *queue, int n_slots, int is_ranked);
    void   (*push)(const orr_devs_call *call, void *queue, const double *value);
    void   (*insert)(const orr_devs_call *call, void *queue, double rank, const double *value, int fault);
    void   (*pop)(const orr_devs_call *call, void *queue, double *value, int fault);
    void   (*take)(const orr_devs_call *call, void *queue, double index, double *value, int fault);
    void   (*peek)(const orr_devs_call *call, const void *queue, double index, double *value, int fault);
    double (*peek_one)(const orr_devs_call *call, const void *queue, double index, int fault);
    void   (*clear)(const orr_devs_call *call, void *queue);
    void   (*level_begin)(const orr_devs_call *call, void *level, double value);
    void   (*tally_add)(void *tally, double value);
    void   (*level_set)(const orr_devs_call *call, void *level, double value);
    void   (*reset)(const orr_devs_call *call, void *statistic, int is_level);
    double (*statistic)(double t, const void *statistic, int how, int is_level, double p);
} AtomicHost;
extern const AtomicHost atomic_host;

// The functions of one kind, as the generated table has them.
typedef struct AtomicFunctions {
    void   (*init)(void *state, const void *params, const orr_devs_call *call);
    double (*advance)(const void *state, const orr_devs_call *call);
    void   (*output)(const void *state, const orr_devs_call *call);
    void   (*internal)(void *state, const orr_devs_call *call);
    void   (*external)(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                       size_t n);
    void   (*confluent)(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n);
} AtomicFunctions;

void native_unload(AtomicSet *set);    // native.c

// What the generated text defines.
typedef struct AtomicCode {
    void (*bind)(const AtomicHost *host);
    const AtomicFunctions *kinds;    // [ast->atomics.n]
} AtomicCode;
#define ATOMIC_CODE_NAME "orr_atomics"
