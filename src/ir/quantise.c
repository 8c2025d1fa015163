// src/ir/quantise.c: rates, shared variables and zero functions as terms, grouped by shape; their
// dependencies.
//
//     blocks ─encode each term→ records (its shape), leaves ─equal records→ shapes, rows ─readers→ lists
//
// Encoding walks the expression of a term, children first, through the algebraic variables that are part of
// it. The record of a node is its operation and the numbers of its operands in that walk, so equal records
// mean equal shape; leaves are numbered as slots in the order in which they are met.
#include "ir/quantise.h"
#include "base/map.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_MAX = 12,          // nodes of an algebraic variable that is repeated in every term that reads it
    TERM_MAX = 2000,        // nodes of a term, beyond which parts become shared variables
    TERM_LIMIT = 200000,    // where that was of no help
    MEMORY_FIRST = 64,
    ALIKE = 64,
    LISTS_MAX = 1 << 26,    // dependencies
};

// An expression as it is met in a turn of the loops around it.
typedef struct Met {
    Expr e;
    uint32_t context;    // 0: outside of loops
} Met;

typedef struct Frame {
    Met met;
    int next;    // operand to be visited next
} Frame;

// A turn of a family.
typedef struct Context {
    uint32_t family;
    uint32_t turn;    // counted through all its loops, the innermost fastest
    uint32_t at[EXPR_LOOPS_MAX];
} Context;

// What was met in the present walk, and its number there: a hash table that forgets by counting up.
typedef struct Memory {
    uint64_t *keys;
    uint32_t *walks, *numbers;    // [capacity]
    size_t capacity, n;           // a power of two; used by this walk
} Memory;

// What a term is for. Terms that read their arguments elsewhere are different shapes.
enum { TERM_RATE, TERM_SHARED, TERM_RELATION };
enum { TRUTH = 100 };    // a leaf that is the constant true or false, beside the kinds of slots

typedef struct Shape {    // while terms are being met
    uint32_t kind, own;
    uint32_t first_record, n_records;
    uint32_t first_leaf;    // those of its first term
    uint32_t n_slots;
    uint32_t n_terms;
    bool *moves;    // [n_slots]
} Shape;

typedef struct Work {
    const Ir *ir;
    const ExprPool *pool;    // of the model
    IrQuantised *q;
    Arena arena;    // ends with the work
    IrObstacle *obstacle;
    bool failed;
    uint32_t *shared;          // [n_vars] number of a shared variable, FLAT_NONE: it is none
    uint32_t *shared_block;    // [n_shared]
    // of elements of arrays that families compute, by their number through all arrays
    uint32_t *family_of;    // [n_elements] FLAT_NONE: none
    uint32_t *turn_of;      // [n_elements]
    uint32_t *stamp;        // [n_nodes] count_nodes that met the node
    uint32_t count;
    // the walk of the present term
    Memory memory;
    uint32_t walk, n_met;
    VEC(Context) contexts;    // [0] stands for none
    bool inlines_all;
    VEC(Frame) frames;
    uint32_t own_state, own;    // the state whose rate it is, and its slot
    size_t n_leaves_before;
    VEC(ExprNode) records;    // of all shapes so far, and of the present term behind them
    VEC(uint32_t) leaves;     // of all terms: index of each slot
    VEC(Shape) shapes;
    Index by_records;
    uint32_t *first_leaf;    // [n_terms] its leaves
    VEC(double) numbers;
    Map number_of;    // bits → index
} Work;

static const Ordered *dynamic(const Work *w) { return &w->ir->blocks->dynamic; }

// ---- Which algebraic variables are shared

static void count_reads(const Work *w, uint32_t *n_readers)
{
    const IrReads *reads = &w->ir->dynamic_reads;
    for (uint32_t b = 0; b < dynamic(w)->n_blocks; b++) {
        const uint32_t n = dynamic(w)->blocks[b].kind == BLOCK_FAMILY ? 2 : 1;    // many turns
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++) n_readers[reads->var[k]] += n;
    }
}

// Nodes below an expression, shared ones once.
static uint32_t count_nodes(Work *w, Expr root)
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

static void choose_shared(Work *w)
{
    const Ordered *system = dynamic(w);
    const IrReads *reads = &w->ir->dynamic_reads;
    const size_t n_vars = w->ir->flat->vars.n;
    uint32_t *n_readers = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    uint32_t *size = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    count_reads(w, n_readers);
    w->shared = ARENA_ARRAY(&w->arena, uint32_t, n_vars);
    w->shared_block = ARENA_ARRAY(&w->arena, uint32_t, system->n_blocks);
    for (size_t i = 0; i < n_vars; i++) w->shared[i] = FLAT_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        if (block->kind != BLOCK_ASSIGN) continue;
        uint32_t n = count_nodes(w, block->value);
        for (uint32_t k = reads->start[b]; k < reads->start[b + 1]; k++)
            if (w->shared[reads->var[k]] == FLAT_NONE) n += size[reads->var[k]];
        const uint32_t variable = block->unknowns[0];
        size[variable] = n;
        if ((n <= PART_MAX || n_readers[variable] < 2) && n <= TERM_MAX) continue;
        w->shared_block[w->q->n_shared] = b;
        w->shared[variable] = w->q->n_shared++;
    }
}

