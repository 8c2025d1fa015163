// src/order/blocks.h: who computes what, and when: the equations sorted, loops gathered, each solved for its
// unknowns.
//
//     equations × unknowns ─match→ each equation computes one unknown ─strong components→ blocks in order
//
// Unknown at every instant are the highest derivatives and the algebraic variables; the states (all lower
// derivatives) are known, integrated by the solver. At the start the states are unknown too: their start
// values and the initial equations join the system (`start`), which is matched and sorted in the same way.
#pragma once
#include "flat/flat.h"

typedef enum BlockKind {
    BLOCK_ASSIGN,       // one unknown in closed form: unknowns[0] := value
    BLOCK_LINEAR,       // n unknowns: matrix · unknowns = vector
    BLOCK_NEWTON,       // torn: `inner` unknowns in closed form from the `torn` ones, which Newton finds
    BLOCK_FAMILY,       // elements of an array, turn by turn, in closed form; n is 0
} BlockKind;

typedef struct BlockEntry {     // one non-zero entry of a matrix
    uint32_t row, column;
    Expr     value;
} BlockEntry;

typedef struct Block {
    BlockKind  kind;
    uint32_t   n;               // equations and unknowns
    uint32_t  *equations;       // [n] of the system, in the order of `unknowns`; NEWTON: the residuals first
    uint32_t  *unknowns;        // [n] variables; NEWTON: first n_torn torn ones, then the inner ones in order
    Expr       value;           // ASSIGN
    Expr       divisor;         // ASSIGN: what was divided by, must not be zero; or EXPR_NONE
    uint32_t   n_torn;          // NEWTON: size of the iteration
    Expr      *inner;           // NEWTON: [n - n_torn] closed forms, in order of evaluation
    Expr      *residuals;       // NEWTON: [n_torn], zero at the solution; read torn and inner unknowns
    BlockEntry *entries;        // LINEAR: matrix by row, column; NEWTON: of residuals by torn, total
    uint32_t   n_entries;
    Expr      *vector;          // LINEAR: [n] right-hand side
    uint32_t   loop;            // the loop it solves, wholly or in part: place in Ordered.loops; or FLAT_NONE
    uint32_t   family;          // FAMILY: place in Ordered.families
} Block;

typedef enum LoopMethod {
    LOOP_SYMBOLIC,      // n ASSIGN blocks one after the other, none of which reads the others
    LOOP_LU,            // one LINEAR block
    LOOP_NEWTON,        // one NEWTON block
    LOOP_SOLVER,        // left to the solver: its unknowns are states without a derivative
} LoopMethod;

// Equations that need each other's unknowns: an algebraic loop. A single equation counts if it is written for
// an unknown that it reads as well (x = cos(x)), or if no closed form was found.
typedef struct Loop {
    LoopMethod  method;
    bool        is_linear;
    uint32_t    n;                     // equations and unknowns
    uint32_t   *equations;             // [n] in the order of computing them if the last were known
    uint32_t   *unknowns;              // [n] unknowns[i] is what equations[i] is matched with
    uint32_t    first_block, n_blocks;
    BlockEntry *entries;               // if linear: matrix · unknowns = vector, by row, column
    uint32_t    n_entries;
    Expr       *vector;                // if linear: [n]
} Loop;

// A matched and sorted system of equations.
typedef struct Ordered {
    const FlatEquation *equations;    // [n_equations]; start: of the model, then initial, then `x = start`
    uint32_t   n_equations;
    uint32_t  *unknowns;              // [n_unknowns] variables
    uint32_t   n_unknowns;
    Block     *blocks;                // [n_blocks] in order of evaluation
    uint32_t   n_blocks;
    uint32_t  *block_of;              // [n_vars] block that computes a variable, FLAT_NONE if known
    uint32_t  *computes;              // [n_equations] the variable each equation is matched with
    Loop      *loops;                 // [n_loops] in order of evaluation
    uint32_t   n_loops;
    const FlatFamily *families;       // [n_families] each computes elements of an array; turns are made in
                                      // order
    uint32_t   n_families;
    uint32_t  *array_first;           // [n_arrays + 1] array a is computed by the blocks
                                      // array_blocks[array_first[a]] …
    uint32_t  *array_blocks;          // ascending
} Ordered;

