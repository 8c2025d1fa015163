// src/solve/stiff/multistep.h: what CVODES and IDAS, the multistep methods of SUNDIALS, have in common.
//
// Both step freely (…_ONE_STEP) up to the end of the run; events and recording read their interpolating
// polynomial, and a jump reinitialises them at order 1. What they would print is kept and becomes part of our
// messages. A solver puts a Multistep at the beginning of its memory.
#pragma once
#include "solve/solver.h"
#include "solve/stiff/jacobian.h"
#include "engine/stuck.h"

enum { MULTISTEP_WORDS_MAX = 256 };

typedef struct Multistep Multistep;

typedef struct MultistepCalls {
    // ours
    StepResult (*begin)(Island *island, double t_limit);    // let the library begin at the island's (t, x)
    StepResult (*crumb)(Island *island, double t_limit);    // go on by less than any step it would take
    int        (*advance)(Multistep *m, double towards, double *t);    // one step; below 0: an error
    StepResult (*give_up)(Island *island, int code);        // tell of an error in the words of the model
    int        stuck;                                       // the code of being stuck
    // the library's
    int (*set_stop)(void *memory, double t);
    int (*derivative_at)(void *memory, double t, int order, N_Vector y);    // order 0: the states
    int (*n_steps)(void *memory, long *n);
    int (*n_error_fails)(void *memory, long *n);
    int (*n_solve_fails)(void *memory, long *n);
} MultistepCalls;

struct Multistep {
    const MultistepCalls *calls;    // borrowed; a static table
    Island    *island;              // borrowed
    SUNContext context;
    void      *memory;              // of CVODES or IDAS; the solver frees it
    N_Vector   y;                   // over island->x
    N_Vector   absolute;            // over island->absolute
    N_Vector   past;                // over `between`: where state_at puts its result
    Jacobian   jacobian;
    bool       begun;               // the library stands at the island's (t, x)
    double     t_stop;              // told to the library; NaN: none
    Stuck      stuck;
    double    *between, *rates;     // [n] scratch
    char       words[MULTISTEP_WORDS_MAX];    // the last complaint of the library
};

// Context and vectors. False, without a message, if there are none.
bool multistep_init(Multistep *m, const MultistepCalls *calls, Island *island, Arena *arena);
void multistep_free(Multistep *m);    // all but `memory`; m is as new afterwards
// To be given to the library as its handler of errors, with the Multistep as data.
void multistep_keep_words(int code, const char *module, const char *function, char *message, void *data);
bool multistep_report_set_up(const Multistep *m);    // false, always

// Entries of the table of solvers.
StepResult multistep_step(Island *island, double t_limit);
void       multistep_restart(Island *island);
void       multistep_state_at(Island *island, double t, double *x);
