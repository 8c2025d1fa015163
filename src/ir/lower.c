// src/ir/lower.c: from sorted blocks to programs, each the slice of the model that its results need.
//
// A program starts from what it must compute. The blocks behind that are marked, going backwards through
// `block_of`, and then written down in the order in which they were sorted:
//
//     targets ─variables read→ block_of ─variables read→ block_of …
//     statements = marked blocks in order, then targets
#include "ir/lower.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERIFY_MAX = 100000 };    // nodes

// ---- Walks

void lower_walk(Lower *l)
{
    const size_t n = l->ir->flat->pool.nodes.n;
    if (n > l->n_node_marks) {
        const size_t more = n + n / 2;
        l->node_mark = arena_grow(&l->work, l->node_mark, l->n_node_marks, more, sizeof *l->node_mark);
        l->n_node_marks = more;
    }
    l->walk++;
    l->arrays.n = 0;
}

static void meet(Lower *l, Expr e, size_t *n_met)
{
    if (l->node_mark[e] == l->walk) return;
    l->node_mark[e] = l->walk;
    ++*n_met;
    vec_push(&l->work, &l->stack, e);
}

size_t lower_collect(Lower *l, Expr root, Numbers *variables)
{
    const ExprPool *pool = &l->ir->flat->pool;
    size_t n_met = 0;
    meet(l, root, &n_met);
    while (l->stack.n) {
        const Expr e = vec_pop(&l->stack);
        if (expr_op(pool, e) == EXPR_VAR) {
            const uint32_t variable = expr_node(pool, e)->index;
            if (l->var_mark[variable] == l->walk) continue;
            l->var_mark[variable] = l->walk;
            vec_push(&l->work, variables, variable);
        }
        const ExprNode *node = expr_node(pool, e);
        if (node->op == EXPR_ELEM) {
            const uint32_t array = expr_access(pool, e)->array;
            if (l->array_mark[array] == l->walk) continue;
            l->array_mark[array] = l->walk;
            vec_push(&l->work, &l->arrays, array);
        }
        const int arity = expr_ops[node->op].arity;
        if (arity > 2) meet(l, node->c, &n_met);
        if (arity > 1) meet(l, node->b, &n_met);
        if (arity > 0) meet(l, node->a, &n_met);
    }
    return n_met;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void lower_sort(uint32_t *items, size_t n)
{
    if (n > 1) qsort(items, n, sizeof *items, compare_numbers);
}

// ---- What blocks read

// Counts the nodes of an assignment; a loop is a function of its own, of which only the call counts.
static uint32_t collect_block(Lower *l, const Block *block, Numbers *variables)
{
    if (block->kind == BLOCK_ASSIGN || block->kind == BLOCK_FAMILY)
        return (uint32_t)lower_collect(l, block->value, variables);
    for (uint32_t i = 0; i < block->n_entries; i++) lower_collect(l, block->entries[i].value, variables);
    if (block->kind == BLOCK_LINEAR) {
        for (uint32_t i = 0; i < block->n; i++) lower_collect(l, block->vector[i], variables);
        return block->n;
    }
    for (uint32_t i = 0; i < block->n - block->n_torn; i++) lower_collect(l, block->inner[i], variables);
    for (uint32_t i = 0; i < block->n_torn; i++) lower_collect(l, block->residuals[i], variables);
    return block->n;
}

static IrReads find_reads(Lower *l, const Ordered *system, uint32_t *sizes)
{
    Numbers all = { 0 }, variables = { 0 }, arrays = { 0 };
    IrReads reads = { .start = ARENA_ARRAY(l->ir->arena, uint32_t, system->n_blocks + 1),
                      .array_start = ARENA_ARRAY(l->ir->arena, uint32_t, system->n_blocks + 1) };
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        lower_walk(l);
        variables.n = 0;
        sizes[b] = collect_block(l, &system->blocks[b], &variables);
        for (size_t i = 0; i < variables.n; i++)
            if (system->block_of[variables.items[i]] != b) vec_push(&l->work, &all, variables.items[i]);
        reads.start[b + 1] = (uint32_t)all.n;
        for (size_t i = 0; i < l->arrays.n; i++) vec_push(&l->work, &arrays, l->arrays.items[i]);
        reads.array_start[b + 1] = (uint32_t)arrays.n;
    }
    reads.array = ARENA_ARRAY(l->ir->arena, uint32_t, arrays.n);
    if (arrays.n) memcpy(reads.array, arrays.items, arrays.n * sizeof *reads.array);
    reads.var = ARENA_ARRAY(l->ir->arena, uint32_t, all.n);
    if (all.n) memcpy(reads.var, all.items, all.n * sizeof *reads.var);
    return reads;
}

