// src/expr/expr.h: arithmetic as a graph in which equal expressions are one node.
//
// An expression is an index into a pool. Making a node folds constants (in double, exactly as the generated
// code would compute) and applies simplifications that change no bit of a finite result; asking twice for the
// same node gives the same index, so common subexpressions are shared from the start and comparing is `==`.
// Children have smaller indices than their parents: a loop over the pool is a topological order, and every
// walk can be iterative. The pool is used by flattening, ordering and code generation alike.
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "expr/known.h"
#include "num/pieces.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t Expr;
#define EXPR_NONE UINT32_MAX

typedef enum ExprOp {
#define OP(name, arity, type, text, c) EXPR_##name,
#include "expr/ops.def"
    EXPR_N_OPS
} ExprOp;

typedef enum ExprDomain {
#define DOMAIN(name, low, high, ends, hint) EXPR_DOMAIN_##name,
#include "expr/ops.def"
    EXPR_N_DOMAINS
} ExprDomain;

// Where the value of an operation is not smooth, though no event marks it: its slope or its value jumps.
typedef enum ExprShape { EXPR_SMOOTH, EXPR_CORNER, EXPR_JUMP } ExprShape;

typedef struct ExprOpInfo {
    const char *name;     // "ADD"
    int         arity;
    char        type;     // 'R' real, 'B' truth value (IF takes the type of its branches)
    const char *text;     // as people write it
    const char *c;        // as generated C writes it
    bool        is_function;    // of the language, called by its text
    ExprShape   shape;
    ExprDomain  domain;
} ExprOpInfo;
extern const ExprOpInfo expr_ops[EXPR_N_OPS];
ExprOp expr_function(const char *text);    // the function that people write so; EXPR_N_OPS if there is none

typedef struct ExprNode {
    uint32_t op;          // ExprOp
    union {
        // operands; of LOOKUP, SLOPE, DELAY and PIECES b is the table or history, of NEAR, GRID and DRAW c is
        struct { uint32_t a, b, c; };
        uint32_t index;                  // VAR, MODE; CONST, ELEM: place in `constants`, `accesses`
    };
} ExprNode;

typedef struct ExprTable {   // of LOOKUP: ascending x, held constant outside
    double  *x, *y;          // [n]
    uint32_t n;
} ExprTable;

// An element of an array inside of loops: in turn (i, j, k), each counted from 0, it is the element
// offset + stride · (i, j, k). Outside of loops the strides are 0.
enum { EXPR_LOOPS_MAX = 3 };
typedef struct ExprAccess {
    uint32_t array;
    uint32_t offset;
    int32_t  stride[EXPR_LOOPS_MAX];
} ExprAccess;

// The loops around an expression, outermost first.
typedef struct ExprLoops {
    uint32_t    n;
    uint32_t    count[EXPR_LOOPS_MAX];    // turns
    int32_t     first[EXPR_LOOPS_MAX];    // value of the index in the first turn
    const char *index[EXPR_LOOPS_MAX];    // its name
} ExprLoops;

// Of PIECES, NEAR and GRID: polynomials between breaks (num/pieces.h), as generated code reads them:
//
//     one argument      breaks | four coefficients for each piece
//     two arguments     breaks of the first | breaks of the second | sixteen coefficients for each piece
//
// The pieces of one argument are numbered from 0; the code of piece i is 0, 1, 3, 2 for i mod 4 = 0, 1, 2, 3,
// so it differs in one bit from that of its neighbours. Two relations keep both bits between events, and NEAR
// goes on with the piece that they tell: so a step sees a smooth function, and the break is found like any
// other change.
typedef enum ExprAxis {
    EXPR_AXIS_BIT_0, EXPR_AXIS_BIT_1,    // of the code
    EXPR_AXIS_ORIGIN,                    // what s is counted from
    EXPR_AXIS_INSIDE,                    // some point of the piece
    EXPR_AXIS_N
} ExprAxis;

typedef struct ExprPieces {
    const char *name;              // borrowed; NULL: none
    uint32_t    order[2];          // how often it was differentiated by each argument
    uint32_t    n_breaks[2];       // the second is 0 for one argument
    double     *numbers;           // [n_numbers]
    uint32_t    n_numbers;
    // tables made from it; EXPR_NONE: not yet
    uint32_t    derivative[2];
    uint32_t    axis[2][EXPR_AXIS_N];
    uint32_t    term[2][2];
} ExprPieces;

