// src/code/build.h: what the two compilers share.
#pragma once
#include "code/code.h"

// Compile a text and set what it defines in `code`; the unit is the caller's to add. False, with a
// diagnostic.
bool instant_compile(Code *code, Text text, CodeUnit *unit, orr_diag *diag);
bool native_compile(Code *code, Text text, CodeUnit *unit, orr_diag *diag);
void instant_free(CodeUnit *unit);
void native_free(CodeUnit *unit);

// The names of the generated functions, and where their addresses go. NULL behind the last.
typedef struct BuildSymbol {
    const char *name;       // "orr_rates"
    bool        is_loop;
    int         id;         // IrProgramId or CodeLoopId
} BuildSymbol;
extern const BuildSymbol build_symbols[];
void build_set(Code *code, const BuildSymbol *symbol, void *address);
