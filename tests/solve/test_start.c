// tests/solve/test_start.c: from settings and initial equations to a consistent start, or a message that
// helps.
#include "lab.h"
#include "model/model.h"

static Lab lab(const char *text, const orr_setting *settings, size_t n)
{
    Lab l = lab_open(text);
    orr_run_options o = orr_run_options_default();
    o.t_end = 1;
    o.settings = settings;
    o.n_settings = n;
    l.run = orr_run_create(l.model, &o, l.diag);
    return l;
}

static double value(const Lab *l, const char *name)
{
    if (!l->run) lab_print(l);
    assert_non_null(l->run);
    return lab_value(l, name);
}

static const char *code(const Lab *l, size_t i)
{
    assert_null(l->run);
    assert_true(orr_diag_count(l->diag) > i);
    return orr_diag_get(l->diag, i).code;
}

// All that was said, as printed.
static const char *everything(const Lab *l)
{
    static char text[8000];
    FILE *out = fmemopen(text, sizeof text, "w");
    orr_diag_print(l->diag, out, 0);
    fclose(out);
    return text;
}

static void test_initial_equations_are_solved_together(void **state)
{
    (void)state;
    Lab l = lab("model M\n  param k\n  var x\n  initial x^3 + k*x = 10\n  initial k^3 + sin(k) = 2 + x\n"
                "  x' = -k*x\nend\n",
                NULL, 0);
    const double x = value(&l, "x"), k = value(&l, "k");
    assert_near(x * x * x + k * x, 10, 1e-9);
    assert_near(k * k * k + sin(k), 2 + x, 1e-9);
    lab_close(&l);
}

static void test_the_guess_chooses_the_solution(void **state)
{
    (void)state;
    Lab l = lab("model M\n  var y ~ 1\n  y^2 = 4 + t\nend\n", NULL, 0);
    assert_near(value(&l, "y"), 2, 1e-9);
    assert_int_equal(orr_run_advance(l.run, 1), ORR_STATUS_OK);
    assert_near(value(&l, "y"), sqrt(5), 1e-9);
    lab_close(&l);
    l = lab("model M\n  var y ~ -1\n  y^2 = 4 + t\nend\n", NULL, 0);
    assert_near(value(&l, "y"), -2, 1e-9);
    lab_close(&l);
}

static void test_modes_and_start_values_agree(void **state)
{
    (void)state;
    // y depends on the relation and the relation on x, whose start depends on y
    Lab l =
        lab("model M\n  var x\n  y = if x > 2 then 3 else 1\n  initial x = 2*y\n  x' = 0\nend\n", NULL, 0);
    const double x = value(&l, "x"), y = value(&l, "y");
    assert_near(x, 2 * y, 1e-12);
    assert_near(y, x > 2 ? 3 : 1, 0);
    lab_close(&l);
}

static void test_contradicting_modes_are_reported(void **state)
{
    (void)state;
    Lab l = lab("model M\n  var x\n  y = if x > 2 then 1 else 3\n  initial x = y\n  x' = 0\nend\n", NULL, 0);
    assert_true(strcmp(code(&l, 0), "E505") == 0 || strcmp(code(&l, 0), "E510") == 0);
    lab_close(&l);
}

static CodeProgram real_start;
static const IrLayout *real_layout;
static uint32_t watched;
static int picky_start(double t, const double *x, const CodeEnv *env, double *out)
{
    // fails like an iteration that begins too far away
    const double guess = env->v[real_layout->guess[watched]];
    if (guess == 0 || guess == 1 || guess == -1) return 1;
    return real_start(t, x, env, out);
}

static void test_a_line_search_takes_over_where_the_iteration_fails(void **state)
{
    (void)state;
    Lab l = lab("model M\n  var a, b\n  exp(a) + b^3 = 30 + t\n  a*b + sqrt(b) = 7\nend\n", NULL, 0);
    const double a = value(&l, "a"), b = value(&l, "b");
    orr_run_destroy(l.run);
    // now without the generated iteration from simple guesses
    watched = UINT32_MAX;
    for (uint32_t i = 0; i < l.model->flat.vars.n; i++)
        if (l.model->ir.layout.guess[i] != FLAT_NONE) watched = i;
    assert_true(watched != UINT32_MAX);
    real_start = l.model->code.programs[IR_START];
    real_layout = &l.model->ir.layout;
    l.model->code.programs[IR_START] = picky_start;
    orr_run_options o = orr_run_options_default();
    o.t_end = 1;
    l.run = orr_run_create(l.model, &o, l.diag);
    assert_near(exp(value(&l, "a")) + pow(value(&l, "b"), 3), 30, 1e-8);
    assert_near(value(&l, "a"), a, 1e-6);
    assert_near(value(&l, "b"), b, 1e-6);
    lab_close(&l);
}

