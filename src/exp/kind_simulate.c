// src/exp/kind_simulate.c: one run: its rows, what happens in it, and what is left of it at the end.
#include "exp/chance.h"
#include "exp/data.h"
#include "exp/kind.h"
#include "model/model.h"
#include "orrery/replicate.h"
#include <math.h>
#include <string.h>

enum { ROWS_LOOKED_AT = 4000, ROWS_DRAWN = 200000, ROWS_USUAL = 500 };
enum { TIMES_LOOKED_AT = 500, TIMES_DRAWN = 20000 };    // that a picture can tell apart

static const orr_keyword words[] = {
    WORD("events", TEXT, "FILE", "write each event as CSV: time, cause, line, values before and after",
         .is_private = true),
    WORD("polynomials", TEXT, "FILE",
      "write the polynomials by which the solver knows what is recorded, as CSV: time, name, coefficients",
      .is_private = true),
    WORD("trace", TEXT, "FILE",
      "write each message and transition of components, as CSV or JSON lines (.jsonl)", .is_private = true),
    WORD("strict", FLAG, NULL, "exit with 4 if the frame was left or an assertion did not hold"),
};

// ---------------------------------------------------------------------------------------------- files

enum { LOGS = 3 };    // kinds of orr_log

// Files of a run, and all that is told of it while it goes on.
typedef struct Outputs {
    const char *rows_path, *pieces_path;    // NULL: none
    RowsOut    *rows;
    orr_log    *logs[LOGS];
    orr_sink    sinks[LOGS + 4];            // with rows, a table, the progress and whoever keeps the run
    size_t      n_sinks;
} Outputs;

// False, reported, if something was not written.
static bool close_outputs(const Call *call, const Outputs *o)
{
    if (call->how->rescue) call->how->rescue(NULL);
    bool written = !o->rows || rows_close(o->rows);
    for (size_t i = 0; i < LOGS; i++)
        if (o->logs[i]) written = orr_log_close(o->logs[i]) && written;
    return written;
}

// False, reported, if a file cannot be written; those that are open are to be closed then, too.
static bool open_outputs(Call *call, Outputs *o)
{
    const orr_experiment *e = call->experiment;
    const char *polynomials = value_text(e, "polynomials");
    // an experiment may ask for polynomials in the file of the rows instead
    const bool instead = e->as_polynomials && !polynomials;
    *o = (Outputs){ .rows_path = instead ? NULL : call->how->output,
                    .pieces_path = instead ? call->how->output : polynomials };
    if (o->rows_path) {
        o->rows = rows_open(o->rows_path, call->how->has_units, call_provenance(call), call->diag);
        if (!o->rows) return false;
        o->sinks[o->n_sinks++] = rows_sink(o->rows);
        if (call->how->rescue) call->how->rescue(&o->sinks[0]);
    }
    const char *const paths[LOGS] = { [ORR_LOG_EVENTS] = value_text(e, "events"),
                                      [ORR_LOG_PIECES] = o->pieces_path,
                                      [ORR_LOG_TRACE] = value_text(e, "trace") };
    for (size_t i = 0; i < LOGS; i++) {
        if (!paths[i]) continue;
        o->logs[i] = orr_log_create((orr_log_kind)i, paths[i], call->diag);
        if (!o->logs[i]) return false;
        o->sinks[o->n_sinks++] = orr_log_sink(o->logs[i]);
    }
    return true;
}

static bool show_progress(void *self, double t, double from, double until)
{
    const Call *call = self;
    char text[40];
    snprintf(text, sizeof text, "t = %.6g", t);
    call->how->progress(call->how->self, until > from ? (t - from) / (until - from) : 0, text);
    return true;
}

// ---------------------------------------------------------------------------------------------- reporting

// Where the claims of the frame ended to hold.
static void say_left(Call *call, const orr_left *left)
{
    const orr_frame *frame = call->experiment->frame;
    const char *name = frame ? frame->name : "";
    say(call, "  outside its frame%s%s from t = %.6g %s: ", *name ? " " : "", name, left->t,
        orr_model_time_unit(call->model));
    if (isnan(left->low)) say(call, "%s\n", left->name);
    else
        say(call, "%s in %g..%g, up to %.6g at t = %.6g\n", left->name, left->low, left->high, left->worst,
            left->t_worst);
}

