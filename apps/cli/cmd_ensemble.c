// apps/cli/cmd_ensemble.c: `orrery ensemble`: one experiment for many sets of parameters.
#include "commands.h"
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Settings {
    Opening     opening;
    const char *members, *output, *record, *lanes, *solver;
    double      threads, until, step, every, tol, seed;
    bool        common, fast, stats, quiet;
} Settings;

static const Option options[] = {
    { "--members", OPTION_TEXT, "FILE",
      "CSV: a row for each member, a column for each parameter or initial value",
      offsetof(Settings, members) },
    { "-o", OPTION_TEXT, "FILE", "write the rows of all members as CSV; - is standard output",
      offsetof(Settings, output) },
    { "--until", OPTION_NUMBER, "T", "end of each run", offsetof(Settings, until) },
    { "--every", OPTION_NUMBER, "DT", "record at this interval; 0 (default): only the end",
      offsetof(Settings, every) },
    { "--record", OPTION_TEXT, "A,B", "what to record (default: the outputs, or the states)",
      offsetof(Settings, record) },
    { "--solver", OPTION_TEXT, "S", "method; those with explicit steps compute many members at once",
      offsetof(Settings, solver) },
    { "--step", OPTION_NUMBER, "H", "step of fixed-step solvers", offsetof(Settings, step) },
    { "--tol", OPTION_NUMBER, "R", "relative tolerance", offsetof(Settings, tol) },
    { "--seed", OPTION_NUMBER, "N", "what is drawn at random depends on it (default: 1)",
      offsetof(Settings, seed) },
    { "--common", OPTION_FLAG, NULL, "all members draw the same random numbers", offsetof(Settings, common) },
    { "--threads", OPTION_NUMBER, "N", "threads (default: one for each processor)",
      offsetof(Settings, threads) },
    { "--lanes", OPTION_TEXT, "auto|never|always", "members side by side in vector instructions",
      offsetof(Settings, lanes) },
    { "--fast", OPTION_FLAG, NULL, "allow fused operations in lanes: faster, with other last bits",
      offsetof(Settings, fast) },
    { "--stats", OPTION_FLAG, NULL, "print counts and times to standard error", offsetof(Settings, stats) },
    { "--quiet", OPTION_FLAG, NULL, "print no summary", offsetof(Settings, quiet) },
    CODE_OPTION(Settings),
    OPENING_OPTIONS(Settings),
};

enum { FAILURES_SHOWN = 5 };

static volatile int cancelled;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    cancelled = 1;
}

// ---------------------------------------------------------------------------------------------- what goes in

typedef struct Members {
    orr_table   *table;
    const char **names;     // [n_names]
    size_t       n_names;
    double      *values;    // [n][n_names]
    size_t       n;
} Members;

static bool read_members(Members *m, const char *path, orr_diag *diag)
{
    m->table = orr_table_read(path, diag);
    if (!m->table) return false;
    m->n_names = orr_table_n_columns(m->table);
    m->n = orr_table_n_rows(m->table);
    m->names = calloc(m->n_names + 1, sizeof *m->names);
    m->values = calloc(m->n * m->n_names + 1, sizeof *m->values);
    if (!m->names || !m->values) orr_no_memory(m->n * m->n_names * sizeof *m->values);
    for (size_t k = 0; k < m->n_names; k++) {
        const double *column = orr_table_column(m->table, k);
        m->names[k] = orr_table_name(m->table, k);
        for (size_t i = 0; i < m->n; i++) m->values[i * m->n_names + k] = column[i];
    }
    return true;
}

static void free_members(Members *m)
{
    orr_table_destroy(m->table);
    free(m->names);
    free(m->values);
}

