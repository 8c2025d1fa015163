// src/machine/adaptive.c: a tree of experiments that tells all suspects apart, each input chosen by what was
// seen.
//
// The nodes of the search are sets of (state, label) that have answered alike (separate.c). An input is
// allowed in a set if it brings no two labels that answer alike into the same state; it leads to one set for
// each answer. The fewest inputs a set needs in the worst case are 1 + the least, over the allowed inputs, of
// the most that one of the parts needs; none, if all labels are equal.
//
// Sets are explored level by level from the beginning. A tree of depth d meets only sets fewer than d levels
// down, so as soon as the known part has a tree no deeper than the levels explored, that tree is a shortest
// one. Solving goes from the leaves: an input is solved when the last of its parts is, and sets are finished
// in the order of their depths.
#include "base/map.h"
#include "base/vec.h"
#include "machine/ask.h"
#include <stdlib.h>

typedef struct Set {
    size_t   first;       // in `data`
    uint32_t n, level;
    uint32_t depth;       // NONE: not solved
    uint32_t input;       // that achieves it
} Set;

// An input in a set, and the sets it leads to.
typedef struct Option {
    uint32_t set, input;
    uint32_t first_part, n_parts;    // in `parts`
} Option;

typedef struct Search {
    const Suspects *suspects;
    Arena          *arena;
    Codes           codes;
    Index           index;
    VEC(uint32_t)   data;
    VEC(Set)        sets;
    VEC(Option)     options;
    VEC(uint32_t)   parts;       // numbers of sets
    uint32_t        n_roots;     // the first sets
} Search;

static uint32_t add_set(Search *s, const uint32_t *codes, uint32_t n, uint32_t level)
{
    const uint64_t hash = hash_bytes(codes, n * sizeof *codes);
    IndexProbe probe = index_probe(&s->index, hash);
    for (uint32_t id; index_next(&s->index, &probe, &id);) {
        const Set *old = &s->sets.items[id];
        if (old->n == n && memcmp(s->data.items + old->first, codes, n * sizeof *codes) == 0) return id;
    }
    index_add(&s->index, hash, (uint32_t)s->sets.n);
    vec_push(s->arena, &s->sets, (Set){ s->data.n, n, level, MACHINE_NONE, MACHINE_NONE });
    vec_reserve(s->arena, &s->data, s->data.n + n);
    memcpy(s->data.items + s->data.n, codes, n * sizeof *codes);
    s->data.n += n;
    return (uint32_t)s->sets.n - 1;
}

static void explore(Search *s, uint32_t set)
{
    for (uint32_t i = 0; i < s->suspects->joint->n_inputs; i++) {
        const Set *from = &s->sets.items[set];
        if (!codes_step(&s->codes, s->data.items + from->first, from->n, i)) continue;
        const Option option = { set, i, (uint32_t)s->parts.n, s->codes.n_parts };
        const uint32_t level = from->level + 1;
        bool returns = false;    // to the same set: it cannot be part of a shortest tree
        for (uint32_t p = 0, begin = 0; p < option.n_parts; begin = s->codes.ends[p++]) {
            const uint32_t part = add_set(s, s->codes.codes + begin, s->codes.ends[p] - begin, level);
            returns |= part == set;
            vec_push(s->arena, &s->parts, part);
        }
        if (returns) s->parts.n = option.first_part;
        else vec_push(s->arena, &s->options, option);
    }
}

