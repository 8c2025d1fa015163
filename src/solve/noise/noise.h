// src/solve/noise/noise.h: equations with white noise, dx = f dt + Σ g dW, in Itô's sense.
//
//     noise.c             Brownian paths, the grid, what all methods share
//     euler_maruyama.c    x + f h + Σ g ΔW: any noise, strong order 1/2, weak order 1
//     srk.c               stochastic Runge–Kutta methods of strong order 3/2
//
// A path is a function of time: its increments over the cells of the grid t_start + m·path are draws number
// 2m (and 2m + 1) of a stream, between two points it is a straight line. So a step may be made again, shorter
// or longer, and runs with other steps see the same path. Steps end on the grid that began with the run, also
// behind events.
#pragma once
#include "solve/solver.h"

// How noise enters the states.
typedef enum NoiseKind {
    NOISE_ADDITIVE,    // its strength does not depend on states
    NOISE_DIAGONAL,    // each state has one of its own, whose strength depends on that state only
    NOISE_GENERAL,
} NoiseKind;
NoiseKind noise_kind(const orr_model *model, uint32_t *state);    // NULL or: a state that makes it general

typedef struct Noise Noise;
typedef struct NoiseMethod {
    size_t n_vectors;           // [n_states] in `work`
    size_t n_strengths;         // [n_noise] in `strengths`
    bool   needs_integrals;     // of the path over a step
    bool (*step)(Island *island, Noise *noise, double t, double h, double *x);    // false: island->fault
} NoiseMethod;

struct Noise {
    const NoiseMethod *method;
    double   t_first, path;     // of the paths
    double **work, **strengths;
    double  *dw, *dz;           // [n_noises] increment of each path over the step, and ∫ (W - W at its
                                // beginning) dt
};

bool noise_init(Island *island, Arena *arena, const NoiseMethod *method, orr_diag *diag);
// The strengths g at (t, x), one for each of Ir.noise.
bool noise_strengths(Island *island, double t, const double *x, double *g);
// x_i += Σ g_ik a_k over the entries.
void noise_add(const orr_model *model, const double *g, const double *a, double *x);

// How the paths are drawn: so many cells of such a length in a step.
uint64_t noise_cells(const Island *island, double *cell);

StepResult noise_step(Island *island, double t_limit);
StepResult noise_steps(Island *island, long n, long *done);
void       noise_restart(Island *island);
void       noise_state_at(Island *island, double t, double *x);
void       noise_pass(Island *island, RunSaved *saved);
