// tests/unit/expr/test_interval.c: enclosures hold every value of a box, and are not wider than need be.
#include "expr/interval.h"
#include "exprs.h"
#include <float.h>

#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)

static bool holds(ExprInterval x, double value)
{
    return isnan(value) ? x.may_be_nan : x.low <= value && value <= x.high;
}

static ExprInterval point(double x) { return expr_interval_of(x, x); }

// Ends of all sizes; zero, whole numbers, multiples of pi/2 and infinity more often than chance would.
static double random_end(Random *r)
{
    const double sign = random_below(r, 2) ? 1 : -1;
    switch (random_below(r, 9)) {
    case 0: return 0;
    case 1: return sign * (double)random_below(r, 40);
    case 2: return sign * M_PI / 2 * (double)random_below(r, 9);
    case 3: return sign * ldexp(1 + random_unit(r), (int)random_below(r, 2000) - 1000);
    case 4: return random_below(r, 8) ? sign * random_unit(r) : sign * INFINITY;
    default: return sign * random_between(r, 0, 12);
    }
}

static ExprInterval random_box(Random *r)
{
    const double a = random_end(r);
    switch (random_below(r, 4)) {
    case 0: return point(a);
    case 1: return isfinite(a) ? expr_interval_of(a, a + fabs(a) * 1e-9) : point(a);
    default: {
        const double b = random_end(r);
        return expr_interval_of(fmin(a, b), fmax(a, b));
    }
    }
}

static double random_inside(Random *r, ExprInterval x)
{
    const uint32_t choice = random_below(r, 6);
    if (choice == 0) return x.low;
    if (choice == 1) return x.high;
    if (choice == 2 && x.low <= 0 && x.high >= 0) return random_below(r, 2) ? 0.0 : -0.0;
    const double low = fmax(x.low, -DBL_MAX / 4), high = fmin(x.high, DBL_MAX / 4);
    const double at = choice == 3 ? round(random_between(r, low, high)) : random_between(r, low, high);
    return fmin(fmax(at, x.low), x.high);
}

static bool is_operation(int op)
{
    return expr_ops[op].arity > 0 && (op < EXPR_LOOKUP || op > EXPR_DELAY);
}

static void test_interval_holds_the_value_of_each_operation(void **state)
{
    (void)state;
    Random r = { 11 };
    for (int op = 0; op < EXPR_N_OPS; op++) {
        if (!is_operation(op)) continue;
        const bool takes_truth = op == EXPR_AND || op == EXPR_OR || op == EXPR_NOT;
        for (int i = 0; i < 4000; i++) {
            ExprInterval x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = random_box(&r);
                const bool is_truth = takes_truth || (op == EXPR_IF && k == 0);
                if (is_truth) x[k] = expr_interval_of(random_below(&r, 2), 1);
            }
            if (op == EXPR_POW && random_below(&r, 2)) x[1] = point(round(random_between(&r, -20, 20)));
            const ExprInterval y = expr_apply_interval((ExprOp)op, x[0], x[1], x[2]);
            for (int k = 0; k < 30; k++) {
                const double a = random_inside(&r, x[0]), b = random_inside(&r, x[1]);
                const double c = random_inside(&r, x[2]);
                const double value = expr_apply((ExprOp)op, takes_truth ? round(a) : a,
                                                takes_truth ? round(b) : b, c);
                if (holds(y, value)) continue;
                print_error("%s(%.17g, %.17g, %.17g) = %.17g is not in [%.17g, %.17g]\n",
                            expr_ops[op].name, a, b, c, value, y.low, y.high);
                fail();
            }
        }
    }
}

