// src/code/prelude.h: the beginning of every generated text: types, elementary functions, solvers of loops.
#pragma once
#include "code/emit.h"

// Everything that the functions printed so far into g->body use.
void prelude_print(Gen *g, StrBuf *s);
