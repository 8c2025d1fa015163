// src/ir/ir.h: a model as programs: what the generated code computes, before it is text.
//
// A program is a list of statements over the expressions of the pool. All programs work on the same memory:
//
//     t                time
//     x[n_states]      states, owned by the solver
//     v[n_values]      the value block of a run: parameters and inputs | modes | all variables (last values)
//     out[…]           what the program computes: rates, values of relations, entries of the Jacobian, …
//
// Variables computed on the way are locals of the program; only programs that say so (`keeps`) store them in v.
#pragma once
#include "order/blocks.h"

typedef enum IrProgramId {
    IR_PARAMS,        // x: 1 for each parameter that was given, 0 otherwise; computes the defaults of the others into v
    IR_START,         // solve the start system: out[n_states] = states; keeps all variables. Guesses are read from v
    IR_RATES,         // out[n_states] = derivatives
    IR_VALUES,        // keeps every variable (algebraic ones, states, rates) in v: what recording reads
    IR_RELATIONS,     // out[2*n_relations] = zero function, truth value of each relation
    IR_ASSERTS,       // out[n_asserts] = truth value of each
    IR_TERMINAL,      // runs the terminal region on v; out[0] = 1 to run again
    IR_JACOBIAN,      // out[n_entries] = d rates / d states, in the order of `jacobian`
    IR_HISTORIES,     // out[n_delays] = what each delay remembers now
    IR_N_PROGRAMS
} IrProgramId;

typedef enum IrKind {
    IR_LOCAL,         // variable := value (a local of the program; kept in v if the program keeps)
    IR_OUT,           // out[index] := value
    IR_PARAM,         // parameter := value unless it was given
    IR_SOLVE,         // block := solved (LINEAR or NEWTON), its unknowns become locals
} IrKind;

typedef struct IrStatement {
    IrKind   kind;
    uint32_t index;           // variable, place in out, parameter, or block
    Expr     value;
    uint32_t equation;        // the equation it comes from, for messages; FLAT_NONE if none
} IrStatement;

typedef struct IrProgram {
    const char  *name;        // "rates": also its name in the generated C
    IrStatement *statements;  // [n_statements]
    uint32_t     n_statements;
    const Ordered *system;    // where blocks and equations are looked up: dynamic or start
    bool         keeps;       // store variables in v
} IrProgram;

// Places in the value block, the same for every program and for the run.
typedef struct IrLayout {
    uint32_t  n_params;       // v[0 .. n_params): parameters and inputs in the order of Blocks.params
    uint32_t  n_modes;        // v[n_params .. +n_modes): 0 or 1
    uint32_t  first_var;      // v[first_var + i]: variable i of the Flat model (unused for parameters)
    uint32_t  n_values;       // length of v
    uint32_t *place;          // [n_vars] place of each variable in v
    uint32_t *state_of;       // [n_vars] its number among the states, or FLAT_NONE
} IrLayout;

typedef struct Ir {
    Arena     *arena;         // borrowed; owns everything
    Flat      *flat;          // borrowed
    Blocks    *blocks;        // borrowed
    IrLayout   layout;
    IrProgram  programs[IR_N_PROGRAMS];
    BlockEntry *jacobian;     // [n_jacobian] row, column of each entry (value unused), by column, then row: compressed columns
    uint32_t   n_jacobian;
    IrProgram *one_rate;      // [n_states] for the in-place discipline: what must be computed anew before each state's update
} Ir;

bool ir_lower(Ir *ir, Blocks *blocks, Arena *arena, orr_diag *diag);
bool ir_verify(const Ir *ir);      // every variable is computed before it is read; asserted after lowering
void ir_print(const Ir *ir, FILE *out);
