// src/solve/qss/bounds.c: see bounds.h.
#include "solve/qss/bounds.h"
#include "expr/math.h"
#include "solve/qss/parts.h"
#include <float.h>
#include <math.h>

enum { JET = BOUNDS_DEGREE + 1, TRIES = 6 };
#define PI         3.14159265358979323846
#define TRUSTED    0.5     // of the quantum: how far a polynomial may be off at the end of its time
#define GROWTH     4.0     // of the span that is tried
#define SPAN_PARTS 10.0    // of the quantum: what first order may be off in a run by the time that is held

// ---- Intervals

static const Span unknown = { -(double)INFINITY, (double)INFINITY };

static Span point(double x) { return (Span){ x, x }; }
static bool is_zero(Span a) { return a.lo == 0 && a.hi == 0; }
static bool has_zero(Span a) { return !(a.lo > 0 || a.hi < 0); }
static Span hull(Span a, Span b) { return (Span){ fmin(a.lo, b.lo), fmax(a.hi, b.hi) }; }
static double largest(Span a) { return fmax(fabs(a.lo), fabs(a.hi)); }

// Bounds that are not numbers bound nothing.
static Span checked(Span a) { return a.lo <= a.hi ? a : unknown; }

static Span plus(Span a, Span b) { return checked((Span){ a.lo + b.lo, a.hi + b.hi }); }

static Span times(Span a, Span b)
{
    if (is_zero(a) || is_zero(b)) return point(0);
    const double p[] = { a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi };
    if (isnan(p[0] + p[1] + p[2] + p[3])) {
        for (int k = 0; k < 4; k++)
            if (isnan(p[k])) return unknown;
    }
    return (Span){ fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])) };
}

static Span scaled(Span a, double s) { return times(a, point(s)); }

static Span squared(Span a)
{
    const Span s = times(a, a);
    return has_zero(a) ? (Span){ 0, s.hi } : s;
}

static Span reciprocal(Span a) { return has_zero(a) ? unknown : checked((Span){ 1 / a.hi, 1 / a.lo }); }

// A function that does not fall.
static Span rising(ExprOp op, Span a)
{
    return checked((Span){ expr_apply(op, a.lo, 0, 0), expr_apply(op, a.hi, 0, 0) });
}

// sin(a + shift·π/2).
static Span sine(Span a, int shift)
{
    if (!(a.hi - a.lo < 2 * PI)) return (Span){ -1, 1 };
    const ExprOp op = shift ? EXPR_COS : EXPR_SIN;
    const Span ends = { expr_apply(op, a.lo, 0, 0), expr_apply(op, a.hi, 0, 0) };
    Span range = { fmin(ends.lo, ends.hi), fmax(ends.lo, ends.hi) };
    const double first = (a.lo / PI + 0.5 * shift) / 2, last = (a.hi / PI + 0.5 * shift) / 2;    // in turns
    if (floor(last - 0.25) != floor(first - 0.25)) range.hi = 1;
    if (floor(last - 0.75) != floor(first - 0.75)) range.lo = -1;
    return range;
}

// u^p, for u > 0 or a whole p.
static Span power(Span u, double p)
{
    if (p == 0) return point(1);
    if (p < 0) return reciprocal(power(u, -p));
    const double lo = expr_apply(EXPR_POW, u.lo, p, 0), hi = expr_apply(EXPR_POW, u.hi, p, 0);
    if (has_zero(u) && fmod(p, 2) == 0) return (Span){ 0, fmax(lo, hi) };
    return checked((Span){ fmin(lo, hi), fmax(lo, hi) });
}

// ---- Taylor coefficients

static Jet constant(Span value)
{
    Jet j = { { value } };
    return j;
}

// A value within bounds of which nothing else is known.
static Jet jumping(Span value)
{
    Jet j = { { checked(value) } };
    for (int k = 1; k < JET; k++) j.c[k] = unknown;
    return j;
}

