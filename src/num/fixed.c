// src/num/fixed.c: the tables of fixed.def.
#include "num/fixed.h"

#define ROW(at, by, ...) { .c = (at), .divisor = (by), .weight = { __VA_ARGS__ } }
const Tableau fixed_methods[N_FIXED] = {
#define FIXED(symbol, accuracy, summary, stages, ...) \
    { .name = #symbol, .order = (accuracy), .n_stages = (stages), .rows = { __VA_ARGS__ } },
#include "num/fixed.def"
#undef FIXED
};
