// tests/unit/exp/test_simulate.c: rows, sinks, expectations, studies.
#include "lab.h"

#define DECAY "model Decay\n  param k = 1\n  var x = 1 [m], y = 0\n  x' = -k*x\n  y' = x\nend\n"

static Lab lab(const char *text)
{
    Lab l = lab_open(text);
    lab_simulate(&l);
    return l;
}

static double cell(const Lab *l, size_t column, size_t row)
{
    return orr_table_column(l->table, column)[row];
}

static void test_rows_are_at_every_interval_and_at_the_end(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 1.05\n  every 0.1\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(l.outcome.n_rows, 12);
    assert_int_equal(orr_table_n_rows(l.table), 12);
    for (size_t i = 0; i < 11; i++) assert_same_bits(cell(&l, 0, i), (double)i / 10);
    assert_same_bits(cell(&l, 0, 11), 1.05);
    for (size_t i = 0; i < 12; i++) assert_near(cell(&l, 1, i), exp(-cell(&l, 0, i)), 1e-6);
    assert_near(l.outcome.t, 1.05, 0);
    lab_close(&l);
}

static void test_an_end_on_the_grid_is_not_doubled(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 0.3\n  every 0.1\nend\n");
    assert_int_equal(l.outcome.n_rows, 4);
    lab_close(&l);
    l = lab(DECAY "experiment e of Decay\n  until 0\n  every 0.1\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(l.outcome.n_rows, 1);
    lab_close(&l);
}

static void test_any_part_of_the_run_fits_as_often_as_it_should(void **state)
{
    (void)state;
    Lab l = lab_open(DECAY "experiment e of Decay\n  until pi\n  solver rk4 step 0.1\nend\n");
    for (size_t parts = 1; parts < 100; parts++) {
        l.e.every = l.e.until / (double)parts;
        lab_simulate(&l);
        assert_int_equal(l.outcome.n_rows, parts + 1);
        assert_same_bits(cell(&l, 0, parts), l.e.until);
        orr_outcome_free(&l.outcome);
    }
    lab_close(&l);
}

static void test_without_names_outputs_or_states_are_recorded(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 1\nend\n");
    assert_int_equal(orr_table_n_columns(l.table), 3);
    assert_string_equal(orr_table_name(l.table, 1), "x");
    assert_string_equal(orr_table_unit(l.table, 1), "m");
    assert_string_equal(orr_table_name(l.table, 2), "y");
    lab_close(&l);
    l = lab(
        "model M\n  var x = 1\n  x' = -x\n  output twice = 2*x\nend\nexperiment e of M\n  until 1\nend\n");
    assert_int_equal(orr_table_n_columns(l.table), 2);
    assert_string_equal(orr_table_name(l.table, 1), "twice");
    lab_close(&l);
    l = lab("model M\n  a = 2*b\n  b = t\nend\nexperiment e of M\n  until 1\n  every 0.5\nend\n");
    assert_int_equal(orr_table_n_columns(l.table), 3);
    assert_near(cell(&l, 1, 2), 2, 0);
    lab_close(&l);
}

static void test_what_is_plotted_is_recorded_too(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 1\n  record x\n  plot y over x\nend\n");
    assert_int_equal(orr_table_n_columns(l.table), 3);
    assert_string_equal(orr_table_name(l.table, 2), "y");
    lab_close(&l);
}

static void test_an_array_is_recorded_by_its_name(void **state)
{
    (void)state;
    Lab l = lab("model M\n  param n = 3\n  var u[n]\n  for i in 1..n\n    initial u[i] = i\n    u[i]' = 0\n"
                "  end\nend\n"
                "experiment e of M\n  until 1\n  every 1\n  record u, u[2]\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(orr_table_n_columns(l.table), 4);
    assert_string_equal(orr_table_name(l.table, 3), "u[3]");
    for (size_t i = 1; i < 4; i++) assert_near(cell(&l, i, 1), (double)i, 0);
    lab_close(&l);
}

static void test_without_an_interval_each_step_is_a_row(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 0.45\n  solver rk4 step 0.1\nend\n");
    assert_int_equal(l.outcome.n_rows, 6);
    static const double times[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.45 };
    for (size_t i = 0; i < 6; i++) assert_same_bits(cell(&l, 0, i), times[i]);
    lab_close(&l);
    l = lab(DECAY "experiment e of Decay\n  until 5\n  solver dopri5\nend\n");
    assert_int_equal(l.outcome.n_rows, l.outcome.facts.n_steps + 1);
    assert_near(cell(&l, 0, l.outcome.n_rows - 1), 5, 0);
    lab_close(&l);
    // with relations the times of steps follow the events
    l = lab("model M\n  var x = 0\n  x' = if x < 1 then 1 else 0.5\nend\nexperiment e of M\n  until 2\n"
            "  solver euler step 0.3\nend\n");
    assert_int_equal(l.outcome.n_rows, l.outcome.facts.n_steps + 1);
    assert_near(cell(&l, 0, 4), 1, 1e-12);
    assert_near(cell(&l, 0, 5), 1.3, 1e-12);
    lab_close(&l);
}

// The same final bits whatever is recorded, expected or looked at.
static void test_rows_and_expectations_change_no_bit(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler step 0.01",
                                           "semi-implicit euler step 0.01",
                                           "rk4 step 0.03",
                                           "heun step 0.03",
                                           "dopri5",
                                           "adams",
                                           "bdf",
                                           "auto" };
    static const char *const more[] = {
        "every 5", "every 0.01", "every 0.077", "",
        "every 0.5\n  expect x at 0.123 = 1 within 9\n  expect z at 3.21 = 1 within 99"
    };
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        double x = 0, z = 0;
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            char text[1000];
            // a loop that is solved by iteration leaves its guesses from step to step
            snprintf(text, sizeof text,
                     "model M\n  var x = 1, v = 0, z ~ 1\n  x' = v\n  v' = -x - (if x > 0.3 then z else 0)\n"
                     "  z + z^3/10 = x + 1\nend\n"
                     "experiment e of M\n  until 5\n  record x, z\n  solver %s\n  %s\nend\n",
                     solvers[s], more[i]);
            Lab l = lab(text);
            if (l.outcome.status != ORR_STATUS_OK) orr_diag_print(l.diag, stderr, 0);
            assert_int_equal(l.outcome.status, ORR_STATUS_OK);
            const size_t last = l.outcome.n_rows - 1;
            if (i == 0) x = cell(&l, 1, last), z = cell(&l, 2, last);
            assert_same_bits(cell(&l, 1, last), x);
            assert_same_bits(cell(&l, 2, last), z);
            lab_close(&l);
        }
    }
}

