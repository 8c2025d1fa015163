// src/machine/discount.c: discounted costs of stochastic machines by modified policy iteration (Puterman and
// Shin 1978).
//
// A sweep over all inputs improves the policy; then some sweeps with that policy alone bring the values
// nearer to its own. With T for the first kind of sweep, the least cost v* lies between v + min(Tv - v)/(1 -
// d) and v + max(Tv - v)/(1 - d) (MacQueen 1966), so the sweeps end when these meet.
#include "machine/policy.h"
#include <math.h>

enum { SWEEPS_MAX = 1000000, SWEEPS_OF_A_POLICY = 40 };

// value → T value, with the policy that achieves it; the least and the largest change.
static void improve(Control *c, double discount, double *into, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t s = 0; s < c->m->n_states; s++) {
        double best = INFINITY;
        for (uint32_t i = 0; i < c->m->n_inputs; i++) {
            const double v = control_cost(c, s, i) +
                             discount * control_mean(c, machine_cell(c->m, s, i), c->value);
            if (v >= best) continue;
            best = v;
            c->input[s] = i;
        }
        into[s] = best;
        *least = fmin(*least, best - c->value[s]);
        *most = fmax(*most, best - c->value[s]);
    }
}

ControlEnd control_discounted(Control *c, double discount)
{
    const uint32_t n = c->m->n_states;
    Arena work = { 0 };
    double *other = ARENA_ARRAY(&work, double, n);
    ControlEnd end = CONTROL_UNSETTLED;
    for (long sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double least, most, size = c->scale;
        improve(c, discount, other, &least, &most);
        memcpy(c->value, other, n * sizeof *other);
        for (uint32_t s = 0; s < n; s++) size = fmax(size, fabs(c->value[s]));
        if ((most - least) * discount / (1 - discount) <= 1e-12 * size) {
            for (uint32_t s = 0; s < n; s++) c->value[s] += discount / (1 - discount) * (least + most) / 2;
            end = CONTROL_DONE;
            break;
        }
        if (control_is_cancelled(c)) {
            end = CONTROL_CANCELLED;
            break;
        }
        // moving all by the middle of the bounds makes the rest of the way short
        for (uint32_t s = 0; s < n; s++) c->value[s] += discount / (1 - discount) * (least + most) / 2;
        for (int i = 0; i < SWEEPS_OF_A_POLICY; i++, sweep++)
            for (uint32_t s = 0; s < n; s++)    // in place: new values are used at once
                c->value[s] = control_cost(c, s, c->input[s]) +
                              discount * control_mean(c, machine_cell(c->m, s, c->input[s]), c->value);
    }
    arena_free(&work);
    return end;
}
