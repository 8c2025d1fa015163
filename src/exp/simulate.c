// src/exp/simulate.c: one experiment of the plain kind: run from row to row, check what is expected, run again if asked.
//
// Stops on the way are the recording times and the times of expectations, merged. The solver does not know them: values
// there are interpolated. The rows of a study that runs again are held back until it is known which run is the last.
#include "base/diag.h"
#include "base/os.h"
#include "model/model.h"
#include "orrery/experiment.h"
#include "run/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Simulation {
    const orr_model      *model;
    const orr_experiment *e;
    const orr_sink       *sinks;        // [n_sinks]
    size_t                n_sinks;
    orr_diag             *diag;
    Arena                 work;
    size_t               *variables;    // [n] recorded
    const char          **names, **units;
    double               *values;
    size_t                n;
    orr_run              *run;
    orr_table            *held;         // rows of a study, until its last run is known; NULL: none
    orr_verdict          *verdicts;     // [n_expects]
    size_t               *expected;     // [n_expects] variables
    size_t               *by_time;      // [n_expects] those with a time, earliest first, then those at the end
    orr_outcome           outcome;
} Simulation;

// ---------------------------------------------------------------------------------------------- what to record

static bool find_variable(Simulation *s, const char *name, size_t *variable)
{
    *variable = orr_model_find(s->model, name);
    if (*variable != (size_t)-1) return true;
    diag_report(s->diag, DIAG_RECORD_UNKNOWN, (Place){ 0 }, name);
    const char *closest = orr_model_closest(s->model, name);
    if (closest) diag_hint(s->diag, "did you mean '%s'?", closest);
    return false;
}

// Without a wish: the outputs; without outputs the states; without states everything that varies.
static bool is_default(const orr_variable *v, int wish)
{
    if (v->is_hidden || v->kind == ORR_KIND_PARAM || v->kind == ORR_KIND_INPUT || v->kind == ORR_KIND_RESULT) return false;
    return wish == 0 ? v->is_output : wish == 1 ? v->kind == ORR_KIND_STATE : true;
}

static bool choose_variables(Simulation *s)
{
    const size_t n_all = orr_model_n_variables(s->model);
    s->variables = ARENA_ARRAY(&s->work, size_t, (s->e->n_records > n_all ? s->e->n_records : n_all) + 1);
    bool ok = true;
    for (size_t i = 0; i < s->e->n_records; i++) {
        size_t variable;
        if (find_variable(s, s->e->records[i], &variable)) s->variables[s->n++] = variable;
        else ok = false;
    }
    for (int wish = 0; s->e->n_records == 0 && s->n == 0 && wish < 3; wish++) {
        for (size_t i = 0; i < n_all; i++) {
            const orr_variable v = orr_model_variable(s->model, i);
            if (is_default(&v, wish)) s->variables[s->n++] = i;
        }
    }
    s->names = ARENA_ARRAY(&s->work, const char *, s->n + 1);
    s->units = ARENA_ARRAY(&s->work, const char *, s->n + 1);
    s->values = ARENA_ARRAY(&s->work, double, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        const orr_variable v = orr_model_variable(s->model, s->variables[i]);
        s->names[i] = v.name;
        s->units[i] = v.unit;
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- expectations

static double time_of(const Simulation *s, size_t expect)
{
    const double at = s->e->expects[expect].at;
    return isnan(at) ? s->e->until : at;
}

static bool prepare_expects(Simulation *s)
{
    const size_t n = s->e->n_expects;
    s->verdicts = calloc(n + 1, sizeof *s->verdicts);
    if (!s->verdicts) arena_no_memory(n * sizeof *s->verdicts);
    s->expected = ARENA_ARRAY(&s->work, size_t, n + 1);
    s->by_time = ARENA_ARRAY(&s->work, size_t, n + 1);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const orr_expect *expect = &s->e->expects[i];
        s->verdicts[i] = (orr_verdict){ .expect = expect, .found = NAN };
        ok = find_variable(s, expect->name, &s->expected[i]) && ok;
        const double at = time_of(s, i);
        if (at < s->e->from || at > s->e->until) {
            diag_report(s->diag, DIAG_EXPECT_OUTSIDE, (Place){ 0 }, at, s->e->from, s->e->until);
            ok = false;
        }
        size_t k = i;    // insertion by time
        for (; k > 0 && time_of(s, s->by_time[k - 1]) > at; k--) s->by_time[k] = s->by_time[k - 1];
        s->by_time[k] = i;
    }
    return ok;
}

static void check_expect(Simulation *s, size_t i)
{
    orr_verdict *v = &s->verdicts[i];
    v->found = orr_run_value(s->run, s->expected[i]);
    v->holds = fabs(v->found - v->expect->value) <= v->expect->within;
}

// ---------------------------------------------------------------------------------------------- sinks

static bool sinks_begin(Simulation *s)
{
    bool ok = true;
    for (size_t i = 0; i < s->n_sinks; i++)
        if (s->sinks[i].begin)
            ok = s->sinks[i].begin(s->sinks[i].self, s->names, s->units, s->n, orr_model_time_unit(s->model)) && ok;
    return ok;
}

static bool sinks_row(Simulation *s, double t, const double *values)
{
    bool ok = true;
    for (size_t i = 0; i < s->n_sinks; i++)
        if (s->sinks[i].row) ok = s->sinks[i].row(s->sinks[i].self, t, values, s->n) && ok;
    s->outcome.n_rows++;
    return ok;
}

static bool sinks_end(Simulation *s, orr_status status)
{
    bool ok = true;
    for (size_t i = 0; i < s->n_sinks; i++)
        if (s->sinks[i].end) ok = s->sinks[i].end(s->sinks[i].self, status) && ok;
    return ok;
}

static bool pulse(void *context, double t)
{
    const Simulation *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->n_sinks; i++)
        if (s->sinks[i].progress) ok = s->sinks[i].progress(s->sinks[i].self, t, s->e->from, s->e->until) && ok;
    return ok;
}

