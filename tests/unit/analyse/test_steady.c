// tests/unit/analyse/test_steady.c: equilibria are found, told apart and judged.
#include "models.h"

typedef struct Rest {
    Lab      b;
    orr_steady steady;
} Rest;

static Rest find_with(const char *text, const orr_steady_options *options)
{
    Rest r = { .b = lab_open(text) };
    r.steady = orr_steady_find(r.b.model, options, r.b.diag);
    return r;
}

static Rest find(const char *text)
{
    Rest r = find_with(text, NULL);
    assert_status(&r.b, r.steady.status, ORR_STATUS_OK);
    return r;
}

static void done(Rest *r)
{
    orr_steady_free(&r->steady);
    lab_close(&r->b);
}

// The equilibrium at which a variable has this value.
static const orr_equilibrium *at(const Rest *r, const char *name, double value)
{
    const size_t i = variable(&r->b, name);
    for (size_t k = 0; k < r->steady.n_equilibria; k++)
        if (fabs(r->steady.equilibria[k].values[i] - value) < 1e-9) return &r->steady.equilibria[k];
    print_error("no equilibrium with %s = %g\n", name, value);
    fail();
    return NULL;
}

static void test_logistic_rests_at_zero_and_at_its_capacity(void **state)
{
    (void)state;
    Rest r = find("model M\n param r = 0.5, K = 10\n var x = 1\n x' = r*x*(1 - x/K)\nend\n");
    assert_int_equal(r.steady.n_equilibria, 2);
    const orr_equilibrium *full = at(&r, "x", 10), *empty = at(&r, "x", 0);
    assert_int_equal(full->stability, ORR_STABILITY_STABLE);
    assert_string_equal(full->verdict, "stable node");
    assert_near(full->eigenvalues[0].re, -0.5, 1e-14);
    assert_int_equal(empty->stability, ORR_STABILITY_UNSTABLE);
    assert_near(empty->eigenvalues[0].re, 0.5, 1e-14);
    assert_true(full->is_isolated && empty->is_isolated);
    done(&r);
}

