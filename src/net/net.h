// src/net/net.h: the discrete-event side of a model: who sends messages to whom, as the kernel takes it.
//
// All equations and events of the models are one island, which the kernel does not see: it is what is outside. What
// bodies send enters the kernel by an input of the whole model, and what arrives for the models leaves it by an output.
// Event ports of models are points that messages pass through; all of them are ports of one component without behaviour,
// and the kernel leads each message straight to where it ends.
//
//     body ─send→ input of the kernel ─→ event port ─arrow→ event port ─→ output of the kernel ─→ variables, `on` bodies
#pragma once
#include "devs/devs.h"
#include "flat/flat.h"

typedef struct Network {
    const Flat    *flat;         // borrowed
    orr_devs      *devs;         // owned; finished
    uint32_t      *input;        // [flat->ports.n] by which input of the kernel bodies send to a port; FLAT_NONE: none does
    uint32_t      *arrives;      // [n_outputs] the port whose messages leave the kernel by this output
    orr_devs_port *inputs, *outputs;    // [n_inputs], [n_outputs] of the kernel
    orr_devs_port *points;       // [flat->ports.n] all event ports
    uint32_t       n_inputs, n_outputs;
    uint32_t      *first_on;     // [flat->ports.n + 1] where in `on` the events of a port begin
    uint32_t      *on;           // events that a message triggers, by priority, then in the order of the text
    bool           reaches;      // some message can arrive for the models
} Network;

// NULL after errors were reported. All but the kernel's model is in the arena.
Network *net_build(const Flat *flat, Arena *arena, orr_diag *diag);
void     net_destroy(Network *network);    // NULL is allowed
void     net_print(const Network *network, FILE *out);
