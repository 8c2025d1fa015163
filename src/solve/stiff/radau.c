// src/solve/stiff/radau.c: Radau IIA of order 5, an implicit one-step method for stiff models.
//
// M x' = f(t, x), where M has zeros on the diagonal for implicit states, whose f is a residual. A step solves
// for three stages x + z at the collocation points c, the last of which is its end:
//
//     M z = h (A ⊗ f(x + z)),     Newton's method with the Jacobian at the beginning of the step
//
// A⁻¹ has one real eigenvalue γ and a complex pair α ± iβ. In the basis T of its eigenvectors the linear
// systems fall apart into one with γ/h·M - J and a complex one with (α + iβ)/h·M - J (shifted.h). Jacobian
// and factors are kept while Newton's method converges fast. The error is estimated by an embedded formula of
// third order, filtered by the real system so that it stays bounded for stiff parts; steps are chosen by
// Gustafsson's predictive controller. Dense output is the collocation polynomial, whose continuation gives
// the first guess for the next step.
// [Hairer & Wanner, Solving ODEs II, section IV.8; Gustafsson 1994]
#include "base/diag.h"
#include "solve/solver.h"
#include "solve/stiff/settle.h"
#include "solve/stiff/shifted.h"
#include "solve/stiff/stuck.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 3, ITERATIONS_MAX = 7, TRIES_MAX = 200 };

#define ROOT6 2.449489742783178098
static const double c[STAGES] = { (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1 };
// eigenvalues of A⁻¹, its eigenvectors and their inverse
static const double GAMMA = 3.6378342527444957, ALPHA = 2.6810828736277521, BETA = 3.0504301992474105;
static const double T[STAGES][STAGES] = {
    { 9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2 },
    { 0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779 },
    { 0.96604818261509293619, 1, 0 },
};
static const double T_INVERSE[STAGES][STAGES] = {
    { 4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119 },
    { -4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196 },
    { -0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497 },
};
// of the embedded formula
static const double e[STAGES] = { -(13 + 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3 };

// The step is divided by at most SHRINK_MOST and at least 1/GROW_MOST; the Jacobian is kept while each
// iteration leaves less than KEEP of the error, and the factors, too, while the step would grow less than
// GROW_LEAST.
static const double SAFETY = 0.9, SHRINK_MOST = 5, GROW_MOST = 8, KEEP = 1e-3, GROW_LEAST = 1.2;
static const double CRUMB = 16 * DBL_EPSILON, LAST = 1.01;

typedef struct Radau {
    Shifted shifted;
    bool   *is_implicit;                    // [n_states]
    double *z[STAGES], *w[STAGES], *f[STAGES];    // [n_states] stages minus x; in the other basis; rates
    double *x1, *dense[STAGES];             // [n_states] end of the last step and its polynomial
    double *rates, *y;                      // [n_states] at the beginning of a step; scratch
    double *off, *tolerated;                // [n_states] the error, and what it may be
    double  tolerance, absolute;            // of the estimate, whose order is lower than that of the method
    double  newton_tolerance;
    bool    begun, has_rates, has_past;     // … there is a step before: its polynomial is a first guess
    bool    needs_jacobian, jacobian_is_new;
    double  t0, h_done;                     // the last step
    double  h, h_factored;                  // the next one; that of the factors, 0: none
    double  rate, eta;                      // of convergence; how far the next iteration is from the solution
    double  h_accepted, error_accepted;     // of the last step, for the controller
    int     n_iterations;
    bool    is_first, was_rejected;
    Stuck   stuck;
} Radau;

// ---- One attempt at a step

static double norm(const Radau *m, const double *u, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double s = u[i] / m->tolerated[i];
        sum += s * s;
    }
    return sum;
}

// First values of the stages: the polynomial of the step before goes on.
static void guess_stages(Radau *m, size_t n, double h)
{
    for (int s = 0; s < STAGES; s++) {
        const double at = m->has_past ? c[s] * h / m->h_done : 0;
        for (size_t i = 0; i < n; i++)
            m->z[s][i] = at * (m->dense[0][i] +
                               (at - c[1] + 1) * (m->dense[1][i] + (at - c[0] + 1) * m->dense[2][i]));
    }
    for (int s = 0; s < STAGES; s++)
        for (size_t i = 0; i < n; i++)
            m->w[s][i] = T_INVERSE[s][0] * m->z[0][i] + T_INVERSE[s][1] * m->z[1][i] +
                         T_INVERSE[s][2] * m->z[2][i];
}

// The change of w by one iteration, in f. False if the rates do not exist at a stage.
static bool iterate(Island *island, Radau *m, double h)
{
    const size_t n = island->model->n_states;
    for (int s = 0; s < STAGES; s++) {
        for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + m->z[s][i];
        if (!island_rates(island, island->t + c[s] * h, m->y, m->f[s])) return false;
    }
    for (size_t i = 0; i < n; i++) {
        const double mass = m->is_implicit[i] ? 0 : 1 / h;
        const double f[STAGES] = { m->f[0][i], m->f[1][i], m->f[2][i] };
        const double w[STAGES] = { m->w[0][i], m->w[1][i], m->w[2][i] };
        double g[STAGES];
        for (int s = 0; s < STAGES; s++)
            g[s] = T_INVERSE[s][0] * f[0] + T_INVERSE[s][1] * f[1] + T_INVERSE[s][2] * f[2];
        m->f[0][i] = g[0] - GAMMA * mass * w[0];
        m->f[1][i] = g[1] - mass * (ALPHA * w[1] - BETA * w[2]);
        m->f[2][i] = g[2] - mass * (ALPHA * w[2] + BETA * w[1]);
    }
    shifted_solve_real(&m->shifted, m->f[0]);
    shifted_solve_complex(&m->shifted, m->f[1], m->f[2]);
    return true;
}

static void add_change(Radau *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int s = 0; s < STAGES; s++) m->w[s][i] += m->f[s][i];
        for (int s = 0; s < STAGES; s++)
            m->z[s][i] = T[s][0] * m->w[0][i] + T[s][1] * m->w[1][i] + T[s][2] * m->w[2][i];
    }
}