// eigenvalues of the van der Pol oscillator at the origin: (mu ± sqrt(mu² - 4))/2
static void test_van_der_pol_rests_at_the_origin(void **state)
{
    (void)state;
    const struct { double mu; const char *verdict; } cases[] = {
        { 1, "unstable focus" }, { 3, "unstable node" }, { -1, "stable focus" }, { -3, "stable node" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double mu = cases[i].mu, square = mu * mu - 4;
        const orr_setting set = { "mu", mu };
        orr_steady_options o = orr_steady_options_default();
        o.run.settings = &set;
        o.run.n_settings = 1;
        Rest r = find_with(
            "model M\n param mu = 1\n var x = 2, v = 0\n x' = v\n v' = mu*(1 - x^2)*v - x\nend\n", &o);
        assert_status(&r.b, r.steady.status, ORR_STATUS_OK);
        assert_int_equal(r.steady.n_equilibria, 1);
        const orr_equilibrium *e = at(&r, "x", 0);
        assert_near(e->values[variable(&r.b, "v")], 0, 1e-12);
        assert_string_equal(e->verdict, cases[i].verdict);
        assert_near(e->eigenvalues[0].re, (mu + (square > 0 ? sqrt(square) : 0)) / 2, 1e-12);
        assert_near(e->eigenvalues[0].im, square < 0 ? sqrt(-square) / 2 : 0, 1e-12);
        done(&r);
    }
}

// the three of Lorenz: the origin and (±√(β(ρ-1)), ±√(β(ρ-1)), ρ-1)
static void test_lorenz_has_three(void **state)
{
    (void)state;
    Rest r = find("model M\n param s = 10, rho = 28, beta = 8/3\n var x = 1, y = 1, z = 1\n x' = s*(y - x)\n"
                  " y' = x*(rho - z) - y\n z' = x*y - beta*z\nend\n");
    assert_int_equal(r.steady.n_equilibria, 3);
    const double c = sqrt(8.0 / 3 * 27);
    assert_string_equal(at(&r, "x", 0)->verdict, "saddle, unstable");
    assert_string_equal(at(&r, "x", c)->verdict, "saddle with a focus, unstable");
    assert_near(at(&r, "x", -c)->values[variable(&r.b, "z")], 27, 1e-12);
    done(&r);
}

static void test_a_centre_is_not_decided_by_its_linear_part(void **state)
{
    (void)state;
    Rest r = find("model M\n var x = 1, v = 0\n x' = v\n v' = -4*x\nend\n");
    const orr_equilibrium *e = at(&r, "x", 0);
    assert_int_equal(e->stability, ORR_STABILITY_UNDECIDED);
    assert_contains(e->verdict, "centre");
    assert_near(e->eigenvalues[0].re, 0, 1e-15);
    assert_near(e->eigenvalues[0].im, 2, 1e-14);
    done(&r);
}

// What is conserved is conserved on the way: from (1, 0) the reaction a → b ends in b = 1, not in any other
// point of the line.
static void test_a_line_of_equilibria_is_one(void **state)
{
    (void)state;
    Rest r = find("model M\n var a = 1, b = 0\n a' = -a*(1 + a)\n b' = a*(1 + a)\nend\n");
    const orr_equilibrium *e = at(&r, "a", 0);
    assert_true(e->values[variable(&r.b, "a")] == 0);    // and not merely small
    assert_near(e->values[variable(&r.b, "b")], 1, 1e-12);
    assert_false(e->is_isolated);
    assert_int_equal(e->stability, ORR_STABILITY_UNDECIDED);
    done(&r);
}

// The cart may stand anywhere, and nothing in time leads to rest.
static void test_a_free_cart_is_found_standing(void **state)
{
    (void)state;
    Rest r = find(
        "model M\n var s = 3, v = 1, q = 0.5, w = 0\n s' = v\n v' = sin(q)\n q' = w\n w' = -sin(q)\nend\n");
    assert_true(r.steady.n_equilibria >= 1);
    const orr_equilibrium *e = &r.steady.equilibria[0];
    assert_near(e->values[variable(&r.b, "v")], 0, 1e-9);
    assert_near(sin(e->values[variable(&r.b, "q")]), 0, 1e-9);
    done(&r);
}

// each of the two rests where its own branch of the `if` holds
static void test_relations_are_those_of_the_point(void **state)
{
    (void)state;
    Rest r = find("model M\n var x = -3\n x' = if x > 1 then 5 - x else -2 - x\nend\n");
    assert_int_equal(r.steady.n_equilibria, 2);
    assert_string_equal(at(&r, "x", 5)->verdict, "stable node");
    assert_string_equal(at(&r, "x", -2)->verdict, "stable node");
    done(&r);
}

// y = cos(y)·x must be iterated: no symbolic Jacobian
static void test_loops_are_solved_on_the_way(void **state)
{
    (void)state;
    Rest r = find("model M\n var x = 0.5\n y = x*cos(y)\n x' = 0.3 - y\n output z = 2*y\nend\n");
    const orr_equilibrium *e = at(&r, "y", 0.3);
    const double x = 0.3 / cos(0.3);
    assert_near(e->values[variable(&r.b, "x")], x, 1e-10);
    assert_near(e->values[variable(&r.b, "z")], 0.6, 1e-10);
    // dy/dx = cos y/(1 + x sin y)
    assert_near(e->eigenvalues[0].re, -cos(0.3) / (1 + x * sin(0.3)), 1e-8);
    assert_string_equal(e->verdict, "stable node");
    done(&r);
}

static void test_ranges_say_where_to_look(void **state)
{
    (void)state;
    const char *text = "model M\n var x = 0.1\n x' = sin(x)\nend\n";
    const double pi = acos(-1);
    const orr_range range = { "x", 1000 * pi - 1, 1000 * pi + 2 };
    orr_steady_options o = orr_steady_options_default();
    o.ranges = &range;
    o.n_ranges = 1;
    o.n_starts = 5;
    Rest r = find_with(text, &o);
    assert_status(&r.b, r.steady.status, ORR_STATUS_OK);
    assert_string_equal(at(&r, "x", 1000 * pi)->verdict, "unstable node");
    done(&r);
    // equilibria between equilibria make no line
    Rest some = find(text);
    assert_true(some.steady.n_equilibria > 3);
    for (size_t i = 0; i < some.steady.n_equilibria; i++) assert_true(some.steady.equilibria[i].is_isolated);
    done(&some);
}

static void test_asserts_say_where_to_look_and_what_is_outside(void **state)
{
    (void)state;
    Rest r = find("model M\n param top = 60\n var x = 50\n x' = (x - 55)*(x + 1)/10\n"
                  " assert x > 40 and x < top\nend\n");
    assert_int_equal(at(&r, "x", 55)->n_broken, 0);
    const orr_equilibrium *outside = at(&r, "x", -1);
    assert_int_equal(outside->n_broken, 1);
    assert_contains(outside->broken[0], "x > 40");
    done(&r);
    // of all the zeros of the sine the starts lead to those in and next to the range
    Rest sine = find(
        "model M\n param c = 3141.6\n var x = 3142.5\n x' = sin(x)\n assert x > c - 1 and c + 2 > x\nend\n");
    assert_string_equal(at(&sine, "x", 1000 * acos(-1))->verdict, "unstable node");
    size_t n_led = 0;
    for (size_t i = 0; i < sine.steady.n_equilibria; i++) n_led += sine.steady.equilibria[i].n_found > 0;
    assert_true(n_led < 8);
    done(&sine);
}

static void test_equal_questions_have_equal_answers(void **state)
{
    (void)state;
    const char *text = "model M\n var x = 1, y = 2\n x' = sin(3*x) - y/5\n y' = cos(2*y) - x/7\nend\n";
    Rest a = find(text), b = find(text);
    assert_int_equal(a.steady.n_equilibria, b.steady.n_equilibria);
    assert_true(a.steady.n_equilibria > 3);
    for (size_t i = 0; i < a.steady.n_equilibria; i++) {
        const size_t x = variable(&a.b, "x");
        assert_same_bits(a.steady.equilibria[i].values[x], b.steady.equilibria[i].values[x]);
        // different ones are different
        for (size_t k = 0; k < i; k++) {
            const double *p = a.steady.equilibria[i].values, *q = a.steady.equilibria[k].values;
            const size_t y = variable(&a.b, "y");
            assert_true(fabs(p[x] - q[x]) + fabs(p[y] - q[y]) > 1e-3);
        }
    }
    done(&a);
    done(&b);
}

// a rod heated at one end: many states, sparse; u is a straight line
static void test_many_states(void **state)
{
    (void)state;
    Rest r = find(
        "model M\n param n = 400\n var u[n] = 0\n u[1]' = 1 - 2*u[1] + u[2]\n"
        " for i in 2..n-1\n u[i]' = u[i-1] - 2*u[i] + u[i+1]\n end\n u[n]' = u[n-1] - 2*u[n]\nend\n");
    assert_int_equal(r.steady.n_equilibria, 1);
    const double *values = r.steady.equilibria[0].values;
    assert_near(values[variable(&r.b, "u[100]")], 1 - 100.0 / 401, 1e-10);
    assert_near(values[variable(&r.b, "u[300]")], 1 - 300.0 / 401, 1e-10);
    // the slowest mode of the chain: -4 sin²(π/(2·401))
    assert_near(r.steady.equilibria[0].eigenvalues[0].re, -4 * pow(sin(acos(-1) / 802), 2), 1e-10);
    done(&r);
}

// ---- what is refused

static void test_no_equilibrium_is_said_kindly(void **state)
{
    (void)state;
    Rest r = find_with("model M\n var x = 0\n x' = 1\nend\n", NULL);
    assert_int_equal(r.steady.status, ORR_STATUS_FAILED);
    assert_int_equal(r.steady.n_equilibria, 0);
    assert_message(&r.b, "E520", "20 starting points");
    assert_message(&r.b, "E520", "no state occurs in the rate of 'x': it is 1");
    assert_message(&r.b, "E520", "nearest was x = 0");
    assert_int_equal(orr_diag_get(r.b.diag, 0).line, 3);
    done(&r);
}

// rates that fade away at infinity are not zero
static void test_infinity_is_no_equilibrium(void **state)
{
    (void)state;
    const char *const rates[] = { "exp(-x)", "1/(1 + x^2)", "1/(1 + abs(x))", "1 + x^2", "a - x^2" };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "model M\n param a = -1\n var x = 1, y = 0\n x' = %s\n y' = x + a - y\nend\n", rates[i]);
        Rest r = find_with(text, NULL);
        if (r.steady.status != ORR_STATUS_FAILED)
            print_error("%s has x = %g\n", rates[i], r.steady.equilibria[0].values[variable(&r.b, "x")]);
        assert_int_equal(r.steady.status, ORR_STATUS_FAILED);
        assert_message(&r.b, "E520", "x");
        done(&r);
    }
}

