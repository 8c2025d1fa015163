// src/run/history.c: the past of delayed expressions.
//
// Each accepted step leaves one segment: what every delay remembers at the ends of the step and at two points
// between them, read from the dense output. A cubic through the four serves the whole segment, so nothing is
// interpolated across the end of a step, where an event may have bent or broken the curve. No step is longer
// than the shortest lag, so the segment that is being computed is never asked for. Segments older than the
// longest lag are dropped. Where the start meets the past the curve has a kink, which comes back after each
// lag, one derivative higher: the first of these are ends of steps.
#include "run/run.h"
#include "base/diag.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, BREAKS = 5 };

typedef struct History {
    const orr_run *run;
    size_t   n;              // delays
    double  *lag;            // [n]
    double  *first;          // [n] what was remembered at the start
    bool     known;          // `first` is known
    double   t_start;
    double   shortest, longest;
    double  *begins, *ends;  // [capacity] time of each segment
    double  *values;         // [capacity][POINTS][n]
    size_t   n_segments, dropped, capacity;    // segments are `dropped` .. n_segments - 1 of the arrays
    double  *x;              // [n_states] scratch
} History;

// Parameters and constants only: lags and values before the start.
static double read_variable(const void *context, uint32_t variable)
{
    const orr_run *run = context;
    return run->island.env.v[run->model->ir.layout.place[variable]];
}
static double read_element(const void *context, uint32_t array, uint32_t element)
{
    const orr_run *run = context;
    return run->island.env.v[run->model->ir.layout.array_place[array] + element];
}
static double read_mode(const void *context, uint32_t relation)
{
    const orr_run *run = context;
    return island_modes(&run->island)[relation];
}

static double read_draw(const void *context, uint32_t k, double count, double argument)
{
    const CodeEnv *env = &((const orr_run *)context)->island.env;
    return env->draw(env->streams, (int)k, count, argument);
}

static double evaluate(const orr_run *run, Expr e, double t)
{
    const ExprValues values = { .variable = read_variable, .mode = read_mode, .element = read_element,
                                .draw = read_draw, .context = run, .t = t };
    return expr_evaluate(&run->model->flat.pool, e, &values);
}

double run_parameter(const orr_run *run, Expr e) { return evaluate(run, e, run->t_start); }

bool history_init(orr_run *run)
{
    const orr_model *model = run->model;
    const size_t n = model->n_delays;
    if (n == 0) return true;
    History *h = run->history;
    if (!h) {
        h = run->history = ARENA_NEW(&run->arena, History);
        h->run = run;
        h->n = n;
        h->lag = ARENA_ARRAY(&run->arena, double, n);
        h->first = ARENA_ARRAY(&run->arena, double, n);
        h->x = ARENA_ARRAY(&run->arena, double, model->n_states);
        run->island.env.histories = h;
        run->island.env.history = history_at;
    }
    h->shortest = INFINITY;
    h->longest = 0;
    h->n_segments = h->dropped = 0;
    h->known = false;
    h->t_start = run->t_start;
    bool ok = true;
    for (size_t k = 0; k < n; k++) {
        const FlatDelay *delay = &model->flat.delays.items[k];
        h->lag[k] = evaluate(run, delay->lag, run->t_start);
        if (!(h->lag[k] > 0) || !isfinite(h->lag[k])) {
            char value[32], *lag = run_expr_text(model, delay->lag);
            snprintf(value, sizeof value, "%g", h->lag[k]);
            diag_report(run->diag, DIAG_SETTING_VALUE, run_place(model, run->diag, delay->place),
                        expr_op(&model->flat.pool, delay->lag) == EXPR_CONST ? "delay" : lag, value,
                        "a delay must be a positive time");
            free(lag);
            run->is_incomplete = true;
            ok = false;
        }
        h->shortest = fmin(h->shortest, h->lag[k]);
        h->longest = fmax(h->longest, h->lag[k]);
    }
    return ok;
}

double history_shortest(const orr_run *run) { return run->history ? run->history->shortest : INFINITY; }

double history_break(const orr_run *run, double t, bool *is_jump)
{
    const History *h = run->history;
    double next = INFINITY;
    *is_jump = false;
    for (size_t k = 0; k < h->n; k++) {
        const double passed = floor((t - h->t_start) / h->lag[k] + 1e-9);
        const double at = h->t_start + (passed + 1) * h->lag[k];
        if (passed >= BREAKS || at > next) continue;
        *is_jump = passed == 0 || (*is_jump && at == next);
        next = at;
    }
    return next;
}

bool history_start(orr_run *run, bool *changed)
{
    *changed = false;
    History *h = run->history;
    if (!h) return true;
    Island *island = &run->island;
    double *now = h->values ? h->values : (h->values = ARENA_ARRAY(&run->arena, double, POINTS * h->n));
    if (h->capacity == 0) {
        h->capacity = 1;
        h->begins = ARENA_ARRAY(&run->arena, double, 1);
        h->ends = ARENA_ARRAY(&run->arena, double, 1);
    }
    const Code *code = &run->model->code;
    if (code_call(code, IR_HISTORIES, island->t, island->x, &island->env, now) != 0) return false;
    *changed = !h->known || memcmp(now, h->first, h->n * sizeof *now) != 0;
    memcpy(h->first, now, h->n * sizeof *now);
    h->known = true;
    return true;
}

