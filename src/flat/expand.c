// src/flat/expand.c: from a model with components to a flat set of variables and equations: the passes, in
// order.
#include "flat/scope.h"
#include <string.h>

// More of something that a model makes large; false, reported, if that is too much.
static bool takes(Expander *ex, Place place, size_t *have, double more, const char *what, size_t most)
{
    if (more + (double)*have > (double)most) {
        if (!expand_gives_up(ex))    // once is enough
            EXPAND_FAIL(ex, DIAG_MODEL_TOO_LARGE, place, (size_t)(more + (double)*have), what, most);
        ex->n_errors += ERRORS_MAX;
        return false;
    }
    if (more > 0) *have += (size_t)more;
    return true;
}

bool expand_takes_turns(Expander *ex, Place place, double turns)
{
    return takes(ex, place, &ex->n_turns, turns, "turns of loops", 10000000);
}

bool expand_takes_terms(Expander *ex, Place place, double terms)
{
    return takes(ex, place, &ex->n_terms, terms, "terms of sums and calls of functions that are written out",
                 2000000);
}

// The bounds of a `for`; false after an error.
static bool read_bounds(Expander *ex, Scope *scope, const Local *locals, const AstItem *item,
                        long long *first, long long *last)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    if (!lower_whole(&r, item->loop.first, first) || !lower_whole(&r, item->loop.last, last)) return false;
    if (strcmp(item->loop.index, "t") == 0) {
        EXPAND_FAIL(ex, DIAG_NAME_RESERVED, item->place, item->loop.index);
        diag_hint(ex->diag, "t is the time; choose another name");
        return false;
    }
    return expand_takes_turns(ex, item->place, (double)*last - (double)*first + 1);
}

typedef struct Pass {
    Visit *visit;
    bool (*wants)(const AstItem *item);    // what it visits; NULL: most, so that looking ahead does not pay
    bool keeps_loops;                      // loops over arrays that stay arrays stay loops
} Pass;

// Is there anything in a loop that a pass wants?
static bool has_wanted(const AstItem *items, uint32_t n, const Pass *pass)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pass->wants(&items[i])) return true;
        if (items[i].kind == AST_FOR && has_wanted(items[i].loop.items, items[i].loop.n_items, pass))
            return true;
    }
    return false;
}

static void each_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *items, uint32_t n,
                      const Pass *pass)
{
    for (uint32_t i = 0; i < n && !expand_gives_up(ex); i++) {
        const AstItem *item = &items[i];
        const AstItem *sliced;
        if (pass->visit == define_item && slice_find(ex, scope, locals, item, &sliced)) {
            if (!sliced) continue;
            item = sliced;
        }
        if (item->kind != AST_FOR) {
            pass->visit(ex, scope, locals, item);
            continue;
        }
        if (pass->wants && !has_wanted(item->loop.items, item->loop.n_items, pass)) continue;
        if (pass->keeps_loops && array_keep_loop(ex, scope, locals, item)) continue;
        long long first, last;
        if (!read_bounds(ex, scope, locals, item, &first, &last)) continue;
        for (long long k = first; k <= last && !expand_gives_up(ex); k++) {
            const Local index = { locals, item->loop.index, EXPR_NONE, (double)k };
            each_item(ex, scope, &index, item->loop.items, item->loop.n_items, pass);
        }
    }
}

static void each_scope(Expander *ex, Scope *scope, const Pass *pass)
{
    each_item(ex, scope, NULL, scope->shape->model->items, scope->shape->model->n_items, pass);
    for (size_t i = 0; i < scope->shape->symbols.n; i++) {
        const Entity *entity = &scope->entities[i];
        if (entity->symbol->kind != SYMBOL_COMPONENT || entity->is_broken) continue;
        for (uint32_t k = 0; k < entity->n_elements; k++)
            if (entity->components[k]) each_scope(ex, entity->components[k], pass);
    }
}

void expand_define(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    each_item(ex, scope, locals, item, 1, &(Pass){ define_item, NULL, false });
}

bool flat_expand(Flat *flat, const Ast *ast, const AstModel *model, orr_diag *diag)
{
    expr_pool_init(&flat->pool, flat->arena);
    text_map_init(&flat->by_name, flat->arena);
    text_map_init(&flat->array_by_name, flat->arena);
    flat->model = model->name;
    flat->place = model->place;
    flat->doc = model->doc;
    flat->initial_flag = FLAT_NONE;
    flat->n_reinits = 0;
    for (int i = 0; i < FLAT_N_REINIT; i++) flat->reinit[i] = FLAT_NONE;

    Expander ex = { .flat = flat, .ast = ast, .diag = diag };
    Map *const maps[] = { &ex.relation_of, &ex.delay_of, &ex.table_of,
                          &ex.integral_of, &ex.call_of,  &ex.driven,   &ex.told, &ex.singles, &ex.pre_of,
                          &ex.slice_of, &ex.held_ports, &ex.told_ports,
                          &ex.heard_ports };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_init(maps[i], &ex.work);
    library_index(&ex);
    shape_index_file(&ex);
    table_index(&ex);

    Scope *root = declare_root(&ex, model);
    settle_consts(&ex, root);
    each_scope(&ex, root, &(Pass){ reaction_declare, reaction_wants, false });
    each_scope(&ex, root, &(Pass){ connect_item, connect_wants, false });
    connect_terminals(&ex);
    ex.n_turns = ex.n_terms = 0;
    each_scope(&ex, root, &(Pass){ define_item, NULL, true });
    settle_all(&ex, root);
    port_settle(&ex);
    settle_equalities(&ex);
    arena_free(&ex.scratch);
    arena_free(&ex.work);
    return ex.n_errors == 0;
}
