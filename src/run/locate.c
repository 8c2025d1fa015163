// src/run/locate.c: where inside a step a relation changes.
//
// The first point at which any relation differs from its mode is bracketed from the left (all agree) and the
// right (some differ) and the bracket is closed to rounding (num/itp.h), by the zero function of the relation
// that seems to change first.
#include "num/itp.h"
#include "run/run.h"
#include <string.h>

static bool any_differs(const double *relations, const double *modes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((relations[2 * i + 1] != 0) != (modes[i] != 0)) return true;
    return false;
}

double locate_change(orr_run *run, Island *island, double t_lo, double t_hi, LocateState state, void *context,
                     double *x)
{
    const size_t n = run->model->n_relations, n_states = run->model->n_states;
    const double *modes = island_modes(island);
    double *right = run->relations;
    double *left = run->relations_left, *here = run->relations_here, *trial = run->x_trial;
    double lo = t_lo, hi = t_hi;
    if (!state(context, lo, trial) || !island_relations(island, lo, trial, left)) return hi;

    Itp itp = itp_begin(lo, hi);
    while (itp_goes_on(&itp, lo, hi)) {
        const double at = itp_next(&itp, lo, hi, itp_straight(left, right, modes, n, lo, hi));
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
