// src/machine/behave.c: what a machine does: the simulation algorithm, and what an observation tells of
// its state.
#include "machine/machine.h"
#include "num/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t orr_machine_branches(const orr_machine *machine, uint32_t state, uint32_t input)
{
    const Machine *m = machine->machine;
    const size_t cell = machine_cell(m, state, input);
    return m->next[cell] != MACHINE_NONE ? 1 : m->branch_first[cell + 1] - m->branch_first[cell];
}

uint32_t orr_machine_next(const orr_machine *machine, uint32_t state, uint32_t input, uint32_t k,
                          double *probability)
{
    const Machine *m = machine->machine;
    const size_t cell = machine_cell(m, state, input);
    const bool certain = m->next[cell] != MACHINE_NONE;
    if (probability) *probability = certain ? 1 : m->branch_probability[m->branch_first[cell] + k];
    return certain ? m->next[cell] : m->branch_next[m->branch_first[cell] + k];
}

uint32_t orr_machine_output(const orr_machine *machine, uint32_t state, uint32_t input)
{
    return machine_output(machine->machine, state, input);
}

size_t orr_machine_n_outputs(const orr_machine *machine, size_t n_inputs)
{
    return machine->machine->kind == MACHINE_MOORE ? n_inputs + 1 : n_inputs;
}

// ---- Walking

static uint32_t draw_branch(const Machine *m, size_t cell, double u)
{
    uint32_t b = m->branch_first[cell];
    const uint32_t last = m->branch_first[cell + 1] - 1;
    for (; b < last && u >= m->branch_probability[b]; b++) u -= m->branch_probability[b];
    return m->branch_next[b];
}

static uint32_t walk_by_chance(const Machine *m, orr_walk *walk, const uint32_t *inputs, size_t n,
                               uint32_t *states, uint32_t *outputs)
{
    RandomStream stream = random_stream(walk->seed, 0, m->name);
    uint32_t s = walk->state;
    for (size_t i = 0; i < n; i++) {
        const size_t cell = machine_cell(m, s, inputs[i]);
        if (states) states[i] = s;
        if (outputs) outputs[i] = machine_output(m, s, inputs[i]);
        stream.n_draws = walk->step + i;    // a step has its number, whether others were drawn or not
        s = m->next[cell] != MACHINE_NONE ? m->next[cell] : draw_branch(m, cell, random_unit(&stream));
    }
    return s;
}

// A step waits for the load of the one before, and where rows begin is on that way too: a shift is sooner
// there than a product. Outputs are not on the way and cost little.
#define WALK(at, keep)                                                                                       \
    for (size_t i = 0; i < n; i++) {                                                                         \
        const size_t cell = (at) + inputs[i];                                                                \
        (void)cell;                                                                                          \
        keep;                                                                                                \
        s = next[cell];                                                                                      \
    }

static uint32_t walk_certain(const Machine *m, uint32_t s, const uint32_t *inputs, size_t n, uint32_t *states,
                             uint32_t *outputs)
{
    const uint32_t *next = m->next, *out = m->out;
    const size_t k = m->n_inputs;
    const bool is_power = (k & (k - 1)) == 0;
    const int shift = __builtin_ctzll(k);
    if (!states && !outputs) {
        if (is_power) WALK((size_t)s << shift, (void)0)
        else WALK(s * k, (void)0)
    } else if (!states && m->kind == MACHINE_MOORE) {
        if (is_power) WALK((size_t)s << shift, outputs[i] = out[s])
        else WALK(s * k, outputs[i] = out[s])
    } else if (!states) {
        if (is_power) WALK((size_t)s << shift, outputs[i] = out[cell])
        else WALK(s * k, outputs[i] = out[cell])
    } else {
        WALK(s * k, states[i] = s)
        for (size_t i = 0; outputs && i < n; i++)
            outputs[i] = out[m->kind == MACHINE_MOORE ? states[i] : states[i] * k + inputs[i]];
    }
    return s;
}
#undef WALK

void orr_machine_advance(const orr_machine *machine, orr_walk *walk, const uint32_t *inputs, size_t n,
                         uint32_t *states, uint32_t *outputs)
{
    const Machine *m = machine->machine;
    walk->state = m->branch_first ? walk_by_chance(m, walk, inputs, n, states, outputs)
                                  : walk_certain(m, walk->state, inputs, n, states, outputs);
    walk->step += n;
}

