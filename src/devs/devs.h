// src/devs/devs.h: Parallel DEVS: a coupled model flattened to index lists, and a run of it.
//
//     build.c     components and couplings as they are added
//     flatten.c   the tree of components → components in the order of names, couplings from output to input
//     kernel.c    the loop: who is due, messages into bags, transitions
//     run.c       creating, asking
//     saved.c     a run as bytes, and back
//     switch.c    components and couplings switched off and on
//     queue.c     lists that grow, in the memory of the run
//     agenda.c    when components are due
//     inputs.c    messages from outside that are still to come
//     chain.c     who keeps whom going when an instant never ends
//
// The kernel knows nothing of languages, equations or machines: whatever has a table of functions takes
// part.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "orrery/devs.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    DEVS_COMPONENTS_MAX = 1 << 27,
    DEVS_COUPLINGS_MAX = 1 << 30,
    DEVS_BAGS_MAX = 1000000,    // at one instant, if the caller does not say
    DEVS_BAG_MAX = 1 << 30,     // messages arriving in one bag
    DEVS_MEMORY_MAX = 1 << 30,  // bytes of all queues, if the caller does not say
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
    uint32_t          n_sizes;     // of an array with several dimensions; else 0
    const uint32_t   *sizes;       // [n_sizes] borrowed
    uint32_t          ports;       // coupled: index in DevsBuild.ports
    uint32_t          component;   // number of the first atomic one, in the order of names
    uint32_t          type_number;    // atomic: in orr_devs.types
    uint32_t          n_inside;    // coupled: atomic components in it, from `component` on
} DevsDecl;

typedef struct DevsPorts {
    const orr_devs_port *inputs, *outputs;    // borrowed
    uint32_t n_inputs, n_outputs;
} DevsPorts;

typedef struct DevsCoupling {
    uint32_t from, to;              // parts
    uint32_t from_port, to_port;    // of the part: its inputs are counted first, then its outputs
    uint32_t gate;                  // 1 + number among those that can be switched; 0: it cannot
} DevsCoupling;

// A coupling that can be switched.
typedef struct DevsGate {
    orr_devs_coupling coupling;
    uint32_t is_off;    // at the beginning
} DevsGate;

// Where a message arrives. In the list of outputs: the only target or, with DEVS_SEVERAL in `port`, how
// many there are and where in the list of targets they begin.
typedef struct DevsTarget {
    uint32_t word;    // whose actor it is, see DevsSpot. Several: their beginning
    uint32_t port;    // input of the component, or output of the model. Several: DEVS_SEVERAL | number
} DevsTarget;
#define DEVS_SEVERAL 0x80000000u

// Where to find what belongs to a component.
typedef struct DevsSpot {
    uint32_t word;            // its DevsActor and its state, in units of 8 bytes
    uint32_t first_output;    // among all outputs
} DevsSpot;

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
    VEC(DevsGate) gates;            // couplings that can be switched
    Map           gate_numbers;     // by coupling
    VEC(orr_devs_part) off_parts;   // begin switched off

    // after flattening
    uint32_t       n_components;
    uint32_t       n_outputs;       // of all components, then the inputs of the whole model
    uint32_t       first_input;     // which of them is the first input of the whole model
    uint32_t      *by_component;    // [n_atomic_decls] decls of atomics in the order of their components
    uint32_t       n_atomic_decls;
    const orr_atomic **types;       // [n_types] each once
    uint32_t       n_types;
    DevsSpot      *spots;           // [n_components + 1] malloc'ed; the last one stands for what is outside
    DevsTarget    *outputs;         // [n_outputs] malloc'ed
    DevsTarget    *targets;         // [n_targets] malloc'ed; of one output by component, then port
    size_t         n_targets, n_reached;    // in the list; in all
    size_t         state_words;     // units of 8 bytes of all actors and their states
    size_t         own_words;       // of the states alone
    bool           has_objects;     // a type frees its states
    // [n_targets] of each target 0 or where in gate_lists the gates on the way to it stand: how many, and
    // which; NULL without gates
    uint32_t      *target_gates;
    uint32_t      *gate_lists;
};

// The targets of an output, from the one returned up to *end.
static inline const DevsTarget *devs_targets(const orr_devs *model, uint32_t output, const DevsTarget **end)
{
    const DevsTarget *only = &model->outputs[output];
    const DevsTarget *first = only->port & DEVS_SEVERAL ? model->targets + only->word : only;
    *end = first + (only->port & DEVS_SEVERAL ? only->port & ~DEVS_SEVERAL : 1);
    return first;
}

