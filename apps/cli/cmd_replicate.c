// apps/cli/cmd_replicate.c: `orrery replicate`: an experiment again and again with other luck; means and how
// sure they are.
#include "commands.h"
#include "results.h"
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Settings {
    Opening     opening;
    const char *output, *summary, *statistics, *record, *precise, *solver, *lanes;
    List        plot;
    double replications, warm_up, precision, confidence, at_least, at_most, threads, until, step, every, tol,
        seed;
    bool        stats, quiet;
} Settings;

static const Option options[] = {
    { "--replications", OPTION_NUMBER, "N", "how often (default: as the experiment says, or 10)",
      offsetof(Settings, replications) },
    { "--warm-up", OPTION_NUMBER, "T", "rows of the first T do not count", offsetof(Settings, warm_up) },
    { "--precision", OPTION_NUMBER, "P", "go on until half of each interval is at most P of its mean",
      offsetof(Settings, precision) },
    { "--precise", OPTION_TEXT, "A,B",
      "what must be precise: x at the end, mean(x) of its rows (default: all)", offsetof(Settings, precise) },
    { "--confidence", OPTION_NUMBER, "C", "of the intervals (default: 0.95)",
      offsetof(Settings, confidence) },
    { "--at-least", OPTION_NUMBER, "N", "replications before the precision is looked at (default: 10)",
      offsetof(Settings, at_least) },
    { "--at-most", OPTION_NUMBER, "N", "replications while it is not reached (default: 10000)",
      offsetof(Settings, at_most) },
    { "--seed", OPTION_NUMBER, "N", "what is drawn at random depends on it (default: 1)",
      offsetof(Settings, seed) },
    { "-o", OPTION_TEXT, "FILE", "write a row for each replication as CSV; - is standard output",
      offsetof(Settings, output) },
    { "--summary", OPTION_TEXT, "FILE", "write the means and intervals as CSV", offsetof(Settings, summary) },
    { "--statistics", OPTION_TEXT, "FILE",
      "write the statistics as CSV, of all together (default: beside -o, FILE-statistics.csv)",
      offsetof(Settings, statistics) },
    { "--plot", OPTION_LIST, "FILE|WHAT",
      "draw histograms to .svg, .png or .pdf; or what: 'histogram of a.times'", offsetof(Settings, plot) },
    { "--until", OPTION_NUMBER, "T", "end of each run", offsetof(Settings, until) },
    { "--every", OPTION_NUMBER, "DT", "record rows, whose means are observed too",
      offsetof(Settings, every) },
    { "--record", OPTION_TEXT, "A,B", "what is observed (default: the outputs, or the states)",
      offsetof(Settings, record) },
    { "--solver", OPTION_TEXT, "S", "method", offsetof(Settings, solver) },
    { "--step", OPTION_NUMBER, "H", "step of fixed-step solvers", offsetof(Settings, step) },
    { "--tol", OPTION_NUMBER, "R", "relative tolerance", offsetof(Settings, tol) },
    { "--threads", OPTION_NUMBER, "N", "threads (default: one for each processor)",
      offsetof(Settings, threads) },
    { "--lanes", OPTION_TEXT, "auto|never|always", "replications side by side in vector instructions",
      offsetof(Settings, lanes) },
    { "--stats", OPTION_FLAG, NULL, "print counts and times to standard error", offsetof(Settings, stats) },
    { "--quiet", OPTION_FLAG, NULL, "print no table", offsetof(Settings, quiet) },
    CODE_OPTION(Settings),
    OPENING_OPTIONS(Settings),
};

static volatile int cancelled;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    cancelled = 1;
}

// ---------------------------------------------------------------------------------------------- what goes in

static bool within(const char *option, double value, double low, double high, bool is_whole, const char *hint,
                   orr_diag *diag)
{
    if (isnan(value) || (value >= low && value <= high && (!is_whole || value == floor(value)))) return true;
    char number[40];
    orr_format_number(value, number);
    usage_error(diag, "E022", hint, "option '%s' needs %s, not '%s'", option,
                is_whole ? "a whole number" : "a number", number);
    return false;
}

