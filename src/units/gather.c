// src/units/gather.c: what a model says about its units: its names, instance by instance, and its statements.
#include "units/walk.h"
#include <math.h>

enum {
    DEPTH_MAX = 200,                  // components inside components, as when flattening
    SCOPES_MAX = 5 * 1000 * 1000,     // instances in all, arrays counted as one
};

// ---------------------------------------------------------------------------------------------- declare

static UnitEntity *add_entity(Gather *g, UnitScope *scope, UnitEntity entity)
{
    if (gather_find(scope, entity.name)) return NULL;    // twice: flattening says so
    text_map_put(&scope->by_name, text_from(entity.name), (uint32_t)scope->entities.n);
    entity.value = NAN;
    vec_push(&g->work, &scope->entities, entity);
    return &vec_last(&scope->entities);
}

static void add_var(Gather *g, const char *name, Place place, const char *text, Place unit_place)
{
    UnitVar var = { .name = name, .place = place, .from = UNIT_NONE };
    Unit unit;
    if (text) {
        g->says_units = true;
        if (unit_read(g->system, text, unit_place, &unit)) {
            var.text = text;
            var.value = form_unit(&g->work, &unit).unit;
        } else g->failed = true;
    }
    vec_push(&g->work, &g->vars, var);
}

void gather_declare(Gather *g, UnitScope *scope, const char *name, Place place, const AstDecl *decl)
{
    if (!add_entity(g, scope, (UnitEntity){ .name = name, .var = (uint32_t)g->vars.n, .decl = decl })) return;
    const uint32_t *record = decl && decl->type ? text_map_find(&g->records, text_from(decl->type)) : NULL;
    if (record) vec_last(&scope->entities).record = 1 + *record;
    const char *text = decl ? decl->unit : NULL;
    // the body of an atomic tells what it takes, for all its components
    if (scope->model && scope->model->atomic) text = units_found(g->found, scope->atomic_site, name);
    add_var(g, arena_printf(g->arena, "%s%s", scope->path, name), place, text,
            decl ? decl->unit_place : place);
}

uint32_t gather_field(Gather *g, uint32_t record, const char *name)
{
    const AstRecord *r = &g->ast->records.items[record];
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (strcmp(r->fields[i].name, name) != 0) continue;
        if (g->vars.items[g->fields[record] + i].text) g->says_units = true;
        return g->fields[record] + i;
    }
    return UNIT_NONE;
}

static void declare_records(Gather *g)
{
    const Ast *ast = g->ast;
    const bool says_units = g->says_units;    // one that nobody uses says nothing
    g->fields = ARENA_ARRAY(&g->work, uint32_t, ast->records.n + 1);
    for (uint32_t i = 0; i < ast->records.n; i++) {
        const AstRecord *r = &ast->records.items[i];
        text_map_put(&g->records, text_from(r->name), i);
        g->fields[i] = (uint32_t)g->vars.n;
        for (uint32_t k = 0; k < r->n_fields; k++) {
            const AstField *f = &r->fields[k];
            const char *text = f->unit ? f->unit : units_found(g->found, UNITS_RECORDS + i, f->name);
            add_var(g, arena_printf(g->arena, "%s.%s", r->name, f->name), f->place, text, f->unit_place);
        }
    }
    g->says_units = says_units;
}

UnitScope *gather_scope(Gather *g, UnitScope *parent, const AstModel *model, const char *path)
{
    UnitScope *scope = ARENA_NEW(&g->work, UnitScope);
    *scope = (UnitScope){ .parent = parent, .model = model, .path = path, .site = g->n_sites++,
                          .depth = parent ? parent->depth + 1 : 0 };
    text_map_init(&scope->by_name, &g->work);
    g->n_scopes++;
    return scope;
}

UnitEntity *gather_component(Gather *g, UnitScope *scope, UnitScope *child, const char *name)
{
    return add_entity(g, scope, (UnitEntity){ .name = name, .var = UNIT_NONE, .component = child });
}

static void declare_scope(Gather *g, UnitScope *scope);

