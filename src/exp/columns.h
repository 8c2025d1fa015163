// src/exp/columns.h: what an experiment records.
#pragma once
#include "base/diag.h"
#include "base/vec.h"
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct Columns {
    const orr_model      *model;         // borrowed, as the next three: filled in before columns_choose
    const orr_experiment *experiment;
    Arena                *arena;         // owns all below
    orr_diag             *diag;
    VEC(size_t)           variables;     // recorded, in this order
    bool                 *is_chosen;     // [n_variables of the model]
    bool                 *jumps;         // [variables.n] values that hold between events
    VEC(const char *)     names, units;  // of the variables; in a study of the number of the run, with a
                                         // frame of whether it holds
} Columns;

// By what the experiment says, or the outputs, the states, or all. False after messages.
bool columns_choose(Columns *c);

// Nothing has that name: say which is nearest, or what there is. False, always.
bool columns_report_unknown(const orr_model *model, const char *name, Place place, orr_diag *diag);