static void say_summary(Call *call, const orr_outcome *outcome, const char *rows_path)
{
    const orr_experiment *e = call->experiment;
    const orr_run_facts *run = &outcome->facts;
    say(call, "%s: ", call_title(call));
    if (run->solver) say(call, "%s, %zu steps, ", run->solver, run->n_steps);
    if (run->n_instants)
        say(call, "%zu instants, %zu transitions, %zu messages, ", run->n_instants, run->n_transitions,
            run->n_messages);
    say(call, "t = %.6g to %.6g %s\n", e->from, outcome->t, orr_model_time_unit(call->model));
    if (e->realtime > 0)
        say(call, "  real time: %zu instants, %zu of them late\n", outcome->n_instants, outcome->n_late);
    if (run->solver_reason) say(call, "  chosen by auto: %s\n", run->solver_reason);
    if (outcome->tolerances) say(call, "  absolute tolerance: %s\n", outcome->tolerances);
    if (outcome->islands) say(call, "  islands: %s\n", outcome->islands);
    if (run->n_events) say(call, "  %zu event%s\n", run->n_events, run->n_events == 1 ? "" : "s");
    if (run->terminated) say(call, "  ended by the model: %s\n", run->terminated);
    if (run->n_reruns)
        say(call, "  the terminal region ran it again %zu time%s\n", run->n_reruns,
            run->n_reruns == 1 ? "" : "s");
    for (size_t i = 0; i < outcome->n_results; i++)
        say(call, "  %s = %.10g\n", outcome->results[i].name, outcome->results[i].value);
    observations_add(call, outcome->observed);
    for (size_t i = 0; i < outcome->n_left; i++) say_left(call, &outcome->left[i]);
    if (outcome->is_over) say(call, "  stopped at t = %.6g, as its frame asks\n", outcome->t);
    verdicts_add(call, outcome->verdicts, outcome->n_verdicts);
    if (rows_path) say(call, "  %zu rows in %s\n", outcome->n_rows, rows_path);
    if (e->replications > 0 || e->precision > 0)
        say(call, "  one run; without --once the experiment makes all its replications\n");
}

static void keep_stats(Call *call, const orr_outcome *outcome)
{
    const orr_model_facts model = orr_model_get_facts(call->model);
    const orr_run_facts *run = &outcome->facts;
    stat_count(call, "states", model.n_states);
    stat_count(call, "equations", model.n_equations);
    stat_count(call, "loops", model.n_loops);
    stat_text(call, "solver", run->solver ? run->solver : "none");
    stat_count(call, "steps", run->n_steps);
    stat_count(call, "rhs_evaluations", run->n_rates);
    stat_count(call, "rejected", run->n_rejected);
    stat_count(call, "events", run->n_events);
    stat_count(call, "rows", outcome->n_rows);
    stat_ms(call, "compile_ms", model.compile_ms);
    stat_ms(call, "simulate_ms", run->simulate_ms);
    stat_text(call, "code", model.code);
}

// ---------------------------------------------------------------------------------------------- conditions

// What of the data was measured in another setting than that of the experiment: a run for each.
typedef struct Condition {
    orr_table  *table;     // NULL: its run failed
    const char *label;     // "K = 2"
} Condition;

static Condition run_condition(Call *call, size_t number, size_t n_rows)
{
    orr_experiment e = *call->experiment;
    const orr_condition *of = &e.conditions[number - 1];
    Arena *arena = call->arena;
    orr_setting *settings = ARENA_ARRAY(arena, orr_setting, e.run.n_settings + of->n_settings);
    orr_data *data = ARENA_ARRAY(arena, orr_data, e.n_data);
    StrBuf label = { .arena = arena };
    size_t n = 0, n_points = 0;
    for (size_t i = 0; i < e.run.n_settings; i++) settings[i] = e.run.settings[i];
    for (size_t i = 0; i < of->n_settings; i++) {
        settings[e.run.n_settings + i] = of->settings[i];
        str_addf(&label, "%s%s = %.6g", i ? ", " : "", of->settings[i].name, of->settings[i].value);
    }
    for (size_t i = 0; i < e.n_data; i++) {
        if (e.data[i].condition != number) continue;
        data[n] = e.data[i];
        n_points += data[n].n;
        data[n++].condition = 0;
    }
    static const orr_measurement misfit = { .name = "misfit to data", .what = ORR_OBSERVE_MISFIT,
                                            .at = NAN, .from = NAN, .to = NAN };
    e.run.settings = settings;
    e.run.n_settings += of->n_settings;
    e.data = data;
    e.n_data = n;
    e.observations = &misfit;
    e.n_observations = 1;
    e.n_expects = e.n_sends = 0;
    e.checkpoint = e.resume = NULL;
    Condition c = { table_add(call, n_rows), str_finish(&label) };
    orr_table_keep_curves(c.table, (e.until - e.from) / TIMES_LOOKED_AT);
    const orr_sink sink = orr_table_sink(c.table);
    orr_outcome outcome = orr_simulate(call->model, &e, &sink, 1, call->diag);
    if (outcome.status == ORR_STATUS_OK)
        say(call, "  with %s: misfit to data = %.10g, %zu points\n", c.label, outcome.observed[0], n_points);
    else say(call, "  with %s: failed\n", c.label), c.table = NULL;
    orr_outcome_free(&outcome);
    return c;
}

