// src/analyse/continue.c: an equilibrium followed along a parameter.
//
// f(x, a) = 0 is a curve in the space of (x, a), which may turn back in a. So it is followed by its length:
// from a point with tangent τ a step of length s is made along τ and corrected by Newton on the plane across
// it (Keller 1977),
//
//     f(x, a) = 0,    τ · ((x, a) - (x0, a0)) = s,
//
// a system that stays regular where the branch turns. Lengths are measured in scales: of each state, and the
// range of a.
//
// Between two points something has happened if the part of τ along a changes its sign (a fold), or if there
// are more or fewer eigenvalues to the right of the axis. With eigenvalues sorted by their real parts, the
// k-th real part is a continuous function of s whatever they do, real or in pairs; so its zero is found by
// the same root finder as everything else: the point for a trial s is corrected from the last point of the
// branch.
#include "analyse/analyse.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "base/vec.h"
#include "num/lu.h"
#include "num/root.h"
#include <math.h>
#include <string.h>

enum { CORRECTIONS_MAX = 12, POINTS_DEFAULT = 2000, STATES_MAX = 500, SPECIALS_MAX = 16 };
#define STEP_DEFAULT  0.02
#define STEP_SHORTEST 1e-9
#define TURN_MOST     0.9      // cosine between two tangents below which a step was too long
#define FAR           1e9      // scales

typedef struct Point {
    double      *y;              // [n + 1] states, then the parameter
    double      *tangent;        // [n + 1] in scales
    orr_complex *eigenvalues;    // [n]
    size_t       n_right;
} Point;

typedef VEC(orr_branch_point) Points;

typedef struct Follow {
    System  *s;
    Arena   *arena;              // of the result
    Arena    work;
    size_t   n;
    size_t   parameter;          // its number as a variable
    uint32_t place;              // of the parameter
    double   lo, hi;
    double   step_most;
    size_t   n_points_most;
    double  *scale;              // [n + 1]
    double  *matrix, *line;      // [(n+1)*(n+1)], [n + 1] scratch of `correct`
    size_t  *pivots;             // [n + 1]
    double  *j, *fa, *f;         // [n*n], [n], [n]
    Point    here, next, trial;
    double   s_next;             // length from here to next
    Points   points;
    size_t   branch;
} Follow;

static Point make_point(Follow *c)
{
    return (Point){ ARENA_ARRAY(&c->work, double, c->n + 1), ARENA_ARRAY(&c->work, double, c->n + 1),
                    ARENA_ARRAY(&c->work, orr_complex, c->n), 0 };
}

static void copy_point(const Follow *c, Point *to, const Point *from)
{
    memcpy(to->y, from->y, (c->n + 1) * sizeof *to->y);
    memcpy(to->tangent, from->tangent, (c->n + 1) * sizeof *to->tangent);
    memcpy(to->eigenvalues, from->eigenvalues, c->n * sizeof *to->eigenvalues);
    to->n_right = from->n_right;
}

// The product in which lengths are measured: the mean over the states and the parameter count alike.
static double product(const Follow *c, const double *u, const double *w)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) sum += u[i] * w[i];
    return sum / (double)c->n + u[c->n] * w[c->n];
}

// ---- Newton across the branch

// The rates, their derivatives and the row of the plane, in scales, factored.
static bool factor_at(Follow *c, const double *y, const double *row)
{
    const size_t n = c->n, m = n + 1;
    if (!system_jacobian(c->s, y, false, c->j) || !system_input_column(c->s, y, c->place, c->fa))
        return false;
    for (size_t i = 0; i < n; i++) {
        double most = 0;
        for (size_t k = 0; k < n; k++)
            most = fmax(most, fabs(c->matrix[i * m + k] = c->j[i * n + k] * c->scale[k]));
        most = fmax(most, fabs(c->matrix[i * m + n] = c->fa[i] * c->scale[n]));
        // rates may be measured in anything
        if (!(most > 0)) return false;
        for (size_t k = 0; k < m; k++) c->matrix[i * m + k] /= most;
        c->line[i] = most;
    }
    for (size_t k = 0; k < n; k++) c->matrix[n * m + k] = row[k] / (double)n;
    c->matrix[n * m + n] = row[n];
    c->line[n] = 1;
    return lu_factor(c->matrix, m, c->pivots, NULL);
}

