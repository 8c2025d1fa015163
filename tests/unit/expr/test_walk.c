// tests/unit/expr/test_walk.c: each node once, children first, however deep; substitution, evaluation.
#include "exprs.h"
#include "expr/walk.h"

#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)

static const ExprOp all_ops[] = { EXPR_NEG, EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV,
                                  EXPR_SIN, EXPR_EXP, EXPR_MIN, EXPR_IF };
enum { N_ALL_OPS = sizeof all_ops / sizeof *all_ops };

// How many nodes lie at or below `e` that were not seen before.
static size_t count_below(const ExprPool *p, Expr e, bool *seen)
{
    if (seen[e]) return 0;
    seen[e] = true;
    size_t n = 1;
    for (int i = 0; i < expr_n_operands(p, e); i++) n += count_below(p, expr_operand(p, e, i), seen);
    return n;
}

// Small expressions all over a large pool: both ways of remembering places are taken.
static void test_walk_collects_exactly_what_is_below(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    Arena scratch = { 0 };
    Random r = { 11 };
    for (int i = 0; i < 600; i++) {
        const Expr e = tree_build(p, tree_random(&r, &f.arena, all_ops, N_ALL_OPS, 40, 5));
        size_t n = 0;
        const Expr *nodes = expr_collect(p, &e, 1, &f.arena, &n);
        for (size_t k = 1; k < n; k++) assert_true(nodes[k - 1] < nodes[k]);
        const ArenaMark mark = arena_mark(&scratch);
        bool *seen = ARENA_ARRAY(&scratch, bool, p->nodes.n);
        assert_int_equal(n, count_below(p, e, seen));
        for (size_t k = 0; k < n; k++) assert_true(seen[nodes[k]]);
        arena_release(&scratch, mark);
    }
    assert_true(p->nodes.n > 2000);    // else everything was in the small table
    arena_free(&scratch);
    fixture_end(&f);
}

static void test_walk_takes_several_roots_and_a_bottom(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), s = E1(SIN, a), sum = E2(ADD, s, b),
               product = E2(MUL, s, a);
    size_t n = 0;
    const Expr *nodes = expr_collect(p, (Expr[]){ product, sum, sum }, 3, &f.arena, &n);
    assert_int_equal(n, 5);
    assert_int_equal(nodes[4], product);
    expr_collect(p, NULL, 0, &f.arena, &n);
    assert_int_equal(n, 0);

    Walk walk;
    walk_init(&walk, p, &sum, 1, b);
    assert_int_equal(walk.n, 3);
    assert_int_equal(walk_place(&walk, b), 0);
    assert_true(walk_place(&walk, a) == WALK_NONE);
    walk_free(&walk);
    fixture_end(&f);
}

static void test_walk_sorts_what_is_far_apart(void **state)
{
    (void)state;
    // a sum of thousands of variables scattered over a pool of a million nodes
    Fixture f;
    ExprPool *p = fixture_start(&f);
    for (uint32_t i = 0; i < 1000000; i++) expr_var(p, i);
    Random r = { 5 };
    Expr sum = expr_var(p, 999999);
    for (int i = 0; i < 5000; i++) sum = E2(ADD, sum, expr_var(p, random_below(&r, 1000000)));
    size_t n = 0, n_variables = 0;
    const Expr *nodes = expr_collect(p, &sum, 1, &f.arena, &n);
    for (size_t k = 1; k < n; k++) assert_true(nodes[k - 1] < nodes[k]);
    const uint32_t *variables = expr_variables(p, sum, &f.arena, &n_variables);
    for (size_t k = 1; k < n_variables; k++) assert_true(variables[k - 1] < variables[k]);
    assert_int_equal(n, 5000 + n_variables);
    Walk walk;
    walk_init(&walk, p, &sum, 1, 0);
    assert_null(walk.dense);
    for (size_t i = 0; i < n; i++) assert_int_equal(walk_place(&walk, nodes[i]), i);
    walk_free(&walk);
    // without what lies in the lower half
    walk_init(&walk, p, &sum, 1, nodes[n / 2]);
    assert_null(walk.dense);
    assert_int_equal(walk.n, n - n / 2);
    assert_int_equal(walk.nodes[0], nodes[n / 2]);
    assert_true(walk_place(&walk, nodes[0]) == WALK_NONE);
    walk_free(&walk);
    fixture_end(&f);
}

