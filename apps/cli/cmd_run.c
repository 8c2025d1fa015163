// apps/cli/cmd_run.c: `orrery run`: simulate a model and show or write what comes out.
#include "commands.h"
#include "machine.h"
#include "results.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Settings {
    Opening     opening;
    List        plot, drives, sends;
    double checkpoint_every, from, until, step, tol, abs, every, max_step, quantum, max_time, max_memory,
        seed, number, path, realtime, wait;
    const char *from_text, *inputs, *machine;
    const char *solver, *update, *record, *output, *events, *trace, *checkpoint, *resume, *polynomials,
        *statistics;
    bool        stats, quiet, strict, allow_io;
} Settings;

static const Option options[] = {
    OPENING_OPTIONS(Settings),
    CODE_OPTION(Settings),
    { "--input", OPTION_LIST, "NAME=SOURCE",
      "what an input follows: FILE:COLUMN:linear, -, udp:PORT, …; see below", offsetof(Settings, drives) },
    { "--output", OPTION_LIST, "NAME=TARGET",
      "send values as they are computed: -, FILE, udp:PORT, …; see below", offsetof(Settings, sends) },
    { "--allow-io", OPTION_FLAG, NULL, "sockets, networks and files outside the model's folder may be used",
      offsetof(Settings, allow_io) },
    { "--realtime", OPTION_FACTOR, "[FACTOR]", "keep pace with the clock, or FACTOR times as fast",
      offsetof(Settings, realtime) },
    { "--wait", OPTION_NUMBER, "S", "longest wait for a value from a socket (default: 10 s)",
      offsetof(Settings, wait) },
    { "--until", OPTION_NUMBER, "T", "end of the run", offsetof(Settings, until) },
    { "--from", OPTION_TEXT, "T|STATE", "start of the run (default: 0); of a machine",
      offsetof(Settings, from_text) },
    { "--solver", OPTION_TEXT, "S", "method; 'orrery solvers' lists them (default: auto)",
      offsetof(Settings, solver) },
    { "--step", OPTION_NUMBER, "H", "step of fixed-step solvers, first step of the others",
      offsetof(Settings, step) },
    { "--path", OPTION_NUMBER, "H",
      "of models with noise: steps of the Brownian paths, a whole part of --step", offsetof(Settings, path) },
    { "--tol", OPTION_NUMBER, "R", "relative tolerance (default: 1e-6)", offsetof(Settings, tol) },
    { "--abs", OPTION_NUMBER, "A", "absolute tolerance (default: a thousandth of --tol)",
      offsetof(Settings, abs) },
    { "--max-step", OPTION_NUMBER, "H", "largest step of solvers that choose it",
      offsetof(Settings, max_step) },
    { "--quantum", OPTION_NUMBER, "Q", "of solvers of quantised states: qss1, qss2, …",
      offsetof(Settings, quantum) },
    { "--update", OPTION_TEXT, "MODE", "synchronous or in-place (semi-implicit Euler)",
      offsetof(Settings, update) },
    { "--every", OPTION_NUMBER, "DT", "record at this interval; 0: every step", offsetof(Settings, every) },
    { "--record", OPTION_TEXT, "A,B", "what to record (default: the outputs, or the states)",
      offsetof(Settings, record) },
    { "-o", OPTION_TEXT, "FILE", "write all rows as CSV; - is standard output", offsetof(Settings, output) },
    { "--events", OPTION_TEXT, "FILE", "write each event as CSV: time, cause, line, values before and after",
      offsetof(Settings, events) },
    { "--polynomials", OPTION_TEXT, "FILE",
      "write the states as qss1, qss2, … have them, as CSV: time, state, coefficients",
      offsetof(Settings, polynomials) },
    { "--trace", OPTION_TEXT, "FILE",
      "write each message and transition of components, as CSV or JSON lines (.jsonl)",
      offsetof(Settings, trace) },
    { "--statistics", OPTION_TEXT, "FILE",
      "write the statistics asked for as CSV (default: beside -o, FILE-statistics.csv)",
      offsetof(Settings, statistics) },
    { "--plot", OPTION_LIST, "FILE|WHAT",
      "draw to .svg, .png or .pdf; or what: 'x, v over t', 'histogram of a.times'",
      offsetof(Settings, plot) },
    { "--inputs", OPTION_TEXT, "A,B,…", "of a machine: its inputs; @FILE reads them, - asks for them",
      offsetof(Settings, inputs) },
    { "--seed", OPTION_NUMBER, "N", "what is drawn at random depends on it (default: 1)",
      offsetof(Settings, seed) },
    { "--run", OPTION_NUMBER, "I", "number of the run: that of a replication, from 0 (default: 0)",
      offsetof(Settings, number) },
    { "--machine", OPTION_TEXT, "NAME", "run this machine", offsetof(Settings, machine) },
    { "--max-time", OPTION_NUMBER, "S", "end after so many seconds on the clock; rows are kept",
      offsetof(Settings, max_time) },
    { "--max-memory", OPTION_NUMBER, "MB",
      "take no more memory than this (default: nine tenths of the machine's)",
      offsetof(Settings, max_memory) },
    { "--checkpoint", OPTION_TEXT, "FILE",
      "save the run to this file, at the end or as often as --checkpoint-every says",
      offsetof(Settings, checkpoint) },
    { "--checkpoint-every", OPTION_NUMBER, "DT", "save it at this interval of the model's time",
      offsetof(Settings, checkpoint_every) },
    { "--resume", OPTION_TEXT, "FILE", "go on where this checkpoint was written; settings must be the same",
      offsetof(Settings, resume) },
    { "--strict", OPTION_FLAG, NULL, "exit with 4 if the frame was left or an assertion did not hold",
      offsetof(Settings, strict) },
    { "--stats", OPTION_FLAG, NULL, "print counts and times to standard error", offsetof(Settings, stats) },
    { "--quiet", OPTION_FLAG, NULL, "print no table, plot or summary", offsetof(Settings, quiet) },
};

