// src/lang/ast.h: a parsed model file, as written: no names resolved, nothing expanded.
//
// Every front end (the language, CSMP block diagrams) makes this one structure, so all that follows knows
// only one kind of model. All of it lives in the arena of the source; texts are NUL-terminated. Places point
// into the files registered with the diagnostics.
//
// Depth. Brackets, signs, powers, conditions and blocks are nested at most AST_DEPTH_MAX deep, so a walk may
// recurse into all of them. Only chains of equal rank may be of any length: `a + b + … ` is a tree that leans
// to the left, one node for each operator. A walk over AST_BINARY must therefore loop along `operands.a` and
// recurse into `operands.b`.
#pragma once
#include "base/arena.h"
#include "base/diag.h"    // Place
#include "base/vec.h"
#include "num/pieces.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { AST_DEPTH_MAX = 200 };

typedef enum AstExprKind {
    AST_NUMBER,    // 9.81, with an optional unit
    AST_REF,       // x, spring.x', u[i-1]''
    AST_CALL,      // sin(x), INTEG(e, ic), a user's function
    AST_UNARY,     // -a, not a
    AST_BINARY,    // a + b … a or b
    AST_IF,        // if a then b else c
    AST_CONVERT,   // a in km: operands.b is the number 1 with that unit
    AST_RANGE,     // a..b, as an index: several elements
} AstExprKind;

typedef enum AstOp {
    AST_ADD, AST_SUB, AST_MUL, AST_DIV, AST_POW, AST_NEG,
    AST_LT, AST_LE, AST_GT, AST_GE, AST_EQ, AST_NE,
    AST_AND, AST_OR, AST_NOT,
} AstOp;

typedef struct AstExpr AstExpr;
typedef struct AstIndex AstIndex;

// The function of `delay(x, lag) within largest`, whose last argument that is.
#define AST_DELAY_WITHIN "delay within"

// One step of a path: `cpu[3]` in `cpu[3].waiting`.
typedef struct AstPart {
    const char *name;
    AstExpr   **indices;      // [n_indices]
    uint32_t    n_indices;
} AstPart;

typedef struct AstRef {
    AstPart *parts;           // [n_parts], at least one
    uint32_t n_parts;
    uint32_t primes;          // order of the derivative: 2 for x''
} AstRef;

struct AstExpr {
    AstExprKind kind;
    AstOp       op;           // unary, binary
    bool        is_elseif;    // an `if` behind another: written so, not `else if`
    Place       place;        // the whole expression
    union {
        struct { double value; const char *unit; } number;    // unit NULL if none was given
        AstRef ref;
        struct { const char *function; AstExpr **args; AstIndex *loops;
                 uint32_t n_args, n_loops; } call;             // loops: sum(e for i in 1..n)
        struct { AstExpr *a, *b, *c; } operands;               // unary a; binary, range a b; if a b c
    };
    const AstExpr *origin;    // of a copy that flattening made: what was written; else NULL
};

struct AstIndex {             // `for name in first..last`
    const char *name;
    AstExpr    *first, *last;
    Place       place;        // the name
};

typedef enum AstDeclKind {
    AST_PARAM, AST_CONST, AST_INPUT, AST_VAR, AST_OUTPUT,
    AST_ACROSS, AST_THROUGH,    // of a terminal type: equal on a node, and summing to zero
    AST_DISCRETE,               // changes at events only
    AST_EVENT_INPUT, AST_EVENT_OUTPUT,    // `input event job : Job`: where messages arrive and leave
} AstDeclKind;

