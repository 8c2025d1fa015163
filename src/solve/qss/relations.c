// src/solve/qss/relations.c: see relations.h.
#include "solve/qss/relations.h"
#include "expr/math.h"
#include "solve/qss/parts.h"
#include "solve/qss/roots.h"
#include "solve/qss/shared.h"
#include <float.h>
#include <math.h>

enum {
    NUDGES = 40,
    LOOKS_AHEAD = 500,    // at a relation whose polynomial is not all of it, in a run
    BISECTIONS = 60,
};

static bool truth_of(const IrQuantised *ir, uint32_t k, double zero)
{
    switch (ir->comparison[k]) {
    case EXPR_LT: return zero < 0;
    case EXPR_LE: return zero <= 0;
    case EXPR_GT: return zero > 0;
    case EXPR_GE: return zero >= 0;
    case EXPR_EQ: return zero == 0;
    default: return zero != 0;
    }
}

// The term of a relation as a polynomial: its zero function, or the argument of a table whose steps it sees.
// False: it reads a loop that has no solution there.
static bool term_of(const Qss *m, const Island *island, uint32_t k, double t, double out[4])
{
    const IrQuantised *ir = m->ir;
#if HAS_LOOPS
    if (ir->n_loops && !shared_compute_for(m, island, k, t)) return false;
#endif
    const uint32_t term = ir->n_states + ir->n_shared + k;
    m->terms[ir->shape_of[term]](t, m->x, island->env.v, ir->rows + ir->row_of[term], ir->numbers, out);
    out[2] *= 0.5;    // it was a derivative
    return true;
}

#if HAS_LEAPS
static const struct IrSteps *steps_of(const IrQuantised *ir, uint32_t k)
{
    const struct IrSteps *steps = ir->steps ? &ir->steps[k] : NULL;
    return steps && (steps->table != FLAT_NONE || steps->period > 0) ? steps : NULL;
}

// The zero function, from the argument of what jumps.
static double stepped(const IrQuantised *ir, const struct IrSteps *steps, double z)
{
    const double value = steps->period > 0 ? z - steps->period * floor(z / steps->period)
                                           : expr_pieces_value(&ir->pool.pieces.items[steps->table], z);
    return value - steps->level;
}

#endif
static bool is_true_at(const Qss *m, const Island *island, uint32_t k, double t)
{
    double z[4];
    if (!term_of(m, island, k, t, z)) return m->modes[k] != 0;
#if HAS_LEAPS
    const struct IrSteps *steps = steps_of(m->ir, k);
    if (steps) return truth_of(m->ir, k, stepped(m->ir, steps, z[0]));
#endif
    return truth_of(m->ir, k, z[0]);
}

#if HAS_LEAPS
// The breaks of a table on both sides of z, infinite beyond the last. On a break, or so near to it that
// rounding decides, the side to which it moves counts.
static void table_piece(const ExprPieces *table, double z, double slope, double side[2])
{
    const double *breaks = table->numbers, near = 1e-12 * fabs(z) + DBL_MIN;
    const uint32_t n = table->n_breaks[0];
    uint32_t lo = 0, hi = n;    // the first break beyond z
    while (lo < hi) {
        const uint32_t middle = lo + (hi - lo) / 2;
        if (breaks[middle] <= z) lo = middle + 1;
        else hi = middle;
    }
    if (slope > 0 && lo < n && breaks[lo] - z <= near) lo++;
    if (slope < 0 && lo > 0 && z - breaks[lo - 1] <= near) lo--;
    side[0] = lo > 0 ? breaks[lo - 1] : -(double)INFINITY;
    side[1] = lo < n ? breaks[lo] : (double)INFINITY;
}

// Likewise where mod jumps or passes the level.
static void mod_piece(const struct IrSteps *steps, double z, double slope, double side[2])
{
    const double period = steps->period, near = 1e-12 * (fabs(z) + period), first = floor(z / period) - 1;
    const bool is_inside = steps->level > 0 && steps->level < period;
    double points[8];
    int n = 0, at = 0;
    for (int k = 0; k < 4; k++) {
        points[n++] = (first + k) * period;
        if (is_inside) points[n++] = (first + k) * period + steps->level;
    }
    while (at + 2 < n && points[at + 1] <= z) at++;
    if (slope > 0 && at + 2 < n && points[at + 1] - z <= near) at++;
    if (slope < 0 && at > 0 && z - points[at] <= near) at--;
    side[0] = points[at];
    side[1] = points[at + 1];
}

