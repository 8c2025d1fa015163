// src/num/least_squares.c: see least_squares.h.
//
// Names of the literature: g the gradient, delta the radius of the region in which the quadratic model is
// trusted. A step is looked for in scaled coordinates: p = p0 + d·s with d = scale·sqrt(way to the bound).
#include "num/least_squares.h"
#include "num/orthogonal.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_USUAL = 200, TRIES_MAX = 60 };

typedef struct Search {
    const LeastSquares *problem;
    LeastSquaresResult *result;
    size_t n, m;
    double *p, *tried, *r_tried;
    double *g, *norms;      // gradient; largest lengths of the columns so far
    double *way, *slope;    // to the bound that g points away from, and how that way changes with p
    double *d, *g_s;        // scale of s; gradient by s
    double *model;          // [n][2n] rows of the quadratic model in s
    double *columns, *values, *v, *weights;    // its singular values; weights = Uᵀ·S·b
    double *s, *best, *other;                  // steps in scaled coordinates
    double *work;                              // [n][m], [m]
    double delta, theta;
} Search;

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double norm(const double *a, size_t n) { return sqrt(dot(a, a, n)); }

static bool evaluate(Search *f, const double *p, double *r, double *squares)
{
    f->result->n_residuals++;
    *squares = f->problem->residuals(f->problem->self, p, r) ? dot(r, r, f->m) : NAN;
    if (isfinite(*squares)) return true;
    f->result->n_failed++;
    return false;
}

// Off the bounds, by a part of what is between them or of their size.
static void move_inside(const LeastSquares *problem, double *p, double part)
{
    for (size_t i = 0; i < problem->n; i++) {
        const double low = problem->low[i], high = problem->high[i];
        const double off_low = isfinite(high) ? part * (high - low) : part * fmax(1, fabs(low));
        const double off_high = isfinite(low) ? part * (high - low) : part * fmax(1, fabs(high));
        if (p[i] <= low) p[i] = fmax(low + off_low, nextafter(low, INFINITY));
        if (p[i] >= high) p[i] = fmin(high - off_high, nextafter(high, -INFINITY));
    }
}

// The scales at p, and the quadratic model there.
static void build_model(Search *f)
{
    const LeastSquares *problem = f->problem;
    const size_t n = f->n, m = f->m;
    const double *a = f->result->a, *r = f->result->r;
    for (size_t j = 0; j < n; j++) {
        f->g[j] = dot(a + j * m, r, m);
        f->norms[j] = fmax(f->norms[j], norm(a + j * m, m));
        const double scale = f->norms[j] > 0 ? 1 / f->norms[j] : 1;
        const double bound = f->g[j] < 0 ? problem->high[j] : problem->low[j];
        const bool is_bounded = isfinite(bound) && f->g[j] != 0;
        f->way[j] = is_bounded ? fabs(bound - f->p[j]) / scale : 1;
        f->slope[j] = is_bounded ? (f->g[j] < 0 ? -1 : 1) : 0;
        f->d[j] = scale * sqrt(f->way[j]);
        f->g_s[j] = f->d[j] * f->g[j];
    }
    memcpy(f->work, a, n * m * sizeof *a);
    double *b = f->work + n * m;
    memcpy(b, r, m * sizeof *r);
    orthogonal_reduce(f->work, m, n, b);
    memset(f->model, 0, 2 * n * n * sizeof *f->model);
    for (size_t j = 0; j < n; j++) {
        const double scale = f->norms[j] > 0 ? 1 / f->norms[j] : 1;
        for (size_t i = 0; i <= j; i++) f->model[j * 2 * n + i] = f->work[j * m + i] * f->d[j];
        f->model[j * 2 * n + n + j] = sqrt(f->g[j] * f->slope[j] * scale);
    }
    memcpy(f->columns, f->model, 2 * n * n * sizeof *f->model);
    orthogonal_values(f->columns, 2 * n, n, f->values, f->v);
    for (size_t j = 0; j < n; j++) f->weights[j] = dot(f->columns + j * 2 * n, b, n);
}

