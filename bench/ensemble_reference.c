// bench/ensemble_reference.c: many Lotka–Volterra models, one after the other, as one would write it by hand.
//
//     ensemble_reference rk4 MEMBERS STEPS      RK4 with step 0.01; final states kept
//     ensemble_reference dopri5 MEMBERS STEPS   Dormand–Prince to STEPS/100, tolerance 1e-6, PI controller
//
// Prints the best time of five passes in ms and the sum of the final states.
#include "measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Member { double alpha, beta, gamma, delta, x, y; } Member;

static void rates(const Member *m, double x, double y, double *dx, double *dy)
{
    *dx = x*(m->alpha - m->beta*y);
    *dy = y*(m->gamma*x - m->delta);
}

static void rk4(const Member *m, long n, double *out)
{
    const double h = 0.01;
    double x = m->x, y = m->y;
    for (long i = 0; i < n; i++) {
        double k1, l1, k2, l2, k3, l3, k4, l4;
        rates(m, x, y, &k1, &l1);
        rates(m, x + 0.5*h*k1, y + 0.5*h*l1, &k2, &l2);
        rates(m, x + 0.5*h*k2, y + 0.5*h*l2, &k3, &l3);
        rates(m, x + h*k3, y + h*l3, &k4, &l4);
        x += h/6*(k1 + 2*k2 + 2*k3 + k4);
        y += h/6*(l1 + 2*l2 + 2*l3 + l4);
    }
    out[0] = x;
    out[1] = y;
}

static void dopri5(const Member *m, double t_end, double *out)
{
    const double tol = 1e-6, abs_tol = 1e-9;
    double t = 0, h = 1e-3, x[2] = { m->x, m->y }, k[7][2], y[2], before = 1e-4;
    rates(m, x[0], x[1], &k[0][0], &k[0][1]);
    while (t < t_end) {
        const int is_last = t + 1.01*h >= t_end;
        if (is_last) h = t_end - t;
        for (int i = 0; i < 2; i++) y[i] = x[i] + h*(1.0/5*k[0][i]);
        rates(m, y[0], y[1], &k[1][0], &k[1][1]);
        for (int i = 0; i < 2; i++) y[i] = x[i] + h*(3.0/40*k[0][i] + 9.0/40*k[1][i]);
        rates(m, y[0], y[1], &k[2][0], &k[2][1]);
        for (int i = 0; i < 2; i++) y[i] = x[i] + h*(44.0/45*k[0][i] - 56.0/15*k[1][i] + 32.0/9*k[2][i]);
        rates(m, y[0], y[1], &k[3][0], &k[3][1]);
        for (int i = 0; i < 2; i++)
            y[i] = x[i] + h * (19372.0 / 6561 * k[0][i] - 25360.0 / 2187 * k[1][i] +
                               64448.0 / 6561 * k[2][i] - 212.0 / 729 * k[3][i]);
        rates(m, y[0], y[1], &k[4][0], &k[4][1]);
        for (int i = 0; i < 2; i++)
            y[i] = x[i] + h*(9017.0/3168*k[0][i] - 355.0/33*k[1][i] + 46732.0/5247*k[2][i] + 49.0/176*k[3][i]
                             - 5103.0/18656*k[4][i]);
        rates(m, y[0], y[1], &k[5][0], &k[5][1]);
        for (int i = 0; i < 2; i++)
            y[i] = x[i] + h*(35.0/384*k[0][i] + 500.0/1113*k[2][i] + 125.0/192*k[3][i] - 2187.0/6784*k[4][i]
                             + 11.0/84*k[5][i]);
        rates(m, y[0], y[1], &k[6][0], &k[6][1]);
        double sum = 0;
        for (int i = 0; i < 2; i++) {
            const double off = h * (71.0 / 57600 * k[0][i] - 71.0 / 16695 * k[2][i] + 71.0 / 1920 * k[3][i] -
                                    17253.0 / 339200 * k[4][i] + 22.0 / 525 * k[5][i] - 1.0 / 40 * k[6][i]);
            const double s = off/(abs_tol + tol*fmax(fabs(x[i]), fabs(y[i])));
            sum += s*s;
        }
        const double error = sqrt(sum/2), slowly = pow(fmax(error, 1e-300), 0.17);
        if (error <= 1) {
            t = is_last ? t_end : t + h;
            h /= fmax(0.1, fmin(5, slowly/pow(before, 0.04)/0.9));
            before = fmax(error, 1e-4);
            for (int i = 0; i < 2; i++) x[i] = y[i], k[0][i] = k[6][i];
        } else {
            h /= fmin(5, slowly/0.9);
        }
    }
    out[0] = x[0];
    out[1] = x[1];
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const long n = atol(argv[2]), steps = atol(argv[3]);
    double *out = malloc((size_t)n*2*sizeof *out), best = 1e300, sum = 0;
    Member *members = malloc((size_t)n*sizeof *members);
    for (long i = 0; i < n; i++)
        members[i] = (Member){ 1.5 + 1e-5 * (double)i, 1, 1, 3 - 1e-5 * (double)i, 10, 5 };
    for (int pass = 0; pass < 5; pass++) {
        const double began = now_ms();
        for (long i = 0; i < n; i++) {
            if (strcmp(argv[1], "rk4") == 0) rk4(&members[i], steps, out + 2*i);
            else dopri5(&members[i], (double)steps/100, out + 2*i);
        }
        best = fmin(best, now_ms() - began);
    }
    for (long i = 0; i < 2*n; i++) sum += out[i];
    printf("%.4f %.12g\n", best, sum);
    free(out);
    free(members);
    return 0;
}