// ---- Encoding

static uint32_t number_index(Work *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t *known = map_find(&w->number_of, bits);
    if (known) return *known;
    map_put(&w->number_of, bits, (uint32_t)w->numbers.n);
    vec_push(&w->arena, &w->numbers, value);
    return (uint32_t)w->numbers.n - 1;
}

// ---- Families

static uint32_t count_turns(const FlatFamily *family)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < family->loops.n; k++) n *= family->loops.count[k];
    return n;
}

static Context context_of(const FlatFamily *family, uint32_t number, uint32_t turn)
{
    Context context = { .family = number, .turn = turn };
    for (uint32_t k = family->loops.n; k-- > 0;) {
        context.at[k] = turn % family->loops.count[k];
        turn /= family->loops.count[k];
    }
    return context;
}

static uint32_t element_of(const ExprAccess *access, const Context *context)
{
    int64_t element = access->offset;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) element += (int64_t)access->stride[k] * context->at[k];
    return (uint32_t)element;
}

static void find_families(Work *w)
{
    const Ordered *system = dynamic(w);
    const Flat *flat = w->ir->flat;
    w->family_of = ARENA_ARRAY(&w->arena, uint32_t, flat->n_elements);
    w->turn_of = ARENA_ARRAY(&w->arena, uint32_t, flat->n_elements);
    for (uint32_t i = 0; i < flat->n_elements; i++) w->family_of[i] = FLAT_NONE;
    for (uint32_t f = 0; f < system->n_families; f++) {
        const FlatFamily *family = &system->families[f];
        const ExprAccess *access = expr_access(w->pool, family->lhs);
        const uint32_t first = flat->arrays.items[access->array].first, n = count_turns(family);
        for (uint32_t turn = 0; turn < n; turn++) {
            const Context context = context_of(family, f, turn);
            const uint32_t element = first + element_of(access, &context);
            w->family_of[element] = f;
            w->turn_of[element] = turn;
        }
    }
}

// ---- Walking

static uint32_t enter_context(Work *w, uint32_t family, uint32_t turn)
{
    // those of a term are few, and the latest are met most
    for (size_t i = w->contexts.n; i-- > 1;)
        if (w->contexts.items[i].family == family && w->contexts.items[i].turn == turn) return (uint32_t)i;
    vec_push(&w->arena, &w->contexts, context_of(&dynamic(w)->families[family], family, turn));
    return (uint32_t)w->contexts.n - 1;
}

static const Context *context(const Work *w, uint32_t i) { return &w->contexts.items[i]; }

// The number of a state that an element of an array is, or FLAT_NONE.
static uint32_t element_state(const Work *w, uint32_t array, uint32_t element)
{
    const IrLayout *layout = &w->ir->layout;
    const uint32_t first = layout->array_state[array];
    return first == FLAT_NONE ? FLAT_NONE : first + element * layout->array_step[array];
}

// What a leaf stands for: itself, or the expression that computes it where that is part of the term.
static Met through(Work *w, Met met)
{
    const Ordered *system = dynamic(w);
    for (int passed = 0; !w->failed; passed++) {
        const ExprOp op = expr_op(w->pool, met.e);
        if (op == EXPR_VAR) {
            const uint32_t variable = expr_node(w->pool, met.e)->index, b = system->block_of[variable];
            if (w->ir->layout.state_of[variable] != FLAT_NONE || b == FLAT_NONE) break;
            if (system->blocks[b].kind != BLOCK_ASSIGN) {
                w->obstacle->loop = &system->blocks[b];
                w->failed = true;
                break;
            }
            if (w->shared[variable] != FLAT_NONE && !w->inlines_all) break;
            met = (Met){ system->blocks[b].value, 0 };
        } else if (op == EXPR_ELEM) {
            const ExprAccess *access = expr_access(w->pool, met.e);
            const uint32_t element = element_of(access, context(w, met.context));
            const uint32_t number = w->ir->flat->arrays.items[access->array].first + element;
            if (element_state(w, access->array, element) != FLAT_NONE || w->family_of[number] == FLAT_NONE)
                break;
            const uint32_t family = w->family_of[number];
            met = (Met){ system->families[family].rhs, enter_context(w, family, w->turn_of[number]) };
        } else {
            break;
        }
        if (passed > TERM_LIMIT) w->obstacle->is_too_large = w->failed = true;
    }
    return met;
}

// Leaves are the same in all contexts, or resolved already.
static uint64_t key_of(const Work *w, Met met)
{
    const ExprOp op = expr_op(w->pool, met.e);
    const bool is_free = expr_ops[op].arity == 0 && op != EXPR_ELEM && op != EXPR_TURN;
    if (op == EXPR_ELEM) {
        const ExprAccess *access = expr_access(w->pool, met.e);
        const uint32_t element = element_of(access, context(w, met.context));
        return UINT64_C(1) << 63 | (w->ir->flat->arrays.items[access->array].first + element);
    }
    return (uint64_t)(is_free ? 0 : met.context) << 32 | met.e;
}

