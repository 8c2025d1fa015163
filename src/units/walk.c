// src/units/walk.c: the unit of an expression, and what it says about the units of others.
//
// The rules, by place:
//     a + b, a - b, a = b, a < b, min, max, if, limit, mod …   one unit
//     a*b, a/b, a^2, sqrt(a)                                   the product, quotient, power, root
//     sin, exp, log …, the exponent of a power                 pure numbers
//     x'                                                       the unit of x by that of time
// A bare number has no unit. In a sum, a comparison or an equation it adopts the unit of the others; in a
// product it is a pure number. So 2*x has the unit of x, x + 2 too, and 0.01*x is never silently in another:
// a coefficient with a dimension is a name, whose unit is found, or says its unit, 0.01 [1/m].
//
// Names that are not known are passed over as bare numbers: flattening reports them.
#include "units/walk.h"
#include "num/distribution.h"
#include <math.h>

enum { TERMS_MAX = 16 };    // unknown units in one product; more get a unit of their own

// ---------------------------------------------------------------------------------------------- terms

Term walk_bare(double value) { return (Term){ .is_bare = true, .value = value }; }

static Term with_form(Form form, const AstExpr *e)
{
    return (Term){ .value = NAN, .side = { .form = form, .expr = e, .place = e->place } };
}

static Term pure(const AstExpr *e) { return with_form((Form){ 0 }, e); }

static bool has_zero(const UnitSide *side) { return side->zero.n > 0 || side->zero.constant != 0; }

static void add_relation(Gather *g, UnitRelation relation)
{
    const UnitSide *a = &relation.a, *b = &relation.b;
    const bool has_zeros = relation.compares_zeros && (has_zero(a) || has_zero(b));
    if (relation.kind != RELATION_LINK && !has_zeros && form_same(a->form, b->form)) return;
    vec_push(&g->work, &g->relations, relation);
}

void walk_relate(Gather *g, const Term *a, const Term *b, bool compares_zeros)
{
    if (a->is_bare || b->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_SAME, .a = a->side, .b = b->side,
                                    .compares_zeros = compares_zeros });
}

// Both have one unit and one zero; the result is the one that says which.
static Term same(Gather *g, Term a, Term b)
{
    walk_relate(g, &a, &b, true);
    Term c = a.is_bare ? b : a;
    if (a.value != b.value) c.value = NAN;
    return c;
}

void walk_must_be_pure(Gather *g, const Term *t, const char *what)
{
    if (t->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_PURE, .a = t->side, .what = what });
}

// A value that flows into a variable from outside: converted if both units are known.
void walk_link(Gather *g, const UnitSide *to, const Term *from, uint32_t site, const void *node)
{
    if (from->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_LINK, .a = *to, .b = from->side, .compares_zeros = true,
                                    .site = site, .node = node });
}

// What is multiplied is measured from its natural zero, or is a difference.
static void must_have_no_zero(Gather *g, const Term *t, const char *what)
{
    if (t->is_bare || !has_zero(&t->side)) return;
    vec_push(&g->work, &g->zero_uses, (UnitZeroUse){ t->side, what });
}

// A product of many unknown units gets a unit of its own, so that forms stay short.
static Term shorten(Gather *g, Term t)
{
    if (t.side.form.n <= TERMS_MAX) return t;
    vec_push(&g->work, &g->vars, (UnitVar){ .place = t.side.place, .from = UNIT_NONE });
    Term whole = t;
    whole.side.form = form_var(&g->work, (uint32_t)g->vars.n - 1);
    walk_relate(g, &whole, &t, false);
    return whole;
}

static Term multiply(Gather *g, Term a, Term b, bool divides, const AstExpr *e)
{
    const double value = divides ? a.value / b.value : a.value * b.value;
    if (a.is_bare && b.is_bare) return walk_bare(value);
    Term c = with_form(form_mul(&g->work, a.side.form, b.side.form, ratio_whole(divides ? -1 : 1)), e);
    c = shorten(g, c);
    c.value = value;
    if (!g->zero_unit) return c;
    // (T1 + T2)/2 is a temperature again, k*T is nothing
    const Zero none = { 0 };
    if (b.is_bare && !isnan(b.value))
        c.side.zero = zero_add(&g->work, none, a.side.zero, divides ? 1 / b.value : b.value);
    else if (a.is_bare && !isnan(a.value) && !divides)
        c.side.zero = zero_add(&g->work, none, b.side.zero, a.value);
    else {
        must_have_no_zero(g, &a, divides ? "divided" : "multiplied");
        must_have_no_zero(g, &b, divides ? "a divisor" : "multiplied");
    }
    return c;
}

