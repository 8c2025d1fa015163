// src/run/locate.c: where inside a step a relation changes.
//
// The first point at which any relation differs from its mode is bracketed from the left (all agree) and the
// right (some differ) and the bracket is closed to rounding by the ITP method: a step of the false position
// method on the zero function of the relation that seems to change first, moved a little towards the middle
// so that the far end moves too, and never further from the middle than keeps the count of evaluations at
// that of bisection plus one.
// [Oliveira & Takahashi 2020, ACM TOMS 47(1) article 5]
#include "run/run.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { EXTRA_EVALUATIONS = 1 };

static bool any_differs(const double *relations, const double *modes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((relations[2 * i + 1] != 0) != (modes[i] != 0)) return true;
    return false;
}

// The earliest zero, on a straight line between both ends, of the relations that have changed at the right
// one. The middle if nothing can be said.
static double straight_zero(const double *left, const double *right, const double *modes, size_t n, double lo,
                            double hi)
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

double locate_change(orr_run *run, Island *island, double t_lo, double t_hi, LocateState state, void *context,
                     double *x)
{
    const size_t n = run->model->n_relations, n_states = run->model->n_states;
    const double *modes = island_modes(island);
    double *right = run->relations;
    double *left = run->relations_left, *here = run->relations_here, *trial = run->x_trial;
    double lo = t_lo, hi = t_hi;
    const double finest = DBL_EPSILON * fmax(fmax(fabs(t_lo), fabs(t_hi)), t_hi - t_lo);
    if (!state(context, lo, trial) || !island_relations(island, lo, trial, left)) return hi;

    double most = ceil(log2(fmax(1, (hi - lo) / finest))) + EXTRA_EVALUATIONS;
    for (double j = 0; hi - lo > finest; j++) {
        const double middle = lo + 0.5 * (hi - lo);
        double at = middle;
        if (j < most) {
            const double straight = straight_zero(left, right, modes, n, lo, hi);
            const double width = hi - lo;
            // towards the middle by a part that vanishes faster than the bracket
            const double push = fmax(0.2 * width * width / (t_hi - t_lo), 0.5 * finest);
            const double side = middle >= straight ? 1 : -1;
            at = push <= fabs(middle - straight) ? straight + side * push : middle;
            // but not so far from it that bisection could not finish in time
            const double radius = fmax(0, finest * exp2(fmin(1000, most - j - 1)) - 0.5 * width);
            if (fabs(at - middle) > radius) at = middle - side * radius;
        }
        if (!(at > lo && at < hi)) at = middle;
        if (!(at > lo && at < hi)) break;    // neighbours
        if (!state(context, at, trial) || !island_relations(island, at, trial, here)) break;
        if (any_differs(here, modes, n)) {
            hi = at;
            memcpy(right, here, 2 * n * sizeof *right);
            memcpy(x, trial, n_states * sizeof *x);
        } else {
            lo = at;
            memcpy(left, here, 2 * n * sizeof *left);
        }
    }
    return hi;
}