static size_t memory_slot(const Work *w, uint64_t key)
{
    const Memory *m = &w->memory;
    size_t at = (size_t)hash_mix(key) & (m->capacity - 1);
    while (m->walks[at] == w->walk && m->keys[at] != key) at = (at + 1) & (m->capacity - 1);
    return at;
}

static bool is_met(const Work *w, Met met)
{
    return w->memory.walks[memory_slot(w, key_of(w, met))] == w->walk;
}

static uint32_t number_of(const Work *w, Met met)
{
    const size_t at = memory_slot(w, key_of(w, met));
    assert(w->memory.walks[at] == w->walk);
    return w->memory.numbers[at];
}

static void memory_init(Work *w, size_t capacity)
{
    w->memory = (Memory){ .keys = ARENA_ARRAY(&w->arena, uint64_t, capacity),
                          .walks = ARENA_ARRAY(&w->arena, uint32_t, capacity),
                          .numbers = ARENA_ARRAY(&w->arena, uint32_t, capacity),
                          .capacity = capacity };
}

static void remember(Work *w, Met met)
{
    if (w->n_met == TERM_LIMIT) w->obstacle->is_too_large = w->failed = true;
    if (2 * (w->memory.n + 1) > w->memory.capacity) {
        const Memory old = w->memory;
        memory_init(w, 2 * old.capacity);
        for (size_t i = 0; i < old.capacity; i++) {
            if (old.walks[i] != w->walk) continue;
            const size_t at = memory_slot(w, old.keys[i]);
            w->memory.keys[at] = old.keys[i];
            w->memory.walks[at] = w->walk;
            w->memory.numbers[at] = old.numbers[i];
        }
        w->memory.n = old.n;
    }
    const uint64_t key = key_of(w, met);
    const size_t at = memory_slot(w, key);
    w->memory.keys[at] = key;
    w->memory.walks[at] = w->walk;
    w->memory.numbers[at] = w->n_met++;
    w->memory.n++;
}

// A node of a term is a record of four words: the operation, then the numbers of its operands; of a leaf its
// kind.
static void put(Work *w, ExprOp op, uint32_t a, uint32_t b, uint32_t c)
{
    const ExprNode record = { .op = op, .a = a, .b = b, .c = c };
    vec_push(&w->arena, &w->records, record);
}

static void put_slot(Work *w, ExprOp op, IrSlotKind kind, uint32_t index)
{
    if (kind == IR_SLOT_STATE && index == w->own_state) w->own = (uint32_t)(w->leaves.n - w->n_leaves_before);
    put(w, op, kind, 0, 0);
    vec_push(&w->arena, &w->leaves, index);
}

static void put_variable(Work *w, uint32_t variable)
{
    const IrLayout *layout = &w->ir->layout;
    if (layout->state_of[variable] != FLAT_NONE)
        put_slot(w, EXPR_VAR, IR_SLOT_STATE, layout->state_of[variable]);
    else if (dynamic(w)->block_of[variable] != FLAT_NONE)
        put_slot(w, EXPR_VAR, IR_SLOT_SHARED, w->q->n_states + w->shared[variable]);
    else put_slot(w, EXPR_VAR, IR_SLOT_PLACE, layout->place[variable]);
}

static void put_element(Work *w, Met met)
{
    const ExprAccess *access = expr_access(w->pool, met.e);
    const uint32_t element = element_of(access, context(w, met.context));
    const uint32_t state = element_state(w, access->array, element);
    if (state != FLAT_NONE) put_slot(w, EXPR_VAR, IR_SLOT_STATE, state);
    else put_slot(w, EXPR_VAR, IR_SLOT_PLACE, w->ir->layout.array_place[access->array] + element);
}

// Operations whose second or third operand is the number of a table.
static bool has_table_second(uint32_t op)
{
    return op == EXPR_LOOKUP || op == EXPR_SLOPE || op == EXPR_PIECES;
}
static bool has_table_third(uint32_t op) { return op == EXPR_NEAR || op == EXPR_GRID || op == EXPR_DRAW; }

static void put_node(Work *w, Met met)
{
    const Expr e = met.e;
    const ExprNode *node = expr_node(w->pool, e);
    double value;
    switch (node->op) {
    case EXPR_TIME: put(w, EXPR_TIME, 0, 0, 0); return;
    case EXPR_VAR: put_variable(w, node->index); return;
    case EXPR_ELEM: put_element(w, met); return;
    case EXPR_TURN:
        value = (double)(int32_t)node->b + context(w, met.context)->at[node->a];
        put_slot(w, EXPR_CONST, IR_SLOT_NUMBER, number_index(w, value));
        return;
    case EXPR_MODE: put_slot(w, EXPR_MODE, IR_SLOT_MODE, w->ir->layout.first_mode + node->index); return;
    case EXPR_CONST:
        expr_is_const(w->pool, e, &value);
        if (expr_is_bool(w->pool, e)) put(w, EXPR_CONST, TRUTH, value != 0, 0);
        else put_slot(w, EXPR_CONST, IR_SLOT_NUMBER, number_index(w, value));
        return;
    case EXPR_DELAY:
        if (!w->failed) w->obstacle->delay = node->b;
        w->failed = true;
        return;
    default: break;
    }
    uint32_t operands[3] = { 0, 0, 0 };
    for (int k = 0; k < expr_n_operands(w->pool, e); k++)
        operands[k] = number_of(w, through(w, (Met){ expr_operand(w->pool, e, k), met.context }));
    if (has_table_second(node->op)) operands[1] = node->b;
    if (has_table_third(node->op)) operands[2] = node->c;
    // an exponent decides how a power is written
    if (node->op == EXPR_POW && expr_is_const(w->pool, node->b, &value))
        operands[2] = 1 + number_index(w, value);
    put(w, (ExprOp)node->op, operands[0], operands[1], operands[2]);
}

