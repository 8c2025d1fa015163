// src/num/piece.h: a polynomial through values of a function in an interval.
#pragma once

// A polynomial c[0] + c[1] d + … + c[5] d⁵ of the distance d from where it begins.
enum { PIECE_TERMS = 6 };

// Where to take the values that it goes through, and where to see whether it fits, in parts of the interval.
extern const double piece_nodes[PIECE_TERMS];
enum { PIECE_CHECKS = 2 };
extern const double piece_checks[PIECE_CHECKS];

// The polynomial through values at the nodes of an interval of length h, of the lowest degree that they need:
// differences that rounding explains are none. n_terms 4: a cubic through the ends and the two in the middle.
// NaN: all of it is.
void   piece_through(const double values[PIECE_TERMS], int n_terms, double h, double c[PIECE_TERMS]);
double piece_at(const double c[PIECE_TERMS], double d);
double piece_integral(const double c[PIECE_TERMS], double from, double to);
// Where it crosses `level` between 0 and h, in order; at most PIECE_TERMS - 1 places. Places that it only
// touches are none.
int    piece_crossings(const double c[PIECE_TERMS], double level, double h, double at[PIECE_TERMS]);
// Its slope, as a polynomial.
void   piece_slope(const double c[PIECE_TERMS], double slope[PIECE_TERMS]);