// Room for one segment more: the arrays move down over what was dropped, or double.
static void make_room(orr_run *run, History *h)
{
    if (h->n_segments < h->capacity) return;
    const size_t live = h->n_segments - h->dropped;
    const size_t block = POINTS * h->n;
    if (h->dropped < h->capacity / 2 || h->dropped == 0) {
        const size_t larger = h->capacity < 64 ? 64 : 2 * h->capacity;
        h->begins = arena_grow(&run->arena, h->begins, h->capacity, larger, sizeof *h->begins);
        h->ends = arena_grow(&run->arena, h->ends, h->capacity, larger, sizeof *h->ends);
        h->values = arena_grow(&run->arena, h->values, block * h->capacity, block * larger,
                               sizeof *h->values);
        h->capacity = larger;
        return;
    }
    memmove(h->begins, h->begins + h->dropped, live * sizeof *h->begins);
    memmove(h->ends, h->ends + h->dropped, live * sizeof *h->ends);
    memmove(h->values, h->values + block * h->dropped, live * block * sizeof *h->values);
    h->n_segments = live;
    h->dropped = 0;
}

bool history_push(orr_run *run, Island *island)
{
    History *h = run->history;
    if (!h || island->t == island->t_before) return true;
    while (h->dropped + 1 < h->n_segments && h->ends[h->dropped] < island->t_before - 1.01 * h->longest)
        h->dropped++;
    make_room(run, h);
    double *values = h->values + POINTS * h->n * h->n_segments;
    const double a = island->t_before, b = island->t;
    const CodeProgram remember = run->model->code.programs[IR_HISTORIES];
    for (int i = 0; i < POINTS; i++) {
        const double t = i == 0 ? a : i == POINTS - 1 ? b : a + (b - a) * i / (POINTS - 1);
        const double *x = island->x;
        if (i < POINTS - 1) {
            island->solver->state_at(island, t, h->x);
            x = h->x;
        }
        if (remember(t, x, &island->env, values + (size_t)i * h->n) != 0) return false;
    }
    h->begins[h->n_segments] = a;
    h->ends[h->n_segments] = b;
    h->n_segments++;
    return true;
}

void history_cut(orr_run *run, double t)
{
    History *h = run->history;
    if (!h) return;
    while (h->n_segments > h->dropped && h->begins[h->n_segments - 1] >= t) h->n_segments--;
    // the cubic of the last one, as far as it is still needed
    if (h->n_segments == h->dropped || h->ends[h->n_segments - 1] <= t) return;
    const size_t last = h->n_segments - 1;
    const double a = h->begins[last], length = h->ends[last] - a;
    double *v = h->values + POINTS * h->n * last;
    for (size_t k = 0; k < h->n; k++) {
        double shorter[POINTS];
        for (int i = 0; i < POINTS; i++) {
            const double s = (t - a) / length * i;
            const double s1 = s - 1, s2 = s - 2, s3 = s - 3;
            shorter[i] = (s * s1 * s2 * v[3 * h->n + k] - s1 * s2 * s3 * v[k] +
                          3 * (s * s2 * s3 * v[h->n + k] - s * s1 * s3 * v[2 * h->n + k])) / 6;
        }
        for (int i = 0; i < POINTS; i++) v[(size_t)i * h->n + k] = shorter[i];
    }
    h->ends[last] = t;
}

static double before_start(const History *h, size_t k, double t)
{
    const Expr before = h->run->model->flat.delays.items[k].before;
    if (before != EXPR_NONE) return evaluate(h->run, before, t);
    return h->known ? h->first[k] : 0;
}

double history_at(const void *histories, int delay, double t)
{
    const History *h = histories;
    const size_t k = (size_t)delay;
    // Where the past jumps, a step that ends there reads what was before, and one that begins there what
    // comes after. While a step is made the island still stands at its beginning.
    const double slack = 1e-12 * (fabs(t) + h->lag[k]);
    const double from = h->run->island.t - h->lag[k];
    if (h->n_segments == h->dropped || t < h->begins[h->dropped] + slack) {
        const bool is_before = t < h->t_start - slack ||
                               (t <= h->t_start + slack && from < h->t_start - slack);
        if (is_before || !h->known) return before_start(h, k, t);
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
    const double *v = h->values + POINTS * h->n * lo + k;
    const double part = (t - h->begins[lo]) / (h->ends[lo] - h->begins[lo]);
    const double s = fmax(0, fmin(1, part)) * (POINTS - 1);
    // Lagrange on 0, 1, 2, 3
    const double s1 = s - 1, s2 = s - 2, s3 = s - 3;
    const double outer = s * s1 * s2 * v[3 * h->n] - s1 * s2 * s3 * v[0];
    const double inner = s * s2 * s3 * v[h->n] - s * s1 * s3 * v[2 * h->n];
    return (outer + 3 * inner) / 6;
}

void history_pass(orr_run *run, RunSaved *saved)
{
    History *h = run->history;
    if (!h) return;
    size_t n = h->n_segments - h->dropped;
    saved_pass(saved, &n, sizeof n);
    saved_pass(saved, &h->known, sizeof h->known);
    saved_pass(saved, h->first, h->n * sizeof *h->first);
    if (saved->is_loading) {
        saved->is_bad = saved->is_bad || n > (saved->n - saved->at) / sizeof(double);
        if (saved->is_bad) return;
        h->n_segments = h->dropped = 0;
        while (h->capacity < n) {
            h->n_segments = h->capacity;    // full: it doubles
            make_room(run, h);
        }
        h->n_segments = n;
    }
    const size_t block = POINTS * h->n;
    saved_pass(saved, h->begins + h->dropped, n * sizeof *h->begins);
    saved_pass(saved, h->ends + h->dropped, n * sizeof *h->ends);
    saved_pass(saved, h->values + block * h->dropped, n * block * sizeof *h->values);
}
