// src/run/island.c: evaluating the equations of an island.
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

// All exponents at once, without a branch: an infinity or a NaN has all its exponent bits set.
bool island_is_finite(const double *x, size_t n)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (uint64_t)((bits & exponent) == exponent);
    }
    return bad == 0;
}

void island_fault(Island *island, FaultKind kind, uint32_t block, double t, const double *x)
{
    Fault *fault = &island->fault;
    fault->kind = kind;
    fault->block = block;
    fault->t = t;
    memcpy(fault->x, x, island->model->n_states * sizeof *x);
}

bool island_rates(Island *island, double t, const double *x, double *dx)
{
    const orr_model *model = island->model;
    island->n_rates++;
    const int failed = island->surface.is_on ? surface_rates(island, t, x, dx)
                                             : code_call(&model->code, IR_RATES, t, x, &island->env, dx);
    if (!failed && island_is_finite(dx, model->n_states)) return true;
    island_fault(island, failed ? FAULT_LOOP : FAULT_VALUE, failed ? (uint32_t)failed - 1 : 0, t, x);
    return false;
}

bool island_rates_aside(Island *island, double t, const double *x, double *dx)
{
    const orr_model *model = island->model;
    const IrLayout *layout = &model->ir.layout;
    double *guesses = island->env.v + layout->first_guess;
    const size_t size = layout->n_guesses * sizeof *guesses;
    memcpy(island->guesses_aside, guesses, size);
    const int failed = island->surface.is_on ? surface_rates(island, t, x, dx)
                                             : code_call(&model->code, IR_RATES, t, x, &island->env, dx);
    memcpy(guesses, island->guesses_aside, size);
    return !failed;
}

bool island_relations(Island *island, double t, const double *x, double *out)
{
    const int failed = code_call(&island->model->code, IR_RELATIONS, t, x, &island->env, out);
    if (island->surface.is_on) surface_patch(island, out);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, t, x);
    return false;
}

double *island_modes(const Island *island) { return island->env.v + island->model->ir.layout.first_mode; }

uint32_t island_fastest_state(Island *island, double t, const double *x)
{
    const orr_model *model = island->model;
    Arena scratch = { 0 };
    double *dx = ARENA_ARRAY(&scratch, double, model->n_states);
    const bool known = island_rates_aside(island, t, x, dx);
    uint32_t fastest = 0;
    double most = -1;
    for (uint32_t i = 0; known && i < model->n_states; i++) {
        const double scale = island->options.absolute + island->options.tolerance * fabs(x[i]);
        // a NaN counts as fastest of all
        const double speed = isnan(dx[i]) ? INFINITY : fabs(dx[i]) / scale;
        if (speed > most) {
            most = speed;
            fastest = i;
        }
    }
    arena_free(&scratch);
    return fastest;
}

const char *island_fastest(Island *island, double t, const double *x)
{
    const orr_model *model = island->model;
    if (model->n_states == 0) return "t";
    return model_state_name(model, island_fastest_state(island, t, x));
}
