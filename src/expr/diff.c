// src/expr/diff.c: symbolic derivatives.
//
// Forward through the graph: the derivative of each node from those of its operands, each node once, so the
// cost and the result are linear in the size of the graph. What does not depend on the variable has the
// derivative zero, and the constructors of build.h let structural zeros vanish.
//
// Piecewise functions have the derivative of the piece they are in; where two pieces meet, that of the one
// their value is taken from. So floor has 0 and abs has sign, which is 0 at 0.
#include "expr/build.h"
#include "expr/walk.h"

// What a rule sees: the node, its operands and their derivatives.
typedef struct Rule {
    ExprPool *pool;
    Expr      e, a, b, c;
    Expr      da, db, dc;
    Expr      zero;
} Rule;

static Expr number(const Rule *r, double x) { return expr_const(r->pool, x); }
static Expr square(const Rule *r, Expr x) { return expr_binary(r->pool, EXPR_POW, x, number(r, 2)); }

static Expr diff_quotient(const Rule *r)
{
    // (a/b)' = (a' - (a/b) b')/b: reuses the quotient
    ExprPool *p = r->pool;
    return build_div(p, build_sub(p, r->da, build_mul(p, r->e, r->db)), r->b);
}

static Expr diff_power(const Rule *r)
{
    // u^v: v u^(v-1) u' + u^v log(u) v', each part only if its factor varies: log(u) may not exist
    ExprPool *p = r->pool;
    Expr by_base = r->zero, by_exponent = r->zero;
    if (r->da != r->zero) {
        const Expr lower = expr_binary(p, EXPR_POW, r->a, expr_binary(p, EXPR_SUB, r->b, number(r, 1)));
        by_base = build_mul(p, build_mul(p, r->b, lower), r->da);
    }
    if (r->db != r->zero)
        by_exponent = build_mul(p, build_mul(p, r->e, expr_unary(p, EXPR_LOG, r->a)), r->db);
    return build_add(p, by_base, by_exponent);
}

static Expr diff_atan2(const Rule *r)
{
    // of y = a, x = b: (x y' - y x')/(x² + y²)
    ExprPool *p = r->pool;
    const Expr top = build_sub(p, build_mul(p, r->b, r->da), build_mul(p, r->a, r->db));
    return build_div(p, top, build_add(p, square(r, r->b), square(r, r->a)));
}

// f'(a), to be multiplied by a'.
static Expr diff_function(const Rule *r, ExprOp op)
{
    ExprPool *p = r->pool;
    switch (op) {
    case EXPR_ABS: return expr_unary(p, EXPR_SIGN, r->a);
    case EXPR_EXP: return r->e;
    case EXPR_SIN: return expr_unary(p, EXPR_COS, r->a);
    case EXPR_COS: return build_neg(p, expr_unary(p, EXPR_SIN, r->a));
    case EXPR_TAN: return build_add(p, number(r, 1), square(r, r->e));
    case EXPR_SINH: return expr_unary(p, EXPR_COSH, r->a);
    case EXPR_COSH: return expr_unary(p, EXPR_SINH, r->a);
    case EXPR_LOOKUP: return expr_binary(p, EXPR_SLOPE, r->a, r->b);
    default: return EXPR_NONE;
    }
}

// The divisor by which a' is divided.
static Expr diff_divisor(const Rule *r, ExprOp op)
{
    ExprPool *p = r->pool;
    switch (op) {
    case EXPR_SQRT: return build_mul(p, number(r, 2), r->e);
    case EXPR_LOG: return r->a;
    case EXPR_LOG10: return build_mul(p, number(r, 0x1.26bb1bbb55516p1), r->a);    // log(10)
    case EXPR_ASIN: case EXPR_ACOS:
        return expr_unary(p, EXPR_SQRT, build_sub(p, number(r, 1), square(r, r->a)));
    case EXPR_ATAN: return build_add(p, number(r, 1), square(r, r->a));
    case EXPR_TANH: return square(r, expr_unary(p, EXPR_COSH, r->a));    // 1 - tanh² would cancel
    default: return EXPR_NONE;
    }
}

