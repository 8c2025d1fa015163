// src/compile/compile.h: what the passes of the compiler hand to each other.
#pragma once
#include "model/model.h"
#include "net/net.h"
#include "source/source.h"

typedef struct Compile {
    const orr_source          *source;     // borrowed
    const orr_compile_options *options;    // borrowed
    orr_diag                  *diag;       // borrowed
    const AstModel            *chosen;     // which model of the source
    bool                       units_fit;
    orr_model                 *model;      // filled pass by pass; owns flat, blocks, ir and code
    bool                       is_ordered; // the blocks were made together with the flat model
} Compile;

// All of these return false after a message.
bool choose_names_are_unique(const Compile *c);       // of models, experiments, frames and units
bool choose_model(Compile *c);                        // as asked, or the one that is nobody's component
bool inputs_read(Compile *c);                         // what inputs follow, for flattening
bool natives_bind(const Compile *c);                  // the C code of the native atomics that are used
bool islands_build(Compile *c, NetGuests *guests);    // compile each island; they are guests of the network
