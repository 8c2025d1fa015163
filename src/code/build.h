// src/code/build.h: what the two compilers share.
#pragma once
#include "code/code.h"
#include <sys/types.h>

// A compiler at work in the background, which another thread may end.
typedef struct NativeJob {
    pthread_mutex_t lock;
    pid_t           pid;           // of the compiler and its process group; 0: not running
    bool            is_cancelled;
} NativeJob;
void native_job_init(NativeJob *job);
void native_job_cancel(NativeJob *job);
bool native_job_is_cancelled(NativeJob *job);
void native_job_end(NativeJob *job);

// A text that defines functions <stem>_1 to <stem>_n, being compiled in a thread. It and the result of its
// compilation are in the arena. Who begins must wait for the end; the unit is then the caller's.
typedef struct InstantAhead InstantAhead;
InstantAhead *instant_ahead(Text text, const char *stem, uint32_t n, Arena *arena);
CodeUnit      instant_ahead_end(InstantAhead *ahead);

// Compile a text, which may call functions compiled ahead (NULL: none), and set what it defines in `code`;
// the unit is the caller's to add. False, with a diagnostic.
bool instant_compile(Code *code, Text text, InstantAhead *ahead, CodeUnit *unit, orr_diag *diag);
// The address of one name that a text defines; NULL after a report. `given` is a name that the text declares
// and the caller defines.
void *instant_compile_one(Text text, const char *name, const char *given, const void *given_address,
                          CodeUnit *unit, orr_diag *diag);
void instant_free(CodeUnit *unit);
void native_free(CodeUnit *unit);

// What a text is like, and so how it is compiled.
typedef enum NativeFlavour {
    NATIVE_LINES,
    NATIVE_LOOPS,         // over arrays
    NATIVE_LANES,         // over members of an ensemble
    NATIVE_LANES_FAST,    // the same with fused operations: other last bits
} NativeFlavour;
NativeFlavour native_flavour(const Code *code, Text text);    // LINES or LOOPS

// Build and load; job NULL: in the foreground, to its end. False, with a diagnostic.
bool  native_compile(Text text, NativeFlavour flavour, CodeUnit *unit, NativeJob *job, orr_diag *diag);
bool  native_is_cached(Text text, NativeFlavour flavour);
double native_ms(Text text, NativeFlavour flavour);              // what building would take, roughly
void *native_symbol(const CodeUnit *unit, const char *name);    // NULL if it has none

// ---- background.c

// Build a text in a thread; `arrive` is called there when it is loaded, and never if that fails. The arena,
// which holds the text, is taken. NULL: there is no thread to be had. `self` must outlive it.
Background *background_start(Arena *arena, Text text, NativeFlavour flavour,
                             void (*arrive)(void *self, const CodeUnit *unit), void *self);
bool background_is_done(const Background *background);    // it has arrived; NULL: no
// The compiler is ended and its thread waited for, the object unloaded; NULL is allowed.
void background_end(Background *background);

// The names of the generated functions, and where their addresses go. NULL behind the last.
typedef struct BuildSymbol {
    const char *name;       // "orr_rates"
    bool        is_loop;
    int         id;         // IrProgramId or CodeLoopId; or a table, BUILD_QUANTISED
} BuildSymbol;
enum { BUILD_QUANTISED = IR_N_PROGRAMS };
extern const BuildSymbol build_symbols[];
void build_set(Code *code, const BuildSymbol *symbol, void *address);
void build_set_native(Code *code, const CodeUnit *unit);    // all that the object has
