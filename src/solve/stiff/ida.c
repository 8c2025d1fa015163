// src/solve/stiff/ida.c: SUNDIALS' IDAS: BDF for implicit equations F(t, y, y') = 0.
//
// The states are those of other solvers and, behind them, the unknowns of loops that the model leaves to the
// solver (order/implicit.c): for the former F = x' - f(t, x, z), for the latter F is the residual of their
// equation. What BDF asks of the Jacobian is then
//
//     rows of x    cj·I - ∂f/∂(x, z)          rows of z    ∂r/∂(x, z)
//
// so one sparse factorisation serves both, where solving the loops inside f would make all rates depend on
// all states. Where a run begins and after a jump z is solved for first (ida_settle).
#include "solve/stiff/ida.h"
#include "base/diag.h"
#include "solve/solver.h"
#include "solve/stiff/jacobian.h"
#include "solve/stiff/stuck.h"
#include <float.h>
#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { WORDS_MAX = 256, FAILS_MAX = 40, ITERATIONS_MAX = 50, NAMES_SHOWN = 3 };

typedef struct Ida {
    Island *island;    // borrowed
    SUNContext context;
    void *ida;
    N_Vector y, slope;    // over island->x; derivatives, 0 for implicit states
    N_Vector past;        // over `between`: where state_at puts its result
    Jacobian jacobian;
    bool *is_implicit;          // [n]
    bool begun;                 // IDAS stands at the island's (t, x)
    double t_stop;              // told to IDAS; NaN: none
    Stuck stuck;
    double *between, *rates;    // [n] scratch
    char words[WORDS_MAX];      // the last complaint of IDAS
} Ida;

static bool *find_implicit(const orr_model *model, Arena *arena)
{
    const Blocks *blocks = &model->blocks;
    bool *is_implicit = ARENA_ARRAY(arena, bool, model->n_states);
    for (uint32_t i = blocks->n_states - blocks->n_implicit; i < blocks->n_states; i++)
        is_implicit[model->ir.layout.state_of[blocks->states[i]]] = true;
    return is_implicit;
}

// The Jacobian of F: of the rows that have a derivative scale·I - J, where that is wanted, else the identity.
static void turn_matrix(const Jacobian *j, const bool *is_implicit, double cj, bool has_rates,
                        SUNMatrix matrix, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        if (j->is_sparse) {
            double *data = SM_DATA_S(matrix);
            for (sunindextype i = j->pattern.start[c]; i < j->pattern.start[c + 1]; i++) {
                const size_t r = (size_t)j->pattern.row[i];
                if (!is_implicit[r]) data[i] = (r == c ? cj : 0) - (has_rates ? data[i] : 0);
            }
        } else {
            double *column = SM_COLUMN_D(matrix, c);
            for (size_t r = 0; r < n; r++)
                if (!is_implicit[r]) column[r] = (r == c ? cj : 0) - (has_rates ? column[r] : 0);
        }
    }
}

// ---- What IDAS calls

static int residual(sunrealtype t, N_Vector y, N_Vector slope, N_Vector out, void *data)
{
    const Ida *m = data;
    double *r = N_VGetArrayPointer(out);
    const double *dx = N_VGetArrayPointer(slope);
    if (!island_rates(m->island, t, N_VGetArrayPointer(y), r)) return 1;
    for (size_t i = 0; i < m->island->model->n_states; i++)
        if (!m->is_implicit[i]) r[i] = dx[i] - r[i];
    return 0;
}

static int jacobian(sunrealtype t, sunrealtype cj, N_Vector y, N_Vector slope, N_Vector r, SUNMatrix matrix,
                    void *data, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)slope, (void)r, (void)w1, (void)w2, (void)w3;
    Ida *m = data;
    if (!jacobian_fill(&m->jacobian, t, N_VGetArrayPointer(y), matrix)) return 1;
    turn_matrix(&m->jacobian, m->is_implicit, cj, true, matrix, m->island->model->n_states);
    return 0;
}

static void keep_words(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function;
    Ida *m = data;
    snprintf(m->words, sizeof m->words, "%s", message);
}

// ---- Consistent values of the implicit states

// How far the equations are from holding, beside what a change of the unknowns by themselves would do.
static double merit_of(const double *r, const bool *is_implicit, const double *weight, size_t n,
                       size_t *worst)
{
    double merit = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_implicit[i]) continue;
        const double off = fabs(r[i]) / weight[i];
        if (off <= merit) continue;
        merit = off;
        *worst = i;
    }
    return merit;
}

