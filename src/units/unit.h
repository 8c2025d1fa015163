// src/units/unit.h: a unit of measurement as a point in a group.
//
// A unit is a product of base dimensions with rational powers, times a scale: km/h is length^1 time^-1 times
// 1000/3600. Units are multiplied and raised to powers; two things can be added if their units are equal. An
// angle is a pure number, so rad is 1. Units such as degC also have a zero of their own; the zero takes part
// in conversions only and is lost in products (offset.c sees to it that nobody relies on it there).
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct Ratio {    // lowest terms, q > 0; q == 0: too large to be told
    int32_t p, q;
} Ratio;

static inline Ratio ratio_whole(int32_t p) { return (Ratio){ p, 1 }; }
Ratio ratio_make(int64_t p, int64_t q);
Ratio ratio_add(Ratio a, Ratio b);
Ratio ratio_mul(Ratio a, Ratio b);
Ratio ratio_div(Ratio a, Ratio b);              // b is not 0
Ratio ratio_from(double x);                     // the simplest that is x to ten digits; q == 0: none
static inline bool ratio_is_zero(Ratio a) { return a.p == 0 && a.q != 0; }

enum { UNIT_DIMS = 32, UNIT_SI = 7 };           // m kg s A K mol cd, then those of the user
extern const char *const unit_si_names[UNIT_SI];

typedef struct Unit {
    Ratio       powers[UNIT_DIMS];              // of the base dimensions
    long double scale;                          // in base units; long double: powers of powers stay in range
    long double offset;                         // its zero, in base units: 273.15 for degC, else 0
} Unit;

Unit unit_one(void);
Unit unit_base(int dimension);
Unit unit_mul(const Unit *a, const Unit *b);    // without offset
Unit unit_pow(const Unit *a, Ratio power);      // without offset
bool unit_is_known(const Unit *a);              // nothing in it has become too large to be told
bool unit_is_pure(const Unit *a);               // 1, rad or m/m, but not km/m
bool unit_same_dimension(const Unit *a, const Unit *b);
bool unit_equal(const Unit *a, const Unit *b);  // dimension and scale; what is not known is equal to all
bool unit_same(const Unit *a, const Unit *b);   // and offset
