// src/lang/format.h: the layout of a model file; see docs/language.md for the rules.
#pragma once
#include "base/diag.h"
#include "base/text.h"

// Add the text in its normal layout to `out`. Comments and the sequence of tokens stay as they are; only
// white space changes. False, with the messages, if the text has errors: then nothing is added.
bool format_text(Text text, uint32_t file, StrBuf *out, orr_diag *diag);
