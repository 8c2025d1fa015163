// tests/solve/test_noise.c: equations with white noise against closed solutions on the same Brownian path,
// moments, and measured orders.
#include "lab.h"
#include "num/random.h"
#include "orrery/run.h"
#include <stdlib.h>

// A variable at time t, of run number `number`, with steps h on paths drawn in steps p.
static double at(const Lab *lab, const char *name, const char *solver, double h, double p, double t,
                 uint64_t number)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.step = h;
    o.path = p;
    o.t_end = t;
    o.seed = 42;
    o.number = number;
    orr_run *run = orr_run_create(lab->model, &o, lab->diag);
    if (!run) orr_diag_print(lab->diag, stderr, 0);
    assert_non_null(run);
    assert_int_equal(orr_run_advance(run, t), ORR_STATUS_OK);
    const double x = orr_run_value(run, orr_model_find(lab->model, name));
    orr_run_destroy(run);
    return x;
}

// The path of a noise at t, as noise.h describes it.
static double path(const char *stream, uint64_t number, double p, double t)
{
    double w = 0;
    for (uint64_t m = 0; (double)m * p < t - 1e-9; m++) {
        RandomStream s = random_stream(42, number, stream);
        s.n_draws = 2 * m;
        w += sqrt(p) * random_normal(&s, 0, 1);
    }
    return w;
}

enum { FINEST = 9, COARSEST = 5 };    // steps 2^-9 to 2^-5

// The slope of log2 of the error over log2 of the step.
static double order_of(const double *error, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) { sx += i, sy += log2(error[i]), sxx += i * i, sxy += i * log2(error[i]); }
    return -(n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#define GROWTH "model M\n  param mu = 1.5, s = 0.6\n  var x = 1\n  x' = mu*x + noise(s*x)\nend\n"
#define NOISY  "model M\n  param mu = 0.1, s = 0.5\n  var x = 1\n  x' = mu*x + noise(s*x)\nend\n"

// Errors of geometric Brownian motion, x(1) = exp(mu - s²/2 + s W(1)): on the same path, and of the mean.
static void growth_errors(const char *text, double mu, double s, const char *solver, int runs, double *strong,
                          double *weak)
{
    Lab lab = lab_open(text);
    const double p = pow(2, -FINEST);
    for (int i = 0; i <= FINEST - COARSEST; i++) strong[i] = weak[i] = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        const double exact = exp(mu - s * s / 2 + s * path("noise(1)", run, p, 1));
        for (int i = COARSEST; i <= FINEST; i++) {
            const double x = at(&lab, "x", solver, pow(2, -i), p, 1, run);
            strong[i - COARSEST] += fabs(x - exact) / runs;
            // the same luck in both: their difference varies little
            weak[i - COARSEST] += (x - exact) / runs;
        }
    }
    for (int i = 0; i <= FINEST - COARSEST; i++) weak[i] = fabs(weak[i]);
    lab_close(&lab);
}

static void test_noise_orders_on_geometric_brownian_motion(void **state)
{
    (void)state;
    double strong[FINEST - COARSEST + 1], weak[FINEST - COARSEST + 1];
    const int n = FINEST - COARSEST + 1;
    growth_errors(NOISY, 0.1, 0.5, "euler-maruyama", 500, strong, weak);
    const double em = order_of(strong, n);
    growth_errors(NOISY, 0.1, 0.5, "srk", 500, strong, weak);
    const double srk = order_of(strong, n);
    print_message("strong order of euler-maruyama %.3f, of srk %.3f\n", em, srk);
    assert_near(em, 0.5, 0.08);
    assert_near(srk, 1.5, 0.1);

    growth_errors(GROWTH, 1.5, 0.6, "euler-maruyama", 1500, strong, weak);
    const double em_weak = order_of(weak, n);
    // its mean is known: (1 + mu h)^n
    assert_near(weak[0], exp(1.5) - pow(1 + 1.5 / 32, 32), 0.02);
    growth_errors(GROWTH, 1.5, 0.6, "srk", 1500, strong, weak);
    const double srk_weak = order_of(weak, n);
    print_message("weak order of euler-maruyama %.3f, of srk %.3f\n", em_weak, srk_weak);
    assert_near(em_weak, 1, 0.1);
    assert_true(srk_weak > 1.6);
}

