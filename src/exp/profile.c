// src/exp/profile.c: the profile of a parameter: the least sum of squares that the others can reach while it
// is held at values farther and farther from the solution.
//
// Where the sum has grown by what chance explains (the square of the quantile, in units of the variance), the
// interval of confidence ends, whatever shape the valley has. A profile that never grows so much is open.
#include "exp/fit.h"
#include "num/random.h"
#include "num/student.h"
#include <math.h>
#include <string.h>

enum { POINTS_MAX = 40 };    // on each side

typedef struct Side {
    Fit     fit;             // of the other parameters
    FitParameter others[FIT_PARAMETERS_MAX];
    double  others_at[FIT_PARAMETERS_MAX];    // where the last search ended
} Side;

// The least squares with the parameter held at p; the others start where they were. Infinite: it cannot run.
static double squares_at(Side *side, double p)
{
    side->fit.held_at = p;
    double squares = INFINITY;
    if (side->fit.n == 0) {
        fit_squares(&side->fit, NULL, 1, &squares);
        return squares;
    }
    const FitFound found = fit_search(&side->fit, side->others_at, 0.95);
    if (found.result.end == LEAST_SQUARES_NO_START) return INFINITY;
    memcpy(side->others_at, found.p, side->fit.n * sizeof *found.p);
    return found.result.squares;
}

static void begin_side(Side *side, const Fit *fit, const FitFound *best, size_t which)
{
    *side = (Side){ .fit = *fit };
    size_t n = 0;
    for (size_t j = 0; j < fit->n; j++) {
        if (j == which) continue;
        side->others_at[n] = best->p[j];
        side->others[n++] = fit->parameters[j];
    }
    side->fit.held = fit->parameters[which].name;
    side->fit.parameters = side->others;
    side->fit.n = n;
}

static void keep(FitProfile *profile, double p, double rise)
{
    profile->p[profile->n] = p;
    profile->rise[profile->n++] = rise;
}

// Away from the solution until the rise is reached. Returns the end of the interval, NaN if it is open.
static double follow(Fit *fit, const FitFound *best, size_t which, int direction, double limit, double step,
                     FitProfile *profile)
{
    Side *side = ARENA_ARRAY(fit->arena, Side, 1);
    const FitParameter *x = &fit->parameters[which];
    begin_side(side, fit, best, which);
    const double variance = best->deviation * best->deviation;
    const double bound = direction > 0 ? x->high : x->low;
    double at = x->is_log ? log(best->p[which]) : best->p[which], before = at, root_before = 0, end = NAN;
    for (int i = 0; i < POINTS_MAX && isnan(end); i++) {
        if (fit->goes_on && !fit->goes_on(fit->self, (size_t)i, best->result.squares)) break;
        at = before + direction * step;
        double p = x->is_log ? exp(at) : at;
        const bool is_last = direction > 0 ? p >= bound : p <= bound;
        if (is_last) p = bound;
        const double rise = (squares_at(side, p) - best->result.squares) / variance;
        const double root = sqrt(fmax(0, rise));
        if (!isfinite(rise)) {    // nothing runs there: half the way, a few times
            step /= 2;
            if (is_last || i > POINTS_MAX / 2) break;
            continue;
        }
        keep(profile, p, rise);
        if (rise < -0.01) profile->has_better = true;
        if (rise >= limit) {
            const double last = x->is_log ? log(p) : p;
            end = before + (last - before) * (sqrt(limit) - root_before) / (root - root_before);
            end = x->is_log ? exp(end) : end;
        }
        if (is_last) break;
        if (root - root_before < sqrt(limit) / 6) step *= 2;
        else if (root - root_before > sqrt(limit) / 2) step /= 2;
        before = at;
        root_before = root;
    }
    fit->n_runs = side->fit.n_runs;
    fit->n_failed = side->fit.n_failed;
    return end;
}

// The side that was followed downwards comes first, turned round, so that all values ascend.
static void turn_round(FitProfile *profile)
{
    for (size_t i = 0, k = profile->n; i + 1 < k; i++) {
        k--;
        const double p = profile->p[i], rise = profile->rise[i];
        profile->p[i] = profile->p[k], profile->rise[i] = profile->rise[k];
        profile->p[k] = p, profile->rise[k] = rise;
    }
}

FitProfile fit_profile(Fit *fit, const FitFound *best, size_t which, double confidence)
{
    FitProfile profile = { .p = ARENA_ARRAY(fit->arena, double, 2 * POINTS_MAX + 1),
                           .rise = ARENA_ARRAY(fit->arena, double, 2 * POINTS_MAX + 1) };
    const FitParameter *x = &fit->parameters[which];
    const double freedom = (double)(fit->m - best->n_free);
    const double quantile = fit->has_deviations ? random_normal_quantile((1 + confidence) / 2)
                                                : student_quantile((1 + confidence) / 2, fmax(1, freedom));
    const double error = x->is_log ? best->error[which] / best->p[which] : best->error[which];
    double step = quantile * error / 3;
    if (!isfinite(step) || step == 0) step = x->is_log ? 0.1 : 0.1 * fmax(fabs(best->p[which]), 1e-3);
    profile.limit = quantile * quantile;
    profile.low = follow(fit, best, which, -1, profile.limit, step, &profile);
    turn_round(&profile);
    keep(&profile, best->p[which], 0);
    profile.high = follow(fit, best, which, 1, profile.limit, step, &profile);
    return profile;
}
