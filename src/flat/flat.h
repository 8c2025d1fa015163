// src/flat/flat.h: one model as a plain set of variables and equations.
//
// No components, arrows, functions, loops or names to resolve are left. Every variable and equation keeps the
// place it came from. A variable is a number, and expressions refer to it by that number (expr VAR). Each
// derivative is a variable of its own: x, x' and x'' are three, linked by `derivative` and `integral`; the
// equation "x' is the derivative of x" is implied by the link and stands nowhere.
//
// Relations in equations are replaced by MODE k, the k-th entry of `relations`: between events a mode is a
// known truth value, so equations depend on it no more than on a parameter, and nothing flickers inside a
// step. Relations that read parameters only stay as they are, and so do those inside noevent.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "lang/ast.h"
#include "units/units.h"

#define FLAT_NONE UINT32_MAX

typedef enum FlatKind {
    FLAT_PARAM,       // fixed during a run; `start` is its default, EXPR_NONE if it is found at the start
    FLAT_INPUT,       // not connected: held at a value, like a parameter, that may change at events
    FLAT_VARIABLE,    // unknown: a state, a derivative or algebraic
    FLAT_RESULT,      // assigned in the terminal region only
    FLAT_DISCRETE,    // changes at events only: between them known, like an input
} FlatKind;

typedef enum FlatRole { FLAT_PLAIN, FLAT_ACROSS, FLAT_THROUGH } FlatRole;    // in a terminal

typedef struct FlatVar {
    const char *name;          // full path: "axle.spring.x", "x''"
    Place       place;         // of its declaration; of a terminal, that of the component that has it
    FlatKind    kind;
    FlatRole    role;
    bool        is_output;     // published by `output`
    bool        is_input;      // declared by `input`, whatever became of it
    bool        is_hidden;     // made by us (an unnamed integral): recorded only when asked for by name
    bool        start_is_guess;
    bool        is_preferred;  // by `prefer`: rather a state than others when constraints leave a choice
    bool        is_structural; // a parameter that sizes, bounds or indices depend on: fixed by compiling
    uint32_t    derivative;    // the variable that is its time derivative, or FLAT_NONE
    uint32_t    integral;      // the variable of which it is the derivative, or FLAT_NONE
    Expr        start;         // initial value, first guess or default; EXPR_NONE if none. Over parameters;
                               // that of an input or a variable may read inputs too
    double      nominal;       // its size, if declared; else 0
    bool        is_positive;   // declared: never below 0
    const char *unit;          // text, NULL if none
    const char *doc;           // NULL if none
} FlatVar;

typedef struct FlatEquation {
    Expr  lhs, rhs;
    Place place;
} FlatEquation;

// ---- Arrays that stay arrays
//
// A large array is one entry, not a variable for each element, and a `for` over it one family, not an
// equation for each turn. Only what is computed explicitly can stay so: every element by exactly one family.
// Ordering says of which arrays that is not true (`is_irregular`); the model is then expanded again with
// those as scalars.

typedef struct FlatArray {
    const char *name;          // full path without indices: "rod.u"; "rod.u'"
    uint32_t    n_primes;      // at its end
    Place       place;
    FlatKind    kind;          // PARAM or VARIABLE
    bool        is_output, start_is_guess, is_structural;
    bool        is_hidden;     // made by us (the parts of a sum)
    bool        is_irregular;  // must be expanded into scalars
    uint32_t    n;             // elements, row by row
    uint32_t    n_sizes;
    const uint32_t *sizes;     // [n_sizes]
    uint32_t    first;         // its elements are numbered from here on, through all arrays
    uint32_t    after;         // so many variables were declared before it: states keep the order of
                               // declaration
    uint32_t    derivative, integral;    // arrays, or FLAT_NONE
    Expr        start;         // of every element; EXPR_NONE if none
    double      nominal;       // likewise, 0 if none
    bool        is_positive;
    const char *unit, *doc;    // NULL if none
} FlatArray;

// lhs = rhs in every turn of the loops; none: one equation for one element.
typedef struct FlatFamily {
    ExprLoops loops;
    Expr      lhs;             // ELEM: what is computed
    Expr      rhs;
    Place     place;
} FlatFamily;

typedef struct FlatRelation {  // what MODE k stands for
    Expr  relation;            // LT, LE, GT, GE, EQ, NE over reals; relations in its operands are MODEs too
    Expr  zero;                // left minus right: changes sign where the relation changes
    Place place;
    bool  in_equation;         // some equation reads the mode; else only conditions of events do
} FlatRelation;

