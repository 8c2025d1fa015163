// src/num/orthogonal.c: see orthogonal.h.
#include "num/orthogonal.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double length(const double *a, size_t n)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    if (largest == 0 || !isfinite(largest)) return largest;
    for (size_t i = 0; i < n; i++) sum += (a[i] / largest) * (a[i] / largest);
    return largest * sqrt(sum);
}

// b := (1 - 2·u·uᵀ/uᵀu)·b
static void reflect(const double *u, double half_square, double *b, size_t n)
{
    const double factor = dot(u, b, n) / half_square;
    for (size_t i = 0; i < n; i++) b[i] -= factor * u[i];
}

void orthogonal_reduce(double *a, size_t m, size_t n, double *b)
{
    for (size_t k = 0; k < n; k++) {
        double *u = a + k * m + k;
        const size_t rest = m - k;
        const double norm = length(u, rest);
        if (norm == 0 || !isfinite(norm)) continue;
        const double head = u[0] > 0 ? -norm : norm;    // no cancellation in u[0]
        u[0] -= head;
        const double half_square = -head * u[0];    // uᵀu/2
        for (size_t j = k + 1; j < n; j++) reflect(u, half_square, a + j * m + k, rest);
        if (b) reflect(u, half_square, b + k, rest);
        memset(u, 0, rest * sizeof *u);
        u[0] = head;
    }
}

// Turn columns p and q of length n by the angle with this cosine and sine.
static void turn(double *p, double *q, size_t n, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        const double x = p[i], y = q[i];
        p[i] = c * x - s * y;
        q[i] = s * x + c * y;
    }
}

// Make two columns orthogonal; false if they are already.
static bool turn_pair(double *p, double *q, size_t m, double *vp, double *vq, size_t n)
{
    const double alpha = dot(p, p, m), beta = dot(q, q, m), gamma = dot(p, q, m);
    if (!(fabs(gamma) > DBL_EPSILON * sqrt(alpha) * sqrt(beta)) || gamma == 0) return false;
    const double zeta = (beta - alpha) / (2 * gamma);
    const double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
    turn(p, q, m, c, c * t);
    turn(vp, vq, n, c, c * t);
    return true;
}

static void swap_columns(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

void orthogonal_values(double *a, size_t m, size_t n, double *s, double *v)
{
    enum { SWEEPS_MAX = 60 };
    memset(v, 0, n * n * sizeof *v);
    for (size_t j = 0; j < n; j++) v[j * n + j] = 1;
    bool has_turned = true;
    for (int sweep = 0; sweep < SWEEPS_MAX && has_turned; sweep++) {
        has_turned = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (turn_pair(a + p * m, a + q * m, m, v + p * n, v + q * n, n)) has_turned = true;
    }
    for (size_t j = 0; j < n; j++) s[j] = length(a + j * m, m);
    for (size_t j = 0; j < n; j++) {    // a few dozen of them: the simplest way to sort
        size_t best = j;
        for (size_t k = j + 1; k < n; k++)
            if (s[k] > s[best]) best = k;
        if (best == j) continue;
        swap_columns(s + j, s + best, 1);
        swap_columns(a + j * m, a + best * m, m);
        swap_columns(v + j * n, v + best * n, n);
    }
}
