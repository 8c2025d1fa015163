// src/order/order.c: from a set of equations to an order of evaluation, pass by pass.
//
//     params_order      the defaults of parameters
//     structure         which equation reads which unknown       ← families will go here
//     match             which equation computes which unknown
//     reduce            … or constraints are differentiated until one does, and then again from the top
//     diagnose          … or why not
//     strong            who comes before whom, and who needs each other
//     block             how each component is solved
//
// The system at every instant and the system at the start take the same road.
#include "order/block.h"
#include "order/blocks.h"
#include "order/combine.h"
#include "order/diagnose.h"
#include "order/family.h"
#include "order/given.h"
#include "order/params.h"
#include "order/reduce.h"
#include <string.h>

static Match match_system(const System *system, Arena *arena)
{
    return match_find(&system->rows, &system->columns, system->written_for, system->n_first, arena);
}

static bool is_perfect(const System *system, const Match *match)
{
    return match->n == system->rows.n_rows && match->n == system->rows.n_columns;
}

// Families are nodes too, each alone: false if they need each other, or scalars, in a circle.
static bool families_are_free(Flat *flat, const Strong *components, uint32_t n_rows,
                              const FlatFamily *families)
{
    bool ok = true;
    for (uint32_t c = 0; c < components->n; c++) {
        const uint32_t first = components->first[c], end = components->first[c + 1];
        for (uint32_t k = first; k < end && end - first > 1; k++) {
            if (components->nodes[k] < n_rows) continue;
            family_mark(flat, &families[components->nodes[k] - n_rows]);
            ok = false;
        }
    }
    return ok;
}

// The families in an order of their turns that computes before it reads; NULL if one of them has none.
static FlatFamily *direct_families(Flat *flat, const FlatFamily *families, uint32_t n, Arena *arena)
{
    FlatFamily *directed = ARENA_ARRAY(arena, FlatFamily, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        directed[i] = families[i];
        if (family_direct(&flat->pool, &directed[i])) continue;
        family_mark(flat, &families[i]);
        ok = false;
    }
    return ok ? directed : NULL;
}

// Sort a system with a perfect matching and solve its components.
static bool sort_system(Ordered *out, Flat *flat, const System *system, const Match *match,
                        const FlatFamily *families, uint32_t n_families, Arena *arena, orr_diag *diag)
{
    const uint32_t n = system->rows.n_rows;
    *out = (Ordered){ .equations = system->equations, .n_equations = n, .n_unknowns = n };
    out->unknowns = ARENA_ARRAY(arena, uint32_t, n);
    if (n > 0) memcpy(out->unknowns, system->unknowns, n * sizeof *out->unknowns);
    out->computes = ARENA_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) out->computes[i] = system->unknowns[match->column_of[i]];

    // an equation needs those that compute what it reads
    Arena work = { 0 };
    const uint32_t n_entries = system->rows.first[n];
    Incidence needs = { .n_rows = n, .n_columns = n, .first = system->rows.first,
                        .columns = ARENA_ARRAY(&work, uint32_t, n_entries) };
    for (uint32_t k = 0; k < n_entries; k++) needs.columns[k] = match->row_of[system->rows.columns[k]];
    bool ok = true;
    if (n_families > 0) {
        out->families = direct_families(flat, families, n_families, arena);
        out->n_families = n_families;
        ok = out->families != NULL;
    }
    if (ok && n_families > 0) {
        uint32_t *row_of = ARENA_ARRAY(&work, uint32_t, flat->vars.n);
        memset(row_of, 0xff, flat->vars.n * sizeof *row_of);
        for (uint32_t i = 0; i < n; i++) row_of[out->computes[i]] = i;
        needs = family_graph(&(FamilySystem){ flat, out->families, n_families, &needs, system->equations,
                                              row_of },
                             &work);
    }
    if (ok) {
        const Strong components = strong_find(&needs, &work);
        ok = families_are_free(flat, &components, n, out->families);
        if (ok) ok = block_make(out, &flat->pool, system, match, &components, arena, diag);
    }
    arena_free(&work);
    return ok;
}

static void find_states(Blocks *blocks, Arena *arena)
{
    const Flat *flat = blocks->flat;
    for (size_t v = 0; v < flat->vars.n; v++) blocks->n_states += structure_is_state(&flat->vars.items[v]);
    blocks->states = ARENA_ARRAY(arena, uint32_t, blocks->n_states);
    blocks->rates = ARENA_ARRAY(arena, uint32_t, blocks->n_states);

    // x before x': begin with those that are not a derivative themselves
    uint32_t n = 0;
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        if (flat->vars.items[v].integral != FLAT_NONE) continue;
        for (uint32_t x = v; x != FLAT_NONE && structure_is_state(&flat->vars.items[x]);) {
            blocks->states[n] = x;
            x = blocks->rates[n++] = flat->vars.items[x].derivative;
        }
    }
}