static void report_unsettled(Island *island, size_t worst, bool is_singular)
{
    const orr_model *model = island->model;
    const Blocks *blocks = &model->blocks;
    const uint32_t first = blocks->n_states - blocks->n_implicit;
    Arena work = { 0 };
    StrBuf names = { .arena = &work };
    for (uint32_t i = 0; i < blocks->n_implicit && i < NAMES_SHOWN; i++)
        str_addf(&names, "%s%s", i ? ", " : "", model->flat.vars.items[blocks->states[first + i]].name);
    if (blocks->n_implicit > NAMES_SHOWN) str_addf(&names, " and %u more", blocks->n_implicit - NAMES_SHOWN);
    if (is_singular) {
        diag_report(island->diag, DIAG_LOOP_SINGULAR_NOW, (Place){ 0 }, str_finish(&names), island->t);
        diag_hint(island->diag,
                  "its equations do not determine all of these: is a part of a circuit without a ground?");
        arena_free(&work);
        return;
    }
    diag_report(island->diag, DIAG_NO_CONVERGENCE, (Place){ 0 }, str_finish(&names), island->t);
    diag_hint(island->diag, "first guesses nearer to the solution help: var x ~ value");
    for (uint32_t i = first; i < blocks->n_states; i++) {
        if (model->ir.layout.state_of[blocks->states[i]] != worst) continue;
        const Block *block = &blocks->dynamic.blocks[blocks->dynamic.block_of[blocks->rates[i]]];
        const FlatEquation *equation = &blocks->dynamic.equations[block->equations[0]];
        char *text = run_equation_text(model, equation);
        diag_note(island->diag, run_place(model, island->diag, equation->place), "farthest off is %s", text);
        free(text);
    }
    arena_free(&work);
}

// Largest entry of each row, times the size of its unknown.
static void weigh_rows(const Jacobian *j, const SUNMatrix matrix, const double *x, double *weight, size_t n)
{
    for (size_t i = 0; i < n; i++) weight[i] = 0;
    for (size_t c = 0; c < n; c++) {
        const double size = 1 + fabs(x[c]);
        const sunindextype from = j->is_sparse ? j->pattern.start[c] : 0;
        const sunindextype to = j->is_sparse ? j->pattern.start[c + 1] : (sunindextype)n;
        for (sunindextype i = from; i < to; i++) {
            const size_t r = (size_t)(j->is_sparse ? j->pattern.row[i] : i);
            const double entry = j->is_sparse ? SM_DATA_S(matrix)[i] : SM_ELEMENT_D(matrix, i, c);
            weight[r] = fmax(weight[r], fabs(entry) * size);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!(weight[i] > 0)) weight[i] = 1;
}

// Is a pivot nothing but rounding? Dense matrices are small, and their elimination fails by itself or goes on
// well.
static bool is_singular(const Jacobian *j)
{
    if (!j->is_sparse) return false;
    sun_klu_common *common = SUNLinSol_KLUGetCommon(j->linear);
    if (!sun_klu_rcond(SUNLinSol_KLUGetSymbolic(j->linear), SUNLinSol_KLUGetNumeric(j->linear), common))
        return false;
    return common->rcond < 4 * DBL_EPSILON;
}

typedef struct Settle {
    Island *island;
    Jacobian jacobian;
    bool *is_implicit;
    double *r, *weight, *before;    // [n]
    N_Vector step;
    size_t worst;
    bool is_singular;
} Settle;

// Damped Newton: a step is halved until the equations are better met.
static bool iterate(Settle *s)
{
    Island *island = s->island;
    const size_t n = island->model->n_states;
    double *x = island->x, *step = N_VGetArrayPointer(s->step);
    if (!island_rates(island, island->t, x, s->r)) return false;
    for (int round = 0; round < ITERATIONS_MAX; round++) {
        if (!jacobian_fill(&s->jacobian, island->t, x, s->jacobian.matrix)) return false;
        turn_matrix(&s->jacobian, s->is_implicit, 1, false, s->jacobian.matrix, n);
        weigh_rows(&s->jacobian, s->jacobian.matrix, x, s->weight, n);
        const double merit = merit_of(s->r, s->is_implicit, s->weight, n, &s->worst);
        if (merit == 0) return true;
        for (size_t i = 0; i < n; i++) step[i] = s->is_implicit[i] ? -s->r[i] : 0;
        if (SUNLinSolSetup(s->jacobian.linear, s->jacobian.matrix) != 0 || is_singular(&s->jacobian)) {
            s->is_singular = true;
            return false;
        }
        if (SUNLinSolSolve(s->jacobian.linear, s->jacobian.matrix, s->step, s->step, 0) != 0) return false;
        if (!island_is_finite(step, n)) return false;
        bool is_small = true;
        for (size_t i = 0; i < n; i++) is_small = is_small && fabs(step[i]) <= 1e-12 * fabs(x[i]) + 1e-14;
        memcpy(s->before, x, n * sizeof *x);
        double now = INFINITY;
        for (double f = 1; f > 1e-4; f *= 0.5) {
            for (size_t i = 0; i < n; i++)
                if (s->is_implicit[i]) x[i] = s->before[i] + f * step[i];
            if (!island_rates(island, island->t, x, s->r)) continue;
            now = merit_of(s->r, s->is_implicit, s->weight, n, &s->worst);
            if (now <= (1 - 0.25 * f) * merit || now <= 1e-12) break;
        }
        // nothing but rounding is left
        if (is_small || now <= 1e-14) return true;
        if (!(now < merit)) return now <= 1e-9;
    }
    return false;
}

bool ida_settle(Island *island)
{
    const orr_model *model = island->model;
    const size_t n = model->n_states;
    if (model->blocks.n_implicit == 0) return true;
    Arena scratch = { 0 };
    SUNContext context = NULL;
    bool ok = SUNContext_Create(NULL, &context) == 0, reported = false;
    Settle s = { .island = island };
    if (ok) {
        s.is_implicit = find_implicit(model, &scratch);
        s.r = ARENA_ARRAY(&scratch, double, n);
        s.weight = ARENA_ARRAY(&scratch, double, n);
        s.before = ARENA_ARRAY(&scratch, double, n);
        s.step = N_VNew_Serial((sunindextype)n, context);
        ok = s.step && jacobian_init(&s.jacobian, island, s.step, context, &scratch, &reported) &&
             SUNLinSolInitialize(s.jacobian.linear) == 0 && iterate(&s);
        jacobian_free(&s.jacobian);
        if (s.step) N_VDestroy(s.step);
    }
    if (context) SUNContext_Free(&context);
    arena_free(&scratch);
    if (ok || reported) return ok;
    if (island->fault.kind == FAULT_VALUE) fault_report(island);
    else report_unsettled(island, s.worst, s.is_singular);
    return false;
}

// ---- Set-up

static bool report_set_up(Island *island, const Ida *m)
{
    diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                m->words[0] ? m->words : "it could not be set up");
    return false;
}

