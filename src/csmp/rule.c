// src/csmp/rule.c: the small language in which csmp_blocks[] says what a block computes.
//
//     expr    = "if" sum "<" sum "then" expr "else" expr | sum
//     sum     = product { ("+" | "-") product }
//     product = power { ("*" | "/") power }
//     power   = factor [ "^" factor ]
//     factor = number | argument | "self" | "t" | "-" factor | "(" expr ")" | name "(" expr { "," expr } [",
// ..."] ")"
//
// An argument that was left out is NULL; a product and a call of it are NULL too, a sum goes on without it.
// Rules come from our own table, so their depth is known and a mistake in them is ours.
#include "csmp/rule.h"
#include "base/number.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>

enum { CALL_ARGS_MAX = 4 };    // written out in a rule; what "..." adds does not count

typedef struct Rule {
    const CsmpUse *use;
    Arena *arena;
    const char *p;    // rest of the text
} Rule;

static AstExpr *read_expr(Rule *r);

// ---- Making nodes

static AstExpr *make(Rule *r, AstExprKind kind, AstOp op, AstExpr *a, AstExpr *b, AstExpr *c)
{
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    e->kind = kind;
    e->op = op;
    e->place = r->use->place;
    e->operands.a = a;
    e->operands.b = b;
    e->operands.c = c;
    return e;
}

static AstExpr *make_number(Rule *r, double value, Place place)
{
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    e->kind = AST_NUMBER;
    e->place = place;
    e->number.value = value;
    return e;
}

static bool is_number(const AstExpr *e, double value)
{
    return e->kind == AST_NUMBER && e->number.value == value;
}

static bool is_negative(const AstExpr *e) { return e->kind == AST_NUMBER && e->number.value < 0; }

static AstExpr *negate(Rule *r, AstExpr *a) { return make(r, AST_UNARY, AST_NEG, a, NULL, NULL); }

static AstExpr *add(Rule *r, AstExpr *a, AstExpr *b)
{
    if (!b) return a;
    if (!a) return b;
    // a + (-b) is a - b to the bit, and easier to read
    if (b->kind == AST_UNARY && b->op == AST_NEG) return make(r, AST_BINARY, AST_SUB, a, b->operands.a, NULL);
    if (is_negative(b))
        return make(r, AST_BINARY, AST_SUB, a, make_number(r, -b->number.value, b->place), NULL);
    if (b->kind == AST_BINARY && b->op == AST_MUL && is_negative(b->operands.a)) {
        AstExpr *factor = b->operands.a;
        b->operands.a = make_number(r, -factor->number.value, factor->place);
        return make(r, AST_BINARY, AST_SUB, a, b, NULL);
    }
    return make(r, AST_BINARY, AST_ADD, a, b, NULL);
}

static AstExpr *multiply(Rule *r, AstExpr *a, AstExpr *b)
{
    if (!a || !b) return NULL;
    if (is_number(a, 1)) return b;
    if (is_number(a, -1)) return negate(r, b);
    return make(r, AST_BINARY, AST_MUL, a, b, NULL);
}

// ---- Reading a rule

static void skip_spaces(Rule *r)
{
    while (*r->p == ' ') r->p++;
}

static bool take(Rule *r, const char *symbol)
{
    skip_spaces(r);
    const size_t n = strlen(symbol);
    if (strncmp(r->p, symbol, n) != 0) return false;
    if (isalpha((unsigned char)symbol[0]) && isalnum((unsigned char)r->p[n]))
        return false;    // part of a longer word
    r->p += n;
    return true;
}

static void need(Rule *r, const char *symbol)
{
    const bool taken = take(r, symbol);
    assert(taken && "a rule in csmp_blocks[] is ill-formed");
    (void)taken;
}

static Text take_word(Rule *r)
{
    skip_spaces(r);
    const char *start = r->p;
    while (isalnum((unsigned char)*r->p) || *r->p == '.') r->p++;
    return (Text){ start, (size_t)(r->p - start) };
}

static uint32_t find_argument(const CsmpShape *shape, Text name)
{
    uint32_t i = 0;
    while (i < shape->n && !text_equal(shape->names[i], name)) i++;
    return i;
}