static void visit(Work *w, Met root)
{
    vec_push(&w->arena, &w->frames, (Frame){ through(w, root), 0 });
    while (w->frames.n && !w->failed) {
        Frame *frame = &vec_last(&w->frames);
        const Met met = frame->met;
        if (frame->next < expr_n_operands(w->pool, met.e)) {
            const Met below = through(w, (Met){ expr_operand(w->pool, met.e, frame->next++), met.context });
            if (!w->failed && !is_met(w, below)) vec_push(&w->arena, &w->frames, (Frame){ below, 0 });
            continue;
        }
        w->frames.n--;
        if (is_met(w, met)) continue;
        put_node(w, met);
        remember(w, met);
    }
    w->frames.n = 0;
}

static bool same_shape(const Work *w, const Shape *s, uint32_t kind, size_t first, size_t n)
{
    return s->n_records == n && s->kind == kind && s->own == w->own &&
           memcmp(w->records.items + s->first_record, w->records.items + first, n * sizeof(ExprNode)) == 0;
}

// The term just encoded joins the terms of its shape.
static void group(Work *w, uint32_t term, uint32_t kind, size_t first_record)
{
    const size_t n = w->records.n - first_record, n_slots = w->leaves.n - w->n_leaves_before;
    const uint64_t hash =
        hash_join(hash_bytes(w->records.items + first_record, n * sizeof(ExprNode)), hash_join(kind, w->own));
    IndexProbe probe = index_probe(&w->by_records, hash);
    uint32_t id = FLAT_NONE;
    for (uint32_t candidate; id == FLAT_NONE && index_next(&w->by_records, &probe, &candidate);)
        if (same_shape(w, &w->shapes.items[candidate], kind, first_record, n)) id = candidate;
    if (id == FLAT_NONE) {
        id = (uint32_t)w->shapes.n;
        vec_push(&w->arena, &w->shapes,
                 (Shape){ .kind = kind,
                          .own = w->own,
                          .first_record = (uint32_t)first_record,
                          .n_records = (uint32_t)n,
                          .n_slots = (uint32_t)n_slots,
                          .first_leaf = (uint32_t)w->n_leaves_before,
                          .moves = ARENA_ARRAY(&w->arena, bool, n_slots) });
        index_add(&w->by_records, hash, id);
    } else {
        w->records.n = first_record;    // known already
    }
    Shape *shape = &w->shapes.items[id];
    shape->n_terms++;
    const uint32_t *first = w->leaves.items + shape->first_leaf, *own = w->leaves.items + w->n_leaves_before;
    for (size_t i = 0; i < n_slots; i++)
        if (own[i] != first[i]) shape->moves[i] = true;
    w->q->shape_of[term] = id;
    w->first_leaf[term] = (uint32_t)w->n_leaves_before;
}

static void encode(Work *w, uint32_t term, uint32_t kind, Met root, uint32_t own_state)
{
    const size_t first_record = w->records.n;
    if (root.context == 0) w->contexts.n = 1;    // those of other terms are forgotten
    w->walk++;
    w->memory.n = 0;
    w->n_met = 0;
    w->own_state = own_state;
    w->own = FLAT_NONE;
    w->n_leaves_before = w->leaves.n;
    visit(w, root);
    if (!w->failed && w->leaves.n >= UINT32_MAX / 2) w->obstacle->is_too_large = w->failed = true;
    if (!w->failed) group(w, term, kind, first_record);
}

// A rate that is itself a state.
static void encode_state(Work *w, uint32_t state, uint32_t rate)
{
    const size_t first_record = w->records.n;
    w->own_state = state;
    w->own = FLAT_NONE;
    w->n_leaves_before = w->leaves.n;
    put_slot(w, EXPR_VAR, IR_SLOT_STATE, rate);
    group(w, state, TERM_RATE, first_record);
}

