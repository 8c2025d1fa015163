// src/machine/policy.h: what the ways to compute policies share.
#pragma once
#include "machine/ask.h"

// A machine with a cost for each state and input, to be minimised.
typedef struct Control {
    const Machine      *m;
    const double       *output_cost;    // [n_outputs]
    const double       *input_cost;     // [n_inputs] or NULL
    double              scale;          // size of the costs, never 0: tolerances are parts of it
    const volatile int *cancel;
    // results
    double             *value;          // [n_states]
    uint32_t           *input;          // [n_states]
    double             *bias;           // [n_states] average cost: what is paid more than the average, on the
                                        // way
} Control;

typedef enum ControlEnd { CONTROL_DONE, CONTROL_UNSETTLED, CONTROL_CANCELLED } ControlEnd;

static inline double control_cost(const Control *c, uint32_t state, uint32_t input)
{
    return c->output_cost[machine_output(c->m, state, input)] + (c->input_cost ? c->input_cost[input] : 0);
}

// The mean of v[] over the states that a cell leads to.
static inline double control_mean(const Control *c, size_t cell, const double *v)
{
    const Machine *m = c->m;
    if (m->next[cell] != MACHINE_NONE) return v[m->next[cell]];
    double sum = 0;
    for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
        sum += m->branch_probability[b] * v[m->branch_next[b]];
    return sum;
}

static inline bool control_is_cancelled(const Control *c) { return cancel_is_set(c->cancel); }

// howard.c: deterministic machines. The discount is 1 for the average.
void control_howard(Control *c, double discount);
// discount.c
ControlEnd control_discounted(Control *c, double discount);
// average.c
ControlEnd control_average(Control *c);
