// apps/cli/cmd_export.c: `orrery export`: a model in another form.
#include "commands.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Settings {
    Shared      shared;
    bool        csmp, force;
    const char *c;
} Settings;

static const Option options[] = {
    { "--csmp", OPTION_FLAG, NULL, "as a CSMP block diagram", offsetof(Settings, csmp) },
    { "--c", OPTION_TEXT, "DIR", "as C99 that stands alone, with a header and a README, in this folder",
      offsetof(Settings, c) },
    { "--force", OPTION_FLAG, NULL, "--c: replace files that were not written by export",
      offsetof(Settings, force) },
};

static orr_status write(const Settings *s, const orr_model *model, const orr_experiment *e, orr_diag *diag)
{
    const char *output = s->shared.output;
    const bool to_file = output && strcmp(output, "-") != 0;
    const bool ok = s->c      ? orr_model_export_folder(model, e, "c", s->c, s->force, diag)
                    : to_file ? orr_model_export_file(model, e, "csmp", output, diag)
                              : orr_model_export(model, e, "csmp", stdout, diag);
    if (!ok && *e->run.cancel) return limits_judge(ORR_STATUS_CANCELLED, diag);
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
    if (s->c && (s->csmp || s->shared.output)) {
        usage_error(diag, "E022", "one form at a time; --c writes all its files into its folder",
                    "option '--c' does not go together with '%s'", s->csmp ? "--csmp" : "-o");
        return ORR_STATUS_USAGE;
    }
    Session session;
    const SessionOptions open = { .shared = &s->shared,
                                  .arguments = arguments,
                                  .arrays_from = s->c ? 0 : SIZE_MAX };
    orr_status status = session_open(&session, &open, diag);
    session.experiment.run.cancel = limits_cancel();    // whether it can be exported is found by a run
    if (status == ORR_STATUS_OK) status = write(s, session.model, &session.experiment, diag);
    session_close(&session);
    return (int)status;
}

const Command command_export = {
    .name = "export",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Write a model in another form",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .shares = OPENING " -o",
    .words = "set reactions input solver step path tol abs max-step quantum from until every record seed run",
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .prints_data = true, .run = run,
    .details =
        "Any model of plain arithmetic and integrals can be written as CSMP blocks:\n"
        "  orrery export --csmp examples/lotka_volterra.orr -o lotka_volterra.csmp\n"
        "and a model with its experiment, by a method that needs no library, as C:\n"
        "  orrery export --c lv examples/lotka_volterra.orr && cc "
        "-std=c99 -O2 lv/*.c -o lv/lv -lm && lv/lv\n",
};
