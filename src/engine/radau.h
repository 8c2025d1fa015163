// src/engine/radau.h: steps of Radau IIA; see radau.c.
#pragma once
#include "engine/engine.h"
#include "engine/stuck.h"

enum { RADAU_STAGES = 3, RADAU_VECTORS = 17 };

// Linear systems with σM - J (shifted.h).
typedef struct RadauSystem {
    bool (*renew)(void *memory, double t, double *x);    // J at (t, x); false if it does not exist there
    bool (*factor)(void *memory, double gamma, double alpha, double beta);
    void (*solve_real)(void *memory, double *b);
    void (*solve_complex)(void *memory, double *re, double *im);
} RadauSystem;

typedef struct Radau {
    const RadauSystem *system;              // borrowed, as its memory
    void         *memory;
    const bool   *is_implicit;              // [n_states]
    double *z[RADAU_STAGES], *w[RADAU_STAGES], *f[RADAU_STAGES];    // [n_states] stages minus x; in the other
                                                                    // basis; rates
    double *x1, *dense[RADAU_STAGES];       // [n_states] end of the last step and its polynomial
    double *rates, *y;                      // [n_states] at the beginning of a step; scratch
    double *off, *tolerated;                // [n_states] the error, and what it may be
    double  tolerance;                      // of the estimate, whose order is lower than that of the method
    double  newton_tolerance;
    bool    begun, has_rates, has_past;     // … there is a step before: its polynomial is a first guess
    bool    needs_jacobian, jacobian_is_new;
    double  t0, h_done;                     // the last step
    double  h, h_factored;                  // the next one; that of the factors, 0: none
    double  rate, eta;                      // of convergence; how far the next iteration is from the solution
    double  h_accepted, error_accepted;     // of the last step, for the controller
    int     n_iterations;
    bool    is_first, was_rejected;
    Stuck   stuck;
} Radau;

// Of `m` system, memory and is_implicit are given; vectors [RADAU_VECTORS·stride], stride at least n_states.
void       radau_init(Radau *m, const SolverOptions *options, double *vectors, size_t stride);
// As Solver (engine/host.h) has them; island->memory is a Radau.
StepResult radau_step(Island *island, double t_limit);
void       radau_restart(Island *island);
void       radau_state_at(Island *island, double t, double *x);
