// src/exp/kind_continue.c: an equilibrium along a parameter, with folds and Hopf points.
#include "exp/spectrum.h"
#include <math.h>
#include <string.h>

static const orr_keyword words[] = {
    WORD("param", TEXT, "NAME", "the parameter or input to vary"),
    WORD("from", NUMBER, "A", "its first value"),
    WORD("to", NUMBER, "B", "its last value; may be smaller"),
    WORD("starts", COUNT, "N", "look for further equilibria from N points and follow them too",
      .code = "E022", .called = "number of starting points", .hint = "give one such as --starts 50"),
    WORD("step", NUMBER, "PART", "longest step, as a part of the range (default: 0.02)",
      .code = "E409", .called = "step", .hint = "give one such as --step 0.01"),
    WORD("points", COUNT, "N", "most points of a branch (default: 2000)",
      .code = "E022", .called = "number of points", .hint = "give one such as --points 5000"),
};

// ---------------------------------------------------------------------------------------------- the picture

enum { DRAWN_MOST = 5 };    // variables

static bool draw(Call *call, const orr_diagram *d)
{
    const orr_experiment *e = call->experiment;
    size_t drawn[DRAWN_MOST], n = 0;
    for (size_t p = 0; p < e->n_plots && call->how->asks_plots; p++) {
        for (size_t i = 0; i < e->plots[p].n_ys && n < DRAWN_MOST; i++) {
            const char *name = e->plots[p].ys[i];
            drawn[n] = orr_model_find(call->model, name);
            if (drawn[n++] != (size_t)-1) continue;
            const char *closest = orr_model_closest(call->model, name);
            diag_report(call->diag, DIAG_PLOT_BAD, (Place){ 0 }, name, "there is no such variable");
            diag_suggest(call->diag, name, closest);
            return false;
        }
    }
    const bool is_chosen = n > 0;
    for (size_t i = 0; !is_chosen && i < d->n_states && n < DRAWN_MOST; i++)
        if (!orr_model_variable(call->model, d->states[i]).is_hidden) drawn[n++] = d->states[i];
    if (n > 0)
        part_add(call, (orr_part){ .figure = orr_diagram_figure(d, call->model, drawn, n,
                                                                orr_model_name(call->model)),
                                   .picture = 1 });
    return true;
}

// ---------------------------------------------------------------------------------------------- the list

static void say_end(Call *call, const orr_branch_point *point, const char *name)
{
    say(call, "  %s = %-14.10g %s", name, point->parameter, point->n_unstable == 0 ? "stable" : "unstable");
    if (point->n_unstable > 0)
        say(call, ", %zu eigenvalue%s to the right", point->n_unstable, point->n_unstable == 1 ? "" : "s");
    say(call, "\n");
}

static void say_points(Call *call, const orr_diagram *d)
{
    const char *name = orr_model_variable(call->model, d->parameter).name;
    say(call, "%s along %s: %zu branch%s, %zu points\n", orr_model_name(call->model), name, d->n_branches,
        d->n_branches == 1 ? "" : "es", d->n_points);
    for (size_t p = 0; p < d->n_points; p++) {
        const orr_branch_point *point = &d->points[p];
        const bool is_first = p == 0 || d->points[p - 1].branch != point->branch;
        const bool is_last = p + 1 == d->n_points || d->points[p + 1].branch != point->branch;
        if (is_first && d->n_branches > 1) say(call, "\nbranch %zu\n", point->branch + 1);
        if (point->kind == ORR_POINT_PLAIN) {
            if (is_first || is_last) say_end(call, point, name);
            continue;
        }
        say(call, "  %s = %-14.10g %s", name, point->parameter, orr_point_text(point->kind));
        if (point->kind == ORR_POINT_HOPF)
            say(call, ", frequency %.8g, period %.8g", point->frequency, 8 * atan(1) / point->frequency);
        say(call, "\n");
        say_variables(call, d->states, d->n_states, point->values, "      ");
    }
}

