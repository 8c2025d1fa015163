// src/expr/math.c: the table of elementary functions, and the value of each operation.
#include "expr/math.h"
#include "expr/each.h"
#include <assert.h>
#include <math.h>
#include <sleef.h>
#include <stdlib.h>
#include <string.h>

// Defines what it is given, and keeps the text of it as <name>_text.
#define DEFINE_WITH_TEXT(name, ...) \
    __VA_ARGS__                     \
    static const char name##_text[] = #__VA_ARGS__;

// ---- Functions of the language that are text: rows of ops.def

static double (*const orr_floor)(double) = floor;    // as generated code calls it
#define IN_C(name, value)  static double orr_##name(double a) { return value; }
#define IN_C2(name, value) static double orr_##name(double a, double b) { return value; }
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) value
#include "expr/ops.def"

// ---- Tables

// Last point at or before `at`, which lies in [x[0], x[n-1]).
DEFINE_WITH_TEXT(find, static int orr_lookup_find(const double *x, int n, double at) {
    int low = 0;
    int high = n - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x[middle] <= at) low = middle; else high = middle;
    }
    return low;
})
DEFINE_WITH_TEXT(lookup, static double orr_lookup(const double *x, const double *y, int n, double at) {
    if (at != at) return at;
    if (at < x[0]) return y[0];
    if (at >= x[n - 1]) return y[n - 1];
    int i = orr_lookup_find(x, n, at);
    return y[i] + (y[i + 1] - y[i]) * ((at - x[i]) / (x[i + 1] - x[i]));
})
DEFINE_WITH_TEXT(slope, static double orr_lookup_slope(const double *x, const double *y, int n, double at) {
    if (at != at) return at;
    if (at < x[0] || at >= x[n - 1]) return 0.0;
    int i = orr_lookup_find(x, n, at);
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
})

// How many of n breaks lie at or before x: the number of the piece.
DEFINE_WITH_TEXT(piece, static int orr_piece(const double *breaks, int n, double x) {
    int low = 0;
    int high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (breaks[middle] <= x) low = middle + 1; else high = middle;
    }
    return low;
})
DEFINE_WITH_TEXT(piece_at, static double orr_piece_at(const double *table, int n, int i, double x) {
    const double s = x - table[i > 0 ? i - 1 : 0];
    const double *c = table + n + 4 * i;
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
})
DEFINE_WITH_TEXT(pieces, static double orr_pieces(const double *table, int n, double x) {
    if (x != x) return x;
    return orr_piece_at(table, n, orr_piece(table, n, x), x);
})
// Codes are 0, 1, 3, 2, 0, … from piece to piece: one of four in a row has the code.
DEFINE_WITH_TEXT(near, static double orr_near(const double *table, int n, double x, double code) {
    if (x != x) return x;
    const int here = orr_piece(table, n, x);
    const int wanted = code < 1.5 ? (code < 0.5 ? 0 : 1) : (code < 2.5 ? 3 : 2);
    const int up = here + ((wanted - here) & 3);
    const int down = here - ((here - wanted) & 3);
    int i = here;
    if (up <= n) i = up;
    if (down >= 0 && (up > n || x - table[down] < table[up > 0 ? up - 1 : 0] - x)) i = down;
    return orr_piece_at(table, n, i, x);
})
DEFINE_WITH_TEXT(grid, static double orr_grid(const double *table, int n, int m, double x, double y) {
    if (x != x) return x;
    if (y != y) return y;
    const int i = orr_piece(table, n, x);
    const int j = orr_piece(table + n, m, y);
    const double s = x - table[i > 0 ? i - 1 : 0];
    const double r = y - table[n + (j > 0 ? j - 1 : 0)];
    const double *c = table + n + m + 16 * (i * (m + 1) + j);
    const double c0 = c[0] + r * (c[1] + r * (c[2] + r * c[3]));
    const double c1 = c[4] + r * (c[5] + r * (c[6] + r * c[7]));
    const double c2 = c[8] + r * (c[9] + r * (c[10] + r * c[11]));
    const double c3 = c[12] + r * (c[13] + r * (c[14] + r * c[15]));
    return c0 + s * (c1 + s * (c2 + s * c3));
})

// ---- All of them

#define SLEEF2(name, ulps)                                          \
    .library_symbol = "Sleef_cinz_" #name "d1_" #ulps "purec",      \
    .function = (void *)Sleef_cinz_##name##d1_##ulps##purec,        \
    .stem = "Sleef_cinz_" #name, .accuracy = #ulps
#define SLEEF(name, ulps) SLEEF2(name, ulps), .each = each_##name
#define LIBM(libm)        .library_symbol = #libm, .function = (void *)libm
#define IN_C(name, value) \
    .text = "static double orr_" #name "(double a) { return " #value "; }", .function = (void *)orr_##name
#define IN_C2(name, value)                                                              \
    .text = "static double orr_" #name "(double a, double b) { return " #value "; }",   \
    .function = (void *)orr_##name
