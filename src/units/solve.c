// src/units/solve.c: units that follow from others.
//
// A relation says that a product of powers of units is 1. First what is known is propagated: a relation with
// one unknown unit tells it, links only when nothing else does. That is all most models need, and each unit
// then has one relation that a person can be shown as its source. Relations with several unknowns left are
// solved by elimination: one unknown is defined by the others. Definitions are brought to their last form
// when they are read (as paths are compressed in a union-find), so chains of equal units cost next to
// nothing.
#include "units/gather.h"

enum { TERMS_MAX = 64 };    // of a definition; a unit tied to more unknown ones is taken as not to be told

typedef struct Solver {
    Gather   *g;
    Form     *differences;       // [n] a/b of each relation
    uint32_t *n_unknown;         // [n] variables in it without a value
    uint32_t *first, *uses;      // relations of variable v: uses[first[v]] … uses[first[v + 1] - 1]
    uint32_t *queues[2];         // [n] relations with one unknown: of all kinds but links, and links
    uint32_t  head[2], tail[2];
    VEC(uint32_t) eliminated;    // in order
} Solver;

static const Ratio minus_one = { -1, 1 };

static bool is_link(const UnitRelation *r) { return r->kind == RELATION_LINK; }

static bool is_unknown(const Gather *g, uint32_t var) { return !g->vars.items[var].value; }

// ---- Propagation

static void index_relations(Solver *s)
{
    Gather *g = s->g;
    const size_t n = g->relations.n, n_vars = g->vars.n;
    size_t n_uses = 0;
    s->differences = ARENA_ARRAY(&g->work, Form, n + 1);
    s->n_unknown = ARENA_ARRAY(&g->work, uint32_t, n + 1);
    s->first = ARENA_ARRAY(&g->work, uint32_t, n_vars + 2);
    for (int k = 0; k < 2; k++) s->queues[k] = ARENA_ARRAY(&g->work, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const UnitRelation *r = &g->relations.items[i];
        const Form d = form_mul(&g->work, r->a.form, r->b.form, minus_one);
        s->differences[i] = d;
        for (uint32_t k = 0; k < d.n; k++) {
            if (!is_unknown(g, d.terms[k].var)) continue;
            s->n_unknown[i]++;
            s->first[d.terms[k].var + 2]++;
            n_uses++;
        }
    }
    for (size_t v = 2; v < n_vars + 2; v++) s->first[v] += s->first[v - 1];
    s->uses = ARENA_ARRAY(&g->work, uint32_t, n_uses + 1);
    for (size_t i = 0; i < n; i++) {
        const Form d = s->differences[i];
        for (uint32_t k = 0; k < d.n; k++)
            if (is_unknown(g, d.terms[k].var)) s->uses[s->first[d.terms[k].var + 1]++] = (uint32_t)i;
    }
}

static void enqueue(Solver *s, uint32_t relation)
{
    const int k = is_link(&s->g->relations.items[relation]);
    s->queues[k][s->tail[k]++] = relation;
}

// The product of what is known in a form; *unknown is the last variable without a value, with its power.
static Unit known_part(const Gather *g, Form form, FormTerm *unknown)
{
    Unit product = form.unit ? *form.unit : unit_one();
    for (uint32_t k = 0; k < form.n; k++) {
        const Unit *value = g->vars.items[form.terms[k].var].value;
        if (!value) {
            *unknown = form.terms[k];
            continue;
        }
        const Unit raised = unit_pow(value, form.terms[k].power);
        product = unit_mul(&product, &raised);
    }
    return product;
}

// A relation with one unknown unit tells it.
static void settle(Solver *s, uint32_t relation)
{
    Gather *g = s->g;
    if (s->n_unknown[relation] != 1) return;    // another relation told it meanwhile
    FormTerm unknown = { 0 };
    const Unit rest = known_part(g, s->differences[relation], &unknown);
    const Unit value = unit_pow(&rest, ratio_div(minus_one, unknown.power));
    UnitVar *var = &g->vars.items[unknown.var];
    var->value = form_unit(&g->work, &value).unit;
    var->from = relation;
    for (uint32_t k = s->first[unknown.var]; k < s->first[unknown.var + 1]; k++)
        if (--s->n_unknown[s->uses[k]] == 1) enqueue(s, s->uses[k]);
}

static void propagate(Solver *s)
{
    for (uint32_t i = 0; i < s->g->relations.n; i++)
        if (s->n_unknown[i] == 1) enqueue(s, i);
    while (s->head[0] < s->tail[0] || s->head[1] < s->tail[1]) {
        const int k = s->head[0] == s->tail[0];
        settle(s, s->queues[k][s->head[k]++]);
    }
}

