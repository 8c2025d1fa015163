// src/flat/expand.c: from a model with components to a flat set of variables and equations.
//
//     declare   make the tree of instances; every name gets its variables, in order of declaration
//     connect   arrows become equations
//     define    equations, asserts and terminal regions are read; derivatives appear as they are met
//     settle    values of parameters, inputs and initial values, once it is known what is a state
#include "flat/scope.h"
#include <string.h>

enum {
    DEPTH_MAX = 200,            // components inside components
};
static const long long elements_max = 20 * 1000 * 1000;    // of one array, and of all together
static const double    rerun_limit = 1000;                 // runs a terminal region may ask for without saying so

// ---------------------------------------------------------------------------------------------- scopes

Entity *scope_find(const Scope *scope, const char *name)
{
    const uint32_t *found = text_map_find(&scope->by_name, text_from(name));
    return found ? &scope->entities.items[*found] : NULL;
}

static uint32_t add_var(Expander *ex, FlatVar var)
{
    Flat *flat = ex->flat;
    const uint32_t number = (uint32_t)flat->vars.n;
    var.derivative = var.integral = FLAT_NONE;
    var.start = EXPR_NONE;
    vec_push(flat->arena, &flat->vars, var);
    text_map_put(&flat->by_name, text_from(var.name), number);
    return number;
}

uint32_t expand_derivative(Expander *ex, uint32_t variable, uint32_t order)
{
    Flat *flat = ex->flat;
    for (; order > 0; order--) {
        if (flat->vars.items[variable].derivative == FLAT_NONE) {
            FlatVar rate = flat->vars.items[variable];
            rate.name = arena_printf(flat->arena, "%s'", rate.name);
            rate.is_output = false;
            rate.start_is_guess = false;
            rate.doc = NULL;
            rate.unit = NULL;
            const uint32_t number = add_var(ex, rate);
            flat->vars.items[number].integral = variable;
            flat->vars.items[variable].derivative = number;
        }
        variable = flat->vars.items[variable].derivative;
    }
    return variable;
}

static void add_equation(Expander *ex, Expr lhs, Expr rhs, Place place)
{
    vec_push(ex->flat->arena, &ex->flat->equations, (FlatEquation){ lhs, rhs, place });
}

uint32_t expand_integral(Expander *ex, Scope *scope, Expr rate, Expr start, Place place)
{
    Flat *flat = ex->flat;
    const char *name = arena_printf(flat->arena, "%sintegral%u", scope->path, ++ex->n_integrals);
    const uint32_t x = add_var(ex, (FlatVar){ .name = name, .place = place, .kind = FLAT_VARIABLE, .is_hidden = true });
    flat->vars.items[x].start = start;
    add_equation(ex, expr_var(&flat->pool, expand_derivative(ex, x, 1)), rate, place);
    return x;
}

// ---------------------------------------------------------------------------------------------- declare

static Entity *add_entity(Expander *ex, Scope *scope, Entity entity)
{
    const Entity *before = scope_find(scope, entity.name);
    if (before) {
        diag_report(ex->diag, DIAG_NAME_TWICE, entity.place, entity.name);
        diag_note(ex->diag, before->place, "'%s' is declared here first", entity.name);
        ex->failed = true;
        return NULL;
    }
    if (strcmp(entity.name, "t") == 0) {
        diag_report(ex->diag, DIAG_NAME_RESERVED, entity.place, entity.name);
        diag_hint(ex->diag, "t is the time; choose another name");
        ex->failed = true;
        return NULL;
    }
    text_map_put(&scope->by_name, text_from(entity.name), (uint32_t)scope->entities.n);
    vec_push(&ex->work, &scope->entities, entity);
    return &vec_last(&scope->entities);
}

static bool read_sizes(Expander *ex, Scope *scope, Entity *entity, AstExpr **sizes, uint32_t n_sizes)
{
    entity->n_sizes = n_sizes;
    entity->n_elements = 1;
    entity->sizes = ARENA_ARRAY(&ex->work, uint32_t, n_sizes + 1);
    for (uint32_t i = 0; i < n_sizes; i++) {
        const Reading r = { ex, scope, NULL, false, true };
        long long size;
        if (!lower_whole(&r, sizes[i], &size)) return false;
        const long long room = elements_max / (long long)entity->n_elements;
        if (size < 1 || size > room) {
            diag_report(ex->diag, DIAG_SIZE_BAD, sizes[i]->place, entity->name, arena_printf(&ex->work, "%lld", size), room);
            ex->failed = true;
            return false;
        }
        entity->sizes[i] = (uint32_t)size;
        entity->n_elements *= (size_t)size;
    }
    return true;
}

