// src/flat/lower.c: from expressions as written to expressions over the variables of the flat model.
//
// Names are resolved, user functions inlined and relations in equations replaced by modes. Long chains such
// as a + b + c + … lean to the left and are followed in a loop; all other nesting is counted, with functions
// and constants expanded, and refused beyond LOWER_DEPTH_MAX.
#include "flat/scope.h"
#include <math.h>
#include <string.h>

static const char structural_hint[] =
    "sizes, bounds and indices are made of numbers, constants and parameters";

Expr lower_poison(const Reading *r) { return expr_const(&r->ex->flat->pool, 0); }

Expr lower_read(Expander *ex, uint32_t variable)
{
    if (variable >= ex->nodes.n) {
        vec_reserve(&ex->work, &ex->nodes, ex->flat->vars.n);
        memset(ex->nodes.items + ex->nodes.n, 0, (ex->flat->vars.n - ex->nodes.n) * sizeof *ex->nodes.items);
        ex->nodes.n = ex->flat->vars.n;
    }
    Expr *known = &ex->nodes.items[variable];
    if (*known == 0) *known = expr_var(&ex->flat->pool, variable) + 1;
    return *known - 1;
}

// ---------------------------------------------------------------------------------------------- names

static bool same_name(const char *a, const char *b) { return a == b || strcmp(a, b) == 0; }

const Local *lower_find_local(const Local *locals, const char *name)
{
    for (; locals; locals = locals->outer)
        if (same_name(locals->name, name)) return locals;
    return NULL;
}

// Names with a meaning of their own. `t` cannot be declared; constants can be hidden.
static bool builtin_value(ExprPool *pool, const char *name, Expr *value)
{
    double number;
    bool is_truth;
    if (strcmp(name, "t") == 0) *value = expr_time(pool);
    else if (front_constant(name, &number, &is_truth))
        *value = is_truth ? expr_truth(pool, number != 0) : expr_const(pool, number);
    else return false;
    return true;
}

const char *lower_kind(const Entity *entity)
{
    const Symbol *symbol = entity->symbol;
    switch (symbol->kind) {
    case SYMBOL_COMPONENT: return symbol->is_terminal ? "terminal" : "component";
    case SYMBOL_CONST: return "constant";
    case SYMBOL_RESULT: return "result of the terminal region";
    case SYMBOL_PORT: return "port of events";
    case SYMBOL_VARIABLE: break;
    }
    return symbol->declared == AST_PARAM   ? "parameter"
           : symbol->declared == AST_INPUT ? "model input"
           : symbol->declared == AST_DISCRETE ? "discrete variable"
                                              : "variable";
}

// What there is, if that is not much.
static void hint_declared(Expander *ex, const Shape *shape)
{
    enum { SHOWN = 6 };
    StrBuf names = { 0 };
    for (size_t i = 0; i < shape->symbols.n && i < SHOWN; i++)
        str_addf(&names, "%s'%s'", i ? ", " : "", shape->symbols.items[i].name);
    if (shape->symbols.n > SHOWN) str_addf(&names, " and %zu more", shape->symbols.n - SHOWN);
    if (names.p) diag_hint(ex->diag, "'%s' has %s", shape->model->name, names.p);
    str_free(&names);
}

static bool atomic_has(const AstAtomic *atomic, const char *name)
{
    for (uint32_t i = 0; i < atomic->n_cells; i++)
        if (strcmp(atomic->cells[i].name, name) == 0) return true;
    return strcmp(name, "state") == 0;
}

static void report_unknown(const Reading *r, const Scope *scope, const char *name, Place place)
{
    Expander *ex = r->ex;
    const bool in_function = !scope;
    // one message for each name and model, however often it is used
    const uint64_t key = hash_join((uint64_t)(uintptr_t)(scope ? scope->shape : NULL),
                                   hash_bytes(name, strlen(name)));
    if (scope && map_find(&ex->told, key)) {
        ex->n_errors++;
        return;
    }
    if (scope) map_put(&ex->told, key, 0);
    const char *where = in_function && ex->n_calls ? ex->calls[ex->n_calls - 1]->name : NULL;
    EXPAND_FAIL(ex, DIAG_NAME_UNKNOWN, place, name,
                scope   ? scope->shape->model->name
                : where ? where
                        : "this function");

    if (scope && scope->shape->model->atomic && atomic_has(scope->shape->model->atomic, name)) {
        diag_hint(ex->diag,
                  "experiments read variables of an atomic; for equations, "
                  "send what they need and "
                  "lead an arrow to an input");
        return;
    }
    // what is declared there, then the locals
    const Symbol *closest = scope ? shape_closest(ex, scope->shape, name, NULL) : NULL;
    if (closest && name[0] == 'd' && strcmp(closest->name, name + 1) == 0) {    // dx, of which dx/dt is made
        diag_hint(ex->diag, "the derivative of %s is written %s'", closest->name, closest->name);
        diag_edit(ex->diag, name, arena_printf(&ex->work, "%s'", closest->name));
        return;
    }
    if (closest) {
        diag_hint(ex->diag, "did you mean '%s' (line %zu)?", closest->name,
                  diag_line(ex->diag, closest->place));
        diag_edit(ex->diag, name, closest->name);
        return;
    }
    const char *local = NULL;
    for (const Local *l = r->locals; l && !local && scope == r->scope; l = l->outer)
        if (text_is_close(text_from(name), text_from(l->name))) local = l->name;
    if (local) diag_suggest(ex->diag, name, local);
    else if (text_map_find(&ex->library, text_from(name)))
        diag_hint(ex->diag, "'%s' is a function: write %s(…)", name, name);
    else if (in_function) diag_hint(ex->diag, "a function reads its arguments and local values only");
    else if (scope == r->scope && r->in_event)
        diag_hint(ex->diag, "what events assign is declared so: discrete %s = 0; else by var, param or input",
                  name);
    else if (scope == r->scope)
        diag_hint(ex->diag, "declare it with var, param or input, or write an equation '%s = …'", name);
    else hint_declared(ex, scope->shape);
}

