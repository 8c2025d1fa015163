// src/flat/port.c: event ports, messages and the arrows between them.
//
// An arrow between event ports is no equation: it is kept as a coupling, for the network. Who may be at its
// ends is checked here, where lines are known: the kernel knows only names.
#include "flat/scope.h"
#include <string.h>

// ---- Types of messages

typedef struct MessageType {
    const char *name;             // "number", "nothing", "Job"
    const char *const *fields;    // [n_fields] NULL: a number
    uint32_t n_fields;
} MessageType;

const AstRecord *port_record(const Expander *ex, const char *name)
{
    for (size_t i = 0; name && i < ex->ast->records.n; i++)
        if (strcmp(ex->ast->records.items[i].name, name) == 0) return &ex->ast->records.items[i];
    return NULL;
}

static bool is_number(const Expander *ex, const char *type)
{
    if (!type || strcmp(type, "number") == 0 || strcmp(type, "boolean") == 0) return true;
    for (size_t i = 0; i < ex->ast->enums.n; i++)
        if (strcmp(ex->ast->enums.items[i].name, type) == 0) return true;
    return false;
}

static bool find_type(Expander *ex, const AstDecl *decl, MessageType *type)
{
    const AstRecord *record = port_record(ex, decl->type);
    *type = (MessageType){ .name = decl->type ? decl->type : "number", .n_fields = 1 };
    if (is_number(ex, decl->type)) return true;
    if (strcmp(decl->type, "nothing") == 0) {
        type->n_fields = 0;
        return true;
    }
    if (record) {
        const char **fields = ARENA_ARRAY(&ex->scratch, const char *, record->n_fields);
        for (uint32_t i = 0; i < record->n_fields; i++) fields[i] = record->fields[i].name;
        type->fields = fields;
        type->n_fields = record->n_fields;
        return true;
    }
    EXPAND_FAIL(ex, DIAG_MESSAGE_TYPE, decl->type_place, decl->type);
    diag_hint(ex->diag, "without a type its messages are numbers; ': nothing' says only that they come");
    return false;
}

uint32_t port_field(const Reading *r, const Entity *entity, const char *name, Place place)
{
    Expander *ex = r->ex;
    const AstRecord *record = port_record(ex, entity->symbol->decl->type);
    for (uint32_t i = 0; record && i < record->n_fields; i++)
        if (strcmp(record->fields[i].name, name) == 0) return i;
    EXPAND_FAIL(ex, DIAG_MESSAGE_FIELD, place, entity->symbol->name, name);
    if (record && record->n_fields)
        diag_hint(ex->diag, "messages of type %s have '%s'%s", record->name, record->fields[0].name,
                  record->n_fields > 1 ? " and others" : "");
    return FLAT_NONE;
}

// ---- Declaring

// The number of a port as the kernel counts: inputs first, then outputs.
static uint32_t slot_of(Expander *ex, Scope *scope, const char *name)
{
    const AstAtomic *atomic = scope->shape->model->atomic;
    const Reading r = { .ex = ex, .scope = scope };
    uint32_t slots[2] = { 0, 0 }, found = 0;
    bool is_output = false;
    for (uint32_t i = 0; i < atomic->n_ports; i++) {
        const AstPort *port = &atomic->ports[i];
        double size = 1;
        if (port->size && !lower_number(&r, port->size, &size)) return 0;
        if (strcmp(port->name, name) == 0) {
            is_output = port->is_output;
            found = slots[is_output];
        }
        slots[port->is_output] += (uint32_t)size;
    }
    return found + (is_output ? slots[0] : 0);
}

