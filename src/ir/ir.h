// src/ir/ir.h: a model as programs: what the generated code computes, before it is text.
//
// A program is a list of statements over the expressions of the pool. All programs work on the same memory:
//
//     t                time
//     x[n_states]      states, owned by the solver
//     v[n_values]      the value block of a run: parameters and inputs | modes | all variables (last
//                      values) | guesses of the loops | scratch of the generated code
//     out[…]           what the program computes: rates, values of relations, entries of the Jacobian, …
//
// Variables computed on the way are locals of the program; only programs that say so (`keeps`) store them
// in v.
//
// Where a loop is solved by iteration, the first guess is its solution at the latest point where the
// derivatives were computed (IR_RATES and the fixed-step loops write the guesses, all others only read
// them): so what is recorded, and when, changes no bit of a trajectory.
#pragma once
#include "order/blocks.h"

typedef enum IrProgramId {
    IR_PARAMS,        // x: 1 for each parameter that was given, 0 otherwise; computes the defaults of
                      // the others into v, and the first guesses of the loops
    IR_START,         // solve the start system: out[n_states] = states; keeps all variables; if states are
                      // chosen while running only what they and the choice need: IR_VALUES must follow
    IR_RATES,         // out[n_states] = derivatives
    IR_VALUES,        // keeps every variable (algebraic, states, rates) in v: what recording reads; no out
    IR_RELATIONS,     // out[2*n_relations] = zero function, truth value of each relation
    IR_CHANGED,       // out[1] = 1 if the truth value of any relation differs from its mode
    IR_ASSERTS,       // out[n_asserts] = truth value of each
    IR_TERMINAL,      // runs the terminal region on v (after IR_VALUES); out[1+i] = truth of the i-th
                      // `rerun`, out[0] = 1 if any is true
    IR_JACOBIAN,      // out[n_jacobian] = d rates / d states, in the order of `jacobian`
    IR_HISTORIES,     // out[n_delays] = what each delay remembers now
    IR_CHOICES,       // out[entries of all choices] = derivatives of constraints by what may be a state
    IR_RESIDUALS,     // out[start.n_equations] = left minus right of each equation of the start system, at v;
                      // empty if there are more than IR_RESIDUALS_MAX
    IR_CONDITIONS,    // out[n_events] = truth of each event's condition, with the modes as they are; of time
                      // events 0
    IR_PRES,          // keeps in v what each variable that `pre` asks for is now
    IR_EVENT,         // runs the body of event number env->event: x and out are both the states, in and out;
                      // discrete variables are assigned in v. Its statements are those of Ir.events
    IR_NOISE,         // out[n_noise] = d rates / d noises, in the order of `noise`
    IR_N_PROGRAMS
} IrProgramId;

typedef enum IrKind {
    IR_LOCAL,         // variable := value (a local of the program; kept in v if the program keeps)
    IR_KEEP,          // v[place of the variable] := value
    IR_OUT,           // out[index] := value
    IR_PARAM,         // parameter (a variable) := value unless it was given
    IR_GUESS,         // guess of a variable := value; EXPR_NONE: what v keeps of it
    IR_RERUN,         // out[1 + index] := value, and if that is true out[0] := 1
    IR_SOLVE,         // block := solved (LINEAR or NEWTON), its unknowns become locals
    IR_CALL,          // run the program `index` at (t, out): IR_VALUES ends a start, at its own states
    IR_LOOP,          // the loop `index` of Ir.loops: statements of one shape
} IrKind;

typedef struct IrStatement {
    IrKind   kind;
    uint32_t index;           // variable, place in out, block or program
    Expr     value;           // EXPR_NONE for IR_SOLVE and IR_CALL
    uint32_t equation;        // the equation of the system it comes from, for messages; FLAT_NONE if none
} IrStatement;

// Statements of equal shape, executed one after the other by a loop: `body` is written for the first turn,
// and what moves from turn to turn is told by places:
//
//     for i: w[5 + i] := -w[T[i]]      body: b5 := -b3; target: w from 5, stride 1; leaf b3: w by table T
//
// Turns are executed in order, so a turn may read what turns before it computed. With `codes`, turn i
// executes only the statement codes[i], each of which counts its own turns.
enum { IR_DEPTH_MAX = 3 };

