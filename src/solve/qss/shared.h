// src/solve/qss/shared.h: what several rates read: shared variables, and loops of equations.
//
// A loop is a set of residuals F(z, q, t) = 0. Its unknowns are found by Newton's method and, because
// everything is a polynomial of time here, so are their derivatives: F_z z' + (F' with z' = 0) = 0, and
// F_z z'' + (F'' with z'' = 0) = 0, with the same matrix. Nothing is differentiated by differences.
#pragma once
#include "solve/qss/parts.h"
#include "solve/qss/qss.h"

#if HAS_LOOPS
typedef struct QssLoop {
    double *matrix;    // [n*n] F_z where it was solved last
    double *lu;        // [n*n] the same, factored
    bool is_factored;
    size_t *pivots;    // [n]
    bool is_known;     // its unknowns have been found before
    uint64_t version;  // of what it read (Qss.version), and when; 0: no longer
    double t;
} QssLoop;

#endif
#if HAS_PARTS
struct QssLoops {
    double *parts;                            // [most slots of a shape]
    double *own;                              // [n_shared] derivatives by the state that is asked about
#if HAS_LOOPS
    QssLoop *of_q, *of_x;                     // [n_loops] for rates; for relations
    double *step, *before, *weight, *rest;    // [largest n] scratch of a solution
    double *matrix;                           // [largest n²]
    double *last;                             // [4*largest n]
#endif
};

QssLoops *shared_make(const Qss *m, Arena *arena);

#endif
// All that rate i reads, at t. Sets m->failed and m->failed_loop if a loop has no solution there.
void shared_compute(Qss *m, const Island *island, uint32_t i, double t);

#if HAS_OWN
// The derivative of rate i by its own state, through shared variables too; they have been computed at t.
double shared_own(const Qss *m, const Island *island, uint32_t i, double t);

#endif
#if HAS_LOOPS
#if HAS_RELATIONS
// The loops that relation k reads, at t, from x instead of q. False: one has no solution there.
bool shared_compute_for(const Qss *m, const Island *island, uint32_t k, double t);

#endif
#endif
#if IS_ENGINE
void shared_pass(Qss *m, RunSaved *saved);    // what they remember, see run/save.c
#endif
