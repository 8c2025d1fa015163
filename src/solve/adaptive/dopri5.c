// src/solve/adaptive/dopri5.c: the Dormand–Prince pair of orders 5 and 4, with dense output.
//
// Seven stages, the last of which is the first of the next step (FSAL). The difference of the two formulas
// estimates the error of a step, which a PI controller keeps near the tolerance; between the ends of a step a
// polynomial of fourth order through the stages gives the states. Stiffness shows in the product of step and
// dominant eigenvalue, estimated from the last two stages, both at t + h: an explicit method is held at the
// border of its region of stability, about 3.3. With fine tolerances it is held below it; then many steps in
// a row that each last longer than the fastest decay tell the same: that decay is over since long, and only
// the method still sees it.
// [Dormand & Prince 1980; Hairer, Nørsett & Wanner, Solving ODEs I, sections II.4 to II.6; II, section IV.2]
#include "solve/adaptive/dopri5.h"
#include "base/diag.h"
#include "num/dormand_prince.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { N_STAGES = DP_STAGES, STIFF_STEPS = 15, FORGET_STEPS = 6, DECAY_STEPS = 100, RETRIES_MAX = 400 };
enum { BLOCKED_MAX = 200 };

static const double CRUMB = 16 * DBL_EPSILON;
static const double STIFF_BOUND = 3.25;

typedef struct Dopri5 {
    double *k[N_STAGES];        // [n_states] slopes; k[0] belongs to the present (t, x) once `begun`
    double *y, *y_last;         // [n_states] argument of a stage; that of the sixth
    double *x0;                 // [n_states] where the last step began
    double *dense[DP_DENSE];    // [n_states] coefficients beyond x0, made when first asked for
    bool begun;                 // k[0] and h are known
    bool was_rejected;          // an attempt at the next step, made elsewhere
    bool dense_known;
    double t0, h_done;         // the last accepted step
    double h;                  // the next to try
    double log_before;         // of the error of the last accepted step, for the controller
    int n_at_bound, n_free;    // steps held by stability, and not, in a row
    int n_decayed;             // steps in a row longer than the fastest decay
    bool is_stiff, warned;
    // attempts that failed since t_blocked, where the rates do not exist a little ahead
    int n_blocked;
    double t_blocked;
    double *x_blocked;    // [n_states]
} Dopri5;

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const size_t n = island->model->n_states;
    Dopri5 *m = ARENA_NEW(arena, Dopri5);
    for (int i = 0; i < N_STAGES; i++) m->k[i] = ARENA_ARRAY(arena, double, n);
    for (int i = 0; i < DP_DENSE; i++) m->dense[i] = ARENA_ARRAY(arena, double, n);
    m->y = ARENA_ARRAY(arena, double, n);
    m->y_last = ARENA_ARRAY(arena, double, n);
    m->x0 = ARENA_ARRAY(arena, double, n);
    m->x_blocked = ARENA_ARRAY(arena, double, n);
    m->log_before = DP_LOG_LEAST;
    island->memory = m;
    return true;
}

static void restart(Island *island)
{
    Dopri5 *m = island->memory;
    m->begun = m->dense_known = m->was_rejected = false;
    m->log_before = DP_LOG_LEAST;
    m->n_at_bound = m->n_free = m->n_decayed = m->n_blocked = 0;
}

static double norm(const Island *island, const double *u, const double *w, const double *x)
{
    return dp_norm(island->model->n_states, u, w, x, island->options.absolute, island->options.tolerance);
}

// A first step from the size of the rates and of their change over a small Euler step.
static double first_step(Island *island, Dopri5 *m, double room)
{
    const SolverOptions *o = &island->options;
    // a guess that the clock cannot tell from nothing is made longer
    const double least = 1000 * DBL_EPSILON * fabs(island->t);
    if (o->step > 0) return fmin(fmax(o->step, least), fmin(o->max_step, room));
    const size_t n = island->model->n_states;
    const double size = norm(island, island->x, NULL, island->x);
    const double speed = norm(island, m->k[0], NULL, island->x);
    double h = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
    // a state that happens to pass through zero says nothing about its time scale; too long a step is only
    // rejected
    h = fmax(h, fmax(least, isfinite(room) ? 1e-9 * room : 0));
    h = fmin(h, fmin(o->max_step, room));
    for (int tries = 0; tries < 20; tries++, h /= 10) {
        for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + h * m->k[0][i];
        if (!island_rates(island, island->t + h, m->y, m->k[1])) continue;
        const double bend = norm(island, m->k[1], m->k[0], island->x) / h;
        const double most = fmax(speed, bend);
        const double h1 = most <= 1e-15 ? fmax(1e-6, h * 1e-3) : dp_first(most);
        return fmin(fmin(100 * h, h1), fmin(o->max_step, room));
    }
    return h;
}

