// src/ir/quantise_terms.c: the expression of each term as records and leaves; terms of equal records are one
// shape.
#include "ir/quantiser.h"
#include <assert.h>
#include <string.h>

enum {
    MEMORY_FIRST = 64,
    ALIKE = 64,
};

static uint32_t number_index(Quantiser *w, double value)
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

static void find_families(Quantiser *w)
{
    const Ordered *system = quantiser_system(w);
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

static uint32_t enter_context(Quantiser *w, uint32_t family, uint32_t turn)
{
    // those of a term are few, and the latest are met most
    for (size_t i = w->contexts.n; i-- > 1;)
        if (w->contexts.items[i].family == family && w->contexts.items[i].turn == turn) return (uint32_t)i;
    vec_push(&w->arena, &w->contexts, context_of(&quantiser_system(w)->families[family], family, turn));
    return (uint32_t)w->contexts.n - 1;
}

static const Context *context(const Quantiser *w, uint32_t i) { return &w->contexts.items[i]; }

// The number of a state that an element of an array is, or FLAT_NONE.
static uint32_t element_state(const Quantiser *w, uint32_t array, uint32_t element)
{
    const IrLayout *layout = &w->ir->layout;
    const uint32_t first = layout->array_state[array];
    return first == FLAT_NONE ? FLAT_NONE : first + element * layout->array_step[array];
}

// What a leaf stands for: itself, or the expression that computes it where that is part of the term.
static Met through(Quantiser *w, Met met)
{
    const Ordered *system = quantiser_system(w);
    for (int passed = 0; !w->failed; passed++) {
        const ExprOp op = expr_op(w->pool, met.e);
        if (op == EXPR_VAR) {
            const uint32_t variable = expr_node(w->pool, met.e)->index, b = system->block_of[variable];
            if (w->ir->layout.state_of[variable] != FLAT_NONE || b == FLAT_NONE) break;
            const uint32_t shared = w->shared[variable];
            if (w->closed[variable] == EXPR_NONE) {    // an unknown of a loop
                if (shared != FLAT_NONE) break;
                w->obstacle->loop = &system->blocks[b];
                w->failed = true;
                break;
            }
            if (shared != FLAT_NONE && !w->inlines_all) break;
            met = (Met){ w->closed[variable], 0 };
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
static uint64_t key_of(const Quantiser *w, Met met)
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

static size_t memory_slot(const Quantiser *w, uint64_t key)
{
    const Memory *m = &w->memory;
    size_t at = (size_t)hash_mix(key) & (m->capacity - 1);
    while (m->walks[at] == w->walk && m->keys[at] != key) at = (at + 1) & (m->capacity - 1);
    return at;
}

static bool is_met(const Quantiser *w, Met met)
{
    return w->memory.walks[memory_slot(w, key_of(w, met))] == w->walk;
}

static uint32_t number_of(const Quantiser *w, Met met)
{
    const size_t at = memory_slot(w, key_of(w, met));
    assert(w->memory.walks[at] == w->walk);
    return w->memory.numbers[at];
}

static void memory_init(Quantiser *w, size_t capacity)
{
    w->memory = (Memory){ .keys = ARENA_ARRAY(&w->arena, uint64_t, capacity),
                          .walks = ARENA_ARRAY(&w->arena, uint32_t, capacity),
                          .numbers = ARENA_ARRAY(&w->arena, uint32_t, capacity),
                          .capacity = capacity };
}

static void remember(Quantiser *w, Met met)
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
static void put(Quantiser *w, ExprOp op, uint32_t a, uint32_t b, uint32_t c)
{
    const ExprNode record = { .op = op, .a = a, .b = b, .c = c };
    vec_push(&w->arena, &w->records, record);
}

static void put_slot(Quantiser *w, ExprOp op, IrSlotKind kind, uint32_t index)
{
    if (kind == IR_SLOT_STATE && index == w->own_state) w->own = (uint32_t)(w->leaves.n - w->n_leaves_before);
    put(w, op, kind, 0, 0);
    vec_push(&w->arena, &w->leaves, index);
}

static void put_variable(Quantiser *w, uint32_t variable)
{
    const IrLayout *layout = &w->ir->layout;
    if (layout->state_of[variable] != FLAT_NONE) {
        put_slot(w, EXPR_VAR, IR_SLOT_STATE, layout->state_of[variable]);
    } else if (quantiser_system(w)->block_of[variable] != FLAT_NONE) {
        const uint32_t shared = w->shared[variable], loop = w->q->loop_of[shared];
        const bool is_own = loop != FLAT_NONE && loop == w->own_loop;
        if (!is_own && w->inlines_all) w->is_needed_x[loop] = true;
        else if (!is_own) w->is_needed[loop == FLAT_NONE ? shared : w->q->loops[loop].first] = true;
        put_slot(w, EXPR_VAR, is_own ? IR_SLOT_UNKNOWN : IR_SLOT_SHARED, w->q->n_states + shared);
    } else {
        put_slot(w, EXPR_VAR, IR_SLOT_PLACE, layout->place[variable]);
    }
}

static void put_element(Quantiser *w, Met met)
{
    const ExprAccess *access = expr_access(w->pool, met.e);
    const uint32_t element = element_of(access, context(w, met.context));
    const uint32_t state = element_state(w, access->array, element);
    if (state != FLAT_NONE) put_slot(w, EXPR_VAR, IR_SLOT_STATE, state);
    else put_slot(w, EXPR_VAR, IR_SLOT_PLACE, w->ir->layout.array_place[access->array] + element);
}

static void put_node(Quantiser *w, Met met)
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

static void visit(Quantiser *w, Met root)
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

static bool same_shape(const Quantiser *w, const MetShape *s, uint32_t kind, size_t first, size_t n)
{
    return s->n_records == n && s->kind == kind && s->own == w->own &&
           memcmp(w->records.items + s->first_record, w->records.items + first, n * sizeof(ExprNode)) == 0;
}

// The term just encoded joins the terms of its shape.
static void group(Quantiser *w, uint32_t term, uint32_t kind, size_t first_record)
{
    const size_t n = w->records.n - first_record, n_slots = w->leaves.n - w->n_leaves_before;
    const uint64_t hash = hash_join(hash_bytes(w->records.items + first_record, n * sizeof(ExprNode)),
                                    hash_join(kind, w->own));
    IndexProbe probe = index_probe(&w->by_records, hash);
    uint32_t id = FLAT_NONE;
    for (uint32_t candidate; id == FLAT_NONE && index_next(&w->by_records, &probe, &candidate);)
        if (same_shape(w, &w->shapes.items[candidate], kind, first_record, n)) id = candidate;
    if (id == FLAT_NONE) {
        id = (uint32_t)w->shapes.n;
        vec_push(&w->arena, &w->shapes,
                 (MetShape){ .kind = kind,
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
    MetShape *shape = &w->shapes.items[id];
    shape->n_terms++;
    const uint32_t *leaves = w->leaves.items;    // NULL if no term has any
    for (size_t i = 0; i < n_slots; i++)
        if (leaves[w->n_leaves_before + i] != leaves[shape->first_leaf + i]) shape->moves[i] = true;
    w->q->shape_of[term] = id;
    w->first_leaf[term] = (uint32_t)w->n_leaves_before;
}

static void begin_term(Quantiser *w, uint32_t own_state)
{
    w->walk++;
    w->memory.n = 0;
    w->n_met = 0;
    w->own_state = own_state;
    w->own = FLAT_NONE;
    w->n_leaves_before = w->leaves.n;
}

static void end_term(Quantiser *w, uint32_t term, uint32_t kind, size_t first_record)
{
    if (!w->failed && w->leaves.n >= UINT32_MAX / 2) w->obstacle->is_too_large = w->failed = true;
    if (!w->failed) group(w, term, kind, first_record);
}

static void encode(Quantiser *w, uint32_t term, uint32_t kind, Met root, uint32_t own_state)
{
    const size_t first_record = w->records.n;
    if (root.context == 0) w->contexts.n = 1;    // those of other terms are forgotten
    begin_term(w, own_state);
    visit(w, root);
    end_term(w, term, kind, first_record);
}

// A residual of a loop of linear equations: left side less right side.
static void encode_equation(Quantiser *w, uint32_t term, uint32_t kind, const FlatEquation *equation)
{
    const size_t first_record = w->records.n;
    const Met sides[] = { { equation->lhs, 0 }, { equation->rhs, 0 } };
    w->contexts.n = 1;
    begin_term(w, FLAT_NONE);
    for (int i = 0; i < 2; i++) visit(w, sides[i]);
    if (!w->failed)
        put(w, EXPR_SUB, number_of(w, through(w, sides[0])), number_of(w, through(w, sides[1])), 0);
    end_term(w, term, kind, first_record);
}

// A rate that is itself a state.
static void encode_state(Quantiser *w, uint32_t state, uint32_t rate)
{
    const size_t first_record = w->records.n;
    w->own_state = state;
    w->own = FLAT_NONE;
    w->n_leaves_before = w->leaves.n;
    put_slot(w, EXPR_VAR, IR_SLOT_STATE, rate);
    group(w, state, TERM_RATE, first_record);
}

static void encode_rate(Quantiser *w, uint32_t state, uint32_t rate)
{
    const uint32_t b = quantiser_system(w)->block_of[rate];
    if (w->ir->layout.state_of[rate] != FLAT_NONE) {
        encode_state(w, state, w->ir->layout.state_of[rate]);
    } else if (b != FLAT_NONE && w->closed[rate] != EXPR_NONE) {
        encode(w, state, TERM_RATE, (Met){ w->closed[rate], 0 }, state);
    } else if (b == FLAT_NONE || w->shared[rate] != FLAT_NONE) {
        // a number that only events change, or the unknown of a loop
        const size_t first_record = w->records.n;
        w->own = w->own_state = FLAT_NONE;
        w->n_leaves_before = w->leaves.n;
        put_variable(w, rate);
        group(w, state, TERM_RATE, first_record);
    } else {
        w->obstacle->loop = &quantiser_system(w)->blocks[b];
        w->failed = true;
    }
}

static void encode_array(Quantiser *w, uint32_t array)
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
        encode(w, state, TERM_RATE, (Met){ quantiser_system(w)->families[family].rhs, in }, state);
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
static Expr zero_term(Quantiser *w, uint32_t k)
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

static void encode_loop(Quantiser *w, uint32_t number, uint32_t kind, uint32_t *next)
{
    IrLoopTerms *loop = &w->q->loops[number];
    const Ordered *system = quantiser_system(w);
    const Block *block = &system->blocks[loop->block];
    loop->residuals[kind == TERM_RESIDUAL_X] = *next;
    w->own_loop = number;
    for (uint32_t i = 0; i < loop->n && !w->failed; i++, ++*next) {
        if (block->kind == BLOCK_LINEAR)
            encode_equation(w, *next, kind, &system->equations[block->equations[i]]);
        else encode(w, *next, kind, (Met){ block->residuals[i], 0 }, FLAT_NONE);
    }
    w->own_loop = FLAT_NONE;
}

void encode_all(Quantiser *w)
{
    const Ir *ir = w->ir;
    const Blocks *blocks = ir->blocks;
    IrQuantised *q = w->q;
    for (uint32_t i = 0; i < blocks->n_states && !w->failed; i++)
        encode_rate(w, ir->layout.state_of[blocks->states[i]], blocks->rates[i]);
    for (uint32_t i = 0; i < blocks->n_state_arrays && !w->failed; i++)
        encode_array(w, blocks->state_arrays[i]);
    w->inlines_all = true;
    for (uint32_t k = 0; k < q->n_relations && !w->failed; k++)
        encode(w, q->n_states + q->n_shared + k, TERM_RELATION, (Met){ zero_term(w, k), 0 }, FLAT_NONE);
    uint32_t next = q->n_states + q->n_shared + q->n_relations;
    for (uint32_t l = q->n_loops; l-- > 0 && !w->failed;)    // each reads only those before it
        if (w->is_needed_x[l]) encode_loop(w, l, TERM_RESIDUAL_X, &next);
    w->inlines_all = false;
    for (uint32_t i = q->n_shared; i-- > 0 && !w->failed;) {
        if (!w->is_needed[i]) continue;
        if (q->loop_of[i] != FLAT_NONE) encode_loop(w, q->loop_of[i], TERM_RESIDUAL, &next);
        else encode(w, q->n_states + i, TERM_SHARED, (Met){ w->closed[w->shared_var[i]], 0 }, FLAT_NONE);
    }
}

void encode_begin(Quantiser *w)
{
    memory_init(w, MEMORY_FIRST);
    vec_push(&w->arena, &w->contexts, (Context){ .family = FLAT_NONE });
    find_families(w);
    index_init(&w->by_records, &w->arena);
    map_init(&w->number_of, &w->arena);
    w->own_loop = FLAT_NONE;
}
