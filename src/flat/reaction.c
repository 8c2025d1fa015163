// src/flat/reaction.c: reactions, and events at random: what they mean once all equations are known.
//
//     reaction r : A + 2 B -> C rate k
//
// As equations: A' = - k …, B' = - 2 k …, C' = + k …, summed over all reactions. As events: each happens as
// often as its rate says and changes the numbers A, B, C, which are discrete then (event.c). There a rate
// that nothing but events changes needs no solver: `rate_is_steady`.
#include "flat/scope.h"

enum { STEADY_DEPTH = 100 };    // variables that are defined by others, one behind the other

// The loops around a statement are gone when it is defined.
static const Local *keep_locals(Expander *ex, const Local *locals)
{
    Local *first = NULL, **next = &first;
    for (; locals; locals = locals->outer, next = (Local **)&(*next)->outer) {
        *next = ARENA_NEW(&ex->work, Local);
        **next = *locals;
    }
    return first;
}

void reaction_keep(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    vec_push(&ex->work, &ex->rated, (Rated){ item, scope, keep_locals(ex, locals) });
}

bool reaction_wants(const AstItem *item) { return item->kind == AST_REACTION; }

void reaction_declare(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    if (item->kind != AST_REACTION) return;
    Flat *flat = ex->flat;
    const AstReaction *reaction = item->reaction;
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    if (flat->arrays.n) {    // they know single variables only
        flat->keep_failed = true;
        return;
    }
    for (uint32_t i = 0; i < reaction->n_species; i++) {
        const AstSpecies *species = &reaction->species[i];
        Entity *entity;
        const uint32_t variable = lower_variable(&r, &species->ref, species->place, &entity);
        if (variable == FLAT_NONE) continue;
        if (entity->symbol->kind != SYMBOL_VARIABLE || entity->symbol->declared != AST_VAR ||
            species->ref.primes) {
            EXPAND_FAIL(ex, DIAG_SPECIES, species->place, flat->vars.items[variable].name,
                        species->ref.primes ? "derivative" : lower_kind(entity));
            diag_hint(ex->diag, "declare what reacts with 'var'; what it only depends on stands in the rate");
        } else if (flat->reactions_are_events) {
            flat->vars.items[variable].kind = FLAT_DISCRETE;
        }
    }
    reaction_keep(ex, scope, locals, item);
}

// By how much each species changes, each once: [*n] in the scratch arena.
typedef struct Change { uint32_t variable; double number; Place place; } Change;

static Change *find_changes(const Reading *r, const AstReaction *reaction, uint32_t *n)
{
    Change *changes = ARENA_ARRAY(&r->ex->scratch, Change, reaction->n_species);
    *n = 0;
    for (uint32_t i = 0; i < reaction->n_species; i++) {
        const AstSpecies *species = &reaction->species[i];
        Entity *entity;
        const uint32_t variable = lower_variable(r, &species->ref, species->place, &entity);
        uint32_t k = 0;
        while (k < *n && changes[k].variable != variable) k++;
        if (k == *n) changes[(*n)++] = (Change){ variable, 0, species->place };
        changes[k].number += i < reaction->n_left ? -species->number : species->number;
    }
    return changes;
}

Expr reaction_guard(const Reading *r, const AstReaction *reaction, Expr rate)
{
    ExprPool *pool = &r->ex->flat->pool;
    for (uint32_t i = 0; i < reaction->n_left; i++) {
        const AstSpecies *species = &reaction->species[i];
        const Expr amount = lower_ref(r, &species->ref, species->place);
        const Expr is_there = lower_relation(r, EXPR_GE, amount, expr_const(pool, species->number),
                                             species->place);
        rate = expr_make(pool, EXPR_IF, is_there, rate, expr_const(pool, 0));
    }
    return rate;
}

void reaction_body(const Reading *r, const AstReaction *reaction, Place place)
{
    Flat *flat = r->ex->flat;
    const ArenaMark mark = arena_mark(&r->ex->scratch);
    uint32_t n;
    const Change *changes = find_changes(r, reaction, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (changes[i].number == 0) continue;
        const Expr value = expr_binary(&flat->pool, EXPR_ADD, lower_read(r->ex, changes[i].variable),
                                       expr_const(&flat->pool, changes[i].number));
        vec_push(flat->arena, &flat->actions,
                 (FlatAction){ changes[i].variable, value, NULL, place, false, false });
    }
    arena_release(&r->ex->scratch, mark);
}

// ---- As equations

typedef struct Sum { uint32_t variable; Place place; VEC(Expr) terms; } Sum;

