// src/run/look.c: did a relation change in the last step, perhaps more than once?
//
// The relations are evaluated at a few places in the step. Where one differs from its mode a change has been
// passed, which is then located to rounding. Where none does, a relation may have changed and changed back
// between two looks: a polynomial through its zero function at the places tells where it comes nearest to
// zero, and there we look again. Of a fixed step only the ends are looked at, unless the zero function
// turns round.
//
// Relations that only conditions of events read change nothing by themselves: if no condition becomes true,
// the mode follows and the step goes on.
#include "num/turn.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <string.h>

enum { LOOKS = TURN_LOOKS, PASSES_MAX = 10000 };

// The state at a time inside the last fixed step: the same method with a shorter step.
typedef struct Shorter {
    Island *island;
    double t;
    long k;
} Shorter;

static bool shorter_step(void *context, double t, double *x)
{
    const Shorter *from = context;
    Island *island = from->island;
    const size_t n = island->model->n_states, n_steps = island->n_steps;
    island->t = from->t;
    island->k = from->k;
    memcpy(island->x, island->x_before, n * sizeof *x);
    island->is_locating = true;
    const bool ok = t <= from->t || island->solver->step(island, t) == STEP_OK;
    island->is_locating = false;
    island->n_steps = n_steps;
    memcpy(x, island->x, n * sizeof *x);
    return ok && island_is_finite(x, n);
}

static bool dense_state(void *context, double t, double *x)
{
    Island *island = context;
    island->solver->state_at(island, t, x);
    return true;
}

static bool any_differs(const double *relations, const double *modes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((relations[2 * i + 1] != 0) != (modes[i] != 0)) return true;
    return false;
}

// ---- Zero functions that turn round

// In which of the intervals between places may a relation that has not changed at its ends turn round? A
// set of bits.
static unsigned find_turns(const orr_run *run)
{
    unsigned turns = 0;
    for (size_t k = 0; k < run->model->n_relations; k++) {
        double g[LOOKS + 1], slope[LOOKS + 1];
        for (int i = 0; i <= LOOKS; i++) g[i] = run->samples[i][2 * k];
        for (int i = 0; i <= LOOKS; i++) slope[i] = turn_slope(g, i);
        for (int i = 0; i < LOOKS; i++) {
            const double side = turn_side(g[i], g[i + 1]);
            if (side * slope[i] < 0 && side * slope[i + 1] > 0) turns |= 1u << i;
        }
    }
    return turns;
}

// The first place in [from, from + 1], after `known`, where a relation that has not changed at its ends may
// have changed; NaN if there is none.
static double first_turn(orr_run *run, int from, double known)
{
    double first = NAN;
    for (size_t k = 0; k < run->model->n_relations; k++) {
        double g[LOOKS + 1];
        for (int i = 0; i <= LOOKS; i++) g[i] = run->samples[i][2 * k];
        if ((run->samples[from][2 * k + 1] != 0) != (run->samples[from + 1][2 * k + 1] != 0)) continue;
        const double at = turn_place(g, from, known);
        if (at > known + 1e-12 && !(at >= first)) first = at;
    }
    return first;
}

// Does a zero function turn round in the last fixed step, as far as its values at three ends of steps tell?
// With half a step to spare on both sides.
static bool may_turn(const orr_run *run, const double *end)
{
    if (isnan(run->t_sample_before)) return true;
    const double *before = run->sample_before, *begin = run->samples[0];
    for (size_t k = 0; k < run->model->n_relations; k++) {
        const double a = before[2 * k], b = begin[2 * k], c = end[2 * k];
        const double side = turn_side(b, c), slope = 0.5 * (c - a), bend = c - 2 * b + a;
        if (side * (slope - 0.5 * bend) <= 0 && side * (slope + 1.5 * bend) >= 0 && side * bend > 0)
            return true;
    }
    return false;
}

// ---- Looking

typedef struct Look {
    orr_run *run;
    Island *island;
    LocateState state;    // exact
    void *context;
    double t_from, t_to;
    unsigned turns;    // intervals in which something may turn round
} Look;

static double time_of(const Look *l, double place)
{
    return place >= LOOKS ? l->t_to : l->t_from + (l->t_to - l->t_from) * place / LOOKS;
}

static bool sample(const Look *l, int place)
{
    orr_run *run = l->run;
    const double at = time_of(l, place);
    dense_state(l->island, at, run->x_event);
    return island_relations(l->island, at, run->x_event, run->samples[place]);
}

