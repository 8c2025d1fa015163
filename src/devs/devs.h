// src/devs/devs.h: Parallel DEVS: a coupled model flattened to index lists, and a run of it.
//
//     build.c     components and couplings as they are added
//     flatten.c   the tree of components → components in the order of names, couplings from output to input
//     kernel.c    the loop: who is due, messages into bags, transitions
//     run.c       creating, saving, asking
//     inputs.c    messages from outside that are still to come
//     chain.c     who keeps whom going when an instant never ends
//
// The kernel knows nothing of languages, equations or machines: whatever has a table of functions takes
// part.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "num/calendar.h"
#include "orrery/devs.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    DEVS_COMPONENTS_MAX = CALENDAR_MAX / 2,
    DEVS_COUPLINGS_MAX = 1 << 30,
    DEVS_BAGS_MAX = 1000000,    // at one instant, if the caller does not say
    DEVS_BAG_MAX = 1 << 30,     // messages arriving in one bag
};

// ---- The model

// What one call added: a coupled component, an atomic one or an array of atomic ones.
typedef struct DevsDecl {
    const char       *name;        // in the arena
    const orr_atomic *type;        // borrowed; NULL: coupled
    const void       *params;      // in the arena; NULL if there are none
    uint32_t          stride;      // bytes from the parameters of one to those of the next
    uint32_t          parent;      // decl of the coupled component around it; of the root: itself
    uint32_t          part;        // number of the first
    uint32_t          n;           // components
    uint32_t          is_array;    // has an index in its name
    uint32_t          ports;       // coupled: index in DevsBuild.ports
    uint32_t          component;   // atomic: number of the first, in the order of names
} DevsDecl;

typedef struct DevsPorts {
    const orr_devs_port *inputs, *outputs;    // borrowed
    uint32_t n_inputs, n_outputs;
} DevsPorts;

typedef struct DevsCoupling {
    uint32_t from, to;              // parts
    uint32_t from_port, to_port;    // of the part: its inputs are counted first, then its outputs
} DevsCoupling;

// An atomic component, as the loop needs it.
typedef struct DevsComponent {
    const orr_atomic *type;           // borrowed
    uint32_t          state;          // offset in the states, in units of 8 bytes
    uint32_t          first_output;   // its first output among all outputs
} DevsComponent;

typedef struct DevsTarget {
    uint32_t component;    // n_components: an output of the whole model
    uint32_t port;         // input of the component, or output of the model
} DevsTarget;

struct orr_devs {
    orr_diag *diag;               // borrowed
    Arena     arena;              // owns what is not said to be malloc'ed
    bool      is_finished, is_bad;

    VEC(DevsDecl)  decls;         // [0] is the root; by ascending part
    VEC(DevsPorts) ports;         // of the coupled components
    uint32_t       n_parts;

    // malloc'ed, so that it can be given back after flattening
    DevsCoupling *couplings;      // [n_couplings]
    size_t        n_couplings, couplings_capacity;

    // after flattening
    uint32_t       n_components;
    uint32_t       n_outputs;       // of all components, then the inputs of the whole model
    uint32_t       first_input;     // which of them is the first input of the whole model
    uint32_t      *by_component;    // [n_atomic_decls] decls of atomics in the order of their components
    uint32_t       n_atomic_decls;
    DevsComponent *components;      // [n_components]
    uint32_t      *first_target;    // [n_outputs + 1]
    DevsTarget    *targets;         // [first_target[n_outputs]] malloc'ed; by component, then port
    size_t         state_words;     // units of 8 bytes of all states
};

// Which decl a part belongs to, and the component of an atomic part.
uint32_t devs_decl_of_part(const orr_devs *model, uint32_t part);
uint32_t devs_decl_of_component(const orr_devs *model, uint32_t component);
DevsPorts devs_ports(const orr_devs *model, uint32_t decl);
// "shop.cpu[2]" in the arena; of an atomic component, of any part. The root is "the model".
const char *devs_component_name(const orr_devs *model, uint32_t component, Arena *arena);
const char *devs_part_name(const orr_devs *model, uint32_t part, Arena *arena);
bool devs_flatten(orr_devs *model);    // false: errors were reported