// Variables for what a message says; the first of them.
static uint32_t declare_values(Expander *ex, const Scope *scope, const Symbol *symbol, Text name,
                               const MessageType *type)
{
    Flat *flat = ex->flat;
    FlatVar var = { .place = symbol->place,
                    .kind = FLAT_DISCRETE,
                    .unit = symbol->decl->unit,
                    .doc = symbol->decl->doc };
    if (flat->units && !symbol->decl->type) var.unit = units_text(flat->units, scope->site, symbol->name);
    const uint32_t first = declare_message(ex, name, type->fields, type->n_fields, &var);
    const AstRecord *record = port_record(ex, symbol->decl->type);
    for (uint32_t k = 0; record && k < record->n_fields; k++) {
        const AstField *f = &record->fields[k];
        const char *found =
            units_field_text(flat->units, (uint32_t)(record - ex->ast->records.items), f->name);
        if (f->unit || found)
            flat->vars.items[first + k].unit = arena_printf(flat->arena, "%s", f->unit ? f->unit : found);
    }
    return first;
}

void port_declare(Expander *ex, Scope *scope, Entity *entity)
{
    Flat *flat = ex->flat;
    const Symbol *symbol = entity->symbol;
    const ArenaMark begin = arena_mark(&ex->scratch);
    MessageType type;
    entity->is_broken = !find_type(ex, symbol->decl, &type);
    if (entity->is_broken) return;
    const FlatPart *part = scope->part == FLAT_NONE ? NULL : &flat->parts.items[scope->part];
    const bool is_input = symbol->declared == AST_EVENT_INPUT;
    entity->n_fields = type.n_fields;
    entity->port = (uint32_t)flat->ports.n;
    entity->first = FLAT_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const ArenaMark mark = arena_mark(&ex->scratch);
        const Text name = declare_element_name(ex, scope, entity, i);
        FlatPort port = { .name = text_copy(flat->arena, name),
                          .kind = is_input ? FLAT_PORT_IN : FLAT_PORT_OUT,
                          .type = arena_printf(flat->arena, "%s", type.name),
                          .n_values = type.n_fields,
                          .first = FLAT_NONE,
                          .part = scope->part,
                          .member = scope->member,
                          .n = part && part->is_shared ? part->n : 1,
                          .is_required = symbol->decl->is_required,
                          .is_island = scope->shape->model->is_stub,
                          .place = part ? part->place : symbol->place };
        if (part) port.slot = slot_of(ex, scope, symbol->name) + i;
        if (is_input && type.n_fields > 0 && !part) {
            port.first = declare_values(ex, scope, symbol, name, &type);
            if (i == 0) entity->first = port.first;
        }
        vec_push(flat->arena, &flat->ports, port);
        arena_release(&ex->scratch, mark);
    }
    arena_release(&ex->scratch, begin);
}

uint32_t port_find(const Reading *r, const AstRef *ref, Place place, Target *target)
{
    if (!lower_target(r, ref, place, target)) return FLAT_NONE;
    if (target->entity->symbol->kind == SYMBOL_PORT && ref->primes == 0 && target->field == FLAT_NONE)
        return target->entity->port + (uint32_t)target->element;
    EXPAND_FAIL(r->ex, DIAG_NOT_A_PORT, place, target->entity->symbol->name, lower_kind(target->entity));
    diag_hint(r->ex->diag, "event ports are declared: input event a, output event b");
    return FLAT_NONE;
}

bool port_is_message(const Reading *r, const Target *target)
{
    const Symbol *symbol = target->entity->symbol;
    return symbol->kind == SYMBOL_PORT && symbol->declared == AST_EVENT_OUTPUT && target->scope != r->scope;
}

