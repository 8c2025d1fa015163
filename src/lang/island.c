// src/lang/island.c: what a model sees of the islands in it: a stub, with the names of the model but
// without its equations.
//
// Parameters and inputs stay what they are, so that the model around gives them values and leads arrows to
// them. Whatever the island computes is a discrete variable there: it changes when the island tells it.
#include "base/diag.h"
#include "base/map.h"
#include "lang/ast.h"
#include <string.h>

typedef struct Stubs {
    Ast *ast;
    orr_diag *diag;
    TextMap models;     // name → number in ast->models
    TextMap made[2];    // name → number in ast->stubs; [1]: of components of islands
    bool ok;
    VEC(AstItem) items;    // of the stub being made, on top of those of the stubs around it
} Stubs;

static void report(Stubs *s, Place place, const char *name, const char *why, const char *hint)
{
    diag_report(s->diag, DIAG_ISLAND_BAD, place, name, why);
    diag_hint(s->diag, "%s", hint);
    s->ok = false;
}

static void add_known(Stubs *s, const AstDecl *from, const char *name, Place place, TextMap *names)
{
    if (!text_map_put(names, text_from(name), 0)) return;
    AstExpr *zero = ARENA_NEW(s->ast->arena, AstExpr);
    *zero = (AstExpr){ .kind = AST_NUMBER, .place = place };
    AstItem item = { .kind = AST_DECL, .place = place };
    if (from) item.decl = *from;
    item.decl.kind = AST_DISCRETE;
    item.decl.name = name;
    item.decl.value = zero;
    item.decl.is_guess = item.decl.is_positive = false;
    item.decl.nominal = NULL;
    item.decl.place = place;
    vec_push(s->ast->arena, &s->items, item);
}

static bool make(Stubs *s, const char *model, Place place, bool is_within, uint32_t *stub);

static void add_decl(Stubs *s, const AstItem *item, bool is_within, TextMap *names)
{
    const AstDecl *d = &item->decl;
    if (d->primes > 0) return;
    switch (d->kind) {
    case AST_PARAM:
    case AST_CONST: vec_push(s->ast->arena, &s->items, *item); break;
    case AST_INPUT:
        // what leads to an input of a component stands inside of the island
        if (is_within) add_known(s, d, d->name, d->place, names);
        else vec_push(s->ast->arena, &s->items, *item);
        break;
    case AST_VAR:
    case AST_OUTPUT:
    case AST_DISCRETE: add_known(s, d, d->name, d->place, names); break;
    case AST_EVENT_INPUT:
    case AST_EVENT_OUTPUT:
        if (!is_within) vec_push(s->ast->arena, &s->items, *item);
        break;
    case AST_ACROSS:
    case AST_THROUGH: break;
    }
}

static void add_item(Stubs *s, const AstItem *item, bool is_within, TextMap *names)
{
    if (item->kind == AST_DECL) {
        add_decl(s, item, is_within, names);
    } else if (item->kind == AST_EQUATION) {
        const AstExpr *lhs = item->equation.lhs;
        const bool is_name = lhs->kind == AST_REF && lhs->ref.n_parts == 1 && lhs->ref.primes == 0 &&
                             lhs->ref.parts[0].n_indices == 0;
        if (is_name) add_known(s, NULL, lhs->ref.parts[0].name, lhs->place, names);
    } else if (item->kind == AST_TIME_UNIT || item->kind == AST_FUNCTION) {
        vec_push(s->ast->arena, &s->items, *item);
    } else if (item->kind == AST_COMPONENT) {
        if (item->component.island) {
            report(s, item->place, item->component.name, "it stands inside of an island",
                   "islands stand side by side: declare it in the model around the other one");
            return;
        }
        if (!text_map_find(&s->models, text_from(item->component.model))) return;    // a terminal, or unknown
        AstItem copy = *item;
        copy.component.island = ARENA_NEW(s->ast->arena, AstIsland);
        copy.component.island->is_within = true;
        if (make(s, item->component.model, item->component.model_place, true, &copy.component.island->stub))
            vec_push(s->ast->arena, &s->items, copy);
    }
}

