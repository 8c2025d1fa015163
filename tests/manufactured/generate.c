// tests/manufactured/generate.c: numbers of a manufactured model, drawn from its seed.
#include "dice.h"
#include "manufactured.h"
#include <math.h>
#include <string.h>

static double between(uint64_t *dice, double low, double high)
{
    return low + (high - low) * (random_number(dice) - 0.5);
}

// mostly a number as people write it, with few digits
static double written(uint64_t *dice, double low, double high)
{
    const double x = between(dice, low, high);
    const uint32_t digits = random_below(dice, 5);
    if (digits == 4) return x;
    const double scale = pow(10, digits == 0 ? 1 : digits);
    const double rounded = floor(x * scale + 0.5) / scale;
    return rounded >= low && rounded <= high ? rounded : x;
}

static double sized(uint64_t *dice, double low, double high)    // evenly over the powers of ten, two digits
{
    const double x = pow(10, between(dice, log10(low), log10(high))), unit = pow(10, floor(log10(x)) - 1);
    return fmax(low, floor(x / unit + 0.5) * unit);
}

static Term term_draw(uint64_t *dice, const Construct *construct, double end)
{
    Term term = { .construct = construct };
    term.form = random_below(dice, (uint32_t)construct->n_forms);
    const Shape shape = construct->forms[term.form].shape;
    const bool only_time = construct->margin == 0;
    term.degree = (int)random_below(dice, 3);
    term.at = written(dice, 0.05 * end, 0.7 * end);
    term.period = written(dice, only_time ? 0.02 * end : 0.1 * end, 0.35 * end);
    if (shape == SHAPE_THIRD_KICKS || shape == SHAPE_PERIOD_KICKS) {
        static const double periods[] = { 0.1, 0.2, 0.7, 0.3, 1.1, 0.05 };
        term.period = periods[random_below(dice, 6)];
    }
    term.width = only_time ? sized(dice, 1e-4 * end, 0.1 * end) : sized(dice, 0.02 * end, 0.1 * end);
    if (shape == SHAPE_LIMIT || shape == SHAPE_MIN || shape == SHAPE_NOTHING)
        term.width = written(dice, 0.03 * end, 0.2 * end);
    term.period = fmax(term.period, 1.5 * term.width);
    term.level = floor(100 * between(dice, -0.9, only_time ? 0.99 : 0.97)) / 100;
    // half of the waves rise only a little above their level
    if (shape == SHAPE_WAVE && random_below(dice, 2))
        term.level = 0.9 + floor(between(dice, 0, only_time ? 95 : 70)) / 1000;
    if (shape == SHAPE_WAVE)
        term.period = only_time ? sized(dice, 0.01 * end, 0.4 * end) : written(dice, 0.05 * end, 0.4 * end);
    // what each does to x is of the order of 1
    term.weight = written(dice, 0.3, 1.5) * (random_below(dice, 2) ? 1 : -1);
    switch (shape) {
    case SHAPE_PULSE: term.weight /= term.width; break;
    case SHAPE_TRAIN:
    case SHAPE_LATER_TRAIN:
    case SHAPE_ALWAYS: term.weight /= term.width * fmax(1, 0.3 * (end - term.at) / term.period); break;
    case SHAPE_COUNT:
    case SHAPE_FLOOR:
    case SHAPE_CEIL:
    case SHAPE_ROUND:
    case SHAPE_PERIOD_COUNT: term.weight *= term.period / end; break;
    case SHAPE_PERIOD_KICKS:
    case SHAPE_THIRD_KICKS:
    case SHAPE_KICKS: term.weight *= fmin(1, 5 * term.period / end); break;
    case SHAPE_STEP: term.weight *= term.degree == 2 ? 0.1 : term.degree == 1 ? 0.3 : 1; break;
    case SHAPE_SQUARED: term.weight *= 0.1; break;
    case SHAPE_WAVE: term.weight /= acos(term.level) * end / 3; break;
    default: break;
    }
    if (construct->is_alone) term.weight = fabs(term.weight);
    term.n_points = 2 + random_below(dice, MOST_POINTS - 1);
    for (size_t i = 0; i < term.n_points; i++) {
        term.points[i] = i == 0 ? term.at : term.points[i - 1] + sized(dice, 2e-3 * end, 0.1 * end);
        term.values[i] = written(dice, -2, 2);
    }
    return term;
}

// Sometimes a time of one term is that of another, or next to it.
static void meet(uint64_t *dice, Term *term, const Term *other)
{
    static const double apart[] = { 0, 0, 1e-13, 1e-10, 1e-7, 1e-4 };
    if (random_below(dice, 3) != 0) return;
    const double shift = term->n_points ? other->at + apart[random_below(dice, 6)] - term->at : 0;
    term->at += shift;
    for (size_t i = 0; i < term->n_points; i++) term->points[i] += shift;
}

static Cell cell_draw(uint64_t *dice, const Construct *construct, double end)
{
    Cell cell = { .lambda = random_below(dice, 3) ? written(dice, 0.3, 2) : 0 };
    const bool is_alone = construct && construct->is_alone;
    cell.offset = written(dice, -1, 1);
    cell.slope = is_alone ? written(dice, 0.3, 1) : random_below(dice, 2) ? written(dice, -0.2, 0.2) : 0;
    const bool has_delay = construct && strcmp(construct->name, "delay_self") == 0;
    if (has_delay) cell.lambda = written(dice, 0.5, 2);
    cell.amplitude = has_delay || (!is_alone && random_below(dice, 2)) ? written(dice, 0.2, 1) : 0;
    cell.omega = written(dice, 0.5, 3);
    cell.phase = written(dice, 0, 3);
    cell.n_terms = is_alone ? 1 : 1 + random_below(dice, MOST_TERMS);
    for (size_t i = 0; i < cell.n_terms; i++) {
        const Construct *of = construct;
        while (!of || (!construct && (of->is_alone || of->is_island)))
            of = &constructs[random_below(dice, (uint32_t)n_constructs)];
        cell.terms[i] = term_draw(dice, of, end);
        if (i > 0) meet(dice, &cell.terms[i], &cell.terms[0]);
    }
    return cell;
}

Model model_draw(uint64_t seed, const Construct *construct)
{
    Model model = { .seed = seed, .end = 10 };
    uint64_t dice = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (construct) dice += (uint64_t)(construct - constructs) * UINT64_C(0xbf58476d1ce4e5b9);
    do {
        model.n_cells = construct ? 1 : 1 + random_below(&dice, 3);
        for (size_t i = 0; i < model.n_cells; i++) model.cells[i] = cell_draw(&dice, construct, model.end);
    } while (!model_is_valid(&model));
    return model;
}

bool model_has(const Model *model, const Construct *construct)
{
    for (size_t c = 0; c < model->n_cells; c++)
        for (size_t i = 0; i < model->cells[c].n_terms; i++)
            if (model->cells[c].terms[i].construct == construct) return true;
    return false;
}
