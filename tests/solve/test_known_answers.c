// tests/solve/test_known_answers.c: published and closed answers, through the whole chain from text to
// trajectory.
#include "lab.h"
#include "model/model.h"
#include "orrery/experiment.h"
#include <pthread.h>

static orr_run_options with(const char *solver, double t_end, double step, double tolerance, double absolute)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.step = step;
    o.tolerance = tolerance;
    o.absolute = absolute;
    return o;
}

static orr_run *run_begin(const Lab *lab, orr_run_options o)
{
    orr_run *run = orr_run_create(lab->model, &o, lab->diag);
    if (!run) orr_diag_print(lab->diag, stderr, 0);
    assert_non_null(run);
    return run;
}

static double value(const Lab *lab, orr_run *run, const char *name)
{
    const size_t i = orr_model_find(lab->model, name);
    assert_true(i != (size_t)-1);
    return orr_run_value(run, i);
}

// One variable at the end of a run.
static double end_value(const char *text, const char *name, orr_run_options o)
{
    Lab lab = lab_open(text);
    orr_run *run = run_begin(&lab, o);
    const orr_status status = orr_run_advance(run, o.t_end);
    if (status != ORR_STATUS_OK) orr_diag_print(lab.diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
    const double x = value(&lab, run, name);
    orr_run_destroy(run);
    lab_close(&lab);
    return x;
}

// How many steps a run takes to its end.
static size_t count_steps(const char *text, orr_run_options o)
{
    Lab lab = lab_open(text);
    orr_run *run = run_begin(&lab, o);
    assert_int_equal(orr_run_advance(run, o.t_end), ORR_STATUS_OK);
    const size_t n = orr_run_get_facts(run).n_steps;
    orr_run_destroy(run);
    lab_close(&lab);
    return n;
}

// ---- Stiff problems of the published test sets, to six digits

// The transistor amplifier of the test set: 8 equations with a singular mass matrix, as printed there, and
// with the voltages of the capacitors as states, so that loops are left.
#define TRANSISTORS                                                                                       \
    "  param Ub = 6, UF = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000\n"                        \
    "  param C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6\n"                                     \
    "  g23 = beta*(exp((y2 - y3)/UF) - 1)\n  g56 = beta*(exp((y5 - y6)/UF) - 1)\n"                        \
    "  C2*y3' = g23 - y3/R\n  C4*y6' = g56 - y6/R\n"
static const char transistors[] =
    "model T\n" TRANSISTORS
    "  var y1 = 0, y2 = 3, y3 = 3, y4 = 6, y5 = 3, y6 = 3, y7 = 6, y8 = 0\n"
    "  C1*(y1' - y2') = (0.1*sin(200*pi*t) - y1)/R0\n"
    "  C1*(y1' - y2') = y2*(2/R) - Ub/R + (1 - alpha)*g23\n"
    "  C3*(y4' - y5') = Ub/R - y4/R - alpha*g23\n"
    "  C3*(y4' - y5') = y5*(2/R) - Ub/R + (1 - alpha)*g56\n"
    "  C5*(y7' - y8') = Ub/R - y7/R - alpha*g56\n  C5*(y7' - y8') = y8/R\nend\n";
static const char transistors_in_loops[] =
    "model T\n" TRANSISTORS
    "  var u1 = -3, y3 = 3, u4 = 3, y6 = 3, u7 = 6, y1 ~ 0, y2 ~ 3, y4 ~ 6, y5 ~ 3, y7 ~ 6, y8 ~ 0\n"
    "  u1 = y1 - y2\n  u4 = y4 - y5\n  u7 = y7 - y8\n"
    "  C1*u1' = (0.1*sin(200*pi*t) - y1)/R0\n  C3*u4' = Ub/R - y4/R - alpha*g23\n"
    "  C5*u7' = Ub/R - y7/R - alpha*g56\n"
    "  (0.1*sin(200*pi*t) - y1)/R0 = y2*(2/R) - Ub/R + (1 - alpha)*g23\n"
    "  Ub/R - y4/R - alpha*g23 = y5*(2/R) - Ub/R + (1 - alpha)*g56\n"
    "  Ub/R - y7/R - alpha*g56 = y8/R\nend\n";

static void test_transistor_amplifier(void **state)
{
    (void)state;
    static const struct { const char *solver; double step, tolerance, within; } ways[] = {
        { "dopri5", 0, 1e-9, 1e-6 }, { "dop853", 0, 1e-9, 1e-6 }, { "bdf", 0, 1e-10, 1e-5 },
        { "radau", 0, 1e-9, 1e-6 },  { "ida", 0, 1e-10, 1e-5 },   { "adams", 0, 1e-9, 1e-5 },
        { "auto", 0, 1e-9, 1e-5 },   { "rk4", 5e-6, 0, 1e-4 },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const orr_run_options o = with(ways[i].solver, 0.2, ways[i].step, ways[i].tolerance, 1e-12);
        for (int k = 0; k < 2; k++) {
            const char *text = k ? transistors_in_loops : transistors;
            assert_near_relative(end_value(text, "y1", o), -0.5562145012262709e-2, ways[i].within);
            assert_near_relative(end_value(text, "y5", o), 0.2704617865010554e1, ways[i].within);
            assert_near_relative(end_value(text, "y7", o), 0.4770927631616772e1, ways[i].within);
            assert_near_relative(end_value(text, "y8", o), 0.1236995868091548e1, ways[i].within);
        }
    }
}

// Where IDAS iterates on unknowns of loops it must not fight with rounding.
static void test_ida_takes_about_as_many_steps_as_bdf(void **state)
{
    (void)state;
    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
        const double least = 1e-3 * tolerance;
        const size_t bdf = count_steps(transistors_in_loops, with("bdf", 0.05, 0, tolerance, least)),
                     ida = count_steps(transistors_in_loops, with("ida", 0.05, 0, tolerance, least));
        if (ida > 2 * bdf) print_error("tol %g: bdf %zu, ida %zu\n", tolerance, bdf, ida);
        assert_true(ida <= 2 * bdf);
    }
}

