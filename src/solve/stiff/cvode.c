// src/solve/stiff/cvode.c: SUNDIALS' CVODES: BDF for stiff models, Adams for smooth ones.
//
// CVODES steps freely (CV_ONE_STEP) up to the end of the run; events and recording read its interpolating
// polynomial, and a jump reinitialises it at order 1. BDF solves its implicit equations by Newton's method
// with our own Jacobian (jacobian.h). What CVODES would print is kept and becomes part of our messages.
#include "base/diag.h"
#include "solve/solver.h"
#include "solve/stiff/jacobian.h"
#include "solve/stiff/stuck.h"
#include <cvodes/cvodes.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { WORDS_MAX = 256 };

typedef struct Cvode {
    Island    *island;        // borrowed
    SUNContext context;
    void      *cvode;
    N_Vector   y;             // over island->x
    N_Vector   past;          // over `between`: where state_at puts its result
    Jacobian   jacobian;      // of BDF
    SUNNonlinearSolver nonlinear;
    bool       begun;         // CVODES stands at the island's (t, x)
    double     t_stop;        // told to CVODES; NaN: none
    Stuck      stuck;
    double    *between, *rates;       // [n] scratch
    char       words[WORDS_MAX];      // the last complaint of CVODES
} Cvode;

// ---- What CVODES calls

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    const Cvode *m = data;
    // 1: try a smaller step; the fault is remembered for the message if that never helps
    return island_rates(m->island, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)) ? 0 : 1;
}

static void keep_words(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function;
    Cvode *m = data;
    snprintf(m->words, sizeof m->words, "%s", message);
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix j, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    (void)fy, (void)w1, (void)w2, (void)w3;
    Cvode *m = data;
    return jacobian_fill(&m->jacobian, t, N_VGetArrayPointer(y), j) ? 0 : 1;
}

// ---- Set-up

static bool report_set_up(Island *island, const Cvode *m)
{
    diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                m->words[0] ? m->words : "it could not be set up");
    return false;
}

// Matrix and linear solver for Newton's method.
static bool choose_matrix(Cvode *m, Arena *arena)
{
    bool reported;
    if (!jacobian_init(&m->jacobian, m->island, m->y, m->context, arena, &reported))
        return reported ? false : report_set_up(m->island, m);
    if (CVodeSetLinearSolver(m->cvode, m->jacobian.linear, m->jacobian.matrix) != CV_SUCCESS)
        return report_set_up(m->island, m);
    if (CVodeSetJacFn(m->cvode, jacobian) != CV_SUCCESS) return report_set_up(m->island, m);
    return true;
}

static void release(Island *island)
{
    Cvode *m = island->memory;
    if (m->cvode) CVodeFree(&m->cvode);
    jacobian_free(&m->jacobian);
    if (m->nonlinear) SUNNonlinSolFree(m->nonlinear);
    if (m->y) N_VDestroy(m->y);
    if (m->past) N_VDestroy(m->past);
    if (m->context) SUNContext_Free(&m->context);
    // the island may come here twice
    *m = (Cvode){ .island = island };
}

static bool set_up(Island *island, Arena *arena, int method)
{
    const size_t n = island->model->n_states;
    const SolverOptions *o = &island->options;
    Cvode *m = ARENA_NEW(arena, Cvode);
    island->memory = m;
    m->island = island;
    m->t_stop = NAN;
    m->between = ARENA_ARRAY(arena, double, n);
    m->rates = ARENA_ARRAY(arena, double, n);
    if (SUNContext_Create(NULL, &m->context) != 0) return report_set_up(island, m);
    m->y = N_VMake_Serial((sunindextype)n, island->x, m->context);
    m->past = N_VMake_Serial((sunindextype)n, m->between, m->context);
    m->cvode = CVodeCreate(method, m->context);
    if (!m->y || !m->past || !m->cvode) return report_set_up(island, m);
    CVodeSetErrHandlerFn(m->cvode, keep_words, m);
    if (CVodeInit(m->cvode, rates, island->t, m->y) != CV_SUCCESS) return report_set_up(island, m);
    if (CVodeSStolerances(m->cvode, o->tolerance, o->absolute) != CV_SUCCESS) return report_set_up(island, m);
    CVodeSetUserData(m->cvode, m);
    CVodeSetMaxNumSteps(m->cvode, -1);    // the driver counts and can be interrupted
    CVodeSetMaxHnilWarns(m->cvode, -1);
    if (isfinite(o->max_step)) CVodeSetMaxStep(m->cvode, o->max_step);
    if (method == CV_BDF) return choose_matrix(m, arena);
    m->nonlinear = SUNNonlinSol_FixedPoint(m->y, 0, m->context);
    if (!m->nonlinear || CVodeSetNonlinearSolver(m->cvode, m->nonlinear) != CV_SUCCESS)
        return report_set_up(island, m);
    return true;
}

static bool init_bdf(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    return set_up(island, arena, CV_BDF);
}

static bool init_adams(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    return set_up(island, arena, CV_ADAMS);
}

// ---- Stepping

static void restart(Island *island)
{
    Cvode *m = island->memory;
    m->begun = false;
}

