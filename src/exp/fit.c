// src/exp/fit.c: see fit.h.
#include "exp/fit.h"
#include "base/diag.h"
#include "num/random.h"
#include "num/student.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOUND_REACH 1e-6    // of the range, or of the size: so near to a bound it is on it

// ---- Parameters as they are looked for

static double to_sought(const FitParameter *x, double p) { return x->is_log ? log(p) : p; }
static double from_sought(const FitParameter *x, double s) { return x->is_log ? exp(s) : s; }

// ---- Runs

typedef struct Runs {
    Fit      *fit;
    FitGroup *group;
    double   *values;    // [n_members][m]
    bool     *ok;
} Runs;

static bool learn_columns(void *self, const char *const *names, const char *const *units, size_t n,
                          const char *time_unit)
{
    const Runs *runs = self;
    FitGroup *g = runs->group;
    (void)units, (void)time_unit;
    g->n_columns = n;
    for (size_t i = 0; i < g->n && !g->has_columns; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(names[k], runs->fit->series[g->first + i].variable) == 0) g->column_of[i] = k;
    g->has_columns = true;
    return true;
}

static bool take_member(void *self, const orr_member *member)
{
    const Runs *runs = self;
    Fit *f = runs->fit;
    const FitGroup *g = runs->group;
    double *values = runs->values + member->index * f->m + g->at;
    bool ok = member->status == ORR_STATUS_OK || member->status == ORR_STATUS_TERMINATED;
    size_t k = 0;
    f->n_runs++;
    for (size_t i = 0; i < g->n; i++) {
        for (size_t j = 0; j < f->series[g->first + i].n; j++, k++) {
            const bool is_there = g->row_of[k] < member->n_rows;
            values[k] = is_there ? member->rows[g->row_of[k] * g->n_columns + g->column_of[i]] : NAN;
            ok = ok && isfinite(values[k]);
        }
    }
    if (!ok && f->n_failed++ == 0)
        snprintf(f->failure, sizeof f->failure, "%s",
                 member->failure ? member->failure : "a value is no number");
    runs->ok[member->index] = runs->ok[member->index] && ok;
    return true;
}

// n runs of each group, with the parameters p [n][fit->n].
static bool run_all(Fit *f, const double *p, size_t n, double *values, bool *ok)
{
    const char *names[FIT_PARAMETERS_MAX + 1];
    Arena work = { 0 };
    orr_ensemble_options how = f->how;
    bool runs_well = true;
    for (size_t i = 0; i < f->n; i++) names[i] = f->parameters[i].name;
    how.names = names;
    how.n_names = f->n + (f->held ? 1 : 0);
    how.values = p;
    how.n_members = n;
    how.common = true;
    if (f->held) {
        double *all = ARENA_ARRAY(&work, double, n * how.n_names);
        names[f->n] = f->held;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < f->n; j++) all[i * how.n_names + j] = p[i * f->n + j];
            all[i * how.n_names + f->n] = f->held_at;
        }
        how.values = all;
    }
    for (size_t i = 0; i < n; i++) ok[i] = true;
    for (size_t i = 0; i < f->n_groups; i++) {
        Runs runs = { f, &f->groups[i], values, ok };
        const orr_member_sink sink = { .begin = learn_columns, .member = take_member, .self = &runs };
        orr_diag *diag = orr_diag_create();
        runs_well = orr_ensemble_run(f->model, &runs.group->experiment, &how, &sink, NULL, diag) ==
                        ORR_STATUS_OK && runs_well;
        orr_diag_destroy(diag);
    }
    arena_free(&work);
    return runs_well;
}

