// include/orrery/machine.h: finite-state machines, Moore and Mealy: reading, running and writing them.
#pragma once
#include "orrery/base.h"
#include "orrery/model.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A machine that keeps the three principles: finite sets, one transition for each state and input, one output
// for each state. Const once built; any number of threads may use one.
typedef struct orr_machine orr_machine;

// The machines of a source.
ORR_API size_t      orr_source_n_machines(const orr_source *source);
ORR_API const char *orr_source_machine_name(const orr_source *source, size_t i);
ORR_API const char *orr_source_machine_doc(const orr_source *source, size_t i);    // NULL if none

// One machine of a source, by name, or the only one (name NULL). NULL, with messages that say which of the
// three principles is broken where and what would repair it, if it is no machine. Free with
// orr_machine_destroy.
ORR_API orr_machine *orr_machine_build(const orr_source *source, const char *name, orr_diag *diag);

// The same from a file: a model file (.orr), a transition table (.csv, .tsv) or a graph in Graphviz DOT
// (.dot, .gv), in the latter two `name` is not looked at. And from a text in memory, whose kind the suffix
// of `path` tells.
ORR_API orr_machine *orr_machine_open(const char *path, const char *name, orr_diag *diag);
ORR_API orr_machine *orr_machine_parse(const char *path, const char *text, size_t length, const char *name,
                                       orr_diag *diag);
ORR_API bool orr_machine_is_file(const char *path);    // a table or a graph, by its suffix

ORR_API void orr_machine_destroy(orr_machine *machine);    // NULL is allowed

// What it consists of. Numbers are from 0 in the order of the text; ORR_MACHINE_NONE says "none".
#define ORR_MACHINE_NONE UINT32_MAX
ORR_API const char *orr_machine_name(const orr_machine *machine);
ORR_API bool        orr_machine_is_mealy(const orr_machine *machine);
ORR_API bool        orr_machine_is_stochastic(const orr_machine *machine);
ORR_API uint32_t    orr_machine_start(const orr_machine *machine);    // or ORR_MACHINE_NONE

typedef enum orr_machine_set { ORR_MACHINE_STATES, ORR_MACHINE_INPUTS, ORR_MACHINE_OUTPUTS } orr_machine_set;
ORR_API uint32_t    orr_machine_count(const orr_machine *machine, orr_machine_set set);
ORR_API const char *orr_machine_text(const orr_machine *machine, orr_machine_set set, uint32_t i);
ORR_API uint32_t    orr_machine_find(const orr_machine *machine, orr_machine_set set, const char *name);


// One transition: how many branches it has (1 if it is certain), and where branch k leads and how likely.
ORR_API uint32_t orr_machine_branches(const orr_machine *machine, uint32_t state, uint32_t input);
ORR_API uint32_t orr_machine_next(const orr_machine *machine, uint32_t state, uint32_t input, uint32_t k,
                                  double *probability);
// What is observed: of a Moore machine in `state`, of a Mealy machine when `input` comes there.
ORR_API uint32_t orr_machine_output(const orr_machine *machine, uint32_t state, uint32_t input);

// ---- Writing

typedef enum orr_machine_form {
    ORR_MACHINE_TEXT,    // transition and output table, to be read
    ORR_MACHINE_CSV,     // the same to be read back, see orr_machine_open
    ORR_MACHINE_DOT,     // Graphviz, likewise
    ORR_MACHINE_ORR,     // the modelling language, likewise
    ORR_MACHINE_JSON
} orr_machine_form;
ORR_API char *orr_machine_write(const orr_machine *machine, orr_machine_form form);    // free() it

// Draw it as SVG by Graphviz' `dot`; "-" is standard output. False, with a message, if that fails.
ORR_API bool orr_machine_draw(const orr_machine *machine, const char *path, orr_diag *diag);

// ---- Behaviour
//
// Inputs i1 … iN lead through states s1 … sN+1. A Moore machine shows an output in each of these N + 1
// states, a Mealy machine one for each of the N inputs.

// Read a sequence: names separated by commas or line ends, in double quotes if they contain one outside of
// brackets; from # on the rest of a line is a comment. Among outputs `?` stands for one not observed and is
// ORR_MACHINE_NONE.
// False, with messages, if there are names the machine does not have. free() the sequence.
ORR_API bool orr_machine_read_sequence(const orr_machine *machine, orr_machine_set set, const char *text,
                                       uint32_t **sequence, size_t *n, orr_diag *diag);