static Term add(Gather *g, Term a, Term b, bool subtracts)
{
    walk_relate(g, &a, &b, false);
    Term c = a.is_bare ? b : a;
    c.value = subtracts ? a.value - b.value : a.value + b.value;
    if (!g->zero_unit || c.is_bare) return c;
    // beside a bare number: T + 5 is a temperature, 20 - T a difference
    if (a.is_bare) c.side.zero = subtracts ? (Zero){ 0 } : b.side.zero;
    else if (!b.is_bare) c.side.zero = zero_add(&g->work, a.side.zero, b.side.zero, subtracts ? -1 : 1);
    return c;
}

static Term raise(Gather *g, Term a, Term b, const AstExpr *e)
{
    walk_must_be_pure(g, &b, "an exponent");
    must_have_no_zero(g, &a, "raised to a power");
    if (a.is_bare && b.is_bare) return walk_bare(pow(a.value, b.value));
    if (a.is_bare) return pure(e);
    const Ratio power = isnan(b.value) ? (Ratio){ 0, 0 } : ratio_from(b.value);
    if (power.q == 0) {    // the unit would change with the exponent
        walk_must_be_pure(g, &a, "the base of a power whose exponent varies");
        return pure(e);
    }
    const Form one = { 0 };
    return with_form(form_mul(&g->work, one, a.side.form, power), e);
}

// ---------------------------------------------------------------------------------------------- names

UnitEntity *gather_find(const UnitScope *scope, const char *name)
{
    const uint32_t *found = text_map_find(&scope->by_name, text_from(name));
    return found ? &scope->entities.items[*found] : NULL;
}

uint64_t gather_site_key(uint32_t site, const void *node)
{
    return hash_join(site, (uint64_t)(uintptr_t)node);
}
uint64_t gather_name_key(uint32_t site, const char *name)
{
    return hash_join(site, hash_bytes(name, strlen(name)));
}

UnitScope *walk_component(UnitScope *scope, const AstRef *ref, uint32_t n_parts)
{
    for (uint32_t i = 0; scope && i < n_parts; i++) {
        const UnitEntity *entity = gather_find(scope, ref->parts[i].name);
        scope = entity ? entity->component : NULL;
    }
    return scope;
}

// The zero of a variable: known if its unit is, to be found for others that could be a temperature.
static Zero zero_of(Gather *g, uint32_t var)
{
    Zero zero = { 0 };
    const UnitVar *v = &g->vars.items[var];
    if (!g->zero_unit) return zero;
    if (v->text) {
        zero.constant = v->value ? v->value->offset : 0;
        return zero;
    }
    const Unit *solved = g->solved[var].value;
    if (!solved || !unit_same_dimension(solved, g->zero_unit)) return zero;
    ZeroTerm *term = ARENA_NEW(&g->work, ZeroTerm);
    *term = (ZeroTerm){ var, 1 };
    return (Zero){ term, 1, 0 };
}

Form walk_form(Gather *g, uint32_t var, uint32_t primes)
{
    const Form form = form_var(&g->work, var);
    if (primes == 0) return form;
    return form_mul(&g->work, form, form_unit(&g->work, &g->time), ratio_whole(-(int32_t)primes));
}

Term walk_name(Gather *g, uint32_t var, const char *name, Place place)
{
    return (Term){ .value = NAN, .side = { form_var(&g->work, var), zero_of(g, var), NULL, name, place } };
}

void walk_field(Gather *g, uint32_t record, uint32_t field, const Term *value)
{
    const AstRecord *r = &g->ast->records.items[record];
    if (field >= r->n_fields) return;
    const uint32_t var = gather_field(g, record, r->fields[field].name);
    const Term name = walk_name(g, var, g->vars.items[var].name, value->side.place);
    walk_relate(g, &name, value, true);
}

