// src/order/family.c: the sets of elements that families compute and read.
#include "order/family.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const ExprAccess *target_of(const Flat *flat, const FlatFamily *f)
{
    return expr_access(&flat->pool, f->lhs);
}

void family_mark(Flat *flat, const FlatFamily *family)
{
    uint32_t array = target_of(flat, family)->array;
    while (flat->arrays.items[array].integral != FLAT_NONE) array = flat->arrays.items[array].integral;
    flat->arrays.items[array].is_irregular = true;
}

void family_mark_all(Flat *flat)
{
    for (size_t i = 0; i < flat->arrays.n; i++) flat->arrays.items[i].is_irregular = true;
}

// ---- Sets of elements

typedef struct Range { int64_t least, most; } Range;    // inclusive

static Range range_of(const ExprAccess *access, const ExprLoops *loops)
{
    Range r = { access->offset, access->offset };
    for (uint32_t k = 0; k < loops->n; k++) {
        const int64_t span = (int64_t)access->stride[k] * ((int64_t)loops->count[k] - 1);
        if (span < 0) r.least += span;
        else r.most += span;
    }
    return r;
}

static uint64_t n_turns(const ExprLoops *loops)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < loops->n; k++) n *= loops->count[k];
    return n;
}

// Every element of its range once?
static bool is_contiguous(const ExprAccess *access, const ExprLoops *loops)
{
    uint64_t length = 1;
    for (uint32_t k = loops->n; k-- > 0;) {
        if (loops->count[k] == 1) continue;
        if ((uint64_t)llabs(access->stride[k]) != length) return false;
        length *= loops->count[k];
    }
    return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
    a = llabs(a);
    b = llabs(b);
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Can the two have an element in common? "Yes" where it cannot be told.
static bool can_meet(const ExprAccess *a, const ExprLoops *a_loops, const ExprAccess *b,
                     const ExprLoops *b_loops)
{
    const Range x = range_of(a, a_loops), y = range_of(b, b_loops);
    if (a->array != b->array || x.most < y.least || y.most < x.least) return false;
    int64_t step = 0;
    for (uint32_t k = 0; k < a_loops->n; k++)
        if (a_loops->count[k] > 1) step = gcd(step, a->stride[k]);
    for (uint32_t k = 0; k < b_loops->n; k++)
        if (b_loops->count[k] > 1) step = gcd(step, b->stride[k]);
    const int64_t distance = (int64_t)a->offset - b->offset;
    return step == 0 ? distance == 0 : distance % step == 0;
}

// ---- Covering

static int by_least(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    return (x->least > y->least) - (x->least < y->least);
}

static bool mark_elements(const ExprAccess *access, const ExprLoops *loops, uint8_t *is_met)
{
    uint32_t turn[EXPR_LOOPS_MAX] = { 0 };
    for (;;) {
        int64_t element = access->offset;
        for (uint32_t k = 0; k < loops->n; k++) element += (int64_t)access->stride[k] * turn[k];
        if (is_met[element]++) return false;
        uint32_t k = loops->n;
        while (k > 0 && ++turn[k - 1] == loops->count[k - 1]) turn[--k] = 0;
        if (k == 0) return true;
    }
}

// Do these families compute every element of an array once?
static bool covers(const Flat *flat, const FlatArray *array, const FlatFamily *const *families, size_t n)
{
    Arena scratch = { 0 };
    Range *ranges = ARENA_ARRAY(&scratch, Range, n + 1);
    bool all_contiguous = true;
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const ExprAccess *target = target_of(flat, families[i]);
        ranges[i] = range_of(target, &families[i]->loops);
        all_contiguous = all_contiguous && is_contiguous(target, &families[i]->loops);
        total += n_turns(&families[i]->loops);
    }
    bool ok = total == array->n;
    if (ok && all_contiguous) {
        qsort(ranges, n, sizeof *ranges, by_least);
        for (size_t i = 1; i < n; i++) ok = ok && ranges[i].least > ranges[i - 1].most;
    } else if (ok) {
        uint8_t *is_met = ARENA_ARRAY(&scratch, uint8_t, array->n);
        for (size_t i = 0; ok && i < n; i++)
            ok = mark_elements(target_of(flat, families[i]), &families[i]->loops, is_met);
    }
    arena_free(&scratch);
    return ok;
}

// The families by what they compute.
typedef struct ByArray {
    uint32_t          *first;     // [n_arrays + 1]
    const FlatFamily **family;
} ByArray;

static ByArray by_array(const Flat *flat, const FlatFamily *families, size_t n, Arena *arena)
{
    const size_t n_arrays = flat->arrays.n;
    ByArray sorted = { ARENA_ARRAY(arena, uint32_t, n_arrays + 2),
                       ARENA_ARRAY(arena, const FlatFamily *, n) };
    for (size_t i = 0; i < n; i++) sorted.first[target_of(flat, &families[i])->array + 2]++;
    for (size_t a = 2; a < n_arrays + 2; a++) sorted.first[a] += sorted.first[a - 1];
    for (size_t i = 0; i < n; i++)
        sorted.family[sorted.first[target_of(flat, &families[i])->array + 1]++] = &families[i];
    return sorted;
}

