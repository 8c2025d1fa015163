// src/flat/port.c: event ports, messages and the arrows between them.
//
// An arrow between event ports is no equation: it is kept as a coupling, for the network. Who may be at its ends is
// checked here, where lines are known: the kernel knows only names.
#include "flat/scope.h"
#include <string.h>

// ---- Types of messages

typedef struct MessageType {
    const char *name;              // "number", "nothing", "Job"
    const char *const *fields;     // [n_fields] NULL: a number
    uint32_t n_fields;
} MessageType;

static bool find_type(Expander *ex, const AstDecl *decl, MessageType *type)
{
    *type = (MessageType){ "number", NULL, 1 };
    if (!decl->type || strcmp(decl->type, "number") == 0) return true;
    if (strcmp(decl->type, "nothing") == 0) {
        *type = (MessageType){ "nothing", NULL, 0 };
        return true;
    }
    EXPAND_FAIL(ex, DIAG_MESSAGE_TYPE, decl->type_place, decl->type);
    diag_hint(ex->diag, "without a type its messages are numbers; ': nothing' says only that they come");
    return false;
}

// ---- Declaring

void port_declare(Expander *ex, Scope *scope, Entity *entity)
{
    Flat *flat = ex->flat;
    const Symbol *symbol = entity->symbol;
    MessageType type;
    entity->is_broken = !find_type(ex, symbol->decl, &type);
    if (entity->is_broken) return;
    const bool is_input = symbol->declared == AST_EVENT_INPUT;
    entity->n_fields = type.n_fields;
    entity->port = (uint32_t)flat->ports.n;
    entity->first = FLAT_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const ArenaMark mark = arena_mark(&ex->scratch);
        const Text name = declare_element_name(ex, scope, entity, i);
        FlatPort port = { .name = text_copy(flat->arena, name),
                          .kind = is_input ? FLAT_PORT_IN : FLAT_PORT_OUT,
                          .type = type.name,
                          .n_values = type.n_fields,
                          .first = FLAT_NONE,
                          .is_required = symbol->decl->is_required,
                          .place = symbol->place };
        if (is_input && type.n_fields > 0) {
            FlatVar var = { .place = symbol->place, .kind = FLAT_DISCRETE, .unit = symbol->decl->unit,
                            .doc = symbol->decl->doc };
            if (flat->units && !symbol->decl->type) var.unit = units_text(flat->units, scope->site, symbol->name);
            port.first = declare_message(ex, name, type.fields, type.n_fields, &var);
            if (i == 0) entity->first = port.first;
        }
        vec_push(flat->arena, &flat->ports, port);
        arena_release(&ex->scratch, mark);
    }
}

uint32_t port_find(const Reading *r, const AstRef *ref, Place place, const Entity **entity)
{
    Target target;
    if (!lower_target(r, ref, place, &target)) return FLAT_NONE;
    *entity = target.entity;
    if (target.entity->symbol->kind == SYMBOL_PORT && ref->primes == 0)
        return target.entity->port + (uint32_t)target.element;
    EXPAND_FAIL(r->ex, DIAG_NOT_A_PORT, place, target.entity->symbol->name, lower_kind(target.entity));
    diag_hint(r->ex->diag, "event ports are declared: input event a, output event b");
    return FLAT_NONE;
}

void port_settle(Expander *ex)
{
    Flat *flat = ex->flat;
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (port->is_heard || port->first == FLAT_NONE) continue;
        for (uint32_t k = 0; k < port->n_values; k++) flat->vars.items[port->first + k].is_hidden = true;
    }
}

// ---- Arrows

typedef struct End {
    Target   target;
    uint32_t port;      // FLAT_NONE: a signal
    bool     is_own;    // of the model that has the arrow, not of a component
} End;

// Without a message: a name that is wrong is told by whoever reads the arrow.
static bool is_port(const Reading *r, const AstRef *ref)
{
    const Scope *scope = r->scope;
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const Entity *entity = scope ? scope_find(scope, ref->parts[i].name) : NULL;
        if (!entity || entity->is_broken || !entity->is_declared) return false;
        if (entity->symbol->kind == SYMBOL_PORT) return true;
        if (entity->symbol->kind != SYMBOL_COMPONENT || i + 1 == ref->n_parts) return false;
        scope = entity->components[0];    // all elements have the same shape
    }
    return false;
}

static bool find_end(const Reading *r, const AstRef *ref, Place place, End *end)
{
    if (!lower_target(r, ref, place, &end->target)) return false;
    const Entity *entity = end->target.entity;
    end->port = entity->symbol->kind == SYMBOL_PORT ? entity->port + (uint32_t)end->target.element : FLAT_NONE;
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
    diag_hint(ex->diag, from->is_own ? "what this model sends leaves it: the arrow belongs in the model around it"
                                     : "turn the arrow round, or begin it at an output of the component");
    return false;
}