static void declare_component(Gather *g, UnitScope *scope, const AstItem *item)
{
    const uint32_t *found = text_map_find(&g->models, text_from(item->component.model));
    if (!found || scope->depth == DEPTH_MAX || g->n_scopes >= SCOPES_MAX) return;
    const size_t n_models = g->ast->models.n;
    const AstModel *model = *found < n_models ? &g->ast->models.items[*found]
                                              : &g->ast->terminals.items[*found - n_models];
    for (const UnitScope *s = scope; s; s = s->parent)
        if (s->model == model) return;    // contains itself
    const char *name = item->component.name;
    if (gather_find(scope, name)) return;
    UnitScope *child = gather_scope(g, scope, model, arena_printf(&g->work, "%s%s.", scope->path, name));
    if (model->atomic) child->atomic_site = units_atomic(g->found, model->atomic);
    gather_component(g, scope, child, name);
    map_put(&g->sites, gather_name_key(scope->site, name), child->site);
    declare_scope(g, child);
}

static void declare_by_equation(Gather *g, UnitScope *scope, const AstExpr *lhs)
{
    if (lhs->kind != AST_REF || lhs->ref.n_parts != 1 || lhs->ref.parts[0].n_indices) return;
    if (strcmp(lhs->ref.parts[0].name, "t") == 0) return;
    gather_declare(g, scope, lhs->ref.parts[0].name, lhs->place, NULL);
}

static void declare_results(Gather *g, UnitScope *scope, const AstItem *terminal)
{
    for (uint32_t i = 0; i < terminal->terminal.n_items; i++) {
        const AstItem *step = &terminal->terminal.items[i];
        if (step->kind == AST_ASSIGN && step->assign.target.n_parts == 1)
            gather_declare(g, scope, step->assign.target.parts[0].name, step->place, NULL);
    }
}

static void declare_scope(Gather *g, UnitScope *scope)
{
    const AstItem *items = scope->model->items;
    const uint32_t n = scope->model->n_items;
    // in three rounds: what a statement declares, what an equation declares, what is declared if nothing else
    // does
    for (uint32_t i = 0; i < n; i++) {
        const AstItem *item = &items[i];
        if (item->kind == AST_COMPONENT) declare_component(g, scope, item);
        if (item->kind != AST_DECL || item->decl.primes > 0) continue;
        if (item->decl.kind != AST_OUTPUT || item->decl.value)
            gather_declare(g, scope, item->decl.name, item->decl.place, &item->decl);
    }
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == AST_EQUATION) declare_by_equation(g, scope, items[i].equation.lhs);
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind == AST_TERMINAL) declare_results(g, scope, &items[i]);
        else if (items[i].kind == AST_DECL && items[i].decl.primes == 0)
            gather_declare(g, scope, items[i].decl.name, items[i].decl.place, &items[i].decl);
    }
}

// ---------------------------------------------------------------------------------------------- visit

// A constant is met where it is first used, since its value may be an exponent.
void gather_constant(Gather *g, UnitScope *scope, UnitEntity *entity)
{
    if (entity->is_busy || entity->is_done || !entity->decl->value) return;
    entity->is_busy = true;
    const Walk w = { g, scope, NULL, scope->site };
    const Term value = walk(&w, entity->decl->value);
    const Term name = walk_name(g, entity->var, entity->name, entity->decl->place);
    walk_relate(g, &name, &value, true);
    entity->value = value.value;
    entity->is_busy = false;
    entity->is_done = true;
}

// A number whose unit is that of the declaration: nothing more is to be learnt from it.
static bool says_unit(const AstExpr *value, const char *unit)
{
    if (value->kind == AST_UNARY && value->op == AST_NEG) value = value->operands.a;
    return value->kind == AST_NUMBER && value->number.unit && unit && strcmp(value->number.unit, unit) == 0;
}

void gather_decl(Gather *g, UnitScope *scope, const AstDecl *decl)
{
    UnitEntity *entity = gather_find(scope, decl->name);
    if (!entity || entity->var == UNIT_NONE) return;
    if (decl->kind == AST_CONST) {
        gather_constant(g, scope, entity);
        return;
    }
    const Walk w = { g, scope, NULL, scope->site };
    Term name = walk_name(g, entity->var, decl->name, decl->place);
    if (decl->primes > 0) {
        name.side.form = walk_form(g, entity->var, decl->primes);
        name.side.zero = (Zero){ 0 };
        name.side.name = arena_printf(&g->work, "%s%.*s", decl->name, (int)decl->primes, "''''''''''");
    }
    if (decl->unit && entity->decl != decl) {    // of a derivative, or of what is only published
        Unit unit;
        g->says_units = true;
        if (unit_read(g->system, decl->unit, decl->unit_place, &unit)) {
            Term given = name;
            given.side.form = form_unit(&g->work, &unit);
            given.side.name = "what is declared here";
            given.side.place = decl->unit_place;
            walk_relate(g, &name, &given, false);
        } else g->failed = true;
    }
    if (!decl->value || says_unit(decl->value, decl->unit)) return;
    const Term value = walk(&w, decl->value);
    walk_relate(g, &name, &value, true);
}

