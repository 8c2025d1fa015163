// src/exp/pieces.h: the polynomials of quantised states, as they begin, to sinks.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct Pieces {
    const orr_model *model;    // borrowed
    const orr_sink *sinks;     // [n_sinks] borrowed
    size_t n_sinks;
    bool *is_wanted;    // [n_states]
    // those that began at t: only the last of a state counts
    double t;
    double (*latest)[4];    // [n_states]
    bool *has_latest;       // [n_states]
    uint32_t *states;       // [n_latest]
    uint32_t n_latest;
    bool failed;     // a sink wants no more
    bool goes_on;    // what holds now was told by an earlier run, but for `latest`
} Pieces;

// From now on, of the states among `columns` or, if there is none, of all; what holds now first. False, with
// a message, if the solver has none. The memory is the run's.
bool pieces_begin(Pieces *pieces, orr_run *run, const orr_sink *sinks, size_t n_sinks, const size_t *columns,
                  size_t n_columns);
// Those of the present instant that have not been told, when a run is saved or goes on.
void pieces_pass(Pieces *pieces, RunSaved *saved);
bool pieces_end(Pieces *pieces);    // the last ones; false if a sink failed
