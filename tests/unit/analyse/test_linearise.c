// tests/unit/analyse/test_linearise.c: matrices, poles and zeros against closed forms.
#include "analyse/analyse.h"
#include "models.h"

typedef struct Case {
    Lab      b;
    orr_linear l;
} Case;

static Case linearise_with(const char *text, const orr_linear_options *options)
{
    Case c = { .b = lab_open(text) };
    c.l = orr_linearise(c.b.model, options, c.b.diag);
    return c;
}

static Case linearise(const char *text, const orr_linear_options *options)
{
    Case c = linearise_with(text, options);
    assert_status(&c.b, c.l.status, ORR_STATUS_OK);
    return c;
}

static void done(Case *c)
{
    orr_linear_free(&c->l);
    lab_close(&c->b);
}

static void assert_matrix(const double *found, const double *wanted, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - wanted[i]) > tolerance) print_error("entry %zu\n", i);
        assert_near(found[i], wanted[i], tolerance);
    }
}

static void test_a_linear_system_is_itself(void **state)
{
    (void)state;
    Case c = linearise("model M\n input u = 0, w = 2\n var x = 1, y = 2, z = 3\n x' = -0.1*x + 0.3*y + 7*u\n"
                       " y' = 0.7*z - x + w/3\n z' = -z\n output p = x - 2*y + 5*w, q = z\nend\n", NULL);
    assert_int_equal(c.l.n_states, 3);
    assert_int_equal(c.l.n_inputs, 2);
    assert_int_equal(c.l.n_outputs, 2);
    assert_true(c.l.is_symbolic);
    assert_matrix(c.l.A, (double[]){ -0.1, 0.3, 0, -1, 0, 0.7, 0, 0, -1 }, 9, 0);
    assert_matrix(c.l.B, (double[]){ 7, 0, 0, 1.0 / 3, 0, 0 }, 6, 1e-14);
    assert_matrix(c.l.C, (double[]){ 1, -2, 0, 0, 0, 1 }, 6, 1e-14);
    assert_matrix(c.l.D, (double[]){ 0, 5, 0, 0 }, 4, 1e-14);
    done(&c);
}

// upright: 0, 0, ±sqrt((M + m) g/(M l)); the force reaches the tip of the rod without zeros
static void test_inverted_pendulum(void **state)
{
    (void)state;
    const double M = 1, m = 0.1, l = 0.5, g = 9.81, pole = sqrt((M + m) * g / (M * l));
    Case c = linearise("model M\n param M = 1, m = 0.1, l = 0.5, g = 9.81\n input F = 0\n"
                       " var s = 0, v = 0, q = 0.3, w = 0\n s' = v\n q' = w\n"
                       " (M + m)*v' + m*l*w'*cos(q) = F + m*l*w^2*sin(q)\n l*w' + v'*cos(q) = g*sin(q)\n"
                       " output tip = s + l*sin(q), at = s\nend\n",
                       NULL);
    assert_near(c.l.residual, 0, 1e-12);
    assert_near(c.l.poles[0].re, pole, 1e-10);
    assert_near(c.l.poles[1].re, 0, 1e-7);
    assert_near(c.l.poles[2].re, 0, 1e-7);
    assert_near(c.l.poles[3].re, -pole, 1e-10);
    // tip'''' = -g/(M l) F + …: no zeros; the cart has two, ±sqrt(g/l)
    assert_int_equal(c.l.transfers[0].n_zeros, 0);
    assert_near(c.l.transfers[0].gain, -g / (M * l), 1e-9);
    assert_int_equal(c.l.transfers[1].n_zeros, 2);
    assert_near(c.l.transfers[1].zeros[0].re, sqrt(g / l), 1e-9);
    assert_near(c.l.transfers[1].zeros[1].re, -sqrt(g / l), 1e-9);
    assert_true(isnan(c.l.transfers[1].steady));
    done(&c);
}

// simple pendulum at the top: ±sqrt(g/l)
static void test_pendulum_at_the_top(void **state)
{
    (void)state;
    orr_linear_options o = orr_linear_options_default();
    o.at = ORR_AT_START;
    Case c =
        linearise("model M\n param g = 9.81, l = 2\n var q = 0, w = 0\n q' = w\n w' = g/l*sin(q)\nend\n", &o);
    assert_near(c.l.poles[0].re, sqrt(9.81 / 2), 1e-14);
    assert_near(c.l.poles[1].re, -sqrt(9.81 / 2), 1e-14);
    assert_int_equal(c.l.n_inputs, 0);
    assert_int_equal(c.l.n_outputs, 2);    // without outputs the states
    done(&c);
}