bool fit_values(Fit *f, const double *p, double *values)
{
    bool ok = false;
    return run_all(f, p, 1, values, &ok) && ok;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The experiment of a group: what its condition sets, rows at its times.
static void prepare_group(const Fit *f, FitGroup *g)
{
    orr_experiment *e = &g->experiment;
    size_t n_points = 0, n_times = 0, k = 0;
    *e = f->experiment;
    const char **records = ARENA_ARRAY(f->arena, const char *, g->n);
    for (size_t i = 0; i < g->n; i++) {
        records[i] = f->series[g->first + i].variable;
        n_points += f->series[g->first + i].n;
    }
    e->records = records;
    e->n_records = g->n;
    double *times = ARENA_ARRAY(f->arena, double, n_points);
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < f->series[g->first + i].n; j++) times[k++] = f->series[g->first + i].t[j];
    qsort(times, n_points, sizeof *times, compare_numbers);
    for (size_t i = 0; i < n_points; i++)
        if (times[i] > (n_times ? times[n_times - 1] : e->from)) times[n_times++] = times[i];
    g->row_of = ARENA_ARRAY(f->arena, size_t, n_points);
    g->column_of = ARENA_ARRAY(f->arena, size_t, g->n);
    k = 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < f->series[g->first + i].n; j++, k++) {
            const double *at = bsearch(&f->series[g->first + i].t[j], times, n_times, sizeof *times,
                                       compare_numbers);
            g->row_of[k] = at ? (size_t)(at - times) + 1 : 0;
        }
    e->times = times;
    e->n_times = n_times;
    if (n_times) e->until = times[n_times - 1];
    const size_t condition = f->series[g->first].condition;
    if (!condition) return;
    const orr_condition *set = &f->experiment.conditions[condition - 1];
    orr_setting *settings = ARENA_ARRAY(f->arena, orr_setting, e->run.n_settings + set->n_settings);
    for (size_t i = 0; i < e->run.n_settings; i++) settings[i] = e->run.settings[i];
    for (size_t i = 0; i < set->n_settings; i++) settings[e->run.n_settings + i] = set->settings[i];
    e->run.settings = settings;
    e->run.n_settings += set->n_settings;
}

bool fit_prepare(Fit *f, orr_diag *diag)
{
    f->m = f->n_groups = 0;
    f->groups = ARENA_ARRAY(f->arena, FitGroup, f->n_series);
    for (size_t i = 0; i < f->n_series; i++) {
        if (i == 0 || f->series[i].condition != f->series[i - 1].condition)
            f->groups[f->n_groups++] = (FitGroup){ .first = i, .at = f->m };
        f->groups[f->n_groups - 1].n++;
        f->m += f->series[i].n;
    }
    if (f->m < f->n) {
        diag_report(diag, DIAG_FIT_POINTS, (Place){ 0 }, f->m, f->n);
        diag_hint(diag, "fit fewer parameters, or give more data");
        return false;
    }
    for (size_t i = 0; i < f->n_groups; i++) prepare_group(f, &f->groups[i]);
    return true;
}

// ---- Derivatives
//
// A difference of fourth order over 4 points, or of second order over 3 where a bound is near.

typedef struct Stencil {
    double step;
    int n;
    double places[4], weights[4];    // times step; divided by it
} Stencil;

static Stencil stencil_of(const Fit *f, size_t j, double sought)
{
    static const Stencil middle = { 0, 4, { -2, -1, 1, 2 }, { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 } };
    static const Stencil ahead = { 0, 3, { 0, 1, 2 }, { -1.5, 2, -0.5 } };
    const FitParameter *x = &f->parameters[j];
    const double low = to_sought(x, x->low), high = to_sought(x, x->high);
    const double range = isfinite(high - low) ? high - low : INFINITY;
    double size = x->is_log ? 1 : fmax(fabs(sought), 1e-3 * fabs(x->start));
    if (size == 0) size = isfinite(range) ? range : 1;
    const double step = fmin(f->reach * size, range / 8);
    Stencil s = sought - low > 2 * step && high - sought > 2 * step ? middle : ahead;
    s.step = s.n == 3 && high - sought < sought - low ? -step : step;
    return s;
}

