// src/atomic/draw.c: what an atomic draws anew each time it is used: `draw time = 0.8`.
//
// Given a number, it is a parameter. Given something random, `Desk(time = exponential(m/2))`, the component
// is of a kind of its own, made here from the text: what is drawn stands in the atomic, where `time` is
// read, and what its distribution is given are parameters of the component:
//
//     atomic Desk                        →    atomic Desk(time = exponential(time.mean))
//       draw time = 0.8                         param time.mean
//       state busy for time                     state busy for exponential(time.mean)
//     d : Desk(time = exponential(m/2))  →    d : …(time.mean = m/2)
//
// So nobody behind the Ast knows of it. Components whose distributions differ in numbers only share a kind.
#include "atomic/atomic.h"
#include "atomic/draw.h"
#include "base/map.h"
#include "num/distribution.h"
#include <stdlib.h>
#include <string.h>

typedef struct Maker {
    Ast *ast;
    TextMap atomics, functions;    // name → number
    // of the component under way
    AstAtomic atomic;              // its own kind
    VEC(AstSetting) overrides;
    VEC(AstDecl) holes;
    const char *draw, *unit;       // that is given something random
} Maker;

// ---- What is random

static bool is_random(const Maker *m, const AstExpr *e, int depth);

static bool call_is_random(const Maker *m, const AstExpr *e, int depth)
{
    if (distribution_number(e->call.function) != DISTRIBUTION_NONE) return true;
    for (uint32_t i = 0; i < e->call.n_args; i++)
        if (is_random(m, e->call.args[i], depth)) return true;
    const uint32_t *number = text_map_find(&m->functions, text_from(e->call.function));
    if (!number || depth == 0) return false;
    const AstFunction *f = &m->ast->functions.items[*number];
    for (uint32_t i = 0; i < f->n_locals; i++)
        if (is_random(m, f->locals[i].equation.rhs, depth - 1)) return true;
    return is_random(m, f->result, depth - 1);
}

// Does it draw? depth: of functions that call each other.
static bool is_random(const Maker *m, const AstExpr *e, int depth)
{
    for (; e && e->kind == AST_BINARY; e = e->operands.a)
        if (is_random(m, e->operands.b, depth)) return true;
    if (!e) return false;
    switch (e->kind) {
    case AST_CALL: return call_is_random(m, e, depth);
    case AST_IF:
        return is_random(m, e->operands.a, depth) || is_random(m, e->operands.b, depth) ||
               is_random(m, e->operands.c, depth);
    case AST_UNARY:
    case AST_CONVERT: return is_random(m, e->operands.a, depth);
    case AST_REF: {    // another draw of the same atomic
        if (e->ref.n_parts != 1) return false;
        for (uint32_t i = 0; i < m->atomic.n_params; i++)
            if (m->atomic.params[i].is_drawn && strcmp(m->atomic.params[i].name, e->ref.parts[0].name) == 0)
                return true;
        return false;
    }
    default: return false;
    }
}

enum { FUNCTION_DEPTH = 20 };

// Those draws of m->atomic that are random by their own values, or by what these read.
static bool mark_drawn(Maker *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->atomic.n_params; i++) {
        AstDecl *d = &m->atomic.params[i];
        if (d->is_draw && !d->is_drawn) d->is_drawn = is_random(m, d->value, FUNCTION_DEPTH);
        any |= d->is_drawn;
    }
    return any;
}

// ---- Expressions with holes

static AstExpr *reference(Maker *m, const char *name, Place place)
{
    AstExpr *e = ARENA_NEW(m->ast->arena, AstExpr);
    *e = (AstExpr){ .kind = AST_REF, .place = place };
    e->ref.parts = ARENA_NEW(m->ast->arena, AstPart);
    e->ref.parts[0].name = name;
    e->ref.n_parts = 1;
    return e;
}

static bool is_taken(const Maker *m, const char *name)
{
    for (size_t i = 0; i < m->holes.n; i++)
        if (strcmp(m->holes.items[i].name, name) == 0) return true;
    return false;
}

