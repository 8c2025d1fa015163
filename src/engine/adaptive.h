// src/engine/adaptive.h: steps of explicit methods that choose their length.
#pragma once
#include "engine/engine.h"
#include "num/adaptive_step.h"

typedef struct Adaptive {
    const Tableau *method;
    int end, n_rates;           // the stage at the end of a step; all, with those of the dense output
    double *k[TABLEAU_ROWS];    // [n_states] slopes; k[0] belongs to the present (t, x) once `begun`
    double *y, *y_last;         // [n_states] argument of a stage; that of the last one before the end
    double *x0;                 // [n_states] where the last step began
    double *dense[STEP_CUBIC + TABLEAU_DENSE];    // [n_states] coefficients beyond x0, made when first needed
    bool begun;                 // k[0] and h are known
    bool was_rejected;          // an attempt at the next step, made elsewhere
    bool dense_known;
    int n_dense;                // coefficients of dense output behind the cubic
    double t0, h_done;         // the last accepted step
    double h;                  // the next to try
    double log_before;         // of the error of the last accepted step, for the controller
    int n_at_bound, n_free;    // steps held by stability, and not, in a row
    int n_decayed;             // steps in a row longer than the fastest decay
    bool counts_slow;          // who may change the method also wants to know of steps that are too short
    int n_slow;                // such steps in a row, and
    double decayed;            // the time they took, in units of the fastest decay
    bool is_stiff, warned;
    // attempts that failed since t_blocked, where the rates do not exist a little ahead
    int n_blocked;
    double t_blocked;
    double *x_blocked;    // [n_states]
} Adaptive;

// As Solver (engine/host.h) has them; island->memory is an Adaptive.
StepResult adaptive_step(Island *island, double t_limit);
void       adaptive_restart(Island *island);
void       adaptive_state_at(Island *island, double t, double *x);
