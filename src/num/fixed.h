// src/num/fixed.h: the explicit methods with fixed steps, by number.
#pragma once
#include "num/tableau.h"

enum {
#define FIXED(name, ...) FIXED_##name,
#include "num/fixed.def"
#undef FIXED
    N_FIXED
};

extern const Tableau fixed_methods[N_FIXED];
