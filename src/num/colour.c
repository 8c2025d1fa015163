// src/num/colour.c: each column takes the first group in which no earlier column meets it in a row.
//
// Columns that meet are found through the rows, so the work is that of the product of the pattern and its
// transpose.
#include "num/colour.h"
#include "base/arena.h"

uint32_t colour_columns(const uint32_t *start, const uint32_t *row, uint32_t n, uint32_t *group)
{
    Arena scratch = { 0 };
    // the pattern by rows: row r has columns column[row_start[r]] to column[row_start[r + 1] - 1]
    uint32_t *row_start = ARENA_ARRAY(&scratch, uint32_t, (size_t)n + 2);
    uint32_t *column = ARENA_ARRAY(&scratch, uint32_t, (size_t)start[n] + 1);
    for (uint32_t i = 0; i < start[n]; i++) row_start[row[i] + 2]++;
    for (uint32_t r = 2; r < n + 2; r++) row_start[r] += row_start[r - 1];
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = start[c]; i < start[c + 1]; i++) column[row_start[row[i] + 1]++] = c;

    // [group] 1 + the column that met it
    uint32_t *taken_by = ARENA_ARRAY(&scratch, uint32_t, (size_t)n + 1);
    uint32_t n_groups = 0;
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t i = start[c]; i < start[c + 1]; i++) {
            const uint32_t r = row[i];
            for (uint32_t k = row_start[r]; k < row_start[r + 1] && column[k] < c; k++)
                taken_by[group[column[k]]] = c + 1;
        }
        uint32_t g = 0;
        while (taken_by[g] == c + 1) g++;
        group[c] = g;
        if (g >= n_groups) n_groups = g + 1;
    }
    arena_free(&scratch);
    return n_groups;
}
