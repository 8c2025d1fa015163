// src/flat/shape.c: the names of a model and of a file, each found once.
#include "flat/scope.h"
#include <string.h>

enum {
    NAME_LATER = UINT32_MAX,    // declared further down
    SEARCHES_MAX = 100,    // near misses looked for; a file of errors must not cost the square of its length
};

// ---------------------------------------------------------------------------------------------- functions

static void report_twice(Expander *ex, DiagId id, const char *name, Place place, Place first)
{
    if (id == DIAG_MODEL_TWICE) EXPAND_FAIL(ex, DIAG_MODEL_TWICE, place, name);
    else EXPAND_FAIL(ex, DIAG_NAME_TWICE, place, name);
    diag_note(ex->diag, first, "'%s' is %s here first", name,
              id == DIAG_MODEL_TWICE ? "defined" : "declared");
}

// Arguments and local values of a function: each name once.
static void check_function(Expander *ex, const AstFunction *f)
{
    const ArenaMark mark = arena_mark(&ex->scratch);
    TextMap names;
    text_map_init(&names, &ex->scratch);
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!text_map_put(&names, text_from(f->params[i]), 0))
            EXPAND_FAIL(ex, DIAG_NAME_TWICE, f->place, f->params[i]);
    for (uint32_t i = 0; i < f->n_locals; i++) {
        const AstExpr *lhs = f->locals[i].equation.lhs;
        const char *name = lhs->ref.parts[0].name;
        if (text_map_put(&names, text_from(name), 0)) continue;
        EXPAND_FAIL(ex, DIAG_NAME_TWICE, lhs->place, name);
        diag_hint(ex->diag, "a local value never changes; choose another name");
    }
    arena_release(&ex->scratch, mark);
}

void shape_index_file(Expander *ex)
{
    const Ast *ast = ex->ast;
    text_map_init(&ex->models, &ex->work);
    text_map_init(&ex->types, &ex->work);
    text_map_init(&ex->functions, &ex->work);
    ex->shapes = ARENA_ARRAY(&ex->work, Shape *, ast->models.n + ast->terminals.n + ast->stubs.n + 1);
    for (size_t i = 0; i < ast->models.n; i++)
        text_map_put(&ex->models, text_from(ast->models.items[i].name), (uint32_t)i);
    for (size_t i = 0; i < ast->terminals.n; i++) {
        const AstModel *type = &ast->terminals.items[i];
        const uint32_t *model = text_map_find(&ex->models, text_from(type->name));
        const bool is_new = text_map_put(&ex->types, text_from(type->name), (uint32_t)i);
        if (is_new && !model) continue;
        const uint32_t *terminal = text_map_find(&ex->types, text_from(type->name));
        const AstModel *first = model ? &ast->models.items[*model] : &ast->terminals.items[*terminal];
        report_twice(ex, DIAG_MODEL_TWICE, type->name, type->place, first->place);
    }
    for (size_t i = 0; i < ast->functions.n; i++) {
        const AstFunction *f = &ast->functions.items[i];
        if (text_map_put(&ex->functions, text_from(f->name), (uint32_t)i)) {
            check_function(ex, f);
            continue;
        }
        const AstFunction *first = &ast->functions.items[*text_map_find(&ex->functions, text_from(f->name))];
        report_twice(ex, DIAG_MODEL_TWICE, f->name, f->place, first->place);
    }
}

// ---------------------------------------------------------------------------------------------- symbols

static bool is_reserved(Expander *ex, const char *name, Place place)
{
    if (strcmp(name, "t") != 0) return false;
    EXPAND_FAIL(ex, DIAG_NAME_RESERVED, place, name);
    diag_hint(ex->diag, "t is the time; choose another name");
    return true;
}