// ---- The run

// What a saved run begins with; then calendar, t_last, zero and states.
typedef struct DevsClock {
    double   now;
    uint64_t bag;             // bags at this instant so far
    uint64_t n_instants, n_bags, n_internal, n_external, n_confluent, n_messages, n_received;
    uint32_t n_zero;
    uint32_t n_components;    // to recognise a block by
    uint64_t state_words;
} DevsClock;

typedef struct DevsMessage {
    const void *value;     // in a chunk
    uint32_t    output;    // among all outputs
    uint32_t    sender;
} DevsMessage;

// Values of the messages of a bag.
typedef struct DevsChunk {
    struct DevsChunk *older;
    size_t   n_words;
    uint64_t words[];
} DevsChunk;

typedef struct DevsSlot { uint32_t start, n; } DevsSlot;    // a component's part of the bags

// A message from outside that is still to come.
typedef struct DevsInput {
    double   t;
    uint64_t order;     // of sending
    uint32_t port;
    uint32_t slot;      // where its value stands in DevsInputs.values
} DevsInput;

// Messages to come: a binary heap by time and order. Values have slots of equal size.
typedef struct DevsInputs {
    DevsInput *heap;          // [n] malloc'ed, as all of these
    uint32_t  *free;          // [n_slots - n] slots without a value
    uint64_t  *values;        // [n_slots * slot_words]
    uint32_t   n, n_slots;
    uint32_t   slot_words;    // of the largest message
    uint64_t   order;         // of the next
} DevsInputs;
double     inputs_first(const DevsInputs *inputs);    // INFINITY: none
void       inputs_add(DevsInputs *inputs, double t, uint32_t port, const void *value, size_t size);
DevsInput  inputs_take(DevsInputs *inputs);           // the first; its value stays until one is added
void       inputs_clear(DevsInputs *inputs);
void       inputs_free(DevsInputs *inputs);

struct orr_devs_run {
    const orr_devs  *model;       // borrowed
    orr_diag        *diag;        // borrowed
    orr_devs_options options;
    orr_devs_call    call;        // handed to every function

    // all that changes, in one block without pointers
    char      *block;             // [block_size] malloc'ed, aligned to 64
    size_t     block_size;
    DevsClock *clock;             // into the block, as all of these
    Calendar   calendar;          // who is due later than now
    double    *t_last;            // [n_components] time of the last transition
    uint32_t  *zero;              // [n_components] who is due in the next bag of this instant
    char      *states;

    DevsInputs inputs;            // from outside

    // one bag's working memory, kept for the next; malloc'ed
    DevsSlot       *slots;        // [n_components + 1]; n is 0 between bags. The last: outputs of the model
    uint32_t       *imminent;     // [n_components]
    uint32_t       *receivers;    // [n_components + 1]
    uint32_t       *scratch;      // [n_components + 1]
    DevsMessage    *messages;     // [messages_capacity]
    orr_devs_event *bags;         // [bags_capacity]
    DevsChunk      *chunk;        // what the messages say
    size_t          n_receivers, n_received, n_messages, messages_capacity, n_words, bags_capacity;

    const DevsComponent *sender;  // whose output function is running; NULL: none
    bool       has_failed;        // reported; the run stands
    uint8_t   *watched;           // [n_components] who acted while an endless chain is watched; NULL: none is
    uint64_t   watch_until;       // bag
};

void   kernel_begin(orr_devs_run *run);         // init and first time advance of all components
double kernel_next(const orr_devs_run *run);    // when something happens next; INFINITY: never
void   kernel_bag(orr_devs_run *run, double t); // one bag, at kernel_next
// Report who keeps whom going among the components in `watched`.
void       chain_report(orr_devs_run *run);

// Sort numbers; `scratch` is as long. Linear if they are nearly in order.
void sort_ids(uint32_t *ids, size_t n, uint32_t *scratch);
