// src/solve/qss/qss.h: what the methods of quantised states share.
//
// Each state has a polynomial x of its own, valid from a time of its own, and a quantised copy q, a
// polynomial one degree lower, which is all that others see of it. A state is due when x and q have grown
// apart by its quantum; then q is renewed, and only the rates that read it are computed anew.
#pragma once
#include "code/quantise.h"
#include "num/calendar.h"
#include "solve/solver.h"

typedef struct QssPairs QssPairs;    // see pairs.h
typedef struct QssLoops QssLoops;    // see shared.h

typedef struct Qss {
    const CodeQuantised *made;    // for this kind of method
    const CodeQuantised *code;    // in use: that, or the same in native code
    const IrQuantised *ir;
    const CodeTerm *terms;    // [n_shapes]
    int order;
    bool is_implicit;      // LIQSS: q goes ahead of x, as far as its own rate allows
    uint32_t n;            // states
    double *x;             // [n_x*n], see code/qss_step.h; with loops also of shared variables, see shared.c
    uint32_t n_x;          // QSS_X(order, is_implicit)
    double *q;             // [QSS_Q*(n + n_shared)]
    double t;              // up to here everything has happened
    QssQuantum *quanta;    // [n], or [1] for all
    bool has_own_quanta;
    QssPairs *pairs;        // of mLIQSS2, else NULL
    bool scans;             // few states: look at all instead of keeping a heap
    bool is_small;          // the tight loop will do
    Calendar due;           // of the states, if not
    uint64_t *shared_at;    // [n_shared] event at which it was computed
    QssLoops *loops;        // NULL: nothing is shared
    // of the unknowns of loops, else 0: where in v a first guess is, and where the model keeps the next one
    uint32_t *guess_from;    // [n_shared]
    uint32_t *guess_kept;    // [n_shared] FLAT_NONE: nowhere
    uint64_t version;       // counts changes of x and of modes
    uint64_t event;         // counts times at which something happened
    const bool *bends;      // [n] whose polynomial is only near the truth; NULL: none is such
    const bool *wild;       // [n] and is proven to be so each time; the others are polynomials of low degree
    const bool *opaque;     // [n] of which nothing can be proven; NULL: none is such
    double *again;          // [2*n] see qss_doubt; if the second is negative, nothing is known any more
    double held;            // the time that rates of first order read: as of q, they all see the same
    struct {
        struct Jet *nodes, *shared;    // [records of the largest shape], [n_shared] scratch
    } bounds;                          // see bounds.h
    double least_wait;
    // relations
    double *modes;           // [n_relations] inside v; whoever changes one calls restart
    double *modes_seen;      // [n_relations]
    double *changed_at;      // [n_relations] time at which the mode changed last
    Calendar crossings;      // of relations
    double *looks;           // [2*n_relations] when it was looked at last, and how far ahead
    bool *is_noted;          // [n_relations] stands in to_watch
    uint32_t *to_watch;      // [n_relations] scratch
    uint32_t n_to_watch;
    // what changed when the driver calls restart
    uint32_t n_params;       // v[0 .. n_params)
    double *params_seen;     // [n_params]
    double *places_seen;     // [ir->n_places]
    uint32_t *touched;       // [n] states whose rate is to be computed; scratch
    uint32_t n_touched;
    uint64_t *touched_at;    // [n] count of restarts
    uint64_t n_restarts;
    double burst_start;    // see drive.c
    size_t n_burst;
    // progress
    size_t n_since, window;
    double t_since;
    int failed;
    uint32_t failed_loop;    // the block whose equations have no solution, or FLAT_NONE
    bool has_left;         // an event to the driver, which may not have called restart
    uint32_t left;         // its relation
    bool leaves_events;    // to the driver: more happens there than modes changing
} Qss;

StepResult qss_advance(Island *island, double t_want, long n_max);    // as Solver.advance
