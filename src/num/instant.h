// src/num/instant.h: times that differ only by rounding, such as 3*0.1 and 0.3, are one instant. Exported
// programs have this text as it stands.
#pragma once
#include <math.h>

// The latest time that is one instant with t: two to four units in the last place behind it, which is more
// than two products k*period of the same value can differ by.
static inline double instant_reach(double t) { return t + fabs(t)*0x1p-51; }

// The instant of the earlier of two times: the later one, if they are one.
static inline double instant_of(double a, double b)
{
    const double early = a < b ? a : b, late = a < b ? b : a;
    return late <= instant_reach(early) ? late : early;
}

// A time that is the end, but for rounding, is the end.
static inline double instant_or_end(double t, double end)
{
    return t > end ? (t <= instant_reach(end) ? end : t) : (end <= instant_reach(t) ? end : t);
}
