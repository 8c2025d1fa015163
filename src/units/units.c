// src/units/units.c: the check of a model from its Ast to the answers flattening asks for.
#include "units/units.h"
#include "units/gather.h"
#include <math.h>

typedef struct Named {
    const char *name, *unit;
    bool        is_inferred;
} Named;

struct Units {
    UnitSystem  system;
    Unit        time;
    Map         sites;          // as in Gather
    Map         atomic_sites;   // the same of atomics, from UNITS_ATOMICS on
    Map         conversion_of;  // site and node → number in `conversions`
    VEC(UnitConversion) conversions;
    Map         text_of;        // site and name → number in `texts`
    VEC(const char *) texts;
    TextMap     rates;          // unit → number in `texts`: its unit by that of time
    VEC(Named)  named;          // all whose unit is known, by instance
    VEC(uint32_t) inferred;     // those of them that were not written
    VEC(UnitLink) links;        // converted at arrows and settings
};

static uint32_t add_text(Units *u, const char *text)
{
    vec_push(u->system.arena, &u->texts, text);
    return (uint32_t)u->texts.n - 1;
}

// ---------------------------------------------------------------------------------------------- conversions

static bool add_conversion(Units *u, uint32_t site, const void *node, const Unit *from, long double zero_from,
                           const Unit *to, long double zero_to)
{
    const UnitConversion c = { (double)(from->scale / to->scale),
                               (double)((zero_from - zero_to) / to->scale) };
    if (fabs(c.scale - 1) < 1e-10 && c.offset == 0) return false;
    map_put(&u->conversion_of, gather_site_key(site, node), (uint32_t)u->conversions.n);
    vec_push(u->system.arena, &u->conversions, c);
    return true;
}

static bool settle_conversion(Units *u, Gather *g, const UnitConvert *c)
{
    Unit from;
    if (c->is_bare) return true;    // 5 in m is 5 [m]
    const char *words = report_side(g, &c->a);
    if (!solve_value(g, c->a.form, &from)) {
        diag_report(g->diag, DIAG_UNIT_UNDETERMINED, c->a.place, words, c->text);
        diag_hint(g->diag, "declare the unit of what it is made of");
        return false;
    }
    if (!unit_is_known(&from) || !unit_same_dimension(&from, &c->to)) {
        diag_report(g->diag, DIAG_UNIT_CONVERT, c->node->place, words, unit_text(g->system, &from), c->text);
        report_origins(g, &c->a, NULL);
        return false;
    }
    add_conversion(u, c->site, c->node, &from, zero_value(g, c->a.zero), &c->to, c->to.offset);
    return true;
}

static void settle_link(Units *u, Gather *g, const UnitRelation *r)
{
    Unit to, from;
    if (!solve_value(g, r->a.form, &to) || !solve_value(g, r->b.form, &from)) return;
    if (!unit_is_known(&to) || !unit_is_known(&from)) return;
    from.offset = zero_value(g, r->b.zero);
    to.offset = zero_value(g, r->a.zero);
    if (!add_conversion(u, r->site, r->node, &from, from.offset, &to, to.offset)) return;
    const uint32_t var = r->a.form.terms[0].var;    // what gets a value is one variable
    vec_push(u->system.arena, &u->links,
             (UnitLink){ g->vars.items[var].name, unit_text(g->system, &from), unit_text(g->system, &to),
                         r->a.place });
}

static bool settle_conversions(Units *u, Gather *g)
{
    bool ok = true;
    for (size_t i = 0; i < g->converts.n; i++) ok &= settle_conversion(u, g, &g->converts.items[i]);
    for (size_t i = 0; ok && i < g->relations.n; i++) {
        const UnitRelation *r = &g->relations.items[i];
        if (r->kind == RELATION_LINK) settle_link(u, g, r);
    }
    return ok;
}

bool units_converted(const Units *units, size_t i, UnitLink *link)
{
    if (!units || i >= units->links.n) return false;
    *link = units->links.items[i];
    return true;
}

UnitConversion units_conversion(const Units *units, uint32_t site, const void *node)
{
    const uint32_t *found = units ? map_find(&units->conversion_of, gather_site_key(site, node)) : NULL;
    return found ? units->conversions.items[*found] : (UnitConversion){ 1, 0 };
}

// ---------------------------------------------------------------------------------------------- texts

