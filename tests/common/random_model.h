// tests/common/random_model.h: models with random equations, and their derivatives by plain evaluation.
#pragma once
#include "make_code.h"

typedef struct RandomModel {
    Built    b;
    uint64_t random;
    Expr    *known;       // what an expression may read: parameters, states, algebraic variables so far, time
    size_t   n_known;
    Expr    *states;
    size_t   n_states;
    double  *values;      // [n_vars] of the evaluation
    double  *modes;       // [n_relations] of the evaluation, borrowed from v
} RandomModel;

static inline uint32_t model_random(RandomModel *m, uint32_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 33) % n;
}

static inline Expr model_pick(RandomModel *m) { return m->known[model_random(m, (uint32_t)m->n_known)]; }

// Bounded by about 2, so that no model runs away.
static inline Expr model_expression(RandomModel *m, int depth)
{
    Make *make = &m->b.make;
    if (depth == 0) {
        const Expr leaf = model_random(m, 5) ? model_pick(m)
                                             : make_number(make, model_random(m, 1000) * 0.001 + 0.1);
        return model_random(m, 3) ? make_call(make, EXPR_SIN, leaf) : make_call(make, EXPR_TANH, leaf);
    }
    const Expr a = model_expression(m, depth - 1), b = model_expression(m, depth - 1);
    switch (model_random(m, 9)) {
    case 0: return make_mul(make, make_number(make, 0.5), make_add(make, a, b));
    case 1: return make_mul(make, make_number(make, 0.5), make_sub(make, a, b));
    case 2: return make_mul(make, a, b);
    case 3: return make_op(make, EXPR_MAX, a, b, EXPR_NONE);
    case 4: return make_op(make, EXPR_MIN, a, b, EXPR_NONE);
    case 5: return make_div(make, a, make_add(make, make_number(make, 1), make_pow(make, b, 2)));
    case 6: return make_mul(make, make_number(make, 0.1), make_pow(make, a, 1 + model_random(m, 5)));
    case 7:
        if (make->flat.relations.n)
            return make_op(make, EXPR_IF,
                           expr_mode(&make->flat.pool, model_random(m, (uint32_t)make->flat.relations.n)), a,
                           b);
        return make_neg(make, a);
    default: return make_call(make, EXPR_SIN, make_add(make, a, b));
    }
}

static inline void model_add_relation(RandomModel *m, Expr left, Expr right)
{
    Make *make = &m->b.make;
    const FlatRelation relation = { .relation = make_op(make, EXPR_GT, left, right, EXPR_NONE),
                                    .zero = make_sub(make, left, right) };
    vec_push(&make->arena, &make->flat.relations, relation);
}

// n states and n algebraic variables. Relations, if any, compare a state with a number that it meets sooner
// or later.
static inline void model_grow(RandomModel *m, uint64_t seed, size_t n_states, size_t n_algebraic,
                              size_t n_relations)
{
    memset(m, 0, sizeof *m);
    m->random = seed * 0x9E3779B97F4A7C15u + 1;
    built_init(&m->b);
    Make *make = &m->b.make;
    m->known = calloc(2 * n_states + n_algebraic + 16, sizeof *m->known);
    m->states = calloc(n_states + 1, sizeof *m->states);
    m->n_states = n_states;
    for (int i = 0; i < 4; i++)
        m->known[m->n_known++] = make_param(make, arena_printf(&make->arena, "p%d", i),
                                            make_number(make, 0.3 + 0.4 * i));
    m->known[m->n_known++] = expr_time(&make->flat.pool);
    for (size_t i = 0; i < n_states; i++) {
        m->states[i] = m->known[m->n_known++] = make_var(make, arena_printf(&make->arena, "x%zu", i));
        make_at(make, m->states[i])->start = make_number(make, 0.1 * (double)model_random(m, 20) - 1);
    }
    for (size_t i = 0; i < n_relations; i++)
        model_add_relation(m, m->states[i % n_states],
                           make_number(make, 0.2 * (double)model_random(m, 10) - 1));
    for (size_t i = 0; i < n_algebraic; i++) {
        const Expr y = make_var(make, arena_printf(&make->arena, "y%zu", i));
        // now and then just another name
        make_equation(make, y,
                      model_random(m, 8) ? model_expression(m, 1 + (int)model_random(m, 3)) : model_pick(m));
        m->known[m->n_known++] = y;
    }
    // later derivatives may read earlier ones
    for (size_t i = 0; i < n_states; i++) {
        const Expr rate = make_der(make, m->states[i]);
        make_equation(make, rate, model_expression(m, 1 + (int)model_random(m, 3)));
        if (i % 2 == 0) m->known[m->n_known++] = rate;
    }
    for (size_t i = 0; i < n_states / 4; i++)
        make_equation(make, make_var(make, arena_printf(&make->arena, "z%zu", i)), model_expression(m, 2));
}

static inline double model_variable(const void *context, uint32_t variable)
{
    return ((const RandomModel *)context)->values[variable];
}
static inline double model_mode(const void *context, uint32_t k)
{
    return ((const RandomModel *)context)->modes[k];
}

static inline double model_evaluate(const RandomModel *m, double t, Expr e)
{
    const ExprValues values = { .variable = model_variable, .mode = model_mode, .context = m, .t = t };
    return expr_evaluate(&m->b.make.flat.pool, e, &values);
}

// All variables at (t, x), the parameters being those in v.
static inline void model_values(RandomModel *m, double t, const double *x)
{
    const Blocks *blocks = &m->b.blocks;
    if (!m->values) m->values = calloc(m->b.make.flat.vars.n, sizeof *m->values);
    m->modes = m->b.v + m->b.ir.layout.first_mode;
    for (uint32_t i = 0; i < blocks->n_params; i++) m->values[blocks->params[i]] = m->b.v[i];
    for (uint32_t i = 0; i < blocks->n_states; i++) m->values[blocks->states[i]] = x[i];
    for (uint32_t b = 0; b < blocks->dynamic.n_blocks; b++) {
        const Block *block = &blocks->dynamic.blocks[b];
        assert_int_equal(block->kind, BLOCK_ASSIGN);
        m->values[block->unknowns[0]] = model_evaluate(m, t, block->value);
    }
}

static inline void model_rates(RandomModel *m, double t, const double *x, double *rates)
{
    model_values(m, t, x);
    for (uint32_t i = 0; i < m->b.blocks.n_states; i++) rates[i] = m->values[m->b.blocks.rates[i]];
}

static inline void model_free(RandomModel *m)
{
    free(m->known);
    free(m->states);
    free(m->values);
    built_free(&m->b);
}
