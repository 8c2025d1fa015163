// src/order/combine.h: equations that depend on each other and leave a constraint behind.
//
// A component can be matched and still be singular, whatever the values: in
//
//     C·(u' - v') = a(u)        C·(u' - v') = b(v)
//
// the unknowns u' and v' cancel if one equation is subtracted from the other, and 0 = b(v) - a(u) is left: a
// constraint on the states that the pattern does not show. It takes the place of one of the two, which loses
// nothing, and the model is sorted again (the method of linear combinations: Tan, Nedialkov & Pryce, 2017).
// One of the equations may be the derivative of a constraint, if the one that is replaced is as written.
#pragma once
#include "base/vec.h"
#include "order/blocks.h"
#include "order/small.h"

typedef struct Combination {
    uint32_t *rows;       // [n] of the dynamic system
    uint32_t  n;
    Expr      rest;       // what must be 0: the sum of rows times factors, without the unknowns of the
                          // component
} Combination;

typedef struct Combinations {
    Arena *arena;
    VEC(Combination) items;
} Combinations;

// Equations of a component, [rows] in the system, depend on each other as `d` says. Notes what is left of
// them. False if that is no constraint on a variable, or cannot be written down.
bool combine_note(Combinations *found, Flat *flat, const uint32_t *rows, const SmallDependence *d,
                  const SmallMatrix *matrix);

// The model before constraints are differentiated, to which combinations are applied.
typedef struct CombineBase {
    Arena        *arena;
    FlatVar      *vars;         // [n_vars] NULL: nothing is saved
    FlatEquation *equations;    // [n_equations]
    size_t        n_vars, n_equations, n_names;
} CombineBase;
void        combine_save(CombineBase *base, const Flat *flat);    // once; later calls do nothing
CombineBase combine_copy(const CombineBase *base);
void        combine_restore(Flat *flat, const CombineBase *base);

// Restore the model and replace one equation for each combination that has nothing in common with those
// before it. `reduction` is what was done to the model since, or NULL. False if nothing could be replaced.
bool combine_apply(Flat *flat, CombineBase *base, const Reduction *reduction, const Combinations *found);
