// src/base/number.c: shortest decimal text of a double, and the nearest double of a decimal text.
//
// Formatting follows R. Giulietti, "The Schubfach way to render doubles" (2021). A double v = c 2^q is read
// back from any decimal between the midpoints to its neighbours. With k = floor(log10 2^q) that interval is
// wider than 10^k, so it contains a multiple of 10^k, and narrower than 10^(k+2), so at most one multiple of
// 10^(k+1) need be looked at. The candidates are found by comparing 4 v 10^-k and the scaled midpoints with
// multiples of 4; one multiplication by a 128-bit power of ten for each, rounded to odd, decides every
// comparison exactly (tools/number_table.py proves it).
//
// Digits are made eight at a time inside a register and the point is put in by shifting, so nothing loops
// over digits.
//
// Reading tries three ways in turn: exact double arithmetic for short numbers; an interval around the value
// by 128-bit powers of ten, good unless the interval holds a midpoint; long integers, always right.
#include "base/number.h"
#include "base/number_table.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>

typedef unsigned __int128 u128;

// POWER_FIRST <= e <= POWER_LAST
static const uint64_t *power_of_ten(int e) { return powers_of_ten[e - POWER_FIRST]; }

static int floor_log2_pow10(int e) { return (e * 1741647) >> 19; }

// ---- Formatting

