// tests/unit/num/test_pieces.c: what each way to interpolate promises.
#include "check.h"
#include "num/pieces.h"

enum { N_MAX = 70, TERMS = PIECES_TERMS };

typedef struct Curve {
    PiecesBetween between;
    PiecesOutside outside;
    size_t n_breaks;
    double breaks[N_MAX + 1], c[(N_MAX + 2) * TERMS];
} Curve;

static Curve curve(PiecesBetween between, PiecesOutside outside, const double *x, const double *y, size_t n)
{
    Curve k = { between, outside, pieces_n_breaks(between, outside, n), { 0 }, { 0 } };
    double work[4 * N_MAX];
    pieces_breaks(between, outside, x, n, k.breaks);
    pieces_make(between, outside, x, y, 1, n, k.c, TERMS, 1, work);
    return k;
}

// By walking along the breaks, not by the search of the generated code.
static size_t piece_of(const double *breaks, size_t n, double x)
{
    size_t i = 0;
    while (i < n && breaks[i] <= x) i++;
    return i;
}

static double value(const Curve *k, double x)
{
    const size_t i = piece_of(k->breaks, k->n_breaks, x);
    const double s = x - k->breaks[i ? i - 1 : 0], *c = k->c + i * TERMS;
    return c[0] + s * c[1] + s * s * c[2] + s * s * s * c[3];
}

static double cubic(double x) { return 3 - 2 * x + 0.5 * x * x - 0.25 * x * x * x; }
static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static const double knots[] = { -2, -1.5, 0, 0.25, 1, 3, 3.5, 6 };
enum { N_KNOTS = sizeof knots / sizeof *knots };

static void test_pieces_meet_their_points(void **state)
{
    (void)state;
    double y[N_KNOTS];
    uint64_t seed = 7;
    for (size_t i = 0; i < N_KNOTS; i++) y[i] = random_unit(&seed);
    for (int between = PIECES_HOLD; between <= PIECES_CUBIC; between++)
        for (int outside = PIECES_OUTSIDE_HOLD; outside <= PIECES_OUTSIDE_ERROR; outside++)
            for (size_t n = 1; n <= N_KNOTS; n++) {
                const Curve k = curve((PiecesBetween)between, (PiecesOutside)outside, knots, y, n);
                for (size_t i = 0; i < n; i++) assert_near(value(&k, knots[i]), y[i], 1e-14);
            }
}

static void test_cubic_pieces_are_exact_for_cubics(void **state)
{
    (void)state;
    double y[N_KNOTS];
    for (size_t i = 0; i < N_KNOTS; i++) y[i] = cubic(knots[i]);
    for (size_t n = 4; n <= N_KNOTS; n++) {
        const Curve k = curve(PIECES_CUBIC, PIECES_OUTSIDE_ERROR, knots, y, n);
        for (double x = -2; x <= knots[n - 1]; x += 0.01) assert_near(value(&k, x), cubic(x), 1e-12);
    }
    // of three points the parabola, of two the line
    const Curve three = curve(PIECES_CUBIC, PIECES_OUTSIDE_ERROR, knots, (const double[]){ 4, 2.25, 0 }, 3);
    const Curve two = curve(PIECES_CUBIC, PIECES_OUTSIDE_ERROR, knots, (const double[]){ 4, 2.25 }, 2);
    assert_near(value(&three, -0.5), 0.25, 1e-14);
    assert_near(value(&two, -1.75), 3.125, 1e-14);
}