// k/((L s + R)(J s + b) + k²) from the voltage to the speed; (s + R/L)·(-1/J) over the same from the load
static void test_dc_motor(void **state)
{
    (void)state;
    const double R = 1, L = 0.5, k = 0.01, J = 0.01, b = 0.1;
    Case c =
        linearise("model M\n param R = 1, L = 0.5, k = 0.01, J = 0.01, b = 0.1\n input u = 0, load = 0\n"
                  " var i = 0, w = 0\n"
                  " L*i' = u - R*i - k*w\n J*w' = k*i - b*w - load\n output speed = w, all = w + 2*u\nend\n",
                  NULL);
    // (L s + R)(J s + b) + k² = 0
    const double p = (R * J + L * b) / (L * J), q = (R * b + k * k) / (L * J), root = sqrt(p * p / 4 - q);
    assert_near(c.l.poles[0].re, -p / 2 + root, 1e-12);
    assert_near(c.l.poles[1].re, -p / 2 - root, 1e-12);
    const orr_transfer *voltage = &c.l.transfers[0], *load = &c.l.transfers[1], *all = &c.l.transfers[2];
    assert_int_equal(voltage->n_zeros, 0);
    assert_near(voltage->gain, k / (L * J), 1e-12);
    assert_near(voltage->steady, k / (R * b + k * k), 1e-12);
    assert_int_equal(load->n_zeros, 1);
    assert_near(load->zeros[0].re, -R / L, 1e-12);
    assert_near(load->gain, -1 / J, 1e-10);
    assert_near(load->steady, -R / (R * b + k * k), 1e-10);
    // w + 2u: as many zeros as poles, 2 (s² + p s + q) + k/(L J) = 0
    const double r = q + k / (L * J) / 2, other = sqrt(p * p / 4 - r);
    assert_int_equal(all->n_zeros, 2);
    assert_near(all->gain, 2, 1e-14);
    assert_near(all->zeros[0].re, -p / 2 + other, 1e-11);
    assert_near(all->zeros[1].re, -p / 2 - other, 1e-11);
    done(&c);
}

// the linear part of sin, exp, products and a parameter as input, at a point of a run
static void test_at_a_time_of_a_run(void **state)
{
    (void)state;
    static const char *const inputs[] = { "k" }, *const outputs[] = { "y", "x", "k" };
    orr_linear_options o = orr_linear_options_default();
    o.at = ORR_AT_TIME;
    o.run.t_end = 2;
    o.run.tolerance = 1e-10;
    o.inputs = inputs, o.n_inputs = 1;
    o.outputs = outputs, o.n_outputs = 3;
    Case c = linearise(
        "model M\n param k = 0.5, twice = 2*k\n var x = 1\n x' = -twice*x\n y = exp(k*x) + sin(x)\nend\n",
        &o);
    const double x = c.l.values[variable(&c.b, "x")], k = 0.5;
    assert_near(c.l.t, 2, 0);
    assert_near(x, exp(-2), 1e-8);
    assert_near(c.l.A[0], -1, 1e-15);
    assert_near(c.l.B[0], -2 * x, 1e-12);    // through `twice`
    assert_near(c.l.C[0], k * exp(k * x) + cos(x), 1e-11);
    assert_near(c.l.D[0], x * exp(k * x), 1e-11);
    assert_matrix(c.l.C + 1, (double[]){ 1, 0 }, 2, 0);
    assert_matrix(c.l.D + 1, (double[]){ 0, 1 }, 2, 0);
    assert_near(c.l.residual, x, 1e-12);
    done(&c);
}

// steep functions, and a border at which one side cannot be computed
static void test_differences_are_accurate(void **state)
{
    (void)state;
    orr_linear_options o = orr_linear_options_default();
    o.at = ORR_AT_START;
    Case c = linearise("model M\n input u = 0.6\n var x = 1\n x' = 1e-9*exp(u/0.025) - x\n"
                       " output s = sqrt(u - 0.59999), q = u^7*x\nend\n",
                       &o);
    assert_near_relative(c.l.B[0], 1e-9 * exp(24) / 0.025, 1e-9);
    assert_near_relative(c.l.D[0], 0.5 / sqrt(0.6 - 0.59999), 1e-6);
    assert_near_relative(c.l.D[1], 7 * pow(0.6, 6), 1e-11);
    done(&c);
}

