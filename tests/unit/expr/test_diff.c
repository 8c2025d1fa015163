// tests/unit/expr/test_diff.c: derivatives against the complex step, and as people would write them.
#include "exprs.h"
#include <complex.h>
#undef I    // short names below

#define E1(op, a)    expr_unary(p, EXPR_##op, a)
#define E2(op, a, b) expr_binary(p, EXPR_##op, a, b)
#define N(x)         expr_const(p, x)

typedef double complex Complex;

// The logarithm of a negative number would leave a rounding error in the imaginary part.
static Complex whole_power(Complex x, int n)
{
    Complex y = 1;
    for (int i = 0; i < abs(n); i++) y *= x;
    return n < 0 ? 1 / y : y;
}

// erf'(x) from the power series of erf, 2/sqrt(pi) sum of (-1)^k x^(2k)/k!, while it does not cancel
static double slope_of_erf(double x)
{
    long double sum = 0, term = 1;
    if (fabs(x) > 3) return (double)(expl(-(long double)x * x) * 2 / sqrtl(acosl(-1)));
    for (int k = 0; k < 400; k++) {
        sum += term;
        term *= -(long double)x * x / (k + 1);
    }
    return (double)(sum * 2 / sqrtl(acosl(-1)));
}

// The same expression over the complex numbers: Im f(x + ih)/h is f'(x) without cancellation, by other rules
// than ours. Piecewise functions choose by the real part.
static Complex complex_value(const Tree *tree, const Complex *x, double *largest)
{
    if (tree->op == EXPR_CONST) return tree->value;
    if (tree->op == EXPR_VAR) return x[tree->variable];
    Complex v[3] = { 0 };
    for (int i = 0; i < expr_ops[tree->op].arity; i++) v[i] = complex_value(tree->operands[i], x, largest);
    const Complex a = v[0], b = v[1], c = v[2];
    const double ra = creal(a), rb = creal(b);
    Complex y;
    switch (tree->op) {
    case EXPR_NEG: y = -a; break;
    case EXPR_ADD: y = a + b; break;
    case EXPR_SUB: y = a - b; break;
    case EXPR_MUL: y = a * b; break;
    case EXPR_DIV: y = a / b; break;
    case EXPR_POW:
        y = cimag(b) == 0 && rb == floor(rb) && fabs(rb) < 100 ? whole_power(a, (int)rb) : cexp(b * clog(a));
        break;
    case EXPR_ABS: y = ra < 0 ? -a : ra > 0 ? a : 0; break;
    case EXPR_SIGN: y = (ra > 0) - (ra < 0); break;
    case EXPR_MIN: y = ra <= rb ? a : b; break;
    case EXPR_MAX: y = ra >= rb ? a : b; break;
    case EXPR_FLOOR: y = floor(ra); break;
    case EXPR_MOD: y = a - b * floor(ra / rb); break;
    case EXPR_SQRT: y = csqrt(a); break;
    case EXPR_EXP: y = cexp(a); break;
    case EXPR_LOG: y = clog(a); break;
    case EXPR_LOG10: y = clog(a) / log(10); break;
    case EXPR_SIN: y = csin(a); break;
    case EXPR_COS: y = ccos(a); break;
    case EXPR_TAN: y = ctan(a); break;
    case EXPR_ASIN: y = casin(a); break;
    case EXPR_ACOS: y = cacos(a); break;
    case EXPR_ATAN: y = catan(a); break;
    case EXPR_ATAN2: y = catan(a / b) + (rb > 0 ? 0 : ra < 0 ? -M_PI : M_PI); break;
    case EXPR_SINH: y = csinh(a); break;
    case EXPR_COSH: y = ccosh(a); break;
    case EXPR_TANH: y = ctanh(a); break;
    case EXPR_CBRT: y = ra < 0 ? -cexp(clog(-a) / 3) : cexp(clog(a) / 3); break;
    case EXPR_HYPOT: y = csqrt(a * a + b * b); break;
    case EXPR_EXPM1: y = cexp(a) - 1; break;
    case EXPR_LOG1P: y = clog(1 + a); break;
    case EXPR_LOG2: y = clog(a) / log(2); break;
    case EXPR_ASINH: y = casinh(a); break;
    case EXPR_ACOSH: y = cacosh(a); break;
    case EXPR_ATANH: y = catanh(a); break;
    // so small a step sees the slope only, here by its series: erf(x + ih) = erf(x) + ih erf'(x)
    case EXPR_ERF: y = erf(ra) + _Complex_I * cimag(a) * slope_of_erf(ra); break;
    case EXPR_ERFC: y = erfc(ra) - _Complex_I * cimag(a) * slope_of_erf(ra); break;
    case EXPR_LT: y = ra < rb; break;
    case EXPR_LE: y = ra <= rb; break;
    case EXPR_GT: y = ra > rb; break;
    case EXPR_GE: y = ra >= rb; break;
    case EXPR_EQ: y = ra == rb; break;
    case EXPR_NE: y = ra != rb; break;
    case EXPR_IF: y = ra != 0 ? b : c; break;
    default: fail_msg("no complex form of %s", expr_ops[tree->op].name); y = 0;
    }
    // too small to be told from rounding, or without a real value: not to be compared
    if ((y != 0 && cabs(y) < 1e-8) || fabs(cimag(y)) > 1e-10) *largest = INFINITY;
    if (tree->op == EXPR_ATAN2 && (ra == 0 || rb == 0)) *largest = INFINITY;    // the sign of zero decides
    *largest = fmax(*largest, cabs(y));
    return y;
}

