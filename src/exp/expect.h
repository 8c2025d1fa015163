// src/exp/expect.h: what an experiment expects, met in the order of time.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"
#include <math.h>

typedef struct Expectations {
    const orr_model      *model;         // borrowed
    const orr_experiment *experiment;    // borrowed
    orr_verdict *verdicts;               // [n_expects] in the order written; the outcome's in the end
    size_t      *order;                  // [n_expects] by time; those for the end last
    size_t      *variables;              // [n_expects]
    size_t       next;                   // place in `order`
} Expectations;

// Find the variables. False after messages.
bool expect_prepare(Expectations *x, const orr_model *model, const orr_experiment *e, Arena *arena,
                    orr_diag *diag);

// When the next one is to be met; INFINITY: at the end, or there is none.
static inline double expect_next(const Expectations *x)
{
    if (x->next == x->experiment->n_expects) return INFINITY;
    const double at = x->experiment->expects[x->order[x->next]].at;
    return isnan(at) ? INFINITY : at;
}

void expect_meet(Expectations *x, orr_run *run);                     // the next one, now
void expect_meet_rest(Expectations *x, orr_run *run, double t_end);  // the run has ended at t_end
// Results have their value when the terminal region has run for the last time.
void expect_meet_results(Expectations *x, orr_run *run);
void expect_meet_observed(Expectations *x, const double *observed);  // by the observations of the run
// Report what did not come out as expected; how many that are.
size_t expect_judge(const Expectations *x, double t_end, orr_diag *diag);
