// src/order/family.h: arrays that stay arrays: are they computed as they are written, and in which order?
//
// A family `u[i]' = …` computes a set of elements that is affine in the turns of its loops. An array is
// regular if the sets of its families are disjoint and cover it, so that no matching is needed, and if no
// family needs itself or others in a circle. Families then are nodes of the same graph as the scalar
// equations.
#pragma once
#include "order/blocks.h"
#include "num/incidence.h"

// Are all unknown arrays computed by the families of the model, and all states given at the start? Those that
// are not are marked irregular.
bool family_covers(Flat *flat);

// The families at the start: of the model, the initial ones, and `x = start` of each state with an initial
// value.
FlatFamily *family_at_start(Flat *flat, uint32_t *n, Arena *arena);

// A system to which families belong.
typedef struct FamilySystem {
    Flat             *flat;
    const FlatFamily *families;       // [n]
    uint32_t          n;
    const Incidence  *rows;           // of the scalar part: which equation needs which
    const FlatEquation *equations;    // [rows->n_rows]
    const uint32_t   *row_of;         // [n_vars] the equation that computes a variable, or FLAT_NONE
} FamilySystem;

// Who needs whom: the scalar equations first, then the families.
Incidence family_graph(const FamilySystem *system, Arena *arena);
// Put the turns of a family into an order in which it needs nothing of itself that is not computed yet. False
// if there is none.
bool family_direct(ExprPool *pool, FlatFamily *family);

void family_mark_all(Flat *flat);                              // irregular
void family_mark(Flat *flat, const FlatFamily *family);        // what it computes