// A variable that is computed as just another one, or as time, needs no memory of its own. (A constant
// does: an operation on two literal numbers would be left to the compiler, and not every compiler rounds it
// as we do.)
static Expr *find_aliases(const Ir *ir, const Ordered *system)
{
    const ExprPool *pool = &ir->flat->pool;
    const size_t n_vars = ir->flat->vars.n;
    Expr *alias = ARENA_ARRAY(ir->arena, Expr, n_vars);
    for (size_t i = 0; i < n_vars; i++) alias[i] = EXPR_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        if (block->kind != BLOCK_ASSIGN) continue;
        Expr leaf = block->value;
        if (expr_op(pool, leaf) == EXPR_VAR && alias[expr_node(pool, leaf)->index] != EXPR_NONE)
            leaf = alias[expr_node(pool, leaf)->index];
        if (expr_op(pool, leaf) == EXPR_VAR || expr_op(pool, leaf) == EXPR_TIME)
            alias[block->unknowns[0]] = leaf;
    }
    return alias;
}

static void find_users(Lower *l)
{
    const Ir *ir = l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    const IrReads *reads = &ir->dynamic_reads;
    const size_t n_vars = ir->flat->vars.n;
    uint32_t *start = ARENA_ARRAY(&l->work, uint32_t, n_vars + 2);
    // counted two places ahead, so that filling in leaves each start where it belongs
    for (uint32_t k = 0; k < reads->start[system->n_blocks]; k++) {
        const uint32_t variable = lower_resolve(ir, ir->dynamic_alias, reads->var[k]);
        if (variable != FLAT_NONE) start[variable + 2]++;
    }
    for (size_t i = 2; i < n_vars + 2; i++) start[i] += start[i - 1];
    l->users = ARENA_ARRAY(&l->work, uint32_t, start[n_vars + 1]);
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) {
            const uint32_t variable = lower_resolve(ir, ir->dynamic_alias, reads->var[k]);
            if (variable != FLAT_NONE) l->users[start[variable + 1]++] = b;
        }
    }
    l->users_start = start;
}

// ---- Slices

// A program being written, and which blocks of its system it needs.
typedef struct Slice {
    Lower     *l;
    IrProgram *program;
    Statements statements;
    bool      *needed;      // [n_blocks]
    Numbers    todo;        // needed blocks whose own needs are not marked yet
    Numbers    variables;   // scratch
    uint32_t  *out_of;      // see lower_family
} Slice;

static Slice begin_slice(Lower *l, IrProgramId id, const char *name)
{
    Ir *ir = l->ir;
    IrProgram *program = &ir->programs[id];
    *program = (IrProgram){ .name = name, .system = &ir->blocks->dynamic, .reads = &ir->dynamic_reads,
                            .alias = ir->dynamic_alias };
    lower_walk(l);
    return (Slice){ .l = l,
                    .program = program,
                    .needed = ARENA_ARRAY(&l->work, bool, ir->blocks->dynamic.n_blocks) };
}

static void use_start(Slice *s)
{
    const Ir *ir = s->l->ir;
    s->program->system = &ir->blocks->start;
    s->program->reads = &ir->start_reads;
    s->program->alias = ir->start_alias;
    s->needed = ARENA_ARRAY(&s->l->work, bool, ir->blocks->start.n_blocks);
}

static void use_values(Slice *s)
{
    s->program->alias = NULL;
    s->program->from_v = true;
}

static void end_slice(Slice *s)
{
    Arena *arena = s->l->ir->arena;
    s->program->n_statements = (uint32_t)s->statements.n;
    s->program->statements = ARENA_ARRAY(arena, IrStatement, s->statements.n);
    if (s->statements.n)
        memcpy(s->program->statements, s->statements.items, s->statements.n * sizeof *s->statements.items);
}

static void need_variable(Slice *s, uint32_t variable)
{
    variable = lower_resolve(s->l->ir, s->program->alias, variable);
    if (variable == FLAT_NONE) return;
    const uint32_t b = s->program->system->block_of[variable];
    if (b == FLAT_NONE || s->needed[b]) return;
    s->needed[b] = true;
    vec_push(&s->l->work, &s->todo, b);
}

static void need_block(Slice *s, uint32_t b)
{
    if (s->needed[b]) return;
    s->needed[b] = true;
    vec_push(&s->l->work, &s->todo, b);
}

static void need_array(Slice *s, uint32_t array)
{
    const Ordered *system = s->program->system;
    for (uint32_t k = system->array_first[array]; k < system->array_first[array + 1]; k++)
        need_block(s, system->array_blocks[k]);
}

static void need_behind(Slice *s)
{
    const IrReads *reads = s->program->reads;
    while (s->todo.n) {
        const uint32_t b = vec_pop(&s->todo);
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) need_variable(s, reads->var[k]);
        for (uint32_t k = reads->array_start[b]; k < reads->array_start[b + 1]; k++)
            need_array(s, reads->array[k]);
    }
}

static void need(Slice *s, Expr root)
{
    s->variables.n = 0;
    const size_t n_arrays = s->l->arrays.n;
    lower_collect(s->l, root, &s->variables);
    for (size_t i = 0; i < s->variables.n; i++) need_variable(s, s->variables.items[i]);
    for (size_t i = n_arrays; i < s->l->arrays.n; i++) need_array(s, s->l->arrays.items[i]);
    need_behind(s);
}