// Depths of all sets that can be solved by what is known.
static void solve(Search *s)
{
    Arena work = { 0 };
    const uint32_t n_sets = (uint32_t)s->sets.n, n_options = (uint32_t)s->options.n;
    uint32_t *left = ARENA_ARRAY(&work, uint32_t, n_options),
             *first = ARENA_ARRAY(&work, uint32_t, (size_t)n_sets + 2),
             *user = ARENA_ARRAY(&work, uint32_t, s->parts.n), *queue = ARENA_ARRAY(&work, uint32_t, n_sets),
             n_queue = 0;
    for (uint32_t i = 0; i < n_sets; i++) s->sets.items[i].depth = MACHINE_NONE;
    for (size_t p = 0; p < s->parts.n; p++) first[s->parts.items[p] + 2]++;
    for (uint32_t i = 0; i < n_sets; i++) first[i + 2] += first[i + 1];
    for (uint32_t o = 0; o < n_options; o++) {
        const Option *option = &s->options.items[o];
        left[o] = option->n_parts;
        for (uint32_t p = 0; p < option->n_parts; p++)
            user[first[s->parts.items[option->first_part + p] + 1]++] = o;
        Set *set = &s->sets.items[option->set];
        if (left[o] > 0 || set->depth != MACHINE_NONE) continue;
        set->depth = 1;
        set->input = option->input;
        queue[n_queue++] = option->set;
    }
    for (uint32_t at = 0; at < n_queue; at++) {
        const uint32_t solved = queue[at];
        for (uint32_t u = first[solved]; u < first[solved + 1]; u++) {
            if (--left[user[u]] > 0) continue;
            const Option *option = &s->options.items[user[u]];
            Set *set = &s->sets.items[option->set];
            if (set->depth != MACHINE_NONE) continue;
            set->depth = s->sets.items[solved].depth + 1;    // this part was the last, so it is the deepest
            set->input = option->input;
            queue[n_queue++] = option->set;
        }
    }
    arena_free(&work);
}

// The most inputs that one of the roots needs; NONE if one is not solved.
static uint32_t root_depth(const Search *s)
{
    uint32_t depth = 0;
    for (uint32_t r = 0; r < s->n_roots; r++) {
        if (s->sets.items[r].depth == MACHINE_NONE) return MACHINE_NONE;
        if (s->sets.items[r].depth > depth) depth = s->sets.items[r].depth;
    }
    return depth;
}

static SearchEnd search(Search *s, const Effort *effort, bool *is_shortest)
{
    if (!codes_begin(&s->codes, s->suspects)) return SEARCH_NONE;
    for (uint32_t p = 0, begin = 0; p < s->codes.n_parts; begin = s->codes.ends[p++])
        add_set(s, s->codes.codes + begin, s->codes.ends[p] - begin, 0);
    s->n_roots = (uint32_t)s->sets.n;

    SearchEnd end = SEARCH_NONE;
    size_t solved_at = 0;
    *is_shortest = true;
    for (uint32_t at = 0; at < s->sets.n && end == SEARCH_NONE; at++) {
        // a level is complete: is that enough? Asked only when the graph has grown, so that asking stays
        // cheap
        const uint32_t level = s->sets.items[at].level;
        if (at > 0 && level > s->sets.items[at - 1].level && s->sets.n > solved_at + solved_at / 2) {
            solve(s);
            solved_at = s->sets.n;
            if (root_depth(s) <= level) return SEARCH_FOUND;
        }
        explore(s, at);
        if (s->sets.n >= effort->n_sets || s->data.n >= effort->n_items) end = SEARCH_LIMIT;
        else if (effort_is_cancelled(effort)) end = SEARCH_CANCELLED;
    }
    solve(s);
    if (root_depth(s) == MACHINE_NONE) return end;
    *is_shortest = end == SEARCH_NONE;
    return end == SEARCH_CANCELLED ? end : SEARCH_FOUND;
}

// ---- The tree

typedef struct Making {
    Search       *s;
    Tree         *tree;
    uint32_t     *now;        // [suspects] state of each
    uint64_t     *keys;       // scratch
    uint32_t     *scratch;
    VEC(TreeNode) nodes;
} Making;

