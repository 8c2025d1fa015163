// src/run/choose.c: which variables the states are, where constraints tie several of them together.
//
// At the end of each step the derivatives of the constraints tell how strongly the variables that are
// computed depend on those that are states (num/pick.h). Once that is too strong, the states become other
// variables: the slots (Choice in order/blocks.h) take their values, and the solver begins anew. As with
// events, this waits until the next step, since what is read inside the last one still means the old states.
// Nothing the user sees jumps.
#include "base/diag.h"
#include "num/pick.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <string.h>

// How strongly a computed variable may depend on a state before they change places: between 1, where they
// would do so all the time, and what costs digits.
#define PATIENCE 2.0

typedef struct Choosing {
    uint32_t *free;          // [slots of all choices] the column each slot is
    uint32_t *wanted;        // the same, to be taken at the next step
    double   *entries;       // [entries of all choices]
    double   *matrix;        // [of the largest]
    double   *scratch;
    size_t    n_slots;
} Choosing;

static const Reduction *reduction_of(const orr_run *run) { return run->model->blocks.reduction; }

void choose_init(orr_run *run)
{
    const Reduction *r = reduction_of(run);
    if (!r || r->n_choices == 0) return;
    Choosing *c = run->choosing = ARENA_NEW(&run->arena, Choosing);
    size_t n_entries = 0, largest = 0, scratch = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        const size_t size = (size_t)choice->n_rows * choice->n_columns;
        const size_t needs = PICK_SCRATCH((size_t)choice->n_rows, (size_t)choice->n_columns);
        n_entries += choice->n_entries;
        c->n_slots += choice->n_slots;
        if (size > largest) largest = size;
        if (needs > scratch) scratch = needs;
    }
    c->free = ARENA_ARRAY(&run->arena, uint32_t, c->n_slots);
    c->wanted = ARENA_ARRAY(&run->arena, uint32_t, c->n_slots);
    c->entries = ARENA_ARRAY(&run->arena, double, n_entries);
    c->matrix = ARENA_ARRAY(&run->arena, double, largest);
    c->scratch = ARENA_ARRAY(&run->arena, double, scratch);
}

// The parameters in v say which variable each slot is: so a copy of v is all there is to remember.
static void read_slots(const orr_run *run, const Choice *choice, uint32_t *free)
{
    const double *v = run->island.env.v;
    const uint32_t *place = run->model->ir.layout.place;
    for (uint32_t s = 0; s < choice->n_slots; s++)
        for (uint32_t j = 0; j < choice->n_columns; j++)
            if (v[place[choice->params[s * choice->n_columns + j]]] != 0) free[s] = j;
}

static void write_slots(orr_run *run, const Choice *choice, const uint32_t *free)
{
    Island *island = &run->island;
    const IrLayout *layout = &run->model->ir.layout;
    double *v = island->env.v;
    const uint32_t m = choice->n_columns, n = choice->n_slots;
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t j = 0; j < m; j++) v[layout->place[choice->params[s * m + j]]] = j == free[s];
        for (uint32_t o = 0; o + 1 < choice->n_orders; o++)
            island->x[layout->state_of[choice->slots[o * n + s]]] =
                v[layout->place[choice->variables[o * m + free[s]]]];
    }
}

// Look at all choices by the derivatives in `entries`; what would be better goes to `wanted`. False if the
// constraints of one are not independent here: then *bad is it, and its slots stay.
static bool improve(orr_run *run, double patience, bool *changed, const Choice **bad)
{
    const Reduction *r = reduction_of(run);
    Choosing *c = run->choosing;
    const double *entries = c->entries;
    uint32_t *free = c->free, *wanted = c->wanted;
    bool ok = true;
    *changed = false;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        const size_t m = choice->n_columns;
        memset(c->matrix, 0, choice->n_rows * m * sizeof *c->matrix);
        for (uint32_t e = 0; e < choice->n_entries; e++)
            c->matrix[choice->entries[e].row * m + choice->entries[e].column] = entries[e];
        read_slots(run, choice, free);
        memcpy(wanted, free, choice->n_slots * sizeof *wanted);
        const Pick pick = { choice->n_rows, m, c->matrix, choice->weights };
        bool other = false;
        if (!island_is_finite(entries, choice->n_entries)
            || !pick_improve(&pick, wanted, patience, c->scratch, &other, NULL)) {
            memcpy(wanted, free, choice->n_slots * sizeof *wanted);
            other = ok = false;
            if (bad) *bad = choice;
        }
        *changed = *changed || other;
        entries += choice->n_entries;
        free += choice->n_slots;
        wanted += choice->n_slots;
    }
    return ok;
}

