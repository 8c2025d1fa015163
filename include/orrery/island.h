// include/orrery/island.h: equations as components of a discrete-event model.
//
// An island is a compiled model with a solver of its own and ports: an atomic of Parallel DEVS like any
// other.
//
//     orr_island_options options = orr_island_options_default();
//     const orr_island_input reads[] = { { .variable = "y" } };
//     const char *tells[] = { "x" };
//     options.run.solver = "euler";
//     options.run.step = 0.01;
//     options.inputs = reads;
//     options.n_inputs = 1;
//     options.outputs = tells;
//     options.n_outputs = 1;
//     orr_island *prey = orr_island_create(prey_model, &options, diag);
//     orr_devs_part part = orr_devs_add(devs, ORR_DEVS_ROOT, "prey", orr_island_type(prey), NULL);
//     orr_devs_couple(devs, part, "x", predators, "x");
//
// Between two messages an island is on its own: it is due only when it has something to say. What arrives
// during a step of a solver with steps of its own ends that step; what was read before does not change it.
//
// Ports. Every external variable and every output is a port of its name. Signals carry a value and, if it
// is known, its derivative by time: without one the variable is held, with one it moves on a straight line
// (models compiled for it, see orr_island_input). The port "perturb" takes orr_perturbation: states jump
// there, by themselves or as `reinit` wants it. A jump is then told to all who read this island, who begin
// anew at this instant and tell their readers, as <iP, Md>: the identifier of the perturbation and the
// islands it has passed through. An island passes it on if and only if Md brings identifiers that are new
// to it, so that cycles end.
#pragma once
#include "orrery/devs.h"
#include "orrery/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_island orr_island;

// ---- What travels

// A message of type ORR_SIGNAL, orr_signal_size bytes of it.
#define ORR_SIGNAL "signal"
typedef struct orr_signal {
    double   value;
    double   gradient;         // by time, if has_gradient
    uint32_t has_gradient;
    uint32_t reserved;         // 0
    uint64_t perturbation;     // 0: an update of something continuous. Else it jumped, and this is iP
    uint64_t passed[1];        // [as all islands need] Md: island i is bit i%64 of word i/64
} orr_signal;
ORR_API uint32_t orr_signal_size(uint32_t n_islands);    // bytes

// A message to the port "perturb".
#define ORR_PERTURBATION "perturbation"
typedef struct orr_perturbation {
    uint64_t variable;         // of the model (orr_model_find): by default a state
    double   value;            // by default what it becomes
} orr_perturbation;

// What a message says, in numbers: those of its type; of a signal its value, then its gradient (0 if it is
// not known) and, if it has jumped, how many islands that has passed; of a perturbation the value. How many
// there are; up to `size` of them are written. For people who look at a trace.
ORR_API size_t orr_message_numbers(const orr_devs_port *port, const void *message, double *numbers,
                                   size_t size);

// ---- One kind of island

// An external variable: an input of the model. It is held between messages; if the model was compiled with
// it as an orr_input of the source "host" without `next` and ORR_BETWEEN_LINEAR, it moves by the gradients
// that come.
typedef struct orr_island_input {
    const char *variable;
    bool        is_number;    // its messages are bare numbers (type "number", 8 bytes), each one a jump
} orr_island_input;

// What `reinit` is told.
typedef struct orr_reinit {
    double   t;
    bool     is_perturbation;    // else an external variable has jumped, and has its new value already
    size_t   variable;           // that was named, or that jumped
    double   value;
} orr_reinit;

typedef struct orr_island_options {
    // The solver and what belongs to it, settings, t_end; texts and arrays are copied. t_start and `exact`
    // have no meaning here.
    orr_run_options run;
    const orr_island_input *inputs;    // [n_inputs] external variables
    size_t   n_inputs;
    const char *const *outputs;        // [n_outputs] variables that are told
    size_t   n_outputs;
    // [n_messages] event inputs of the model. They are ports of their names and types, whose messages are
    // as many doubles as the type has numbers. `on` bodies run, and those who read the island hear at once.
    const char *const *messages;
    size_t   n_messages;
    // [n_sends] event outputs of the model: ports of their names and types, too. What events of the model
    // send leaves at that very instant; an island that has them makes its steps one by one.
    const char *const *sends;
    size_t   n_sends;
    // [n_perturbed] states that have a port of their own, of bare numbers: each perturbs the state, as a
    // message to "perturb" that names it.
    const char *const *perturbed;
    size_t   n_perturbed;
    // [n_params] settings with other values in each component: orr_devs_add is given so many doubles, NaN for
    // what is not set.
    const char *const *params;
    size_t   n_params;
    // 0: outputs are told at the end of every step; of quantised states those that were renewed.
    double   output_period;
    // Of fixed steps: a step ends where an external variable is updated, and the grid begins anew there.
    // Else the value is taken over at the next grid point. Steps that are not fixed always end there.
    bool     synchronise;
    bool     expect_gradients;     // a signal without a gradient is an error
    bool     tell_gradients;       // outputs have gradients; those of quantised states always do
    uint32_t number, n_islands;    // which of all islands this one is, from 0; n_islands 0: the only one
    // States were reset or what they depend on has jumped. NULL: the named state becomes the value. Change
    // states and inputs with orr_run_set; not 0 lets the run go on.
    int    (*reinit)(void *context, orr_run *run, const orr_reinit *what);
    void    *reinit_context;
    void *reserved[8];
} orr_island_options;
ORR_API orr_island_options orr_island_options_default(void);

// The type of a component. NULL, with the reasons in `diag`, if a variable does not suit. The model must
// outlive it, and it the models made of it. Any number of components and runs may share it. Free with
// orr_island_destroy.
ORR_API orr_island *orr_island_create(const orr_model *model, const orr_island_options *options,
                                      orr_diag *diag);
ORR_API void              orr_island_destroy(orr_island *island);    // NULL is allowed
ORR_API const orr_atomic *orr_island_type(const orr_island *island);

// ---- Components in a run

// The simulation inside a component, brought to the present; it is the component's: to be read only. NULL
// if it is not an island, or has not begun. If it cannot get there it stands at its last good time, and
// `run` has failed.
ORR_API orr_run *orr_island_run(orr_devs_run *run, uint32_t component);

#ifdef __cplusplus
}
#endif
