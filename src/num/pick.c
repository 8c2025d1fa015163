// src/num/pick.c: exchanging columns until none is worth it.
#include "num/pick.h"
#include <math.h>
#include <string.h>

#define RANK_TOLERANCE 1e-11    // of the largest pivot; rows are scaled to 1
#define WORTH_IT       1.05     // gain below which nothing is exchanged any more

typedef struct Work {
    const Pick *pick;
    size_t   k, m;
    double  *a;          // [k·m] scaled and eliminated: the identity in the dependent columns, M in the
                         // others
    double  *scale;      // [k]
    size_t  *column_of;  // [k] dependent column that row i is solved for
    bool    *is_free;    // [m]
} Work;

static Work pick_begin(const Pick *pick, double *scratch)
{
    Work w = { .pick = pick, .k = pick->n_rows, .m = pick->n_columns };
    w.a = scratch;
    w.scale = w.a + w.k * w.m;
    w.column_of = (size_t *)(w.scale + w.k);
    w.is_free = (bool *)(w.column_of + w.k);
    return w;
}

static double weight(const Work *w, size_t column) { return w->pick->weights ? w->pick->weights[column] : 1; }

static void load(Work *w)
{
    memcpy(w->a, w->pick->matrix, w->k * w->m * sizeof *w->a);
    for (size_t i = 0; i < w->k; i++) {
        double largest = 0;
        for (size_t j = 0; j < w->m; j++) largest = fmax(largest, fabs(w->a[i * w->m + j]));
        w->scale[i] = largest;
        for (size_t j = 0; j < w->m && largest > 0; j++) w->a[i * w->m + j] /= largest;
    }
}

// Solve row `row` for `column`: there a 1, in the other rows 0.
static void pivot(Work *w, size_t row, size_t column)
{
    double *r = w->a + row * w->m;
    const double by = r[column];
    for (size_t j = 0; j < w->m; j++) r[j] /= by;
    r[column] = 1;
    for (size_t i = 0; i < w->k; i++) {
        double *other = w->a + i * w->m;
        const double f = other[column];
        if (i == row || f == 0) continue;
        for (size_t j = 0; j < w->m; j++) other[j] -= f * r[j];
        other[column] = 0;
    }
    w->column_of[row] = column;
}

// Eliminate with the largest pivots, of the dependent columns only or, if `from_all`, of all. False if a row
// is left without one.
static bool eliminate(Work *w, bool from_all, size_t *bad)
{
    load(w);
    for (size_t i = 0; i < w->k; i++) w->column_of[i] = SIZE_MAX;
    for (size_t n = 0; n < w->k; n++) {
        double best = 0;
        size_t row = SIZE_MAX, column = SIZE_MAX;
        for (size_t i = 0; i < w->k; i++) {
            if (w->column_of[i] != SIZE_MAX) continue;
            if (row == SIZE_MAX) row = i;
            for (size_t j = 0; j < w->m; j++) {
                if (!from_all && w->is_free[j]) continue;
                const double size = fabs(w->a[i * w->m + j]) / (from_all ? weight(w, j) : 1);
                if (!(size > best)) continue;
                best = size;
                row = i;
                column = j;
            }
        }
        if (column == SIZE_MAX || !(fabs(w->a[row * w->m + column]) > RANK_TOLERANCE) || !isfinite(best)) {
            if (bad) *bad = row;
            return false;
        }
        pivot(w, row, column);
    }
    return true;
}

// The columns left free by an elimination from all, each in its old place if it was free before.
static bool pick_settle(Work *w, uint32_t *free)
{
    const size_t n_free = w->m - w->k;
    memset(w->is_free, 1, w->m * sizeof *w->is_free);
    for (size_t i = 0; i < w->k; i++) w->is_free[w->column_of[i]] = false;
    bool changed = false;
    for (size_t s = 0; s < n_free; s++) {
        if (w->is_free[free[s]]) w->is_free[free[s]] = false;    // placed
        else free[s] = UINT32_MAX;
    }
    size_t next = 0;
    for (size_t s = 0; s < n_free; s++) {
        if (free[s] != UINT32_MAX) continue;
        while (!w->is_free[next]) next++;
        free[s] = (uint32_t)next++;
        changed = true;
    }
    memset(w->is_free, 0, w->m * sizeof *w->is_free);
    for (size_t s = 0; s < n_free; s++) w->is_free[free[s]] = true;
    return changed;
}

// The exchange that gains most; *row and *slot say which.
static double best_exchange(const Work *w, const uint32_t *free, size_t *row, size_t *slot)
{
    double best = 0;
    for (size_t i = 0; i < w->k; i++) {
        for (size_t s = 0; s < w->m - w->k; s++) {
            const double gain = fabs(w->a[i * w->m + free[s]]) * weight(w, w->column_of[i]) /
                                weight(w, free[s]);
            if (!(gain > best)) continue;
            best = gain;
            *row = i;
            *slot = s;
        }
    }
    return best;
}

bool pick_improve(const Pick *pick, uint32_t *free, double patience, double *scratch, bool *changed,
                  size_t *bad)
{
    Work w = pick_begin(pick, scratch);
    const size_t n_free = w.m - w.k;
    bool any = false;
    memset(w.is_free, 0, w.m * sizeof *w.is_free);
    for (size_t s = 0; s < n_free; s++) w.is_free[free[s]] = true;
    if (!eliminate(&w, false, NULL)) {
        if (!eliminate(&w, true, bad)) return false;
        any = pick_settle(&w, free);
        patience = 1;
    }
    // each exchange gains, so it ends; the limit is for rounding
    for (size_t tries = 0; tries < 10 * w.m + 10; tries++) {
        size_t row = 0, slot = 0;
        const double gain = best_exchange(&w, free, &row, &slot);
        if (!(gain > fmax(patience, WORTH_IT))) break;
        const uint32_t out = (uint32_t)w.column_of[row];
        pivot(&w, row, free[slot]);
        free[slot] = out;
        patience = WORTH_IT;
        any = true;
    }
    if (changed) *changed = any;
    return true;
}
