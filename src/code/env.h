// src/code/env.h: how generated code is called.
#pragma once
#include <stdint.h>

// What generated code is handed besides its vectors.
typedef struct CodeEnv {
    double     *v;                                                   // [n_values] the value block
    double    (*history)(const void *histories, int k, double t);    // the past of delay k
    const void *histories;
    const uint32_t *tables;                                          // Ir.tables and Ir.numbers
    const double   *numbers;
    unsigned    event;                                               // whose body IR_EVENT runs
    double    (*draw)(const void *streams, int k, double count, double argument);    // of DRAW with number k
    const void *streams;
} CodeEnv;

// One program. Returns 0, or 1 + the number of the block (of the program's system; see ir_failed_block)
// whose loop could not be solved.
typedef int (*CodeProgram)(double t, const double *x, const CodeEnv *env, double *out);
