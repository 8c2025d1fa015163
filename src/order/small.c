// src/order/small.c: Cramer's rule on expressions, and looking for singular matrices with arbitrary numbers.
#include "order/small.h"
#include "base/map.h"
#include "expr/build.h"
#include "num/rank.h"
#include <float.h>
#include <math.h>

// ---- Cramer's rule. An absent entry is EXPR_NONE.

typedef struct Matrix { Expr at[SMALL_MAX][SMALL_MAX]; } Matrix;

static Expr times(ExprPool *pool, Expr a, Expr b)
{
    return a == EXPR_NONE || b == EXPR_NONE ? EXPR_NONE : build_mul(pool, a, b);
}

static Expr minus(ExprPool *pool, Expr a, Expr b)
{
    if (b == EXPR_NONE) return a;
    return a == EXPR_NONE ? build_neg(pool, b) : build_sub(pool, a, b);
}

static Expr plus(ExprPool *pool, Expr a, Expr b)
{
    if (b == EXPR_NONE) return a;
    return a == EXPR_NONE ? b : build_add(pool, a, b);
}

// Of two rows and two columns.
static Expr minor(ExprPool *pool, const Matrix *m, int i, int k, int j, int l)
{
    return minus(pool, times(pool, m->at[i][j], m->at[k][l]), times(pool, m->at[i][l], m->at[k][j]));
}

static Expr determinant_of(ExprPool *pool, const Matrix *m, uint32_t n)
{
    if (n == 1) return m->at[0][0];
    if (n == 2) return minor(pool, m, 0, 1, 0, 1);
    Expr sum = times(pool, m->at[0][0], minor(pool, m, 1, 2, 1, 2));
    sum = minus(pool, sum, times(pool, m->at[0][1], minor(pool, m, 1, 2, 0, 2)));
    return plus(pool, sum, times(pool, m->at[0][2], minor(pool, m, 1, 2, 0, 1)));
}

bool small_solve(ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                 const Expr *vector, Expr *values, Expr *determinant)
{
    Matrix m;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) m.at[i][j] = EXPR_NONE;
    for (uint32_t k = 0; k < n_entries; k++) m.at[entries[k].row][entries[k].column] = entries[k].value;

    double x;
    const Expr divisor = determinant_of(pool, &m, n);
    if (divisor == EXPR_NONE || (expr_is_const(pool, divisor, &x) && x == 0)) return false;
    for (uint32_t j = 0; j < n; j++) {
        Matrix replaced = m;
        for (uint32_t i = 0; i < n; i++) {
            const bool is_zero = expr_is_const(pool, vector[i], &x) && x == 0;
            replaced.at[i][j] = is_zero ? EXPR_NONE : vector[i];
        }
        const Expr numerator = determinant_of(pool, &replaced, n);
        values[j] = numerator == EXPR_NONE ? expr_const(pool, 0) : build_div(pool, numerator, divisor);
    }
    *determinant = expr_is_const(pool, divisor, NULL) ? EXPR_NONE : divisor;
    return true;
}

// ---- Singular whatever the values

enum { TRIES = 4, LARGEST = 100, CHECKS = 20 };

// Arbitrary numbers, the same in every run: positive, so that roots and logarithms exist, and of the order of
// 1.
static double arbitrary(const void *context, uint32_t index)
{
    const uint64_t seed = *(const uint64_t *)context;
    return 0.5 + ldexp((double)(hash_join(seed, index) >> 11), -53);
}

static double arbitrary_mode(const void *context, uint32_t index)
{
    const uint64_t seed = *(const uint64_t *)context;
    return (double)(hash_join(seed + TRIES, index) & 1);
}

static double arbitrary_history(const void *context, uint32_t delay, double at)
{
    (void)at;
    return arbitrary(context, UINT32_MAX - delay);
}

