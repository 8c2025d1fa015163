// src/engine/nominal.c: how large states are, and so which error is allowed in them beside the relative one.
//
// The absolute tolerance of a state is that of the run times its nominal size. The size is declared, or found
// once, at the start: from the start value, from how far the rate would take the state in the time in which
// the rate itself changes; of states that nothing moves yet from their rates where the others have come to
// their sizes; and from the rates with other values of relations. It is never taken from the steps of a run,
// since the steps would then depend on each other.
#include "engine/host.h"

enum { NOMINAL_ROUNDS = 20, NOMINAL_LOOKS = 4 };
#define NOMINAL_SMALL  1e-3      // what is smaller has a size of its own; all else counts as 1
#define NOMINAL_LEAST  1e-150    // its tolerance can still be squared
#define NOMINAL_PROBE  1e-6      // of the run
#define NOMINAL_ROUND  1e-11     // a difference this small beside its terms is rounding

typedef struct Nominal {
    Island *island;
    double  span;                // of the run, may be INFINITY
    double *size;                // [n_states] 0: unknown so far
    double *y, *here, *there;    // [n_states] scratch; `here`: the rates at the start
} Nominal;

static bool nominal_rates(const Nominal *m, double t, const double *x, double *dx)
{
    return island_rates_aside(m->island, t, x, dx) && island_is_finite(dx, m->island->tables->n_states);
}

// Several times of the run, the first of them the start.
static double nominal_time(const Nominal *m, int look)
{
    const bool looks_ahead = isfinite(m->span) && m->island->tables->n_delays == 0;
    return m->island->t + (looks_ahead ? m->span * fmod(0.37 * look, 1) : 0);
}

// Rates that are differences of large numbers and nearly 0, and the states beside them, are rounding: 0.
static void nominal_forget_rounding(const Nominal *m)
{
    const Island *island = m->island;
    const size_t n = island->tables->n_states;
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double sign = (uint32_t)i * 2654435761u >> 31 ? 1 : -1;
        m->y[i] = island->x[i] * (1 + sign * NOMINAL_PROBE);
        largest = fmax(largest, fabs(island->x[i]));
    }
    if (!nominal_rates(m, island->t, m->y, m->there)) return;
    for (size_t i = 0; i < n; i++) {
        const double terms = fabs(m->there[i] - m->here[i]) / NOMINAL_PROBE;
        if (!(fabs(m->here[i]) < NOMINAL_ROUND * terms)) continue;
        m->here[i] = 0;
        if (m->size[i] < NOMINAL_ROUND * largest) m->size[i] = 0;
    }
}

// How far a rate takes its state until it has changed itself, or until the end.
static void nominal_follow_rates(const Nominal *m)
{
    const Island *island = m->island;
    const size_t n = island->tables->n_states;
    const double h = NOMINAL_PROBE * (isfinite(m->span) ? m->span : 1);
    for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + h * m->here[i];
    const bool is_known = nominal_rates(m, island->t + h, m->y, m->there);
    for (size_t i = 0; i < n; i++) {
        const double rate = fabs(m->here[i]);
        const double bend = is_known ? fabs(m->there[i] - m->here[i]) / h : 0;
        if (rate == 0) continue;
        m->size[i] = fmax(m->size[i], bend > 0 ? rate * fmin(m->span, rate / bend) : rate * m->span);
    }
}

// States that nothing moves at the start: by their rates where those that are known have their sizes, at
// several times. None counts as larger than all that is known.
static void nominal_follow_others(const Nominal *m)
{
    const Island *island = m->island;
    const size_t n = island->tables->n_states;
    bool found = true;
    for (int round = 0; round < NOMINAL_LOOKS || (found && round < NOMINAL_ROUNDS); round++) {
        double largest = 0;
        bool is_open = false;
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, m->size[i]);
            is_open |= m->size[i] == 0;
            m->y[i] = island->x[i] == 0 && isfinite(m->size[i]) ? copysign(m->size[i], m->here[i])
                                                                : island->x[i];
        }
        if (!is_open) return;
        found = false;
        if (!nominal_rates(m, nominal_time(m, round), m->y, m->there)) continue;
        for (size_t i = 0; i < n; i++) {
            if (m->size[i] != 0 || m->there[i] == 0) continue;
            const double far = fabs(m->there[i]) * m->span;
            m->size[i] = largest > 0 ? fmin(far, largest) : far;
            found = true;
        }
    }
}

// Where relations choose among rates, the others count too: with all of them true, and with all false.
static void nominal_cross_relations(const Nominal *m)
{
    const Island *island = m->island;
    const size_t n = island->tables->n_states, n_modes = island->tables->n_relations;
    double *modes = island_modes(island), *kept = island->relations_left;
    if (n_modes == 0) return;
    memcpy(kept, modes, n_modes * sizeof *modes);
    for (int look = 0; look < 2 * NOMINAL_LOOKS; look++) {
        for (size_t k = 0; k < n_modes; k++) modes[k] = look % 2;
        if (!nominal_rates(m, nominal_time(m, look / 2), island->x, m->there)) continue;
        for (size_t i = 0; i < n; i++)
            if (m->there[i] != 0) m->size[i] = fmax(m->size[i], fabs(m->there[i]) * m->span);
    }
    memcpy(modes, kept, n_modes * sizeof *modes);
}

// The sizes of all states; 0: nothing is known of any.
static void nominal_find(const Nominal *m)
{
    const Island *island = m->island;
    const size_t n = island->tables->n_states;
    double largest = 0;
    for (size_t i = 0; i < n; i++) m->size[i] = fabs(island->x[i]);
    if (!nominal_rates(m, island->t, island->x, m->here)) return;
    nominal_forget_rounding(m);
    nominal_follow_rates(m);
    nominal_follow_others(m);
    nominal_cross_relations(m);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, m->size[i]);
    for (size_t i = 0; i < n; i++)
        if (m->size[i] == 0) m->size[i] = largest;    // what nothing moves yet
}

void nominal_start(Island *island)
{
    const SolverOptions *o = &island->options;
    const size_t n = island->tables->n_states;
    const double *declared = island->tables->nominal;
    bool is_open = false;
    for (size_t i = 0; i < n; i++) {
        island->absolute[i] = o->has_absolute ? 1 : declared && declared[i] > 0 ? declared[i] : 0;
        is_open |= island->absolute[i] == 0 && fabs(island->x[i]) < NOMINAL_SMALL;
    }
    if (is_open && !island->solver->fixed_step) {
        const Nominal m = { .island = island, .span = o->t_end - island->t, .size = island->x_before,
                            .y = island->x_trial, .here = island->x_end, .there = island->x_event };
        nominal_find(&m);
        for (size_t i = 0; i < n; i++)
            if (island->absolute[i] == 0 && m.size[i] > 0 && m.size[i] < NOMINAL_SMALL)
                island->absolute[i] = fmax(m.size[i], NOMINAL_LEAST);
    }
    island->finest = n ? INFINITY : o->absolute;
    for (size_t i = 0; i < n; i++) {
        const double size = island->absolute[i] == 0 ? 1 : island->absolute[i];
        island->absolute[i] = o->absolutes && o->absolutes[i] > 0 ? o->absolutes[i] : o->absolute * size;
        island->finest = fmin(island->finest, island->absolute[i]);
    }
}
