// src/order/augment.c: alternating paths, depth first, looking for a free column before going deeper.
#include "order/augment.h"
#include <assert.h>
#include <string.h>

void augment_init(Augment *a, Arena *arena) { *a = (Augment){ .arena = arena }; }

uint32_t augment_add_row(Augment *a, uint32_t *columns, uint32_t n)
{
    vec_push(a->arena, &a->rows, (AugmentRow){ columns, n });
    vec_push(a->arena, &a->column_of, INCIDENCE_NONE);
    return (uint32_t)a->rows.n - 1;
}

uint32_t augment_add_column(Augment *a)
{
    vec_push(a->arena, &a->row_of, INCIDENCE_NONE);
    vec_push(a->arena, &a->is_closed, false);
    vec_push(a->arena, &a->stamp, 0);
    return (uint32_t)a->row_of.n - 1;
}

void augment_pair(Augment *a, uint32_t row, uint32_t column)
{
    assert(a->column_of.items[row] == INCIDENCE_NONE && a->row_of.items[column] == INCIDENCE_NONE);
    a->column_of.items[row] = column;
    a->row_of.items[column] = row;
}

void augment_take(Augment *a, const Incidence *rows, const Match *match)
{
    for (uint32_t j = 0; j < rows->n_columns; j++) augment_add_column(a);
    for (uint32_t i = 0; i < rows->n_rows; i++) {
        augment_add_row(a, rows->columns + rows->first[i], incidence_count(rows, i));
        if (match->column_of[i] != INCIDENCE_NONE) augment_pair(a, i, match->column_of[i]);
    }
}

static bool is_open(const Augment *a, uint32_t column)
{
    return !a->is_closed.items[column] && a->stamp.items[column] != a->n_searches;
}

static void enter(Augment *a, uint32_t row)
{
    vec_push(a->arena, &a->met_rows, row);
    vec_push(a->arena, &a->path, row);
    vec_push(a->arena, &a->next, 0);
}

static uint32_t free_column(const Augment *a, uint32_t row)
{
    const AugmentRow *r = &a->rows.items[row];
    for (uint32_t k = 0; k < r->n; k++) {
        const uint32_t j = r->columns[k];
        if (!a->is_closed.items[j] && a->row_of.items[j] == INCIDENCE_NONE) return j;
    }
    return INCIDENCE_NONE;
}

// The rows of the path each take the column through which the next one was met; the last takes `column`.
static void shift(Augment *a, uint32_t column)
{
    while (a->path.n > 0) {
        const uint32_t row = vec_pop(&a->path), before = a->column_of.items[row];
        a->column_of.items[row] = column;
        a->row_of.items[column] = row;
        column = before;
    }
}

bool augment_row(Augment *a, uint32_t row)
{
    assert(a->column_of.items[row] == INCIDENCE_NONE);
    a->n_searches++;
    a->met_rows.n = a->met_columns.n = a->path.n = a->next.n = 0;
    enter(a, row);
    for (bool is_new = true; a->path.n > 0;) {
        const uint32_t here = vec_last(&a->path);
        if (is_new) {
            const uint32_t column = free_column(a, here);
            if (column != INCIDENCE_NONE) {
                shift(a, column);
                return true;
            }
        }
        is_new = false;
        const AugmentRow *r = &a->rows.items[here];
        uint32_t *next = &vec_last(&a->next);
        while (*next < r->n && !is_open(a, r->columns[*next])) ++*next;
        if (*next == r->n) {
            a->path.n--;
            a->next.n--;
            continue;
        }
        const uint32_t column = r->columns[(*next)++];
        a->stamp.items[column] = a->n_searches;
        vec_push(a->arena, &a->met_columns, column);
        enter(a, a->row_of.items[column]);
        is_new = true;
    }
    return false;
}

void augment_close_tree(Augment *a)
{
    for (size_t k = 0; k < a->met_columns.n; k++) a->is_closed.items[a->met_columns.items[k]] = true;
}
