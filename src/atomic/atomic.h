// src/atomic/atomic.h: atomics of the language: checked and typed programs, and the tables of functions made
// of them.
//
//     Ast ─atomic_check→ AtomicSet ─atomic_build→ one orr_atomic for each kind of component
//
// A set holds all records, enumerations and atomics of a source. Checking gives typed programs over slots;
// building prints them as C (names are numbers there) and compiles that by either compiler. Both give the
// same bits.
//
// Everything is slots of 8 bytes. A number, a truth value (0, 1) and a value of an enumeration (1, 2, …) are
// one double; a record is its fields, one double each; so is a message. The state of a component:
//
//     slot 0       when it is due, a point in time
//     slot 1       the number of its state, from 0: an int
//     slots 2 …    its parameters, then its variables; queues and statistics take several slots; the random
//                  stream, if it draws
#pragma once
#include "atomic/calls.h"
#include "base/arena.h"
#include "base/vec.h"
#include "code/code.h"
#include "lang/ast.h"
#include "orrery/devs.h"
#include "orrery/statistics.h"
#include "units/units.h"

enum { ATOMIC_SLOT_DUE, ATOMIC_SLOT_STATE, ATOMIC_SLOT_PARAMS };
enum { ATOMIC_SLOTS_MAX = 100000, ATOMIC_FIELDS_MAX = 1000 };

// ---- Types

typedef enum AtomicBase {
    ATOMIC_BAD,               // reported already
    ATOMIC_NUMBER, ATOMIC_TRUTH, ATOMIC_ENUM, ATOMIC_RECORD, ATOMIC_NOTHING,
    ATOMIC_QUEUE, ATOMIC_TALLY, ATOMIC_LEVEL,
} AtomicBase;

typedef struct AtomicType {
    AtomicBase base;
    uint32_t   index;         // which enumeration or record; of a queue that of its elements
    AtomicBase element;       // of a queue
} AtomicType;

typedef struct AtomicField {
    const char *name, *unit;  // unit NULL if none
    AtomicType  type;
    Place       place;
} AtomicField;

typedef struct AtomicRecord {
    const AstRecord *ast;
    const char      *name;
    AtomicField     *fields;  // [n_fields], field i in slot i of a message
    uint32_t         n_fields;
} AtomicRecord;

// ---- What a component shows

typedef struct AtomicParam {  // given to init as doubles, in this order
    const char    *name, *unit, *doc;    // unit, doc NULL if none
    const AstExpr *value;                // its default; NULL: it must be given
    Place          place, unit_place;
} AtomicParam;

typedef struct AtomicPort {
    const char    *name;
    AtomicType     type;
    const AstPort *ast;
} AtomicPort;

typedef struct AtomicReadable {
    const char *name;         // "state", "waiting", "now.born", "a[2]", "delay.mean"
    const char *unit;         // NULL if none
    AtomicHow   how;
    AtomicType  type;         // NUMBER, TRUTH or ENUM
    uint32_t    slot;
    double      p;            // of a quantile
    bool        is_level;     // a statistic of what holds for a while
    bool        is_main;      // a variable, not a part of a record, an array or a statistic
    Place       place;
    size_t      line;         // of a queue: where it is declared
    const char *path;         // NULL if that is not known
} AtomicReadable;

// ---- Programs

typedef struct AtomicExpr AtomicExpr;

// Which one of an array: of queues, of statistics, of records. Computing it changes nothing.
typedef struct AtomicIndex {
    AtomicExpr *expr;         // NULL: there is only one
    uint32_t    n, stride;    // elements, slots from one to the next
    uint32_t    fault;        // 1 + a number in AtomicKind.faults
} AtomicIndex;

typedef enum AtomicOp {
    ATOMIC_OP_CONST,          // value
    ATOMIC_OP_SLOT,           // of the state, from `slot` on
    ATOMIC_OP_ELEMENT,        // of an array of numbers from `slot` on with n elements: args[0] is the index
    ATOMIC_OP_MESSAGE,        // slot of the message under way
    ATOMIC_OP_LOCAL,          // index of a `for`, argument of a function
    ATOMIC_OP_TIME, ATOMIC_OP_ELAPSED, ATOMIC_OP_REMAINING,
    ATOMIC_OP_APPLY,          // the operation `apply` of ops.def
    ATOMIC_OP_FUNCTION,       // function n of the set
    ATOMIC_OP_TABLE,          // table n of the file
    ATOMIC_OP_DRAW,           // distributions[n]; slot: 1 + the samples it draws from, a table of the file
    ATOMIC_OP_MAKE,           // a record of its fields
    ATOMIC_OP_LENGTH,         // of the queue at `slot`
    ATOMIC_OP_POP,            // the first of the queue at `slot`, taken out
    ATOMIC_OP_TAKE,           // the one with the index args[0], taken out
    ATOMIC_OP_PEEK,           // the one with the index args[0]
    ATOMIC_OP_STATISTIC,      // AtomicHow n of that at `slot`; value: it is a level; args[0] of a quantile
} AtomicOp;

