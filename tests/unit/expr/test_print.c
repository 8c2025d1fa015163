// tests/unit/expr/test_print.c: minimal parentheses, and what is printed reads back as the same value.
#include "exprs.h"
#include "base/number.h"
#include <ctype.h>

#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)
#define IF(c, a, b)  expr_make(p, EXPR_IF, c, a, b)

static void test_print_uses_as_few_parentheses_as_possible(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), c = expr_var(p, 2);
    assert_prints(&f, E2(ADD, E2(ADD, a, b), c), "a + b + c");
    assert_prints(&f, E2(ADD, c, E2(SUB, a, b)), "c + (a - b)");
    assert_prints(&f, E2(SUB, a, E2(ADD, b, c)), "a - (b + c)");
    assert_prints(&f, E2(MUL, a, E2(ADD, b, c)), "a*(b + c)");
    assert_prints(&f, E2(ADD, E2(MUL, a, b), c), "a*b + c");
    assert_prints(&f, E2(DIV, a, E2(MUL, b, c)), "a/(b*c)");
    assert_prints(&f, E2(DIV, E2(DIV, a, b), c), "a/b/c");
    assert_prints(&f, E2(MUL, E2(DIV, a, b), c), "a/b*c");
    assert_prints(&f, E2(POW, E2(MUL, a, b), N(2)), "(a*b)^2");
    assert_prints(&f, E2(DIV, E2(MUL, a, E2(POW, b, N(2))), N(2)), "a*b^2/2");
    assert_prints(&f, E2(POW, E2(POW, a, b), c), "(a^b)^c");
    assert_prints(&f, E2(POW, a, E2(POW, b, c)), "a^(b^c)");
    assert_prints(&f, E2(POW, a, N(-2)), "a^(-2)");
    assert_prints(&f, E2(POW, N(-2), a), "(-2)^a");
    assert_prints(&f, E1(SIN, E2(ADD, a, b)), "sin(a + b)");
    assert_prints(&f, E2(MAX, a, E2(SUB, b, N(1))), "max(a, b - 1)");
    assert_prints(&f, E2(ATAN2, E1(NEG, a), b), "atan2(-a, b)");
    assert_prints(&f, E2(MUL, expr_time(p), N(0.1)), "t*0.1");
    assert_prints(&f, expr_var(p, 50), "v50");
    fixture_end(&f);
}

static void test_print_puts_minus_signs_where_they_can_be_read(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), c = expr_var(p, 2), minus = E1(NEG, a);
    assert_prints(&f, minus, "-a");
    assert_prints(&f, E1(NEG, E2(ADD, a, b)), "-(a + b)");
    assert_prints(&f, E1(NEG, E2(MUL, a, b)), "-a*b");
    assert_prints(&f, E1(NEG, E2(POW, a, N(2))), "-a^2");
    assert_prints(&f, E2(POW, minus, N(2)), "(-a)^2");
    assert_prints(&f, E2(MUL, minus, c), "-a*c");
    assert_prints(&f, E2(MUL, c, minus), "-a*c");    // the same node
    assert_prints(&f, E2(MUL, b, minus), "b*(-a)");
    assert_prints(&f, E2(DIV, b, minus), "b/(-a)");
    assert_prints(&f, E2(ADD, b, E2(DIV, minus, c)), "b + (-a)/c");
    assert_prints(&f, E2(SUB, E2(DIV, minus, c), b), "-a/c - b");
    assert_prints(&f, E2(MUL, N(-3), a), "-3*a");
    assert_prints(&f, E2(ADD, b, E2(MUL, N(-3), a)), "b + (-3)*a");
    assert_prints(&f, E2(LT, a, N(-3)), "a < -3");
    assert_prints(&f, E2(SUB, N(-3), a), "-3 - a");
    fixture_end(&f);
}

