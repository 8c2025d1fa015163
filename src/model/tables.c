// src/model/tables.c: what the engine knows of a model (engine/engine.h), from its equations.
#include "model/model.h"
#include "base/map.h"
#include <math.h>
#include <stdlib.h>

static int by_priority(const void *a, const void *b)
{
    const FlatEvent *x = *(const FlatEvent *const *)a, *y = *(const FlatEvent *const *)b;
    if (x->priority != y->priority) return x->priority < y->priority ? 1 : -1;
    return (x > y) - (x < y);
}

static void find_ranks(const orr_model *model, EngineEvent *events)
{
    Arena work = { 0 };
    const FlatEvent **order = ARENA_ARRAY(&work, const FlatEvent *, model->n_events);
    for (uint32_t i = 0; i < model->n_events; i++) order[i] = &model->flat.events.items[i];
    qsort(order, model->n_events, sizeof *order, by_priority);
    for (uint32_t i = 0; i < model->n_events; i++) events[order[i] - model->flat.events.items].rank = i;
    arena_free(&work);
}

// Which condition reads each relation; MANY if there are several, or if another relation does.
static void find_readers(const orr_model *model, EngineRelation *relations)
{
    const Flat *flat = &model->flat;
    Arena work = { 0 };
    for (uint32_t i = 0; i < model->n_relations; i++) relations[i].reader = ENGINE_NONE;
    for (uint32_t i = 0; i < model->n_events + model->n_relations; i++) {
        const bool is_event = i < model->n_events;
        const Expr root = is_event ? flat->events.items[i].condition
                                   : flat->relations.items[i - model->n_events].relation;
        if (root == EXPR_NONE) continue;
        size_t n;
        const ArenaMark mark = arena_mark(&work);
        const Expr *nodes = expr_collect(&flat->pool, &root, 1, &work, &n);
        for (size_t k = 0; k < n; k++) {
            const ExprNode *node = expr_node(&flat->pool, nodes[k]);
            if (node->op != EXPR_MODE) continue;
            uint32_t *reader = &relations[node->index].reader;
            *reader = is_event && *reader == ENGINE_NONE ? i : ENGINE_MANY;
        }
        arena_release(&work, mark);
    }
    arena_free(&work);
}

// What rates, relations or remembered values depend on: [n variables], in the arena.
static bool *find_matters(const orr_model *model, Arena *work)
{
    const Ir *ir = &model->ir;
    bool *matters = ARENA_ARRAY(work, bool, model->flat.vars.n);
    const IrProgramId programs[] = { IR_RATES, IR_RELATIONS, IR_HISTORIES };
    VEC(Expr) roots = { 0 };
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        const IrProgram *program = &ir->programs[programs[p]];
        for (uint32_t i = 0; i < program->n_statements; i++) {
            const IrStatement *s = &program->statements[i];
            if (s->kind == IR_LOOP) memset(matters, true, model->flat.vars.n);    // too many to tell
            if (s->value != EXPR_NONE) vec_push(work, &roots, s->value);
        }
    }
    for (uint32_t k = 0; k < ir->dynamic_reads.start[model->blocks.dynamic.n_blocks]; k++)
        if (model->blocks.dynamic.n_loops) matters[ir->dynamic_reads.var[k]] = true;    // what loops read
    size_t n;
    const Expr *nodes = expr_collect(&model->flat.pool, roots.items, roots.n, work, &n);
    for (size_t i = 0; i < n; i++) {
        const ExprNode *node = expr_node(&model->flat.pool, nodes[i]);
        if (node->op != EXPR_VAR) continue;
        // a variable may be another name of what is assigned
        const Expr alias = ir->dynamic_alias[node->index];
        const ExprNode *leaf = alias == EXPR_NONE ? node : expr_node(&model->flat.pool, alias);
        matters[leaf->op == EXPR_VAR ? leaf->index : node->index] = true;
    }
    return matters;
}

