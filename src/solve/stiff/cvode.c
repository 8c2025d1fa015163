// src/solve/stiff/cvode.c: SUNDIALS' CVODES: BDF for stiff models, Adams for smooth ones.
//
// BDF solves its implicit equations by Newton's method with our own Jacobian (jacobian.h), whose systems are
// factored or, where factors would fill in, iterated (krylov.h); Adams by a fixed point iteration. Stepping
// is that of multistep.h.
#include "base/diag.h"
#include "solve/stiff/krylov.h"
#include "solve/stiff/multistep.h"
#include <cvodes/cvodes.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct Cvode {
    Multistep base;                  // with the Jacobian of BDF
    Krylov krylov;                   // of BDF, where it iterates
    SUNNonlinearSolver nonlinear;    // of Adams
} Cvode;

// ---- What CVODES calls

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    const Multistep *m = data;
    // 1: try a smaller step; the fault is remembered for the message if that never helps
    return island_rates(m->island, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)) ? 0 : 1;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix j, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    (void)fy, (void)w1, (void)w2, (void)w3;
    Multistep *m = data;
    return jacobian_fill(&m->jacobian, t, N_VGetArrayPointer(y), j) ? 0 : 1;
}

static int set_up_preconditioner(sunrealtype t, N_Vector y, N_Vector fy, sunbooleantype is_good,
                                 sunbooleantype *is_new, sunrealtype gamma, void *data)
{
    (void)fy;
    Cvode *m = data;
    bool is_fresh;
    const int status = krylov_set_up(&m->krylov, &m->base.jacobian, t, N_VGetArrayPointer(y), is_good,
                                     &is_fresh, gamma);
    *is_new = is_fresh;
    return status;
}

static int precondition(sunrealtype t, N_Vector y, N_Vector fy, N_Vector b, N_Vector x, sunrealtype gamma,
                        sunrealtype delta, int side, void *data)
{
    (void)t, (void)y, (void)fy, (void)gamma, (void)delta, (void)side;
    const Cvode *m = data;
    krylov_precondition(&m->krylov, N_VGetArrayPointer(b), N_VGetArrayPointer(x));
    return 0;
}

// ---- Linear systems

static bool take_factors(Multistep *m, Arena *arena)
{
    bool reported;
    if (!jacobian_init(&m->jacobian, m->island, m->y, m->context, arena, &reported))
        return reported ? false : multistep_report_set_up(m);
    if (CVodeSetLinearSolver(m->memory, m->jacobian.linear, m->jacobian.matrix) != CV_SUCCESS ||
        CVodeSetJacFn(m->memory, jacobian) != CV_SUCCESS)
        return multistep_report_set_up(m);
    return true;
}

static bool choose_linear(Cvode *m, Arena *arena)
{
    Multistep *base = &m->base;
    if (!jacobian_plan(&base->jacobian, base->island, arena)) return false;
    if (!base->jacobian.is_sparse || !krylov_pays(&base->jacobian.pattern, base->island->model->n_states))
        return take_factors(base, arena);
    return (krylov_init(&m->krylov, base->memory, &base->jacobian, base->y, base->context, arena) &&
            CVodeSetPreconditioner(base->memory, set_up_preconditioner, precondition) == CV_SUCCESS) ||
           multistep_report_set_up(base);
}

// ---- Stepping

