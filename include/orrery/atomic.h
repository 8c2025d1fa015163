// include/orrery/atomic.h: an atomic component of Parallel DEVS as a table of functions in C, and what these
// functions can call. How components are coupled and simulated: orrery/devs.h.
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

typedef struct orr_devs_run orr_devs_run;    // one simulation

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
    double        rest;         // what t lacks to the exact sum of the time advances that led to it
    double       *due_rest;     // with ORR_ATOMIC_ABSOLUTE: where the same of a due time may be put
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

    // For states with pointers. All NULL: the state is plain bytes, which come back from a checkpoint as they
    // stand in it, whoever wrote that; `destroy` alone: a run of it cannot be saved.
    // How many bytes all that changes takes; they are written if `bytes`, aligned to 8, is not NULL.
    size_t (*save)(const void *state, void *bytes, const orr_devs_call *call);
    // Become the one that was saved: the state is one that init has begun, its pointers are its own. 0: the
    // bytes are not of such a state.
    int    (*load)(void *state, const void *bytes, size_t n, const orr_devs_call *call);
    // Free what the state holds: once for every init, also if that failed.
    void   (*destroy)(void *state);
} orr_atomic;

enum { ORR_ATOMIC_ABSOLUTE = 1 };    // `advance` gives points in time: a due time that is kept stays exact

// ---- What the functions call

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

#ifdef __cplusplus
}
#endif