// Which decl a part belongs to, and the component of an atomic part.
uint32_t devs_decl_of_part(const orr_devs *model, uint32_t part);
uint32_t devs_decl_of_component(const orr_devs *model, uint32_t component);
DevsPorts devs_ports(const orr_devs *model, uint32_t decl);
// "shop.cpu[2]" in the arena; of an atomic component, of any part. The root is "the model".
const char *devs_component_name(const orr_devs *model, uint32_t component, Arena *arena);
const char *devs_part_name(const orr_devs *model, uint32_t part, Arena *arena);
// For callers inside that have checked what they give: a component of the root whose name may have points in
// it, and a coupling between any two ports. Ports of a part are numbered: its inputs, then its outputs.
// An array has sizes[n_sizes], which are borrowed; its components are counted row by row.
orr_devs_part devs_add(orr_devs *model, const char *name, const orr_atomic *type, uint32_t n,
                       const uint32_t *sizes, uint32_t n_sizes);
orr_devs_coupling devs_join(orr_devs *model, orr_devs_part from, uint32_t from_port, orr_devs_part to,
                            uint32_t to_port);
int  devs_compare_names(const char *a, const char *b);    // "cpu[2]" before "cpu[10]"
bool devs_flatten(orr_devs *model);    // false: errors were reported

// ---- The run

// From now on the functions of `to` are called for components of the type `from`, one of the model's: other
// code for the same. Between two bags.
void devs_run_replace(orr_devs_run *run, const orr_atomic *from, const orr_atomic *to);
// Stand at t, before which nothing is due: what is done between two bags is done then.
void devs_run_wait(orr_devs_run *run, double t);

