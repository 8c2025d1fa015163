// src/flat/lower.c: from expressions as written to expressions over the variables of the flat model.
//
// Names are resolved, user functions inlined, library functions reduced to the operations of expr/ops.def, and
// relations in equations replaced by modes. Depth of recursion is bounded by the parser's limit on nesting; long
// chains such as a + b + c + … lean to the left and are followed in a loop.
#include "flat/scope.h"
#include <math.h>
#include <string.h>

static Expr poison(const Reading *r)
{
    r->ex->failed = true;
    return expr_const(&r->ex->flat->pool, 0);
}

// ---------------------------------------------------------------------------------------------- names

static const Local *find_local(const Local *locals, const char *name)
{
    for (; locals; locals = locals->outer)
        if (strcmp(locals->name, name) == 0) return locals;
    return NULL;
}

// Names with a meaning of their own. `t` cannot be declared; constants can be hidden.
static bool builtin_value(ExprPool *pool, const char *name, Expr *value)
{
    static const struct { const char *name; double value; } constants[] = {
        { "pi", 3.14159265358979323846 }, { "inf", INFINITY },
    };
    if (strcmp(name, "t") == 0) return *value = expr_time(pool), true;
    if (strcmp(name, "true") == 0) return *value = expr_truth(pool, true), true;
    if (strcmp(name, "false") == 0) return *value = expr_truth(pool, false), true;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0) return *value = expr_const(pool, constants[i].value), true;
    return false;
}

static void report_unknown(const Reading *r, const Scope *scope, const char *name, Place place)
{
    Expander *ex = r->ex;
    ex->failed = true;
    diag_report(ex->diag, DIAG_NAME_UNKNOWN, place, name, scope ? scope->model->name : "this function");
    // candidates: what is declared here, then the locals
    VEC(const char *) names = { 0 };
    if (scope)
        for (size_t i = 0; i < scope->entities.n; i++) vec_push(&ex->work, &names, scope->entities.items[i].name);
    for (const Local *l = r->locals; l; l = l->outer) vec_push(&ex->work, &names, l->name);
    const char *closest = text_closest(name, names.items, names.n);
    if (!closest) {
        diag_hint(ex->diag, "declare it with var, param or input, or write an equation '%s = …'", name);
        return;
    }
    const Entity *entity = scope ? scope_find(scope, closest) : NULL;
    if (entity) diag_hint(ex->diag, "did you mean '%s' (line %zu)?", closest, diag_line(ex->diag, entity->place));
    else diag_hint(ex->diag, "did you mean '%s'?", closest);
}

static const char *entity_kind(const Entity *entity)
{
    if (entity->kind == ENTITY_COMPONENT) return "component";
    return entity->n_sizes ? "array" : entity->kind == ENTITY_CONST ? "constant" : "variable";
}

// Which element the indices of a part select: row-major, from 0. False after an error.
static bool select_element(const Reading *r, const Entity *entity, const AstPart *part, Place place, size_t *element)
{
    Expander *ex = r->ex;
    *element = 0;
    if (part->n_indices != entity->n_sizes) {
        ex->failed = true;
        diag_report(ex->diag, DIAG_INDEX_COUNT, place, entity->name, entity->n_sizes, part->n_indices);
        if (entity->n_sizes == 0) diag_hint(ex->diag, "'%s' is a single value: leave the brackets out", entity->name);
        else diag_hint(ex->diag, "write '%s[i]', perhaps inside 'for i in 1..%u'", entity->name, entity->sizes[0]);
        return false;
    }
    for (uint32_t i = 0; i < part->n_indices; i++) {
        long long index;
        if (!lower_whole(r, part->indices[i], &index)) return false;
        if (index < 1 || index > (long long)entity->sizes[i]) {
            ex->failed = true;
            diag_report(ex->diag, DIAG_INDEX_RANGE, part->indices[i]->place, index, entity->name, (long long)entity->sizes[i]);
            return false;
        }
        *element = *element * entity->sizes[i] + (size_t)(index - 1);
    }
    return true;
}

