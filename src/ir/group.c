// src/ir/group.c: statements of equal shape become loops, so that code grows with the number of shapes.
//
// Two statements have equal shape if they differ only in which variables, modes and constants stand at the
// leaves of their expressions, and all of those live in the same kinds of memory. Most large models arrive
// as scalars of a few shapes: block diagrams, arrays of components, connections.
//
//     statements ─encode→ shapes ─schedule→ runs ─gather→ loops with index tables
//
// Statements may be executed in any order that computes before it reads. The schedule takes a shape with
// something ready and executes all of it, including what becomes ready on the way, before it goes to
// another shape. A long run is a loop over tables; a stretch of short runs, as a long chain of different
// blocks gives, is one loop around a switch.
#include "ir/lower.h"
#include <assert.h>
#include <string.h>

enum {
    SHAPE_NODES_MAX = 100,    // a loop computes again what larger expressions would share
    SHAPE_MIN = 16,           // statements of a shape that are worth a loop
    RUN_MIN = 8,              // turns of a loop
    STRETCH_MIN = 64,         // turns of a loop around a switch
    CASES_MAX = 500,          // statements in it
};

#define NO_SHAPE UINT32_MAX
#define NO_NODE  UINT32_MAX

typedef struct Shape {
    uint32_t code, n_code;    // part of Group.codes
    uint32_t n_leaves;
    uint32_t count;           // statements
    uint32_t head, tail;      // queue of what is ready
    uint32_t place;           // in the present switch, plus 1
} Shape;

typedef struct Node {         // one statement
    uint32_t shape;
    uint32_t leaves;          // first of its leaves in Group.leaves: index in memory, or place of a constant
    uint32_t needs, n_needs;  // in Group.needs: statements that compute what it reads
    uint32_t pending;         // of them not yet executed
    uint32_t level;
    uint32_t next;            // in the queue
} Node;

typedef struct Entry { uint32_t level, shape; } Entry;    // of the heap

typedef struct Group {
    Lower      *l;
    Arena       work, scratch;
    IrProgram  *program;
    IrStatement *statements;   // [n]
    uint32_t    n;
    Node       *nodes;         // [n]
    uint32_t   *statement_of;  // [n_blocks] that computes a block, NO_NODE if none does
    VEC(Shape)  shapes;
    Index       index;         // hash of an encoding → shape
    Numbers     codes;         // encodings of all shapes
    Numbers     leaves, needs;
    // of the statement being encoded
    uint32_t    current;
    uint32_t   *local;         // [pool] number of a node in it, if its mark is that of the walk
    Numbers     code;
    VEC(Expr)   leaf_nodes;
    struct { Expr e; int next; } path[SHAPE_NODES_MAX + 2];
    // the schedule
    uint32_t   *users_start, *users;
    Numbers     order;
    VEC(Entry)  heap;
    uint32_t    other_head, other_tail;    // ready statements without a shape
} Group;

// ---- Where things are

static IrPlace memory_of(const Group *g, uint32_t variable)
{
    const IrLayout *layout = &g->l->ir->layout;
    const IrProgram *p = g->program;
    const bool is_computed = !p->from_v && p->system->block_of[variable] != FLAT_NONE;
    if (is_computed && !p->keeps) return (IrPlace){ .memory = IR_IN_W, .first = variable };
    if (!is_computed && !p->from_v && layout->state_of[variable] != FLAT_NONE)
        return (IrPlace){ .memory = IR_IN_X, .first = layout->state_of[variable] };
    return (IrPlace){ .memory = IR_IN_V, .first = layout->place[variable] };
}

static IrPlace target_of(const Group *g, const IrStatement *s)
{
    const IrLayout *layout = &g->l->ir->layout;
    switch (s->kind) {
    case IR_OUT: return (IrPlace){ .memory = IR_IN_OUT, .first = s->index };
    case IR_GUESS: return (IrPlace){ .memory = IR_IN_V, .first = layout->guess[s->index] };
    case IR_KEEP: case IR_PARAM: return (IrPlace){ .memory = IR_IN_V, .first = layout->place[s->index] };
    default: return memory_of(g, s->index);
    }
}

