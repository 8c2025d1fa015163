// src/front/front.h: what expressions mean, written once for all who read them.
//
// Equations, atomics, machines and experiments are written in one language of expressions, but make different
// things of it: nodes of a graph, typed trees, numbers. What they share stands here: which operation an
// operator is, the constants, the functions that are made of several operations, and the value of an
// expression that consists of numbers. It knows the Ast and the table of operations; names are its callers'.
#pragma once
#include "expr/expr.h"
#include "lang/ast.h"

extern const ExprOp front_op_of[];    // by AstOp
static inline bool front_is_relation(AstOp op) { return op >= AST_LT && op <= AST_NE; }
static inline bool front_is_logic(AstOp op) { return op >= AST_AND; }

// pi, inf, true and false; other names: false.
bool front_constant(const char *name, double *value, bool *is_truth);

// ---- Functions made of several operations

// A value, as its reader has it.
typedef union FrontValue {
    Expr   expr;
    double number;
    void  *tree;
} FrontValue;

// How a reader makes values. Operations are given operands of the right type.
typedef struct FrontMaker {
    FrontValue (*number)(const void *context, double value);
    FrontValue (*apply)(const void *context, ExprOp op, FrontValue a, FrontValue b, FrontValue c);
    const void *context;
    bool        locates;    // relations are found in time: steps of functions have to be relations
} FrontMaker;

typedef struct FrontFunction {
    const char *name;
    uint32_t    at_least, at_most;    // arguments
    const char *takes;                // for messages
    bool        reads_time;           // then args[0] of `build` is the time, and the arguments follow
    bool        repeats;              // an argument occurs twice, even where relations are not located
    FrontValue (*build)(const FrontMaker *m, const FrontValue *args, uint32_t n);    // n arguments
} FrontFunction;
extern const FrontFunction front_functions[];
extern const size_t        front_n_functions;
const FrontFunction *front_function(const char *name);    // NULL if there is none

// ---- Expressions of numbers

// What a reader says about the rest. Each reports what it cannot do, and gives NaN.
typedef struct FrontNumbers {
    double (*name)(void *context, const AstExpr *ref);
    double (*unit)(void *context, const AstExpr *number_or_conversion);    // NULL: units are not looked at
    // what has no value: a call of what is no function or (takes given) with wrong arguments, a range
    double (*refuse)(void *context, const AstExpr *e, const char *takes);
    double (*no_value)(void *context, const AstExpr *e);    // 1/0, log(0); NULL: as the operation says
    void  *context;
} FrontNumbers;
double front_evaluate(const FrontNumbers *r, const AstExpr *e);
