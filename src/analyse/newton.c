// src/analyse/newton.c: where the rates are zero, from a starting point.
//
// Damped Newton with the natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
// section 3.3): a step of length λ is good if the next correction, with the same matrix, is shorter than this
// one. The test sees corrections only, so it does not care in which units rates are measured, and a rate that
// merely fades away at infinity is never taken for zero: its corrections do not get shorter.
//
// Equilibria that are known already can be taken out: f is multiplied by M(x) = Π (1 + 1/|x - known|²), which
// has a pole at each of them, so Newton is driven elsewhere (Farrell, Birkisson, Funke 2015). The corrections
// of M f follow from those of f by the formula of Sherman and Morrison.
//
// Where Newton fails, time itself is followed: steps of implicit Euler, x + (I/dt - J)⁻¹ f, each twice as
// long as the last. They go where the model goes and end as Newton's steps (pseudo-transient continuation,
// Kelley and Keyes 1998). A singular J does not stop them, so lines of equilibria are reached too, at the
// point that the start leads to.
//
// Where that does not come to rest either, the shortest of the corrections that fit best is taken (Levenberg
// 1944, Marquardt 1963), for models small enough for the normal equations: so the cart that may stand
// anywhere is found standing. The point this ends at counts if the rates are really zero, measured by what
// the states contribute to them.
#include "analyse/analyse.h"
#include "num/lu.h"
#include <math.h>
#include <string.h>

enum { NEWTON_MAX = 60, EULER_MAX = 200, SHORTER_MAX = 30, FIT_MAX = 200, FIT_STATES = 200 };
#define CONVERGED 1e-9      // corrections this short, in scales, are not for improving a wrong point
#define EXACT     1e-14     // and shorter ones are not worth making
#define FAR       1e9       // scales: beyond, x has escaped

// The size of a correction at x, in scales of the states.
static double size_of(const System *s, const double *x, const double *dx)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double size = fabs(dx[i]) / fmax(s->scale[i], fabs(x[i]));
        if (!(size <= most)) most = size;    // a NaN stays
    }
    return most;
}

double newton_distance(const System *s, const double *x, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++)
        most = fmax(most, fabs(x[i] - y[i]) / fmax(s->scale[i], fmax(fabs(x[i]), fabs(y[i]))));
    return most;
}

static bool is_far(const System *s, const double *x)
{
    for (size_t i = 0; i < s->n; i++)
        if (fabs(x[i] - s->start[i]) > FAR * s->scale[i]) return true;
    return false;
}

static void look(const System *s, const double *x, const double *f, Nearest *nearest)
{
    double merit = 0;
    for (size_t i = 0; i < s->n; i++) merit = fmax(merit, fabs(f[i]) / s->scale[i]);
    if (!(merit < nearest->merit)) return;
    nearest->merit = merit;
    memcpy(nearest->x, x, s->n * sizeof *x);
    memcpy(nearest->f, f, s->n * sizeof *f);
}

typedef struct Work {
    double *f, *dx, *next_dx, *trial;    // [n]
    double *pull;                        // [n] gradient of log M
    const Found *known;                  // [n_known] taken out
    size_t  n_known;
    bool    is_free;                     // steps are not damped
} Work;

