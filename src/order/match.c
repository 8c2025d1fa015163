// src/order/match.c: matching in two steps: a cheap one that finds almost everything, and one that finishes.
// A model of which every equation is written for another unknown needs neither.
//
// Cheap (Karp and Sipser, 1981): as long as a row or column has one partner left, that pair is in some
// largest matching: take it. A system without loops is matched by this alone. Else take the preferred pair of
// the first row left.
//
// Finish (Hopcroft and Karp, 1973): in each phase find, breadth first, the length of the shortest alternating
// paths from free columns to free rows, then augment along a maximal set of disjoint ones, depth first. At
// most O(sqrt(columns)) phases. A matched row or column stays matched, so columns that come first are never
// displaced by later ones.
#include "order/match.h"
#include <stdbool.h>
#include <string.h>

// ---- Cheap

typedef struct Cheap {
    const Incidence *rows, *columns;
    Match    *match;
    uint32_t *row_left, *column_left;    // partners not taken yet
    uint32_t *queue;                     // rows as i, columns as n_rows + j, with one partner left
    size_t    head, tail;
    uint32_t  n_first;                   // columns from here on do not take part
} Cheap;

static void take(Cheap *c, uint32_t row, uint32_t column)
{
    c->match->column_of[row] = column;
    c->match->row_of[column] = row;
    c->match->n++;
    for (uint32_t k = c->rows->first[row]; k < c->rows->first[row + 1]; k++) {
        const uint32_t j = c->rows->columns[k];
        if (--c->column_left[j] == 1 && c->match->row_of[j] == INCIDENCE_NONE && j < c->n_first)
            c->queue[c->tail++] = c->rows->n_rows + j;
    }
    for (uint32_t k = c->columns->first[column]; k < c->columns->first[column + 1]; k++) {
        const uint32_t i = c->columns->columns[k];
        if (--c->row_left[i] == 1 && c->match->column_of[i] == INCIDENCE_NONE) c->queue[c->tail++] = i;
    }
}

static uint32_t free_column(const Cheap *c, uint32_t row)
{
    for (uint32_t k = c->rows->first[row]; k < c->rows->first[row + 1]; k++) {
        const uint32_t j = c->rows->columns[k];
        if (j < c->n_first && c->match->row_of[j] == INCIDENCE_NONE) return j;
    }
    return INCIDENCE_NONE;
}

static uint32_t free_row(const Cheap *c, uint32_t column)
{
    for (uint32_t k = c->columns->first[column]; k < c->columns->first[column + 1]; k++) {
        const uint32_t i = c->columns->columns[k];
        if (c->match->column_of[i] == INCIDENCE_NONE) return i;
    }
    return INCIDENCE_NONE;
}

static void take_forced(Cheap *c)
{
    while (c->head < c->tail) {
        const uint32_t v = c->queue[c->head++];
        uint32_t row, column;
        if (v < c->rows->n_rows) {
            row = v;
            column = c->match->column_of[row] == INCIDENCE_NONE ? free_column(c, row) : INCIDENCE_NONE;
        } else {
            column = v - c->rows->n_rows;
            row = c->match->row_of[column] == INCIDENCE_NONE ? free_row(c, column) : INCIDENCE_NONE;
        }
        if (row != INCIDENCE_NONE && column != INCIDENCE_NONE) take(c, row, column);
    }
}

static void match_cheap(Cheap *c, const uint32_t *prefer)
{
    for (uint32_t i = 0; i < c->rows->n_rows; i++) {
        for (uint32_t k = c->rows->first[i]; k < c->rows->first[i + 1]; k++)
            c->row_left[i] += c->rows->columns[k] < c->n_first;
        if (c->row_left[i] == 1) c->queue[c->tail++] = i;
    }
    for (uint32_t j = 0; j < c->rows->n_columns; j++) {
        c->column_left[j] = incidence_count(c->columns, j);
        if (c->column_left[j] == 1 && j < c->n_first) c->queue[c->tail++] = c->rows->n_rows + j;
    }
    take_forced(c);
    for (uint32_t i = 0; i < c->rows->n_rows; i++) {
        if (c->match->column_of[i] != INCIDENCE_NONE) continue;
        uint32_t j = prefer ? prefer[i] : INCIDENCE_NONE;
        if (j == INCIDENCE_NONE || j >= c->n_first || c->match->row_of[j] != INCIDENCE_NONE)
            j = free_column(c, i);
        if (j == INCIDENCE_NONE) continue;
        take(c, i, j);
        take_forced(c);
    }
}

// ---- Finish

typedef struct Finish {
    const Incidence *columns;
    Match    *match;
    uint32_t *level;    // [n_columns] steps from a free column, INCIDENCE_NONE: not reached, or a dead end
    uint32_t *next;     // [n_columns] entry of the column to be tried next
    uint32_t *list;     // [n_columns] queue of the search in breadth, stack of that in depth
    uint32_t  limit;    // level at which free rows were met: longer paths are left for later phases
} Finish;

