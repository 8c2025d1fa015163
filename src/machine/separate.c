// src/machine/separate.c: one input sequence that tells all suspects apart.
//
// What matters of a sequence so far is how the suspects have answered: those that answered alike form a set
// of (present state, label), and a set in which all labels are equal needs no more attention. A node of the
// search is the set of sets that are left; an input leads from one to the next; the goal is the empty one.
// Two suspects of different labels that answered alike and are now in the same state can never be told apart,
// so nodes with such a pair are not entered. Breadth first, each node once, gives a shortest sequence, or the
// proof that there is none.
//
// There can be exponentially many nodes, and deciding whether there is a sequence is PSPACE-complete (Lee and
// Yannakakis 1994), so the search has limits. Beyond them separate_greedily lines up shortest words for
// pairs.
#include "base/map.h"
#include "base/vec.h"
#include "machine/ask.h"
#include <stdlib.h>

// ---- Sets of suspects

void codes_init(Codes *c, const Suspects *suspects, Arena *arena)
{
    *c = (Codes){ .joint = suspects->joint,
                  .n_labels = suspects->n_labels == suspects->n ? 1 : suspects->n_labels,
                  .keys = ARENA_ARRAY(arena, uint64_t, suspects->n),
                  .codes = ARENA_ARRAY(arena, uint32_t, suspects->n),
                  .ends = ARENA_ARRAY(arena, uint32_t, suspects->n) };
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_keys(uint64_t *keys, uint32_t n)
{
    if (n > 24) {
        qsort(keys, n, sizeof *keys, compare_keys);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        uint32_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

// keys[n]: (answer, code). One part for each answer that more than one label gives.
static bool divide(Codes *c, uint32_t n)
{
    sort_keys(c->keys, n);
    uint32_t n_codes = 0;
    c->n_parts = 0;
    for (uint32_t i = 0; i < n;) {
        const uint64_t answer = c->keys[i] >> 32;
        const uint32_t begin = n_codes, label = codes_label(c, (uint32_t)c->keys[i]);
        bool is_mixed = false;
        for (; i < n && c->keys[i] >> 32 == answer; i++) {
            const uint32_t code = (uint32_t)c->keys[i];
            if (n_codes > begin) {
                const uint32_t last = c->codes[n_codes - 1];
                if (code == last && c->n_labels > 1) continue;
                if (codes_state(c, code) == codes_state(c, last)) return false;
            }
            is_mixed |= codes_label(c, code) != label;
            c->codes[n_codes++] = code;
        }
        if (is_mixed) c->ends[c->n_parts++] = n_codes;
        else n_codes = begin;
    }
    return true;
}

bool codes_begin(Codes *c, const Suspects *suspects)
{
    const Joint *j = c->joint;
    for (uint32_t i = 0; i < suspects->n; i++) {
        const uint32_t s = suspects->states[i];
        const uint64_t answer = j->kind == MACHINE_MOORE ? j->out[s] : 0;
        c->keys[i] = answer << 32 | (c->n_labels == 1 ? s : s * c->n_labels + suspects->labels[i]);
    }
    return divide(c, suspects->n);
}

bool codes_step(Codes *c, const uint32_t *set, uint32_t n, uint32_t input)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t s = codes_state(c, set[i]), to = joint_next(c->joint, s, input);
        const uint64_t answer = joint_answer(c->joint, s, input);
        c->keys[i] = answer << 32 | (c->n_labels == 1 ? to : to * c->n_labels + codes_label(c, set[i]));
    }
    return divide(c, n);
}

uint32_t codes_sort(Codes *c, const uint32_t *codes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) c->keys[i] = codes[i];
    divide(c, n);
    return c->n_parts == 0 ? 0 : c->ends[0];
}

// ---- Nodes: sets of sets, as one text of numbers: the size of each set and its codes

typedef struct Node {
    size_t   first;          // in `data`
    uint32_t n;
    uint32_t from, input;
} Node;

typedef struct Search {
    Codes         codes;
    Arena        *arena;
    VEC(uint32_t) data;
    VEC(Node)     nodes;
    Index         index;
    VEC(uint32_t) fresh;     // a node being made
    VEC(uint32_t) starts;    // of its sets
} Search;

