// src/devs/devs.h: Parallel DEVS: a coupled model flattened to index lists, and a run of it.
//
//     build.c     components and couplings as they are added
//     flatten.c   the tree of components → components in the order of names, couplings from output to input
//     kernel.h    the kernel: what happens, over plain tables
//     run.c       creating, asking; what the kernel calls
//     saved.c     a run as bytes, and back
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
    uint32_t          ports;       // coupled: index in orr_devs.ports
    uint32_t          component;   // number of the first atomic one, in the order of names
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

#include "devs/kernel.h"

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
// Report who keeps whom going among the components in `watched`.
void   chain_report(orr_devs_run *run);

size_t pool_words(const orr_devs_run *run);                     // in use; 0: there are no queues
void   pool_load(orr_devs_run *run, const uint64_t *words, size_t n);
// What was loaded may be anything. Blocks of the pool that wait, and that of a queue, are inside it and
// belong to nobody else: taken[pool_words] is 1 where a word belongs to somebody. Nothing may be done with
// queues before.
bool   pool_has_waiting(const orr_devs_run *run, uint8_t *taken);
bool   pool_has_queue(const orr_devs_run *run, uint8_t *taken, const orr_devs_queue *queue, uint32_t size,
                      bool is_ranked);
