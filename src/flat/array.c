// src/flat/array.c: arrays that stay arrays, and the loops over them.
//
// The body of a `for` is read once, with the indices of the loops as symbols (EXPR_TURN). Whatever needs
// their values (components chosen by index, relations, which are modes of their own in every turn, powers)
// cannot be read so; then that statement is expanded turn by turn as ever. An array is irregular if something
// is said of it that only scalars can do: it is then expanded when the model is read again.
#include "flat/scope.h"
#include <math.h>
#include <string.h>

enum {
    SINGLES_MAX = 1000,    // equations for single elements of an array
    LOOP_MAX = 1 << 30,    // turns of one loop, and values of its index
};

// ---------------------------------------------------------------------------------------------- declaring

bool array_may_stay(const Expander *ex, const Scope *scope, const Entity *entity)
{
    const Flat *flat = ex->flat;
    const Symbol *symbol = entity->symbol;
    if (entity->is_by_member) return false;
    if (flat->keep_from == 0 || entity->n_elements < flat->keep_from || entity->n_sizes == 0) return false;
    if (symbol->kind != SYMBOL_VARIABLE || scope->terminal != FLAT_NONE || entity->values) return false;
    if (symbol->declared != AST_VAR && symbol->declared != AST_PARAM && symbol->declared != AST_OUTPUT)
        return false;
    if (!flat->expanded) return true;
    Arena scratch = { 0 };
    const char *name = arena_printf(&scratch, "%.*s%s", (int)scope->path.n, scope->path.p, symbol->name);
    const bool is_expanded = text_map_find(flat->expanded, text_from(name)) != NULL;
    arena_free(&scratch);
    return !is_expanded;
}

static uint32_t add_array(Expander *ex, Text name, FlatArray array)
{
    Flat *flat = ex->flat;
    const uint32_t number = (uint32_t)flat->arrays.n;
    array.name = text_copy(flat->arena, name);
    array.first = flat->n_elements;
    if (array.n_primes == 0) array.after = (uint32_t)flat->vars.n;
    array.derivative = array.integral = FLAT_NONE;
    array.start = EXPR_NONE;
    if (!text_map_put(&flat->array_by_name, name, number)) array.is_irregular = true;
    flat->n_elements += array.n;
    vec_push(flat->arena, &flat->arrays, array);
    return number;
}

void array_declare(Expander *ex, const Scope *scope, Entity *entity, const FlatVar *like)
{
    const Flat *flat = ex->flat;
    uint32_t *sizes = ARENA_ARRAY(flat->arena, uint32_t, entity->n_sizes);
    memcpy(sizes, entity->sizes, entity->n_sizes * sizeof *sizes);
    const ArenaMark mark = arena_mark(&ex->scratch);
    const char *name = arena_printf(&ex->scratch, "%.*s%s", (int)scope->path.n, scope->path.p,
                                    entity->symbol->name);
    const FlatArray array = { .place = like->place,
                              .kind = like->kind,
                              .is_output = like->is_output,
                              .start_is_guess = like->start_is_guess,
                              .n = entity->n_elements,
                              .n_sizes = entity->n_sizes,
                              .sizes = sizes,
                              .nominal = like->nominal,
                              .is_positive = like->is_positive,
                              .unit = like->unit,
                              .doc = like->doc };
    entity->array = add_array(ex, text_from(name), array);
    arena_release(&ex->scratch, mark);
}

void array_spoil(Expander *ex, uint32_t array)
{
    Flat *flat = ex->flat;
    while (flat->arrays.items[array].integral != FLAT_NONE) array = flat->arrays.items[array].integral;
    flat->arrays.items[array].is_irregular = true;
}

uint32_t array_derivative(Expander *ex, uint32_t array, uint32_t order)
{
    Flat *flat = ex->flat;
    for (; order > 0; order--) {
        if (flat->arrays.items[array].derivative == FLAT_NONE) {
            FlatArray rate = flat->arrays.items[array];
            rate.is_output = rate.start_is_guess = rate.is_structural = rate.is_irregular = false;
            rate.is_positive = false;
            rate.nominal = 0;
            rate.doc = NULL;
            rate.unit = units_rate_text(flat->units, rate.unit);
            rate.n_primes++;
            const ArenaMark mark = arena_mark(&ex->scratch);
            const uint32_t number =
                add_array(ex, text_from(arena_printf(&ex->scratch, "%s'", rate.name)), rate);
            arena_release(&ex->scratch, mark);
            flat->arrays.items[number].integral = array;
            flat->arrays.items[array].derivative = number;
        }
        array = flat->arrays.items[array].derivative;
    }
    return array;
}