static void test_diff_agrees_with_the_complex_step(void **state)
{
    (void)state;
    static const ExprOp ops[] = { EXPR_NEG,  EXPR_ADD,  EXPR_SUB,  EXPR_MUL,   EXPR_DIV,   EXPR_POW,
                                  EXPR_ABS,  EXPR_SIGN, EXPR_MIN,  EXPR_MAX,   EXPR_FLOOR, EXPR_MOD,
                                  EXPR_SQRT, EXPR_EXP,  EXPR_LOG,  EXPR_LOG10, EXPR_SIN,   EXPR_COS,
                                  EXPR_TAN,  EXPR_ASIN, EXPR_ACOS, EXPR_ATAN,  EXPR_ATAN2, EXPR_SINH,
                                  EXPR_COSH, EXPR_TANH, EXPR_IF,   EXPR_ADD,   EXPR_SUB,   EXPR_MUL,
                                  EXPR_DIV,  EXPR_CBRT, EXPR_HYPOT, EXPR_EXPM1, EXPR_LOG1P, EXPR_LOG2,
                                  EXPR_ASINH, EXPR_ACOSH, EXPR_ERF };
    const double h = 1e-25;
    Random r = { 2024 };
    int checked = 0, nonzero = 0, singular = 0;
    for (int i = 0; i < 40000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Tree *tree = tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 3, 4);
        const Expr e = tree_build(p, tree);
        double x[3];
        Complex z[3];
        for (int k = 0; k < 3; k++) z[k] = x[k] = random_between(&r, -2, 2);
        const uint32_t by = random_below(&r, 3);
        z[by] = x[by] + h * _Complex_I;
        double largest = 0;
        const double expected = cimag(complex_value(tree, z, &largest)) / h;
        const double value = value_at(p, e, x), derivative = value_at(p, expr_derivative(p, e, by), x);
        // where the function exists and nothing cancels badly
        if (isfinite(value) && largest < 1e4 && isfinite(expected) && fabs(expected) < 1e8) {
            // 0 times infinity: at 0 sqrt, and u^v by v, have derivatives that are not finite
            if (!isfinite(derivative)) {
                singular++;
            } else {
                checked++;
                nonzero += expected != 0;
                if (!(fabs(derivative - expected) <= 1e-7 * (1 + fabs(expected)))) {
                    print_error("d/d%s %s\n  is %s\n  = %.17g, not %.17g\n", letter_name(NULL, by),
                                text_of(&f, e), text_of(&f, expr_derivative(p, e, by)), derivative, expected);
                    fail();
                }
            }
        }
        fixture_end(&f);
    }
    assert_true(checked > 15000 && nonzero > 5000 && singular < 100);
}