// Levels of all columns up to the nearest free row. False if none can be reached.
static bool find_levels(Finish *f, uint32_t first, uint32_t end)
{
    const Incidence *a = f->columns;
    uint32_t head = 0, tail = 0;
    f->limit = INCIDENCE_NONE;
    memset(f->level, 0xff, a->n_rows * sizeof *f->level);
    for (uint32_t j = first; j < end; j++) {
        if (f->match->row_of[j] != INCIDENCE_NONE) continue;
        f->level[j] = 0;
        f->next[j] = a->first[j];
        f->list[tail++] = j;
    }
    while (head < tail) {
        const uint32_t j = f->list[head++];
        if (f->level[j] >= f->limit) break;
        for (uint32_t k = a->first[j]; k < a->first[j + 1]; k++) {
            const uint32_t other = f->match->column_of[a->columns[k]];
            if (other == INCIDENCE_NONE) {
                f->limit = f->level[j] + 1;
            } else if (f->level[other] == INCIDENCE_NONE) {
                f->level[other] = f->level[j] + 1;
                f->next[other] = a->first[other];
                f->list[tail++] = other;
            }
        }
    }
    return f->limit != INCIDENCE_NONE;
}

// Follow the levels from a free column to a free row; exchange the pairs on the way.
static bool augment(Finish *f, uint32_t column)
{
    const Incidence *a = f->columns;
    uint32_t depth = 0;
    f->list[0] = column;
    for (;;) {
        const uint32_t j = f->list[depth];
        if (f->next[j] == a->first[j + 1]) {
            f->level[j] = INCIDENCE_NONE;
            if (depth-- == 0) return false;
            f->next[f->list[depth]]++;
            continue;
        }
        const uint32_t other = f->match->column_of[a->columns[f->next[j]]];
        if (other == INCIDENCE_NONE) break;
        if (f->level[other] == f->level[j] + 1 && f->level[other] < f->limit) f->list[++depth] = other;
        else f->next[j]++;
    }
    for (uint32_t d = depth + 1; d-- > 0;) {
        const uint32_t j = f->list[d], row = a->columns[f->next[j]];
        f->match->column_of[row] = j;
        f->match->row_of[j] = row;
        f->level[j] = INCIDENCE_NONE;    // disjoint paths: no other one may use it in this phase
    }
    f->match->n++;
    return true;
}

static void match_finish(Finish *f, uint32_t first, uint32_t end)
{
    while (find_levels(f, first, end))
        for (uint32_t j = first; j < end; j++)
            if (f->match->row_of[j] == INCIDENCE_NONE && f->level[j] == 0) augment(f, j);
}

// Take all preferences, if they do not contradict each other: most models are written that way.
static bool match_as_preferred(Match *match, const Incidence *rows, const uint32_t *prefer, uint32_t n_first)
{
    for (uint32_t i = 0; i < rows->n_rows; i++) {
        const uint32_t j = prefer[i];
        if (j >= n_first || match->row_of[j] != INCIDENCE_NONE) return false;
        match->row_of[j] = i;
    }
    memcpy(match->column_of, prefer, rows->n_rows * sizeof *prefer);
    match->n = rows->n_rows;
    return true;
}

Match match_find(const Incidence *rows, const Incidence *columns, const uint32_t *prefer, uint32_t n_first,
                 Arena *arena)
{
    const uint32_t n = rows->n_rows, m = rows->n_columns;
    Match match = { .column_of = ARENA_ARRAY(arena, uint32_t, n), .row_of = ARENA_ARRAY(arena, uint32_t, m) };
    memset(match.column_of, 0xff, n * sizeof *match.column_of);
    memset(match.row_of, 0xff, m * sizeof *match.row_of);
    if (n == 0 || m == 0 || (prefer && match_as_preferred(&match, rows, prefer, n_first))) return match;
    memset(match.row_of, 0xff, m * sizeof *match.row_of);

    Arena work = { 0 };
    Cheap cheap = { .rows = rows,
                    .columns = columns,
                    .match = &match,
                    .n_first = n_first,
                    .row_left = ARENA_ARRAY(&work, uint32_t, n),
                    .column_left = ARENA_ARRAY(&work, uint32_t, m),
                    .queue = ARENA_ARRAY(&work, uint32_t, (size_t)n + m) };
    match_cheap(&cheap, prefer);
    if (match.n < n && match.n < m) {
        Finish finish = { .columns = columns, .match = &match, .level = ARENA_ARRAY(&work, uint32_t, m),
                          .next = ARENA_ARRAY(&work, uint32_t, m), .list = ARENA_ARRAY(&work, uint32_t, m) };
        match_finish(&finish, 0, n_first);
        match_finish(&finish, n_first, m);
    }
    arena_free(&work);
    return match;
}
