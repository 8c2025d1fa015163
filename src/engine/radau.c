// src/engine/radau.c: Radau IIA of order 5, an implicit one-step method for stiff models.
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
#include "engine/radau.h"
#include "engine/host.h"
#include <float.h>

enum { RADAU_ITERATIONS = 7, RADAU_TRIES = 200 };

#define ROOT6 2.449489742783178098
static const double radau_c[RADAU_STAGES] = { (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1 };
// eigenvalues of A⁻¹, its eigenvectors and their inverse
#define RADAU_GAMMA 3.6378342527444957
#define RADAU_ALPHA 2.6810828736277521
#define RADAU_BETA  3.0504301992474105
static const double radau_basis[RADAU_STAGES][RADAU_STAGES] = {
    { 9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2 },
    { 0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779 },
    { 0.96604818261509293619, 1, 0 },
};
static const double radau_inverse[RADAU_STAGES][RADAU_STAGES] = {
    { 4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119 },
    { -4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196 },
    { -0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497 },
};
// of the embedded formula
static const double radau_e[RADAU_STAGES] = { -(13 + 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3 };

// The step is divided by at most SHRINK_MOST and at least 1/GROW_MOST; the Jacobian is kept while each
// iteration leaves less than KEEP of the error, and the factors, too, while the step would grow less than
// GROW_LEAST.
#define RADAU_SAFETY      0.9
#define RADAU_SHRINK_MOST 5.0
#define RADAU_GROW_MOST   8.0
#define RADAU_KEEP        1e-3
#define RADAU_GROW_LEAST  1.2
#define RADAU_CRUMB       (16 * DBL_EPSILON)
#define RADAU_LAST        1.01

// ---- One attempt at a step

static double radau_norm(const Radau *m, const double *u, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double s = u[i] / m->tolerated[i];
        sum += s * s;
    }
    return sum;
}

// Of the last step, around its end, divided by s.
static double radau_polynomial(const Radau *m, size_t i, double s)
{
    return m->dense[0][i] +
           (s - radau_c[1] + 1) * (m->dense[1][i] + (s - radau_c[0] + 1) * m->dense[2][i]);
}

// First values of the stages: the polynomial of the step before goes on.
static void radau_guess(Radau *m, size_t n, double h)
{
    for (int s = 0; s < RADAU_STAGES; s++) {
        const double at = m->has_past ? radau_c[s] * h / m->h_done : 0;
        for (size_t i = 0; i < n; i++)
            m->z[s][i] = at * radau_polynomial(m, i, at);
    }
    for (int s = 0; s < RADAU_STAGES; s++)
        for (size_t i = 0; i < n; i++)
            m->w[s][i] = radau_inverse[s][0] * m->z[0][i] + radau_inverse[s][1] * m->z[1][i] +
                         radau_inverse[s][2] * m->z[2][i];
}

// The change of w by one iteration, in f. False if the rates do not exist at a stage.
static bool radau_iterate(Island *island, Radau *m, double h)
{
    const size_t n = island->tables->n_states;
    for (int s = 0; s < RADAU_STAGES; s++) {
        for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + m->z[s][i];
        if (!island_rates(island, island->t + radau_c[s] * h, m->y, m->f[s])) return false;
    }
    for (size_t i = 0; i < n; i++) {
        const double mass = m->is_implicit[i] ? 0 : 1 / h;
        const double f[RADAU_STAGES] = { m->f[0][i], m->f[1][i], m->f[2][i] };
        const double w[RADAU_STAGES] = { m->w[0][i], m->w[1][i], m->w[2][i] };
        double g[RADAU_STAGES];
        for (int s = 0; s < RADAU_STAGES; s++)
            g[s] = radau_inverse[s][0] * f[0] + radau_inverse[s][1] * f[1] + radau_inverse[s][2] * f[2];
        m->f[0][i] = g[0] - RADAU_GAMMA * mass * w[0];
        m->f[1][i] = g[1] - mass * (RADAU_ALPHA * w[1] - RADAU_BETA * w[2]);
        m->f[2][i] = g[2] - mass * (RADAU_ALPHA * w[2] + RADAU_BETA * w[1]);
    }
    m->system->solve_real(m->memory, m->f[0]);
    m->system->solve_complex(m->memory, m->f[1], m->f[2]);
    return true;
}

static void radau_add(Radau *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int s = 0; s < RADAU_STAGES; s++) m->w[s][i] += m->f[s][i];
        for (int s = 0; s < RADAU_STAGES; s++)
            m->z[s][i] = radau_basis[s][0] * m->w[0][i] + radau_basis[s][1] * m->w[1][i] +
                         radau_basis[s][2] * m->w[2][i];
    }
}