// Solve for the stages. 1 if that is done, else by how much the step should become shorter.
static double solve_stages(Island *island, Radau *m, double h)
{
    const size_t n = island->model->n_states;
    double before = 0, ratio_before = 0;
    guess_stages(m, n, h);
    m->eta = pow(fmax(m->eta, DBL_EPSILON), 0.8);
    m->rate = KEEP;
    for (m->n_iterations = 1; m->n_iterations <= ITERATIONS_MAX; m->n_iterations++) {
        if (!iterate(island, m, h)) return 0.5;
        double sum = 0;
        for (int s = 0; s < STAGES; s++) sum += norm(m, m->f[s], n);
        const double size = n ? sqrt(sum / (double)(STAGES * n)) : 0;
        if (!isfinite(size)) return 0.5;
        const int left = ITERATIONS_MAX - 1 - m->n_iterations;
        if (m->n_iterations > 1 && left >= 0) {
            const double ratio = size / before;
            m->rate = m->n_iterations == 2 ? ratio : sqrt(ratio * ratio_before);
            ratio_before = ratio;
            if (!(m->rate < 0.99)) return 0.5;
            m->eta = m->rate / (1 - m->rate);
            // how far it would be off after the last iteration
            const double miss = m->eta * size * pow(m->rate, left) / m->newton_tolerance;
            if (miss >= 1) return 0.8 * pow(fmax(1e-4, fmin(20, miss)), -1.0 / (4 + left));
        }
        before = fmax(size, DBL_EPSILON);
        add_change(m, n);
        if (m->eta * size <= m->newton_tolerance) return 1;
    }
    return 0.5;
}

// The error of the step, of which 1 is tolerated.
static double estimate_error(Island *island, Radau *m, double h)
{
    const size_t n = island->model->n_states;
    double *const part = m->f[0], *const again = m->f[1];
    for (size_t i = 0; i < n; i++) {
        part[i] = m->is_implicit[i] ? 0 : (e[0] * m->z[0][i] + e[1] * m->z[1][i] + e[2] * m->z[2][i]) / h;
        m->off[i] = m->rates[i] + part[i];
    }
    shifted_solve_real(&m->shifted, m->off);
    double error = n ? fmax(sqrt(norm(m, m->off, n) / (double)n), 1e-10) : 1e-10;
    if (error < 1 || !(m->is_first || m->was_rejected)) return error;
    // filtered once more: after a jump the estimate is too large for stiff parts
    for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + m->off[i];
    if (!island_rates(island, island->t, m->y, again)) return error;
    for (size_t i = 0; i < n; i++) m->off[i] = again[i] + part[i];
    shifted_solve_real(&m->shifted, m->off);
    return fmax(sqrt(norm(m, m->off, n) / (double)n), 1e-10);
}