// Nodes lie in pages: they never move, and growing copies none.
enum { EXPR_PAGE_BITS = 10, EXPR_PAGE = 1 << EXPR_PAGE_BITS };
// What DRAW draws: a number of a stream of random numbers. All distributions are made of these and of
// arithmetic.
typedef enum ExprDrawKind {
    EXPR_DRAW_UNIT,          // equally likely in (0, 1)
    EXPR_DRAW_NORMAL,        // mean 0, deviation 1
    EXPR_DRAW_GAMMA,         // of shape b, scale 1
    EXPR_DRAW_POISSON,       // of mean b
} ExprDrawKind;

typedef struct ExprDraw {
    const char  *stream;     // its name: the full path of a parameter or component
    ExprDrawKind kind;
} ExprDraw;

typedef struct ExprNodes {
    VEC(ExprNode *) pages;        // each [EXPR_PAGE]
    size_t          n;            // nodes in all
} ExprNodes;

typedef struct ExprPool {
    Arena        *arena;          // borrowed; owns the nodes
    ExprNodes     nodes;          // read them by expr_node
    VEC(double)   constants;      // CONST: `index` is a place here
    VEC(ExprTable) tables;
    VEC(ExprAccess) accesses;
    VEC(ExprPieces) pieces;
    VEC(ExprDraw) draws;
    Known         known;          // by hash of a node: its index
    VEC(Expr)     vars;           // of the first variables: their nodes, or EXPR_NONE
} ExprPool;

void expr_pool_init(ExprPool *pool, Arena *arena);

Expr expr_const(ExprPool *pool, double value);    // 0 and -0 are two constants, all NaNs are one
Expr expr_truth(ExprPool *pool, bool value);      // a CONST 1 or 0 that expr_is_bool calls a truth value
Expr expr_var(ExprPool *pool, uint32_t variable);
Expr expr_time(ExprPool *pool);
Expr expr_mode(ExprPool *pool, uint32_t relation);
Expr expr_elem(ExprPool *pool, const ExprAccess *access);
Expr expr_turn(ExprPool *pool, uint32_t loop, int32_t first);    // the index of a loop: first + turn
static inline const ExprAccess *expr_access(const ExprPool *pool, Expr elem);    // of an ELEM
// The number of a table, for LOOKUP and SLOPE; the arrays are copied. x must not descend.
uint32_t expr_table(ExprPool *pool, const double *x, const double *y, uint32_t n);
// The number of a table of one argument, for PIECES and NEAR, or of two, for GRID: z[i·n_y + j] at (x[i],
// y[j]); n_y 0: one argument, z[i] at x[i].
uint32_t expr_pieces(ExprPool *pool, const char *name, PiecesBetween between, PiecesOutside outside,
                     const double *x, uint32_t n_x, const double *y, uint32_t n_y, const double *z);
// by its first or second argument
uint32_t expr_pieces_derivative(ExprPool *pool, uint32_t pieces, int by);
// The table of one argument that tells something of the piece in which it lies, the same all over a piece.
uint32_t expr_pieces_axis(ExprPool *pool, uint32_t pieces, int argument, ExprAxis what);
// The table of two arguments whose value in each piece is one coefficient of it: p, q at most 1.
uint32_t expr_pieces_term(ExprPool *pool, uint32_t pieces, int p, int q);
// Draw number `count` of a stream; `argument` EXPR_NONE: the kind has none. The name is copied.
Expr expr_draw(ExprPool *pool, const char *stream, ExprDrawKind kind, Expr count, Expr argument);
static inline uint32_t expr_pieces_code(uint32_t piece) { return (piece & 3) ^ ((piece & 3) >> 1); }
// Any operation with operands; unused ones are EXPR_NONE. Of LOOKUP, SLOPE, DELAY and PIECES b is the table's
// number, of NEAR and GRID c is.
//
// An operation on constants becomes its value if that is finite; 1/0 and sqrt(-1) stay as written, so that
// the run can say which operation failed. Simplified are x + 0, x - 0, x*1, x/1, x^1, x^0, --x, signs that
// meet, and truth values; 0*x and x - x are not, since x may be infinite. a + b and b + a are one node (so
// for * == != and or), printed in the order in which it was first made.
Expr expr_make(ExprPool *pool, ExprOp op, Expr a, Expr b, Expr c);
static inline Expr expr_unary(ExprPool *p, ExprOp op, Expr a)
{
    return expr_make(p, op, a, EXPR_NONE, EXPR_NONE);
}
static inline Expr expr_binary(ExprPool *p, ExprOp op, Expr a, Expr b)
{
    return expr_make(p, op, a, b, EXPR_NONE);
}

