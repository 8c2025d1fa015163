// src/units/zero.c: units with a zero of their own, such as degC.
//
// 20 degC is 293.15 K, but 20 degC more is 20 K more. A value v in a unit with the zero o stands for v + o,
// so a sum of such values stands for the sum plus the sum of their zeros: T1 - T2 has the zero 0 and is a
// difference, (T1 + T2)/2 has that of degC again, and T1 + T2 has one that no unit has. Both sides of an
// equation must have the same zero; what is multiplied must have none. The zeros of variables that declare no
// unit follow, as their units did, by propagation; those that do not follow are 0.
#include "units/gather.h"
#include <math.h>

typedef struct Zeros {
    Gather   *g;
    size_t    n;               // relations, then uses
    Zero     *sums;            // [n] must be 0
    uint32_t *n_unknown;       // [n]
    uint32_t *first, *uses;    // as in solve.c
    uint32_t *queue;           // [n]
    uint32_t  head, tail;
    bool     *is_known;        // [n_vars]
    bool      ok;
} Zeros;

long double zero_value(const Gather *g, Zero zero)
{
    long double value = zero.constant;
    for (uint32_t k = 0; k < zero.n; k++)
        value += zero.terms[k].factor * g->vars.items[zero.terms[k].var].zero;
    return fabsl(value) < 1e-9L ? 0 : value;
}

// Is there a unit with this zero?
static bool is_zero_of_a_unit(const Gather *g, long double zero)
{
    if (zero == 0) return true;
    for (size_t i = 0; i < g->system->units.n; i++)
        if (fabsl(g->system->units.items[i].offset - zero) < 1e-6L) return true;
    return false;
}

static bool counts(const UnitRelation *r) { return r->compares_zeros && r->kind == RELATION_SAME; }

static void index_sums(Zeros *z)
{
    Gather *g = z->g;
    z->n = g->relations.n + g->zero_uses.n;
    z->sums = ARENA_ARRAY(&g->work, Zero, z->n + 1);
    z->n_unknown = ARENA_ARRAY(&g->work, uint32_t, z->n + 1);
    z->queue = ARENA_ARRAY(&g->work, uint32_t, 2 * z->n + 1);
    z->first = ARENA_ARRAY(&g->work, uint32_t, g->vars.n + 2);
    z->is_known = ARENA_ARRAY(&g->work, bool, g->vars.n + 1);
    size_t n_uses = 0;
    for (size_t i = 0; i < z->n; i++) {
        const UnitRelation *r = i < g->relations.n ? &g->relations.items[i] : NULL;
        if (r && (counts(r) || r->kind == RELATION_LINK))
            z->sums[i] = zero_add(&g->work, r->a.zero, r->b.zero, -1);
        else if (!r) z->sums[i] = g->zero_uses.items[i - g->relations.n].a.zero;
        z->n_unknown[i] = z->sums[i].n;
        for (uint32_t k = 0; k < z->sums[i].n; k++) z->first[z->sums[i].terms[k].var + 2]++;
        n_uses += z->sums[i].n;
    }
    for (size_t v = 2; v < g->vars.n + 2; v++) z->first[v] += z->first[v - 1];
    z->uses = ARENA_ARRAY(&g->work, uint32_t, n_uses + 1);
    for (size_t i = 0; i < z->n; i++)
        for (uint32_t k = 0; k < z->sums[i].n; k++)
            z->uses[z->first[z->sums[i].terms[k].var + 1]++] = (uint32_t)i;
}

static void settle(Zeros *z, uint32_t i)
{
    Gather *g = z->g;
    const Zero sum = z->sums[i];
    const ZeroTerm *unknown = NULL;
    for (uint32_t k = 0; k < sum.n; k++)
        if (!z->is_known[sum.terms[k].var]) unknown = &sum.terms[k];
    if (!unknown) return;
    UnitVar *var = &g->vars.items[unknown->var];
    const long double zero = -zero_value(g, sum) / unknown->factor;    // its own zero is still 0 there
    if (is_zero_of_a_unit(g, zero)) var->zero = fabsl(zero) < 1e-9L ? 0 : zero;
    z->is_known[unknown->var] = true;
    for (uint32_t k = z->first[unknown->var]; k < z->first[unknown->var + 1]; k++)
        if (--z->n_unknown[z->uses[k]] == 1) z->queue[z->tail++] = z->uses[k];
}

