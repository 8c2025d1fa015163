// src/ir/jacobian.c: derivatives of the rates by the states, as expressions.
//
// Column by column, the chain rule forward through the assignments in their order:
//
//     d u / d x_j = Σ over the variables w that u reads:  ∂u/∂w · d w / d x_j
//
// The ∂u/∂w of one u are found together, once, and shared by all columns. Where a loop stands in the way,
// or where the expressions grow out of proportion, there is no symbolic Jacobian and the solver takes
// differences instead.
#include "ir/lower.h"

enum {
    NODES_ALWAYS = 2000,    // new expressions that are never too many
    NODES_PER_ENTRY = 20,
    NODES_MAX = 50000,
    // differences along the pattern cost a stiff solver little more, and a model of this size must not wait
    // for derivatives that it may never use
    ENTRIES_MAX = 10000,
    REACH_MAX = 50000,    // blocks that the states reach, in all columns together
};

typedef struct Chain {
    Lower    *l;
    Expr     *partial;       // [reads] ∂u/∂w for each variable read by an assignment; EXPR_NONE: not yet
    Expr     *total;         // [n_vars] d u / d x_j in the present column
    uint32_t *column;        // [n_vars] column + 1 to which `total` belongs
    uint32_t *met;           // [n_blocks] the same for blocks
} Chain;

static bool is_zero(const ExprPool *pool, Expr e)
{
    double value;
    return expr_is_const(pool, e, &value) && value == 0;
}

// ∂u/∂w of a block for all w it reads, on first use.
static const Expr *partials_of(Chain *c, uint32_t b)
{
    const IrReads *reads = &c->l->ir->dynamic_reads;
    const uint32_t first = reads->start[b], n = reads->start[b + 1] - first;
    Expr *partials = c->partial + first;
    if (n && partials[0] == EXPR_NONE)
        expr_gradient(&c->l->ir->flat->pool, c->l->ir->blocks->dynamic.blocks[b].value, reads->var + first, n,
                      partials);
    return partials;
}

static Expr total_of(Chain *c, uint32_t b, uint32_t j)
{
    const Ir *ir = c->l->ir;
    ExprPool *pool = &c->l->ir->flat->pool;
    const uint32_t first = ir->dynamic_reads.start[b], n = ir->dynamic_reads.start[b + 1] - first;
    const Expr *partials = partials_of(c, b);
    Expr sum = EXPR_NONE;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t variable = lower_resolve(ir, ir->dynamic_alias, ir->dynamic_reads.var[first + k]);
        if (variable == FLAT_NONE || c->column[variable] != j + 1) continue;
        if (is_zero(pool, partials[k]) || is_zero(pool, c->total[variable])) continue;
        const Expr term = expr_binary(pool, EXPR_MUL, partials[k], c->total[variable]);
        sum = sum == EXPR_NONE ? term : expr_binary(pool, EXPR_ADD, sum, term);
    }
    return sum == EXPR_NONE ? expr_const(pool, 0) : sum;
}

// The blocks that state j reaches, in order of evaluation; false if one of them is a loop.
static bool reach(Chain *c, uint32_t j, Numbers *blocks, Numbers *todo)
{
    const Lower *l = c->l;
    const Ordered *system = &l->ir->blocks->dynamic;
    blocks->n = 0;
    vec_push(&c->l->work, todo, l->ir->blocks->states[j]);
    while (todo->n) {
        const uint32_t variable = vec_pop(todo);
        for (uint32_t k = l->users_start[variable]; k < l->users_start[variable + 1]; k++) {
            const uint32_t b = l->users[k];
            if (c->met[b] == j + 1) continue;
            c->met[b] = j + 1;
            if (system->blocks[b].kind != BLOCK_ASSIGN) return false;
            vec_push(&c->l->work, blocks, b);
            vec_push(&c->l->work, todo, system->blocks[b].unknowns[0]);
        }
    }
    lower_sort(blocks->items, blocks->n);
    return true;
}

static bool is_too_large(const Chain *c, size_t n_before)
{
    const size_t n = c->l->ir->flat->pool.nodes.n - n_before;
    const size_t limit = NODES_ALWAYS + (size_t)c->l->ir->pattern.n * NODES_PER_ENTRY;
    return n > limit || n > NODES_MAX;
}

void lower_jacobian(Lower *l)
{
    Ir *ir = l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    const uint32_t n_states = ir->blocks->n_states, n_reads = ir->dynamic_reads.start[system->n_blocks];
    if (!ir->has_pattern || !l->is_sparse || ir->pattern.n > ENTRIES_MAX) return;

    Chain c = { .l = l };
    c.partial = ARENA_ARRAY(&l->work, Expr, n_reads);
    for (uint32_t k = 0; k < n_reads; k++) c.partial[k] = EXPR_NONE;
    c.total = ARENA_ARRAY(&l->work, Expr, ir->flat->vars.n);
    c.column = ARENA_ARRAY(&l->work, uint32_t, ir->flat->vars.n);
    c.met = ARENA_ARRAY(&l->work, uint32_t, system->n_blocks);
    BlockEntry *entries = ARENA_ARRAY(ir->arena, BlockEntry, ir->pattern.n);
    const size_t n_before = ir->flat->pool.nodes.n;
    const Expr zero = expr_const(&ir->flat->pool, 0), one = expr_const(&ir->flat->pool, 1);
    Numbers blocks = { 0 }, todo = { 0 };
    for (uint32_t j = 0; j < n_states; j++) {
        if (!reach(&c, j, &blocks, &todo)) return;
        const uint32_t state = ir->blocks->states[j];
        c.total[state] = one;
        c.column[state] = j + 1;
        for (size_t i = 0; i < blocks.n; i++) {
            const uint32_t unknown = system->blocks[blocks.items[i]].unknowns[0];
            c.total[unknown] = total_of(&c, blocks.items[i], j);
            c.column[unknown] = j + 1;
            if (is_too_large(&c, n_before)) return;
        }
        for (uint32_t k = ir->pattern.start[j]; k < ir->pattern.start[j + 1]; k++) {
            const uint32_t row = ir->pattern.row[k];
            const uint32_t rate = lower_resolve(ir, ir->dynamic_alias, ir->blocks->rates[row]);
            const bool depends = rate != FLAT_NONE && c.column[rate] == j + 1;
            entries[k] = (BlockEntry){ row, j, depends ? c.total[rate] : zero };
        }
    }
    ir->has_jacobian = true;
    ir->jacobian = entries;
    ir->n_jacobian = ir->pattern.n;
}
