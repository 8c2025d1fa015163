// src/exp/experiment.c: an experiment as written becomes numbers and names.
#include "base/diag.h"
#include "base/os.h"
#include "exp/bind.h"
#include "exp/kind.h"
#include "front/front.h"
#include "lang/parse.h"
#include "num/distribution.h"
#include "orrery/experiment.h"
#include "solve/solver.h"
#include "source/source.h"
#include "units/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

orr_experiment orr_experiment_default(void)
{
    return (orr_experiment){ .name = "", .until = NAN, .run = orr_run_options_default() };
}

// ---------------------------------------------------------------------------------------------- constants

typedef struct Reader {
    Arena        *arena;       // of the source
    Arena         work;
    const char   *name;        // of the experiment, for messages
    orr_diag     *diag;
    bool          failed;
    bool          may_be_infinite;    // the number under way
    VEC(orr_written) written;  // where names stand, in `work`
    VEC(AstItem)  also;        // what the experiment adds to the model, in `arena`
    VEC(orr_data) data;        // likewise
    const orr_source *source;
    const orr_measurement *observed;    // [n_observed] that have been read
    size_t        n_observed;
    const char   *path;        // the latest, in the arena
    uint32_t      path_file;

    // what a number with a unit is converted to
    const Ast    *ast;
    const AstModel *model;
    enum { NEEDS_NO_UNIT, NEEDS_TIME, NEEDS_REF, NEEDS_TEXT } needs;
    const AstRef *ref;         // NEEDS_REF: the unit of this variable
    const char   *text;        // NEEDS_TEXT: this unit
    bool          is_difference;
    Units        *units;       // of the model with `n_units_also` of what is added; NULL: not found yet
    size_t        n_units_also;
} Reader;

static double evaluate(Reader *r, const AstExpr *e);
static const char *printed(Reader *r, const AstObserve *o, const AstExpr *e);

static double fail(Reader *r)
{
    r->failed = true;
    return NAN;
}

// What is wrong with the units of the model is reported when it is compiled.
static void find_units(Reader *r)
{
    if (r->units && r->n_units_also == r->also.n) return;
    const AstModel *model = r->model;
    if (r->also.n) model = ast_model_with(&r->work, model, r->also.items, r->also.n);
    units_check(&r->units, r->ast, model, &r->work, NULL);
    r->n_units_also = r->also.n;
}

// The unit in which the value is needed; NULL after a message.
static const char *needed_unit(Reader *r, const AstExpr *e, const char *given)
{
    const char *unit = NULL;
    if (r->needs == NEEDS_TEXT) return r->text;
    if (r->model && r->needs == NEEDS_TIME) {
        unit = "s";
        for (uint32_t i = 0; i < r->model->n_items; i++)
            if (r->model->items[i].kind == AST_TIME_UNIT) unit = r->model->items[i].time_unit;
    } else if (r->model && r->needs == NEEDS_REF) {
        find_units(r);
        unit = units_of_ref(r->units, r->ref);
        if (unit) return unit;
        const char *name = arena_printf(&r->work, "'%s'", r->ref->parts[r->ref->n_parts - 1].name);
        diag_report(r->diag, DIAG_UNIT_UNDETERMINED, e->place, name, given);
        diag_hint(r->diag, "declare the unit of %s in the model, or leave out the unit here", name);
    } else {
        diag_report(r->diag, DIAG_UNIT_MISPLACED, e->place);
        diag_hint(r->diag, "this is a pure number");
    }
    return unit;
}

static double convert(Reader *r, const AstExpr *e, const char *given, double value)
{
    const char *unit = needed_unit(r, e, given);
    if (!unit || !units_convert(r->ast, given, unit, r->is_difference, e->place, &value, r->diag))
        return fail(r);
    return value;
}

// `5 [mi] in km`: what stands before `in` is needed in that unit, the result in another.
static double evaluate_conversion(Reader *r, const AstExpr *e)
{
    const char *unit = e->operands.b->number.unit;
    Reader before = *r;
    r->needs = NEEDS_TEXT;
    r->text = unit;
    const double value = evaluate(r, e->operands.a);
    r->needs = before.needs;
    r->text = before.text;
    return convert(r, e, unit, value);
}

static double evaluate_ref(void *reader, const AstExpr *e)
{
    Reader *r = reader;
    const AstRef *ref = &e->ref;
    double value;
    bool is_truth;
    if (ref->n_parts == 1 && ref->primes == 0 && ref->parts[0].n_indices == 0 &&
        front_constant(ref->parts[0].name, &value, &is_truth))
        return value;
    diag_report(r->diag, DIAG_NAME_UNKNOWN, e->place, ref->parts[0].name, r->name);
    diag_hint(r->diag, "an experiment is written with numbers; 'pi' and functions such as sqrt are known");
    return fail(r);
}

static double evaluate_unit(void *reader, const AstExpr *e)
{
    return e->kind == AST_CONVERT ? evaluate_conversion(reader, e)
                                  : convert(reader, e, e->number.unit, e->number.value);
}

static double refuse(void *reader, const AstExpr *e, const char *takes)
{
    Reader *r = reader;
    if (takes)
        diag_report(r->diag, DIAG_FUNCTION_ARGUMENTS, e->place, e->call.function, takes,
                    (size_t)e->call.n_args);
    else if (e->kind == AST_CALL)
        diag_report(r->diag, DIAG_FUNCTION_UNKNOWN, e->place, e->call.function);
    return fail(r);
}

static double evaluate(Reader *r, const AstExpr *e)
{
    return front_evaluate(&(FrontNumbers){ evaluate_ref, evaluate_unit, refuse, NULL, r }, e);
}

static double number(Reader *r, const AstExpr *e, const char *what);

static double time_value(Reader *r, const AstExpr *e, const char *what)
{
    r->needs = NEEDS_TIME;
    const double value = number(r, e, what);
    r->needs = NEEDS_NO_UNIT;
    return value;
}

// A value of a variable, or a difference of two.
static double value_of(Reader *r, const AstExpr *e, const AstRef *ref, bool is_difference, const char *what)
{
    r->needs = NEEDS_REF;
    r->ref = ref;
    r->is_difference = is_difference;
    const double value = number(r, e, what);
    r->needs = NEEDS_NO_UNIT;
    r->is_difference = false;
    return value;
}

// A finite number, or a message that says which statement needs one.
static double number(Reader *r, const AstExpr *e, const char *what)
{
    const bool had_failed = r->failed;
    const double value = evaluate(r, e);
    if (isfinite(value) || r->failed != had_failed || (isinf(value) && r->may_be_infinite)) return value;
    diag_report(r->diag, DIAG_SETTING_VALUE, e->place, what, isnan(value) ? "not a number" : "infinity",
                "a finite number is needed");
    return fail(r);
}

// ---------------------------------------------------------------------------------------------- the end

static bool is_time(const AstExpr *e)
{
    return e->kind == AST_REF && e->ref.n_parts == 1 && e->ref.primes == 0 &&
           strcmp(e->ref.parts[0].name, "t") == 0;
}

static bool is_condition(const AstExpr *e)
{
    return (e->kind == AST_BINARY && (front_is_relation(e->op) || front_is_logic(e->op))) ||
           (e->kind == AST_UNARY && front_is_logic(e->op));
}