static void propagate(Zeros *z)
{
    const Gather *g = z->g;
    for (int links = 0; links < 2; links++) {    // a link tells only what nothing else does
        for (uint32_t i = 0; i < z->n; i++) {
            const bool is_link = i < g->relations.n && g->relations.items[i].kind == RELATION_LINK;
            if (is_link == links && z->n_unknown[i] == 1) z->queue[z->tail++] = i;
        }
        while (z->head < z->tail) {
            const uint32_t i = z->queue[z->head++];
            const bool is_link = i < g->relations.n && g->relations.items[i].kind == RELATION_LINK;
            if (z->n_unknown[i] == 1 && (links || !is_link)) settle(z, i);
        }
        z->head = z->tail = 0;
    }
}

// The unit of a side, with the zero it has.
static const char *text_of(Gather *g, const UnitSide *side, long double zero)
{
    Unit unit;
    solve_value(g, side->form, &unit);
    unit.offset = zero;
    return unit_text(g->system, &unit);
}

static void report_use(Zeros *z, const UnitSide *side, const char *what)
{
    Gather *g = z->g;
    const char *words = report_side(g, side);
    const long double zero = zero_value(g, side->zero);
    const char *text = text_of(g, side, is_zero_of_a_unit(g, zero) ? zero : g->zero_unit->offset);
    diag_report(g->diag, DIAG_UNIT_ZERO, side->place, words, text, what);
    diag_hint(g->diag, "convert it to a unit with a natural zero: %s", report_conversion(g, side, "K"));
    report_origins(g, side, NULL);
    z->ok = false;
}

static void check_relation(Zeros *z, const UnitRelation *r)
{
    Gather *g = z->g;
    const long double a = zero_value(g, r->a.zero), b = zero_value(g, r->b.zero);
    if (!is_zero_of_a_unit(g, a)) report_use(z, &r->a, "added to another");
    else if (!is_zero_of_a_unit(g, b)) report_use(z, &r->b, "added to another");
    else if (fabsl(a - b) > 1e-9L && counts(r)) {
        const char *side_a = report_side(g, &r->a), *text_a = text_of(g, &r->a, a);
        const char *side_b = report_side(g, &r->b), *text_b = text_of(g, &r->b, b);
        diag_report(g->diag, DIAG_UNIT_MISMATCH, r->a.place, side_a, text_a, side_b, text_b);
        diag_note(g->diag, r->b.place, "%s is in [%s]", side_b, text_b);
        diag_hint(g->diag, "convert one of them: %s", report_conversion(g, &r->b, text_a));
        report_origins(g, &r->a, NULL);
        report_origins(g, &r->b, &r->a);
        z->ok = false;
    }
}

bool zero_check(Gather *g)
{
    Zeros z = { .g = g, .ok = true };
    index_sums(&z);
    propagate(&z);
    for (size_t i = 0; i < g->relations.n; i++)
        if (counts(&g->relations.items[i]) || g->relations.items[i].kind == RELATION_LINK)
            check_relation(&z, &g->relations.items[i]);
    for (size_t i = 0; i < g->zero_uses.n; i++)
        if (zero_value(g, g->zero_uses.items[i].a.zero) != 0)
            report_use(&z, &g->zero_uses.items[i].a, g->zero_uses.items[i].what);
    for (size_t i = 0; i < g->vars.n; i++) {
        UnitVar *var = &g->vars.items[i];
        if (var->text || var->zero == 0 || !var->value) continue;
        Unit *value = ARENA_NEW(&g->work, Unit);
        *value = *var->value;
        value->offset = var->zero;
        var->value = value;
    }
    return z.ok;
}
