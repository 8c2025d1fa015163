// src/atomic/check.c: from the Ast of records, enumerations and atomics to typed programs.
#include "atomic/check.h"
#include <math.h>

enum { STATES_MAX = 100000, PARAM_ELEMENTS_MAX = 999 };

// ---------------------------------------------------------------------------------------------- types

static bool report_twice(Checker *c, const char *name, Place place, Place first)
{
    CHECK_FAIL(c, DIAG_NAME_TWICE, place, name);
    diag_note(c->diag, first, "'%s' is declared here first", name);
    return false;
}

static AtomicType find_type(const AtomicSet *set, const char *name)
{
    const Ast *ast = set->ast;
    if (!name || strcmp(name, "number") == 0) return TYPE_NUMBER;
    if (strcmp(name, "boolean") == 0) return TYPE_TRUTH;
    if (strcmp(name, "nothing") == 0) return (AtomicType){ .base = ATOMIC_NOTHING };
    for (uint32_t i = 0; i < ast->records.n; i++)
        if (strcmp(ast->records.items[i].name, name) == 0)
            return (AtomicType){ .base = ATOMIC_RECORD, .index = i };
    for (uint32_t i = 0; i < ast->enums.n; i++)
        if (strcmp(ast->enums.items[i].name, name) == 0)
            return (AtomicType){ .base = ATOMIC_ENUM, .index = i };
    return TYPE_ANY;
}

static void report_type(const AtomicSet *set, const char *name, Place place, orr_diag *diag)
{
    diag_report(diag, DIAG_TYPE_UNKNOWN, place, name);
    Arena work = { 0 };
    VEC(const char *) names = { 0 };
    vec_push(&work, &names, "number");
    vec_push(&work, &names, "boolean");
    vec_push(&work, &names, "nothing");
    for (size_t i = 0; i < set->ast->records.n; i++) vec_push(&work, &names, set->ast->records.items[i].name);
    for (size_t i = 0; i < set->ast->enums.n; i++) vec_push(&work, &names, set->ast->enums.items[i].name);
    const char *closest = text_closest(name, names.items, names.n);
    if (strcmp(name, "bool") == 0) closest = "boolean";
    if (closest) diag_suggest(diag, name, closest);
    else diag_hint(diag, "define it: record %s … end, or enum %s a, b, c", name, name);
    arena_free(&work);
}

// The type of a variable or a field: a value that can be kept.
static AtomicType kept_type(Checker *c, const char *name, Place place, bool is_field)
{
    const AtomicType type = find_type(c->set, name);
    if (type.base == ATOMIC_BAD) {
        c->n_errors++;
        report_type(c->set, name, place, c->diag);
    } else if (type.base == ATOMIC_NOTHING || (is_field && type.base == ATOMIC_RECORD)) {
        CHECK_FAIL(c, DIAG_TYPE_MISMATCH, place,
                   is_field ? "a number, boolean or an enumeration" : "a type of values", check_a(c, type));
        return TYPE_ANY;
    }
    return type;
}

static void check_enums(Checker *c)
{
    const Ast *ast = c->set->ast;
    for (uint32_t k = 0; k < ast->enums.n; k++) {
        const AstEnum *e = &ast->enums.items[k];
        if (!text_map_put(&c->types, text_from(e->name), (uint32_t)ast->records.n + k))
            report_twice(c, e->name, e->place, (Place){ 0 });
        for (uint32_t i = 0; i < e->n_values; i++) {
            text_map_put(&c->enum_values, text_from(e->values[i]), k + 1);
            for (uint32_t j = 0; j < i && e->n_values <= ATOMIC_FIELDS_MAX; j++)
                if (strcmp(e->values[i], e->values[j]) == 0)
                    report_twice(c, e->values[i], e->places[i], e->places[j]);
        }
        if (e->n_values > ATOMIC_FIELDS_MAX)
            CHECK_FAIL(c, DIAG_MODEL_TOO_LARGE, e->place, (size_t)e->n_values, "values of an enumeration",
                       (size_t)ATOMIC_FIELDS_MAX);
    }
}

// What runs need must not end with the source.
static const char *keep(Checker *c, const char *text)
{
    return text ? text_copy(c->arena, text_from(text)) : NULL;
}

static void check_records(Checker *c)
{
    const Ast *ast = c->set->ast;
    c->set->records = ARENA_ARRAY(c->arena, AtomicRecord, ast->records.n);
    c->set->n_records = (uint32_t)ast->records.n;
    for (uint32_t k = 0; k < ast->records.n; k++) {
        const AstRecord *r = &ast->records.items[k];
        AtomicRecord *record = &c->set->records[k];
        if (!text_map_put(&c->types, text_from(r->name), k)) report_twice(c, r->name, r->place, (Place){ 0 });
        record->ast = r;
        record->name = keep(c, r->name);
        record->fields = ARENA_ARRAY(c->arena, AtomicField, r->n_fields);
        record->n_fields = r->n_fields;
        if (r->n_fields == 0) {
            CHECK_FAIL(c, DIAG_EXPECTED, r->place, "a record with fields", "an empty one");
            diag_hint(c->diag, "a message that tells nothing needs no record: input event kick : nothing");
        }
        if (r->n_fields > ATOMIC_FIELDS_MAX) {
            CHECK_FAIL(c, DIAG_MODEL_TOO_LARGE, r->place, (size_t)r->n_fields, "fields of a record",
                       (size_t)ATOMIC_FIELDS_MAX);
            continue;
        }
        for (uint32_t i = 0; i < r->n_fields; i++) {
            const AstField *f = &r->fields[i];
            record->fields[i] = (AtomicField){
                keep(c, f->name), keep(c, f->unit ? f->unit : units_field_text(c->units, k, f->name)),
                kept_type(c, f->type, f->type_place, true), f->place
            };
            for (uint32_t j = 0; j < i; j++)
                if (strcmp(f->name, r->fields[j].name) == 0)
                    report_twice(c, f->name, f->place, r->fields[j].place);
        }
    }
}

// ---------------------------------------------------------------------------------------------- declarations

// As declared, or as found.
static const char *unit_of(Checker *c, const char *name, const char *declared)
{
    return keep(c, declared ? declared : units_text(c->units, c->site, name));
}

static Entity *declare(Checker *c, Entity entity)
{
    static const char *const reserved[] = { "t", "elapsed", "remaining", "true", "false" };
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(entity.name, reserved[i]) == 0)
            CHECK_FAIL(c, DIAG_NAME_RESERVED, entity.place, entity.name);
    if (!text_map_put(&c->names, text_from(entity.name), (uint32_t)c->entities.n))
        report_twice(c, entity.name, entity.place, check_find(c, entity.name)->place);
    vec_push(&c->work, &c->entities, entity);
    return &vec_last(&c->entities);
}