static AstExpr *join(Reader *r, AstOp op, AstExpr *a, AstExpr *b)
{
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    *e = (AstExpr){ .kind = AST_BINARY, .op = op, .place = place_join(a->place, b->place),
                    .operands = { a, b, NULL } };
    return e;
}

// Of `x < 0.01 or t >= 100` the time, if it is earlier than *until, and what else ends the run; NULL:
// nothing.
static AstExpr *split_end(Reader *r, AstExpr *e, double *until)
{
    if (e->kind != AST_BINARY) return e;
    AstExpr *a = e->operands.a, *b = e->operands.b;
    if (e->op == AST_OR) {
        a = split_end(r, a, until);
        b = split_end(r, b, until);
        return !a ? b : !b ? a : join(r, AST_OR, a, b);
    }
    const bool behind = is_time(a) && (e->op == AST_GE || e->op == AST_GT),
               before = is_time(b) && (e->op == AST_LE || e->op == AST_LT);
    if (!behind && !before) return e;
    const double time = time_value(r, behind ? b : a, "until");
    if (!(*until <= time)) *until = time;
    return NULL;
}

// `until 100`, `until x < 0.01 or t >= 100`: a condition is an event of the model that ends the run.
static double read_until(Reader *r, AstExpr *e)
{
    double until = NAN;
    if (!is_condition(e)) return time_value(r, e, "until");
    AstExpr *condition = split_end(r, e, &until);
    if (isnan(until) && !r->failed) {
        diag_report(r->diag, DIAG_UNTIL_OPEN, e->place);
        diag_hint(r->diag, "say when it ends at the latest: until … or t >= 100");
        return fail(r);
    }
    if (!condition) return until;
    AstEvent *event = ARENA_NEW(r->arena, AstEvent);
    event->body = ARENA_NEW(r->arena, AstItem);
    *event->body = (AstItem){ .kind = AST_TERMINATE, .place = e->place,
                              .terminate = arena_printf(r->arena, "until %s", printed(r, NULL, condition)) };
    event->n_body = 1;
    event->kind = AST_WHEN;
    event->condition = condition;
    event->place = e->place;
    const AstItem item = { .kind = AST_EVENT, .place = e->place, .event = event };
    vec_push(r->arena, &r->also, item);
    return until;
}

// ---------------------------------------------------------------------------------------------- names

static double index_of(Reader *r, const AstExpr *e, const char *name, Place place)
{
    const double index = evaluate(r, e);
    if (index == floor(index) && fabs(index) <= 1e9) return index;
    if (!r->failed)
        diag_report(r->diag, DIAG_SETTING_VALUE, place, name, "this index", "it is not a whole number");
    return fail(r);
}

// Where this is written, for messages of the run.
static void note_place(Reader *r, const char *name, Place place)
{
    orr_written written = { name, diag_where(r->diag, place) };
    if (!written.place.file) return;
    if (place.file != r->path_file) {
        r->path = arena_copy_text(r->arena, written.place.file, strlen(written.place.file));
        r->path_file = place.file;
    }
    written.place.file = r->path;
    vec_push(&r->work, &r->written, written);
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const orr_written *)a)->name,
                    y = (uintptr_t)((const orr_written *)b)->name;
    return (x > y) - (x < y);
}

// As the flat model calls it: axle.spring[2].x'; if several may be meant, ranges stay: u[2..5].
static const char *name_of(Reader *r, const AstRef *ref, Place place, bool may_be_several)
{
    StrBuf s = { .arena = r->arena };
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        if (i) str_add_char(&s, '.');
        str_add(&s, part->name);
        for (uint32_t k = 0; k < part->n_indices; k++) {
            const AstExpr *index = part->indices[k];
            const bool is_range = index->kind == AST_RANGE;
            if (is_range && !may_be_several) {
                diag_report(r->diag, DIAG_SLICE_MISPLACED, index->place, "a range");
                fail(r);
                continue;
            }
            const AstExpr *first = is_range ? index->operands.a : index;
            str_addf(&s, "%s%.0f", k ? "," : "[", index_of(r, first, part->name, place));
            if (is_range) str_addf(&s, "..%.0f", index_of(r, index->operands.b, part->name, place));
        }
        if (part->n_indices) str_add_char(&s, ']');
    }
    for (uint32_t i = 0; i < ref->primes; i++) str_add_char(&s, '\'');
    const char *name = str_finish(&s);
    note_place(r, name, place);
    return name;
}

