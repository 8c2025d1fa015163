// tests/manufactured/judge.c: run a manufactured model by one solver and compare it with the solution.
//
// Every solver runs twice. The error of the second run must be within what is promised:
//
//     fixed steps   h and h/4: the error shrinks as the order p of the method says, down to 0.1*h^p
//     tolerances    at most C*tolerance*size, C from the conditioning of the switches
//     quanta        at most C*quantum
#include "judge.h"
#include "dice.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double tolerances[] = { 1e-5, 1e-8 }, steps[] = { 1.0 / 500, 1.0 / 2000 };
static const double quanta[][2] = { { 4e-3, 1e-3 }, { 1e-3, 1e-4 } };    // of the first order, of higher ones
enum { SECONDS = 4 };    // of processor time, for both runs of a solver

static const double C_tolerance = 3000, C_quantum = 50, C_order = 2.5, rounding = 1e-10;

// Times at which values are compared: spread over the run, not next to a jump of x, and the end.
static void choose_samples(Judged *judged)
{
    static double breaks[MOST_BREAKS];
    const Model *model = judged->model;
    uint64_t dice = model->seed + 7;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        double t = model->end;
        for (bool is_near = i + 1 < N_SAMPLES; is_near;) {
            is_near = false;
            t = model->end * ((double)i + random_number(&dice)) / N_SAMPLES;
            for (size_t c = 0; c < model->n_cells && !is_near; c++) {
                for (size_t k = 0; k < model->cells[c].n_terms && !is_near; k++) {
                    const Term *term = &model->cells[c].terms[k];
                    const size_t n = term_kicks(term) ? term_breaks(term, model->end, breaks) : 0;
                    for (size_t b = 0; b < n; b++) is_near |= fabs(breaks[b] - t) < 1e-4 * model->end;
                }
            }
        }
        judged->samples[i] = t;
    }
}

void judge_open(const Model *model, orr_code code, Judged *judged)
{
    static Path path;
    *judged = (Judged){ .model = model, .text = model_write(model), .diag = orr_diag_create() };
    judged->source = orr_source_parse("model.orr", judged->text, strlen(judged->text), judged->diag);
    orr_compile_options options = orr_compile_options_default();
    options.model = "All";
    options.code = code;
    if (judged->source) judged->compiled = orr_model_compile(judged->source, &options, judged->diag);
    choose_samples(judged);
    for (size_t c = 0; c < model->n_cells; c++) {
        cell_path(&model->cells[c], model->end, &path);
        judged->largest[c] = 0.1;    // errors are relative to the largest value, but not to nothing
        for (size_t i = 0; i < N_SAMPLES; i++) {
            judged->exact[c][i] = path_value(&path, &model->cells[c], judged->samples[i]);
            judged->largest[c] = fmax(judged->largest[c], fabs(judged->exact[c][i]));
        }
    }
}

void judge_close(Judged *judged)
{
    orr_model_destroy(judged->compiled);
    orr_source_destroy(judged->source);
    orr_diag_destroy(judged->diag);
    free(judged->text);
}

orr_run_options judge_options(const Model *model, const orr_solver_info *solver, int level)
{
    const double size = pow(10, model->size), pace = pow(10, model->pace);
    orr_run_options o = orr_run_options_default();
    o.solver = solver->name;
    o.t_end = model->end * pace;
    if (solver->fixed_step) o.step = model->end * pace * steps[level];
    else if (solver->is_quantised) o.quantum = quanta[solver->order > 1][level] * size;
    else o.tolerance = tolerances[level];
    return o;
}

// ---- One run

static void refuse(Outcome *outcome, const orr_diag *diag)
{
    outcome->verdict = REFUSED;
    snprintf(outcome->code, sizeof outcome->code, "none");
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        if (m.severity == ORR_SEVERITY_ERROR) snprintf(outcome->code, sizeof outcome->code, "%.7s", m.code);
    }
}

// the largest error of a run; the outcome gets where it was. A run that ends with a message is refused.
static double largest_error(const Judged *judged, const orr_run_options *options, Outcome *outcome)
{
    const Model *model = judged->model;
    const double size = pow(10, model->size), pace = pow(10, model->pace);
    orr_diag *diag = orr_diag_create();
    orr_run *run = orr_run_create(judged->compiled, options, diag);
    double worst = 0;
    if (!run) refuse(outcome, diag);
    for (size_t i = 0; run && i < N_SAMPLES; i++) {
        if (orr_run_advance(run, judged->samples[i] * pace) != ORR_STATUS_OK) {
            refuse(outcome, diag);
            break;
        }
        for (size_t c = 0; c < model->n_cells; c++) {
            char name[32];
            cell_name(model, c, name);
            const double found = orr_run_value(run, orr_model_find(judged->compiled, name)) / size;
            double error = fabs(found - judged->exact[c][i]) / judged->largest[c];
            if (isnan(error)) error = INFINITY;
            if (error < worst) continue;
            worst = error;
            outcome->cell = c;
            outcome->t = judged->samples[i] * pace;
            outcome->found = found * size;
            outcome->expected = judged->exact[c][i] * size;
        }
    }
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    return worst;
}

static int order_of(const Model *model, const orr_solver_info *solver)
{
    int order = solver->order > 0 ? solver->order : 1;
    for (size_t c = 0; c < model->n_cells; c++) {
        for (size_t i = 0; i < model->cells[c].n_terms; i++) {
            const int most = model->cells[c].terms[i].construct->order_most;
            if (most > 0 && most < order) order = most;
        }
    }
    return order;
}

static Outcome judge_here(const Judged *judged, const orr_solver_info *solver)
{
    const Model *model = judged->model;
    Outcome outcome = { .verdict = RIGHT };
    for (int level = 0; level < 2; level++) {
        const orr_run_options o = judge_options(model, solver, level);
        const double error = largest_error(judged, &o, &outcome);
        if (outcome.verdict == REFUSED) return outcome;
        *(level == 0 ? &outcome.coarse : &outcome.fine) = error;
    }
    const double condition = model_condition(model);
    if (solver->fixed_step)
        outcome.limit = condition * (rounding + 0.1 * pow(model->end * steps[1], order_of(model, solver))) +
                        C_order * outcome.coarse * pow(steps[1] / steps[0], order_of(model, solver));
    else if (solver->is_quantised) outcome.limit = C_quantum * condition * quanta[solver->order > 1][1];
    else outcome.limit = C_tolerance * condition * tolerances[1];
    // an error that does not shrink is seen by the first run too
    if (solver->fixed_step && outcome.coarse > condition * order_of(model, solver)) outcome.limit = 0;
    if (!(outcome.fine <= outcome.limit)) outcome.verdict = WRONG;
    return outcome;
}

Outcome judge_solver(const Judged *judged, const orr_solver_info *solver)
{
    int ends[2];
    Outcome outcome = { .verdict = CRASHED };
    fflush(NULL);
    if (pipe(ends) != 0) abort();
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS + 2 });
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        close(ends[0]);
        outcome = judge_here(judged, solver);
        const ssize_t n = write(ends[1], &outcome, sizeof outcome);
        _exit(n == sizeof outcome ? 0 : 1);
    }
    close(ends[1]);
    Outcome told;
    const bool is_told = read(ends[0], &told, sizeof told) == sizeof told;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        outcome.verdict = SLOW;
    return is_told ? told : outcome;
}
