// src/engine/history.c: the past of delayed expressions.
//
// Each accepted step leaves segments: what every delay remembers at the ends of a segment and at two points
// between them, read from the dense output. A cubic through the four serves the whole segment, so nothing is
// interpolated across the end of a step, where an event may have bent or broken the curve. A step of a method
// that keeps a tolerance is halved until the cubics keep it too; fixed steps are one segment, whose error is
// of the order of their method. No step is longer than the shortest lag, so the segment that is being
// computed is never asked for. Segments older than the longest lag are dropped.
//
// Where something jumps, at the start, at an event, the past has a break, which comes back after each lag,
// one derivative higher: the first of these are ends of steps.
//
// A lag that moves is what another delay remembers. So it is known at the end of each step, with its slope:
// the next step ends before t - lag passes that end, and where t - lag meets a break. That is found by steps
// of nine tenths of the way that is expected, until what is expected stays the same.
#include "engine/host.h"

enum {
    POINTS = HISTORY_POINTS,
    HISTORY_LEVELS = 5,           // of derivatives whose breaks are ends of steps
    HISTORY_BREAKS_MAX = 4096,    // that are known at a time; beyond it only jumps are
    HISTORY_HALVINGS = 10,        // of a step, for its segments
};
#define HISTORY_ERROR 0.1    // of the tolerance
#define HISTORY_LEAST 1e-8     // step, of the largest lag, where a lag that moves is 0
#define HISTORY_MEETS 1e-11    // t - lag and a break, of time and largest lag

// Is it there only to remember the lag of another?
static bool is_lag(const Island *island, uint32_t delay)
{
    for (uint32_t k = 0; k < island->tables->n_delays; k++)
        if (island->tables->moving[k] == delay) return true;
    return false;
}

bool history_init(Island *island)
{
    History *h = &island->history;
    bool ok = true;
    h->shortest = INFINITY;
    h->longest = 0;
    h->n_segments = h->dropped = h->n_breaks = 0;
    h->known = h->moves = false;
    for (uint32_t k = 0; k < island->tables->n_delays; k++) {
        h->lag[k] = island->services->lag_of(island, k);
        if (!(h->lag[k] > 0) || !isfinite(h->lag[k])) {
            island->services->report(island, ENGINE_BAD_LAG, k, h->lag[k]);
            ok = false;
        }
        h->pace[k] = 1;
        h->moves |= island->tables->moving[k] != ENGINE_NONE;
        h->longest = fmax(h->longest, h->lag[k]);
        if (island->tables->moving[k] == ENGINE_NONE && !is_lag(island, k))
            h->shortest = fmin(h->shortest, h->lag[k]);
    }
    return ok;
}

double history_shortest(const Island *island)
{
    return island->tables->n_delays ? island->history.shortest : (double)INFINITY;
}

bool history_lags(Island *island, bool reports)
{
    History *h = &island->history;
    bool ok = true;
    if (!h->moves || engine_call(island, IR_HISTORIES, island->t, island->x, h->now) != 0) return true;
    for (uint32_t k = 0; k < island->tables->n_delays; k++) {
        if (island->tables->moving[k] == ENGINE_NONE) continue;
        const uint32_t source = island->tables->moving[k];
        const double lag = h->now[source], step = island->t - island->t_before;
        const bool fits = lag >= -HISTORY_MEETS * h->longest && lag <= h->lag[source] * (1 + HISTORY_MEETS);
        if (!fits && ok && reports) island->services->report(island, ENGINE_BAD_LAG, k, lag);
        ok &= fits;
        if (step > 0) h->pace[k] = 1 - (lag - h->lag[k]) / step;
        h->lag[k] = lag;
    }
    return ok;
}

// ---- Breaks

bool history_make_breaks(Island *island, size_t n)
{
    History *h = &island->history;
    if (n <= h->break_capacity) return true;
    const size_t more = n < 16 ? 16 : 2 * n, size = sizeof *h->breaks;
    HistoryBreak *breaks = island->services->grow(island, h->breaks, h->break_capacity * size, more * size);
    if (!breaks) return false;
    h->breaks = breaks;
    h->break_capacity = more;
    return true;
}

