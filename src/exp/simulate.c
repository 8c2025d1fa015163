// src/exp/simulate.c: carry out an experiment: one run, or several if the terminal region asks for more.
//
//     run ──rows→ sinks
//      │  ──values at the times of expectations→ verdicts
//      └─ terminal region → results, or the next run
//
// Asking for values never changes a step (see run.h), so rows and expectations may lie anywhere.
#include "base/diag.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"
#include "exp/collect.h"
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

enum { ELEMENTS_MAX = 1000, ELEMENTS_FEW = 11, MEMBERS_MAX = 100, NAMES_SHOWN = 12 };    // in a hint
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
    VEC(size_t)           columns;       // variables recorded
    bool                 *is_column;     // [n_variables]
    VEC(const char *)     names, units;  // of the columns and, in a study, of the number of the run
    double               *values;        // [names.n] of a row
    bool                 *jumps;         // [columns.n] values that hold between events
    orr_verdict          *verdicts;      // [n_expects] in the order written
    size_t               *order;         // [n_expects] by time; those for the end last
    size_t               *expected;      // [n_expects] variables
    size_t                next_expected; // place in `order`
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
    uint64_t columns = hash_bytes(s->columns.items, s->columns.n * sizeof *s->columns.items);
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
    bool has_pieces = s->pieces.model != NULL;
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

// ---------------------------------------------------------------------------------------------- columns

static void add_column(Simulation *s, size_t variable)
{
    if (s->is_column[variable]) return;
    s->is_column[variable] = true;
    const orr_variable v = orr_model_variable(s->model, variable);
    vec_push(&s->arena, &s->columns, variable);
    vec_push(&s->arena, &s->names, v.name);
    vec_push(&s->arena, &s->units, v.unit);
}

// The elements of an array named as a whole: u stands for u[1], u[2], … False if there is none.
static bool add_array(Simulation *s, const char *name)
{
    const Flat *flat = &s->model->flat;
    const size_t n = strlen(name);
    bool found = false;
    const uint32_t *kept = text_map_find(&flat->array_by_name, text_from(name));
    for (uint32_t i = 0; kept && i < flat->arrays.items[*kept].n; i++)
        add_column(s, flat->vars.n + flat->arrays.items[*kept].first + i);
    if (kept) return true;
    for (size_t i = 0; i < flat->vars.n; i++) {
        const char *element = flat->vars.items[i].name;
        if (strncmp(element, name, n) != 0 || element[n] != '[') continue;
        const char *end = strchr(element + n, ']');
        if (!end || end[1] != '\0') continue;
        add_column(s, i);
        found = true;
    }
    return found;
}

// Nothing has that name: say which is nearest, or what there is.
static bool report_unknown(const Simulation *s, const char *name, Place place)
{
    diag_report(s->diag, DIAG_RECORD_UNKNOWN, place, name);
    const char *closest = orr_model_closest(s->model, name);
    if (closest) return diag_hint(s->diag, "did you mean '%s'?", closest), false;
    StrBuf names = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < orr_model_n_variables(s->model) && n <= NAMES_SHOWN; i++) {
        const orr_variable v = orr_model_variable(s->model, i);
        if (v.is_hidden || v.kind == ORR_KIND_RESULT) continue;
        if (n++ < NAMES_SHOWN) str_addf(&names, "%s%s", n > 1 ? ", " : "", v.name);
    }
    if (n > 0) diag_hint(s->diag, "there are %s%s", names.p, n > NAMES_SHOWN ? ", …" : "");
    str_free(&names);
    return false;
}

static bool add_named(Simulation *s, const char *name, Place place);

// u[2..5] stands for u[2], …, u[5]. `dots` is where its first range has them.
static bool add_range(Simulation *s, const char *name, const char *dots, Place place)
{
    const char *begin = dots, *end = dots + 2;
    while (begin > name && begin[-1] >= '0' && begin[-1] <= '9') begin--;
    while (*end >= '0' && *end <= '9') end++;
    const long long first = atoll(begin), last = atoll(dots + 2);
    if (begin == dots || end == dots + 2 || first > last) return report_unknown(s, name, place);
    for (long long i = first; i <= last; i++) {
        const ArenaMark mark = arena_mark(&s->scratch);
        const char *one = arena_printf(&s->scratch, "%.*s%lld%s", (int)(begin - name), name, i, end);
        const bool ok = add_named(s, one, place);
        arena_release(&s->scratch, mark);
        if (!ok) return false;
    }
    return true;
}

