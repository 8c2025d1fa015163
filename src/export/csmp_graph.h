// src/export/csmp_graph.h: equations taken apart into CSMP blocks.
#pragma once
#include "order/blocks.h"

// What is written, and with which numbers.
typedef struct CsmpGraph {
    const Flat     *flat;        // all borrowed
    const Blocks   *blocks;
    const double   *start;       // [n_vars] values at the start; parameters and states are read
    const bool     *is_fixed;    // [n_vars] parameters to be written as the number in `start`, whatever their
                                 // default is computed from; NULL: none
    const uint32_t *outputs;     // [n_outputs] variables to be written at communication points
    uint32_t        n_outputs;
} CsmpGraph;

// Write the lines of all blocks: integrators first, in the order of the states, so that updating in place
// goes through them in that order. False, with messages that name the equations, if something has no block;
// `out` is then half a diagram.
bool csmp_graph_write(const CsmpGraph *graph, FILE *out, orr_diag *diag);
