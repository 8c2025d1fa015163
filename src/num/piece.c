// src/num/piece.c: see piece.h. Divided differences at nodes that lie closer near the ends, as Chebyshev's
// do.
#include "num/piece.h"
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
