// src/export/csmp.c: a model as a CSMP block diagram.
//
// The blocks come from csmp_graph.c. Here are the settings of the experiment, what is written at
// communication points, and the numbers a diagram must have: initial values and constants, taken from a run
// that stands at the start, so that initial equations and settings of the experiment count.
#include "base/number.h"
#include "export/csmp_graph.h"
#include "export/exporter.h"
#include <math.h>

// A text that may stand in a comment.
static void print_plain(const char *text, FILE *out)
{
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void print_setting(const char *name, double value, const char *remark, FILE *out)
{
    char text[NUMBER_MAX];
    fprintf(out, "%s = %s%s\n", name, number_text(value, text), remark);
}

static void print_head(const orr_model *model, const orr_experiment *x, FILE *out)
{
    const Flat *flat = &model->flat;
    fputs("; ", out);
    print_plain(flat->model, out);
    if (flat->doc) {
        fputs(": ", out);
        print_plain(flat->doc, out);
    }
    fputs("\n", out);
    if (flat->time_unit) fprintf(out, "; unit of time: %s\n", flat->time_unit);
    if (flat->asserts.n > 0) fprintf(out, "; left out: assertions, %zu\n", flat->asserts.n);
    if (flat->terminal.n > 0) fputs("; left out: the terminal region\n", out);
    if (x->run.solver && strcmp(x->run.solver, "euler") != 0)
        fprintf(out, "; solver of the experiment: %s\n", x->run.solver);
    fputs("\n", out);
    if (isfinite(x->until)) print_setting("$endtime", x->until, "", out);
    else print_setting("$endtime", x->from + 10, "    ; nobody said when: change it", out);
    if (x->run.step > 0 && isfinite(x->run.step) && !x->missing)
        print_setting("$timestep", x->run.step, "", out);
    else fputs("$timestep = ?\n", out);
    if (x->every > 0) print_setting("$comminterval", x->every, "", out);
    if (x->from != 0) print_setting("$starttime", x->from, "", out);
    fputs("\n", out);
}

// What the experiment records or, if it does not say, the outputs of the model, or its states.
static uint32_t *choose_outputs(const orr_model *model, const orr_experiment *x, Arena *arena, uint32_t *n)
{
    const Flat *flat = &model->flat;
    const Blocks *blocks = &model->blocks;
    uint32_t *chosen = ARENA_ARRAY(arena, uint32_t, flat->vars.n + x->n_records + 1);
    *n = 0;
    for (size_t i = 0; i < x->n_records; i++) {
        const uint32_t v = flat_find(flat, x->records[i]);
        if (v != FLAT_NONE && flat->vars.items[v].kind != FLAT_RESULT) chosen[(*n)++] = v;
    }
    if (*n == 0)
        for (uint32_t v = 0; v < flat->vars.n; v++)
            if (flat->vars.items[v].is_output && flat->vars.items[v].kind != FLAT_RESULT) chosen[(*n)++] = v;
    if (*n == 0)
        for (uint32_t i = 0; i < blocks->n_states; i++)
            if (!flat->vars.items[blocks->states[i]].is_hidden) chosen[(*n)++] = blocks->states[i];
    if (*n == 0)
        for (uint32_t v = 0; v < flat->vars.n; v++)
            if (flat->vars.items[v].kind == FLAT_VARIABLE && !flat->vars.items[v].is_hidden)
                chosen[(*n)++] = v;
    return chosen;
}

static bool write(const orr_model *model, const orr_experiment *experiment, FILE *out, orr_diag *diag)
{
    const orr_experiment x = experiment ? *experiment : orr_experiment_default();
    const Flat *flat = &model->flat;
    Arena work = { 0 };
    if (flat->arrays.n > 0) {
        const FlatArray *a = &flat->arrays.items[0];
        diag_report(diag, DIAG_NOT_CSMP, a->place,
                    arena_printf(&work, "'%s', compiled as an array,", a->name));
        diag_hint(diag, "compile the model with arrays_from = SIZE_MAX");
        arena_free(&work);
        return false;
    }

    // the values a run of the experiment starts from
    orr_run_options options = x.run;
    options.solver = "euler";    // nothing is integrated; any solver will do
    options.t_start = x.from;
    if (!(options.step > 0)) options.step = 1;
    orr_run *run = orr_run_create(model, &options, diag);
    if (!run) return false;
    double *start = ARENA_ARRAY(&work, double, flat->vars.n);
    for (size_t i = 0; i < flat->vars.n; i++) start[i] = orr_run_value(run, i);
    orr_run_destroy(run);

    bool *is_fixed = ARENA_ARRAY(&work, bool, flat->vars.n);
    for (size_t i = 0; i < x.run.n_settings; i++) {
        const uint32_t v = flat_find(flat, x.run.settings[i].name);
        if (v != FLAT_NONE) is_fixed[v] = true;
    }
    CsmpGraph graph = { .flat = flat, .blocks = &model->blocks, .start = start, .is_fixed = is_fixed };
    graph.outputs = choose_outputs(model, &x, &work, &graph.n_outputs);
    print_head(model, &x, out);
    const bool ok = csmp_graph_write(&graph, out, diag);
    arena_free(&work);
    return ok;
}

const Exporter exporter_csmp = {
    .name = "csmp",
    .suffix = ".csmp",
    .summary = "CSMP block diagram",
    .write = write,
};
