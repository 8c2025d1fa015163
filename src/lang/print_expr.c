// src/lang/print_expr.c: expressions and names of variables, with as few parentheses as they need.
#include "base/number.h"
#include "lang/lex.h"
#include "lang/print.h"
#include <math.h>

enum {
    RANK_IF,
    RANK_OR,
    RANK_AND,
    RANK_NOT,
    RANK_RELATION,
    RANK_CONVERT,
    RANK_SUM,
    RANK_PRODUCT,
    RANK_SIGN,
    RANK_POWER,
    RANK_LEAF
};

static const struct OpText {
    int         rank;
    const char *text;
} op_texts[] = {
    [AST_ADD] = { RANK_SUM, " + " },      [AST_SUB] = { RANK_SUM, " - " },
    [AST_MUL] = { RANK_PRODUCT, "*" },    [AST_DIV] = { RANK_PRODUCT, "/" },
    [AST_POW] = { RANK_POWER, "^" },      [AST_NEG] = { RANK_SIGN, "-" },
    [AST_LT] = { RANK_RELATION, " < " },  [AST_LE] = { RANK_RELATION, " <= " },
    [AST_GT] = { RANK_RELATION, " > " },  [AST_GE] = { RANK_RELATION, " >= " },
    [AST_EQ] = { RANK_RELATION, " == " }, [AST_NE] = { RANK_RELATION, " != " },
    [AST_AND] = { RANK_AND, " and " },    [AST_OR] = { RANK_OR, " or " },
    [AST_NOT] = { RANK_NOT, "not " },
};

static void print_at_rank(const AstExpr *e, int min_rank, Printer *p);

static int rank_of(const AstExpr *e)
{
    switch (e->kind) {
    // another front end may have made a negative number
    case AST_NUMBER: return signbit(e->number.value) ? RANK_SIGN : RANK_LEAF;
    case AST_UNARY: case AST_BINARY: return op_texts[e->op].rank;
    case AST_IF: return RANK_IF;
    case AST_CONVERT: return RANK_CONVERT;
    default: return RANK_LEAF;
    }
}

// The least ranks the operands of a binary operation may have without parentheses.
static void operand_ranks(AstOp op, int *left, int *right)
{
    const int rank = op_texts[op].rank;
    *left = rank == RANK_RELATION || rank == RANK_POWER ? rank + 1 : rank;
    *right = rank == RANK_POWER ? RANK_SIGN : rank + 1;
}

void print_list(AstExpr *const *list, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) print_text(p, ", ");
        print_at_rank(list[i], RANK_IF, p);
    }
}

void print_ref(const AstRef *ref, Printer *p)
{
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        if (i > 0) print_char(p, '.');
        print_name(ref->parts[i].name, p);
        if (ref->parts[i].n_indices == 0) continue;
        print_char(p, '[');
        print_list(ref->parts[i].indices, ref->parts[i].n_indices, p);
        print_char(p, ']');
    }
    for (uint32_t i = 0; i < ref->primes; i++) print_char(p, '\'');
}

// A chain that leans left may be of any length: go down it to its first operand, then print on the way back.
static void print_chain(const AstExpr *top, Printer *p)
{
    Arena scratch = { 0 };
    VEC(const AstExpr *) chain = { 0 };
    int min_rank = RANK_IF;    // for the chain's present link; the top one is no longer asked
    const AstExpr *e = top;
    while (e->kind == AST_BINARY) {
        if (e != top && rank_of(e) < min_rank) print_char(p, '(');
        vec_push(&scratch, &chain, e);
        int right;
        operand_ranks(e->op, &min_rank, &right);
        e = e->operands.a;
    }
    print_at_rank(e, min_rank, p);
    while (chain.n > 0) {
        const AstExpr *link = vec_pop(&chain);
        int left, right;
        operand_ranks(link->op, &left, &right);
        print_text(p, op_texts[link->op].text);
        print_at_rank(link->operands.b, right, p);
        if (chain.n == 0) break;
        operand_ranks(vec_last(&chain)->op, &left, &right);
        if (rank_of(link) < left) print_char(p, ')');
    }
    arena_free(&scratch);
}

