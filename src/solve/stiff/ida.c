// src/solve/stiff/ida.c: SUNDIALS' IDAS: BDF for implicit equations F(t, y, y') = 0.
//
// The states are those of other solvers and, behind them, the unknowns of loops that the model leaves to the
// solver (order/implicit.c): for the former F = x' - f(t, x, z), for the latter F is the residual of their
// equation. What BDF asks of the Jacobian is then
//
//     rows of x    cj·I - ∂f/∂(x, z)          rows of z    ∂r/∂(x, z)
//
// so one sparse factorisation serves both, where solving the loops inside f would make all rates depend on
// all states. Where a run begins and after a jump z is solved for first (settle.h).
#include "base/diag.h"
#include "solve/stiff/multistep.h"
#include "run/clones.h"
#include "solve/stiff/settle.h"
#include <float.h>
#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>

enum { FAILS_MAX = 40 };

// How far Newton's iteration may stop from the solution, in tolerances. The error test takes what is missing
// of implicit states for an error of the step, which no shorter step makes smaller: at tolerances near
// rounding the order falls to 1 and each step is made twice. The default of IDAS is 0.33.
#define NEWTON_IMPLICIT 0.01

typedef struct Ida {
    Multistep base;
    N_Vector  slope;          // derivatives, 0 for implicit states
    bool     *is_implicit;    // [n]
} Ida;

// ---- What IDAS calls

static int residual(sunrealtype t, N_Vector y, N_Vector slope, N_Vector out, void *data)
{
    const Ida *m = data;
    double *r = N_VGetArrayPointer(out);
    const double *dx = N_VGetArrayPointer(slope);
    if (!island_rates(m->base.island, t, N_VGetArrayPointer(y), r)) return 1;
    for (size_t i = 0; i < m->base.island->model->n_states; i++)
        if (!m->is_implicit[i]) r[i] = dx[i] - r[i];
    return 0;
}

static int jacobian(sunrealtype t, sunrealtype cj, N_Vector y, N_Vector slope, N_Vector r, SUNMatrix matrix,
                    void *data, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)slope, (void)r, (void)w1, (void)w2, (void)w3;
    Ida *m = data;
    Jacobian *j = &m->base.jacobian;
    if (!jacobian_fill(j, t, N_VGetArrayPointer(y), matrix)) return 1;
    jacobian_of_residuals(j, m->is_implicit, cj, true, matrix, m->base.island->model->n_states);
    return 0;
}

// ---- Stepping

// IDAS gave up: say so in the words of the model.
static StepResult give_up(Island *island, int code)
{
    const Multistep *m = island->memory;
    double h = 0;
    IDAGetCurrentStep(m->memory, &h);
    switch (code) {
    case IDA_ERR_FAIL:
    case IDA_CONV_FAIL:
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
    case IDA_NLS_FAIL:
    case IDA_CONSTR_FAIL: fault_report_step(island, h); break;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
        if (island->fault.kind != FAULT_NONE) {
            fault_report(island);
            break;
        }
        diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                    "its Jacobian is singular");
        diag_hint(island->diag, "equations that say the same, or none for something, make it so");
        break;
    default:
        diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                    m->words[0] ? m->words : IDAGetReturnFlagName(code));
        break;
    }
    return STEP_FAILED;
}

// A time in which nothing moves by more than a little, for differences.
static double short_time(const Island *island, const double *slope)
{
    const double span = isfinite(island->options.t_end) ? island->options.t_end - island->t : 1;
    double h = 1e-7 * (span > 0 ? span : 1);
    for (size_t i = 0; i < island->model->n_states; i++) {
        const double size = island->absolute[i] / island->options.tolerance + fabs(island->x[i]);
        if (slope[i] != 0) h = fmin(h, 1e-5 * size / fabs(slope[i]));
    }
    return fmax(h, 1e3 * DBL_EPSILON * fabs(island->t));
}

// The step whose error by Euler's method would be half of what is allowed, h²/2 x''; IDAS itself looks at x'
// only, and would begin with steps so short that relations are lost in rounding. 0: it may choose.
static double first_step(Island *island, Ida *m, double t_limit)
{
    const size_t n = island->model->n_states;
    const double *slope = N_VGetArrayPointer(m->slope), h = short_time(island, slope);
    double *ahead = m->base.jacobian.shifted, *there = m->base.jacobian.shifted_rates, sum = 0;
    for (size_t i = 0; i < n; i++) ahead[i] = island->x[i] + h * slope[i];
    if (!island_rates(island, island->t + h, ahead, there)) return 0;
    for (size_t i = 0; i < n; i++) {
        if (m->is_implicit[i]) continue;
        const double allowed = island->absolute[i] + island->options.tolerance * fabs(island->x[i]);
        const double bend = (there[i] - slope[i]) / h / allowed;
        sum += bend * bend / (double)n;
    }
    const double longest = 0.1 * (isfinite(t_limit) ? t_limit - island->t : INFINITY);
    return sum > 0 && isfinite(sum) ? fmin(1 / sqrt(sqrt(sum)), longest) : 0;
}

