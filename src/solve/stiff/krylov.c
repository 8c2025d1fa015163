// src/solve/stiff/krylov.c: see krylov.h.
#include "solve/stiff/krylov.h"
#include <cvodes/cvodes.h>
#include <klu.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>

enum {
    KRYLOV_FROM = 2000,    // states; below, factors are cheap whatever they fill in
    KRYLOV_FILL = 5,    // entries of the factors for each of the matrix; measured on grids of 30² to 300²
    KRYLOV_VECTORS = 20,
};

bool krylov_pays(const JacobianPattern *pattern, size_t n)
{
    if (n < KRYLOV_FROM) return false;
    klu_l_common common;
    klu_l_defaults(&common);
    klu_l_symbolic *plan = klu_l_analyze((SuiteSparse_long)n, pattern->start, pattern->row, &common);
    if (!plan) return false;
    const bool pays = plan->lnz + plan->unz > KRYLOV_FILL * (double)pattern->n_entries;
    klu_l_free_symbolic(&plan, &common);
    return pays;
}

bool krylov_init(Krylov *k, void *cvode, const Jacobian *jacobian, N_Vector y, SUNContext context,
                 Arena *arena)
{
    const JacobianPattern *p = &jacobian->pattern;
    const size_t n = jacobian->island->model->n_states, n_entries = (size_t)p->n_entries;
    _Static_assert(sizeof(sunindextype) == sizeof(int64_t), "patterns are shared");
    k->pattern = (IluPattern){ n, p->start, p->row, ARENA_ARRAY(arena, int64_t, n) };
    ilu_begin(&k->pattern);
    k->values = ARENA_ARRAY(arena, double, n_entries);
    k->factors = ARENA_ARRAY(arena, double, n_entries);
    k->place = ARENA_ARRAY(arena, int64_t, n);
    for (size_t i = 0; i < n; i++) k->place[i] = -1;
    k->linear = SUNLinSol_SPGMR(y, SUN_PREC_LEFT, KRYLOV_VECTORS, context);
    return k->linear && CVodeSetLinearSolver(cvode, k->linear, NULL) == CV_SUCCESS;
}

void krylov_free(Krylov *k)
{
    if (k->linear) SUNLinSolFree(k->linear);
    *k = (Krylov){ 0 };
}

int krylov_set_up(Krylov *k, Jacobian *jacobian, double t, double *x, bool is_good, bool *is_new,
                  double gamma)
{
    const IluPattern *p = &k->pattern;
    *is_new = !is_good;
    if (!is_good && !jacobian_values(jacobian, t, x, k->values)) return 1;
    for (int64_t i = 0; i < p->start[p->n]; i++) k->factors[i] = -gamma * k->values[i];
    for (size_t c = 0; c < p->n; c++) k->factors[p->diagonal[c]] += 1;
    return ilu_factor(p, k->factors, k->place) ? 0 : 1;
}

void krylov_precondition(const Krylov *k, const double *b, double *x)
{
    memcpy(x, b, k->pattern.n * sizeof *x);
    ilu_solve(&k->pattern, k->factors, x);
}