// Parameters are evaluated before arrays of them, and these one after the other.
static bool defaults_are_plain(Flat *flat)
{
    Arena scratch = { 0 };
    bool ok = true;
    for (size_t v = 0; v < flat->vars.n; v++) {
        const FlatVar *p = &flat->vars.items[v];
        if (p->kind == FLAT_VARIABLE || p->start == EXPR_NONE || expr_op(&flat->pool, p->start) == EXPR_CONST)
            continue;
        size_t n;
        const Expr *elements = expr_elements(&flat->pool, p->start, &scratch, &n);
        for (size_t i = 0; i < n; i++) {
            flat->arrays.items[expr_access(&flat->pool, elements[i])->array].is_irregular = true;
            ok = false;
        }
    }
    for (size_t a = 0; a < flat->arrays.n; a++) {
        FlatArray *array = &flat->arrays.items[a];
        if (array->kind != FLAT_PARAM || array->start == EXPR_NONE) continue;
        size_t n;
        const Expr *elements = expr_elements(&flat->pool, array->start, &scratch, &n);
        for (size_t i = 0; i < n; i++) {
            if (expr_access(&flat->pool, elements[i])->array < a) continue;
            array->is_irregular = true;
            ok = false;
        }
    }
    arena_free(&scratch);
    return ok;
}

static bool has_start(const FlatArray *a) { return a->start != EXPR_NONE && !a->start_is_guess; }

static void mark_array(Flat *flat, uint32_t array)
{
    while (flat->arrays.items[array].integral != FLAT_NONE) array = flat->arrays.items[array].integral;
    flat->arrays.items[array].is_irregular = true;
}

bool family_covers(Flat *flat)
{
    Arena scratch = { 0 };
    const ByArray dynamic = by_array(flat, flat->families.items, flat->families.n, &scratch);
    const ByArray initial = by_array(flat, flat->initial_families.items, flat->initial_families.n, &scratch);
    bool ok = defaults_are_plain(flat);
    for (uint32_t i = 0; i < flat->arrays.n; i++) {
        const FlatArray *a = &flat->arrays.items[i];
        if (a->is_irregular) ok = false;
        if (a->kind != FLAT_VARIABLE) continue;
        const ByArray *by = flat_array_is_unknown(a) ? &dynamic : &initial;
        const uint32_t n = by->first[i + 1] - by->first[i];
        const bool is_given = by == &initial && has_start(a);
        if (is_given ? n == 0 : covers(flat, a, by->family + by->first[i], n)) continue;
        mark_array(flat, i);
        ok = false;
    }
    arena_free(&scratch);
    return ok;
}

FlatFamily *family_at_start(Flat *flat, uint32_t *n, Arena *arena)
{
    FlatFamily *families = ARENA_ARRAY(arena, FlatFamily,
                                       flat->families.n + flat->initial_families.n + flat->arrays.n);
    *n = 0;
    for (size_t i = 0; i < flat->families.n; i++) families[(*n)++] = flat->families.items[i];
    for (size_t i = 0; i < flat->initial_families.n; i++) families[(*n)++] = flat->initial_families.items[i];
    for (uint32_t i = 0; i < flat->arrays.n; i++) {
        const FlatArray *a = &flat->arrays.items[i];
        if (!flat_array_is_state(a) || !has_start(a)) continue;
        const ExprAccess all = { .array = i, .stride = { 1 } };
        families[(*n)++] =
            (FlatFamily){ .loops = { .n = 1, .count = { a->n }, .first = { 1 }, .index = { "i" } },
                          .lhs = expr_elem(&flat->pool, &all),
                          .rhs = a->start,
                          .place = a->place };
    }
    return families;
}

// ---- Order of the turns

typedef struct Turns { bool has_earlier, has_same, has_later, unclear; } Turns;

// All whole d with Σ stride·d = rest and |d| < count, loop by loop: is the first d that is not 0 negative or
// positive?
static void find_distances(const ExprAccess *access, const ExprLoops *loops, uint32_t k, int64_t rest,
                           int sign, Turns *t)
{
    if (k == loops->n) {
        if (rest != 0) return;
        if (sign < 0) t->has_earlier = true;
        else if (sign > 0) t->has_later = true;
        else t->has_same = true;
        return;
    }
    int64_t others = 0;
    for (uint32_t i = k + 1; i < loops->n; i++)
        others += llabs(access->stride[i]) * ((int64_t)loops->count[i] - 1);
    const int64_t stride = access->stride[k], most = (int64_t)loops->count[k] - 1;
    if (stride == 0 || most == 0) {
        if (most) t->unclear = true;
        find_distances(access, loops, k + 1, rest, sign, t);
        return;
    }
    // rest - stride·d must be within ±others
    const int64_t size = llabs(stride), middle = rest / stride, reach = others / size + 1;
    if (reach > 16) {
        t->unclear = true;
        return;
    }
    for (int64_t d = middle - reach; d <= middle + reach; d++) {
        if (llabs(d) > most || llabs(rest - stride * d) > others) continue;
        find_distances(access, loops, k + 1, rest - stride * d, sign ? sign : d < 0 ? -1 : d > 0, t);
    }
}

