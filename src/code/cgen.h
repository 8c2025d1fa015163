// src/code/cgen.h: what the printers of programs and of loops share.
#pragma once
#include "code/emit.h"
#include "num/fixed.h"

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

// A stage of a method with fixed steps over arrays: the rates `out` at a time and a state, then a statement
// for each state j; of the last stage, its new value. x is the state, y one between.
typedef struct ArrayStage { const char *time, *state, *out, *each; } ArrayStage;
ArrayStage  array_stage(const Tableau *method, int stage, Arena *arena);
int         array_n_rates(const Tableau *method);    // arrays k0, k1, … that they need
const char *array_constants(const Tableau *method, Arena *arena);

// The fixed-step loops: those of the core, and the in-place one, which may stand alone.
void loops_print(Cgen *c, unsigned loops);    // bits 1 << CodeLoopId
bool loops_are_local(Cgen *c);                // the derivatives stand inside them
bool loops_print_lanes(Cgen *c, CodeLanesKind kind);    // for several members at once; false if the model is
                                                        // too large
void loops_print_in_place(Cgen *c);