// A body that assigns nothing that rates, relations or remembered values depend on disturbs no solver; nor
// does such a message.
static void find_effects(orr_model *model, EngineEvent *events)
{
    const Flat *flat = &model->flat;
    Arena work = { 0 };
    if (model->n_events == 0 && flat->ports.n == 0) return;
    const bool *matters = find_matters(model, &work);
    for (uint32_t i = 0; i < model->n_events; i++) {
        const FlatEvent *event = &flat->events.items[i];
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const uint32_t target = flat->actions.items[event->first_action + k].target;
            events[i].affects |= matters[target] || model->ir.layout.state_of[target] != FLAT_NONE;
        }
    }
    model->port_affects = ARENA_ARRAY(&model->arena, bool, flat->ports.n);
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        for (uint32_t k = 0; port->first != FLAT_NONE && k < port->n_values; k++)
            model->port_affects[i] |= matters[port->first + k];
    }
    arena_free(&work);
}

// ---- Rates that events change

typedef struct RateReads {
    const orr_model *model;
    Arena work;
    VEC(uint32_t) *of_variable;    // [n variables] RATEs that read it
    VEC(uint32_t) of_any;          // of those it is not known what they read
    VEC(uint32_t) of_inputs;
} RateReads;

// What the program of an ASK reads, of this event.
static void find_rate_reads(RateReads *r, uint32_t event)
{
    const Flat *flat = &r->model->flat;
    const IrProgram *program = &r->model->ir.events[event + 1];
    VEC(Expr) roots = { 0 };
    bool is_open = false, is_plain = true;
    Arena work = { 0 };
    for (uint32_t i = 0; i < program->n_statements; i++) {
        is_plain &= program->statements[i].value != EXPR_NONE && program->statements[i].kind != IR_LOOP;
        if (is_plain) vec_push(&work, &roots, program->statements[i].value);
    }
    size_t n;
    const Expr *nodes = expr_collect(&flat->pool, roots.items, roots.n, &work, &n);
    for (size_t i = 0; i < n; i++) {
        const ExprNode *node = expr_node(&flat->pool, nodes[i]);
        if (node->op != EXPR_VAR) continue;
        is_open |= flat->vars.items[node->index].kind == FLAT_INPUT;
        vec_push(&r->work, &r->of_variable[node->index], event);
    }
    for (size_t i = 0; i < flat->ports.n && !is_open; i++) {
        const FlatPort *port = &flat->ports.items[i];
        for (uint32_t k = 0; port->first != FLAT_NONE && k < port->n_values; k++)
            is_open |= r->of_variable[port->first + k].n > 0 &&
                       vec_last(&r->of_variable[port->first + k]) == event;
    }
    if (!is_plain) vec_push(&r->work, &r->of_any, event);
    if (is_open || !is_plain) vec_push(&r->work, &r->of_inputs, event);
    arena_free(&work);
}

static void find_rate_readers(orr_model *model, EngineEvent *events)
{
    EngineTables *tables = &model->tables;
    RateReads r = { .model = model };
    bool any = false;
    for (uint32_t i = 0; i < model->n_events; i++) any |= events[i].kind == ENGINE_RATE;
    if (!any) return;
    r.of_variable = arena_alloc(&r.work, model->flat.vars.n, sizeof *r.of_variable);
    for (uint32_t i = 0; i < model->n_events; i++)
        if (events[i].kind == ENGINE_RATE) find_rate_reads(&r, i);
    VEC(uint32_t) readers = { 0 };
    uint32_t *seen_by = ARENA_ARRAY(&r.work, uint32_t, model->n_events);    // 1 + the event that changes it
    for (uint32_t i = 0; i < model->n_events; i++) {
        const EngineEvent *event = &events[i];
        if (event->kind == ENGINE_ASK) continue;
        events[i].first_reader = (uint32_t)readers.n;
        const FlatAction *actions = model->flat.actions.items + event->first_action;
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const uint32_t target = actions[k].target;
            for (size_t j = 0; j < r.of_variable[target].n; j++) {
                const uint32_t reader = r.of_variable[target].items[j];
                if (seen_by[reader] != i + 1) vec_push(&model->arena, &readers, reader);
                seen_by[reader] = i + 1;
            }
        }
        for (size_t j = 0; j < r.of_any.n; j++)
            if (seen_by[r.of_any.items[j]] != i + 1) vec_push(&model->arena, &readers, r.of_any.items[j]);
        // what it winds is its own clock
        if (event->kind == ENGINE_RATE && seen_by[i] != i + 1) vec_push(&model->arena, &readers, i);
        events[i].n_readers = (uint32_t)readers.n - events[i].first_reader;
    }
    tables->first_open = (uint32_t)readers.n;
    for (size_t j = 0; j < r.of_inputs.n; j++) vec_push(&model->arena, &readers, r.of_inputs.items[j]);
    tables->readers = readers.items;
    tables->n_readers = (uint32_t)readers.n;
    arena_free(&r.work);
}