// ---------------------------------------------------------------------------------------------- running

// A status of its own for sinks that refuse: the disk is full, the reader is gone.
static orr_status record(Simulation *s, double t)
{
    orr_run_values(s->run, s->variables, s->n, s->values);
    if (s->held) {
        const orr_sink hold = orr_table_sink(s->held);
        hold.row(hold.self, t, s->values, s->n);
        return ORR_STATUS_OK;
    }
    return sinks_row(s, t, s->values) ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

// The i-th recording time. When 1/every is whole, dividing gives the nearest number to the decimal one means.
static double row_time(const orr_experiment *e, size_t i)
{
    const double per_unit = round(1 / e->every);
    const bool divides = fabs(per_unit * e->every - 1) < 1e-14 && per_unit > 1;
    return e->from + (divides ? (double)i / per_unit : (double)i * e->every);
}

// Rows at the grid from + i·every and at the end.
static orr_status follow_grid(Simulation *s)
{
    const orr_experiment *e = s->e;
    size_t next_row = 0, next_expect = 0;
    const double slack = e->every * 1e-9;    // a grid point this near to the end is the end
    orr_status status = ORR_STATUS_OK;
    for (bool ended = false; status == ORR_STATUS_OK && !ended;) {
        double t_row = row_time(e, next_row);
        ended = t_row > e->until - slack;
        if (ended) t_row = e->until;
        for (; status == ORR_STATUS_OK && next_expect < e->n_expects; next_expect++) {
            const size_t expect = s->by_time[next_expect];
            const double at = time_of(s, expect);
            if (at > t_row || (at == t_row && isnan(e->expects[expect].at))) break;
            status = orr_run_advance(s->run, at);
            if (status == ORR_STATUS_OK) check_expect(s, expect);
        }
        if (status == ORR_STATUS_OK) status = orr_run_advance(s->run, t_row);
        if (status == ORR_STATUS_OK) status = record(s, t_row);
        next_row++;
    }
    for (; status == ORR_STATUS_OK && next_expect < e->n_expects; next_expect++) check_expect(s, s->by_time[next_expect]);
    return status;
}

// A row for each step of the solver. Expectations inside steps are looked at in a run of their own, since a run that
// stands at the end of a step cannot go back.
static orr_status follow_steps(Simulation *s)
{
    orr_status status = record(s, s->e->from);
    while (status == ORR_STATUS_OK && orr_run_time(s->run) < s->e->until) {
        status = orr_run_step(s->run, s->e->until);
        if (status == ORR_STATUS_OK) status = record(s, orr_run_time(s->run));
    }
    if (status != ORR_STATUS_OK || s->e->n_expects == 0) return status;
    orr_experiment aside = *s->e;
    aside.every = aside.until - aside.from;
    orr_outcome checked = orr_simulate(s->model, &aside, NULL, 0, s->diag);
    for (size_t i = 0; i < checked.n_verdicts; i++) s->verdicts[i] = checked.verdicts[i];
    orr_outcome_free(&checked);
    return status;
}

static orr_status follow_once(Simulation *s)
{
    if (s->held) {
        const orr_sink hold = orr_table_sink(s->held);
        hold.begin(hold.self, s->names, s->units, s->n, orr_model_time_unit(s->model));
    }
    return s->e->every > 0 ? follow_grid(s) : follow_steps(s);
}

static orr_status release_held(Simulation *s, orr_status status)
{
    const orr_sink hold = orr_table_sink(s->held);
    hold.end(hold.self, status);
    for (size_t i = 0; i < orr_table_n_rows(s->held); i++) {
        for (size_t c = 0; c < s->n; c++) s->values[c] = orr_table_column(s->held, c + 1)[i];
        if (!sinks_row(s, orr_table_column(s->held, 0)[i], s->values)) return ORR_STATUS_SYSTEM;
    }
    return status;
}

// Run until the terminal region is content.
static orr_status follow_study(Simulation *s)
{
    for (;;) {
        orr_status status = follow_once(s);
        bool again = false;
        if (status == ORR_STATUS_OK) status = orr_run_finish(s->run, &again);
        if (status == ORR_STATUS_OK && again) status = orr_run_restart(s->run);
        if (status != ORR_STATUS_OK || !again) return s->held ? release_held(s, status) : status;
    }
}

// ---------------------------------------------------------------------------------------------- outcome

static void collect_results(Simulation *s)
{
    const Flat *flat = &s->model->flat;
    orr_setting *results = calloc(flat->terminal.n + 1, sizeof *results);
    if (!results) arena_no_memory(flat->terminal.n * sizeof *results);
    size_t n = 0;
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const uint32_t target = flat->terminal.items[i].target;
        bool is_new = target != FLAT_NONE;
        for (size_t k = 0; is_new && k < n; k++) is_new = strcmp(results[k].name, flat->vars.items[target].name) != 0;
        if (is_new) results[n++] = (orr_setting){ flat->vars.items[target].name, orr_run_value(s->run, target) };
    }
    s->outcome.results = results;
    s->outcome.n_results = n;
}

