// src/exp/names.h: names that stand for several: c[1..5].v is c[1].v, c[2].v, …
#pragma once
#include <stdbool.h>

// Call `one` with each, in order, until it says false. False then, or if a range is not one: `one` gets it as
// it is written, to report it.
bool names_each(const char *name, bool (*one)(void *context, const char *name), void *context);
