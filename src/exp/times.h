// src/exp/times.h: when rows are recorded.
//
// Row i is at from + i·every. Written as a decimal, from + i·every often is a short number that the sum of
// two doubles misses by a rounding (0.1 + 2·0.1 is 0.30000000000000004). So where `from` and `every` are
// decimal fractions, the nearest double to the decimal result is taken; and where 1/every is whole, from +
// i/(1/every).
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Times {
    double from, every;
    double first, each, scale;    // (first + i·each)/scale, all whole; scale 0: none
    double parts;                 // from + i/parts, whole; 0: none
    const double *list;           // [n] instead of all that; borrowed
    size_t n;
} Times;

Times  times_of(double from, double every);
Times  times_listed(const double *list, size_t n);
double times_at(const Times *times, double i);    // i >= 1; infinite behind a list
