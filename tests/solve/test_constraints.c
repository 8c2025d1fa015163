// tests/solve/test_constraints.c: models with constraints on their states, through the whole chain from text
// to trajectory, against closed solutions.
#include "lab.h"
#include "model/model.h"
#include "run/run.h"

static void lab_run(Lab *lab, const char *solver, double t_end, double step, double tolerance)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.step = step;
    o.tolerance = tolerance;
    lab_start(lab, &o);
}

// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
static double elliptic_k(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 20; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1) / (2 * a);
}

// ---- The pendulum in Cartesian coordinates

#define PENDULUM(start)                                \
    "model P\n"                                        \
    "  param L = 1, g = 9.81\n"                        \
    "  var lambda, " start "\n"                        \
    "  x'' = lambda*x\n"                               \
    "  y'' = lambda*y - g\n"                           \
    "  x^2 + y^2 = L^2\n"                              \
    "  output energy = (x'^2 + y'^2)/2 + g*y\n"        \
    "end\n"

static const struct Method {
    const char *name;
    double      step, tolerance, expected;    // how far off it may be after a few swings
} methods[] = {
    { "dopri5", 0, 1e-10, 1e-7 },  { "adams", 0, 1e-10, 2e-6 }, { "bdf", 0, 1e-10, 2e-5 },
    { "ida", 0, 1e-10, 2e-5 },
    { "auto", 0, 1e-10, 1e-7 },    { "rk4", 1e-3, 0, 1e-7 },    { "heun", 2e-4, 0, 1e-4 },
    { "euler", 2e-5, 0, 2e-2 },    { "semi-implicit euler", 2e-5, 0, 2e-2 },
};
enum { N_METHODS = sizeof methods / sizeof *methods };

// From rest at 150 degrees: nearly over the top, through every position on the way. The period is known.
static void test_pendulum_comes_back_after_a_period(void **state)
{
    (void)state;
    const double half_angle = 75 * acos(-1) / 180, period = 4 * sqrt(1 / 9.81) * elliptic_k(sin(half_angle));
    Lab lab = lab_open(PENDULUM("x = 0.5, x' = 0, y ~ 0.9"));
    for (size_t i = 0; i < N_METHODS; i++) {
        const struct Method *m = &methods[i];
        lab_run(&lab, m->name, 2 * period, m->step, m->tolerance);
        lab_advance(&lab, 0.5 * period);    // the other side
        assert_near(lab_value(&lab, "x"), -0.5, m->expected);
        lab_advance(&lab, 2 * period);
        assert_near(lab_value(&lab, "x"), 0.5, 4 * m->expected);
        assert_near(lab_value(&lab, "y"), sqrt(0.75), 4 * m->expected);
        assert_true(lab.run->n_switches >= 6);
    }
    lab_close(&lab);
}

// Fast enough to loop over the top, ten times.
static void test_pendulum_turns_over(void **state)
{
    (void)state;
    const double speed = 7, turn = 4 / speed * elliptic_k(2 * sqrt(9.81) / speed);
    Lab lab = lab_open(PENDULUM("x = 0, y = -1, x' = 7"));
    for (size_t i = 0; i < 5; i++) {
        const struct Method *m = &methods[i];
        lab_run(&lab, m->name, 10 * turn, m->step, m->tolerance);
        lab_advance(&lab, 4.5 * turn);
        assert_near(lab_value(&lab, "x"), 0, 100 * m->expected);
        assert_near(lab_value(&lab, "y"), 1, 100 * m->expected);
        lab_advance(&lab, 10 * turn);
        assert_near(lab_value(&lab, "x"), 0, 100 * m->expected);
        assert_near(lab_value(&lab, "y"), -1, 100 * m->expected);
        assert_near(lab_value(&lab, "x'"), speed, 100 * m->expected);
        assert_true(lab.run->n_switches >= 30);
    }
    lab_close(&lab);
}

