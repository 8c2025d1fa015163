// src/units/gather.c: what a model says about its units.
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
#include "units/gather.h"
#include "num/distribution.h"
#include <math.h>

enum {
    DEPTH_MAX = 200,                  // components inside components, as when flattening
    SCOPES_MAX = 5 * 1000 * 1000,     // instances in all, arrays counted as one
    TERMS_MAX = 16,                   // unknown units in one product; more get a unit of their own
};

// What an expression is, as far as units are concerned.
typedef struct Term {
    bool     is_bare;    // no unit in it: adopts that of its place
    double   value;      // of a constant, else NaN
    UnitSide side;       // its unit and how to speak of it: of a sum the operand that decided the unit
} Term;

typedef struct LocalTerm {    // a name of a function body or a `for`
    const struct LocalTerm *outer;
    const char *name;
    Term        term;
} LocalTerm;

typedef struct Walk {
    Gather          *g;
    UnitScope       *scope;    // NULL: only locals, as in a function of the file
    const LocalTerm *locals;
    uint32_t         site;
} Walk;

static Term walk(const Walk *w, const AstExpr *e);

// ---------------------------------------------------------------------------------------------- terms

static Term bare(double value) { return (Term){ .is_bare = true, .value = value }; }

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

static void relate(Gather *g, const Term *a, const Term *b, bool compares_zeros)
{
    if (a->is_bare || b->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_SAME, .a = a->side, .b = b->side,
                                    .compares_zeros = compares_zeros });
}

// Both have one unit and one zero; the result is the one that says which.
static Term same(Gather *g, Term a, Term b)
{
    relate(g, &a, &b, true);
    Term c = a.is_bare ? b : a;
    if (a.value != b.value) c.value = NAN;
    return c;
}

static void must_be_pure(Gather *g, const Term *t, const char *what)
{
    if (t->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_PURE, .a = t->side, .what = what });
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
    relate(g, &whole, &t, false);
    return whole;
}