static const EngineRelation *make_relations(orr_model *model)
{
    const Flat *flat = &model->flat;
    EngineRelation *relations = ARENA_ARRAY(&model->arena, EngineRelation, model->n_relations);
    for (uint32_t k = 0; k < model->n_relations; k++) {
        const ExprNode *node = expr_node(&flat->pool, flat->relations.items[k].zero);
        const bool is_negation = node->op == EXPR_NEG, is_difference = node->op == EXPR_SUB;
        relations[k] = (EngineRelation){ .in_equation = flat->relations.items[k].in_equation,
                                         .zero = flat->relations.items[k].zero,
                                         .negated = is_negation ? node->a : ENGINE_NONE,
                                         .left = is_difference ? node->a : ENGINE_NONE,
                                         .right = is_difference ? node->b : ENGINE_NONE };
        const ExprOp op = expr_op(&flat->pool, flat->relations.items[k].relation);
        relations[k].at_zero = op == EXPR_LE || op == EXPR_GE || op == EXPR_EQ;
    }
    find_readers(model, relations);
    return relations;
}

static const EngineEvent *make_events(orr_model *model)
{
    static const EngineEventKind kinds[] = { [FLAT_WHEN] = ENGINE_WHEN, [FLAT_AT] = ENGINE_AT,
                                             [FLAT_EVERY] = ENGINE_EVERY, [FLAT_ON] = ENGINE_ON,
                                             [FLAT_REINIT] = ENGINE_REINIT, [FLAT_ASK] = ENGINE_ASK,
                                             [FLAT_RATE] = ENGINE_RATE };
    EngineEvent *events = ARENA_ARRAY(&model->arena, EngineEvent, model->n_events);
    for (uint32_t i = 0; i < model->n_events; i++) {
        const FlatEvent *e = &model->flat.events.items[i];
        events[i] = (EngineEvent){ .kind = kinds[e->kind], .at_start = e->at_start,
                                   .has_from = e->from != EXPR_NONE, .has_after = e->after != EXPR_NONE,
                                   .chain = e->chain, .first_action = e->first_action,
                                   .n_actions = e->n_actions, .n_draws = e->n_draws,
                                   .counter = e->n_draws ? model->ir.layout.place[e->counter] : 0,
                                   .lapses = e->lapses, .settles = e->settles, .priority = e->priority,
                                   .asks = e->asks_plus_1 - 1, .order = e->order_plus_1 - 1,
                                   .relation = ENGINE_NONE,
                                   .clock = e->kind == FLAT_RATE ? model->ir.layout.place[e->clock] : 0,
                                   .luck = e->luck_plus_1 ? model->ir.layout.place[e->luck_plus_1 - 1]
                                                          : ENGINE_NONE };
        if (e->kind == FLAT_WHEN) model->tables.n_conditions = i + 1;
        model->tables.has_asks |= e->asks_plus_1 || e->order_plus_1 || e->lapses || e->settles;
        uint32_t n_asked = 0;
        for (uint32_t k = 0; e->kind == FLAT_ASK && k < e->n_actions; k++)
            n_asked += model->flat.actions.items[e->first_action + k].is_kept;
        if (n_asked > model->tables.n_asked) model->tables.n_asked = n_asked;
    }
    for (uint32_t k = model->n_relations; k-- > 0;) {
        const EngineRelation *relation = &model->tables.relations[k];
        if (relation->reader >= model->n_events || relation->in_equation) continue;
        uint32_t *only = &events[relation->reader].relation;
        *only = *only == ENGINE_NONE ? k : ENGINE_MANY;
    }
    for (uint32_t i = 0; i < model->n_events; i++)
        if (events[i].relation == ENGINE_MANY) events[i].relation = ENGINE_NONE;
    find_ranks(model, events);
    find_effects(model, events);
    find_rate_readers(model, events);
    return events;
}