// CVODES gave up: say so in the words of the model.
static StepResult give_up(Island *island, Cvode *m, int code)
{
    double h = 0;
    CVodeGetCurrentStep(m->cvode, &h);
    const Place nowhere = { 0 };
    switch (code) {
    case CV_FIRST_RHSFUNC_ERR: case CV_REPTD_RHSFUNC_ERR: case CV_UNREC_RHSFUNC_ERR: case CV_RHSFUNC_FAIL:
    case CV_ERR_FAILURE: case CV_CONV_FAILURE: case CV_NLS_FAIL: fault_report_step(island, h); break;
    case CV_TOO_MUCH_ACC:
        diag_report(island->diag, DIAG_SOLVER_FAILED, nowhere, island->method, island->t,
                    "the tolerance is finer than numbers of 16 digits allow");
        diag_hint(island->diag, "try a tolerance of 1e-12 or more");
        break;
    case CV_LSETUP_FAIL: case CV_LSOLVE_FAIL:
        if (island->fault.kind != FAULT_NONE) {
            fault_report(island);
            break;
        }
        diag_report(island->diag, DIAG_SOLVER_FAILED, nowhere, island->method, island->t,
                    "its Jacobian is singular");
        diag_hint(island->diag, "'%s' changes fastest; an explicit solver such as dopri5 needs no Jacobian",
                  island_fastest(island, island->t, island->x));
        break;
    default:
        diag_report(island->diag, DIAG_SOLVER_FAILED, nowhere, island->method, island->t,
                    m->words[0] ? m->words : CVodeGetReturnFlagName(code));
        break;
    }
    return STEP_FAILED;
}

// What is left is shorter than any step CVODES would take.
static StepResult step_crumb(Island *island, Cvode *m, double t_limit)
{
    if (!island_rates(island, island->t, island->x, m->rates)) {
        fault_report(island);
        return STEP_FAILED;
    }
    for (size_t i = 0; i < island->model->n_states; i++) island->x[i] += (t_limit - island->t) * m->rates[i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = false;
    return STEP_OK;
}

typedef struct Counts {
    long steps, rejected;
} Counts;

static Counts counts_of(const Cvode *m)
{
    long steps = 0, errors = 0, no_convergence = 0;
    CVodeGetNumSteps(m->cvode, &steps);
    CVodeGetNumErrTestFails(m->cvode, &errors);
    CVodeGetNumStepSolveFails(m->cvode, &no_convergence);
    return (Counts){ steps, errors + no_convergence };
}

static StepResult step(Island *island, double t_limit)
{
    Cvode *m = island->memory;
    if (!m->begun) {
        if (isfinite(t_limit) &&
            t_limit - island->t <= 16 * DBL_EPSILON * fmax(fabs(island->t), fabs(t_limit)))
            return step_crumb(island, m, t_limit);
        if (CVodeReInit(m->cvode, island->t, m->y) != CV_SUCCESS) return give_up(island, m, CV_ILL_INPUT);
        if (island->options.step > 0) {
            // a guess that the clock cannot tell from nothing is made longer
            const double guess = fmax(island->options.step, 1000 * DBL_EPSILON * fabs(island->t));
            CVodeSetInitStep(m->cvode, fmin(guess, t_limit - island->t));
        }
        m->t_stop = NAN;
        m->begun = true;
    }
    if (isfinite(t_limit) && m->t_stop != t_limit) {
        CVodeSetStopTime(m->cvode, t_limit);
        m->t_stop = t_limit;
    }
    const Counts before = counts_of(m);
    double t = island->t;
    // the second argument only tells the direction
    const double towards = isfinite(t_limit) ? t_limit : island->t + fmax(1, fabs(island->t));
    const int code = CVode(m->cvode, towards, m->y, &t, CV_ONE_STEP);
    const Counts after = counts_of(m);
    island->n_rejected += (size_t)(after.rejected - before.rejected);
    if (code < 0) {
        // y lies over the states, which go back to the last good time
        CVodeGetDky(m->cvode, island->t, 0, m->y);
        return give_up(island, m, code);
    }
    island->n_steps += (size_t)(after.steps - before.steps);
    if (stuck_after(&m->stuck, island->t, t)) return give_up(island, m, CV_ERR_FAILURE);
    island->t_before = island->t;
    island->t = t;
    return STEP_OK;
}

static void state_at(Island *island, double t, double *x)
{
    Cvode *m = island->memory;
    CVodeGetDky(m->cvode, t, 0, m->past);
    memcpy(x, m->between, island->model->n_states * sizeof *x);
}

const Solver solver_bdf = {
    .name = "bdf",
    .summary = "CVODES BDF, implicit, adaptive order and step; for stiff models",
    .traits = SOLVER_IMPLICIT | SOLVER_MULTISTEP,
    .init = init_bdf,
    .step = step,
    .restart = restart,
    .state_at = state_at,
    .free = release,
};

const Solver solver_adams = {
    .name = "adams",
    .summary = "CVODES Adams-Moulton, adaptive order and step; for smooth models that are not stiff",
    .traits = SOLVER_MULTISTEP,
    .init = init_adams,
    .step = step,
    .restart = restart,
    .state_at = state_at,
    .free = release,
};