// The size of an array: made of numbers and constants that are declared above.
static uint32_t array_size(Checker *c, const AstExpr *given, const char *name, uint32_t most)
{
    c->where = IN_CONST;
    const AtomicExpr *size = check_number(c, given);
    c->where = IN_ACTS;
    if (size->type.base == ATOMIC_BAD) return 1;
    if (size->op == ATOMIC_OP_CONST && size->value >= 1 && size->value <= most &&
        size->value == floor(size->value))
        return (uint32_t)size->value;
    char text[40];
    snprintf(text, sizeof text, "%g", size->value);
    CHECK_FAIL(c, DIAG_SIZE_BAD, given->place, name, text, (long long)most);
    return 1;
}

static void declare_params(Checker *c)
{
    const AstAtomic *a = c->ast;
    AtomicKind *kind = c->kind;
    for (uint32_t i = 0; i < a->n_params; i++) {
        const AstDecl *d = &a->params[i];
        Entity entity = { .name = d->name, .type = TYPE_NUMBER, .place = d->place };
        if (d->n_sizes > 1) CHECK_FAIL(c, DIAG_EXPECTED, d->sizes[1]->place, "one size", "several");
        if (d->is_drawn) {
            entity.kind = ENTITY_DRAW;
            entity.draw = d->value;
            if (d->n_sizes > 0) CHECK_FAIL(c, DIAG_NOT_YET, d->place, "an array of draws");
        } else if (d->kind == AST_PARAM) {
            entity.kind = ENTITY_PARAM;
            entity.slot = ATOMIC_SLOT_PARAMS + kind->n_params;
            c->n_declared = (uint32_t)c->entities.n;
            if (d->n_sizes > 0) entity.n = array_size(c, d->sizes[0], d->name, PARAM_ELEMENTS_MAX);
            kind->params = arena_grow(c->arena, kind->params, kind->n_params,
                                      kind->n_params + (entity.n ? entity.n : 1), sizeof *kind->params);
            for (uint32_t k = 0; k < (entity.n ? entity.n : 1); k++) {
                const char *name = entity.n ? arena_printf(c->arena, "%s[%u]", d->name, k + 1)
                                            : keep(c, d->name);
                kind->params[kind->n_params++] = (AtomicParam){
                    name, unit_of(c, d->name, d->unit), keep(c, d->doc), d->value, d->place, d->unit_place
                };
            }
        } else {
            entity.kind = ENTITY_CONST;
            c->where = IN_CONST;
            c->n_declared = (uint32_t)c->entities.n;
            const AtomicExpr *value = check_expr(c, d->value, TYPE_ANY);
            c->where = IN_ACTS;
            entity.type = value->type;
            entity.value = value->value;
            if (value->type.base != ATOMIC_BAD && value->op != ATOMIC_OP_CONST) {
                CHECK_FAIL(c, DIAG_CONST_NEEDED, d->value->place, d->name);
                entity.type = TYPE_ANY;
            }
        }
        declare(c, entity);
    }
}

enum { PORTS_MAX = 1000 };    // of an array

static void declare_ports(Checker *c)
{
    const AstAtomic *a = c->ast;
    AtomicKind *kind = c->kind;
    uint32_t *sizes = ARENA_ARRAY(&c->work, uint32_t, a->n_ports), n = 0;
    c->n_declared = (uint32_t)c->entities.n;    // sizes may read constants
    for (uint32_t i = 0; i < a->n_ports; i++) {
        const AstPort *port = &a->ports[i];
        sizes[i] = port->size ? array_size(c, port->size, port->name, PORTS_MAX) : 1;
        n += sizes[i];
    }
    kind->inputs = ARENA_ARRAY(c->arena, AtomicPort, n);
    kind->outputs = ARENA_ARRAY(c->arena, AtomicPort, n);
    for (uint32_t i = 0; i < a->n_ports; i++) {
        const AstPort *port = &a->ports[i];
        AtomicPort made = { keep(c, port->name), find_type(c->set, port->type), port };
        if (made.type.base == ATOMIC_BAD) {
            c->n_errors++;
            report_type(c->set, port->type, port->type_place, c->diag);
        }
        Entity entity = { .kind = port->is_output ? ENTITY_OUTPUT : ENTITY_INPUT,
                          .name = port->name,
                          .type = made.type,
                          .place = port->place };
        entity.slot = port->is_output ? kind->n_outputs : kind->n_inputs;
        entity.n = port->size ? sizes[i] : 0;
        for (uint32_t k = 1; k <= sizes[i]; k++) {
            if (port->size) made.name = arena_printf(c->arena, "%s[%u]", port->name, k);
            if (port->is_output) kind->outputs[kind->n_outputs++] = made;
            else kind->inputs[kind->n_inputs++] = made;
        }
        declare(c, entity);
    }
}

static void add_readable(Checker *c, AtomicReadable readable)
{
    AtomicKind *kind = c->kind;
    if ((kind->n_readables & (kind->n_readables - 1)) == 0)
        kind->readables = arena_grow(c->arena, kind->readables, kind->n_readables,
                                     kind->n_readables ? 2 * (size_t)kind->n_readables : 1, sizeof readable);
    kind->readables[kind->n_readables++] = readable;
}