// ---- Encoding: the nodes of an expression as a search in depth meets them, operands by their numbers in it

enum { CODE_MEMORY = 1000, CODE_MODE, CODE_NUMBER };    // besides the operations

static void put(Group *g, uint32_t word) { vec_push(&g->work, &g->code, word); }

static void put_leaf(Group *g, Expr e, uint32_t code, uint32_t index)
{
    put(g, code);
    vec_push(&g->work, &g->leaf_nodes, e);
    vec_push(&g->work, &g->leaves, index);
}

static Expr through_alias(const Group *g, Expr e)
{
    const ExprPool *pool = &g->l->ir->flat->pool;
    if (!g->program->alias || expr_op(pool, e) != EXPR_VAR) return e;
    const Expr leaf = g->program->alias[expr_node(pool, e)->index];
    return leaf == EXPR_NONE ? e : leaf;
}

// What computes some of an array before this statement must go on doing so; other families of the same array
// may come later.
static void need_array(Group *g, uint32_t array)
{
    const Ordered *system = g->program->system;
    if (g->program->from_v) return;
    for (uint32_t k = system->array_first[array]; k < system->array_first[array + 1]; k++) {
        const uint32_t statement = g->statement_of[system->array_blocks[k]];
        if (statement != NO_NODE && statement < g->current) vec_push(&g->work, &g->needs, statement);
    }
}

static void encode_leaf(Group *g, Expr e)
{
    const ExprPool *pool = &g->l->ir->flat->pool;
    const ExprNode *node = expr_node(pool, e);
    switch (node->op) {
    case EXPR_VAR: {
        const IrPlace place = memory_of(g, node->index);
        put_leaf(g, e, CODE_MEMORY + 10 * (uint32_t)place.memory, place.first);
        const uint32_t b = g->program->from_v ? FLAT_NONE : g->program->system->block_of[node->index];
        if (b != FLAT_NONE && g->statement_of[b] != NO_NODE)
            vec_push(&g->work, &g->needs, g->statement_of[b]);
        return;
    }
    case EXPR_ELEM: {
        const ExprAccess *access = expr_access(pool, e);
        const IrPlace place = ir_element_place(g->l->ir, g->program, access);
        put_leaf(g, e, CODE_MEMORY + 10 * (uint32_t)place.memory, place.first);
        need_array(g, access->array);
        return;
    }
    case EXPR_MODE: put_leaf(g, e, CODE_MODE, g->l->ir->layout.first_mode + node->index); return;
    case EXPR_CONST:
        if (!expr_is_bool(pool, e)) {
            put_leaf(g, e, CODE_NUMBER, node->index);
            return;
        }
        break;
    default: break;
    }
    put(g, node->op);
    put(g, node->op == EXPR_CONST ? e : 0);
}

// What an operation is besides its operands: the table of a LOOKUP, the exponent of a power.
static void encode_operation(Group *g, Expr e)
{
    const ExprPool *pool = &g->l->ir->flat->pool;
    const ExprNode *node = expr_node(pool, e);
    const bool is_power = node->op == EXPR_POW && expr_is_const(pool, node->b, NULL);
    const int arity = is_power ? 1 : expr_ops[node->op].arity;
    put(g, node->op);
    for (int k = 0; k < arity; k++) put(g, g->local[through_alias(g, expr_operand(pool, e, k))]);
    if (is_power || node->op == EXPR_LOOKUP || node->op == EXPR_SLOPE || node->op == EXPR_DELAY)
        put(g, node->b);
    if (node->op == EXPR_PIECES) put(g, node->b);
    if (node->op == EXPR_NEAR || node->op == EXPR_GRID || node->op == EXPR_DRAW) put(g, node->c);
}

