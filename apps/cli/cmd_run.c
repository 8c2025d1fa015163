// apps/cli/cmd_run.c: carry out an experiment, whatever its kind, and show what comes of it: `orrery run`,
// and the short forms `orrery steady`, `orrery compare` and so on, one for each kind.
#include "commands.h"
#include "machine.h"
#include "results.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Settings {
    Shared      shared;
    const char *inputs, *machine, *save_as;
    bool        once, all;
} Settings;

static const Option options[] = {
    { "--save-as", OPTION_TEXT, "NAME", "keep these options as an experiment of this name in FILE",
      offsetof(Settings, save_as) },
    { "--once", OPTION_FLAG, NULL, "a single run, of an experiment of another kind too",
      offsetof(Settings, once) },
    { "--all", OPTION_FLAG, NULL, "all experiments of the file, one after the other",
      offsetof(Settings, all) },
    { "--inputs", OPTION_TEXT, "A,B,…", "of a machine: its inputs; @FILE reads them, - asks for them",
      offsetof(Settings, inputs) },
    { "--machine", OPTION_TEXT, "NAME", "run this machine", offsetof(Settings, machine) },
};

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

// ---------------------------------------------------------------------------------------------- progress

typedef struct Progress {
    double started_ms, shown_ms;    // shown 0: never
} Progress;

static void show_progress(void *self, double share, const char *text)
{
    Progress *p = self;
    const double now = now_ms(), elapsed = now - p->started_ms;
    if (elapsed < 500 || now - p->shown_ms < 200) return;    // short ones say nothing
    p->shown_ms = now;
    fputs("\r\033[K", stderr);
    if (!isnan(share)) fprintf(stderr, "%3.0f %%  ", 100 * share);
    fputs(text, stderr);
    if (share > 0) fprintf(stderr, " %6.0f s left ", elapsed / share * (1 - share) / 1e3);
    fflush(stderr);
}

// ---------------------------------------------------------------------------------------------- carrying out

static bool save(const Shared *s, const Session *session, const orr_experiment *e, bool has_plots,
                 const char *name, orr_diag *diag)
{
    orr_experiment saved = *e;
    if (!has_plots) saved.n_plots = 0;
    if (!orr_experiment_save(session->source, &saved, name, s->given, s->n_given, diag)) return false;
    if (!s->quiet) printf("  saved as experiment %s\n", name);
    return true;
}

// NULL, if anything, after a message: *store is to be closed.
static orr_keep *begin_keep(const Shared *s, const List *arguments, const Session *session,
                            const orr_call *call, orr_store **store, orr_diag *diag)
{
    char *path = store_path(s->store, arguments->items[0], diag);
    orr_keep_request request = store_request(s, arguments);
    request.is_quiet = call->is_quiet || call->output;
    request.has_pictures = call->n_pictures > 0;
    if (session->experiment.resume)
        usage_error(diag, "E025", "what came before the checkpoint is not known",
                    "'--keep' and '--resume' exclude each other");
    else if (path) *store = orr_store_open(path, ORR_STORE_KEEP, diag);
    free(path);
    return *store ? orr_keep_begin(*store, session->model, &session->experiment, &request, diag) : NULL;
}

// What it is done with: false after a message.
static bool end_keep(orr_keep *keep, const orr_result *result, bool is_silent, orr_diag *diag)
{
    const size_t number = orr_keep_number(keep), n_recalled = orr_keep_recalled(keep);
    const bool ok = orr_keep_end(keep, result);
    (void)diag;
    if (ok && !is_silent && n_recalled) printf("  %zu members were kept already\n", n_recalled);
    if (ok && !is_silent) printf("  kept as run %zu\n", number);
    return ok;
}