static bool apply_options(const Settings *s, orr_experiment *e, orr_replicate_options *o, orr_diag *diag)
{
    const double most = ORR_REPLICATIONS_MAX;
    bool ok = given_is_positive("E409", "step", "give one such as --step 0.01", s->step, diag);
    ok &= given_is_positive("E415", "tolerance", "give one such as --tol 1e-8", s->tol, diag);
    ok &= given_is_positive("E022", "number of threads", "give one such as --threads 2", s->threads, diag);
    ok &= within("--replications", s->replications, 2, most, true, "from 2 on", diag);
    ok &= within("--at-least", s->at_least, 2, most, true, "from 2 on", diag);
    ok &= within("--at-most", s->at_most, 2, most, true, "from 2 on", diag);
    ok &= within("--warm-up", s->warm_up, 0, 1e300, false, "it is a time", diag);
    ok &= within("--precision", s->precision, 1e-9, 1, false, "a part of the mean, such as 0.05", diag);
    ok &= within("--confidence", s->confidence, 0.01, 0.999999, false, "a probability, such as 0.95", diag);
    ok &= given_seed(s->seed, &e->run, diag);
    ok &= given_lanes(s->lanes, &o->lanes, diag);
    if (!ok) return false;
    if (!isnan(s->until)) e->until = s->until;
    if (!isnan(s->every)) e->every = s->every;
    if (!isnan(s->step)) e->run.step = s->step;
    if (!isnan(s->tol)) e->run.tolerance = s->tol;
    if (s->solver) e->run.solver = s->solver;
    given_unused("--tol", s->tol, e, diag);
    if (!isnan(s->warm_up)) e->warm_up = s->warm_up;
    if (!isnan(s->precision)) e->precision = s->precision;
    if (!isnan(s->confidence)) e->confidence = s->confidence;
    if (!isnan(s->replications)) e->replications = (size_t)s->replications;
    if (!isnan(s->replications) && isnan(s->precision)) e->precision = 0;    // so many, whatever comes out
    if (!isnan(s->precision) && isnan(s->replications)) e->replications = 0;
    if (!isnan(s->at_least)) o->at_least = (size_t)s->at_least;
    if (!isnan(s->at_most)) o->at_most = (size_t)s->at_most;
    if (!isnan(s->threads)) o->n_threads = (size_t)fmin(s->threads, 1e6);
    // what is expected belongs to the question as written
    if (s->opening.set.n > 0 || !isnan(s->until) || !isnan(s->seed) || !isnan(s->replications) ||
        !isnan(s->precision))
        e->n_expects = 0;
    return true;
}

// ---------------------------------------------------------------------------------------------- what comes
// out

typedef struct Output {
    orr_csv *csv;          // NULL: none
    orr_sink sink;
    double  *row;          // heap
    double   until;
    bool     has_begun, shows_progress, has_shown;
    double   last_shown;   // s on the clock
} Output;

static bool take(void *self, size_t index, const char *const *names, const double *values, size_t n)
{
    Output *out = self;
    if (!out->csv) return true;
    if (!out->has_begun) {
        const char **all = calloc(2 * (n + 1), sizeof *all);
        out->row = calloc(n + 1, sizeof *out->row);
        if (!all || !out->row) orr_no_memory(n * sizeof *all);
        all[0] = "replication";
        memcpy(all + 1, names, n * sizeof *all);
        out->has_begun = out->sink.begin(out->sink.self, all, all + n + 1, n + 1, NULL);
        free(all);
        if (!out->has_begun) return false;
    }
    out->row[0] = (double)index;
    memcpy(out->row + 1, values, n * sizeof *values);
    if (!out->sink.row(out->sink.self, out->until, out->row, n + 1)) return false;
    // written through now and then, so that what is complete survives whatever happens
    return !out->sink.progress || out->sink.progress(out->sink.self, 0, 0, 1);
}

