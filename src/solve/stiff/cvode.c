// src/solve/stiff/cvode.c: SUNDIALS' CVODES: BDF for stiff models, Adams for smooth ones.
//
// CVODES steps freely (CV_ONE_STEP) up to the end of the run; events and recording read its interpolating
// polynomial, and a jump reinitialises it at order 1. BDF solves its implicit equations by Newton's method
// with our own Jacobian: symbolic if the model has one, else by differences along its pattern, columns that
// share no row together. Small or dense matrices go to dense LU, large sparse ones to KLU. What CVODES would
// print is kept and becomes part of our messages.
#include "base/diag.h"
#include "solve/solver.h"
#include <cvodes/cvodes.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { SPARSE_FROM = 10, DENSE_MAX = 5000, WORDS_MAX = 256, STUCK_MAX = 5 };

// The pattern of I - γJ: that of J with the whole diagonal, by compressed columns.
typedef struct Pattern {
    const IrPattern *from;    // borrowed: of the model
    sunindextype *start;      // [n + 1]
    sunindextype *row;        // [n_entries]
    uint32_t     *place;      // [pattern of the model] where each of its entries lies among these
    sunindextype  n_entries;
    uint32_t     *group;      // [n] columns of one group share no row, so one difference serves them all
    uint32_t      n_groups;
} Pattern;

typedef struct Cvode {
    Island    *island;        // borrowed
    SUNContext context;
    void      *cvode;
    N_Vector   y;             // over island->x
    N_Vector   past;          // over `between`: where state_at puts its result
    SUNMatrix  matrix;
    SUNLinearSolver    linear;
    SUNNonlinearSolver nonlinear;
    bool       is_sparse;
    bool       begun;         // CVODES stands at the island's (t, x)
    double     t_stop;        // told to CVODES; NaN: none
    int        n_stuck;       // steps in a row too short to move the time
    Pattern    pattern;       // if sparse
    double    *entries;       // [n_jacobian] of the symbolic Jacobian
    double    *between, *rates, *shifted, *shifted_rates;    // [n] scratch
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

// Size of the difference by which a state is shifted.
static double shift_of(const Island *island, double x)
{
    const double scale = island->options.absolute / island->options.tolerance + fabs(x);
    return sqrt(DBL_EPSILON) * (scale > 0 ? scale : 1);
}

static int fill_dense(Cvode *m, double t, double *x, SUNMatrix j)
{
    Island *island = m->island;
    const Ir *ir = &island->model->ir;
    const size_t n = island->model->n_states;
    if (ir->has_jacobian && !island->surface.is_on) {
        if (island->model->code.programs[IR_JACOBIAN](t, x, &island->env, m->entries) != 0) return 1;
        SUNMatZero(j);
        for (uint32_t i = 0; i < ir->n_jacobian; i++)
            SM_ELEMENT_D(j, ir->jacobian[i].row, ir->jacobian[i].column) = m->entries[i];
        return island_is_finite(m->entries, ir->n_jacobian) ? 0 : 1;
    }
    if (!island_rates(island, t, x, m->rates)) return 1;
    memcpy(m->shifted, x, n * sizeof *x);
    for (size_t c = 0; c < n; c++) {
        const double h = shift_of(island, x[c]);
        m->shifted[c] = x[c] + h;
        if (!island_rates(island, t, m->shifted, m->shifted_rates)) return 1;
        for (size_t r = 0; r < n; r++) SM_ELEMENT_D(j, r, c) = (m->shifted_rates[r] - m->rates[r]) / h;
        m->shifted[c] = x[c];
    }
    return 0;
}

static int fill_sparse(Cvode *m, double t, double *x, SUNMatrix j)
{
    Island *island = m->island;
    const Ir *ir = &island->model->ir;
    const size_t n = island->model->n_states;
    const Pattern *p = &m->pattern;
    const IrPattern *from = p->from;
    double *data = SM_DATA_S(j);
    memcpy(SM_INDEXPTRS_S(j), p->start, (n + 1) * sizeof *p->start);
    memcpy(SM_INDEXVALS_S(j), p->row, (size_t)p->n_entries * sizeof *p->row);
    memset(data, 0, (size_t)p->n_entries * sizeof *data);
    if (ir->has_jacobian && !island->surface.is_on) {
        if (island->model->code.programs[IR_JACOBIAN](t, x, &island->env, m->entries) != 0) return 1;
        for (uint32_t i = 0; i < ir->n_jacobian; i++) data[p->place[i]] = m->entries[i];
        return island_is_finite(m->entries, ir->n_jacobian) ? 0 : 1;
    }
    if (!island_rates(island, t, x, m->rates)) return 1;
    for (uint32_t g = 0; g < p->n_groups; g++) {
        for (size_t c = 0; c < n; c++)
            m->shifted[c] = p->group[c] == g ? x[c] + shift_of(island, x[c]) : x[c];
        if (!island_rates(island, t, m->shifted, m->shifted_rates)) return 1;
        for (size_t c = 0; c < n; c++) {
            if (p->group[c] != g) continue;
            for (uint32_t i = from->start[c]; i < from->start[c + 1]; i++) {
                const uint32_t r = from->row[i];
                data[p->place[i]] = (m->shifted_rates[r] - m->rates[r]) / (m->shifted[c] - x[c]);
            }
        }
    }
    return 0;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix j, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    (void)fy, (void)w1, (void)w2, (void)w3;
    Cvode *m = data;
    double *x = N_VGetArrayPointer(y);
    return m->is_sparse ? fill_sparse(m, t, x, j) : fill_dense(m, t, x, j);
}

// ---- Set-up

// Columns of the model's pattern, each with its diagonal entry.
static void make_pattern(Pattern *p, const IrPattern *from, size_t n, Arena *arena)
{
    p->from = from;
    p->start = ARENA_ARRAY(arena, sunindextype, n + 1);
    p->row = ARENA_ARRAY(arena, sunindextype, from->n + n);
    p->place = ARENA_ARRAY(arena, uint32_t, from->n);
    sunindextype at = 0;
    for (size_t c = 0; c < n; c++) {
        p->start[c] = at;
        bool has_diagonal = false;
        for (uint32_t i = from->start[c]; i < from->start[c + 1]; i++) {
            if (!has_diagonal && from->row[i] >= c) {
                has_diagonal = true;
                if (from->row[i] > c) p->row[at++] = (sunindextype)c;
            }
            p->place[i] = (uint32_t)at;
            p->row[at++] = from->row[i];
        }
        if (!has_diagonal) p->row[at++] = (sunindextype)c;
    }
    p->start[n] = at;
    p->n_entries = at;
}

// Greedy colouring: each column takes the first group in which no column has a row in common with it. Columns
// that meet in a row are found through the rows, so the work is that of the product of pattern and transposed
// pattern.
static void make_groups(Pattern *p, const IrPattern *from, size_t n, Arena *arena)
{
    p->group = ARENA_ARRAY(arena, uint32_t, n);
    Arena scratch = { 0 };
    uint32_t *row_start = ARENA_ARRAY(&scratch, uint32_t, n + 2);
    uint32_t *column = ARENA_ARRAY(&scratch, uint32_t, from->n + 1);
    for (uint32_t i = 0; i < from->n; i++) row_start[from->row[i] + 2]++;
    for (size_t r = 2; r < n + 2; r++) row_start[r] += row_start[r - 1];
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = from->start[c]; i < from->start[c + 1]; i++)
            column[row_start[from->row[i] + 1]++] = c;

    // [group] 1 + the column that saw it taken
    uint32_t *taken_by = ARENA_ARRAY(&scratch, uint32_t, n + 1);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t i = from->start[c]; i < from->start[c + 1]; i++) {
            const uint32_t r = from->row[i];
            for (uint32_t k = row_start[r]; k < row_start[r + 1] && column[k] < c; k++)
                taken_by[p->group[column[k]]] = c + 1;
        }
        uint32_t g = 0;
        while (taken_by[g] == c + 1) g++;
        p->group[c] = g;
        if (g + 1 > p->n_groups) p->n_groups = g + 1;
    }
    arena_free(&scratch);
}

