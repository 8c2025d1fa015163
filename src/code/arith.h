// src/code/arith.h: the one printer of C arithmetic.
//
// Equations (cexpr.c), shapes of quantised states (quantise.c) and programs of atomics (atomic/cgen.c) are
// expressions over leaves of their own. How an operation looks in C, how tightly it binds and what of the
// prelude it needs stands here. It knows neither models nor the Ast.
#pragma once
#include "base/text.h"
#include "expr/math.h"

// What binds how tightly in C.
enum { BIND_IF, BIND_OR, BIND_AND, BIND_EQUAL, BIND_LESS, BIND_SUM, BIND_PRODUCT, BIND_UNARY, BIND_ATOM };

// An operation under way.
typedef struct Arith {
    StrBuf *s;
    ExprOp  op;
    int     power;           // of POW with a constant exponent: that, if it is a whole number; 0: any other
    int     n_operands;
    bool    may_repeat;      // the base of a power is a name: squares and cubes are written as products
    bool    has_no_jumps;    // in a loop over lanes: a jump would keep it from becoming vectors
    bool   *uses_math;       // [expr_n_math] and
    bool   *uses_power;      // [EXPR_WHOLE_POWER_MAX + 1] what the prelude must have
    void  (*operand)(void *context, int k, int binding);    // print operand k inside of what binds so
    void  (*table)(void *context);    // of LOOKUP … GRID: print the arguments that say which, with commas
    void   *context;
} Arith;

// Print it, in parentheses if it stands inside of what binds more tightly.
void arith_print(const Arith *a, int binding);

// The text of numbers: what C reads back to the bit.
void gen_name(StrBuf *s, const char *prefix, uint32_t number);
void gen_number(StrBuf *s, double value);
void gen_leaf(StrBuf *s, double value, int binding);    // the same, in parentheses where its sign needs them
void gen_list(StrBuf *s, const char *name, uint32_t number, const double *values, uint32_t n);    // an array