Scope *lower_component(const Reading *r, const AstRef *ref, uint32_t n_parts, Place place)
{
    Expander *ex = r->ex;
    Scope *scope = r->scope;
    for (uint32_t i = 0; i < n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        Entity *entity = scope ? scope_find(scope, part->name) : NULL;
        if (!entity) return report_unknown(r, scope, part->name, place), NULL;
        if (entity->kind != ENTITY_COMPONENT) {
            ex->failed = true;
            diag_report(ex->diag, DIAG_NOT_A_COMPONENT, place, part->name, entity_kind(entity));
            return NULL;
        }
        size_t element;
        if (!select_element(r, entity, part, place, &element)) return NULL;
        scope = entity->components[element];
        if (!scope) return ex->failed = true, NULL;    // could not be made, as reported before
    }
    return scope;
}

uint32_t lower_variable(const Reading *r, const AstRef *ref, Place place, Entity **found)
{
    Expander *ex = r->ex;
    Scope *scope = lower_component(r, ref, ref->n_parts - 1, place);
    if (!scope) return FLAT_NONE;
    const AstPart *part = &ref->parts[ref->n_parts - 1];
    Entity *entity = scope_find(scope, part->name);
    if (!entity) return report_unknown(r, scope, part->name, place), FLAT_NONE;
    if (entity->kind != ENTITY_VARIABLE) {
        ex->failed = true;
        diag_report(ex->diag, DIAG_NOT_A_VALUE, place, part->name, entity_kind(entity));
        if (entity->kind == ENTITY_COMPONENT) diag_hint(ex->diag, "name one of its variables: '%s.…'", part->name);
        return FLAT_NONE;
    }
    size_t element;
    if (!select_element(r, entity, part, place, &element)) return FLAT_NONE;
    *found = entity;
    uint32_t variable = entity->first + (uint32_t)element;
    if (ref->primes == 0) return variable;
    if (ex->flat->vars.items[variable].kind != FLAT_VARIABLE) {
        ex->failed = true;
        diag_report(ex->diag, DIAG_DERIVATIVE_BAD, place, entity->name,
                    entity->declared == AST_INPUT ? "input" : "parameter");
        return FLAT_NONE;
    }
    return expand_derivative(ex, variable, ref->primes);
}

// The value of a constant, or of a parameter where structure depends on it; found on demand.
static Expr entity_value(const Reading *r, Entity *entity, Place place)
{
    Expander *ex = r->ex;
    if (entity->kind == ENTITY_CONST && entity->folded != EXPR_NONE) return entity->folded;
    if (entity->busy) {
        diag_report(ex->diag, DIAG_PARAM_CYCLE, place, entity->name, entity->name);
        return poison(r);
    }
    if (!entity->value) {
        diag_report(ex->diag, DIAG_CONST_NEEDED, place, entity->name);
        diag_hint(ex->diag, "give '%s' a value where it is declared", entity->name);
        return poison(r);
    }
    entity->busy = true;
    const Reading inner = { ex, entity->value_scope, NULL, false, r->is_structural };
    const Expr value = lower_real(&inner, entity->value);
    entity->busy = false;
    if (entity->kind == ENTITY_CONST) entity->folded = value;
    else entity->is_structural = true;
    return value;
}

static Expr lower_ref(const Reading *r, const AstExpr *e)
{
    ExprPool *pool = &r->ex->flat->pool;
    const AstRef *ref = &e->ref;
    if (ref->n_parts == 1 && ref->parts[0].n_indices == 0) {
        const char *name = ref->parts[0].name;
        const Local *local = ref->primes == 0 ? find_local(r->locals, name) : NULL;
        if (local) return local->value;
        Expr value;
        Entity *entity = r->scope ? scope_find(r->scope, name) : NULL;
        if (!entity && ref->primes == 0 && builtin_value(pool, name, &value)) return value;
    }
    // constants, wherever they are
    if (ref->primes == 0) {
        Scope *scope = ref->n_parts == 1 ? r->scope : lower_component(r, ref, ref->n_parts - 1, e->place);
        if (ref->n_parts > 1 && !scope) return poison(r);
        Entity *entity = scope ? scope_find(scope, ref->parts[ref->n_parts - 1].name) : NULL;
        if (entity && entity->kind == ENTITY_CONST) return entity_value(r, entity, e->place);
        if (entity && r->is_structural && entity->kind == ENTITY_VARIABLE && entity->declared == AST_PARAM)
            return entity_value(r, entity, e->place);
    }
    Entity *entity;
    const uint32_t variable = lower_variable(r, ref, e->place, &entity);
    return variable == FLAT_NONE ? poison(r) : expr_var(pool, variable);
}