// "u[3]" or "u[2,3]" for an element, "u" for a scalar; with the path of the instance in front.
static const char *element_name(Expander *ex, const Scope *scope, const Entity *entity, size_t element)
{
    Arena *arena = ex->flat->arena;
    if (entity->n_sizes == 0) return arena_printf(arena, "%s%s", scope->path, entity->name);
    StrBuf s = { .arena = arena };
    str_addf(&s, "%s%s[", scope->path, entity->name);
    size_t stride = entity->n_elements;
    for (uint32_t i = 0; i < entity->n_sizes; i++) {
        stride /= entity->sizes[i];
        str_addf(&s, "%s%zu", i ? "," : "", element / stride + 1);
        element %= stride;
    }
    str_add(&s, "]");
    return str_finish(&s);
}

static FlatKind kind_of(AstDeclKind declared)
{
    return declared == AST_PARAM ? FLAT_PARAM : declared == AST_INPUT ? FLAT_INPUT : FLAT_VARIABLE;
}

static void make_elements(Expander *ex, const Scope *scope, Entity *entity, const AstDecl *decl)
{
    if ((long long)(ex->flat->vars.n + entity->n_elements) > elements_max) {
        diag_report(ex->diag, DIAG_MODEL_TOO_LARGE, entity->place, ex->flat->vars.n + entity->n_elements, "variables",
                    (size_t)elements_max);
        ex->failed = true;
        entity->n_elements = 0;
        return;
    }
    entity->first = (uint32_t)ex->flat->vars.n;
    for (size_t i = 0; i < entity->n_elements; i++)
        add_var(ex, (FlatVar){ .name = element_name(ex, scope, entity, i), .place = entity->place,
                               .kind = kind_of(entity->declared), .is_output = entity->declared == AST_OUTPUT,
                               .start_is_guess = decl && decl->is_guess, .unit = decl ? decl->unit : NULL,
                               .doc = decl ? decl->doc : NULL });
}

// The override that a parent gave for a name of this scope: `K` directly, or the settings for `sub.…` are passed down.
static const AstSetting *take_override(Scope *scope, const char *name, Scope **from)
{
    for (uint32_t i = 0; i < scope->n_overrides; i++) {
        const AstSetting *s = scope->overrides[i];
        if (s->target.n_parts - scope->depth_of_override[i] != 1) continue;
        if (strcmp(s->target.parts[scope->depth_of_override[i]].name, name) != 0) continue;
        scope->override_used[i] = true;
        *from = scope->override_scopes[i];
        return s;
    }
    return NULL;
}

static void declare_value(Expander *ex, Scope *scope, const AstDecl *decl)
{
    if (decl->primes > 0) return;                                              // a start value of x', read when x is known
    if (decl->kind == AST_OUTPUT && !decl->value && scope_find(scope, decl->name)) return;    // only publishes
    Scope *value_scope = scope;
    const AstExpr *value = decl->value;
    const AstSetting *override = decl->kind == AST_CONST || decl->kind == AST_OUTPUT
                                     ? NULL : take_override(scope, decl->name, &value_scope);
    if (override) value = override->value;
    Entity *entity = add_entity(ex, scope, (Entity){
        .kind = decl->kind == AST_CONST ? ENTITY_CONST : ENTITY_VARIABLE, .name = decl->name, .place = decl->place,
        .declared = decl->kind, .decl = decl, .value = value, .value_scope = value_scope, .folded = EXPR_NONE });
    if (!entity) return;
    const size_t index = scope->entities.n - 1;    // reading sizes may move the entities
    Entity sized = *entity;
    if (!read_sizes(ex, scope, &sized, decl->sizes, decl->n_sizes)) sized.n_elements = 0;
    if (sized.kind == ENTITY_VARIABLE) make_elements(ex, scope, &sized, decl);
    scope->entities.items[index] = sized;
}

static Scope *make_scope(Expander *ex, Scope *parent, const AstModel *model, const char *path)
{
    Scope *scope = ARENA_NEW(&ex->work, Scope);
    scope->parent = parent;
    scope->model = model;
    scope->path = path;
    scope->depth = parent ? parent->depth + 1 : 0;
    text_map_init(&scope->by_name, &ex->work);
    return scope;
}

