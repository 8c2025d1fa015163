// src/expr/each.h: elementary functions of several numbers at once, in place. Each result has the bits of the
// function of one number in expr/math.h, whatever the machine's vectors are.
#pragma once

#define SLEEF(stem, accuracy) void each_##stem(double *f, int n);
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) value
#include "expr/ops.def"
