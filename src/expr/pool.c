// src/expr/pool.c: nodes, each different one once (hash-consing).
//
// A node is looked up by a hash of its four words before it is made. For an operation that commutes the hash
// is taken with the operands in ascending order and both orders compare equal, so `b + a` finds `a + b`.
#include "base/map.h"
#include "base/text.h"
#include "expr/build.h"
#include "expr/expr.h"
#include <assert.h>
#include <math.h>
#include <string.h>

const ExprOpInfo expr_ops[EXPR_N_OPS] = {
#define OP(name, arity, type, text, c) { #name, arity, #type[0], text, c, .is_function = false },
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) \
    { #name, arity, 'R', text, "orr_" text, true, EXPR_##shape, EXPR_DOMAIN_##domain },
#include "expr/ops.def"
};

ExprOp expr_function(const char *text)
{
    if (strcmp(text, "ln") == 0) return EXPR_LOG;
    for (int op = 0; op < EXPR_N_OPS; op++)
        if (expr_ops[op].is_function && strcmp(expr_ops[op].text, text) == 0) return (ExprOp)op;
    return EXPR_N_OPS;
}

enum { CONST_NUMBER = 0, CONST_TRUTH = 1 };    // second word of a CONST
enum { VARS_MAX = 1 << 20 };    // of ExprPool.vars

void expr_pool_init(ExprPool *pool, Arena *arena)
{
    *pool = (ExprPool){ .arena = arena };
    known_init(&pool->known, arena);
}

// Same bits whichever operand comes first. min and max are not: min(0, -0) is its first operand.
static bool commutes(uint32_t op)
{
    switch (op) {
    case EXPR_ADD: case EXPR_MUL: case EXPR_EQ: case EXPR_NE: case EXPR_AND: case EXPR_OR: return true;
    default: return false;
    }
}

static uint64_t pair(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

static uint64_t hash_node(const ExprNode *node)
{
    const bool swap = commutes(node->op) && node->a > node->b;
    const uint32_t a = swap ? node->b : node->a, b = swap ? node->a : node->b;
    return hash_join(pair(node->op, a), pair(b, node->c));
}

static bool same_node(const ExprNode *x, const ExprNode *y)
{
    if (x->op != y->op || x->c != y->c) return false;
    return (x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a && commutes(x->op));
}

static Expr find(const ExprPool *pool, const ExprNode *wanted, uint64_t hash)
{
    KnownProbe probe = known_probe(&pool->known, hash);
    for (uint32_t id; known_next(&probe, &id);)
        if (same_node(expr_node(pool, id), wanted)) return id;
    return EXPR_NONE;
}

static Expr add(ExprPool *pool, ExprNode node, uint64_t hash)
{
    // an index must stay below EXPR_NONE
    if (pool->nodes.n >= EXPR_NONE - 1) arena_no_memory(pool->nodes.n * sizeof node);
    const Expr e = (Expr)pool->nodes.n++;
    if (e % EXPR_PAGE == 0)
        vec_push(pool->arena, &pool->nodes.pages, ARENA_ARRAY(pool->arena, ExprNode, EXPR_PAGE));
    vec_last(&pool->nodes.pages)[e % EXPR_PAGE] = node;
    known_add(&pool->known, hash, e);
    return e;
}

static Expr intern(ExprPool *pool, ExprNode node)
{
    const uint64_t hash = hash_node(&node);
    const Expr known = find(pool, &node, hash);
    return known != EXPR_NONE ? known : add(pool, node, hash);
}

static ExprNode leaf(ExprOp op, uint32_t index) { return (ExprNode){ .op = op, .a = index, .b = 0, .c = 0 }; }

// ---- Leaves

static Expr make_const(ExprPool *pool, double value, uint32_t kind)
{
    if (isnan(value)) value = NAN;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);

    // found by value: the place in `constants` is not known yet
    const uint64_t hash = hash_join(pair(EXPR_CONST, kind), bits);
    KnownProbe probe = known_probe(&pool->known, hash);
    for (uint32_t id; known_next(&probe, &id);) {
        const ExprNode *node = expr_node(pool, id);
        if (node->op == EXPR_CONST && node->b == kind
            && memcmp(&pool->constants.items[node->index], &value, sizeof value) == 0) return id;
    }
    const uint32_t place = (uint32_t)pool->constants.n;
    vec_push(pool->arena, &pool->constants, value);
    return add(pool, (ExprNode){ .op = EXPR_CONST, .a = place, .b = kind, .c = 0 }, hash);
}

Expr expr_const(ExprPool *pool, double value) { return make_const(pool, value, CONST_NUMBER); }
Expr expr_truth(ExprPool *pool, bool value) { return make_const(pool, value ? 1.0 : 0.0, CONST_TRUTH); }