// a loop that is iterated: dx'/dx by the implicit function theorem
static void test_loops_have_no_symbolic_jacobian_but_a_good_one(void **state)
{
    (void)state;
    orr_linear_options o = orr_linear_options_default();
    o.at = ORR_AT_START;
    Case c = linearise("model M\n var x = 0.8, y ~ 0.5\n y + y^5 = x\n x' = -y\nend\n", &o);
    assert_false(c.l.is_symbolic);
    const double y = c.l.values[variable(&c.b, "y")];
    assert_near(y + pow(y, 5), 0.8, 1e-12);
    assert_near(c.l.A[0], -1 / (1 + 5 * pow(y, 4)), 1e-9);
    done(&c);
}

static void test_what_cannot_be_an_input_is_refused(void **state)
{
    (void)state;
    static const char *const inputs[] = { "x", "kk" };
    orr_linear_options o = orr_linear_options_default();
    o.inputs = inputs, o.n_inputs = 2;
    Case c = linearise_with("model M\n param k = 1\n var x = 1\n x' = -k*x\nend\n", &o);
    assert_int_equal(c.l.status, ORR_STATUS_USAGE);
    assert_message(&c.b, "E420", "it is a state");
    assert_message(&c.b, "E411", "did you mean 'k'?");
    done(&c);
    orr_linear_options start = orr_linear_options_default();
    start.at = ORR_AT_START;
    Case corner = linearise_with("model M\n var x = 0\n x' = -sqrt(x)\nend\n", &start);
    assert_int_equal(corner.l.status, ORR_STATUS_FAILED);
    assert_message(&corner.b, "E522", "derivatives");
    done(&corner);
}

// ---- zeros by themselves

static void test_zeros_of_a_chain(void **state)
{
    (void)state;
    // (s + 3)(s - 2)/s⁵ in companion form: two zeros, three at infinity, however many states
    enum { N = 5 };
    double a[N * N] = { 0 }, b[N] = { 0 }, c[N] = { -6, 1, 1 };
    for (size_t i = 0; i + 1 < N; i++) a[i * N + i + 1] = 1;
    b[N - 1] = 4;
    orr_complex zeros[N];
    size_t n;
    double gain;
    assert_true(zeros_of(a, b, c, 0, N, zeros, &n, &gain, NULL));
    assert_int_equal(n, 2);
    assert_near(gain, 4, 0);
    assert_near(zeros[0].re, 2, 1e-12);
    assert_near(zeros[1].re, -3, 1e-12);
    // no way from the input to the output
    const double lost[N] = { 1 };
    assert_true(zeros_of(a, lost, (double[N]){ 0, 1 }, 0, N, zeros, &n, &gain, NULL));
    assert_int_equal(n, 0);
    assert_near(gain, 0, 0);
}

static void test_complex_zeros(void **state)
{
    (void)state;
    // (s² + 2s + 5)/((s + 1)(s + 2)(s + 3)) in companion form
    const double a[] = { 0, 1, 0, 0, 0, 1, -6, -11, -6 }, b[] = { 0, 0, 1 }, c[] = { 5, 2, 1 };
    orr_complex zeros[3];
    size_t n;
    double gain;
    assert_true(zeros_of(a, b, c, 0, 3, zeros, &n, &gain, NULL));
    assert_int_equal(n, 2);
    assert_near(zeros[0].re, -1, 1e-12);
    assert_near(zeros[0].im, 2, 1e-12);
    assert_near(zeros[1].im, -2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_linear_system_is_itself),
        cmocka_unit_test(test_inverted_pendulum),
        cmocka_unit_test(test_pendulum_at_the_top),
        cmocka_unit_test(test_dc_motor),
        cmocka_unit_test(test_at_a_time_of_a_run),
        cmocka_unit_test(test_differences_are_accurate),
        cmocka_unit_test(test_loops_have_no_symbolic_jacobian_but_a_good_one),
        cmocka_unit_test(test_what_cannot_be_an_input_is_refused),
        cmocka_unit_test(test_zeros_of_a_chain),
        cmocka_unit_test(test_complex_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