static void read_one(Checker *c, const AstCell *cell, const Entity *entity, const char *name, uint32_t slot)
{
    AtomicReadable r = { .name = name,
                         .unit = unit_of(c, cell->name, cell->unit),
                         .how = ATOMIC_READ_SLOT,
                         .type = entity->type,
                         .slot = slot,
                         .is_main = entity->n == 0,
                         .place = cell->place };
    static const struct {
        const char *name;
        AtomicHow how;
        double p;
    } parts[] = {
        { "count", ATOMIC_READ_COUNT, 0 },         { "mean", ATOMIC_READ_MEAN, 0 },
        { "deviation", ATOMIC_READ_DEVIATION, 0 }, { "lowest", ATOMIC_READ_LOWEST, 0 },
        { "highest", ATOMIC_READ_HIGHEST, 0 },     { "median", ATOMIC_READ_QUANTILE, 0.5 },
    };
    switch (entity->type.base) {
    case ATOMIC_QUEUE:
        r.how = ATOMIC_READ_LENGTH;
        r.type = TYPE_NUMBER;
        r.unit = NULL;
        r.line = diag_line(c->diag, cell->place);
        r.path = keep(c, cell->place.file && c->diag ? diag_path(c->diag, cell->place.file) : NULL);
        add_readable(c, r);
        break;
    case ATOMIC_RECORD: {
        const AtomicRecord *record = &c->set->records[entity->type.index];
        r.is_main = false;
        for (uint32_t i = 0; i < record->ast->n_fields; i++) {
            const AtomicField *f = &record->fields[i];
            AtomicReadable part = r;
            part.name = arena_printf(c->arena, "%s.%s", name, f->name);
            part.unit = keep(c, f->unit);
            part.type = f->type;
            part.slot += i;
            add_readable(c, part);
        }
        break;
    }
    case ATOMIC_TALLY:
    case ATOMIC_LEVEL: {
        const bool is_level = entity->type.base == ATOMIC_LEVEL;
        r.type = TYPE_NUMBER;
        r.how = is_level ? ATOMIC_READ_NOW : ATOMIC_READ_COUNT;
        r.is_level = is_level;
        const char *unit = r.unit;
        if (!is_level) r.unit = NULL;
        add_readable(c, r);
        r.is_main = false;
        for (size_t i = is_level; i < sizeof parts / sizeof *parts; i++) {
            r.name = arena_printf(c->arena, "%s.%s", name, parts[i].name);
            r.how = parts[i].how;
            r.unit = r.how == ATOMIC_READ_COUNT ? NULL : unit;
            r.p = parts[i].p;
            add_readable(c, r);
        }
        for (uint32_t percent = 1; percent < 100; percent++) {
            r.name = arena_printf(c->arena, "%s.p%u", cell->name, percent);
            r.how = ATOMIC_READ_QUANTILE;
            r.p = percent / 100.0;
            add_readable(c, r);
        }
        break;
    }
    default: add_readable(c, r);
    }
}

static void read_cell(Checker *c, const AstCell *cell, const Entity *entity)
{
    if (entity->n == 0) read_one(c, cell, entity, keep(c, cell->name), entity->slot);
    const uint32_t stride = entity->n ? atomic_type_slots(c->set, entity->type) : 0;
    for (uint32_t i = 0; i < entity->n; i++)
        read_one(c, cell, entity, arena_printf(c->arena, "%s[%u]", cell->name, i + 1),
                 entity->slot + i * stride);
}

// queue(), queue(Job), tally(), level()
static bool container_type(Checker *c, const AstCell *cell, AtomicType *type)
{
    const AstExpr *e = cell->value;
    if (!e || e->kind != AST_CALL) return false;
    const char *name = e->call.function;
    const bool is_queue = strcmp(name, "queue") == 0;
    if (!is_queue && strcmp(name, "tally") != 0 && strcmp(name, "level") != 0) return false;
    *type = (AtomicType){ .base = is_queue         ? ATOMIC_QUEUE
                                  : name[0] == 't' ? ATOMIC_TALLY
                                                   : ATOMIC_LEVEL,
                          .element = ATOMIC_NUMBER };
    if (!is_queue) {
        if (e->call.n_args > (type->base == ATOMIC_LEVEL))
            check_arguments(c, e, UINT32_MAX,
                            type->base == ATOMIC_LEVEL ? "a first value at most" : "nothing");
        return true;
    }
    if (e->call.n_args == 0) return true;
    const AstExpr *of = e->call.args[0];
    if (e->call.n_args > 1 || of->kind != AST_REF || of->ref.n_parts != 1 || of->ref.parts[0].n_indices > 0) {
        check_arguments(c, e, UINT32_MAX, "the name of a type at most");
        *type = TYPE_ANY;
        return true;
    }
    const char *of_name = of->ref.parts[0].name;
    const AtomicType element = find_type(c->set, of_name);
    if (element.base == ATOMIC_BAD) {
        c->n_errors++;
        report_type(c->set, of_name, of->place, c->diag);
        *type = TYPE_ANY;
    } else {
        type->element = element.base == ATOMIC_NOTHING ? ATOMIC_NUMBER : element.base;
        type->index = element.index;
    }
    return true;
}

static void declare_cells(Checker *c)
{
    const AstAtomic *a = c->ast;
    AtomicKind *kind = c->kind;
    VEC(AtomicAct) begin = { 0 };
    size_t n_slots = ATOMIC_SLOT_PARAMS + kind->n_params;
    add_readable(c, (AtomicReadable){ .name = "state",
                                      .how = ATOMIC_READ_STATE,
                                      .type = TYPE_NUMBER,
                                      .slot = ATOMIC_SLOT_STATE,
                                      .is_main = true,
                                      .place = a->place });
    for (uint32_t i = 0; i < a->n_cells; i++) {
        const AstCell *cell = &a->cells[i];
        Entity entity = { .kind = ENTITY_CELL, .name = cell->name, .place = cell->place };
        c->n_declared = (uint32_t)c->entities.n;
        if (cell->size) entity.n = array_size(c, cell->size, cell->name, ATOMIC_SLOTS_MAX);
        AtomicExpr *value = NULL, *first = NULL;
        const bool is_container = container_type(c, cell, &entity.type);
        const AtomicType given = cell->type ? kept_type(c, cell->type, cell->type_place, false) : TYPE_ANY;
        if (is_container) {
            entity.is_assigned = true;
            if (cell->type)
                CHECK_FAIL(c, DIAG_TYPE_MISMATCH, cell->type_place, "a declaration without a type", "one");
            if (entity.type.base == ATOMIC_LEVEL && cell->value->call.n_args == 1)
                first = check_number(c, cell->value->call.args[0]);
        } else if (cell->value) {
            value = cell->type ? check_typed(c, cell->value, given) : check_expr(c, cell->value, TYPE_ANY);
            entity.type = cell->type ? given : value->type;
            entity.is_assigned = true;
        } else {
            entity.type = cell->type ? given : TYPE_NUMBER;
        }
        entity.slot = (uint32_t)n_slots;
        const size_t stride = atomic_type_slots(c->set, entity.type);
        n_slots += entity.n > 0 ? stride * entity.n : stride;
        if (n_slots > ATOMIC_SLOTS_MAX) {
            CHECK_FAIL(c, DIAG_MODEL_TOO_LARGE, cell->place, n_slots, "numbers in the state of an atomic",
                       (size_t)ATOMIC_SLOTS_MAX);
            break;
        }
        // first values, in order; an enumeration without one begins with its first
        if (!value && entity.type.base == ATOMIC_ENUM) {
            value = ARENA_NEW(c->arena, AtomicExpr);
            *value =
                (AtomicExpr){ .op = ATOMIC_OP_CONST, .type = entity.type, .value = 1, .place = cell->place };
        }
        if (value && value->type.base != ATOMIC_BAD) {
            AtomicAct act = { .kind = ATOMIC_SET, .slot = entity.slot, .n = entity.n, .value = value };
            if (value->type.base == ATOMIC_RECORD)
                act.index = (AtomicIndex){ .n = entity.n, .stride = (uint32_t)stride };
            vec_push(c->arena, &begin, act);
        }
        declare(c, entity);
        vec_reserve(&c->work, &c->firsts, c->entities.n);
        c->firsts.items[c->entities.n - 1] = first;
        read_cell(c, cell, &vec_last(&c->entities));
    }
    c->n_declared = (uint32_t)c->entities.n;
    kind->begin = begin.items;
    kind->n_begin = (uint32_t)begin.n;
    kind->n_slots = (uint32_t)n_slots;
}

