// src/order/params.h: an order in which the defaults of parameters and inputs can be evaluated.
#pragma once
#include "flat/flat.h"

// All parameters and inputs, [*n], each after those its default reads, otherwise as declared. NULL, with a
// diagnostic that names the cycle, if a default depends on itself.
uint32_t *params_order(const Flat *flat, uint32_t *n, Arena *arena, orr_diag *diag);