static void declare_scope(Expander *ex, Scope *scope);

// Is `model` being expanded already, around this scope? Then it contains itself.
static bool contains_itself(Expander *ex, const Scope *scope, const AstModel *model, Place place)
{
    for (const Scope *s = scope; s; s = s->parent) {
        if (s->model != model) continue;
        StrBuf chain = { .arena = &ex->work };
        VEC(const char *) names = { 0 };
        for (const Scope *c = scope; c != s->parent; c = c->parent) vec_push(&ex->work, &names, c->model->name);
        while (names.n) str_addf(&chain, "%s → ", vec_pop(&names));
        str_add(&chain, model->name);
        diag_report(ex->diag, DIAG_COMPONENT_CYCLE, place, model->name, str_finish(&chain));
        diag_hint(ex->diag, "a component cannot contain its own model, at any depth");
        return true;
    }
    return false;
}

// Overrides meant for a component: those written with it, and those of the parent whose path leads through it.
static void pass_overrides(Expander *ex, Scope *parent, Scope *child, const char *name, const AstItem *item)
{
    const uint32_t most = item->component.n_overrides + parent->n_overrides;
    child->overrides = ARENA_ARRAY(&ex->work, const AstSetting *, most + 1);
    child->override_scopes = ARENA_ARRAY(&ex->work, Scope *, most + 1);
    child->override_used = ARENA_ARRAY(&ex->work, bool, most + 1);
    child->depth_of_override = ARENA_ARRAY(&ex->work, uint32_t, most + 1);
    // the outermost come first: they win over what is written nearer to the component
    for (uint32_t i = 0; i < parent->n_overrides; i++) {
        const AstSetting *s = parent->overrides[i];
        const uint32_t depth = parent->depth_of_override[i];
        if (s->target.n_parts - depth < 2 || strcmp(s->target.parts[depth].name, name) != 0) continue;
        parent->override_used[i] = true;
        child->depth_of_override[child->n_overrides] = depth + 1;
        child->override_scopes[child->n_overrides] = parent->override_scopes[i];
        child->overrides[child->n_overrides++] = s;
    }
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        child->depth_of_override[child->n_overrides] = 0;
        child->override_scopes[child->n_overrides] = parent;
        child->overrides[child->n_overrides++] = &item->component.overrides[i];
    }
}

static void check_overrides(Expander *ex, const Scope *scope)
{
    for (uint32_t i = 0; i < scope->n_overrides; i++) {
        if (scope->override_used[i]) continue;
        const AstSetting *s = scope->overrides[i];
        const char *name = s->target.parts[scope->depth_of_override[i]].name;
        const Entity *entity = scope_find(scope, name);
        if (entity && entity->kind == ENTITY_VARIABLE && entity->declared != AST_OUTPUT) continue;    // an outer override won
        diag_report(ex->diag, DIAG_PARAM_UNKNOWN, s->place, scope->model->name, name);
        VEC(const char *) names = { 0 };
        for (size_t k = 0; k < scope->entities.n; k++)
            if (scope->entities.items[k].kind == ENTITY_VARIABLE) vec_push(&ex->work, &names, scope->entities.items[k].name);
        const char *closest = text_closest(name, names.items, names.n);
        if (closest) diag_hint(ex->diag, "did you mean '%s'?", closest);
        ex->failed = true;
    }
}

static void declare_component(Expander *ex, Scope *scope, const AstItem *item)
{
    const char *name = item->component.name;
    const uint32_t *found = text_map_find(&ex->models, text_from(item->component.model));
    Entity entity = { .kind = ENTITY_COMPONENT, .name = name, .place = item->component.name_place, .folded = EXPR_NONE };
    if (!read_sizes(ex, scope, &entity, item->component.sizes, item->component.n_sizes)) entity.n_elements = 1;
    entity.components = ARENA_ARRAY(&ex->work, Scope *, entity.n_elements);
    if (!add_entity(ex, scope, entity)) return;
    if (!found) {
        VEC(const char *) names = { 0 };
        for (size_t i = 0; i < ex->ast->models.n; i++) vec_push(&ex->work, &names, ex->ast->models.items[i].name);
        diag_report(ex->diag, DIAG_MODEL_UNKNOWN, item->component.model_place, item->component.model);
        const char *closest = text_closest(item->component.model, names.items, names.n);
        if (closest) diag_hint(ex->diag, "did you mean '%s'?", closest);
        ex->failed = true;
        return;
    }
    const AstModel *model = &ex->ast->models.items[*found];
    if (contains_itself(ex, scope, model, item->component.model_place)) {
        ex->failed = true;
        return;
    }
    if (scope->depth == DEPTH_MAX) {
        diag_report(ex->diag, DIAG_NESTED_TOO_DEEP, item->place, (int)DEPTH_MAX);
        ex->failed = true;
        return;
    }
    for (size_t i = 0; i < entity.n_elements; i++) {
        const char *path = arena_printf(&ex->work, "%s.", element_name(ex, scope, &entity, i));
        Scope *child = make_scope(ex, scope, model, path);
        pass_overrides(ex, scope, child, name, item);
        declare_scope(ex, child);
        check_overrides(ex, child);
        entity.components[i] = child;
        if ((long long)ex->flat->vars.n >= elements_max) return;    // reported where it happened
    }
}

