// src/code/batch.h: elementary functions of a piece, computed several at a time.
//
// A vector of sines costs little more than one sine. So the calls of a piece that do not need each other are
// gathered:
//
//     f[0] = …; f[1] = …;  orr_sin_each(f, 2);  … f[0] …
//
// An item has a level: how many such calls have to come before it, one behind the other. Items are printed by
// levels.
#pragma once
#include "code/plan.h"

// Decide what is gathered in the items [first, end) of the present piece, and put them into the order of
// their levels.
void batch_plan(Gen *g, size_t first, size_t end);
// Print what must come before an item: the calls that it needs; and the arguments of those to come, as early
// as possible, so that numbers stored one by one have arrived in memory when they are read together.
void batch_print(Gen *g, const Item *item);
