// include/orrery/devs.h: discrete-event models in C: Parallel DEVS atomics, their coupling and their
// simulation.
//
//     orr_devs *model = orr_devs_create(diag);
//     orr_devs_part source = orr_devs_add(model, ORR_DEVS_ROOT, "source", &generator, &period);
//     orr_devs_part cpu    = orr_devs_add(model, ORR_DEVS_ROOT, "cpu", &processor, &mean);
//     orr_devs_couple(model, source, "job", cpu, "job");
//     if (orr_devs_finish(model)) {
//         orr_devs_options options = orr_devs_options_default();
//         orr_devs_run *run = orr_devs_run_create(model, &options, diag);
//         orr_status status = orr_devs_run_advance(run, 1000);
//         …
//
// Once finished a model is const: any number of runs may share it, each on its own thread.
//
// What happens at one instant happens in bags. All components that are due send their output; the messages
// are put into the bags of their receivers; then every component that is due or has messages makes one
// transition. A component whose time advance is 0 is due again in the next bag of the same instant.
// Components have an order, that of their names from the root down, digits compared as numbers; it does not
// depend on the order in which they were added. Messages in a bag are ordered by sender, port of the sender
// and order of sending; what comes from outside the model stands first.
#pragma once
#include "orrery/random.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ORR_DEVS_VERSION     = 2,        // of the structures below
    ORR_DEVS_MESSAGE_MAX = 65536     // bytes of a message
};

typedef struct orr_devs     orr_devs;        // a coupled model
typedef struct orr_devs_run orr_devs_run;    // one simulation of it

// ---- Atomics

typedef struct orr_devs_port {
    const char *name;
    const char *type;        // what its messages are; only ports of equal type and size can be coupled
    uint32_t    size;        // bytes of a message; 0: it tells nothing but that it comes
    int         required;    // of an input: it is an error not to couple it
} orr_devs_port;

// A message in a bag.
typedef struct orr_devs_event {
    const void *value;       // as many bytes as the port says, aligned to 8; lives during the call
    uint32_t    port;        // input port of the receiver
    uint32_t    sender;      // number of the component; ORR_DEVS_OUTSIDE: the caller of orr_devs_run_send
} orr_devs_event;
#define ORR_DEVS_OUTSIDE UINT32_MAX

// What the functions of an atomic are told.
typedef struct orr_devs_call {
    double        t;            // present time
    orr_devs_run *run;          // for the functions below
    uint32_t      component;    // number of the component, in the order of names
} orr_devs_call;

// One kind of component: a const table. All that changes is in `state`, which the kernel owns: state_size
// bytes aligned to 8, zero before init. It must hold no pointers to what may change, so that a run can be
// copied by copying bytes; queues (below) are for what grows. A state that cannot do without pointers, such
// as one with a solver in it, has save, load and destroy. Functions keep to their own state and to what they
// are given; NULL is allowed where said.
typedef struct orr_atomic {
    unsigned             version;        // ORR_DEVS_VERSION
    unsigned             traits;         // ORR_ATOMIC_… or 0
    const char          *name;           // of the type, for messages
    const orr_devs_port *inputs;         // [n_inputs]
    const orr_devs_port *outputs;        // [n_outputs]
    uint32_t             n_inputs, n_outputs;
    size_t               params_size;    // bytes given to orr_devs_add for init
    size_t               state_size;

    // Begin. NULL: all zeros.
    void   (*init)(void *state, const void *params, const orr_devs_call *call);
    // Time until the next internal transition, asked after init and after every transition: 0 or more,
    // INFINITY for never. With ORR_ATOMIC_ABSOLUTE: the time itself, not before now.
    double (*advance)(const void *state, const orr_devs_call *call);
    // Called just before an internal or confluent transition: orr_devs_send what there is to say. NULL:
    // nothing.
    void   (*output)(const void *state, const orr_devs_call *call);
    // The time is up. NULL: never due.
    void   (*internal)(void *state, const orr_devs_call *call);
    // Messages, `elapsed` after the last transition. NULL: there are no inputs, or they are ignored.
    void   (*external)(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                       size_t n);
    // Both at once. NULL: internal, then external with elapsed time 0.
    void   (*confluent)(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n);

    // For states with pointers. All NULL: the state is plain bytes; `destroy` alone: a run of it cannot be
    // saved.
    // How many bytes all that changes takes; they are written if `bytes`, aligned to 8, is not NULL.
    size_t (*save)(const void *state, void *bytes, const orr_devs_call *call);
    // Become the one that was saved: the state is one that init has begun, its pointers are its own. 0: the
    // bytes are not of such a state.
    int    (*load)(void *state, const void *bytes, size_t n, const orr_devs_call *call);
    // Free what the state holds: once for every init, also if that failed.
    void   (*destroy)(void *state);
} orr_atomic;

