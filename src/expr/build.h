// src/expr/build.h: making expressions, inside this folder.
#pragma once
#include "expr/expr.h"

// What `op` on these operands is instead of a new node, or EXPR_NONE: folded constants and identities that
// change no bit of a finite result, but for the sign of a zero in x + 0.
Expr simplify_make(ExprPool *pool, ExprOp op, Expr a, Expr b, Expr c);

// The node of a variable, or EXPR_NONE if nothing in the pool reads it.
Expr pool_find_var(const ExprPool *pool, uint32_t variable);

// Sums and products of which a part may be structurally zero, as derivatives and coefficients have: 0*x is 0
// here, x - x too, -(a - b) is b - a, and constant factors are gathered. For finite values only.
Expr build_neg(ExprPool *pool, Expr a);
Expr build_add(ExprPool *pool, Expr a, Expr b);
Expr build_sub(ExprPool *pool, Expr a, Expr b);
Expr build_mul(ExprPool *pool, Expr a, Expr b);
Expr build_div(ExprPool *pool, Expr a, Expr b);
Expr build_if(ExprPool *pool, Expr condition, Expr a, Expr b);
