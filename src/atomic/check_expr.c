// src/atomic/check_expr.c: expressions of atomics: names resolved, types checked, constants folded.
#include "atomic/check.h"
#include "front/front.h"
#include "num/distribution.h"
#include <math.h>

enum { CHAIN_MAX = 1000 };    // operators of one chain such as a + b + c

// ---------------------------------------------------------------------------------------------- helpers

static AtomicExpr *make(Checker *c, AtomicOp op, AtomicType type, Place place)
{
    AtomicExpr *x = ARENA_NEW(c->arena, AtomicExpr);
    x->op = op;
    x->type = type;
    x->place = place;
    return x;
}

static AtomicExpr *bad(Checker *c, Place place) { return make(c, ATOMIC_OP_CONST, TYPE_ANY, place); }

static AtomicExpr *constant(Checker *c, double value, AtomicType type, Place place)
{
    AtomicExpr *x = make(c, ATOMIC_OP_CONST, type, place);
    x->value = value;
    return x;
}

static void add_args(Checker *c, AtomicExpr *x, AtomicExpr *const *args, uint32_t n)
{
    x->args = ARENA_ARRAY(c->arena, AtomicExpr *, n);
    x->n_args = n;
    for (uint32_t i = 0; i < n; i++) {
        x->args[i] = args[i];
        if (args[i]->has_effects) x->has_effects = true;
        if (args[i]->type.base == ATOMIC_BAD) x->type = TYPE_ANY;
    }
}

const char *check_a(const Checker *c, AtomicType type)
{
    switch (type.base) {
    case ATOMIC_NUMBER: return "a number";
    case ATOMIC_TRUTH: return "true or false";
    case ATOMIC_NOTHING: return "nothing";
    case ATOMIC_ENUM: return arena_printf(c->arena, "a value of %s", atomic_type_name(c->set, type));
    case ATOMIC_BAD: return "something";
    default: return arena_printf(c->arena, "a %s", atomic_type_name(c->set, type));
    }
}

uint32_t check_fault(Checker *c, AtomicFaultKind kind, const char *name, Place place)
{
    const char *path = place.file && c->diag ? diag_path(c->diag, place.file) : NULL;
    const AtomicFault fault = { kind, text_copy(c->arena, text_from(name)), place, diag_line(c->diag, place),
                                path ? text_copy(c->arena, text_from(path)) : NULL };
    vec_push(c->arena, &c->kind->faults, fault);
    return (uint32_t)c->kind->faults.n;
}

Entity *check_find(const Checker *c, const char *name)
{
    const uint32_t *at = text_map_find(&c->names, text_from(name));
    return at ? &c->entities.items[*at] : NULL;
}

void check_unknown(Checker *c, const char *name, Place place)
{
    CHECK_FAIL(c, DIAG_NAME_UNKNOWN, place, name, c->where == IN_FUNCTION ? "this function" : c->kind->name);
    VEC(const char *) names = { 0 };
    for (size_t i = 0; i < c->entities.n; i++) vec_push(&c->work, &names, c->entities.items[i].name);
    for (size_t i = 0; i < c->enum_values.names.n; i++)
        vec_push(&c->work, &names, names_text(&c->enum_values.names, (uint32_t)i));
    const char *closest = text_closest(name, names.items, names.n);
    if (c->where == IN_FUNCTION) diag_hint(c->diag, "a function reads its arguments and local values only");
    else if (closest) diag_suggest(c->diag, name, closest);
    else if (text_map_find(&c->states, text_from(name)))
        diag_hint(c->diag, "'%s' is a state; where it leads is written -> %s", name, name);
    else diag_hint(c->diag, "declare it with var, param or const");
}

// ---------------------------------------------------------------------------------------------- names

static AtomicExpr *check_enum_value(Checker *c, const char *name, AtomicType want, Place place)
{
    const Ast *ast = c->set->ast;
    uint32_t found = 0, n_found = 0, other = 0;
    double value = 0;
    if (!text_map_find(&c->enum_values, text_from(name))) return NULL;
    for (uint32_t k = 0; k < ast->enums.n; k++) {
        const AstEnum *e = &ast->enums.items[k];
        for (uint32_t i = 0; i < e->n_values; i++) {
            if (strcmp(e->values[i], name) != 0) continue;
            const bool wanted = want.base == ATOMIC_ENUM && want.index == k;
            if (n_found > 0 && !wanted) {
                other = k;
                n_found++;
                continue;
            }
            found = k;
            value = i + 1;
            n_found = wanted ? 1 : n_found + 1;
            if (wanted) return constant(c, value, (AtomicType){ .base = ATOMIC_ENUM, .index = k }, place);
        }
    }
    if (n_found > 1) {
        CHECK_FAIL(c, DIAG_ENUM_AMBIGUOUS, place, name, ast->enums.items[found].name,
                   ast->enums.items[other].name);
        diag_hint(c->diag, "say which: %s.%s", ast->enums.items[found].name, name);
        return bad(c, place);
    }
    return constant(c, value, (AtomicType){ .base = ATOMIC_ENUM, .index = found }, place);
}

static AtomicExpr *check_builtin(Checker *c, const char *name, Place place)
{
    double value;
    bool is_truth;
    if (front_constant(name, &value, &is_truth))
        return constant(c, value, is_truth ? TYPE_TRUTH : TYPE_NUMBER, place);
    const AtomicOp op = strcmp(name, "t") == 0           ? ATOMIC_OP_TIME
                        : strcmp(name, "elapsed") == 0   ? ATOMIC_OP_ELAPSED
                        : strcmp(name, "remaining") == 0 ? ATOMIC_OP_REMAINING
                                                         : ATOMIC_OP_CONST;
    if (op == ATOMIC_OP_CONST) return NULL;
    if (c->where == IN_FUNCTION || c->where == IN_CONST) {
        CHECK_FAIL(c, DIAG_CONST_NEEDED, place, name);
        return bad(c, place);
    }
    if (op == ATOMIC_OP_ELAPSED) c->kind->last = 1;    // its slot is chosen later
    return make(c, op, TYPE_NUMBER, place);
}