static Jet add(Jet a, Jet b, double sign)
{
    for (int k = 0; k < JET; k++) a.c[k] = plus(a.c[k], scaled(b.c[k], sign));
    return a;
}

static Jet scale(Jet a, double s)
{
    for (int k = 0; k < JET; k++) a.c[k] = scaled(a.c[k], s);
    return a;
}

static Jet multiply(const Jet *a, const Jet *b)
{
    Jet j;
    for (int k = 0; k < JET; k++) {
        j.c[k] = times(a->c[0], b->c[k]);
        for (int i = 1; i <= k; i++) j.c[k] = plus(j.c[k], times(a->c[i], b->c[k - i]));
    }
    return j;
}

// g(u), from g, g', g''/2 and g'''/6 over the range of u.
static Jet compose(const Span g[JET], const Jet *u)
{
    const Span u1 = u->c[1], u2 = u->c[2], u3 = u->c[3];
    Jet j;
    j.c[0] = checked(g[0]);
    j.c[1] = times(g[1], u1);
    j.c[2] = plus(times(g[1], u2), times(g[2], squared(u1)));
    j.c[3] = plus(times(g[1], u3),
                  plus(scaled(times(g[2], times(u1, u2)), 2), times(g[3], times(u1, squared(u1)))));
    return j;
}

static Jet power_of(const Jet *u, double p)
{
    const Span range = u->c[0];
    const bool is_whole = p == floor(p);
    if (!(range.lo > 0) && !is_whole) {
        if (!(p > 0) || range.hi < 0) return jumping(unknown);
        return jumping((Span){ 0, expr_apply(EXPR_POW, range.hi, p, 0) });
    }
    Span g[JET];
    double factor = 1;
    for (int k = 0; k < JET; k++) {
        g[k] = factor == 0 ? point(0) : scaled(power(range, p - k), factor);
        factor *= (p - k) / (k + 1);
    }
    return compose(g, u);
}

static Jet exponential(const Jet *u)
{
    const Span e = rising(EXPR_EXP, u->c[0]);
    const Span g[JET] = { e, e, scaled(e, 0.5), scaled(e, 1.0 / 6) };
    return compose(g, u);
}

static Jet logarithm(const Jet *u)
{
    if (!(u->c[0].lo > 0))
        return jumping(u->c[0].hi > 0 ? (Span){ -(double)INFINITY, expr_apply(EXPR_LOG, u->c[0].hi, 0, 0) }
                                      : unknown);
    const Span r = reciprocal(u->c[0]), r2 = squared(r);
    const Span g[JET] = { rising(EXPR_LOG, u->c[0]), r, scaled(r2, -0.5), scaled(times(r2, r), 1.0 / 3) };
    return compose(g, u);
}

static Jet quotient(const Jet *a, const Jet *b)
{
    const Jet r = power_of(b, -1);
    return multiply(a, &r);
}

static Jet tangent(const Jet *u)
{
    const Span a = u->c[0];
    if (!(a.hi - a.lo < PI) || floor(a.hi / PI - 0.5) != floor(a.lo / PI - 0.5)) return jumping(unknown);
    const Span t = rising(EXPR_TAN, a), t2 = squared(t), d = plus(point(1), t2);
    const Span g[JET] = { t, d, times(t, d), scaled(times(d, plus(point(1), scaled(t2, 3))), 1.0 / 3) };
    return compose(g, u);
}

static Jet arc_sine(const Jet *u)
{
    const Span a = u->c[0], within = { fmax(a.lo, -1), fmin(a.hi, 1) };
    if (!(within.lo <= within.hi)) return jumping(unknown);
    const Span value = rising(EXPR_ASIN, within);
    if (!(a.lo > -1 && a.hi < 1)) return jumping(value);
    const Span a2 = squared(a), w = plus(point(1), scaled(a2, -1));
    const Span g[JET] = { value, power(w, -0.5), scaled(times(a, power(w, -1.5)), 0.5),
                          scaled(times(plus(point(1), scaled(a2, 2)), power(w, -2.5)), 1.0 / 6) };
    return compose(g, u);
}