// Elimination with pivots. True if a pivot is lost in rounding.
static bool loses_rank(double *a, uint32_t n)
{
    // rows of the same size, so that pivots can be compared
    for (uint32_t i = 0; i < n; i++) {
        double largest = 0;
        for (uint32_t j = 0; j < n; j++) largest = fmax(largest, fabs(a[i * n + j]));
        if (largest == 0) return true;
        for (uint32_t j = 0; j < n; j++) a[i * n + j] /= largest;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (fabs(a[pivot * n + k]) < 16 * n * DBL_EPSILON) return true;
        for (uint32_t j = 0; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n && factor != 0; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return false;
}

// The matrix with the arbitrary numbers of a seed. False if an entry is not finite.
static bool fill_matrix(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                        const ExprValues *values, double *a)
{
    for (size_t k = 0; k < (size_t)n * n; k++) a[k] = 0;
    for (uint32_t k = 0; k < n_entries; k++) {
        const uint32_t row = entries[k].row, column = entries[k].column;
        const double x = entries[k].value == EXPR_NONE
                             ? arbitrary(values->context, ~(row * LARGEST + column))
                             : expr_evaluate(pool, entries[k].value, values);
        if (!isfinite(x)) return false;
        a[row * n + column] = x;
    }
    return true;
}

static double arbitrary_element(const void *context, uint32_t array, uint32_t element)
{
    return arbitrary(context, ~(array * 2654435761u + element));
}

static ExprValues arbitrary_values(const uint64_t *seed)
{
    return (ExprValues){ .variable = arbitrary,
                         .mode = arbitrary_mode,
                         .history = arbitrary_history,
                         .element = arbitrary_element,
                         .context = seed,
                         .t = arbitrary(seed, UINT32_MAX) };
}

bool small_is_singular(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries)
{
    if (n > LARGEST) return false;
    Arena work = { 0 };
    double *a = ARENA_ARRAY(&work, double, (size_t)n * n);
    bool is_singular = true;
    for (uint64_t seed = 1; seed <= TRIES && is_singular; seed++) {
        const ExprValues values = arbitrary_values(&seed);
        // where numbers cannot tell, believe that it can be solved
        is_singular = fill_matrix(pool, n, entries, n_entries, &values, a) && loses_rank(a, n);
    }
    arena_free(&work);
    return is_singular;
}

// Do all unknowns cancel with these factors, whatever the numbers and modes?
static bool cancels(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                    const double *factors, double *sum, double *size)
{
    for (uint64_t seed = 1; seed <= CHECKS; seed++) {
        const ExprValues values = arbitrary_values(&seed);
        for (uint32_t j = 0; j < n; j++) sum[j] = size[j] = 0;
        for (uint32_t k = 0; k < n_entries; k++) {
            const double factor = factors[entries[k].row];
            if (factor == 0) continue;
            if (entries[k].value == EXPR_NONE) return false;
            const double term = factor * expr_evaluate(pool, entries[k].value, &values);
            sum[entries[k].column] += term;
            size[entries[k].column] += fabs(term);
        }
        for (uint32_t j = 0; j < n; j++)
            if (!(fabs(sum[j]) <= 1e-10 * size[j])) return false;
    }
    return true;
}

bool small_dependence(const ExprPool *pool, uint32_t n, const BlockEntry *entries, uint32_t n_entries,
                      const Expr *vector, Arena *arena, SmallDependence *out)
{
    if (n > LARGEST) return false;
    Arena work = { 0 };
    double *a = ARENA_ARRAY(&work, double, (size_t)n * n);
    double *scratch = ARENA_ARRAY(&work, double, (size_t)n * n + n);
    double *factors[2];
    *out = (SmallDependence){ .rows = ARENA_ARRAY(arena, uint32_t, n), .is_constant = true,
                              .factors = ARENA_ARRAY(arena, double, n) };
    bool ok = true;
    for (uint64_t seed = 1; seed <= 2 && ok; seed++) {
        const ExprValues values = arbitrary_values(&seed);
        double *f = factors[seed - 1] = ARENA_ARRAY(&work, double, n);
        ok = fill_matrix(pool, n, entries, n_entries, &values, a) && rank_dependent(a, n, f, scratch);
        double sum = 0, size = 0;
        for (uint32_t i = 0; i < n && ok; i++) {
            const double term = f[i] == 0 ? 0 : f[i] * expr_evaluate(pool, vector[i], &values);
            sum += term;
            size += fabs(term);
        }
        if (!(fabs(sum) <= 1e-9 * size)) out->contradicts = true;
    }
    for (uint32_t i = 0; i < n && ok; i++) {
        if (factors[0][i] != factors[1][i]) out->is_constant = false;
        if (factors[0][i] == 0) continue;
        out->factors[out->n] = factors[0][i];
        out->rows[out->n++] = i;
    }
    if (ok && out->is_constant)
        out->is_constant = cancels(pool, n, entries, n_entries, factors[0], a, scratch);
    arena_free(&work);
    return ok && out->n > 0;
}
