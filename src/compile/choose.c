// src/compile/choose.c: which model of a source is meant, and that names mean one thing.
#include "compile/compile.h"
#include <string.h>

enum { NAMES_SHOWN = 12 };    // in a hint

static const AstModel *find_model(const Ast *ast, const char *name)
{
    for (size_t i = 0; i < ast->models.n; i++)
        if (strcmp(ast->models.items[i].name, name) == 0) return &ast->models.items[i];
    return NULL;
}

static const AstModel *named_model(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    const AstModel *model = find_model(ast, c->options->model);
    if (model) return model;
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->models.n + 1);
    for (size_t i = 0; i < ast->models.n; i++) names[i] = ast->models.items[i].name;
    diag_report(c->diag, DIAG_MODEL_UNKNOWN, (Place){ 0 }, c->options->model);
    const char *closest = text_closest(c->options->model, names, ast->models.n);
    StrBuf all = { .arena = &work };
    for (size_t i = 0; i < ast->models.n && i < NAMES_SHOWN; i++)
        str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (closest) diag_suggest(c->diag, c->options->model, closest);
    else if (ast->models.n > 0)
        diag_hint(c->diag, "there are %s%s", str_finish(&all), ast->models.n > NAMES_SHOWN ? ", …" : "");
    arena_free(&work);
    return NULL;
}

// The one model that no other uses as a component. Models of the file itself go before those of files it
// uses.
static const AstModel *top_model(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    Arena work = { 0 };
    TextMap components;
    text_map_init(&components, &work);
    for (size_t i = 0; i < ast->models.n; i++) {
        const AstModel *model = &ast->models.items[i];
        for (uint32_t k = 0; k < model->n_items; k++)
            if (model->items[k].kind == AST_COMPONENT)
                text_map_put(&components, text_from(model->items[k].component.model), 0);
    }
    const AstModel *top = NULL;
    StrBuf tops = { .arena = &work };
    size_t n_tops = 0;
    for (int own = 1; own >= 0 && n_tops == 0; own--) {
        for (size_t i = 0; i < ast->models.n; i++) {
            const AstModel *model = &ast->models.items[i];
            if (model->atomic) continue;
            if ((own && model->place.file != c->source->first) ||
                text_map_find(&components, text_from(model->name)))
                continue;
            top = model;
            str_addf(&tops, "%s%s", n_tops++ ? ", " : "", top->name);
        }
    }
    if (n_tops == 0 && ast->models.n > 0) {    // only cycles: expanding the first names the cycle
        top = &ast->models.items[0];
    } else if (n_tops == 0) {
        diag_report(c->diag, DIAG_MODEL_NONE, (Place){ 0 }, c->source->path);
        if (c->source->ast.machines.n > 0)
            diag_hint(c->diag, "it has machines: see orrery run --inputs and orrery machine");
        else if (c->source->ast.atomics.n > 0)
            diag_hint(c->diag, "it has atomics, which are components of models: model Name; a : %s; end",
                      c->source->ast.atomics.items[0].name);
        else diag_hint(c->diag, "a model is written: model Name … end");
    } else if (n_tops > 1) {
        diag_report(c->diag, DIAG_MODEL_AMBIGUOUS, (Place){ 0 }, str_finish(&tops));
        diag_hint(c->diag, "choose one with --model, or name an experiment of the file");
        top = NULL;
    }
    arena_free(&work);
    return top;
}

typedef struct Named {
    const char *name;
    Place       place;
} Named;

static bool are_unique(const Compile *c, const Named *all, size_t n, Arena *work)
{
    TextMap seen;
    text_map_init(&seen, work);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        if (text_map_put(&seen, text_from(all[i].name), (uint32_t)i)) continue;
        const uint32_t first = *text_map_find(&seen, text_from(all[i].name));
        diag_report(c->diag, DIAG_MODEL_TWICE, all[i].place, all[i].name);
        diag_note(c->diag, all[first].place, "'%s' is defined here first", all[i].name);
        ok = false;
    }
    return ok;
}

bool choose_names_are_unique(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    Arena work = { 0 };
    Named *models = ARENA_ARRAY(&work, Named, ast->models.n);
    Named *experiments = ARENA_ARRAY(&work, Named, ast->experiments.n);
    Named *frames = ARENA_ARRAY(&work, Named, ast->frames.n);
    Named *units = ARENA_ARRAY(&work, Named, ast->units.n);
    size_t n_models = 0;    // without atomics, which are looked at by themselves
    for (size_t i = 0; i < ast->models.n; i++) {
        const AstModel *model = &ast->models.items[i];
        if (!model->atomic) models[n_models++] = (Named){ model->name, model->place };
    }
    for (size_t i = 0; i < ast->experiments.n; i++)
        experiments[i] = (Named){ ast->experiments.items[i].name, ast->experiments.items[i].place };
    for (size_t i = 0; i < ast->frames.n; i++)
        frames[i] = (Named){ ast->frames.items[i].name, ast->frames.items[i].place };
    for (size_t i = 0; i < ast->units.n; i++)
        units[i] = (Named){ ast->units.items[i].name, ast->units.items[i].place };
    bool ok = are_unique(c, models, n_models, &work);
    ok = are_unique(c, experiments, ast->experiments.n, &work) && ok;
    ok = are_unique(c, frames, ast->frames.n, &work) && ok;
    ok = are_unique(c, units, ast->units.n, &work) && ok;
    arena_free(&work);
    return ok;
}

bool choose_model(Compile *c)
{
    c->chosen = c->options->model ? named_model(c) : top_model(c);
    if (c->chosen && c->options->n_also) c->chosen = ast_model_with(&c->model->arena, c->chosen,
                                                                   c->options->also, c->options->n_also);
    return c->chosen != NULL;
}