static bool show_progress(void *self, size_t n_done, const orr_estimate *estimates, size_t n)
{
    Output *out = self;
    if (!out->shows_progress) return true;
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    const double now = (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
    if (now - out->last_shown < 0.2) return true;
    out->last_shown = now;
    fprintf(stderr, "\r\033[K%zu replications", n_done);
    if (n > 0 && n_done > 1)
        fprintf(stderr, ": %s = %.6g ± %.2g", estimates[0].name, estimates[0].mean, estimates[0].half);
    fflush(stderr);
    out->has_shown = true;
    return true;
}

static void print_estimates(const orr_replications *r)
{
    int width = 8;
    for (size_t i = 0; i < r->n_estimates; i++)
        if ((int)strlen(r->estimates[i].name) > width) width = (int)strlen(r->estimates[i].name);
    printf("  %-*s  %13s  %11s  %13s  %13s  %11s\n", width, "", "mean", "±", "from", "to", "deviation");
    for (size_t i = 0; i < r->n_estimates; i++) {
        const orr_estimate *e = &r->estimates[i];
        printf("  %-*s  %13.7g  %11.4g  %13.7g  %13.7g  %11.4g%s%s%s%s\n", width, e->name, e->mean, e->half,
               e->mean - e->half, e->mean + e->half, e->deviation, e->unit ? " [" : "",
               e->unit ? e->unit : "", e->unit ? "]" : "", e->is_precise ? "" : "  not precise yet");
    }
}

static bool write_summary(const char *path, const orr_replications *r, orr_diag *diag)
{
    FILE *file = fopen(path, "w");
    bool ok = file != NULL;
    if (ok) fputs("variable,n,mean,half_width,low,high,deviation,least,most\n", file);
    for (size_t i = 0; ok && i < r->n_estimates; i++) {
        const orr_estimate *e = &r->estimates[i];
        const double numbers[] = { e->mean,  e->half, e->mean - e->half, e->mean + e->half, e->deviation,
                                   e->least, e->most };
        fprintf(file, strpbrk(e->name, ",\"") ? "\"%s\",%zu" : "%s,%zu", e->name, e->n);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            char text[40];
            orr_format_number(numbers[k], text);
            fprintf(file, ",%s", text);
        }
        fputc('\n', file);
    }
    if (file) ok = ferror(file) == 0 && fclose(file) == 0;
    if (!ok) usage_error(diag, "E010", "choose another place", "cannot write '%s'", path);
    return ok;
}

// ---------------------------------------------------------------------------------------------- the command

// What all replications saw together: on the terminal, as CSV, as pictures.
static bool put_statistics(const Settings *s, const Session *session, const orr_replications *r,
                           const PlotRequest *request, bool says, orr_diag *diag)
{
    if (r->n_distributions == 0) return true;
    if (says) results_print_statistics(r->distributions, r->n_distributions, stdout);
    char *beside = results_beside(s->output, "statistics");
    const char *path = s->statistics ? s->statistics : beside;
    bool ok = !path || orr_distributions_write(r->distributions, r->n_distributions, path, diag);
    if (ok && path && says) printf("  statistics in %s\n", path);
    free(beside);
    ok &= results_draw(NULL, r->distributions, r->n_distributions, request, orr_model_name(session->model),
                       says, diag);
    return ok;
}

// Of the plots of the experiment only histograms are of all replications; without any, all that have bins.
static bool keep_histograms(PlotRequest *request, const Settings *s, const orr_experiment *e, orr_diag *diag)
{
    size_t n = 0;
    for (size_t i = 0; i < request->n_plots; i++) {
        if (request->plots[i].is_histogram) request->plots[n++] = request->plots[i];
        else free((void *)request->plots[i].ys);
    }
    if (n == 0 && request->n_files > 0) {
        orr_plot *plots = calloc(e->n_statistics + 1, sizeof *plots);
        if (!plots) orr_no_memory(e->n_statistics * sizeof *plots);
        free(request->plots);
        request->plots = plots;
        for (size_t i = 0; i < e->n_statistics; i++) {
            if (e->statistics[i].n_bins == 0) continue;
            List names = { 0 };
            list_add(&names, e->statistics[i].name);
            plots[n++] = (orr_plot){ .ys = names.items, .n_ys = 1, .is_histogram = true };
        }
    }
    request->n_plots = n;
    if (n > 0 || s->plot.n == 0) return true;
    usage_error(diag, "E412", "such as --plot 'histogram of desk.waits' --plot waits.svg",
                "cannot plot '%s': of replications only histograms of statistics are drawn",
                s->plot.items[0]);
    return false;
}

