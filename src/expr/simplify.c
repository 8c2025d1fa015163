// src/expr/simplify.c: what an operation is when part of it is already known.
//
// Two levels. `simplify_make` serves every node and must leave the bits of finite results alone: the user's
// sum is computed as it was written. `build_…` serves derivatives and coefficients, which nobody wrote: there
// 0*x is 0.
#include "expr/build.h"
#include "expr/math.h"
#include <math.h>

static bool is_number(const ExprPool *pool, Expr e, double value)
{
    double x;
    return expr_is_const(pool, e, &x) && x == value;    // -0 is 0 here
}

static bool is_op(const ExprPool *pool, Expr e, ExprOp op) { return expr_op(pool, e) == op; }

// A truth value that is known: *truth is set.
static bool is_known(const ExprPool *pool, Expr e, bool *truth)
{
    double x;
    if (!expr_is_const(pool, e, &x)) return false;
    *truth = x != 0;
    return true;
}

// ---- Folding

static Expr fold(ExprPool *pool, ExprOp op, Expr a, Expr b, Expr c)
{
    const int arity = expr_ops[op].arity;
    double x = 0, y = 0, z = 0;
    if (!expr_is_const(pool, a, &x)) return EXPR_NONE;
    if (arity > 1 && !expr_is_const(pool, b, &y)) return EXPR_NONE;
    if (arity > 2 && !expr_is_const(pool, c, &z)) return EXPR_NONE;

    double value;
    switch (op) {
    case EXPR_DELAY: case EXPR_DRAW: return EXPR_NONE;
    case EXPR_LOOKUP: case EXPR_SLOPE: {
        if (b >= pool->tables.n) return EXPR_NONE;
        const ExprTable *table = &pool->tables.items[b];
        value = op == EXPR_LOOKUP ? expr_lookup(table, x) : expr_lookup_slope(table, x);
        break;
    }
    case EXPR_PIECES: value = expr_pieces_value(&pool->pieces.items[b], x); break;
    case EXPR_NEAR: value = expr_pieces_near(&pool->pieces.items[c], x, y); break;
    case EXPR_GRID: value = expr_pieces_grid(&pool->pieces.items[c], x, y); break;
    default: value = expr_apply(op, x, y, z);
    }
    // what overflows or has no value is left to the run, which can tell the operands
    if (!isfinite(value) && isfinite(x) && isfinite(y)) return EXPR_NONE;
    return expr_ops[op].type == 'B' ? expr_truth(pool, value != 0) : expr_const(pool, value);
}

// ---- Identities

static Expr simplify_sum(ExprPool *pool, Expr a, Expr b)
{
    double x;
    if (is_number(pool, b, 0)) return a;
    if (is_number(pool, a, 0)) return b;
    // a + -b is a - b, whatever the rounding
    if (is_op(pool, b, EXPR_NEG)) return expr_binary(pool, EXPR_SUB, a, expr_node(pool, b)->a);
    if (is_op(pool, a, EXPR_NEG)) return expr_binary(pool, EXPR_SUB, b, expr_node(pool, a)->a);
    if (expr_is_const(pool, b, &x) && x < 0) return expr_binary(pool, EXPR_SUB, a, expr_const(pool, -x));
    if (expr_is_const(pool, a, &x) && x < 0) return expr_binary(pool, EXPR_SUB, b, expr_const(pool, -x));
    return EXPR_NONE;
}

static Expr simplify_difference(ExprPool *pool, Expr a, Expr b)
{
    double x;
    if (is_number(pool, b, 0)) return a;
    if (is_op(pool, b, EXPR_NEG)) return expr_binary(pool, EXPR_ADD, a, expr_node(pool, b)->a);
    if (expr_is_const(pool, b, &x) && x < 0) return expr_binary(pool, EXPR_ADD, a, expr_const(pool, -x));
    return EXPR_NONE;
}

static Expr simplify_product(ExprPool *pool, Expr a, Expr b)
{
    if (is_number(pool, b, 1)) return a;
    if (is_number(pool, a, 1)) return b;
    if (is_number(pool, b, -1)) return expr_unary(pool, EXPR_NEG, a);
    if (is_number(pool, a, -1)) return expr_unary(pool, EXPR_NEG, b);
    if (is_op(pool, a, EXPR_NEG) && is_op(pool, b, EXPR_NEG))
        return expr_binary(pool, EXPR_MUL, expr_node(pool, a)->a, expr_node(pool, b)->a);
    return EXPR_NONE;
}

static Expr simplify_quotient(ExprPool *pool, Expr a, Expr b)
{
    if (is_number(pool, b, 1)) return a;
    if (is_number(pool, b, -1)) return expr_unary(pool, EXPR_NEG, a);
    if (is_op(pool, a, EXPR_NEG) && is_op(pool, b, EXPR_NEG))
        return expr_binary(pool, EXPR_DIV, expr_node(pool, a)->a, expr_node(pool, b)->a);
    return EXPR_NONE;
}

