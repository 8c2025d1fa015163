// bench/lv_reference.c: Lotka–Volterra by RK4, as one writes it by hand.
//
//     lv_reference N [FILE|memory]   the shortest time in ms of N runs of 150,000 steps; with FILE all rows
//                                    are written to it, with `memory` they are kept in an array
//
// Parameters, start and step are read at run time, so the compiler can fold none of them.
#include "measure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const double alpha = given("ALPHA", 1.5), beta = given("BETA", 1), gamma = given("GAMMA", 1),
                 delta = given("DELTA", 3);
    const double x0 = given("X0", 10), y0 = given("Y0", 5), h = given("STEP", 0.01);
    const long n = (long)given("STEPS", 150000);
    double best = 1e300, x = 0, y = 0;
    for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--) {
        const int keeps = argc > 2 && strcmp(argv[2], "memory") == 0;
        FILE *out = argc > 2 && !keeps ? fopen(argv[2], "w") : NULL;
        const double started = now_ms();
        double *rows = keeps ? malloc((size_t)(n + 1) * 3 * sizeof *rows) : NULL;
        x = x0, y = y0;
        if (rows) rows[0] = 0, rows[1] = x, rows[2] = y;
        if (out) fprintf(out, "t,X,Y\n%.10g,%.10g,%.10g\n", 0.0, x, y);
        for (long k = 0; k < n; k++) {
            const double k1x = x * (alpha - beta * y), k1y = y * (gamma * x - delta);
            const double x2 = x + h / 2 * k1x, y2 = y + h / 2 * k1y;
            const double k2x = x2 * (alpha - beta * y2), k2y = y2 * (gamma * x2 - delta);
            const double x3 = x + h / 2 * k2x, y3 = y + h / 2 * k2y;
            const double k3x = x3 * (alpha - beta * y3), k3y = y3 * (gamma * x3 - delta);
            const double x4 = x + h * k3x, y4 = y + h * k3y;
            const double k4x = x4 * (alpha - beta * y4), k4y = y4 * (gamma * x4 - delta);
            x += h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
            y += h / 6 * (k1y + 2 * k2y + 2 * k3y + k4y);
            if (out) fprintf(out, "%.10g,%.10g,%.10g\n", (double)(k + 1) * h, x, y);
            if (rows) {
                double *row = rows + 3 * (k + 1);
                row[0] = (double)(k + 1) * h, row[1] = x, row[2] = y;
            }
        }
        if (out) fclose(out);
        const double took = now_ms() - started;
        if (rows) {
            volatile double last = rows[3 * n + 1];    // somebody reads them
            (void)last;
            free(rows);
        }
        if (took < best) best = took;
    }
    printf("%.4f\n", best);
    fprintf(stderr, "X %.17g Y %.17g\n", x, y);
    return 0;
}
