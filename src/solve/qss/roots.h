// src/solve/qss/roots.h: when a polynomial leaves a band, or a side.
#pragma once
#include "code/qss_step.h"
#include <math.h>

// The first d >= 0 at which |c[0] + c[1] d + … | reaches `width` from inside, or 0 if it is outside and moves
// on outwards. INFINITY if never. From the extrema, and safe Newton steps between them; lower degrees have
// closed forms (code/qss_step.h).
double roots_leave3(double c0, double c1, double c2, double c3, double width);

// The first d >= 0 at which c0 + c1 d + c2 d² becomes negative (or 0); 0 if it is and does not rise.
double roots_fall(double c0, double c1, double c2);
