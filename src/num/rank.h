// src/num/rank.h: which rows of a matrix depend on each other.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The first row of a [n·n], row after row, that is a combination of rows before it. Then factors[i] [n] says
// how often row i is taken so that the sum is 0: other than 0 for as few rows as possible, the smallest of
// them 1. False if there is no such row. `a` is spoilt; scratch is [n·n + n].
bool rank_dependent(double *a, size_t n, double *factors, double *scratch);
