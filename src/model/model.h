// src/model/model.h: a compiled model: all that runs share and nothing that changes.
#pragma once
#include "code/code.h"
#include "ir/ir.h"
#include "orrery/model.h"

struct orr_model {
    Arena    arena;           // owns everything below
    Flat     flat;            // names, equations, relations: for messages and recording
    Blocks   blocks;
    Ir       ir;
    Code     code;
    uint32_t n_states, n_params, n_values, n_relations, n_asserts, n_delays, n_events;
    double   compile_ms;
    const orr_diag *compiled_with;    // places mean its sources; compared, never read
};
