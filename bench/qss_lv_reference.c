// bench/qss_lv_reference.c: Lotka–Volterra by QSS2, as one writes it by hand for these two equations.
//
//     qss_lv_reference N [FILE|memory] the shortest time in ms of N runs to t = 1500; steps and drift to
// standard
//                                        error; a row every 0.01 to FILE or to an array
//
// Parameters, start and quantum are read at run time, so the compiler can fold none of them.
#include "measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct State {
    double x0, x1, x2, tx;    // x = x0 + x1 d + x2 d², d = t - tx
    double q0, q1, tq;
    double due;
} State;

// The smallest positive root of a d² + b d + c, INFINITY if there is none.
static double positive_root(double a, double b, double c)
{
    if (a == 0) {
        const double d = b != 0 ? -c / b : INFINITY;
        return d > 0 ? d : INFINITY;
    }
    const double s = b * b - 4 * a * c;
    if (s < 0) return INFINITY;
    const double root = sqrt(s), d1 = (-b + root) / (2 * a), d2 = (-b - root) / (2 * a);
    if (d1 > 0 && (d1 < d2 || d2 <= 0)) return d1;
    return d2 > 0 ? d2 : INFINITY;
}

static void new_due(State *s, double t, double quantum)
{
    const double dq = t - s->tq, apart = s->x0 - (s->q0 + dq * s->q1), slope = s->x1 - s->q1;
    const double up = positive_root(s->x2, slope, apart - quantum),
                 down = positive_root(s->x2, slope, apart + quantum);
    s->due = fabs(apart) >= quantum ? t : t + (up < down ? up : down);
}

// Where the rows go, and how many there are.
typedef struct Rows {
    FILE  *out;
    double *kept;
    double  every;
    long    n, n_max;
} Rows;

// Those up to t.
static void put_rows(Rows *rows, const State s[2], double t)
{
    for (double at; rows->n < rows->n_max && (at = (double)rows->n * rows->every) <= t; rows->n++) {
        double x[2];
        for (int i = 0; i < 2; i++) {
            const double d = at - s[i].tx;
            x[i] = s[i].x0 + d * (s[i].x1 + d * s[i].x2);
        }
        if (rows->out) fprintf(rows->out, "%.10g,%.10g,%.10g\n", at, x[0], x[1]);
        if (rows->kept) memcpy(rows->kept + 3 * rows->n, (double[]){ at, x[0], x[1] }, 3 * sizeof(double));
    }
}

int main(int argc, char **argv)
{
    const double alpha = given("ALPHA", 1.5), beta = given("BETA", 1), gamma = given("GAMMA", 1),
                 delta = given("DELTA", 3);
    const double x0 = given("X0", 10), y0 = given("Y0", 5), quantum = given("QUANTUM", 1e-4),
                 t_end = given("UNTIL", 1500);
    double best = 1e300, drift = 0;
    long n = 0;
    for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--) {
        const int keeps = argc > 2 && strcmp(argv[2], "memory") == 0, is_observed = argc > 2;
        Rows rows = { .every = given("EVERY", 0.01) };
        rows.n_max = (long)(t_end / rows.every + 0.5) + 1;
        rows.out = is_observed && !keeps ? fopen(argv[2], "w") : NULL;
        const double started = now_ms();
        if (keeps) rows.kept = malloc((size_t)rows.n_max * 3 * sizeof(double));
        if (rows.out) fprintf(rows.out, "t,X,Y\n");
        State s[2] = { { .x0 = x0, .q0 = x0 }, { .x0 = y0, .q0 = y0 } };
        double t = 0;
        n = 0;
        for (;;) {
            // rates and their slopes at t, from q
            double q[2], dq[2];
            for (int i = 0; i < 2; i++) q[i] = s[i].q0 + (t - s[i].tq) * s[i].q1, dq[i] = s[i].q1;
            const double f[2] = { q[0] * (alpha - beta * q[1]), q[1] * (gamma * q[0] - delta) };
            const double df[2] = { dq[0] * (alpha - beta * q[1]) - q[0] * beta * dq[1],
                                   dq[1] * (gamma * q[0] - delta) + q[1] * gamma * dq[0] };
            for (int i = 0; i < 2; i++) {
                const double d = t - s[i].tx;
                s[i].x0 += d * (s[i].x1 + d * s[i].x2);
                s[i].x1 = f[i];
                s[i].x2 = 0.5 * df[i];
                s[i].tx = t;
                new_due(&s[i], t, quantum);
            }
            // the next one takes its quantised state anew
            State *next = s[1].due < s[0].due ? &s[1] : &s[0];
            if (is_observed) put_rows(&rows, s, next->due < t_end ? next->due : t_end + rows.every / 2);
            if (next->due > t_end) break;
            t = next->due;
            const double d = t - next->tx;
            next->x0 += d * (next->x1 + d * next->x2);
            next->x1 += 2 * d * next->x2;
            next->tx = t;
            next->q0 = next->x0;
            next->q1 = next->x1;
            next->tq = t;
            n++;
        }
        double z[2];
        for (int i = 0; i < 2; i++) {
            const double d = t_end - s[i].tx;
            z[i] = s[i].x0 + d * (s[i].x1 + d * s[i].x2);
        }
        drift = gamma * z[0] - delta * log(z[0]) + beta * z[1] - alpha * log(z[1]) -
                (gamma * x0 - delta * log(x0) + beta * y0 - alpha * log(y0));
        if (rows.out) fclose(rows.out);
        const double took = now_ms() - started;
        free(rows.kept);
        if (took < best) best = took;
    }
    printf("%.4f\n", best);
    fprintf(stderr, "steps %ld drift %.4g\n", n, drift);
    return 0;
}