// Ctrl-C: the run ends at the next step, files are closed properly, then the program exits.
static volatile int cancelled;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    cancelled = 1;
}

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

// ---------------------------------------------------------------------------------------------- settings

typedef struct Overrides {
    Given        given;
    List         records;       // owned names
    bool         chose_until;   // nobody said when to end
    orr_input   *inputs;        // heap; with the patience of --wait
    orr_send    *sends;         // heap; those of the command line and the experiment's
    List         texts;         // heap; what they borrow
    size_t       n_unasked;     // expectations of the experiment, which the command line has changed
} Overrides;

static bool apply_method(const Settings *s, orr_experiment *e, orr_diag *diag)
{
    bool ok = given_is_positive("E409", "step", "give one such as --step 0.01", s->step, diag);
    ok &= given_is_positive("E415", "tolerance", "give one such as --tol 1e-8", s->tol, diag);
    ok &= given_is_positive("E415", "tolerance", "give one such as --abs 1e-10", s->abs, diag);
    ok &= given_is_positive("E409", "largest step", "leave --max-step out for no limit", s->max_step, diag);
    if (!isnan(s->step)) {
        e->run.step = s->step;
        if (e->missing && strcmp(e->missing, "timestep") == 0) e->missing = NULL;
    }
    ok &= given_is_positive("E409", "step of paths", "give one such as --path 0.001", s->path, diag);
    if (!isnan(s->path)) e->run.path = s->path;
    if (!isnan(s->tol)) e->run.tolerance = s->tol;
    if (!isnan(s->abs)) e->run.absolute = s->abs;
    if (!isnan(s->max_step)) e->run.max_step = s->max_step;
    if (!isnan(s->max_time)) e->run.max_seconds = s->max_time;
    ok &= given_is_positive("E417", "quantum", "give one such as --quantum 1e-4", s->quantum, diag);
    if (!isnan(s->quantum)) {    // of all states
        e->run.quantum = s->quantum;
        e->run.relative_quantum = e->run.least_quantum = 0;
        e->run.n_quanta = 0;
    }
    if (s->solver) e->run.solver = s->solver;
    given_unused("--tol", s->tol, e, diag);
    given_unused("--abs", s->abs, e, diag);
    given_unused("--max-step", s->max_step, e, diag);
    given_unused("--quantum", s->quantum, e, diag);
    ok &= given_seed(s->seed, &e->run, diag);
    ok &= given_number(s->number, &e->run, diag);
    if (!s->update) return ok;
    const bool in_place = strcmp(s->update, "in-place") == 0;
    const char *method = in_place ? "semi-implicit euler" : "euler";
    if (!in_place && strcmp(s->update, "synchronous") != 0) {
        usage_error(diag, "E022", "synchronous is explicit Euler, in-place semi-implicit Euler",
                    "option '--update' needs synchronous or in-place, not '%s'", s->update);
        return false;
    }
    if (s->solver && strcmp(s->solver, method) != 0) {
        usage_error(diag, "E025", "--update chooses between the two ways of an Euler step",
                    "'--solver %s' and '--update %s' exclude each other", s->solver, s->update);
        return false;
    }
    e->run.solver = method;
    return ok;
}