static void release(Island *island)
{
    Ida *m = island->memory;
    if (m->ida) IDAFree(&m->ida);
    jacobian_free(&m->jacobian);
    if (m->y) N_VDestroy(m->y);
    if (m->slope) N_VDestroy(m->slope);
    if (m->past) N_VDestroy(m->past);
    if (m->context) SUNContext_Free(&m->context);
    // the island may come here twice
    *m = (Ida){ .island = island };
}

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const size_t n = island->model->n_states;
    const SolverOptions *o = &island->options;
    Ida *m = ARENA_NEW(arena, Ida);
    island->memory = m;
    m->island = island;
    m->t_stop = NAN;
    m->between = ARENA_ARRAY(arena, double, n);
    m->rates = ARENA_ARRAY(arena, double, n);
    m->is_implicit = find_implicit(island->model, arena);
    if (SUNContext_Create(NULL, &m->context) != 0) return report_set_up(island, m);
    m->y = N_VMake_Serial((sunindextype)n, island->x, m->context);
    m->past = N_VMake_Serial((sunindextype)n, m->between, m->context);
    m->slope = N_VNew_Serial((sunindextype)n, m->context);
    m->ida = IDACreate(m->context);
    if (!m->y || !m->past || !m->slope || !m->ida) return report_set_up(island, m);
    N_VConst(0, m->slope);
    IDASetErrHandlerFn(m->ida, keep_words, m);
    if (IDAInit(m->ida, residual, island->t, m->y, m->slope) != IDA_SUCCESS) return report_set_up(island, m);
    if (IDASStolerances(m->ida, o->tolerance, o->absolute) != IDA_SUCCESS) return report_set_up(island, m);
    IDASetUserData(m->ida, m);
    IDASetMaxNumSteps(m->ida, -1);    // the driver counts and can be interrupted
    IDASetMaxErrTestFails(m->ida, FAILS_MAX);
    if (isfinite(o->max_step)) IDASetMaxStep(m->ida, o->max_step);
    bool reported;
    if (!jacobian_init(&m->jacobian, island, m->y, m->context, arena, &reported))
        return reported ? false : report_set_up(island, m);
    if (IDASetLinearSolver(m->ida, m->jacobian.linear, m->jacobian.matrix) != IDA_SUCCESS ||
        IDASetJacFn(m->ida, jacobian) != IDA_SUCCESS)
        return report_set_up(island, m);
    return true;
}

// ---- Stepping

static void restart(Island *island)
{
    Ida *m = island->memory;
    m->begun = false;
}