// n g 2^-128 without its fraction, the last bit set if there was one.
static uint64_t round_to_odd(const uint64_t g[2], uint64_t n)
{
    const u128 low = (u128)g[1] * n, high = (u128)g[0] * n + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

typedef struct Decimal { uint64_t digits; int exponent; } Decimal;    // digits * 10^exponent

// The shortest decimal in the rounding interval of c 2^q; it may end in zeros.
static Decimal shortest(uint64_t c, int q, bool spacing_changes)
{
    const int k = (q * 1262611 - (spacing_changes ? 524031 : 0)) >> 22;
    const int h = q + floor_log2_pow10(-k) + 1;
    const uint64_t *g = power_of_ten(-k);
    const uint64_t odd = c & 1;    // midpoints read back as the even neighbour
    const uint64_t scaled = c << (h + 2), half_gap = 2ull << h;
    const uint64_t lower = round_to_odd(g, scaled - (half_gap >> spacing_changes)) + odd;
    const uint64_t middle = round_to_odd(g, scaled);
    const uint64_t upper = round_to_odd(g, scaled + half_gap) - odd;

    // Of the multiples of 10^k around v the one that is inside; the nearer one if both or none are. All of
    // this is as random as the last digit, so it is computed without branches.
    const uint64_t s = middle / 4;
    const bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    const uint64_t half = 4 * s + 2;
    const bool nearer_up = (middle > half) | ((middle == half) & (s & 1));
    const uint64_t unit = s + (down != up ? up : nearer_up);

    // the same for multiples of 10^(k+1): a digit less, if one of them is inside
    const uint64_t tens = s / 10;
    const bool tens_down = lower <= 40 * tens, tens_up = 40 * tens + 40 <= upper;
    return (Decimal){ tens_down != tens_up ? 10 * (tens + tens_up) : unit, k };
}

// The eight digits of n < 10^8 as text in a register, the first digit in the lowest byte. Each line splits
// every lane into two by one division: upper + (lane - base upper) << width is (lane << width) - upper (base
// 2^width - 1).
static inline uint64_t eight_digits(uint64_t n)
{
    const uint64_t upper = n * 109951163 >> 40;                             // n / 10^4, exact below 10^8
    const uint64_t fours = (n << 32) - upper * ((10000ull << 32) - 1);      // 2 lanes of 4 digits
    const uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007Fu;  // lane / 100, exact below 10^4
    const uint64_t twos = (fours << 16) - hundreds * ((100 << 16) - 1);     // 4 lanes of 2 digits
    const uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000Fu;         // lane / 10, exact below 100
    return (twos << 8) - tens * ((10 << 8) - 1) + 0x3030303030303030u;      // 8 lanes
}

static unsigned trailing_zeros(uint64_t eight)    // of eight digits
{
    const uint64_t x = eight ^ 0x3030303030303030u;
    return x ? (unsigned)__builtin_clzll(x) / 8 : 8;
}

static unsigned leading_zeros(uint64_t eight)
{
    const uint64_t x = eight ^ 0x3030303030303030u;
    return x ? (unsigned)__builtin_ctzll(x) / 8 : 8;
}

static char *put8(char *out, uint64_t x)
{
    memcpy(out, &x, 8);
    return out + 8;
}

static char *put_integer(char *out, uint64_t n)    // n < 10^16
{
    const uint64_t low = n % 100000000;
    const uint64_t high = n / 100000000;
    if (high) {
        const uint64_t text = eight_digits(high);
        const unsigned zeros = leading_zeros(text);
        put8(out, text >> 8 * zeros);
        return put8(out + 8 - zeros, eight_digits(low));
    }
    const uint64_t text = eight_digits(low);
    unsigned zeros = leading_zeros(text);
    if (zeros == 8) zeros = 7;
    put8(out, text >> 8 * zeros);
    return out + 8 - zeros;
}

static char *put_exponent(char *out, int e)
{
    *out++ = 'e';
    if (e < 0) *out++ = '-';
    return put_integer(out, (uint64_t)(e < 0 ? -e : e));
}

// Sixteen digits with a point behind the first `at` of them, at < 16: the digits behind it move up by a byte.
static void put_with_point(char *out, uint64_t a, uint64_t b, unsigned at)
{
    const bool in_a = at < 8;
    const uint64_t word = in_a ? a : b, before = (1ull << 8 * (at % 8)) - 1;
    const uint64_t pointed = (word & before) | (uint64_t)'.' << 8 * (at % 8) | (word & ~before) << 8;
    const char last = (char)(word >> 56);
    if (in_a) {
        put8(out, pointed);
        out[8] = last;
        put8(out + 9, b);
    } else {
        put8(out, a);
        put8(out + 8, pointed);
        out[16] = last;
    }
}

// Digits d, with a first one that is not zero, and sixteen more; the value is d.dddd 10^e.
static char *put_decimal(char *out, Decimal decimal)
{
    const bool short_by_one = decimal.digits < 10000000000000000u;    // 16 digits or 17: again no branch
    uint64_t digits = decimal.digits * (short_by_one ? 10 : 1);
    int e = decimal.exponent + 16 - short_by_one;
    while (digits < 10000000000000000u) {    // subnormal numbers
        digits *= 10;
        e--;
    }
    const uint64_t low = digits % 100000000;
    const uint64_t rest = digits / 100000000;
    const char first = (char)('0' + rest / 100000000);
    const uint64_t a = eight_digits(rest % 100000000), b = eight_digits(low);
    unsigned n = 16 - trailing_zeros(b);    // digits after the first that count
    if (n == 8) n -= trailing_zeros(a);

    if (e < 0 && e >= -5) {
        // 0.000ddd
        put8(out, 0x3030303030302E30u);
        out += 1 - e;
        *out++ = first;
        put8(put8(out, a), b);
        return out + n;
    }
    *out++ = first;
    if (e >= 0 && e < 17) {
        if ((unsigned)e >= n) {
            // ddd000
            put8(put8(out, a), b);
            return out + e;
        }
        // dd.ddd
        put_with_point(out, a, b, (unsigned)e);
        return out + n + 1;
    }
    // d.ddde12
    if (n) {
        *out++ = '.';
        put8(put8(out, a), b);
        out += n;
    }
    return put_exponent(out, e);
}

// Numbers of few decimals, which time, parameters and measurements often are. If m / 10^6 is x, and m has at
// most 15 digits, no other decimal of at most 15 digits is, so m without its zeros is the shortest. NULL if x
// is not of that kind; most others are told by one multiplication. 10^-5 <= x < 10^9.
static char *put_few_decimals(char *out, double x)
{
    const double scaled = x * 1e6;
    const int64_t m = (int64_t)(scaled + 0.5);
    if (fabs(scaled - (double)m) > scaled * 4e-16 || (double)m / 1e6 != x) return NULL;
    const uint64_t decimals = eight_digits((uint64_t)m % 1000000 * 100);
    out = put_integer(out, (uint64_t)m / 1000000);
    *out++ = '.';
    put8(out, decimals);
    return out + 8 - trailing_zeros(decimals);
}

size_t number_format(double x, char *out)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    char *const start = out;
    if (bits >> 63 && x == x) *out++ = '-';

    const uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
    const int exponent = (int)(bits >> 52 & 0x7FF);
    if (exponent == 0x7FF) {
        memcpy(out, fraction ? "nan" : "inf", 3);
        return (size_t)(out + 3 - start);
    }

    // whole numbers below 2^53 are their own shortest text
    const double size = fabs(x);
    if (size < 9007199254740992.0) {
        const int64_t whole = (int64_t)size;    // signed: one instruction each way
        if ((double)whole == size) return (size_t)(put_integer(out, (uint64_t)whole) - start);
    }

    if (size < 1e9 && size >= 1e-5) {
        char *const end = put_few_decimals(out, size);
        if (end) return (size_t)(end - start);
    }

    const uint64_t c = exponent ? fraction | 1ull << 52 : fraction;
    const int q = (exponent ? exponent : 1) - 1075;
    return (size_t)(put_decimal(out, shortest(c, q, fraction == 0 && exponent > 1)) - start);
}