enum { ORR_ATOMIC_ABSOLUTE = 1 };    // `advance` gives points in time: a due time that is kept stays exact

// ---- Atomics for models in the language
//
// `atomic Filter native … end` declares parameters, events and variables; what it does is an orr_atomic of
// the same name, in C: linked in (orr_compile_options.linked), or in an object file that was asked for
// (orr_compile_options.natives, `orrery run --native filter.so`). The object exports one function,
//
//     const orr_native *orr_native_atomics(void) { return &table; }
//
// Ports are those of the declaration, in its order. A message is one double for a number, a boolean (0, 1) or
// a value of an enumeration (1, 2, …), and one for each field of a record; its type is the name of the type:
// "number", "boolean", "nothing", "Job". Parameters are doubles, in the order declared.

typedef struct orr_native_variable {    // a double in the state, which experiments can record
    const char *name;
    size_t      offset;                 // bytes from the beginning of the state, a multiple of 8
} orr_native_variable;

typedef struct orr_native_atomic {
    const orr_atomic          *atomic;
    const char *const         *params;       // [n_params] their names; params_size is 8*n_params
    const orr_native_variable *variables;    // [n_variables]
    uint32_t                   n_params, n_variables;
} orr_native_atomic;

typedef struct orr_native {
    unsigned                 version;        // ORR_DEVS_VERSION; looked at before anything else
    uint32_t                 n_atomics;
    const orr_native_atomic *atomics;        // [n_atomics]
} orr_native;

// From `output` only: send a message, which is copied. Beyond the last port, or elsewhere, the run fails.
ORR_API void orr_devs_send(const orr_devs_call *call, uint32_t port, const void *value);
// A stream of random numbers for this component and this purpose, by the seed and the number of the run: to
// be kept in the state from `init` on. What other components draw does not change it.
ORR_API orr_random orr_devs_random(const orr_devs_call *call, const char *purpose);
// The run fails behind this bag with a message that names the component.
ORR_API void orr_devs_fail(const orr_devs_call *call, const char *reason);

// ---- Structure that changes
//
// Components can be switched off and on during a run, coupled ones with all that is in them, and so can
// couplings that were declared as switched. Members that come and go are an array of the largest number,
// most of them off. From a transition function, orr_devs_switch asks for it; it takes effect at the end of
// this bag, when all have made their transitions; of several the last one asked for holds. Who is off is
// not due, and what is sent to it is lost; its state can still be read. Switched on, it goes on with the
// state it has, as if its last transition were now: its time advance is asked, and a point in time that has
// passed means at once. As new, it begins again: zeros, init with its parameters, other random numbers.

typedef enum orr_devs_presence { ORR_DEVS_OFF, ORR_DEVS_ON, ORR_DEVS_AS_NEW } orr_devs_presence;

