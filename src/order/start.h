// src/order/start.h: the system at the start: the equations of the model, the initial equations, and what is
// given.
//
// Unknown are all variables, states included, and the parameters without a value, which initial equations may
// determine. A parameter whose default reads such a parameter is unknown with it, its default being its
// equation.
#pragma once
#include "order/blocks.h"
#include "order/structure.h"

typedef struct Start {
    System    system;
    uint32_t  first_initial;    // equations before: of the model
    uint32_t  first_given;      // from here: `x = start` of each state with an initial value; after index
                                // reduction of all that have one, whether they stayed states or not
    uint32_t  first_default;    // from here: `p = default` of the unknown parameters that have one
    const Reduction *reduction; // borrowed; NULL if there was none
    FlatFamily *families;       // [n_families] of the model, initial, and `x = start` of arrays
    uint32_t    n_families;
} Start;

// Parameters and the reduction are taken from the blocks, which need not contain more yet. `is_given` is
// NULL or [n_vars]: parameters without a value that a run will be given, and so are known. `is_dropped` is
// NULL or [n_vars]: variables whose initial value is left out.
Start start_build(Flat *flat, const Blocks *blocks, const bool *is_given, const bool *is_dropped,
                  Arena *arena);

bool start_has_value(const FlatVar *state);    // an initial value, not only a first guess
