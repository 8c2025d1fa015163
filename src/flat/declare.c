// src/flat/declare.c: the tree of instances: each name of each instance gets its variables.
//
// Parameters and constants of an instance come first, since sizes may need them; all else follows in the
// order written. Values that parents give are handed down the tree, outermost first: the outermost wins, and
// at one level a value for one element wins over one for all.
#include "flat/scope.h"
#include <string.h>

enum {
    DEPTH_MAX = 200,              // components inside components
    ORDER_MAX = 100,              // of a derivative
};
static const double elements_max = 20e6;     // of one array, and variables in all
static const size_t instances_max = 4000000;

// ---------------------------------------------------------------------------------------------- variables

static uint32_t add_var(Expander *ex, Text name, FlatVar var)
{
    Flat *flat = ex->flat;
    const uint32_t number = (uint32_t)flat->vars.n;
    if (text_map_put(&flat->by_name, name, number)) {
        var.name = names_text(&flat->by_name.names, (uint32_t)flat->by_name.names.n - 1);
    } else {    // such as "a.b" in quotes, and b of a component a
        var.name = text_copy(flat->arena, name);
        EXPAND_FAIL(ex, DIAG_NAME_TWICE, var.place, var.name);
        diag_note(ex->diag, flat->vars.items[flat_find(flat, var.name)].place, "'%s' is declared here first",
                  var.name);
    }
    var.derivative = var.integral = FLAT_NONE;
    var.start = EXPR_NONE;
    vec_push(flat->arena, &flat->vars, var);
    return number;
}

uint32_t declare_derivative(Expander *ex, uint32_t variable, uint32_t order, Place place)
{
    Flat *flat = ex->flat;
    if (order > ORDER_MAX) {
        EXPAND_FAIL(ex, DIAG_MODEL_TOO_LARGE, place, (size_t)order, "derivatives of one variable",
                    (size_t)ORDER_MAX);
        return FLAT_NONE;
    }
    for (; order > 0; order--) {
        if (flat->vars.items[variable].derivative == FLAT_NONE) {
            FlatVar rate = flat->vars.items[variable];
            rate.is_output = rate.start_is_guess = rate.is_structural = rate.is_positive = false;
            rate.nominal = 0;
            rate.doc = NULL;
            rate.unit = units_rate_text(flat->units, rate.unit);
            rate.role = FLAT_PLAIN;
            const ArenaMark mark = arena_mark(&ex->scratch);
            const size_t n = strlen(rate.name);
            char *name = arena_alloc(&ex->scratch, n + 2, 1);
            memcpy(name, rate.name, n);
            name[n] = '\'';
            const uint32_t number = add_var(ex, (Text){ name, n + 1 }, rate);
            arena_release(&ex->scratch, mark);
            flat->vars.items[number].integral = variable;
            flat->vars.items[variable].derivative = number;
        }
        variable = flat->vars.items[variable].derivative;
    }
    return variable;
}

// A variable of ours: the word and a number.
static uint32_t declare_unnamed(Expander *ex, const Scope *scope, const char *word, FlatKind kind,
                                Place place)
{
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char *name;
    do
        name = arena_printf(&ex->scratch, "%.*s%s%zu", (int)scope->path.n, scope->path.p, word,
                            ++ex->n_integral_names);
    while (flat_find(ex->flat, name) != FLAT_NONE);
    const uint32_t variable = add_var(ex, text_from(name),
                                      (FlatVar){ .place = place, .kind = kind, .is_hidden = true });
    arena_release(&ex->scratch, mark);
    return variable;
}

uint32_t declare_integral(Expander *ex, const Scope *scope, Expr rate, Expr start, Place place)
{
    Flat *flat = ex->flat;
    const uint64_t key = (uint64_t)rate << 32 | start;
    const uint32_t *known = map_find(&ex->integral_of, key);
    if (known) return *known;

    const uint32_t x = declare_unnamed(ex, scope, "integral", FLAT_VARIABLE, place);
    flat->vars.items[x].start = start;
    define_equation(ex, lower_read(ex, declare_derivative(ex, x, 1, place)), rate, place);
    map_put(&ex->integral_of, key, x);
    return x;
}

uint32_t declare_hidden(Expander *ex, const Scope *scope, const char *word, Place place)
{
    const uint32_t variable = declare_unnamed(ex, scope, word, FLAT_DISCRETE, place);
    ex->flat->vars.items[variable].start = expr_const(&ex->flat->pool, 0);
    return variable;
}

uint32_t declare_clock(Expander *ex, const Scope *scope, Place place)
{
    return declare_unnamed(ex, scope, "rate", FLAT_VARIABLE, place);
}

