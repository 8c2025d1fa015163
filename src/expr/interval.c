// src/expr/interval.c: enclosures of operations, and their domains; see interval.h.
//
// Sums, products and quotients know their rounding error (by Knuth's sum and by fma), so a bound that is
// exact is not moved: t - 1 over [0, 1] ends at 0. Functions are monotonic between known points; the rows of
// ops.def say how.
#include "expr/interval.h"
#include "expr/math.h"
#include "expr/walk.h"
#include <assert.h>
#include <float.h>
#include <math.h>

enum { SLACK = 4 };    // units in the last place by which bounds of inexact functions are moved

static const ExprInterval nothing = { INFINITY, -INFINITY, true };
static const ExprInterval anything = { -INFINITY, INFINITY, true };

static bool is_empty(ExprInterval x) { return x.low > x.high; }
static bool has(ExprInterval x, double value) { return x.low <= value && value <= x.high; }
static bool has_infinity(ExprInterval x) { return isinf(x.low) || isinf(x.high); }

static ExprInterval hull(ExprInterval a, ExprInterval b)
{
    return (ExprInterval){ fmin(a.low, b.low), fmax(a.high, b.high), a.may_be_nan || b.may_be_nan };
}

// What was computed as 0 is never below it: functions underflow from above only, or are exact there.
static double down(double x, int ulps)
{
    for (int i = 0; i < ulps && x != 0; i++) x = nextafter(x, -INFINITY);
    return x;
}

static double up(double x, int ulps)
{
    for (int i = 0; i < ulps; i++) x = nextafter(x, INFINITY);
    return x;
}

// ---- Arithmetic
//
// Each gives the lower bound of one result. Upper bounds are lower bounds of the negative.

static double add_down(double x, double y)
{
    const double s = x + y;
    if (isnan(s)) return -INFINITY;
    if (isinf(s)) return s < 0 || isinf(x) || isinf(y) ? s : DBL_MAX;
    const double part = s - x, error = (x - (s - part)) + (y - part);
    return error < 0 ? nextafter(s, -INFINITY) : s;
}

// A result whose exact value is `result` and an error with the sign of `error`; near the smallest numbers the
// error is not known.
static double round_down(double result, double error, bool is_known)
{
    return is_known && !(error < 0) ? result : nextafter(result, -INFINITY);
}

static double multiply_down(double x, double y)
{
    if (x == 0 || y == 0) return 0;
    const double p = x * y;
    if (isinf(p)) return p < 0 || isinf(x) || isinf(y) ? p : DBL_MAX;
    if (p == 0) return (x < 0) == (y < 0) ? 0 : -DBL_TRUE_MIN;
    return round_down(p, fma(x, y, -p), fabs(p) > 0x1p-960);
}

static double divide_down(double x, double y)
{
    if (x == 0) return 0;
    const double q = x / y;
    if (isnan(q)) return -INFINITY;
    if (isinf(q)) return q < 0 || isinf(x) ? q : DBL_MAX;
    if (q == 0) return isinf(y) || (x < 0) == (y < 0) ? 0 : -DBL_TRUE_MIN;
    const double rest = fma(-q, y, x);
    return round_down(q, y < 0 ? -rest : rest, fabs(q) > 0x1p-960 && fabs(x) > 0x1p-900);
}

static ExprInterval negate(ExprInterval a) { return (ExprInterval){ -a.high, -a.low, a.may_be_nan }; }

static ExprInterval add(ExprInterval a, ExprInterval b)
{
    const bool cancels = (a.high == INFINITY && b.low == -INFINITY) ||
                         (a.low == -INFINITY && b.high == INFINITY);
    return (ExprInterval){ add_down(a.low, b.low), -add_down(-a.high, -b.high), cancels };
}

// The hull of op over the corners of a box.
static ExprInterval corners(double (*lower)(double, double), ExprInterval a, ExprInterval b)
{
    const double x[] = { a.low, a.high }, y[] = { b.low, b.high };
    ExprInterval c = { INFINITY, -INFINITY, false };
    for (int i = 0; i < 4; i++) {
        c.low = fmin(c.low, lower(x[i / 2], y[i % 2]));
        c.high = fmax(c.high, -lower(-x[i / 2], y[i % 2]));
    }
    return c;
}

static ExprInterval multiply(ExprInterval a, ExprInterval b)
{
    ExprInterval c = corners(multiply_down, a, b);
    c.may_be_nan = (has(a, 0) && has_infinity(b)) || (has(b, 0) && has_infinity(a));
    return c;
}

