// apps/cli/cmd_steady.c: `orrery steady`: where a model rests, and whether it stays there.
#include "commands.h"
#include "spectrum.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    Opening     opening;
    List        range;
    double      starts, from;
    const char *output;
} Settings;

static const Option options[] = {
    { "--starts", OPTION_NUMBER, "N", "starting points to try (default: 20)", offsetof(Settings, starts) },
    { "--range", OPTION_LIST, "STATE=LO..HI", "where they lie; may be repeated", offsetof(Settings, range) },
    { "--from", OPTION_NUMBER, "T", "time at which to look (default: that of the experiment, or 0)",
      offsetof(Settings, from) },
    { "-o", OPTION_TEXT, "FILE", "write the equilibria as CSV; - is standard output",
      offsetof(Settings, output) },
    OPENING_OPTIONS(Settings),
};

// x=0..10
static bool read_range(const char *text, orr_range *range, List *texts, orr_diag *diag)
{
    const char *equals = strchr(text, '=');
    const char *dots = equals ? strstr(equals, "..") : NULL;
    bool ok = equals && equals > text && dots;
    if (ok) {
        char *name = strndup(text, (size_t)(equals - text)),
             *lo = strndup(equals + 1, (size_t)(dots - equals - 1));
        if (!name || !lo) abort();
        list_add(texts, name);
        range->name = name;
        ok = orr_parse_number(lo, &range->lo) && orr_parse_number(dots + 2, &range->hi);
        free(lo);
    }
    if (!ok)
        usage_error(diag, "E022", "write --range x=0..10", "option '--range' needs STATE=LO..HI, not '%s'",
                    text);
    return ok;
}

static void print_equilibrium(const orr_steady *steady, size_t i, const orr_model *model,
                              const size_t *outputs, size_t n_outputs)
{
    const orr_equilibrium *e = &steady->equilibria[i];
    printf("\n%zu. %s\n", i + 1, e->verdict);
    variables_print(model, steady->states, steady->n_states, e->values, "   ", stdout);
    variables_print(model, outputs, n_outputs, e->values, "   ", stdout);
    if (e->eigenvalues) {
        puts("   eigenvalues");
        spectrum_print(e->eigenvalues, steady->n_states, "     ", false, stdout);
    }
    if (!e->is_isolated) puts("   one of a whole line or surface of equilibria");
    for (size_t k = 0; k < e->n_broken; k++)
        printf("   outside the frame of the model: %s does not hold\n", e->broken[k]);
    if (e->n_found > 0) printf("   found from %zu of %zu starting points", e->n_found, steady->n_starts);
    else fputs("   found by leading the search away from the others", stdout);
    printf("; largest rate left %.2g\n", e->residual);
}

static orr_status find(const Settings *s, const Session *session, const orr_experiment *e,
                       const orr_range *ranges, orr_diag *diag)
{
    orr_steady_options o = orr_steady_options_default();
    o.run = e->run;
    o.run.t_start = isnan(s->from) ? e->from : s->from;
    o.n_starts = isnan(s->starts) ? 0 : (size_t)s->starts;
    o.ranges = ranges;
    o.n_ranges = s->range.n;
    orr_steady steady = orr_steady_find(session->model, &o, diag);
    orr_status status = steady.status;
    const bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    if (status == ORR_STATUS_OK && !to_stdout) {
        size_t n_outputs;
        size_t *outputs = variables_outputs(session->model, &n_outputs);
        printf("%s at t = %.6g %s: %zu equilibri%s from %zu starting point%s\n",
               orr_model_name(session->model), steady.t, orr_model_time_unit(session->model),
               steady.n_equilibria, steady.n_equilibria == 1 ? "um" : "a", steady.n_starts,
               steady.n_starts == 1 ? "" : "s");
        for (size_t i = 0; i < steady.n_equilibria; i++)
            print_equilibrium(&steady, i, session->model, outputs, n_outputs);
        free(outputs);
    }
    if (status == ORR_STATUS_OK && s->output && !orr_steady_write(&steady, session->model, s->output, diag))
        status = ORR_STATUS_SYSTEM;
    orr_steady_free(&steady);
    return status;
}

static orr_status work(const void *settings, const Session *session, orr_experiment *experiment, bool ok,
                       orr_diag *diag)
{
    const Settings *s = settings;
    List texts = { 0 };
    orr_range *ranges = calloc(s->range.n + 1, sizeof *ranges);
    if (!ranges) abort();
    for (size_t i = 0; i < s->range.n; i++) ok &= read_range(s->range.items[i], &ranges[i], &texts, diag);
    const orr_status status = ok ? find(s, session, experiment, ranges, diag) : ORR_STATUS_USAGE;
    free(ranges);
    names_free(&texts);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!given_is_positive("E022", "number of starting points", "give one such as --starts 50", s->starts,
                           diag))
        return ORR_STATUS_USAGE;
    const SessionOptions open = { .opening = &s->opening, .arrays_from = SESSION_EXACT };
    return session_do(&open, arguments, settings, work, diag);
}

const Command command_steady = {
    .name = "steady",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Find equilibria and their stability",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "The search begins at the initial values and at further points: in the ranges given, else\n"
               "where assertions allow, else around the initial values. Exit codes: 0 found, 1 the model\n"
               "is wrong, 2 wrong usage, 3 none was found.\n\n"
               "Examples:\n"
               "  orrery steady examples/van_der_pol.orr soft\n"
               "  orrery steady examples/brusselator.orr --set B=3\n"
               "  orrery steady examples/lotka_volterra.orr --range X=0..10 --range Y=0..10 --starts 100\n",
};
