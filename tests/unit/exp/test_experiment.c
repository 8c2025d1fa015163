// tests/unit/exp/test_experiment.c: experiments as written become numbers and names.
#include "check.h"
#include "orrery/experiment.h"
#include <stdlib.h>

#define MODEL "model M\n  param k = 1\n  var x = 1, y = 0\n  x' = -k*x\n  y' = x\nend\n"

typedef struct Got {
    orr_diag      *diag;
    orr_source    *source;
    orr_experiment e;
    bool           ok;
} Got;

static Got get(const char *text, const char *name)
{
    Got got = { .diag = orr_diag_create() };
    got.source = orr_source_parse("test.orr", text, strlen(text), got.diag);
    if (!got.source) orr_diag_print(got.diag, stderr, 0);
    assert_non_null(got.source);
    got.ok = orr_experiment_get(got.source, name, &got.e, got.diag);
    return got;
}

static void drop(Got *got)
{
    orr_source_destroy(got->source);
    orr_diag_destroy(got->diag);
}

static void test_every_statement_is_understood(void **state)
{
    (void)state;
    Got got = get(MODEL "experiment e of M\n  from 1\n  until 2*5 + 1\n  every 1/8\n  solver rk4 step 0.01\n"
                        "  set k = sqrt(16), x = -2^2\n"
                        "  record x, y\n  plot x, y\n  plot y over x\n"
                        "  expect x at 2 = exp(-1) within 1e-6\n  expect y = pi within 0.1\nend\n",
                  "e");
    assert_true(got.ok);
    const orr_experiment *e = &got.e;
    assert_string_equal(e->name, "e");
    assert_string_equal(e->model, "M");
    assert_near(e->from, 1, 0);
    assert_near(e->until, 11, 0);
    assert_near(e->every, 0.125, 0);
    assert_string_equal(e->run.solver, "rk4");
    assert_near(e->run.step, 0.01, 0);
    assert_int_equal(e->run.n_settings, 2);
    assert_string_equal(e->run.settings[0].name, "k");
    assert_near(e->run.settings[0].value, 4, 0);
    assert_near(e->run.settings[1].value, -4, 0);
    assert_int_equal(e->n_records, 2);
    assert_string_equal(e->records[1], "y");
    assert_int_equal(e->n_plots, 2);
    assert_int_equal(e->plots[0].n_ys, 2);
    assert_null(e->plots[0].over);
    assert_string_equal(e->plots[1].over, "x");
    assert_int_equal(e->n_expects, 2);
    assert_near(e->expects[0].value, exp(-1), 1e-15);
    assert_near(e->expects[0].at, 2, 0);
    assert_true(isnan(e->expects[1].at));
    assert_int_equal(e->expects[0].line, 16);
    assert_string_equal(e->expects[0].file, "test.orr");
    drop(&got);
}

static void test_options_of_solvers_by_name(void **state)
{
    (void)state;
    Got got = get(MODEL "experiment e of M\n  until 1\n  solver bdf tol 1e-8 abs 1e-12 max 0.5\nend\n", NULL);
    assert_true(got.ok);
    assert_near(got.e.run.tolerance, 1e-8, 0);
    assert_near(got.e.run.absolute, 1e-12, 0);
    assert_near(got.e.run.max_step, 0.5, 0);
    drop(&got);
    got = get(MODEL "experiment e of M\n  until 1\n  solver rk4 stap 0.1\nend\n", NULL);
    assert_false(got.ok);
    assert_string_equal(orr_diag_get(got.diag, 0).code, "E404");
    assert_contains(orr_diag_get(got.diag, 0).hint, "'step'");
    drop(&got);
    got = get(MODEL "experiment e of M\n  until 1\n  solver rk4 step 0\nend\n", NULL);
    assert_false(got.ok);
    assert_string_equal(orr_diag_get(got.diag, 0).code, "E409");
    drop(&got);
}

static void test_without_an_experiment_the_default_is_given(void **state)
{
    (void)state;
    Got got = get(MODEL, NULL);
    assert_true(got.ok);
    assert_string_equal(got.e.name, "");
    assert_true(isnan(got.e.until));
    assert_null(got.e.model);
    drop(&got);
}

static void test_wrong_experiments_are_explained(void **state)
{
    (void)state;
    static const struct { const char *text, *name, *code, *hint; } cases[] = {
        { MODEL "experiment once of M\n  until 1\nend\n", "onse", "E401", "'once'" },
        { MODEL, "once", "E401", "no experiment" },
        { MODEL "experiment e of m\n  until 1\nend\n", "e", "E103", "'M'" },
        { MODEL "experiment e of M\n  until stop\nend\n", "e", "E101", "numbers" },
        { MODEL "experiment e of M\n  until 1/0\nend\n", "e", "E407", NULL },
        { MODEL "experiment e of M\n  until sqrt(-1)\nend\n", "e", "E407", NULL },
        { MODEL "experiment e of M\n  until 1\n  every -1\nend\n", "e", "E407", NULL },
        { MODEL "experiment e of M\n  until foo(1)\nend\n", "e", "E110", NULL },
        { MODEL "experiment e of M\n  until sin(1, 2)\nend\n", "e", "E111", NULL },
        { MODEL "experiment e of M\n  until 1\n  expect x = 1 within -1\nend\n", "e", "E407", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Got got = get(cases[i].text, cases[i].name);
        assert_false(got.ok);
        assert_int_equal(orr_diag_errors(got.diag), 1);
        assert_string_equal(orr_diag_get(got.diag, 0).code, cases[i].code);
        if (cases[i].hint) assert_contains(orr_diag_get(got.diag, 0).hint, cases[i].hint);
        drop(&got);
    }
}

static void test_a_long_sum_does_not_need_a_deep_stack(void **state)
{
    (void)state;
    enum { N = 200000 };
    char *text = malloc(sizeof MODEL + 100 + 2 * N), *p = text;
    p += sprintf(p, MODEL "experiment e of M\n  until 1");
    for (int i = 0; i < N; i++) *p++ = '+', *p++ = '1';
    strcpy(p, "\nend\n");
    Got got = get(text, "e");
    assert_true(got.ok);
    assert_near(got.e.until, N + 1, 0);
    drop(&got);
    free(text);
}

static void test_names_of_csmp_settings_change_the_experiment(void **state)
{
    (void)state;
    orr_experiment e = orr_experiment_default();
    e.missing = "timestep";
    assert_true(orr_experiment_set(&e, "endtime", 10));
    assert_non_null(e.missing);
    assert_true(orr_experiment_set(&e, "timestep", 0.5));
    assert_null(e.missing);
    assert_true(orr_experiment_set(&e, "$comminterval", 2));
    assert_true(orr_experiment_set(&e, "starttime", -1));
    assert_false(orr_experiment_set(&e, "K", 1));
    assert_near(e.until, 10, 0);
    assert_near(e.run.step, 0.5, 0);
    assert_near(e.every, 2, 0);
    assert_near(e.from, -1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_statement_is_understood),
        cmocka_unit_test(test_options_of_solvers_by_name),
        cmocka_unit_test(test_without_an_experiment_the_default_is_given),
        cmocka_unit_test(test_wrong_experiments_are_explained),
        cmocka_unit_test(test_a_long_sum_does_not_need_a_deep_stack),
        cmocka_unit_test(test_names_of_csmp_settings_change_the_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
