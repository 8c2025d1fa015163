// src/ir/lower.h: what the files of the lowering share.
#pragma once
#include "ir/ir.h"

typedef VEC(uint32_t) Numbers;
typedef VEC(IrStatement) Statements;

typedef struct Lower {
    Ir       *ir;
    Arena     work;              // ends with the lowering
    // walks over expressions
    uint32_t *node_mark;         // [n_node_marks] number of the last walk that met the node
    size_t    n_node_marks;
    uint32_t  walk;
    uint32_t *var_mark;          // [n_vars] the same for variables
    uint32_t *array_mark;        // [n_arrays] and for arrays
    Numbers   arrays;            // met in the present walk
    Numbers   stack;
    uint32_t *sizes;             // [n_blocks] of the dynamic system: nodes in each
    // who reads a variable in the dynamic system, aliases followed
    uint32_t *users_start;       // [n_vars + 1] users[users_start[i]] to users[users_start[i + 1] - 1]
    uint32_t *users;             // blocks
    bool      is_sparse;         // following the states one by one takes little more than one walk
    uint32_t *outline;           // [n_outlines] hash of an expression's operations, whatever its leaves
    size_t    n_outlines;
    Map       table_of;          // hash of an index table → 1 + its place in Ir.tables
} Lower;

// Begin a new walk over expressions.
void lower_walk(Lower *l);
// Add the variables below `root` that the present walk has not met yet, as written; counts the nodes newly
// met.
size_t lower_collect(Lower *l, Expr root, Numbers *variables);

void lower_sort(uint32_t *items, size_t n);    // ascending

// What a variable stands for: itself or, if it is an alias, another variable; FLAT_NONE if that is time.
static inline uint32_t lower_resolve(const Ir *ir, const Expr *alias, uint32_t variable)
{
    const Expr leaf = alias ? alias[variable] : EXPR_NONE;
    if (leaf == EXPR_NONE) return variable;
    const ExprNode *node = expr_node(&ir->flat->pool, leaf);
    return node->op == EXPR_VAR ? node->index : FLAT_NONE;
}

// The statement that computes a block of a system.
IrStatement lower_block(const Ordered *system, uint32_t block);

void lower_pattern(Lower *l);      // pattern.c: sets has_pattern and pattern
void lower_jacobian(Lower *l);     // jacobian.c: sets has_jacobian and jacobian; needs the pattern
bool lower_noise(Lower *l, orr_diag *diag);    // noise.c: sets noise; false, reported, if it is where it
                                               // makes no sense
void lower_in_place(Lower *l);     // in_place.c: sets one_rate
// family.c: loops written as such. `out_of` is NULL or [n_arrays]: the state array in whose place in out the
// elements of an array go, instead of into memory of their own; FLAT_NONE: they do not.
void lower_lay_out_arrays(Ir *ir);
void lower_number_states(Ir *ir);
IrStatement lower_family(Lower *l, const IrProgram *program, uint32_t block, const uint32_t *out_of);
// OUT, KEEP
IrStatement lower_copy(Lower *l, const IrProgram *program, IrKind kind, uint32_t state, uint32_t array);
IrStatement lower_array_default(Lower *l, const IrProgram *program, uint32_t array);

// group.c: statements of equal shape become loops if there are at least so many of them.
void lower_group(Lower *l, IrProgram *program, uint32_t group_from);
