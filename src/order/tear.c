// src/order/tear.c: greedy tearing from both ends.
//
// Forwards, an equation with one unknown left gives that unknown. Backwards, an unknown left in one equation
// only is given by that equation, after everything else. What is found forwards comes first, what is found
// backwards comes last, in reverse.
#include "order/tear.h"
#include "base/vec.h"
#include <assert.h>

typedef struct Candidate { uint64_t key; uint32_t unknown; } Candidate;    // larger key: better to tear

typedef struct Tear {
    const TearProblem *problem;
    Incidence columns;              // unknown → equations
    Arena     work;
    bool     *row_done, *column_done;
    uint32_t *row_left;             // [n] unknowns not done in an equation
    uint32_t *column_left;          // [n] equations not done that contain an unknown
    VEC(uint32_t) rows_todo, columns_todo;    // with one left
    size_t    rows_head, columns_head;
    VEC(Candidate) heap;            // old keys stay behind; a candidate counts if its key is up to date
    uint32_t *torn, *inner, *inner_rows;      // [n]
    uint32_t  n_torn, n_front, n_back;        // inner: [0, n_front) and from the end [n - n_back, n)
} Tear;

// ---- Candidates: a heap with the largest key on top

static uint64_t key_of(const Tear *t, uint32_t unknown)
{
    const bool *wanted = t->problem->is_wanted;
    const uint64_t prefers = wanted && wanted[unknown] ? UINT64_C(1) << 63 : 0;
    return prefers | (uint64_t)t->column_left[unknown] << 32 | (UINT32_MAX - unknown);
}

static void push_candidate(Tear *t, uint32_t unknown)
{
    vec_push(&t->work, &t->heap, (Candidate){ key_of(t, unknown), unknown });
    Candidate *h = t->heap.items;
    size_t i = t->heap.n - 1;
    while (i > 0 && h[(i - 1) / 2].key < h[i].key) {
        const Candidate swap = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = swap;
        i = (i - 1) / 2;
    }
}

static Candidate pop_candidate(Tear *t)
{
    Candidate *h = t->heap.items;
    const Candidate best = h[0];
    h[0] = vec_pop(&t->heap);
    const size_t n = t->heap.n;
    for (size_t i = 0;;) {
        size_t largest = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
            if (h[k].key > h[largest].key) largest = k;
        if (largest == i) return best;
        const Candidate swap = h[i];
        h[i] = h[largest];
        h[largest] = swap;
        i = largest;
    }
}

// ---- Bookkeeping

static void finish_column(Tear *t, uint32_t j)
{
    t->column_done[j] = true;
    for (uint32_t k = t->columns.first[j]; k < t->columns.first[j + 1]; k++) {
        const uint32_t i = t->columns.columns[k];
        if (--t->row_left[i] == 1 && !t->row_done[i]) vec_push(&t->work, &t->rows_todo, i);
    }
}

static void finish_row(Tear *t, uint32_t i)
{
    const Incidence *rows = &t->problem->rows;
    t->row_done[i] = true;
    for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
        const uint32_t j = rows->columns[k];
        if (--t->column_left[j] == 1 && !t->column_done[j]) vec_push(&t->work, &t->columns_todo, j);
        if (!t->column_done[j] && t->column_left[j] > 0) push_candidate(t, j);
    }
}

// The unknown left in an equation if the equation can be solved for it.
static uint32_t solvable_unknown(const Tear *t, uint32_t i)
{
    const Incidence *rows = &t->problem->rows;
    for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++)
        if (!t->column_done[rows->columns[k]])
            return t->problem->is_solvable[k] ? rows->columns[k] : INCIDENCE_NONE;
    return INCIDENCE_NONE;
}