// A field of a record that stands from `slot` on, as `op` reads it.
static AtomicExpr *check_field(Checker *c, AtomicOp op, AtomicType type, uint32_t slot, const AstPart *part,
                               Place place)
{
    if (type.base != ATOMIC_RECORD) {
        CHECK_FAIL(c, DIAG_FIELD_UNKNOWN, place, check_a(c, type), part->name);
        if (type.base == ATOMIC_TALLY || type.base == ATOMIC_LEVEL)
            diag_hint(c->diag, "a statistic is read by functions: mean(s), count(s)");
        return bad(c, place);
    }
    const AstRecord *record = &c->set->ast->records.items[type.index];
    for (uint32_t i = 0; i < record->n_fields; i++) {
        if (strcmp(record->fields[i].name, part->name) != 0) continue;
        AtomicExpr *x = make(c, op, c->set->records[type.index].fields[i].type, place);
        x->slot = slot + i;
        return x;
    }
    CHECK_FAIL(c, DIAG_FIELD_UNKNOWN, place, record->name, part->name);
    const char **names = ARENA_ARRAY(&c->work, const char *, record->n_fields);
    for (uint32_t i = 0; i < record->n_fields; i++) names[i] = record->fields[i].name;
    diag_suggest(c->diag, part->name, text_closest(part->name, names, record->n_fields));
    return bad(c, place);
}

static bool is_wide(AtomicType type) { return type.base == ATOMIC_RECORD || type.base >= ATOMIC_QUEUE; }

// The index of a record, a queue or a statistic. False after a report; *slot is where the element stands, or
// the first one if the index is not known yet.
bool check_index(Checker *c, Entity *entity, const AstPart *part, Place place, uint32_t *slot,
                 AtomicIndex *index)
{
    const bool is_port = entity->kind == ENTITY_INPUT || entity->kind == ENTITY_OUTPUT;
    *index = (AtomicIndex){ .n = entity->n,
                            .stride = is_port ? 1 : atomic_type_slots(c->set, entity->type) };
    *slot = entity->slot;
    if (part->n_indices != (entity->n > 0)) {
        CHECK_FAIL(c, DIAG_INDEX_COUNT, place, entity->name, entity->n > 0, part->n_indices);
        if (entity->type.base == ATOMIC_QUEUE && entity->n == 0)
            diag_hint(c->diag, "an element of a queue is read by item(%s, i)", entity->name);
        else if (entity->n > 0) diag_hint(c->diag, "say which one: %s[1]", entity->name);
        return false;
    }
    if (entity->n == 0) return true;
    const size_t n_errors = c->n_errors;
    AtomicExpr *i = check_number(c, part->indices[0]);
    if (i->type.base == ATOMIC_BAD) return c->n_errors += c->n_errors == n_errors, false;
    if (i->has_effects) {
        CHECK_FAIL(c, DIAG_EFFECT_MISPLACED, i->place, "this", "an index");
        diag_hint(c->diag, "do it in a 'do' block and keep the value in a variable");
        return false;
    }
    if (i->op != ATOMIC_OP_CONST) {
        index->expr = i;
        index->fault = check_fault(c, ATOMIC_FAULT_INDEX, entity->name, place);
        return true;
    }
    if (!(i->value >= 1 && i->value <= entity->n) || i->value != floor(i->value)) {
        CHECK_FAIL(c, DIAG_INDEX_RANGE, i->place, (long long)i->value, entity->name, (long long)entity->n);
        return false;
    }
    *slot += ((uint32_t)i->value - 1) * index->stride;
    return true;
}

static AtomicExpr *check_element(Checker *c, Entity *entity, const AstPart *part, Place place)
{
    if (entity->n == 0) {
        CHECK_FAIL(c, DIAG_INDEX_COUNT, place, entity->name, 0u, part->n_indices);
        if (entity->type.base == ATOMIC_QUEUE)
            diag_hint(c->diag, "an element of a queue is read by item(%s, i)", entity->name);
        return bad(c, place);
    }
    if (part->n_indices != 1) {
        CHECK_FAIL(c, DIAG_INDEX_COUNT, place, entity->name, 1u, part->n_indices);
        return bad(c, place);
    }
    AtomicExpr *index = check_number(c, part->indices[0]);
    AtomicExpr *x = make(c, ATOMIC_OP_ELEMENT, entity->type, place);
    add_args(c, x, &index, 1);
    x->slot = entity->slot;
    x->n = entity->n;
    if (index->op == ATOMIC_OP_CONST && index->type.base == ATOMIC_NUMBER) {
        const double i = index->value;
        if (!(i >= 1 && i <= entity->n) || i != floor(i)) {
            CHECK_FAIL(c, DIAG_INDEX_RANGE, index->place, (long long)i, entity->name, (long long)entity->n);
            return bad(c, place);
        }
        x->op = ATOMIC_OP_SLOT;
        x->slot += (uint32_t)i - 1;
        x->n_args = 0;
    } else {
        x->fault = check_fault(c, ATOMIC_FAULT_INDEX, entity->name, place);
    }
    return x;
}