// The true values too, from the C library in long double.
static void test_interval_holds_the_exact_value(void **state)
{
    (void)state;
    static const struct { ExprOp op; long double (*exact)(long double); } functions[] = {
        { EXPR_SQRT, sqrtl },   { EXPR_CBRT, cbrtl },   { EXPR_EXP, expl },     { EXPR_EXPM1, expm1l },
        { EXPR_LOG, logl },     { EXPR_LOG10, log10l }, { EXPR_LOG2, log2l },   { EXPR_LOG1P, log1pl },
        { EXPR_SIN, sinl },     { EXPR_COS, cosl },     { EXPR_TAN, tanl },     { EXPR_ASIN, asinl },
        { EXPR_ACOS, acosl },   { EXPR_ATAN, atanl },   { EXPR_SINH, sinhl },   { EXPR_COSH, coshl },
        { EXPR_TANH, tanhl },   { EXPR_ASINH, asinhl }, { EXPR_ACOSH, acoshl }, { EXPR_ATANH, atanhl },
        { EXPR_ERF, erfl },     { EXPR_ERFC, erfcl },
    };
    Random r = { 12 };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        for (int k = 0; k < 20000; k++) {
            const ExprInterval x = random_box(&r);
            const double at = random_inside(&r, x);
            const long double exact = functions[i].exact((long double)at);
            const ExprInterval y = expr_apply_interval(functions[i].op, x, x, x);
            const bool inside = isnan(exact) ? y.may_be_nan : y.low <= exact && exact <= y.high;
            if (!inside) print_error("%s(%.17g)\n", expr_ops[functions[i].op].name, at);
            assert_true(inside);
        }
    }
    for (int k = 0; k < 200000; k++) {
        const double a = random_end(&r), b = random_end(&r);
        if (!isfinite(a) || !isfinite(b)) continue;
        const ExprInterval sum = expr_apply_interval(EXPR_ADD, point(a), point(b), point(0));
        const ExprInterval product = expr_apply_interval(EXPR_MUL, point(a), point(b), point(0));
        const ExprInterval quotient = expr_apply_interval(EXPR_DIV, point(a), point(b), point(0));
        const long double x = a, y = b;
        assert_true(sum.low <= x + y && x + y <= sum.high);
        assert_true(product.low <= x * y && x * y <= product.high);
        assert_true(b == 0 || (quotient.low <= x / y && x / y <= quotient.high));
    }
}

// ---- Expressions

static ExprInterval read_box(const void *context, uint32_t variable)
{
    return ((const ExprInterval *)context)[variable];
}

static ExprInterval interval_at(const ExprPool *p, Expr e, const ExprInterval *box)
{
    return expr_interval(p, e, &(ExprBox){ .variable = read_box, .context = box, .t = point(0.7) });
}

static void test_interval_holds_the_value_of_expressions(void **state)
{
    (void)state;
    ExprOp ops[EXPR_N_OPS + 8];
    uint32_t n_ops = 0;
    for (int op = EXPR_NEG; op < EXPR_LOOKUP; op++) ops[n_ops++] = (ExprOp)op;
    static const ExprOp more[] = { EXPR_IF, EXPR_IF, EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_MOD };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) ops[n_ops++] = more[i];
    Random r = { 13 };
    int narrow = 0;
    for (int i = 0; i < 20000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Expr e = tree_build(p, tree_random(&r, &f.arena, ops, n_ops, 3, 4));
        ExprInterval box[3];
        for (int k = 0; k < 3; k++) {
            const double a = random_between(&r, -3, 3);
            const double width = ldexp(random_unit(&r), -(int)random_below(&r, 30));
            box[k] = expr_interval_of(a, a + width);
        }
        const ExprInterval y = interval_at(p, e, box);
        narrow += y.high - y.low < 1e-3;
        for (int k = 0; k < 20; k++) {
            double x[3];
            for (int m = 0; m < 3; m++) x[m] = random_inside(&r, box[m]);
            const double value = value_at(p, e, x);
            if (holds(y, value)) continue;
            print_error("%s at %.17g, %.17g, %.17g is %.17g, not in [%.17g, %.17g]\n", text_of(&f, e), x[0],
                        x[1], x[2], value, y.low, y.high);
            fail();
        }
        fixture_end(&f);
    }
    assert_true(narrow > 5000);
}

// Each function over a small box where it is smooth: a rule that knows nothing would not be seen above.
static void test_interval_is_narrow(void **state)
{
    (void)state;
    for (int op = EXPR_NEG; op < EXPR_LOOKUP; op++) {
        const double at = op == EXPR_ACOSH ? 1.6 : 0.6, h = 1e-6;
        const ExprInterval a = expr_interval_of(at, at + h), b = expr_interval_of(0.35, 0.35 + h);
        const ExprInterval y = expr_apply_interval((ExprOp)op, a, b, b);
        assert_false(y.may_be_nan);
        assert_true(y.high - y.low < 1e-5);
    }
}

static void assert_interval(ExprInterval x, double low, double high)
{
    if (x.low != low || x.high != high || x.may_be_nan) print_error("[%.17g, %.17g]\n", x.low, x.high);
    assert_true(x.low == low && x.high == high && !x.may_be_nan);
}

static ExprInterval over_time(const ExprPool *p, Expr e, double low, double high)
{
    return expr_interval(p, e, &(ExprBox){ .t = expr_interval_of(low, high) });
}

