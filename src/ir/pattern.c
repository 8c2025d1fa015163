// src/ir/pattern.c: which derivatives depend on which states.
//
// From each state forward through the blocks that read it, directly or not. The rows of its column are the
// rates met.
#include "ir/lower.h"
#include <string.h>

enum {
    ENTRIES_MAX = 1 << 23,    // 8 million: 32 MB
    VISITS_MAX = 1 << 25,     // reads followed in all columns together
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

void lower_pattern(Lower *l)
{
    Ir *ir = l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    const uint32_t n_states = ir->blocks->n_states;
    const RateRows rows = find_rows(l);
    uint32_t *mark =
        ARENA_ARRAY(&l->work, uint32_t, system->n_blocks);    // last column that met a block, plus 1
    uint32_t *start = ARENA_ARRAY(ir->arena, uint32_t, n_states + 1);
    Numbers all = { 0 }, todo = { 0 };
    uint64_t n_visits = 0;
    for (uint32_t j = 0; j < n_states; j++) {
        const size_t first = all.n;
        add_rows(l, &rows, ir->blocks->states[j], &all);
        vec_push(&l->work, &todo, ir->blocks->states[j]);
        while (todo.n) {
            const uint32_t variable = vec_pop(&todo);
            n_visits += l->users_start[variable + 1] - l->users_start[variable];
            for (uint32_t k = l->users_start[variable]; k < l->users_start[variable + 1]; k++) {
                const uint32_t b = l->users[k];
                if (mark[b] == j + 1) continue;
                mark[b] = j + 1;
                l->n_reached++;
                for (uint32_t u = 0; u < system->blocks[b].n; u++) {
                    add_rows(l, &rows, system->blocks[b].unknowns[u], &all);
                    vec_push(&l->work, &todo, system->blocks[b].unknowns[u]);
                }
            }
        }
        if (all.n > ENTRIES_MAX || n_visits > VISITS_MAX) return;
        if (all.n > first) lower_sort(all.items + first, all.n - first);
        start[j + 1] = (uint32_t)all.n;
    }
    ir->has_pattern = true;
    ir->pattern = (IrPattern){ start, ARENA_ARRAY(ir->arena, uint32_t, all.n), (uint32_t)all.n };
    if (all.n) memcpy(ir->pattern.row, all.items, all.n * sizeof *all.items);
}