static void visit_settings(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    const UnitEntity *component = gather_find(w->scope, item->component.name);
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        const AstSetting *s = &item->component.overrides[i];
        const Term value = walk(w, s->value);
        UnitScope *scope = component && component->component
                               ? walk_component(component->component, &s->target, s->target.n_parts - 1)
                               : NULL;
        const UnitEntity *target = scope ? gather_find(scope, s->target.parts[s->target.n_parts - 1].name)
                                         : NULL;
        if (!target || target->var == UNIT_NONE) continue;
        Term to = walk_name(g, target->var, g->vars.items[target->var].name, s->place);
        if (s->target.primes) {
            to.side.form = walk_form(g, target->var, s->target.primes);
            to.side.zero = (Zero){ 0 };
        }
        walk_link(g, &to.side, &value, scope->site, s->value);
    }
}

// Options of an island: some are times, the quantum of a state has its unit.
static void visit_options(const Walk *w, const AstItem *item)
{
    static const char *const times[] = { "step", "max", "max_step", "period" };
    Gather *g = w->g;
    const AstIsland *island = item->component.island;
    const UnitEntity *component = gather_find(w->scope, item->component.name);
    for (uint32_t i = 0; island && i < island->n_options; i++) {
        const AstSetting *s = &island->options[i];
        const Term value = walk(w, s->value);
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            if (strcmp(s->target.parts[0].name, times[k]) != 0) continue;
            const Term time = walk_time(w, s->value);
            walk_relate(g, &value, &time, true);
        }
        if (s->target.n_parts == 1 || !component || !component->component) continue;
        const AstRef state = { .parts = s->target.parts + 1, .n_parts = s->target.n_parts - 1 };
        UnitScope *scope = walk_component(component->component, &state, state.n_parts - 1);
        const UnitEntity *target = scope ? gather_find(scope, state.parts[state.n_parts - 1].name) : NULL;
        if (!target || target->var == UNIT_NONE) continue;
        Term to = walk_name(g, target->var, g->vars.items[target->var].name, s->place);
        to.side.zero = (Zero){ 0 };    // a difference
        walk_link(g, &to.side, &value, scope->site, s->value);
    }
}

// Values given to names of the model itself.
static void visit_given(const Walk *w)
{
    Gather *g = w->g;
    for (uint32_t i = 0; i < g->n_given; i++) {
        const AstSetting *s = &g->given[i];
        const Term value = walk(w, s->value);
        UnitScope *scope = walk_component(w->scope, &s->target, s->target.n_parts - 1);
        const UnitEntity *target = scope ? gather_find(scope, s->target.parts[s->target.n_parts - 1].name)
                                         : NULL;
        if (!target || target->var == UNIT_NONE) continue;
        const Term to = walk_name(g, target->var, g->vars.items[target->var].name, s->place);
        walk_link(g, &to.side, &value, scope->site, s->value);
    }
}

static void visit_arrow(const Walk *w, const AstItem *item)
{
    if (item->arrow.when) walk(w, item->arrow.when);
    const AstExpr *from = &(
        AstExpr){ .kind = AST_REF, .place = item->arrow.from_place, .ref = item->arrow.from };
    const AstExpr *to = &(AstExpr){ .kind = AST_REF, .place = item->arrow.to_place, .ref = item->arrow.to };
    AstExpr *kept = ARENA_ARRAY(&w->g->work, AstExpr, 2);
    kept[0] = *from;
    kept[1] = *to;
    const Term source = walk(w, &kept[0]), target = walk(w, &kept[1]);
    if (!target.is_bare) walk_link(w->g, &target.side, &source, w->site, item);
}