// job.size: a field of what a port or a variable holds.
static Term walk_part(const Walk *w, const AstExpr *e)
{
    const AstRef *ref = &e->ref;
    if (ref->n_parts < 2 || !w->scope) return walk_bare(NAN);
    const UnitScope *scope = walk_component(w->scope, ref, ref->n_parts - 2);
    const UnitEntity *whole = scope ? gather_find(scope, ref->parts[ref->n_parts - 2].name) : NULL;
    if (!whole || !whole->record) return walk_bare(NAN);
    const uint32_t var = gather_field(w->g, whole->record - 1, ref->parts[ref->n_parts - 1].name);
    if (var == UNIT_NONE) return walk_bare(NAN);
    Term t = with_form(form_var(&w->g->work, var), e);
    t.side.zero = zero_of(w->g, var);
    return t;
}

static Term walk_ref(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    const AstRef *ref = &e->ref;
    const char *name = ref->parts[ref->n_parts - 1].name;
    const bool is_plain = ref->n_parts == 1 && ref->primes == 0;
    for (const LocalTerm *l = is_plain ? w->locals : NULL; l; l = l->outer)
        if (strcmp(l->name, name) == 0) return l->term;
    UnitScope *scope = w->scope ? walk_component(w->scope, ref, ref->n_parts - 1) : NULL;
    UnitEntity *entity = scope ? gather_find(scope, name) : NULL;
    if (!entity && is_plain) {
        if (strcmp(name, "t") == 0) return with_form(form_unit(&g->work, &g->time), e);
        if (strcmp(name, "pi") == 0) return walk_bare(3.14159265358979323846);
        const bool is_time = strcmp(name, "elapsed") == 0 || strcmp(name, "remaining") == 0;
        if (is_time && w->scope && w->scope->atomic) return with_form(form_unit(&g->work, &g->time), e);
    }
    if (!entity) return walk_part(w, e);
    if (entity->var == UNIT_NONE) return walk_bare(NAN);
    Term t = with_form(walk_form(g, entity->var, ref->primes), e);
    if (ref->primes == 0) t.side.zero = zero_of(g, entity->var);
    if (entity->decl && entity->decl->kind == AST_CONST) {
        gather_constant(g, scope, entity);
        t.value = entity->value;
    }
    return t;
}

// ---------------------------------------------------------------------------------------------- functions

typedef Term Rule(const Walk *w, const AstExpr *call, const Term *args);

static Term rule_pure(const Walk *w, const AstExpr *call, const Term *args)
{
    const char *what = arena_printf(&w->g->work, "the argument of %s", call->call.function);
    walk_must_be_pure(w->g, &args[0], what);
    return args[0].is_bare ? walk_bare(NAN) : pure(call);
}

static Term rule_keep(const Walk *w, const AstExpr *call, const Term *args)
{
    (void)w;
    Term t = args[0];
    t.value = NAN;
    if (!t.is_bare) t.side.expr = call, t.side.place = call->place;
    return t;
}

static Term rule_abs(const Walk *w, const AstExpr *call, const Term *args)
{
    must_have_no_zero(w->g, &args[0], "taken without its sign");
    return rule_keep(w, call, args);
}

static Term rule_sum(const Walk *w, const AstExpr *call, const Term *args)
{
    must_have_no_zero(w->g, &args[0], "added up");
    return rule_keep(w, call, args);
}

static Term rule_named(const Walk *w, const AstExpr *call, const Term *args)
{
    (void)w;
    (void)args;
    return pure(call);
}

static Term rule_sign(const Walk *w, const AstExpr *call, const Term *args)
{
    must_have_no_zero(w->g, &args[0], "compared with 0");
    return pure(call);
}

static Term rule_sqrt(const Walk *w, const AstExpr *call, const Term *args)
{
    return raise(w->g, args[0], walk_bare(0.5), call);
}

static Term rule_cbrt(const Walk *w, const AstExpr *call, const Term *args)
{
    return raise(w->g, args[0], walk_bare(1.0 / 3), call);
}

