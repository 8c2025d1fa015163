// src/order/given.h: which of the initial values given are needed when constraints tie variables together.
//
// A pendulum may be given both x and y. One of them follows from the other and the constraint; which one is
// better computed depends on where it starts (at y = 0 nothing can be said about y from x). So: at the values
// given, choose the variables that are best computed, as the run does (num/pick.h); then take the values of
// the others, and after them those that are still needed. What is left over is not ignored: each value is
// compared with what comes out, and a contradiction names the constraints and the values that led to it.
#pragma once
#include "order/start.h"

// `start` contains all values given; `values` [n_vars] are what is known of them and of the parameters, NaN
// if not, and are completed. Returns [n_vars] those to be left out and sets reduction->checks.
bool *given_select(Reduction *reduction, const Start *start, double *values, Arena *arena);