bool fit_derivatives(Fit *f, const double *p, double *a)
{
    const size_t n = f->n, m = f->m;
    Arena work = { 0 };
    double *points = ARENA_ARRAY(&work, double, 4 * n * n), *values = ARENA_ARRAY(&work, double, 4 * n * m);
    bool *ok = ARENA_ARRAY(&work, bool, 4 * n), all_ok = true;
    Stencil *stencils = ARENA_ARRAY(&work, Stencil, n);
    size_t k = 0;
    for (size_t j = 0; j < n; j++) {
        const double sought = to_sought(&f->parameters[j], p[j]);
        stencils[j] = stencil_of(f, j, sought);
        for (int i = 0; i < stencils[j].n; i++, k++) {
            memcpy(points + k * n, p, n * sizeof *p);
            points[k * n + j] = from_sought(&f->parameters[j],
                                            sought + stencils[j].places[i] * stencils[j].step);
        }
    }
    all_ok = run_all(f, points, k, values, ok);
    memset(a, 0, n * m * sizeof *a);
    k = 0;
    for (size_t j = 0; j < n; j++)
        for (int i = 0; i < stencils[j].n; i++, k++) {
            all_ok = all_ok && ok[k];
            const double weight = stencils[j].weights[i] / stencils[j].step;
            for (size_t l = 0; l < m; l++) a[j * m + l] += weight * values[k * m + l];
        }
    arena_free(&work);
    return all_ok;
}

// ---- The search

static void to_values(const Fit *f, const double *sought, double *p)
{
    for (size_t j = 0; j < f->n; j++) p[j] = from_sought(&f->parameters[j], sought[j]);
}

// Each point in units of its deviation.
static double weight_of(const FitSeries *s, size_t i) { return s->deviation ? 1 / s->deviation[i] : 1; }

// Values become residuals.
static void subtract_data(const Fit *f, double *r)
{
    size_t k = 0;
    for (size_t i = 0; i < f->n_series; i++)
        for (size_t j = 0; j < f->series[i].n; j++, k++)
            r[k] = (r[k] - f->series[i].y[j]) * weight_of(&f->series[i], j);
}

static bool residuals(void *self, const double *sought, double *r)
{
    Fit *f = self;
    double p[FIT_PARAMETERS_MAX];
    to_values(f, sought, p);
    if (!fit_values(f, p, r)) return false;
    subtract_data(f, r);
    return true;
}

void fit_squares(Fit *f, const double *points, size_t n_points, double *squares)
{
    enum { AT_ONCE = 64 };
    Arena work = { 0 };
    double *values = ARENA_ARRAY(&work, double, AT_ONCE * f->m);
    bool ok[AT_ONCE];
    for (size_t first = 0; first < n_points; first += AT_ONCE) {
        const size_t n = n_points - first < AT_ONCE ? n_points - first : AT_ONCE;
        if (!run_all(f, points + first * f->n, n, values, ok)) memset(ok, 0, sizeof ok);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            subtract_data(f, values + i * f->m);
            for (size_t k = 0; k < f->m; k++) sum += values[i * f->m + k] * values[i * f->m + k];
            squares[first + i] = ok[i] && isfinite(sum) ? sum : INFINITY;
        }
    }
    arena_free(&work);
}

static bool derivatives(void *self, const double *sought, const double *r, double *a)
{
    Fit *f = self;
    double p[FIT_PARAMETERS_MAX];
    (void)r;
    to_values(f, sought, p);
    if (!fit_derivatives(f, p, a)) return false;
    for (size_t c = 0; c < f->n; c++) {
        size_t k = c * f->m;
        for (size_t i = 0; i < f->n_series; i++)
            for (size_t j = 0; j < f->series[i].n; j++, k++) a[k] *= weight_of(&f->series[i], j);
    }
    return true;
}

static bool goes_on(void *self, size_t step, double squares)
{
    const Fit *f = self;
    return !f->goes_on || f->goes_on(f->self, step, squares);
}

// Does a direction that the data do not know contain this parameter?
static bool is_unknown(const FitFound *found, size_t n, size_t j)
{
    for (size_t k = found->rank; k < found->n_free; k++)
        if (fabs(found->directions[k * n + j]) > 1e-3) return true;
    return false;
}

static bool is_at_bound(const FitParameter *x, double p)
{
    const double range = isfinite(x->high - x->low) ? x->high - x->low : fabs(p);
    return p - x->low <= BOUND_REACH * range || x->high - p <= BOUND_REACH * range;
}

