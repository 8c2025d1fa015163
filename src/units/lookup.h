// src/units/lookup.h: names of units, inside the stage.
#pragma once
#include "units/system.h"

// A name among the common units, with a prefix or without.
bool lookup_common(Text name, Unit *unit);
// The i-th common unit, for "did you mean" and for tests; NULL behind the last.
const char *lookup_common_at(size_t i, bool *takes_prefixes);
const char *lookup_prefix_at(size_t i, long double *scale);    // NULL behind the last

// A name in the database of UDUNITS-2.
typedef enum LookupResult {
    LOOKUP_FOUND,
    LOOKUP_UNKNOWN,
    LOOKUP_NOT_LINEAR,    // a logarithm or a date: known, but not of use here
} LookupResult;
LookupResult lookup_database(UnitSystem *system, Text name, Unit *unit);
void         lookup_close(UnitSystem *system);
