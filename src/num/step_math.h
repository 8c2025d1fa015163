// src/num/step_math.h: logarithm and exponential for the control of step sizes.
//
// Good to some 14 digits, and the same bits on every machine, in vectors and in exported programs, where
// those of libraries are not. The text of this file is part of the code generated for ensembles: plain C99
// without any header.
#pragma once

// x is positive and no subnormal number.
static inline double dp_log(double x)
{
    union { double number; unsigned long long bits; } m = { x }, e;
    e.bits = (m.bits >> 52) | 0x4330000000000000ull;                 // 2^52 + the exponent
    m.bits = (m.bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;  // 1 to 2
    const double is_large = m.number > 1.4142135623730951 ? 1.0 : 0.0;
    const double part = m.number * (1.0 - 0.5 * is_large);
    const double exponent = e.number - 4503599627371519.0 + is_large;
    const double s = (part - 1.0) / (part + 1.0), q = s * s;
    const double sum = 1.0 +
                       q * (1.0 / 3.0 +
                            q * (1.0 / 5.0 +
                                 q * (1.0 / 7.0 +
                                      q * (1.0 / 9.0 +
                                           q * (1.0 / 11.0 +
                                                q * (1.0 / 13.0 + q * (1.0 / 15.0 + q * (1.0 / 17.0))))))));
    return exponent * 0.6931471805599453 + 2.0 * s * sum;
}

// |x| < 700
static inline double dp_exp(double x)
{
    union { double number; unsigned long long bits; } k;
    k.number = x * 1.4426950408889634 + 6755399441055744.0;          // its last bits are the exponent,
                                                                     // rounded
    const double r = x - (k.number - 6755399441055744.0) * 0.6931471805599453;
    const double sum = 1.0 + r * (1.0 + r * (1.0 / 2.0 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 +
                       r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * (1.0 / 40320.0 + r * (1.0 / 362880.0 +
                       r * (1.0 / 3628800.0 + r * (1.0 / 39916800.0)))))))))));
    k.bits = (k.bits + 1023) << 52;
    return sum * k.number;
}