IrStatement lower_block(const Ordered *system, uint32_t b)
{
    const Block *block = &system->blocks[b];
    const uint32_t equation = block->n ? block->equations[0] : FLAT_NONE;
    if (block->kind == BLOCK_ASSIGN)
        return (IrStatement){ IR_LOCAL, block->unknowns[0], block->value, equation };
    return (IrStatement){ IR_SOLVE, b, EXPR_NONE, equation };
}

static void add(Slice *s, IrKind kind, uint32_t index, Expr value)
{
    vec_push(&s->l->work, &s->statements, (IrStatement){ kind, index, value, FLAT_NONE });
}

static void add_block(Slice *s, uint32_t b)
{
    if (s->program->system->blocks[b].kind == BLOCK_FAMILY) {
        vec_push(&s->l->work, &s->statements, lower_family(s->l, s->program, b, s->out_of));
        return;
    }
    IrStatement statement = lower_block(s->program->system, b);
    // an alias is only stored, never read
    if (statement.kind == IR_LOCAL && s->program->alias[statement.index] != EXPR_NONE)
        statement.kind = IR_KEEP;
    vec_push(&s->l->work, &s->statements, statement);
}

static void add_needed_blocks(Slice *s)
{
    for (uint32_t b = 0; b < s->program->system->n_blocks; b++)
        if (s->needed[b]) add_block(s, b);
}

// ---- The programs

static Expr variable_node(const Slice *s, uint32_t variable)
{
    return expr_var(&s->l->ir->flat->pool, variable);
}

// ---- Arrays

// Elements that only the results read go there at once.
static void find_direct(Slice *s, const uint32_t *arrays, const uint32_t *states, uint32_t n)
{
    const Ordered *system = s->program->system;
    const IrReads *reads = s->program->reads;
    const size_t n_arrays = s->l->ir->flat->arrays.n;
    s->out_of = ARENA_ARRAY(&s->l->work, uint32_t, n_arrays);
    bool *is_read = ARENA_ARRAY(&s->l->work, bool, n_arrays);
    for (size_t a = 0; a < n_arrays; a++) s->out_of[a] = FLAT_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++)
        for (uint32_t k = reads->array_start[b]; s->needed[b] && k < reads->array_start[b + 1]; k++)
            is_read[reads->array[k]] = true;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = arrays[i];
        const bool is_computed = system->array_first[a + 1] > system->array_first[a];
        if (is_computed && !is_read[a]) s->out_of[a] = states[i];
    }
}

// The derivatives of arrays, or arrays at the start, into the results.
static void add_array_results(Slice *s, const uint32_t *arrays, const uint32_t *states, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s->out_of[arrays[i]] == FLAT_NONE)
            vec_push(&s->l->work, &s->statements, lower_copy(s->l, s->program, IR_OUT, states[i], arrays[i]));
}

// The derivatives of the states that are arrays.
static const uint32_t *rate_arrays(Lower *l)
{
    const Blocks *blocks = l->ir->blocks;
    uint32_t *arrays = ARENA_ARRAY(&l->work, uint32_t, blocks->n_state_arrays);
    for (uint32_t i = 0; i < blocks->n_state_arrays; i++)
        arrays[i] = l->ir->flat->arrays.items[blocks->state_arrays[i]].derivative;
    return arrays;
}

static void lower_params(Lower *l)
{
    const Ir *ir = l->ir;
    const Flat *flat = ir->flat;
    Slice s = begin_slice(l, IR_PARAMS, "params");
    use_values(&s);
    s.program->in_sequence = true;
    for (uint32_t i = 0; i < ir->blocks->n_params; i++) {
        const uint32_t variable = ir->blocks->params[i];
        const Expr value = flat->vars.items[variable].start;
        if (value != EXPR_NONE) add(&s, IR_PARAM, variable, value);
    }
    for (uint32_t a = 0; a < flat->arrays.n; a++)
        if (flat->arrays.items[a].kind == FLAT_PARAM)
            vec_push(&l->work, &s.statements, lower_array_default(l, s.program, a));
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        if (ir->layout.guess[i] == FLAT_NONE) continue;
        const Expr guess = flat->vars.items[i].start;
        add(&s, IR_GUESS, i, guess != EXPR_NONE ? guess : expr_const(&ir->flat->pool, 0));
    }
    end_slice(&s);
}

static void need_unknown(Slice *s, uint32_t variable)
{
    const uint32_t b = s->program->system->block_of[variable];
    if (b == FLAT_NONE || s->needed[b]) return;
    s->needed[b] = true;
    vec_push(&s->l->work, &s->todo, b);
}

// What a variable of the start is set to: a number that stands alone needs no variable.
static Expr start_value(const Slice *s, uint32_t variable)
{
    const Ordered *system = s->program->system;
    const Block *block =
        system->block_of[variable] == FLAT_NONE ? NULL : &system->blocks[system->block_of[variable]];
    const bool is_number =
        block && block->kind == BLOCK_ASSIGN && expr_is_const(&s->l->ir->flat->pool, block->value, NULL);
    return is_number ? block->value : variable_node(s, variable);
}

