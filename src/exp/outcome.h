// src/exp/outcome.h: what is left of a run when it is gone.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"

void outcome_keep_facts(orr_outcome *outcome, const orr_run *run);      // whatever became of the run
void outcome_keep_results(orr_outcome *outcome, orr_run *run);          // of the terminal region
