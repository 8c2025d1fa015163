// src/base/explain_list.h: the long explanations behind `orrery explain CODE`, one for each line of diag_list.h.
//
// X(NAME, what it means, a small example that produces it, what to do). Lines end with \n inside a text and are at
// most 90 columns long; the example is indented by four.
#pragma once

// clang-format off
#define EXPLAIN_LIST(X) \
    X(FILE_MISSING, \
      "The file named on the command line or after 'use' was not found.", \
      "    orrery run tnak.orr", \
      "check the spelling and the folder; a path after 'use' is relative to the file it stands in.")
// clang-format on
