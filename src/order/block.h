// src/order/block.h: from a sorted component to something that can be computed.
#pragma once
#include "order/blocks.h"
#include "order/match.h"
#include "num/strong.h"
#include "order/structure.h"

// Fill in blocks, block_of and loops of `out`. The components are those of the matched equations, in order.
// False, with diagnostics, if a component cannot be solved whatever the values. Results go into the arena.
bool block_make(Ordered *out, ExprPool *pool, const System *system, const Match *match,
                const Strong *components, Arena *arena, orr_diag *diag);