// What a component sends is heard at a port without a name of its own, which an arrow leads to.
uint32_t port_hear(const Reading *r, const Target *target, Place place)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const uint32_t from = target->entity->port + (uint32_t)target->element;
    const uint64_t key = (uint64_t)from << 32 | target->member;
    const uint32_t *known = map_find(&ex->heard_ports, key);
    if (known) return *known;
    const ArenaMark mark = arena_mark(&ex->scratch);
    const FlatPort sender = flat->ports.items[from];
    const char *name = sender.name;
    MessageType type;
    if (!find_type(ex, target->entity->symbol->decl, &type)) return FLAT_NONE;
    if (sender.n > 1) {
        const FlatPart *part = &flat->parts.items[sender.part];
        name = arena_printf(&ex->scratch, "%s%s", flat_member_name(part, target->member, &ex->scratch),
                            name + strlen(part->name));
    }
    const FlatPort port = { .name = arena_printf(flat->arena, "on %s", name),
                            .kind = FLAT_PORT_IN,
                            .type = sender.type,
                            .n_values = sender.n_values,
                            .first = type.n_fields ? declare_values(ex, target->scope, target->entity->symbol,
                                                                    text_from(name), &type)
                                                   : FLAT_NONE,
                            .part = FLAT_NONE,
                            .n = 1,
                            .is_heard = true,
                            .place = place };
    const uint32_t number = (uint32_t)flat->ports.n;
    vec_push(flat->arena, &flat->ports, port);
    vec_push(flat->arena, &flat->couplings, (FlatCoupling){ from, number, target->member, 0, place });
    map_put(&ex->heard_ports, key, number);
    arena_release(&ex->scratch, mark);
    return number;
}

void port_settle(Expander *ex)
{
    Flat *flat = ex->flat;
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (port->is_heard || port->is_island || port->first == FLAT_NONE) continue;
        for (uint32_t k = 0; k < port->n_values; k++) flat->vars.items[port->first + k].is_hidden = true;
    }
}

// ---- Arrows

typedef struct End {
    Target target;
    uint32_t port;    // FLAT_NONE: a signal
    bool is_own;      // of the model that has the arrow, not of a component
} End;

// Without a message: a name that is wrong is told by whoever reads the arrow.
const Entity *port_entity(const Reading *r, const AstRef *ref, bool is_field)
{
    const Scope *scope = r->scope;
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const Entity *entity = scope ? scope_find(scope, ref->parts[i].name) : NULL;
        if (!entity || entity->is_broken || !entity->is_declared) return NULL;
        if (entity->symbol->kind == SYMBOL_PORT) return is_field || i + 1 == ref->n_parts ? entity : NULL;
        if (entity->symbol->kind != SYMBOL_COMPONENT || i + 1 == ref->n_parts) return NULL;
        scope = entity->components[0];    // all elements have the same shape
    }
    return NULL;
}

static bool find_end(const Reading *r, const AstRef *ref, Place place, End *end)
{
    if (!lower_target(r, ref, place, &end->target)) return false;
    const Entity *entity = end->target.entity;
    end->port = entity->symbol->kind == SYMBOL_PORT ? entity->port + (uint32_t)end->target.element
                                                    : FLAT_NONE;
    end->is_own = ref->n_parts == 1;
    return true;
}

// Messages come from outputs of components and from inputs of the model itself.
static bool check_from(const Reading *r, const AstItem *item, const End *from)
{
    Expander *ex = r->ex;
    const FlatPort *port = &ex->flat->ports.items[from->port];
    if ((port->kind == FLAT_PORT_IN) == from->is_own) return true;
    EXPAND_FAIL(ex, DIAG_ARROW_FROM, item->arrow.from_place, port->name,
                port->kind == FLAT_PORT_IN ? "an input" : "an output");
    diag_hint(ex->diag, from->is_own
                            ? "what this model sends leaves it: the arrow belongs in the model around it"
                            : "turn the arrow round, or begin it at an output of the component");
    return false;
}

static bool check_to(const Reading *r, const AstItem *item, const FlatPort *from, const End *to)
{
    Expander *ex = r->ex;
    const FlatPort *port = &ex->flat->ports.items[to->port];
    if ((port->kind == FLAT_PORT_OUT) == to->is_own) return true;
    EXPAND_FAIL(ex, DIAG_ARROW_TO, item->arrow.to_place, port->name,
                port->kind == FLAT_PORT_IN ? "an input" : "an output");
    diag_hint(ex->diag,
              to->is_own ? "messages come to it from outside; those of a component: on %s then … end"
                         : "turn the arrow round, or lead it to an input of the component",
              from->name);
    return false;
}