// Loops of the running model start from what the start system found of their unknowns.
static void add_guesses(Slice *s, bool only_found)
{
    const Blocks *blocks = s->l->ir->blocks;
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++) {
        const Block *block = &blocks->dynamic.blocks[b];
        for (uint32_t i = 0; block->kind == BLOCK_NEWTON && i < block->n_torn; i++) {
            const uint32_t u = block->unknowns[i], found = blocks->start.block_of[u];
            if (!only_found) add(s, IR_GUESS, u, EXPR_NONE);
            else if (found != FLAT_NONE && s->needed[found]) add(s, IR_GUESS, u, start_value(s, u));
        }
    }
}

static void need_choices(Slice *s)
{
    const Reduction *r = s->l->ir->blocks->reduction;
    for (uint32_t i = 0; i < r->n_choices; i++)
        for (uint32_t e = 0; e < r->choices[i].n_entries; e++) need(s, r->choices[i].entries[e].value);
}

// All that a choice at the start looks at: the variables that may be states, and what the derivatives read.
static void keep_choices(Slice *s)
{
    const Reduction *r = s->l->ir->blocks->reduction;
    Numbers variables = { 0 };
    lower_walk(s->l);
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        for (uint32_t e = 0; e < choice->n_entries; e++)
            lower_collect(s->l, choice->entries[e].value, &variables);
        for (uint32_t k = 0; k < (choice->n_orders - 1) * choice->n_columns; k++)
            lower_collect(s->l, variable_node(s, choice->variables[k]), &variables);
    }
    for (size_t i = 0; i < variables.n; i++)
        if (s->program->system->block_of[variables.items[i]] != FLAT_NONE)
            add(s, IR_KEEP, variables.items[i], start_value(s, variables.items[i]));
}

// The start system is solved only as far as the states and the unknown parameters need it. All else follows
// from them as at any other time.
static void lower_start(Lower *l)
{
    const Blocks *blocks = l->ir->blocks;
    Slice s = begin_slice(l, IR_START, "start");
    use_start(&s);
    s.program->remembers = true;
    for (uint32_t i = 0; i < blocks->n_states; i++) need_unknown(&s, blocks->states[i]);
    for (uint32_t i = 0; i < blocks->n_params; i++) need_unknown(&s, blocks->params[i]);
    const uint32_t n_arrays = blocks->n_state_arrays;
    const uint32_t *arrays = blocks->state_arrays;
    for (uint32_t i = 0; i < n_arrays; i++) need_array(&s, arrays[i]);
    need_behind(&s);
    find_direct(&s, arrays, blocks->state_arrays, n_arrays);
    const bool chooses = blocks->reduction && blocks->reduction->n_choices > 0;
    if (chooses) need_choices(&s);
    for (uint32_t b = 0; b < blocks->start.n_blocks; b++) {
        if (blocks->start.blocks[b].kind == BLOCK_FAMILY) {
            if (s.needed[b]) add_block(&s, b);
            continue;
        }
        const IrStatement statement = lower_block(&blocks->start, b);
        const bool is_alias = statement.kind == IR_LOCAL && s.program->alias[statement.index] != EXPR_NONE;
        if (s.needed[b] && !is_alias) vec_push(&l->work, &s.statements, statement);
    }
    for (uint32_t i = 0; i < blocks->n_states; i++)
        add(&s, IR_OUT, l->ir->layout.state_of[blocks->states[i]], start_value(&s, blocks->states[i]));
    add_array_results(&s, arrays, blocks->state_arrays, n_arrays);
    for (uint32_t i = 0; i < blocks->n_params; i++)
        if (blocks->start.block_of[blocks->params[i]] != FLAT_NONE)
            add(&s, IR_KEEP, blocks->params[i], start_value(&s, blocks->params[i]));
    add_guesses(&s, true);
    if (chooses) {    // which variables the states are must be settled before anything is computed from them
        keep_choices(&s);
    } else {
        add(&s, IR_CALL, IR_VALUES, EXPR_NONE);
        add_guesses(&s, false);
    }
    end_slice(&s);
}

// A derivative is given out right behind the block that computes it.
static void add_rates(Slice *s)
{
    const Ir *ir = s->l->ir;
    const Blocks *blocks = ir->blocks;
    const size_t n_vars = ir->flat->vars.n;
    // the states whose derivative a variable is: a linked list for each
    uint32_t *first = ARENA_ARRAY(&s->l->work, uint32_t, n_vars),
             *next = ARENA_ARRAY(&s->l->work, uint32_t, blocks->n_states);
    for (size_t i = 0; i < n_vars; i++) first[i] = FLAT_NONE;
    for (uint32_t i = blocks->n_states; i-- > 0;) {
        const uint32_t rate = lower_resolve(ir, s->program->alias, blocks->rates[i]);
        if (rate == FLAT_NONE || blocks->dynamic.block_of[rate] == FLAT_NONE) continue;
        next[i] = first[rate];
        first[rate] = i;
    }
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++) {
        if (!s->needed[b]) continue;
        add_block(s, b);
        const Block *block = &blocks->dynamic.blocks[b];
        for (uint32_t k = 0; k < block->n; k++)
            for (uint32_t i = first[block->unknowns[k]]; i != FLAT_NONE; i = next[i])
                add(s, IR_OUT, ir->layout.state_of[blocks->states[i]], variable_node(s, block->unknowns[k]));
    }
    for (uint32_t i = 0; i < blocks->n_states; i++) {
        const uint32_t rate = lower_resolve(ir, s->program->alias, blocks->rates[i]);
        if (rate == FLAT_NONE || blocks->dynamic.block_of[rate] == FLAT_NONE)
            add(s, IR_OUT, ir->layout.state_of[blocks->states[i]], variable_node(s, blocks->rates[i]));
    }
}

