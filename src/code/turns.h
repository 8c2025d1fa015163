// src/code/turns.h: loops over statements of equal shape, as C.
#pragma once
#include "code/plan.h"

// Print a loop into the text of the present piece, which has nothing else.
void turns_print(Gen *g, const IrLoop *loop);
// emit.c: the definition of a temporary, behind g->indent.
void gen_temporary(Gen *g, Expr e);
