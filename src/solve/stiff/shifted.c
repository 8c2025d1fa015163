// src/solve/stiff/shifted.c: linear systems with σM - J; see shifted.h.
#include "solve/stiff/shifted.h"
#include "base/diag.h"

enum { DENSE_MAX = 2000 };    // states: the matrices then take 0.2 GB

bool shifted_init(Shifted *s, Island *island, const bool *is_implicit, Arena *arena)
{
    const size_t n = island->model->n_states;
    *s = (Shifted){ .dense = { .is_implicit = is_implicit, .n = n } };
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
    s->dense.values = ARENA_ARRAY(arena, double, n_values);
    s->dense.real = ARENA_ARRAY(arena, double, n_values);
    s->dense.complex = ARENA_ARRAY(arena, double, (is_sparse ? 2 : 4) * n_values);
    s->dense.pair = ARENA_ARRAY(arena, double, 2 * n);
    if (!is_sparse) {
        s->dense.pivots = ARENA_ARRAY(arena, size_t, n);
        s->dense.complex_pivots = ARENA_ARRAY(arena, size_t, 2 * n);
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

bool shifted_renew(void *memory, double t, double *x)
{
    Shifted *s = memory;
    return jacobian_values(&s->j, t, x, s->dense.values);
}

static void fill_sparse(Shifted *s, double gamma, double alpha, double beta)
{
    const JacobianPattern *p = &s->j.pattern;
    const DenseShifted *d = &s->dense;
    for (size_t c = 0; c < d->n; c++) {
        for (sunindextype i = p->start[c]; i < p->start[c + 1]; i++) {
            const bool has_mass = (size_t)p->row[i] == c && !d->is_implicit[c];
            d->real[i] = (has_mass ? gamma : 0) - d->values[i];
            d->complex[2 * i] = (has_mass ? alpha : 0) - d->values[i];
            d->complex[2 * i + 1] = has_mass ? beta : 0;
        }
    }
}

bool shifted_factor(void *memory, double gamma, double alpha, double beta)
{
    Shifted *s = memory;
    if (!s->j.is_sparse) return dense_factor(&s->dense, gamma, alpha, beta);
    const JacobianPattern *p = &s->j.pattern;
    fill_sparse(s, gamma, alpha, beta);
    if (s->real_factors) klu_l_free_numeric(&s->real_factors, &s->common);
    if (s->complex_factors) klu_zl_free_numeric(&s->complex_factors, &s->common);
    s->real_factors = klu_l_factor(p->start, p->row, s->dense.real, s->symbolic, &s->common);
    s->complex_factors = klu_zl_factor(p->start, p->row, s->dense.complex, s->symbolic, &s->common);
    return s->real_factors && s->complex_factors && s->common.status == KLU_OK;
}

void shifted_solve_real(void *memory, double *b)
{
    Shifted *s = memory;
    if (!s->j.is_sparse) dense_solve_real(&s->dense, b);
    else klu_l_solve(s->symbolic, s->real_factors, (SuiteSparse_long)s->dense.n, 1, b, &s->common);
}

void shifted_solve_complex(void *memory, double *re, double *im)
{
    Shifted *s = memory;
    const size_t n = s->dense.n;
    double *pair = s->dense.pair;
    if (!s->j.is_sparse) {
        dense_solve_complex(&s->dense, re, im);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        pair[2 * i] = re[i];
        pair[2 * i + 1] = im[i];
    }
    klu_zl_solve(s->symbolic, s->complex_factors, (SuiteSparse_long)n, 1, pair, &s->common);
    for (size_t i = 0; i < n; i++) {
        re[i] = pair[2 * i];
        im[i] = pair[2 * i + 1];
    }
}
