// src/flat/event.c: events: conditions, times and the bodies, as lists of assignments.
#include "flat/scope.h"
#include <string.h>

// What is computed when an event fires, by an event of its own that never happens.
typedef VEC(FlatAction) Asks;

// A body while it is read.
typedef struct Body {
    Reading r;       // its `draws` are of the statement being read
    Expr branch;     // truth of the `if` around, of a hidden variable; EXPR_NONE: there is none
    bool is_next;    // reads what was before the event
    Asks *frozen;    // where its values are computed when it fires; NULL: here, when it runs
} Body;

static void read_body(const Body *body, const AstItem *items, uint32_t n);

static void add_here(const Body *body, FlatAction action)
{
    Flat *flat = body->r.ex->flat;
    ExprPool *pool = &flat->pool;
    if (body->branch != EXPR_NONE && !action.is_hidden)
        action.value = expr_make(pool, EXPR_IF, body->branch, action.value,
                                 lower_read(body->r.ex, action.target));
    vec_push(flat->arena, &flat->actions, action);
}

static void add_ask(Expander *ex, Asks *asks, uint32_t target, Expr value, bool is_kept, Place place)
{
    vec_push(&ex->work, asks, (FlatAction){ target, value, NULL, place, true, is_kept });
}

static void add_action(const Body *body, FlatAction action)
{
    Expander *ex = body->r.ex;
    if (!body->frozen) {
        add_here(body, action);
    } else if (action.is_hidden) {
        add_ask(ex, body->frozen, action.target, action.value, true, action.place);
    } else {
        ExprPool *pool = &ex->flat->pool;
        const uint32_t kept = declare_hidden(ex, body->r.scope, "kept", action.place);
        // what a branch that is not taken would compute may not exist
        const Expr value = body->branch == EXPR_NONE ? action.value
                                                     : expr_make(pool, EXPR_IF, body->branch, action.value,
                                                                 expr_const(pool, 0));
        add_ask(ex, body->frozen, kept, value, true, action.place);
        action.value = lower_read(ex, kept);
        add_here(body, action);
    }
}

// What a statement has drawn is behind it.
static void count_draws(const Body *body, Place place)
{
    const Expr count = draw_count(body->r.ex, body->r.draws);
    if (count == EXPR_NONE) return;
    FlatAction action = { draw_counter(body->r.draws), count, NULL, place, true, false };
    if (body->branch != EXPR_NONE)
        action.value = expr_make(&body->r.ex->flat->pool, EXPR_IF, body->branch, count,
                                 lower_read(body->r.ex, action.target));
    if (body->frozen) vec_push(&body->r.ex->work, body->frozen, action);
    else vec_push(body->r.ex->flat->arena, &body->r.ex->flat->actions, action);
}

// The same expression over the values before the event.
static Expr read_before(Expander *ex, Expr e, Place place)
{
    Flat *flat = ex->flat;
    const ArenaMark mark = arena_mark(&ex->scratch);
    size_t n;
    const uint32_t *variables = expr_variables(&flat->pool, e, &ex->scratch, &n);
    for (size_t i = 0; i < n; i++) {
        const FlatKind kind = flat->vars.items[variables[i]].kind;
        if (kind == FLAT_PARAM || draw_counts(ex, variables[i])) continue;
        const Expr pre = lower_read(ex, declare_pre(ex, variables[i], place));
        while (ex->pre_map.n < flat->vars.n) vec_push(&ex->work, &ex->pre_map, EXPR_NONE);
        ex->pre_map.items[variables[i]] = pre;
    }
    if (n) e = expr_substitute(&flat->pool, e, ex->pre_map.items, ex->pre_map.n);
    for (size_t i = 0; i < n; i++)
        if (variables[i] < ex->pre_map.n) ex->pre_map.items[variables[i]] = EXPR_NONE;
    arena_release(&ex->scratch, mark);
    return e;
}