static Expr simplify_if(ExprPool *pool, Expr a, Expr b, Expr c)
{
    bool truth;
    if (is_known(pool, a, &truth)) return truth ? b : c;
    if (b == c) return b;
    if (is_op(pool, a, EXPR_NOT)) return expr_make(pool, EXPR_IF, expr_node(pool, a)->a, c, b);
    return EXPR_NONE;
}

static Expr simplify_not(ExprPool *pool, Expr a)
{
    switch (expr_op(pool, a)) {
    case EXPR_NOT: return expr_node(pool, a)->a;
    // not (a < b) is not a >= b: both are false for a NaN
    case EXPR_EQ: return expr_binary(pool, EXPR_NE, expr_node(pool, a)->a, expr_node(pool, a)->b);
    case EXPR_NE: return expr_binary(pool, EXPR_EQ, expr_node(pool, a)->a, expr_node(pool, a)->b);
    default: return EXPR_NONE;
    }
}

// `a op b` where `absorbing` op x is absorbing and the other truth value changes nothing.
static Expr simplify_logic(ExprPool *pool, Expr a, Expr b, bool absorbing)
{
    bool truth;
    if (is_known(pool, a, &truth)) return truth == absorbing ? expr_truth(pool, absorbing) : b;
    if (is_known(pool, b, &truth)) return truth == absorbing ? expr_truth(pool, absorbing) : a;
    return a == b ? a : EXPR_NONE;
}

static Expr identity(ExprPool *pool, ExprOp op, Expr a, Expr b)
{
    switch (op) {
    case EXPR_NEG: return is_op(pool, a, EXPR_NEG) ? expr_node(pool, a)->a : EXPR_NONE;
    case EXPR_ADD: return simplify_sum(pool, a, b);
    case EXPR_SUB: return simplify_difference(pool, a, b);
    case EXPR_MUL: return simplify_product(pool, a, b);
    case EXPR_DIV: return simplify_quotient(pool, a, b);
    case EXPR_POW:
        if (is_number(pool, b, 1)) return a;
        return is_number(pool, b, 0) ? expr_const(pool, 1) : EXPR_NONE;    // of a NaN too, as in IEEE 754
    case EXPR_ABS:
        if (is_op(pool, a, EXPR_NEG)) return expr_unary(pool, EXPR_ABS, expr_node(pool, a)->a);
        return is_op(pool, a, EXPR_ABS) ? a : EXPR_NONE;
    case EXPR_MIN: case EXPR_MAX: return a == b ? a : EXPR_NONE;
    case EXPR_LT: case EXPR_GT: return a == b ? expr_truth(pool, false) : EXPR_NONE;
    case EXPR_AND: return simplify_logic(pool, a, b, false);
    case EXPR_OR: return simplify_logic(pool, a, b, true);
    case EXPR_NOT: return simplify_not(pool, a);
    default: return EXPR_NONE;
    }
}

Expr simplify_make(ExprPool *pool, ExprOp op, Expr a, Expr b, Expr c)
{
    if (op == EXPR_IF) return simplify_if(pool, a, b, c);
    const Expr folded = fold(pool, op, a, b, c);
    return folded != EXPR_NONE ? folded : identity(pool, op, a, b);
}

// ---- Derivatives and coefficients

Expr build_neg(ExprPool *pool, Expr a)
{
    const ExprNode node = *expr_node(pool, a);
    double x;
    if (is_number(pool, a, 0)) return expr_const(pool, 0);
    if (node.op == EXPR_SUB) return expr_binary(pool, EXPR_SUB, node.b, node.a);
    if (node.op == EXPR_MUL && expr_is_const(pool, node.a, &x))
        return expr_binary(pool, EXPR_MUL, expr_const(pool, -x), node.b);
    return expr_unary(pool, EXPR_NEG, a);
}

Expr build_add(ExprPool *pool, Expr a, Expr b)
{
    if (a == b) return build_mul(pool, expr_const(pool, 2), a);
    return expr_binary(pool, EXPR_ADD, a, b);
}

Expr build_sub(ExprPool *pool, Expr a, Expr b)
{
    if (a == b) return expr_const(pool, 0);
    if (is_number(pool, a, 0)) return build_neg(pool, b);
    return expr_binary(pool, EXPR_SUB, a, b);
}

Expr build_mul(ExprPool *pool, Expr a, Expr b)
{
    double x, y;
    if (is_number(pool, a, 0) || is_number(pool, b, 0)) return expr_const(pool, 0);
    // 3*(2*x) is 6*x
    const ExprNode node = *expr_node(pool, b);
    if (expr_is_const(pool, a, &x) && node.op == EXPR_MUL && expr_is_const(pool, node.a, &y) &&
        isfinite(x * y))
        return expr_binary(pool, EXPR_MUL, expr_const(pool, x * y), node.b);
    return expr_binary(pool, EXPR_MUL, a, b);
}

Expr build_div(ExprPool *pool, Expr a, Expr b)
{
    if (is_number(pool, a, 0) && !is_number(pool, b, 0)) return expr_const(pool, 0);
    return expr_binary(pool, EXPR_DIV, a, b);
}

Expr build_if(ExprPool *pool, Expr condition, Expr a, Expr b)
{
    return expr_make(pool, EXPR_IF, condition, a, b);
}