static void test_time_is_frozen_with_a_warning(void **state)
{
    (void)state;
    orr_steady_options o = orr_steady_options_default();
    o.run.t_start = 0.5;
    Rest r = find_with("model M\n var x = 0\n x' = sin(t) - x\nend\n", &o);
    assert_status(&r.b, r.steady.status, ORR_STATUS_OK);
    assert_near(at(&r, "x", sin(0.5))->eigenvalues[0].re, -1, 1e-15);
    assert_message(&r.b, "W620", "0.5");
    done(&r);
    Rest still = find("model M\n var x = 0\n x' = sin(1) - x\nend\n");
    assert_int_equal(orr_diag_warnings(still.b.diag), 0);
    done(&still);
}

static void test_what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    Rest none = find_with("model M\n x = 2\nend\n", NULL);
    assert_int_equal(none.steady.status, ORR_STATUS_USAGE);
    assert_message(&none.b, "E422", "no states");
    done(&none);
    Rest delay = find_with("model M\n var x = 1\n x' = -delay(x, 1)\nend\n", NULL);
    assert_int_equal(delay.steady.status, ORR_STATUS_USAGE);
    assert_message(&delay.b, "E422", "delays");
    done(&delay);
    const orr_range ranges[] = { { "speed", 0, 1 }, { "x", 2, 1 } };
    orr_steady_options o = orr_steady_options_default();
    o.ranges = ranges;
    o.n_ranges = 2;
    Rest bad = find_with("model M\n var x = 1, sped = 2\n x' = -x\n sped' = -sped\nend\n", &o);
    assert_int_equal(bad.steady.status, ORR_STATUS_USAGE);
    assert_message(&bad.b, "E421", "did you mean 'sped'?");
    assert_message(&bad.b, "E421", "smaller");
    done(&bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic_rests_at_zero_and_at_its_capacity),
        cmocka_unit_test(test_van_der_pol_rests_at_the_origin),
        cmocka_unit_test(test_lorenz_has_three),
        cmocka_unit_test(test_a_centre_is_not_decided_by_its_linear_part),
        cmocka_unit_test(test_a_line_of_equilibria_is_one),
        cmocka_unit_test(test_a_free_cart_is_found_standing),
        cmocka_unit_test(test_relations_are_those_of_the_point),
        cmocka_unit_test(test_loops_are_solved_on_the_way),
        cmocka_unit_test(test_ranges_say_where_to_look),
        cmocka_unit_test(test_asserts_say_where_to_look_and_what_is_outside),
        cmocka_unit_test(test_equal_questions_have_equal_answers),
        cmocka_unit_test(test_many_states),
        cmocka_unit_test(test_no_equilibrium_is_said_kindly),
        cmocka_unit_test(test_infinity_is_no_equilibrium),
        cmocka_unit_test(test_time_is_frozen_with_a_warning),
        cmocka_unit_test(test_what_cannot_be_asked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
