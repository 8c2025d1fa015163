// src/run/watch.c: claims about a run: asserts of the model and ranges of its frame.
//
// Claims are looked at where a step ends, at events and at some points between, and never change a step.
// Where one is found broken that held before, the first such time is found on the dense output, to rounding.
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 4 };    // places in a step of free length

typedef struct Range {
    size_t   variable;        // as the interface numbers it
    uint32_t place, state;    // in v, and among the states (FLAT_NONE: it is none)
    double   low, high;
    const char *file;         // where it is written, in the run's arena; NULL: nowhere
    size_t   line, column;
    orr_left left;            // of which t is NaN while it has not been left
} Range;

struct Watch {
    Range   *ranges;          // [n_ranges]
    size_t   n_ranges;
    bool     needs_values;    // some are neither states nor parameters
    bool     stops;           // the run ends where a claim is broken first
    orr_left *broken;         // [n_asserts] t NaN: held so far
    double  *asserts;         // [n_asserts] scratch
    double  *values;          // [n_ranges] scratch
    double  *x;               // [n_states] scratch
};

// ---------------------------------------------------------------------------------------------- looking

// All claims at (t, x). False where they cannot be computed: the next step will say why.
static bool evaluate(orr_run *run, double t, const double *x)
{
    struct Watch *w = run->watch;
    const orr_model *model = run->model;
    const CodeEnv *env = &run->island.env;
    if (model->n_asserts && code_call(&model->code, IR_ASSERTS, t, x, env, w->asserts) != 0) return false;
    if (w->needs_values) {
        run->island.values_valid = false;
        if (code_call(&model->code, IR_VALUES, t, x, env, NULL) != 0) return false;
    }
    for (size_t i = 0; i < w->n_ranges; i++) {
        const Range *range = &w->ranges[i];
        w->values[i] = range->state != FLAT_NONE ? x[range->state] : env->v[range->place];
    }
    return true;
}

static bool is_outside(const Range *range, double value)
{
    return !(value >= range->low && value <= range->high);
}

static bool any_is_new(const orr_run *run)
{
    const struct Watch *w = run->watch;
    for (size_t i = 0; i < run->model->n_asserts; i++)
        if (w->asserts[i] == 0 && isnan(w->broken[i].t)) return true;
    for (size_t i = 0; i < w->n_ranges; i++)
        if (isnan(w->ranges[i].left.t) && is_outside(&w->ranges[i], w->values[i])) return true;
    return false;
}

static void state_at(Island *island, double t, double *x)
{
    if (t >= island->t) memcpy(x, island->x, island->model->n_states * sizeof *x);
    else domain_state_at(island, t, x);
}

// The first time in (lo, hi] at which a claim is broken that held at lo, by bisection: some are, so none is
// missed. The claims are then evaluated there.
static double locate(orr_run *run, Island *island, double lo, double hi)
{
    struct Watch *w = run->watch;
    const double finest = DBL_EPSILON * fmax(fmax(fabs(lo), fabs(hi)), hi - lo);
    while (hi - lo > finest) {
        const double middle = lo + 0.5 * (hi - lo);
        if (!(middle > lo && middle < hi)) break;
        state_at(island, middle, w->x);
        if (evaluate(run, middle, w->x) && !any_is_new(run)) lo = middle;
        else hi = middle;
    }
    state_at(island, hi, w->x);
    evaluate(run, hi, w->x);
    return hi;
}

// ---------------------------------------------------------------------------------------------- telling

static void report_assert(orr_run *run, size_t i, double t)
{
    const orr_model *model = run->model;
    const FlatAssert *assertion = &model->flat.asserts.items[i];
    char *text = run_expr_text(model, assertion->condition);
    run->watch->broken[i] = (orr_left){ .name = assertion->text ? assertion->text
                                                                : arena_printf(&run->arena, "%s", text),
                                        .low = NAN,
                                        .high = NAN,
                                        .t = t,
                                        .value = NAN,
                                        .worst = NAN,
                                        .t_worst = t };
    diag_report(run->diag, DIAG_ASSERT_BROKEN, run_place(model, run->diag, assertion->place), t,
                assertion->text ? assertion->text : text);
    if (assertion->text) diag_note(run->diag, (Place){ 0 }, "it claims %s", text);
    free(text);
}