// Solve for the stages. 1 if that is done, else by how much the step should become shorter.
static double radau_solve(Island *island, Radau *m, double h)
{
    const size_t n = island->tables->n_states;
    double before = 0, ratio_before = 0;
    radau_guess(m, n, h);
    m->eta = pow(fmax(m->eta, DBL_EPSILON), 0.8);
    m->rate = RADAU_KEEP;
    for (m->n_iterations = 1; m->n_iterations <= RADAU_ITERATIONS; m->n_iterations++) {
        if (!radau_iterate(island, m, h)) return 0.5;
        double sum = 0;
        for (int s = 0; s < RADAU_STAGES; s++) sum += radau_norm(m, m->f[s], n);
        const double size = n ? sqrt(sum / (double)(RADAU_STAGES * n)) : 0;
        if (!isfinite(size)) return 0.5;
        const int left = RADAU_ITERATIONS - 1 - m->n_iterations;
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
        radau_add(m, n);
        if (m->eta * size <= m->newton_tolerance) return 1;
    }
    return 0.5;
}

// The error of the step, of which 1 is tolerated.
static double radau_error(Island *island, Radau *m, double h)
{
    const size_t n = island->tables->n_states;
    double *const part = m->f[0], *const again = m->f[1];
    for (size_t i = 0; i < n; i++) {
        const double sum = radau_e[0] * m->z[0][i] + radau_e[1] * m->z[1][i] + radau_e[2] * m->z[2][i];
        part[i] = m->is_implicit[i] ? 0 : sum / h;
        m->off[i] = m->rates[i] + part[i];
    }
    m->system->solve_real(m->memory, m->off);
    double error = n ? fmax(sqrt(radau_norm(m, m->off, n) / (double)n), 1e-10) : 1e-10;
    if (error < 1 || !(m->is_first || m->was_rejected)) return error;
    // filtered once more: after a jump the estimate is too large for stiff parts
    for (size_t i = 0; i < n; i++) m->y[i] = island->x[i] + m->off[i];
    if (!island_rates(island, island->t, m->y, again)) return error;
    for (size_t i = 0; i < n; i++) m->off[i] = again[i] + part[i];
    m->system->solve_real(m->memory, m->off);
    return fmax(sqrt(radau_norm(m, m->off, n) / (double)n), 1e-10);
}

// ---- Steps

static double radau_next(const Radau *m, double h, double error)
{
    const int most = 2 * RADAU_ITERATIONS;
    const double factor = fmin(RADAU_SAFETY, RADAU_SAFETY * (1 + most) / (m->n_iterations + most));
    double divisor = fmax(1 / RADAU_GROW_MOST, fmin(RADAU_SHRINK_MOST, sqrt(sqrt(error)) / factor));
    if (error < 1 && !m->is_first) {
        // the trend of the last two errors goes on
        const double trend = m->h_accepted / h * sqrt(sqrt(error * error / m->error_accepted)) / RADAU_SAFETY;
        divisor = fmax(divisor, fmax(1 / RADAU_GROW_MOST, fmin(RADAU_SHRINK_MOST, trend)));
    }
    return h / divisor;
}

