// src/order/augment.h: a matching that grows row by row, with the rows and columns met when it does not.
//
// match.h finds a largest matching of a fixed pattern at once. Here rows come one after another, the earlier
// ones have the first right, rows and columns may be added on the way, and a row that finds no column leaves
// behind why: the rows and columns of its alternating tree. All rows of the tree compete for its columns,
// which are one fewer. Index reduction differentiates them; initial values are checked against them.
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "num/incidence.h"
#include "order/match.h"
#include <stdbool.h>

typedef struct AugmentRow {
    uint32_t *columns;    // [n]
    uint32_t  n;
} AugmentRow;

typedef VEC(uint32_t) AugmentList;

typedef struct Augment {
    Arena *arena;               // borrowed
    VEC(AugmentRow) rows;
    AugmentList column_of;      // [rows.n] or INCIDENCE_NONE
    AugmentList row_of;         // [columns] or INCIDENCE_NONE
    VEC(bool)   is_closed;      // [columns] takes no part any more
    AugmentList stamp;          // [columns] number of the last search that met it
    uint32_t    n_searches;
    AugmentList met_rows, met_columns;    // of the last search
    AugmentList path, next;     // scratch
} Augment;

void     augment_init(Augment *a, Arena *arena);
uint32_t augment_add_row(Augment *a, uint32_t *columns, uint32_t n);    // borrows `columns`; returns its
                                                                        // number
uint32_t augment_add_column(Augment *a);
void     augment_pair(Augment *a, uint32_t row, uint32_t column);       // both are free
// Rows and columns of a pattern, matched as `match` says.
void     augment_take(Augment *a, const Incidence *rows, const Match *match);

// Find a column for a free row, moving others to other columns if need be. False if that is not possible:
// then met_rows and met_columns are its alternating tree, met_rows[0] the row itself. A tree that was left in
// vain is of no use to any later row, as long as nothing is added: close its columns to keep all searches
// together linear. Without recursion.
bool augment_row(Augment *a, uint32_t row);
void augment_close_tree(Augment *a);