typedef struct Reversal { ExprPool *pool; const ExprLoops *loops; } Reversal;

static Expr reverse_leaf(void *context, Expr leaf)
{
    const Reversal *r = context;
    const ExprNode node = *expr_node(r->pool, leaf);
    if (node.op == EXPR_TURN && node.a < r->loops->n) {
        const Expr last = expr_const(r->pool, (double)(int32_t)node.b + r->loops->count[node.a] - 1);
        return expr_binary(r->pool, EXPR_SUB, last, expr_turn(r->pool, node.a, 0));
    }
    if (node.op != EXPR_ELEM) return leaf;
    ExprAccess access = r->pool->accesses.items[node.index];
    for (uint32_t k = 0; k < r->loops->n; k++) {
        access.offset = (uint32_t)(access.offset +
                                   (int64_t)access.stride[k] * ((int64_t)r->loops->count[k] - 1));
        access.stride[k] = -access.stride[k];
    }
    return expr_elem(r->pool, &access);
}

bool family_direct(ExprPool *pool, FlatFamily *family)
{
    Arena scratch = { 0 };
    const ExprAccess target = *expr_access(pool, family->lhs);
    const ExprLoops *loops = &family->loops;
    Turns turns = { 0 };
    size_t n;
    const Expr *elements = expr_elements(pool, family->rhs, &scratch, &n);
    for (size_t i = 0; i < n; i++) {
        const ExprAccess *read = expr_access(pool, elements[i]);
        if (!can_meet(read, loops, &target, loops)) continue;
        const bool is_shifted = memcmp(read->stride, target.stride, sizeof target.stride) == 0;
        if (!is_shifted) turns.unclear = true;
        else find_distances(&target, loops, 0, (int64_t)read->offset - target.offset, 0, &turns);
    }
    arena_free(&scratch);
    if (turns.unclear || turns.has_same || (turns.has_earlier && turns.has_later)) return false;
    if (!turns.has_later) return true;
    // the other way round
    Reversal reversal = { pool, loops };
    family->lhs = expr_replace(pool, family->lhs, reverse_leaf, &reversal);
    family->rhs = expr_replace(pool, family->rhs, reverse_leaf, &reversal);
    return true;
}

// ---- The graph

typedef struct Builder {
    const FamilySystem *system;
    Arena   *arena;
    ByArray  by_array;
    VEC(uint32_t) needs;
} Builder;

static const ExprLoops no_loops;

static void need_elements(Builder *b, Expr e, const ExprLoops *loops, const FlatFamily *self)
{
    const FamilySystem *s = b->system;
    const ExprPool *pool = &s->flat->pool;
    Arena scratch = { 0 };
    size_t n;
    const Expr *elements = expr_elements(pool, e, &scratch, &n);
    for (size_t i = 0; i < n; i++) {
        const ExprAccess *read = expr_access(pool, elements[i]);
        for (uint32_t k = b->by_array.first[read->array]; k < b->by_array.first[read->array + 1]; k++) {
            const FlatFamily *family = b->by_array.family[k];
            if (family == self || !can_meet(read, loops, target_of(s->flat, family), &family->loops))
                continue;
            vec_push(b->arena, &b->needs, s->rows->n_rows + (uint32_t)(family - s->families));
        }
    }
    arena_free(&scratch);
}

static void need_variables(Builder *b, Expr e)
{
    const FamilySystem *s = b->system;
    Arena scratch = { 0 };
    size_t n;
    const uint32_t *variables = expr_variables(&s->flat->pool, e, &scratch, &n);
    for (size_t i = 0; i < n; i++)
        if (s->row_of[variables[i]] != FLAT_NONE) vec_push(b->arena, &b->needs, s->row_of[variables[i]]);
    arena_free(&scratch);
}

Incidence family_graph(const FamilySystem *system, Arena *arena)
{
    const uint32_t n_rows = system->rows->n_rows, n = n_rows + system->n;
    Builder b = { .system = system, .arena = arena };
    b.by_array = by_array(system->flat, system->families, system->n, arena);
    Incidence graph = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1) };
    for (uint32_t i = 0; i < n_rows; i++) {
        for (uint32_t k = system->rows->first[i]; k < system->rows->first[i + 1]; k++)
            vec_push(arena, &b.needs, system->rows->columns[k]);
        need_elements(&b, system->equations[i].lhs, &no_loops, NULL);
        need_elements(&b, system->equations[i].rhs, &no_loops, NULL);
        graph.first[i + 1] = (uint32_t)b.needs.n;
    }
    for (uint32_t i = 0; i < system->n; i++) {
        const FlatFamily *family = &system->families[i];
        need_variables(&b, family->rhs);
        need_elements(&b, family->rhs, &family->loops, family);
        graph.first[n_rows + i + 1] = (uint32_t)b.needs.n;
    }
    graph.columns = b.needs.items;
    return graph;
}
