// src/engine/shifted.c: dense linear systems with σM - J; see shifted.h.
#include "engine/shifted.h"
#include "engine/host.h"
#include "num/lu.h"
#include <float.h>

static void dense_fill(DenseShifted *s, double gamma, double alpha, double beta)
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

bool dense_factor(DenseShifted *s, double gamma, double alpha, double beta)
{
    dense_fill(s, gamma, alpha, beta);
    return lu_factor(s->real, s->n, s->pivots, NULL) &&
           lu_factor(s->complex, 2 * s->n, s->complex_pivots, NULL);
}

void dense_solve_real(const DenseShifted *s, double *b) { lu_solve(s->real, s->n, s->pivots, b); }

void dense_solve_complex(const DenseShifted *s, double *re, double *im)
{
    const size_t n = s->n;
    memcpy(s->pair, re, n * sizeof *re);
    memcpy(s->pair + n, im, n * sizeof *im);
    lu_solve(s->complex, 2 * n, s->complex_pivots, s->pair);
    memcpy(re, s->pair, n * sizeof *re);
    memcpy(im, s->pair + n, n * sizeof *im);
}

double dense_shift(const Island *island, size_t i, double x)
{
    const double scale = island->absolute[i] / island->options.tolerance + fabs(x);
    return sqrt(DBL_EPSILON) * (scale > 0 ? scale : 1);
}

bool dense_differences(Island *island, double t, const double *x, double *values, double *scratch)
{
    const size_t n = island->tables->n_states;
    double *rates = scratch, *shifted = scratch + n, *shifted_rates = scratch + 2 * n;
    if (!island_rates(island, t, x, rates)) return false;
    memcpy(shifted, x, n * sizeof *x);
    for (size_t c = 0; c < n; c++) {
        // to the other side where the rates have no value on this one
        double h = dense_shift(island, c, x[c]);
        shifted[c] = x[c] + h;
        if (!island_rates(island, t, shifted, shifted_rates)) {
            h = -h;
            shifted[c] = x[c] + h;
            if (!island_rates(island, t, shifted, shifted_rates)) return false;
        }
        for (size_t r = 0; r < n; r++) values[c * n + r] = (shifted_rates[r] - rates[r]) / h;
        shifted[c] = x[c];
    }
    return true;
}
