// src/code/code.h: makes an Ir callable: prints it as C and compiles that, at once in memory or well by `cc`.
//
// The text is the same for both compilers, contains nothing of the user's (names are numbers) and calls
// only the elementary functions of expr/math.h, so both give the same bits.
#pragma once
#include "base/text.h"
#include "code/env.h"
#include "ir/ir.h"
#include "num/fixed.h"
#include <pthread.h>
#include <stdatomic.h>

// A fixed-step loop: from grid point k to k + n of t_start + k·h, states in x. Stops early, returning the
// steps done, before a step whose relations would not be those of the modes at its end (then *why =
// CODE_RELATION), or at a loop that has no solution (*why = 1 + block of the dynamic system; x stands at
// the end of the last whole step). `scratch` has CODE_SCRATCH·n_states places. A model with delays takes
// one step at a time, since each step must be remembered first.
//
// With T(k) = t_start + k·h, every method evaluates at exactly these times and in this order:
//
//     of num/fixed.def    k[s] = f(T(k+c), x + (h/divisor)*((w[0]*k[0] + w[1]*k[1]) + …)), see num/tableau.h
//     in-place            for each state in turn: x_i + h*f_i(T(k), x), with the states before it already new
//
// A single step of another length, such as a shortened last one, is a call with n = 1, k = 0, its own
// t_start and h.
typedef long (*CodeLoop)(double t_start, double h, long k, long n, double *x, const CodeEnv *env,
                         double *scratch, int *why);
enum { CODE_SCRATCH = 8, CODE_RELATION = -1 };

// The methods of num/fixed.def by their numbers, and one more.
typedef enum CodeLoopId { CODE_IN_PLACE = N_FIXED, CODE_N_LOOPS } CodeLoopId;

typedef enum CodeTier { CODE_INSTANT, CODE_NATIVE } CodeTier;

// What is printed and compiled together. A small model is built whole; of a large one only the core, the
// rest on demand.
enum {
    CODE_PART_CORE = 1,         // everything not named below
    CODE_PART_IN_PLACE = 2,     // the loop CODE_IN_PLACE
    CODE_PART_JACOBIAN = 4,     // the program IR_JACOBIAN
    CODE_PART_RESIDUALS = 8,    // the program IR_RESIDUALS
    CODE_PART_ALL = 15,
    CODE_N_PARTS = 4,
};

typedef struct CodeUnit {       // what one compilation gave
    void  *memory;              // instant: the mapping; native: the loaded object
    size_t size;                // bytes of the mapping
} CodeUnit;

enum { CODE_N_QUANTISED = 7 };    // see code/quantise.h

typedef struct Background Background;

// Pointers are atomic because native code may take the place of instant code while runs are under way.
typedef struct Code {
    _Atomic(CodeProgram) programs[IR_N_PROGRAMS];    // NULL until its part is built
    _Atomic(CodeLoop)    loops[CODE_N_LOOPS];
    CodeTier    tier;                       // what it was built with at first
    bool        may_improve;                // long runs may ask for native code
    atomic_ullong ns_in_islands;            // that runs took which are islands of others, all together
    double      compile_ms;                 // of all parts so far, printing included
    const Ir   *ir;                         // borrowed; must outlive the code
    const orr_diag *compiled_with;          // places mean its sources; compared, never read. By the owner
    unsigned    parts;                      // built so far
    CodeUnit    units[2 * CODE_N_PARTS];    // a text may come in two
    uint32_t    n_units;
    Background *background;                 // native code on its way or arrived; NULL: nobody asked
    struct IrQuantised   *quantised_ir;                   // NULL until a solver asks for it; owned
    struct CodeQuantised *quantised[CODE_N_QUANTISED];    // by order, without and with own derivatives;
                                                          // likewise
    const void           *quantised_built;                // the latest
    pthread_mutex_t lock;                   // over everything above while a part is added
} Code;

// Run a program as it is now, by whichever compiler. Not by a call through the pointer itself: gcc reads a
// pointer that it calls as if it were not atomic.
static inline int code_call(const Code *code, IrProgramId id, double t, const double *x, const CodeEnv *env,
                            double *out)
{
    const CodeProgram program = atomic_load_explicit(&((Code *)code)->programs[id], memory_order_acquire);
    return program(t, x, env, out);
}

// The C text of some parts, in the arena. The same Ir and parts give the same text.
Text code_text(const Ir *ir, unsigned parts, Arena *arena);

// Of a large model the text may come in two: the first, while the second is still being printed, is handed to
// `take`. It defines the functions <stem>_1 to <stem>_n, which the second calls. Both are in the arena.
typedef struct CodeCut {
    void (*take)(void *self, Text first, const char *stem, uint32_t n);
    void  *self;
} CodeCut;
Text code_text_cut(const Ir *ir, unsigned parts, const CodeCut *cut, Arena *arena);

// The same programs and one of the loops (CODE_N_LOOPS: none) for a file of C99 that stands alone: functions
// are static, all of them to be used, elementary functions are those of <math.h> or, with ORRERY_SLEEF, of
// SLEEF, and comments, if `labels`, name what the numbers stand for. `math`: names of such functions that the
// rest of the file calls, the last one NULL. The file defines `Model` before it and, for models with delays
// and draws, behind it
//
//     static double orr_past(Model *m, int k, double t); what delay k remembers of time t
//     static double orr_draw(Model *m, int k, double count, double argument);          of stream k
//
// Besides the programs there are `orr_times`, when events act, `orr_lags` and, of delays that say what was
// before the start, `orr_befores`: see the exporter. jacobian: with `orr_jacobian`, if there is one.
Text code_file_text(const Ir *ir, CodeLoopId loop, bool jacobian, const char *const *math, bool labels,
                    Arena *arena);