// Strength that depends on time, a drift that is not linear; the finest steps stand for the solution.
static void test_noise_orders_with_additive_noise(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0.5, y = 0\n  x' = sin(x) - y + noise(0.8*(1 + t))\n"
                       "  y' = x - y + noise(0.6) + noise(0.5*cos(t))\nend\n");
    const double p = 0x1p-11;
    static const struct {
        const char *solver;
        double order;
    } methods[] = { { "srk", 1.5 }, { "euler-maruyama", 1 } };
    for (int k = 0; k < 2; k++) {
        double error[4] = { 0 };
        for (uint64_t run = 0; run < 200; run++) {
            const double best = at(&lab, "x", "srk", p, p, 1, run);
            for (int i = 0; i < 4; i++)
                error[i] += fabs(at(&lab, "x", methods[k].solver, pow(2, -4 - i), p, 1, run) - best) / 200;
        }
        const double order = order_of(error, 4);
        print_message("additive, %s: strong order %.3f\n", methods[k].solver, order);
        assert_near(order, methods[k].order, 0.15);
    }
    lab_close(&lab);
}

// x' = -k x + noise(s): mean and variance at each time.
static void test_noise_moments_of_ornstein_uhlenbeck(void **state)
{
    (void)state;
    enum { RUNS = 6000 };
    Lab lab = lab_open("model M\n  param k = 2, s = 0.7\n  var x = 3\n  x' = -k*x + noise(s)\nend\n");
    static const struct {
        const char *solver;
        double h;
    } methods[] = { { "srk", 0.05 }, { "euler-maruyama", 0.05 } };
    for (int m = 0; m < 2; m++) {
        for (double t = 0.5; t <= 2; t += 1.5) {
            double sum = 0, squares = 0;
            for (uint64_t run = 0; run < RUNS; run++) {
                const double x = at(&lab, "x", methods[m].solver, methods[m].h, 0, t, run);
                sum += x;
                squares += x * x;
            }
            const double mean = sum / RUNS, variance = squares / RUNS - mean * mean;
            double mean_expected = 3 * exp(-2 * t), expected = 0.49 / 4 * (1 - exp(-4 * t));
            if (m == 1) {    // what its steps give exactly
                const double a = 1 - 2 * methods[m].h, n = round(t / methods[m].h);
                mean_expected = 3 * pow(a, n);
                expected = 0.49 * methods[m].h * (1 - pow(a, 2 * n)) / (1 - a * a);
            }
            assert_near(mean, mean_expected, 3.3 * sqrt(expected / RUNS) + 2e-3 * (m == 0));
            assert_near_relative(variance, expected, 3.3 * sqrt(2.0 / RUNS) + 0.005 * (m == 0));
        }
    }
    lab_close(&lab);
}

// Events cut steps; the path goes on. Two noises have two paths, one noise used twice has one.
static void test_noise_paths_pass_through_events(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 0, y = 0, z = 0, u = 0\n  discrete n = 0\n  x' = noise(1)\n  y' = noise(1)\n"
        "  common = noise(2)\n  z' = common\n  u' = 0.5*common\n  every 0.37 then n := n + 1 end\n"
        "  when x > 0.2 then n := n + 1 end\nend\n");
    for (uint64_t run = 0; run < 20; run++) {
        const double x = at(&lab, "x", "euler-maruyama", 0.1, 0, 5, run);
        assert_near(x, path("noise(1)", run, 0.1, 5), 1e-12);
        assert_near(at(&lab, "y", "euler-maruyama", 0.1, 0, 5, run), path("noise(2)", run, 0.1, 5), 1e-12);
        assert_near(at(&lab, "z", "euler-maruyama", 0.1, 0, 5, run), 2 * path("noise(3)", run, 0.1, 5),
                    1e-12);
        assert_near(at(&lab, "u", "euler-maruyama", 0.1, 0, 5, run), path("noise(3)", run, 0.1, 5), 1e-12);
        // the same path in other steps
        assert_near(at(&lab, "x", "srk", 0.5, 0.1, 5, run), x, 1e-12);
        assert_true(at(&lab, "n", "srk", 0.1, 0, 5, run) >= 13);
    }
    lab_close(&lab);
}

