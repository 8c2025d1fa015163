// src/solve/stiff/settle.c: consistent values of the implicit states, by Newton's method.
//
// Implicit states are the unknowns of loops that the model leaves to the solver (order/implicit.c). A step
// moves them with all others; where a run begins and after a jump they are solved for here, the others as
// they are.
#include "solve/stiff/settle.h"
#include "base/diag.h"
#include "run/clones.h"
#include "solve/stiff/jacobian.h"
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { ITERATIONS_MAX = 50, NAMES_SHOWN = 3 };

bool *settle_find_implicit(const orr_model *model, Arena *arena)
{
    const Blocks *blocks = &model->blocks;
    bool *is_implicit = ARENA_ARRAY(arena, bool, model->n_states);
    for (uint32_t i = blocks->n_states - blocks->n_implicit; i < blocks->n_states; i++)
        is_implicit[model->ir.layout.state_of[blocks->states[i]]] = true;
    return is_implicit;
}

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
        jacobian_of_residuals(&s->jacobian, s->is_implicit, 1, false, s->jacobian.matrix, n);
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

bool settle_implicit(Island *island)
{
    const orr_model *model = island->model;
    const size_t n = model->n_states;
    if (model->blocks.n_implicit == 0) return true;
    Arena scratch = { 0 };
    SUNContext context = NULL;
    bool ok = SUNContext_Create(NULL, &context) == 0, reported = false;
    Settle s = { .island = island };
    if (ok) {
        s.is_implicit = settle_find_implicit(model, &scratch);
        s.r = ARENA_ARRAY(&scratch, double, n);
        s.weight = ARENA_ARRAY(&scratch, double, n);
        s.before = ARENA_ARRAY(&scratch, double, n);
        s.step = clones_vector(N_VNew_Serial((sunindextype)n, context));
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
