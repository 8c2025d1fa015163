// src/exp/constant.h: values and names in experiments, which know no variables.
#pragma once
#include "lang/ast.h"

// The value of an expression made of numbers, pi, inf, operators and functions. False after a message.
bool constant_value(const AstExpr *e, double *value, orr_diag *diag);
// A path as its variable is called: "axle.u[3]'". NULL after a message.
const char *constant_name(const AstRef *ref, Arena *arena, orr_diag *diag);