// Downwards from the value there is nothing but choices, sums and signs to an infinite constant or to a name
// that may stand for one.
bool model_may_be_infinite(const Flat *flat, Expr e)
{
    const ExprPool *pool = &flat->pool;
    if (e == EXPR_NONE || !expr_mentions_infinity(pool)) return false;
    Arena work = { 0 };
    size_t n;
    const Expr *nodes = expr_collect(pool, &e, 1, &work, &n);
    Map may = { 0 };    // nodes that may
    map_init(&may, &work);
    for (size_t i = 0; i < n; i++) {
        const ExprNode *node = expr_node(pool, nodes[i]);
        double x;
        bool is_so = false;
        switch (node->op) {
        case EXPR_CONST: is_so = expr_is_const(pool, nodes[i], &x) && isinf(x); break;
        case EXPR_VAR: {
            const FlatKind kind = flat->vars.items[node->index].kind;
            is_so = kind == FLAT_PARAM || kind == FLAT_DISCRETE;
            break;
        }
        case EXPR_NEG: case EXPR_ABS: is_so = map_find(&may, node->a); break;
        case EXPR_ADD: case EXPR_SUB: case EXPR_MIN: case EXPR_MAX:
            is_so = map_find(&may, node->a) || map_find(&may, node->b);
            break;
        case EXPR_IF: is_so = map_find(&may, node->b) || map_find(&may, node->c); break;
        default: break;
        }
        if (is_so) map_put(&may, nodes[i], 0);
    }
    const bool result = map_find(&may, e) != NULL;
    arena_free(&work);
    return result;
}

static const EngineAction *make_actions(orr_model *model)
{
    const Flat *flat = &model->flat;
    EngineAction *actions = ARENA_ARRAY(&model->arena, EngineAction, flat->actions.n);
    for (size_t i = 0; i < flat->actions.n; i++) {
        const FlatAction *from = &flat->actions.items[i];
        const uint32_t target = from->target, state = model->ir.layout.state_of[target];
        const bool is_discrete = flat->vars.items[target].kind == FLAT_DISCRETE;
        actions[i] = (EngineAction){ state == FLAT_NONE ? ENGINE_NONE : state, model->ir.layout.place[target],
                                     from->text, is_discrete && model_may_be_infinite(flat, from->value),
                                     from->is_kept };
    }
    return actions;
}