// ---------------------------------------------------------------------------------------------- statements

static void report_port(Checker *c, const char *name, Place place, bool is_output)
{
    CHECK_FAIL(c, DIAG_PORT_UNKNOWN, place, c->kind->name, is_output ? "output event" : "input event", name);
    const uint32_t n = is_output ? c->kind->n_outputs : c->kind->n_inputs;
    const char **names = ARENA_ARRAY(&c->work, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = is_output ? c->kind->outputs[i].name : c->kind->inputs[i].name;
    const char *closest = text_closest(name, names, n);
    const Entity *entity = check_find(c, name);
    if (closest) diag_suggest(c->diag, name, closest);
    else if (entity && entity->kind == (is_output ? ENTITY_INPUT : ENTITY_OUTPUT))
        diag_hint(c->diag, "'%s' is an %s event", name, is_output ? "input" : "output");
    else diag_hint(c->diag, "declare it: %s event %s", is_output ? "output" : "input", name);
}

static AtomicAct *check_acts(Checker *c, const AstAct *acts, uint32_t n, uint32_t *n_out);

static bool check_target(Checker *c, const AstAct *ast, AtomicAct *act, AtomicType *type)
{
    const AstRef *ref = &ast->target;
    const char *name = ref->parts[0].name;
    for (const Local *l = c->locals; l; l = l->outer)
        if (strcmp(l->name, name) == 0) {
            CHECK_FAIL(c, DIAG_NOT_ASSIGNABLE, ast->target_place, name, "the index of a loop");
            return false;
        }
    Entity *entity = check_find(c, name);
    if (!entity) {
        check_unknown(c, name, ast->target_place);
        return false;
    }
    static const char *const kinds[] = { "a parameter", "a constant", "", "an input event",
                                         "an output event" };
    if (entity->kind != ENTITY_CELL) {
        CHECK_FAIL(c, DIAG_NOT_ASSIGNABLE, ast->target_place, name, kinds[entity->kind]);
        if (entity->kind == ENTITY_OUTPUT)
            diag_hint(c->diag, "it is sent when a state ends: after send %s(…) -> …", name);
        else if (entity->kind == ENTITY_PARAM)
            diag_hint(c->diag, "what changes is a variable: var %s = …", name);
        return false;
    }
    if (entity->type.base == ATOMIC_BAD) {
        c->n_errors++;
        return false;
    }
    if (entity->type.base >= ATOMIC_QUEUE) {
        CHECK_FAIL(c, DIAG_NOT_ASSIGNABLE, ast->target_place, name, check_a(c, entity->type));
        diag_hint(c->diag, "%s",
                  entity->type.base == ATOMIC_QUEUE   ? "use push, insert, pop, remove or clear"
                  : entity->type.base == ATOMIC_TALLY ? "write add(s, value)"
                                                      : "write set(s, value)");
        return false;
    }
    const AstExpr target = { .kind = AST_REF, .ref = *ref, .place = ast->target_place };
    const bool was_read = entity->is_read;
    const AtomicExpr *place = check_expr(c, &target, TYPE_ANY);
    entity->is_read = was_read;
    entity->is_assigned = true;
    if (place->type.base == ATOMIC_BAD) return false;
    *type = place->type;
    act->slot = place->slot;
    act->fault = place->fault;
    act->index = place->index;
    if (place->op == ATOMIC_OP_ELEMENT) {
        act->n = place->n;
        act->other = place->args[0];
    }
    return true;
}

static bool check_call_act(Checker *c, const AstAct *ast, AtomicAct *act)
{
    const AstExpr *call = ast->value;
    const char *name = call->call.function;
    const bool is_push = strcmp(name, "push") == 0, is_insert = strcmp(name, "insert") == 0;
    if (is_push || is_insert || strcmp(name, "clear") == 0) {
        const uint32_t n = is_insert ? 3 : is_push ? 2 : 1;
        if (!check_arguments(c, call, n,
                             is_insert ? "a queue, a value and a rank"
                             : is_push ? "a queue and a value"
                                       : "a queue"))
            return false;
        Entity *queue = check_named(c, call->call.args[0], ATOMIC_QUEUE, &act->index);
        if (!queue) return false;
        act->kind = is_insert ? ATOMIC_INSERT : is_push ? ATOMIC_PUSH : ATOMIC_CLEAR;
        act->slot = queue->slot;
        const AtomicType element = { .base = queue->type.element, .index = queue->type.index };
        if (n > 1) act->value = check_typed(c, call->call.args[1], element);
        if (is_insert) {
            queue->is_ranked = true;
            if (queue->array) queue->array->is_ranked = true;
            act->other = check_number(c, call->call.args[2]);
            act->fault = check_fault(c, ATOMIC_FAULT_RANK, queue->name, call->call.args[2]->place);
        }
        return n == 1 || act->value->type.base != ATOMIC_BAD;
    }
    const bool is_add = strcmp(name, "add") == 0;
    if (is_add || strcmp(name, "set") == 0) {
        if (!check_arguments(c, call, 2, is_add ? "a tally and a number" : "a level and a number"))
            return false;
        Entity *statistic =
            check_named(c, call->call.args[0], is_add ? ATOMIC_TALLY : ATOMIC_LEVEL, &act->index);
        if (!statistic) return false;
        act->kind = is_add ? ATOMIC_ADD : ATOMIC_LEVEL_SET;
        act->slot = statistic->slot;
        act->value = check_number(c, call->call.args[1]);
        return act->value->type.base != ATOMIC_BAD;
    }
    if (strcmp(name, "reset") == 0) {
        if (!check_arguments(c, call, 1, "a statistic")) return false;
        const AstExpr *arg = call->call.args[0];
        const Entity *named = arg->kind == AST_REF ? check_find(c, arg->ref.parts[0].name) : NULL;
        const bool is_level = named && named->type.base == ATOMIC_LEVEL;
        Entity *statistic = check_named(c, arg, is_level ? ATOMIC_LEVEL : ATOMIC_TALLY, &act->index);
        if (!statistic) return false;
        act->kind = ATOMIC_RESET;
        act->slot = statistic->slot;
        act->n = is_level;
        return true;
    }
    act->kind = ATOMIC_DROP;
    act->value = check_expr(c, call, TYPE_ANY);
    if (act->value->type.base == ATOMIC_BAD) return false;
    if (act->value->has_effects) return true;
    CHECK_FAIL(c, DIAG_EXPECTED, call->place, "a statement", "a value");
    diag_hint(c->diag, "keep it: x := %s(…)", name);
    return false;
}

// on job if … do … end: one message of the bag, in `confluent`.
static bool check_take(Checker *c, const AstAct *ast, AtomicAct *act)
{
    act->kind = ATOMIC_TAKE_ONE;
    if (c->port != NO_PORT) {
        CHECK_FAIL(c, DIAG_EXPECTED, ast->place, "a statement", "'on' inside 'on'");
        diag_hint(c->diag, "messages are taken one by one: write one 'on' behind the other");
        return false;
    }
    Entity *port = check_find(c, ast->index);
    if (!port || port->kind != ENTITY_INPUT) {
        report_port(c, ast->index, ast->target_place, false);
        return false;
    }
    port->is_assigned = true;    // somebody takes it
    act->n = c->port = port->slot;
    if (ast->value) {
        c->where = IN_GUARD;
        act->value = check_condition(c, ast->value);
        c->where = IN_ACTS;
    }
    act->body = check_acts(c, ast->body, ast->n_body, &act->n_body);
    c->port = NO_PORT;
    return !act->value || act->value->type.base != ATOMIC_BAD;
}

static bool check_act(Checker *c, const AstAct *ast, AtomicAct *act)
{
    *act = (AtomicAct){ 0 };
    switch (ast->kind) {
    case AST_ACT_ASSIGN: {
        AtomicType type = TYPE_ANY;
        act->kind = ATOMIC_SET;
        const bool ok = check_target(c, ast, act, &type);
        act->value = ok ? check_typed(c, ast->value, type) : check_expr(c, ast->value, TYPE_ANY);
        return ok && act->value->type.base != ATOMIC_BAD;
    }
    case AST_ACT_CALL: return check_call_act(c, ast, act);
    case AST_ACT_ON: return check_take(c, ast, act);
    case AST_ACT_IF:
        act->kind = ATOMIC_BRANCH;
        act->value = check_condition(c, ast->value);
        act->body = check_acts(c, ast->body, ast->n_body, &act->n_body);
        act->rest = check_acts(c, ast->other, ast->n_other, &act->n_rest);
        return act->value->type.base != ATOMIC_BAD;
    case AST_ACT_FOR: {
        act->kind = ATOMIC_LOOP;
        act->value = check_number(c, ast->value);
        act->other = check_number(c, ast->last);
        act->n = c->n_locals++;
        act->fault = check_fault(c, ATOMIC_FAULT_LOOP, ast->index, ast->place);
        const Local local = { ast->index, act->n, c->locals, NULL };
        c->locals = &local;
        act->body = check_acts(c, ast->body, ast->n_body, &act->n_body);
        c->locals = local.outer;
        return act->value->type.base != ATOMIC_BAD && act->other->type.base != ATOMIC_BAD;
    }
    }
    return false;
}

static AtomicAct *check_acts(Checker *c, const AstAct *acts, uint32_t n, uint32_t *n_out)
{
    AtomicAct *list = ARENA_ARRAY(c->arena, AtomicAct, n);
    *n_out = 0;
    for (uint32_t i = 0; i < n; i++) {
        // one `on` behind the other: together they take all messages, in their order
        uint32_t n_takes = 0;
        while (i + n_takes < n && acts[i + n_takes].kind == AST_ACT_ON) n_takes++;
        if (n_takes == 0) {
            if (check_act(c, &acts[i], &list[*n_out])) (*n_out)++;
            continue;
        }
        AtomicAct *all = &list[(*n_out)++];
        *all = (AtomicAct){ .kind = ATOMIC_MESSAGES, .body = ARENA_ARRAY(c->arena, AtomicAct, n_takes) };
        for (uint32_t k = 0; k < n_takes; k++)
            if (check_act(c, &acts[i + k], &all->body[all->n_body])) all->n_body++;
        i += n_takes - 1;
    }
    return list;
}

// ---------------------------------------------------------------------------------------------- goals

static bool find_state(Checker *c, const char *name, Place place, int32_t *state)
{
    const uint32_t *found = text_map_find(&c->states, text_from(name));
    if (found) {
        *state = (int32_t)*found;
        return true;
    }
    CHECK_FAIL(c, DIAG_STATE_UNKNOWN, place, c->kind->name, name);
    const char **names = ARENA_ARRAY(&c->work, const char *, c->ast->n_states);
    for (uint32_t i = 0; i < c->ast->n_states; i++) names[i] = c->ast->states[i].name;
    if (!diag_suggest(c->diag, name, text_closest(name, names, c->ast->n_states)))
        diag_hint(c->diag, "write 'state %s' and what happens there", name);
    return false;
}

static void check_chances(Checker *c, const AstGoal *ast, AtomicGoal *goal)
{
    double sum = 0;
    bool all = true;
    goal->n_chances = ast->n_chances;
    goal->chances = ARENA_ARRAY(c->arena, AtomicExpr *, ast->n_chances);
    for (uint32_t i = 0; i < ast->n_chances; i++) {
        AtomicExpr *chance = goal->chances[i] = check_number(c, ast->chances[i]);
        if (chance->type.base == ATOMIC_BAD || chance->op != ATOMIC_OP_CONST) all = false;
        else if (!(chance->value >= 0))
            CHECK_FAIL(c, DIAG_ATOMIC_CHANCES, chance->place, "must not be negative");
        sum += chance->value;
    }
    if (all && fabs(sum - 1) > 1e-9) {
        char text[60];
        snprintf(text, sizeof text, "sum to %g, not to 1", sum);
        CHECK_FAIL(c, DIAG_ATOMIC_CHANCES, ast->place, text);
    }
    goal->fault = check_fault(c, ATOMIC_FAULT_CHANCES, "", ast->place);
    c->kind->stream = 1;
}

// `stay` is where a goal leads that names no state: -1 is the present one, keeping time. With `is_over`
// there is no time to keep.
static AtomicGoal check_goal(Checker *c, const AstGoal *ast, int32_t stay, bool is_over)
{
    AtomicGoal goal = { .state = stay, .keeps = ast->keeps };
    if (ast->condition || ast->n_chances > 0) goal.state = -1;
    if (ast->keeps && is_over) {
        CHECK_FAIL(c, DIAG_KEEPING, ast->place);
        diag_hint(c->diag, "write -> %s; a new time begins there", ast->state);
    }
    goal.acts = check_acts(c, ast->acts, ast->n_acts, &goal.n_acts);
    if (ast->state) find_state(c, ast->state, ast->place, &goal.state);
    if (ast->condition) {
        goal.condition = check_condition(c, ast->condition);
        goal.yes = ARENA_NEW(c->arena, AtomicGoal);
        goal.no = ARENA_NEW(c->arena, AtomicGoal);
        *goal.yes = check_goal(c, ast->yes, stay, is_over);
        *goal.no = check_goal(c, ast->no, stay, is_over);
    }
    if (ast->n_chances > 0) {
        check_chances(c, ast, &goal);
        goal.cases = ARENA_ARRAY(c->arena, AtomicGoal, ast->n_chances);
        for (uint32_t i = 0; i < ast->n_chances; i++)
            goal.cases[i] = check_goal(c, &ast->cases[i], stay, is_over);
    }
    return goal;
}

// ---------------------------------------------------------------------------------------------- transitions

// Which of an array of ports: *slot; `index` NULL: that must be known.
static bool check_port_index(Checker *c, Entity *port, const AstExpr *given, Place place, uint32_t *slot,
                             AtomicIndex *index)
{
    AstExpr *indices[] = { (AstExpr *)given };
    const AstPart part = { port->name, indices, given != NULL };
    AtomicIndex found = { 0 };
    *slot = port->slot;
    if (!given && port->n == 0) return true;
    if (!check_index(c, port, &part, place, slot, &found)) return false;
    if (index) *index = found;
    if (!found.expr || index) return true;
    CHECK_FAIL(c, DIAG_CONST_NEEDED, given->place, port->name);
    diag_hint(c->diag, "a number, or a new name that stands for each of them");
    return false;
}

static bool check_emit(Checker *c, const AstEmit *ast, AtomicEmit *emit)
{
    *emit = (AtomicEmit){ 0 };
    c->where = IN_SEND;
    Entity *port = check_find(c, ast->port);
    bool ok = port && port->kind == ENTITY_OUTPUT;
    if (!ok) report_port(c, ast->port, ast->port_place, true);
    else port->is_read = true;
    if (ok) ok = check_port_index(c, port, ast->index, ast->port_place, &emit->port, &emit->index);
    if (ast->condition) emit->condition = check_condition(c, ast->condition);
    const AtomicType type = ok ? port->type : TYPE_ANY;
    if (ast->value) emit->value = check_expr(c, ast->value, type);
    if (ok && type.base != ATOMIC_BAD) {
        const AtomicType sent = emit->value ? emit->value->type : (AtomicType){ .base = ATOMIC_NOTHING };
        if (sent.base != ATOMIC_BAD && !check_same(sent, type)) {
            CHECK_FAIL(c, DIAG_MESSAGE_VALUE, ast->place, ast->port, check_a(c, type), check_a(c, sent));
            if (!emit->value)
                diag_hint(c->diag,
                          "write send %s(…), or declare it without a value: output event %s : nothing",
                          ast->port, ast->port);
            ok = false;
        }
        if (emit->value && emit->value->type.base == ATOMIC_BAD) ok = false;
    }
    c->where = IN_ACTS;
    return ok;
}

static bool check_move(Checker *c, const AstTransition *ast, int32_t state, AtomicMove *move)
{
    bool ok = true;
    *move = (AtomicMove){ 0 };
    c->port = NO_PORT;
    if (ast->port) {
        Entity *port = check_find(c, ast->port);
        ok = port && port->kind == ENTITY_INPUT;
        if (ok) {
            ok = check_port_index(c, port, ast->index, ast->port_place, &move->port, NULL);
            c->port = move->port;
            port->is_assigned = true;    // somebody takes it
        } else {
            report_port(c, ast->port, ast->port_place, false);
        }
    }
    if (ast->guard) {
        c->where = IN_GUARD;
        move->guard = check_condition(c, ast->guard);
        c->where = IN_ACTS;
    }
    move->emits = ARENA_ARRAY(c->arena, AtomicEmit, ast->n_emits);
    for (uint32_t i = 0; i < ast->n_emits; i++)
        if (check_emit(c, &ast->emits[i], &move->emits[move->n_emits])) move->n_emits++;
    move->goal = check_goal(c, &ast->goal, ast->port ? -1 : state, !ast->port);
    c->port = NO_PORT;
    return ok;
}

// `on p[i]` with a new name i: how many elements it stands for; 0: it is no such.
static uint32_t each_of(const Checker *c, const AstTransition *t)
{
    const AstExpr *i = t->index;
    const bool is_name = i && i->kind == AST_REF && i->ref.n_parts == 1 && !i->ref.parts[0].n_indices &&
                         i->ref.primes == 0;
    const Entity *port = is_name && !check_find(c, i->ref.parts[0].name) ? check_find(c, t->port) : NULL;
    return port && port->kind == ENTITY_INPUT ? port->n : 0;
}

static uint32_t count_moves(const Checker *c, const AstTransition *all, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t each = each_of(c, &all[i]);
        sum += each ? each : 1;
    }
    return sum;
}

