// src/code/quantise.h: the terms of ir/quantise.h as functions.
#pragma once
#include "code/code.h"
#include "code/qss_step.h"
#include "ir/quantise.h"

// One term at time t, from polynomials as qss_step.h has them. Rates and shared variables read `q`, relations
// `x`, for which they are handed x in place of q. `row` and `numbers` are those of IrQuantised.
//
//     rate, shared variable    out[0 .. order - 1]: value and derivatives by time; of rates, if asked,
//                              also the derivative of the rate by its own state
//     relation                 out[0 .. 2]: the zero function and its derivatives by time
//     residual                 as a relation or, if it reads q, as a shared variable
typedef void (*CodeTerm)(double t, const double *q, const double *v, const uint32_t *row,
                         const double *numbers, double *out);

// What terms of rates give besides value and derivatives by time.
typedef enum CodeOwn {
    CODE_PLAIN,
    CODE_WITH_OWN,       // the derivative by their own state
    CODE_WITH_SLOPES,    // likewise; and there are functions for those by other states
} CodeOwn;

// Terms for one kind of solver.
typedef struct CodeQuantised {
    const IrQuantised *ir;    // shared by all kinds
    const CodeTerm *terms;    // [n_shapes]
    // Of a small model, else NULL: [n_states] all rates that depend on a state, in the order of
    // IrQuantised.affects, one after the other in `out`. `row` is not read.
    const CodeTerm *updates;
    // With CODE_WITH_SLOPES, else NULL: [n_shapes] of rates, the derivatives by the states that they read, in
    // the order of their slots; only the first CODE_SLOPES_MAX. Shared variables count as constant.
    const CodeTerm *slopes;
    // Where there are loops, or shared variables and own derivatives are asked for, else NULL: [n_shapes] of
    // all but relations, the derivatives by all states, shared variables and unknowns, in the order of slots.
    const CodeTerm *parts;
    // Of a small model in native code, else NULL: steps until t_want is passed, n_max are taken, or a rate
    // must be looked at again or is not finite. What is due then is for the caller to see.
    void (*loop)(QssSmall *small);
    CodeUnit unit;
    int order;
    CodeOwn own;
    Background *background;    // native code on its way or arrived; NULL: nobody asked
    // The same terms in native code, once they are there: whoever runs these may take them between two steps.
    _Atomic(const struct CodeQuantised *) better;
} CodeQuantised;

// Made on first use; safe in threads. NULL, with a diagnostic that names `solver`, if the model does not
// allow it.
enum {
    CODE_UPDATES_MAX = 8,    // states of a model that is small
    CODE_SLOPES_MAX = 32,
    CODE_LOOP_MAX = 16,    // rates that its loop computes, of all states: each has its own code
};
const CodeQuantised *code_quantised(const Code *code, int order, CodeOwn own, const char *solver,
                                    orr_diag *diag);
void code_free_quantised(Code *code);

// As code_native_ms and code_improve, for terms made by `code`.
double code_quantised_native_ms(const Code *code, const CodeQuantised *quantised);
void code_quantised_improve(const Code *code, const CodeQuantised *quantised);
bool code_quantised_is_improved(const Code *code);    // any of them

// The text, in the arena; derivatives are made in the pool of the terms.
Text code_quantised_text(IrQuantised *q, int order, CodeOwn own, bool with_loop, Arena *arena);
// The terms as static functions orr_term_… and a table orr_terms of these, for a file that stands alone;
// likewise orr_slopes and orr_parts, where there are such. What they call, [CODE_MATH_MAX] and NULL behind
// the last, goes to `math`, for code_file_text.
enum { CODE_MATH_MAX = 64 };
Text code_quantised_file_text(IrQuantised *q, int order, CodeOwn own, const char **math, Arena *arena);
bool code_has_loop(const IrQuantised *q);

// [n_states] Whose polynomial is only near the truth, in a method of this order?
const bool *code_bends(const IrQuantised *q, int order);
// And bounds are to say how near, each time it is computed?
bool code_proves(const IrQuantised *q, int order, uint32_t state);