typedef struct FlatDelay {     // history of DELAY k
    Expr  source;              // what is remembered
    Expr  lag;                 // over parameters only, so known at the start; if it moves, the largest
    Expr  before;              // value before the start, of parameters and t; EXPR_NONE: the first of source
    Place place;
    uint32_t moving_plus_1;    // 1 + the history of the lag, which moves; 0: it does not
} FlatDelay;

typedef struct FlatAssert {
    Expr        condition;     // truth value, with plain relations (no MODEs): a check makes no events
    const char *text;          // NULL if none
    Place       place;
} FlatAssert;

// One step of the body of an event. `if` is expanded: a hidden discrete variable holds the truth of a branch,
// and what is assigned inside is `if branch then value else target`.
typedef struct FlatAction {
    uint32_t    target;        // assigned variable; of `terminate` a hidden one that becomes 1
    Expr        value;         // plain relations
    const char *text;          // of `terminate`: the reason; else NULL
    Place       place;
    bool        is_hidden;     // the target is the truth of a branch
    bool        is_kept;       // of an ASK: with a firing that waits
} FlatAction;

typedef enum FlatEventKind {
    FLAT_WHEN, FLAT_AT, FLAT_EVERY, FLAT_ON, FLAT_REINIT,
    FLAT_ASK,                  // never happens: its body computes what another event is asked
    FLAT_RATE,                 // at random: the ASK behind it computes how often
} FlatEventKind;

typedef struct FlatEvent {     // in the order of the text: equal priorities act in this order
    FlatEventKind kind;
    Expr     condition;        // WHEN: truth value, with MODEs
    Expr     time;             // AT: the time; EVERY: the period. Over parameters
    Expr     from;             // EVERY: the first time; EXPR_NONE: one period after the start
    Expr     after;            // WHEN: the delay, over parameters and discrete variables (one of which the
                               // ASK may compute); EXPR_NONE: none
    uint32_t counter, n_draws; // draws in `time` or `after`: what counts them, and how many; 0: none
    double   priority;         // larger ones first
    uint32_t asks_plus_1;      // 1 + the ASK that runs when it fires; 0: none
    uint32_t order_plus_1;     // 1 + the ASK that computes its priority, by its only action; 0: a number
    uint32_t luck_plus_1;      // 1 + the variable that orders it among equals; 0: the order of the text
    bool     lapses, settles;  // as AST_LAPSING, AST_SETTLING
    uint32_t first_action, n_actions;    // in Flat.actions
    uint32_t first_send, n_sends;        // in Flat.sends
    uint32_t port;             // ON: in Flat.ports; else FLAT_NONE
    uint32_t switch_plus_1;    // 1 + the number in Flat.switches that it switches on or off; 0: none
    uint32_t clock;            // RATE: what is left of its clock; then variables: how often, since when
    uint32_t chain;            // WHEN: the first of a when … elsewhen chain; else itself
    bool     at_start;         // WHEN: the condition reads `initial`
    Place    place;
} FlatEvent;

// ---- Messages
//
// Event ports of models and arrows between them are kept as a graph, which the network is made of
// (net/net.h). A message is n doubles. What arrives at an input stays in variables until the next one, so
// bodies and equations read it by name.

typedef enum FlatPortKind {
    FLAT_PORT_IN,              // of a model
    FLAT_PORT_OUT,
    FLAT_PORT_HOLD,            // a signal input: it holds the number that arrived last
    FLAT_PORT_COUNT,           // an input of a machine: each message makes it one more
    FLAT_PORT_PERTURB,         // a state of an island: each message perturbs it
} FlatPortKind;

typedef struct FlatPort {
    const char  *name;         // full path: "tank.kick", "tank.job[2]"
    FlatPortKind kind;
    const char  *type;         // "number", "nothing" or the name of a record
    uint32_t     n_values;     // numbers in a message
    uint32_t     first;        // variable of the first of them; FLAT_NONE: they are not kept
    uint32_t     part;         // of an atomic: in Flat.parts; else FLAT_NONE
    uint32_t     member;       // of an atomic: which of the part it belongs to, from 0
    uint32_t     n;            // how many it stands for, one for each component of the part; else 1
    uint32_t     slot;         // of an atomic: its number there, inputs first, then outputs
    bool         is_required;
    bool         is_heard;     // equations or events of the models read what arrives, or act on it
    bool         is_island;    // of the stub of an island, which hears it or sends it
    Place        place;
} FlatPort;

