// src/machine/sequence.h: names in a row, as people write them.
#pragma once
#include "base/text.h"

// The next name of a list separated by commas or line ends, without blanks, quotes and comments, maybe
// empty; *rest goes behind it. A comma inside brackets belongs to the name: F[1,2].
Text sequence_next(Text *rest);
