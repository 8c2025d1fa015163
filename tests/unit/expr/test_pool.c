// tests/unit/expr/test_pool.c: equal expressions are one node; folding and simplifying change no bit.
#include "exprs.h"

#define E(op, ...) expr_make(p, EXPR_##op, __VA_ARGS__)
#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)

static void test_pool_shares_equal_nodes(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    assert_int_equal(a, expr_var(p, 0));
    assert_int_not_equal(a, b);
    assert_int_equal(expr_time(p), expr_time(p));
    assert_int_equal(expr_mode(p, 3), expr_mode(p, 3));
    assert_int_not_equal(expr_mode(p, 0), expr_var(p, 0));
    assert_int_equal(E1(SIN, E2(MUL, a, b)), E1(SIN, E2(MUL, a, b)));
    assert_int_not_equal(E2(SUB, a, b), E2(SUB, b, a));
    assert_int_equal(E(IF, E2(LT, a, b), a, b), E(IF, E2(LT, a, b), a, b));

    const size_t n = p->nodes.n;
    E1(SIN, E2(MUL, a, b));
    assert_int_equal(p->nodes.n, n);
    fixture_end(&f);
}

static void test_pool_shares_both_orders_but_prints_the_first(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    const Expr sum = E2(ADD, b, a), product = E2(MUL, a, b);
    assert_int_equal(E2(ADD, a, b), sum);
    assert_prints(&f, E2(ADD, a, b), "b + a");
    assert_int_equal(E2(MUL, b, a), product);
    assert_prints(&f, E2(MUL, b, a), "a*b");
    assert_prints(&f, E2(ADD, a, N(16)), "a + 16");
    // min(0, -0) is its first operand, so its operands do not commute
    assert_int_not_equal(E2(MIN, a, b), E2(MIN, b, a));
    assert_int_not_equal(E2(DIV, a, b), E2(DIV, b, a));
    assert_int_not_equal(E2(LT, a, b), E2(LT, b, a));
    fixture_end(&f);
}

static void test_pool_keeps_constants_apart_by_their_bits(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    assert_int_equal(N(1.5), N(1.5));
    assert_int_not_equal(N(0.0), N(-0.0));
    assert_int_not_equal(N(1), expr_truth(p, true));
    assert_false(expr_is_bool(p, N(1)));
    assert_true(expr_is_bool(p, expr_truth(p, true)));
    assert_int_equal(N(NAN), N(-NAN));
    // a constant whose place happens to equal the index of another leaf
    assert_int_not_equal(N(1.5), expr_var(p, 0));
    double x = 0;
    assert_true(expr_is_const(p, N(-0.0), &x));
    assert_true(signbit(x));
    fixture_end(&f);
}

static void test_pool_folds_constants(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    assert_int_equal(E2(ADD, N(0.1), N(0.2)), N(0.1 + 0.2));
    assert_int_equal(E2(POW, N(3), N(2)), N(9));
    assert_int_equal(E1(SQRT, N(2)), N(sqrt(2)));
    assert_int_equal(E1(EXP, N(0)), N(1));
    assert_int_equal(E2(LT, N(1), N(2)), expr_truth(p, true));
    assert_int_equal(E2(AND, expr_truth(p, true), expr_truth(p, false)), expr_truth(p, false));
    assert_int_equal(E1(NOT, expr_truth(p, false)), expr_truth(p, true));
    assert_int_equal(E2(MOD, N(-1), N(3)), N(2));
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    assert_int_equal(E(IF, E2(LT, N(1), N(2)), a, b), a);
    assert_int_equal(E(IF, E2(LT, N(2), N(1)), a, b), b);
    const uint32_t table = expr_table(p, (double[]){ 0, 1, 3 }, (double[]){ 5, 7, 1 }, 3);
    assert_int_equal(E2(LOOKUP, N(2), table), N(4));
    assert_int_equal(E2(SLOPE, N(2), table), N(-3));
    fixture_end(&f);
}

static void test_pool_leaves_failing_operations_to_the_run(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    assert_prints(&f, E1(SQRT, N(-2)), "sqrt(-2)");
    assert_prints(&f, E2(DIV, N(1), N(0)), "1/0");
    assert_prints(&f, E1(LOG, N(0)), "log(0)");
    assert_prints(&f, E2(MUL, N(1e200), N(1e200)), "1e200*1e200");
    // but infinity given as a constant is one
    assert_int_equal(E2(DIV, N(1), N(INFINITY)), N(0));
    assert_true(isnan(expr_evaluate(p, E1(SQRT, N(-2)), NULL)));
    fixture_end(&f);
}

static void test_pool_simplifies_what_changes_no_bit(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), on = expr_mode(p, 0);
    assert_int_equal(E2(ADD, a, N(0)), a);
    assert_int_equal(E2(ADD, N(0), a), a);
    assert_int_equal(E2(SUB, a, N(0)), a);
    assert_int_equal(E2(MUL, a, N(1)), a);
    assert_int_equal(E2(MUL, N(1), a), a);
    assert_int_equal(E2(DIV, a, N(1)), a);
    assert_int_equal(E2(POW, a, N(1)), a);
    assert_int_equal(E2(POW, a, N(0)), N(1));
    assert_int_equal(E1(NEG, E1(NEG, a)), a);
    assert_int_equal(E2(MUL, a, N(-1)), E1(NEG, a));
    assert_int_equal(E2(ADD, a, E1(NEG, b)), E2(SUB, a, b));
    assert_int_equal(E2(SUB, a, E1(NEG, b)), E2(ADD, a, b));
    assert_int_equal(E2(ADD, a, N(-16)), E2(SUB, a, N(16)));
    assert_int_equal(E2(SUB, a, N(-16)), E2(ADD, a, N(16)));
    assert_int_equal(E(IF, on, a, a), a);
    assert_int_equal(E(IF, E1(NOT, on), a, b), E(IF, on, b, a));
    assert_int_equal(E1(NOT, E1(NOT, on)), on);
    assert_int_equal(E2(AND, on, expr_truth(p, true)), on);
    assert_int_equal(E2(OR, on, expr_truth(p, true)), expr_truth(p, true));
    fixture_end(&f);
}

