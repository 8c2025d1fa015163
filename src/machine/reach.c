// src/machine/reach.c: what can be reached, what cannot be left, what can be left without return.
//
// Moves by any input count, and by chance to each of the branches. Strong components come in order of
// evaluation, those first that lead nowhere; numbering them from the end makes every move lead to an equal or
// larger number.
#include "machine/ask.h"
#include "num/strong.h"

// Moves out of a state, one after the other: cells of the table, and branches inside a cell.
typedef struct Moves {
    size_t   cell, end;
    uint32_t branch;
} Moves;

static Moves moves_of(const Machine *m, uint32_t state)
{
    const size_t cell = (size_t)state * m->n_inputs;
    return (Moves){ cell, cell + m->n_inputs, 0 };
}

// MACHINE_NONE behind the last. Cells that are not allowed are passed over; NULL: all are.
static uint32_t next_move(const Machine *m, const bool *allowed, Moves *at, uint32_t *input)
{
    for (; at->cell < at->end; at->cell++, at->branch = 0) {
        const size_t cell = at->cell;
        if (allowed && !allowed[cell]) continue;
        *input = (uint32_t)(cell % m->n_inputs);
        if (m->next[cell] != MACHINE_NONE) {
            at->cell++;
            return m->next[cell];
        }
        const uint32_t branch = m->branch_first[cell] + at->branch;
        if (branch == m->branch_first[cell + 1]) continue;
        at->branch++;
        return m->branch_next[branch];
    }
    return MACHINE_NONE;
}

static void go_from(const Machine *m, uint32_t from, orr_reach *reach, Arena *arena, Arena *work)
{
    const uint32_t n = m->n_states;
    uint32_t *distance = ARENA_ARRAY(arena, uint32_t, n), *came_from = ARENA_ARRAY(arena, uint32_t, n),
             *by_input = ARENA_ARRAY(arena, uint32_t, n), *queue = ARENA_ARRAY(work, uint32_t, n),
             n_queue = 1;
    for (uint32_t s = 0; s < n; s++) distance[s] = came_from[s] = by_input[s] = MACHINE_NONE;
    queue[0] = from;
    distance[from] = 0;
    for (uint32_t at = 0; at < n_queue; at++) {
        Moves moves = moves_of(m, queue[at]);
        for (uint32_t input, to; (to = next_move(m, NULL, &moves, &input)) != MACHINE_NONE;) {
            if (distance[to] != MACHINE_NONE) continue;
            distance[to] = distance[queue[at]] + 1;
            came_from[to] = queue[at];
            by_input[to] = input;
            queue[n_queue++] = to;
        }
    }
    reach->distance = distance;
    reach->came_from = came_from;
    reach->by_input = by_input;
    reach->n_unreachable = n - n_queue;
}

// Who is reached from each state by one move, each once; the state itself is left out.
static Incidence successors(const Machine *m, const bool *allowed, Arena *arena)
{
    const uint32_t n = m->n_states;
    Incidence graph = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1) };
    uint32_t *met_from = ARENA_ARRAY(arena, uint32_t, n);    // the last that leads there; at first itself
    for (int fills = 0; fills < 2; fills++) {
        uint32_t n_edges = 0;
        for (uint32_t v = 0; v < n; v++) met_from[v] = v;
        for (uint32_t v = 0; v < n; v++) {
            graph.first[v] = n_edges;
            Moves moves = moves_of(m, v);
            for (uint32_t input, to; (to = next_move(m, allowed, &moves, &input)) != MACHINE_NONE;) {
                if (to == v || met_from[to] == v) continue;
                met_from[to] = v;
                if (fills) graph.columns[n_edges] = to;
                n_edges++;
            }
        }
        graph.first[n] = n_edges;
        if (!fills) graph.columns = ARENA_ARRAY(arena, uint32_t, n_edges);
    }
    return graph;
}

uint32_t machine_components(const Machine *m, const bool *allowed, uint32_t *component)
{
    Arena work = { 0 };
    const Incidence graph = successors(m, allowed, &work);
    const Strong strong = strong_find(&graph, &work);
    for (uint32_t c = 0; c < strong.n; c++)
        for (uint32_t k = strong.first[c]; k < strong.first[c + 1]; k++)
            component[strong.nodes[k]] = strong.n - 1 - c;
    arena_free(&work);
    return strong.n;
}

static void find_components(const Machine *m, orr_reach *reach, Arena *arena)
{
    const uint32_t n = m->n_states;
    uint32_t *component = ARENA_ARRAY(arena, uint32_t, n);
    const uint32_t n_components = machine_components(m, NULL, component);
    bool *is_closed = ARENA_ARRAY(arena, bool, n_components), *is_absorbing = ARENA_ARRAY(arena, bool, n),
         *is_transient = ARENA_ARRAY(arena, bool, n);
    for (uint32_t c = 0; c < n_components; c++) is_closed[c] = true;
    for (uint32_t v = 0; v < n; v++) {
        Moves moves = moves_of(m, v);
        is_absorbing[v] = true;
        for (uint32_t input, to; (to = next_move(m, NULL, &moves, &input)) != MACHINE_NONE;) {
            if (to != v) is_absorbing[v] = false;
            if (component[to] != component[v]) is_closed[component[v]] = false;
        }
        reach->n_absorbing += is_absorbing[v];
    }
    for (uint32_t v = 0; v < n; v++) {
        is_transient[v] = !is_closed[component[v]];
        reach->n_transient += is_transient[v];
    }
    reach->component = component;
    reach->n_components = n_components;
    reach->is_closed = is_closed;
    reach->is_absorbing = is_absorbing;
    reach->is_transient = is_transient;
}

orr_reach orr_machine_reach(const orr_machine *machine, uint32_t from)
{
    orr_reach reach = { .from = from };
    Arena arena = { 0 }, work = { 0 };
    if (from != MACHINE_NONE) go_from(machine->machine, from, &reach, &arena, &work);
    find_components(machine->machine, &reach, &arena);
    arena_free(&work);
    reach.memory = ask_keep(arena);
    return reach;
}

void orr_reach_free(orr_reach *reach)
{
    ask_free(reach->memory);
    *reach = (orr_reach){ 0 };
}