static ExprInterval divide(ExprInterval a, ExprInterval b)
{
    const bool may_be_nan = has_infinity(a) && has_infinity(b);
    // the sign of a zero decides between both infinities
    if (has(b, 0)) return (ExprInterval){ -INFINITY, INFINITY, may_be_nan || has(a, 0) };
    ExprInterval c = corners(divide_down, a, b);
    c.may_be_nan = may_be_nan;
    return c;
}

// ---- Functions of one argument

typedef struct Function {
    ExprOp op;
    int    slack;    // units in the last place
} Function;

static double value(const Function *f, double a, double b) { return expr_apply(f->op, a, b, 0); }

// A value that left the numbers tells its sign only: asinh does so at 1e154 already.
static ExprInterval between(const Function *f, double low, double high)
{
    return expr_interval_of(low == INFINITY ? 0 : down(low, f->slack),
                            high == -INFINITY ? 0 : up(high, f->slack));
}

// Smallest and largest distance from 0.
static ExprInterval magnitude(ExprInterval a)
{
    const double x = fabs(a.low), y = fabs(a.high);
    return expr_interval_of(has(a, 0) ? 0 : fmin(x, y), fmax(x, y));
}

static ExprInterval rising(const Function *f, ExprInterval a, ExprInterval b)
{
    (void)b;
    return between(f, value(f, a.low, 0), value(f, a.high, 0));
}

static ExprInterval falling(const Function *f, ExprInterval a, ExprInterval b)
{
    (void)b;
    return between(f, value(f, a.high, 0), value(f, a.low, 0));
}

static ExprInterval even(const Function *f, ExprInterval a, ExprInterval b)
{
    return rising(f, magnitude(a), b);
}

// Does the interval have a point offset + k period? No is certain, yes is not.
static bool may_meet(ExprInterval a, double offset, double period)
{
    const double x = (a.low - offset) / period, y = (a.high - offset) / period;
    const double slack = 8 * DBL_EPSILON * (1 + fmax(fabs(x), fabs(y)));
    return !(slack < 0.25) || floor(y + slack) >= ceil(x - slack);
}

static const double pi = 3.14159265358979323846;

static ExprInterval wave(const Function *f, ExprInterval a, double top)
{
    if (has_infinity(a)) return (ExprInterval){ down(-1, SLACK), up(1, SLACK), true };
    const double x = value(f, a.low, 0), y = value(f, a.high, 0);
    const double low = may_meet(a, top + pi, 2 * pi) ? -1 : fmin(x, y);
    return between(f, low, may_meet(a, top, 2 * pi) ? 1 : fmax(x, y));
}

static ExprInterval sine(const Function *f, ExprInterval a, ExprInterval b)
{
    (void)b;
    return wave(f, a, pi / 2);
}

static ExprInterval cosine(const Function *f, ExprInterval a, ExprInterval b)
{
    (void)b;
    return wave(f, a, 0);
}

static ExprInterval tangent(const Function *f, ExprInterval a, ExprInterval b)
{
    if (has_infinity(a)) return anything;
    return may_meet(a, pi / 2, pi) ? expr_interval_of(-INFINITY, INFINITY) : rising(f, a, b);
}

// ---- Functions of two arguments

static ExprInterval both_rising(const Function *f, ExprInterval a, ExprInterval b)
{
    return between(f, value(f, a.low, b.low), value(f, a.high, b.high));
}

static ExprInterval both_even(const Function *f, ExprInterval a, ExprInterval b)
{
    return both_rising(f, magnitude(a), magnitude(b));
}

// a - b floor(a/b)
static ExprInterval remains(const Function *f, ExprInterval a, ExprInterval b)
{
    (void)f;
    if (has(b, 0) || has_infinity(a) || has_infinity(b)) return anything;
    const ExprInterval quotient = divide(a, b);
    const ExprInterval whole = expr_interval_of(floor(quotient.low), floor(quotient.high));
    if (has_infinity(whole)) return anything;
    if (whole.low == whole.high) return add(a, negate(multiply(b, whole)));
    // anywhere up to b; rounding may lead a little further
    const double most = fmax(fabs(a.low), fabs(a.high)) + fmax(fabs(b.low), fabs(b.high));
    const double slack = up(SLACK * DBL_EPSILON * most, 1);
    return expr_interval_of(fmin(0, b.low) - slack, fmax(0, b.high) + slack);
}

// atan2(a, b): the angles of a box without the origin end at its corners, unless it touches the cut
static ExprInterval direction(const Function *f, ExprInterval a, ExprInterval b)
{
    if (has(a, 0) && b.low <= 0) return between(f, -pi, pi);
    const double y[] = { a.low, a.high }, x[] = { b.low, b.high };
    ExprInterval c = { INFINITY, -INFINITY, false };
    for (int i = 0; i < 4; i++) {
        const double angle = value(f, y[i / 2], x[i % 2]);
        c = hull(c, expr_interval_of(angle, angle));
    }
    return between(f, c.low, c.high);
}