static bool check_to(const Reading *r, const AstItem *item, const End *to)
{
    Expander *ex = r->ex;
    const FlatPort *port = &ex->flat->ports.items[to->port];
    if ((port->kind == FLAT_PORT_OUT) == to->is_own) return true;
    EXPAND_FAIL(ex, DIAG_ARROW_TO, item->arrow.to_place, port->name,
                port->kind == FLAT_PORT_IN ? "an input" : "an output");
    diag_hint(ex->diag, to->is_own ? "messages come to it from outside; inside, 'on %s then … end' or an arrow from it"
                                   : "turn the arrow round, or lead it to an input of the component",
              port->name);
    return false;
}

static bool check_types(const Reading *r, const AstItem *item, const FlatPort *from, const FlatPort *to)
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
    EXPAND_FAIL(ex, DIAG_ARROW_UNITS, item->place, from->name, to->name);
    diag_hint(ex->diag, "messages are not converted on the way; declare both ports with one unit");
    return false;
}

// A signal input that holds what arrives: one port for it, however many arrows lead to it.
static uint32_t held_port(Expander *ex, const AstItem *item, const End *to)
{
    Flat *flat = ex->flat;
    const uint32_t variable = to->target.entity->first + (uint32_t)to->target.element;
    const uint32_t *known = map_find(&ex->held_ports, variable);
    if (known) return *known;
    const bool counts = to->target.scope->shape->model->is_machine;
    const FlatPort port = { .name = flat->vars.items[variable].name,
                            .kind = counts ? FLAT_PORT_COUNT : FLAT_PORT_HOLD,
                            .type = "number",
                            .n_values = 1,
                            .first = variable,
                            .is_heard = true,
                            .place = item->arrow.to_place };
    const uint32_t number = (uint32_t)flat->ports.n;
    vec_push(flat->arena, &flat->ports, port);
    map_put(&ex->held_ports, variable, number);
    map_put(&ex->driven, variable, (uint32_t)ex->arrows.n);    // no signal may lead there besides
    vec_push(&ex->work, &ex->arrows, item);
    return number;
}

static bool connect_held(const Reading *r, const AstItem *item, const End *from, End *to)
{
    Expander *ex = r->ex;
    const Entity *entity = to->target.entity;
    const FlatPort *port = &ex->flat->ports.items[from->port];
    const bool is_input = entity->symbol->kind == SYMBOL_VARIABLE && entity->symbol->declared == AST_INPUT
                          && !to->is_own && item->arrow.to.primes == 0 && entity->array == FLAT_NONE;
    if (!is_input) {
        EXPAND_FAIL(ex, DIAG_HOLD_TARGET, item->arrow.to_place, port->name, entity->symbol->name, lower_kind(entity));
        diag_hint(ex->diag, "messages lead to event ports, or to a signal input of a component, which holds the last one");
        return false;
    }
    const uint32_t variable = entity->first + (uint32_t)to->target.element;
    const uint32_t *driver = map_find(&ex->driven, variable);
    if (driver && !map_find(&ex->held_ports, variable)) {
        EXPAND_FAIL(ex, DIAG_INPUT_DRIVEN_TWICE, item->arrow.to_place, ex->flat->vars.items[variable].name);
        diag_note(ex->diag, ex->arrows.items[*driver]->place, "the other source");
        return false;
    }
    const uint32_t number = held_port(ex, item, to);
    const FlatPort *held = &ex->flat->ports.items[number];
    port = &ex->flat->ports.items[from->port];
    if (held->kind == FLAT_PORT_HOLD && port->n_values != 1) {
        EXPAND_FAIL(ex, DIAG_ARROW_TYPES, item->place, port->name, port->type, held->name, "a signal");
        diag_hint(ex->diag, "a signal holds one number");
        return false;
    }
    if (held->kind == FLAT_PORT_HOLD) return to->port = number, check_types(r, item, port, held);
    to->port = number;
    return true;
}

bool port_connect(const Reading *r, const AstItem *item)
{
    Expander *ex = r->ex;
    const bool from_is_port = is_port(r, &item->arrow.from), to_is_port = is_port(r, &item->arrow.to);
    if (!from_is_port && !to_is_port) return false;
    End from, to;
    if (!find_end(r, &item->arrow.from, item->arrow.from_place, &from)) return true;
    if (!find_end(r, &item->arrow.to, item->arrow.to_place, &to)) return true;
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
        if (!check_to(r, item, &to)) return true;
        if (!check_types(r, item, &ex->flat->ports.items[from.port], &ex->flat->ports.items[to.port])) return true;
    }
    vec_push(ex->flat->arena, &ex->flat->couplings, (FlatCoupling){ from.port, to.port, item->place });
    return true;
}
