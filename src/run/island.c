// src/run/island.c: who is to be named when an island fails.
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>

uint32_t island_fastest_state(Island *island, double t, const double *x)
{
    const orr_model *model = island->model;
    Arena scratch = { 0 };
    double *dx = ARENA_ARRAY(&scratch, double, model->n_states);
    const bool known = island_rates_aside(island, t, x, dx);
    uint32_t fastest = 0;
    double most = -1;
    for (uint32_t i = 0; known && i < model->n_states; i++) {
        const double scale = island->absolute[i] + island->options.tolerance * fabs(x[i]);
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