// 0, and the run fails, if there is no such part or coupling, or from init or output.
ORR_API int orr_devs_switch(const orr_devs_call *call, uint32_t part, orr_devs_presence presence);
ORR_API int orr_devs_switch_coupling(const orr_devs_call *call, uint32_t coupling, int is_on);
// From outside, between bags: at once. 0 if there is no such part or coupling, or the run has failed.
ORR_API int orr_devs_run_switch(orr_devs_run *run, uint32_t part, orr_devs_presence presence);
ORR_API int orr_devs_run_switch_coupling(orr_devs_run *run, uint32_t coupling, int is_on);
ORR_API int orr_devs_run_is_on(const orr_devs_run *run, uint32_t component);

// ---- Queues: for lists that grow, in the run's own memory
//
// A queue stands in the state of a component; what is in it stands in the memory of the run and is found by
// offsets, so that it is copied with the run. Only the component itself uses it, with the call it was given.
// The memory of all queues of a run is limited (orr_devs_options.max_memory): beyond it the run fails with a
// message that names the component and the length of the queue.

typedef struct orr_devs_queue {
    uint32_t n;            // elements; the rest is the kernel's
    uint32_t size;
    uint32_t is_ranked;
    uint32_t first;
    uint32_t capacity;
    uint32_t at;
} orr_devs_queue;

// In `init`: an empty queue of elements of `size` bytes. With is_ranked each element has a rank, and they
// stand in ascending order of it, equal ones in the order they came.
ORR_API void orr_devs_queue_init(orr_devs_queue *queue, uint32_t size, int is_ranked);
// To the end of the queue; a ranked one: with the rank of the last. The value is copied. 0: the run fails.
ORR_API int orr_devs_queue_push(const orr_devs_call *call, orr_devs_queue *queue, const void *value);
// To its place by rank, which is not NaN; the cost grows with the way to the nearer end. In a queue without
// ranks: to the end. 0: the run fails.
ORR_API int orr_devs_queue_insert(const orr_devs_call *call, orr_devs_queue *queue, double rank,
                                  const void *value);
// Take out the first, or the one with the index i from 0; copied to *value unless that is NULL. 0, and
// nothing changes, if there is none.
ORR_API int orr_devs_queue_pop(const orr_devs_call *call, orr_devs_queue *queue, void *value);
ORR_API int orr_devs_queue_remove(const orr_devs_call *call, orr_devs_queue *queue, uint32_t i, void *value);
// The element with the index i, aligned to 8, to be read until any queue of the run grows; NULL if there is
// none. Its rank; NaN if there is none.
ORR_API const void *orr_devs_queue_at(const orr_devs_call *call, const orr_devs_queue *queue, uint32_t i);
ORR_API double orr_devs_queue_rank(const orr_devs_call *call, const orr_devs_queue *queue, uint32_t i);
// Take out all, and give its memory back for other queues of the run.
ORR_API void orr_devs_queue_clear(const orr_devs_call *call, orr_devs_queue *queue);
// From outside: look into a queue found in orr_devs_run_state.
ORR_API const void *orr_devs_run_queue_at(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t i);

// ---- Coupled models

typedef uint32_t orr_devs_part;        // a component, atomic or coupled
typedef uint32_t orr_devs_coupling;
#define ORR_DEVS_ROOT ((orr_devs_part)0)
#define ORR_DEVS_NONE UINT32_MAX

// An empty model. Tables and ports are borrowed and must outlive it, names are copied; messages go to
// `diag`, which must outlive it, too. Free with orr_devs_destroy.
ORR_API orr_devs *orr_devs_create(orr_diag *diag);
ORR_API void      orr_devs_destroy(orr_devs *model);    // NULL is allowed

// The ports of the model as a whole, through which it is coupled to its caller. Before anything else.
ORR_API void orr_devs_set_ports(orr_devs *model, const orr_devs_port *inputs, uint32_t n_inputs,
                                const orr_devs_port *outputs, uint32_t n_outputs);

// Add a component inside a coupled one. The parameters, type->params_size bytes, are copied.
ORR_API orr_devs_part orr_devs_add(orr_devs *model, orr_devs_part parent, const char *name,
                                   const orr_atomic *type, const void *params);
