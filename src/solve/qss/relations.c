// src/solve/qss/relations.c: see relations.h.
#include "solve/qss/relations.h"
#include "expr/math.h"
#include "solve/qss/bounds.h"
#include "solve/qss/parts.h"
#include "solve/qss/roots.h"
#include "solve/qss/shared.h"
#include <float.h>
#include <math.h>

enum {
    NUDGES = 40,
    LOOKS_AHEAD = 500,    // at a relation of which nothing can be proven, in a run
    BISECTIONS = 60,
    PROOFS = 400,          // at one look
    FIRST_LOOK = 10000,    // in least waits
};
#define LOOK_GROWTH 4.0    // of the time that is looked ahead, if it was not too long

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

// Is there more to the zero function than its polynomial, which ends with the square?
static bool may_bend(const Qss *m, uint32_t k) { return m->ir->relation_bends[k] || m->order == 3; }

// The relation is as its mode says after `lo`, not so after `hi`: where it changes.
static double change_between(const Qss *m, const Island *island, uint32_t k, double t, double lo, double hi)
{
    const bool mode = m->modes[k] != 0;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (lo + hi);
        if (!(t + middle > t + lo && t + middle < t + hi)) break;
        if (is_true_at(m, island, k, t + middle) == mode) lo = middle;
        else hi = middle;
    }
    return hi;
}

// Nothing can be proven of it: it is looked at again before long. What will have changed by then is searched
// for now, since nobody can go back to it.
static double look_ahead_until(const Qss *m, const Island *island, uint32_t k, double t, double after)
{
    const double until = fmin(after, isfinite(island->options.t_end) ? time_between_looks(island, t)
                                                                     : FIRST_LOOK * m->least_wait);
    const bool changes = until > 0 && is_true_at(m, island, k, t + until) != (m->modes[k] != 0);
    return changes ? change_between(m, island, k, t, 0, until) : until;
}

#if HAS_BOUNDS
// ---- Proofs

typedef enum Fate { STAYS, CHANGES, OPEN } Fate;

#if HAS_LEAPS
// Which of the pieces between jumps z is in.
static double piece_of(const IrQuantised *ir, const struct IrSteps *steps, double z)
{
    if (steps->period > 0) {
        const double whole = floor(z / steps->period);
        return 2 * whole + (z - steps->period * whole >= steps->level);
    }
    const ExprPieces *table = &ir->pool.pieces.items[steps->table];
    uint32_t piece = 0;
    while (piece < table->n_breaks[0] && table->numbers[piece] <= z) piece++;
    return piece;
}

#endif
// What is certain of a relation between two times, at the first of which it is as its mode says.
static Fate fate_of(const Qss *m, const Island *island, uint32_t k, double from, double to)
{
    const IrQuantised *ir = m->ir;
    const double mode = m->modes[k] != 0;
    const Jet z = bounds_of(m, island, m->x, ir->n_states + ir->n_shared + k, from, to);
    Span truth;
#if HAS_LEAPS
    const struct IrSteps *steps = steps_of(ir, k);
    if (steps) {
        if (piece_of(ir, steps, z.c[0].lo) != piece_of(ir, steps, z.c[0].hi)) return OPEN;
        truth.lo = truth.hi = truth_of(ir, k, stepped(ir, steps, z.c[0].lo));
        return truth.lo == mode ? STAYS : CHANGES;
    }
#endif
    truth = bounds_truth((ExprOp)ir->comparison[k], z.c[0]);
    if (truth.lo == truth.hi) return truth.lo == mode ? STAYS : CHANGES;
    // it rises or falls all the time: so its ends decide
    if (ir->comparison[k] == EXPR_EQ || ir->comparison[k] == EXPR_NE || !(z.c[1].lo > 0 || z.c[1].hi < 0))
        return OPEN;
    return is_true_at(m, island, k, to) == (mode != 0) ? STAYS : CHANGES;
}

// How long a relation is certain not to change, or until it does; no further ahead than seems useful, since
// it is looked at again when something that it reads is renewed.
static double proven_until(Qss *m, const Island *island, uint32_t k, double t)
{
    double *look = m->looks + 2 * (size_t)k;
    const double elapsed = t - look[0];
    look[1] = fmax(LOOK_GROWTH * fmin(look[1], elapsed), FIRST_LOOK * 1e-4 * m->least_wait);
    look[0] = t;
    const double least = fmax(1e-4 * m->least_wait, 4 * DBL_EPSILON * fabs(t));
    double lo = 0, part = look[1];
    for (int i = 0; i < PROOFS && lo < look[1]; i++) {
        const double hi = fmin(lo + part, look[1]);
        const Fate fate = fate_of(m, island, k, t + lo, t + hi);
        if (fate == OPEN && hi - lo > least) {
            part = 0.5 * (hi - lo);
            continue;
        }
        const bool differs = fate == OPEN && is_true_at(m, island, k, t + hi) != (m->modes[k] != 0);
        if (fate == CHANGES || differs) return change_between(m, island, k, t, lo, hi);
        lo = hi;
        part *= 2;
    }
    return fmax(lo, least);
}

#endif
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
    if (!is_leap && (op == EXPR_EQ || op == EXPR_NE)) {    // of what steps, or is decided by other modes
        const bool stays = m->ir->relation_bends[k] || (z[1] == 0 && z[2] == 0);
        if (stays && truth_of(m->ir, k, z[0]) != mode) after = 0;
    } else if (!is_leap) {
        const bool is_above = mode == (op == EXPR_GT || op == EXPR_GE);
        const double sign = is_above ? 1 : -1, c0 = sign * z[0], c1 = sign * z[1];
        after = roots_fall(c0, c1, sign * z[2]);
        // on the other side already: another mode made it jump, unless it is just coming back from there
        const bool differs = truth_of(m->ir, k, z[0]) != mode;
        if (differs && !(c1 > 0 && -c0 <= c1 * 1e-12 * fmax(fabs(t), 1e-3))) after = 0;
        if (z[0] == 0 && z[1] == 0 && z[2] == 0) after = INFINITY;
    }
    if (after > 0 && may_bend(m, k) && m->ir->relation_is_opaque[k])
        after = look_ahead_until(m, island, k, t, after);
#if HAS_BOUNDS
    else if (after > 0 && may_bend(m, k)) after = proven_until(m, island, k, t);
#endif
    calendar_set(&m->crossings, k, t + after);
}

void relations_put_off(Qss *m, const Island *island, uint32_t k, double t)
{
    calendar_set(&m->crossings, k, may_bend(m, k) ? t + time_between_looks(island, t) : (double)INFINITY);
}

void relations_watch_noted(Qss *m, const Island *island, double t)
{
    for (uint32_t k = 0; k < m->n_to_watch; k++) {
        m->is_noted[m->to_watch[k]] = false;
        relations_watch(m, island, m->to_watch[k], t);
    }
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