// ---------------------------------------------------------------------------------------------- relations

// A relation as a truth value: in equations the mode that stands for it.
static Expr relation(const Reading *r, ExprOp op, Expr a, Expr b, Place place)
{
    Flat *flat = r->ex->flat;
    const Expr value = expr_binary(&flat->pool, op, a, b);
    if (!r->makes_modes || expr_is_const(&flat->pool, value, NULL)) return value;
    const uint32_t *known = map_find(&r->ex->relation_of, value);
    if (known) return expr_mode(&flat->pool, *known);
    const uint32_t k = (uint32_t)flat->relations.n;
    map_put(&r->ex->relation_of, value, k);
    vec_push(flat->arena, &flat->relations,
             (FlatRelation){ value, expr_binary(&flat->pool, EXPR_SUB, a, b), place });
    if (op == EXPR_EQ || op == EXPR_NE) {
        diag_report(r->ex->diag, DIAG_EQUAL_REALS, place, expr_ops[op].text);
        diag_hint(r->ex->diag, "compare with <, <=, > or >=");
    }
    return expr_mode(&flat->pool, k);
}

static Expr as_real(const Reading *r, Expr e)
{
    ExprPool *pool = &r->ex->flat->pool;
    return expr_is_bool(pool, e) ? expr_make(pool, EXPR_IF, e, expr_const(pool, 1), expr_const(pool, 0)) : e;
}

static Expr choose(const Reading *r, Expr condition, Expr yes, Expr no)
{
    return expr_make(&r->ex->flat->pool, EXPR_IF, condition, yes, no);
}

// ---------------------------------------------------------------------------------------------- functions
//
// Library functions that are one operation are found by their text in expr_ops; the others are built here.

typedef Expr Build(const Reading *r, const AstExpr *call, const Expr *args);

static Expr number(const Reading *r, double value) { return expr_const(&r->ex->flat->pool, value); }
static Expr binary(const Reading *r, ExprOp op, Expr a, Expr b) { return expr_binary(&r->ex->flat->pool, op, a, b); }

static Expr build_sign(const Reading *r, const AstExpr *call, const Expr *args)
{
    if (!r->makes_modes) return expr_unary(&r->ex->flat->pool, EXPR_SIGN, args[0]);
    const Expr above = relation(r, EXPR_GT, args[0], number(r, 0), call->place);
    const Expr below = relation(r, EXPR_LT, args[0], number(r, 0), call->place);
    return choose(r, above, number(r, 1), choose(r, below, number(r, -1), number(r, 0)));
}

static Expr since(const Reading *r, const AstExpr *call, Expr start)    // t >= start
{
    return relation(r, EXPR_GE, expr_time(&r->ex->flat->pool), start, call->place);
}

static Expr build_step(const Reading *r, const AstExpr *call, const Expr *args)
{
    return choose(r, since(r, call, args[0]), number(r, 1), number(r, 0));
}

static Expr build_ramp(const Reading *r, const AstExpr *call, const Expr *args)
{
    const Expr elapsed = binary(r, EXPR_SUB, expr_time(&r->ex->flat->pool), args[0]);
    return choose(r, since(r, call, args[0]), elapsed, number(r, 0));
}

