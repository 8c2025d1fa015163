// src/code/qss_step.h: a step of the methods of quantised states.
//
// The engine compiles this file, and it is printed, as text, before the loop of a small model in native code:
// so there is one step, whoever takes it, and the bits are the same. For that reason it includes nothing and
// names compilers' functions. `order` and `implicit` (LIQSS) are constants wherever these are called.
//
// A state is a polynomial x around a time of its own and its quantised copy q, one degree lower:
//
//     x    coefficients of 1, d, d², … up to d^order with d = t - time; then what the places below say
//     q    coefficients up to d^(order - 1), at QSS_Q_TIME the time
//
// Shared variables have a place like q.
#pragma once

enum { QSS_Q = 4, QSS_Q_TIME = 3 };
#define QSS_TIME(order)        ((order) + 1)
#define QSS_DUE(order)         ((order) + 2)    // when x and q will be a quantum apart
#define QSS_QUANTUM(order)     ((order) + 3)
#define QSS_OWN(order)         ((order) + 4)    // of implicit methods: derivative of the rate by its state
#define QSS_MEETS(order)       ((order) + 5)    // of LIQSS2: a little after x meets q, as far as is known
#define QSS_X(order, implicit) ((order) + 4 + ((implicit) ? (order) : 0))

#define QSS_BEYOND 1.5     // of the time until x meets q
#define QSS_AHEAD  0.99    // of the quantum: on its very border each change of mind would be a step at once

#define QSS_INLINE static inline __attribute__((always_inline))

// The quantum of a state: relative·|x|, within limits.
typedef struct QssQuantum {
    double least;    // > 0
    double relative;
    double most;    // may be infinite
} QssQuantum;

// The loop of a small model.
typedef struct QssSmall {
    double *x, *q;
    double *again;    // [2*n] see qss_doubt; not read if no rate bends
    const double *v, *numbers;
    const QssQuantum *quanta;    // [n]
    double t, t_want, least_wait;
    double held;              // the time that rates of first order read
    long n_max;               // steps at most
    long n_steps, n_rates;    // taken, computed
    int failed;               // a rate is not finite
    double (*leave3)(double c0, double c1, double c2, double c3, double width);
    // How long is a rate to be trusted that is no polynomial of low degree? See solve/qss/bounds.h.
    void (*trust)(const void *self, const double *x, const double *q, double *again, unsigned i, double t);
    const void *self;
} QssSmall;

// ---- Polynomials

QSS_INLINE double qss_x_at(const double *x, int order, double t)
{
    const double d = t - x[QSS_TIME(order)];
    if (order == 1) return x[0] + d * x[1];
    if (order == 2) return x[0] + d * (x[1] + d * x[2]);
    return x[0] + d * (x[1] + d * (x[2] + d * x[3]));
}

QSS_INLINE double qss_rate_at(const double *x, int order, double t)
{
    const double d = t - x[QSS_TIME(order)];
    if (order == 1) return x[1];
    if (order == 2) return x[1] + 2 * d * x[2];
    return x[1] + d * (2 * x[2] + 3 * d * x[3]);
}

// Move the origin to t.
QSS_INLINE void qss_move(double *x, int order, double t)
{
    const double d = t - x[QSS_TIME(order)];
    x[QSS_TIME(order)] = t;
    if (order == 1) {
        x[0] += d * x[1];
    } else if (order == 2) {
        x[0] += d * (x[1] + d * x[2]);
        x[1] += 2 * d * x[2];
    } else {
        x[0] += d * (x[1] + d * (x[2] + d * x[3]));
        x[1] += d * (2 * x[2] + 3 * d * x[3]);
        x[2] += 3 * d * x[3];
    }
}

// ---- When x and q are apart

// The first d >= 0 at which |c0 + c1 d + …| reaches `width` from inside, or 0 if it is outside and moves on
// outwards; infinite if never.
QSS_INLINE double qss_leave1(double c0, double c1, double width)
{
    if (c1 < 0) c0 = -c0, c1 = -c1;
    if (c0 >= width) return c1 > 0 ? 0 : __builtin_inf();    // a value that stands still does no harm
    return c1 > 0 ? (width - c0) / c1 : __builtin_inf();
}

QSS_INLINE double qss_leave2(double c0, double c1, double c2, double width)
{
    if (c2 < 0) c0 = -c0, c1 = -c1, c2 = -c2;
    // open upwards: it leaves upwards in the end, unless it dips through the lower border before
    if (c1 < 0) {
        if (c0 <= -width) return 0;
        const double lower = c1 * c1 - 4 * c2 * (c0 + width);
        if (lower > 0) return 2 * (c0 + width) / (__builtin_sqrt(lower) - c1);
        const double upper = c1 * c1 - 4 * c2 * (c0 - width);
        return upper < 0 ? 0 : (__builtin_sqrt(upper) - c1) / (2 * c2);
    }
    if (c0 >= width) return c1 > 0 || c2 > 0 ? 0 : __builtin_inf();
    return 2 * (width - c0) / (c1 + __builtin_sqrt(c1 * c1 - 4 * c2 * (c0 - width)));
}

