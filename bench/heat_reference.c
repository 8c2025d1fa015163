// bench/heat_reference.c: heat in a rod of N cells by RK4, as one writes it by hand.
//
//     heat_reference N STEPS REPEATS   the shortest time in ms of REPEATS runs
//
// Sizes, coefficient and step are read at run time, so the compiler can fold none of them.
#include "measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rates(size_t n, double a, const double *restrict u, double *restrict f)
{
    f[0] = 0;
    for (size_t i = 1; i + 1 < n; i++) f[i] = a * (u[i - 1] - 2 * u[i] + u[i + 1]);
    f[n - 1] = 0;
}

// out = u + h*f
static void add(size_t n, const double *restrict u, double h, const double *restrict f, double *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = u[i] + h * f[i];
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const size_t n = (size_t)atol(argv[1]);
    const long n_steps = atol(argv[2]);
    const double a = getenv("A") ? atof(getenv("A")) : 1, h = getenv("STEP") ? atof(getenv("STEP")) : 0.1;
    double *memory = malloc(6 * n * sizeof *memory);
    if (n < 3 || !memory) return 1;
    double *u = memory, *y = u + n, *k1 = y + n, *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n, best = 1e300;
    for (int repeat = atoi(argv[3]); repeat > 0; repeat--) {
        for (size_t i = 0; i < n; i++) u[i] = sin(0.7 * (double)(i + 1));
        const double started = now_ms();
        for (long k = 0; k < n_steps; k++) {
            rates(n, a, u, k1);
            add(n, u, h / 2, k1, y);
            rates(n, a, y, k2);
            add(n, u, h / 2, k2, y);
            rates(n, a, y, k3);
            add(n, u, h, k3, y);
            rates(n, a, y, k4);
            for (size_t i = 0; i < n; i++) u[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        }
        const double took = now_ms() - started;
        if (took < best) best = took;
    }
    printf("%.4f\n", best);
    fprintf(stderr, "u[n/2] %.17g\n", u[n / 2 - 1]);
    free(memory);
    return 0;
}
