// src/order/linear.h: how an equation depends on some unknowns: linearly, with which coefficients, or not.
#pragma once
#include "expr/expr.h"

typedef struct LinearTerm {
    uint32_t variable;
    Expr     coefficient;    // known at every instant at which the equation is solved; EXPR_NONE if `is_bent`
    bool     is_bent;        // occurs non-linearly: under a function, in a product of unknowns, in a divisor
} LinearTerm;

// lhs = rhs written as Σ coefficient · variable = constant.
typedef struct LinearForm {
    LinearTerm *terms;       // [n_terms] by variable, ascending
    uint32_t    n_terms;
    Expr        constant;    // EXPR_NONE unless is_linear
    bool        is_linear;   // no term is bent
} LinearForm;

// `place` is [n_vars]: FLAT_NONE for what is known. One pass down and one up, whatever the number of
// unknowns. In the arena.
LinearForm linear_form(ExprPool *pool, Expr lhs, Expr rhs, const uint32_t *place, Arena *arena);