static void test_a_start_without_solution_names_equation_residual_and_values(void **state)
{
    (void)state;
    Lab l = lab("model M\n  var y ~ 3\n  y^2 + 1 = t\nend\n", NULL, 0);
    assert_string_equal(code(&l, 0), "E505");
    assert_int_equal(orr_diag_get(l.diag, 0).line, 3);
    assert_contains(orr_diag_get(l.diag, 0).hint, "first guess");
    assert_contains(everything(&l), "y^2 + 1 = t");
    assert_contains(everything(&l), "left minus right");
    lab_close(&l);
}

static void test_a_domain_error_at_the_start_names_the_line(void **state)
{
    (void)state;
    Lab l = lab("model M\n  d = pi/2\n  c = sqrt(d - 4.5)\nend\n", NULL, 0);
    assert_string_equal(code(&l, 0), "E503");
    assert_int_equal(orr_diag_get(l.diag, 0).line, 3);
    assert_contains(orr_diag_get(l.diag, 0).text, "sqrt(-2.929203673)");
    assert_contains(everything(&l), "d = 1.570796327");
    lab_close(&l);
}

static void test_a_parameter_that_is_not_finite_is_named(void **state)
{
    (void)state;
    const orr_setting zero = { "a", 0 };
    Lab l = lab("model M\n  param a = 1, b = 1/a\n  var x = b\n  x' = 0\nend\n", &zero, 1);
    assert_string_equal(code(&l, 0), "E511");
    assert_contains(everything(&l), "b = 1/a");
    lab_close(&l);
}

static void test_initial_values_of_states_can_be_set(void **state)
{
    (void)state;
    const orr_setting set = { "x", 5 };
    Lab l = lab("model M\n  var x = 1, y = 2\n  z = x + y\n  x' = 0\n  y' = 0\nend\n", &set, 1);
    assert_near(value(&l, "x"), 5, 0);
    assert_near(value(&l, "z"), 7, 0);
    assert_int_equal(orr_run_advance(l.run, 1), ORR_STATUS_OK);
    assert_near(value(&l, "z"), 7, 0);
    lab_close(&l);
    // relations look at the value that was set
    const orr_setting high = { "x", 5 };
    l = lab("model M\n  var x = 1\n  x' = if x > 3 then 1 else -1\nend\n", &high, 1);
    assert_int_equal(orr_run_advance(l.run, 1), ORR_STATUS_OK);
    assert_near(value(&l, "x"), 6, 1e-9);
    lab_close(&l);
    // and only it must make sense
    const orr_setting sane = { "x", 4 }, insane = { "x", -4 };
    l = lab("model M\n  var x = -1\n  y = sqrt(x)\n  x' = 0\nend\n", &sane, 1);
    assert_near(value(&l, "y"), 2, 0);
    lab_close(&l);
    l = lab("model M\n  var x = 1\n  y = sqrt(x)\n  x' = 0\nend\n", &insane, 1);
    assert_string_equal(code(&l, 0), "E503");
    lab_close(&l);
    // but not if another start would be left behind
    l = lab("model M\n  var x = 1, y\n  initial y = 2*x\n  x' = 0\n  y' = 0\nend\n", &set, 1);
    assert_string_equal(code(&l, 0), "E407");
    assert_contains(orr_diag_get(l.diag, 0).hint, "'y'");
    lab_close(&l);
}

static void test_a_parameter_without_value_must_be_given(void **state)
{
    (void)state;
    static const char text[] = "model M\n  param a\n  var x = a\n  x' = 0\nend\n";
    Lab l = lab(text, NULL, 0);
    assert_string_equal(code(&l, 0), "E408");
    lab_close(&l);
    const orr_setting set = { "a", 4 };
    l = lab(text, &set, 1);
    assert_near(value(&l, "x"), 4, 0);
    lab_close(&l);
}

static void test_parameters_follow_those_they_are_computed_from(void **state)
{
    (void)state;
    static const char text[] = "model M\n  param b = 2*a, a = 3, c = a + b\n  var x = c\n  x' = 0\nend\n";
    const orr_setting a = { "a", 10 }, b = { "b", 1 };
    Lab l = lab(text, NULL, 0);
    assert_near(value(&l, "x"), 9, 0);
    lab_close(&l);
    l = lab(text, &a, 1);
    assert_near(value(&l, "b"), 20, 0);
    assert_near(value(&l, "x"), 30, 0);
    lab_close(&l);
    l = lab(text, &b, 1);
    assert_near(value(&l, "x"), 4, 0);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_equations_are_solved_together),
        cmocka_unit_test(test_the_guess_chooses_the_solution),
        cmocka_unit_test(test_modes_and_start_values_agree),
        cmocka_unit_test(test_contradicting_modes_are_reported),
        cmocka_unit_test(test_a_line_search_takes_over_where_the_iteration_fails),
        cmocka_unit_test(test_a_start_without_solution_names_equation_residual_and_values),
        cmocka_unit_test(test_a_domain_error_at_the_start_names_the_line),
        cmocka_unit_test(test_a_parameter_that_is_not_finite_is_named),
        cmocka_unit_test(test_initial_values_of_states_can_be_set),
        cmocka_unit_test(test_a_parameter_without_value_must_be_given),
        cmocka_unit_test(test_parameters_follow_those_they_are_computed_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