// The constraint holds wherever one looks, and the energy does not run away in a thousand swings.
static void test_pendulum_keeps_length_and_energy_for_a_thousand_swings(void **state)
{
    (void)state;
    const double half_angle = 75 * acos(-1) / 180, period = 4 * sqrt(1 / 9.81) * elliptic_k(sin(half_angle));
    Lab lab = lab_open(PENDULUM("x = 0.5, x' = 0, y ~ 0.9"));
    lab_run(&lab, "dopri5", 1000 * period, 0, 1e-12);
    const double energy = lab_value(&lab, "energy");
    double length_off = 0, velocity_off = 0, energy_off = 0;
    for (int i = 1; i <= 20000; i++) {
        lab_advance(&lab, i * period / 20);
        const double x = lab_value(&lab, "x"), y = lab_value(&lab, "y"), vx = lab_value(&lab, "x'"),
                     vy = lab_value(&lab, "y'");
        length_off = fmax(length_off, fabs(sqrt(x * x + y * y) - 1));
        velocity_off = fmax(velocity_off, fabs(x * vx + y * vy));
        energy_off = fmax(energy_off, fabs(lab_value(&lab, "energy") - energy));
    }
    assert_true(length_off < 1e-14);
    assert_true(velocity_off < 1e-13);
    assert_true(energy_off < 1e-6);
    assert_near(lab_value(&lab, "x"), 0.5, 1e-6);    // still in step
    assert_true(lab.run->n_switches >= 4000);
    lab_close(&lab);
}

// Between the ends of steps, across changes of the states, values are those of the angle.
static void test_pendulum_is_smooth_where_states_change(void **state)
{
    (void)state;
    Lab angle = lab_open("model A\n  var phi = 0, phi' = 7\n  phi'' = -9.81*sin(phi)\nend\n");
    Lab lab = lab_open(PENDULUM("x = 0, y = -1, x' = 7"));
    lab_run(&angle, "dopri5", 3, 0, 1e-12);
    lab_run(&lab, "dopri5", 3, 0, 1e-10);
    for (int i = 1; i <= 3000; i++) {
        lab_advance(&angle, i * 1e-3);
        lab_advance(&lab, i * 1e-3);
        const double phi = lab_value(&angle, "phi"), w = lab_value(&angle, "phi'");
        assert_near(lab_value(&lab, "x"), sin(phi), 1e-7);
        assert_near(lab_value(&lab, "y"), -cos(phi), 1e-7);
        assert_near(lab_value(&lab, "x'"), cos(phi) * w, 1e-6);
        assert_near(lab_value(&lab, "lambda"), -w * w - 9.81 * cos(phi), 1e-5);
    }
    lab_close(&angle);
    lab_close(&lab);
}

// Asking for more points changes no step, and a second run is the first one again.
static void test_pendulum_runs_are_the_same(void **state)
{
    (void)state;
    Lab lab = lab_open(PENDULUM("x = 0, y = -1, x' = 7"));
    double first = 0;
    size_t steps = 0;
    for (int round = 0; round < 3; round++) {
        if (round < 2) lab_run(&lab, "dopri5", 5, 0, 1e-8);
        else assert_int_equal(orr_run_restart(lab.run), ORR_STATUS_OK);
        for (int i = 1; round == 1 && i < 500; i++) {
            lab_advance(&lab, i * 0.01);
            lab_value(&lab, "lambda");
        }
        lab_advance(&lab, 5);
        const double x = lab_value(&lab, "x");
        const size_t n = orr_run_get_facts(lab.run).n_steps;
        if (round == 0) {
            first = x;
            steps = n;
        }
        assert_same_bits(x, first);
        if (round < 2) assert_int_equal(n, steps);
    }
    lab_close(&lab);
}

// Fixed steps stay on their grid when states change.
static void test_states_change_on_the_grid(void **state)
{
    (void)state;
    Lab lab = lab_open(PENDULUM("x = 0, y = -1, x' = 7"));
    lab_run(&lab, "rk4", 2, 0.01, 0);
    for (int i = 1; i <= 200; i++) {
        assert_int_equal(orr_run_step(lab.run, 2), ORR_STATUS_OK);
        assert_same_bits(orr_run_time(lab.run), i == 200 ? 2 : i * 0.01);
    }
    assert_int_equal(orr_run_get_facts(lab.run).n_steps, 200);
    assert_true(lab.run->n_switches > 4);
    lab_close(&lab);
}

// A preferred variable is a state for longer.
static void test_preferred_states_are_kept_longer(void **state)
{
    (void)state;
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        Lab lab = lab_open(i ? PENDULUM("x = 0.96, x' = 0, y ~ -0.3\n  prefer x")
                             : PENDULUM("x = 0.96, x' = 0, y ~ -0.3"));
        lab_run(&lab, "dopri5", 10, 0, 1e-8);
        lab_advance(&lab, 10);
        n[i] = lab.run->n_switches;
        lab_close(&lab);
    }
    assert_true(n[0] > 5);
    assert_int_equal(n[1], 0);
}

// ---- Linear constraints

