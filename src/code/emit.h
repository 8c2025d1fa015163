// src/code/emit.h: straight-line computations as C text: which values become variables, in which functions.
//
// A routine is a list of steps, each an expression and a place for its value. Its expressions form one
// graph; a part that is used twice or more, or that grows too long, becomes a temporary `e1`, `e2`, …,
// everything else is nested where it is used. A routine with many statements is cut into pieces, each a
// function of its own, because compilers take more than linear time for a function; what crosses from one
// piece to another goes through memory.
//
//     steps ─count uses→ temporaries ─order→ items ─cut→ pieces ─print→ text
#pragma once
#include "code/arith.h"
#include "code/code.h"
#include "expr/math.h"

// Where generated code reads from and writes to.
typedef enum Array {
    ARRAY_NONE,
    ARRAY_X,          // states
    ARRAY_V,          // value block
    ARRAY_OUT,        // results of a program
    ARRAY_IN,         // what a loop reads
    ARRAY_Z,          // unknowns of a loop
    ARRAY_R,          // its residuals, or right-hand side
    ARRAY_M,          // its matrix
    ARRAY_W,          // variables of a large program, by their numbers
    ARRAY_S,          // parts of expressions that cross pieces
    ARRAY_N,          // numbers that differ from turn to turn of a loop
    ARRAY_FORM,       // not memory: the statement is printed by the routine's form
    N_ARRAYS
} Array;

typedef enum StepKind {
    STEP_LET,         // a variable := value, also stored in memory if `array` is given
    STEP_STORE,       // array[index] := value
    STEP_GIVEN,       // the same unless x[index] is not 0
    STEP_RERUN,       // out[1 + index] := value, and out[0] := 1 if true
    STEP_COPY,        // v[index] := v[variable]
    STEP_UPDATE,      // state `index` += h*value
    STEP_SOLVE,       // loop `index` of the system
    STEP_CALL,        // program `index`
    STEP_LOOP,        // loop `index` of the Ir: a piece and an epoch of its own
} StepKind;

typedef struct Step {
    StepKind kind;
    Expr     value;         // EXPR_NONE where there is none
    uint32_t variable;      // STEP_LET: what is computed
    Array    array;
    uint32_t index;
    bool     ends_epoch;    // what was computed so far may change here: nothing is shared across
} Step;

// How a routine's variables live.
typedef enum VarStyle {
    VARS_CONST,       // `const double a7 = …;`, through memory only where they cross pieces
    VARS_OUTSIDE,     // `a7 = …;` declared by the caller; computed several times
    VARS_MEMORY,      // in the array of their step, read from there
} VarStyle;

typedef struct Routine {
    const char    *name;          // of the C function; of a piece with _1, _2, … behind it
    const char    *parameters;    // as declared, and as handed on
    const char    *arguments;
    bool           has_w;         // w is a parameter
    bool           is_public;     // not static
    bool           may_be_cut;    // some of its pieces may go into another text; see CodeCut
    bool           returns_int;   // also if no loop can fail in it
    const Step    *steps;         // [n_steps]
    uint32_t       n_steps;
    const Ordered *system;        // of STEP_SOLVE
    const IrReads *reads;         // its
    const Expr    *alias;         // [n_vars] or NULL
    bool           from_v;        // all variables are read from v
    bool           keeps;         // variables that loops compute are in v, else in w
    const IrProgram *program;     // whose statements these are
    bool           caches;        // memory read twice is read once; not if steps write what others read
    VarStyle       style;
    const char    *remember;      // text: whether solutions become guesses
    const char    *failed;        // printf format of 1 + block: what to do if a loop has no solution
    // in the body of a fixed-step loop: nothing is read from memory, states are x0, x1, …, parameters p0,
    // p1, …
    bool           is_named;
    const char    *time;          // name of time
    const char    *state;         // prefix of the states' names
    bool           copies_states; // STEP_UPDATE computes y0 from x0, and from then on y0 is read
    const char    *form;          // of stores into ARRAY_FORM: # is the index, @ the value
    const char    *unread_form;   // the same for states that no rate reads; NULL: no difference
} Routine;

// An operand as the present routine sees it, aliases followed: a variable, another leaf, or an operation.
typedef uint32_t Operand;
#define OPERAND_VARIABLE UINT32_C(0x80000000)    // | number of the variable
#define OPERAND_LEAF     UINT32_C(0x40000000)    // | expression: CONST, TIME, MODE, ELEM, TURN

typedef struct NodeInfo {         // of an operation in the present epoch
    uint32_t epoch;
    uint32_t uses;
    uint32_t piece;               // where the temporary is computed
    uint32_t number;              // of the temporary, from 1; 0: it is none
    uint32_t slot;                // 1 + place in s, if it crosses pieces
    uint32_t place;               // 1 + place in f, if it is computed together with others
    uint32_t level;               // of a temporary; see batch.h
    Operand  operands[3];
    uint8_t  op;                  // ExprOp
    uint8_t  n_operands;
    uint8_t  n_copies;            // how often the first operand is printed: squares and cubes repeat it
    int8_t   power;               // the exponent, if it is a whole power; else 0
    uint8_t  weight;              // nodes printed with it
    uint8_t  depth;
    bool     ordered;             // has its place among the items
    bool     moves;               // depends on the turn of the loop
    uint32_t moving;              // of a leaf: 1 + its number among the moving ones of the loop's body
} NodeInfo;

