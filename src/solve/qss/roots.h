// src/solve/qss/roots.h: when a polynomial leaves a band, or a side.
#pragma once
#include <math.h>

// The first d >= 0 at which |c[0] + c[1] d + … | reaches `width` from inside, or 0 if it is outside and moves
// on outwards. INFINITY if never. Closed forms; of degree 3 from the extrema and safe Newton steps between
// them.
static inline double roots_leave1(double c0, double c1, double width)
{
    if (c1 < 0) c0 = -c0, c1 = -c1;
    if (c0 >= width) return c1 > 0 ? 0 : INFINITY;    // a value that stands still does no harm
    return c1 > 0 ? (width - c0) / c1 : INFINITY;
}

static inline double roots_leave2(double c0, double c1, double c2, double width)
{
    if (c2 < 0) c0 = -c0, c1 = -c1, c2 = -c2;
    // open upwards: it leaves upwards in the end, unless it dips through the lower border before
    if (c1 < 0) {
        if (c0 <= -width) return 0;
        const double lower = c1 * c1 - 4 * c2 * (c0 + width);
        if (lower > 0) return 2 * (c0 + width) / (sqrt(lower) - c1);
        const double upper = c1 * c1 - 4 * c2 * (c0 - width);
        return upper < 0 ? 0 : (sqrt(upper) - c1) / (2 * c2);
    }
    if (c0 >= width) return c1 > 0 || c2 > 0 ? 0 : INFINITY;
    return 2 * (width - c0) / (c1 + sqrt(c1 * c1 - 4 * c2 * (c0 - width)));
}

double roots_leave3(double c0, double c1, double c2, double c3, double width);

// The first d >= 0 at which c0 + c1 d + c2 d² becomes negative (or 0); 0 if it is and does not rise.
double roots_fall(double c0, double c1, double c2);
