// src/flat/table.c: tables, called like functions.
//
// Where a table has a kink or a jump inside an equation, a step must not cross it unseen: two relations tell
// in which piece the argument lies (expr.h), the equation goes on with that piece, and the change of a
// relation is an event.
// Smooth tables need none, but for the ends of one that is held outside.
#include "flat/scope.h"

void table_index(Expander *ex)
{
    const Ast *ast = ex->ast;
    text_map_init(&ex->tables, &ex->work);
    ex->table_numbers = ARENA_ARRAY(&ex->work, uint32_t, ast->tables.n);
    for (size_t i = 0; i < ast->tables.n; i++) {
        const AstTable *table = &ast->tables.items[i];
        ex->table_numbers[i] = FLAT_NONE;
        const uint32_t *function = text_map_find(&ex->functions, text_from(table->name));
        const bool is_new = text_map_put(&ex->tables, text_from(table->name), (uint32_t)i);
        if (is_new && !function) continue;
        const uint32_t *other = text_map_find(&ex->tables, text_from(table->name));
        const Place first = function ? ast->functions.items[*function].place
                                     : ast->tables.items[*other].place;
        EXPAND_FAIL(ex, DIAG_MODEL_TWICE, table->place, table->name);
        diag_note(ex->diag, first, "'%s' is defined here first", table->name);
    }
}

// The table in the pool, made when it is first called.
static uint32_t number_of(Expander *ex, uint32_t i)
{
    const AstTable *table = &ex->ast->tables.items[i];
    if (ex->table_numbers[i] == FLAT_NONE) {
        const char *name = text_copy(ex->flat->arena, text_from(table->name));
        ex->table_numbers[i] = expr_pieces(&ex->flat->pool, name, table->between, table->outside, table->x,
                                           table->n_x, table->y, table->n_y, table->z);
    }
    return ex->table_numbers[i];
}

static Expr clamp(const Reading *r, Expr x, double low, double high, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr lo = expr_const(pool, low), hi = expr_const(pool, high);
    const Expr below = lower_relation(r, EXPR_LT, x, lo, place),
               above = lower_relation(r, EXPR_GT, x, hi, place);
    return expr_make(pool, EXPR_IF, below, lo, expr_make(pool, EXPR_IF, above, hi, x));
}

// The code of the piece in which an argument lies, kept between events.
static Expr code_of(const Reading *r, uint32_t number, int argument, Expr x, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    Expr bits[2];
    for (int k = 0; k < 2; k++) {
        const uint32_t table = expr_pieces_axis(pool, number, argument,
                                                k ? EXPR_AXIS_BIT_1 : EXPR_AXIS_BIT_0);
        const Expr bit = expr_make(pool, EXPR_PIECES, x, table, EXPR_NONE);
        const Expr is_set = lower_relation(r, EXPR_GT, bit, expr_const(pool, 0.5), place);
        bits[k] = expr_make(pool, EXPR_IF, is_set, expr_const(pool, k + 1), expr_const(pool, 0));
    }
    return expr_binary(pool, EXPR_ADD, bits[0], bits[1]);
}

static Expr look_up(const Reading *r, const AstTable *table, uint32_t number, const Expr *args, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const bool is_smooth = table->between == PIECES_MONOTONE || table->between == PIECES_CUBIC;
    Expr x = args[0];
    if (r->makes_modes && !is_smooth)
        return expr_make(pool, EXPR_NEAR, x, code_of(r, number, 0, x, place), number);
    if (r->makes_modes && table->outside == PIECES_OUTSIDE_HOLD)
        x = clamp(r, x, table->x[0], table->x[table->n_x - 1], place);
    return expr_make(pool, EXPR_PIECES, x, number, EXPR_NONE);
}

