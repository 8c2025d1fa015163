// src/machine/reach.c: what can be reached, what cannot be left, what can be left without return.
//
// Moves by any input count, and by chance to each of the branches. Strong components by Tarjan's algorithm
// (1972) with an explicit path. It finishes a component after all those it leads to, so numbering them from
// the end makes every move lead to an equal or larger number.
#include "machine/ask.h"
#include <stdlib.h>

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

typedef struct Frame {
    uint32_t state, number;
    Moves    moves;
} Frame;

typedef struct Search {
    const Machine *m;
    const bool    *allowed;
    uint32_t      *low;          // [n_states] 0: not met; NONE: its component is finished
    uint32_t      *component;    // [n_states] once finished
    uint32_t      *waiting;      // [n_states]
    Frame         *path;         // [n_states]
    uint32_t       n_path, n_waiting, n_met, n_components;
} Search;

static void enter(Search *s, uint32_t state)
{
    s->low[state] = ++s->n_met;
    s->waiting[s->n_waiting++] = state;
    s->path[s->n_path++] = (Frame){ state, s->n_met, moves_of(s->m, state) };
}

static void search_from(Search *s, uint32_t root)
{
    enter(s, root);
    while (s->n_path > 0) {
        Frame *at = &s->path[s->n_path - 1];
        uint32_t input;
        const uint32_t to = next_move(s->m, s->allowed, &at->moves, &input);
        if (to != MACHINE_NONE) {
            if (s->low[to] == 0) enter(s, to);
            else if (s->low[to] < s->low[at->state]) s->low[at->state] = s->low[to];
            continue;
        }
        s->n_path--;
        const uint32_t state = at->state;
        if (s->low[state] == at->number) {
            uint32_t member;
            do {
                member = s->waiting[--s->n_waiting];
                s->low[member] = MACHINE_NONE;
                s->component[member] = s->n_components;
            } while (member != state);
            s->n_components++;
        } else if (s->low[state] < s->low[s->path[s->n_path - 1].state]) {
            s->low[s->path[s->n_path - 1].state] = s->low[state];
        }
    }
}

uint32_t machine_components(const Machine *m, const bool *allowed, uint32_t *component)
{
    const uint32_t n = m->n_states;
    Arena work = { 0 };
    Search s = { .m = m,
                 .allowed = allowed,
                 .low = ARENA_ARRAY(&work, uint32_t, n),
                 .component = component,
                 .waiting = ARENA_ARRAY(&work, uint32_t, n),
                 .path = ARENA_ARRAY(&work, Frame, n) };
    for (uint32_t v = 0; v < n; v++)
        if (s.low[v] == 0) search_from(&s, v);
    for (uint32_t v = 0; v < n; v++) component[v] = s.n_components - 1 - component[v];
    arena_free(&work);
    return s.n_components;
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