static void find_state_arrays(Blocks *blocks, Arena *arena)
{
    const Flat *flat = blocks->flat;
    blocks->state_arrays = ARENA_ARRAY(arena, uint32_t, flat->arrays.n);
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        if (flat->arrays.items[a].integral != FLAT_NONE) continue;
        for (uint32_t x = a; x != FLAT_NONE && flat_array_is_state(&flat->arrays.items[x]);
             x = flat->arrays.items[x].derivative)
            blocks->state_arrays[blocks->n_state_arrays++] = x;
    }
}

// Before the model is changed it is saved in `base`. Dependent equations are noted in `found` unless that is
// NULL.
static bool sort_once(Blocks *blocks, Flat *flat, CombineBase *base, Combinations *found, Arena *arena,
                      orr_diag *diag)
{
    Arena work = { 0 };
    System system = structure_dynamic(flat, &work);
    Match match = match_system(&system, &work);
    bool ok = true;
    if (!is_perfect(&system, &match) && flat->arrays.n > 0) {    // constraints and mistakes are a matter of
                                                                 // scalars
        family_mark_all(flat);
        ok = false;
    } else if (!is_perfect(&system, &match)) {
        combine_save(base, flat);
        ok = reduce_index(blocks, flat, &system, &match, arena, diag);
        if (ok) {
            system = structure_dynamic(flat, &work);
            match = match_system(&system, &work);
            ok = is_perfect(&system, &match);
            if (!ok) diagnose_dynamic(&system, &match, NULL, NULL, diag);
        }
    }
    find_states(blocks, arena);
    system.combined = found;
    if (ok)
        ok = sort_system(&blocks->dynamic, flat, &system, &match, flat->families.items,
                         (uint32_t)flat->families.n, arena, diag);
    arena_free(&work);
    return ok;
}

static bool begin_sorting(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag)
{
    *blocks = (Blocks){ .flat = flat };
    find_state_arrays(blocks, arena);
    blocks->params = params_order(flat, &blocks->n_params, arena, diag);
    return blocks->params != NULL;
}

enum { ROUNDS_MAX = 100 };

// Equations that depend on each other are combined, and the model is sorted again. If that leads nowhere, the
// messages speak of the model as written.
static bool sort_dynamic(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag)
{
    Arena work = { 0 };
    const DiagMark messages = diag_mark(diag);
    CombineBase base = { .arena = &work }, written = { 0 };
    Combinations found = { .arena = &work };
    bool ok = sort_once(blocks, flat, &base, &found, arena, diag);
    const bool is_combined = found.items.n > 0;
    for (uint32_t round = 0; !ok && found.items.n > 0 && round < ROUNDS_MAX; round++) {
        combine_save(&base, flat);
        if (round == 0) written = combine_copy(&base);
        if (!combine_apply(flat, &base, blocks->reduction, &found)) break;
        diag_rewind(diag, &messages);
        found.items.n = 0;
        ok = begin_sorting(blocks, flat, arena, diag)
             && sort_once(blocks, flat, &base, &found, arena, diag);
    }
    if (!ok && is_combined) {
        diag_rewind(diag, &messages);
        combine_restore(flat, &written);
        ok = begin_sorting(blocks, flat, arena, diag) && sort_once(blocks, flat, &base, NULL, arena, diag);
    }
    arena_free(&work);
    return ok;
}

// Parameters without a value that no initial equation determines must be given for each run.
static void find_required(Blocks *blocks, const bool *is_given, Arena *arena)
{
    blocks->required = ARENA_ARRAY(arena, uint32_t, blocks->n_params);
    for (uint32_t i = 0; i < blocks->n_params; i++) {
        const FlatVar *p = &blocks->flat->vars.items[blocks->params[i]];
        if (is_given[blocks->params[i]] || (p->kind == FLAT_INPUT && p->start == EXPR_NONE))
            blocks->required[blocks->n_required++] = blocks->params[i];
    }
}

// No array of parameters reads one that is unknown until the start?
static bool arrays_are_known(const Flat *flat, const Start *start)
{
    Arena scratch = { 0 };
    bool ok = true;
    for (size_t a = 0; a < flat->arrays.n; a++) {
        const FlatArray *array = &flat->arrays.items[a];
        if (array->kind != FLAT_PARAM || array->start == EXPR_NONE) continue;
        size_t n;
        const uint32_t *variables = expr_variables(&flat->pool, array->start, &scratch, &n);
        for (size_t i = 0; i < n; i++) ok = ok && start->system.column_of[variables[i]] == FLAT_NONE;
    }
    arena_free(&scratch);
    return ok;
}