// ---------------------------------------------------------------------------------------------- reading
// elements

// constant + factor · turns
typedef struct Affine { double constant, factor[EXPR_LOOPS_MAX]; } Affine;

static bool is_constant(const Affine *a)
{
    for (int k = 0; k < EXPR_LOOPS_MAX; k++)
        if (a->factor[k] != 0) return false;
    return true;
}

static Affine scaled(Affine a, double by)
{
    a.constant *= by;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) a.factor[k] *= by;
    return a;
}

static Affine sum(Affine a, Affine b)
{
    a.constant += b.constant;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) a.factor[k] += b.factor[k];
    return a;
}

static bool affine_of(const ExprPool *pool, Expr e, Affine *out, int depth)
{
    const ExprNode *node = expr_node(pool, e);
    Affine a, b;
    *out = (Affine){ 0 };
    if (depth == 0) return false;
    switch (node->op) {
    case EXPR_CONST: out->constant = pool->constants.items[node->index]; return true;
    case EXPR_TURN:
        out->constant = (int32_t)node->b;
        out->factor[node->a] = 1;
        return true;
    case EXPR_NEG:
        if (!affine_of(pool, node->a, &a, depth - 1)) return false;
        *out = scaled(a, -1);
        return true;
    case EXPR_ADD: case EXPR_SUB:
        if (!affine_of(pool, node->a, &a, depth - 1) || !affine_of(pool, node->b, &b, depth - 1))
            return false;
        *out = sum(a, node->op == EXPR_ADD ? b : scaled(b, -1));
        return true;
    case EXPR_MUL:
        if (!affine_of(pool, node->a, &a, depth - 1) || !affine_of(pool, node->b, &b, depth - 1))
            return false;
        if (is_constant(&a)) *out = scaled(b, a.constant);
        else if (is_constant(&b)) *out = scaled(a, b.constant);
        else return false;
        return true;
    default: return false;
    }
}

// Whole, and inside of 1..size in every turn?
static bool is_inside(const Nest *nest, const Affine *index, uint32_t size)
{
    double least = index->constant, most = index->constant;
    if (index->constant != floor(index->constant)) return false;
    for (uint32_t k = 0; k < nest->loops.n; k++) {
        if (index->factor[k] != floor(index->factor[k])) return false;
        const double span = index->factor[k] * (nest->loops.count[k] - 1.0);
        if (span < 0) least += span;
        else most += span;
    }
    return least >= 1 && most <= size;
}

// The element that the indices of a part select, in loops. False after an error, or if it cannot be told
// without expanding the loops.
static bool select_in_nest(const Reading *r, const Entity *entity, const AstPart *part, ExprAccess *access)
{
    Expander *ex = r->ex;
    Reading structural = *r;
    structural.is_structural = true;
    structural.makes_modes = false;
    Affine element = { 0 };
    for (uint32_t i = 0; i < part->n_indices; i++) {
        Affine index;
        const Expr e = lower_real(&structural, part->indices[i]);
        if (!affine_of(&ex->flat->pool, e, &index, 20)) {
            ex->nest->failed = true;
            return false;
        }
        if (!is_inside(ex->nest, &index, entity->sizes[i])) {    // said in full when the loop is expanded
            ex->n_errors++;
            return false;
        }
        index.constant -= 1;
        element = sum(scaled(element, entity->sizes[i]), index);
    }
    access->offset = (uint32_t)element.constant;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) access->stride[k] = (int32_t)element.factor[k];
    return true;
}

bool array_access(const Reading *r, const Entity *entity, const AstPart *part, uint32_t primes, Place place,
                  ExprAccess *access)
{
    Expander *ex = r->ex;
    *access = (ExprAccess){ .array = entity->array };
    if (ex->nest && part->n_indices == entity->n_sizes) {
        if (!select_in_nest(r, entity, part, access)) return false;
    } else {
        size_t element;
        if (!lower_select(r, entity, part, place, &element)) return false;
        access->offset = (uint32_t)element;
    }
    if (primes == 0) return true;
    if (ex->flat->arrays.items[access->array].kind != FLAT_VARIABLE) {
        EXPAND_FAIL(ex, DIAG_DERIVATIVE_BAD, place, entity->symbol->name, lower_kind(entity));
        return false;
    }
    if (primes > 4) {    // nobody writes so many; the limit of scalars is told by expanding
        array_spoil(ex, access->array);
        return false;
    }
    access->array = array_derivative(ex, access->array, primes);
    return true;
}