static AtomicExpr *check_entity(Checker *c, Entity *entity, const AstRef *ref, Place place)
{
    const AstPart *first = &ref->parts[0];
    if (entity->kind == ENTITY_CONST) return constant(c, entity->value, entity->type, place);
    if (c->where == IN_CONST) {
        CHECK_FAIL(c, DIAG_CONST_NEEDED, place, entity->name);
        diag_hint(c->diag, "constants and sizes are made of numbers and constants");
        return bad(c, place);
    }
    entity->is_read = true;
    if (entity->kind == ENTITY_DRAW) {
        const AstExpr *draw = entity->draw;
        if (!draw) {    // it is being checked
            CHECK_FAIL(c, DIAG_FUNCTION_RECURSIVE, place, entity->name, entity->name);
            return bad(c, place);
        }
        entity->draw = NULL;
        AtomicExpr *drawn = check_number(c, draw);
        entity->draw = draw;
        return drawn;
    }
    if (entity->kind == ENTITY_OUTPUT) {
        CHECK_FAIL(c, DIAG_NOT_A_VALUE, place, entity->name, "output event");
        diag_hint(c->diag, "it is sent when a state ends: after send %s(…) -> …", entity->name);
        return bad(c, place);
    }
    if (entity->kind == ENTITY_INPUT) {
        if (c->port == NO_PORT || c->port - entity->slot > (entity->n ? entity->n - 1 : 0)) {
            CHECK_FAIL(c, DIAG_NO_MESSAGE, place, entity->name);
            diag_hint(c->diag, "a message can be read where it is taken, in 'on %s …'; keep it in a variable",
                      entity->name);
            return bad(c, place);
        }
        if (entity->type.base == ATOMIC_NOTHING) {
            CHECK_FAIL(c, DIAG_NOT_A_VALUE, place, entity->name, "message that tells nothing");
            return bad(c, place);
        }
        if (ref->n_parts == 1) return make(c, ATOMIC_OP_MESSAGE, entity->type, place);
        return check_field(c, ATOMIC_OP_MESSAGE, entity->type, 0, &ref->parts[1], place);
    }
    if (entity->type.base == ATOMIC_BAD) return bad(c, place);
    if (entity->n > 0 && is_wide(entity->type)) {
        uint32_t slot;
        AtomicIndex index;
        if (!check_index(c, entity, first, place, &slot, &index)) return bad(c, place);
        AtomicExpr *x = ref->n_parts == 2
                            ? check_field(c, ATOMIC_OP_SLOT, entity->type, slot, &ref->parts[1], place)
                            : make(c, ATOMIC_OP_SLOT, entity->type, place);
        if (ref->n_parts == 1) x->slot = slot;
        if (x->type.base != ATOMIC_BAD && index.expr) x->index = index;
        return x;
    }
    if (first->n_indices > 0) return check_element(c, entity, first, place);
    if (entity->n > 0) {
        CHECK_FAIL(c, DIAG_INDEX_COUNT, place, entity->name, 1u, 0u);
        return bad(c, place);
    }
    if (ref->n_parts == 2)
        return check_field(c, ATOMIC_OP_SLOT, entity->type, entity->slot, &ref->parts[1], place);
    AtomicExpr *x = make(c, ATOMIC_OP_SLOT, entity->type, place);
    x->slot = entity->slot;
    return x;
}

static AtomicExpr *check_ref(Checker *c, const AstExpr *e, AtomicType want)
{
    const AstRef *ref = &e->ref;
    const char *name = ref->parts[0].name;
    if (ref->primes > 0) {
        CHECK_FAIL(c, DIAG_DERIVATIVE_BAD, e->place, name, "part of an atomic");
        return bad(c, e->place);
    }
    for (const Local *l = c->locals; l; l = l->outer) {
        if (strcmp(l->name, name) != 0 || ref->n_parts > 1 || ref->parts[0].n_indices > 0) continue;
        if (l->known) return constant(c, l->known->value, TYPE_NUMBER, e->place);
        AtomicExpr *x = make(c, ATOMIC_OP_LOCAL, TYPE_NUMBER, e->place);
        x->n = l->number;
        return x;
    }
    // Colour.red
    if (ref->n_parts == 2 && c->where != IN_FUNCTION && !check_find(c, name)) {
        const uint32_t *type = text_map_find(&c->types, text_from(name));
        const size_t n_records = c->set->ast->records.n;
        if (type && *type >= n_records) {
            const AtomicType of = { .base = ATOMIC_ENUM, .index = *type - (uint32_t)n_records };
            AtomicExpr *x = check_enum_value(c, ref->parts[1].name, of, e->place);
            if (x && x->type.base == ATOMIC_ENUM && x->type.index == of.index) return x;
            CHECK_FAIL(c, DIAG_FIELD_UNKNOWN, e->place, name, ref->parts[1].name);
            return bad(c, e->place);
        }
    }
    Entity *entity = c->where == IN_FUNCTION ? NULL : check_find(c, name);
    if (entity && (size_t)(entity - c->entities.items) >= c->n_declared) {
        CHECK_FAIL(c, DIAG_CONST_NEEDED, e->place, name);
        diag_hint(c->diag, "declare '%s' further up", name);
        return bad(c, e->place);
    }
    if (entity && ref->n_parts > 2) {
        CHECK_FAIL(c, DIAG_FIELD_UNKNOWN, e->place, ref->parts[1].name, ref->parts[2].name);
        return bad(c, e->place);
    }
    if (entity) return check_entity(c, entity, ref, e->place);
    const bool is_word = ref->n_parts == 1 && ref->parts[0].n_indices == 0;
    AtomicExpr *x = is_word ? check_builtin(c, name, e->place) : NULL;
    if (!x && ref->n_parts == 1 && c->where != IN_FUNCTION) x = check_enum_value(c, name, want, e->place);
    if (x) return x;
    check_unknown(c, name, e->place);
    return bad(c, e->place);
}

// ---------------------------------------------------------------------------------------------- operators