typedef struct DevsClock {
    double   now;
    uint64_t bag;             // bags at this instant so far
    uint64_t n_instants, n_bags, n_internal, n_external, n_confluent, n_messages, n_received;
    uint64_t n_zero;
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

// What the kernel knows of a component during a run. Its state follows at once: in a large model the price
// of an event is that of finding its memory.
typedef struct DevsActor {
    uint32_t type;          // in orr_devs.types
    uint32_t bag, n_bag;    // its messages, while a bag is handled; n_bag is 0 between bags
    uint32_t component;     // its number; n_components: the outputs of the model
    double   last;          // time of the last transition
    double   due;           // INFINITY: it is not
    uint32_t next, prev;    // of the agenda
} DevsActor;

// When components are due (agenda.c). They are named by the words of their actors.
typedef struct DevsDue {
    double   t;
    uint32_t word;
    uint32_t unused;        // 0
} DevsDue;
typedef struct DevsAgenda {
    char     *states;       // borrowed: the run's
    DevsDue  *near;         // [near_capacity + 11] the heap; infinite behind the last
    uint32_t *heads;        // [buckets_capacity + 1] first of each bucket
    uint32_t  n_near, near_capacity;
    uint32_t  n_buckets, buckets_capacity, current;
    uint32_t  n_far, n_later;    // in buckets; behind them
    uint32_t  few;          // so many are kept in the heap without more ado
    uint32_t  n_near_max;   // more in the heap: time for another span
    double    begin, per_second;    // of the span; buckets in a unit of time
} DevsAgenda;
void     agenda_init(DevsAgenda *agenda, char *states, uint32_t n_components);
void     agenda_free(DevsAgenda *agenda);
// From now on the actor is due at t, any number but NaN; INFINITY: not at all.
void     agenda_set(DevsAgenda *agenda, uint32_t word, double t);
// After any number of these, before anything is asked.
void     agenda_settle(DevsAgenda *agenda, const orr_devs *model);
static inline double agenda_first(const DevsAgenda *agenda) { return agenda->near[3].t; }    // INFINITY: none
// Those due first, in no order, into `due` [n_components]; their number. They stay due.
uint32_t agenda_due(const DevsAgenda *agenda, uint32_t *due);

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

// The memory of all queues. Blocks are powers of 2 in words; what is outgrown waits for another queue. The
// words begin with this head.
enum { POOL_CLASSES = 32 };
typedef struct DevsPool {
    uint64_t n_words;                // in use, with the head
    uint32_t waiting[POOL_CLASSES];  // of 2^k words: the first, whose first word leads on; 0: none
} DevsPool;

// What is switched off, and what shall be switched at the end of the bag.
typedef struct DevsSwitch {
    uint32_t number;        // of a part or, with is_gate, a gate
    uint8_t  is_gate;
    uint8_t  presence;      // orr_devs_presence; of a gate: it is on
} DevsSwitch;
typedef struct DevsSwitches {
    uint8_t    *is_off;     // [n_components + 1] what is outside is never off
    uint8_t    *gate_off;   // [n_gates]
    uint32_t   *n_begun;    // [n_components] times it has begun as new
    DevsSwitch *asked;      // [n_asked]
    uint32_t   *touched;    // components switched at the end of this bag
    size_t      n_asked, asked_capacity, n_touched, touched_capacity;
} DevsSwitches;
void switches_create(orr_devs_run *run);    // unless there are some
void switches_free(orr_devs_run *run);
void switches_apply(orr_devs_run *run);     // what was asked for
bool switches_can_reach(const orr_devs_run *run, const DevsTarget *target, uint32_t component);

struct orr_devs_run {
    const orr_devs  *model;       // borrowed
    const orr_atomic **types;     // [model->n_types] malloc'ed: the model's, or what replaces them
    orr_diag        *diag;        // borrowed
    orr_devs_options options;
    orr_devs_call    call;        // handed to every function

    // all that changes, in one block without pointers
    char      *block;             // [block_size] malloc'ed, aligned to 64
    size_t     block_size;
    DevsClock *clock;             // into the block, as all of these
    uint32_t  *zero;              // [n_components] words of those due in the next bag of this instant
    char      *states;            // actors, each followed by its state

    DevsAgenda agenda;            // who is due later than now
    DevsInputs inputs;            // from outside
    uint64_t  *pool;              // [pool_capacity] malloc'ed, a DevsPool first; NULL: no queues yet
    size_t     pool_capacity;     // words
    bool       is_denied;         // the system gave it no more
    uint32_t   n_begun;           // components whose init was called

    // one bag's working memory, kept for the next; malloc'ed
    uint32_t       *imminent;     // [n_components] words of their actors
    uint32_t       *receivers;    // [receivers_capacity] likewise
    uint32_t       *scratch;      // [scratch_capacity]
    DevsMessage    *messages;     // [messages_capacity]
    orr_devs_event *bags;         // [bags_capacity]
    DevsChunk      *chunk;        // what the messages say
    size_t          n_receivers, n_received, n_messages, n_words;
    size_t          words_capacity;    // of the chunk; 0: there is none
    size_t          receivers_capacity, scratch_capacity, messages_capacity, bags_capacity;

    DevsSwitches     *switches;   // malloc'ed; NULL: everything is on and stays so
    orr_devs_counts  *counts;     // [n_components] malloc'ed; NULL: they are not kept
    bool              is_observed;    // there are counts or a trace
    const orr_atomic *sender;     // whose output function is running; NULL: none
    bool     is_moving;           // a transition function is running
    uint32_t sender_output;       // its first output
    bool       has_failed;        // reported; the run stands
    uint8_t   *watched;           // [n_components] who acted while an endless chain is watched; NULL: none is
    uint64_t   watch_until;       // bag
};

void   kernel_begin(orr_devs_run *run);         // init and first time advance of all components
void   kernel_init(orr_devs_run *run, uint32_t component);        // begin one
void   kernel_schedule(orr_devs_run *run, uint32_t component);    // its time advance, after a switch
double kernel_next(const orr_devs_run *run);    // when something happens next; INFINITY: never
void   kernel_bag(orr_devs_run *run, double t); // one bag, at kernel_next
// Report who keeps whom going among the components in `watched`.
void       chain_report(orr_devs_run *run);

size_t pool_words(const orr_devs_run *run);                     // in use; 0: there are no queues
void   pool_load(orr_devs_run *run, const uint64_t *words, size_t n);

// Sort numbers. Linear if they are nearly in order. The working memory, malloc'ed, grows as needed.
void sort_ids(uint32_t *ids, size_t n, uint32_t **scratch, size_t *scratch_capacity);

static inline DevsActor *actor_at(const orr_devs_run *run, uint32_t word)
{
    return (DevsActor *)(run->states + (size_t)word * 8);
}
static inline DevsActor *actor_of(const orr_devs_run *run, uint32_t component)
{
    return actor_at(run, run->model->spots[component].word);
}