// Visit all nodes below `root`; false if there are too many.
static bool encode_expression(Group *g, Expr root)
{
    Lower *l = g->l;
    const ExprPool *pool = &l->ir->flat->pool;
    uint32_t depth = 0, n = 0;
    lower_walk(l);
    g->path[depth].e = through_alias(g, root);
    g->path[depth++].next = 0;
    while (depth) {
        const Expr e = g->path[depth - 1].e;
        const ExprNode *node = expr_node(pool, e);
        // a constant exponent belongs to the operation
        const bool is_known_power = node->op == EXPR_POW && expr_is_const(pool, node->b, NULL);
        const int arity = is_known_power ? 1 : expr_ops[node->op].arity;
        if (l->node_mark[e] == l->walk) {
            depth--;
        } else if (g->path[depth - 1].next < arity) {
            const Expr operand = through_alias(g, expr_operand(pool, e, g->path[depth - 1].next++));
            if (l->node_mark[operand] == l->walk) continue;
            if (depth > SHAPE_NODES_MAX) return false;
            g->path[depth].e = operand;
            g->path[depth++].next = 0;
        } else {
            if (n == SHAPE_NODES_MAX) return false;
            if (arity) encode_operation(g, e);
            else encode_leaf(g, e);
            l->node_mark[e] = l->walk;
            g->local[e] = n++;
            depth--;
        }
    }
    return true;
}

static bool encode(Group *g, const IrStatement *s)
{
    g->code.n = g->leaf_nodes.n = 0;
    if (s->value == EXPR_NONE) return false;
    if (s->kind != IR_LOCAL && s->kind != IR_KEEP && s->kind != IR_OUT && s->kind != IR_PARAM &&
        s->kind != IR_GUESS)
        return false;
    put(g, s->kind);
    put(g, target_of(g, s).memory);
    return encode_expression(g, s->value);
}

// ---- Outlines: what shapes have in common at least, found much faster than they are

static void find_outlines(Lower *l)
{
    const ExprPool *pool = &l->ir->flat->pool;
    const size_t n = pool->nodes.n;
    if (n <= l->n_outlines) return;
    l->outline = arena_grow(&l->work, l->outline, l->n_outlines, n, sizeof *l->outline);
    for (size_t e = l->n_outlines; e < n; e++) {    // operands stand before their operations
        const ExprNode *node = expr_node(pool, (Expr)e);
        const int arity = expr_ops[node->op].arity;
        uint64_t hash = arity ? node->op : 0;
        if (arity > 0) hash = hash * 0x9e3779b97f4a7c15u + l->outline[node->a];
        if (arity > 1) hash = hash * 0x9e3779b97f4a7c15u + l->outline[node->b];
        if (arity > 2) hash = hash * 0x9e3779b97f4a7c15u + l->outline[node->c];
        l->outline[e] = (uint32_t)(hash_mix(hash) >> 32);
    }
    l->n_outlines = n;
}

// Mark the statements whose outline is too rare for any shape of it to be worth a loop. If such outlines are
// few, shapes of a few statements may still be cases of one loop: then none are marked. How many statements
// have outlines that are not rare.
static size_t find_rare(Group *g, bool *is_rare)
{
    find_outlines(g->l);
    Map count;
    map_init(&count, &g->scratch);
    for (uint32_t i = 0; i < g->n; i++)
        if (g->statements[i].value != EXPR_NONE) ++*map_at(&count, g->l->outline[g->statements[i].value]);
    size_t n_rare = 0, n_others = 0;
    for (size_t k = 0; k < count.n; k++) {
        if (count.entries[k].value < SHAPE_MIN) n_rare++;
        else n_others += count.entries[k].value;
    }
    for (uint32_t i = 0; n_rare > CASES_MAX && i < g->n; i++)
        if (g->statements[i].value != EXPR_NONE)
            is_rare[i] = *map_find(&count, g->l->outline[g->statements[i].value]) < SHAPE_MIN;
    return n_others;
}

