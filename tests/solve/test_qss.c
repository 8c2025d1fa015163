// tests/solve/test_qss.c: quantised states: published counts, orders, stiffness, events, sparse models.
#include "code/quantise.h"
#include "lab.h"
#include "model/model.h"
#include <math.h>
#include <pthread.h>

static const char *const solvers[] = { "qss1", "qss2", "qss3", "liqss1", "liqss2", "mliqss2" };
enum { N_SOLVERS = sizeof solvers / sizeof *solvers };

static orr_run *begin(const Lab *lab, const char *solver, double quantum, double t_end)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.quantum = quantum;
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

static void go(const Lab *lab, orr_run *run, double t)
{
    const orr_status status = orr_run_advance(run, t);
    if (status != ORR_STATUS_OK) orr_diag_print(lab->diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
}

#define LOTKA                                                                                                \
    "model LV\n  var X = 10, Y = 5\n  X' = X*(1.5 - Y)\n  Y' = Y*(X - 3)\n"                                  \
    "  V = X - 3*log(X) + Y - 1.5*log(Y)\nend\n"

// Four implementations take 687.1 thousand steps, and the invariant drifts by 6.4e-2 to 6.5e-2.
static void test_qss2_on_the_benchmark_takes_the_published_steps(void **state)
{
    (void)state;
    Lab lab = lab_open(LOTKA);
    const double V0 = 10 - 3 * log(10) + 5 - 1.5 * log(5);
    const double quanta[] = { 1e-4, 1e-5, 1e-6 }, steps[] = { 687100, 2.17e6, 6.88e6 };
    for (int i = 0; i < 3; i++) {
        orr_run *run = begin(&lab, "qss2", quanta[i], 1500);
        go(&lab, run, 1500);
        const double n = (double)orr_run_get_facts(run).n_steps, drift = fabs(value(&lab, run, "V") - V0);
        if (fabs(n / steps[i] - 1) > 0.01) print_error("quantum %g: %g steps\n", quanta[i], n);
        assert_true(fabs(n / steps[i] - 1) <= 0.01);
        if (i == 0) assert_in_range((long)(drift * 1e4), 630, 660);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// A stable linear system: the error is proportional to the quantum, steps grow as its power -1, -1/2, -1/3.
static void test_orders_show_in_errors_and_steps(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 1, y = 0\n  x' = y\n  y' = -x - y/2\nend\n");
    const double w = sqrt(1 - 1.0 / 16);
    const int order[] = { 1, 2, 3, 1, 2, 2 };
    for (int s = 0; s < N_SOLVERS; s++) {
        double error[2] = { 0, 0 }, steps[2];
        const double quanta[] = { 1e-3, 1e-5 };
        for (int i = 0; i < 2; i++) {
            orr_run *run = begin(&lab, solvers[s], quanta[i], 10);
            for (int k = 1; k <= 200; k++) {
                const double t = 0.05 * k, exact = exp(-t / 4) * (cos(w * t) + 0.25 / w * sin(w * t));
                go(&lab, run, t);
                error[i] = fmax(error[i], fabs(value(&lab, run, "x") - exact));
            }
            steps[i] = (double)orr_run_get_facts(run).n_steps;
            orr_run_destroy(run);
        }
        const double fewer = pow(100, 1.0 / order[s]);
        if (!(error[0] / error[1] > 40 && error[0] / error[1] < 250 && error[1] < 1e-4))
            print_error("%s: errors %g, %g\n", solvers[s], error[0], error[1]);
        assert_true(error[0] < 20 * quanta[0] && error[1] < 20 * quanta[1]);
        assert_true(error[0] / error[1] > 40 && error[0] / error[1] < 250);
        if (!(fabs(steps[1] / steps[0] / fewer - 1) < 0.2))
            print_error("%s: %g, %g steps\n", solvers[s], steps[0], steps[1]);
        assert_true(fabs(steps[1] / steps[0] / fewer - 1) < 0.2);
    }
    lab_close(&lab);
}

// X0 = 0, Y0 = 20: the fast one follows the slow one after 0.01 s; the slow one takes 100 s.
#define STIFF "model M\n  var x = 0, y = 20\n  x' = 0.01*y\n  y' = 2020 - 100*x - 100*y\nend\n"

static void test_liqss_is_for_stiff_models(void **state)
{
    (void)state;
    Lab lab = lab_open(STIFF);
    const double mean = -50.0, root = sqrt(mean * mean - 1), slow = mean + root, fast = mean - root;
    // x = 20.2 + a exp(slow t) + b exp(fast t), x(0) = 0, x'(0) = 0.2
    const double a = (0.2 + fast * 20.2) / (slow - fast), b = -20.2 - a;
    size_t steps[3];
    const char *methods[] = { "qss2", "liqss2", "liqss1" };
    for (int s = 0; s < 3; s++) {
        const double quantum = 0.01;
        orr_run *run = begin(&lab, methods[s], quantum, 500);
        for (int k = 1; k <= 50; k++) {
            const double t = 10.0 * k, exact = 20.2 + a * exp(slow * t) + b * exp(fast * t);
            go(&lab, run, t);
            assert_true(fabs(value(&lab, run, "x") - exact) < 3 * quantum);
        }
        steps[s] = orr_run_get_facts(run).n_steps;
        orr_run_destroy(run);
    }
    assert_true(steps[0] > 20000);
    assert_true(steps[1] < 300);
    assert_true(steps[2] < 6000);
    lab_close(&lab);
}

// Two states that exchange quickly what they lose slowly, and a rotation that fades: fast only together. One
// of the two alone cannot look ahead.
static void test_pairs_are_renewed_together(void **state)
{
    (void)state;
    // s = x + y and d = x - y: s' = -0.1 s + 3, d' = -199.9 d - 1
    Lab exchange = lab_open("model M\n  var x = 0, y = 20\n  x' = -100*x + 99.9*y + 1\n"
                            "  y' = 99.9*x - 100*y + 2\nend\n");
    // it turns by 1000 and fades by 100 a second, to z = 10 y, 2020 = 100 y + 10000 y
    Lab rotation = lab_open("model M\n  var y = 20, z = 0\n  y' = 2020 - 100*y - 1000*z\n"
                            "  z' = 1000*y - 100*z\nend\n");
    const char *methods[] = { "liqss2", "mliqss2" };
    const double quantum = 1e-3;
    size_t steps[2][2];
    for (int s = 0; s < 2; s++) {
        orr_run *run = begin(&exchange, methods[s], quantum, 50);
        for (int k = 1; k <= 50; k++) {
            const double t = k, sum = 30 + (20 - 30) * exp(-0.1 * t), apart = -1 / 199.9;
            go(&exchange, run, t);
            assert_near(value(&exchange, run, "x"), 0.5 * (sum + apart), 20 * quantum);
            assert_near(value(&exchange, run, "y"), 0.5 * (sum - apart), 20 * quantum);
        }
        steps[0][s] = orr_run_get_facts(run).n_steps;
        orr_run_destroy(run);
        run = begin(&rotation, methods[s], quantum, 10);
        go(&rotation, run, 10);
        assert_near(value(&rotation, run, "y"), 0.2, 5 * quantum);
        assert_near(value(&rotation, run, "z"), 2, 5 * quantum);
        steps[1][s] = orr_run_get_facts(run).n_steps;
        orr_run_destroy(run);
    }
    for (int m = 0; m < 2; m++) {
        if (steps[m][0] < 5 * steps[m][1]) print_error("%zu and %zu steps\n", steps[m][0], steps[m][1]);
        assert_true(steps[m][0] >= 5 * steps[m][1]);
    }
    assert_true(steps[0][1] < 600);
    assert_true(steps[1][1] < 2500);
    lab_close(&exchange);
    lab_close(&rotation);
}

static void test_stalls_are_named_with_a_way_out(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0, y = 20\n  x' = 0.01*y\n  y' = 2020 - 1e9*(x + y)\nend\n");
    orr_run *run = begin(&lab, "qss2", 1e-6, 500);
    assert_int_equal(orr_run_advance(run, 500), ORR_STATUS_FAILED);
    const orr_message m = orr_diag_get(lab.diag, 0);
    assert_string_equal(m.code, "E519");
    assert_non_null(strstr(m.text, "'y'"));
    assert_non_null(strstr(m.hint, "liqss2"));
    orr_run_destroy(run);
    run = begin(&lab, "liqss2", 1e-6, 500);
    go(&lab, run, 500);
    assert_true(orr_run_get_facts(run).n_steps < 100000);
    orr_run_destroy(run);
    lab_close(&lab);
}

// What moves evenly is never renewed, and yet what depends on it bends.
static void test_rates_that_bend_are_followed(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 0, y = 0, z = 1\n  x' = 1\n  y' = sin(3*x)\n  z' = -z + cos(t)\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run *run = begin(&lab, solvers[s], 1e-4, 20);
        for (int k = 1; k <= 40; k++) {
            const double t = 0.5 * k;
            go(&lab, run, t);
            const double off = fabs(value(&lab, run, "y") - (1 - cos(3 * t)) / 3);
            const double off_z = fabs(value(&lab, run, "z") - 0.5 * (cos(t) + sin(t) + exp(-t)));
            if (!(off < 2e-3 && off_z < 2e-3))
                print_error("%s at %g: off by %g, %g\n", solvers[s], t, off, off_z);
            assert_true(off < 2e-3 && off_z < 2e-3);
        }
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

static void test_relations_change_where_polynomials_cross(void **state)
{
    (void)state;
    // a kink at x = 1, another when y, a parabola, falls through 0, and steps in time
    Lab lab = lab_open("model M\n  var x = 0.25, y = 1, v = 0, w = 0, u = 0\n"
                       "  x' = if x > 1 then 0.5 else 1\n"
                       "  y' = v\n  v' = -9.81\n  w' = if y > 0 then 0 else 1\n"
                       "  u' = if t < 1 then 1 else if t < 2 then -1 else 0.5\nend\n");
    const double falls = sqrt(2 / 9.81);
    for (int s = 0; s < N_SOLVERS; s++) {
        for (int singly = 0; singly < 2; singly++) {
            orr_run *run = begin(&lab, solvers[s], 1e-3, 4);
            if (singly)
                while (orr_run_time(run) < 4) assert_int_equal(orr_run_step(run, 4), ORR_STATUS_OK);
            go(&lab, run, 4);
            const bool is_first = strstr(solvers[s], "1") != NULL;
            assert_near(value(&lab, run, "x"), 2.625, 1e-9);
            assert_near(value(&lab, run, "w"), 4 - falls, is_first ? 2e-3 : 1e-9);
            assert_near(value(&lab, run, "u"), 1, 1e-9);
            assert_int_equal(orr_run_get_facts(run).n_events, 4);
            orr_run_destroy(run);
        }
    }
    lab_close(&lab);
}

static void test_asking_for_values_changes_no_step(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 1, v = 0, z = 0\n  x' = v\n  v' = -x + (if x > 0 then 0.3 else 0)\n"
        "  z' = x*v - z + sin(t)\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        double end[3][2];
        size_t steps[3];
        for (int way = 0; way < 3; way++) {
            orr_run *run = begin(&lab, solvers[s], 1e-3, 10);
            for (int k = 1; way == 1 && k < 1000; k++) go(&lab, run, 0.01 * k);
            if (way == 2)
                while (orr_run_time(run) < 10) assert_int_equal(orr_run_step(run, 10), ORR_STATUS_OK);
            go(&lab, run, 10);
            end[way][0] = value(&lab, run, "x");
            end[way][1] = value(&lab, run, "z");
            steps[way] = orr_run_get_facts(run).n_steps;
            orr_run_destroy(run);
        }
        assert_memory_equal(end[0], end[1], sizeof end[0]);
        assert_int_equal(steps[0], steps[1]);
        if (fabs(end[0][0] - end[2][0]) > 1e-12)
            print_error("%s: %.17g %.17g\n", solvers[s], end[0][0], end[2][0]);
        assert_near(end[0][0], end[2][0], 1e-12);
    }
    lab_close(&lab);
}

// Impacts of a ball that falls from 1 with g = 9.81 and keeps 0.7 of its speed.
static void test_a_ball_bounces_exactly(void **state)
{
    (void)state;
    Lab lab = lab_open("model Ball\n  var h = 1, v = 0\n  discrete n = 0\n  h' = v\n  v' = -9.81\n"
                       "  when h <= 0 and v < 0 then\n    v := -0.7*v\n    n := n + 1\n  end\nend\n");
    const double impacts[] = { 0.451523640985731, 1.083656738365754, 1.526149906531770, 1.835895124247982,
                               2.052716776649329 };
    const char *methods[] = { "qss2", "qss3", "liqss2" };
    for (int s = 0; s < 3; s++) {
        orr_run *run = begin(&lab, methods[s], 1e-3, 2.5);
        for (int i = 0; i < 5; i++) {
            go(&lab, run, impacts[i] - 1e-11);
            assert_near(value(&lab, run, "n"), i, 0);
            go(&lab, run, impacts[i] + 1e-11);
            assert_near(value(&lab, run, "n"), i + 1, 0);
        }
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

static void test_switches_by_events(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 0, T = 20\n  discrete u = 1, on = 1\n  x' = u\n"
        "  T' = 0.1*(10 - T) + 2*on\n"
        "  when x >= 1 then\n    u := -1\n  end\n  when x <= -1 then\n    u := 1\n  end\n"
        "  when T > 22 then\n    on := 0\n  end\n  when T < 18 then\n    on := 1\n  end\nend\n");
    // heating: T = 30 - 10 exp(-t/10), to 22 at 10 log(1.25); cooling from 22 to 18 takes 10 log(1.5);
    // heating again 10 log(1.5)
    const double first = 10 * log(1.25), each = 10 * log(1.5);
    const char *methods[] = { "qss2", "qss3", "liqss2" };
    for (int s = 0; s < 3; s++) {
        orr_run *run = begin(&lab, methods[s], 1e-4, 60);
        go(&lab, run, 9.5);
        assert_near(value(&lab, run, "x"), 0.5, 1e-9);
        go(&lab, run, 60);
        assert_near(value(&lab, run, "x"), 0, 1e-9);
        // 60 lies in a phase that began after `first` and a whole number of `each`
        const double phase = fmod(60 - first, each);
        const bool heats = fmod(floor((60 - first) / each), 2) == 1;
        const double T = heats ? 30 - 12 * exp(-phase / 10) : 10 + 12 * exp(-phase / 10);
        assert_near(value(&lab, run, "on"), heats, 0);
        assert_near(value(&lab, run, "T"), T, 1e-2);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// A rod of cells, whether its array stays an array or not: equal shapes are one function, and the results the
// same.
static const char rod[] = "model Rod\n  param n = 1200\n  var u[n] = 0, f[n]\n"
                          "  u[1]' = 400*(1 - 2*u[1] + u[2])\n"
                          "  for i in 1..n-1\n    f[i] = 400*(u[i+1] - u[i])\n  end\n  f[n] = 0\n"
                          "  for i in 2..n\n    u[i]' = f[i] - f[i-1] - 0.001*i*u[i]^3\n  end\n"
                          "end\n";

static void test_equal_shapes_share_their_code(void **state)
{
    (void)state;
    double end[2][3];
    size_t steps[2];
    for (int way = 0; way < 2; way++) {
        Lab lab = lab_arrays(rod, way ? 100 : SIZE_MAX);
        orr_run *run = begin(&lab, "qss2", 1e-3, 0.5);
        go(&lab, run, 0.5);
        end[way][0] = value(&lab, run, "u[1]");
        end[way][1] = value(&lab, run, "u[7]");
        end[way][2] = value(&lab, run, "u[20]");
        steps[way] = orr_run_get_facts(run).n_steps;
        assert_true(lab.model->code.quantised_ir->n_shapes <= 4);
        orr_run_destroy(run);
        lab_close(&lab);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    assert_int_equal(steps[0], steps[1]);
    Lab lab = lab_open(rod);
    orr_run_options o = orr_run_options_default();
    o.solver = "bdf";
    o.t_end = 0.5;
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    go(&lab, run, 0.5);
    assert_near(value(&lab, run, "u[7]"), end[0][1], 2e-2);
    assert_near(value(&lab, run, "u[20]"), end[0][2], 2e-2);
    orr_run_destroy(run);
    lab_close(&lab);
}

// A large algebraic variable that all rates read is computed once for each step.
static void test_shared_variables_are_computed_at_the_time_they_are_read(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  param n = 30\n  var u[n] = 1, a[n]\n  a[1] = u[1]^2\n"
                       "  for i in 2..n\n    a[i] = a[i-1] + u[i]^2\n  end\n"
                       "  for i in 1..n\n    u[i]' = -u[i]*a[n]/n*i/n\n  end\nend\n");
    double exact = 0;
    for (int s = 0; s < 2; s++) {
        orr_run_options o = orr_run_options_default();
        o.solver = s ? "qss2" : "dopri5";
        o.t_end = 3;
        o.tolerance = s ? 0 : 1e-10;
        o.quantum = s ? 1e-5 : 0;
        orr_run *run = orr_run_create(lab.model, &o, lab.diag);
        go(&lab, run, 3);
        if (s) assert_near(value(&lab, run, "u[13]"), exact, 1e-4);
        exact = value(&lab, run, "u[13]");
        orr_run_destroy(run);
    }
    assert_true(lab.model->code.quantised_ir->n_shared > 0);
    lab_close(&lab);
}

static void test_quanta_of_single_states(void **state)
{
    (void)state;
    Lab lab = lab_open(LOTKA);
    const orr_setting quanta[] = { { "X", 0.01 }, { "Y", 0.001 } },
                      wrong[] = { { "V", 0.01 }, { "Z", 0.01 } };
    orr_run_options o = orr_run_options_default();
    o.solver = "qss2";
    o.t_end = 15;
    o.quanta = quanta;
    o.n_quanta = 2;
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    go(&lab, run, 15);
    // as far from the truth as the quanta are large
    assert_near(value(&lab, run, "X"), 0.71375, 0.03);
    assert_near(value(&lab, run, "Y"), 0.0755, 0.01);
    orr_run_destroy(run);
    o.quanta = wrong;
    assert_null(orr_run_create(lab.model, &o, lab.diag));
    assert_int_equal(orr_diag_errors(lab.diag), 2);
    assert_string_equal(orr_diag_get(lab.diag, 0).code, "E418");
    lab_close(&lab);
}

// y³ + y = x and x' = -y: with y' = -y/(3 y² + 1), t = 3/2 (1 - y²) - log y from y = 1 on.
#define CUBIC "model M\n  var x = 2, y ~ 1\n  x' = -y\n  y^3 + y = x\nend\n"

static double cubic_time(double y) { return 1.5 * (1 - y * y) - log(y); }

static void test_loops_are_solved_with_their_slopes(void **state)
{
    (void)state;
    const double y = 0.2, t = cubic_time(y);
    for (int s = 0; s < N_SOLVERS; s++) {
        Lab lab = lab_open(CUBIC);
        const double quanta[] = { 1e-3, 1e-5 };
        double error[2], steps[2];
        for (int i = 0; i < 2; i++) {
            orr_run *run = begin(&lab, solvers[s], quanta[i], t);
            go(&lab, run, t);
            assert_near(value(&lab, run, "y"), y, 5 * quanta[i]);
            error[i] = fabs(value(&lab, run, "x") - (y * y * y + y));
            steps[i] = (double)orr_run_get_facts(run).n_steps;
            orr_run_destroy(run);
        }
        assert_true(error[1] < 2e-5);
        // without slopes of y a method of higher order would need the steps of the first
        const int order[] = { 1, 2, 3, 1, 2, 2 };
        if (steps[1] / steps[0] > 1.5 * pow(100, 1.0 / order[s]))
            print_error("%s: %g, %g steps\n", solvers[s], steps[0], steps[1]);
        assert_true(steps[1] / steps[0] <= 1.5 * pow(100, 1.0 / order[s]));
        lab_close(&lab);
    }
}

// Two meshes with resistors only in between: a linear loop, whose currents the model also switches.
static void test_relations_read_loops(void **state)
{
    (void)state;
    // v' = -i, i + 2 j = v, 3 i - j = v: i = 3/7 v until i < 0.2, then nothing flows
    Lab lab = lab_open("model M\n  var v = 1, i, j\n  discrete n = 0\n  v' = if i > 0.2 then -i else 0\n"
                       "  i + 2*j = v\n  3*i - j = v\n  when j < 0.15 then\n    n := n + 1\n  end\nend\n");
    const double t_off = -7.0 / 3 * log(0.2 * 7 / 3);
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run *run = begin(&lab, solvers[s], 1e-4, 5);
        go(&lab, run, 0.99 * t_off);
        assert_near(value(&lab, run, "v"), exp(-3.0 / 7 * 0.99 * t_off), 1e-3);
        go(&lab, run, 5);
        // it stops on the surface, whatever the quantum; j = 2/7 v fell below 0.15 on the way
        assert_near(value(&lab, run, "v"), 0.2 * 7 / 3, 1e-9);
        assert_near(value(&lab, run, "n"), 1, 0);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// What makes it stiff acts through the loop: LIQSS2 sees it there.
static void test_liqss_looks_through_loops(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 1, y ~ 1, z = 0\n  x' = 1000*(z - y)\n  y + 0.1*y^3 = x\n"
                       "  z' = cos(t) - z\nend\n");
    size_t steps[2];
    const char *methods[] = { "qss2", "liqss2" };
    for (int s = 0; s < 2; s++) {
        orr_run *run = begin(&lab, methods[s], 1e-4, 10);
        go(&lab, run, 10);
        const double z = 0.5 * (sin(10) + cos(10)) - 0.5 * exp(-10);
        assert_near(value(&lab, run, "z"), z, 1e-3);
        assert_near(value(&lab, run, "y"), z, 2e-3);
        steps[s] = orr_run_get_facts(run).n_steps;
        orr_run_destroy(run);
    }
    if (steps[0] < 4 * steps[1]) print_error("%zu and %zu steps\n", steps[0], steps[1]);
    assert_true(steps[0] > 4 * steps[1]);
    lab_close(&lab);
}

// An index of 3: the force in the rod, and which coordinates are states, change all the time.
static void test_constrained_models_run(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 1, y = 0, F\n  var x' = 0, y' = 0\n  x'' = -F*x\n  y'' = -F*y - 9.81\n"
        "  x^2 + y^2 = 1\n  E = (x'^2 + y'^2)/2 + 9.81*y\nend\n");
    for (int s = 1; s < 3; s++) {    // of second and third order
        orr_run *run = begin(&lab, solvers[s], 1e-6, 4);
        for (int k = 1; k <= 8; k++) {
            go(&lab, run, 0.5 * k);
            const double x = value(&lab, run, "x"), y = value(&lab, run, "y");
            assert_near(x * x + y * y, 1, 1e-9);
            assert_near(value(&lab, run, "E"), 0, 1e-3);
        }
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

static void test_a_loop_without_a_solution_is_named(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 1, y ~ 1\n  x' = -1 - 0.01*y\n  exp(y) = x + 0.2*sin(y)\nend\n");
    orr_run *run = begin(&lab, "qss2", 1e-4, 5);
    assert_int_equal(orr_run_advance(run, 5), ORR_STATUS_FAILED);
    const orr_message m = orr_diag_get(lab.diag, 0);
    assert_true(m.line == 4);
    assert_non_null(strstr(m.text, "the loop of y"));
    orr_run_destroy(run);
    lab_close(&lab);
}

static void test_large_loops_and_delays_are_refused(void **state)
{
    (void)state;
    const char *texts[] = {
        "model M\n  param n = 600\n  var x = 1, y[n]\n  x' = -y[1]\n  y[1] = x + 0.3*y[2]\n"
        "  for i in 2..n - 1\n    y[i] = x + 0.3*(y[i - 1] + y[i + 1])\n  end\n"
        "  y[n] = x + 0.3*y[1]\nend\n",
        "model M\n  var x = 1\n  x' = -delay(x, 0.1)\nend\n",
        "model M\n  var x = 1\n  x' = 1\n  output y = delay(x, 1, 0)\nend\n"
    };
    const char *says[] = { "600 equations", "delay", "delay" };
    for (int i = 0; i < 3; i++) {
        Lab lab = lab_open(texts[i]);
        orr_run_options o = orr_run_options_default();
        o.solver = "qss2";
        assert_null(orr_run_create(lab.model, &o, lab.diag));
        assert_string_equal(orr_diag_get(lab.diag, 0).code, "E405");
        assert_non_null(strstr(orr_diag_get(lab.diag, 0).text, says[i]));
        lab_close(&lab);
    }
}

// Functions with corners and jumps make no events; a polynomial that was exact for long suddenly is not.
static void test_corners_of_functions_are_foreseen(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var v = 0, x = -1\n  x' = 1\n"
                       "  v' = abs(x) + max(x, 0.3) + floor(x) + mod(x, 0.7) + "
                       "min(x, 0.1) + table(t, 0, 1, 1.5, 1, 2, 0)\nend\n");
    // to t = 3, x = 2: the integrals from -1 to 2 one by one
    const double abs_ = 0.5 + 2, max_ = 1.3 * 0.3 + 0.5 * (4 - 0.09), floor_ = -1 + 0 + 1,
                 mod_ = (0.5 * (0.49 - 0.16)) + 0.245 + 2 * 0.245 + 0.5 * 0.36,
                 min_ = 0.5 * (0.01 - 1) + 0.19, table_ = 1.5 + 0.25,
                 exact = abs_ + max_ + floor_ + mod_ + min_ + table_;
    for (int s = 0; s < N_SOLVERS; s++) {
        const double quantum = 1e-4;
        orr_run *run = begin(&lab, solvers[s], quantum, 3);
        go(&lab, run, 3);
        if (!(fabs(value(&lab, run, "v") - exact) < 5 * quantum))
            print_error("%s: %.9g, exact %.9g\n", solvers[s], value(&lab, run, "v"), exact);
        assert_near(value(&lab, run, "v"), exact, 5 * quantum);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// The argument of a table stands on one of its points, and begins to move there.
static void test_a_table_is_left_from_one_of_its_points(void **state)
{
    (void)state;
    Lab lab = lab_open("table f(a) linear outside hold\n  0 : 0\n  0.5 : 1\n  1 : 3\nend\n"
                       "model M\n  var v = 0\n  u = table(t, 0, 1, 4, 1, 5, 0)\n  v' = f(u)\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run *run = begin(&lab, solvers[s], 1e-3, 6);
        go(&lab, run, 6);
        assert_near(value(&lab, run, "v"), 12 + 1 + 0.25, 5e-3);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// A diode that a small resistance makes stiff: the drop across it is of the size of the quantum.
static void test_modes_do_not_chatter_inside_the_quantum(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var w = 0\n  ahead = 10*sin(100*pi*t) - w\n"
                       "  1e-3*w' = (if ahead > 0 then 1000*ahead else 1e-9*ahead) - w/100\nend\n");
    // an ideal diode stops conducting at tan(wt) = -wRC
    const double t_off = (atan(1) * 4 - atan(31.4159265358979)) / 314.159265358979,
                 exact = 10 * sin(314.159265358979 * t_off) * exp(-(0.012 - t_off) / 0.1);
    for (int s = 0; s < 3; s++) {    // those that are not implicit
        orr_run *run = begin(&lab, solvers[s], 1e-3, 0.06);
        go(&lab, run, 0.012);
        assert_near(value(&lab, run, "w"), exact, 1e-2);
        go(&lab, run, 0.06);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

typedef struct Job {
    const Lab *lab;
    double x;
} Job;

static void *work(void *context)
{
    Job *job = context;
    orr_diag *diag = orr_diag_create();
    orr_run_options o = orr_run_options_default();
    o.solver = "qss3";
    o.quantum = 1e-5;
    o.t_end = 15;
    orr_run *run = orr_run_create(job->lab->model, &o, diag);
    orr_run_advance(run, 15);
    job->x = orr_run_value(run, orr_model_find(job->lab->model, "X"));
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    return NULL;
}

static void test_runs_on_threads_share_the_code(void **state)
{
    (void)state;
    Lab lab = lab_open(LOTKA);
    Job jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (Job){ &lab, NAN };
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) assert_true(jobs[i].x == jobs[0].x);
    assert_near(jobs[0].x, 0.71375, 1e-3);
    lab_close(&lab);
}

// Both sides of a relation lead back to it, with modes that the engine changes and by events; and a ball
// that bounces until it rests. First order meets the ground as late as its quantum allows.
static void test_solutions_slide_and_rest(void **state)
{
    (void)state;
    Lab slide = lab_open("model M\n  var x = 1, y = 0\n  x' = 0.3 - sign(x)\n  y' = sign(x)\nend\n");
    Lab both = lab_open(
        "model M\n  var x = 1, y = 0\n  discrete n = 0\n  x' = 0.3 - sign(x)\n  y' = sign(x)\n"
        "  when y > 1 then\n    n := n + 1\n  end\nend\n");
    Lab relay = lab_open(
        "model M\n  var x = 0.5, y = 0\n  x' = if x > 0 then -1 else cos(y)\n  y' = 1\nend\n");
    Lab ball = lab_open("model Ball\n  var h = 1, v = 0\n  discrete n = 0\n  h' = v\n  v' = -9.81\n"
                        "  when h <= 0 then\n    v := -0.7*v\n    n := n + 1\n  end\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        const bool is_first = strstr(solvers[s], "1") != NULL;
        for (int way = 0; way < 2; way++) {
            const Lab *lab = way ? &both : &slide;
            orr_run *run = begin(lab, solvers[s], 1e-3, 3);
            go(lab, run, 3);
            // y grows like x falls up to 1/0.7 and then by the 0.3 that holds x
            assert_near(value(lab, run, "x"), 0, 1e-9);
            assert_near(value(lab, run, "y"), 1 / 0.7 + 0.3 * (3 - 1 / 0.7), 1e-6);
            if (way) assert_near(value(lab, run, "n"), 1, 0);
            assert_true(orr_run_get_facts(run).n_events < 30);
            orr_run_destroy(run);
        }
        // it leaves the surface where cos(y) becomes negative, and quantised states go on
        orr_run *run = begin(&relay, solvers[s], 1e-4, 3);
        go(&relay, run, 1.5);
        assert_near(value(&relay, run, "x"), 0, 1e-9);
        go(&relay, run, 3);
        assert_near(value(&relay, run, "x"), sin(3) - 1, 1e-3);
        orr_run_restart(run);
        go(&relay, run, 0.25);
        assert_near(value(&relay, run, "x"), 0.25, 1e-12);
        orr_run_destroy(run);

        run = begin(&ball, solvers[s], 1e-3, 3);
        go(&ball, run, 3);
        assert_near(value(&ball, run, "h"), 0, is_first ? 1e-3 : 1e-9);
        assert_near(value(&ball, run, "v"), 0, is_first ? 1e-2 : 1e-9);
        orr_run_destroy(run);
    }
    lab_close(&slide);
    lab_close(&both);
    lab_close(&relay);
    lab_close(&ball);
}

// A table bends and jumps where its argument says so, not at the next step; the argument may be curved.
static void test_tables_bend_at_their_points(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "table ramp(v) linear\n  0: 0\n  1: 1\n  1.7: 0.3\n  2.5: 2\nend\n"
        "table stairs(v) hold\n  0: 1\n  0.9: -1\n  2.1: 3\nend\n"
        "model M\n  var x = 0, y = 0, z = 0, w = 0\n  x' = 1\n  y' = ramp(x)\n  z' = stairs(x)\n"
        "  w' = stairs(3*t - t^2)\nend\n");
    const double a = (3 - sqrt(5.4)) / 2, b = (3 - sqrt(0.6)) / 2;    // 3t - t² = 0.9, 2.1
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run *run = begin(&lab, solvers[s], 1e-3, 3);
        go(&lab, run, 3);
        const bool is_first = strstr(solvers[s], "1") != NULL;
        assert_near(value(&lab, run, "y"), 0.5 + 0.455 + 0.92 + 1, is_first ? 3e-3 : 1e-12);
        assert_near(value(&lab, run, "z"), 0.9 - 1.2 + 2.7, 1e-12);
        assert_near(value(&lab, run, "w"), 2 * a - 2 * (b - a) + 3 * (3 - 2 * b), 1e-12);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// Relations of functions that jump or turn while the state that they read moves evenly and is never renewed.
static void test_functions_that_jump_are_foreseen(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0, y = 0, w = 0, z = 0, s = 0\n  x' = 1\n"
                       "  y' = if mod(x, 2) < 0.5 then 1 else 0\n"
                       "  w' = if mod(3 - x, 0.02) < 0.005 then 1 else 0\n"
                       "  z' = if sin(5*x) > 0.5 then 1 else 0\n"
                       "  s' = if floor(3*t) > 4.5 then 1 else 0\nend\n");
    // sin(5x) > 0.5 between (π/6 + 2πk)/5 and (5π/6 + 2πk)/5: eight times before 10
    const double pi = acos(-1), high = 8 * (4 * pi / 6) / 5;
    assert_true((5 * pi / 6 + 14 * pi) / 5 < 10 && (pi / 6 + 16 * pi) / 5 > 10);
    for (int k = 0; k < N_SOLVERS; k++) {
        orr_run *run = begin(&lab, solvers[k], 1e-3, 10);
        go(&lab, run, 10);
        assert_near(value(&lab, run, "y"), 2.5, 1e-9);
        assert_near(value(&lab, run, "w"), 2.5, 1e-9);
        assert_near(value(&lab, run, "z"), high, 1e-9);
        assert_near(value(&lab, run, "s"), 10 - 5.0 / 3, 1e-9);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// x rises to 2 and falls again: through 1.5 upwards at 1, downwards at 3.
static void test_curved_crossings_are_met_on_both_sides(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0, v = 2, n = 0, m = 0\n  x' = v\n  v' = -1\n"
                       "  n' = if x > 1.5 then 1 else 0\n  m' = if 2 - x < 0.5 then 1 else 0\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        if (strstr(solvers[s], "1")) continue;
        orr_run *run = begin(&lab, solvers[s], 0.5, 3.5);    // so coarse that steps are of no help
        go(&lab, run, 1.25);
        assert_near(value(&lab, run, "n"), 0.25, 1e-12);
        go(&lab, run, 3.5);
        assert_near(value(&lab, run, "n"), 2, 1e-12);
        assert_near(value(&lab, run, "m"), 2, 1e-12);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// Switched by time, from the first instant on: the error has the size of the quantum.
static void test_pwm_within_the_quantum(void **state)
{
    (void)state;
    Lab lab = lab_open("model Pwm\n  var v = 0\n  discrete u = 0\n  v' = (u - v)/0.02\n"
                       "  every 0.01 from 0 then u := 1 end\n  every 0.01 from 0.003 then u := 0 end\nend\n");
    for (int s = 0; s < N_SOLVERS; s++)
        for (double quantum = 1e-3; quantum > 1e-6; quantum /= 10) {
            double exact = 0;
            orr_run *run = begin(&lab, solvers[s], quantum, 0.1);
            for (int k = 0; k < 10; k++) {
                go(&lab, run, 0.01 * k + 0.003);
                exact = 1 + (exact - 1) * exp(-0.003 / 0.02);
                assert_near(value(&lab, run, "v"), exact, 2 * quantum);
                go(&lab, run, 0.01 * (k + 1));
                exact *= exp(-0.007 / 0.02);
                assert_near(value(&lab, run, "v"), exact, 2 * quantum);
            }
            orr_run_destroy(run);
        }
    lab_close(&lab);
}

// Rates that events change, and closed solutions between them.
static void test_thermostat_within_the_quantum(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var T = 15\n  discrete heats = 1, n = 0\n"
                       "  T' = (if heats > 0.5 then 30 else 10) - T\n"
                       "  when T >= 21 then\n    heats := 0\n    n := n + 1\n"
                       "  elsewhen T <= 19 then\n    heats := 1\n    n := n + 1\n  end\nend\n");
    const double first = log(15.0 / 9), down = log(11.0 / 9), up = log(11.0 / 9);
    for (int s = 0; s < N_SOLVERS; s++)
        for (double quantum = 1e-2; quantum > 1e-5; quantum /= 10) {
            orr_run *run = begin(&lab, solvers[s], quantum, 4);
            for (int k = 1; k <= 40; k++) {
                const double t = 0.1 * k;
                go(&lab, run, t);
                double since = t, T = 15;
                bool heats = true;
                for (double lasts = first; since >= lasts; lasts = heats ? up : down) {
                    since -= lasts;
                    T = heats ? 21 : 19;
                    heats = !heats;
                }
                const double exact = heats ? 30 + (T - 30) * exp(-since) : 10 + (T - 10) * exp(-since);
                const double off = fabs(value(&lab, run, "T") - exact);
                if (off > 10 * quantum) print_error("%s, %g: off by %g at %g\n", solvers[s], quantum, off, t);
                assert_true(off <= 10 * quantum);
            }
            orr_run_destroy(run);
        }
    lab_close(&lab);
}

// First order is no way to follow a tolerance of 1e-9, and says what is.
static void test_stalls_of_first_order_name_a_higher_one(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0\n  x' = 1e3*cos(t)\nend\n");
    const char *names[] = { "qss1", "liqss1" }, *better[] = { "'solver qss2'", "'solver liqss2'" };
    for (int i = 0; i < 2; i++) {
        orr_run *run = begin(&lab, names[i], 1e-12, 1000);
        assert_int_equal(orr_run_advance(run, 1000), ORR_STATUS_FAILED);
        const orr_message m = orr_diag_get(lab.diag, orr_diag_count(lab.diag) - 1);
        assert_string_equal(m.code, "E519");
        assert_non_null(strstr(m.hint, better[i]));
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

// What pieces say of a state, collected, and rows to compare with.
typedef struct Collected {
    struct {
        double t, c[4];
    } pieces[2][4096];
    size_t n[2];
    size_t at[2];    // the piece in use
    size_t n_rows, n_equal;
    double worst;
} Collected;

static bool take_piece(void *self, const orr_piece *piece)
{
    Collected *c = self;
    const int k = strcmp(piece->name, "x") == 0 ? 0 : 1;
    assert_string_equal(piece->name, k ? "v" : "x");
    assert_true(c->n[k] < 4096);
    if (c->n[k]) assert_true(piece->t > c->pieces[k][c->n[k] - 1].t);
    c->pieces[k][c->n[k]].t = piece->t;
    memcpy(c->pieces[k][c->n[k]++].c, piece->c, sizeof piece->c);
    return true;
}

static bool compare_row(void *self, double t, const double *values, size_t n)
{
    Collected *c = self;
    assert_int_equal(n, 2);
    for (int k = 0; k < 2; k++) {
        while (c->at[k] + 1 < c->n[k] && c->pieces[k][c->at[k] + 1].t <= t) c->at[k]++;
        const double *p = c->pieces[k][c->at[k]].c, d = t - c->pieces[k][c->at[k]].t;
        const double of[] = { p[0] + d * p[1], p[0] + d * (p[1] + d * p[2]),
                              p[0] + d * (p[1] + d * (p[2] + d * p[3])) };
        const double found = p[3] != 0 ? of[2] : p[2] != 0 ? of[1] : of[0];
        c->n_equal += found == values[k];
        c->worst = fmax(c->worst, fabs(found - values[k]));
    }
    c->n_rows++;
    return true;
}

// A first run collects pieces, a second one compares its rows with them: through steps, kicks and sliding.
static void test_recorded_polynomials_are_the_solution(void **state)
{
    (void)state;
    const char *texts[] = { "model M\n  var x = 1, v = 0\n  x' = v\n  v' = -x - 0.1*v*x^2\n"
                            "  when x < 0 then\n    v := v - 0.1\n  end\nend\n",
                            "model M\n  var x = 1, v = 0\n  x' = 0.3 - sign(x)\n  v' = -v + x + t\nend\n" };
    static const char *const records[] = { "x", "v" };
    Collected *c = malloc(sizeof *c);
    for (int m = 0; m < 2; m++)
        for (int s = 0; s < N_SOLVERS; s++) {
            Lab lab = lab_open(texts[m]);
            orr_experiment e = orr_experiment_default();
            e.until = 3;
            e.every = 0.0625;
            e.records = records;
            e.n_records = 2;
            e.run.solver = solvers[s];
            e.run.quantum = 1e-2;
            memset(c, 0, sizeof *c);
            const orr_sink first = { .piece = take_piece, .self = c },
                           second = { .row = compare_row, .self = c };
            for (int pass = 0; pass < 2; pass++) {
                orr_outcome outcome = orr_simulate(lab.model, &e, pass ? &second : &first, 1, lab.diag);
                if (outcome.status != ORR_STATUS_OK) orr_diag_print(lab.diag, stderr, 0);
                assert_int_equal(outcome.status, ORR_STATUS_OK);
                orr_outcome_free(&outcome);
            }
            assert_int_equal(c->n_rows, 49);
            assert_true(c->n[0] > 2 && c->n[1] > 2);
            if (m == 0) assert_int_equal(c->n_equal, 98);    // to the last bit
            else assert_true(c->worst < 1e-6);               // cubics while it slides
            lab_close(&lab);
        }
    free(c);
}

// The loop that native code has for a small model, and the engine's own: every bit, also of a failure.
static void test_native_loops_take_the_same_steps(void **state)
{
    (void)state;
    const char *text = "model M\n  var x = 0, y = 0, z = 1, w = 1, s = 4\n  x' = 1\n  y' = sin(3*x)\n"
                       "  z' = -50*z + 50*cos(t)\n  w' = z - w*y\n  s' = -sqrt(s)\nend\n";
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run_facts facts[2];
        double end[2][6];
        orr_status status[2];
        for (int native = 0; native < 2; native++) {
            Lab lab = { .diag = orr_diag_create() };
            lab.source = orr_source_parse("test.orr", text, strlen(text), lab.diag);
            orr_compile_options o = orr_compile_options_default();
            o.code = native ? ORR_CODE_NATIVE : ORR_CODE_INSTANT;
            lab.model = orr_model_compile(lab.source, &o, lab.diag);
            assert_non_null(lab.model);
            orr_run *run = begin(&lab, solvers[s], 1e-3, 5);
            const CodeOwn own = s == 5 ? CODE_WITH_SLOPES : s > 2 ? CODE_WITH_OWN : CODE_PLAIN;
            const CodeQuantised *code = code_quantised(&lab.model->code, s == 5 ? 2 : 1 + s % 3, own,
                                                       solvers[s], lab.diag);
            assert_true((code->loop != NULL) == (native && own != CODE_WITH_SLOPES));
            assert_true(code_has_loop(code->ir));
            status[native] = orr_run_advance(run, 5);    // the root of s ends before that
            facts[native] = orr_run_get_facts(run);
            static const char *const names[] = { "x", "y", "z", "w", "s" };
            for (int k = 0; k < 5; k++) end[native][k] = value(&lab, run, names[k]);
            end[native][5] = orr_run_time(run);
            orr_run_destroy(run);
            lab_close(&lab);
        }
        assert_int_equal(status[0], status[1]);
        assert_memory_equal(end[0], end[1], sizeof end[0]);
        assert_int_equal(facts[0].n_steps, facts[1].n_steps);
        assert_int_equal(facts[0].n_rates, facts[1].n_rates);
        assert_true(facts[0].n_steps > 300);
    }
}

// Rates that are zero for a while, with all their derivatives, and then are not; what turns or jumps without
// an event; and relations of what changes by steps. The error is proportional to the quantum in all methods.
static void test_sleeping_rates_and_steps_are_seen(void **state)
{
    (void)state;
    const double pi = acos(-1), root = sqrt(pi);
    const struct {
        const char *text;
        double until, exact;
    } cases[] = {
        { "x' = if t > 1 then (t - 1)^2 else 0\n", 3, 8.0 / 3 },
        { "var y = 0\ny' = 1\nx' = if y > 1 then (y - 1)^2 else 0\n", 3, 8.0 / 3 },
        { "var y = 0\ny' = 1\nx' = if y > 1 then (y - 1)^9 else 0\n", 2, 0.1 },
        { "x' = limit(sin(t) - 0.5, 0, 1)\n", 4, sqrt(3) - pi / 3 },
        { "x' = max(abs(sin(3*t)) - 0.5, 0)\n", pi, 2 * (cos(pi / 6) - pi / 6) },
        { "x' = if mod(floor(t), 2) == 0 then 1 else 0\n", 3.5, 2 },
        { "n = floor(t)\nx' = if n != 2 then 1 else 0\n", 3.5, 2.5 },
        { "var y = 0\ny' = 1\nx' = if ceil(4*y) == 4 then 1 else 0\n", 3, 0.25 },
        { "var y = 0\ny' = 1\nx' = if (if y >= 0.49 then 1 else 0) == 1 then 1 else 0\n", 1, 0.51 },
        { "var y = 0\ny' = 1\nx' = noevent(if y > 0.75 then 1 else 0)\n", 2, 1.25 },
        { "x' = noevent(if t > 0.75 and t < 0.76 then 1 else 0)\n", 20, 0.01 },
        { "x' = 10*exp(-((t - 7)/0.01)^2)\n", 20, 0.1 * root },
        { "var y = 0\ny' = 1\nx' = 10*exp(-((y - 7)/0.01)^2)\n", 20, 0.1 * root },
        { "x' = if sin(t) > 0.9999 then 1 else 0\n", 20, 6 * acos(0.9999) },
        { "x' = if mod(t, 5) < 0.001 then 10 else 0\n", 19, 0.04 },
        { "x' = table(t, 0, 0, 10, 0, 10.1, 1, 10.2, 0, 20, 0)\n", 20, 0.1 },
        { "x' = floor(t/4)\n", 11, 4 + 6 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[300];
        snprintf(text, sizeof text, "model M\nvar x = 0\n%send\n", cases[c].text);
        Lab lab = lab_open(text);
        assert_int_equal(orr_diag_count(lab.diag), 0);    // == of what steps is no mistake
        for (int s = 0; s < N_SOLVERS; s++) {
            for (int i = 0; i < 2; i++) {
                const double quantum = i ? 1e-5 : 1e-3;
                orr_run *run = begin(&lab, solvers[s], quantum, cases[c].until);
                go(&lab, run, cases[c].until);
                const double error = fabs(value(&lab, run, "x") - cases[c].exact);
                if (!(error <= 60 * quantum))
                    print_error("%s%s, quantum %g: error %g\n", cases[c].text, solvers[s], quantum, error);
                assert_true(error <= 60 * quantum);
                orr_run_destroy(run);
            }
        }
        lab_close(&lab);
    }
}

// Two states that exchange quickly what both read of time: a = sin(3t), b = t. In first order time is held,
// and must be the same for both.
static void test_stiff_exchanges_read_the_same_time(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var a = 0, b = 0\n"
                       "  a' = 3*cos(3*t) - 1e6*((a - sin(3*t)) - 2*(b - t))\n"
                       "  b' = 1 + 2e6*((a - sin(3*t)) - 2*(b - t)) - 0.1*(b - t)\nend\n");
    const char *const methods[] = { "liqss1", "liqss2", "mliqss2" };
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 2; i++) {
            const double quantum = i ? 1e-3 : 1e-2;
            orr_run *run = begin(&lab, methods[s], quantum, 0.5);
            go(&lab, run, 0.5);
            const double of_a = fabs(value(&lab, run, "a") - sin(1.5)),
                         error = fmax(of_a, fabs(value(&lab, run, "b") - 0.5));
            if (!(error <= 5 * quantum)) print_error("%s at %g: error %g\n", methods[s], quantum, error);
            assert_true(error <= 5 * quantum);
            orr_run_destroy(run);
        }
    }
    lab_close(&lab);
}

// Three relations read each other's variables, an event changes what they read, and the solution slides in
// the end, where a = b: then i = 0 in the mean, so a' = b' gives 2500*(5 - a) + d = 0.
static void test_relations_are_noted_once(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var a = 5, b = 3.6, V = 0\n  discrete d = 0\n  V' = d\n"
                       "  at 5 then d := 1 end\n"
                       "  i = if a > b then (if V > b then V - b else 0) else (if V > a then a - V else 0)\n"
                       "  a' = 2500*(5 - a) - 10*i + d\n  b' = 2500*(a - b) + 10*i + d\nend\n");
    for (int s = 0; s < N_SOLVERS; s++) {
        orr_run *run = begin(&lab, solvers[s], 1e-3, 12);
        go(&lab, run, 12);
        assert_true(fabs(value(&lab, run, "V") - 7) < 1e-6);
        assert_true(fabs(value(&lab, run, "b") - 5.0008) < 1e-3);
        orr_run_destroy(run);
    }
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_qss2_on_the_benchmark_takes_the_published_steps),
        cmocka_unit_test(test_orders_show_in_errors_and_steps),
        cmocka_unit_test(test_liqss_is_for_stiff_models),
        cmocka_unit_test(test_pairs_are_renewed_together),
        cmocka_unit_test(test_stalls_are_named_with_a_way_out),
        cmocka_unit_test(test_rates_that_bend_are_followed),
        cmocka_unit_test(test_relations_change_where_polynomials_cross),
        cmocka_unit_test(test_asking_for_values_changes_no_step),
        cmocka_unit_test(test_a_ball_bounces_exactly),
        cmocka_unit_test(test_switches_by_events),
        cmocka_unit_test(test_equal_shapes_share_their_code),
        cmocka_unit_test(test_shared_variables_are_computed_at_the_time_they_are_read),
        cmocka_unit_test(test_quanta_of_single_states),
        cmocka_unit_test(test_loops_are_solved_with_their_slopes),
        cmocka_unit_test(test_relations_read_loops),
        cmocka_unit_test(test_liqss_looks_through_loops),
        cmocka_unit_test(test_constrained_models_run),
        cmocka_unit_test(test_a_loop_without_a_solution_is_named),
        cmocka_unit_test(test_large_loops_and_delays_are_refused),
        cmocka_unit_test(test_corners_of_functions_are_foreseen),
        cmocka_unit_test(test_a_table_is_left_from_one_of_its_points),
        cmocka_unit_test(test_modes_do_not_chatter_inside_the_quantum),
        cmocka_unit_test(test_runs_on_threads_share_the_code),
        cmocka_unit_test(test_solutions_slide_and_rest),
        cmocka_unit_test(test_tables_bend_at_their_points),
        cmocka_unit_test(test_functions_that_jump_are_foreseen),
        cmocka_unit_test(test_curved_crossings_are_met_on_both_sides),
        cmocka_unit_test(test_pwm_within_the_quantum),
        cmocka_unit_test(test_thermostat_within_the_quantum),
        cmocka_unit_test(test_stalls_of_first_order_name_a_higher_one),
        cmocka_unit_test(test_recorded_polynomials_are_the_solution),
        cmocka_unit_test(test_native_loops_take_the_same_steps),
        cmocka_unit_test(test_sleeping_rates_and_steps_are_seen),
        cmocka_unit_test(test_stiff_exchanges_read_the_same_time),
        cmocka_unit_test(test_relations_are_noted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
