// src/num/itp.h: closing a bracket around the first change of a set of relations, by the ITP method.
//
// A step of the false position method, moved a little towards the middle so that the far end moves too, and
// never further from the middle than keeps the count of evaluations at that of bisection plus one.
// Exported programs contain this text as it is: plain C99.
// [Oliveira & Takahashi 2020, ACM TOMS 47(1) article 5]
#pragma once
#include <float.h>
#include <math.h>
#include <stddef.h>

typedef struct Itp {
    double width;     // of the first bracket
    double finest;    // width from which bisection does the rest
    double least;     // narrower it need not be: a zero at time 0 has no neighbour before it
    double most;      // evaluations
    double n;         // made so far
} Itp;

static inline Itp itp_begin(double lo, double hi)
{
    Itp itp = { hi - lo, DBL_EPSILON * fmax(fmax(fabs(lo), fabs(hi)), hi - lo),
                DBL_EPSILON * DBL_EPSILON * (hi - lo), 0, 0 };
    int power;    // 2^power is at least the quotient
    const double part = frexp(fmax(1, itp.width / itp.finest), &power);
    itp.most = (part == 0.5 ? power - 1 : power) + 1;
    return itp;
}

// Until both ends are neighbours, so that what is found does not depend on where the bracket began.
static inline int itp_goes_on(const Itp *itp, double lo, double hi)
{
    const double middle = lo + 0.5 * (hi - lo);
    return hi - lo > itp->least && middle > lo && middle < hi;
}

// Where to look next in (lo, hi), if a zero is expected at `straight`.
static inline double itp_next(Itp *itp, double lo, double hi, double straight)
{
    const double middle = lo + 0.5 * (hi - lo), width = hi - lo;
    double at = middle;
    if (itp->n < itp->most) {
        // towards the middle by a part that vanishes faster than the bracket
        const double push = fmax(0.2 * width * width / itp->width, 0.5 * itp->finest);
        const double side = middle >= straight ? 1 : -1;
        at = push <= fabs(middle - straight) ? straight + side * push : middle;
        // but not so far from it that bisection could not finish in time
        const double radius = fmax(0,
                                   ldexp(itp->finest, (int)fmin(1000, itp->most - itp->n - 1)) - 0.5 * width);
        if (fabs(at - middle) > radius) at = middle - side * radius;
    }
    itp->n++;
    return at > lo && at < hi ? at : middle;
}

// The earliest zero, on a straight line between both ends, of the relations that have changed at the right
// one: pairs of zero function and truth. The middle if nothing can be said.
static inline double itp_straight(const double *left, const double *right, const double *modes, size_t n,
                                  double lo, double hi)
{
    double first = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if ((right[2 * i + 1] != 0) == (modes[i] != 0)) continue;
        const double a = left[2 * i], b = right[2 * i];
        const double at = lo + (hi - lo) * (a / (a - b));
        if (at >= lo && at < first) first = at;
    }
    return first <= hi ? first : lo + 0.5 * (hi - lo);
}
