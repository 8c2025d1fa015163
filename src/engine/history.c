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
#include "engine/host.h"

enum {
    POINTS = HISTORY_POINTS,
    HISTORY_LEVELS = 5,           // of derivatives whose breaks are ends of steps
    HISTORY_BREAKS_MAX = 4096,    // that are known at a time; beyond it only jumps are
    HISTORY_HALVINGS = 10,        // of a step, for its segments
};
#define HISTORY_ERROR 0.1    // of the tolerance

bool history_init(Island *island)
{
    History *h = &island->history;
    bool ok = true;
    h->shortest = INFINITY;
    h->longest = 0;
    h->n_segments = h->dropped = h->n_breaks = 0;
    h->known = false;
    for (uint32_t k = 0; k < island->tables->n_delays; k++) {
        h->lag[k] = island->services->lag_of(island, k);
        if (!(h->lag[k] > 0) || !isfinite(h->lag[k])) {
            island->services->report(island, ENGINE_BAD_LAG, k, h->lag[k]);
            ok = false;
        }
        h->shortest = fmin(h->shortest, h->lag[k]);
        h->longest = fmax(h->longest, h->lag[k]);
    }
    return ok;
}

double history_shortest(const Island *island)
{
    return island->tables->n_delays ? island->history.shortest : (double)INFINITY;
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

static void history_add_break(Island *island, double t, uint32_t level)
{
    History *h = &island->history;
    const double slack = 1e-12 * (fabs(t) + h->shortest);
    size_t i = h->n_breaks;
    while (i > 0 && h->breaks[i - 1].t < t - slack) i--;    // those are sooner
    if (i > 0 && h->breaks[i - 1].t <= t + slack) {
        if (level < h->breaks[i - 1].level) h->breaks[i - 1].level = level;
        return;
    }
    if (h->n_breaks >= HISTORY_BREAKS_MAX && level > 1) return;
    if (!history_make_breaks(island, h->n_breaks + 1)) {
        h->is_lost = true;
        return;
    }
    memmove(h->breaks + i + 1, h->breaks + i, (h->n_breaks - i) * sizeof *h->breaks);
    h->breaks[i] = (HistoryBreak){ t, level, 0 };
    h->n_breaks++;
}

void history_jumped(Island *island)
{
    for (uint32_t k = 0; k < island->tables->n_delays; k++)
        history_add_break(island, island->t + island->history.lag[k], 1);
}

double history_break(Island *island, bool *is_jump)
{
    History *h = &island->history;
    // of those that have been reached the echoes follow
    while (h->n_breaks && drive_has_reached(island, h->breaks[h->n_breaks - 1].t)) {
        const HistoryBreak reached = h->breaks[--h->n_breaks];
        const uint32_t level = reached.level + (island->tables->is_neutral ? 0 : 1);
        for (uint32_t k = 0; level <= HISTORY_LEVELS && k < island->tables->n_delays; k++)
            history_add_break(island, reached.t + h->lag[k], level);
    }
    if (h->n_breaks == 0) return INFINITY;
    *is_jump = h->breaks[h->n_breaks - 1].level == 1;
    return h->breaks[h->n_breaks - 1].t;
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
    return history_cubic(v, n, fmax(0, fmin(1, part)) * (POINTS - 1));
}