// However fine the tolerance, `auto` leaves explicit steps where they are held by stability only.
static void test_auto_sees_stiffness_at_fine_tolerances(void **state)
{
    (void)state;
    static const struct { const char *text; double t_end; } models[] = {
        { "model V\n  var x = 2, v = 0\n  x' = v\n  v' = 100*(1 - x^2)*v - x\nend\n", 300 },
        { "model G\n  var x = 1e-3, y = 1\n"
          "  x' = x*(1 - x/1e5)\n  y' = -x*(y - cos(t)) - sin(t)\nend\n",
          30 },
        { "model O\n  var x = 1, v = 0\n  x' = v\n  v' = 1e4*(sin(t) - x) - 2000*v\nend\n", 20 },
        { "model B\n  var a = 1, b = 1, c = 1\n"
          "  a' = -a\n  b' = 500*(a + c - b)\n  c' = 500*(a - b - c)\nend\n",
          200 },
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
            const char *text = models[i].text;
            const double end = models[i].t_end, least = 1e-3 * tolerance;
            const size_t bdf = count_steps(text, with("bdf", end, 0, tolerance, least)),
                         chosen = count_steps(text, with("auto", end, 0, tolerance, least));
            if (chosen > 3 * bdf)
                print_error("%.7s, tol %g: bdf %zu, auto %zu\n", text, tolerance, bdf, chosen);
            assert_true(chosen <= 3 * bdf);
        }
}

static void test_robertson(void **state)
{
    (void)state;
    static const char text[] = "model R\n  var y1 = 1, y2 = 0, y3 = 0\n  y1' = -0.04*y1 + 1e4*y2*y3\n"
                               "  y3' = 3e7*y2^2\n  y2' = -y1' - y3'\nend\n";
    static const char *const solvers[] = { "bdf", "auto", "ida" };
    for (int i = 0; i < 3; i++) {
        const orr_run_options o = with(solvers[i], 1e11, 0, 1e-9, 1e-20);
        assert_near_relative(end_value(text, "y1", o), 2.0833401497012551e-8, 1e-6);
        assert_near_relative(end_value(text, "y2", o), 8.3333607703347131e-14, 1e-6);
        assert_near_relative(end_value(text, "y3", o), 0.99999997916650496, 1e-6);
    }
}

