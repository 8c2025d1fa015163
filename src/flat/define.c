// src/flat/define.c: what the statements of an instance say: equations, start equations, asserts, the
// terminal region.
#include "flat/scope.h"
#include <string.h>

static const double rerun_limit = 1000;    // runs a terminal region may ask for without saying so
static const size_t equations_unchecked = 1 << 20;

void define_equation(Expander *ex, Expr lhs, Expr rhs, Place place)
{
    Flat *flat = ex->flat;
    vec_push(flat->arena, &flat->equations, (FlatEquation){ lhs, rhs, place });
    // each variable takes one equation: a loop that makes far more is a mistake, and would fill the memory
    // first
    if (flat->equations.n % equations_unchecked != 0 || flat->equations.n < 2 * flat->vars.n) return;
    EXPAND_FAIL(ex, DIAG_MODEL_TOO_LARGE, place, flat->equations.n, "equations", 2 * flat->vars.n);
    diag_hint(ex->diag, "there are only %zu variables to compute; look at the bounds of 'for'", flat->vars.n);
    ex->n_errors += ERRORS_MAX;
}

// ---------------------------------------------------------------------------------------------- equations

// INTEG with two arguments, unless the user has a function of that name.
static bool is_integral(const Expander *ex, const Scope *scope, const AstExpr *e)
{
    if (e->kind != AST_CALL || strcmp(e->call.function, "INTEG") != 0 || e->call.n_args != 2) return false;
    return !text_map_find(&scope->shape->functions, TEXT("INTEG")) &&
           !text_map_find(&ex->functions, TEXT("INTEG"));
}

// The same for an element of an array that stays one.
static void define_array_integral(const Reading *r, const AstItem *item, const AstRef *state, Place place,
                                  const Entity *entity, const AstExpr *call)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    ExprAccess x, rate;
    const AstPart *part = &state->parts[state->n_parts - 1];
    if (!array_access(r, entity, part, 0, place, &x) || !array_access(r, entity, part, 1, place, &rate))
        return;
    Reading at_start = *r;
    at_start.makes_modes = false;
    const Expr value = lower_real(r, call->call.args[0]), start = lower_real(&at_start, call->call.args[1]);
    if (entity->value.expr) array_spoil(ex, entity->array);    // two initial values
    array_equation(ex, false, expr_elem(&flat->pool, &rate), value, item->place);
    array_equation(ex, true, expr_elem(&flat->pool, &x), start, item->place);
}

// `X = INTEG(e, ic)`: X is a state with rate e and initial value ic.
static void define_integral(const Reading *r, const AstItem *item, const AstRef *state, Place place,
                            const AstExpr *call)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    Entity *entity;
    if (lower_is_array(r, state, place, &entity)) {
        define_array_integral(r, item, state, place, entity, call);
        return;
    }
    const uint32_t x = lower_variable(r, state, place, &entity);
    if (x == FLAT_NONE) return;
    if (flat->vars.items[x].kind != FLAT_VARIABLE) {
        EXPAND_FAIL(ex, DIAG_DERIVATIVE_BAD, place, entity->symbol->name, lower_kind(entity));
        return;
    }
    Reading at_start = *r;
    at_start.makes_modes = false;
    const Expr rate = lower_real(r, call->call.args[0]);
    const Expr start = lower_real(&at_start, call->call.args[1]);
    const bool is_given = symbol_is_unknown(entity->symbol) && entity_value(entity, x - entity->first)->expr;
    if (flat->vars.items[x].start != EXPR_NONE || is_given) {
        EXPAND_FAIL(ex, DIAG_INITIAL_TOO_MANY, item->place, flat->vars.items[x].name);
        if (is_given) diag_note(ex->diag, entity->symbol->place, "declared here with a value");
        diag_hint(ex->diag, "keep the one in INTEG and declare '%s' without a value", entity->symbol->name);
    } else {
        flat->vars.items[x].start = start;
    }
    define_equation(ex, lower_read(ex, declare_derivative(ex, x, 1, place)), rate, item->place);
}