static bool add_named(Simulation *s, const char *name, Place place)
{
    const size_t variable = orr_model_find(s->model, name);
    if (variable != (size_t)-1) return add_column(s, variable), true;
    const char *dots = strstr(name, "..");
    if (dots) return add_range(s, name, dots, place);
    return add_array(s, name) || report_unknown(s, name, place);
}

typedef enum Wanted { WANTED_OUTPUTS, WANTED_STATES, WANTED_ALL } Wanted;

static bool is_wanted(const Simulation *s, size_t variable, Wanted wanted)
{
    const orr_variable v = orr_model_variable(s->model, variable);
    const bool is_fixed = v.kind == ORR_KIND_PARAM || v.kind == ORR_KIND_INPUT;
    if (v.is_hidden || is_fixed || v.kind == ORR_KIND_RESULT) return false;
    return wanted == WANTED_OUTPUTS ? v.is_output : wanted == WANTED_STATES ? v.kind == ORR_KIND_STATE : true;
}

// "rod.u" of "rod.u[3]"; empty if it is no element.
static Text array_name(const char *name)
{
    const char *end = strrchr(name, ']'), *open = strrchr(name, '[');
    const size_t n_primes = end ? strspn(end + 1, "'") : 0;
    return end && open && end[1 + n_primes] == '\0' ? (Text){ name, (size_t)(open - name) } : (Text){ "", 0 };
}

// The elements [first, first + n) of an array; of a very long one a few, evenly spread, with its ends.
static void add_elements(Simulation *s, size_t first, size_t n)
{
    const size_t shown = n > ELEMENTS_MAX ? ELEMENTS_FEW : n;
    for (size_t i = 0; i < shown; i++) add_column(s, first + (shown == n ? i : i * (n - 1) / (shown - 1)));
    if (shown == n) return;
    const Text name = array_name(orr_model_variable(s->model, first).name);
    diag_report(s->diag, DIAG_RECORD_FEW, (Place){ 0 }, shown, n, (int)name.n, name.p);
    diag_hint(s->diag, "say what to record: %.*s for all of it, or single elements", (int)name.n, name.p);
}

// How many variables from this one on are elements of one array, as single variables.
static size_t stretch(const Flat *flat, size_t first)
{
    const FlatVar *vars = flat->vars.items;
    const Text name = array_name(vars[first].name);
    size_t n = 1;
    while (name.n > 0 && first + n < flat->vars.n && vars[first + n].place.offset == vars[first].place.offset
           && text_equal(array_name(vars[first + n].name), name))
        n++;
    return n;
}

// What atomic components show, of each its state and its variables.
static void add_shown(Simulation *s)
{
    const Network *net = s->model->network;
    const size_t first = s->model->flat.vars.n + s->model->flat.n_elements;
    for (size_t i = 0; net && i < net->flat->parts.n; i++) {
        const NetPart *part = &net->parts[i];
        const uint32_t n = part->flat->n, n_shown = part->kind->n_readables;
        const uint32_t members = n > MEMBERS_MAX ? ELEMENTS_FEW : n;
        for (uint32_t k = 0; k < members; k++)
            for (uint32_t r = 0; r < n_shown; r++)
                if (part->kind->readables[r].is_main) {
                    const size_t member = members == n ? k : (size_t)k * (n - 1) / (members - 1);
                    add_column(s, first + part->first_variable + member * n_shown + r);
                }
        if (members == n || n_shown == 0) continue;
        diag_report(s->diag, DIAG_RECORD_FEW, (Place){ 0 }, (size_t)members, (size_t)n,
                    (int)strlen(part->flat->name), part->flat->name);
        diag_hint(s->diag, "say what to record: %s.%s", flat_member_name(part->flat, 0, &s->arena),
                  part->kind->readables[0].name);
    }
}

