// src/units/report.c: units that do not agree, and whose fault it probably is.
//
// One wrong declaration makes many relations fail. If a variable occurs in several of them and one other unit
// for it would make all of them hold, while few relations that hold now need the present one, they are one
// mistake: it is reported once, with the unit that would do. A unit that was inferred is never at fault
// itself; then the relation it was inferred from is reported.
#include "units/gather.h"
#include <math.h>
#include <stdlib.h>

enum {
    TEXT_MAX = 48,        // bytes of an expression quoted in a message
    NOTES_MAX = 2,        // origins told for each side
    REPORTS_MAX = 2,      // of mismatches with the same inferred unit, if no other unit explains them
    FAILURES_MAX = 2000,  // that are thought about
};

// ---------------------------------------------------------------------------------------------- words

// An expression as it was written, or NULL if it is too long to be quoted.
static const char *quote(Gather *g, const AstExpr *e)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) return NULL;
    ast_print_expr(e, out);
    memory_close(out, &text);
    const char *quoted = n <= TEXT_MAX ? arena_copy_text(&g->work, text, n) : NULL;
    free(text);
    return quoted;
}

const char *report_side(Gather *g, const UnitSide *side)
{
    const char *text = side->expr ? quote(g, side->expr) : side->name;
    if (!text) return "this expression";
    const bool is_words = !side->expr && strchr(text, ' ');
    return is_words ? text : arena_printf(&g->work, "'%s'", text);
}

const char *report_conversion(Gather *g, const UnitSide *side, const char *unit)
{
    const char *text = side->expr ? quote(g, side->expr) : side->name;
    bool is_name = true;
    for (const char *c = unit; *c; c++) is_name &= (*c | 32) >= 'a' && (*c | 32) <= 'z';
    return arena_printf(&g->work, is_name ? "(%s in %s)" : "(%s in [%s])", text ? text : "…", unit);
}

static const char *text_of(Gather *g, const UnitSide *side)
{
    // something declared speaks in the words of its declaration
    if (!side->form.unit && side->form.n == 1 && side->form.terms[0].power.p == 1 &&
        side->form.terms[0].power.q == 1) {
        const char *declared = g->vars.items[side->form.terms[0].var].text;
        if (declared) return declared;
    }
    if (side->expr && side->expr->kind == AST_NUMBER && side->expr->number.unit)
        return side->expr->number.unit;
    Unit unit;
    if (solve_value(g, side->form, &unit)) return unit_text(g->system, &unit);
    return unit_is_pure(&unit) ? "?" : arena_printf(&g->work, "?*%s", unit_text(g->system, &unit));
}

static bool contains(Form form, uint32_t var)
{
    for (uint32_t k = 0; k < form.n; k++)
        if (form.terms[k].var == var) return true;
    return false;
}

void report_origins(Gather *g, const UnitSide *side, const UnitSide *told)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < side->form.n && n < NOTES_MAX; k++) {
        const UnitVar *var = &g->vars.items[side->form.terms[k].var];
        if (!var->name || !var->value || (told && contains(told->form, side->form.terms[k].var))) continue;
        if (var->text) {
            if (var->place.file == side->place.file && var->place.offset == side->place.offset) continue;
            diag_note(g->diag, var->place, "'%s' is declared in [%s]", var->name, var->text);
            n++;
        } else if (var->from != UNIT_NONE) {
            const UnitRelation *r = &g->relations.items[var->from];
            diag_note(g->diag, place_join(r->a.place, r->b.place), "'%s' is in [%s] because of this",
                      var->name, unit_text(g->system, var->value));
            n++;
        }
    }
}

// ---------------------------------------------------------------------------------------------- hints

// A bare number in a product of this side that is more than a plain factor, or NULL.
static const AstExpr *bare_factor(const AstExpr *e)
{
    for (; e && (e->kind == AST_BINARY || (e->kind == AST_UNARY && e->op == AST_NEG)); e = e->operands.a) {
        if (e->kind == AST_UNARY) continue;
        if (e->op != AST_MUL && e->op != AST_DIV) return NULL;
        const AstExpr *b = e->operands.b;
        if (e->op == AST_MUL && b->kind == AST_NUMBER && !b->number.unit) return b;
    }
    if (!e || e->kind != AST_NUMBER || e->number.unit) return NULL;
    return e;
}

static bool is_plain_factor(double x) { return x == 1 || x == 2 || x == 3 || x == 4 || x == 0.5; }

// How to repair a side of which `quotient` is what it lacks. True if a hint was given.
static bool hint_factor(Gather *g, const UnitSide *side, const Unit *lacks)
{
    const AstExpr *number = side->expr ? bare_factor(side->expr) : NULL;
    if (!number || number == side->expr || is_plain_factor(number->number.value)) return false;
    diag_hint(g->diag, "a number in a product is a pure number; if it has a unit, write it: %g [%s]",
              number->number.value, unit_text(g->system, lacks));
    return true;
}

