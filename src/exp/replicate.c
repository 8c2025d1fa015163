// src/exp/replicate.c: replications: an ensemble whose members differ in their luck only, and the means of
// what they show.
//
//     ensemble ──members in order→ observations → mean and sum of squares, updated → precise enough? end
//
// Members arrive in their order, whatever the threads do; what was computed beyond the end is thrown away.
#include "orrery/replicate.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "exp/chance.h"
#include "exp/collect.h"
#include "num/design.h"
#include "num/student.h"
#include "orrery/ensemble.h"
#include "run/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 20000000 };    // numbers of all replications
enum { DEFAULT_REPLICATIONS = 10, DEFAULT_AT_LEAST = 10, DEFAULT_AT_MOST = 10000 };

orr_replicate_options orr_replicate_options_default(void) { return (orr_replicate_options){ 0 }; }

typedef struct Replicator {
    const orr_experiment *experiment;
    const orr_replicate_options *options;
    orr_diag *diag;
    Arena *arena;
    double confidence, precision, t_count;    // rows count from here
    size_t at_least;
    bool has_means;    // rows are recorded
    size_t n_columns;
    size_t n_rows_observed;    // the columns at the end and their means
    size_t n_statistics_end;   // and the mean and percentiles of each statistic
    size_t n;    // observations of one replication: these, then what the experiment observes
    const orr_statistic *statistics;    // [n_statistics] asked for
    size_t n_statistics;
    struct Observed {                   // [n - n_rows_observed]
        size_t statistic;
        double percent;                 // NaN: its mean
    } *observed;
    orr_distribution *merged;           // [n_statistics] what all replications saw together
    const char **names;
    double *values;             // [n] of one replication
    double *squares;            // [n] sums of squares of deviations from the mean
    orr_estimate *estimates;    // [n]
    bool *must;                 // [n] must be precise
    size_t n_done, n_failed, n_violated;
    bool is_precise, is_refused, is_wrong;
    Chance chance;
    // rows of all replications, for bands
    double *kept;               // [n_done][n_grid][n_columns] heap; NULL: none
    size_t n_grid, kept_capacity;
    bool keeps;
    const char *const *units;
} Replicator;

// ---------------------------------------------------------------------------------------------- what is
// observed

static bool find_precise(Replicator *r)
{
    const orr_experiment *e = r->experiment;
    bool ok = true;
    // the means of rows; without rows those of statistics; without these too the values at the end
    for (size_t i = 0; r->precision > 0 && e->n_precise == 0 && i < r->n; i++) {
        const bool is_statistic = i >= r->n_rows_observed;
        if (i >= r->n_statistics_end) continue;    // by name only
        if (r->has_means) r->must[i] = i >= r->n_columns && !is_statistic;
        else if (r->n_statistics_end > r->n_rows_observed)
            r->must[i] = is_statistic && isnan(r->observed[i - r->n_rows_observed].percent);
        else r->must[i] = true;
    }
    for (size_t k = 0; k < e->n_precise; k++) {
        size_t i = 0;
        while (i < r->n && strcmp(r->names[i], e->precise[k]) != 0) i++;
        if (i < r->n) {
            r->must[i] = true;
            continue;
        }
        diag_report(r->diag, DIAG_PRECISION_NAME, run_written(&e->run, e->precise[k], r->diag),
                    e->precise[k]);
        const char *closest = text_closest(e->precise[k], r->names, r->n);
        if (strncmp(e->precise[k], "mean(", 5) == 0 && !r->has_means)
            diag_hint(r->diag, "means are taken over rows: say how often they are recorded, every 0.1");
        else if (closest) diag_suggest(r->diag, e->precise[k], closest);
        else diag_hint(r->diag, "record it");
        ok = false;
    }
    return ok;
}

static void name_observation(Replicator *r, const char *name, const char *unit)
{
    orr_estimate *e = &r->estimates[r->n];
    *e = (orr_estimate){ .name = name, .half = NAN, .least = INFINITY, .most = -INFINITY };
    if (unit) e->unit = arena_copy_text(r->arena, unit, strlen(unit));
    r->names[r->n++] = name;
}