// Is the entity there to be used? Else something has been reported.
static bool is_usable(const Reading *r, const Scope *scope, const Entity *entity, const char *name,
                      Place place)
{
    if (!entity || (!entity->is_declared && entity->symbol->kind == SYMBOL_RESULT)) {
        report_unknown(r, scope, name, place);
        return false;
    }
    if (!entity->is_declared) {    // sizes are read while names are being declared
        EXPAND_FAIL(r->ex, DIAG_CONST_NEEDED, place, name);
        if (entity->symbol->kind == SYMBOL_COMPONENT) diag_hint(r->ex->diag, "declare '%s' further up", name);
        else diag_hint(r->ex->diag, "%s", structural_hint);
        return false;
    }
    if (entity->is_broken) r->ex->n_errors++;    // said before
    return !entity->is_broken;
}

// "with i = 3": the turn of the loops in which an index came out wrong.
static void note_locals(const Reading *r, const AstExpr *index)
{
    if (index->kind == AST_NUMBER) return;
    StrBuf text = { 0 };
    double x;
    for (const Local *l = r->locals; l; l = l->outer) {
        if (l->value == EXPR_NONE) x = l->number;
        else if (!expr_is_const(&r->ex->flat->pool, l->value, &x)) continue;
        str_addf(&text, "%s%s = %.10g", text.p ? ", " : "", l->name, x);
    }
    if (text.p) diag_note(r->ex->diag, (Place){ 0 }, "with %s", text.p);
    str_free(&text);
}

// Which element the indices of a part select: row-major, from 0. False after an error.
bool lower_select(const Reading *r, const Entity *entity, const AstPart *part, Place place, size_t *element)
{
    Expander *ex = r->ex;
    *element = 0;
    if (part->n_indices != entity->n_sizes) {
        EXPAND_FAIL(ex, DIAG_INDEX_COUNT, place, part->name, entity->n_sizes, part->n_indices);
        if (entity->n_sizes == 0)
            diag_hint(ex->diag, "'%s' is not an array: leave the brackets out", part->name);
        else if (entity->n_sizes == 1)
            diag_hint(ex->diag, "write '%s[i]', perhaps inside 'for i in 1..%u'", part->name,
                      entity->sizes[0]);
        return false;
    }
    for (uint32_t i = 0; i < part->n_indices; i++) {
        long long index;
        if (!lower_whole(r, part->indices[i], &index)) return false;
        if (index < 1 || index > (long long)entity->sizes[i]) {
            EXPAND_FAIL(ex, DIAG_INDEX_RANGE, part->indices[i]->place, index, part->name,
                        (long long)entity->sizes[i]);
            note_locals(r, part->indices[i]);
            return false;
        }
        *element = *element * entity->sizes[i] + (size_t)(index - 1);
    }
    return true;
}

// The instance that the first parts of a path lead to; NULL after an error. A path may end in a field of a
// message: then the port is found.
static Scope *find_scope(const Reading *r, const AstRef *ref, uint32_t n_parts, Place place, Target *target)
{
    Scope *scope = r->scope;
    for (uint32_t i = 0; i < n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        const Entity *entity = scope ? scope_find(scope, part->name) : NULL;
        if (!is_usable(r, scope, entity, part->name, place)) return NULL;
        if (entity->symbol->kind == SYMBOL_PORT && i + 1 == n_parts) {
            target->entity = (Entity *)entity;
            if (!lower_select(r, entity, part, place, &target->element)) return NULL;
            target->field = port_field(r, entity, ref->parts[n_parts].name, place);
            return target->field == FLAT_NONE ? NULL : scope;
        }
        if (entity->symbol->kind != SYMBOL_COMPONENT) {
            EXPAND_FAIL(r->ex, DIAG_NOT_A_COMPONENT, place, part->name, lower_kind(entity));
            return NULL;
        }
        size_t element;
        if (!lower_select(r, entity, part, place, &element)) return NULL;
        if (entity->is_shared) target->member = (uint32_t)element;
        scope = entity->components[entity->is_shared ? 0 : element];
        if (!scope) {    // could not be made, or is being made
            EXPAND_FAIL(r->ex, DIAG_CONST_NEEDED, place, part->name);
            return NULL;
        }
    }
    return scope;
}

