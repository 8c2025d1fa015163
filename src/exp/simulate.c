// src/exp/simulate.c: carry out an experiment: one run, or several if the terminal region asks for more.
//
//     run ──rows→ sinks
//      │  ──values at the times of expectations→ verdicts
//      └─ terminal region → results, or the next run
//
// Asking for values never changes a step (see run.h), so rows and expectations may lie anywhere.
#include "base/cancel.h"
#include "base/diag.h"
#include "base/os.h"
#include "exp/collect.h"
#include "exp/columns.h"
#include "exp/expect.h"
#include "exp/observe.h"
#include "exp/outcome.h"
#include "exp/pieces.h"
#include "exp/realtime.h"
#include "exp/send.h"
#include "exp/times.h"
#include "orrery/experiment.h"
#include "run/run.h"
#include "solve/solver.h"
#include "units/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 1e12         // more would fill any disk, and run for days

typedef struct Simulation {
    const orr_model      *model;
    const orr_experiment *experiment;
    const orr_sink       *sinks;         // [n_sinks]
    size_t                n_sinks;
    orr_diag             *diag;
    Arena                 arena, scratch;
    orr_run              *run;
    bool                  wants_rows;
    Columns               columns;
    double               *values;        // [columns.names.n] of a row
    double               *largest;       // [columns.variables.n] so far, without signs; NULL: no tolerances
    Expectations          expectations;
    Observer              observer;
    size_t                n_rows;
    double                t_end;         // where the last run ended
    Sends                *sends;         // NULL if nothing leaves during the run
    Collect              *collect;       // NULL if no statistics are asked for
    Realtime              clock;
    Pieces                pieces;
    double                n_checkpoints, next_checkpoint;    // made or passed; when the next one is due,
                                                             // INFINITY: never
    double                t_resumed;     // where the run went on; NaN: it began at its beginning
    bool                  is_muted;      // what happens now was told before the checkpoint
    RunSaved              extra;         // of a checkpoint: what has not been read yet
    bool                 *goes_on;       // [n_sinks] behind what an earlier run has written
    bool                  is_first_row;  // … and now comes that of where it goes on
    bool                  row_is_due;    // a run that goes on: the row of that time was still to come
} Simulation;

// ---------------------------------------------------------------------------------------------- checkpoints

static void plan_checkpoint(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    const bool is_planned = e->checkpoint && e->checkpoint_every > 0;
    s->n_checkpoints++;
    s->next_checkpoint = is_planned ? e->from + s->n_checkpoints * e->checkpoint_every : INFINITY;
}

// What a checkpoint keeps besides the run: whether a row is still to come at its time, where files of results
// stand, pieces that have not been told.
static void pass_extra(Simulation *s, RunSaved *saved, orr_sink_mark **marks, uint32_t *n_marks)
{
    const size_t *recorded = s->columns.variables.items;
    uint64_t columns = hash_bytes(recorded, s->columns.variables.n * sizeof *recorded);
    const uint64_t own = columns;
    saved_flags(saved, &s->row_is_due, 1);
    saved_pass(saved, &columns, sizeof columns);
    saved_pass(saved, n_marks, sizeof *n_marks);
    if (saved->is_loading) {
        if (*n_marks > (saved->n - saved->at) / sizeof **marks) saved->is_bad = true;
        if (saved->is_bad) *n_marks = 0;
        *marks = ARENA_ARRAY(&s->arena, orr_sink_mark, *n_marks);
    }
    saved_pass(saved, *marks, *n_marks * sizeof **marks);
    // other columns do not fit
    for (uint32_t i = 0; i < *n_marks && columns != own; i++) (*marks)[i].hash = ~(*marks)[i].hash;
    if (!saved->is_loading) collect_pass(s->collect, saved);
    if (saved->is_loading) return;    // the rest when those it is for have begun
    bool has_pieces = s->pieces.run != NULL;
    saved_flags(saved, &has_pieces, 1);
    if (has_pieces) pieces_pass(&s->pieces, saved);
}