// CVODES gave up: say so in the words of the model. Where it iterated, factors may still solve what it
// cannot.
static StepResult give_up(Island *island, int code)
{
    Cvode *cvode = island->memory;
    Multistep *m = &cvode->base;
    const bool is_linear = code == CV_CONV_FAILURE || code == CV_LSETUP_FAIL || code == CV_LSOLVE_FAIL ||
                           code == CV_ERR_FAILURE;
    if (cvode->krylov.linear && is_linear) {
        krylov_free(&cvode->krylov);
        if (!take_factors(m, island->arena)) return STEP_FAILED;
        m->begun = false;
        return multistep_step(island, isnan(m->t_stop) ? (double)INFINITY : m->t_stop);
    }
    double h = 0;
    CVodeGetCurrentStep(m->memory, &h);
    const Place nowhere = { 0 };
    switch (code) {
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_RHSFUNC_FAIL:
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL: fault_report_step(island, h); break;
    case CV_TOO_MUCH_ACC:
        diag_report(island->diag, DIAG_SOLVER_FAILED, nowhere, island->method, island->t,
                    "the tolerance is finer than numbers of 16 digits allow");
        diag_hint(island->diag, "try a tolerance of 1e-12 or more");
        break;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
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
static StepResult step_crumb(Island *island, double t_limit)
{
    Multistep *m = island->memory;
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

static StepResult begin(Island *island, double t_limit)
{
    const Multistep *m = island->memory;
    if (CVodeReInit(m->memory, island->t, m->y) != CV_SUCCESS ||
        CVodeSVtolerances(m->memory, island->options.tolerance, m->absolute) != CV_SUCCESS)
        return give_up(island, CV_ILL_INPUT);
    if (island->options.step > 0) {
        // a guess that the clock cannot tell from nothing is made longer
        const double guess = fmax(island->options.step, 1000 * DBL_EPSILON * fabs(island->t));
        CVodeSetInitStep(m->memory, fmin(guess, t_limit - island->t));
    }
    return STEP_OK;
}

static int advance(Multistep *m, double towards, double *t)
{
    return CVode(m->memory, towards, m->y, t, CV_ONE_STEP);
}

static const MultistepCalls calls = {
    .begin = begin,
    .crumb = step_crumb,
    .advance = advance,
    .give_up = give_up,
    .stuck = CV_ERR_FAILURE,
    .set_stop = CVodeSetStopTime,
    .derivative_at = CVodeGetDky,
    .n_steps = CVodeGetNumSteps,
    .n_error_fails = CVodeGetNumErrTestFails,
    .n_solve_fails = CVodeGetNumStepSolveFails,
};

// ---- Set-up

static void release(Island *island)
{
    Cvode *m = island->memory;
    if (m->base.memory) CVodeFree(&m->base.memory);
    krylov_free(&m->krylov);
    if (m->nonlinear) SUNNonlinSolFree(m->nonlinear);
    m->nonlinear = NULL;
    multistep_free(&m->base);
}

static bool set_up(Island *island, Arena *arena, int method)
{
    const SolverOptions *o = &island->options;
    Cvode *m = ARENA_NEW(arena, Cvode);
    Multistep *base = &m->base;
    island->memory = m;
    if (!multistep_init(base, &calls, island, arena)) return multistep_report_set_up(base);
    void *cvode = base->memory = CVodeCreate(method, base->context);
    if (!cvode) return multistep_report_set_up(base);
    CVodeSetErrHandlerFn(cvode, multistep_keep_words, base);
    if (CVodeInit(cvode, rates, island->t, base->y) != CV_SUCCESS) return multistep_report_set_up(base);
    CVodeSetUserData(cvode, base);
    CVodeSetMaxNumSteps(cvode, -1);    // the driver counts and can be interrupted
    CVodeSetMaxHnilWarns(cvode, -1);
    if (isfinite(o->max_step)) CVodeSetMaxStep(cvode, o->max_step);
    if (method == CV_BDF) return choose_linear(m, arena);
    m->nonlinear = SUNNonlinSol_FixedPoint(base->y, 0, base->context);
    if (!m->nonlinear || CVodeSetNonlinearSolver(cvode, m->nonlinear) != CV_SUCCESS)
        return multistep_report_set_up(base);
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

const Solver solver_bdf = {
    .name = "bdf",
    .summary = "CVODES BDF, implicit, adaptive order and step; for stiff models",
    .traits = SOLVER_IMPLICIT | SOLVER_MULTISTEP,
    .init = init_bdf,
    .step = multistep_step,
    .restart = multistep_restart,
    .state_at = multistep_state_at,
    .free = release,
};

const Solver solver_adams = {
    .name = "adams",
    .summary = "CVODES Adams-Moulton, adaptive order and step; for smooth models that are not stiff",
    .traits = SOLVER_MULTISTEP,
    .init = init_adams,
    .step = multistep_step,
    .restart = multistep_restart,
    .state_at = multistep_state_at,
    .free = release,
};
