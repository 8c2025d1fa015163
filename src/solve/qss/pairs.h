// src/solve/qss/pairs.h: mLIQSS2: states that push each other are renewed together.
#pragma once
#include "solve/qss/parts.h"
#include "solve/qss/qss.h"

// Two states of which each is read by the rate of the other: where the derivative by the other stands among
// the slopes of this rate, and of the other's; likewise the derivatives by themselves, FLAT_NONE: 0.
typedef struct QssPair {
    uint32_t other;
    uint32_t here, there;
    uint32_t own_here, own_there;
} QssPair;

struct QssPairs {
    uint32_t *start;    // [n + 1] of each state
    QssPair *items;
};

#if IS_ENGINE
QssPairs *pairs_make(const IrQuantised *ir, Arena *arena);
#endif

// q of state i, whose x stands at t, has just looked ahead; `before` are its value and slope at t until then.
// If that would make another state look back, and that again this one, both get their q together. Returns the
// other, whose x stands at t then, or FLAT_NONE.
uint32_t pairs_renew(Qss *m, const Island *island, uint32_t i, double t, const double before[2]);