// ---- Steps in scaled coordinates

static double model_change(const Search *f, const double *s)
{
    double sum = 0;
    for (size_t i = 0; i < 2 * f->n; i++) {
        double row = 0;
        for (size_t j = 0; j < f->n; j++) row += f->model[j * 2 * f->n + i] * s[j];
        sum += row * row;
    }
    return sum / 2 + dot(f->g_s, s, f->n);
}

static double damped_length(const Search *f, double damping)
{
    double sum = 0;
    for (size_t j = 0; j < f->n; j++) {
        const double x = f->weights[j] / (f->values[j] * f->values[j] + damping);
        if (f->weights[j] != 0) sum += x * x;
    }
    return sqrt(sum);
}

// The least of the model within delta: damped just so much that the step is as long.
static void damped_step(const Search *f, double *s)
{
    const size_t n = f->n;
    const bool is_full = f->values[n - 1] > DBL_EPSILON * (double)f->m * f->values[0];
    double damping = 0;
    if (!is_full || damped_length(f, 0) > f->delta) {
        double low = 0, high = norm(f->weights, n) / f->delta;
        for (int i = 0; i < 100 && high - low > 1e-3 * high; i++) {
            damping = low > 0 ? sqrt(low * high) : high * 1e-3;
            if (damping < DBL_MIN) break;
            if (damped_length(f, damping) > f->delta) low = damping;
            else high = damping;
        }
        damping = high;
    }
    memset(s, 0, n * sizeof *s);
    for (size_t j = 0; j < n; j++) {
        if (f->weights[j] == 0) continue;
        const double x = -f->weights[j] / (f->values[j] * f->values[j] + damping);
        for (size_t i = 0; i < n; i++) s[i] += x * f->v[j * n + i];
    }
}

// How far one can go from p + d·from along d·s to the first bound; hit [n]: which it is (may be NULL).
static double way_to_bounds(const Search *f, const double *from, const double *s, bool *hit)
{
    double way = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < f->n; i++) {
            const double at = f->p[i] + (from ? f->d[i] * from[i] : 0), by = f->d[i] * s[i];
            const double bound = by > 0 ? f->problem->high[i] : f->problem->low[i];
            const double t = by != 0 && isfinite(bound) ? fmax(0, (bound - at) / by) : INFINITY;
            if (pass == 0) way = fmin(way, t);
            else if (hit) hit[i] = t == way && isfinite(t);
        }
    }
    return way;
}

// How far from `from` along s to the edge of the trusted region.
static double way_to_edge(const Search *f, const double *from, const double *s)
{
    const double a = dot(s, s, f->n), b = from ? dot(from, s, f->n) : 0,
                 c = (from ? dot(from, from, f->n) : 0) - f->delta * f->delta;
    if (a == 0) return 0;
    return (-b + sqrt(fmax(0, b * b - a * c))) / a;
}

// The least of the model on from + t·s, t in low..high; s becomes it. Returns how the model changes.
static double least_on_line(const Search *f, const double *from, double *s, double low, double high)
{
    double square = 0, mixed = 0;
    for (size_t i = 0; i < 2 * f->n; i++) {
        double row = 0, base = 0;
        for (size_t j = 0; j < f->n; j++) {
            row += f->model[j * 2 * f->n + i] * s[j];
            if (from) base += f->model[j * 2 * f->n + i] * from[j];
        }
        square += row * row;
        mixed += row * base;
    }
    const double slope = mixed + dot(f->g_s, s, f->n);
    double t = square > 0 ? fmin(fmax(-slope / square, low), high) : slope < 0 ? high : low;
    if (slope * low + square * low * low / 2 < slope * t + square * t * t / 2) t = low;
    for (size_t j = 0; j < f->n; j++) s[j] = (from ? from[j] : 0) + t * s[j];
    return model_change(f, s);
}

