// src/num/root.c: inverse quadratic interpolation (Chandrupatla 1997) safeguarded by bisection.
//
// Two things differ from the textbook. The end is reached when the ends of the bracket are neighbours, not
// within a tolerance, so distances are counted in doubles ("steps") where that matters: bisection halves
// their number, and is taken whenever two interpolations have not. And since interpolation comes to the root
// from one side, leaving the other end where it is, a point on an end is moved one step into the bracket: it
// lands behind the root, and the bracket collapses.
#include "num/root.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

// Doubles in order as integers: neighbours differ by 1; 0 and -0 are the same.
static int64_t rank_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double double_of(int64_t rank)
{
    const int64_t bits = rank >= 0 ? rank : INT64_MIN - rank;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t steps_between(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static int64_t move_towards(int64_t from, int64_t to, uint64_t steps)
{
    return (int64_t)(from < to ? (uint64_t)from + steps : (uint64_t)from - steps);
}

typedef struct Point { double x, f; } Point;

// Estimate of the root between `newest` and `opposite`; `last` is the point the newest one replaced.
static double interpolate(Point newest, Point opposite, Point last)
{
    const Point a = newest, b = opposite, c = last;
    const double xi = (a.x - b.x) / (c.x - b.x), phi = (a.f - b.f) / (c.f - b.f);
    // the inverse parabola through three points, if it is monotone between them; else the chord
    double part = a.f / (a.f - b.f);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
        part = a.f / (b.f - a.f) * (c.f / (b.f - c.f)) +
               (c.x - a.x) / (b.x - a.x) * (a.f / (c.f - a.f)) * (b.f / (c.f - b.f));
    return a.x + part * (b.x - a.x);
}

// The rank of x, or the nearest one strictly between a and b, which are no neighbours.
static int64_t place_inside(double x, int64_t a, int64_t b)
{
    const int64_t low = (a < b ? a : b) + 1, high = (a < b ? b : a) - 1;
    const int64_t rank = isfinite(x) ? rank_of(x) : low;
    return rank < low ? low : rank > high ? high : rank;
}

bool root_find(RootFunction f, void *context, double from, double f_from, double to, double f_to, Root *root)
{
    *root = (Root){ .before = from, .after = to, .f_before = f_from, .f_after = f_to };
    const bool rises = f_from < 0;
    if (f_from == 0 || isnan(f_from) || isnan(f_to) || (rises ? f_to < 0 : f_to > 0) || !isfinite(from) ||
        !isfinite(to))
        return false;

    Point last = { from, f_from };    // what the newest end replaced
    bool  newest_is_after = true;
    uint64_t goal = UINT64_MAX;       // interpolation has to bring the steps down to this
    int   tries = 0;                  // and has this many evaluations left
    int   bisections = 0, due = 0;    // how many follow a failure, and how many of them are still to come
    for (;;) {
        const int64_t before = rank_of(root->before), after = rank_of(root->after);
        const uint64_t width = steps_between(before, after);
        if (width <= 1) return true;

        // Two evaluations to halve the steps, else bisections follow: one, and one more each time that
        // happens again, since then the function jumps or is flat.
        if (due == 0) {
            if (width <= goal) {
                if (goal != UINT64_MAX) bisections = 0;
                goal = width / 2;
                tries = 2;
            }
            if (tries == 0) due = bisections = bisections < 8 ? bisections + 1 : 8;
        }
        int64_t rank;
        if (due > 0) {
            rank = move_towards(before, after, width / 2);
            if (--due == 0) goal = UINT64_MAX;
        } else {
            const Point old = { root->before, root->f_before }, new = { root->after, root->f_after };
            rank = place_inside(newest_is_after ? interpolate(new, old, last) : interpolate(old, new, last),
                                before, after);
            tries--;
        }
        const double x = double_of(rank), value = f(context, x);
        root->evaluations++;
        if (isnan(value)) return false;

        const bool changed = rises ? value >= 0 : value <= 0;
        newest_is_after = changed;
        if (changed) {
            last = (Point){ root->after, root->f_after };
            root->after = x;
            root->f_after = value;
        } else {
            last = (Point){ root->before, root->f_before };
            root->before = x;
            root->f_before = value;
        }
    }
}
