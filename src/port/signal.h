// src/port/signal.h: samples of an input as a function of time, one piece after the other.
//
//     samples    u0 ─── u1 ─────── u2 …          in ascending time, from a file, a socket or the host program
//     pieces between two samples a polynomial of s = t - origin, of degree 0 (hold), 1 (linear) or 3 (cubic)
//
// A run only moves forward, so one piece is in force at a time and the equations read its coefficients like
// parameters. No step crosses the end of a piece: where the value jumps the solver begins anew, where only
// its slope does a step ends. So nothing is looked up inside a step, and of a file no more is in memory than
// the samples around the present piece.
//
// Cubic pieces are Hermite polynomials whose slopes come from the polynomial through the five nearest
// samples: the value is of fourth order in the distance of the samples, the slope has no jumps.
#pragma once
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum SignalBetween { SIGNAL_HOLD, SIGNAL_LINEAR, SIGNAL_CUBIC } SignalBetween;
typedef enum SignalOutside { SIGNAL_OUTSIDE_HOLD, SIGNAL_OUTSIDE_ERROR, SIGNAL_OUTSIDE_ZERO } SignalOutside;

typedef struct Sample {
    double t, u;
} Sample;

typedef enum SampleResult { SAMPLE_OK, SAMPLE_END, SAMPLE_FAILED } SampleResult;    // FAILED: reported

// The next sample in time; may wait for it.
typedef SampleResult (*SampleNext)(void *self, Sample *sample);

typedef struct SignalPiece {
    double origin;
    double c[4];       // value c0 + s (c1 + s (c2 + s c3)), s = t - origin
    double until;      // it holds up to here; INFINITY: for ever
    bool   jumps;      // the value at the beginning of the next piece is another one
} SignalPiece;

// How the last call came out.
typedef enum SignalState {
    SIGNAL_OK,
    SIGNAL_FAILED,     // the source failed, and has said so
    SIGNAL_OUTSIDE,    // a value outside of the data is needed, which the user does not allow
    SIGNAL_EMPTY,      // there are no samples
    SIGNAL_TOO_FINE,   // so far from where the samples are, two of them have the same time
} SignalState;

// Of the data. ENDING: the run ends before the next sample, which is waited for only if it goes on.
typedef enum SignalPhase { SIGNAL_BEFORE, SIGNAL_INSIDE, SIGNAL_ENDING, SIGNAL_BEHIND } SignalPhase;

enum { SIGNAL_AROUND = 2 };    // samples before and behind one that its slope comes from

typedef struct Signal {
    // by the owner, before signal_start
    SignalBetween between;
    SignalOutside outside;
    bool        cyclic;          // the last sample is the first of the next round
    bool        is_stream;       // samples come while the run goes on: none is read that is not needed yet
    double      end;             // of a stream: when the run ends; INFINITY: unknown
    SampleNext  next;
    void       *self;
    Arena      *arena;           // borrowed; for the samples of a cyclic signal

    SignalPiece piece;           // in force
    double      first, last;     // times of the first sample and of the latest one read

    // inside
    SignalState state;
    SignalPhase phase;           // of the piece
    bool        has_ended;       // no samples follow those read
    bool        is_loaded;       // of a cyclic signal: all samples are here, also for another start
    Sample     *samples;         // [n] a window on the samples; of a cyclic signal all of them
    size_t      n, capacity;
    size_t      at;              // the piece lies between samples `at` and `at + 1`
    double      round;           // of a cyclic signal: how often the samples have been passed
    Sample      window[16];      // where they lie unless cyclic
} Signal;

// The piece in force from t on, reading from the first sample. *signal keeps what the owner gave it, so it
// may be started again if its source can.
SignalState signal_start(Signal *signal, double t);
// The next piece, from piece.until on.
SignalState signal_move(Signal *signal);

static inline double signal_value(const SignalPiece *p, double t)
{
    const double s = t - p->origin;
    return p->c[0] + s * (p->c[1] + s * (p->c[2] + s * p->c[3]));
}