static const char *const *names_of(Reader *r, const AstRef *refs, const Place *places, Place place, size_t n,
                                   bool may_be_several)
{
    const char **names = ARENA_ARRAY(r->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = name_of(r, &refs[i], places ? places[i] : place, may_be_several);
    return names;
}

// ---------------------------------------------------------------------------------------------- statements

static void read_options(Reader *r, const AstSolver *e, orr_run_options *run)
{
    const struct {
        const char *name;
        double     *value;
    } known[] = {
        { "step", &run->step },         { "path", &run->path },
        { "tol", &run->tolerance },     { "tolerance", &run->tolerance },
        { "abs", &run->absolute },      { "absolute", &run->absolute },
        { "max", &run->max_step },      { "max_step", &run->max_step },
        { "quantum", &run->quantum },   { "relative", &run->relative_quantum },
        { "min", &run->least_quantum },
    };
    enum { N_KNOWN = sizeof known / sizeof *known };
    const char *names[N_KNOWN];
    for (size_t i = 0; i < N_KNOWN; i++) names[i] = known[i].name;
    for (uint32_t k = 0; k < e->n_options; k++) {
        const AstSetting *option = &e->options[k];
        const char *name = name_of(r, &option->target, option->place, false);
        size_t i = 0;
        while (i < N_KNOWN && strcmp(names[i], name) != 0) i++;
        if (i == N_KNOWN) {
            diag_report(r->diag, DIAG_SOLVER_OPTION, option->place, e->name ? e->name : "auto", name);
            const char *closest = text_closest(name, names, N_KNOWN);
            if (closest) diag_suggest(r->diag, name, closest);
            else
                diag_hint(r->diag,
                          "there are step, tol, abs and max; of quantised states "
                          "quantum, relative and min; with noise path");
            fail(r);
            continue;
        }
        const Solver *solver = solver_find(e->name ? e->name : "auto");
        const bool is_quantum = known[i].value == &run->quantum || known[i].value == &run->relative_quantum ||
                                known[i].value == &run->least_quantum;
        const bool is_adaptive = known[i].value == &run->tolerance || known[i].value == &run->absolute ||
                                 known[i].value == &run->max_step;
        const SolverOption kind = is_quantum    ? SOLVER_OPTION_QUANTUM
                                  : is_adaptive ? SOLVER_OPTION_EXACTNESS
                                                : SOLVER_OPTION_OTHER;
        if (solver && !solver_hears(solver, kind, name, option->place, r->diag)) {
            fail(r);
            continue;
        }
        const bool is_time = known[i].value == &run->step || known[i].value == &run->max_step ||
                             known[i].value == &run->path;
        const double value = is_time ? time_value(r, option->value, name) : number(r, option->value, name);
        if (!(value > 0) && !r->failed) {
            const bool is_step = known[i].value == &run->step || known[i].value == &run->max_step ||
                                 known[i].value == &run->path;
            if (is_step) diag_report(r->diag, DIAG_STEP_BAD, option->place, value);
            else if (is_quantum) diag_report(r->diag, DIAG_QUANTUM_BAD, option->place, value);
            else diag_report(r->diag, DIAG_TOLERANCE_BAD, option->place, value);
            fail(r);
        }
        *known[i].value = value;
    }
}

// Solvers of single islands.
static void read_islands(Reader *r, const AstExperiment *e, orr_run_options *run)
{
    orr_island_solver *islands = ARENA_ARRAY(r->arena, orr_island_solver, e->n_islands);
    for (uint32_t i = 0; i < e->n_islands; i++) {
        const AstSolver *s = &e->islands[i];
        orr_run_options o = { 0 };
        read_options(r, s, &o);
        note_place(r, s->name, s->place);
        islands[i] = (orr_island_solver){ .island = name_of(r, &s->island, s->island_place, false),
                                          .solver = s->name,
                                          .step = o.step,
                                          .tolerance = o.tolerance,
                                          .absolute = o.absolute,
                                          .max_step = o.max_step,
                                          .quantum = o.quantum,
                                          .relative_quantum = o.relative_quantum,
                                          .least_quantum = o.least_quantum };
    }
    run->islands = islands;
    run->n_islands = e->n_islands;
}

static void read_settings(Reader *r, const AstExperiment *e, orr_run_options *run)
{
    orr_setting *settings = ARENA_ARRAY(r->arena, orr_setting, e->n_sets);
    for (uint32_t i = 0; i < e->n_sets; i++) {
        settings[i].name = name_of(r, &e->sets[i].target, e->sets[i].place, false);
        r->may_be_infinite = true;    // the run knows what may
        settings[i].value = value_of(r, e->sets[i].value, &e->sets[i].target, false, settings[i].name);
        r->may_be_infinite = false;
    }
    run->settings = settings;
    run->n_settings = e->n_sets;
}

static void read_inputs(Reader *r, const orr_source *source, const AstExperiment *e, orr_run_options *run)
{
    orr_input *inputs = ARENA_ARRAY(r->arena, orr_input, e->n_inputs);
    for (uint32_t i = 0; i < e->n_inputs; i++) {
        const AstInput *written = &e->inputs[i];
        const char *name = name_of(r, &written->target, written->target_place, false);
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(inputs[k].name, name) != 0) continue;
            diag_report(r->diag, DIAG_INPUT_TWICE, written->place, name);
            diag_note(r->diag, e->inputs[k].place, "it is given here first");
            fail(r);
        }
        inputs[i] = bind_input(source, written, name, r->arena, r->diag);
    }
    run->inputs = inputs;
    run->n_inputs = e->n_inputs;
}

static void read_sends(Reader *r, const orr_source *source, const AstExperiment *e,
                       orr_experiment *experiment)
{
    orr_send *sends = ARENA_ARRAY(r->arena, orr_send, e->n_sends);
    for (uint32_t i = 0; i < e->n_sends; i++) {
        const AstSend *written = &e->sends[i];
        const char *const *names = names_of(r, written->refs, NULL, written->place, written->n_refs, false);
        sends[i] = bind_send(source, written, names, r->arena, r->diag);
    }
    experiment->sends = sends;
    experiment->n_sends = e->n_sends;
}

// Of single states: quanta, absolute tolerances.
static const orr_setting *read_of_states(Reader *r, const AstSetting *written, uint32_t n, bool is_quantum)
{
    orr_setting *settings = ARENA_ARRAY(r->arena, orr_setting, n);
    for (uint32_t i = 0; i < n; i++) {
        const AstSetting *from = &written[i];
        settings[i].name = name_of(r, &from->target, from->place, false);
        settings[i].value = value_of(r, from->value, &from->target, true, settings[i].name);
        if (settings[i].value > 0 || r->failed) continue;
        if (is_quantum) diag_report(r->diag, DIAG_QUANTUM_BAD, from->place, settings[i].value);
        else diag_report(r->diag, DIAG_TOLERANCE_BAD, from->place, settings[i].value);
        fail(r);
    }
    return settings;
}

// Each histogram is a plot of its own.
static void read_plots(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    size_t n = 0;
    for (uint32_t i = 0; i < e->n_plots; i++) n += e->plots[i].is_histogram ? e->plots[i].n_ys : 1;
    orr_plot *plots = ARENA_ARRAY(r->arena, orr_plot, n);
    n = 0;
    for (uint32_t i = 0; i < e->n_plots; i++) {
        const AstPlot *plot = &e->plots[i];
        const char *const *ys = names_of(r, plot->ys, plot->y_places, plot->place, plot->n_ys,
                                           !plot->is_histogram);
        for (uint32_t k = 0; plot->is_histogram && k < plot->n_ys; k++)
            plots[n++] = (orr_plot){ .ys = &ys[k], .n_ys = 1, .is_histogram = true };
        if (plot->is_histogram) continue;
        const bool over_time = plot->over.n_parts == 0 ||
                               (plot->over.n_parts == 1 && plot->over.primes == 0 &&
                                strcmp(plot->over.parts[0].name, "t") == 0);
        plots[n++] = (orr_plot){ .ys = ys,
                                 .n_ys = plot->n_ys,
                                 .over = over_time ? NULL
                                                   : name_of(r, &plot->over, plot->over_place, false) };
    }
    experiment->plots = plots;
    experiment->n_plots = n;
}

// ---------------------------------------------------------------------------------------------- observations

static const char *printed(Reader *r, const AstObserve *o, const AstExpr *e)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) arena_no_memory(0);
    if (o) ast_print_observe(o, out);
    else ast_print_expr(e, out);
    memory_close(out, &text);
    const char *kept = arena_copy_text(r->arena, text, n);
    free(text);
    return kept;
}

// Do all names that occur stand for observations read so far? *n_names: how many names there are.
static bool is_of_observations(const Reader *r, const AstExpr *e, size_t *n_names)
{
    double value;
    bool is_truth, ok = true;
    switch (e->kind) {
    case AST_REF:
        if (e->ref.n_parts == 1 && front_constant(e->ref.parts[0].name, &value, &is_truth)) return true;
        (*n_names)++;
        for (size_t i = 0; i < r->n_observed && e->ref.n_parts == 1 && e->ref.primes == 0; i++)
            if (strcmp(r->observed[i].name, e->ref.parts[0].name) == 0) return true;
        return false;
    case AST_CALL:
        for (uint32_t i = 0; i < e->call.n_args; i++) ok &= is_of_observations(r, e->call.args[i], n_names);
        return ok;
    case AST_IF:
    case AST_BINARY:
    case AST_UNARY: {
        AstExpr *const operands[] = { e->operands.a, e->operands.b, e->operands.c };
        const int n = e->kind == AST_UNARY ? 1 : e->kind == AST_BINARY ? 2 : 3;
        for (int i = 0; i < n; i++) ok &= is_of_observations(r, operands[i], n_names);
        return ok;
    }
    default: return true;
    }
}

