// src/order/reduce.c: the passes of index reduction, and what is remembered of them.
#include "order/reduce.h"
#include "order/diagnose.h"
#include "order/dummy.h"
#include "order/params.h"
#include <math.h>
#include <string.h>

// ---- Values known beforehand

static double known_value(const void *context, uint32_t variable)
{
    return ((const double *)context)[variable];
}

double *reduce_defaults(const Flat *flat, const uint32_t *params, uint32_t n_params, Arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, flat->vars.n);
    for (size_t v = 0; v < flat->vars.n; v++) values[v] = NAN;
    // nothing is said about inputs: they may change in a run; time is not known
    const ExprValues known = { .variable = known_value, .context = values, .t = NAN };
    for (uint32_t i = 0; i < n_params; i++) {
        const FlatVar *p = &flat->vars.items[params[i]];
        if (p->kind == FLAT_PARAM && p->start != EXPR_NONE)
            values[params[i]] = expr_evaluate(&flat->pool, p->start, &known);
    }
    for (size_t v = 0; v < flat->vars.n; v++) {
        const FlatVar *x = &flat->vars.items[v];
        if (x->kind == FLAT_VARIABLE && x->start != EXPR_NONE)
            values[v] = expr_evaluate(&flat->pool, x->start, &known);
    }
    return values;
}

// ---- What is remembered

static bool has_algebraic(const Flat *flat)
{
    for (size_t v = 0; v < flat->vars.n; v++) {
        const FlatVar *x = &flat->vars.items[v];
        if (x->kind == FLAT_VARIABLE && x->derivative == FLAT_NONE && x->integral == FLAT_NONE) return true;
    }
    return false;
}

static void remember(Reduction *r, const Pantelides *p, const Flat *flat)
{
    r->n_written = p->n_written;
    r->n_derived = p->n_equations - p->n_written;
    r->root = p->root;
    r->order = p->order;
    for (uint32_t i = 0; i < p->n_equations; i++)
        if (p->order[i] > r->index) r->index = p->order[i];
    r->index += has_algebraic(flat);
}

// Each initial value becomes a parameter, so that a run can be given another one.
static void add_start_params(Reduction *r, Flat *flat, const bool *has_start, size_t n_before, Arena *arena)
{
    const size_t n_vars = flat->vars.n;
    for (uint32_t v = 0; v < n_before; v++) {
        if (!has_start[v]) continue;
        const FlatVar *x = &flat->vars.items[v];
        const FlatVar p = { .name = arena_printf(flat->arena, "(start of %s)", x->name), .place = x->place,
                            .kind = FLAT_PARAM, .is_hidden = true, .derivative = FLAT_NONE,
                            .integral = FLAT_NONE, .start = x->start, .unit = x->unit };
        vec_push(flat->arena, &flat->vars, p);
    }
    r->start_param = ARENA_ARRAY(arena, uint32_t, flat->vars.n);
    memset(r->start_param, 0xff, flat->vars.n * sizeof *r->start_param);
    uint32_t next = (uint32_t)n_vars;
    for (uint32_t v = 0; v < n_before; v++)
        if (has_start[v]) r->start_param[v] = next++;
}

bool reduce_index(Blocks *blocks, Flat *flat, const System *system, const Match *match, Arena *arena,
                  orr_diag *diag)
{
    Arena work = { 0 };
    const System chains = structure_chains(flat, &work);
    const Match whole = match_find(&chains.rows, &chains.columns, chains.written_for, chains.n_first, &work);
    if (whole.n != chains.rows.n_rows || whole.n != chains.rows.n_columns) {
        diagnose_dynamic(system, match, &chains, &whole, diag);
        arena_free(&work);
        return false;
    }

    Reduction *r = ARENA_NEW(arena, Reduction);
    const size_t n_written = flat->vars.n;
    bool *had_derivative = ARENA_ARRAY(&work, bool, n_written);
    for (size_t v = 0; v < n_written; v++) had_derivative[v] = structure_is_state(&flat->vars.items[v]);

    Pantelides p;
    bool ok = pantelides_run(&p, flat, system, match, arena, diag);
    if (ok) {
        remember(r, &p, flat);
        const size_t n_before = flat->vars.n;
        bool *has_start = ARENA_ARRAY(&work, bool, n_before);
        for (size_t v = 0; v < n_before; v++) {
            const FlatVar *x = &flat->vars.items[v];
            has_start[v] = structure_is_state(x) && x->start != EXPR_NONE && !x->start_is_guess;
        }
        const double *values = reduce_defaults(flat, blocks->params, blocks->n_params, &work);
        ok = dummy_choose(r, flat, &p, values, arena, diag);
        if (ok) add_start_params(r, flat, has_start, n_before, arena);
    }
    if (ok) {
        r->had_derivative = ARENA_ARRAY(arena, bool, flat->vars.n);
        memcpy(r->had_derivative, had_derivative, n_written * sizeof *had_derivative);
        blocks->params = params_order(flat, &blocks->n_params, arena, diag);
        blocks->reduction = r;
    }
    arena_free(&work);
    return ok;
}
