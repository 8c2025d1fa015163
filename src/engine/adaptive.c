// src/engine/adaptive.c: steps of explicit methods that choose their length, from a table (num/pairs.c).
//
// The last stage of a step is the first of the next one (FSAL). The difference of two formulas over the same
// stages estimates the error of a step, which a controller keeps near the tolerance; between the ends of a
// step a polynomial through the stages gives the states. Stiffness shows in the product of step and dominant
// eigenvalue, estimated from the last two stages, both at t + h: an explicit method is held at the border of
// its region of stability. With fine tolerances it is held below it; then many steps in a row that each last
// longer than the fastest decay show the same: that decay is long over, and only the method still sees it.
// [Hairer, Nørsett & Wanner, Solving ODEs I, sections II.4 to II.6; II, section IV.2]
#include "engine/adaptive.h"
#include "engine/host.h"
#include <float.h>

enum { STIFF_STEPS = 15, FORGET_STEPS = 6, DECAY_STEPS = 100, DECAY_LEAST = 20 };
enum { ADAPTIVE_RETRIES = 400, ADAPTIVE_BLOCKED = 200 };
#define ADAPTIVE_CRUMB (16 * DBL_EPSILON)

void adaptive_restart(Island *island)
{
    Adaptive *m = island->memory;
    m->begun = m->dense_known = m->was_rejected = false;
    m->log_before = STEP_LOG_LEAST;
    m->n_at_bound = m->n_free = m->n_decayed = m->n_slow = m->n_blocked = 0;
    m->decayed = 0;
}

static double adaptive_norm(const Island *island, const double *u, const double *w, const double *x)
{
    return step_norm(island->tables->n_states, u, w, x, island->absolute, island->options.tolerance);
}

// A first step from the size of the rates and of their change over a small Euler step.
static double adaptive_first(Island *island, Adaptive *m, double room)
{
    const SolverOptions *o = &island->options;
    // a guess that the clock cannot tell from nothing is made longer
    const double least = 1000 * DBL_EPSILON * fabs(island->t);
    if (o->step > 0) return fmin(fmax(o->step, least), fmin(o->max_step, room));
    const size_t n = island->tables->n_states;
    const double size = adaptive_norm(island, island->x, NULL, island->x);
    const double speed = adaptive_norm(island, m->k[0], NULL, island->x);
    double h = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
    // a state that happens to pass through zero says nothing about its time scale; too long a step is only
    // rejected
    h = fmax(h, fmax(least, isfinite(room) ? 1e-9 * room : 0));
    h = fmin(h, fmin(o->max_step, room));
    for (int tries = 0; tries < 20; tries++, h /= 10) {
        for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + h * m->k[0][i];
        if (!island_rates(island, island->t + h, m->y, m->k[1])) continue;
        const double bend = adaptive_norm(island, m->k[1], m->k[0], island->x) / h;
        const double most = fmax(speed, bend);
        const double h1 = most <= 1e-15 ? fmax(1e-6, h * 1e-3) : step_first(m->method, most);
        return fmin(fmin(100 * h, h1), fmin(o->max_step, room));
    }
    return h;
}

// All stages from k[0]; the new state ends in y. False if the rates do not exist somewhere on the way.
static bool adaptive_stages(Island *island, Adaptive *m, double h)
{
    const size_t n = island->tables->n_states;
    for (int s = 1; s <= m->end; s++) {
        tableau_argument(m->method, s, n, h, island->x, m->k, m->y);
        if (s == m->end - 1) memcpy(m->y_last, m->y, n * sizeof *m->y);
        if (!island_rates(island, island->t + m->method->rows[s].c * h, m->y, m->k[s])) return false;
    }
    return true;
}

static double adaptive_error(const Island *island, const Adaptive *m, double h)
{
    return step_error(m->method, island->tables->n_states, h, island->x, m->y, m->k, island->absolute,
                      island->options.tolerance);
}