// ---- Powers

static ExprInterval whole_power(ExprInterval a, double n)
{
    // products round at most as often as there are factors, and underflow towards 0
    const Function f = { EXPR_POW, 2 * EXPR_WHOLE_POWER_MAX };
    const bool is_even = fmod(n, 2) == 0;
    if (n < 0 && has(a, 0)) return expr_interval_of(is_even ? 0 : -INFINITY, INFINITY);
    if (is_even) a = magnitude(a);
    const double x = value(&f, n < 0 && is_even ? a.high : a.low, n);
    const double y = value(&f, n < 0 && is_even ? a.low : a.high, n);
    ExprInterval c = between(&f, fmin(x, y), fmax(x, y));
    if (fabs(c.low) < 0x1p-900) c.low -= is_even ? c.low : 0x1p-1000;
    if (fabs(c.high) < 0x1p-900) c.high += 0x1p-1000;
    return c;
}

static ExprInterval raise(ExprInterval a, ExprInterval b)
{
    const Function f = { EXPR_POW, SLACK };
    if (b.low == b.high && b.low == floor(b.low) && isfinite(b.low)) return whole_power(a, b.low);
    if (a.low < 0) return anything;    // some powers of negative numbers exist
    if (a.low == 0 && b.low < 0) return expr_interval_of(-INFINITY, INFINITY);    // of -0
    const double x[] = { a.low, a.high }, y[] = { b.low, b.high };
    ExprInterval c = { INFINITY, -INFINITY, false };
    for (int i = 0; i < 4; i++) {
        const double power = expr_pow(x[i / 2], y[i % 2]);
        c = hull(c, expr_interval_of(power, power));
    }
    return between(&f, c.low, c.high);
}

// ---- Truth values

static ExprInterval truth(bool may_be_false, bool may_be_true)
{
    return expr_interval_of(may_be_false ? 0 : 1, may_be_true ? 1 : 0);
}
static bool may_be_true(ExprInterval a) { return a.low != 0 || a.high != 0 || a.may_be_nan; }
static bool may_be_false(ExprInterval a) { return has(a, 0); }

static ExprInterval compare(ExprOp op, ExprInterval a, ExprInterval b)
{
    const bool nan = a.may_be_nan || b.may_be_nan;
    const bool meet = a.low <= b.high && b.low <= a.high;
    const bool one = a.low == a.high && b.low == b.high && a.low == b.low;
    switch (op) {
    case EXPR_LT: return truth(!(a.high < b.low) || nan, a.low < b.high);
    case EXPR_LE: return truth(!(a.high <= b.low) || nan, a.low <= b.high);
    case EXPR_GT: return compare(EXPR_LT, b, a);
    case EXPR_GE: return compare(EXPR_LE, b, a);
    case EXPR_EQ: return truth(!one || nan, meet);
    default: return truth(meet, !one || nan);
    }
}

// ---- Domains

static const struct Domain {
    double      low, high;
    bool        is_open;
    const char *hint;
} domains[EXPR_N_DOMAINS] = {
#define CLOSED false
#define OPEN true
#define DOMAIN(name, low, high, ends, hint) { low, high, ends, hint },
#include "expr/ops.def"
};

bool expr_in_domain(ExprOp op, double a, double b)
{
    const struct Domain *d = &domains[expr_ops[op].domain];
    if (op == EXPR_DIV) return b != 0;
    if (op == EXPR_POW) return !(a < 0 && b != floor(b)) && !(a == 0 && b < 0);
    if (expr_ops[op].domain == EXPR_DOMAIN_QUOTIENT) return isfinite(a / b);
    return d->is_open ? a > d->low && a < d->high : a >= d->low && a <= d->high;
}

const char *expr_domain_hint(ExprOp op, double a)
{
    if (op != EXPR_POW) return domains[expr_ops[op].domain].hint;
    return a == 0 ? "%s is 0 and has no negative powers: say with 'if' what should happen there"
                  : "%s is negative and has whole powers only: use abs, or say with 'if' what should happen "
                    "there";
}

// ---- Any operation

