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
#include "orrery/atomic.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_devs orr_devs;    // a coupled model

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
    void *reserved[8];
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

// Structure, between bags: at once, see orr_devs_switch. 0 if there is no such part or coupling, or the run
// has failed.
ORR_API int orr_devs_run_switch(orr_devs_run *run, uint32_t part, orr_devs_presence presence);
ORR_API int orr_devs_run_switch_coupling(orr_devs_run *run, uint32_t coupling, int is_on);
ORR_API int orr_devs_run_is_on(const orr_devs_run *run, uint32_t component);

ORR_API double      orr_devs_run_time(const orr_devs_run *run);
ORR_API double      orr_devs_run_next(const orr_devs_run *run);    // when something happens; INFINITY: never
ORR_API const void *orr_devs_run_state(const orr_devs_run *run, uint32_t component);
// An element of a queue found in such a state.
ORR_API const void *orr_devs_run_queue_at(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t i);
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
    void *reserved[4];
} orr_devs_facts;
ORR_API orr_devs_facts orr_devs_run_facts(const orr_devs_run *run);

#ifdef __cplusplus
}
#endif
