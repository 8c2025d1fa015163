// apps/cli/cmd_show.c: `orrery show`: what each stage of the compiler makes.
#include "commands.h"
#include "results.h"
#include <math.h>
#include <string.h>

typedef struct Settings {
    Shared      shared;
    const char *stage, *sequence;
} Settings;

static const Option options[] = {
    { "--stage", OPTION_TEXT, "STAGE", "ast, atomic, units, flat, network, order, ir or c (default: order)",
      offsetof(Settings, stage) },
    { "--sequence", OPTION_TEXT, "FILE", "draw the messages of a run as a sequence chart: .svg, .png or .pdf",
      offsetof(Settings, sequence) },
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

// A short run, of which only the messages are kept.
static int draw_sequence(const Settings *s, const List *arguments, orr_diag *diag)
{
    Session session;
    const SessionOptions open = { .shared = &s->shared, .arguments = arguments };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) {
        orr_experiment e = session.experiment;
        if (isnan(e.until)) e.until = e.from + 10;
        orr_sequence *sequence = orr_sequence_create(0);
        const orr_sink sink = orr_sequence_sink(sequence);
        e.run.cancel = limits_cancel();
        orr_outcome outcome = orr_simulate(session.model, &e, &sink, 1, diag);
        status = outcome.status;
        orr_outcome_free(&outcome);
        if (status == ORR_STATUS_OK &&
            !results_put(orr_sequence_figure(sequence, orr_model_name(session.model), diag), s->sequence,
                         diag))
            status = failure_status(diag);
        orr_sequence_destroy(sequence);
    }
    session_close(&session);
    return (int)status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (s->sequence && s->stage) {
        usage_error(diag, "E025", "--sequence draws a run, --stage prints what the compiler makes",
                    "'--sequence' and '--stage' exclude each other");
        return ORR_STATUS_USAGE;
    }
    if (s->sequence) return draw_sequence(s, arguments, diag);
    const char *stage = s->stage ? s->stage : "order";
    if (!stage_exists(stage, diag)) return ORR_STATUS_USAGE;
    Session session;
    const SessionOptions open = { .shared = &s->shared,
                                  .arguments = arguments,
                                  .dump_stage = stage,
                                  // they have no further stages
                                  .takes_machines = strcmp(stage, "ast") == 0 };
    const orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK && !session.model) orr_source_print(session.source, stdout);
    session_close(&session);
    return (int)status;
}

const Command command_show = {
    .name = "show",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Show what a stage of the compiler makes of a model",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .shares = OPENING,
    .words = "set reactions input solver until from step seed run",
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .prints_data = true, .run = run,
    .details =
        "Stages, in order:\n"
        "  ast      the text as a tree\n"
        "  atomic   atomics as typed programs\n"
        "  units    the unit of every name\n"
        "  flat     one set of variables and equations, no components left\n"
        "  network  components, ports and couplings\n"
        "  order    who computes what, and when\n"
        "  ir       the programs that will run\n"
        "  c        the generated C\n\n"
        "--sequence FILE runs the model instead and draws who sent "
        "what to whom, one arrow for each message.\n\n"
        "Examples:\n"
        "  orrery show --stage c examples/lotka_volterra.orr\n"
        "  orrery show --sequence chart.svg examples/shop.orr --until 20\n",
};