static orr_status save(Simulation *s, bool row_is_due)
{
    const uint32_t n_sends = (uint32_t)sends_count(s->sends);
    uint32_t n = 0;
    orr_sink_mark *marks = calloc(s->n_sinks + n_sends + 1, sizeof *marks);
    if (!marks) arena_no_memory(s->n_sinks);
    for (size_t i = 0; i < s->n_sinks; i++)
        if (s->sinks[i].mark) marks[n++] = s->sinks[i].mark(s->sinks[i].self);
    if (n_sends) sends_mark(s->sends, marks + n);
    n += n_sends;
    RunSaved saved = { 0 };
    s->row_is_due = row_is_due;
    pass_extra(s, &saved, &marks, &n);
    const orr_status status = run_save_file(s->run, s->experiment->checkpoint, saved.bytes, saved.n);
    free(saved.bytes);
    free(marks);
    return status;
}

// As orr_run_advance, with the checkpoints on the way; is_row: there is a row to come at t.
static orr_status advance(Simulation *s, double t, bool is_row)
{
    while (s->next_checkpoint <= t) {
        orr_status status = orr_run_advance(s->run, s->next_checkpoint);
        if (status != ORR_STATUS_OK || s->run->is_over) return status;
        status = save(s, is_row && s->next_checkpoint == t);
        if (status != ORR_STATUS_OK) return status;
        plan_checkpoint(s);
    }
    return orr_run_advance(s->run, t);
}

// ---------------------------------------------------------------------------------------------- sinks

// A run is resumed: files of results go on where they stood. False, reported, if one cannot. Of `saved` the
// pieces are left.
static bool go_on_sinks(Simulation *s, RunSaved *saved)
{
    orr_sink_mark *marks = NULL;
    uint32_t n = 0;
    bool ok = true;
    pass_extra(s, saved, &marks, &n);
    for (size_t i = 0; i < s->n_sinks; i++) {
        const orr_sink *sink = &s->sinks[i];
        const orr_sink_goes_on how = sink->go_on ? sink->go_on(sink->self, marks, n) : ORR_SINK_BEGINS;
        s->goes_on[i] = how == ORR_SINK_GOES_ON;
        ok = ok && how != ORR_SINK_CHANGED;
        if (sink->piece) s->pieces.goes_on = s->goes_on[i];
    }
    return (!s->sends || sends_go_on(s->sends, marks, n)) && ok;
}

static orr_status begin_sinks(Simulation *s, size_t *n_begun)
{
    const Columns *c = &s->columns;
    *n_begun = 0;
    if (s->sends && !sends_begin(s->sends)) return ORR_STATUS_SYSTEM;
    for (*n_begun = 0; *n_begun < s->n_sinks;) {
        const orr_sink *sink = &s->sinks[(*n_begun)++];
        if (sink->begin && !sink->begin(sink->self, c->names.items, c->units.items, c->names.n,
                                        orr_model_time_unit(s->model)))
            return ORR_STATUS_SYSTEM;
        if (sink->kinds) sink->kinds(sink->self, c->jumps, c->variables.n);
    }
    return ORR_STATUS_OK;
}

static orr_status end_sinks(Simulation *s, size_t n_begun, orr_status status)
{
    bool ok = true;
    for (size_t i = 0; i < n_begun; i++) {
        const orr_sink *sink = &s->sinks[i];
        if (sink->end) ok = sink->end(sink->self, status) && ok;
    }
    return ok || status != ORR_STATUS_OK ? status : ORR_STATUS_SYSTEM;
}

// What came by now holds from now on.
static orr_status poll_inputs(Simulation *s)
{
    if (!s->run->is_live || input_poll(s->run)) return ORR_STATUS_OK;
    return ORR_STATUS_FAILED;
}

// The first row of a run that is resumed is news only to those that begin here, unless it was still to come.
static bool takes_row(const Simulation *s, size_t sink)
{
    return !s->is_first_row || s->row_is_due || !s->goes_on[sink];
}

