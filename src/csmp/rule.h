// src/csmp/rule.h: from the rule of a block kind and the arguments of a line to an expression.
#pragma once
#include "csmp/csmp.h"
#include "lang/ast.h"

// What a rule is applied to.
typedef struct CsmpUse {
    const CsmpBlock *block;
    const CsmpShape *shape;
    AstExpr        **args;      // [n_args] numbers and references, in the order of the line
    size_t           n_args;
    AstExpr         *self;      // a reference to the block's own output
    Place            place;     // of what is made around the arguments
} CsmpUse;

// The output of the block; in the arena. Signs are folded, so that `+, 3, 1, 1, -1, 2` becomes b1 - b2;
// nothing folded changes a bit of the result.
AstExpr *csmp_rule_apply(const CsmpUse *use, Arena *arena);

// The first condition of block->needs that the parameters do not meet, or {NULL, 0}. values[shape->n] are the
// parameters, in the order of the line; NaN for one that was left out, with which every condition is met.
Text csmp_rule_unmet(const CsmpBlock *block, const CsmpShape *shape, const double *values);