static int compare_sets(const void *a, const void *b, void *base)
{
    const uint32_t *data = base, *x = data + *(const uint32_t *)a, *y = data + *(const uint32_t *)b;
    for (uint32_t i = 0; i <= x[0] && i <= y[0]; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void add_parts(Search *s)
{
    for (uint32_t p = 0, begin = 0; p < s->codes.n_parts; begin = s->codes.ends[p++]) {
        const uint32_t n = s->codes.ends[p] - begin;
        vec_push(s->arena, &s->starts, (uint32_t)s->fresh.n);
        vec_reserve(s->arena, &s->fresh, s->fresh.n + n + 1);
        s->fresh.items[s->fresh.n++] = n;
        memcpy(s->fresh.items + s->fresh.n, s->codes.codes + begin, n * sizeof(uint32_t));
        s->fresh.n += n;
    }
}

// Sets in order and each once, then look it up. True if it is new; then it is the last node.
static bool add_node(Search *s, uint32_t from, uint32_t input)
{
    if (s->starts.n > 1)
        qsort_r(s->starts.items, s->starts.n, sizeof(uint32_t), compare_sets, s->fresh.items);
    const size_t first = s->data.n;
    for (size_t i = 0; i < s->starts.n; i++) {
        const uint32_t *set = s->fresh.items + s->starts.items[i];
        if (i > 0 && compare_sets(&s->starts.items[i - 1], &s->starts.items[i], s->fresh.items) == 0)
            continue;
        vec_reserve(s->arena, &s->data, s->data.n + set[0] + 1);
        memcpy(s->data.items + s->data.n, set, (set[0] + (size_t)1) * sizeof *set);
        s->data.n += set[0] + (size_t)1;
    }
    const Node node = { first, (uint32_t)(s->data.n - first), from, input };
    const uint64_t hash = hash_bytes(s->data.items + first, node.n * sizeof(uint32_t));
    IndexProbe probe = index_probe(&s->index, hash);
    for (uint32_t id; index_next(&s->index, &probe, &id);) {
        const Node *old = &s->nodes.items[id];
        if (old->n != node.n ||
            memcmp(s->data.items + old->first, s->data.items + first, node.n * sizeof(uint32_t)))
            continue;
        s->data.n = first;
        return false;
    }
    index_add(&s->index, hash, (uint32_t)s->nodes.n);
    vec_push(s->arena, &s->nodes, node);
    return true;
}

static bool make_step(Search *s, const Node *node, uint32_t input)
{
    s->fresh.n = s->starts.n = 0;
    for (size_t at = node->first; at < node->first + node->n; at += s->data.items[at] + (size_t)1) {
        if (!codes_step(&s->codes, s->data.items + at + 1, s->data.items[at], input)) return false;
        add_parts(s);
    }
    return true;
}

static orr_word trace_back(const Search *s, Arena *arena)
{
    size_t n = 0;
    for (uint32_t i = (uint32_t)s->nodes.n - 1; i != 0; i = s->nodes.items[i].from) n++;
    uint32_t *inputs = ARENA_ARRAY(arena, uint32_t, n);
    const orr_word word = { inputs, n };
    for (uint32_t i = (uint32_t)s->nodes.n - 1; i != 0; i = s->nodes.items[i].from)
        inputs[--n] = s->nodes.items[i].input;
    return word;
}

bool suspects_fit(const Suspects *suspects)
{
    return (uint64_t)suspects->joint->n_states * suspects->n_labels < UINT32_MAX ||
           suspects->n_labels == suspects->n;
}

SearchEnd separate_by_word(const Suspects *suspects, const Effort *effort, orr_word *word, Arena *arena)
{
    *word = (orr_word){ 0 };
    if (!suspects_fit(suspects)) return SEARCH_LIMIT;
    Arena work = { 0 };
    Search s = { .arena = &work };
    codes_init(&s.codes, suspects, &work);
    index_init(&s.index, &work);
    vec_reserve(&work, &s.data, 1);    // the empty node has a place, too
    SearchEnd end = SEARCH_NONE;
    if (codes_begin(&s.codes, suspects)) {
        add_parts(&s);
        add_node(&s, 0, MACHINE_NONE);
        if (s.nodes.items[0].n == 0) end = SEARCH_FOUND;
    }
    for (uint32_t at = 0; end == SEARCH_NONE && at < s.nodes.n; at++) {
        for (uint32_t i = 0; i < suspects->joint->n_inputs && end == SEARCH_NONE; i++) {
            const Node node = s.nodes.items[at];    // nodes may move
            if (!make_step(&s, &node, i) || !add_node(&s, at, i)) continue;
            if (vec_last(&s.nodes).n == 0) end = SEARCH_FOUND;
            else if (s.nodes.n >= effort->n_sets || s.data.n >= effort->n_items) end = SEARCH_LIMIT;
            else if (effort_is_cancelled(effort)) end = SEARCH_CANCELLED;
        }
    }
    if (end == SEARCH_FOUND) *word = trace_back(&s, arena);
    arena_free(&work);
    return end;
}

// ---- Greedily

typedef struct Group {
    uint32_t first, other;    // suspects: the first, and the first with another label
    uint32_t size;
    uint32_t a, b;            // two that can still be told apart; NONE: there are none
} Group;

// Follow one input: new groups by (group, answer). The number of groups.
static uint32_t follow(const Suspects *suspects, uint32_t input, uint32_t *now, uint32_t *group, Arena *work)
{
    const ArenaMark mark = arena_mark(work);
    Map map;
    map_init(&map, work);
    for (uint32_t i = 0; i < suspects->n; i++) {
        const Joint *j = suspects->joint;
        const uint64_t answer = input != MACHINE_NONE      ? joint_answer(j, now[i], input)
                                : j->kind == MACHINE_MOORE ? j->out[now[i]]
                                                           : 0;
        const uint64_t key = (uint64_t)group[i] << 32 | answer;
        map_put(&map, key, (uint32_t)map.n);
        group[i] = *map_find(&map, key);
        if (input != MACHINE_NONE) now[i] = joint_next(j, now[i], input);
    }
    const uint32_t n = (uint32_t)map.n;
    arena_release(work, mark);
    return n;
}

uint32_t separate_groups(const Suspects *suspects, orr_word word, uint32_t *group)
{
    Arena work = { 0 };
    uint32_t *now = ARENA_ARRAY(&work, uint32_t, suspects->n);
    memcpy(now, suspects->states, suspects->n * sizeof *now);
    memset(group, 0, suspects->n * sizeof *group);
    uint32_t n = follow(suspects, MACHINE_NONE, now, group, &work);
    for (size_t i = 0; i < word.n; i++) n = follow(suspects, word.inputs[i], now, group, &work);
    arena_free(&work);
    return n;
}

static bool differ(const Suspects *suspects, const uint32_t *now, uint32_t a, uint32_t b)
{
    return suspects->labels[a] != suspects->labels[b] && now[a] != now[b];
}

// Two suspects of the largest group in which there are two. It suffices to compare each with the first of its
// group and with the first that has another label than that: if neither differs, all are in the same state.
static bool choose_pair(const Suspects *suspects, const uint32_t *now, const uint32_t *group,
                        uint32_t n_groups, uint32_t *a, uint32_t *b, Arena *work)
{
    const ArenaMark mark = arena_mark(work);
    Group *groups = ARENA_ARRAY(work, Group, n_groups);
    for (uint32_t g = 0; g < n_groups; g++)
        groups[g] = (Group){ MACHINE_NONE, MACHINE_NONE, 0, MACHINE_NONE, MACHINE_NONE };
    for (uint32_t i = 0; i < suspects->n; i++) {
        Group *g = &groups[group[i]];
        g->size++;
        if (g->first == MACHINE_NONE) g->first = i;
        else if (g->other == MACHINE_NONE && suspects->labels[i] != suspects->labels[g->first]) g->other = i;
    }
    uint32_t best = MACHINE_NONE;
    for (uint32_t i = 0; i < suspects->n; i++) {
        Group *g = &groups[group[i]];
        if (g->other == MACHINE_NONE || g->a != MACHINE_NONE) continue;
        const bool by_first = differ(suspects, now, i, g->first);
        if (!by_first && !differ(suspects, now, i, g->other)) continue;
        g->a = i;
        g->b = by_first ? g->first : g->other;
        if (best == MACHINE_NONE || g->size > groups[best].size) best = group[i];
    }
    if (best != MACHINE_NONE) {
        *a = groups[best].a;
        *b = groups[best].b;
    }
    arena_release(work, mark);
    return best != MACHINE_NONE;
}

orr_word separate_greedily(const Suspects *suspects, size_t longest, const Effort *effort, Arena *arena)
{
    Arena work = { 0 };
    VEC(uint32_t) inputs = { 0 };
    uint32_t *now = ARENA_ARRAY(&work, uint32_t, suspects->n),
             *group = ARENA_ARRAY(&work, uint32_t, suspects->n);
    memcpy(now, suspects->states, suspects->n * sizeof *now);
    Pairs pairs;
    pairs_init(&pairs, suspects->joint, &work);
    uint32_t n_groups = follow(suspects, MACHINE_NONE, now, group, &work);
    size_t steps = 0;    // work done, in suspects followed
    for (uint32_t a, b; inputs.n < longest && steps < 4 * effort->n_items && !effort_is_cancelled(effort) &&
                        choose_pair(suspects, now, group, n_groups, &a, &b, &work);) {
        orr_word word;
        pairs_separate(&pairs, now[a], now[b], &word, &work);
        for (size_t i = 0; i < word.n; i++) {
            n_groups = follow(suspects, word.inputs[i], now, group, &work);
            vec_push(arena, &inputs, word.inputs[i]);
            steps += suspects->n;
        }
        steps += suspects->n;
    }
    arena_free(&work);
    return (orr_word){ inputs.items, inputs.n };
}