// What the search for switches asks: relations that read only time.
static void test_interval_decides_relations_of_time(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr t = expr_time(p);
    assert_interval(over_time(p, E2(SUB, t, N(1)), 0, 1), -1, 0);
    assert_interval(over_time(p, E2(MOD, t, N(24)), 24, 30), 0, 6);
    const Expr daily = E2(LT, E2(MOD, t, N(24)), N(0.5));
    assert_interval(over_time(p, daily, 24.6, 47.9), 0, 0);
    assert_interval(over_time(p, daily, 48, 48.4), 1, 1);
    assert_interval(over_time(p, daily, 47, 49), 0, 1);
    const Expr high = E2(GT, E1(SIN, t), N(0.99));
    assert_interval(over_time(p, high, 2, 7.5), 0, 0);
    assert_interval(over_time(p, high, 1.5, 1.6), 1, 1);
    assert_interval(over_time(p, high, 2, 7.8), 0, 1);
    // between two even whole numbers
    const Expr even = E2(EQ, E2(MOD, E1(FLOOR, t), N(2)), N(0));
    assert_interval(over_time(p, even, 1, 1.999), 0, 0);
    assert_interval(over_time(p, even, 4, 4.999), 1, 1);
    assert_interval(over_time(p, even, 4, 5), 0, 1);
    const Expr both = E2(AND, daily, E2(LT, t, N(100)));
    assert_interval(over_time(p, both, 96, 99), 0, 1);
    assert_interval(over_time(p, both, 120, 1000), 0, 0);
    assert_interval(over_time(p, expr_make(p, EXPR_IF, both, N(2), N(5)), 120, 1000), 5, 5);
    fixture_end(&f);
}

static void test_interval_of_tables(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    static const double x[] = { 0, 1, 2.5, 3, 7 }, y[] = { 1, -2, 4, 0, 0.5 };
    double z[25];
    for (int i = 0; i < 25; i++) z[i] = sin(i) * 3;
    const Expr v = expr_var(p, 0), w = expr_var(p, 1);
    const uint32_t line = expr_table(p, x, y, 5);
    const uint32_t curve = expr_pieces(p, NULL, PIECES_CUBIC, PIECES_OUTSIDE_EXTRAPOLATE, x, 5, NULL, 0, y);
    const uint32_t ends = expr_pieces(p, NULL, PIECES_LINEAR, PIECES_OUTSIDE_ERROR, x, 5, NULL, 0, y);
    const uint32_t plane = expr_pieces(p, NULL, PIECES_CUBIC, PIECES_OUTSIDE_HOLD, x, 5, x, 5, z);
    const uint32_t plane_ends = expr_pieces(p, NULL, PIECES_LINEAR, PIECES_OUTSIDE_ERROR, x, 5, x, 5, z);
    const Expr tables[] = {
        expr_binary(p, EXPR_LOOKUP, v, line),  expr_binary(p, EXPR_SLOPE, v, line),
        expr_binary(p, EXPR_PIECES, v, curve), expr_binary(p, EXPR_PIECES, v, ends),
        expr_make(p, EXPR_GRID, v, w, plane),  expr_make(p, EXPR_GRID, v, w, plane_ends),
    };
    Random r = { 14 };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (int k = 0; k < 3000; k++) {
            ExprInterval box[2];
            for (int m = 0; m < 2; m++) {
                const double a = random_below(&r, 3) ? random_between(&r, -1, 8) : x[random_below(&r, 5)];
                box[m] = expr_interval_of(a, a + ldexp(random_unit(&r), 3 - (int)random_below(&r, 20)));
            }
            const ExprInterval all = interval_at(p, tables[i], box);
            for (int m = 0; m < 20; m++) {
                const double at[] = { random_inside(&r, box[0]), random_inside(&r, box[1]) };
                assert_true(holds(all, value_at(p, tables[i], at)));
            }
        }
    }
    const ExprInterval box[] = { { 1, 1.0001, false }, { 2, 2.0001, false } };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const ExprInterval all = interval_at(p, tables[i], box);
        assert_true(all.high - all.low < 0.01 || i == 1);
    }
    fixture_end(&f);
}

static void test_interval_domains_are_where_values_are_finite(void **state)
{
    (void)state;
    Random r = { 15 };
    for (int op = EXPR_NEG; op < EXPR_LOOKUP; op++) {
        for (int k = 0; k < 20000; k++) {
            const double a = k % 3 ? random_between(&r, -3, 3) : round(random_between(&r, -3, 3));
            const double b = k % 5 ? random_between(&r, -3, 3) : round(random_between(&r, -3, 3));
            const double value = expr_apply((ExprOp)op, a, b, 0);
            assert_int_equal(expr_in_domain((ExprOp)op, a, b), isfinite(value));
            if (!isfinite(value) && op != EXPR_DIV) assert_non_null(expr_domain_hint((ExprOp)op, a));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_holds_the_value_of_each_operation),
        cmocka_unit_test(test_interval_holds_the_exact_value),
        cmocka_unit_test(test_interval_holds_the_value_of_expressions),
        cmocka_unit_test(test_interval_is_narrow),
        cmocka_unit_test(test_interval_decides_relations_of_time),
        cmocka_unit_test(test_interval_of_tables),
        cmocka_unit_test(test_interval_domains_are_where_values_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