static void test_noise_is_chosen_for_and_refused_kindly(void **state)
{
    (void)state;
    Lab lab = lab_open(GROWTH);
    orr_run *run = orr_run_create(lab.model, NULL, lab.diag);
    assert_null(run);    // a step is needed
    orr_run_options o = orr_run_options_default();
    o.t_end = 1;
    run = orr_run_create(lab.model, &o, lab.diag);
    assert_non_null(run);
    assert_string_equal(orr_run_get_facts(run).solver, "srk");
    orr_run_destroy(run);
    static const char *const others[] = { "euler", "rk4", "dopri5", "bdf", "adams", "ida", "qss2", "liqss2" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        orr_diag *diag = orr_diag_create();
        o.solver = others[i];
        assert_null(orr_run_create(lab.model, &o, diag));
        assert_non_null(strstr(orr_diag_get(diag, 0).hint, "'srk'"));
        orr_diag_destroy(diag);
    }
    o.solver = "srk";
    o.step = 0.1;
    o.path = 0.03;
    assert_null(orr_run_create(lab.model, &o, lab.diag));
    lab_close(&lab);

    // noise that several states share, with strengths that move: only Euler-Maruyama
    lab = lab_open("model M\n  var x = 1, y = 1\n  w = noise(1)\n  x' = -x + y*w\n  y' = -y + x*w\nend\n");
    o.path = 0;
    assert_null(orr_run_create(lab.model, &o, lab.diag));
    o.solver = NULL;
    run = orr_run_create(lab.model, &o, lab.diag);
    assert_non_null(run);
    assert_string_equal(orr_run_get_facts(run).solver, "euler-maruyama");
    assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
    orr_run_destroy(run);
    lab_close(&lab);
}

static void says(const char *text, const char *code, const char *part)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("test.orr", text, strlen(text), diag);
    orr_model *model = source ? orr_model_compile(source, NULL, diag) : NULL;
    assert_null(model);
    if (strcmp(orr_diag_get(diag, 0).code, code) != 0 || !strstr(orr_diag_get(diag, 0).text, part))
        orr_diag_print(diag, stderr, 0);
    assert_string_equal(orr_diag_get(diag, 0).code, code);
    assert_non_null(strstr(orr_diag_get(diag, 0).text, part));
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void test_noise_mistakes(void **state)
{
    (void)state;
    says("model M\n  var x = 0\n  x' = -x + noise(1)^2\nend\n", "E193", "squared");
    says("model M\n  var x = 0\n  x' = -x + sin(noise(1))\nend\n", "E193", "function");
    says("model M\n  var x = 0\n  x' = -x\n  output y = noise(1)\nend\n", "E193", "value of a variable");
    says("model M\n  var x = 0\n  w = noise(1)\n  x' = if w > 0 then 1 else w\nend\n", "E193", "compared");
    says("model M\n  var x = 0\n  w = noise(1)\n  x' = w - delay(w, 0.1)\nend\n", "E193", "delayed");
    says("model M\n  var x = 0\n  discrete d = 0\n  w = noise(1)\n  x' = w\n  every 1 then d := w end\nend\n",
         "E193", "assigned");
    says("model M\n  var x = 0, y = 0\n  y + y^3 = x + noise(1)\n  x' = y\nend\n", "E193", "loop");
    says("model M\n  param k = noise(1)\n  output y = k\nend\n", "E130", "noise");
    says("model M\n  discrete d = 0\n  every 1 then d := noise(1) end\nend\n", "E130", "noise");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_orders_on_geometric_brownian_motion),
        cmocka_unit_test(test_noise_orders_with_additive_noise),
        cmocka_unit_test(test_noise_moments_of_ornstein_uhlenbeck),
        cmocka_unit_test(test_noise_paths_pass_through_events),
        cmocka_unit_test(test_noise_is_chosen_for_and_refused_kindly),
        cmocka_unit_test(test_noise_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