static uint32_t find_shape(Group *g)
{
    const uint64_t hash = hash_bytes(g->code.items, g->code.n * sizeof *g->code.items);
    IndexProbe probe = index_probe(&g->index, hash);
    for (uint32_t id; index_next(&g->index, &probe, &id);) {
        const Shape *known = &g->shapes.items[id];
        if (known->n_code == g->code.n &&
            memcmp(g->codes.items + known->code, g->code.items, g->code.n * sizeof *g->code.items) == 0)
            return id;
    }
    const uint32_t id = (uint32_t)g->shapes.n;
    const Shape shape = { .code = (uint32_t)g->codes.n, .n_code = (uint32_t)g->code.n,
                          .n_leaves = (uint32_t)g->leaf_nodes.n, .head = NO_NODE, .tail = NO_NODE };
    vec_push(&g->work, &g->shapes, shape);
    vec_reserve(&g->work, &g->codes, g->codes.n + g->code.n);
    memcpy(g->codes.items + g->codes.n, g->code.items, g->code.n * sizeof *g->code.items);
    g->codes.n += g->code.n;
    index_add(&g->index, hash, id);
    return id;
}

static void need_variable(Group *g, uint32_t variable)
{
    variable = lower_resolve(g->l->ir, g->program->alias, variable);
    if (variable == FLAT_NONE || g->program->from_v) return;
    const uint32_t b = g->program->system->block_of[variable];
    if (b != FLAT_NONE && g->statement_of[b] != NO_NODE) vec_push(&g->work, &g->needs, g->statement_of[b]);
}

static void need_block(Group *g, uint32_t b)
{
    const IrReads *reads = g->program->reads;
    for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) need_variable(g, reads->var[k]);
    for (uint32_t k = reads->array_start[b]; k < reads->array_start[b + 1]; k++)
        need_array(g, reads->array[k]);
}

static void encode_node(Group *g, uint32_t i, bool is_rare)
{
    const IrStatement *s = &g->statements[i];
    Node *node = &g->nodes[i];
    g->current = i;
    *node = (Node){
        .shape = NO_SHAPE, .leaves = (uint32_t)g->leaves.n, .needs = (uint32_t)g->needs.n, .next = NO_NODE
    };
    if (!is_rare && encode(g, s)) {
        node->shape = find_shape(g);
        g->shapes.items[node->shape].count++;
    } else {
        g->leaves.n = node->leaves;
        g->needs.n = node->needs;
        if (s->kind == IR_SOLVE) {
            need_block(g, s->index);
        } else if (s->kind == IR_LOCAL) {
            need_block(g, g->program->system->block_of[s->index]);
        } else if (s->value != EXPR_NONE || s->kind == IR_LOOP) {
            const Expr value = s->kind == IR_LOOP ? g->l->ir->loops.items[s->index].body[0].statement.value
                                                  : s->value;
            Numbers variables = { 0 };
            lower_walk(g->l);
            lower_collect(g->l, value, &variables);
            for (size_t k = 0; k < variables.n; k++) need_variable(g, variables.items[k]);
            for (size_t k = 0; k < g->l->arrays.n; k++) need_array(g, g->l->arrays.items[k]);
        }
    }
    node->n_needs = (uint32_t)g->needs.n - node->needs;
}

// ---- Rates that nobody else reads go straight to where they are wanted

static void find_statements(Group *g)
{
    const uint32_t n_blocks = g->program->system->n_blocks;
    for (uint32_t b = 0; b < n_blocks; b++) g->statement_of[b] = NO_NODE;
    for (uint32_t i = 0; i < g->n; i++) {
        const IrStatement *s = &g->statements[i];
        if (s->kind == IR_SOLVE) g->statement_of[s->index] = i;
        else if (s->kind == IR_LOCAL) g->statement_of[g->program->system->block_of[s->index]] = i;
        else if (s->kind == IR_LOOP && g->l->ir->loops.items[s->index].block != FLAT_NONE)
            g->statement_of[g->l->ir->loops.items[s->index].block] = i;
    }
}