// A spline through a smooth function: of fourth order, and its slope and curvature have no jumps.
static void test_cubic_pieces_converge_and_are_smooth(void **state)
{
    (void)state;
    double error[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        const size_t n = k ? 65 : 33;
        double x[N_MAX], y[N_MAX];
        for (size_t i = 0; i < n; i++) x[i] = 3.0 * (double)i / (double)(n - 1), y[i] = sin(x[i]);
        const Curve c = curve(PIECES_CUBIC, PIECES_OUTSIDE_HOLD, x, y, n);
        for (double at = 0; at < 3; at += 0.001) error[k] = fmax(error[k], fabs(value(&c, at) - sin(at)));
        for (size_t i = 1; i + 1 < n; i++) {
            const double *l = c.c + i * TERMS, *r = l + TERMS, h = x[i] - x[i - 1];
            assert_near(l[1] + 2 * h * l[2] + 3 * h * h * l[3], r[1], 1e-12);
            assert_near(2 * l[2] + 6 * h * l[3], 2 * r[2], 1e-10);
        }
    }
    assert_near(error[0] / error[1], 18, 5);    // 16 inside, more where the ends dominate
}

static void test_monotone_pieces_never_leave_their_points(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        double x[12], y[12];
        for (int i = 0; i < 12; i++) {
            x[i] = (i ? x[i - 1] : 0) + 0.01 + random_unit(&seed);
            y[i] = random_unit(&seed) < 0.3 && i ? y[i - 1] : random_unit(&seed) * 100;
        }
        const Curve k = curve(PIECES_MONOTONE, PIECES_OUTSIDE_EXTRAPOLATE, x, y, 12);
        for (int i = 0; i + 1 < 12; i++) {
            double before = y[i];
            for (int j = 1; j <= 50; j++) {
                const double at = x[i] + (x[i + 1] - x[i]) * j / 50.0000001, now = value(&k, at);
                assert_true(y[i + 1] >= y[i] ? now >= before - 1e-11 : now <= before + 1e-11);
                before = now;
            }
        }
        // smooth slope
        for (int i = 1; i < 11; i++) {
            const double *l = k.c + i * TERMS, *r = l + TERMS, h = x[i] - x[i - 1];
            assert_near(l[1] + 2 * h * l[2] + 3 * h * h * l[3], r[1], 1e-9 * (1 + fabs(r[1])));
        }
    }
}

static void test_pieces_outside_of_the_points(void **state)
{
    (void)state;
    const double x[] = { 1, 2, 4 }, y[] = { 5, 3, 7 };
    for (int between = PIECES_HOLD; between <= PIECES_CUBIC; between++) {
        const Curve hold = curve((PiecesBetween)between, PIECES_OUTSIDE_HOLD, x, y, 3);
        assert_near(value(&hold, 0), 5, 0);
        assert_near(value(&hold, 1e6), 7, 0);
        const Curve none = curve((PiecesBetween)between, PIECES_OUTSIDE_ERROR, x, y, 3);
        assert_true(isnan(value(&none, nextafter(1, 0))) && isnan(value(&none, nextafter(4, 5))));
        assert_near(value(&none, 4), 7, 1e-14);
    }
    const Curve line = curve(PIECES_LINEAR, PIECES_OUTSIDE_EXTRAPOLATE, x, y, 3);
    assert_near(value(&line, 0), 7, 0);
    assert_near(value(&line, 6), 11, 0);
    const Curve step = curve(PIECES_HOLD, PIECES_OUTSIDE_EXTRAPOLATE, x, y, 3);
    assert_near(value(&step, 0), 5, 0);
    assert_near(value(&step, 1.999), 5, 0);
    assert_near(value(&step, 2), 3, 0);
    assert_near(value(&step, 9), 7, 0);
    // straight on with the slope at the end: of the parabola through the three
    const Curve bent = curve(PIECES_CUBIC, PIECES_OUTSIDE_EXTRAPOLATE, x, y, 3);
    const double h = 1e-5, slope = (value(&bent, 4) - value(&bent, 4 - h)) / h;
    assert_near(value(&bent, 5), 7 + slope, 1e-4);
}