// Sources and targets outside of the program.
static bool apply_io(const Settings *s, Overrides *over, orr_experiment *e, orr_diag *diag)
{
    bool ok = given_is_positive("E022", "--wait", "give seconds, such as --wait 60", s->wait, diag);
    if (s->realtime < 0 || (s->realtime != 0 && !(s->realtime < 1e9))) {
        usage_error(diag, "E022", "1 is real time, 2 twice as fast",
                    "option '--realtime' needs a positive number, not '%g'", s->realtime);
        ok = false;
    }
    e->realtime = s->realtime;
    e->run.allow_io = s->allow_io;
    over->inputs = calloc(e->run.n_inputs + 1, sizeof *over->inputs);
    over->sends = calloc(e->n_sends + s->sends.n + 1, sizeof *over->sends);
    if (!over->inputs || !over->sends) abort();
    for (size_t i = 0; i < e->run.n_inputs; i++) {
        over->inputs[i] = e->run.inputs[i];
        if (!isnan(s->wait)) over->inputs[i].patience = s->wait;
    }
    e->run.inputs = over->inputs;
    for (size_t i = 0; i < e->n_sends; i++) over->sends[i] = e->sends[i];
    for (size_t i = 0; i < s->sends.n; i++) {
        char *memory = NULL;
        ok &= orr_send_read(s->sends.items[i], &over->sends[e->n_sends++], &memory, diag);
        list_add(&over->texts, memory);
    }
    e->sends = over->sends;
    return ok;
}

// Where nothing does, the instants of events are the rows to show.
static bool moves_between_events(const orr_model *model)
{
    const orr_model_facts facts = orr_model_get_facts(model);
    return facts.n_states + facts.n_equations + facts.n_relations > 0;
}

static bool apply_options(const Settings *s, const Session *session, Overrides *over, orr_experiment *e,
                          orr_diag *diag)
{
    bool ok = given_read(&over->given, &s->opening.set, session, e, diag);

    if (!isnan(s->from)) e->from = s->from;
    if (!isnan(s->until)) e->until = s->until;
    else if (isnan(e->until)) e->until = e->from + 10, over->chose_until = true;
    if (!isnan(s->every)) e->every = s->every;
    else if (e->every == 0 && !*e->name && moves_between_events(session->model))
        e->every = (e->until - e->from) / 500;
    ok &= apply_method(s, e, diag);
    ok &= apply_io(s, over, e, diag);
    given_records(s->record, &over->records, e);
    ok &= given_is_positive("E022", "--checkpoint-every", "give an interval of the model's time",
                            s->checkpoint_every, diag);
    if (!isnan(s->checkpoint_every) && !s->checkpoint) {
        usage_error(diag, "E023", "--checkpoint FILE says where to",
                    "a file for '--checkpoint-every' is missing");
        ok = false;
    }
    e->checkpoint = s->checkpoint;
    e->checkpoint_every = isnan(s->checkpoint_every) ? 0 : s->checkpoint_every;
    e->resume = s->resume;
    // what is expected belongs to the question as written: other parameters and times are another question
    if (s->opening.set.n > 0 || s->drives.n > 0 || !isnan(s->from) || !isnan(s->until) || !isnan(s->seed) ||
        s->resume || !isnan(s->number) || e->replications > 0 || e->precision > 0) {
        over->n_unasked = e->n_expects;
        e->n_expects = 0;
    }
    e->run.cancel = &cancelled;
    return ok;
}

static void free_overrides(Overrides *over)
{
    free(over->inputs);
    free(over->sends);
    names_free(&over->texts);
    given_free(&over->given);
    names_free(&over->records);
}

// ---------------------------------------------------------------------------------------------- progress

typedef struct Progress {
    double started_ms;
    bool   shown;
} Progress;

static bool show_progress(void *self, double t, double from, double until)
{
    Progress *p = self;
    const double elapsed = now_ms() - p->started_ms;
    if (elapsed < 500) return true;    // short runs say nothing
    const double share = until > from ? (t - from) / (until - from) : 0;
    const double left = share > 0 ? elapsed / share * (1 - share) / 1e3 : 0;
    fprintf(stderr, "\r%3.0f %%  t = %-12.6g %6.0f s left ", 100 * share, t, left);
    fflush(stderr);
    p->shown = true;
    return true;
}