// The values are those of the rates, in the same order, and then the rest: generated code can share the
// first part.
static void lower_rates_and_values(Lower *l)
{
    const Blocks *blocks = l->ir->blocks;
    Slice s = begin_slice(l, IR_RATES, "rates");
    s.program->remembers = true;
    for (uint32_t i = 0; i < blocks->n_states; i++) need_variable(&s, blocks->rates[i]);
    const uint32_t n_arrays = blocks->n_state_arrays;
    const uint32_t *arrays = rate_arrays(l);
    for (uint32_t i = 0; i < n_arrays; i++) need_array(&s, arrays[i]);
    need_behind(&s);
    find_direct(&s, arrays, blocks->state_arrays, n_arrays);
    add_rates(&s);
    add_array_results(&s, arrays, blocks->state_arrays, n_arrays);
    end_slice(&s);

    bool *const in_rates = s.needed;
    s = begin_slice(l, IR_VALUES, "values");
    s.program->keeps = true;
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++)
        if (in_rates[b]) add_block(&s, b);
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++)
        if (!in_rates[b]) add_block(&s, b);
    for (uint32_t i = 0; i < blocks->n_states; i++)
        add(&s, IR_KEEP, blocks->states[i], variable_node(&s, blocks->states[i]));
    for (uint32_t i = 0; i < n_arrays; i++) {
        const uint32_t x = blocks->state_arrays[i];
        vec_push(&l->work, &s.statements, lower_copy(l, s.program, IR_KEEP, FLAT_NONE, x));
    }
    end_slice(&s);
}

static void lower_relations(Lower *l)
{
    ExprPool *pool = &l->ir->flat->pool;
    const Flat *flat = l->ir->flat;
    Slice s = begin_slice(l, IR_RELATIONS, "relations");
    for (uint32_t k = 0; k < flat->relations.n; k++) {
        need(&s, flat->relations.items[k].zero);
        need(&s, flat->relations.items[k].relation);
    }
    add_needed_blocks(&s);
    for (uint32_t k = 0; k < flat->relations.n; k++) {
        add(&s, IR_OUT, 2 * k, flat->relations.items[k].zero);
        add(&s, IR_OUT, 2 * k + 1, flat->relations.items[k].relation);
    }
    end_slice(&s);

    s = begin_slice(l, IR_CHANGED, "changed");
    Expr any = expr_truth(pool, false);
    for (uint32_t k = 0; k < flat->relations.n; k++) {
        const Expr now = flat->relations.items[k].relation;
        need(&s, now);
        const Expr differs =
            expr_make(pool, EXPR_IF, expr_mode(pool, k), expr_unary(pool, EXPR_NOT, now), now);
        any = expr_binary(pool, EXPR_OR, any, differs);
    }
    add_needed_blocks(&s);
    add(&s, IR_OUT, 0, any);
    end_slice(&s);
}

static void lower_asserts(Lower *l)
{
    const Flat *flat = l->ir->flat;
    Slice s = begin_slice(l, IR_ASSERTS, "asserts");
    for (uint32_t i = 0; i < flat->asserts.n; i++) need(&s, flat->asserts.items[i].condition);
    add_needed_blocks(&s);
    for (uint32_t i = 0; i < flat->asserts.n; i++) add(&s, IR_OUT, i, flat->asserts.items[i].condition);
    end_slice(&s);
}

static void lower_histories(Lower *l)
{
    const Flat *flat = l->ir->flat;
    Slice s = begin_slice(l, IR_HISTORIES, "histories");
    for (uint32_t i = 0; i < flat->delays.n; i++) need(&s, flat->delays.items[i].source);
    add_needed_blocks(&s);
    for (uint32_t i = 0; i < flat->delays.n; i++) add(&s, IR_OUT, i, flat->delays.items[i].source);
    end_slice(&s);
}

static void lower_choices(Lower *l)
{
    const Reduction *r = l->ir->blocks->reduction;
    Slice s = begin_slice(l, IR_CHOICES, "choices");
    if (r) need_choices(&s);
    add_needed_blocks(&s);
    for (uint32_t i = 0, n = 0; r && i < r->n_choices; i++)
        for (uint32_t e = 0; e < r->choices[i].n_entries; e++)
            add(&s, IR_OUT, n++, r->choices[i].entries[e].value);
    end_slice(&s);
}

static void lower_terminal(Lower *l)
{
    Ir *ir = l->ir;
    Slice s = begin_slice(l, IR_TERMINAL, "terminal");
    use_values(&s);
    s.program->in_sequence = true;
    add(&s, IR_OUT, 0, expr_const(&ir->flat->pool, 0));
    for (uint32_t i = 0; i < ir->flat->terminal.n; i++) {
        const FlatTerminal *step = &ir->flat->terminal.items[i];
        if (step->target != FLAT_NONE) add(&s, IR_KEEP, step->target, step->value);
        else add(&s, IR_RERUN, ir->n_reruns++, step->value);
    }
    end_slice(&s);
}