// ---- Steps

static double next_step(const Radau *m, double h, double error)
{
    const int most = 2 * ITERATIONS_MAX;
    const double factor = fmin(SAFETY, SAFETY * (1 + most) / (m->n_iterations + most));
    double divisor = fmax(1 / GROW_MOST, fmin(SHRINK_MOST, sqrt(sqrt(error)) / factor));
    if (error < 1 && !m->is_first) {
        // the trend of the last two errors goes on
        const double trend = m->h_accepted / h * sqrt(sqrt(error * error / m->error_accepted)) / SAFETY;
        divisor = fmax(divisor, fmax(1 / GROW_MOST, fmin(SHRINK_MOST, trend)));
    }
    return h / divisor;
}

static void accept(Island *island, Radau *m, double h, double t, double error)
{
    const size_t n = island->model->n_states;
    for (size_t i = 0; i < n; i++) {
        const double z0 = m->z[0][i], z1 = m->z[1][i], z2 = m->z[2][i];
        const double slope = (z0 - z1) / (c[0] - c[1]);
        m->dense[0][i] = (z1 - z2) / (c[1] - 1);
        m->dense[1][i] = (slope - m->dense[0][i]) / (c[0] - 1);
        m->dense[2][i] = m->dense[1][i] - (slope - z0 / c[0]) / c[1];
        island->x[i] += z2;
    }
    memcpy(m->x1, island->x, n * sizeof *m->x1);
    m->t0 = island->t_before = island->t;
    m->h_done = h;
    m->has_past = true;
    m->has_rates = false;
    m->h_accepted = h;
    m->error_accepted = fmax(1e-2, error);
    m->is_first = m->was_rejected = false;
    island->t = t;
    island->n_steps++;
}

static double first_step(const Island *island, const Radau *m, double room)
{
    const double least = 1000 * DBL_EPSILON * fabs(island->t);
    const size_t n = island->model->n_states;
    if (island->options.step > 0) return fmin(fmax(island->options.step, least), room);
    double size = 0, speed = 0;
    for (size_t i = 0; i < n; i++) {
        const double s = island->x[i] / m->tolerated[i], v = m->rates[i] / m->tolerated[i];
        size += s * s;
        if (!m->is_implicit[i]) speed += v * v;
    }
    const double h = size > 0 && speed > 0 ? 1e-3 * sqrt(size / speed) : 1e-6;
    return fmin(fmax(h, fmax(least, isfinite(room) ? 1e-9 * room : 0)), room);
}

// The rates at the beginning of a step and, where the past is forgotten, its first length.
static bool begin(Island *island, Radau *m, double room)
{
    const size_t n = island->model->n_states;
    if (!m->begun && !settle_implicit(island)) return false;
    for (size_t i = 0; i < n; i++) m->tolerated[i] = m->absolute + m->tolerance * fabs(island->x[i]);
    if (!m->has_rates && !island_rates(island, island->t, island->x, m->rates)) {
        fault_report(island);
        return false;
    }
    m->has_rates = true;
    if (m->begun) return true;
    m->h = first_step(island, m, room);
    m->begun = m->is_first = m->needs_jacobian = true;
    m->has_past = m->was_rejected = false;
    m->eta = 1;
    return true;
}