// Build with libtcc in memory (CODE_INSTANT), or with the machine's `cc` or from its cache (CODE_NATIVE).
// False, with a diagnostic, if that fails: for instant code our fault; for native code there may be no
// compiler, and the caller can go on with instant code. After a failure the code needs no code_free.
bool code_build(Code *code, const Ir *ir, CodeTier tier, orr_diag *diag);
// Make sure that these parts are built: to be called before using a program or loop outside the core.
// Completes a model that is otherwise const; safe in threads.
bool code_require(const Code *code, unsigned parts, orr_diag *diag);
void code_free(Code *code);                 // a compiler still at work is ended

// ---- lanes.c: several members of an ensemble in one pass

// A fixed-step loop over several members at once, each with its own states and values: x[n_states][width],
// v[first_var][width] (parameters and modes). Each member gets the bits that it would get alone. `env` tells
// tables and numbers only; with noise, `streams` is a struct orr_paths (code/lane_paths.h). `scratch` has
// n_scratch places.
//
// Not watched, all are on the grid t_start + k·h and make n steps. Else each has its own, in
// `lane` (vectors of `width` numbers, see CodeLane), and makes at most `left` steps: none at whose end a
// relation would differ from its mode or might have changed and changed back on the way, an assert would not
// hold that did so far, or a state would not be finite. There it stops, and the others go on as long as at
// least k of them do; at most n steps. Returns the steps that those who went furthest made.
typedef long (*CodeLaneLoop)(double t_start, double h, long k, long n, double *x, const double *v,
                             const CodeEnv *env, double *lane, double *scratch);
typedef enum CodeLane {
    CODE_LANE_GRID,         // where its grid begins
    CODE_LANE_K,            // grid points passed
    CODE_LANE_LEFT,         // steps that it may make; 0: it stands still
    CODE_LANE_STOP,         // 1: it stands before a step that asks for a closer look
    CODE_LANE_RELATIONS     // zero functions one step ago [n_modes], then now [n_modes]; which asserts are
                            // broken already [n_asserts]
} CodeLane;
// n attempts at a step of an adaptive method for each member, with its own time and step size.
// control: relative tolerance, longest step. `lane` holds CODE_LANE_VECTORS + 2*n_states + n_modes
// + n_asserts vectors, see CodeLaneFree.
// Members at their limit, and those who stop, stand still. Watched, each has its own limit (else t_limit is
// that of all) and makes no step that passes the time of its next row, or in which a relation differs from
// its mode, or an assert is newly broken, at one of four places, or a relation might have changed and changed
// back between two of them; and attempts end
// when fewer than control[2] members move.
typedef long (*CodeLaneAttempts)(double t_limit, const double *control, long n, double *x, const double *v,
                                 const CodeEnv *env, double *lane, double *scratch);
typedef enum CodeLaneFree {
    CODE_LANE_TIME,
    CODE_LANE_NEXT,         // step to be tried next
    CODE_LANE_LOG,          // of the last error
    CODE_LANE_REJECTED,     // 1: the last attempt was
    CODE_LANE_ODD,          // 1: it cannot make its next step in its lane
    CODE_LANE_LIMIT,        // watched: no step goes further
    CODE_LANE_ROW,          // watched: where it is wanted next
    CODE_LANE_VECTORS       // then its rates [n_states], absolute tolerances [n_states]; watched: zero
                            // functions now [n_modes], and which asserts are broken already [n_asserts]
} CodeLaneFree;
enum { CODE_LANES_MAX = 32 };

typedef enum CodeLaneFamily {
    CODE_LANES_FIXED,        // a method of num/fixed.def
    CODE_LANES_ADAPTIVE,
    CODE_LANES_EULER_MARUYAMA,
    CODE_LANES_SRK_ADDITIVE,
    CODE_LANES_SRK_DIAGONAL,
} CodeLaneFamily;

typedef struct CodeLanesKind {
    CodeLaneFamily family;
    const Tableau *method;               // NULL: with noise
    bool is_watched;                     // each member has its own grid, or limit: needed for models with
                                         // relations, events or asserts
    bool fast;                           // fused operations are allowed, whose last bits differ
} CodeLanesKind;

typedef struct CodeLanes {
    CodeLaneLoop loop;                   // of a method with fixed steps
    CodeLaneAttempts attempts;           // or of another
    uint32_t     width;                  // members side by side, at most CODE_LANES_MAX
    bool         is_watched;             // as it was asked for
    size_t       n_scratch;
    CodeUnit     unit;
} CodeLanes;

// What keeps the model from having such a loop, for people: loops of equations, delays, draws, or a size
// that no cache can hold. NULL: nothing.
const char *code_lanes_obstacle(const Ir *ir, CodeLanesKind kind);
// Build them, natively: instant code has no vectors. False, with a diagnostic, if there is no compiler. Free
// with code_lanes_free.
bool code_build_lanes(CodeLanes *lanes, const Ir *ir, CodeLanesKind kind, orr_diag *diag);
double code_lanes_ms(const Ir *ir, CodeLanesKind kind);    // what that would take, roughly
void code_lanes_free(CodeLanes *lanes);

// ---- background.c: native code for a model whose runs have begun in instant code

// What that would take, in ms: little if it is in the cache.
double code_native_ms(const Code *code);
// Build the present parts natively in a thread, which puts them in place when they are ready; at most once
// for a model. Nothing is reported: if it fails, instant code stays.
void code_improve(const Code *code);
bool code_is_improved(const Code *code);    // it is ready and in use
