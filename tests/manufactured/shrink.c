// tests/manufactured/shrink.c: models that are a little simpler than another. Whoever shrinks tries them in
// order, takes the first that still shows what the larger one showed, and begins anew.
#include "manufactured.h"
#include <math.h>
#include <string.h>

// a number of fewer digits: whole, one digit behind the point, two
static double rounded(double x, size_t digits)
{
    const double scale = pow(10, (double)digits);
    const double r = floor(x * scale + 0.5) / scale;
    return r;
}

static size_t of_cell(Cell *cell, double *numbers[])
{
    size_t n = 0;
    numbers[n++] = &cell->amplitude;
    numbers[n++] = &cell->slope;
    numbers[n++] = &cell->offset;
    numbers[n++] = &cell->lambda;
    numbers[n++] = &cell->omega;
    numbers[n++] = &cell->phase;
    return n;
}

static size_t of_term(Term *term, double *numbers[])
{
    size_t n = 0;
    numbers[n++] = &term->weight;
    numbers[n++] = &term->at;
    numbers[n++] = &term->width;
    numbers[n++] = &term->period;
    numbers[n++] = &term->level;
    return n;
}

// the k-th simpler value of one number; false behind the last
static bool simpler_number(double *x, size_t k)
{
    static const double plain[] = { 0, 1 };
    const double before = *x;
    if (k < 2) *x = plain[k];
    else if (k < 5) *x = rounded(*x, k - 2);
    else return false;
    // what is as simple already is left alone
    if (*x == before || before == 0 || (before == 1 && k > 0)) *x = before;
    return true;
}

bool model_simpler(const Model *model, size_t i, Model *simpler)
{
    *simpler = *model;
    // fewer cells, fewer terms, plain scales
    if (i < model->n_cells) {
        if (model->n_cells == 1) return true;
        memmove(&simpler->cells[i], &simpler->cells[i + 1],
                (model->n_cells - i - 1) * sizeof *simpler->cells);
        simpler->n_cells--;
        return true;
    }
    i -= model->n_cells;
    for (size_t c = 0; c < model->n_cells; c++) {
        Cell *cell = &simpler->cells[c];
        if (i < cell->n_terms) {
            memmove(&cell->terms[i], &cell->terms[i + 1], (cell->n_terms - i - 1) * sizeof *cell->terms);
            cell->n_terms--;
            return true;
        }
        i -= cell->n_terms;
    }
    if (i < 2) {
        *(i == 0 ? &simpler->size : &simpler->pace) = 0;
        return true;
    }
    i -= 2;
    // simpler numbers
    for (size_t c = 0; c < model->n_cells; c++) {
        Cell *cell = &simpler->cells[c];
        double *numbers[16];
        size_t n = of_cell(cell, numbers);
        if (i < 5 * n) return simpler_number(numbers[i / 5], i % 5);
        i -= 5 * n;
        for (size_t k = 0; k < cell->n_terms; k++) {
            Term *term = &cell->terms[k];
            if (i == 0) {
                if (term->degree > 0) term->degree--;
                return true;
            }
            if (i == 1) {
                if (term->n_points > 2) term->n_points--;
                return true;
            }
            i -= 2;
            n = of_term(term, numbers);
            if (i < 5 * n) return simpler_number(numbers[i / 5], i % 5);
            i -= 5 * n;
        }
    }
    return false;
}