static bool has_names(const Reader *r, const AstExpr *e)
{
    size_t n = 0;
    is_of_observations(r, e, &n);
    return n > 0;
}

// The variable that an observation is about: that which is named, or one that the experiment adds to the
// model for an expression.
static const AstExpr *variable_of(Reader *r, AstExpr *e)
{
    if (e->kind == AST_REF) return e;
    AstPart *part = ARENA_NEW(r->arena, AstPart);
    part->name = printed(r, NULL, e);
    AstExpr *ref = ARENA_NEW(r->arena, AstExpr);
    *ref = (AstExpr){ .kind = AST_REF, .place = e->place, .ref = { .parts = part, .n_parts = 1 } };
    for (size_t i = 0; i < r->also.n; i++)
        if (r->also.items[i].kind == AST_EQUATION &&
            strcmp(r->also.items[i].equation.lhs->ref.parts[0].name, part->name) == 0)
            return ref;
    const AstItem item = { .kind = AST_EQUATION, .place = e->place, .equation = { ref, e } };
    vec_push(r->arena, &r->also, item);
    return ref;
}

static orr_relation relation_of(AstOp op, bool is_negated)
{
    const bool is_less = op == AST_LT || op == AST_LE, is_strict = op == AST_LT || op == AST_GT;
    if (is_less != is_negated) return is_strict != is_negated ? ORR_RELATION_LT : ORR_RELATION_LE;
    return is_strict != is_negated ? ORR_RELATION_GT : ORR_RELATION_GE;
}

// Data of one variable, still to be read.
static orr_data data_of(Reader *r, const AstData *d, const AstDataColumn *c, const char *variable,
                        const AstRef *ref)
{
    orr_data data = { .variable = variable, .column = c->column, .time = d->time, .unit = c->unit,
                      .column_deviation = c->deviation, .deviation = NAN,
                      .place = diag_where(r->diag, d->place) };
    if (data.place.file)
        data.place.file = arena_copy_text(r->arena, data.place.file, strlen(data.place.file));
    data.path = bind_path(r->source, d->file, d->place, r->arena, r->diag, &data.folder);
    if (os_path_leaves(data.folder, data.path))
        diag_report(r->diag, DIAG_FILE_OUTSIDE, d->place, d->file), fail(r);
    if (c->sd) data.deviation = value_of(r, c->sd, ref, true, "deviation");
    if (data.deviation <= 0) {
        diag_report(r->diag, DIAG_SETTING_VALUE, c->sd->place, "deviation", "not positive",
                    "it is a distance");
        fail(r);
    }
    return data;
}

// *of: the variable it is about.
static orr_measurement read_observe(Reader *r, const AstObserve *o, const AstRef **of)
{
    orr_measurement x = { .at = NAN, .from = NAN, .to = NAN, .part = o->part };
    const bool is_never = o->measure == AST_MEASURE_NEVER;
    AstExpr *what = o->what;
    const AstExpr *level = o->level;
    size_t n_names = 0;
    *of = NULL;
    x.what = is_never                             ? ORR_OBSERVE_ALWAYS
             : o->measure == AST_MEASURE_FOLLOWS ? ORR_OBSERVE_FOLLOWS
             : o->measure == AST_MEASURE_MISFIT  ? ORR_OBSERVE_MISFIT
                                                 : (orr_observe)o->measure;
    x.name = o->name ? o->name : printed(r, o, NULL);
    if (!o->name && x.what == ORR_OBSERVE_AT && !o->at) x.name = arena_printf(r->arena, "%s at end", x.name);
    if (x.what == ORR_OBSERVE_MISFIT) return x;
    if (x.what == ORR_OBSERVE_AT && !o->at && is_of_observations(r, what, &n_names) && n_names > 0) {
        x.what = ORR_OBSERVE_OF;
        x.parsed = what;
        if (!o->name) x.name = printed(r, NULL, what);
        return x;
    }
    // what moves, too, is subtracted
    if (level && has_names(r, level)) {
        AstExpr *difference = ARENA_NEW(r->arena, AstExpr);
        *difference = (AstExpr){ .kind = AST_BINARY, .op = AST_SUB, .place = o->place,
                                 .operands = { what, (AstExpr *)level, NULL } };
        what = difference;
        level = NULL;
    }
    const AstExpr *variable = variable_of(r, what);
    *of = &variable->ref;
    x.variable = name_of(r, &variable->ref, variable->place, false);
    if (o->data) {
        orr_data data = data_of(r, o->data, o->data->columns, x.variable, *of);
        data.observation = r->n_observed + 1;
        vec_push(r->arena, &r->data, data);
    }
    if (o->at) x.at = time_value(r, o->at, "at");
    if (o->from) x.from = time_value(r, o->from, "from");
    if (o->to) x.to = time_value(r, o->to, "to");
    if (level) x.level = value_of(r, level, &variable->ref, false, x.variable);
    if (o->level) x.relation = relation_of(o->relation, is_never);
    if (x.from > x.to) {
        diag_report(r->diag, DIAG_TIME_BAD, o->place, x.from, x.to);
        fail(r);
    }
    return x;
}

static const AstModel *model_named(const Ast *ast, const char *name)
{
    for (size_t i = 0; name && i < ast->models.n; i++)
        if (strcmp(ast->models.items[i].name, name) == 0) return &ast->models.items[i];
    return NULL;
}

// As on a command line: what is read of the text, with what the experiment has added to the model so far.
static Reader reader_of(orr_source *source, const orr_experiment *e, const char *word, orr_diag *diag)
{
    Reader r = { .arena = &source->arena, .name = word, .diag = diag, .ast = &source->ast,
                 .model = model_named(&source->ast, e->model) };
    r.source = source;
    for (size_t i = 0; i < e->n_also; i++) vec_push(r.arena, &r.also, ((const AstItem *)e->also)[i]);
    for (size_t i = 0; i < e->n_data; i++) vec_push(r.arena, &r.data, e->data[i]);
    return r;
}

// What the reader adds to the model goes to the experiment.
static void keep_also(const Reader *r, orr_experiment *e)
{
    e->also = r->also.items;
    e->n_also = r->also.n;
    e->data = r->data.items;
    e->n_data = r->data.n;
}

bool observation_read(orr_source *source, orr_experiment *e, const orr_measurement *others, size_t n_others,
                      const char *text, orr_measurement *x, orr_diag *diag)
{
    Reader r = reader_of(source, e, "--observe", diag);
    r.observed = others;
    r.n_observed = n_others;
    const AstRef *of;
    AstObserve o;
    const char *kept = arena_copy_text(r.arena, text, strlen(text));
    const uint32_t file = diag_add_source(diag, "--observe", kept, strlen(kept));
    if (!parse_observation(r.arena, file, text_from(kept), &o, diag)) return false;
    *x = read_observe(&r, &o, &of);
    keep_also(&r, e);
    arena_free(&r.work);
    return !r.failed;
}