static bool end_progress(void *self, orr_status status)
{
    (void)status;
    if (((Progress *)self)->shown) fputs("\r\033[K", stderr);
    return true;
}

// ---------------------------------------------------------------------------------------------- reporting

static void print_stats(const Session *session, const orr_outcome *outcome, double started_ms)
{
    const orr_model_facts model = orr_model_get_facts(session->model);
    const orr_run_facts *run = &outcome->facts;
    fprintf(stderr,
            "states: %zu\nequations: %zu\nloops: %zu\nsolver: %s\nsteps: %zu\nrhs_evaluations: %zu\n"
            "rejected: %zu\n"
            "events: %zu\nrows: %zu\ncompile_ms: %.3f\nsimulate_ms: %.3f\ntotal_ms: %.3f\ncode: %s\n",
            model.n_states, model.n_equations, model.n_loops, run->solver ? run->solver : "none",
            run->n_steps, run->n_rates, run->n_rejected, run->n_events, outcome->n_rows, model.compile_ms,
            run->simulate_ms, now_ms() - started_ms, model.code);
}

// Where the claims of the frame ended to hold.
static void print_left(const Session *session, const orr_experiment *e, const orr_left *left)
{
    const char *frame = e->frame ? e->frame->name : "";
    printf("  outside its frame%s%s from t = %.6g %s: ", *frame ? " " : "", frame, left->t,
           orr_model_time_unit(session->model));
    if (isnan(left->low)) printf("%s\n", left->name);
    else
        printf("%s in %g..%g, up to %.6g at t = %.6g\n", left->name, left->low, left->high, left->worst,
               left->t_worst);
}

static void print_summary(const Session *session, const orr_experiment *e, const orr_outcome *outcome,
                          const char *output)
{
    const orr_run_facts *run = &outcome->facts;
    printf("%s%s%s: ", orr_model_name(session->model), *e->name ? ", " : "", e->name);
    if (run->solver) printf("%s, %zu steps, ", run->solver, run->n_steps);
    if (run->n_instants)
        printf("%zu instants, %zu transitions, %zu messages, ", run->n_instants, run->n_transitions,
               run->n_messages);
    printf("t = %.6g to %.6g %s\n", e->from, outcome->t, orr_model_time_unit(session->model));
    if (e->realtime > 0)
        printf("  real time: %zu instants, %zu of them late\n", outcome->n_instants, outcome->n_late);
    if (run->solver_reason) printf("  chosen by auto: %s\n", run->solver_reason);
    if (run->n_events) printf("  %zu event%s\n", run->n_events, run->n_events == 1 ? "" : "s");
    if (run->terminated) printf("  ended by the model: %s\n", run->terminated);
    if (run->n_reruns)
        printf("  the terminal region ran it again %zu time%s\n", run->n_reruns,
               run->n_reruns == 1 ? "" : "s");
    for (size_t i = 0; i < outcome->n_results; i++)
        printf("  %s = %.10g\n", outcome->results[i].name, outcome->results[i].value);
    for (size_t i = 0; i < outcome->n_left; i++) print_left(session, e, &outcome->left[i]);
    if (outcome->is_over) printf("  stopped at t = %.6g, as its frame asks\n", outcome->t);
    for (size_t i = 0; i < outcome->n_verdicts; i++) {
        const orr_verdict *v = &outcome->verdicts[i];
        printf("  %s %s = %.10g, expected %.10g within %g\n", v->holds ? "ok" : "FAILED", v->expect->name,
               v->found, v->expect->value, v->expect->within);
    }
    if (output) printf("  %zu rows in %s\n", outcome->n_rows, output);
    if (e->replications > 0 || e->precision > 0)
        puts("  one run; 'orrery replicate' makes all that the experiment asks for");
}

// ---------------------------------------------------------------------------------------------- the command

// Files of a run, and all that is told of it while it goes on.
typedef struct Outputs {
    const char     *rows_path, *pieces_path;    // NULL: none
    orr_csv        *csv;
    orr_event_csv  *events;
    orr_piece_csv  *pieces;
    orr_trace_file *trace;
    orr_sink        sinks[6];    // with a table and the progress
    size_t          n_sinks;
} Outputs;

