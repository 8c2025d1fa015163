// src/solve/qss/pairs.h: mLIQSS2: states that push each other are renewed together.
#pragma once
#include "solve/qss/qss.h"

// For each state, the states that its rate reads and whose rates read it.
struct QssPairs {
    uint32_t *start;    // [n + 1]
    struct QssPair {
        uint32_t other;
        uint32_t here,
            there;    // where the derivative by the other stands among the slopes of this rate, and vice versa
        uint32_t own_here, own_there;    // likewise the derivatives by themselves; FLAT_NONE: 0
    } * items;
};

QssPairs *pairs_make(const IrQuantised *ir, Arena *arena);

// q of state i, whose x stands at t, has just looked ahead; `before` are its value and slope at t until then. If
// that would make another state look back, and that again this one, both get their q together. Returns the
// other, whose x stands at t then, or FLAT_NONE.
uint32_t pairs_renew(Qss *m, const Island *island, uint32_t i, double t, const double before[2]);
