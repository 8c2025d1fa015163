// src/expr/print.c: expressions as the language writes them, with as few parentheses as possible.
//
// Work that is left waits on an explicit stack, so a sum of a million terms is no deeper than a small one.
//
// A minus sign in front needs care. -a*b may be read as (-a)*b or -(a*b); both have the same bits, so either
// is printed so, but only where no operator stands on its left: x + (-a)*b.
#include "base/number.h"
#include "expr/expr.h"
#include <math.h>

// How tightly an operation binds.
enum {
    LEVEL_IF, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_RELATION,
    LEVEL_SUM, LEVEL_TERM, LEVEL_PRODUCT, LEVEL_POWER, LEVEL_ATOM,
};

// A graph with shared parts can stand for an endless text; this much of it is printed, then "...".
enum { PRINT_MAX = 1 << 24 };

typedef struct Piece {
    const char *text;       // to be written as it is; NULL: print `e`
    Expr        e;
    uint8_t     level;      // parentheses if it binds less tightly than this
    bool        leading;    // nothing, or no arithmetic operator, stands on its left
} Piece;

typedef struct Printer {
    const ExprPool  *pool;
    const ExprNames *names;
    FILE            *out;
    Arena            scratch;
    VEC(Piece)       stack;
} Printer;

static void push_text(Printer *p, const char *text)
{
    vec_push(&p->scratch, &p->stack, (Piece){ .text = text });
}

static void push(Printer *p, Expr e, int level, bool leading)
{
    vec_push(&p->scratch, &p->stack, (Piece){ .e = e, .level = (uint8_t)level, .leading = leading });
}

static bool has_minus(const ExprPool *pool, const ExprNode *node)
{
    if (node->op == EXPR_CONST) return signbit(pool->constants.items[node->index]);
    return node->op == EXPR_NEG;
}

static int level_of(const ExprPool *pool, const ExprNode *node, bool leading)
{
    // with a minus sign: like a product in front, else always in parentheses
    if (has_minus(pool, node)) return leading ? LEVEL_PRODUCT : LEVEL_RELATION;
    switch (node->op) {
    case EXPR_IF: return LEVEL_IF;
    case EXPR_OR: return LEVEL_OR;
    case EXPR_AND: return LEVEL_AND;
    case EXPR_NOT: return LEVEL_NOT;
    case EXPR_LT: case EXPR_LE: case EXPR_GT: case EXPR_GE: case EXPR_EQ: case EXPR_NE: return LEVEL_RELATION;
    case EXPR_ADD: case EXPR_SUB: return LEVEL_SUM;
    case EXPR_MUL: case EXPR_DIV: return LEVEL_PRODUCT;
    case EXPR_POW: return LEVEL_POWER;
    default: return LEVEL_ATOM;
    }
}

static void print_number(Printer *p, Expr e)
{
    char digits[NUMBER_MAX];
    double x = 0;
    expr_is_const(p->pool, e, &x);
    if (expr_is_bool(p->pool, e)) fputs(x != 0 ? "true" : "false", p->out);
    else fwrite(digits, 1, number_format(x, digits), p->out);
}

static void print_variable(Printer *p, uint32_t variable)
{
    const char *name = NULL;
    if (p->names && p->names->variable) name = p->names->variable(p->names->context, variable);
    if (name) fputs(name, p->out);
    else fprintf(p->out, "v%u", (unsigned)variable);
}

static void print_element(Printer *p, const ExprAccess *access)
{
    if (p->names && p->names->element) p->names->element(p->names->context, access, p->names->loops, p->out);
    else fprintf(p->out, "u%u[%u + …]", (unsigned)access->array, (unsigned)access->offset);
}

static void print_turn(Printer *p, const ExprNode *node)
{
    const ExprLoops *loops = p->names ? p->names->loops : NULL;
    if (loops && node->a < loops->n) fputs(loops->index[node->a], p->out);
    else fprintf(p->out, "i%u", (unsigned)node->a);
}

// a op b. The stack is taken from the end, so pieces are pushed from right to left.
static void print_infix(Printer *p, const ExprNode *node, const char *text, int left, int right, bool leading,
                        bool again)
{
    push(p, node->b, right, again);
    push_text(p, text);
    push(p, node->a, left, leading);
}

// normal("K", 0): draw number 0 of the stream K.
static void print_draw(Printer *p, const ExprNode *node)
{
    static const char *const kinds[] = { "unit", "normal", "gamma", "poisson" };
    const ExprDraw *draw = &p->pool->draws.items[node->c];
    fprintf(p->out, "%s(\"%s\", ", kinds[draw->kind], draw->stream);
    push_text(p, ")");
    if (draw->kind >= EXPR_DRAW_GAMMA) {
        push(p, node->b, LEVEL_IF, true);
        push_text(p, ", ");
    }
    push(p, node->a, LEVEL_IF, true);
}

