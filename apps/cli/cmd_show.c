// apps/cli/cmd_show.c: `orrery show`: what each stage of the compiler makes.
#include "commands.h"
#include <string.h>

typedef struct Settings {
    const char *stage, *model;
    List        set;
} Settings;

static const Option options[] = {
    { "--stage", OPTION_TEXT, "STAGE", "ast, atomic, units, flat, network, order, ir or c (default: order)", offsetof(Settings, stage) },
    { "--model", OPTION_TEXT, "NAME", "which model, if the file has several", offsetof(Settings, model) },
    { "--set", OPTION_LIST, "NAME=VALUE", "parameter that sizes or bounds depend on; may be repeated",
      offsetof(Settings, set) },
};

static bool stage_exists(const char *stage, orr_diag *diag)
{
    const char *names[16];
    size_t n = 0;
    for (const char *name; n < 16 && (name = orr_stage_at(n)); n++) {
        if (strcmp(name, stage) == 0) return true;
        names[n] = name;
    }
    char hint[96] = "the stages are ast, atomic, units, flat, network, order, ir and c";
    const char *closest = orr_closest(stage, names, n);
    if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
    usage_error(diag, "E022", hint, "option '--stage' needs a stage, not '%s'", stage);
    return false;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const char *stage = s->stage ? s->stage : "order";
    if (!stage_exists(stage, diag)) return ORR_STATUS_USAGE;
    Session session;
    const SessionOptions open = { .path = arguments->items[0], .experiment = arguments->n > 1 ? arguments->items[1] : NULL,
                                  .model = s->model, .dump_stage = stage, .set = &s->set,
                                  .takes_machines = strcmp(stage, "ast") == 0 };    // they have no further stages
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK && !session.model) orr_source_print(session.source, stdout);
    else if (status == ORR_STATUS_OK && !given_check(&s->set, &session, diag)) status = ORR_STATUS_USAGE;
    session_close(&session);
    return (int)status;
}

const Command command_show = {
    .name = "show", .arguments = "FILE [EXPERIMENT]", .summary = "Show what a stage of the compiler makes of a model",
    .options = options, .n_options = sizeof options / sizeof *options, .at_least = 1, .at_most = 2,
    .settings_size = sizeof(Settings), .run = run,
    .details = "Stages, in order:\n"
               "  ast      the text as a tree\n"
               "  flat     one set of variables and equations, no components left\n"
               "  order    who computes what, and when\n"
               "  ir       the programs that will run\n"
               "  c        the generated C\n\n"
               "Example:\n"
               "  orrery show --stage c examples/lotka_volterra.orr\n",
};
