// src/order/pantelides.c: the algorithm on a matching that grows: see augment.h.
#include "order/pantelides.h"
#include "order/augment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(uint32_t) Numbers;

typedef struct Reducer {
    Flat       *flat;
    Arena       work;
    Augment     matching;       // columns: the highest derivatives, those that were ones before are closed
    Numbers     variable_of;    // [columns]
    Numbers     column_of;      // [vars] or INCIDENCE_NONE
    VEC(Expr)   rate;           // [vars] the derivative of each variable as an expression, EXPR_NONE:
                                // constant
    Numbers     from, derivative, order;    // [equations]
    orr_diag   *diag;
} Reducer;

static bool report(Reducer *r, uint32_t row, const char *why, const char *hint)
{
    const FlatEquation *e = &r->flat->equations.items[row];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) arena_no_memory(1);
    flat_print_equation(r->flat, e, out);
    memory_close(out, &text);
    if (size > 80) memcpy(text + 76, " ...", 5);
    diag_report(r->diag, DIAG_HIGH_INDEX, e->place, text, why);
    diag_hint(r->diag, "%s", hint);
    free(text);
    return false;
}

// ---- Variables

static void add_rate(Reducer *r, uint32_t variable)
{
    const uint32_t d = r->flat->vars.items[variable].derivative;
    const Expr rate = d == FLAT_NONE ? EXPR_NONE : expr_var(&r->flat->pool, d);
    if (variable < r->rate.n) r->rate.items[variable] = rate;
    else vec_push(&r->work, &r->rate, rate);
}

static uint32_t add_derivative(Reducer *r, uint32_t variable)
{
    Flat *flat = r->flat;
    const FlatVar *of = &flat->vars.items[variable];
    const uint32_t d = (uint32_t)flat->vars.n;
    const FlatVar new = { .name = arena_printf(flat->arena, "%s'", of->name), .place = of->place,
                          .kind = FLAT_VARIABLE, .is_hidden = true, .derivative = FLAT_NONE,
                          .integral = variable, .start = EXPR_NONE };
    vec_push(flat->arena, &flat->vars, new);
    text_map_put(&flat->by_name, text_from(new.name), d);
    flat->vars.items[variable].derivative = d;
    add_rate(r, variable);
    add_rate(r, d);

    const uint32_t column = augment_add_column(&r->matching);
    vec_push(&r->work, &r->variable_of, d);
    vec_push(&r->work, &r->column_of, column);
    r->matching.is_closed.items[r->column_of.items[variable]] = true;
    return column;
}

// ---- Equations

// The highest derivatives that an equation reads.
static AugmentRow read_row(Reducer *r, uint32_t equation, bool *reads_any)
{
    const FlatEquation *e = &r->flat->equations.items[equation];
    const Expr sides[2] = { e->lhs, e->rhs };
    Numbers columns = { 0 };
    *reads_any = false;
    for (int i = 0; i < 2; i++) {
        size_t n;
        const uint32_t *variables = expr_variables(&r->flat->pool, sides[i], &r->work, &n);
        for (size_t k = 0; k < n; k++) {
            *reads_any = *reads_any || r->flat->vars.items[variables[k]].kind == FLAT_VARIABLE;
            const uint32_t column = r->column_of.items[variables[k]];
            if (column != INCIDENCE_NONE && !r->matching.is_closed.items[column])
                vec_push(&r->work, &columns, column);
        }
    }
    return (AugmentRow){ columns.items, (uint32_t)columns.n };
}

// ---- Jumps: what has one has no derivative there

static bool reads(Reducer *r, Expr e, ExprOp leaf)
{
    size_t n;
    const Expr *nodes = expr_collect(&r->flat->pool, &e, 1, &r->work, &n);
    for (size_t i = 0; i < n; i++)
        if (expr_op(&r->flat->pool, nodes[i]) == leaf) return true;
    return false;
}

static bool is_fixed(Reducer *r, Expr e)
{
    const ExprOp changing[] = { EXPR_TIME, EXPR_MODE, EXPR_DELAY, EXPR_ELEM };
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (reads(r, e, changing[i])) return false;
    size_t n;
    const uint32_t *variables = expr_variables(&r->flat->pool, e, &r->work, &n);
    for (size_t i = 0; i < n; i++)
        if (r->flat->vars.items[variables[i]].kind != FLAT_PARAM) return false;
    return true;
}

static double at_time(const Reducer *r, Expr e, double t)
{
    const ExprValues values = { .t = t };
    return expr_evaluate(&r->flat->pool, e, &values);
}

// Do the branches differ where the condition changes? Known if they differ by what is fixed, or if all of it
// depends on nothing but time, the relation as a straight line.
static bool branches_jump(Reducer *r, Expr condition, Expr a, Expr b)
{
    const Expr gap = expr_binary(&r->flat->pool, EXPR_SUB, a, b);
    double value;
    if (!reads(r, condition, EXPR_MODE)) return false;
    if (expr_is_const(&r->flat->pool, gap, &value)) return value != 0;
    if (is_fixed(r, gap)) return true;
    if (expr_op(&r->flat->pool, condition) != EXPR_MODE) return false;
    const Expr g = r->flat->relations.items[expr_node(&r->flat->pool, condition)->index].zero;
    const double g0 = at_time(r, g, 0), t = g0 / (g0 - at_time(r, g, 1)), there = at_time(r, gap, t);
    return fabs(at_time(r, g, t)) <= 1e-12 * fabs(g0) && fabs(there) > 1e-9 * fabs(at_time(r, a, t));
}