static bool rates_at(Follow *c, const double *y)
{
    system_set(c->s, c->place, y[c->n]);
    return system_rates(c->s, y, c->f);
}

// From y to the branch on the plane row·(y - base) = length. *n_corrections tells how easy it was.
static bool correct(Follow *c, const double *base, const double *row, double length, double *y,
                    int *n_corrections)
{
    const size_t n = c->n, m = n + 1;
    double last = INFINITY;
    Arena scratch = { 0 };
    double *d = ARENA_ARRAY(&scratch, double, m), *along = ARENA_ARRAY(&scratch, double, m);
    bool done = false;
    int k = 0;
    for (; k < CORRECTIONS_MAX && !done; k++) {
        if (!rates_at(c, y) || !factor_at(c, y, row)) break;
        for (size_t i = 0; i < m; i++) along[i] = (y[i] - base[i]) / c->scale[i];
        for (size_t i = 0; i < n; i++) d[i] = -c->f[i] / c->line[i];
        d[n] = length - product(c, row, along);
        lu_solve(c->matrix, m, c->pivots, d);
        double size = 0;
        for (size_t i = 0; i < m; i++) size = fmax(size, fabs(d[i]));
        if (!(size < 10)) break;
        for (size_t i = 0; i < m; i++) y[i] += d[i] * c->scale[i];
        // exact, or as exact as rounding allows
        done = size <= 1e-14 || (size <= 1e-10 && size > last / 4);
        if (size > 2 * last && k > 2) break;
        last = size;
    }
    if (!done) done = last <= 1e-9;
    if (n_corrections) *n_corrections = k;
    arena_free(&scratch);
    return done && rates_at(c, y);
}

// Tangent at a point of the branch, pointing to the same side as `row`.
static bool find_tangent(Follow *c, Point *p, const double *row)
{
    const size_t m = c->n + 1;
    if (!factor_at(c, p->y, row)) return false;
    double *t = p->tangent;
    memset(t, 0, m * sizeof *t);
    t[c->n] = 1;
    lu_solve(c->matrix, m, c->pivots, t);
    const double length = sqrt(product(c, t, t));
    if (!isfinite(length) || length == 0) return false;
    for (size_t i = 0; i < m; i++) t[i] /= length;
    return true;
}

static bool find_spectrum(Follow *c, Point *p)
{
    if (!system_jacobian(c->s, p->y, true, c->j)) return false;
    if (!eigen_values(c->j, c->n, p->eigenvalues, c->s->diag)) return false;
    p->n_right = eigen_sides(p->eigenvalues, c->n, eigen_rounding(c->s)).n_right;
    return true;
}

// The point of the branch at length s from here.
static bool point_at(Follow *c, double s, Point *p, int *n_corrections)
{
    for (size_t i = 0; i <= c->n; i++) p->y[i] = c->here.y[i] + s * c->here.tangent[i] * c->scale[i];
    return correct(c, c->here.y, c->here.tangent, s, p->y, n_corrections) &&
           find_tangent(c, p, c->here.tangent) && find_spectrum(c, p);
}

// ---- Special points

// The point at length s, in trial; if it cannot be had, as where branches cross and the correction is
// singular, one between here and next.
static bool point_near(Follow *c, double s)
{
    if (point_at(c, s, &c->trial, NULL)) return true;
    const double part = s / c->s_next;
    for (size_t k = 0; k <= c->n; k++) c->trial.y[k] = c->here.y[k] + part * (c->next.y[k] - c->here.y[k]);
    return rates_at(c, c->trial.y) && find_spectrum(c, &c->trial);
}

typedef struct Search {
    Follow *c;
    bool    by_tangent;      // the part of the tangent along the parameter
    size_t  k;               // otherwise the k-th real part
} Search;

static double watched(const Search *q, const Point *p)
{
    return q->by_tangent ? p->tangent[q->c->n] : p->eigenvalues[q->k].re;
}

static double watch_at(void *context, double s)
{
    const Search *q = context;
    const bool ok = q->by_tangent ? point_at(q->c, s, &q->c->trial, NULL) : point_near(q->c, s);
    return ok ? watched(q, &q->c->trial) : NAN;
}