// What sliding and rest change besides the rates of states.
static void make_spans(orr_model *model, EngineTables *tables)
{
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    EngineSpan *rates = ARENA_ARRAY(&model->arena, EngineSpan, model->blocks.n_states + flat->arrays.n);
    EngineSpan *mixed = ARENA_ARRAY(&model->arena, EngineSpan, flat->vars.n + flat->arrays.n);
    for (uint32_t i = 0; i < model->blocks.n_states; i++) {
        const uint32_t rate = model->blocks.rates[i], state = model->blocks.states[i];
        if (layout->state_of[rate] == FLAT_NONE)
            rates[tables->n_rates++] = (EngineSpan){ layout->place[rate], 1, layout->state_of[state], 1 };
    }
    for (uint32_t i = 0; i < flat->vars.n; i++)
        if (flat->vars.items[i].kind == FLAT_VARIABLE && layout->state_of[i] == FLAT_NONE)
            mixed[tables->n_mixed++] = (EngineSpan){ layout->place[i], 1, 0, 0 };
    for (size_t a = 0; a < flat->arrays.n; a++) {
        const FlatArray *array = &flat->arrays.items[a];
        const uint32_t rate = array->derivative, first = layout->array_state[a];
        if (first != FLAT_NONE && rate != FLAT_NONE && layout->array_state[rate] == FLAT_NONE)
            rates[tables->n_rates++] = (EngineSpan){ layout->array_place[rate], array->n, first,
                                                     layout->array_step[a] };
        if (array->kind == FLAT_VARIABLE && first == FLAT_NONE)
            mixed[tables->n_mixed++] = (EngineSpan){ layout->array_place[a], array->n, 0, 0 };
    }
    tables->rates = rates;
    tables->mixed = mixed;
}

// ---- Clocks

// How a value moves between two events.
typedef enum Motion {
    MOTION_UNKNOWN,    // not found out yet
    MOTION_NONE,       // parameters, discrete variables, modes
    MOTION_STEADY,     // with time, in one direction: at most one crossing of a level
    MOTION_TIME,       // with time alone
    MOTION_FREE,       // with states, or in ways that are not known
} Motion;

static Motion motion_of_leaf(const orr_model *model, const ExprNode *node)
{
    switch (node->op) {
    case EXPR_CONST: case EXPR_MODE: return MOTION_NONE;
    case EXPR_TIME: return MOTION_STEADY;
    case EXPR_VAR: {
        const uint32_t variable = node->index;
        if (model->ir.layout.state_of[variable] != FLAT_NONE) return MOTION_FREE;
        // what blocks compute is found when they are met, before those that read it
        return model->blocks.dynamic.block_of[variable] == FLAT_NONE ? MOTION_NONE : MOTION_FREE;
    }
    default: return MOTION_FREE;    // elements of arrays
    }
}

static Motion motion_of_operation(const ExprNode *node, const uint8_t *known)
{
    const int arity = expr_ops[node->op].arity;
    const Motion a = known[node->a], b = arity > 1 ? known[node->b] : MOTION_NONE,
                 c = arity > 2 ? known[node->c] : MOTION_NONE, more = a > b ? a : b,
                 most = more > c ? more : c;
    switch (node->op) {
    case EXPR_DELAY: case EXPR_DRAW: return MOTION_FREE;
    // points of tables are passed one after the other: their codes show up to three in a step
    case EXPR_LOOKUP: case EXPR_SLOPE: case EXPR_PIECES: case EXPR_NEAR: case EXPR_GRID:
        return most == MOTION_NONE ? MOTION_NONE : MOTION_FREE;
    default: break;
    }
    if (most == MOTION_FREE) return MOTION_FREE;
    if (most != MOTION_STEADY) return most;
    switch (node->op) {
    case EXPR_NEG: return MOTION_STEADY;
    case EXPR_ADD: case EXPR_SUB: case EXPR_MUL: return a != b ? MOTION_STEADY : MOTION_TIME;
    case EXPR_DIV: return b == MOTION_NONE ? MOTION_STEADY : MOTION_TIME;
    default: return MOTION_TIME;
    }
}

