// src/compile.h: what the passes of the compiler hand to each other.
#pragma once
#include "model/model.h"
#include "source.h"

typedef struct Compile {
    const orr_source          *source;     // borrowed
    const orr_compile_options *options;    // borrowed
    orr_diag                  *diag;       // borrowed
    const AstModel            *chosen;     // which model of the source
    bool                       units_fit;
    orr_model                 *model;      // filled pass by pass; owns flat, blocks, ir and code
    bool                       is_ordered; // the blocks were made together with the flat model
} Compile;