static void judge_expects(Simulation *s)
{
    for (size_t i = 0; i < s->e->n_expects; i++) {
        const orr_verdict *v = &s->verdicts[i];
        if (v->holds) continue;
        s->outcome.n_failed++;
        const orr_expect *x = v->expect;
        diag_report(s->diag, DIAG_EXPECT_FAILED, (Place){ 0 }, x->name, time_of(s, i), x->value, x->within, v->found);
    }
    if (s->outcome.n_failed && s->outcome.status == ORR_STATUS_OK) s->outcome.status = ORR_STATUS_NOT_VALIDATED;
}

// Why a run could not be created, by the codes of the newest messages: usage (E4xx), numbers (E5xx) or the model.
static orr_status reason_of_failure(const orr_diag *diag)
{
    orr_status status = ORR_STATUS_MODEL_ERROR;
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        if (m.severity != ORR_SEVERITY_ERROR) continue;
        if (m.code[1] == '4') status = ORR_STATUS_USAGE;
        if (m.code[1] == '5') status = ORR_STATUS_FAILED;
    }
    return status;
}

static bool settings_suffice(const orr_experiment *e, orr_diag *diag)
{
    if (e->missing) {
        diag_report(diag, DIAG_SETTING_MISSING, (Place){ 0 }, e->missing);
        diag_hint(diag, "for example --set %s=0.01", e->missing);
        return false;
    }
    if (isnan(e->until)) {
        diag_report(diag, DIAG_SETTING_MISSING, (Place){ 0 }, "until");
        diag_hint(diag, "say when the run ends: --until 10, or 'until 10' in an experiment");
        return false;
    }
    if (!isfinite(e->from) || !isfinite(e->until) || e->until < e->from) {
        diag_report(diag, DIAG_TIME_BAD, (Place){ 0 }, e->from, e->until);
        return false;
    }
    if (isnan(e->every) || e->every < 0) {
        diag_report(diag, DIAG_STEP_BAD, (Place){ 0 }, e->every);
        diag_hint(diag, "the interval of recording is positive, or 0 for every step");
        return false;
    }
    return true;
}

static void simulate(Simulation *s)
{
    orr_outcome *outcome = &s->outcome;
    outcome->status = ORR_STATUS_USAGE;
    if (!settings_suffice(s->e, s->diag) || !choose_variables(s) || !prepare_expects(s)) return;
    orr_run_options options = s->e->run;
    options.t_start = s->e->from;
    options.t_end = s->e->until;
    s->run = orr_run_create(s->model, &options, s->diag);
    if (!s->run) {
        outcome->status = reason_of_failure(s->diag);
        return;
    }
    s->run->pulse = pulse;
    s->run->pulse_context = s;
    if (s->model->ir.n_reruns) s->held = orr_table_create(0);

    outcome->status = sinks_begin(s) ? follow_study(s) : ORR_STATUS_SYSTEM;
    if (!sinks_end(s, outcome->status) && outcome->status == ORR_STATUS_OK) outcome->status = ORR_STATUS_SYSTEM;
    outcome->t = orr_run_time(s->run);
    outcome->facts = orr_run_get_facts(s->run);
    if (outcome->status == ORR_STATUS_OK) {
        collect_results(s);
        judge_expects(s);
    }
    outcome->verdicts = s->verdicts;
    outcome->n_verdicts = outcome->status == ORR_STATUS_OK || outcome->status == ORR_STATUS_NOT_VALIDATED ? s->e->n_expects : 0;
    s->verdicts = NULL;
}

orr_outcome orr_simulate(const orr_model *model, const orr_experiment *experiment, const orr_sink *sinks, size_t n_sinks,
                         orr_diag *diag)
{
    Simulation s = { .model = model, .e = experiment, .sinks = sinks, .n_sinks = n_sinks, .diag = diag };
    simulate(&s);
    orr_run_destroy(s.run);
    orr_table_destroy(s.held);
    free(s.verdicts);
    arena_free(&s.work);
    return s.outcome;
}

void orr_outcome_free(orr_outcome *outcome)
{
    free((void *)outcome->verdicts);
    free((void *)outcome->results);
    outcome->verdicts = NULL;
    outcome->results = NULL;
}