static void keep_texts(Units *u, Gather *g, const UnitScope *scope)
{
    for (size_t i = 0; i < scope->entities.n; i++) {
        const UnitEntity *entity = &scope->entities.items[i];
        if (entity->component) keep_texts(u, g, entity->component);
        if (entity->var == UNIT_NONE) continue;
        const UnitVar *var = &g->vars.items[entity->var];
        if (!var->value || !unit_is_known(var->value)) continue;
        const char *text = var->text ? var->text : unit_text(g->system, var->value);
        const uint32_t number = add_text(u, text);
        map_put(&u->text_of, gather_name_key(scope->site, entity->name), number);
        if (!var->text) vec_push(u->system.arena, &u->inferred, (uint32_t)u->named.n);
        vec_push(u->system.arena, &u->named, (Named){ var->name, text, !var->text });
    }
}

static void keep_fields(Units *u, Gather *g)
{
    for (uint32_t i = 0; i < g->ast->records.n; i++) {
        const AstRecord *r = &g->ast->records.items[i];
        for (uint32_t k = 0; k < r->n_fields; k++) {
            const UnitVar *var = &g->vars.items[g->fields[i] + k];
            if (!var->value || !unit_is_known(var->value)) continue;
            const char *text = var->text ? var->text : unit_text(g->system, var->value);
            map_put(&u->text_of, gather_name_key(UNITS_RECORDS + i, r->fields[k].name), add_text(u, text));
        }
    }
}

static const char *shown(const char *text)
{
    return strcmp(text, "1") == 0 || strcmp(text, "-") == 0 ? NULL : text;
}

const char *units_found(const Units *units, uint32_t site, const char *name)
{
    const uint32_t *found = units ? map_find(&units->text_of, gather_name_key(site, name)) : NULL;
    return found ? units->texts.items[*found] : NULL;
}

const char *units_text(const Units *units, uint32_t site, const char *name)
{
    const char *found = units_found(units, site, name);
    return found ? shown(found) : NULL;
}

const char *units_field_text(const Units *units, uint32_t record, const char *field)
{
    return units_text(units, UNITS_RECORDS + record, field);
}

const char *units_rate_text(Units *units, const char *text)
{
    if (!units || !text) return NULL;
    const uint32_t *found = text_map_find(&units->rates, text_from(text));
    if (found) return units->texts.items[*found];
    const uint32_t *known = text_map_find(&units->system.known, text_trim(text_from(text)));
    const char *rate = NULL;
    if (known) {
        const Unit per_time = unit_pow(&units->time, ratio_whole(-1));
        const Unit unit = unit_mul(&units->system.units.items[*known], &per_time);
        rate = unit_text(&units->system, &unit);
    }
    text_map_put(&units->rates, text_from(text), add_text(units, rate));
    return rate;
}

const char *units_of_ref(Units *units, const AstRef *ref)
{
    uint32_t site = UNITS_ROOT;
    for (uint32_t i = 0; i + 1 < ref->n_parts; i++) site = units_component(units, site, ref->parts[i].name);
    const char *text = units_found(units, site, ref->parts[ref->n_parts - 1].name);
    for (uint32_t i = 0; i < ref->primes; i++) text = units_rate_text(units, text);
    return text;
}

bool units_inferred(const Units *units, size_t i, const char **name, const char **unit)
{
    if (!units || i >= units->inferred.n) return false;
    const Named *found = &units->named.items[units->inferred.items[i]];
    *name = found->name;
    *unit = found->unit;
    return true;
}

void units_print(const Units *units, FILE *out)
{
    for (size_t i = 0; units && i < units->named.n; i++) {
        const Named *n = &units->named.items[i];
        fprintf(out, "%s [%s]%s\n", n->name, n->unit, n->is_inferred ? "  # found" : "");
    }
}

// ---------------------------------------------------------------------------------------------- sites

uint32_t units_component(const Units *units, uint32_t site, const char *name)
{
    const uint32_t *found = units ? map_find(&units->sites, gather_name_key(site, name)) : NULL;
    return found ? *found : UNITS_NO_SITE;
}

uint32_t units_call(const Units *units, uint32_t site, const AstExpr *call)
{
    if (!units) return UNITS_NO_SITE;
    const Map *sites = site >= UNITS_ATOMICS ? &units->atomic_sites : &units->sites;
    const uint32_t *found = map_find(sites, gather_site_key(site, call));
    return found ? *found : UNITS_NO_SITE;
}