// A parameter of the component in place of what the model around computes.
static AstExpr *make_hole(Maker *m, AstExpr *given, const char *called, const char *unit)
{
    Arena *arena = m->ast->arena;
    const char *name = called ? arena_printf(arena, "%s.%s", m->draw, called) : NULL;
    for (unsigned k = 1; !name || is_taken(m, name); k++) name = arena_printf(arena, "%s.%u", m->draw, k);
    const AstDecl hole = { .kind = AST_PARAM, .name = name, .unit = unit, .place = given->place };
    const AstSetting override = { .target = reference(m, name, given->place)->ref,
                                  .value = given,
                                  .place = given->place };
    vec_push(arena, &m->holes, hole);
    vec_push(arena, &m->overrides, override);
    return reference(m, name, given->place);
}

static AstExpr *fill(Maker *m, AstExpr *e, bool is_all);

static AstExpr *fill_call(Maker *m, const AstExpr *e, bool is_all)
{
    Arena *arena = m->ast->arena;
    const int number = distribution_number(e->call.function);
    const Distribution *d = number == DISTRIBUTION_NONE ? NULL : &distributions[number];
    AstExpr *copy = ARENA_NEW(arena, AstExpr);
    *copy = *e;
    if (d && d->is_data) return copy;    // the name of a table
    copy->call.args = ARENA_ARRAY(arena, AstExpr *, e->call.n_args);
    for (uint32_t i = 0; i < e->call.n_args; i++) {
        const DistributionArgument *a = d && (int)i < d->n_arguments ? &d->arguments[i] : NULL;
        const char *unit = is_all && a && !a->is_pure ? m->unit : NULL;
        copy->call.args[i] = is_random(m, e->call.args[i], FUNCTION_DEPTH)
                                 ? fill(m, e->call.args[i], false)
                                 : make_hole(m, e->call.args[i], a ? a->name : NULL, unit);
    }
    return copy;
}

// The expression as it stands in the atomic. is_all: it is the whole value.
static AstExpr *fill(Maker *m, AstExpr *e, bool is_all)
{
    Arena *arena = m->ast->arena;
    if (!is_random(m, e, FUNCTION_DEPTH)) return e->kind == AST_NUMBER ? e : make_hole(m, e, NULL, NULL);
    if (e->kind == AST_CALL) return fill_call(m, e, is_all);
    AstExpr *copy = ARENA_NEW(arena, AstExpr);
    *copy = *e;
    // a chain of operators leans to the left and may be long
    for (AstExpr *at = copy; at->kind == AST_BINARY;) {
        AstExpr *left = at->operands.a;
        at->operands.b = fill(m, at->operands.b, false);
        if (left->kind != AST_BINARY || !is_random(m, left, FUNCTION_DEPTH)) {
            at->operands.a = fill(m, left, false);
            break;
        }
        at->operands.a = ARENA_NEW(arena, AstExpr);
        *at->operands.a = *left;
        at = at->operands.a;
    }
    if (e->kind == AST_IF || e->kind == AST_UNARY || e->kind == AST_CONVERT)
        copy->operands.a = fill(m, e->operands.a, false);
    if (e->kind != AST_IF) return copy;
    copy->operands.b = fill(m, e->operands.b, false);
    copy->operands.c = fill(m, e->operands.c, false);
    return copy;
}

// ---- Kinds

// `Desk(time = exponential(time.mean))`: what it is called says what it is.
static char *name_of_kind(const Maker *m)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out) arena_no_memory(1);
    fputs(m->atomic.name, out);
    const char *before = "(";
    for (uint32_t i = 0; i < m->atomic.n_params; i++) {
        const AstDecl *d = &m->atomic.params[i];
        if (!d->is_draw) continue;
        fprintf(out, "%s%s", before, d->name);
        if (d->is_drawn) fputs(" = ", out), ast_print_expr(d->value, out);
        before = ", ";
    }
    fputc(')', out);
    fclose(out);
    char *name = arena_copy_text(m->ast->arena, text, n), *to = name;
    for (const char *from = name; *from; from++)    // names of parameters have dots and are quoted
        if (*from != '"') *to++ = *from;
    *to = '\0';
    free(text);
    return name;
}

