// src/solve/qss/qss.h: what the methods of quantised states share.
//
// Each state has a polynomial x of its own, valid from a time of its own, and a quantised copy q, a
// polynomial one degree lower, which is all that others see of it. A state is due when x and q have grown
// apart by its quantum; then q is renewed, and only the rates that read it are computed anew.
#pragma once
#include "code/quantise.h"
#include "num/calendar.h"
#include "solve/solver.h"

// Places in x of a state; coefficients come first.
enum { X_TIME = CODE_X_TIME, X_DUE = 5, X_QUANTUM = 6, X_OWN = 7 };
enum { X_MEETS = 3 };    // of LIQSS2, which has no third power: a little after x meets q, as far as is known

typedef struct Quantum {
    double least;       // > 0
    double relative;    // of |x|
    double most;        // may be INFINITY
} Quantum;

typedef struct Qss {
    const CodeQuantised *code;
    const IrQuantised *ir;
    const CodeTerm *terms;    // [n_shapes]
    int order;
    bool is_implicit;    // LIQSS: q goes ahead of x, as far as its own rate allows
    uint32_t n;          // states
    double *x;           // [CODE_X*n]
    double *q;           // [CODE_Q*(n + n_shared)]
    double t;            // up to here everything has happened
    Quantum *quanta;     // [n], or [1] for all
    bool has_own_quanta;
    bool scans;             // few states: look at all instead of keeping a heap
    bool is_small;          // the tight loop will do
    Calendar due;           // of the states, if not
    uint64_t *shared_at;    // [n_shared] event at which it was computed
    uint64_t event;         // counts times at which something happened
    // a rate whose polynomial is only near the truth, because it reads time or is not linear, is computed
    // again now and then, even if nothing that it reads is renewed
    const bool *bends;    // [n] NULL: none is such
    double *again;        // [2*n] when, and after how long
    double least_wait;
    // relations
    double *modes;           // [n_relations] inside v; whoever changes one calls restart
    double *modes_seen;      // [n_relations]
    Calendar crossings;      // of relations
    uint64_t *watched_at;    // [n_relations] event at which it was looked at
    uint32_t *to_watch;      // [n_relations] scratch
    uint32_t n_to_watch;
    double burst_start;    // see drive.c
    size_t n_burst;
    // progress
    size_t n_since, window;
    double t_since;
    bool failed;
    bool has_left;         // an event to the driver, which may not have called restart
    bool leaves_events;    // to the driver: more happens there than modes changing
} Qss;

StepResult qss_advance(Island *island, double t_want, long n_max);    // as Solver.advance