static uint32_t declare_named(Expander *ex, const char *name, const char *unit, Place place)
{
    const uint32_t variable = add_var(ex, text_from(name),
                                      (FlatVar){ .place = place,
                                                 .kind = FLAT_DISCRETE,
                                                 .is_hidden = true,
                                                 .unit = unit });
    ex->flat->vars.items[variable].start = expr_const(&ex->flat->pool, 0);
    return variable;
}

uint32_t declare_pre(Expander *ex, uint32_t variable, Place place)
{
    Flat *flat = ex->flat;
    const uint32_t *known = map_find(&ex->pre_of, variable);
    if (known) return *known;
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char *name = arena_printf(&ex->scratch, "pre(%s)", flat->vars.items[variable].name);
    const uint32_t pre = declare_named(ex, name, flat->vars.items[variable].unit, place);
    arena_release(&ex->scratch, mark);
    map_put(&ex->pre_of, variable, pre);
    vec_push(flat->arena, &flat->pres, (FlatPre){ variable, pre });
    return pre;
}

uint32_t declare_noise(Expander *ex, const char *stream, Place place)
{
    const uint32_t noise = declare_named(ex, stream, NULL, place);
    ex->flat->vars.items[noise].kind = FLAT_INPUT;
    return noise;
}

uint32_t declare_counter(Expander *ex, const char *path, Place place)
{
    const ArenaMark mark = arena_mark(&ex->scratch);
    const uint32_t counter = declare_named(ex, arena_printf(&ex->scratch, "draws(%s)", path), NULL, place);
    arena_release(&ex->scratch, mark);
    return counter;
}

uint32_t declare_initial_flag(Expander *ex, Place place)
{
    if (ex->flat->initial_flag == FLAT_NONE)
        ex->flat->initial_flag = declare_named(ex, "initial()", NULL, place);
    return ex->flat->initial_flag;
}

uint32_t declare_reinit(Expander *ex, FlatReinit what, Place place)
{
    static const char *const names[] = { "perturbed()", "named()", "message()" };
    uint32_t *variable = &ex->flat->reinit[what];
    if (*variable == FLAT_NONE) *variable = declare_named(ex, names[what], NULL, place);
    return *variable;
}

uint32_t declare_hidden_input(Expander *ex, uint32_t of, const char *what)
{
    Flat *flat = ex->flat;
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char *name = arena_printf(&ex->scratch, "%s %s", flat->vars.items[of].name, what);
    const FlatVar var = { .place = flat->vars.items[of].place, .kind = FLAT_INPUT, .is_hidden = true };
    const uint32_t number = add_var(ex, text_from(name), var);
    arena_release(&ex->scratch, mark);
    flat->vars.items[number].start = expr_const(&flat->pool, 0);
    return number;
}

uint32_t declare_message(Expander *ex, Text name, const char *const *fields, uint32_t n, const FlatVar *like)
{
    Flat *flat = ex->flat;
    const uint32_t first = (uint32_t)flat->vars.n;
    const ArenaMark mark = arena_mark(&ex->scratch);
    for (uint32_t i = 0; i < n; i++) {
        Text one = name;
        if (fields) one = text_from(arena_printf(&ex->scratch, "%.*s.%s", (int)name.n, name.p, fields[i]));
        const uint32_t variable = add_var(ex, one, *like);
        flat->vars.items[variable].start = expr_const(&flat->pool, 0);
    }
    arena_release(&ex->scratch, mark);
    return first;
}

static char *add_digits(char *at, uint32_t number)
{
    char digits[16];
    int n = 0;
    do digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n) *at++ = digits[--n];
    return at;
}

// "u[3]" or "u[2,3]" for an element, "u" for a scalar; with the path of the instance in front. In scratch.
Text declare_element_name(Expander *ex, const Scope *scope, const Entity *entity, uint32_t element)
{
    const size_t n = strlen(entity->symbol->name);
    char *name = arena_alloc(&ex->scratch, scope->path.n + n + 12 * (size_t)entity->n_sizes + 3, 1),
         *at = name;
    if (scope->path.n) memcpy(at, scope->path.p, scope->path.n);
    at += scope->path.n;
    if (entity->is_by_member) at--;    // "cell[2,3].lit": the index stands before the dot
    else {
        memcpy(at, entity->symbol->name, n);
        at += n;
    }
    uint32_t stride = entity->n_elements;
    for (uint32_t i = 0; i < entity->n_sizes; i++) {
        stride /= entity->sizes[i];
        *at++ = i ? ',' : '[';
        at = add_digits(at, element / stride + 1);
        element %= stride;
    }
    if (entity->n_sizes) *at++ = ']';
    if (entity->is_by_member) {
        *at++ = '.';
        memcpy(at, entity->symbol->name, n);
        at += n;
    }
    return (Text){ name, (size_t)(at - name) };
}