// Each operation alone, so that none can hide.
static void test_diff_of_each_operation(void **state)
{
    (void)state;
    const double h = 1e-25;
    int checked = 0;
    for (int op = 0; op < EXPR_N_OPS; op++) {
        const double x[] = { op == EXPR_ACOSH ? 1.6 : 0.6, 0.35 };
        const ExprOpInfo *info = &expr_ops[op];
        if (info->type == 'B' || info->arity == 0 || info->arity == 3 || op == EXPR_LOOKUP ||
            op == EXPR_SLOPE || op == EXPR_PIECES || op == EXPR_NEAR || op == EXPR_GRID || op == EXPR_DELAY ||
            op == EXPR_DRAW || op == EXPR_CEIL || op == EXPR_ROUND)
            continue;
        Fixture f;
        ExprPool *p = fixture_start(&f);
        Tree a = { .op = EXPR_VAR, .variable = 0 }, b = { .op = EXPR_VAR, .variable = 1 };
        const Tree tree = { .op = (ExprOp)op, .operands = { &a, &b } };
        for (uint32_t by = 0; by < (uint32_t)info->arity; by++) {
            Complex z[2] = { x[0], x[1] };
            z[by] += h * _Complex_I;
            double largest = 0;
            const double expected = cimag(complex_value(&tree, z, &largest)) / h;
            assert_near(value_at(p, expr_derivative(p, tree_build(p, &tree), by), x), expected,
                        1e-14 * fmax(1, fabs(expected)));
            checked++;
        }
        fixture_end(&f);
    }
    assert_int_equal(checked, 46);
}

// Tables, of which each has another as its derivative, up to the third.
static void test_diff_of_tables(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const double x[] = { 0, 1, 2, 3 }, y[] = { 0, 1, 8, 27 };
    double z[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) z[4 * i + j] = y[i] * y[j];
    const uint32_t curve = expr_pieces(p, "cube", PIECES_CUBIC, PIECES_OUTSIDE_ERROR, x, 4, NULL, 0, y);
    const uint32_t plane = expr_pieces(p, "both", PIECES_CUBIC, PIECES_OUTSIDE_HOLD, x, 4, x, 4, z);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    const Expr cube = expr_make(p, EXPR_PIECES, a, curve, EXPR_NONE),
               both = expr_make(p, EXPR_GRID, a, b, plane);
    const Expr near = expr_make(p, EXPR_NEAR, a, N(1), curve);    // the piece from 0 to 1, or that beyond 3
    const double at[] = { 1.7, 0.4 };
    const Expr first = expr_derivative(p, cube, 0), second = expr_derivative(p, first, 0);
    assert_near(value_at(p, cube, at), 4.913, 1e-12);
    assert_near(value_at(p, first, at), 3 * 2.89, 1e-12);
    assert_near(value_at(p, second, at), 6 * 1.7, 1e-12);
    assert_near(value_at(p, expr_derivative(p, second, 0), at), 6, 1e-12);
    assert_near(value_at(p, near, at), 4.913, 1e-12);
    assert_near(value_at(p, expr_derivative(p, near, 0), at), 3 * 2.89, 1e-12);
    assert_near(value_at(p, expr_derivative(p, expr_derivative(p, both, 0), 1), at), 3 * 2.89 * 3 * 0.16,
                1e-12);
    assert_near(value_at(p, expr_derivative(p, expr_make(p, EXPR_GRID, a, a, plane), 0), at), 6 * pow(1.7, 5),
                1e-10);
    assert_int_equal(expr_derivative(p, cube, 1), N(0));
    assert_prints(&f, first, "cube'(a)");
    assert_prints(&f, near, "cube(a)");
    assert_prints(&f, both, "both(a, b)");
    // held outside: no slope there
    const double out[] = { 5, 0.5 };
    assert_near(value_at(p, both, out), 27 * 0.125, 1e-12);
    assert_near(value_at(p, expr_derivative(p, both, 0), out), 0, 0);
    fixture_end(&f);
}

