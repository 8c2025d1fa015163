// src/expr/diff.c: symbolic derivatives.
//
// One derivative goes forward through the graph: the derivative of each node from those of its operands, each
// node once, so the cost and the result are linear in the size of the graph. What does not depend on the
// variable has the derivative zero, and the constructors of build.h let structural zeros vanish.
//
// Piecewise functions have the derivative of the piece they are in; where two pieces meet, that of the one
// their value is taken from. So floor has 0 and abs has sign, which is 0 at 0.
#include "expr/build.h"
#include "expr/walk.h"

// Nothing below makes two nodes in the arguments of one call: compilers differ in which they evaluate first,
// and the numbers of the nodes, which decide how a shared sum is printed, must not.

// What a rule sees: the node, its operands and their derivatives.
typedef struct Rule {
    ExprPool *pool;
    Expr      e, a, b, c;
    Expr      da, db, dc;
    Expr      zero;
} Rule;

static Expr number(const Rule *r, double x) { return expr_const(r->pool, x); }
static Expr square(const Rule *r, Expr x) { return expr_binary(r->pool, EXPR_POW, x, number(r, 2)); }

static Expr root(const Rule *r, Expr x) { return expr_unary(r->pool, EXPR_SQRT, x); }
static Expr scaled(const Rule *r, double by, Expr x) { return build_mul(r->pool, number(r, by), x); }
static Expr plus_one(const Rule *r, Expr x) { return build_add(r->pool, number(r, 1), x); }

static Expr one_plus_square(const Rule *r, Expr x)
{
    const Expr one = number(r, 1);
    return build_add(r->pool, one, square(r, x));
}

static Expr one_minus_square(const Rule *r, Expr x)
{
    const Expr one = number(r, 1);
    return build_sub(r->pool, one, square(r, x));
}

static Expr square_minus_one(const Rule *r, Expr x)    // as a product: x² - 1 would cancel near 1
{
    const Expr below = build_sub(r->pool, x, number(r, 1));
    return build_mul(r->pool, below, plus_one(r, x));
}

static Expr bell(const Rule *r, Expr x)    // 2/sqrt(pi) exp(-x²)
{
    return scaled(r, 0x1.20dd750429b6dp0, expr_unary(r->pool, EXPR_EXP, build_neg(r->pool, square(r, x))));
}

static Expr diff_product(const Rule *r)
{
    const Expr by_a = build_mul(r->pool, r->da, r->b), by_b = build_mul(r->pool, r->a, r->db);
    return build_add(r->pool, by_a, by_b);
}

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

static Expr angle(const Rule *r)
{
    // of y = a, x = b: (x y' - y x')/(x² + y²)
    ExprPool *p = r->pool;
    const Expr by_a = build_mul(p, r->b, r->da), by_b = build_mul(p, r->a, r->db);
    const Expr top = build_sub(p, by_a, by_b);
    const Expr x2 = square(r, r->b), y2 = square(r, r->a);
    return build_div(p, top, build_add(p, x2, y2));
}

static Expr length(const Rule *r)
{
    ExprPool *p = r->pool;
    const Expr by_a = build_mul(p, r->a, r->da), by_b = build_mul(p, r->b, r->db);
    return build_div(p, build_add(p, by_a, by_b), r->e);
}

static Expr remainder_of(const Rule *r)
{
    ExprPool *p = r->pool;
    if (r->db == r->zero) return r->da;
    const Expr whole = expr_unary(p, EXPR_FLOOR, expr_binary(p, EXPR_DIV, r->a, r->b));
    return build_sub(p, r->da, build_mul(p, whole, r->db));
}

static Expr diff_grid(const Rule *r)
{
    ExprPool *p = r->pool;
    const uint32_t table = expr_node(p, r->e)->c;
    const Expr by_a = expr_make(p, EXPR_GRID, r->a, r->b, expr_pieces_derivative(p, table, 0));
    const Expr by_b = expr_make(p, EXPR_GRID, r->a, r->b, expr_pieces_derivative(p, table, 1));
    return build_add(p, build_mul(p, by_a, r->da), build_mul(p, by_b, r->db));
}

static Expr diff_near(const Rule *r)
{
    ExprPool *p = r->pool;
    const uint32_t slope = expr_pieces_derivative(p, expr_node(p, r->e)->c, 0);
    return build_mul(p, expr_make(p, EXPR_NEAR, r->a, r->b, slope), r->da);
}

// The words of the rows of ops.def.
#define F(op, x)            expr_unary(p, EXPR_##op, x)
#define NEG(x)              build_neg(p, x)
#define TIMES(x)            build_mul(p, x, r->da)
#define OVER(x)             build_div(p, r->da, x)
#define SELECT(relation)    build_if(p, expr_binary(p, EXPR_##relation, a, b), r->da, r->db)
#define SCALED(by, x)       scaled(r, by, x)
#define SQUARE(x)           square(r, x)
#define ROOT(x)             root(r, x)
#define PLUS_ONE(x)         plus_one(r, x)
#define ONE_PLUS_SQUARE(x)  one_plus_square(r, x)
#define ONE_MINUS_SQUARE(x) one_minus_square(r, x)
#define SQUARE_MINUS_ONE(x) square_minus_one(r, x)
#define BELL(x)             bell(r, x)
#define ZERO                r->zero
#define LENGTH              length(r)
#define ANGLE               angle(r)
#define REMAINDER           remainder_of(r)
#define LOG_10              0x1.26bb1bbb55516p1
#define LOG_2               0x1.62e42fefa39efp-1

