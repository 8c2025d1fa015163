// src/ir/pattern.c: which derivatives depend on which states.
//
// From each state forward through the blocks that read it, directly or not. The rows of its column are the
// rates met. Where most blocks depend on most states this would go through the model once for each state;
// then 64 states go together, one bit each:
//
//     mask(u) = OR of mask(w) over the variables w that u reads
#include "ir/lower.h"
#include <string.h>

enum {
    ENTRIES_MAX = 1 << 23,         // 8 million: 32 MB
    VISITS_ALWAYS = 100000,        // reads followed for single states
    VISITS_PER_READ = 4,
    MASKS_MAX = 1 << 27,           // masks joined, for all states
};

// The states whose derivative is a given variable, aliases followed: a linked list for each variable.
typedef struct RateRows {
    uint32_t *first;    // [n_vars] a row, or FLAT_NONE
    uint32_t *next;     // [n_states]
} RateRows;

static RateRows find_rows(Lower *l)
{
    const Ir *ir = l->ir;
    const size_t n_vars = ir->flat->vars.n;
    RateRows rows = { ARENA_ARRAY(&l->work, uint32_t, n_vars),
                      ARENA_ARRAY(&l->work, uint32_t, ir->blocks->n_states) };
    for (size_t i = 0; i < n_vars; i++) rows.first[i] = FLAT_NONE;
    for (uint32_t i = ir->blocks->n_states; i-- > 0;) {
        const uint32_t rate = lower_resolve(ir, ir->dynamic_alias, ir->blocks->rates[i]);
        if (rate == FLAT_NONE) continue;
        rows.next[i] = rows.first[rate];
        rows.first[rate] = i;
    }
    return rows;
}

static void add_rows(Lower *l, const RateRows *rows, uint32_t variable, Numbers *column)
{
    for (uint32_t i = rows->first[variable]; i != FLAT_NONE; i = rows->next[i]) vec_push(&l->work, column, i);
}

typedef struct Search {
    Lower   *l;
    RateRows rows;
    uint32_t *start;        // [n_states + 1]
    Numbers   all;          // rows of all columns so far
} Search;

// Column by column; false if that takes too long.
static bool search_single(Search *s)
{
    Lower *l = s->l;
    const Ir *ir = l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    // the last column that met a block, plus 1
    uint32_t *mark = ARENA_ARRAY(&l->work, uint32_t, system->n_blocks);
    const size_t limit = VISITS_ALWAYS + VISITS_PER_READ * (size_t)ir->dynamic_reads.start[system->n_blocks];
    size_t n_visits = 0;
    Numbers todo = { 0 };
    for (uint32_t j = 0; j < ir->blocks->n_states; j++) {
        const size_t first = s->all.n;
        add_rows(l, &s->rows, ir->blocks->states[j], &s->all);
        vec_push(&l->work, &todo, ir->blocks->states[j]);
        while (todo.n) {
            const uint32_t variable = vec_pop(&todo);
            n_visits += l->users_start[variable + 1] - l->users_start[variable];
            if (n_visits > limit) return false;
            for (uint32_t k = l->users_start[variable]; k < l->users_start[variable + 1]; k++) {
                const uint32_t b = l->users[k];
                if (mark[b] == j + 1) continue;
                mark[b] = j + 1;
                for (uint32_t u = 0; u < system->blocks[b].n; u++) {
                    add_rows(l, &s->rows, system->blocks[b].unknowns[u], &s->all);
                    vec_push(&l->work, &todo, system->blocks[b].unknowns[u]);
                }
            }
        }
        if (s->all.n > ENTRIES_MAX) return false;
        if (s->all.n > first) lower_sort(s->all.items + first, s->all.n - first);
        s->start[j + 1] = (uint32_t)s->all.n;
    }
    return true;
}

// On which of the states [first, first + n), n at most 64, each variable depends.
static void find_masks(const Ir *ir, uint32_t first, uint32_t n, uint64_t *mask)
{
    const Ordered *system = &ir->blocks->dynamic;
    memset(mask, 0, ir->flat->vars.n * sizeof *mask);
    for (uint32_t j = 0; j < n; j++) mask[ir->blocks->states[first + j]] = UINT64_C(1) << j;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        uint64_t any = 0;
        // an alias has been given the mask of what it stands for
        for (uint32_t k = ir->dynamic_reads.start[b]; k < ir->dynamic_reads.start[b + 1]; k++)
            any |= mask[ir->dynamic_reads.var[k]];
        for (uint32_t u = 0; u < system->blocks[b].n; u++) mask[system->blocks[b].unknowns[u]] = any;
    }
}

static bool search_together(Search *s)
{
    const Ir *ir = s->l->ir;
    const uint32_t n_states = ir->blocks->n_states;
    const uint64_t n_reads = ir->dynamic_reads.start[ir->blocks->dynamic.n_blocks];
    if ((n_states / 64 + 1) * n_reads > MASKS_MAX) return false;
    uint64_t *mask = ARENA_ARRAY(&s->l->work, uint64_t, ir->flat->vars.n);
    s->all.n = 0;
    for (uint32_t first = 0; first < n_states; first += 64) {
        const uint32_t n = n_states - first < 64 ? n_states - first : 64;
        find_masks(ir, first, n, mask);
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n_states; i++)
                if (mask[ir->blocks->rates[i]] >> j & 1) vec_push(&s->l->work, &s->all, i);
            s->start[first + j + 1] = (uint32_t)s->all.n;
            if (s->all.n > ENTRIES_MAX) return false;
        }
    }
    return true;
}

void lower_pattern(Lower *l)
{
    Ir *ir = l->ir;
    Search s = { .l = l, .rows = find_rows(l) };
    s.start = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks->n_states + 1);
    if (search_single(&s)) l->is_sparse = true;
    else if (!search_together(&s)) return;
    ir->has_pattern = true;
    ir->pattern = (IrPattern){ s.start, ARENA_ARRAY(ir->arena, uint32_t, s.all.n), (uint32_t)s.all.n };
    if (s.all.n) memcpy(ir->pattern.row, s.all.items, s.all.n * sizeof *s.all.items);
}
