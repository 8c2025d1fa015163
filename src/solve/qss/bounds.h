// src/solve/qss/bounds.h: between which numbers a rate or a zero function lies, over a span of time.
//
// What a term reads goes on along polynomials, so over a span everything in it is an interval, and so are its
// Taylor coefficients: operation by operation, as in automatic differentiation, but with intervals in place
// of numbers. What follows from these is proven, not sampled: how long a polynomial may be trusted, and that
// a relation does not change. Corners and jumps (abs, floor, choices without events, tables) need no care of
// their own: where one may lie inside of the span the coefficients that it breaks are unbounded.
//
// Rounding is not bounded: quanta are far above it.
#pragma once
#include "solve/qss/parts.h"
#include "solve/qss/qss.h"

typedef struct Span {
    double lo, hi;
} Span;

enum { BOUNDS_DEGREE = 3 };
typedef struct Jet {
    Span c[BOUNDS_DEGREE + 1];    // coefficient of d^k, around any time of the span
} Jet;

// A term that ir says can be bounded, from `from` to `to`; `values` is what it reads: q, or x for relations.
Jet bounds_of(const Qss *m, const Island *island, const double *values, uint32_t term, double from,
              double to);

#if HAS_RELATIONS
// Is `zero` < 0, …, as the relation says? Of a number within these bounds: 0 or 1, or 0 to 1 if that is not
// decided.
Span bounds_truth(ExprOp relation, Span zero);

#endif
#if HAS_BENT
// Rate i has been computed, and x begun, at t: sets again[0], the time until which that is within half a
// quantum of what the rate will be if nothing that it reads is renewed, and again[1], how long that is. In
// first order time itself is held, since m->held.
void bounds_trust(const Qss *m, const Island *island, const double *x, const double *q, double *again,
                  uint32_t i, double t);

// Does nothing that rate i reads move? Then it stays as it is.
bool bounds_at_rest(const Qss *m, uint32_t i);

#endif
