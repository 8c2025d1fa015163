// src/expr/interval.h: what is certain about the value of an expression when its leaves are known to lie in
// intervals, and where operations are defined.
//
// An enclosure holds for the exact value and for the one that generated code computes: every bound is
// rounded outward, by the error that SLEEF allows where a function is SLEEF's. It is found operation by
// operation, so that a name that occurs twice counts as two: t - t over [0, 1] is [-1, 1]. Where that is too
// wide, halve the box.
#pragma once
#include "expr/expr.h"

// All numbers from low to high, infinities included; low > high: none. A truth value lies in [0, 1].
typedef struct ExprInterval {
    double low, high;
    bool   may_be_nan;    // beside them
} ExprInterval;

static inline ExprInterval expr_interval_of(double low, double high)
{
    return (ExprInterval){ .low = low, .high = high };
}

// Where the leaves lie. A leaf whose function is NULL may be anything, NaN included.
typedef struct ExprBox {
    ExprInterval t;
    ExprInterval (*variable)(const void *context, uint32_t variable);
    ExprInterval (*mode)(const void *context, uint32_t relation);
    ExprInterval (*element)(const void *context, uint32_t array, uint32_t element);
    const void *context;
    uint32_t turn[EXPR_LOOPS_MAX];    // of the loops around the expression
} ExprBox;
ExprInterval expr_interval(const ExprPool *pool, Expr e, const ExprBox *box);

// The same of one operation with operands (not of leaves, tables or histories).
ExprInterval expr_apply_interval(ExprOp op, ExprInterval a, ExprInterval b, ExprInterval c);

// Has the operation a value at these finite operands, be it one too large for a number? sqrt(-1), log(0), 1/0
// and (-1)^0.5 have none.
bool expr_in_domain(ExprOp op, double a, double b);
// What to do about the first operand, %s, outside the domain; NULL if all numbers are inside.
const char *expr_domain_hint(ExprOp op, double a);
