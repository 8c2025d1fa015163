// src/solve/stiff/shifted.c: linear systems with σM - J; see shifted.h.
#include "solve/stiff/shifted.h"
#include "base/diag.h"
#include "num/lu.h"
#include <string.h>

enum { DENSE_MAX = 2000 };    // states: the matrices then take 0.2 GB

bool shifted_init(Shifted *s, Island *island, const bool *is_implicit, Arena *arena)
{
    const size_t n = island->model->n_states;
    *s = (Shifted){ .is_implicit = is_implicit, .n = n };
    if (!jacobian_plan(&s->j, island, arena)) return false;
    const bool is_sparse = s->j.is_sparse;
    if (!is_sparse && n > DENSE_MAX) {
        const double gigabyte = 6e-9 * sizeof(double);
        diag_report(island->diag, DIAG_MEMORY_LIMIT, (Place){ 0 }, "a full Jacobian",
                    gigabyte * (double)n * (double)n, gigabyte * DENSE_MAX * DENSE_MAX);
        diag_hint(island->diag, "use 'bdf', or an explicit solver such as dopri5");
        return false;
    }
    const size_t n_values = is_sparse ? (size_t)s->j.pattern.n_entries : n * n;
    s->values = ARENA_ARRAY(arena, double, n_values);
    s->real = ARENA_ARRAY(arena, double, n_values);
    s->complex = ARENA_ARRAY(arena, double, (is_sparse ? 2 : 4) * n_values);
    s->pair = ARENA_ARRAY(arena, double, 2 * n);
    if (!is_sparse) {
        s->pivots = ARENA_ARRAY(arena, size_t, n);
        s->complex_pivots = ARENA_ARRAY(arena, size_t, 2 * n);
        return true;
    }
    klu_l_defaults(&s->common);
    s->symbolic = klu_l_analyze((SuiteSparse_long)n, s->j.pattern.start, s->j.pattern.row, &s->common);
    if (s->symbolic) return true;
    diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, island->t,
                "its Jacobian is singular");
    return false;
}

void shifted_free(Shifted *s)
{
    if (s->real_factors) klu_l_free_numeric(&s->real_factors, &s->common);
    if (s->complex_factors) klu_zl_free_numeric(&s->complex_factors, &s->common);
    if (s->symbolic) klu_l_free_symbolic(&s->symbolic, &s->common);
}

bool shifted_renew(Shifted *s, double t, double *x) { return jacobian_values(&s->j, t, x, s->values); }

// Row r, column c of a dense matrix that is stored row by row.
static void fill_dense(Shifted *s, double gamma, double alpha, double beta)
{
    const size_t n = s->n, m = 2 * n;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) {
            const double entry = s->values[c * n + r];
            const bool has_mass = r == c && !s->is_implicit[r];
            s->real[r * n + c] = (has_mass ? gamma : 0) - entry;
            s->complex[r * m + c] = s->complex[(r + n) * m + c + n] = (has_mass ? alpha : 0) - entry;
            s->complex[r * m + c + n] = has_mass ? -beta : 0;
            s->complex[(r + n) * m + c] = has_mass ? beta : 0;
        }
    }
}

static void fill_sparse(Shifted *s, double gamma, double alpha, double beta)
{
    const JacobianPattern *p = &s->j.pattern;
    for (size_t c = 0; c < s->n; c++) {
        for (sunindextype i = p->start[c]; i < p->start[c + 1]; i++) {
            const bool has_mass = (size_t)p->row[i] == c && !s->is_implicit[c];
            s->real[i] = (has_mass ? gamma : 0) - s->values[i];
            s->complex[2 * i] = (has_mass ? alpha : 0) - s->values[i];
            s->complex[2 * i + 1] = has_mass ? beta : 0;
        }
    }
}

bool shifted_factor(Shifted *s, double gamma, double alpha, double beta)
{
    if (!s->j.is_sparse) {
        fill_dense(s, gamma, alpha, beta);
        return lu_factor(s->real, s->n, s->pivots, NULL) &&
               lu_factor(s->complex, 2 * s->n, s->complex_pivots, NULL);
    }
    const JacobianPattern *p = &s->j.pattern;
    fill_sparse(s, gamma, alpha, beta);
    if (s->real_factors) klu_l_free_numeric(&s->real_factors, &s->common);
    if (s->complex_factors) klu_zl_free_numeric(&s->complex_factors, &s->common);
    s->real_factors = klu_l_factor(p->start, p->row, s->real, s->symbolic, &s->common);
    s->complex_factors = klu_zl_factor(p->start, p->row, s->complex, s->symbolic, &s->common);
    return s->real_factors && s->complex_factors && s->common.status == KLU_OK;
}

void shifted_solve_real(Shifted *s, double *b)
{
    const SuiteSparse_long n = (SuiteSparse_long)s->n;
    if (s->j.is_sparse) klu_l_solve(s->symbolic, s->real_factors, n, 1, b, &s->common);
    else lu_solve(s->real, s->n, s->pivots, b);
}

void shifted_solve_complex(Shifted *s, double *re, double *im)
{
    const size_t n = s->n, stride = s->j.is_sparse ? 2 : 1, offset = s->j.is_sparse ? 1 : n;
    for (size_t i = 0; i < n; i++) {
        s->pair[i * stride] = re[i];
        s->pair[i * stride + offset] = im[i];
    }
    if (s->j.is_sparse)
        klu_zl_solve(s->symbolic, s->complex_factors, (SuiteSparse_long)n, 1, s->pair, &s->common);
    else lu_solve(s->complex, 2 * n, s->complex_pivots, s->pair);
    for (size_t i = 0; i < n; i++) {
        re[i] = s->pair[i * stride];
        im[i] = s->pair[i * stride + offset];
    }
}
