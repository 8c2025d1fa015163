// tests/unit/expr/test_solve.c: solutions put back satisfy the equation, and none is gained or lost.
#include "exprs.h"

#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)

static const char *solved(Fixture *f, Expr lhs, Expr rhs, uint32_t variable)
{
    Expr divides;
    const Expr e = expr_solve(&f->pool, lhs, rhs, variable, &divides);
    return e == EXPR_NONE ? "none" : text_of(f, e);
}

static const char *divisor(Fixture *f, Expr lhs, Expr rhs, uint32_t variable)
{
    Expr divides;
    expr_solve(&f->pool, lhs, rhs, variable, &divides);
    return divides == EXPR_NONE ? "none" : text_of(f, divides);
}

static void test_solve_is_written_naturally(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), c = expr_var(p, 2), x = expr_var(p, 8),
               y = expr_var(p, 9), z = expr_var(p, 10);
    const Expr zero = N(0);
    // an explicit side
    assert_string_equal(solved(&f, x, E2(ADD, y, N(16)), 8), "y + 16");
    assert_string_equal(solved(&f, E1(SIN, y), x, 8), "sin(y)");
    // one occurrence
    assert_string_equal(solved(&f, x, E2(ADD, y, N(16)), 9), "x - 16");
    assert_string_equal(solved(&f, E2(ADD, a, b), E2(ADD, c, N(2)), 2), "a + b - 2");
    assert_string_equal(solved(&f, E2(ADD, a, b), E2(ADD, c, N(2)), 1), "c + 2 - a");
    assert_string_equal(solved(&f, y, E2(SUB, E1(NEG, x), z), 8), "-(y + z)");
    assert_string_equal(solved(&f, y, E2(SUB, E1(NEG, x), z), 10), "-x - y");
    assert_string_equal(solved(&f, E2(ADD, a, b), zero, 0), "-b");
    assert_string_equal(solved(&f, E2(SUB, a, b), zero, 0), "b");
    assert_string_equal(solved(&f, E2(SUB, a, b), zero, 1), "a");
    assert_string_equal(solved(&f, E2(SUB, N(3), a), zero, 0), "3");
    assert_string_equal(solved(&f, E2(ADD, E2(MUL, N(2), x), N(3)), N(7), 8), "2");
    assert_string_equal(solved(&f, E2(ADD, E2(MUL, a, x), b), zero, 8), "-b/a");
    assert_string_equal(solved(&f, a, E2(MUL, b, E2(SUB, E2(SUB, x, y), c)), 8), "a/b + c + y");
    assert_string_equal(solved(&f, a, E2(MUL, b, E2(SUB, E2(SUB, x, y), c)), 9), "x - (a/b + c)");
    assert_string_equal(solved(&f, E2(DIV, x, N(2)), y, 8), "y*2");
    assert_string_equal(solved(&f, E2(DIV, N(1), x), y, 8), "1/y");
    // several, linear
    assert_string_equal(solved(&f, x, E2(ADD, E2(MUL, N(2), x), N(3)), 8), "-3");
    assert_string_equal(solved(&f, x, E2(SUB, a, x), 8), "a/2");
    assert_string_equal(solved(&f, E2(ADD, E2(MUL, a, x), E2(MUL, b, x)), c, 8), "c/(a + b)");
    assert_string_equal(solved(&f, E1(EXP, E2(ADD, x, x)), y, 8), "log(y)/2");
    // functions with one value
    assert_string_equal(solved(&f, E1(EXP, E2(MUL, a, x)), y, 8), "log(y)/a");
    assert_string_equal(solved(&f, E1(LOG, x), y, 8), "exp(y)");
    assert_string_equal(solved(&f, E1(LOG10, x), y, 8), "10^y");
    fixture_end(&f);
}

