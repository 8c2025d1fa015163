// bench/pwm_reference.c: an RC circuit driven by pulses, as one writes it by hand: RK4 from switch to switch,
// whole steps and a shorter last one.
//
//     pwm_reference N   the shortest time in ms of N runs of 10⁶ switches
#include "measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const double tau = given("TAU", 0.02), T = given("T", 0.001), duty = given("DUTY", 0.3),
                 h = given("STEP", 0.0001);
    const long switches = (long)given("SWITCHES", 1000000);
    double best = 1e300, v = 0;
    for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--) {
        const double started = now_ms();
        double t = 0, u = 1;
        v = 0;
        for (long k = 1; k <= switches; k++) {
            const double next = k % 2 ? (double)(k / 2) * T + duty * T : (double)(k / 2) * T;
            const double start = t;
            for (long i = 1; t < next; i++) {
                const double to = fmin(start + (double)i * h, next),
                             s = next - to < 1e-9 * h ? next - t : to - t;
                const double k1 = (u - v) / tau, k2 = (u - (v + s / 2 * k1)) / tau,
                             k3 = (u - (v + s / 2 * k2)) / tau, k4 = (u - (v + s * k3)) / tau;
                v += s / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
                t = next - to < 1e-9 * h ? next : to;
            }
            u = k % 2 ? 0 : 1;
        }
        best = fmin(best, now_ms() - started);
    }
    fprintf(stderr, "v = %.17g\n", v);
    printf("%.3f\n", best);
    return 0;
}
