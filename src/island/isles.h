// src/island/isles.h: the islands of a model: who reads what of whom. The equations of the model itself,
// and of those components that are no islands, are the main part.
//
//     island ─signal→ island       straight, through the kernel
//     island ─signal→ main part    where equations of it read a variable of the island: held there
//     main part ─signal→ island    where an equation gives an input of the island a value: told at each step
//     event ports                  as those of atomics, straight through the kernel
//
// They are components of the kernel of the network, beside its atomics, as guests (net/net.h).
#pragma once
#include "base/diag.h"
#include "orrery/island.h"
#include "orrery/model.h"
#include "solve/solver.h"

typedef struct IsleSetting {    // a value that the model around gives to an island
    const char *name;           // in the island
    uint32_t    variable;       // of the model around
    bool        is_start;       // of a state: only if it was given
    bool        is_given;       // it is: by the model around
} IsleSetting;

typedef struct IsleInput {
    const char *name;           // external variable
    uint32_t    variable;       // of the model around
    bool        is_number;      // messages are held there; else signals
} IsleInput;

typedef enum IsleOptionKind {
    ISLE_STEP, ISLE_TOLERANCE, ISLE_ABSOLUTE, ISLE_MAX_STEP, ISLE_QUANTUM, ISLE_RELATIVE, ISLE_LEAST,
    ISLE_PERIOD, ISLE_STATE_QUANTUM
} IsleOptionKind;

// ISLE_TOLERANCE and so on → what it is to a solver
static inline SolverOption isle_option(IsleOptionKind kind)
{
    const bool is_quantum = kind == ISLE_QUANTUM || kind == ISLE_RELATIVE || kind == ISLE_LEAST;
    if (is_quantum || kind == ISLE_STATE_QUANTUM) return SOLVER_OPTION_QUANTUM;
    return kind == ISLE_TOLERANCE || kind == ISLE_ABSOLUTE || kind == ISLE_MAX_STEP ? SOLVER_OPTION_EXACTNESS
                                                                                    : SOLVER_OPTION_OTHER;
}

typedef struct IsleOption {
    IsleOptionKind kind;
    const char *name;           // for messages: as written, or the state that it is of
    uint32_t    value;          // an Expr over parameters, of the model around
    Place       place;
} IsleOption;

typedef struct Isle {
    const char *name;           // full path
    orr_model  *model;          // owned by Isles, where owns_model
    bool        owns_model;
    orr_island *type;           // owned
    orr_island_options options; // solver and switches, as written
    IsleOption *own;            // [n_own] with values, found when a run begins
    uint32_t    n_own;
    bool        has_solver;     // was written; else that of the run
    IsleInput  *inputs;         // [n_inputs] external variables
    uint32_t    n_inputs;
    const char **outputs;       // [n_outputs] what is told
    uint32_t    n_outputs;
    const char **messages;      // [n_messages] event inputs
    uint32_t    n_messages;
    const char **sends;         // [n_sends] event outputs
    uint32_t    n_sends;
    const char **perturbed;     // [n_perturbed] states that messages perturb
    uint32_t    n_perturbed;
    IsleSetting *settings;      // [n_settings]
    uint32_t    n_settings;
} Isle;

typedef struct IsleCoupling {
    uint32_t    from, to;       // islands; ISLE_MAIN
    const char *output;         // of `from`; NULL: of the main part
    const char *input;          // of `to`; NULL: of the main part
    uint32_t    variable;       // of the main part: what is told, or what holds it
    uint32_t    source, target; // variables of the stubs at its ends; FLAT_NONE: the main part
} IsleCoupling;
#define ISLE_MAIN UINT32_MAX

typedef struct Isles {
    Isle         *items;        // [n]; guest i of the network is island i
    uint32_t      n;
    IsleCoupling *couplings;    // [n_couplings]
    uint32_t      n_couplings;
    uint32_t     *isle_of;      // [n_variables] of the model around: 1 + the island that has it; 0: none
    size_t       *variable_of;  // [n_variables] and its number there
    uint32_t      n_variables;
    bool         *is_perturbed; // [n] events of the main part assign states of it
    // of the inputs and outputs of the kernel that guests have
    uint32_t     *told;         // [n_told] inputs from 0: the variable whose value the main part tells
    uint32_t     *heard;        // [n_heard] outputs from 0: the variable that holds what it hears
    uint32_t     *perturb;      // [n] the input that perturbs an island; FLAT_NONE: there is none
    uint32_t      n_told, n_heard;
    bool         *passes_on;    // [n_told] may depend on something that the main part hears
} Isles;

// What an island of a model is given where orr_devs_add would be told parameters.
typedef struct IslandParams {
    const orr_run_options *run;        // borrowed for the length of the run; settings, inputs: the type's
    double                 output_period;
    const double          *values;     // [n_params] NaN: not set
    const double          *first;      // [n_inputs] of external variables; NaN: not known
} IslandParams;

// The simulation inside a component, brought to t, which is not before the kernel's time nor after anything
// that may still happen in it. NULL if it has not begun.
orr_run *island_run_at(orr_devs_run *run, uint32_t component, double t);
const orr_run *island_inside(const orr_devs_run *run, uint32_t component);    // as it stands; likewise

// How often messages made a method begin anew that remembers its past, if that is once in some steps; else 0.
uint64_t island_n_anew(const orr_devs_run *run, uint32_t component);
// How far what an island read was from the truth, at most, where it was held or went on along a straight
// line.
typedef struct IslandReading {
    size_t input;        // external variable
    double off, size;    // distance, and how large the variable was
} IslandReading;
// The worst reading of a component whose method is spoilt by it; `off` is 0 if there is none.
IslandReading island_worst_reading(const orr_devs_run *run, uint32_t component);