// What residuals and derivatives know of the parameters that are free to move, those on their bounds being
// fixed there: the inverse of aᵀ·a [n][n], rank, directions and correlations.
static double *know_free(Fit *f, FitFound *found)
{
    const size_t n = f->n, m = f->m;
    size_t which[FIT_PARAMETERS_MAX], n_free = 0;
    Arena work = { 0 };
    double *a = ARENA_ARRAY(&work, double, n * m), *vectors = ARENA_ARRAY(&work, double, n * n),
           *small = ARENA_ARRAY(&work, double, n * n), lengths[FIT_PARAMETERS_MAX];
    for (size_t j = 0; j < n; j++) {
        found->is_at_bound[j] = is_at_bound(&f->parameters[j], found->p[j]);
        if (found->is_at_bound[j]) continue;
        memcpy(a + n_free * m, found->result.a + j * m, m * sizeof *a);
        which[n_free++] = j;
    }
    found->n_free = n_free;
    found->rank = n_free ? least_squares_inverse(a, m, n_free, FIT_RANK_CUT, small, found->sizes, vectors,
                                                 lengths, &work)
                         : 0;
    found->directions = ARENA_ARRAY(f->arena, double, n * n);
    found->correlation = ARENA_ARRAY(f->arena, double, n * n);
    double *inverse = ARENA_ARRAY(f->arena, double, n * n);
    for (size_t i = 0; i < n_free; i++) {
        for (size_t j = 0; j < n_free; j++) {
            found->directions[i * n + which[j]] = vectors[i * n_free + j];
            inverse[which[i] * n + which[j]] = small[i * n_free + j];
            found->correlation[which[i] * n + which[j]] =
                small[i * n_free + j] / sqrt(small[i * n_free + i] * small[j * n_free + j]);
        }
    }
    arena_free(&work);
    return inverse;
}

// What the residuals and their derivatives say of each parameter.
static void judge(Fit *f, FitFound *found, const double *sought, double confidence)
{
    const size_t n = f->n, m = f->m;
    const double *inverse = know_free(f, found);
    const double freedom = (double)(m - found->n_free);
    const double quantile = f->has_deviations ? random_normal_quantile((1 + confidence) / 2)
                            : freedom > 0     ? student_quantile((1 + confidence) / 2, freedom)
                                              : NAN;
    found->deviation = f->has_deviations ? 1 : freedom > 0 ? sqrt(found->result.squares / freedom) : NAN;
    for (size_t j = 0; j < n; j++) {
        const FitParameter *x = &f->parameters[j];
        const bool has_none = found->is_at_bound[j] || is_unknown(found, n, j);
        const double error = has_none ? NAN : found->deviation * sqrt(inverse[j * n + j]);
        found->error[j] = x->is_log ? error * found->p[j] : error;
        found->low[j] = from_sought(x, sought[j] - quantile * error);
        found->high[j] = from_sought(x, sought[j] + quantile * error);
    }
}

FitFound fit_search(Fit *f, const double *start, double confidence)
{
    FitFound found = { 0 };
    double sought[FIT_PARAMETERS_MAX], low[FIT_PARAMETERS_MAX], high[FIT_PARAMETERS_MAX];
    for (size_t j = 0; j < f->n; j++) {
        const FitParameter *x = &f->parameters[j];
        sought[j] = to_sought(x, start[j]);
        low[j] = x->is_log && x->low <= 0 ? -INFINITY : to_sought(x, x->low);
        high[j] = to_sought(x, x->high);
    }
    const LeastSquares problem = {
        .n = f->n,
        .m = f->m,
        .low = low,
        .high = high,
        .self = f,
        .residuals = residuals,
        .derivatives = derivatives,
        .goes_on = goes_on,
    };
    found.result = least_squares(&problem, sought, f->arena);
    to_values(f, sought, found.p);
    if (found.result.end != LEAST_SQUARES_NO_START) judge(f, &found, sought, confidence);
    return found;
}
