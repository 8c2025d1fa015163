// src/lang/parse_expr.c: expressions, by precedence climbing.
//
//     or   and   not   < <= > >= == !=   in   + -   * /   - (sign)   ^
//     loosest ─────────────────────────────────────────▶ tightest
//
// + - * / and or lean left; ^ leans right and takes a sign in its exponent: -x^2 is -(x^2), 2^-1 is 0.5.
// Relations do not chain. Chains that lean left are read by a loop, so they may be of any length.
#include "base/number.h"
#include "lang/parse.h"

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_RELATION, LEVEL_CONVERT, LEVEL_SUM, LEVEL_PRODUCT };

static const struct Operator {
    int   level;    // 0: not a binary operator
    AstOp op;
} operators[TOKEN_COUNT] = {
    [TOKEN_OR] = { LEVEL_OR, AST_OR },          [TOKEN_AND] = { LEVEL_AND, AST_AND },
    [TOKEN_LT] = { LEVEL_RELATION, AST_LT },    [TOKEN_LE] = { LEVEL_RELATION, AST_LE },
    [TOKEN_GT] = { LEVEL_RELATION, AST_GT },    [TOKEN_GE] = { LEVEL_RELATION, AST_GE },
    [TOKEN_EQ] = { LEVEL_RELATION, AST_EQ },    [TOKEN_NE] = { LEVEL_RELATION, AST_NE },
    [TOKEN_PLUS] = { LEVEL_SUM, AST_ADD },      [TOKEN_MINUS] = { LEVEL_SUM, AST_SUB },
    [TOKEN_TIMES] = { LEVEL_PRODUCT, AST_MUL }, [TOKEN_DIVIDE] = { LEVEL_PRODUCT, AST_DIV },
};

static AstExpr *parse_binary(Parser *p, int min_level);
static AstExpr *parse_signed(Parser *p);

static AstExpr *make(Parser *p, AstExprKind kind, Place place)
{
    AstExpr *e = ARENA_NEW(p->arena, AstExpr);
    e->kind = kind;
    e->place = place;
    return e;
}

static AstExpr *make_binary(Parser *p, AstOp op, AstExpr *a, AstExpr *b)
{
    AstExpr *e = make(p, AST_BINARY, place_join(a->place, b->place));
    e->op = op;
    e->operands.a = a;
    e->operands.b = b;
    return e;
}

// ---- Brackets

bool parse_close(Parser *p, Token open, TokenKind close, const char *expected)
{
    if (parse_accept(p, close)) return true;
    const char *text = p->lexer.text.p + open.offset;
    const bool ends = parse_at(p, TOKEN_END) || parse_at(p, TOKEN_EOF)
                      || memchr(text, '\n', p->token.offset - open.offset) != NULL;
    if (ends) {
        const char bracket[] = { text[0], '\0' };
        PARSE_FAIL(p, DIAG_PAREN_OPEN, lex_place(&p->lexer, open), bracket);
        return false;
    }
    if (parse_at(p, TOKEN_EQUALS)) {
        PARSE_FAIL(p, DIAG_EQUALS_COMPARES, parse_here(p));
        return false;
    }
    return parse_unexpected(p, expected);
}

// An index: an expression, or a range of them.
static AstExpr *parse_index(Parser *p)
{
    AstExpr *first = parse_expr(p);
    if (!first || !parse_accept(p, TOKEN_RANGE)) return first;
    AstExpr *last = parse_expr(p);
    if (!last) return NULL;
    AstExpr *range = make(p, AST_RANGE, place_join(first->place, last->place));
    range->operands.a = first;
    range->operands.b = last;
    return range;
}

enum { CALL_LOOPS_MAX = 8 };

