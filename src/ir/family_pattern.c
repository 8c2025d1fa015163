// src/ir/family_pattern.c: which derivatives depend on which states, where some of them are elements of
// arrays.
//
// Row by row: from each derivative back through what it reads to the states. Most families read states only,
// and then the work is that of writing the pattern down. A block that is an assignment or a loop of equations
// is one place to come from; a family is as many as it has turns, so an element that is not a state knows by
// which turn it is computed.
#include "ir/lower.h"

enum {
    ENTRIES_MAX = 1 << 23,    // 8 million: 32 MB
    VISITS_MAX = 1 << 26,     // variables and elements looked at, for all rows together
};

typedef struct Accesses { const ExprAccess **items; uint32_t n; } Accesses;    // that move or may be states

// Something that a derivative depends on: variables first, then the elements of all arrays.
typedef VEC(uint32_t) Nodes;

typedef struct Back {
    const Ir  *ir;
    Arena      work;
    Accesses  *accesses;      // [n_blocks]
    uint32_t  *element_block; // [n_elements] which block computes an element that is no state
    uint32_t  *element_turn;  // [n_elements] and in which of its turns, counted through all loops
    uint32_t *seen;    // [n_vars + n_elements] the last row that met it, plus 1; NULL if nothing is indirect
    uint32_t  *has_column;    // [n_states] likewise
    uint32_t   row;
    Nodes      todo, columns;
    size_t     n_visits;
} Back;

static bool is_param(const Back *b, uint32_t array)
{
    return b->ir->flat->arrays.items[array].kind == FLAT_PARAM;
}

static void find_accesses(Back *b)
{
    const Ir *ir = b->ir;
    const ExprPool *pool = &ir->flat->pool;
    const Ordered *system = &ir->blocks->dynamic;
    b->accesses = ARENA_ARRAY(&b->work, Accesses, system->n_blocks);
    for (uint32_t i = 0; i < system->n_blocks; i++) {
        const Block *block = &system->blocks[i];
        // those that are solved read no elements but parameters
        if (block->kind != BLOCK_ASSIGN && block->kind != BLOCK_FAMILY) continue;
        if (ir->dynamic_reads.array_start[i] == ir->dynamic_reads.array_start[i + 1]) continue;
        size_t n;
        const Expr *elements = expr_elements(pool, block->value, &b->work, &n);
        Accesses *accesses = &b->accesses[i];
        accesses->items = ARENA_ARRAY(&b->work, const ExprAccess *, n);
        for (size_t k = 0; k < n; k++) {
            const ExprAccess *access = expr_access(pool, elements[k]);
            if (!is_param(b, access->array)) accesses->items[accesses->n++] = access;
        }
    }
}

static void decode_turn(const ExprLoops *loops, uint32_t turn, uint32_t *turns)
{
    for (uint32_t k = EXPR_LOOPS_MAX; k-- > 0;) {
        const uint32_t count = k < loops->n ? loops->count[k] : 1;
        turns[k] = turn % count;
        turn /= count;
    }
}

static uint32_t n_turns(const ExprLoops *loops)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < loops->n; k++) n *= loops->count[k];
    return n;
}

static uint32_t element_of(const ExprAccess *access, const uint32_t *turns)
{
    int64_t element = access->offset;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) element += (int64_t)access->stride[k] * turns[k];
    return (uint32_t)element;
}

static const FlatFamily *family_of(const Back *b, uint32_t block)
{
    const Ordered *system = &b->ir->blocks->dynamic;
    return &system->families[system->blocks[block].family];
}