void array_check_exponent(Expander *ex, Expr exponent)
{
    const ExprPool *pool = &ex->flat->pool;
    if (!ex->nest || expr_is_const(pool, exponent, NULL)) return;
    const ArenaMark mark = arena_mark(&ex->scratch);
    size_t n;
    const Expr *nodes = expr_collect(pool, &exponent, 1, &ex->scratch, &n);
    for (size_t i = 0; i < n; i++)
        if (expr_op(pool, nodes[i]) == EXPR_TURN) ex->nest->failed = true;
    arena_release(&ex->scratch, mark);
}

// ---------------------------------------------------------------------------------------------- families

static bool is_element(const Expander *ex, Expr e) { return expr_op(&ex->flat->pool, e) == EXPR_ELEM; }

// Keep lhs = rhs, or the other way round, as a family if it computes an element.
static bool add_family(Expander *ex, bool is_initial, const ExprLoops *loops, Expr lhs, Expr rhs, Place place)
{
    Flat *flat = ex->flat;
    if (!is_element(ex, lhs)) {
        if (loops->n == 0 || !is_element(ex, rhs)) return false;
        const Expr swap = lhs;
        lhs = rhs;
        rhs = swap;
    }
    const FlatFamily family = { *loops, lhs, rhs, place };
    if (is_initial) vec_push(flat->arena, &flat->initial_families, family);
    else vec_push(flat->arena, &flat->families, family);
    if (loops->n > 0) return true;
    const uint32_t array = expr_access(&flat->pool, lhs)->array;
    if (++*map_at(&ex->singles, array) > SINGLES_MAX) array_spoil(ex, array);
    return true;
}

bool array_equation(Expander *ex, bool is_initial, Expr lhs, Expr rhs, Place place)
{
    if (ex->flat->arrays.n == 0) return false;
    static const ExprLoops none;
    if (!ex->nest) return add_family(ex, is_initial, &none, lhs, rhs, place);
    if (!add_family(ex, is_initial, &ex->nest->loops, lhs, rhs, place)) ex->nest->failed = true;
    return true;    // kept, or to be expanded
}

void array_equation_for_all(Expander *ex, bool is_initial, uint32_t array, Expr rhs, Place place)
{
    const FlatArray *a = &ex->flat->arrays.items[array];
    const ExprLoops loops = { .n = 1, .count = { a->n }, .first = { 1 }, .index = { "i" } };
    const ExprAccess all = { .array = array, .stride = { 1 } };
    add_family(ex, is_initial, &loops, expr_elem(&ex->flat->pool, &all), rhs, place);
}

// ---------------------------------------------------------------------------------------------- loops

// Read one statement with the indices of the loops as symbols. False if it must be expanded instead: nothing
// has happened.
static bool keep_statement(Expander *ex, Scope *scope, const Local *locals, const AstItem *item, Nest *nest)
{
    if (item->kind != AST_EQUATION && item->kind != AST_INITIAL) return false;
    Flat *flat = ex->flat;
    orr_diag *const diag = ex->diag;
    const size_t n_errors = ex->n_errors, n_calls = ex->past_calls.n;
    const size_t n_families = flat->families.n, n_initial = flat->initial_families.n;
    nest->failed = false;
    ex->nest = nest;
    ex->diag = NULL;
    define_item(ex, scope, locals, item);
    ex->nest = NULL;
    ex->diag = diag;
    // a mistake is explained by the scalars, which have values and names: read the model again without arrays
    if (ex->n_errors > n_errors) flat->keep_failed = true;
    if (!nest->failed) return true;
    ex->past_calls.n = n_calls;
    flat->families.n = n_families;
    flat->initial_families.n = n_initial;
    return false;
}

// A statement inside of the loops of a nest, turn by turn.
static void expand_statement(Expander *ex, Scope *scope, const Local *locals, const Nest *nest,
                             uint32_t depth, const AstItem *item)
{
    if (depth == nest->loops.n) {
        expand_define(ex, scope, locals, item);
        return;
    }
    for (uint32_t k = 0; k < nest->loops.count[depth] && !expand_gives_up(ex); k++) {
        const double value = (double)nest->loops.first[depth] + k;
        const Local index = { locals, nest->loops.index[depth], EXPR_NONE, value };
        expand_statement(ex, scope, &index, nest, depth + 1, item);
    }
}

