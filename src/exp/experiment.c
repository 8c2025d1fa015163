// src/exp/experiment.c: an experiment as written becomes one that can be run.
#include "base/diag.h"
#include "exp/constant.h"
#include "orrery/experiment.h"
#include "source.h"
#include <math.h>
#include <string.h>

orr_experiment orr_experiment_default(void)
{
    return (orr_experiment){ .name = "", .until = NAN, .run = orr_run_options_default() };
}

// ---------------------------------------------------------------------------------------------- which one

static const AstExperiment *choose(const orr_source *source, const char *name, orr_diag *diag)
{
    const Ast *ast = &source->ast;
    if (!name) return ast->experiments.n ? &ast->experiments.items[0] : NULL;
    for (size_t i = 0; i < ast->experiments.n; i++)
        if (strcmp(ast->experiments.items[i].name, name) == 0) return &ast->experiments.items[i];
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->experiments.n + 1);
    for (size_t i = 0; i < ast->experiments.n; i++) names[i] = ast->experiments.items[i].name;
    diag_report(diag, DIAG_EXPERIMENT_UNKNOWN, (Place){ 0 }, name);
    const char *closest = text_closest(name, names, ast->experiments.n);
    if (closest) diag_hint(diag, "did you mean '%s'?", closest);
    else if (ast->experiments.n == 0) diag_hint(diag, "'%s' contains no experiment", source->path);
    else diag_hint(diag, "there is '%s'%s", names[0], ast->experiments.n > 1 ? " and others" : "");
    arena_free(&work);
    return NULL;
}

static bool model_exists(const Ast *ast, const AstExperiment *e, orr_diag *diag)
{
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->models.n + 1);
    bool found = false;
    for (size_t i = 0; i < ast->models.n; i++) {
        names[i] = ast->models.items[i].name;
        found = found || strcmp(names[i], e->model) == 0;
    }
    if (!found) {
        diag_report(diag, DIAG_MODEL_UNKNOWN, e->model_place, e->model);
        const char *closest = text_closest(e->model, names, ast->models.n);
        if (closest) diag_hint(diag, "did you mean '%s'?", closest);
    }
    arena_free(&work);
    return found;
}

// ---------------------------------------------------------------------------------------------- what it says

static bool read_option(const AstSetting *option, const AstExperiment *ast, orr_run_options *run, orr_diag *diag)
{
    static const struct { const char *name; size_t offset; } options[] = {
        { "step", offsetof(orr_run_options, step) },
        { "tol", offsetof(orr_run_options, tolerance) },
        { "abs", offsetof(orr_run_options, absolute) },
        { "max_step", offsetof(orr_run_options, max_step) },
    };
    const char *name = option->target.parts[0].name;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, name) == 0)
            return constant_value(option->value, (double *)(void *)((char *)run + options[i].offset), diag);
    diag_report(diag, DIAG_SOLVER_OPTION, option->place, ast->solver ? ast->solver : "auto", name);
    diag_hint(diag, "options are step, tol, abs and max_step");
    return false;
}

static bool read_sets(const AstExperiment *ast, orr_experiment *e, Arena *arena, orr_diag *diag)
{
    orr_setting *settings = ARENA_ARRAY(arena, orr_setting, ast->n_sets + 1);
    bool ok = true;
    for (uint32_t i = 0; i < ast->n_sets; i++) {
        settings[i].name = constant_name(&ast->sets[i].target, arena, diag);
        ok = settings[i].name && constant_value(ast->sets[i].value, &settings[i].value, diag) && ok;
    }
    e->run.settings = settings;
    e->run.n_settings = ast->n_sets;
    return ok;
}

static const char *const *read_names(const AstRef *refs, uint32_t n, Arena *arena, bool *ok, orr_diag *diag)
{
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = constant_name(&refs[i], arena, diag);
        if (!names[i]) *ok = false;
    }
    return names;
}

static bool read_plots(const AstExperiment *ast, orr_experiment *e, Arena *arena, orr_diag *diag)
{
    orr_plot *plots = ARENA_ARRAY(arena, orr_plot, ast->n_plots + 1);
    bool ok = true;
    for (uint32_t i = 0; i < ast->n_plots; i++) {
        const AstPlot *p = &ast->plots[i];
        plots[i].ys = read_names(p->ys, p->n_ys, arena, &ok, diag);
        plots[i].n_ys = p->n_ys;
        const bool over_time = p->over.n_parts == 0 || (p->over.n_parts == 1 && strcmp(p->over.parts[0].name, "t") == 0);
        if (!over_time) plots[i].over = constant_name(&p->over, arena, diag);
    }
    e->plots = plots;
    e->n_plots = ast->n_plots;
    return ok;
}

static bool read_expects(const AstExperiment *ast, orr_experiment *e, Arena *arena, orr_diag *diag)
{
    orr_expect *expects = ARENA_ARRAY(arena, orr_expect, ast->n_expects + 1);
    bool ok = true;
    for (uint32_t i = 0; i < ast->n_expects; i++) {
        const AstExpect *a = &ast->expects[i];
        expects[i] = (orr_expect){ .name = constant_name(&a->what, arena, diag), .at = NAN,
                                   .line = diag_line(diag, a->place), .file = diag_path(diag, a->place.file) };
        ok = expects[i].name && ok;
        if (a->at) ok = constant_value(a->at, &expects[i].at, diag) && ok;
        ok = constant_value(a->value, &expects[i].value, diag) && ok;
        ok = constant_value(a->within, &expects[i].within, diag) && ok;
    }
    e->expects = expects;
    e->n_expects = ast->n_expects;
    return ok;
}

bool orr_experiment_get(const orr_source *source, const char *name, orr_experiment *e, orr_diag *diag)
{
    *e = orr_experiment_default();
    const AstExperiment *ast = choose(source, name, diag);
    if (!ast) return name == NULL;
    Arena *arena = source->ast.arena;    // lives as long as the source, as promised
    bool ok = model_exists(&source->ast, ast, diag);
    e->name = ast->name;
    e->model = ast->model;
    e->missing = ast->missing;
    e->run.solver = ast->solver;
    if (ast->from) ok = constant_value(ast->from, &e->from, diag) && ok;
    if (ast->until) ok = constant_value(ast->until, &e->until, diag) && ok;
    if (ast->every) ok = constant_value(ast->every, &e->every, diag) && ok;
    else if (isfinite(e->until)) e->every = (e->until - e->from) / 500;
    for (uint32_t i = 0; i < ast->n_options; i++) ok = read_option(&ast->options[i], ast, &e->run, diag) && ok;
    e->records = read_names(ast->records, ast->n_records, arena, &ok, diag);
    e->n_records = ast->n_records;
    ok = read_sets(ast, e, arena, diag) && ok;
    ok = read_plots(ast, e, arena, diag) && ok;
    return read_expects(ast, e, arena, diag) && ok;
}

bool orr_experiment_set(orr_experiment *e, const char *name, double value)
{
    const struct { const char *name; double *field; } settings[] = {
        { "timestep", &e->run.step }, { "endtime", &e->until }, { "comminterval", &e->every }, { "starttime", &e->from },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (strcmp(settings[i].name, name) != 0) continue;
        *settings[i].field = value;
        if (e->missing && strcmp(e->missing, name) == 0) e->missing = NULL;
        return true;
    }
    return false;
}
