// src/num/incidence.h: which row contains which column: a sparse pattern without values.
//
// Rows are equations and columns unknowns, or rows are nodes and columns the nodes they need. Kept in
// compressed rows; the transpose gives the columns. Matching, strong components and diagnosis know nothing
// else of a model, so they serve the dynamic system, the start and any system made by a later pass (index
// reduction, families) alike.
#pragma once
#include "base/arena.h"
#include <stdint.h>

#define INCIDENCE_NONE UINT32_MAX

typedef struct Incidence {
    uint32_t  n_rows, n_columns;
    uint32_t *first;      // [n_rows + 1] where each row starts in `columns`; so fewer than 2^32 entries
    uint32_t *columns;    // [first[n_rows]] each at most once in a row
} Incidence;

static inline uint32_t incidence_count(const Incidence *a, uint32_t row)
{
    return a->first[row + 1] - a->first[row];
}

// Columns become rows, each ascending. O(rows + columns + entries).
Incidence incidence_transpose(const Incidence *a, Arena *arena);

void incidence_sort(uint32_t *items, size_t n);    // ascending