static Jet arc_tangent(const Jet *u)
{
    const Span a = u->c[0], a2 = squared(a), w = reciprocal(plus(point(1), a2));
    const Span g[JET] = { rising(EXPR_ATAN, a), w, scaled(times(a, squared(w)), -1),
                          scaled(times(plus(scaled(a2, 3), point(-1)), times(w, squared(w))), 1.0 / 3) };
    return compose(g, u);
}

static Jet angle(const Jet *y, const Jet *x)
{
    const bool is_right = x->c[0].lo > 0, is_above = y->c[0].lo > 0, is_below = y->c[0].hi < 0;
    if (!is_right && !is_above && !is_below) return jumping((Span){ -PI, PI });
    const Jet part = is_right ? quotient(y, x) : quotient(x, y), a = arc_tangent(&part);
    if (is_right) return a;
    return add(constant(point(is_above ? PI / 2 : -PI / 2)), a, -1);
}

static Jet hyperbolic(ExprOp op, const Jet *u)
{
    const Span a = u->c[0];
    if (op == EXPR_TANH) {
        const Span t = rising(EXPR_TANH, a), t2 = squared(t), d = plus(point(1), scaled(t2, -1));
        const Span g[JET] = { t, d, scaled(times(t, d), -1),
                              scaled(times(d, plus(scaled(t2, 3), point(-1))), 1.0 / 3) };
        return compose(g, u);
    }
    const Span s = rising(EXPR_SINH, a),
               high = { expr_apply(EXPR_COSH, a.lo, 0, 0), expr_apply(EXPR_COSH, a.hi, 0, 0) };
    const Span c = { has_zero(a) ? 1 : fmin(high.lo, high.hi), fmax(high.lo, high.hi) };
    const Span f = op == EXPR_SINH ? s : c, d = op == EXPR_SINH ? c : s;
    const Span g[JET] = { f, d, scaled(f, 0.5), scaled(d, 1.0 / 6) };
    return compose(g, u);
}

// ---- Corners, jumps and choices

// Both branches meet somewhere, at the same value: slopes lie between theirs.
static Jet meeting(const Jet *a, const Jet *b, Span value)
{
    Jet j = jumping(value);
    j.c[1] = hull(a->c[1], b->c[1]);
    return j;
}

static Jet lesser(const Jet *a, const Jet *b)
{
    const Span p = a->c[0], q = b->c[0];
    if (p.hi < q.lo) return *a;
    if (q.hi < p.lo) return *b;
    return meeting(a, b, (Span){ fmin(p.lo, q.lo), fmin(p.hi, q.hi) });
}

static Jet magnitude(const Jet *a)
{
    const Jet turned = scale(*a, -1);
    if (a->c[0].lo > 0 || is_zero(a->c[0])) return *a;
    if (a->c[0].hi < 0) return turned;
    return meeting(a, &turned, (Span){ 0, largest(a->c[0]) });
}

// A function that stays for a while and then rises by a step.
static Jet stepping(ExprOp op, const Jet *a)
{
    const Span range = rising(op, a->c[0]);
    return range.lo == range.hi ? constant(range) : jumping(range);
}

static Jet remainder_of(const Jet *a, const Jet *b)
{
    const Span period = b->c[0];
    if (period.lo != period.hi || period.lo == 0 || !is_zero(b->c[1])) return jumping(unknown);
    const double p = period.lo, first = floor(a->c[0].lo / p), last = floor(a->c[0].hi / p);
    if (first == last) return add(*a, constant(point(p * first)), -1);
    return jumping(p > 0 ? (Span){ 0, p } : (Span){ p, 0 });
}