typedef enum IrMemory {
    IR_IN_X,          // states
    IR_IN_V,          // value block
    IR_IN_W,          // variables that the program computes but does not keep, by their numbers
    IR_IN_OUT,
    IR_IN_NUMBERS,    // Ir.numbers
} IrMemory;

typedef struct IrPlace {
    Expr     leaf;                     // of the body that lives here; EXPR_NONE for a target
    IrMemory memory;
    uint32_t first;                    // index in the first turn
    int32_t  stride[IR_DEPTH_MAX];     // index grows by this with each turn of each loop
    uint32_t table;                    // FLAT_NONE, or: the index is Ir.tables[table + turn]
} IrPlace;

typedef struct IrBody {
    IrStatement statement;             // IR_LOCAL, IR_KEEP, IR_OUT, IR_PARAM or IR_GUESS of the first turn
    IrPlace     target;
    IrPlace    *moving;                // [n_moving] leaves that are not the same in all turns
    uint32_t    n_moving;
    uint32_t    n;                     // turns that execute it
} IrBody;

typedef struct IrLoop {
    uint32_t n_nested;                 // loops around the body, the innermost last
    uint32_t count[IR_DEPTH_MAX];      // turns of each
    IrBody  *body;                     // [n_body]
    uint32_t n_body;
    uint32_t codes;                    // FLAT_NONE, or place in Ir.tables
    bool     is_family;                // written as a loop: `loops` has its indices
    uint32_t block;                    // of the system that it computes; FLAT_NONE: it only copies or sets
    ExprLoops loops;
} IrLoop;

// The variables that each block of a system reads but does not compute, parameters too, each once.
typedef struct IrReads {
    uint32_t *start;          // [n_blocks + 1] block b reads var[start[b]] to var[start[b + 1] - 1]
    uint32_t *var;            // as written in the expressions: aliases not followed
    uint32_t *array_start;    // [n_blocks + 1] the same for arrays
    uint32_t *array;
} IrReads;

typedef struct IrProgram {
    const char  *name;        // "rates": also its name in the generated C
    IrStatement *statements;  // [n_statements]
    uint32_t     n_statements;
    const Ordered *system;    // where blocks and equations are looked up: dynamic or start
    const IrReads *reads;     // of its blocks
    const Expr  *alias;       // [n_vars] in that system: the VAR or TIME that a variable is another name of,
                              // or EXPR_NONE; NULL: none are followed
    bool         keeps;       // store variables in v
    bool         from_v;      // every variable is read from v, states included
    bool         in_sequence; // each statement sees what the ones before it stored in v
    bool         remembers;   // solutions of loops become their next guesses
} IrProgram;

// Places in the value block, the same for every program and for the run.
typedef struct IrLayout {
    uint32_t  n_params;       // v[0 .. n_params): parameters and inputs in the order of Blocks.params, then
                              // the elements of arrays of parameters
    uint32_t  first_mode;     // v[first_mode .. +n_modes): 0 or 1
    uint32_t  n_modes;
    uint32_t  first_var;      // v[first_var + i]: variable i of the Flat model (unused for parameters); then
                              // the elements of arrays
    uint32_t  n_kept;         // all of these
    uint32_t  first_guess;    // v[first_guess .. +n_guesses)
    uint32_t  n_guesses;
    // of the generated code; nothing there is worth keeping between two calls
    uint32_t  first_shadow;   // v[.. +n_kept]: variables of a large model while its derivatives are computed
    uint32_t  first_inner;    // v[.. +n_states + 2*n_relations]: what one program computes for another
    uint32_t  first_scratch;  // v[.. +n_scratch]: parts of expressions shared by functions of a program
    uint32_t  n_scratch;
    uint32_t  first_loop_scratch;    // v[.. +n_loop_scratch]: the same inside a loop
    uint32_t  n_loop_scratch;
    uint32_t  first_work;     // v[.. +n_work]: vectors and matrices of loops too large for the C stack
    uint32_t  n_work;
    uint32_t  n_values;       // length of v
    uint32_t *place;          // [n_vars] place of each variable in v
    uint32_t *guess;          // [n_vars] place of its guess in v, FLAT_NONE if it has none
    uint32_t *state_of;       // [n_vars] its number among the states, or FLAT_NONE
    uint32_t *array_place;    // [n_arrays] place of its first element in v
    uint32_t *array_state;    // [n_arrays] number of its first element among the states, or FLAT_NONE
    uint32_t *array_step;     // [n_arrays] and from one element to the next: u, u' lie element by element
    uint32_t  n_states;       // those of Blocks and the elements of arrays, in the order of declaration
} IrLayout;

