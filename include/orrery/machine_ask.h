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
// States, inputs and outputs are numbers from 0, as in machine.h. An observation of n inputs consists of the
// n outputs of a Mealy machine, or of the n + 1 outputs of a Moore machine, the first before any input. Where
// a Moore machine meets a Mealy machine, the Moore machine's output for an input is that of the state it
// leads to.
//
// Except for reach and policy, machines must be deterministic. Results own their memory: one call frees each.
// Long searches look at `cancel` now and then: not 0 ends them with ORR_STATUS_CANCELLED; NULL: never.
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

// The smallest machine that has, for each state of this one, an equivalent state; it is called by the first
// of its members. If `reachable_only`, what the start cannot reach is left out first; without a start nothing
// is. class_of[n_states] (may be NULL) receives the new number of each state, ORR_MACHINE_NONE if left out.
// NULL, with a message, if the machine is stochastic. Free with orr_machine_destroy. Hopcroft (1971): O(n k
// log n).
ORR_API orr_machine *orr_machine_minimise(const orr_machine *machine, bool reachable_only, uint32_t *class_of,
                                          orr_diag *diag);

// ---- Two machines

typedef struct orr_comparison {
    orr_status      status;            // ORR_STATUS_MODEL_ERROR, with a message, if they cannot be compared
    bool            are_equivalent;
    bool            has_word;          // an experiment tells them apart
    uint32_t        from[2];           // states it begins in; ORR_MACHINE_NONE: no state of this one answers
                                       // like the other's
    orr_word        word;              // a shortest input sequence, by the numbers of the first machine
    const uint32_t *outputs[2];        // [n_outputs] what each answers, by its numbers; NULL without a state
    size_t          n_outputs;
    bool            is_shortest;       // false: all states were compared, beyond a limit; it is only short
    const uint32_t *alone[2];          // [n_alone] states without an equivalent, if all were compared
    size_t          n_alone[2];
    void           *memory;
} orr_comparison;

// Compare from two states, or, if both are ORR_MACHINE_NONE, ask whether each state has an equivalent in the
// other. In that case the word begins in a state of one machine, and no state of the other answers as it
// does; there need not be such a word, since one experiment begins in one state only. Inputs are matched by
// name and must be the same set; outputs are matched by name. Hopcroft and Karp (1971), Hopcroft (1971):
// nearly linear.
ORR_API orr_comparison orr_machine_compare(const orr_machine *a, uint32_t from_a, const orr_machine *b,
                                           uint32_t from_b, orr_diag *diag);
ORR_API void orr_comparison_free(orr_comparison *comparison);

// ---- Where it can get to

typedef struct orr_reach {
    uint32_t        from;             // or ORR_MACHINE_NONE: nothing is said about what is reachable
    const uint32_t *distance;         // [n_states] inputs from `from`, NULL without; ORR_MACHINE_NONE: never
    const uint32_t *came_from;        // [n_states] state before it on a shortest way
    const uint32_t *by_input;         // [n_states] input that leads from that to it
    uint32_t        n_unreachable;
    const bool     *is_absorbing;     // [n_states] no input leaves it
    const bool     *is_transient;     // [n_states] can be left without return
    uint32_t        n_absorbing, n_transient;
    const uint32_t *component;        // [n_states] strong component; no move leads to a smaller number
    uint32_t        n_components;
    const bool     *is_closed;        // [n_components] once in, never out; other states are transient
    void           *memory;
} orr_reach;

// Breadth first from a state, and Tarjan's strong components. A move by chance counts as one to each of its
// branches.
ORR_API orr_reach orr_machine_reach(const orr_machine *machine, uint32_t from);
ORR_API void orr_reach_free(orr_reach *reach);

// ---- Which experiment next?

typedef enum orr_answer {
    ORR_ANSWER_YES,       // it does all that was asked
    ORR_ANSWER_NO,        // nothing does: proved
    ORR_ANSWER_UNKNOWN    // the search ended at its limit
} orr_answer;

typedef struct orr_separate_options {
    const uint32_t     *from;        // [n_machines] where each begins; ORR_MACHINE_NONE, or NULL for all: in
                                     // any of its states
    const uint32_t     *states;      // [n_states] with one machine: the states to be told apart; NULL: all
    size_t              n_states;
    bool                adaptive;    // a tree: each input depends on what was seen; else one sequence
    size_t              limit;       // sets of states looked at; 0: 200000
    const volatile int *cancel;
    void *reserved[8];
} orr_separate_options;
ORR_API orr_separate_options orr_separate_options_default(void);

