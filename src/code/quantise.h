// src/code/quantise.h: the terms of ir/quantise.h as functions.
#pragma once
#include "code/code.h"
#include "ir/quantise.h"

// How the solver keeps a variable: its polynomial around a time of its own, in places of an array.
//
//     q[4*i + 0..2]    of state or shared variable i: coefficients of 1, d, d² with d = t - q[4*i + 3]
//     x[8*i + 0..3]    of state i: coefficients of 1, d, d², d³ with d = t - x[8*i + 4]; then the solver's
enum { CODE_Q = 4, CODE_Q_TIME = 3, CODE_X = 8, CODE_X_TIME = 4 };

// One term at time t. Rates and shared variables read `q`, relations `x`, for which they are handed in place
// of q. `row` and `numbers` are those of IrQuantised.
//
//     rate, shared variable    out[0 .. order - 1]: value and derivatives by time; of rates, if asked,
//                              also the derivative of the rate by its own state
//     relation                 out[0 .. 2]: the zero function and its derivatives by time
typedef void (*CodeTerm)(double t, const double *q, const double *v, const uint32_t *row,
                         const double *numbers, double *out);

// Terms for one kind of solver.
typedef struct CodeQuantised {
    const IrQuantised *ir;    // shared by all kinds
    const CodeTerm *terms;    // [n_shapes]
    // Of a small model, else NULL: [n_states] all rates that depend on a state, in the order of
    // IrQuantised.affects, one after the other in `out`. `row` is not read.
    const CodeTerm *updates;
    CodeUnit unit;
} CodeQuantised;

// Made on first use; safe in threads. NULL, with a diagnostic that names `solver`, if the model does not
// allow it.
enum { CODE_UPDATES_MAX = 8 };    // states of a model that is small
const CodeQuantised *code_quantised(const Code *code, int order, bool with_own, const char *solver,
                                    orr_diag *diag);
void code_free_quantised(Code *code);

// The text, in the arena; derivatives are made in the pool of the terms.
Text code_quantised_text(IrQuantised *q, int order, bool with_own, Arena *arena);
