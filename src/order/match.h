// src/order/match.h: a largest matching of rows and columns: each equation computes one unknown.
#pragma once
#include "num/incidence.h"

typedef struct Match {
    uint32_t *column_of;    // [n_rows] or INCIDENCE_NONE
    uint32_t *row_of;       // [n_columns] or INCIDENCE_NONE
    uint32_t  n;            // pairs
} Match;

// A largest matching. `columns` is the transpose of `rows`. `prefer` is NULL or [n_rows] a column each row
// would like to have, or INCIDENCE_NONE. Columns below `n_first` come first: no other column takes a row that
// one of them could have had. O(entries · sqrt(columns)) at worst, mostly O(entries).
Match match_find(const Incidence *rows, const Incidence *columns, const uint32_t *prefer, uint32_t n_first,
                 Arena *arena);