// Truth values: 0, 1, or 0 to 1 if that is not decided.
static Span truth(ExprOp op, Span a, Span b)
{
    static const Span no = { 0, 0 }, yes = { 1, 1 }, open = { 0, 1 };
    switch (op) {
    case EXPR_LT: return a.hi < b.lo ? yes : a.lo >= b.hi ? no : open;
    case EXPR_LE: return a.hi <= b.lo ? yes : a.lo > b.hi ? no : open;
    case EXPR_GT: return truth(EXPR_LT, b, a);
    case EXPR_GE: return truth(EXPR_LE, b, a);
    case EXPR_EQ:
        if (a.hi < b.lo || b.hi < a.lo) return no;
        return a.lo == a.hi && b.lo == b.hi ? yes : open;
    case EXPR_NE: {
        const Span same = truth(EXPR_EQ, a, b);
        return (Span){ 1 - same.hi, 1 - same.lo };
    }
    case EXPR_AND: return (Span){ fmin(a.lo, b.lo), fmin(a.hi, b.hi) };
    case EXPR_OR: return (Span){ fmax(a.lo, b.lo), fmax(a.hi, b.hi) };
    default: return (Span){ 1 - a.hi, 1 - a.lo };
    }
}

#if HAS_RELATIONS
Span bounds_truth(ExprOp relation, Span zero) { return truth(relation, zero, point(0)); }

#endif
static Jet chosen(Span condition, const Jet *a, const Jet *b)
{
    if (condition.lo == 1) return *a;
    if (condition.hi == 0) return *b;
    return jumping(hull(a->c[0], b->c[0]));
}

#if HAS_PIECES
// ---- Tables of polynomials

// Piece i of a table of polynomials at u.
static Jet piece_at(const ExprPieces *table, int i, const Jet *u)
{
    const double *c = table->numbers + table->n_breaks[0] + 4 * (size_t)i;
    const Jet s = add(*u, constant(point(table->numbers[i > 0 ? i - 1 : 0])), -1);
    Jet sum = constant(point(c[3]));
    for (int k = 3; k-- > 0;) sum = add(multiply(&sum, &s), constant(point(c[k])), 1);
    return sum;
}

static Jet in_pieces(const ExprPieces *table, const Jet *u)
{
    const double *breaks = table->numbers;
    const int n = (int)table->n_breaks[0];
    int first = 0;
    while (first < n && breaks[first] <= u->c[0].lo) first++;
    Jet all = piece_at(table, first, u);
    for (int i = first; i < n && breaks[i] <= u->c[0].hi; i++) {
        Jet in = *u;
        in.c[0].lo = breaks[i];
        if (i + 1 < n) in.c[0].hi = fmin(in.c[0].hi, breaks[i + 1]);
        const Jet next = piece_at(table, i + 1, &in);
        if (i == first) {
            in.c[0] = (Span){ u->c[0].lo, breaks[i] };
            all = piece_at(table, first, &in);
        }
        all = jumping(hull(all.c[0], next.c[0]));
    }
    return all;
}

// As orr_near chooses: of the pieces with this code, the one nearest to x.
static int near_piece(const ExprPieces *table, double x, double code)
{
    const double *breaks = table->numbers;
    const int n = (int)table->n_breaks[0], wanted = code < 1.5 ? (code < 0.5 ? 0 : 1) : (code < 2.5 ? 3 : 2);
    int here = 0;
    while (here < n && breaks[here] <= x) here++;
    const int up = here + ((wanted - here) & 3), down = here - ((here - wanted) & 3);
    if (down >= 0 && (up > n || x - breaks[down] < breaks[up > 0 ? up - 1 : 0] - x)) return down;
    return up <= n ? up : here;
}

// Modes say in which piece the argument is.
static Jet in_piece(const ExprPieces *table, const Jet *u, double code)
{
    const int piece = near_piece(table, u->c[0].lo, code);
    return piece == near_piece(table, u->c[0].hi, code) ? piece_at(table, piece, u) : jumping(unknown);
}

#endif
#if HAS_LINES
// ---- Tables of points

