// src/front/front.c: operators, constants and functions of expressions; see front.h.
#include "front/front.h"
#include "base/arena.h"
#include "expr/interval.h"
#include <math.h>
#include <string.h>

const ExprOp front_op_of[] = {
    [AST_ADD] = EXPR_ADD, [AST_SUB] = EXPR_SUB, [AST_MUL] = EXPR_MUL, [AST_DIV] = EXPR_DIV,
    [AST_POW] = EXPR_POW, [AST_NEG] = EXPR_NEG, [AST_LT] = EXPR_LT,   [AST_LE] = EXPR_LE,
    [AST_GT] = EXPR_GT,   [AST_GE] = EXPR_GE,   [AST_EQ] = EXPR_EQ,   [AST_NE] = EXPR_NE,
    [AST_AND] = EXPR_AND, [AST_OR] = EXPR_OR,   [AST_NOT] = EXPR_NOT,
};

bool front_constant(const char *name, double *value, bool *is_truth)
{
    static const struct { const char *name; double value; bool is_truth; } constants[] = {
        { "pi", 3.14159265358979323846, false }, { "inf", INFINITY, false },
        { "true", 1, true },                     { "false", 0, true },
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(constants[i].name, name) != 0) continue;
        *value = constants[i].value;
        *is_truth = constants[i].is_truth;
        return true;
    }
    return false;
}

// ---- Functions made of several operations
//
// Nodes are made one after the other, never two in the arguments of one call: their order must not depend on
// the compiler.

static FrontValue number(const FrontMaker *m, double value) { return m->number(m->context, value); }

static FrontValue binary(const FrontMaker *m, ExprOp op, FrontValue a, FrontValue b)
{
    return m->apply(m->context, op, a, b, a);
}

static FrontValue choose(const FrontMaker *m, FrontValue condition, FrontValue yes, FrontValue no)
{
    return m->apply(m->context, EXPR_IF, condition, yes, no);
}

// if is_first then first else if is_second then second else third
static FrontValue choose_of_three(const FrontMaker *m, FrontValue is_first, FrontValue first,
                                  FrontValue is_second, FrontValue second, FrontValue third)
{
    return choose(m, is_first, first, choose(m, is_second, second, third));
}

static FrontValue build_sign(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    (void)n;
    if (!m->locates) return m->apply(m->context, EXPR_SIGN, args[0], args[0], args[0]);
    const FrontValue zero = number(m, 0);
    const FrontValue above = binary(m, EXPR_GT, args[0], zero), below = binary(m, EXPR_LT, args[0], zero);
    const FrontValue one = number(m, 1), minus_one = number(m, -1);
    return choose_of_three(m, above, one, below, minus_one, zero);
}

static FrontValue build_step(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    (void)n;
    const FrontValue is_on = binary(m, EXPR_GE, args[0], args[1]);
    const FrontValue one = number(m, 1), zero = number(m, 0);
    return choose(m, is_on, one, zero);
}

static FrontValue build_ramp(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    (void)n;
    const FrontValue is_on = binary(m, EXPR_GE, args[0], args[1]);
    const FrontValue since = binary(m, EXPR_SUB, args[0], args[1]), zero = number(m, 0);
    return choose(m, is_on, since, zero);
}

static FrontValue build_pulse(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    FrontValue elapsed = binary(m, EXPR_SUB, args[0], args[1]);
    if (n == 3) elapsed = binary(m, EXPR_MOD, elapsed, args[3]);
    const FrontValue is_on = binary(m, EXPR_LT, elapsed, args[2]);
    const FrontValue begun = binary(m, EXPR_GE, args[0], args[1]);
    const FrontValue both = binary(m, EXPR_AND, begun, is_on), one = number(m, 1), zero = number(m, 0);
    return choose(m, both, one, zero);
}

static FrontValue build_limit(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    (void)n;
    const FrontValue below = binary(m, EXPR_LT, args[0], args[1]);
    const FrontValue above = binary(m, EXPR_GT, args[0], args[2]);
    return choose_of_three(m, below, args[1], above, args[2], args[0]);
}

static FrontValue build_deadspace(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    (void)n;
    const FrontValue below = binary(m, EXPR_LT, args[0], args[1]);
    const FrontValue above = binary(m, EXPR_GT, args[0], args[2]);
    const FrontValue under = binary(m, EXPR_SUB, args[0], args[1]);
    const FrontValue over = binary(m, EXPR_SUB, args[0], args[2]), zero = number(m, 0);
    return choose_of_three(m, below, under, above, over, zero);
}

static FrontValue fold(const FrontMaker *m, ExprOp op, const FrontValue *args, uint32_t n)
{
    FrontValue value = args[0];
    for (uint32_t i = 1; i < n; i++) value = binary(m, op, value, args[i]);
    return value;
}
static FrontValue build_min(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    return fold(m, EXPR_MIN, args, n);
}
static FrontValue build_max(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    return fold(m, EXPR_MAX, args, n);
}
static FrontValue build_pow(const FrontMaker *m, const FrontValue *args, uint32_t n)
{
    return fold(m, EXPR_POW, args, n);
}

