// src/num/student.c: Student's t by the incomplete beta function.
#include "num/student.h"
#include "num/random.h"
#include <math.h>

// The continued fraction for x < (a + 1)/(a + b + 2), by Lentz's method. [Abramowitz & Stegun 26.5.8]
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (fabs(d) < tiny) d = tiny;
    d = 1 / d;
    double h = d;
    for (int m = 1; m < 1000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        c = 1 + even / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        c = 1 + odd / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return h;
}

static double log_gamma(double x)
{
    int sign;    // of gamma, always 1 here; the plain function keeps it in a global
    return lgamma_r(x, &sign);
}

double student_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, 1 - x) / b;
}

double student_probability(double t, double n)
{
    const double tail = 0.5 * student_beta(0.5 * n, 0.5, n / (n + t * t));    // beyond |t|
    return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double n)
{
    if (p == 0.5) return 0;
    if (p < 0.5) return -student_quantile(1 - p, n);
    if (n > 1e7) return random_normal_quantile(p);
    // bracket, then bisect: the function is cheap and asked for rarely
    double low = 0, high = 1;
    while (student_probability(high, n) < p && high < 1e15) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (student_probability(middle, n) < p) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}
