// src/order/dummy.h: which variables stay states when constraints tie some of them together.
//
// After Pantelides there are k more equations at each level of differentiation than a solver may integrate
// freely: of the highest derivatives in the differentiated equations, k become plain unknowns ("dummy
// derivatives": Mattsson & Söderlind, SIAM J. Sci. Comput. 14, 1993), and the variables they are derivatives
// of are computed by the constraints. So all constraints hold at every instant, and nothing drifts. Then the
// same for the equations one level lower and the derivatives one order lower, and so on.
//
// The k must be such that the derivatives of the constraints by them, a k × k matrix, are never singular:
//
//   - As long as a constraint has a constant coefficient, or one of parameters only, it is solved for such a
//     variable, the one we would least like as a state, and put into the others. This choice is for ever.
//   - What is left falls into groups that have nothing in common. A group with as many variables as
// constraints
//     leaves no choice. Otherwise all its variables become plain unknowns, and the states are slots that are
//     one of the variables at a time (Choice in blocks.h): which one, the run decides, and changes it.
//
// We like as states: those of `prefer`, those with an initial value, those with a first guess, in this order.
#pragma once
#include "order/blocks.h"
#include "order/pantelides.h"

// Cuts the links between the variables chosen and their dummy derivatives and adds slots to the model.
// `values` is [n_vars]: parameters by their defaults, NaN if not known. False, with a diagnostic, if the
// constraints are not independent.
bool dummy_choose(Reduction *reduction, Flat *flat, const Pantelides *pantelides, const double *values,
                  Arena *arena, orr_diag *diag);