static const char *unit_of(const Expander *ex, const End *end)
{
    const char *text = units_text(ex->flat->units, end->target.scope->site, end->target.entity->symbol->name);
    return text ? text : "1";
}

static bool check_types(const Reading *r, const AstItem *item, const End *ends, const FlatPort *from,
                        const FlatPort *to)
{
    Expander *ex = r->ex;
    if (strcmp(from->type, to->type) != 0) {
        EXPAND_FAIL(ex, DIAG_ARROW_TYPES, item->place, from->name, from->type, to->name, to->type);
        diag_note(ex->diag, from->place, "'%s' is declared here", from->name);
        diag_note(ex->diag, to->place, "'%s' is declared here", to->name);
        return false;
    }
    const UnitConversion c = units_conversion(ex->flat->units, r->scope->site, item);
    if (c.scale == 1 && c.offset == 0) return true;
    const char *from_unit = unit_of(ex, &ends[0]), *to_unit = unit_of(ex, &ends[1]);
    EXPAND_FAIL(ex, DIAG_ARROW_UNITS, item->place, from->name, from_unit, to->name, to_unit);
    diag_hint(ex->diag, "messages are not converted on the way: declare both in [%s], or send (… in %s)",
              to_unit, to_unit);
    return false;
}

// A signal input that holds what arrives, or a state that it perturbs: one port for it, however many arrows
// lead to it.
static uint32_t held_port(Expander *ex, const AstItem *item, const End *to, FlatPortKind kind)
{
    Flat *flat = ex->flat;
    const uint32_t variable = to->target.entity->first + (uint32_t)to->target.element;
    const uint32_t *known = map_find(&ex->held_ports, variable);
    if (known) return *known;
    const FlatPort port = { .name = flat->vars.items[variable].name,
                            .part = FLAT_NONE,
                            .n = 1,
                            .kind = kind,
                            .type = "number",
                            .n_values = 1,
                            .first = variable,
                            .is_heard = kind != FLAT_PORT_PERTURB,
                            .is_island = to->target.scope->shape->model->is_stub,
                            .place = item->arrow.to_place };
    const uint32_t number = (uint32_t)flat->ports.n;
    vec_push(flat->arena, &flat->ports, port);
    map_put(&ex->held_ports, variable, number);
    if (kind == FLAT_PORT_PERTURB) return number;
    map_put(&ex->driven, variable, (uint32_t)ex->arrows.n);    // no signal may lead there besides
    vec_push(&ex->work, &ex->arrows, item);
    return number;
}

static bool connect_held(const Reading *r, const AstItem *item, const End *from, End *to)
{
    Expander *ex = r->ex;
    const Entity *entity = to->target.entity;
    const FlatPort *port = &ex->flat->ports.items[from->port];
    const AstModel *model = to->target.scope->shape->model;
    const bool is_variable = entity->symbol->kind == SYMBOL_VARIABLE && !to->is_own &&
                             item->arrow.to.primes == 0 && entity->array == FLAT_NONE;
    const bool is_input = is_variable && entity->symbol->declared == AST_INPUT;
    // whether it is a state is known when the island is compiled
    const bool is_perturbed = is_variable && model->is_stub && entity->symbol->declared == AST_DISCRETE;
    if (!is_input && !is_perturbed) {
        EXPAND_FAIL(ex, DIAG_HOLD_TARGET, item->arrow.to_place, port->name, entity->symbol->name,
                    lower_kind(entity));
        diag_hint(ex->diag,
                  "messages lead to event ports, to a signal input of a component, which holds the last "
                  "one, or to a state of an island, which they perturb");
        return false;
    }
    const uint32_t variable = entity->first + (uint32_t)to->target.element;
    const uint32_t *driver = map_find(&ex->driven, variable);
    if (driver && !map_find(&ex->held_ports, variable)) {
        EXPAND_FAIL(ex, DIAG_INPUT_DRIVEN_TWICE, item->arrow.to_place, ex->flat->vars.items[variable].name);
        diag_note(ex->diag, ex->arrows.items[*driver]->place, "the other source");
        return false;
    }
    const FlatPortKind kind = is_perturbed        ? FLAT_PORT_PERTURB
                              : model->is_machine ? FLAT_PORT_COUNT
                                                  : FLAT_PORT_HOLD;
    const uint32_t number = held_port(ex, item, to, kind);
    const FlatPort *held = &ex->flat->ports.items[number];
    port = &ex->flat->ports.items[from->port];
    to->port = number;
    if (kind == FLAT_PORT_COUNT) return true;
    if (port->n_values != 1) {
        EXPAND_FAIL(ex, DIAG_ARROW_TYPES, item->place, port->name, port->type, held->name,
                    is_perturbed ? "a number" : "a signal");
        diag_hint(ex->diag, is_perturbed ? "a perturbation is one number" : "a signal holds one number");
        return false;
    }
    const End ends[] = { *from, *to };
    return check_types(r, item, ends, port, held);
}

