// src/engine/look.c: did a relation change in the last step, perhaps more than once?
//
// The relations are evaluated at a few places in the step. Where one differs from its mode a change has been
// passed, which is then located to rounding. Where none does, a relation may have changed and changed back
// between two looks: a polynomial through its zero function at the places tells where it comes nearest to
// zero, and there we look again. Of a fixed step only the ends are looked at, unless the zero function
// turns round.
//
// Relations that only conditions of events read change nothing by themselves: if no condition becomes true,
// the mode follows and the step goes on.
//
// Clocks, relations that nothing but time moves, are not sampled: where the next one may change is known
// beforehand (services->foresee), and what is looked at ends there, so that a short pulse in a long step is
// not missed.
#include "engine/host.h"
#include "num/itp.h"
#include "num/turn.h"

enum { LOOKS = TURN_LOOKS, LOOK_PASSES = 10000, LOOK_AHEAD = 8, LOOK_VAIN_MAX = 40 };

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
    const size_t n = island->tables->n_states, n_steps = island->n_steps;
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

static bool look_dense(void *context, double t, double *x)
{
    Island *island = context;
    domain_state_at(island, t, x);
    return true;
}

static bool any_differs(const Island *island, const double *relations)
{
    for (size_t i = 0; i < island->tables->n_relations; i++)
        if (event_differs(island, relations, i)) return true;
    return false;
}

static bool look_has_changed(const double *before, const double *now, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((before[2 * i + 1] != 0) != (now[2 * i + 1] != 0)) return true;
    return false;
}

// ---- Where a relation changes

// The first time in (t_lo, t_hi] at which some relation differs from its mode, to rounding. The relations
// hold at t_lo, and at t_hi, where `relations` was evaluated, some do not: the bracket is closed by the zero
// function of the relation that seems to change first (num/itp.h). On return `x` is the state there and
// `relations` its values.
static double locate_change(Island *island, double t_lo, double t_hi, LocateState state, void *context,
                     double *x)
{
    const size_t n = island->tables->n_relations, n_states = island->tables->n_states;
    const double *modes = island_modes(island);
    double *right = island->relations;
    double *left = island->relations_left, *here = island->relations_here, *trial = island->x_trial;
    double lo = t_lo, hi = t_hi;
    if (!state(context, lo, trial) || !island_relations(island, lo, trial, left)) return hi;

    Itp itp = itp_begin(lo, hi);
    while (itp_goes_on(&itp, lo, hi)) {
        const double at = itp_next(&itp, lo, hi, itp_straight(left, right, modes, n, lo, hi));
        if (!(at > lo && at < hi)) break;    // neighbours
        if (!state(context, at, trial) || !island_relations(island, at, trial, here)) break;
        if (any_differs(island, here)) {
            hi = at;
            memcpy(right, here, 2 * n * sizeof *right);
            memcpy(x, trial, n_states * sizeof *x);
        } else {
            lo = at;
            memcpy(left, here, 2 * n * sizeof *left);
        }
    }
    return hi;
}

// ---- Zero functions that turn round