#define FN(name, n, is_called, value, unit, shape, domain, interval, derivative) \
    { .c_name = "orr_" is_called, .arity = n, value },
#define FROM_TEXT(name, is_text) { .c_name = #name, .text = is_text, .function = (void *)name }

const ExprMath expr_math[] = {
    { .c_name = "orr_pow", .arity = 2, SLEEF2(pow, u10) },
#include "expr/ops.def"
    FROM_TEXT(orr_lookup_find, find_text),
    FROM_TEXT(orr_lookup, lookup_text),
    FROM_TEXT(orr_lookup_slope, slope_text),
    FROM_TEXT(orr_piece, piece_text),
    FROM_TEXT(orr_piece_at, piece_at_text),
    FROM_TEXT(orr_pieces, pieces_text),
    FROM_TEXT(orr_near, near_text),
    FROM_TEXT(orr_grid, grid_text),
};
const size_t expr_n_math = sizeof expr_math / sizeof *expr_math;

// In the order of the table.
enum {
    MATH_POW,
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) MATH_##name,
#include "expr/ops.def"
    MATH_FIND, MATH_LOOKUP, MATH_SLOPE, MATH_PIECE, MATH_PIECE_AT, MATH_PIECES, MATH_NEAR, MATH_GRID, N_MATH
};
static_assert(N_MATH == sizeof expr_math / sizeof *expr_math, "a name for each row");

int expr_math_of(ExprOp op)
{
    static const unsigned char place_plus_1[EXPR_N_OPS] = {
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) \
    [EXPR_##name] = 1 + MATH_##name,
#include "expr/ops.def"
        [EXPR_POW] = 1 + MATH_POW,       [EXPR_LOOKUP] = 1 + MATH_LOOKUP, [EXPR_SLOPE] = 1 + MATH_SLOPE,
        [EXPR_PIECES] = 1 + MATH_PIECES, [EXPR_NEAR] = 1 + MATH_NEAR,     [EXPR_GRID] = 1 + MATH_GRID,
    };
    return place_plus_1[op] - 1;
}

const ExprMath *expr_math_find(const char *c_name)
{
    for (size_t i = 0; i < expr_n_math; i++)
        if (strcmp(expr_math[i].c_name, c_name) == 0) return &expr_math[i];
    return NULL;
}

double expr_lookup(const ExprTable *table, double x)
{
    return orr_lookup(table->x, table->y, (int)table->n, x);
}
double expr_lookup_slope(const ExprTable *table, double x)
{
    return orr_lookup_slope(table->x, table->y, (int)table->n, x);
}

double expr_pieces_value(const ExprPieces *table, double x)
{
    return orr_pieces(table->numbers, (int)table->n_breaks[0], x);
}
double expr_pieces_near(const ExprPieces *table, double x, double code)
{
    return orr_near(table->numbers, (int)table->n_breaks[0], x, code);
}
double expr_pieces_grid(const ExprPieces *table, double x, double y)
{
    return orr_grid(table->numbers, (int)table->n_breaks[0], (int)table->n_breaks[1], x, y);
}

// ---- Whole powers

double expr_whole_power(double x, int n)
{
    const unsigned m = (unsigned)abs(n);
    if (m == 0) return 1;
    unsigned bit = 1;
    while (bit <= m / 2) bit *= 2;
    double r = x;
    for (bit /= 2; bit; bit /= 2) {
        r = r * r;
        if (m & bit) r = r * x;
    }
    return n < 0 ? 1 / r : r;
}

bool expr_is_whole(double exponent, int *n)
{
    if (!(fabs(exponent) <= EXPR_WHOLE_POWER_MAX) || exponent != floor(exponent)) return false;
    *n = (int)exponent;
    return true;
}

bool expr_is_whole_power(const ExprPool *pool, Expr e, int *n)
{
    double exponent;
    const ExprNode *node = expr_node(pool, e);
    return node->op == EXPR_POW && expr_is_const(pool, node->b, &exponent) && expr_is_whole(exponent, n);
}

// ---- Operations

double expr_pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

static double power(double x, double y)
{
    int n;
    return expr_is_whole(y, &n) ? expr_whole_power(x, n) : expr_pow(x, y);
}

double expr_apply(ExprOp op, double a, double b, double c)
{
    switch (op) {
    case EXPR_NEG: return -a;
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_POW: return power(a, b);
#define SLEEF(stem, accuracy)  Sleef_cinz_##stem##d1_##accuracy##purec(a)
#define SLEEF2(stem, accuracy) Sleef_cinz_##stem##d1_##accuracy##purec(a, b)
#define LIBM(function)         function(a)
#define IN_C(name, value)      orr_##name(a)
#define IN_C2(name, value)     orr_##name(a, b)
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) \
    case EXPR_##name: return value;
#include "expr/ops.def"
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    case EXPR_GE: return a >= b;
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    case EXPR_NOT: return a == 0;
    case EXPR_IF: return a != 0 ? b : c;
    // leaves, tables and histories have no value of their own
    default: assert(0 && "an operation with a value"); return NAN;
    }
}