// `for i in first..last` behind the argument of a call.
static bool parse_call_loop(Parser *p, AstExpr *call)
{
    const Place word = parse_here(p);
    if (call->call.n_loops == CALL_LOOPS_MAX) {
        PARSE_FAIL(p, DIAG_NESTED_TOO_DEEP, word, (int)CALL_LOOPS_MAX);
        return false;
    }
    parse_advance(p);
    AstIndex index = { .place = parse_here(p) };
    index.name = parse_name(p, "the name of an index");
    if (!index.name || !(parse_accept_word(p, "in") || parse_unexpected(p, "'in'"))) return false;
    index.first = parse_expr(p);
    if (!index.first || !parse_expect(p, TOKEN_RANGE, "'..'")) return false;
    index.last = parse_expr(p);
    if (!index.last) return false;
    if (!call->call.loops) call->call.loops = ARENA_ARRAY(p->arena, AstIndex, CALL_LOOPS_MAX);
    call->call.loops[call->call.n_loops++] = index;
    return true;
}

// Expressions up to the closing bracket, separated by commas; `open` is the present token.
static bool parse_list(Parser *p, TokenKind close, AstExpr ***list, uint32_t *n, AstExpr *call,
                       const char *expected)
{
    const Token open = p->token;
    const size_t base = p->exprs.n;
    *list = NULL;
    *n = 0;
    parse_advance(p);
    if (!parse_at(p, close)) {
        do {
            AstExpr *e = close == TOKEN_RBRACKET ? parse_index(p) : parse_expr(p);
            if (!e) {
                p->exprs.n = base;
                return false;
            }
            vec_push(&p->scratch, &p->exprs, e);
        } while (parse_accept(p, TOKEN_COMMA));
    }
    *list = PARSE_TAKE(p, exprs, base, n);
    // sum(e for i in 1..n for j in 1..i)
    while (call && parse_at_word(p, "for"))
        if (!parse_call_loop(p, call)) return false;
    return parse_close(p, open, close, expected);
}

AstExpr **parse_indices(Parser *p, uint32_t *n)
{
    const Place open = parse_here(p);
    AstExpr **list;
    if (!parse_deeper(p, open)) return NULL;
    const bool ok = parse_list(p, TOKEN_RBRACKET, &list, n, NULL, "an operator, ',' or ']'");
    parse_shallower(p);
    if (!ok) return NULL;
    if (*n == 0) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, open, "an index or a size", "empty brackets"))
            diag_hint(p->diag, "write x[1] or x[n]");
        return NULL;
    }
    return list;
}

// ---- Leaves

static AstExpr *parse_number(Parser *p)
{
    const Token token = p->token;
    const Text text = lex_text(&p->lexer, token);
    AstExpr *e = make(p, AST_NUMBER, parse_here(p));
    if (number_read(text, &e->number.value) == NUMBER_OVERFLOW) {
        char buffer[64];
        snprintf(buffer, sizeof buffer, "%.*s%s", (int)(text.n < 50 ? text.n : 40), text.p,
                 text.n < 50 ? "" : "...");
        if (PARSE_FAIL(p, DIAG_NUMBER_TOO_LARGE, e->place, buffer))
            diag_hint(p->diag, "infinity is written 'inf'");
        return NULL;
    }
    parse_advance(p);
    if (parse_at(p, TOKEN_UNIT)) {
        const Text unit = lex_inner(&p->lexer, p->token);
        if (unit.n == 0) {
            if (PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), "a unit", "empty brackets"))
                diag_hint(p->diag, "a pure number has the unit [1], or none");
            return NULL;
        }
        e->number.unit = parse_intern(p, unit);
        if (p->ast) p->ast->has_units = true;
        p->last_unit = e;
        parse_advance(p);
        e->place = parse_since(p, token.offset);
    }
    return e;
}

static bool may_follow_primes(Parser *p)
{
    if (!parse_at(p, TOKEN_LBRACKET)) return true;
    if (parse_report(p, "an operator"))
        diag_hint(p->diag, "the index comes before the derivative: x[1]'");
    return false;
}

