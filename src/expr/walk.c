// src/expr/walk.c: visiting nodes, and what needs no more than that: variables read, substitution.
#include "expr/walk.h"
#include "base/map.h"
#include "expr/build.h"
#include <assert.h>
#include <string.h>

enum { DENSE_ALWAYS = 512, FIRST_SLOTS = 128 };

// ---- By index: mark the roots, then go down through all indices; parents come before their children.

static void walk_dense(Walk *walk, const ExprPool *pool, const Expr *roots, size_t n_roots, Expr bottom)
{
    uint32_t *mark = ARENA_ARRAY(&walk->scratch, uint32_t, (size_t)walk->top + 1);
    for (size_t i = 0; i < n_roots; i++)
        if (roots[i] >= bottom) mark[roots[i]] = 1;

    size_t n = 0;
    for (size_t e = (size_t)walk->top + 1; e-- > bottom;) {
        if (!mark[e]) continue;
        n++;
        const ExprNode *node = expr_node(pool, (Expr)e);
        const int arity = expr_ops[node->op].arity;
        if (arity > 0 && node->a >= bottom) mark[node->a] = 1;
        if (arity > 1 && node->b >= bottom) mark[node->b] = 1;
        if (arity > 2 && node->c >= bottom) mark[node->c] = 1;
    }

    walk->dense = mark;
    walk->n = n;
    walk->nodes = ARENA_ARRAY(&walk->scratch, Expr, n);
    n = 0;
    for (size_t e = bottom; e <= walk->top; e++) {
        if (!mark[e]) continue;
        walk->nodes[n++] = (Expr)e;
        mark[e] = (uint32_t)n;
    }
}

// ---- By hash: for a small expression in a large pool.

static WalkSlot *find_slot(const Walk *walk, Expr e)
{
    size_t at = (size_t)hash_mix(e) & (walk->capacity - 1);
    while (walk->slots[at].place_plus_1 && walk->slots[at].node != e) at = (at + 1) & (walk->capacity - 1);
    return &walk->slots[at];
}

static void make_slots(Walk *walk, size_t capacity)
{
    walk->capacity = capacity;
    walk->slots = ARENA_ARRAY(&walk->scratch, WalkSlot, capacity);
    for (size_t i = 0; i < walk->n; i++) *find_slot(walk, walk->nodes[i]) = (WalkSlot){ walk->nodes[i], 1 };
}

