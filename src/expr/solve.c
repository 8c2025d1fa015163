// src/expr/solve.c: solving one equation for one variable in closed form.
//
// The rule above all: no solution is gained or lost, wherever `divides` is not zero. So both sides are only
// ever added to, multiplied or divided by something free of the variable, or put through a function that
// takes every value at most once and whose inverse is NaN where it takes none: exp, log, log10.
// Not undone are
//
//     sqrt, even powers     u = r² also solves sqrt(u) = -r
//     sin, abs, …           have several solutions
//     atan, tanh, asin      have a bounded range, the inverse not: tan(2) solves no atan(u) = 2
//     odd powers, sinh      their inverses are not among our operations
//
// Two steps: peel what stands around the one operand that contains the variable; when both operands of an
// operation do, or both sides of the equation, gather its coefficient, if it occurs linearly.
#include "expr/build.h"
#include "expr/walk.h"

// ---- e = a v + b

typedef struct Split { Expr a, b; } Split;    // a is EXPR_NONE where v does not occur linearly

// Both parts, the first first: the order in which nodes are made must not depend on the compiler.
typedef Expr (*Build)(ExprPool *pool, Expr x, Expr y);

static Split split_by(ExprPool *pool, Build build, Expr a1, Expr a2, Expr b1, Expr b2)
{
    const Expr a = build(pool, a1, a2);
    return (Split){ a, build(pool, b1, b2) };
}

static Split split_if(ExprPool *pool, Expr condition, Split x, Split y)
{
    const Expr a = build_if(pool, condition, x.a, y.a);
    return (Split){ a, build_if(pool, condition, x.b, y.b) };
}

static Split split_node(ExprPool *pool, const ExprNode *node, Expr e, const Split from[3], Expr zero)
{
    const Split x = from[0], y = from[1], z = from[2];
    const Split fails = { EXPR_NONE, EXPR_NONE };
    const int arity = expr_ops[node->op].arity;

    // free of v
    bool is_free = true;
    for (int k = 0; k < arity; k++) {
        if (from[k].a == EXPR_NONE) return fails;
        is_free = is_free && from[k].a == zero && from[k].b == expr_operand(pool, e, k);
    }
    if (is_free) return (Split){ zero, e };

    switch (node->op) {
    case EXPR_NEG: return split_by(pool, build_sub, zero, x.a, zero, x.b);
    case EXPR_ADD: return split_by(pool, build_add, x.a, y.a, x.b, y.b);
    case EXPR_SUB: return split_by(pool, build_sub, x.a, y.a, x.b, y.b);
    case EXPR_MUL:
        if (x.a == zero) return split_by(pool, build_mul, x.b, y.a, x.b, y.b);
        if (y.a == zero) return split_by(pool, build_mul, x.a, y.b, x.b, y.b);
        return fails;
    case EXPR_DIV:
        if (y.a != zero) return fails;
        return split_by(pool, build_div, x.a, y.b, x.b, y.b);
    case EXPR_IF:
        // the condition is free of v: relations were refused above
        return split_if(pool, node->a, y, z);
    default: return fails;
    }
}

bool expr_split_linear(ExprPool *pool, Expr e, uint32_t variable, Expr *a, Expr *b)
{
    const Expr zero = expr_const(pool, 0), one = expr_const(pool, 1);
    const Expr leaf = pool_find_var(pool, variable);
    if (leaf == EXPR_NONE || leaf > e) {
        *a = zero;
        *b = e;
        return true;
    }
    Walk walk;
    walk_init(&walk, pool, &e, 1, leaf);
    Split *splits = ARENA_ARRAY(&walk.scratch, Split, walk.n);
    for (size_t i = 0; i < walk.n; i++) {
        const Expr at = walk.nodes[i];
        const ExprNode node = *expr_node(pool, at);
        if (at == leaf) {
            splits[i] = (Split){ one, zero };
            continue;
        }
        const Expr operands[3] = { node.a, node.b, node.c };
        Split from[3] = { 0 };
        for (int k = 0; k < expr_ops[node.op].arity; k++) {
            const size_t place = walk_place(&walk, operands[k]);
            from[k] = place == WALK_NONE ? (Split){ zero, operands[k] } : splits[place];
        }
        splits[i] = split_node(pool, &node, at, from, zero);
    }
    const Split result = splits[walk.n - 1];
    walk_free(&walk);
    *a = result.a;
    *b = result.b;
    return result.a != EXPR_NONE;
}

// ---- Solving

typedef struct Solution {
    ExprPool *pool;
    Expr value;      // of the side that does not contain the variable
    Expr divides;    // product of what must not be zero, or EXPR_NONE
} Solution;

// Note that `by` must not be zero. False if it is.
static bool must_not_vanish(Solution *s, Expr by)
{
    double x;
    if (expr_is_const(s->pool, by, &x)) return x != 0;
    s->divides = s->divides == EXPR_NONE ? by : expr_binary(s->pool, EXPR_MUL, s->divides, by);
    return true;
}