static Term rule_pow(const Walk *w, const AstExpr *call, const Term *args)
{
    return call->call.n_args == 2 ? raise(w->g, args[0], args[1], call) : walk_bare(NAN);
}

// All have one unit, which is that of the result.
static Term rule_same(const Walk *w, const AstExpr *call, const Term *args)
{
    Term t = args[0];
    for (uint32_t i = 1; i < call->call.n_args; i++) t = same(w->g, t, args[i]);
    t.value = NAN;
    return t;
}

static Term rule_difference(const Walk *w, const AstExpr *call, const Term *args)
{
    Term t = rule_same(w, call, args);
    t.side.zero = (Zero){ 0 };
    return t;
}

static Term rule_mod(const Walk *w, const AstExpr *call, const Term *args)
{
    for (uint32_t i = 0; i < call->call.n_args; i++) must_have_no_zero(w->g, &args[i], "divided");
    return rule_same(w, call, args);
}

static Term rule_length(const Walk *w, const AstExpr *call, const Term *args)
{
    for (uint32_t i = 0; i < call->call.n_args; i++) must_have_no_zero(w->g, &args[i], "squared");
    return rule_same(w, call, args);
}

static Term rule_angle(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term t = rule_mod(w, call, args);
    return t.is_bare ? t : pure(call);
}

Term walk_time(const Walk *w, const AstExpr *call)
{
    Term t = with_form(form_unit(&w->g->work, &w->g->time), call);
    t.side.expr = NULL;
    t.side.name = "the time";
    return t;
}

Term walk_frequency(const Walk *w, const AstExpr *at)
{
    Term t = raise(w->g, walk_time(w, at), walk_bare(-1), at);
    t.side.expr = NULL;
    t.side.name = "what happens in a unit of time";
    return t;
}

// step, pulse: 1 in whatever unit is needed, at times
static Term rule_switch(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term time = walk_time(w, call);
    for (uint32_t i = 0; i < call->call.n_args; i++) walk_relate(w->g, &args[i], &time, true);
    return walk_bare(NAN);
}

static Term rule_ramp(const Walk *w, const AstExpr *call, const Term *args)
{
    rule_switch(w, call, args);
    return with_form(form_unit(&w->g->work, &w->g->time), call);
}

static Term rule_table(const Walk *w, const AstExpr *call, const Term *args)
{
    Term x = args[0], y = walk_bare(NAN);
    for (uint32_t i = 1; i < call->call.n_args; i++) {
        if (i % 2) x = same(w->g, x, args[i]);
        else y = same(w->g, y, args[i]);
    }
    y.value = NAN;
    return y;
}

static Term rule_delay(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term time = walk_time(w, call);
    if (call->call.n_args > 1) walk_relate(w->g, &args[1], &time, true);
    return call->call.n_args > 2 ? same(w->g, args[0], args[2]) : args[0];
}

static Term rule_within(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term time = walk_time(w, call);
    const uint32_t n = call->call.n_args;
    if (n < 3) return walk_bare(NAN);
    walk_relate(w->g, &args[1], &time, true);
    walk_relate(w->g, &args[n - 1], &time, true);
    return n > 3 ? same(w->g, args[0], args[2]) : args[0];
}

static Term rule_integ(const Walk *w, const AstExpr *call, const Term *args)
{
    if (call->call.n_args != 2) return walk_bare(NAN);
    const Term time = walk_time(w, call);
    // a bare rate is a number: its integral has the unit of the start
    if (args[0].is_bare) return args[1];
    must_have_no_zero(w->g, &args[0], "integrated");
    Term whole = multiply(w->g, args[0], time, false, call);
    if (args[1].is_bare) return whole;
    walk_relate(w->g, &whole, &args[1], false);
    whole.side.zero = args[1].side.zero;
    return whole;
}

// White noise: its argument is the deviation after one unit of time.
static Term rule_noise(const Walk *w, const AstExpr *call, const Term *args)
{
    if (args[0].is_bare) return walk_bare(NAN);
    const Term root = raise(w->g, walk_time(w, call), walk_bare(0.5), call);
    return multiply(w->g, args[0], root, true, call);
}

