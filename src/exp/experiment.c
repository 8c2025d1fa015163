// src/exp/experiment.c: an experiment as written becomes numbers and names.
#include "exp/bind.h"
#include "exp/reader.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

orr_experiment orr_experiment_default(void)
{
    return (orr_experiment){ .name = "", .until = NAN, .run = orr_run_options_default() };
}

// ---------------------------------------------------------------------------------------------- statements

static void read_options(Reader *r, const AstSolver *e, orr_run_options *run)
{
    const struct {
        const char *name;
        double *value;
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
        const char *name = reader_name(r, &option->target, option->place, false);
        size_t i = 0;
        while (i < N_KNOWN && strcmp(names[i], name) != 0) i++;
        if (i == N_KNOWN) {
            diag_report(r->diag, DIAG_SOLVER_OPTION, option->place, e->name ? e->name : "auto", name);
            const char *closest = text_closest(name, names, N_KNOWN);
            if (closest) diag_suggest(r->diag, name, closest);
            else
                diag_hint(r->diag, "there are step, tol, abs and max; of quantised states "
                                   "quantum, relative and min; with noise path");
            reader_fail(r);
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
            reader_fail(r);
            continue;
        }
        const bool is_time = known[i].value == &run->step || known[i].value == &run->max_step ||
                             known[i].value == &run->path;
        const double value = is_time ? reader_time(r, option->value, name)
                                     : reader_number(r, option->value, name);
        if (!(value > 0) && !r->failed) {
            const bool is_step = known[i].value == &run->step || known[i].value == &run->max_step ||
                                 known[i].value == &run->path;
            if (is_step) diag_report(r->diag, DIAG_STEP_BAD, option->place, value);
            else if (is_quantum) diag_report(r->diag, DIAG_QUANTUM_BAD, option->place, value);
            else diag_report(r->diag, DIAG_TOLERANCE_BAD, option->place, value);
            reader_fail(r);
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
        reader_note(r, s->name, s->place);
        islands[i] = (orr_island_solver){ .island = reader_name(r, &s->island, s->island_place, false),
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
        settings[i].name = reader_name(r, &e->sets[i].target, e->sets[i].place, false);
        r->may_be_infinite = true;    // the run knows what may
        settings[i].value = reader_value(r, e->sets[i].value, &e->sets[i].target, false, settings[i].name);
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
        const char *name = reader_name(r, &written->target, written->target_place, false);
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(inputs[k].name, name) != 0) continue;
            diag_report(r->diag, DIAG_INPUT_TWICE, written->place, name);
            diag_note(r->diag, e->inputs[k].place, "it is given here first");
            reader_fail(r);
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
        const char *const *names = reader_names(r, written->refs, NULL, written->place, written->n_refs,
                                                false);
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
        settings[i].name = reader_name(r, &from->target, from->place, false);
        settings[i].value = reader_value(r, from->value, &from->target, true, settings[i].name);
        if (settings[i].value > 0 || r->failed) continue;
        if (is_quantum) diag_report(r->diag, DIAG_QUANTUM_BAD, from->place, settings[i].value);
        else diag_report(r->diag, DIAG_TOLERANCE_BAD, from->place, settings[i].value);
        reader_fail(r);
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
        const char *const *ys = reader_names(r, plot->ys, plot->y_places, plot->place, plot->n_ys,
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
                                                   : reader_name(r, &plot->over, plot->over_place, false) };
    }
    experiment->plots = plots;
    experiment->n_plots = n;
}

// What is the same for all names of one statement.
static void read_statistic(Reader *r, const AstStatistic *from, orr_statistic *to)
{
    double *percentiles = ARENA_ARRAY(r->arena, double, from->n_percentiles);
    for (uint32_t i = 0; i < from->n_percentiles; i++)
        percentiles[i] = reader_number_within(r, from->percentiles[i], "percentiles", 0, 100, false,
                                              "a number from 0 to 100 is needed");
    to->percentiles = percentiles;
    to->n_percentiles = from->n_percentiles;
    if (!from->has_histogram) return;
    to->n_bins = 20;
    if (from->n_bins)
        to->n_bins = (size_t)fmax(0, reader_number_within(r, from->n_bins, "bins", 1, ORR_BINS_MAX, true,
                                                          "a whole number from 1 to 1000 is needed"));
    if (!from->low) return;
    to->low = reader_number(r, from->low, "the lower end of the bins");
    to->high = reader_number(r, from->high, "the upper end of the bins");
    if (isnan(to->low) || isnan(to->high) || to->low < to->high) return;
    char text[80];
    snprintf(text, sizeof text, "%.10g..%.10g", to->low, to->high);
    diag_report(r->diag, DIAG_SETTING_VALUE, place_join(from->low->place, from->high->place), "bins", text,
                "the lower end comes first");
    reader_fail(r);
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
            all.name = reader_name(r, &from->refs[k], from->places[k], false);
            if (text_map_find(&names, text_from(all.name))) {
                diag_report(r->diag, DIAG_STATISTIC_NAME, from->places[k], all.name, "it is named twice");
                reader_fail(r);
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
            0, reader_number_within(r, e->seed, "seed", 0, 0x1p53, true,
                                    "a whole number from 0 to 2^53 is needed"));
    if (e->replications)
        experiment->replications = (size_t)fmax(
            0, reader_number_within(r, e->replications, "replications", 2, ORR_REPLICATIONS_MAX, true,
                                    "a whole number from 2 to 10,000,000 is needed"));
    if (e->warm_up) {
        experiment->warm_up = reader_time(r, e->warm_up, "warm up");
        if (experiment->warm_up < 0) {
            diag_report(r->diag, DIAG_SETTING_VALUE, e->warm_up->place, "warm up", "a negative time",
                        "it is how long");
            reader_fail(r);
        }
    }
    if (e->precision)
        experiment->precision = reader_number_within(r, e->precision, "precision", 1e-9, 1, false,
                                                     "a part of the mean is needed, such as 0.05");
    if (e->confidence)
        experiment->confidence = reader_number_within(r, e->confidence, "confidence", 0.01, 0.999999, false,
                                                      "a probability below 1 is needed, such as 0.95");
    const char **names = ARENA_ARRAY(r->arena, const char *, e->n_precise);
    for (uint32_t i = 0; i < e->n_precise; i++) {
        names[i] = reader_name(r, &e->precise[i], e->precise_places[i], false);
        if (!e->precise_means[i]) continue;
        names[i] = arena_printf(r->arena, "mean(%s)", names[i]);
        reader_note(r, names[i], e->precise_places[i]);
    }
    experiment->precise = names;
    experiment->n_precise = e->n_precise;
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
    reader_fail(r);
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
    double value = reader_evaluate(r, e);
    const char *unit = unit_of(range->high);
    if (e == range->low && unit && !unit_of(e) && isfinite(value)) value = reader_convert(r, e, unit, value);
    r->needs = NEEDS_NO_UNIT;
    if (isnan(value) && !r->failed) {
        diag_report(r->diag, DIAG_SETTING_VALUE, e->place, "a bound", "not a number",
                    "a number or inf is needed");
        reader_fail(r);
    }
    return value;
}

// From the model of the frame, `of`, to that of the experiment, which may count in other units.
static void read_range(Reader *of, Reader *r, const AstClaim *range, orr_claim *out)
{
    out->name = reader_name(r, &range->what, range->place, false);
    out->low = bound(of, range, range->low);
    out->high = bound(of, range, range->high);
    const char *path = diag_path(r->diag, range->place.file);
    out->file = path ? arena_copy_text(r->arena, path, strlen(path)) : NULL;
    diag_locate(r->diag, range->place, &out->line, &out->column);
    if (of->failed) return;
    if (!(out->low <= out->high)) {
        diag_report(r->diag, DIAG_FRAME_RANGE, range->place, out->name, out->low, out->high);
        diag_hint(r->diag, "the smaller bound stands first");
        reader_fail(r);
    }
    if (of->model == r->model) return;
    Reader *const both[] = { of, r };
    const char *units[2];
    for (int i = 0; i < 2; i++) {
        reader_find_units(both[i]);
        units[i] = units_of_ref(both[i]->units, &range->what);
    }
    if (!units[0] || !units[1]) return;
    double *const bounds[] = { &out->low, &out->high };
    for (int i = 0; i < 2 && !r->failed; i++)
        if (isfinite(*bounds[i]) &&
            !units_convert(r->ast, units[0], units[1], false, range->place, bounds[i], r->diag))
            reader_fail(r);
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
        reader_fail(r);
        return;
    }
    orr_frame *frame = ARENA_NEW(r->arena, orr_frame);
    orr_claim *ranges = ARENA_ARRAY(r->arena, orr_claim, f->n_inputs + f->n_ranges);
    const char **inputs = ARENA_ARRAY(r->arena, const char *, f->n_inputs);
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_inputs; i++) {
        inputs[i] = reader_name(r, &f->inputs[i].what, f->inputs[i].place, false);
        if (f->inputs[i].low) read_range(&of, r, &f->inputs[i], &ranges[n++]);
    }
    for (uint32_t i = 0; i < f->n_ranges; i++) read_range(&of, r, &f->ranges[i], &ranges[n++]);
    const char *path = diag_path(r->diag, f->place.file);
    *frame = (orr_frame){ .name = f->name,
                          .inputs = inputs,
                          .n_inputs = f->n_inputs,
                          .observes = reader_names(r, f->observes, f->observe_places, f->place, f->n_observes,
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
    if (of.failed) reader_fail(r);
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

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const orr_written *)a)->name,
                    y = (uintptr_t)((const orr_written *)b)->name;
    return (x > y) - (x < y);
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
    r.model = reader_model_named(ast, e->model);
    if (e->from) experiment->from = reader_time(&r, e->from, "from");
    if (e->until) experiment->until = reader_until(&r, e->until);
    if (e->every) experiment->every = reader_time(&r, e->every, "every");
    if (experiment->every < 0) {
        diag_report(diag, DIAG_SETTING_VALUE, e->every->place, "every", "a negative number",
                    "it is an interval of time");
        reader_fail(&r);
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
    experiment->records = reader_names(&r, e->records, e->record_places, e->place, e->n_records, true);
    experiment->n_records = e->n_records;
    experiment->as_polynomials = e->as_polynomials;
    experiment->reactions = e->reactions;
    read_sends(&r, source, e, experiment);
    read_plots(&r, e, experiment);
    reader_data(&r, e, experiment);
    reader_observes(&r, e, experiment);
    read_statistics(&r, e, experiment);
    read_chances(&r, e, experiment);
    experiment->run.stop_outside = e->outside && strcmp(e->outside, "stop") == 0;
    if (e->frame) read_frame(&r, e, experiment);
    experiment->keeps = e->keeps;
    reader_kind(&r, source, e, experiment);
    reader_sweeps(&r, source, e, experiment);
    reader_keep_also(&r, experiment);
    reader_scenarios(&r, source, e, experiment);
    reader_draws(&r, source, e, experiment);
    experiment->missing = e->missing;
    if (e->solver.name) reader_note(&r, e->solver.name, e->solver.place);
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