static void read_assignment(const Body *around, const AstItem *item)
{
    Expander *ex = around->r.ex;
    const Flat *flat = ex->flat;
    Draws draws = draw_in_events(around->r.scope);
    Body own = *around;
    own.r.draws = &draws;
    const Body *body = &own;
    Expr value = lower_real(&body->r, item->assign.value);
    if (body->is_next) value = read_before(ex, value, item->place);
    if (item->assign.target.n_parts == 1 && strcmp(item->assign.target.parts[0].name, "t") == 0) {
        EXPAND_FAIL(ex, DIAG_EVENT_TARGET, item->place, "t", "the time");
        return;
    }
    Entity *entity;
    const uint32_t variable = lower_variable(&body->r, &item->assign.target, item->place, &entity);
    if (variable == FLAT_NONE) return;
    const FlatVar *v = &flat->vars.items[variable];
    if (entity->symbol->kind == SYMBOL_PORT) {
        EXPAND_FAIL(ex, DIAG_EVENT_TARGET, item->place, v->name, "an event port");
        diag_hint(ex->diag, "a message is sent: send %s(…)", entity->symbol->name);
        return;
    }
    if (v->kind != FLAT_DISCRETE && (v->kind != FLAT_VARIABLE || body->is_next)) {
        EXPAND_FAIL(ex, DIAG_EVENT_TARGET, item->place, v->name,
                    v->kind == FLAT_PARAM    ? "a parameter"
                    : v->kind == FLAT_INPUT  ? "an input"
                    : v->kind == FLAT_RESULT ? "a result of the terminal region"
                                             : "not discrete");
        if (v->kind != FLAT_RESULT)
            diag_hint(ex->diag, "declare it as: discrete %s = …", entity->symbol->name);
        return;
    }
    add_action(body, (FlatAction){ variable, value, NULL, item->place, false, false });
    count_draws(body, item->place);
}

// The truth of each branch goes to a hidden variable before anything inside is done, since what is assigned
// there may change it.
static void read_branches(const Body *body, const AstItem *item)
{
    Expander *ex = body->r.ex;
    ExprPool *pool = &ex->flat->pool;
    Expr none_before = body->branch;    // so far none of the conditions held
    for (; item; item = item->branch.otherwise) {
        Expr holds = none_before;
        Draws draws = draw_in_events(body->r.scope);
        Body deciding = *body;
        deciding.r.draws = &draws;
        if (item->branch.condition) {
            const Expr c = lower_truth(&deciding.r, item->branch.condition);
            holds = none_before == EXPR_NONE ? c : expr_binary(pool, EXPR_AND, none_before, c);
        }
        Body inner = *body;
        const uint32_t kept = declare_hidden(ex, body->r.scope, "if", item->place);
        const Expr real = expr_make(pool, EXPR_IF, holds, expr_const(pool, 1), expr_const(pool, 0));
        add_action(body, (FlatAction){ kept, real, NULL, item->place, true, false });
        count_draws(&deciding, item->place);
        inner.branch = expr_binary(pool, EXPR_GT, lower_read(ex, kept), expr_const(pool, 0.5));
        read_body(&inner, item->branch.items, item->branch.n_items);
        const Expr not_here = expr_unary(pool, EXPR_NOT, inner.branch);
        none_before = none_before == EXPR_NONE ? not_here
                                               : expr_binary(pool, EXPR_AND, none_before, not_here);
    }
}

static void read_loop(const Body *body, const AstItem *item)
{
    Expander *ex = body->r.ex;
    long long first, last;
    if (!lower_whole(&body->r, item->loop.first, &first) || !lower_whole(&body->r, item->loop.last, &last))
        return;
    for (long long k = first; k <= last && !expand_gives_up(ex); k++) {
        const Local index = { body->r.locals, item->loop.index, EXPR_NONE, (double)k };
        Body inner = *body;
        inner.r.locals = &index;
        const size_t before = ex->n_errors;
        if (!expand_takes_turns(ex, item->place, 1)) return;
        read_body(&inner, item->loop.items, item->loop.n_items);
        if (ex->n_errors > before) return;    // the next turns would say the same
    }
}

