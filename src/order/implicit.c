// src/order/implicit.c: loops that are left to the solver.
//
// The unknowns that a loop would be solved for become states without a derivative: the solver is asked to
// find them such that a residual, which takes the place of the rate, is zero.
//
//     loop         r(x, z) = 0                     z: the unknowns of a linear loop, the torn ones of another
//     then         states x, z; "rates" f(x, z), r(x, z)
//
// What follows sees assignments only. At the start z is what the start system computes if its loops are
// small; of large ones it is a first guess, and the run solves r = 0 before anything is done with it.
#include "order/blocks.h"
#include <string.h>

typedef VEC(Block) BlockList;

typedef struct Implicit {
    Blocks *blocks;
    Flat *flat;
    Arena *arena;
    Arena work;
    uint32_t rows_max;    // loops with more are left to the solver
    VEC(uint32_t) states, residuals;
} Implicit;

static uint32_t rows_of(const Block *block)
{
    if (block->kind == BLOCK_LINEAR) return block->n;
    return block->kind == BLOCK_NEWTON ? block->n_torn : 0;
}

static bool is_left(const Implicit *m, const Block *block) { return rows_of(block) > m->rows_max; }

static Block assign(Implicit *m, uint32_t variable, Expr value, uint32_t equation, uint32_t loop)
{
    Block block = { .kind = BLOCK_ASSIGN, .n = 1, .value = value, .divisor = EXPR_NONE, .loop = loop };
    block.unknowns = ARENA_ARRAY(m->arena, uint32_t, 1);
    block.equations = ARENA_ARRAY(m->arena, uint32_t, 1);
    block.unknowns[0] = variable;
    block.equations[0] = equation;
    return block;
}

// The variable that is how far an equation is from being met.
static uint32_t add_residual(Implicit *m, uint32_t unknown, Place place)
{
    Flat *flat = m->flat;
    const FlatVar *of = &flat->vars.items[unknown];
    const FlatVar var = { .name = arena_printf(m->arena, "residual for %s", of->name),
                          .place = place,
                          .kind = FLAT_VARIABLE,
                          .is_hidden = true,
                          .derivative = FLAT_NONE,
                          .integral = FLAT_NONE,
                          .start = EXPR_NONE };
    vec_push(flat->arena, &flat->vars, var);
    return (uint32_t)(flat->vars.n - 1);
}

// Torn unknowns come first, and so do the residuals among the equations; the inner ones follow from them.
static void add_inner(Implicit *m, const Block *block, BlockList *to)
{
    for (uint32_t i = block->n_torn; block->kind == BLOCK_NEWTON && i < block->n; i++)
        vec_push(
            &m->work, to,
            assign(m, block->unknowns[i], block->inner[i - block->n_torn], block->equations[i], block->loop));
}

static void leave_dynamic(Implicit *m)
{
    Ordered *system = &m->blocks->dynamic;
    BlockList list = { 0 };
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        if (!is_left(m, block)) {
            vec_push(&m->work, &list, *block);
            continue;
        }
        Loop *loop = block->loop == FLAT_NONE ? NULL : &system->loops[block->loop];
        add_inner(m, block, &list);
        for (uint32_t i = 0; i < rows_of(block); i++) {
            const FlatEquation *equation = &system->equations[block->equations[i]];
            const Expr value = block->kind == BLOCK_NEWTON
                                   ? block->residuals[i]
                                   : expr_binary(&m->flat->pool, EXPR_SUB, equation->lhs, equation->rhs);
            const uint32_t residual = add_residual(m, block->unknowns[i], equation->place);
            vec_push(&m->work, &m->states, block->unknowns[i]);
            vec_push(&m->work, &m->residuals, residual);
            vec_push(&m->work, &list, assign(m, residual, value, block->equations[i], block->loop));
        }
        if (loop) loop->method = LOOP_SOLVER;
    }
    system->blocks = ARENA_ARRAY(m->arena, Block, list.n);
    memcpy(system->blocks, list.items, list.n * sizeof *list.items);
    system->n_blocks = (uint32_t)list.n;

    uint32_t *stands_for = ARENA_ARRAY(&m->work, uint32_t, m->flat->vars.n);
    for (size_t i = 0; i < m->states.n; i++) stands_for[m->states.items[i]] = m->residuals.items[i];
    for (uint32_t i = 0; i < system->n_unknowns; i++)
        if (stands_for[system->unknowns[i]]) system->unknowns[i] = stands_for[system->unknowns[i]];
    for (uint32_t i = 0; i < system->n_equations; i++)
        if (stands_for[system->computes[i]]) system->computes[i] = stands_for[system->computes[i]];
}

static void number_blocks(Implicit *m, Ordered *system)
{
    system->block_of = ARENA_ARRAY(m->arena, uint32_t, m->flat->vars.n);
    for (size_t i = 0; i < m->flat->vars.n; i++) system->block_of[i] = FLAT_NONE;
    for (uint32_t k = 0; k < system->n_loops; k++) system->loops[k].n_blocks = 0;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) system->block_of[block->unknowns[i]] = b;
        if (block->loop == FLAT_NONE) continue;
        Loop *loop = &system->loops[block->loop];
        if (loop->n_blocks++ == 0) loop->first_block = b;
    }
}