// When x and q, x known at t, are a quantum apart.
QSS_INLINE double qss_due(const double *x, const double *q, int order, int implicit, double t,
                          double (*leave3)(double, double, double, double, double))
{
    const double d = t - q[QSS_Q_TIME], width = x[QSS_QUANTUM(order)];
    if (order == 1) return t + qss_leave1(x[0] - q[0], x[1], width);
    if (order == 2) {
        const double due = t + qss_leave2(x[0] - (q[0] + d * q[1]), x[1] - q[1], x[2], width);
        return implicit && x[QSS_MEETS(2)] < due ? x[QSS_MEETS(2)] : due;
    }
    return t + leave3(x[0] - (q[0] + d * (q[1] + d * q[2])), x[1] - (q[1] + 2 * d * q[2]), x[2] - q[2], x[3],
                      width);
}

// ---- Rates

// A rate or one of its derivatives is not finite. Without the rate nothing can go on; a derivative that does
// not exist (that of a root at 0) is left out.
QSS_INLINE void qss_mend(double *out, int n_out, int *failed)
{
    if (out[0] * 0 != 0) *failed = 1;
    for (int k = 0; k < n_out; k++)
        if (out[k] * 0 != 0) out[k] = 0;
}

// A rate whose polynomial is only near the truth, because it reads time or is not linear, is computed again
// now and then, even if nothing that it reads is renewed: again[0] is when, again[1] after how long. That is
// proven by bounds.h; for polynomials of low degree, which cannot turn at once, it is measured: how far was
// the polynomial off? If it was too far, it is trusted no longer than this time; what was renewed, and
// changed the rate by that, counts too.
QSS_INLINE void qss_doubt(const double *x, double *again, int order, double t, double rate, double least_wait)
{
    const double elapsed = t - x[QSS_TIME(order)];
    const double error = __builtin_fabs(rate - qss_rate_at(x, order, t)) * elapsed;
    if (error > 0.5 * (order + 1) * x[QSS_QUANTUM(order)] && elapsed < again[1])
        again[1] = elapsed > least_wait ? elapsed : least_wait;
    again[0] = t + again[1];
}

// x begins anew at t, with a rate and its derivatives.
QSS_INLINE void qss_begin(double *x, double *out, int order, int implicit, double t, int *failed)
{
    const int n_out = order + (implicit ? 1 : 0);
    double any = out[0];
    for (int k = 1; k < n_out; k++) any += out[k];
    if (__builtin_expect(any * 0 != 0, 0)) qss_mend(out, n_out, failed);
    x[0] = qss_x_at(x, order, t);
    x[QSS_TIME(order)] = t;
    x[1] = out[0];
    if (order > 1) x[2] = 0.5 * out[1];
    if (order > 2) x[3] = out[2] * (1.0 / 6);
    if (implicit) x[QSS_OWN(order)] = out[order];
}

// ---- q

// Ahead of x, to where the rate has carried x when it gets there. Soon after, q is due anew, since x turns
// back. The rate is a·q + u + w·d in the near future.
QSS_INLINE void qss_look_ahead(double *x, double *q, int order)
{
    const double a = x[QSS_OWN(order)], width = QSS_AHEAD * x[QSS_QUANTUM(order)];
    if (order == 1) {
        const double u = x[1] - a * q[0];
        if (!(a < 0)) {
            q[0] = x[0];
            return;
        }
        const double up = a * (x[0] + width) + u, down = a * (x[0] - width) + u;
        q[0] = up > 0 ? x[0] + width : down < 0 ? x[0] - width : -u / a;
        return;
    }
    // x meets q, with its slope, after h; as far ahead as the quantum allows
    x[QSS_MEETS(2)] = __builtin_inf();
    const double time = x[QSS_TIME(order)], d = time - q[QSS_Q_TIME];
    const double u = x[1] - a * (q[0] + d * q[1]), w = 2 * x[2] - a * q[1];
    const double c = a * (a * x[0] + u) + w;    // second derivative of x if q were x
    if (!(a < 0)) {
        q[0] = x[0];
        q[1] = a * x[0] + u;
        return;
    }
    const double size = __builtin_fabs(c);
    if (size <= width * a * a) {    // it will come to rest on a line within the quantum
        q[1] = -w / a;
        q[0] = x[0] - c / (a * a);
        return;
    }
    // h² (|c| - a² width) + 2 a width h - 2 width = 0
    const double lead = size - a * a * width, half = a * width;
    const double h = (-half + __builtin_sqrt(half * half + 2 * width * lead)) / lead;
    const double below = 1 - a * h + 0.5 * a * a * h * h;
    q[1] = (a * x[0] + u + w * h - 0.5 * a * w * h * h) / below;
    q[0] = x[0] - 0.5 * h * h * c / below;
    x[QSS_MEETS(2)] = time + QSS_BEYOND * h;
}

QSS_INLINE double qss_width(const QssQuantum *quantum, double x)
{
    const double wanted = quantum->relative * __builtin_fabs(x);
    return wanted > quantum->least ? (wanted < quantum->most ? wanted : quantum->most) : quantum->least;
}

// q of a state whose x stands at t is renewed.
QSS_INLINE void qss_renew(double *x, double *q, const QssQuantum *quantum, int order, int implicit, double t)
{
    x[QSS_QUANTUM(order)] = qss_width(quantum, x[0]);
    if (implicit && q[QSS_Q_TIME] < t) {
        qss_look_ahead(x, q, order);
    } else {    // looking ahead a second time at once would lead to and fro
        if (implicit && order == 2) x[QSS_MEETS(2)] = __builtin_inf();
        q[0] = x[0];
        if (order > 1) q[1] = x[1];
        if (order > 2) q[2] = x[2];
    }
    q[QSS_Q_TIME] = t;
}