static FlatKind kind_of(const Symbol *symbol)
{
    if (symbol->kind == SYMBOL_RESULT) return FLAT_RESULT;
    return symbol->declared == AST_PARAM      ? FLAT_PARAM
           : symbol->declared == AST_INPUT    ? FLAT_INPUT
           : symbol->declared == AST_DISCRETE ? FLAT_DISCRETE
                                              : FLAT_VARIABLE;
}

Place declare_owner_place(const Scope *terminal)
{
    return terminal->parent->parent ? terminal->parent->place : terminal->place;
}

static bool make_elements(Expander *ex, const Scope *scope, Entity *entity)
{
    Flat *flat = ex->flat;
    const Symbol *symbol = entity->symbol;
    const size_t n = flat->vars.n + flat->n_elements + entity->n_elements;
    if ((double)n > elements_max) {
        EXPAND_FAIL(ex, DIAG_MODEL_TOO_LARGE, symbol->place, n, "variables", (size_t)elements_max);
        ex->n_errors += ERRORS_MAX;
        return false;
    }
    FlatVar var = { .place = symbol->place,
                    .kind = kind_of(symbol),
                    .is_output = symbol->declared == AST_OUTPUT };
    if (symbol->kind == SYMBOL_RESULT) var.is_output = true;
    if (scope->terminal != FLAT_NONE) {
        var.role = symbol->declared == AST_ACROSS ? FLAT_ACROSS : FLAT_THROUGH;
        var.place = declare_owner_place(scope);
    }
    if (symbol->decl) {
        var.start_is_guess = symbol->decl->is_guess;
        if (symbol->decl->nominal) var.nominal = symbol->decl->nominal->number.value;
        var.is_positive = symbol->decl->is_positive;
        var.unit = symbol->decl->unit;
        var.doc = symbol->decl->doc;
    }
    if (flat->units) var.unit = units_text(flat->units, scope->site, symbol->name);
    if (array_may_stay(ex, scope, entity)) {
        array_declare(ex, scope, entity, &var);
        return true;
    }
    entity->first = (uint32_t)flat->vars.n;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const ArenaMark mark = arena_mark(&ex->scratch);
        add_var(ex, declare_element_name(ex, scope, entity, i), var);
        arena_release(&ex->scratch, mark);
    }
    return true;
}

void declare_result(Expander *ex, const Scope *scope, Entity *entity)
{
    entity->n_elements = 1;
    entity->is_broken = !make_elements(ex, scope, entity);
    entity->is_declared = true;
}