// The rest of a reference whose first name has been read.
static bool parse_ref_from(Parser *p, const char *name, AstRef *ref)
{
    const size_t base = p->parts.n;
    bool ok = true;
    if (!parse_at(p, TOKEN_LBRACKET) && !parse_at(p, TOKEN_DOT)) {    // nearly always
        ref->parts = ARENA_NEW(p->arena, AstPart);
        ref->parts->name = name;
        ref->n_parts = 1;
        ref->primes = 0;
        while (parse_accept(p, TOKEN_PRIME)) ref->primes++;
        return !ref->primes || may_follow_primes(p);
    }
    for (;;) {
        AstPart part = { .name = name };
        if (parse_at(p, TOKEN_LBRACKET)) {
            part.indices = parse_indices(p, &part.n_indices);
            ok = part.indices != NULL;
        }
        if (ok) vec_push(&p->scratch, &p->parts, part);
        if (!ok || !parse_at(p, TOKEN_DOT)) break;
        parse_advance(p);
        name = parse_name(p, "a name");
        ok = name != NULL;
        if (!ok) break;
    }
    if (!ok) {
        p->parts.n = base;
        return false;
    }
    ref->parts = PARSE_TAKE(p, parts, base, &ref->n_parts);
    ref->primes = 0;
    while (parse_accept(p, TOKEN_PRIME)) ref->primes++;
    return !ref->primes || may_follow_primes(p);
}

bool parse_ref(Parser *p, AstRef *ref, Place *place, const char *expected)
{
    const uint32_t start = p->token.offset;
    const char *name = parse_name(p, expected);
    if (!name || !parse_ref_from(p, name, ref)) return false;
    *place = parse_since(p, start);
    return true;
}

static AstExpr *parse_leaf(Parser *p);

static AstExpr *parse_ref_or_call(Parser *p)
{
    const Token start = p->token;
    const char *name = parse_name(p, "an expression");
    if (!name) return NULL;
    if (!parse_at(p, TOKEN_LPAREN)) {
        AstRef ref;
        if (!parse_ref_from(p, name, &ref)) return NULL;
        AstExpr *e = make(p, AST_REF, parse_since(p, start.offset));
        e->ref = ref;
        return e;
    }
    AstExpr *e = make(p, AST_CALL, lex_place(&p->lexer, start));
    e->call.function = name;
    parse_mark(p, MARK_CALL, p->token);
    if (!parse_list(p, TOKEN_RPAREN, &e->call.args, &e->call.n_args, e, "an operator, ',' or ')'"))
        return NULL;
    e->place = parse_since(p, start.offset);
    // delay(x, lag) within LARGEST: one argument more, of a function with a name of its own
    if (strcmp(name, "delay") != 0 || e->call.n_args < 2 || !parse_accept_word(p, "within")) return e;
    AstExpr **args = ARENA_ARRAY(p->arena, AstExpr *, e->call.n_args + 1);
    memcpy(args, e->call.args, e->call.n_args * sizeof *args);
    e->call.function = AST_DELAY_WITHIN;
    e->call.args = args;
    args[e->call.n_args] = parse_leaf(p);
    e->place = parse_since(p, start.offset);
    return args[e->call.n_args++] ? e : NULL;
}

// `then` and `else` may start a line: nothing else can begin with them.
static bool parse_branch_word(Parser *p, TokenKind kind, const char *expected)
{
    if (parse_at_line_end(p) && parse_peek(p).kind == kind) parse_advance(p);
    if (parse_at(p, TOKEN_EQUALS)) {
        // if c then y = 1 else …: the habit of other languages
        if (PARSE_FAIL(p, DIAG_EQUALS_COMPARES, parse_here(p)) && kind == TOKEN_ELSE)
            diag_hint(p->diag, "'if' chooses between values: write y = if ... then ... else ...");
        return false;
    }
    return parse_expect(p, kind, expected);
}

static AstExpr *parse_if(Parser *p)
{
    const Token start = p->token;
    parse_advance(p);
    AstExpr *e = make(p, AST_IF, lex_place(&p->lexer, start));
    e->is_elseif = start.kind != TOKEN_IF;
    e->operands.a = parse_expr(p);
    if (!e->operands.a || !parse_branch_word(p, TOKEN_THEN, "'then'")) return NULL;
    e->operands.b = parse_expr(p);
    if (!e->operands.b) return NULL;
    if (parse_at_word(p, "elseif")) {    // as `else if`
        e->operands.c = parse_if(p);
    } else {
        if (!parse_branch_word(p, TOKEN_ELSE, "'else'")) return NULL;
        e->operands.c = parse_expr(p);
    }
    if (!e->operands.c) return NULL;
    e->place = parse_since(p, start.offset);
    return e;
}