static void read_terminate(const Body *body, const AstItem *item)
{
    Expander *ex = body->r.ex;
    const uint32_t flag = declare_hidden(ex, body->r.scope, "terminate", item->place);
    add_here(body, (FlatAction){ flag, expr_const(&ex->flat->pool, 1), item->terminate, item->place, false,
                                 false });
}

// `send out(job)` hands a message on, `send out(Job(1, t))` makes one: both stand for the values of its
// fields.
static void take_record_apart(const Body *body, const FlatPort *port, AstExpr ***given, uint32_t *n)
{
    Expander *ex = body->r.ex;
    const AstRecord *record = port_record(ex, port->type);
    if (!record || *n != 1) return;
    AstExpr *value = (*given)[0];
    if (value->kind == AST_CALL && strcmp(value->call.function, record->name) == 0) {
        *given = value->call.args;
        *n = value->call.n_args;
        return;
    }
    if (value->kind != AST_REF || value->ref.primes) return;
    const Entity *entity = port_entity(&body->r, &value->ref, false);
    if (!entity || port_record(ex, entity->symbol->decl->type) != record) return;
    const uint32_t n_parts = value->ref.n_parts;
    *given = ARENA_ARRAY(&ex->work, AstExpr *, record->n_fields);
    for (*n = 0; *n < record->n_fields; (*n)++) {
        AstExpr *field = (*given)[*n] = ARENA_NEW(&ex->work, AstExpr);
        *field = *value;
        field->ref.parts = ARENA_ARRAY(&ex->work, AstPart, n_parts + 1);
        memcpy(field->ref.parts, value->ref.parts, n_parts * sizeof *value->ref.parts);
        field->ref.parts[n_parts] = (AstPart){ .name = record->fields[*n].name };
        field->ref.n_parts = n_parts + 1;
    }
}

// The values of a message and that it is sent go to hidden variables, which the run looks at behind the body.
static void read_send(const Body *around, const AstItem *item)
{
    Expander *ex = around->r.ex;
    Draws draws = draw_in_events(around->r.scope);
    Body own = *around;
    own.r.draws = &draws;
    const Body *body = &own;
    Flat *flat = ex->flat;
    ExprPool *pool = &flat->pool;
    Target target;
    const uint32_t number = port_find(&body->r, &item->send.port, item->send.port_place, &target);
    if (number == FLAT_NONE) return;
    const FlatPort port = flat->ports.items[number];
    if (port.kind != FLAT_PORT_OUT || item->send.port.n_parts > 1) {
        EXPAND_FAIL(ex, DIAG_SEND_TARGET, item->send.port_place, port.name);
        diag_hint(ex->diag, port.kind == FLAT_PORT_OUT
                                ? "send to an output of this model and lead an arrow from there"
                                : "messages leave by an 'output event'");
        return;
    }
    AstExpr **given = item->send.values;
    uint32_t n_given = item->send.n_values;
    take_record_apart(body, &port, &given, &n_given);
    if (n_given != port.n_values) {
        EXPAND_FAIL(ex, DIAG_SEND_VALUES, item->place, port.name, port.type, (size_t)port.n_values,
                    (size_t)n_given);
        return;
    }
    // what a branch that is not taken would compute may not exist
    const ArenaMark mark = arena_mark(&ex->scratch);
    Expr *values = ARENA_ARRAY(&ex->scratch, Expr, port.n_values + 1);
    const Expr none = expr_const(pool, 0), branch = body->branch;
    for (uint32_t i = 0; i <= port.n_values; i++) {
        const Expr value = i < port.n_values ? lower_real(&body->r, given[i]) : expr_const(pool, 1);
        values[i] = branch == EXPR_NONE ? value : expr_make(pool, EXPR_IF, branch, value, none);
    }
    FlatSend send = { .port = number, .first = FLAT_NONE, .place = item->place };
    for (uint32_t i = 0; i <= port.n_values; i++) {    // one behind the other
        const bool is_flag = i == port.n_values;
        const uint32_t kept = declare_hidden(ex, body->r.scope, is_flag ? "sent" : "message", item->place);
        if (is_flag) send.flag = kept;
        else if (i == 0) send.first = kept;
        const FlatAction action = { kept, values[i], NULL, item->place, true, false };
        if (is_flag) add_here(body, action);
        else add_action(body, action);
    }
    count_draws(body, item->place);
    arena_release(&ex->scratch, mark);
    vec_push(flat->arena, &flat->sends, send);
}

