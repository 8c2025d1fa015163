// src/machine/howard.c: policies of deterministic machines by Howard's policy iteration (1960).
//
// A policy makes the machine a graph with one move out of each state: from everywhere one comes into a cycle.
// So a policy is evaluated exactly in one pass: the cycles first, then back along the moves. With a discount
// d a cycle of costs c₀…c_(L-1) is worth Σ dⁱcᵢ/(1 - d^L) at its first state, and v(s) = c + d v(next).
//
// For the average there are two numbers for each state: the mean cost of the cycle it comes to, and its bias,
// what is paid above that on the way: h(s) = c - mean + h(next). A policy is improved by moves to a better
// cycle; only if there is none, by moves with less bias. A cycle's bias is only determined up to a constant;
// the first state of a cycle keeps the bias it had before, without which equally good cycles could take turns
// for ever (Cochet-Terrasson, Cohen, Gaubert, Mc Gettrick, Quadrat 1998).
#include "machine/policy.h"
#include <math.h>

enum { ROUNDS_MAX = 100000 };    // never needed so far: a few dozen do

typedef struct Walk {
    Control  *c;
    double    discount;
    uint32_t *path;        // [n_states]
    uint32_t *mark;        // [n_states] 0: not met; walk number while on the path; NONE: evaluated
} Walk;

static uint32_t target(const Walk *w, uint32_t s)
{
    return w->c->m->next[machine_cell(w->c->m, s, w->c->input[s])];
}
static double cost(const Walk *w, uint32_t s) { return control_cost(w->c, s, w->c->input[s]); }

// The cycle path[from..n): its first state is its least, so that it stays the same from round to round.
static void evaluate_cycle(const Walk *w, uint32_t from, uint32_t n)
{
    Control *c = w->c;
    uint32_t root = w->path[from];
    for (uint32_t i = from; i < n; i++)
        if (w->path[i] < root) root = w->path[i];
    double sum = 0, factor = 1;
    uint32_t s = root;
    do {
        sum += factor * cost(w, s);
        factor *= w->discount;
        s = target(w, s);
    } while (s != root);
    if (w->discount < 1) c->value[root] = sum / (1 - factor);
    else c->value[root] = sum / (n - from);    // its bias stays
    w->mark[root] = MACHINE_NONE;
}

static void evaluate_state(const Walk *w, uint32_t s)
{
    Control *c = w->c;
    const uint32_t to = target(w, s);
    if (w->discount < 1) {
        c->value[s] = cost(w, s) + w->discount * c->value[to];
    } else {
        c->value[s] = c->value[to];
        c->bias[s] = cost(w, s) - c->value[to] + c->bias[to];
    }
    w->mark[s] = MACHINE_NONE;
}

static void evaluate(const Walk *w)
{
    const uint32_t n_states = w->c->m->n_states;
    memset(w->mark, 0, n_states * sizeof *w->mark);
    for (uint32_t start = 0; start < n_states; start++) {
        uint32_t n = 0, s = start;
        for (; w->mark[s] == 0; s = target(w, s)) {
            w->mark[s] = start + 1;
            w->path[n++] = s;
        }
        if (w->mark[s] != MACHINE_NONE) {    // back on this path: a new cycle
            uint32_t from = n - 1;
            while (w->path[from] != s) from--;
            evaluate_cycle(w, from, n);
            // the others of the cycle follow from its root, one after the other against the moves
            const uint32_t length = n - from;
            uint32_t root = from;
            while (w->mark[w->path[root]] != MACHINE_NONE) root++;
            for (uint32_t i = 1; i < length; i++)
                evaluate_state(w, w->path[from + (root - from + length - i) % length]);
            n = from;
        }
        while (n > 0) evaluate_state(w, w->path[--n]);
    }
}

// The best input of each state by what a number for each state says; true if a move was changed.
static bool improve_mean(const Walk *w, double tolerance)
{
    Control *c = w->c;
    bool changed = false;
    for (uint32_t s = 0; s < c->m->n_states; s++) {
        double best = c->value[s] - tolerance;
        for (uint32_t i = 0; i < c->m->n_inputs; i++) {
            const double mean = c->value[c->m->next[machine_cell(c->m, s, i)]];
            if (mean >= best) continue;
            best = mean;
            c->input[s] = i;
            changed = true;
        }
    }
    return changed;
}

static bool improve_rest(const Walk *w, double tolerance)
{
    Control *c = w->c;
    const bool averages = w->discount == 1;
    bool changed = false;
    for (uint32_t s = 0; s < c->m->n_states; s++) {
        double best = (averages ? c->bias[s] : c->value[s]) - tolerance;
        for (uint32_t i = 0; i < c->m->n_inputs; i++) {
            const uint32_t to = c->m->next[machine_cell(c->m, s, i)];
            if (averages && c->value[to] > c->value[s] + tolerance) continue;
            const double rest = control_cost(c, s, i) +
                                (averages ? c->bias[to] - c->value[s] : w->discount * c->value[to]);
            if (rest >= best) continue;
            best = rest;
            c->input[s] = i;
            changed = true;
        }
    }
    return changed;
}

void control_howard(Control *c, double discount)
{
    Arena work = { 0 };
    const uint32_t n = c->m->n_states;
    Walk w = { c, discount, ARENA_ARRAY(&work, uint32_t, n), ARENA_ARRAY(&work, uint32_t, n) };
    for (uint32_t s = 0; s < n; s++) {    // what is cheapest at once
        c->bias[s] = 0;
        for (uint32_t i = 1; i < c->m->n_inputs; i++)
            if (control_cost(c, s, i) < control_cost(c, s, c->input[s])) c->input[s] = i;
    }
    for (int round = 0; round < ROUNDS_MAX && !control_is_cancelled(c); round++) {
        evaluate(&w);
        double largest = c->scale;    // rounding grows with the numbers that are compared
        for (uint32_t s = 0; s < n; s++)
            largest = fmax(largest, fabs(discount < 1 ? c->value[s] : c->bias[s]));
        if (discount == 1 && improve_mean(&w, 1e-13 * c->scale)) continue;
        if (!improve_rest(&w, 1e-13 * largest)) break;
    }
    arena_free(&work);
}
