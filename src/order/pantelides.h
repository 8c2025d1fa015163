// src/order/pantelides.h: differentiating equations until each computes a highest derivative.
//
// A constraint such as x² + y² = L² reads only states: nothing is left for it to compute, while somewhere
// else an unknown lacks an equation. Its derivatives by time are equations too, and the second one reads x''
// and y''.
// Which equations must be differentiated, and how often, is seen from the pattern alone (Pantelides, SIAM
// J. Sci. Stat. Comput. 9, 1988): an equation that finds no unknown competes with the equations of its
// alternating tree for too few unknowns; all of them are differentiated, which makes new unknowns, the
// derivatives of those they read, for the new equations.
//
// The equations as written stay: x² + y² = L² and 2xx' + 2yy' = 0 still hold and must be kept (dummy.h).
#pragma once
#include "order/match.h"
#include "order/structure.h"

typedef struct Pantelides {
    uint32_t  n_written;     // equations of the model as written; those behind them are derivatives
    uint32_t  n_equations;
    uint32_t  n_vars;        // variables as written; those behind them are derivatives
    uint32_t *from;          // [n_equations] the equation it is the derivative of, FLAT_NONE: as written
    uint32_t *derivative;    // [n_equations] or FLAT_NONE
    uint32_t *root;          // [n_equations] as written
    uint32_t *order;         // [n_equations] how often differentiated
} Pantelides;

enum { PANTELIDES_ORDER_MAX = 20 };    // physical models need 2 or 3

// `system` is the dynamic one and `match` a largest matching of it. Adds equations and variables to the
// model.
// False, with a diagnostic, if an equation cannot be differentiated. The chains of the model must have a
// perfect matching (structure_chains). The result is in the arena. Costs little more than the equations
// differentiated.
bool pantelides_run(Pantelides *p, Flat *flat, const System *system, const Match *match, Arena *arena,
                    orr_diag *diag);
