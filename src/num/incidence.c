// src/num/incidence.c: transposing a sparse pattern by counting.
#include "num/incidence.h"
#include <stdlib.h>

Incidence incidence_transpose(const Incidence *a, Arena *arena)
{
    const uint32_t n_entries = a->first[a->n_rows];
    Incidence t = { .n_rows = a->n_columns, .n_columns = a->n_rows };
    t.first = ARENA_ARRAY(arena, uint32_t, (size_t)t.n_rows + 1);
    t.columns = ARENA_ARRAY(arena, uint32_t, n_entries);

    // lengths, shifted by one; then starts, which move to the ends while the rows are filled; then back
    for (uint32_t k = 0; k < n_entries; k++) t.first[a->columns[k] + 1]++;
    for (uint32_t j = 0; j < t.n_rows; j++) t.first[j + 1] += t.first[j];
    for (uint32_t i = 0; i < a->n_rows; i++)
        for (uint32_t k = a->first[i]; k < a->first[i + 1]; k++) t.columns[t.first[a->columns[k]]++] = i;
    for (uint32_t j = t.n_rows; j > 0; j--) t.first[j] = t.first[j - 1];
    t.first[0] = 0;
    return t;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void incidence_sort(uint32_t *items, size_t n)
{
    if (n > 16) {
        qsort(items, n, sizeof *items, ascending);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}
