// src/flat/slice.c: several elements at once: slices and whole arrays in equations, and sums over them.
//
//     w = 2*u               stands for    for k in 1..n: w[k] = 2*u[k]
//     x[2..5] = y[1..4]                   for k in 1..4: x[2 + (k - 1)] = y[1 + (k - 1)]
//     sum(a*u)                            sum(a*u[k] for k in 1..n)
//
// What is written is copied once with indices in the places of slices, and then read like any other loop. The
// indices have names that nobody can write. How many elements there are may differ from instance to instance,
// so that is counted for each of them.
#include "flat/scope.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 4, LOOPS_MAX = 16 };
static const char *const index_names[DIMS_MAX] = { "element", "element ", "element  ", "element   " };

struct Slices {
    const AstItem  *body;      // of a statement: its copy
    const AstExpr  *arg;       // of a reduction: the copy of its argument
    const AstExpr **uses;      // [n_uses] AST_REFs with slices, as written
    uint32_t        n_uses;
    uint32_t        n_dims;    // at most; all should have as many
};

// ---------------------------------------------------------------------------------------------- finding them

typedef struct Copier {
    Expander *ex;
    Scope    *scope;
    const Local *locals;
    VEC(const AstExpr *) uses;
    uint32_t  n_dims;
} Copier;

static bool is_whole(const Entity *entity, const AstPart *part)
{
    if (entity->is_by_member) return false;    // its index is that of the component
    return part->n_indices == 0 && entity->n_sizes > 0 && entity->symbol->kind != SYMBOL_RESULT;
}

// Where the parts behind this one are looked up; elements of an array of components are alike.
static Scope *inside(const Entity *entity)
{
    if (entity->symbol->kind != SYMBOL_COMPONENT || entity->is_broken || entity->n_elements == 0) return NULL;
    return entity->components[0];
}

static uint32_t count_dims(const Copier *c, const AstRef *ref)
{
    uint32_t n = 0;
    Scope *scope = c->scope;
    if (ref->n_parts == 1 && lower_find_local(c->locals, ref->parts[0].name)) return 0;
    for (uint32_t i = 0; i < ref->n_parts && scope; i++) {
        const AstPart *part = &ref->parts[i];
        const Entity *entity = scope_find(scope, part->name);
        if (!entity || !entity->is_declared || entity->is_broken) return 0;
        if (is_whole(entity, part)) n += entity->n_sizes;
        for (uint32_t k = 0; k < part->n_indices; k++) n += part->indices[k]->kind == AST_RANGE;
        scope = inside(entity);
    }
    return n;
}

static ExprOp reduction_op(const AstExpr *call)
{
    const char *name = call->call.function;
    if (strcmp(name, "sum") == 0) return EXPR_ADD;
    if (call->call.n_loops == 0 && call->call.n_args != 1) return EXPR_N_OPS;
    return strcmp(name, "min") == 0 ? EXPR_MIN : strcmp(name, "max") == 0 ? EXPR_MAX : EXPR_N_OPS;
}

// A function of the user may have that name.
static bool is_reduction(const Expander *ex, const Scope *scope, const AstExpr *call)
{
    if (reduction_op(call) == EXPR_N_OPS) return false;
    const Text name = text_from(call->call.function);
    return !(scope && text_map_find(&scope->shape->functions, name)) && !text_map_find(&ex->functions, name);
}

// ---------------------------------------------------------------------------------------------- copying

static AstExpr *copy_node(Copier *c, const AstExpr *e)
{
    AstExpr *copy = ARENA_NEW(&c->ex->work, AstExpr);
    *copy = *e;
    copy->origin = e->origin ? e->origin : e;
    return copy;
}

static AstExpr *make_number(Expander *ex, double value, Place place)
{
    AstExpr *e = ARENA_NEW(&ex->work, AstExpr);
    *e = (AstExpr){ .kind = AST_NUMBER, .place = place, .number = { .value = value } };
    return e;
}

static AstExpr *make_binary(Expander *ex, AstOp op, AstExpr *a, AstExpr *b, Place place)
{
    AstExpr *e = ARENA_NEW(&ex->work, AstExpr);
    *e = (AstExpr){ .kind = AST_BINARY, .op = op, .place = place, .operands = { a, b, NULL } };
    return e;
}

