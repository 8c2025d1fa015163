#!/usr/bin/env bash
# A new elementary function is one row of src/expr/ops.def: added to a copy of src/expr, it has a value, a derivative, an
# enclosure and a domain, and is found by its name.
. "$(dirname "$0")/../common/shell.sh"
mkdir -p src
cp -r "$root/src/expr" src
row='FN(SHARE, 1, "share", IN_C(share, a / (1.0 + a)), pure, SMOOTH, NOT_NEGATIVE, rising, OVER(SQUARE(PLUS_ONE(a))))'
sed -i "s|^FN(ERF, .*|&\n$row|" src/expr/ops.def
grep -q '^FN(SHARE' src/expr/ops.def || fail 'the row was not added'
cat >try.c <<'END'
#include "expr/interval.h"
#include "expr/math.h"
#include <math.h>
#include <stdio.h>

static double two(const void *context, uint32_t variable) { (void)context; (void)variable; return 2; }

int main(void)
{
    Arena arena = { 0 };
    ExprPool pool;
    expr_pool_init(&pool, &arena);
    const ExprOp op = expr_function("share");
    if (op == EXPR_N_OPS) return puts("it is not found by its name"), 1;
    const Expr e = expr_unary(&pool, op, expr_var(&pool, 0));
    const ExprValues at = { .variable = two };
    const ExprInterval y = expr_apply_interval(op, expr_interval_of(1, 2), expr_interval_of(0, 0), expr_interval_of(0, 0));
    if (fabs(expr_evaluate(&pool, e, &at) - 2.0 / 3) > 1e-15) return puts("another value"), 1;
    if (fabs(expr_evaluate(&pool, expr_derivative(&pool, e, 0), &at) - 1.0 / 9) > 1e-15) return puts("another slope"), 1;
    if (!(y.low <= 0.5 && y.high >= 2.0 / 3 && y.high - y.low < 0.17)) return puts("another enclosure"), 1;
    if (!expr_in_domain(op, 2, 0) || expr_in_domain(op, -1, 0)) return puts("another domain"), 1;
    if (!expr_math_find("orr_share") || expr_math_of(op) < 0) return puts("generated code cannot call it"), 1;
    arena_free(&arena);
    return 0;
}
END
check
cc -std=gnu17 -D_GNU_SOURCE -O0 -ffp-contract=off -DORRERY_LIBRARY='""' -Isrc -I"$root/src" -I"$root/include" try.c src/expr/*.c \
    "$root"/src/base/*.c "$root"/src/num/pieces.c -lsleef -lm -o try 2>errors || fail "$(head -c 800 errors)"
check
./try || fail 'the function is not whole'
finish
