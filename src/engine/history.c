// src/engine/history.c: the past of delayed expressions.
//
// Each accepted step leaves one segment: what every delay remembers at the ends of the step and at two points
// between them, read from the dense output. A cubic through the four serves the whole segment, so nothing is
// interpolated across the end of a step, where an event may have bent or broken the curve. No step is longer
// than the shortest lag, so the segment that is being computed is never asked for. Segments older than the
// longest lag are dropped. Where the start meets the past the curve has a kink, which comes back after each
// lag, one derivative higher: the first of these are ends of steps.
#include "engine/host.h"

enum { POINTS = HISTORY_POINTS, HISTORY_BREAKS = 5 };

bool history_init(Island *island)
{
    History *h = &island->history;
    bool ok = true;
    h->shortest = INFINITY;
    h->longest = 0;
    h->n_segments = h->dropped = 0;
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

double history_break(const Island *island, double t, bool *is_jump)
{
    const History *h = &island->history;
    double next = INFINITY;
    *is_jump = false;
    for (size_t k = 0; k < island->tables->n_delays; k++) {
        const double passed = floor((t - island->t_begin) / h->lag[k] + 1e-9);
        const double at = island->t_begin + (passed + 1) * h->lag[k];
        if (passed >= HISTORY_BREAKS || at > next) continue;
        *is_jump = passed == 0 || (*is_jump && at == next);
        next = at;
    }
    return next;
}

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

bool history_push(Island *island)
{
    History *h = &island->history;
    const size_t n = island->tables->n_delays;
    if (n == 0 || island->t == island->t_before) return true;
    if (!history_make_room(island, island->t_before)) return false;
    double *values = h->values + POINTS * n * h->n_segments;
    const double a = island->t_before, b = island->t;
    for (int i = 0; i < POINTS; i++) {
        const double t = i == 0 ? a : i == POINTS - 1 ? b : a + (b - a) * i / (POINTS - 1);
        const double *x = island->x;
        if (i < POINTS - 1) {
            island->solver->state_at(island, t, h->x);
            x = h->x;
        }
        if (engine_call(island, IR_HISTORIES, t, x, values + (size_t)i * n) != 0) return false;
    }
    h->begins[h->n_segments] = a;
    h->ends[h->n_segments] = b;
    h->n_segments++;
    return true;
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
            const double s = (t - a) / length * i;
            const double s1 = s - 1, s2 = s - 2, s3 = s - 3;
            shorter[i] = (s * s1 * s2 * v[3 * n + k] - s1 * s2 * s3 * v[k] +
                          3 * (s * s2 * s3 * v[n + k] - s * s1 * s3 * v[2 * n + k])) / 6;
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
    const double slack = 1e-12 * (fabs(t) + h->lag[k]), start = island->t_begin;
    const double from = island->t - h->lag[k];
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
    const double s = fmax(0, fmin(1, part)) * (POINTS - 1);
    // Lagrange on 0, 1, 2, 3
    const double s1 = s - 1, s2 = s - 2, s3 = s - 3;
    const double outer = s * s1 * s2 * v[3 * n] - s1 * s2 * s3 * v[0];
    const double inner = s * s2 * s3 * v[n] - s * s1 * s3 * v[2 * n];
    return (outer + 3 * inner) / 6;
}