static AstExpr *parse_parenthesis(Parser *p)
{
    const Token open = p->token;
    parse_advance(p);
    AstExpr *e = parse_expr(p);
    if (!e || !parse_close(p, open, TOKEN_RPAREN, "an operator or ')'")) return NULL;
    e->place = parse_since(p, open.offset);
    return e;
}

static AstExpr *parse_leaf(Parser *p)
{
    AstExpr *e;
    switch (p->token.kind) {
    case TOKEN_NUMBER: e = parse_number(p); break;
    case TOKEN_NAME: case TOKEN_QUOTED: e = parse_ref_or_call(p); break;
    case TOKEN_LPAREN: e = parse_parenthesis(p); break;
    case TOKEN_IF: e = parse_if(p); break;
    case TOKEN_NOT:
        if (parse_report(p, "an operand")) diag_hint(p->diag, "put the part with 'not' in parentheses");
        return NULL;
    default:
        parse_unexpected(p, "an expression");
        return NULL;
    }
    if (e && parse_at(p, TOKEN_PRIME)) {
        if (PARSE_FAIL(p, DIAG_PRIME_MISPLACED, parse_here(p)))
            diag_hint(p->diag, "give the expression a name, such as y = ..., and write y'");
        return NULL;
    }
    return e;
}

// ---- Operators

static AstExpr *parse_power(Parser *p)
{
    AstExpr *base = parse_leaf(p);
    if (!base || !parse_at(p, TOKEN_POWER)) return base;
    if (!parse_deeper(p, parse_here(p))) return NULL;
    parse_advance(p);
    AstExpr *exponent = parse_signed(p);
    parse_shallower(p);
    return exponent ? make_binary(p, AST_POW, base, exponent) : NULL;
}

static AstExpr *parse_unary(Parser *p, AstOp op)
{
    const Token sign = p->token;
    if (!parse_deeper(p, parse_here(p))) return NULL;
    parse_advance(p);
    AstExpr *a = op == AST_NOT ? parse_binary(p, LEVEL_NOT) : parse_signed(p);
    parse_shallower(p);
    if (!a) return NULL;
    AstExpr *e = make(p, AST_UNARY, place_join(lex_place(&p->lexer, sign), a->place));
    e->op = op;
    e->operands.a = a;
    return e;
}

static AstExpr *parse_signed(Parser *p)
{
    if (!parse_at(p, TOKEN_MINUS)) return parse_power(p);
    parse_mark(p, MARK_SIGN, p->token);
    return parse_unary(p, AST_NEG);
}

// ---- Conversions

// `in` converts if a unit follows, such as km or 1/s: `for i in 1..3` and `x in 0..1` are something else.
static bool at_conversion(const Parser *p)
{
    if (!parse_at_word(p, "in")) return false;
    Lexer ahead = p->lexer;
    ahead.quiet = true;
    const TokenKind next = lex_next(&ahead).kind;
    return next == TOKEN_NAME || next == TOKEN_UNIT
           || (next == TOKEN_NUMBER && lex_next(&ahead).kind == TOKEN_DIVIDE);
}

// km/h without brackets: names and numbers with powers, joined by * and /.
static bool parse_bare_unit(Parser *p)
{
    do {
        if (!parse_accept(p, TOKEN_NAME) && !parse_accept(p, TOKEN_NUMBER))
            return parse_unexpected(p, "the name of a unit");
        if (!parse_accept(p, TOKEN_POWER)) continue;
        if (parse_at(p, TOKEN_MINUS)) {
            parse_mark(p, MARK_SIGN, p->token);
            parse_advance(p);
        }
        if (!parse_expect(p, TOKEN_NUMBER, "a whole number")) return false;
    } while (parse_accept(p, TOKEN_TIMES) || parse_accept(p, TOKEN_DIVIDE));
    return true;
}

