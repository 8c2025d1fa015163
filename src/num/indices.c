// src/num/indices.c: see indices.h.
//
// First indices by Saltelli's estimator, total ones by Jansen's (Saltelli et al. 2010); Morris' paths as he
// wrote them (1991), with the mean of magnitudes of Campolongo et al. (2007).
#include "num/indices.h"
#include "num/design.h"
#include "num/random.h"
#include <math.h>
#include <string.h>

void indices_sobol_design(double *u, size_t n, size_t k, uint64_t seed)
{
    double *a = u, *b = u + n * k;
    // columns of A and B must be independent: two Latin hypercubes, with seeds of their own
    design_latin(a, n, k, seed);
    design_latin(b, n, k, seed ^ 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < k; i++) {
        double *mixed = u + (i + 2) * n * k;
        memcpy(mixed, a, n * k * sizeof *u);
        for (size_t row = 0; row < n; row++) mixed[row * k + i] = b[row * k + i];
    }
}

typedef struct Sums {
    double first, total, square;
    size_t n;
} Sums;

static void add_row(Sums *s, double a, double b, double mixed)
{
    s->first += b * (mixed - a);
    s->total += (a - mixed) * (a - mixed) / 2;
    s->square += (a * a + b * b) / 2;
    s->n++;
}

void indices_sobol(double *y, size_t n, size_t k, uint64_t seed, Indices *out)
{
    enum { REDRAWN = 200 };
    double mean = 0;
    for (size_t i = 0; i < 2 * n; i++) mean += y[i] / (double)(2 * n);
    for (size_t i = 0; i < (k + 2) * n; i++) y[i] -= mean;
    for (size_t i = 0; i < k; i++) {
        const double *a = y, *b = y + n, *mixed = y + (i + 2) * n;
        RandomStream luck = random_stream(seed, i, "indices");
        double first[2] = { 0 }, total[2] = { 0 };    // of what is drawn anew: sums, sums of squares
        Sums all = { 0 };
        for (size_t row = 0; row < n; row++) add_row(&all, a[row], b[row], mixed[row]);
        for (int again = 0; again < REDRAWN; again++) {
            Sums s = { 0 };
            for (size_t row = 0; row < n; row++) {
                const size_t which = random_below(&luck, n);
                add_row(&s, a[which], b[which], mixed[which]);
            }
            const double x = s.first / s.square, z = s.total / s.square;
            first[0] += x, first[1] += x * x;
            total[0] += z, total[1] += z * z;
        }
        out[i] = (Indices){
            .first = all.first / all.square,
            .total = all.total / all.square,
            .first_error = sqrt(fmax(0, first[1] / REDRAWN - pow(first[0] / REDRAWN, 2))),
            .total_error = sqrt(fmax(0, total[1] / REDRAWN - pow(total[0] / REDRAWN, 2))),
        };
    }
}

void indices_morris_design(double *u, size_t n, size_t k, uint64_t seed)
{
    const double jump = 2.0 / 3;    // of levels 0, 1/3, 2/3, 1
    for (size_t path = 0; path < n; path++) {
        RandomStream luck = random_stream(seed, path, "morris");
        double *point = u + path * (k + 1) * k;
        for (size_t i = 0; i < k; i++) {    // from a level where a jump stays inside, up or down
            const bool is_high = random_below(&luck, 2);
            point[i] = (double)random_below(&luck, 2) / 3 + (is_high ? jump : 0);
        }
        bool is_moved[64] = { false };
        for (size_t step = 0; step < k; step++) {
            size_t which = random_below(&luck, k - step), i = 0;
            for (;; i++)
                if (!is_moved[i] && which-- == 0) break;
            is_moved[i] = true;
            memcpy(point + k, point, k * sizeof *point);
            point += k;
            point[i] += point[i] > 0.5 ? -jump : jump;
        }
    }
}

void indices_morris(const double *u, const double *y, size_t n, size_t k, double *mean, double *deviation)
{
    memset(mean, 0, k * sizeof *mean);
    memset(deviation, 0, k * sizeof *deviation);
    double middle[64] = { 0 }, count[64] = { 0 };
    for (size_t path = 0; path < n; path++) {
        for (size_t step = 0; step < k; step++) {
            const size_t at = path * (k + 1) + step;
            for (size_t i = 0; i < k; i++) {
                const double moved = u[(at + 1) * k + i] - u[at * k + i];
                if (moved == 0) continue;
                const double effect = (y[at + 1] - y[at]) / moved, off = effect - middle[i];
                mean[i] += fabs(effect) / (double)n;
                middle[i] += off / ++count[i];
                deviation[i] += off * (effect - middle[i]);
            }
        }
    }
    for (size_t i = 0; i < k; i++) deviation[i] = n > 1 ? sqrt(deviation[i] / (double)(n - 1)) : NAN;
}
