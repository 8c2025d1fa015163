// tests/common/make_flat.h: flat models built by hand, for tests of the stages behind flattening.
//
//     Make m; make_init(&m);
//     Expr x = make_var(&m, "x"), y = make_var(&m, "y");
//     make_equation(&m, x, make_add(&m, y, make_number(&m, 16)));
//     ...
//     make_free(&m);
//
// The i-th equation, initial equation or variable is on a line of its own, so places in messages can be told
// apart: variables from line 1001 on, equations from line 1 on, initial equations from line 501 on.
#pragma once
#include "base/diag.h"
#include "flat/flat.h"
#include <stdarg.h>
#include <stdlib.h>

typedef struct Make {
    Arena     arena;
    Flat      flat;
    orr_diag *diag;
    uint32_t  file;
} Make;

static inline void make_init(Make *m)
{
    *m = (Make){ 0 };
    m->diag = orr_diag_create();
    m->file = diag_add_source(m->diag, "made.orr", NULL, 0);
    m->flat = (Flat){ .arena = &m->arena, .model = "Made" };
    expr_pool_init(&m->flat.pool, &m->arena);
    text_map_init(&m->flat.by_name, &m->arena);
}

static inline void make_free(Make *m)
{
    orr_diag_destroy(m->diag);
    arena_free(&m->arena);
}

static inline Place make_place(const Make *m, size_t line) { return (Place){ m->file, (uint32_t)line, 1 }; }

static inline uint32_t make_declare(Make *m, const char *name, FlatKind kind, Expr start)
{
    const uint32_t number = (uint32_t)m->flat.vars.n;
    const FlatVar v = { .name = arena_copy_text(&m->arena, name, strlen(name)),
                        .kind = kind,
                        .start = start,
                        .place = make_place(m, 1001 + number),
                        .derivative = FLAT_NONE,
                        .integral = FLAT_NONE };
    vec_push(&m->arena, &m->flat.vars, v);
    text_map_put(&m->flat.by_name, text_from(name), number);
    return number;
}

static inline FlatVar *make_at(Make *m, Expr variable)
{
    return &m->flat.vars.items[expr_node(&m->flat.pool, variable)->index];
}
static inline Expr make_number(Make *m, double x) { return expr_const(&m->flat.pool, x); }
static inline Expr make_var(Make *m, const char *name)
{
    return expr_var(&m->flat.pool, make_declare(m, name, FLAT_VARIABLE, EXPR_NONE));
}
static inline Expr make_param(Make *m, const char *name, Expr start)
{
    return expr_var(&m->flat.pool, make_declare(m, name, FLAT_PARAM, start));
}
static inline Expr make_input(Make *m, const char *name, Expr start)
{
    return expr_var(&m->flat.pool, make_declare(m, name, FLAT_INPUT, start));
}

// The derivative of a variable, declared on first use.
static inline Expr make_der(Make *m, Expr x)
{
    const uint32_t of = expr_node(&m->flat.pool, x)->index;
    uint32_t d = m->flat.vars.items[of].derivative;
    if (d == FLAT_NONE) {
        d = make_declare(m, arena_printf(&m->arena, "%s'", m->flat.vars.items[of].name), FLAT_VARIABLE,
                         EXPR_NONE);
        m->flat.vars.items[of].derivative = d;
        m->flat.vars.items[d].integral = of;
    }
    return expr_var(&m->flat.pool, d);
}

static inline Expr make_op(Make *m, ExprOp op, Expr a, Expr b, Expr c)
{
    return expr_make(&m->flat.pool, op, a, b, c);
}
static inline Expr make_add(Make *m, Expr a, Expr b) { return make_op(m, EXPR_ADD, a, b, EXPR_NONE); }
static inline Expr make_sub(Make *m, Expr a, Expr b) { return make_op(m, EXPR_SUB, a, b, EXPR_NONE); }
static inline Expr make_mul(Make *m, Expr a, Expr b) { return make_op(m, EXPR_MUL, a, b, EXPR_NONE); }
static inline Expr make_div(Make *m, Expr a, Expr b) { return make_op(m, EXPR_DIV, a, b, EXPR_NONE); }
static inline Expr make_pow(Make *m, Expr a, double b)
{
    return make_op(m, EXPR_POW, a, make_number(m, b), EXPR_NONE);
}
static inline Expr make_neg(Make *m, Expr a) { return make_op(m, EXPR_NEG, a, EXPR_NONE, EXPR_NONE); }
static inline Expr make_call(Make *m, ExprOp op, Expr a) { return make_op(m, op, a, EXPR_NONE, EXPR_NONE); }

static inline void make_equation(Make *m, Expr lhs, Expr rhs)
{
    const FlatEquation e = { lhs, rhs, make_place(m, m->flat.equations.n + 1) };
    vec_push(&m->arena, &m->flat.equations, e);
}

static inline void make_initial(Make *m, Expr lhs, Expr rhs)
{
    const FlatEquation e = { lhs, rhs, make_place(m, m->flat.initial.n + 501) };
    vec_push(&m->arena, &m->flat.initial, e);
}
