// src/code/arith.c: operations and numbers as C; see arith.h.
#include "code/arith.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

// ---- Numbers

void gen_name(StrBuf *s, const char *prefix, uint32_t number)
{
    char digits[16];
    size_t n = sizeof digits;
    do digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    str_add(s, prefix);
    str_add_text(s, (Text){ digits + n, sizeof digits - n });
}

void gen_number(StrBuf *s, double value)
{
    if (isnan(value)) {
        str_add(s, "(0.0/0.0)");
        return;
    }
    if (isinf(value)) {
        str_add(s, value > 0 ? "(1.0/0.0)" : "(-1.0/0.0)");
        return;
    }
    char text[NUMBER_MAX];
    const size_t n = number_format(value, text);
    str_add_text(s, (Text){ text, n });
    if (!memchr(text, '.', n) && !memchr(text, 'e', n)) str_add(s, ".0");
}

void gen_leaf(StrBuf *s, double value, int binding)
{
    const bool needs_parentheses = binding > BIND_UNARY && signbit(value) && isfinite(value);
    if (needs_parentheses) str_add_char(s, '(');
    gen_number(s, value);
    if (needs_parentheses) str_add_char(s, ')');
}

void gen_list(StrBuf *s, const char *name, uint32_t number, const double *values, uint32_t n)
{
    str_addf(s, "static const double %s%u[%u] = {", name, number, n);
    for (uint32_t i = 0; i < n; i++) {
        str_add(s, i == 0 ? " " : i % 8 ? ", " : ",\n    ");
        gen_number(s, values[i]);
    }
    str_add(s, " };\n");
}

// ---- Operations

// The right operand of equal rank keeps its parentheses: rounding is not associative.
static const struct Infix {
    const char *sign;
    int binding, left, right;
} infixes[EXPR_N_OPS] = {
    [EXPR_ADD] = { " + ", BIND_SUM, BIND_SUM, BIND_PRODUCT },
    [EXPR_SUB] = { " - ", BIND_SUM, BIND_SUM, BIND_PRODUCT },
    [EXPR_MUL] = { "*", BIND_PRODUCT, BIND_PRODUCT, BIND_UNARY },
    [EXPR_DIV] = { "/", BIND_PRODUCT, BIND_PRODUCT, BIND_UNARY },
    [EXPR_LT] = { " < ", BIND_LESS, BIND_SUM, BIND_SUM },
    [EXPR_LE] = { " <= ", BIND_LESS, BIND_SUM, BIND_SUM },
    [EXPR_GT] = { " > ", BIND_LESS, BIND_SUM, BIND_SUM },
    [EXPR_GE] = { " >= ", BIND_LESS, BIND_SUM, BIND_SUM },
    [EXPR_EQ] = { " == ", BIND_EQUAL, BIND_SUM, BIND_SUM },
    [EXPR_NE] = { " != ", BIND_EQUAL, BIND_SUM, BIND_SUM },
    [EXPR_AND] = { " && ", BIND_AND, BIND_LESS, BIND_LESS },
    [EXPR_OR] = { " || ", BIND_OR, BIND_LESS, BIND_LESS },
};

static int binding_of(const Arith *a)
{
    if (a->power) {
        const bool is_call = a->power > 3 || (a->power > 1 && !a->may_repeat);
        return a->power == 1 || is_call ? BIND_ATOM : BIND_PRODUCT;
    }
    switch (a->op) {
    case EXPR_IF: return BIND_IF;
    case EXPR_NEG: case EXPR_NOT: return BIND_UNARY;
    default: return infixes[a->op].sign ? infixes[a->op].binding : BIND_ATOM;
    }
}

// Squares and cubes as products, others by a function of the prelude: all in the order of expr_whole_power.
static void print_power(const Arith *a)
{
    const unsigned m = (unsigned)(a->power < 0 ? -a->power : a->power);
    const bool is_call = m > 3 || (m > 1 && !a->may_repeat);
    if (a->power < 0) str_add(a->s, "1.0/");
    if (is_call) {
        a->uses_power[m] = true;
        gen_name(a->s, "orr_power", m);
        str_add_char(a->s, '(');
        a->operand(a->context, 0, BIND_IF);
        str_add_char(a->s, ')');
        return;
    }
    if (a->power < -1) str_add_char(a->s, '(');
    for (unsigned i = 0; i < m; i++) {
        if (i) str_add_char(a->s, '*');
        a->operand(a->context, 0, BIND_UNARY);
    }
    if (a->power < -1) str_add_char(a->s, ')');
}

static void print_call(const Arith *a)
{
    a->uses_math[expr_math_of(a->op)] = true;
    str_add(a->s, expr_ops[a->op].c);
    str_add_char(a->s, '(');
    if (!expr_ops[a->op].is_function && a->op != EXPR_POW) a->table(a->context);
    for (int k = 0; k < a->n_operands; k++) {
        if (k) str_add(a->s, ", ");
        a->operand(a->context, k, BIND_IF);
    }
    str_add_char(a->s, ')');
}

static void print_operation(const Arith *a)
{
    static const char *const parts[] = { "", " ? ", " : " };
    const struct Infix *infix = &infixes[a->op];
    if (a->power) {
        print_power(a);
    } else if (a->op == EXPR_NEG || a->op == EXPR_NOT) {
        str_add_char(a->s, a->op == EXPR_NEG ? '-' : '!');
        a->operand(a->context, 0, BIND_ATOM);
    } else if (a->op == EXPR_IF) {
        for (int k = 0; k < 3; k++) {
            str_add(a->s, parts[k]);
            a->operand(a->context, k, BIND_OR);
        }
    } else if (infix->sign) {
        const bool is_bitwise = a->has_no_jumps && (a->op == EXPR_AND || a->op == EXPR_OR);
        a->operand(a->context, 0, infix->left);
        str_add(a->s, !is_bitwise ? infix->sign : a->op == EXPR_AND ? " & " : " | ");
        a->operand(a->context, 1, infix->right);
    } else {
        print_call(a);
    }
}

void arith_print(const Arith *a, int binding)
{
    const bool needs_parentheses = binding_of(a) < binding;
    if (needs_parentheses) str_add_char(a->s, '(');
    print_operation(a);
    if (needs_parentheses) str_add_char(a->s, ')');
}