// The outputs; without any the states; without those everything that is computed.
static void add_default(Simulation *s)
{
    const Flat *flat = &s->model->flat;
    for (Wanted wanted = WANTED_OUTPUTS; wanted <= WANTED_ALL && s->columns.n == 0; wanted++) {
        for (size_t i = 0, n; i < flat->vars.n; i += n) {
            n = 1;
            if (!is_wanted(s, i, wanted)) continue;
            n = stretch(flat, i);
            add_elements(s, i, n);
        }
        for (size_t a = 0; a < flat->arrays.n; a++) {
            const size_t first = flat->vars.n + flat->arrays.items[a].first;
            if (is_wanted(s, first, wanted)) add_elements(s, first, flat->arrays.items[a].n);
        }
        if (wanted == WANTED_ALL || (wanted == WANTED_STATES && s->columns.n > 0)) add_shown(s);
    }
}

// A name as the experiment has it.
static bool add_written(Simulation *s, const char *name)
{
    const size_t variable = orr_model_find(s->model, name);
    if (variable != (size_t)-1) return add_column(s, variable), true;
    return add_named(s, name, run_written(&s->experiment->run, name, s->diag));
}

static bool choose_columns(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    bool ok = true;
    s->is_column = ARENA_ARRAY(&s->arena, bool, orr_model_n_variables(s->model));
    for (size_t i = 0; i < e->n_records; i++) ok = add_written(s, e->records[i]) && ok;
    if (e->n_records == 0) add_default(s);
    for (size_t i = 0; i < e->n_plots; i++) {
        if (e->plots[i].is_histogram) continue;
        for (size_t k = 0; k < e->plots[i].n_ys; k++) ok = add_written(s, e->plots[i].ys[k]) && ok;
        if (e->plots[i].over) ok = add_written(s, e->plots[i].over) && ok;
    }
    s->values = ARENA_ARRAY(&s->arena, double, s->columns.n + 2);
    s->jumps = ARENA_ARRAY(&s->arena, bool, s->columns.n);
    for (size_t i = 0; i < s->columns.n; i++)
        s->jumps[i] = orr_model_variable(s->model, s->columns.items[i]).kind == ORR_KIND_DISCRETE;
    if (s->model->ir.n_reruns > 0) {
        vec_push(&s->arena, &s->names, orr_model_find(s->model, "run") == (size_t)-1 ? "run" : "run number");
        vec_push(&s->arena, &s->units, NULL);
    }
    if (e->frame) {
        vec_push(&s->arena, &s->names,
                 orr_model_find(s->model, "in_frame") == (size_t)-1 ? "in_frame" : "in frame");
        vec_push(&s->arena, &s->units, NULL);
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- expectations

static double time_of(const Simulation *s, size_t i)
{
    const double at = s->experiment->expects[i].at;
    return isnan(at) ? INFINITY : at;
}

// Before the run: variables found, times in order (merge sort, so equal times keep the order written).
static bool prepare_expectations(Simulation *s)
{
    const orr_experiment *e = s->experiment;
    const size_t n = e->n_expects;
    bool ok = true;
    s->verdicts = calloc(n + 1, sizeof *s->verdicts);
    if (!s->verdicts) arena_no_memory(n);
    s->order = ARENA_ARRAY(&s->arena, size_t, n);
    s->expected = ARENA_ARRAY(&s->arena, size_t, n);
    for (size_t i = 0; i < n; i++) {
        const orr_expect *expect = &e->expects[i];
        s->order[i] = i;
        s->verdicts[i] = (orr_verdict){ .expect = expect, .found = NAN };
        s->expected[i] = orr_model_find(s->model, expect->name);
        if (s->expected[i] != (size_t)-1) continue;
        ok = report_unknown(s, expect->name, run_written(&e->run, expect->name, s->diag));
    }
    size_t *other = ARENA_ARRAY(&s->arena, size_t, n);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            const size_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            size_t a = lo, b = mid;
            for (size_t k = lo; k < hi; k++) {
                const bool left = a < mid && (b >= hi || time_of(s, s->order[a]) <= time_of(s, s->order[b]));
                other[k] = s->order[left ? a++ : b++];
            }
        }
        size_t *swap = s->order;
        s->order = other;
        other = swap;
    }
    return ok;
}