bool until_read(orr_source *source, orr_experiment *e, const char *text, orr_diag *diag)
{
    Reader r = reader_of(source, e, "--until", diag);
    const char *kept = arena_copy_text(r.arena, text, strlen(text));
    const uint32_t file = diag_add_source(diag, "--until", kept, strlen(kept));
    AstExpr *until = parse_expression(r.arena, file, text_from(kept), diag);
    for (size_t i = r.also.n; i-- > 0;)    // instead of what the experiment says
        if (r.also.items[i].kind == AST_EVENT) r.also.items[i] = r.also.items[--r.also.n];
    if (until) e->until = read_until(&r, until);
    keep_also(&r, e);
    arena_free(&r.work);
    return until && !r.failed;
}

static void read_expect(Reader *r, const AstExpect *expect, const orr_measurement *x, const AstRef *ref,
                        orr_expect *out)
{
    const bool is_time = x->what == ORR_OBSERVE_TIME;
    const bool has_unit = x->what < ORR_OBSERVE_INTEGRAL || x->what == ORR_OBSERVE_QUANTILE ||
                          x->what == ORR_OBSERVE_FOLLOWS;
    *out = (orr_expect){ .name = x->what == ORR_OBSERVE_AT ? x->variable : x->name, .at = x->at, .value = 1 };
    if (!expect->within) return;
    out->value = !expect->value ? 0
                 : is_time    ? time_value(r, expect->value, out->name)
                 : has_unit ? value_of(r, expect->value, ref, false, out->name)
                            : number(r, expect->value, out->name);
    out->within = is_time    ? time_value(r, expect->within, "within")
                  : has_unit ? value_of(r, expect->within, ref, true, "within")
                             : number(r, expect->within, "within");
    if (!(out->within < 0)) return;
    diag_report(r->diag, DIAG_SETTING_VALUE, expect->place, "within", "a negative number",
                "it is a distance");
    fail(r);
}

// What is observed, and what is expected: of anything but a value at a time by an observation of its own.
static void read_observes(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    orr_measurement *all = ARENA_ARRAY(r->arena, orr_measurement, e->n_observes + e->n_expects);
    orr_expect *expects = ARENA_ARRAY(r->arena, orr_expect, e->n_expects);
    size_t n = 0;
    const AstRef *of;
    r->observed = all;
    for (uint32_t i = 0; i < e->n_observes; i++) {
        all[n++] = read_observe(r, &e->observes[i], &of);
        r->n_observed = n;
    }
    for (uint32_t i = 0; i < e->n_expects; i++) {
        const AstExpect *expect = &e->expects[i];
        r->n_observed = n;
        orr_measurement x = read_observe(r, &expect->what, &of);
        read_expect(r, expect, &x, of, &expects[i]);
        const orr_place where = diag_where(r->diag, expect->place);
        expects[i].file = where.file ? arena_copy_text(r->arena, where.file, strlen(where.file)) : NULL;
        expects[i].line = where.line;
        expects[i].column = where.column;
        expects[i].length = where.length;
        if (x.what == ORR_OBSERVE_AT) continue;
        x.is_expected = true;
        all[n++] = x;
        expects[i].observation = n;
    }
    experiment->observations = all;
    experiment->n_observations = n;
    experiment->expects = expects;
    experiment->n_expects = e->n_expects;
}

// `data "measured.csv" x = column "position"`: each set of conditions once.
static void read_data(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    orr_condition *conditions = ARENA_ARRAY(r->arena, orr_condition, e->n_data);
    for (uint32_t i = 0; i < e->n_data; i++) {
        const AstData *d = &e->data[i];
        size_t condition = 0;
        if (d->n_where) {
            orr_setting *settings = ARENA_ARRAY(r->arena, orr_setting, d->n_where);
            for (uint32_t k = 0; k < d->n_where; k++) {
                const AstSetting *w = &d->where[k];
                settings[k].name = name_of(r, &w->target, w->place, false);
                settings[k].value = value_of(r, w->value, &w->target, false, settings[k].name);
            }
            conditions[experiment->n_conditions++] = (orr_condition){ settings, d->n_where };
            condition = experiment->n_conditions;
        }
        for (uint32_t k = 0; k < d->n_columns; k++) {
            const AstRef *ref = &d->columns[k].what->ref;
            const char *variable = name_of(r, ref, d->columns[k].what->place, false);
            orr_data data = data_of(r, d, &d->columns[k], variable, ref);
            data.condition = condition;
            vec_push(r->arena, &r->data, data);
        }
    }
    experiment->conditions = conditions;
}

// A number in a range, or a message.
static double number_within(Reader *r, const AstExpr *e, const char *what, double low, double high,
                            bool is_whole, const char *needed)
{
    const double value = number(r, e, what);
    if (isnan(value) || (value >= low && value <= high && (!is_whole || value == floor(value)))) return value;
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    diag_report(r->diag, DIAG_SETTING_VALUE, e->place, what, text, needed);
    return fail(r);
}

// What is the same for all names of one statement.
static void read_statistic(Reader *r, const AstStatistic *from, orr_statistic *to)
{
    double *percentiles = ARENA_ARRAY(r->arena, double, from->n_percentiles);
    for (uint32_t i = 0; i < from->n_percentiles; i++)
        percentiles[i] = number_within(r, from->percentiles[i], "percentiles", 0, 100, false,
                                       "a number from 0 to 100 is needed");
    to->percentiles = percentiles;
    to->n_percentiles = from->n_percentiles;
    if (!from->has_histogram) return;
    to->n_bins = 20;
    if (from->n_bins)
        to->n_bins = (size_t)fmax(0, number_within(r, from->n_bins, "bins", 1, ORR_BINS_MAX, true,
                                                   "a whole number from 1 to 1000 is needed"));
    if (!from->low) return;
    to->low = number(r, from->low, "the lower end of the bins");
    to->high = number(r, from->high, "the upper end of the bins");
    if (isnan(to->low) || isnan(to->high) || to->low < to->high) return;
    char text[80];
    snprintf(text, sizeof text, "%.10g..%.10g", to->low, to->high);
    diag_report(r->diag, DIAG_SETTING_VALUE, place_join(from->low->place, from->high->place), "bins", text,
                "the lower end comes first");
    fail(r);
}

static void read_statistics(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    size_t n = 0;
    for (uint32_t i = 0; i < e->n_statistics; i++) n += e->statistics[i].n_refs;
    orr_statistic *statistics = ARENA_ARRAY(r->arena, orr_statistic, n);
    TextMap names;
    text_map_init(&names, &r->work);
    n = 0;
    for (uint32_t i = 0; i < e->n_statistics; i++) {
        const AstStatistic *from = &e->statistics[i];
        orr_statistic all = { 0 };
        read_statistic(r, from, &all);
        for (uint32_t k = 0; k < from->n_refs; k++) {
            all.name = name_of(r, &from->refs[k], from->places[k], false);
            if (text_map_find(&names, text_from(all.name))) {
                diag_report(r->diag, DIAG_STATISTIC_NAME, from->places[k], all.name, "it is named twice");
                fail(r);
            }
            text_map_put(&names, text_from(all.name), 1);
            statistics[n++] = all;
        }
    }
    experiment->statistics = statistics;
    experiment->n_statistics = n;
}