// Somebody who may be there: machine number `machine` in a state. Equivalent states are one suspect.
typedef struct orr_suspect {
    uint32_t machine, state;
    uint32_t group;             // suspects that answer `word` alike, numbered from 0
} orr_suspect;

typedef struct orr_tree_node {
    uint32_t output;                       // seen before it, in `outputs`; ORR_MACHINE_NONE at the root
    uint32_t input;                        // to be given now; ORR_MACHINE_NONE: look only (the root), or all
                                           // is known (no children)
    uint32_t first_child, n_children;
    uint32_t first_suspect, n_suspects;    // in `order`
} orr_tree_node;

typedef struct orr_separation {
    orr_status           status;
    orr_answer          verdict;           // told apart: all states of one machine, or all machines
    bool                 is_shortest;       // nothing shorter does
    const orr_suspect   *suspects;          // [n_suspects]
    uint32_t             n_suspects;
    orr_word             word;              // by the numbers of the first machine; if nothing tells all
                                            // apart: one that tells many
    uint32_t             n_groups;
    const char   *const *outputs;           // [n_output_names] of all machines
    uint32_t             n_output_names;
    const uint32_t      *answers;           // [n_groups*n_answers] what each group answers, in `outputs`
    size_t               n_answers;         // outputs of one observation
    const orr_tree_node *nodes;             // [n_nodes] of the tree, the root first; none if there is no tree
    uint32_t             n_nodes, depth;    // depth: inputs in the worst case
    const uint32_t      *order;             // [n_suspects] numbers of suspects
    void                *memory;
} orr_separation;

// The shortest input sequence, or the tree with the fewest inputs in the worst case, that tells apart the
// states of one machine, or several machines. Exact within the limit; beyond it, or if there is none, `word`
// is put together from shortest sequences for pairs. Whether there is such a sequence is a hard question
// (PSPACE-complete): the search can need a number of sets that is exponential in the number of states.
ORR_API orr_separation orr_machine_separate(const orr_machine *const *machines, uint32_t n_machines,
                                            const orr_separate_options *options, orr_diag *diag);
ORR_API void orr_separation_free(orr_separation *separation);

// ---- Test suites

typedef struct orr_suite {
    orr_status status;
    uint32_t   n_states;             // of the smallest machine with this behaviour
    double     n_words, n_inputs;    // how many sequences there will be, and of what length all together
    size_t     n_identifying;        // sequences that identify states
    void      *memory;
} orr_suite;

// Prepare the suite of the W-method (Vasilevskii 1973, Chow 1978): if a machine with at most n_states +
// n_extra states, reset before each sequence, answers all of them as this one does from `from`, then it is
// equivalent to it. Free in any case. Its size is known before the first sequence is made.
ORR_API orr_suite orr_machine_suite(const orr_machine *machine, uint32_t from, uint32_t n_extra,
                                    orr_diag *diag);
// Hand out its sequences, one at a time, until `take` returns false or all are out.
ORR_API void orr_suite_write(const orr_suite *suite, bool (*take)(void *context, orr_word word),
                             void *context);
ORR_API void orr_suite_free(orr_suite *suite);

// The i-th input sequence of all in order of length, i from 1: i = 1 is the first of length 1. Its length;
// `inputs` has room for 64. 0 if i is too large.
ORR_API size_t orr_word_by_length(uint32_t n_inputs, uint64_t i, uint32_t *inputs);

// ---- Control

typedef enum orr_criterion {
    ORR_CRITERION_AVERAGE,       // cost per input in the long run
    ORR_CRITERION_DISCOUNTED,    // sum of discount^k times the cost of step k
    ORR_CRITERION_HORIZON        // sum over a number of inputs, and a Moore machine's output behind the last
} orr_criterion;

typedef struct orr_policy_options {
    const double       *output_cost;    // [outputs]
    const double       *input_cost;     // [inputs]; NULL: inputs cost nothing
    orr_criterion       criterion;
    double              discount;       // between 0 and 1
    size_t              horizon;        // inputs
    uint32_t            from;           // state; ORR_MACHINE_NONE: any
    const volatile int *cancel;
    void *reserved[8];
} orr_policy_options;
ORR_API orr_policy_options orr_policy_options_default(void);    // the average, from any state, no costs

