// src/machine/draft.h: a machine under construction, and the three principles it must keep.
//
// Every reader (the language, tables, DOT) fills a draft: first the sets, then, once they are sealed, the
// transitions and outputs. What breaks a principle is reported where it stands, with what would repair it,
// and the rest is still looked at, so that all such places are found at once.
#pragma once
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/machine.h"

// How special a statement is: what names both a state and an input wins over `*` for one of them.
typedef enum DraftLevel { DRAFT_NAMED, DRAFT_STAR, DRAFT_STARS } DraftLevel;

typedef struct DraftBranch {
    uint32_t to;             // DRAFT_UNKNOWN: has been reported
    double   probability;
} DraftBranch;

// a statement that filled a cell
typedef struct DraftSource { Place place; DraftLevel level; } DraftSource;
typedef struct DraftChance { size_t cell; DraftBranch branch; } DraftChance;
// leads nowhere
typedef struct DraftStray  { const char *state, *input, *name, *hint; Place place; } DraftStray;

#define DRAFT_UNKNOWN (UINT32_MAX - 1)

typedef struct Draft {
    Arena      *arena;       // borrowed; owns all of it and the Machine
    orr_diag   *diag;        // borrowed
    const char *name;
    Place       place;       // of the name, for what has no better one
    const char *advice_before, *advice_behind;    // how a transition is added, around the name of the input
    const char *advice_all;  // what stands for all inputs there; NULL: nothing does
    const char *advice_output;    // how the output of a state is given
    MachineKind kind;
    Names       states, inputs, outputs;
    VEC(Place)  state_places;
    bool        outputs_declared;    // no others may be used
    bool        ok;
    // from draft_seal on
    // [n_cells] MACHINE_NONE: nothing yet, or by chance; DRAFT_UNKNOWN: leads nowhere
    uint32_t   *next;
    uint32_t   *filled;      // [n_cells] number of the source + 1; 0: nothing yet
    uint32_t   *out;         // [n_states or n_cells]
    uint32_t   *out_filled;  // [n_states or n_cells]
    bool       *is_reached;  // [n_states] some transition leads there
    // [n_states] a statement about it could not be read: what is missing may be in it
    bool       *is_doubtful;
    VEC(DraftSource) sources;
    VEC(DraftChance) chances;
    VEC(DraftStray)  strays;
} Draft;

void draft_begin(Draft *d, Arena *arena, const char *name, Place place, orr_diag *diag);

// The number of a new state or input; of the older one, after a message, if it is there already.
uint32_t draft_add_state(Draft *d, Text name, Place place);
uint32_t draft_add_input(Draft *d, Text name, Place place);
uint32_t draft_add_output(Draft *d, Text name);    // the same again is fine

// The sets are complete. False if principle 1 is broken or the tables would be too large.
bool draft_seal(Draft *d, MachineKind kind);

// Who fills the cells that follow. Levels come in order: DRAFT_NAMED first, then DRAFT_STAR, DRAFT_STARS.
uint32_t draft_source(Draft *d, Place place, DraftLevel level);

// Whether a more special statement has decided already where this cell leads, or what a Moore state shows.
bool draft_has_move(const Draft *d, uint32_t state, uint32_t input, uint32_t source);
bool draft_has_output(const Draft *d, uint32_t state, uint32_t source);

// A transition: certain (one branch of probability 1) or by chance.
void draft_move(Draft *d, uint32_t state, uint32_t input, const DraftBranch *branches, size_t n,
                uint32_t source);
// A target that is no state; the message comes with draft_finish. NULL for input: all of them, or all others.
// hint NULL: the nearest name.
void draft_stray(Draft *d, const char *state, const char *input, const char *name, Place place,
                 const char *hint);
// A statement about so many states from the first on could not be read: nothing is said about their holes.
void draft_doubt(Draft *d, uint32_t first, uint32_t n);
// input is not looked at in a Moore machine.
void draft_set_output(Draft *d, uint32_t state, uint32_t input, uint32_t output, uint32_t source);

// The machine, in the arena; NULL if a principle was broken.
Machine *draft_finish(Draft *d, uint32_t start);
