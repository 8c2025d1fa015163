// src/net/net.h: the discrete-event side of a model: who sends messages to whom, as the kernel takes it.
//
// All equations and events of the models are one island, which the kernel does not see: it is what is
// outside. What bodies send enters the kernel by an input of the whole model, and what arrives for the models
// leaves it by an output. Event ports of models are points that messages pass through; all of them are ports
// of one component without behaviour, and the kernel leads each message straight to where it ends.
//
//     body ─send→ input of the kernel ─→ event port ─arrow→ event port ─→ output of the kernel ─→ `on` bodies
//
// Islands are components too, which the stage above brings along as guests: the event ports of their stubs
// are ports of the component itself, and signals have inputs and outputs of the kernel of their own.
#pragma once
#include "atomic/atomic.h"
#include "devs/devs.h"
#include "flat/flat.h"

// Atomic components of one kind, declared together.
typedef struct NetPart {
    const FlatPart   *flat;        // borrowed
    const AtomicKind *kind;        // borrowed
    orr_devs_part     part;        // of the kernel, the first
    uint32_t          component;   // its number there
    size_t            first_variable;    // what the first component shows; then the others, one by one
} NetPart;

// A component made elsewhere.
typedef struct NetGuest {
    const char       *name;        // full path
    const orr_atomic *type;        // borrowed
    orr_devs_part     part;        // set by net_finish, as its number in the kernel
    uint32_t          component;
} NetGuest;

typedef struct NetGuestPort {    // an event port of the flat model that is one of a guest
    uint32_t port;                 // in Flat.ports
    uint32_t guest, slot;          // slot: its inputs are counted first, then its outputs
} NetGuestPort;

// A coupling beside the arrows of messages.
typedef struct NetLine {
    uint32_t from, from_slot;      // guest and slot; NET_OUTSIDE: which of NetGuests.inputs
    uint32_t to, to_slot;          // NET_OUTSIDE: which of NetGuests.outputs
} NetLine;
#define NET_OUTSIDE UINT32_MAX

typedef struct NetGuests {
    NetGuest      *items;          // [n]
    uint32_t       n;
    NetGuestPort  *ports;          // [n_ports]
    uint32_t       n_ports;
    NetLine       *lines;          // [n_lines]
    uint32_t       n_lines;
    orr_devs_port *inputs, *outputs;    // [n_inputs], [n_outputs] of the kernel, behind those of messages
    uint32_t       n_inputs, n_outputs;
    uint32_t      *by_component;   // [n] set by net_finish
} NetGuests;

typedef struct Network {
    const Flat    *flat;         // borrowed
    orr_devs      *devs;         // owned; NULL until finished
    NetPart       *parts;        // [flat->parts.n]
    uint32_t      *by_component; // [flat->parts.n] parts in the order of their components
    size_t         n_variables;  // that components show
    TextMap        part_names;   // full path without indices → part
    size_t        *node;         // [flat->ports.n + 1] number of the first port of each entry
    uint32_t      *input;        // [flat->ports.n] input of the kernel by which bodies send; FLAT_NONE: none
    uint32_t      *entry;        // [flat->ports.n] of event inputs of the model itself: the kernel's
    uint32_t      *arrives;      // [n_outputs] the port whose messages leave the kernel by this output
    bool          *is_outlet;    // [flat->ports.n] an event output of the model itself: it leaves that, too
    orr_devs_port *inputs, *outputs;    // [n_inputs], [n_outputs] of the kernel
    orr_devs_port *points;       // [flat->ports.n] all event ports
    uint32_t       n_inputs, n_outputs;
    uint32_t      *first_on;     // [flat->ports.n + 1] where in `on` the events of a port begin
    uint32_t      *on;           // events that a message triggers, by priority, then in the order of the text
    orr_devs_coupling *switched; // [flat->switches.n] of those that are couplings
    NetGuests      guests;
    uint32_t      *guest_port;   // [flat->ports.n] 1 + which of guests.ports; 0: of no guest
    uint32_t       first_guest_input, first_guest_output;    // of the kernel
    bool           reaches;      // some message or signal can arrive for the models
    bool           is_component; // the model is one: whether its event inputs are coupled is seen around it
} Network;

// NULL after errors were reported. All but the kernel's model is in the arena. is_component: as in Network.
Network *net_build(const Flat *flat, const AtomicSet *atomics, bool is_component, Arena *arena,
                   orr_diag *diag);
// Once the atomics are built. Guests are copied but for what they point to; NULL: none. False: reported.
bool     net_finish(Network *network, const NetGuests *guests, Arena *arena, orr_diag *diag);
void     net_destroy(Network *network);    // NULL is allowed
// What components show, numbered from 0: by its name, n_variables if there is none; and the other way round.
size_t   net_find(const Network *network, const char *name);
const NetPart *net_variable(const Network *network, size_t variable, uint32_t *member,
                            const AtomicReadable **what);
// Which part a component of the kernel belongs to, and which guest it is; FLAT_NONE: it is none.
const NetPart *net_part_of(const Network *network, uint32_t component);
uint32_t net_guest_of(const Network *network, uint32_t component);
// The full name of a port; of those that stand for several that of one component.
const char *net_port_name(const Network *network, uint32_t port, uint32_t member, Arena *arena);

// ---- Whose messages pass a port (net/tap.c)

typedef struct NetSpot {
    uint32_t port, member;       // in Flat.ports; of those that stand for several: which
} NetSpot;

typedef struct NetSource {
    uint32_t component, port;    // as the kernel tells what is sent; ORR_DEVS_OUTSIDE: bodies
    uint64_t ways;               // arrows can lead a message there on several
} NetSource;
typedef VEC(NetSource) NetSources;

// Event ports of models and atomics by their full names; elements of large arrays are found in it, too.
void     net_ports_by_name(const Network *network, TextMap *map, Arena *arena);
bool net_find_port(const Network *network, const TextMap *map, const char *name, NetSpot *spot, Arena *arena);
// False if that changes during a run, because arrows or components are switched.
bool     net_sources(const Network *network, NetSpot spot, NetSources *sources, Arena *arena);
// The element of an array that "[2,3]" selects; false if there is none.
bool     net_read_indices(const FlatPart *part, Text indices, uint32_t *member);

void     net_print(const Network *network, FILE *out);