// What is drawn, and how often.
static void read_chances(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    if (e->seed)
        experiment->run.seed = (uint64_t)fmax(
            0, number_within(r, e->seed, "seed", 0, 0x1p53, true, "a whole number from 0 to 2^53 is needed"));
    if (e->replications)
        experiment->replications =
            (size_t)fmax(0, number_within(r, e->replications, "replications", 2, ORR_REPLICATIONS_MAX, true,
                                          "a whole number from 2 to 10,000,000 is needed"));
    if (e->warm_up) {
        experiment->warm_up = time_value(r, e->warm_up, "warm up");
        if (experiment->warm_up < 0) {
            diag_report(r->diag, DIAG_SETTING_VALUE, e->warm_up->place, "warm up", "a negative time",
                        "it is how long");
            fail(r);
        }
    }
    if (e->precision)
        experiment->precision = number_within(r, e->precision, "precision", 1e-9, 1, false,
                                              "a part of the mean is needed, such as 0.05");
    if (e->confidence)
        experiment->confidence = number_within(r, e->confidence, "confidence", 0.01, 0.999999, false,
                                               "a probability below 1 is needed, such as 0.95");
    const char **names = ARENA_ARRAY(r->arena, const char *, e->n_precise);
    for (uint32_t i = 0; i < e->n_precise; i++) {
        names[i] = name_of(r, &e->precise[i], e->precise_places[i], false);
        if (!e->precise_means[i]) continue;
        names[i] = arena_printf(r->arena, "mean(%s)", names[i]);
        note_place(r, names[i], e->precise_places[i]);
    }
    experiment->precise = names;
    experiment->n_precise = e->n_precise;
}

// ---------------------------------------------------------------------------------------------- kinds

static const orr_kind_info *find_kind(Reader *r, const AstTerm *term)
{
    const orr_kind_info *kind = orr_kind_find(term->name);
    if (kind) return kind;
    VEC(const char *) names = { 0 };
    for (size_t i = 0; orr_kind_at(i); i++) vec_push(&r->work, &names, orr_kind_at(i)->name);
    diag_report(r->diag, DIAG_KIND_UNKNOWN, term->place, term->name);
    diag_suggest(r->diag, term->name, text_closest(term->name, names.items, names.n));
    fail(r);
    return NULL;
}

static const orr_keyword *find_word(Reader *r, const orr_kind_info *kind, const AstTerm *term)
{
    const orr_keyword *word = term->name && !term->is_quoted ? orr_kind_word(kind, term->name) : NULL;
    if (word && !word->is_private) return word;
    VEC(const char *) names = { 0 };
    for (size_t i = 0; orr_kind_word_at(kind, i); i++)
        if (!orr_kind_word_at(kind, i)->is_private)
            vec_push(&r->work, &names, orr_kind_word_at(kind, i)->name);
    const char *text = term->name ? term->name : "a value";
    diag_report(r->diag, DIAG_KIND_WORD, term->place, text, kind->name);
    const char *closest = term->name ? text_closest(term->name, names.items, names.n) : NULL;
    if (word) diag_hint(r->diag, "only whoever carries it out may say that: --%s", word->name);
    else if (closest && strcmp(closest, text) != 0) diag_suggest(r->diag, term->name, closest);
    else if (names.n > 0)
        diag_hint(r->diag, "there is '%s'%s", names.items[0], names.n > 1 ? " and others" : "");
    fail(r);
    return NULL;
}

// One term as the command line would write it.
static void add_term(Reader *r, const orr_source *source, const orr_keyword *word, const AstTerm *term,
                     StrBuf *text, const char **folder)
{
    if (term->before != ' ' && text->n > 0)
        str_add(text, term->before == '.' ? ".." : term->before == ',' ? "," : "=");
    const bool is_number = word->type == ORR_WORD_NUMBER || word->type == ORR_WORD_COUNT;
    if (term->name && word->is_input) {
        const char *path = bind_path(source, term->name, term->place, r->arena, r->diag, folder);
        if (os_path_leaves(*folder, path))
            diag_report(r->diag, DIAG_FILE_OUTSIDE, term->place, term->name), fail(r);
        str_add(text, path);
    } else if (term->name && !(is_number && !term->is_quoted && strcmp(term->name, "pi") == 0)) {
        str_add(text, term->name);
    } else if (term->value && term->value->kind == AST_REF && !is_number) {
        str_add(text, name_of(r, &term->value->ref, term->place, false));
    } else {
        char shown[40];
        const double value = !term->value    ? 3.14159265358979323846
                             : word->is_time ? time_value(r, term->value, word->name)
                                             : number(r, term->value, word->name);
        orr_format_number(value, shown);
        str_add(text, shown);
    }
}

// `kind continue param a from 1 to -1`: words and their values, as a command line would give them.
static void read_kind(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment)
{
    if (e->n_kind == 0) return;
    const orr_kind_info *kind = find_kind(r, &e->kind[0]);
    if (!kind) return;
    experiment->kind = kind->name;
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 1; i < e->n_kind;) {
        const orr_keyword *word = find_word(r, kind, &e->kind[i]);
        if (!word) return;
        const Place place = e->kind[i++].place;
        StrBuf text = { .arena = r->arena };
        const char *folder = NULL;
        if (word->type != ORR_WORD_FLAG && i < e->n_kind) {
            do add_term(r, source, word, &e->kind[i], &text, &folder);
            while (++i < e->n_kind && e->kind[i].before != ' ');
        } else if (word->type != ORR_WORD_FLAG) {
            diag_report(r->diag, DIAG_EXPECTED, place, "a value", "the end of the line");
            fail(r);
        }
        const orr_given one = { word->name, word->type == ORR_WORD_FLAG ? NULL : str_finish(&text), folder };
        vec_push(&r->work, &given, one);
    }
    if (!r->failed && !words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->kind[0].place, "it is written here");
        fail(r);
    }
}

static void add_number(StrBuf *text, double value)
{
    char shown[40];
    orr_format_number(value, shown);
    str_add(text, shown);
}

static double swept_value(Reader *r, const AstVaried *s, const AstExpr *e, const char *name)
{
    if (!s->option) return value_of(r, e, &s->what, false, name);
    return strcmp(s->option, "step") == 0 ? time_value(r, e, name) : number(r, e, name);
}

// `sweep K over 1, 2, 5`, as a command line would give it.
static void read_sweeps(Reader *r, const orr_source *source, const AstExperiment *e,
                        orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_varied; i++) {
        const AstVaried *s = &e->varied[i];
        StrBuf text = { .arena = r->arena };
        const char *name = s->option ? arena_printf(r->arena, "solver %s", s->option)
                                     : name_of(r, &s->what, s->what_place, false);
        str_add(&text, name);
        if (!s->is_fit || s->start) str_add_char(&text, '=');
        if (s->start) add_number(&text, swept_value(r, s, s->start, name));
        if (s->is_fit && s->low) str_add(&text, " in ");
        for (uint32_t k = 0; k < s->n_values; k++) {
            if (k > 0) str_add_char(&text, ',');
            add_number(&text, swept_value(r, s, s->values[k], name));
        }
        if (s->low) {
            add_number(&text, swept_value(r, s, s->low, name));
            str_add(&text, "..");
            add_number(&text, swept_value(r, s, s->high, name));
            if (s->count) str_addf(&text, ":%.17g", number(r, s->count, "in"));
        }
        if (s->is_log) str_add(&text, s->is_fit ? " log" : ":log");
        const orr_given one = { .word = s->is_fit ? "fit" : "sweep", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->varied[0].what_place, "it is written here");
        fail(r);
    }
}

