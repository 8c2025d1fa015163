// src/base/filter.h: another program as a function from bytes to bytes. No shell is involved.
#pragma once
#include "base/text.h"
#include "orrery/base.h"

typedef struct Filter {
    const char *const *argv;         // [..] NULL at the end; the program is looked for in PATH
    const char *purpose, *package;   // for the message if it is missing: "plots in files", "gnuplot-nox"
} Filter;

// Run it with this input and append what it prints to *output, a NUL behind it. False, reported, if it is
// missing, fails or prints nothing.
bool filter_run(const Filter *filter, const char *input, size_t n, StrBuf *output, orr_diag *diag);
// The same into a file, which appears under its name only when it is whole.
bool filter_write(const Filter *filter, const char *input, size_t n, const char *path, orr_diag *diag);