// The step of the model that stays inside the bounds: as it is; else cut, reflected, or down the slope,
// whichever promises most. Returns the change that it promises.
static double choose_step(Search *f)
{
    const size_t n = f->n;
    bool *hit = (bool *)f->work;    // the model is built: work is free
    damped_step(f, f->best);
    const double cut = way_to_bounds(f, NULL, f->best, hit);
    if (cut > 1) return model_change(f, f->best);
    for (size_t i = 0; i < n; i++) {
        f->other[i] = hit[i] ? -f->best[i] : f->best[i];    // reflected
        f->best[i] *= cut;
    }
    const double to_bound = way_to_bounds(f, f->best, f->other, NULL),
                 to_edge = way_to_edge(f, f->best, f->other), way = fmin(to_bound, to_edge);
    double reflected = INFINITY;
    if (way > 0) {
        const double low = (1 - f->theta) * cut / way,
                     high = to_bound < to_edge ? f->theta * to_bound : to_edge;
        if (low <= high) reflected = least_on_line(f, f->best, f->other, low, high);
    }
    for (size_t i = 0; i < n; i++) f->best[i] *= f->theta;
    double change = model_change(f, f->best);
    if (reflected < change) {
        memcpy(f->best, f->other, n * sizeof *f->best);
        change = reflected;
    }
    for (size_t i = 0; i < n; i++) f->s[i] = -f->g_s[i];
    const double down = least_on_line(
        f, NULL, f->s, 0, fmin(f->theta * way_to_bounds(f, NULL, f->s, NULL), way_to_edge(f, NULL, f->s)));
    if (down < change) {
        memcpy(f->best, f->s, n * sizeof *f->best);
        change = down;
    }
    return change;
}

// ---- The search

// Of parameters, each in its scale: how long a step is beside where it starts.
static bool is_small_step(const Search *f, double tolerance)
{
    double step = 0, size = 0;
    for (size_t i = 0; i < f->n; i++) {
        step += pow((f->tried[i] - f->p[i]) * f->norms[i], 2);
        size += pow(f->p[i] * f->norms[i], 2);
    }
    return sqrt(step) <= tolerance * (tolerance + sqrt(size));
}

// The largest cosine between r and a column, of columns that can still move.
static double slope_left(const Search *f)
{
    const double length = norm(f->result->r, f->m);
    double largest = 0;
    for (size_t j = 0; j < f->n && length > 0; j++) {
        const double column = norm(f->result->a + j * f->m, f->m);
        const double way = f->slope[j] != 0 ? fmin(1, f->way[j]) : 1;
        if (column > 0) largest = fmax(largest, way * fabs(f->g[j]) / (column * length));
    }
    return largest;
}

// One accepted step. False: none makes the sum smaller, or it no longer matters.
static bool step_once(Search *f, double tolerance)
{
    LeastSquaresResult *result = f->result;
    f->theta = fmax(0.995, 1 - norm(f->g_s, f->n));
    for (int i = 0; i < TRIES_MAX; i++) {
        const double promised = -choose_step(f), length = norm(f->best, f->n);
        for (size_t j = 0; j < f->n; j++) f->tried[j] = f->p[j] + f->d[j] * f->best[j];
        move_inside(f->problem, f->tried, 0);
        if (!(promised > 0)) return false;
        const bool is_small = is_small_step(f, tolerance);
        double squares;
        if (!evaluate(f, f->tried, f->r_tried, &squares)) {
            f->delta = length / 4;
            if (is_small) return false;
            continue;
        }
        double curvature = 0;    // that the bounds add to the model, not to the sum
        for (size_t j = 0; j < f->n; j++)
            curvature += pow(f->model[j * 2 * f->n + f->n + j] * f->best[j], 2) / 2;
        const double gain = (result->squares - squares) / 2, ratio = (gain - curvature) / promised;
        if (ratio < 0.25) f->delta = length / 4;
        else if (ratio > 0.75 && length > 0.95 * f->delta) f->delta *= 2;
        const bool is_flat = fabs(gain) <= 4 * DBL_EPSILON * result->squares &&
                             promised <= 4 * DBL_EPSILON * result->squares;
        if (gain > 0) {
            memcpy(f->p, f->tried, f->n * sizeof *f->p);
            memcpy(result->r, f->r_tried, f->m * sizeof *f->r_tried);
            result->squares = squares;
            return !(is_small || is_flat);
        }
        if (is_small || is_flat) return false;
    }
    return false;
}

