// src/machine/machine.h: a finite-state machine as three tables.
//
// Zeigler's formalism: finite sets of inputs, states and outputs; for each state and input exactly one
// transition; for each state (Moore), or each state and input (Mealy), exactly one output. A Machine that
// exists keeps all three principles: build.c refuses what breaks them, so whoever asks questions of one never
// meets a hole. Where a move is drawn by chance, `next` says MACHINE_NONE and the branches of that cell say
// where to and how likely.
#pragma once
#include "base/arena.h"
#include "orrery/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_NONE UINT32_MAX

typedef enum MachineKind { MACHINE_MOORE, MACHINE_MEALY } MachineKind;

typedef struct Machine {                 // finite sets, a complete and unambiguous transition function
    const char *name;
    MachineKind kind;
    uint32_t n_states, n_inputs, n_outputs;
    const char *const *states;           // [n_states] names, all different
    const char *const *inputs;           // [n_inputs]
    const char *const *outputs;          // [n_outputs]
    const uint32_t *next;                // [n_states*n_inputs] row by state; MACHINE_NONE: drawn by chance
    const uint32_t *out;                 // Moore: [n_states]; Mealy: [n_states*n_inputs]
    uint32_t start;                      // or MACHINE_NONE
    const uint32_t *branch_first;        // [n_states*n_inputs+1] rows of the next two; NULL: deterministic
    const uint32_t *branch_next;         // [branch_first[n_states*n_inputs]]
    const double   *branch_probability;  // the same; positive, each row sums to 1
} Machine;

struct orr_machine {
    Arena    arena;      // owns all of it
    Machine *machine;
};

enum { MACHINE_CELLS_MAX = 1 << 30 };    // states times inputs

static inline size_t machine_cell(const Machine *m, uint32_t state, uint32_t input)
{
    return (size_t)state * m->n_inputs + input;
}

// The input matters to a Mealy machine only.
static inline uint32_t machine_output(const Machine *m, uint32_t state, uint32_t input)
{
    return m->kind == MACHINE_MOORE ? m->out[state] : m->out[machine_cell(m, state, input)];
}

// A copy in the arena of everything a draft points to, the texts included. The draft must be sound.
Machine *machine_copy(Arena *arena, const Machine *draft);

// Whether all numbers are in range, names differ and rows of probabilities sum to 1 (to 1e-9). What is wrong,
// in words, in the arena; NULL if it is sound. Anything else about a Machine that was built is our mistake.
const char *machine_verify(Arena *arena, const Machine *m);

// A public machine around a copy of the draft. Free with orr_machine_destroy.
orr_machine *machine_wrap(const Machine *draft);

// MACHINE_NONE if there is none; linear in the number of names.
uint32_t machine_find_state(const Machine *m, const char *name);