// `y = …` and `x' = …` declare a name that nothing else declares.
static void declare_by_equation(Expander *ex, Scope *scope, const AstExpr *lhs)
{
    if (lhs->kind != AST_REF || lhs->ref.n_parts != 1 || lhs->ref.parts[0].n_indices) return;
    const char *name = lhs->ref.parts[0].name;
    if (scope_find(scope, name) || strcmp(name, "t") == 0) return;
    Place place = lhs->place;
    place.length -= place.length > lhs->ref.primes ? lhs->ref.primes : 0;
    Entity *entity = add_entity(ex, scope, (Entity){ .kind = ENTITY_VARIABLE, .name = name, .place = place,
                                                     .declared = AST_VAR, .n_elements = 1, .folded = EXPR_NONE });
    if (entity) make_elements(ex, scope, entity, NULL);
}

static void declare_scope(Expander *ex, Scope *scope)
{
    const AstItem *items = scope->model->items;
    const uint32_t n = scope->model->n_items;
    // constants and parameters first, since sizes may need them; outputs without a value last, since they may publish
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == AST_DECL && (items[i].decl.kind == AST_PARAM || items[i].decl.kind == AST_CONST))
            declare_value(ex, scope, &items[i].decl);
    for (uint32_t i = 0; i < n; i++) {
        const AstItem *item = &items[i];
        if (item->kind == AST_COMPONENT) declare_component(ex, scope, item);
        else if (item->kind == AST_EQUATION) declare_by_equation(ex, scope, item->equation.lhs);
        else if (item->kind == AST_DECL && (item->decl.kind == AST_INPUT || item->decl.kind == AST_VAR ||
                                            (item->decl.kind == AST_OUTPUT && item->decl.value)))
            declare_value(ex, scope, &item->decl);
    }
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == AST_DECL && items[i].decl.kind == AST_OUTPUT && !items[i].decl.value)
            declare_value(ex, scope, &items[i].decl);
}

// ---------------------------------------------------------------------------------------------- connect

static void connect_arrow(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const Reading r = { ex, scope, locals, true, false };
    Entity *from, *to;
    const uint32_t source = lower_variable(&r, &item->arrow.from, item->arrow.from_place, &from);
    const uint32_t target = lower_variable(&r, &item->arrow.to, item->arrow.to_place, &to);
    if (source == FLAT_NONE || target == FLAT_NONE) return;
    Flat *flat = ex->flat;
    const char *name = flat->vars.items[target].name;
    // into a component: one of its inputs; outward: an output or variable of this model that nothing else defines
    const bool is_inward = item->arrow.to.n_parts > 1;
    if (is_inward ? to->declared != AST_INPUT : to->declared == AST_INPUT || to->declared == AST_PARAM) {
        diag_report(ex->diag, DIAG_OUTPUT_AS_TARGET, item->arrow.to_place, name);
        diag_hint(ex->diag, "an arrow leads to an input of a component, or from a component to an output of this model");
        ex->failed = true;
        return;
    }
    const uint32_t *driver = map_find(&ex->driven, target);
    if (driver) {
        diag_report(ex->diag, DIAG_INPUT_DRIVEN_TWICE, item->arrow.to_place, name);
        diag_note(ex->diag, ex->arrows.items[*driver]->place, "the other source");
        ex->failed = true;
        return;
    }
    map_put(&ex->driven, target, (uint32_t)ex->arrows.n);
    vec_push(&ex->work, &ex->arrows, item);
    flat->vars.items[target].kind = FLAT_VARIABLE;
    add_equation(ex, expr_var(&flat->pool, target), expr_var(&flat->pool, source), item->place);
}

