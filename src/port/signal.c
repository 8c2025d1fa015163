// src/port/signal.c: samples of an input as a function of time, one piece after the other.
#include "port/signal.h"
#include <math.h>
#include <string.h>

// Samples needed around `at`: behind it one more, since at the end of the data slopes come from one side.
enum { BEHIND = SIGNAL_AROUND + 1, AHEAD = SIGNAL_AROUND + 1 };

#define ROUNDS_MAX 4e15    // that are told apart

// ---------------------------------------------------------------------------------------------- samples

static SignalState fail(Signal *s, SignalState state) { return s->state = state; }

// One sample more. False if there is none, or none to be had.
static bool read_sample(Signal *s)
{
    if (s->has_ended || s->state != SIGNAL_OK) return false;
    Sample sample;
    const SampleResult result = s->next(s->self, &sample);
    if (result == SAMPLE_FAILED) return fail(s, SIGNAL_FAILED), false;
    if (result == SAMPLE_END) return s->has_ended = true, false;
    if (s->n == s->capacity && s->cyclic) {
        const size_t larger = s->capacity < 64 ? 64 : 2 * s->capacity;
        s->samples = arena_grow(s->arena, s->samples, s->capacity, larger, sizeof *s->samples);
        s->capacity = larger;
    } else if (s->n == s->capacity) {
        // what lies behind the piece and its neighbours is never needed again
        const size_t drop = s->at > BEHIND ? s->at - BEHIND : 0;
        memmove(s->samples, s->samples + drop, (s->n - drop) * sizeof *s->samples);
        s->n -= drop;
        s->at -= drop;
    }
    if (s->n == 0) s->first = sample.t;
    s->last = sample.t;
    s->samples[s->n++] = sample;
    return true;
}

// Samples that a piece needs at and behind its first one. Where the end of the data matters it must be seen
// in time.
static size_t wanted(const Signal *s)
{
    if (s->between == SIGNAL_CUBIC) return AHEAD + 1;
    return s->outside == SIGNAL_OUTSIDE_HOLD ? 2 : 3;
}

// Of a stream: the run ends before the samples read do.
static bool reaches_end(const Signal *s)
{
    return s->is_stream && s->between != SIGNAL_CUBIC && s->n > s->at && s->samples[s->n - 1].t >= s->end;
}

// Read as far as the piece from sample `at` on needs; at the beginning too, slopes come from one side.
static void read_ahead(Signal *s)
{
    if (reaches_end(s)) return;
    while (s->n < s->at + wanted(s) && read_sample(s))
        if (reaches_end(s)) return;
    while (s->between == SIGNAL_CUBIC && s->n < 2 * SIGNAL_AROUND + 1 && read_sample(s)) continue;
}

// A held value that does not change is one piece: no step needs to end inside it. Of a stream nobody knows
// how long that is.
static void pass_equal(Signal *s)
{
    if (s->between != SIGNAL_HOLD || s->cyclic || s->is_stream) return;
    const size_t least = s->outside == SIGNAL_OUTSIDE_HOLD ? 1 : 2;    // samples that must follow
    while (s->at + least < s->n && s->samples[s->at + 1].u == s->samples[s->at].u) {
        s->at++;
        read_ahead(s);
        if (s->state != SIGNAL_OK) return;
    }
}

// ---------------------------------------------------------------------------------------------- slopes

static double period(const Signal *s) { return s->samples[s->n - 1].t - s->samples[0].t; }

static bool closes(const Signal *s)    // its end meets its beginning
{
    return s->cyclic && s->samples[s->n - 1].u == s->samples[0].u;
}

// Sample i of a cyclic signal that goes on beyond both ends; of any other one the sample itself.
static Sample sample_at(const Signal *s, long i)
{
    if (!closes(s)) return s->samples[i];
    const long n = (long)s->n - 1;
    const long turns = i >= 0 ? i / n : -((n - 1 - i) / n);
    Sample sample = s->samples[i - turns * n];
    sample.t += (double)turns * period(s);
    return sample;
}

// The slope at sample i of the polynomial through the nearest samples, by barycentric weights.
static double slope_at(const Signal *s, long i)
{
    long lo = i - SIGNAL_AROUND, hi = i + SIGNAL_AROUND;
    if (!closes(s)) {
        const long last = (long)s->n - 1;
        // of a stream the window reaches as far as is needed, unless the data end there
        if (lo < 0) lo = 0;
        if (hi > last) hi = last;
        while (hi - lo < 2 * SIGNAL_AROUND && lo > 0) lo--;
        while (hi - lo < 2 * SIGNAL_AROUND && hi < last) hi++;
    }
    const Sample here = sample_at(s, i);
    double slope = 0;
    for (long j = lo; j <= hi; j++) {
        if (j == i) continue;
        const Sample other = sample_at(s, j);
        double weight = 1;    // of j over that of i
        for (long k = lo; k <= hi; k++) {
            if (k == i || k == j) continue;
            const double t = sample_at(s, k).t;
            weight *= (here.t - t) / (other.t - t);
        }
        slope += weight * (other.u - here.u) / (other.t - here.t);
    }
    return slope;
}

// ---------------------------------------------------------------------------------------------- pieces

static void set_constant(Signal *s, double from, double value, double until, double next)
{
    s->piece = (SignalPiece){ .origin = from, .c = { value }, .until = until, .jumps = next != value };
}

