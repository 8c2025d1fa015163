// src/islands.h: the islands of a model, compiled.
#pragma once
#include "compile.h"

// Find the islands of the flat model, who reads what of whom, and compile each: guests of the network. False:
// reported.
bool islands_build(Compile *c, NetGuests *guests);
// For `orrery check`: methods, what each reads, and what that means for its accuracy.
void islands_report(const orr_model *model, FILE *out);