// What is drawn has the unit of the arguments that have one.
static Term rule_draw(const Walk *w, const AstExpr *call, const Term *args, const Distribution *d)
{
    Term t = walk_bare(NAN);
    for (uint32_t i = 0; i < call->call.n_args; i++) {
        const DistributionArgument *a = &d->arguments[d->n_arguments ? i : 0];
        if (d->n_arguments && i >= (uint32_t)d->n_arguments) break;
        if (a->is_pure)
            walk_must_be_pure(w->g, &args[i], arena_printf(&w->g->work, "the %s of %s", a->name, d->name));
        else t = same(w->g, t, args[i]);
    }
    t.value = NAN;
    return t;
}

static const struct Function {
    const char *name;
    Rule       *rule;
} functions[] = {
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) { text, rule_##unit },
#include "expr/ops.def"
    { "ln", rule_pure },     { "pow", rule_pow },      { "noevent", rule_keep }, { "limit", rule_same },
    { "deadspace", rule_difference }, { "step", rule_switch }, { "pulse", rule_switch },
    { "ramp", rule_ramp },   { "table", rule_table },  { "delay", rule_delay },
    { AST_DELAY_WITHIN, rule_within }, { "INTEG", rule_integ },
    { "pre", rule_keep },    { "smooth", rule_keep },  { "hold", rule_keep },    { "sample", rule_delay },
    { "sum", rule_sum },     { "noise", rule_noise },  { "named", rule_named },
};

// A call inside a function, made before with arguments of the same units: without it, functions that call
// another twice and are called twice would take a time that doubles with each.
typedef struct PastCall {
    const AstFunction *function;
    const UnitScope   *scope;
    const Term        *args;
    Term               result;
    uint32_t           site;
} PastCall;

static uint64_t call_hash(const AstFunction *f, const UnitScope *scope, const Term *args)
{
    uint64_t hash = hash_join((uint64_t)(uintptr_t)f, (uint64_t)(uintptr_t)scope);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const Form *form = &args[i].side.form;
        const double scale = form->unit ? (double)form->unit->scale : 1;
        hash = hash_join(hash, hash_bytes(&args[i].value, sizeof args[i].value) + args[i].is_bare);
        hash = hash_join(hash, hash_bytes(&scale, sizeof scale));
        for (uint32_t k = 0; k < form->n; k++) hash = hash_join(hash, form->terms[k].var);
    }
    return hash;
}

static bool same_argument(const Term *a, const Term *b)
{
    const bool same_value = a->value == b->value || (isnan(a->value) && isnan(b->value));
    return a->is_bare == b->is_bare && same_value && form_same(a->side.form, b->side.form)
           && !has_zero(&a->side) && !has_zero(&b->side);
}

static const PastCall *find_call(const Gather *g, uint64_t hash, const AstFunction *f, const UnitScope *scope,
                                 const Term *args)
{
    const uint32_t *found = map_find(&g->call_of, hash);
    const PastCall *past = found ? &g->past_calls.items[*found] : NULL;
    if (!past || past->function != f || past->scope != scope) return NULL;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!same_argument(&args[i], &past->args[i])) return NULL;
    return past;
}

