// src/solve/stiff/jacobian.c: filling it, and choosing the matrix.
#include "solve/stiff/jacobian.h"
#include "base/diag.h"
#include "engine/shifted.h"
#include "num/colour.h"
#include "run/clones.h"
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { SPARSE_FROM = 10, DENSE_MAX = 5000, ORDER_FROM = 1000, BY_AMD = 0 };

// By formulas. False where one has no value, such as the slope of a root at 0: differences do.
static bool fill_entries(const Jacobian *m, double t, const double *x)
{
    Island *island = m->island;
    const double *seen = domain_seen(island, x);
    return code_call(&island->model->code, IR_JACOBIAN, t, seen, &island->env, m->entries) == 0 &&
           island_is_finite(m->entries, island->model->ir.n_jacobian);
}

static bool fill_dense(Jacobian *m, double t, double *x, double *values)
{
    Island *island = m->island;
    const Ir *ir = &island->model->ir;
    const size_t n = island->model->n_states;
    if (ir->has_jacobian && !island->surface.is_on) {
        if (!fill_entries(m, t, x)) return dense_differences(island, t, x, values, m->scratch);
        memset(values, 0, n * n * sizeof *values);
        for (uint32_t i = 0; i < ir->n_jacobian; i++)
            values[ir->jacobian[i].column * n + ir->jacobian[i].row] = m->entries[i];
        return true;
    }
    return dense_differences(island, t, x, values, m->scratch);
}

static bool fill_sparse(Jacobian *m, double t, double *x, double *values)
{
    Island *island = m->island;
    const Ir *ir = &island->model->ir;
    const size_t n = island->model->n_states;
    const JacobianPattern *p = &m->pattern;
    const IrPattern *from = p->from;
    memset(values, 0, (size_t)p->n_entries * sizeof *values);
    if (ir->has_jacobian && !island->surface.is_on && fill_entries(m, t, x)) {
        for (uint32_t i = 0; i < ir->n_jacobian; i++) values[p->place[i]] = m->entries[i];
        return true;
    }
    if (!p->group || !island_rates(island, t, x, m->rates)) return false;
    for (uint32_t g = 0; g < p->n_groups; g++) {
        double way = 1;
        for (bool is_known = false; !is_known; way = -way) {
            for (size_t c = 0; c < n; c++)
                m->shifted[c] = p->group[c] == g ? x[c] + way * dense_shift(island, c, x[c]) : x[c];
            is_known = island_rates(island, t, m->shifted, m->shifted_rates);
            if (!is_known && way < 0) return false;
        }
        for (size_t c = 0; c < n; c++) {
            if (p->group[c] != g) continue;
            for (uint32_t i = from->start[c]; i < from->start[c + 1]; i++) {
                const uint32_t r = from->row[i];
                values[p->place[i]] = (m->shifted_rates[r] - m->rates[r]) / (m->shifted[c] - x[c]);
            }
        }
    }
    return true;
}

bool jacobian_values(Jacobian *j, double t, double *x, double *values)
{
    return j->is_sparse ? fill_sparse(j, t, x, values) : fill_dense(j, t, x, values);
}

bool jacobian_fill(Jacobian *j, double t, double *x, SUNMatrix matrix)
{
    if (!j->is_sparse) return fill_dense(j, t, x, SM_DATA_D(matrix));
    const JacobianPattern *p = &j->pattern;
    memcpy(SM_INDEXPTRS_S(matrix), p->start, (j->island->model->n_states + 1) * sizeof *p->start);
    memcpy(SM_INDEXVALS_S(matrix), p->row, (size_t)p->n_entries * sizeof *p->row);
    return fill_sparse(j, t, x, SM_DATA_S(matrix));
}

// Columns of the model's pattern, each with its diagonal entry.
static void make_pattern(JacobianPattern *p, const IrPattern *from, size_t n, Arena *arena)
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