// For the elements that are no states but read: who computes them.
static void find_owners(Back *b)
{
    const Ir *ir = b->ir;
    const Flat *flat = ir->flat;
    const Ordered *system = &ir->blocks->dynamic;
    bool *is_read = ARENA_ARRAY(&b->work, bool, flat->arrays.n), any = false;
    for (uint32_t i = 0; i < system->n_blocks; i++) {
        for (uint32_t k = 0; k < b->accesses[i].n; k++) {
            const uint32_t a = b->accesses[i].items[k]->array;
            if (ir->layout.array_state[a] == FLAT_NONE) is_read[a] = any = true;
        }
    }
    b->seen = ARENA_ARRAY(&b->work, uint32_t, flat->vars.n + (any ? flat->n_elements : 0));
    if (!any) return;
    b->element_block = ARENA_ARRAY(&b->work, uint32_t, flat->n_elements);
    b->element_turn = ARENA_ARRAY(&b->work, uint32_t, flat->n_elements);
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        for (uint32_t k = system->array_first[a]; is_read[a] && k < system->array_first[a + 1]; k++) {
            const FlatFamily *family = family_of(b, system->array_blocks[k]);
            const ExprAccess *target = expr_access(&flat->pool, family->lhs);
            const uint32_t n = n_turns(&family->loops);
            for (uint32_t t = 0; t < n; t++) {
                uint32_t turns[EXPR_LOOPS_MAX];
                decode_turn(&family->loops, t, turns);
                const uint32_t element = flat->arrays.items[a].first + element_of(target, turns);
                b->element_block[element] = system->array_blocks[k];
                b->element_turn[element] = t;
            }
        }
    }
}

static void add_column(Back *b, uint32_t state)
{
    if (b->has_column[state] == b->row + 1) return;
    b->has_column[state] = b->row + 1;
    vec_push(&b->work, &b->columns, state);
}

static void meet_variable(Back *b, uint32_t variable)
{
    const uint32_t state = b->ir->layout.state_of[variable];
    if (state != FLAT_NONE) {
        add_column(b, state);
    } else if (b->ir->blocks->dynamic.block_of[variable] != FLAT_NONE && b->seen[variable] != b->row + 1) {
        b->seen[variable] = b->row + 1;
        vec_push(&b->work, &b->todo, variable);
    }
}

static void meet_element(Back *b, uint32_t array, uint32_t element)
{
    const IrLayout *layout = &b->ir->layout;
    const Flat *flat = b->ir->flat;
    if (layout->array_state[array] != FLAT_NONE) {
        add_column(b, layout->array_state[array] + element * layout->array_step[array]);
        return;
    }
    const uint32_t node = (uint32_t)flat->vars.n + flat->arrays.items[array].first + element;
    if (b->seen[node] == b->row + 1) return;
    b->seen[node] = b->row + 1;
    vec_push(&b->work, &b->todo, node);
}

// All that a block reads in one turn.
static void meet_reads(Back *b, uint32_t block, const uint32_t *turns)
{
    const IrReads *reads = &b->ir->dynamic_reads;
    for (uint32_t k = reads->start[block]; k < reads->start[block + 1]; k++) meet_variable(b, reads->var[k]);
    const Accesses *accesses = &b->accesses[block];
    for (uint32_t k = 0; k < accesses->n; k++)
        meet_element(b, accesses->items[k]->array, element_of(accesses->items[k], turns));
    b->n_visits += reads->start[block + 1] - reads->start[block] + accesses->n;
}

static void go_back(Back *b)
{
    static const uint32_t no_turns[EXPR_LOOPS_MAX];
    const uint32_t n_vars = (uint32_t)b->ir->flat->vars.n;
    while (b->todo.n && b->n_visits <= VISITS_MAX) {
        const uint32_t node = vec_pop(&b->todo);
        if (node < n_vars) {
            meet_reads(b, b->ir->blocks->dynamic.block_of[node], no_turns);
            continue;
        }
        uint32_t turns[EXPR_LOOPS_MAX];
        const uint32_t block = b->element_block[node - n_vars];
        decode_turn(&family_of(b, block)->loops, b->element_turn[node - n_vars], turns);
        meet_reads(b, block, turns);
    }
}

// The rows as they are met; in `columns` one behind the other.
typedef struct Rows { uint32_t *first, *n; } Rows;    // [n_states] each

