// src/exp/characterise.c: what a measured column looks like: trend, peaks, their period and envelope.
//
//     values ──line through them→ trend, rest ──turning points→ peaks → period, amplitudes → envelope
//
// A turning point counts if the values then turn back by a tenth of their range, so that noise makes none.
#include "base/arena.h"
#include "base/vec.h"
#include "orrery/characterise.h"
#include <math.h>
#include <string.h>

#define TURN_PART   0.1     // of the range
#define DECAY_LEAST 0.05    // a change of the amplitude over all peaks that counts

typedef struct Turn {
    double t, y;
    bool   is_max;
} Turn;

typedef struct Line {
    double at, slope, r2;    // y = at + slope·t
} Line;

static Line fit_line(const double *t, const double *y, size_t n)
{
    double tm = 0, ym = 0, tt = 0, ty = 0, yy = 0;
    for (size_t i = 0; i < n; i++) tm += t[i] / (double)n, ym += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        tt += (t[i] - tm) * (t[i] - tm);
        ty += (t[i] - tm) * (y[i] - ym);
        yy += (y[i] - ym) * (y[i] - ym);
    }
    const double slope = tt > 0 ? ty / tt : 0;
    return (Line){ ym - slope * tm, slope, tt > 0 && yy > 0 ? ty * ty / (tt * yy) : 0 };
}

// The top of the parabola through three points around i.
static Turn turn_at(const double *t, const double *y, size_t n, size_t i, bool is_max)
{
    if (i == 0 || i + 1 >= n || !(t[i - 1] < t[i] && t[i] < t[i + 1])) return (Turn){ t[i], y[i], is_max };
    const double a = t[i - 1] - t[i], b = t[i + 1] - t[i], ya = y[i - 1] - y[i], yb = y[i + 1] - y[i];
    const double bend = (ya / a - yb / b) / (a - b), slope = ya / a - bend * a;
    if (bend == 0) return (Turn){ t[i], y[i], is_max };
    const double d = -slope / (2 * bend);
    if (!(d >= a && d <= b)) return (Turn){ t[i], y[i], is_max };
    return (Turn){ t[i] + d, y[i] + d * (slope + bend * d), is_max };
}

// Maxima and minima in turns; the first and the last value are none.
static size_t find_turns(const double *t, const double *y, size_t n, Turn *turns)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
    const double least = TURN_PART * (high - low);
    size_t n_turns = 0, best = 0, first = 0;
    int way = 0;
    for (size_t i = 1; i < n; i++) {
        if (way == 0) {
            if (fabs(y[i] - y[first]) < least) continue;
            way = y[i] > y[first] ? 1 : -1;
            best = i;
        } else if (way * (y[i] - y[best]) > 0) {
            best = i;
        } else if (way * (y[best] - y[i]) > least) {
            turns[n_turns++] = turn_at(t, y, n, best, way > 0);
            way = -way;
            best = i;
        }
    }
    return n_turns;
}

static void find_period(const Turn *turns, size_t n, orr_character *c)
{
    size_t m = 0;
    double sum = 0, squares = 0;
    for (size_t i = 2; i < n; i++) {    // from a maximum to the next, from a minimum to the next
        const double period = turns[i].t - turns[i - 2].t;
        m++;
        sum += period;
        squares += period * period;
    }
    if (m == 0) return;
    c->period = sum / (double)m;
    c->period_deviation = m > 1 ? sqrt(fmax(0, squares - sum * sum / (double)m) / (double)(m - 1)) : NAN;
}