static Term walk_user_function(const Walk *w, const AstExpr *call, const AstFunction *f, const Term *args,
                               UnitScope *scope)
{
    Gather *g = w->g;
    if (call->call.n_args != f->n_params || g->n_calls == sizeof g->calls / sizeof *g->calls)
        return walk_bare(NAN);
    for (uint32_t i = 0; i < g->n_calls; i++)
        if (g->calls[i] == f) return walk_bare(NAN);
    const uint64_t hash = g->n_calls ? call_hash(f, scope, args) : 0;
    const PastCall *past = g->n_calls ? find_call(g, hash, f, scope, args) : NULL;
    if (past) {
        if (past->site != UNITS_NO_SITE) map_put(&g->sites, gather_site_key(w->site, call), past->site);
        Term known = past->result;
        if (!known.is_bare) known.side.expr = call, known.side.place = call->place;
        return known;
    }
    g->calls[g->n_calls++] = f;
    const size_t n_converts = g->converts.n;
    LocalTerm *locals = ARENA_ARRAY(&g->work, LocalTerm, f->n_params + f->n_locals + 1);
    uint32_t n = 0;
    Walk inner = { g, scope, NULL, g->n_sites++ };
    for (uint32_t i = 0; i < f->n_params; i++, n++) {
        locals[n] = (LocalTerm){ inner.locals, f->params[i], args[i] };
        inner.locals = &locals[n];
    }
    for (uint32_t i = 0; i < f->n_locals; i++, n++) {
        const AstItem *line = &f->locals[i];
        const Term value = walk(&inner, line->equation.rhs);
        locals[n] = (LocalTerm){ inner.locals, line->equation.lhs->ref.parts[0].name, value };
        inner.locals = &locals[n];
    }
    Term result = walk(&inner, f->result);
    g->n_calls--;
    // flattening asks for the site only if there is something to convert at it
    const uint32_t site = g->converts.n > n_converts ? inner.site : UNITS_NO_SITE;
    if (site != UNITS_NO_SITE) map_put(&g->sites, gather_site_key(w->site, call), site);
    if (g->n_calls && map_put(&g->call_of, hash, (uint32_t)g->past_calls.n))
        vec_push(&g->work, &g->past_calls, (PastCall){ f, scope, args, result, site });
    if (!result.is_bare) result.side.expr = call, result.side.place = call->place;
    return result;
}

// A table has the units it is declared with; where it has none, any will do.
static Term table_term(const Walk *w, const AstExpr *call, const char *text, Place place, const char *name)
{
    Gather *g = w->g;
    Unit unit;
    if (!text) return walk_bare(NAN);
    g->says_units = true;
    if (!unit_read(g->system, text, place, &unit)) {
        g->failed = true;
        return walk_bare(NAN);
    }
    Term t = with_form(form_unit(&g->work, &unit), call);
    if (g->zero_unit) t.side.zero.constant = unit.offset;
    if (name) t.side.expr = NULL, t.side.name = name, t.side.place = place;
    return t;
}

static Term walk_table(const Walk *w, const AstExpr *call, const AstTable *table, const Term *args)
{
    for (uint32_t i = 0; i < table->n_arguments && i < call->call.n_args; i++) {
        const AstArgument *argument = &table->arguments[i];
        const char *name = arena_printf(&w->g->work, "the argument '%s' of %s", argument->name, table->name);
        const Term wanted = table_term(w, call, argument->unit, argument->unit_place, name);
        walk_relate(w->g, &args[i], &wanted, true);
    }
    return table_term(w, call, table->unit, table->unit_place, NULL);
}

static Term samples_term(const Walk *w, const AstExpr *call)
{
    const AstExpr *what = call->call.n_args == 1 ? call->call.args[0] : NULL;
    if (!what || what->kind != AST_REF) return walk_bare(NAN);
    const uint32_t *found = text_map_find(&w->g->tables, text_from(what->ref.parts[0].name));
    if (!found) return walk_bare(NAN);
    const AstTable *table = &w->g->ast->tables.items[*found];
    return table_term(w, call, table->unit, table->unit_place, NULL);
}

static const AstFunction *model_function(const UnitScope *scope, const char *name)
{
    for (uint32_t i = 0; scope && scope->model && i < scope->model->n_items; i++) {
        const AstItem *item = &scope->model->items[i];
        if (item->kind == AST_FUNCTION && strcmp(item->function.name, name) == 0) return &item->function;
    }
    return NULL;
}

