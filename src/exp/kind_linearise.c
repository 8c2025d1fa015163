// src/exp/kind_linearise.c: the linear model around a point, its poles and zeros.
#include "exp/spectrum.h"
#include <math.h>
#include <string.h>

enum { SHOWN = 12 };    // rows and columns of a matrix in a report

static const orr_keyword words[] = {
    WORD("at", TEXT, "steady|start|T",
      "the equilibrium (default), the initial values, or a time of a run"),
    WORD("inputs", NAMES, "A,B", "inputs or parameters (default: all inputs)"),
    WORD("outputs", NAMES, "A,B", "any variables (default: the outputs, or the states)"),
};

static bool read_at(Call *call, orr_linear_options *o)
{
    const char *text = value_text(call->experiment, "at");
    o->at = ORR_AT_STEADY;
    if (!text || strcmp(text, "steady") == 0) return true;
    if (strcmp(text, "start") == 0) return o->at = ORR_AT_START, true;
    o->at = ORR_AT_TIME;
    if (orr_parse_number(text, &o->run.t_end) && isfinite(o->run.t_end)) return true;
    diag_report(call->diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--at", "steady, start or a time", text);
    diag_hint(call->diag, "write --at steady, --at start or --at 12.5");
    return false;
}

typedef struct Matrix {
    const char   *name;
    const double *values;                  // row after row
    const size_t *rows, *columns;          // variables
    size_t        n_rows, n_columns;
} Matrix;

static const char *name_of(const Call *call, size_t variable)
{
    return orr_model_variable(call->model, variable).name;
}

static void say_matrix(Call *call, const Matrix *m)
{
    const size_t r_shown = m->n_rows < SHOWN ? m->n_rows : SHOWN;
    const size_t c_shown = m->n_columns < SHOWN ? m->n_columns : SHOWN;
    int left = (int)strlen(m->name) + 2;
    for (size_t r = 0; r < r_shown; r++) {
        const orr_variable v = orr_model_variable(call->model, m->rows[r]);
        const size_t cells = text_cells(text_from(v.name)) + (v.unit ? 3 + text_cells(text_from(v.unit)) : 0);
        if ((int)cells > left) left = (int)cells;
    }
    say(call, "\n%s%*s", m->name, left - (int)strlen(m->name), "");
    for (size_t c = 0; c < c_shown; c++) say(call, "  %14s", name_of(call, m->columns[c]));
    say(call, c_shown < m->n_columns ? "  …\n" : "\n");
    for (size_t r = 0; r < r_shown; r++) {
        const char *head = name_of(call, m->rows[r]);
        say(call, "%s%*s", head, left > (int)strlen(head) ? left - (int)strlen(head) : 0, "");
        for (size_t c = 0; c < c_shown; c++) say(call, "  %14.8g", m->values[r * m->n_columns + c]);
        say(call, c_shown < m->n_columns ? "  …\n" : "\n");
    }
    if (r_shown < m->n_rows) say(call, "… %zu more rows; -o PREFIX writes them all\n", m->n_rows - r_shown);
}

static void keep_matrix(Call *call, const Matrix *m)
{
    Sheet sheet = sheet_begin(call, m->name, m->n_rows);
    const char **heads = sheet_texts(&sheet, m->name);
    for (size_t r = 0; r < m->n_rows; r++) heads[r] = name_of(call, m->rows[r]);
    for (size_t c = 0; c < m->n_columns; c++) {
        double *column = sheet_numbers(&sheet, name_of(call, m->columns[c]), NULL);
        for (size_t r = 0; r < m->n_rows; r++) column[r] = m->values[r * m->n_columns + c];
    }
    sheet_end(&sheet);
}

static void say_transfers(Call *call, const orr_linear *l)
{
    for (size_t i = 0; i < l->n_outputs * l->n_inputs; i++) {
        const orr_transfer *t = &l->transfers[i];
        say(call, "\nzeros from %s to %s", name_of(call, l->inputs[i % l->n_inputs]),
            name_of(call, l->outputs[i / l->n_inputs]));
        if (t->gain == 0) {
            say(call, ": the input does not reach the output\n");
            continue;
        }
        say(call, ": %s    gain %.8g", t->n_zeros ? "" : "none", t->gain);
        if (isfinite(t->steady)) say(call, ", for slow changes %.8g", t->steady);
        say(call, "\n");
        say_spectrum(call, t->zeros, t->n_zeros, "  ", true);
    }
}

static void keep_spectra(Call *call, const orr_linear *l)
{
    Sheet poles = sheet_begin(call, "poles", l->poles ? l->n_states : 0);
    double *re = sheet_numbers(&poles, "re", NULL), *im = sheet_numbers(&poles, "im", NULL);
    for (size_t i = 0; i < poles.sheet.n_rows; i++) re[i] = l->poles[i].re, im[i] = l->poles[i].im;
    if (l->poles) sheet_end(&poles);
    if (!l->transfers) return;
    size_t n = 0;
    for (size_t i = 0; i < l->n_outputs * l->n_inputs; i++) n += l->transfers[i].n_zeros;
    Sheet zeros = sheet_begin(call, "zeros", n);
    const char **outputs = sheet_texts(&zeros, "output"), **inputs = sheet_texts(&zeros, "input");
    re = sheet_numbers(&zeros, "re", NULL), im = sheet_numbers(&zeros, "im", NULL);
    n = 0;
    for (size_t i = 0; i < l->n_outputs * l->n_inputs; i++) {
        for (size_t k = 0; k < l->transfers[i].n_zeros; k++, n++) {
            outputs[n] = name_of(call, l->outputs[i / l->n_inputs]);
            inputs[n] = name_of(call, l->inputs[i % l->n_inputs]);
            re[n] = l->transfers[i].zeros[k].re;
            im[n] = l->transfers[i].zeros[k].im;
        }
    }
    sheet_end(&zeros);
}

static void tell(Call *call, const orr_linear *l)
{
    const Matrix matrices[] = {
        { "A", l->A, l->states, l->states, l->n_states, l->n_states },
        { "B", l->B, l->states, l->inputs, l->n_states, l->n_inputs },
        { "C", l->C, l->outputs, l->states, l->n_outputs, l->n_states },
        { "D", l->D, l->outputs, l->inputs, l->n_outputs, l->n_inputs },
    };
    say(call, "%s at t = %.6g %s, %s\n", orr_model_name(call->model), l->t, orr_model_time_unit(call->model),
        l->residual > 1e-9 ? "not an equilibrium: rates there are not zero" : "an equilibrium");
    say_variables(call, l->states, l->n_states, l->values, "  ");
    say_variables(call, l->inputs, l->n_inputs, l->values, "  ");
    if (!l->is_symbolic)
        say(call, "  A by differences: loops or size stand in the way of symbolic derivatives\n");
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        if (matrices[i].n_rows == 0 || matrices[i].n_columns == 0) continue;
        say_matrix(call, &matrices[i]);
        keep_matrix(call, &matrices[i]);
    }
    if (l->poles) {
        say(call, "\npoles\n");
        say_spectrum(call, l->poles, l->n_states, "  ", true);
    }
    if (l->transfers) say_transfers(call, l);
    keep_spectra(call, l);
}

