// tests/unit/order/compute.h: the values of a sorted system, computed without generated code.
#pragma once
#include "check.h"
#include "make_flat.h"
#include "order/blocks.h"

typedef struct Compute {
    const Flat *flat;
    double     *values;    // [n_vars]
    double      t;
    const bool *modes;     // may be NULL: all false
} Compute;

static double compute_variable(const void *context, uint32_t v)
{
    return ((const Compute *)context)->values[v];
}

static double compute_mode(const void *context, uint32_t k)
{
    const Compute *c = context;
    return c->modes && c->modes[k] ? 1 : 0;
}

static inline double compute_expr(const Compute *c, Expr e)
{
    const ExprValues values = { .variable = compute_variable, .mode = compute_mode, .context = c, .t = c->t };
    return expr_evaluate(&c->flat->pool, e, &values);
}

// a · x = b by elimination with pivots; x replaces b.
static inline void compute_linear(double *a, double *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        for (uint32_t j = 0; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        for (uint32_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

static inline void compute_matrix(const Compute *c, const Block *block, uint32_t n, double *a)
{
    memset(a, 0, (size_t)n * n * sizeof *a);
    for (uint32_t k = 0; k < block->n_entries; k++)
        a[block->entries[k].row * n + block->entries[k].column] = compute_expr(c, block->entries[k].value);
}

static inline void compute_inner(const Compute *c, const Block *block)
{
    for (uint32_t k = 0; k < block->n - block->n_torn; k++)
        c->values[block->unknowns[block->n_torn + k]] = compute_expr(c, block->inner[k]);
}

static inline void compute_block(const Compute *c, const Block *block)
{
    double *a = calloc((size_t)block->n * block->n + 1, sizeof *a), *b = calloc(block->n, sizeof *b);
    switch (block->kind) {
    case BLOCK_ASSIGN: c->values[block->unknowns[0]] = compute_expr(c, block->value); break;
    case BLOCK_LINEAR:
        compute_matrix(c, block, block->n, a);
        for (uint32_t i = 0; i < block->n; i++) b[i] = compute_expr(c, block->vector[i]);
        compute_linear(a, b, block->n);
        for (uint32_t i = 0; i < block->n; i++) c->values[block->unknowns[i]] = b[i];
        break;
    case BLOCK_NEWTON:
        for (int step = 0; step < 100; step++) {
            compute_inner(c, block);
            compute_matrix(c, block, block->n_torn, a);
            for (uint32_t i = 0; i < block->n_torn; i++) b[i] = compute_expr(c, block->residuals[i]);
            compute_linear(a, b, block->n_torn);
            for (uint32_t i = 0; i < block->n_torn; i++) c->values[block->unknowns[i]] -= b[i];
        }
        compute_inner(c, block);
        break;
    case BLOCK_FAMILY: fail_msg("arrays are not computed here"); break;
    }
    free(a);
    free(b);
}

// Compute all unknowns in order, from what is known in c->values and, for Newton, the guesses there.
static inline void compute_system(const Compute *c, const Ordered *system)
{
    for (uint32_t b = 0; b < system->n_blocks; b++) compute_block(c, &system->blocks[b]);
}

// Every equation holds.
static inline void compute_check(const Compute *c, const Ordered *system, double tolerance)
{
    for (uint32_t i = 0; i < system->n_equations; i++) {
        const double left = compute_expr(c, system->equations[i].lhs),
                     right = compute_expr(c, system->equations[i].rhs);
        assert_near(left, right, tolerance * fmax(1, fmax(fabs(left), fabs(right))));
    }
}
