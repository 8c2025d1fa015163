// src/exp/data.h: measured data of an experiment: read, in units of the model, in order of time.
#pragma once
#include "base/diag.h"
#include "orrery/experiment.h"

// Fill in the points of all data of an experiment, in the arena. Rows without a number are left out; times
// may come in any order and several times. False after messages.
bool data_read(const orr_model *model, orr_experiment *e, Arena *arena, orr_diag *diag);
// Points, with bars where deviations are known, over the curves of what they measure; `condition`: of which
// settings, see orr_data.
void data_draw(const orr_experiment *e, size_t condition, const orr_plot *plot, const char *title, int colour,
               orr_figure *f);