static void hint_mismatch(Gather *g, const UnitSide *a, const UnitSide *b, const Unit *ua, const Unit *ub)
{
    if (unit_same_dimension(ua, ub)) {
        const UnitSide *from = b->expr ? b : a, *to = b->expr ? a : b;
        diag_hint(g->diag, "convert one of them: %s", report_conversion(g, from, text_of(g, to)));
        return;
    }
    const Unit inverse_b = unit_pow(ub, ratio_whole(-1)), b_lacks = unit_mul(ua, &inverse_b);
    const Unit a_lacks = unit_pow(&b_lacks, ratio_whole(-1));
    if (!hint_factor(g, b, &b_lacks)) hint_factor(g, a, &a_lacks);
}

// ---------------------------------------------------------------------------------------------- one mismatch

static void report_one(Gather *g, const UnitRelation *r)
{
    Unit ua, ub;
    const bool knows_a = solve_value(g, r->a.form, &ua), knows_b = solve_value(g, r->b.form, &ub);
    const char *a = report_side(g, &r->a), *text_a = text_of(g, &r->a);
    if (r->kind == RELATION_PURE) {
        diag_report(g->diag, DIAG_UNIT_PURE, r->a.place, r->what, a, text_a);
        const Unit one = unit_one();
        if (unit_same_dimension(&ua, &one))
            diag_hint(g->diag, "convert it: %s", report_conversion(g, &r->a, "rad"));
        else diag_hint(g->diag, "divide it by what it is measured in, such as 1 [%s]", text_a);
        report_origins(g, &r->a, NULL);
        return;
    }
    const char *b = report_side(g, &r->b), *text_b = text_of(g, &r->b);
    diag_report(g->diag, DIAG_UNIT_MISMATCH, r->a.place, a, text_a, b, text_b);
    if (knows_a && knows_b) hint_mismatch(g, &r->a, &r->b, &ua, &ub);
    else diag_hint(g->diag, "no unit of what is not declared makes both agree");
    diag_note(g->diag, r->b.place, "%s is in [%s]", b, text_b);
    report_origins(g, &r->a, NULL);
    report_origins(g, &r->b, &r->a);
}

// ---------------------------------------------------------------------------------------------- culprits

typedef struct Failure {
    uint32_t relation;
    Form     difference;   // a/b
    Unit     quotient;     // what that is; it should be 1
    bool     is_covered;   // by a report on a culprit
} Failure;

// A variable that another unit would make agree with some of the failures.
typedef struct Suspect {
    uint32_t var;
    Unit     change;       // what its unit would have to be multiplied by
    uint32_t n;            // failures explained
    uint32_t first;        // the first of them
} Suspect;

typedef struct Report {
    Gather *g;
    VEC(Failure) failures;
    VEC(Suspect) suspects;
    uint32_t *n_holding;   // [n_vars] relations that hold and contain the variable, and told nobody's unit
    uint32_t *n_told;      // [n_vars] reports in which it was the inferred one
} Report;

static Form difference(Report *rep, const UnitRelation *r)
{
    return form_mul(&rep->g->work, r->a.form, r->b.form, ratio_whole(-1));
}

// Does a relation hold? A link holds if the dimensions agree.
static bool holds(Report *rep, const UnitRelation *r, Form d, Unit *quotient)
{
    if (!solve_value(rep->g, d, quotient)) return true;    // not known
    if (r->kind != RELATION_LINK) return unit_is_pure(quotient);
    const Unit one = unit_one();
    return !unit_is_known(quotient) || unit_same_dimension(quotient, &one);
}

static Unit change_for(const Failure *failure, Ratio power)
{
    return unit_pow(&failure->quotient, ratio_div(ratio_whole(-1), power));
}

static void find_failures(Report *rep)
{
    Gather *g = rep->g;
    for (size_t i = 0; i < g->relations.n && rep->failures.n < FAILURES_MAX; i++) {
        const UnitRelation *r = &g->relations.items[i];
        Failure failure = { .relation = (uint32_t)i, .difference = difference(rep, r) };
        if (!holds(rep, r, failure.difference, &failure.quotient)) {
            vec_push(&g->work, &rep->failures, failure);
            continue;
        }
        const Form d = failure.difference;
        bool is_source = false;    // then it holds whatever the others are
        for (uint32_t k = 0; k < d.n; k++) is_source |= g->vars.items[d.terms[k].var].from == i;
        for (uint32_t k = 0; k < d.n && !is_source; k++) rep->n_holding[d.terms[k].var]++;
    }
}