static bool needs(Checker *c, const AtomicExpr *x, AtomicType type)
{
    if (x->type.base == ATOMIC_BAD) return false;
    if (check_same(x->type, type)) return true;
    CHECK_FAIL(c, DIAG_TYPE_MISMATCH, x->place, check_a(c, type), check_a(c, x->type));
    return false;
}

// An operation on operands of the right types; on constants its value.
static AtomicExpr *apply(Checker *c, ExprOp op, AtomicExpr *const *args, Place place)
{
    const uint32_t n = (uint32_t)expr_ops[op].arity;
    const bool is_truth = expr_ops[op].type == 'B';
    const AtomicType type = op == EXPR_IF ? args[1]->type : is_truth ? TYPE_TRUTH : TYPE_NUMBER;
    bool all = op != EXPR_IF;
    double x[3] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        all = all && args[i]->op == ATOMIC_OP_CONST && args[i]->type.base != ATOMIC_BAD;
        x[i] = args[i]->value;
    }
    if (all) return constant(c, expr_apply(op, x[0], x[1], x[2]), type, place);
    AtomicExpr *e = make(c, ATOMIC_OP_APPLY, type, place);
    e->apply = op;
    add_args(c, e, args, n);
    return e;
}

static AtomicExpr *join(Checker *c, ExprOp op, AtomicExpr *a, AtomicExpr *b, Place place)
{
    const bool is_logic = op == EXPR_AND || op == EXPR_OR, is_equal = op == EXPR_EQ || op == EXPR_NE;
    bool ok;
    if (is_equal && (a->type.base == ATOMIC_ENUM || a->type.base == ATOMIC_TRUTH)) ok = needs(c, b, a->type);
    else {
        // both, so that both are told
        ok = needs(c, a, is_logic ? TYPE_TRUTH : TYPE_NUMBER);
        ok = needs(c, b, is_logic ? TYPE_TRUTH : TYPE_NUMBER) && ok;
    }
    return ok ? apply(c, op, (AtomicExpr *const[]){ a, b }, place) : bad(c, place);
}

static AtomicExpr *check_binary(Checker *c, const AstExpr *e, AtomicType want)
{
    (void)want;
    VEC(const AstExpr *) chain = { 0 };
    const AstExpr *first = e;
    for (; first->kind == AST_BINARY; first = first->operands.a) vec_push(&c->work, &chain, first);
    if (chain.n > CHAIN_MAX) {
        CHECK_FAIL(c, DIAG_NESTED_TOO_DEEP, e->place, (int)CHAIN_MAX);
        diag_hint(c->diag, "compute a part of it in a statement of its own");
        return bad(c, e->place);
    }
    // `c == red`: the other side tells which red is meant
    AtomicExpr *x = NULL;
    while (chain.n > 0) {
        const AstExpr *link = vec_pop(&chain);
        const bool is_equal = link->op == AST_EQ || link->op == AST_NE;
        AtomicExpr *b = NULL;
        if (!x && is_equal && first->kind == AST_REF) {
            b = check_expr(c, link->operands.b, TYPE_ANY);
            x = check_expr(c, first, b->type);
        } else {
            if (!x) x = check_expr(c, first, TYPE_ANY);
            b = check_expr(c, link->operands.b, is_equal ? x->type : TYPE_ANY);
        }
        x = join(c, front_op_of[link->op], x, b, link->place);
    }
    return x;
}

static AtomicExpr *check_unary(Checker *c, const AstExpr *e)
{
    const AtomicType type = e->op == AST_NOT ? TYPE_TRUTH : TYPE_NUMBER;
    AtomicExpr *a = check_expr(c, e->operands.a, type);
    return needs(c, a, type) ? apply(c, front_op_of[e->op], &a, e->place) : bad(c, e->place);
}

static AtomicExpr *check_if(Checker *c, const AstExpr *e, AtomicType want)
{
    AtomicExpr *args[3] = { check_condition(c, e->operands.a), check_expr(c, e->operands.b, want) };
    args[2] = check_expr(c, e->operands.c, args[1]->type);
    AtomicExpr *x = apply(c, EXPR_IF, args, e->place);
    if (x->type.base == ATOMIC_BAD) return x;
    if (!needs(c, args[2], args[1]->type)) return bad(c, e->place);
    if (x->type.base == ATOMIC_RECORD) {
        CHECK_FAIL(c, DIAG_TYPE_MISMATCH, e->place, "one value", check_a(c, x->type));
        diag_hint(c->diag, "choose with a block: if … then now := a else now := b end");
        return bad(c, e->place);
    }
    return x;
}

// ---------------------------------------------------------------------------------------------- calls

bool check_arguments(Checker *c, const AstExpr *call, uint32_t n, const char *takes)
{
    if (call->call.n_args == n && call->call.n_loops == 0) return true;
    CHECK_FAIL(c, DIAG_FUNCTION_ARGUMENTS, call->place, call->call.function, takes,
               (size_t)call->call.n_args);
    return false;
}

Entity *check_named(Checker *c, const AstExpr *e, AtomicBase base, AtomicIndex *index)
{
    const char *what = base == ATOMIC_QUEUE ? "a queue" : base == ATOMIC_TALLY ? "a tally" : "a level";
    Entity *entity = NULL;
    if (e->kind == AST_REF && e->ref.n_parts == 1 && c->where != IN_FUNCTION)
        entity = check_find(c, e->ref.parts[0].name);
    if (entity && entity->kind == ENTITY_CELL && entity->type.base == base) {
        entity->is_read = true;
        uint32_t slot;
        if (!check_index(c, entity, &e->ref.parts[0], e->place, &slot, index)) return NULL;
        if (slot == entity->slot) return entity;
        Entity *element = ARENA_NEW(&c->work, Entity);    // with a place of its own
        *element = *entity;
        element->slot = slot;
        element->array = entity;
        return element;
    }
    if (entity && entity->type.base == ATOMIC_BAD) {
        c->n_errors++;
        return NULL;
    }
    if (e->kind == AST_REF && e->ref.n_parts == 1 && !entity) {
        check_unknown(c, e->ref.parts[0].name, e->place);
        return NULL;
    }
    CHECK_FAIL(c, DIAG_TYPE_MISMATCH, e->place, what, entity ? check_a(c, entity->type) : "something else");
    if (base == ATOMIC_QUEUE && entity) diag_hint(c->diag, "declare it: var %s = queue()", entity->name);
    return NULL;
}