// In *s the length at which what is watched is zero. False if it is not watched well enough.
static bool locate(Follow *c, const Search *q, double *s)
{
    Root root;
    const double from = watched(q, &c->here), to = watched(q, &c->next);
    if (root_find(watch_at, (void *)q, 0, from, c->s_next, to, &root)) {
        *s = fabs(root.f_before) < fabs(root.f_after) ? root.before : root.after;
        return true;
    }
    // not computable on the very spot: near enough?
    *s = (root.before + root.after) / 2;
    return from != 0 && fabs(root.after - root.before) < 1e-6 * c->s_next;
}

static void put_point(Follow *c, const Point *p, orr_point_kind kind, double frequency)
{
    // where something was located, rounding is not worth telling
    for (size_t i = 0; kind != ORR_POINT_PLAIN && i <= c->n; i++)
        if (fabs(p->y[i]) < 1e-14 * c->scale[i]) p->y[i] = 0;
    double *values = ARENA_ARRAY(c->arena, double, orr_model_n_variables(c->s->model));
    system_set(c->s, c->place, p->y[c->n]);
    system_rates(c->s, p->y, c->f);    // and its relations
    system_values(c->s, p->y, values);
    const Spectrum sides = eigen_sides(p->eigenvalues, c->n, eigen_rounding(c->s));
    const orr_branch_point point = {
        .parameter = p->y[c->n], .values = values, .kind = kind, .n_unstable = p->n_right,
        .stability = kind == ORR_POINT_PLAIN ? eigen_stability(&sides) : ORR_STABILITY_UNDECIDED,
        .frequency = frequency, .branch = c->branch,
    };
    vec_push(c->arena, &c->points, point);
}

typedef struct Special {
    double         s;
    orr_point_kind kind;
    size_t         k;        // of a Hopf point: the eigenvalue
} Special;

// What happened between here and next, in order.
static size_t find_specials(Follow *c, Special *specials)
{
    size_t n = 0;
    const bool is_fold = c->here.tangent[c->n] * c->next.tangent[c->n] < 0;
    const Search fold = { .c = c, .by_tangent = true };
    double s;
    if (is_fold && locate(c, &fold, &s)) specials[n++] = (Special){ s, ORR_POINT_FOLD, 0 };
    const size_t a = c->here.n_right, b = c->next.n_right;
    for (size_t k = a < b ? a : b; k < (a < b ? b : a) && n < SPECIALS_MAX; k++) {
        const Search crossing = { .c = c, .k = k };
        if (!locate(c, &crossing, &s) || !point_near(c, s)) continue;
        const bool is_pair = c->trial.eigenvalues[k].im != 0;
        if (!is_pair && is_fold) continue;    // what is zero at the fold
        specials[n++] = (Special){ s, is_pair ? ORR_POINT_HOPF : ORR_POINT_CROSSING, k };
        if (is_pair) k++;                     // its conjugate crosses with it
    }
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && specials[k].s < specials[k - 1].s; k--) {
            const Special held = specials[k];
            specials[k] = specials[k - 1];
            specials[k - 1] = held;
        }
    return n;
}

static void put_specials(Follow *c)
{
    Special specials[SPECIALS_MAX];
    const size_t n = find_specials(c, specials);
    for (size_t i = 0; i < n; i++) {
        if (!point_near(c, specials[i].s)) continue;
        const bool is_hopf = specials[i].kind == ORR_POINT_HOPF;
        put_point(c, &c->trial, specials[i].kind, is_hopf ? fabs(c->trial.eigenvalues[specials[i].k].im) : 0);
    }
}

// ---- Along the branch

