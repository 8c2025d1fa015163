// src/devs/parts.h: which parts of the text of the kernel there are. The library has them all; an exported
// program, in which the same text stands, only what its model needs (src/export/c/template.c).
#pragma once

#define IS_ENGINE      1    // counts, traces, saves, and explains what fails
#define HAS_SWITCHES   1    // components and couplings are switched off and on
#define HAS_STATISTICS 1    // components have some (src/atomic/calls.c)
