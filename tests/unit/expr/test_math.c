// tests/unit/expr/test_math.c: the elementary functions are right to an ulp and defined everywhere.
#include "exprs.h"
#include <float.h>

// The true value, in long double from the C library, in units of the last place of the double nearest to it.
static double ulps_off(double x, long double exact)
{
    const double near = (double)exact;
    if (isnan(near)) return isnan(x) ? 0 : INFINITY;
    if (isinf(near) || isinf(x)) return x == near ? 0 : INFINITY;
    const double ulp = nextafter(fabs(near), INFINITY) - fabs(near);
    return (double)(fabsl((long double)x - exact) / (long double)ulp);
}

#define assert_within_ulps(x, exact, limit)                                                        \
    do {                                                                                           \
        const double off = ulps_off((x), (exact));                                                 \
        if (!(off <= (limit))) {                                                                   \
            print_error("%s is %.17g, %g ulps from %.20Lg\n", #x, (x), off, (long double)(exact));  \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

typedef struct Function {
    ExprOp op;
    long double (*exact)(long double);
    double low, high;    // of the argument
} Function;

static void test_math_is_within_an_ulp(void **state)
{
    (void)state;
    static const Function functions[] = {
        { EXPR_EXP, expl, -700, 709 },    { EXPR_LOG, logl, 0, 1e6 },      { EXPR_LOG, logl, 0, 2 },
        { EXPR_LOG10, log10l, 0, 1e300 }, { EXPR_SIN, sinl, -100, 100 },   { EXPR_SIN, sinl, -1e15, 1e15 },
        { EXPR_COS, cosl, -100, 100 },    { EXPR_COS, cosl, -1e15, 1e15 }, { EXPR_TAN, tanl, -1e3, 1e3 },
        { EXPR_ASIN, asinl, -1, 1 },      { EXPR_ACOS, acosl, -1, 1 },     { EXPR_ATAN, atanl, -50, 50 },
        { EXPR_SINH, sinhl, -20, 20 },    { EXPR_COSH, coshl, -700, 700 }, { EXPR_TANH, tanhl, -5, 5 },
        { EXPR_SQRT, sqrtl, 0, 1e10 },    { EXPR_CBRT, cbrtl, -1e9, 1e9 }, { EXPR_EXPM1, expm1l, -30, 700 },
        { EXPR_EXPM1, expm1l, -1e-3, 1e-3 }, { EXPR_LOG2, log2l, 0, 1e6 }, { EXPR_LOG1P, log1pl, -1, 10 },
        { EXPR_LOG1P, log1pl, -1e-6, 1e-6 }, { EXPR_ASINH, asinhl, -1e6, 1e6 }, { EXPR_ASINH, asinhl, -1, 1 },
        { EXPR_ACOSH, acoshl, 1, 1e6 },   { EXPR_ATANH, atanhl, -1, 1 },   { EXPR_ERF, erfl, -6, 6 },
        { EXPR_ERFC, erfcl, -6, 0.5 },    { EXPR_ERFC, erfcl, 0.5, 26 },
    };
    Random r = { 7 };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        for (int k = 0; k < 20000; k++) {
            const double x = random_between(&r, f->low, f->high);
            const double limit = f->op == EXPR_ERFC ? 1.5 : 1.0;
            assert_within_ulps(expr_apply(f->op, x, 0, 0), f->exact((long double)x), limit);
        }
    }
    for (int k = 0; k < 20000; k++) {
        const double x = random_between(&r, 0, 50), y = random_between(&r, -20.5, 20.5);
        assert_within_ulps(expr_pow(x, y), powl((long double)x, (long double)y), 1.0);
        const double s = random_between(&r, -5, 5);
        assert_within_ulps(expr_apply(EXPR_HYPOT, y, s, 0), hypotl((long double)y, (long double)s), 1.0);
        assert_within_ulps(expr_apply(EXPR_ATAN2, y, s, 0), atan2l((long double)y, (long double)s), 1.0);
    }
}

static void test_math_at_the_edges(void **state)
{
    (void)state;
    assert_true(isnan(expr_apply(EXPR_SQRT, -1, 0, 0)));
    assert_true(isnan(expr_apply(EXPR_LOG, -1, 0, 0)));
    assert_same_bits(expr_apply(EXPR_LOG, 0, 0, 0), -INFINITY);
    assert_true(isnan(expr_apply(EXPR_ASIN, 1.5, 0, 0)));
    assert_true(isnan(expr_apply(EXPR_SIN, INFINITY, 0, 0)));
    assert_same_bits(expr_apply(EXPR_EXP, -INFINITY, 0, 0), 0.0);
    assert_same_bits(expr_apply(EXPR_EXP, 1000, 0, 0), INFINITY);
    assert_same_bits(expr_apply(EXPR_EXP, 0, 0, 0), 1.0);
    assert_same_bits(expr_apply(EXPR_TANH, 1000, 0, 0), 1.0);
    assert_same_bits(expr_apply(EXPR_SINH, -1000, 0, 0), -INFINITY);
    assert_same_bits(expr_pow(2, 0.5), sqrt(2));
    assert_true(isnan(expr_pow(-8, 1.0 / 3)));
    assert_same_bits(expr_pow(0, 0), 1.0);
    assert_true(isnan(expr_apply(EXPR_EXP, NAN, 0, 0)));
}

static void test_math_never_loses_a_nan(void **state)
{
    (void)state;
    assert_true(isnan(expr_apply(EXPR_MIN, NAN, 1, 0)));
    assert_true(isnan(expr_apply(EXPR_MIN, 1, NAN, 0)));
    assert_true(isnan(expr_apply(EXPR_MAX, NAN, 1, 0)));
    assert_true(isnan(expr_apply(EXPR_MAX, 1, NAN, 0)));
    assert_true(isnan(expr_apply(EXPR_SIGN, NAN, 0, 0)));
    assert_true(isnan(expr_apply(EXPR_ABS, NAN, 0, 0)));
    assert_true(isnan(expr_apply(EXPR_MOD, NAN, 2, 0)));
    assert_same_bits(expr_apply(EXPR_MIN, 2, 1, 0), 1.0);
    assert_same_bits(expr_apply(EXPR_MAX, 2, 1, 0), 2.0);
    assert_same_bits(expr_apply(EXPR_MIN, -INFINITY, 1, 0), -INFINITY);
}

static void test_math_rounds_and_wraps_as_documented(void **state)
{
    (void)state;
    assert_same_bits(expr_apply(EXPR_ROUND, 2.5, 0, 0), 3.0);
    assert_same_bits(expr_apply(EXPR_ROUND, -2.5, 0, 0), -3.0);
    assert_same_bits(expr_apply(EXPR_ROUND, 0.49999999999999994, 0, 0), 0.0);
    assert_same_bits(expr_apply(EXPR_FLOOR, -0.5, 0, 0), -1.0);
    assert_same_bits(expr_apply(EXPR_CEIL, 0.5, 0, 0), 1.0);
    assert_same_bits(expr_apply(EXPR_SIGN, -3, 0, 0), -1.0);
    assert_same_bits(expr_apply(EXPR_SIGN, 0, 0, 0), 0.0);
    assert_same_bits(expr_apply(EXPR_MOD, 7, 3, 0), 1.0);
    assert_same_bits(expr_apply(EXPR_MOD, -7, 3, 0), 2.0);
    assert_same_bits(expr_apply(EXPR_MOD, 7, -3, 0), -2.0);
}

static void test_math_whole_powers_are_products(void **state)
{
    (void)state;
    const double x = 1.1;
    assert_same_bits(expr_whole_power(x, 0), 1.0);
    assert_same_bits(expr_whole_power(x, 1), x);
    assert_same_bits(expr_whole_power(x, 2), x * x);
    assert_same_bits(expr_whole_power(x, 3), x * x * x);
    assert_same_bits(expr_whole_power(x, 4), (x * x) * (x * x));
    const double x3 = x * x * x;
    assert_same_bits(expr_whole_power(x, 7), x3 * x3 * x);
    assert_same_bits(expr_whole_power(x, -3), 1 / x3);
    assert_same_bits(expr_whole_power(2, 16), 65536.0);
    assert_same_bits(expr_whole_power(-2, -15), -1 / 32768.0);
    assert_same_bits(expr_apply(EXPR_POW, x, 7, 0), expr_whole_power(x, 7));
    for (int n = -16; n <= 16; n++)
        assert_near_relative(expr_whole_power(1.7, n), (double)powl(1.7L, n), 16 * DBL_EPSILON);

    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0);
    int n = 0;
    assert_true(expr_is_whole_power(p, expr_binary(p, EXPR_POW, a, expr_const(p, -16)), &n));
    assert_int_equal(n, -16);
    assert_false(expr_is_whole_power(p, expr_binary(p, EXPR_POW, a, expr_const(p, 17)), &n));
    assert_false(expr_is_whole_power(p, expr_binary(p, EXPR_POW, a, expr_const(p, 0.5)), &n));
    assert_false(expr_is_whole_power(p, expr_binary(p, EXPR_POW, a, expr_const(p, NAN)), &n));
    assert_false(expr_is_whole_power(p, expr_binary(p, EXPR_POW, a, expr_var(p, 1)), &n));
    assert_false(expr_is_whole_power(p, a, &n));
    // an exponent that is a variable is not looked at
    const double values[] = { 1.1, 7 };
    assert_same_bits(value_at(p, expr_binary(p, EXPR_POW, a, expr_var(p, 1)), values), expr_pow(1.1, 7));
    assert_same_bits(value_at(p, expr_binary(p, EXPR_POW, a, expr_const(p, 7)), values),
                     expr_whole_power(1.1, 7));
    fixture_end(&f);
}

static void test_math_tables(void **state)
{
    (void)state;
    double x[] = { 0, 1, 1, 4 }, y[] = { 1, 3, 10, 4 };
    const ExprTable table = { x, y, 4 };
    assert_same_bits(expr_lookup(&table, -1), 1.0);
    assert_same_bits(expr_lookup(&table, 0.5), 2.0);
    assert_same_bits(expr_lookup(&table, nextafter(1, 0)), 1 + 2 * nextafter(1, 0));
    assert_same_bits(expr_lookup(&table, 1), 10.0);
    assert_same_bits(expr_lookup(&table, 2.5), 7.0);
    assert_same_bits(expr_lookup(&table, 4), 4.0);
    assert_same_bits(expr_lookup(&table, 1e300), 4.0);
    assert_true(isnan(expr_lookup(&table, NAN)));
    assert_same_bits(expr_lookup_slope(&table, 0), 2.0);
    assert_same_bits(expr_lookup_slope(&table, 1), -2.0);
    assert_same_bits(expr_lookup_slope(&table, 4), 0.0);
    assert_same_bits(expr_lookup_slope(&table, -0.1), 0.0);
    // the last point exactly, although the line through both rounds
    const ExprTable steep = { (double[]){ 0, 1 }, (double[]){ 1e16, 1.1 }, 2 };
    assert_same_bits(expr_lookup(&steep, 1), 1.1);
    const ExprTable point = { x, y, 1 };
    assert_same_bits(expr_lookup(&point, 7), 1.0);
    assert_same_bits(expr_lookup_slope(&point, 0), 0.0);

    // every point exactly, and monotone between
    double many_x[1000], many_y[1000];
    Random r = { 3 };
    for (int i = 0; i < 1000; i++) {
        many_x[i] = i + random_unit(&r) / 2;
        many_y[i] = random_unit(&r);
    }
    const ExprTable many = { many_x, many_y, 1000 };
    for (int i = 0; i < 1000; i++) assert_same_bits(expr_lookup(&many, many_x[i]), many_y[i]);
}

static void test_math_has_every_function_of_the_operations(void **state)
{
    (void)state;
    for (int op = 0; op < EXPR_N_OPS; op++) {
        const ExprOpInfo *info = &expr_ops[op];
        if (strncmp(info->c, "orr_", 4) != 0 || op == EXPR_DELAY || op == EXPR_DRAW) continue;
        const ExprMath *math = expr_math_find(info->c);
        assert_non_null(math);
        assert_non_null(math->function);
        assert_true((math->library_symbol == NULL) == (math->text != NULL));
        if (math->text) {
            assert_contains(math->text, info->c);
        }
        // called through the table, as generated code does, it gives what folding gives
        if (math->arity == 1)
            assert_same_bits(((double (*)(double))math->function)(0.3), expr_apply((ExprOp)op, 0.3, 0, 0));
        if (math->arity == 2)
            assert_same_bits(((double (*)(double, double))math->function)(0.3, 0.7),
                             expr_apply((ExprOp)op, 0.3, 0.7, 0));
        if (math->arity) assert_int_equal(math->arity, info->arity);
    }
    assert_null(expr_math_find("orr_nothing"));
}

// Vectors, whole and padded ones, have the bits of single numbers, whatever stands beside them.
static void test_math_of_several_numbers_is_that_of_each(void **state)
{
    (void)state;
    static const double special[] = { 0.0, -0.0, 1.0,  -1.0, 0.5,      1e-300,    5e-324, 1e300, -1e300, 700,
                                      -745, 1e15, 1e-9, 0.1, INFINITY, -INFINITY, NAN, 2.0, 20, -20 };
    enum { N_SPECIAL = sizeof special / sizeof *special };
    size_t n_functions = 0;
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (!math->each) continue;
        n_functions++;
        double (*const one)(double) = (double (*)(double))math->function;
        uint64_t random = 88172645463325252u;
        for (int k = 0; k < 4000; k++) {
            double f[19], expected[19];
            const int n = k % 19 + 1;
            for (int j = 0; j < n; j++) {
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                f[j] = random % 5 == 0 ? special[(random >> 8) % N_SPECIAL]
                                       : ((double)(random >> 11) * 0x1p-53 - 0.5) * (random % 2 ? 4 : 100);
                expected[j] = one(f[j]);
            }
            math->each(f, n);
            for (int j = 0; j < n; j++)
                if (!isnan(f[j]) || !isnan(expected[j])) assert_same_bits(f[j], expected[j]);
        }
    }
    assert_int_equal(n_functions, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_math_is_within_an_ulp),
        cmocka_unit_test(test_math_at_the_edges),
        cmocka_unit_test(test_math_never_loses_a_nan),
        cmocka_unit_test(test_math_rounds_and_wraps_as_documented),
        cmocka_unit_test(test_math_whole_powers_are_products),
        cmocka_unit_test(test_math_tables),
        cmocka_unit_test(test_math_has_every_function_of_the_operations),
        cmocka_unit_test(test_math_of_several_numbers_is_that_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