static ExprInterval call(ExprOp op, ExprInterval a, ExprInterval b)
{
    const struct Domain *d = &domains[expr_ops[op].domain];
    const Function f = { op, expr_ops[op].shape == EXPR_SMOOTH ? SLACK : 0 };
    const ExprInterval inside = { fmax(a.low, d->low), fmin(a.high, d->high), false };
    const bool leaves = a.low < d->low || a.high > d->high;
    if (is_empty(inside)) return nothing;
    ExprInterval c = nothing;
    switch (op) {
#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) \
    case EXPR_##name: c = interval(&f, inside, b); break;
#include "expr/ops.def"
    default: assert(0 && "a function");
    }
    c.may_be_nan = c.may_be_nan || leaves;
    return c;
}

static ExprInterval apply(ExprOp op, ExprInterval a, ExprInterval b)
{
    switch (op) {
    case EXPR_NEG: return negate(a);
    case EXPR_ADD: return add(a, b);
    case EXPR_SUB: return add(a, negate(b));
    case EXPR_MUL: return multiply(a, b);
    case EXPR_DIV: return divide(a, b);
    case EXPR_POW: return raise(a, b);
    default: return call(op, a, b);
    }
}

ExprInterval expr_apply_interval(ExprOp op, ExprInterval a, ExprInterval b, ExprInterval c)
{
    switch (op) {
    case EXPR_LT: case EXPR_LE: case EXPR_GT: case EXPR_GE: case EXPR_EQ: case EXPR_NE:
        return compare(op, a, b);
    case EXPR_AND: return truth(may_be_false(a) || may_be_false(b), may_be_true(a) && may_be_true(b));
    case EXPR_OR: return truth(may_be_false(a) && may_be_false(b), may_be_true(a) || may_be_true(b));
    case EXPR_NOT: return truth(may_be_true(a), may_be_false(a));
    case EXPR_IF:
        if (!may_be_false(a)) return b;
        return may_be_true(a) ? hull(b, c) : c;
    default: break;
    }
    const bool is_binary = expr_ops[op].arity > 1;
    // 1^nan is 1 and hypot(inf, nan) is inf
    const bool hides_nan = op == EXPR_POW || op == EXPR_HYPOT;
    if (hides_nan && (a.may_be_nan || b.may_be_nan)) return anything;
    if (is_empty(a) || (is_binary && is_empty(b))) return nothing;
    ExprInterval y = apply(op, a, b);
    y.may_be_nan = y.may_be_nan || a.may_be_nan || (is_binary && b.may_be_nan);
    return y;
}

// ---- Tables

static ExprInterval lookup(const ExprTable *table, ExprInterval at)
{
    double low = expr_lookup(table, at.low), high = low, most = 0;
    for (uint32_t i = 0; i <= table->n; i++) {
        const bool is_inside = i < table->n && has(at, table->x[i]);
        const double y = is_inside ? table->y[i] : expr_lookup(table, at.high);
        low = fmin(low, y);
        high = fmax(high, y);
        if (i < table->n) most = fmax(most, fabs(table->y[i]));
    }
    const double slack = SLACK * DBL_EPSILON * most;    // of a point between two
    return expr_interval_of(low - slack, high + slack);
}