// ---- Outputs of machines

static Expr above(Expander *ex, uint32_t variable, uint32_t told, double by)
{
    ExprPool *pool = &ex->flat->pool;
    const Expr limit = expr_binary(pool, EXPR_ADD, lower_read(ex, told), expr_const(pool, by));
    return expr_binary(pool, by > 0 ? EXPR_GT : EXPR_LT, lower_read(ex, variable), limit);
}

// when output > told + 0.5 then send; told := output end; when output < told - 0.5 then told := output end
static void tell_output(Expander *ex, const Scope *scope, uint32_t variable, uint32_t port, Place place)
{
    Flat *flat = ex->flat;
    ExprPool *pool = &flat->pool;
    const uint32_t told = declare_hidden(ex, scope, "told", place);
    flat->vars.items[told].start = lower_read(ex, variable);
    for (int rises = 1; rises >= 0; rises--) {
        FlatEvent event = event_new(flat, FLAT_WHEN, place);
        event.condition = above(ex, variable, told, rises ? 0.5 : -0.5);
        vec_push(flat->arena, &flat->actions,
                 (FlatAction){ told, lower_read(ex, variable), NULL, place, true, false });
        if (rises) {
            FlatSend send = { .port = port, .first = FLAT_NONE, .place = place };
            // one for each value, and one that says that it is sent
            const uint32_t n = flat->ports.items[port].n_values + 1;
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t kept = declare_hidden(ex, scope, i + 1 < n ? "message" : "sent", place);
                if (i + 1 == n) send.flag = kept;
                else if (i == 0) send.first = kept;
                vec_push(flat->arena, &flat->actions,
                         (FlatAction){ kept, expr_const(pool, 1), NULL, place, true, false });
            }
            vec_push(flat->arena, &flat->sends, send);
        }
        event.n_actions = (uint32_t)flat->actions.n - event.first_action;
        event.n_sends = (uint32_t)flat->sends.n - event.first_send;
        vec_push(flat->arena, &flat->events, event);
    }
}

// Each time a machine shows an output is a message: nothing, or the number 1. False: it is not of a machine.
static bool machine_output(const Reading *r, const AstItem *item, const End *from, const FlatPort *to,
                           uint32_t *number)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const Symbol *symbol = from->target.entity->symbol;
    if (from->is_own || !from->target.scope->shape->model->is_machine || symbol->declared != AST_DISCRETE)
        return false;
    if (strcmp(symbol->name, "state") == 0 || strcmp(symbol->name, "output") == 0 || to->n_values > 1)
        return false;
    const uint32_t variable = from->target.entity->first;
    const uint64_t key = (uint64_t)variable * 2 + to->n_values;
    const uint32_t *known = map_find(&ex->told_ports, key);
    if (known) return *number = *known, true;
    const FlatPort port = { .name = flat->vars.items[variable].name,
                            .kind = FLAT_PORT_OUT,
                            .type = to->type,
                            .n_values = to->n_values,
                            .first = FLAT_NONE,
                            .part = FLAT_NONE,
                            .n = 1,
                            .place = item->arrow.from_place };
    *number = (uint32_t)flat->ports.n;
    vec_push(flat->arena, &flat->ports, port);
    map_put(&ex->told_ports, key, *number);
    if (flat->arrays.n) flat->keep_failed = true;    // events know single variables only
    tell_output(ex, from->target.scope, variable, *number, item->place);
    return true;
}