static orr_status carry_out(Call *call)
{
    const orr_experiment *e = call->experiment;
    orr_linear_options o = orr_linear_options_default();
    o.run = e->run;
    o.run.t_start = e->from;
    o.run.cancel = call->how->cancel;
    if (!read_at(call, &o)) return ORR_STATUS_USAGE;
    const orr_value *inputs = given_of(e, "inputs"), *outputs = given_of(e, "outputs");
    if (inputs) o.inputs = inputs->names, o.n_inputs = inputs->n_names;
    if (outputs) o.outputs = outputs->names, o.n_outputs = outputs->n_names;
    orr_linear linear = orr_linearise(call->model, &o, call->diag);
    orr_status status = linear.status;
    if (status == ORR_STATUS_OK) tell(call, &linear);
    for (size_t i = 0; call->how->output && i < call->sheets.n && status == ORR_STATUS_OK; i++) {
        const orr_sheet *sheet = &call->sheets.items[i];
        const char *path = arena_printf(call->arena, "%s_%s.csv", call->how->output, sheet->name);
        if (!orr_sheet_write(sheet, path, call->diag)) status = ORR_STATUS_SYSTEM;
    }
    orr_linear_free(&linear);
    return status;
}

const Kind kind_linearise = {
    .kind = {
        .name = "linearise",
        .summary = "Linearise a model: A, B, C, D, poles and zeros",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set input allow-io from solver step tol abs max-step seed max-time",
        .arrays_from = KIND_EXACT,
        .output = "PREFIX",
        .output_help = "write PREFIX_A.csv, _B, _C, _D, _poles and _zeros",
        .details =
            "x' = A x + B u and y = C x + D u hold near the point, for differences from it. The poles\n"
            "are the eigenvalues of A; zeros are given for each pair of an input and an output.\n\n"
            "Examples:\n"
            "  orrery linearise examples/pendulum_inverted.orr --at start\n"
            "  orrery linearise examples/dc_motor.orr -o motor\n"
            "  orrery linearise examples/lotka_volterra.orr --at 3 --inputs alpha --outputs X,Y\n",
    },
    .carry_out = carry_out,
};