static Expr build_pulse(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expr elapsed = binary(r, EXPR_SUB, expr_time(&r->ex->flat->pool), args[0]);
    if (call->call.n_args == 3) elapsed = binary(r, EXPR_MOD, elapsed, args[2]);
    const Expr is_on = relation(r, EXPR_LT, elapsed, args[1], call->place);
    return choose(r, binary(r, EXPR_AND, since(r, call, args[0]), is_on), number(r, 1), number(r, 0));
}

static Expr build_limit(const Reading *r, const AstExpr *call, const Expr *args)
{
    const Expr below = relation(r, EXPR_LT, args[0], args[1], call->place);
    const Expr above = relation(r, EXPR_GT, args[0], args[2], call->place);
    return choose(r, below, args[1], choose(r, above, args[2], args[0]));
}

static Expr build_deadspace(const Reading *r, const AstExpr *call, const Expr *args)
{
    const Expr below = relation(r, EXPR_LT, args[0], args[1], call->place);
    const Expr above = relation(r, EXPR_GT, args[0], args[2], call->place);
    return choose(r, below, binary(r, EXPR_SUB, args[0], args[1]),
                  choose(r, above, binary(r, EXPR_SUB, args[0], args[2]), number(r, 0)));
}

static Expr fold_many(const Reading *r, const AstExpr *call, const Expr *args, ExprOp op)
{
    Expr e = args[0];
    for (uint32_t i = 1; i < call->call.n_args; i++) e = binary(r, op, e, args[i]);
    return e;
}
static Expr build_min(const Reading *r, const AstExpr *call, const Expr *args) { return fold_many(r, call, args, EXPR_MIN); }
static Expr build_max(const Reading *r, const AstExpr *call, const Expr *args) { return fold_many(r, call, args, EXPR_MAX); }

static Expr build_pow(const Reading *r, const AstExpr *call, const Expr *args)
{
    (void)call;
    return binary(r, EXPR_POW, args[0], args[1]);
}

static Expr build_table(const Reading *r, const AstExpr *call, const Expr *args)
{
    Flat *flat = r->ex->flat;
    const uint32_t n = (call->call.n_args - 1) / 2;
    ExprTable table = { ARENA_ARRAY(flat->arena, double, n), ARENA_ARRAY(flat->arena, double, n), n };
    const char *problem = call->call.n_args % 2 == 0 ? "each x needs a y" : NULL;
    for (uint32_t i = 0; i < n && !problem; i++) {
        const bool known = expr_is_const(&flat->pool, args[1 + 2 * i], &table.x[i]) &&
                           expr_is_const(&flat->pool, args[2 + 2 * i], &table.y[i]);
        if (!known) problem = "its points must be numbers or constants";
        else if (!isfinite(table.x[i]) || !isfinite(table.y[i])) problem = "its points must be finite";
        else if (i > 0 && !(table.x[i] > table.x[i - 1])) problem = "the values of x must ascend";
    }
    if (problem) {
        diag_report(r->ex->diag, DIAG_TABLE_BAD, call->place, "table", problem);
        diag_hint(r->ex->diag, "write table(x, x1, y1, x2, y2, …) with x1 < x2 < …");
        return poison(r);
    }
    vec_push(flat->arena, &flat->pool.tables, table);
    return expr_make(&flat->pool, EXPR_LOOKUP, args[0], (Expr)(flat->pool.tables.n - 1), EXPR_NONE);
}

static Expr build_delay(const Reading *r, const AstExpr *call, const Expr *args)
{
    Flat *flat = r->ex->flat;
    if (!r->makes_modes) {
        diag_report(r->ex->diag, DIAG_ONLY_IN_EQUATIONS, call->place, "delay");
        return poison(r);
    }
    const uint32_t k = (uint32_t)flat->delays.n;
    vec_push(flat->arena, &flat->delays,
             (FlatDelay){ args[0], args[1], call->call.n_args == 3 ? args[2] : EXPR_NONE, call->place });
    return expr_make(&flat->pool, EXPR_DELAY, binary(r, EXPR_SUB, expr_time(&flat->pool), args[1]), k, EXPR_NONE);
}