struct AtomicExpr {
    AtomicOp     op;
    ExprOp       apply;
    AtomicType   type;
    bool         has_effects; // draws, or takes from a queue: computed once, in the order written
    uint32_t     slot, n;
    AtomicIndex  index;       // SLOT, and what is done with queues and statistics at `slot`
    double       value;
    AtomicExpr **args;        // [n_args]
    uint32_t     n_args;
    uint32_t     fault;       // what can go wrong here, 1 + a number in AtomicKind.faults; 0: nothing
    Place        place;
};

typedef struct AtomicAct AtomicAct;
typedef enum AtomicActKind {
    ATOMIC_SET,               // slots from `slot` on := value; with `index` an element of n
    ATOMIC_PUSH, ATOMIC_INSERT, ATOMIC_CLEAR,    // queue at `slot`
    ATOMIC_ADD, ATOMIC_LEVEL_SET, ATOMIC_RESET,  // statistic at `slot`; RESET: n: it is a level
    ATOMIC_DROP,              // compute value and forget it
    ATOMIC_BRANCH, ATOMIC_LOOP,
    ATOMIC_MESSAGES,          // in `confluent`: the body, one TAKE_ONE for each `on`, over all messages of
                              // the bag
    ATOMIC_TAKE_ONE,          // the first message of port n for which `value` is true, or NULL
    // in `begin` only: n slots an element, fault: it is ranked
    ATOMIC_BEGIN_QUEUE, ATOMIC_BEGIN_TALLY, ATOMIC_BEGIN_LEVEL,
} AtomicActKind;
struct AtomicAct {
    AtomicActKind kind;
    uint32_t    slot, n, fault;
    AtomicIndex index;        // of what is at `slot`; without an expression, in `begin`: all of them
    AtomicExpr *value, *other;    // other: index of a number, rank, or last turn of a loop
    AtomicAct  *body, *rest;      // [n_body], [n_rest]
    uint32_t    n_body, n_rest;
};

typedef struct AtomicGoal AtomicGoal;
struct AtomicGoal {
    AtomicAct  *acts;         // [n_acts]
    uint32_t    n_acts;
    int32_t     state;        // -1: stay, keeping time; or a choice
    bool        keeps;
    AtomicExpr *condition;    // of a choice between yes and no; else NULL
    AtomicGoal *yes, *no;
    AtomicExpr **chances;     // [n_chances]
    AtomicGoal *cases;
    uint32_t    n_chances, fault;
};

typedef struct AtomicEmit {
    uint32_t    port;         // output; of an array the first
    AtomicIndex index;        // which of them, if that is computed
    AtomicExpr *value;        // NULL: nothing is told
    AtomicExpr *condition;    // NULL: always
} AtomicEmit;

typedef struct AtomicMove {
    uint32_t    port;         // input; of `after`: none
    AtomicExpr *guard;        // NULL: always
    AtomicEmit *emits;        // [n_emits]
    uint32_t    n_emits;
    AtomicGoal  goal;
} AtomicMove;

typedef struct AtomicState {
    const char *name;
    AtomicExpr *duration;     // NULL: for ever
    uint32_t    fault;        // of the duration
    AtomicMove *ons, *afters; // [n_ons] its own, then the common ones; [n_afters]
    uint32_t    n_ons, n_afters;
} AtomicState;

typedef enum AtomicFaultKind {
    ATOMIC_FAULT_DURATION,    // negative or NaN
    ATOMIC_FAULT_EMPTY,       // a queue from which something is taken
    ATOMIC_FAULT_INDEX,       // of an array or a queue
    ATOMIC_FAULT_DRAW,        // parameters of a distribution
    ATOMIC_FAULT_CHANCES,     // of a choice by chance
    ATOMIC_FAULT_RANK,        // NaN
    ATOMIC_FAULT_LOOP,        // bounds of a loop
} AtomicFaultKind;

typedef struct AtomicFault {
    AtomicFaultKind kind;
    const char     *name;     // state, queue, array or distribution
    Place           place;
    size_t          line;     // of the place
    const char     *path;     // of its file
} AtomicFault;

typedef struct AtomicFunction {   // of the file, or one of front.h
    const char  *name;
    AtomicExpr **locals;      // [n_locals] in the order written; LOCALs behind the n_params arguments
    AtomicExpr  *result;
    uint32_t     n_params, n_locals;
} AtomicFunction;

typedef struct AtomicSamples {
    const double *values;     // [n] ascending
    uint32_t      n;          // 0: nothing is drawn from this table
} AtomicSamples;

