// tests/solve/test_radau.c: Radau IIA against published answers, closed solutions and other methods.
#include "lab.h"
#include "model/model.h"
#include "orrery/run.h"
#include <math.h>

static orr_run_options with(const char *solver, double t_end, double tolerance, double absolute)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.tolerance = tolerance;
    o.absolute = absolute;
    return o;
}

// Variables at a time; how many steps were made.
static size_t values_at(const char *text, orr_run_options o, double t, const char *const *names, size_t n,
                        double *x)
{
    Lab lab = lab_open(text);
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    const orr_status status = run ? orr_run_advance(run, t) : ORR_STATUS_FAILED;
    if (status != ORR_STATUS_OK) orr_diag_print(lab.diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
    for (size_t i = 0; i < n; i++) {
        const size_t variable = orr_model_find(lab.model, names[i]);
        assert_true(variable != (size_t)-1);
        x[i] = orr_run_value(run, variable);
    }
    const size_t n_steps = orr_run_get_facts(run).n_steps;
    orr_run_destroy(run);
    lab_close(&lab);
    return n_steps;
}

static double value_at(const char *text, orr_run_options o, double t, const char *name)
{
    double x;
    values_at(text, o, t, (const char *const[]){ name }, 1, &x);
    return x;
}

// ---- The test set of initial value problems [Mazzia & Magherini 2008]

static const struct Published {
    const char *name, *text;
    double t, tolerance, absolute, within;    // within: of the published digits, relative
    size_t n_steps;                           // at most
    struct Answer { const char *variable; double value; } answers[8];
} known[] = {
    { "Robertson",
      "model R\n  var y1 = 1, y2 = 0, y3 = 0\n  y1' = -0.04*y1 + 1e4*y2*y3\n  y3' = 3e7*y2^2\n"
      "  y2' = -y1' - y3'\nend\n",
      1e11, 1e-9, 1e-20, 1e-8, 1000,
      { { "y1", 2.083340149701255e-8 }, { "y2", 8.333360770334713e-14 }, { "y3", 0.9999999791665050 } } },
    { "van der Pol, 1e3",
      "model V\n  var y1 = 2, y2 = 0\n  y1' = y2\n  y2' = 1000*(1 - y1^2)*y2 - y1\nend\n", 2000, 1e-10, 1e-12,
      1e-9, 4000, { { "y1", 1.706167732170469 }, { "y2", -8.928097010248125e-4 } } },
    { "van der Pol, 1e6",
      "model V\n  var y1 = 2, y2 = 0\n  y1' = y2\n  y2' = ((1 - y1^2)*y2 - y1)*1e6\nend\n", 2, 1e-10, 1e-12,
      1e-9, 4000, { { "y1", 1.706167732170483 }, { "y2", -0.8928097010247975 } } },
    { "HIRES",
      "model H\n  var y1 = 1, y2 = 0, y3 = 0, y4 = 0, y5 = 0, y6 = 0, y7 = 0, y8 = 0.0057\n"
      "  y1' = -1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007\n  y2' = 1.71*y1 - 8.75*y2\n"
      "  y3' = -10.03*y3 + 0.43*y4 + 0.035*y5\n  y4' = 8.32*y2 + 1.71*y3 - 1.12*y4\n"
      "  y5' = -1.745*y5 + 0.43*y6 + 0.43*y7\n"
      "  y6' = -280*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7\n"
      "  y7' = 280*y6*y8 - 1.81*y7\n  y8' = -280*y6*y8 + 1.81*y7\nend\n",
      321.8122, 1e-10, 1e-14, 1e-8, 1000,
      { { "y1", 7.371312573325668e-4 }, { "y2", 1.442485726316185e-4 }, { "y3", 5.888729740967575e-5 },
        { "y4", 1.175651343283149e-3 }, { "y5", 2.386356198831331e-3 }, { "y6", 6.238968252742796e-3 },
        { "y7", 2.849998395185769e-3 }, { "y8", 2.850001604814231e-3 } } },
    { "OREGO",
      "model O\n  var y1 = 1, y2 = 2, y3 = 3\n  y1' = 77.27*(y2 + y1*(1 - 8.375e-6*y1 - y2))\n"
      "  y2' = (y3 - (1 + y1)*y2)/77.27\n  y3' = 0.161*(y1 - y3)\nend\n",
      360, 1e-10, 1e-12, 1e-8, 4000,
      { { "y1", 1.000814870318523 }, { "y2", 1228.178521549917 }, { "y3", 132.0554942846706 } } },
};

static void test_published_answers(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof known / sizeof *known; p++) {
        const char *names[8];
        double x[8];
        size_t n = 0;
        for (; n < 8 && known[p].answers[n].variable; n++) names[n] = known[p].answers[n].variable;
        const orr_run_options o = with("radau", known[p].t, known[p].tolerance, known[p].absolute);
        const size_t n_steps = values_at(known[p].text, o, known[p].t, names, n, x);
        for (size_t i = 0; i < n; i++) {
            const double off = fabs(x[i] / known[p].answers[i].value - 1);
            if (!(off < known[p].within)) print_error("%s: %s off by %g\n", known[p].name, names[i], off);
            assert_true(off < known[p].within);
        }
        if (n_steps > known[p].n_steps) print_error("%s: %zu steps\n", known[p].name, n_steps);
        assert_true(n_steps <= known[p].n_steps);
    }
}