// ---- Events

static void lower_conditions(Lower *l)
{
    const Flat *flat = l->ir->flat;
    Slice s = begin_slice(l, IR_CONDITIONS, "conditions");
    for (uint32_t i = 0; i < flat->events.n; i++)
        if (flat->events.items[i].kind == FLAT_WHEN) need(&s, flat->events.items[i].condition);
    add_needed_blocks(&s);
    for (uint32_t i = 0; i < flat->events.n; i++) {
        const FlatEvent *event = &flat->events.items[i];
        if (event->kind == FLAT_WHEN) add(&s, IR_OUT, i, event->condition);
    }
    end_slice(&s);
}

static void lower_pres(Lower *l)
{
    const Flat *flat = l->ir->flat;
    Slice s = begin_slice(l, IR_PRES, "pres");
    for (uint32_t i = 0; i < flat->pres.n; i++) need_variable(&s, flat->pres.items[i].variable);
    need_behind(&s);
    add_needed_blocks(&s);
    for (uint32_t i = 0; i < flat->pres.n; i++)
        add(&s, IR_KEEP, flat->pres.items[i].pre, variable_node(&s, flat->pres.items[i].variable));
    end_slice(&s);
}

// What a body reads of algebraic variables is computed before its first action, and stays.
static void lower_event(Lower *l, uint32_t number)
{
    Ir *ir = l->ir;
    const FlatEvent *event = &ir->flat->events.items[number];
    const FlatAction *actions = ir->flat->actions.items + event->first_action;
    Slice s = begin_slice(l, IR_EVENT, "event");
    s.program->alias = ir->no_alias;
    s.program->keeps = s.program->in_sequence = true;
    for (uint32_t k = 0; k < event->n_actions; k++) need(&s, actions[k].value);
    for (uint32_t b = 0; b < s.program->system->n_blocks; b++)
        if (s.needed[b]) vec_push(&l->work, &s.statements, lower_block(s.program->system, b));
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const uint32_t state = ir->layout.state_of[actions[k].target];
        if (state != FLAT_NONE) add(&s, IR_OUT, state, actions[k].value);
        else add(&s, IR_KEEP, actions[k].target, actions[k].value);
    }
    end_slice(&s);
    ir->events[number] = *s.program;
}

static void lower_events(Lower *l)
{
    Ir *ir = l->ir;
    const size_t n_vars = ir->flat->vars.n;
    lower_conditions(l);
    lower_pres(l);
    ir->no_alias = ARENA_ARRAY(ir->arena, Expr, n_vars);
    for (size_t i = 0; i < n_vars; i++) ir->no_alias[i] = EXPR_NONE;
    ir->events = ARENA_ARRAY(ir->arena, IrProgram, ir->flat->events.n);
    for (uint32_t i = 0; i < ir->flat->events.n; i++) lower_event(l, i);
    ir->programs[IR_EVENT] = (IrProgram){ .name = "event", .system = &ir->blocks->dynamic,
                                          .reads = &ir->dynamic_reads, .alias = ir->no_alias };
}

static void lower_jacobian_program(Lower *l)
{
    const Ir *ir = l->ir;
    Slice s = begin_slice(l, IR_JACOBIAN, "jacobian");
    for (uint32_t k = 0; k < ir->n_jacobian; k++) need(&s, ir->jacobian[k].value);
    add_needed_blocks(&s);
    for (uint32_t k = 0; k < ir->n_jacobian; k++) add(&s, IR_OUT, k, ir->jacobian[k].value);
    end_slice(&s);
}

static void lower_noise_program(Lower *l)
{
    const Ir *ir = l->ir;
    Slice s = begin_slice(l, IR_NOISE, "noise");
    for (uint32_t k = 0; k < ir->n_noise; k++) need(&s, ir->noise[k].value);
    add_needed_blocks(&s);
    for (uint32_t k = 0; k < ir->n_noise; k++) add(&s, IR_OUT, k, ir->noise[k].value);
    end_slice(&s);
}

static void lower_residuals(Lower *l)
{
    const Ordered *start = &l->ir->blocks->start;
    Slice s = begin_slice(l, IR_RESIDUALS, "residuals");
    use_start(&s);
    use_values(&s);
    if (start->n_equations > IR_RESIDUALS_MAX || start->n_families > 0) return;
    for (uint32_t i = 0; i < start->n_equations; i++) {
        const FlatEquation *equation = &start->equations[i];
        const Expr residual = expr_binary(&l->ir->flat->pool, EXPR_SUB, equation->lhs, equation->rhs);
        vec_push(&l->work, &s.statements, (IrStatement){ IR_OUT, i, residual, i });
    }
    end_slice(&s);
}

// ---- Layout