// The same transition for element k of an array of ports, from 1 on; 0: for its only port.
static bool check_one_of(Checker *c, const AstTransition *t, uint32_t k, int32_t state, AtomicMove *move)
{
    if (k == 0) return check_move(c, t, state, move);
    const AtomicExpr known = { .op = ATOMIC_OP_CONST, .value = k };
    const Local index = { t->index->ref.parts[0].name, 0, c->locals, &known };
    c->locals = &index;
    const bool ok = check_move(c, t, state, move);
    c->locals = index.outer;
    return ok;
}

static void check_state(Checker *c, uint32_t number, AtomicState *state)
{
    const AstState *ast = &c->ast->states[number];
    state->name = keep(c, ast->name);
    if (ast->duration) {
        state->duration = check_conversion(c, check_number(c, ast->duration), ast->duration);
        const double value = state->duration->value;
        const bool is_known = state->duration->op == ATOMIC_OP_CONST &&
                              state->duration->type.base == ATOMIC_NUMBER;
        if (is_known && !(value >= 0))
            CHECK_FAIL(c, DIAG_DURATION_BAD, ast->duration->place, ast->name, value);
        else if (!is_known)
            state->fault = check_fault(c, ATOMIC_FAULT_DURATION, ast->name, ast->duration->place);
    }
    const AstAtomic *a = c->ast;
    state->ons = ARENA_ARRAY(c->arena, AtomicMove,
                             count_moves(c, ast->transitions, ast->n_transitions) +
                                 count_moves(c, a->common, a->n_common));
    state->afters = ARENA_ARRAY(c->arena, AtomicMove, ast->n_transitions);
    const AstTransition *last_after = NULL;
    bool *is_taken = ARENA_ARRAY(&c->work, bool, c->kind->n_inputs + 1u);
    for (uint32_t i = 0, k = 0; i < ast->n_transitions; i += k == 0) {
        const AstTransition *t = &ast->transitions[i];
        const uint32_t each = each_of(c, t);
        AtomicMove move;
        if (each) k++;
        const bool ok = check_one_of(c, t, k, (int32_t)number, &move);
        if (k == each || !ok) k = 0;
        if (!ok) continue;
        bool *taken = &is_taken[t->port ? move.port : c->kind->n_inputs];
        if (*taken && !each)
            diag_report(c->diag, DIAG_MOVE_HIDDEN, t->place,
                        t->port ? arena_printf(c->arena, "on %s", t->port) : "after");
        if (!t->guard) *taken = true;
        if (t->port) state->ons[state->n_ons++] = move;
        else state->afters[state->n_afters++] = move;
        if (!t->port) last_after = t;
    }
    for (uint32_t i = 0, k = 0; i < a->n_common; i += k == 0) {
        AtomicMove move;
        const size_t n_errors = c->n_errors;
        const uint32_t each = each_of(c, &a->common[i]);
        if (each) k++;
        if (check_one_of(c, &a->common[i], k, (int32_t)number, &move)) state->ons[state->n_ons++] = move;
        if (k == each) k = 0;
        if (c->n_errors > n_errors) break;    // said once
    }
    const bool lasts = !ast->duration ||
                       (state->duration->op == ATOMIC_OP_CONST && isinf(state->duration->value));
    if (last_after && !ast->duration) {
        CHECK_FAIL(c, DIAG_AFTER_NEVER, last_after->place, ast->name);
        diag_hint(c->diag, "say how long: state %s for …", ast->name);
    } else if (!lasts && !is_taken[c->kind->n_inputs]) {
        CHECK_FAIL(c, DIAG_AFTER_MISSING, ast->place, ast->name);
        diag_hint(c->diag,
                  last_after ? "the last 'after' has no condition: after -> %s" : "write a line: after -> %s",
                  ast->name);
    }
}

