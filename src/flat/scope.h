// src/flat/scope.h: instances of models while they are expanded, and what the names in them stand for.
//
//     shape     a model's names, found once however many instances there are
//     declare   the tree of instances; every name gets its variables
//     connect   arrows and connections of terminals become equations
//     define    equations, asserts, functions; derivatives appear as they are met    (with lower, library)
//     settle    values of parameters, inputs and starts, once it is known what is a state
//
// Values (of parameters, equations, overrides) stay Ast until every name of the tree is declared, so the
// order of declarations never matters. The expander's arena ends with the expansion; only what Flat holds is
// kept.
#pragma once
#include "flat/flat.h"
#include "front/front.h"

typedef struct Scope Scope;

// ---- Shapes: what all instances of a model have in common

typedef enum SymbolKind {
    SYMBOL_VARIABLE,     // param, input, var, output, or declared by an equation
    SYMBOL_CONST,
    SYMBOL_COMPONENT,
    SYMBOL_RESULT,       // a new name in the terminal region
    SYMBOL_PORT,         // an event port
} SymbolKind;

typedef struct Symbol {
    SymbolKind     kind;
    AstDeclKind    declared;      // VARIABLE: how; AST_VAR if by an equation
    const char    *name;
    Place          place;
    const AstDecl *decl;          // VARIABLE, CONST: NULL if declared by an equation
    const AstItem *component;     // COMPONENT
    bool           is_terminal;   // COMPONENT: of a terminal type
} Symbol;

typedef struct Shape {
    const AstModel *model;
    VEC(Symbol) symbols;          // in the order written
    TextMap     by_name;          // → symbol
    Map         by_pointer;       // the same by the address of the name, which is one in each file; quicker
    TextMap     functions;        // of the model itself → item
    bool        has_rates;        // declares starts of derivatives
    bool        has_terminal;     // has a terminal region
} Shape;

// ---- Scopes: instances

// A value that a parent gives to something inside a component: `K = 3`, `spring.K = 3`, `r[2].K = 3`.
typedef struct Override {
    struct Override  *next;       // for the same entity; the first one wins
    const AstSetting *setting;
    Scope            *scope;      // where its value and its indices are read
    uint32_t          depth;      // parts of its path already followed
} Override;

// What parents say about an array of components: for all of them, and by element for single ones.
typedef struct Given {
    const Override  *general;     // list
    const Override **specific;    // [n_elements] lists; NULL if there are none
} Given;

typedef struct Value {
    const AstExpr *expr;          // NULL: none
    Scope         *scope;         // where its names are looked up: a parent's for an override
    const Scope   *given_to;      // an override: the instance that gets it, converted to its unit; else NULL
    Expr           known;         // where structure depends on it, once known; else EXPR_NONE
    enum { VALUE_NEW, VALUE_BUSY, VALUE_WRONG } state;    // BUSY: being computed; WRONG: reported
} Value;

typedef struct Entity {
    const Symbol *symbol;
    uint32_t   first;             // VARIABLE, RESULT: number of its first element in flat->vars
    uint32_t   port;              // PORT: number of its first element in flat->ports
    uint32_t   n_fields;          // PORT: numbers in a message, each with a variable
    uint32_t   array;             // VARIABLE: number in flat->arrays if it stays an array, else FLAT_NONE
    uint32_t   n_sizes;           // 0 for a scalar
    uint32_t  *sizes;             // [n_sizes]
    uint32_t   n_elements;        // product of the sizes
    bool       is_declared;
    bool       is_broken;         // could not be declared; reported, so nothing more is said about it
    bool       is_structural;     // occurs in a size, bound or index
    bool       is_shared;         // COMPONENT: the first instance stands for all of them
    bool       is_by_member;      // VARIABLE of an instance that stands for all: a parameter that differs
                                  // among them
    union {
        Scope **components;       // COMPONENT: [n_elements]; an entry is NULL if it could not be made
        Value  *values;           // VARIABLE: [n_elements] if parents gave values to elements, else NULL
    };
    Value      value;             // VARIABLE, CONST: default, definition or start, unless `values` is there
    Override  *overrides;         // given by parents; once declared only those of derivatives are left
} Entity;

