// apps/cli/cmd_linearise.c: `orrery linearise`: the linear model around a point, its poles and zeros.
#include "commands.h"
#include "spectrum.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 };    // rows and columns of a matrix on the terminal

typedef struct Settings {
    Opening     opening;
    double      from;
    const char *at, *inputs, *outputs, *output, *solver;
} Settings;

static const Option options[] = {
    { "--at", OPTION_TEXT, "steady|start|T",
      "the equilibrium (default), the initial values, or a time of a run", offsetof(Settings, at) },
    { "--inputs", OPTION_TEXT, "A,B", "inputs or parameters (default: all inputs)",
      offsetof(Settings, inputs) },
    { "--outputs", OPTION_TEXT, "A,B", "any variables (default: the outputs, or the states)",
      offsetof(Settings, outputs) },
    { "--from", OPTION_NUMBER, "T", "start of the run (default: that of the experiment, or 0)",
      offsetof(Settings, from) },
    { "--solver", OPTION_TEXT, "S", "method of the run for --at T", offsetof(Settings, solver) },
    { "-o", OPTION_TEXT, "PREFIX", "write PREFIX_A.csv, _B, _C, _D, _poles and _zeros",
      offsetof(Settings, output) },
    OPENING_OPTIONS(Settings),
};

static bool read_at(const char *text, orr_linear_options *o, orr_diag *diag)
{
    o->at = ORR_AT_STEADY;
    if (!text || strcmp(text, "steady") == 0) return true;
    if (strcmp(text, "start") == 0) return o->at = ORR_AT_START, true;
    o->at = ORR_AT_TIME;
    if (orr_parse_number(text, &o->run.t_end) && isfinite(o->run.t_end)) return true;
    usage_error(diag, "E022", "write --at steady, --at start or --at 12.5",
                "option '--at' needs steady, start or a time, not '%s'", text);
    return false;
}

static void print_matrix(const orr_model *model, const char *name, const double *matrix, const size_t *rows,
                         size_t n_rows, const size_t *columns, size_t n_columns)
{
    if (n_rows == 0 || n_columns == 0) return;
    const size_t r_shown = n_rows < SHOWN ? n_rows : SHOWN, c_shown = n_columns < SHOWN ? n_columns : SHOWN;
    const int left = variable_width(model, rows, r_shown, (int)strlen(name) + 2);
    printf("\n%s%*s", name, left - (int)strlen(name), "");
    for (size_t c = 0; c < c_shown; c++) {
        const char *head = orr_model_variable(model, columns[c]).name;
        printf("  %14s", head);
    }
    puts(c_shown < n_columns ? "  …" : "");
    for (size_t r = 0; r < r_shown; r++) {
        const char *head = orr_model_variable(model, rows[r]).name;
        printf("%s%*s", head, left > (int)strlen(head) ? left - (int)strlen(head) : 0, "");
        for (size_t c = 0; c < c_shown; c++) printf("  %14.8g", matrix[r * n_columns + c]);
        puts(c_shown < n_columns ? "  …" : "");
    }
    if (r_shown < n_rows) printf("… %zu more rows; -o PREFIX writes them all\n", n_rows - r_shown);
}

static void print_transfers(const orr_linear *l, const orr_model *model)
{
    for (size_t i = 0; i < l->n_outputs * l->n_inputs; i++) {
        const orr_transfer *t = &l->transfers[i];
        printf("\nzeros from %s to %s", orr_model_variable(model, l->inputs[i % l->n_inputs]).name,
               orr_model_variable(model, l->outputs[i / l->n_inputs]).name);
        if (t->gain == 0) {
            puts(": the input does not reach the output");
            continue;
        }
        printf(": %s    gain %.8g", t->n_zeros ? "" : "none", t->gain);
        if (isfinite(t->steady)) printf(", for slow changes %.8g", t->steady);
        fputc('\n', stdout);
        spectrum_print(t->zeros, t->n_zeros, "  ", true, stdout);
    }
}

static void print(const orr_linear *l, const orr_model *model)
{
    printf("%s at t = %.6g %s, %s\n", orr_model_name(model), l->t, orr_model_time_unit(model),
           l->residual > 1e-9 ? "not an equilibrium: rates there are not zero" : "an equilibrium");
    variables_print(model, l->states, l->n_states, l->values, "  ", stdout);
    variables_print(model, l->inputs, l->n_inputs, l->values, "  ", stdout);
    if (!l->is_symbolic) puts("  A by differences: loops or size stand in the way of symbolic derivatives");
    print_matrix(model, "A", l->A, l->states, l->n_states, l->states, l->n_states);
    print_matrix(model, "B", l->B, l->states, l->n_states, l->inputs, l->n_inputs);
    print_matrix(model, "C", l->C, l->outputs, l->n_outputs, l->states, l->n_states);
    print_matrix(model, "D", l->D, l->outputs, l->n_outputs, l->inputs, l->n_inputs);
    if (l->poles) {
        puts("\npoles");
        spectrum_print(l->poles, l->n_states, "  ", true, stdout);
    }
    if (l->transfers) print_transfers(l, model);
}

static orr_status work(const void *settings, const Session *session, orr_experiment *experiment, bool ok,
                       orr_diag *diag)
{
    const Settings *s = settings;
    List inputs = { 0 }, outputs = { 0 };
    orr_linear_options o = orr_linear_options_default();
    o.run = experiment->run;
    o.run.t_start = isnan(s->from) ? experiment->from : s->from;
    if (s->solver) o.run.solver = s->solver;
    ok &= read_at(s->at, &o, diag);
    if (s->inputs) names_split(s->inputs, &inputs);
    if (s->outputs) names_split(s->outputs, &outputs);
    o.inputs = inputs.items, o.n_inputs = inputs.n;
    o.outputs = outputs.items, o.n_outputs = outputs.n;
    orr_status status = ORR_STATUS_USAGE;
    if (ok) {
        orr_linear linear = orr_linearise(session->model, &o, diag);
        status = linear.status;
        if (status == ORR_STATUS_OK) print(&linear, session->model);
        if (status == ORR_STATUS_OK && s->output &&
            !orr_linear_write(&linear, session->model, s->output, diag))
            status = ORR_STATUS_SYSTEM;
        orr_linear_free(&linear);
    }
    names_free(&inputs);
    names_free(&outputs);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const SessionOptions open = { .opening = &s->opening, .arrays_from = SESSION_EXACT };
    return session_do(&open, arguments, settings, work, diag);
}

const Command command_linearise = {
    .name = "linearise",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Linearise a model: A, B, C, D, poles and zeros",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "x' = A x + B u and y = C x + D u hold near the point, for differences from it. The poles\n"
               "are the eigenvalues of A; zeros are given for each pair of an input and an output.\n\n"
               "Examples:\n"
               "  orrery linearise examples/pendulum_inverted.orr --at start\n"
               "  orrery linearise examples/dc_motor.orr -o motor\n"
               "  orrery linearise examples/lotka_volterra.orr --at 3 --inputs alpha --outputs X,Y\n",
};