// Those that moving lags are to meet stand before all others, which are in order, the next one last.
static void history_insert(Island *island, HistoryBreak new)
{
    History *h = &island->history;
    const double slack = 1e-12 * (fabs(new.t) + fmin(h->shortest, h->longest));
    size_t i = new.delay ? 0 : h->n_breaks;
    while (!new.delay && i > 0 && !h->breaks[i - 1].delay && h->breaks[i - 1].t < new.t - slack) i--;
    if (i > 0 && !h->breaks[i - 1].delay && h->breaks[i - 1].t <= new.t + slack) {
        if (new.level < h->breaks[i - 1].level) h->breaks[i - 1].level = new.level;
        return;
    }
    if (h->n_breaks >= HISTORY_BREAKS_MAX && new.level > 1) return;
    if (!history_make_breaks(island, h->n_breaks + 1)) {
        h->is_lost = true;
        return;
    }
    memmove(h->breaks + i + 1, h->breaks + i, (h->n_breaks - i) * sizeof *h->breaks);
    h->breaks[i] = new;
    h->n_breaks++;
}

// Where t - lag is expected to be `past`, as it moves now; INFINITY: it does not come nearer.
static double history_expect(const Island *island, uint32_t k, double past)
{
    const History *h = &island->history;
    const double way = past - (island->t - h->lag[k]);
    return h->pace[k] > 0 ? island->t + fmax(0, way) / h->pace[k] : (double)INFINITY;
}

// What jumped or bent at t comes back in each delay.
static void history_add_breaks(Island *island, double t, uint32_t level)
{
    const History *h = &island->history;
    for (uint32_t k = 0; level <= HISTORY_LEVELS && k < island->tables->n_delays; k++) {
        if (island->tables->moving[k] == ENGINE_NONE) {
            if (!is_lag(island, k)) history_insert(island, (HistoryBreak){ t + h->lag[k], level, 0, 0 });
        } else if (t > island->t - h->lag[k]) {
            history_insert(island, (HistoryBreak){ history_expect(island, k, t), level, k + 1, t });
        }
    }
}

void history_jumped(Island *island)
{
    if (island->tables->n_delays == 0) return;
    history_lags(island, false);
    for (uint32_t k = 0; k < island->tables->n_delays; k++) island->history.pace[k] = 1;
    history_add_breaks(island, island->t, 1);
}

static bool history_has_met(const Island *island, const HistoryBreak *b)
{
    const History *h = &island->history;
    if (b->delay == 0) return drive_has_reached(island, b->t);
    const double slack = HISTORY_MEETS * (fabs(island->t) + h->longest);
    return island->t - h->lag[b->delay - 1] >= b->past - slack;
}

// Breaks that have been reached are taken out, and their echoes follow.
static void history_pass_breaks(Island *island)
{
    History *h = &island->history;
    for (size_t i = 0; i < h->n_breaks;) {
        if (h->breaks[i].delay == 0) i = h->n_breaks - 1;    // of these the last is the first
        const HistoryBreak b = h->breaks[i];
        if (!history_has_met(island, &b)) {
            i = b.delay ? i + 1 : h->n_breaks;
            continue;
        }
        memmove(h->breaks + i, h->breaks + i + 1, (--h->n_breaks - i) * sizeof *h->breaks);
        history_add_breaks(island, b.delay ? island->t : b.t, b.level + !island->tables->is_neutral);
        i = 0;
    }
}

// The next of those that moving lags are to meet, or how far it is safe to go towards it.
static double history_approach(Island *island, bool *is_jump)
{
    History *h = &island->history;
    double nearest = INFINITY;
    for (size_t i = 0; i < h->n_breaks && h->breaks[i].delay; i++) {
        HistoryBreak *b = &h->breaks[i];
        const double t = history_expect(island, b->delay - 1, b->past), way = t - island->t;
        const bool is_sure = fabs(t - b->t) <= 1e-9 * way || way <= 1e-6 * h->longest;
        b->t = t;
        const double end = is_sure ? t : island->t + 0.9 * way;
        if (end >= nearest || isinf(t)) continue;
        nearest = fmax(end, nextafter(island->t, INFINITY));
        *is_jump = is_sure && b->level == 1;
    }
    return nearest;
}