// ---------------------------------------------------------------------------------------------- atomics

static void reach(const AtomicGoal *goal, bool *reached)
{
    if (goal->state >= 0) reached[goal->state] = true;
    if (goal->condition) {
        reach(goal->yes, reached);
        reach(goal->no, reached);
    }
    for (uint32_t i = 0; i < goal->n_chances; i++) reach(&goal->cases[i], reached);
}

// Is there a state in every case?
static bool goal_leads(const AtomicGoal *goal)
{
    if (goal->condition) return goal_leads(goal->yes) && goal_leads(goal->no);
    for (uint32_t i = 0; i < goal->n_chances; i++)
        if (!goal_leads(&goal->cases[i])) return false;
    return goal->n_chances > 0 || goal->state >= 0;
}

static void warn(Checker *c)
{
    const AtomicKind *kind = c->kind;
    bool *reached = ARENA_ARRAY(&c->work, bool, kind->n_states);
    reach(&kind->start, reached);
    if (kind->confluent == AST_CONFLUENT_OWN) reach(&kind->confluent_goal, reached);
    for (uint32_t i = 0; i < kind->n_states; i++) {
        for (uint32_t k = 0; k < kind->states[i].n_ons; k++) reach(&kind->states[i].ons[k].goal, reached);
        for (uint32_t k = 0; k < kind->states[i].n_afters; k++)
            reach(&kind->states[i].afters[k].goal, reached);
    }
    for (uint32_t i = 0; i < kind->n_states; i++)
        if (!reached[i])
            diag_report(c->diag, DIAG_STATE_UNREACHED, c->ast->states[i].place, kind->states[i].name);
    for (size_t i = 0; i < c->entities.n; i++) {
        const Entity *e = &c->entities.items[i];
        if (e->kind == ENTITY_INPUT && !e->is_assigned)
            diag_report(c->diag, DIAG_PORT_UNUSED, e->place, "input event", e->name, "taken");
        if (e->kind == ENTITY_OUTPUT && !e->is_read)
            diag_report(c->diag, DIAG_PORT_UNUSED, e->place, "output event", e->name, "sent");
        if (e->kind == ENTITY_CELL && e->is_read && !e->is_assigned)
            diag_report(c->diag, DIAG_CELL_UNASSIGNED, e->place, e->name);
    }
}