typedef struct AstDecl {
    AstDeclKind kind;
    const char *name;
    uint32_t    primes;       // `var x = 1, x' = 0` gives a start value to a derivative
    AstExpr   **sizes;        // [n_sizes] of an array; none for a scalar
    uint32_t    n_sizes;
    AstExpr    *value;        // NULL if none; for an output its definition
    bool        is_guess;     // written `~ value`
    const char *unit;         // "m/s^2" or NULL
    Place       unit_place;
    const char *doc;          // NULL if none
    const char *type;         // of messages: a record, "nothing", or NULL: a number
    Place       type_place;
    AstExpr    *nominal;      // `nominal 1e-19`, a number: the size that its tolerance follows; NULL if none
    bool        is_positive;  // `positive`: never below 0
    bool        is_required;  // an event input that must be connected
    bool        is_draw;      // `draw time = 0.8` of an atomic: a parameter or, if
    bool        is_drawn;     // … its value is random, drawn anew wherever it is read (atomic/draw.c)
    Place       place;        // the name
} AstDecl;

typedef struct AstSetting {   // `K = 3`, `spring.K = 3` in overrides and `set`
    AstRef   target;
    AstExpr *value;
    Place    place;
} AstSetting;

// `island c : Model(…) solver rk4 step 0.01 output every 0.1`: what stands behind the model.
typedef struct AstIsland {
    const char *solver;       // NULL if not given
    Place       solver_place;
    AstSetting *options;      // [n_options] names and values: step, tol, …, period; `quantum x = …` has x
                              // behind the name
    uint32_t    n_options;
    bool        synchronised, gradients;
    bool        is_within;    // a component of an island, not one itself
    uint32_t    stub;         // what the model around it sees, in Ast.stubs
} AstIsland;

typedef struct AstItem AstItem;

typedef enum AstItemKind {
    AST_DECL,         // param, const, input, var, output
    AST_EQUATION,     // lhs = rhs
    AST_INITIAL,      // an equation that holds at the start
    AST_ASSERT,       // assert condition "text"
    AST_PREFER,       // prefer x: one for each name
    AST_COMPONENT,    // name : Model(overrides)
    AST_ARROW,        // a.y -> b.u
    AST_CONNECT,      // a.p -- b.n
    AST_FOR,          // for i in 1..n … end
    AST_TIME_UNIT,    // time [d]
    AST_FUNCTION,     // function f(x) = …
    AST_ASSIGN,       // name := e, in a terminal region or the body of an event
    AST_RERUN,        // rerun when c [at most n], in a terminal region only
    AST_TERMINAL,     // terminal … end
    AST_EVENT,        // when, at, every … then … end; next x = e every h
    AST_BRANCH,       // if c then … else … end, in the body of an event
    AST_TERMINATE,    // terminate "reason", in the body of an event
    AST_SEND,         // send port(values), in the body of an event
    AST_PRESENT,      // present cpu[i] when c: an atomic that takes part only while a condition holds
    AST_REACTION,     // reaction r1 : A + B -> C rate k*A*B
} AstItemKind;

typedef struct AstFunction {
    const char  *name;
    const char **params;      // [n_params]
    uint32_t     n_params;
    AstItem     *locals;      // [n_locals] AST_EQUATIONs `name = e`, in the order written
    uint32_t     n_locals;
    AstExpr     *result;
    const char  *doc;
    Place        place;       // the name
} AstFunction;

typedef enum AstEventKind {
    AST_WHEN, AST_AT, AST_EVERY, AST_NEXT, AST_ON, AST_REINIT, AST_RATE
} AstEventKind;

// Words behind `when C`, `at`, …: how an event behaves at its instant.
#define AST_EVENT_OPTIONS(O)                                                                                 \
    O(LAPSING, "lapsing")      /* WHEN: not if the condition is false again before the body runs */          \
    O(FROZEN, "frozen")        /* what the body assigns is computed when it fires, not when it runs */       \
    O(SETTLING, "settling")    /* conditions are looked at again before the next body runs */                \
    O(SHUFFLED, "shuffled")    /* of equal priority: in an order drawn at random */
enum {
#define O(name, word) AST_BIT_##name,
    AST_EVENT_OPTIONS(O)
#undef O
    AST_N_EVENT_OPTIONS
};
enum {
#define O(name, word) AST_##name = 1 << AST_BIT_##name,
    AST_EVENT_OPTIONS(O)
#undef O
};
extern const char *const ast_event_options[AST_N_EVENT_OPTIONS];