// n components name[1] … name[n], numbered on from the one returned. Parameters of the next one are
// `stride` bytes on; 0: all have the same.
ORR_API orr_devs_part orr_devs_add_array(orr_devs *model, orr_devs_part parent, const char *name,
                                         const orr_atomic *type, uint32_t n, const void *params,
                                         size_t stride);
ORR_API orr_devs_part orr_devs_add_coupled(orr_devs *model, orr_devs_part parent, const char *name,
                                           const orr_devs_port *inputs, uint32_t n_inputs,
                                           const orr_devs_port *outputs, uint32_t n_outputs);

// What `from` sends at its port arrives at a port of `to`. Between brothers; from an input of a coupled
// component to those inside; from inside to an output; or straight from an input of a coupled component to
// an output of it. The number of the coupling, or ORR_DEVS_NONE.
ORR_API orr_devs_coupling orr_devs_couple(orr_devs *model, orr_devs_part from, const char *from_port,
                                          orr_devs_part to, const char *to_port);

// Structure that changes during a run, see orr_devs_switch. Every component may be switched; one that should
// begin switched off is told so here, with all that is in it. A coupling that will be switched must be told.
ORR_API void orr_devs_set_off(orr_devs *model, orr_devs_part part);
ORR_API void orr_devs_set_switched(orr_devs *model, orr_devs_coupling coupling, int is_on);

// Check all and make it ready to run; nothing can be added afterwards. 0 if there were errors, now or
// before.
ORR_API int orr_devs_finish(orr_devs *model);

// The number of an atomic component in the order of names, and the full name of a number: up to size - 1
// bytes and a NUL; the length it has. Finished models only.
ORR_API uint32_t orr_devs_component(const orr_devs *model, orr_devs_part part);
ORR_API size_t   orr_devs_name(const orr_devs *model, uint32_t component, char *text, size_t size);
// A port of an atomic component or, with ORR_DEVS_OUTSIDE, of the whole model; NULL if there is none.
ORR_API const orr_devs_port *orr_devs_get_port(const orr_devs *model, uint32_t component, int is_input,
                                               uint32_t port);
// Where messages from an output of a component, or with ORR_DEVS_OUTSIDE from an input of the whole model,
// arrive: the i-th input, counted from 0, or an output of the whole model if *to is ORR_DEVS_OUTSIDE. 0
// behind the last. Couplings that are switched off count, too.
ORR_API int orr_devs_get_target(const orr_devs *model, uint32_t component, uint32_t port, uint32_t i,
                                uint32_t *to, uint32_t *to_port);

// ---- Runs

typedef enum orr_devs_kind {
    ORR_DEVS_INTERNAL, ORR_DEVS_EXTERNAL, ORR_DEVS_CONFLUENT,    // transitions
    ORR_DEVS_SENT,                                               // a message, as it is sent
    ORR_DEVS_SWITCHED, ORR_DEVS_COUPLING_SWITCHED                // structure, at the end of a bag
} orr_devs_kind;

// One thing that happened, in order: of each bag the messages, then the transitions of those that were due,
// then those of the others, each in the order of names, then what was switched.
typedef struct orr_devs_trace {
    double        t;
    uint64_t      bag;          // of this instant, from 0
    orr_devs_kind kind;
    uint32_t      component;    // whose transition, or the sender
    double        elapsed;      // transitions: since the last one
    double        due;          // transitions: when the next internal one is now due
    uint32_t      n;            // transitions: messages in the bag; switched: orr_devs_presence, or is_on
    uint32_t      port;         // a message: output port; a coupling: its number
    const void   *value;        // a message: its bytes
} orr_devs_trace;