// The greatest of the rates, each relative to its state: the time scale of the solution.
static double adaptive_change(const Island *island, const double *rates)
{
    double most = 0;
    for (size_t i = 0; i < island->tables->n_states; i++) {
        const double least = island->absolute[i] / island->options.tolerance;
        most = fmax(most, fabs(rates[i]) / (least + fabs(island->x[i])));
    }
    return most;
}

// With fine tolerances an explicit method is held far below the border of stability by what a fast decay that
// is over makes of the errors. A method of order 5 for which only the solution counts would need some
// tol^(-1/6) steps while that changes by its own size: many times more steps, for many times the decay, are
// too many.
static bool adaptive_is_slow(const Island *island, const Adaptive *m, double h, double decay)
{
    const double enough = 10 * dp_exp(-dp_log(island->options.tolerance) / 6);
    return h * decay > 0.01 && h * adaptive_change(island, m->k[0]) * enough < 1;
}

// Is the step bounded by stability? λ from two stages at the same time: its size and, as a Rayleigh quotient,
// its real part.
static void adaptive_watch(Island *island, Adaptive *m, double h, bool is_cut)
{
    const size_t n = island->tables->n_states;
    const double *last = m->k[m->end], *before = m->k[m->end - 1], bound = m->method->stiff_bound;
    double slopes = 0, points = 0, mixed = 0;
    if (bound == 0) return;
    for (size_t i = 0; i < n; i++) {
        const double dk = last[i] - before[i], dy = m->y[i] - m->y_last[i];
        slopes += dk * dk;
        points += dy * dy;
        mixed += dk * dy;
    }
    m->n_decayed = -h * mixed > points ? m->n_decayed + 1 : 0;
    if (m->n_decayed >= DECAY_STEPS) m->is_stiff = true;
    if (m->counts_slow && points > 0 && !is_cut) {
        // the eigenvalue is real, or nearly so
        const bool is_real = -mixed > 0.5 * sqrt(slopes * points);
        const bool counts = is_real && adaptive_is_slow(island, m, h, -mixed / points);
        m->n_slow = counts ? m->n_slow + 1 : 0;
        m->decayed = counts ? m->decayed - h * mixed / points : 0;
        if (m->n_slow >= DECAY_STEPS && m->decayed >= DECAY_LEAST) m->is_stiff = true;
    }
    if (points > 0 && h * sqrt(slopes / points) > bound) {
        m->n_free = 0;
        if (++m->n_at_bound >= STIFF_STEPS) m->is_stiff = true;
    } else if (++m->n_free >= FORGET_STEPS) {
        m->n_at_bound = 0;
    }
    if (!m->is_stiff || m->warned) return;
    m->warned = true;
    island->services->report(island, ENGINE_STIFF, 0, island->t);
}

