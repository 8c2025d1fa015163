// tests/solve/test_grids.c: large grids by stiff methods, whose linear systems are iterated where factors
// fill in.
#include "lab.h"
#include "model/model.h"
#include "run/run.h"
#include "solve/stiff/krylov.h"

// Heat on a square of n·n inner cells that begins as a wave of the grid: it keeps its shape, and how fast it
// shrinks is known exactly.
static const char square[] =
    "model Square\n  const n = 56\n  var u[n,n]\n"
    "  for i in 1..n\n    for j in 1..n\n      initial u[i,j] = sin(pi*i/(n+1))*sin(2*pi*j/(n+1))\n"
    "      u[i,j]' = (n+1)^2*("
    "(if i > 1 then u[max(i-1, 1), j] else 0) + (if i < n then u[min(i+1, n), j] else 0) + "
    "(if j > 1 then u[i, max(j-1, 1)] else 0) + (if j < n then u[i, min(j+1, n)] else 0) - 4*u[i,j])\n"
    "    end\n  end\nend\n";

static double wave(int i, int j, double t)
{
    const double n = 57, pi = acos(-1), a = sin(0.5 * pi / n), b = sin(pi / n);
    return sin(pi * i / n) * sin(2 * pi * j / n) * exp(-4 * n * n * (a * a + b * b) * t);
}

static void test_a_wave_on_a_grid_shrinks_as_it_should(void **state)
{
    (void)state;
    Lab lab = lab_open(square);
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
        orr_run_options o = orr_run_options_default();
        o.solver = "bdf";
        o.tolerance = tolerance;
        o.t_end = 0.05;
        lab_start(&lab, &o);
        assert_int_equal(orr_run_advance(lab.run, 0.05), ORR_STATUS_OK);
        double most = 0;
        for (int i = 1; i <= 56; i += 11)
            for (int j = 1; j <= 56; j += 5) {
                char name[32];
                snprintf(name, sizeof name, "u[%d,%d]", i, j);
                const double error = orr_run_value(lab.run, orr_model_find(lab.model, name)) -
                                     wave(i, j, 0.05);
                most = fmax(most, fabs(error));
            }
        assert_true(most < 20 * tolerance);
    }
    lab_close(&lab);
}

static bool pays(const char *text)
{
    Lab lab = lab_open(text);
    orr_run_options o = orr_run_options_default();
    o.solver = "bdf";
    o.t_end = 1;
    lab_start(&lab, &o);
    Arena arena = { 0 };
    Jacobian j;
    assert_true(jacobian_plan(&j, &lab.run->island, &arena));
    const bool answer = j.is_sparse && krylov_pays(&j.pattern, lab.model->n_states);
    arena_free(&arena);
    lab_close(&lab);
    return answer;
}

static void test_grids_are_iterated_and_rods_are_not(void **state)
{
    (void)state;
    assert_true(pays(square));
    assert_false(pays("model Rod\n  const n = 5000\n  var u[n] = 1\n  u[1]' = 0\n  u[n]' = 0\n"
                      "  for i in 2..n-1\n    u[i]' = u[i-1] - 2*u[i] + u[i+1]\n  end\nend\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wave_on_a_grid_shrinks_as_it_should),
        cmocka_unit_test(test_grids_are_iterated_and_rods_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