// The index with which dimension `dim` of the slices is gone through.
static AstExpr *make_index(Expander *ex, uint32_t dim, Place place)
{
    AstPart *part = ARENA_NEW(&ex->work, AstPart);
    part->name = index_names[dim];
    AstExpr *e = ARENA_NEW(&ex->work, AstExpr);
    *e = (AstExpr){ .kind = AST_REF, .place = place, .ref = { .parts = part, .n_parts = 1 } };
    return e;
}

// `first..last` becomes first + (index - 1).
static AstExpr *index_of_range(Copier *c, const AstExpr *range, uint32_t dim)
{
    AstExpr *index = make_index(c->ex, dim, range->place), *one = make_number(c->ex, 1, range->place);
    AstExpr *turn = make_binary(c->ex, AST_SUB, index, one, range->place);
    return make_binary(c->ex, AST_ADD, range->operands.a, turn, range->place);
}

static const AstExpr *copy_ref(Copier *c, const AstExpr *e)
{
    Expander *ex = c->ex;
    const uint32_t n = count_dims(c, &e->ref);
    if (n == 0 || n > DIMS_MAX) return e;
    vec_push(&ex->work, &c->uses, e);
    if (n > c->n_dims) c->n_dims = n;
    AstExpr *copy = copy_node(c, e);
    copy->ref.parts = ARENA_ARRAY(&ex->work, AstPart, e->ref.n_parts);
    uint32_t dim = 0;
    Scope *scope = c->scope;
    for (uint32_t i = 0; i < e->ref.n_parts; i++) {
        const AstPart *part = &e->ref.parts[i];
        const Entity *entity = scope_find(scope, part->name);
        const bool whole = is_whole(entity, part);
        AstPart *to = &copy->ref.parts[i];
        *to = (AstPart){ .name = part->name, .n_indices = whole ? entity->n_sizes : part->n_indices };
        to->indices = ARENA_ARRAY(&ex->work, AstExpr *, to->n_indices);
        for (uint32_t k = 0; k < to->n_indices; k++) {
            if (whole) to->indices[k] = make_index(ex, dim++, e->place);
            else if (part->indices[k]->kind != AST_RANGE) to->indices[k] = part->indices[k];
            else to->indices[k] = index_of_range(c, part->indices[k], dim++);
        }
        scope = inside(entity);
    }
    return copy;
}

static const AstExpr *copy(Copier *c, const AstExpr *e);

static const AstExpr *copy_call(Copier *c, const AstExpr *e)
{
    if (is_reduction(c->ex, c->scope, e)) return e;    // its slices are its own
    const ArenaMark mark = arena_mark(&c->ex->scratch);
    const AstExpr **args = ARENA_ARRAY(&c->ex->scratch, const AstExpr *, e->call.n_args);
    bool differs = false;
    for (uint32_t i = 0; i < e->call.n_args; i++) {
        args[i] = copy(c, e->call.args[i]);
        differs = differs || args[i] != e->call.args[i];
    }
    const AstExpr *result = e;
    if (differs) {
        AstExpr *call = copy_node(c, e);
        call->call.args = ARENA_ARRAY(&c->ex->work, AstExpr *, e->call.n_args);
        for (uint32_t i = 0; i < e->call.n_args; i++) call->call.args[i] = (AstExpr *)args[i];
        result = call;
    }
    arena_release(&c->ex->scratch, mark);
    return result;
}

static const AstExpr *with_operands(Copier *c, const AstExpr *e, const AstExpr *x, const AstExpr *y,
                                    const AstExpr *z)
{
    if (x == e->operands.a && y == e->operands.b && z == e->operands.c) return e;
    AstExpr *made = copy_node(c, e);
    made->operands.a = (AstExpr *)x;
    made->operands.b = (AstExpr *)y;
    made->operands.c = (AstExpr *)z;
    return made;
}

// Sums of any length lean to the left: down, then up.
static const AstExpr *copy_chain(Copier *c, const AstExpr *e)
{
    VEC(const AstExpr *) chain = { 0 };
    Arena scratch = { 0 };
    for (; e->kind == AST_BINARY; e = e->operands.a) vec_push(&scratch, &chain, e);
    const AstExpr *now = copy(c, e);
    while (chain.n) {
        const AstExpr *link = vec_pop(&chain);
        now = with_operands(c, link, now, copy(c, link->operands.b), link->operands.c);
    }
    arena_free(&scratch);
    return now;
}