static void define_one(const Reading *r, const AstItem *item)
{
    const AstExpr *lhs = item->equation.lhs, *rhs = item->equation.rhs;
    if (lhs->kind == AST_REF && lhs->ref.primes == 0 && is_integral(r->ex, r->scope, rhs)) {
        define_integral(r, item, &lhs->ref, lhs->place, rhs);
        return;
    }
    const Expr left = lower_real(r, lhs), right = lower_real(r, rhs);
    const ExprNode *node = expr_node(&r->ex->flat->pool, left);
    const FlatVar *v = node->op == EXPR_VAR ? &r->ex->flat->vars.items[node->index] : NULL;
    if (lhs->kind == AST_REF && v && v->kind == FLAT_DISCRETE) {
        EXPAND_FAIL(r->ex, DIAG_DISCRETE_EQUATION, item->place, v->name);
        diag_hint(r->ex->diag, "assign it with ':=' in an event, or write: next %s = … every PERIOD",
                  v->name);
        return;
    }
    if (!array_equation(r->ex, false, left, right, item->place))
        define_equation(r->ex, left, right, item->place);
}

// `output y` publishes, `output y = e` defines too.
static void define_output(const Reading *r, const AstItem *item)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const AstDecl *decl = &item->decl;
    const Entity *entity = scope_find(r->scope, decl->name);
    if (!entity || entity->is_broken) return;
    if (entity->symbol->kind == SYMBOL_CONST || entity->symbol->kind == SYMBOL_COMPONENT) {
        EXPAND_FAIL(ex, DIAG_NOT_A_VALUE, decl->place, decl->name, lower_kind(entity));
        diag_hint(ex->diag, "write: output NAME = %s%s", decl->name,
                  entity->symbol->kind == SYMBOL_CONST ? "" : ".…");
        return;
    }
    if (entity->symbol->kind == SYMBOL_RESULT) return;    // published by itself
    if (entity->array != FLAT_NONE) {
        FlatArray *a = &flat->arrays.items[entity->array];
        a->is_output = true;
        if (!a->unit) a->unit = decl->unit;
        if (!a->doc) a->doc = decl->doc;
        if (decl->value && entity->symbol->decl == decl)
            array_equation_for_all(ex, false, entity->array, lower_real(r, decl->value), item->place);
        return;
    }
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        FlatVar *v = &flat->vars.items[entity->first + i];
        v->is_output = true;
        if (!v->unit) v->unit = decl->unit;
        if (!v->doc) v->doc = decl->doc;
    }
    if (!decl->value || entity->symbol->decl != decl) return;
    if (entity->n_sizes == 0 && is_integral(ex, r->scope, decl->value)) {
        AstPart part = { .name = decl->name };
        const AstRef state = { .parts = &part, .n_parts = 1 };
        define_integral(r, item, &state, decl->place, decl->value);
        return;
    }
    const Expr value = lower_real(r, decl->value);
    for (uint32_t i = 0; i < entity->n_elements; i++)
        define_equation(ex, lower_read(ex, entity->first + i), value, item->place);
}

// All share one time; a component that says otherwise would be simulated wrongly.
static void define_time_unit(Expander *ex, const Scope *scope, const AstItem *item)
{
    Flat *flat = ex->flat;
    if (!scope->parent) {
        if (flat->time_unit) EXPAND_FAIL(ex, DIAG_STATEMENT_TWICE, item->place, "time");
        flat->time_unit = item->time_unit;
        return;
    }
    const char *unit = flat->time_unit ? flat->time_unit : "s";
    if (flat->units || strcmp(unit, item->time_unit) == 0) return;    // looked at with the other units
    EXPAND_FAIL(ex, DIAG_UNIT_MISMATCH, item->place, "the time of this component", item->time_unit,
                "that of the whole model", unit);
    diag_hint(ex->diag, "the time of '%s' is in [%s], and all its components share it", flat->model, unit);
}

// A variable is preferred with all its derivatives; none is declared by saying so.
static void define_preference(const Reading *r, const AstItem *item)
{
    Expander *ex = r->ex;
    AstRef undifferentiated = item->prefer;
    undifferentiated.primes = 0;
    Entity *entity;
    const uint32_t variable = lower_variable(r, &undifferentiated, item->place, &entity);
    if (variable == FLAT_NONE) return;
    FlatVar *v = &ex->flat->vars.items[variable];
    if (v->kind == FLAT_VARIABLE) v->is_preferred = true;
    else EXPAND_FAIL(ex, DIAG_DERIVATIVE_BAD, item->place, v->name, lower_kind(entity));
}

