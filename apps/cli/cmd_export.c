// apps/cli/cmd_export.c: `orrery export`: a model in another form.
#include "commands.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct Settings {
    Opening     opening;
    bool        csmp, force;
    const char *c, *output, *solver;
    double      step, until, every, seed, number;
} Settings;

static const Option options[] = {
    { "--csmp", OPTION_FLAG, NULL, "as a CSMP block diagram", offsetof(Settings, csmp) },
    { "--c", OPTION_TEXT, "DIR", "as C99 that stands alone, with a header and a README, in this folder",
      offsetof(Settings, c) },
    { "-o", OPTION_TEXT, "FILE", "--csmp: write here instead of standard output",
      offsetof(Settings, output) },
    { "--force", OPTION_FLAG, NULL, "--c: replace files that were not written by export",
      offsetof(Settings, force) },
    { "--solver", OPTION_TEXT, "NAME", "instead of the experiment's", offsetof(Settings, solver) },
    { "--step", OPTION_NUMBER, "H", "step of fixed-step solvers", offsetof(Settings, step) },
    { "--until", OPTION_NUMBER, "T", "end of the run", offsetof(Settings, until) },
    { "--every", OPTION_NUMBER, "DT", "record at multiples of this interval", offsetof(Settings, every) },
    { "--seed", OPTION_NUMBER, "N", "what is drawn at random depends on it (default: 1)",
      offsetof(Settings, seed) },
    { "--run", OPTION_NUMBER, "I", "number of the run: that of a replication, from 0 (default: 0)",
      offsetof(Settings, number) },
    OPENING_OPTIONS(Settings),
};

// The experiment as the command line wants it.
static bool apply(const Settings *s, const Session *session, Given *given, orr_experiment *experiment,
                  orr_diag *diag)
{
    if (!given_is_positive("E403", "the step", "it is a length of time", s->step, diag)) return false;
    if (s->solver) experiment->run.solver = s->solver;
    if (!isnan(s->step)) experiment->run.step = s->step;
    if (!isnan(s->until)) experiment->until = s->until;
    if (!isnan(s->every)) experiment->every = s->every;
    bool ok = given_seed(s->seed, &experiment->run, diag);
    ok &= given_number(s->number, &experiment->run, diag);
    return given_read(given, &s->opening.set, session, experiment, diag) && ok;
}

static orr_status write(const Settings *s, const Session *session, const orr_experiment *experiment,
                        orr_diag *diag)
{
    const bool to_file = s->output && strcmp(s->output, "-") != 0;
    const bool ok = s->c      ? orr_model_export_folder(session->model, experiment, "c", s->c, s->force, diag)
                    : to_file ? orr_model_export_file(session->model, experiment, "csmp", s->output, diag)
                              : orr_model_export(session->model, experiment, "csmp", stdout, diag);
    return ok ? ORR_STATUS_OK : failure_status(diag);
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!s->csmp && !s->c) {
        usage_error(diag, "E023",
                    "for example 'orrery export --csmp model.orr' or 'orrery export --c folder model.orr'",
                    "the form to export to is missing");
        return ORR_STATUS_USAGE;
    }
    if (s->c && (s->csmp || s->output)) {
        usage_error(diag, "E022", "one form at a time; --c writes all its files into its folder",
                    "option '--c' does not go together with '%s'", s->csmp ? "--csmp" : "-o");
        return ORR_STATUS_USAGE;
    }
    Session session;
    Given given = { 0 };
    const SessionOptions open = { .opening = &s->opening,
                                  .path = arguments->items[0],
                                  .experiment = arguments->n > 1 ? arguments->items[1] : NULL,
                                  .solver = s->solver,
                                  .arrays_from = s->c ? 0 : SIZE_MAX };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) {
        orr_experiment experiment = session.experiment;
        status = apply(s, &session, &given, &experiment, diag) ? write(s, &session, &experiment, diag)
                                                               : ORR_STATUS_USAGE;
    }
    given_free(&given);
    session_close(&session);
    return (int)status;
}

const Command command_export = {
    .name = "export",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Write a model in another form",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details =
        "Any model of plain arithmetic and integrals can be written as CSMP blocks:\n"
        "  orrery export --csmp examples/lotka_volterra.orr -o lotka_volterra.csmp\n"
        "and a model with its experiment, by a method that needs no library, as C:\n"
        "  orrery export --c lv examples/lotka_volterra.orr && cc "
        "-std=c99 -O2 lv/*.c -o lv/lv -lm && lv/lv\n",
};