// Add a loop to a nest, its index a symbol. False if its bounds are not numbers here; an empty one adds
// nothing.
static bool enter_loop(Expander *ex, Scope *scope, const Local *locals, const AstItem *item, Nest *nest,
                       Local *index)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    long long first, last;
    if (nest->loops.n == EXPR_LOOPS_MAX) return false;
    orr_diag *const diag = ex->diag;
    const size_t n_errors = ex->n_errors;
    ex->diag = NULL;
    nest->failed = false;
    ex->nest = nest;
    const bool ok = lower_whole(&r, item->loop.first, &first) && lower_whole(&r, item->loop.last, &last);
    ex->nest = NULL;
    ex->diag = diag;
    ex->n_errors = n_errors;
    if (!ok || strcmp(item->loop.index, "t") == 0) return false;
    if (last < first) return true;
    if (first < -LOOP_MAX || last > LOOP_MAX || last - first >= LOOP_MAX) return false;
    const uint32_t k = nest->loops.n++;
    nest->loops.first[k] = (int32_t)first;
    nest->loops.count[k] = (uint32_t)(last - first + 1);
    nest->loops.index[k] = item->loop.index;
    index->value = expr_turn(&ex->flat->pool, k, (int32_t)first);
    return true;
}

// If a statement has slices: the loops it stands for. -1 if these cannot be told without expanding the loops
// around it.
static int find_sliced(Expander *ex, Scope *scope, const Local *locals, Nest *nest, const AstItem **item)
{
    orr_diag *const diag = ex->diag;
    const size_t n_errors = ex->n_errors;
    const AstItem *loop;
    nest->failed = false;
    ex->nest = nest;
    ex->diag = NULL;
    const bool has_slices = slice_find(ex, scope, locals, *item, &loop);
    ex->nest = NULL;
    ex->diag = diag;
    const bool failed = nest->failed || ex->n_errors > n_errors;
    ex->n_errors = n_errors;
    if (!has_slices) return 0;
    if (failed || !loop) return -1;
    *item = loop;
    return 1;
}

// The statements of the innermost loop of a nest. `outside` are the locals around the nest, `locals` those
// inside.
static void keep_items(Expander *ex, Scope *scope, const Local *outside, const Local *locals, Nest *nest,
                       const AstItem *loop)
{
    double turns = 1;
    for (uint32_t k = 0; k < nest->loops.n; k++) turns *= nest->loops.count[k];
    for (uint32_t i = 0; i < loop->loop.n_items && !expand_gives_up(ex); i++) {
        const AstItem *item = &loop->loop.items[i];
        Nest inner = *nest;
        const int found = find_sliced(ex, scope, locals, nest, &item);
        if (found < 0) {
            if (expand_takes_turns(ex, item->place, turns))
                expand_statement(ex, scope, outside, nest, 0, item);
            continue;
        }
        Local index = { locals, item->kind == AST_FOR ? item->loop.index : NULL, EXPR_NONE, 0 };
        bool is_kept;
        if (item->kind != AST_FOR) {
            is_kept = keep_statement(ex, scope, locals, item, nest);
        } else {    // not if its bounds depend on the turn
            is_kept = enter_loop(ex, scope, locals, item, &inner, &index);
            if (inner.loops.n > nest->loops.n) keep_items(ex, scope, outside, &index, &inner, item);
        }
        if (!is_kept && expand_takes_turns(ex, item->place, turns))
            expand_statement(ex, scope, outside, nest, 0, item);
    }
}

bool array_keep_loop(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    if (ex->flat->arrays.n == 0) return false;
    Nest nest = { 0 };
    Local index = { locals, item->loop.index, EXPR_NONE, 0 };
    if (!enter_loop(ex, scope, locals, item, &nest, &index)) return false;
    if (nest.loops.n > 0) keep_items(ex, scope, locals, &index, &nest, item);
    return true;
}

// ---------------------------------------------------------------------------------------------- sums

typedef struct FirstTurn { ExprPool *pool; const Nest *nest; uint32_t n_outer; } FirstTurn;

static Expr in_first_turn(void *context, Expr leaf)
{
    const FirstTurn *f = context;
    const ExprNode node = *expr_node(f->pool, leaf);
    if (node.op == EXPR_TURN && node.a >= f->n_outer) return expr_const(f->pool, (double)(int32_t)node.b);
    if (node.op != EXPR_ELEM) return leaf;
    ExprAccess access = *expr_access(f->pool, leaf);
    for (uint32_t k = f->n_outer; k < EXPR_LOOPS_MAX; k++) access.stride[k] = 0;
    return expr_elem(f->pool, &access);
}

