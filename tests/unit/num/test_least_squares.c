// tests/unit/num/test_least_squares.c: NIST's certified values from both starts; bounds.
#include "check.h"
#include "num/least_squares.h"
#include "num/orthogonal.h"
#include <stdlib.h>

static double chwirut2(const double *b, double x) { return exp(-b[0] * x) / (b[1] + b[2] * x); }
static double dan_wood(const double *b, double x) { return b[0] * pow(x, b[1]); }
static double enso(const double *b, double x)
{
    const double w = 2 * acos(-1) * x;
    return b[0] + b[1] * cos(w / 12) + b[2] * sin(w / 12) + b[4] * cos(w / b[3]) + b[5] * sin(w / b[3]) +
           b[7] * cos(w / b[6]) + b[8] * sin(w / b[6]);
}
static double bell(double x) { return exp(-x * x); }
static double gauss1(const double *b, double x)
{
    return b[0] * exp(-b[1] * x) + b[2] * bell((x - b[3]) / b[4]) + b[5] * bell((x - b[6]) / b[7]);
}
static double hahn1(const double *b, double x)
{
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6])));
}
static double kirby2(const double *b, double x)
{
    return (b[0] + x * (b[1] + x * b[2])) / (1 + x * (b[3] + x * b[4]));
}
static double lanczos3(const double *b, double x)
{
    return b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x);
}
static double misra1a(const double *b, double x) { return b[0] * (1 - exp(-b[1] * x)); }
static double misra1b(const double *b, double x) { return b[0] * (1 - pow(1 + b[1] * x / 2, -2)); }

static const struct Curve {
    const char *name;
    double (*value)(const double *b, double x);
} curves[] = {
    { "Chwirut2", chwirut2 }, { "DanWood", dan_wood }, { "ENSO", enso },
    { "Gauss1", gauss1 },     { "Hahn1", hahn1 },      { "Kirby2", kirby2 },
    { "Lanczos3", lanczos3 }, { "Misra1a", misra1a },  { "Misra1b", misra1b },
};

enum { PARAMETERS_MAX = 9, POINTS_MAX = 300 };

typedef struct Fit {
    const struct Curve *curve;
    size_t n, m;
    double x[POINTS_MAX], y[POINTS_MAX];
} Fit;

static bool residuals(void *self, const double *p, double *r)
{
    const Fit *f = self;
    for (size_t i = 0; i < f->m; i++) r[i] = f->curve->value(p, f->x[i]) - f->y[i];
    return true;
}

static bool differences(void *self, const double *p, const double *r, double *a)
{
    const Fit *f = self;
    double q[PARAMETERS_MAX];
    (void)r;
    for (size_t j = 0; j < f->n; j++) {
        memcpy(q, p, f->n * sizeof *q);
        const double h = 6e-6 * fmax(fabs(p[j]), 1e-30);
        q[j] = p[j] + h;
        for (size_t i = 0; i < f->m; i++) a[j * f->m + i] = f->curve->value(q, f->x[i]);
        q[j] = p[j] - h;
        for (size_t i = 0; i < f->m; i++)
            a[j * f->m + i] = (a[j * f->m + i] - f->curve->value(q, f->x[i])) / (2 * h);
    }
    return true;
}

static const double below[PARAMETERS_MAX] = { -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                              -INFINITY, -INFINITY, -INFINITY, -INFINITY };
static const double above[PARAMETERS_MAX] = { INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                                              INFINITY, INFINITY, INFINITY, INFINITY };

typedef struct Certified {
    double start[2], value, deviation, squares;
} Certified;