// The last part of a path, in the instance that the others led to.
static bool lower_in_scope(const Reading *r, const AstRef *ref, Place place, Target *target)
{
    const AstPart *part = &ref->parts[ref->n_parts - 1];
    if (target->field != FLAT_NONE) return true;
    if (!is_usable(r, target->scope, target->entity, part->name, place)) return false;
    if (target->entity->is_by_member && part->n_indices == 0) {
        target->element = target->member;
        return true;
    }
    return lower_select(r, target->entity, part, place, &target->element);
}

static bool find_target(const Reading *r, const AstRef *ref, Place place, Target *target)
{
    target->member = 0;
    target->field = FLAT_NONE;
    target->scope = find_scope(r, ref, ref->n_parts - 1, place, target);
    if (!target->scope && ref->n_parts > 1) return false;
    if (target->field != FLAT_NONE) return true;
    target->entity = target->scope ? scope_find(target->scope, ref->parts[ref->n_parts - 1].name) : NULL;
    return true;
}

static bool is_array(const Target *target)
{
    const Entity *entity = target->entity;
    return entity && entity->is_declared && !entity->is_broken && entity->array != FLAT_NONE;
}

bool lower_is_array(const Reading *r, const AstRef *ref, Place place, Entity **entity)
{
    Target target;
    if (r->ex->flat->arrays.n == 0 || !find_target(r, ref, place, &target)) return false;
    *entity = target.entity;
    return is_array(&target);
}

bool lower_target(const Reading *r, const AstRef *ref, Place place, Target *target)
{
    return find_target(r, ref, place, target) && lower_in_scope(r, ref, place, target);
}

// The variable of a target, differentiated. FLAT_NONE after an error.
static uint32_t target_variable(const Reading *r, const Target *target, uint32_t primes, Place place)
{
    Expander *ex = r->ex;
    const Symbol *symbol = target->entity->symbol;
    if (target->entity->array != FLAT_NONE) {    // to be named as a variable it must be one
        array_spoil(ex, target->entity->array);
        if (ex->nest) ex->nest->failed = true;
        return FLAT_NONE;
    }
    if (symbol->kind == SYMBOL_COMPONENT || symbol->kind == SYMBOL_CONST) {
        EXPAND_FAIL(ex, DIAG_NOT_A_VALUE, place, symbol->name, lower_kind(target->entity));
        if (symbol->kind == SYMBOL_COMPONENT)
            diag_hint(ex->diag, "name one of its variables: '%s.…'", symbol->name);
        return FLAT_NONE;
    }
    const bool is_heard = port_is_message(r, target);
    const bool is_silent = target->entity->first == FLAT_NONE && !is_heard;
    const bool is_whole = target->field == FLAT_NONE &&
                          (target->entity->n_fields != 1 || port_record(ex, symbol->decl->type));
    if (symbol->kind == SYMBOL_PORT && (is_silent || is_whole)) {
        EXPAND_FAIL(ex, DIAG_NOT_A_VALUE, place, symbol->name, lower_kind(target->entity));
        diag_hint(ex->diag,
                  target->entity->n_fields == 0 ? "its messages tell nothing but that they come"
                  : is_silent                   ? "messages are read by name where they arrive"
                                                : "name a field of its messages: '%s.…'",
                  symbol->name);
        return FLAT_NONE;
    }
    if (is_heard) {
        const uint32_t port = port_hear(r, target, place);
        if (port == FLAT_NONE) return FLAT_NONE;
        return ex->flat->ports.items[port].first + (target->field == FLAT_NONE ? 0 : target->field);
    }
    if (symbol->kind == SYMBOL_PORT)
        ex->flat->ports.items[target->entity->port + target->element].is_heard = true;
    const uint32_t width = target->field == FLAT_NONE ? 1 : target->entity->n_fields;
    const uint32_t offset = target->field == FLAT_NONE ? 0 : target->field;
    const uint32_t variable = target->entity->first + (uint32_t)target->element * width + offset;
    if (primes == 0) return variable;
    if (ex->flat->vars.items[variable].kind != FLAT_VARIABLE) {
        EXPAND_FAIL(ex, DIAG_DERIVATIVE_BAD, place, symbol->name, lower_kind(target->entity));
        return FLAT_NONE;
    }
    return declare_derivative(ex, variable, primes, place);
}

uint32_t lower_variable(const Reading *r, const AstRef *ref, Place place, Entity **entity)
{
    Target target;
    if (!lower_target(r, ref, place, &target)) return FLAT_NONE;
    *entity = target.entity;
    return target_variable(r, &target, ref->primes, place);
}

// ---------------------------------------------------------------------------------------------- units