// Half of the way from each turning point to the next, at the time between them.
static void find_envelope(const Turn *turns, size_t n, Arena *work, orr_character *c)
{
    double *t = ARENA_ARRAY(work, double, n), *a = ARENA_ARRAY(work, double, n);
    double *logs = ARENA_ARRAY(work, double, n);
    size_t m = 0;
    for (size_t i = 1; i < n; i++, m++) {
        t[m] = 0.5 * (turns[i].t + turns[i - 1].t);
        a[m] = 0.5 * fabs(turns[i].y - turns[i - 1].y);
        logs[m] = log(a[m]);
        c->amplitude += a[m] / (double)(n - 1);
    }
    if (m < 2) return;
    const Line exponential = fit_line(t, logs, m), straight = fit_line(t, a, m);
    c->decay = -exponential.slope;
    c->decay_r2 = exponential.r2;
    c->amplitude_start = exp(exponential.at + exponential.slope * t[0]);
    c->amplitude_slope = straight.slope;
    c->amplitude_r2 = straight.r2;
    const double change = fabs(c->decay) * (t[m - 1] - t[0]);
    c->shape = change < DECAY_LEAST ? ORR_CHARACTER_STEADY
               : c->decay > 0       ? ORR_CHARACTER_DAMPED
                                    : ORR_CHARACTER_GROWING;
}

// Without peaks: how well a line, a parabola and an exponential with this sign describe it.
static void look_at_curve(const double *t, const double *y, size_t n, Arena *work, orr_character *c)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
    double *logs = ARENA_ARRAY(work, double, n);
    c->shape = high - low <= 1e-9 * fmax(fabs(high), fabs(low)) ? ORR_CHARACTER_CONSTANT
               : c->trend_r2 > 0.99                               ? ORR_CHARACTER_LINE
                                                                  : ORR_CHARACTER_CURVE;
    if (!(low > 0 || high < 0)) return;
    for (size_t i = 0; i < n; i++) logs[i] = log(fabs(y[i]));
    const Line exponential = fit_line(t, logs, n);
    c->rate = exponential.slope;
    c->rate_r2 = exponential.r2;
    if (c->shape == ORR_CHARACTER_CURVE && exponential.r2 > 0.99) c->shape = ORR_CHARACTER_EXPONENTIAL;
}

bool orr_characterise(const orr_table *table, size_t column, orr_character *c)
{
    Arena work = { 0 };
    const size_t n_rows = orr_table_n_rows(table);
    const double *ts = orr_table_column(table, 0), *ys = orr_table_column(table, column);
    double *t = ARENA_ARRAY(&work, double, n_rows), *y = ARENA_ARRAY(&work, double, n_rows);
    size_t n = 0;
    for (size_t i = 0; i < n_rows; i++)
        if (isfinite(ts[i]) && isfinite(ys[i])) t[n] = ts[i], y[n++] = ys[i];
    *c = (orr_character){ .n = n, .period = NAN, .period_deviation = NAN, .decay = NAN, .rate = NAN };
    for (size_t i = 1; i < n; i++)
        if (t[i] < t[i - 1]) n = 0;    // not in order of time
    if (n >= 3) {
        Turn *turns = ARENA_ARRAY(&work, Turn, n);
        const size_t n_turns = find_turns(t, y, n, turns);
        // a trend is that of the turning points' middle if there are any: full swings do not bend it
        double *mt = ARENA_ARRAY(&work, double, n), *my = ARENA_ARRAY(&work, double, n);
        size_t m = 0;
        for (size_t i = 1; i + 1 < n_turns; i++, m++) {
            mt[m] = turns[i].t;
            my[m] = 0.5 * turns[i].y + 0.25 * (turns[i - 1].y + turns[i + 1].y);
        }
        const Line trend = m > 1 ? fit_line(mt, my, m) : fit_line(t, y, n);
        c->mean = m == 1 ? my[0] : trend.at + trend.slope * 0.5 * (t[0] + t[n - 1]);
        c->trend = m == 1 ? 0 : trend.slope;
        c->trend_r2 = trend.r2;
        for (size_t i = 0; i < n_turns; i++) c->n_peaks += turns[i].is_max;
        find_period(turns, n_turns, c);
        if (n_turns >= 2) find_envelope(turns, n_turns, &work, c);
        else look_at_curve(t, y, n, &work, c);
    }
    arena_free(&work);
    return n >= 3;
}
