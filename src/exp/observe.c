// src/exp/observe.c: see observe.h.
#include "exp/observe.h"
#include "base/diag.h"
#include "exp/columns.h"
#include "front/front.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_CURVE ((size_t)-1)
enum { HALVINGS = 100 };    // of the range in which a quantile lies

// ---------------------------------------------------------------------------------------------- preparing

static size_t curve_of(Observer *o, size_t variable)
{
    size_t i = 0;
    while (i < o->n_curves && o->curves[i].variable != variable) i++;
    if (i == o->n_curves) o->curves[o->n_curves++] = (ObservedCurve){ .variable = variable };
    return i;
}

static bool needs_curve(const orr_measurement *x)
{
    return x->what < ORR_OBSERVE_OF && (x->what != ORR_OBSERVE_AT || !isnan(x->at));
}

// Does an observation compare the run with these data?
static bool needs_data(const Observer *o, const orr_data *d)
{
    for (size_t i = 0; i < o->n; i++)
        if (d->observation ? d->observation == i + 1 : o->observations[i].what == ORR_OBSERVE_MISFIT)
            return true;
    return false;
}

static bool check_times(const Observer *o, const orr_measurement *x, Place place, orr_diag *diag)
{
    const double times[] = { x->at, x->from, x->to };
    for (int i = 0; i < 3; i++) {
        if (isnan(times[i]) || isnan(o->until) || (times[i] >= o->from && times[i] <= o->until)) continue;
        diag_report(diag, DIAG_EXPECT_OUTSIDE, place, times[i], o->from, o->until);
        return false;
    }
    return true;
}

bool observe_prepare(Observer *o, const orr_model *model, const orr_experiment *e, Arena *arena,
                     orr_diag *diag)
{
    *o = (Observer){ .model = model, .observations = e->observations, .n = e->n_observations,
                     .from = e->from, .until = e->until, .arena = arena };
    if (o->n == 0) return true;
    o->items = ARENA_ARRAY(arena, Observed, o->n);
    o->curves = ARENA_ARRAY(arena, ObservedCurve, o->n + e->n_data);
    o->data = ARENA_ARRAY(arena, ObservedData, e->n_data);
    o->values = calloc(o->n, sizeof *o->values);
    if (!o->values) arena_no_memory(o->n * sizeof *o->values);
    bool ok = true;
    for (size_t i = 0; i < o->n; i++) {
        const orr_measurement *x = &o->observations[i];
        o->values[i] = NAN;
        o->items[i].curve = NO_CURVE;
        if (!x->variable) continue;
        const size_t variable = orr_model_find(model, x->variable);
        const Place place = run_written(&e->run, x->variable, diag);
        if (variable == (size_t)-1) ok = columns_report_unknown(model, x->variable, place, diag);
        else ok = check_times(o, x, place, diag) && ok;
        if (ok && needs_curve(x)) o->items[i].curve = curve_of(o, variable);
    }
    for (size_t i = 0; i < e->n_data && ok; i++) {
        const orr_data *d = &e->data[i];
        if (d->condition || !needs_data(o, d)) continue;
        o->data[o->n_data++] = (ObservedData){ .data = d, .found = ARENA_ARRAY(arena, double, d->n),
                                               .curve = curve_of(o, orr_model_find(model, d->variable)) };
    }
    if (ok && (e->checkpoint || e->resume)) {
        diag_report(diag, DIAG_OBSERVE_NONE, (Place){ 0 }, o->observations[0].name,
                    "a checkpoint does not keep what was measured so far");
        ok = false;
    }
    return ok;
}

void observe_begin(Observer *o)
{
    for (size_t i = 0; i < o->n_curves; i++) o->curves[i].has_piece = false;
    for (size_t i = 0; i < o->n_data; i++) {
        o->data[i].next = 0;
        for (size_t k = 0; k < o->data[i].data->n; k++) o->data[i].found[k] = NAN;
    }
    for (size_t i = 0; i < o->n; i++)
        o->items[i] = (Observed){
            .curve = o->items[i].curve, .t = o->from, .best = NAN, .first = NAN, .was_always = true
        };
}

// ---------------------------------------------------------------------------------------------- measuring

static void look_for_extremum(Observed *s, const ObservedPiece *p, double a, double b, double sign)
{
    double slope[PIECE_TERMS], at[PIECE_TERMS + 2];
    piece_slope(p->c, slope);
    int n = piece_crossings(slope, 0, b, at);
    at[n++] = a;
    at[n++] = b;
    for (int i = 0; i < n; i++) {
        const double value = piece_at(p->c, at[i]);
        if (at[i] >= a && (isnan(s->best) || sign * value > sign * s->best)) s->best = value;
    }
}