// ---- Elimination

static bool is_flat(const Gather *g, Form form)
{
    for (uint32_t k = 0; k < form.n; k++)
        if (g->vars.items[form.terms[k].var].is_eliminated || !is_unknown(g, form.terms[k].var)) return false;
    return true;
}

// Known and eliminated variables replaced by their values and definitions, one level deep.
static Form substitute(Gather *g, Form form)
{
    Form result = { .unit = form.unit };
    for (uint32_t k = 0; k < form.n; k++) {
        const UnitVar *var = &g->vars.items[form.terms[k].var];
        const Form alone = { NULL, &form.terms[k], 1 };
        if (var->value)
            result = form_mul(&g->work, result, (Form){ .unit = var->value }, form.terms[k].power);
        else if (var->is_eliminated)
            result = form_mul(&g->work, result, var->definition, form.terms[k].power);
        else result = form_mul(&g->work, result, alone, ratio_whole(1));
    }
    return result;
}

// Too much hangs together: a unit nobody can tell is equal to every other.
static void give_up(Gather *g, uint32_t var)
{
    Unit *unknown = ARENA_NEW(&g->work, Unit);
    g->vars.items[var].value = unknown;
}

// Bring the definition of a variable to its last form, and all on the way, without recursion.
static void flatten_definition(Gather *g, uint32_t var)
{
    VEC(uint32_t) stack = { 0 };
    vec_push(&g->work, &stack, var);
    while (stack.n > 0) {
        const uint32_t top = vec_last(&stack);
        UnitVar *v = &g->vars.items[top];
        bool is_ready = true;
        for (uint32_t k = 0; k < v->definition.n && is_ready; k++) {
            const uint32_t w = v->definition.terms[k].var;
            const UnitVar *other = &g->vars.items[w];
            if (other->value || !other->is_eliminated || is_flat(g, other->definition)) continue;
            vec_push(&g->work, &stack, w);
            is_ready = false;
        }
        if (!is_ready) continue;
        v->definition = substitute(g, v->definition);
        if (v->definition.n > TERMS_MAX) give_up(g, top);
        stack.n--;
    }
}

static Form resolve(Gather *g, Form form)
{
    for (uint32_t k = 0; k < form.n; k++) {
        const UnitVar *var = &g->vars.items[form.terms[k].var];
        if (!var->value && var->is_eliminated && !is_flat(g, var->definition))
            flatten_definition(g, form.terms[k].var);
    }
    return substitute(g, form);
}

// Define one of the unknown units of a relation by the others: the one that fewest relations know.
static void eliminate(Solver *s, uint32_t relation)
{
    Gather *g = s->g;
    const Form form = resolve(g, s->differences[relation]);
    if (form.n == 0 || form.n > TERMS_MAX) return;
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t k = 0; k < form.n; k++) {
        const uint32_t v = form.terms[k].var, n = s->first[v + 1] - s->first[v];
        if (n < fewest) best = k, fewest = n;
    }
    const FormTerm pivot = form.terms[best];
    const Form alone = { NULL, &form.terms[best], 1 }, rest = form_mul(&g->work, form, alone, minus_one);
    const Form one = { 0 };
    UnitVar *var = &g->vars.items[pivot.var];
    var->definition = form_mul(&g->work, one, rest, ratio_div(minus_one, pivot.power));
    var->is_eliminated = true;
    var->from = relation;
    vec_push(&g->work, &s->eliminated, pivot.var);
}

void solve_units(Gather *g)
{
    Solver s = { .g = g };
    index_relations(&s);
    propagate(&s);
    for (int links = 0; links < 2; links++)
        for (uint32_t i = 0; i < g->relations.n; i++)
            if (is_link(&g->relations.items[i]) == links && s.n_unknown[i] > 0) eliminate(&s, i);

    // what was eliminated last is defined by what was not: from there backwards every definition becomes a
    // value
    while (s.eliminated.n > 0) {
        const uint32_t v = vec_pop(&s.eliminated);
        UnitVar *var = &g->vars.items[v];
        if (var->value) continue;
        var->definition = substitute(g, var->definition);
        if (var->definition.n > TERMS_MAX) give_up(g, v);
        if (var->definition.n > 0) continue;
        const Unit one = unit_one();
        var->value = form_unit(&g->work, var->definition.unit ? var->definition.unit : &one).unit;
    }
}

bool solve_value(Gather *g, Form form, Unit *unit)
{
    const Form rest = substitute(g, form);
    *unit = rest.unit ? *rest.unit : unit_one();
    return rest.n == 0;
}
