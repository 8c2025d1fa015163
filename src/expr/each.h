// src/expr/each.h: elementary functions of several numbers at once, in place. Each result has the bits of the
// function of one number in expr/math.h, whatever the machine's vectors are.
#pragma once

#define EXPR_EACH(E) \
    E(exp) E(log) E(log10) E(sin) E(cos) E(tan) E(asin) E(acos) E(atan) E(sinh) E(cosh) E(tanh)

#define EXPR_EACH_DECLARE(name) void each_##name(double *f, int n);
EXPR_EACH(EXPR_EACH_DECLARE)