char *number_text(double x, char out[NUMBER_MAX])
{
    out[number_format(x, out)] = 0;
    return out;
}

// ---- Reading

// A decimal as written: digits 10^exponent, of which the first 19 are in `mantissa`.
typedef struct Written {
    // from the first digit that is not zero to the end of the digits; a point may be inside
    const char *digits, *end;
    uint64_t mantissa;           // the first 19 of them
    size_t   n;                  // how many there are
    int      exponent;           // of the last of the digits in mantissa
    bool     negative;
} Written;

enum { EXPONENT_MAX = 1000000 };    // far outside the doubles

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool scan(Text text, Written *w)
{
    const char *p = text.p, *const end = text.p + text.n;
    *w = (Written){ 0 };
    if (p < end && (*p == '+' || *p == '-')) w->negative = *p++ == '-';

    const char *point = NULL;
    const char *const first = p;
    int64_t dropped = 0;     // digits beyond the 19th in front of the point
    int64_t behind = 0;      // digits behind the point, up to the last of the mantissa
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = p;
            continue;
        }
        if (w->n == 0 && *p == '0') {
            behind += point != NULL;
            continue;
        }
        if (w->n == 0) w->digits = p;
        w->n++;
        w->end = p + 1;
        if (w->n <= 19) {
            w->mantissa = 10 * w->mantissa + (uint64_t)(*p - '0');
            behind += point != NULL;
        } else {
            dropped += point == NULL;
        }
    }
    if (p - first == (point ? 1 : 0)) return false;    // no digit at all

    int64_t e = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        bool minus = false;
        if (p < end && (*p == '+' || *p == '-')) minus = *p++ == '-';
        if (p == end) return false;
        for (; p < end && is_digit(*p); p++)
            if (e < INT64_MAX / 100) e = 10 * e + (*p - '0');
        if (minus) e = -e;
    }
    e += dropped - behind;
    w->exponent = (int)(e < -EXPONENT_MAX ? -EXPONENT_MAX : e > EXPONENT_MAX ? EXPONENT_MAX : e);
    return p == end;
}

// The double nearest to (top + fraction) 2^exponent, where top has its highest bit set and 0 <= fraction < 1
// is not 0 if `sticky`. Ties to even; too large gives infinity, too small zero.
static double assemble(uint64_t top, bool sticky, int exponent)
{
    // value = top 2^exponent = 1.xxx 2^(exponent + 63)
    int biased = exponent + 63 + 1023;
    unsigned drop = 11;    // bits that do not fit
    if (biased <= 0) {
        if (biased < -53) return 0;
        drop += (unsigned)(1 - biased);
        biased = 0;
    }
    // from 64 dropped bits on nothing is left but the rounding
    uint64_t kept = drop < 64 ? top >> drop : 0;
    const uint64_t half = drop <= 64 ? 1ull << (drop - 1) : 0;
    const uint64_t rest = drop < 64 ? top & ((1ull << drop) - 1) : top;
    const bool above = half && (rest > half || (rest == half && sticky)),
               tie = half && rest == half && !sticky;
    if (above || (tie && (kept & 1))) kept++;

    // a carry out of the fraction moves into the exponent, which is just right
    uint64_t bits = biased ? ((uint64_t)(biased - 1) << 52) + kept : kept;
    if (biased >= 0x7FF || bits >= 0x7FFull << 52) bits = 0x7FFull << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The nearest double of n g 2^e for 128-bit g.
static double product(uint64_t n, u128 g, int e)
{
    const u128 low = (u128)n * (uint64_t)g, high = (u128)n * (uint64_t)(g >> 64) + (uint64_t)(low >> 64);
    // 192 bits: high, then the low half of low. Shift so that the highest bit is set; g >= 2^127.
    const uint64_t h1 = (uint64_t)(high >> 64), h0 = (uint64_t)high, l0 = (uint64_t)low;
    const int shift = h1 ? __builtin_clzll(h1) : 64;
    if (shift == 64) return assemble(h0, l0 != 0, e + 64);
    const uint64_t top = shift ? h1 << shift | h0 >> (64 - shift) : h1;
    return assemble(top, (shift ? h0 << shift : h0) != 0 || l0 != 0, e + 128 - shift);
}

// ---- Long integers, for the few cases the interval cannot decide

enum {
    DIGITS_MAX = 780,    // a midpoint between doubles has at most 767 digits: more only say "a little above"
    LIMBS = 160,         // 32 bits each: 780 digits, or 10^1122, shifted by some words
};

typedef struct Long { uint32_t limbs[LIMBS]; int n; } Long;    // little end first; n without leading zeros

static void long_multiply_add(Long *a, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(a->n < LIMBS);
        a->limbs[a->n++] = (uint32_t)carry;
    }
}