static void test_walk_knows_the_variables_read(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr last = expr_var(p, 9), first = expr_var(p, 2), middle = expr_var(p, 5);
    const Expr e = E2(ADD, E2(MUL, last, first), E1(SIN, E2(ADD, middle, first)));
    size_t n = 0;
    const uint32_t *variables = expr_variables(p, e, &f.arena, &n);
    assert_int_equal(n, 3);
    assert_int_equal(variables[0], 2);
    assert_int_equal(variables[1], 5);
    assert_int_equal(variables[2], 9);
    assert_true(expr_depends_on(p, e, 5));
    assert_false(expr_depends_on(p, e, 7));
    expr_var(p, 7);
    assert_false(expr_depends_on(p, e, 7));
    assert_true(expr_depends_on(p, expr_var(p, 7), 7));
    // a parent made after the variable that does not read it
    assert_false(expr_depends_on(p, E1(COS, e), 7));
    expr_variables(p, N(1), &f.arena, &n);
    assert_int_equal(n, 0);
    fixture_end(&f);
}

static void test_walk_substitutes_leaves(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), c = expr_var(p, 2);
    const Expr e = E2(SUB, E2(MUL, a, b), E1(SIN, E2(MUL, a, b)));
    // at once, not one after the other: a and b change places
    assert_prints(&f, expr_substitute(p, e, (Expr[]){ b, a }, 2), "a*b - sin(a*b)");
    assert_prints(&f, expr_substitute(p, E2(SUB, a, b), (Expr[]){ b, a }, 2), "b - a");
    assert_prints(&f, expr_substitute(p, e, (Expr[]){ EXPR_NONE, E2(ADD, c, N(1)) }, 2),
                  "a*(c + 1) - sin(a*(c + 1))");
    // constants fold
    assert_int_equal(expr_substitute(p, E2(ADD, a, b), (Expr[]){ N(2), N(3) }, 2), N(5));
    // nothing to do gives the same expression
    assert_int_equal(expr_substitute(p, e, NULL, 0), e);
    const Expr unused[3] = { EXPR_NONE, EXPR_NONE, a };
    assert_int_equal(expr_substitute(p, e, unused, 3), e);
    // table and history numbers are not expressions
    assert_prints(&f, expr_substitute(p, E2(DELAY, a, 1), (Expr[]){ b, c }, 2), "delay1(b)");
    fixture_end(&f);
}

static void test_walk_substitution_is_composition(void **state)
{
    (void)state;
    Random r = { 17 };
    for (int i = 0; i < 3000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Expr e = tree_build(p, tree_random(&r, &f.arena, all_ops, N_ALL_OPS, 3, 4));
        Expr map[3];
        double x[3], inner[3];
        for (int k = 0; k < 3; k++) x[k] = random_between(&r, -2, 2);
        for (int k = 0; k < 3; k++) {
            map[k] = tree_build(p, tree_random(&r, &f.arena, all_ops, N_ALL_OPS, 3, 3));
            inner[k] = value_at(p, map[k], x);
        }
        const double expected = value_at(p, e, inner), value = value_at(p, expr_substitute(p, e, map, 3), x);
        if (isfinite(expected) && expected != 0) assert_same_bits(value, expected);
        fixture_end(&f);
    }
}

static void test_walk_evaluates_every_leaf(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const uint32_t table = expr_table(p, (double[]){ 0, 1 }, (double[]){ 0, 10 }, 2);
    const Expr e = E2(ADD, E2(LOOKUP, expr_var(p, 0), table), expr_time(p));
    assert_near(value_at(p, e, (double[]){ 0.25 }), 2.5 + 0.7, 1e-15);
    assert_near(value_at(p, E2(SLOPE, expr_var(p, 0), table), (double[]){ 0.25 }), 10, 0);
    assert_true(isnan(expr_evaluate(p, expr_var(p, 0), NULL)));
    assert_true(isnan(expr_evaluate(p, expr_mode(p, 0), &(ExprValues){ .t = 1 })));
    assert_near(expr_evaluate(p, expr_time(p), &(ExprValues){ .t = 3 }), 3, 0);
    fixture_end(&f);
}

