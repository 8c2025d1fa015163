// tests/manufactured/exact.c: the solution of a manufactured model, in closed form from break to break.
//
// Between two breaks every u is a polynomial of degree 2 at most, so y = x - b is a polynomial and an
// exponential.
#include "manufactured.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double lines(const Term *term, double t, bool is_held)
{
    size_t i = 0;
    while (i + 1 < term->n_points && t >= term->points[i + 1]) i++;
    if (t < term->points[0] || i + 1 == term->n_points || is_held) return term->values[i];
    const double s = (t - term->points[i]) / (term->points[i + 1] - term->points[i]);
    return term->values[i] + s * (term->values[i + 1] - term->values[i]);
}

static Shape shape_of(const Term *term) { return term->construct->forms[term->form].shape; }

// u(t), without its weight; inside of a piece.
double term_value(const Term *term, double t)
{
    const double d = t - term->at, late = d - term->width, phase = d - term->period * floor(d / term->period);
    switch (shape_of(term)) {
    case SHAPE_STEP: return d < 0 ? 0 : term->degree == 0 ? 1 : term->degree == 1 ? d : d * d;
    case SHAPE_RAMP: return d < 0 ? 0 : d;
    case SHAPE_SQUARED: return d < 0 ? 0 : d * d;
    case SHAPE_LATER: return late >= 0;
    case SHAPE_PULSE: return d >= 0 && late < 0;
    case SHAPE_TRAIN: return d >= 0 && phase < term->width;
    case SHAPE_LATER_TRAIN:
        return late >= 0 && late - term->period * floor(late / term->period) < term->width;
    case SHAPE_ALWAYS: return phase < term->width;
    case SHAPE_COUNT: return d < 0 ? 0 : 1 + floor(d / term->period);
    case SHAPE_FLOOR: return floor(d / term->period);
    case SHAPE_CEIL: return ceil(d / term->period);
    case SHAPE_ROUND: return floor(t / term->period + 0.5);
    case SHAPE_SQUARE: return fmod(floor(t / term->period), 2) == 0;
    case SHAPE_WAVE: return sin(2 * PI * d / term->period) > term->level;
    case SHAPE_ABS: return fabs(d);
    case SHAPE_SIGN: return d > 0 ? 1 : -1;
    case SHAPE_LIMIT: return fmin(fmax(d, 0), term->width);
    case SHAPE_MIN: return fmin(d, term->width);
    case SHAPE_LINES: return lines(term, t, false);
    case SHAPE_HOLD: return lines(term, t, true);
    case SHAPE_BEND: return d < 0 ? d : d / 1.5;
    case SHAPE_PERIOD_COUNT: return floor(t / term->period);
    default: return 0;
    }
}

// ---- Breaks

typedef struct Breaks {
    double *at, end;
    size_t n;
} Breaks;

static void add(Breaks *b, double t)
{
    if (t > 0 && t <= b->end * (1 + 1e-15) && b->n < MOST_BREAKS - 2) b->at[b->n++] = fmin(t, b->end);
}