static void compare(Simulation *s, size_t i)
{
    orr_verdict *verdict = &s->verdicts[i];
    verdict->found = orr_run_value(s->run, s->expected[i]);
    verdict->holds = fabs(verdict->found - verdict->expect->value) <= verdict->expect->within;
}

static void meet_expectation(Simulation *s) { compare(s, s->order[s->next_expected++]); }

// Results have their value when the terminal region has run for the last time.
static void meet_results(Simulation *s)
{
    for (size_t i = 0; i < s->experiment->n_expects; i++)
        if (orr_model_variable(s->model, s->expected[i]).kind == ORR_KIND_RESULT) compare(s, i);
}

// Of the next expectation to be met.
static inline double next_time(const Simulation *s)
{
    return s->next_expected < s->experiment->n_expects ? time_of(s, s->order[s->next_expected]) : INFINITY;
}

// Those written for times before t, in order.
static orr_status meet_until(Simulation *s, double t)
{
    while (s->next_expected < s->experiment->n_expects) {
        const double at = time_of(s, s->order[s->next_expected]);
        if (!(at < t)) break;
        if (at < s->experiment->from) {    // outside the run: reported at the end
            s->next_expected++;
            continue;
        }
        const orr_status status = advance(s, at, false);
        if (status != ORR_STATUS_OK || s->run->is_over) return status;
        meet_expectation(s);
    }
    return ORR_STATUS_OK;
}

static void meet_at_end(Simulation *s)
{
    while (s->next_expected < s->experiment->n_expects) {
        const double at = time_of(s, s->order[s->next_expected]);
        if (at > s->t_end && !isinf(at)) s->next_expected++;
        else meet_expectation(s);
    }
}