// The rows of certified.csv of this curve. How many.
static size_t read_certified(const char *name, Certified *rows)
{
    char path[500], line[500], set[40];
    snprintf(path, sizeof path, "%s/tests/nist/certified.csv", getenv("ORRERY_SOURCE_DIR"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = 0;
    while (fgets(line, sizeof line, f)) {
        Certified c;
        if (sscanf(line, "%39[^,],%*[^,],%*[^,],%*[^,],%*[^,],%lf,%lf,%lf,%lf,%lf", set, &c.start[0],
                   &c.start[1], &c.value, &c.deviation, &c.squares) == 6 &&
            strcmp(set, name) == 0)
            rows[n++] = c;
    }
    fclose(f);
    return n;
}

static void read_points(Fit *f)
{
    char path[500], line[200];
    snprintf(path, sizeof path, "%s/tests/nist/%s.csv", getenv("ORRERY_SOURCE_DIR"), f->curve->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    f->m = 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%lf,%lf", &f->x[f->m], &f->y[f->m]) == 2) f->m++;
    fclose(file);
}

static void test_least_squares_of_nist(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
        Fit f = { .curve = &curves[k] };
        Certified known[PARAMETERS_MAX];
        f.n = read_certified(f.curve->name, known);
        read_points(&f);
        assert_true(f.n >= 2 && f.m > f.n);
        for (int from = 0; from < 2; from++) {
            Arena arena = { 0 };
            double p[PARAMETERS_MAX];
            for (size_t j = 0; j < f.n; j++) p[j] = known[j].start[from];
            const LeastSquares problem = { .n = f.n,
                                           .m = f.m,
                                           .low = below,
                                           .high = above,
                                           .self = &f,
                                           .residuals = residuals,
                                           .derivatives = differences };
            const LeastSquaresResult result = least_squares(&problem, p, &arena);
            assert_int_equal(result.end, LEAST_SQUARES_FOUND);
            double inverse[PARAMETERS_MAX * PARAMETERS_MAX], values[PARAMETERS_MAX], lengths[PARAMETERS_MAX],
                vectors[PARAMETERS_MAX * PARAMETERS_MAX];
            assert_int_equal(
                least_squares_inverse(result.a, f.m, f.n, 1e-12, inverse, values, vectors, lengths, &arena),
                f.n);
            assert_near_relative(result.squares, known[0].squares, 1e-6);
            for (size_t j = 0; j < f.n; j++) {
                const double deviation = sqrt(inverse[j * f.n + j] * result.squares / (double)(f.m - f.n));
                if (fabs(p[j] - known[j].value) > 1e-6 * fabs(p[j]))
                    print_message("%s from start %d, b%zu, %zu steps, slope %g\n", f.curve->name, from + 1,
                                  j + 1, result.n_steps, result.slope);
                assert_near_relative(p[j], known[j].value, 1e-6);
                assert_near_relative(deviation, known[j].deviation, 1e-4);
            }
            arena_free(&arena);
        }
    }
}

// A linear problem whose solution lies on two of its bounds.
typedef struct Linear {
    double target[3];
} Linear;

static bool linear_residuals(void *self, const double *p, double *r)
{
    const Linear *l = self;
    for (size_t i = 0; i < 3; i++) r[i] = p[i] - l->target[i];
    r[3] = p[0] + p[1] + p[2];
    return true;
}

static bool linear_derivatives(void *self, const double *p, const double *r, double *a)
{
    (void)self, (void)p, (void)r;
    memset(a, 0, 12 * sizeof *a);
    for (size_t j = 0; j < 3; j++) a[j * 4 + j] = a[j * 4 + 3] = 1;
    return true;
}

static void test_least_squares_stays_within_bounds(void **state)
{
    (void)state;
    Linear l = { { 5, -4, 0.5 } };
    const double low[] = { 0, 0, -INFINITY }, high[] = { 1, INFINITY, INFINITY };
    double p[] = { 0.5, 3, 7 };
    Arena arena = { 0 };
    const LeastSquares problem = { .n = 3,
                                   .m = 4,
                                   .low = low,
                                   .high = high,
                                   .self = &l,
                                   .residuals = linear_residuals,
                                   .derivatives = linear_derivatives };
    const LeastSquaresResult result = least_squares(&problem, p, &arena);
    assert_int_equal(result.end, LEAST_SQUARES_FOUND);
    // p0 on its upper bound, p1 on its lower one, p2 = (0.5 - 1)/2
    assert_near(p[0], 1, 1e-7);
    assert_near(p[1], 0, 1e-7);
    assert_near(p[2], -0.25, 1e-7);
    arena_free(&arena);
}

// Rosenbrock's valley, which a part of the plane has no value in.
static bool valley(void *self, const double *p, double *r)
{
    (void)self;
    r[0] = 10 * (p[1] - p[0] * p[0]);
    r[1] = 1 - p[0];
    return p[0] < 1.5 && p[1] > -1;
}

static bool valley_derivatives(void *self, const double *p, const double *r, double *a)
{
    (void)self, (void)r;
    a[0] = -20 * p[0];
    a[1] = -1;
    a[2] = 10;
    a[3] = 0;
    return true;
}

static void test_least_squares_avoids_what_cannot_be_computed(void **state)
{
    (void)state;
    double p[] = { -1.2, 1 };
    Arena arena = { 0 };
    const LeastSquares problem = {
        .n = 2, .m = 2, .low = below, .high = above, .residuals = valley, .derivatives = valley_derivatives
    };
    const LeastSquaresResult result = least_squares(&problem, p, &arena);
    assert_int_equal(result.end, LEAST_SQUARES_FOUND);
    assert_near(p[0], 1, 1e-8);
    assert_near(p[1], 1, 1e-8);
    p[0] = 2;
    assert_int_equal(least_squares(&problem, p, &arena).end, LEAST_SQUARES_NO_START);
    arena_free(&arena);
}

static void test_orthogonal_values_of_hilberts_matrix(void **state)
{
    (void)state;
    // of order 4: values known to many digits; U·S·Vᵀ is the matrix again
    const double known[] = { 1.5002142800592426, 0.16914122022144955, 0.0067382736057607442,
                             9.6702304022600331e-05 };
    double a[16], s[4], v[16];
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) a[j * 4 + i] = 1 / (double)(i + j + 1);
    orthogonal_values(a, 4, 4, s, v);
    for (size_t i = 0; i < 4; i++) {
        assert_near_relative(s[i], known[i], 1e-12);
        for (size_t j = 0; j < 4; j++) {
            double sum = 0;
            for (size_t k = 0; k < 4; k++) sum += a[k * 4 + i] * v[k * 4 + j];
            assert_near(sum, 1 / (double)(i + j + 1), 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares_of_nist),
        cmocka_unit_test(test_least_squares_stays_within_bounds),
        cmocka_unit_test(test_least_squares_avoids_what_cannot_be_computed),
        cmocka_unit_test(test_orthogonal_values_of_hilberts_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