static void read_body(const Body *body, const AstItem *items, uint32_t n)
{
    for (uint32_t i = 0; i < n && !expand_gives_up(body->r.ex); i++) {
        switch (items[i].kind) {
        case AST_ASSIGN: read_assignment(body, &items[i]); break;
        case AST_BRANCH: read_branches(body, &items[i]); break;
        case AST_FOR: read_loop(body, &items[i]); break;
        case AST_TERMINATE: read_terminate(body, &items[i]); break;
        case AST_SEND: read_send(body, &items[i]); break;
        default: break;
        }
    }
}

// ---- When

// `event`: it may be drawn, and drawn anew each time.
static Expr read_time(const Reading *plain, const AstExpr *e, const char *what, Reads allowed,
                      FlatEvent *event)
{
    if (!e) return EXPR_NONE;
    Draws draws = draw_in_events(plain->scope);
    Reading reading = *plain;
    const Reading *r = &reading;
    if (event) reading.draws = &draws;
    const Expr value = lower_real(r, e);
    if (draws.n > 0) {
        event->n_draws = draws.n;
        event->counter = draw_counter(&draws);
        allowed |= READS_DISCRETE | READS_INPUTS;
    }
    if (settle_reads(r->ex, value) & ~allowed) {
        EXPAND_FAIL(r->ex, DIAG_EVENT_TIME, e->place, what, settle_offender(r->ex, value, allowed));
        diag_hint(r->ex->diag, allowed ? "it is made of numbers, parameters and discrete variables"
                                       : "it is made of numbers and parameters; what changes needs a 'when'");
    }
    return value;
}

static bool reads_flag(const Flat *flat, Expr e)
{
    return flat->initial_flag != FLAT_NONE && expr_depends_on(&flat->pool, e, flat->initial_flag);
}

static void read_condition(const Reading *plain, const AstExpr *e, FlatEvent *event)
{
    Expander *ex = plain->ex;
    Reading r = *plain;
    r.makes_modes = true;
    const size_t errors_before = ex->n_errors;
    event->condition = lower_truth(&r, e);
    event->at_start = reads_flag(ex->flat, event->condition);
    if (ex->n_errors > errors_before || settle_reads(ex, event->condition) != READS_PARAMS) return;
    diag_report(ex->diag, DIAG_WHEN_CONSTANT, e->place);
    diag_hint(ex->diag, "an event that happens once at the start is: when initial then … end");
}

static void read_port(const Reading *r, const AstEvent *e, FlatEvent *event)
{
    Expander *ex = r->ex;
    Target target;
    event->port = port_find(r, &e->port, e->port_place, &target);
    if (event->port == FLAT_NONE) return;
    if (port_is_message(r, &target)) {
        event->port = port_hear(r, &target, e->port_place);
        return;
    }
    FlatPort *port = &ex->flat->ports.items[event->port];
    port->is_heard = true;
    if (port->kind == FLAT_PORT_IN && e->port.n_parts == 1) return;
    EXPAND_FAIL(ex, DIAG_ON_PORT, e->port_place, port->name);
    diag_hint(ex->diag, "declare an 'input event' here, or name an 'output event' of a component");
}

// ---- Rates
//
// `rate r then …`: events that are as likely in the next instant as r says, whatever it depends on. A clock
// that begins at a number drawn from the exponential distribution with mean 1 runs down at this rate; the
// event is where it reaches 0, and behind its body it begins anew. So the integral of r over the time from
// one event to the next is that number. [Daley & Vere-Jones 2003] Where only events change r, the engine
// knows the instant beforehand; else the clock is a state of the equations.