// Sums and multiples of switches; a product of two that change may well be continuous.
static bool has_jump(Reducer *r, Expr e)
{
    const ExprPool *pool = &r->flat->pool;
    for (; expr_op(pool, e) == EXPR_ADD || expr_op(pool, e) == EXPR_SUB; e = expr_operand(pool, e, 0))
        if (has_jump(r, expr_operand(pool, e, 1))) return true;
    const ExprOp op = expr_op(pool, e);
    if (op == EXPR_IF) {
        const Expr c = expr_operand(pool, e, 0), a = expr_operand(pool, e, 1), b = expr_operand(pool, e, 2);
        return branches_jump(r, c, a, b) || has_jump(r, a) || has_jump(r, b);
    }
    if (op == EXPR_NEG) return has_jump(r, expr_operand(pool, e, 0));
    if (op != EXPR_MUL && op != EXPR_DIV) return false;
    const Expr a = expr_operand(pool, e, 0), b = expr_operand(pool, e, 1);
    return (is_fixed(r, b) && has_jump(r, a)) || (op == EXPR_MUL && is_fixed(r, a) && has_jump(r, b));
}

static bool differentiate(Reducer *r, uint32_t row)
{
    Flat *flat = r->flat;
    if (r->order.items[row] == PANTELIDES_ORDER_MAX)
        return report(r, row, "there is no end to it", "an unknown in it cancels out: correct the equation");
    const FlatEquation e = flat->equations.items[row];
    if (has_jump(r, e.lhs) || has_jump(r, e.rhs))
        return report(r, row, "it jumps: its derivative is an impulse there",
                      "let it rise in a finite time (a ramp, a filter), or put the jump into a state by an "
                      "event: at 1 then w := w + 1 end");
    const Expr lhs = expr_time_derivative(&flat->pool, e.lhs, r->rate.items, r->rate.n);
    const Expr rhs = expr_time_derivative(&flat->pool, e.rhs, r->rate.items, r->rate.n);
    if (lhs == EXPR_NONE || rhs == EXPR_NONE)
        return report(r, row, "it reads the past",
                      "the derivative of a delay is not known: put a state behind the delay, or write the "
                      "equation for a derivative");
    const FlatEquation derived = { .lhs = lhs, .rhs = rhs, .place = e.place };
    const uint32_t new = (uint32_t)flat->equations.n;
    vec_push(flat->arena, &flat->equations, derived);
    vec_push(&r->work, &r->from, row);
    vec_push(&r->work, &r->derivative, FLAT_NONE);
    vec_push(&r->work, &r->order, r->order.items[row] + 1);
    r->derivative.items[row] = new;
    bool reads_any;
    const AugmentRow columns = read_row(r, new, &reads_any);
    if (!reads_any)
        return report(r, row, "nothing is left of it", "the unknowns in it cancel out: correct the equation");
    augment_add_row(&r->matching, columns.columns, columns.n);
    return true;
}

// The tree of the last search: first the unknowns, then the equations that read them, then who computes whom.
static bool differentiate_tree(Reducer *r)
{
    Augment *a = &r->matching;
    const size_t n_columns = a->met_columns.n, n_rows = a->met_rows.n;
    for (size_t k = 0; k < n_columns; k++)
        add_derivative(r, r->variable_of.items[a->met_columns.items[k]]);
    for (size_t k = 0; k < n_rows; k++)
        if (!differentiate(r, a->met_rows.items[k])) return false;
    const uint32_t first = (uint32_t)(a->row_of.n - n_columns);
    for (size_t k = 0; k < n_columns; k++) {
        const uint32_t row = a->row_of.items[a->met_columns.items[k]];
        augment_pair(a, r->derivative.items[row], first + (uint32_t)k);
    }
    return true;
}

// ---- All of it

static void begin(Reducer *r, const System *system, const Match *match)
{
    const Flat *flat = r->flat;
    augment_init(&r->matching, &r->work);
    augment_take(&r->matching, &system->rows, match);
    for (uint32_t j = 0; j < system->rows.n_columns; j++)
        vec_push(&r->work, &r->variable_of, system->unknowns[j]);
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        vec_push(&r->work, &r->column_of, system->column_of[v]);
        add_rate(r, v);
    }
    for (uint32_t i = 0; i < system->rows.n_rows; i++) {
        vec_push(&r->work, &r->from, FLAT_NONE);
        vec_push(&r->work, &r->derivative, FLAT_NONE);
        vec_push(&r->work, &r->order, 0);
    }
}

static uint32_t *keep(const Numbers *numbers, Arena *arena)
{
    uint32_t *kept = ARENA_ARRAY(arena, uint32_t, numbers->n);
    if (numbers->n > 0) memcpy(kept, numbers->items, numbers->n * sizeof *kept);
    return kept;
}

bool pantelides_run(Pantelides *p, Flat *flat, const System *system, const Match *match, Arena *arena,
                    orr_diag *diag)
{
    Reducer r = { .flat = flat, .diag = diag };
    *p = (Pantelides){ .n_written = system->rows.n_rows, .n_vars = (uint32_t)flat->vars.n };
    begin(&r, system, match);
    bool ok = true;
    for (uint32_t i = 0; i < p->n_written && ok; i++) {
        uint32_t row = i;
        while (ok && r.matching.column_of.items[row] == INCIDENCE_NONE && !augment_row(&r.matching, row)) {
            ok = differentiate_tree(&r);
            if (ok) row = r.derivative.items[row];
        }
    }
    p->n_equations = (uint32_t)flat->equations.n;
    p->from = keep(&r.from, arena);
    p->derivative = keep(&r.derivative, arena);
    p->order = keep(&r.order, arena);
    p->root = ARENA_ARRAY(arena, uint32_t, p->n_equations);
    for (uint32_t i = 0; ok && i < p->n_equations; i++)
        p->root[i] = p->from[i] == FLAT_NONE ? i : p->root[p->from[i]];
    arena_free(&r.work);
    return ok;
}
