// src/solve/qss/parts.h: which parts of the text of these methods there are. The engine has them all; an
// exported program, in which the same text stands, only what its model needs (src/export/c/template.c).
#pragma once

#define IS_ENGINE     1    // counts, and tells others
#define HAS_CALENDAR  1    // too many states to look at all of them
#define HAS_SHARED    1    // variables that several rates read
#define HAS_LOOPS     1    // loops of equations among them
#define HAS_OWN       1    // derivatives of rates by their own states through them
#define HAS_PARTS     1    // what either of these needs
#define HAS_BENT      1    // rates that are not linear
#define HAS_BOUNDS    1    // rates or relations that are not linear
#define HAS_LINES     1    // with tables of points
#define HAS_PIECES    1    // with tables of polynomials
#define HAS_OPAQUE    1    // such rates that nobody can bound
#define HAS_HELD      1    // rates of first order that read time
#define HAS_PAIRS     1    // mLIQSS2
#define HAS_RELATIONS 1
#define HAS_LEAPS     1    // relations of what jumps: steps of tables, mod
#define HAS_PLACES    1    // variables that only events change
#define HAS_RESTARTS  1    // states, modes or such variables jump