// ---------------------------------------------------------------------------------------------- options

// "c.u[2]" of a state inside of an island, and the scope that it is in. NULL after a message.
static const char *state_name(const Reading *r, const AstSetting *option, const Scope **scope)
{
    StrBuf name = { .arena = &r->ex->work };
    for (uint32_t i = 1; i < option->target.n_parts; i++) {
        const AstPart *part = &option->target.parts[i];
        const Entity *entity = *scope ? scope_find(*scope, part->name) : NULL;
        const bool is_last = i + 1 == option->target.n_parts;
        str_addf(&name, "%s%s", i > 1 ? "." : "", part->name);
        for (uint32_t k = 0; k < part->n_indices; k++) {
            long long index;
            if (!lower_whole(r, part->indices[k], &index)) return NULL;
            str_addf(&name, "%s%lld%s", k ? "," : "[", index, k + 1 < part->n_indices ? "" : "]");
        }
        if (is_last) break;
        const bool has_inside = entity && entity->symbol->kind == SYMBOL_COMPONENT && !entity->is_broken;
        *scope = has_inside && entity->n_elements > 0 ? entity->components[0] : NULL;
    }
    return arena_printf(r->ex->flat->arena, "%s", name.p);
}

static void define_island(const Reading *r, const AstItem *item)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const AstIsland *island = item->component.island;
    const Entity *entity = scope_find(r->scope, item->component.name);
    if (!entity || entity->symbol->kind != SYMBOL_COMPONENT || entity->is_broken) return;
    if (entity->n_elements == 0 || !entity->components[0]) return;
    FlatIslandOption *options = ARENA_ARRAY(flat->arena, FlatIslandOption, island->n_options);
    for (uint32_t i = 0; i < island->n_options; i++) {
        const AstSetting *option = &island->options[i];
        const Scope *inside = entity->components[0];
        const char *state = option->target.n_parts > 1 ? state_name(r, option, &inside) : NULL;
        const size_t errors_before = ex->n_errors;
        Expr value = lower_real(r, option->value);
        if (state && inside) value = lower_convert(ex, value, inside->site, option->value);
        options[i] = (FlatIslandOption){ .name = arena_printf(flat->arena, "%s",
                                                              option->target.parts[0].name),
                                         .state = state,
                                         .value = value,
                                         .place = option->value->place };
        if (ex->n_errors > errors_before || settle_reads(ex, value) == READS_PARAMS) continue;
        EXPAND_FAIL(ex, DIAG_ISLAND_OPTION, option->value->place,
                    strcmp(options[i].name, "period") == 0 ? "output every" : options[i].name,
                    settle_offender(ex, value, READS_PARAMS));
        diag_hint(ex->diag, "options of an island are made of numbers and parameters");
    }
    for (uint32_t k = 0; k < entity->n_elements; k++) {
        const Scope *component = entity->components[k];
        const uint32_t number = component ? component->island_plus_1 : 0;
        if (!number) continue;
        flat->islands.items[number - 1].options = options;
        flat->islands.items[number - 1].n_options = island->n_options;
    }
}