// Two terminals of one type on a node: their variables have one unit, be they equal or summed.
static void visit_connection(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    const UnitScope *a = walk_component(w->scope, &item->arrow.from, item->arrow.from.n_parts);
    const UnitScope *b = walk_component(w->scope, &item->arrow.to, item->arrow.to.n_parts);
    if (!a || !b || a->model != b->model) return;
    for (size_t i = 0; i < a->entities.n && i < b->entities.n; i++) {
        const uint32_t x = a->entities.items[i].var, y = b->entities.items[i].var;
        if (x == UNIT_NONE || y == UNIT_NONE || g->vars.items[x].text) continue;    // declared once for all
        const Term left = walk_name(g, x, g->vars.items[x].name, item->arrow.from_place);
        const Term right = walk_name(g, y, g->vars.items[y].name, item->arrow.to_place);
        walk_relate(g, &left, &right, true);
    }
}

// A component counts time as the whole model does.
static void visit_time(Gather *g, const UnitScope *scope, const AstItem *item)
{
    if (!scope->parent) return;
    Unit unit;
    if (!unit_read(g->system, item->time_unit, item->place, &unit)) {
        g->failed = true;
        return;
    }
    if (unit_equal(&unit, &g->time)) return;
    const char *whole = unit_text(g->system, &g->time);
    diag_report(g->diag, DIAG_UNIT_MISMATCH, item->place, "the time of this component", item->time_unit,
                "that of the whole model", whole);
    diag_hint(g->diag, "write 'time [%s]' in '%s' too, or 'time [%s]' here", item->time_unit,
              g->root->model->name, whole);
    g->failed = true;
}

// A message that is a number has the unit of its port.
static void visit_send(const Walk *w, const AstItem *item)
{
    AstExpr *port = ARENA_NEW(&w->g->work, AstExpr);
    *port = (AstExpr){ .kind = AST_REF, .place = item->send.port_place, .ref = item->send.port };
    const UnitEntity *entity = gather_find(w->scope, item->send.port.parts[0].name);
    const bool is_number = entity && entity->decl && !entity->decl->type;
    for (uint32_t i = 0; i < item->send.n_values; i++) {
        const Term value = walk(w, item->send.values[i]);
        if (entity && entity->record) {
            walk_field(w->g, entity->record - 1, i, &value);
            continue;
        }
        if (!is_number || item->send.n_values != 1 || item->send.port.n_parts != 1) continue;
        const Term left = walk(w, port);
        walk_relate(w->g, &left, &value, true);
    }
}

static void visit_items(const Walk *w, const AstItem *items, uint32_t n);

static void visit_event(const Walk *w, const AstEvent *e)
{
    const AstExpr *times[] = { e->time, e->from, e->after };
    if (e->condition) walk(w, e->condition);
    if (e->priority) walk(w, e->priority);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (!times[i]) continue;
        const Term time = e->kind == AST_RATE ? walk_frequency(w, times[i]) : walk_time(w, times[i]);
        const Term given = walk(w, times[i]);
        walk_relate(w->g, &given, &time, true);
    }
    visit_items(w, e->body, e->n_body);
}

// A rate is what each species changes by in a unit of time.
static void visit_reaction(const Walk *w, const AstReaction *reaction)
{
    const Term rate = walk(w, reaction->rate);
    for (uint32_t i = 0; i < reaction->n_species; i++) {
        AstExpr *change = ARENA_NEW(&w->g->work, AstExpr);
        *change = (AstExpr){ .kind = AST_REF, .place = reaction->species[i].place,
                             .ref = reaction->species[i].ref };
        change->ref.primes++;
        const Term left = walk(w, change);
        walk_relate(w->g, &left, &rate, true);
    }
}