static bool is_wanted_first(const Implicit *m, const bool *is_state, uint32_t variable)
{
    return is_state[variable] || m->flat->vars.items[variable].kind == FLAT_PARAM;
}

// Large loops of the start become first guesses. False if initial values depend on what they compute.
static bool guess_start(Implicit *m)
{
    Ordered *system = &m->blocks->start;
    const size_t n_vars = m->flat->vars.n;
    bool *is_state = ARENA_ARRAY(&m->work, bool, n_vars), *is_guess = ARENA_ARRAY(&m->work, bool, n_vars);
    for (uint32_t i = 0; i < m->blocks->n_states; i++) is_state[m->blocks->states[i]] = true;
    BlockList list = { 0 };
    bool any = false;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        const size_t first = list.n;
        if (is_left(m, block)) {
            for (uint32_t i = 0; i < rows_of(block); i++) {
                const uint32_t variable = block->unknowns[i];
                const Expr start = m->flat->vars.items[variable].start;
                const Expr guess = start != EXPR_NONE ? start : expr_const(&m->flat->pool, 0);
                vec_push(&m->work, &list, assign(m, variable, guess, block->equations[i], block->loop));
                is_guess[variable] = any = true;
            }
            add_inner(m, block, &list);
        } else {
            vec_push(&m->work, &list, *block);
        }
        // what is computed from a guess is one too, and must not be where a state begins
        for (size_t k = first; any && k < list.n; k++) {
            const Block *made = &list.items[k];
            bool reads = false;
            if (made->kind == BLOCK_ASSIGN) {
                const ArenaMark mark = arena_mark(&m->work);
                size_t n;
                const uint32_t *read = expr_variables(&m->flat->pool, made->value, &m->work, &n);
                for (size_t i = 0; i < n; i++) reads = reads || is_guess[read[i]];
                arena_release(&m->work, mark);
            } else {
                reads = true;
            }
            for (uint32_t i = 0; i < made->n; i++) {
                is_guess[made->unknowns[i]] |= reads;
                if (is_guess[made->unknowns[i]] && is_wanted_first(m, is_state, made->unknowns[i]))
                    return false;
            }
        }
    }
    system->blocks = ARENA_ARRAY(m->arena, Block, list.n);
    memcpy(system->blocks, list.items, list.n * sizeof *list.items);
    system->n_blocks = (uint32_t)list.n;
    return true;
}

static void *longer(Arena *arena, const void *items, size_t n, size_t wanted, size_t size, int fill)
{
    char *copy = arena_alloc(arena, wanted, size);
    memcpy(copy, items, n * size);
    memset(copy + n * size, fill, (wanted - n) * size);
    return copy;
}

// Tables by variable know the residuals now.
static void lengthen(Implicit *m, size_t n_before)
{
    Reduction *r = m->blocks->reduction;
    const size_t n = m->flat->vars.n;
    if (!r) return;
    r->had_derivative = longer(m->arena, r->had_derivative, n_before, n, sizeof *r->had_derivative, 0);
    r->start_param = longer(m->arena, r->start_param, n_before, n, sizeof *r->start_param, 0xff);
}

void order_leave_loops(Blocks *blocks, Flat *flat, uint32_t rows_max, Arena *arena)
{
    const bool chooses = blocks->reduction && blocks->reduction->n_choices > 0;
    bool any = false;
    Implicit m = { .blocks = blocks, .flat = flat, .arena = arena, .rows_max = rows_max };
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++)
        any = any || is_left(&m, &blocks->dynamic.blocks[b]);
    if (!any || chooses || flat->arrays.n > 0) return;
    // only loops too large to be solved at the start are guesses there
    Implicit start = m;
    if (start.rows_max < ORDER_LOOP_MAX) start.rows_max = ORDER_LOOP_MAX;
    const bool ok = guess_start(&start);
    arena_free(&start.work);
    if (!ok) return;

    const size_t n_before = flat->vars.n;
    leave_dynamic(&m);
    number_blocks(&m, &blocks->dynamic);
    number_blocks(&m, &blocks->start);
    lengthen(&m, n_before);
    const uint32_t n = (uint32_t)m.states.n, n_states = blocks->n_states;
    uint32_t *states = ARENA_ARRAY(arena, uint32_t, n_states + n),
             *rates = ARENA_ARRAY(arena, uint32_t, n_states + n);
    if (n_states) memcpy(states, blocks->states, n_states * sizeof *states);
    if (n_states) memcpy(rates, blocks->rates, n_states * sizeof *rates);
    memcpy(states + n_states, m.states.items, n * sizeof *states);
    memcpy(rates + n_states, m.residuals.items, n * sizeof *rates);
    blocks->states = states;
    blocks->rates = rates;
    blocks->n_states += n;
    blocks->n_implicit = n;
    arena_free(&m.work);
}