static ExprInterval lookup_slope(const ExprTable *table, ExprInterval at)
{
    double low = expr_lookup_slope(table, at.low), high = low;
    for (uint32_t i = 0; i < table->n; i++) {
        const double y = has(at, table->x[i]) ? expr_lookup_slope(table, table->x[i]) : low;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    return expr_interval_of(down(low, SLACK), up(high, SLACK));
}

// The pieces [*first, *last] that an interval touches, and what s is there in piece i.
typedef struct Axis { const double *breaks; uint32_t n; ExprInterval at; } Axis;

static uint32_t piece_of(const Axis *axis, double x)
{
    uint32_t i = 0;
    while (i < axis->n && axis->breaks[i] <= x) i++;
    return i;
}

static ExprInterval offset_in(const Axis *axis, uint32_t i)
{
    const double low = i > 0 ? fmax(axis->at.low, axis->breaks[i - 1]) : axis->at.low;
    const double high = i < axis->n ? fmin(axis->at.high, axis->breaks[i]) : axis->at.high;
    const double origin = axis->breaks[i > 0 ? i - 1 : 0];
    return add(expr_interval_of(low, high), expr_interval_of(-origin, -origin));
}

// c0 + s (c1 + s (c2 + s c3))
static ExprInterval cubic(const ExprInterval c[4], ExprInterval s)
{
    ExprInterval y = c[3];
    for (int k = 3; k-- > 0;) y = add(c[k], multiply(s, y));
    return y;
}

static ExprInterval cubic_of(const double *c, ExprInterval s)
{
    ExprInterval points[4];
    for (int k = 0; k < 4; k++) points[k] = expr_interval_of(c[k], c[k]);
    return cubic(points, s);
}

// Of one argument, or of two; `numbers` as in ExprPieces.
static ExprInterval pieces(const ExprPieces *table, ExprInterval a, ExprInterval b)
{
    const bool is_grid = table->n_breaks[1] > 0;
    const Axis x = { table->numbers, table->n_breaks[0], a };
    const Axis y = { table->numbers + x.n, table->n_breaks[1], b };
    const double *coefficients = table->numbers + x.n + y.n;
    ExprInterval all = { INFINITY, -INFINITY, false };
    const uint32_t last = piece_of(&x, a.high), last_y = is_grid ? piece_of(&y, b.high) : 0;
    for (uint32_t i = piece_of(&x, a.low); i <= last; i++) {
        for (uint32_t j = is_grid ? piece_of(&y, b.low) : 0; j <= last_y; j++) {
            const double *c = coefficients + (is_grid ? 16 * (i * (y.n + 1) + j) : 4 * i);
            if (isnan(c[0])) {    // outside of the points of a table that ends there
                all.may_be_nan = true;
                continue;
            }
            ExprInterval rows[4];
            for (int k = 0; is_grid && k < 4; k++) rows[k] = cubic_of(c + 4 * k, offset_in(&y, j));
            all = hull(all, is_grid ? cubic(rows, offset_in(&x, i)) : cubic_of(c, offset_in(&x, i)));
        }
    }
    return all;
}

// ---- Expressions

static ExprInterval leaf(const ExprPool *pool, const ExprNode *node, const ExprBox *box)
{
    switch (node->op) {
    case EXPR_CONST: {
        const double x = pool->constants.items[node->index];
        return isnan(x) ? nothing : expr_interval_of(x, x);
    }
    case EXPR_VAR: return box->variable ? box->variable(box->context, node->index) : anything;
    case EXPR_TIME: return box->t;
    case EXPR_MODE: return box->mode ? box->mode(box->context, node->index) : truth(true, true);
    case EXPR_TURN: {
        const double x = (double)(int32_t)node->b + box->turn[node->a];
        return expr_interval_of(x, x);
    }
    default: break;    // ELEM
    }
    const ExprAccess *access = &pool->accesses.items[node->index];
    int64_t element = access->offset;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) element += (int64_t)access->stride[k] * box->turn[k];
    return box->element ? box->element(box->context, access->array, (uint32_t)element) : anything;
}

static ExprInterval table_interval(const ExprPool *pool, const ExprNode *node, ExprInterval a, ExprInterval b)
{
    ExprInterval y = anything;
    if (is_empty(a) || (node->op == EXPR_GRID && is_empty(b))) return nothing;
    switch (node->op) {
    case EXPR_LOOKUP: y = lookup(&pool->tables.items[node->b], a); break;
    case EXPR_SLOPE: y = lookup_slope(&pool->tables.items[node->b], a); break;
    case EXPR_PIECES: y = pieces(&pool->pieces.items[node->b], a, a); break;
    case EXPR_GRID: y = pieces(&pool->pieces.items[node->c], a, b); break;
    case EXPR_DRAW:
        if (pool->draws.items[node->c].kind == EXPR_DRAW_UNIT) return expr_interval_of(0, 1);
        break;
    default: break;    // NEAR goes on beyond its pieces; nothing is known of histories
    }
    y.may_be_nan = y.may_be_nan || a.may_be_nan || (node->op == EXPR_GRID && b.may_be_nan);
    return y;
}

ExprInterval expr_interval(const ExprPool *pool, Expr e, const ExprBox *box)
{
    Walk walk;
    walk_init(&walk, pool, &e, 1, 0);
    ExprInterval *known = ARENA_ARRAY(&walk.scratch, ExprInterval, walk.n);
    for (size_t i = 0; i < walk.n; i++) {
        const ExprNode *node = expr_node(pool, walk.nodes[i]);
        const uint32_t operands[3] = { node->a, node->b, node->c };
        const int arity = expr_ops[node->op].arity;
        ExprInterval x[3] = { nothing, nothing, nothing };
        for (int k = 0; k < arity; k++) x[k] = known[walk_place(&walk, operands[k])];
        if (arity == 0) known[i] = leaf(pool, node, box);
        else if (node->op >= EXPR_LOOKUP && node->op <= EXPR_DELAY)
            known[i] = table_interval(pool, node, x[0], x[1]);
        else known[i] = expr_apply_interval((ExprOp)node->op, x[0], x[1], x[2]);
    }
    const ExprInterval result = known[walk.n - 1];
    walk_free(&walk);
    return result;
}