typedef struct AstEvent {
    AstEventKind kind;
    AstExpr     *condition;   // WHEN
    AstRef       port;        // ON: the event input
    Place        port_place;
    AstExpr     *time;        // AT: the time; EVERY, NEXT: the period
    AstExpr     *from;        // EVERY, NEXT: the first time; NULL: one period after the start
    AstExpr     *after;       // WHEN: the delay; NULL: none
    AstExpr     *priority;    // NULL: 0
    unsigned     options;     // AST_LAPSING, …
    AstItem     *body;        // [n_body] AST_ASSIGN, AST_BRANCH, AST_FOR, AST_TERMINATE, AST_SEND; NEXT: one
                              // AST_ASSIGN
    uint32_t     n_body;
    struct AstEvent *otherwise;    // WHEN: its `elsewhen`, of the same kind; or NULL
    Place        place;       // from its first word to what its condition ends with
} AstEvent;

typedef struct AstSpecies {   // `2 A` in a reaction
    double number;
    AstRef ref;
    Place  place;
} AstSpecies;

typedef struct AstReaction {  // `reaction r1 : A + B -> C rate k*A*B`
    const char *name;
    AstSpecies *species;      // [n_species] the first n_left disappear, the others appear
    uint32_t    n_left, n_species;
    AstExpr    *rate;
} AstReaction;

struct AstItem {
    AstItemKind kind;
    Place       place;            // all that was written for it; of a block its first line
    union {
        AstDecl decl;
        struct { AstExpr *lhs, *rhs; } equation;                  // also AST_INITIAL
        struct { AstExpr *condition; const char *text; } assertion;
        AstRef prefer;
        struct {
            const char *name; AstExpr **sizes; uint32_t n_sizes; Place name_place;
            const char *model; Place model_place;
            AstSetting *overrides; uint32_t n_overrides;
            AstIsland *island;    // NULL: its equations are among those of the model around it
            struct AstItem *written;    // of a component with draws (atomic/draw.c); else NULL
        } component;
        // also AST_CONNECT; when: messages go this way only while it holds; else NULL
        struct { AstRef from, to; Place from_place, to_place; AstExpr *when; } arrow;
        struct { AstRef part; Place part_place; AstExpr *condition; bool anew; } present;
        struct { const char *index; AstExpr *first, *last; AstItem *items; uint32_t n_items; } loop;
        const char *time_unit;
        AstFunction function;
        struct { AstRef target; AstExpr *value; } assign;
        struct { AstExpr *condition, *at_most; } rerun;           // at_most NULL: the documented limit
        struct { AstItem *items; uint32_t n_items; } terminal;    // AST_ASSIGN, AST_RERUN
        AstEvent *event;
        // `else` is a branch with a NULL condition, `elseif` one with another
        struct { AstExpr *condition; AstItem *items; uint32_t n_items; AstItem *otherwise; } branch;
        const char *terminate;                                    // the reason
        AstReaction *reaction;
        struct { AstRef port; Place port_place; AstExpr **values; uint32_t n_values; } send;
    };
};

typedef struct AstModel {
    const char *name, *doc;
    Place       place;        // the name
    AstItem    *items;        // [n_items] in the order written
    uint32_t    n_items;
    bool        is_machine;   // made from a machine, nobody wrote it
    bool        is_stub;      // what is seen of an island
    const struct AstAtomic *atomic;    // made from this atomic: nobody wrote it; else NULL
} AstModel;

// ---- Machines

// A state, an input or an output where it is used: `eating`, `S[i+j]`, `if i < 3 then S[i+1] else S[1]`.
typedef struct AstSymbol AstSymbol;
struct AstSymbol {
    const char *name;         // NULL: `*`, or a choice
    AstExpr   **indices;      // [n_indices]
    uint32_t    n_indices;
    AstExpr    *condition;    // of a choice between the next two; else NULL
    AstSymbol  *yes, *no;
    Place       place;
};

