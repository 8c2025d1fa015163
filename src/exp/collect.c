// src/exp/collect.c: statistics that an experiment asks for, collected while a run goes on.
#include "exp/collect.h"
#include "base/diag.h"
#include "base/map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_USUAL = 20 };
static const double usual_percentiles[] = { 50, 95, 99 };

typedef struct Collected {
    orr_statistic asked;
    const char *unit;
    uint32_t component;    // of the kernel
    const AtomicReadable *what;
    bool is_kept;       // by the component
    bool is_in_rows;    // a variable of equations; then there is no component
    size_t variable;
    orr_level level;    // unless it is kept by the component
} Collected;

struct Collect {
    const orr_model *model;
    double statistics_from;    // NaN: from the start
    bool has_begun_anew;       // the warm-up is over
    Collected *items;          // [n] as asked
    size_t n;
    uint32_t *looked;    // [n_looked] items that are looked at, by component; then [n_in_rows] those in rows
    size_t n_looked, n_in_rows;
    double t_row;        // of the last row
};

// ---- What is asked

static orr_statistic *find_asked(orr_statistic *all, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

orr_statistic *collect_asked(const orr_experiment *e, size_t *n, Arena *arena)
{
    orr_statistic *all = ARENA_ARRAY(arena, orr_statistic, e->n_statistics + e->n_plots);
    *n = e->n_statistics;
    for (size_t i = 0; i < e->n_statistics; i++) all[i] = e->statistics[i];
    for (size_t i = 0; i < e->n_plots; i++) {
        if (!e->plots[i].is_histogram) continue;
        orr_statistic *asked = find_asked(all, *n, e->plots[i].ys[0]);
        if (!asked) {
            asked = &all[(*n)++];
            asked->name = e->plots[i].ys[0];
        }
        if (asked->n_bins == 0) asked->n_bins = BINS_USUAL;
    }
    for (size_t i = 0; i < *n; i++) {
        if (all[i].n_percentiles > 0) continue;
        all[i].percentiles = usual_percentiles;
        all[i].n_percentiles = sizeof usual_percentiles / sizeof *usual_percentiles;
    }
    return all;
}

static bool report(const orr_model *model, const orr_experiment *e, const char *name, orr_diag *diag)
{
    const size_t variable = orr_model_find(model, name);
    const Place place = run_written(&e->run, name, diag);
    if (variable == (size_t)-1) {
        diag_report(diag, DIAG_STATISTIC_NAME, place, name, "nothing is called that");
        diag_suggest(diag, name, orr_model_closest(model, name));
        return false;
    }
    const ModelVariable v = model_variable(model, variable);
    if (v.part) {
        diag_report(diag, DIAG_STATISTIC_NAME, place, name, "it is a statistic itself");
        diag_hint(diag, "name what it is of: %.*s", (int)(strrchr(name, '.') - name), name);
        return false;
    }
    diag_report(diag, DIAG_STATISTIC_NAME, place, name, "it stays as it is during a run");
    diag_hint(diag, "name a variable that changes");
    return false;
}

static bool is_in_rows(const orr_model *model, size_t variable)
{
    if (variable == (size_t)-1 || model_variable(model, variable).part) return false;
    const orr_kind kind = orr_model_variable(model, variable).kind;
    return kind != ORR_KIND_PARAM && kind != ORR_KIND_RESULT;
}

bool collect_asks_for_rows(const orr_model *model, const orr_experiment *e)
{
    bool asks = false;
    for (size_t i = 0; i < e->n_statistics && !asks; i++)
        asks = is_in_rows(model, orr_model_find(model, e->statistics[i].name));
    for (size_t i = 0; i < e->n_plots && !asks; i++)
        asks = e->plots[i].is_histogram && is_in_rows(model, orr_model_find(model, e->plots[i].ys[0]));
    return asks;
}

static bool find(Collect *c, const orr_experiment *e, const orr_statistic *asked, orr_diag *diag)
{
    const size_t variable = orr_model_find(c->model, asked->name);
    if (variable == (size_t)-1) return report(c->model, e, asked->name, diag);
    const ModelVariable v = model_variable(c->model, variable);
    if (is_in_rows(c->model, variable)) {
        c->items[c->n++] = (Collected){ .asked = *asked,
                                        .unit = orr_model_variable(c->model, variable).unit,
                                        .is_in_rows = true,
                                        .variable = variable };
        return true;
    }
    const bool is_tally = v.part && v.shown->how == ATOMIC_READ_COUNT && !v.shown->is_level &&
                          v.shown->is_main;
    const bool is_level = v.part && v.shown->how == ATOMIC_READ_NOW;
    const bool is_value = v.part && (v.shown->how == ATOMIC_READ_STATE || v.shown->how == ATOMIC_READ_SLOT ||
                                     v.shown->how == ATOMIC_READ_LENGTH);
    if (!is_tally && !is_level && !is_value) return report(c->model, e, asked->name, diag);
    Collected *item = &c->items[c->n++];
    *item = (Collected){ .asked = *asked,
                         .unit = v.shown->unit,
                         .component = v.part->component + v.element,
                         .what = v.shown,
                         .is_kept = !is_value };
    return true;
}

static int by_component(const void *a, const void *b, void *context)
{
    const Collected *items = context;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const uint32_t x = items[i].component, y = items[k].component;
    return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

bool collect_open(Collect **collect, const orr_model *model, const orr_experiment *e, Arena *arena,
                  orr_diag *diag)
{
    *collect = NULL;
    size_t n;
    const orr_statistic *asked = collect_asked(e, &n, arena);
    if (n == 0) return true;
    Collect *c = ARENA_NEW(arena, Collect);
    c->model = model;
    c->statistics_from = e->warm_up > 0 ? e->from + e->warm_up : NAN;
    c->items = ARENA_ARRAY(arena, Collected, n);
    bool ok = true;
    for (size_t i = 0; i < n; i++) ok = find(c, e, &asked[i], diag) && ok;
    c->looked = ARENA_ARRAY(arena, uint32_t, c->n);
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->items[i].is_kept && !c->items[i].is_in_rows) c->looked[c->n_looked++] = i;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->items[i].is_in_rows) c->looked[c->n_looked + c->n_in_rows++] = i;
    qsort_r(c->looked, c->n_looked, sizeof *c->looked, by_component, c->items);
    if (c->n > 0) *collect = c;
    return ok;
}

