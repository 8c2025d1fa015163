// src/machine/join.c: several machines side by side, with inputs and outputs matched by name.
#include "base/map.h"
#include "machine/ask.h"

bool ask_is_deterministic(const Machine *m, const char *what, orr_diag *diag)
{
    if (!m->branch_first) return true;
    for (size_t cell = 0; cell < (size_t)m->n_states * m->n_inputs; cell++) {
        if (m->next[cell] != MACHINE_NONE) continue;
        diag_report(diag, DIAG_MACHINE_BY_CHANCE, (Place){ 0 }, m->name, what);
        diag_hint(diag, "'%s' on '%s' has several next states; 'reach' and 'policy' take such machines",
                  m->states[cell / m->n_inputs], m->inputs[cell % m->n_inputs]);
        return false;
    }
    return true;
}

// The own number of each input of the first machine. False, with a message, if the sets differ.
static bool match_inputs(const Machine *first, const Machine *m, uint32_t *own, Arena *arena, orr_diag *diag)
{
    TextMap map;
    text_map_init(&map, arena);
    for (uint32_t i = 0; i < m->n_inputs; i++) text_map_put(&map, text_from(m->inputs[i]), i);
    bool ok = true;
    uint32_t n_found = 0;
    for (uint32_t i = 0; ok && i < first->n_inputs; i++) {
        const uint32_t *found = text_map_find(&map, text_from(first->inputs[i]));
        if (found) {
            own[i] = *found;
            n_found++;
            continue;
        }
        ok = false;
        diag_report(diag, DIAG_MACHINE_INPUTS, (Place){ 0 }, first->name, m->name, m->name, first->inputs[i]);
        const char *near = text_closest(first->inputs[i], m->inputs, m->n_inputs);
        if (near) diag_hint(diag, "its nearest input is '%s': is that the same?", near);
        else
            diag_hint(diag,
                      "machines are compared by what they answer to the same inputs; rename, or add it");
    }
    if (ok && n_found < m->n_inputs) {
        text_map_init(&map, arena);
        for (uint32_t i = 0; i < first->n_inputs; i++) text_map_put(&map, text_from(first->inputs[i]), i);
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            if (text_map_find(&map, text_from(m->inputs[i]))) continue;
            diag_report(diag, DIAG_MACHINE_INPUTS, (Place){ 0 }, first->name, m->name, first->name,
                        m->inputs[i]);
            diag_hint(diag,
                      "machines are compared by what they answer to the same inputs; rename, or add it");
            break;
        }
        ok = false;
    }
    return ok;
}

typedef struct Shared {
    Names names;              // of outputs
    uint32_t **by_machine;    // [n_machines][n_outputs of it] shared number
} Shared;

static void share_outputs(Shared *s, const Machine *const *machines, uint32_t n, Arena *arena)
{
    names_init(&s->names, arena);
    s->by_machine = ARENA_ARRAY(arena, uint32_t *, n);
    for (uint32_t m = 0; m < n; m++) {
        s->by_machine[m] = ARENA_ARRAY(arena, uint32_t, machines[m]->n_outputs);
        for (uint32_t i = 0; i < machines[m]->n_outputs; i++)
            s->by_machine[m][i] = names_intern(&s->names, text_from(machines[m]->outputs[i]));
    }
}

static void copy_tables(const Joint *j, const Machine *m, uint32_t base, const uint32_t *own_input,
                        const uint32_t *shared_output, uint32_t *next, uint32_t *out)
{
    const size_t k = j->n_inputs;
    for (uint32_t s = 0; s < m->n_states; s++) {
        const uint32_t *from = m->next + (size_t)s * k;
        uint32_t *to = next + (size_t)(base + s) * k;
        for (size_t i = 0; i < k; i++) to[i] = base + from[own_input[i]];
        if (j->kind == MACHINE_MOORE) {
            out[base + s] = shared_output[m->out[s]];
            continue;
        }
        uint32_t *answers = out + (size_t)(base + s) * k;
        for (size_t i = 0; i < k; i++)
            answers[i] = shared_output[m->kind == MACHINE_MOORE ? m->out[from[own_input[i]]]
                                                                : m->out[(size_t)s * k + own_input[i]]];
    }
}

bool joint_make(Joint *joint, const Machine *const *machines, uint32_t n, Arena *arena, orr_diag *diag)
{
    bool ok = true;
    for (uint32_t m = 0; m < n; m++) ok &= ask_is_deterministic(machines[m], "compared state by state", diag);
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1);
    const uint32_t **input = ARENA_ARRAY(arena, const uint32_t *, n);
    const uint32_t **output = ARENA_ARRAY(arena, const uint32_t *, n);
    *joint = (Joint){
        .n_machines = n, .n_inputs = machines[0]->n_inputs, .first = first, .input = input, .output = output
    };
    for (uint32_t m = 0; m < n; m++) {
        uint32_t *own = ARENA_ARRAY(arena, uint32_t, joint->n_inputs);
        ok &= match_inputs(machines[0], machines[m], own, arena, diag);
        input[m] = own;
        first[m + 1] = first[m] + machines[m]->n_states;
        if (machines[m]->kind == MACHINE_MEALY) joint->kind = MACHINE_MEALY;
    }
    if (!ok) return false;

    Shared shared;
    share_outputs(&shared, machines, n, arena);
    joint->n_states = first[n];
    joint->n_outputs = (uint32_t)shared.names.n;
    const char **texts = ARENA_ARRAY(arena, const char *, joint->n_outputs);
    for (uint32_t i = 0; i < joint->n_outputs; i++) texts[i] = names_text(&shared.names, i);
    joint->outputs = texts;

    const size_t n_cells = (size_t)joint->n_states * joint->n_inputs;
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, n_cells);
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, joint->kind == MACHINE_MOORE ? joint->n_states : n_cells);
    for (uint32_t m = 0; m < n; m++) {
        uint32_t *own = ARENA_ARRAY(arena, uint32_t, joint->n_outputs);
        for (uint32_t i = 0; i < joint->n_outputs; i++) own[i] = MACHINE_NONE;
        for (uint32_t i = 0; i < machines[m]->n_outputs; i++) own[shared.by_machine[m][i]] = i;
        output[m] = own;
        copy_tables(joint, machines[m], first[m], input[m], shared.by_machine[m], next, out);
    }
    joint->next = next;
    joint->out = out;
    return true;
}

uint32_t *joint_respond(const Joint *j, uint32_t m, uint32_t state, orr_word word, size_t *n, Arena *arena)
{
    uint32_t *answers = ARENA_ARRAY(arena, uint32_t, word.n + 1);
    *n = 0;
    if (j->kind == MACHINE_MOORE) answers[(*n)++] = j->output[m][j->out[state]];
    for (size_t i = 0; i < word.n; i++) {
        answers[(*n)++] = j->output[m][joint_answer(j, state, word.inputs[i])];
        state = joint_next(j, state, word.inputs[i]);
    }
    return answers;
}

orr_word joint_translate(const Joint *j, uint32_t m, orr_word word, Arena *arena)
{
    uint32_t *own = ARENA_ARRAY(arena, uint32_t, word.n);
    for (size_t i = 0; i < word.n; i++) own[i] = j->input[m][word.inputs[i]];
    return (orr_word){ own, word.n };
}
