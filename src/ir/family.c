// src/ir/family.c: families of equations as loops of a program.
#include "ir/lower.h"
#include <string.h>

static bool computes_array(const IrProgram *p, uint32_t array)
{
    return !p->from_v && p->system->array_first[array + 1] > p->system->array_first[array];
}

IrPlace ir_element_place(const Ir *ir, const IrProgram *program, const ExprAccess *access)
{
    const IrLayout *layout = &ir->layout;
    IrPlace place = {
        .leaf = EXPR_NONE, .memory = IR_IN_V, .first = layout->array_place[access->array], .table = FLAT_NONE
    };
    memcpy(place.stride, access->stride, sizeof place.stride);
    if (computes_array(program, access->array) && !program->keeps) {
        place.memory = IR_IN_W;
        place.first -= layout->first_var;
    } else if (!computes_array(program, access->array) && !program->from_v &&
               layout->array_state[access->array] != FLAT_NONE) {
        const uint32_t step = layout->array_step[access->array];
        place.memory = IR_IN_X;
        place.first = layout->array_state[access->array] + access->offset * step;
        for (int k = 0; k < IR_DEPTH_MAX; k++) place.stride[k] *= (int32_t)step;
        return place;
    }
    place.first += access->offset;
    return place;
}

static IrStatement add_loop(Lower *l, const ExprLoops *loops, IrBody body, uint32_t block)
{
    Ir *ir = l->ir;
    IrLoop loop = { .n_nested = loops->n,
                    .body = ARENA_NEW(ir->arena, IrBody),
                    .n_body = 1,
                    .codes = FLAT_NONE,
                    .is_family = true };
    body.n = 1;
    for (uint32_t k = 0; k < loops->n; k++) {
        loop.count[k] = loops->count[k];
        body.n *= loops->count[k];
    }
    loop.loops = *loops;
    loop.block = block;
    loop.body[0] = body;
    vec_push(ir->arena, &ir->loops, loop);
    return (IrStatement){ IR_LOOP, (uint32_t)ir->loops.n - 1, EXPR_NONE, FLAT_NONE };
}

// The leaves of a body that move with the turn.
static void find_moving(Lower *l, const IrProgram *program, IrBody *body)
{
    Ir *ir = l->ir;
    size_t n;
    const Expr *elements = expr_elements(&ir->flat->pool, body->statement.value, &l->work, &n);
    body->moving = ARENA_ARRAY(ir->arena, IrPlace, n);
    for (size_t i = 0; i < n; i++) {
        const ExprAccess *access = expr_access(&ir->flat->pool, elements[i]);
        bool moves = false;
        for (int k = 0; k < EXPR_LOOPS_MAX; k++) moves = moves || access->stride[k] != 0;
        if (!moves) continue;
        IrPlace place = ir_element_place(ir, program, access);
        place.leaf = elements[i];
        body->moving[body->n_moving++] = place;
    }
}

IrStatement lower_family(Lower *l, const IrProgram *program, uint32_t b, const uint32_t *out_of)
{
    const FlatFamily *family = &program->system->families[program->system->blocks[b].family];
    const ExprAccess *target = expr_access(&l->ir->flat->pool, family->lhs);
    IrBody body = { .statement = { IR_LOCAL, FLAT_NONE, family->rhs, FLAT_NONE } };
    body.target = ir_element_place(l->ir, program, target);
    const uint32_t state = out_of ? out_of[target->array] : FLAT_NONE;
    if (state != FLAT_NONE) {
        const uint32_t step = l->ir->layout.array_step[state];
        body.statement.kind = IR_OUT;
        body.target.memory = IR_IN_OUT;
        body.target.first = l->ir->layout.array_state[state] + target->offset * step;
        for (int k = 0; k < IR_DEPTH_MAX; k++) body.target.stride[k] *= (int32_t)step;
    }
    find_moving(l, program, &body);
    return add_loop(l, &family->loops, body, b);
}

static ExprLoops over_all(const FlatArray *a)
{
    return (ExprLoops){ .n = 1, .count = { a->n }, .first = { 1 }, .index = { "i" } };
}

