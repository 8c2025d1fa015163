// src/num/root.h: where a function changes sign, to the last bit.
#pragma once
#include <stdbool.h>

typedef double (*RootFunction)(void *context, double x);

typedef struct Root {
    double before, after;    // neighbouring doubles: still the old sign at `before`, another at `after`
    double f_before, f_after;
    int    evaluations;
} Root;

// f has one sign at `from` and another at `to`, which may lie on either side of it; 0 counts as another sign.
// Narrows down to two neighbouring doubles between which the sign changes; of several such places to one of
// them. Never evaluates f outside [from, to], nor at its ends, whose values are given. Takes about 10
// evaluations for a smooth function, and never more than ROOT_MAX_EVALUATIONS.
//
// False if there is no change of sign to begin with (f_from is 0, NaN, or of the sign of f_to), or f becomes
// NaN on the way; then *root is the last bracket.
enum { ROOT_MAX_EVALUATIONS = 200 };
bool root_find(RootFunction f, void *context, double from, double f_from, double to, double f_to, Root *root);