static Expr build_integ(const Reading *r, const AstExpr *call, const Expr *args)
{
    if (!r->makes_modes || !r->scope) {
        diag_report(r->ex->diag, DIAG_ONLY_IN_EQUATIONS, call->place, "INTEG");
        return poison(r);
    }
    return expr_var(&r->ex->flat->pool, expand_integral(r->ex, r->scope, args[0], args[1], call->place));
}

static const struct Function {
    const char *name;
    uint32_t    at_least, at_most;    // arguments
    const char *takes;                // for messages
    Build      *build;
} functions[] = {
    { "sign", 1, 1, "one argument", build_sign },
    { "step", 1, 1, "the time of the step", build_step },
    { "ramp", 1, 1, "the time it starts", build_ramp },
    { "pulse", 2, 3, "a start, a width and perhaps a period", build_pulse },
    { "limit", 3, 3, "a value, a lower and an upper limit", build_limit },
    { "deadspace", 3, 3, "a value, a lower and an upper limit", build_deadspace },
    { "min", 1, UINT32_MAX, "at least one argument", build_min },
    { "max", 1, UINT32_MAX, "at least one argument", build_max },
    { "pow", 2, 2, "two arguments", build_pow },
    { "table", 3, UINT32_MAX, "x and at least one point", build_table },
    { "delay", 2, 3, "a value, a lag and perhaps the value before", build_delay },
    { "INTEG", 2, 2, "a rate and an initial value", build_integ },
};

static bool op_is_function(int op)
{
    return expr_ops[op].type == 'R' && expr_ops[op].arity >= 1 && op >= EXPR_ABS && op <= EXPR_TANH;
}

static void report_arguments(const Reading *r, const AstExpr *call, const char *takes)
{
    diag_report(r->ex->diag, DIAG_FUNCTION_ARGUMENTS, call->place, call->call.function, takes, (size_t)call->call.n_args);
}

static Expr inline_function(const Reading *r, const AstExpr *call, const AstFunction *f, const Expr *args, Scope *scope)
{
    Expander *ex = r->ex;
    if (call->call.n_args != f->n_params) {
        report_arguments(r, call, arena_printf(&ex->work, "%u argument%s", f->n_params, f->n_params == 1 ? "" : "s"));
        return poison(r);
    }
    for (uint32_t i = 0; i < ex->n_calls; i++) {
        if (ex->calls[i] != f) continue;
        StrBuf chain = { .arena = &ex->work };
        for (uint32_t k = i; k < ex->n_calls; k++) str_addf(&chain, "%s → ", ex->calls[k]->name);
        str_add(&chain, f->name);
        diag_report(ex->diag, DIAG_FUNCTION_RECURSIVE, call->place, f->name, str_finish(&chain));
        return poison(r);
    }
    if (ex->n_calls == sizeof ex->calls / sizeof *ex->calls) {
        diag_report(ex->diag, DIAG_NESTED_TOO_DEEP, call->place, (int)ex->n_calls);
        return poison(r);
    }
    ex->calls[ex->n_calls++] = f;
    Local *locals = ARENA_ARRAY(&ex->work, Local, f->n_params + f->n_locals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++, n++)
        locals[n] = (Local){ n ? &locals[n - 1] : NULL, f->params[i], args[i] };
    for (uint32_t i = 0; i < f->n_locals; i++, n++) {
        const AstItem *item = &f->locals[i];
        const Reading inner = { ex, scope, n ? &locals[n - 1] : NULL, r->makes_modes, r->is_structural };
        const Expr value = lower_real(&inner, item->equation.rhs);
        locals[n] = (Local){ n ? &locals[n - 1] : NULL, item->equation.lhs->ref.parts[0].name, value };
    }
    const Reading inner = { ex, scope, n ? &locals[n - 1] : NULL, r->makes_modes, r->is_structural };
    const Expr result = lower_real(&inner, f->result);
    ex->n_calls--;
    return result;
}