// How far a step may go so that moving lags read nothing of it.
static double history_reach(const Island *island)
{
    const History *h = &island->history;
    double reach = INFINITY;
    for (uint32_t k = 0; k < island->tables->n_delays; k++) {
        if (island->tables->moving[k] == ENGINE_NONE) continue;
        const double way = h->lag[k] / fmax(1, h->pace[k]);
        reach = fmin(reach, island->t + fmax(way, HISTORY_LEAST * h->longest));
    }
    return reach;
}

double history_break(Island *island, bool *is_jump)
{
    History *h = &island->history;
    bool is_met = false;
    history_pass_breaks(island);
    const HistoryBreak *next = h->n_breaks ? &h->breaks[h->n_breaks - 1] : NULL;
    double t = next && !next->delay ? next->t : (double)INFINITY;
    *is_jump = t < INFINITY && next->level == 1;
    if (!h->moves) return t;
    const double met = history_approach(island, &is_met), reach = history_reach(island);
    if (met < t) *is_jump = is_met;
    t = fmin(t, met);
    if (reach < t) *is_jump = false;
    return fmin(t, reach);
}

// ---- Segments

bool history_start(Island *island, bool *changed)
{
    History *h = &island->history;
    const size_t size = island->tables->n_delays * sizeof *h->first;
    *changed = false;
    if (size == 0) return true;
    if (engine_call(island, IR_HISTORIES, island->t, island->x, h->now) != 0) return false;
    *changed = !h->known || memcmp(h->now, h->first, size) != 0;
    memcpy(h->first, h->now, size);
    h->known = true;
    history_lags(island, false);
    return true;
}

bool history_make_room(Island *island, double begin)
{
    History *h = &island->history;
    while (h->dropped + 1 < h->n_segments && h->ends[h->dropped] < begin - 1.01 * h->longest) h->dropped++;
    if (h->n_segments < h->capacity) return true;
    const size_t live = h->n_segments - h->dropped, block = POINTS * (size_t)island->tables->n_delays;
    if (h->dropped < h->capacity / 2 || h->dropped == 0) {
        const size_t now = h->capacity, larger = now < 64 ? 64 : 2 * now, number = sizeof *h->values;
        double **const arrays[] = { &h->begins, &h->ends, &h->values };
        for (int i = 0; i < 3; i++) {
            const size_t unit = (i < 2 ? 1 : block) * number;
            double *more = island->services->grow(island, *arrays[i], now * unit, larger * unit);
            if (!more) return false;
            *arrays[i] = more;
        }
        h->capacity = larger;
        return true;
    }
    memmove(h->begins, h->begins + h->dropped, live * sizeof *h->begins);
    memmove(h->ends, h->ends + h->dropped, live * sizeof *h->ends);
    memmove(h->values, h->values + block * h->dropped, live * block * sizeof *h->values);
    h->n_segments = live;
    h->dropped = 0;
    return true;
}

// What all delays remember at a time of the last step.
static bool history_remember(Island *island, double t, double *values)
{
    const double *x = island->x;
    if (t < island->t) {
        domain_state_at(island, t, island->history.x);
        x = island->history.x;
    }
    return engine_call(island, IR_HISTORIES, t, x, values) == 0;
}

// The cubic through values at 0, 1, 2 and 3, which stand n apart.
static double history_cubic(const double *v, size_t n, double s)
{
    const double s1 = s - 1, s2 = s - 2, s3 = s - 3;
    const double outer = s * s1 * s2 * v[3 * n] - s1 * s2 * s3 * v[0];
    const double inner = s * s2 * s3 * v[n] - s * s1 * s3 * v[2 * n];
    return (outer + 3 * inner) / 6;
}

// Is the cubic of a segment as near to the dense output as the tolerance asks, where it is worst?
static bool history_is_near(Island *island, const double *values, double a, double b, bool *near)
{
    const History *h = &island->history;
    const size_t n = island->tables->n_delays;
    *near = true;
    for (int i = 0; i < POINTS - 1 && *near; i++) {
        const double s = i + 0.5;
        if (!history_remember(island, a + (b - a) * s / (POINTS - 1), h->test)) return false;
        for (size_t k = 0; k < n && *near; k++) {
            const double allowed = island->finest + island->options.tolerance * fabs(h->test[k]);
            *near = !(fabs(history_cubic(values + k, n, s) - h->test[k]) > HISTORY_ERROR * allowed);
        }
    }
    return true;
}