// ---- What is switched on and off

static void add_switch(const Reading *reading, const AstExpr *condition, Place place, FlatSwitch what)
{
    Expander *ex = reading->ex;
    Flat *flat = ex->flat;
    Reading r = *reading;
    r.in_event = r.makes_modes = true;
    if (flat->arrays.n) flat->keep_failed = true;    // events know single variables only
    const Expr holds = lower_truth(&r, condition);
    what.event = (uint32_t)flat->events.n;
    vec_push(flat->arena, &flat->switches, what);
    for (int off = 0; off < 2; off++) {
        FlatEvent event = event_new(flat, FLAT_WHEN, place);
        event.condition = off ? expr_unary(&flat->pool, EXPR_NOT, holds) : holds;
        event.switch_plus_1 = (uint32_t)flat->switches.n;
        vec_push(flat->arena, &flat->events, event);
    }
}

void port_present(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    Target target;
    if (!lower_target(&r, &item->present.part, item->present.part_place, &target)) return;
    const Entity *entity = target.entity;
    const Scope *first = entity->symbol->kind == SYMBOL_COMPONENT && !entity->symbol->is_terminal
                             ? entity->components[0]
                             : NULL;
    if (!first || first->part == FLAT_NONE) {
        EXPAND_FAIL(ex, DIAG_NOT_AN_ATOMIC, item->present.part_place, entity->symbol->name,
                    lower_kind(entity));
        return;
    }
    add_switch(&r, item->present.condition, item->place,
               (FlatSwitch){ .coupling = FLAT_NONE,
                             .part = first->part,
                             .member = (uint32_t)target.element,
                             .anew = item->present.anew });
}

bool port_connect(const Reading *r, const AstItem *item)
{
    Expander *ex = r->ex;
    bool from_is_port = port_entity(r, &item->arrow.from, true);
    const bool to_is_port = port_entity(r, &item->arrow.to, true);
    if (!from_is_port && !to_is_port) return false;
    End from, to;
    if (!find_end(r, &item->arrow.from, item->arrow.from_place, &from)) return true;
    if (!find_end(r, &item->arrow.to, item->arrow.to_place, &to)) return true;
    if (!from_is_port && machine_output(r, item, &from, &ex->flat->ports.items[to.port], &from.port))
        from_is_port = true;
    if (!from_is_port) {
        EXPAND_FAIL(ex, DIAG_SIGNAL_TO_EVENT, item->place, from.target.entity->symbol->name,
                    ex->flat->ports.items[to.port].name);
        diag_hint(ex->diag, "say when to send it: declare 'output event', and: when … then send … end");
        return true;
    }
    if (!check_from(r, item, &from)) return true;
    if (!to_is_port) {
        if (!connect_held(r, item, &from, &to)) return true;
    } else {
        if (!check_to(r, item, &ex->flat->ports.items[from.port], &to)) return true;
        const End ends[] = { from, to };
        if (!check_types(r, item, ends, &ex->flat->ports.items[from.port], &ex->flat->ports.items[to.port]))
            return true;
    }
    const uint32_t number = (uint32_t)ex->flat->couplings.n;
    vec_push(ex->flat->arena, &ex->flat->couplings,
             (FlatCoupling){ from.port, to.port, from.target.member, to.target.member, item->place });
    if (item->arrow.when) add_switch(r, item->arrow.when, item->place, (FlatSwitch){ .coupling = number });
    return true;
}