// Of the pieces with a code, the nearest one.
static void test_near_goes_on_with_a_piece(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    enum { N = 9 };
    double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i * i, y[i] = 10 * (i + 1);    // piece i + 1 has the value 10 (i + 1)
    const uint32_t table = expr_pieces(p, NULL, PIECES_HOLD, PIECES_OUTSIDE_HOLD, x, N, NULL, 0, y);
    y[0] = 0;
    for (double at = -3; at < 90; at += 0.37) {
        for (int code = 0; code < 4; code++) {
            // by looking at all of them
            double best = INFINITY, expected = 0;
            for (uint32_t i = 0; i <= N; i++) {
                if ((int)expr_pieces_code(i) != code) continue;
                const double low = i ? x[i - 1] : -INFINITY, high = i < N ? x[i] : INFINITY;
                const double far = at < low ? low - at : at >= high ? at - high : -1;
                if (far < best) best = far, expected = i ? 10.0 * i : 10;
            }
            const Expr near = expr_make(p, EXPR_NEAR, expr_var(p, 0), N(code), table);
            const double found = value_at(p, near, (double[]){ at, 0 });
            if (best < 30) assert_near(found, expected, 0);
        }
    }
    fixture_end(&f);
}

static void test_diff_is_written_naturally(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1), t = expr_time(p);
    assert_prints(&f, expr_derivative(p, E2(POW, a, N(2)), 0), "2*a");
    assert_prints(&f, expr_derivative(p, E2(POW, a, N(3)), 0), "3*a^2");
    assert_prints(&f, expr_derivative(p, E2(MUL, N(3), E2(POW, a, N(2))), 0), "6*a");
    assert_prints(&f, expr_derivative(p, E2(ADD, E2(MUL, N(3), a), N(2)), 0), "3");
    assert_prints(&f, expr_derivative(p, E2(MUL, a, b), 1), "a");
    assert_prints(&f, expr_derivative(p, E1(SIN, a), 0), "cos(a)");
    assert_prints(&f, expr_derivative(p, E1(COS, E2(MUL, a, b)), 0), "-sin(a*b)*b");
    assert_prints(&f, expr_derivative(p, E1(SQRT, a), 0), "1/(2*sqrt(a))");
    assert_prints(&f, expr_derivative(p, E2(DIV, a, b), 0), "1/b");
    assert_prints(&f, expr_derivative(p, E2(MIN, a, b), 0), "if a <= b then 1 else 0");
    assert_prints(&f, expr_derivative(p, E2(LOOKUP, E2(MUL, N(2), a), 0), 0), "slope0(2*a)*2");
    assert_prints(&f, expr_derivative(p, E2(DELAY, E2(SUB, t, a), 0), 0), "0");
    assert_prints(&f, expr_derivative(p, E1(FLOOR, a), 0), "0");
    assert_prints(&f, expr_derivative(p, t, 0), "0");
    assert_prints(&f, expr_derivative(p, b, 0), "0");
    assert_prints(&f, expr_derivative(p, a, 77), "0");
    assert_prints(&f, expr_derivative(p, expr_make(p, EXPR_IF, expr_mode(p, 2), E2(MUL, a, b), b), 0),
                  "if mode 2 then b else 0");
    // a branch that does not exist where the other is taken does not disturb it
    const Expr guarded = expr_make(p, EXPR_IF, E2(GT, a, N(0)), E1(LOG, a), N(0));
    assert_near(value_at(p, expr_derivative(p, guarded, 0), (double[]){ -1 }), 0, 0);
    fixture_end(&f);
}

