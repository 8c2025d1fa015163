// src/machine/average.c: average costs of stochastic machines, whatever their structure.
//
// In the long run a machine stays in an end component: a set of states with inputs that never leave it, in
// which one can get from everywhere to everywhere. The largest of these are found by removing, again and
// again, the inputs that can lead out of a strong component. Inside one, the least average is the same for
// all states, and relative value iteration finds it: after a sweep T over all inputs the average lies between
// min(Tv - v) and max(Tv - v) (Odoni 1969); taking half steps keeps periodic chains from swinging.
//
// Between components: a state's least average u is the least mean of u over the branches of an input, or, in
// a component, the component's own average if one stays. Values from above and from below approach it, until
// they meet. (The values in a component are equal, since one can get around in it before leaving.) Last, the
// bias h = least of c - u + mean h, over the inputs that keep u, makes the way to the place where one stays
// cheap.
#include "base/vec.h"
#include "machine/policy.h"
#include <math.h>

static const double SWEEPS_WORK = 2e10;    // cells looked at, in all sweeps of one kind
enum { SWEEPS_MIN = 1000 };

typedef struct Average {
    Control  *c;
    bool     *is_inside;          // [cells] the input keeps the state in its component
    uint32_t *component;          // [n_states] end component; NONE: in none
    uint32_t  n_components;
    uint32_t *members, *first;    // states by component; [n_components + 1]
    double   *average;            // [n_components]
    double   *stay_bias;          // [n_states] inside its component
    Arena    *work;
} Average;

// ---- End components

static bool stays(const Machine *m, size_t cell, const uint32_t *component, uint32_t here)
{
    if (m->next[cell] != MACHINE_NONE) return component[m->next[cell]] == here;
    for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
        if (component[m->branch_next[b]] != here) return false;
    return true;
}

static void find_end_components(Average *a)
{
    const Machine *m = a->c->m;
    const uint32_t n = m->n_states, k = m->n_inputs;
    a->is_inside = ARENA_ARRAY(a->work, bool, (size_t)n *k);
    a->component = ARENA_ARRAY(a->work, uint32_t, n);
    memset(a->is_inside, true, (size_t)n * k);
    for (bool changed = true; changed;) {
        changed = false;
        machine_components(m, a->is_inside, a->component);
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t i = 0; i < k; i++) {
                const size_t cell = machine_cell(m, s, i);
                if (!a->is_inside[cell] || stays(m, cell, a->component, a->component[s])) continue;
                a->is_inside[cell] = false;
                changed = true;
            }
    }
    // states that no input keeps inside are in none; number the others again
    uint32_t *number = ARENA_ARRAY(a->work, uint32_t, n);
    for (uint32_t s = 0; s < n; s++) number[s] = MACHINE_NONE;
    for (uint32_t s = 0; s < n; s++) {
        bool any = false;
        for (uint32_t i = 0; i < k; i++) any |= a->is_inside[machine_cell(m, s, i)];
        if (!any) a->component[s] = MACHINE_NONE;
        else if (number[a->component[s]] == MACHINE_NONE) number[a->component[s]] = a->n_components++;
    }
    a->first = ARENA_ARRAY(a->work, uint32_t, (size_t)a->n_components + 2);
    a->members = ARENA_ARRAY(a->work, uint32_t, n);
    for (uint32_t s = 0; s < n; s++) {
        if (a->component[s] == MACHINE_NONE) continue;
        a->component[s] = number[a->component[s]];
        a->first[a->component[s] + 2]++;
    }
    for (uint32_t e = 0; e < a->n_components; e++) a->first[e + 2] += a->first[e + 1];
    for (uint32_t s = 0; s < n; s++)
        if (a->component[s] != MACHINE_NONE) a->members[a->first[a->component[s] + 1]++] = s;
}

static long sweeps_allowed(double cells)
{
    return (long)fmax(SWEEPS_MIN, fmin(1e8, SWEEPS_WORK / fmax(cells, 1)));
}

// ---- Inside a component

static ControlEnd solve_component(Average *a, uint32_t e, double *into)
{
    Control *c = a->c;
    const Machine *m = c->m;
    const uint32_t *member = a->members + a->first[e], n = a->first[e + 1] - a->first[e];
    double *v = a->stay_bias;
    for (long sweep = sweeps_allowed((double)n * m->n_inputs); sweep > 0; sweep--) {
        double least = INFINITY, most = -INFINITY, size = c->scale;
        for (uint32_t x = 0; x < n; x++) {
            const uint32_t s = member[x];
            double best = INFINITY;
            for (uint32_t i = 0; i < m->n_inputs; i++) {
                const size_t cell = machine_cell(m, s, i);
                if (a->is_inside[cell]) best = fmin(best, control_cost(c, s, i) + control_mean(c, cell, v));
            }
            into[s] = best - v[s];
            least = fmin(least, into[s]);
            most = fmax(most, into[s]);
            size = fmax(size, fabs(v[s]));    // rounding grows with it
        }
        a->average[e] = (least + most) / 2;
        if (most - least <= 1e-12 * size) return CONTROL_DONE;
        const double middle = a->average[e];
        for (uint32_t x = 0; x < n; x++) v[member[x]] += (into[member[x]] - middle) / 2;
        if (control_is_cancelled(c)) return CONTROL_CANCELLED;
    }
    return CONTROL_UNSETTLED;
}

