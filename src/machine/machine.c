// src/machine/machine.c: making, checking and looking into machines.
#include "machine/machine.h"
#include "base/map.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const char *const *copy_names(Arena *arena, const char *const *names, uint32_t n)
{
    const char **copy = ARENA_ARRAY(arena, const char *, n);
    for (uint32_t i = 0; i < n; i++) copy[i] = text_copy(arena, text_from(names[i]));
    return copy;
}

static const void *copy_bytes(Arena *arena, const void *from, size_t n, size_t size)
{
    void *copy = arena_alloc(arena, n, size);
    if (n > 0) memcpy(copy, from, n * size);
    return copy;
}

Machine *machine_copy(Arena *arena, const Machine *draft)
{
    Machine *m = ARENA_NEW(arena, Machine);
    const size_t n_cells = (size_t)draft->n_states * draft->n_inputs;
    *m = *draft;
    m->name = text_copy(arena, text_from(draft->name));
    m->states = copy_names(arena, draft->states, draft->n_states);
    m->inputs = copy_names(arena, draft->inputs, draft->n_inputs);
    m->outputs = copy_names(arena, draft->outputs, draft->n_outputs);
    m->next = copy_bytes(arena, draft->next, n_cells, sizeof *m->next);
    m->out = copy_bytes(arena, draft->out, draft->kind == MACHINE_MOORE ? draft->n_states : n_cells,
                        sizeof *m->out);
    if (draft->branch_first) {
        const size_t n_branches = draft->branch_first[n_cells];
        m->branch_first = copy_bytes(arena, draft->branch_first, n_cells + 1, sizeof *m->branch_first);
        m->branch_next = copy_bytes(arena, draft->branch_next, n_branches, sizeof *m->branch_next);
        m->branch_probability = copy_bytes(arena, draft->branch_probability, n_branches, sizeof(double));
    }
    return m;
}

static const char *verify_names(Arena *arena, const char *what, const char *const *names, uint32_t n)
{
    Names seen;
    names_init(&seen, arena);
    for (uint32_t i = 0; i < n; i++)
        if (names_intern(&seen, text_from(names[i])) != i)
            return arena_printf(arena, "two %s are called '%s'", what, names[i]);
    return NULL;
}

static const char *verify_branches(Arena *arena, const Machine *m, size_t cell)
{
    const uint32_t first = m->branch_first[cell], last = m->branch_first[cell + 1];
    const char *state = m->states[cell / m->n_inputs], *input = m->inputs[cell % m->n_inputs];
    if (last < first)
        return arena_printf(arena, "the branches of '%s' on '%s' end before they start", state, input);
    if ((m->next[cell] == MACHINE_NONE) != (last > first))
        return arena_printf(arena, "'%s' on '%s' has %u branches and %s move", state, input, last - first,
                            m->next[cell] == MACHINE_NONE ? "no" : "a certain");
    double sum = 0;
    for (uint32_t b = first; b < last; b++) {
        if (m->branch_next[b] >= m->n_states)
            return arena_printf(arena, "a branch of '%s' leads nowhere", state);
        if (!(m->branch_probability[b] > 0))
            return arena_printf(arena, "a branch of '%s' is not likely", state);
        sum += m->branch_probability[b];
    }
    if (last > first && !(fabs(sum - 1) <= 1e-9))
        return arena_printf(arena, "the branches of '%s' on '%s' sum to %g", state, input, sum);
    return NULL;
}

const char *machine_verify(Arena *arena, const Machine *m)
{
    const char *wrong = verify_names(arena, "states", m->states, m->n_states);
    if (!wrong) wrong = verify_names(arena, "inputs", m->inputs, m->n_inputs);
    if (!wrong) wrong = verify_names(arena, "outputs", m->outputs, m->n_outputs);
    if (wrong) return wrong;
    if (m->n_states == 0) return "there are no states";
    if (m->start != MACHINE_NONE && m->start >= m->n_states) return "the start is no state";

    const size_t n_cells = (size_t)m->n_states * m->n_inputs;
    const size_t n_out = m->kind == MACHINE_MOORE ? m->n_states : n_cells;
    for (size_t i = 0; i < n_out; i++)
        if (m->out[i] >= m->n_outputs) return arena_printf(arena, "output %zu is none of the outputs", i);
    for (size_t i = 0; i < n_cells; i++) {
        const bool by_chance = m->branch_first && m->next[i] == MACHINE_NONE;
        if (!by_chance && m->next[i] >= m->n_states)
            return arena_printf(arena, "'%s' on '%s' leads nowhere", m->states[i / m->n_inputs],
                                m->inputs[i % m->n_inputs]);
        if (m->branch_first && (wrong = verify_branches(arena, m, i))) return wrong;
    }
    return NULL;
}

orr_machine *machine_wrap(const Machine *draft)
{
    Arena arena = { 0 };
    orr_machine *machine = ARENA_NEW(&arena, orr_machine);
    machine->machine = machine_copy(&arena, draft);
    machine->arena = arena;
    return machine;
}

void orr_machine_destroy(orr_machine *machine)
{
    if (!machine) return;
    Arena arena = machine->arena;    // it owns the struct too
    arena_free(&arena);
}

static uint32_t find(const char *const *names, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return MACHINE_NONE;
}

uint32_t machine_find_state(const Machine *m, const char *name) { return find(m->states, m->n_states, name); }
// ---- The public side

const char *orr_machine_name(const orr_machine *machine) { return machine->machine->name; }
bool orr_machine_is_mealy(const orr_machine *machine) { return machine->machine->kind == MACHINE_MEALY; }
bool orr_machine_is_stochastic(const orr_machine *machine) { return machine->machine->branch_first != NULL; }
uint32_t orr_machine_start(const orr_machine *machine) { return machine->machine->start; }

static const char *const *names_of(const Machine *m, orr_machine_set set, uint32_t *n)
{
    *n = set == ORR_MACHINE_STATES ? m->n_states : set == ORR_MACHINE_INPUTS ? m->n_inputs : m->n_outputs;
    return set == ORR_MACHINE_STATES ? m->states : set == ORR_MACHINE_INPUTS ? m->inputs : m->outputs;
}

uint32_t orr_machine_count(const orr_machine *machine, orr_machine_set set)
{
    uint32_t n;
    names_of(machine->machine, set, &n);
    return n;
}

const char *orr_machine_text(const orr_machine *machine, orr_machine_set set, uint32_t i)
{
    uint32_t n;
    const char *const *names = names_of(machine->machine, set, &n);
    assert(i < n);
    return names[i];
}

uint32_t orr_machine_find(const orr_machine *machine, orr_machine_set set, const char *name)
{
    uint32_t n;
    const char *const *names = names_of(machine->machine, set, &n);
    return find(names, n, name);
}