// a v + b = value, or with the signs changed.
static bool solve_linear(Solution *s, Expr a, Expr b, Expr value)
{
    ExprPool *p = s->pool;
    double x;
    if (!must_not_vanish(s, a)) return false;
    const bool negative = expr_is_const(p, a, &x) && x < 0;
    const Expr top = negative ? build_sub(p, b, value) : build_sub(p, value, b);
    s->value = build_div(p, top, negative ? expr_const(p, -x) : a);
    return true;
}

// The variable stands in the first operand (or the only one): undo the rest.
static bool peel_first(Solution *s, const ExprNode *node)
{
    ExprPool *p = s->pool;
    const Expr r = s->value;
    switch (node->op) {
    case EXPR_NEG: s->value = build_neg(p, r); return true;
    case EXPR_ADD: s->value = build_sub(p, r, node->b); return true;
    case EXPR_SUB: s->value = build_add(p, r, node->b); return true;
    case EXPR_MUL: s->value = build_div(p, r, node->b); return must_not_vanish(s, node->b);
    case EXPR_DIV: s->value = build_mul(p, r, node->b); return must_not_vanish(s, node->b);
    case EXPR_EXP: s->value = expr_unary(p, EXPR_LOG, r); return true;
    case EXPR_LOG: s->value = expr_unary(p, EXPR_EXP, r); return true;
    case EXPR_LOG10: s->value = expr_binary(p, EXPR_POW, expr_const(p, 10), r); return true;
    default: return false;
    }
}

static bool peel_second(Solution *s, const ExprNode *node)
{
    ExprPool *p = s->pool;
    const Expr r = s->value;
    switch (node->op) {
    case EXPR_ADD: s->value = build_sub(p, r, node->a); return true;
    case EXPR_SUB: s->value = build_sub(p, node->a, r); return true;
    case EXPR_MUL: s->value = build_div(p, r, node->a); return must_not_vanish(s, node->a);
    case EXPR_DIV:
        // a/u = r: u = a/r, and u must not be 0 either
        s->value = build_div(p, node->a, r);
        return must_not_vanish(s, r) && must_not_vanish(s, node->a);
    default: return false;
    }
}

static bool contains(const Walk *walk, const bool *depends, Expr e)
{
    const size_t place = walk_place(walk, e);
    return place != WALK_NONE && depends[place];
}

// Which nodes of the walk read the variable.
static bool *mark_dependent(const ExprPool *pool, Walk *walk, Expr leaf)
{
    bool *depends = ARENA_ARRAY(&walk->scratch, bool, walk->n);
    for (size_t i = 0; i < walk->n; i++) {
        const ExprNode *node = expr_node(pool, walk->nodes[i]);
        const int arity = expr_ops[node->op].arity;
        depends[i] = walk->nodes[i] == leaf || (arity > 0 && contains(walk, depends, node->a))
                     || (arity > 1 && contains(walk, depends, node->b))
                     || (arity > 2 && contains(walk, depends, node->c));
    }
    return depends;
}

static bool solve_both_sides(Solution *s, Expr lhs, Expr rhs, uint32_t variable)
{
    Expr a, b, c, d;
    if (!expr_split_linear(s->pool, lhs, variable, &a, &b)) return false;
    if (!expr_split_linear(s->pool, rhs, variable, &c, &d)) return false;
    // a v + b = c v + d
    return solve_linear(s, build_sub(s->pool, a, c), b, d);
}

static bool solve_one_side(Solution *s, Expr e, Expr leaf, uint32_t variable, const Walk *walk,
                           const bool *depends)
{
    while (e != leaf) {
        const ExprNode node = *expr_node(s->pool, e);
        const int arity = expr_ops[node.op].arity;
        const bool first = contains(walk, depends, node.a);
        const bool second = arity > 1 && contains(walk, depends, node.b);
        if (arity == 3 || (first && second)) {
            Expr a, b;
            return expr_split_linear(s->pool, e, variable, &a, &b) && solve_linear(s, a, b, s->value);
        }
        if (!(first ? peel_first(s, &node) : peel_second(s, &node))) return false;
        e = first ? node.a : node.b;
    }
    return true;
}

Expr expr_solve(ExprPool *pool, Expr lhs, Expr rhs, uint32_t variable, Expr *divides)
{
    *divides = EXPR_NONE;
    const Expr leaf = pool_find_var(pool, variable);
    if (leaf == EXPR_NONE) return EXPR_NONE;

    Walk walk;
    walk_init(&walk, pool, (Expr[]){ lhs, rhs }, 2, leaf);
    const bool *depends = mark_dependent(pool, &walk, leaf);
    const bool left = contains(&walk, depends, lhs), right = contains(&walk, depends, rhs);
    Solution s = { .pool = pool, .value = left ? rhs : lhs, .divides = EXPR_NONE };
    bool solved = false;
    if (left && right) solved = solve_both_sides(&s, lhs, rhs, variable);
    else if (left || right) solved = solve_one_side(&s, left ? lhs : rhs, leaf, variable, &walk, depends);
    walk_free(&walk);

    if (!solved) return EXPR_NONE;
    *divides = s.divides;
    return s.value;
}