// Whoever is read once, by a result, is that result.
static void join_results(Group *g)
{
    const Ir *ir = g->l->ir;
    const IrProgram *p = g->program;
    const ExprPool *pool = &ir->flat->pool;
    if (p->keeps || p->from_v) return;
    uint32_t *uses = ARENA_ARRAY(&g->work, uint32_t, ir->flat->vars.n);
    Numbers variables = { 0 };
    for (uint32_t i = 0; i < g->n; i++) {
        const IrStatement *s = &g->statements[i];
        variables.n = 0;
        if (s->kind == IR_LOCAL || s->kind == IR_SOLVE) {
            const uint32_t b = s->kind == IR_SOLVE ? s->index : p->system->block_of[s->index];
            for (uint32_t k = p->reads->start[b]; k < p->reads->start[b + 1]; k++)
                vec_push(&g->work, &variables, p->reads->var[k]);
        } else if (s->value != EXPR_NONE || s->kind == IR_LOOP) {
            const Expr value = s->kind == IR_LOOP ? ir->loops.items[s->index].body[0].statement.value
                                                  : s->value;
            lower_walk(g->l);
            lower_collect(g->l, value, &variables);
        }
        for (size_t k = 0; k < variables.n; k++) {
            const uint32_t variable = lower_resolve(ir, p->alias, variables.items[k]);
            if (variable != FLAT_NONE) uses[variable]++;
        }
    }
    bool *is_joined = ARENA_ARRAY(&g->work, bool, g->n);
    for (uint32_t i = 0; i < g->n; i++) {
        IrStatement *s = &g->statements[i];
        if (s->kind != IR_OUT) continue;
        const Expr leaf = through_alias(g, s->value);
        if (expr_op(pool, leaf) != EXPR_VAR) continue;
        const uint32_t variable = expr_node(pool, leaf)->index, b = p->system->block_of[variable];
        if (b == FLAT_NONE || uses[variable] != 1 || g->statement_of[b] == NO_NODE) continue;
        const IrStatement *from = &g->statements[g->statement_of[b]];
        if (from->kind != IR_LOCAL) continue;
        s->value = from->value;
        s->equation = from->equation;
        is_joined[g->statement_of[b]] = true;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        if (!is_joined[i]) g->statements[n++] = g->statements[i];
    g->n = n;
    find_statements(g);
}

// ---- The schedule

static void push_heap(Group *g, Entry entry)
{
    vec_push(&g->work, &g->heap, entry);
    Entry *h = g->heap.items;
    for (size_t i = g->heap.n - 1; i > 0 && h[i].level < h[(i - 1) / 2].level; i = (i - 1) / 2) {
        const Entry swap = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = swap;
    }
}

static Entry pop_heap(Group *g)
{
    Entry *h = g->heap.items;
    const Entry top = h[0];
    h[0] = vec_pop(&g->heap);
    const size_t n = g->heap.n;
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
            if (h[k].level < h[least].level) least = k;
        if (least == i) return top;
        const Entry swap = h[i];
        h[i] = h[least];
        h[least] = swap;
        i = least;
    }
}

static bool is_worth(const Group *g, uint32_t shape)
{
    return shape != NO_SHAPE && g->shapes.items[shape].count >= SHAPE_MIN;
}

static void append(Group *g, uint32_t *head, uint32_t *tail, uint32_t node)
{
    if (*head == NO_NODE) *head = node;
    else g->nodes[*tail].next = node;
    *tail = node;
}

static void make_ready(Group *g, uint32_t node)
{
    const uint32_t shape = g->nodes[node].shape;
    if (!is_worth(g, shape)) {
        append(g, &g->other_head, &g->other_tail, node);
        return;
    }
    Shape *s = &g->shapes.items[shape];
    // a shape that is being executed has an empty queue now and then: it is not in the heap, and need not be
    if (s->head == NO_NODE && s->place == 0) {
        push_heap(g, (Entry){ g->nodes[node].level, shape });
        s->place = 1;
    }
    append(g, &s->head, &s->tail, node);
}

static void execute(Group *g, uint32_t node)
{
    vec_push(&g->work, &g->order, node);
    for (uint32_t k = g->users_start[node]; k < g->users_start[node + 1]; k++) {
        Node *user = &g->nodes[g->users[k]];
        if (user->level <= g->nodes[node].level) user->level = g->nodes[node].level + 1;
        if (--user->pending == 0) make_ready(g, g->users[k]);
    }
}

static uint32_t take(Group *g, uint32_t *head)
{
    const uint32_t node = *head;
    *head = g->nodes[node].next;
    return node;
}