// False, reported, if something was not written.
static bool close_outputs(const Outputs *o)
{
    limits_rescue(NULL);
    bool written = !o->csv || orr_csv_close(o->csv);
    if (o->events) written = orr_event_csv_close(o->events) && written;
    if (o->pieces) written = orr_piece_csv_close(o->pieces) && written;
    if (o->trace) written = orr_trace_file_close(o->trace) && written;
    return written;
}

// False, reported, if a file cannot be written; those that are open are to be closed then, too.
static bool open_outputs(Outputs *o, const Settings *s, const orr_experiment *e, orr_diag *diag)
{
    // an experiment may ask for polynomials in the file of the rows instead
    const bool instead = e->as_polynomials && !s->polynomials;
    *o = (Outputs){ .rows_path = instead ? NULL : s->output,
                    .pieces_path = instead ? s->output : s->polynomials };
    if (o->rows_path) {
        o->csv = orr_csv_create(o->rows_path, diag);
        if (!o->csv) return false;
        o->sinks[o->n_sinks++] = orr_csv_sink(o->csv);
        limits_rescue(&o->sinks[0]);
    }
    if (s->events) {
        o->events = orr_event_csv_create(s->events, diag);
        if (!o->events) return false;
        o->sinks[o->n_sinks++] = orr_event_csv_sink(o->events);
    }
    o->trace = s->trace ? orr_trace_file_create(s->trace, diag) : NULL;
    o->pieces = o->pieces_path ? orr_piece_csv_create(o->pieces_path, diag) : NULL;
    if ((s->trace && !o->trace) || (o->pieces_path && !o->pieces)) return false;
    if (o->pieces) o->sinks[o->n_sinks++] = orr_piece_csv_sink(o->pieces);
    if (o->trace) o->sinks[o->n_sinks++] = orr_trace_file_sink(o->trace);
    return true;
}

// The first thing that went wrong is what the program ends with.
static void note(orr_status *status, bool is_well, orr_status otherwise)
{
    if (!is_well && *status == ORR_STATUS_OK) *status = otherwise;
}

// Where the statistics are; NULL: nowhere.
static const char *write_statistics(const Settings *s, const orr_outcome *outcome, const char *beside,
                                    orr_status *status, orr_diag *diag)
{
    const char *path = s->statistics ? s->statistics : beside;
    if (s->statistics && outcome->n_distributions == 0 && *status == ORR_STATUS_OK) {
        usage_error(diag, "E023",
                    "name them in the experiment: statistics desk.waits percentiles 50, 95 histogram 20 bins",
                    "what '--statistics' writes is missing");
        *status = ORR_STATUS_USAGE;
    }
    if (!path || outcome->n_distributions == 0) return NULL;
    note(status, orr_distributions_write(outcome->distributions, outcome->n_distributions, path, diag),
         ORR_STATUS_SYSTEM);
    return path;
}

static void tell_unasked(const orr_experiment *e, const Overrides *over)
{
    if (over->n_unasked && e->replications == 0 && e->precision == 0)
        printf("  %zu expectation%s not checked: --set, --input, "
               "--from, --until, --seed or --resume changed the experiment\n",
               over->n_unasked, over->n_unasked == 1 ? "" : "s");
    if (over->chose_until) puts("  until 10, since nothing says when to end; --until T does");
}