// The parameter has left the range: end exactly at its border.
static bool cut_off(Follow *c)
{
    const size_t n = c->n;
    const double border = c->next.y[n] > c->hi ? c->hi : c->lo;
    const double part = (border - c->here.y[n]) / (c->next.y[n] - c->here.y[n]);
    double *row = c->trial.tangent;
    for (size_t i = 0; i < n; i++) {
        c->trial.y[i] = c->here.y[i] + part * (c->next.y[i] - c->here.y[i]);
        row[i] = 0;
    }
    c->trial.y[n] = border;
    row[n] = 1;
    if (!correct(c, c->here.y, row, (border - c->here.y[n]) / c->scale[n], c->trial.y, NULL)) return false;
    c->trial.y[n] = border;
    memcpy(c->next.y, c->trial.y, (n + 1) * sizeof *c->next.y);
    // its distance along the tangent, for what happened on the way
    for (size_t i = 0; i <= n; i++) row[i] = (c->next.y[i] - c->here.y[i]) / c->scale[i];
    c->s_next = product(c, row, c->here.tangent);
    return find_tangent(c, &c->next, c->here.tangent) && find_spectrum(c, &c->next);
}

static double distance(Follow *c, const double *y, const double *z)
{
    double *d = c->line;
    for (size_t i = 0; i <= c->n; i++) d[i] = (y[i] - z[i]) / c->scale[i];
    return sqrt(product(c, d, d));
}

static void warn_stop(Follow *c, const char *why, const char *hint)
{
    diag_report(c->s->diag, DIAG_BRANCH_STOPPED, (Place){ 0 },
                model_variable_name(c->s->model, c->parameter), c->here.y[c->n], why);
    if (hint) diag_hint(c->s->diag, "%s", hint);
}

// From `begin` on, to one side of the parameter, until it leaves the range.
static void follow(Follow *c, const Point *begin, double direction)
{
    const size_t n = c->n, n_before = c->points.n;
    copy_point(c, &c->here, begin);
    for (size_t i = 0; i <= n; i++) c->here.tangent[i] *= direction * begin->tangent[n] < 0 ? -1 : 1;
    double step = c->step_most / 2;
    for (;;) {
        if (c->points.n - n_before >= c->n_points_most) {
            warn_stop(c, "so many points have been computed", "--points N allows more");
            return;
        }
        if (cancel_is_set(c->s->run->cancel)) return;
        int n_corrections = 0;
        const bool ok = point_at(c, step, &c->next, &n_corrections);
        const double turn = ok ? product(c, c->here.tangent, c->next.tangent) : 0;
        if (!ok || turn < TURN_MOST) {
            step /= 2;
            if (step >= STEP_SHORTEST) continue;
            warn_stop(c, "however short the step, the next point is not found",
                      "the rates may jump or end here");
            return;
        }
        c->s_next = step;
        const bool is_out = c->next.y[n] < c->lo || c->next.y[n] > c->hi;
        if (is_out && !cut_off(c)) {
            step /= 2;
            if (step >= STEP_SHORTEST) continue;
            warn_stop(c, "its end at the border of the range is not found", NULL);
            return;
        }
        put_specials(c);
        put_point(c, &c->next, ORR_POINT_PLAIN, 0);
        const bool is_closed =
            c->points.n - n_before > 10 && distance(c, c->next.y, begin->y) < step &&
            product(c, c->next.tangent, begin->tangent) * direction * begin->tangent[n] > 0;
        copy_point(c, &c->here, &c->next);
        if (is_out || is_closed) return;
        for (size_t i = 0; i < n; i++) {
            if (fabs(c->here.y[i]) > FAR * c->s->scale[i]) {
                warn_stop(c, "the equilibrium has gone to infinity", NULL);
                return;
            }
            // as states grow so do their scales; the tangent is turned into the new ones
            const double scale = fmax(c->s->scale[i], fabs(c->here.y[i]));
            c->here.tangent[i] *= c->scale[i] / scale;
            c->scale[i] = scale;
        }
        const double length = sqrt(product(c, c->here.tangent, c->here.tangent));
        for (size_t i = 0; i <= n; i++) c->here.tangent[i] /= length;
        if (n_corrections <= 4 && turn > 0.99) step = fmin(1.5 * step, c->step_most);
    }
}

static void reverse(orr_branch_point *points, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const orr_branch_point held = points[i];
        points[i] = points[n - 1 - i];
        points[n - 1 - i] = held;
    }
}