// In which of the intervals between places may a relation that has not changed at its ends turn round? A
// set of bits.
static unsigned find_turns(const Island *island)
{
    unsigned turns = 0;
    for (size_t k = 0; k < island->tables->n_relations; k++) {
        double g[LOOKS + 1], slope[LOOKS + 1];
        for (int i = 0; i <= LOOKS; i++) g[i] = island->samples[i][2 * k];
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
static double first_turn(Island *island, int from, double known)
{
    double first = NAN;
    for (size_t k = 0; k < island->tables->n_relations; k++) {
        double g[LOOKS + 1];
        for (int i = 0; i <= LOOKS; i++) g[i] = island->samples[i][2 * k];
        if ((island->samples[from][2 * k + 1] != 0) != (island->samples[from + 1][2 * k + 1] != 0)) continue;
        const double at = turn_place(g, from, known);
        if (at > known + 1e-12 && !(at >= first)) first = at;
    }
    return first;
}

// Does a zero function turn round in the last fixed step, as far as its values at three ends of steps tell?
// With half a step to spare on both sides.
static bool may_turn(const Island *island, const double *end)
{
    if (isnan(island->t_sample_before)) return true;
    const double *before = island->sample_before, *begin = island->samples[0];
    for (size_t k = 0; k < island->tables->n_relations; k++) {
        const double a = before[2 * k], b = begin[2 * k], c = end[2 * k];
        const double side = turn_side(b, c), slope = 0.5 * (c - a), bend = c - 2 * b + a;
        if (side * (slope - 0.5 * bend) <= 0 && side * (slope + 1.5 * bend) >= 0 && side * bend > 0)
            return true;
    }
    return false;
}

// ---- Looking

typedef struct Look {
    Island *island;
    LocateState state;    // exact
    void *context;
    double t_from, t_to;
    unsigned turns;    // intervals in which something may turn round
} Look;

static double look_time(const Look *l, double place)
{
    return place >= LOOKS ? l->t_to : l->t_from + (l->t_to - l->t_from) * place / LOOKS;
}

static bool look_sample(const Look *l, int place)
{
    Island *island = l->island;
    const double at = look_time(l, place);
    look_dense(island, at, island->x_event);
    return island_relations(island, at, island->x_event, island->samples[place]);
}

// Something changes between the times lo, where nothing has, and hi, where island->relations are those of
// x_event. True if the step ends there; else *lo is a later time, up to which everything is taken.
static bool look_meet(const Look *l, double *lo, double hi)
{
    Island *island = l->island;
    if (event_passes(island, hi, island->x_event, island->relations)) {
        look_forget_clocks(island);
        *lo = hi;
        return false;
    }
    const double t = locate_change(island, *lo, hi, l->state, l->context, island->x_event);
    if (t < hi && event_passes(island, t, island->x_event, island->relations)) {
        look_forget_clocks(island);
        *lo = t;
        return false;
    }
    island->event_relation = event_first_difference(island);
    island->event_is_change = true;
    island->t = t;
    return true;
}

// Put the state and the relations at a time into x_event and `relations`. *differs: some from their modes.
static bool look_at(const Look *l, double t, bool *differs)
{
    Island *island = l->island;
    *differs = false;
    if (!l->state(l->context, t, island->x_event)) return true;
    if (!island_relations(island, t, island->x_event, island->relations)) return false;
    *differs = any_differs(island, island->relations);
    return true;
}

// Everything between two places. *met: the island's step ends at its time, with the state x_event.
static bool look_between(const Look *l, int from, bool *met)
{
    Island *island = l->island;
    const double end = look_time(l, from + 1);
    double lo = look_time(l, from), known = from;
    for (int pass = 0; pass < LOOK_PASSES && !*met; pass++) {
        bool differs;
        const double turn = l->turns >> from & 1 ? first_turn(island, from, known) : NAN,
                     hi = isnan(turn) ? end : look_time(l, turn);
        if (isnan(turn) && (lo >= end || !any_differs(island, island->samples[from + 1]))) return true;
        if (!isnan(turn)) known = turn;
        if (!isnan(turn) && !(hi > lo && hi < end)) continue;
        if (!look_at(l, hi, &differs)) return false;
        if (differs) *met = look_meet(l, &lo, hi);
        else if (isnan(turn)) return true;    // only the interpolated state had passed it
    }
    return true;
}

// The end of this step is the beginning of the next one.
static void keep_last(Island *island, int last, double t)
{
    double *spare = island->sample_before;
    event_learn_scales(island, island->samples[last]);
    island->sample_before = island->samples[0];
    island->t_sample_before = island->t_sample;
    island->samples[0] = island->samples[last];
    island->samples[last] = spare;
    island->t_sample = t;
}

// All between t_from and t_to, the end of the step or of what is known of clocks. *met as above.
static bool look_through(Look *l, bool is_fixed, bool *met)
{
    Island *island = l->island;
    const double *end = island->samples[LOOKS];
    if (is_fixed && !may_turn(island, end) && !any_differs(island, end)) return true;
    for (int i = 1; i < LOOKS; i++)
        if (!look_sample(l, i)) return false;
    l->turns = find_turns(island);
    for (int i = 0; i < LOOKS && !*met; i++)
        if (!look_between(l, i, met)) return false;
    return true;
}

// ---- Clocks

void look_forget_clocks(Island *island)
{
    for (uint32_t i = 0; i < island->tables->n_clocks; i++) island->clock_until[i] = -(double)INFINITY;
}

void look_forget(Island *island)
{
    island->t_sample = island->t_sample_before = NAN;
    look_forget_clocks(island);
}

// The first time in (from, to) at which a clock may differ from its mode; `to`: none does.
static double look_until_clock(Island *island, double from, double to)
{
    double first = to;
    for (uint32_t i = 0; i < island->tables->n_clocks; i++) {
        double *until = &island->clock_until[i];
        if (*until >= to) continue;
        const double at = island->services->foresee(island, i, from, to + LOOK_AHEAD * (to - from), until);
        if (at < first) first = at;
    }
    return first;
}

// Does the relation that has changed agree with its mode again at the end of the step?
static bool look_is_hidden(Island *island, double t_to)
{
    const uint32_t k = island->event_relation;
    const double mode = island_modes(island)[k];
    if (!island_relations(island, t_to, island->x_end, island->relations_here)) return true;
    return (island->relations_here[2 * k + 1] != 0) == (mode != 0);
}

bool look_for_event(Island *island)
{
    const size_t n = island->tables->n_relations, size = island->tables->n_states * sizeof(double);
    if (n == 0 || island->t == island->t_before) return true;
    const bool is_fixed = island->solver->fixed_step;
    const double t_from = island->t_before, t_to = island->t;
    const long k_end = island->k;
    // the grid point before t is k - 1, unless the step was a shortened one that did not reach k
    Shorter shorter = { island, t_from, island->k_before };
    Look l = { island, look_dense, island, t_from, t_to, 0 };
    if (is_fixed) {
        l.state = shorter_step;
        l.context = &shorter;
    }
    if (island->t_sample != t_from) {
        island->t_sample_before = NAN;
        island->t_sample = t_from;
        look_dense(island, t_from, island->x_event);
        if (!island_relations(island, t_from, island->x_event, island->samples[0])) return false;
    }
    memcpy(island->x_end, island->x, size);
    bool met = false;
    for (int n_vain = 0;;) {
        // where clocks are never quite away from changing they are looked at like all others
        l.t_to = n_vain < LOOK_VAIN_MAX ? look_until_clock(island, l.t_from, t_to) : t_to;
        const bool is_part = l.t_to < t_to && l.state(l.context, l.t_to, island->x_event);
        if (!is_part) l.t_to = t_to;
        const double *x = is_part ? island->x_event : island->x_end;
        if (!island_relations(island, l.t_to, x, island->samples[LOOKS])) return false;
        if (!look_through(&l, is_fixed, &met)) return false;
        if (met || !is_part) break;
        n_vain = look_has_changed(island->samples[0], island->samples[LOOKS], n) ? 0 : n_vain + 1;
        keep_last(island, LOOKS, l.t_to);
        island->t_sample_before = NAN;
        l.t_from = l.t_to;
    }
    if (!met && island->surface.slides && slide_leaves(island, t_to, island->x_end)) {
        island->t = surface_locate(island, t_from, t_to, l.state, l.context, slide_leaves);
        island->surface.ends = true;
        met = true;
    }
    if (!met && island->n_contacts && contact_turns(island, t_to, island->x_end)) {
        island->t = surface_locate(island, t_from, t_to, l.state, l.context, contact_turns);
        met = true;
    }
    if (met && l.t_to < t_to && look_is_hidden(island, t_to)) island->n_foreseen++;
    if (met) {
        island->t_before = t_from;
        memcpy(island->x, island->x_event, size);
        island->event_waits = true;
        island->event_is_located = !is_fixed;
        island->t_sample = island->t_sample_before = NAN;
        return true;
    }
    island->t = t_to;
    island->t_before = t_from;
    island->k = k_end;
    memcpy(island->x, island->x_end, size);
    keep_last(island, LOOKS, t_to);
    return true;
}