static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool check_loops(const Ordered *system, orr_diag *diag)
{
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        const uint32_t rows = ir_matrix_rows(block);
        if (block->kind == BLOCK_ASSIGN || block->kind == BLOCK_FAMILY || rows <= IR_LOOP_MAX) continue;
        diag_report(diag, DIAG_MODEL_TOO_LARGE, system->equations[block->equations[0]].place, (size_t)rows,
                    "unknowns in one algebraic loop", (size_t)IR_LOOP_MAX);
        return false;
    }
    return true;
}

static void lay_out(Ir *ir)
{
    const Blocks *blocks = ir->blocks;
    const uint32_t n_vars = (uint32_t)ir->flat->vars.n;
    IrLayout *layout = &ir->layout;
    layout->n_params = blocks->n_params;
    lower_lay_out_arrays(ir);
    layout->place = ARENA_ARRAY(ir->arena, uint32_t, n_vars);
    layout->guess = ARENA_ARRAY(ir->arena, uint32_t, n_vars);
    layout->state_of = ARENA_ARRAY(ir->arena, uint32_t, n_vars);
    for (uint32_t i = 0; i < n_vars; i++) {
        layout->place[i] = layout->first_var + i;
        layout->guess[i] = layout->state_of[i] = FLAT_NONE;
    }
    for (uint32_t i = 0; i < blocks->n_params; i++) layout->place[blocks->params[i]] = i;
    lower_number_states(ir);

    const Ordered *systems[] = { &blocks->dynamic, &blocks->start };
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t b = 0; b < systems[k]->n_blocks; b++) {
            const Block *block = &systems[k]->blocks[b];
            if (block->kind != BLOCK_NEWTON) continue;
            for (uint32_t i = 0; i < block->n_torn; i++) {
                uint32_t *guess = &layout->guess[block->unknowns[i]];
                if (*guess == FLAT_NONE) *guess = layout->first_guess + layout->n_guesses++;
            }
        }
    }
}

// How many values of expressions can have to be handed from one function of generated code to another:
// those read twice or more, and those that are cut out because an expression grows too long (one in 16
// nodes at most).
static uint32_t count_shared(Lower *l, const Expr *roots, size_t n, uint32_t *n_nodes)
{
    const ExprPool *pool = &l->ir->flat->pool;
    uint32_t n_shared = 0;
    // a node met again has mark walk + 1: counted
    for (size_t i = 0; i < n; i++) vec_push(&l->work, &l->stack, roots[i]);
    while (l->stack.n) {
        const Expr e = vec_pop(&l->stack);
        const ExprNode *node = expr_node(pool, e);
        const int arity = expr_ops[node->op].arity;
        if (arity == 0) continue;
        if (l->node_mark[e] == l->walk) {
            l->node_mark[e] = l->walk + 1;
            n_shared++;
        } else if (l->node_mark[e] != l->walk + 1) {
            l->node_mark[e] = l->walk;
            ++*n_nodes;
            vec_push(&l->work, &l->stack, node->a);
            if (arity > 1) vec_push(&l->work, &l->stack, node->b);
            if (arity > 2) vec_push(&l->work, &l->stack, node->c);
        }
    }
    return n_shared;
}

static uint32_t program_scratch(Lower *l, const IrProgram *program)
{
    uint32_t n_shared = 0, n_nodes = 0;
    lower_walk(l);
    for (uint32_t i = 0; i < program->n_statements; i++) {
        const Expr value = program->statements[i].value;
        if (value != EXPR_NONE) n_shared += count_shared(l, &value, 1, &n_nodes);
    }
    l->walk++;
    return n_shared + n_nodes / 16 + 1;
}

static uint32_t block_scratch(Lower *l, const Block *block)
{
    uint32_t n_shared = 0, n_nodes = 0;
    lower_walk(l);
    for (uint32_t i = 0; i < block->n_entries; i++)
        n_shared += count_shared(l, &block->entries[i].value, 1, &n_nodes);
    if (block->kind == BLOCK_LINEAR) {
        n_shared += count_shared(l, block->vector, block->n, &n_nodes);
    } else {
        n_shared += count_shared(l, block->inner, block->n - block->n_torn, &n_nodes);
        n_shared += count_shared(l, block->residuals, block->n_torn, &n_nodes);
    }
    l->walk++;
    // and the unknowns computed on the way
    return n_shared + n_nodes / 16 + 1;
}

