// src/order/given.c: choosing among initial values: by number, then by structure.
#include "order/given.h"
#include "num/pick.h"
#include "order/augment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CULPRITS_MAX = 16,    // equations and values remembered for a message
    SWEEPS = 8,           // over the equations, to find out where the model starts
};

typedef struct Giver {
    Reduction    *reduction;
    const Start  *start;
    double       *values;         // [n_vars] where the model starts, as far as that is known
    Arena         work;
    double       *rank;           // [n_vars] the larger, the rather its value is taken
} Giver;

// ---- By number

static double known_value(const void *context, uint32_t variable)
{
    return ((const double *)context)[variable];
}
static double value_at(const void *context, uint32_t variable)
{
    const double x = ((const double *)context)[variable];
    return isfinite(x) ? x : 0;
}
static double false_mode(const void *context, uint32_t relation) { return (void)context, (void)relation, 0; }

// What follows from the values given by equations that are written for a variable: good enough for a look.
static void complete_values(Giver *g)
{
    const Flat *flat = g->start->system.flat;
    const ExprValues known = { .variable = known_value, .mode = false_mode, .context = g->values };
    bool is_news = true;
    for (int sweep = 0; sweep < SWEEPS && is_news; sweep++) {
        is_news = false;
        for (uint32_t i = 0; i < g->reduction->n_written; i++) {
            const FlatEquation *e = &flat->equations.items[i];
            for (int side = 0; side < 2; side++) {
                const ExprNode *node = expr_node(&flat->pool, side ? e->rhs : e->lhs);
                if (node->op != EXPR_VAR || isfinite(g->values[node->index])) continue;
                const double x = expr_evaluate(&flat->pool, side ? e->lhs : e->rhs, &known);
                if (!isfinite(x)) continue;
                g->values[node->index] = x;
                is_news = true;
            }
        }
    }
}

static void rank_choice(Giver *g, const Choice *choice)
{
    const Flat *flat = g->start->system.flat;
    const size_t m = choice->n_columns, k = choice->n_rows;
    const ExprValues at = { .variable = value_at, .mode = false_mode, .context = g->values };
    double *matrix = ARENA_ARRAY(&g->work, double, k * m);
    double *scratch = ARENA_ARRAY(&g->work, double, PICK_SCRATCH(k, m));
    uint32_t *free = ARENA_ARRAY(&g->work, uint32_t, choice->n_slots);
    for (uint32_t e = 0; e < choice->n_entries; e++) {
        const BlockEntry *entry = &choice->entries[e];
        matrix[entry->row * m + entry->column] = expr_evaluate(&flat->pool, entry->value, &at);
    }
    memcpy(free, choice->first, choice->n_slots * sizeof *free);
    const Pick pick = { k, m, matrix, choice->weights };
    pick_improve(&pick, free, 1, scratch, NULL, NULL);
    for (uint32_t i = 0; i < (choice->n_orders - 1) * m; i++) g->rank[choice->variables[i]] -= 2;
    for (uint32_t o = 0; o + 1 < choice->n_orders; o++)
        for (uint32_t s = 0; s < choice->n_slots; s++) g->rank[choice->variables[o * m + free[s]]] += 2;
}

static void rank_all(Giver *g)
{
    const Reduction *r = g->reduction;
    const Flat *flat = g->start->system.flat;
    g->rank = ARENA_ARRAY(&g->work, double, flat->vars.n);
    for (uint32_t k = 0; k < r->n_dependents; k++) g->rank[r->dependents[k]] -= 2;
    if (r->n_choices > 0) complete_values(g);
    for (uint32_t i = 0; i < r->n_choices; i++) rank_choice(g, &r->choices[i]);
    for (size_t v = 0; v < flat->vars.n; v++) {
        if (flat->vars.items[v].is_preferred) g->rank[v] += 1;
        if (!r->had_derivative[v]) g->rank[v] -= 4;    // only a guess, unless it is needed
    }
}

// ---- By structure

typedef struct Ranked { double rank; uint32_t row, variable; } Ranked;

