// src/atomic/draw.h: what an atomic draws anew each time it is used.
#pragma once
#include "lang/ast.h"

// Components that give something random to a draw get kinds of their own.
void atomic_specialise(Ast *ast);