// Of a node and all below it.
static Motion find_motion(const orr_model *model, Expr root, uint8_t *known, Arena *work)
{
    const ExprPool *pool = &model->flat.pool;
    const ArenaMark mark = arena_mark(work);
    VEC(Expr) stack = { 0 };
    vec_push(work, &stack, root);
    while (stack.n) {
        const Expr e = stack.items[stack.n - 1];
        const ExprNode *node = expr_node(pool, e);
        const int arity = expr_ops[node->op].arity;
        const Expr operands[] = { node->a, node->b, node->c };
        bool is_ready = true;
        for (int i = 0; known[e] == MOTION_UNKNOWN && i < arity; i++) {
            if (known[operands[i]] != MOTION_UNKNOWN) continue;
            vec_push(work, &stack, operands[i]);
            is_ready = false;
        }
        if (!is_ready) continue;
        if (known[e] == MOTION_UNKNOWN)
            known[e] = (uint8_t)(arity ? motion_of_operation(node, known) : motion_of_leaf(model, node));
        stack.n--;
    }
    arena_release(work, mark);
    return (Motion)known[root];
}

// Relations that only time moves, written over nothing but time and what is fixed between events.
static void make_clocks(orr_model *model)
{
    Flat *flat = &model->flat;
    ExprPool *pool = &flat->pool;
    const Ordered *system = &model->blocks.dynamic;
    Arena work = { 0 };
    uint8_t *known = ARENA_ARRAY(&work, uint8_t, pool->nodes.n);
    Expr *formula = ARENA_ARRAY(&work, Expr, flat->vars.n);
    uint32_t *clocks = ARENA_ARRAY(&model->arena, uint32_t, model->n_relations);
    model->clocks = ARENA_ARRAY(&model->arena, Expr, model->n_relations);
    for (size_t i = 0; i < flat->vars.n; i++) formula[i] = EXPR_NONE;
    const size_t n_nodes = pool->nodes.n;    // of those that are substituted nothing is asked
    for (uint32_t i = 0; i < system->n_blocks; i++) {
        const Block *block = &system->blocks[i];
        const uint32_t unknown = block->kind == BLOCK_ASSIGN ? block->unknowns[0] : UINT32_MAX;
        const Expr leaf = unknown < pool->vars.n ? pool->vars.items[unknown] : EXPR_NONE;
        if (leaf >= n_nodes) continue;    // nobody reads it, or EXPR_NONE
        known[leaf] = (uint8_t)find_motion(model, block->value, known, &work);
        if (known[leaf] == MOTION_FREE) continue;
        formula[unknown] = expr_substitute(pool, block->value, formula, flat->vars.n);
    }
    for (uint32_t k = 0; k < model->n_relations; k++) {
        if (find_motion(model, flat->relations.items[k].zero, known, &work) != MOTION_TIME) continue;
        clocks[model->tables.n_clocks] = k;
        model->clocks[model->tables.n_clocks++] = expr_substitute(pool, flat->relations.items[k].relation,
                                                                  formula, flat->vars.n);
    }
    model->tables.clocks = clocks;
    arena_free(&work);
}

// Does what delays remember depend on rates? Of loops that is not looked into.
static bool remembers_rates(const orr_model *model)
{
    const IrProgram *histories = &model->ir.programs[IR_HISTORIES];
    Arena work = { 0 };
    bool *is_rate = ARENA_ARRAY(&work, bool, model->flat.vars.n), found = false;
    for (uint32_t i = 0; i < model->blocks.n_states; i++) is_rate[model->blocks.rates[i]] = true;
    for (uint32_t i = 0; i < histories->n_statements && !found; i++) {
        const IrStatement *s = &histories->statements[i];
        found = s->kind == IR_LOCAL || s->kind == IR_KEEP ? is_rate[s->index] : s->kind != IR_OUT;
    }
    arena_free(&work);
    return found;
}