static Term walk_call(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    const char *name = e->call.function;
    Term *args = ARENA_ARRAY(&g->work, Term, e->call.n_args + 1);
    Walk inner = *w;
    for (uint32_t i = 0; i < e->call.n_loops; i++) {
        LocalTerm *index = ARENA_NEW(&g->work, LocalTerm);
        *index = (LocalTerm){ inner.locals, e->call.loops[i].name, walk_bare(NAN) };
        inner.locals = index;
    }
    for (uint32_t i = 0; i < e->call.n_args; i++) args[i] = walk(&inner, e->call.args[i]);
    const AstFunction *own = model_function(w->scope, name);
    if (own) return walk_user_function(w, e, own, args, w->scope);
    const uint32_t *found = text_map_find(&g->functions, text_from(name));
    if (found) return walk_user_function(w, e, &g->ast->functions.items[*found], args, NULL);
    const uint32_t *table = text_map_find(&g->tables, text_from(name));
    if (table) return walk_table(w, e, &g->ast->tables.items[*table], args);
    const uint32_t *record = text_map_find(&g->records, text_from(name));
    if (record) {
        for (uint32_t i = 0; i < e->call.n_args; i++) walk_field(g, *record, i, &args[i]);
        return walk_bare(NAN);
    }
    Term of_atomic;
    if (w->scope && w->scope->atomic && gather_atomic_call(w, e, args, &of_atomic)) return of_atomic;
    for (size_t i = 0; e->call.n_args > 0 && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return functions[i].rule(w, e, args);
    const int distribution = distribution_number(name);
    if (distribution == DISTRIBUTION_NONE) return walk_bare(NAN);
    return distributions[distribution].is_data ? samples_term(w, e)
                                               : rule_draw(w, e, args, &distributions[distribution]);
}

// ---------------------------------------------------------------------------------------------- expressions

static Term read_quantity(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    Unit unit;
    g->says_units = true;
    if (!unit_read(g->system, e->number.unit, e->place, &unit)) {
        g->failed = true;
        return walk_bare(NAN);
    }
    Term t = with_form(form_unit(&g->work, &unit), e);
    if (g->zero_unit) t.side.zero.constant = unit.offset;
    return t;
}

static Term walk_conversion(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    const Term a = walk(w, e->operands.a);
    const Term to = read_quantity(w, e->operands.b);
    if (to.is_bare) return to;
    vec_push(&g->work, &g->converts,
             (UnitConvert){ a.side, a.is_bare, *to.side.form.unit, e->operands.b->number.unit, w->site, e });
    Term result = with_form(to.side.form, e);
    result.side.zero = to.side.zero;
    return result;
}

static Term combine(const Walk *w, const AstExpr *e, Term a, Term b)
{
    switch (e->op) {
    case AST_ADD: return add(w->g, a, b, false);
    case AST_SUB: return add(w->g, a, b, true);
    case AST_MUL: return multiply(w->g, a, b, false, e);
    case AST_DIV: return multiply(w->g, a, b, true, e);
    case AST_POW: return raise(w->g, a, b, e);
    case AST_LT: case AST_LE: case AST_GT: case AST_GE: case AST_EQ: case AST_NE:
        same(w->g, a, b);
        return walk_bare(NAN);
    default: return walk_bare(NAN);
    }
}

static Term walk_binary(const Walk *w, const AstExpr *e)
{
    // down the left spine, then up: a sum of any length is a loop
    VEC(const AstExpr *) spine = { 0 };
    const AstExpr *left = e;
    for (; left->kind == AST_BINARY; left = left->operands.a) vec_push(&w->g->work, &spine, left);
    Term value = walk(w, left);
    while (spine.n) {
        const AstExpr *node = vec_pop(&spine);
        value = combine(w, node, value, walk(w, node->operands.b));
    }
    return value;
}

Term walk(const Walk *w, const AstExpr *e)
{
    switch (e->kind) {
    case AST_NUMBER:  return e->number.unit ? read_quantity(w, e) : walk_bare(e->number.value);
    case AST_REF:     return walk_ref(w, e);
    case AST_CALL:    return walk_call(w, e);
    case AST_BINARY:  return walk_binary(w, e);
    case AST_CONVERT: return walk_conversion(w, e);
    case AST_UNARY: {
        Term t = walk(w, e->operands.a);
        if (e->op == AST_NOT) return walk_bare(NAN);
        t.value = -t.value;
        t.side.zero = zero_add(&w->g->work, (Zero){ 0 }, t.side.zero, -1);
        return t;
    }
    case AST_RANGE: return walk_bare(NAN);
    case AST_IF:
        walk(w, e->operands.a);
        return same(w->g, walk(w, e->operands.b), walk(w, e->operands.c));
    }
    return walk_bare(NAN);
}