void define_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    Flat *flat = ex->flat;
    const Reading r = { .ex = ex, .scope = scope, .locals = locals, .makes_modes = true };
    const Reading plain = { .ex = ex, .scope = scope, .locals = locals };
    switch (item->kind) {
    case AST_EQUATION:
        define_one(&r, item);
        break;
    case AST_INITIAL: {
        const Expr left = lower_real(&plain, item->equation.lhs);
        const ExprNode *node = expr_node(&flat->pool, left);
        // drawn from the stream of the variable on the left, or of the line
        Draws draws = { .stream = node->op == EXPR_VAR
                                      ? flat->vars.items[node->index].name
                                      : arena_printf(&ex->work, "%.*sinitial %zu", (int)scope->path.n,
                                                     scope->path.p, diag_line(ex->diag, item->place)) };
        Reading drawn = plain;
        drawn.draws = &draws;
        const Expr right = lower_real(&drawn, item->equation.rhs);
        if (draws.n && node->op == EXPR_ELEM) array_spoil(ex, expr_access(&flat->pool, left)->array);
        if (!array_equation(ex, true, left, right, item->place))
            vec_push(flat->arena, &flat->initial, (FlatEquation){ left, right, item->place });
        break;
    }
    case AST_ASSERT: {
        const Expr condition = lower_truth(&plain, item->assertion.condition);
        vec_push(flat->arena, &flat->asserts, (FlatAssert){ condition, item->assertion.text, item->place });
        break;
    }
    case AST_PREFER:
        define_preference(&plain, item);
        break;
    case AST_DECL:
        if (item->decl.kind == AST_OUTPUT) define_output(&r, item);
        break;
    case AST_TIME_UNIT:
        define_time_unit(ex, scope, item);
        break;
    case AST_EVENT:
        define_event(ex, scope, locals, item);
        break;
    case AST_COMPONENT:
        if (item->component.island && !item->component.island->is_within) define_island(&plain, item);
        break;
    default:
        break;
    }
}

// ---------------------------------------------------------------------------------------------- terminal
// region

static void define_rerun(const Reading *r, const AstItem *step)
{
    Flat *flat = r->ex->flat;
    double at_most = rerun_limit;
    const AstExpr *limit = step->rerun.at_most;
    if (limit && lower_number(r, limit, &at_most) && !(at_most >= 1)) {
        EXPAND_FAIL(r->ex, DIAG_TYPE_MISMATCH, limit->place, "a number from 1 on",
                    arena_printf(&r->ex->work, "%.15g", at_most));
    }
    const Expr condition = lower_truth(r, step->rerun.condition);
    vec_push(flat->arena, &flat->terminal,
             (FlatTerminal){ FLAT_NONE, condition, at_most, step->place, limit != NULL });
}

static void define_assignment(const Reading *r, const AstItem *step)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const AstRef *target = &step->assign.target;
    if (target->n_parts == 1 && strcmp(target->parts[0].name, "t") == 0)
        return;                                              // reported where names are declared
    const Expr value = lower_real(r, step->assign.value);    // before the name it may declare exists
    if (target->n_parts == 1) {
        Entity *entity = scope_find(r->scope, target->parts[0].name);
        if (entity && entity->symbol->kind == SYMBOL_RESULT && !entity->is_declared)
            declare_result(ex, r->scope, entity);
    }
    Entity *entity;
    AstRef undifferentiated = *target;
    undifferentiated.primes = 0;
    const uint32_t variable = lower_variable(r, &undifferentiated, step->place, &entity);
    if (variable == FLAT_NONE) return;
    if (flat->vars.items[variable].kind == FLAT_VARIABLE || target->primes) {
        EXPAND_FAIL(ex, DIAG_TERMINAL_TARGET, step->place, flat->vars.items[variable].name);
        diag_hint(ex->diag, "assign a parameter, or a new name to keep as a result");
        return;
    }
    vec_push(flat->arena, &flat->terminal, (FlatTerminal){ variable, value, 0, step->place, false });
}

// Components first, so that a model can use their results.
void define_terminal(Expander *ex, Scope *scope)
{
    for (size_t i = 0; i < scope->shape->symbols.n; i++) {
        const Entity *entity = &scope->entities[i];
        if (entity->symbol->kind != SYMBOL_COMPONENT || entity->is_broken) continue;
        for (uint32_t k = 0; k < entity->n_elements; k++)
            if (entity->components[k]) define_terminal(ex, entity->components[k]);
    }
    if (!scope->shape->has_terminal) return;
    const Reading r = { .ex = ex, .scope = scope };
    for (uint32_t i = 0; i < scope->shape->model->n_items; i++) {
        const AstItem *item = &scope->shape->model->items[i];
        for (uint32_t k = 0; item->kind == AST_TERMINAL && k < item->terminal.n_items; k++) {
            const AstItem *step = &item->terminal.items[k];
            if (step->kind == AST_RERUN) define_rerun(&r, step);
            else define_assignment(&r, step);
        }
    }
}
