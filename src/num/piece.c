// src/num/piece.c: see piece.h. Divided differences at nodes that lie closer near the ends, as Chebyshev's
// do.
#include "num/piece.h"
#include "num/root.h"
#include <float.h>
#include <math.h>

const double piece_nodes[PIECE_TERMS] = { 0, 0.1, 0.35, 0.65, 0.9, 1 };
const double piece_checks[PIECE_CHECKS] = { 0.22, 0.78 };

#define ROUNDING (8 * DBL_EPSILON)    // of a value, relative to the largest

double piece_at(const double c[PIECE_TERMS], double d)
{
    double value = c[PIECE_TERMS - 1];
    for (int k = PIECE_TERMS - 2; k >= 0; k--) value = value * d + c[k];
    return value;
}

void piece_through(const double values[PIECE_TERMS], int n_terms, double h, double c[PIECE_TERMS])
{
    static const int all[] = { 0, 1, 2, 3, 4, 5 }, few[] = { 0, 2, 3, 5 };
    const int *which = n_terms < PIECE_TERMS ? few : all;
    double difference[PIECE_TERMS], noise[PIECE_TERMS], node[PIECE_TERMS], most = 0;
    // by differences from the first value, which are small where steps are small
    for (int i = 0; i < n_terms; i++) {
        node[i] = piece_nodes[which[i]];
        difference[i] = values[which[i]] - values[0];
        most = fmax(most, fabs(values[which[i]]));
    }
    for (int i = 0; i < n_terms; i++) noise[i] = ROUNDING * most;
    int degree = 0;
    for (int k = 1; k < n_terms; k++) {
        for (int i = n_terms - 1; i >= k; i--) {
            const double width = node[i] - node[i - k];
            difference[i] = (difference[i] - difference[i - 1]) / width;
            noise[i] = (noise[i] + noise[i - 1]) / width;
        }
    }
    for (int k = 1; k < n_terms; k++)
        if (!(fabs(difference[k]) <= noise[k])) degree = k;
    // Newton's form multiplied out, from the last difference
    for (int k = 0; k < PIECE_TERMS; k++) c[k] = 0;
    for (int k = degree; k >= 0; k--) {
        for (int i = degree; i > 0; i--) c[i] = c[i - 1] - node[k] * c[i];
        c[0] = difference[k] - node[k] * c[0];
    }
    double scale = 1;
    for (int k = 1; k <= degree; k++) c[k] *= scale /= h;
    c[0] += values[0];
}

double piece_integral(const double c[PIECE_TERMS], double from, double to)
{
    double at_from = 0, at_to = 0;
    for (int k = PIECE_TERMS - 1; k >= 0; k--) {
        at_from = (at_from + c[k] / (k + 1)) * from;
        at_to = (at_to + c[k] / (k + 1)) * to;
    }
    return at_to - at_from;
}

void piece_slope(const double c[PIECE_TERMS], double slope[PIECE_TERMS])
{
    for (int k = 1; k < PIECE_TERMS; k++) slope[k - 1] = k * c[k];
    slope[PIECE_TERMS - 1] = 0;
}

static double value_of(void *context, double d) { return piece_at(context, d); }

// Between two places where the slope crosses 0 a polynomial crosses 0 once or not at all: from the straight
// line, the last derivative that is left, up to the polynomial itself.
int piece_crossings(const double c[PIECE_TERMS], double level, double h, double at[PIECE_TERMS])
{
    double derivatives[PIECE_TERMS][PIECE_TERMS], turns[PIECE_TERMS];
    int n_turns = 0;
    for (int k = 0; k < PIECE_TERMS; k++) derivatives[0][k] = c[k] - (k == 0 ? level : 0);
    for (int k = 1; k < PIECE_TERMS; k++) piece_slope(derivatives[k - 1], derivatives[k]);
    for (int k = PIECE_TERMS - 2; k >= 0; k--) {
        int n = 0;
        double from = 0, f_from = derivatives[k][0];
        for (int i = 0; i <= n_turns; i++) {
            const double to = i < n_turns ? turns[i] : h, f_to = piece_at(derivatives[k], to);
            Root root;
            if (f_from != 0 && f_to != 0 &&
                root_find(value_of, derivatives[k], from, f_from, to, f_to, &root))
                at[n++] = root.after;
            else if (f_to == 0 && f_from != 0 && i < n_turns) continue;    // on it: seen from the other side
            from = to;
            f_from = f_to;
        }
        for (int i = 0; i < n; i++) turns[i] = at[i];
        n_turns = n;
    }
    return n_turns;
}
