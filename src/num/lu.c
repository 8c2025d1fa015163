// src/num/lu.c: row-wise Gaussian elimination, triangular solves and Hager's estimate.
#include "num/lu.h"
#include <math.h>
#include <string.h>

double lu_norm(const double *a, size_t n)
{
    double norm = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += fabs(a[i * n + j]);
        if (!(sum <= norm)) norm = sum;    // a NaN stays
    }
    return norm;
}

static size_t largest_in_column(const double *a, size_t n, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    return best;
}

static void swap_rows(double *a, size_t n, size_t i, size_t k)
{
    if (i == k) return;
    for (size_t j = 0; j < n; j++) {
        const double held = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = held;
    }
}

bool lu_factor(double *a, size_t n, size_t *pivots, size_t *column)
{
    for (size_t k = 0; k < n; k++) {
        pivots[k] = largest_in_column(a, n, k);
        swap_rows(a, n, pivots[k], k);
        const double pivot = a[k * n + k];
        bool usable = pivot != 0;
        for (size_t i = k; i < n && usable; i++) usable = isfinite(a[i * n + k]);
        if (!usable) {
            if (column) *column = k;
            return false;
        }
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] /= pivot;
            if (factor == 0) continue;    // sparse rows are common
            for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

static void swap(double *x, size_t i, size_t k)
{
    const double held = x[i];
    x[i] = x[k];
    x[k] = held;
}

void lu_solve(const double *lu, size_t n, const size_t *pivots, double *x)
{
    for (size_t k = 0; k < n; k++) swap(x, k, pivots[k]);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++) x[i] -= lu[i * n + j] * x[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= lu[i * n + j] * x[j];
        x[i] /= lu[i * n + i];
    }
}

void lu_solve_transposed(const double *lu, size_t n, const size_t *pivots, double *x)
{
    // Uᵀ, then Lᵀ, then the swaps backwards; along the rows, which are the columns of the transposed
    for (size_t i = 0; i < n; i++) {
        x[i] /= lu[i * n + i];
        for (size_t j = i + 1; j < n; j++) x[j] -= lu[i * n + j] * x[i];
    }
    for (size_t i = n; i-- > 1;)
        for (size_t j = 0; j < i; j++) x[j] -= lu[i * n + j] * x[i];
    for (size_t k = n; k-- > 0;) swap(x, k, pivots[k]);
}

static double sum_of_magnitudes(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

// The column-sum norm of A⁻¹ is the largest |A⁻¹x| with |x| = 1, and is reached at a unit vector: climb from
// one to the next along the gradient of |A⁻¹x|, which is A⁻ᵀ sign(A⁻¹x).
static double inverse_norm(const double *lu, size_t n, const size_t *pivots, double *x, double *y)
{
    for (size_t i = 0; i < n; i++) x[i] = 1.0 / (double)n;
    double norm = 0;
    size_t unit = n;    // none yet
    for (int round = 0; round < 5; round++) {
        memcpy(y, x, n * sizeof *y);
        lu_solve(lu, n, pivots, y);
        const double now = sum_of_magnitudes(y, n);
        if (!(now > norm)) return isnan(now) ? now : norm;
        norm = now;

        for (size_t i = 0; i < n; i++) y[i] = y[i] < 0 ? -1 : 1;
        lu_solve_transposed(lu, n, pivots, y);
        size_t best = 0;
        double slope = 0;
        for (size_t i = 0; i < n; i++) {
            if (fabs(y[i]) > fabs(y[best])) best = i;
            slope += y[i] * x[i];
        }
        if (best == unit || fabs(y[best]) <= slope) break;
        memset(x, 0, n * sizeof *x);
        x[best] = 1;
        unit = best;
    }

    // Higham's second guess, for matrices on which the climb ends too early
    for (size_t i = 0; i < n; i++) {
        const double size = 1 + (n > 1 ? (double)i / (double)(n - 1) : 0);
        x[i] = i % 2 ? -size : size;
    }
    lu_solve(lu, n, pivots, x);
    return fmax(norm, 2 * sum_of_magnitudes(x, n) / (3 * (double)n));
}

double lu_reciprocal_condition(const double *lu, size_t n, const size_t *pivots, double norm, double *scratch)
{
    if (n == 0) return 1;
    const double condition = norm * inverse_norm(lu, n, pivots, scratch, scratch + n);
    return condition > 0 ? 1 / condition : 0;    // a NaN gives 0 too
}