static uint32_t site_of(const Reading *r)
{
    if (r->call_plus_1) return r->call_plus_1 - 1;
    return r->scope ? r->scope->site : UNITS_NO_SITE;
}

Expr lower_convert(Expander *ex, Expr e, uint32_t site, const void *node)
{
    ExprPool *pool = &ex->flat->pool;
    const UnitConversion c = units_conversion(ex->flat->units, site, node);
    if (c.scale != 1) e = expr_binary(pool, EXPR_MUL, expr_const(pool, c.scale), e);
    return c.offset == 0 ? e : expr_binary(pool, EXPR_ADD, e, expr_const(pool, c.offset));
}

// Units know what was written, not our copies of it.
static const AstExpr *written(const AstExpr *e) { return e->origin ? e->origin : e; }

Expr lower_value(const Reading *r, const Value *value)
{
    const Expr e = lower_real(r, value->expr);
    return value->given_to ? lower_convert(r->ex, e, value->given_to->site, value->expr) : e;
}

// The value of a constant, or of a parameter where structure depends on it; found on demand and kept.
static Expr known_value(const Reading *r, const Target *target, Place place)
{
    Expander *ex = r->ex;
    Entity *entity = target->entity;
    if (entity->symbol->kind == SYMBOL_VARIABLE) declare_structural(ex, target->scope, entity);
    Value *value = entity_value(entity, target->element);
    const char *name = entity->symbol->name;
    if (value->known != EXPR_NONE) return value->known;
    if (value->state == VALUE_WRONG) {
        ex->n_errors++;
        return lower_poison(r);
    }
    if (value->state == VALUE_BUSY) {
        StrBuf chain = { .arena = &ex->work };
        size_t from = ex->busy.n;
        while (from > 0 && !same_name(ex->busy.items[from - 1], name)) from--;
        for (size_t i = from ? from - 1 : 0; i < ex->busy.n; i++)
            str_addf(&chain, "%s → ", ex->busy.items[i]);
        str_add(&chain, name);
        EXPAND_FAIL(ex, DIAG_PARAM_CYCLE, place, name, str_finish(&chain));
        return lower_poison(r);
    }
    if (!value->expr) {
        EXPAND_FAIL(ex, DIAG_CONST_NEEDED, place, name);
        const bool may_be_set = entity->symbol->kind != SYMBOL_CONST;
        diag_hint(ex->diag, "give '%s' a value where it is declared%s", name,
                  may_be_set ? ", or with --set" : "");
        value->state = VALUE_WRONG;
        return lower_poison(r);
    }
    value->state = VALUE_BUSY;
    vec_push(&ex->work, &ex->busy, name);
    const size_t errors_before = ex->n_errors;
    // a constant is made of numbers and constants: a parameter in it stays visible, and is refused
    const Reading inner = { .ex = ex,
                            .scope = value->scope,
                            .is_structural = entity->symbol->kind != SYMBOL_CONST };
    const Expr known = lower_value(&inner, value);
    ex->busy.n--;
    value->state = ex->n_errors > errors_before ? VALUE_WRONG : VALUE_NEW;
    if (value->state == VALUE_NEW) value->known = known;
    return known;
}

// A local value, or EXPR_NONE.
static Expr lower_local(const Reading *r, const AstRef *ref, Place place)
{
    const AstPart *part = &ref->parts[0];
    const Local *local = lower_find_local(r->locals, part->name);
    if (!local) return EXPR_NONE;
    if (ref->primes) {
        EXPAND_FAIL(r->ex, DIAG_DERIVATIVE_BAD, place, part->name, "local value");
        return lower_poison(r);
    }
    if (part->n_indices) {
        EXPAND_FAIL(r->ex, DIAG_INDEX_COUNT, place, part->name, 0u, part->n_indices);
        return lower_poison(r);
    }
    return local->value == EXPR_NONE ? expr_const(&r->ex->flat->pool, local->number) : local->value;
}

// `initial` in a condition: true at the start only.
static Expr lower_initial(const Reading *r, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr flag = lower_read(r->ex, declare_initial_flag(r->ex, place));
    return expr_binary(pool, EXPR_GT, flag, expr_const(pool, 0.5));
}

// What a `reinit` block is told: `perturbed`, a truth value, and `message`, a number; else EXPR_NONE.
static Expr lower_told(const Reading *r, const AstRef *ref, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const AstPart *part = &ref->parts[0];
    if (!r->in_reinit || part->n_indices || ref->primes) return EXPR_NONE;
    if (strcmp(part->name, "message") == 0)
        return lower_read(r->ex, declare_reinit(r->ex, FLAT_REINIT_VALUE, place));
    if (strcmp(part->name, "perturbed") != 0) return EXPR_NONE;
    const Expr flag = lower_read(r->ex, declare_reinit(r->ex, FLAT_REINIT_PERTURBED, place));
    return expr_binary(pool, EXPR_GT, flag, expr_const(pool, 0.5));
}