// What can be joined with the first term and leaves it as it is, to the last bit: -0 for a sum; else the term
// itself.
static Expr neutral(ExprPool *pool, const Nest *nest, uint32_t n_outer, ExprOp op, Expr term)
{
    if (op == EXPR_ADD) return expr_const(pool, -0.0);
    return expr_replace(pool, term, in_first_turn, &(FirstTurn){ pool, nest, n_outer });
}

// The loops of a reduction inside of those around it, indices as symbols. False if they cannot be told, or
// are empty.
static bool enter_reduction(const Reading *r, const SliceLoop *loops, uint32_t n_loops, Nest *nest,
                            Local *indices)
{
    Expander *ex = r->ex;
    for (uint32_t i = 0; i < n_loops; i++) {
        long long first, last;
        if (nest->loops.n == EXPR_LOOPS_MAX) return false;
        if (!lower_whole(r, loops[i].first, &first) || !lower_whole(r, loops[i].last, &last)) return false;
        if (last < first || first < -LOOP_MAX || last > LOOP_MAX || last - first >= LOOP_MAX) return false;
        const uint32_t k = nest->loops.n++;
        nest->loops.first[k] = (int32_t)first;
        nest->loops.count[k] = (uint32_t)(last - first + 1);
        nest->loops.index[k] = loops[i].index;
        indices[i] = (Local){ i ? &indices[i - 1] : r->locals, loops[i].index,
                              expr_turn(&ex->flat->pool, k, (int32_t)first), 0 };
    }
    return true;
}

// Elements of the array of parts, one more than terms for each turn around; 0 if there are too few or too
// many.
static uint32_t count_parts(const Expander *ex, const Nest *nest, uint32_t n_outer, uint32_t *n_terms)
{
    double terms = 1, turns = 1;
    for (uint32_t k = 0; k < nest->loops.n; k++) *(k < n_outer ? &turns : &terms) *= nest->loops.count[k];
    const double n = turns * (terms + 1);
    if (terms < ex->flat->keep_from || n + ex->flat->n_elements + (double)ex->flat->vars.n > 2e7) return 0;
    *n_terms = (uint32_t)terms;
    return (uint32_t)n;
}

// s[0] = nothing; s[k] = s[k - 1] + term k. Returns the last.
static Expr add_parts(Expander *ex, const Nest *nest, uint32_t n_outer, uint32_t array, uint32_t n_terms,
                      Expr term, ExprOp op, Place place)
{
    Flat *flat = ex->flat;
    ExprPool *pool = &flat->pool;
    ExprLoops outer = nest->loops;
    outer.n = n_outer;
    ExprAccess first = { .array = array }, before = first;
    uint32_t stride = 1;
    for (uint32_t k = nest->loops.n; k-- > n_outer; stride *= nest->loops.count[k])
        before.stride[k] = (int32_t)stride;
    stride = n_terms + 1;
    for (uint32_t k = n_outer; k-- > 0; stride *= nest->loops.count[k])
        first.stride[k] = before.stride[k] = (int32_t)stride;
    ExprAccess now = before, last = first;
    now.offset = 1;
    last.offset = n_terms;
    const Expr sum = expr_binary(pool, op, expr_elem(pool, &before), term);
    const FlatFamily begin = { outer, expr_elem(pool, &first), neutral(pool, nest, n_outer, op, term),
                               place };
    const FlatFamily go_on = { nest->loops, expr_elem(pool, &now), sum, place };
    vec_push(flat->arena, &flat->families, begin);
    vec_push(flat->arena, &flat->families, go_on);
    return expr_elem(pool, &last);
}

static bool depends_on_loops(const Reading *r, const AstExpr *term, const SliceLoop *loops, uint32_t n_loops)
{
    for (const Local *l = r->locals; l; l = l->outer) {
        bool is_hidden = false;    // by a loop of its own
        for (uint32_t i = 0; i < n_loops; i++) is_hidden = is_hidden || strcmp(l->name, loops[i].index) == 0;
        if (!is_hidden && slice_mentions(term, l->name)) return true;
    }
    return false;
}

static Expr last_part(Flat *flat, uint32_t array)
{
    const ExprAccess last = { .array = array, .offset = flat->arrays.items[array].n - 1 };
    return expr_elem(&flat->pool, &last);
}