static void test_diff_by_time(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr x = expr_var(p, 0), y = expr_var(p, 1), dx = expr_var(p, 2), t = expr_time(p);
    // variable 1 is constant in time, variable 3 is beyond the array
    const Expr rate[] = { dx, EXPR_NONE };
    assert_prints(&f, expr_time_derivative(p, E2(MUL, x, y), rate, 2), "c*b");
    assert_prints(&f, expr_time_derivative(p, E2(ADD, E2(POW, x, N(2)), E2(MUL, t, expr_var(p, 3))), rate, 2),
                  "2*a*c + d");
    assert_prints(&f, expr_time_derivative(p, E1(SIN, t), rate, 2), "cos(t)");
    assert_prints(&f, expr_time_derivative(p, y, rate, 2), "0");
    // the past has a rate of its own that is no expression
    assert_int_equal(expr_time_derivative(p, E2(MUL, y, E2(DELAY, E2(SUB, t, N(1)), 0)), rate, 2), EXPR_NONE);
    fixture_end(&f);
}

static void test_diff_by_time_is_the_chain_rule(void **state)
{
    (void)state;
    // f(x(t), y(t), t) with x = exp(t), y = sin(t), whose rates are x and cos t
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr x = expr_var(p, 0), y = expr_var(p, 1), t = expr_time(p);
    const Expr e = E2(ADD, E2(DIV, E2(MUL, x, E1(TANH, y)), E2(ADD, N(2), E1(COS, t))), E2(POW, x, y));
    const Expr rate[] = { x, E1(COS, t) };
    const Expr inner[] = { E1(EXP, t), E1(SIN, t) };
    const Expr composed = expr_substitute(p, e, inner, 2);
    const Expr moved = expr_substitute(p, expr_time_derivative(p, e, rate, 2), inner, 2);
    const double h = 1e-5, at = 0.8;
    const double before = expr_evaluate(p, composed, &(ExprValues){ .t = at - h });
    const double after = expr_evaluate(p, composed, &(ExprValues){ .t = at + h });
    assert_near(expr_evaluate(p, moved, &(ExprValues){ .t = at }), (after - before) / (2 * h), 1e-8);
    fixture_end(&f);
}

static void test_diff_costs_the_size_of_the_expression(void **state)
{
    (void)state;
    // nested a thousand times: without sharing the derivative would have a million nodes
    Fixture f;
    ExprPool *p = fixture_start(&f);
    Expr e = expr_var(p, 0);
    for (int i = 0; i < 1000; i++) e = E1(SIN, E2(MUL, e, E2(ADD, e, N(1))));
    const size_t before = p->nodes.n;
    expr_derivative(p, e, 0);
    assert_true(p->nodes.n - before < 10 * before);
    fixture_end(&f);
}

static void test_diff_gradient_agrees_with_each_derivative(void **state)
{
    (void)state;
    static const ExprOp ops[] = { EXPR_NEG, EXPR_ADD, EXPR_SUB,  EXPR_MUL,  EXPR_DIV,  EXPR_POW,
                                  EXPR_ABS, EXPR_MIN, EXPR_MAX,  EXPR_SQRT, EXPR_EXP,  EXPR_LOG,
                                  EXPR_SIN, EXPR_MOD, EXPR_TANH, EXPR_IF,   EXPR_ATAN2 };
    Random r = { 77 };
    int checked = 0, singular = 0;
    for (int i = 0; i < 20000; i++) {
        Fixture f;
        ExprPool *p = fixture_start(&f);
        const Expr e = tree_build(p, tree_random(&r, &f.arena, ops, sizeof ops / sizeof *ops, 4, 5));
        const uint32_t variables[] = { 2, 0, 3, 50 };    // not all of them, and one that does not occur
        Expr partials[4];
        expr_gradient(p, e, variables, 4, partials);
        double x[51];
        for (int k = 0; k < 51; k++) x[k] = random_between(&r, -2, 2);
        for (int k = 0; k < 4; k++) {
            const double expected = value_at(p, expr_derivative(p, e, variables[k]), x);
            if (!isfinite(expected) || !isfinite(value_at(p, e, x)) || fabs(expected) > 1e6) continue;
            // log(a - a): forwards the inner derivative is seen to vanish, backwards it is infinity -
            // infinity
            const double value = value_at(p, partials[k], x);
            singular += isnan(value) != 0;
            if (isnan(value)) continue;
            assert_near(value, expected, 1e-6 * (1 + fabs(expected)));
            checked += expected != 0;
        }
        fixture_end(&f);
    }
    assert_true(checked > 5000 && singular < 20);
}

