// src/solve/qss/pairs.c: see pairs.h.
//
// LIQSS2 looks ahead by the derivative of a rate by its own state. Where two states are stiff only together,
// as neighbours are that exchange something fast, each step of one turns the other round, and there is no end
// of it. Then both look ahead at once: with the matrix A of the derivatives of the two rates by the two
// states, and rates A·q + u + w·d in the near future, q is the line that x meets, with its slope, after h:
//
//     q0 = x - ½ h² B⁻¹ (A (A x + u) + w),   q1 = B⁻¹ (A x + u + w h - ½ h² A w),   B = I - h A + ½ h² A²
//
// with the largest h for which q0 is within the quantum of x, in both components.
// [Di Pietro, Migoni & Kofman 2019]
#include "solve/qss/pairs.h"
#include "solve/qss/parts.h"
#include <math.h>

enum { LINE_HALVINGS = 40, LINE_REFINEMENTS = 3 };

#if IS_ENGINE
// ---- Who pushes whom

// Where the derivative of the rate of `state` by another stands among its slopes; FLAT_NONE: nowhere.
static uint32_t slope_place(const IrQuantised *ir, uint32_t state, uint32_t by)
{
    const IrShape *shape = &ir->shapes[ir->shape_of[state]];
    const uint32_t *row = ir->rows + ir->row_of[state];
    for (uint32_t k = 0, place = 0; k < shape->n_slots && place < CODE_SLOPES_MAX; k++) {
        const IrSlot *slot = &shape->slots[k];
        if (slot->kind != IR_SLOT_STATE) continue;
        if ((slot->moves ? row[slot->column] : slot->index) == by) return place;
        place++;
    }
    return FLAT_NONE;
}

QssPairs *pairs_make(const IrQuantised *ir, Arena *arena)
{
    QssPairs *pairs = ARENA_NEW(arena, QssPairs);
    pairs->start = ARENA_ARRAY(arena, uint32_t, (size_t)ir->n_states + 1);
    for (int fills = 0; fills < 2; fills++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < ir->n_states; i++) {
            pairs->start[i] = n;
            for (uint32_t k = ir->affects.start[i]; k < ir->affects.start[i + 1]; k++) {
                const uint32_t other = ir->affects.item[k];
                if (other == i) continue;
                const uint32_t here = slope_place(ir, i, other), there = slope_place(ir, other, i);
                if (here == FLAT_NONE || there == FLAT_NONE) continue;
                if (fills)
                    pairs->items[n] = (QssPair){ other, here, there, slope_place(ir, i, i),
                                                        slope_place(ir, other, other) };
                n++;
            }
        }
        pairs->start[ir->n_states] = n;
        if (!fills) pairs->items = arena_alloc(arena, n, sizeof *pairs->items);
    }
    return pairs;
}

#endif
// ---- Looking ahead together

typedef struct Pair {
    double a[2][2];    // derivatives of rates
    double x[2];       // at t
    double u[2], w[2];
    double width[2];
} Pair;

// y = M⁻¹ b
static void solve2(const double (*m)[2], const double *b, double *y)
{
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    y[0] = (b[0] * m[1][1] - b[1] * m[0][1]) / det;
    y[1] = (b[1] * m[0][0] - b[0] * m[1][0]) / det;
}

static void times2(const double (*m)[2], const double *b, double *y)
{
    const double first = m[0][0] * b[0] + m[0][1] * b[1];
    y[1] = m[1][0] * b[0] + m[1][1] * b[1];
    y[0] = first;
}

// The line for a given h; false if it begins too far from x.
static bool line_after(const Pair *p, double h, double q0[2], double q1[2])
{
    double rate[2], c[2], aw[2], b[2][2], away[2], first[2];
    times2(p->a, p->x, rate);
    for (int k = 0; k < 2; k++) rate[k] += p->u[k];
    times2(p->a, rate, c);
    times2(p->a, p->w, aw);
    for (int k = 0; k < 2; k++) c[k] += p->w[k];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const double square = p->a[i][0] * p->a[0][k] + p->a[i][1] * p->a[1][k];
            b[i][k] = (i == k) - h * p->a[i][k] + 0.5 * h * h * square;
        }
    for (int k = 0; k < 2; k++) first[k] = rate[k] + p->w[k] * h - 0.5 * h * h * aw[k];
    solve2(b, c, away);
    solve2(b, first, q1);
    bool fits = true;
    for (int k = 0; k < 2; k++) {
        away[k] *= -0.5 * h * h;
        q0[k] = p->x[k] + away[k];
        fits = fits && fabs(away[k]) <= p->width[k] && isfinite(q1[k]);
    }
    return fits;
}

// Where both come to rest on lines: h without end.
static bool line_at_rest(const Pair *p, double q0[2], double q1[2])
{
    const double det = p->a[0][0] * p->a[1][1] - p->a[0][1] * p->a[1][0];
    if (!(det > 0) || !(p->a[0][0] + p->a[1][1] < 0)) return false;    // it does not
    double rate[2], at[2], back[2];
    // A q1 + w = 0, A q0 + u = q1
    const double minus_w[2] = { -p->w[0], -p->w[1] };
    solve2(p->a, minus_w, q1);
    for (int k = 0; k < 2; k++) rate[k] = q1[k] - p->u[k];
    solve2(p->a, rate, at);
    bool fits = true;
    for (int k = 0; k < 2; k++) {
        back[k] = at[k] - p->x[k];
        q0[k] = at[k];
        fits = fits && fabs(back[k]) <= p->width[k];
    }
    return fits;
}