static void lay_out_scratch(Lower *l)
{
    Ir *ir = l->ir;
    IrLayout *layout = &ir->layout;
    for (size_t i = 0; i < IR_N_PROGRAMS; i++)
        layout->n_scratch = max_u32(layout->n_scratch, program_scratch(l, &ir->programs[i]));
    for (uint32_t i = 0; i < ir->flat->events.n; i++)
        layout->n_scratch = max_u32(layout->n_scratch, program_scratch(l, &ir->events[i]));
    // what single rates share all rates share, unless these were grouped into loops
    const bool may_need_more = ir->one_rate && ir->loops.n > 0;
    for (uint32_t i = 0; may_need_more && i < ir->blocks->n_states; i++)
        layout->n_scratch = max_u32(layout->n_scratch, program_scratch(l, &ir->one_rate[i]));

    const Ordered *systems[] = { &ir->blocks->dynamic, &ir->blocks->start };
    const IrReads *reads[] = { &ir->dynamic_reads, &ir->start_reads };
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t b = 0; b < systems[k]->n_blocks; b++) {
            const Block *block = &systems[k]->blocks[b];
            if (block->kind == BLOCK_ASSIGN || block->kind == BLOCK_FAMILY) continue;
            layout->n_loop_scratch = max_u32(layout->n_loop_scratch, block_scratch(l, block));
            const uint32_t n_read = reads[k]->start[b + 1] - reads[k]->start[b];
            layout->n_work = max_u32(layout->n_work, ir_matrix_size(block) + block->n + n_read);
        }
    }
    layout->first_shadow = layout->first_guess + layout->n_guesses;
    layout->first_inner = layout->first_shadow + layout->n_kept;
    layout->first_scratch = layout->first_inner + layout->n_states + 2 * layout->n_modes;
    layout->first_loop_scratch = layout->first_scratch + layout->n_scratch;
    layout->first_work = layout->first_loop_scratch + layout->n_loop_scratch;
    layout->n_values = layout->first_work + layout->n_work;
}

// ---- All of it

static void group_all(Lower *l, uint32_t group_from)
{
    Ir *ir = l->ir;
    map_init(&l->table_of, &l->work);
    for (size_t i = 0; i < IR_N_PROGRAMS; i++)
        if (i != IR_TERMINAL) lower_group(l, &ir->programs[i], group_from);    // there an order was written
}

bool ir_lower(Ir *ir, Blocks *blocks, Arena *arena, orr_diag *diag)
{
    return ir_lower_grouping(ir, blocks, IR_GROUP_FROM, arena, diag);
}

// Tables are data: the text of the generated code does not depend on what they contain.
static void lay_out_pieces(Ir *ir)
{
    const ExprPool *pool = &ir->flat->pool;
    ir->pieces = ARENA_ARRAY(ir->arena, uint32_t, pool->pieces.n);
    for (size_t i = 0; i < pool->pieces.n; i++) {
        const ExprPieces *table = &pool->pieces.items[i];
        ir->pieces[i] = (uint32_t)ir->numbers.n;
        if (ir->numbers.n + table->n_numbers >= FLAT_NONE) arena_no_memory(ir->numbers.n);
        vec_reserve(ir->arena, &ir->numbers, ir->numbers.n + table->n_numbers);
        memcpy(ir->numbers.items + ir->numbers.n, table->numbers, table->n_numbers * sizeof(double));
        ir->numbers.n += table->n_numbers;
    }
}

bool ir_lower_grouping(Ir *ir, Blocks *blocks, uint32_t group_from, Arena *arena, orr_diag *diag)
{
    // the pool grows: derivatives and residuals are new expressions
    *ir = (Ir){ .arena = arena, .blocks = blocks, .flat = (Flat *)blocks->flat };
    if (!check_loops(&blocks->dynamic, diag) || !check_loops(&blocks->start, diag)) return false;

    Lower l = { .ir = ir };
    l.var_mark = ARENA_ARRAY(&l.work, uint32_t, ir->flat->vars.n);
    l.array_mark = ARENA_ARRAY(&l.work, uint32_t, ir->flat->arrays.n);
    lay_out(ir);
    l.sizes = ARENA_ARRAY(&l.work, uint32_t, blocks->dynamic.n_blocks);
    ir->dynamic_reads = find_reads(&l, &blocks->dynamic, l.sizes);
    ir->start_reads = find_reads(&l, &blocks->start, ARENA_ARRAY(&l.work, uint32_t, blocks->start.n_blocks));
    ir->dynamic_alias = find_aliases(ir, &blocks->dynamic);
    ir->start_alias = find_aliases(ir, &blocks->start);
    find_users(&l);
    if (!lower_noise(&l, diag)) {
        arena_free(&l.work);
        return false;
    }

    if (ir->flat->arrays.n == 0) {
        lower_pattern(&l);
        lower_jacobian(&l);
        lower_in_place(&l);
    }

    lower_params(&l);
    lower_start(&l);
    lower_rates_and_values(&l);
    lower_relations(&l);
    lower_asserts(&l);
    lower_terminal(&l);
    lower_histories(&l);
    lower_choices(&l);
    lower_events(&l);
    lower_jacobian_program(&l);
    lower_noise_program(&l);
    lower_residuals(&l);
    group_all(&l, group_from);
    lay_out_pieces(ir);
    lay_out_scratch(&l);
    arena_free(&l.work);
    assert(ir->flat->pool.nodes.n > VERIFY_MAX || ir_verify(ir));
    return true;
}

const Block *ir_failed_block(const Ir *ir, IrProgramId program, int result, const Ordered **system)
{
    const Ordered *in = ir->programs[program].system;
    uint32_t b = result > 0 ? (uint32_t)(result - 1) : FLAT_NONE;
    // a start that fails after its own system did so while computing the values
    if (program == IR_START && b != FLAT_NONE && b >= in->n_blocks) {
        b -= in->n_blocks;
        in = &ir->blocks->dynamic;
    }
    if (system) *system = in;
    return b < in->n_blocks ? &in->blocks[b] : NULL;
}
