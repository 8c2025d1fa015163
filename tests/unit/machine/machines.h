// tests/unit/machine/machines.h: machines for tests: random ones, and those of the report.
#pragma once
#include "check.h"
#include "machine/ask.h"
#include <stdlib.h>

// A small generator of our own, so that a failure can be repeated.
typedef struct Dice {
    uint64_t x;
} Dice;
static inline uint32_t dice_roll(Dice *d, uint32_t n)
{
    d->x ^= d->x << 13;
    d->x ^= d->x >> 7;
    d->x ^= d->x << 17;
    return (uint32_t)((d->x >> 11) % n);
}

static inline const char *const *numbered(Arena *arena, const char *prefix, uint32_t n)
{
    const char **names = ARENA_ARRAY(arena, const char *, n);
    for (uint32_t i = 0; i < n; i++) names[i] = arena_printf(arena, "%s%u", prefix, i);
    return names;
}

// A draft with all moves to state 0 and all outputs 0; the tables may be written to.
static inline Machine *draft(Arena *arena, MachineKind kind, uint32_t n_states, uint32_t n_inputs,
                             uint32_t n_outputs)
{
    Machine *m = ARENA_NEW(arena, Machine);
    const size_t n_cells = (size_t)n_states * n_inputs;
    *m = (Machine){ .name = "M",
                    .kind = kind,
                    .n_states = n_states,
                    .n_inputs = n_inputs,
                    .n_outputs = n_outputs,
                    .states = numbered(arena, "s", n_states),
                    .inputs = numbered(arena, "i", n_inputs),
                    .outputs = numbered(arena, "o", n_outputs),
                    .next = ARENA_ARRAY(arena, uint32_t, n_cells),
                    .out = ARENA_ARRAY(arena, uint32_t, kind == MACHINE_MOORE ? n_states : n_cells) };
    return m;
}

static inline uint32_t *next_of(const Machine *m) { return (uint32_t *)(uintptr_t)m->next; }
static inline uint32_t *out_of(const Machine *m) { return (uint32_t *)(uintptr_t)m->out; }
static inline size_t n_out(const Machine *m)
{
    return m->kind == MACHINE_MOORE ? m->n_states : (size_t)m->n_states * m->n_inputs;
}

static inline Machine *random_machine(Arena *arena, Dice *d, MachineKind kind, uint32_t n_states,
                                      uint32_t n_inputs, uint32_t n_outputs)
{
    Machine *m = draft(arena, kind, n_states, n_inputs, n_outputs);
    for (size_t i = 0; i < (size_t)n_states * n_inputs; i++) next_of(m)[i] = dice_roll(d, n_states);
    for (size_t i = 0; i < n_out(m); i++) out_of(m)[i] = dice_roll(d, n_outputs);
    return m;
}

// States that behave like others: copies of the given ones, with moves spread over the copies.
static inline Machine *blow_up(Arena *arena, Dice *d, const Machine *m, uint32_t n_states)
{
    Machine *big = draft(arena, m->kind, n_states, m->n_inputs, m->n_outputs);
    for (uint32_t s = 0; s < n_states; s++) {
        const uint32_t from = s % m->n_states;
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const uint32_t to = m->next[(size_t)from * m->n_inputs + i];
            const uint32_t copies = (n_states - to + m->n_states - 1) / m->n_states;
            next_of(big)[(size_t)s * m->n_inputs + i] = to + m->n_states * dice_roll(d, copies);
            if (m->kind == MACHINE_MEALY)
                out_of(big)[(size_t)s * m->n_inputs + i] = m->out[(size_t)from * m->n_inputs + i];
        }
        if (m->kind == MACHINE_MOORE) out_of(big)[s] = m->out[from];
    }
    return big;
}

// The baby of the report: inputs toy, food; outputs cries, quiet.
static inline Machine *baby(Arena *arena)
{
    static const char *const states[] = { "wants to eat", "eating", "wants to play", "playing", "sleeping" };
    static const char *const inputs[] = { "toy", "food" }, *const outputs[] = { "cries", "quiet" };
    static const uint32_t next[] = { 0, 1, 2, 2, 3, 2, 4, 4, 0, 0 }, out[] = { 0, 1, 0, 1, 1 };
    Machine *m = ARENA_NEW(arena, Machine);
    *m = (Machine){ .name = "Baby",
                    .kind = MACHINE_MOORE,
                    .n_states = 5,
                    .n_inputs = 2,
                    .n_outputs = 2,
                    .states = states,
                    .inputs = inputs,
                    .outputs = outputs,
                    .next = next,
                    .out = out,
                    .start = MACHINE_NONE };
    return m;
}

// What a state answers to a word, as one text.
static inline void answer(const Machine *m, uint32_t state, orr_word word, uint32_t *outputs)
{
    size_t n = 0;
    if (m->kind == MACHINE_MOORE) outputs[n++] = m->out[state];
    for (size_t i = 0; i < word.n; i++) {
        const size_t cell = (size_t)state * m->n_inputs + word.inputs[i];
        outputs[n++] = m->kind == MACHINE_MOORE ? m->out[m->next[cell]] : m->out[cell];
        state = m->next[cell];
    }
}

static inline bool answers_differ(const Machine *m, uint32_t p, uint32_t q, orr_word word)
{
    uint32_t a[64], b[64];
    assert_true(word.n < 63);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    answer(m, p, word, a);
    answer(m, q, word, b);
    return memcmp(a, b, sizeof a) != 0;
}

// different[p*n + q]: the length of a shortest word that tells p from q, or MACHINE_NONE, pair by pair until
// nothing changes.
static inline uint32_t *naive_distances(const Machine *m, Arena *arena)
{
    const uint32_t n = m->n_states, k = m->n_inputs;
    uint32_t *d = ARENA_ARRAY(arena, uint32_t, (size_t)n * n);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            d[p * n + q] = MACHINE_NONE;
            if (m->kind == MACHINE_MOORE && m->out[p] != m->out[q]) d[p * n + q] = 0;
            for (uint32_t i = 0; m->kind == MACHINE_MEALY && i < k; i++)
                if (m->out[p * k + i] != m->out[q * k + i]) d[p * n + q] = 1;
        }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++)
                for (uint32_t i = 0; i < k; i++) {
                    const uint32_t after = d[m->next[p * k + i] * n + m->next[q * k + i]];
                    if (after == MACHINE_NONE || after + 1 >= d[p * n + q]) continue;
                    d[p * n + q] = after + 1;
                    changes = true;
                }
    }
    return d;
}
