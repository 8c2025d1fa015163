// src/exp/identify.c: why data do not know a parameter: because of these data, or because no data could.
//
// Derivatives are taken again where nothing is left to chance: at many times without noise, and at points
// beside the solution. A direction that is null there too is one of the model; if it is everywhere the same
// in logarithms, the products that stay the same along it have a name.
#include "base/text.h"
#include "exp/fit.h"
#include "num/random.h"
#include <math.h>
#include <string.h>

enum { TIMES = 100, POINTS = 3, POWER_MAX = 4 };
#define APART          0.7    // of logarithms: how far the other points are
#define SAME_DIRECTION 1e-3

// The same fit with many times for each variable.
static Fit dense_fit(const Fit *fit, Arena *arena)
{
    Fit dense = *fit;
    FitSeries *series = ARENA_ARRAY(arena, FitSeries, fit->n_series);
    double *t = ARENA_ARRAY(arena, double, TIMES), *y = ARENA_ARRAY(arena, double, TIMES);
    const double from = fit->experiment.from;
    double until = from;
    for (size_t i = 0; i < fit->n_groups; i++) until = fmax(until, fit->groups[i].experiment.until);
    for (size_t i = 0; i < TIMES; i++) t[i] = from + (until - from) * (double)(i + 1) / TIMES;
    for (size_t i = 0; i < fit->n_series; i++)
        series[i] = (FitSeries){ .variable = fit->series[i].variable, .t = t, .y = y, .n = TIMES,
                                 .condition = fit->series[i].condition };
    dense.series = series;
    dense.arena = arena;
    dense.has_deviations = false;
    return dense;
}

// Beside the solution, inside the bounds.
static void other_point(const Fit *fit, const double *p, RandomStream *luck, double *q)
{
    for (size_t j = 0; j < fit->n; j++) {
        const FitParameter *x = &fit->parameters[j];
        q[j] = p[j] * exp(random_uniform(luck, -APART, APART));
        if (q[j] <= x->low || q[j] >= x->high) q[j] = p[j];
    }
}

// How many directions the derivatives at p know; the last one that they do not, in logarithms, its largest
// part 1.
static size_t rank_at(Fit *fit, const double *p, double *direction)
{
    const size_t n = fit->n;
    Arena work = { 0 };
    double *a = ARENA_ARRAY(&work, double, n * fit->m), *inverse = ARENA_ARRAY(&work, double, n *n),
           *vectors = ARENA_ARRAY(&work, double, n *n), values[FIT_PARAMETERS_MAX],
           lengths[FIT_PARAMETERS_MAX];
    size_t rank = n;
    if (fit_derivatives(fit, p, a)) {
        rank = least_squares_inverse(a, fit->m, n, FIT_RANK_CUT, inverse, values, vectors, lengths, &work);
        double largest = 0;
        for (size_t j = 0; j < n && rank < n; j++) {
            const double scale = fit->parameters[j].is_log || p[j] == 0 ? 1 : p[j];
            direction[j] = lengths[j] > 0 ? vectors[(n - 1) * n + j] / lengths[j] / scale
                                          : vectors[(n - 1) * n + j];
            largest = fmax(largest, fabs(direction[j]));
        }
        // its sign is that of the first part that counts, or rounding would choose it
        for (size_t j = n; j-- > 0 && rank < n;)
            if (fabs(direction[j]) > fabs(largest) / 2) largest = copysign(largest, direction[j]);
        for (size_t j = 0; j < n && rank < n; j++) direction[j] /= largest;
    }
    arena_free(&work);
    return rank;
}

// `a*b^2` of two parameters whose logarithms move by these amounts; NULL if the powers are not small.
static const char *product_of(const Fit *fit, const double *direction, Arena *arena)
{
    size_t which[2], n = 0;
    for (size_t j = 0; j < fit->n; j++) {
        if (fabs(direction[j]) <= SAME_DIRECTION) continue;
        if (n == 2) return NULL;
        which[n++] = j;
    }
    if (n != 2) return NULL;
    // along (u, v) the product a^v·b^-u stays
    for (int first = 1; first <= POWER_MAX; first++) {
        const double second = -first * direction[which[0]] / direction[which[1]], whole = round(second);
        if (fabs(second - whole) > SAME_DIRECTION * fabs(second) || fabs(whole) > POWER_MAX) continue;
        StrBuf text = { .arena = arena };
        str_add(&text, fit->parameters[which[0]].name);
        if (first > 1) str_addf(&text, "^%d", first);
        str_addf(&text, "%s%s", whole < 0 ? "/" : "*", fit->parameters[which[1]].name);
        if (fabs(whole) > 1) str_addf(&text, "^%g", fabs(whole));
        return str_finish(&text);
    }
    return NULL;
}

FitCause fit_explain(const Fit *fit, const double *p)
{
    FitCause cause = { 0 };
    Arena work = { 0 };
    double q[FIT_PARAMETERS_MAX], first[FIT_PARAMETERS_MAX], direction[FIT_PARAMETERS_MAX];
    Fit dense = dense_fit(fit, &work);
    orr_diag *diag = orr_diag_create();
    RandomStream luck = random_stream(fit->experiment.run.seed, 0, "identify");
    bool is_constant = fit_prepare(&dense, diag);
    cause.is_structural = is_constant;
    for (int i = 0; i < POINTS && cause.is_structural; i++) {
        memcpy(q, p, fit->n * sizeof *q);
        if (i > 0) other_point(fit, p, &luck, q);
        const size_t rank = rank_at(&dense, q, i == 0 ? first : direction);
        cause.is_structural = rank < fit->n;
        is_constant = is_constant && rank + 1 == fit->n;
        for (size_t j = 0; j < fit->n && is_constant && i > 0; j++)
            is_constant = fabs(direction[j] - first[j]) <= SAME_DIRECTION;
    }
    if (cause.is_structural && is_constant) cause.known = product_of(fit, first, fit->arena);
    orr_diag_destroy(diag);
    arena_free(&work);
    return cause;
}