static void test_diff_gradient_does_not_enter_what_is_not_taken(void **state)
{
    (void)state;
    Fixture f;
    ExprPool *p = fixture_start(&f);
    const Expr a = expr_var(p, 0), b = expr_var(p, 1);
    const Expr guarded = expr_make(p, EXPR_IF, E2(GT, a, N(0)), E1(LOG, a), N(0));
    Expr partials[2];
    expr_gradient(p, E2(MUL, b, guarded), (uint32_t[]){ 0, 1 }, 2, partials);
    assert_near(value_at(p, partials[0], (double[]){ 0, 3 }), 0, 0);
    assert_near(value_at(p, partials[0], (double[]){ 2, 3 }), 1.5, 1e-15);
    assert_near(value_at(p, partials[1], (double[]){ 2, 3 }), log(2), 1e-15);
    const Expr product = E2(MUL, a, b), square = E2(POW, a, N(2));
    expr_gradient(p, E2(ADD, product, square), (uint32_t[]){ 0, 1 }, 2, partials);
    assert_prints(&f, partials[0], "2*a + b");
    assert_prints(&f, partials[1], "a");
    fixture_end(&f);
}

static void test_diff_gradient_of_a_long_sum_is_linear(void **state)
{
    (void)state;
    // one by one this would take 10^10 steps
    enum { TERMS = 100000 };
    Fixture f;
    ExprPool *p = fixture_start(&f);
    uint32_t *variables = ARENA_ARRAY(&f.arena, uint32_t, TERMS);
    Expr *partials = ARENA_ARRAY(&f.arena, Expr, TERMS);
    Expr sum = N(0);
    for (uint32_t i = 0; i < TERMS; i++) {
        variables[i] = i;
        sum = E2(ADD, sum, E2(MUL, N(i + 1.0), expr_var(p, i)));
    }
    expr_gradient(p, E1(SIN, sum), variables, TERMS, partials);
    for (uint32_t i = 1; i < TERMS; i++) {
        const ExprNode *node = expr_node(p, partials[i]);
        double factor = 0;
        assert_int_equal(node->op, EXPR_MUL);
        assert_true(expr_is_const(p, node->a, &factor) || expr_is_const(p, node->b, &factor));
        assert_near(factor, i + 1, 0);
    }
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff_agrees_with_the_complex_step),
        cmocka_unit_test(test_diff_of_each_operation),
        cmocka_unit_test(test_diff_of_tables),
        cmocka_unit_test(test_near_goes_on_with_a_piece),
        cmocka_unit_test(test_diff_is_written_naturally),
        cmocka_unit_test(test_diff_by_time),
        cmocka_unit_test(test_diff_by_time_is_the_chain_rule),
        cmocka_unit_test(test_diff_gradient_agrees_with_each_derivative),
        cmocka_unit_test(test_diff_gradient_does_not_enter_what_is_not_taken),
        cmocka_unit_test(test_diff_gradient_of_a_long_sum_is_linear),
        cmocka_unit_test(test_diff_costs_the_size_of_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
