// src/num/turn.h: where a function known at five equidistant places comes nearest to zero between two of
// them.
//
// Exported programs contain this text as it is: plain C99.
#pragma once
#include <math.h>

enum { TURN_LOOKS = 4, TURN_HALVINGS = 40 };    // intervals between the places

// Slope at each of five equidistant places, in units of their distance, of the polynomial through the values.
static const double turn_slopes[TURN_LOOKS + 1][TURN_LOOKS + 1] = {
    { -25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4 },      { -1.0 / 4, -5.0 / 6, 3.0 / 2, -1.0 / 2, 1.0 / 12 },
    { 1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12 }, { -1.0 / 12, 1.0 / 2, -3.0 / 2, 5.0 / 6, 1.0 / 4 },
    { 1.0 / 4, -4.0 / 3, 3, -4, 25.0 / 12 },
};

static inline double turn_slope(const double *g, int place)
{
    double sum = 0;
    for (int i = 0; i <= TURN_LOOKS; i++) sum += turn_slopes[place][i] * g[i];
    return sum;
}

// Coefficients of the polynomial through five values, by powers of the place.
static inline void turn_polynomial(const double *g, double *c)
{
    const double d1 = g[1] - g[0], d2 = g[2] - 2 * g[1] + g[0], d3 = g[3] - 3 * g[2] + 3 * g[1] - g[0],
                 d4 = g[4] - 4 * g[3] + 6 * g[2] - 4 * g[1] + g[0];
    c[0] = g[0];
    c[1] = d1 - d2 / 2 + d3 / 3 - d4 / 4;
    c[2] = d2 / 2 - d3 / 2 + 11 * d4 / 24;
    c[3] = d3 / 6 - d4 / 4;
    c[4] = d4 / 24;
}

static inline double turn_value_of(const double *c, double s)
{
    return c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])));
}
static inline double turn_slope_of(const double *c, double s)
{
    return c[1] + s * (2 * c[2] + s * (3 * c[3] + s * 4 * c[4]));
}

// On which side of zero a relation is between two places, neither of which it has changed at.
static inline double turn_side(double a, double b) { return a + b < 0 ? -1 : 1; }

// Where in [from, from + 1], in looks, the zero function comes nearest to zero, if it turns round there and
// may get there; else NaN. `near`: how far from `from` we know already.
static inline double turn_place(const double *g, int from, double known)
{
    const double side = turn_side(g[from], g[from + 1]);
    if (!(side * turn_slope(g, from) < 0 && side * turn_slope(g, from + 1) > 0)) return NAN;
    double c[TURN_LOOKS + 1], lo = fmax(from, known), hi = from + 1;
    turn_polynomial(g, c);
    if (!(side * turn_slope_of(c, lo) < 0)) return NAN;
    for (int i = 0; i < TURN_HALVINGS; i++) {
        const double middle = 0.5 * (lo + hi);
        if (side * turn_slope_of(c, middle) < 0) lo = middle;
        else hi = middle;
    }
    const double range = fmax(fmax(fabs(g[0]), fabs(g[2])), fabs(g[4]));
    return side * turn_value_of(c, hi) <= 0.01 * range ? hi : NAN;
}