static inline const ExprNode *expr_node(const ExprPool *pool, Expr e)
{
    return &pool->nodes.pages.items[e >> EXPR_PAGE_BITS][e & (EXPR_PAGE - 1)];
}
static inline const ExprAccess *expr_access(const ExprPool *pool, Expr elem)
{
    return &pool->accesses.items[expr_node(pool, elem)->index];
}
static inline ExprOp expr_op(const ExprPool *pool, Expr e) { return (ExprOp)expr_node(pool, e)->op; }
bool   expr_is_const(const ExprPool *pool, Expr e, double *value);    // value may be NULL
bool   expr_is_bool(const ExprPool *pool, Expr e);
bool   expr_mentions_infinity(const ExprPool *pool);    // one of its constants is infinite
int    expr_n_operands(const ExprPool *pool, Expr e);                 // that are expressions
Expr   expr_operand(const ExprPool *pool, Expr e, int i);

// The value of one operation with operands (not of leaves, tables or histories); what folding, tracing and
// constant experiments use. Same bits as generated code. For POW the exponent is taken to be a constant: see
// expr/math.h.
double expr_apply(ExprOp op, double a, double b, double c);

// Where an expression reads its leaves from when it is evaluated outside generated code.
typedef struct ExprValues {
    double (*variable)(const void *context, uint32_t variable);
    double (*mode)(const void *context, uint32_t relation);
    double (*history)(const void *context, uint32_t delay, double at);
    const void *context;
    double t;
    double (*draw)(const void *context, uint32_t draw, double count, double argument);
    double (*element)(const void *context, uint32_t array, uint32_t element);
    uint32_t turn[EXPR_LOOPS_MAX];    // of the loops around the expression
} ExprValues;
// A leaf whose function is NULL is NaN. Shared parts are computed once.
double expr_evaluate(const ExprPool *pool, Expr e, const ExprValues *values);

// Visit each distinct node below and including the roots once, children first, without recursion. The result
// is in the arena: [*n] indices ascending.
Expr *expr_collect(const ExprPool *pool, const Expr *roots, size_t n_roots, Arena *arena, size_t *n);
// The distinct variables read by `e`, ascending, in the arena.
uint32_t *expr_variables(const ExprPool *pool, Expr e, Arena *arena, size_t *n);
bool expr_depends_on(const ExprPool *pool, Expr e, uint32_t variable);
// The ELEM leaves of `e`, ascending, in the arena.
Expr *expr_elements(const ExprPool *pool, Expr e, Arena *arena, size_t *n);

// Replace leaves: each VAR i with map[i] != EXPR_NONE becomes map[i]. Linear in the size of `e`.
Expr expr_substitute(ExprPool *pool, Expr e, const Expr *map, size_t n_map);

// The same for any leaves: each becomes what `replace` says.
Expr expr_replace(ExprPool *pool, Expr e, Expr (*replace)(void *context, Expr leaf), void *context);

// Symbolic partial derivative by a variable (everything else constant; MODEs constant).
Expr expr_derivative(ExprPool *pool, Expr e, uint32_t variable);
// All of them at once: partials[i] is the derivative by variables[i] ([n], different). Costs about as much as
// one, where expr_derivative for each would be quadratic in a long sum. Written differently, the same value.
void expr_gradient(ExprPool *pool, Expr e, const uint32_t *variables, size_t n, Expr *partials);
// Total derivative by time given the derivative of each variable (EXPR_NONE: constant in time). EXPR_NONE if
// `e` reads the past at a time that moves: how fast a history passes by is not an expression.
Expr expr_time_derivative(ExprPool *pool, Expr e, const Expr *rate, size_t n_rate);

// If e = a*v + b with a and b free of v, give both and return true.
bool expr_split_linear(ExprPool *pool, Expr e, uint32_t variable, Expr *a, Expr *b);
// Solve lhs = rhs for a variable in closed form: an explicit side, a linear occurrence, or a chain of
// invertible operations with one value. EXPR_NONE if there is none. *divides is set to what must not be zero,
// or EXPR_NONE.
Expr expr_solve(ExprPool *pool, Expr lhs, Expr rhs, uint32_t variable, Expr *divides);

// Print as the language writes it. `name` gives the text of a VAR; MODE k is printed as its relation if
// `relations` is given ([n]), else as `mode k`.
typedef struct ExprNames {
    const char *(*variable)(const void *context, uint32_t variable);
    const void *context;
    const Expr *relations;    // NULL, or [n_relations] what each MODE stands for
    uint32_t    n_relations;
    void      (*element)(const void *context, const ExprAccess *access, const ExprLoops *loops, FILE *out);
    const ExprLoops *loops;   // around the expression; NULL: none
} ExprNames;
void expr_print(const ExprPool *pool, Expr e, const ExprNames *names, FILE *out);