static void schedule(Group *g)
{
    Arena *work = &g->work;
    const uint32_t n = g->n;
    g->users_start = ARENA_ARRAY(work, uint32_t, (size_t)n + 2);
    for (uint32_t i = 0; i < n; i++) {
        g->nodes[i].pending = g->nodes[i].n_needs;
        for (uint32_t k = 0; k < g->nodes[i].n_needs; k++)
            g->users_start[g->needs.items[g->nodes[i].needs + k] + 2]++;
    }
    for (uint32_t i = 2; i < n + 2; i++) g->users_start[i] += g->users_start[i - 1];
    g->users = ARENA_ARRAY(work, uint32_t, g->users_start[n + 1]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_needs; k++)
            g->users[g->users_start[g->needs.items[g->nodes[i].needs + k] + 1]++] = i;

    g->order.n = 0;
    vec_reserve(work, &g->order, n);
    g->other_head = g->other_tail = NO_NODE;
    for (uint32_t i = 0; i < n; i++)
        if (g->nodes[i].pending == 0) make_ready(g, i);
    for (;;) {
        if (g->other_head != NO_NODE) {
            execute(g, take(g, &g->other_head));
        } else if (g->heap.n) {
            const uint32_t shape = pop_heap(g).shape;
            while (g->shapes.items[shape].head != NO_NODE) execute(g, take(g, &g->shapes.items[shape].head));
            g->shapes.items[shape].place = 0;
        } else {
            break;
        }
    }
    assert(g->order.n == n);    // a program computes before it reads
}

static void keep_order(Group *g)
{
    g->order.n = 0;
    for (uint32_t i = 0; i < g->n; i++) vec_push(&g->work, &g->order, i);
}

// ---- Loops

// Words that are in Ir.tables already are not stored again: programs share most of theirs.
static uint32_t store_table(Group *g, const uint32_t *items, uint32_t n)
{
    Ir *ir = g->l->ir;
    const uint64_t hash = hash_bytes(items, n * sizeof *items);
    uint32_t *known = map_at(&g->l->table_of, hash);    // place + 1
    if (*known && *known - 1 + (size_t)n <= ir->tables.n &&
        memcmp(ir->tables.items + *known - 1, items, n * sizeof *items) == 0) return *known - 1;
    const size_t place = ir->tables.n;
    if (place + n >= FLAT_NONE) arena_no_memory(place);
    vec_reserve(ir->arena, &ir->tables, place + n);
    memcpy(ir->tables.items + place, items, n * sizeof *items);
    ir->tables.n += n;
    *known = (uint32_t)place + 1;
    return (uint32_t)place;
}

static bool is_arithmetic(const uint32_t *items, uint32_t n, int32_t *stride)
{
    const int64_t step = n > 1 ? (int64_t)items[1] - items[0] : 0;
    if (step > INT32_MAX || step < -INT32_MAX) return false;
    for (uint32_t i = 2; i < n; i++)
        if ((int64_t)items[i] - items[i - 1] != step) return false;
    *stride = (int32_t)step;
    return true;
}

static IrPlace make_place(Group *g, IrMemory memory, const uint32_t *items, uint32_t n)
{
    IrPlace place = { .leaf = EXPR_NONE, .memory = memory, .first = items[0], .table = FLAT_NONE };
    if (!is_arithmetic(items, n, &place.stride[0])) place.table = store_table(g, items, n);
    return place;
}

static IrPlace make_numbers(Group *g, const uint32_t *constants, uint32_t n)
{
    Ir *ir = g->l->ir;
    IrPlace place = { .leaf = EXPR_NONE,
                      .memory = IR_IN_NUMBERS,
                      .first = (uint32_t)ir->numbers.n,
                      .stride = { 1 },
                      .table = FLAT_NONE };
    if (ir->numbers.n + n >= FLAT_NONE) arena_no_memory(ir->numbers.n);
    for (uint32_t i = 0; i < n; i++)
        vec_push(ir->arena, &ir->numbers, ir->flat->pool.constants.items[constants[i]]);
    return place;
}