// Things that change the state when they are computed.
static bool may_change(Checker *c, const AstExpr *call)
{
    if (c->where == IN_ACTS) return true;
    CHECK_FAIL(c, DIAG_EFFECT_MISPLACED, call->place, call->call.function,
               c->where == IN_GUARD  ? "a condition of 'on' or 'after'"
               : c->where == IN_SEND ? "what is sent"
                                     : "a constant or a function");
    diag_hint(c->diag, "do it in a 'do' block and keep the value in a variable");
    return false;
}

static AtomicType element_of(AtomicType queue)
{
    return (AtomicType){ .base = queue.element, .index = queue.index };
}

// empty(q), length(q), pop(q), first(q), last(q), item(q, i), remove(q, i)
static AtomicExpr *check_queue_call(Checker *c, const AstExpr *e)
{
    const char *name = e->call.function;
    const bool is_take = strcmp(name, "remove") == 0, is_item = strcmp(name, "item") == 0;
    const bool is_empty = strcmp(name, "empty") == 0, is_pop = strcmp(name, "pop") == 0;
    const bool has_index = is_take || is_item;
    if (!check_arguments(c, e, has_index ? 2 : 1, has_index ? "a queue and a number" : "a queue"))
        return bad(c, e->place);
    AtomicIndex which = { 0 };
    Entity *queue = check_named(c, e->call.args[0], ATOMIC_QUEUE, &which);
    AtomicExpr *index = has_index ? check_number(c, e->call.args[1]) : NULL;
    if (!queue || (index && index->type.base == ATOMIC_BAD)) return bad(c, e->place);
    if ((is_take || is_pop) && !may_change(c, e)) return bad(c, e->place);
    if (is_empty || strcmp(name, "length") == 0) {
        AtomicExpr *length = make(c, ATOMIC_OP_LENGTH, TYPE_NUMBER, e->place);
        length->slot = queue->slot;
        length->index = which;
        return is_empty ? join(c, EXPR_EQ, length, constant(c, 0, TYPE_NUMBER, e->place), e->place) : length;
    }
    AtomicExpr *x = make(c,
                         is_pop    ? ATOMIC_OP_POP
                         : is_take ? ATOMIC_OP_TAKE
                                   : ATOMIC_OP_PEEK,
                         element_of(queue->type), e->place);
    x->slot = queue->slot;
    x->index = which;
    if (!index && !is_pop) {    // first, last
        index = constant(c, 1, TYPE_NUMBER, e->place);
        if (strcmp(name, "last") == 0) {
            index = make(c, ATOMIC_OP_LENGTH, TYPE_NUMBER, e->place);
            index->slot = queue->slot;
            index->index = which;
        }
    }
    if (index) add_args(c, x, &index, 1);
    if (is_pop || is_take) x->has_effects = true;
    x->fault = check_fault(c, has_index ? ATOMIC_FAULT_INDEX : ATOMIC_FAULT_EMPTY, queue->name, e->place);
    return x;
}

static const struct {
    const char *name;
    AtomicHow how;
} statistics[] = {
    { "count", ATOMIC_READ_COUNT },         { "mean", ATOMIC_READ_MEAN },
    { "deviation", ATOMIC_READ_DEVIATION }, { "lowest", ATOMIC_READ_LOWEST },
    { "highest", ATOMIC_READ_HIGHEST },     { "quantile", ATOMIC_READ_QUANTILE },
};

static AtomicExpr *check_statistic(Checker *c, const AstExpr *e, AtomicHow how)
{
    const bool is_quantile = how == ATOMIC_READ_QUANTILE;
    if (!check_arguments(c, e, is_quantile ? 2 : 1,
                         is_quantile ? "a statistic and a fraction" : "a statistic"))
        return bad(c, e->place);
    const AstExpr *arg = e->call.args[0];
    const Entity *named = arg->kind == AST_REF ? check_find(c, arg->ref.parts[0].name) : NULL;
    const AtomicBase base = named && named->type.base == ATOMIC_LEVEL ? ATOMIC_LEVEL : ATOMIC_TALLY;
    AtomicIndex which = { 0 };
    Entity *entity = check_named(c, arg, base, &which);
    if (!entity) return bad(c, e->place);
    AtomicExpr *x = make(c, ATOMIC_OP_STATISTIC, TYPE_NUMBER, e->place);
    x->slot = entity->slot;
    x->index = which;
    x->n = how;
    x->value = base == ATOMIC_LEVEL;
    if (is_quantile) {
        AtomicExpr *p = check_number(c, e->call.args[1]);
        add_args(c, x, &p, 1);
    }
    return x;
}