// A function of the model itself, or NULL.
static const AstFunction *model_function(const Scope *scope, const char *name)
{
    if (!scope) return NULL;
    for (uint32_t i = 0; i < scope->model->n_items; i++) {
        const AstItem *item = &scope->model->items[i];
        if (item->kind == AST_FUNCTION && strcmp(item->function.name, name) == 0) return &item->function;
    }
    return NULL;
}

static Expr report_unknown_function(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    VEC(const char *) names = { 0 };
    for (int op = 0; op < EXPR_N_OPS; op++)
        if (op_is_function(op)) vec_push(&ex->work, &names, expr_ops[op].text);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) vec_push(&ex->work, &names, functions[i].name);
    for (size_t i = 0; i < ex->ast->functions.n; i++) vec_push(&ex->work, &names, ex->ast->functions.items[i].name);
    diag_report(ex->diag, DIAG_FUNCTION_UNKNOWN, call->place, call->call.function);
    const char *closest = text_closest(call->call.function, names.items, names.n);
    if (closest) diag_hint(ex->diag, "did you mean '%s'?", closest);
    else diag_hint(ex->diag, "define it: function %s(x) = …", call->call.function);
    return poison(r);
}

static Expr lower_call(const Reading *r, const AstExpr *e)
{
    Expander *ex = r->ex;
    const char *name = e->call.function;
    const uint32_t n = e->call.n_args;
    Reading inner = *r;
    const bool is_noevent = strcmp(name, "noevent") == 0;
    if (is_noevent) inner.makes_modes = false;    // its relations are read as they are, also inside a step

    Expr *args = ARENA_ARRAY(&ex->work, Expr, n + 1);
    for (uint32_t i = 0; i < n; i++) args[i] = lower_real(&inner, e->call.args[i]);

    // the user's own functions come first, so that a new library function never changes a model
    const AstFunction *own = model_function(r->scope, name);
    if (own) return inline_function(r, e, own, args, r->scope);
    const uint32_t *found = text_map_find(&ex->functions, text_from(name));
    if (found) return inline_function(r, e, &ex->ast->functions.items[*found], args, NULL);

    if (is_noevent) {
        if (n == 1) return args[0];
        report_arguments(r, e, "one argument");
        return poison(r);
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0) continue;
        if (n >= functions[i].at_least && n <= functions[i].at_most) return functions[i].build(r, e, args);
        report_arguments(r, e, functions[i].takes);
        return poison(r);
    }
    const char *op_name = strcmp(name, "ln") == 0 ? "log" : name;
    for (int op = 0; op < EXPR_N_OPS; op++) {
        if (!op_is_function(op) || strcmp(expr_ops[op].text, op_name) != 0) continue;
        if (n == (uint32_t)expr_ops[op].arity)
            return expr_make(&ex->flat->pool, (ExprOp)op, args[0], n > 1 ? args[1] : EXPR_NONE, EXPR_NONE);
        report_arguments(r, e, expr_ops[op].arity == 1 ? "one argument" : "two arguments");
        return poison(r);
    }
    return report_unknown_function(r, e);
}

// ---------------------------------------------------------------------------------------------- expressions

static const ExprOp op_of[] = {
    [AST_ADD] = EXPR_ADD, [AST_SUB] = EXPR_SUB, [AST_MUL] = EXPR_MUL, [AST_DIV] = EXPR_DIV, [AST_POW] = EXPR_POW,
    [AST_NEG] = EXPR_NEG, [AST_LT] = EXPR_LT,   [AST_LE] = EXPR_LE,   [AST_GT] = EXPR_GT,   [AST_GE] = EXPR_GE,
    [AST_EQ] = EXPR_EQ,   [AST_NE] = EXPR_NE,   [AST_AND] = EXPR_AND, [AST_OR] = EXPR_OR,   [AST_NOT] = EXPR_NOT,
};

static bool is_relation(AstOp op) { return op >= AST_LT && op <= AST_NE; }
static bool is_logic(AstOp op) { return op >= AST_AND; }