static void encode_rate(Work *w, uint32_t state, uint32_t rate)
{
    const Ordered *system = dynamic(w);
    const uint32_t b = system->block_of[rate];
    if (w->ir->layout.state_of[rate] != FLAT_NONE) {
        encode_state(w, state, w->ir->layout.state_of[rate]);
    } else if (b == FLAT_NONE) {    // known: a number that only events change
        const size_t first_record = w->records.n;
        w->own = w->own_state = FLAT_NONE;
        w->n_leaves_before = w->leaves.n;
        put_variable(w, rate);
        group(w, state, TERM_RATE, first_record);
    } else if (system->blocks[b].kind == BLOCK_ASSIGN) {
        encode(w, state, TERM_RATE, (Met){ system->blocks[b].value, 0 }, state);
    } else {
        w->obstacle->loop = &system->blocks[b];
        w->failed = true;
    }
}

static void encode_array(Work *w, uint32_t array)
{
    const Flat *flat = w->ir->flat;
    const FlatArray *a = &flat->arrays.items[array];
    const uint32_t first = flat->arrays.items[a->derivative].first;
    const size_t n_before = w->leaves.n;
    for (uint32_t i = 0; i < a->n && !w->failed; i++) {
        // elements are much alike: room for all of them at once, instead of twice as much as is needed
        if (i == ALIKE)
            vec_reserve(&w->arena, &w->leaves, w->leaves.n + (w->leaves.n - n_before) / ALIKE * a->n);
        const uint32_t state = element_state(w, array, i), rate = element_state(w, a->derivative, i);
        if (rate != FLAT_NONE) {
            encode_state(w, state, rate);
            continue;
        }
        w->contexts.n = 1;
        const uint32_t family = w->family_of[first + i];
        assert(family != FLAT_NONE);
        const uint32_t in = enter_context(w, family, w->turn_of[first + i]);
        encode(w, state, TERM_RATE, (Met){ dynamic(w)->families[family].rhs, in }, state);
    }
}

static bool is_stepwise(const ExprPieces *table)
{
    if (table->n_breaks[0] == 0 || table->n_breaks[1] != 0) return false;
    const double *c = table->numbers + table->n_breaks[0];
    for (uint32_t i = 0; i <= table->n_breaks[0]; i++, c += 4)
        if (c[1] != 0 || c[2] != 0 || c[3] != 0) return false;
    return true;
}

// The zero function of a relation, or what IrSteps says. Returns what is to be encoded.
static Expr zero_term(Work *w, uint32_t k)
{
    const FlatRelation *relation = &w->ir->flat->relations.items[k];
    const ExprNode *zero = expr_node(w->pool, relation->zero);
    double level;
    if (zero->op != EXPR_SUB || !expr_is_const(w->pool, zero->b, &level)) return relation->zero;
    const ExprNode *inner = expr_node(w->pool, zero->a);
    double period = 0;
    const bool is_table = inner->op == EXPR_PIECES && is_stepwise(&w->pool->pieces.items[inner->b]);
    const bool is_mod = inner->op == EXPR_MOD && expr_is_const(w->pool, inner->b, &period) && period > 0;
    if (!is_table && !is_mod) return relation->zero;
    IrQuantised *q = w->q;
    if (!q->steps) {
        q->steps = arena_alloc(&q->arena, q->n_relations, sizeof *q->steps);
        for (uint32_t i = 0; i < q->n_relations; i++) q->steps[i].table = FLAT_NONE;
    }
    q->steps[k].table = is_table ? inner->b : FLAT_NONE;
    q->steps[k].period = is_table ? 0 : period;
    q->steps[k].level = level;
    return inner->a;
}

static void encode_all(Work *w)
{
    const Ir *ir = w->ir;
    const Blocks *blocks = ir->blocks;
    IrQuantised *q = w->q;
    for (uint32_t i = 0; i < blocks->n_states && !w->failed; i++)
        encode_rate(w, ir->layout.state_of[blocks->states[i]], blocks->rates[i]);
    for (uint32_t i = 0; i < blocks->n_state_arrays && !w->failed; i++)
        encode_array(w, blocks->state_arrays[i]);
    for (uint32_t i = 0; i < q->n_shared && !w->failed; i++)
        encode(w, q->n_states + i, TERM_SHARED, (Met){ blocks->dynamic.blocks[w->shared_block[i]].value, 0 },
               FLAT_NONE);
    w->inlines_all = true;
    for (uint32_t k = 0; k < q->n_relations && !w->failed; k++)
        encode(w, q->n_states + q->n_shared + k, TERM_RELATION, (Met){ zero_term(w, k), 0 }, FLAT_NONE);
}

// ---- Shapes as expressions

enum { FIXED, LINEAR, BENT };

// How a node depends on what moves, from how its operands do.
static int degree_of(const ExprNode *r, const uint8_t *degree)
{
    const int arity = expr_ops[r->op].arity;
    int most = FIXED;
    for (int k = 0; k < arity; k++) {
        const int d = degree[k == 0 ? r->a : k == 1 ? r->b : r->c];
        if (d > most) most = d;
    }
    if (arity == 0)
        return r->op == EXPR_TIME || (r->op == EXPR_VAR && (r->a == IR_SLOT_STATE || r->a == IR_SLOT_SHARED))
                   ? LINEAR
                   : FIXED;
    switch (r->op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB: return most;
    case EXPR_MUL: return degree[r->a] == FIXED || degree[r->b] == FIXED ? most : BENT;
    case EXPR_DIV: return degree[r->b] == FIXED ? most : BENT;
    case EXPR_IF: return degree[r->a] == FIXED ? most : BENT;
    default: return most == FIXED ? FIXED : BENT;
    }
}