const FrontFunction front_functions[] = {
    { "sign", 1, 1, "one argument", false, false, build_sign },
    { "step", 1, 1, "the time of the step", true, false, build_step },
    { "ramp", 1, 1, "the time it starts", true, true, build_ramp },
    { "pulse", 2, 3, "a start, a width and perhaps a period", true, true, build_pulse },
    { "limit", 3, 3, "a value, a lower and an upper limit", false, true, build_limit },
    { "deadspace", 3, 3, "a value, a lower and an upper limit", false, true, build_deadspace },
    { "min", 1, UINT32_MAX, "at least one argument", false, false, build_min },
    { "max", 1, UINT32_MAX, "at least one argument", false, false, build_max },
    { "pow", 2, 2, "two arguments", false, false, build_pow },
};
const size_t front_n_functions = sizeof front_functions / sizeof *front_functions;

const FrontFunction *front_function(const char *name)
{
    for (size_t i = 0; i < front_n_functions; i++)
        if (strcmp(front_functions[i].name, name) == 0) return &front_functions[i];
    return NULL;
}

// ---- Expressions of numbers

static FrontValue make_number(const void *context, double value)
{
    (void)context;
    return (FrontValue){ .number = value };
}

static FrontValue apply_numbers(const void *context, ExprOp op, FrontValue a, FrontValue b, FrontValue c)
{
    (void)context;
    return (FrontValue){ .number = expr_apply(op, a.number, b.number, c.number) };
}

static double evaluate(const FrontNumbers *r, const AstExpr *e, Arena *work);

static double apply(const FrontNumbers *r, const AstExpr *e, ExprOp op, double a, double b)
{
    const bool has_value = !r->no_value || !isfinite(a) || !isfinite(b) || expr_in_domain(op, a, b);
    return has_value ? expr_apply(op, a, b, 0) : r->no_value(r->context, e);
}

static double evaluate_call(const FrontNumbers *r, const AstExpr *e, Arena *work)
{
    static const FrontMaker numbers = { make_number, apply_numbers, NULL, false };
    const uint32_t n = e->call.n_args;
    const FrontFunction *made = front_function(e->call.function);
    const ExprOp op = expr_function(e->call.function);
    if ((made && made->reads_time) || (!made && op == EXPR_N_OPS)) return r->refuse(r->context, e, NULL);
    const bool fits = made ? n >= made->at_least && n <= made->at_most : n == (uint32_t)expr_ops[op].arity;
    if (!fits || e->call.n_loops) {
        const char *takes = expr_ops[op].arity == 1 ? "1 argument" : "2 arguments";
        return r->refuse(r->context, e, made ? made->takes : takes);
    }
    FrontValue *args = ARENA_ARRAY(work, FrontValue, n + 1);
    for (uint32_t i = 0; i < n; i++) args[i].number = evaluate(r, e->call.args[i], work);
    if (made) return made->build(&numbers, args, n).number;
    return apply(r, e, op, args[0].number, args[1].number);
}

static double evaluate_leaf(const FrontNumbers *r, const AstExpr *e, Arena *work)
{
    switch (e->kind) {
    case AST_NUMBER: return e->number.unit && r->unit ? r->unit(r->context, e) : e->number.value;
    case AST_CONVERT: return r->unit ? r->unit(r->context, e) : r->refuse(r->context, e, NULL);
    case AST_REF: return r->name(r->context, e);
    case AST_CALL: return evaluate_call(r, e, work);
    case AST_UNARY: return expr_apply(front_op_of[e->op], evaluate(r, e->operands.a, work), 0, 0);
    case AST_IF: {
        const double condition = evaluate(r, e->operands.a, work);
        // who is told what has no value reads only what is taken
        if (r->no_value) return evaluate(r, condition != 0 ? e->operands.b : e->operands.c, work);
        const double yes = evaluate(r, e->operands.b, work), no = evaluate(r, e->operands.c, work);
        return condition != 0 ? yes : no;
    }
    default: return r->refuse(r->context, e, NULL);
    }
}

// Chains of operators lean to the left and may be of any length; all other nesting is limited by the parser.
static double evaluate(const FrontNumbers *r, const AstExpr *e, Arena *work)
{
    VEC(const AstExpr *) chain = { 0 };
    for (; e->kind == AST_BINARY; e = e->operands.a) vec_push(work, &chain, e);
    double value = evaluate_leaf(r, e, work);
    while (chain.n > 0) {
        const AstExpr *above = vec_pop(&chain);
        value = apply(r, above, front_op_of[above->op], value, evaluate(r, above->operands.b, work));
    }
    return value;
}

double front_evaluate(const FrontNumbers *r, const AstExpr *e)
{
    if (e->kind == AST_NUMBER && !e->number.unit) return e->number.value;
    Arena work = { 0 };
    const double value = evaluate(r, e, &work);
    arena_free(&work);
    return value;
}