// `set K ~ normal(2, 0.1)`, as a command line would give it: each argument in the unit of what is drawn.
static const char *draw_text(Reader *r, const AstSetting *draw)
{
    const AstExpr *call = draw->value;
    const char *name = name_of(r, &draw->target, draw->place, false);
    const int number_of = distribution_number(call->call.function);
    StrBuf text = { .arena = r->arena };
    str_addf(&text, "%s~%s(", name, call->call.function);
    for (uint32_t k = 0; k < call->call.n_args; k++) {
        const bool is_known = number_of != DISTRIBUTION_NONE && k < DISTRIBUTION_ARGUMENTS;
        const DistributionArgument *a = is_known ? &distributions[number_of].arguments[k] : NULL;
        const bool is_distance = a && a->name && (strcmp(a->name, "deviation") == 0);
        if (k > 0) str_add_char(&text, ',');
        add_number(&text, a && !a->is_pure
                              ? value_of(r, call->call.args[k], &draw->target, is_distance, name)
                              : number(r, call->call.args[k], name));
    }
    str_add_char(&text, ')');
    return str_finish(&text);
}

// `scenario fast : K = 3, M = 2` and `select …`, likewise.
static void read_scenarios(Reader *r, const orr_source *source, const AstExperiment *e,
                           orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_scenarios; i++) {
        const AstScenario *s = &e->scenarios[i];
        StrBuf text = { .arena = r->arena };
        str_addf(&text, "%s:", s->name);
        for (uint32_t k = 0; k < s->n_sets; k++) {
            const char *name = name_of(r, &s->sets[k].target, s->sets[k].place, false);
            str_addf(&text, "%s%s=", k ? "," : "", name);
            add_number(&text, value_of(r, s->sets[k].value, &s->sets[k].target, false, name));
        }
        const orr_given one = { .word = "scenario", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (e->select) {
        StrBuf text = { .arena = r->arena };
        add_number(&text, number(r, e->select->within, "within"));
        const orr_given within = { .word = "select", .text = str_finish(&text) },
                        of = { .word = "of", .text = e->select->of }, least = { .word = "least" };
        vec_push(&r->work, &given, within);
        if (e->select->of) vec_push(&r->work, &given, of);
        if (e->select->is_least) vec_push(&r->work, &given, least);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        if (e->n_scenarios) diag_note(r->diag, e->scenarios[0].place, "it is written here");
        fail(r);
    }
}

static void read_draws(Reader *r, const orr_source *source, const AstExperiment *e,
                       orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_draws; i++) {
        const orr_given one = { .word = "set", .text = draw_text(r, &e->draws[i]) };
        vec_push(&r->work, &given, one);
    }
    for (uint32_t i = 0; i < e->n_correlations; i++) {
        const AstCorrelation *c = &e->correlations[i];
        StrBuf text = { .arena = r->arena };
        str_addf(&text, "%s,%s=", name_of(r, &c->a, c->place, false), name_of(r, &c->b, c->place, false));
        add_number(&text, number(r, c->value, "correlation"));
        const orr_given one = { .word = "correlation", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->n_draws ? e->draws[0].place : e->correlations[0].place, "it is written here");
        fail(r);
    }
}

// ---------------------------------------------------------------------------------------------- frames

static const AstFrame *find_frame(Reader *r, const AstExperiment *e)
{
    const Ast *ast = r->ast;
    for (size_t i = 0; i < ast->frames.n; i++)
        if (strcmp(ast->frames.items[i].name, e->frame) == 0) return &ast->frames.items[i];
    const char **names = ARENA_ARRAY(&r->work, const char *, ast->frames.n);
    for (size_t i = 0; i < ast->frames.n; i++) names[i] = ast->frames.items[i].name;
    diag_report(r->diag, DIAG_FRAME_UNKNOWN, e->frame_place, e->frame);
    const char *closest = text_closest(e->frame, names, ast->frames.n);
    if (closest) diag_suggest(r->diag, e->frame, closest);
    else if (ast->frames.n == 0) diag_hint(r->diag, "write one: frame %s of %s … end", e->frame, e->model);
    else diag_hint(r->diag, "there is '%s'%s", names[0], ast->frames.n > 1 ? " and others" : "");
    fail(r);
    return NULL;
}

// The unit that a number is written with, if it is all there is.
static const char *unit_of(const AstExpr *e)
{
    while (e->kind == AST_UNARY) e = e->operands.a;
    return e->kind == AST_NUMBER ? e->number.unit : NULL;
}

// A bound, in the unit that the variable has in the model of the frame. One unit behind both is that of both.
static double bound(Reader *r, const AstClaim *range, const AstExpr *e)
{
    r->needs = NEEDS_REF;
    r->ref = &range->what;
    double value = evaluate(r, e);
    const char *unit = unit_of(range->high);
    if (e == range->low && unit && !unit_of(e) && isfinite(value)) value = convert(r, e, unit, value);
    r->needs = NEEDS_NO_UNIT;
    if (isnan(value) && !r->failed) {
        diag_report(r->diag, DIAG_SETTING_VALUE, e->place, "a bound", "not a number",
                    "a number or inf is needed");
        fail(r);
    }
    return value;
}

// From the model of the frame, `of`, to that of the experiment, which may count in other units.
static void read_range(Reader *of, Reader *r, const AstClaim *range, orr_claim *out)
{
    out->name = name_of(r, &range->what, range->place, false);
    out->low = bound(of, range, range->low);
    out->high = bound(of, range, range->high);
    const char *path = diag_path(r->diag, range->place.file);
    out->file = path ? arena_copy_text(r->arena, path, strlen(path)) : NULL;
    diag_locate(r->diag, range->place, &out->line, &out->column);
    if (of->failed) return;
    if (!(out->low <= out->high)) {
        diag_report(r->diag, DIAG_FRAME_RANGE, range->place, out->name, out->low, out->high);
        diag_hint(r->diag, "the smaller bound stands first");
        fail(r);
    }
    if (of->model == r->model) return;
    Reader *const both[] = { of, r };
    const char *units[2];
    for (int i = 0; i < 2; i++) {
        find_units(both[i]);
        units[i] = units_of_ref(both[i]->units, &range->what);
    }
    if (!units[0] || !units[1]) return;
    double *const bounds[] = { &out->low, &out->high };
    for (int i = 0; i < 2 && !r->failed; i++)
        if (isfinite(*bounds[i]) &&
            !units_convert(r->ast, units[0], units[1], false, range->place, bounds[i], r->diag))
            fail(r);
}

