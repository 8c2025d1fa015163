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
} Block;

typedef enum LoopMethod {
    LOOP_SYMBOLIC,      // n ASSIGN blocks one after the other, none of which reads the others
    LOOP_LU,            // one LINEAR block
    LOOP_NEWTON,        // one NEWTON block
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
} Ordered;

typedef struct Blocks {
    const Flat *flat;                 // borrowed
    uint32_t   *states;               // [n_states] variables in order of declaration; x before x'
    uint32_t   *rates;                // [n_states] each state's derivative, which may itself be a state
    uint32_t    n_states;
    uint32_t   *params;               // [n_params] and inputs, in an order to evaluate their defaults in
    uint32_t    n_params;
    uint32_t   *required;             // [n_required] parameters and inputs that every run must be given
    uint32_t    n_required;
    Ordered     dynamic;              // at every instant
    Ordered     start;                // at the start; also computes the parameters with start.block_of set
} Blocks;

// False, with diagnostics, if the system cannot be solved: too many or too few equations, no initial value,
// singular.
bool order_sort(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag);
// For `--loops halt`: report each loop of the dynamic system as an error. True if there is none.
bool order_refuse_loops(const Blocks *blocks, orr_diag *diag);
const char *order_method_text(const Loop *loop);    // "linear, solved symbolically", …; static
void blocks_print(const Blocks *blocks, FILE *out);

// The lecture's algorithm on this model, step by step, for people: dependency graph, D and D* when small, DFS
// numbers, the two passes of the strong components (Kosaraju–Sharir), and the result.
void order_explain(const Blocks *blocks, FILE *out);