uint32_t units_atomic(const Units *units, const AstAtomic *atomic)
{
    return units ? units_call(units, UNITS_ATOMICS, (const void *)atomic) : UNITS_NO_SITE;
}

// ---------------------------------------------------------------------------------------------- check

static bool uses_zeros(const UnitSystem *system)
{
    for (size_t i = 0; i < system->units.n; i++)
        if (system->units.items[i].offset != 0) return true;
    return false;
}

// The second pass sees the same variables in the same order; what the first found is theirs.
static void take_over(Gather *g, const Gather *before)
{
    for (size_t i = 0; i < g->vars.n && i < before->vars.n; i++) {
        if (g->vars.items[i].text) continue;
        g->vars.items[i] = before->vars.items[i];
        g->vars.items[i].from = UNIT_NONE;
    }
}

static Gather gather(Units *u, const Ast *ast, Arena *arena, orr_diag *diag)
{
    return (Gather){ .system = &u->system, .ast = ast, .arena = arena, .diag = diag };
}

static bool finish(Units *u, Gather *g)
{
    u->time = g->time;
    if (g->found) u->sites = g->sites;
    else u->atomic_sites = g->sites;
    keep_texts(u, g, g->root);
    keep_fields(u, g);
    return settle_conversions(u, g);
}

static void gather_all(Gather *g, const AstModel *model, const Gather *before)
{
    if (g->found) gather_model(g, model, before);
    else gather_atomics(g, model, before);
}

static bool check(Units *u, Gather *g, const AstModel *model)
{
    gather_all(g, model, NULL);
    if (g->failed) return false;
    if (!g->says_units) return true;
    solve_units(g);
    if (!report_mismatches(g)) return false;
    if (!uses_zeros(&u->system)) return finish(u, g);
    Gather second = gather(u, g->ast, g->arena, g->diag);
    second.found = g->found;
    second.given = g->given;
    second.n_given = g->n_given;
    gather_all(&second, model, g);
    take_over(&second, g);
    const bool ok = zero_check(&second) && finish(u, &second);
    arena_free(&second.work);
    return ok;
}

bool units_check(Units **units, const Ast *ast, const AstModel *model, Arena *arena, orr_diag *diag)
{
    return units_check_given(units, ast, model, NULL, 0, arena, diag);
}

bool units_check_given(Units **units, const Ast *ast, const AstModel *model, const AstSetting *given,
                       uint32_t n_given, Arena *arena, orr_diag *diag)
{
    *units = NULL;
    if (!ast->has_units) return true;
    Units *u = ARENA_NEW(arena, Units);
    unit_system_open(&u->system, ast, arena, diag);
    map_init(&u->conversion_of, arena);
    map_init(&u->text_of, arena);
    text_map_init(&u->rates, arena);
    map_init(&u->sites, arena);
    map_init(&u->atomic_sites, arena);
    Gather first = gather(u, ast, arena, diag);
    bool ok = check(u, &first, model);
    Gather g = gather(u, ast, arena, diag);
    g.found = u;
    g.given = given;
    g.n_given = n_given;
    if (!first.failed) ok = check(u, &g, model) && ok;    // a text that is no unit would be told twice
    if (first.says_units || g.says_units) *units = u;
    arena_free(&first.work);
    arena_free(&g.work);
    unit_system_close(&u->system);
    return ok;
}

bool units_convert(const Ast *ast, const char *from, const char *to, bool is_difference, Place place,
                   double *value, orr_diag *diag)
{
    Arena arena = { 0 };
    UnitSystem system;
    Unit a, b;
    unit_system_open(&system, ast, &arena, diag);
    bool ok = unit_read(&system, from, place, &a) && unit_read(&system, to, place, &b);
    if (ok && !unit_same_dimension(&a, &b)) {
        diag_report(diag, DIAG_UNIT_CONVERT, place, "this", from, to);
        ok = false;
    }
    if (ok) *value *= (double)(a.scale / b.scale);
    if (ok && !is_difference) *value += (double)((a.offset - b.offset) / b.scale);
    unit_system_close(&system);
    arena_free(&arena);
    return ok;
}