static void test_print_choices_and_truth_values(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), c = expr_var(p, 2);
    const Expr less = E2(LT, a, b), more = E2(GE, b, c), choice = IF(less, a, b);
    assert_prints(&f, choice, "if a < b then a else b");
    assert_prints(&f, E2(ADD, choice, N(1)), "(if a < b then a else b) + 1");
    assert_prints(&f, E1(SIN, choice), "sin(if a < b then a else b)");
    assert_prints(&f, IF(more, a, choice), "if b >= c then a else if a < b then a else b");
    assert_prints(&f, IF(more, choice, c), "if b >= c then (if a < b then a else b) else c");
    assert_prints(&f, E2(AND, less, more), "a < b and b >= c");
    assert_prints(&f, E2(AND, E2(OR, less, more), E2(NE, a, c)), "(a < b or b >= c) and a != c");
    assert_prints(&f, E2(OR, E2(AND, less, more), E2(EQ, a, c)), "a < b and b >= c or a == c");
    assert_prints(&f, E1(NOT, less), "not (a < b)");
    assert_prints(&f, E2(AND, E1(NOT, less), more), "not (a < b) and b >= c");
    assert_prints(&f, E1(NOT, expr_mode(p, 3)), "not mode 3");
    assert_prints(&f, expr_truth(p, true), "true");
    assert_prints(&f, E2(LT, E2(ADD, a, N(1)), E2(MUL, b, c)), "a + 1 < b*c");
    fixture_end(&f);
}

static void test_print_shows_modes_as_their_relations(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    const Expr relations[] = { E2(LT, a, b), E2(GT, a, N(0)) };
    const Expr e = IF(E2(AND, E1(NOT, expr_mode(p, 0)), expr_mode(p, 1)), a, N(2));
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    expr_print(p, e, &(ExprNames){ .variable = letter_name, .relations = relations, .n_relations = 2 }, out);
    fclose(out);
    assert_string_equal(text, "if not (a < b) and a > 0 then a else 2");
    free(text);
    fixture_end(&f);
}

static void test_print_is_not_deep(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const int terms = 1000000;
    Expr left = expr_var(p, 0), right = expr_var(p, 0);
    for (int i = 1; i < terms; i++) {
        left = E2(ADD, left, expr_var(p, (uint32_t)i % 2));
        right = E2(SUB, expr_var(p, (uint32_t)i % 2), right);
    }
    const char *text = text_of(&f, left);
    assert_int_equal(strlen(text), 4 * (size_t)terms - 3);
    assert_memory_equal(text, "a + b + a + b", 13);
    text = text_of(&f, right);
    assert_memory_equal(text, "b - (a - (b - (a", 16);
    assert_int_equal(text[strlen(text) - 1], ')');
    fixture_end(&f);
}

static void test_print_ends_even_if_sharing_makes_it_endless(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    Expr e = expr_var(p, 0);
    for (int i = 0; i < 100; i++) e = E2(ADD, e, e);
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    expr_print(p, e, &(ExprNames){ .variable = letter_name }, out);
    fclose(out);
    fixture_end(&f);
}

// ---- A reader of its own, by the rules the language documents, to read back what was printed.

typedef struct Reader { const char *at; ExprPool *pool; } Reader;

static Expr read_expr(Reader *r, int level);

static bool take(Reader *r, const char *token)
{
    while (*r->at == ' ') r->at++;
    const size_t n = strlen(token);
    if (strncmp(r->at, token, n) != 0) return false;
    if (isalpha((unsigned char)token[0]) && isalnum((unsigned char)r->at[n])) return false;
    r->at += n;
    return true;
}

static void need(Reader *r, const char *token)
{
    if (!take(r, token)) fail_msg("'%s' expected at '%.40s'", token, r->at);
}

static Expr read_atom(Reader *r)
{
    ExprPool *p = r->pool;
    while (*r->at == ' ') r->at++;
    if (take(r, "(")) {
        const Expr e = read_expr(r, 0);
        need(r, ")");
        return e;
    }
    if (take(r, "true")) return expr_truth(p, true);
    if (take(r, "false")) return expr_truth(p, false);
    if (isdigit((unsigned char)*r->at)) {
        size_t n = 0;
        while (isdigit((unsigned char)r->at[n]) || r->at[n] == '.'
               || (r->at[n] == 'e' && (isdigit((unsigned char)r->at[n + 1]) || r->at[n + 1] == '-'))
               || (r->at[n] == '-' && r->at[n - 1] == 'e')) n++;
        double x = 0;
        assert_true(number_parse((Text){ r->at, n }, &x));
        r->at += n;
        return expr_const(p, x);
    }
    for (int op = 0; op < EXPR_N_OPS; op++) {
        if (!expr_ops[op].is_function || !take(r, expr_ops[op].text)) continue;
        need(r, "(");
        const Expr a = read_expr(r, 0);
        Expr b = EXPR_NONE;
        if (expr_ops[op].arity == 2) {
            need(r, ",");
            b = read_expr(r, 0);
        }
        need(r, ")");
        return expr_make(p, (ExprOp)op, a, b, EXPR_NONE);
    }
    for (uint32_t i = 0; i < 3; i++)
        if (take(r, letter_name(NULL, i))) return expr_var(p, i);
    fail_msg("an expression expected at '%.40s'", r->at);
    return EXPR_NONE;
}