// Straight lines between points; `is_slope`: how steep these are.
static Jet in_lines(const ExprTable *table, const Jet *u, bool is_slope)
{
    const Span range = u->c[0];
    Span value = point(expr_lookup(table, range.lo)), slope = point(expr_lookup_slope(table, range.lo));
    value = hull(value, point(expr_lookup(table, range.hi)));
    bool is_straight = true, jumps = false;
    for (uint32_t i = 0; i < table->n; i++) {
        if (!(table->x[i] > range.lo && table->x[i] <= range.hi)) continue;
        is_straight = false;
        jumps |= i > 0 && table->x[i] == table->x[i - 1];
        value = hull(value, point(table->y[i]));
        slope = hull(slope, point(expr_lookup_slope(table, table->x[i])));
    }
    if (is_slope) return is_straight ? constant(slope) : jumping(slope);
    const Span g[JET] = { value, slope };
    Jet j = compose(g, u);
    if (!is_straight) {
        const Span c1 = j.c[1];
        j = jumping(value);
        if (!jumps) j.c[1] = c1;
    }
    return j;
}

#endif
// ---- Terms

// A polynomial of the given degree around `origin`: coefficients around a time between `from` and `to`, which
// is its middle and what is within r of it.
static Jet polynomial_over(const double *p, int degree, double origin, double from, double to)
{
    const double d = 0.5 * (from + to) - origin, r = 0.5 * (to - from);
    double a[JET] = { 0 };
    for (int k = 0; k <= degree; k++) a[k] = p[k];
    for (int i = 0; i < degree; i++)    // moved to the middle
        for (int k = degree - 1; k >= i; k--) a[k] += d * a[k + 1];
    Jet j;
    for (int k = 0; k < JET; k++) {    // at s from the middle: a[k] + a1 s + a2 s² + a3 s³
        const double a1 = k + 1 < JET ? (k + 1) * a[k + 1] : 0, a3 = k == 0 ? a[3] : 0;
        const double a2 = k + 2 < JET ? (k + 1) * (k + 2) / 2 * a[k + 2] : 0;
        const double sides = fabs(a1) * r + fabs(a3) * r * r * r;
        j.c[k] = (Span){ a[k] - sides + fmin(a2, 0) * r * r, a[k] + sides + fmax(a2, 0) * r * r };
    }
    return j;
}

// What a leaf stands for.
static Jet slot_over(const Qss *m, const Island *island, const double *values, const IrSlot *slot,
                     uint32_t index, bool reads_x, double from, double to)
{
    switch (slot->kind) {
    case IR_SLOT_STATE: {
        const double *p = values + (size_t)(reads_x ? m->n_x : QSS_Q) * index;
        const int degree = reads_x ? m->order : m->order - 1;
        return polynomial_over(p, degree, p[reads_x ? QSS_TIME(m->order) : QSS_Q_TIME], from, to);
    }
    case IR_SLOT_SHARED: return m->bounds.shared[index - m->n];
    case IR_SLOT_NUMBER: return constant(point(m->ir->numbers[index]));
    case IR_SLOT_MODE: return constant(point(island->env.v[index] != 0));
    default: return constant(point(island->env.v[index]));
    }
}