// The largest h, within a small factor, from one that is likely too large. Returns 0 if there is none.
static double longest_line(const Pair *p, double h, double q0[2], double q1[2])
{
    double good = 0, bad = INFINITY;
    for (int n = 0; n < LINE_HALVINGS && good == 0; n++) {
        if (line_after(p, h, q0, q1)) good = h;
        else bad = h, h *= 0.5;
    }
    for (int n = 0; n < LINE_REFINEMENTS && good > 0 && isfinite(bad); n++) {
        const double middle = 0.5 * (good + bad);
        double trial0[2], trial1[2];
        if (!line_after(p, middle, trial0, trial1)) {
            bad = middle;
            continue;
        }
        good = middle;
        for (int k = 0; k < 2; k++) q0[k] = trial0[k], q1[k] = trial1[k];
    }
    return good;
}

// ---- When

// More than half of it has changed.
static bool differ(double a, double b) { return fabs(a - b) > 0.5 * fabs(a + b); }

static void slopes_of(const Qss *m, const Island *island, uint32_t i, double t, double *slopes)
{
    const IrQuantised *ir = m->ir;
    m->code->slopes[ir->shape_of[i]](t, m->q, island->env.v, ir->rows + ir->row_of[i], ir->numbers, slopes);
}

uint32_t pairs_renew(Qss *m, const Island *island, uint32_t i, double t, const double before[2])
{
    const QssPairs *pairs = m->pairs;
    const uint32_t first = pairs->start[i], end = pairs->start[i + 1];
    if (first == end) return FLAT_NONE;
    double *x = m->x + (size_t)m->n_x * i, *q = m->q + QSS_Q * (size_t)i, slopes[CODE_SLOPES_MAX];
    slopes_of(m, island, i, t, slopes);
    const double jump = q[0] - before[0], bend = q[1] - before[1];
    for (uint32_t e = first; e < end; e++) {
        const QssPair *pair = &pairs->items[e];
        double *x2 = m->x + (size_t)m->n_x * pair->other, *q2 = m->q + QSS_Q * (size_t)pair->other;
        double slopes2[CODE_SLOPES_MAX];
        if (slopes[pair->here] == 0 || q2[QSS_Q_TIME] == t) continue;
        slopes_of(m, island, pair->other, t, slopes2);
        const double a21 = slopes2[pair->there], a12 = slopes[pair->here];
        const double a11 = pair->own_here == FLAT_NONE ? 0 : slopes[pair->own_here];
        const double a22 = pair->own_there == FLAT_NONE ? 0 : slopes2[pair->own_there];
        if (a21 == 0) continue;
        // the other, as it would go on with the new q of this one
        double turned[QSS_X(2, 1)], answer[QSS_Q];
        for (int k = 0; k < QSS_X(2, 1); k++) turned[k] = x2[k];
        for (int k = 0; k < QSS_Q; k++) answer[k] = q2[k];
        qss_move(turned, 2, t);
        const double rate2 = turned[1], bend2 = 2 * turned[2];
        turned[1] += a21 * jump;
        turned[2] += 0.5 * a21 * bend;
        turned[QSS_OWN(2)] = a22;
        if (!differ(rate2, turned[1]) && !differ(bend2, 2 * turned[2])) continue;
        // and what it would answer
        const double d2 = t - q2[QSS_Q_TIME], was[2] = { q2[0] + d2 * q2[1], q2[1] };
        qss_look_ahead(turned, answer, 2);
        const double rate = x[1] + a11 * jump, curve = 2 * x[2] + a11 * bend;
        const double rate_then = rate + a12 * (answer[0] - was[0]),
                     curve_then = curve + a12 * (answer[1] - was[1]);
        if (!differ(rate, rate_then) && !differ(curve, curve_then)) continue;

        qss_move(x2, 2, t);
        x2[QSS_QUANTUM(2)] = qss_width(&m->quanta[m->has_own_quanta ? pair->other : 0], x2[0]);
        const Pair p = {
            .a = { { a11, a12 }, { a21, a22 } },
            .x = { x[0], x2[0] },
            .u = { x[1] - a11 * before[0] - a12 * was[0], x2[1] - a21 * before[0] - a22 * was[0] },
            .w = { 2 * x[2] - a11 * before[1] - a12 * was[1], 2 * x2[2] - a21 * before[1] - a22 * was[1] },
            .width = { QSS_AHEAD * x[QSS_QUANTUM(2)], QSS_AHEAD * x2[QSS_QUANTUM(2)] }
        };
        double q0[2], q1[2], meets = INFINITY;
        if (!line_at_rest(&p, q0, q1)) {
            double ahead = fmax(x[QSS_MEETS(2)] - t, turned[QSS_MEETS(2)] - t) / QSS_BEYOND * 4;
            if (!isfinite(ahead)) ahead = 100 / (fabs(a11) + fabs(a12) + fabs(a21) + fabs(a22));
            const double h = longest_line(&p, ahead, q0, q1);
            if (h == 0) continue;
            meets = t + QSS_BEYOND * h;
        }
        for (int k = 0; k < 2; k++) {
            double *renewed = k ? q2 : q;
            renewed[0] = q0[k];
            renewed[1] = q1[k];
            renewed[QSS_Q_TIME] = t;
            (k ? x2 : x)[QSS_MEETS(2)] = meets;
        }
        return pair->other;
    }
    return FLAT_NONE;
}