// log M at x and, if asked for, its gradient.
static double log_deflation(const System *s, const Work *w, const double *x, double *gradient)
{
    double sum = 0;
    if (gradient) memset(gradient, 0, s->n * sizeof *gradient);
    for (size_t k = 0; k < w->n_known; k++) {
        const double *known = w->known[k].x;
        double square = 0;
        for (size_t i = 0; i < s->n; i++) square += pow((x[i] - known[i]) / s->scale[i], 2) / (double)s->n;
        sum += log1p(1 / square);
        const double slope = -2 / (square * (square + 1) * (double)s->n);
        for (size_t i = 0; gradient && i < s->n; i++)
            gradient[i] += slope * (x[i] - known[i]) / (s->scale[i] * s->scale[i]);
    }
    return sum;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// x + λ·(correction) such that the next correction is shorter, in trial, with f there. dx is the correction
// of f alone, `rest` what deflation divides it by. *size is that of the correction, and becomes that of the
// next.
static bool shorten(System *s, Linear *l, const double *x, double log_m, double rest, Work *w, double *lambda,
                    double *size)
{
    const size_t n = s->n;
    const double before = *size;
    for (int k = 0; k < SHORTER_MAX; k++, *lambda /= 2) {
        for (size_t i = 0; i < n; i++) w->trial[i] = x[i] + *lambda * w->dx[i] / rest;
        if (!system_rates(s, w->trial, w->f)) continue;
        memcpy(w->next_dx, w->f, n * sizeof *w->f);
        linear_solve(l, w->next_dx);
        if (w->n_known > 0) {
            const double ratio = exp(log_deflation(s, w, w->trial, NULL) - log_m),
                         part = dot(w->pull, w->next_dx, n) / rest;
            for (size_t i = 0; i < n; i++) w->next_dx[i] = ratio * (w->next_dx[i] + part * w->dx[i]);
        }
        *size = size_of(s, x, w->next_dx);
        if (w->is_free || *size <= (1 - *lambda / 4) * before) return true;
        // as exact as rounding allows
        if (*lambda == 1 && before <= CONVERGED && *size <= CONVERGED) return true;
    }
    return false;
}

static bool damped_newton(System *s, Linear *l, double *x, Work *w, Nearest *nearest)
{
    const size_t n = s->n;
    double lambda = 1, last = INFINITY;
    if (!system_rates(s, x, w->f)) return false;
    for (int k = 0; k < NEWTON_MAX; k++) {
        look(s, x, w->f, nearest);
        if (!linear_read(l, s, x) || !linear_factor(l, 0)) return false;
        memcpy(w->dx, w->f, n * sizeof *w->f);
        linear_solve(l, w->dx);
        const double log_m = log_deflation(s, w, x, w->pull), rest = 1 - dot(w->pull, w->dx, n);
        double size = size_of(s, x, w->dx) / fabs(rest);
        if (!isfinite(size)) return false;
        if (size <= CONVERGED && (size <= EXACT || size >= last)) {
            if (size < last)
                for (size_t i = 0; i < n; i++) x[i] += w->dx[i] / rest;
            return true;
        }
        last = size;
        // a correction much larger than the state is not to be believed
        lambda = fmin(1, fmin(2 * lambda, 10 / size));
        if (!shorten(s, l, x, log_m, rest, w, &lambda, &size) || is_far(s, w->trial))
            return last <= CONVERGED;
        memcpy(x, w->trial, n * sizeof *x);
    }
    return last <= CONVERGED;
}

// Are the rates zero, measured by what the states contribute to them? Scratch: [n].
static bool is_zero(const System *s, const Linear *l, const double *x, const double *f, double *scratch)
{
    linear_weights(l, s, x, scratch);
    for (size_t i = 0; i < s->n; i++)
        if (!(fabs(f[i]) <= CONVERGED * scratch[i])) return false;
    return true;
}

static double squares(const double *f, const double *weight, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (f[i] / weight[i]) * (f[i] / weight[i]);
    return sum;
}

// d := (JᵀJ + μ)⁻¹ Jᵀ f, in scales of states and weights of rates. j is [n*n] in these; normal and pivots are
// scratch.
static bool fit_correction(const double *j, const double *f, const double *weight, size_t n, double mu,
                           double *normal, size_t *pivots, double *d)
{
    memset(normal, 0, n * n * sizeof *normal);
    memset(d, 0, n * sizeof *d);
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < n; i++) {
            const double entry = j[r * n + i];
            if (entry == 0) continue;
            d[i] -= entry * f[r] / weight[r];
            for (size_t k = 0; k < n; k++) normal[i * n + k] += entry * j[r * n + k];
        }
    }
    for (size_t i = 0; i < n; i++) normal[i * n + i] += mu;
    if (!lu_factor(normal, n, pivots, NULL)) return false;
    lu_solve(normal, n, pivots, d);
    return true;
}

static bool fitted(System *s, Linear *l, double *x, Work *w, Nearest *nearest)
{
    const size_t n = s->n;
    if (n > FIT_STATES || !system_rates(s, x, w->f)) return false;
    Arena scratch = { 0 };
    double *j = ARENA_ARRAY(&scratch, double, n * n), *normal = ARENA_ARRAY(&scratch, double, n * n);
    double *weight = ARENA_ARRAY(&scratch, double, n);
    size_t *pivots = ARENA_ARRAY(&scratch, size_t, n);
    double mu = 1e-2, size = INFINITY;
    bool ok = true, anew = true;
    for (int k = 0; k < FIT_MAX && ok && size > EXACT; k++) {
        if (anew) {
            look(s, x, w->f, nearest);
            ok = system_jacobian(s, x, false, j) && linear_read(l, s, x);
            if (k == 0 && ok) linear_weights(l, s, x, weight);
            for (size_t i = 0; i < n && ok; i++) {
                if (weight[i] == 0) weight[i] = 1;
                for (size_t c = 0; c < n; c++) j[i * n + c] *= fmax(s->scale[c], fabs(x[c])) / weight[i];
            }
        }
        if (!ok || !fit_correction(j, w->f, weight, n, mu, normal, pivots, w->dx)) break;
        for (size_t i = 0; i < n; i++) w->dx[i] *= fmax(s->scale[i], fabs(x[i]));
        size = size_of(s, x, w->dx);
        for (size_t i = 0; i < n; i++) w->trial[i] = x[i] + w->dx[i];
        anew = isfinite(size) && size < 10 && system_rates(s, w->trial, w->next_dx) &&
               squares(w->next_dx, weight, n) < squares(w->f, weight, n);
        if (anew) {
            memcpy(x, w->trial, n * sizeof *x);
            memcpy(w->f, w->next_dx, n * sizeof *x);
            mu = fmax(mu / 8, 1e-13);
        } else {
            mu *= 4;
            system_rates(s, x, w->f);    // its relations again
        }
    }
    // zero, or only the smallest around?
    ok = ok && !is_far(s, x) && linear_read(l, s, x) && is_zero(s, l, x, w->f, weight);
    arena_free(&scratch);
    return ok;
}