struct Scope {
    Scope       *parent;          // NULL at the root
    const Shape *shape;
    Text         path;            // "" at the root, else "axle.spring."
    Place        place;           // of its declaration
    uint32_t     depth;
    uint32_t     terminal;        // number in ex->terminals; FLAT_NONE if it is no terminal
    uint32_t     site;            // of its units
    uint32_t     n_noises;        // so far
    const Entity *sharing;        // the array of components that this instance stands for; NULL: none
    const Given *shared_given;    // what parents say about single ones of them
    uint32_t     counter_plus_1;  // counts the draws of its events; 0: none so far
    uint32_t     island_plus_1;   // of an island: 1 + its number in flat->islands; 0: it is none
    uint32_t     part, member;    // of an atomic: in flat->parts, and which of it; FLAT_NONE: it is a model
    Entity      *entities;        // [shape->symbols.n]
};

// A name that is not of the model but of a function body or a `for`: innermost first.
typedef struct Local {
    const struct Local *outer;
    const char *name;
    Expr        value;            // EXPR_NONE: `number`, for which a node is made only where one is needed
    double      number;
} Local;

// A function inlined before: the same arguments give the same value.
typedef struct Call {
    const AstFunction *function;
    const Scope *scope;
    const Expr  *args;
    bool         makes_modes, is_structural, in_event;
    uint32_t     site;            // units may be converted differently at another
    Expr         value;
} Call;

// The loops around a statement that is read once for all turns.
typedef struct Nest {
    ExprLoops loops;
    bool      failed;             // the statement needs the values of the indices: it must be expanded
} Nest;

// An event at random, or a reaction, until all equations are known.
typedef struct Rated { const AstItem *item; Scope *scope; const Local *locals; } Rated;

typedef struct Held { uint32_t variable; const Value *value; } Held;

enum {
    CALLS_MAX = 64,               // functions inside functions
    LOWER_DEPTH_MAX = 1500,       // operations inside operations, with functions and constants expanded
    ERRORS_MAX = 10000,           // after so many, seen or repeated, expanding stops
};

typedef struct Expander {
    Flat       *flat;
    const Ast  *ast;
    orr_diag   *diag;
    Arena       work;             // scopes and tables; ends with the expansion
    Arena       scratch;          // of one expression, a stack: each user releases what it took
    TextMap     models, types;    // name → number in ast->models, ast->terminals
    Shape     **shapes;           // [models, then terminals] NULL until first needed
    TextMap     functions;        // of the file: name → number in ast->functions
    TextMap     library;          // name → number, see library.c
    TextMap     tables;           // name → number in ast->tables
    uint32_t   *table_numbers;    // [ast->tables.n] in the pool; FLAT_NONE: not called yet
    Map         relation_of;      // relation (Expr) → its mode
    Map         delay_of, table_of;    // hash → the latest such history or table, to share equal ones
    Map         call_of;          // hash → number in `past_calls`
    VEC(Call)   past_calls;       // functions inside functions
    Nest       *nest;             // NULL: indices of loops have values
    Map         singles;          // array → number of equations for single elements
    Map         slice_of;         // statement or sum → its slices; see slice.c
    VEC(struct Slices *) slices;
    Map         integral_of;      // rate and start → the hidden variable made for INTEG inside an expression
    size_t      n_integral_names;
    TextMap     driven_of;        // name → number in flat->driven
    VEC(Held)   held;             // inputs with a default
    Map         given_rates;      // derivatives to which a parent gave a start
    Map         told_ports;       // output of a machine → the port its messages leave by
    Map         held_ports;       // input that holds messages → its port
    Map         heard_ports;      // output of a component, and member → where the model hears it
    Map         driven;           // variable that an arrow leads to → number in `arrows`
    VEC(const AstItem *) arrows;
    VEC(Scope *) terminals;       // instances of terminal types
    struct End *ends;             // [2 * terminals.n] see connect.c; NULL until the first connection
    uint32_t    n_joins;          // connections that joined two sets
    Map         pre_of;           // variable → the hidden one that keeps what it was
    VEC(Expr)   pre_map;          // by variable: what `next` reads instead, for a moment
    VEC(Expr)   nodes;            // by variable: the node that reads it + 1, or 0; saves searching the pool
    VEC(uint8_t) reads;           // by node of the pool: what it depends on, as far as asked; see settle.c
    const AstFunction *calls[CALLS_MAX];    // functions being inlined, outermost first
    uint32_t    n_calls;
    uint32_t    depth;            // of lowering
    size_t      n_instances;
    size_t      n_turns;          // of `for`, in the present pass
    size_t      n_terms;          // of sums, and calls of functions, likewise
    size_t      n_errors;
    Map         told;             // unknown names, by hash of scope and name: one message for each
    TextMap     given;            // full path → number in flat->given
    VEC(Rated)  rated;
    struct Steady *steady;        // while these are defined
    VEC(const char *) busy;       // names of the values being computed, outermost first
} Expander;

