// src/devs/kernel.h: the kernel of Parallel DEVS over plain tables: a network of components, and a run of it.
//
//     kernel.c    the loop: who is due, messages into bags, transitions; a run begins and ends
//     agenda.c    when components are due
//     inputs.c    messages from outside that are still to come
//     queue.c     lists that grow, in the memory of the run
//     sort.c      numbers of components in order
//     switch.c    components and couplings switched off and on
//
// These files are part of the library and, as text, of exported programs, so there is one kernel whoever
// runs it. It touches nothing but its tables, its own memory, the functions of the components, and what those
// around it provide (at the end of this file). `#if` is explained in parts.h.
#pragma once
#include "devs/parts.h"
#include "orrery/atomic.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVS_BAG_MAX = 1 << 30 /* messages arriving in one bag */ };

// ---- The network

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

// Components that follow each other and are of one type.
typedef struct DevsRange {
    uint32_t component, n;    // the first; how many
    uint32_t type;            // in orr_devs.types
} DevsRange;

typedef struct orr_devs orr_devs;
struct orr_devs {
#if IS_ENGINE
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
    uint32_t      *by_component;    // [n_ranges] decls of atomics in the order of their components
    uint32_t       n_outputs;       // of all components, then the inputs of the whole model
    size_t         n_reached;       // targets of all outputs
    size_t         own_words;       // units of 8 bytes of the states alone
    bool           has_objects;     // a type frees its states
#endif
    uint32_t         n_components;
    uint32_t         first_input;     // which of the outputs is the first input of the whole model
    uint32_t         n_types, n_ranges, n_gates;
    uint32_t         input_words;     // of the largest message from outside, in units of 8 bytes
    size_t           n_targets;
    size_t           state_words;     // units of 8 bytes of all actors and their states
    const orr_atomic *const *types;   // [n_types] each once
    const DevsRange  *ranges;         // [n_ranges] by component
    const uint32_t   *input_sizes;    // bytes of a message at each input of the whole model
    // malloc'ed by flattening, as all that follows
    const DevsSpot   *spots;          // [n_components + 1] the last one stands for what is outside
    const DevsTarget *outputs;        // of all components, then the inputs of the whole model
    const DevsTarget *targets;        // [n_targets] of one output by component, then port
    // [n_targets] of each target 0 or where in gate_lists the gates on the way to it stand: how many, and
    // which; NULL without gates
    const uint32_t   *target_gates;
    const uint32_t   *gate_lists;
};

// The targets of an output, from the one returned up to *end.
static inline const DevsTarget *devs_targets(const orr_devs *model, uint32_t output, const DevsTarget **end)
{
    const DevsTarget *only = &model->outputs[output];
    const DevsTarget *first = only->port & DEVS_SEVERAL ? model->targets + only->word : only;
    *end = first + (only->port & DEVS_SEVERAL ? only->port & ~DEVS_SEVERAL : 1);
    return first;
}

// ---- The run

typedef struct DevsClock {
    double   now;
    uint64_t bag;             // bags at this instant so far
    uint64_t n_instants, n_bags, n_internal, n_external, n_confluent, n_messages, n_received;
    uint64_t n_zero;
    double   rest;            // what `now` lacks to the exact sum of time advances
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
    double   rest;          // what `due` lacks to the exact sum of time advances
    uint32_t next, prev;    // of the agenda
} DevsActor;

// When components are due (agenda.c). They are named by the words of their actors.
typedef struct DevsDue {
    double   t;
    uint32_t word;
    uint32_t unused;        // 0
} DevsDue;
typedef struct DevsAgenda {
    orr_devs_run *run;      // borrowed: whose memory it is
    char     *states;       // borrowed: the run's
    DevsDue  *near;         // [near_capacity + 11] the heap; infinite behind the last
    uint32_t *heads;        // [buckets_capacity + 1] first of each bucket
    uint32_t  n_near, near_capacity;
    uint32_t  n_buckets, buckets_capacity, current;
    uint32_t  n_far, n_later;    // in buckets; behind them
    uint32_t  few;          // so many are kept in the heap without more ado
    uint32_t  n_near_max;   // more in the heap: time for another span
    double    begin, per_second;    // of the span; buckets in a unit of time
    double    instant, limit;       // the next instant; until when it takes who is due
    bool      is_stale;             // what it takes has changed since
} DevsAgenda;
void     agenda_init(DevsAgenda *agenda, orr_devs_run *run, char *states, uint32_t n_components);
void     agenda_free(DevsAgenda *agenda);
// From now on the actor is due at t, any number but NaN; INFINITY: not at all.
void     agenda_set(DevsAgenda *agenda, uint32_t word, double t);
// After any number of these, before anything is asked.
void     agenda_settle(DevsAgenda *agenda, const orr_devs *model);
// The latest of the times that are one instant with the earliest. INFINITY: none
static inline double agenda_first(const DevsAgenda *agenda) { return agenda->instant; }
// Those due then, in no order, into `due` [n_components]; their number. They stay due.
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
void       inputs_add(orr_devs_run *run, double t, uint32_t port, const void *value, size_t size);
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
    uint32_t first, n;      // components, or a gate
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
void switches_ask(orr_devs_run *run, DevsSwitch what);    // at the end of the bag
void switches_apply(orr_devs_run *run);                   // what was asked for
bool switches_can_reach(const orr_devs_run *run, const DevsTarget *target, uint32_t component);