// The expression itself if there are no slices in it.
static const AstExpr *copy(Copier *c, const AstExpr *e)
{
    switch (e->kind) {
    case AST_NUMBER: case AST_RANGE: return e;
    case AST_REF: return copy_ref(c, e);
    case AST_CALL: return copy_call(c, e);
    case AST_BINARY: return copy_chain(c, e);
    case AST_UNARY: case AST_CONVERT:
        return with_operands(c, e, copy(c, e->operands.a), e->operands.b, e->operands.c);
    case AST_IF: {
        const AstExpr *a = copy(c, e->operands.a), *b = copy(c, e->operands.b);
        return with_operands(c, e, a, b, copy(c, e->operands.c));
    }
    }
    return e;
}

// ---------------------------------------------------------------------------------------------- remembering

enum { SLICES_NONE = 1, SLICES_FIRST };    // in ex->slice_of; 0: not looked at

static uint32_t *record_of(Expander *ex, const void *node)
{
    return map_at(&ex->slice_of, (uint64_t)(uintptr_t)node);
}

static const Slices *find_record(const Expander *ex, uint32_t record)
{
    return record < SLICES_FIRST ? NULL : ex->slices.items[record - SLICES_FIRST];
}

static const Slices *add_record(Expander *ex, const void *node, const Copier *c, const AstItem *body,
                                const AstExpr *arg)
{
    Slices *slices = ARENA_NEW(&ex->work, Slices);
    *slices = (Slices){ body, arg, c->uses.items, (uint32_t)c->uses.n, c->n_dims };
    *record_of(ex, node) = (uint32_t)ex->slices.n + SLICES_FIRST;
    vec_push(&ex->work, &ex->slices, slices);
    return slices;
}

static const Slices *slices_of_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const uint32_t known = *record_of(ex, item);
    if (known) return find_record(ex, known);
    Copier c = { .ex = ex, .scope = scope, .locals = locals };
    AstItem *body = ARENA_NEW(&ex->work, AstItem);
    *body = *item;
    if (item->kind == AST_ASSERT) {
        body->assertion.condition = (AstExpr *)copy(&c, item->assertion.condition);
    } else {
        // one value cannot equal several: then there is nothing to go through, and reading it says so
        body->equation.lhs = (AstExpr *)copy(&c, item->equation.lhs);
        if (c.n_dims > 0 || item->equation.lhs->kind == AST_NUMBER)
            body->equation.rhs = (AstExpr *)copy(&c, item->equation.rhs);
    }
    *record_of(ex, body) = SLICES_NONE;
    if (c.n_dims > 0) return add_record(ex, item, &c, body, NULL);
    *record_of(ex, item) = SLICES_NONE;
    return NULL;
}

// ---------------------------------------------------------------------------------------------- counting

typedef struct Counts { uint32_t n; double count[DIMS_MAX]; } Counts;

static bool count_elements(const Reading *r, const AstRef *ref, Counts *counts)
{
    Scope *scope = r->scope;
    *counts = (Counts){ 0 };
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        const Entity *entity = scope_find(scope, part->name);
        if (is_whole(entity, part))
            for (uint32_t k = 0; k < entity->n_sizes; k++) counts->count[counts->n++] = entity->sizes[k];
        for (uint32_t k = 0; k < part->n_indices; k++) {
            const AstExpr *range = part->indices[k];
            long long first, last;
            if (range->kind != AST_RANGE) continue;
            if (!lower_whole(r, range->operands.a, &first) || !lower_whole(r, range->operands.b, &last))
                return false;
            counts->count[counts->n++] = last < first ? 0 : (double)last - (double)first + 1;
        }
        scope = inside(entity);
    }
    return true;
}

// "4 elements", "2 x 3 elements"
static const char *counts_text(Expander *ex, const Counts *counts)
{
    StrBuf s = { .arena = &ex->work };
    for (uint32_t i = 0; i < counts->n; i++) str_addf(&s, "%s%.10g", i ? " x " : "", counts->count[i]);
    str_add(&s, counts->n == 1 && counts->count[0] == 1 ? " element" : " elements");
    return str_finish(&s);
}

// As it is written.
static const char *use_text(Expander *ex, const AstExpr *e)
{
    char *text = NULL;
    size_t n;
    FILE *memory = open_memstream(&text, &n);
    if (!memory) arena_no_memory(0);
    ast_print_expr(e, memory);
    memory_close(memory, &text);
    const char *copied = arena_printf(&ex->work, "'%s'", text);
    free(text);
    return copied;
}