static bool read_sizes(Expander *ex, Scope *scope, Entity *entity, AstExpr **sizes, uint32_t n_sizes)
{
    entity->n_elements = 1;
    if (n_sizes == 0) return true;
    entity->n_sizes = n_sizes;
    entity->sizes = ARENA_ARRAY(&ex->work, uint32_t, n_sizes);
    for (uint32_t i = 0; i < n_sizes; i++) {
        const Reading r = { .ex = ex, .scope = scope };
        double size;
        if (!lower_number(&r, sizes[i], &size)) return false;
        const double most = elements_max / (double)entity->n_elements;
        if (!(size >= 1 && size <= most) || size != (double)(uint32_t)size) {
            EXPAND_FAIL(ex, DIAG_SIZE_BAD, sizes[i]->place, entity->symbol->name,
                        arena_printf(&ex->work, "%.15g", size), (long long)most);
            return false;
        }
        entity->sizes[i] = (uint32_t)size;
        entity->n_elements *= (uint32_t)size;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- overrides

static const AstPart *override_part(const Override *o) { return &o->setting->target.parts[o->depth]; }
static bool override_ends(const Override *o) { return o->setting->target.n_parts == o->depth + 1; }
static bool override_is_specific(const Override *o) { return override_part(o)->n_indices > 0; }

static bool can_be_set(const Symbol *symbol)
{
    return symbol->kind == SYMBOL_VARIABLE && symbol->decl && symbol->declared != AST_OUTPUT;
}

static bool is_component(const Symbol *symbol) { return symbol->kind == SYMBOL_COMPONENT; }

static void report_not_set(Expander *ex, const Scope *scope, const Override *o, const Entity *entity)
{
    const AstRef *target = &o->setting->target;
    const char *name = override_part(o)->name;
    const Symbol *symbol = entity ? entity->symbol : NULL;
    const char *primes = override_ends(o) && target->primes ? "'" : "";
    EXPAND_FAIL(ex, DIAG_PARAM_UNKNOWN, o->setting->place, scope->shape->model->name,
                arena_printf(&ex->work, "%s%s", name, primes));
    if (symbol && symbol->kind == SYMBOL_CONST) {
        diag_hint(ex->diag, "'%s' is a constant: declare it as param there", name);
    } else if (symbol && symbol->kind == SYMBOL_VARIABLE && !can_be_set(symbol)) {
        diag_hint(ex->diag, "'%s' is computed by an equation there", name);
    } else if (!symbol) {
        const Symbol *closest = shape_closest(ex, scope->shape, name,
                                              override_ends(o) ? can_be_set : is_component);
        if (closest) diag_suggest(ex->diag, name, closest->name);
    }
}

// Put an override where it belongs in the instance, or report that it belongs nowhere. Lists are built
// backwards.
static void give(Expander *ex, Scope *scope, Override *o)
{
    Entity *entity = scope_find(scope, override_part(o)->name);
    if (!entity || entity->symbol->kind == SYMBOL_RESULT) {
        report_not_set(ex, scope, o, NULL);
        return;
    }
    if (!override_ends(o) && entity->symbol->kind != SYMBOL_COMPONENT) {
        EXPAND_FAIL(ex, DIAG_NOT_A_COMPONENT, o->setting->place, entity->symbol->name, lower_kind(entity));
        return;
    }
    if (override_ends(o) && entity->symbol->kind == SYMBOL_COMPONENT) {
        EXPAND_FAIL(ex, DIAG_NOT_A_VALUE, o->setting->place, entity->symbol->name, lower_kind(entity));
        diag_hint(ex->diag, "name one of its parameters: '%s.…'", entity->symbol->name);
        return;
    }
    if (override_ends(o) &&
        (!can_be_set(entity->symbol) || (o->setting->target.primes && !symbol_is_unknown(entity->symbol)))) {
        report_not_set(ex, scope, o, entity);
        return;
    }
    o->next = entity->overrides;
    entity->overrides = o;
}

// The overrides for an instance, outermost first: [n] of each level those for single elements come first.
static void give_all(Expander *ex, Scope *scope, Override *all, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && all[end].scope == all[i].scope; end++)
            if (override_is_specific(&all[end])) give(ex, scope, &all[end]);
        for (size_t k = i; k < end; k++)
            if (!override_is_specific(&all[k])) give(ex, scope, &all[k]);
    }
}