// One `send` of a body, in the order of the text. After the body has run `flag` tells whether it was reached.
typedef struct FlatSend {
    uint32_t port;             // in Flat.ports
    uint32_t flag;             // hidden discrete variable, to be set to 0 again
    uint32_t first;            // hidden variables with the values; FLAT_NONE if there are none
    Place    place;
} FlatSend;

// Atomic components: one, or an array of them. Large arrays share their parameters: then each port of the
// part is one entry in Flat.ports, and each parameter one variable; else each component has its own, one
// component behind the other.
typedef struct FlatPart {
    const char *name;          // full path without indices: "shop.cpu"
    const char *type;          // name of the atomic
    uint32_t    kind;          // its number in the Ast
    uint32_t    n;             // components
    uint32_t    n_sizes;       // 0: it is no array
    const uint32_t *sizes;     // [n_sizes]
    bool        is_shared;
    uint32_t    first_param, n_params;    // variables: that of parameter k of component i is first +
                                          // i·n_params + k
    const uint32_t *params;    // [n_params] of components that share: the variable of each parameter
    const bool *params_differ; // [n_params] it has a variable for each component
    uint32_t    first_port, n_ports;
    Place       place;
} FlatPart;
enum { FLAT_SHARE_FROM = 20000 };    // components of an array

typedef struct FlatCoupling {  // what comes to or leaves `from` arrives at `to`; both in Flat.ports
    uint32_t from, to;
    uint32_t from_member, to_member;    // of ports that stand for several: which, from 0
    Place    place;
} FlatCoupling;

// A coupling or an atomic component that takes part only while a condition holds. The event that switches it
// on is followed by the one that switches it off.
typedef struct FlatSwitch {
    uint32_t coupling;         // in Flat.couplings; FLAT_NONE: a component
    uint32_t part, member;
    bool     anew;             // a component that begins again each time it is switched on
    uint32_t event;            // on
} FlatSwitch;

// A component that is an island: its variables are those of its stub, which a run keeps up to date.
typedef struct FlatIslandOption {
    const char *name;          // "step", "period", …
    const char *state;         // inside of the island: of this one only; NULL: of all
    Expr        value;         // over parameters
    Place       place;
} FlatIslandOption;

typedef struct FlatIsland {
    const char    *name;       // full path
    const AstItem *item;       // borrowed from the source: valid while compiling only
    FlatIslandOption *options; // [n_options]
    uint32_t       n_options;
} FlatIsland;

// What a `reinit` block is told: was it a perturbation (else an input has jumped), which variable, its new
// value.
typedef enum FlatReinit {
    FLAT_REINIT_PERTURBED,
    FLAT_REINIT_VARIABLE,
    FLAT_REINIT_VALUE,
    FLAT_N_REINIT
} FlatReinit;

typedef struct FlatPre {       // a hidden discrete variable that keeps what `variable` was before an event
    uint32_t variable, pre;
} FlatPre;

typedef struct FlatDraw {      // a call of a distribution: for messages when it makes no sense
    int         distribution;  // in num/distribution.h
    const Expr *args;          // [n_args] as written; of `empirical` none
    uint32_t    n_args;
    Place       place;
} FlatDraw;

typedef struct FlatNoise {     // white noise of intensity 1: a hidden input that solvers of such equations
                               // know; else 0
    uint32_t    variable;
    const char *stream;        // where its path is drawn from
    Place       place;
} FlatNoise;

typedef struct FlatTerminal {  // one step of the terminal region, in the order written
    uint32_t target;           // assigned variable, FLAT_NONE for `rerun`
    Expr     value;            // what is assigned, or the condition to run again; plain relations
    double   at_most;          // of `rerun`: how often
    Place    place;
    bool     is_limited;       // of `rerun`: the limit was written, so reaching it is no failure
} FlatTerminal;

typedef struct FlatGiven {     // a value from outside
    const char *name;          // of a parameter: full path
    double      value;         // in its unit
} FlatGiven;
// An input that follows samples during a run. Between two of them its value is a polynomial of t, whose
// coefficients the run sets from piece to piece: u = c0 + s (c1 + s (c2 + s c3)) with s = t - origin.
typedef struct FlatDriven {
    const char *name;          // full path
    int         degree;        // 0, 1 or 3
    Place       place;         // where it is asked for
    uint32_t    variable;      // found: the input itself or, from degree 1 on, the variable that has its
                               // place; else NONE
    uint32_t    origin, c[4];  // hidden inputs; of degree 0 c[0] is the input
} FlatDriven;

