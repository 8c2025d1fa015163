// src/export/c/tables.c: sizes, settings, columns and events of an exported model, as C.
#include "base/csv.h"
#include "code/emit.h"
#include "code/label.h"
#include "export/c/net.h"
#include "num/pairs.h"
#include <math.h>

// ---- Sizes and settings

void c_define(StrBuf *s, const char *name, double value, const char *remark)
{
    str_addf(s, "#define %-12s ", name);
    if (isinf(value)) str_add(s, value > 0 ? "INFINITY" : "(-INFINITY)");
    else if (value < 0) {
        str_add_char(s, '(');
        gen_number(s, value);
        str_add_char(s, ')');
    } else gen_number(s, value);
    str_addf(s, "    /* %s */\n", remark);
}

void c_size(StrBuf *s, const char *name, size_t value) { str_addf(s, "    %s = %zu,\n", name, value); }

// Where no other is named dopri5: for `auto`, and where it stands in for quantised states.
const Tableau *c_method(const CExport *c)
{
    return c->solver->tableau ? c->solver->tableau : &tableau_dopri5;
}

static void add_weights(StrBuf *s, const double *numbers, int n)
{
    while (n > 1 && numbers[n - 1] == 0) n--;
    str_add(s, "{ ");
    for (int i = 0; i < n; i++) {
        if (i) str_add(s, i % 5 ? ", " : ",\n            ");
        gen_number(s, numbers[i]);
    }
    str_add(s, " }");
}

void c_add_method(const CExport *c, StrBuf *s)
{
    const Tableau *m = c_method(c);
    const int n_rows = m->n_stages + 1 + m->n_extra;
    str_addf(s,
             "static const Tableau tableau = {\n"
             "    .name = \"%s\", .order = %d, .n_stages = %d,\n    .rows = {\n",
             m->name, m->order, m->n_stages);
    for (int i = 0; i < n_rows; i++) {
        str_add(s, "        { ");
        gen_number(s, m->rows[i].c);
        str_add(s, ", ");
        gen_number(s, m->rows[i].divisor);
        str_add(s, ", ");
        add_weights(s, m->rows[i].weight, n_rows);
        str_add(s, " },\n");
    }
    str_add(s, "    },\n");
    if (m->n_errors > 0) {
        str_addf(s, "    .n_errors = %d, .n_dense = %d, .n_extra = %d,\n", m->n_errors, m->n_dense,
                 m->n_extra);
        for (int i = 0; i < m->n_errors + m->n_dense; i++) {
            const bool is_error = i < m->n_errors;
            str_addf(s, "    .%s[%d] = ", is_error ? "error" : "dense", is_error ? i : i - m->n_errors);
            add_weights(s, is_error ? m->error[i] : m->dense[i - m->n_errors], n_rows);
            str_add(s, ",\n");
        }
        const struct { const char *name; double value; } control[] = {
            { "error_power", m->error_power }, { "beta", m->beta },
            { "shrink_most", m->shrink_most }, { "grow_most", m->grow_most },
        };
        for (size_t i = 0; i < sizeof control / sizeof *control; i++) {
            str_addf(s, "    .%s = ", control[i].name);
            gen_number(s, control[i].value);
            str_add(s, ",\n");
        }
    }
    str_add(s, "};\n\n");
}

