// include/orrery/machine_ask.h: what one can ask of a machine.
//
//     orr_machine_minimise     the smallest machine with the same behaviour
//     orr_machine_compare      are two machines equivalent? if not, a shortest experiment that tells
//     orr_machine_reach        where it can get to, and what it cannot leave
//     orr_machine_separate     an input sequence, or a tree of them, that tells states or rivals apart
//     orr_machine_suite        a test suite that finds every fault up to a number of extra states
//     orr_machine_policy       inputs that keep a cost of the outputs low
//     orr_machine_learn        the smallest machines that agree with what was observed
//
// States, inputs and outputs are numbers from 0, as in machine.h. An observation of n inputs consists of the n
// outputs of a Mealy machine, or of the n + 1 outputs of a Moore machine, the first before any input. Where a Moore
// machine meets a Mealy machine, the Moore machine's output for an input is that of the state it leads to.
//
// Except for reach and policy, machines must be deterministic. Results own their memory: one call frees each. Long
// searches look at `cancel` now and then: not 0 ends them with ORR_STATUS_CANCELLED; NULL: never.
#pragma once
#include "orrery/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_word {
    const uint32_t *inputs;    // [n]
    size_t          n;
} orr_word;

// ---- The same behaviour with fewer states

// The smallest machine that has, for each state of this one, an equivalent state; it is called by the first of its
// members. If `reachable_only`, what the start cannot reach is left out first; without a start nothing is.
// class_of[n_states] (may be NULL) receives the new number of each state, ORR_MACHINE_NONE if left out. NULL, with a
// message, if the machine is stochastic. Free with orr_machine_destroy. Hopcroft (1971): O(n k log n).
ORR_API orr_machine *orr_machine_minimise(const orr_machine *machine, bool reachable_only, uint32_t *class_of,
                                          orr_diag *diag);

// ---- Two machines

typedef struct orr_comparison {
    orr_status      status;        // ORR_STATUS_MODEL_ERROR, with a message, if they cannot be compared
    bool            are_equivalent;
    uint32_t        from[2];       // states compared; ORR_MACHINE_NONE: each with all of the other
    orr_word        word;          // otherwise: a shortest input sequence whose outputs differ
    const uint32_t *outputs[2];    // [n_outputs] what each answers, by its own numbers
    size_t          n_outputs;
    const uint32_t *alone[2];      // [n_alone] states without an equivalent in the other, if all were compared
    size_t          n_alone[2];
    bool            is_shortest;   // of `word`, when all states were compared: beyond a limit it is only short
    void           *memory;
} orr_comparison;

// Compare from two states, or, if both are ORR_MACHINE_NONE, ask whether each state has an equivalent in the other.
// In that case `word` begins in from[0] or from[1], the one which is not NONE, and no state of the other machine
// answers as it does. Inputs are matched by name and must be the same set; so are outputs, which may differ.
// Hopcroft and Karp (1971): nearly linear.
ORR_API orr_comparison orr_machine_compare(const orr_machine *a, uint32_t from_a, const orr_machine *b,
                                           uint32_t from_b, orr_diag *diag);
ORR_API void           orr_comparison_free(orr_comparison *comparison);

// ---- Where it can get to

typedef struct orr_reach {
    uint32_t        from;             // or ORR_MACHINE_NONE: nothing is said about what is reachable
    const uint32_t *distance;         // [n_states] inputs from there; ORR_MACHINE_NONE: unreachable; NULL without from
    const uint32_t *came_from;        // [n_states] state before it on a shortest way
    const uint32_t *by_input;         // [n_states] input that leads from that to it
    uint32_t        n_unreachable;
    const bool     *is_absorbing;     // [n_states] no input leaves it
    const bool     *is_transient;     // [n_states] can be left without return
    uint32_t        n_absorbing, n_transient;
    const uint32_t *component;        // [n_states] strong component, numbered so that moves never lead to a smaller one
    uint32_t        n_components;
    const bool     *is_closed;        // [n_components] once in, never out: the states of all others are transient
    void           *memory;
} orr_reach;

// Breadth first from a state, and Tarjan's strong components. A move by chance counts as one to each of its branches.
ORR_API orr_reach orr_machine_reach(const orr_machine *machine, uint32_t from);
ORR_API void      orr_reach_free(orr_reach *reach);

#ifdef __cplusplus
}
#endif
