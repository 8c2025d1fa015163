// src/num/pieces.c: slopes at the points, and pieces from them.
#include "num/pieces.h"
#include "base/arena.h"
#include <math.h>
#include <string.h>

// One point can only be held.
static PiecesBetween possible(PiecesBetween between, size_t n) { return n > 1 ? between : PIECES_HOLD; }

size_t pieces_n_breaks(PiecesBetween between, PiecesOutside outside, size_t n)
{
    // the last point belongs to the table: behind it begins what is not known
    return possible(between, n) == PIECES_HOLD && outside == PIECES_OUTSIDE_ERROR ? n + 1 : n;
}

void pieces_breaks(PiecesBetween between, PiecesOutside outside, const double *x, size_t n, double *breaks)
{
    memcpy(breaks, x, n * sizeof *x);
    if (outside != PIECES_OUTSIDE_ERROR) return;
    breaks[pieces_n_breaks(between, outside, n) - 1] = nextafter(x[n - 1], INFINITY);
}

// ---- Slopes at the points

typedef struct Points {
    const double *x, *y;
    size_t stride, n;
} Points;

static double width(const Points *p, size_t i) { return p->x[i + 1] - p->x[i]; }
static double chord(const Points *p, size_t i)    // slope of the straight line from point i to the next
{
    return (p->y[(i + 1) * p->stride] - p->y[i * p->stride]) / width(p, i);
}

// At the first of three points from the widths and chords that follow, not steeper than keeps the shape.
static double end_slope(double h0, double h1, double c0, double c1)
{
    const double slope = ((2 * h0 + h1) * c0 - h0 * c1) / (h0 + h1);
    if (slope * c0 <= 0) return 0;
    if (c0 * c1 <= 0 && fabs(slope) > 3 * fabs(c0)) return 3 * c0;
    return slope;
}

static void slopes_monotone(const Points *p, double *slope)
{
    const size_t n = p->n;
    for (size_t i = 1; i + 1 < n; i++) {
        const double before = chord(p, i - 1), behind = chord(p, i), h0 = width(p, i - 1), h1 = width(p, i);
        slope[i] = 0;
        if (before * behind <= 0) continue;
        const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;    // weighted harmonic mean
        slope[i] = (w0 + w1) / (w0 / before + w1 / behind);
    }
    slope[0] = end_slope(width(p, 0), width(p, 1), chord(p, 0), chord(p, 1));
    slope[n - 1] = end_slope(width(p, n - 2), width(p, n - 3), chord(p, n - 2), chord(p, n - 3));
}

// Continuous curvature, and one cubic over the first two and the last two intervals: a tridiagonal system for
// the slopes. Its rows dominate once the first has been eliminated, so no pivots are needed.
static void slopes_cubic(const Points *p, double *slope, double *work)
{
    const size_t n = p->n;
    if (n == 3) {    // one parabola
        const double h0 = width(p, 0), h1 = width(p, 1), c0 = chord(p, 0), c1 = chord(p, 1);
        const double bend = (c1 - c0) / (h0 + h1);
        slope[0] = c0 - h0 * bend;
        slope[1] = c0 + h0 * bend;
        slope[2] = c1 + h1 * bend;
        return;
    }
    double *diagonal = work, *above = work + n;
    for (size_t i = 0; i < n; i++) {
        double below, right;
        if (i == 0) {
            const double h0 = width(p, 0), h1 = width(p, 1);
            diagonal[0] = h1;
            above[0] = h0 + h1;
            slope[0] = ((h0 + 2 * (h0 + h1)) * h1 * chord(p, 0) + h0 * h0 * chord(p, 1)) / (h0 + h1);
            continue;
        }
        if (i + 1 < n) {
            const double h0 = width(p, i - 1), h1 = width(p, i);
            below = h1;
            diagonal[i] = 2 * (h0 + h1);
            above[i] = h0;
            right = 3 * (h1 * chord(p, i - 1) + h0 * chord(p, i));
        } else {
            const double h0 = width(p, n - 2), h1 = width(p, n - 3);
            below = h0 + h1;
            diagonal[i] = h1;
            above[i] = 0;
            right = ((h0 + 2 * (h0 + h1)) * h1 * chord(p, n - 2) + h0 * h0 * chord(p, n - 3)) / (h0 + h1);
        }
        const double f = below / diagonal[i - 1];
        diagonal[i] -= f * above[i - 1];
        slope[i] = right - f * slope[i - 1];
    }
    for (size_t i = n; i-- > 0;) {
        if (i + 1 < n) slope[i] -= above[i] * slope[i + 1];
        slope[i] /= diagonal[i];
    }
}

// ---- Pieces

typedef struct Out {
    double *c;
    size_t stride, term_stride;
} Out;