static bool history_push_segments(Island *island)
{
    History *h = &island->history;
    const size_t n = island->tables->n_delays;
    double ends[HISTORY_HALVINGS + 1], a = island->t_before;    // of segments to be made, the next one last
    int n_ends = 0;
    ends[n_ends++] = island->t;
    while (n_ends > 0) {
        if (!history_make_room(island, island->t_before)) return false;
        double *values = h->values + POINTS * n * h->n_segments;
        const double b = ends[n_ends - 1], middle = a + 0.5 * (b - a);
        bool near = true;
        for (int i = 0; i < POINTS; i++) {
            const double t = i == 0 ? a : i == POINTS - 1 ? b : a + (b - a) * i / (POINTS - 1);
            if (!history_remember(island, t, values + (size_t)i * n)) return false;
        }
        if (!island->solver->fixed_step && !history_is_near(island, values, a, b, &near)) return false;
        if (!near && n_ends <= HISTORY_HALVINGS && middle > a && middle < b) {
            ends[n_ends++] = middle;
            continue;
        }
        h->begins[h->n_segments] = a;
        h->ends[h->n_segments++] = a = b;
        n_ends--;
    }
    return true;
}

bool history_push(Island *island)
{
    if (island->tables->n_delays == 0 || island->t == island->t_before) return true;
    island->history.is_growing = true;
    const bool ok = !island->history.is_lost && history_push_segments(island);
    island->history.is_growing = false;
    return ok;
}

void history_cut(Island *island, double t)
{
    History *h = &island->history;
    const size_t n = island->tables->n_delays;
    if (n == 0) return;
    while (h->n_segments > h->dropped && h->begins[h->n_segments - 1] >= t) h->n_segments--;
    // the cubic of the last one, as far as it is still needed
    if (h->n_segments == h->dropped || h->ends[h->n_segments - 1] <= t) return;
    const size_t last = h->n_segments - 1;
    const double a = h->begins[last], length = h->ends[last] - a;
    double *v = h->values + POINTS * n * last;
    for (size_t k = 0; k < n; k++) {
        double shorter[POINTS];
        for (int i = 0; i < POINTS; i++) {
            shorter[i] = history_cubic(v + k, n, (t - a) / length * i);
        }
        for (int i = 0; i < POINTS; i++) v[(size_t)i * n + k] = shorter[i];
    }
    h->ends[last] = t;
}

static double before_start(const Island *island, uint32_t k, double t)
{
    if (island->tables->has_before[k]) return island->services->before(island, k, t);
    return island->history.known ? island->history.first[k] : 0;
}

double history_at(const void *context, int delay, double t)
{
    const Island *island = context;
    const History *h = &island->history;
    const size_t k = (size_t)delay, n = island->tables->n_delays;
    // Where the past jumps, a step that ends there reads what was before, and one that begins there what
    // comes after. While a step is made the island still stands at its beginning.
    const double stands = h->is_growing ? island->t_before : island->t;
    const double slack = 1e-12 * (fabs(t) + h->lag[k]), start = island->t_begin;
    const double from = stands - h->lag[k];
    if (h->n_segments == h->dropped || t < h->begins[h->dropped] + slack) {
        const bool is_before = t < start - slack || (t <= start + slack && from < start - slack);
        if (is_before || !h->known) return before_start(island, (uint32_t)k, t);
        if (h->n_segments == h->dropped) return h->first[k];
    }
    // the last segment that begins at or before t
    size_t lo = h->dropped, hi = h->n_segments;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (h->begins[middle] <= t + slack) lo = middle;
        else hi = middle;
    }
    if (lo > h->dropped && t <= h->begins[lo] + slack && from < h->begins[lo] - slack) lo--;
    const double *v = h->values + POINTS * n * lo + k;
    const double part = (t - h->begins[lo]) / (h->ends[lo] - h->begins[lo]);
    // a lag that moves may be shorter than expected: the curve goes on
    const double most = island->tables->moving[k] == ENGINE_NONE ? 1 : 2;
    return history_cubic(v, n, fmax(0, fmin(most, part)) * (POINTS - 1));
}