static Term multiply(Gather *g, Term a, Term b, bool divides, const AstExpr *e)
{
    const double value = divides ? a.value / b.value : a.value * b.value;
    if (a.is_bare && b.is_bare) return bare(value);
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
    relate(g, &a, &b, false);
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
    must_be_pure(g, &b, "an exponent");
    must_have_no_zero(g, &a, "raised to a power");
    if (a.is_bare && b.is_bare) return bare(pow(a.value, b.value));
    if (a.is_bare) return pure(e);
    const Ratio power = isnan(b.value) ? (Ratio){ 0, 0 } : ratio_from(b.value);
    if (power.q == 0) {    // the unit would change with the exponent
        must_be_pure(g, &a, "the base of a power whose exponent varies");
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

uint64_t gather_site_key(uint32_t site, const void *node) { return hash_join(site, (uint64_t)(uintptr_t)node); }
uint64_t gather_name_key(uint32_t site, const char *name) { return hash_join(site, hash_bytes(name, strlen(name))); }

static UnitScope *find_component(UnitScope *scope, const AstRef *ref, uint32_t n_parts)
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

static Form form_of(Gather *g, uint32_t var, uint32_t primes)
{
    const Form form = form_var(&g->work, var);
    if (primes == 0) return form;
    return form_mul(&g->work, form, form_unit(&g->work, &g->time), ratio_whole(-(int32_t)primes));
}

static Term term_of_name(Gather *g, uint32_t var, const char *name, Place place)
{
    return (Term){ .value = NAN, .side = { form_var(&g->work, var), zero_of(g, var), NULL, name, place } };
}

static void visit_constant(Gather *g, UnitScope *scope, UnitEntity *entity);

static Term walk_ref(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    const AstRef *ref = &e->ref;
    const char *name = ref->parts[ref->n_parts - 1].name;
    const bool is_plain = ref->n_parts == 1 && ref->primes == 0;
    for (const LocalTerm *l = is_plain ? w->locals : NULL; l; l = l->outer)
        if (strcmp(l->name, name) == 0) return l->term;
    UnitScope *scope = w->scope ? find_component(w->scope, ref, ref->n_parts - 1) : NULL;
    UnitEntity *entity = scope ? gather_find(scope, name) : NULL;
    if (!entity && is_plain) {
        if (strcmp(name, "t") == 0) return with_form(form_unit(&g->work, &g->time), e);
        if (strcmp(name, "pi") == 0) return bare(3.14159265358979323846);
    }
    if (!entity || entity->var == UNIT_NONE) return bare(NAN);
    Term t = with_form(form_of(g, entity->var, ref->primes), e);
    if (ref->primes == 0) t.side.zero = zero_of(g, entity->var);
    if (entity->decl && entity->decl->kind == AST_CONST) {
        visit_constant(g, scope, entity);
        t.value = entity->value;
    }
    return t;
}

// ---------------------------------------------------------------------------------------------- functions

typedef Term Rule(const Walk *w, const AstExpr *call, const Term *args);

static Term rule_pure(const Walk *w, const AstExpr *call, const Term *args)
{
    const char *what = arena_printf(&w->g->work, "the argument of %s", call->call.function);
    must_be_pure(w->g, &args[0], what);
    return args[0].is_bare ? bare(NAN) : pure(call);
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
    const Term half = bare(0.5);
    Term t = raise(w->g, args[0], half, call);
    return t;
}

static Term rule_pow(const Walk *w, const AstExpr *call, const Term *args)
{
    return call->call.n_args == 2 ? raise(w->g, args[0], args[1], call) : bare(NAN);
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

static Term rule_atan2(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term t = rule_mod(w, call, args);
    return t.is_bare ? t : pure(call);
}

static Term time_term(const Walk *w, const AstExpr *call)
{
    Term t = with_form(form_unit(&w->g->work, &w->g->time), call);
    t.side.expr = NULL;
    t.side.name = "the time";
    return t;
}

// step, pulse: 1 in whatever unit is needed, at times
static Term rule_switch(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term time = time_term(w, call);
    for (uint32_t i = 0; i < call->call.n_args; i++) relate(w->g, &args[i], &time, true);
    return bare(NAN);
}

static Term rule_ramp(const Walk *w, const AstExpr *call, const Term *args)
{
    rule_switch(w, call, args);
    return with_form(form_unit(&w->g->work, &w->g->time), call);
}

static Term rule_table(const Walk *w, const AstExpr *call, const Term *args)
{
    Term x = args[0], y = bare(NAN);
    for (uint32_t i = 1; i < call->call.n_args; i++) {
        if (i % 2) x = same(w->g, x, args[i]);
        else y = same(w->g, y, args[i]);
    }
    y.value = NAN;
    return y;
}

static Term rule_delay(const Walk *w, const AstExpr *call, const Term *args)
{
    const Term time = time_term(w, call);
    if (call->call.n_args > 1) relate(w->g, &args[1], &time, true);
    return call->call.n_args > 2 ? same(w->g, args[0], args[2]) : args[0];
}

static Term rule_integ(const Walk *w, const AstExpr *call, const Term *args)
{
    if (call->call.n_args != 2) return bare(NAN);
    const Term time = time_term(w, call);
    // a bare rate is a number: its integral has the unit of the start
    if (args[0].is_bare) return args[1];
    must_have_no_zero(w->g, &args[0], "integrated");
    Term whole = multiply(w->g, args[0], time, false, call);
    if (args[1].is_bare) return whole;
    relate(w->g, &whole, &args[1], false);
    whole.side.zero = args[1].side.zero;
    return whole;
}

// White noise: its argument is the deviation after one unit of time.
static Term rule_noise(const Walk *w, const AstExpr *call, const Term *args)
{
    if (args[0].is_bare) return bare(NAN);
    const Term root = raise(w->g, time_term(w, call), bare(0.5), call);
    return multiply(w->g, args[0], root, true, call);
}

// What is drawn has the unit of the arguments that have one.
static Term rule_draw(const Walk *w, const AstExpr *call, const Term *args, const Distribution *d)
{
    Term t = bare(NAN);
    for (uint32_t i = 0; i < call->call.n_args; i++) {
        const DistributionArgument *a = &d->arguments[d->n_arguments ? i : 0];
        if (d->n_arguments && i >= (uint32_t)d->n_arguments) break;
        if (a->is_pure) must_be_pure(w->g, &args[i], arena_printf(&w->g->work, "the %s of %s", a->name, d->name));
        else t = same(w->g, t, args[i]);
    }
    t.value = NAN;
    return t;
}

static const struct Function {
    const char *name;
    Rule       *rule;
} functions[] = {
    { "sin", rule_pure },    { "cos", rule_pure },   { "tan", rule_pure },     { "asin", rule_pure },
    { "acos", rule_pure },   { "atan", rule_pure },  { "sinh", rule_pure },    { "cosh", rule_pure },
    { "tanh", rule_pure },   { "exp", rule_pure },   { "log", rule_pure },     { "ln", rule_pure },
    { "log10", rule_pure },  { "sqrt", rule_sqrt },  { "pow", rule_pow },      { "abs", rule_abs },
    { "sign", rule_sign },   { "floor", rule_keep }, { "ceil", rule_keep },    { "round", rule_keep },
    { "noevent", rule_keep }, { "min", rule_same },  { "max", rule_same },     { "limit", rule_same },
    { "deadspace", rule_difference }, { "mod", rule_mod }, { "atan2", rule_atan2 }, { "step", rule_switch },
    { "pulse", rule_switch }, { "ramp", rule_ramp }, { "table", rule_table },  { "delay", rule_delay },
    { "INTEG", rule_integ }, { "pre", rule_keep },   { "smooth", rule_keep },  { "hold", rule_keep },
    { "sample", rule_delay }, { "sum", rule_sum }, { "noise", rule_noise },
    { "named", rule_named },
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
    if (call->call.n_args != f->n_params || g->n_calls == sizeof g->calls / sizeof *g->calls) return bare(NAN);
    for (uint32_t i = 0; i < g->n_calls; i++)
        if (g->calls[i] == f) return bare(NAN);
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
    if (!text) return bare(NAN);
    g->says_units = true;
    if (!unit_read(g->system, text, place, &unit)) {
        g->failed = true;
        return bare(NAN);
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
        relate(w->g, &args[i], &wanted, true);
    }
    return table_term(w, call, table->unit, table->unit_place, NULL);
}

static Term samples_term(const Walk *w, const AstExpr *call)
{
    const AstExpr *what = call->call.n_args == 1 ? call->call.args[0] : NULL;
    if (!what || what->kind != AST_REF) return bare(NAN);
    const uint32_t *found = text_map_find(&w->g->tables, text_from(what->ref.parts[0].name));
    if (!found) return bare(NAN);
    const AstTable *table = &w->g->ast->tables.items[*found];
    return table_term(w, call, table->unit, table->unit_place, NULL);
}

static const AstFunction *model_function(const UnitScope *scope, const char *name)
{
    for (uint32_t i = 0; scope && i < scope->model->n_items; i++) {
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
        *index = (LocalTerm){ inner.locals, e->call.loops[i].name, bare(NAN) };
        inner.locals = index;
    }
    for (uint32_t i = 0; i < e->call.n_args; i++) args[i] = walk(&inner, e->call.args[i]);
    const AstFunction *own = model_function(w->scope, name);
    if (own) return walk_user_function(w, e, own, args, w->scope);
    const uint32_t *found = text_map_find(&g->functions, text_from(name));
    if (found) return walk_user_function(w, e, &g->ast->functions.items[*found], args, NULL);
    const uint32_t *table = text_map_find(&g->tables, text_from(name));
    if (table) return walk_table(w, e, &g->ast->tables.items[*table], args);
    for (size_t i = 0; e->call.n_args > 0 && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return functions[i].rule(w, e, args);
    const int distribution = distribution_number(name);
    if (distribution == DISTRIBUTION_NONE) return bare(NAN);
    return distributions[distribution].is_data ? samples_term(w, e) : rule_draw(w, e, args, &distributions[distribution]);
}

// ---------------------------------------------------------------------------------------------- expressions

static Term read_quantity(const Walk *w, const AstExpr *e)
{
    Gather *g = w->g;
    Unit unit;
    g->says_units = true;
    if (!unit_read(g->system, e->number.unit, e->place, &unit)) {
        g->failed = true;
        return bare(NAN);
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
        return bare(NAN);
    default: return bare(NAN);
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

static Term walk(const Walk *w, const AstExpr *e)
{
    switch (e->kind) {
    case AST_NUMBER:  return e->number.unit ? read_quantity(w, e) : bare(e->number.value);
    case AST_REF:     return walk_ref(w, e);
    case AST_CALL:    return walk_call(w, e);
    case AST_BINARY:  return walk_binary(w, e);
    case AST_CONVERT: return walk_conversion(w, e);
    case AST_UNARY: {
        Term t = walk(w, e->operands.a);
        if (e->op == AST_NOT) return bare(NAN);
        t.value = -t.value;
        t.side.zero = zero_add(&w->g->work, (Zero){ 0 }, t.side.zero, -1);
        return t;
    }
    case AST_RANGE: return bare(NAN);
    case AST_IF:
        walk(w, e->operands.a);
        return same(w->g, walk(w, e->operands.b), walk(w, e->operands.c));
    }
    return bare(NAN);
}

// ---------------------------------------------------------------------------------------------- declare

static UnitEntity *add_entity(Gather *g, UnitScope *scope, UnitEntity entity)
{
    if (gather_find(scope, entity.name)) return NULL;    // twice: flattening says so
    text_map_put(&scope->by_name, text_from(entity.name), (uint32_t)scope->entities.n);
    entity.value = NAN;
    vec_push(&g->work, &scope->entities, entity);
    return &vec_last(&scope->entities);
}

static void declare_value(Gather *g, UnitScope *scope, const char *name, Place place, const AstDecl *decl)
{
    if (!add_entity(g, scope, (UnitEntity){ .name = name, .var = (uint32_t)g->vars.n, .decl = decl })) return;
    UnitVar var = { .name = arena_printf(g->arena, "%s%s", scope->path, name), .place = place, .from = UNIT_NONE };
    if (decl && decl->unit) {
        g->says_units = true;
        Unit unit;
        if (unit_read(g->system, decl->unit, decl->unit_place, &unit)) {
            var.text = decl->unit;
            var.value = form_unit(&g->work, &unit).unit;
        } else g->failed = true;
    }
    vec_push(&g->work, &g->vars, var);
}

static UnitScope *make_scope(Gather *g, UnitScope *parent, const AstModel *model, const char *path)
{
    UnitScope *scope = ARENA_NEW(&g->work, UnitScope);
    *scope = (UnitScope){ .parent = parent, .model = model, .path = path, .site = g->n_sites++,
                          .depth = parent ? parent->depth + 1 : 0 };
    text_map_init(&scope->by_name, &g->work);
    g->n_scopes++;
    return scope;
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
    if (!add_entity(g, scope, (UnitEntity){ .name = name, .var = UNIT_NONE })) return;
    UnitScope *child = make_scope(g, scope, model, arena_printf(&g->work, "%s%s.", scope->path, name));
    map_put(&g->sites, gather_name_key(scope->site, name), child->site);
    gather_find(scope, name)->component = child;
    declare_scope(g, child);
}

static void declare_by_equation(Gather *g, UnitScope *scope, const AstExpr *lhs)
{
    if (lhs->kind != AST_REF || lhs->ref.n_parts != 1 || lhs->ref.parts[0].n_indices) return;
    if (strcmp(lhs->ref.parts[0].name, "t") == 0) return;
    declare_value(g, scope, lhs->ref.parts[0].name, lhs->place, NULL);
}

static void declare_results(Gather *g, UnitScope *scope, const AstItem *terminal)
{
    for (uint32_t i = 0; i < terminal->terminal.n_items; i++) {
        const AstItem *step = &terminal->terminal.items[i];
        if (step->kind == AST_ASSIGN && step->assign.target.n_parts == 1)
            declare_value(g, scope, step->assign.target.parts[0].name, step->place, NULL);
    }
}

static void declare_scope(Gather *g, UnitScope *scope)
{
    const AstItem *items = scope->model->items;
    const uint32_t n = scope->model->n_items;
    // in three rounds: what a statement declares, what an equation declares, what is declared if nothing else does
    for (uint32_t i = 0; i < n; i++) {
        const AstItem *item = &items[i];
        if (item->kind == AST_COMPONENT) declare_component(g, scope, item);
        if (item->kind != AST_DECL || item->decl.primes > 0) continue;
        if (item->decl.kind != AST_OUTPUT || item->decl.value)
            declare_value(g, scope, item->decl.name, item->decl.place, &item->decl);
    }
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == AST_EQUATION) declare_by_equation(g, scope, items[i].equation.lhs);
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind == AST_TERMINAL) declare_results(g, scope, &items[i]);
        else if (items[i].kind == AST_DECL && items[i].decl.primes == 0)
            declare_value(g, scope, items[i].decl.name, items[i].decl.place, &items[i].decl);
    }
}

// ---------------------------------------------------------------------------------------------- visit

// A constant is met where it is first used, since its value may be an exponent.
static void visit_constant(Gather *g, UnitScope *scope, UnitEntity *entity)
{
    if (entity->is_busy || entity->is_done || !entity->decl->value) return;
    entity->is_busy = true;
    const Walk w = { g, scope, NULL, scope->site };
    const Term value = walk(&w, entity->decl->value);
    const Term name = term_of_name(g, entity->var, entity->name, entity->decl->place);
    relate(g, &name, &value, true);
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

static void visit_decl(Gather *g, UnitScope *scope, const AstDecl *decl)
{
    UnitEntity *entity = gather_find(scope, decl->name);
    if (!entity || entity->var == UNIT_NONE) return;
    if (decl->kind == AST_CONST) {
        visit_constant(g, scope, entity);
        return;
    }
    const Walk w = { g, scope, NULL, scope->site };
    Term name = term_of_name(g, entity->var, decl->name, decl->place);
    if (decl->primes > 0) {
        name.side.form = form_of(g, entity->var, decl->primes);
        name.side.zero = (Zero){ 0 };
        name.side.name = arena_printf(&g->work, "%s%.*s", decl->name, (int)decl->primes, "''''''''''");
    }
    if (decl->unit && entity->decl != decl) {    // the unit of a derivative, or of what is only published here
        Unit unit;
        g->says_units = true;
        if (unit_read(g->system, decl->unit, decl->unit_place, &unit)) {
            Term given = name;
            given.side.form = form_unit(&g->work, &unit);
            given.side.name = "what is declared here";
            given.side.place = decl->unit_place;
            relate(g, &name, &given, false);
        } else g->failed = true;
    }
    if (!decl->value || says_unit(decl->value, decl->unit)) return;
    const Term value = walk(&w, decl->value);
    relate(g, &name, &value, true);
}

// A value that flows into a variable from outside: converted if both units are known.
static void add_link(Gather *g, const UnitSide *to, const Term *from, uint32_t site, const void *node)
{
    if (from->is_bare) return;
    add_relation(g, (UnitRelation){ .kind = RELATION_LINK, .a = *to, .b = from->side, .compares_zeros = true,
                                    .site = site, .node = node });
}

static void visit_settings(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    const UnitEntity *component = gather_find(w->scope, item->component.name);
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        const AstSetting *s = &item->component.overrides[i];
        const Term value = walk(w, s->value);
        UnitScope *scope = component && component->component
                               ? find_component(component->component, &s->target, s->target.n_parts - 1) : NULL;
        const UnitEntity *target =
            scope ? gather_find(scope, s->target.parts[s->target.n_parts - 1].name) : NULL;
        if (!target || target->var == UNIT_NONE) continue;
        Term to = term_of_name(g, target->var, g->vars.items[target->var].name, s->place);
        if (s->target.primes) {
            to.side.form = form_of(g, target->var, s->target.primes);
            to.side.zero = (Zero){ 0 };
        }
        add_link(g, &to.side, &value, scope->site, s->value);
    }
}

// Values given to names of the model itself.
static void visit_given(const Walk *w)
{
    Gather *g = w->g;
    for (uint32_t i = 0; i < g->n_given; i++) {
        const AstSetting *s = &g->given[i];
        const Term value = walk(w, s->value);
        UnitScope *scope = find_component(w->scope, &s->target, s->target.n_parts - 1);
        const UnitEntity *target = scope ? gather_find(scope, s->target.parts[s->target.n_parts - 1].name) : NULL;
        if (!target || target->var == UNIT_NONE) continue;
        const Term to = term_of_name(g, target->var, g->vars.items[target->var].name, s->place);
        add_link(g, &to.side, &value, scope->site, s->value);
    }
}

static void visit_arrow(const Walk *w, const AstItem *item)
{
    if (item->arrow.when) walk(w, item->arrow.when);
    const AstExpr *from = &(AstExpr){ .kind = AST_REF, .place = item->arrow.from_place, .ref = item->arrow.from };
    const AstExpr *to = &(AstExpr){ .kind = AST_REF, .place = item->arrow.to_place, .ref = item->arrow.to };
    AstExpr *kept = ARENA_ARRAY(&w->g->work, AstExpr, 2);
    kept[0] = *from;
    kept[1] = *to;
    const Term source = walk(w, &kept[0]), target = walk(w, &kept[1]);
    if (!target.is_bare) add_link(w->g, &target.side, &source, w->site, item);
}

// Two terminals of one type on a node: their variables have one unit, be they equal or summed.
static void visit_connection(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    const UnitScope *a = find_component(w->scope, &item->arrow.from, item->arrow.from.n_parts);
    const UnitScope *b = find_component(w->scope, &item->arrow.to, item->arrow.to.n_parts);
    if (!a || !b || a->model != b->model) return;
    for (size_t i = 0; i < a->entities.n && i < b->entities.n; i++) {
        const uint32_t x = a->entities.items[i].var, y = b->entities.items[i].var;
        if (x == UNIT_NONE || y == UNIT_NONE || g->vars.items[x].text) continue;    // declared once for all
        const Term left = term_of_name(g, x, g->vars.items[x].name, item->arrow.from_place);
        const Term right = term_of_name(g, y, g->vars.items[y].name, item->arrow.to_place);
        relate(g, &left, &right, true);
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
    diag_hint(g->diag, "write 'time [%s]' in '%s' too, or 'time [%s]' here", item->time_unit, g->root->model->name,
              whole);
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
        if (!is_number || item->send.n_values != 1 || item->send.port.n_parts != 1) continue;
        const Term left = walk(w, port);
        relate(w->g, &left, &value, true);
    }
}

static void visit_items(const Walk *w, const AstItem *items, uint32_t n);

static void visit_event(const Walk *w, const AstEvent *e)
{
    const AstExpr *times[] = { e->time, e->from, e->after };
    if (e->condition) walk(w, e->condition);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (!times[i]) continue;
        const Term time = time_term(w, times[i]), given = walk(w, times[i]);
        relate(w->g, &given, &time, true);
    }
    visit_items(w, e->body, e->n_body);
}

static void visit_item(const Walk *w, const AstItem *item)
{
    Gather *g = w->g;
    switch (item->kind) {
    case AST_DECL: visit_decl(g, w->scope, &item->decl); break;
    case AST_EQUATION: case AST_INITIAL: {
        const Term left = walk(w, item->equation.lhs), right = walk(w, item->equation.rhs);
        relate(g, &left, &right, true);
        break;
    }
    case AST_ASSERT: walk(w, item->assertion.condition); break;
    case AST_COMPONENT: visit_settings(w, item); break;
    case AST_ARROW: visit_arrow(w, item); break;
    case AST_CONNECT: visit_connection(w, item); break;
    case AST_FOR: {
        const LocalTerm index = { w->locals, item->loop.index, bare(NAN) };
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
        relate(g, &left, &right, true);
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

void gather_model(Gather *g, const AstModel *model, const Gather *before)
{
    text_map_init(&g->models, &g->work);
    text_map_init(&g->functions, &g->work);
    text_map_init(&g->tables, &g->work);
    map_init(&g->sites, g->arena);
    map_init(&g->call_of, &g->work);
    for (size_t i = 0; i < g->ast->models.n; i++)
        text_map_put(&g->models, text_from(g->ast->models.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < g->ast->terminals.n; i++)
        text_map_put(&g->models, text_from(g->ast->terminals.items[i].name), (uint32_t)(g->ast->models.n + i));
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
    g->root = make_scope(g, NULL, model, "");
    declare_scope(g, g->root);
    visit_scope(g, g->root);
    const Walk outside = { g, g->root, NULL, g->root->site };
    visit_given(&outside);
}
