// src/solve/stiff/ida.h: states without a derivative, found such that their equations hold.
#pragma once
#include "run/run.h"

// Solve the equations of the implicit states at the island's (t, x), the others and the modes as they are.
// True at once if there are none. False, reported, if no solution is found.
bool ida_settle(Island *island);