typedef struct AstRange { AstExpr *first, *last; } AstRange;    // first NULL: 1

typedef struct AstFamily {    // `toy`, `I[3]`, `S[0..5]` where it is declared
    const char *name;
    AstRange   *ranges;       // [n_ranges]
    uint32_t    n_ranges;
    Place       place;
} AstFamily;

typedef struct AstBranch {
    AstExpr   *probability;   // NULL: certain, and the only one
    AstSymbol *to;
} AstBranch;

typedef struct AstMove {      // `toy -> playing / quiet`, `* -> 0.5 a | 0.5 b`
    AstSymbol *input;
    AstBranch *branches;      // [n_branches]
    uint32_t   n_branches;
    AstSymbol *output;        // NULL if none
    Place      place;
} AstMove;

typedef enum AstMachineItemKind {
    AST_MACHINE_CONST,        // const n = 5
    AST_MACHINE_INPUT,        // input toy, food: one item for each name
    AST_MACHINE_OUTPUT,       // output cries, quiet: likewise
    AST_MACHINE_START,        // start S
    AST_MACHINE_STATE,        // state S / output : moves
    AST_MACHINE_RULE,         // S[i] on I[j] -> S[i+j]; S[i] / output
} AstMachineItemKind;

typedef struct AstMachineItem {
    AstMachineItemKind kind;
    Place       place;        // all that was written for it
    AstFamily   family;       // const (a name), input, output, state
    AstExpr    *value;        // const
    AstSymbol  *symbol;       // start; the states of a rule
    AstSymbol  *output;       // of a state or a rule without moves; NULL if none
    AstMove    *moves;        // [n_moves] of a state; of a rule one or none
    uint32_t    n_moves;
    const char *doc;          // of a state
} AstMachineItem;

typedef struct AstMachine {
    const char     *name, *doc;
    Place           place;    // the name
    AstMachineItem *items;    // [n_items] in the order written
    uint32_t        n_items;
} AstMachine;

// ---- Discrete events: message types and atomics

typedef struct AstField {     // `size [kg]`, `urgent : boolean`
    const char *name;
    const char *unit;         // NULL if none
    const char *type;         // NULL: a number
    Place       place, type_place, unit_place;
} AstField;

typedef struct AstRecord {    // what a message says: `record Job … end`
    const char *name, *doc;
    Place       place;        // the name
    AstField   *fields;       // [n_fields]
    uint32_t    n_fields;
} AstRecord;

typedef struct AstEnum {      // `enum Colour red, green, blue`
    const char  *name, *doc;
    Place        place;       // the name
    const char **values;      // [n_values]
    Place       *places;
    uint32_t     n_values;
} AstEnum;

typedef struct AstPort {      // `input event job : Job`
    const char *name, *doc;
    const char *type;         // NULL: a number; "nothing": it tells only that it comes
    const char *unit;         // of a number; NULL if none
    AstExpr    *size;         // of an array; NULL: one
    bool        is_output;
    bool        is_required;  // of an input: it must be coupled
    Place       place, type_place, unit_place;
} AstPort;

// A statement of a `do` block.
typedef struct AstAct AstAct;
typedef enum AstActKind {
    AST_ACT_ASSIGN,           // target := value
    AST_ACT_CALL,             // push(waiting, job): value
    AST_ACT_IF,               // if value then body else other end
    AST_ACT_FOR,              // for index in value..last body end
    AST_ACT_ON,               // in `confluent`: on index [if value] do body end, for each message of a port
} AstActKind;
struct AstAct {
    AstActKind  kind;
    Place       place;
    AstRef      target;
    Place       target_place;
    AstExpr    *value, *last;
    const char *index;
    AstAct     *body, *other; // [n_body], [n_other]; `elseif` is an AST_ACT_IF that is all of `other`
    uint32_t    n_body, n_other;
};

