// bench/ball_reference.c: a ball on a swinging table, as one writes it by hand: Dormand–Prince with error
// control and dense output, four looks at the distance in each step, the impact located to rounding by the
// Illinois method.
//
//     ball_reference N   the shortest time in ms of N runs of 100,000 impacts
#include "measure.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double g, e, a, w, tolerance;

typedef struct Step { double t, h, x[2], y[2], dense[4][2]; } Step;

static inline void rates(const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = -g;
}

static inline double distance(double t, double h) { return h - a * sin(w * t); }

// One accepted step of at most `*h`; the next proposal is left there.
static void advance(Step *s, double t, const double *x, double *h, double most)
{
    static const double b[7][6] = { { 0 },
                                    { 1.0 / 5 },
                                    { 3.0 / 40, 9.0 / 40 },
                                    { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
                                    { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
                                    { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176,
                                      -5103.0 / 18656 },
                                    { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 } };
    static const double err[7] = { 71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40 };
    static const double d[7] = { -12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799,
                                 -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
                                 -1453857185.0 / 822651844, 69997945.0 / 29380423 };
    double k[7][2];
    rates(x, k[0]);
    for (;;) {
        const double step = fmin(*h, most);
        double y[2];
        for (int i = 1; i < 7; i++) {
            for (int j = 0; j < 2; j++) {
                double sum = 0;
                for (int m = 0; m < i; m++) sum += b[i][m] * k[m][j];
                y[j] = x[j] + step * sum;
            }
            rates(y, k[i]);
        }
        double sum = 0;
        for (int j = 0; j < 2; j++) {
            double off = 0;
            for (int i = 0; i < 7; i++) off += err[i] * k[i][j];
            off *= step / (tolerance * 1e-3 + tolerance * fmax(fabs(x[j]), fabs(y[j])));
            sum += off * off;
        }
        const double error = sqrt(sum / 2), factor = pow(fmax(error, 1e-300), 0.17) / 0.9;
        *h = step / fmax(0.1, fmin(5, factor));
        if (error > 1) continue;
        s->t = t;
        s->h = step;
        for (int j = 0; j < 2; j++) {
            double top = 0;
            for (int i = 0; i < 7; i++) top += d[i] * k[i][j];
            s->x[j] = x[j];
            s->y[j] = y[j];
            s->dense[0][j] = y[j] - x[j];
            s->dense[1][j] = step * k[0][j] - s->dense[0][j];
            s->dense[2][j] = s->dense[0][j] - step * k[6][j] - s->dense[1][j];
            s->dense[3][j] = step * top;
        }
        return;
    }
}

static double inside(const Step *s, double t, int j)
{
    const double p = (t - s->t) / s->h, r = 1 - p;
    return s->x[j] + p * (s->dense[0][j] + r * (s->dense[1][j] + p * (s->dense[2][j] + r * s->dense[3][j])));
}

static double locate(const Step *s, double lo, double f_lo, double hi, double f_hi)
{
    int side = 0;
    for (int i = 0; i < 100 && hi - lo > DBL_EPSILON * hi; i++) {
        double t = (f_lo * hi - f_hi * lo) / (f_lo - f_hi);
        if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
        if (!(t > lo && t < hi)) break;
        const double f = distance(t, inside(s, t, 0));
        if (f <= 0) {
            hi = t, f_hi = f;
            if (side == 1) f_lo /= 2;
            side = 1;
        } else {
            lo = t, f_lo = f;
            if (side == -1) f_hi /= 2;
            side = -1;
        }
    }
    return hi;
}

static double simulate(long impacts)
{
    double t = 0, x[2] = { given("H0", 0.3), 0 }, h = 1e-3;
    double f = distance(t, x[0]);
    for (long n = 0; n < impacts;) {
        Step s;
        advance(&s, t, x, &h, 0.05);
        double lo = t, f_lo = f;
        int hit = 0;
        for (int i = 1; i <= 4 && !hit; i++) {
            const double at = i == 4 ? s.t + s.h : s.t + s.h * i / 4;
            const double here = distance(at, i == 4 ? s.y[0] : inside(&s, at, 0));
            if (f_lo > 0 && here <= 0) {
                t = locate(&s, lo, f_lo, at, here);
                hit = 1;
            }
            lo = at, f_lo = here;
        }
        if (hit) {
            const double speed = a * w * cos(w * t), v = inside(&s, t, 1);
            x[0] = inside(&s, t, 0);
            x[1] = speed - e * (v - speed);
            f = 0;
            n++;
        } else {
            t = s.t + s.h;
            x[0] = s.y[0];
            x[1] = s.y[1];
            f = f_lo;
        }
    }
    return t;
}

int main(int argc, char **argv)
{
    g = given("G", 9.81), e = given("E", 1), a = given("A", 0.001), w = given("W", 60),
    tolerance = given("TOL", 1e-6);
    const long impacts = (long)given("IMPACTS", 100000);
    double best = 1e300, t = 0;
    for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--) {
        const double started = now_ms();
        t = simulate(impacts);
        best = fmin(best, now_ms() - started);
    }
    fprintf(stderr, "t = %.17g\n", t);
    printf("%.3f\n", best);
    return 0;
}
