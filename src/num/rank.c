// src/num/rank.c: elimination row by row. What was subtracted from a row that vanishes is its combination of
// the rows before it; those are independent, so there is no other and none with fewer rows.
#include "num/rank.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double largest_of(const double *row, size_t n, size_t *where)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
        if (fabs(row[j]) <= largest) continue;
        largest = fabs(row[j]);
        if (where) *where = j;
    }
    return largest;
}

// Rounding left out, and the smallest made 1.
static void make_simple(double *factors, size_t n)
{
    const double largest = largest_of(factors, n, NULL);
    double smallest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (fabs(factors[i]) < 1e-10 * largest) factors[i] = 0;
        if (factors[i] != 0 && fabs(factors[i]) < fabs(smallest)) smallest = factors[i];
    }
    for (size_t i = 0; i < n; i++) {
        factors[i] = factors[i] == 0 ? 0 : factors[i] / smallest;
        const double whole = nearbyint(factors[i]);
        if (fabs(factors[i] - whole) < 1e-10 * fabs(whole)) factors[i] = whole;
    }
}

bool rank_dependent(double *a, size_t n, double *factors, double *scratch)
{
    // taken[i·n + k]: how often row k went into what row i is now; pivots as numbers, they are small
    double *taken = scratch, *pivots = scratch + n * n;
    memset(taken, 0, n * n * sizeof *taken);
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n, *mine = taken + i * n;
        const double size = largest_of(row, n, NULL);
        for (size_t j = 0; j < n && size > 0; j++) row[j] /= size;
        mine[i] = size > 0 ? 1 / size : 1;
        for (size_t k = 0; k < i; k++) {
            const size_t pivot = (size_t)pivots[k];
            const double factor = row[pivot] / a[k * n + pivot];
            if (factor == 0) continue;
            for (size_t j = 0; j < n; j++) row[j] -= factor * a[k * n + j];
            for (size_t j = 0; j <= k; j++) mine[j] -= factor * taken[k * n + j];
            row[pivot] = 0;
        }
        size_t pivot = 0;
        if (largest_of(row, n, &pivot) < 64 * (double)n * DBL_EPSILON) {
            memcpy(factors, mine, n * sizeof *factors);
            make_simple(factors, n);
            return true;
        }
        pivots[i] = (double)pivot;
    }
    return false;
}