// Depth is limited by flattening, which sees the models first.
static bool make(Stubs *s, const char *name, Place place, bool is_within, uint32_t *stub)
{
    const uint32_t *model = text_map_find(&s->models, text_from(name));
    if (!model) return false;    // flattening says so
    const uint32_t *made = text_map_find(&s->made[is_within], text_from(name));
    if (made) {
        *stub = *made;
        return true;
    }
    Ast *ast = s->ast;
    if (ast->models.items[*model].atomic) {
        report(s, place, name, "it is an atomic, which has no equations",
               is_within ? "declare it in the model around the island" : "leave out the word 'island'");
        return false;
    }
    *stub = (uint32_t)ast->stubs.n;
    text_map_put(&s->made[is_within], text_from(name), *stub);
    const AstModel original = ast->models.items[*model];
    vec_push(ast->arena, &ast->stubs, original);
    // what is declared anywhere is not declared by an equation further up
    TextMap names;
    text_map_init(&names, ast->arena);
    for (uint32_t i = 0; i < original.n_items; i++) {
        const AstItem *item = &original.items[i];
        const bool is_fixed = item->kind == AST_DECL &&
                              (item->decl.kind == AST_PARAM || item->decl.kind == AST_CONST ||
                               item->decl.kind == AST_INPUT);
        if (is_fixed && !(is_within && item->decl.kind == AST_INPUT))
            text_map_put(&names, text_from(item->decl.name), 0);
    }
    const size_t base = s->items.n;
    for (uint32_t i = 0; i < original.n_items; i++)    // declarations know more than equations
        if (original.items[i].kind != AST_EQUATION) add_item(s, &original.items[i], is_within, &names);
    for (uint32_t i = 0; i < original.n_items; i++)
        if (original.items[i].kind == AST_EQUATION) add_item(s, &original.items[i], is_within, &names);
    const uint32_t n = (uint32_t)(s->items.n - base);
    AstItem *items = ARENA_ARRAY(ast->arena, AstItem, n);
    if (n) memcpy(items, s->items.items + base, n * sizeof *items);
    s->items.n = base;
    ast->stubs.items[*stub].is_stub = true;
    ast->stubs.items[*stub].items = items;
    ast->stubs.items[*stub].n_items = n;
    return true;
}

AstModel *ast_model_with(Arena *arena, const AstModel *model, const AstItem *also, size_t n_also)
{
    AstModel *more = ARENA_NEW(arena, AstModel);
    AstItem *items = ARENA_ARRAY(arena, AstItem, model->n_items + n_also);
    *more = *model;
    if (model->n_items) memcpy(items, model->items, model->n_items * sizeof *items);
    if (n_also) memcpy(items + model->n_items, also, n_also * sizeof *items);
    more->items = items;
    more->n_items += (uint32_t)n_also;
    return more;
}

bool ast_make_stubs(Ast *ast, orr_diag *diag)
{
    Arena work = { 0 };
    Stubs s = { .ast = ast, .diag = diag, .ok = true };
    text_map_init(&s.models, &work);
    text_map_init(&s.made[0], &work);
    text_map_init(&s.made[1], &work);
    for (size_t i = 0; i < ast->models.n; i++)
        text_map_put(&s.models, text_from(ast->models.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < ast->models.n; i++) {
        const AstModel model = ast->models.items[i];
        for (uint32_t k = 0; k < model.n_items; k++) {
            AstItem *item = &model.items[k];
            if (item->kind != AST_COMPONENT || !item->component.island) continue;
            if (!make(&s, item->component.model, item->component.model_place, false,
                      &item->component.island->stub))
                item->component.island = NULL;    // an unknown model, which flattening reports
        }
    }
    arena_free(&work);
    return s.ok;
}
