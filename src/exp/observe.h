// src/exp/observe.h: what an experiment measures of a run, from the pieces of its curves.
//
// No row is needed and no step is changed: an extremum, a crossing or an integral is that of the polynomials
// by which the solver knows the solution, and as exact as these.
#pragma once
#include "base/vec.h"
#include "num/piece.h"
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct ObservedPiece {
    double t, c[PIECE_TERMS];
} ObservedPiece;

// One observation under way.
typedef struct Observed {
    size_t curve;              // of the observer; (size_t)-1: the end alone is observed
    double t;                  // up to here it has been measured
    double sum, rest;          // integral so far, and what rounding has lost of it
    double duration;           // how long
    double best;               // extremum, or the value at an instant; NaN: none yet
    double first;              // when the relation became true; NaN: never
    size_t n_changes;          // how often it did, after the beginning
    bool   was_true, is_begun, was_always, was_ever;
    VEC(ObservedPiece) kept;   // of quantiles
    VEC(double) ends;
} Observed;

typedef struct ObservedCurve {
    size_t        variable;
    ObservedPiece piece;       // that goes on
    bool          has_piece;
} ObservedCurve;

// Data that the run is compared with.
typedef struct ObservedData {
    const orr_data *data;
    size_t  curve, next;       // points before `next` lie behind
    double *found;             // [data->n] NaN: the run was not there
} ObservedData;

typedef struct Observer {
    const orr_model       *model;         // borrowed
    const orr_measurement *observations;  // [n] borrowed
    size_t                 n;
    double                 from, until;
    Observed              *items;         // [n]
    ObservedCurve         *curves;        // [n_curves] each variable once
    size_t                 n_curves;
    Arena                 *arena;
    double                *values;        // [n] in the end, heap: the outcome's
    ObservedData          *data;          // [n_data]
    size_t                 n_data;
} Observer;

// Find the variables. False after messages.
bool observe_prepare(Observer *o, const orr_model *model, const orr_experiment *e, Arena *arena,
                     orr_diag *diag);
// A run begins (again).
void observe_begin(Observer *o);
// From t on, a curve is this polynomial.
void observe_piece(Observer *o, size_t curve, double t, const double c[PIECE_TERMS]);
// The run has ended at t_end: o->values are there. run NULL: it failed, and there are none.
void observe_end(Observer *o, orr_run *run, double t_end);