static void test_rigidly_coupled_masses_swing_as_one(void **state)
{
    (void)state;
    Lab lab = lab_open("model R\n  param m1 = 1, m2 = 2, d = 0.5, k = 3\n  var x1 = 1, x1' = 0, x2, F\n"
                       "  m1*x1'' = F - k*x1\n  m2*x2'' = -F\n  x2 - x1 = d\nend\n");
    lab_run(&lab, "dopri5", 10, 0, 1e-11);
    for (int i = 1; i <= 100; i++) {
        const double t = i * 0.1;
        lab_advance(&lab, t);
        assert_near(lab_value(&lab, "x1"), cos(t), 1e-8);
        assert_near(lab_value(&lab, "x2"), cos(t) + 0.5, 1e-8);
        assert_near(lab_value(&lab, "F"), 2 * cos(t), 1e-8);
    }
    lab_close(&lab);
}

static void test_gear_turns_two_inertias(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model G\n  param J1 = 2, J2 = 3, n = 4, T = 5\n  var phi1 = 0, w1 = 0, phi2, w2, T1, T2\n"
        "  phi1' = w1; phi2' = w2\n  J1*w1' = T - T1\n  J2*w2' = T2\n  phi1 = n*phi2\n  T2 = n*T1\nend\n");
    lab_run(&lab, "dopri5", 2, 0, 1e-10);
    lab_advance(&lab, 2);
    const double a2 = 4 * 5.0 / (2 * 16 + 3);
    assert_near(lab_value(&lab, "w2"), 2 * a2, 1e-9);
    assert_near(lab_value(&lab, "phi1"), 4 * 2 * a2, 1e-9);
    assert_near(lab_value(&lab, "T1"), 3 * a2 / 4, 1e-9);
    lab_close(&lab);
}

static void test_capacitors_in_parallel_are_one(void **state)
{
    (void)state;
    Lab lab = lab_open("model C\n  param C1 = 1e-3, C2 = 2e-3, R = 100, V = 10\n  var v1 = 0, v2, i1, i2, i\n"
                       "  C1*v1' = i1\n  C2*v2' = i2\n  v1 = v2\n  i = i1 + i2\n  R*i = V - v1\nend\n");
    lab_run(&lab, "bdf", 1, 0, 1e-10);
    lab_advance(&lab, 1);
    assert_near(lab_value(&lab, "v2"), 10 * (1 - exp(-1 / 0.3)), 1e-6);
    assert_near(lab_value(&lab, "i1"), 0.1 / 3 * exp(-1 / 0.3), 1e-9);
    lab_close(&lab);
}

// Massless rod: only the crank keeps the speed; energy and the position of the piston are known.
static void test_slider_crank(void **state)
{
    (void)state;
    Lab lab = lab_open("model S\n  param r = 0.1, l = 0.3, J = 0.02, m = 0.5\n"
                       "  var phi = 0, phi' = 100, psi ~ 0, x ~ 0.4, l1, l2\n  prefer phi\n"
                       "  J*phi'' = -l1*r*sin(phi) + l2*r*cos(phi)\n  0 = l1*l*sin(psi) + l2*l*cos(psi)\n"
                       "  m*x'' = -l1\n  x = r*cos(phi) + l*cos(psi)\n  r*sin(phi) = l*sin(psi)\n"
                       "  output e = J*phi'^2/2 + m*x'^2/2\nend\n");
    lab_run(&lab, "dopri5", 1, 0, 1e-11);
    for (int i = 1; i <= 50; i++) {
        lab_advance(&lab, i * 0.02);
        const double phi = lab_value(&lab, "phi"), s = 0.1 * sin(phi);
        assert_near(lab_value(&lab, "x"), 0.1 * cos(phi) + sqrt(0.09 - s * s), 1e-14);
        assert_near(lab_value(&lab, "e"), 100, 1e-6);
    }
    assert_int_equal(lab.run->n_switches, 0);
    lab_close(&lab);
}

// ---- Events, delays and constraints together

static void test_relations_switch_while_states_are_chosen(void **state)
{
    (void)state;
    // gravity is turned around whenever the pendulum passes the lowest point, so it is driven on
    Lab lab = lab_open("model P\n  var x = 0.6, x' = 0, y ~ -0.8, lambda\n  x'' = lambda*x\n"
                       "  y'' = lambda*y - 9.81 - (if t > 1 then 2 else 0)\n  x^2 + y^2 = 1\nend\n");
    Lab angle = lab_open("model A\n  var phi = 0.64350110879328438680, phi' = 0\n"
                         "  phi'' = -(9.81 + (if t > 1 then 2 else 0))*sin(phi)\nend\n");
    lab_run(&lab, "dopri5", 4, 0, 1e-10);
    lab_run(&angle, "dopri5", 4, 0, 1e-11);
    for (int i = 1; i <= 40; i++) {
        lab_advance(&lab, i * 0.1);
        lab_advance(&angle, i * 0.1);
        assert_near(lab_value(&lab, "x"), sin(lab_value(&angle, "phi")), 1e-7);
    }
    assert_int_equal(orr_run_get_facts(lab.run).n_events, 1);
    lab_close(&lab);
    lab_close(&angle);
}

