// tests/common/fake_model.h: a compiled model made by hand from C functions, to test runs and solvers without
// a compiler.
//
// One fake model at a time: generated code has no closure, so its stand-ins find the description in `fake`.
#pragma once
#include "model/model.h"
#include <stdlib.h>
#include <string.h>

enum { FAKE_MAX = 32 };

typedef struct Fake {
    size_t      n_states;
    const char *states[FAKE_MAX];              // NULL: x2, x3, …
    double      start[FAKE_MAX];
    size_t      n_params;
    const char *params[FAKE_MAX];
    double      defaults[FAKE_MAX];
    CodeProgram rates;
    size_t      n_relations;
    CodeProgram relations;                     // out[2*n_relations]
    CodeProgram jacobian;                      // out[n_states*n_states] by columns; NULL: none
    size_t      n_asserts;
    CodeProgram asserts;
    bool        has_loops;                     // stand-ins for the generated fixed-step loops
    bool        is_sparse;                     // with a pattern that is tridiagonal
    size_t      n_guesses;                     // at fake_guesses(env): what the rates leave for the next time
} Fake;

static Fake fake;

static inline size_t fake_first_mode(void) { return fake.n_params; }
static inline size_t fake_first_var(void) { return fake.n_params + fake.n_relations; }
static inline double *fake_modes(const CodeEnv *env) { return env->v + fake_first_mode(); }

static inline double *fake_guesses(const CodeEnv *env)
{
    return env->v + fake_first_var() + fake.n_params + 2 * fake.n_states;
}

static inline int fake_run_params(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)out;
    for (size_t i = 0; i < fake.n_params; i++)
        if (x[i] == 0) env->v[i] = fake.defaults[i];
    return 0;
}

static inline int fake_run_values(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)out;
    double dx[FAKE_MAX], guesses[FAKE_MAX];
    memcpy(guesses, fake_guesses(env), fake.n_guesses * sizeof *guesses);
    const int failed = fake.rates(t, x, env, dx);
    memcpy(fake_guesses(env), guesses, fake.n_guesses * sizeof *guesses);
    double *vars = env->v + fake_first_var() + fake.n_params;
    for (size_t i = 0; i < fake.n_states; i++) {
        vars[i] = x[i];
        vars[fake.n_states + i] = dx[i];
    }
    return failed;
}

static inline int fake_run_start(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)x;
    for (size_t i = 0; i < fake.n_states; i++) out[i] = fake.start[i];
    return fake_run_values(t, out, env, NULL);
}

static inline int fake_run_changed(double t, const double *x, const CodeEnv *env, double *out)
{
    double relations[2 * FAKE_MAX];
    const int failed = fake.relations(t, x, env, relations);
    out[0] = 0;
    for (size_t i = 0; i < fake.n_relations; i++)
        if (relations[2 * i + 1] != fake_modes(env)[i]) out[0] = 1;
    return failed;
}

static inline int fake_run_jacobian(double t, const double *x, const CodeEnv *env, double *out)
{
    return fake.jacobian(t, x, env, out);
}