// What follows `in`, as the number 1 with a unit.
static AstExpr *parse_conversion_unit(Parser *p)
{
    const uint32_t start = p->token.offset;
    Text text = { 0 };
    if (parse_at(p, TOKEN_UNIT)) {
        text = lex_inner(&p->lexer, p->token);
        if (text.n == 0) {
            PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), "a unit", "empty brackets");
            return NULL;
        }
        parse_advance(p);
    } else {
        if (!parse_bare_unit(p)) return NULL;
        text = text_part(p->lexer.text, start, p->end);
    }
    AstExpr *e = make(p, AST_NUMBER, parse_since(p, start));
    e->number.value = 1;
    e->number.unit = parse_intern(p, text);
    if (p->ast) p->ast->has_units = true;
    return e;
}

// a in km; nothing that binds as tightly as a sum may follow, since it would look like part of the unit.
static AstExpr *parse_conversion(Parser *p, AstExpr *a)
{
    parse_advance(p);
    AstExpr *unit = parse_conversion_unit(p);
    if (!unit) return NULL;
    if (at_conversion(p) || operators[p->token.kind].level >= LEVEL_SUM || parse_at(p, TOKEN_POWER)) {
        if (parse_report(p, "the end of the conversion"))
            diag_hint(p->diag, "put the conversion in parentheses: (x in km) + 1");
        return NULL;
    }
    AstExpr *e = make(p, AST_CONVERT, place_join(a->place, unit->place));
    e->operands.a = a;
    e->operands.b = unit;
    return e;
}

static AstExpr *parse_binary(Parser *p, int min_level)
{
    const bool is_not = min_level <= LEVEL_NOT && parse_at(p, TOKEN_NOT);
    AstExpr *left = is_not ? parse_unary(p, AST_NOT) : parse_signed(p);
    while (left) {
        if (min_level <= LEVEL_CONVERT && at_conversion(p)) {
            left = parse_conversion(p, left);
            continue;
        }
        const struct Operator operator = operators[p->token.kind];
        if (operator.level == 0 || operator.level < min_level) break;
        const Token token = p->token;
        parse_advance(p);
        AstExpr *right = parse_binary(p, operator.level + 1);
        if (!right) return NULL;
        left = make_binary(p, operator.op, left, right);
        if (operator.level == LEVEL_RELATION && operators[p->token.kind].level == LEVEL_RELATION) {
            if (PARSE_FAIL(p, DIAG_RELATION_CHAINED, parse_here(p))) {
                const Text first = lex_text(&p->lexer, token), second = lex_text(&p->lexer, p->token);
                diag_hint(p->diag, "write a %.*s b and b %.*s c", (int)first.n, first.p, (int)second.n,
                          second.p);
            }
            return NULL;
        }
    }
    return left;
}

AstExpr *parse_expr(Parser *p)
{
    if (!parse_deeper(p, parse_here(p))) return NULL;
    AstExpr *e = parse_binary(p, LEVEL_OR);
    parse_shallower(p);
    p->expr_end = p->end;
    return e;
}

AstExpr *parse_condition(Parser *p)
{
    AstExpr *e = parse_expr(p);
    if (!e || !parse_at(p, TOKEN_EQUALS)) return e;
    PARSE_FAIL(p, DIAG_EQUALS_COMPARES, parse_here(p));
    return NULL;
}

bool parse_setting(Parser *p, AstSetting *setting)
{
    const uint32_t start = p->token.offset;
    if (!parse_ref(p, &setting->target, &setting->place, "a name")) return false;
    if (!parse_expect(p, TOKEN_EQUALS, "'=' and a value")) return false;
    setting->value = parse_expr(p);
    setting->place = parse_since(p, start);
    return setting->value != NULL;
}

AstExpr *parse_expression(Arena *arena, uint32_t file, Text text, orr_diag *diag)
{
    Parser p;
    parse_begin(&p, NULL, arena, file, text, diag, NULL);
    parse_statement_begin(&p);
    AstExpr *e = parse_condition(&p);
    parse_statement_end(&p);
    parse_accept(&p, TOKEN_END);
    if (e && !parse_at(&p, TOKEN_EOF)) parse_unexpected(&p, "one expression");
    return parse_finish(&p) ? e : NULL;
}