// What is declared of states: their sizes, and which are never below 0.
static void make_traits(orr_model *model)
{
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    double *nominal = ARENA_ARRAY(&model->arena, double, model->n_states);
    uint32_t *positive = ARENA_ARRAY(&model->arena, uint32_t, model->n_states), n_positive = 0;
    bool any = false;
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        const FlatVar *v = &flat->vars.items[i];
        const uint32_t state = layout->state_of[i];
        if (state == FLAT_NONE) continue;
        nominal[state] = v->nominal;
        any |= v->nominal > 0;
        if (v->is_positive) positive[n_positive++] = state;
    }
    for (size_t a = 0; a < flat->arrays.n; a++) {
        const FlatArray *array = &flat->arrays.items[a];
        if (layout->array_state[a] == FLAT_NONE) continue;
        any |= array->nominal > 0;
        for (uint32_t i = 0; i < array->n; i++) {
            const uint32_t state = layout->array_state[a] + i * layout->array_step[a];
            nominal[state] = array->nominal;
            if (array->is_positive) positive[n_positive++] = state;
        }
    }
    model->tables.nominal = any ? nominal : NULL;
    model->tables.positive = positive;
    model->tables.n_positive = n_positive;
}

// Are there values of states for which the rates have none? Where a loop has no
// solution its solver looks for it itself.
static bool has_domain(const orr_model *model)
{
    const IrProgram *rates = &model->ir.programs[IR_RATES];
    Arena work = { 0 };
    VEC(Expr) roots = { 0 };
    bool found = false;
    for (uint32_t i = 0; i < rates->n_statements; i++) {
        const IrStatement *s = &rates->statements[i];
        const IrLoop *loop = s->kind == IR_LOOP ? &model->ir.loops.items[s->index] : NULL;
        if (s->value != EXPR_NONE) vec_push(&work, &roots, s->value);
        for (uint32_t k = 0; loop && k < loop->n_body; k++)
            if (loop->body[k].statement.value != EXPR_NONE)
                vec_push(&work, &roots, loop->body[k].statement.value);
    }
    size_t n;
    const Expr *nodes = expr_collect(&model->flat.pool, roots.items, roots.n, &work, &n);
    for (size_t i = 0; i < n && !found; i++) {
        const ExprNode *node = expr_node(&model->flat.pool, nodes[i]);
        double power;
        found = node->op == EXPR_POW ? !(expr_is_const(&model->flat.pool, node->b, &power) &&
                                         power == floor(power) && power > 0)
                                     : expr_ops[node->op].domain != EXPR_DOMAIN_ALL;
    }
    arena_free(&work);
    return found;
}

void model_make_tables(orr_model *model)
{
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    EngineTables *tables = &model->tables;
    *tables = (EngineTables){ .n_states = model->n_states, .n_params = model->n_params,
                              .n_relations = model->n_relations, .n_events = model->n_events,
                              .n_actions = (uint32_t)flat->actions.n, .n_delays = model->n_delays,
                              .n_guesses = layout->n_guesses, .first_mode = layout->first_mode,
                              .first_var = layout->first_var, .first_guess = layout->first_guess,
                              .n_kept = layout->n_kept, .n_sources = MODEL_SOURCES,
                              .initial_flag = ENGINE_NONE, .has_pre = flat->pres.n > 0,
                              .has_implicit = model->blocks.n_implicit > 0 };
    if (flat->initial_flag != FLAT_NONE) tables->initial_flag = layout->place[flat->initial_flag];
    for (size_t i = 0; i < flat->vars.n; i++) tables->n_sources += flat->vars.items[i].kind == FLAT_INPUT;
    tables->relations = make_relations(model);
    tables->events = make_events(model);
    tables->actions = make_actions(model);
    make_traits(model);
    tables->has_domain = has_domain(model);
    if (model->n_relations) make_spans(model, tables);
    if (model->n_relations) make_clocks(model);
    bool *has_before = ARENA_ARRAY(&model->arena, bool, model->n_delays);
    for (uint32_t k = 0; k < model->n_delays; k++)
        has_before[k] = flat->delays.items[k].before != EXPR_NONE;
    tables->has_before = has_before;
    uint32_t *moving = ARENA_ARRAY(&model->arena, uint32_t, model->n_delays);
    for (uint32_t k = 0; k < model->n_delays; k++) moving[k] = flat->delays.items[k].moving_plus_1 - 1;
    tables->moving = moving;
    tables->is_neutral = model->n_delays && remembers_rates(model);
}
