// src/code/prelude.h: the beginning of every generated text: types, elementary functions, solvers of loops.
#pragma once
#include "code/emit.h"

// Everything that the functions printed so far into g->body use.
void prelude_print(Gen *g, StrBuf *s);
// The functions printed into g->body, behind everything that they use.
Text prelude_finish(Gen *g, Arena *arena);
// Parts of it: the elementary functions [expr_n_math] of which some are used (those they call are marked
// too), and powers [EXPR_WHOLE_POWER_MAX + 1] from the fourth on.
void prelude_math(bool *uses, Arena *work, StrBuf *s);
void prelude_powers(const bool *uses, StrBuf *s);