// empirical(NAME): like measurements of the file
static AtomicExpr *check_samples(Checker *c, const AstExpr *e, int number)
{
    const AstExpr *what = e->call.args[0];
    const bool is_name = what->kind == AST_REF && what->ref.n_parts == 1 && what->ref.parts[0].n_indices == 0;
    const uint32_t *found = is_name ? text_map_find(&c->tables, text_from(what->ref.parts[0].name)) : NULL;
    if (!found || c->set->ast->tables.items[*found].n_arguments > 0) {
        CHECK_FAIL(c, DIAG_SAMPLES_UNKNOWN, what->place, is_name ? what->ref.parts[0].name : "this");
        diag_hint(c->diag, "read them from a file: samples NAME from \"data.csv\" column \"…\"");
        return bad(c, e->place);
    }
    if (!may_change(c, e)) return bad(c, e->place);
    AtomicExpr *x = make(c, ATOMIC_OP_DRAW, TYPE_NUMBER, e->place);
    x->n = (uint32_t)number;
    x->slot = 1 + *found;
    x->has_effects = true;
    x->fault = check_fault(c, ATOMIC_FAULT_DRAW, distributions[number].name, e->place);
    const AstTable *table = &c->set->ast->tables.items[*found];
    if (!c->set->samples[*found].n) {
        double *values = ARENA_ARRAY(c->arena, double, table->n_x);
        if (table->n_x) memcpy(values, table->z, table->n_x * sizeof *values);
        c->set->samples[*found] = (AtomicSamples){ values, table->n_x };
    }
    c->kind->stream = 1;
    return x;
}

static AtomicExpr *check_draw(Checker *c, const AstExpr *e, int number)
{
    const Distribution *d = &distributions[number];
    const uint32_t n = e->call.n_args;
    if (d->is_data && n == 1 && e->call.n_loops == 0) return check_samples(c, e, number);
    if ((d->n_arguments > 0 && n != (uint32_t)d->n_arguments) || n == 0 || e->call.n_loops > 0) {
        CHECK_FAIL(c, DIAG_FUNCTION_ARGUMENTS, e->place, d->name, distribution_takes(number), (size_t)n);
        return bad(c, e->place);
    }
    if (d->is_data) {
        CHECK_FAIL(c, DIAG_FUNCTION_ARGUMENTS, e->place, d->name, "the name of samples", (size_t)n);
        return bad(c, e->place);
    }
    AtomicExpr **args = ARENA_ARRAY(&c->work, AtomicExpr *, n);
    bool all = true;
    double *values = ARENA_ARRAY(&c->work, double, n);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = check_number(c, e->call.args[i]);
        if (args[i]->op != ATOMIC_OP_CONST || args[i]->type.base == ATOMIC_BAD) all = false;
        values[i] = args[i]->value;
    }
    if (!may_change(c, e)) return bad(c, e->place);
    const char *must = NULL;
    const int wrong = all ? distribution_fault(number, values, n, &must) : -1;
    if (wrong >= 0) {
        CHECK_FAIL(c, DIAG_DRAW_ARGUMENT, args[wrong]->place, d->name,
                   d->arguments[d->n_arguments ? wrong : 0].name, values[wrong], must);
        return bad(c, e->place);
    }
    AtomicExpr *x = make(c, ATOMIC_OP_DRAW, TYPE_NUMBER, e->place);
    add_args(c, x, args, n);
    x->n = (uint32_t)number;
    x->has_effects = true;
    x->fault = check_fault(c, ATOMIC_FAULT_DRAW, d->name, e->place);
    c->kind->stream = 1;    // its slot is chosen later
    return x;
}

static AtomicExpr *check_make(Checker *c, const AstExpr *e, uint32_t record)
{
    const AstRecord *ast = &c->set->ast->records.items[record];
    if (e->call.n_args != ast->n_fields || e->call.n_loops > 0) {
        StrBuf names = { .arena = &c->work };
        for (uint32_t i = 0; i < ast->n_fields; i++)
            str_addf(&names, "%s%s", i ? ", " : "", ast->fields[i].name);
        CHECK_FAIL(c, DIAG_FUNCTION_ARGUMENTS, e->place, ast->name, str_finish(&names),
                   (size_t)e->call.n_args);
        diag_hint(c->diag, "a record is made with a value for each field, in their order");
        return bad(c, e->place);
    }
    AtomicExpr **args = ARENA_ARRAY(&c->work, AtomicExpr *, ast->n_fields);
    for (uint32_t i = 0; i < ast->n_fields; i++)
        args[i] = check_typed(c, e->call.args[i], c->set->records[record].fields[i].type);
    AtomicExpr *x = make(c, ATOMIC_OP_MAKE, (AtomicType){ .base = ATOMIC_RECORD, .index = record }, e->place);
    add_args(c, x, args, ast->n_fields);
    return x;
}

// A function of the file, checked when it is first called.
//
// What is converted in it depends on what it is given: then there is one for each call.
static uint32_t check_function(Checker *c, uint32_t number, const AstExpr *call)
{
    const AstFunction *ast = &c->set->ast->functions.items[number];
    if (c->calls[number] == BEING_CHECKED) {
        CHECK_FAIL(c, DIAG_FUNCTION_RECURSIVE, call->place, ast->name, ast->name);
        return 0;
    }
    const uint32_t outer = c->site, site = units_call(c->units, outer, call), known = c->calls[number];
    const uint32_t *converts = site == UNITS_NO_SITE ? NULL : map_find(&c->site_calls, site);
    if (converts) return *converts;
    if (known && site == UNITS_NO_SITE) return known;
    c->calls[number] = BEING_CHECKED;
    c->site = site;
    const Local *locals = c->locals;
    const uint32_t n_locals = c->n_locals;
    const Where where = c->where;
    c->locals = NULL;
    c->n_locals = 0;
    c->where = IN_FUNCTION;
    AtomicFunction f = { .name = ast->name,
                         .locals = ARENA_ARRAY(c->arena, AtomicExpr *, ast->n_locals),
                         .n_params = ast->n_params,
                         .n_locals = ast->n_locals };
    for (uint32_t i = 0; i < ast->n_params + ast->n_locals; i++) {
        const char *name = i < ast->n_params ? ast->params[i] : NULL;
        if (!name) {
            const AstItem *item = &ast->locals[i - ast->n_params];
            f.locals[i - ast->n_params] = check_number(c, item->equation.rhs);
            name = item->equation.lhs->ref.parts[0].name;
        }
        Local *local = ARENA_NEW(&c->work, Local);
        *local = (Local){ name, c->n_locals++, c->locals, NULL };
        c->locals = local;
    }
    f.result = check_number(c, ast->result);
    c->locals = locals;
    c->n_locals = n_locals;
    c->where = where;
    c->site = outer;
    vec_push(c->arena, &c->set->functions, f);
    const uint32_t made = (uint32_t)c->set->functions.n;
    c->calls[number] = site == UNITS_NO_SITE ? made : known;
    if (site != UNITS_NO_SITE) map_put(&c->site_calls, site, made);
    return made;
}

