// tests/manufactured/manufactured.h: random models whose exact solution is known because it was chosen first.
//
// A model is a few cells. Each has one state x with the equation
//
//     x' = b'(t) - lambda*(x - b(t)) + sum of weight*u(t)
//
// where b is smooth and each u is piecewise polynomial (a *shape*), written into the text by some construct
// of the language (a *term*): relations on time or on states, functions with corners, tables, delays,
// events. So x is b plus the known response of a filter to polynomials, and an error made once decays, or
// stays if lambda is 0. The structure is plain data: it can be printed, copied and made smaller. It touches
// the public interface only.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_TERMS = 3, MOST_CELLS = 10, MOST_BREAKS = 3000, MOST_POINTS = 5, N_SAMPLES = 41 };

// What u(t) is, whatever it is written with. Times are `at`, `width`, `period` of the term.
typedef enum Shape {
    SHAPE_STEP,            // 0, from `at` on (t - at)^degree
    SHAPE_RAMP,            // the same with degree 1
    SHAPE_SQUARED,         // the same with degree 2
    SHAPE_LATER,           // the same with degree 0, `width` later
    SHAPE_PULSE,           // 1 from `at` for `width`
    SHAPE_TRAIN,           // pulses from `at` on, one each period
    SHAPE_LATER_TRAIN,     // the same, a width later
    SHAPE_ALWAYS,          // pulses at `at` + k*period, since ever
    SHAPE_COUNT,           // how often at + k*period has passed
    SHAPE_FLOOR,           // floor((t - at)/period)
    SHAPE_CEIL,            // ceil((t - at)/period)
    SHAPE_ROUND,           // round(t/period)
    SHAPE_SQUARE,          // 1 while floor(t/period) is even
    SHAPE_WAVE,            // 1 while sin(2 pi (t - at)/period) > level
    SHAPE_ABS,             // |t - at|
    SHAPE_SIGN,            // sign(t - at)
    SHAPE_LIMIT,           // limit(t - at, 0, width)
    SHAPE_MIN,             // min(t - at, width)
    SHAPE_LINES,           // straight lines through points, level outside
    SHAPE_HOLD,            // the value of the point before
    SHAPE_BEND,            // t - at, behind `at` divided by 1.5
    SHAPE_NOTHING,         // 0: what is written cancels on the solution
    SHAPE_KICK,            // no u: x jumps by weight at `at`
    SHAPE_LATER_KICK,      // the same, `width` later
    SHAPE_KICKS,           // no u: x jumps by weight at `at` + k*period, k = 0, 1, …
    SHAPE_THIRD_KICKS,     // no u: x jumps by weight at 3*k*period, k = 1, 2, …
    SHAPE_PERIOD_KICKS,    // no u: x jumps by weight at k*period, k = 1, 2, …
    SHAPE_PERIOD_COUNT,    // how often k*period has passed, k = 1, 2, …
    SHAPE_SET,             // no u: x becomes weight at `at`
    N_SHAPES
} Shape;

typedef struct Term Term;
typedef struct Cell Cell;
typedef struct Model Model;

// One way of writing a shape.
typedef struct Form {
    Shape shape;
    const char *text;          // u(t), with $B for `at` and so on: see write.c. NULL: events alone
    const char *statements;    // what else stands in the cell, or NULL
    const char *outside;       // what stands before the models (tables, atomics), or NULL
    const char *around;        // what stands in the model around the cell, which then is a component; or NULL
} Form;

typedef struct Construct {
    const char *name, *summary;
    const Form *forms;
    size_t n_forms;
    double margin;     // of the switch: how fast what is compared passes; 0: it needs no state
    bool is_alone;     // nothing else in the cell, whose smooth part rises (x itself is compared)
    bool is_island;    // the cell is an island
    int order_most;    // of fixed steps; 0: that of the method
} Construct;

struct Term {
    const Construct *construct;
    size_t form;
    int degree;
    double weight, at, width, period, level;
    double points[MOST_POINTS], values[MOST_POINTS];    // of tables; the first at `at`
    size_t n_points;
};

struct Cell {
    double lambda;
    double offset, slope, amplitude, omega, phase;    // b = offset + slope*t + amplitude*sin(omega*t + phase)
    Term terms[MOST_TERMS];
    size_t n_terms;
};

struct Model {
    uint64_t seed;
    double end;
    int size, pace;    // powers of ten: of values, of time
    Cell cells[MOST_CELLS];
    size_t n_cells;
};

// constructs.c: the table of constructs.
extern const Construct constructs[];
extern const size_t n_constructs;
const Construct *construct_find(const char *name);    // NULL if there is none

// generate.c: one model of a construct, or of several at once (`construct` NULL); equal seeds give equal
// models.
Model model_draw(uint64_t seed, const Construct *construct);
bool model_has(const Model *model, const Construct *construct);

// write.c: its text; freed with free().
char *model_write(const Model *model);
// The name of the state of a cell, as runs know it.
void cell_name(const Model *model, size_t cell, char name[32]);

// exact.c: the solution.
typedef struct Path {
    size_t n;
    double lambda;
    double t[MOST_BREAKS], y[MOST_BREAKS], u[MOST_BREAKS][3];    // from t[i] on: y there, u as a polynomial
} Path;
double term_value(const Term *term, double t);
size_t term_breaks(const Term *term, double end, double *breaks);    // ascending, in (0, end]
bool term_kicks(const Term *term);
double cell_base(const Cell *cell, double t);
void cell_path(const Cell *cell, double end, Path *path);
double path_value(const Path *path, const Cell *cell, double t);    // in units of size and pace
// Is the structure one of those whose solution is known: margins, order of times?
bool model_is_valid(const Model *model);
// How much larger than the error of a step that of x may be.
double model_condition(const Model *model);

// shrink.c: the i-th model that is a little simpler; false behind the last.
bool model_simpler(const Model *model, size_t i, Model *simpler);