static bool end_row(Back *b, Rows *rows, size_t before)
{
    go_back(b);
    if (b->n_visits > VISITS_MAX || b->columns.n > ENTRIES_MAX) return false;
    rows->first[b->row] = (uint32_t)before;
    rows->n[b->row] = (uint32_t)(b->columns.n - before);
    return true;
}

static bool find_scalar_rows(Back *b, Rows *rows)
{
    const Blocks *blocks = b->ir->blocks;
    for (uint32_t i = 0; i < blocks->n_states; i++) {
        const size_t before = b->columns.n;
        b->row = b->ir->layout.state_of[blocks->states[i]];
        meet_variable(b, blocks->rates[i]);
        if (!end_row(b, rows, before)) return false;
    }
    return true;
}

static bool find_array_rows(Back *b, Rows *rows, uint32_t x)
{
    const Ir *ir = b->ir;
    const IrLayout *layout = &ir->layout;
    const Ordered *system = &ir->blocks->dynamic;
    const uint32_t rate = ir->flat->arrays.items[x].derivative;
    for (uint32_t e = 0; layout->array_state[rate] != FLAT_NONE && e < ir->flat->arrays.items[x].n; e++) {
        const size_t before = b->columns.n;
        b->row = layout->array_state[x] + e * layout->array_step[x];
        meet_element(b, rate, e);
        if (!end_row(b, rows, before)) return false;
    }
    for (uint32_t k = system->array_first[rate]; k < system->array_first[rate + 1]; k++) {
        const uint32_t block = system->array_blocks[k];
        const FlatFamily *family = family_of(b, block);
        const ExprAccess *target = expr_access(&ir->flat->pool, family->lhs);
        const uint32_t n = n_turns(&family->loops);
        for (uint32_t t = 0; t < n; t++) {
            uint32_t turns[EXPR_LOOPS_MAX];
            decode_turn(&family->loops, t, turns);
            const size_t before = b->columns.n;
            b->row = layout->array_state[x] + element_of(target, turns) * layout->array_step[x];
            meet_reads(b, block, turns);
            if (!end_row(b, rows, before)) return false;
        }
    }
    return true;
}

// From rows to columns: the rows of each ascend.
static void transpose(const Back *b, const Rows *rows, IrPattern *pattern, Arena *arena)
{
    const uint32_t n_states = b->ir->layout.n_states;
    *pattern = (IrPattern){ ARENA_ARRAY(arena, uint32_t, (size_t)n_states + 2),
                            ARENA_ARRAY(arena, uint32_t, b->columns.n), (uint32_t)b->columns.n };
    uint32_t *end = pattern->start + 1;
    for (size_t i = 0; i < b->columns.n; i++) end[b->columns.items[i] + 1]++;
    for (uint32_t j = 1; j <= n_states; j++) end[j] += end[j - 1];
    for (uint32_t i = 0; i < n_states; i++)
        for (uint32_t k = 0; k < rows->n[i]; k++)
            pattern->row[end[b->columns.items[rows->first[i] + k]]++] = i;
}

bool ir_family_pattern(const Ir *ir, IrPattern *pattern, Arena *arena)
{
    const uint32_t n_states = ir->layout.n_states;
    Back b = { .ir = ir };
    b.has_column = ARENA_ARRAY(&b.work, uint32_t, n_states);
    Rows rows = { ARENA_ARRAY(&b.work, uint32_t, n_states), ARENA_ARRAY(&b.work, uint32_t, n_states) };
    find_accesses(&b);
    find_owners(&b);
    bool ok = find_scalar_rows(&b, &rows);
    for (uint32_t i = 0; ok && i < ir->blocks->n_state_arrays; i++)
        ok = find_array_rows(&b, &rows, ir->blocks->state_arrays[i]);
    if (ok) transpose(&b, &rows, pattern, arena);
    arena_free(&b.work);
    return ok;
}