static AtomicExpr *check_own_function(Checker *c, const AstExpr *e, uint32_t number)
{
    const AstFunction *ast = &c->set->ast->functions.items[number];
    if (!check_arguments(c, e, ast->n_params, arena_printf(c->arena, "%u values", ast->n_params)))
        return bad(c, e->place);
    AtomicExpr **args = ARENA_ARRAY(&c->work, AtomicExpr *, ast->n_params);
    for (uint32_t i = 0; i < ast->n_params; i++) args[i] = check_number(c, e->call.args[i]);
    const uint32_t at = check_function(c, number, e);
    if (at == 0) return bad(c, e->place);
    AtomicExpr *x = make(c, ATOMIC_OP_FUNCTION, TYPE_NUMBER, e->place);
    add_args(c, x, args, ast->n_params);
    x->n = at - 1;
    return x;
}

static AtomicExpr *check_table(Checker *c, const AstExpr *e, uint32_t number)
{
    const AstTable *table = &c->set->ast->tables.items[number];
    if (table->n_arguments == 0) {
        CHECK_FAIL(c, DIAG_FUNCTION_UNKNOWN, e->place, table->name);
        diag_hint(c->diag, "these are samples: draw one with empirical(%s)", table->name);
        return bad(c, e->place);
    }
    if (!check_arguments(c, e, table->n_arguments, table->n_arguments == 1 ? "one value" : "two values"))
        return bad(c, e->place);
    AtomicExpr *args[2] = { check_number(c, e->call.args[0]) };
    if (table->n_arguments == 2) args[1] = check_number(c, e->call.args[1]);
    if (!c->set->pieces[number])
        c->set->pieces[number] = 1 + expr_pieces(&c->set->pool, NULL, table->between, table->outside,
                                                 table->x, table->n_x, table->y, table->n_y, table->z);
    AtomicExpr *x = make(c, ATOMIC_OP_TABLE, TYPE_NUMBER, e->place);
    add_args(c, x, args, table->n_arguments);
    x->n = number;
    return x;
}

// ---- Functions of front.h

typedef struct FrontCall {
    Checker *c;
    Place    place;
} FrontCall;

static FrontValue make_number(const void *context, double value)
{
    const FrontCall *call = context;
    return (FrontValue){ .tree = constant(call->c, value, TYPE_NUMBER, call->place) };
}

static FrontValue make_operation(const void *context, ExprOp op, FrontValue a, FrontValue b, FrontValue c)
{
    const FrontCall *call = context;
    AtomicExpr *const args[] = { a.tree, b.tree, c.tree };
    // of constants a constant
    if (op == EXPR_IF && args[0]->op == ATOMIC_OP_CONST) return args[0]->value != 0 ? b : c;
    return (FrontValue){ .tree = apply(call->c, op, args, call->place) };
}

// The function of the set that computes it from n values: they are computed once, whatever they do.
static uint32_t function_of(Checker *c, const FrontFunction *f, const FrontMaker *maker, uint32_t n,
                            Place place)
{
    const uint32_t n_params = n + f->reads_time;
    for (uint32_t i = 0; i < c->set->functions.n; i++)
        if (c->set->functions.items[i].name == f->name && c->set->functions.items[i].n_params == n_params)
            return i;
    FrontValue params[4];
    for (uint32_t i = 0; i < n_params; i++) {
        AtomicExpr *x = make(c, ATOMIC_OP_LOCAL, TYPE_NUMBER, place);
        x->n = i;
        params[i].tree = x;
    }
    AtomicExpr *result = f->build(maker, params, n).tree;
    vec_push(c->arena, &c->set->functions,
             (AtomicFunction){ .name = f->name, .n_params = n_params, .result = result });
    return (uint32_t)c->set->functions.n - 1;
}

static AtomicExpr *call_front(Checker *c, const AstExpr *e, const FrontFunction *f, FrontValue *args)
{
    const uint32_t n = e->call.n_args, n_params = n + f->reads_time;
    const FrontCall context = { c, e->place };
    const FrontMaker maker = { make_number, make_operation, &context, false };
    bool all = true;
    AtomicExpr **trees = ARENA_ARRAY(&c->work, AtomicExpr *, n_params);
    for (uint32_t i = 0; i < n_params; i++) {
        trees[i] = args[i].tree;
        if (trees[i]->type.base == ATOMIC_BAD) return bad(c, e->place);
        all = all && trees[i]->op == ATOMIC_OP_CONST;
    }
    if (all || !f->repeats) return f->build(&maker, args, n).tree;
    AtomicExpr *x = make(c, ATOMIC_OP_FUNCTION, TYPE_NUMBER, e->place);
    add_args(c, x, trees, n_params);
    x->n = function_of(c, f, &maker, n, e->place);
    return x;
}