// A tree without long branches.
static Expr sum_of(ExprPool *pool, const Expr *terms, size_t n)
{
    if (n == 0) return expr_const(pool, 0);
    if (n == 1) return terms[0];
    const Expr left = sum_of(pool, terms, n / 2);
    return expr_binary(pool, EXPR_ADD, left, sum_of(pool, terms + n / 2, n - n / 2));
}

static void define_sums(Expander *ex)
{
    ExprPool *pool = &ex->flat->pool;
    VEC(Sum) sums = { 0 };
    Map sum_of_variable;
    map_init(&sum_of_variable, &ex->work);
    for (size_t i = 0; i < ex->rated.n; i++) {
        const Rated *rated = &ex->rated.items[i];
        if (rated->item->kind != AST_REACTION) continue;
        const Reading r = { .ex = ex, .scope = rated->scope, .locals = rated->locals, .makes_modes = true };
        const Expr rate = lower_real(&r, rated->item->reaction->rate);
        const ArenaMark mark = arena_mark(&ex->scratch);
        uint32_t n;
        const Change *changes = find_changes(&r, rated->item->reaction, &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t *number = map_at(&sum_of_variable, changes[k].variable);    // from 1 on
            if (!*number) {
                vec_push(&ex->work, &sums, (Sum){ .variable = changes[k].variable,
                                                  .place = changes[k].place });
                *number = (uint32_t)sums.n;
            }
            if (changes[k].number == 0) continue;
            const Expr term = expr_binary(pool, EXPR_MUL, expr_const(pool, changes[k].number), rate);
            vec_push(&ex->work, &sums.items[*number - 1].terms, term);
        }
        arena_release(&ex->scratch, mark);
    }
    for (size_t i = 0; i < sums.n; i++) {
        const Sum *s = &sums.items[i];
        const uint32_t change = declare_derivative(ex, s->variable, 1, s->place);
        define_equation(ex, lower_read(ex, change), sum_of(pool, s->terms.items, s->terms.n), s->place);
    }
}

// ---- Rates that only events change

typedef struct Steady {
    Expander *ex;
    Map equation_of;    // variable → 1 + the equation that says what it is
    Map known;          // variable → 1: it is steady; 0: not, or it is being looked at
} Steady;

static bool is_noise(const Flat *flat, uint32_t variable)
{
    for (size_t i = 0; i < flat->noises.n; i++)
        if (flat->noises.items[i].variable == variable) return true;
    return false;
}

static bool is_steady(Steady *s, Expr e, int depth)
{
    Expander *ex = s->ex;
    const Flat *flat = ex->flat;
    const Reads reads = settle_reads(ex, e);
    if (reads & READS_TIME || depth > STEADY_DEPTH) return false;
    if (!(reads & (READS_VARIABLES | READS_INPUTS))) return true;
    const ArenaMark mark = arena_mark(&ex->scratch);
    size_t n;
    const uint32_t *variables = expr_variables(&flat->pool, e, &ex->scratch, &n);
    bool steady = true;
    for (size_t i = 0; i < n && steady; i++) {
        const uint32_t v = variables[i];
        if (flat->vars.items[v].kind == FLAT_INPUT) steady = !is_noise(flat, v);
        if (flat->vars.items[v].kind != FLAT_VARIABLE) continue;
        const uint32_t *known = map_find(&s->known, v), *equation = map_find(&s->equation_of, v);
        steady = known && *known;
        if (known || !equation) continue;
        map_put(&s->known, v, 0);
        steady = is_steady(s, flat->equations.items[*equation - 1].rhs, depth + 1);
        *map_at(&s->known, v) = steady;
    }
    arena_release(&ex->scratch, mark);
    return steady;
}

bool rate_is_steady(const Reading *r, Expr rate) { return is_steady(r->ex->steady, rate, 0); }

void reaction_define(Expander *ex)
{
    const Flat *flat = ex->flat;
    if (ex->rated.n == 0 || ex->n_errors) return;
    if (!flat->reactions_are_events) define_sums(ex);
    Steady steady = { .ex = ex };
    map_init(&steady.equation_of, &ex->work);
    map_init(&steady.known, &ex->work);
    for (size_t i = 0; i < flat->equations.n; i++) {
        const ExprNode *left = expr_node(&flat->pool, flat->equations.items[i].lhs);
        if (left->op == EXPR_VAR) map_put(&steady.equation_of, left->index, (uint32_t)i + 1);
    }
    ex->steady = &steady;
    ex->reads.n = 0;    // kinds of variables have changed
    for (size_t i = 0; i < ex->rated.n; i++) {
        const Rated *rated = &ex->rated.items[i];
        if (rated->item->kind == AST_EVENT || flat->reactions_are_events)
            define_at_rate(ex, rated->scope, rated->locals, rated->item);
    }
    ex->steady = NULL;
}
