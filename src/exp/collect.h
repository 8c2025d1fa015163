// src/exp/collect.h: statistics that an experiment asks for, collected while a run goes on.
//
// Tallies and levels are kept by their components, and only copied at the end. Whatever else a component
// shows is looked at behind each of its transitions, and weighted by the time for which it holds. Variables
// of equations are looked at in the rows: each value counts for the time to which its row is the nearest, so
// that the mean is that of straight lines between the rows.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct Collect Collect;

// All statistics that an experiment asks for: those it names, with the usual percentiles where it names none,
// then those of which it draws a histogram.
orr_statistic *collect_asked(const orr_experiment *experiment, size_t *n, Arena *arena);

// Is one of them of a variable of equations, which is looked at in rows?
bool collect_asks_for_rows(const orr_model *model, const orr_experiment *experiment);

// NULL if there are none. False after messages. The memory is the arena's.
bool collect_open(Collect **collect, const orr_model *model, const orr_experiment *experiment, Arena *arena,
                  orr_diag *diag);
bool collect_looks(const Collect *collect);       // it must be told of transitions; NULL: no
bool collect_needs_rows(const Collect *collect);  // … and of rows
void collect_begin(Collect *collect, orr_run *run);    // the run stands at its start. NULL is allowed, here
                                                       // and below
void collect_take(Collect *collect, const orr_run *run, const orr_devs_trace *what);
void collect_row(Collect *collect, orr_run *run);    // the run stands at a row
// What has been seen so far, when a run is saved or goes on behind collect_begin. Of other statistics:
// nothing is changed.
void collect_pass(Collect *collect, RunSaved *saved);
// What was seen until now: *n of them, on the heap.
orr_distribution *collect_end(Collect *collect, const orr_run *run, size_t *n);