static void read_frame(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    const AstFrame *f = find_frame(r, e);
    if (!f) return;
    Reader of = { .arena = r->arena, .name = f->name, .diag = r->diag, .ast = r->ast };
    for (size_t i = 0; i < r->ast->models.n; i++)
        if (strcmp(r->ast->models.items[i].name, f->model) == 0) of.model = &r->ast->models.items[i];
    if (!of.model) {
        diag_report(r->diag, DIAG_MODEL_UNKNOWN, f->model_place, f->model);
        fail(r);
        return;
    }
    orr_frame *frame = ARENA_NEW(r->arena, orr_frame);
    orr_claim *ranges = ARENA_ARRAY(r->arena, orr_claim, f->n_inputs + f->n_ranges);
    const char **inputs = ARENA_ARRAY(r->arena, const char *, f->n_inputs);
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_inputs; i++) {
        inputs[i] = name_of(r, &f->inputs[i].what, f->inputs[i].place, false);
        if (f->inputs[i].low) read_range(&of, r, &f->inputs[i], &ranges[n++]);
    }
    for (uint32_t i = 0; i < f->n_ranges; i++) read_range(&of, r, &f->ranges[i], &ranges[n++]);
    const char *path = diag_path(r->diag, f->place.file);
    *frame = (orr_frame){ .name = f->name,
                          .inputs = inputs,
                          .n_inputs = f->n_inputs,
                          .observes = names_of(r, f->observes, f->observe_places, f->place, f->n_observes,
                                               true),
                          .n_observes = f->n_observes,
                          .file = path ? arena_copy_text(r->arena, path, strlen(path)) : NULL,
                          .line = diag_line(r->diag, f->place) };
    experiment->frame = frame;
    experiment->run.claims = ranges;
    experiment->run.n_claims = n;
    const char *outside = e->outside ? e->outside : f->outside;
    experiment->run.stop_outside = outside && strcmp(outside, "stop") == 0;
    if (experiment->n_records == 0) {
        experiment->records = frame->observes;
        experiment->n_records = frame->n_observes;
    }
    if (of.failed) fail(r);
    arena_free(&of.work);
}

// ---------------------------------------------------------------------------------------------- which one

// The first of the file itself. One that has neither models nor experiments of its own offers what it uses.
static const AstExperiment *first(const orr_source *source)
{
    const Ast *ast = &source->ast;
    for (size_t i = 0; i < ast->experiments.n; i++)
        if (ast->experiments.items[i].place.file == source->first) return &ast->experiments.items[i];
    for (size_t i = 0; i < ast->models.n; i++)
        if (ast->models.items[i].place.file == source->first) return NULL;
    return ast->experiments.n > 0 ? &ast->experiments.items[0] : NULL;
}

static const AstExperiment *find(const Ast *ast, const char *name, orr_diag *diag)
{
    for (size_t i = 0; i < ast->experiments.n; i++)
        if (strcmp(ast->experiments.items[i].name, name) == 0) return &ast->experiments.items[i];
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->experiments.n);
    for (size_t i = 0; i < ast->experiments.n; i++) names[i] = ast->experiments.items[i].name;
    diag_report(diag, DIAG_EXPERIMENT_UNKNOWN, (Place){ 0 }, name);
    const char *closest = text_closest(name, names, ast->experiments.n);
    if (closest) diag_suggest(diag, name, closest);
    else if (ast->experiments.n)
        diag_hint(diag, "there is '%s'%s", names[0], ast->experiments.n > 1 ? " and others" : "");
    else diag_hint(diag, "the file contains no experiment: leave the name out");
    arena_free(&work);
    return NULL;
}

static bool check_model(const Ast *ast, const AstExperiment *e, orr_diag *diag)
{
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->models.n);
    bool found = false;
    for (size_t i = 0; i < ast->models.n; i++) {
        names[i] = ast->models.items[i].name;
        found = found || strcmp(names[i], e->model) == 0;
    }
    if (!found) {
        diag_report(diag, DIAG_MODEL_UNKNOWN, e->model_place, e->model);
        diag_suggest(diag, e->model, text_closest(e->model, names, ast->models.n));
    }
    arena_free(&work);
    return found;
}

bool orr_experiment_get(const orr_source *source, const char *name, orr_experiment *experiment,
                        orr_diag *diag)
{
    const Ast *ast = &source->ast;
    *experiment = orr_experiment_default();
    const AstExperiment *e = name ? find(ast, name, diag) : first(source);
    if (!e && !name) return true;
    if (!e || !check_model(ast, e, diag)) return false;

    // the results belong to the source, of which only its arena changes
    Reader r = { .arena = &((orr_source *)source)->arena, .name = e->name, .diag = diag, .source = source };
    experiment->name = e->name;
    experiment->model = e->model;
    r.ast = ast;
    r.model = model_named(ast, e->model);
    if (e->from) experiment->from = time_value(&r, e->from, "from");
    if (e->until) experiment->until = read_until(&r, e->until);
    if (e->every) experiment->every = time_value(&r, e->every, "every");
    if (experiment->every < 0) {
        diag_report(diag, DIAG_SETTING_VALUE, e->every->place, "every", "a negative number",
                    "it is an interval of time");
        fail(&r);
    }
    experiment->run.solver = e->solver.name;
    read_options(&r, &e->solver, &experiment->run);
    read_islands(&r, e, &experiment->run);
    read_settings(&r, e, &experiment->run);
    read_inputs(&r, source, e, &experiment->run);
    experiment->run.quanta = read_of_states(&r, e->quanta, e->n_quanta, true);
    experiment->run.n_quanta = e->n_quanta;
    experiment->run.absolutes = read_of_states(&r, e->absolutes, e->n_absolutes, false);
    experiment->run.n_absolutes = e->n_absolutes;
    experiment->records = names_of(&r, e->records, e->record_places, e->place, e->n_records, true);
    experiment->n_records = e->n_records;
    experiment->as_polynomials = e->as_polynomials;
    experiment->reactions = e->reactions;
    read_sends(&r, source, e, experiment);
    read_plots(&r, e, experiment);
    read_data(&r, e, experiment);
    read_observes(&r, e, experiment);
    read_statistics(&r, e, experiment);
    read_chances(&r, e, experiment);
    experiment->run.stop_outside = e->outside && strcmp(e->outside, "stop") == 0;
    if (e->frame) read_frame(&r, e, experiment);
    experiment->keeps = e->keeps;
    read_kind(&r, source, e, experiment);
    read_sweeps(&r, source, e, experiment);
    keep_also(&r, experiment);
    read_scenarios(&r, source, e, experiment);
    read_draws(&r, source, e, experiment);
    experiment->missing = e->missing;
    if (e->solver.name) note_place(&r, e->solver.name, e->solver.place);
    orr_written *written = ARENA_ARRAY(r.arena, orr_written, r.written.n);
    if (r.written.n > 0) memcpy(written, r.written.items, r.written.n * sizeof *written);
    qsort(written, r.written.n, sizeof *written, by_address);
    experiment->run.written = written;
    experiment->run.n_written = r.written.n;
    arena_free(&r.work);
    return !r.failed;
}

bool orr_experiment_set(orr_experiment *experiment, const char *name, double value)
{
    if (*name == '$') name++;
    if (strcmp(name, "timestep") == 0) experiment->run.step = value;
    else if (strcmp(name, "endtime") == 0) experiment->until = value;
    else if (strcmp(name, "comminterval") == 0) experiment->every = value;
    else if (strcmp(name, "starttime") == 0) experiment->from = value;
    else return false;
    if (experiment->missing && strcmp(experiment->missing, name) == 0) experiment->missing = NULL;
    return true;
}