static void add_integral(Observed *s, double part)
{
    const double sum = s->sum + part;    // Neumaier's sum
    s->rest += fabs(s->sum) >= fabs(part) ? s->sum - sum + part : part - sum + s->sum;
    s->sum = sum;
}

static bool holds(const orr_measurement *x, double value)
{
    switch (x->relation) {
    case ORR_RELATION_LT: return value < x->level;
    case ORR_RELATION_LE: return value <= x->level;
    case ORR_RELATION_GT: return value > x->level;
    default: return value >= x->level;
    }
}

static void note_truth(Observed *s, double t, bool is_true)
{
    if (is_true && !s->was_true) {
        if (isnan(s->first)) s->first = t;
        if (s->is_begun) s->n_changes++;
    }
    s->was_ever |= is_true;
    s->was_always &= is_true;
    s->was_true = is_true;
    s->is_begun = true;
}

// The truth between two crossings is that in the middle.
static void follow_relation(Observed *s, const orr_measurement *x, const ObservedPiece *p, double a, double b)
{
    double at[PIECE_TERMS + 1];
    int n = piece_crossings(p->c, x->level, b, at);
    at[n++] = b;
    for (int i = 0; i < n; i++) {
        if (!(at[i] > a)) continue;
        note_truth(s, p->t + a, holds(x, piece_at(p->c, 0.5 * (a + at[i]))));
        a = at[i];
    }
}

// The piece holds from where the observation stands until t.
static void measure(Observer *o, size_t i, const ObservedPiece *p, double t)
{
    const orr_measurement *x = &o->observations[i];
    Observed *s = &o->items[i];
    const double from = isnan(x->from) ? o->from : x->from, to = isnan(x->to) ? INFINITY : x->to;
    const double begin = fmax(fmax(p->t, from), s->t), end = fmin(t, to);
    if (x->what == ORR_OBSERVE_AT) {    // the last piece that begins there counts
        if (p->t <= x->at && x->at <= t) s->best = piece_at(p->c, x->at - p->t);
        return;
    }
    if (!(end > begin) || isnan(p->c[0])) return;
    const double a = begin - p->t, b = end - p->t;
    switch (x->what) {
    case ORR_OBSERVE_MAX: look_for_extremum(s, p, a, b, 1); break;
    case ORR_OBSERVE_MIN: look_for_extremum(s, p, a, b, -1); break;
    case ORR_OBSERVE_MEAN:
    case ORR_OBSERVE_INTEGRAL: add_integral(s, piece_integral(p->c, a, b)); break;
    case ORR_OBSERVE_QUANTILE: {
        ObservedPiece kept = *p;
        vec_push(o->arena, &s->kept, kept);
        vec_push(o->arena, &s->ends, begin);
        vec_push(o->arena, &s->ends, end);
        break;
    }
    default: follow_relation(s, x, p, a, b); break;
    }
    s->duration += end - begin;
    s->t = end;
}

// Of several pieces that begin at a time the last one counts.
static void look_at_points(ObservedData *d, const ObservedPiece *p, double t)
{
    const double *times = d->data->t;
    for (size_t k = d->next; k < d->data->n && times[k] <= t; k++) {
        if (times[k] >= p->t) d->found[k] = piece_at(p->c, times[k] - p->t);
        if (times[k] < t) d->next = k + 1;
    }
}

static void pass(Observer *o, size_t curve, double t)
{
    const ObservedCurve *c = &o->curves[curve];
    if (!c->has_piece) return;
    for (size_t i = 0; i < o->n; i++)
        if (o->items[i].curve == curve) measure(o, i, &c->piece, t);
    for (size_t i = 0; i < o->n_data; i++)
        if (o->data[i].curve == curve) look_at_points(&o->data[i], &c->piece, t);
}

void observe_piece(Observer *o, size_t curve, double t, const double c[PIECE_TERMS])
{
    ObservedCurve *of = &o->curves[curve];
    if (of->has_piece && t < of->piece.t) observe_begin(o);    // the terminal region runs it again
    pass(o, curve, t);
    of->piece.t = t;
    memcpy(of->piece.c, c, sizeof of->piece.c);
    of->has_piece = true;
}

// ---------------------------------------------------------------------------------------------- the end