static Expr diff_node(const Rule *r, ExprOp op)
{
    ExprPool *p = r->pool;
    switch (op) {
    case EXPR_NEG: return build_neg(p, r->da);
    case EXPR_ADD: return build_add(p, r->da, r->db);
    case EXPR_SUB: return build_sub(p, r->da, r->db);
    case EXPR_MUL: return build_add(p, build_mul(p, r->da, r->b), build_mul(p, r->a, r->db));
    case EXPR_DIV: return diff_quotient(r);
    case EXPR_POW: return diff_power(r);
    // as orr_min and orr_max choose
    case EXPR_MIN: return build_if(p, expr_binary(p, EXPR_LE, r->a, r->b), r->da, r->db);
    case EXPR_MAX: return build_if(p, expr_binary(p, EXPR_GE, r->a, r->b), r->da, r->db);
    case EXPR_MOD: {
        if (r->db == r->zero) return r->da;
        const Expr whole = expr_unary(p, EXPR_FLOOR, expr_binary(p, EXPR_DIV, r->a, r->b));
        return build_sub(p, r->da, build_mul(p, whole, r->db));
    }
    case EXPR_ATAN2: return diff_atan2(r);
    case EXPR_IF: return build_if(p, r->a, r->db, r->dc);
    case EXPR_ACOS: return build_neg(p, build_div(p, r->da, diff_divisor(r, op)));
    case EXPR_SQRT: case EXPR_LOG: case EXPR_LOG10: case EXPR_ASIN: case EXPR_ATAN:
    case EXPR_TANH:
        return build_div(p, r->da, diff_divisor(r, op));
    case EXPR_ABS: case EXPR_EXP: case EXPR_SIN: case EXPR_COS: case EXPR_TAN: case EXPR_SINH: case EXPR_COSH:
    case EXPR_LOOKUP:
        return build_mul(p, diff_function(r, op), r->da);
    // steps, truth values, and the past, which no present variable changes
    default: return r->zero;
    }
}

// By one variable, or by time if `rate` gives the derivative of every variable.
static Expr differentiate(ExprPool *pool, Expr e, Expr leaf, const Expr *rate, size_t n_rate)
{
    const Expr zero = expr_const(pool, 0), one = expr_const(pool, 1);
    Walk walk;
    walk_init(&walk, pool, &e, 1, leaf == EXPR_NONE ? 0 : leaf);
    Expr *d = ARENA_ARRAY(&walk.scratch, Expr, walk.n + 1);
    d[walk.n] = zero;    // for all that was left out

    bool possible = true;
    for (size_t i = 0; i < walk.n && possible; i++) {
        const Expr at = walk.nodes[i];
        const ExprNode node = *expr_node(pool, at);
        if (node.op == EXPR_VAR) {
            const bool moves = rate && node.index < n_rate && rate[node.index] != EXPR_NONE;
            d[i] = at == leaf ? one : moves ? rate[node.index] : zero;
            continue;
        }
        if (node.op == EXPR_TIME) {
            d[i] = leaf == EXPR_NONE ? one : zero;
            continue;
        }
        // a node whose operands are constant is constant
        const int arity = expr_ops[node.op].arity;
        const Expr operands[3] = { node.a, node.b, node.c };
        Expr from[3] = { zero, zero, zero };
        for (int k = 0; k < arity; k++) {
            const size_t place = walk_place(&walk, operands[k]);
            from[k] = d[place == WALK_NONE ? walk.n : place];
        }
        d[i] = zero;
        if (from[0] == zero && from[1] == zero && from[2] == zero) continue;
        // the rate at which a history passes by is not an expression
        if (node.op == EXPR_DELAY && leaf == EXPR_NONE) possible = false;
        const Rule rule = { .pool = pool, .e = at, .a = node.a, .b = node.b, .c = node.c,
                            .da = from[0], .db = from[1], .dc = from[2], .zero = zero };
        d[i] = diff_node(&rule, (ExprOp)node.op);
    }
    const Expr result = !possible ? EXPR_NONE : walk.n ? d[walk.n - 1] : zero;
    walk_free(&walk);
    return result;
}

Expr expr_derivative(ExprPool *pool, Expr e, uint32_t variable)
{
    const Expr leaf = pool_find_var(pool, variable);
    if (leaf == EXPR_NONE || leaf > e) return expr_const(pool, 0);
    return differentiate(pool, e, leaf, NULL, 0);
}

Expr expr_time_derivative(ExprPool *pool, Expr e, const Expr *rate, size_t n_rate)
{
    return differentiate(pool, e, EXPR_NONE, rate, n_rate);
}