static orr_status compute(const Settings *s, const Session *session, const orr_experiment *e,
                          orr_replicate_options *o, const PlotRequest *request, orr_diag *diag)
{
    const bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    Output out = { .until = e->until, .shows_progress = isatty(STDERR_FILENO) && !s->quiet };
    if (s->output) {
        out.csv = orr_csv_create(s->output, diag);
        if (!out.csv) return ORR_STATUS_SYSTEM;
        out.sink = orr_csv_sink(out.csv);
    }
    // a second Ctrl-C kills
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    o->cancel = &cancelled;
    o->replication = take;
    o->progress = show_progress;
    o->context = &out;
    orr_replications r = orr_replicate(session->model, e, o, diag);
    orr_status status = r.status;
    if (out.has_shown) fputs("\r\033[K", stderr);
    if (out.csv && out.has_begun && !out.sink.end(out.sink.self, status) && status == ORR_STATUS_OK)
        status = ORR_STATUS_SYSTEM;
    if (out.csv && !orr_csv_close(out.csv) && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
    free(out.row);
    if (s->summary && r.n_done > 0 && !write_summary(s->summary, &r, diag) && status == ORR_STATUS_OK)
        status = ORR_STATUS_SYSTEM;
    if (!s->quiet && !to_stdout && r.n_done > 0) {
        printf("%s%s%s: %zu replication%s%s, seed %llu, intervals of confidence %g\n",
               orr_model_name(session->model), *e->name ? ", " : "", e->name, r.n_done,
               r.n_done == 1 ? "" : "s", r.n_in_lanes ? ", many at once" : "",
               (unsigned long long)e->run.seed, r.confidence);
        print_estimates(&r);
        if (status == ORR_STATUS_CANCELLED)
            puts("  ended early: the intervals are those of what was complete");
        if (e->precision > 0 && !r.is_precise)
            printf("  the precision %g was not reached; --at-most N allows more\n", e->precision);
        if (r.n_failed) printf("  %zu failed and do not count\n", r.n_failed);
        if (r.one_by_one && o->lanes == ORR_LANES_ALWAYS) printf("  one by one: %s\n", r.one_by_one);
        if (r.n_violated) printf("  in %zu a claim does not hold\n", r.n_violated);
        for (size_t i = 0; i < r.n_verdicts; i++)
            printf("  %s %s = %.10g, expected %.10g within %g\n", r.verdicts[i].holds ? "ok" : "FAILED",
                   r.verdicts[i].expect->name, r.verdicts[i].found, r.verdicts[i].expect->value,
                   r.verdicts[i].expect->within);
        if (s->output) printf("  rows in %s\n", s->output);
    }
    if (!put_statistics(s, session, &r, request, !s->quiet && !to_stdout, diag) && status == ORR_STATUS_OK)
        status = ORR_STATUS_SYSTEM;
    if (s->stats)
        fprintf(stderr,
                "replications: %zu\nfailed: %zu\nviolated: %zu\nin_lanes: %zu\none_by_one: %s\n"
                "threads: %zu\nsimulate_ms: %.3f\n",
                r.n_done, r.n_failed, r.n_violated, r.n_in_lanes, r.one_by_one ? r.one_by_one : "",
                r.n_threads, r.simulate_ms);
    if (status == ORR_STATUS_OK && r.n_failed) status = ORR_STATUS_FAILED;
    orr_replications_free(&r);
    return status;
}

static orr_status work(const void *settings, const Session *session, orr_experiment *e, bool ok,
                       orr_diag *diag)
{
    const Settings *s = settings;
    List records = { 0 }, precise = { 0 };
    orr_replicate_options o = orr_replicate_options_default();
    ok &= apply_options(s, e, &o, diag);
    given_records(s->record, &records, e);
    if (s->precise) {
        names_split(s->precise, &precise);
        e->precise = precise.items;
        e->n_precise = precise.n;
    }
    PlotRequest request;
    ok &= results_read_plots(&request, &s->plot, e, diag);
    ok = ok && keep_histograms(&request, s, e, diag);
    e->plots = request.plots;
    e->n_plots = request.n_plots;
    const orr_status status = ok ? compute(s, session, e, &o, &request, diag) : ORR_STATUS_USAGE;
    results_free_plots(&request);
    names_free(&records);
    names_free(&precise);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const SessionOptions open = { .opening = &s->opening };
    return session_do(&open, arguments, settings, work, diag);
}

const Command command_replicate = {
    .name = "replicate",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "repeat an experiment with other random numbers: means with confidence intervals",
    .details =
        "Each replication is a run with a number of its own, which decides with the seed what is drawn. "
        "Observed are the values of what\n"
        "is recorded at the end and, if rows are recorded, their means "
        "behind the warm-up. Results depend on neither threads nor\n"
        "machine; 'orrery run FILE --run I' shows replication I. The experiment may say all this itself:\n\n"
        "  replications 30\n  warm up 100\n  precision 0.05 of mean(x)\n\n"
        "Example:\n\n"
        "  orrery replicate examples/repair.orr --replications 30 -o each.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
};