// For how long a curve was below a level.
static double time_below(const Observed *s, double level)
{
    double sum = 0;
    for (size_t k = 0; k < s->kept.n; k++) {
        const ObservedPiece *p = &s->kept.items[k];
        double a = s->ends.items[2 * k] - p->t, at[PIECE_TERMS + 1];
        const double b = s->ends.items[2 * k + 1] - p->t;
        int n = piece_crossings(p->c, level, b, at);
        at[n++] = b;
        for (int i = 0; i < n; i++) {
            if (!(at[i] > a)) continue;
            if (piece_at(p->c, 0.5 * (a + at[i])) <= level) sum += at[i] - a;
            a = at[i];
        }
    }
    return sum;
}

// The least level that a curve is not above for a part of the time.
static double quantile(const Observed *s, double part)
{
    if (s->kept.n == 0) return NAN;
    Observed range[2] = { { .best = NAN }, { .best = NAN } };
    for (size_t k = 0; k < s->kept.n; k++)
        for (int i = 0; i < 2; i++)
            look_for_extremum(&range[i], &s->kept.items[k], s->ends.items[2 * k] - s->kept.items[k].t,
                              s->ends.items[2 * k + 1] - s->kept.items[k].t, i ? 1 : -1);
    double low = range[0].best, high = range[1].best;
    if (time_below(s, low) >= part * s->duration) return low;
    for (int i = 0; i < HALVINGS && nextafter(low, high) < high; i++) {
        const double middle = low + 0.5 * (high - low);
        if (time_below(s, middle) >= part * s->duration) high = middle;
        else low = middle;
    }
    return high;
}

// The value of another observation, which stands before.
static double observed_of(void *context, const AstExpr *e)
{
    const Observer *o = context;
    double value = NAN;
    bool is_truth;
    if (front_constant(e->ref.parts[0].name, &value, &is_truth)) return value;
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->observations[i].name, e->ref.parts[0].name) == 0) return o->values[i];
    return value;
}

static double no_value(void *context, const AstExpr *e, const char *takes)
{
    (void)context, (void)e, (void)takes;
    return NAN;
}

// How far the run is from data: at most, or as a root of the mean square in their deviations.
static double distance(const Observer *o, size_t observation, bool is_most)
{
    double most = NAN, sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < o->n_data; i++) {
        const orr_data *d = o->data[i].data;
        if (is_most ? d->observation != observation + 1 : d->observation != 0) continue;
        for (size_t k = 0; k < d->n; k++) {
            const double away = fabs(o->data[i].found[k] - d->values[k]);
            if (isnan(away)) continue;
            const double part = away / (d->deviations ? d->deviations[k] : 1);
            most = fmax(most, away);
            sum += part * part;
            n++;
        }
    }
    return is_most ? most : n ? sqrt(sum / (double)n) : NAN;
}

static double result(const Observer *o, size_t i, orr_run *run)
{
    const orr_measurement *x = &o->observations[i];
    const Observed *s = &o->items[i];
    switch (x->what) {
    case ORR_OBSERVE_AT:
        if (needs_curve(x)) return s->best;
        return orr_run_value(run, orr_model_find(o->model, x->variable));
    case ORR_OBSERVE_MAX:
    case ORR_OBSERVE_MIN: return s->best;
    case ORR_OBSERVE_INTEGRAL: return s->sum + s->rest;
    case ORR_OBSERVE_MEAN: return s->duration > 0 ? (s->sum + s->rest) / s->duration : NAN;
    case ORR_OBSERVE_QUANTILE: return quantile(s, x->part);
    case ORR_OBSERVE_TIME: return s->first;
    case ORR_OBSERVE_COUNT: return (double)s->n_changes;
    case ORR_OBSERVE_OF:
        return front_evaluate(
            &(FrontNumbers){ .name = observed_of, .refuse = no_value, .context = (void *)o }, x->parsed);
    case ORR_OBSERVE_FOLLOWS: return distance(o, i, true);
    case ORR_OBSERVE_MISFIT: return distance(o, i, false);
    case ORR_OBSERVE_ALWAYS: return s->is_begun ? s->was_always : NAN;
    default: return s->is_begun ? s->was_ever : NAN;
    }
}

void observe_end(Observer *o, orr_run *run, double t_end)
{
    for (size_t i = 0; i < o->n_curves && run; i++) pass(o, i, t_end);
    for (size_t i = 0; i < o->n; i++) o->values[i] = run ? result(o, i, run) : NAN;
}