// Variables are asked for most of all: the first ones are found without searching.
Expr expr_var(ExprPool *pool, uint32_t variable)
{
    if (variable >= VARS_MAX) return intern(pool, leaf(EXPR_VAR, variable));
    while (pool->vars.n <= variable) vec_push(pool->arena, &pool->vars, EXPR_NONE);
    Expr *known = &pool->vars.items[variable];
    if (*known == EXPR_NONE) *known = intern(pool, leaf(EXPR_VAR, variable));
    return *known;
}

Expr expr_time(ExprPool *pool) { return intern(pool, leaf(EXPR_TIME, 0)); }
Expr expr_mode(ExprPool *pool, uint32_t relation) { return intern(pool, leaf(EXPR_MODE, relation)); }

Expr expr_turn(ExprPool *pool, uint32_t loop, int32_t first)
{
    assert(loop < EXPR_LOOPS_MAX);
    return intern(pool, (ExprNode){ .op = EXPR_TURN, .a = loop, .b = (uint32_t)first, .c = 0 });
}

Expr expr_elem(ExprPool *pool, const ExprAccess *access)
{
    // found by value, as constants are
    uint64_t hash = hash_join(pair(EXPR_ELEM, access->array), access->offset);
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) hash = hash_join(hash, (uint64_t)access->stride[k]);
    KnownProbe probe = known_probe(&pool->known, hash);
    for (uint32_t id; known_next(&probe, &id);)
        if (expr_op(pool, id) == EXPR_ELEM && memcmp(expr_access(pool, id), access, sizeof *access) == 0)
            return id;
    const uint32_t place = (uint32_t)pool->accesses.n;
    vec_push(pool->arena, &pool->accesses, *access);
    return add(pool, leaf(EXPR_ELEM, place), hash);
}

Expr pool_find_var(const ExprPool *pool, uint32_t variable)
{
    const ExprNode node = leaf(EXPR_VAR, variable);
    return find(pool, &node, hash_node(&node));
}

uint32_t expr_table(ExprPool *pool, const double *x, const double *y, uint32_t n)
{
    assert(n > 0 && n <= INT32_MAX);
    ExprTable table = { .n = n };
    table.x = ARENA_ARRAY(pool->arena, double, n);
    table.y = ARENA_ARRAY(pool->arena, double, n);
    memcpy(table.x, x, n * sizeof *x);
    memcpy(table.y, y, n * sizeof *y);
    vec_push(pool->arena, &pool->tables, table);
    return (uint32_t)(pool->tables.n - 1);
}

Expr expr_draw(ExprPool *pool, const char *stream, ExprDrawKind kind, Expr count, Expr argument)
{
    ExprDraw *last = pool->draws.n ? &vec_last(&pool->draws) : NULL;    // one stream often gives several
    if (!last || last->kind != kind || strcmp(last->stream, stream) != 0) {
        const ExprDraw draw = { text_copy(pool->arena, text_from(stream)), kind };
        vec_push(pool->arena, &pool->draws, draw);
    }
    const uint32_t number = (uint32_t)pool->draws.n - 1;
    return expr_make(pool, EXPR_DRAW, count, argument == EXPR_NONE ? expr_const(pool, 0) : argument, number);
}

// ---- Operations

Expr expr_make(ExprPool *pool, ExprOp op, Expr a, Expr b, Expr c)
{
    const int arity = expr_ops[op].arity;
    assert(arity > 0);    // leaves have makers of their own
    assert(a < pool->nodes.n && (arity < 2 || b < pool->nodes.n) && (arity < 3 || c < pool->nodes.n));

    const Expr simple = simplify_make(pool, op, a, b, c);
    if (simple != EXPR_NONE) return simple;
    return intern(pool, (ExprNode){ .op = op, .a = a, .b = b, .c = c });
}

// ---- Questions

bool expr_is_const(const ExprPool *pool, Expr e, double *value)
{
    const ExprNode *node = expr_node(pool, e);
    if (node->op != EXPR_CONST) return false;
    if (value) *value = pool->constants.items[node->index];
    return true;
}

bool expr_mentions_infinity(const ExprPool *pool)
{
    for (size_t i = 0; i < pool->constants.n; i++)
        if (isinf(pool->constants.items[i])) return true;
    return false;
}

bool expr_is_bool(const ExprPool *pool, Expr e)
{
    const ExprNode *node = expr_node(pool, e);
    while (node->op == EXPR_IF) node = expr_node(pool, node->b);
    return node->op == EXPR_CONST ? node->b == CONST_TRUTH : expr_ops[node->op].type == 'B';
}

int expr_n_operands(const ExprPool *pool, Expr e) { return expr_ops[expr_op(pool, e)].arity; }

Expr expr_operand(const ExprPool *pool, Expr e, int i)
{
    const ExprNode *node = expr_node(pool, e);
    assert(i >= 0 && i < expr_ops[node->op].arity);
    return i == 0 ? node->a : i == 1 ? node->b : node->c;
}
