// src/order/params.c: sorting the defaults of parameters: a search in depth, in the order of declaration.
#include "order/params.h"

typedef enum Mark { MARK_NEW, MARK_ON_PATH, MARK_DONE } Mark;

typedef struct Visit {
    uint32_t  param;
    uint32_t *reads;      // [n] variables its default reads
    size_t    n, next;
} Visit;

typedef struct Sorter {
    const Flat *flat;
    Arena      *work;
    uint8_t    *mark;     // [n_vars] Mark
    VEC(Visit)  path;
    uint32_t   *order;
    uint32_t    n;
} Sorter;

static void enter(Sorter *s, uint32_t param)
{
    Visit visit = { .param = param };
    const Expr value = s->flat->vars.items[param].start;
    if (value != EXPR_NONE && expr_op(&s->flat->pool, value) != EXPR_CONST)
        visit.reads = expr_variables(&s->flat->pool, value, s->work, &visit.n);
    s->mark[param] = MARK_ON_PATH;
    vec_push(s->work, &s->path, visit);
}

static void report_cycle(const Sorter *s, uint32_t param, orr_diag *diag)
{
    size_t from = s->path.n - 1;
    while (s->path.items[from].param != param) from--;
    StrBuf text = { .arena = s->work };
    for (size_t i = from; i < s->path.n && i < from + 8; i++) {
        str_add(&text, s->flat->vars.items[s->path.items[i].param].name);
        str_add(&text, " → ");
    }
    if (s->path.n - from > 8) str_add(&text, "… → ");
    const FlatVar *v = &s->flat->vars.items[param];
    str_add(&text, v->name);
    diag_report(diag, DIAG_PARAM_CYCLE, v->place, v->name, str_finish(&text));
    diag_hint(diag, "give one of them a value that reads none of the others");
    for (size_t i = from + 1; i < s->path.n && i < from + 8; i++) {
        const FlatVar *other = &s->flat->vars.items[s->path.items[i].param];
        diag_note(diag, other->place, "by way of '%s'", other->name);
    }
}

static bool visit_from(Sorter *s, uint32_t root, orr_diag *diag)
{
    enter(s, root);
    while (s->path.n > 0) {
        Visit *v = &vec_last(&s->path);
        if (v->next == v->n) {
            s->mark[v->param] = MARK_DONE;
            s->order[s->n++] = v->param;
            s->path.n--;
            continue;
        }
        const uint32_t read = v->reads[v->next++];
        const FlatKind kind = s->flat->vars.items[read].kind;
        if (kind != FLAT_PARAM && kind != FLAT_INPUT && kind != FLAT_DISCRETE) continue;
        if (s->mark[read] == MARK_ON_PATH) {
            report_cycle(s, read, diag);
            return false;
        }
        if (s->mark[read] == MARK_NEW) enter(s, read);
    }
    return true;
}

uint32_t *params_order(const Flat *flat, uint32_t *n, Arena *arena, orr_diag *diag)
{
    Arena work = { 0 };
    Sorter s = { .flat = flat, .work = &work, .mark = ARENA_ARRAY(&work, uint8_t, flat->vars.n),
                 .order = ARENA_ARRAY(arena, uint32_t, flat->vars.n) };
    bool ok = true;
    for (uint32_t v = 0; v < flat->vars.n && ok; v++) {
        const FlatKind kind = flat->vars.items[v].kind;
        const bool is_known = kind == FLAT_PARAM || kind == FLAT_INPUT || kind == FLAT_DISCRETE;
        if (is_known && s.mark[v] == MARK_NEW) ok = visit_from(&s, v, diag);
    }
    arena_free(&work);
    *n = s.n;
    return ok ? s.order : NULL;
}