// Where a transition leads: [do ACTS] -> STATE [keeping time], a choice, or one of several by chance.
typedef struct AstGoal AstGoal;
struct AstGoal {
    AstAct     *acts;         // [n_acts] done first
    uint32_t    n_acts;
    const char *state;        // NULL: the present one, keeping time; or a choice
    bool        keeps;        // keeping time
    AstExpr    *condition;    // of a choice between yes and no; else NULL
    AstGoal    *yes, *no;
    AstExpr   **chances;      // [n_chances] of each in `cases`; none: it is certain
    AstGoal    *cases;
    uint32_t    n_chances;
    Place       place;
};

typedef struct AstEmit {      // `done(now) if size > 2` behind `send`
    const char *port;
    AstExpr    *index;        // of an array of ports; NULL: none
    AstExpr    *value;        // NULL: nothing is told
    AstExpr    *condition;    // NULL: always
    Place       place, port_place;
} AstEmit;

typedef struct AstTransition {
    const char *port;         // `on PORT`; NULL: `after`
    AstExpr    *index;        // `on PORT[i]`: a new name, each of them; else which one; NULL: none
    AstExpr    *guard;        // NULL: always
    AstEmit    *emits;        // [n_emits] of `after`
    uint32_t    n_emits;
    AstGoal     goal;
    Place       place, port_place;
} AstTransition;

typedef struct AstState {     // `state busy for exponential(mean)` and what follows it
    const char    *name, *doc;
    AstExpr       *duration;  // NULL: for ever
    AstTransition *transitions;    // [n_transitions]
    uint32_t       n_transitions;
    Place          place;     // the name
    Place          line;      // all of its first line
} AstState;

typedef struct AstCell {      // a variable of an atomic: `var n = 0`, `var now : Job`, `var waiting =
                              // queue(Job)`
    const char *name, *doc;
    AstExpr    *size;         // of an array; NULL: one
    AstExpr    *value;        // NULL if none
    const char *type;         // NULL: that of the value
    const char *unit;         // NULL if none
    Place       place, type_place, unit_place;
} AstCell;

typedef enum AstConfluent {
    AST_CONFLUENT_INTERNAL,   // first
    AST_CONFLUENT_EXTERNAL,   // first
    AST_CONFLUENT_OWN,        // a block of its own
} AstConfluent;

typedef struct AstAtomic {
    const char    *name, *doc;
    Place          place;     // the name
    AstDecl       *params;    // [n_params] AST_PARAM and AST_CONST, in the order written
    AstPort       *ports;     // [n_ports]
    AstCell       *cells;     // [n_cells]
    AstTransition *common;    // [n_common] `on` before the first state: in any state
    AstState      *states;    // [n_states]
    uint32_t       n_params, n_ports, n_cells, n_common, n_states;
    bool           is_native; // `atomic Filter native`: what it does is C code, found by its name
    bool           is_special;    // nobody wrote it: made for a component with draws
    bool           has_start;
    AstGoal        start;     // `start idle`, with what is done first
    AstConfluent   confluent;
    bool           has_confluent;
    AstGoal        confluent_goal;    // AST_CONFLUENT_OWN
    Place          start_place, confluent_place;
} AstAtomic;

typedef struct AstPlot {      // `plot x, v over t`
    AstRef  *ys;              // [n_ys]
    uint32_t n_ys;
    Place   *y_places;        // [n_ys]
    AstRef   over;            // n_parts == 0: time
    Place    place, over_place;
    bool     is_histogram;    // `plot histogram of desk.waits`
} AstPlot;

typedef struct AstStatistic { // `statistics desk.waits percentiles 50, 95 histogram 20 bins in 0..10`
    AstRef   *refs;           // [n_refs]
    Place    *places;         // [n_refs]
    AstExpr **percentiles;    // [n_percentiles]; none: the usual ones
    uint32_t  n_refs, n_percentiles;
    bool      has_histogram;
    AstExpr  *n_bins, *low, *high;    // NULL if not given
} AstStatistic;