static AstDecl *find_draw(const Maker *m, const AstSetting *override)
{
    if (override->target.n_parts != 1 || override->target.parts[0].n_indices > 0) return NULL;
    for (uint32_t i = 0; i < m->atomic.n_params; i++) {
        AstDecl *d = &m->atomic.params[i];
        if (d->is_draw && d->n_sizes == 0 && strcmp(d->name, override->target.parts[0].name) == 0) return d;
    }
    return NULL;
}

// The component gets a kind of its own if one of its draws is random by it, or is not any more.
static void specialise(Maker *m, AstItem *item, uint32_t number)
{
    Arena *arena = m->ast->arena;
    const AstAtomic *general = &m->ast->atomics.items[number];
    m->atomic = *general;
    m->atomic.params = ARENA_ARRAY(arena, AstDecl, general->n_params);
    memcpy(m->atomic.params, general->params, general->n_params * sizeof *general->params);
    m->overrides.n = m->holes.n = 0;
    bool is_other = false;
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        const AstSetting *override = &item->component.overrides[i];
        AstDecl *d = find_draw(m, override);
        const bool is_drawn = d && is_random(m, override->value, FUNCTION_DEPTH);
        if (d && (is_drawn || d->is_drawn)) {
            is_other = true;
            d->is_drawn = is_drawn;
            m->draw = d->name;
            m->unit = d->unit;
            d->value = is_drawn ? fill(m, override->value, true) : NULL;
        }
        if (!is_drawn) vec_push(arena, &m->overrides, *override);
    }
    if (!is_other) return;
    mark_drawn(m);
    const char *name = name_of_kind(m);
    item->component.written = ARENA_NEW(arena, AstItem);
    *item->component.written = *item;
    item->component.model = name;
    item->component.overrides = ARENA_ARRAY(arena, AstSetting, m->overrides.n);
    item->component.n_overrides = (uint32_t)m->overrides.n;
    if (m->overrides.n > 0)
        memcpy(item->component.overrides, m->overrides.items, m->overrides.n * sizeof *m->overrides.items);
    if (!text_map_put(&m->atomics, text_from(name), (uint32_t)m->ast->atomics.n)) return;
    AstAtomic kind = m->atomic;
    kind.name = name;
    kind.is_special = true;
    kind.n_params += (uint32_t)m->holes.n;    // these first: values of the others read them
    kind.params = ARENA_ARRAY(arena, AstDecl, kind.n_params);
    if (m->holes.n > 0) memcpy(kind.params, m->holes.items, m->holes.n * sizeof *kind.params);
    memcpy(kind.params + m->holes.n, m->atomic.params, general->n_params * sizeof *kind.params);
    vec_push(arena, &m->ast->atomics, kind);
}

static void each_component(Maker *m, AstItem *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind == AST_FOR) each_component(m, items[i].loop.items, items[i].loop.n_items);
        if (items[i].kind != AST_COMPONENT) continue;
        const uint32_t *number = text_map_find(&m->atomics, text_from(items[i].component.model));
        if (number && !m->ast->atomics.items[*number].is_native) specialise(m, &items[i], *number);
    }
}

void atomic_specialise(Ast *ast)
{
    Arena work = { 0 };
    Maker m = { .ast = ast };
    bool any = false;
    text_map_init(&m.atomics, &work);
    text_map_init(&m.functions, &work);
    for (uint32_t i = 0; i < ast->functions.n; i++)
        text_map_put(&m.functions, text_from(ast->functions.items[i].name), i);
    for (uint32_t i = 0; i < ast->atomics.n; i++) {
        m.atomic = ast->atomics.items[i];
        for (uint32_t k = 0; k < m.atomic.n_params; k++) any |= m.atomic.params[k].is_draw;
        if (!m.atomic.is_native) mark_drawn(&m);
        text_map_put(&m.atomics, text_from(m.atomic.name), i);
    }
    for (size_t i = 0; any && i < ast->models.n; i++)
        each_component(&m, ast->models.items[i].items, ast->models.items[i].n_items);
    arena_free(&work);
}