static Override *reversed(Override *list)
{
    Override *result = NULL;
    while (list) {
        Override *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

static bool select_by(Expander *ex, const Override *o, const Entity *entity, size_t *element)
{
    const Reading r = { .ex = ex, .scope = o->scope };
    return lower_select(&r, entity, override_part(o), o->setting->place, element);
}

// What a parameter, input or variable is given: by its model, or by parents, for all its elements or for
// some.
static void take_values(Expander *ex, Scope *scope, Entity *entity)
{
    entity->value = (Value){ entity->symbol->decl->value, scope, NULL, EXPR_NONE, VALUE_NEW };
    if (!entity->overrides) return;
    Override *rest = NULL;
    const Override *whole = NULL;
    for (Override *o = reversed(entity->overrides), *next; o; o = next) {
        next = o->next;
        if (o->setting->target.primes) {    // the start of a derivative: needed later
            o->next = rest;
            rest = o;
        } else if (!whole && override_is_specific(o)) {
            size_t element;
            if (!select_by(ex, o, entity, &element)) continue;
            if (!entity->values) entity->values = ARENA_ARRAY(&ex->work, Value, entity->n_elements);
            Value *value = &entity->values[element];
            if (!value->expr) *value = (Value){ o->setting->value, o->scope, scope, EXPR_NONE, VALUE_NEW };
        } else if (!whole) {
            whole = o;
        }
    }
    if (whole) entity->value = (Value){ whole->setting->value, whole->scope, scope, EXPR_NONE, VALUE_NEW };
    for (uint32_t i = 0; entity->values && i < entity->n_elements; i++)
        if (!entity->values[i].expr) entity->values[i] = entity->value;
    entity->overrides = reversed(rest);
}

void declare_structural(Expander *ex, const Scope *scope, Entity *entity)
{
    if (entity->is_structural) return;
    entity->is_structural = true;
    if (text_map_count(&ex->given) == 0) return;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const ArenaMark mark = arena_mark(&ex->scratch);
        const uint32_t *found = text_map_find(&ex->given, declare_element_name(ex, scope, entity, i));
        arena_release(&ex->scratch, mark);
        if (!found) continue;
        if (entity->n_sizes && !entity->values) {
            entity->values = ARENA_ARRAY(&ex->work, Value, entity->n_elements);
            for (uint32_t k = 0; k < entity->n_elements; k++) entity->values[k] = entity->value;
        }
        AstExpr *number = ARENA_NEW(&ex->work, AstExpr);
        *number = (AstExpr){ .kind = AST_NUMBER, .place = entity->symbol->place,
                             .number = { .value = ex->flat->given[*found].value } };
        *entity_value(entity, i) = (Value){ number, NULL, NULL, EXPR_NONE, VALUE_NEW };
    }
}

// ---------------------------------------------------------------------------------------------- instances

Entity *scope_find(const Scope *scope, const char *name)
{
    const uint32_t *found = map_find(&scope->shape->by_pointer, (uintptr_t)name);
    if (!found) found = text_map_find(&scope->shape->by_name, text_from(name));
    return found ? &scope->entities[*found] : NULL;
}

static void take_member_values(Expander *ex, Scope *scope, Entity *entity);

static void declare_value(Expander *ex, Scope *scope, Entity *entity)
{
    const AstDecl *decl = entity->symbol->decl;
    entity->n_elements = 1;
    entity->is_broken = decl && !read_sizes(ex, scope, entity, decl->sizes, decl->n_sizes);
    if (entity->symbol->kind == SYMBOL_PORT) {
        if (!entity->is_broken) port_declare(ex, scope, entity);
        entity->is_declared = true;
        return;
    }
    if (decl && !entity->is_broken && entity->is_by_member) take_member_values(ex, scope, entity);
    else if (decl && !entity->is_broken) take_values(ex, scope, entity);
    if (entity->symbol->kind == SYMBOL_VARIABLE && !entity->is_broken)
        entity->is_broken = !make_elements(ex, scope, entity);
    entity->is_declared = true;
}

static Scope *make_scope(Expander *ex, Scope *parent, const AstModel *model, Text path)
{
    Scope *scope = ARENA_NEW(&ex->work, Scope);
    scope->parent = parent;
    scope->shape = shape_of(ex, model);
    scope->path = path;
    scope->depth = parent ? parent->depth + 1 : 0;
    scope->terminal = scope->part = FLAT_NONE;
    scope->entities = ARENA_ARRAY(&ex->work, Entity, scope->shape->symbols.n);
    for (size_t i = 0; i < scope->shape->symbols.n; i++) {
        scope->entities[i].symbol = &scope->shape->symbols.items[i];
        scope->entities[i].value.known = EXPR_NONE;
        scope->entities[i].array = FLAT_NONE;
    }
    ex->n_instances++;
    return scope;
}

// Is `model` being expanded already, around this scope? Then it contains itself.
static bool contains_itself(Expander *ex, const Scope *scope, const AstModel *model, Place place)
{
    for (const Scope *s = scope; s; s = s->parent) {
        if (s->shape->model != model) continue;
        StrBuf chain = { .arena = &ex->work };
        VEC(const char *) names = { 0 };
        for (const Scope *c = scope; c != s->parent; c = c->parent)
            vec_push(&ex->work, &names, c->shape->model->name);
        while (names.n) str_addf(&chain, "%s → ", vec_pop(&names));
        str_add(&chain, model->name);
        EXPAND_FAIL(ex, DIAG_COMPONENT_CYCLE, place, model->name, str_finish(&chain));
        diag_hint(ex->diag, "a component cannot contain its own model, at any depth");
        return true;
    }
    return false;
}

static const AstModel *component_model(Expander *ex, const AstItem *item)
{
    const Ast *ast = ex->ast;
    const Text name = text_from(item->component.model);
    const uint32_t *model = text_map_find(&ex->models, name), *type = text_map_find(&ex->types, name);
    if (model && item->component.island) return &ast->stubs.items[item->component.island->stub];
    if (model) return &ast->models.items[*model];
    if (type) return &ast->terminals.items[*type];
    const char **names = ARENA_ARRAY(&ex->work, const char *, ast->models.n + ast->terminals.n);
    size_t n = 0;
    for (size_t i = 0; i < ast->models.n; i++) names[n++] = ast->models.items[i].name;
    for (size_t i = 0; i < ast->terminals.n; i++) names[n++] = ast->terminals.items[i].name;
    EXPAND_FAIL(ex, DIAG_MODEL_UNKNOWN, item->component.model_place, item->component.model);
    diag_suggest(ex->diag, item->component.model, text_closest(item->component.model, names, n));
    return NULL;
}

static bool may_be_declared(Expander *ex, Scope *scope, const Entity *entity, const AstModel *model)
{
    const AstItem *item = entity->symbol->component;
    if (contains_itself(ex, scope, model, item->component.model_place)) return false;
    if (scope->depth == DEPTH_MAX) {
        EXPAND_FAIL(ex, DIAG_NESTED_TOO_DEEP, item->place, (int)DEPTH_MAX);
        return false;
    }
    if (ex->n_instances + entity->n_elements > instances_max) {
        EXPAND_FAIL(ex, DIAG_MODEL_TOO_LARGE, item->place, ex->n_instances + entity->n_elements, "components",
                    instances_max);
        ex->n_errors += ERRORS_MAX;
        return false;
    }
    return true;
}

static Given sort_given(Expander *ex, const Entity *entity)
{
    Given given = { 0 };
    Override *list = entity->overrides, *general = NULL;    // backwards, so the lists come out in order
    for (Override *next; list; list = next) {
        next = list->next;
        size_t element = 0;
        const bool is_specific = override_is_specific(list);
        if (is_specific && !select_by(ex, list, entity, &element)) continue;
        if (is_specific && !given.specific)
            given.specific = ARENA_ARRAY(&ex->work, const Override *, entity->n_elements);
        list->next = is_specific ? (Override *)given.specific[element] : general;
        if (is_specific) given.specific[element] = list;
        else general = list;
    }
    given.general = general;
    return given;
}

// Hand down to one component what its parents say about it, and what is written with it.
static void hand_down(Expander *ex, Scope *parent, Scope *child, const Given *given, uint32_t element,
                      const AstItem *item)
{
    const Override *general = given->general, *specific = given->specific ? given->specific[element] : NULL;
    size_t n = item->component.n_overrides;
    for (const Override *o = general; o; o = o->next) n++;
    for (const Override *o = specific; o; o = o->next) n++;
    if (n == 0) return;
    Override *all = ARENA_ARRAY(&ex->work, Override, n);
    n = 0;
    while (general || specific) {
        const bool general_first = !specific || (general && general->scope->depth < specific->scope->depth);
        const Override *o = general_first ? general : specific;
        if (general_first) general = o->next;
        else specific = o->next;
        all[n++] = (Override){ NULL, o->setting, o->scope, o->depth + 1 };
    }
    for (uint32_t i = 0; i < item->component.n_overrides; i++)
        all[n++] = (Override){ NULL, &item->component.overrides[i], parent, 0 };
    give_all(ex, child, all, n);
}

// ---- Parameters of components that share one instance

// Is there an element of this array among the names that are set from outside: "shop.cell[2,3].lit"?
static void note_given(Expander *ex, const Scope *scope, const Entity *entity, const AstAtomic *atomic,
                       bool *differs)
{
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char *start = arena_printf(&ex->scratch, "%.*s%s[", (int)scope->path.n, scope->path.p,
                                     entity->symbol->name);
    for (size_t i = 0; i < ex->flat->n_given; i++) {
        const char *name = ex->flat->given[i].name, *dot = strrchr(name, '.');
        if (strncmp(name, start, strlen(start)) != 0 || !dot) continue;
        for (uint32_t k = 0; k < atomic->n_params; k++)
            if (strcmp(atomic->params[k].name, dot + 1) == 0) differs[k] = true;
    }
    arena_release(&ex->scratch, mark);
}

// Values by place: `initial cell[i, j].alive = …`, in a model around them.
static void note_initials(const AstItem *items, uint32_t n, const char *array, const AstAtomic *atomic,
                          bool *differs)
{
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind == AST_FOR)
            note_initials(items[i].loop.items, items[i].loop.n_items, array, atomic, differs);
        if (items[i].kind != AST_INITIAL || items[i].equation.lhs->kind != AST_REF) continue;
        const AstRef *ref = &items[i].equation.lhs->ref;
        if (ref->n_parts < 2 || strcmp(ref->parts[ref->n_parts - 2].name, array) != 0) continue;
        for (uint32_t k = 0; k < atomic->n_params; k++)
            if (strcmp(atomic->params[k].name, ref->parts[ref->n_parts - 1].name) == 0) differs[k] = true;
    }
}