static void write_wanted(orr_run *run)
{
    const Reduction *r = reduction_of(run);
    const uint32_t *wanted = run->choosing->wanted;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        write_slots(run, &r->choices[i], wanted);
        wanted += r->choices[i].n_slots;
    }
}

// ---- At the start

static double value_of(const void *context, uint32_t variable)
{
    const orr_run *run = context;
    return run->island.env.v[run->model->ir.layout.place[variable]];
}
static double mode_of(const void *context, uint32_t relation)
{
    const orr_run *run = context;
    return island_modes(&run->island)[relation];
}

// From the variables in v, without the states: they are what is to be found.
static void evaluate_entries(orr_run *run, double t)
{
    const Reduction *r = reduction_of(run);
    const ExprValues values = { .variable = value_of, .mode = mode_of, .context = run, .t = t };
    double *entries = run->choosing->entries;
    for (uint32_t i = 0; i < r->n_choices; i++)
        for (uint32_t e = 0; e < r->choices[i].n_entries; e++)
            *entries++ = expr_evaluate(&run->model->flat.pool, r->choices[i].entries[e].value, &values);
}

int choose_start(orr_run *run)
{
    Island *island = &run->island;
    bool changed;
    evaluate_entries(run, island->t);
    improve(run, 1, &changed, NULL);
    write_wanted(run);
    const int failed = code_call(&run->model->code, IR_VALUES, island->t, island->x, &island->env, NULL);
    if (!failed) run_guess_from_values(run);
    return failed;
}

// ---- While running

// At the end of a step: would others be better?
static void look(orr_run *run, Island *island)
{
    bool changed = false;
    double *entries = run->choosing->entries;
    if (code_call(&run->model->code, IR_CHOICES, island->t, island->x, &island->env, entries) == 0)
        improve(run, PATIENCE, &changed, NULL);
    island->choice_waits = changed;
}

static void switch_states(orr_run *run, Island *island)
{
    island->choice_waits = false;
    if (code_call(&run->model->code, IR_VALUES, island->t, island->x, &island->env, NULL) != 0) return;
    write_wanted(run);
    run_guess_from_values(run);
    run->n_switches++;
    island->values_valid = false;

    // the states are other ones, but time goes on as it did: the grid stays
    const double t_start = island->t_start;
    const long k = island->k;
    if (island->solver->restart) island->solver->restart(island);
    island->t_start = t_start;
    island->k = k;
    island->t_before = island->t;
}

void run_choose(Island *island, bool now)
{
    orr_run *run = island->host;
    if (!run->choosing) return;
    if (now) switch_states(run, island);
    else look(run, island);
}

bool choose_report(orr_run *run, double t)
{
    if (!run->choosing) return false;
    const orr_model *model = run->model;
    const Choice *bad = NULL;
    bool changed;
    evaluate_entries(run, t);
    if (improve(run, 1, &changed, &bad) || !bad) return false;
    StrBuf names = { 0 };
    for (uint32_t j = 0; j < bad->n_columns && j < 6; j++)
        str_addf(&names, "%s'%s'", j == 0 ? "" : ", ", model->flat.vars.items[bad->variables[j]].name);
    if (bad->n_columns > 6) str_add(&names, ", …");
    const FlatEquation *equations = model->flat.equations.items;
    diag_report(run->diag, DIAG_CONSTRAINTS_DEPENDENT_NOW,
                run_place(model, run->diag, equations[bad->equations[0]].place), names.p, t);
    diag_hint(run->diag,
              "where they meet at these values they do not say how the model moves on: "
              "start elsewhere, or remove a constraint that says nothing new");
    for (uint32_t i = 1; i < bad->n_rows && i < 6; i++)
        diag_note(run->diag, run_place(model, run->diag, equations[bad->equations[i]].place),
                  "together with this constraint");
    str_free(&names);
    return true;
}

void choose_pass(orr_run *run, RunSaved *saved)
{
    Choosing *c = run->choosing;
    if (!c) return;
    const Reduction *r = reduction_of(run);
    for (uint32_t i = 0, slot = 0; i < r->n_choices; i++)
        for (uint32_t k = 0; k < r->choices[i].n_slots; k++, slot++) {
            saved_index(saved, &c->free[slot], r->choices[i].n_columns);
            saved_index(saved, &c->wanted[slot], r->choices[i].n_columns);
        }
}