static void long_times_power_of_ten(Long *a, int e)
{
    for (; e >= 9; e -= 9) long_multiply_add(a, 1000000000, 0);
    for (; e > 0; e--) long_multiply_add(a, 10, 0);
}

static void long_shift(Long *a, int bits)    // to the left
{
    const int words = bits / 32;
    bits %= 32;
    if (bits) long_multiply_add(a, (uint32_t)1 << bits, 0);
    if (words == 0 || a->n == 0) return;
    assert(a->n + words <= LIMBS);
    memmove(a->limbs + words, a->limbs, (size_t)a->n * sizeof *a->limbs);
    memset(a->limbs, 0, (size_t)words * sizeof *a->limbs);
    a->n += words;
}

static int long_bits(const Long *a) { return a->n ? 32 * a->n - __builtin_clz(a->limbs[a->n - 1]) : 0; }

static int long_compare(const Long *a, const Long *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

static void long_subtract(Long *a, const Long *b)    // a >= b
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limbs[i] - (i < b->n ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && a->limbs[a->n - 1] == 0) a->n--;
}

static double read_exactly(const Written *w)
{
    // all digits, or enough of them and a 1 for what follows
    Long numerator = { .n = 0 }, denominator = { .n = 0 };
    int used = 0;
    bool more = false;
    for (const char *p = w->digits; p < w->end; p++) {
        if (*p == '.') continue;
        if (used < DIGITS_MAX) {
            long_multiply_add(&numerator, 10, (uint32_t)(*p - '0'));
            used++;
        } else if (*p != '0') {
            more = true;
        }
    }
    int e = w->exponent + (int)(w->n < 19 ? w->n : 19) - used;
    if (more) {
        long_multiply_add(&numerator, 10, 1);
        e--;
    }

    // numerator / denominator, both scaled so that the quotient is in [1, 2)
    long_multiply_add(&denominator, 1, 1);
    if (e >= 0) long_times_power_of_ten(&numerator, e);
    else long_times_power_of_ten(&denominator, -e);
    int shift = long_bits(&denominator) - long_bits(&numerator);
    if (shift > 0) long_shift(&numerator, shift);
    else long_shift(&denominator, -shift);
    if (long_compare(&numerator, &denominator) < 0) {
        long_shift(&numerator, 1);
        shift++;
    }

    // 64 bits of the quotient, one by one
    uint64_t top = 0;
    for (int i = 0; i < 64; i++) {
        top <<= 1;
        if (long_compare(&numerator, &denominator) >= 0) {
            long_subtract(&numerator, &denominator);
            top |= 1;
        }
        long_multiply_add(&numerator, 2, 0);
    }
    return assemble(top, numerator.n > 0, -shift - 63);
}

static double read_decimal(const Written *w)
{
    static const double exact[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const int e = w->exponent;
    if (w->n == 0) return 0;

    // both factors exact: one correctly rounded operation
    if (w->n <= 19 && w->mantissa <= 1ull << 53 && e >= -22 && e <= 22) {
        const double m = (double)w->mantissa;
        return e < 0 ? m / exact[-e] : m * exact[e];
    }
    const int magnitude = e + (int)(w->n < 19 ? w->n : 19);    // value < 10^magnitude
    if (magnitude > 310) return INFINITY;
    if (magnitude < -330) return 0;

    // the value lies between two products; if they round alike, that is it
    if (e >= POWER_FIRST && e <= POWER_LAST) {
        const uint64_t *g = power_of_ten(e);
        const u128 above = (u128)g[0] << 64 | g[1];
        const int e2 = floor_log2_pow10(e) - 127;
        const double low = product(w->mantissa, above - 1, e2);
        const double high = product(w->mantissa + (w->n > 19), above, e2);
        if (low == high) return low;
    }
    return read_exactly(w);
}

static bool same_word(Text text, const char *word)
{
    if (text.n != strlen(word)) return false;
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] | 32) != word[i]) return false;
    return true;
}

NumberResult number_read(Text text, double *out)
{
    Written w;
    if (scan(text, &w)) {
        const double x = read_decimal(&w);
        *out = w.negative ? -x : x;
        return isinf(x) ? NUMBER_OVERFLOW : NUMBER_OK;
    }
    Text word = text;
    const bool has_sign = word.n && (word.p[0] == '+' || word.p[0] == '-');
    const bool negative = has_sign && word.p[0] == '-';
    if (has_sign) word = text_part(word, 1, word.n);
    if (same_word(word, "inf") || same_word(word, "infinity")) *out = negative ? -INFINITY : INFINITY;
    else if (same_word(word, "nan")) *out = NAN;
    else return NUMBER_BAD;
    return NUMBER_OK;
}

bool number_parse(Text text, double *out) { return number_read(text, out) == NUMBER_OK; }
