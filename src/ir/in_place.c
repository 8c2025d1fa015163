// src/ir/in_place.c: what the in-place discipline computes anew before each update of a state.
//
// The states are updated one after the other, each rate with the newest values of all. Updating a state
// makes everything that depends on it stale; a rate first computes what is stale behind it and leaves the
// rest as it is. What is stale stays so until somebody needs it, so the work is proportional to what is
// written down.
//
// If a block is stale, so is all that depends on it: marking can stop at a block that is stale already.
#include "ir/lower.h"
#include <string.h>

// Expressions written down in all programs together: so many, and several times the model itself.
enum { NODES_ALWAYS = 1000000, REPEATS_MAX = 4 };

typedef struct InPlace {
    Lower    *l;
    bool     *stale;         // [n_blocks]
    bool     *counted;       // [n_blocks] computed before
    bool     *chosen;        // [n_blocks] to be computed before the present update
    Numbers   todo, now;     // now: chosen blocks
    size_t    n_nodes;       // written down,
    size_t    n_different;   // each block once
} InPlace;

static void choose(InPlace *p, uint32_t variable)
{
    const Ir *ir = p->l->ir;
    variable = lower_resolve(ir, ir->dynamic_alias, variable);
    if (variable == FLAT_NONE) return;
    const uint32_t b = ir->blocks->dynamic.block_of[variable];
    if (b == FLAT_NONE || !p->stale[b] || p->chosen[b]) return;
    p->chosen[b] = true;
    vec_push(&p->l->work, &p->todo, b);
    vec_push(&p->l->work, &p->now, b);
}

static void choose_behind(InPlace *p)
{
    const IrReads *reads = &p->l->ir->dynamic_reads;
    while (p->todo.n) {
        const uint32_t b = vec_pop(&p->todo);
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) choose(p, reads->var[k]);
    }
}

static void make_stale(InPlace *p, uint32_t state)
{
    const Lower *l = p->l;
    vec_push(&p->l->work, &p->todo, state);
    while (p->todo.n) {
        const uint32_t variable = vec_pop(&p->todo);
        for (uint32_t k = l->users_start[variable]; k < l->users_start[variable + 1]; k++) {
            const uint32_t b = l->users[k];
            if (p->stale[b]) continue;
            p->stale[b] = true;
            const Block *block = &l->ir->blocks->dynamic.blocks[b];
            for (uint32_t u = 0; u < block->n; u++) vec_push(&p->l->work, &p->todo, block->unknowns[u]);
        }
    }
}

void lower_in_place(Lower *l)
{
    Ir *ir = l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    const uint32_t n_states = ir->blocks->n_states;
    InPlace p = { .l = l };
    p.stale = ARENA_ARRAY(&l->work, bool, system->n_blocks);
    p.chosen = ARENA_ARRAY(&l->work, bool, system->n_blocks);
    p.counted = ARENA_ARRAY(&l->work, bool, system->n_blocks);
    if (system->n_blocks)
        memset(p.stale, 1, system->n_blocks * sizeof *p.stale);    // time has moved on: all of it

    IrProgram *programs = ARENA_ARRAY(ir->arena, IrProgram, n_states);
    for (uint32_t i = 0; i < n_states; i++) {
        p.now.n = 0;
        choose(&p, ir->blocks->rates[i]);
        choose_behind(&p);
        lower_sort(p.now.items, p.now.n);

        IrProgram *program = &programs[i];
        *program = (IrProgram){ .name = "one_rate", .system = system, .reads = &ir->dynamic_reads,
                                .alias = ir->dynamic_alias, .remembers = true };
        program->n_statements = (uint32_t)p.now.n + 1;
        program->statements = ARENA_ARRAY(ir->arena, IrStatement, program->n_statements);
        for (size_t k = 0; k < p.now.n; k++) {
            const uint32_t b = p.now.items[k];
            program->statements[k] = lower_block(system, b);
            p.stale[b] = p.chosen[b] = false;
            p.n_nodes += l->sizes[b];
            if (!p.counted[b]) p.n_different += l->sizes[b];
            p.counted[b] = true;
        }
        program->statements[p.now.n] =
            (IrStatement){ IR_OUT, 0, expr_var(&ir->flat->pool, ir->blocks->rates[i]), FLAT_NONE };
        if (p.n_nodes > NODES_ALWAYS + REPEATS_MAX * p.n_different) return;
        make_stale(&p, ir->blocks->states[i]);
    }
    ir->one_rate = programs;
}
