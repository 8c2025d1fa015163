// apps/cli/cmd_continue.c: `orrery continue`: an equilibrium along a parameter, with folds and Hopf points.
#include "commands.h"
#include "results.h"
#include "spectrum.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    Opening     opening;
    List        plot;
    double      from, to, step, points, starts;
    const char *param, *output;
} Settings;

static const Option options[] = {
    { "--param", OPTION_TEXT, "NAME", "the parameter or input to vary", offsetof(Settings, param) },
    { "--from", OPTION_NUMBER, "A", "its first value", offsetof(Settings, from) },
    { "--to", OPTION_NUMBER, "B", "its last value; may be smaller", offsetof(Settings, to) },
    { "--starts", OPTION_NUMBER, "N", "look for further equilibria from N points and follow them too",
      offsetof(Settings, starts) },
    { "--step", OPTION_NUMBER, "PART", "longest step, as a part of the range (default: 0.02)",
      offsetof(Settings, step) },
    { "--points", OPTION_NUMBER, "N", "most points of a branch (default: 2000)", offsetof(Settings, points) },
    { "-o", OPTION_TEXT, "FILE", "write the branches as CSV; - is standard output",
      offsetof(Settings, output) },
    { "--plot", OPTION_LIST, "FILE|WHAT", "draw to .svg, .png or .pdf; or what: 'x, y'",
      offsetof(Settings, plot) },
    OPENING_OPTIONS(Settings),
};

// ---------------------------------------------------------------------------------------------- the picture

enum { DRAWN_MOST = 5 };    // variables

static bool find_drawn(const orr_model *model, const orr_diagram *d, const PlotRequest *request,
                       size_t *drawn, size_t *n, orr_diag *diag)
{
    *n = 0;
    for (size_t p = 0; p < request->n_plots; p++) {
        for (size_t i = 0; i < request->plots[p].n_ys && *n < DRAWN_MOST; i++) {
            const char *name = request->plots[p].ys[i];
            const size_t variable = orr_model_find(model, name);
            if (variable == (size_t)-1) {
                char hint[256];
                const char *closest = orr_model_closest(model, name);
                if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
                usage_error(diag, "E412", closest ? hint : NULL,
                            "cannot plot '%s': there is no such variable", name);
                return false;
            }
            drawn[(*n)++] = variable;
        }
    }
    for (size_t i = 0; request->n_plots == 0 && i < d->n_states && *n < DRAWN_MOST; i++)
        if (!orr_model_variable(model, d->states[i]).is_hidden) drawn[(*n)++] = d->states[i];
    return true;
}

static orr_status draw(const Settings *s, const orr_model *model, const orr_diagram *d, bool to_terminal,
                       orr_diag *diag)
{
    const orr_experiment none = orr_experiment_default();
    PlotRequest request;
    size_t drawn[DRAWN_MOST], n = 0;
    bool ok = results_read_plots(&request, &s->plot, &none, diag) &&
              find_drawn(model, d, &request, drawn, &n, diag);
    if (ok && n > 0) {
        orr_figure *figure = orr_diagram_figure(d, model, drawn, n, orr_model_name(model));
        if (to_terminal) orr_figure_print(figure, stdout, 79, 20);
        for (size_t f = 0; f < request.n_files && ok; f++) {
            ok = orr_figure_write(figure, request.files[f], diag);
            if (ok && to_terminal) printf("  plot in %s\n", request.files[f]);
        }
        orr_figure_destroy(figure);
    }
    results_free_plots(&request);
    return ok ? ORR_STATUS_OK : ORR_STATUS_USAGE;
}

// ---------------------------------------------------------------------------------------------- the list

static void print_end(const orr_diagram *d, size_t p, const char *name)
{
    const orr_branch_point *point = &d->points[p];
    printf("  %s = %-14.10g %s", name, point->parameter, point->n_unstable == 0 ? "stable" : "unstable");
    if (point->n_unstable > 0)
        printf(", %zu eigenvalue%s to the right", point->n_unstable, point->n_unstable == 1 ? "" : "s");
    fputc('\n', stdout);
}