typedef struct orr_policy {
    orr_status      status;        // ORR_STATUS_FAILED, with a message, if the numbers did not settle or are
                                   // too many
    const double   *value;         // [n_states] the least cost from each state
    const uint32_t *input;         // [n_states] what to give in it; with a horizon: [horizon*n_states], step
                                   // by step
    const bool     *is_best;       // [n_states*n_inputs] as good; with a horizon: in the first step
    // what happens from `from` if the machine is deterministic: `lead` inputs, then a cycle for ever; with a
    // horizon: all
    orr_word        word;          // lead and cycle
    size_t          n_cycle;       // inputs of the cycle; 0 with a horizon
    const uint32_t *path;          // [word.n + 1] states
    double          cycle_cost;    // of one turn
    // where it is in the long run, from `from` or from all states alike; without horizon
    const double   *share;         // [n_states] part of the time
    void           *memory;
} orr_policy;

// What to give in each state so that the cost is least. Deterministic machines: Howard's algorithm (1960; for
// cycles, Cochet-Terrasson and others 1998), exact. Stochastic machines: modified policy iteration
// (discounted); end components, relative value iteration in each and stochastic shortest ways between them
// (average), to about 10 digits.
ORR_API orr_policy orr_machine_policy(const orr_machine *machine, const orr_policy_options *options,
                                      orr_diag *diag);
ORR_API void orr_policy_free(orr_policy *policy);

// ---- Learning

typedef struct orr_observation {
    const uint32_t *inputs;       // [n_inputs]
    const uint32_t *outputs;      // [n_outputs]; ORR_MACHINE_NONE: not observed
    size_t          n_inputs;
    size_t          n_outputs;    // at most n_inputs + 1 (Moore) or n_inputs (Mealy)
    uint32_t        start;        // observations with the same number here begin in the same state;
                                  // ORR_MACHINE_NONE: in any
} orr_observation;

typedef struct orr_learn_options {
    bool                   is_mealy;
    bool                   reset;             // all observations begin in the same state
    const char     *const *inputs;            // [n_inputs] names
    const char     *const *outputs;           // [n_outputs]
    uint32_t               n_inputs, n_outputs;
    const orr_observation *observations;      // [n_observations]
    size_t                 n_observations;
    uint32_t               max_states;        // 0: 8
    size_t                 limit;             // steps of the search for each number of states; 0: 50 million
    size_t                 max_machines;      // machines kept; 0: 64
    const volatile int    *cancel;
    void *reserved[8];
} orr_learn_options;
ORR_API orr_learn_options orr_learn_options_default(void);

typedef struct orr_learned {
    orr_status          status;
    orr_answer         verdict;           // NO: no machine with at most max_states states agrees
    uint32_t            n_states;          // of the smallest machines; without a verdict: those tried so far
    double              n_machines;        // different ones of that size, however states are numbered
    bool                is_count_exact;    // otherwise there are at least so many
    orr_machine *const *machines;          // [n_kept] the first of them
    size_t              n_kept;
    const bool         *is_free;           // [n_states*n_inputs] moves no observation needs; they stay
    size_t              n_free;
    size_t              conflict[2];       // two observations that no machine can both give: the same
                                          // state and inputs
    bool                has_conflict;
    orr_separation      experiment;        // between those kept; no suspects if there is only one
    void               *memory;
} orr_learned;

// The smallest machines that agree with all observations. Exact: for 1, 2, 3, … states, every way to let the
// observations run through so many states is tried, with what contradicts itself cut off early. That is a
// hard problem (NP-complete, Gold 1978), for small machines only.
ORR_API orr_learned orr_machine_learn(const orr_learn_options *options, orr_diag *diag);
ORR_API void orr_learned_free(orr_learned *learned);
// The same from a ledger. Names and observations are the ledger's, everything else the options'.
ORR_API orr_learned orr_ledger_learn(const orr_ledger *ledger, const orr_learn_options *options,
                                     orr_diag *diag);
// Whether no experiment has more outputs than inputs, as those of a Moore machine do if all were observed.
ORR_API bool orr_ledger_is_mealy(const orr_ledger *ledger);

#ifdef __cplusplus
}
#endif