// All stages from k[0]; the new state ends in y. False if the rates do not exist somewhere on the way.
static bool try_step(Island *island, Dopri5 *m, double h)
{
    const size_t n = island->model->n_states;
    for (int s = 1; s < N_STAGES; s++) {
        dp_argument(n, s, h, island->x, m->k, m->y);
        if (s == N_STAGES - 2) memcpy(m->y_last, m->y, n * sizeof *m->y);
        if (!island_rates(island, island->t + dp_c[s] * h, m->y, m->k[s])) return false;
    }
    return true;
}

static double error_of(const Island *island, const Dopri5 *m, double h)
{
    return dp_error(island->model->n_states, h, island->x, m->y, m->k, island->options.absolute,
                    island->options.tolerance);
}

// Is the step bounded by stability? λ from two stages at the same time: its size and, as a Rayleigh quotient,
// its real part.
static void watch_stiffness(Island *island, Dopri5 *m, double h)
{
    const size_t n = island->model->n_states;
    double slopes = 0, points = 0, mixed = 0;
    for (size_t i = 0; i < n; i++) {
        const double dk = m->k[6][i] - m->k[5][i], dy = m->y[i] - m->y_last[i];
        slopes += dk * dk;
        points += dy * dy;
        mixed += dk * dy;
    }
    m->n_decayed = -h * mixed > points ? m->n_decayed + 1 : 0;
    if (m->n_decayed >= DECAY_STEPS) m->is_stiff = true;
    if (points > 0 && h * sqrt(slopes / points) > STIFF_BOUND) {
        m->n_free = 0;
        if (++m->n_at_bound >= STIFF_STEPS) m->is_stiff = true;
    } else if (++m->n_free >= FORGET_STEPS) {
        m->n_at_bound = 0;
    }
    if (!m->is_stiff || m->warned || island->solver != &solver_dopri5) return;
    m->warned = true;
    diag_report(island->diag, DIAG_STIFF, (Place){ 0 }, island->t,
                island_fastest(island, island->t, island->x));
    diag_hint(island->diag, "use 'solver bdf', or 'solver auto' which changes by itself");
}

Dopri5Ahead dopri5_ahead(const void *memory)
{
    const Dopri5 *m = memory;
    return (Dopri5Ahead){ m->h, m->log_before, m->was_rejected, m->k[m->h_done > 0 ? N_STAGES - 1 : 0] };
}

bool dopri5_has_begun(const void *memory) { return ((const Dopri5 *)memory)->begun; }

void dopri5_go_on(Island *island, double h, double log_before, bool was_rejected, const double *rates,
                  size_t stride)
{
    Dopri5 *m = island->memory;
    for (size_t i = 0; i < island->model->n_states; i++) m->k[0][i] = rates[i * stride];
    m->h = h;
    m->h_done = 0;
    m->log_before = log_before;
    m->was_rejected = was_rejected;
    m->dense_known = false;
}

bool dopri5_is_stiff(const void *memory) { return ((const Dopri5 *)memory)->is_stiff; }

void dopri5_be_calm(void *memory) { ((Dopri5 *)memory)->is_stiff = false; }

