// src/units/unit.c: arithmetic of units.
#include "units/unit.h"
#include <math.h>

const char *const unit_si_names[UNIT_SI] = { "m", "kg", "s", "A", "K", "mol", "cd" };

// Scales are products of a few decimal numbers; what differs by less is the same.
static const long double scale_tolerance = 1e-10L;

// ---- Rational numbers

static const Ratio unknown = { 0, 0 };

static int64_t divisor(int64_t a, int64_t b)    // greatest common; 1 for two zeros
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 0 ? 1 : a < 0 ? -a : a;
}

Ratio ratio_make(int64_t p, int64_t q)
{
    if (q == 0) return unknown;
    const int64_t d = q < 0 ? -divisor(p, q) : divisor(p, q);
    p /= d;
    q /= d;
    if (p > INT32_MAX || p < -INT32_MAX || q > INT32_MAX) return unknown;
    return (Ratio){ (int32_t)p, (int32_t)q };
}

Ratio ratio_add(Ratio a, Ratio b)
{
    if (a.q == 0 || b.q == 0) return unknown;
    if (a.q == b.q) return ratio_make((int64_t)a.p + b.p, a.q);
    int64_t left, right, p;
    left = (int64_t)a.p * b.q;
    right = (int64_t)b.p * a.q;
    if (__builtin_add_overflow(left, right, &p)) return unknown;
    return ratio_make(p, (int64_t)a.q * b.q);
}

Ratio ratio_mul(Ratio a, Ratio b)
{
    if (a.q == 0 || b.q == 0) return unknown;
    return ratio_make((int64_t)a.p * b.p, (int64_t)a.q * b.q);
}

Ratio ratio_div(Ratio a, Ratio b)
{
    if (a.q == 0 || b.q == 0) return unknown;
    return ratio_make((int64_t)a.p * b.q, (int64_t)a.q * b.p);
}

Ratio ratio_from(double x)
{
    for (int32_t q = 1; q <= 1000; q++) {
        const double p = round(x * q);
        if (fabs(p) <= 1e6 && fabs(x * q - p) <= 1e-10 * q) return ratio_make((int64_t)p, q);
    }
    return unknown;
}

// ---- Units

Unit unit_one(void)
{
    Unit one = { .scale = 1 };
    for (int i = 0; i < UNIT_DIMS; i++) one.powers[i].q = 1;
    return one;
}

Unit unit_base(int dimension)
{
    Unit base = unit_one();
    base.powers[dimension].p = 1;
    return base;
}

Unit unit_mul(const Unit *a, const Unit *b)
{
    Unit c = { .scale = a->scale * b->scale };
    for (int i = 0; i < UNIT_DIMS; i++) c.powers[i] = ratio_add(a->powers[i], b->powers[i]);
    return c;
}

// By repeated squaring, so that whole powers of whole scales are exact.
static long double whole_power(long double x, int32_t n)
{
    const bool is_inverse = n < 0;
    long double result = 1;
    for (uint32_t k = is_inverse ? (uint32_t)-n : (uint32_t)n; k > 0; k >>= 1, x *= x)
        if (k & 1) result *= x;
    return is_inverse ? 1 / result : result;
}

Unit unit_pow(const Unit *a, Ratio power)
{
    Unit c = { .scale = 0 };
    for (int i = 0; i < UNIT_DIMS; i++) c.powers[i] = ratio_mul(a->powers[i], power);
    if (power.q == 1) c.scale = whole_power(a->scale, power.p);
    else if (power.q != 0) c.scale = powl(a->scale, (long double)power.p / power.q);
    return c;
}

bool unit_is_known(const Unit *a)
{
    for (int i = 0; i < UNIT_DIMS; i++)
        if (a->powers[i].q == 0) return false;
    return isfinite(a->scale) && a->scale > 0;
}

bool unit_same_dimension(const Unit *a, const Unit *b)
{
    for (int i = 0; i < UNIT_DIMS; i++)
        if (a->powers[i].p != b->powers[i].p || a->powers[i].q != b->powers[i].q) return false;
    return true;
}

bool unit_equal(const Unit *a, const Unit *b)
{
    if (!unit_is_known(a) || !unit_is_known(b)) return true;
    return unit_same_dimension(a, b) && fabsl(a->scale / b->scale - 1) <= scale_tolerance;
}

bool unit_same(const Unit *a, const Unit *b)
{
    return unit_equal(a, b) && fabsl(a->offset - b->offset) <= 1e-9L * fabsl(a->offset);
}

bool unit_is_pure(const Unit *a)
{
    const Unit one = unit_one();
    return unit_equal(a, &one);
}