// What is left is shorter than any step that could be judged.
static StepResult step_crumb(Island *island, Radau *m, double t_limit)
{
    for (size_t i = 0; i < island->model->n_states; i++)
        if (!m->is_implicit[i]) island->x[i] += (t_limit - island->t) * m->rates[i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = m->has_rates = false;
    return settle_implicit(island) ? STEP_OK : STEP_FAILED;
}

// Jacobian and factors for a step of length h, as far as they are not at hand. False if that is singular.
static bool prepare(Island *island, Radau *m, double h, bool *exists)
{
    *exists = true;
    if (m->needs_jacobian) {
        *exists = shifted_renew(&m->shifted, island->t, island->x);
        if (!*exists) return false;
        m->needs_jacobian = false;
        m->jacobian_is_new = true;
        m->h_factored = 0;
    }
    if (m->h_factored == h) return true;
    m->h_factored = shifted_factor(&m->shifted, GAMMA / h, ALPHA / h, BETA / h) ? h : 0;
    return m->h_factored > 0;
}

static void reject(Island *island, Radau *m, double h)
{
    m->h = h;
    m->was_rejected = true;
    m->needs_jacobian = !m->jacobian_is_new;
    island->n_rejected++;
}

static StepResult step(Island *island, double t_limit)
{
    Radau *m = island->memory;
    const double t = island->t, room = t_limit - t;
    if (!begin(island, m, room)) return STEP_FAILED;
    if (room <= CRUMB * fmax(fabs(t), fabs(t_limit))) return step_crumb(island, m, t_limit);
    for (int tries = 0;; tries++) {
        double h = fmin(m->h, island->options.max_step);
        const bool is_last = t + LAST * h >= t_limit;
        if (is_last) h = room;
        if (t + 0.1 * h == t || tries >= TRIES_MAX) {
            fault_report_step(island, h);
            return STEP_FAILED;
        }
        bool exists;
        if (!prepare(island, m, h, &exists)) {
            if (!exists && tries == 0) {
                fault_report(island);
                return STEP_FAILED;
            }
            reject(island, m, 0.5 * h);
            continue;
        }
        const double shorter = solve_stages(island, m, h);
        if (shorter != 1) {
            reject(island, m, shorter * h);
            continue;
        }
        const double error = estimate_error(island, m, h), next = next_step(m, h, error);
        if (!(error < 1)) {
            reject(island, m, !isfinite(error) || m->is_first ? 0.1 * h : next);
            continue;
        }
        // factors are worth more than a slightly longer step; one that was only cut by the limit says nothing
        const bool is_kept = m->rate <= KEEP && next >= h && next <= GROW_LEAST * h;
        const double wanted = is_kept || (m->was_rejected && next > h) ? h : next;
        if (!is_last || h >= m->h || wanted < h) m->h = wanted;
        m->needs_jacobian = m->rate > KEEP;
        m->jacobian_is_new = false;
        accept(island, m, h, is_last ? t_limit : t + h, error);
        if (!stuck_after(&m->stuck, t, island->t)) return STEP_OK;
        fault_report_step(island, h);
        return STEP_FAILED;
    }
}

static void restart(Island *island)
{
    Radau *m = island->memory;
    m->begun = m->has_rates = false;
}

static void state_at(Island *island, double t, double *x)
{
    const Radau *m = island->memory;
    const double s = (t - m->t0) / m->h_done - 1;
    for (size_t i = 0; i < island->model->n_states; i++)
        x[i] = m->x1[i] + s * (m->dense[0][i] +
                               (s - c[1] + 1) * (m->dense[1][i] + (s - c[0] + 1) * m->dense[2][i]));
}

static void release(Island *island)
{
    Radau *m = island->memory;
    if (m) shifted_free(&m->shifted);
}

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const SolverOptions *o = &island->options;
    const size_t n = island->model->n_states;
    Radau *m = ARENA_NEW(arena, Radau);
    double **vectors[] = { &m->z[0], &m->z[1], &m->z[2], &m->w[0], &m->w[1], &m->w[2],
                           &m->f[0], &m->f[1], &m->f[2], &m->x1, &m->dense[0], &m->dense[1],
                           &m->dense[2], &m->rates, &m->y, &m->off, &m->tolerated };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = ARENA_ARRAY(arena, double, n);
    // the estimate is of order 3, the step of order 5
    m->tolerance = 0.1 * pow(o->tolerance, 2.0 / 3);
    m->absolute = m->tolerance * (o->absolute / o->tolerance);
    m->newton_tolerance = fmax(10 * DBL_EPSILON / m->tolerance, fmin(0.03, sqrt(m->tolerance)));
    m->is_implicit = settle_find_implicit(island->model, arena);
    island->memory = m;
    return shifted_init(&m->shifted, island, m->is_implicit, arena);
}

const Solver solver_radau = {
    .name = "radau",
    .summary = "Radau IIA, implicit, fifth order, adaptive step; for stiff models and large loops",
    .order = 5,
    .traits = SOLVER_IMPLICIT | SOLVER_TAKES_LOOPS,
    .init = init,
    .step = step,
    .restart = restart,
    .state_at = state_at,
    .free = release,
};