// Report an error of the model.
#define EXPAND_FAIL(ex, id, ...) ((ex)->n_errors++, diag_report((ex)->diag, id, __VA_ARGS__))
static inline bool expand_gives_up(const Expander *ex) { return ex->n_errors > ERRORS_MAX; }

// Where random numbers of an expression come from: draws number count + 0, 1, … of a stream.
typedef struct Draws {
    const char *stream;           // its name; NULL: that of the component
    Scope      *scope;            // the component whose events draw, with its counter; NULL: counted from 0
    uint32_t    n;                // so far in this expression
} Draws;

// How an expression is to be read.
typedef struct Reading {
    Expander    *ex;
    Scope       *scope;           // NULL: only locals, as in a function of the file
    const Local *locals;
    bool         makes_modes;     // relations become MODEs: only in equations that hold all the time
    bool         in_comparison;   // what is compared needs no events of its own: the relation is located
    bool         in_event;        // conditions and bodies of events: pre and initial have a meaning
    bool         in_reinit;       // bodies of `reinit` blocks: they are told something
    bool         is_structural;   // parameters are replaced by their values: sizes, bounds, indices
    Draws       *draws;           // NULL: nothing can be drawn here
    uint32_t     call_plus_1;     // inside a function that converts units: the site of the call + 1
} Reading;

// A variable of the equations, which may be given a start.
static inline bool symbol_is_unknown(const Symbol *symbol)
{
    const AstDeclKind declared = symbol->declared;
    return symbol->kind == SYMBOL_VARIABLE
           && (declared == AST_VAR || declared == AST_ACROSS || declared == AST_THROUGH);
}

// ---- shape.c

void         shape_index_file(Expander *ex);
const Shape *shape_of(Expander *ex, const AstModel *model);
// The nearest name of a shape for a "did you mean", or NULL. wanted: which kinds count.
const Symbol *shape_closest(Expander *ex, const Shape *shape, const char *name,
                            bool (*wanted)(const Symbol *));

// ---- declare.c

Scope  *declare_root(Expander *ex, const AstModel *model);
Entity *scope_find(const Scope *scope, const char *name);    // NULL if absent
static inline Value *entity_value(Entity *entity, size_t element)
{
    const bool has_own = entity->symbol->kind == SYMBOL_VARIABLE && entity->values;
    return has_own ? &entity->values[element] : &entity->value;
}
// A derivative, declared on demand. FLAT_NONE after an error.
uint32_t declare_derivative(Expander *ex, uint32_t variable, uint32_t order, Place place);
// The hidden variable of INTEG inside an expression: the same for the same rate and start.
uint32_t declare_integral(Expander *ex, const Scope *scope, Expr rate, Expr start, Place place);
// Structure depends on a parameter: from now on its elements have the values given from outside, if any are.
void     declare_structural(Expander *ex, const Scope *scope, Entity *entity);
// A coefficient of an input that follows samples.
uint32_t declare_hidden_input(Expander *ex, uint32_t of, const char *what);
void     declare_result(Expander *ex, const Scope *scope, Entity *entity);
// A discrete variable made by us: "sample1", in the instance; starts at 0 unless `start` is given later.
uint32_t declare_hidden(Expander *ex, const Scope *scope, const char *word, Place place);
uint32_t declare_clock(Expander *ex, const Scope *scope, Place place);    // of `rate`: a state
uint32_t declare_pre(Expander *ex, uint32_t variable, Place place);     // of `pre`: the same for the same
                                                                        // variable
uint32_t declare_noise(Expander *ex, const char *stream, Place place);    // an input that is 0
uint32_t declare_counter(Expander *ex, const char *path, Place place);    // of draws
uint32_t declare_initial_flag(Expander *ex, Place place);
uint32_t declare_reinit(Expander *ex, FlatReinit what, Place place);
// in scratch
Text     declare_element_name(Expander *ex, const Scope *scope, const Entity *entity, uint32_t element);
// n variables "name", or "name.field" of each field, for what a message says.
uint32_t declare_message(Expander *ex, Text name, const char *const *fields, uint32_t n, const FlatVar *like);
// Where a user would look for a terminal: at the declaration of the component that has it.
Place    declare_owner_place(const Scope *terminal);