// A name of the language, or EXPR_NONE.
static Expr lower_builtin(const Reading *r, const AstRef *ref, Place place)
{
    const AstPart *part = &ref->parts[0];
    Expr value;
    if (r->in_event && r->makes_modes && strcmp(part->name, "initial") == 0 && !part->n_indices &&
        !ref->primes)
        return lower_initial(r, place);
    value = lower_told(r, ref, place);
    if (value != EXPR_NONE) return value;
    if (part->n_indices || !builtin_value(&r->ex->flat->pool, part->name, &value)) return EXPR_NONE;
    if (ref->primes == 0) return value;
    EXPAND_FAIL(r->ex, DIAG_DERIVATIVE_BAD, place, part->name, "value of the language");
    return lower_poison(r);
}

Expr lower_ref(const Reading *r, const AstRef *ref, Place place)
{
    Target target;
    if (ref->n_parts == 1) {
        Expr value = lower_local(r, ref, place);
        if (value != EXPR_NONE) return value;
        target.member = 0;
        target.field = FLAT_NONE;
        target.scope = r->scope;
        target.entity = r->scope ? scope_find(r->scope, ref->parts[0].name) : NULL;
        if (!target.entity) value = lower_builtin(r, ref, place);
        if (value != EXPR_NONE) return value;
    } else if (!find_target(r, ref, place, &target)) {
        return lower_poison(r);
    }
    if (is_array(&target) && !(r->is_structural && target.entity->symbol->declared == AST_PARAM)) {
        ExprAccess access;
        const AstPart *part = &ref->parts[ref->n_parts - 1];
        const bool ok = array_access(r, target.entity, part, ref->primes, place, &access);
        return ok ? expr_elem(&r->ex->flat->pool, &access) : lower_poison(r);
    }
    if (!lower_in_scope(r, ref, place, &target)) return lower_poison(r);
    const Symbol *symbol = target.entity->symbol;
    if (ref->primes == 0 && symbol->kind == SYMBOL_CONST)
        return known_value(r, &target, place);
    if (ref->primes == 0 && r->is_structural && symbol->kind == SYMBOL_VARIABLE &&
        symbol->declared == AST_PARAM)
        return known_value(r, &target, place);
    const uint32_t variable = target_variable(r, &target, ref->primes, place);
    return variable == FLAT_NONE ? lower_poison(r) : lower_read(r->ex, variable);
}

// ---------------------------------------------------------------------------------------------- relations

// A relation as a truth value: in equations the mode that stands for it, unless it cannot change during a
// run.
Expr lower_relation(const Reading *r, ExprOp op, Expr a, Expr b, Place place)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const Expr value = expr_binary(&flat->pool, op, a, b);
    // discrete variables change at events only, where what reads them is computed anew
    if (!r->makes_modes || !(settle_reads(ex, value) & ~(Reads)READS_DISCRETE)) return value;
    if (ex->nest) {    // each turn has a mode of its own
        ex->nest->failed = true;
        return expr_truth(&flat->pool, false);
    }
    const uint32_t *known = map_find(&ex->relation_of, value);
    if (known && !r->in_event) flat->relations.items[*known].in_equation = true;
    if (known) return expr_mode(&flat->pool, *known);
    const uint32_t k = (uint32_t)flat->relations.n;
    map_put(&ex->relation_of, value, k);
    vec_push(flat->arena, &flat->relations,
             (FlatRelation){ value, expr_binary(&flat->pool, EXPR_SUB, a, b), place, !r->in_event });
    return expr_mode(&flat->pool, k);
}

static Expr as_real(const Reading *r, Expr e)
{
    ExprPool *pool = &r->ex->flat->pool;
    return expr_is_bool(pool, e) ? expr_make(pool, EXPR_IF, e, expr_const(pool, 1), expr_const(pool, 0)) : e;
}

// Two truth values compared: no numbers are involved, so there is nothing to locate.
static Expr compare_truths(const Reading *r, AstOp op, Expr a, Expr b)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr both = expr_binary(pool, EXPR_AND, a, b);
    const Expr either = expr_binary(pool, EXPR_OR, a, b);
    const Expr differ = expr_binary(pool, EXPR_AND, either, expr_unary(pool, EXPR_NOT, both));
    return op == AST_NE ? differ : expr_unary(pool, EXPR_NOT, differ);
}

static Expr truth_of(const Reading *r, Expr value, const AstExpr *e)
{
    ExprPool *pool = &r->ex->flat->pool;
    if (expr_is_bool(pool, value)) return value;
    // a variable that holds a truth value holds 0 or 1
    const ExprOp op = expr_op(pool, value);
    if (e->kind == AST_REF && (op == EXPR_VAR || op == EXPR_ELEM || op == EXPR_CONST))
        return lower_relation(r, EXPR_GT, value, expr_const(pool, 0.5), e->place);
    EXPAND_FAIL(r->ex, DIAG_TYPE_MISMATCH, e->place, "a truth value", "a number");
    diag_hint(r->ex->diag, "compare it with something: … > 0");
    return expr_truth(pool, false);
}

