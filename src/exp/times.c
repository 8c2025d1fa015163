// src/exp/times.c: when rows are recorded.
#include "exp/times.h"
#include <math.h>

enum { DIGITS_MOST = 15 };
#define WHOLE_MOST 9007199254740992.0    // 2^53: up to here doubles count every whole number

// Is x = whole/scale, with the same double as result?
static bool is_fraction(double x, double scale, double *whole)
{
    *whole = nearbyint(x * scale);
    return fabs(*whole) < WHOLE_MOST && *whole / scale == x;
}

Times times_of(double from, double every)
{
    Times times = { .from = from, .every = every };
    double scale = 1;
    for (int digits = 0; digits <= DIGITS_MOST; digits++, scale *= 10) {
        double first, each;
        if (!is_fraction(from, scale, &first) || !is_fraction(every, scale, &each) || each == 0) continue;
        times.first = first;
        times.each = each;
        times.scale = scale;
        return times;
    }
    const double parts = nearbyint(1 / every);
    if (parts >= 1 && parts < WHOLE_MOST && 1 / parts == every) times.parts = parts;
    return times;
}

Times times_listed(const double *list, size_t n) { return (Times){ .list = list, .n = n }; }

double times_at(const Times *times, double i)
{
    if (times->list) return i <= (double)times->n ? times->list[(size_t)i - 1] : INFINITY;
    if (times->scale > 0) {
        const double whole = times->first + i * times->each;
        if (fabs(whole) < WHOLE_MOST) return whole / times->scale;
    }
    if (times->parts > 0) return times->from + i / times->parts;
    return times->from + i * times->every;
}
