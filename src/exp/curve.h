// src/exp/curve.h: a variable over time as it was told by pieces: what a picture is drawn from.
//
// Pieces are kept as they are. When they have become very many, they are turned into points, and of these
// those stay that a picture shows: whatever the length of a run, its curve has a size that is bounded.
#pragma once
#include "base/arena.h"
#include "figure/figure.h"
#include "orrery/experiment.h"

typedef struct CurvePiece {
    double t, c[ORR_PIECE_TERMS];    // until the next piece
} CurvePiece;

typedef struct Curve {               // {0} is an empty one
    CurvePiece *pieces;              // [n_pieces] heap
    size_t      n_pieces, capacity;
    double     *t, *y;               // [n_points] heap: what came before
    size_t      n_points;
} Curve;

void curve_add(Curve *curve, const orr_piece *piece);
// The run ended at t, and another one begins, which is not joined with it.
void curve_break(Curve *curve, double t);
// As a path up to t_end, in the arena; empty if there are no pieces.
FigurePath curve_path(const Curve *curve, double t_end, Arena *arena);
// x and y of two paths over the same time, in the arena.
FigurePath curve_phase(const FigurePath *x, const FigurePath *y, Arena *arena);
void curve_free(Curve *curve);