// Queues know in advance whether their elements have ranks; 2 in n says so.
static void begin_containers(Checker *c)
{
    AtomicKind *kind = c->kind;
    VEC(AtomicAct) begin = { 0 };
    for (size_t i = 0; i < c->entities.n; i++) {
        const Entity *e = &c->entities.items[i];
        if (e->kind != ENTITY_CELL || e->type.base < ATOMIC_QUEUE) continue;
        const AtomicType element = { .base = e->type.element, .index = e->type.index };
        AtomicAct act = { .kind = e->type.base == ATOMIC_QUEUE   ? ATOMIC_BEGIN_QUEUE
                                  : e->type.base == ATOMIC_TALLY ? ATOMIC_BEGIN_TALLY
                                                                 : ATOMIC_BEGIN_LEVEL,
                          .slot = e->slot,
                          .index = { .n = e->n, .stride = atomic_type_slots(c->set, e->type) },
                          .fault = e->is_ranked };
        if (e->type.base == ATOMIC_LEVEL) act.value = c->firsts.items[i];
        if (e->type.base == ATOMIC_QUEUE) act.n = atomic_type_slots(c->set, element);
        vec_push(c->arena, &begin, act);
    }
    for (uint32_t i = 0; i < kind->n_begin; i++) vec_push(c->arena, &begin, kind->begin[i]);
    kind->begin = begin.items;
    kind->n_begin = (uint32_t)begin.n;
}

static void fill_table(Checker *c)
{
    AtomicKind *kind = c->kind;
    orr_devs_port *ports = ARENA_ARRAY(c->arena, orr_devs_port, kind->n_inputs + kind->n_outputs);
    for (uint32_t i = 0; i < kind->n_inputs + kind->n_outputs; i++) {
        const AtomicPort *port = i < kind->n_inputs ? &kind->inputs[i] : &kind->outputs[i - kind->n_inputs];
        ports[i] = (orr_devs_port){ port->name, keep(c, atomic_type_name(c->set, port->type)),
                                    8 * atomic_type_slots(c->set, port->type), port->ast->is_required };
    }
    kind->table = (orr_atomic){ .version = ORR_DEVS_VERSION,
                                .traits = ORR_ATOMIC_ABSOLUTE,
                                .name = kind->name,
                                .inputs = ports,
                                .outputs = ports + kind->n_inputs,
                                .n_inputs = kind->n_inputs,
                                .n_outputs = kind->n_outputs,
                                .params_size = 8 * (size_t)kind->n_params,
                                .state_size = 8 * (size_t)kind->n_slots };
}