static Expr diff_node(const Rule *r, ExprOp op)
{
    ExprPool *p = r->pool;
    const Expr y = r->e, a = r->a, b = r->b;
    switch (op) {
    case EXPR_NEG: return NEG(r->da);
    case EXPR_ADD: return build_add(p, r->da, r->db);
    case EXPR_SUB: return build_sub(p, r->da, r->db);
    case EXPR_MUL: return diff_product(r);
    case EXPR_DIV: return diff_quotient(r);
    case EXPR_POW: return diff_power(r);
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) \
    case EXPR_##name: return derivative;
#include "expr/ops.def"
    case EXPR_IF: return build_if(p, a, r->db, r->dc);
    case EXPR_LOOKUP: return TIMES(expr_binary(p, EXPR_SLOPE, a, b));
    case EXPR_PIECES: return TIMES(expr_binary(p, EXPR_PIECES, a, expr_pieces_derivative(p, b, 0)));
    case EXPR_NEAR: return diff_near(r);
    case EXPR_GRID: return diff_grid(r);
    // truth values, draws, and the past, which no present variable changes
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
        if (at == leaf) {
            d[i] = one;
            continue;
        }
        if (node.op == EXPR_ELEM && leaf == EXPR_NONE) possible = false;    // arrays have no rates here
        if (node.op == EXPR_VAR) {
            const bool moves = rate && node.index < n_rate && rate[node.index] != EXPR_NONE;
            d[i] = moves ? rate[node.index] : zero;
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

// ---- All partial derivatives
//
// Backwards: the derivative of the whole by each node, from those of the nodes that read it. The rules are
// linear in the derivatives of the operands, so the same ones serve. A choice is not entered: backwards, the
// part that is not taken would be multiplied by 0, which is NaN where that part is not defined. It is
// differentiated forwards instead.

typedef struct Gradient {
    ExprPool       *pool;
    Walk            walk;
    bool           *depends;      // [walk.n] on one of the variables
    Expr           *whole;        // [walk.n] the derivative of the whole by this node
    const uint32_t *variables;    // [n]
    Expr           *partials;     // [n]
    size_t          n;
    Expr            zero;
} Gradient;

static bool is_choice(uint32_t op) { return op == EXPR_IF || op == EXPR_MIN || op == EXPR_MAX; }

static void mark_dependent(Gradient *g, const Expr *leaves)
{
    for (size_t i = 0; i < g->n; i++) {
        const size_t place = leaves[i] == EXPR_NONE ? WALK_NONE : walk_place(&g->walk, leaves[i]);
        if (place != WALK_NONE) g->depends[place] = true;
    }
    for (size_t i = 0; i < g->walk.n; i++) {
        for (int k = 0; k < expr_n_operands(g->pool, g->walk.nodes[i]); k++) {
            const size_t place = walk_place(&g->walk, expr_operand(g->pool, g->walk.nodes[i], k));
            if (place != WALK_NONE && g->depends[place]) g->depends[i] = true;
        }
    }
}

static void pass_to_operands(Gradient *g, size_t i)
{
    const Expr at = g->walk.nodes[i];
    const ExprNode node = *expr_node(g->pool, at);
    for (int k = 0; k < expr_ops[node.op].arity; k++) {
        const size_t place = walk_place(&g->walk, expr_operand(g->pool, at, k));
        if (place == WALK_NONE || !g->depends[place]) continue;
        const Expr d = g->whole[i];
        const Rule rule = { .pool = g->pool,
                            .e = at,
                            .a = node.a,
                            .b = node.b,
                            .c = node.c,
                            .zero = g->zero,
                            .da = k == 0 ? d : g->zero,
                            .db = k == 1 ? d : g->zero,
                            .dc = k == 2 ? d : g->zero };
        g->whole[place] = build_add(g->pool, g->whole[place], diff_node(&rule, (ExprOp)node.op));
    }
}

static void differentiate_choice(Gradient *g, size_t i)
{
    const Expr at = g->walk.nodes[i];
    for (size_t k = 0; k < g->n; k++) {
        const Expr part = build_mul(g->pool, g->whole[i], expr_derivative(g->pool, at, g->variables[k]));
        g->partials[k] = build_add(g->pool, g->partials[k], part);
    }
}

void expr_gradient(ExprPool *pool, Expr e, const uint32_t *variables, size_t n, Expr *partials)
{
    Gradient g = {
        .pool = pool, .variables = variables, .partials = partials, .n = n, .zero = expr_const(pool, 0)
    };
    Expr bottom = EXPR_NONE;
    for (size_t i = 0; i < n; i++) {
        const Expr leaf = pool_find_var(pool, variables[i]);
        if (leaf < bottom) bottom = leaf;
        partials[i] = g.zero;
    }
    if (bottom == EXPR_NONE || bottom > e) return;

    walk_init(&g.walk, pool, &e, 1, bottom);
    Expr *leaves = ARENA_ARRAY(&g.walk.scratch, Expr, n);
    for (size_t i = 0; i < n; i++) leaves[i] = pool_find_var(pool, variables[i]);
    g.depends = ARENA_ARRAY(&g.walk.scratch, bool, g.walk.n);
    mark_dependent(&g, leaves);

    g.whole = ARENA_ARRAY(&g.walk.scratch, Expr, g.walk.n);
    for (size_t i = 0; i < g.walk.n; i++) g.whole[i] = g.zero;
    g.whole[g.walk.n - 1] = expr_const(pool, 1);
    for (size_t i = g.walk.n; i-- > 0;) {
        if (!g.depends[i] || g.whole[i] == g.zero) continue;
        if (is_choice(expr_node(pool, g.walk.nodes[i])->op)) differentiate_choice(&g, i);
        else pass_to_operands(&g, i);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t place = leaves[i] == EXPR_NONE ? WALK_NONE : walk_place(&g.walk, leaves[i]);
        if (place != WALK_NONE) partials[i] = build_add(pool, partials[i], g.whole[place]);
    }
    walk_free(&g.walk);
}