typedef struct orr_devs_options {
    double   t_start;
    uint64_t seed;              // of all random streams
    uint64_t run;               // replication: other random numbers with the same seed
    uint64_t max_bags;          // at one instant; more are taken for an endless chain. 0: a million
    size_t   max_memory;        // bytes of all queues together. 0: 2^30
    int      has_counts;        // keep counts of each component, for orr_devs_run_counts
    void   (*trace)(void *context, const orr_devs_trace *what);    // NULL: none
    void    *trace_context;
    // what arrives at the outputs of the whole model, once for each bag; `port` is an output of the model.
    // NULL: ignored
    void   (*output)(void *context, double t, const orr_devs_event *bag, size_t n);
    void    *output_context;
    // parameters of this run instead of those given with each component: asked just before its `init`, during
    // which they must stay. NULL: those
    const void *(*params)(void *context, uint32_t component);
    void    *params_context;
    const volatile int *cancel; // looked at before every bag: not 0 ends orr_devs_run_advance. NULL: none
} orr_devs_options;
ORR_API orr_devs_options orr_devs_options_default(void);

// A run standing at t_start, all components begun; NULL, with the reason in `diag`, if that fails. Model
// and diag must outlive it. Free with orr_devs_run_destroy.
ORR_API orr_devs_run *orr_devs_run_create(const orr_devs *model, const orr_devs_options *options,
                                          orr_diag *diag);
ORR_API void          orr_devs_run_destroy(orr_devs_run *run);    // NULL is allowed

// All that happens up to and at `t`; then t is the present. After a failure the run stays readable, and
// stands.
ORR_API orr_status orr_devs_run_advance(orr_devs_run *run, double t);
// One bag, at the next time anything happens, if that is not after t_limit. *done: there was one.
ORR_API orr_status orr_devs_run_step(orr_devs_run *run, double t_limit, int *done);

// Have a message arrive at an input of the whole model at time t, not before now; of several at one time
// the first sent is the first in the bag. The value is copied. 0 if there is no such port or t is in the
// past.
ORR_API int orr_devs_run_send(orr_devs_run *run, double t, uint32_t port, const void *value);

ORR_API double      orr_devs_run_time(const orr_devs_run *run);
ORR_API double      orr_devs_run_next(const orr_devs_run *run);    // when something happens; INFINITY: never
ORR_API const void *orr_devs_run_state(const orr_devs_run *run, uint32_t component);
ORR_API double      orr_devs_run_due(const orr_devs_run *run, uint32_t component);    // INFINITY: not

// What a component did since the beginning or the last reset; with has_counts only, else zeros.
typedef struct orr_devs_counts {
    uint64_t n_internal, n_external;    // transitions; a confluent one counts as one of each
    uint64_t n_confluent;
    uint64_t n_sent, n_received;        // messages
} orr_devs_counts;
ORR_API orr_devs_counts orr_devs_run_counts(const orr_devs_run *run, uint32_t component);
ORR_API void            orr_devs_run_reset_counts(orr_devs_run *run);    // the warm-up is over

// A run's changing part as bytes, aligned to 8: size, copy out, copy in. What was saved may be loaded into
// any run of the same model; it then goes on as the other one did, to the last bit. Equal runs give equal
// bytes. The size is 0 if a component cannot be saved. Loading gives 0 and leaves the run as it was if the
// bytes are not of such a run; if a component with a `load` of its own refused, the run has failed.
ORR_API size_t orr_devs_run_size(const orr_devs_run *run);
ORR_API void   orr_devs_run_save(const orr_devs_run *run, void *bytes);
ORR_API int    orr_devs_run_load(orr_devs_run *run, const void *bytes, size_t n);

typedef struct orr_devs_facts {
    uint32_t n_components;      // atomics
    uint64_t n_couplings;       // from an output of an atomic to an input of another, after flattening
    uint64_t n_instants, n_bags;
    uint64_t n_internal;        // transitions; a confluent one counts as one of each
    uint64_t n_external;
    uint64_t n_confluent;
    uint64_t n_messages;        // sent
    uint64_t n_received;        // arrived: one sent to three counts three times
    size_t   model_bytes;       // memory of the model, and of the run without the states
    size_t   run_bytes;
    size_t   state_bytes;       // states of all components
} orr_devs_facts;
ORR_API orr_devs_facts orr_devs_run_facts(const orr_devs_run *run);

#ifdef __cplusplus
}
#endif
