// src/order/reduce.h: index reduction: from a model with constraints on its states to one that can be solved
// for its highest derivatives.
//
//     chains      … or the model is wrong, and no differentiating helps
//     pantelides  which equations are differentiated, and how often
//     dummy       which variables stay states
//
// The model is changed: equations and variables are added, and links between a variable and its derivative
// cut where the constraints compute both. All later passes see an ordinary model.
#pragma once
#include "order/blocks.h"
#include "order/match.h"
#include "order/structure.h"

// `match` is a largest, but not perfect matching of the dynamic system. Sets blocks->reduction and the
// parameters.
// False, with diagnostics.
bool reduce_index(Blocks *blocks, Flat *flat, const System *system, const Match *match, Arena *arena,
                  orr_diag *diag);

// The values of parameters by their defaults, and the initial values and guesses of variables as far as they
// follow from these; NaN for all others. [n_vars] in the arena.
double *reduce_defaults(const Flat *flat, const uint32_t *params, uint32_t n_params, Arena *arena);