static AstExpr *read_call(Rule *r, Text function)
{
    AstExpr *args[CALL_ARGS_MAX];
    uint32_t n = 0;
    const CsmpUse *use = r->use;
    AstExpr **rest = NULL;
    size_t n_rest = 0;
    while (!take(r, ")")) {
        if (n > 0) need(r, ",");
        if (take(r, "...")) {    // the arguments not named so far
            rest = use->args + n;
            n_rest = use->n_args - n;
        } else {
            assert(n < CALL_ARGS_MAX);
            args[n] = read_expr(r);
            if (args[n]) n++;
            else r->p += strcspn(r->p, ")");    // left out, as is all that follows
        }
    }
    if (n == 0) return NULL;
    if (text_is(function, "sign") && args[0]->kind == AST_NUMBER) {
        const double x = args[0]->number.value;
        return make_number(r, (x > 0) - (x < 0), args[0]->place);
    }
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    e->kind = AST_CALL;
    e->place = use->place;
    e->call.function = text_copy(r->arena, function);
    e->call.n_args = n + (uint32_t)n_rest;
    e->call.args = ARENA_ARRAY(r->arena, AstExpr *, e->call.n_args);
    for (uint32_t i = 0; i < n; i++) e->call.args[i] = args[i];
    for (size_t i = 0; i < n_rest; i++) e->call.args[n + i] = rest[i];
    return e;
}

static AstExpr *make_time(Rule *r)
{
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    e->kind = AST_REF;
    e->place = r->use->place;
    e->ref.parts = ARENA_NEW(r->arena, AstPart);
    e->ref.parts[0].name = "t";
    e->ref.n_parts = 1;
    return e;
}

static AstExpr *read_factor(Rule *r)
{
    if (take(r, "-")) return negate(r, read_factor(r));
    if (take(r, "(")) {
        AstExpr *e = read_expr(r);
        need(r, ")");
        return e;
    }
    const Text word = take_word(r);
    double value;
    if (number_parse(word, &value)) return make_number(r, value, r->use->place);
    if (take(r, "(")) return read_call(r, word);
    const uint32_t i = find_argument(r->use->shape, word);
    if (i < r->use->shape->n) return i < r->use->n_args ? r->use->args[i] : NULL;
    if (text_is(word, "self")) return r->use->self;
    assert(text_is(word, "t"));
    return make_time(r);
}

static AstExpr *read_power(Rule *r)
{
    AstExpr *a = read_factor(r);
    return take(r, "^") ? make(r, AST_BINARY, AST_POW, a, read_factor(r), NULL) : a;
}

static AstExpr *read_product(Rule *r)
{
    AstExpr *a = read_power(r);
    for (;;) {
        if (take(r, "*")) a = multiply(r, a, read_power(r));
        else if (take(r, "/")) a = make(r, AST_BINARY, AST_DIV, a, read_power(r), NULL);
        else return a;
    }
}

static AstExpr *read_sum(Rule *r)
{
    AstExpr *a = read_product(r);
    for (;;) {
        if (take(r, "+")) a = add(r, a, read_product(r));
        else if (take(r, "-")) a = make(r, AST_BINARY, AST_SUB, a, read_product(r), NULL);
        else return a;
    }
}

static AstExpr *read_expr(Rule *r)
{
    if (!take(r, "if")) return read_sum(r);
    AstExpr *left = read_sum(r);
    need(r, "<");
    AstExpr *condition = make(r, AST_BINARY, AST_LT, left, read_sum(r), NULL);
    need(r, "then");
    AstExpr *yes = read_expr(r);
    need(r, "else");
    AstExpr *no = read_expr(r);
    return make(r, AST_IF, AST_ADD, condition, yes, no);
}

AstExpr *csmp_rule_apply(const CsmpUse *use, Arena *arena)
{
    Rule r = { .use = use, .arena = arena, .p = use->block->rule };
    AstExpr *e = read_expr(&r);
    assert(e && *r.p == '\0');
    return e;
}

// ---- Conditions on parameters: "a < b" or "a <= b", separated by commas

static double value_of(const CsmpShape *shape, const double *values, Text word)
{
    double value;
    if (number_parse(word, &value)) return value;
    const uint32_t i = find_argument(shape, word);
    assert(i < shape->n && !shape->is_input[i]);
    return values[i];
}

Text csmp_rule_unmet(const CsmpBlock *block, const CsmpShape *shape, const double *values)
{
    Rule r = { .p = block->needs };
    while (skip_spaces(&r), *r.p) {
        const char *start = r.p;
        const double a = value_of(shape, values, take_word(&r));
        const bool or_equal = take(&r, "<=");
        if (!or_equal) need(&r, "<");
        const double b = value_of(shape, values, take_word(&r));
        if (or_equal ? a > b : a >= b) return (Text){ start, (size_t)(r.p - start) };
        take(&r, ",");
    }
    return (Text){ NULL, 0 };
}