static void test_solve_names_what_must_not_be_zero(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), x = expr_var(p, 8), y = expr_var(p, 9);
    assert_string_equal(divisor(&f, x, a, 8), "none");
    assert_string_equal(divisor(&f, E2(MUL, N(2), x), a, 8), "none");
    assert_string_equal(divisor(&f, E2(MUL, a, x), b, 8), "a");
    assert_string_equal(divisor(&f, E2(DIV, x, a), b, 8), "a");
    assert_string_equal(divisor(&f, E2(MUL, a, E2(MUL, E1(SIN, b), x)), y, 8), "a*sin(b)");
    assert_string_equal(divisor(&f, E2(DIV, N(1), x), y, 8), "y");
    assert_string_equal(divisor(&f, E2(DIV, a, x), y, 8), "y*a");
    assert_string_equal(divisor(&f, E2(ADD, E2(MUL, a, x), E2(MUL, b, x)), y, 8), "a + b");
    fixture_end(&f);
}

static void test_solve_refuses_what_has_none_or_several(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), x = expr_var(p, 8), y = expr_var(p, 9);
    const Expr refused[] = { E1(SQRT, x),
                             E1(SIN, x),
                             E1(ABS, x),
                             E2(POW, x, N(2)),
                             E2(POW, x, N(3)),
                             E1(ATAN, x),
                             E1(TANH, x),
                             E2(MUL, x, x),
                             E2(MUL, x, E1(SIN, x)),
                             E2(MIN, x, a),
                             E1(FLOOR, x),
                             E2(MOD, x, N(3)),
                             E2(MUL, N(0), x),
                             E2(SUB, x, x),
                             E2(DIV, x, N(0)),
                             E2(DELAY, x, 0),
                             E2(LOOKUP, x, 0),
                             E2(DIV, x, E2(ADD, x, N(1))),
                             expr_make(p, EXPR_IF, E2(GT, x, N(0)), x, E2(ADD, x, N(1))) };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_string_equal(solved(&f, refused[i], y, 8), "none");
        assert_string_equal(solved(&f, y, refused[i], 8), "none");
        assert_string_equal(divisor(&f, refused[i], y, 8), "none");
    }
    assert_string_equal(solved(&f, x, x, 8), "none");
    assert_string_equal(solved(&f, x, E1(SIN, x), 8), "none");
    assert_string_equal(solved(&f, a, y, 8), "none");
    assert_string_equal(solved(&f, a, y, 77), "none");
    assert_string_equal(solved(&f, E2(DIV, a, x), N(0), 8), "none");
    fixture_end(&f);
}

static void test_solve_splits_linear_expressions(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), x = expr_var(p, 8), on = expr_mode(p, 0);
    const struct { Expr e; const char *a, *b; } cases[] = {
        { E2(ADD, E2(MUL, x, N(3)), N(2)), "3", "2" },
        { x, "1", "0" },
        { b, "0", "b" },
        { E1(SIN, b), "0", "sin(b)" },
        { E2(SUB, a, E2(MUL, b, x)), "-b", "a" },
        { E2(DIV, E2(ADD, x, a), N(4)), "0.25", "a/4" },
        { E2(MUL, E2(ADD, x, N(1)), N(2)), "2", "2" },
        { E2(ADD, x, x), "2", "0" },
        { expr_make(p, EXPR_IF, on, x, b), "if mode 0 then 1 else 0", "if mode 0 then 0 else b" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expr slope, rest;
        assert_true(expr_split_linear(p, cases[i].e, 8, &slope, &rest));
        assert_prints(&f, slope, cases[i].a);
        assert_prints(&f, rest, cases[i].b);
    }
    // steps have the derivative 0, yet are not constant
    const Expr bent[] = { E1(FLOOR, x),     E1(SIGN, x),
                          E2(MOD, x, N(3)), E2(MIN, x, E2(ADD, x, N(1))),
                          E2(MUL, x, x),    E1(SIN, x),
                          E2(DIV, N(1), x), expr_make(p, EXPR_IF, E2(GT, x, N(0)), a, b),
                          E2(DELAY, x, 0),  E2(POW, x, N(2)) };
    for (size_t i = 0; i < sizeof bent / sizeof *bent; i++) {
        Expr slope, rest;
        assert_false(expr_split_linear(p, bent[i], 8, &slope, &rest));
    }
    fixture_end(&f);
}