static void allocate(Search *f, Arena *arena)
{
    const size_t n = f->n, m = f->m;
    double **const small[] = { &f->tried, &f->g,      &f->norms, &f->way,     &f->slope, &f->d,
                               &f->g_s,   &f->values, &f->s,     &f->weights, &f->best,  &f->other };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) *small[i] = ARENA_ARRAY(arena, double, n);
    f->r_tried = ARENA_ARRAY(arena, double, m);
    f->result->r = ARENA_ARRAY(arena, double, m);
    f->result->a = ARENA_ARRAY(arena, double, n *m);
    f->model = ARENA_ARRAY(arena, double, 2 * n * n);
    f->columns = ARENA_ARRAY(arena, double, 2 * n * n);
    f->v = ARENA_ARRAY(arena, double, n *n);
    f->work = ARENA_ARRAY(arena, double, (n + 1) * m);
}

LeastSquaresResult least_squares(const LeastSquares *problem, double *p, Arena *arena)
{
    LeastSquaresResult result = { .end = LEAST_SQUARES_FOUND };
    Search f = { .problem = problem, .result = &result, .n = problem->n, .m = problem->m, .p = p };
    const double tolerance = problem->tolerance > 0 ? problem->tolerance : 1e-10;
    const size_t max_steps = problem->max_steps ? problem->max_steps : STEPS_USUAL;
    allocate(&f, arena);
    move_inside(problem, p, 1e-8);
    if (!evaluate(&f, p, result.r, &result.squares) ||
        !problem->derivatives(problem->self, p, result.r, result.a)) {
        result.end = LEAST_SQUARES_NO_START;
        return result;
    }
    for (bool goes_on = true; goes_on;) {
        build_model(&f);
        result.slope = slope_left(&f);
        if (f.delta == 0) {
            for (size_t j = 0; j < f.n; j++) f.tried[j] = p[j] * f.norms[j] / sqrt(f.way[j]);
            f.delta = norm(f.tried, f.n);
            if (!(f.delta > 0) || !isfinite(f.delta)) f.delta = 1;
        }
        if (problem->goes_on && !problem->goes_on(problem->self, result.n_steps, result.squares)) {
            result.end = LEAST_SQUARES_STOPPED;
            return result;
        }
        if (result.squares == 0 || result.slope == 0) break;
        if (result.n_steps == max_steps) {
            result.end = LEAST_SQUARES_TOO_MANY_STEPS;
            return result;
        }
        goes_on = step_once(&f, tolerance);
        result.n_steps++;
        if (!problem->derivatives(problem->self, p, result.r, result.a)) break;
    }
    return result;
}

size_t least_squares_inverse(const double *a, size_t m, size_t n, double cut, double *inverse, double *values,
                             double *vectors, double *lengths, Arena *arena)
{
    double *work = ARENA_ARRAY(arena, double, n *m);
    size_t n_known = 0;
    memcpy(work, a, n * m * sizeof *a);
    for (size_t j = 0; j < n; j++) {
        lengths[j] = norm(a + j * m, m);
        for (size_t i = 0; i < m && lengths[j] > 0; i++) work[j * m + i] /= lengths[j];
    }
    orthogonal_reduce(work, m, n, NULL);
    double *r = ARENA_ARRAY(arena, double, n *n);
    for (size_t j = 0; j < n; j++) memcpy(r + j * n, work + j * m, (j + 1) * sizeof *r);
    orthogonal_values(r, n, n, values, vectors);
    while (n_known < n && values[n_known] > cut * values[0]) n_known++;
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t k = 0; k < n_known; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (lengths[i] > 0 && lengths[j] > 0)
                    inverse[i * n + j] += vectors[k * n + i] * vectors[k * n + j] /
                                          (values[k] * values[k] * lengths[i] * lengths[j]);
    return n_known;
}