// How many outputs n inputs show.
ORR_API size_t orr_machine_n_outputs(const orr_machine *machine, size_t n_inputs);

// Where a machine stands. What is drawn by chance is decided by seed and step alone.
typedef struct orr_walk {
    uint32_t state;
    uint64_t seed;
    uint64_t step;    // inputs so far
} orr_walk;

// Go on by n inputs. states[n] and outputs[n] (each may be NULL) receive, for each input, the state before
// it and the output that belongs to it; walk->state is the state behind the last.
ORR_API void orr_machine_advance(const orr_machine *machine, orr_walk *walk, const uint32_t *inputs, size_t n,
                                 uint32_t *states, uint32_t *outputs);

// The state is unknown: which states agree with what was observed? outputs[n_outputs] may be fewer than
// n_inputs show; ORR_MACHINE_NONE is an output that was not observed.
typedef struct orr_prediction {
    uint32_t      n_were;    // states in which it may have begun
    uint32_t      n_are;     // states in which it may be now
    const double *was;       // [n_states] how likely the observation is from there, 0: not at all
    const double *is;        // [n_states] how likely it is there now, if all beginnings were equally likely
    void         *memory;
} orr_prediction;
ORR_API orr_prediction orr_machine_predict(const orr_machine *machine, const uint32_t *inputs,
                                           size_t n_inputs, const uint32_t *outputs, size_t n_outputs);
ORR_API void           orr_prediction_free(orr_prediction *prediction);

// ---- Validation
//
// A ledger is what was tried on the real system and observed, one line for each experiment:
//
//     ledger of Baby
//     toy, food, toy : cries, cries, quiet, cries
//     from sleeping : food : quiet, cries            # the state before it was known
//
// The procedure: the confidence rating starts at 0 and rises by 1 with each experiment that agrees with
// the model's behaviour from one of its states; the first that agrees with none falsifies the model and
// ends it.
typedef struct orr_ledger orr_ledger;
// NULL after messages; free with orr_ledger_destroy
ORR_API orr_ledger *orr_ledger_open(const char *path, orr_diag *diag);
ORR_API orr_ledger *orr_ledger_parse(const char *name, const char *text, size_t length, orr_diag *diag);
ORR_API void        orr_ledger_destroy(orr_ledger *ledger);
ORR_API size_t      orr_ledger_count(const orr_ledger *ledger);
// Experiment i from 0 as written: state before it (NULL: unknown), inputs, outputs; and the first with the
// same inputs.
ORR_API void orr_ledger_get(const orr_ledger *ledger, size_t i, const char **from, const char **inputs,
                            const char **outputs, size_t *first_like_it);

typedef struct orr_validation {
    size_t   rating;           // confidence: experiments that agreed before one did not
    size_t   falsified_by;     // its number from 1; 0: valid so far
    uint32_t *agreeing;        // [experiments] states in which each may have begun; heap
} orr_validation;

// Judge one machine. False, with messages, if the ledger belongs to others: it names other models, or
// inputs or states that the machine does not have, or outputs that none of the rivals[n_rivals] (the
// machine may be among them) has. Free the validation in either case.
ORR_API bool orr_ledger_validate(const orr_ledger *ledger, const orr_machine *machine,
                                 const orr_machine *const *rivals, size_t n_rivals,
                                 orr_validation *validation, orr_diag *diag);
ORR_API void orr_validation_free(orr_validation *validation);

// A change of one entry of the tables after which all experiments agree.
typedef struct orr_repair {
    uint32_t state, input;    // input ORR_MACHINE_NONE: the output of a state is changed
    uint32_t old, now;        // states; outputs if an output is changed
    bool     is_output;
} orr_repair;

// All repairs of one transition or one output, for deterministic machines; *n of them, on the heap. NULL,
// with *n = 0, if there are none; *too_large if trying all of them would take more than about 1e10 steps,
// and none was tried.
ORR_API orr_repair *orr_ledger_repairs(const orr_ledger *ledger, const orr_machine *machine, size_t *n,
                                       bool *too_large);

#ifdef __cplusplus
}
#endif