static bool is_plain_number(const AstExpr *e)
{
    if (e && e->kind == AST_UNARY) e = e->operands.a;
    return !e || e->kind == AST_NUMBER;
}

// Which parameters differ among the components of a large array; NULL if they must be told apart altogether,
// since a parameter is an array, or computed from others.
static bool *find_differing(Expander *ex, const Scope *scope, const Entity *entity, const AstAtomic *atomic,
                            const Given *given)
{
    bool *differs = ARENA_ARRAY(&ex->work, bool, atomic->n_params + 1);
    bool any = false;
    note_given(ex, scope, entity, atomic, differs);
    for (const Scope *s = scope; s; s = s->parent)
        note_initials(s->shape->model->items, s->shape->model->n_items, entity->symbol->name, atomic,
                      differs);
    for (uint32_t i = 0; given->specific && i < entity->n_elements; i++)
        for (const Override *o = given->specific[i]; o; o = o->next) {
            const AstRef *target = &o->setting->target;
            if (target->n_parts != o->depth + 2) return NULL;
            for (uint32_t k = 0; k < atomic->n_params; k++)
                if (strcmp(atomic->params[k].name, target->parts[o->depth + 1].name) == 0) differs[k] = true;
        }
    for (uint32_t k = 0; k < atomic->n_params; k++) any |= differs[k];
    for (uint32_t k = 0; any && k < atomic->n_params; k++)
        if (atomic->params[k].n_sizes > 0 || !is_plain_number(atomic->params[k].value)) return NULL;
    return differs;
}