// What lies behind the last sample. The last instant itself is always inside.
static SignalState set_behind(Signal *s)
{
    const Sample last = s->samples[s->n - 1];
    if (s->outside == SIGNAL_OUTSIDE_ERROR && s->phase == SIGNAL_BEHIND) return fail(s, SIGNAL_OUTSIDE);
    s->phase = SIGNAL_BEHIND;
    set_constant(s, last.t, s->outside == SIGNAL_OUTSIDE_ZERO ? 0 : last.u,
                 s->outside == SIGNAL_OUTSIDE_ERROR ? last.t : INFINITY, NAN);
    s->piece.jumps = false;
    return SIGNAL_OK;
}

// Where the value goes at the end of the piece between `at` and `at + 1`.
static double next_value(const Signal *s, const Sample *end)
{
    const bool is_last = s->at + 2 == s->n && (s->cyclic || s->has_ended);
    if (!is_last) return end->u;
    if (s->cyclic) return s->samples[0].u;
    return s->outside == SIGNAL_OUTSIDE_ZERO ? 0 : end->u;
}

// The piece from sample `at` on.
static SignalState set_piece(Signal *s)
{
    read_ahead(s);
    pass_equal(s);
    if (s->state != SIGNAL_OK) return s->state;
    if (s->at + 1 >= s->n && !s->has_ended && reaches_end(s)) {
        const Sample last = s->samples[s->n - 1];
        set_constant(s, last.t, last.u, nextafter(last.t, INFINITY), last.u);
        s->phase = SIGNAL_ENDING;
        return SIGNAL_OK;
    }
    if (s->at + 1 >= s->n) return set_behind(s);
    const Sample a = s->samples[s->at], b = s->samples[s->at + 1];
    const double shift = s->cyclic ? s->round * period(s) : 0, h = b.t - a.t;
    SignalPiece *p = &s->piece;
    *p = (SignalPiece){ .origin = a.t + shift, .c = { a.u }, .until = b.t + shift };
    if (!(p->until > p->origin)) return fail(s, SIGNAL_TOO_FINE);
    double end = a.u;    // value at the end of the piece
    if (s->between == SIGNAL_LINEAR) {
        p->c[1] = (b.u - a.u) / h;
        end = b.u;
    } else if (s->between == SIGNAL_CUBIC) {
        const double mean = (b.u - a.u) / h, d0 = slope_at(s, (long)s->at), d1 = slope_at(s, (long)s->at + 1);
        p->c[1] = d0;
        p->c[2] = (3 * mean - 2 * d0 - d1) / h;
        p->c[3] = (d0 + d1 - 2 * mean) / (h * h);
        end = b.u;
    }
    p->jumps = next_value(s, &b) != end;
    return SIGNAL_OK;
}

SignalState signal_move(Signal *s)
{
    if (s->state != SIGNAL_OK) return s->state;
    if (s->phase == SIGNAL_BEHIND) return set_behind(s);
    if (s->phase == SIGNAL_ENDING) s->end = INFINITY;    // it goes on
    if (s->phase == SIGNAL_INSIDE) s->at++;
    s->phase = SIGNAL_INSIDE;
    if (s->cyclic && s->at + 1 >= s->n) {
        s->at = 0;
        s->round++;
    }
    return set_piece(s);
}

// All samples of a cyclic signal, and the round in which t lies.
static SignalState start_cyclic(Signal *s, double t)
{
    while (read_sample(s)) continue;
    if (s->state != SIGNAL_OK) return s->state;
    s->is_loaded = true;
    if (s->n == 0) return fail(s, SIGNAL_EMPTY);
    if (s->n == 1) {    // nothing ever changes
        set_constant(s, t, s->samples[0].u, INFINITY, NAN);
        s->piece.jumps = false;
        return SIGNAL_OK;
    }
    s->round = floor((t - s->first) / period(s));
    if (!(fabs(s->round) < ROUNDS_MAX)) return fail(s, SIGNAL_TOO_FINE);
    // rounding may put t into the round before or behind
    while (s->first + s->round * period(s) > t) s->round--;
    while (s->first + (s->round + 1) * period(s) <= t) s->round++;
    const double shift = s->round * period(s);
    size_t lo = 0, hi = s->n - 1;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (s->samples[middle].t + shift <= t) lo = middle;
        else hi = middle;
    }
    s->at = lo;
    return set_piece(s);
}

SignalState signal_start(Signal *s, double t)
{
    s->state = SIGNAL_OK;
    s->phase = SIGNAL_INSIDE;
    s->at = 0;
    s->round = 0;
    s->piece = (SignalPiece){ .until = INFINITY };
    if (s->cyclic) return start_cyclic(s, t);
    s->has_ended = false;
    s->n = 0;
    s->first = s->last = NAN;
    s->samples = s->window;
    s->capacity = sizeof s->window / sizeof *s->window;

    read_ahead(s);
    if (s->state != SIGNAL_OK) return s->state;
    if (s->n == 0) return fail(s, SIGNAL_EMPTY);
    if (t < s->first) {
        const double u = s->samples[0].u;
        if (s->outside == SIGNAL_OUTSIDE_ERROR) return fail(s, SIGNAL_OUTSIDE);
        s->phase = SIGNAL_BEFORE;
        set_constant(s, t, s->outside == SIGNAL_OUTSIDE_HOLD ? u : 0, s->first, u);
        return SIGNAL_OK;
    }
    while (s->at + 1 < s->n && s->samples[s->at + 1].t <= t) {
        s->at++;
        read_ahead(s);
        if (s->state != SIGNAL_OK) return s->state;
    }
    // behind the last sample there is nothing to begin with
    if (s->at + 1 == s->n && s->has_ended && t > s->last) s->phase = SIGNAL_BEHIND;
    return set_piece(s);
}