typedef struct VarInfo {          // of a variable in the present routine
    uint32_t routine;             // the rest counts only if this is the present one
    uint32_t step;                // that computes it, FLAT_NONE: it is in memory from the start
    uint32_t uses;
    uint32_t piece;               // where it is computed
    uint32_t used_in;             // last piece (by its unique number) that reads it as a local,
    uint32_t n_used_in;           // and how often
    uint32_t level;               // of its item; see batch.h
    uint32_t index;               // its memory, if any
    uint8_t  array;               // Array
    bool     can_nest;            // may be replaced by its value
    Operand  value;               // if so
    uint32_t turn, moving;        // epoch of the body of a loop in which it is a moving leaf: 1 + its number
} VarInfo;

typedef struct LeafInfo {         // of a place in memory in the present piece
    uint32_t piece;               // unique number
    uint32_t count;
} LeafInfo;

typedef struct Item {
    bool     is_temporary;
    uint32_t index;               // node or step
    uint32_t piece;
    uint32_t level, rank;         // see batch.h
} Item;

typedef struct Call { uint32_t node, level, math; } Call;    // of an elementary function; see batch.h

typedef struct Frame { uint32_t node; int next; } Frame;

typedef struct Gen {
    const Ir       *ir;
    const ExprPool *pool;
    Arena           work;          // ends with the generation
    Arena           scratch;       // empty between two functions
    StrBuf          body;          // functions
    StrBuf          piece_text;    // statements of the present piece
    // facts about all expressions
    bool           *is_truth;      // [n_nodes]
    // used somewhere: what the prelude must have
    bool           *uses_math;     // [expr_n_math]
    bool           *uses_each;     // [expr_n_math] for several numbers at once
    bool           *uses_table;    // [n_tables]
    bool            uses_power[EXPR_WHOLE_POWER_MAX + 1];
    bool            uses_lu, uses_newton;
    uint32_t        lanes;         // members of an ensemble side by side: memory is a[index][lanes]; 0: one
                                   // model
    bool            uses_draw;     // random numbers
    bool            uses_paths;    // Brownian paths of lanes
    const CodeCut  *cut;           // NULL: one text
    Arena          *texts;         // where finished ones go
    bool            is_file;       // a file that stands alone: static functions, libm, comments
    bool            has_labels;    // most of these
    const char    **names;         // [places of v that variables have] of these; made when first asked for
    // present routine
    const Routine  *r;
    NodeInfo       *nodes;         // [n_nodes]
    VarInfo        *vars;          // [n_vars]
    LeafInfo       *leaves[N_ARRAYS];
    uint32_t        epoch, routine, piece_id;    // unique numbers
    uint32_t        piece;         // present piece of the routine, from 0
    uint32_t        n_in_piece;    // items in it
    uint32_t        n_temporaries, n_slots;
    uint32_t        n_new;         // states updated so far, if they are copied
    bool            is_block;      // the routine is part of a loop, with scratch of its own
    VEC(Item)       items;         // of the present epoch
    VEC(Call)       calls;         // of the present piece in it that are computed together
    size_t          n_arguments_printed, n_calls_printed;
    uint32_t        n_places;      // of f in the present piece
    VEC(Frame)      frames;
    VEC(uint32_t)   stack;
    VEC(uint64_t)   loads;         // array << 32 | index: memory read at the top of the piece
    uint32_t        own;           // node being defined: not replaced by its own temporary
    bool            uses_array[N_ARRAYS], uses_time, uses_env, uses_step, uses_remember, can_fail;    // in it
    VEC(bool)       piece_fails;   // of each piece of the routine
    bool           *uses_place;    // [n_values] parameters and modes that named routines read; see is_named
    bool           *reads_state;   // [n_states] the same for states
    uint32_t       *input_mark;    // [n_vars]
    uint32_t        n_inputs_asked;
    const char     *indent;
    // present loop
    const IrBody   *turn;          // NULL outside
    bool            is_switch;     // each turn executes one of several bodies
    const char     *counters[IR_DEPTH_MAX];    // names
    VEC(uint32_t)   tables;        // places in Ir.tables that the piece reads
    bool            has_loops;     // any so far: the prelude must know
    bool            is_loop_piece; // the present piece is a loop, around that over the lanes if there are any
} Gen;

enum {
    PIECE_MAX = 50,     // statements of a function
    CUT_FROM = 16,      // pieces that are worth two texts
    CUT_PERCENT = 56,   // of the pieces go into the first, which waits less
    LOCAL_FROM = 3,     // reads of a place in memory in a piece that are worth loading it into a local
};

void gen_init(Gen *g, const Ir *ir);
void gen_free(Gen *g);

// Declare that a variable is found in memory in the routine begun last.
void gen_begin(Gen *g, const Routine *r);
void gen_in_memory(Gen *g, uint32_t variable, Array array, uint32_t index);

// Print the begun routine as a function, with its pieces before it.
void gen_function(Gen *g);
// Print only its statements into g->piece_text, each behind `indent`; they must fit into one piece.
void gen_statements(Gen *g, const char *indent);
// How many statements it has, without printing; very many if it has loops. Begins the routine.
uint32_t gen_measure(Gen *g, const Routine *r);

// The variables handed to a loop in `in`, aliases followed: what it reads but parameters. In g->work.
uint32_t *gen_loop_inputs(Gen *g, const Routine *r, uint32_t block, uint32_t *n);
// The C name of a loop's function.
void gen_loop_name(const Gen *g, StrBuf *s, const Ordered *system, uint32_t block);

// Text pieces that occur often: a number that reads back exactly; prefix and number.