static Jet node_over(const Qss *m, const ExprNode *r, const Jet *nodes)
{
    (void)m;    // it has the tables
    const bool has_table = r->op == EXPR_LOOKUP || r->op == EXPR_SLOPE || r->op == EXPR_PIECES;
    const Jet *a = &nodes[r->a], *b = has_table ? a : &nodes[r->b];    // where the operation has such
    switch (r->op) {
    case EXPR_NEG: return scale(*a, -1);
    case EXPR_ADD: return add(*a, *b, 1);
    case EXPR_SUB: return r->a == r->b ? constant(point(0)) : add(*a, *b, -1);
    case EXPR_MUL: return r->a == r->b ? power_of(a, 2) : multiply(a, b);
    case EXPR_DIV: return quotient(a, b);
    case EXPR_POW:
        if (b->c[0].lo == b->c[0].hi && is_zero(b->c[1])) return power_of(a, b->c[0].lo);
        if (a->c[0].lo > 0) {
            const Jet log = logarithm(a), product = multiply(b, &log);
            return exponential(&product);
        }
        return jumping(unknown);
    case EXPR_ABS: return magnitude(a);
    case EXPR_MIN: return lesser(a, b);
    case EXPR_MAX: {
        const Jet p = scale(*a, -1), q = scale(*b, -1), less = lesser(&p, &q);
        return scale(less, -1);
    }
    case EXPR_SIGN:
    case EXPR_FLOOR:
    case EXPR_CEIL:
    case EXPR_ROUND: return stepping((ExprOp)r->op, a);
    case EXPR_MOD: return remainder_of(a, b);
    case EXPR_SQRT: return power_of(a, 0.5);
    case EXPR_EXP: return exponential(a);
    case EXPR_LOG: return logarithm(a);
    case EXPR_LOG10: return scale(logarithm(a), 0x1.bcb7b1526e50ep-2);
    case EXPR_SIN:
    case EXPR_COS: {
        const int k = r->op == EXPR_COS;
        const Span s = sine(a->c[0], k), c = k ? scaled(sine(a->c[0], 0), -1) : sine(a->c[0], 1);
        const Span g[JET] = { s, c, scaled(s, -0.5), scaled(c, -1.0 / 6) };
        return compose(g, a);
    }
    case EXPR_TAN: return tangent(a);
    case EXPR_ASIN: return arc_sine(a);
    case EXPR_ACOS: return add(constant(point(PI / 2)), arc_sine(a), -1);
    case EXPR_ATAN: return arc_tangent(a);
    case EXPR_ATAN2: return angle(a, b);
    case EXPR_SINH:
    case EXPR_COSH:
    case EXPR_TANH: return hyperbolic((ExprOp)r->op, a);
#if HAS_LINES
    case EXPR_LOOKUP:
    case EXPR_SLOPE: return in_lines(&m->ir->pool.tables.items[r->b], a, r->op == EXPR_SLOPE);
#endif
#if HAS_PIECES
    case EXPR_PIECES: return in_pieces(&m->ir->pool.pieces.items[r->b], a);
    case EXPR_NEAR: return in_piece(&m->ir->pool.pieces.items[r->c], a, b->c[0].lo);
#endif
    case EXPR_IF: return chosen(a->c[0], b, &nodes[r->c]);
    case EXPR_NOT: return constant(truth(EXPR_NOT, a->c[0], a->c[0]));
    default: return constant(truth((ExprOp)r->op, a->c[0], b->c[0]));
    }
}

Jet bounds_of(const Qss *m, const Island *island, const double *values, uint32_t term, double from, double to)
{
    const IrQuantised *ir = m->ir;
    const IrShape *shape = &ir->shapes[ir->shape_of[term]];
    const uint32_t *row = ir->rows + ir->row_of[term];
    Jet *nodes = m->bounds.nodes;
    uint32_t n_slots = 0;
    for (uint32_t i = 0; i < shape->n_records; i++) {
        const ExprNode *r = &shape->records[i];
        if (r->op == EXPR_TIME) {
            nodes[i] = (Jet){ { { from, to }, { 1, 1 } } };
        } else if (r->op == EXPR_CONST && r->a == IR_RECORD_TRUTH) {
            nodes[i] = constant(point(r->b));
        } else if (r->op == EXPR_CONST || r->op == EXPR_VAR || r->op == EXPR_MODE) {
            const IrSlot *slot = &shape->slots[n_slots++];
            nodes[i] = slot_over(m, island, values, slot, slot->moves ? row[slot->column] : slot->index,
                                 shape->reads_x, from, to);
        } else {
            nodes[i] = node_over(m, r, nodes);
        }
    }
    return nodes[shape->n_records - 1];
}

#if HAS_BENT
// ---- Trust