// Which of several variables that constraints tie together are states. It is decided while running, for no
// choice is good everywhere: of x² + y² = L² follows y from x except where y is near 0. States are slots,
// each of which is one of the variables at a time: slot = Σ parameter · variable, with parameters 0 and 1
// that the run changes.
typedef struct Choice {
    uint32_t    n_rows, n_columns;    // constraints, variables
    uint32_t    n_slots;              // n_columns - n_rows
    uint32_t    n_orders;             // at least 2: what is chosen from, and its derivatives
    uint32_t   *equations;            // [n_rows] constraints as written
    BlockEntry *entries;              // [n_entries] derivative of a constraint by a variable, by row
    uint32_t    n_entries;
    uint32_t   *variables;            // [n_orders·n_columns] order by order
    uint32_t   *slots;                // [n_orders·n_slots] the states and, at the end, the rates of the last
                                      // ones
    uint32_t   *params;               // [n_slots·n_columns] 1: the slot is that variable
    uint32_t   *first;                // [n_slots] the column each slot begins with
    double     *weights;              // [n_columns] the larger, the rather it is a state
} Choice;

// An initial value that the model does not need, because others and the constraints determine it.
typedef struct GivenCheck {
    uint32_t  variable;
    uint32_t *equations;              // [n_equations] that determine it, as written
    uint32_t  n_equations;
    uint32_t *initial;                // [n_initial] initial equations of the model that do
    uint32_t  n_initial;
    uint32_t *others;                 // [n_others] variables whose initial values do
    uint32_t  n_others;
} GivenCheck;

// What index reduction did. Equations behind n_written are derivatives of others, and last those of the
// slots.
typedef struct Reduction {
    uint32_t    index;                // structural index of the model as written
    uint32_t    n_written;            // equations of the model as written
    uint32_t    n_derived;            // derivatives by time of these
    uint32_t   *root;                 // [n_written + n_derived] the equation as written
    uint32_t   *order;                // [n_written + n_derived] how often differentiated
    uint32_t   *dependents;           // [n_dependents] variables with a derivative that constraints compute,
                                      // always
    uint32_t    n_dependents;
    Choice     *choices;              // [n_choices]
    uint32_t    n_choices;
    bool       *had_derivative;       // [n_vars] in the model as written: states if there were no constraints
    uint32_t   *start_param;          // [n_vars] the parameter with the initial value given for it, or
                                      // FLAT_NONE
    GivenCheck *checks;               // [n_checks]
    uint32_t    n_checks;
} Reduction;

typedef struct Blocks {
    const Flat *flat;                 // borrowed
    Reduction  *reduction;            // NULL if the model needed none
    uint32_t   *states;               // [n_states] variables in order of declaration; x before x'
    uint32_t   *rates;                // [n_states] each state's derivative, which may itself be a state
    uint32_t    n_states;
    uint32_t    n_implicit;           // the last of them: unknowns of loops, whose `rates` are residuals to
                                      // be zero
    uint32_t   *params;               // [n_params] and inputs, in an order to evaluate their defaults in
    uint32_t    n_params;
    uint32_t   *required;             // [n_required] parameters and inputs that every run must be given
    uint32_t    n_required;
    uint32_t   *state_arrays;         // [n_state_arrays] arrays that are states, x before x'; each has a
                                      // derivative
    uint32_t    n_state_arrays;
    Ordered     dynamic;              // at every instant
    Ordered     start;                // at the start; also computes the parameters with start.block_of set
} Blocks;

// False, with diagnostics, if the system cannot be solved: too many or too few equations, no initial value,
// singular. False without any if some arrays cannot stay arrays: those are marked irregular in the flat
// model.
bool order_sort(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag);
// Leave loops with more rows than this to the solver, if that is possible: then the model has n_implicit
// states that only a solver for implicit equations can find. Large loops are solved at the start by the run.
enum { ORDER_LOOP_MAX = 2000 };    // rows of what is solved by generated code, whose matrices are dense
void order_leave_loops(Blocks *blocks, Flat *flat, uint32_t rows_max, Arena *arena);
// For `--loops halt`: report each loop of the dynamic system as an error. True if there is none.
bool order_refuse_loops(const Blocks *blocks, orr_diag *diag);
const char *order_times_text(uint32_t times, char buffer[32]);    // "once", "twice", "3 times"
const char *order_method_text(const Loop *loop);    // "linear, solved symbolically", …; static
void blocks_print(const Blocks *blocks, FILE *out);

// The lecture's algorithm on this model, step by step, for people: dependency graph, D and D* when small, DFS
// numbers, the two passes of the strong components (Kosaraju–Sharir), and the result.
void order_explain(const Blocks *blocks, FILE *out);