// What is left, after an event, is shorter than any step that could be judged.
static StepResult step_crumb(Island *island, Dopri5 *m, double t_limit)
{
    const double h = t_limit - island->t;
    for (size_t i = 0; i < island->model->n_states; i++) island->x[i] += h * m->k[0][i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = false;
    return STEP_OK;
}

// The rates do not exist somewhere in this step: worth a shorter one, as long as that leads anywhere. Where a
// solution ends (two solutions of a loop have met, the argument of a root has become 0) ever shorter steps
// are possible, which change the states by less than their last digit: the run would never come to an end.
static bool is_blocked(Island *island, Dopri5 *m)
{
    const size_t size = island->model->n_states * sizeof(double);
    if (m->n_blocked > 0) {
        const double near = 1e-6 * (fabs(island->t) + island->t - island->t_start);
        const double moved = norm(island, island->x, m->x_blocked, m->x_blocked);
        if (island->t - m->t_blocked > near || !(moved <= 1)) m->n_blocked = 0;
    }
    if (m->n_blocked == 0) {
        m->t_blocked = island->t;
        memcpy(m->x_blocked, island->x, size);
    }
    return ++m->n_blocked > BLOCKED_MAX;
}

static StepResult step(Island *island, double t_limit)
{
    Dopri5 *m = island->memory;
    const size_t n = island->model->n_states;
    const double t = island->t, room = t_limit - t;
    if (!m->begun) {
        if (!island_rates(island, t, island->x, m->k[0])) {
            fault_report(island);
            return STEP_FAILED;
        }
        if (room > CRUMB * fabs(t)) m->h = first_step(island, m, room);
        m->begun = true;
    }
    if (room <= CRUMB * fabs(t)) return step_crumb(island, m, t_limit);
    m->dense_known = false;

    bool was_rejected = m->was_rejected;
    m->was_rejected = false;
    for (int tries = 0;; tries++) {
        // the last step ends exactly at the limit; one that would leave a crumb is stretched a little
        double h = fmin(m->h, island->options.max_step);
        const bool is_last = t + DP_LAST * h >= t_limit;
        if (is_last) h = room;
        if (t + 0.1 * h == t || tries >= RETRIES_MAX) {
            fault_report_step(island, h);
            return STEP_FAILED;
        }
        if (!try_step(island, m, h)) {
            if (is_blocked(island, m)) {
                fault_report_step(island, h);
                return STEP_FAILED;
            }
            m->h = h * DP_SHRINK_MOST;
            was_rejected = true;
            island->n_rejected++;
            continue;
        }
        const double error = error_of(island, m, h);
        if (!(error <= 1)) {
            m->h = dp_shorter(h, error);
            was_rejected = true;
            island->n_rejected++;
            continue;
        }
        double h_next = dp_next(h, error, m->log_before);
        if (was_rejected) h_next = fmin(h_next, h);
        // a step that was only cut by the limit says nothing about the one after it
        if (!is_last || was_rejected || h >= m->h) m->h = h_next;
        m->log_before = fmax(dp_error_log(error), DP_LOG_LEAST);
        watch_stiffness(island, m, h);

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
static StepResult step_first_same_as_last(Island *island, double t_limit)
{
    Dopri5 *m = island->memory;
    if (m->begun && m->h_done > 0) {
        double *last = m->k[N_STAGES - 1];
        m->k[N_STAGES - 1] = m->k[0];
        m->k[0] = last;
        m->h_done = 0;
    }
    return step(island, t_limit);
}

static void state_at(Island *island, double t, double *x)
{
    Dopri5 *m = island->memory;
    const size_t n = island->model->n_states;
    if (!m->dense_known) {
        dp_make_dense(n, m->h_done, m->x0, island->x, m->k, m->dense);
        m->dense_known = true;
    }
    dp_state(n, (t - m->t0) / m->h_done, m->x0, m->dense, x);
}

static void pass(Island *island, RunSaved *saved)
{
    Dopri5 *m = island->memory;
    const size_t size = island->model->n_states * sizeof(double);
    double *const numbers[] = { &m->t0, &m->h_done, &m->h, &m->log_before, &m->t_blocked };
    int *const counts[] = { &m->n_at_bound, &m->n_free, &m->n_decayed, &m->n_blocked };
    bool *const flags[] = { &m->begun, &m->dense_known, &m->is_stiff, &m->warned };
    for (int i = 0; i < N_STAGES; i++) saved_pass(saved, m->k[i], size);
    for (int i = 0; i < DP_DENSE; i++) saved_pass(saved, m->dense[i], size);
    saved_pass(saved, m->x0, size);
    saved_pass(saved, m->x_blocked, size);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        saved_pass(saved, numbers[i], sizeof **numbers);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) saved_pass(saved, counts[i], sizeof **counts);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) saved_flags(saved, flags[i], 1);
}

const Solver solver_dopri5 = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4), explicit, adaptive step, dense output",
    .order = 5,
    .init = init,
    .step = step_first_same_as_last,
    .restart = restart,
    .state_at = state_at,
    .pass = pass,
};