static void test_derived_pieces_are_derivatives(void **state)
{
    (void)state;
    double y[N_KNOTS];
    for (size_t i = 0; i < N_KNOTS; i++) y[i] = sin(knots[i]);
    Curve k = curve(PIECES_CUBIC, PIECES_OUTSIDE_EXTRAPOLATE, knots, y, N_KNOTS), d = k;
    pieces_derive(k.c, k.n_breaks + 1, d.c);
    for (double x = -3.01; x < 7; x += 0.05) {
        const double h = 1e-5;
        if (piece_of(k.breaks, k.n_breaks, x - h) != piece_of(k.breaks, k.n_breaks, x + h)) continue;
        assert_near(value(&d, x), (value(&k, x + h) - value(&k, x - h)) / (2 * h), 1e-8);
    }
}

// ---- Two arguments

enum { NX = 5, NY = 4, ALL = TERMS * TERMS };
static const double gx[NX] = { -1, 0, 0.5, 2, 3 }, gy[NY] = { 0, 1, 1.5, 4 };

static double grid_value(const double *c, double x, double y)
{
    const size_t i = piece_of(gx, NX, x), j = piece_of(gy, NY, y);
    const double s = x - gx[i ? i - 1 : 0], r = y - gy[j ? j - 1 : 0];
    double sum = 0;
    for (int p = 0; p < TERMS; p++)
        for (int q = 0; q < TERMS; q++)
            sum += c[(i * (NY + 1) + j) * ALL + (size_t)(p * TERMS + q)] * pow(s, p) * pow(r, q);
    return sum;
}

static double bicubic(double x, double y) { return (1 + x - x * x * x) * (2 - y * y + 0.5 * y * y * y) + x; }
static double bilinear(double x, double y) { return 1 + 2 * x - y + 0.5 * x * y; }

static void test_grids_are_exact_for_what_they_are_made_of(void **state)
{
    (void)state;
    double cubics[NX * NY], lines[NX * NY], c[(NX + 1) * (NY + 1) * ALL], l[sizeof c / sizeof *c];
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            cubics[i * NY + j] = bicubic(gx[i], gy[j]);
            lines[i * NY + j] = bilinear(gx[i], gy[j]);
        }
    pieces_make_grid(PIECES_CUBIC, PIECES_OUTSIDE_HOLD, gx, NX, gy, NY, cubics, c);
    pieces_make_grid(PIECES_LINEAR, PIECES_OUTSIDE_EXTRAPOLATE, gx, NX, gy, NY, lines, l);
    double dx[sizeof c / sizeof *c], dy[sizeof c / sizeof *c];
    pieces_derive_grid(c, (NX + 1) * (NY + 1), false, dx);
    pieces_derive_grid(c, (NX + 1) * (NY + 1), true, dy);
    for (double x = -0.99; x < 3; x += 0.13)
        for (double y = 0.01; y < 4; y += 0.11) {
            assert_near(grid_value(c, x, y), bicubic(x, y), 1e-10);
            assert_near(grid_value(l, x, y), bilinear(x, y), 1e-12);
            assert_near(grid_value(dx, x, y), (1 - 3 * x * x) * (2 - y * y + 0.5 * y * y * y) + 1, 1e-9);
            assert_near(grid_value(dy, x, y), (1 + x - x * x * x) * (-2 * y + 1.5 * y * y), 1e-9);
        }
    // outside: held to the border, or straight on
    assert_near(grid_value(c, 9, 2), bicubic(3, 2), 1e-10);
    assert_near(grid_value(c, 9, -5), bicubic(3, 0), 1e-10);
    assert_near(grid_value(l, 9, -5), bilinear(9, -5), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_meet_their_points),
        cmocka_unit_test(test_cubic_pieces_are_exact_for_cubics),
        cmocka_unit_test(test_cubic_pieces_converge_and_are_smooth),
        cmocka_unit_test(test_monotone_pieces_never_leave_their_points),
        cmocka_unit_test(test_pieces_outside_of_the_points),
        cmocka_unit_test(test_derived_pieces_are_derivatives),
        cmocka_unit_test(test_grids_are_exact_for_what_they_are_made_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
