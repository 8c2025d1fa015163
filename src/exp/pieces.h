// src/exp/pieces.h: what is recorded as polynomials, as they begin, to sinks.
//
// Solvers of quantised states have polynomials and hand them out. Of all others a step is taken apart: what
// they know between its ends is interpolated, as often as it takes until the polynomials are as exact as the
// solver. Nothing of this is done unless a sink takes pieces.
#pragma once
#include "exp/observe.h"
#include "orrery/experiment.h"
#include "run/run.h"

// Something that has pieces.
typedef struct PiecesOf {
    const char *name;
    uint32_t    state;           // UINT32_MAX: it is none
    size_t      variable;        // of the model, if it is no state
    size_t      curve;           // of the observer; (size_t)-1: none
    bool        is_recorded;     // the sinks get its pieces
    bool        has_latest;      // one began at the present time
    double      latest[ORR_PIECE_TERMS];
    double      held;            // the number with which the last piece goes on, if it is one; else NaN
} PiecesOf;

typedef struct Pieces {
    orr_run        *run;         // borrowed; NULL: nobody takes pieces
    const orr_sink *sinks;       // [n_sinks] borrowed
    size_t          n_sinks;
    Observer       *observer;    // borrowed; NULL: none
    PiecesOf       *items;       // [n]
    size_t          n, n_others;
    size_t         *others;      // [n_others] variables of those that are no states
    uint32_t       *item_of;     // [n_states] UINT32_MAX: none
    int             n_terms;     // of the polynomials
    double          least;       // what happens in less time than this may be joined
    double          t;           // of `latest`: only the last that begins there counts
    uint32_t       *began;       // [n_began] items that have one
    uint32_t        n_began;
    double          t_told;      // up to here steps have been told; NaN: a quantised state came last
    double         *there;       // [n] values there, if has_there: short steps have been made since
    bool            has_there;
    double         *x, *values;  // scratch of a step: [n_states], [(nodes and checks) · n]
    bool            failed;      // a sink wants no more
    bool            goes_on;     // what holds now was told by an earlier run, but for `latest`
} Pieces;

// Does a variable have pieces in this run? NULL, or why not.
const char *pieces_obstacle(orr_run *run, size_t variable);
// From now on, of `columns` to the sinks, and of what is observed; what holds now first. The memory is the
// run's. `sinks`, `n_sinks` and `observer` of *pieces are given.
void pieces_begin(Pieces *pieces, orr_run *run, const size_t *columns, size_t n_columns);
// Those of the present instant that have not been told, when a run is saved or goes on.
void pieces_pass(Pieces *pieces, RunSaved *saved);
bool pieces_end(Pieces *pieces);    // the last ones; false if a sink failed
