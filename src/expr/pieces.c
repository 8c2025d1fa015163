// src/expr/pieces.c: tables of polynomial pieces, and those made from them.
#include "expr/math.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static uint32_t add(ExprPool *pool, ExprPieces table)
{
    for (int i = 0; i < 2; i++) {
        table.derivative[i] = table.term[i][0] = table.term[i][1] = EXPR_NONE;
        for (int k = 0; k < EXPR_AXIS_N; k++) table.axis[i][k] = EXPR_NONE;
    }
    vec_push(pool->arena, &pool->pieces, table);
    return (uint32_t)(pool->pieces.n - 1);
}

static size_t n_breaks_of(const ExprPieces *table) { return (size_t)table->n_breaks[0] + table->n_breaks[1]; }

static size_t n_pieces_of(const ExprPieces *table)
{
    return ((size_t)table->n_breaks[0] + 1) * ((size_t)table->n_breaks[1] + 1);
}

static size_t terms_of(const ExprPieces *table)
{
    return table->n_breaks[1] ? PIECES_TERMS * PIECES_TERMS : PIECES_TERMS;
}

// The same breaks, and coefficients to be filled in.
static ExprPieces like(ExprPool *pool, const ExprPieces *table)
{
    ExprPieces made = *table;
    made.numbers = ARENA_ARRAY(pool->arena, double, made.n_numbers);
    memcpy(made.numbers, table->numbers, n_breaks_of(table) * sizeof *made.numbers);
    return made;
}

uint32_t expr_pieces(ExprPool *pool, const char *name, PiecesBetween between, PiecesOutside outside,
                     const double *x, uint32_t n_x, const double *y, uint32_t n_y, const double *z)
{
    ExprPieces table = { .name = name };
    table.n_breaks[0] = (uint32_t)pieces_n_breaks(between, outside, n_x);
    if (n_y) table.n_breaks[1] = (uint32_t)pieces_n_breaks(between, outside, n_y);
    const size_t n_numbers = n_breaks_of(&table) + n_pieces_of(&table) * terms_of(&table);
    assert(n_numbers <= INT32_MAX);
    table.n_numbers = (uint32_t)n_numbers;
    table.numbers = ARENA_ARRAY(pool->arena, double, n_numbers);
    double *c = table.numbers + n_breaks_of(&table);
    pieces_breaks(between, outside, x, n_x, table.numbers);
    if (n_y) {
        pieces_breaks(between, outside, y, n_y, table.numbers + table.n_breaks[0]);
        pieces_make_grid(between, outside, x, n_x, y, n_y, z, c);
    } else {
        Arena scratch = { 0 };
        double *work = ARENA_ARRAY(&scratch, double, 4 * (size_t)n_x);
        pieces_make(between, outside, x, z, 1, n_x, c, PIECES_TERMS, 1, work);
        arena_free(&scratch);
    }
    return add(pool, table);
}

uint32_t expr_pieces_derivative(ExprPool *pool, uint32_t pieces, int by)
{
    const ExprPieces *table = &pool->pieces.items[pieces];
    if (table->derivative[by] != EXPR_NONE) return table->derivative[by];
    ExprPieces made = like(pool, table);
    made.order[by]++;
    const size_t at = n_breaks_of(table), n = n_pieces_of(table);
    if (table->n_breaks[1]) pieces_derive_grid(table->numbers + at, n, by == 1, made.numbers + at);
    else pieces_derive(table->numbers + at, n, made.numbers + at);
    const uint32_t number = add(pool, made);
    return pool->pieces.items[pieces].derivative[by] = number;
}

uint32_t expr_pieces_axis(ExprPool *pool, uint32_t pieces, int argument, ExprAxis what)
{
    const ExprPieces *table = &pool->pieces.items[pieces];
    if (table->axis[argument][what] != EXPR_NONE) return table->axis[argument][what];
    const uint32_t n = table->n_breaks[argument];
    const double *breaks = table->numbers + (argument ? table->n_breaks[0] : 0);
    static const char *const words[EXPR_AXIS_N] = { "code", "code", "from", "at" };
    ExprPieces made = { .n_breaks = { n, 0 }, .n_numbers = n + (n + 1) * PIECES_TERMS };
    if (table->name) made.name = arena_printf(pool->arena, "%s.%s", table->name, words[what]);
    made.numbers = ARENA_ARRAY(pool->arena, double, made.n_numbers);
    memcpy(made.numbers, breaks, n * sizeof *breaks);
    for (uint32_t i = 0; i <= n; i++) {
        double value = 0;
        switch (what) {
        case EXPR_AXIS_BIT_0: value = expr_pieces_code(i) & 1; break;
        case EXPR_AXIS_BIT_1: value = expr_pieces_code(i) >> 1; break;
        case EXPR_AXIS_ORIGIN: value = breaks[i ? i - 1 : 0]; break;
        case EXPR_AXIS_INSIDE:
            if (i == 0) value = breaks[0] - fmax(1, fabs(breaks[0]));
            else if (i == n) value = breaks[n - 1] + fmax(1, fabs(breaks[n - 1]));
            else value = breaks[i - 1] + 0.5 * (breaks[i] - breaks[i - 1]);
            break;
        case EXPR_AXIS_N: break;
        }
        made.numbers[n + (size_t)i * PIECES_TERMS] = value;
    }
    const uint32_t number = add(pool, made);
    return pool->pieces.items[pieces].axis[argument][what] = number;
}

uint32_t expr_pieces_term(ExprPool *pool, uint32_t pieces, int p, int q)
{
    const ExprPieces *table = &pool->pieces.items[pieces];
    assert(table->n_breaks[1] && p <= 1 && q <= 1);
    if (table->term[p][q] != EXPR_NONE) return table->term[p][q];
    ExprPieces made = like(pool, table);
    if (table->name && (p || q))
        made.name = arena_printf(pool->arena, "%s.%s%s", table->name, p ? "x" : "", q ? "y" : "");
    const size_t at = n_breaks_of(table), n = n_pieces_of(table), terms = terms_of(table);
    for (size_t i = 0; i < n; i++)
        made.numbers[at + i * terms] = table->numbers[at + i * terms + (size_t)(p * PIECES_TERMS + q)];
    const uint32_t number = add(pool, made);
    return pool->pieces.items[pieces].term[p][q] = number;
}
