// src/machine/ask.h: what the questions about machines share.
//
// Most questions are about several machines at once, or about one and itself. They are asked of a Joint: the
// disjoint union of the machines with inputs and outputs matched by name, where "equivalent" is a relation
// between its states.
#pragma once
#include "base/arena.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "orrery/machine_ask.h"

// A result keeps its arena inside that arena; this is its `memory`.
static inline void *ask_keep(Arena arena)
{
    Arena *memory = ARENA_NEW(&arena, Arena);
    *memory = arena;
    return memory;
}

static inline void ask_free(void *memory)
{
    if (!memory) return;
    Arena arena = *(Arena *)memory;
    arena_free(&arena);
}

// ---- join.c

// The tables of several deterministic machines as one; no names of states.
typedef struct Joint {
    MachineKind            kind;          // Mealy if one of them is
    uint32_t               n_machines;
    uint32_t               n_states, n_inputs, n_outputs;
    const uint32_t        *first;         // [n_machines + 1] number of the first state of each
    const uint32_t        *next;          // [n_states*n_inputs]
    const uint32_t        *out;           // Moore: [n_states]; Mealy: [n_states*n_inputs]
    const uint32_t *const *input;         // [n_machines][n_inputs] the machine's own number of an input
    const uint32_t *const *output;        // [n_machines][n_outputs] likewise; MACHINE_NONE if it has no such
                                          // output
    const char     *const *outputs;       // [n_outputs] names; borrowed
} Joint;

// False, with a message, if one of them is stochastic or the inputs are not the same. Texts are borrowed.
bool joint_make(Joint *joint, const Machine *const *machines, uint32_t n, Arena *arena, orr_diag *diag);
// Refuse a stochastic machine, with a message that says what cannot be done.
bool ask_is_deterministic(const Machine *m, const char *what, orr_diag *diag);

static inline uint32_t joint_next(const Joint *j, uint32_t state, uint32_t input)
{
    return j->next[(size_t)state * j->n_inputs + input];
}

// What is observed when `input` is given in `state`.
static inline uint32_t joint_answer(const Joint *j, uint32_t state, uint32_t input)
{
    const size_t cell = (size_t)state * j->n_inputs + input;
    return j->kind == MACHINE_MOORE ? j->out[j->next[cell]] : j->out[cell];
}

// What the joint machine's states answer to a word, by the numbers of machine `m`, in the arena: n + 1
// outputs of a Moore machine, n of a Mealy machine.
uint32_t *joint_respond(const Joint *j, uint32_t m, uint32_t state, orr_word word, size_t *n, Arena *arena);
// A word by the numbers of machine `m`.
orr_word joint_translate(const Joint *j, uint32_t m, orr_word word, Arena *arena);

// ---- minimise.c

// The classes of equivalent states, numbered in the order of their first states.
typedef struct Classes {
    uint32_t  n;
    uint32_t *of;    // [n_states]
} Classes;
Classes classes_find(const Joint *joint, Arena *arena);
// One state for each class.
Joint *classes_quotient(const Joint *joint, const Classes *classes, Arena *arena);

// ---- pairs.c: shortest words that tell two states apart

// Kept between searches, which then cost what they visit.
typedef struct Pairs {
    const Joint *joint;
    uint32_t    *parent, *stamp;    // [n_states] union-find, forgotten by a new stamp
    uint32_t     now;
    struct Pair *queue;             // [n_states]
} Pairs;
void pairs_init(Pairs *pairs, const Joint *joint, Arena *arena);
// False if they are equivalent; else a shortest word, in the arena.
bool pairs_separate(Pairs *pairs, uint32_t p, uint32_t q, orr_word *word, Arena *arena);

// ---- reach.c

// Strong components by the moves of allowed cells (NULL: all): the number of each state's, such that these
// moves never lead to a smaller one. The count.
uint32_t machine_components(const Machine *m, const bool *allowed, uint32_t *component);

// ---- separate.c: which of several suspects is it?

// A suspect is a state in which a machine may be, and a label: what is to be found out about it. Suspects
// with the same label need not be told apart.
typedef struct Suspects {
    const Joint    *joint;          // no two states are equivalent
    const uint32_t *states;         // [n]
    const uint32_t *labels;         // [n] below n_labels
    uint32_t        n, n_labels;
} Suspects;

// What a search may cost, and whether somebody wants it to stop.
typedef struct Effort {
    size_t              n_sets, n_items;    // most that may be kept
    const volatile int *cancel;
} Effort;
static inline bool effort_is_cancelled(const Effort *effort) { return cancel_is_set(effort->cancel); }

typedef enum SearchEnd { SEARCH_FOUND, SEARCH_NONE, SEARCH_LIMIT, SEARCH_CANCELLED } SearchEnd;

// A set of (state, label) as sorted codes; all that has been observed so far fits each of them.
typedef struct Codes {
    const Joint *joint;
    uint32_t     n_labels;    // 1: every code is a label of its own
    uint64_t    *keys;        // scratch, as long as the largest set
    uint32_t    *codes;       // likewise: the result of the last call
    uint32_t    *ends;        // likewise: ends of the parts in `codes`
    uint32_t     n_parts;
} Codes;
void codes_init(Codes *c, const Suspects *suspects, Arena *arena);
static inline uint32_t codes_state(const Codes *c, uint32_t code) { return code / c->n_labels; }
static inline uint32_t codes_label(const Codes *c, uint32_t code)
{
    return c->n_labels == 1 ? code : code % c->n_labels;
}
// Parts of more than one label into which the suspects fall before any input. False if two of different
// labels are in the same state: nothing will ever tell them apart.
bool codes_begin(Codes *c, const Suspects *suspects);
// The same for what an input makes of set[n].
bool codes_step(Codes *c, const uint32_t *set, uint32_t n, uint32_t input);
// Codes that have answered alike, as a set in c->codes: its size, 0 if all labels are equal.
uint32_t codes_sort(Codes *c, const uint32_t *codes, uint32_t n);
// Whether a state and a label fit into a code.
bool suspects_fit(const Suspects *suspects);

// The shortest word after which only suspects with the same label have answered alike.
SearchEnd separate_by_word(const Suspects *suspects, const Effort *effort, orr_word *word, Arena *arena);
// A word found by going for one pair after the other: short, and separates all that is possible along it.
orr_word separate_greedily(const Suspects *suspects, size_t longest, const Effort *effort, Arena *arena);
// group[n]: suspects that answer the word alike have the same number, in order of appearance. The count.
uint32_t separate_groups(const Suspects *suspects, orr_word word, uint32_t *group);

// ---- adaptive.c

typedef struct TreeNode {
    uint32_t output;                       // observed before it; MACHINE_NONE at the root
    uint32_t input;                        // to be given now; MACHINE_NONE: look only (the root), or nothing
                                           // is left to do
    uint32_t first_child, n_children;
    uint32_t first_suspect, n_suspects;    // in `order`
} TreeNode;
typedef struct Tree {
    TreeNode *nodes;          // [n] the root first
    uint32_t  n, depth;       // depth: inputs in the worst case
    uint32_t *order;          // [suspects] sorted so that those of a node stand together
    bool      is_shortest;
} Tree;
// The tree of experiments with the fewest inputs in the worst case.
SearchEnd separate_by_tree(const Suspects *suspects, const Effort *effort, Tree *tree, Arena *arena);
