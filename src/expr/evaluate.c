// src/expr/evaluate.c: the value of an expression outside generated code.
#include "expr/math.h"
#include "expr/walk.h"
#include <math.h>

static double value_of(const ExprPool *pool, const ExprNode *node, const Walk *walk, const double *known,
                       const ExprValues *values)
{
    const int arity = expr_ops[node->op].arity;
    const double a = arity > 0 ? known[walk_place(walk, node->a)] : 0;
    const double b = arity > 1 ? known[walk_place(walk, node->b)] : 0;
    const double c = arity > 2 ? known[walk_place(walk, node->c)] : 0;

    switch (node->op) {
    case EXPR_CONST: return pool->constants.items[node->index];
    case EXPR_VAR: return values && values->variable ? values->variable(values->context, node->index) : NAN;
    case EXPR_TIME: return values ? values->t : NAN;
    case EXPR_MODE: return values && values->mode ? values->mode(values->context, node->index) : NAN;
    case EXPR_TURN: return values ? (double)(int32_t)node->b + values->turn[node->a] : NAN;
    case EXPR_ELEM: {
        if (!values || !values->element) return NAN;
        const ExprAccess *access = &pool->accesses.items[node->index];
        int64_t element = access->offset;
        for (int k = 0; k < EXPR_LOOPS_MAX; k++) element += (int64_t)access->stride[k] * values->turn[k];
        return values->element(values->context, access->array, (uint32_t)element);
    }
    case EXPR_DELAY: return values && values->history ? values->history(values->context, node->b, a) : NAN;
    case EXPR_DRAW: return values && values->draw ? values->draw(values->context, node->c, a, b) : NAN;
    case EXPR_LOOKUP: return expr_lookup(&pool->tables.items[node->b], a);
    case EXPR_SLOPE: return expr_lookup_slope(&pool->tables.items[node->b], a);
    case EXPR_PIECES: return expr_pieces_value(&pool->pieces.items[node->b], a);
    case EXPR_NEAR: return expr_pieces_near(&pool->pieces.items[node->c], a, b);
    case EXPR_GRID: return expr_pieces_grid(&pool->pieces.items[node->c], a, b);
    case EXPR_POW:
        // products only where generated code has them
        if (expr_is_const(pool, node->b, NULL)) return expr_apply(EXPR_POW, a, b, c);
        return expr_pow(a, b);
    default: return expr_apply((ExprOp)node->op, a, b, c);
    }
}

double expr_evaluate(const ExprPool *pool, Expr e, const ExprValues *values)
{
    double constant;
    if (expr_is_const(pool, e, &constant)) return constant;

    Walk walk;
    walk_init(&walk, pool, &e, 1, 0);
    double *known = ARENA_ARRAY(&walk.scratch, double, walk.n);
    for (size_t i = 0; i < walk.n; i++)
        known[i] = value_of(pool, expr_node(pool, walk.nodes[i]), &walk, known, values);
    const double value = known[walk.n - 1];
    walk_free(&walk);
    return value;
}