typedef struct AstCorrelation {    // `correlation K, M = 0.5`
    AstRef   a, b;
    AstExpr *value;
    Place    place;
} AstCorrelation;

typedef struct AstScenario {  // `scenario fast : K = 3, M = 2`
    const char *name;
    AstSetting *sets;         uint32_t n_sets;
    Place       place;
} AstScenario;
typedef struct AstSelect {    // `select least of cost within 0.5`
    bool        is_least;
    const char *of;           // NULL: the first observation
    AstExpr    *within;
} AstSelect;

typedef struct AstDataColumn {    // `x = column "position" [cm] deviation "sd"`
    AstExpr    *what;         // of `follows` an expression
    const char *column, *unit;    // unit NULL: as the file says
    const char *deviation;    // a column; NULL: none
    AstExpr    *sd;           // a number instead
} AstDataColumn;
typedef struct AstData {      // `data "measured.csv" time "t" x = column "position" where K = 2`
    const char    *file, *time;   // time NULL: the first column
    AstDataColumn *columns;       uint32_t n_columns;
    AstSetting    *where;         uint32_t n_where;    // what was set when it was measured
    Place          place;
} AstData;

// What is measured of a run: `x at 3`, `max of x from 2 to 5`, `p95 of x`, `time when x > 1`, `always x < 1`.
typedef enum AstMeasure {
    AST_MEASURE_AT,
    AST_MEASURE_MAX,
    AST_MEASURE_MIN,
    AST_MEASURE_MEAN,
    AST_MEASURE_INTEGRAL,
    AST_MEASURE_QUANTILE,
    AST_MEASURE_TIME,
    AST_MEASURE_COUNT,
    AST_MEASURE_ALWAYS,
    AST_MEASURE_EVENTUALLY,
    AST_MEASURE_NEVER,
    AST_MEASURE_FOLLOWS,      // how far it is from data at most
    AST_MEASURE_MISFIT,       // how far all data are, as a root of the mean square
} AstMeasure;
typedef struct AstObserve {
    const char *name;         // `peak = max of x`; NULL: none
    AstMeasure  measure;
    double      part;         // of quantiles
    AstExpr    *what;
    AstOp       relation;     // behind `when`, `always`, `eventually`, `never`: `what` relation `level`
    AstExpr    *level;
    AstExpr    *at;           // NULL: at the end of the run
    AstExpr    *from, *to;    // NULL: all of the run
    AstData    *data;         // of `follows`
    Place       place;
} AstObserve;

typedef struct AstExpect {    // `expect x at 1 = 0.3679 within 1e-4`, `expect always x < 1`
    AstObserve what;
    AstExpr   *value, *within;    // NULL: what is expected is true or not
    Place      place;
} AstExpect;

typedef struct AstInput {     // `input u = sin(t)`, `input u from "data.csv" column "flow" linear cyclic
                              // outside zero`
    AstRef      target;
    Place       target_place;
    AstExpr    *value;        // NULL: it comes from outside
    const char *kind;         // "csv", "stdin", "unix", "udp", "mqtt"
    const char *address;      // file, path, port, broker and topic; "" for stdin
    const char *column, *time;    // of a file; NULL if not given
    const char *between;      // "hold", "linear", "cubic"
    const char *outside;      // "hold", "error", "zero"; NULL if not given
    bool        is_cyclic;
    bool        is_messages;  // `as messages`: each row is one
    const char **columns;     // [n_columns] `columns "a", "b"`: of the fields of a message
    uint32_t    n_columns;
    Place       place;
} AstInput;

typedef struct AstSend {      // `output y, z to udp "5006"`
    AstRef     *refs;         // [n_refs]
    uint32_t    n_refs;
    const char *kind, *address;    // as above, or "stdout"
    Place       place;
} AstSend;