static void add_symbol(Expander *ex, Shape *shape, Symbol symbol)
{
    if (is_reserved(ex, symbol.name, symbol.place)) return;
    const uint32_t number = (uint32_t)shape->symbols.n;
    if (!text_map_put(&shape->by_name, text_from(symbol.name), number)) {
        uint32_t *known = text_map_find(&shape->by_name, text_from(symbol.name));
        if (*known != NAME_LATER) {
            report_twice(ex, DIAG_NAME_TWICE, symbol.name, symbol.place, shape->symbols.items[*known].place);
            return;
        }
        *known = number;
    }
    map_put(&shape->by_pointer, (uintptr_t)symbol.name, number);
    vec_push(&ex->work, &shape->symbols, symbol);
}

// `var x` declares; `var x' = 0` gives a value to what is declared elsewhere, `output x` publishes it.
static bool declares(const AstItem *item)
{
    if (item->kind == AST_COMPONENT) return true;
    if (item->kind != AST_DECL || item->decl.primes > 0) return false;
    return item->decl.kind != AST_OUTPUT || item->decl.value;
}

// What is given to a component: each name once. Paths with indices may say the same in many ways and are left
// alone.
static void check_overrides(Expander *ex, const AstItem *item)
{
    if (item->component.n_overrides < 2) return;
    const ArenaMark mark = arena_mark(&ex->scratch);
    TextMap paths;
    text_map_init(&paths, &ex->scratch);
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        const AstSetting *s = &item->component.overrides[i];
        StrBuf path = { .arena = &ex->scratch };
        bool is_plain = true;
        for (uint32_t k = 0; k < s->target.n_parts; k++) {
            str_addf(&path, "%s%s", k ? "." : "", s->target.parts[k].name);
            is_plain = is_plain && s->target.parts[k].n_indices == 0;
        }
        for (uint32_t k = 0; k < s->target.primes; k++) str_add_char(&path, '\'');
        const char *text = str_finish(&path);
        if (!is_plain || text_map_put(&paths, text_from(text), i)) continue;
        EXPAND_FAIL(ex, DIAG_STATEMENT_TWICE, s->place, text);
    }
    arena_release(&ex->scratch, mark);
}

static void add_declared(Expander *ex, Shape *shape, const AstItem *item)
{
    if (item->kind == AST_COMPONENT) {
        check_overrides(ex, item);
        const bool is_terminal = text_map_find(&ex->types, text_from(item->component.model)) != NULL;
        add_symbol(ex, shape, (Symbol){ .kind = SYMBOL_COMPONENT, .name = item->component.name,
                                        .place = item->component.name_place, .component = item,
                                        .is_terminal = is_terminal });
        return;
    }
    const AstDecl *decl = &item->decl;
    add_symbol(ex, shape,
               (Symbol){ .kind = decl->kind == AST_CONST ? SYMBOL_CONST
                                 : decl->kind == AST_EVENT_INPUT || decl->kind == AST_EVENT_OUTPUT
                                     ? SYMBOL_PORT
                                     : SYMBOL_VARIABLE,
                         .declared = decl->kind,
                         .name = decl->name,
                         .place = decl->place,
                         .decl = decl });
}

// `y = …` and `x' = …` declare a name that nothing else declares.
static void add_by_equation(Expander *ex, Shape *shape, const AstExpr *lhs)
{
    if (lhs->kind != AST_REF || lhs->ref.n_parts != 1 || lhs->ref.parts[0].n_indices) return;
    const char *name = lhs->ref.parts[0].name;
    if (strcmp(name, "t") == 0 || text_map_find(&shape->by_name, text_from(name))) return;
    Place place = lhs->place;
    place.length -= place.length > lhs->ref.primes ? lhs->ref.primes : 0;
    add_symbol(ex, shape,
               (Symbol){ .kind = SYMBOL_VARIABLE, .declared = AST_VAR, .name = name, .place = place });
}

static void add_results(Expander *ex, Shape *shape, const AstItem *terminal)
{
    for (uint32_t i = 0; i < terminal->terminal.n_items; i++) {
        const AstItem *step = &terminal->terminal.items[i];
        if (step->kind != AST_ASSIGN) continue;
        const AstRef *target = &step->assign.target;
        const char *name = target->parts[0].name;
        if (target->n_parts > 1 || target->parts[0].n_indices || target->primes) continue;
        if (text_map_find(&shape->by_name, text_from(name))) continue;
        add_symbol(ex, shape, (Symbol){ .kind = SYMBOL_RESULT, .name = name, .place = step->place });
    }
}