static bool shape_bends(Work *w, const Shape *from)
{
    const ArenaMark mark = arena_mark(&w->arena);
    uint8_t *degree = ARENA_ARRAY(&w->arena, uint8_t, from->n_records);
    for (uint32_t i = 0; i < from->n_records; i++)
        degree[i] = (uint8_t)degree_of(&w->records.items[from->first_record + i], degree);
    const bool bends = degree[from->n_records - 1] == BENT;
    arena_release(&w->arena, mark);
    return bends;
}

static Expr rebuild(Work *w, const Shape *from, IrShape *shape)
{
    IrQuantised *q = w->q;
    const ArenaMark mark = arena_mark(&w->arena);
    Expr *made = ARENA_ARRAY(&w->arena, Expr, from->n_records);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < from->n_records; i++) {
        const ExprNode *r = &w->records.items[from->first_record + i];
        if (r->op == EXPR_TIME) {
            made[i] = expr_time(&q->pool);
            shape->reads_time = true;
        } else if (r->op == EXPR_CONST && r->a == TRUTH) {
            made[i] = expr_truth(&q->pool, r->b != 0);
        } else if (r->op == EXPR_CONST && !from->moves[slot]) {
            made[i] = expr_const(&q->pool, w->numbers.items[w->leaves.items[from->first_leaf + slot]]);
            slot++;
        } else if (r->op == EXPR_MODE) {
            made[i] = expr_mode(&q->pool, slot++);
        } else if (expr_ops[r->op].arity == 0) {
            made[i] = expr_var(&q->pool, slot++);
        } else {
            const int arity = expr_ops[r->op].arity;
            const Expr second = has_table_second(r->op) ? r->b : arity > 1 ? made[r->b] : EXPR_NONE;
            const Expr third = has_table_third(r->op) ? r->c : arity > 2 ? made[r->c] : EXPR_NONE;
            made[i] = expr_make(&q->pool, (ExprOp)r->op, made[r->a], second, third);
        }
    }
    const Expr root = made[from->n_records - 1];
    arena_release(&w->arena, mark);
    return root;
}

// The kinds of a shape's slots, in order.
static void find_slots(const Work *w, const Shape *from, IrShape *shape)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < from->n_records; i++) {
        const ExprNode *r = &w->records.items[from->first_record + i];
        const bool is_slot =
            expr_ops[r->op].arity == 0 && r->op != EXPR_TIME && !(r->op == EXPR_CONST && r->a == TRUTH);
        if (!is_slot) continue;
        IrSlot *s = &shape->slots[slot];
        *s = (IrSlot){ .kind = (IrSlotKind)r->a,
                       .moves = from->moves[slot],
                       .index = w->leaves.items[from->first_leaf + slot] };
        if (s->moves) s->column = shape->n_columns++;
        slot++;
    }
    assert(slot == from->n_slots);
}

static void make_shapes(Work *w)
{
    IrQuantised *q = w->q;
    q->n_shapes = (uint32_t)w->shapes.n;
    q->shapes = ARENA_ARRAY(&q->arena, IrShape, q->n_shapes);
    // tables of the model keep their numbers
    for (uint32_t i = 0; i < w->pool->tables.n; i++) {
        const ExprTable *table = &w->pool->tables.items[i];
        const uint32_t number = expr_table(&q->pool, table->x, table->y, table->n);
        assert(number == i);
        (void)number;
    }
    for (size_t i = 0; i < w->pool->pieces.n; i++)
        vec_push(&q->arena, &q->pool.pieces, w->pool->pieces.items[i]);    // their numbers are the model's
    size_t n_rows = 0;
    for (uint32_t i = 0; i < q->n_shapes; i++) {
        const Shape *from = &w->shapes.items[i];
        IrShape *shape = &q->shapes[i];
        *shape = (IrShape){ .slots = ARENA_ARRAY(&q->arena, IrSlot, from->n_slots),
                            .n_slots = from->n_slots,
                            .n_terms = from->n_terms,
                            .own = from->own,
                            .is_relation = from->kind == TERM_RELATION };
        find_slots(w, from, shape);
        shape->value = rebuild(w, from, shape);
        shape->bends = shape_bends(w, from);
        n_rows += (size_t)shape->n_columns * shape->n_terms;
    }
    q->rows = ARENA_ARRAY(&q->arena, uint32_t, n_rows);
    q->row_of = ARENA_ARRAY(&q->arena, uint32_t, q->n_terms);
    uint32_t at = 0;
    for (uint32_t t = 0; t < q->n_terms; t++) {
        const IrShape *shape = &q->shapes[q->shape_of[t]];
        q->row_of[t] = at;
        for (uint32_t k = 0; k < shape->n_slots; k++)
            if (shape->slots[k].moves) q->rows[at++] = w->leaves.items[w->first_leaf[t] + k];
    }
    q->numbers = ARENA_ARRAY(&q->arena, double, w->numbers.n);
    if (w->numbers.n) memcpy(q->numbers, w->numbers.items, w->numbers.n * sizeof *q->numbers);
}

