// src/num/strong.c: Tarjan's algorithm (1972) with an explicit stack, then sorting by levels.
//
// One search in depth numbers the nodes as it meets them. `low` is the least number known to be reachable: a
// node that keeps its own number is the first of its component, and what waits above it on the stack are the
// others. A finished node gets a number larger than all others, so no test is needed to leave it out (Pearce,
// 2016). What the search needs of a node lies together, and what it needs only on the way down lies on the
// path: memory decides the speed here.
#include "num/strong.h"
#include <stdbool.h>

#define DONE UINT32_MAX

typedef struct Node {
    uint32_t low;          // 0: not met; DONE: in a finished component
    uint32_t component;    // once finished
    uint32_t level;        // so far: above all finished components it needs
} Node;

typedef struct Frame { uint32_t node, number, next, end; } Frame;    // next: edge to be followed next

typedef struct Search {
    const Incidence *needs;
    Node     *nodes;          // [n]
    Frame    *path;           // [n] from the root of the search to where it is
    uint32_t *waiting;        // [n] left, but not yet in a component
    uint32_t *level;          // [n] of each component
    uint32_t  n_path, n_waiting, n_met, n_components;
} Search;

static void enter(Search *s, uint32_t v)
{
    s->nodes[v].low = ++s->n_met;
    s->path[s->n_path++] = (Frame){ v, s->n_met, s->needs->first[v], s->needs->first[v + 1] };
}

static void raise_level(Node *v, uint32_t to)
{
    if (to > v->level) v->level = to;
}

// Close the component whose first node is v: with it, all that waits and was met after it.
static void finish(Search *s, uint32_t v, uint32_t number)
{
    uint32_t level = s->nodes[v].level, from = s->n_waiting;
    while (from > 0 && s->nodes[s->waiting[from - 1]].low >= number) {
        const Node *w = &s->nodes[s->waiting[--from]];
        if (w->level > level) level = w->level;
    }
    const Node finished = { .low = DONE, .component = s->n_components, .level = level };
    for (uint32_t k = from; k < s->n_waiting; k++) s->nodes[s->waiting[k]] = finished;
    s->nodes[v] = finished;
    s->n_waiting = from;
    s->level[s->n_components++] = level;
}

// w is needed by v and was met before, or has just been left.
static void look_back(Search *s, uint32_t v, uint32_t w)
{
    Node *from = &s->nodes[v];
    const Node *to = &s->nodes[w];
    if (to->low == DONE) raise_level(from, to->level + 1);
    else if (to->low < from->low) from->low = to->low;
}

static void search_from(Search *s, uint32_t root)
{
    enter(s, root);
    while (s->n_path > 0) {
        Frame *at = &s->path[s->n_path - 1];
        if (at->next < at->end) {
            const uint32_t w = s->needs->columns[at->next++];
            if (s->nodes[w].low == 0) enter(s, w);
            else look_back(s, at->node, w);
            continue;
        }
        s->n_path--;
        if (s->nodes[at->node].low == at->number) finish(s, at->node, at->number);
        else s->waiting[s->n_waiting++] = at->node;
        if (s->n_path > 0) look_back(s, s->path[s->n_path - 1].node, at->node);
    }
}

// The place of each component: by level, then by first node.
static uint32_t *rank_components(const Search *s, uint32_t n, Arena *arena)
{
    uint32_t n_levels = 0;
    for (uint32_t c = 0; c < s->n_components; c++)
        if (s->level[c] >= n_levels) n_levels = s->level[c] + 1;
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, (size_t)n_levels + 1);
    for (uint32_t c = 0; c < s->n_components; c++) place[s->level[c] + 1]++;
    for (uint32_t l = 0; l < n_levels; l++) place[l + 1] += place[l];

    // going through the nodes in order meets the components of a level by their first nodes
    uint32_t *rank = ARENA_ARRAY(arena, uint32_t, s->n_components);
    for (uint32_t c = 0; c < s->n_components; c++) rank[c] = UINT32_MAX;
    for (uint32_t v = 0; v < n; v++) {
        const Node *node = &s->nodes[v];
        if (rank[node->component] == UINT32_MAX) rank[node->component] = place[node->level]++;
    }
    return rank;
}

// Sort the nodes of one component: a search in depth from the last, in the order of the way back. `nodes` is
// ascending.
static void order_inside(Search *s, uint32_t *nodes, uint32_t n)
{
    const uint32_t component = s->nodes[nodes[0]].component;
    uint32_t done = 0;
    s->n_path = 0;
    enter(s, nodes[n - 1]);
    while (s->n_path > 0) {
        Frame *at = &s->path[s->n_path - 1];
        if (at->next == at->end) {
            nodes[done++] = at->node;
            s->n_path--;
            continue;
        }
        const uint32_t w = s->needs->columns[at->next++];
        if (s->nodes[w].component == component && s->nodes[w].low == DONE) enter(s, w);
    }
}

Strong strong_find(const Incidence *needs, Arena *arena)
{
    const uint32_t n = needs->n_rows;
    Strong strong = { .nodes = ARENA_ARRAY(arena, uint32_t, n) };
    Arena work = { 0 };
    Search s = { .needs = needs, .nodes = ARENA_ARRAY(&work, Node, n), .path = ARENA_ARRAY(&work, Frame, n),
                 .waiting = ARENA_ARRAY(&work, uint32_t, n), .level = ARENA_ARRAY(&work, uint32_t, n) };
    for (uint32_t v = 0; v < n; v++)
        if (s.nodes[v].low == 0) search_from(&s, v);

    // by counting: first[c + 1] is the length of c, then its start, and, once it is filled, its end
    const uint32_t *rank = rank_components(&s, n, &work);
    strong.n = s.n_components;
    strong.first = ARENA_ARRAY(arena, uint32_t, (size_t)strong.n + 2);
    for (uint32_t v = 0; v < n; v++) strong.first[rank[s.nodes[v].component] + 2]++;
    for (uint32_t c = 0; c < strong.n; c++) strong.first[c + 2] += strong.first[c + 1];
    for (uint32_t v = 0; v < n; v++) strong.nodes[strong.first[rank[s.nodes[v].component] + 1]++] = v;

    s.n_met = 0;    // `low` is DONE for all: order_inside marks what it meets with smaller numbers
    for (uint32_t c = 0; c < strong.n; c++) {
        const uint32_t size = strong.first[c + 1] - strong.first[c];
        if (size > 1) order_inside(&s, strong.nodes + strong.first[c], size);
    }
    arena_free(&work);
    return strong;
}
