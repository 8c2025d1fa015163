// src/solve/stiff/settle.h: states without a derivative, found such that their equations hold.
#pragma once
#include "run/run.h"

// [n_states] which states are implicit: the unknowns of loops that are left to the solver.
bool *settle_find_implicit(const orr_model *model, Arena *arena);

// Solve the equations of the implicit states at the island's (t, x), the others and the modes as they are.
// True at once if there are none. False, reported, if no solution is found.
bool settle_implicit(Island *island);