static orr_status simulate(const Settings *s, const Session *session, orr_experiment *e,
                           const Overrides *over, double started_ms, orr_diag *diag)
{
    bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    for (size_t i = 0; i < e->n_sends; i++) to_stdout |= strcmp(e->sends[i].target, "stdout") == 0;
    PlotRequest request;
    if (!results_read_plots(&request, &s->plot, e, diag))
        return results_free_plots(&request), ORR_STATUS_USAGE;
    // what is drawn is recorded, and must exist
    e->plots = request.plots;
    e->n_plots = request.n_plots;

    // where rows go: a file, the plots, a look
    Outputs o;
    if (!open_outputs(&o, s, e, diag)) {
        close_outputs(&o);
        return results_free_plots(&request), ORR_STATUS_SYSTEM;
    }
    orr_table *table = NULL;
    const bool looks = !s->quiet && !s->output && !to_stdout;
    if (looks || request.n_files) {
        table = orr_table_create(request.n_files ? 200000 : 4000);
        o.sinks[o.n_sinks++] = orr_table_sink(table);
    }
    Progress progress = { started_ms, false };
    const orr_sink shows = { .progress = show_progress, .end = end_progress, .self = &progress };
    if (isatty(STDERR_FILENO) && !s->quiet) o.sinks[o.n_sinks++] = shows;

    // a second Ctrl-C kills
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    orr_outcome outcome = orr_simulate(session->model, e, o.sinks, o.n_sinks, diag);

    orr_status status = outcome.status;
    const bool written = close_outputs(&o);
    note(&status, written, ORR_STATUS_SYSTEM);
    note(&status, !(s->strict && outcome.facts.n_violations), ORR_STATUS_NOT_VALIDATED);
    if (table && outcome.n_rows > 0) {
        if (looks) note(&status, results_show(table, &request, diag), ORR_STATUS_USAGE);
        note(&status,
             results_draw(table, outcome.distributions, outcome.n_distributions, &request,
                          orr_model_name(session->model), !s->quiet && !to_stdout, diag),
             ORR_STATUS_SYSTEM);
    }
    char *beside = results_beside(s->output, "statistics");
    const char *statistics_path = write_statistics(s, &outcome, beside, &status, diag);
    if (!s->quiet && !to_stdout && (outcome.n_rows > 0 || (o.pieces_path && status == ORR_STATUS_OK))) {
        print_summary(session, e, &outcome, written ? o.rows_path : NULL);
        if (o.pieces_path && written) printf("  polynomials in %s\n", o.pieces_path);
        results_print_statistics(outcome.distributions, outcome.n_distributions, stdout);
        if (statistics_path) printf("  statistics in %s\n", statistics_path);
        tell_unasked(e, over);
    }
    if (s->stats) print_stats(session, &outcome, started_ms);
    orr_table_destroy(table);
    results_free_plots(&request);
    orr_outcome_free(&outcome);
    free(beside);
    return status;
}

// Sequences instead of times: no solver, no plot.
static int run_machine(const Settings *s, orr_machine *machine, orr_diag *diag)
{
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    const MachineRun how = {
        .inputs = s->inputs, .from = s->from_text, .output = s->output, .seed = s->seed, .quiet = s->quiet
    };
    const int status = machine_run(machine, &how, diag);
    orr_machine_destroy(machine);
    return status;
}

static bool read_from(Settings *s, orr_diag *diag)
{
    s->from = NAN;
    if (!s->from_text || (orr_parse_number(s->from_text, &s->from) && isfinite(s->from))) return true;
    usage_error(diag, "E022", "write a number such as 0.01 or 1e-6; only a machine starts from a state",
                "option '--from' needs a number, not '%s'", s->from_text);
    return false;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    Settings given = *(const Settings *)settings, *s = &given;
    const double started_ms = now_ms();
    if (!given_is_positive("E022", "limit of time", "give seconds, such as --max-time 60", s->max_time,
                           diag) ||
        !given_is_positive("E022", "limit of memory", "give megabytes, such as --max-memory 1000",
                           s->max_memory, diag))
        return ORR_STATUS_USAGE;
    if (!isnan(s->max_time)) limits_time(s->max_time);
    if (!isnan(s->max_memory)) limits_memory(s->max_memory);
    const char *path = arguments->items[0];
    if (s->inputs || s->machine || orr_machine_is_file(path))
        return run_machine(s, machine_get(path, s->machine, diag), diag);
    Session session;
    const SessionOptions open = { .opening = &s->opening,
                                  .path = path,
                                  .experiment = arguments->n > 1 ? arguments->items[1] : NULL,
                                  .solver = s->update && strcmp(s->update, "in-place") == 0
                                                ? "semi-implicit euler"
                                                : s->solver,
                                  .takes_machines = true,
                                  .inputs = &s->drives };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK && !session.model) {
        status = (orr_status)run_machine(s, orr_machine_build(session.source, NULL, diag), diag);
    } else if (status == ORR_STATUS_OK && !read_from(s, diag)) {
        status = ORR_STATUS_USAGE;
    } else if (status == ORR_STATUS_OK) {
        orr_experiment experiment = session.experiment;
        Overrides over = { 0 };
        if (apply_options(s, &session, &over, &experiment, diag))
            status = simulate(s, &session, &experiment, &over, started_ms, diag);
        else status = ORR_STATUS_USAGE;
        free_overrides(&over);
    }
    session_close(&session);
    return (int)status;
}

const Command command_run = {
    .name = "run",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Simulate a model",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
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
};