static void print_call(Printer *p, const ExprNode *node)
{
    const ExprOpInfo *info = &expr_ops[node->op];
    const bool is_table = node->op == EXPR_PIECES || node->op == EXPR_NEAR || node->op == EXPR_GRID;
    const uint32_t number = node->op == EXPR_PIECES ? node->b : node->c;
    const ExprPieces *table = is_table ? &p->pool->pieces.items[number] : NULL;
    fputs(table && table->name ? table->name : info->text, p->out);
    if (table && !table->name) fprintf(p->out, "%u", (unsigned)number);
    for (uint32_t i = 0; table && i < table->order[0] + table->order[1]; i++) fputc('\'', p->out);
    if (node->op == EXPR_LOOKUP || node->op == EXPR_SLOPE || node->op == EXPR_DELAY)
        fprintf(p->out, "%u", (unsigned)node->b);
    push_text(p, ")");
    if (info->arity > 1 && node->op != EXPR_NEAR) {    // the code is no argument
        push(p, node->b, LEVEL_IF, true);
        push_text(p, ", ");
    }
    push(p, node->a, LEVEL_IF, true);
    push_text(p, "(");
}

static void print_relation(Printer *p, const ExprNode *node, const char *text)
{
    print_infix(p, node, text, LEVEL_SUM, LEVEL_SUM, true, true);
}

static void print_node(Printer *p, const Piece *piece)
{
    const ExprNode *node = expr_node(p->pool, piece->e);
    const bool leading = piece->leading;
    if (node->op == EXPR_MODE && p->names && p->names->relations && node->index < p->names->n_relations) {
        push(p, p->names->relations[node->index], piece->level, leading);
        return;
    }
    if (level_of(p->pool, node, leading) < piece->level) {
        push_text(p, ")");
        push(p, piece->e, LEVEL_IF, true);
        push_text(p, "(");
        return;
    }
    switch (node->op) {
    case EXPR_CONST: print_number(p, piece->e); return;
    case EXPR_VAR: print_variable(p, node->index); return;
    case EXPR_TIME: fputs("t", p->out); return;
    case EXPR_ELEM: print_element(p, expr_access(p->pool, piece->e)); return;
    case EXPR_TURN: print_turn(p, node); return;
    case EXPR_DRAW: print_draw(p, node); return;
    case EXPR_MODE: fprintf(p->out, "mode %u", (unsigned)node->index); return;
    case EXPR_NEG:
        push(p, node->a, LEVEL_PRODUCT, false);
        push_text(p, "-");
        return;
    case EXPR_ADD: print_infix(p, node, " + ", LEVEL_SUM, LEVEL_TERM, leading, false); return;
    case EXPR_SUB: print_infix(p, node, " - ", LEVEL_SUM, LEVEL_TERM, leading, false); return;
    case EXPR_MUL: print_infix(p, node, "*", LEVEL_PRODUCT, LEVEL_POWER, leading, false); return;
    case EXPR_DIV: print_infix(p, node, "/", LEVEL_PRODUCT, LEVEL_POWER, leading, false); return;
    case EXPR_POW: print_infix(p, node, "^", LEVEL_ATOM, LEVEL_ATOM, false, false); return;
    case EXPR_LT: print_relation(p, node, " < "); return;
    case EXPR_LE: print_relation(p, node, " <= "); return;
    case EXPR_GT: print_relation(p, node, " > "); return;
    case EXPR_GE: print_relation(p, node, " >= "); return;
    case EXPR_EQ: print_relation(p, node, " == "); return;
    case EXPR_NE: print_relation(p, node, " != "); return;
    case EXPR_AND: print_infix(p, node, " and ", LEVEL_AND, LEVEL_NOT, true, true); return;
    case EXPR_OR: print_infix(p, node, " or ", LEVEL_OR, LEVEL_AND, true, true); return;
    case EXPR_NOT:
        push(p, node->a, LEVEL_ATOM, true);
        push_text(p, "not ");
        return;
    case EXPR_IF:
        push(p, node->c, LEVEL_IF, true);
        push_text(p, " else ");
        push(p, node->b, LEVEL_OR, true);
        push_text(p, " then ");
        push(p, node->a, LEVEL_OR, true);
        push_text(p, "if ");
        return;
    default: print_call(p, node); return;
    }
}

void expr_print(const ExprPool *pool, Expr e, const ExprNames *names, FILE *out)
{
    Printer p = { .pool = pool, .names = names, .out = out };
    push(&p, e, LEVEL_IF, true);
    for (size_t n = 0; p.stack.n > 0; n++) {
        if (n == PRINT_MAX) {
            fputs(" ...", out);
            break;
        }
        const Piece piece = vec_pop(&p.stack);
        if (piece.text) fputs(piece.text, out);
        else print_node(&p, &piece);
    }
    arena_free(&p.scratch);
}