static void report_range(orr_run *run, Range *range, double t, double value)
{
    const orr_variable var = orr_model_variable(run->model, range->variable);
    range->left = (orr_left){ .name = var.name,
                              .low = range->low,
                              .high = range->high,
                              .t = t,
                              .value = value,
                              .worst = value,
                              .t_worst = t };
    char claim[128];
    snprintf(claim, sizeof claim, "it is %.10g and should be in %.10g..%.10g%s%s%s", value, range->low,
             range->high, var.unit ? " [" : "", var.unit ? var.unit : "", var.unit ? "]" : "");
    const Place place = diag_place(run->diag, (orr_place){ .file = range->file,
                                                           .line = range->line,
                                                           .column = range->column,
                                                           .length = 1 });
    diag_report(run->diag, DIAG_FRAME_LEFT, place, var.name, t, claim);
}

// What is broken at t for the first time, and how far ranges are left.
static void note(orr_run *run, double t)
{
    struct Watch *w = run->watch;
    const size_t before = run->n_violations;
    for (size_t i = 0; i < run->model->n_asserts; i++) {
        if (w->asserts[i] != 0 || !isnan(w->broken[i].t)) continue;
        run->n_violations++;
        report_assert(run, i, t);
    }
    for (size_t i = 0; i < w->n_ranges; i++) {
        Range *range = &w->ranges[i];
        const double value = w->values[i];
        if (!is_outside(range, value)) continue;
        if (isnan(range->left.t)) {
            run->n_violations++;
            report_range(run, range, t, value);
            continue;
        }
        const double now = fmax(range->low - value, value - range->high);
        const double worst = fmax(range->low - range->left.worst, range->left.worst - range->high);
        if (now > worst && t <= run->t_stop) range->left.worst = value, range->left.t_worst = t;
    }
    if (run->n_violations == before) return;
    if (w->stops && t < run->t_stop) {
        run->t_stop = t;
        diag_hint(run->diag, "the run stops here, as its frame asks");
    } else if (w->n_ranges > 0) {
        diag_hint(run->diag, "the run goes on, and its results are marked");
    }
}

void watch_look(orr_run *run, Island *island)
{
    struct Watch *w = run->watch;
    if (!w) return;
    const double from = island->t_before, to = island->t;
    const int looks = to > from && !island->solver->fixed_step ? LOOKS : 1;
    double lo = from;
    for (int i = 1; i <= looks; i++) {
        const double at = i == looks ? to : from + (to - from) * i / looks;
        // several claims may be broken one after the other between two looks
        for (;;) {
            state_at(island, at, w->x);
            if (!evaluate(run, at, w->x)) return;
            if (!any_is_new(run)) break;
            const double found = at > lo ? locate(run, island, lo, at) : at;
            note(run, found);
            lo = found;
            if (found == at) break;
        }
        note(run, at);
        lo = at;
    }
}

bool watch_is_inside(orr_run *run)
{
    struct Watch *w = run->watch;
    if (!w) return true;
    if (!evaluate(run, run->t, run->x)) return false;
    for (size_t i = 0; i < run->model->n_asserts; i++)
        if (w->asserts[i] == 0) return false;
    for (size_t i = 0; i < w->n_ranges; i++)
        if (is_outside(&w->ranges[i], w->values[i])) return false;
    return true;
}

bool watch_has_ranges(const orr_run *run) { return run->watch && run->watch->n_ranges > 0; }

bool watch_is_broken(const orr_run *run, size_t i) { return !isnan(run->watch->broken[i].t); }

// ---------------------------------------------------------------------------------------------- life

