// src/solve/qss/roots.c: see roots.h.
//
// A value that starts on the border, by rounding just outside of it, and moves inwards has not left. So what
// counts are roots where the polynomial moves outwards.
#include "solve/qss/roots.h"
#include <math.h>

// The root in [lo, hi] of a cubic that is monotone there and has different signs at the ends; `rises` there.
static double root_between(const double c[4], double lo, double hi, int rises)
{
    double d = 0.5 * (lo + hi);
    for (int i = 0; i < 100; i++) {
        const double f = c[0] + d * (c[1] + d * (c[2] + d * c[3])), s = c[1] + d * (2 * c[2] + 3 * d * c[3]);
        if ((f > 0) == (rises != 0)) hi = d;
        else lo = d;
        double next = d - f / s;
        if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
        if (fabs(next - d) <= 1e-15 * fabs(next) || next == d) return next;
        d = next;
    }
    return d;
}

// The first d > 0 at which the cubic passes zero upwards; 0 if it is not negative and rises.
static double first_rise(const double c[4])
{
    const double value = c[0];
    const double slope = c[1] != 0 ? c[1] : c[2] != 0 ? c[2] : c[3];
    if (value >= 0 && slope > 0) return 0;
    // extrema
    double turn[2];
    int n = 0;
    const double a = 3 * c[3], b = 2 * c[2], s = b * b - 4 * a * c[1];
    if (a == 0 && b != 0) turn[n++] = -c[1] / b;
    if (a != 0 && s > 0) {
        const double w = -0.5 * (b + copysign(sqrt(s), b));
        double first = w / a, second = w != 0 ? c[1] / w : first;
        if (first > second) {
            const double swap = first;
            first = second;
            second = swap;
        }
        turn[n++] = first;
        turn[n++] = second;
    }
    double lo = 0, at_lo = value;
    for (int i = 0; i <= n; i++) {
        double hi, at_hi;
        if (i < n) {
            if (turn[i] <= lo) continue;
            hi = turn[i];
            at_hi = c[0] + hi * (c[1] + hi * (c[2] + hi * c[3]));
        } else {
            // to infinity: upwards or never
            const double lead = c[3] != 0 ? c[3] : c[2] != 0 ? c[2] : c[1];
            if (!(lead > 0) || at_lo >= 0) return INFINITY;
            hi = lo > 0 ? 2 * lo : 1;
            while ((at_hi = c[0] + hi * (c[1] + hi * (c[2] + hi * c[3]))) <= 0 && hi < 1e300) hi *= 4;
        }
        if (at_lo < 0 && at_hi >= 0) return root_between(c, lo, hi, 1);
        lo = hi;
        at_lo = at_hi;
    }
    return INFINITY;
}

double roots_leave3(double c0, double c1, double c2, double c3, double width)
{
    if (c3 == 0) return qss_leave2(c0, c1, c2, width);
    const double up[4] = { c0 - width, c1, c2, c3 }, down[4] = { -c0 - width, -c1, -c2, -c3 };
    return fmin(first_rise(up), first_rise(down));
}

double roots_fall(double c0, double c1, double c2)
{
    if (c0 <= 0) {
        const double slope = c1 != 0 ? c1 : c2;
        if (slope <= 0) return 0;
    }
    if (c2 == 0) return c1 < 0 ? -c0 / c1 : INFINITY;
    const double s = c1 * c1 - 4 * c2 * c0;
    if (s < 0) return INFINITY;
    // falling at the smaller root if it opens upwards, at the larger one if not
    const double w = -0.5 * (c1 + copysign(sqrt(s), c1));
    const double r1 = w / c2, r2 = w != 0 ? c0 / w : r1;
    const double falling = c2 > 0 ? fmin(r1, r2) : fmax(r1, r2);
    return falling > 0 ? falling : INFINITY;
}