bool collect_looks(const Collect *c) { return c && c->n_looked > 0; }
bool collect_needs_rows(const Collect *c) { return c && c->n_in_rows > 0; }

// ---- While the run goes on

static double value_now(const Collected *item, orr_run *run)
{
    return item->is_in_rows ? orr_run_value(run, item->variable)
                            : net_read_at(run, item->what, item->component);
}

void collect_begin(Collect *c, orr_run *run)
{
    if (!c) return;
    c->has_begun_anew = false;
    c->t_row = orr_run_time(run);
    for (size_t i = 0; i < c->n_looked + c->n_in_rows; i++) {
        Collected *item = &c->items[c->looked[i]];
        orr_level_begin(&item->level, orr_run_time(run), value_now(item, run));
    }
}

static void end_warm_up(Collect *c, double t)
{
    if (c->has_begun_anew || !(t >= c->statistics_from)) return;
    for (size_t i = 0; i < c->n_looked + c->n_in_rows; i++)
        orr_level_reset(&c->items[c->looked[i]].level, c->statistics_from);
    c->has_begun_anew = true;
}

void collect_take(Collect *c, const orr_run *run, const orr_devs_trace *what)
{
    if (!c || what->kind == ORR_DEVS_SENT || what->kind == ORR_DEVS_COUPLING_SWITCHED) return;
    end_warm_up(c, what->t);
    size_t low = 0, high = c->n_looked;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->items[c->looked[middle]].component < what->component) low = middle + 1;
        else high = middle;
    }
    for (; low < c->n_looked && c->items[c->looked[low]].component == what->component; low++) {
        Collected *item = &c->items[c->looked[low]];
        orr_level_set(&item->level, what->t, net_read_at(run, item->what, item->component));
    }
}

void collect_row(Collect *c, orr_run *run)
{
    if (!c || c->n_in_rows == 0 || !(orr_run_time(run) > c->t_row)) return;
    const double t = c->t_row + 0.5 * (orr_run_time(run) - c->t_row);
    end_warm_up(c, t);
    for (size_t i = c->n_looked; i < c->n_looked + c->n_in_rows; i++) {
        Collected *item = &c->items[c->looked[i]];
        orr_level_set(&item->level, t, value_now(item, run));
    }
    c->t_row = orr_run_time(run);
    end_warm_up(c, c->t_row);
}

void collect_pass(Collect *c, RunSaved *saved)
{
    uint64_t names = 0;
    uint32_t n = c ? (uint32_t)(c->n_looked + c->n_in_rows) : 0;
    double t_row = c ? c->t_row : 0;
    const uint32_t own_n = n;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = c->items[c->looked[i]].asked.name;
        names = hash_join(names, hash_bytes(name, strlen(name)));
    }
    const uint64_t own_names = names;
    bool has_begun_anew = c && c->has_begun_anew;
    saved_pass(saved, &names, sizeof names);
    saved_pass(saved, &n, sizeof n);
    saved_pass(saved, &t_row, sizeof t_row);
    saved_flags(saved, &has_begun_anew, 1);
    if (saved->is_loading && n > (saved->n - saved->at) / sizeof(orr_level)) saved->is_bad = true;
    const bool is_same = n == own_n && names == own_names;
    for (uint32_t i = 0; i < n && !saved->is_bad; i++) {
        orr_level level = { 0 };
        if (!saved->is_loading) level = c->items[c->looked[i]].level;
        saved_pass(saved, &level, sizeof level);
        if (saved->is_loading && !digest_is_sound(&level.digest)) saved->is_bad = true;
        if (is_same && !saved->is_bad) c->items[c->looked[i]].level = level;
    }
    if (is_same && c && !saved->is_bad) {
        c->has_begun_anew = has_begun_anew;
        c->t_row = t_row;
    }
}

orr_distribution *collect_end(Collect *c, const orr_run *run, size_t *n)
{
    *n = 0;
    if (!c) return NULL;
    end_warm_up(c, orr_run_time(run));
    orr_distribution *all = calloc(c->n, sizeof *all);
    if (!all) arena_no_memory(c->n * sizeof *all);
    for (size_t i = 0; i < c->n; i++) {
        const Collected *item = &c->items[i];
        orr_distribution *d = &all[i];
        d->asked = item->asked;
        d->unit = item->unit;
        d->time_unit = orr_model_time_unit(c->model);
        d->is_level = item->is_in_rows || !item->is_kept || item->what->how == ATOMIC_READ_NOW;
        d->t = orr_run_time(run);
        if (item->is_kept) {
            const void *statistic = net_statistic(run, item->what, item->component);
            if (d->is_level) d->level = *(const orr_level *)statistic;
            else d->tally = *(const orr_tally *)statistic;
        } else {
            d->level = item->level;
        }
    }
    *n = c->n;
    return all;
}
