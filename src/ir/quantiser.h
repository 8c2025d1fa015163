// src/ir/quantiser.h: how ir/quantise.c makes terms; seen by its parts only.
//
//     blocks ─encode each term→ records (its shape), leaves ─equal records→ shapes, rows ─readers→ lists
//
// Encoding walks the expression of a term, children first, through the algebraic variables that are part of
// it. The record of a node is its operation and the numbers of its operands in that walk, so equal records
// mean equal shape; leaves are numbered as slots in the order in which they are met.
#pragma once
#include "base/map.h"
#include "ir/quantise.h"

enum {
    PART_MAX = 12,          // nodes of an algebraic variable that is repeated in every term that reads it
    TERM_MAX = 2000,        // nodes of a term, beyond which parts become shared variables
    TERM_LIMIT = 200000,    // where that was of no help
    LISTS_MAX = 1 << 26,    // dependencies
};

// An expression as it is met in a turn of the loops around it.
typedef struct Met {
    Expr e;
    uint32_t context;    // 0: outside of loops
} Met;

typedef struct Frame {
    Met met;
    int next;    // operand to be visited next
} Frame;

// A turn of a family.
typedef struct Context {
    uint32_t family;
    uint32_t turn;    // counted through all its loops, the innermost fastest
    uint32_t at[EXPR_LOOPS_MAX];
} Context;

// What was met in the present walk, and its number there: a hash table that forgets by counting up.
typedef struct Memory {
    uint64_t *keys;
    uint32_t *walks, *numbers;    // [capacity]
    size_t capacity, n;           // a power of two; used by this walk
} Memory;

// What a term is for. Terms that read their arguments elsewhere are different shapes.
enum { TERM_RATE, TERM_SHARED, TERM_RELATION, TERM_RESIDUAL, TERM_RESIDUAL_X };
enum { TRUTH = IR_RECORD_TRUTH };    // a leaf that is the constant true or false, beside the kinds of slots

typedef struct MetShape {    // while terms are being met
    uint32_t kind, own;
    uint32_t first_record, n_records;
    uint32_t first_leaf;    // those of its first term
    uint32_t n_slots;
    uint32_t n_terms;
    bool *moves;    // [n_slots]
} MetShape;

typedef struct Quantiser {
    const Ir *ir;
    const ExprPool *pool;    // of the model
    IrQuantised *q;
    Arena arena;    // ends with the work
    IrObstacle *obstacle;
    bool failed;
    uint32_t *shared;          // [n_vars] number of a shared variable, FLAT_NONE: it is none
    uint32_t *shared_var;      // [n_shared]
    Expr *closed;              // [n_vars] what computes it, EXPR_NONE: nothing does by itself
    bool *is_needed;           // [n_shared] some term reads it
    bool *is_needed_x;         // [n_loops] a relation does
    uint32_t own_loop;         // whose residual is being encoded, or FLAT_NONE
    // of elements of arrays that families compute, by their number through all arrays
    uint32_t *family_of;    // [n_elements] FLAT_NONE: none
    uint32_t *turn_of;      // [n_elements]
    uint32_t *stamp;        // [n_nodes] count_nodes that met the node
    uint32_t count;
    // the walk of the present term
    Memory memory;
    uint32_t walk, n_met;
    VEC(Context) contexts;    // [0] stands for none
    bool inlines_all;
    VEC(Frame) frames;
    uint32_t own_state, own;    // the state whose rate it is, and its slot
    size_t n_leaves_before;
    VEC(ExprNode) records;    // of all shapes so far, and of the present term behind them
    VEC(uint32_t) leaves;     // of all terms: index of each slot
    VEC(MetShape) shapes;
    Index by_records;
    uint32_t *first_leaf;    // [n_terms] its leaves
    VEC(double) numbers;
    Map number_of;    // bits → index
} Quantiser;

static inline const Ordered *quantiser_system(const Quantiser *w) { return &w->ir->blocks->dynamic; }

void encode_begin(Quantiser *w);
void encode_all(Quantiser *w);    // records, leaves and who has which shape
void shapes_make(Quantiser *w);
bool readers_find(Quantiser *w);    // false: too many dependencies

// Operations whose second or third operand is the number of a table.
static inline bool has_table_second(uint32_t op)
{
    return op == EXPR_LOOKUP || op == EXPR_SLOPE || op == EXPR_PIECES;
}
static inline bool has_table_third(uint32_t op)
{
    return op == EXPR_NEAR || op == EXPR_GRID || op == EXPR_DRAW;
}