// Report what did not come out as expected.
static size_t judge(Simulation *s)
{
    size_t n_failed = 0;
    for (size_t i = 0; i < s->experiment->n_expects; i++) {
        const orr_verdict *v = &s->verdicts[i];
        const orr_expect *x = v->expect;
        if (v->holds) continue;
        n_failed++;
        if (s->experiment->verdicts_only) continue;
        const Place place = diag_place(s->diag, (orr_place){ x->file, x->line, x->column, x->length });
        if (x->at < s->experiment->from || x->at > s->t_end) {
            diag_report(s->diag, DIAG_EXPECT_OUTSIDE, place, x->at, s->experiment->from, s->t_end);
        } else {
            const double at = isnan(x->at) ? s->t_end : x->at;
            diag_report(s->diag, DIAG_EXPECT_FAILED, place, x->name, at, x->value, x->within, v->found);
        }
    }
    return n_failed;
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
    *n_begun = 0;
    if (s->sends && !sends_begin(s->sends)) return ORR_STATUS_SYSTEM;
    for (*n_begun = 0; *n_begun < s->n_sinks;) {
        const orr_sink *sink = &s->sinks[(*n_begun)++];
        if (sink->begin && !sink->begin(sink->self, s->names.items, s->units.items, s->names.n,
                                        orr_model_time_unit(s->model)))
            return ORR_STATUS_SYSTEM;
        if (sink->kinds) sink->kinds(sink->self, s->jumps, s->columns.n);
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
    if (!is_sent) return s->run->is_failed ? ORR_STATUS_FAILED : ORR_STATUS_SYSTEM;
    if (!s->wants_rows) return poll_inputs(s);
    const size_t n = s->columns.n;
    orr_run_values(s->run, s->columns.items, n, s->values);
    if (s->run->is_failed) return ORR_STATUS_FAILED;
    if (s->model->ir.n_reruns > 0) s->values[n] = (double)s->run->n_reruns + 1;
    if (s->experiment->frame) s->values[s->names.n - 1] = watch_is_inside(s->run);
    const double t = orr_run_time(s->run);
    for (size_t i = 0; i < s->n_sinks; i++) {
        const orr_sink *sink = &s->sinks[i];
        if (!sink->row || !takes_row(s, i)) continue;
        if (!sink->row(sink->self, t, s->values, s->names.n)) return ORR_STATUS_SYSTEM;
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
        e->frame || s->model->ir.n_reruns > 0)
        return NULL;
    uint32_t *states = ARENA_ARRAY(&s->scratch, uint32_t, s->columns.n);
    for (size_t i = 0; i < s->columns.n; i++) {
        const size_t variable = s->columns.items[i];
        if (variable >= s->model->flat.vars.n) return NULL;
        states[i] = s->model->ir.layout.state_of[variable];
        if (states[i] == FLAT_NONE) return NULL;
    }
    return states;
}

// Rows from number *i on as long as each is one step behind the last, which the way for all would do in the
// same way.
static orr_status plain_rows(Simulation *s, const uint32_t *states, const Times *times, double every,
                             double *i)
{
    orr_run *run = s->run;
    Island *island = &run->islands[0];
    double last = fmin(s->experiment->until - 1e-9 * every, s->next_checkpoint);
    if (s->experiment->n_expects) last = fmin(last, next_time(s));
    for (;; (*i)++) {
        const double t = times_at(times, *i);
        if (!(t < last) || t <= s->t_resumed + 1e-9 * every || !drive_one(run, island, t))
            return ORR_STATUS_OK;
        run->values_valid = false;
        run->t = t;
        run->x = island->x;
        for (size_t k = 0; k < s->columns.n; k++) s->values[k] = island->x[states[k]];
        for (size_t k = 0; k < s->n_sinks; k++) {
            const orr_sink *sink = &s->sinks[k];
            if (sink->row && !sink->row(sink->self, t, s->values, s->names.n)) return ORR_STATUS_SYSTEM;
        }
        s->n_rows++;
    }
}

// Rows at from, from + every, …, until.
static orr_status run_on_times(Simulation *s, double every)
{
    const double until = s->experiment->until;
    const Times times = times_of(s->experiment->from, every);
    const uint32_t *states = every > 0 ? plain_columns(s) : NULL;
    for (double i = 1;; i++) {
        if (states && plain_rows(s, states, &times, every, &i) != ORR_STATUS_OK) return ORR_STATUS_SYSTEM;
        // a row so near the end is the end
        double t = every > 0 ? times_at(&times, i) : until;
        if (!(t < until - 1e-9 * every)) t = until;
        if (t <= s->t_resumed && t < until) continue;    // rows of before
        orr_status status = s->experiment->n_expects && next_time(s) < t ? meet_until(s, t) : ORR_STATUS_OK;
        if (status == ORR_STATUS_OK) status = advance(s, t, true);
        if (status == ORR_STATUS_TERMINATED) return put_row(s);
        if (status == ORR_STATUS_OK) status = put_row(s);
        if (status != ORR_STATUS_OK || t == until || s->run->is_over) return status;
        // many rows inside one step never come to where steps look at this
        if (s->run->cancel && *s->run->cancel) return ORR_STATUS_CANCELLED;
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
    const Island *island = &s->run->islands[0];
    s->next_expected = 0;
    collect_begin(s->collect, s->run);
    if (!isnan(s->t_resumed)) take_extra(s);
    realtime_start(&s->clock, isnan(s->t_resumed) ? e->from : s->t_resumed);
    s->is_first_row = !isnan(s->t_resumed);
    orr_status status = put_row(s);
    s->is_first_row = false;
    if (status == ORR_STATUS_OK && e->until > orr_run_time(s->run) && !s->run->is_over &&
        !s->run->terminated) {
        if (s->clock.ns_per_unit > 0) status = run_on_times(s, instants(s, island));
        else if (!s->wants_rows) status = run_on_times(s, 0);
        else if (e->every > 0) status = run_on_times(s, e->every);
        // on a grid that no event can move, each step is at a known time
        else if (island->solver->fixed_step && s->model->n_relations == 0 && isinf(due_next(s->run))
                 && s->model->n_events == 0 && !s->model->isles && !s->run->net)
            status = run_on_times(s, island->step);
        else status = run_on_steps(s);
    }
    s->t_resumed = NAN;
    if (status == ORR_STATUS_OK && e->checkpoint && !(e->checkpoint_every > 0) && !s->run->is_over &&
        !s->run->terminated)
        status = save(s, false);
    s->t_end = s->run->is_over ? orr_run_time(s->run) : e->until;
    if (status == ORR_STATUS_OK) meet_at_end(s);
    return status == ORR_STATUS_OK && s->run->is_failed ? ORR_STATUS_FAILED : status;
}

static orr_status run_study(Simulation *s)
{
    for (;;) {
        bool again = false;
        orr_status status = run_once(s);
        if (status == ORR_STATUS_OK) status = orr_run_finish(s->run, &again);
        if (status == ORR_STATUS_OK && !again) meet_results(s);
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
    return ok;
}

static void keep_results(const Simulation *s, orr_outcome *outcome)
{
    size_t n = 0;
    const size_t n_vars = s->model->flat.vars.n;    // no array is a result
    for (size_t i = 0; i < n_vars; i++) n += orr_model_variable(s->model, i).kind == ORR_KIND_RESULT;
    if (n == 0) return;
    orr_setting *results = calloc(n, sizeof *results);
    if (!results) arena_no_memory(n * sizeof *results);
    for (size_t i = 0; i < n_vars; i++) {
        const orr_variable v = orr_model_variable(s->model, i);
        if (v.kind == ORR_KIND_RESULT)
            results[outcome->n_results++] = (orr_setting){ v.name, orr_run_value(s->run, i) };
    }
    outcome->results = results;
}

static int by_time(const void *a, const void *b)
{
    const orr_left *p = a, *q = b;
    return (p->t > q->t) - (p->t < q->t);
}

static void keep_left(const Simulation *s, orr_outcome *outcome)
{
    orr_left left;
    size_t n = 0;
    while (orr_run_left(s->run, n, &left)) n++;
    if (n == 0) return;
    orr_left *all = calloc(n, sizeof *all);
    if (!all) arena_no_memory(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        orr_run_left(s->run, i, &all[i]);
        all[i].name = strdup(all[i].name);
    }
    qsort(all, n, sizeof *all, by_time);
    outcome->left = all;
    outcome->n_left = n;
}

static orr_status simulate(Simulation *s, orr_outcome *outcome)
{
    const orr_experiment *e = s->experiment;
    s->goes_on = ARENA_ARRAY(&s->arena, bool, s->n_sinks);
    for (size_t i = 0; i < s->n_sinks && e->resume; i++)
        if (s->sinks[i].go_on) s->sinks[i].go_on(s->sinks[i].self, NULL, 0);
    bool ok = check(e, s->diag);
    ok = choose_columns(s) && ok;
    ok = prepare_expectations(s) && ok;
    ok = collect_open(&s->collect, s->model, e, &s->arena, s->diag) && ok;
    ok = orr_experiment_check(s->model, e, s->diag) && ok;
    bool wants_progress = false;
    for (size_t i = 0; i < s->n_sinks; i++) {
        s->wants_rows = s->wants_rows || s->sinks[i].row;
        wants_progress = wants_progress || s->sinks[i].progress;
    }
    orr_run_options options = e->run;
    options.t_start = e->from;
    options.t_end = e->until;
    if (e->warm_up > 0) options.statistics_from = e->from + e->warm_up;
    for (size_t i = 0; i < s->n_sinks; i++) {
        if (!s->sinks[i].event) continue;
        options.event = observe;
        options.event_context = s;
    }
    for (size_t i = 0; i < s->n_sinks; i++) {
        if (!s->sinks[i].trace) continue;
        options.trace = trace;
        options.trace_context = s;
    }
    if (collect_looks(s->collect)) {
        options.trace = trace;
        options.trace_context = s;
    }
    orr_status status;
    if (e->realtime > 0) {
        double seconds = 1;
        ok = units_convert(&s->model->own_units, orr_model_time_unit(s->model), "s", true, (Place){ 0 },
                           &seconds, s->diag) &&
             ok;
        s->clock = (Realtime){ .ns_per_unit = 1e9 * seconds / e->realtime, .cancel = options.cancel };
        options.exact = options.live = true;
    }
    if (ok && e->n_sends > 0) {
        s->sends = sends_open(s->model, e, &s->arena, s->diag);
        ok = s->sends != NULL;
        if (ok && e->resume) sends_go_on(s->sends, NULL, 0);
        s->wants_rows = s->wants_rows || ok;
        if (ok && sends_have_messages(s->sends)) {
            options.trace = trace;
            options.trace_context = s;
            wants_progress = true;
        }
    }
    if (!ok) options.n_inputs = options.n_claims = 0;    // nothing is opened for a run that will not be
    s->is_muted = e->resume != NULL;
    s->t_resumed = NAN;
    plan_checkpoint(s);
    s->run = run_create(s->model, &options, s->diag, &status);
    if (!s->run || !ok) return ok ? status : ORR_STATUS_USAGE;    // all that is wrong has been said at once
    Text extra = { 0 };
    if (e->resume) {
        status = run_load_file(s->run, e->resume, &s->arena, &extra);
        if (status != ORR_STATUS_OK) return status;
        s->is_muted = false;
        s->t_resumed = orr_run_time(s->run);
        while (s->next_checkpoint <= s->t_resumed) plan_checkpoint(s);
    }
    if (wants_progress) {
        s->run->pulse = pulse;
        s->run->pulse_context = s;
        s->run->ns_pulse = os_now_ns();
    }

    bool wants_pieces = false;
    for (size_t i = 0; i < s->n_sinks; i++) wants_pieces = wants_pieces || s->sinks[i].piece;
    if (wants_pieces && !s->run->islands[0].solver->is_quantised && !s->run->solver_aside)
        // it says why
        return pieces_begin(&s->pieces, s->run, s->sinks, s->n_sinks, NULL, 0), ORR_STATUS_USAGE;
    s->extra = (RunSaved){ .bytes = (char *)extra.p, .n = extra.n, .is_loading = true };
    if (e->resume && !go_on_sinks(s, &s->extra)) return ORR_STATUS_USAGE;

    size_t n_begun;
    const uint64_t started = os_now_ns();
    status = begin_sinks(s, &n_begun);
    if (status == ORR_STATUS_OK && wants_pieces)
        pieces_begin(&s->pieces, s->run, s->sinks, s->n_sinks, s->columns.items, s->columns.n);
    if (status == ORR_STATUS_OK) status = run_study(s);
    if (wants_pieces && !pieces_end(&s->pieces) && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
    status = end_sinks(s, n_begun, status);
    outcome->n_instants = s->clock.n_instants;
    outcome->n_late = s->clock.n_late;
    outcome->latest = s->clock.latest;
    if (s->clock.n_late)
        diag_report(s->diag, DIAG_OVERRUN, (Place){ 0 }, s->clock.n_late, s->clock.n_instants,
                    s->clock.latest);

    outcome->facts = orr_run_get_facts(s->run);
    outcome->facts.simulate_ms = (double)(os_now_ns() - started) * 1e-6;
    outcome->facts.solver_reason = outcome->facts.solver_reason ? strdup(outcome->facts.solver_reason) : NULL;
    outcome->facts.terminated = outcome->facts.terminated ? strdup(outcome->facts.terminated) : NULL;
    outcome->t = orr_run_time(s->run);
    outcome->is_over = s->run->is_over;
    keep_left(s, outcome);
    if (status == ORR_STATUS_CANCELLED) diag_report(s->diag, DIAG_CANCELLED, (Place){ 0 }, outcome->t);
    if (status != ORR_STATUS_OK) return status;
    keep_results(s, outcome);
    outcome->distributions = collect_end(s->collect, s->run, &outcome->n_distributions);
    outcome->n_verdicts = e->n_expects;
    outcome->n_failed = judge(s);
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
    outcome.verdicts = s.verdicts;
    orr_run_destroy(s.run);
    arena_free(&s.arena);
    arena_free(&s.scratch);
    return outcome;
}

void orr_outcome_free(orr_outcome *outcome)
{
    free((char *)outcome->facts.solver_reason);
    free((char *)outcome->facts.terminated);
    free((orr_verdict *)outcome->verdicts);
    free((orr_setting *)outcome->results);
    free((orr_distribution *)outcome->distributions);
    for (size_t i = 0; i < outcome->n_left; i++) free((char *)outcome->left[i].name);
    free((orr_left *)outcome->left);
    *outcome = (orr_outcome){ 0 };
}