// origin + k*period and the same a width later
static void add_train(Breaks *b, double origin, double period, double first, double width)
{
    for (double k = first; origin + k * period <= b->end * (1 + 1e-15) && b->n < MOST_BREAKS - 2; k++) {
        add(b, origin + k * period);
        if (width > 0) add(b, origin + k * period + width);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t term_breaks(const Term *term, double end, double *breaks)
{
    Breaks b = { .at = breaks, .end = end };
    const double before = -ceil(end / term->period) - 2, rise = asin(term->level) * term->period / (2 * PI);
    switch (shape_of(term)) {
    case SHAPE_LATER:
    case SHAPE_LATER_KICK: add(&b, term->at + term->width); break;
    case SHAPE_PULSE:
    case SHAPE_MIN:
    case SHAPE_LIMIT:
        add(&b, term->at);
        add(&b, term->at + term->width);
        break;
    case SHAPE_TRAIN: add_train(&b, term->at, term->period, 0, term->width); break;
    case SHAPE_LATER_TRAIN: add_train(&b, term->at + term->width, term->period, 0, term->width); break;
    case SHAPE_ALWAYS: add_train(&b, term->at, term->period, before, term->width); break;
    case SHAPE_COUNT:
    case SHAPE_KICKS: add_train(&b, term->at, term->period, 0, 0); break;
    case SHAPE_FLOOR:
    case SHAPE_CEIL: add_train(&b, term->at, term->period, before, 0); break;
    case SHAPE_ROUND: add_train(&b, 0.5 * term->period, term->period, 0, 0); break;
    case SHAPE_SQUARE:
    case SHAPE_PERIOD_COUNT:
    case SHAPE_PERIOD_KICKS: add_train(&b, 0, term->period, 1, 0); break;
    case SHAPE_THIRD_KICKS: add_train(&b, 0, 3 * term->period, 1, 0); break;
    case SHAPE_WAVE: add_train(&b, term->at + rise, term->period, before, term->period / 2 - 2 * rise); break;
    case SHAPE_LINES:
    case SHAPE_HOLD:
        for (size_t i = 0; i < term->n_points; i++) add(&b, term->points[i]);
        break;
    case SHAPE_NOTHING: add(&b, term->width); break;
    default: add(&b, term->at);
    }
    qsort(breaks, b.n, sizeof *breaks, ascending);
    return b.n;
}

bool term_kicks(const Term *term)
{
    switch (shape_of(term)) {
    case SHAPE_KICK:
    case SHAPE_LATER_KICK:
    case SHAPE_KICKS:
    case SHAPE_THIRD_KICKS:
    case SHAPE_PERIOD_KICKS:
    case SHAPE_SET: return true;
    default: return false;
    }
}

// ---- Cells

double cell_base(const Cell *cell, double t)
{
    return cell->offset + cell->slope * t + cell->amplitude * sin(cell->omega * t + cell->phase);
}

// u in powers of (t - from), valid in the piece from..to: the polynomial through three points inside.
static void piece_of(const Cell *cell, double from, double to, double u[3])
{
    const double h = (to - from) / 4;
    double at[3] = { 0 };
    for (size_t i = 0; i < cell->n_terms; i++) {
        const Term *term = &cell->terms[i];
        if (term_kicks(term)) continue;
        for (int k = 0; k < 3; k++) at[k] += term->weight * term_value(term, from + (k + 1) * h);
    }
    const double second = (at[0] - 2 * at[1] + at[2]) / 2,
                 first = (at[2] - at[0]) / 2;    // around the middle, in units of h
    // too short for slopes to count
    if (to - from < 1e-8) {
        u[0] = at[1];
        u[1] = u[2] = 0;
        return;
    }
    u[2] = second / (h * h);
    u[1] = (first - 4 * second) / h;
    u[0] = at[1] - 2 * first + 4 * second;
}

// y after s in a piece
static double response(double lambda, double y, const double u[3], double s)
{
    if (lambda == 0) return y + s * (u[0] + s * (u[1] / 2 + s * u[2] / 3));
    const double p2 = u[2] / lambda, p1 = (u[1] - 2 * p2) / lambda, p0 = (u[0] - p1) / lambda;
    return (y - p0) * exp(-lambda * s) + p0 + s * (p1 + s * p2);
}

void cell_path(const Cell *cell, double end, Path *path)
{
    static double own[MOST_BREAKS];
    path->n = 0;
    path->lambda = cell->lambda;
    path->t[path->n++] = 0;
    for (size_t i = 0; i < cell->n_terms; i++) {
        const size_t n = term_breaks(&cell->terms[i], end, own);
        for (size_t k = 0; k < n && path->n < MOST_BREAKS - 1; k++) path->t[path->n++] = own[k];
    }
    qsort(path->t, path->n, sizeof *path->t, ascending);
    double y = 0;
    size_t n = 0;
    for (size_t i = 0; i < path->n; i++) {
        const double from = path->t[i];
        if (i > 0) {
            y = response(cell->lambda, path->y[n - 1], path->u[n - 1], from - path->t[n - 1]);
            for (size_t k = 0; k < cell->n_terms; k++) {
                const Term *term = &cell->terms[k];
                if (!term_kicks(term)) continue;
                const size_t n_own = term_breaks(term, end, own);
                // a break that two terms share stands here twice: each has its kick once
                for (size_t j = 0; j < n_own; j++)
                    if (own[j] == from && (path->t[i - 1] != from || i == 1))
                        y = shape_of(term) == SHAPE_SET ? term->weight - cell_base(cell, from)
                                                        : y + term->weight;
            }
        }
        const double to = i + 1 < path->n ? path->t[i + 1] : end;
        if (n > 0 && path->t[n - 1] == from && i > 0) n--;
        path->t[n] = from;
        path->y[n] = y;
        if (to > from) piece_of(cell, from, to, path->u[n]);
        else memset(path->u[n], 0, sizeof path->u[n]);
        n++;
    }
    path->n = n;
}

double path_value(const Path *path, const Cell *cell, double t)
{
    size_t i = 0;
    while (i + 1 < path->n && path->t[i + 1] <= t) i++;
    return cell_base(cell, t) + response(path->lambda, path->y[i], path->u[i], t - path->t[i]);
}

// ---- Which structures have a solution that is known

static bool term_is_valid(const Term *term, double end)
{
    const bool waits = term->construct->margin > 0 || term->construct->is_alone;
    if (!(term->at >= 0 && term->at < end && term->width > 0 && term->period > 0 && term->weight != 0))
        return false;
    if (term->width >= term->period) return false;
    if (waits && term->at < 0.01 * end) return false;    // not at the start
    if (fabs(term->level) > 0.999) return false;
    for (size_t i = 0; i + 1 < term->n_points; i++)
        if (term->points[i + 1] - term->points[i] < 1e-3) return false;
    if (shape_of(term) == SHAPE_THIRD_KICKS || shape_of(term) == SHAPE_ROUND)
        return term->period >= 0.02 * end / 10;
    return end / term->period < 400;
}

bool model_is_valid(const Model *model)
{
    if (model->n_cells == 0 || !(model->end > 0)) return false;
    for (size_t c = 0; c < model->n_cells; c++) {
        const Cell *cell = &model->cells[c];
        size_t n_kicking = 0;
        for (size_t i = 0; i < cell->n_terms; i++) {
            const Term *term = &cell->terms[i];
            if (!term_is_valid(term, model->end)) return false;
            n_kicking += term_kicks(term);
            if (!term->construct->is_alone) continue;
            if (cell->n_terms > 1) return false;
            // the delay of x must not undo the contraction; x that is compared rises through its level,
            // whatever is added
            if (shape_of(term) == SHAPE_NOTHING) {
                if (cell->lambda == 0) return false;
            } else if (cell->amplitude != 0 || term->weight < 0 || cell->slope < 0.25) return false;
        }
        if (n_kicking > 1) return false;
    }
    return true;
}

double model_condition(const Model *model)
{
    double condition = 1;
    for (size_t c = 0; c < model->n_cells; c++) {
        for (size_t i = 0; i < model->cells[c].n_terms; i++) {
            const Term *term = &model->cells[c].terms[i];
            if (term->construct->margin > 0) condition += fabs(term->weight) * (1 + term->degree);
            // a sine passes its level the slower, the nearer that is to the top
            if (shape_of(term) == SHAPE_WAVE)
                condition += 2 * model->end * fabs(term->weight) /
                             (2 * PI * sqrt(1 - term->level * term->level));
        }
    }
    return condition;
}
