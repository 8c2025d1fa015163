// bench/peers/ours.c: the problems by all solvers of Orrery, through its C interface: one compiled model,
// several runs.
//
//     ours models.orr PROBLEM…    prints: program,method,problem,tolerance or step or quantum,ms,values
#include "orrery/orrery.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Problem {
    const char *name, *model;
    double      end;
    double      absolute;         // share of the relative tolerance
    const char *values[3];        // looked at in the end
    double      largest_step;     // of fixed steps: beyond it they are unstable, or hardly begin
    double      largest_quantum;
} Problem;

static const Problem problems[] = {
    { "lv", "LotkaVolterra", 15, 1e-3, { "X", "Y" }, 0.08, 1e-2 },
    { "brusselator", "Brusselator", 20, 1e-3, { "X", "Y" }, 0.08, 1e-2 },
    { "robertson", "Robertson", 40, 1e-6, { "A", "B", "C" }, 4e-4, 1e-2 },
    { "vdp", "VanDerPol", 2, 1e-3, { "X", "Y" }, 4e-7, 1e-2 },
    { "heat", "Heat", 0.1, 1e-3, { "u[25]", "u[50]" }, 4e-5, 1e-2 },
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

enum { REPEAT = 5 };
#define ENOUGH_MS  500.0     // repeated no longer than this
#define TOO_LONG_S 2.0

// One way of solving a problem. The best of several runs, in ms; NaN if it fails.
static double measure(const orr_model *model, const Problem *p, const orr_run_options *options,
                      double values[3])
{
    double best = INFINITY;
    const double begun = now_ms();
    for (int k = 0; k < REPEAT && (k == 0 || now_ms() - begun < ENOUGH_MS); k++) {
        orr_diag *diag = orr_diag_create();
        const double before = now_ms();
        orr_run *run = orr_run_create(model, options, diag);
        const bool ok = run && orr_run_advance(run, p->end) == ORR_STATUS_OK;
        const double ms = now_ms() - before;
        for (int i = 0; ok && i < 3 && p->values[i]; i++) {
            values[i] = orr_run_value(run, orr_model_find(model, p->values[i]));
        }
        orr_run_destroy(run);
        orr_diag_destroy(diag);
        if (!ok) return NAN;
        if (ms < best) best = ms;
    }
    return best;
}

static void print(const Problem *p, const char *method, double parameter, double ms, const double values[3])
{
    printf("Orrery,%s,%s,%g,%.4f", method, p->name, parameter, ms);
    for (int i = 0; i < 3 && p->values[i]; i++) printf(",%.17g", values[i]);
    printf("\n");
    fflush(stdout);
}

// Five settings of one solver, from coarse to fine, as long as they take less than a few seconds.
static void try_solver(const orr_model *model, const Problem *p, const orr_solver_info *solver)
{
    for (int k = 0; k < 5; k++) {
        orr_run_options options = orr_run_options_default();
        options.solver = solver->name;
        options.t_end = p->end;
        options.max_seconds = TOO_LONG_S;
        double parameter;
        if (solver->fixed_step) {
            parameter = options.step = p->largest_step * pow(solver->order > 3 ? 0.25 : 0.1, k);
        } else if (solver->is_quantised) {
            parameter = options.quantum = p->largest_quantum * pow(0.1, k);
        } else {
            parameter = options.tolerance = pow(10, -3 - 2 * k);
            options.absolute = options.tolerance * p->absolute;
        }
        double values[3] = { NAN, NAN, NAN };
        const double begun = now_ms(), ms = measure(model, p, &options, values);
        if (isnan(ms)) {
            const bool took_too_long = now_ms() - begun > TOO_LONG_S * 900;
            const bool may_be_unstable = solver->fixed_step || solver->is_quantised;
            if (may_be_unstable && !took_too_long) continue;    // a finer one may do
            break;
        }
        print(p, solver->name, parameter, ms, values);
        if (ms > TOO_LONG_S * 300) break;
    }
}

int main(int argc, char **argv)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = argc > 1 ? orr_source_open(argv[1], diag) : NULL;
    int status = source ? 0 : 1;
    for (int a = 2; a < argc && status == 0; a++) {
        for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
            const Problem *p = &problems[i];
            if (strcmp(p->name, argv[a]) != 0) continue;
            orr_compile_options options = orr_compile_options_default();
            options.model = p->model;
            orr_model *model = orr_model_compile(source, &options, diag);
            if (!model) status = 1;
            const orr_solver_info *solver;
            for (size_t k = 0; model && (solver = orr_solver_at(k)) != NULL; k++)
                try_solver(model, p, solver);
            orr_model_destroy(model);
        }
    }
    if (status) orr_diag_print(diag, stderr, false);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return status;
}
