// src/code/label.h: the names of a model in the comments of an exported file.
#pragma once
#include "code/emit.h"

// As much of a name as is harmless in a comment or a text of C; of a long one the beginning.
void label_text(StrBuf *s, const char *name);

// Behind a statement: what is at a place in memory, or what a variable is called. Nothing unless it is for
// people to read.
void label_place(Gen *g, StrBuf *s, Array array, uint32_t index);
void label_variable(Gen *g, StrBuf *s, uint32_t variable);
