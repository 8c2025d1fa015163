// src/solve/adaptive/dopri5.h: what others want to know of the Dormand–Prince solver.
#pragma once
#include "solve/solver.h"

extern const Solver solver_dopri5;

// The last steps were as long as stability allows, not as long as the tolerance would: an implicit method
// would do better.
bool dopri5_is_stiff(const void *memory);