// ---------------------------------------------------------------------------------------------- define

// Call `visit` for each item, with `for` unrolled.
typedef void Visit(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);

static void each_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *items, uint32_t n, Visit *visit)
{
    for (uint32_t i = 0; i < n; i++) {
        const AstItem *item = &items[i];
        if (item->kind != AST_FOR) {
            visit(ex, scope, locals, item);
            continue;
        }
        const Reading r = { ex, scope, locals, false, true };
        long long first, last;
        if (!lower_whole(&r, item->loop.first, &first) || !lower_whole(&r, item->loop.last, &last)) continue;
        if (last - first >= elements_max) {
            diag_report(ex->diag, DIAG_MODEL_TOO_LARGE, item->place, (size_t)(last - first + 1), "turns of a loop",
                        (size_t)elements_max);
            ex->failed = true;
            continue;
        }
        for (long long k = first; k <= last; k++) {
            const Local index = { locals, item->loop.index, expr_const(&ex->flat->pool, (double)k) };
            each_item(ex, scope, &index, item->loop.items, item->loop.n_items, visit);
            if (ex->failed && orr_diag_errors(ex->diag) > DIAG_MESSAGES_MAX) return;
        }
    }
}

static void visit_arrow(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    if (item->kind == AST_ARROW) connect_arrow(ex, scope, locals, item);
}

static bool is_call(const AstExpr *e, const char *name) { return e->kind == AST_CALL && strcmp(e->call.function, name) == 0; }

// `X = INTEG(e, ic)`: X is a state with rate e and initial value ic.
static void define_integral(Expander *ex, Scope *scope, const Local *locals, const AstItem *item, const AstExpr *state,
                            const AstExpr *call)
{
    Flat *flat = ex->flat;
    const Reading r = { ex, scope, locals, true, false };
    Entity *entity;
    const uint32_t x = lower_variable(&r, &state->ref, state->place, &entity);
    if (x == FLAT_NONE) return;
    if (flat->vars.items[x].kind != FLAT_VARIABLE) {
        diag_report(ex->diag, DIAG_DERIVATIVE_BAD, state->place, entity->name,
                    entity->declared == AST_INPUT ? "input" : "parameter");
        ex->failed = true;
        return;
    }
    const Reading at_start = { ex, scope, locals, false, false };
    const Expr rate = lower_real(&r, call->call.args[0]);
    const Expr start = lower_real(&at_start, call->call.args[1]);
    if (flat->vars.items[x].start != EXPR_NONE || entity->value) {
        diag_report(ex->diag, DIAG_INITIAL_TOO_MANY, item->place, flat->vars.items[x].name);
        diag_note(ex->diag, entity->place, "declared here with a value");
        diag_hint(ex->diag, "keep the one in INTEG and declare '%s' without a value", entity->name);
        ex->failed = true;
    }
    flat->vars.items[x].start = start;
    add_equation(ex, expr_var(&flat->pool, expand_derivative(ex, x, 1)), rate, item->place);
}

static bool is_state_ref(const AstExpr *e) { return e->kind == AST_REF && e->ref.primes == 0; }

static void define_equation(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const AstExpr *lhs = item->equation.lhs, *rhs = item->equation.rhs;
    if (is_call(rhs, "INTEG") && rhs->call.n_args == 2 && is_state_ref(lhs)) {
        define_integral(ex, scope, locals, item, lhs, rhs);
        return;
    }
    const Reading r = { ex, scope, locals, true, false };
    const Expr left = lower_real(&r, lhs), right = lower_real(&r, rhs);
    add_equation(ex, left, right, item->place);
}

