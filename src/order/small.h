// src/order/small.h: linear systems solved symbolically, and a test for systems that cannot be solved.
#pragma once
#include "expr/expr.h"
#include "order/blocks.h"

enum { SMALL_MAX = 3 };    // larger systems are left to elimination with pivots at run time

// matrix · u = vector by Cramer's rule, as the lecture does it. `values` [n] get the quotients, all by the
// same *determinant; EXPR_NONE if that is a constant other than 0. False if the determinant is 0 whatever the
// values.
bool small_solve(ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                 const Expr *vector, Expr *values, Expr *determinant);

// Singular for all values of what the entries read? Tried with arbitrary numbers; "no" where that would take
// long.
bool small_is_singular(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries);

// matrix · unknowns = vector. What occurs non-linearly is an entry EXPR_NONE, and nothing is known of its
// vector.
typedef struct SmallMatrix {
    BlockEntry *entries;    // by row, column
    uint32_t    n_entries;
    Expr       *vector;     // [n]
} SmallMatrix;

// Equations of such a system that depend on each other. An entry EXPR_NONE stands for any number.
typedef struct SmallDependence {
    uint32_t *rows;           // [n] ascending
    double   *factors;        // [n] added up with these, all unknowns cancel
    uint32_t  n;
    bool      is_constant;    // the factors are the same whatever the values
    bool      contradicts;    // what is left of the right-hand sides is not 0
} SmallDependence;

// The fewest equations that make it singular. False if they cannot be told.
bool small_dependence(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                      const Expr *vector, Arena *arena, SmallDependence *out);