static void sort(Expr *items, size_t n, Arena *scratch)
{
    if (n <= 32) {
        for (size_t i = 1; i < n; i++) {
            const Expr item = items[i];
            size_t j = i;
            for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
            items[j] = item;
        }
        return;
    }
    // byte by byte from the lowest, each pass stable; bytes in which all agree are skipped
    Expr differing = 0;
    for (size_t i = 1; i < n; i++) differing |= items[i] ^ items[0];
    Expr *from = items, *to = ARENA_ARRAY(scratch, Expr, n);
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if (!(differing >> shift & 255)) continue;
        size_t start[257] = { 0 };
        for (size_t i = 0; i < n; i++) start[(from[i] >> shift & 255) + 1]++;
        for (size_t k = 1; k < 256; k++) start[k] += start[k - 1];
        for (size_t i = 0; i < n; i++) to[start[from[i] >> shift & 255]++] = from[i];
        Expr *const swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

// False if a table by index would be smaller.
static bool walk_sparse(Walk *walk, const ExprPool *pool, const Expr *roots, size_t n_roots, Expr bottom)
{
    VEC(Expr) found = { 0 };    // also the queue of what is to be looked into
    make_slots(walk, FIRST_SLOTS);
    const Expr *more = roots;
    size_t n_more = n_roots;
    Expr operands[3];
    for (size_t next = 0;; next++) {
        for (size_t i = 0; i < n_more; i++) {
            if (more[i] < bottom) continue;
            WalkSlot *slot = find_slot(walk, more[i]);
            if (slot->place_plus_1) continue;
            *slot = (WalkSlot){ more[i], 1 };
            vec_push(&walk->scratch, &found, more[i]);
            walk->nodes = found.items;
            walk->n = found.n;
            if (found.n * 2 > walk->capacity) {
                if (walk->capacity * 2 * sizeof(WalkSlot) >= (size_t)walk->top * sizeof *walk->dense)
                    return false;
                make_slots(walk, walk->capacity * 2);
            }
        }
        if (next == found.n) break;
        const ExprNode *node = expr_node(pool, found.items[next]);
        memcpy(operands, (Expr[]){ node->a, node->b, node->c }, sizeof operands);
        more = operands;
        n_more = (size_t)expr_ops[node->op].arity;
    }

    sort(walk->nodes, walk->n, &walk->scratch);
    for (size_t i = 0; i < walk->n; i++) find_slot(walk, walk->nodes[i])->place_plus_1 = (uint32_t)i + 1;
    return true;
}

void walk_init(Walk *walk, const ExprPool *pool, const Expr *roots, size_t n_roots, Expr bottom)
{
    *walk = (Walk){ 0 };
    for (size_t i = 0; i < n_roots; i++) {
        assert(roots[i] < pool->nodes.n);
        if (roots[i] > walk->top) walk->top = roots[i];
    }
    if (walk->top > DENSE_ALWAYS) {
        if (walk_sparse(walk, pool, roots, n_roots, bottom)) return;
        walk_free(walk);
        walk->n = 0;
    }
    walk_dense(walk, pool, roots, n_roots, bottom);
}

void walk_free(Walk *walk) { arena_free(&walk->scratch); }

size_t walk_place(const Walk *walk, Expr e)
{
    if (!walk->dense) return (size_t)find_slot(walk, e)->place_plus_1 - 1;
    return e <= walk->top ? (size_t)walk->dense[e] - 1 : WALK_NONE;
}

// ---- Public walks

Expr *expr_collect(const ExprPool *pool, const Expr *roots, size_t n_roots, Arena *arena, size_t *n)
{
    Walk walk;
    walk_init(&walk, pool, roots, n_roots, 0);
    Expr *nodes = ARENA_ARRAY(arena, Expr, walk.n);
    if (walk.n) memcpy(nodes, walk.nodes, walk.n * sizeof *nodes);
    *n = walk.n;
    walk_free(&walk);
    return nodes;
}

uint32_t *expr_variables(const ExprPool *pool, Expr e, Arena *arena, size_t *n)
{
    Walk walk;
    walk_init(&walk, pool, &e, 1, 0);
    size_t count = 0;
    for (size_t i = 0; i < walk.n; i++) {
        const ExprNode *node = expr_node(pool, walk.nodes[i]);
        if (node->op == EXPR_VAR) walk.nodes[count++] = node->index;
    }
    sort(walk.nodes, count, &walk.scratch);
    uint32_t *variables = ARENA_ARRAY(arena, uint32_t, count);
    if (count) memcpy(variables, walk.nodes, count * sizeof *variables);
    *n = count;
    walk_free(&walk);
    return variables;
}

Expr *expr_elements(const ExprPool *pool, Expr e, Arena *arena, size_t *n)
{
    Walk walk;
    walk_init(&walk, pool, &e, 1, 0);
    size_t count = 0;
    for (size_t i = 0; i < walk.n; i++)
        if (expr_op(pool, walk.nodes[i]) == EXPR_ELEM) walk.nodes[count++] = walk.nodes[i];
    Expr *elements = ARENA_ARRAY(arena, Expr, count);
    if (count) memcpy(elements, walk.nodes, count * sizeof *elements);
    *n = count;
    walk_free(&walk);
    return elements;
}

bool expr_depends_on(const ExprPool *pool, Expr e, uint32_t variable)
{
    const Expr leaf = pool_find_var(pool, variable);
    if (leaf == EXPR_NONE || leaf >= e) return leaf == e;
    Walk walk;
    walk_init(&walk, pool, &e, 1, leaf);
    const bool depends = walk_place(&walk, leaf) != WALK_NONE;
    walk_free(&walk);
    return depends;
}

typedef struct Substitution {
    const ExprPool *pool;
    const Expr     *map;
    size_t          n_map;
} Substitution;

static Expr substitute_leaf(void *context, Expr leaf)
{
    const Substitution *s = context;
    const ExprNode *node = expr_node(s->pool, leaf);
    return node->op == EXPR_VAR && node->index < s->n_map && s->map[node->index] != EXPR_NONE
               ? s->map[node->index]
               : leaf;
}

Expr expr_substitute(ExprPool *pool, Expr e, const Expr *map, size_t n_map)
{
    return expr_replace(pool, e, substitute_leaf, &(Substitution){ pool, map, n_map });
}

Expr expr_replace(ExprPool *pool, Expr e, Expr (*replace)(void *context, Expr leaf), void *context)
{
    Walk walk;
    walk_init(&walk, pool, &e, 1, 0);
    Expr *now = ARENA_ARRAY(&walk.scratch, Expr, walk.n);
    for (size_t i = 0; i < walk.n; i++) {
        const Expr old = walk.nodes[i];
        const ExprNode node = *expr_node(pool, old);
        const int arity = expr_ops[node.op].arity;
        if (arity == 0) {
            now[i] = replace(context, old);
            continue;
        }
        const Expr a = now[walk_place(&walk, node.a)];
        const Expr b = arity > 1 ? now[walk_place(&walk, node.b)] : node.b;
        const Expr c = arity > 2 ? now[walk_place(&walk, node.c)] : node.c;
        now[i] = a == node.a && b == node.b && c == node.c ? old : expr_make(pool, (ExprOp)node.op, a, b, c);
    }
    const Expr result = now[walk.n - 1];
    walk_free(&walk);
    return result;
}