static void visit_item(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    switch (item->kind) {
    case AST_DECL: gather_decl(g, w->scope, &item->decl); break;
    case AST_EQUATION: case AST_INITIAL: {
        const Term left = walk(w, item->equation.lhs), right = walk(w, item->equation.rhs);
        walk_relate(g, &left, &right, true);
        break;
    }
    case AST_ASSERT: walk(w, item->assertion.condition); break;
    case AST_COMPONENT:
        visit_settings(w, item);
        visit_options(w, item);
        break;
    case AST_ARROW: visit_arrow(w, item); break;
    case AST_CONNECT: visit_connection(w, item); break;
    case AST_FOR: {
        const LocalTerm index = { w->locals, item->loop.index, walk_bare(NAN) };
        const Walk inner = { g, w->scope, &index, w->site };
        visit_items(&inner, item->loop.items, item->loop.n_items);
        break;
    }
    case AST_TIME_UNIT: visit_time(g, w->scope, item); break;
    case AST_FUNCTION: case AST_PREFER: break;    // say nothing of units here
    case AST_ASSIGN: {
        AstExpr *target = ARENA_NEW(&g->work, AstExpr);
        *target = (AstExpr){ .kind = AST_REF, .place = item->place, .ref = item->assign.target };
        const Term left = walk(w, target), right = walk(w, item->assign.value);
        walk_relate(g, &left, &right, true);
        break;
    }
    case AST_RERUN: walk(w, item->rerun.condition); break;
    case AST_EVENT:
        for (const AstEvent *e = item->event; e; e = e->otherwise) visit_event(w, e);
        break;
    case AST_BRANCH:
        for (const AstItem *b = item; b; b = b->branch.otherwise) {
            if (b->branch.condition) walk(w, b->branch.condition);
            visit_items(w, b->branch.items, b->branch.n_items);
        }
        break;
    case AST_TERMINATE: break;
    case AST_SEND: visit_send(w, item); break;
    case AST_PRESENT: walk(w, item->present.condition); break;
    case AST_REACTION: visit_reaction(w, item->reaction); break;
    case AST_TERMINAL: visit_items(w, item->terminal.items, item->terminal.n_items); break;
    }
}

static void visit_items(const Walk *w, const AstItem *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) visit_item(w, &items[i]);
}

static void visit_scope(Gather *g, UnitScope *scope)
{
    const Walk w = { g, scope, NULL, scope->site };
    if (scope->model->atomic) return;    // its own lines were looked at with its body
    visit_items(&w, scope->model->items, scope->model->n_items);
    for (size_t i = 0; i < scope->entities.n; i++)
        if (scope->entities.items[i].component) visit_scope(g, scope->entities.items[i].component);
}

static void read_time(Gather *g, const AstModel *model)
{
    enum { SECOND = 2 };
    g->time = unit_base(SECOND);
    for (uint32_t i = 0; i < model->n_items; i++) {
        const AstItem *item = &model->items[i];
        if (item->kind != AST_TIME_UNIT) continue;
        const UnitSide given = { .name = "the time", .place = item->place };
        Unit unit;
        if (!unit_read(g->system, item->time_unit, item->place, &unit)) {
            g->failed = true;
            continue;
        }
        if (!unit_same_dimension(&unit, &g->time)) {
            diag_report(g->diag, DIAG_UNIT_CONVERT, given.place, given.name, item->time_unit, "s");
            diag_hint(g->diag, "time is counted in s, min, h, d, year, or in a unit defined by one of these");
            g->failed = true;
            continue;
        }
        g->time = unit;
    }
}

void gather_begin(Gather *g, const AstModel *model, const Gather *before)
{
    text_map_init(&g->models, &g->work);
    text_map_init(&g->functions, &g->work);
    text_map_init(&g->tables, &g->work);
    text_map_init(&g->records, &g->work);
    map_init(&g->sites, g->arena);
    map_init(&g->call_of, &g->work);
    for (size_t i = 0; i < g->ast->models.n; i++)
        text_map_put(&g->models, text_from(g->ast->models.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < g->ast->terminals.n; i++)
        text_map_put(&g->models, text_from(g->ast->terminals.items[i].name),
                     (uint32_t)(g->ast->models.n + i));
    for (size_t i = 0; i < g->ast->functions.n; i++)
        text_map_put(&g->functions, text_from(g->ast->functions.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < g->ast->tables.n; i++)
        text_map_put(&g->tables, text_from(g->ast->tables.items[i].name), (uint32_t)i);
    if (before) {
        g->solved = before->vars.items;
        for (size_t i = 0; i < g->system->units.n && !g->zero_unit; i++)
            if (g->system->units.items[i].offset != 0)
                g->zero_unit = form_unit(&g->work, &g->system->units.items[i]).unit;
    }
    read_time(g, model);
    declare_records(g);
}

void gather_model(Gather *g, const AstModel *model, const Gather *before)
{
    gather_begin(g, model, before);
    g->root = gather_scope(g, NULL, model, "");
    declare_scope(g, g->root);
    visit_scope(g, g->root);
    const Walk outside = { g, g->root, NULL, g->root->site };
    visit_given(&outside);
}