// The branch through an equilibrium x at a: from `from` on, or to both sides.
static bool follow_from(Follow *c, const double *x, double a, double direction, bool both)
{
    const size_t n = c->n;
    Point begin = make_point(c);
    memcpy(begin.y, x, n * sizeof *x);
    begin.y[n] = a;
    for (size_t i = 0; i < n; i++) c->scale[i] = fmax(c->s->scale[i], fabs(x[i]));
    if (!rates_at(c, begin.y)) return false;
    // at a fold the parameter does not lead on, but some state does
    double *row = ARENA_ARRAY(&c->work, double, n + 1);
    bool ok = false;
    for (size_t k = n + 1; k-- > 0 && !ok;) {
        memset(row, 0, (n + 1) * sizeof *row);
        row[k] = k == n ? direction : 1;
        ok = find_tangent(c, &begin, row);
    }
    if (!ok || !find_spectrum(c, &begin)) return false;
    const size_t first = c->points.n;
    if (both) {
        follow(c, &begin, -direction);
        reverse(c->points.items + first, c->points.n - first);
        for (size_t i = 0; i < n; i++) c->scale[i] = fmax(c->s->scale[i], fabs(x[i]));
    }
    put_point(c, &begin, ORR_POINT_PLAIN, 0);
    follow(c, &begin, direction);
    c->branch++;
    return true;
}

// Has an earlier branch come by here?
static bool is_known(const Follow *c, const double *x, double a)
{
    const orr_model *model = c->s->model;
    for (size_t p = 0; p < c->points.n; p++) {
        const orr_branch_point *point = &c->points.items[p];
        if (point->parameter != a) continue;
        bool same = true;
        for (size_t i = 0; i < c->n && same; i++) {
            const double y = point->values[model_state_variable(model, (uint32_t)i)];
            same = fabs(x[i] - y) <= 1e-6 * fmax(c->s->scale[i], fmax(fabs(x[i]), fabs(y)));
        }
        if (same) return true;
    }
    return false;
}

// ---- Where to begin

static FoundList equilibria_at(Follow *c, Linear *l, double a, size_t n_starts)
{
    system_set(c->s, c->place, a);
    FoundList found = steady_search(c->s, l, 1, NULL, 0, true);
    if (found.n == 0 || n_starts > 1) found = steady_search(c->s, l, n_starts, NULL, 0, true);
    return found;
}

static bool begin_branches(Follow *c, Linear *l, const orr_continue_options *o, double own)
{
    const double direction = o->to < o->from ? -1 : 1;
    const char *name = o->parameter;
    double a = o->from;
    FoundList found = equilibria_at(c, l, a, o->n_starts);
    if (found.n == 0 && own > c->lo && own < c->hi) found = equilibria_at(c, l, a = own, o->n_starts);
    if (found.n == 0) found = equilibria_at(c, l, a = o->to, o->n_starts);
    if (found.n == 0) {
        diag_report(c->s->diag, DIAG_BRANCH_NONE, (Place){ 0 }, name, o->from, o->to);
        diag_hint(
            c->s->diag,
            "'orrery steady --set %s=VALUE' shows where there are any; "
            "--set STATE=VALUE begins the search elsewhere",
            name);
        return false;
    }
    if (a != o->from) diag_report(c->s->diag, DIAG_BRANCH_ELSEWHERE, (Place){ 0 }, name, o->from, a);
    analyse_warn_time(c->s, found.items[0].x);
    if (o->n_starts <= 1) found.n = 1;
    for (size_t i = 0; i < found.n; i++) {
        if (is_known(c, found.items[i].x, a)) continue;
        if (!follow_from(c, found.items[i].x, a, a == o->to ? -direction : direction,
                         a != o->from && a != o->to))
            return false;
    }
    return true;
}

// ---- The public side

orr_continue_options orr_continue_options_default(void)
{
    return (orr_continue_options){ .run = orr_run_options_default() };
}

const char *orr_point_text(orr_point_kind kind)
{
    switch (kind) {
    case ORR_POINT_FOLD:     return "fold";
    case ORR_POINT_HOPF:     return "Hopf point";
    case ORR_POINT_CROSSING: return "crossing of branches";
    default:                 return "";
    }
}