// The ring modulator: fifteen states, time scales from 1e-10 to 1e-3.
static const char ring[] =
    "model Ring\n  param C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, Lh = 4.45, Ls = 5e-4, g = 40.67286402e-9\n"
    "  param R = 25000, d = 17.7493332\n  var y[15]\n  for i in 1..15\n    initial y[i] = 0\n  end\n"
    "  u = 0.5*sin(2000*pi*t)\n  w = 2*sin(20000*pi*t)\n"
    "  q1 = g*(exp(d*(y[3] - y[5] - y[7] - w)) - 1)\n  q2 = g*(exp(d*(y[6] - y[4] - y[7] - w)) - 1)\n"
    "  q3 = g*(exp(d*(y[4] + y[5] + y[7] + w)) - 1)\n  q4 = g*(exp(d*(y[7] - y[3] - y[6] + w)) - 1)\n"
    "  y[1]' = (y[8] - 0.5*y[10] + 0.5*y[11] + y[14] - y[1]/R)/C\n"
    "  y[2]' = (y[9] - 0.5*y[12] + 0.5*y[13] + y[15] - y[2]/R)/C\n"
    "  y[3]' = (y[10] - q1 + q4)/Cs\n  y[4]' = (q2 - y[11] - q3)/Cs\n  y[5]' = (y[12] + q1 - q3)/Cs\n"
    "  y[6]' = (q4 - y[13] - q2)/Cs\n  y[7]' = (q1 - y[7]/50 + q2 - q3 - q4)/Cp\n"
    "  y[8]' = -y[1]/Lh\n  y[9]' = -y[2]/Lh\n  y[10]' = (0.5*y[1] - y[3] - 17.3*y[10])/Ls\n"
    "  y[11]' = (y[4] - 0.5*y[1] - 17.3*y[11])/Ls\n  y[12]' = (0.5*y[2] - y[5] - 17.3*y[12])/Ls\n"
    "  y[13]' = (y[6] - 0.5*y[2] - 17.3*y[13])/Ls\n  y[14]' = (u - y[1] - 86.3*y[14])/0.002\n"
    "  y[15]' = (-y[2] - 636.3*y[15])/0.002\nend\n";

static void test_ring_modulator(void **state)
{
    (void)state;
    // at the end of the published interval; the others at 1e-12 would need minutes
    const double x = value_at(ring, with("radau", 1e-3, 1e-7, 1e-9), 1e-3, "y[1]");
    assert_near_relative(x, -0.02339057358486745, 1e-5);
    const double end = 5e-5;
    const double ours = value_at(ring, with("radau", end, 1e-9, 1e-13), end, "y[3]");
    const double ida = value_at(ring, with("ida", end, 1e-11, 1e-15), end, "y[3]");
    assert_near_relative(ours, ida, 1e-6);
}

// ---- Constraints: a pendulum in Cartesian coordinates, whose index is 3 before it is reduced

#define PENDULUM "model P\n  param g = 9.81\n  var x = 1, y = 0, u = 0, v = 0, F\n  x' = u\n  y' = v\n"    \
                 "  u' = -F*x\n  v' = -F*y - g\n  x^2 + y^2 = 1\nend\n"
#define ANGLE    "model A\n  var a = 0, w = 0\n  a' = w\n  w' = -9.81*cos(a)\nend\n"

static void test_pendulum_with_a_constraint(void **state)
{
    (void)state;
    static const char *const names[] = { "x", "y", "u", "v", "F" };
    double p[5], a[2];
    values_at(PENDULUM, with("radau", 10, 1e-11, 1e-13), 10, names, 5, p);
    values_at(ANGLE, with("dop853", 10, 1e-13, 1e-15), 10, (const char *const[]){ "a", "w" }, 2, a);
    assert_near(p[0], cos(a[0]), 1e-8);
    assert_near(p[1], sin(a[0]), 1e-8);
    assert_near(p[2], -a[1] * sin(a[0]), 1e-8);
    assert_near(p[0] * p[0] + p[1] * p[1], 1, 1e-11);
    // the force: centripetal, and what carries the weight
    assert_near(p[4], a[1] * a[1] - 9.81 * sin(a[0]), 1e-7);
    // ida needs more steps for fewer digits
    double q[2];
    values_at(PENDULUM, with("ida", 10, 1e-11, 1e-13), 10, names, 2, q);
    assert_true(fabs(p[0] - cos(a[0])) < fabs(q[0] - cos(a[0])));
}