static IrMemory leaf_memory(const Group *g, Expr leaf)
{
    const ExprPool *pool = &g->l->ir->flat->pool;
    switch (expr_op(pool, leaf)) {
    case EXPR_MODE: return IR_IN_V;
    case EXPR_ELEM: return ir_element_place(g->l->ir, g->program, expr_access(pool, leaf)).memory;
    default: return memory_of(g, expr_node(pool, leaf)->index).memory;
    }
}

// The statements nodes[0..n), all of one shape, as the body of a loop.
static IrBody make_body(Group *g, const uint32_t *nodes, uint32_t n)
{
    Ir *ir = g->l->ir;
    const uint32_t n_leaves = g->shapes.items[g->nodes[nodes[0]].shape].n_leaves;
    IrBody body = { .statement = g->statements[nodes[0]], .n = n };
    const ArenaMark mark = arena_mark(&g->scratch);
    uint32_t *items = ARENA_ARRAY(&g->scratch, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) items[i] = target_of(g, &g->statements[nodes[i]]).first;
    body.target = make_place(g, target_of(g, &body.statement).memory, items, n);

    // the leaves of the first turn once more, for their nodes
    const size_t n_before = g->leaves.n, needs_before = g->needs.n;
    encode(g, &body.statement);
    g->leaves.n = n_before;
    g->needs.n = needs_before;
    body.moving = ARENA_ARRAY(ir->arena, IrPlace, n_leaves);
    for (uint32_t k = 0; k < n_leaves; k++) {
        bool is_same = true;
        for (uint32_t i = 0; i < n; i++) {
            items[i] = g->leaves.items[g->nodes[nodes[i]].leaves + k];
            is_same = is_same && items[i] == items[0];
        }
        if (is_same) continue;
        const ExprNode *leaf = expr_node(&ir->flat->pool, g->leaf_nodes.items[k]);
        IrPlace *place = &body.moving[body.n_moving++];
        if (leaf->op == EXPR_CONST) *place = make_numbers(g, items, n);
        else *place = make_place(g, leaf_memory(g, g->leaf_nodes.items[k]), items, n);
        place->leaf = g->leaf_nodes.items[k];
    }
    arena_release(&g->scratch, mark);
    return body;
}

static void add_loop(Group *g, Statements *out, IrLoop loop)
{
    Ir *ir = g->l->ir;
    vec_push(&g->work, out, (IrStatement){ IR_LOOP, (uint32_t)ir->loops.n, EXPR_NONE, FLAT_NONE });
    vec_push(ir->arena, &ir->loops, loop);
}

static void add_run(Group *g, Statements *out, const uint32_t *nodes, uint32_t n)
{
    IrLoop loop = { .n_nested = 1, .count = { n }, .body = ARENA_NEW(g->l->ir->arena, IrBody), .n_body = 1,
                    .codes = FLAT_NONE };
    loop.body[0] = make_body(g, nodes, n);
    add_loop(g, out, loop);
}

// Short runs of several shapes: which statement each turn executes is told by a table.
static void add_stretch(Group *g, Statements *out, const uint32_t *nodes, uint32_t n)
{
    uint32_t n_cases = 0;
    for (uint32_t i = 0; i < n; i++) {
        Shape *shape = &g->shapes.items[g->nodes[nodes[i]].shape];
        if (shape->place == 0) shape->place = ++n_cases;
    }
    const bool is_worthwhile = n >= STRETCH_MIN && n_cases <= CASES_MAX && n_cases <= n / 4;
    if (is_worthwhile) {
        Arena *work = &g->work;
        uint32_t *codes = ARENA_ARRAY(work, uint32_t, n), *sorted = ARENA_ARRAY(work, uint32_t, n);
        uint32_t *start = ARENA_ARRAY(work, uint32_t, (size_t)n_cases + 2);
        for (uint32_t i = 0; i < n; i++) {
            codes[i] = g->shapes.items[g->nodes[nodes[i]].shape].place - 1;
            start[codes[i] + 2]++;
        }
        for (uint32_t k = 2; k < n_cases + 2; k++) start[k] += start[k - 1];
        for (uint32_t i = 0; i < n; i++) sorted[start[codes[i] + 1]++] = nodes[i];
        IrLoop loop = { .n_nested = 1, .count = { n }, .body = ARENA_ARRAY(g->l->ir->arena, IrBody, n_cases),
                        .n_body = n_cases };
        loop.codes = store_table(g, codes, n);
        for (uint32_t k = 0; k < n_cases; k++)
            loop.body[k] = make_body(g, sorted + start[k], start[k + 1] - start[k]);
        add_loop(g, out, loop);
    }
    for (uint32_t i = 0; i < n; i++) {
        g->shapes.items[g->nodes[nodes[i]].shape].place = 0;
        if (!is_worthwhile) vec_push(&g->work, out, g->statements[nodes[i]]);
    }
}