// One value for each component: its own, or that of all.
static void take_member_values(Expander *ex, Scope *scope, Entity *entity)
{
    const Entity *whole = scope->sharing;
    const Given *given = scope->shared_given;
    const Override *general = entity->overrides;    // the outermost is the last of the list
    while (general && general->next) general = general->next;
    entity->n_sizes = whole->n_sizes;
    entity->sizes = whole->sizes;
    entity->n_elements = whole->n_elements;
    take_values(ex, scope, entity);
    entity->values = ARENA_ARRAY(&ex->work, Value, entity->n_elements);
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        entity->values[i] = entity->value;
        for (const Override *o = given->specific ? given->specific[i] : NULL; o; o = o->next) {
            if (strcmp(o->setting->target.parts[o->depth + 1].name, entity->symbol->name) != 0) continue;
            if (!general || general->scope->depth >= o->scope->depth)
                entity->values[i] = (Value){ o->setting->value, o->scope, scope, EXPR_NONE, VALUE_NEW };
            break;
        }
    }
}

// Where the parameters of components that share are.
static void note_params(Expander *ex, const Scope *child)
{
    FlatPart *part = &ex->flat->parts.items[child->part];
    uint32_t n = 0,
             *params = ARENA_ARRAY(ex->flat->arena, uint32_t, ex->flat->vars.n - part->first_param + 1);
    bool *differ = ARENA_ARRAY(ex->flat->arena, bool, ex->flat->vars.n - part->first_param + 1);
    for (size_t i = 0; i < child->shape->symbols.n; i++) {
        const Entity *entity = &child->entities[i];
        if (entity->symbol->kind != SYMBOL_VARIABLE || entity->symbol->declared != AST_PARAM ||
            entity->is_broken)
            continue;
        const uint32_t elements = entity->is_by_member ? 1 : entity->n_elements;
        for (uint32_t k = 0; k < elements; k++) {
            differ[n] = entity->is_by_member;
            params[n++] = entity->first + k;
        }
    }
    part->n_params = n;
    if (!part->is_shared) return;
    part->params = params;
    part->params_differ = differ;
}

static void declare_scope(Expander *ex, Scope *scope);

static void add_part(Expander *ex, const Scope *scope, const Entity *entity, const AstAtomic *atomic)
{
    Flat *flat = ex->flat;
    FlatPart part = { .name = arena_printf(flat->arena, "%.*s%s", (int)scope->path.n, scope->path.p,
                                           entity->symbol->name),
                      .type = arena_printf(flat->arena, "%s", atomic->name),
                      .kind = (uint32_t)(atomic - ex->ast->atomics.items),
                      .n = entity->n_elements,
                      .n_sizes = entity->n_sizes,
                      .is_shared = entity->is_shared,
                      .first_param = (uint32_t)flat->vars.n,
                      .first_port = (uint32_t)flat->ports.n,
                      .n_ports = atomic->n_ports,
                      .place = entity->symbol->place };
    uint32_t *sizes = ARENA_ARRAY(flat->arena, uint32_t, entity->n_sizes);
    for (uint32_t i = 0; i < entity->n_sizes; i++) sizes[i] = entity->sizes[i];
    part.sizes = sizes;
    vec_push(flat->arena, &flat->parts, part);
}