// The equation left for an unknown if it can be solved for it.
static uint32_t solvable_row(const Tear *t, uint32_t j)
{
    const Incidence *rows = &t->problem->rows;
    for (uint32_t k = t->columns.first[j]; k < t->columns.first[j + 1]; k++) {
        const uint32_t i = t->columns.columns[k];
        if (t->row_done[i]) continue;
        uint32_t low = rows->first[i], high = rows->first[i + 1];
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (rows->columns[middle] <= j) low = middle;
            else high = middle;
        }
        return t->problem->is_solvable[low] ? i : INCIDENCE_NONE;
    }
    return INCIDENCE_NONE;
}

static void solve_all(Tear *t)
{
    const uint32_t n = t->problem->rows.n_rows;
    for (;;) {
        if (t->rows_head < t->rows_todo.n) {
            const uint32_t i = t->rows_todo.items[t->rows_head++];
            if (t->row_done[i] || t->row_left[i] != 1) continue;
            const uint32_t j = solvable_unknown(t, i);
            if (j == INCIDENCE_NONE) continue;
            t->inner[t->n_front] = j;
            t->inner_rows[t->n_front++] = i;
            finish_row(t, i);
            finish_column(t, j);
        } else if (t->columns_head < t->columns_todo.n) {
            const uint32_t j = t->columns_todo.items[t->columns_head++];
            if (t->column_done[j] || t->column_left[j] != 1) continue;
            const uint32_t i = solvable_row(t, j);
            if (i == INCIDENCE_NONE) continue;
            t->n_back++;
            t->inner[n - t->n_back] = j;
            t->inner_rows[n - t->n_back] = i;
            finish_row(t, i);
            finish_column(t, j);
        } else {
            return;
        }
    }
}

Tearing tear_choose(const TearProblem *problem, Arena *arena)
{
    const uint32_t n = problem->rows.n_rows;
    Tear t = { .problem = problem };
    t.columns = incidence_transpose(&problem->rows, &t.work);
    t.row_done = ARENA_ARRAY(&t.work, bool, n);
    t.column_done = ARENA_ARRAY(&t.work, bool, n);
    t.row_left = ARENA_ARRAY(&t.work, uint32_t, n);
    t.column_left = ARENA_ARRAY(&t.work, uint32_t, n);
    t.torn = ARENA_ARRAY(&t.work, uint32_t, n);
    t.inner = ARENA_ARRAY(&t.work, uint32_t, n);
    t.inner_rows = ARENA_ARRAY(&t.work, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        t.row_left[i] = incidence_count(&problem->rows, i);
        t.column_left[i] = incidence_count(&t.columns, i);
        if (t.row_left[i] == 1) vec_push(&t.work, &t.rows_todo, i);
    }
    for (uint32_t j = 0; j < n; j++) {
        push_candidate(&t, j);
        if (t.column_left[j] == 1) vec_push(&t.work, &t.columns_todo, j);
    }

    solve_all(&t);
    while (t.n_torn + t.n_front + t.n_back < n) {
        assert(t.heap.n > 0);    // every unknown not done has an entry that is up to date
        const Candidate best = pop_candidate(&t);
        if (t.column_done[best.unknown] || best.key != key_of(&t, best.unknown)) continue;
        t.torn[t.n_torn++] = best.unknown;
        finish_column(&t, best.unknown);
        solve_all(&t);
    }

    // what was left of the equations are the residuals
    Tearing result = { .n_torn = t.n_torn, .equations = ARENA_ARRAY(arena, uint32_t, n),
                       .unknowns = ARENA_ARRAY(arena, uint32_t, n) };
    incidence_sort(t.torn, t.n_torn);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!t.row_done[i]) result.equations[at++] = i;
    for (uint32_t k = 0; k < t.n_torn; k++) result.unknowns[k] = t.torn[k];
    for (uint32_t k = 0; k < n; k++) {
        if (k >= t.n_front && k < n - t.n_back) continue;
        result.unknowns[at] = t.inner[k];
        result.equations[at++] = t.inner_rows[k];
    }
    arena_free(&t.work);
    return result;
}