static orr_status put_row(Simulation *s)
{
    if (s->clock.ns_per_unit > 0 && !realtime_await(&s->clock, orr_run_time(s->run)))
        return ORR_STATUS_CANCELLED;
    const bool is_sent = !s->sends || (s->is_first_row ? sends_put_first(s->sends, s->run, s->row_is_due)
                                                        : sends_put(s->sends, s->run));
    if (!is_sent) return s->run->island.is_failed ? ORR_STATUS_FAILED : ORR_STATUS_SYSTEM;
    if (!s->is_first_row || s->row_is_due) collect_row(s->collect, s->run);
    if (!s->wants_rows) return poll_inputs(s);
    const size_t n = s->columns.variables.n;
    orr_run_values(s->run, s->columns.variables.items, n, s->values);
    if (s->run->island.is_failed) return ORR_STATUS_FAILED;
    if (s->model->ir.n_reruns > 0) s->values[n] = (double)s->run->n_reruns + 1;
    if (s->experiment->frame) s->values[s->columns.names.n - 1] = watch_is_inside(s->run);
    const double t = orr_run_time(s->run);
    for (size_t i = 0; s->largest && i < n; i++)
        if (fabs(s->values[i]) > s->largest[i]) s->largest[i] = fabs(s->values[i]);
    for (size_t i = 0; i < s->n_sinks; i++) {
        const orr_sink *sink = &s->sinks[i];
        if (!sink->row || !takes_row(s, i)) continue;
        if (!sink->row(sink->self, t, s->values, s->columns.names.n)) return ORR_STATUS_SYSTEM;
    }
    s->n_rows++;
    return poll_inputs(s);
}

static bool observe(void *context, const orr_event *event)
{
    const Simulation *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->n_sinks && !s->is_muted; i++)
        if (s->sinks[i].event) ok = s->sinks[i].event(s->sinks[i].self, event) && ok;
    return ok;
}

static void trace(void *context, const orr_devs *network, const orr_devs_trace *what)
{
    const Simulation *s = context;
    if (s->sends && !s->is_muted) sends_take(s->sends, what);
    if (s->run) collect_take(s->collect, s->run, what);    // not yet while it is created
    for (size_t i = 0; i < s->n_sinks && !s->is_muted; i++)
        if (s->sinks[i].trace) s->sinks[i].trace(s->sinks[i].self, network, what);
}