static void add_function(Expander *ex, Shape *shape, uint32_t number)
{
    const AstFunction *f = &shape->model->items[number].function;
    if (text_map_put(&shape->functions, text_from(f->name), number)) {
        check_function(ex, f);
        return;
    }
    const uint32_t first = *text_map_find(&shape->functions, text_from(f->name));
    report_twice(ex, DIAG_MODEL_TWICE, f->name, f->place, shape->model->items[first].function.place);
}

static Shape *make_shape(Expander *ex, const AstModel *model)
{
    Shape *shape = ARENA_NEW(&ex->work, Shape);
    shape->model = model;
    text_map_init(&shape->by_name, &ex->work);
    map_init(&shape->by_pointer, &ex->work);
    text_map_init(&shape->functions, &ex->work);
    // what is declared anywhere is not declared by an equation further up
    for (uint32_t i = 0; i < model->n_items; i++) {
        const AstItem *item = &model->items[i];
        if (!declares(item)) continue;
        const char *name = item->kind == AST_COMPONENT ? item->component.name : item->decl.name;
        if (strcmp(name, "t") != 0) text_map_put(&shape->by_name, text_from(name), NAME_LATER);
    }
    for (uint32_t i = 0; i < model->n_items; i++) {
        const AstItem *item = &model->items[i];
        if (declares(item)) add_declared(ex, shape, item);
        else if (item->kind == AST_EQUATION) add_by_equation(ex, shape, item->equation.lhs);
        else if (item->kind == AST_FUNCTION) add_function(ex, shape, i);
        shape->has_rates |= item->kind == AST_DECL && item->decl.primes > 0;
        shape->has_terminal |= item->kind == AST_TERMINAL;
    }
    // what is left to declare
    for (uint32_t i = 0; i < model->n_items; i++)
        if (model->items[i].kind == AST_TERMINAL) add_results(ex, shape, &model->items[i]);
    for (uint32_t i = 0; i < model->n_items; i++) {
        const AstItem *item = &model->items[i];
        if (item->kind != AST_DECL || item->decl.kind != AST_OUTPUT || item->decl.value) continue;
        if (!text_map_find(&shape->by_name, text_from(item->decl.name))) add_declared(ex, shape, item);
    }
    return shape;
}

const Shape *shape_of(Expander *ex, const AstModel *model)
{
    const Ast *ast = ex->ast;
    const struct {
        const AstModel *items;
        size_t          n;
    } lists[] = { { ast->models.items, ast->models.n },
                  { ast->terminals.items, ast->terminals.n },
                  { ast->stubs.items, ast->stubs.n } };
    size_t at = 0;    // behind the lists: the model that an experiment has added something to
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i].n && model >= lists[i].items && model < lists[i].items + lists[i].n) {
            at += (size_t)(model - lists[i].items);
            break;
        }
        at += lists[i].n;
    }
    Shape **known = &ex->shapes[at];
    if (!*known) *known = make_shape(ex, model);
    return *known;
}

const Symbol *shape_closest(Expander *ex, const Shape *shape, const char *name,
                            bool (*wanted)(const Symbol *))
{
    if (ex->n_errors > SEARCHES_MAX) return NULL;
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char **names = ARENA_ARRAY(&ex->scratch, const char *, shape->symbols.n);
    size_t n = 0;
    for (size_t i = 0; i < shape->symbols.n; i++)
        if (!wanted || wanted(&shape->symbols.items[i])) names[n++] = shape->symbols.items[i].name;
    const char *closest = text_closest(name, names, n);
    arena_release(&ex->scratch, mark);
    return closest ? &shape->symbols.items[*text_map_find(&shape->by_name, text_from(closest))] : NULL;
}
