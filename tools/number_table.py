#!/usr/bin/env python3
"""Print src/base/number_table.h: powers of ten to 128 bits, and prove what number.c relies on.

    tools/number_table.py > src/base/number_table.h
    tools/number_table.py --prove        # a minute: checks every exponent of a double exactly

number.c replaces 10^e by g(e) * 2^(floor(log2 10^e) - 127) with g(e) = floor(10^e * 2^(127 - floor(log2 10^e))) + 1.
"""
import sys
from fractions import Fraction

FIRST, LAST = -342, 324         # formatting needs -292..324, reading 19 digits from -342 on
Q_FIRST, Q_LAST = -1074, 971    # v = c * 2^q with an integer c < 2^53


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


def power(e):
    return Fraction(10) ** e


def g(e):
    x = power(e) * Fraction(2) ** (127 - floor_log2(power(e)))
    return x.numerator // x.denominator + 1


def floor_log10(x):
    k = (floor_log2(x) * 1233) >> 12
    while power(k + 1) <= x: k += 1
    while power(k) > x: k -= 1
    return k


def smallest_residue(a, m, n):
    """The smallest positive i*a mod m for 1 <= i <= n, by the steps of Euclid (the three-distance theorem)."""
    # low: the smallest residue so far, at index i_low; high: how far the largest is below m, at index i_high
    low, i_low = a % m, 1
    high, i_high = (-a) % m, 1
    if low == 0: return None
    best = low
    while True:
        # lower the small one by the gap below m, as often as it stays positive and within n
        if low > high:
            steps = (low - 1) // high if high else 0
            fit = (n - i_low) // i_high
            steps = min(steps, fit)
            if steps == 0: return best
            low -= steps * high
            i_low += steps * i_high
            best = min(best, low)
        else:
            steps = (high - 1) // low
            fit = (n - i_high) // i_low
            steps = min(steps, fit)
            if steps == 0:
                # equal: the next sum is an exact multiple; beyond it everything repeats
                return best
            high -= steps * low
            i_high += steps * i_low


def prove():
    # the integer formulas of number.c for logarithms
    for q in range(Q_FIRST, Q_LAST + 1):
        p = Fraction(2) ** q
        assert floor_log10(p) == (q * 1262611) >> 22, q
        assert floor_log10(p * 3 / 4) == (q * 1262611 - 524031) >> 22, q
    for e in range(FIRST, LAST + 1):
        assert floor_log2(power(e)) == (e * 1741647) >> 19, e

    # number.c forms V = n 2^q 10^-k for n = 4c, 4c - 2, 4c + 2, c <= 2^53, and, where the spacing changes (c = 2^52, a
    # k of its own), also 4c - 1. It compares V with even integers only, after rounding to odd. Such a V is an even integer
    # or at least `worst` away from one. As g is too large by at most 1 in 2^127, the computed V is too large by less
    # than 2^-68: it never passes an even integer, and near one the upper 64 bits of its fraction are 0 only if V is it.
    worst = Fraction(1)
    for q in range(Q_FIRST, Q_LAST + 1):
        k = floor_log10(Fraction(2) ** q)
        assert 1 <= q + floor_log2(power(-k)) + 1 <= 4
        x = Fraction(2) ** q / power(k)    # V / 2 = (n / 2) x
        a, m = x.numerator % x.denominator, x.denominator
        for b in (a, -a % m):    # nearest above and below an integer
            r = smallest_residue(b, m, 2**54 + 1) if b else None
            if r is not None: worst = min(worst, 2 * Fraction(r, m))
        k = floor_log10(Fraction(3, 4) * Fraction(2) ** q)
        assert 1 <= q + floor_log2(power(-k)) + 1 <= 4
        for n in (2**54 - 1, 2**54, 2**54 + 2):
            v = n * Fraction(2) ** q / power(k)
            f = v - 2 * (v // 2)
            if f: worst = min(worst, f, 2 - f)
    print("smallest distance from an even integer: %.3f * 2^-64" % float(worst * 2**64))
    assert worst > Fraction(1, 2**64)


def table():
    print("// src/base/number_table.h: powers of ten to 128 bits. Made by tools/number_table.py; do not edit.")
    print("//")
    print("// g(e) = floor(10^e * 2^(127 - floor(log2 10^e))) + 1, as two halves, high first.")
    print("#pragma once")
    print("#include <stdint.h>")
    print()
    print("enum { POWER_FIRST = %d, POWER_LAST = %d };" % (FIRST, LAST))
    print()
    print("static const uint64_t powers_of_ten[POWER_LAST - POWER_FIRST + 1][2] = {")
    for e in range(FIRST, LAST + 1):
        x = g(e)
        print("    { 0x%016x, 0x%016x },%s" % (x >> 64, x & (2**64 - 1), "    // 10^%d" % e if e % 10 == 0 else ""))
    print("};")


if "--prove" in sys.argv: prove()
else: table()
