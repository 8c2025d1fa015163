// src/order/linear.c: coefficients of all unknowns of an equation at once.
//
// From the equal sign downwards each node gets the factor with which it enters the equation: 1 for the left
// side, -1 for the right, the same for the operands of a sum, multiplied on the way through products with
// something known. Where that is not possible, the unknowns below are bent. A known node adds factor · node
// to the constant. Since parents come before their operands, each node is looked at once, and an equation
// with a million terms costs a million steps.
#include "order/linear.h"
#include "expr/build.h"
#include "expr/walk.h"
#include "flat/flat.h"
#include <stdlib.h>

typedef struct Down {
    ExprPool *pool;
    const Walk *walk;
    Expr *factor;         // [n] EXPR_NONE: 0
    bool *is_unknown;     // [n] contains an unknown
    bool *is_bent;        // [n] enters the equation non-linearly somewhere
} Down;

static bool contains(const Down *d, Expr e) { return d->is_unknown[walk_place(d->walk, e)]; }

static void give(Down *d, Expr e, Expr factor)
{
    const size_t at = walk_place(d->walk, e);
    d->factor[at] = d->factor[at] == EXPR_NONE ? factor : build_add(d->pool, d->factor[at], factor);
}

static void bend(Down *d, Expr e) { d->is_bent[walk_place(d->walk, e)] = true; }

static void bend_operands(Down *d, Expr e)
{
    for (int i = 0; i < expr_n_operands(d->pool, e); i++) bend(d, expr_operand(d->pool, e, i));
}

static void pass_down(Down *d, Expr e, Expr factor)
{
    const ExprNode node = *expr_node(d->pool, e);    // a copy: the pool may move
    ExprPool *p = d->pool;
    switch (node.op) {
    case EXPR_NEG: give(d, node.a, build_neg(p, factor)); return;
    case EXPR_ADD:
        give(d, node.a, factor);
        give(d, node.b, factor);
        return;
    case EXPR_SUB:
        give(d, node.a, factor);
        give(d, node.b, build_neg(p, factor));
        return;
    case EXPR_MUL:
        if (!contains(d, node.b)) give(d, node.a, build_mul(p, factor, node.b));
        else if (!contains(d, node.a)) give(d, node.b, build_mul(p, factor, node.a));
        else bend_operands(d, e);
        return;
    case EXPR_DIV:
        if (!contains(d, node.b)) give(d, node.a, build_div(p, factor, node.b));
        else bend_operands(d, e);
        return;
    case EXPR_IF: {
        const Expr zero = expr_const(p, 0);
        if (contains(d, node.a)) {
            bend_operands(d, e);
        } else {
            give(d, node.b, build_if(p, node.a, factor, zero));
            give(d, node.c, build_if(p, node.a, zero, factor));
        }
        return;
    }
    default: bend_operands(d, e); return;
    }
}

static int by_variable(const void *a, const void *b)
{
    const LinearTerm *x = a, *y = b;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

LinearForm linear_form(ExprPool *pool, Expr lhs, Expr rhs, const uint32_t *place, Arena *arena)
{
    Walk walk;
    walk_init(&walk, pool, (Expr[]){ lhs, rhs }, 2, 0);
    Down d = { .pool = pool, .walk = &walk, .factor = ARENA_ARRAY(&walk.scratch, Expr, walk.n),
               .is_unknown = ARENA_ARRAY(&walk.scratch, bool, walk.n),
               .is_bent = ARENA_ARRAY(&walk.scratch, bool, walk.n) };
    LinearForm form = { .is_linear = true };
    for (size_t i = 0; i < walk.n; i++) {
        const Expr e = walk.nodes[i];
        d.factor[i] = EXPR_NONE;
        if (expr_op(pool, e) == EXPR_VAR) {
            d.is_unknown[i] = place[expr_node(pool, e)->index] != FLAT_NONE;
            form.n_terms += d.is_unknown[i];
        }
        for (int k = 0; k < expr_n_operands(pool, e); k++)
            if (contains(&d, expr_operand(pool, e, k))) d.is_unknown[i] = true;
    }

    form.terms = ARENA_ARRAY(arena, LinearTerm, form.n_terms);
    form.n_terms = 0;
    give(&d, lhs, expr_const(pool, 1));
    give(&d, rhs, expr_const(pool, -1));
    Expr constant = expr_const(pool, 0);
    for (size_t i = walk.n; i-- > 0;) {
        const Expr e = walk.nodes[i], factor = d.factor[i];
        if (!d.is_unknown[i]) {
            if (factor != EXPR_NONE) constant = build_sub(pool, constant, build_mul(pool, factor, e));
        } else if (expr_op(pool, e) == EXPR_VAR) {
            LinearTerm *term = &form.terms[form.n_terms++];
            *term = (LinearTerm){ .variable = expr_node(pool, e)->index, .is_bent = d.is_bent[i] };
            term->coefficient = term->is_bent ? EXPR_NONE : factor;
            if (term->is_bent) form.is_linear = false;
        } else if (d.is_bent[i]) {
            bend_operands(&d, e);
        } else if (factor != EXPR_NONE) {
            pass_down(&d, e, factor);
        }
    }
    form.constant = form.is_linear ? constant : EXPR_NONE;
    qsort(form.terms, form.n_terms, sizeof *form.terms, by_variable);
    walk_free(&walk);
    return form;
}
