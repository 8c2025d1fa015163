// src/order/start.c: gathering the system at the start.
#include "order/start.h"
#include "order/family.h"
#include <string.h>

bool start_has_value(const FlatVar *state) { return state->start != EXPR_NONE && !state->start_is_guess; }

// ---- Histories. A history without a value of its own before the start is, at the start, what it remembers.

typedef struct Rewriter {
    Flat *flat;
    Map   done;      // node → node without such histories
    Arena work;
    VEC(Expr) todo;
} Rewriter;

static bool starts_with_source(const Flat *flat, const ExprNode *node)
{
    return node->op == EXPR_DELAY && flat->delays.items[node->b].before == EXPR_NONE;
}

static Expr rewritten(const Rewriter *r, Expr e)
{
    const uint32_t *found = map_find(&r->done, e);
    return found ? *found : EXPR_NONE;
}

// What has to be rewritten before `node`: its operands, or the source of the history.
static int parts_of(const Flat *flat, const ExprNode *node, Expr parts[3])
{
    if (starts_with_source(flat, node)) {
        parts[0] = flat->delays.items[node->b].source;
        return 1;
    }
    memcpy(parts, (Expr[]){ node->a, node->b, node->c }, 3 * sizeof *parts);
    return expr_ops[node->op].arity;
}

static Expr rewrite(Rewriter *r, Expr root)
{
    ExprPool *pool = &r->flat->pool;
    vec_push(&r->work, &r->todo, root);
    while (r->todo.n > 0) {
        const Expr e = vec_last(&r->todo);
        const ExprNode node = *expr_node(pool, e);    // a copy: the pool may move
        Expr parts[3], now[3] = { node.a, node.b, node.c };
        const int n = parts_of(r->flat, &node, parts);
        bool is_ready = true, is_changed = false;
        for (int k = 0; k < n; k++) {
            now[k] = rewritten(r, parts[k]);
            if (now[k] == EXPR_NONE) {
                vec_push(&r->work, &r->todo, parts[k]);
                is_ready = false;
            }
            is_changed = is_changed || now[k] != parts[k];
        }
        if (!is_ready) continue;
        r->todo.n--;
        Expr result = e;
        if (starts_with_source(r->flat, &node)) result = now[0];
        else if (is_changed) result = expr_make(pool, (ExprOp)node.op, now[0], now[1], now[2]);
        map_put(&r->done, e, result);
    }
    return rewritten(r, root);
}

static void rewrite_histories(Flat *flat, FlatEquation *equations, uint32_t n)
{
    bool any = false;
    for (size_t k = 0; k < flat->delays.n; k++) any = any || flat->delays.items[k].before == EXPR_NONE;
    if (!any) return;
    Rewriter r = { .flat = flat };
    map_init(&r.done, &r.work);
    for (uint32_t i = 0; i < n; i++) {
        equations[i].lhs = rewrite(&r, equations[i].lhs);
        equations[i].rhs = rewrite(&r, equations[i].rhs);
    }
    arena_free(&r.work);
}

// ---- Parameters that cannot be evaluated beforehand

static bool *find_unknown_params(const Flat *flat, const uint32_t *params, uint32_t n_params,
                                 const bool *is_given, Arena *arena)
{
    bool *is_unknown = ARENA_ARRAY(arena, bool, flat->vars.n);
    bool any = false;
    for (uint32_t i = 0; i < n_params; i++) {
        const FlatVar *v = &flat->vars.items[params[i]];
        if (v->start == EXPR_NONE) {
            is_unknown[params[i]] = (v->kind == FLAT_PARAM || v->kind == FLAT_DISCRETE) &&
                                    !(is_given && is_given[params[i]]);
        } else if (any && expr_op(&flat->pool, v->start) != EXPR_CONST) {
            size_t n;
            const uint32_t *reads = expr_variables(&flat->pool, v->start, arena, &n);
            for (size_t k = 0; k < n; k++)
                is_unknown[params[i]] = is_unknown[params[i]] || is_unknown[reads[k]];
        }
        any = any || is_unknown[params[i]];
    }
    return is_unknown;
}

// Does an initial value count as an equation?
static bool is_given_value(const Reduction *reduction, const FlatVar *x, uint32_t v, const bool *is_dropped)
{
    if (is_dropped && is_dropped[v]) return false;
    return reduction ? reduction->start_param[v] != FLAT_NONE : structure_is_state(x) && start_has_value(x);
}

Start start_build(Flat *flat, const Blocks *blocks, const bool *is_given, const bool *is_dropped,
                  Arena *arena)
{
    const Reduction *reduction = blocks->reduction;
    const bool *is_unknown = find_unknown_params(flat, blocks->params, blocks->n_params, is_given, arena);
    const size_t n_vars = flat->vars.n;
    Start start = { .system.flat = flat, .reduction = reduction };
    FlatEquation *equations = ARENA_ARRAY(arena, FlatEquation, flat->equations.n + flat->initial.n + n_vars);
    uint32_t n = 0, n_unknowns = 0;

    for (size_t i = 0; i < flat->equations.n; i++) equations[n++] = flat->equations.items[i];
    start.first_initial = n;
    for (size_t i = 0; i < flat->initial.n; i++) equations[n++] = flat->initial.items[i];
    start.first_given = n;
    for (uint32_t v = 0; v < n_vars; v++) {
        const FlatVar *x = &flat->vars.items[v];
        if (!is_given_value(reduction, x, v, is_dropped)) continue;
        const Expr value = reduction ? expr_var(&flat->pool, reduction->start_param[v]) : x->start;
        equations[n++] = (FlatEquation){ .lhs = expr_var(&flat->pool, v), .rhs = value, .place = x->place };
    }
    start.first_default = n;
    for (uint32_t v = 0; v < n_vars; v++) {
        const FlatVar *p = &flat->vars.items[v];
        if (!is_unknown[v] || p->start == EXPR_NONE) continue;
        equations[n++] =
            (FlatEquation){ .lhs = expr_var(&flat->pool, v), .rhs = p->start, .place = p->place };
    }
    rewrite_histories(flat, equations, start.first_given);
    start.families = family_at_start(flat, &start.n_families, arena);
    start.system.equations = equations;

    // variables, then parameters with a default; last those that need no equation
    uint32_t *unknowns = ARENA_ARRAY(arena, uint32_t, n_vars);
    for (uint32_t v = 0; v < n_vars; v++)
        if (flat->vars.items[v].kind == FLAT_VARIABLE) unknowns[n_unknowns++] = v;
    for (uint32_t v = 0; v < n_vars; v++)
        if (is_unknown[v] && flat->vars.items[v].start != EXPR_NONE) unknowns[n_unknowns++] = v;
    start.system.n_first = n_unknowns;
    for (uint32_t v = 0; v < n_vars; v++)
        if (is_unknown[v] && flat->vars.items[v].start == EXPR_NONE) unknowns[n_unknowns++] = v;
    start.system.unknowns = unknowns;
    structure_build(&start.system, n, n_unknowns, arena);
    return start;
}