static bool apply_options(const Settings *s, orr_experiment *e, orr_diag *diag)
{
    bool ok = given_is_positive("E409", "step", "give one such as --step 0.01", s->step, diag);
    ok &= given_is_positive("E415", "tolerance", "give one such as --tol 1e-8", s->tol, diag);
    ok &= given_is_positive("E022", "number of threads", "give one such as --threads 2", s->threads, diag);
    if (!isnan(s->until)) e->until = s->until;
    e->every = isnan(s->every) ? 0 : s->every;
    if (!isnan(s->step)) e->run.step = s->step;
    if (!isnan(s->tol)) e->run.tolerance = s->tol;
    if (s->solver) e->run.solver = s->solver;
    given_unused("--tol", s->tol, e, diag);
    ok &= given_seed(s->seed, &e->run, diag);
    return ok;
}

// ---------------------------------------------------------------------------------------------- what comes
// out

typedef struct Output {
    orr_csv       *csv;         // NULL: none
    orr_sink       sink;
    const Members *members;
    double        *row;
    size_t         n_columns, n_failed, n_violated;
    bool           shows_progress, has_shown;
    orr_diag      *diag;
} Output;

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Output *out = self;
    const size_t n_given = out->members->n_names;
    (void)units;
    out->n_columns = n;
    out->row = calloc(1 + n_given + n, sizeof *out->row);
    const char **all = calloc(1 + n_given + n, sizeof *all),
               **no_units = calloc(1 + n_given + n, sizeof *no_units);
    if (!out->row || !all || !no_units) orr_no_memory(n * sizeof *all);
    all[0] = "member";
    for (size_t i = 0; i < n_given; i++) all[1 + i] = out->members->names[i];
    for (size_t i = 0; i < n; i++) all[1 + n_given + i] = names[i];
    const bool ok = !out->csv || out->sink.begin(out->sink.self, all, no_units, 1 + n_given + n, time_unit);
    free(all);
    free(no_units);
    return ok;
}

static bool take_member(void *self, const orr_member *member)
{
    Output *out = self;
    const size_t n_given = out->members->n_names;
    if (member->status != ORR_STATUS_OK && out->n_failed++ < FAILURES_SHOWN) {
        char text[600];
        snprintf(text, sizeof text, "member %zu failed at t = %.10g: %s", member->index + 1, member->t,
                 member->failure ? member->failure : orr_status_text(member->status));
        orr_diag_add(out->diag, "E509", text, NULL);
    }
    if (member->n_violations && out->n_violated++ < FAILURES_SHOWN) {
        char text[600];
        snprintf(text, sizeof text, "in member %zu a claim does not hold: %s", member->index + 1,
                 member->violation ? member->violation : "");
        orr_diag_add(out->diag, "W633", text, NULL);
    }
    if (!out->csv) return true;
    out->row[0] = (double)member->index + 1;
    for (size_t i = 0; i < n_given; i++) out->row[1 + i] = out->members->values[member->index * n_given + i];
    bool ok = true;
    for (size_t i = 0; ok && i < member->n_rows; i++) {
        memcpy(out->row + 1 + n_given, member->rows + i * out->n_columns, out->n_columns * sizeof *out->row);
        ok = out->sink.row(out->sink.self, member->times[i], out->row, 1 + n_given + out->n_columns);
    }
    return ok;
}

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    Output *out = self;
    if (!out->shows_progress) return true;
    fprintf(stderr, "\r%3.0f %%  %zu of %zu members ", 100 * (double)n_done / (double)n_members, n_done,
            n_members);
    out->has_shown = true;
    return true;
}

// ---------------------------------------------------------------------------------------------- the command