static void radau_accept(Island *island, Radau *m, double h, double t, double error)
{
    const size_t n = island->tables->n_states;
    for (size_t i = 0; i < n; i++) {
        const double z0 = m->z[0][i], z1 = m->z[1][i], z2 = m->z[2][i];
        const double slope = (z0 - z1) / (radau_c[0] - radau_c[1]);
        m->dense[0][i] = (z1 - z2) / (radau_c[1] - 1);
        m->dense[1][i] = (slope - m->dense[0][i]) / (radau_c[0] - 1);
        m->dense[2][i] = m->dense[1][i] - (slope - z0 / radau_c[0]) / radau_c[1];
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

static double radau_first(const Island *island, const Radau *m, double room)
{
    const double least = 1000 * DBL_EPSILON * fabs(island->t);
    const size_t n = island->tables->n_states;
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

// States without a derivative follow what jumped.
static bool radau_settle(Island *island)
{
    return !island->tables->has_implicit || island->services->settle_loops(island);
}

// The rates at the beginning of a step and, where the past is forgotten, its first length.
static bool radau_begin(Island *island, Radau *m, double room)
{
    const size_t n = island->tables->n_states;
    if (!m->begun && !radau_settle(island)) return false;
    for (size_t i = 0; i < n; i++)
        m->tolerated[i] = m->tolerance * (island->absolute[i] / island->options.tolerance) +
                          m->tolerance * fabs(island->x[i]);
    if (!m->has_rates && !island_rates(island, island->t, island->x, m->rates)) {
        island->services->report(island, ENGINE_FAULT, 0, island->t);
        return false;
    }
    m->has_rates = true;
    if (m->begun) return true;
    m->h = radau_first(island, m, room);
    m->begun = m->is_first = m->needs_jacobian = true;
    m->has_past = m->was_rejected = false;
    m->eta = 1;
    return true;
}

// What is left is shorter than any step that could be judged.
static StepResult radau_crumb(Island *island, Radau *m, double t_limit)
{
    for (size_t i = 0; i < island->tables->n_states; i++)
        if (!m->is_implicit[i]) island->x[i] += (t_limit - island->t) * m->rates[i];
    island->t_before = island->t = t_limit;
    island->n_steps++;
    m->begun = m->has_rates = false;
    return radau_settle(island) ? STEP_OK : STEP_FAILED;
}

// Jacobian and factors for a step of length h, as far as they are not at hand. False if that is singular.
static bool radau_prepare(Island *island, Radau *m, double h, bool *exists)
{
    *exists = true;
    if (m->needs_jacobian) {
        *exists = m->system->renew(m->memory, island->t, island->x);
        if (!*exists) return false;
        m->needs_jacobian = false;
        m->jacobian_is_new = true;
        m->h_factored = 0;
    }
    if (m->h_factored == h) return true;
    m->h_factored = m->system->factor(m->memory, RADAU_GAMMA / h, RADAU_ALPHA / h, RADAU_BETA / h) ? h : 0;
    return m->h_factored > 0;
}

static void radau_reject(Island *island, Radau *m, double h)
{
    m->h = h;
    m->was_rejected = true;
    m->needs_jacobian = !m->jacobian_is_new;
    island->n_rejected++;
}

StepResult radau_step(Island *island, double t_limit)
{
    Radau *m = island->memory;
    const double t = island->t, room = t_limit - t;
    if (!radau_begin(island, m, room)) return STEP_FAILED;
    if (room <= RADAU_CRUMB * fmax(fabs(t), fabs(t_limit))) return radau_crumb(island, m, t_limit);
    for (int tries = 0;; tries++) {
        double h = fmin(m->h, island->options.max_step);
        const bool is_last = t + RADAU_LAST * h >= t_limit;
        if (is_last) h = room;
        if (t + 0.1 * h == t || tries >= RADAU_TRIES) {
            island->services->report(island, ENGINE_STEP_TOO_SMALL, 0, h);
            return STEP_FAILED;
        }
        bool exists;
        if (!radau_prepare(island, m, h, &exists)) {
            if (!exists && tries == 0) {
                island->services->report(island, ENGINE_FAULT, 0, t);
                return STEP_FAILED;
            }
            radau_reject(island, m, 0.5 * h);
            continue;
        }
        const double shorter = radau_solve(island, m, h);
        if (shorter != 1) {
            radau_reject(island, m, shorter * h);
            continue;
        }
        const double error = radau_error(island, m, h), next = radau_next(m, h, error);
        if (!(error < 1)) {
            radau_reject(island, m, !isfinite(error) || m->is_first ? 0.1 * h : next);
            continue;
        }
        // factors are worth more than a slightly longer step; one that was only cut by the limit says nothing
        const bool is_kept = m->rate <= RADAU_KEEP && next >= h && next <= RADAU_GROW_LEAST * h;
        const double wanted = is_kept || (m->was_rejected && next > h) ? h : next;
        if (!is_last || h >= m->h || wanted < h) m->h = wanted;
        m->needs_jacobian = m->rate > RADAU_KEEP;
        m->jacobian_is_new = false;
        radau_accept(island, m, h, is_last ? t_limit : t + h, error);
        if (!stuck_after(&m->stuck, t, island->t)) return STEP_OK;
        island->services->report(island, ENGINE_STEP_TOO_SMALL, 0, h);
        return STEP_FAILED;
    }
}

void radau_restart(Island *island)
{
    Radau *m = island->memory;
    m->begun = m->has_rates = false;
}

void radau_state_at(Island *island, double t, double *x)
{
    const Radau *m = island->memory;
    const double s = (t - m->t0) / m->h_done - 1;
    for (size_t i = 0; i < island->tables->n_states; i++)
        x[i] = m->x1[i] + s * radau_polynomial(m, i, s);
}

void radau_init(Radau *m, const SolverOptions *o, double *vectors, size_t stride)
{
    double **const list[RADAU_VECTORS] = {
        &m->z[0], &m->z[1], &m->z[2],     &m->w[0],     &m->w[1],     &m->w[2],  &m->f[0], &m->f[1], &m->f[2],
        &m->x1,   &m->rates, &m->dense[0], &m->dense[1], &m->dense[2], &m->y,     &m->off,  &m->tolerated,
    };
    for (size_t i = 0; i < RADAU_VECTORS; i++) *list[i] = vectors + i * stride;
    // the estimate is of order 3, the step of order 5
    m->tolerance = 0.1 * pow(o->tolerance, 2.0 / 3);
    m->newton_tolerance = fmax(10 * DBL_EPSILON / m->tolerance, fmin(0.03, sqrt(m->tolerance)));
}
