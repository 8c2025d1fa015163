// src/exp/ensemble.h: an ensemble under way, shared by its parts.
//
//     ensemble.c   what to do, threads, members to the sink in their order
//     batch.c      members side by side in lanes, by one thread: as long as nothing happens but steps
//     seats.c      the same with events: each lane has a run, which handles them
#pragma once
#include "code/code.h"
#include "orrery/ensemble.h"
#include "run/run.h"
#include <stdatomic.h>

// Where the value of one of `names` goes.
typedef struct EnsembleName {
    uint32_t param;    // place among the parameters, or FLAT_NONE
    uint32_t state;    // number of the state whose initial value it is, or FLAT_NONE
} EnsembleName;

typedef struct Ensemble {
    const orr_model      *model;
    const orr_experiment *experiment;     // without expectations; rows as below
    const orr_ensemble_options *options;
    Arena        arena;
    // what is recorded: learnt from the first member
    size_t       n_columns, n_rows;
    size_t      *columns;                 // [n_columns] variables
    double      *times;                   // [n_rows]
    // lanes
    bool         has_lanes;
    CodeLanes    lanes;
    CodeLanesKind kind;
    size_t       batch;                   // members that a thread takes at once
    EnsembleName *names;                  // [n_names]
    long        *grid;                    // [n_rows] steps from the start to each row
    double       step;
    atomic_size_t n_in_lanes, n_left;     // members that stayed in their lane, and that had to leave it
} Ensemble;

// What came of a member, in memory of the batch.
typedef struct MemberResult {
    orr_status status;
    char      *failure;                   // heap, or NULL
    double     t;
    size_t     n_rows;
    double    *times, *rows;              // heap; grown as needed
    size_t     capacity;                  // rows
    orr_distribution *distributions;      // [n_distributions] heap
    size_t     n_distributions;
    double    *observed;                  // [n_observations of the experiment] heap, or NULL
    size_t     n_violations;
    char      *violation;                 // the first, heap, or NULL
    bool       is_recalled;               // kept by an earlier call, not computed by this one
} MemberResult;

// The run whose luck a member has.
static inline uint64_t ensemble_number(const Ensemble *e, size_t index)
{
    return e->experiment->run.number + (e->options->common ? 0 : index);
}

// ---- ensemble.c
// What the run of a member is created with; its settings are the caller's to free.
orr_run_options member_options(const Ensemble *e, size_t index, orr_setting **settings);
void member_alone(const Ensemble *e, size_t index, MemberResult *result);    // by its own run
// Which claims did not hold in a run that has told `diag`.
void member_note_violations(MemberResult *result, size_t n, const orr_diag *diag);

// ---- batch.c
typedef struct Batch Batch;    // the memory of one thread
// NULL if none can be: then every member goes alone, and tells why.
Batch *batch_create(const Ensemble *e, Arena *arena, orr_diag *diag);
void   batch_destroy(Batch *batch);
// The members from `first` on, at most e->batch; those that must leave their lane are computed alone.
void   batch_run(Batch *batch, Ensemble *e, size_t first, size_t n, MemberResult *results);