static int by_rank(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t given_variable(const Start *start, uint32_t row)
{
    return expr_node(&start->system.flat->pool, start->system.equations[row].lhs)->index;
}

typedef VEC(uint32_t) Numbers;

static void add_once(Arena *arena, Numbers *items, uint32_t item)
{
    for (size_t k = 0; k < items->n; k++)
        if (items->items[k] == item) return;
    if (items->n < CULPRITS_MAX) vec_push(arena, items, item);
}

// What the value of a variable follows from: the tree of the last search, and those it ran into. `tree_of` is
// [n_columns] the check, from 1, whose tree a column belongs to.
static GivenCheck make_check(Giver *g, const Augment *a, uint32_t variable, const uint32_t *tree_of,
                             const GivenCheck *checks, Arena *arena)
{
    const Start *start = g->start;
    const Reduction *r = g->reduction;
    Numbers equations = { 0 }, initial = { 0 }, others = { 0 };
    for (size_t k = 0; k < a->met_rows.n; k++) {
        const uint32_t row = a->met_rows.items[k];
        if (row < r->n_written + r->n_derived) add_once(arena, &equations, r->root[row]);
        else if (row >= start->first_given && k > 0) add_once(arena, &others, given_variable(start, row));
        else if (row >= start->first_initial && k > 0) add_once(arena, &initial, row - start->first_initial);
        const AugmentRow *columns = &a->rows.items[row];
        for (uint32_t i = 0; i < columns->n; i++) {
            if (tree_of[columns->columns[i]] == 0) continue;
            const GivenCheck *met = &checks[tree_of[columns->columns[i]] - 1];
            for (uint32_t e = 0; e < met->n_equations; e++) add_once(arena, &equations, met->equations[e]);
            for (uint32_t e = 0; e < met->n_initial; e++) add_once(arena, &initial, met->initial[e]);
            for (uint32_t e = 0; e < met->n_others; e++) add_once(arena, &others, met->others[e]);
        }
    }
    return (GivenCheck){ .variable = variable,
                         .equations = equations.items, .n_equations = (uint32_t)equations.n,
                         .initial = initial.items, .n_initial = (uint32_t)initial.n,
                         .others = others.items, .n_others = (uint32_t)others.n };
}

bool *given_select(Reduction *reduction, const Start *start, double *values, Arena *arena)
{
    Giver g = { .reduction = reduction, .start = start, .values = values };
    const System *system = &start->system;
    const uint32_t n_given = start->first_default - start->first_given, n_rows = system->rows.n_rows;
    rank_all(&g);

    // all but the values given at once
    Incidence rows = system->rows;
    rows.n_rows = start->first_given;
    const Incidence columns = incidence_transpose(&rows, &g.work);
    const Match match = match_find(&rows, &columns, system->written_for, system->n_first, &g.work);
    Augment a;
    augment_init(&a, &g.work);
    augment_take(&a, &rows, &match);
    for (uint32_t i = start->first_given; i < n_rows; i++)
        augment_add_row(&a, system->rows.columns + system->rows.first[i], incidence_count(&system->rows, i));
    for (uint32_t i = start->first_default; i < n_rows; i++) augment_row(&a, i);

    // then these, one by one
    Ranked *order = ARENA_ARRAY(&g.work, Ranked, n_given);
    for (uint32_t k = 0; k < n_given; k++) {
        const uint32_t row = start->first_given + k, variable = given_variable(start, row);
        order[k] = (Ranked){ g.rank[variable], row, variable };
    }
    if (n_given > 0) qsort(order, n_given, sizeof *order, by_rank);
    bool *is_dropped = ARENA_ARRAY(arena, bool, system->flat->vars.n);
    uint32_t *tree_of = ARENA_ARRAY(&g.work, uint32_t, system->rows.n_columns);
    VEC(GivenCheck) checks = { 0 };
    for (uint32_t k = 0; k < n_given; k++) {
        if (augment_row(&a, order[k].row)) continue;
        is_dropped[order[k].variable] = true;
        if (reduction->had_derivative[order[k].variable]) {
            vec_push(arena, &checks, make_check(&g, &a, order[k].variable, tree_of, checks.items, arena));
            for (size_t i = 0; i < a.met_columns.n; i++) tree_of[a.met_columns.items[i]] = (uint32_t)checks.n;
        }
        augment_close_tree(&a);
    }
    reduction->checks = checks.items;
    reduction->n_checks = (uint32_t)checks.n;
    arena_free(&g.work);
    return is_dropped;
}