static void make_loops(Group *g, Statements *out)
{
    const uint32_t *order = g->order.items;
    uint32_t stretch = 0;    // from here on: short runs
    for (uint32_t i = 0, end; i < g->n; i = end) {
        const uint32_t shape = g->nodes[order[i]].shape;
        for (end = i + 1; end < g->n && g->nodes[order[end]].shape == shape; end++) {}
        const bool is_long = is_worth(g, shape) && end - i >= RUN_MIN;
        if (shape != NO_SHAPE && !is_long) continue;
        if (i > stretch) add_stretch(g, out, order + stretch, i - stretch);
        stretch = end;
        if (is_long) add_run(g, out, order + i, end - i);
        else
            for (uint32_t k = i; k < end; k++) vec_push(&g->work, out, g->statements[order[k]]);
    }
    if (g->n > stretch) add_stretch(g, out, order + stretch, g->n - stretch);
}

// ---- All of it

// How many statements at the beginning may be put in another order.
static uint32_t count_free(const IrProgram *program)
{
    uint32_t n = 0;
    while (n < program->n_statements) {
        const IrKind kind = program->statements[n].kind;
        if (kind == IR_GUESS && program->statements[n].value == EXPR_NONE) break;
        if (kind == IR_CALL || kind == IR_RERUN) break;
        n++;
    }
    return n;
}

void lower_group(Lower *l, IrProgram *program, uint32_t group_from)
{
    Ir *ir = l->ir;
    const uint32_t n = count_free(program);
    if (n < group_from) return;
    Group g = { .l = l, .program = program, .n = n };
    g.statements = ARENA_ARRAY(&g.work, IrStatement, n);
    memcpy(g.statements, program->statements, n * sizeof *g.statements);
    g.statement_of = ARENA_ARRAY(&g.work, uint32_t, program->system->n_blocks);
    find_statements(&g);
    join_results(&g);

    lower_walk(l);
    g.local = ARENA_ARRAY(&g.work, uint32_t, l->n_node_marks);
    g.nodes = ARENA_ARRAY(&g.work, Node, g.n);
    index_init(&g.index, &g.work);
    bool *is_rare = ARENA_ARRAY(&g.work, bool, g.n);
    const bool may_be_worth = find_rare(&g, is_rare) >= group_from;
    for (uint32_t i = 0; may_be_worth && i < g.n; i++) encode_node(&g, i, is_rare[i]);
    size_t n_worth = 0;
    for (size_t k = 0; k < g.shapes.n; k++)
        if (is_worth(&g, (uint32_t)k)) n_worth += g.shapes.items[k].count;
    if (n_worth >= group_from) {
        if (program->in_sequence) keep_order(&g);
        else schedule(&g);
        Statements out = { 0 };
        make_loops(&g, &out);
        const uint32_t rest = program->n_statements - n;
        IrStatement *statements = ARENA_ARRAY(ir->arena, IrStatement, out.n + rest);
        memcpy(statements, out.items, out.n * sizeof *statements);
        if (rest) memcpy(statements + out.n, program->statements + n, rest * sizeof *statements);
        program->statements = statements;
        program->n_statements = (uint32_t)out.n + rest;
    }
    arena_free(&g.work);
    arena_free(&g.scratch);
}