// ---------------------------------------------------------------------------------------------- functions

void lower_wrong_arguments(const Reading *r, const AstExpr *call, const char *takes)
{
    EXPAND_FAIL(r->ex, DIAG_FUNCTION_ARGUMENTS, call->place, call->call.function, takes,
                (size_t)call->call.n_args);
}

static bool may_be_called(const Reading *r, const AstExpr *call, const AstFunction *f)
{
    Expander *ex = r->ex;
    if (call->call.n_args != f->n_params) {
        lower_wrong_arguments(
            r, call, arena_printf(&ex->work, "%u argument%s", f->n_params, f->n_params == 1 ? "" : "s"));
        diag_note(ex->diag, f->place, "'%s' is defined here", f->name);
        return false;
    }
    for (uint32_t i = 0; i < ex->n_calls; i++) {
        if (ex->calls[i] != f) continue;
        StrBuf chain = { .arena = &ex->work };
        for (uint32_t k = i; k < ex->n_calls; k++) str_addf(&chain, "%s → ", ex->calls[k]->name);
        str_add(&chain, f->name);
        EXPAND_FAIL(ex, DIAG_FUNCTION_RECURSIVE, call->place, f->name, str_finish(&chain));
        return false;
    }
    if (ex->n_calls == CALLS_MAX) {
        EXPAND_FAIL(ex, DIAG_NESTED_TOO_DEEP, call->place, (int)CALLS_MAX);
        return false;
    }
    return expand_takes_terms(ex, call->place, 1);
}

// A call of the same function with the same arguments, inside other functions: without it, functions that
// call another twice and are called twice would take a time that doubles with each.
static uint64_t call_hash(const Call *call)
{
    uint64_t hash = hash_join((uint64_t)(uintptr_t)call->function, (uint64_t)(uintptr_t)call->scope);
    hash = hash_join(hash, (uint64_t)call->site * 8 + (uint64_t)call->in_event * 4
                               + (uint64_t)call->makes_modes * 2 + call->is_structural);
    return hash_join(hash, hash_bytes(call->args, call->function->n_params * sizeof *call->args));
}

static const Call *find_call(const Expander *ex, const Call *call, uint64_t hash)
{
    const uint32_t *found = map_find(&ex->call_of, hash);
    const Call *past = found && *found < ex->past_calls.n ? &ex->past_calls.items[*found] : NULL;
    if (!past || past->function != call->function || past->scope != call->scope) return NULL;
    if (past->site != call->site || past->makes_modes != call->makes_modes
        || past->is_structural != call->is_structural || past->in_event != call->in_event)
        return NULL;
    if (memcmp(past->args, call->args, call->function->n_params * sizeof *call->args) != 0) return NULL;
    return past;
}

static Expr inline_function(const Reading *r, const AstFunction *f, const Expr *args, Scope *scope,
                            uint32_t site)
{
    Expander *ex = r->ex;
    ex->calls[ex->n_calls++] = f;
    const ArenaMark mark = arena_mark(&ex->scratch);
    Local *locals = ARENA_ARRAY(&ex->scratch, Local, (size_t)f->n_params + f->n_locals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++, n++)
        locals[n] = (Local){ n ? &locals[n - 1] : NULL, f->params[i], args[i], 0 };
    Reading inner = *r;
    inner.scope = scope;
    inner.call_plus_1 = site + 1;
    for (uint32_t i = 0; i < f->n_locals; i++, n++) {
        inner.locals = n ? &locals[n - 1] : NULL;
        const AstItem *item = &f->locals[i];
        const Expr value = lower_any(&inner, item->equation.rhs);
        locals[n] = (Local){ inner.locals, item->equation.lhs->ref.parts[0].name, value, 0 };
    }
    inner.locals = n ? &locals[n - 1] : NULL;
    const Expr result = lower_any(&inner, f->result);
    arena_release(&ex->scratch, mark);
    ex->n_calls--;
    return result;
}

static Expr call_function(const Reading *r, const AstExpr *e, const AstFunction *f, Scope *scope)
{
    Expander *ex = r->ex;
    if (!may_be_called(r, e, f)) return lower_poison(r);
    const ArenaMark mark = arena_mark(&ex->scratch);
    Expr *args = ARENA_ARRAY(&ex->scratch, Expr, f->n_params + 1u);
    for (uint32_t i = 0; i < f->n_params; i++) args[i] = lower_any(r, e->call.args[i]);

    Expr value;
    const uint32_t site = units_call(ex->flat->units, site_of(r), written(e));
    Call call = { f, scope, args, r->makes_modes, r->is_structural, r->in_event, site, EXPR_NONE };
    const uint64_t hash = ex->n_calls ? call_hash(&call) : 0;
    const Call *past = ex->n_calls ? find_call(ex, &call, hash) : NULL;
    if (past) {
        value = past->value;
    } else {
        const uint32_t drawn_before = r->draws ? r->draws->n : 0;
        value = inline_function(r, f, args, scope, site);
        const bool draws = r->draws && r->draws->n > drawn_before;    // anew with each call
        if (ex->n_calls && !draws && map_put(&ex->call_of, hash, (uint32_t)ex->past_calls.n)) {
            Expr *kept = ARENA_ARRAY(&ex->work, Expr, f->n_params + 1u);
            memcpy(kept, args, f->n_params * sizeof *args);
            call.args = kept;
            call.value = value;
            vec_push(&ex->work, &ex->past_calls, call);
        }
    }
    arena_release(&ex->scratch, mark);
    return value;
}

