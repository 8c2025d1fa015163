// src/island/isles.h: the islands of a model: who reads what of whom. The equations of the model itself,
// and of those components that are no islands, are the main part.
//
//     island ─signal→ island       straight, through the kernel
//     island ─signal→ main part    where equations of it read a variable of the island: held there
//     main part ─signal→ island    where an equation gives an input of the island a value: told at each step
#pragma once
#include "orrery/island.h"
#include "orrery/model.h"

typedef struct IsleSetting {    // a value that the model around gives to an island
    const char *name;           // in the island
    uint32_t    variable;       // of the model around
    bool        is_start;       // of a state: only if it was given
    bool        is_given;       // it is: by the model around
} IsleSetting;

typedef struct Isle {
    const char *name;           // full path
    orr_model  *model;          // owned by Isles, where owns_model
    bool        owns_model;
    orr_island_options options; // as written; arrays are those below
    bool        has_solver;     // was written; else that of the run
    const char **inputs;        // [n_inputs] external variables
    uint32_t    n_inputs;
    const char **outputs;       // [n_outputs] what is told
    uint32_t    n_outputs;
    const char **messages;      // [n_messages] event inputs
    uint32_t    n_messages;
    IsleSetting *settings;      // [n_settings]
    uint32_t    n_settings;
} Isle;

typedef struct IsleCoupling {
    uint32_t    from, to;       // islands; ISLE_MAIN
    const char *output;         // of `from`; NULL: of the main part
    const char *input;          // of `to`; NULL: of the main part
    uint32_t    variable;       // of the main part: what is told, or what holds it
} IsleCoupling;
#define ISLE_MAIN UINT32_MAX

typedef struct IsleMessage {    // an event input of an island
    uint32_t      isle, port;   // port: in Flat.ports of the model around
    const char   *name;         // in the island
} IsleMessage;

typedef struct Isles {
    Isle         *items;        // [n]
    uint32_t      n;
    IsleCoupling *couplings;    // [n_couplings]
    uint32_t      n_couplings;
    uint32_t     *isle_of;      // [n_variables] of the model around: 1 + the island that has it; 0: none
    size_t       *variable_of;  // [n_variables] and its number there
    uint32_t      n_variables;
    IsleMessage  *messages;     // [n_messages] by port
    uint32_t      n_messages;
    uint32_t     *message_of;   // [ports of the model around] 1 + its number in `messages`; 0: of no island
    bool         *is_perturbed; // [n] events of the main part assign states of it
    bool          reaches, is_told;    // signals come to the main part; leave it
} Isles;