static void test_van_der_pol(void **state)
{
    (void)state;
    static const char text[] =
        "model V\n  var y1 = 2, y2 = 0\n  y1' = y2\n  y2' = 1000*(1 - y1^2)*y2 - y1\nend\n";
    const orr_run_options o = with("bdf", 2000, 0, 1e-10, 1e-12);
    assert_near_relative(end_value(text, "y1", o), 1.7061677321704689, 1e-6);
    assert_near_relative(end_value(text, "y2", o), -8.9280970102481247e-4, 1e-6);
}

static void test_oregonator(void **state)
{
    (void)state;
    static const char text[] =
        "model O\n  var y1 = 1, y2 = 2, y3 = 3\n  y1' = 77.27*(y2 + y1*(1 - 8.375e-6*y1 - y2))\n"
        "  y2' = (y3 - (1 + y1)*y2)/77.27\n  y3' = 0.161*(y1 - y3)\nend\n";
    const orr_run_options o = with("bdf", 360, 0, 1e-10, 1e-12);
    assert_near_relative(end_value(text, "y1", o), 1.0008148703185229, 1e-6);
    assert_near_relative(end_value(text, "y2", o), 1228.1785215499169, 1e-6);
    assert_near_relative(end_value(text, "y3", o), 132.05549428467060, 1e-6);
}

// At fine tolerances a fast decay holds an explicit method far below its border of stability.
static void test_auto_notices_stiffness_at_fine_tolerances(void **state)
{
    (void)state;
    static const char text[] = "model S\n  var a = 1, b = 0, c = 0, d = 0\n  a' = -0.1*a\n  b' = 50*(a - b)\n"
                               "  c' = 80*(b*a - c)\n  d' = c - 0.2*d\nend\n";
    static const double tolerances[] = { 1e-9, 1e-11, 1e-13 };
    for (int i = 0; i < 3; i++) {
        Lab lab = lab_open(text);
        orr_run *run = run_begin(&lab, with("auto", 150, 0, tolerances[i], tolerances[i] * 1e-2));
        assert_int_equal(orr_run_advance(run, 150), ORR_STATUS_OK);
        assert_string_equal(orr_run_get_facts(run).solver, "bdf");
        // dopri5 alone makes up to 37,000
        assert_true(orr_run_get_facts(run).n_steps < 5000);
        // behind the layer of b: a*50/49.9
        assert_near(value(&lab, run, "b"), exp(-15) * 50 / 49.9, 1e-9);
        orr_run_destroy(run);
        lab_close(&lab);
    }
}

// ---- A sparse Jacobian without a diagonal: a chain of masses and springs

static void test_chain_of_masses(void **state)
{
    (void)state;
    // the lowest mode of n masses between two walls is a standing wave
    static const char text[] =
        "model C\n  param n = 20\n  var x[n], v[n]\n  for i in 1..n\n    initial x[i] = sin(pi*i/(n + 1))\n"
        "    initial v[i] = 0\n    x[i]' = v[i]\n  end\n  v[1]' = x[2] - 2*x[1]\n  v[n]' = x[n-1] - 2*x[n]\n"
        "  for i in 2..n-1\n    v[i]' = x[i-1] - 2*x[i] + x[i+1]\n  end\nend\n";
    const double omega = 2 * sin(M_PI / 2 / 21);
    Lab lab = lab_open(text);
    orr_run *run = run_begin(&lab, with("bdf", 30, 0, 1e-8, 1e-10));
    assert_int_equal(orr_run_advance(run, 30), ORR_STATUS_OK);
    for (int i = 1; i <= 20; i++) {
        char name[20];
        snprintf(name, sizeof name, "x[%d]", i);
        assert_near(value(&lab, run, name), sin(M_PI * i / 21) * cos(omega * 30), 1e-5);
    }
    // with a wrong matrix the iteration would fail again and again
    assert_true(orr_run_get_facts(run).n_rejected < orr_run_get_facts(run).n_steps / 5);
    assert_true(orr_run_get_facts(run).n_rates < 2 * orr_run_get_facts(run).n_steps);
    orr_run_destroy(run);
    lab_close(&lab);
}

