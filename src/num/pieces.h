// src/num/pieces.h: interpolation: points become a function made of polynomial pieces.
//
//     points     x0 < x1 < … ; the value at each
//     breaks     where one piece ends and the next begins, ascending
//     piece i c0 + s (c1 + s (c2 + s c3)), s = x - break i-1; piece 0, on the left of all breaks: x - break 0
//
// What lies outside of the points is a piece too, so looking up is one search and one polynomial whatever the
// method, and the derivative of a table is a table. In two dimensions pieces are products of both: every
// method here but `monotone` is linear in the values, so it is applied along one axis, and to the
// coefficients along the other.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum PiecesBetween {
    PIECES_HOLD,        // the value of the point before
    PIECES_LINEAR,      // straight lines
    PIECES_MONOTONE,    // cubic, smooth slope, between two points never outside their values (Fritsch,
                        // Butland 1984)
    PIECES_CUBIC,       // cubic spline, smooth curvature, through the ends without a knot: exact for cubics
} PiecesBetween;

typedef enum PiecesOutside {
    PIECES_OUTSIDE_HOLD,           // the value of the nearest point
    PIECES_OUTSIDE_EXTRAPOLATE,    // straight on with the slope at the end
    PIECES_OUTSIDE_ERROR,          // not a number
} PiecesOutside;

enum { PIECES_TERMS = 4 };    // coefficients of a piece

// How many breaks there are for n points, and then pieces_n_breaks + 1 pieces.
size_t pieces_n_breaks(PiecesBetween between, PiecesOutside outside, size_t n);
void   pieces_breaks(PiecesBetween between, PiecesOutside outside, const double *x, size_t n, double *breaks);
// The coefficients of all pieces through (x[i], y[i·stride]): c[piece·c_stride + term·term_stride]. n is at
// least 1, x ascends strictly. work: 4·n places.
void pieces_make(PiecesBetween between, PiecesOutside outside, const double *x, const double *y,
                 size_t stride, size_t n, double *c, size_t c_stride, size_t term_stride, double *work);
// The same over a grid of n_x · n_y points, z[i·n_y + j] at (x[i], y[j]), not for PIECES_MONOTONE.
// Coefficient p of x and q of y of the piece (i, j) is c[((i·(y breaks + 1) + j)·PIECES_TERMS +
// p)·PIECES_TERMS + q].
void   pieces_make_grid(PiecesBetween between, PiecesOutside outside, const double *x, size_t n_x,
                        const double *y, size_t n_y, const double *z, double *c);
// One term lower: the derivative of a piece, in place or elsewhere.
void   pieces_derive(const double *c, size_t n_pieces, double *derivative);
// The same along one axis of a grid.
void   pieces_derive_grid(const double *c, size_t n_pieces, bool by_second, double *derivative);