static double mode_of(const void *context, uint32_t relation)
{
    (void)context;
    return relation == 1;
}
static double past(const void *context, uint32_t delay, double at)
{
    (void)context;
    return 100 * delay + at;
}

static void test_walk_evaluates_modes_and_histories(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const ExprValues values = { .mode = mode_of, .history = past, .t = 5 };
    const Expr e = expr_make(p, EXPR_IF, expr_mode(p, 1), E2(DELAY, E2(SUB, expr_time(p), N(2)), 3), N(0));
    assert_near(expr_evaluate(p, e, &values), 303, 0);
    const Expr other = expr_make(p, EXPR_IF, expr_mode(p, 2), N(1), N(0));
    assert_near(expr_evaluate(p, other, &values), 0, 0);
    fixture_end(&f);
}

static void test_walk_does_not_mind_sharing(void **state)
{
    (void)state;
    // x + x, and that plus itself, …: 2^200 paths
    Fixture f;
    ExprPool *p = fixture_start(&f);
    Expr e = expr_var(p, 0);
    for (int i = 0; i < 200; i++) e = E2(ADD, e, e);
    assert_same_bits(value_at(p, e, (double[]){ 3 }), ldexp(3, 200));
    assert_same_bits(value_at(p, expr_derivative(p, e, 0), (double[]){ 3 }), ldexp(1, 200));
    assert_same_bits(value_at(p, expr_substitute(p, e, (Expr[]){ N(5) }, 1), NULL), ldexp(5, 200));
    fixture_end(&f);
}

static void test_walk_of_a_million_levels(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const int depth = 1000000;
    // to the left a + b + a + b …, to the right a - (b - (a - …
    Expr left = expr_var(p, 0), right = expr_var(p, 0);
    for (int i = 0; i < depth; i++) {
        left = E2(ADD, left, expr_var(p, (uint32_t)(i + 1) % 2));
        right = E2(SUB, expr_var(p, (uint32_t)i % 2), right);
    }
    const double x[] = { 1, 2 };
    assert_near(value_at(p, left, x), 1 + 1.5 * depth, 0);
    assert_true(isfinite(value_at(p, right, x)));
    assert_near(value_at(p, expr_derivative(p, left, 1), x), depth / 2, 0);
    assert_int_equal(expr_substitute(p, left, (Expr[]){ N(1), N(2) }, 2), N(1 + 1.5 * depth));
    assert_true(expr_depends_on(p, right, 1));
    Expr a, b, divides;
    assert_true(expr_split_linear(p, left, 0, &a, &b));
    assert_near(value_at(p, a, x), depth / 2 + 1, 0);
    assert_int_not_equal(expr_solve(p, left, expr_var(p, 7), 0, &divides), EXPR_NONE);
    // one occurrence at the far end of a chain of ten thousand
    Expr chain = expr_var(p, 9);
    for (int i = 0; i < 10000; i++) chain = E2(SUB, E2(ADD, chain, expr_var(p, 0)), expr_var(p, 1));
    const Expr solved = expr_solve(p, chain, expr_var(p, 7), 9, &divides);
    assert_int_not_equal(solved, EXPR_NONE);
    assert_near(value_at(p, solved, (double[]){ 1, 2, 0, 0, 0, 0, 0, 50 }), 50 + 10000, 0);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_collects_exactly_what_is_below),
        cmocka_unit_test(test_walk_takes_several_roots_and_a_bottom),
        cmocka_unit_test(test_walk_sorts_what_is_far_apart),
        cmocka_unit_test(test_walk_knows_the_variables_read),
        cmocka_unit_test(test_walk_substitutes_leaves),
        cmocka_unit_test(test_walk_substitution_is_composition),
        cmocka_unit_test(test_walk_evaluates_every_leaf),
        cmocka_unit_test(test_walk_evaluates_modes_and_histories),
        cmocka_unit_test(test_walk_does_not_mind_sharing),
        cmocka_unit_test(test_walk_of_a_million_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