bool watch_open(orr_run *run, const orr_run_options *options)
{
    const orr_model *model = run->model;
    run->t_stop = INFINITY;
    if (model->n_asserts == 0 && options->n_claims == 0) return true;
    Arena *arena = &run->arena;
    struct Watch *w = run->watch = ARENA_NEW(arena, struct Watch);
    w->stops = options->stop_outside;
    w->asserts = ARENA_ARRAY(arena, double, model->n_asserts);
    w->broken = ARENA_ARRAY(arena, orr_left, model->n_asserts);
    w->ranges = ARENA_ARRAY(arena, Range, options->n_claims);
    w->values = ARENA_ARRAY(arena, double, options->n_claims);
    w->x = ARENA_ARRAY(arena, double, model->n_states);
    bool ok = true;
    for (size_t i = 0; i < options->n_claims; i++) {
        const orr_claim *given = &options->claims[i];
        const size_t variable = orr_model_find(model, given->name);
        if (variable == (size_t)-1) {
            diag_report(run->diag, DIAG_RECORD_UNKNOWN, (Place){ 0 }, given->name);
            ok = false;
            continue;
        }
        const ModelVariable v = model_variable(model, variable);
        if (v.part) {
            diag_report(run->diag, DIAG_RANGE_OF_COMPONENT, (Place){ 0 }, given->name);
            ok = false;
            continue;
        }
        const char *file = given->file ? arena_copy_text(arena, given->file, strlen(given->file)) : NULL;
        w->ranges[w->n_ranges++] = (Range){ .variable = variable,
                                            .place = v.place,
                                            .state = v.state,
                                            .low = given->low,
                                            .high = given->high,
                                            .file = file,
                                            .line = given->line,
                                            .column = given->column };
        w->needs_values |= v.kind == FLAT_VARIABLE && v.state == FLAT_NONE;
    }
    watch_start(run);
    run->island.chunk = 1;    // each step is looked at
    return ok;
}

void watch_start(orr_run *run)
{
    struct Watch *w = run->watch;
    if (!w || run->n_reruns > 0) return;    // of a study the first time counts
    for (size_t i = 0; i < run->model->n_asserts; i++) w->broken[i].t = NAN;
    for (size_t i = 0; i < w->n_ranges; i++) w->ranges[i].left.t = NAN;
}

bool orr_run_left(const orr_run *run, size_t i, orr_left *left)
{
    const struct Watch *w = run->watch;
    for (size_t k = 0; w && k < run->model->n_asserts + w->n_ranges; k++) {
        const orr_left *l = k < run->model->n_asserts ? &w->broken[k]
                                                      : &w->ranges[k - run->model->n_asserts].left;
        if (isnan(l->t) || i-- > 0) continue;
        *left = *l;
        return true;
    }
    return false;
}

static const char *assert_text(orr_run *run, size_t i)
{
    const FlatAssert *assertion = &run->model->flat.asserts.items[i];
    if (assertion->text) return assertion->text;
    char *text = run_expr_text(run->model, assertion->condition);
    const char *copy = arena_printf(&run->arena, "%s", text);
    free(text);
    return copy;
}

static void pass_left(orr_left *left, RunSaved *saved)
{
    double *const numbers[] = { &left->t, &left->value, &left->worst, &left->t_worst };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        saved_pass(saved, numbers[i], sizeof **numbers);
}

void watch_pass(orr_run *run, RunSaved *saved)
{
    struct Watch *w = run->watch;
    if (!w) return;
    for (size_t i = 0; i < w->n_ranges; i++) {
        Range *range = &w->ranges[i];
        pass_left(&range->left, saved);
        range->left.name = orr_model_variable(run->model, range->variable).name;
        range->left.low = range->low;
        range->left.high = range->high;
    }
    for (size_t i = 0; i < run->model->n_asserts; i++) {
        pass_left(&w->broken[i], saved);
        if (!saved->is_loading || isnan(w->broken[i].t)) continue;
        w->broken[i].name = assert_text(run, i);
        w->broken[i].low = w->broken[i].high = NAN;
    }
}