static bool pulse(void *context, double t)
{
    const Simulation *s = context;
    bool ok = true;
    if (s->sends) sends_flush(s->sends);
    for (size_t i = 0; i < s->n_sinks; i++) {
        const orr_sink *sink = &s->sinks[i];
        if (sink->progress)
            ok = sink->progress(sink->self, t, s->experiment->from, s->experiment->until) && ok;
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- one run

// The states that the columns are, if rows are nothing but them and nothing but steps happens between them;
// else NULL.
static const uint32_t *plain_columns(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    if (!s->run->is_plain || !s->wants_rows || s->clock.ns_per_unit > 0 || s->sends || s->run->is_live ||
        e->frame || s->model->ir.n_reruns > 0 || collect_needs_rows(s->collect))
        return NULL;
    uint32_t *states = ARENA_ARRAY(&s->scratch, uint32_t, s->columns.variables.n);
    for (size_t i = 0; i < s->columns.variables.n; i++) {
        const size_t variable = s->columns.variables.items[i];
        if (variable >= s->model->flat.vars.n) return NULL;
        states[i] = s->model->ir.layout.state_of[variable];
        if (states[i] == FLAT_NONE) return NULL;
    }
    return states;
}

// Rows from number *i on as long as each is one step behind the last, which the way for all would do in the
// same way.
static orr_status plain_rows(Simulation *s, const uint32_t *states, const Times *times, double *i)
{
    orr_run *run = s->run;
    Island *island = &run->island;
    double last = fmin(s->experiment->until - 1e-9 * times->every, s->next_checkpoint);
    last = fmin(last, expect_next(&s->expectations));
    for (;; (*i)++) {
        const double t = times_at(times, *i);
        if (!(t < last) || t <= s->t_resumed + 1e-9 * times->every || !drive_one(run, t))
            return ORR_STATUS_OK;
        island->values_valid = false;
        run->t = t;
        run->x = island->x;
        const size_t n = s->columns.variables.n;    // nothing else is in a row
        for (size_t k = 0; k < n; k++) s->values[k] = island->x[states[k]];
        for (size_t k = 0; k < s->n_sinks; k++) {
            const orr_sink *sink = &s->sinks[k];
            if (sink->row && !sink->row(sink->self, t, s->values, n)) return ORR_STATUS_SYSTEM;
        }
        s->n_rows++;
    }
}

// What is expected at times before t, in order.
static orr_status meet_until(Simulation *s, double t)
{
    for (double at; at = expect_next(&s->expectations), at < t;) {
        if (at < s->experiment->from) {    // outside the run: reported at the end
            s->expectations.next++;
            continue;
        }
        const orr_status status = advance(s, at, false);
        if (status != ORR_STATUS_OK || s->run->is_over) return status;
        expect_meet(&s->expectations, s->run);
    }
    return ORR_STATUS_OK;
}

// Rows at these times, and at the end; NULL: there alone.
static orr_status run_on_times(Simulation *s, const Times *times)
{
    const double until = s->experiment->until;
    const uint32_t *states = times ? plain_columns(s) : NULL;
    for (double i = 1;; i++) {
        if (states && plain_rows(s, states, times, &i) != ORR_STATUS_OK) return ORR_STATUS_SYSTEM;
        // a row so near the end is the end
        double t = times ? times_at(times, i) : until;
        if (!times || !(t < until - 1e-9 * times->every)) t = until;
        if (t <= s->t_resumed && t < until) continue;    // rows of before
        orr_status status = meet_until(s, t);
        if (status == ORR_STATUS_OK) status = advance(s, t, true);
        if (status == ORR_STATUS_TERMINATED) return put_row(s);
        if (status == ORR_STATUS_OK) status = put_row(s);
        if (status != ORR_STATUS_OK || t == until || s->run->is_over) return status;
        // many rows inside one step never come to where steps look at this
        if (cancel_is_set(s->run->cancel)) return ORR_STATUS_CANCELLED;
    }
}

// A row at the end of each step.
static orr_status run_on_steps(Simulation *s)
{
    const double until = s->experiment->until;
    for (;;) {
        double t;
        orr_status status = run_step_ahead(s->run,
                                           fmin(until, run_is_saved_as_it_is(s->run) ? INFINITY
                                                                                     : s->next_checkpoint),
                                           &t);
        if (status == ORR_STATUS_OK) status = meet_until(s, t);
        if (status == ORR_STATUS_OK) status = advance(s, t, true);
        if (status == ORR_STATUS_TERMINATED) return put_row(s);
        if (status == ORR_STATUS_OK) status = put_row(s);
        if (status != ORR_STATUS_OK || t >= until || s->run->is_over) return status;
    }
}

// When a real-time run meets the clock: at its rows, its steps, or ten times a second.
static double instants(const Simulation *s, const Island *island)
{
    if (s->experiment->every > 0) return s->experiment->every;
    if (island->solver->fixed_step) return island->step;
    return 1e8 / s->clock.ns_per_unit;
}

// A run goes on: what had been seen so far, and pieces that had not been told.
static void take_extra(Simulation *s)
{
    bool has_pieces = false;
    collect_pass(s->collect, &s->extra);
    saved_flags(&s->extra, &has_pieces, 1);
    if (has_pieces && s->pieces.goes_on) pieces_pass(&s->pieces, &s->extra);
}

static orr_status run_once(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    const Island *island = &s->run->island;
    s->expectations.next = 0;
    collect_begin(s->collect, s->run);
    if (!isnan(s->t_resumed)) take_extra(s);
    realtime_start(&s->clock, isnan(s->t_resumed) ? e->from : s->t_resumed);
    s->is_first_row = !isnan(s->t_resumed);
    orr_status status = put_row(s);
    s->is_first_row = false;
    if (status == ORR_STATUS_OK && e->until > orr_run_time(s->run) && !s->run->is_over &&
        !s->run->island.terminated) {
        Times times = { 0 };
        if (s->clock.ns_per_unit > 0) times = times_of(e->from, instants(s, island));
        else if (e->n_times) times = times_listed(e->times, e->n_times);
        else if (e->every > 0) times = times_of(e->from, e->every);
        // on a grid that no event can move, each step is at a known time
        else if (island->solver->fixed_step && s->model->n_relations == 0 && isinf(due_next(&s->run->island))
                 && s->model->n_events == 0 && !s->model->isles && !s->run->net)
            times = times_of(e->from, island->step);
        const bool has_times = times.list || times.every > 0;
        if (!s->wants_rows && !(s->clock.ns_per_unit > 0)) status = run_on_times(s, NULL);
        else status = has_times ? run_on_times(s, &times) : run_on_steps(s);
    }
    s->t_resumed = NAN;
    if (status == ORR_STATUS_OK && e->checkpoint && !(e->checkpoint_every > 0) && !s->run->is_over &&
        !s->run->island.terminated)
        status = save(s, false);
    s->t_end = s->run->is_over ? orr_run_time(s->run) : e->until;
    if (status == ORR_STATUS_OK) expect_meet_rest(&s->expectations, s->run, s->t_end);
    return status == ORR_STATUS_OK && s->run->island.is_failed ? ORR_STATUS_FAILED : status;
}

static orr_status run_study(Simulation *s)
{
    for (;;) {
        bool again = false;
        orr_status status = run_once(s);
        if (status == ORR_STATUS_OK) status = orr_run_finish(s->run, &again);
        if (status == ORR_STATUS_OK && !again) expect_meet_results(&s->expectations, s->run);
        if (status != ORR_STATUS_OK || !again) return status;
        status = orr_run_restart(s->run);
        if (status != ORR_STATUS_OK) return status;
        s->n_checkpoints = 0;
        plan_checkpoint(s);
    }
}

// ---------------------------------------------------------------------------------------------- all of it

static bool check(const orr_experiment *e, orr_diag *diag)
{
    const Place nowhere = { 0 };
    bool ok = true;
    if (e->missing) {
        diag_report(diag, DIAG_SETTING_MISSING, nowhere, e->missing);
        diag_hint(diag, "with --set %s=VALUE", e->missing);
        ok = false;
    }
    if (isnan(e->until)) {
        diag_report(diag, DIAG_SETTING_MISSING, nowhere, "until");
        diag_hint(diag, "with --until T, or 'until T' in an experiment");
        ok = false;
    } else if (!isfinite(e->from) || !isfinite(e->until) || e->until < e->from) {
        diag_report(diag, DIAG_TIME_BAD, nowhere, e->from, e->until);
        diag_hint(diag, "the end, until, must not lie before the start, from; both must be finite");
        ok = false;
    }
    if (isnan(e->checkpoint_every) || e->checkpoint_every < 0) {
        diag_report(diag, DIAG_SETTING_VALUE, nowhere, "checkpoint_every", "nothing",
                    "it is an interval of time");
        ok = false;
    }
    if (!isfinite(e->every) || e->every < 0) {
        char text[32];
        snprintf(text, sizeof text, "%g", e->every);
        diag_report(diag, DIAG_SETTING_VALUE, nowhere, "every", text,
                    "it is an interval of time; 0 means each step");
        ok = false;
    } else if (e->every > 0 && !isnan(e->until) && !((e->until - e->from) / e->every <= ROWS_MAX)) {
        char text[32];
        snprintf(text, sizeof text, "%g", e->every);
        diag_report(diag, DIAG_SETTING_VALUE, nowhere, "every", text, "that makes more than 1e12 rows");
        ok = false;
    }
    for (size_t i = 0; i < e->n_times; i++) {
        if (e->times[i] > (i ? e->times[i - 1] : e->from) && e->times[i] <= e->until) continue;
        diag_report(diag, DIAG_SETTING_VALUE, nowhere, "times", "these",
                    "they ascend, from the start to the end");
        return false;
    }
    return ok;
}

typedef struct Wishes {
    bool events, trace, progress, pieces;    // of the sinks
} Wishes;

static Wishes read_wishes(Simulation *s)
{
    Wishes w = { 0 };
    s->wants_rows = collect_needs_rows(s->collect);
    for (size_t i = 0; i < s->n_sinks; i++) {
        const orr_sink *sink = &s->sinks[i];
        s->wants_rows = s->wants_rows || sink->row;
        w.events = w.events || sink->event;
        w.trace = w.trace || sink->trace;
        w.progress = w.progress || sink->progress;
        w.pieces = w.pieces || sink->piece;
    }
    w.pieces = w.pieces || s->observer.n_curves > 0;
    return w;
}

// Everything that can be found wrong before there is a run.
static bool prepare(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    bool ok = check(e, s->diag);
    s->columns = (Columns){ .model = s->model, .experiment = e, .arena = &s->arena, .diag = s->diag };
    ok = columns_choose(&s->columns) && ok;
    s->values = ARENA_ARRAY(&s->arena, double, s->columns.names.n + 1);
    ok = expect_prepare(&s->expectations, s->model, e, &s->arena, s->diag) && ok;
    ok = observe_prepare(&s->observer, s->model, e, &s->arena, s->diag) && ok;
    ok = collect_open(&s->collect, s->model, e, &s->arena, s->diag) && ok;
    return orr_experiment_check(s->model, e, s->diag) && ok;
}

static bool open_clock(Simulation *s, const orr_run_options *options)
{
    double seconds = 1;
    const bool ok = units_convert(&s->model->own_units, orr_model_time_unit(s->model), "s", true,
                                  (Place){ 0 }, &seconds, s->diag);
    s->clock = (Realtime){ .ns_per_unit = 1e9 * seconds / s->experiment->realtime,
                           .cancel = options->cancel };
    return ok;
}

static bool open_sends(Simulation *s)
{
    s->sends = sends_open(s->model, s->experiment, &s->arena, s->diag);
    if (!s->sends) return false;
    if (s->experiment->resume) sends_go_on(s->sends, NULL, 0);
    s->wants_rows = true;
    return true;
}

// A run that stands at its beginning. *wishes: what is to be told while it goes on.
static orr_status create_run(Simulation *s, Wishes *wishes, bool ok)
{
    const orr_experiment *e = s->experiment;
    orr_run_options options = e->run;
    options.t_start = e->from;
    options.t_end = e->until;
    if (e->warm_up > 0) options.statistics_from = e->from + e->warm_up;
    if (e->realtime > 0) {
        ok = open_clock(s, &options) && ok;
        options.exact = options.live = true;
    }
    if (ok && e->n_sends > 0) ok = open_sends(s);
    const bool sends_messages = s->sends && sends_have_messages(s->sends);
    wishes->progress = wishes->progress || sends_messages;
    if (wishes->events) {
        options.event = observe;
        options.event_context = s;
    }
    if (wishes->trace || sends_messages || collect_looks(s->collect)) {
        options.trace = trace;
        options.trace_context = s;
    }
    if (!ok) options.n_inputs = options.n_claims = 0;    // nothing is opened for a run that will not be
    s->is_muted = e->resume != NULL;
    s->t_resumed = NAN;
    plan_checkpoint(s);
    orr_status status;
    s->run = run_create(s->model, &options, s->diag, &status);
    if (!s->run || !ok) return ok ? status : ORR_STATUS_USAGE;    // all that is wrong has been said at once
    return ORR_STATUS_OK;
}

static orr_status load_checkpoint(Simulation *s)
{
    Text extra = { 0 };
    const orr_status status = run_load_file(s->run, s->experiment->resume, &s->arena, &extra);
    if (status != ORR_STATUS_OK) return status;
    s->is_muted = false;
    s->t_resumed = orr_run_time(s->run);
    while (s->next_checkpoint <= s->t_resumed) plan_checkpoint(s);
    s->extra = (RunSaved){ .bytes = (char *)extra.p, .n = extra.n, .is_loading = true };
    return ORR_STATUS_OK;
}

static bool begin_pieces(Simulation *s)
{
    Observer *o = &s->observer;
    bool ok = true;
    for (size_t i = 0; i < o->n_curves; i++) {
        const char *obstacle = pieces_obstacle(s->run, o->curves[i].variable);
        if (!obstacle) continue;
        const char *name = orr_model_variable(s->model, o->curves[i].variable).name;
        diag_report(s->diag, DIAG_OBSERVE_NONE, run_written(&s->experiment->run, name, s->diag), name,
                    obstacle);
        diag_hint(s->diag, "its value at the end can be observed");
        ok = false;
    }
    observe_begin(o);
    s->pieces.sinks = s->sinks;
    s->pieces.n_sinks = s->n_sinks;
    s->pieces.observer = o->n_curves > 0 ? o : NULL;
    if (ok) pieces_begin(&s->pieces, s->run, s->columns.variables.items, s->columns.variables.n);
    return ok;
}

// The run, from where it stands, with all that is told of it.
static orr_status carry_out(Simulation *s, bool wants_pieces)
{
    size_t n_begun;
    orr_status status = begin_sinks(s, &n_begun);
    if (status == ORR_STATUS_OK && wants_pieces && !begin_pieces(s)) {
        wants_pieces = false;
        status = ORR_STATUS_USAGE;
    }
    if (status == ORR_STATUS_OK) status = run_study(s);
    if (wants_pieces && !pieces_end(&s->pieces) && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
    observe_end(&s->observer, status == ORR_STATUS_OK ? s->run : NULL, s->t_end);
    expect_meet_observed(&s->expectations, s->observer.values);
    return end_sinks(s, n_begun, status);
}

// A state that was never much larger than the error that was allowed in it says nothing, however many digits
// it has.
static void warn_of_small(const Simulation *s)
{
    enum { MOST = 3 };
    size_t n = 0;
    for (size_t i = 0; s->largest && i < s->columns.variables.n && n < MOST; i++) {
        const double absolute = run_absolute_of(s->run, s->columns.variables.items[i]);
        if (!(s->largest[i] > 0 && s->largest[i] < 100 * absolute)) continue;
        diag_report(s->diag, DIAG_STATE_SMALL, (Place){ 0 }, s->columns.names.items[i], s->largest[i],
                    absolute);
        diag_hint(s->diag, "allow less, 'abs %s = %.0e' in the experiment, or choose larger units",
                  s->columns.names.items[i], 1e-6 * s->largest[i]);
        n++;
    }
}

static void keep_clock(const Simulation *s, orr_outcome *outcome)
{
    outcome->n_instants = s->clock.n_instants;
    outcome->n_late = s->clock.n_late;
    outcome->latest = s->clock.latest;
    if (s->run) input_report_skipped(s->run, s->diag);
    if (s->clock.n_late)
        diag_report(s->diag, DIAG_OVERRUN, (Place){ 0 }, s->clock.n_late, s->clock.n_instants,
                    s->clock.latest);
}

static orr_status simulate(Simulation *s, orr_outcome *outcome)
{
    const orr_experiment *e = s->experiment;
    s->goes_on = ARENA_ARRAY(&s->arena, bool, s->n_sinks);
    for (size_t i = 0; i < s->n_sinks && e->resume; i++)
        if (s->sinks[i].go_on) s->sinks[i].go_on(s->sinks[i].self, NULL, 0);
    const bool ok = prepare(s);
    Wishes wishes = read_wishes(s);
    orr_status status = create_run(s, &wishes, ok);
    if (status == ORR_STATUS_OK && e->resume) status = load_checkpoint(s);
    if (status != ORR_STATUS_OK) return status;
    if (wishes.progress) {
        s->run->pulse = pulse;
        s->run->pulse_context = s;
        s->run->ns_pulse = os_now_ns();
    }
    if (e->resume && !go_on_sinks(s, &s->extra)) return ORR_STATUS_USAGE;

    if (!s->run->island.solver->fixed_step || s->model->isles)
        s->largest = ARENA_ARRAY(&s->arena, double, s->columns.variables.n);
    const uint64_t started = os_now_ns();
    status = carry_out(s, wishes.pieces);
    keep_clock(s, outcome);
    outcome_keep_facts(outcome, s->run);
    outcome->facts.simulate_ms = (double)(os_now_ns() - started) * 1e-6;
    if (status == ORR_STATUS_CANCELLED) diag_report(s->diag, DIAG_CANCELLED, (Place){ 0 }, outcome->t);
    if (status != ORR_STATUS_OK) return status;
    warn_of_small(s);
    outcome_keep_results(outcome, s->run);
    outcome->distributions = collect_end(s->collect, s->run, &outcome->n_distributions);
    outcome->n_verdicts = e->n_expects;
    outcome->n_failed = expect_judge(&s->expectations, s->t_end, s->diag);
    return outcome->n_failed ? ORR_STATUS_NOT_VALIDATED : ORR_STATUS_OK;
}

orr_outcome orr_simulate(const orr_model *model, const orr_experiment *experiment, const orr_sink *sinks,
                         size_t n_sinks, orr_diag *diag)
{
    orr_outcome outcome = { 0 };
    Simulation s = {
        .model = model, .experiment = experiment, .sinks = sinks, .n_sinks = n_sinks, .diag = diag
    };
    outcome.status = simulate(&s, &outcome);
    if (!sends_close(s.sends) && outcome.status == ORR_STATUS_OK) outcome.status = ORR_STATUS_SYSTEM;
    outcome.n_rows = s.n_rows;
    outcome.verdicts = s.expectations.verdicts;
    outcome.observed = s.observer.values;
    outcome.n_observed = s.observer.n;
    orr_run_destroy(s.run);
    arena_free(&s.arena);
    arena_free(&s.scratch);
    return outcome;
}