// One row for each point: the parameter, the states, the outputs, `unstable`, `kind` (0 plain, 1 fold, 2
// Hopf, 3 crossing), `branch` (from 1).
static void keep_points(Call *call, const orr_diagram *d)
{
    const orr_variable parameter = orr_model_variable(call->model, d->parameter);
    Sheet sheet = sheet_begin(call, "branches", d->n_points);
    const double **values = ARENA_ARRAY(call->arena, const double *, d->n_points);
    double *along = sheet_numbers(&sheet, parameter.name, parameter.unit);
    for (size_t i = 0; i < d->n_points; i++) values[i] = d->points[i].values;
    sheet_points(&sheet, d->states, d->n_states, values);
    double *unstable = sheet_numbers(&sheet, "unstable", NULL), *kind = sheet_numbers(&sheet, "kind", NULL);
    double *branch = sheet_numbers(&sheet, "branch", NULL);
    for (size_t i = 0; i < d->n_points; i++) {
        along[i] = d->points[i].parameter;
        unstable[i] = (double)d->points[i].n_unstable;
        kind[i] = d->points[i].kind;
        branch[i] = (double)d->points[i].branch + 1;
    }
    sheet_end(&sheet);
}

// ---------------------------------------------------------------------------------------------- carrying out

static bool check(Call *call)
{
    static const char *const needed[] = { "param", "from", "to" };
    bool ok = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (given_of(call->experiment, needed[i])) continue;
        orr_diag_add(call->diag, "E023", arena_printf(call->arena, "--%s is missing", needed[i]),
                     "such as: orrery continue FILE --param a --from 0 --to 1");
        ok = false;
    }
    return ok;
}

static orr_status carry_out(Call *call)
{
    const orr_experiment *e = call->experiment;
    if (!check(call)) return ORR_STATUS_USAGE;
    orr_continue_options o = orr_continue_options_default();
    o.run = e->run;
    o.run.t_start = e->from;
    o.run.cancel = call->how->cancel;
    o.parameter = value_text(e, "param");
    o.from = value_number(e, "from");
    o.to = value_number(e, "to");
    if (given_of(e, "step")) o.step = value_number(e, "step");
    if (given_of(e, "points")) o.n_points = value_count(e, "points");
    if (given_of(e, "starts")) o.n_starts = value_count(e, "starts");
    orr_diagram diagram = orr_continue(call->model, &o, call->diag);
    orr_status status = diagram.status;
    if (diagram.n_points > 0) {
        say_points(call, &diagram);
        if (!draw(call, &diagram) && status == ORR_STATUS_OK) status = ORR_STATUS_USAGE;
        keep_points(call, &diagram);
        if (!sheet_write(call, "branches", call->how->output)) status = ORR_STATUS_SYSTEM;
        else if (call->how->output)
            say(call, "  %zu points in %s\n", diagram.n_points, call->how->output);
    }
    orr_diagram_free(&diagram);
    return status;
}

const Kind kind_continue = {
    .kind = {
        .name = "continue",
        .summary = "Follow an equilibrium along a parameter",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set input allow-io max-time",
        .arrays_from = KIND_EXACT,
        .output = "FILE",
        .output_help = "write the branches as CSV; - is standard output",
        .details =
            "The branch is followed around folds until the parameter leaves the range. Folds, Hopf\n"
            "points and crossings with other branches are located and listed; in plots unstable parts\n"
            "are dashed.\n\n"
            "Examples:\n"
            "  orrery continue examples/fold.orr --param a --from 1 --to -1\n"
            "  orrery continue examples/brusselator.orr --param B --from 1 --to 4 --plot brusselator.svg\n"
            "  orrery continue examples/fold.orr --param a --from 1 --to -1 -o branch.csv\n",
    },
    .carry_out = carry_out,
};