static bool sort_start(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag)
{
    Arena work = { 0 };
    bool *is_given = ARENA_ARRAY(&work, bool, flat->vars.n), *is_dropped = NULL, any = false;
    Start start = start_build(flat, blocks, NULL, NULL, &work);
    if (blocks->reduction) {
        double *values = reduce_defaults(flat, blocks->params, blocks->n_params, &work);
        is_dropped = given_select(blocks->reduction, &start, values, arena);
        start = start_build(flat, blocks, NULL, is_dropped, &work);
    }
    Match match = match_system(&start.system, &work);
    for (uint32_t j = start.system.n_first; j < start.system.rows.n_columns; j++) {
        if (match.row_of[j] != INCIDENCE_NONE) continue;
        is_given[start.system.unknowns[j]] = any = true;
    }
    if (any) {
        start = start_build(flat, blocks, is_given, is_dropped, &work);
        match = match_system(&start.system, &work);
    }
    find_required(blocks, is_given, arena);

    bool ok = is_perfect(&start.system, &match);
    if (flat->arrays.n > 0 && (!ok || !arrays_are_known(flat, &start))) {
        family_mark_all(flat);
        arena_free(&work);
        return false;
    }
    if (ok) {
        const size_t n = start.system.rows.n_rows;
        FlatEquation *equations = ARENA_ARRAY(arena, FlatEquation, n);
        if (n > 0) memcpy(equations, start.system.equations, n * sizeof *equations);
        start.system.equations = equations;
        ok = sort_system(&blocks->start, flat, &start.system, &match, start.families, start.n_families, arena,
                         diag);
    } else {
        diagnose_start(&start, &match, diag);
    }
    arena_free(&work);
    return ok;
}

// A value given for a variable that is computed without it would be ignored silently.
static void warn_unused_guesses(const Blocks *blocks, orr_diag *diag)
{
    const Flat *flat = blocks->flat;
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        const FlatVar *x = &flat->vars.items[v];
        if (!structure_is_unknown(x) || x->start == EXPR_NONE || x->start_is_guess) continue;
        // checked against the result
        if (blocks->reduction && blocks->reduction->had_derivative[v]) continue;
        bool is_used = false;
        const Ordered *systems[2] = { &blocks->dynamic, &blocks->start };
        for (int s = 0; s < 2; s++) {
            const Block *block = &systems[s]->blocks[systems[s]->block_of[v]];
            for (uint32_t k = 0; block->kind == BLOCK_NEWTON && k < block->n_torn; k++)
                is_used = is_used || block->unknowns[k] == v;
        }
        if (is_used) continue;
        diag_report(diag, DIAG_GUESS_UNUSED, x->place, x->name);
        diag_hint(diag, "remove the value; an initial value is given to a state");
    }
    for (size_t i = 0; i < flat->arrays.n; i++) {
        const FlatArray *a = &flat->arrays.items[i];
        if (!flat_array_is_unknown(a) || a->start == EXPR_NONE || a->start_is_guess) continue;
        diag_report(diag, DIAG_GUESS_UNUSED, a->place, a->name);
        diag_hint(diag, "remove the value; an initial value is given to a state");
    }
}

// Events assign discrete variables, and states: what an equation computes would be computed again at once.
static bool check_targets(const Blocks *blocks, orr_diag *diag)
{
    const Flat *flat = blocks->flat;
    Arena work = { 0 };
    bool *is_state = ARENA_ARRAY(&work, bool, flat->vars.n), ok = true;
    for (uint32_t i = 0; i < blocks->n_states; i++) is_state[blocks->states[i]] = true;
    for (size_t i = 0; i < flat->actions.n; i++) {
        const FlatAction *action = &flat->actions.items[i];
        const FlatVar *v = &flat->vars.items[action->target];
        if (v->kind == FLAT_DISCRETE || is_state[action->target]) continue;
        const bool had = blocks->reduction && blocks->reduction->had_derivative[action->target];
        diag_report(diag, DIAG_EVENT_TARGET, action->place, v->name,
                    had ? "computed from the constraints" : "computed by an equation");
        diag_hint(diag, "states and discrete variables can be assigned");
        ok = false;
    }
    arena_free(&work);
    return ok;
}

bool order_sort(Blocks *blocks, Flat *flat, Arena *arena, orr_diag *diag)
{
    if (flat->arrays.n > 0 && !family_covers(flat)) {
        *blocks = (Blocks){ .flat = flat };
        return false;
    }
    if (!begin_sorting(blocks, flat, arena, diag)) return false;
    if (!sort_dynamic(blocks, flat, arena, diag) || !sort_start(blocks, flat, arena, diag)) return false;
    warn_unused_guesses(blocks, diag);
    return check_targets(blocks, diag);
}

bool order_refuse_loops(const Blocks *blocks, orr_diag *diag)
{
    const Ordered *system = &blocks->dynamic;
    for (uint32_t k = 0; k < system->n_loops; k++)
        diagnose_loop(blocks->flat, system, &system->loops[k], diag);
    return system->n_loops == 0;
}

const char *order_times_text(uint32_t times, char buffer[32])
{
    if (times == 1) return "once";
    if (times == 2) return "twice";
    snprintf(buffer, 32, "%u times", times);
    return buffer;
}

const char *order_method_text(const Loop *loop)
{
    switch (loop->method) {
    case LOOP_SYMBOLIC: return "linear, solved symbolically";
    case LOOP_LU:       return "linear, solved by elimination with pivots";
    case LOOP_NEWTON:   return loop->n > 1 ? "non-linear, solved by tearing and Newton's method"
                                           : "non-linear, solved by Newton's method";
    case LOOP_SOLVER:
        return loop->is_linear ? "linear, left to the solver" : "non-linear, left to the solver";
    }
    return "";
}