static void refuse_body(Checker *c, Place place, const char *what)
{
    CHECK_FAIL(c, DIAG_NATIVE_BODY, place, c->kind->name, what);
    diag_hint(c->diag, "a native atomic declares param, input event, output event, and var without values");
}

// Parameters, events and the names of variables; the rest is C.
static void check_native(Checker *c)
{
    const AstAtomic *a = c->ast;
    AtomicKind *kind = c->kind;
    kind->is_native = true;
    if (a->n_states > 0) refuse_body(c, a->states[0].place, "a state");
    if (a->n_common > 0) refuse_body(c, a->common[0].place, "a transition");
    if (a->has_start) refuse_body(c, a->start_place, "where it starts");
    if (a->has_confluent) refuse_body(c, a->confluent_place, "the order of events");
    declare_params(c);
    declare_ports(c);
    for (uint32_t i = 0; i < a->n_cells; i++) {
        const AstCell *cell = &a->cells[i];
        if (cell->value || cell->size || cell->type) refuse_body(c, cell->place, "the value of a variable");
        const Entity entity = {
            .kind = ENTITY_CELL, .name = cell->name, .type = TYPE_NUMBER, .place = cell->place
        };
        read_cell(c, cell, declare(c, entity));
    }
    fill_table(c);
}

static void check_atomic(Checker *c, const AstAtomic *a, AtomicKind *kind)
{
    c->ast = a;
    c->kind = kind;
    c->port = NO_PORT;
    c->where = IN_ACTS;
    c->locals = NULL;
    c->n_locals = 0;
    c->entities.n = 0;
    c->site = units_atomic(c->units, a);
    text_map_init(&c->names, &c->work);
    text_map_init(&c->states, &c->work);
    const size_t n_errors = c->n_errors;
    if (a->is_native) {
        check_native(c);
        return;
    }
    if (a->n_states == 0) {
        CHECK_FAIL(c, DIAG_ATOMIC_NO_STATE, a->place, a->name);
        diag_hint(c->diag, "write at least one: state idle");
    }
    if (a->n_states > STATES_MAX)
        CHECK_FAIL(c, DIAG_MODEL_TOO_LARGE, a->place, (size_t)a->n_states, "states", (size_t)STATES_MAX);
    for (uint32_t i = 0; i < a->n_states; i++)
        if (!text_map_put(&c->states, text_from(a->states[i].name), i))
            report_twice(c, a->states[i].name, a->states[i].place,
                         a->states[*text_map_find(&c->states, text_from(a->states[i].name))].place);
    declare_params(c);
    declare_ports(c);
    declare_cells(c);
    if (a->n_states == 0) return;

    kind->states = ARENA_ARRAY(c->arena, AtomicState, a->n_states);
    kind->n_states = a->n_states;
    for (uint32_t i = 0; i < a->n_states; i++) check_state(c, i, &kind->states[i]);
    kind->start = a->has_start ? check_goal(c, &a->start, 0, true) : (AtomicGoal){ .state = 0 };
    kind->confluent = a->confluent;
    if (a->confluent == AST_CONFLUENT_OWN) {
        kind->confluent_goal = check_goal(c, &a->confluent_goal, -2, true);
        if (!goal_leads(&kind->confluent_goal) && c->n_errors == n_errors) {
            CHECK_FAIL(c, DIAG_EXPECTED, a->confluent_place, "'->' and a state for every case",
                       "a block that stays");
            diag_hint(c->diag, "the time is up: say where it leads");
        }
    }

    if (kind->stream) {
        kind->stream = kind->n_slots;
        kind->n_slots += sizeof(orr_random) / 8;
    }
    if (kind->last) kind->last = kind->n_slots++;
    begin_containers(c);
    fill_table(c);
    if (c->n_errors == n_errors) warn(c);
}

static void check_names(Checker *c)
{
    const Ast *ast = c->set->ast;
    TextMap names;
    text_map_init(&names, &c->work);
    for (uint32_t i = 0; i < ast->atomics.n; i++) {
        const AstAtomic *a = &ast->atomics.items[i];
        if (text_map_put(&names, text_from(a->name), i)) continue;
        CHECK_FAIL(c, DIAG_MODEL_TWICE, a->place, a->name);
        diag_note(c->diag, ast->atomics.items[*text_map_find(&names, text_from(a->name))].place,
                  "'%s' is defined here first", a->name);
    }
    for (uint32_t i = 0; i < ast->models.n; i++) {
        const AstModel *m = &ast->models.items[i];
        const uint32_t *found = text_map_find(&names, text_from(m->name));
        if (!found || m->atomic) continue;
        CHECK_FAIL(c, DIAG_MODEL_TWICE, m->place, m->name);
        diag_note(c->diag, ast->atomics.items[*found].place, "the atomic '%s' is defined here", m->name);
    }
}

bool atomic_check(AtomicSet *set, const Ast *ast, const Units *units, Arena *arena, orr_diag *diag)
{
    *set = (AtomicSet){ .arena = arena, .ast = ast };
    Checker c = { .set = set, .arena = arena, .diag = diag, .units = units };
    map_init(&c.site_calls, &c.work);
    text_map_init(&c.enum_values, &c.work);
    text_map_init(&c.types, &c.work);
    text_map_init(&c.functions, &c.work);
    c.calls = ARENA_ARRAY(&c.work, uint32_t, ast->functions.n);
    for (uint32_t i = 0; i < ast->functions.n; i++)
        text_map_put(&c.functions, text_from(ast->functions.items[i].name), i);
    text_map_init(&c.tables, &c.work);
    for (uint32_t i = 0; i < ast->tables.n; i++)
        text_map_put(&c.tables, text_from(ast->tables.items[i].name), i);
    expr_pool_init(&set->pool, arena);
    set->pieces = ARENA_ARRAY(arena, uint32_t, ast->tables.n);
    set->samples = ARENA_ARRAY(arena, AtomicSamples, ast->tables.n);
    set->n_tables = (uint32_t)ast->tables.n;
    check_names(&c);
    check_records(&c);
    check_enums(&c);
    set->kinds = ARENA_ARRAY(arena, AtomicKind, ast->atomics.n);
    set->n_kinds = (uint32_t)ast->atomics.n;
    for (size_t i = 0; i < ast->atomics.n; i++) {
        set->kinds[i].name = keep(&c, ast->atomics.items[i].name);
        set->kinds[i].ast = &ast->atomics.items[i];
    }
    if (c.n_errors == 0)
        for (size_t i = 0; i < ast->atomics.n && !(ast->atomics.items[i].is_special && c.n_errors); i++)
            check_atomic(&c, &ast->atomics.items[i], &set->kinds[i]);
    const bool ok = c.n_errors == 0;
    arena_free(&c.work);
    return ok;
}