static void define_terminal(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    Flat *flat = ex->flat;
    const Reading r = { ex, scope, locals, false, false };
    for (uint32_t i = 0; i < item->terminal.n_items; i++) {
        const AstItem *step = &item->terminal.items[i];
        if (step->kind == AST_RERUN) {
            double at_most = rerun_limit;
            long long given;
            if (step->rerun.at_most && lower_whole(&r, step->rerun.at_most, &given)) at_most = (double)given;
            vec_push(flat->arena, &flat->terminal,
                     (FlatTerminal){ FLAT_NONE, lower_truth(&r, step->rerun.condition), at_most, step->place,
                                     step->rerun.at_most != NULL });
            continue;
        }
        const AstRef *target = &step->assign.target;
        const Expr value = lower_real(&r, step->assign.value);
        if (target->n_parts == 1 && !scope_find(scope, target->parts[0].name)) {    // a name of its own: a result
            Entity *entity = add_entity(ex, scope, (Entity){ .kind = ENTITY_VARIABLE, .name = target->parts[0].name,
                                                             .place = step->place, .declared = AST_OUTPUT, .n_elements = 1,
                                                             .folded = EXPR_NONE });
            if (!entity) continue;
            make_elements(ex, scope, entity, NULL);
            flat->vars.items[entity->first].kind = FLAT_RESULT;
        }
        Entity *entity;
        const uint32_t variable = lower_variable(&r, target, step->place, &entity);
        if (variable == FLAT_NONE) continue;
        if (flat->vars.items[variable].kind == FLAT_VARIABLE) {
            diag_report(ex->diag, DIAG_TERMINAL_TARGET, step->place, flat->vars.items[variable].name);
            diag_hint(ex->diag, "assign a parameter, or a new name to keep as a result");
            ex->failed = true;
            continue;
        }
        vec_push(flat->arena, &flat->terminal, (FlatTerminal){ variable, value, 0, step->place, false });
    }
}

static void visit_definition(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    Flat *flat = ex->flat;
    const Reading plain = { ex, scope, locals, false, false };
    switch (item->kind) {
    case AST_EQUATION:
        define_equation(ex, scope, locals, item);
        break;
    case AST_INITIAL:
        vec_push(flat->arena, &flat->initial, (FlatEquation){ lower_real(&plain, item->equation.lhs),
                                                              lower_real(&plain, item->equation.rhs), item->place });
        break;
    case AST_ASSERT:
        vec_push(flat->arena, &flat->asserts,
                 (FlatAssert){ lower_truth(&plain, item->assertion.condition), item->assertion.text, item->place });
        break;
    case AST_TERMINAL:
        define_terminal(ex, scope, locals, item);
        break;
    case AST_DECL:
        if (item->decl.kind == AST_OUTPUT) {
            const Entity *entity = scope_find(scope, item->decl.name);
            if (!entity || entity->kind != ENTITY_VARIABLE) break;
            for (size_t i = 0; i < entity->n_elements; i++) flat->vars.items[entity->first + i].is_output = true;
            if (!item->decl.value || entity->n_elements != 1) break;
            const Reading r = { ex, scope, locals, true, false };
            if (is_call(item->decl.value, "INTEG") && item->decl.value->call.n_args == 2) {
                AstPart part = { item->decl.name, NULL, 0 };
                const AstExpr state = { .kind = AST_REF, .place = item->decl.place, .ref = { &part, 1, 0 } };
                scope_find(scope, item->decl.name)->value = NULL;    // it is a definition, not a start value
                define_integral(ex, scope, locals, item, &state, item->decl.value);
                break;
            }
            const Expr value = lower_real(&r, item->decl.value);
            add_equation(ex, expr_var(&flat->pool, entity->first), value, item->place);
        }
        break;
    case AST_TIME_UNIT:
        if (!scope->parent) flat->time_unit = item->time_unit;
        break;
    default:
        break;
    }
}

// ---------------------------------------------------------------------------------------------- settle

typedef enum Reads { READS_PARAMS, READS_INPUTS_OR_TIME, READS_VARIABLES } Reads;

// What kind of thing a value depends on, at most; *which is the first offending variable.
static Reads value_reads(Expander *ex, Expr e, uint32_t *which)
{
    Flat *flat = ex->flat;
    const ArenaMark mark = arena_mark(&ex->work);
    size_t n;
    const Expr *nodes = expr_collect(&flat->pool, &e, 1, &ex->work, &n);
    Reads reads = READS_PARAMS;
    for (size_t i = 0; i < n && reads != READS_VARIABLES; i++) {
        const ExprOp op = expr_op(&flat->pool, nodes[i]);
        if (op == EXPR_TIME || op == EXPR_DELAY || op == EXPR_MODE) reads = READS_INPUTS_OR_TIME;
        if (op != EXPR_VAR) continue;
        const uint32_t v = expr_node(&flat->pool, nodes[i])->index;
        if (flat->vars.items[v].kind == FLAT_PARAM || flat->vars.items[v].kind == FLAT_INPUT) continue;
        reads = READS_VARIABLES;
        *which = v;
    }
    arena_release(&ex->work, mark);
    return reads;
}

