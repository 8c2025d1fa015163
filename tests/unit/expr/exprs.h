// tests/unit/expr/exprs.h: what the tests of expressions share: names, values, random numbers and trees.
#pragma once
#include "check.h"
#include "expr/expr.h"
#include "expr/math.h"
#include <stdlib.h>

typedef struct Fixture { Arena arena; ExprPool pool; } Fixture;

static inline ExprPool *fixture_start(Fixture *f)
{
    f->arena = (Arena){ 0 };
    expr_pool_init(&f->pool, &f->arena);
    return &f->pool;
}

static inline void fixture_end(Fixture *f) { arena_free(&f->arena); }

// ---- Variables 0, 1, 2, … are a, b, c, …

static inline const char *letter_name(const void *context, uint32_t variable)
{
    (void)context;
    static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g", "h", "x", "y", "z" };
    return variable < sizeof letters / sizeof *letters ? letters[variable] : NULL;
}

static inline char *text_of(Fixture *f, Expr e)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    expr_print(&f->pool, e, &(ExprNames){ .variable = letter_name }, out);
    fclose(out);
    char *copy = arena_copy_text(&f->arena, text, n);
    free(text);
    return copy;
}
#define assert_prints(f, e, expected) assert_string_equal(text_of((f), (e)), (expected))

static inline double read_array(const void *context, uint32_t variable)
{
    return ((const double *)context)[variable];
}

static inline double value_at(const ExprPool *pool, Expr e, const double *variables)
{
    return expr_evaluate(pool, e, &(ExprValues){ .variable = read_array, .context = variables, .t = 0.7 });
}

// ---- Random numbers, the same in every run

typedef struct Random { uint64_t state; } Random;

static inline uint64_t random_next(Random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline uint32_t random_below(Random *r, uint32_t n)
{
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}
static inline double random_unit(Random *r) { return (double)(random_next(r) >> 11) * 0x1p-53; }
static inline double random_between(Random *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

// ---- Trees as they were asked for, before the pool folds and shares anything

typedef struct Tree {
    ExprOp       op;
    double       value;       // CONST
    uint32_t     variable;    // VAR
    struct Tree *operands[3];
} Tree;

static inline Tree *tree_leaf(Random *r, Arena *arena, uint32_t n_variables)
{
    static const double constants[] = { 0, 1, -1, 2, 0.5, -3, 0.1, 10, -0.0 };
    Tree *tree = ARENA_NEW(arena, Tree);
    if (random_below(r, 3) == 0) {
        tree->op = EXPR_CONST;
        tree->value = constants[random_below(r, sizeof constants / sizeof *constants)];
    } else {
        tree->op = EXPR_VAR;
        tree->variable = random_below(r, n_variables);
    }
    return tree;
}

// Operations from `ops` ([n_ops]); the condition of an IF is a relation.
static inline Tree *tree_random(Random *r, Arena *arena, const ExprOp *ops, uint32_t n_ops,
                                uint32_t n_variables, int depth)
{
    if (depth == 0 || random_below(r, 8) == 0) return tree_leaf(r, arena, n_variables);
    Tree *tree = ARENA_NEW(arena, Tree);
    tree->op = ops[random_below(r, n_ops)];
    for (int i = 0; i < expr_ops[tree->op].arity; i++)
        tree->operands[i] = tree_random(r, arena, ops, n_ops, n_variables, depth - 1);
    if (tree->op == EXPR_IF) {
        static const ExprOp relations[] = { EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_EQ, EXPR_NE };
        Tree *condition = ARENA_NEW(arena, Tree);
        condition->op = relations[random_below(r, 6)];
        condition->operands[0] = tree->operands[0];
        condition->operands[1] = tree_leaf(r, arena, n_variables);
        tree->operands[0] = condition;
    }
    return tree;
}

static inline Expr tree_build(ExprPool *pool, const Tree *tree)
{
    if (tree->op == EXPR_CONST) return expr_const(pool, tree->value);
    if (tree->op == EXPR_VAR) return expr_var(pool, tree->variable);
    Expr e[3] = { EXPR_NONE, EXPR_NONE, EXPR_NONE };
    for (int i = 0; i < expr_ops[tree->op].arity; i++) e[i] = tree_build(pool, tree->operands[i]);
    return expr_make(pool, tree->op, e[0], e[1], e[2]);
}
