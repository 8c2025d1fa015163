// src/units/atomic.c: what the bodies of atomics say about units.
//
// A body is looked at once, however many components it has: it is one program, so what is converted in it
// must not depend on who uses it. Only the unit of time is that of the model. Fields of records are shared by
// all.
#include "units/walk.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------- calls

typedef enum CallKind { CALL_KEEPS, CALL_DIFFERENCE, CALL_COUNTS } CallKind;

bool gather_atomic_call(const Walk *w, const AstExpr *call, const Term *args, Term *result)
{
    static const struct {
        const char *name;
        CallKind kind;
    } calls[] = {
        { "pop", CALL_KEEPS },    { "first", CALL_KEEPS },   { "last", CALL_KEEPS },
        { "item", CALL_KEEPS },   { "remove", CALL_KEEPS },  { "mean", CALL_KEEPS },
        { "lowest", CALL_KEEPS }, { "highest", CALL_KEEPS }, { "quantile", CALL_KEEPS },
        { "deviation", CALL_DIFFERENCE }, { "empty", CALL_COUNTS }, { "length", CALL_COUNTS },
        { "count", CALL_COUNTS },
    };
    for (size_t i = 0; call->call.n_args > 0 && i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(call->call.function, calls[i].name) != 0) continue;
        if (strcmp(calls[i].name, "quantile") == 0 && call->call.n_args > 1)
            walk_must_be_pure(w->g, &args[1], "the fraction of quantile");
        *result = calls[i].kind == CALL_COUNTS ? walk_bare(NAN) : args[0];
        result->value = NAN;
        if (!result->is_bare) result->side.expr = call, result->side.place = call->place;
        if (calls[i].kind == CALL_DIFFERENCE) result->side.zero = (Zero){ 0 };
        return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- names

static bool is_container(const AstExpr *value)
{
    if (!value || value->kind != AST_CALL) return false;
    const char *name = value->call.function;
    return strcmp(name, "queue") == 0 || strcmp(name, "tally") == 0 || strcmp(name, "level") == 0;
}

// Ports and variables as declarations, so that they are read like all others.
static const AstDecl *port_decl(Gather *g, const AstPort *port)
{
    AstDecl *decl = ARENA_NEW(&g->work, AstDecl);
    *decl = (AstDecl){ .kind = port->is_output ? AST_EVENT_OUTPUT : AST_EVENT_INPUT,
                       .name = port->name,
                       .unit = port->unit,
                       .unit_place = port->unit_place,
                       .type = port->type,
                       .place = port->place };
    return decl;
}

static const AstDecl *cell_decl(Gather *g, const AstCell *cell)
{
    AstDecl *decl = ARENA_NEW(&g->work, AstDecl);
    *decl = (AstDecl){ .kind = AST_VAR,
                       .name = cell->name,
                       .unit = cell->unit,
                       .unit_place = cell->unit_place,
                       .type = cell->type,
                       .value = cell->value,
                       .place = cell->place };
    if (!is_container(cell->value)) return decl;
    // queue(Job) holds records; what a level begins with has its unit
    const AstExpr *first = cell->value->call.n_args > 0 ? cell->value->call.args[0] : NULL;
    const bool is_queue = strcmp(cell->value->call.function, "queue") == 0;
    decl->value = is_queue ? NULL : (AstExpr *)first;
    if (is_queue && first && first->kind == AST_REF) decl->type = first->ref.parts[0].name;
    return decl;
}

static void declare_atomic(Gather *g, UnitScope *scope)
{
    const AstAtomic *a = scope->atomic;
    for (uint32_t i = 0; i < a->n_params; i++)
        gather_declare(g, scope, a->params[i].name, a->params[i].place, &a->params[i]);
    for (uint32_t i = 0; i < a->n_ports; i++)
        gather_declare(g, scope, a->ports[i].name, a->ports[i].place, port_decl(g, &a->ports[i]));
    for (uint32_t i = 0; i < a->n_cells; i++)
        gather_declare(g, scope, a->cells[i].name, a->cells[i].place, cell_decl(g, &a->cells[i]));
}

// ---------------------------------------------------------------------------------------------- statements

static void visit_acts(const Walk *w, const AstAct *acts, uint32_t n);

// push(q, x), insert(q, x, rank), add(s, x), set(s, x): x is what it holds
static void visit_call(const Walk *w, const AstExpr *call)
{
    static const char *const takers[] = { "push", "insert", "add", "set" };
    bool takes = false;
    if (call->kind != AST_CALL) return;
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        takes |= strcmp(call->call.function, takers[i]) == 0;
    if (!takes) {
        walk(w, call);
        return;
    }
    Term args[3] = { { 0 } };
    for (uint32_t i = 0; i < call->call.n_args && i < 3; i++) args[i] = walk(w, call->call.args[i]);
    if (call->call.n_args > 1) walk_relate(w->g, &args[0], &args[1], true);
}

static void visit_act(const Walk *w, const AstAct *act)
{
    Gather *g = w->g;
    switch (act->kind) {
    case AST_ACT_ASSIGN: {
        AstExpr *target = ARENA_NEW(&g->work, AstExpr);
        *target = (AstExpr){ .kind = AST_REF, .place = act->target_place, .ref = act->target };
        const Term left = walk(w, target), right = walk(w, act->value);
        walk_relate(g, &left, &right, true);
        break;
    }
    case AST_ACT_CALL: visit_call(w, act->value); break;
    case AST_ACT_IF:
        walk(w, act->value);
        visit_acts(w, act->body, act->n_body);
        visit_acts(w, act->other, act->n_other);
        break;
    case AST_ACT_FOR: {
        const AstExpr *bounds[] = { act->value, act->last };
        for (int i = 0; i < 2; i++) {
            const Term bound = walk(w, bounds[i]);
            walk_must_be_pure(g, &bound, "the bound of a loop");
        }
        const LocalTerm index = { w->locals, act->index, walk_bare(NAN) };
        const Walk inner = { g, w->scope, &index, w->site };
        visit_acts(&inner, act->body, act->n_body);
        break;
    }
    case AST_ACT_ON:
        if (act->value) walk(w, act->value);
        visit_acts(w, act->body, act->n_body);
        break;
    }
}

static void visit_acts(const Walk *w, const AstAct *acts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) visit_act(w, &acts[i]);
}