static orr_status carry_out(const Settings *settings, const List *arguments, const Session *session,
                            double started_ms, orr_diag *diag)
{
    const Shared *s = &settings->shared;
    const bool keeps = s->keep || s->goes_on || session->experiment.keeps;
    orr_experiment e = session->experiment;
    bool is_silent = s->quiet || (s->output && strcmp(s->output, "-") == 0);
    for (size_t i = 0; i < e.n_sends; i++) is_silent |= strcmp(e.sends[i].target, "stdout") == 0;
    PlotRequest request;
    orr_status status = ORR_STATUS_USAGE;
    if (results_read_plots(&request, &s->plot, &e, diag)) {
        e.plots = request.plots;    // what is drawn is recorded, and must exist
        e.n_plots = request.n_plots;
        Progress progress = { .started_ms = started_ms };
        const bool shows = isatty(STDERR_FILENO) && !s->quiet;
        orr_call call = { .output = s->output,
                                .is_quiet = is_silent,
                                .asks_plots = s->plot.n > request.n_files,
                                .n_pictures = request.n_files,
                                .cancel = limits_cancel(),
                                .progress = shows ? show_progress : NULL,
                                .self = &progress,
                                .rescue = limits_rescue,
                                .has_units = s->units,
                                .has_provenance = s->provenance };
        orr_store *store = NULL;
        orr_keep *keep = keeps ? begin_keep(s, arguments, session, &call, &store, diag) : NULL;
        if (keep) call.keeper = orr_keep_keeper(keep);
        orr_result result = { .status = ORR_STATUS_SYSTEM, .stats = "" };
        if (keep || !keeps) result = orr_carry_out(session->model, &e, &call, diag);
        if (progress.shown_ms > 0) fputs("\r\033[K", stderr);
        status = limits_judge(result.status, diag);
        bool ok = results_show(&result, &request, is_silent, diag);
        if (keep) ok = end_keep(keep, &result, is_silent, diag) && ok;
        orr_store_close(store);
        if (!ok && status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
        if (settings->save_as && result.status != ORR_STATUS_USAGE &&
            !save(s, session, &e, call.asks_plots, settings->save_as, diag) && status == ORR_STATUS_OK)
            status = ORR_STATUS_USAGE;
        if (s->stats) fprintf(stderr, "%stotal_ms: %.3f\n", result.stats, now_ms() - started_ms);
        orr_result_free(&result);
    }
    results_free_plots(&request);
    return status;
}

// Sequences instead of times: no solver, no plot.
static int run_machine(const Settings *s, orr_machine *machine, orr_diag *diag)
{
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    const Shared *shared = &s->shared;
    MachineRun how = { .inputs = s->inputs, .output = shared->output, .seed = NAN, .quiet = shared->quiet };
    bool ok = true;
    for (size_t i = 0; i < shared->n_given; i++) {
        const orr_given *given = &shared->given[i];
        if (strcmp(given->word, "from") == 0) how.from = given->text;
        if (strcmp(given->word, "seed") != 0 || orr_parse_number(given->text, &how.seed)) continue;
        usage_error(diag, "E022", "any whole number from 0 to 2^53, such as --seed 7",
                    "option '--seed' needs a whole number, not '%s'", given->text);
        ok = false;
    }
    const int status = ok ? machine_run(machine, &how, diag) : ORR_STATUS_USAGE;
    orr_machine_destroy(machine);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag);

// all.csv → all-NAME.csv
static char *path_for(const char *path, const char *name)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) no_memory();
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    fprintf(out, "%.*s-%s%s", dot ? (int)(dot - path) : (int)strlen(path), path, name, dot ? dot : "");
    memory_close(out, &text);
    return text;
}

// Each experiment of the file, with files of its own. The first thing that goes wrong is what this ends with.
static int run_all(const Settings *settings, const List *arguments, orr_diag *diag)
{
    orr_source *source = orr_source_open(arguments->items[0], diag);
    if (!source) return (int)orr_diag_status(diag);
    int status = ORR_STATUS_OK;
    const size_t n = orr_source_n_experiments(source);
    if (n == 0 || arguments->n > 1 || settings->save_as) {
        usage_error(diag, "E025", n == 0 ? "leave --all out" : "give one or the other",
                    n == 0 ? "'--all': the file has no experiments"
                           : "'--all' and the name of an experiment exclude each other");
        status = ORR_STATUS_USAGE;
    }
    for (size_t i = 0; i < n && status != ORR_STATUS_USAGE && status != ORR_STATUS_CANCELLED; i++) {
        Settings one = *settings;
        const char *name = orr_source_experiment_name(source, i);
        const bool is_stdout = one.shared.output && strcmp(one.shared.output, "-") == 0;
        char *output = one.shared.output && !is_stdout ? path_for(one.shared.output, name) : NULL;
        List names = { 0 }, plots = { 0 };
        one.all = false;
        if (output) one.shared.output = output;
        list_add(&names, arguments->items[0]);
        list_add(&names, name);
        for (size_t k = 0; k < settings->shared.plot.n; k++) {
            const char *plot = settings->shared.plot.items[k];
            list_add(&plots, orr_figure_is_path(plot) ? path_for(plot, name) : plot);
        }
        one.shared.plot = plots;
        if (i > 0 && !one.shared.quiet && !is_stdout) putchar('\n');
        const int ended = run(&one, &names, diag);
        if (status == ORR_STATUS_OK || ended == ORR_STATUS_CANCELLED) status = ended;
        for (size_t k = 0; k < plots.n; k++)
            if (plots.items[k] != settings->shared.plot.items[k]) free((char *)plots.items[k]);
        list_free(&plots);
        list_free(&names);
        free(output);
    }
    orr_source_destroy(source);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    Settings given = *(const Settings *)settings, *s = &given;
    const double started_ms = now_ms();
    if (s->all) return run_all(s, arguments, diag);
    if (s->inputs || s->machine || orr_machine_is_file(arguments->items[0]))
        return run_machine(s, machine_get(arguments->items[0], s->machine, diag), diag);
    if (s->once) s->shared.kind = orr_kind_find("simulate");
    Session session;
    orr_keep_notes();
    const SessionOptions open = { .shared = &s->shared,
                                  .arguments = arguments,
                                  .takes_machines = !s->shared.kind };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK && !session.model)
        status = (orr_status)run_machine(s, orr_machine_build(session.source, NULL, diag), diag);
    else if (status == ORR_STATUS_OK) status = carry_out(s, arguments, &session, started_ms, diag);
    session_close(&session);
    return (int)status;
}

#define SHARES OPENING " --code -o --units --provenance --keep --continue --store --tag --plot --stats " \
                       "--quiet"

const Command command_run = {
    .name = "run", .arguments = "FILE [EXPERIMENT]",
    .summary = "Carry out an experiment, or simulate a model",
    .options = options, .n_options = sizeof options / sizeof *options, .shares = SHARES, .takes_all = true,
    .at_least = 1, .at_most = 2, .settings_size = sizeof(Settings), .run = run,
};

// One kind: its name, summary, words and details are those of the kind.
const Command command_kind = {
    .arguments = "FILE [EXPERIMENT]", .options = options, .n_options = 1, .shares = SHARES, .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings), .run = run,
};