static AtomicExpr *check_math(Checker *c, const AstExpr *e)
{
    const FrontFunction *f = front_function(e->call.function);
    const ExprOp op = expr_function(e->call.function);
    if (!f && op == EXPR_N_OPS) return NULL;
    const uint32_t n = e->call.n_args, arity = f ? 0 : (uint32_t)expr_ops[op].arity;
    const bool fits = f ? n >= f->at_least && n <= f->at_most : n == arity;
    if (!fits || e->call.n_loops > 0) {
        CHECK_FAIL(c, DIAG_FUNCTION_ARGUMENTS, e->place, e->call.function,
                   f            ? f->takes
                   : arity == 1 ? "one value"
                                : "two values",
                   (size_t)n);
        return bad(c, e->place);
    }
    FrontValue *args = ARENA_ARRAY(&c->work, FrontValue, n + 1), *first = args;
    if (f && f->reads_time) {
        AtomicExpr *now = check_builtin(c, "t", e->place);
        (first++)->tree = now;
        if (now->type.base == ATOMIC_BAD) return now;
    }
    for (uint32_t i = 0; i < n; i++) first[i].tree = check_number(c, e->call.args[i]);
    if (f) return call_front(c, e, f, args);
    return apply(c, op, (AtomicExpr *const[]){ args[0].tree, args[n > 1].tree }, e->place);
}

static AtomicExpr *check_call(Checker *c, const AstExpr *e)
{
    static const char *const of_queues[] = { "empty", "length", "pop", "first", "last", "item", "remove" };
    const char *name = e->call.function;
    const uint32_t *own = text_map_find(&c->functions, text_from(name));
    if (own) return check_own_function(c, e, *own);
    const uint32_t *table = text_map_find(&c->tables, text_from(name));
    if (table) return check_table(c, e, *table);
    const uint32_t *type = text_map_find(&c->types, text_from(name));
    if (type && *type < c->set->ast->records.n) return check_make(c, e, *type);
    AtomicExpr *x = check_math(c, e);
    if (x) return x;
    const int distribution = distribution_number(name);
    if (distribution != DISTRIBUTION_NONE) return check_draw(c, e, distribution);
    for (size_t i = 0; i < sizeof of_queues / sizeof *of_queues; i++)
        if (strcmp(name, of_queues[i]) == 0) return check_queue_call(c, e);
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (strcmp(name, statistics[i].name) == 0) return check_statistic(c, e, statistics[i].how);

    CHECK_FAIL(c, DIAG_FUNCTION_UNKNOWN, e->place, name);
    static const char *const acts[] = { "push", "insert", "clear", "add", "set", "reset" };
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(name, acts[i]) == 0) {
            diag_hint(c->diag, "'%s' is a statement of its own and has no value", name);
            return bad(c, e->place);
        }
    VEC(const char *) names = { 0 };
    for (int i = 0; i < n_distributions; i++) vec_push(&c->work, &names, distributions[i].name);
    for (size_t i = 0; i < sizeof of_queues / sizeof *of_queues; i++)
        vec_push(&c->work, &names, of_queues[i]);
    for (int i = 0; i < EXPR_N_OPS; i++)
        if (expr_ops[i].is_function) vec_push(&c->work, &names, expr_ops[i].text);
    for (size_t i = 0; i < front_n_functions; i++) vec_push(&c->work, &names, front_functions[i].name);
    for (size_t i = 0; i < c->functions.names.n; i++)
        vec_push(&c->work, &names, names_text(&c->functions.names, (uint32_t)i));
    const char *closest = text_closest(name, names.items, names.n);
    if (strcmp(name, "queue") == 0 || strcmp(name, "tally") == 0 || strcmp(name, "level") == 0)
        diag_hint(c->diag, "it is the value of a declaration: var waiting = %s()", name);
    else diag_suggest(c->diag, name, closest);
    return bad(c, e->place);
}

// ---------------------------------------------------------------------------------------------- expressions

AtomicExpr *check_conversion(Checker *c, AtomicExpr *value, const AstExpr *node)
{
    const UnitConversion by = units_conversion(c->units, c->site, node);
    if (value->type.base != ATOMIC_NUMBER) return value;
    if (by.scale != 1)
        value = join(c, EXPR_MUL, value, constant(c, by.scale, TYPE_NUMBER, node->place), node->place);
    if (by.offset != 0)
        value = join(c, EXPR_ADD, value, constant(c, by.offset, TYPE_NUMBER, node->place), node->place);
    return value;
}

AtomicExpr *check_expr(Checker *c, const AstExpr *e, AtomicType want)
{
    switch (e->kind) {
    case AST_NUMBER: return constant(c, e->number.value, TYPE_NUMBER, e->place);
    case AST_REF: return check_ref(c, e, want);
    case AST_CALL: return check_call(c, e);
    case AST_UNARY: return check_unary(c, e);
    case AST_BINARY: return check_binary(c, e, want);
    case AST_IF: return check_if(c, e, want);
    case AST_CONVERT: return check_conversion(c, check_number(c, e->operands.a), e);
    case AST_RANGE: CHECK_FAIL(c, DIAG_SLICE_MISPLACED, e->place, "a range"); return bad(c, e->place);
    }
    return bad(c, e->place);
}

AtomicExpr *check_typed(Checker *c, const AstExpr *e, AtomicType type)
{
    AtomicExpr *x = check_expr(c, e, type);
    return type.base == ATOMIC_BAD || needs(c, x, type) ? x : bad(c, e->place);
}

AtomicExpr *check_number(Checker *c, const AstExpr *e) { return check_typed(c, e, TYPE_NUMBER); }
AtomicExpr *check_condition(Checker *c, const AstExpr *e) { return check_typed(c, e, TYPE_TRUTH); }