typedef struct Clock {
    uint32_t variable;    // FLAT_NONE: there is none
    Expr     rate;        // EXPR_NONE: the equations move it
} Clock;

static Expr draw_threshold(const Reading *r)
{
    ExprPool *pool = &r->ex->flat->pool;
    return expr_unary(pool, EXPR_NEG, expr_unary(pool, EXPR_LOG, draw_unit(r)));
}

static void start_clock(const Reading *r, uint32_t clock)
{
    Flat *flat = r->ex->flat;
    Draws draws = { .stream = flat->vars.items[clock].name };
    Reading drawing = *r;
    drawing.draws = &draws;
    const Expr start = draw_threshold(&drawing);
    flat->vars.items[clock].start = start;
}

// reaction: NULL, or what happens
static Clock read_rate(const Reading *event, const AstExpr *written, const AstReaction *reaction,
                       FlatEvent *found)
{
    Expander *ex = event->ex;
    Flat *flat = ex->flat;
    ExprPool *pool = &flat->pool;
    Reading r = *event;
    r.in_event = false;
    r.makes_modes = true;    // it holds all the time
    Expr rate = lower_real(&r, written);
    if (reaction) rate = reaction_guard(&r, reaction, rate);
    if (rate_is_steady(&r, rate)) {
        const uint32_t clock = declare_hidden(ex, r.scope, "rate", found->place);
        declare_hidden(ex, r.scope, "often", found->place);
        declare_hidden(ex, r.scope, "since", found->place);
        start_clock(&r, clock);
        found->kind = FLAT_RATE;
        found->clock = clock;
        return (Clock){ clock, rate };
    }
    const uint32_t clock = declare_clock(ex, r.scope, found->place);
    start_clock(&r, clock);
    define_equation(ex, lower_read(ex, declare_derivative(ex, clock, 1, found->place)),
                    expr_unary(pool, EXPR_NEG, rate), found->place);
    const Expr zero = expr_const(pool, 0);
    vec_push(flat->arena, &flat->asserts,
             (FlatAssert){ expr_binary(pool, EXPR_GE, rate, zero), "a rate is not negative", found->place });
    Reading of_event = *event;
    of_event.makes_modes = true;
    found->condition = lower_relation(&of_event, EXPR_LE, lower_read(ex, clock), zero, found->place);
    return (Clock){ clock, EXPR_NONE };
}

static void wind_clock(const Body *body, uint32_t clock, Place place)
{
    Draws draws = draw_in_events(body->r.scope);
    Body own = *body;
    own.r.draws = &draws;
    add_action(&own, (FlatAction){ clock, draw_threshold(&own.r), NULL, place, false, false });
    count_draws(&own, place);
}

// ---- What is computed when an event fires

// A delay over anything, as it is when the condition becomes true.
static void read_after(const Reading *r, const AstEvent *e, FlatEvent *event, Asks *asks)
{
    Expander *ex = r->ex;
    Draws draws = draw_in_events(r->scope);
    Reading reading = *r;
    reading.draws = &draws;
    event->after = lower_real(&reading, e->after);
    if (!(settle_reads(ex, event->after) & ~(Reads)(READS_DISCRETE | READS_INPUTS))) {
        event->n_draws = draws.n;
        if (draws.n) event->counter = draw_counter(&draws);
        return;
    }
    const uint32_t delay = declare_hidden(ex, r->scope, "delay", e->place);
    add_ask(ex, asks, delay, event->after, false, e->place);
    if (draws.n) add_ask(ex, asks, draw_counter(&draws), draw_count(ex, &draws), false, e->place);
    event->after = lower_read(ex, delay);
}