// IDAS gave up: say so in the words of the model.
static StepResult give_up(Island *island, Ida *m, int code)
{
    double h = 0;
    IDAGetCurrentStep(m->ida, &h);
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
        const double size = island->options.absolute / island->options.tolerance + fabs(island->x[i]);
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
    double *ahead = m->jacobian.shifted, *there = m->jacobian.shifted_rates, sum = 0;
    for (size_t i = 0; i < n; i++) ahead[i] = island->x[i] + h * slope[i];
    if (!island_rates(island, island->t + h, ahead, there)) return 0;
    for (size_t i = 0; i < n; i++) {
        if (m->is_implicit[i]) continue;
        const double allowed = island->options.absolute + island->options.tolerance * fabs(island->x[i]);
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
    double *slope = N_VGetArrayPointer(m->slope), *x = island->x, *ahead = m->jacobian.shifted;
    double *here = m->rates, *there = m->jacobian.shifted_rates;
    const double h = short_time(island, slope);
    for (size_t i = 0; i < n; i++) ahead[i] = x[i] + h * slope[i];
    if (!island_rates(island, island->t, x, here) || !island_rates(island, island->t + h, ahead, there))
        return;
    double *right = m->between;
    for (size_t i = 0; i < n; i++) right[i] = m->is_implicit[i] ? -(there[i] - here[i]) / h : 0;
    SUNMatrix matrix = m->jacobian.matrix;
    if (!jacobian_fill(&m->jacobian, island->t, x, matrix)) return;
    turn_matrix(&m->jacobian, m->is_implicit, 1, false, matrix, n);
    if (SUNLinSolSetup(m->jacobian.linear, matrix) != 0 ||
        SUNLinSolSolve(m->jacobian.linear, matrix, m->past, m->past, 0) != 0 || !island_is_finite(right, n))
        return;
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
static StepResult step_crumb(Island *island, Ida *m, double t_limit)
{
    if (!find_slopes(island, m)) return STEP_FAILED;
    const double *slope = N_VGetArrayPointer(m->slope);
    for (size_t i = 0; i < island->model->n_states; i++) island->x[i] += (t_limit - island->t) * slope[i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = false;
    return ida_settle(island) ? STEP_OK : STEP_FAILED;
}

typedef struct Counts {
    long steps, rejected;
} Counts;

static Counts counts_of(const Ida *m)
{
    long steps = 0, errors = 0, no_convergence = 0;
    IDAGetNumSteps(m->ida, &steps);
    IDAGetNumErrTestFails(m->ida, &errors);
    IDAGetNumStepSolveFails(m->ida, &no_convergence);
    return (Counts){ steps, errors + no_convergence };
}

static StepResult step(Island *island, double t_limit)
{
    Ida *m = island->memory;
    if (!m->begun) {
        if (isfinite(t_limit) &&
            t_limit - island->t <= 16 * DBL_EPSILON * fmax(fabs(island->t), fabs(t_limit)))
            return step_crumb(island, m, t_limit);
        if (!ida_settle(island) || !find_slopes(island, m)) return STEP_FAILED;
        if (IDAReInit(m->ida, island->t, m->y, m->slope) != IDA_SUCCESS)
            return give_up(island, m, IDA_ILL_INPUT);
        const double wanted = island->options.step > 0 ? island->options.step
                                                       : first_step(island, m, t_limit);
        const double guess = wanted > 0 ? fmax(wanted, 1000 * DBL_EPSILON * fabs(island->t)) : 0;
        IDASetInitStep(m->ida, fmin(guess, t_limit - island->t));
        m->t_stop = NAN;
        m->begun = true;
    }
    if (isfinite(t_limit) && m->t_stop != t_limit) {
        IDASetStopTime(m->ida, t_limit);
        m->t_stop = t_limit;
    }
    const Counts before = counts_of(m);
    double t = island->t;
    // the second argument only tells the direction
    const double towards = isfinite(t_limit) ? t_limit : island->t + fmax(1, fabs(island->t));
    const int code = IDASolve(m->ida, towards, &t, m->y, m->slope, IDA_ONE_STEP);
    const Counts after = counts_of(m);
    island->n_rejected += (size_t)(after.rejected - before.rejected);
    if (code < 0) {
        // y lies over the states, which go back to the last good time
        IDAGetDky(m->ida, island->t, 0, m->y);
        return give_up(island, m, code);
    }
    island->n_steps += (size_t)(after.steps - before.steps);
    if (stuck_after(&m->stuck, island->t, t)) return give_up(island, m, IDA_ERR_FAIL);
    island->t_before = island->t;
    island->t = t;
    return STEP_OK;
}

static void state_at(Island *island, double t, double *x)
{
    Ida *m = island->memory;
    IDAGetDky(m->ida, t, 0, m->past);
    memcpy(x, m->between, island->model->n_states * sizeof *x);
}

const Solver solver_ida = {
    .name = "ida",
    .summary = "IDAS BDF for implicit equations: solves loops together with the step; for large loops",
    .traits = SOLVER_IMPLICIT | SOLVER_MULTISTEP | SOLVER_TAKES_LOOPS,
    .init = init,
    .step = step,
    .restart = restart,
    .state_at = state_at,
    .free = release,
};