static void declare_component(Expander *ex, Scope *scope, Entity *entity)
{
    const AstItem *item = entity->symbol->component;
    entity->is_declared = entity->is_broken = true;
    if (!read_sizes(ex, scope, entity, item->component.sizes, item->component.n_sizes)) return;
    const AstModel *model = component_model(ex, item);
    if (!model || !may_be_declared(ex, scope, entity, model)) return;
    entity->is_broken = false;
    entity->components = ARENA_ARRAY(&ex->work, Scope *, entity->n_elements);
    const Given given = sort_given(ex, entity);
    const bool is_large = model->atomic && entity->n_elements >= FLAT_SHARE_FROM;
    const bool *differs = is_large ? find_differing(ex, scope, entity, model->atomic, &given) : NULL;
    entity->is_shared = differs != NULL;
    if (model->atomic) add_part(ex, scope, entity, model->atomic);
    const uint32_t n = entity->is_shared ? 1 : entity->n_elements;
    for (uint32_t i = 0; i < n && !expand_gives_up(ex); i++) {
        const ArenaMark mark = arena_mark(&ex->scratch);
        Entity named = *entity;
        if (entity->is_shared) named.n_sizes = 0;
        const Text name = declare_element_name(ex, scope, &named, i);
        char *path = arena_alloc(&ex->work, name.n + 1, 1);
        memcpy(path, name.p, name.n);
        path[name.n] = '.';
        arena_release(&ex->scratch, mark);
        Scope *child = make_scope(ex, scope, model, (Text){ path, name.n + 1 });
        child->place = entity->symbol->place;
        if (model->atomic) child->part = (uint32_t)ex->flat->parts.n - 1;
        child->member = i;
        if (entity->symbol->is_terminal) {
            child->terminal = (uint32_t)ex->terminals.n;
            vec_push(&ex->work, &ex->terminals, child);
        }
        child->site = units_component(ex->flat->units, scope->site, entity->symbol->name);
        if (item->component.island && !item->component.island->is_within) {
            const FlatIsland island = { .name = text_copy(ex->flat->arena, (Text){ path, name.n }),
                                        .item = item };
            vec_push(ex->flat->arena, &ex->flat->islands, island);
            child->island_plus_1 = (uint32_t)ex->flat->islands.n;
        }
        const Given general = { given.general, NULL };    // single ones are asked for by parameter
        hand_down(ex, scope, child, entity->is_shared ? &general : &given, i, item);
        if (entity->is_shared) {
            child->sharing = entity;
            child->shared_given = &given;
            for (uint32_t k = 0; k < model->atomic->n_params; k++) {
                Entity *param = differs[k] ? scope_find(child, model->atomic->params[k].name) : NULL;
                if (param && param->symbol->kind == SYMBOL_VARIABLE) param->is_by_member = true;
            }
        }
        declare_scope(ex, child);
        entity->components[i] = child;
        if (model->atomic && i == 0) note_params(ex, child);
    }
}

static void declare_scope(Expander *ex, Scope *scope)
{
    const size_t n = expand_gives_up(ex) ? 0 : scope->shape->symbols.n;
    for (size_t i = 0; i < n; i++) {
        Entity *entity = &scope->entities[i];
        const Symbol *symbol = entity->symbol;
        if (symbol->kind == SYMBOL_CONST ||
            (symbol->kind == SYMBOL_VARIABLE && symbol->declared == AST_PARAM))
            declare_value(ex, scope, entity);
    }
    for (size_t i = 0; i < n && !expand_gives_up(ex); i++) {
        Entity *entity = &scope->entities[i];
        if (entity->is_declared || entity->symbol->kind == SYMBOL_RESULT) continue;
        if (entity->symbol->kind == SYMBOL_COMPONENT) declare_component(ex, scope, entity);
        else declare_value(ex, scope, entity);
    }
}

Scope *declare_root(Expander *ex, const AstModel *model)
{
    Scope *root = make_scope(ex, NULL, model, (Text){ "", 0 });
    root->site = UNITS_ROOT;
    text_map_init(&ex->given, &ex->work);
    for (size_t i = 0; i < ex->flat->n_given; i++) {
        const Text name = text_from(ex->flat->given[i].name);
        if (!text_map_put(&ex->given, name, (uint32_t)i)) *text_map_find(&ex->given, name) = (uint32_t)i;
    }
    const uint32_t n = ex->flat->n_settings;
    Override *all = ARENA_ARRAY(&ex->work, Override, n);
    for (uint32_t i = 0; i < n; i++) all[i] = (Override){ NULL, &ex->flat->settings[i], root, 0 };
    give_all(ex, root, all, n);
    declare_scope(ex, root);
    return root;
}