// ---- Who reads whom

// Marks that are cleared by counting up.
typedef struct Marks {
    uint32_t *mark;
    uint32_t now;
} Marks;

static bool mark_once(Marks *m, uint32_t i)
{
    if (m->mark[i] == m->now) return false;
    m->mark[i] = m->now;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// What a term reads, itself and through the shared variables that it needs, each once.
typedef struct Reader {
    Work *w;
    Marks states, shared, modes, places;
    VEC(uint32_t) shared_read, states_read, modes_read, places_read;
    Map number_of;    // of places
    bool reads_time, bends;
} Reader;

static void read_term(Reader *r, uint32_t term)
{
    const Work *w = r->w;
    const IrQuantised *q = w->q;
    const IrShape *shape = &q->shapes[q->shape_of[term]];
    const uint32_t *leaves = w->leaves.items + w->first_leaf[term];
    Arena *arena = &r->w->arena;
    if (shape->reads_time) r->reads_time = true;
    if (shape->bends) r->bends = true;
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        const uint32_t index = leaves[k];
        switch (shape->slots[k].kind) {
        case IR_SLOT_STATE:
            if (mark_once(&r->states, index)) vec_push(arena, &r->states_read, index);
            break;
        case IR_SLOT_SHARED:
            if (mark_once(&r->shared, index - q->n_states))
                vec_push(arena, &r->shared_read, index - q->n_states);
            break;
        case IR_SLOT_MODE: {
            const uint32_t mode = index - w->ir->layout.first_mode;
            if (mark_once(&r->modes, mode)) vec_push(arena, &r->modes_read, mode);
            break;
        }
        case IR_SLOT_PLACE: {
            const uint32_t *number = q->n_places ? map_find(&r->number_of, index) : NULL;
            if (number && mark_once(&r->places, *number)) vec_push(arena, &r->places_read, *number);
            break;
        }
        default: break;
        }
    }
}

static void read_all(Reader *r, uint32_t term)
{
    r->states.now++, r->shared.now++, r->modes.now++, r->places.now++;
    r->states_read.n = r->shared_read.n = r->modes_read.n = r->places_read.n = 0;
    r->reads_time = r->bends = false;
    read_term(r, term);
    for (size_t i = 0; i < r->shared_read.n; i++) read_term(r, r->w->q->n_states + r->shared_read.items[i]);
    if (r->shared_read.n > 1)
        qsort(r->shared_read.items, r->shared_read.n, sizeof *r->shared_read.items, compare_numbers);
}

// Lists are made in two passes: count, then fill.
static void begin_lists(IrQuantised *q, IrLists *lists, uint32_t n)
{
    lists->start = ARENA_ARRAY(&q->arena, uint32_t, (size_t)n + 2);
}

static void sum_lists(IrQuantised *q, IrLists *lists, uint32_t n)
{
    // counted two places ahead, so that filling in leaves each start where it belongs; where all lists are
    // empty, nothing is written, and a million of them have no memory
    for (uint32_t i = 2, sum = 0; i < n + 2; i++) {
        sum += lists->start[i];
        if (sum) lists->start[i] = sum;
    }
    lists->item = ARENA_ARRAY(&q->arena, uint32_t, lists->start[n + 1]);
}

static void enter(IrLists *lists, bool fills, uint32_t list, uint32_t item)
{
    if (fills) lists->item[lists->start[list + 1]++] = item;
    else lists->start[list + 2]++;
}

// The places of variables that terms read and something changes now and then, among them those that events
// assign; map: place → number.
static void find_places(Work *w, Map *number_of)
{
    IrQuantised *q = w->q;
    const Flat *flat = w->ir->flat;
    const uint32_t n_params = w->ir->layout.n_params;
    VEC(uint32_t) places = { 0 };
    Map assigned;
    map_init(&assigned, &w->arena);
    map_init(number_of, &w->arena);
    for (size_t i = 0; i < flat->actions.n; i++)
        map_put(&assigned, w->ir->layout.place[flat->actions.items[i].target], 1);
    for (uint32_t term = 0; term < q->n_terms; term++) {
        const IrShape *shape = &q->shapes[q->shape_of[term]];
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            if (shape->slots[k].kind != IR_SLOT_PLACE) continue;
            const uint32_t place = w->leaves.items[w->first_leaf[term] + k];
            if (place < n_params && !map_find(&assigned, place)) continue;
            if (map_find(number_of, place)) continue;
            map_put(number_of, place, (uint32_t)places.n);
            vec_push(&w->arena, &places, place);
        }
    }
    q->n_places = (uint32_t)places.n;
    q->places = ARENA_ARRAY(&q->arena, uint32_t, places.n);
    if (places.n) memcpy(q->places, places.items, places.n * sizeof *q->places);
}