// The mean of a statistic, or a percentile of it, unless it is recorded as well.
static void name_statistic(Replicator *r, size_t statistic, double percent)
{
    const char *name = r->statistics[statistic].name;
    name = isnan(percent) ? arena_printf(r->arena, "%s.mean", name)
                          : arena_printf(r->arena, "%s.p%.10g", name, percent);
    for (size_t i = 0; i < r->n_columns; i++)
        if (strcmp(r->names[i], name) == 0) return;
    r->observed[r->n - r->n_rows_observed] = (struct Observed){ statistic, percent };
    name_observation(r, name, NULL);
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)time_unit;
    Replicator *r = self;
    size_t n_observed = 0;
    for (size_t i = 0; i < r->n_statistics; i++) n_observed += 1 + r->statistics[i].n_percentiles;
    const orr_experiment *e = r->experiment;
    const size_t most = 2 * n + n_observed + e->n_observations;
    r->observed = ARENA_ARRAY(r->arena, struct Observed, n_observed);
    r->merged = ARENA_ARRAY(r->arena, orr_distribution, r->n_statistics);
    r->n_columns = n;
    r->names = ARENA_ARRAY(r->arena, const char *, most);
    r->values = ARENA_ARRAY(r->arena, double, most);
    r->squares = ARENA_ARRAY(r->arena, double, most);
    r->estimates = ARENA_ARRAY(r->arena, orr_estimate, most);
    r->must = ARENA_ARRAY(r->arena, bool, most);
    const char **kept_units = ARENA_ARRAY(r->arena, const char *, n);
    r->units = kept_units;
    for (size_t i = 0; i < n; i++) {
        name_observation(r, arena_copy_text(r->arena, names[i], strlen(names[i])), units[i]);
        kept_units[i] = r->estimates[i].unit;
    }
    if (e->every > 0 && isfinite(e->until)) r->n_grid = (size_t)((e->until - e->from) / e->every + 1e-6) + 1;
    r->keeps = r->n_grid > 1;
    for (size_t i = 0; r->has_means && i < n; i++)
        name_observation(r, arena_printf(r->arena, "mean(%s)", names[i]), units[i]);
    r->n_rows_observed = r->n;
    for (size_t i = 0; i < r->n_statistics; i++) {
        name_statistic(r, i, NAN);
        for (size_t k = 0; k < r->statistics[i].n_percentiles; k++)
            name_statistic(r, i, r->statistics[i].percentiles[k]);
    }
    r->n_statistics_end = r->n;
    for (size_t i = 0; i < e->n_observations; i++) name_observation(r, e->observations[i].name, NULL);
    r->is_wrong = !find_precise(r);
    return !r->is_wrong;
}

// ---------------------------------------------------------------------------------------------- counting

static void observe(Replicator *r, const orr_member *m)
{
    const size_t n = r->n_columns;
    const double *last = m->rows + (m->n_rows - 1) * n;
    for (size_t i = 0; i < n; i++) r->values[i] = last[i];
    for (size_t i = r->n_statistics_end; i < r->n; i++) r->values[i] = m->observed[i - r->n_statistics_end];
    for (size_t i = r->n_rows_observed; i < r->n_statistics_end; i++) {
        const struct Observed *o = &r->observed[i - r->n_rows_observed];
        const orr_distribution *d = &m->distributions[o->statistic];
        r->values[i] = isnan(o->percent) ? orr_distribution_mean(d)
                                         : orr_distribution_percentile(d, o->percent);
    }
    for (size_t i = 0; i < r->n_statistics; i++) {
        if (r->n_done == 0) r->merged[i] = m->distributions[i];
        else orr_distribution_merge(&r->merged[i], &m->distributions[i]);
    }
    if (!r->has_means) return;
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++) r->values[n + i] = 0;
    for (size_t k = 0; k < m->n_rows; k++) {
        if (m->times[k] < r->t_count) continue;
        n_rows++;
        for (size_t i = 0; i < n; i++) r->values[n + i] += m->rows[k * n + i];
    }
    for (size_t i = 0; i < n; i++) r->values[n + i] /= (double)n_rows;
}

