// src/exp/curve.c: see curve.h.
#include "exp/curve.h"
#include "num/piece.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECES_MAX = 16384,    // before they become points
    POINTS_MAX = 65536,    // before some of them are dropped
    PARTS_MAX = 100,       // lines for one piece
};
#define FINE 3e-4    // part of the range of values by which a line may miss the curve

static void put_points(FigurePath *p, double t, double y)
{
    if (p->n > 0 && p->x[p->n - 1] == t && p->y[p->n - 1] == y) return;
    p->x[p->n] = t;
    p->y[p->n++] = y;
}

// Lines that stay near a piece of length h: by the most that it can bend.
static int n_parts(const double *c, double h, double near)
{
    const double bend = 2 * fabs(c[2]) + h * (6 * fabs(c[3]) + h * (12 * fabs(c[4]) + h * 20 * fabs(c[5])));
    const double n = near > 0 ? ceil(h * sqrt(bend / (8 * near))) : PARTS_MAX;
    return bend == 0 || !(n >= 1) ? 1 : n < PARTS_MAX ? (int)n : PARTS_MAX;
}

static double range_of(const Curve *curve)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < curve->n_points; i++) low = fmin(low, curve->y[i]), high = fmax(high, curve->y[i]);
    for (size_t i = 0; i < curve->n_pieces; i++) {
        const CurvePiece *piece = &curve->pieces[i];
        low = fmin(low, piece->c[0]), high = fmax(high, piece->c[0]);
        if (i + 1 == curve->n_pieces) continue;
        const double end = piece_at(piece->c, 0.5 * (piece[1].t - piece->t));
        low = fmin(low, end), high = fmax(high, end);
    }
    return high - low;
}

FigurePath curve_path(const Curve *curve, double t_end, Arena *arena)
{
    const double near = FINE * range_of(curve);
    size_t room = curve->n_points + 2;
    for (size_t i = 0; i < curve->n_pieces; i++) {
        const CurvePiece *piece = &curve->pieces[i];
        const double end = i + 1 < curve->n_pieces ? piece[1].t : t_end;
        room += (size_t)n_parts(piece->c, end - piece->t, near) + 1;
    }
    FigurePath p = { ARENA_ARRAY(arena, double, room), ARENA_ARRAY(arena, double, room), curve->n_points };
    if (p.n) memcpy(p.x, curve->t, p.n * sizeof *p.x);
    if (p.n) memcpy(p.y, curve->y, p.n * sizeof *p.y);
    for (size_t i = 0; i < curve->n_pieces; i++) {
        const CurvePiece *piece = &curve->pieces[i];
        const double end = fmin(i + 1 < curve->n_pieces ? piece[1].t : t_end, t_end), h = end - piece->t;
        if (isnan(piece->c[0])) put_points(&p, NAN, NAN);
        if (isnan(piece->c[0]) || !(h > 0)) continue;
        const int n = n_parts(piece->c, h, near);
        put_points(&p, piece->t, piece->c[0]);
        for (int k = 1; k <= n; k++)
            put_points(&p, k < n ? piece->t + h * k / n : end, piece_at(piece->c, h * k / n));
    }
    return p;
}

// Pieces so far become points, of which the less important are dropped.
static void flatten(Curve *curve)
{
    Arena arena = { 0 };
    const CurvePiece last = curve->pieces[curve->n_pieces - 1];
    const FigurePath path = curve_path(curve, last.t, &arena);
    const orr_series line = { .kind = ORR_SERIES_LINE, .x = path.x, .y = path.y, .n = path.n };
    const FigurePath kept = path.n > POINTS_MAX ? figure_path(&line, POINTS_MAX / 2, &arena) : path;
    curve->t = realloc(curve->t, kept.n * sizeof *curve->t);
    curve->y = realloc(curve->y, kept.n * sizeof *curve->y);
    if (!curve->t || !curve->y) arena_no_memory(kept.n * sizeof *curve->t);
    memcpy(curve->t, kept.x, kept.n * sizeof *curve->t);
    memcpy(curve->y, kept.y, kept.n * sizeof *curve->y);
    curve->n_points = kept.n;
    curve->pieces[0] = last;
    curve->n_pieces = 1;
    arena_free(&arena);
}

static void add(Curve *curve, CurvePiece piece)
{
    if (curve->n_pieces == PIECES_MAX) flatten(curve);
    if (curve->n_pieces == curve->capacity) {
        curve->capacity = curve->capacity ? 2 * curve->capacity : 64;
        curve->pieces = realloc(curve->pieces, curve->capacity * sizeof *curve->pieces);
        if (!curve->pieces) arena_no_memory(curve->capacity * sizeof *curve->pieces);
    }
    curve->pieces[curve->n_pieces++] = piece;
}

void curve_add(Curve *curve, const orr_piece *piece)
{
    CurvePiece own = { .t = piece->t };
    memcpy(own.c, piece->c, sizeof own.c);
    add(curve, own);
}

void curve_break(Curve *curve, double t)
{
    if (curve->n_pieces) add(curve, (CurvePiece){ t, { NAN } });
}

FigurePath curve_phase(const FigurePath *x, const FigurePath *y, Arena *arena)
{
    const size_t room = x->n + y->n;
    FigurePath p = { ARENA_ARRAY(arena, double, room), ARENA_ARRAY(arena, double, room), 0 };
    const FigurePath *const both[] = { x, y };
    size_t at[2] = { 0, 0 };    // points of each that have been passed
    while (x->n && y->n) {
        // the time of the next point of either; both may have one
        double next = INFINITY, now[2];
        for (int k = 0; k < 2; k++)
            if (at[k] < both[k]->n) next = fmin(next, both[k]->x[at[k]]);
        if (isinf(next)) break;
        for (int k = 0; k < 2; k++) {
            const FigurePath *f = both[k];
            const size_t i = at[k];
            if (i < f->n && f->x[i] == next) now[k] = f->y[at[k]++];
            else if (i == 0) now[k] = f->y[0];
            else if (i == f->n) now[k] = f->y[i - 1];
            else
                now[k] = f->y[i - 1] +
                         (next - f->x[i - 1]) / (f->x[i] - f->x[i - 1]) * (f->y[i] - f->y[i - 1]);
        }
        put_points(&p, now[0], now[1]);
    }
    return p;
}

void curve_free(Curve *curve)
{
    free(curve->pieces);
    free(curve->t);
    free(curve->y);
    *curve = (Curve){ 0 };
}
