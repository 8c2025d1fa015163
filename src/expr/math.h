// src/expr/math.h: the one set of functions that folding, tracing and generated code compute with.
//
// Both compilers of the generated code must give the same bits on every machine. So each has one origin:
//
//   library   exp, log, sin, … are SLEEF's deterministic scalar functions without fused multiply-add, at most
//             1 ulp off;
//             sqrt, floor, ceil, round, fabs have only one right answer, and come from the C library;
//   text      the rest is C text of ours, short enough to stand in the prelude of the generated code. The
//             same text is compiled here.
//
// Functions of one argument exist for several numbers at once too: SLEEF's for vectors, which have the bits
// of the scalar ones.
//
// Generated code calls them by `c_name`. Binding a name of a library function means declaring it and giving
// its address (in memory) or its symbol (a shared object).
#pragma once
#include "expr/expr.h"

typedef void (*ExprEach)(double *f, int n);

typedef struct ExprMath {
    const char *c_name;            // "orr_sin"
    const char *library_symbol;    // "Sleef_cinz_sind1_u10purec"; NULL if `text` defines it
    const char *text;              // NULL, or a definition of `static` C functions, in one line
    void       *function;          // double (double), double (double, double); see below for the tables
    int         arity;             // doubles taken; 0 for those that read tables
    ExprEach    each;              // `c_name`_each: of n numbers in place, to the bit; NULL if there is none
    const char *stem, *accuracy;   // of SLEEF's names, "Sleef_cinz_sin" and "u10"; NULL if it is not SLEEF's
} ExprMath;

// In an order in which each text uses only what stands before it.
//
//     static double orr_lookup(const double *x, const double *y, int n, double at);
//     static double orr_lookup_slope(const double *x, const double *y, int n, double at);
//     static double orr_pieces(const double *table, int n_breaks, double x);
//     static double orr_near(const double *table, int n_breaks, double x, double code);
//     static double orr_grid(const double *table, int n_breaks, int n_breaks_of_y, double x, double y);
extern const ExprMath expr_math[];
extern const size_t   expr_n_math;
const ExprMath *expr_math_find(const char *c_name);    // NULL if there is none
int expr_math_of(ExprOp op);    // place of the function that computes it; -1: none does

// The piecewise linear table at x: constant outside, exact at its points, NaN for NaN. Where two points share
// an x the later one counts from there on.
double expr_lookup(const ExprTable *table, double x);
// Its slope to the right of x: 0 outside.
double expr_lookup_slope(const ExprTable *table, double x);

// PIECES, NEAR and GRID; NaN for NaN.
double expr_pieces_value(const ExprPieces *table, double x);
double expr_pieces_near(const ExprPieces *table, double x, double code);
double expr_pieces_grid(const ExprPieces *table, double x, double y);

// x^n for a constant whole n, |n| <= EXPR_WHOLE_POWER_MAX, as products, in exactly this order:
//
//     r = x; for each bit of |n| below the highest, from high to low: r = r*r; if the bit is set, r = r*x;
//     a negative n gives 1/r; n = 0 gives 1.
enum { EXPR_WHOLE_POWER_MAX = 16 };
double expr_whole_power(double x, int n);
double expr_pow(double x, double y);    // orr_pow: any other exponent
bool expr_is_whole(double exponent, int *n);    // a whole number of at most that size
// Is `e` a POW with such an exponent? Only a constant exponent counts: a parameter that happens to be 2 goes
// to orr_pow.
bool expr_is_whole_power(const ExprPool *pool, Expr e, int *n);
