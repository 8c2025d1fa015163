// src/order/combine.c: what is left of dependent equations takes the place of one of them.
#include "order/combine.h"
#include "expr/build.h"
#include <string.h>

// ---- Noting

static bool reads_variable(const Flat *flat, Expr e, Arena *work)
{
    size_t n;
    const uint32_t *reads = expr_variables(&flat->pool, e, work, &n);
    for (size_t k = 0; k < n; k++)
        if (flat->vars.items[reads[k]].kind == FLAT_VARIABLE) return true;
    return false;
}

// Which numbers hold may depend on the modes: then quotients of coefficients cannot be relied on.
static bool reads_modes(const ExprPool *pool, const SmallMatrix *m, Arena *work)
{
    for (uint32_t i = 0; i < m->n_entries; i++) {
        if (m->entries[i].value == EXPR_NONE) continue;
        size_t n;
        const Expr *nodes = expr_collect(pool, &m->entries[i].value, 1, work, &n);
        for (size_t k = 0; k < n; k++)
            if (expr_op(pool, nodes[k]) == EXPR_MODE) return true;
    }
    return false;
}

// How often row b is to be taken so that a + factor·b has no unknowns: minus the quotient of two coefficients
// of one unknown.
static Expr factor_of(ExprPool *pool, uint32_t a, uint32_t b, const SmallMatrix *m)
{
    for (uint32_t i = 0; i < m->n_entries; i++)
        for (uint32_t k = 0; m->entries[i].row == a && k < m->n_entries; k++)
            if (m->entries[k].row == b && m->entries[k].column == m->entries[i].column)
                return build_neg(pool, build_div(pool, m->entries[i].value, m->entries[k].value));
    return EXPR_NONE;
}

bool combine_note(Combinations *found, Flat *flat, const uint32_t *rows, const SmallDependence *d,
                  const SmallMatrix *matrix)
{
    ExprPool *pool = &flat->pool;
    if (!d->contradicts) return false;
    if (!d->is_constant && (d->n != 2 || reads_modes(pool, matrix, found->arena))) return false;
    Combination c = { .rows = ARENA_ARRAY(found->arena, uint32_t, d->n), .n = d->n,
                      .rest = expr_const(pool, 0) };
    for (uint32_t k = 0; k < d->n; k++) {
        Expr factor = expr_const(pool, d->factors[k]);
        if (!d->is_constant) {
            factor = k == 0 ? expr_const(pool, 1) : factor_of(pool, d->rows[0], d->rows[k], matrix);
            if (factor == EXPR_NONE) return false;
        }
        c.rows[k] = rows[d->rows[k]];
        c.rest = build_add(pool, c.rest, build_mul(pool, factor, matrix->vector[d->rows[k]]));
    }
    if (!reads_variable(flat, c.rest, found->arena)) return false;
    vec_push(found->arena, &found->items, c);
    return true;
}

// ---- Applying

void combine_save(CombineBase *base, const Flat *flat)
{
    if (base->vars) return;
    *base = combine_copy(&(CombineBase){ .arena = base->arena, .vars = flat->vars.items,
                                         .equations = flat->equations.items, .n_vars = flat->vars.n,
                                         .n_equations = flat->equations.n,
                                         .n_names = flat->by_name.names.n });
}

CombineBase combine_copy(const CombineBase *base)
{
    CombineBase copy = *base;
    copy.vars = ARENA_ARRAY(base->arena, FlatVar, base->n_vars);
    copy.equations = ARENA_ARRAY(base->arena, FlatEquation, base->n_equations);
    if (base->n_vars > 0) memcpy(copy.vars, base->vars, base->n_vars * sizeof *copy.vars);
    if (base->n_equations > 0)
        memcpy(copy.equations, base->equations, base->n_equations * sizeof *copy.equations);
    return copy;
}

void combine_restore(Flat *flat, const CombineBase *base)
{
    flat->vars.n = base->n_vars;
    flat->equations.n = base->n_equations;
    if (base->n_vars > 0) memcpy(flat->vars.items, base->vars, base->n_vars * sizeof *base->vars);
    if (base->n_equations > 0)
        memcpy(flat->equations.items, base->equations, base->n_equations * sizeof *base->equations);
    // names of derivatives that are gone
    if (flat->by_name.names.n == base->n_names) return;
    const TextMap old = flat->by_name;
    text_map_init(&flat->by_name, flat->arena);
    for (size_t i = 0; i < base->n_names; i++)
        text_map_put(&flat->by_name, old.names.texts[i], old.values[i]);
}

static uint32_t root_of(const Reduction *r, uint32_t row) { return r ? r->root[row] : row; }

// The last equation as written that is in the combination once, and not by a derivative too; FLAT_NONE if
// there is none, or one is used by another combination.
static uint32_t find_replaced(const Reduction *r, const Combination *c, const bool *is_used)
{
    uint32_t replaced = FLAT_NONE;
    for (uint32_t k = 0; k < c->n; k++) {
        if (r && c->rows[k] >= r->n_written + r->n_derived) return FLAT_NONE;    // defines a slot
        const uint32_t root = root_of(r, c->rows[k]);
        if (is_used[root]) return FLAT_NONE;
        uint32_t n_times = 0;
        for (uint32_t i = 0; i < c->n; i++) n_times += root_of(r, c->rows[i]) == root;
        if (n_times == 1 && root == c->rows[k]) replaced = root;
    }
    return replaced;
}

bool combine_apply(Flat *flat, CombineBase *base, const Reduction *reduction, const Combinations *found)
{
    Arena work = { 0 };
    bool *is_used = ARENA_ARRAY(&work, bool, base->n_equations), any = false;
    for (size_t i = 0; i < found->items.n; i++) {
        const Combination *c = &found->items.items[i];
        const uint32_t replaced = find_replaced(reduction, c, is_used);
        if (replaced == FLAT_NONE) continue;
        for (uint32_t k = 0; k < c->n; k++) is_used[root_of(reduction, c->rows[k])] = true;
        base->equations[replaced].lhs = expr_const(&flat->pool, 0);
        base->equations[replaced].rhs = c->rest;
        any = true;
    }
    arena_free(&work);
    combine_restore(flat, base);
    return any;
}