// ---- port.c: event ports, messages and the arrows between them

void port_declare(Expander *ex, Scope *scope, Entity *entity);
// A name behind that of a port: which number of its messages; FLAT_NONE, reported, if there is none.
uint32_t port_field(const Reading *r, const Entity *entity, const char *name, Place place);
// The record of that name, or NULL.
const AstRecord *port_record(const Expander *ex, const char *name);
void port_settle(Expander *ex);    // after all was defined: what passes through and nobody hears is not kept
// An arrow with an event port at one of its ends. False: it has none, and is one of signals.
bool port_connect(const Reading *r, const AstItem *item);
void port_present(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
typedef struct Target Target;
// The event port of a path; FLAT_NONE, reported, if it is none.
uint32_t port_find(const Reading *r, const AstRef *ref, Place place, Target *target);
// The port that a path names, or is_field: a field of its messages; else NULL, without a message.
const Entity *port_entity(const Reading *r, const AstRef *ref, bool is_field);
bool     port_is_message(const Reading *r, const Target *target);  // an event output of a component
uint32_t port_hear(const Reading *r, const Target *target, Place place);    // where its messages arrive here

// ---- reaction.c

void reaction_declare(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
bool reaction_wants(const AstItem *item);
void reaction_keep(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
void reaction_define(Expander *ex);    // all that were kept
// A rate that is 0 if what is to disappear is not there.
Expr reaction_guard(const Reading *r, const AstReaction *reaction, Expr rate);
void reaction_body(const Reading *r, const AstReaction *reaction, Place place);
bool rate_is_steady(const Reading *r, Expr rate);    // only events change it

// ---- event.c
// An event of this kind with nothing in it yet; what comes into actions and sends next is its own.
FlatEvent event_new(const Flat *flat, FlatEventKind kind, Place place);

void define_at_rate(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);

// `sample`: a hidden discrete variable that takes the value of e at the start and then every period.
Expr event_sample(const Reading *r, const AstExpr *written, Expr period, Expr from, Place place);
// ---- array.c: arrays that stay arrays

typedef struct Slices Slices;
typedef struct SliceLoop { const char *index; const AstExpr *first, *last; } SliceLoop;

bool     array_may_stay(const Expander *ex, const Scope *scope, const Entity *entity);
void     array_declare(Expander *ex, const Scope *scope, Entity *entity, const FlatVar *like);
void     array_spoil(Expander *ex, uint32_t array);    // it must be expanded after all
uint32_t array_derivative(Expander *ex, uint32_t array, uint32_t order);
// The element that a part of a path selects, differentiated. False after an error, or if the nest failed.
bool array_access(const Reading *r, const Entity *entity, const AstPart *part, uint32_t primes, Place place,
                  ExprAccess *access);
// Keep an equation if it computes an element, in the present nest or by itself. False if it does not.
bool     array_equation(Expander *ex, bool is_initial, Expr lhs, Expr rhs, Place place);
void     array_equation_for_all(Expander *ex, bool is_initial, uint32_t array, Expr rhs, Place place);
// Define what is in a loop, statement by statement: kept as families, or expanded. False: nothing was done.
bool     array_keep_loop(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
void     array_settle(Expander *ex);                   // once it is known what is a state
// A power is a product if its exponent is a whole number: which it is must not depend on the turn.
void     array_check_exponent(Expander *ex, Expr exponent);

// A sum or the like over many elements, as an array of its parts. EXPR_NONE if it must be written out.
Expr array_reduce(const Reading *r, const AstExpr *term, const SliceLoop *loops, uint32_t n_loops, ExprOp op,
                  Place place);

// ---- slice.c: slices, whole arrays, sums

// Has a statement slices? Then it stands for the loops around its copy; NULL after an error.
bool slice_find(Expander *ex, Scope *scope, const Local *locals, const AstItem *item, const AstItem **loop);
Expr     slice_reduce(const Reading *r, const AstExpr *call);    // EXPR_NONE if it is no reduction
bool     slice_mentions(const AstExpr *e, const char *name);
bool     slice_takes_loops(const Reading *r, const AstExpr *call);    // false, reported, if it must not have
                                                                      // any

// ---- expand.c

// turn by turn
void     expand_define(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
bool     expand_takes_turns(Expander *ex, Place place, double turns);    // false, reported, if too many
bool     expand_takes_terms(Expander *ex, Place place, double terms);    // likewise

// ---- connect.c, define.c, settle.c: passes over the tree

typedef void Visit(Expander *ex, Scope *scope, const Local *locals, const AstItem *item);
Visit connect_item, define_item, define_event;
bool  connect_wants(const AstItem *item);
void  connect_terminals(Expander *ex);    // after all connections were met
void  define_terminal(Expander *ex, Scope *scope);
void  define_equation(Expander *ex, Expr lhs, Expr rhs, Place place);
void  settle_consts(Expander *ex, Scope *root);
void  settle_all(Expander *ex, Scope *root);

// What a value depends on, at most.
enum { READS_PARAMS = 0, READS_INPUTS = 1, READS_DISCRETE = 2, READS_TIME = 4, READS_VARIABLES = 8 };
typedef unsigned Reads;           // a set of these
Reads settle_reads(Expander *ex, Expr e);
void settle_equalities(Expander *ex);    // == between numbers that change continuously: a warning
// The first thing in `e` that is not among those allowed, for messages.
const char *settle_offender(Expander *ex, Expr e, Reads allowed);
bool  settle_is_fixed(Expander *ex, Expr e);    // made of numbers and parameters only

// ---- lower.c: from Ast to Expr. An error is reported, counted and gives a harmless constant.

struct Target {
    Scope   *scope;
    Entity  *entity;
    size_t   element;
    uint32_t member;     // of components that share an instance: which
    uint32_t field;      // of a message: which number of it; FLAT_NONE: it is no field
};

const Local *lower_find_local(const Local *locals, const char *name);        // NULL if absent
Expr lower_any(const Reading *r, const AstExpr *e);                          // a number or a truth value
Expr lower_real(const Reading *r, const AstExpr *e);                         // a truth value becomes 1 or 0
Expr lower_truth(const Reading *r, const AstExpr *e);
Expr lower_value(const Reading *r, const Value *value);                      // in the unit of what gets it
Expr lower_convert(Expander *ex, Expr e, uint32_t site, const void *node);   // as units say for a node
bool lower_number(const Reading *r, const AstExpr *e, double *value);        // known before the run
bool lower_whole(const Reading *r, const AstExpr *e, long long *value);      // and whole
Expr lower_ref(const Reading *r, const AstRef *ref, Place place);
bool lower_target(const Reading *r, const AstRef *ref, Place place, Target *target);
bool lower_is_array(const Reading *r, const AstRef *ref, Place place, Entity **entity);    // that stays one
// The variable a path leads to, differentiated; FLAT_NONE after an error.
uint32_t lower_variable(const Reading *r, const AstRef *ref, Place place, Entity **entity);
bool lower_select(const Reading *r, const Entity *entity, const AstPart *part, Place place, size_t *element);
Expr lower_relation(const Reading *r, ExprOp op, Expr a, Expr b, Place place);
Expr lower_read(Expander *ex, uint32_t variable);                            // the node that reads a variable
Expr lower_poison(const Reading *r);                                         // after a report
const char *lower_kind(const Entity *entity);                                // "component", for messages
void lower_wrong_arguments(const Reading *r, const AstExpr *call, const char *takes);

// ---- table.c: tables

void table_index(Expander *ex);                              // after shape_index_file
Expr table_call(const Reading *r, const AstExpr *call);      // EXPR_NONE if there is no such table
Expr table_empirical(const Reading *r, const AstExpr *call); // a draw from samples

// ---- draw.c: random numbers

Expr  draw_call(const Reading *r, const AstExpr *call);      // EXPR_NONE if there is no such distribution
// of the component, counted as they happen
static inline Draws draw_in_events(Scope *scope) { return (Draws){ .scope = scope }; }
// The draws of an expression read with `draws` have happened: what the counter becomes. EXPR_NONE: there were
// none.
Expr  draw_count(Expander *ex, const Draws *draws);
bool  draw_counts(const Expander *ex, uint32_t variable);    // it is such a counter
// n > 0
static inline uint32_t draw_counter(const Draws *draws) { return draws->scope->counter_plus_1 - 1; }
Expr  draw_noise(const Reading *r, Expr sigma, Place place);
Expr  draw_unit(const Reading *r);                           // equally likely in (0, 1); r->draws is given
void  draw_names(Expander *ex, const char **names, size_t *n);    // those of the distributions, behind others

// ---- library.c: the functions of the language

void library_index(Expander *ex);
Expr library_call(const Reading *r, const AstExpr *call);    // EXPR_NONE if there is no such function
void library_names(Expander *ex, const char ***names, size_t *n);