static uint32_t find_set(Making *m, const TreeNode *node)
{
    Search *s = m->s;
    for (uint32_t i = 0; i < node->n_suspects; i++) {
        const uint32_t suspect = m->tree->order[node->first_suspect + i];
        m->scratch[i] = s->codes.n_labels == 1
                            ? m->now[suspect]
                            : m->now[suspect] * s->codes.n_labels + s->suspects->labels[suspect];
    }
    const uint32_t n = codes_sort(&s->codes, m->scratch, node->n_suspects);
    if (n == 0) return MACHINE_NONE;    // one label only
    const uint64_t hash = hash_bytes(s->codes.codes, n * sizeof(uint32_t));
    IndexProbe probe = index_probe(&s->index, hash);
    for (uint32_t id; index_next(&s->index, &probe, &id);) {
        const Set *old = &s->sets.items[id];
        if (old->n == n && memcmp(s->data.items + old->first, s->codes.codes, n * sizeof(uint32_t)) == 0)
            return id;
    }
    return MACHINE_NONE;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Children of a node: its suspects sorted by what they answer.
static void branch(Making *m, uint32_t at, bool look_only)
{
    const Joint *j = m->s->suspects->joint;
    const TreeNode node = m->nodes.items[at];
    uint32_t *order = m->tree->order + node.first_suspect;
    for (uint32_t i = 0; i < node.n_suspects; i++) {
        const uint32_t state = m->now[order[i]];
        const uint64_t answer = look_only ? j->out[state] : joint_answer(j, state, node.input);
        m->keys[i] = answer << 32 | order[i];
        if (!look_only) m->now[order[i]] = joint_next(j, state, node.input);
    }
    qsort(m->keys, node.n_suspects, sizeof *m->keys, compare_keys);
    m->nodes.items[at].first_child = (uint32_t)m->nodes.n;
    for (uint32_t i = 0; i < node.n_suspects; i++) {
        const uint32_t answer = (uint32_t)(m->keys[i] >> 32);
        order[i] = (uint32_t)m->keys[i];
        if (i == 0 || answer != vec_last(&m->nodes).output) {
            m->nodes.items[at].n_children++;
            vec_push(m->s->arena, &m->nodes,
                     (TreeNode){
                         .output = answer, .input = MACHINE_NONE, .first_suspect = node.first_suspect + i });
        }
        vec_last(&m->nodes).n_suspects++;
    }
}

static void make_tree(Search *s, Tree *tree, Arena *arena)
{
    const Suspects *suspects = s->suspects;
    Making m = { .s = s,
                 .tree = tree,
                 .now = ARENA_ARRAY(s->arena, uint32_t, suspects->n),
                 .keys = ARENA_ARRAY(s->arena, uint64_t, suspects->n),
                 .scratch = ARENA_ARRAY(s->arena, uint32_t, suspects->n) };
    memcpy(m.now, suspects->states, suspects->n * sizeof *m.now);
    tree->order = ARENA_ARRAY(arena, uint32_t, suspects->n);
    for (uint32_t i = 0; i < suspects->n; i++) tree->order[i] = i;
    vec_push(s->arena, &m.nodes,
             (TreeNode){ .output = MACHINE_NONE, .input = MACHINE_NONE, .n_suspects = suspects->n });
    if (suspects->joint->kind == MACHINE_MOORE) branch(&m, 0, true);
    for (uint32_t at = suspects->joint->kind == MACHINE_MOORE; at < m.nodes.n; at++) {
        const uint32_t set = find_set(&m, &m.nodes.items[at]);
        if (set == MACHINE_NONE) continue;
        m.nodes.items[at].input = s->sets.items[set].input;
        branch(&m, at, false);
    }
    tree->n = (uint32_t)m.nodes.n;
    tree->nodes = ARENA_ARRAY(arena, TreeNode, tree->n);
    memcpy(tree->nodes, m.nodes.items, tree->n * sizeof *tree->nodes);
}

SearchEnd separate_by_tree(const Suspects *suspects, const Effort *effort, Tree *tree, Arena *arena)
{
    *tree = (Tree){ 0 };
    if (!suspects_fit(suspects)) return SEARCH_LIMIT;
    Arena work = { 0 };
    Search s = { .suspects = suspects, .arena = &work };
    codes_init(&s.codes, suspects, &work);
    index_init(&s.index, &work);
    const SearchEnd end = search(&s, effort, &tree->is_shortest);
    if (end == SEARCH_FOUND) {
        make_tree(&s, tree, arena);
        tree->depth = root_depth(&s);
    }
    arena_free(&work);
    return end;
}