static void print_inner(const AstExpr *e, Printer *p)
{
    char number[NUMBER_MAX];
    switch (e->kind) {
    case AST_NUMBER:
        print_text(p, number_text(e->number.value, number));
        if (e->number.unit) print_format(p, " [%s]", e->number.unit);
        break;
    case AST_REF:
        print_ref(&e->ref, p);
        break;
    case AST_CALL: {
        const bool is_within = strcmp(e->call.function, AST_DELAY_WITHIN) == 0;
        if (is_within) print_text(p, "delay");
        else print_name(e->call.function, p);
        print_char(p, '(');
        print_list(e->call.args, e->call.n_args - is_within, p);
        for (uint32_t i = 0; i < e->call.n_loops; i++) {
            print_text(p, " for ");
            print_name(e->call.loops[i].name, p);
            print_text(p, " in ");
            print_at_rank(e->call.loops[i].first, RANK_IF, p);
            print_text(p, "..");
            print_at_rank(e->call.loops[i].last, RANK_IF, p);
        }
        print_char(p, ')');
        if (!is_within) break;
        print_text(p, " within ");
        print_at_rank(e->call.args[e->call.n_args - 1], RANK_LEAF, p);
        break;
    }
    case AST_UNARY:
        print_text(p, op_texts[e->op].text);
        if (e->op == AST_NEG && e->operands.a->kind == AST_UNARY && e->operands.a->op == AST_NEG)
            print_char(p, ' ');
        print_at_rank(e->operands.a, op_texts[e->op].rank, p);
        break;
    case AST_BINARY:
        print_chain(e, p);
        break;
    case AST_IF:
        print_text(p, e->is_elseif ? "elseif " : "if ");
        print_at_rank(e->operands.a, RANK_IF, p);
        print_text(p, " then ");
        print_at_rank(e->operands.b, RANK_IF, p);
        print_text(p, e->operands.c->is_elseif ? " " : " else ");
        print_at_rank(e->operands.c, RANK_IF, p);
        break;
    case AST_RANGE:
        print_at_rank(e->operands.a, RANK_IF, p);
        print_text(p, "..");
        print_at_rank(e->operands.b, RANK_IF, p);
        break;
    case AST_CONVERT: {
        const char *unit = e->operands.b->number.unit;
        print_at_rank(e->operands.a, RANK_SUM, p);
        print_format(p, lex_is_name(text_from(unit)) ? " in %s" : " in [%s]", unit);
        break;
    }
    }
}

// In parentheses if it binds less tightly than its place needs.
static void print_at_rank(const AstExpr *e, int min_rank, Printer *p)
{
    const bool bare = rank_of(e) >= min_rank;
    if (!bare) print_char(p, '(');
    print_inner(e, p);
    if (!bare) print_char(p, ')');
}

void print_expr(const AstExpr *e, Printer *p)
{
    print_at_rank(e, RANK_IF, p);
}

void print_chance(const AstExpr *chance, Printer *p)
{
    const bool plain = chance->kind == AST_NUMBER && rank_of(chance) == RANK_LEAF;
    if (!plain) print_char(p, '(');
    print_expr(chance, p);
    print_text(p, plain ? " " : ") ");
}

bool print_says_unit(const AstExpr *value, const char *unit)
{
    if (value && value->kind == AST_UNARY && value->op == AST_NEG) value = value->operands.a;
    return unit && value && value->kind == AST_NUMBER && value->number.unit &&
           text_is(text_from(value->number.unit), unit);
}

void ast_print_expr(const AstExpr *expr, FILE *out)
{
    print_expr(expr, &(Printer){ .out = out });
}