typedef struct AstClaim {     // `x in 0..2 [m]`
    AstRef   what;
    AstExpr *low, *high;      // NULL: any value
    Place    place;
} AstClaim;

typedef struct AstFrame {     // inside what a model is claimed to hold
    const char *name, *doc;
    const char *model;        // whose names and units it uses
    Place       place, model_place;
    AstClaim   *inputs;       uint32_t n_inputs;   // generator: what may be applied
    AstClaim   *ranges;       uint32_t n_ranges;   // acceptor
    AstRef     *observes;     uint32_t n_observes; // transducer
    Place      *observe_places;
    const char *outside;      // "stop" or "go on"; NULL if not given
} AstFrame;

// Of `kind continue param a from 1 to -1`: a word, a text or a value. Which words there are, and what each
// takes, is the matter of those who carry out experiments.
typedef struct AstTerm {
    const char *name;         // a word by itself, or a text in quotes; NULL: a value
    AstExpr    *value;
    bool        is_quoted;
    char        before;       // what stands before it: ',', '=', '.' for `..`, or ' '
    Place       place;
} AstTerm;

// `sweep K over 1, 2, 5`, `sweep K over 0.01..100 in 5 log`, `sweep solver step over 0.1, 0.01`,
// `fit K from 1 in 0.1..50 log`
typedef struct AstVaried {
    const char *option;       // of the solver; NULL: of the model
    AstRef      what;
    Place       what_place;
    AstExpr   **values;       uint32_t n_values;    // none: from low to high
    AstExpr    *low, *high, *count;                 // NULL: not given
    AstExpr    *start;                              // of a fit; NULL: as the model has it
    bool        is_log, is_fit;
} AstVaried;

typedef struct AstSolver {    // `solver rk4 step 0.01`, `solver o : qss2 quantum 1e-3`
    AstRef      island;       // no parts: of all that name none
    Place       island_place;
    const char *name;         // NULL if not given
    Place       place;
    AstSetting *options;      uint32_t n_options;  // step, tol, abs, …
} AstSolver;

typedef struct AstExperiment {
    const char *name, *doc;
    const char *model;        // `of MODEL`
    Place       place, model_place;
    AstExpr    *from, *until, *every;              // NULL if not given
    AstSolver   solver;
    AstSolver  *islands;      uint32_t n_islands;  // solvers of single islands
    AstSetting *sets;         uint32_t n_sets;
    AstSetting *quanta;       uint32_t n_quanta;   // of single states: `quantum x = 0.01`
    AstSetting *absolutes;    uint32_t n_absolutes;    // likewise: `abs x = 1e-12`
    AstRef     *records;      uint32_t n_records;  // none: the outputs, or all that is not a parameter
    Place      *record_places;                     // [n_records]
    bool        as_polynomials;                    // of quantised states
    const char *reactions;    // `reactions as events`: "events" or "equations"; NULL if not given
    AstPlot    *plots;        uint32_t n_plots;
    AstExpect  *expects;      uint32_t n_expects;
    AstObserve *observes;     uint32_t n_observes;
    AstVaried   *varied;       uint32_t n_varied;
    AstData    *data;         uint32_t n_data;
    AstSetting *draws;        uint32_t n_draws;    // `set K ~ normal(2, 0.1)`: values are calls
    AstCorrelation *correlations; uint32_t n_correlations;
    AstScenario *scenarios;   uint32_t n_scenarios;
    AstSelect  *select;       // NULL: not given
    AstStatistic *statistics; uint32_t n_statistics;
    AstInput   *inputs;       uint32_t n_inputs;
    AstSend    *sends;        uint32_t n_sends;
    bool        keeps;        // its runs go to the store of the model
    AstTerm    *kind;         uint32_t n_kind;     // the first is its name; none: not given
    AstExpr    *seed, *replications, *warm_up, *precision, *confidence;    // NULL if not given
    AstRef     *precise;      uint32_t n_precise;  // `precision 0.05 of x, mean(y)`; none: all
    Place      *precise_places;
    bool       *precise_means;                     // [n_precise] mean(y): of its rows
    const char *frame;        // `in FRAME`, or NULL
    Place       frame_place;
    const char *outside;      // of the frame: "stop" or "go on"; NULL: as the frame says
    const char *missing;      // a setting the user must give (CSMP's `?`), such as "timestep"; or NULL
    Place       missing_place;
} AstExperiment;

