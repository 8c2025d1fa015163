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

// A NaN on either side wins; of 0 and -0, which are equal, the first.
DEFINE_WITH_TEXT(min, static double orr_min(double a, double b) { return a <= b ? a : a != a ? a : b; })
DEFINE_WITH_TEXT(max, static double orr_max(double a, double b) { return a >= b ? a : a != a ? a : b; })
// 0, -0 and NaN are their own signs.
DEFINE_WITH_TEXT(sign, static double orr_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; })
// Has the sign of y, so that mod(t, 1) is a saw-tooth for negative times too.
static double (*const orr_floor)(double) = floor;
DEFINE_WITH_TEXT(mod, static double orr_mod(double x, double y) { return x - y * orr_floor(x / y); })

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

#define FROM_LIBRARY(c_name, function, arity) { c_name, #function, NULL, (void *)function, arity, NULL }
#define FROM_SLEEF(name)                      \
    { "orr_" #name, "Sleef_cinz_" #name "d1_u10purec", NULL, (void *)Sleef_cinz_##name##d1_u10purec, 1, \
      each_##name }
#define FROM_TEXT(name, text, arity)          { #name, NULL, text, (void *)name, arity, NULL }

const ExprMath expr_math[] = {
    FROM_LIBRARY("orr_abs",   fabs, 1),
    FROM_LIBRARY("orr_sqrt",  sqrt, 1),
    FROM_LIBRARY("orr_floor", floor, 1),
    FROM_LIBRARY("orr_ceil",  ceil, 1),
    FROM_LIBRARY("orr_round", round, 1),    // halves away from zero
    FROM_LIBRARY("orr_pow",   Sleef_cinz_powd1_u10purec, 2),
    FROM_SLEEF(exp),
    FROM_SLEEF(log),
    FROM_SLEEF(log10),
    FROM_SLEEF(sin),
    FROM_SLEEF(cos),
    FROM_SLEEF(tan),
    FROM_SLEEF(asin),
    FROM_SLEEF(acos),
    FROM_SLEEF(atan),
    FROM_LIBRARY("orr_atan2", Sleef_cinz_atan2d1_u10purec, 2),
    FROM_SLEEF(sinh),
    FROM_SLEEF(cosh),
    FROM_SLEEF(tanh),
    FROM_TEXT(orr_min, min_text, 2),
    FROM_TEXT(orr_max, max_text, 2),
    FROM_TEXT(orr_sign, sign_text, 1),
    FROM_TEXT(orr_mod, mod_text, 2),
    FROM_TEXT(orr_lookup_find, find_text, 0),
    FROM_TEXT(orr_lookup, lookup_text, 0),
    FROM_TEXT(orr_lookup_slope, slope_text, 0),
    FROM_TEXT(orr_piece, piece_text, 0),
    FROM_TEXT(orr_piece_at, piece_at_text, 0),
    FROM_TEXT(orr_pieces, pieces_text, 0),
    FROM_TEXT(orr_near, near_text, 0),
    FROM_TEXT(orr_grid, grid_text, 0),
};
const size_t expr_n_math = sizeof expr_math / sizeof *expr_math;

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

static bool is_whole_power(double exponent, int *n)
{
    if (!(fabs(exponent) <= EXPR_WHOLE_POWER_MAX) || exponent != floor(exponent)) return false;
    *n = (int)exponent;
    return true;
}

bool expr_is_whole_power(const ExprPool *pool, Expr e, int *n)
{
    double exponent;
    const ExprNode *node = expr_node(pool, e);
    return node->op == EXPR_POW && expr_is_const(pool, node->b, &exponent) && is_whole_power(exponent, n);
}

// ---- Operations

double expr_pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

static double power(double x, double y)
{
    int n;
    return is_whole_power(y, &n) ? expr_whole_power(x, n) : expr_pow(x, y);
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
    case EXPR_ABS: return fabs(a);
    case EXPR_SIGN: return orr_sign(a);
    case EXPR_MIN: return orr_min(a, b);
    case EXPR_MAX: return orr_max(a, b);
    case EXPR_FLOOR: return floor(a);
    case EXPR_CEIL: return ceil(a);
    case EXPR_ROUND: return round(a);
    case EXPR_MOD: return orr_mod(a, b);
    case EXPR_SQRT: return sqrt(a);
    case EXPR_EXP: return Sleef_cinz_expd1_u10purec(a);
    case EXPR_LOG: return Sleef_cinz_logd1_u10purec(a);
    case EXPR_LOG10: return Sleef_cinz_log10d1_u10purec(a);
    case EXPR_SIN: return Sleef_cinz_sind1_u10purec(a);
    case EXPR_COS: return Sleef_cinz_cosd1_u10purec(a);
    case EXPR_TAN: return Sleef_cinz_tand1_u10purec(a);
    case EXPR_ASIN: return Sleef_cinz_asind1_u10purec(a);
    case EXPR_ACOS: return Sleef_cinz_acosd1_u10purec(a);
    case EXPR_ATAN: return Sleef_cinz_atand1_u10purec(a);
    case EXPR_ATAN2: return Sleef_cinz_atan2d1_u10purec(a, b);
    case EXPR_SINH: return Sleef_cinz_sinhd1_u10purec(a);
    case EXPR_COSH: return Sleef_cinz_coshd1_u10purec(a);
    case EXPR_TANH: return Sleef_cinz_tanhd1_u10purec(a);
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
