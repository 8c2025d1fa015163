// src/order/strong.c: Tarjan's algorithm (1972) with an explicit stack, then sorting by levels.
//
// One search in depth numbers the nodes as it meets them. `low` is the least number known to be reachable: a node that
// keeps its own number is the first of its component, and what lies above it on the stack are the others. A finished
// node gets a number larger than all others, so no test is needed to leave it out (Pearce, 2016).
#include "order/strong.h"
#include <stdbool.h>
#include <string.h>

#define DONE UINT32_MAX

typedef struct Search {
    const Incidence *needs;
    uint32_t *low;          // [n] 0: not met; DONE: in a finished component
    bool     *is_first;     // [n] nothing earlier is reachable, so far
    size_t   *next;         // [n] edge to be followed next
    uint32_t *path;         // [n] from the root of the search to where it is
    uint32_t *waiting;      // [n] met, left, not yet in a component
    uint32_t  n_path, n_waiting, n_met;
    uint32_t *component;    // [n] number of the component, ascending in order of evaluation
    uint32_t  n_components;
} Search;

static void enter(Search *s, uint32_t v)
{
    s->low[v] = ++s->n_met;
    s->is_first[v] = true;
    s->next[v] = s->needs->first[v];
    s->path[s->n_path++] = v;
}

static void leave(Search *s, uint32_t v)
{
    s->n_path--;
    if (!s->is_first[v]) {
        s->waiting[s->n_waiting++] = v;
        return;
    }
    // all that waits and was met after v belongs to it
    const uint32_t number = s->low[v];
    while (s->n_waiting > 0 && s->low[s->waiting[s->n_waiting - 1]] >= number) {
        const uint32_t w = s->waiting[--s->n_waiting];
        s->low[w] = DONE;
        s->component[w] = s->n_components;
    }
    s->low[v] = DONE;
    s->component[v] = s->n_components++;
}

static void lower(Search *s, uint32_t v, uint32_t to)
{
    if (to >= s->low[v]) return;
    s->low[v] = to;
    s->is_first[v] = false;
}

static void search_from(Search *s, uint32_t root)
{
    enter(s, root);
    while (s->n_path > 0) {
        const uint32_t v = s->path[s->n_path - 1];
        if (s->next[v] < s->needs->first[v + 1]) {
            const uint32_t w = s->needs->columns[s->next[v]++];
            if (s->low[w] == 0) enter(s, w);
            else lower(s, v, s->low[w]);
            continue;
        }
        leave(s, v);
        if (s->n_path > 0) lower(s, s->path[s->n_path - 1], s->low[v]);
    }
}

// The order of the components: by level, then by first node. rank[c] is the place of component c.
static uint32_t *rank_components(const Search *s, Arena *arena)
{
    const Incidence *needs = s->needs;
    const uint32_t n = needs->n_rows, n_components = s->n_components;

    // nodes by component, so that components can be gone through in order of evaluation
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)n_components + 1), *nodes = ARENA_ARRAY(arena, uint32_t, n);
    for (uint32_t v = 0; v < n; v++) first[s->component[v] + 1]++;
    for (uint32_t c = 0; c < n_components; c++) first[c + 1] += first[c];
    for (uint32_t v = n; v-- > 0;) nodes[--first[s->component[v] + 1]] = v;
    // now first[c + 1] is where c starts, and the nodes of each are ascending

    uint32_t *level = ARENA_ARRAY(arena, uint32_t, n_components), *rank = ARENA_ARRAY(arena, uint32_t, n_components);
    uint32_t n_levels = 0;
    for (uint32_t c = 0; c < n_components; c++) {
        const uint32_t end = c + 1 < n_components ? first[c + 2] : n;
        for (uint32_t i = first[c + 1]; i < end; i++) {
            for (size_t k = needs->first[nodes[i]]; k < needs->first[nodes[i] + 1]; k++) {
                const uint32_t d = s->component[needs->columns[k]];
                if (d != c && level[d] >= level[c]) level[c] = level[d] + 1;
            }
        }
        if (level[c] >= n_levels) n_levels = level[c] + 1;
    }

    // counting sort by level; going through the nodes gives each level's components by their first node
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, (size_t)n_levels + 1);
    for (uint32_t c = 0; c < n_components; c++) place[level[c] + 1]++;
    for (uint32_t l = 0; l < n_levels; l++) place[l + 1] += place[l];
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t c = s->component[v];
        if (nodes[first[c + 1]] == v) rank[c] = place[level[c]]++;
    }
    return rank;
}

// Sort the nodes of one component: a search in depth from the last, numbered on the way back.
static void order_inside(Search *s, uint32_t *nodes, uint32_t n)
{
    uint32_t last = nodes[0], done = 0;
    const uint32_t component = s->component[nodes[0]];
    for (uint32_t i = 1; i < n; i++)
        if (nodes[i] > last) last = nodes[i];
    s->n_path = 0;
    enter(s, last);
    while (s->n_path > 0) {
        const uint32_t v = s->path[s->n_path - 1];
        if (s->next[v] == s->needs->first[v + 1]) {
            nodes[done++] = v;
            s->n_path--;
            continue;
        }
        const uint32_t w = s->needs->columns[s->next[v]++];
        if (s->component[w] == component && s->low[w] == DONE) enter(s, w);
    }
}

Strong strong_find(const Incidence *needs, Arena *arena)
{
    const uint32_t n = needs->n_rows;
    Strong strong = { .nodes = ARENA_ARRAY(arena, uint32_t, n) };
    Arena work = { 0 };
    Search s = { .needs = needs, .low = ARENA_ARRAY(&work, uint32_t, n), .is_first = ARENA_ARRAY(&work, bool, n),
                 .next = ARENA_ARRAY(&work, size_t, n), .path = ARENA_ARRAY(&work, uint32_t, n),
                 .waiting = ARENA_ARRAY(&work, uint32_t, n), .component = ARENA_ARRAY(&work, uint32_t, n) };
    for (uint32_t v = 0; v < n; v++)
        if (s.low[v] == 0) search_from(&s, v);

    const uint32_t *rank = rank_components(&s, &work);
    strong.n = s.n_components;
    strong.first = ARENA_ARRAY(arena, uint32_t, (size_t)strong.n + 1);
    for (uint32_t v = 0; v < n; v++) strong.first[rank[s.component[v]] + 1]++;
    for (uint32_t c = 0; c < strong.n; c++) strong.first[c + 1] += strong.first[c];
    for (uint32_t v = n; v-- > 0;) strong.nodes[--strong.first[rank[s.component[v]] + 1]] = v;
    // first[c + 1] is where c starts: one place too far to the right
    memmove(strong.first, strong.first + 1, strong.n * sizeof *strong.first);
    strong.first[strong.n] = n;

    s.n_met = 0;    // `low` is DONE for all: order_inside marks what it meets with smaller numbers
    for (uint32_t c = 0; c < strong.n; c++) {
        const uint32_t size = strong.first[c + 1] - strong.first[c];
        if (size > 1) order_inside(&s, strong.nodes + strong.first[c], size);
    }
    arena_free(&work);
    return strong;
}