// Rows at the times of all replications; what a run that ended early does not have is NaN.
static void keep_rows(Replicator *r, const orr_member *m)
{
    const orr_experiment *e = r->experiment;
    const size_t size = r->n_grid * r->n_columns, at = r->n_done * size;
    if (r->keeps && at + size > KEPT_MAX) r->keeps = false;
    if (!r->keeps) return;
    if (at + size > r->kept_capacity) {
        r->kept_capacity = 2 * (at + size);
        r->kept = realloc(r->kept, r->kept_capacity * sizeof *r->kept);
        if (!r->kept) arena_no_memory(r->kept_capacity * sizeof *r->kept);
    }
    double *to = r->kept + at;
    for (size_t i = 0; i < size; i++) to[i] = NAN;
    for (size_t k = 0; k < m->n_rows; k++) {
        const double place = (m->times[k] - e->from) / e->every, row = round(place);
        if (fabs(place - row) > 1e-6 || !(row < (double)r->n_grid)) continue;
        memcpy(to + (size_t)row * r->n_columns, m->rows + k * r->n_columns, r->n_columns * sizeof *to);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const orr_bands *make_bands(const Replicator *r)
{
    static const double levels[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
    enum { N = sizeof levels / sizeof *levels };
    if (!r->keeps || r->n_done < 2) return NULL;
    orr_bands *b = ARENA_NEW(r->arena, orr_bands);
    double *times = ARENA_ARRAY(r->arena, double, r->n_grid);
    double *values = ARENA_ARRAY(r->arena, double, r->n_columns * r->n_grid * N);
    double *sorted = ARENA_ARRAY(r->arena, double, r->n_done);
    for (size_t i = 0; i < r->n_grid; i++) times[i] = r->experiment->from + (double)i * r->experiment->every;
    for (size_t c = 0; c < r->n_columns; c++)
        for (size_t i = 0; i < r->n_grid; i++) {
            size_t n = 0;
            for (size_t k = 0; k < r->n_done; k++) {
                const double value = r->kept[(k * r->n_grid + i) * r->n_columns + c];
                if (!isnan(value)) sorted[n++] = value;
            }
            qsort(sorted, n, sizeof *sorted, by_size);
            for (size_t l = 0; l < N; l++) {
                const double at = levels[l] * (double)(n - 1);
                const size_t low = n ? (size_t)at : 0, high = low + 1 < n ? low + 1 : low;
                values[(c * r->n_grid + i) * N + l] =
                    n ? sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]) : NAN;
            }
        }
    *b = (orr_bands){ .n_columns = r->n_columns, .n_rows = r->n_grid, .n_levels = N, .names = r->names,
                      .units = r->units, .times = times, .levels = levels, .values = values };
    return b;
}

// [Welford 1962]
static void count(Replicator *r)
{
    r->n_done++;
    const double n = (double)r->n_done;
    const double t = r->n_done > 1 ? student_quantile(0.5 + 0.5 * r->confidence, n - 1) : NAN;
    bool all = true;
    for (size_t i = 0; i < r->n; i++) {
        orr_estimate *e = &r->estimates[i];
        const double away = r->values[i] - e->mean;
        e->n = r->n_done;
        e->mean += away / n;
        r->squares[i] += away * (r->values[i] - e->mean);
        e->deviation = r->n_done > 1 ? sqrt(r->squares[i] / (n - 1)) : 0;
        e->half = t * e->deviation / sqrt(n);
        e->least = fmin(e->least, r->values[i]);
        e->most = fmax(e->most, r->values[i]);
        e->is_precise = !r->must[i] || e->half <= r->precision * fabs(e->mean);
        all = all && e->is_precise;
    }
    r->is_precise = all;
}

static bool take(void *self, const orr_member *m)
{
    Replicator *r = self;
    const orr_replicate_options *o = r->options;
    if (m->status != ORR_STATUS_OK && m->status != ORR_STATUS_TERMINATED) {
        if (r->n_failed++ > 0) return true;
        diag_report(r->diag, DIAG_REPLICATION_FAILED, (Place){ 0 }, m->index, m->t,
                    m->failure ? m->failure : orr_status_text(m->status));
        return true;
    }
    if (m->n_violations > 0 && r->n_violated++ == 0)
        diag_report(r->diag, DIAG_CLAIM_BROKEN, (Place){ 0 }, m->index, m->violation ? m->violation : "");
    if (m->n_rows == 0) return true;
    observe(r, m);
    keep_rows(r, m);
    count(r);
    if (o->replication && !o->replication(o->context, m->index, r->names, r->values, r->n)) {
        r->is_refused = true;
        return false;
    }
    if (o->progress && !o->progress(o->context, r->n_done, r->estimates, r->n)) {
        r->is_refused = true;
        return false;
    }
    // deterministic, since members are counted in order
    return !(r->precision > 0 && r->n_done >= r->at_least && r->is_precise);
}

// ---------------------------------------------------------------------------------------------- all of it

static void judge(const Replicator *r, orr_replications *result)
{
    const orr_experiment *e = r->experiment;
    orr_verdict *verdicts = ARENA_ARRAY(r->arena, orr_verdict, e->n_expects);
    for (size_t k = 0; k < e->n_expects; k++) {
        const orr_expect *expect = &e->expects[k];
        verdicts[k] = (orr_verdict){ .expect = expect, .found = NAN };
        for (size_t i = 0; i < r->n; i++)
            if (strcmp(r->names[i], expect->name) == 0) verdicts[k].found = r->estimates[i].mean;
        verdicts[k].holds = fabs(verdicts[k].found - expect->value) <= expect->within;
        result->n_unfulfilled += !verdicts[k].holds;
    }
    result->verdicts = verdicts;
    result->n_verdicts = e->n_expects;
}

// What is expected is recorded too. An expectation for another time than the end has no replications.
static bool read_expects(Replicator *r, orr_experiment *plain)
{
    const orr_experiment *e = r->experiment;
    const char **records = ARENA_ARRAY(r->arena, const char *, e->n_records + e->n_expects);
    size_t n = 0;
    bool ok = true;
    for (size_t i = 0; i < e->n_records; i++) records[n++] = e->records[i];
    for (size_t i = 0; i < e->n_expects; i++) {
        if (e->expects[i].observation) continue;
        if (!isnan(e->expects[i].at) && e->expects[i].at != e->until) {
            const orr_expect *x = &e->expects[i];
            diag_report(r->diag, DIAG_SETTING_VALUE,
                        diag_place(r->diag, (orr_place){ x->file, x->line, x->column, x->length }),
                        "expect … at", "a time before the end",
                        "with replications the means at the end are expected");
            ok = false;
        }
        if (e->n_records > 0) records[n++] = e->expects[i].name;
    }
    plain->records = records;
    plain->n_records = n;
    return ok;
}

static bool check(const Replicator *r)
{
    const orr_experiment *e = r->experiment;
    if (!(e->warm_up > 0) || e->warm_up < e->until - e->from) return true;
    char text[32];
    snprintf(text, sizeof text, "%g", e->warm_up);
    diag_report(r->diag, DIAG_SETTING_VALUE, (Place){ 0 }, "warm up", text, "nothing is left behind it");
    diag_hint(r->diag, "the run takes %g", e->until - e->from);
    return false;
}

// What each replication is given besides its luck: on the heap.
static bool draw_members(Replicator *r, orr_ensemble_options *e)
{
    const orr_experiment *x = r->experiment;
    const char *sampling = value_text(x, "sampling");
    const bool is_design = sampling && strcmp(sampling, "random") != 0;
    if (!chance_read(&r->chance, x, r->arena, r->diag)) return false;
    if (is_design && r->precision > 0) {
        orr_diag_add(r->diag, "E025", "'precision' and points of a design exclude each other",
                     "a precision is that of independent draws: --sampling random");
        return false;
    }
    if (sampling && strcmp(sampling, "sobol") == 0 && r->chance.n > DESIGN_SOBOL_MAX) {
        orr_diag_add(r->diag, "E022", "a Sobol' sequence has up to 10 dimensions here", "take latin");
        return false;
    }
    if (r->chance.n == 0) return true;
    double *values = malloc(e->n_members * r->chance.n * sizeof *values);
    if (!values) arena_no_memory(e->n_members * r->chance.n * sizeof *values);
    chance_fill(&r->chance, sampling, x->run.seed, x->run.number, e->n_members, values);
    e->names = r->chance.names;
    e->n_names = r->chance.n;
    e->values = values;
    return true;
}

orr_replications orr_replicate(const orr_model *model, const orr_experiment *experiment,
                               const orr_replicate_options *options, orr_diag *diag)
{
    const orr_replicate_options defaults = orr_replicate_options_default();
    const orr_replicate_options *o = options ? options : &defaults;
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) arena_no_memory(sizeof *arena);
    Replicator r = { .experiment = experiment,
                     .options = o,
                     .diag = diag,
                     .arena = arena,
                     .confidence = experiment->confidence > 0 ? experiment->confidence : 0.95,
                     .precision = experiment->precision,
                     .at_least = o->at_least ? o->at_least : DEFAULT_AT_LEAST,
                     .has_means = experiment->every > 0,
                     .t_count = experiment->from + experiment->warm_up - 1e-9 * experiment->every };
    if (r.at_least < 2) r.at_least = 2;
    orr_experiment plain = *experiment;
    plain.n_sends = 0;
    r.statistics = plain.statistics = collect_asked(experiment, &plain.n_statistics, arena);
    r.n_statistics = plain.n_statistics;
    orr_ensemble_options e = orr_ensemble_options_default();
    e.n_members = experiment->replications ? experiment->replications : DEFAULT_REPLICATIONS;
    if (r.precision > 0 && !experiment->replications) e.n_members = o->at_most ? o->at_most : DEFAULT_AT_MOST;
    e.n_threads = o->n_threads;
    e.cancel = o->cancel;
    e.lanes = o->lanes;
    orr_replications result = { .status = ORR_STATUS_USAGE, .confidence = r.confidence, .memory = arena };
    if (!read_expects(&r, &plain) || !check(&r)) return result;

    if (!draw_members(&r, &e)) return result;
    const orr_member_sink sink = { .begin = begin, .member = take, .self = &r };
    orr_ensemble_facts facts = { 0 };
    result.status = orr_ensemble_run(model, &plain, &e, &sink, &facts, diag);
    const bool has_ended = r.precision > 0 && r.is_precise && r.n_done >= r.at_least;
    if (r.is_wrong) result.status = ORR_STATUS_USAGE;
    else if (result.status == ORR_STATUS_SYSTEM && !r.is_refused && has_ended) result.status = ORR_STATUS_OK;
    if (result.status == ORR_STATUS_OK && r.n_done == 0 && r.n_failed > 0) result.status = ORR_STATUS_FAILED;
    result.n_done = r.n_done;
    result.n_failed = r.n_failed;
    result.n_violated = r.n_violated;
    result.n_in_lanes = facts.n_in_lanes;
    result.one_by_one = facts.one_by_one;
    result.is_precise = r.is_precise;
    result.estimates = r.estimates;
    result.n_estimates = r.n_done ? r.n : 0;
    result.distributions = r.merged;
    result.n_distributions = r.n_done ? r.n_statistics : 0;
    result.n_threads = facts.n_threads;
    result.simulate_ms = facts.simulate_ms;
    result.bands = make_bands(&r);
    free(r.kept);
    free((void *)e.values);
    if (result.status == ORR_STATUS_OK) judge(&r, &result);
    if (result.status == ORR_STATUS_OK && result.n_unfulfilled) result.status = ORR_STATUS_NOT_VALIDATED;
    return result;
}

void orr_replications_free(orr_replications *replications)
{
    if (replications->memory) {
        arena_free(replications->memory);
        free(replications->memory);
    }
    *replications = (orr_replications){ 0 };
}