// Until the argument z comes to where the zero function may jump, and whether the relation is true up to it.
static double until_jump(const Qss *m, uint32_t k, const struct IrSteps *steps, const double z[3],
                         bool *is_true)
{
    const double slope = z[1] != 0 ? z[1] : z[2];
    double side[2];
    if (steps->period > 0) mod_piece(steps, z[0], slope, side);
    else table_piece(&m->ir->pool.pieces.items[steps->table], z[0], slope, side);
    const double inside = isinf(side[0])   ? side[1] - 1
                          : isinf(side[1]) ? side[0] + 1
                                           : 0.5 * (side[0] + side[1]);
    *is_true = truth_of(m->ir, k, stepped(m->ir, steps, inside));
    double after = INFINITY;
    if (z[1] == 0 && z[2] == 0) return after;    // on a break, perhaps, but it stays there
    if (!isinf(side[0])) after = roots_fall(fmax(z[0] - side[0], 0), z[1], z[2]);
    if (!isinf(side[1])) after = fmin(after, roots_fall(fmax(side[1] - z[0], 0), -z[1], -z[2]));
    return after;
}

#endif
static double time_between_looks(const Island *island, double t)
{
    return (island->options.t_end - t) / LOOKS_AHEAD + 1e-12 * fabs(t);
}

// Is there more to the zero function than its polynomial?
static bool may_bend(const Qss *m, const Island *island, uint32_t k)
{
    const uint8_t op = m->ir->comparison[k];
    return (m->ir->watches_time[k] || m->ir->relation_bends[k]) && op != EXPR_EQ && op != EXPR_NE &&
           isfinite(island->options.t_end);
}

// If the relation has changed after `probe`, the time at which it does; else `until`.
static double first_change(const Qss *m, const Island *island, uint32_t k, double t, double until,
                           double probe)
{
    const bool mode = m->modes[k] != 0;
    if (!(probe > 0) || is_true_at(m, island, k, t + probe) == mode) return until;
    double lo = 0, hi = probe;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (lo + hi);
        if (!(t + middle > t + lo && t + middle < t + hi)) break;
        if (is_true_at(m, island, k, t + middle) == mode) lo = middle;
        else hi = middle;
    }
    return hi;
}

// The polynomial of a relation is only near the truth: it is looked at again before long. What will have
// changed by then is searched for now, since nobody can go back to it.
static double look_ahead_until(const Qss *m, const Island *island, uint32_t k, double t, double after)
{
    const double until = fmin(after, time_between_looks(island, t));
    return first_change(m, island, k, t, until, until);
}

// The polynomial of a zero function ends with the square, those of third order do not: the root may be too
// late.
static double not_later(const Qss *m, const Island *island, uint32_t k, double t, double after)
{
    return first_change(m, island, k, t, after, (1 - 1e-9) * after);
}

void relations_watch(Qss *m, const Island *island, uint32_t k, double t)
{
    const uint8_t op = m->ir->comparison[k];
    const bool mode = m->modes[k] != 0;
    double z[4] = { 0 }, after = INFINITY;
    bool is_leap = false;
    if (!term_of(m, island, k, t, z)) {    // nobody knows; those who compute rates will say what is wrong
        calendar_set(&m->crossings, k, INFINITY);
        return;
    }
#if HAS_LEAPS
    const struct IrSteps *steps = steps_of(m->ir, k);
    is_leap = steps != NULL;
    if (is_leap) {
        bool is_true;
        after = until_jump(m, k, steps, z, &is_true);
        if (is_true != mode) after = 0;
    }
#endif
    if (!is_leap && op != EXPR_EQ && op != EXPR_NE) {
        const bool is_above = mode == (op == EXPR_GT || op == EXPR_GE);
        const double sign = is_above ? 1 : -1, c0 = sign * z[0], c1 = sign * z[1];
        after = roots_fall(c0, c1, sign * z[2]);
        // on the other side already: another mode made it jump, unless it is just coming back from there
        const bool differs = truth_of(m->ir, k, z[0]) != mode;
        if (differs && !(c1 > 0 && -c0 <= c1 * 1e-12 * fmax(fabs(t), 1e-3))) after = 0;
        if (z[0] == 0 && z[1] == 0 && z[2] == 0) after = INFINITY;
    }
    if (after > 0 && may_bend(m, island, k)) after = look_ahead_until(m, island, k, t, after);
    else if (after > 0 && isfinite(after) && m->order == 3) after = not_later(m, island, k, t, after);
    calendar_set(&m->crossings, k, t + after);
}

void relations_put_off(Qss *m, const Island *island, uint32_t k, double t)
{
    calendar_set(&m->crossings, k,
                 may_bend(m, island, k) ? t + time_between_looks(island, t) : (double)INFINITY);
}

void relations_watch_noted(Qss *m, const Island *island, double t)
{
    for (uint32_t k = 0; k < m->n_to_watch; k++) relations_watch(m, island, m->to_watch[k], t);
    m->n_to_watch = 0;
}

double relations_confirm(const Qss *m, const Island *island, uint32_t k, double t)
{
    double step = fmax(fabs(t), 1e-3) * DBL_EPSILON, at = t;
    for (int i = 0; i < NUDGES; i++) {
        if (is_true_at(m, island, k, at) != (m->modes[k] != 0)) return at;
        at = t + step;
        step *= 2;
        if (step > 1e-9 * fmax(fabs(t), 1e-3)) break;
    }
    return NAN;
}