static void test_expectations_are_judged(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  until 2\n  every 0.5\n  solver rk4 step 0.01\n"
                      "  expect x = exp(-2) within 1e-8\n  expect x at 1.23456 = exp(-1.23456) within 1e-8\n"
                      "  expect y at 0.5 = 0 within 0.1\n  expect x at 0 = 1 within 0\n"
                      "  expect x at 2 = exp(-2) within 1e-8\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_NOT_VALIDATED);
    assert_int_equal(l.outcome.n_verdicts, 5);
    assert_int_equal(l.outcome.n_failed, 1);
    for (size_t i = 0; i < 5; i++) assert_int_equal(l.outcome.verdicts[i].holds, i != 2);
    assert_near(l.outcome.verdicts[2].found, 1 - exp(-0.5), 1e-8);
    assert_int_equal(orr_diag_errors(l.diag), 1);
    assert_string_equal(orr_diag_get(l.diag, 0).code, "E413");
    assert_int_equal(orr_diag_get(l.diag, 0).line, 13);
    assert_int_equal(l.outcome.n_rows, 5);
    lab_close(&l);
}

static void test_expectations_outside_the_run_fail(void **state)
{
    (void)state;
    Lab l = lab(DECAY "experiment e of Decay\n  from 1\n  until 2\n  expect x at 0.5 = 1 within 9\n"
                      "  expect x at 3 = 1 within 9\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_NOT_VALIDATED);
    assert_int_equal(l.outcome.n_failed, 2);
    for (size_t i = 0; i < 2; i++) assert_string_equal(orr_diag_get(l.diag, i).code, "E414");
    lab_close(&l);
}

static void test_a_study_runs_again_with_new_parameters(void **state)
{
    (void)state;
    // Newton's iteration for the k at which x(1) = 0.5
    Lab l = lab("model Study\n  param k = 1\n  var x = 1\n  x' = -k*x\n  terminal\n    miss := x - 0.5\n"
                "    was := k\n"
                "    k := k + miss/x\n    rerun when abs(miss) > 1e-9 at most 50\n  end\nend\n"
                "experiment e of Study\n  until 1\n  every 0.5\n  solver rk4 step 0.01\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(l.outcome.n_results, 3);    // all that it assigns
    assert_string_equal(l.outcome.results[2].name, "k");
    assert_near(l.outcome.results[2].value, log(2), 1e-8);
    assert_string_equal(l.outcome.results[1].name, "was");
    assert_near(l.outcome.results[1].value, log(2), 1e-8);
    const size_t runs = l.outcome.facts.n_reruns + 1;
    assert_true(runs > 2 && runs < 10);
    // every run is recorded, numbered in a column of its own
    assert_string_equal(orr_table_name(l.table, 2), "run");
    assert_int_equal(l.outcome.n_rows, 3 * runs);
    for (size_t i = 0; i < l.outcome.n_rows; i++) assert_near(cell(&l, 2, i), (double)(i / 3 + 1), 0);
    assert_near(cell(&l, 1, l.outcome.n_rows - 1), 0.5, 1e-8);
    lab_close(&l);
}

static void test_a_study_ends_at_its_limit(void **state)
{
    (void)state;
    static const char *const text =
        "model Study\n  param k = 0\n  var x = 1\n  x' = 0\n  terminal\n    k := k + 1\n"
        "    rerun when k > 0%s\n  end\nend\nexperiment e of Study\n  until 1\n  every 1\nend\n";
    char limited[500], endless[500];
    snprintf(limited, sizeof limited, text, " at most 5");
    snprintf(endless, sizeof endless, text, "");
    Lab l = lab(limited);
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(l.outcome.facts.n_reruns, 5);
    lab_close(&l);
    l = lab(endless);
    assert_int_equal(l.outcome.status, ORR_STATUS_FAILED);
    assert_string_equal(orr_diag_get(l.diag, 0).code, "E416");
    lab_close(&l);
}

typedef struct Counter {
    size_t n_begin, n_row, n_end, rows_wanted;
    orr_status status;
} Counter;
static bool count_begin(void *self, const char *const *names, const char *const *units, size_t n,
                        const char *time_unit)
{
    assert_true(n == 2 && strcmp(names[0], "x") == 0 && strcmp(units[0], "m") == 0);
    assert_string_equal(units[1], "m*s");    // found
    assert_string_equal(time_unit, "s");
    ((Counter *)self)->n_begin++;
    return true;
}
static bool count_row(void *self, double t, const double *values, size_t n)
{
    Counter *counter = self;
    assert_true(isfinite(t) && isfinite(values[0]) && n == 2);
    return ++counter->n_row < counter->rows_wanted;
}
static bool count_end(void *self, orr_status status)
{
    ((Counter *)self)->n_end++;
    ((Counter *)self)->status = status;
    return true;
}

static void test_a_sink_may_end_the_experiment(void **state)
{
    (void)state;
    Lab l = lab_open(DECAY "experiment e of Decay\n  until 2\n  every 0.1\nend\n");
    Counter counter = { .rows_wanted = 7 };
    const orr_sink sinks[] = { { .begin = count_begin, .row = count_row, .end = count_end, .self = &counter },
                               orr_table_sink(l.table) };
    l.outcome = orr_simulate(l.model, &l.e, sinks, 2, l.diag);
    assert_int_equal(l.outcome.status, ORR_STATUS_SYSTEM);
    assert_int_equal(counter.n_begin, 1);
    assert_int_equal(counter.n_row, 7);
    assert_int_equal(counter.n_end, 1);
    assert_int_equal(counter.status, ORR_STATUS_SYSTEM);
    lab_close(&l);
}

static void test_without_sinks_nothing_is_recorded(void **state)
{
    (void)state;
    Lab l = lab_open(
        DECAY "experiment e of Decay\n  until 2\n  every 0.1\n  expect x = exp(-2) within 1e-5\nend\n");
    l.outcome = orr_simulate(l.model, &l.e, NULL, 0, l.diag);
    assert_int_equal(l.outcome.status, ORR_STATUS_OK);
    assert_int_equal(l.outcome.n_rows, 0);
    assert_true(l.outcome.verdicts[0].holds);
    lab_close(&l);
}

static void test_wrong_experiments_are_usage_errors(void **state)
{
    (void)state;
    static const struct Case {
        const char *rest, *code;
    } cases[] = {
        { "  every 1\n", "E408" },
        { "  until -1\n", "E410" },
        { "  until 1\n  record z\n", "E411" },
        { "  until 1\n  expect z = 1 within 1\n", "E411" },
        { "  until 1\n  plot q\n", "E411" },
        { "  until 1\n  set z = 1\n", "E406" },
        { "  until 1\n  solver magic\n", "E403" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, DECAY "experiment e of Decay\n%send\n", cases[i].rest);
        Lab l = lab(text);
        assert_int_equal(l.outcome.status, ORR_STATUS_USAGE);
        assert_string_equal(orr_diag_get(l.diag, 0).code, cases[i].code);
        assert_int_equal(l.outcome.n_rows, 0);
        lab_close(&l);
    }
}

static void test_a_failed_run_keeps_its_rows(void **state)
{
    (void)state;
    Lab l = lab("model M\n  var x = 1\n  x' = -1\n  output root = sqrt(x)\nend\nexperiment e of M\n"
                "  until 3\n  every 0.25\nend\n");
    assert_int_equal(l.outcome.status, ORR_STATUS_FAILED);
    assert_int_equal(l.outcome.n_rows, 5);
    assert_near(cell(&l, 1, 3), 0.5, 1e-9);
    const orr_message message = orr_diag_get(l.diag, 0);
    assert_string_equal(message.code, "E503");
    assert_contains(message.text, "sqrt(-0.25");
    assert_int_equal(message.line, 4);
    lab_close(&l);
}

static void test_a_cancelled_run_keeps_its_rows(void **state)
{
    (void)state;
    volatile int cancel = 1;
    Lab l = lab_open(DECAY "experiment e of Decay\n  until 3\n  every 0.25\nend\n");
    l.e.run.cancel = &cancel;
    lab_simulate(&l);
    assert_int_equal(l.outcome.status, ORR_STATUS_CANCELLED);
    assert_int_equal(l.outcome.n_rows, 1);
    assert_string_equal(orr_diag_get(l.diag, 0).code, "E514");
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_at_every_interval_and_at_the_end),
        cmocka_unit_test(test_an_end_on_the_grid_is_not_doubled),
        cmocka_unit_test(test_any_part_of_the_run_fits_as_often_as_it_should),
        cmocka_unit_test(test_without_names_outputs_or_states_are_recorded),
        cmocka_unit_test(test_what_is_plotted_is_recorded_too),
        cmocka_unit_test(test_an_array_is_recorded_by_its_name),
        cmocka_unit_test(test_without_an_interval_each_step_is_a_row),
        cmocka_unit_test(test_rows_and_expectations_change_no_bit),
        cmocka_unit_test(test_expectations_are_judged),
        cmocka_unit_test(test_expectations_outside_the_run_fail),
        cmocka_unit_test(test_a_study_runs_again_with_new_parameters),
        cmocka_unit_test(test_a_study_ends_at_its_limit),
        cmocka_unit_test(test_a_sink_may_end_the_experiment),
        cmocka_unit_test(test_without_sinks_nothing_is_recorded),
        cmocka_unit_test(test_wrong_experiments_are_usage_errors),
        cmocka_unit_test(test_a_failed_run_keeps_its_rows),
        cmocka_unit_test(test_a_cancelled_run_keeps_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