static Expr read_power(Reader *r)
{
    const Expr base = read_atom(r);
    return take(r, "^") ? expr_binary(r->pool, EXPR_POW, base, read_atom(r)) : base;
}

// level: 0 if, 1 or, 2 and, 3 not, 4 relation, 5 sum, 6 product
static Expr read_expr(Reader *r, int level)
{
    ExprPool *p = r->pool;
    if (level == 0) {
        if (!take(r, "if")) return read_expr(r, 1);
        const Expr condition = read_expr(r, 1);
        need(r, "then");
        const Expr a = read_expr(r, 1);
        need(r, "else");
        return IF(condition, a, read_expr(r, 0));
    }
    if (level == 3) return take(r, "not") ? E1(NOT, read_atom(r)) : read_expr(r, 4);
    if (level == 6) {
        // a minus sign belongs to the first factor only
        Expr e = take(r, "-") ? E1(NEG, read_power(r)) : read_power(r);
        for (;;) {
            if (take(r, "*")) e = E2(MUL, e, read_power(r));
            else if (take(r, "/")) e = E2(DIV, e, read_power(r));
            else return e;
        }
    }
    Expr e = read_expr(r, level + 1);
    if (level == 4) {
        static const ExprOp ops[] = { EXPR_LE, EXPR_GE, EXPR_LT, EXPR_GT, EXPR_EQ, EXPR_NE };
        for (int i = 0; i < 6; i++)
            if (take(r, expr_ops[ops[i]].text)) return expr_binary(p, ops[i], e, read_expr(r, 5));
        return e;
    }
    for (;;) {
        if (level == 5 && take(r, "+")) e = E2(ADD, e, read_expr(r, 6));
        else if (level == 5 && take(r, "-")) e = E2(SUB, e, read_expr(r, 6));
        else if (level == 2 && take(r, "and")) e = E2(AND, e, read_expr(r, 3));
        else if (level == 1 && take(r, "or")) e = E2(OR, e, read_expr(r, 2));
        else return e;
    }
}

static void test_print_reads_back_as_the_same_value(void **state)
{
    (void)state;
    static const ExprOp ops[] = { EXPR_NEG, EXPR_ADD, EXPR_SUB,   EXPR_MUL, EXPR_DIV,
                                  EXPR_POW, EXPR_NEG, EXPR_ADD,   EXPR_SUB, EXPR_MUL,
                                  EXPR_DIV, EXPR_MIN, EXPR_ATAN2, EXPR_EXP, EXPR_IF };
    Random r = { 31 };
    int checked = 0;
    for (int i = 0; i < 30000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Expr e = tree_build(p, tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 3, 6));
        Reader reader = { text_of(&f, e), p };
        const char *text = reader.at;
        const Expr again = read_expr(&reader, 0);
        if (*reader.at) fail_msg("'%s' left over of '%s'", reader.at, text);
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = random_between(&r, -2, 2);
        const double expected = value_at(p, e, x), value = value_at(p, again, x);
        if (isfinite(expected)) {
            if (memcmp(&expected, &value, sizeof value) != 0)
                print_error("%s\n%s\n", text, text_of(&f, again));
            assert_same_bits(value, expected);
            checked++;
        }
        fixture_end(&f);
    }
    assert_true(checked > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print_uses_as_few_parentheses_as_possible),
        cmocka_unit_test(test_print_puts_minus_signs_where_they_can_be_read),
        cmocka_unit_test(test_print_choices_and_truth_values),
        cmocka_unit_test(test_print_shows_modes_as_their_relations),
        cmocka_unit_test(test_print_is_not_deep),
        cmocka_unit_test(test_print_ends_even_if_sharing_makes_it_endless),
        cmocka_unit_test(test_print_reads_back_as_the_same_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
