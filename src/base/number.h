// src/base/number.h: numbers as text and back, the same in every locale.
#pragma once
#include "base/text.h"
#include <stdbool.h>

enum { NUMBER_MAX = 32 };    // bytes number_format may write

// The shortest decimal text that reads back as exactly x, and of the shortest the nearest to x; returns its
// length, no NUL is added. Plain for 1e-5 <= |x| < 1e17 (0.1, 1500, 12345678901234567), else 1e-7, 1.5e300.
// "nan", "inf", "-inf", "0", "-0". Up to NUMBER_MAX bytes at `out` are used as scratch.
size_t number_format(double x, char *out);
char  *number_text(double x, char out[NUMBER_MAX]);    // the same, NUL-terminated; returns out

typedef enum NumberResult {
    NUMBER_OK,
    NUMBER_BAD,          // not a number, or something follows it
    NUMBER_OVERFLOW,     // too large: *out is an infinity of its sign
} NumberResult;

// The double nearest to a decimal number, ties to even: [+-] digits [. digits] [e [+-] digits], with a digit
// somewhere before the e; or nan, inf, infinity in any case. Nothing before or after, no white space.
NumberResult number_read(Text text, double *out);
bool         number_parse(Text text, double *out);    // number_read gave NUMBER_OK
