// apps/cli/cmd_export.c: `orrery export`: a model in another form.
#include "commands.h"
#include <stdint.h>
#include <string.h>

typedef struct Settings {
    bool        csmp;
    const char *output, *model;
} Settings;

static const Option options[] = {
    { "--csmp", OPTION_FLAG, NULL, "as a CSMP block diagram", offsetof(Settings, csmp) },
    { "-o", OPTION_TEXT, "FILE", "write here instead of standard output", offsetof(Settings, output) },
    { "--model", OPTION_TEXT, "NAME", "which model, if the file has several", offsetof(Settings, model) },
};

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!s->csmp) {
        usage_error(diag, "E023", "for example 'orrery export --csmp model.orr'", "the form to export to is missing");
        return ORR_STATUS_USAGE;
    }
    Session session;
    const SessionOptions open = { .path = arguments->items[0], .experiment = arguments->n > 1 ? arguments->items[1] : NULL,
                                  .model = s->model, .arrays_from = SIZE_MAX };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) {
        const bool to_file = s->output && strcmp(s->output, "-") != 0;
        const bool ok = to_file ? orr_model_export_file(session.model, &session.experiment, "csmp", s->output, diag)
                                : orr_model_export(session.model, &session.experiment, "csmp", stdout, diag);
        if (!ok) status = failure_status(diag);
    }
    session_close(&session);
    return (int)status;
}

const Command command_export = {
    .name = "export", .arguments = "FILE [EXPERIMENT]", .summary = "Write a model in another form",
    .options = options, .n_options = sizeof options / sizeof *options, .at_least = 1, .at_most = 2,
    .settings_size = sizeof(Settings), .run = run,
    .details = "Any model of plain arithmetic and integrals can be written as CSMP blocks:\n"
               "  orrery export --csmp examples/lotka_volterra.orr -o lotka_volterra.csmp\n",
};