// Something changes between the times lo, where nothing has, and hi, where run->relations are those of
// x_event. True if the step ends there; else *lo is a later time, up to which everything is taken.
static bool meet(const Look *l, double *lo, double hi)
{
    orr_run *run = l->run;
    if (event_passes(run, l->island, hi, run->x_event, run->relations)) {
        *lo = hi;
        return false;
    }
    const double t = locate_change(run, l->island, *lo, hi, l->state, l->context, run->x_event);
    if (t < hi && event_passes(run, l->island, t, run->x_event, run->relations)) {
        *lo = t;
        return false;
    }
    run->event_relation = event_first_difference(run, l->island);
    l->island->t = t;
    return true;
}

// Put the state and the relations at a time into x_event and run->relations. *differs: some from their modes.
static bool look_at(const Look *l, double t, bool *differs)
{
    orr_run *run = l->run;
    *differs = false;
    if (!l->state(l->context, t, run->x_event)) return true;
    if (!island_relations(l->island, t, run->x_event, run->relations)) return false;
    *differs = any_differs(run->relations, island_modes(l->island), run->model->n_relations);
    return true;
}

// Everything between two places. *met: the island's step ends at its time, with the state x_event.
static bool look_between(const Look *l, int from, bool *met)
{
    orr_run *run = l->run;
    const size_t n = run->model->n_relations;
    const double *modes = island_modes(l->island), end = time_of(l, from + 1);
    double lo = time_of(l, from), known = from;
    for (int pass = 0; pass < PASSES_MAX && !*met; pass++) {
        bool differs;
        const double turn = l->turns >> from & 1 ? first_turn(run, from, known) : NAN,
                     hi = isnan(turn) ? end : time_of(l, turn);
        if (isnan(turn) && (lo >= end || !any_differs(run->samples[from + 1], modes, n))) return true;
        if (!isnan(turn)) known = turn;
        if (!isnan(turn) && !(hi > lo && hi < end)) continue;
        if (!look_at(l, hi, &differs)) return false;
        if (differs) *met = meet(l, &lo, hi);
        else if (isnan(turn)) return true;    // only the interpolated state had passed it
    }
    return true;
}

// The end of this step is the beginning of the next one.
static void keep_last(orr_run *run, int last, double t)
{
    double *spare = run->sample_before;
    run->sample_before = run->samples[0];
    run->t_sample_before = run->t_sample;
    run->samples[0] = run->samples[last];
    run->samples[last] = spare;
    run->t_sample = t;
}

bool look_for_event(orr_run *run, Island *island)
{
    const size_t n = run->model->n_relations, size = run->model->n_states * sizeof(double);
    if (n == 0 || island->t == island->t_before) return true;
    const bool is_fixed = island->solver->fixed_step;
    const long k_end = island->k;
    // the grid point before t is k - 1, unless the step was a shortened one that did not reach k
    Shorter shorter = { island, island->t_before, run->k_before };
    Look l = { run, island, dense_state, island, island->t_before, island->t, 0 };
    if (is_fixed) {
        l.state = shorter_step;
        l.context = &shorter;
    }
    if (run->t_sample != l.t_from) {
        run->t_sample_before = NAN;
        run->t_sample = l.t_from;
        dense_state(island, l.t_from, run->x_event);
        if (!island_relations(island, l.t_from, run->x_event, run->samples[0])) return false;
    }
    memcpy(run->x_end, island->x, size);
    if (!island_relations(island, l.t_to, run->x_end, run->samples[LOOKS])) return false;
    bool met = false, ok = true;
    const bool is_quiet = is_fixed && !any_differs(run->samples[LOOKS], island_modes(island), n) &&
                          !may_turn(run, run->samples[LOOKS]);
    if (!is_quiet) {
        for (int i = 1; i < LOOKS; i++)
            if (!sample(&l, i)) return false;
        l.turns = find_turns(run);
        for (int i = 0; i < LOOKS && ok && !met; i++) ok = look_between(&l, i, &met);
    }
    if (!ok) return false;
    if (!met && island->surface.slides && slide_leaves(island, l.t_to, run->x_end)) {
        island->t = slide_locate_end(run, island, l.t_from, l.t_to, l.state, l.context);
        met = true;
    }
    if (met) {
        island->t_before = l.t_from;
        memcpy(island->x, run->x_event, size);
        run->event_waits = true;
        run->event_is_located = !is_fixed;
        run->t_sample = run->t_sample_before = NAN;
        return true;
    }
    island->t = l.t_to;
    island->t_before = l.t_from;
    island->k = k_end;
    memcpy(island->x, run->x_end, size);
    keep_last(run, LOOKS, l.t_to);
    return true;
}