// ---- Between components

// One sweep of u = least over inputs of the mean of u; a component has one value: staying, or the best way
// out.
static double sweep_between(Average *a, double *u, double *of_component)
{
    Control *c = a->c;
    const Machine *m = c->m;
    double change = 0;
    memcpy(of_component, a->average, a->n_components * sizeof *of_component);
    for (uint32_t s = 0; s < m->n_states; s++) {
        double best = INFINITY;
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const size_t cell = machine_cell(m, s, i);
            if (!a->is_inside[cell]) best = fmin(best, control_mean(c, cell, u));
        }
        if (a->component[s] != MACHINE_NONE) {
            of_component[a->component[s]] = fmin(of_component[a->component[s]], best);
        } else {
            change = fmax(change, fabs(best - u[s]));
            u[s] = best;
        }
    }
    for (uint32_t x = 0; x < a->first[a->n_components]; x++) {
        const uint32_t s = a->members[x];
        change = fmax(change, fabs(of_component[a->component[s]] - u[s]));
        u[s] = of_component[a->component[s]];
    }
    return change;
}

static ControlEnd solve_between(Average *a)
{
    Control *c = a->c;
    const uint32_t n = c->m->n_states;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t e = 0; e < a->n_components; e++) {
        low = fmin(low, a->average[e]);
        high = fmax(high, a->average[e]);
    }
    double *below = ARENA_ARRAY(a->work, double, n),
           *of_component = ARENA_ARRAY(a->work, double, a->n_components);
    for (uint32_t s = 0; s < n; s++) {
        below[s] = low;
        c->value[s] = high;
    }
    for (long sweep = sweeps_allowed((double)n * c->m->n_inputs); sweep > 0; sweep--) {
        sweep_between(a, below, of_component);
        sweep_between(a, c->value, of_component);
        double gap = 0;
        for (uint32_t s = 0; s < n; s++) gap = fmax(gap, c->value[s] - below[s]);
        if (gap <= 1e-12 * c->scale) return CONTROL_DONE;
        if (control_is_cancelled(c)) return CONTROL_CANCELLED;
    }
    return CONTROL_UNSETTLED;
}

// ---- The way there

static ControlEnd solve_bias(Average *a)
{
    Control *c = a->c;
    const Machine *m = c->m;
    const double tolerance = 1e-10 * c->scale;
    for (uint32_t s = 0; s < m->n_states; s++) c->bias[s] = a->stay_bias[s];
    for (long sweep = sweeps_allowed((double)m->n_states * m->n_inputs); sweep > 0; sweep--) {
        double change = 0, size = c->scale;
        for (uint32_t s = 0; s < m->n_states; s++) {
            const uint32_t e = a->component[s];
            const bool may_stay = e != MACHINE_NONE && a->average[e] <= c->value[s] + tolerance;
            double best = INFINITY;
            for (uint32_t i = 0; i < m->n_inputs; i++) {
                const size_t cell = machine_cell(m, s, i);
                if (may_stay && !a->is_inside[cell]) continue;    // an equal average is worth no way
                if (control_mean(c, cell, c->value) > c->value[s] + tolerance) continue;
                const double h = control_cost(c, s, i) - c->value[s] + control_mean(c, cell, c->bias);
                if (h >= best - 1e-13 * c->scale) continue;
                best = h;
                c->input[s] = i;
            }
            if (may_stay) continue;    // its bias is known
            change = fmax(change, fabs(best - c->bias[s]));
            c->bias[s] = best;
            size = fmax(size, fabs(best));
        }
        if (change <= 1e-12 * size) return CONTROL_DONE;
        if (control_is_cancelled(c)) return CONTROL_CANCELLED;
    }
    return CONTROL_UNSETTLED;
}

ControlEnd control_average(Control *c)
{
    Arena work = { 0 };
    Average a = { .c = c, .work = &work };
    find_end_components(&a);
    a.average = ARENA_ARRAY(&work, double, a.n_components);
    a.stay_bias = ARENA_ARRAY(&work, double, c->m->n_states);
    double *into = ARENA_ARRAY(&work, double, c->m->n_states);
    ControlEnd end = CONTROL_DONE;
    for (uint32_t e = 0; end == CONTROL_DONE && e < a.n_components; e++) end = solve_component(&a, e, into);
    if (end == CONTROL_DONE) end = solve_between(&a);
    if (end == CONTROL_DONE) end = solve_bias(&a);
    arena_free(&work);
    return end;
}
