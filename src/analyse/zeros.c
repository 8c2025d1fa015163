// src/analyse/zeros.c: zeros of the transfer function from one input to one output.
//
// They are the generalised eigenvalues of the system pencil
//
//     | A - s I   b |
//     |    c      d |
//
// of which several lie at infinity, where rounding turns them into large finite numbers. So those are taken
// out first. With r the relative degree, the first r with c A^(r-1) b not zero, an output held at zero keeps
// the state in the kernel of c, cA, …, cA^(r-1), and the input that holds it there is u = -(c A^r x)/(c
// A^(r-1) b). The finite zeros are the eigenvalues of A with that feedback on that subspace (Isidori,
// Nonlinear Control Systems, section 4.3), n - r of them.
#include "analyse/analyse.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double sum_of_magnitudes(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i] * y[i]);
    return sum;
}

// out = row · a
static void times(const double *row, const double *a, size_t n, double *out)
{
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; row[i] != 0 && k < n; k++) out[k] += row[i] * a[i * n + k];
}

// a := H a or a H for the reflection H = I - 2 w wᵀ, on the n by n matrix a; w is 0 before `from`.
static void reflect_left(double *a, size_t n, const double *w, size_t from)
{
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t i = from; i < n; i++) sum += w[i] * a[i * n + k];
        for (size_t i = from; i < n; i++) a[i * n + k] -= 2 * sum * w[i];
    }
}

static void reflect_right(double *a, size_t n, const double *w, size_t from)
{
    for (size_t i = 0; i < n; i++) {
        const double sum = dot(a + i * n + from, w + from, n - from);
        for (size_t k = from; k < n; k++) a[i * n + k] -= 2 * sum * w[k];
    }
}

// The reflection that turns what row has from place `from` on into its first place.
static bool reflection(const double *row, size_t n, size_t from, double *w)
{
    memset(w, 0, n * sizeof *w);
    const double norm = sqrt(dot(row + from, row + from, n - from));
    if (!(norm > 0)) return false;
    memcpy(w + from, row + from, (n - from) * sizeof *w);
    w[from] += row[from] < 0 ? -norm : norm;
    const double length = sqrt(dot(w + from, w + from, n - from));
    for (size_t i = from; i < n; i++) w[i] /= length;
    return true;
}

static void reflect_vector(double *x, size_t n, const double *w, size_t from)
{
    const double sum = dot(x + from, w + from, n - from);
    for (size_t i = from; i < n; i++) x[i] -= 2 * sum * w[i];
}

bool zeros_of(const double *a, const double *b, const double *c, double d, size_t n, orr_complex *zeros,
              size_t *n_zeros, double *gain, orr_diag *diag)
{
    *n_zeros = 0;
    *gain = d;
    Arena scratch = { 0 };
    // rows[k] = c A^k, as far as needed, each divided by its largest entry so that no power overflows
    double *rows = ARENA_ARRAY(&scratch, double, (n + 2) * n);
    double scale = 1, first = d;
    size_t degree = 0;
    memcpy(rows, c, n * sizeof *c);
    for (; *gain == 0 && degree < n; degree++) {
        double *row = rows + degree * n, most = 0;
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(row[i]));
        for (size_t i = 0; i < n && most > 0; i++) row[i] /= most;
        scale *= most;
        first = dot(row, b, n);
        if (fabs(first) > 1e-10 * sum_of_magnitudes(row, b, n)) *gain = first * scale;
        times(row, a, n, rows + (degree + 1) * n);
    }
    if (*gain == 0 || degree == n || n == 0) return arena_free(&scratch), true;

    // with the feedback: A - b (c A^r)/(c A^(r-1) b)
    double *closed = ARENA_ARRAY(&scratch, double, n * n);
    memcpy(closed, a, n * n * sizeof *a);
    const double *feedback = rows + degree * n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) closed[i * n + k] -= b[i] / first * feedback[k];

    // turn coordinates so that the rows c A^k take the first `degree` of them; the others are the kernel
    double *w = ARENA_ARRAY(&scratch, double, n);
    size_t used = 0;
    for (size_t k = 0; k < degree; k++) {
        double *row = rows + k * n;
        if (!reflection(row, n, used, w)) continue;
        for (size_t later = k + 1; later < degree; later++) reflect_vector(rows + later * n, n, w, used);
        reflect_left(closed, n, w, used);
        reflect_right(closed, n, w, used);
        used++;
    }
    const size_t left = n - used;
    double *kernel = ARENA_ARRAY(&scratch, double, left * left);
    for (size_t i = 0; i < left; i++)
        memcpy(kernel + i * left, closed + (used + i) * n + used, left * sizeof *kernel);
    const bool ok = eigen_values(kernel, left, zeros, diag);
    *n_zeros = ok ? left : 0;
    arena_free(&scratch);
    return ok;
}