struct orr_devs_run {
    const orr_devs    *model;     // borrowed
    void              *owner;     // borrowed: what those around the kernel know it by
    const orr_atomic **types;     // [model->n_types] malloc'ed: the model's, or what replaces them
    orr_devs_call      call;      // handed to every function
    uint64_t           max_bags;      // at one instant
    size_t             max_memory;    // bytes of all queues

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
    double            due_rest;   // of the component that is asked when it is due
    const orr_atomic *sender;     // whose output function is running; NULL: none
    bool     is_moving;           // a transition function is running
    uint32_t sender_output;       // its first output
    bool     has_failed;          // reported; the run stands
#if IS_ENGINE
    orr_diag         *diag;       // borrowed
    orr_devs_options  options;
    orr_devs_counts  *counts;     // [n_components] malloc'ed; NULL: they are not kept
    bool              is_observed;    // there are counts or a trace
    uint8_t          *watched;    // [n_components] who acted while an endless chain is watched; NULL: none is
    double            watch_t;    // when it was
    uint64_t          watch_until;    // bag
#endif
};

// Memory for a run that stands at t, with nothing in it; then all components begin.
void   kernel_create(orr_devs_run *run, const orr_devs *model, double t);
void   kernel_begin(orr_devs_run *run);
void   kernel_free(orr_devs_run *run);
void   kernel_init(orr_devs_run *run, uint32_t component);        // begin one
void   kernel_schedule(orr_devs_run *run, uint32_t component);    // its time advance, after a switch
double kernel_next(const orr_devs_run *run);    // when something happens next; INFINITY: never
void   kernel_bag(orr_devs_run *run, double t); // one bag, at kernel_next
// Stand at t, before which nothing is due: what is done between two bags is done then.
void   kernel_wait(orr_devs_run *run, double t);

// Sort numbers. Linear if they are nearly in order.
void sort_ids(orr_devs_run *run, uint32_t *ids, size_t n);

static inline DevsActor *actor_at(const orr_devs_run *run, uint32_t word)
{
    return (DevsActor *)(void *)(run->states + (size_t)word * 8);
}
static inline DevsActor *actor_of(const orr_devs_run *run, uint32_t component)
{
    return actor_at(run, run->model->spots[component].word);
}

static inline size_t kernel_more(size_t capacity, size_t wanted)    // room for so many, and some to spare
{
    const size_t doubled = capacity < 8 ? 8 : capacity * 2;
    return doubled < wanted ? wanted : doubled;
}

// ---- What those around the kernel provide

// Memory for a run, as realloc gives it and, zeroed and if possible aligned to a cache line, as calloc does.
// They do not return without it.
void *devs_resize(orr_devs_run *run, void *p, size_t bytes);
void *devs_zeroed(orr_devs_run *run, size_t bytes);
// Of a component, for its `init`, during which they stay.
const void *devs_params(const orr_devs_run *run, uint32_t component);
// Messages for what is outside, of one bag.
void devs_arrived(const orr_devs_run *run, double t, const orr_devs_event *bag, size_t n);
// What goes wrong, to be reported; the run stands then. Of the component in run->call: it wants to be due in
// the past; its queue cannot grow. An instant may never end: called after each bag, with those that were due
// in it.
void devs_bad_advance(orr_devs_run *run, double ta, bool is_absolute);
void devs_queue_is_full(orr_devs_run *run, const orr_devs_queue *queue);
void devs_is_endless(orr_devs_run *run, size_t n_imminent);
#if IS_ENGINE
// What happened, for counts and traces.
void devs_saw_messages(orr_devs_run *run);
void devs_saw_transition(orr_devs_run *run, orr_devs_kind kind, double elapsed, double due, uint32_t n);
void devs_saw_switch(const orr_devs_run *run, orr_devs_kind kind, uint32_t component, uint32_t port,
                     uint32_t n);
#endif
