// tests/manufactured/tiers.h: manufactured models by code of the machine's compiler, in lanes, and as
// exported programs.
#pragma once
#include "manufactured.h"

// Many cells in one model, so that the compiler is called once for all of them. `for_lanes`: only what
// lanes can do.
Model tiers_join(uint64_t seed, bool for_lanes);

// Each gives the bits of instant code, alone; false, after a printed line, if not. *n_refused counts what
// is refused by name.
bool tiers_native(const Model *model);
bool tiers_lanes(const Model *model);
bool tiers_export(const Model *model, size_t *n_refused);
