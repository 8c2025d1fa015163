// tests/common/check.h: cmocka and what our own tests add to it.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka asks for the four above
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// |a - b| <= tolerance; a NaN on either side fails.
#define assert_near(a, b, tolerance) check_near((a), (b), (tolerance), #a, __FILE__, __LINE__)

// |a - b| <= tolerance * max(|a|, |b|).
#define assert_near_relative(a, b, tolerance) \
    check_near((a), (b), (tolerance) * fmax(fabs(a), fabs(b)), #a, __FILE__, __LINE__)

// The same bits: tells 0 from -0, and a NaN equals itself.
#define assert_same_bits(a, b) check_same_bits((a), (b), #a, __FILE__, __LINE__)

// `text` contains `part`.
#define assert_contains(text, part) check_contains((text), (part), __FILE__, __LINE__)

static inline void check_near(double a, double b, double tolerance, const char *what, const char *file,
                              int line)
{
    if (fabs(a - b) <= tolerance || a == b) return;
    print_error("%s is %.17g, not within %g of %.17g (off by %g)\n", what, a, tolerance, b, fabs(a - b));
    _fail(file, line);
}

static inline void check_same_bits(double a, double b, const char *what, const char *file, int line)
{
    if (memcmp(&a, &b, sizeof a) == 0) return;
    print_error("%s is %.17g (%a), not %.17g (%a)\n", what, a, a, b, b);
    _fail(file, line);
}

static inline void check_contains(const char *text, const char *part, const char *file, int line)
{
    if (text && strstr(text, part)) return;
    print_error("'%s' is not in:\n%s\n", part, text ? text : "(null)");
    _fail(file, line);
}