bool jacobian_plan(Jacobian *j, Island *island, Arena *arena)
{
    const orr_model *model = island->model;
    const size_t n = model->n_states;
    *j = (Jacobian){ .island = island };
    if (model->ir.has_jacobian && !code_require(&model->code, CODE_PART_JACOBIAN, island->diag)) return false;
    j->entries = ARENA_ARRAY(arena, double, model->ir.n_jacobian);
    j->scratch = ARENA_ARRAY(arena, double, 3 * n);
    j->rates = j->scratch;
    j->shifted = j->scratch + n;
    j->shifted_rates = j->scratch + 2 * n;
    // a third of all places filled: dense LU is as fast and simpler
    const IrPattern *from = n > SPARSE_FROM ? model_pattern(model) : NULL;
    j->is_sparse = from && (double)from->n < (double)n * (double)n / 3;
    if (!j->is_sparse) return true;
    make_pattern(&j->pattern, from, n, arena);
    if (!model->ir.has_jacobian || model->n_relations || model->tables.has_domain) {
        j->pattern.group = ARENA_ARRAY(arena, uint32_t, n);
        j->pattern.n_groups = colour_columns(from->start, from->row, (uint32_t)n, j->pattern.group);
    }
    return true;
}

// Have at least half of the entries beside the diagonal one on its other side? Then AMD, which orders the sum
// of the matrix and its transpose, fills in less than COLAMD.
static bool is_nearly_symmetric(const JacobianPattern *p, size_t n)
{
    sunindextype n_both = 0;
    for (size_t c = 0; c < n; c++)
        for (sunindextype i = p->start[c]; i < p->start[c + 1]; i++) {
            const sunindextype r = p->row[i];
            sunindextype lo = p->start[r], hi = p->start[r + 1];
            while (lo < hi) {
                const sunindextype middle = lo + (hi - lo) / 2;
                if (p->row[middle] < (sunindextype)c) lo = middle + 1;
                else hi = middle;
            }
            n_both += r != (sunindextype)c && lo < p->start[r + 1] && p->row[lo] == (sunindextype)c;
        }
    return 2 * n_both >= p->n_entries - (sunindextype)n;
}

bool jacobian_init(Jacobian *j, Island *island, N_Vector y, SUNContext context, Arena *arena, bool *reported)
{
    const size_t n = island->model->n_states;
    const sunindextype size = (sunindextype)n;
    *reported = true;
    if (!j->island && !jacobian_plan(j, island, arena)) return false;
    if (j->is_sparse) {
        j->matrix = clones_matrix(SUNSparseMatrix(size, size, j->pattern.n_entries, CSC_MAT, context));
        j->linear = j->matrix ? SUNLinSol_KLU(y, j->matrix, context) : NULL;
        if (j->linear && n >= ORDER_FROM && is_nearly_symmetric(&j->pattern, n))
            SUNLinSol_KLUSetOrdering(j->linear, BY_AMD);
    } else {
        if (n > DENSE_MAX) {
            const double gigabytes = 2.0 * (double)n * (double)n * sizeof(double) * 1e-9;
            diag_report(island->diag, DIAG_MEMORY_LIMIT, (Place){ 0 }, "a full Jacobian", gigabytes,
                        2.0 * DENSE_MAX * DENSE_MAX * sizeof(double) * 1e-9);
            diag_hint(island->diag, "use an explicit solver such as dopri5");
            return false;
        }
        j->matrix = clones_matrix(SUNDenseMatrix(size, size, context));
        j->linear = j->matrix ? SUNLinSol_Dense(y, j->matrix, context) : NULL;
    }
    *reported = false;
    return j->linear != NULL;
}

void jacobian_free(Jacobian *j)
{
    if (j->linear) SUNLinSolFree(j->linear);
    if (j->matrix) SUNMatDestroy(j->matrix);
    *j = (Jacobian){ 0 };
}

void jacobian_of_residuals(const Jacobian *j, const bool *is_implicit, double cj, bool has_rates,
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