// How fast the implicit states move where the equations hold: ∂r/∂z z' = -dr/dt, the rest moving by its
// slopes. Without it the first step would have to be tiny; if it cannot be found the slopes stay 0.
static void find_implicit_slopes(Island *island, Ida *m)
{
    const size_t n = island->model->n_states;
    Jacobian *j = &m->base.jacobian;
    double *slope = N_VGetArrayPointer(m->slope), *x = island->x, *ahead = j->shifted;
    double *here = m->base.rates, *there = j->shifted_rates;
    const double h = short_time(island, slope);
    for (size_t i = 0; i < n; i++) ahead[i] = x[i] + h * slope[i];
    if (!island_rates(island, island->t, x, here) || !island_rates(island, island->t + h, ahead, there))
        return;
    double *right = m->base.between;
    for (size_t i = 0; i < n; i++) right[i] = m->is_implicit[i] ? -(there[i] - here[i]) / h : 0;
    SUNMatrix matrix = j->matrix;
    if (!jacobian_fill(j, island->t, x, matrix)) return;
    jacobian_of_residuals(j, m->is_implicit, 1, false, matrix, n);
    N_Vector b = m->base.past;    // over `right`, which becomes the solution
    if (SUNLinSolSetup(j->linear, matrix) != 0 || SUNLinSolSolve(j->linear, matrix, b, b, 0) != 0) return;
    if (!island_is_finite(right, n)) return;
    for (size_t i = 0; i < n; i++)
        if (m->is_implicit[i]) slope[i] = right[i];
}

static bool find_slopes(Island *island, Ida *m)
{
    double *slope = N_VGetArrayPointer(m->slope);
    if (!island_rates(island, island->t, island->x, slope)) {
        fault_report(island);
        return false;
    }
    for (size_t i = 0; i < island->model->n_states; i++)
        if (m->is_implicit[i]) slope[i] = 0;
    if (island->model->blocks.n_implicit > 0) find_implicit_slopes(island, m);
    return true;
}

// What is left is shorter than any step IDAS would take.
static StepResult step_crumb(Island *island, double t_limit)
{
    Ida *m = island->memory;
    if (!find_slopes(island, m)) return STEP_FAILED;
    const double *slope = N_VGetArrayPointer(m->slope);
    for (size_t i = 0; i < island->model->n_states; i++) island->x[i] += (t_limit - island->t) * slope[i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->base.begun = false;
    return settle_implicit(island) ? STEP_OK : STEP_FAILED;
}

static StepResult begin(Island *island, double t_limit)
{
    Ida *m = island->memory;
    if (!settle_implicit(island) || !find_slopes(island, m)) return STEP_FAILED;
    if (IDAReInit(m->base.memory, island->t, m->base.y, m->slope) != IDA_SUCCESS ||
        IDASVtolerances(m->base.memory, island->options.tolerance, m->base.absolute) != IDA_SUCCESS)
        return give_up(island, IDA_ILL_INPUT);
    const double wanted = island->options.step > 0 ? island->options.step : first_step(island, m, t_limit);
    const double guess = wanted > 0 ? fmax(wanted, 1000 * DBL_EPSILON * fabs(island->t)) : 0;
    IDASetInitStep(m->base.memory, fmin(guess, t_limit - island->t));
    return STEP_OK;
}

static int advance(Multistep *base, double towards, double *t)
{
    const Ida *m = (const Ida *)base;
    return IDASolve(base->memory, towards, t, base->y, m->slope, IDA_ONE_STEP);
}

static const MultistepCalls calls = {
    .begin = begin,
    .crumb = step_crumb,
    .advance = advance,
    .give_up = give_up,
    .stuck = IDA_ERR_FAIL,
    .set_stop = IDASetStopTime,
    .derivative_at = IDAGetDky,
    .n_steps = IDAGetNumSteps,
    .n_error_fails = IDAGetNumErrTestFails,
    .n_solve_fails = IDAGetNumStepSolveFails,
};

// ---- Set-up

static void release(Island *island)
{
    Ida *m = island->memory;
    if (m->base.memory) IDAFree(&m->base.memory);
    if (m->slope) N_VDestroy(m->slope);
    m->slope = NULL;
    multistep_free(&m->base);
}

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const SolverOptions *o = &island->options;
    Ida *m = ARENA_NEW(arena, Ida);
    Multistep *base = &m->base;
    island->memory = m;
    m->is_implicit = settle_find_implicit(island->model, arena);
    if (!multistep_init(base, &calls, island, arena)) return multistep_report_set_up(base);
    m->slope = clones_vector(N_VNew_Serial((sunindextype)island->model->n_states, base->context));
    void *ida = base->memory = IDACreate(base->context);
    if (!m->slope || !ida) return multistep_report_set_up(base);
    N_VConst(0, m->slope);
    IDASetErrHandlerFn(ida, multistep_keep_words, base);
    if (IDAInit(ida, residual, island->t, base->y, m->slope) != IDA_SUCCESS)
        return multistep_report_set_up(base);
    IDASetUserData(ida, m);
    IDASetMaxNumSteps(ida, -1);    // the driver counts and can be interrupted
    IDASetMaxErrTestFails(ida, FAILS_MAX);
    if (island->model->blocks.n_implicit > 0) IDASetNonlinConvCoef(ida, NEWTON_IMPLICIT);
    if (isfinite(o->max_step)) IDASetMaxStep(ida, o->max_step);
    bool reported;
    if (!jacobian_init(&base->jacobian, island, base->y, base->context, arena, &reported))
        return reported ? false : multistep_report_set_up(base);
    if (IDASetLinearSolver(ida, base->jacobian.linear, base->jacobian.matrix) != IDA_SUCCESS ||
        IDASetJacFn(ida, jacobian) != IDA_SUCCESS)
        return multistep_report_set_up(base);
    return true;
}

const Solver solver_ida = {
    .name = "ida",
    .summary = "IDAS BDF for implicit equations: solves loops together with the step; for large loops",
    .traits = SOLVER_IMPLICIT | SOLVER_MULTISTEP | SOLVER_TAKES_LOOPS,
    .init = init,
    .step = multistep_step,
    .restart = multistep_restart,
    .state_at = multistep_state_at,
    .free = release,
};