void c_add_constants(const CExport *c, StrBuf *s)
{
    const orr_model *model = c->model;
    const IrLayout *layout = &model->ir.layout;
    const Island *island = &c->run->island;
    str_add(s, "enum {\n");
    c_size(s, "N_STATES", model->n_states);
    c_size(s, "N_PARAMS", model->n_params);
    c_size(s, "N_COLUMNS", c->columns.n);
    c_size(s, "FIRST_VAR", layout->first_var);
    c_size(s, "N_VARS", layout->first_guess - layout->first_var);
    c_size(s, "CHUNK", c_is_on(c, TEXT("IS_LOOKED_AT")) ? 1 : 1000);    // steps at once
    if (model->n_relations) {
        c_size(s, "N_RELATIONS", model->n_relations);
        c_size(s, "FIRST_MODE", layout->first_mode);
    }
    if (c->loop < CODE_N_LOOPS)
        c_size(s, "N_WORK", c->loop < CODE_IN_PLACE ? (size_t)c->solver->tableau->n_stages : 1);
    if (c_is_on(c, TEXT("HAS_ADAPTIVE")))
        c_size(s, "N_ROWS", (size_t)(c_method(c)->n_stages + 1 + c_method(c)->n_extra));
    if (c_is_on(c, TEXT("HAS_JACOBIAN"))) c_size(s, "N_JACOBIAN", model->ir.n_jacobian);
    if (model->n_events) c_size(s, "N_EVENTS", model->n_events);
    if (model->flat.asserts.n) c_size(s, "N_ASSERTS", model->flat.asserts.n);
    if (c->has_frame || c_is_on(c, TEXT("HAS_STOP")))
        c_size(s, "N_CLAIMS", model->flat.asserts.n + c->experiment->run.n_claims);
    if (model->flat.terminal.n) c_size(s, "N_RERUNS", model->ir.n_reruns);
    if (model->n_delays) c_size(s, "N_DELAYS", model->n_delays);
    if (c->inputs.n) c_size(s, "N_INPUTS", c->inputs.n);
    if (c_is_on(c, TEXT("HAS_SOURCES"))) c_size(s, "N_SOURCES", c->inputs.n + 1);
    if (c_is_on(c, TEXT("HAS_CHOICES"))) c_add_choice_sizes(c, s);
    if (c->noise) {
        c_size(s, "N_NOISES", model->flat.noises.n);
        c_size(s, "N_STRENGTHS", model->ir.n_noise);
    }
    if (c->net) c_add_net_sizes(c, s);
    str_add(s, "};\n\n");

    c_define(s, "FROM", c->experiment->from, "start of the experiment");
    c_define(s, "UNTIL", c->experiment->until, "its end");
    if (c->net && c->net->has_warm_up)
        c_define(s, "WARM_UP", c->experiment->from + c->experiment->warm_up, "statistics begin anew");
    if (c->every > 0) c_define(s, "EVERY", c->every, "between two rows");
    if (c->solver->fixed_step) {
        c_define(s, "STEP", island->step, "of the method");
        if (c->noise) {
            const double path = island->options.path > 0 ? island->options.path : island->step;
            c_define(s, "PATH_CELL", island->step / round(island->step / path), "of the Brownian paths");
        } else {
            str_addf(s, "#define %-12s orr_%s\n", "ORR_LOOP",
                     c->loop < CODE_IN_PLACE ? c->solver->name : "in_place");
        }
    }
    str_add(s, "\n");
}

// ---- Static data

static void add_columns(const CExport *c, StrBuf *s)
{
    const bool has_shown = c->net && c->net->shown.n;
    uint32_t n_shown = 0;
    str_addf(s,
             "// What is recorded: a state, or a place in v; is_computed: it must be finite%s.\n"
             "static const struct Column { char is_state, is_computed%s; unsigned place; } columns[] = {\n",
             has_shown ? "; is_shown: of a component" : "", has_shown ? ", is_shown" : "");
    for (size_t i = 0; i < c->columns.n; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, c->columns.items[i]));
        const bool is_state = v.state != FLAT_NONE;
        str_addf(s, "    { %d, %d, ", is_state, !is_state && v.kind == FLAT_VARIABLE);
        if (has_shown) str_addf(s, "%d, ", v.part != NULL);
        str_addf(s, "%u },    /* ", is_state ? v.state : v.part ? n_shown++ : v.place);
        label_text(s, c->columns.items[i]);
        str_add(s, " */\n");
    }
    if (c->columns.n == 0) str_add(s, "    { 0, 0, 0 },\n");
    str_add(s, "};\n\n");
}

// A line of CSV as a literal of C.
static void add_header(const CExport *c, StrBuf *s)
{
    StrBuf line = { .arena = (Arena *)&c->arena };
    str_add(&line, "t");
    const size_t n = c->columns.n + (size_t)(c->model->ir.n_reruns > 0) + (size_t)c->has_frame;
    for (size_t i = 0; i < n; i++) {
        str_add_char(&line, ',');
        csv_add_field(&line, c->columns.items[i]);
    }
    str_add(s, "static const char csv_header[] = ");
    c_add_quoted(s, str_finish(&line));
    str_add(s, " \"\\n\";\n\n");
}

