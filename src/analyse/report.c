// src/analyse/report.c: what `orrery check` tells of a compiled model: states, order of evaluation, loops.
#include "base/diag.h"
#include "island/island.h"
#include "model/model.h"
#include "orrery/analyse.h"
#include "solve/solver.h"
#include <math.h>
#include <string.h>

typedef struct Report {
    const orr_model *model;
    orr_run         *start;    // stands at the initial values; NULL if there are none
    const orr_diag  *diag;     // for line numbers
    ExprNames        names;
    FILE            *out;
    orr_structure    structure;
    const char      *here;     // the file of the model
} Report;

static void print_equation(const Report *r, const FlatEquation *e)
{
    const ExprPool *pool = &r->model->flat.pool;
    expr_print(pool, e->lhs, &r->names, r->out);
    fputs(" = ", r->out);
    expr_print(pool, e->rhs, &r->names, r->out);
}

static void print_line(const Report *r, Place place)
{
    const size_t line = diag_line(r->diag, place);
    const char *path = place.file == r->model->flat.place.file ? NULL : diag_path(r->diag, place.file);
    if (line && path) fprintf(r->out, "    (%s, line %zu)", path, line);    // of a file that is used
    else if (line) fprintf(r->out, "    (line %zu)", line);
    fputc('\n', r->out);
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

// ---------------------------------------------------------------------------------------------- states

// What a state is a slot of; choice NULL if it is a variable of the model.
typedef struct Slot {
    const Choice *choice;
    uint32_t      order, slot;
} Slot;

static Slot *find_slots(const Report *r, Arena *arena)
{
    const Reduction *reduction = r->model->blocks.reduction;
    Slot *slots = ARENA_ARRAY(arena, Slot, r->model->flat.vars.n);
    for (uint32_t i = 0; reduction && i < reduction->n_choices; i++) {
        const Choice *choice = &reduction->choices[i];
        for (uint32_t k = 0; k < choice->n_orders * choice->n_slots; k++)
            slots[choice->slots[k]] = (Slot){ choice, k / choice->n_slots, k % choice->n_slots };
    }
    return slots;
}

// "one of x, y, chosen while running; at the start y"
static void report_slot(const Report *r, const Slot *of)
{
    const Choice *choice = of->choice;
    const uint32_t order = of->order, slot = of->slot;
    const FlatVar *vars = r->model->flat.vars.items;
    const uint32_t *variables = choice->variables + (size_t)order * choice->n_columns;
    fputs("  one of ", r->out);
    for (uint32_t j = 0; j < choice->n_columns; j++)
        fprintf(r->out, "%s%s", j ? ", " : "", vars[variables[j]].name);
    fputs(", chosen while running", r->out);
    for (uint32_t j = 0; r->start && j < choice->n_columns; j++)
        if (orr_run_value(r->start, choice->params[slot * choice->n_columns + j]) != 0)
            fprintf(r->out, "; at the start %s", vars[variables[j]].name);
    fputc('\n', r->out);
}

// "= 0 [m]    doc"
static void report_details(const Report *r, Expr start, bool is_guess, const char *unit, const char *doc)
{
    if (start != EXPR_NONE) {
        fputs(is_guess ? " ~ " : " = ", r->out);
        expr_print(&r->model->flat.pool, start, &r->names, r->out);
    }
    if (unit) fprintf(r->out, " [%s]", unit);
    if (doc) fprintf(r->out, "    %s", doc);
    fputc('\n', r->out);
}

static void report_state_arrays(const Report *r)
{
    const Blocks *blocks = &r->model->blocks;
    for (uint32_t i = 0; i < blocks->n_state_arrays; i++) {
        const FlatArray *a = &r->model->flat.arrays.items[blocks->state_arrays[i]];
        const int n = (int)(strlen(a->name) - a->n_primes);
        fprintf(r->out, "  %.*s", n, a->name);
        for (uint32_t k = 0; k < a->n_sizes; k++) fprintf(r->out, "%c1..%u", k ? ',' : '[', a->sizes[k]);
        fprintf(r->out, "]%s", a->name + n);
        report_details(r, a->start, a->start_is_guess, a->unit, a->doc);
    }
}

static void report_states(const Report *r)
{
    const Blocks *blocks = &r->model->blocks;
    if (blocks->n_states + blocks->n_state_arrays == 0) return;
    Arena work = { 0 };
    const Slot *slots = find_slots(r, &work);
    fprintf(r->out, "\nStates, integrated by the solver:\n");
    for (uint32_t i = 0; i < blocks->n_states - blocks->n_implicit; i++) {
        const FlatVar *x = &r->model->flat.vars.items[blocks->states[i]];
        if (slots[blocks->states[i]].choice) {
            report_slot(r, &slots[blocks->states[i]]);
            continue;
        }
        fprintf(r->out, "  %s", x->name);
        report_details(r, x->start, x->start_is_guess, x->unit, x->doc);
    }
    report_state_arrays(r);
    arena_free(&work);
}

// What --set and `set` can change, with their values at the start.
static void report_parameters(const Report *r)
{
    enum { SHOWN = 40 };
    size_t n = 0;
    for (size_t i = 0; i < r->model->flat.vars.n; i++) {
        const orr_variable v = orr_model_variable(r->model, i);
        const FlatVar *var = &r->model->flat.vars.items[i];
        if (v.is_hidden || (v.kind != ORR_KIND_PARAM && v.kind != ORR_KIND_INPUT)) continue;
        if (n++ == 0) fprintf(r->out, "\nParameters and inputs, given by --set or 'set':\n");
        if (n > SHOWN) continue;
        fprintf(r->out, "  %s", v.name);
        if (r->start) fprintf(r->out, " = %.10g", orr_run_value(r->start, i));
        report_details(r, EXPR_NONE, false, v.unit, var->doc);
    }
    if (n > SHOWN) fprintf(r->out, "  … and %zu more\n", n - SHOWN);
}

// ---------------------------------------------------------------------------------------------- constraints

enum { NAMES_SHOWN = 20 };

static void report_reduction(const Report *r)
{
    const Reduction *reduction = r->model->blocks.reduction;
    if (!reduction) return;
    const uint32_t n = reduction->n_written;
    char buffer[32];
    Arena work = { 0 };
    uint32_t *most = ARENA_ARRAY(&work, uint32_t, n);
    for (uint32_t i = 0; i < n + reduction->n_derived; i++)
        if (reduction->order[i] > most[reduction->root[i]]) most[reduction->root[i]] = reduction->order[i];
    fprintf(r->out, "\nIndex %u: equations that tie states together were differentiated\n", reduction->index);
    for (uint32_t i = 0; i < n; i++) {
        if (most[i] == 0) continue;
        fprintf(r->out, "  %-7s  ", order_times_text(most[i], buffer));
        print_equation(r, &r->model->flat.equations.items[i]);
        print_line(r, r->model->flat.equations.items[i].place);
    }
    arena_free(&work);
    if (reduction->n_dependents == 0) return;
    fputs("Computed by them, and so no states:", r->out);
    for (uint32_t k = 0; k < reduction->n_dependents && k <= NAMES_SHOWN; k++) {
        const FlatVar *x = &r->model->flat.vars.items[reduction->dependents[k]];
        if (k == NAMES_SHOWN) fprintf(r->out, " and %u more", reduction->n_dependents - k);
        else fprintf(r->out, "%s %s", k ? "," : "", x->name);
    }
    fputc('\n', r->out);
}

// ---------------------------------------------------------------------------------------------- order, loops

static void print_written(const Report *r, const orr_equation *e)
{
    const bool is_here = e->place.file && strcmp(e->place.file, r->here) == 0;
    fputs(e->text, r->out);
    if (e->place.line && !is_here) fprintf(r->out, "    (%s, line %zu)", e->place.file, e->place.line);
    else if (e->place.line) fprintf(r->out, "    (line %zu)", e->place.line);
    fputc('\n', r->out);
}

static void report_order(const Report *r)
{
    const orr_structure *s = &r->structure;
    if (s->n_order) fprintf(r->out, "\nOrder of evaluation:\n");
    for (size_t k = 0; k < s->n_order; k++) {
        const orr_turn *turn = &s->order[k];
        fprintf(r->out, "%4zu  ", k + 1);
        if (turn->loop == (size_t)-1) {
            print_written(r, &turn->equation);
            continue;
        }
        const orr_loop *loop = &s->loops[turn->loop];
        fprintf(r->out, "loop %zu: ", turn->loop + 1);
        for (size_t i = 0; i < loop->n; i++)
            fprintf(r->out, "%s%s", i ? ", " : "", orr_model_variable(r->model, loop->variables[i]).name);
        fputs(" together\n", r->out);
    }
}

static void report_loops(const Report *r)
{
    for (size_t k = 0; k < r->structure.n_loops; k++) {
        const orr_loop *loop = &r->structure.loops[k];
        fprintf(r->out, "\nLoop %zu: %zu equation%s, %s", k + 1, loop->n, plural(loop->n), loop->method);
        if (!isnan(loop->condition)) fprintf(r->out, ", condition number %.3g", loop->condition);
        fputc('\n', r->out);
        for (size_t i = 0; i < loop->n; i++) {
            fputs("       ", r->out);
            print_written(r, &loop->equations[i]);
        }
        for (size_t i = 0; i < loop->n_iterated; i++)
            fprintf(r->out, "%s %s, first guess %s%s", i ? "," : "       iterates on",
                    orr_model_variable(r->model, loop->iterated[i]).name,
                    loop->guesses[i] ? loop->guesses[i] : "0 (none given; write var … ~ value)",
                    i + 1 == loop->n_iterated ? "\n" : "");
    }
}

// ---------------------------------------------------------------------------------------------- units

static void report_units(const Report *r)
{
    const Units *units = r->model->flat.units;
    const char *name, *unit;
    UnitLink link;
    if (units_inferred(units, 0, &name, &unit)) fprintf(r->out, "\nUnits that follow from those declared:\n");
    for (size_t i = 0; units_inferred(units, i, &name, &unit); i++)
        fprintf(r->out, "  %s [%s]\n", name, unit);
    if (units_converted(units, 0, &link)) fprintf(r->out, "\nConverted where they are handed over:\n");
    for (size_t i = 0; units_converted(units, i, &link); i++) {
        fprintf(r->out, "  %s from [%s] to [%s]", link.name, link.from, link.to);
        print_line(r, link.place);
    }
}

static void report_relations(const Report *r)
{
    if (r->structure.n_relations) fprintf(r->out, "\nRelations, fixed between events:\n");
    for (size_t i = 0; i < r->structure.n_relations; i++) {
        fputs("  ", r->out);
        print_written(r, &r->structure.relations[i]);
    }
}

// ---------------------------------------------------------------------------------------------- network

enum { COUPLINGS_SHOWN = 40 };

static void report_components(const Report *r)
{
    const Flat *flat = &r->model->flat;
    size_t n = 0;
    for (size_t i = 0; i < flat->parts.n; i++) n += flat->parts.items[i].n;
    if (n == 0) return;
    fprintf(r->out, "\nComponents with events of their own, %zu:\n", n);
    for (size_t i = 0; i < flat->parts.n; i++) {
        const FlatPart *part = &flat->parts.items[i];
        fprintf(r->out, "  %s", part->name);
        for (uint32_t k = 0; k < part->n_sizes; k++) fprintf(r->out, "%c%u", k ? ',' : '[', part->sizes[k]);
        fprintf(r->out, "%s : %s", part->n_sizes ? "]" : "", part->type);
        print_line(r, part->place);
    }
}

static void report_couplings(const Report *r)
{
    const Network *net = r->model->network;
    const Flat *flat = net->flat;
    Arena work = { 0 };
    const size_t n = flat->couplings.n;
    if (n > 0) fprintf(r->out, "\nArrows that messages follow, %zu:\n", n);
    for (size_t i = 0; i < n && i < COUPLINGS_SHOWN; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        fprintf(r->out, "  %s -> %s", net_port_name(net, c->from, c->from_member, &work),
                net_port_name(net, c->to, c->to_member, &work));
        const FlatPortKind kind = flat->ports.items[c->to].kind;
        if (kind == FLAT_PORT_HOLD) fputs(", which holds the last one", r->out);
        if (kind == FLAT_PORT_COUNT) fputs(", an input of a machine", r->out);
        if (kind == FLAT_PORT_PERTURB) fputs(", which it perturbs", r->out);
        print_line(r, c->place);
    }
    if (n > COUPLINGS_SHOWN) fprintf(r->out, "  … and %zu more\n", n - COUPLINGS_SHOWN);
    arena_free(&work);
}

// Ports that no arrow touches are worth a word: they may have been forgotten.
static void report_open(const Report *r)
{
    const Flat *flat = &r->model->flat;
    Arena work = { 0 };
    bool *touched = ARENA_ARRAY(&work, bool, flat->ports.n);
    for (size_t i = 0; i < flat->couplings.n; i++)
        touched[flat->couplings.items[i].from] = touched[flat->couplings.items[i].to] = true;
    size_t n = 0;
    for (size_t i = 0; i < flat->ports.n; i++) {
        if (touched[i]) continue;
        if (n < COUPLINGS_SHOWN)
            fprintf(r->out, "%s%s", n ? ", " : "\nNot connected: ", flat->ports.items[i].name);
        n++;
    }
    if (n > 0) fputs(n > COUPLINGS_SHOWN ? ", …\n" : "\n", r->out);
    arena_free(&work);
}

static void report_network(const Report *r)
{
    if (!r->model->network) return;
    report_components(r);
    report_couplings(r);
    report_open(r);
}

static void report_island_reads(const Isles *isles, uint32_t to, FILE *out)
{
    const char *before = "; reads";
    for (uint32_t k = 0; k < isles->n_couplings; k++) {
        const IsleCoupling *c = &isles->couplings[k];
        if (c->to != to) continue;
        if (c->from == ISLE_MAIN) fprintf(out, "%s %s of the model around", before, c->input);
        else fprintf(out, "%s %s from %s.%s", before, c->input, isles->items[c->from].name, c->output);
        before = ",";
    }
}

// As far as they are numbers; those computed from parameters as they are written.
static void report_island_options(const Flat *flat, const Isle *isle, FILE *out)
{
    static const char *const words[] = { [ISLE_STEP] = " step ",
                                         [ISLE_QUANTUM] = " quantum ",
                                         [ISLE_PERIOD] = ", tells every ",
                                         [ISLE_STATE_QUANTUM] = " quantum " };
    const ExprNames names = flat_names(flat);
    for (uint32_t i = 0; i < isle->n_own; i++) {
        const IsleOption *option = &isle->own[i];
        if (!words[option->kind]) continue;
        fputs(words[option->kind], out);
        if (option->kind == ISLE_STATE_QUANTUM) fprintf(out, "%s = ", option->name);
        expr_print(&flat->pool, option->value, &names, out);
    }
}

static void report_islands(const Report *r)
{
    const orr_model *model = r->model;
    FILE *out = r->out;
    const Isles *isles = model->isles;
    if (!isles) return;
    fprintf(out, "\nIslands, each with a solver of its own:\n");
    for (uint32_t i = 0; i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        const orr_run_options *o = &isle->options.run;
        const Solver *solver = isle->has_solver ? solver_find(o->solver) : NULL;
        fprintf(out, "  %s : %s, %s", isle->name, orr_model_name(isle->model),
                isle->has_solver ? o->solver : "the run's solver");
        report_island_options(&model->flat, isle, out);
        report_island_reads(isles, i, out);
        fputc('\n', out);
        const bool is_held = isle->n_inputs > 0 && !isle->options.expect_gradients && solver &&
                             !solver->is_quantised;
        if (is_held && solver->order != 1)
            fprintf(
                out,
                "    what it reads is held between two messages: with %s the whole is of first order only\n",
                solver->name);
    }
}

void orr_model_report(const orr_model *model, FILE *out, bool explain, const orr_diag *diag)
{
    const orr_model_facts facts = orr_model_get_facts(model);
    fprintf(out, "%s: %zu state%s, %zu equation%s, %zu algebraic loop%s, %zu relation%s\n",
            orr_model_name(model), facts.n_states, plural(facts.n_states), facts.n_equations,
            plural(facts.n_equations), facts.n_loops, plural(facts.n_loops), facts.n_relations,
            plural(facts.n_relations));

    // values at the start are a bonus: a model that cannot start can still be sorted
    orr_diag *aside = orr_diag_create();
    const orr_run_options options = orr_run_options_default();
    Report r = { .model = model, .start = orr_run_create(model, &options, aside), .diag = diag,
                 .names = flat_names(&model->flat), .out = out };
    r.structure = orr_model_structure(model, diag);
    r.here = diag_path(diag, model->flat.place.file);
    if (!r.here) r.here = "";
    report_states(&r);
    report_parameters(&r);
    report_reduction(&r);
    report_order(&r);
    report_loops(&r);
    report_relations(&r);
    report_network(&r);
    report_units(&r);
    report_islands(&r);
    if (explain) {
        fputc('\n', out);
        order_explain(&model->blocks, out);
    }
    orr_structure_free(&r.structure);
    orr_run_destroy(r.start);
    orr_diag_destroy(aside);
}
