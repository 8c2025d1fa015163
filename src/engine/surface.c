// src/engine/surface.c: rates and values where the solution follows surfaces.
//
// Sliding, see slide.c: a solution that can only follow the surface where a relation changes.
// Contacts, see contact.c: a solution that an event holds on a surface.
#include "engine/host.h"

enum { SURFACE_HALVINGS = 60 };

double surface_scale(const Island *island)
{
    // the time so far: how long the run will last says nothing about what happens now
    const double so_far = fmax(fabs(island->t), island->t - island->t_begin);
    return so_far > 0 ? so_far : fmin(1, island->options.t_end - island->t_begin);
}

void surface_start(Island *island)
{
    Surface *s = &island->surface;
    if (island->tables->n_relations == 0) return;
    s->is_on = s->slides = s->ends = false;
    s->n_surfaces = 0;
    for (uint32_t k = 0; k < island->tables->n_relations; k++) s->surface_of[k] = SURFACE_NONE;
    contact_start(island);
}

// ---- Rates

int surface_plain_rates(Island *island, double t, const double *x, double *dx)
{
    return engine_call(island, IR_RATES, t, x, dx);
}

bool surface_slopes(Island *island, double t, const double *x, const double *dx, const size_t *relations,
                    size_t n, double probe, double *slopes)
{
    Surface *s = &island->surface;
    for (int i = 0; i < 2; i++) {
        const double h = i ? probe : -probe;
        for (size_t k = 0; k < island->tables->n_states; k++) s->x[k] = x[k] + h * dx[k];
        if (engine_call(island, IR_RELATIONS, t + h, s->x, s->relations[0]) != 0)
            return false;
        for (size_t k = 0; k < n; k++) {
            const double g = s->relations[0][2 * relations[k]];
            slopes[k] = i ? (g - slopes[k]) / (2 * probe) : g;
        }
    }
    return true;
}

int surface_rates(Island *island, double t, const double *x, double *dx)
{
    const Surface *s = &island->surface;
    if (s->n_resting) return contact_rates(island, t, x, dx);
    return s->slides ? slide_rates(island, t, x, dx) : surface_plain_rates(island, t, x, dx);
}

void surface_patch(const Island *island, double *relations)
{
    const Surface *s = &island->surface;
    const double *modes = island_modes(island);
    for (size_t k = 0; k < island->tables->n_relations; k++)
        if (s->surface_of[k] != SURFACE_NONE || s->resting[k]) relations[2 * k + 1] = modes[k];
}

int surface_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const EngineTables *tables = island->tables;
    int failed = surface_rates(island, t, x, s->dx);
    if (!failed)
        failed = s->slides ? slide_values(island, t, x) : engine_call(island, IR_VALUES, t, x, NULL);
    // rates among the variables are what they are on the surface
    for (uint32_t i = 0; i < tables->n_rates && !failed; i++) {
        const EngineSpan *rate = &tables->rates[i];
        for (uint32_t k = 0; k < rate->n; k++)
            island->env.v[rate->place + k] = s->dx[rate->state + k * rate->step];
    }
    return failed;
}

double surface_locate(Island *island, double t_lo, double t_hi, LocateState state, void *context,
                      bool (*is_over)(Island *island, double t, const double *x))
{
    double lo = t_lo, hi = t_hi;
    for (int i = 0; i < SURFACE_HALVINGS; i++) {
        const double middle = lo + 0.5 * (hi - lo);
        if (!(middle > lo && middle < hi) || !state(context, middle, island->x_event)) break;
        if (is_over(island, middle, island->x_event)) hi = middle;
        else lo = middle;
    }
    state(context, hi, island->x_event);
    return hi;
}