static void test_stiff_springs_with_a_sparse_matrix(void **state)
{
    (void)state;
    static const char text[] = "model C\n  param n = 12\n  var x[n], v[n]\n  for i in 1..n\n"
                               "    initial x[i] = i\n    initial v[i] = 0\n"
                               "    x[i]' = v[i]\n    v[i]' = -1e6*x[i] - 1e4*v[i]\n  end\nend\n";
    const double root = sqrt(1e8 - 4e6), slow = 0.5 * (root - 1e4), fast = -0.5 * (root + 1e4), t = 0.05;
    const double exact = (fast * exp(slow * t) - slow * exp(fast * t)) / (fast - slow);
    Lab lab = lab_open(text);
    orr_run *run = run_begin(&lab, with("bdf", t, 0, 1e-8, 1e-10));
    assert_int_equal(orr_run_advance(run, t), ORR_STATUS_OK);
    assert_near(value(&lab, run, "x[1]"), exact, 1e-6);
    assert_near(value(&lab, run, "x[12]"), 12 * exact, 1e-5);
    // a wrong matrix would cost many more evaluations
    assert_true(orr_run_get_facts(run).n_rejected < 20);
    assert_true(orr_run_get_facts(run).n_rates < 1000);
    orr_run_destroy(run);
    lab_close(&lab);
}

// ---- What another package's tests expect of Euler and RK4

#define LV "model LV\n  param alpha = 1.5, beta = 1, gamma = 1, delta = 3\n  var X = 10, Y = 5\n" \
           "  X' = X*(alpha - beta*Y)\n  Y' = Y*(gamma*X - delta)\nend\n"
#define SEIR                                                                                                 \
    "model SEIR\n  param beta = 0.9, gamma = 0.2, sigma = 0.5, nu = 0\n  var S = 10, E = 1, I = 0, R = 0\n"  \
    "  n = S + E + I + R\n  S' = -beta*S*I/n - nu*S\n  E' = beta*S*I/n - sigma*E\n  I' = sigma*E - "         \
    "gamma*I\n"                                                                                              \
    "  R' = gamma*I + nu*S\nend\n"