// The default of a parameter or input. An input whose default changes with time becomes a variable with an equation.
static void settle_held(Expander *ex, const Scope *scope, const Entity *entity)
{
    Flat *flat = ex->flat;
    if (!entity->value) {
        if (entity->declared != AST_INPUT) return;
        for (size_t i = 0; i < entity->n_elements; i++) {
            const FlatVar *v = &flat->vars.items[entity->first + i];
            if (v->kind != FLAT_INPUT) continue;    // driven by an arrow
            diag_report(ex->diag, DIAG_INPUT_OPEN, entity->place, v->name);
            diag_hint(ex->diag, scope->parent ? "draw an arrow to it, or give it a default: input %s = 0"
                                              : "give it a default: input %s = 0", entity->name);
            ex->failed = true;
        }
        return;
    }
    const Reading r = { ex, entity->value_scope, NULL, false, false };
    const bool is_input = entity->declared == AST_INPUT;
    Expr value = lower_real(&r, entity->value);
    uint32_t which = FLAT_NONE;
    const Reads reads = value_reads(ex, value, &which);
    if (!is_input && reads != READS_PARAMS) {
        diag_report(ex->diag, DIAG_PARAM_NOT_CONSTANT, entity->value->place, entity->name,
                    which == FLAT_NONE ? "t" : flat->vars.items[which].name);
        diag_hint(ex->diag, "what changes during a run is a var or an output: '%s = …' as an equation", entity->name);
        ex->failed = true;
        return;
    }
    if (reads != READS_PARAMS) {
        const Reading equation = { ex, entity->value_scope, NULL, true, false };
        value = lower_real(&equation, entity->value);
    }
    for (size_t i = 0; i < entity->n_elements; i++) {
        FlatVar *v = &flat->vars.items[entity->first + i];
        if (v->kind == FLAT_VARIABLE) continue;    // driven by an arrow
        if (reads == READS_PARAMS) {
            v->start = value;
            v->is_structural = entity->is_structural;
        } else {
            v->kind = FLAT_VARIABLE;
            add_equation(ex, expr_var(&flat->pool, entity->first + (uint32_t)i), value, entity->value->place);
        }
    }
}

// The value written with a variable or with one of its derivatives: initial value of a state, first guess otherwise.
static void settle_start(Expander *ex, uint32_t variable, Expr start, bool is_guess, Place place)
{
    Flat *flat = ex->flat;
    FlatVar *v = &flat->vars.items[variable];
    uint32_t which = FLAT_NONE;
    const Reads reads = value_reads(ex, start, &which);
    if (v->start != EXPR_NONE && v->start != start) {
        diag_report(ex->diag, DIAG_INITIAL_TOO_MANY, place, v->name);
        ex->failed = true;
        return;
    }
    if (reads == READS_PARAMS) {
        v->start = start;
        v->start_is_guess = is_guess;
        return;
    }
    v->start = EXPR_NONE;
    if (v->derivative != FLAT_NONE && !is_guess) {    // a state that starts where an equation says
        vec_push(flat->arena, &flat->initial, (FlatEquation){ expr_var(&flat->pool, variable), start, place });
        return;
    }
    diag_report(ex->diag, DIAG_GUESS_READS, place, v->name, which == FLAT_NONE ? "t" : flat->vars.items[which].name,
                v->name);
    diag_hint(ex->diag, "to define '%s' write an equation on a line of its own, or 'output %s = …'", v->name, v->name);
    ex->failed = true;
}