// ---- States without a derivative: a loop that is too large to be solved inside the rates

static void test_large_loops_are_solved_with_the_step(void **state)
{
    (void)state;
    // v[i] = (v[i-1] + v[i+1])/2.5 with v[0] = c and v[n+1] = 0 is c/2^i
    static const char text[] =
        "model M\n  param n = 2100\n  var c = 1, v[n]\n  c' = -c + v[1]\n  v[1] = (c + v[2])/2.5\n"
        "  for i in 2..n-1\n    v[i] = (v[i-1] + v[i+1])/2.5\n  end\n  v[n] = v[n-1]/2.5\nend\n";
    static const char *const names[] = { "c", "v[1]", "v[10]" };
    double x[3];
    values_at(text, with("radau", 3, 1e-11, 1e-15), 3, names, 3, x);
    assert_near_relative(x[0], exp(-1.5), 1e-9);
    assert_near_relative(x[1], exp(-1.5) / 2, 1e-9);
    assert_near_relative(x[2], exp(-1.5) / 1024, 1e-9);
}

// ---- Order

// Steps of one length: any error is accepted, and Newton's method is exact for linear equations.
static double error_with(const char *text, double h, double t, double exact)
{
    orr_run_options o = with("radau", 2, 1, 1);
    o.step = o.max_step = h;
    return fabs(value_at(text, o, t, "x") - exact);
}

// x = cos t, however stiff: at the ends of steps of fifth order, between them of fourth; where the method is
// stiffer than the step is short, the order falls to that of its stages. [Prothero & Robinson 1974]
static void test_order_and_its_reduction(void **state)
{
    (void)state;
    static const char calm[] = "model F\n  var x = 1\n  x' = -(x - cos(t)) - sin(t)\nend\n";
    static const char stiff[] = "model F\n  var x = 1\n  x' = -1e6*(x - cos(t)) - sin(t)\nend\n";
    const double order = log2(error_with(calm, 0.25, 2, cos(2)) / error_with(calm, 0.125, 2, cos(2)));
    assert_near(order, 5, 0.2);
    const double coarse = error_with(calm, 0.25, 1 + 0.25 / 3, cos(1 + 0.25 / 3));
    const double fine = error_with(calm, 0.125, 1 + 0.125 / 3, cos(1 + 0.125 / 3));
    assert_near(log2(coarse / fine), 4, 0.4);
    const double reduced = log2(error_with(stiff, 0.25, 2, cos(2)) / error_with(stiff, 0.125, 2, cos(2)));
    assert_true(reduced > 2.5 && reduced < 4.5);
    assert_true(error_with(stiff, 0.125, 2, cos(2)) < 1e-9);
}

// A sparse Jacobian, factored by KLU: heat in a rod, against the lowest mode of its difference equations.
static void test_sparse_systems(void **state)
{
    (void)state;
    static const char text[] =
        "model Rod\n  param n = 60\n  var u[n]\n"
        "  for i in 1..n\n    initial u[i] = sin(pi*i/(n + 1))\n  end\n"
        "  u[1]' = 1e4*(u[2] - 2*u[1])\n  u[n]' = 1e4*(u[n-1] - 2*u[n])\n  for i in 2..n-1\n"
        "    u[i]' = 1e4*(u[i-1] - 2*u[i] + u[i+1])\n  end\nend\n";
    const double rate = 4e4 * pow(sin(M_PI / 2 / 61), 2), t = 0.1;
    static const char *const name = "u[30]";
    double u;
    const size_t n_steps = values_at(text, with("radau", t, 1e-8, 1e-12), t, &name, 1, &u);
    assert_near_relative(u, sin(M_PI * 30 / 61) * exp(-rate * t), 1e-7);
    assert_true(n_steps < 60);
}

// Events in a stiff model: a switch on a state that follows a fast one.
static void test_events_are_found_in_dense_output(void **state)
{
    (void)state;
    static const char text[] = "model E\n  var x = 0, z = 0, s = 0\n  x' = 1\n  z' = -1e6*(z - x^2)\n"
                               "  s' = if z > 0.5 then 1 else 0\nend\n";
    // z is x^2 - 2e-6 x + 2e-12 behind a layer of 1e-6
    const double crossing = 1e-6 + sqrt(0.5 - 1e-12);
    assert_near(value_at(text, with("radau", 2, 1e-9, 1e-11), 2, "s"), 2 - crossing, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_answers),
        cmocka_unit_test(test_ring_modulator),
        cmocka_unit_test(test_pendulum_with_a_constraint),
        cmocka_unit_test(test_large_loops_are_solved_with_the_step),
        cmocka_unit_test(test_order_and_its_reduction),
        cmocka_unit_test(test_sparse_systems),
        cmocka_unit_test(test_events_are_found_in_dense_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