static void test_predator_and_prey(void **state)
{
    (void)state;
    static const struct Row {
        const char *solver;
        int         step;
        double      x, y;
    } rows[] = {
        { "euler", 9, 9.677077, 5.317209 },        { "euler", 29, 8.903716, 6.030680 },
        { "euler", 14999, 0.5528446, 0.09330513 }, { "rk4", 9, 9.676110, 5.317448 },
        { "rk4", 29, 8.901151, 6.030798 },         { "rk4", 14999, 0.7127354, 0.07558043 },
    };
    Lab lab = lab_open(LV);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_run *run = run_begin(&lab, with(rows[i].solver, 15, 0.001, 0, 0));
        assert_int_equal(orr_run_advance(run, rows[i].step / 1000.0), ORR_STATUS_OK);
        assert_int_equal(orr_run_get_facts(run).n_steps, rows[i].step);
        assert_near(value(&lab, run, "X"), rows[i].x, 1e-4);
        assert_near(value(&lab, run, "Y"), rows[i].y, 1e-4);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

static void test_epidemic(void **state)
{
    (void)state;
    static const char *const names[] = { "S", "E", "I", "R" };
    static const double euler[] = { 0.634334231496758, 0.65430775343564, 2.97798653683738, 6.73337147823022 };
    static const double rk4[] = { 0.635933347641559, 0.654326066542035, 2.97469330853422, 6.73504727728219 };
    for (int i = 0; i < 4; i++) {
        assert_near(end_value(SEIR, names[i], with("euler", 15, 0.01, 0, 0)), euler[i], 1e-4);
        assert_near(end_value(SEIR, names[i], with("rk4", 15, 0.001, 0, 0)), rk4[i], 1e-4);
        // and the truth, to which rk4 is near
        assert_near(end_value(SEIR, names[i], with("dopri5", 15, 0, 1e-9, 1e-11)), rk4[i], 1e-7);
    }
}

static void test_long_run_of_rk4(void **state)
{
    (void)state;
    assert_near(end_value(LV, "X", with("rk4", 1500, 0.01, 0, 0)), 1.23488, 1e-5);
    assert_near(end_value(LV, "Y", with("rk4", 1500, 0.01, 0, 0)), 8.23982, 1e-5);
}

// ---- The circle test

#define CIRCLE "model Circle\n  var x = 1, y = 0\n  x' = -y\n  y' = x\nend\n"

static void test_circle_by_explicit_euler_has_the_radius_of_theory(void **state)
{
    (void)state;
    static const double steps[] = { 0.1, 0.01, 0.001 };
    for (int i = 0; i < 3; i++) {
        const orr_run_options o = with("euler", 100, steps[i], 0, 0);
        const double radius = hypot(end_value(CIRCLE, "x", o), end_value(CIRCLE, "y", o));
        assert_near_relative(radius, pow(1 + steps[i] * steps[i], 50 / steps[i]), 1e-9);
    }
    const orr_run_options o = with("euler", 100, 0.01, 0, 0);
    assert_near(hypot(end_value(CIRCLE, "x", o), end_value(CIRCLE, "y", o)), 1.64868005593, 1e-10);
}

static void test_circle_updated_in_place_depends_on_the_order_and_stays_bounded(void **state)
{
    (void)state;
    const orr_run_options o = with("semi-implicit euler", 100, 0.01, 0, 0);
    const double first = end_value(CIRCLE, "x", o);
    const double second = end_value("model Circle\n  var y = 0, x = 1\n  x' = -y\n  y' = x\nend\n", "x", o);
    const double orders[] = { 0.86506, 0.86000 };
    // which of the two is which depends on the sense of the rotation; together they are these
    assert_near(fmax(first, second), orders[0], 1e-5);
    assert_near(fmin(first, second), orders[1], 1e-5);
    const double h = 0.01;
    Lab lab = lab_open(CIRCLE);
    orr_run *run = run_begin(&lab, o);
    for (int i = 1; i <= 1000; i++) {
        assert_int_equal(orr_run_advance(run, i * 0.1), ORR_STATUS_OK);
        const double radius = hypot(value(&lab, run, "x"), value(&lab, run, "y"));
        assert_true(radius >= 1 / sqrt(1 + h / 2) - 1e-9 && radius <= 1 / sqrt(1 - h / 2) + 1e-9);
    }
    orr_run_destroy(run);
    lab_close(&lab);
}

static void test_spring_follows_its_closed_form(void **state)
{
    (void)state;
    static const char text[] =
        "model S\n  param K = 2, M = 1\n  var x = 0.1, v = 0\n  x' = v\n  v' = -K/M*x\nend\n";
    static const struct Case {
        const char *solver;
        double      step, bound;
    } cases[] = {
        { "rk4", 0.01, 1e-8 }, { "heun", 0.001, 1e-5 }, { "dopri5", 0, 1e-7 },
        { "adams", 0, 1e-6 },  { "bdf", 0, 1e-5 },      { NULL, 0, 1e-7 },    { "ida", 0, 1e-5 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(end_value(text, "x", with(cases[i].solver, 20, cases[i].step, 1e-9, 1e-12)),
                    0.1 * cos(sqrt(2) * 20), cases[i].bound);
}

// ---- Delays: x' = -x(t - 1), x = 1 before the start, is a polynomial in each unit of time

static void test_delay_equation(void **state)
{
    (void)state;
    static const char text[] = "model D\n  var x = 1\n  x' = -delay(x, 1)\nend\n";
    const double exact = 1 - 4 + 9.0 / 2 - 8.0 / 6 + 1.0 / 24;    // x(4) = Σ (-1)^k (4 - k + 1)^k / k!
    assert_near(end_value(text, "x", with("rk4", 4, 0.01, 0, 0)), exact, 1e-9);
    assert_near(end_value(text, "x", with("dopri5", 4, 0, 1e-9, 1e-11)), exact, 1e-8);
    assert_near(end_value(text, "x", with("bdf", 4, 0, 1e-9, 1e-11)), exact, 1e-6);
    // Euler is of first order
    const double coarse = end_value(text, "x", with("euler", 4, 0.01, 0, 0)) - exact;
    const double fine = end_value(text, "x", with("euler", 4, 0.005, 0, 0)) - exact;
    assert_near(coarse / fine, 2, 0.05);
}

static void test_delay_remembers_what_was_before_the_start(void **state)
{
    (void)state;
    // x' = delay(…) = 3 until t = 2, then x(t - 2)
    static const char text[] = "model D\n  param before = 3\n  var x = 1\n  x' = delay(x, 2, before)\nend\n";
    assert_near(end_value(text, "x", with("rk4", 3, 0.1, 0, 0)), 1 + 6 + 1 + 1.5, 1e-12);
    assert_near(end_value(text, "x", with("auto", 3, 0, 1e-9, 1e-11)), 1 + 6 + 1 + 1.5, 1e-8);
}

static void test_delay_of_something_that_jumps(void **state)
{
    (void)state;
    // the jump at t = 0.5 comes back at t = 1.5, both ends of steps: each step reads its own side
    static const char text[] =
        "model D\n  var x = 0, y = 0\n  x' = 1\n  y' = delay(if x > 0.5 then 1 else 0, 1)\nend\n";
    assert_near(end_value(text, "y", with("rk4", 3, 0.1, 0, 0)), 1.5, 1e-9);
    assert_near(end_value(text, "y", with("heun", 3, 0.1, 0, 0)), 1.5, 1e-9);
    assert_near(end_value(text, "y", with("euler", 3, 0.1, 0, 0)), 1.5, 1e-9);
}

static void test_no_step_is_longer_than_a_delay(void **state)
{
    (void)state;
    // x(t) = cos(t) with a smooth past: a free step would soon be longer than the delay
    static const char text[] = "model D\n  param tau = 0.1\n  var x = 1, v = 0\n  x' = v\n"
                               "  v' = -delay(x, tau)*cos(tau) + delay(v, tau)*sin(tau)\nend\n";
    const double truth = end_value(text, "x", with("rk4", 8, 0.001, 0, 0));
    assert_near(end_value(text, "x", with("dopri5", 8, 0, 1e-4, 1e-6)), truth, 1e-3);
    Lab lab = lab_open(text);
    orr_run *run = run_begin(&lab, with("dopri5", 8, 0, 1e-4, 1e-6));
    assert_int_equal(orr_run_advance(run, 8), ORR_STATUS_OK);
    assert_true(orr_run_get_facts(run).n_steps >= 80);
    orr_run_destroy(run);
    lab_close(&lab);
}

// ---- Generated code and our own steps

// Loops, relations, parameters, functions: all that a step can meet.
#define RICH                                                                                                 \
    "model Rich\n  param k = 1.3\n  var x = 1, v = 0, w = 0.5, z ~ 1\n  x' = v\n  v' = -k*sin(x) + (if x > " \
    "0.3 then -0.1*z else 0.1*w)\n"                                                                          \
    "  w' = exp(-w)*cos(t) + 0.1*z\n  z + z^3/10 = x + 1\nend\n"

static void test_generated_loops_and_steps_by_hand_agree_to_the_bit(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler", "semi-implicit euler", "heun", "rk4" };
    static const char *const names[] = { "x", "v", "w", "z" };
    Lab lab = lab_open(RICH);
    for (int i = 0; i < 8; i++) {
        // the last step is shorter
        const orr_run_options o = with(solvers[i % 4], 70.003, i < 4 ? 0.01 : 0.17, 0, 0);
        orr_run *generated = run_begin(&lab, o);
        assert_int_equal(orr_run_advance(generated, o.t_end), ORR_STATUS_OK);
        CodeLoop loops[CODE_N_LOOPS];
        memcpy(loops, lab.model->code.loops, sizeof loops);
        memset(lab.model->code.loops, 0, sizeof loops);
        orr_run *by_hand = run_begin(&lab, o);
        assert_int_equal(orr_run_advance(by_hand, o.t_end), ORR_STATUS_OK);
        memcpy(lab.model->code.loops, loops, sizeof loops);
        assert_true(orr_run_get_facts(generated).n_events > 1);
        for (int k = 0; k < 4; k++)
            assert_same_bits(value(&lab, generated, names[k]), value(&lab, by_hand, names[k]));
        orr_run_destroy(generated);
        orr_run_destroy(by_hand);
    }
    lab_close(&lab);
}

static void test_all_methods_agree_on_the_rich_model(void **state)
{
    (void)state;
    const double truth = end_value(RICH, "x", with("dopri5", 7, 0, 1e-11, 1e-13));
    assert_near(end_value(RICH, "x", with("rk4", 7, 0.001, 0, 0)), truth, 1e-8);
    assert_near(end_value(RICH, "x", with("heun", 7, 0.0005, 0, 0)), truth, 1e-5);
    assert_near(end_value(RICH, "x", with("euler", 7, 0.0001, 0, 0)), truth, 1e-3);
    assert_near(end_value(RICH, "x", with("adams", 7, 0, 1e-10, 1e-12)), truth, 1e-6);
    assert_near(end_value(RICH, "x", with("bdf", 7, 0, 1e-10, 1e-12)), truth, 1e-6);
}

// ---- One model, several runs at once

enum { N_THREADS = 4, N_RUNS = 12 };
typedef struct Share {
    const Lab *lab;
    double     results[N_RUNS];
    int        first;
} Share;

static double one_of_many(const Lab *lab, int i)
{
    static const char *const solvers[] = { "rk4", "dopri5", "bdf", "semi-implicit euler" };
    orr_diag *diag = orr_diag_create();
    const orr_setting k = { "k", 1 + 0.1 * i };
    orr_run_options o = with(solvers[i % 4], 20, i % 4 == 0 || i % 4 == 3 ? 0.01 : 0, 1e-6, 1e-9);
    o.settings = &k;
    o.n_settings = 1;
    orr_run *run = orr_run_create(lab->model, &o, diag);
    const bool ok = run && orr_run_advance(run, 20) == ORR_STATUS_OK;
    const double x = ok ? orr_run_value(run, orr_model_find(lab->model, "x")) : NAN;
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    return x;
}

static void *work(void *argument)
{
    Share *share = argument;
    for (int i = share->first; i < N_RUNS; i += N_THREADS) share->results[i] = one_of_many(share->lab, i);
    return NULL;
}

static void test_runs_in_threads_give_the_same_bits(void **state)
{
    (void)state;
    Lab lab = lab_open(RICH);
    pthread_t threads[N_THREADS];
    Share shares[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        shares[i] = (Share){ .lab = &lab, .first = i };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &shares[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < N_RUNS; i++) {
        const double alone = one_of_many(&lab, i);
        assert_true(isfinite(alone));
        assert_same_bits(shares[i % N_THREADS].results[i], alone);
    }
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_transistor_amplifier),
        cmocka_unit_test(test_ida_takes_about_as_many_steps_as_bdf),
        cmocka_unit_test(test_auto_sees_stiffness_at_fine_tolerances),
        cmocka_unit_test(test_van_der_pol),
        cmocka_unit_test(test_oregonator),
        cmocka_unit_test(test_auto_notices_stiffness_at_fine_tolerances),
        cmocka_unit_test(test_chain_of_masses),
        cmocka_unit_test(test_stiff_springs_with_a_sparse_matrix),
        cmocka_unit_test(test_predator_and_prey),
        cmocka_unit_test(test_epidemic),
        cmocka_unit_test(test_long_run_of_rk4),
        cmocka_unit_test(test_circle_by_explicit_euler_has_the_radius_of_theory),
        cmocka_unit_test(test_circle_updated_in_place_depends_on_the_order_and_stays_bounded),
        cmocka_unit_test(test_spring_follows_its_closed_form),
        cmocka_unit_test(test_delay_equation),
        cmocka_unit_test(test_delay_remembers_what_was_before_the_start),
        cmocka_unit_test(test_delay_of_something_that_jumps),
        cmocka_unit_test(test_no_step_is_longer_than_a_delay),
        cmocka_unit_test(test_generated_loops_and_steps_by_hand_agree_to_the_bit),
        cmocka_unit_test(test_all_methods_agree_on_the_rich_model),
        cmocka_unit_test(test_runs_in_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