static Expr lower_any(const Reading *r, const AstExpr *e);

// What two already read operands of a binary operation give.
static Expr combine(const Reading *r, const AstExpr *e, Expr a, Expr b)
{
    if (is_relation(e->op)) return relation(r, op_of[e->op], as_real(r, a), as_real(r, b), e->place);
    if (is_logic(e->op)) return binary(r, op_of[e->op], a, b);
    return binary(r, op_of[e->op], as_real(r, a), as_real(r, b));
}

static Expr truth_of(const Reading *r, Expr value, const AstExpr *e)
{
    ExprPool *pool = &r->ex->flat->pool;
    if (expr_is_bool(pool, value)) return value;
    // a variable that holds a truth value holds 0 or 1
    if (e->kind == AST_REF) return relation(r, EXPR_GT, value, number(r, 0.5), e->place);
    diag_report(r->ex->diag, DIAG_TYPE_MISMATCH, e->place, "a truth value", "a number");
    diag_hint(r->ex->diag, "compare it with something: … > 0");
    r->ex->failed = true;
    return expr_truth(pool, false);
}

static Expr operand(const Reading *r, const AstExpr *e, AstOp op)
{
    const Expr value = lower_any(r, e);
    return is_logic(op) ? truth_of(r, value, e) : value;
}

static Expr lower_binary(const Reading *r, const AstExpr *e)
{
    // follow the left spine down, then combine on the way up: a sum of 10^5 terms is a loop, not a recursion
    VEC(const AstExpr *) spine = { 0 };
    const AstExpr *left = e;
    while (left->kind == AST_BINARY) {
        vec_push(&r->ex->work, &spine, left);
        left = left->operands.a;
    }
    Expr value = operand(r, left, vec_last(&spine)->op);
    while (spine.n) {
        const AstExpr *node = vec_pop(&spine);
        value = combine(r, node, value, operand(r, node->operands.b, node->op));
        if (spine.n && is_logic(vec_last(&spine)->op)) value = truth_of(r, value, node);
    }
    return value;
}

static Expr lower_any(const Reading *r, const AstExpr *e)
{
    ExprPool *pool = &r->ex->flat->pool;
    switch (e->kind) {
    case AST_NUMBER: return expr_const(pool, e->number.value);
    case AST_REF:    return lower_ref(r, e);
    case AST_CALL:   return lower_call(r, e);
    case AST_BINARY: return lower_binary(r, e);
    case AST_UNARY:
        if (e->op == AST_NOT) return expr_unary(pool, EXPR_NOT, lower_truth(r, e->operands.a));
        return expr_unary(pool, EXPR_NEG, lower_real(r, e->operands.a));
    case AST_IF: {
        const Expr condition = lower_truth(r, e->operands.a);
        return choose(r, condition, lower_real(r, e->operands.b), lower_real(r, e->operands.c));
    }
    }
    return poison(r);
}

Expr lower_real(const Reading *r, const AstExpr *e) { return as_real(r, lower_any(r, e)); }

Expr lower_truth(const Reading *r, const AstExpr *e) { return truth_of(r, lower_any(r, e), e); }

bool lower_whole(const Reading *r, const AstExpr *e, long long *value)
{
    Reading structural = *r;
    structural.is_structural = true;
    structural.makes_modes = false;
    const bool failed_before = r->ex->failed;
    r->ex->failed = false;
    const Expr lowered = lower_real(&structural, e);
    const bool failed_now = r->ex->failed;
    r->ex->failed = failed_before || failed_now;
    if (failed_now) return false;
    double number;
    if (!expr_is_const(&r->ex->flat->pool, lowered, &number) || number != floor(number) || fabs(number) > 9e15) {
        diag_report(r->ex->diag, DIAG_TYPE_MISMATCH, e->place, "a whole number known before the run", "something else");
        diag_hint(r->ex->diag, "sizes, bounds and indices are made of numbers, constants and parameters");
        r->ex->failed = true;
        return false;
    }
    *value = (long long)number;
    return true;
}