static void visit_goal(const Walk *w, const AstGoal *goal)
{
    visit_acts(w, goal->acts, goal->n_acts);
    if (goal->condition) {
        walk(w, goal->condition);
        visit_goal(w, goal->yes);
        visit_goal(w, goal->no);
    }
    for (uint32_t i = 0; i < goal->n_chances; i++) {
        const Term chance = walk(w, goal->chances[i]);
        walk_must_be_pure(w->g, &chance, "a probability");
        visit_goal(w, &goal->cases[i]);
    }
}

// ---------------------------------------------------------------------------------------------- states

static void visit_emit(const Walk *w, const AstEmit *emit)
{
    if (emit->condition) walk(w, emit->condition);
    if (emit->index) walk(w, emit->index);
    if (!emit->value) return;
    const Term value = walk(w, emit->value);
    const UnitEntity *port = gather_find(w->scope, emit->port);
    if (!port || port->var == UNIT_NONE) return;
    const Term name = walk_name(w->g, port->var, emit->port, emit->port_place);
    walk_relate(w->g, &name, &value, true);
}

static void visit_transition(const Walk *w, const AstTransition *t)
{
    // a new name in `on p[i]` is a number
    const bool is_name = t->index && t->index->kind == AST_REF &&
                         !gather_find(w->scope, t->index->ref.parts[0].name);
    const LocalTerm index = { w->locals, is_name ? t->index->ref.parts[0].name : "", walk_bare(NAN) };
    const Walk inner = { w->g, w->scope, is_name ? &index : w->locals, w->site };
    if (t->guard) walk(&inner, t->guard);
    for (uint32_t i = 0; i < t->n_emits; i++) visit_emit(&inner, &t->emits[i]);
    visit_goal(&inner, &t->goal);
}