static Expr look_up_in_grid(const Reading *r, const AstTable *table, uint32_t number, const Expr *args,
                            Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const bool is_smooth = table->between == PIECES_CUBIC;
    Expr x = args[0], y = args[1];
    if (!r->makes_modes || is_smooth) {
        if (r->makes_modes && table->outside == PIECES_OUTSIDE_HOLD) {
            x = clamp(r, x, table->x[0], table->x[table->n_x - 1], place);
            y = clamp(r, y, table->y[0], table->y[table->n_y - 1], place);
        }
        return expr_make(pool, EXPR_GRID, x, y, number);
    }

    // a point of the piece that the codes tell, where the coefficients of that piece are looked up
    Expr inside[2], away[2];
    for (int k = 0; k < 2; k++) {
        const Expr code = code_of(r, number, k, args[k], place);
        const uint32_t points = expr_pieces_axis(pool, number, k, EXPR_AXIS_INSIDE);
        const uint32_t origins = expr_pieces_axis(pool, number, k, EXPR_AXIS_ORIGIN);
        inside[k] = expr_make(pool, EXPR_NEAR, args[k], code, points);
        away[k] = expr_binary(pool, EXPR_SUB, args[k], expr_make(pool, EXPR_NEAR, args[k], code, origins));
    }
    if (table->between == PIECES_HOLD) return expr_make(pool, EXPR_GRID, inside[0], inside[1], number);
    Expr rows[2];
    for (int p = 0; p < 2; p++) {
        const Expr at = expr_make(pool, EXPR_GRID, inside[0], inside[1],
                                  expr_pieces_term(pool, number, p, 0));
        const Expr slope = expr_make(pool, EXPR_GRID, inside[0], inside[1],
                                     expr_pieces_term(pool, number, p, 1));
        rows[p] = expr_binary(pool, EXPR_ADD, at, expr_binary(pool, EXPR_MUL, away[1], slope));
    }
    return expr_binary(pool, EXPR_ADD, rows[0], expr_binary(pool, EXPR_MUL, away[0], rows[1]));
}

Expr table_call(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    const uint32_t *found = text_map_find(&ex->tables, text_from(call->call.function));
    if (!found) return EXPR_NONE;
    const AstTable *table = &ex->ast->tables.items[*found];
    if (table->n_arguments == 0) {
        EXPAND_FAIL(ex, DIAG_FUNCTION_UNKNOWN, call->place, table->name);
        diag_hint(ex->diag, "these are samples: draw one with empirical(%s)", table->name);
        return lower_poison(r);
    }
    if (call->call.n_args != table->n_arguments) {
        lower_wrong_arguments(r, call, table->n_arguments == 1 ? "1 argument" : "2 arguments");
        diag_note(ex->diag, table->place, "'%s' is defined here", table->name);
        return lower_poison(r);
    }
    Expr args[2];
    for (uint32_t i = 0; i < table->n_arguments; i++) args[i] = lower_real(r, call->call.args[i]);
    const uint32_t number = number_of(ex, *found);
    return table->n_arguments == 1 ? look_up(r, table, number, args, call->place)
                                   : look_up_in_grid(r, table, number, args, call->place);
}

// A number like the measurements, and between them: their distribution function runs linearly from one to the
// next, so its inverse is a table.
Expr table_empirical(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    ExprPool *pool = &ex->flat->pool;
    const AstExpr *what = call->call.n_args == 1 ? call->call.args[0] : NULL;
    if (!what || what->kind != AST_REF || what->ref.n_parts != 1 || what->ref.primes ||
        what->ref.parts[0].n_indices) {
        lower_wrong_arguments(r, call, "the name of samples");
        return lower_poison(r);
    }
    const char *name = what->ref.parts[0].name;
    const uint32_t *found = text_map_find(&ex->tables, text_from(name));
    const AstTable *table = found ? &ex->ast->tables.items[*found] : NULL;
    if (!table || table->n_arguments) {
        const char **names = ARENA_ARRAY(&ex->work, const char *, ex->ast->tables.n);
        size_t n = 0;
        for (size_t i = 0; i < ex->ast->tables.n; i++)
            if (ex->ast->tables.items[i].n_arguments == 0) names[n++] = ex->ast->tables.items[i].name;
        EXPAND_FAIL(ex, DIAG_SAMPLES_UNKNOWN, what->place, name);
        if (!diag_suggest(ex->diag, name, text_closest(name, names, n)))
            diag_hint(ex->diag, "read them from a file: samples %s from \"data.csv\" column \"…\"", name);
        return lower_poison(r);
    }
    const Expr u = draw_unit(r);
    if (table->n_x < 2) return expr_const(pool, table->z[0]);
    const Expr at = expr_binary(pool, EXPR_MUL, u, expr_const(pool, table->n_x - 1.0));
    return expr_make(pool, EXPR_PIECES, at, number_of(ex, *found), EXPR_NONE);
}
