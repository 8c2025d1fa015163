// src/ir/quantise.c: rates, shared variables and zero functions as terms, grouped by shape; their
// dependencies. Which variables are shared; the rest is in quantise_terms.c, quantise_shapes.c and
// quantise_readers.c (quantiser.h says how they work together).
#include "ir/quantise.h"
#include "ir/quantiser.h"
#include <stdlib.h>

// ---- Which algebraic variables are shared

static void count_reads(const Quantiser *w, uint32_t *n_readers)
{
    const IrReads *reads = &w->ir->dynamic_reads;
    for (uint32_t b = 0; b < quantiser_system(w)->n_blocks; b++) {
        const uint32_t n = quantiser_system(w)->blocks[b].kind == BLOCK_FAMILY ? 2 : 1;    // many turns
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) n_readers[reads->var[k]] += n;
    }
}

// Nodes below an expression, shared ones once.
static uint32_t count_nodes(Quantiser *w, Expr root)
{
    uint32_t n = 0;
    w->count++;
    VEC(Expr) stack = { 0 };
    const ArenaMark mark = arena_mark(&w->arena);
    vec_push(&w->arena, &stack, root);
    while (stack.n) {
        const Expr e = vec_pop(&stack);
        if (w->stamp[e] == w->count) continue;
        w->stamp[e] = w->count;
        n++;
        for (int k = 0; k < expr_n_operands(w->pool, e); k++)
            vec_push(&w->arena, &stack, expr_operand(w->pool, e, k));
    }
    arena_release(&w->arena, mark);
    return n;
}

// What computes each variable; the unknowns of loops are numbered as shared variables.
static void find_closed(Quantiser *w)
{
    const Ordered *system = quantiser_system(w);
    const size_t n_vars = w->ir->flat->vars.n;
    uint32_t n_loops = 0;
    w->closed = ARENA_ARRAY(&w->arena, Expr, n_vars);
    for (size_t i = 0; i < n_vars; i++) w->closed[i] = EXPR_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        if (block->kind == BLOCK_ASSIGN) w->closed[block->unknowns[0]] = block->value;
        n_loops += block->kind == BLOCK_LINEAR || block->kind == BLOCK_NEWTON;
        for (uint32_t i = 0; block->kind == BLOCK_NEWTON && i < block->n - block->n_torn; i++)
            w->closed[block->unknowns[block->n_torn + i]] = block->inner[i];
    }
    w->q->loops = ARENA_ARRAY(&w->q->arena, IrLoopTerms, n_loops);
    w->is_needed_x = ARENA_ARRAY(&w->arena, bool, n_loops);
}

static void share(Quantiser *w, uint32_t variable)
{
    w->shared_var[w->q->n_shared] = variable;
    w->shared[variable] = w->q->n_shared++;
}

static void number_loop(Quantiser *w, uint32_t b)
{
    const Block *block = &quantiser_system(w)->blocks[b];
    const uint32_t n = block->kind == BLOCK_NEWTON ? block->n_torn : block->n;
    if (n > IR_QUANTISED_LOOP_MAX) return;    // who reads it will say so
    w->q->loops[w->q->n_loops++] = (IrLoopTerms){ .block = b,
                                                  .first = w->q->n_shared,
                                                  .n = n,
                                                  .is_linear = block->kind == BLOCK_LINEAR,
                                                  .residuals = { FLAT_NONE, FLAT_NONE } };
    for (uint32_t i = 0; i < n; i++) share(w, block->unknowns[i]);
}

static void choose_shared(Quantiser *w)
{
    const Ordered *system = quantiser_system(w);
    const IrReads *reads = &w->ir->dynamic_reads;
    const size_t n_vars = w->ir->flat->vars.n;
    uint32_t *n_readers = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    uint32_t *size = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    count_reads(w, n_readers);
    find_closed(w);
    w->shared = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    w->shared_var = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    for (size_t i = 0; i < n_vars; i++) w->shared[i] = FLAT_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        if (block->kind == BLOCK_LINEAR || block->kind == BLOCK_NEWTON) number_loop(w, b);
        if (block->kind != BLOCK_ASSIGN) continue;
        uint32_t n = count_nodes(w, block->value);
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++)
            if (w->shared[reads->var[k]] == FLAT_NONE) n += size[reads->var[k]];
        const uint32_t variable = block->unknowns[0];
        size[variable] = n;
        if ((n > PART_MAX && n_readers[variable] >= 2) || n > TERM_MAX) share(w, variable);
    }
    IrQuantised *q = w->q;
    q->loop_of = ARENA_ARRAY(&q->arena, uint32_t, q->n_shared);
    for (uint32_t i = 0; i < q->n_shared; i++) q->loop_of[i] = FLAT_NONE;
    uint32_t n_unknowns = 0;
    for (uint32_t l = 0; l < q->n_loops; l++) {
        for (uint32_t i = 0; i < q->loops[l].n; i++) q->loop_of[q->loops[l].first + i] = l;
        n_unknowns += q->loops[l].n;
    }
    w->is_needed = ARENA_ARRAY(&w->arena, bool, q->n_shared);
    q->n_terms = q->n_states + q->n_shared + q->n_relations + 2 * n_unknowns;
}

// ---- All of it

IrQuantised *ir_quantise(const Ir *ir, IrObstacle *obstacle)
{
    // nobody keeps the past, whoever reads it: rates, or outputs only
    *obstacle = (IrObstacle){ .delay = ir->flat->delays.n ? 0 : FLAT_NONE };
    if (ir->flat->delays.n) return NULL;
    IrQuantised *q = calloc(1, sizeof *q);
    if (!q) arena_no_memory(sizeof *q);
    expr_pool_init(&q->pool, &q->arena);
    q->n_states = ir->layout.n_states;
    q->n_relations = (uint32_t)ir->flat->relations.n;

    Quantiser w = { .ir = ir, .pool = &ir->flat->pool, .q = q, .obstacle = obstacle };
    w.stamp = ARENA_ARRAY(&w.arena, uint32_t, w.pool->nodes.n);
    encode_begin(&w);
    choose_shared(&w);
    q->shape_of = ARENA_ARRAY(&q->arena, uint32_t, q->n_terms);
    for (uint32_t i = 0; i < q->n_terms; i++) q->shape_of[i] = FLAT_NONE;
    w.first_leaf = ARENA_ARRAY(&w.arena, uint32_t, q->n_terms);
    q->comparison = ARENA_ARRAY(&q->arena, uint8_t, q->n_relations);
    for (uint32_t k = 0; k < q->n_relations; k++)
        q->comparison[k] = (uint8_t)expr_op(w.pool, ir->flat->relations.items[k].relation);
    encode_all(&w);
    if (!w.failed) {
        shapes_make(&w);
        if (!readers_find(&w)) obstacle->is_too_large = w.failed = true;
    }
    arena_free(&w.arena);
    if (!w.failed) return q;
    ir_quantised_free(q);
    return NULL;
}

uint32_t ir_most_records(const IrQuantised *q)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < q->n_shapes; i++)
        if (q->shapes[i].n_records > most) most = q->shapes[i].n_records;
    return most;
}

void ir_quantised_free(IrQuantised *q)
{
    if (!q) return;
    arena_free(&q->arena);
    free(q);
}