// A priority that may change, in an ASK of its own, since it is computed again for each body.
static void read_priority(const Reading *r, const AstEvent *e, FlatEvent *event, Asks *order)
{
    Expander *ex = r->ex;
    if (!e->priority) return;
    const Expr value = e->kind == AST_ON || e->kind == AST_REINIT ? EXPR_NONE : lower_real(r, e->priority);
    if (value == EXPR_NONE) lower_number(r, e->priority, &event->priority);
    else if (!expr_is_const(&ex->flat->pool, value, &event->priority))
        add_ask(ex, order, declare_hidden(ex, r->scope, "priority", e->place), value, false, e->place);
}

static void read_luck(const Reading *r, const AstEvent *e, FlatEvent *event, Asks *asks)
{
    Expander *ex = r->ex;
    if (!(e->options & AST_SHUFFLED)) return;
    Draws draws = draw_in_events(r->scope);
    Reading reading = *r;
    reading.draws = &draws;
    const uint32_t luck = declare_hidden(ex, r->scope, "luck", e->place);
    event->luck_plus_1 = luck + 1;
    add_ask(ex, asks, luck, draw_unit(&reading), true, e->place);
    add_ask(ex, asks, draw_counter(&draws), draw_count(ex, &draws), false, e->place);
}

FlatEvent event_new(const Flat *flat, FlatEventKind kind, Place place)
{
    return (FlatEvent){ .kind = kind,
                        .condition = EXPR_NONE,
                        .time = EXPR_NONE,
                        .from = EXPR_NONE,
                        .after = EXPR_NONE,
                        .first_action = (uint32_t)flat->actions.n,
                        .first_send = (uint32_t)flat->sends.n,
                        .port = FLAT_NONE,
                        .chain = (uint32_t)flat->events.n,
                        .place = place };
}

// Behind its event: 1 + the number of the ASK that does all this; 0 if there is nothing to do.
static uint32_t define_asks(Expander *ex, const Asks *asks, Place place)
{
    Flat *flat = ex->flat;
    if (asks->n == 0) return 0;
    FlatEvent event = event_new(flat, FLAT_ASK, place);
    event.n_actions = (uint32_t)asks->n;
    for (size_t i = 0; i < asks->n; i++) vec_push(flat->arena, &flat->actions, asks->items[i]);
    vec_push(flat->arena, &flat->events, event);
    return (uint32_t)flat->events.n;
}

// With all that its body has done; behind it how often it happens, and what it asks for.
static void finish_event(Expander *ex, FlatEvent event, const Clock *clock, const Asks *asks,
                         const Asks *order)
{
    Flat *flat = ex->flat;
    Asks rate = { 0 };
    if (clock->rate != EXPR_NONE) add_ask(ex, &rate, clock->variable + 1, clock->rate, false, event.place);
    event.n_actions = (uint32_t)flat->actions.n - event.first_action;
    event.n_sends = (uint32_t)flat->sends.n - event.first_send;
    const size_t number = flat->events.n;
    vec_push(flat->arena, &flat->events, event);
    define_asks(ex, &rate, event.place);
    const uint32_t asks_plus_1 = define_asks(ex, asks, event.place);
    flat->events.items[number].asks_plus_1 = asks_plus_1;
    const uint32_t order_plus_1 = define_asks(ex, order, event.place);
    flat->events.items[number].order_plus_1 = order_plus_1;
}