// How many elements the slices of a statement or a reduction have; false after an error.
static bool measure(const Reading *r, const Slices *slices, Counts *counts)
{
    Expander *ex = r->ex;
    for (uint32_t i = 0; i < slices->n_uses; i++) {
        Counts now;
        const AstExpr *use = slices->uses[i];
        if (!count_elements(r, &use->ref, &now)) return false;
        if (i == 0) *counts = now;
        bool agree = now.n == counts->n;
        for (uint32_t k = 0; agree && k < now.n; k++) agree = now.count[k] == counts->count[k];
        if (agree) continue;
        EXPAND_FAIL(ex, DIAG_SLICE_LENGTH, use->place, use_text(ex, use), counts_text(ex, &now),
                    use_text(ex, slices->uses[0]), counts_text(ex, counts));
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- statements

static bool may_have_slices(const AstItem *item)
{
    return item->kind == AST_EQUATION || item->kind == AST_INITIAL || item->kind == AST_ASSERT;
}

bool slice_find(Expander *ex, Scope *scope, const Local *locals, const AstItem *item, const AstItem **loop)
{
    *loop = NULL;
    const Slices *slices = may_have_slices(item) ? slices_of_item(ex, scope, locals, item) : NULL;
    if (!slices) return false;
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    Counts counts;
    if (!measure(&r, slices, &counts)) return true;
    const AstItem *inner = slices->body;
    for (uint32_t k = counts.n; k-- > 0;) {
        AstItem *outer = ARENA_NEW(&ex->work, AstItem);
        *outer = (AstItem){ .kind = AST_FOR, .place = item->place };
        outer->loop.index = index_names[k];
        outer->loop.first = make_number(ex, 1, item->place);
        outer->loop.last = make_number(ex, counts.count[k], item->place);
        outer->loop.items = (AstItem *)inner;
        outer->loop.n_items = 1;
        inner = outer;
    }
    *loop = inner;
    return true;
}

// ---------------------------------------------------------------------------------------------- sums

typedef struct Reduction {
    const Reading *r;
    const AstExpr *call, *arg;
    ExprOp         op;
    SliceLoop      loops[LOOPS_MAX];
    uint32_t       n_loops;
    Expr           value;      // EXPR_NONE: nothing yet
} Reduction;

bool slice_mentions(const AstExpr *e, const char *name)
{
    switch (e->kind) {
    case AST_NUMBER: return false;
    case AST_REF:
        for (uint32_t i = 0; i < e->ref.n_parts; i++) {
            if (i == 0 && strcmp(e->ref.parts[0].name, name) == 0) return true;
            for (uint32_t k = 0; k < e->ref.parts[i].n_indices; k++)
                if (slice_mentions(e->ref.parts[i].indices[k], name)) return true;
        }
        return false;
    case AST_CALL:
        for (uint32_t i = 0; i < e->call.n_args; i++)
            if (slice_mentions(e->call.args[i], name)) return true;
        return false;
    case AST_IF: if (slice_mentions(e->operands.c, name)) return true;    // fall through
    case AST_BINARY: case AST_RANGE: if (slice_mentions(e->operands.b, name)) return true;    // fall through
    case AST_UNARY: case AST_CONVERT: return slice_mentions(e->operands.a, name);
    }
    return false;
}

// Does the number of turns of a loop depend on the turn of one around it?
static bool depends_on_turns(const Reduction *m)
{
    for (uint32_t i = 0; i < m->n_loops; i++)
        for (uint32_t k = i + 1; k < m->n_loops; k++)
            if (slice_mentions(m->loops[k].first, m->loops[i].index) ||
                slice_mentions(m->loops[k].last, m->loops[i].index))
                return true;
    return false;
}

static void add_term(Reduction *m, const Local *locals)
{
    Reading inner = *m->r;
    inner.locals = locals;
    const Expr term = lower_real(&inner, m->arg);
    m->value = m->value == EXPR_NONE ? term : expr_binary(&m->r->ex->flat->pool, m->op, m->value, term);
}

// Turn by turn; the terms are joined from left to right.
static bool join_terms(Reduction *m, const Local *locals, uint32_t k)
{
    Expander *ex = m->r->ex;
    if (k == m->n_loops) {
        add_term(m, locals);
        return true;
    }
    Reading r = *m->r;
    r.locals = locals;
    const SliceLoop *loop = &m->loops[k];
    long long first, last;
    if (!lower_whole(&r, loop->first, &first) || !lower_whole(&r, loop->last, &last)) return false;
    if (!expand_takes_terms(ex, m->call->place, (double)last - (double)first + 1)) return false;
    for (long long i = first; i <= last; i++) {
        if (expand_gives_up(ex) || (ex->nest && ex->nest->failed)) return false;
        const Local index = { locals, loop->index, EXPR_NONE, (double)i };
        if (!join_terms(m, &index, k + 1)) return false;
    }
    return true;
}

static bool find_loops(Reduction *m, const Slices *slices)
{
    Expander *ex = m->r->ex;
    const AstExpr *call = m->call;
    for (uint32_t i = 0; i < call->call.n_loops; i++) {
        const AstIndex *index = &call->call.loops[i];
        if (strcmp(index->name, "t") == 0) {
            EXPAND_FAIL(ex, DIAG_NAME_RESERVED, index->place, index->name);
            diag_hint(ex->diag, "t is the time; choose another name");
            return false;
        }
        m->loops[m->n_loops++] = (SliceLoop){ index->name, index->first, index->last };
    }
    Counts counts = { 0 };
    if (slices && !measure(m->r, slices, &counts)) return false;
    for (uint32_t k = 0; k < counts.n; k++)
        m->loops[m->n_loops++] = (SliceLoop){ index_names[k], make_number(ex, 1, call->place),
                                              make_number(ex, counts.count[k], call->place) };
    return true;
}

static const Slices *slices_of_call(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    const uint32_t known = *record_of(ex, call);
    if (known || !r->scope) return find_record(ex, known);
    // names of the loops hide arrays
    Local hidden[LOOPS_MAX];
    Copier c = { .ex = ex, .scope = r->scope, .locals = r->locals };
    for (uint32_t i = 0; i < call->call.n_loops; i++) {
        hidden[i] = (Local){ c.locals, call->call.loops[i].name, EXPR_NONE, 0 };
        c.locals = &hidden[i];
    }
    const AstExpr *arg = copy(&c, call->call.args[0]);
    if (c.n_dims > 0) return add_record(ex, call, &c, NULL, arg);
    *record_of(ex, call) = SLICES_NONE;
    return NULL;
}

Expr slice_reduce(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    Reduction m = { .r = r, .call = call, .op = reduction_op(call), .value = EXPR_NONE };
    if (m.op == EXPR_N_OPS) return EXPR_NONE;
    const Slices *slices = call->call.n_args == 1 ? slices_of_call(r, call) : NULL;
    if (!slices && call->call.n_loops == 0 && m.op != EXPR_ADD) return EXPR_NONE;    // min(x) of one value
    static const char takes[] = "an array, a slice, or a value with 'for i in 1..n'";
    if (call->call.n_args != 1) {
        lower_wrong_arguments(r, call, takes);
        return lower_poison(r);
    }
    if (!slices && call->call.n_loops == 0) {
        EXPAND_FAIL(ex, DIAG_TYPE_MISMATCH, call->call.args[0]->place, takes, "one value");
        return lower_poison(r);
    }
    m.arg = slices ? slices->arg : call->call.args[0];
    if (!find_loops(&m, slices)) return lower_poison(r);
    const Expr kept = depends_on_turns(&m) ? EXPR_NONE
                                           : array_reduce(r, m.arg, m.loops, m.n_loops, m.op, call->place);
    if (kept != EXPR_NONE) return kept;
    if (!join_terms(&m, r->locals, 0)) return lower_poison(r);
    if (m.value != EXPR_NONE) return m.value;
    if (m.op == EXPR_ADD) return expr_const(&ex->flat->pool, 0);
    EXPAND_FAIL(ex, DIAG_TYPE_MISMATCH, call->place, "at least one element", "an empty range");
    return lower_poison(r);
}

bool slice_takes_loops(const Reading *r, const AstExpr *call)
{
    if (call->call.n_loops == 0 || is_reduction(r->ex, r->scope, call)) return true;
    EXPAND_FAIL(r->ex, DIAG_SLICE_MISPLACED, call->place,
                arena_printf(&r->ex->work, "'%s(… for …)'", call->call.function));
    diag_hint(r->ex->diag, "only sum, min and max take 'for'");
    return false;
}