static Expr report_unknown_function(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    const char *name = call->call.function;
    EXPAND_FAIL(ex, DIAG_FUNCTION_UNKNOWN, call->place, name);
    VEC(const char *) names = { 0 };
    library_names(ex, &names.items, &names.n);
    names.capacity = names.n;
    for (size_t i = 0; i < ex->ast->functions.n; i++)
        vec_push(&ex->work, &names, ex->ast->functions.items[i].name);
    for (size_t i = 0; i < ex->ast->tables.n; i++) vec_push(&ex->work, &names, ex->ast->tables.items[i].name);
    vec_reserve(&ex->work, &names, names.n + 64);
    draw_names(ex, names.items, &names.n);
    const char *closest = text_closest(name, names.items, names.n);
    if (r->scope && scope_find(r->scope, name))
        diag_hint(ex->diag, "'%s' is not a function; to multiply, write '%s*(…)'", name, name);
    else if (strcmp(name, "der") == 0 || strcmp(name, "ddt") == 0)
        diag_hint(ex->diag, "the derivative of x is written x'");
    else if (closest) diag_suggest(ex->diag, name, closest);
    else diag_hint(ex->diag, "define it: function %s(x) = …", name);
    return lower_poison(r);
}

static Expr lower_call(const Reading *r, const AstExpr *e)
{
    Expander *ex = r->ex;
    if (!slice_takes_loops(r, e)) return lower_poison(r);
    // the user's own functions come first, so that a new library function never changes a model
    const Text name = text_from(e->call.function);
    const uint32_t *own = r->scope ? text_map_find(&r->scope->shape->functions, name) : NULL;
    if (own) return call_function(r, e, &r->scope->shape->model->items[*own].function, r->scope);
    const uint32_t *of_file = text_map_find(&ex->functions, name);
    if (of_file) return call_function(r, e, &ex->ast->functions.items[*of_file], NULL);
    Expr value = table_call(r, e);
    if (value == EXPR_NONE) value = library_call(r, e);
    if (value == EXPR_NONE) value = draw_call(r, e);
    return value == EXPR_NONE ? report_unknown_function(r, e) : value;
}

// ---------------------------------------------------------------------------------------------- expressions

// What two already read operands of a binary operation give.
static Expr combine(const Reading *r, const AstExpr *e, Expr a, Expr b)
{
    ExprPool *pool = &r->ex->flat->pool;
    const bool is_equality = e->op == AST_EQ || e->op == AST_NE;
    if (is_equality && expr_is_bool(pool, a) && expr_is_bool(pool, b)) return compare_truths(r, e->op, a, b);
    if (front_is_logic(e->op)) return expr_binary(pool, front_op_of[e->op], a, b);
    a = as_real(r, a);
    b = as_real(r, b);
    if (front_is_relation(e->op)) return lower_relation(r, front_op_of[e->op], a, b, e->place);
    if (e->op == AST_POW) array_check_exponent(r->ex, b);
    return expr_binary(pool, front_op_of[e->op], a, b);
}

static Expr operand(const Reading *r, const AstExpr *e, AstOp op)
{
    const Expr value = lower_any(r, e);
    return front_is_logic(op) ? truth_of(r, value, e) : value;
}

// Follow the left spine down, then combine on the way up: a sum of 10^5 terms is a loop, not a recursion.
static Expr lower_binary(const Reading *r, const AstExpr *e)
{
    const ArenaMark mark = arena_mark(&r->ex->scratch);
    size_t n = 0;
    const AstExpr *left = e;
    for (; left->kind == AST_BINARY; left = left->operands.a) n++;
    const AstExpr **spine = ARENA_ARRAY(&r->ex->scratch, const AstExpr *, n);
    left = e;
    for (size_t i = n; i-- > 0; left = left->operands.a) spine[i] = left;

    // up to the last comparison all is compared by it
    size_t n_compared = n;
    while (n_compared > 0 && !front_is_relation(spine[n_compared - 1]->op)) n_compared--;
    Reading compared = *r;
    compared.in_comparison = true;
    Expr value = operand(n_compared ? &compared : r, left, spine[0]->op);
    for (size_t i = 0; i < n; i++) {
        const Reading *reading = i < n_compared ? &compared : r;
        value = combine(r, spine[i], value, operand(reading, spine[i]->operands.b, spine[i]->op));
        if (i + 1 < n && front_is_logic(spine[i + 1]->op)) value = truth_of(r, value, spine[i]);
    }
    arena_release(&r->ex->scratch, mark);
    return value;
}

