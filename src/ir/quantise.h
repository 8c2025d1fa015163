// src/ir/quantise.h: a model as its solvers by quantised states want it: each rate alone, and who reads whom.
//
// A rate, an algebraic variable shared by several rates, and the zero function of a relation are *terms*.
// Terms of equal shape share one expression over slots; what differs between them stands in a row of indices:
//
//     u[2]' = c*(u[1] - u[2])     shape: s0*(s1 - s2)     row of u[2]: 1, 2 (s0 never moves)
//     u[3]' = c*(u[2] - u[3])                             row of u[3]: 2, 3
//
// Small algebraic variables are part of the terms that read them; a large one that is read more than once is
// a term of its own, a *shared* variable. So are the unknowns of loops of equations, which no term computes:
// they are where the residuals of their loop, terms too, are zero. Relations read other values than rates,
// so a loop that both need has its residuals twice.
#pragma once
#include "ir/ir.h"

typedef enum IrSlotKind {
    IR_SLOT_STATE,      // index: of the state
    IR_SLOT_SHARED,     // index: n_states + number of the shared variable
    IR_SLOT_PLACE,      // index: place in v of a parameter, or of another value that changes only at events
    IR_SLOT_MODE,       // index: place in v of a mode
    IR_SLOT_NUMBER,     // index: in IrQuantised.numbers
    IR_SLOT_UNKNOWN,    // as IR_SLOT_SHARED: of residuals, an unknown of their own loop
} IrSlotKind;

typedef struct IrSlot {
    IrSlotKind kind;
    bool moves;         // not the same for all terms of the shape
    uint32_t index;     // if it does not move
    uint32_t column;    // if it does: in the row of the term
} IrSlot;

// In its expression slot s is VAR s (a mode: MODE s); derivatives by time are for code/ to make.
typedef struct IrShape {
    bool reads_x;        // of a relation; else it reads q
    bool is_relation;    // not a residual
    bool is_residual;
    Expr value;       // in IrQuantised.pool
    IrSlot *slots;    // [n_slots]
    uint32_t n_slots;
    uint32_t n_columns;    // length of a row
    uint32_t n_terms;
    uint32_t own;       // of rates: the slot of the state itself, or FLAT_NONE
    bool reads_time;    // not through its states
    uint8_t degree;     // as a polynomial of states, shared variables and time; IR_WILD: none, or larger
    bool is_opaque;     // wild, and solve/qss/bounds.c cannot bound it
    // The expression once more, node by node, for bounds.c: operands are numbers of records before; of a leaf
    // a is its kind, and slots follow each other; of a truth value that is constant a is IR_RECORD_TRUTH and
    // b its value.
    const ExprNode *records;    // [n_records]
    uint32_t n_records;
} IrShape;

enum { IR_WILD = 4, IR_RECORD_TRUTH = 100 };

// Lists of numbers: list i is item[start[i]] to item[start[i + 1] - 1].
typedef struct IrLists {
    uint32_t *start;
    uint32_t *item;
} IrLists;

// Equations that need each other's unknowns.
typedef struct IrLoopTerms {
    uint32_t block;           // of Blocks.dynamic
    uint32_t first, n;        // its unknowns: shared variables first … first + n - 1
    bool is_linear;           // in its unknowns
    uint32_t residuals[2];    // first of n terms that read q; x; FLAT_NONE: nobody needs them
} IrLoopTerms;

// Terms are numbered: states (their rates), shared variables in order of evaluation, relations, residuals.
typedef struct IrQuantised {
    Arena arena;    // owns everything
    ExprPool pool;
    uint32_t n_states, n_shared, n_relations, n_terms;
    IrShape *shapes;    // [n_shapes]
    uint32_t n_shapes;
    uint32_t *shape_of;    // [n_terms] FLAT_NONE: of an unknown, or of what no rate needs
    uint32_t *row_of;      // [n_terms] where its row begins in `rows`
    uint32_t *rows;
    double *numbers;
    IrLoopTerms *loops;    // [n_loops] in order of evaluation
    uint32_t n_loops;
    uint32_t *loop_of;          // [n_shared] whose unknown it is; FLAT_NONE: a term's
    IrLists loops_of;           // relation → loops to be solved before it, in order
    IrLists shared_of;          // rate → shared variables to be computed before it, in order
    IrLists affects;            // state → rates that depend on it
    IrLists mode_affects;       // mode → rates that depend on it
    IrLists watched_by;         // state → relations that read it
    IrLists mode_watched_by;    // mode → relations that read it
    // variables that change now and then, at events: their places in v, and who reads them, by number here
    uint32_t *places;    // [n_places]
    uint32_t n_places;
    IrLists place_affects, place_watched_by;
    bool *moves_in_time;    // [n_states] the rate reads time, itself or through shared variables
    // [n_states] likewise: it is not linear in what it reads; nor a polynomial of low degree, so that only
    // bounds say how long its own polynomial is near; or it is not known how to bound it
    bool *bends, *is_wild, *is_opaque;
    bool has_opaque;    // some rate is not linear, or reads time, and cannot be bounded
    uint8_t *comparison;    // [n_relations] ExprOp: which
    // A zero function that jumps, and has no slope by which that could be foreseen: steps of a table, or
    // mod(…, period), minus a level. Of such a relation the term is the argument of table or mod.
    struct IrSteps {
        uint32_t table;    // of pool.pieces, constant between its breaks; FLAT_NONE: none
        double period;     // 0: none; then, without a table, the term is the zero function itself
        double level;
    } * steps;               // [n_relations]; NULL: none is such
    bool *relation_bends;        // [n_relations] its polynomial is only near the truth
    bool *relation_is_opaque;    // [n_relations] and it is not known how to bound it
} IrQuantised;

// Why a model cannot be treated like this.
typedef struct IrObstacle {
    const Block *loop;    // a rate or relation needs one that is too large; or
    uint32_t delay;       // the past; FLAT_NONE if not
    bool is_too_large;    // too many dependencies
} IrObstacle;

enum {
    IR_QUANTISED_LOOP_MAX = 500
};    // rows of a loop: it is solved whenever one of the states it reads is renewed

// The terms of the model, to be freed by ir_quantised_free; NULL, with the obstacle, if there is one. The
// model is only read.
IrQuantised *ir_quantise(const Ir *ir, IrObstacle *obstacle);
void ir_quantised_free(IrQuantised *q);
uint32_t ir_most_records(const IrQuantised *q);    // of a shape
