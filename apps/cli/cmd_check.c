// apps/cli/cmd_check.c: `orrery check`: what the compiler makes of a model, without running it.
#include "commands.h"
#include "machine.h"
#include <string.h>

typedef struct Settings {
    Shared      shared;
    bool        explain;
} Settings;

static const Option options[] = {
    { "--explain", OPTION_FLAG, NULL, "show the steps of the sorting on this model",
      offsetof(Settings, explain) },
};

// What the experiment is, and inside which frame.
static void report_experiment(const orr_experiment *e)
{
    if (!*e->name) return;
    printf("\nExperiment %s: kind %s", e->name, orr_experiment_kind(e)->name);
    if (e->run.solver) printf(", solver %s", e->run.solver);
    putchar('\n');
    if (e->frame) printf("  in frame %s, which claims\n", e->frame->name);
    for (size_t i = 0; i < e->run.n_claims; i++)
        printf("    %s in %g..%g\n", e->run.claims[i].name, e->run.claims[i].low, e->run.claims[i].high);
}

// Which of the two readings of the time-slicing simulator the experiment takes.
static void report_update(const orr_experiment *experiment)
{
    const char *solver = experiment->run.solver;
    if (!solver) return;
    if (strcmp(solver, "euler") == 0)
        puts("\nUpdate: synchronous explicit Euler: all states advance together. With --update in-place\n"
             "they advance one after another, in the order listed above (CSMP: of their block numbers,\n"
             "whatever the order of the lines).");
    if (strcmp(solver, "semi-implicit euler") == 0)
        puts("\nUpdate: in place (semi-implicit Euler): states advance one after another, in the order\n"
             "listed above (CSMP: of their block numbers, whatever the order of the lines), each with the\n"
             "newest values of the others.");
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (orr_machine_is_file(arguments->items[0])) return machine_check_file(arguments->items[0], diag);
    Shared shared = s->shared;
    shared.kind = NULL;    // of whatever kind the experiment is
    Session session;
    const SessionOptions open = { .shared = &shared,
                                  .arguments = arguments,
                                  .takes_machines = true };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK && !machine_check_all(session.source, diag)) status = ORR_STATUS_MODEL_ERROR;
    if (status == ORR_STATUS_OK && session.model &&
        !orr_experiment_check(session.model, &session.experiment, diag))
        status = ORR_STATUS_MODEL_ERROR;
    if (status == ORR_STATUS_OK && session.source) orr_source_check(session.source, diag);
    if (status == ORR_STATUS_OK && session.model) {
        orr_model_report(session.model, stdout, s->explain, diag);
        report_experiment(&session.experiment);
        report_update(&session.experiment);
    }
    session_close(&session);
    return (int)status;
}

const Command command_check = {
    .name = "check",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Tell states, order of evaluation and loops of a model",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .shares = OPENING,
    .words = "set reactions input solver",
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "Examples:\n"
               "  orrery check examples/circle.csmp\n"
               "  orrery check --explain examples/loop.orr\n"
               "  orrery check examples/rc_grid.orr --set n=20\n",
};