// One kind of component.
typedef struct AtomicKind {
    orr_atomic       table;       // first: a table leads to its kind. Functions NULL until it is built
    const char      *name;
    const AstAtomic *ast;
    AtomicParam     *params;      // [n_params]
    AtomicPort      *inputs;      // [n_inputs] as in the table
    AtomicPort      *outputs;     // [n_outputs]
    AtomicReadable  *readables;   // [n_readables] the first is "state", unless it is native
    uint32_t         n_params, n_inputs, n_outputs, n_readables;
    uint32_t         n_slots;     // of the state
    uint32_t         stream;      // slot of the random stream; 0: it draws nothing
    bool             is_native;   // its functions come from a native object; no program
    uint64_t         code;        // then: a hash of its file; 0: it is part of the program
    uint32_t         last;        // slot of the time of the last transition; 0: nobody asks for it

    AtomicAct       *begin;       // [n_begin] first values
    uint32_t         n_begin;
    AtomicGoal       start;
    AtomicState     *states;      // [n_states]
    uint32_t         n_states;
    AstConfluent     confluent;
    AtomicGoal       confluent_goal;
    VEC(AtomicFault) faults;
} AtomicKind;

typedef struct AtomicSet {
    Arena        *arena;          // borrowed; owns what is below
    const Ast    *ast;            // borrowed; runs do not need it
    AtomicRecord *records;        // [n_records]
    AtomicKind   *kinds;          // [n_kinds]; the table of a kind stays where it is
    uint32_t      n_kinds, n_records;
    VEC(AtomicFunction) functions;    // that are called
    ExprPool      pool;           // tables that are called, as pieces
    uint32_t     *pieces;         // [n_tables] 1 + their number in the pool; 0: not called
    AtomicSamples *samples;       // [n_tables]
    uint32_t      n_tables;       // of the source
    CodeUnit      unit;
    CodeTier      tier;
    Text          text;           // what it was built from; empty if that was native
    Background   *background;     // native code on its way or arrived; NULL: nobody asked
    _Atomic(const orr_atomic *) better;    // [n_kinds] tables of native code, once it is there
    pthread_mutex_t lock;         // over the background
    bool          is_built;
    void        **objects;        // [n_objects] native objects that were loaded
    uint32_t      n_objects;
} AtomicSet;

// Atomics can be components: each becomes a model without equations, which has its parameters and ports.
void atomic_embed(Ast *ast);

// Check all records, enumerations and atomics of a source. `units` tells what is converted in those that the
// model uses; it may be NULL. False once errors were reported.
bool atomic_check(AtomicSet *set, const Ast *ast, const Units *units, Arena *arena, orr_diag *diag);

// Where native atomics are looked for: tables that are linked in, and files that are loaded.
typedef struct AtomicNatives {
    const char *const       *files;     // [n_files]
    size_t                   n_files;
    const orr_native *const *linked;    // [n_linked]
    size_t                   n_linked;
} AtomicNatives;
// Give native kinds their functions: those with is_used[kind] must be found, and fit. False once errors were
// reported.
bool atomic_bind(AtomicSet *set, const AtomicNatives *natives, const bool *is_used, orr_diag *diag);
// Once checked, what runs need (tables, names, faults) does not depend on the Ast any more.
// Make the tables callable. False, with a diagnostic: as code_build. Free with atomic_free.
bool atomic_build(AtomicSet *set, CodeTier tier, orr_diag *diag);
void atomic_free(AtomicSet *set);    // machine code and native objects; also of a set that was never built

// As code_native_ms, code_improve and code_is_improved, for a set that was built instantly.
double atomic_native_ms(const AtomicSet *set);
void   atomic_improve(const AtomicSet *set);
bool   atomic_is_improved(const AtomicSet *set);
// Let a run of the kernel go on in native code, if that is there; false: not yet. Between two bags.
bool   atomic_take_over(const AtomicSet *set, orr_devs_run *run);

AtomicKind *atomic_find(const AtomicSet *set, const char *name);    // NULL if there is none
const AtomicRecord *atomic_find_record(const AtomicSet *set, const char *name);    // likewise
void        atomic_print(const AtomicSet *set, FILE *out);          // for `orrery show --stage atomic`
Text        atomic_text(const AtomicSet *set, Arena *arena);        // the C text
// Of it only the functions of the kinds, a0_init and so on, and what of ours they call but elementary
// functions: for files that stand alone. It needs no Ast.
Text        atomic_program_text(const AtomicSet *set, Arena *arena);

// A type for the kernel and for people: its text, and how many numbers a value has.
const char *atomic_type_name(const AtomicSet *set, AtomicType type);    // "number", "Job", "queue of Job"
uint32_t    atomic_type_slots(const AtomicSet *set, AtomicType type);   // 0 for nothing

// One number of a component, as a run has it now. Tables of kinds are given to the kernel as they are: a
// component is found to be of a kind by its table.
// The warm-up is over: if it is the mean of a statistic, that begins anew at t.
void        atomic_reset(const AtomicReadable *r, orr_devs_run *run, uint32_t component, double t);
double atomic_read(const AtomicReadable *readable, const orr_devs_run *run, uint32_t component);
// The orr_tally or orr_level that it is a part of.
const void *atomic_statistic(const AtomicReadable *r, const orr_devs_run *run, uint32_t component);
// States that were loaded are such as components can have: nothing in them leads outside of memory. Those of
// native atomics are theirs.
bool        atomic_is_sound(const AtomicSet *set, const orr_devs_run *run);
bool        digest_is_sound(const orr_digest *digest);