// What is left, after an event, is shorter than any step that could be judged.
static StepResult adaptive_crumb(Island *island, Adaptive *m, double t_limit)
{
    const double h = t_limit - island->t;
    for (size_t i = 0; i < island->tables->n_states; i++) island->x[i] += h * m->k[0][i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = false;
    return STEP_OK;
}

// The rates do not exist somewhere in this step: worth a shorter one, as long as that leads anywhere. Where a
// solution ends (two solutions of a loop have met, the argument of a root has become 0) ever shorter steps
// are possible, which change the states by less than their last digit: the run would never come to an end.
static bool adaptive_is_blocked(Island *island, Adaptive *m)
{
    const size_t size = island->tables->n_states * sizeof(double);
    if (m->n_blocked > 0) {
        const double near = 1e-6 * (fabs(island->t) + island->t - island->t_start);
        const double moved = adaptive_norm(island, island->x, m->x_blocked, m->x_blocked);
        if (island->t - m->t_blocked > near || !(moved <= 1)) m->n_blocked = 0;
    }
    if (m->n_blocked == 0) {
        m->t_blocked = island->t;
        memcpy(m->x_blocked, island->x, size);
    }
    return ++m->n_blocked > ADAPTIVE_BLOCKED;
}

static StepResult adaptive_try(Island *island, double t_limit)
{
    Adaptive *m = island->memory;
    const size_t n = island->tables->n_states;
    const double t = island->t, room = t_limit - t;
    if (!m->begun) {
        if (!island_rates(island, t, island->x, m->k[0])) {
            island->services->report(island, ENGINE_FAULT, 0, t);
            return STEP_FAILED;
        }
        if (room > ADAPTIVE_CRUMB * fabs(t)) m->h = adaptive_first(island, m, room);
        m->begun = true;
    }
    if (room <= ADAPTIVE_CRUMB * fabs(t)) return adaptive_crumb(island, m, t_limit);
    m->dense_known = false;

    bool was_rejected = m->was_rejected;
    m->was_rejected = false;
    for (int tries = 0;; tries++) {
        // the last step ends exactly at the limit; one that would leave a crumb is stretched a little
        double h = fmin(m->h, island->options.max_step);
        const bool is_last = t + STEP_LAST * h >= t_limit;
        if (is_last) h = room;
        if (t + 0.1 * h == t || tries >= ADAPTIVE_RETRIES) {
            island->services->report(island, ENGINE_STEP_TOO_SMALL, 0, h);
            return STEP_FAILED;
        }
        if (!adaptive_stages(island, m, h)) {
            if (adaptive_is_blocked(island, m)) {
                island->services->report(island, ENGINE_STEP_TOO_SMALL, 0, h);
                return STEP_FAILED;
            }
            m->h = h * m->method->shrink_most;
            was_rejected = true;
            island->n_rejected++;
            continue;
        }
        const double error = adaptive_error(island, m, h);
        if (!(error <= 1)) {
            m->h = step_shorter(m->method, h, error);
            was_rejected = true;
            island->n_rejected++;
            continue;
        }
        double h_next = step_next(m->method, h, error, m->log_before);
        if (was_rejected) h_next = fmin(h_next, h);
        // a step that was only cut by the limit says nothing about the one after it
        if (!is_last || was_rejected || h >= m->h) m->h = h_next;
        m->log_before = fmax(step_error_log(error), STEP_LOG_LEAST);
        adaptive_watch(island, m, h, is_last || h >= island->options.max_step);

        memcpy(m->x0, island->x, n * sizeof *m->x0);
        memcpy(island->x, m->y, n * sizeof *m->y);
        m->t0 = t;
        m->h_done = h;
        island->t_before = t;
        island->t = is_last ? t_limit : t + h;
        island->n_steps++;
        // dense output still needs all slopes of this step, so the last becomes the first only with the next
        // one
        return STEP_OK;
    }
}

// Stages are numbered as in the step that was made; the next one begins with its last.
StepResult adaptive_step(Island *island, double t_limit)
{
    Adaptive *m = island->memory;
    if (m->begun && m->h_done > 0) {
        double *last = m->k[m->end];
        m->k[m->end] = m->k[0];
        m->k[0] = last;
        m->h_done = 0;
    }
    return adaptive_try(island, t_limit);
}

// The rates of the stages that only dense output needs. False if they do not exist: then a cubic has to do.
static bool adaptive_extra(Island *island, Adaptive *m)
{
    const Tableau *method = m->method;
    for (int s = m->end + 1; s < m->n_rates; s++) {
        tableau_argument(method, s, island->tables->n_states, m->h_done, m->x0, m->k, m->y);
        if (!island_rates_aside(island, m->t0 + method->rows[s].c * m->h_done, m->y, m->k[s])) return false;
        if (!island_is_finite(m->k[s], island->tables->n_states)) return false;
    }
    return true;
}

void adaptive_state_at(Island *island, double t, double *x)
{
    Adaptive *m = island->memory;
    const size_t n = island->tables->n_states;
    if (!m->dense_known) {
        m->n_dense = adaptive_extra(island, m) ? m->method->n_dense : 0;
        step_make_dense(m->method, m->n_dense, n, m->h_done, m->x0, island->x, m->k, m->dense);
        m->dense_known = true;
    }
    step_state(m->n_dense, n, (t - m->t0) / m->h_done, m->x0, m->dense, x);
}