// ---- What an observation tells
//
// Backwards: was[s] at step i is how likely outputs i … are from s. Forwards: is[s] is how likely the
// machine is there after what was seen so far. Both are scaled at each step, so that long observations do
// not vanish.

static bool shows(const Machine *m, uint32_t state, size_t i, const uint32_t *inputs, const uint32_t *outputs,
                  size_t n_outputs, size_t n_inputs)
{
    if (i >= n_outputs || outputs[i] == MACHINE_NONE) return true;
    if (m->kind == MACHINE_MEALY && i >= n_inputs) return true;
    return machine_output(m, state, m->kind == MACHINE_MEALY ? inputs[i] : 0) == outputs[i];
}

static double weigh(const Machine *m, size_t cell, const double *values)
{
    if (m->next[cell] != MACHINE_NONE) return values[m->next[cell]];
    double sum = 0;
    for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
        sum += m->branch_probability[b] * values[m->branch_next[b]];
    return sum;
}

static void scale(double *values, uint32_t n, bool to_sum)
{
    double total = 0;
    for (uint32_t s = 0; s < n; s++) total = to_sum ? total + values[s] : fmax(total, values[s]);
    for (uint32_t s = 0; total > 0 && s < n; s++) values[s] /= total;
}

static void look_back(const Machine *m, const uint32_t *inputs, size_t n, const uint32_t *outputs,
                      size_t n_outputs, double *was, double *work)
{
    for (uint32_t s = 0; s < m->n_states; s++) was[s] = shows(m, s, n, inputs, outputs, n_outputs, n);
    for (size_t i = n; i-- > 0;) {
        memcpy(work, was, m->n_states * sizeof *work);
        for (uint32_t s = 0; s < m->n_states; s++)
            was[s] = shows(m, s, i, inputs, outputs, n_outputs, n)
                         ? weigh(m, machine_cell(m, s, inputs[i]), work)
                         : 0;
        scale(was, m->n_states, false);
    }
}

static void look_forward(const Machine *m, const uint32_t *inputs, size_t n, const uint32_t *outputs,
                         size_t n_outputs, double *is, double *work)
{
    for (uint32_t s = 0; s < m->n_states; s++) is[s] = shows(m, s, 0, inputs, outputs, n_outputs, n);
    scale(is, m->n_states, true);
    for (size_t i = 0; i < n; i++) {
        memset(work, 0, m->n_states * sizeof *work);
        for (uint32_t s = 0; s < m->n_states; s++) {
            const size_t cell = machine_cell(m, s, inputs[i]);
            if (is[s] == 0) continue;
            if (m->next[cell] != MACHINE_NONE) work[m->next[cell]] += is[s];
            else
                for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
                    work[m->branch_next[b]] += m->branch_probability[b] * is[s];
        }
        for (uint32_t s = 0; s < m->n_states; s++)
            is[s] = shows(m, s, i + 1, inputs, outputs, n_outputs, n) ? work[s] : 0;
        scale(is, m->n_states, true);
    }
}

orr_prediction orr_machine_predict(const orr_machine *machine, const uint32_t *inputs, size_t n_inputs,
                                   const uint32_t *outputs, size_t n_outputs)
{
    const Machine *m = machine->machine;
    double *memory = calloc(3 * (size_t)m->n_states, sizeof *memory);
    if (!memory) arena_no_memory(3 * m->n_states * sizeof *memory);
    double *was = memory, *is = memory + m->n_states, *work = is + m->n_states;
    look_back(m, inputs, n_inputs, outputs, n_outputs, was, work);
    look_forward(m, inputs, n_inputs, outputs, n_outputs, is, work);
    orr_prediction p = { .was = was, .is = is, .memory = memory };
    for (uint32_t s = 0; s < m->n_states; s++) {
        p.n_were += was[s] > 0;
        p.n_are += is[s] > 0;
    }
    return p;
}

void orr_prediction_free(orr_prediction *prediction)
{
    free(prediction->memory);
    *prediction = (orr_prediction){ 0 };
}