Expr array_reduce(const Reading *r, const AstExpr *term, const SliceLoop *loops, uint32_t n_loops, ExprOp op,
                  Place place)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    // only an equation can have variables of its own, and only one that is read once
    if (flat->arrays.n == 0 || !r->makes_modes || r->in_event || r->is_structural || !r->scope ||
        ex->n_calls > 0)
        return EXPR_NONE;
    Nest *const around = ex->nest;
    Nest nest = { 0 };
    const bool depends = depends_on_loops(r, term, loops, n_loops);
    if (around && depends) nest.loops = around->loops;
    const uint32_t n_outer = nest.loops.n;
    const ArenaMark mark = arena_mark(&ex->scratch);
    Local *indices = ARENA_ARRAY(&ex->scratch, Local, n_loops);
    uint32_t n_terms = 0, n = 0;
    if (enter_reduction(r, loops, n_loops, &nest, indices)) n = count_parts(ex, &nest, n_outer, &n_terms);
    const char *name = arena_printf(&ex->scratch, "%.*spart%u.%u", (int)r->scope->path.n, r->scope->path.p,
                                    place.file, place.offset);
    const Text text = text_from(name);
    Expr value = EXPR_NONE;
    const uint32_t *made = text_map_find(&flat->array_by_name, text);    // in an earlier turn
    if (made && !depends) {
        arena_release(&ex->scratch, mark);
        return last_part(flat, *made);
    }
    if (n > 0 && !made && !text_map_find(flat->expanded, text)) {
        orr_diag *const diag = ex->diag;
        const size_t n_errors = ex->n_errors;
        Reading inner = *r;
        inner.locals = &indices[n_loops - 1];
        ex->nest = &nest;
        ex->diag = NULL;
        value = lower_real(&inner, term);
        ex->nest = around;
        ex->diag = diag;
        if (nest.failed || ex->n_errors > n_errors)
            value = EXPR_NONE;    // said in full when it is written out
        ex->n_errors = n_errors;
    }
    if (value != EXPR_NONE) {
        uint32_t *size = ARENA_NEW(flat->arena, uint32_t);
        *size = n;
        const FlatArray parts = {
            .place = place, .kind = FLAT_VARIABLE, .is_hidden = true, .n = n, .n_sizes = 1, .sizes = size
        };
        value = add_parts(ex, &nest, n_outer, add_array(ex, text, parts), n_terms, value, op, place);
    }
    arena_release(&ex->scratch, mark);
    return value;
}

// ---------------------------------------------------------------------------------------------- settling

// An equation that computes nothing by itself: it must be solved for an unknown in it. Without any it is a
// constraint of the states.
static void spoil_family(Expander *ex, const FlatFamily *family)
{
    const Flat *flat = ex->flat;
    const ArenaMark mark = arena_mark(&ex->scratch);
    size_t n;
    const Expr *elements = expr_elements(&flat->pool, family->rhs, &ex->scratch, &n);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const uint32_t array = expr_access(&flat->pool, elements[i])->array;
        if (!flat_array_is_unknown(&flat->arrays.items[array])) continue;
        array_spoil(ex, array);
        any = true;
    }
    if (!any) array_spoil(ex, expr_access(&flat->pool, family->lhs)->array);
    arena_release(&ex->scratch, mark);
}

// Equations for elements of what is no unknown are equations for something else, or constraints.
static void sort_families(Expander *ex)
{
    Flat *flat = ex->flat;
    size_t n = 0;
    for (size_t i = 0; i < flat->families.n; i++) {
        const FlatFamily family = flat->families.items[i];
        const uint32_t array = expr_access(&flat->pool, family.lhs)->array;
        if (flat_array_is_unknown(&flat->arrays.items[array])) flat->families.items[n++] = family;
        else if (family.loops.n == 0) define_equation(ex, family.lhs, family.rhs, family.place);
        else spoil_family(ex, &family);
    }
    flat->families.n = n;
    n = 0;
    for (size_t i = 0; i < flat->initial_families.n; i++) {
        const FlatFamily family = flat->initial_families.items[i];
        const uint32_t array = expr_access(&flat->pool, family.lhs)->array;
        if (flat_array_is_state(&flat->arrays.items[array])) {
            flat->initial_families.items[n++] = family;
        } else if (family.loops.n == 0) {
            const FlatEquation equation = { family.lhs, family.rhs, family.place };
            vec_push(flat->arena, &flat->initial, equation);
        } else {
            array_spoil(ex, array);
        }
    }
    flat->initial_families.n = n;
}

void array_settle(Expander *ex)
{
    if (ex->flat->arrays.n) sort_families(ex);
}