typedef struct Flat {
    Arena      *arena;                 // borrowed; owns everything
    const char *model;                 // name
    Place       place;                 // of the name
    const char *doc;
    const char *time_unit;             // NULL: seconds
    Units      *units;                 // borrowed; found before, NULL if the model has none
    // by the caller, before expanding: what structural parameters are instead of their defaults. Others keep
    // theirs: they are given to a run, and a model serves all their values
    const FlatGiven *given;            // [n_given] owned by the arena; of one name the last one counts
    size_t      n_given;
    uint32_t    keep_from;             // arrays of so many elements stay arrays; 0: none do
    const TextMap *expanded;           // names of arrays that must not; NULL if none
    bool        reactions_are_events;
    bool        keep_failed;           // after expanding: arrays hide a mistake; expand again without any
    // likewise: values for inputs, as a parent would give them to a component
    const AstSetting *settings;        // [n_settings] borrowed; NULL if none
    uint32_t    n_settings;
    FlatDriven *driven;                // [n_driven] by the caller, names and degrees; the rest is found
    uint32_t    n_driven;
    ExprPool    pool;
    VEC(FlatVar)      vars;
    VEC(FlatEquation) equations;
    VEC(FlatEquation) initial;         // hold at the start only
    VEC(FlatRelation) relations;
    VEC(FlatDelay)    delays;
    VEC(FlatAssert)   asserts;
    VEC(FlatTerminal) terminal;
    VEC(FlatEvent)    events;
    VEC(FlatAction)   actions;         // of all events, one behind the other
    VEC(FlatPre)      pres;
    VEC(FlatPort)     ports;           // event ports
    VEC(FlatSend)     sends;           // of all events, one behind the other
    VEC(FlatCoupling) couplings;
    VEC(FlatIsland)   islands;
    VEC(FlatDraw)     draws;
    VEC(FlatPart)     parts;
    VEC(FlatSwitch)   switches;
    VEC(FlatNoise)    noises;
    uint32_t    initial_flag;          // hidden discrete variable, 1 at the start only; FLAT_NONE if unused
    uint32_t    n_reinits;             // events that are `reinit` blocks
    uint32_t    reinit[FLAT_N_REINIT]; // hidden discrete variables with what they are told; FLAT_NONE if
                                       // unused
    TextMap     by_name;               // full path → variable
    VEC(FlatArray)    arrays;
    uint32_t    n_elements;            // of all arrays
    VEC(FlatFamily)   families;
    VEC(FlatFamily)   initial_families;
    TextMap     array_by_name;         // full path → array
} Flat;

enum { FLAT_KEEP_FROM = 1000 };

// Expand `model` of the Ast. False once an error has been reported. Everything goes into flat->arena.
bool flat_expand(Flat *flat, const Ast *ast, const AstModel *model, orr_diag *diag);

uint32_t   flat_find(const Flat *flat, const char *name);    // FLAT_NONE if absent
ExprNames  flat_names(const Flat *flat);                     // for expr_print: names, and relations for modes
// The array and the element of a name such as "rod.u[3]'"; false if there is no such.
bool       flat_find_element(const Flat *flat, const char *name, uint32_t *array, uint32_t *element);
char      *flat_element_name(const Flat *flat, uint32_t array, uint32_t element, Arena *arena);
uint32_t   flat_array_of(const Flat *flat, uint32_t element);    // by the number through all arrays
void       flat_print_family(const Flat *flat, const FlatFamily *family, FILE *out);
static inline bool flat_array_is_state(const FlatArray *a)
{
    return a->kind == FLAT_VARIABLE && a->derivative != FLAT_NONE;
}
static inline bool flat_array_is_unknown(const FlatArray *a)
{
    return a->kind == FLAT_VARIABLE && a->derivative == FLAT_NONE;
}
char      *flat_member_name(const FlatPart *part, uint32_t member, Arena *arena);    // "shop.cpu[2]"
void       flat_print_equation(const Flat *flat, const FlatEquation *equation, FILE *out);
void       flat_print_cause(const Flat *flat, const FlatEvent *event, FILE *out);    // "when h <= 0"
void       flat_print(const Flat *flat, FILE *out);