static void print(const orr_diagram *d, const orr_model *model)
{
    const char *name = orr_model_variable(model, d->parameter).name;
    printf("%s along %s: %zu branch%s, %zu points\n", orr_model_name(model), name, d->n_branches,
           d->n_branches == 1 ? "" : "es", d->n_points);
    for (size_t p = 0; p < d->n_points; p++) {
        const orr_branch_point *point = &d->points[p];
        const bool is_first = p == 0 || d->points[p - 1].branch != point->branch;
        const bool is_last = p + 1 == d->n_points || d->points[p + 1].branch != point->branch;
        if (is_first && d->n_branches > 1) printf("\nbranch %zu\n", point->branch + 1);
        if (point->kind == ORR_POINT_PLAIN) {
            if (is_first || is_last) print_end(d, p, name);
            continue;
        }
        printf("  %s = %-14.10g %s", name, point->parameter, orr_point_text(point->kind));
        if (point->kind == ORR_POINT_HOPF)
            printf(", frequency %.8g, period %.8g", point->frequency, 8 * atan(1) / point->frequency);
        fputc('\n', stdout);
        variables_print(model, d->states, d->n_states, point->values, "      ", stdout);
    }
}

// ---------------------------------------------------------------------------------------------- the command

static bool check(const Settings *s, orr_diag *diag)
{
    static const char usage[] = "such as: orrery continue FILE --param a --from 0 --to 1";
    const struct { bool missing; const char *name; } needed[] = {
        { !s->param, "--param" }, { isnan(s->from), "--from" }, { isnan(s->to), "--to" },
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!needed[i].missing) continue;
        usage_error(diag, "E023", usage, "%s is missing", needed[i].name);
        ok = false;
    }
    ok &= given_is_positive("E409", "step", "give one such as --step 0.01", s->step, diag);
    ok &= given_is_positive("E022", "number of points", "give one such as --points 5000", s->points, diag);
    ok &= given_is_positive("E022", "number of starting points", "give one such as --starts 50", s->starts,
                            diag);
    return ok;
}

static orr_status follow(const Settings *s, const Session *session, const orr_experiment *e, orr_diag *diag)
{
    orr_continue_options o = orr_continue_options_default();
    o.run = e->run;
    o.run.t_start = e->from;
    o.parameter = s->param;
    o.from = s->from;
    o.to = s->to;
    if (!isnan(s->step)) o.step = s->step;
    if (!isnan(s->points)) o.n_points = (size_t)s->points;
    if (!isnan(s->starts)) o.n_starts = (size_t)s->starts;
    orr_diagram diagram = orr_continue(session->model, &o, diag);
    orr_status status = diagram.status;
    const bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    if (diagram.n_points > 0) {
        if (!to_stdout) print(&diagram, session->model);
        const orr_status drawn = draw(s, session->model, &diagram, !to_stdout, diag);
        if (status == ORR_STATUS_OK) status = drawn;
        if (s->output && !orr_diagram_write(&diagram, session->model, s->output, diag))
            status = ORR_STATUS_SYSTEM;
        else if (s->output && !to_stdout) printf("  %zu points in %s\n", diagram.n_points, s->output);
    }
    orr_diagram_free(&diagram);
    return status;
}

static orr_status work(const void *settings, const Session *session, orr_experiment *experiment, bool ok,
                       orr_diag *diag)
{
    return ok ? follow(settings, session, experiment, diag) : ORR_STATUS_USAGE;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!check(s, diag)) return ORR_STATUS_USAGE;
    const SessionOptions open = { .opening = &s->opening, .arrays_from = SESSION_EXACT };
    return session_do(&open, arguments, settings, work, diag);
}

const Command command_continue = {
    .name = "continue",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Follow an equilibrium along a parameter",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "The branch is followed around folds until the parameter leaves the range. Folds, Hopf\n"
               "points and crossings with other branches are located and listed; in plots unstable parts\n"
               "are dashed.\n\n"
               "Examples:\n"
               "  orrery continue examples/fold.orr --param a --from 1 --to -1\n"
               "  orrery continue examples/brusselator.orr --param B --from 1 --to 4 --plot brusselator.svg\n"
               "  orrery continue examples/fold.orr --param a --from 1 --to -1 -o branch.csv\n",
};
