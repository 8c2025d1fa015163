// src/code/code.h: makes an Ir callable: prints it as C and compiles that text, at once in memory or well by `cc`.
//
// The text is the same for both compilers, contains nothing of the user's (names are numbers) and calls only the
// elementary functions of expr/math.h, so both give the same bits.
#pragma once
#include "ir/ir.h"
#include "base/text.h"

// What generated code is handed besides its vectors.
typedef struct CodeEnv {
    double     *v;                                              // [n_values] the value block
    double    (*history)(const void *histories, int k, double t);    // the past of delay k
    const void *histories;
} CodeEnv;

// One program. Returns 0, or 1 + the number of the block (of the program's system) whose loop could not be solved.
typedef int (*CodeProgram)(double t, const double *x, const CodeEnv *env, double *out);

// A fixed-step loop: from grid point k to k + n of t_start + k·h, states in x. Stops early, returning the steps
// done, before a step whose relations would not be those of the modes at its end (then *why = CODE_RELATION), or at a loop
// that has no solution (*why = 1 + block). `scratch` has CODE_SCRATCH·n_states places.
typedef long (*CodeLoop)(double t_start, double h, long k, long n, double *x, const CodeEnv *env, double *scratch, int *why);
enum { CODE_SCRATCH = 8, CODE_RELATION = -1 };

typedef enum CodeLoopId { CODE_EULER, CODE_IN_PLACE, CODE_HEUN, CODE_RK4, CODE_N_LOOPS } CodeLoopId;

typedef enum CodeTier { CODE_INSTANT, CODE_NATIVE } CodeTier;

typedef struct Code {
    CodeProgram programs[IR_N_PROGRAMS];
    CodeLoop    loops[CODE_N_LOOPS];
    CodeTier    tier;
    double      compile_ms;
    void       *memory;         // instant: the mapping; native: the loaded object
    size_t      memory_size;
} Code;

// The C text, in the arena.
Text code_text(const Ir *ir, Arena *arena);

// Compile in memory with libtcc. False, with a diagnostic, if that fails (which is our fault).
bool code_build_instant(Code *code, Text text, orr_diag *diag);
// Compile with the machine's `cc`, or take it from the cache (by content of text, flags and compiler).
bool code_build_native(Code *code, Text text, orr_diag *diag);
void code_free(Code *code);