static void settle_scope(Expander *ex, Scope *scope)
{
    for (size_t i = 0; i < scope->entities.n; i++) {
        Entity *entity = &scope->entities.items[i];
        if (entity->kind == ENTITY_COMPONENT) {
            for (size_t k = 0; k < entity->n_elements; k++)
                if (entity->components[k]) settle_scope(ex, entity->components[k]);
        } else if (entity->kind == ENTITY_VARIABLE && (entity->declared == AST_PARAM || entity->declared == AST_INPUT)) {
            settle_held(ex, scope, entity);
        } else if (entity->kind == ENTITY_VARIABLE && entity->declared == AST_VAR && entity->value) {
            const Reading r = { ex, entity->value_scope, NULL, false, false };
            const Expr start = lower_real(&r, entity->value);
            const bool is_guess = entity->decl && entity->decl->is_guess;
            for (size_t k = 0; k < entity->n_elements; k++)
                settle_start(ex, entity->first + (uint32_t)k, start, is_guess, entity->place);
        } else if (entity->kind == ENTITY_CONST) {
            const Reading r = { ex, scope, NULL, false, false };
            const AstPart part = { entity->name, NULL, 0 };
            const AstExpr ref = { .kind = AST_REF, .place = entity->place, .ref = { (AstPart *)&part, 1, 0 } };
            if (!expr_is_const(&ex->flat->pool, lower_real(&r, &ref), NULL)) {
                diag_report(ex->diag, DIAG_CONST_NEEDED, entity->place, entity->name);
                diag_hint(ex->diag, "a const is made of numbers and other constants; use param for the rest");
                ex->failed = true;
            }
        }
    }
    // start values of derivatives: var x' = 0
    for (uint32_t i = 0; i < scope->model->n_items; i++) {
        const AstItem *item = &scope->model->items[i];
        if (item->kind != AST_DECL || item->decl.primes == 0) continue;
        AstPart part = { item->decl.name, NULL, 0 };
        const AstRef ref = { &part, 1, item->decl.primes };
        const Reading r = { ex, scope, NULL, false, false };
        Entity *entity;
        const uint32_t variable = lower_variable(&r, &ref, item->decl.place, &entity);
        if (variable == FLAT_NONE) continue;
        if (item->decl.unit) ex->flat->vars.items[variable].unit = item->decl.unit;
        if (item->decl.value)
            settle_start(ex, variable, lower_real(&r, item->decl.value), item->decl.is_guess, item->decl.place);
    }
}

// INTEG gave its start values directly; those that read variables become initial equations.
static void settle_integrals(Expander *ex)
{
    for (uint32_t i = 0; i < ex->flat->vars.n; i++) {
        const FlatVar *v = &ex->flat->vars.items[i];
        if (v->kind == FLAT_VARIABLE && v->start != EXPR_NONE) settle_start(ex, i, v->start, v->start_is_guess, v->place);
    }
    for (size_t i = 0; i < ex->flat->delays.n; i++) {
        const FlatDelay *d = &ex->flat->delays.items[i];
        uint32_t which;
        if (value_reads(ex, d->lag, &which) == READS_PARAMS) continue;
        diag_report(ex->diag, DIAG_PARAM_NOT_CONSTANT, d->place, "lag", "something");
        diag_hint(ex->diag, "the lag of a delay is made of numbers and parameters");
        ex->failed = true;
    }
}

// ---------------------------------------------------------------------------------------------- all together

static void each_scope(Expander *ex, Scope *scope, Visit *visit)
{
    each_item(ex, scope, NULL, scope->model->items, scope->model->n_items, visit);
    for (size_t i = 0; i < scope->entities.n; i++) {
        const Entity entity = scope->entities.items[i];    // a copy: terminal regions may add names
        for (size_t k = 0; entity.kind == ENTITY_COMPONENT && k < entity.n_elements; k++)
            if (entity.components[k]) each_scope(ex, entity.components[k], visit);
    }
}

static void index_file(Expander *ex)
{
    for (size_t i = 0; i < ex->ast->models.n; i++)
        text_map_put(&ex->models, text_from(ex->ast->models.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < ex->ast->functions.n; i++)
        text_map_put(&ex->functions, text_from(ex->ast->functions.items[i].name), (uint32_t)i);
}

bool flat_expand(Flat *flat, const Ast *ast, const AstModel *model, orr_diag *diag)
{
    expr_pool_init(&flat->pool, flat->arena);
    text_map_init(&flat->by_name, flat->arena);
    flat->model = model->name;
    flat->doc = model->doc;

    Expander ex = { .flat = flat, .ast = ast, .diag = diag };
    text_map_init(&ex.models, &ex.work);
    text_map_init(&ex.functions, &ex.work);
    map_init(&ex.relation_of, &ex.work);
    map_init(&ex.driven, &ex.work);
    index_file(&ex);

    Scope *root = make_scope(&ex, NULL, model, "");
    declare_scope(&ex, root);
    each_scope(&ex, root, visit_arrow);
    each_scope(&ex, root, visit_definition);
    settle_integrals(&ex);
    settle_scope(&ex, root);
    arena_free(&ex.work);
    return !ex.failed;
}
