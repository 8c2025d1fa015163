// src/island/island.h: a set of equations as a component of the P-DEVS kernel.
//
//     type.c        one kind of island: ports, variables, options
//     component.c   its transitions: start, wait, receive, tell
//     spread.c      discontinuities, <iP, Md>
//     phases.c      the state graph, which the transitions are checked against
//
// The run inside is lazy: it is advanced when something is to be told or arrives, not before, so that between
// two messages it goes in the tight loop of its solver, and never far beyond a message that nobody knew of.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "island/isles.h"
#include "orrery/island.h"
#include "run/run.h"

// ---- The state graph

typedef enum IslandPhase {
    ISLAND_START,     // at the first instant: those who read it must know its values, and it theirs
    ISLAND_WAIT,      // until it has something to tell
    ISLAND_SPREAD,    // a discontinuity is to be told, at once
    ISLAND_STAND,     // it has ended, or failed
    ISLAND_PHASES
} IslandPhase;

typedef enum IslandCause {
    ISLAND_DUE,            // the time is up: δint, after λ
    ISLAND_UPDATE,         // δext: external variables have new values
    ISLAND_DISCONTINUITY,  // δext: a perturbation, or a jump whose Md has an identifier that is new here
    ISLAND_KNOWN,          // δext: a jump whose Md has none
    ISLAND_END,            // the model has ended its run, or it failed
    ISLAND_CAUSES
} IslandCause;

// Where a transition may lead: a set of phases, by bits. What happens at once, as in a confluent
// transition, is one after the other, ISLAND_DUE first.
extern const uint8_t island_graph[ISLAND_PHASES][ISLAND_CAUSES];
// The graph as text, one line for each transition, as docs/decisions/islands.md has it. is_quantised: of
// islands with a method of quantised states.
void island_print_graph(bool is_quantised, FILE *out);

// ---- One kind of island

typedef struct IslandInput {
    size_t variable;
    bool   is_number;
    bool   is_driven;    // compiled as an input of the host's; else a plain one
} IslandInput;

struct orr_island {
    orr_atomic       atomic;       // first: the kernel's table leads back here
    Arena            arena;        // owns all below
    const orr_model *model;        // borrowed
    orr_island_options options;    // texts and arrays are copies
    IslandInput     *inputs;       // [options.n_inputs]; input port 1 + i
    size_t          *outputs;      // [options.n_outputs] variables
    uint32_t        *messages;     // [options.n_messages] ports of the model; input port 1 + n_inputs + i
    size_t          *perturbed;    // [options.n_perturbed] variables; input ports behind these
    uint32_t        *sends;        // [options.n_sends] ports of the model; output port n_outputs + i
    uint32_t        *send_of;      // [ports of the model] 1 + which of them; 0: none
    uint32_t         n_words;      // of a set of islands
    uint32_t         signal_size;
    bool             is_member;    // of a model: components are given IslandParams
};
enum { ISLAND_PERTURB = 0 };    // input port

// ---- A component

// Of one perturbation, at the present instant.
typedef struct Passing {
    uint64_t  perturbation;    // iP
    uint64_t *known;           // [n_words] islands it is known to have passed through, this one included
    bool     *is_told;         // [n_inputs] `reinit` knows of it
    bool      spreads;         // is to be told to those who read this island
} Passing;

typedef struct External {
    double value, gradient;
    double t;             // when it was so
    double off, size;     // how far it was from what came next, at most; largest value
    bool   is_known;      // something has come
    bool   is_pending;    // it is taken over at the next grid point
} External;

typedef struct Component {
    const orr_island *type;       // borrowed
    orr_diag  *diag;              // borrowed; the kernel's
    Arena      arena;
    orr_run   *run;               // NULL: not begun
    IslandPhase phase;
    orr_run_options options;      // of the run; without settings and inputs. Texts are borrowed
    double     output_period;
    double     t_start;
    double     due;               // absolute
    double     due_tell;          // when outputs are told; before it only messages may leave
    bool       has_greeted;       // messages of the first instant have left
    uint32_t   n_waited;          // rounds that they waited
    bool       has_moved;         // time has passed since t_start
    uint32_t   n_rounds;          // of telling each other at t_start
    const double *params;         // [n_params] copy
    External  *externals;         // [n_inputs]
    double   (*told)[2];          // [n_outputs] last value and gradient; NaN: nothing yet
    double     t_told;            // when
    double     period_start;      // outputs are told at period_start + k·period
    double     k_period;
    double     pending_until;     // grid point at which pending values are taken over; NaN: none
    uint64_t   n_perturbations;   // that began here
    uint64_t   n_anew;            // how often new values made the solver begin anew
    double     t_passing;         // the instant of
    VEC(Passing) passing;         // [n_passing of them are in use]
    size_t     n_passing;
    orr_signal *signal;           // [signal_size bytes] scratch
    double    *dx, *x;            // [n_states] scratch
} Component;

extern const orr_atomic island_functions;    // without ports and sizes

// ---- spread.c

// The record of a perturbation at the present instant, a new one if it is not known; *is_new says so.
Passing *spread_find(Component *c, double t, uint64_t perturbation, bool *is_new);
// Does Md bring identifiers that are new? They are known from now on.
bool     spread_learns(Component *c, Passing *passing, const uint64_t *passed);
uint64_t spread_identify(Component *c, uint32_t component);    // a perturbation that begins here