static bool find_readers(Work *w)
{
    IrQuantised *q = w->q;
    Arena *arena = &w->arena;
    const uint32_t n_modes = w->ir->layout.n_modes, first_relation = q->n_states + q->n_shared;
    Reader r = { .w = w };
    r.states.mark = ARENA_ARRAY(arena, uint32_t, q->n_states);
    r.shared.mark = ARENA_ARRAY(arena, uint32_t, q->n_shared);
    r.modes.mark = ARENA_ARRAY(arena, uint32_t, n_modes);
    find_places(w, &r.number_of);
    r.places.mark = ARENA_ARRAY(arena, uint32_t, q->n_places);
    IrLists *lists[] = { &q->shared_of,       &q->affects,       &q->mode_affects,    &q->watched_by,
                         &q->mode_watched_by, &q->place_affects, &q->place_watched_by };
    const uint32_t counts[] = { q->n_states, q->n_states, n_modes,    q->n_states,
                                n_modes,     q->n_places, q->n_places };
    enum { N_LISTS = sizeof lists / sizeof *lists };
    q->moves_in_time = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->bends = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->watches_time = ARENA_ARRAY(&q->arena, bool, q->n_relations);
    q->relation_bends = ARENA_ARRAY(&q->arena, bool, q->n_relations);
    for (int k = 0; k < N_LISTS; k++) begin_lists(q, lists[k], counts[k]);
    for (int fills = 0; fills < 2; fills++) {
        uint64_t n = 0;
        for (uint32_t i = 0; i < q->n_states; i++) {
            read_all(&r, i);
            n += r.shared_read.n + r.states_read.n + r.modes_read.n + r.places_read.n;
            if (n > LISTS_MAX) return false;
            for (size_t k = 0; k < r.shared_read.n; k++)
                enter(&q->shared_of, fills, i, r.shared_read.items[k]);
            for (size_t k = 0; k < r.states_read.n; k++) enter(&q->affects, fills, r.states_read.items[k], i);
            for (size_t k = 0; k < r.modes_read.n; k++)
                enter(&q->mode_affects, fills, r.modes_read.items[k], i);
            for (size_t k = 0; k < r.places_read.n; k++)
                enter(&q->place_affects, fills, r.places_read.items[k], i);
            q->moves_in_time[i] = r.reads_time;
            q->bends[i] = r.bends;
        }
        for (uint32_t i = 0; i < q->n_relations; i++) {
            read_all(&r, first_relation + i);
            n += r.states_read.n + r.modes_read.n + r.places_read.n;
            if (n > LISTS_MAX) return false;
            for (size_t k = 0; k < r.states_read.n; k++)
                enter(&q->watched_by, fills, r.states_read.items[k], i);
            for (size_t k = 0; k < r.modes_read.n; k++)
                enter(&q->mode_watched_by, fills, r.modes_read.items[k], i);
            for (size_t k = 0; k < r.places_read.n; k++)
                enter(&q->place_watched_by, fills, r.places_read.items[k], i);
            q->watches_time[i] = r.reads_time;
            q->relation_bends[i] = r.bends;
        }
        for (int k = 0; k < N_LISTS && !fills; k++) sum_lists(q, lists[k], counts[k]);
    }
    return true;
}

// ---- All of it

IrQuantised *ir_quantise(const Ir *ir, IrObstacle *obstacle)
{
    *obstacle = (IrObstacle){ .delay = FLAT_NONE };
    IrQuantised *q = calloc(1, sizeof *q);
    if (!q) arena_no_memory(sizeof *q);
    expr_pool_init(&q->pool, &q->arena);
    q->n_states = ir->layout.n_states;
    q->n_relations = (uint32_t)ir->flat->relations.n;

    Work w = { .ir = ir, .pool = &ir->flat->pool, .q = q, .obstacle = obstacle };
    w.stamp = ARENA_ARRAY(&w.arena, uint32_t, w.pool->nodes.n);
    memory_init(&w, MEMORY_FIRST);
    vec_push(&w.arena, &w.contexts, (Context){ .family = FLAT_NONE });
    find_families(&w);
    index_init(&w.by_records, &w.arena);
    map_init(&w.number_of, &w.arena);
    choose_shared(&w);
    q->n_terms = q->n_states + q->n_shared + q->n_relations;
    q->shape_of = ARENA_ARRAY(&q->arena, uint32_t, q->n_terms);
    w.first_leaf = ARENA_ARRAY(&w.arena, uint32_t, q->n_terms);
    q->comparison = ARENA_ARRAY(&q->arena, uint8_t, q->n_relations);
    for (uint32_t k = 0; k < q->n_relations; k++)
        q->comparison[k] = (uint8_t)expr_op(w.pool, ir->flat->relations.items[k].relation);
    encode_all(&w);
    if (!w.failed) {
        make_shapes(&w);
        if (!find_readers(&w)) obstacle->is_too_large = w.failed = true;
    }
    arena_free(&w.arena);
    if (!w.failed) return q;
    ir_quantised_free(q);
    return NULL;
}

void ir_quantised_free(IrQuantised *q)
{
    if (!q) return;
    arena_free(&q->arena);
    free(q);
}
