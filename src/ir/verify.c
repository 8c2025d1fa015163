// src/ir/verify.c: every variable is computed before it is read.
#include "ir/ir.h"

typedef struct Verify {
    const Ir *ir;
    Arena     work;
    bool     *known;        // [n_vars] computed by the program so far
    bool     *seen;         // [n_nodes] of the pool: read before, and all below it; what is known stays known
    VEC(Expr) stack;
} Verify;

static bool can_read(const Verify *v, const IrProgram *program, uint32_t variable)
{
    const Ir *ir = v->ir;
    if (program->from_v) return true;
    if (program->alias && program->alias[variable] != EXPR_NONE) {
        const ExprNode *leaf = expr_node(&ir->flat->pool, program->alias[variable]);
        if (leaf->op == EXPR_TIME) return true;
        variable = leaf->index;
    }
    if (v->known[variable]) return true;
    if (program->system->block_of[variable] != FLAT_NONE) return false;
    return ir->layout.state_of[variable] != FLAT_NONE || ir->layout.place[variable] < ir->layout.n_params;
}

static bool can_evaluate(Verify *v, const IrProgram *program, Expr value)
{
    const ExprPool *pool = &v->ir->flat->pool;
    vec_push(&v->work, &v->stack, value);
    while (v->stack.n) {
        const Expr e = vec_pop(&v->stack);
        if (v->seen[e]) continue;
        v->seen[e] = true;
        const ExprNode *node = expr_node(pool, e);
        const int arity = expr_ops[node->op].arity;
        if (node->op == EXPR_VAR && !can_read(v, program, node->index)) return false;
        if (arity > 0) vec_push(&v->work, &v->stack, node->a);
        if (arity > 1) vec_push(&v->work, &v->stack, node->b);
        if (arity > 2) vec_push(&v->work, &v->stack, node->c);
    }
    return true;
}

// The variable that lives at a place of a loop in one of its turns, or FLAT_NONE if that is no variable.
static uint32_t variable_at(const Verify *v, const IrPlace *place, const uint32_t *turn)
{
    const Ir *ir = v->ir;
    int64_t at = place->first;
    if (place->table != FLAT_NONE) at = ir->tables.items[place->table + turn[0]];
    else
        for (int k = 0; k < IR_DEPTH_MAX; k++) at += (int64_t)place->stride[k] * turn[k];
    if (place->memory == IR_IN_V) at -= ir->layout.first_var;
    else if (place->memory != IR_IN_W) return FLAT_NONE;
    return at < 0 || at >= (int64_t)ir->flat->vars.n ? FLAT_NONE : (uint32_t)at;
}

static bool verify_turn(Verify *v, const IrProgram *program, const IrBody *body, const uint32_t *turn)
{
    for (uint32_t k = 0; k < body->n_moving; k++) {
        const uint32_t variable = variable_at(v, &body->moving[k], turn);
        if (variable != FLAT_NONE && !can_read(v, program, variable)) return false;
    }
    const uint32_t computed = variable_at(v, &body->target, turn);
    if (computed != FLAT_NONE) v->known[computed] = true;
    return true;
}

static bool verify_loop(Verify *v, const IrProgram *program, const IrLoop *loop)
{
    const uint32_t *codes = loop->codes == FLAT_NONE ? NULL : v->ir->tables.items + loop->codes;
    uint32_t *done = ARENA_ARRAY(&v->work, uint32_t, loop->n_body), turn[IR_DEPTH_MAX] = { 0 };
    for (uint32_t i = 0; codes && i < loop->count[0]; i++) {
        turn[0] = done[codes[i]]++;
        if (!verify_turn(v, program, &loop->body[codes[i]], turn)) return false;
    }
    if (codes) return true;
    for (;;) {
        for (uint32_t k = 0; k < loop->n_body; k++)
            if (!verify_turn(v, program, &loop->body[k], turn)) return false;
        uint32_t k = loop->n_nested;
        while (k > 0 && ++turn[k - 1] == loop->count[k - 1]) turn[--k] = 0;
        if (k == 0) return true;
    }
}

static bool verify_statement(Verify *v, const IrProgram *program, const IrStatement *statement)
{
    if (statement->kind == IR_LOOP) {
        const IrLoop *loop = &v->ir->loops.items[statement->index];
        return loop->is_family || verify_loop(v, program, loop);    // families were sorted as such
    }
    if (statement->value != EXPR_NONE && !can_evaluate(v, program, statement->value)) return false;
    if (statement->kind == IR_LOCAL) v->known[statement->index] = true;
    if (statement->kind != IR_SOLVE) return true;

    const uint32_t b = statement->index;
    const Block *block = &program->system->blocks[b];
    for (uint32_t k = program->reads->start[b]; k < program->reads->start[b + 1]; k++)
        if (!can_read(v, program, program->reads->var[k])) return false;
    for (uint32_t i = 0; i < block->n; i++) v->known[block->unknowns[i]] = true;
    return true;
}

static bool verify_program(Verify *v, const IrProgram *program)
{
    for (uint32_t i = 0; i < program->n_statements; i++)
        if (!verify_statement(v, program, &program->statements[i])) return false;
    return true;
}

static void begin(Verify *v)
{
    v->known = ARENA_ARRAY(&v->work, bool, v->ir->flat->vars.n);
    v->seen = ARENA_ARRAY(&v->work, bool, v->ir->flat->pool.nodes.n);
    v->stack.n = v->stack.capacity = 0;
}

bool ir_verify(const Ir *ir)
{
    Verify v = { .ir = ir };
    bool ok = true;
    for (size_t i = 0; ok && i < IR_N_PROGRAMS; i++) {
        const ArenaMark mark = arena_mark(&v.work);
        begin(&v);
        ok = ir->programs[i].from_v || verify_program(&v, &ir->programs[i]);
        arena_release(&v.work, mark);
    }
    for (uint32_t i = 0; ok && i < ir->flat->events.n; i++) {
        const ArenaMark mark = arena_mark(&v.work);
        begin(&v);
        ok = verify_program(&v, &ir->events[i]);
        arena_release(&v.work, mark);
    }
    // what one rate has computed the next may read
    begin(&v);
    for (uint32_t i = 0; ok && ir->one_rate && i < ir->blocks->n_states; i++)
        ok = verify_program(&v, &ir->one_rate[i]);
    arena_free(&v.work);
    return ok;
}