static bool check(const orr_model *model, const orr_continue_options *o, size_t *variable, orr_diag *diag)
{
    if (!analyse_check(model, diag)) return false;
    if (model->n_states > STATES_MAX) {
        diag_report(diag, DIAG_MODEL_TOO_LARGE, (Place){ 0 }, (size_t)model->n_states, "states",
                    (size_t)STATES_MAX);
        return false;
    }
    *variable = orr_model_find(model, o->parameter);
    if (*variable == (size_t)-1) {
        diag_report(diag, DIAG_SETTING_UNKNOWN, (Place){ 0 }, o->parameter);
        diag_suggest(diag, o->parameter, orr_model_closest(model, o->parameter));
        return false;
    }
    if (!analyse_is_input(model, *variable, diag)) return false;
    if (isfinite(o->from) && isfinite(o->to) && o->from != o->to) return true;
    diag_report(diag, DIAG_ANALYSE_RANGE, (Place){ 0 }, o->parameter, o->from, o->to,
                "its ends must be two different numbers");
    return false;
}

// The user's settings and, where nobody gave the parameter a value, its first one.
static orr_run_options complete_settings(const orr_model *model, const orr_continue_options *o,
                                         size_t variable, Arena *arena)
{
    orr_run_options run = o->run;
    const ModelVariable parameter = model_variable(model, variable);
    bool given = (parameter.var ? parameter.var->start : parameter.array->start) != EXPR_NONE;
    for (size_t i = 0; i < run.n_settings; i++)
        given = given || strcmp(run.settings[i].name, o->parameter) == 0;
    if (given) return run;
    orr_setting *settings = ARENA_ARRAY(arena, orr_setting, run.n_settings + 1);
    if (run.n_settings) memcpy(settings, run.settings, run.n_settings * sizeof *settings);
    settings[run.n_settings++] = (orr_setting){ o->parameter, o->from };
    run.settings = settings;
    return run;
}

static orr_status continue_branches(const orr_model *model, const orr_continue_options *o, Arena *arena,
                                    orr_diagram *result, orr_diag *diag)
{
    orr_status status;
    System s;
    Linear l;
    if (!check(model, o, &result->parameter, diag)) return ORR_STATUS_USAGE;
    const orr_run_options run = complete_settings(model, o, result->parameter, arena);
    if (!system_open(&s, model, &run, arena, diag, &status)) return status;
    const size_t n = s.n, m = n + 1;
    Follow c = { .s = &s, .arena = arena, .n = n, .parameter = result->parameter };
    c.place = model_variable(model, result->parameter).place;
    c.lo = fmin(o->from, o->to);
    c.hi = fmax(o->from, o->to);
    c.step_most = o->step > 0 ? o->step : STEP_DEFAULT;
    c.n_points_most = o->n_points ? o->n_points : POINTS_DEFAULT;
    c.scale = ARENA_ARRAY(&c.work, double, m);
    c.scale[n] = c.hi - c.lo;
    c.matrix = ARENA_ARRAY(&c.work, double, m * m);
    c.line = ARENA_ARRAY(&c.work, double, m);
    c.pivots = ARENA_ARRAY(&c.work, size_t, m);
    c.j = ARENA_ARRAY(&c.work, double, n * n);
    c.fa = ARENA_ARRAY(&c.work, double, n);
    c.f = ARENA_ARRAY(&c.work, double, n);
    c.here = make_point(&c);
    c.next = make_point(&c);
    c.trial = make_point(&c);
    const double own = system_get(&s, c.place);
    status = ORR_STATUS_FAILED;
    if (linear_init(&l, &s) && begin_branches(&c, &l, o, own)) status = ORR_STATUS_OK;
    if (status != ORR_STATUS_OK && orr_diag_errors(diag) == 0)
        diag_report(diag, DIAG_ANALYSE_POINT, (Place){ 0 }, s.t);
    result->n_states = n;
    result->states = analyse_states(model, arena);
    result->points = c.points.items;
    result->n_points = c.points.n;
    result->n_branches = c.branch;
    linear_free(&l);
    arena_free(&c.work);
    system_close(&s);
    return status;
}

orr_diagram orr_continue(const orr_model *model, const orr_continue_options *options, orr_diag *diag)
{
    orr_diagram result = { 0 };
    Arena *arena = analyse_memory(&result.memory);
    result.status = continue_branches(model, options, arena, &result, diag);
    return result;
}

void orr_diagram_free(orr_diagram *diagram)
{
    analyse_free(diagram->memory);
    *diagram = (orr_diagram){ 0 };
}