static void test_pool_does_not_simplify_what_may_be_infinite(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    assert_prints(&f, E2(MUL, N(0), a), "0*a");
    assert_prints(&f, E2(SUB, a, a), "a - a");
    assert_prints(&f, E2(DIV, a, a), "a/a");
    assert_prints(&f, E2(ADD, E2(ADD, a, N(1)), N(2)), "a + 1 + 2");
    // a NaN makes both a < b and a >= b false
    assert_prints(&f, E1(NOT, E2(LT, a, b)), "not (a < b)");
    assert_true(isnan(value_at(p, E2(MUL, N(0), a), (double[]){ INFINITY })));
    fixture_end(&f);
}

// Evaluated as it was asked for, without a pool.
static double naive(const Tree *tree, const double *variables)
{
    if (tree->op == EXPR_CONST) return tree->value;
    if (tree->op == EXPR_VAR) return variables[tree->variable];
    double x[3] = { 0 };
    for (int i = 0; i < expr_ops[tree->op].arity; i++) x[i] = naive(tree->operands[i], variables);
    // an exponent counts as constant only if it was written as one
    if (tree->op == EXPR_POW && tree->operands[1]->op != EXPR_CONST) return expr_pow(x[0], x[1]);
    return expr_apply(tree->op, x[0], x[1], x[2]);
}

static void test_pool_gives_the_bits_of_the_unsimplified_tree(void **state)
{
    (void)state;
    // no operation that tells -0 from 0: that sign may change
    static const ExprOp ops[] = { EXPR_NEG, EXPR_ADD, EXPR_SUB, EXPR_MUL,  EXPR_DIV,   EXPR_ADD,  EXPR_SUB,
                                  EXPR_MUL, EXPR_ABS, EXPR_MIN, EXPR_MAX,  EXPR_FLOOR, EXPR_SQRT, EXPR_EXP,
                                  EXPR_LOG, EXPR_SIN, EXPR_COS, EXPR_TANH, EXPR_IF,    EXPR_SIGN };
    Random r = { 1 };
    int finite = 0;
    for (int i = 0; i < 20000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Tree *tree = tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 3, 5);
        const Expr e = tree_build(p, tree);
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = random_between(&r, -2, 2);
        const double expected = naive(tree, x), value = value_at(p, e, x);
        if (isfinite(expected)) {
            finite++;
            if (expected == 0) assert_true(value == 0);
            else assert_same_bits(value, expected);
        } else {
            assert_true(!isfinite(value));
        }
        fixture_end(&f);
    }
    assert_true(finite > 5000);
}

static void test_pool_of_a_million_nodes_is_linear(void **state)
{
    (void)state;
    const uint32_t n_terms = 1000000;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    Expr sum = expr_var(p, 0);
    for (uint32_t i = 1; i < n_terms; i++) sum = E2(ADD, sum, expr_var(p, i % 1000));
    const size_t n = p->nodes.n;
    assert_int_equal(n, n_terms - 1 + 1000);
    assert_true(arena_bytes(&f.arena) < 40 * n);

    // asked for again, nothing is new
    Expr again = expr_var(p, 0);
    for (uint32_t i = 1; i < n_terms; i++) again = E2(ADD, again, expr_var(p, i % 1000));
    assert_int_equal(again, sum);
    assert_int_equal(p->nodes.n, n);
    fixture_end(&f);
}

static void test_pool_knows_operands_and_types(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    const Expr less = E2(LT, a, b), choice = E(IF, less, a, b);
    assert_int_equal(expr_n_operands(p, choice), 3);
    assert_int_equal(expr_operand(p, choice, 0), less);
    assert_int_equal(expr_operand(p, choice, 2), b);
    assert_int_equal(expr_n_operands(p, E2(DELAY, a, 4)), 1);
    assert_int_equal(expr_n_operands(p, a), 0);
    assert_true(expr_is_bool(p, less));
    assert_false(expr_is_bool(p, choice));
    assert_true(expr_is_bool(p, E(IF, less, expr_mode(p, 0), expr_mode(p, 1))));
    assert_false(expr_is_const(p, a, NULL));
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_shares_equal_nodes),
        cmocka_unit_test(test_pool_shares_both_orders_but_prints_the_first),
        cmocka_unit_test(test_pool_keeps_constants_apart_by_their_bits),
        cmocka_unit_test(test_pool_folds_constants),
        cmocka_unit_test(test_pool_leaves_failing_operations_to_the_run),
        cmocka_unit_test(test_pool_simplifies_what_changes_no_bit),
        cmocka_unit_test(test_pool_does_not_simplify_what_may_be_infinite),
        cmocka_unit_test(test_pool_gives_the_bits_of_the_unsimplified_tree),
        cmocka_unit_test(test_pool_of_a_million_nodes_is_linear),
        cmocka_unit_test(test_pool_knows_operands_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