// What generated loops do, by the formulas of code.h.
static inline long fake_loop(CodeLoopId method, double t_start, double h, long k, long n, double *x,
                             const CodeEnv *env, int *why)
{
    const size_t m = fake.n_states;
    *why = 0;
    for (long done = 0; done < n; done++, k++) {
        const double t = t_start + (double)k * h, middle = t_start + ((double)k + 0.5) * h,
                     end = t_start + (double)(k + 1) * h;
        double k1[FAKE_MAX], k2[FAKE_MAX], k3[FAKE_MAX], k4[FAKE_MAX], y[FAKE_MAX], next[FAKE_MAX];
        memcpy(next, x, m * sizeof *x);
        if (fake.rates(t, x, env, k1)) return *why = 1, done;
        switch ((int)method) {
        case FIXED_euler:
            for (size_t i = 0; i < m; i++) next[i] = x[i] + h * k1[i];
            break;
        case CODE_IN_PLACE:
            for (size_t i = 0; i < m; i++) {
                fake.rates(t, next, env, k1);
                next[i] = next[i] + h * k1[i];
            }
            break;
        case FIXED_heun:
            for (size_t i = 0; i < m; i++) y[i] = x[i] + h * k1[i];
            fake.rates(end, y, env, k2);
            for (size_t i = 0; i < m; i++) next[i] = x[i] + 0.5 * h * (k1[i] + k2[i]);
            break;
        default:
            for (size_t i = 0; i < m; i++) y[i] = x[i] + 0.5 * h * k1[i];
            fake.rates(middle, y, env, k2);
            for (size_t i = 0; i < m; i++) y[i] = x[i] + 0.5 * h * k2[i];
            fake.rates(middle, y, env, k3);
            for (size_t i = 0; i < m; i++) y[i] = x[i] + h * k3[i];
            fake.rates(end, y, env, k4);
            for (size_t i = 0; i < m; i++) next[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
            break;
        }
        double changed[1] = { 0 };
        if (fake.n_relations) fake_run_changed(end, next, env, changed);
        if (changed[0] != 0) return *why = CODE_RELATION, done;
        memcpy(x, next, m * sizeof *x);
    }
    return n;
}

#define FAKE_LOOP(name, method)                                                                              \
    static inline long name(double t_start, double h, long k, long n, double *x, const CodeEnv *env,         \
                            double *scratch, int *why)                                                       \
    {                                                                                                        \
        (void)scratch;                                                                                       \
        return fake_loop((CodeLoopId)(method), t_start, h, k, n, x, env, why);                               \
    }
FAKE_LOOP(fake_euler, FIXED_euler)
FAKE_LOOP(fake_in_place, CODE_IN_PLACE)
FAKE_LOOP(fake_heun, FIXED_heun)
FAKE_LOOP(fake_rk4, FIXED_rk4)

static inline void fake_add_variable(orr_model *m, const char *name, FlatKind kind)
{
    const FlatVar var = {
        .name = name, .kind = kind, .derivative = FLAT_NONE, .integral = FLAT_NONE, .start = EXPR_NONE
    };
    text_map_put(&m->flat.by_name, text_from(name), (uint32_t)m->flat.vars.n);
    vec_push(&m->arena, &m->flat.vars, var);
}

// Variables: parameters, states, rates ("x'"). Destroy with orr_model_destroy.
static inline orr_model *fake_model(Fake spec)
{
    fake = spec;
    orr_model *m = calloc(1, sizeof *m);
    Arena *arena = &m->arena;
    const size_t n = spec.n_states;
    m->flat.arena = arena;
    m->flat.model = "Fake";
    expr_pool_init(&m->flat.pool, arena);
    text_map_init(&m->flat.by_name, arena);
    for (size_t i = 0; i < spec.n_params; i++) {
        fake_add_variable(m, spec.params[i], FLAT_PARAM);
        m->flat.vars.items[i].start = expr_const(&m->flat.pool, spec.defaults[i]);
    }
    for (size_t i = 0; i < n; i++)
        fake_add_variable(m, spec.states[i] ? spec.states[i] : arena_printf(arena, "x%zu", i + 1),
                          FLAT_VARIABLE);
    for (size_t i = 0; i < n; i++)
        fake_add_variable(m, arena_printf(arena, "%s'", m->flat.vars.items[spec.n_params + i].name),
                          FLAT_VARIABLE);
    const uint32_t n_vars = (uint32_t)m->flat.vars.n, first_state = (uint32_t)spec.n_params;

    m->n_states = m->blocks.n_states = (uint32_t)n;
    m->n_params = m->blocks.n_params = (uint32_t)spec.n_params;
    m->blocks.states = ARENA_ARRAY(arena, uint32_t, n);
    m->blocks.rates = ARENA_ARRAY(arena, uint32_t, n);
    m->blocks.params = ARENA_ARRAY(arena, uint32_t, spec.n_params);
    m->blocks.start.block_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    m->blocks.dynamic.block_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    IrLayout *layout = &m->ir.layout;
    layout->place = ARENA_ARRAY(arena, uint32_t, n_vars);
    layout->guess = ARENA_ARRAY(arena, uint32_t, n_vars);
    layout->state_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    layout->n_params = (uint32_t)spec.n_params;
    layout->first_mode = (uint32_t)fake_first_mode();
    layout->n_modes = m->n_relations = (uint32_t)spec.n_relations;
    layout->first_var = (uint32_t)fake_first_var();
    layout->first_guess = layout->first_var + n_vars;
    layout->n_guesses = (uint32_t)spec.n_guesses;
    layout->n_values = m->n_values = layout->first_guess + layout->n_guesses;
    for (uint32_t i = 0; i < n_vars; i++) {
        m->blocks.start.block_of[i] = m->blocks.dynamic.block_of[i] = FLAT_NONE;
        layout->guess[i] = layout->state_of[i] = FLAT_NONE;
        layout->place[i] = i < spec.n_params ? i : layout->first_var + i;
    }
    for (uint32_t i = 0; i < spec.n_params; i++) m->blocks.params[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        m->blocks.states[i] = first_state + i;
        m->blocks.rates[i] = first_state + (uint32_t)n + i;
        layout->state_of[first_state + i] = i;
        m->flat.vars.items[first_state + i].derivative = first_state + (uint32_t)n + i;
        m->flat.vars.items[first_state + n + i].integral = first_state + i;
    }
    for (size_t i = 0; i < spec.n_relations; i++) {
        const Expr zero = expr_const(&m->flat.pool, 0);
        const FlatRelation relation = { .relation = expr_binary(&m->flat.pool, EXPR_GT,
                                                                expr_var(&m->flat.pool, first_state), zero),
                                        .in_equation = true };
        vec_push(arena, &m->flat.relations, relation);
    }
    m->n_asserts = (uint32_t)spec.n_asserts;
    for (size_t i = 0; i < spec.n_asserts; i++) {
        const FlatAssert assertion = { .condition = expr_const(&m->flat.pool, 1), .text = "as claimed" };
        vec_push(arena, &m->flat.asserts, assertion);
    }

    Ir *ir = &m->ir;
    if (spec.jacobian || spec.is_sparse) {
        ir->has_pattern = true;
        ir->pattern.start = ARENA_ARRAY(arena, uint32_t, n + 1);
        ir->pattern.row = ARENA_ARRAY(arena, uint32_t, n * n);
        for (uint32_t c = 0; c < n; c++) {
            ir->pattern.start[c] = ir->pattern.n;
            for (uint32_t r = 0; r < n; r++)
                if (!spec.is_sparse || (r + 1 >= c && r <= c + 1)) ir->pattern.row[ir->pattern.n++] = r;
        }
        ir->pattern.start[n] = ir->pattern.n;
    }
    if (spec.jacobian) {
        ir->has_jacobian = true;
        ir->n_jacobian = ir->pattern.n;
        ir->jacobian = ARENA_ARRAY(arena, BlockEntry, ir->n_jacobian);
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t i = ir->pattern.start[c]; i < ir->pattern.start[c + 1]; i++)
                ir->jacobian[i] = (BlockEntry){ .row = ir->pattern.row[i], .column = c };
    }
    ir->start_reads.start = ARENA_ARRAY(arena, uint32_t, 1);

    Code *code = &m->code;
    code->parts = CODE_PART_ALL;
    pthread_mutex_init(&code->lock, NULL);
    code->programs[IR_PARAMS] = fake_run_params;
    code->programs[IR_START] = fake_run_start;
    code->programs[IR_RATES] = spec.rates;
    code->programs[IR_VALUES] = fake_run_values;
    code->programs[IR_RELATIONS] = spec.relations;
    code->programs[IR_CHANGED] = fake_run_changed;
    code->programs[IR_ASSERTS] = spec.asserts;
    code->programs[IR_JACOBIAN] = spec.jacobian ? fake_run_jacobian : NULL;
    if (spec.has_loops) {
        code->loops[FIXED_euler] = fake_euler;
        code->loops[CODE_IN_PLACE] = fake_in_place;
        code->loops[FIXED_heun] = fake_heun;
        code->loops[FIXED_rk4] = fake_rk4;
    }
    model_make_tables(m);
    return m;
}