// What a state lasts is handed to the calendar: converted to the time of the model.
static void visit_duration(const Walk *w, const AstState *state)
{
    Gather *g = w->g;
    const Term value = walk(w, state->duration);
    if (value.is_bare) return;
    const UnitVar var = { .name = arena_printf(g->arena, "%s%s", w->scope->path, state->name),
                          .place = state->place,
                          .text = unit_text(g->system, &g->time),
                          .value = form_unit(&g->work, &g->time).unit,
                          .from = UNIT_NONE };
    const char *words = arena_printf(&g->work, "the time that '%s' lasts", state->name);
    vec_push(&g->work, &g->vars, var);
    const Term time = walk_name(g, (uint32_t)g->vars.n - 1, words, state->place);
    walk_link(g, &time.side, &value, w->site, state->duration);
}

static void visit_atomic(Gather *g, UnitScope *scope)
{
    const AstAtomic *a = scope->atomic;
    const Walk w = { g, scope, NULL, scope->site };
    for (uint32_t i = 0; i < a->n_params; i++) gather_decl(g, scope, &a->params[i]);
    for (uint32_t i = 0; i < a->n_cells; i++) {
        const UnitEntity *entity = gather_find(scope, a->cells[i].name);
        if (entity && entity->decl) gather_decl(g, scope, entity->decl);
    }
    if (a->has_start) visit_goal(&w, &a->start);
    for (uint32_t i = 0; i < a->n_common; i++) visit_transition(&w, &a->common[i]);
    for (uint32_t i = 0; i < a->n_states; i++) {
        const AstState *state = &a->states[i];
        if (state->duration) visit_duration(&w, state);
        for (uint32_t k = 0; k < state->n_transitions; k++) visit_transition(&w, &state->transitions[k]);
    }
    if (a->confluent == AST_CONFLUENT_OWN) visit_goal(&w, &a->confluent_goal);
}

// ---------------------------------------------------------------------------------------------- which

// The models that one is made of, as deep as they go.
static bool *find_used(Gather *g, const AstModel *model)
{
    const Ast *ast = g->ast;
    bool *is_used = ARENA_ARRAY(&g->work, bool, ast->models.n + 1);
    VEC(const AstModel *) todo = { 0 };
    vec_push(&g->work, &todo, model);
    while (todo.n > 0) {
        const AstModel *m = vec_pop(&todo);
        for (uint32_t i = 0; i < m->n_items; i++) {
            if (m->items[i].kind != AST_COMPONENT) continue;
            const uint32_t *found = text_map_find(&g->models, text_from(m->items[i].component.model));
            if (!found || *found >= ast->models.n || is_used[*found]) continue;
            is_used[*found] = true;
            vec_push(&g->work, &todo, &ast->models.items[*found]);
        }
    }
    return is_used;
}

void gather_atomics(Gather *g, const AstModel *model, const Gather *before)
{
    gather_begin(g, model, before);
    g->n_sites = UNITS_ATOMICS;
    g->root = gather_scope(g, NULL, model, "");
    const bool *is_used = find_used(g, model);
    for (size_t i = 0; i < g->ast->models.n; i++) {
        const AstModel *m = &g->ast->models.items[i];
        if (!m->atomic || (!is_used[i] && m != model)) continue;
        UnitScope *scope = gather_scope(g, g->root, NULL, arena_printf(&g->work, "%s.", m->name));
        scope->atomic = m->atomic;
        if (!gather_component(g, g->root, scope, m->name)) continue;
        map_put(&g->sites, gather_site_key(UNITS_ATOMICS, m->atomic), scope->site);
        declare_atomic(g, scope);
        visit_atomic(g, scope);
    }
}
