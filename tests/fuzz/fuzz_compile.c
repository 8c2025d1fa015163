// tests/fuzz/fuzz_compile.c: any bytes as a model that is compiled and run for a moment: all stages, from the
// text to values. Whatever fails has its message; arrays kept as arrays give the bits of single variables.
//
// The first byte says how: the language or a block diagram, and the solver.
#include "orrery/experiment.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 20000, VARIABLES_MAX = 200, MODELS_MAX = 8 };

static const char *const solvers[] = {
    "rk4", "euler", "dopri5", "auto", "qss2", "bdf", "in-place", "liqss1"
};

static void must(bool ok)
{
    if (!ok) abort();
}

typedef struct Attempt {
    orr_model *model;    // NULL: it is wrong
    orr_run *run;        // NULL: it cannot begin
    orr_status status;
} Attempt;

static Attempt attempt(const orr_source *source, const char *name, const char *solver, size_t arrays_from,
                       orr_diag *diag)
{
    orr_diag_forget(diag);
    orr_compile_options o = orr_compile_options_default();
    o.model = name;
    o.code = ORR_CODE_INSTANT;
    o.arrays_from = arrays_from;
    Attempt a = { .model = orr_model_compile(source, &o, diag) };
    must((a.model == NULL) == (orr_diag_errors(diag) > 0));
    if (!a.model) return a;
    orr_run_options options = orr_run_options_default();
    options.solver = solver;
    options.t_end = 1;
    options.step = 0.05;
    options.max_seconds = 0.5;
    a.run = orr_run_create(a.model, &options, diag);
    must(a.run || orr_diag_errors(diag) > 0);
    if (!a.run) return a;
    a.status = orr_run_advance(a.run, 0.52);
    must(a.status == ORR_STATUS_OK || orr_diag_errors(diag) > 0);
    return a;
}

static bool equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

// Arrays as arrays, and as single variables.
static void compare(const orr_source *source, const char *name, const char *solver, orr_diag *diag)
{
    const Attempt kept = attempt(source, name, solver, 2, diag);
    const Attempt single = attempt(source, name, solver, SIZE_MAX, diag);
    must((kept.model == NULL) == (single.model == NULL));
    const bool both =
        kept.run && single.run && kept.status == ORR_STATUS_OK && single.status == ORR_STATUS_OK;
    const size_t n = both ? orr_model_n_variables(single.model) : 0;
    for (size_t i = 0; i < n && i < VARIABLES_MAX; i++) {
        const orr_variable variable = orr_model_variable(single.model, i);
        const size_t k = variable.is_hidden ? SIZE_MAX : orr_model_find(kept.model, variable.name);
        if (k != SIZE_MAX) must(equal(orr_run_value(single.run, i), orr_run_value(kept.run, k)));
    }
    orr_run_destroy(kept.run);
    orr_run_destroy(single.run);
    orr_model_destroy(kept.model);
    orr_model_destroy(single.model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > TEXT_MAX) return 0;
    const bool is_diagram = data[0] & 128;
    const char *solver = solvers[data[0] % (sizeof solvers / sizeof *solvers)];
    orr_diag *diag = orr_diag_create();
    orr_source *source =
        orr_source_parse(is_diagram ? "fuzz.csmp" : "fuzz.orr", (const char *)data + 1, size - 1, diag);
    must((source == NULL) == (orr_diag_errors(diag) > 0));
    for (size_t i = 0; source && i < orr_source_n_models(source) && i < MODELS_MAX; i++)
        compare(source, orr_source_model_name(source, i), solver, diag);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return 0;
}