static bool growing_euler(System *s, Linear *l, double *x, Work *w, Nearest *nearest)
{
    const size_t n = s->n;
    if (!system_rates(s, x, w->f)) return false;
    const double speed = size_of(s, x, w->f);
    double dt = speed > 0 ? 0.1 / speed : 1;
    double size = INFINITY;
    for (int k = 0; k < EULER_MAX; k++) {
        look(s, x, w->f, nearest);
        bool ok = linear_read(l, s, x) && linear_factor(l, 1 / dt);
        if (ok) {
            memcpy(w->dx, w->f, n * sizeof *w->f);
            linear_solve(l, w->dx);
            size = size_of(s, x, w->dx);
            for (size_t i = 0; i < n; i++) w->trial[i] = x[i] + w->dx[i];
            // farther than the state is large: too far to believe in J
            ok = isfinite(size) && size <= 1 && system_rates(s, w->trial, w->next_dx);
        }
        if (!ok) {
            dt /= 8;
            size = INFINITY;
            if (!system_rates(s, x, w->f) || dt * speed < 1e-12) return false;
            continue;
        }
        memcpy(x, w->trial, n * sizeof *x);
        memcpy(w->f, w->next_dx, n * sizeof *w->f);
        if (is_far(s, x)) return false;
        // nothing moves, and not only because the step is short or everything has become slow
        if (size <= CONVERGED && is_zero(s, l, x, w->f, w->dx)) return true;
        dt *= 2;
    }
    return false;
}

// What is zero but for rounding becomes zero, if the rates are none the larger for it.
static void tidy(System *s, double *x, Work *w)
{
    const size_t n = s->n;
    double before = 0, after = 0;
    if (!system_rates(s, x, w->f)) return;
    for (size_t i = 0; i < n; i++) {
        before = fmax(before, fabs(w->f[i]) / s->scale[i]);
        w->trial[i] = fabs(x[i]) < 1e-13 * s->scale[i] ? 0 : x[i];
    }
    if (!system_rates(s, w->trial, w->f)) return;
    for (size_t i = 0; i < n; i++) after = fmax(after, fabs(w->f[i]) / s->scale[i]);
    if (after <= before) memcpy(x, w->trial, n * sizeof *x);
}

static Work make_work(const System *s, Arena *arena)
{
    const size_t n = s->n;
    return (Work){ .f = ARENA_ARRAY(arena, double, n),
                   .dx = ARENA_ARRAY(arena, double, n),
                   .next_dx = ARENA_ARRAY(arena, double, n),
                   .trial = ARENA_ARRAY(arena, double, n),
                   .pull = ARENA_ARRAY(arena, double, n) };
}

Way newton_find(System *s, Linear *l, double *x, Nearest *nearest)
{
    Arena scratch = { 0 };
    Work w = make_work(s, &scratch);
    double *begin = ARENA_ARRAY(&scratch, double, s->n);
    memcpy(begin, x, s->n * sizeof *x);
    Way way = WAY_NONE;
    for (Way tried = WAY_NEWTON; tried <= WAY_FIT && way == WAY_NONE; tried++) {
        memcpy(x, begin, s->n * sizeof *x);
        system_forget(s);
        const bool found = tried == WAY_NEWTON ? damped_newton(s, l, x, &w, nearest)
                         : tried == WAY_TIME   ? growing_euler(s, l, x, &w, nearest)
                                               : fitted(s, l, x, &w, nearest);
        if (!found) continue;
        tidy(s, x, &w);
        if (system_rates(s, x, w.f)) way = tried;
    }
    arena_free(&scratch);
    return way;
}

bool newton_find_other(System *s, Linear *l, double *x, const Found *known, size_t n_known, Nearest *nearest)
{
    Arena scratch = { 0 };
    Work w = make_work(s, &scratch);
    w.known = known;
    w.n_known = n_known;
    double *there = ARENA_ARRAY(&scratch, double, s->n);
    memcpy(there, x, s->n * sizeof *x);
    bool found = false;
    // damping keeps to one side of a pole; without it Newton may well jump to the other
    for (int free = 0; free < 2 && !found; free++) {
        w.is_free = free;
        memcpy(x, there, s->n * sizeof *x);
        system_forget(s);
        found = damped_newton(s, l, x, &w, nearest);
    }
    w.is_free = false;
    // and without deflation: the last digits, and the proof
    w.n_known = 0;
    memcpy(there, x, s->n * sizeof *x);
    found = found && damped_newton(s, l, x, &w, nearest) && newton_distance(s, x, there) < 1e-6;
    if (found) tidy(s, x, &w);
    found = found && system_rates(s, x, w.f);
    arena_free(&scratch);
    return found;
}
