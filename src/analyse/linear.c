// src/analyse/linear.c: equations with the Jacobian: full matrices by LU, large sparse ones by KLU.
#include "analyse/analyse.h"
#include "base/diag.h"
#include "num/colour.h"
#include "num/lu.h"
#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

enum { SPARSE_FROM = 60 };

// The pattern of shift·I - J: that of J with the whole diagonal, by compressed columns.
struct Sparse {
    int32_t  *start;         // [n + 1]
    int32_t  *row;           // [start[n]]
    uint32_t *place;         // [pattern of the model] where each of its entries lies among these
    uint32_t *diagonal;      // [n] where those of the diagonal lie
    double   *j;             // [start[n]] values of J
    double   *values;        // [start[n]] of shift·I - J
    uint32_t *group;         // [n] for differences; NULL: symbolic
    uint32_t  n_groups;
    klu_common   common;
    klu_symbolic *symbolic;
    klu_numeric  *numeric;
};

static void make_pattern(struct Sparse *p, const IrPattern *from, size_t n, Arena *arena)
{
    p->start = ARENA_ARRAY(arena, int32_t, n + 1);
    p->row = ARENA_ARRAY(arena, int32_t, from->n + n);
    p->place = ARENA_ARRAY(arena, uint32_t, from->n);
    p->diagonal = ARENA_ARRAY(arena, uint32_t, n);
    uint32_t at = 0;
    for (size_t c = 0; c < n; c++) {
        p->start[c] = (int32_t)at;
        bool has_diagonal = false;
        for (uint32_t i = from->start[c]; i <= from->start[c + 1]; i++) {
            const bool ended = i == from->start[c + 1];
            if (!has_diagonal && (ended || from->row[i] >= c)) {
                has_diagonal = true;
                p->diagonal[c] = at;
                if (ended || from->row[i] > c) p->row[at++] = (int32_t)c;
            }
            if (ended) break;
            p->place[i] = at;
            p->row[at++] = (int32_t)from->row[i];
        }
    }
    p->start[n] = (int32_t)at;
    p->j = ARENA_ARRAY(arena, double, at);
    p->values = ARENA_ARRAY(arena, double, at);
}

bool linear_init(Linear *l, System *s)
{
    const Ir *ir = &s->model->ir;
    const size_t n = s->n;
    *l = (Linear){ .system = s, .n = n };
    const IrPattern *pattern = n >= SPARSE_FROM ? model_pattern(s->model) : NULL;
    l->is_sparse = pattern && (double)pattern->n < (double)n * (double)n / 4;
    if (!l->is_sparse) {
        if (n > ANALYSE_DENSE_MAX) {
            diag_report(s->diag, DIAG_MEMORY_LIMIT, (Place){ 0 }, "a full Jacobian",
                        16e-9 * (double)n * (double)n, 16e-9 * ANALYSE_DENSE_MAX * ANALYSE_DENSE_MAX);
            return false;
        }
        l->dense = ARENA_ARRAY(s->arena, double, n * n);
        l->factors = ARENA_ARRAY(s->arena, double, n * n);
        l->pivots = ARENA_ARRAY(s->arena, size_t, n);
        return true;
    }
    struct Sparse *p = ARENA_NEW(s->arena, struct Sparse);
    l->sparse = p;
    make_pattern(p, pattern, n, s->arena);
    if (!ir->has_jacobian) {
        p->group = ARENA_ARRAY(s->arena, uint32_t, n);
        p->n_groups = colour_columns(pattern->start, pattern->row, (uint32_t)n, p->group);
    }
    klu_defaults(&p->common);
    p->symbolic = klu_analyze((int32_t)n, p->start, p->row, &p->common);
    if (p->symbolic) return true;
    diag_report(s->diag, DIAG_INTERNAL, (Place){ 0 }, "a matrix could not be analysed");
    return false;
}

void linear_free(Linear *l)
{
    if (!l->sparse) return;
    klu_free_numeric(&l->sparse->numeric, &l->sparse->common);
    klu_free_symbolic(&l->sparse->symbolic, &l->sparse->common);
}

// Differences, all columns of a group at once.
static bool read_groups(struct Sparse *p, System *s, const double *x)
{
    const IrPattern *pattern = model_pattern(s->model);
    if (!system_rates_held(s, x, s->low)) return false;
    for (uint32_t g = 0; g < p->n_groups; g++) {
        for (size_t c = 0; c < s->n; c++) {
            const double h = fmax(s->scale[c], fabs(x[c])) * sqrt(DBL_EPSILON);
            s->shifted[c] = p->group[c] == g ? x[c] + h : x[c];
        }
        if (!system_rates_held(s, s->shifted, s->high)) return false;
        for (size_t c = 0; c < s->n; c++) {
            if (p->group[c] != g) continue;
            for (uint32_t i = pattern->start[c]; i < pattern->start[c + 1]; i++) {
                const uint32_t r = pattern->row[i];
                p->j[p->place[i]] = (s->high[r] - s->low[r]) / (s->shifted[c] - x[c]);
            }
        }
    }
    return true;
}

bool linear_read(Linear *l, System *s, const double *x)
{
    if (!l->is_sparse) return system_jacobian(s, x, false, l->dense);
    struct Sparse *p = l->sparse;
    if (p->group) return read_groups(p, s, x);
    const Ir *ir = &s->model->ir;
    if (code_call(&s->model->code, IR_JACOBIAN, s->t, x, &s->island->env, s->entries) != 0) return false;
    if (!island_is_finite(s->entries, ir->n_jacobian)) return false;
    for (uint32_t i = 0; i < ir->n_jacobian; i++) p->j[p->place[i]] = s->entries[i];
    return true;
}

void linear_weights(const Linear *l, const System *s, const double *x, double *weights)
{
    const size_t n = l->n;
    memset(weights, 0, n * sizeof *weights);
    for (size_t c = 0; c < n; c++) {
        const double size = fmax(s->scale[c], fabs(x[c]));
        if (l->is_sparse) {
            const struct Sparse *p = l->sparse;
            for (int32_t i = p->start[c]; i < p->start[c + 1]; i++)
                weights[p->row[i]] += fabs(p->j[i]) * size;
        } else {
            for (size_t r = 0; r < n; r++) weights[r] += fabs(l->dense[r * n + c]) * size;
        }
    }
}

bool linear_factor(Linear *l, double shift)
{
    const size_t n = l->n;
    if (!l->is_sparse) {
        for (size_t i = 0; i < n * n; i++) l->factors[i] = -l->dense[i];
        for (size_t i = 0; i < n; i++) l->factors[i * n + i] += shift;
        return lu_factor(l->factors, n, l->pivots, NULL);
    }
    struct Sparse *p = l->sparse;
    for (int32_t i = 0; i < p->start[n]; i++) p->values[i] = -p->j[i];
    for (size_t i = 0; i < n; i++) p->values[p->diagonal[i]] += shift;
    klu_free_numeric(&p->numeric, &p->common);
    p->numeric = klu_factor(p->start, p->row, p->values, p->symbolic, &p->common);
    return p->numeric && p->common.status == KLU_OK;
}

void linear_solve(Linear *l, double *b)
{
    if (!l->is_sparse) lu_solve(l->factors, l->n, l->pivots, b);
    else klu_solve(l->sparse->symbolic, l->sparse->numeric, (int32_t)l->n, 1, b, &l->sparse->common);
}