// Random equations: wherever a solution is given it satisfies them; and what was made solvable is solved.
static void test_solve_satisfies_random_equations(void **state)
{
    (void)state;
    static const ExprOp ops[] = { EXPR_NEG, EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_EXP,
                                  EXPR_LOG, EXPR_ADD, EXPR_SUB, EXPR_IF,  EXPR_SIN };
    Random r = { 99 };
    int checked = 0;
    for (int i = 0; i < 40000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Expr lhs = tree_build(p, tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 3, 4));
        const Expr rhs = tree_build(p, tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 3, 2));
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = random_between(&r, -2, 2);
        Expr divides;
        const Expr e = expr_solve(p, lhs, rhs, 0, &divides);
        if (e != EXPR_NONE) {
            assert_false(expr_depends_on(p, e, 0));
            assert_true(divides == EXPR_NONE || !expr_depends_on(p, divides, 0));
            const bool vanishes = divides != EXPR_NONE && !(fabs(value_at(p, divides, x)) > 1e-3);
            x[0] = value_at(p, e, x);
            const double left = value_at(p, lhs, x), right = value_at(p, rhs, x);
            if (!vanishes && fabs(x[0]) < 1e3 && isfinite(left) && isfinite(right) && fabs(left) < 1e3) {
                checked++;
                // rounding of the solution, amplified by the equation
                const double slope = value_at(p, expr_derivative(p, E2(SUB, lhs, rhs), 0), x);
                if (left != right && !(fabs(left - right) <= 1e-8 * (1 + fabs(left)) + 1e-12 * fabs(slope))) {
                    print_error("%s = %s\n  gives a = %s\n  %.17g, %.17g\n", text_of(&f, lhs),
                                text_of(&f, rhs), text_of(&f, e), left, right);
                    fail();
                }
            }
        }
        fixture_end(&f);
    }
    assert_true(checked > 4000);
}

static void test_solve_loses_no_solution(void **state)
{
    (void)state;
    // chains of invertible operations around the variable: the value put in comes out again
    Random r = { 4 };
    int checked = 0;
    for (int i = 0; i < 20000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = random_between(&r, 0.5, 2);
        Expr e = expr_var(p, 0);
        for (int k = 0; k < 6; k++) {
            const Expr other = random_below(&r, 2) ? expr_var(p, 1) : N(random_between(&r, 0.5, 2));
            switch (random_below(&r, 9)) {
            case 0: e = E2(ADD, e, other); break;
            case 1: e = E2(SUB, e, other); break;
            case 2: e = E2(SUB, other, e); break;
            case 3: e = E2(MUL, other, e); break;
            case 4: e = E2(DIV, e, other); break;
            case 5: e = E2(DIV, other, e); break;
            case 6: e = E1(EXP, e); break;
            case 7: e = E1(LOG, e); break;
            default: e = E1(NEG, e); break;
            }
        }
        const double value = value_at(p, e, x);
        Expr divides;
        const Expr solution = expr_solve(p, e, expr_var(p, 2), 0, &divides);
        assert_int_not_equal(solution, EXPR_NONE);
        if (isfinite(value) && fabs(value) < 1e3 && fabs(value) > 1e-3) {
            const double slope = value_at(p, expr_derivative(p, e, 0), x);
            const double expected = x[0];
            x[2] = value;
            if (fabs(slope) > 1e-2 && fabs(slope) < 1e2) {
                assert_near(value_at(p, solution, x), expected, 1e-9);
                checked++;
            }
        }
        fixture_end(&f);
    }
    assert_true(checked > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_is_written_naturally),
        cmocka_unit_test(test_solve_names_what_must_not_be_zero),
        cmocka_unit_test(test_solve_refuses_what_has_none_or_several),
        cmocka_unit_test(test_solve_splits_linear_expressions),
        cmocka_unit_test(test_solve_satisfies_random_equations),
        cmocka_unit_test(test_solve_loses_no_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
