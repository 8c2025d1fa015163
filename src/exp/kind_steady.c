// src/exp/kind_steady.c: where a model rests, and whether it stays there.
#include "exp/spectrum.h"
#include <math.h>
#include <string.h>

static const orr_keyword words[] = {
    WORD("range", LIST, "STATE=LO..HI", "where they lie; may be repeated"),
};

// x=0..10
static bool read_range(Call *call, const char *text, orr_range *range)
{
    const char *equals = strchr(text, '=');
    const char *dots = equals ? strstr(equals, "..") : NULL;
    if (equals && equals > text && dots) {
        range->name = arena_copy_text(call->arena, text, (size_t)(equals - text));
        const char *lo = arena_copy_text(call->arena, equals + 1, (size_t)(dots - equals - 1));
        if (orr_parse_number(lo, &range->lo) && orr_parse_number(dots + 2, &range->hi)) return true;
    }
    diag_report(call->diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--range", "STATE=LO..HI", text);
    diag_hint(call->diag, "write --range x=0..10");
    return false;
}

static void say_equilibrium(Call *call, const orr_steady *steady, size_t i)
{
    const orr_equilibrium *e = &steady->equilibria[i];
    size_t n_outputs;
    const size_t *outputs = point_outputs(call, &n_outputs);
    say(call, "\n%zu. %s\n", i + 1, e->verdict);
    say_variables(call, steady->states, steady->n_states, e->values, "   ");
    say_variables(call, outputs, n_outputs, e->values, "   ");
    if (e->eigenvalues) {
        say(call, "   eigenvalues\n");
        say_spectrum(call, e->eigenvalues, steady->n_states, "     ", false);
    }
    if (!e->is_isolated) say(call, "   one of a whole line or surface of equilibria\n");
    for (size_t k = 0; k < e->n_broken; k++)
        say(call, "   outside the frame of the model: %s does not hold\n", e->broken[k]);
    if (e->n_found > 0) say(call, "   found from %zu of %zu starting points", e->n_found, steady->n_starts);
    else say(call, "   found by leading the search away from the others");
    say(call, "; largest rate left %.2g\n", e->residual);
}

// One row for each: states, outputs, `unstable` (eigenvalues to the right of the axis; -1: not computed),
// `residual`.
static void keep_equilibria(Call *call, const orr_steady *steady)
{
    const size_t n = steady->n_equilibria;
    Sheet sheet = sheet_begin(call, "equilibria", n);
    const double **values = ARENA_ARRAY(call->arena, const double *, n);
    for (size_t i = 0; i < n; i++) values[i] = steady->equilibria[i].values;
    sheet_points(&sheet, steady->states, steady->n_states, values);
    double *unstable = sheet_numbers(&sheet, "unstable", NULL);
    double *residual = sheet_numbers(&sheet, "residual", NULL);
    for (size_t i = 0; i < n; i++) {
        const orr_equilibrium *e = &steady->equilibria[i];
        unstable[i] = e->eigenvalues ? 0 : -1;
        for (size_t k = 0; e->eigenvalues && k < steady->n_states; k++)
            if (e->stability != ORR_STABILITY_UNDECIDED && e->eigenvalues[k].re > 0) unstable[i]++;
        residual[i] = e->residual;
    }
    sheet_end(&sheet);
}

static orr_status carry_out(Call *call)
{
    const orr_experiment *e = call->experiment;
    VEC(orr_range) ranges = { 0 };
    bool ok = true;
    for (size_t i = 0; i < e->n_values; i++) {
        orr_range range = { 0 };
        if (strcmp(e->values[i].word, "range") != 0) continue;
        ok &= read_range(call, e->values[i].text, &range);
        vec_push(call->arena, &ranges, range);
    }
    if (!ok) return ORR_STATUS_USAGE;
    orr_steady_options o = orr_steady_options_default();
    o.run = e->run;
    o.run.t_start = e->from;
    o.run.cancel = call->how->cancel;
    o.n_starts = value_count(e, "starts");
    o.ranges = ranges.items;
    o.n_ranges = ranges.n;
    orr_steady steady = orr_steady_find(call->model, &o, call->diag);
    orr_status status = steady.status;
    if (status == ORR_STATUS_OK) {
        say(call, "%s at t = %.6g %s: %zu equilibri%s from %zu starting point%s\n",
            orr_model_name(call->model), steady.t, orr_model_time_unit(call->model), steady.n_equilibria,
            steady.n_equilibria == 1 ? "um" : "a", steady.n_starts, steady.n_starts == 1 ? "" : "s");
        for (size_t i = 0; i < steady.n_equilibria; i++) say_equilibrium(call, &steady, i);
        keep_equilibria(call, &steady);
        if (!sheet_write(call, "equilibria", call->how->output)) status = ORR_STATUS_SYSTEM;
    }
    orr_steady_free(&steady);
    return status;
}

const Kind kind_steady = {
    .kind = {
        .name = "steady",
        .summary = "Find equilibria and their stability",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set input allow-io starts from max-time",
        .arrays_from = KIND_EXACT,
        .output = "FILE",
        .output_help = "write the equilibria as CSV; - is standard output",
        .details =
            "The search begins at the initial values and at further points: in the ranges given, else\n"
            "where assertions allow, else around the initial values. Exit codes: 0 found, 1 the model\n"
            "is wrong, 2 wrong usage, 3 none was found.\n\n"
            "Examples:\n"
            "  orrery steady examples/van_der_pol.orr soft\n"
            "  orrery steady examples/brusselator.orr --set B=3\n"
            "  orrery steady examples/lotka_volterra.orr --range X=0..10 --range Y=0..10 --starts 100\n",
    },
    .carry_out = carry_out,
};