enum {
    IR_STACK_MAX = 1280,      // doubles that a generated function may put on the C stack
    IR_LOOP_MAX = ORDER_LOOP_MAX,    // rows of a loop's matrix, which is dense
    IR_RESIDUALS_MAX = 1000,  // equations of the start up to which IR_RESIDUALS exists
};

// Doubles that solving a block needs: matrix and vectors; unknowns and what the loop reads.
static inline uint32_t ir_matrix_rows(const Block *block)
{
    return block->kind == BLOCK_NEWTON ? block->n_torn : block->n;
}
static inline uint32_t ir_matrix_size(const Block *block)
{
    const uint32_t n = ir_matrix_rows(block);
    return n * n + 6 * n;
}

// Which derivatives depend on which states, by structure: compressed columns, rows ascending.
typedef struct IrPattern {
    uint32_t *start;          // [n_states + 1] column j has rows row[start[j]] to row[start[j + 1] - 1]
    uint32_t *row;            // [n]
    uint32_t  n;
} IrPattern;

typedef struct Ir {
    Arena     *arena;         // borrowed; owns everything
    Flat      *flat;          // borrowed
    Blocks    *blocks;        // borrowed
    IrLayout   layout;
    IrProgram  programs[IR_N_PROGRAMS];
    bool       has_pattern;   // false if it would be too large: then treat it as full; or if there are arrays
    IrPattern  pattern;
    bool       has_jacobian;  // false: loops in the way, or too large; take differences along the pattern
    BlockEntry *jacobian;     // [n_jacobian] row, column, value: the entries of the pattern, in its order
    uint32_t   n_jacobian;    // 0 without has_jacobian
    BlockEntry *noise;        // [n_noise] state, number in Flat.noises, how strongly it moves the state: free
                              // of noise
    uint32_t   n_noise;
    IrProgram *one_rate;      // [n_states] for the in-place discipline: what must be computed anew before
                              // each state's update, and last out[0] = the rate. NULL if too large
    uint32_t   n_reruns;      // of the terminal region
    IrProgram *events;        // [n_events] in sequence: the algebraic variables it reads, then its actions
    IrReads    dynamic_reads, start_reads;
    Expr      *dynamic_alias, *start_alias;    // [n_vars]
    Expr      *no_alias;      // [n_vars] nothing is another name: in events, where what it stands for changes
    VEC(IrLoop)   loops;
    VEC(uint32_t) tables;     // of the loops: handed to generated code by CodeEnv, so that its text stays
                              // short
    VEC(double)   numbers;    // likewise: constants that differ from turn to turn, and the tables of the pool
    uint32_t     *pieces;     // [pieces of the pool] where each lies in `numbers`
} Ir;

// False, with a diagnostic, if the model is too large.
bool ir_lower(Ir *ir, Blocks *blocks, Arena *arena, orr_diag *diag);
// The same with another idea of how many statements of repeated shapes a program must have to get loops.
enum { IR_GROUP_FROM = 500, IR_GROUP_NEVER = INT32_MAX };
bool ir_lower_grouping(Ir *ir, Blocks *blocks, uint32_t group_from, Arena *arena, orr_diag *diag);
// Where an element is found by a program.
IrPlace ir_element_place(const Ir *ir, const IrProgram *program, const ExprAccess *access);
// The pattern of a model with arrays. It grows with their sizes, so it is made only when it is asked for.
// False if it would be too large.
bool ir_family_pattern(const Ir *ir, IrPattern *pattern, Arena *arena);
// Every variable is computed before it is read: asserted after lowering, unless the model is large and
// somebody waits.
bool ir_verify(const Ir *ir);
void ir_print(const Ir *ir, FILE *out);

// The loop that a program's return value `result` > 0 speaks of, and its system (either may be NULL).
const Block *ir_failed_block(const Ir *ir, IrProgramId program, int result, const Ordered **system);