static Expr lower_if(const Reading *r, const AstExpr *e)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr condition = lower_truth(r, e->operands.a);
    Expr yes = lower_any(r, e->operands.b), no = lower_any(r, e->operands.c);
    if (expr_is_bool(pool, yes) != expr_is_bool(pool, no)) {
        yes = as_real(r, yes);
        no = as_real(r, no);
    }
    return expr_make(pool, EXPR_IF, condition, yes, no);
}

Expr lower_any(const Reading *r, const AstExpr *e)
{
    Expander *ex = r->ex;
    ExprPool *pool = &ex->flat->pool;
    if (e->kind == AST_NUMBER) return expr_const(pool, e->number.value);
    if (ex->depth == LOWER_DEPTH_MAX) {
        EXPAND_FAIL(ex, DIAG_NESTED_TOO_DEEP, e->place, (int)LOWER_DEPTH_MAX);
        return lower_poison(r);
    }
    ex->depth++;
    Expr value = EXPR_NONE;
    switch (e->kind) {
    case AST_NUMBER: break;
    case AST_REF: value = lower_ref(r, &e->ref, e->place); break;
    case AST_CALL: value = lower_call(r, e); break;
    case AST_BINARY: value = lower_binary(r, e); break;
    case AST_IF: value = lower_if(r, e); break;
    case AST_CONVERT: value = lower_convert(ex, lower_real(r, e->operands.a), site_of(r), written(e)); break;
    case AST_RANGE:
        EXPAND_FAIL(ex, DIAG_SLICE_MISPLACED, e->place, "a range");
        diag_hint(ex->diag, "choose one element; or sum(…), which makes one value of several");
        value = lower_poison(r);
        break;
    case AST_UNARY:
        value = e->op == AST_NOT ? expr_unary(pool, EXPR_NOT, lower_truth(r, e->operands.a))
                                 : expr_unary(pool, EXPR_NEG, lower_real(r, e->operands.a));
        break;
    }
    ex->depth--;
    return value;
}

Expr lower_real(const Reading *r, const AstExpr *e) { return as_real(r, lower_any(r, e)); }

Expr lower_truth(const Reading *r, const AstExpr *e) { return truth_of(r, lower_any(r, e), e); }

// ---------------------------------------------------------------------------------------------- numbers

// Most indices are made of numbers, indices of `for` and parameters met before: no expressions need be made
// for them.
static bool quick_number(const Reading *r, const AstExpr *e, double *value, int depth)
{
    const ExprPool *pool = &r->ex->flat->pool;
    if (e->kind == AST_NUMBER) {
        *value = e->number.value;
        return true;
    }
    if (e->kind == AST_BINARY && e->op <= AST_MUL && depth > 0) {
        double a, b;
        if (!quick_number(r, e->operands.a, &a, depth - 1) || !quick_number(r, e->operands.b, &b, depth - 1))
            return false;
        *value = expr_apply(front_op_of[e->op], a, b, 0);
        return true;
    }
    if (e->kind != AST_REF || e->ref.n_parts > 1 || e->ref.primes || e->ref.parts[0].n_indices) return false;
    const char *name = e->ref.parts[0].name;
    const Local *local = lower_find_local(r->locals, name);
    if (local && local->value == EXPR_NONE) {
        *value = local->number;
        return true;
    }
    if (local) return expr_is_const(pool, local->value, value);
    const Entity *entity = r->scope ? scope_find(r->scope, name) : NULL;
    if (!entity || entity->n_sizes || entity->value.known == EXPR_NONE) return false;
    return expr_is_const(pool, entity->value.known, value);
}

bool lower_number(const Reading *r, const AstExpr *e, double *value)
{
    Expander *ex = r->ex;
    if (quick_number(r, e, value, 8)) return true;
    Reading structural = *r;
    structural.is_structural = true;
    structural.makes_modes = false;
    const size_t errors_before = ex->n_errors;
    const Expr lowered = lower_real(&structural, e);
    if (ex->n_errors > errors_before) return false;
    if (expr_is_const(&ex->flat->pool, lowered, value)) return true;
    if (ex->nest) {    // may depend on the turn
        ex->nest->failed = true;
        return false;
    }
    EXPAND_FAIL(ex, DIAG_TYPE_MISMATCH, e->place, "a number known before the run",
                "a value that may change during it");
    diag_hint(ex->diag, "%s", structural_hint);
    return false;
}

bool lower_whole(const Reading *r, const AstExpr *e, long long *value)
{
    double number;
    if (!lower_number(r, e, &number)) return false;
    if (number != floor(number) || fabs(number) > 9e18) {
        EXPAND_FAIL(r->ex, DIAG_TYPE_MISMATCH, e->place, "a whole number",
                    arena_printf(&r->ex->work, "%.15g", number));
        return false;
    }
    *value = (long long)number;
    return true;
}
