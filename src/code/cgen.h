// src/code/cgen.h: what the printers of programs and of loops share.
#pragma once
#include "code/emit.h"

typedef struct Cgen {
    Gen  gen;
    bool is_large;        // the derivatives take several functions: values and derivatives share them
    bool is_watched;      // of lanes: each may have to stop; see CodeLanesKind
} Cgen;

// The statements of a program as steps of a routine, in gen.work. `out` is where IR_OUT goes.
Step *cgen_steps(Cgen *c, const IrProgram *program, Array out, uint32_t *n);
// Is it short enough for one function?
bool cgen_fits(Cgen *c, const IrProgram *program);
// A routine for a program: its names, aliases and loops; steps are added by the caller.
Routine cgen_routine(const IrProgram *program);

// The functions orr_relations and orr_changed; the latter alone.
void cgen_print_relations(Cgen *c);
void cgen_print_changed(Cgen *c);

// The fixed-step loops: those of the core, and the in-place one, which may stand alone.
// The methods with fixed steps over arrays: stages compute the rates `out` at a time and a state, then do
// something for each state j; `end` is its new value. x is the state, y one between, f and d are rates.
typedef struct ArrayStage { const char *time, *state, *out, *each; } ArrayStage;    // each: NULL for nothing
typedef struct ArrayMethod {
    const char *name, *constants;
    ArrayStage  stages[4];    // up to the first without a time
    const char *end;
} ArrayMethod;
extern const ArrayMethod array_euler, array_heun, array_rk4;

void loops_print(Cgen *c, unsigned loops);    // bits 1 << CodeLoopId
bool loops_are_local(Cgen *c);                // the derivatives stand inside them
bool loops_print_lanes(Cgen *c, CodeLaneMethod method);    // for several members at once; false if the model
                                                           // is too large
void loops_print_in_place(Cgen *c);
