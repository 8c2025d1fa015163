// src/machine/build.h: from what was read to a machine.
#pragma once
#include "base/diag.h"
#include "base/text.h"
#include "lang/ast.h"
#include "machine/machine.h"

// The machine of a parsed text, in the arena. NULL, with messages, if it breaks a principle.
Machine *machine_build(Arena *arena, const AstMachine *ast, orr_diag *diag);

// The same from a transition table with outputs, and from Graphviz DOT; `file` is the number of the text with
// the diagnostics, `name` what the machine is called if the text does not say.
Machine *machine_read_table(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag);
Machine *machine_read_dot(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag);