typedef struct AstUnit {      // `unit furlong = 201.168 [m]`, `unit euro`
    const char *name, *doc;
    double      value;
    const char *unit;         // NULL: a unit of a new kind
    Place       place;        // the name
    Place       unit_place;
} AstUnit;

// How a table is read between its points, and outside of them.
enum { AST_N_BETWEEN = PIECES_CUBIC + 1, AST_N_OUTSIDE = PIECES_OUTSIDE_ERROR + 1 };
extern const char *const ast_between_words[AST_N_BETWEEN], *const ast_outside_words[AST_N_OUTSIDE];

typedef struct AstArgument {
    const char *name;
    const char *unit;         // NULL if none
    Place       place, unit_place;
} AstArgument;

typedef struct AstTable {     // `table drag(v [m/s]) [N] linear outside hold`, with its points in rows or in
                              // a file
    const char *name, *doc;
    Place       place;        // the name
    AstArgument arguments[2];
    uint32_t    n_arguments;  // 1 or 2; 0: `samples`, measurements to draw from, with z ascending
    const char *unit;         // of the value; NULL if none
    Place       unit_place;
    PiecesBetween between;
    PiecesOutside outside;
    bool        says_between, says_outside;
    Place       between_place;
    const char *file;         // NULL: the points are written here
    Place       file_place;
    const char **columns;     // [n_columns] of the arguments and of the value; none: not given
    uint32_t    n_columns;
    Place       columns_place;
    // the points, in the units above; of a file once it has been read
    double     *x, *y;        // [n_x], [n_y]; n_y 0: one argument
    uint32_t    n_x, n_y;
    double     *z;            // [n_x] or [n_x·n_y], row after row
} AstTable;

typedef struct AstUse {       // `use "parts.orr"`
    const char *path;         // as written
    Place       place;
} AstUse;

// All that one file and the files it uses contain.
typedef struct Ast {
    Arena *arena;                                  // borrowed; owns everything below
    VEC(AstUse)        uses;
    VEC(AstModel)      terminals;                  // their items are AST_DECLs, across and through
    VEC(AstModel)      models;
    VEC(AstModel)      stubs;                      // of models that are islands: names without equations
    VEC(AstMachine)    machines;
    VEC(AstRecord)     records;
    VEC(AstEnum)       enums;
    VEC(AstAtomic)     atomics;
    VEC(AstFunction)   functions;
    VEC(AstExperiment) experiments;
    VEC(AstFrame)      frames;
    VEC(AstUnit)       units;
    VEC(AstTable)      tables;
    bool   has_units;                              // a unit occurs, other than that of time
} Ast;

// A copy of a model with more statements behind its own.
AstModel *ast_model_with(Arena *arena, const AstModel *model, const AstItem *also, size_t n_also);
// Make the stubs of all islands, once all models are known. False: reported.
bool ast_make_stubs(Ast *ast, orr_diag *diag);

// Print in the language, for `orrery show --stage ast`: each statement on a line of its own, one name to a
// declaration, as few parentheses as possible. Reading it again gives the same Ast.
void ast_print(const Ast *ast, FILE *out);
// Warn of parameters, constants and inputs of this file that nothing reads.
void ast_report_unused(const Ast *ast, uint32_t file, orr_diag *diag);
// Print one expression as the language writes it, with as few parentheses as its meaning needs.
void ast_print_expr(const AstExpr *expr, FILE *out);
void ast_print_observe(const AstObserve *observe, FILE *out);    // likewise, without its name