static void add_claims(const CExport *c, StrBuf *s)
{
    const orr_run_options *run = &c->experiment->run;
    str_add(s,
            "// The ranges of the frame.\n"
            "static const struct Claim { char is_state; unsigned place; double low, high; } claims[] = {\n");
    for (size_t i = 0; i < run->n_claims; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, run->claims[i].name));
        const bool is_state = v.state != FLAT_NONE;
        str_addf(s, "    { %d, %u, ", is_state, is_state ? v.state : v.place);
        const double ends[] = { run->claims[i].low, run->claims[i].high };
        for (int k = 0; k < 2; k++) {
            if (isinf(ends[k])) str_add(s, ends[k] < 0 ? "-INFINITY" : "INFINITY");
            else gen_number(s, ends[k]);
            str_add(s, k ? " },    /* " : ", ");
        }
        label_text(s, run->claims[i].name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_guesses(const CExport *c, StrBuf *s)
{
    const IrLayout *layout = &c->model->ir.layout;
    str_add(s, "// Loops of equations begin at what they were: place of the guess, place of the variable.\n"
               "static const unsigned guesses[][2] = {\n");
    for (uint32_t i = 0; i < c->model->flat.vars.n; i++) {
        if (layout->guess[i] == FLAT_NONE) continue;
        str_addf(s, "    { %u, %u },    /* ", layout->guess[i], layout->place[i]);
        label_text(s, c->model->flat.vars.items[i].name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_terminal(const CExport *c, StrBuf *s)
{
    const Flat *flat = &c->model->flat;
    if (c->model->ir.n_reruns) {
        str_add(s, "static const struct Rerun { double at_most; char is_limited; } reruns[] = {\n");
        for (size_t i = 0; i < flat->terminal.n; i++) {
            if (flat->terminal.items[i].target != FLAT_NONE) continue;
            str_add(s, "    { ");
            gen_number(s, flat->terminal.items[i].at_most);
            str_addf(s, ", %d },\n", flat->terminal.items[i].is_limited);
        }
        str_add(s, "};\n");
    }
    if (!c_is_on(c, TEXT("HAS_KEPT"))) return;
    str_add(s, "// Parameters that the terminal region changes.\nstatic const unsigned kept[] = {\n");
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const uint32_t target = flat->terminal.items[i].target;
        if (target == FLAT_NONE) continue;
        const FlatVar *var = &flat->vars.items[target];
        if (var->kind != FLAT_PARAM && var->kind != FLAT_INPUT) continue;
        str_addf(s, "    %u,    /* ", c->model->ir.layout.place[target]);
        label_text(s, var->name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_numbers(const CExport *c, StrBuf *s)
{
    const Ir *ir = &c->model->ir;
    if (ir->tables.n) {
        str_add(s, "static const unsigned index_tables[] = {");
        for (size_t i = 0; i < ir->tables.n; i++)
            str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ", ir->tables.items[i]);
        str_add(s, " };\n\n");
    }
    if (ir->numbers.n) {
        str_add(s, "static const double table_numbers[] = {");
        for (size_t i = 0; i < ir->numbers.n; i++) {
            str_add(s, i == 0 ? " " : i % 8 ? ", " : ",\n    ");
            gen_number(s, ir->numbers.items[i]);
        }
        str_add(s, " };\n\n");
    }
}

static void add_jacobian(const CExport *c, StrBuf *s)
{
    const Ir *ir = &c->model->ir;
    str_add(s, "// Row and column of each entry of the Jacobian.\nstatic const unsigned jacobian[][2] = {\n");
    for (uint32_t i = 0; i < ir->n_jacobian; i++)
        str_addf(s, "    { %u, %u },\n", ir->jacobian[i].row, ir->jacobian[i].column);
    str_add(s, "};\n\n");
}

void c_add_tables(const CExport *c, StrBuf *s)
{
    add_numbers(c, s);
    add_columns(c, s);
    add_header(c, s);
    if (c_is_on(c, TEXT("HAS_JACOBIAN"))) add_jacobian(c, s);
    if (c->experiment->run.n_claims) add_claims(c, s);
    c_add_parts(c, s);
    if (c->model->ir.layout.n_guesses) add_guesses(c, s);
    if (c->model->flat.terminal.n) add_terminal(c, s);
}