static bool report_set_up(Island *island, const Cvode *m)
{
    diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                m->words[0] ? m->words : "it could not be set up");
    return false;
}

// Matrix and linear solver for Newton's method.
static bool choose_matrix(Cvode *m, Arena *arena)
{
    Island *island = m->island;
    const orr_model *model = island->model;
    const size_t n = model->n_states;
    if (model->ir.has_jacobian && !code_require(&model->code, CODE_PART_JACOBIAN, island->diag)) return false;
    m->entries = ARENA_ARRAY(arena, double, model->ir.n_jacobian);
    // a third of all places filled: dense LU is as fast and simpler
    const IrPattern *from = n > SPARSE_FROM ? model_pattern(model) : NULL;
    m->is_sparse = from && (double)from->n < (double)n * (double)n / 3;
    if (m->is_sparse) {
        make_pattern(&m->pattern, from, n, arena);
        if (!model->ir.has_jacobian || model->n_relations) make_groups(&m->pattern, from, n, arena);
        m->matrix =
            SUNSparseMatrix((sunindextype)n, (sunindextype)n, m->pattern.n_entries, CSC_MAT, m->context);
        m->linear = m->matrix ? SUNLinSol_KLU(m->y, m->matrix, m->context) : NULL;
    } else {
        if (n > DENSE_MAX) {
            const double gigabytes = 2.0 * (double)n * (double)n * sizeof(double) * 1e-9;
            diag_report(island->diag, DIAG_MEMORY_LIMIT, (Place){ 0 }, "a full Jacobian", gigabytes,
                        2.0 * DENSE_MAX * DENSE_MAX * sizeof(double) * 1e-9);
            diag_hint(island->diag, "use an explicit solver such as dopri5");
            return false;
        }
        m->matrix = SUNDenseMatrix((sunindextype)n, (sunindextype)n, m->context);
        m->linear = m->matrix ? SUNLinSol_Dense(m->y, m->matrix, m->context) : NULL;
    }
    if (!m->linear || CVodeSetLinearSolver(m->cvode, m->linear, m->matrix) != CV_SUCCESS)
        return report_set_up(island, m);
    if (CVodeSetJacFn(m->cvode, jacobian) != CV_SUCCESS) return report_set_up(island, m);
    return true;
}

static void release(Island *island)
{
    Cvode *m = island->memory;
    if (m->cvode) CVodeFree(&m->cvode);
    if (m->linear) SUNLinSolFree(m->linear);
    if (m->nonlinear) SUNNonlinSolFree(m->nonlinear);
    if (m->matrix) SUNMatDestroy(m->matrix);
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
    m->shifted = ARENA_ARRAY(arena, double, n);
    m->shifted_rates = ARENA_ARRAY(arena, double, n);
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
        if (t_limit - island->t <= 16 * DBL_EPSILON * fmax(fabs(island->t), fabs(t_limit)))
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
    // CVODES only warns when t + h = t, and goes on for ever
    m->n_stuck = t > island->t ? 0 : m->n_stuck + 1;
    if (m->n_stuck >= STUCK_MAX) return give_up(island, m, CV_ERR_FAILURE);
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