static void put(const Out *out, size_t piece, double c0, double c1, double c2, double c3)
{
    double *c = out->c + piece * out->stride;
    c[0] = c0;
    c[out->term_stride] = c1;
    c[2 * out->term_stride] = c2;
    c[3 * out->term_stride] = c3;
}

void pieces_make(PiecesBetween between, PiecesOutside outside, const double *x, const double *y,
                 size_t stride, size_t n, double *c, size_t c_stride, size_t term_stride, double *work)
{
    between = possible(between, n);
    const Points p = { x, y, stride, n };
    const Out out = { c, c_stride, term_stride };
    const size_t last = pieces_n_breaks(between, outside, n);
    double *slope = work;
    const double first_value = y[0], last_value = y[(n - 1) * stride];
    bool is_cubic = false;
    double first_slope = 0, last_slope = 0;
    if (between != PIECES_HOLD) {
        is_cubic = n > 2 && between != PIECES_LINEAR;
        if (is_cubic && between == PIECES_MONOTONE) slopes_monotone(&p, slope);
        else if (is_cubic) slopes_cubic(&p, slope, work + n);
        first_slope = is_cubic ? slope[0] : chord(&p, 0);
        last_slope = is_cubic ? slope[n - 1] : chord(&p, n - 2);
    }

    for (size_t i = 0; i + 1 < n; i++) {
        const double value = y[i * stride], h = width(&p, i), d = between == PIECES_HOLD ? 0 : chord(&p, i);
        if (!is_cubic) put(&out, i + 1, value, d, 0, 0);
        else
            put(&out, i + 1, value, slope[i], (3 * d - 2 * slope[i] - slope[i + 1]) / h,
                (slope[i] + slope[i + 1] - 2 * d) / (h * h));
    }
    // what holds from the last point on, and beyond
    if (between == PIECES_HOLD) put(&out, n, last_value, 0, 0, 0);
    switch (outside) {
    case PIECES_OUTSIDE_ERROR:
        put(&out, 0, NAN, NAN, NAN, NAN);
        put(&out, last, NAN, NAN, NAN, NAN);
        break;
    case PIECES_OUTSIDE_HOLD:
        put(&out, 0, first_value, 0, 0, 0);
        put(&out, last, last_value, 0, 0, 0);
        break;
    case PIECES_OUTSIDE_EXTRAPOLATE:
        put(&out, 0, first_value, first_slope, 0, 0);
        put(&out, last, last_value, last_slope, 0, 0);
        break;
    }
}

void pieces_make_grid(PiecesBetween between, PiecesOutside outside, const double *x, size_t n_x,
                      const double *y, size_t n_y, const double *z, double *c)
{
    enum { TERMS = PIECES_TERMS };
    const size_t rows = pieces_n_breaks(between, outside, n_x) + 1;
    const size_t columns = pieces_n_breaks(between, outside, n_y) + 1;
    const size_t longer = n_x > n_y ? n_x : n_y;
    Arena scratch = { 0 };
    double *along = ARENA_ARRAY(&scratch, double, rows *TERMS *n_y),
           *work = ARENA_ARRAY(&scratch, double, 4 * longer);
    // along x at each y[j]: along[(row·TERMS + p)·n_y + j]
    for (size_t j = 0; j < n_y; j++)
        pieces_make(between, outside, x, z + j, n_y, n_x, along + j, TERMS * n_y, n_y, work);
    // each of these coefficients along y
    for (size_t row = 0; row < rows; row++)
        for (size_t p = 0; p < TERMS; p++)
            pieces_make(between, outside, y, along + (row * TERMS + p) * n_y, 1, n_y,
                        c + (row * columns * TERMS + p) * TERMS, TERMS * TERMS, 1, work);
    arena_free(&scratch);
}

static void derive(const double *c, size_t stride, double *derivative)
{
    for (size_t k = 0; k + 1 < PIECES_TERMS; k++)
        derivative[k * stride] = (double)(k + 1) * c[(k + 1) * stride];
    derivative[(PIECES_TERMS - 1) * stride] = 0;
}

void pieces_derive(const double *c, size_t n_pieces, double *derivative)
{
    for (size_t i = 0; i < n_pieces; i++) derive(c + i * PIECES_TERMS, 1, derivative + i * PIECES_TERMS);
}

void pieces_derive_grid(const double *c, size_t n_pieces, bool by_second, double *derivative)
{
    enum { TERMS = PIECES_TERMS, ALL = TERMS * TERMS };
    for (size_t i = 0; i < n_pieces; i++)
        for (size_t k = 0; k < TERMS; k++) {
            const size_t at = i * ALL + (by_second ? k * TERMS : k);
            derive(c + at, by_second ? 1 : TERMS, derivative + at);
        }
}