// Curves of other conditions and their data, in one colour each.
static void draw_conditions(const Call *call, const Condition *all, const orr_plot *plot, orr_figure *f)
{
    const orr_experiment *e = call->experiment;
    for (size_t c = 0; c < e->n_conditions; c++) {
        const char *label = arena_printf(call->arena, ", %s", all[c].label);
        orr_figure *own = all[c].table ? orr_table_figure(all[c].table, plot, NULL, call->diag) : NULL;
        int colour = -1;
        for (size_t i = 0; own && i < own->panels[0]->n_series; i++) {
            const orr_series *from = own->panels[0]->series[i];
            orr_series *to = orr_figure_add_series(
                f, f->panels[0], from->kind, arena_printf(call->arena, "%s%s", from->name, label), from->n);
            memcpy(to->x, from->x, from->n * sizeof *to->x);
            memcpy(to->y, from->y, from->n * sizeof *to->y);
            colour = to->colour;
        }
        orr_figure_destroy(own);
        data_draw(e, c + 1, plot, label, colour, f);
    }
}

// The rows, as a table and as the plots of the experiment. False after a message.
static bool show_rows(Call *call, const orr_table *table, const Condition *conditions, bool looks)
{
    static const orr_plot everything = { 0 };    // all columns over time
    const orr_experiment *e = call->experiment;
    bool ok = true;
    if (looks) part_add(call, (orr_part){ .table = table });
    if (orr_table_n_rows(table) < 2 && call->how->n_pictures == 0) return true;
    for (size_t i = 0; i < (e->n_plots ? e->n_plots : 1); i++) {
        const orr_plot *plot = e->n_plots ? &e->plots[i] : &everything;
        if (plot->is_histogram) continue;    // these follow with their numbers
        orr_part part = { .figure = orr_table_figure(table, plot, orr_model_name(call->model), call->diag),
                          .picture = i + 1,
                          .is_file_only = !looks || orr_table_n_rows(table) < 2 };
        ok = part.figure && ok;
        if (part.figure) data_draw(e, 0, plot, "", -1, part.figure);
        if (part.figure) draw_conditions(call, conditions, plot, part.figure);
        part_add(call, part);
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- carrying out

// Where nothing does, the instants of events are the rows to show.
static bool moves_between_events(const orr_model *model)
{
    const orr_model_facts facts = orr_model_get_facts(model);
    // among components relations only open and close arrows
    return facts.n_states + facts.n_equations > 0 || (facts.n_relations > 0 && !model->network);
}

// One run has the luck of the replication of its number.
static bool set_by_chance(Call *call, orr_experiment *e)
{
    Chance chance;
    if (!chance_read(&chance, e, call->arena, call->diag)) return false;
    if (chance.n == 0) return true;
    const size_t n = e->run.n_settings;
    orr_setting *settings = ARENA_ARRAY(call->arena, orr_setting, n + chance.n);
    double *values = ARENA_ARRAY(call->arena, double, chance.n);
    chance_draw(&chance, e->run.seed, e->run.number, values);
    for (size_t i = 0; i < n; i++) settings[i] = e->run.settings[i];
    for (size_t i = 0; i < chance.n; i++) settings[n + i] = (orr_setting){ chance.names[i], values[i] };
    e->run.settings = settings;
    e->run.n_settings = n + chance.n;
    return true;
}

// The first thing that went wrong is what the program ends with.
static void note(orr_status *status, bool is_well, orr_status otherwise)
{
    if (!is_well && *status == ORR_STATUS_OK) *status = otherwise;
}

static orr_status carry_out(Call *call)
{
    orr_experiment e = *call->experiment;
    const orr_experiment *asked = call->experiment;
    call->experiment = &e;
    const bool chose_until = isnan(e.until);
    if (chose_until) e.until = e.from + 10;
    if (!given_of(&e, "every") && e.every == 0 && !*e.name && moves_between_events(call->model))
        e.every = (e.until - e.from) / ROWS_USUAL;
    if (!isnan(value_number(&e, "max-time"))) e.run.max_seconds = value_number(&e, "max-time");
    if (e.replications > 0 || e.precision > 0) e.n_expects = 0;    // of means
    e.run.cancel = call->how->cancel;
    if (!set_by_chance(call, &e)) return ORR_STATUS_USAGE;

    Outputs o;
    if (!open_outputs(call, &o)) return close_outputs(call, &o), ORR_STATUS_SYSTEM;
    const bool looks = !call->how->is_quiet && !call->how->output;
    orr_table *table = NULL;
    if (looks || call->how->n_pictures > 0) {
        const bool draws = call->how->n_pictures > 0;
        table = table_add(call, draws ? ROWS_DRAWN : ROWS_LOOKED_AT);
        orr_table_keep_curves(table, (e.until - e.from) / (draws ? TIMES_DRAWN : TIMES_LOOKED_AT));
        o.sinks[o.n_sinks++] = orr_table_sink(table);
    }
    if (call->how->keeper && call->how->keeper->sink) o.sinks[o.n_sinks++] = *call->how->keeper->sink;
    if (call->how->progress) o.sinks[o.n_sinks++] = (orr_sink){ .progress = show_progress, .self = call };
    orr_outcome outcome = orr_simulate(call->model, &e, o.sinks, o.n_sinks, call->diag);
    orr_status status = outcome.status;
    const bool written = close_outputs(call, &o);
    note(&status, written, ORR_STATUS_SYSTEM);
    note(&status, !(given_of(&e, "strict") && outcome.facts.n_violations), ORR_STATUS_NOT_VALIDATED);

    Condition *conditions = ARENA_ARRAY(call->arena, Condition, e.n_conditions);
    for (size_t i = 0; i < e.n_conditions && outcome.n_rows > 0; i++) {
        conditions[i] = run_condition(call, i + 1, ROWS_LOOKED_AT);
        note(&status, conditions[i].table != NULL, ORR_STATUS_FAILED);
    }
    if (table && outcome.n_rows > 0)
        note(&status, show_rows(call, table, conditions, looks), ORR_STATUS_USAGE);
    if (outcome.n_rows > 0 || (o.pieces_path && status == ORR_STATUS_OK)) {
        say_summary(call, &outcome, written ? o.rows_path : NULL);
        if (o.pieces_path && written) say(call, "  polynomials in %s\n", o.pieces_path);
    } else {
        verdicts_add(call, outcome.verdicts, outcome.n_verdicts);
    }
    if (status == ORR_STATUS_OK || outcome.n_distributions > 0)
        note(&status, statistics_add(call, outcome.distributions, outcome.n_distributions),
             outcome.n_distributions ? ORR_STATUS_SYSTEM : ORR_STATUS_USAGE);
    if (outcome.n_rows > 0) {
        if (asked->n_unasked && e.replications == 0 && e.precision == 0)
            say(call,
                "  %zu expectation%s not checked: --set, --input, "
                "--from, --until, --seed or --resume changed the experiment\n",
                asked->n_unasked, asked->n_unasked == 1 ? "" : "s");
        if (chose_until) say(call, "  until 10, since nothing says when to end; --until T does\n");
    }
    keep_stats(call, &outcome);
    orr_outcome_free(&outcome);
    call->experiment = asked;
    return status;
}

const Kind kind_simulate = {
    .kind = {
        .name = "simulate",
        .summary = "Simulate a model",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set reactions input output allow-io realtime wait until from solver island step path "
                  "tol abs max-step quantum update every record observe data seed run sampling correlation "
                  "statistics "
                  "max-time checkpoint "
                  "checkpoint-every resume",
        .output = "FILE",
        .output_help = "write all rows as CSV, or as NetCDF-4 (.nc); - is standard output",
        .details =
            "--input NAME=SOURCE: "
            "FILE[:COLUMN]:hold|linear|cubic[:cyclic][:outside-hold|outside-error|outside-zero], a table\n"
            "whose first column is the time; FILE:messages, a table of "
            "messages for an event input; - (lines t,u of standard input);\n"
            "expr:2*sin(t); and with --allow-io udp:[HOST:]PORT,\n"
            "unix:PATH, mqtt:HOST[:PORT]/TOPIC.\n"
            "--output NAME[,NAME]=TARGET: lines t,y at each row to - (standard output), a FILE or, with "
            "--allow-io, to udp:, unix:\n"
            "or mqtt: as above. NAME may be an event port, alone: then a line "
            "for each message, with the fields of its record.\n\n"
            "Without -o a short table and a plot are printed. Exit codes: 0 "
            "done, 1 the model is wrong, 2 wrong usage,\n"
            "3 the run failed, 4 an expectation did not hold.\n\n"
            "Examples:\n"
            "  orrery run examples/circle.csmp --set timestep=0.01\n"
            "  orrery run examples/lotka_volterra.orr --until 30 -o lv.csv --plot lv.svg\n"
            "  orrery run examples/lotka_volterra.orr --plot 'Y over X' --plot phase.png\n"
            "  orrery run examples/mass_spring.orr --solver rk4 --step 0.01 --record x,v -o -\n"
            "  orrery run examples/baby.orr --inputs toy,food,toy,food --from 'wants to eat'\n",
    },
    .carry_out = carry_out,
};