// ---- The start

static orr_run *run_with(Lab *lab, const char *name, double x)
{
    const orr_setting setting = { name, x };
    orr_run_options o = orr_run_options_default();
    o.t_end = 1;
    o.settings = &setting;
    o.n_settings = 1;
    orr_run_destroy(lab->run);
    return lab->run = orr_run_create(lab->model, &o, lab->diag);
}

static void test_initial_values_can_be_set_and_are_completed(void **state)
{
    (void)state;
    Lab lab = lab_open(PENDULUM("x = 0.6, x' = 1, y ~ -0.8"));
    assert_non_null(run_with(&lab, "x", 0.28));
    assert_near(lab_value(&lab, "y"), -0.96, 1e-14);
    assert_near(lab_value(&lab, "y'"), 0.28 / 0.96, 1e-13);
    assert_near(lab_value(&lab, "lambda"), -(1 + 0.28 * 0.28 / 0.96 / 0.96) - 9.81 * 0.96, 1e-11);
    assert_non_null(run_with(&lab, "x'", -2));
    assert_near(lab_value(&lab, "y'"), -2 * 0.6 / 0.8, 1e-13);
    assert_non_null(run_with(&lab, "L", 2));
    assert_near(lab_value(&lab, "y"), -sqrt(4 - 0.36), 1e-13);
    lab_close(&lab);
}

static void test_initial_values_that_contradict_constraints_are_named(void **state)
{
    (void)state;
    Lab lab = lab_open(PENDULUM("x = 0.6, x' = 0, y = -0.8"));
    assert_non_null(run_with(&lab, "g", 9.8));
    assert_int_equal(orr_diag_count(lab.diag), 0);
    assert_non_null(run_with(&lab, "y", -0.80001));
    assert_true(lab_has_code(&lab, "W615"));
    assert_near(lab_value(&lab, "y"), -0.8, 1e-14);
    assert_null(run_with(&lab, "y", -0.9));
    assert_true(lab_has_code(&lab, "E515"));
    lab_close(&lab);
}

// In any position, and with any velocity: the start is found, and the model moves on from there.
static void test_pendulum_starts_anywhere(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model P\n  param phi = 0, w = 0\n"
        "  var x = sin(phi), y = -cos(phi), x' = w*cos(phi), y' = w*sin(phi)\n"
        "  var lambda\n  x'' = lambda*x\n  y'' = lambda*y - 9.81\n  x^2 + y^2 = 1\nend\n");
    for (int degree = 0; degree < 360; degree += 15) {
        const double phi = degree * acos(-1) / 180;
        const orr_setting settings[] = { { "phi", phi }, { "w", 3 } };
        orr_run_options o = orr_run_options_default();
        o.t_end = 1;
        o.settings = settings;
        o.n_settings = 2;
        orr_run_destroy(lab.run);
        lab.run = orr_run_create(lab.model, &o, lab.diag);
        if (!lab.run) orr_diag_print(lab.diag, stderr, 0);
        assert_non_null(lab.run);
        assert_near(lab_value(&lab, "lambda"), -9 - 9.81 * cos(phi), 1e-11);
        lab_advance(&lab, 1);
    }
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_comes_back_after_a_period),
        cmocka_unit_test(test_pendulum_turns_over),
        cmocka_unit_test(test_pendulum_keeps_length_and_energy_for_a_thousand_swings),
        cmocka_unit_test(test_pendulum_is_smooth_where_states_change),
        cmocka_unit_test(test_pendulum_runs_are_the_same),
        cmocka_unit_test(test_states_change_on_the_grid),
        cmocka_unit_test(test_preferred_states_are_kept_longer),
        cmocka_unit_test(test_rigidly_coupled_masses_swing_as_one),
        cmocka_unit_test(test_gear_turns_two_inertias),
        cmocka_unit_test(test_capacitors_in_parallel_are_one),
        cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_relations_switch_while_states_are_chosen),
        cmocka_unit_test(test_initial_values_can_be_set_and_are_completed),
        cmocka_unit_test(test_initial_values_that_contradict_constraints_are_named),
        cmocka_unit_test(test_pendulum_starts_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
