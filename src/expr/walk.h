// src/expr/walk.h: the nodes below some roots, in order, and where each of them stands in that order.
//
// Every algorithm over expressions is one loop over a walk: children stand before their parents. The cost is
// linear in the nodes visited, not in the pool, so it may be called for each of many small expressions.
#pragma once
#include "expr/expr.h"

typedef struct WalkSlot { Expr node; uint32_t place_plus_1; } WalkSlot;

typedef struct Walk {
    Expr     *nodes;       // [n] ascending
    size_t    n;
    Arena     scratch;     // owns all of it; also for what belongs to the nodes: values, derivatives, …
    Expr      top;         // largest root
    // place of a node: a table by index if that is small, else by hash
    uint32_t *dense;       // [top + 1] place + 1, or NULL
    WalkSlot *slots;       // [capacity]
    size_t    capacity;    // power of two
} Walk;

#define WALK_NONE SIZE_MAX

// Nodes with an index below `bottom` are left out with all below them: what reads the node `bottom` has a
// larger index.
void   walk_init(Walk *walk, const ExprPool *pool, const Expr *roots, size_t n_roots, Expr bottom);
void   walk_free(Walk *walk);
size_t walk_place(const Walk *walk, Expr e);    // place of a node, WALK_NONE if it was left out