static orr_status compute(const Settings *s, const Session *session, orr_experiment *e,
                          const Members *members, orr_diag *diag)
{
    orr_ensemble_options o = orr_ensemble_options_default();
    if (!given_lanes(s->lanes, &o.lanes, diag)) return ORR_STATUS_USAGE;
    o.names = members->names;
    o.n_names = members->n_names;
    o.values = members->values;
    o.n_members = members->n;
    o.fast = s->fast;
    o.common = s->common;
    o.cancel = &cancelled;
    if (!isnan(s->threads)) o.n_threads = (size_t)fmin(s->threads, 1e6);
    Output out = { .members = members, .diag = diag, .shows_progress = isatty(STDERR_FILENO) && !s->quiet };
    if (s->output) {
        out.csv = orr_csv_create(s->output, diag);
        if (!out.csv) return ORR_STATUS_SYSTEM;
        out.sink = orr_csv_sink(out.csv);
    }
    // a second Ctrl-C kills
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const orr_member_sink sink = { begin, take_member, show_progress, &out };
    orr_ensemble_facts facts = { 0 };
    orr_status status = orr_ensemble_run(session->model, e, &o, &sink, &facts, diag);
    if (out.has_shown) fputs("\r\033[K", stderr);
    if (out.csv && out.row && !out.sink.end(out.sink.self, status) && status == ORR_STATUS_OK)
        status = ORR_STATUS_SYSTEM;
    if (out.csv && !orr_csv_close(out.csv) && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
    free(out.row);
    if (status == ORR_STATUS_OK && facts.n_failed) status = ORR_STATUS_FAILED;
    if (!s->quiet && status != ORR_STATUS_USAGE && !(s->output && strcmp(s->output, "-") == 0)) {
        printf("%s: %zu of %zu members in %.3g s, %zu threads%s%s\n", orr_model_name(session->model),
               facts.n_done, members->n, facts.simulate_ms / 1e3, facts.n_threads,
               facts.n_in_lanes ? ", many at once" : "",
               s->fast && facts.n_in_lanes ? " with fused operations: the last digits depend on the machine"
                                           : "");
        if (facts.one_by_one && o.lanes == ORR_LANES_ALWAYS)
            printf("  one by one: %s\n", facts.one_by_one);
        if (facts.n_failed) printf("  %zu failed\n", facts.n_failed);
        if (facts.n_violated) printf("  in %zu a claim does not hold\n", facts.n_violated);
        if (s->output) printf("  rows in %s\n", s->output);
    }
    if (s->stats)
        fprintf(stderr,
                "members: %zu\nfailed: %zu\nviolated: %zu\nin_lanes: %zu\none_by_one: %s\nthreads: %zu\n"
                "fast: %d\nsimulate_ms: %.3f\n",
                facts.n_done, facts.n_failed, facts.n_violated, facts.n_in_lanes,
                facts.one_by_one ? facts.one_by_one : "", facts.n_threads, s->fast, facts.simulate_ms);
    return status;
}

static orr_status work(const void *settings, const Session *session, orr_experiment *e, bool ok,
                       orr_diag *diag)
{
    const Settings *s = settings;
    Members members = { 0 };
    List records = { 0 };
    ok &= apply_options(s, e, diag);
    given_records(s->record, &records, e);
    ok &= read_members(&members, s->members, diag);
    const orr_status status = ok ? compute(s, session, e, &members, diag) : ORR_STATUS_USAGE;
    free_members(&members);
    names_free(&records);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!s->members) {
        usage_error(diag, "E023", "a CSV with a row for each member, such as: K,M",
                    "'--members FILE' is missing");
        return ORR_STATUS_USAGE;
    }
    const SessionOptions open = { .opening = &s->opening };
    return session_do(&open, arguments, settings, work, diag);
}

const Command command_ensemble = {
    .name = "ensemble",
    .arguments = "FILE [EXPERIMENT] --members MEMBERS.csv",
    .summary = "run an experiment for many sets of parameters",
    .details =
        "Each row of MEMBERS.csv is a member; its columns are parameters, "
        "inputs or initial values, by name. Results have\n"
        "the same bits whatever the number of threads and whether members "
        "are computed one by one or many at once.\n"
        "Members that fail are told and leave the others alone; the exit code is then 3.\n\n"
        "Example:\n\n"
        "  orrery ensemble examples/lotka_volterra.orr --members "
        "examples/lotka_volterra_members.csv --until 15 -o all.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
};