IrStatement lower_copy(Lower *l, const IrProgram *program, IrKind kind, uint32_t state, uint32_t array)
{
    Ir *ir = l->ir;
    const ExprLoops loops = over_all(&ir->flat->arrays.items[array]);
    const ExprAccess all = { .array = array, .stride = { 1 } };
    const Expr leaf = expr_elem(&ir->flat->pool, &all);
    IrBody body = { .statement = { kind, FLAT_NONE, leaf, FLAT_NONE },
                    .target = { .leaf = EXPR_NONE, .memory = IR_IN_V, .first = ir->layout.array_place[array],
                                .stride = { 1 }, .table = FLAT_NONE } };
    if (kind == IR_OUT) {
        body.target.memory = IR_IN_OUT;
        body.target.first = ir->layout.array_state[state];
        body.target.stride[0] = (int32_t)ir->layout.array_step[state];
    }
    find_moving(l, program, &body);
    return add_loop(l, &loops, body, FLAT_NONE);
}

IrStatement lower_array_default(Lower *l, const IrProgram *program, uint32_t array)
{
    Ir *ir = l->ir;
    const FlatArray *a = &ir->flat->arrays.items[array];
    const ExprLoops loops = over_all(a);
    IrBody body = { .statement = { IR_PARAM, FLAT_NONE, a->start, FLAT_NONE },
                    .target = { .leaf = EXPR_NONE, .memory = IR_IN_V, .first = ir->layout.array_place[array],
                                .stride = { 1 }, .table = FLAT_NONE } };
    find_moving(l, program, &body);
    return add_loop(l, &loops, body, FLAT_NONE);
}

void lower_lay_out_arrays(Ir *ir)
{
    const Flat *flat = ir->flat;
    IrLayout *layout = &ir->layout;
    layout->array_place = ARENA_ARRAY(ir->arena, uint32_t, flat->arrays.n);
    layout->array_state = ARENA_ARRAY(ir->arena, uint32_t, flat->arrays.n);
    layout->array_step = ARENA_ARRAY(ir->arena, uint32_t, flat->arrays.n);
    for (size_t a = 0; a < flat->arrays.n; a++) {
        layout->array_state[a] = FLAT_NONE;
        if (flat->arrays.items[a].kind != FLAT_PARAM) continue;
        layout->array_place[a] = layout->n_params;
        layout->n_params += flat->arrays.items[a].n;
    }
    layout->first_mode = layout->n_params;
    layout->n_modes = (uint32_t)flat->relations.n;
    layout->first_var = layout->first_mode + layout->n_modes;
    layout->n_kept = (uint32_t)flat->vars.n;
    for (size_t a = 0; a < flat->arrays.n; a++) {
        if (flat->arrays.items[a].kind == FLAT_PARAM) continue;
        layout->array_place[a] = layout->first_var + layout->n_kept;
        layout->n_kept += flat->arrays.items[a].n;
    }
    layout->first_guess = layout->first_var + layout->n_kept;
}

// An array and its derivatives that are states. Returns how many there are.
static uint32_t number_array(Ir *ir, const uint32_t *arrays, uint32_t n)
{
    const FlatArray *items = ir->flat->arrays.items;
    IrLayout *layout = &ir->layout;
    uint32_t step = 1;
    while (step < n && items[arrays[step]].integral == arrays[step - 1]) step++;
    for (uint32_t k = 0; k < step; k++) {
        layout->array_state[arrays[k]] = layout->n_states + k;
        layout->array_step[arrays[k]] = step;
    }
    layout->n_states += step * items[arrays[0]].n;
    return step;
}

void lower_number_states(Ir *ir)
{
    const Flat *flat = ir->flat;
    const Blocks *blocks = ir->blocks;
    uint32_t k = 0;
    for (uint32_t i = 0; i < blocks->n_states; i++) {
        uint32_t root = blocks->states[i];
        while (k < blocks->n_state_arrays && flat->vars.items[root].integral != FLAT_NONE)
            root = flat->vars.items[root].integral;
        while (k < blocks->n_state_arrays && flat->arrays.items[blocks->state_arrays[k]].after <= root)
            k += number_array(ir, blocks->state_arrays + k, blocks->n_state_arrays - k);
        ir->layout.state_of[blocks->states[i]] = ir->layout.n_states++;
    }
    while (k < blocks->n_state_arrays)
        k += number_array(ir, blocks->state_arrays + k, blocks->n_state_arrays - k);
}