static void define_one(const Reading *r, const AstEvent *e, uint32_t chain)
{
    static const FlatEventKind kinds[] = { [AST_WHEN] = FLAT_WHEN, [AST_AT] = FLAT_AT,
                                           [AST_EVERY] = FLAT_EVERY, [AST_NEXT] = FLAT_EVERY,
                                           [AST_ON] = FLAT_ON, [AST_REINIT] = FLAT_REINIT,
                                           [AST_RATE] = FLAT_WHEN };
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    Clock clock = { FLAT_NONE, EXPR_NONE };
    Asks asks = { 0 }, order = { 0 };
    FlatEvent event = event_new(flat, kinds[e->kind], e->place);
    event.lapses = e->options & AST_LAPSING;
    event.settles = e->options & AST_SETTLING;
    event.chain = chain;
    if (e->kind == AST_ON) read_port(r, e, &event);
    if (e->condition) read_condition(r, e->condition, &event);
    if (e->kind == AST_RATE) clock = read_rate(r, e->time, NULL, &event);
    else
        event.time = read_time(r, e->time, e->kind == AST_AT ? "time" : "period", READS_PARAMS,
                               e->kind == AST_EVERY ? &event : NULL);
    event.from = read_time(r, e->from, "first time", READS_PARAMS, NULL);
    if (e->after) read_after(r, e, &event, &asks);
    read_priority(r, e, &event, &order);
    read_luck(r, e, &event, &asks);
    event.first_action = (uint32_t)flat->actions.n;
    Body body = { .r = *r, .branch = EXPR_NONE, .is_next = e->kind == AST_NEXT,
                  .frozen = e->options & AST_FROZEN ? &asks : NULL };
    body.r.in_reinit = e->kind == AST_REINIT;
    if (body.r.in_reinit) flat->n_reinits++;
    read_body(&body, e->body, e->n_body);
    body.frozen = NULL;
    if (clock.variable != FLAT_NONE) wind_clock(&body, clock.variable, e->place);
    finish_event(ex, event, &clock, &asks, &order);
}

static void define_reaction(const Reading *r, const AstItem *item)
{
    const Asks none = { 0 };
    FlatEvent event = event_new(r->ex->flat, FLAT_WHEN, item->place);
    const Clock clock = read_rate(r, item->reaction->rate, item->reaction, &event);
    reaction_body(r, item->reaction, item->place);
    wind_clock(&(Body){ .r = *r, .branch = EXPR_NONE }, clock.variable, item->place);
    finish_event(r->ex, event, &clock, &none, &none);
}

void define_at_rate(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals, .in_event = true };
    if (item->kind == AST_REACTION) define_reaction(&r, item);
    else define_one(&r, item->event, (uint32_t)ex->flat->events.n);
}

void define_event(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals, .in_event = true };
    if (ex->flat->arrays.n) ex->flat->keep_failed = true;    // events know single variables only
    if (item->event->kind == AST_RATE) {
        reaction_keep(ex, scope, locals, item);
        return;
    }
    const uint32_t chain = (uint32_t)ex->flat->events.n;
    for (const AstEvent *e = item->event; e && !expand_gives_up(ex); e = e->otherwise)
        define_one(&r, e, chain);
}

Expr event_sample(const Reading *r, const AstExpr *written, Expr period, Expr from, Place place)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const uint32_t sampled = declare_hidden(ex, r->scope, "sample", place);
    // what is drawn comes from a stream of its own: first at the start, then counted as the component's are
    Draws at_start = { .stream = flat->vars.items[sampled].name }, later = draw_in_events(r->scope);
    Reading first = *r, again = *r;
    first.draws = &at_start;
    again.draws = &later;
    const Expr begin = lower_real(&first, written), e = at_start.n ? lower_real(&again, written) : begin;
    if (flat->arrays.n) flat->keep_failed = true;
    const Expr times[] = { period, from };
    for (int i = 0; i < 2; i++) {
        if (times[i] == EXPR_NONE || settle_is_fixed(ex, times[i])) continue;
        EXPAND_FAIL(ex, DIAG_EVENT_TIME, place, i ? "first time" : "period",
                    settle_offender(ex, times[i], READS_PARAMS));
    }
    flat->vars.items[sampled].start = EXPR_NONE;
    vec_push(flat->arena, &flat->initial, (FlatEquation){ lower_read(ex, sampled), begin, place });
    FlatEvent event = event_new(flat, FLAT_EVERY, place);
    event.time = period;
    event.from = from;
    event.n_actions = later.n ? 2 : 1;
    vec_push(flat->arena, &flat->actions, (FlatAction){ sampled, e, NULL, place, false, false });
    if (later.n)
        vec_push(flat->arena, &flat->actions,
                 (FlatAction){ draw_counter(&later), draw_count(ex, &later), NULL, place, true, false });
    vec_push(flat->arena, &flat->events, event);
    return lower_read(ex, sampled);
}