// How long may a polynomial with these coefficients stand for a rate, of the span h? The rate is the first k
// of them and a remainder, coefficient k of `rate`; for whichever k that says most.
static double trusted(const Jet *rate, const double *p, int order, double allowed, double h_most)
{
    double longest = 0, power_of_h = h_most;
    for (int k = 0; k < order; k++) power_of_h *= h_most;
    if (largest(rate->c[order]) * power_of_h <= (order + 1) * allowed) return h_most;    // mostly so
    for (int k = 0; k <= order; k++) {
        double h = INFINITY;
        for (int i = k; i <= order; i++) {
            const double ours = i < order ? p[i] : 0;
            const double c = i == k ? largest(plus(rate->c[k], point(-ours))) : fabs(ours);
            const double share = allowed / (order - k > 1 ? order - k : 1);
            if (c > 0) h = fmin(h, expr_pow((i + 1) * share / c, 1.0 / (i + 1)));
        }
        longest = fmax(longest, h);
    }
    return fmin(longest, h_most);
}

// In first order each time that is held is off at once, on the same side: not only half a quantum while it is
// held, but not much more than the quantum in the whole run, or in the time in which x moves by it.
static double trusted_by_pace(const Jet *rate, const double *x, double allowed, double span, double h_most)
{
    const double held = trusted(rate, x + 1, 1, allowed, h_most);
    const double quantum = x[QSS_QUANTUM(1)], moves = quantum / fabs(x[1]);
    return fmin(held, fmax(moves, SPAN_PARTS * quantum / (largest(rate->c[1]) * span)));
}

void bounds_trust(const Qss *m, const Island *island, const double *x, const double *q, double *again,
                  uint32_t i, double t)
{
    const int order = m->order;
    const double *own = x + (size_t)m->n_x * i, allowed = TRUSTED * own[QSS_QUANTUM(order)];
    const double since = order == 1 ? m->held : t, end = island->options.t_end;
    const double least = fmax(1e-4 * m->least_wait, 4 * DBL_EPSILON * fabs(t));
    const double left = isfinite(end) ? fmax(end - since, m->least_wait) : (double)INFINITY;
    double p[3] = { own[1], order > 1 ? 2 * own[2] : 0, order > 2 ? 3 * own[3] : 0 };
    // further ahead only if nothing was renewed for so long
    double h = fmin(again[1] < 0 ? -GROWTH * again[1] : again[1], left), proven = least;
    for (int tries = 0; tries < TRIES; tries++) {
#if HAS_SHARED
        const IrLists *shared = &m->ir->shared_of;
        for (uint32_t k = shared->start[i]; k < shared->start[i + 1]; k++) {
            const uint32_t s = shared->item[k];
            m->bounds.shared[s] = bounds_of(m, island, q, m->n + s, since, since + h);
        }
#endif
        const Jet rate = bounds_of(m, island, q, i, since, since + h);
        const double ok = order == 1 ? trusted_by_pace(&rate, own, allowed, isfinite(left) ? left : 1, h)
                                     : trusted(&rate, p, order, allowed, h);
        proven = fmax(proven, ok);
        if (ok >= 0.25 * h || h <= 8 * proven) break;
        h = fmax(h / 16, 4 * proven);
    }
    again[1] = proven;
    again[0] = fmax(since + proven, t);
}

bool bounds_at_rest(const Qss *m, uint32_t i)
{
    const IrShape *shape = &m->ir->shapes[m->ir->shape_of[i]];
    const uint32_t *row = m->ir->rows + m->ir->row_of[i];
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        const IrSlot *slot = &shape->slots[k];
        if (slot->kind == IR_SLOT_SHARED) return false;
        if (slot->kind != IR_SLOT_STATE) continue;
        const double *q = m->q + QSS_Q * (size_t)(slot->moves ? row[slot->column] : slot->index);
        if ((m->order > 1 && q[1] != 0) || (m->order > 2 && q[2] != 0)) return false;
    }
    return !shape->reads_time;
}

#endif