static int by_variable(const void *a, const void *b)
{
    const Suspect *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_weight(const void *a, const void *b)
{
    const Suspect *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

// One entry for each variable and change that explains several failures.
static void find_suspects(Report *rep)
{
    Gather *g = rep->g;
    VEC(Suspect) all = { 0 };
    for (uint32_t i = 0; i < rep->failures.n; i++) {
        const Failure *failure = &rep->failures.items[i];
        const Form d = failure->difference;
        for (uint32_t k = 0; k < d.n; k++)
            vec_push(&g->work, &all,
                     (Suspect){ d.terms[k].var, change_for(failure, d.terms[k].power), 1, i });
    }
    if (all.n > 1) qsort(all.items, all.n, sizeof *all.items, by_variable);
    enum { CHANGES_MAX = 8 };
    for (size_t i = 0; i < all.n;) {
        const size_t start = rep->suspects.n;
        const uint32_t var = all.items[i].var;
        for (; i < all.n && all.items[i].var == var; i++) {
            size_t k = start;
            while (k < rep->suspects.n && !unit_equal(&rep->suspects.items[k].change, &all.items[i].change))
                k++;
            if (k < rep->suspects.n) rep->suspects.items[k].n++;
            else if (k - start < CHANGES_MAX) vec_push(&g->work, &rep->suspects, all.items[i]);
        }
    }
    if (rep->suspects.n > 1)
        qsort(rep->suspects.items, rep->suspects.n, sizeof *rep->suspects.items, by_weight);
}

// The failures a suspect explains are covered; their number if none was covered before.
static uint32_t cover(Report *rep, const Suspect *suspect, bool for_real)
{
    uint32_t n = 0;
    for (size_t i = suspect->first; i < rep->failures.n; i++) {
        Failure *failure = &rep->failures.items[i];
        if (failure->is_covered) continue;
        const Form d = failure->difference;
        for (uint32_t k = 0; k < d.n; k++) {
            if (d.terms[k].var != suspect->var) continue;
            const Unit change = change_for(failure, d.terms[k].power);
            if (!unit_equal(&change, &suspect->change)) continue;
            failure->is_covered |= for_real;
            n++;
        }
    }
    return n;
}

static void report_culprit(Report *rep, const Suspect *suspect, uint32_t n)
{
    Gather *g = rep->g;
    UnitVar *var = &g->vars.items[suspect->var];
    const Unit *present = var->value;
    Unit fitting = unit_mul(present, &suspect->change);
    const char *fitting_text = unit_text(g->system, &fitting);
    const UnitRelation *first = &g->relations.items[rep->failures.items[suspect->first].relation];
    if (var->text) {
        report_one(g, first);
        diag_hint(g->diag, "%u places disagree alike: all would agree if '%s' were declared in [%s]", n,
                  var->name, fitting_text);
        return;
    }
    // inferred: what it was inferred from stands against all the others
    const UnitRelation *source = &g->relations.items[var->from];
    const uint32_t from = var->from;
    var->value = &fitting;
    var->from = UNIT_NONE;    // nothing to tell: this is the source
    report_one(g, source);
    if (var->name)
        diag_hint(g->diag, "%u other places need '%s' in [%s]", n, var->name, fitting_text);
    diag_note(g->diag, place_join(first->a.place, first->b.place), "the first of them");
    var->value = present;
    var->from = from;
}

static void report_culprits(Report *rep)
{
    for (size_t i = 0; i < rep->suspects.n; i++) {
        const Suspect *suspect = &rep->suspects.items[i];
        if (suspect->n < 2) break;    // the rest explain one failure each
        const UnitVar *var = &rep->g->vars.items[suspect->var];
        if (suspect->n <= rep->n_holding[suspect->var] || (var->text && suspect->n < 3)) continue;
        if (!var->value || (!var->text && var->from == UNIT_NONE)) continue;
        const uint32_t n = cover(rep, suspect, false);
        if (n < (var->text ? 3 : 2) || rep->failures.items[suspect->first].is_covered) continue;
        report_culprit(rep, suspect, n);
        cover(rep, suspect, true);
    }
}

// Each by itself, but not a hundred times the same inferred unit.
static void report_rest(Report *rep)
{
    Gather *g = rep->g;
    for (size_t i = 0; i < rep->failures.n; i++) {
        const Failure *failure = &rep->failures.items[i];
        if (failure->is_covered) continue;
        const Form d = failure->difference;
        bool was_told = false;
        for (uint32_t k = 0; k < d.n; k++)
            was_told |= !g->vars.items[d.terms[k].var].text && rep->n_told[d.terms[k].var]++ >= REPORTS_MAX;
        if (!was_told) report_one(g, &g->relations.items[failure->relation]);
    }
}

bool report_mismatches(Gather *g)
{
    Report rep = { .g = g };
    rep.n_holding = ARENA_ARRAY(&g->work, uint32_t, g->vars.n + 1);
    rep.n_told = ARENA_ARRAY(&g->work, uint32_t, g->vars.n + 1);
    find_failures(&rep);
    if (rep.failures.n == 0) return true;
    find_suspects(&rep);
    report_culprits(&rep);
    report_rest(&rep);
    return false;
}
