// src/num/colour.h: columns of a sparse matrix that can be told apart when they are computed together.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Put the columns of an n by n pattern (compressed columns, rows ascending) into groups, none of which has
// two columns with a row in common: then one difference along the sum of a group's unit vectors gives all its
// columns. Greedy, in the order of the columns: a band of width w needs w groups. Returns the number of
// groups; group[n].
uint32_t colour_columns(const uint32_t *start, const uint32_t *row, uint32_t n, uint32_t *group);
